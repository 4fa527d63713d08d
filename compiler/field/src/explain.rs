//! A plan as text: every carry, the bounds around it, and the failure without it.

use std::fmt::Write;

use culet_ir::{Func, LoopData, Op, Over};

use crate::arithmetic::{Arithmetic, Bounds, Planned, Promised};
use crate::carries::{Chain, Place, Plan, Seen};
use crate::expand::{Expanded, expand};
use crate::interval::{Interval, Powers};
use crate::plan::{Needed, Whole, reasons};

/// Every carry of a field's functions: where it is, the limbs' bounds before and after, and why it is there.
pub fn carries(arithmetic: &Arithmetic, planned: &Planned) -> String {
    let needed = reasons(&Promised { arithmetic, bounds: &planned.bounds }, &planned.plan);
    let head = format!("tight  {}\nloose  {}\n", limbs(&planned.bounds.tight), limbs(&planned.bounds.loose));
    let seen = seen(arithmetic, planned);
    head + &chains(&planned.plan, &needed, &seen, &|place| described(arithmetic, place))
}

/// Every carry of a plan for one function of a program, as [`carries`] has it; a place is named by its instruction on
/// elements.
pub fn program_carries(problem: &Whole, plan: &Plan, seen: &Seen) -> String {
    let head = match plan.carries() {
        0 => "no carries\n".to_owned(),
        count => format!("{count} single carries in the code\n"),
    };
    let place = |place: Place| {
        let (func, inst, operand) = match place {
            Place::Operand(func, inst, operand) => (func, inst, Some(operand)),
            Place::Result(func, inst) => (func, inst, None),
            Place::Return(func, index) => {
                let func = problem.module.func(func);
                return format!("result {} of `{}`", index + 1, func.name);
            }
        };
        let func = problem.module.func(func);
        let data = func.inst(inst);
        let result = data.results.first().map(|result| format!("{result} = ")).unwrap_or_default();
        let operands: Vec<String> = data.args.iter().map(ToString::to_string).collect();
        let which = match operand {
            Some(operand) => format!("operand {}", operand + 1),
            None => "the result".to_owned(),
        };
        format!("{result}{} {}, {which}", data.op.name(), operands.join(", "))
    };
    let func = problem.module.func(problem.func);
    let name = if problem.module.funcs.len() > 1 { format!("fn {}\n", func.name) } else { String::new() };
    name + &folds(func) + &head + &chains(plan, &reasons(problem, plan), seen, &place)
}

/// Number of accumulators of each fold in lanes, as text.
fn folds(func: &Func) -> String {
    let mut text = String::new();
    func.walk(&mut |_, data, _| {
        let Op::Loop(l) = &data.op else { return };
        let LoopData { lanes: Some(allowed), over: Some(Over::Whole { stream, which, .. }), .. } = **l else { return };
        let name = &func.slot(stream).name;
        let lanes = func.ty(data.args[0]).lanes();
        let _ = match which.beyond {
            0 if lanes > 1 => writeln!(
                text,
                "the fold over `{name}` has {lanes} accumulators side by side, of {allowed} that it may have"
            ),
            _ if lanes > 1 => return,
            0 => writeln!(text, "the fold over `{name}` has one accumulator, of {allowed} that it may have"),
            lanes => writeln!(text, "the fold over `{name}` has {lanes} accumulators, of {allowed} that it may have"),
        };
    });
    text
}

fn chains(plan: &Plan, needed: &[Needed], seen: &Seen, described: &dyn Fn(Place) -> String) -> String {
    let mut text = String::new();
    for (place, chain) in plan.chains() {
        let _ = writeln!(text, "\n{}: limbs {}", described(place), Chain(chain));
        if let Some((before, after)) = seen.get(&place) {
            let _ = writeln!(text, "  before  {}\n  after   {}", limbs(before), limbs(after));
        }
        for Needed { limb, index, without, .. } in needed.iter().filter(|needed| needed.place == place) {
            let _ = writeln!(text, "  {}. limb {limb}: without it, {without}", index + 1);
        }
    }
    text
}

/// The bounds around each place.
fn seen(arithmetic: &Arithmetic, planned: &Planned) -> Seen {
    let Planned { plan, bounds, functions } = planned;
    let run = |operation, bounds: &Bounds| -> Option<Expanded> {
        let id = arithmetic.id(operation)?;
        let inputs = arithmetic.inputs(operation, bounds);
        expand(&arithmetic.module, id, &*arithmetic.representation, plan, &inputs, false).ok()
    };
    functions.iter().filter_map(|&(operation, _)| run(operation, bounds)).flat_map(|expanded| expanded.seen).collect()
}

fn described(arithmetic: &Arithmetic, place: Place) -> String {
    let name = |id| arithmetic.operation(id).name();
    match place {
        Place::Operand(id, _, index) => format!("{}, operand {}", name(id), index + 1),
        Place::Result(id, _) | Place::Return(id, _) => format!("{}, the result", name(id)),
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
