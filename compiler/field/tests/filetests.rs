//! Filetests: a function on elements, and the carries that are planned for its limbs, whose radix the field pins.
//!
//! Settings: `word` (64 unless given), and `signed: yes` for limbs with signs. Input elements are below 2^radix in each
//! limb.

use culet_field::carries::Order;
use culet_field::check::check;
use culet_field::expand::expand;
use culet_field::explain::program_carries;
use culet_field::interval::{Interval, SlotBounds, power};
use culet_field::plan::{Whole, generous, search};
use culet_field::primes::{PrimeRepresentation, Unsaturated};
use culet_filetest::Case;
use culet_ir::{FuncId, SlotKind, Type, parse, verify};

#[test]
fn filetests() {
    culet_filetest::run("field", |case| vec![("expected", answer(case))]);
}

fn answer(case: &Case) -> String {
    let module = parse(&case.input).unwrap_or_else(|error| panic!("{error:?}"));
    verify(&module).unwrap_or_else(|errors| panic!("the input: {}", errors[0]));
    let word = case.setting("word").map_or(64, |bits| bits.parse().expect("32 or 64"));
    let Ok(PrimeRepresentation::Unsaturated(limbs)) = PrimeRepresentation::new(&module.fields[0], word) else {
        panic!("the field has no limbs with room for carries")
    };
    let limbs = if case.setting("signed") == Some("yes") { limbs.signed() } else { limbs };
    let inputs = inputs(&module, &limbs);
    let whole = Whole::new(&module, &limbs, &inputs);
    let plan = search(&whole, &module, generous(&[&module], &limbs, Order::Sequential))
        .unwrap_or_else(|failure| panic!("carries everywhere are too few: {failure}"));
    let expanded = expand(&module, FuncId(0), &limbs, &plan, &inputs, true).expect("the plan holds");
    let words = expanded.module().expect("it is written");
    check(words.entry(), &inputs, &expanded.outputs).expect("the checker agrees");
    program_carries(&whole, &plan, &expanded.seen)
}

fn inputs(module: &culet_ir::Module, limbs: &Unsaturated) -> SlotBounds {
    let slots = (0..).zip(&module.entry().slots);
    let elements =
        slots.filter(|(_, slot)| matches!(slot.kind, SlotKind::Input { .. }) && matches!(slot.element, Type::Field(_)));
    let limb = |limb| Interval::below(power(limbs.limb_bits(limb).into()));
    elements.map(|(slot, _)| (slot, (0..limbs.limbs).map(limb).collect())).collect()
}
