//! Elements side by side in limbs of their own: their results, and that no carry of their plan can be taken away.

mod support;

use std::fmt::Write;

use culet_field::check::check;
use culet_field::expand::expand_unchecked;
use culet_field::interval::SlotBounds;
use culet_field::mont52::Montgomery52;
use culet_field::primes::{PrimeRepresentation, Unsaturated};
use culet_field::program::{Limbed, WordKind, has_lanes, limbs};
use culet_field::representation::Representation;
use culet_field::side_by_side::{SideBySide, narrow};
use culet_ir::{Elements, FieldKind, Module, Op, parse, verify};
use culet_testing::Rng;
use support::{computed, written};

const MUL32: WordKind = WordKind { bits: 64, mac52: None, mul32: true, clmul: false };
const IFMA: WordKind = WordKind { bits: 64, mac52: Some(8), mul32: false, clmul: false };

/// Elements that are read, one in each lane; a loop of products and sums with them; sums and differences of lanes, one
/// by one, and of elements that were computed before they came side by side.
fn module(field: &str, bytes: usize, lanes: usize) -> Module {
    let mut text =
        format!("field f0 fr = {field}\nentry fn main {{ output r: w8[{bytes}] input k: w8[{}]\n", lanes * bytes);
    for lane in 0..lanes {
        let names: Vec<String> = (0..bytes).map(|at| format!("v{}", 1000 + lane * bytes + at)).collect();
        for (at, name) in names.iter().enumerate() {
            let _ = writeln!(text, "{name} = load.w8 k[{}]", lane * bytes + at);
        }
        let _ = writeln!(text, "v{lane} = fpack.f0 {}", names.join(", "));
    }
    let ty = format!("v<{lanes},f0>");
    let list =
        |of: &dyn Fn(usize) -> usize| (0..lanes).map(|lane| format!("v{}", of(lane))).collect::<Vec<_>>().join(", ");
    let others = (0..lanes).map(|lane| (lane ^ 1).to_string()).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "v20 = fmul.f0 v0, v1 v21 = fsub.f0 v1, v20 v10 = join.{ty} {}", list(&|lane| lane));
    let _ = writeln!(text, "v11 = join.{ty} {}", list(&|lane| if lane == 0 { 20 } else { 21 }));
    let _ = writeln!(
        text,
        "v12 = loop i0 = 0 to 9 (v13 = v10) {{ v14 = fmul.{ty} v13, v11 v15 = fadd.{ty} v14, v10 next v15 }}"
    );
    let _ = writeln!(text, "v16 = perm.{ty} v12, [{others}] v17 = fsub.{ty} v12, v16 v18 = fsqr.{ty} v17");
    let _ = writeln!(text, "v19 = fsop.{ty} v18, v11, v12, v10, [+, +]");
    let _ = writeln!(text, "v30 = lane.f0 v19, 0 v31 = lane.f0 v19, {} v32 = fadd.f0 v30, v31", lanes - 1);
    let names: Vec<String> = (0..bytes).map(|at| format!("v{}", 5000 + at)).collect();
    let _ = writeln!(text, "{} = funpack.w8 v32", names.join(", "));
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(text, "store r[{at}], {name}");
    }
    text.push_str("}\n");
    written(&text)
}

const FIELDS: [(&str, usize); 3] = [
    ("GF(0x3fffffffffffffffffffffffffffffffb)", 17),
    ("GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed)", 32),
    ("GF(0x7fffffffffffffffffffffffffffffff)", 16),
];

/// Fields in Montgomery's form: P-256, its order, the order of Curve25519, P-384, and a prime with no bit in the top
/// limb.
const MONTGOMERY: [(&str, usize); 5] = [
    ("GF(0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff)", 32),
    ("GF(0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551)", 32),
    ("GF(0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed)", 32),
    ("GF(0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff)", 48),
    ("GF(0x3fffffffffffffffffffffffffcffffffffffffffffffffffe53)", 26),
];

