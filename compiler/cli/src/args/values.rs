//! Parsers for the values of options.

use culet_driver::{Interleave, parse_slicing};
use culet_ir::Target;
use culet_passes::{Amount, Goal, Schedule, Ternary};
use culet_tune::What;
use culet_types::program::Slicing;

use super::Slice;

pub(super) fn slicing(text: &str) -> Result<Slicing, String> {
    parse_slicing(text).ok_or_else(|| "expected v (vertical), h (horizontal) or b (bitslice)".into())
}

pub(super) fn any_slicing(text: &str) -> Result<Slice, String> {
    match text {
        "auto" => Ok(Slice::Auto),
        _ => slicing(text).map(Slice::Is).map_err(|message| format!("{message}, or auto")),
    }
}

pub(super) fn measured(text: &str) -> Result<What, String> {
    match text {
        "bytes" => Ok(What::default()),
        "registers" => Ok(What::Registers),
        _ => Err("expected bytes or registers".into()),
    }
}

/// `20k`, `20000`
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    number(text).ok_or_else(|| "expected a number of bytes, such as 20000, or 20k for 20 times 1024".to_owned())
}

/// A number of bytes, in units of 1024 if it ends with `k`.
fn number(text: &str) -> Option<u64> {
    let (digits, unit) = text.strip_suffix('k').map_or((text, 1), |digits| (digits, 1024));
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The length of a message: `64`, `16k`
pub(super) fn length(text: &str) -> Result<u64, String> {
    let wrong = || "expected numbers of bytes up to 1024k, such as 64,16k".to_owned();
    number(text).filter(|bytes| (1..=1 << 20).contains(bytes)).ok_or_else(wrong)
}

pub(crate) fn target(text: &str) -> Result<Target, String> {
    Target::find(text).ok_or_else(|| format!("the targets are {}", Target::ALL.map(Target::name).join(", ")))
}

pub(super) fn counter(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a number from 0 to {}", u64::MAX))
}

pub(super) fn amount(text: &str) -> Result<Amount, String> {
    match text {
        "none" => Ok(Amount::None),
        "auto" => Ok(Amount::Auto),
        "all" => Ok(Amount::All),
        _ => Err("expected none, auto or all".into()),
    }
}

pub(super) fn goal(text: &str) -> Result<Goal, String> {
    match text {
        "speed" => Ok(Goal::Speed),
        "size" => Ok(Goal::Size),
        _ => Err("expected speed or size".into()),
    }
}

pub(super) fn schedule(text: &str) -> Result<Schedule, String> {
    match text {
        "none" => Ok(Schedule::None),
        "auto" => Ok(Schedule::Auto),
        _ => Err("expected none or auto".into()),
    }
}

pub(super) fn ternary(text: &str) -> Result<Ternary, String> {
    match text {
        "none" => Ok(Ternary::None),
        "auto" => Ok(Ternary::Auto),
        _ => Err("expected none or auto".into()),
    }
}

pub(super) fn planes(text: &str) -> Result<bool, String> {
    match text {
        "none" => Ok(false),
        "auto" => Ok(true),
        _ => Err("expected none or auto".into()),
    }
}

pub(super) fn interleave(text: &str) -> Result<Interleave, String> {
    let (factor, grain) = match text.split_once(',') {
        Some((factor, grain)) => (factor, Some(grain)),
        None => (text, None),
    };
    let number = |what: &str, text: &str, max: u32| match text.trim().parse::<u32>() {
        Ok(n) if (1..=max).contains(&n) => Ok(n),
        _ => Err(format!("the {what} must be a number from 1 to {max}, not `{text}`")),
    };
    let factor = number("interleaving factor", factor, 16)?;
    if factor == 1 && grain.is_some() {
        return Err("one group of instances has no turns to take: leave the grain out".into());
    }
    Ok(Interleave { factor, grain: grain.map_or(Ok(culet_driver::DEFAULT_GRAIN), |g| number("grain", g, 1_000_000))? })
}

/// A name that C takes.
pub(crate) fn c_name(text: &str) -> Result<String, String> {
    if culet_driver::is_c_header(text) {
        return Err(format!("`{text}.h` is a header of C, whose place this file would take"));
    }
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if first && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(text.to_owned())
    } else {
        Err("a name in C is made of letters, digits and `_`, and begins with no digit".to_owned())
    }
}
