//! Contracts: the statements that `culet prove` proves of each function in the machine code of the compiled module.

use std::fmt::Write;

use culet_field::arithmetic::Operation;
use culet_field::interval::Interval;
use num_bigint::BigInt;

use super::{Arithmetic, Language};

/// Direction of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// The contract of a function; none for inverses in Rust, which call no products by name.
pub fn contract(arithmetic: &Arithmetic<'_>, operation: Operation, language: Language) -> Option<String> {
    let mut text = String::new();
    let _ = writeln!(text, "symbol = \"{}\"", arithmetic.symbol(operation));
    let equation = arithmetic.equation(operation);
    if operation == Operation::Inv {
        if language == Language::Rust {
            return None;
        }
        let only =
            if arithmetic.r_exponent().is_some() { "out^2 * a = out * R^2 mod p" } else { "out^2 * a = out mod p" };
        let calls = super::CALLED.map(|called| format!("\"{}.toml\"", arithmetic.symbol(called))).join(", ");
        let _ = writeln!(text, "equation = [\"{equation}\", \"{only}\"]\ncalls = [{calls}]");
    } else {
        let _ = writeln!(text, "equation = \"{equation}\"");
    }
    let _ = writeln!(text, "\n[constants]\np = \"{}\"", arithmetic.modulus_text());
    if let Some(r) = arithmetic.r_exponent() {
        let _ = writeln!(text, "R = \"2^{r}\"");
    }
    // A choice is one of two numbers, whatever they are; the equation states this.
    let of = |loose: bool| match arithmetic.limits(loose) {
        Limits::Value if operation == Operation::Select => Limits::Words,
        limits => limits,
    };
    let names = operation.elements();
    if operation == Operation::ToBytes {
        bytes(&mut text, arithmetic, Way::Out);
    } else {
        element(&mut text, arithmetic, "out", Way::Out, &of(operation.gives_loose()));
        // In Rust, memory that is written has no alias.
        if !names.is_empty() && language == Language::C {
            let aliases: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let _ = writeln!(text, "may_alias = [{}]", aliases.join(", "));
        }
    }
    for name in names {
        element(&mut text, arithmetic, name, Way::In, &of(operation.takes_loose()));
    }
    match operation {
        Operation::Select => {
            let (bits, lanes) = (arithmetic.word_bits(), lanes(arithmetic));
            let direction = if arithmetic.has_lanes { "in" } else { "value" };
            let _ = writeln!(
                text,
                "\n[[argument]]\nname = \"flag\"\ndirection = \"{direction}\"\n{lanes}bits = {bits}\nbelow = 2"
            );
        }
        Operation::FromBytes => bytes(&mut text, arithmetic, Way::In),
        _ => {}
    }
    Some(text)
}

/// The contract line for the number of lanes, if numbers lie side by side.
fn lanes(arithmetic: &Arithmetic<'_>) -> String {
    if arithmetic.has_lanes { format!("lanes = {}\n", arithmetic.lanes()) } else { String::new() }
}

fn bytes(text: &mut String, arithmetic: &Arithmetic<'_>, way: Way) {
    let direction = if way == Way::In { "in" } else { "out" };
    let (count, lanes) = (arithmetic.bytes, lanes(arithmetic));
    let order = if arithmetic.has_lanes { "order = \"numbers\"\n" } else { "" };
    let _ = write!(
        text,
        "\n[[argument]]\nname = \"bytes\"\ndirection = \"{direction}\"\nlimbs = {count}\n{lanes}{order}bits = 8\nradix = 8\n"
    );
    if way == Way::Out || arithmetic.bytes_are_canonical() {
        let _ = writeln!(text, "value_below = \"p\"");
    }
}

fn element(text: &mut String, arithmetic: &Arithmetic<'_>, name: &str, way: Way, limits: &Limits) {
    let direction = if way == Way::In { "in" } else { "out" };
    let positions: Vec<String> = arithmetic.positions().iter().map(u32::to_string).collect();
    let (count, bits, lanes) = (positions.len(), arithmetic.word_bits(), lanes(arithmetic));
    let _ = write!(
        text,
        "\n[[argument]]\nname = \"{name}\"\ndirection = \"{direction}\"\nlimbs = {count}\n{lanes}bits = {bits}\npositions = [{}]\n",
        positions.join(", ")
    );
    let _ = match limits {
        Limits::Limbs(limbs) => {
            let below: Vec<String> = limbs.iter().map(|limb| format!("\"{}\"", bound(limb))).collect();
            writeln!(text, "below = [{}]", below.join(", "))
        }
        Limits::Value => writeln!(text, "value_below = \"p\""),
        Limits::Words => Ok(()),
    };
}

/// Bounds on an element: on each limb, or on the number.
pub enum Limits {
    Limbs(Vec<Interval>),
    /// The number is below p.
    Value,
    /// Any words.
    Words,
}

/// The exclusive upper bound of an interval from 0, as a formula.
pub fn bound(limb: &Interval) -> String {
    let bound: BigInt = &limb.high + 1;
    let top = bound.bits() - 1;
    let rest = &bound - (BigInt::from(1) << top);
    match (rest.bits(), rest.trailing_zeros()) {
        (0, _) => format!("2^{top}"),
        (bits, Some(zeros)) if zeros + 1 == bits => format!("2^{top} + 2^{zeros}"),
        _ => format!("{bound}"),
    }
}
