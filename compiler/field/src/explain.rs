//! A plan in words: every carry, the bounds around it, and what fails without it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::arithmetic::{Arithmetic, Bounds, Planned, Promised};
use crate::expand::{Expanded, expand};
use crate::interval::{Interval, Powers};
use crate::plan::{Chain, Needed, Place, reasons};

/// Every carry of a field's functions: where it is, the limbs' bounds before and after, and why it is there.
pub fn carries(arithmetic: &Arithmetic, planned: &Planned) -> String {
    let needed = reasons(&Promised { arithmetic, bounds: &planned.bounds }, &planned.plan);
    let mut text = String::new();
    let _ = writeln!(text, "tight  {}", limbs(&planned.bounds.tight));
    let _ = writeln!(text, "loose  {}", limbs(&planned.bounds.loose));
    let seen = seen(arithmetic, planned);
    for (place, chain) in planned.plan.chains() {
        let _ = writeln!(text, "\n{}: limbs {}", described(arithmetic, place), Chain(chain));
        if let Some((before, after)) = seen.get(&place) {
            let _ = writeln!(text, "  before  {}\n  after   {}", limbs(before), limbs(after));
        }
        for Needed { limb, index, without, .. } in needed.iter().filter(|needed| needed.place == place) {
            let _ = writeln!(text, "  {}. limb {limb}: without it, in {without}", index + 1);
        }
    }
    text
}

/// The bounds around each place.
fn seen(arithmetic: &Arithmetic, planned: &Planned) -> BTreeMap<Place, (Vec<Interval>, Vec<Interval>)> {
    let Planned { plan, bounds, functions } = planned;
    let run = |operation, bounds: &Bounds| -> Option<Expanded> {
        let id = arithmetic.id(operation)?;
        let inputs = arithmetic.inputs(operation, bounds);
        expand(&arithmetic.module, id, &arithmetic.representation, plan, &inputs, false).ok()
    };
    functions.iter().filter_map(|&(operation, _)| run(operation, bounds)).flat_map(|expanded| expanded.seen).collect()
}

fn described(arithmetic: &Arithmetic, place: Place) -> String {
    let name = |id| arithmetic.operation(id).name();
    match place {
        Place::Operand(id, _, index) => format!("{}, operand {}", name(id), index + 1),
        Place::Result(id, _) => format!("{}, the result", name(id)),
    }
}

/// Largest values of limbs.
pub fn limbs(limbs: &[Interval]) -> String {
    let show = |limb: &Interval| match limb.low.sign() {
        num_bigint::Sign::Minus => format!("{}…{}", Powers(&limb.low), Powers(&limb.high)),
        _ => Powers(&limb.high).to_string(),
    };
    limbs.iter().map(show).collect::<Vec<_>>().join(", ")
}
