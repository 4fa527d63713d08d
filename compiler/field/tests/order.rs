//! The order of operations on elements: results stay the same, and chains of products begin first.

mod support;

use culet_field::order::by_latency;
use culet_filetest::Case;
use culet_ir::{FieldOp, Module, Op, parse, verify};

fn ladder() -> Module {
    parse(&Case::parse("ladder", include_str!("../../../tests/filetests/field/ladder_radix_16.ir")).input)
        .expect("the program reads")
}

/// The products of the ladder's loop in order, by their results' numbers.
fn products(module: &Module) -> Vec<u32> {
    let func = module.entry();
    let is_product = |op: &Op| matches!(op, Op::Field(FieldOp::Mul | FieldOp::Sqr | FieldOp::MulC(_)));
    let listed = func.regions.iter().flat_map(|region| &region.insts).map(|&inst| func.inst(inst));
    listed.filter(|data| is_product(&data.op)).map(|data| data.results[0].0).collect()
}

#[test]
fn what_others_wait_for_comes_first() {
    let mut module = ladder();
    assert_eq!(products(&module), [20, 21, 22, 23, 25, 27, 28, 29, 31, 33]);
    by_latency(&mut module);
    verify(&module).expect("every value stands above its uses");
    let after = products(&module);
    let place = |value: u32| after.iter().position(|&other| other == value).expect("every product is still there");
    assert_eq!(after.len(), 10);
    // Three products hang on v20 and v21, two and a multiple on v22 and v23.
    assert!(place(20).max(place(21)) < place(22).min(place(23)), "{after:?}");
    // v28 = x · v27 and v33 = v30 · (v22 + v31) do not come right after the values that they wait for.
    assert!(place(28) > place(27) + 1 && place(33) > place(31) + 1, "{after:?}");
    let mut listed: Vec<_> = module.entry().regions.iter().flat_map(|region| region.insts.clone()).collect();
    listed.sort();
    assert_eq!(listed.len(), ladder().entry().insts.len());
    let once = module.clone();
    by_latency(&mut module);
    assert_eq!(module, once, "the order is settled");
}

#[test]
fn memory_stays_in_order() {
    let text = "field f0 f = GF(0x3fffffffffffffffffffffffffffffffb)
entry fn demo {
  input a: f0[2]
  output b: f0[2]
  v0 = load.f0 a[0]
  v1 = fadd.f0 v0, v0
  v2 = fmul.f0 v0, v0
  store b[0], v1
  v3 = load.f0 b[0]
  store b[0], v2
  v4 = fmul.f0 v3, v2
  store b[1], v4
}
";
    let mut module = parse(text).expect("the program reads");
    by_latency(&mut module);
    verify(&module).expect("it is well formed");
    let func = module.entry();
    let memory = |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. });
    let names: Vec<&str> = func
        .region(func.body)
        .insts
        .iter()
        .map(|&inst| &func.inst(inst).op)
        .filter(|op| memory(op))
        .map(Op::name)
        .collect();
    assert_eq!(names, ["load", "store", "load", "store", "store"]);
}
