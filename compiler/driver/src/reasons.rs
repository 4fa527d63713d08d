//! The choices of a kernel on slices in words: one line each says the choice, the reason and the cycles by the model.

use culet_passes::{Amount, Chosen, Goal, LEAST_GAIN, Marked, Schedule, Tried};

use crate::options::{Options, amount_name};

/// The lines. `cycles` are those of the kernel as it is, for a group of instances; if words are packed, for an instance.
pub(crate) fn lines(options: &Options, chosen: &Chosen, cycles: f64) -> Vec<String> {
    let context = &chosen.context;
    let unit = if chosen.instances(context) > 1 { "an instance" } else { "a group" };
    let line = |choice: String, reason: String| format!("{choice}: {reason}; {cycles:.0} cycles {unit}");
    let order = match (options.schedule, chosen.is_bitsliced) {
        (Schedule::None, _) => ("none", GIVEN),
        (Schedule::Auto, true) => ("auto", "values are finished before others begin, since registers are few"),
        (Schedule::Auto, false) => ("auto", "what the longest chain waits for comes first, within the registers"),
    };
    let mut lines = vec![
        line(format!("interleave {}", context.interleave), interleaving(options, chosen, cycles)),
        line(format!("unroll {}", amount_name(context.unroll)), unrolling(options, chosen, cycles)),
        line(format!("inline {}", amount_name(context.inline)), inlining(options, chosen)),
    ];
    if context.packed {
        lines.push(line("packed".into(), packing(options, chosen)));
    }
    lines.push(line(format!("schedule {}", order.0), order.1.to_owned()));
    lines
}

/// The line of a function on words, whose only choice is which functions it keeps: so many were `inlined`.
pub(crate) fn of_words(options: &Options, inlined: Amount, functions: Marked) -> String {
    let reason = match (options.inline, inlined) {
        (Amount::Auto, Amount::None) => {
            said(functions, "products, sums and choices that are functions have the fewest bytes".into())
        }
        (Amount::Auto, _) => said(functions, FEWEST_CALLS.into()),
        _ => GIVEN.into(),
    };
    format!("inline {}: {reason}", amount_name(inlined))
}

const GIVEN: &str = "it is given";
const FEWEST_CALLS: &str =
    "fewest bytes: functions go where they are called if that is one place, or if they are no longer than a call";

fn packing(options: &Options, chosen: &Chosen) -> String {
    if options.packed {
        return GIVEN.into();
    }
    let apart = chosen.tried.iter().filter(|tried| !tried.context.packed).map(|tried| tried.cycles);
    let apart = apart.reduce(f64::min).unwrap_or_default();
    format!("logic on a word computes {} instances, and words apart take {apart:.0} cycles", chosen.lanes)
}

/// Whether words are packed because the model found that best, which it tries with kept loops only.
fn is_packed_by_choice(options: &Options, chosen: &Chosen) -> bool {
    chosen.context.packed && !options.packed
}

/// A reason for loops or functions of which the source says nothing, and that it says it of the others.
fn said(marked: Marked, reason: String) -> String {
    match marked {
        Marked::Absent | Marked::None => reason,
        Marked::Some => format!("{reason}, except where the source says so"),
        Marked::All => "the source says so".into(),
    }
}

/// The cycles of another way that was not taken, and why not, if it takes fewer.
fn not_taken(other: f64, cycles: f64) -> String {
    let why = if other < cycles { format!(" (a change must save {:.0} %)", 100.0 * LEAST_GAIN) } else { String::new() };
    format!("{other:.0}{why}")
}

fn interleaving(options: &Options, chosen: &Chosen, cycles: f64) -> String {
    if options.interleave.is_some() {
        return GIVEN.into();
    }
    if !chosen.open.interleave {
        return "the source asks for it".into();
    }
    if options.goal == Goal::Size {
        return "one group has the fewest bytes".into();
    }
    if chosen.is_bitsliced {
        return "single bits fill all registers and wait for no chain".into();
    }
    if is_in_vectors(chosen) {
        return "C compilers make a vector of the words of four groups".into();
    }
    if is_packed_by_choice(options, chosen) {
        return "groups fill the gaps in one another's chains".into();
    }
    let of = |groups: u32| {
        let is_it = |tried: &&Tried| {
            tried.context.interleave == groups && tried.context.packed == chosen.context.packed && !tried.in_vectors
        };
        chosen.tried.iter().find(is_it).map(|tried| tried.cycles)
    };
    let groups = chosen.context.interleave;
    let mut reason = match of(1) {
        Some(alone) if groups > 1 => {
            format!("groups fill the gaps in one another's chains, where one takes {alone:.0} cycles")
        }
        Some(_) if of(2).is_none() => "the code is too long for more groups".to_owned(),
        _ => "a group leaves no gaps that are worth more".to_owned(),
    };
    if let Some(more) = of(groups + 1) {
        reason += &format!(", and {} take {}", groups + 1, not_taken(more, cycles));
    }
    reason
}

fn unrolling(options: &Options, chosen: &Chosen, cycles: f64) -> String {
    if options.unroll != Amount::Auto {
        return GIVEN.into();
    }
    if chosen.loops == Marked::Absent {
        return "there are no loops".into();
    }
    if options.goal == Goal::Size {
        return said(chosen.loops, "loops that are kept have the fewest bytes".into());
    }
    if is_in_vectors(chosen) {
        return said(chosen.loops, "C compilers find vectors in loops that are kept".into());
    }
    if is_packed_by_choice(options, chosen) {
        return said(chosen.loops, "copies of loops are no faster where words are packed".into());
    }
    let is_kept = chosen.context.unroll == Amount::None;
    let other = chosen.tried.iter().rfind(|tried| {
        (tried.context.unroll == Amount::None) != is_kept
            && tried.context.interleave == chosen.context.interleave
            && tried.context.packed == chosen.context.packed
            && !tried.in_vectors
    });
    let reason = match other {
        Some(other) if is_kept => {
            format!("copies of loops leave the fastest cache and take {:.0} cycles", other.cycles)
        }
        Some(other) => format!("loops that are kept take {}", not_taken(other.cycles, cycles)),
        None => "loops are copied as far as the copies fit into a first-level cache".into(),
    };
    said(chosen.loops, reason)
}

fn inlining(options: &Options, chosen: &Chosen) -> String {
    if options.inline != Amount::Auto {
        return GIVEN.into();
    }
    if chosen.functions == Marked::Absent {
        return "there are no calls".into();
    }
    let reason = if options.goal == Goal::Size {
        FEWEST_CALLS
    } else if is_in_vectors(chosen) {
        "C compilers find vectors where there are no calls"
    } else if is_packed_by_choice(options, chosen) {
        "calls would pass words through memory"
    } else {
        "functions go where they are called as long as the code stays short"
    };
    said(chosen.functions, reason.into())
}

fn is_in_vectors(chosen: &Chosen) -> bool {
    chosen.best().is_some_and(|best| best.in_vectors)
}
