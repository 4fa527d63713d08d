//! Random modules are well formed and have a text, and together they have everything that a module can have.

use std::collections::BTreeSet;

use culet_ir::{Op, SlotKind, Type, parse, verify};
use culet_testing::{Shape, scrambled_module};

const MODULES: u64 = 800;

fn shapes() -> [Shape; 4] {
    let any = Shape::any();
    let words = Shape { vectors: false, ..any.clone() };
    [any.clone(), words, any.clone().bits(), Shape { size: 120, counted: 0, ..any.bits() }]
}

#[test]
fn modules_are_good_and_have_a_text() {
    for shape in shapes() {
        for seed in 0..MODULES / 4 {
            let module = scrambled_module(seed, &shape);
            verify(&module).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{module}", errors[0]));
            let mut compact = module.clone();
            compact.compact();
            assert_eq!(parse(&compact.to_string()).unwrap(), compact);
            for ty in module.funcs.iter().flat_map(|func| func.values.iter().map(|value| value.ty)) {
                assert!(shape.words || ty.bits() == 1, "seed {seed}: {ty}");
                assert!(shape.vectors || !matches!(ty, Type::Vector { .. }), "seed {seed}: {ty}");
            }
        }
    }
}

#[test]
fn modules_are_diverse() {
    let mut seen = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    let (mut up, mut down, mut negative, mut dead) = (0, 0, 0, 0);
    for seed in 0..MODULES {
        let module = scrambled_module(seed, &Shape::any());
        for func in &module.funcs {
            kinds.extend(func.slots.iter().map(|slot| match slot.kind {
                SlotKind::Input { shared } => ("input", shared),
                SlotKind::Output => ("output", false),
                SlotKind::Stream => ("stream", false),
                SlotKind::OutStream => ("outstream", false),
                SlotKind::Local => ("local", false),
                SlotKind::Constants(_) => ("constants", false),
                SlotKind::Part => ("part", false),
                SlotKind::Joined(_) => ("joined", false),
            }));
            let mut used = BTreeSet::new();
            func.walk(&mut |_, data, around| {
                seen.insert((data.op.name(), around.len().min(2)));
                used.extend(data.args.iter().copied());
                if let Op::Loop(l) = &data.op {
                    up += u32::from(l.first < l.last);
                    down += u32::from(l.first > l.last);
                    negative += u32::from(l.first.min(l.last) < 0);
                }
            });
            used.extend(func.regions.iter().flat_map(|region| region.results.iter().copied()));
            dead += func.values.len() - used.len();
        }
    }
    let names: BTreeSet<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), 27, "{names:?}");
    assert!(seen.len() > 75, "{seen:?}");
    assert_eq!(kinds.len(), 5, "{kinds:?}");
    assert!([up, down, negative].iter().all(|&count| count > 200), "{up} up, {down} down, {negative} below zero");
    assert!(dead > 1000, "{dead} values that nothing uses");
}
