//! Text of a verdict that says what a contract requires of an argument and promises about it.

use num_bigint::{BigInt, Sign};

use super::{Argument, Bound, Contract, Direction, Extension, Order, Requirement, RequirementKind};

/// Describes the limbs, their weights and bounds, and the arguments that may be the same memory.
pub(super) fn layout(contract: &Contract, argument: &Argument) -> String {
    if argument.direction == Direction::Scratch {
        return "memory that may be used".to_owned();
    }
    let mut parts = Vec::new();
    if let Some(table) = &argument.table {
        parts.push(format!("{} entries, each {} bytes after the last", table.entries, table.stride));
    }
    parts.push(limbs(argument));
    if argument.is_truth {
        parts.push("which counts as 1 where it is not 0".to_owned());
    }
    if argument.lanes > 1 {
        parts.push(match argument.order {
            Order::Limbs => format!("limb i of number j is word {} i + j", argument.lanes),
            Order::Numbers => {
                format!("limb i of number j of {} is word {} j + i", argument.lanes, argument.limbs.len())
            }
        });
    }
    let before: Vec<&BigInt> = argument.limbs.iter().map(|limb| &limb.below).collect();
    let after: Vec<&BigInt> = argument.limbs.iter().map(|limb| &limb.below_after).collect();
    match argument.direction {
        Direction::In | Direction::Value => parts.extend(bounds(argument.bits, &before, argument.value_below.as_ref())),
        Direction::Out | Direction::Return => {
            parts.extend(bounds(argument.bits, &after, argument.value_below_after.as_ref()));
        }
        Direction::Scratch => {}
        Direction::Length => parts.push(contract.length(&argument.name).to_string()),
        Direction::InOut => {
            let before = bounds(argument.bits, &before, argument.value_below.as_ref());
            parts.extend(before.map(|bounds| format!("before {bounds}")));
            let after = bounds(argument.bits, &after, argument.value_below_after.as_ref());
            parts.extend(after.map(|bounds| format!("afterwards {bounds}")));
        }
    }
    parts.extend(argument.extended.map(|extended| match extended {
        Extension::Zero => "which the caller extends to 32 bits by zeros".to_owned(),
        Extension::Sign => "which the caller extends to 32 bits by its sign".to_owned(),
    }));
    let is_it = |index: usize| std::ptr::eq(&contract.arguments[index], argument);
    let is_about = |required: &&Requirement| match required.kind {
        RequirementKind::Odd => is_it(required.of),
        RequirementKind::Inverse { by, .. } => is_it(by),
    };
    parts.extend(contract.requires.iter().filter(is_about).map(|required| required.text.clone()));
    if !argument.may_alias.is_empty() {
        let names: Vec<&str> =
            argument.may_alias.iter().map(|&other| contract.arguments[other].name.as_str()).collect();
        parts.push(format!("may be the memory of {}", names.join(" or ")));
    }
    parts.join(", ")
}

fn limbs(argument: &Argument) -> String {
    let bits = argument.bits;
    let positions: Vec<u32> = argument.limbs.iter().map(|limb| limb.position).collect();
    match positions[..] {
        [_] => format!("a word of {bits} bits"),
        [0, step, ..] if (0..).zip(&positions).all(|(i, &position)| position == i * step) => {
            format!("{} limbs of {bits} bits, limb i counts 2^({step} i)", positions.len())
        }
        _ => {
            let powers: Vec<String> = positions.iter().map(|position| format!("2^{position}")).collect();
            format!("{} limbs of {bits} bits that count {}", positions.len(), powers.join(", "))
        }
    }
}

/// Describes the bounds that do not hold for every word of `bits` bits; `None` if there are none.
fn bounds(bits: u32, limbs: &[&BigInt], value: Option<&Bound>) -> Option<String> {
    let mut parts = Vec::new();
    let word = BigInt::from(1) << bits;
    match limbs {
        [first, rest @ ..] if rest.iter().all(|limb| limb == first) => {
            if **first < word {
                parts.push(format!("{}below {}", if rest.is_empty() { "" } else { "each " }, number(first)));
            }
        }
        _ => parts.push(format!("below {}", limbs.iter().map(|limb| number(limb)).collect::<Vec<_>>().join(", "))),
    }
    parts.extend(value.map(|Bound { most, formula, text }| {
        let bound = if formula.is_some() { text.clone() } else { number(most) };
        format!("the number below {bound}")
    }));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Prints a power of two as such, and other large numbers in hexadecimal.
fn number(value: &BigInt) -> String {
    let power = value.trailing_zeros().filter(|&zeros| value.sign() == Sign::Plus && value.bits() == zeros + 1);
    match power {
        Some(exponent) if exponent > 3 => format!("2^{exponent}"),
        _ if value.bits() < 16 => value.to_string(),
        _ => format!("{value:#x}"),
    }
}
