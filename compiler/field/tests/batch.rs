//! Inverses that share one: results stay the same, also for 0, and only inverses that must be are computed by
//! themselves.

use culet_field::batch::share_inverses;
use culet_ir::{Elements, FieldOp, Module, Op, Type, compute, parse, verify};
use culet_testing::Rng;

const BITS: u32 = 32;

fn inverses(module: &Module) -> usize {
    let func = module.entry();
    let listed = func.regions.iter().flat_map(|region| &region.insts).map(|&inst| func.inst(inst));
    listed.filter(|data| data.op == Op::Field(FieldOp::Inv)).count()
}

/// Results of the module for elements of a small field, packed from words, a third of which are 0.
fn results(module: &Module, inputs: usize, seed: u64) -> Vec<Elements<u64>> {
    let mut rng = Rng::new(seed);
    let draw = |rng: &mut Rng| if rng.below(3) == 0 { 0 } else { rng.below(251) };
    let words: Elements<u64> = (0..inputs).map(|_| vec![u64::from(draw(&mut rng))]).collect();
    compute(module, &[words]).expect("it has an answer")
}

/// The module with inverses shared; checks the number of inverses before and after.
fn share(text: &str, inputs: usize, (before, after): (usize, usize)) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("{error:?}"));
    verify(&module).expect("it is well formed");
    let mut shared = module.clone();
    share_inverses(&mut shared, BITS);
    verify(&shared).unwrap_or_else(|errors| panic!("{errors:?}\n{shared}"));
    assert_eq!((inverses(&module), inverses(&shared)), (before, after), "{shared}");
    for seed in 0..200 {
        assert_eq!(results(&module, inputs, seed), results(&shared, inputs, seed), "{seed}: {shared}");
    }
    shared
}

/// An instruction that waits for an inverse waits for the batch; stores stay in order.
#[test]
fn of_one_place() {
    let shared = share(
        "field f0 f = GF(0xfb)
entry fn demo {
  output b: w32[4]
  input a: w32[4]
  v0 = load.w32 a[0]
  v1 = load.w32 a[1]
  v2 = load.w32 a[2]
  v3 = load.w32 a[3]
  v4 = fpack.f0 v0
  v5 = fpack.f0 v1
  v6 = fpack.f0 v2
  v7 = fpack.f0 v3
  v8 = finv.f0 v4
  v9 = fmul.f0 v8, v5
  v10 = finv.f0 v5
  v11 = fadd.f0 v6, v5
  v12 = finv.f0 v11
  v13 = fadd.f0 v12, v9
  v14 = finv.f0 v13
  v15 = fmul.f0 v14, v10
  v16 = finv.f0 v7
  v17 = funpack.w32 v9
  v18 = funpack.w32 v13
  v19 = funpack.w32 v15
  v20 = funpack.w32 v16
  store b[0], v17
  store b[1], v18
  store b[2], v19
  store b[3], v20
}
",
        4,
        (5, 2),
    );
    // Of the four inverses that wait for nothing, each but the first takes three products.
    let products = shared.entry().insts.iter().filter(|data| data.op == Op::Field(FieldOp::Mul)).count();
    assert_eq!(products, 2 + 3 * 3);
}

/// Each iteration reads its own elements. Iterations of another loop wait for one another, and a constant is no part of
/// a batch.
#[test]
fn of_loops() {
    let shared = share(
        "field f0 f = GF(0xfb)
entry fn demo {
  output b: w32[7]
  input a: w32[6]
  v0 = fconst.f0 0x3
  loop i0 = 5 to 0 {
    v1 = load.w32 a[i0]
    v2 = fpack.f0 v1
    v3 = fadd.f0 v2, v0
    v4 = finv.f0 v3
    v5 = funpack.w32 v4
    store b[i0 + 1], v5
  }
  v6 = finv.f0 v0
  v7 = loop i1 = 0 to 3 (v8 = v6) {
    v9 = load.w32 a[i1]
    v10 = fpack.f0 v9
    v11 = fadd.f0 v8, v10
    v12 = finv.f0 v11
    next v12
  }
  v13 = funpack.w32 v7
  store b[0], v13
}
",
        6,
        (3, 3),
    );
    let arrays = shared.entry().slots.iter().filter(|slot| matches!(slot.element, Type::Field(_)));
    assert_eq!(arrays.map(|slot| slot.length).collect::<Vec<_>>(), [6, 6]);
}

/// The element that an iteration inverts was stored by the loop itself.
#[test]
fn of_turns_that_are_not_apart() {
    share(
        "field f0 f = GF(0xfb)
entry fn demo {
  output b: w32[4]
  input a: w32[5]
  local s: f0[5]
  v0 = load.w32 a[0]
  v1 = fpack.f0 v0
  store s[0], v1
  loop i0 = 0 to 3 {
    v2 = load.f0 s[i0]
    v3 = finv.f0 v2
    v4 = load.w32 a[i0 + 1]
    v5 = fpack.f0 v4
    v6 = fadd.f0 v3, v5
    store s[i0 + 1], v6
    v7 = funpack.w32 v6
    store b[i0], v7
  }
}
",
        5,
        (1, 1),
    );
}

/// In a field so small that powers are short, nothing is gained.
#[test]
fn not_of_short_powers() {
    share(
        "field f0 f = GF(0x5)
entry fn demo {
  output b: w32[2]
  input a: w32[2]
  v0 = load.w32 a[0]
  v1 = load.w32 a[1]
  v2 = fpack.f0 v0
  v3 = fpack.f0 v1
  v4 = finv.f0 v2
  v5 = finv.f0 v3
  v6 = funpack.w32 v4
  v7 = funpack.w32 v5
  store b[0], v6
  store b[1], v7
}
",
        2,
        (2, 2),
    );
}

/// A loop that needs inverses only in its iterations, and in its results, comes after them.
#[test]
fn before_loops_that_need_them() {
    share(
        "field f0 f = GF(0xfb)
entry fn demo {
  output b: w32[4]
  input a: w32[4]
  v0 = load.w32 a[0]
  v1 = load.w32 a[1]
  v2 = fpack.f0 v0
  v3 = fpack.f0 v1
  v4 = finv.f0 v2
  v5 = finv.f0 v3
  v6 = fconst.f0 0x1
  v7 = loop i0 = 0 to 2 (v8 = v6) {
    v9 = load.w32 a[i0 + 1]
    v10 = fpack.f0 v9
    v11 = fmul.f0 v10, v4
    v12 = fadd.f0 v11, v8
    v13 = funpack.w32 v12
    store b[i0], v13
    next v5
  }
  v14 = funpack.w32 v7
  store b[3], v14
}
",
        4,
        (2, 1),
    );
}