#[test]
fn they_compute_what_elements_do() {
    let mut rng = Rng::new(3);
    let folded = FIELDS.into_iter().flat_map(|field| [(MUL32, 2), (MUL32, 4), (IFMA, 8)].map(|kind| (field, kind)));
    for ((field, bytes), (kind, lanes)) in folded.chain(MONTGOMERY.map(|field| (field, (IFMA, 8)))) {
        let module = module(field, bytes, lanes);
        assert!(has_lanes(&module.fields[0], kind), "{field}");
        let limbed = limbs(&module, kind).unwrap_or_else(|why| panic!("{field}, {lanes} lanes: {why}"));
        verify(&limbed.module).unwrap_or_else(|errors| panic!("{field}: {}", errors[0]));
        let has = |op: &Op| limbed.module.entry().insts.iter().any(|inst| inst.op == *op);
        assert!(has(&Op::Mul32) == kind.mul32 && has(&Op::Mac52Hi) != kind.mul32, "{field}, {lanes} lanes");
        for round in 0..40 {
            let mut byte = |_| match round {
                0 => vec![255],
                1 => vec![0],
                2..=9 => vec![255 * u64::from(rng.below(2))],
                _ => vec![u64::from(rng.below(256))],
            };
            let input: Elements<u64> = (0..lanes * bytes).map(&mut byte).collect();
            assert_eq!(computed(&limbed.module, &input), computed(&module, &input), "{field}, {lanes} lanes, {round}");
        }
    }
}

/// Every single carry of a plan is needed, and without it the checker, which knows nothing of plans, refuses the words.
#[test]
fn no_carry_can_be_taken_away() {
    let (field, bytes) = FIELDS[0];
    let narrowed = limbs(&module(field, bytes, 4), MUL32).expect("limbs");
    let Ok(PrimeRepresentation::Saturated(alone)) = PrimeRepresentation::of_program(&narrowed.elements.fields[0], 64)
    else {
        panic!("one alone is held in full words")
    };
    let beside: Unsaturated = narrow(&alone.modulus).expect("it has narrow limbs");
    assert_eq!((beside.limbs, beside.limb_bits(0)), (5, 26));
    attack(&narrowed, &SideBySide { alone: Box::new(alone), beside: Box::new(beside) });

    let (field, bytes) = MONTGOMERY[0];
    let FieldKind::Prime(modulus) = module(field, bytes, 8).fields[0].kind.clone() else { panic!("{field}") };
    let representation = Montgomery52::new(&modulus.into(), 8).expect("it has such limbs");
    attack(&limbs(&module(field, bytes, 8), IFMA).expect("limbs"), &representation);
}

fn attack(limbed: &Limbed, representation: &dyn Representation) {
    let none = SlotBounds::new();
    let (mut refused, singles) = (0, limbed.plan.singles());
    for &(place, index) in &singles {
        let less = limbed.plan.without(place, index);
        let module =
            expand_unchecked(&limbed.elements, limbed.elements.entry, representation, &less, &none).expect("words");
        refused += usize::from(check(module.entry(), &none, &none).is_err());
    }
    // A plan that costs more without a carry is right all the same.
    assert!(singles.len() > 10 && refused * 4 > singles.len() * 3, "{refused} of {}", singles.len());
}

/// The instruction does not multiply a factor of more than 32 bits.
#[test]
fn factors_have_32_bits() {
    for (mask, is_right) in [("0xffffffff", true), ("0x1ffffffff", false)] {
        let text = format!(
            "entry fn f {{ input a: w64[2] output r: w64[1] v0 = load.w64 a[0] v1 = load.w64 a[1]
             v2 = const.w64 0xffffffff v3 = and.w64 v0, v2 v4 = const.w64 {mask} v5 = and.w64 v1, v4
             v6 = mul32.w64 v3, v5 store r[0], v6 }}"
        );
        let module = parse(&text).expect("a module");
        let none = SlotBounds::new();
        assert_eq!(check(module.entry(), &none, &none).is_ok(), is_right, "{mask}");
    }
}
