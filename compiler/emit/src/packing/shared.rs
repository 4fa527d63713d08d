//! A shared parameter: one value, the same in every instance's place of every register. Where blocks have a network, so has it.

use culet_types::program::{ByteOrder, Slicing};

use super::general::byte_position;
use crate::expr::Expr;
use crate::kernel::{Kernel, Port};
use crate::language::Language;
use crate::machine::Words;

/// The statements that pack the parameter; `bytes` are those of one instance.
pub(crate) fn body(kernel: &Kernel, port: &Port) -> String {
    let (machine, language) = (&kernel.machine, kernel.machine.language);
    let atom = port.var.ty.atom;
    let (atoms, m) = (port.var.ty.atoms(), atom.bits);
    let from = language.define(language.size(), "from", &byte_position(port));
    let bit = "(bytes[from / 8] >> (7 - from % 8)) & 1";
    let head = format!("    {}", language.loop_head("atom", atoms));
    let bits = format!("{} {{", language.loop_head("bit", m));
    match atom.slicing {
        Slicing::Horizontal => horizontal(kernel, &head, &bits, &from, bit, m),
        Slicing::Vertical if machine.words() != Words::None => {
            let t = language.integer(machine.lane_bits);
            let word = language.variable(t, "word", "0");
            let spread = spread_word(kernel);
            let end = format!("        registers[atom] = {spread};\n    }}\n");
            let more = |shift: u32, bits: &str| match language {
                Language::C => format!("word = ({t})((word << {shift}) | {bits});"),
                Language::Rust if machine.lane_bits == shift => format!("word = {bits};"),
                Language::Rust => format!("word = (word << {shift}) | {};", cast(8, machine.lane_bits, bits)),
            };
            if let Some(byte) = byte_of_word(port) {
                let more = more(8, &format!("bytes[atom * {} + {byte}]", m / 8));
                let each = language.loop_of_one("        ", &language.loop_head("byte", m / 8), &more);
                return format!("{head} {{\n        {word}\n{each}{end}");
            }
            let more = more(1, &format!("({bit})"));
            format!(
                "{head} {{\n        {word}\n        {bits}\n            {from}\n            {more}\n        }}\n{end}"
            )
        }
        _ => {
            let spread = match (machine.is_vector(), language) {
                (true, _) => machine.isa().broadcast_bit(&format!("({bit})")),
                (false, Language::C) => format!("({t})(0 - ({t})({bit}))", t = machine.register()),
                (false, Language::Rust) => {
                    format!(
                        "0{}.wrapping_sub({})",
                        machine.register(),
                        cast(8, machine.register_bits, &format!("({bit})"))
                    )
                }
            };
            let inner = format!(
                "{bits}\n            {from}\n            registers[atom * {m} + bit] = {spread};\n        }}\n"
            );
            match language {
                Language::C => format!("{head}\n        {inner}"),
                Language::Rust => format!("{head} {{\n        {inner}    }}\n"),
            }
        }
    }
}

/// In Rust, an integer of `from` bits as one of at least as many.
fn cast(from: u32, to: u32, value: &str) -> String {
    if from == to { value.to_owned() } else { format!("u{to}::from{}", in_parentheses(value)) }
}

fn in_parentheses(value: &str) -> String {
    if value.starts_with('(') { value.to_owned() } else { format!("({value})") }
}

/// The byte of an atom that comes as number `byte` from its most significant end, if an atom's bits are whole bytes.
fn byte_of_word(port: &Port) -> Option<String> {
    let bits = port.var.ty.atom.bits;
    match port.var.bytes {
        _ if !bits.is_multiple_of(8) => None,
        ByteOrder::Big => Some("byte".to_owned()),
        ByteOrder::Little => Some(format!("({} - byte)", bits / 8 - 1)),
        ByteOrder::Planes => None,
    }
}

/// `word` in every lane.
fn spread_word(kernel: &Kernel) -> String {
    let machine = &kernel.machine;
    match machine.words() {
        Words::Vector => machine.isa().broadcast(machine.lane_bits, "word"),
        Words::Packed => {
            let word = match machine.language {
                Language::C => Expr::primary("word"),
                Language::Rust => Expr::primary(cast(machine.lane_bits, machine.register_bits, "word")),
            };
            machine.language.arithmetic(&word, "*", &Expr::primary(machine.splat(machine.lane_bits, 1))).text
        }
        Words::Scalar | Words::None => "word".to_owned(),
    }
}

/// A compiler that knows a value to be 0 or 1 may branch on it, and one did, so the bit is opaque.
fn horizontal(kernel: &Kernel, head: &str, bits: &str, from: &str, bit: &str, m: u32) -> String {
    let (machine, language) = (&kernel.machine, kernel.machine.language);
    let part = machine.part_bits();
    let element = part / m;
    // An element lies within one 64-bit half, or fills both.
    let ones = u64::MAX >> (64 - element.min(64));
    let (halves, at) = if part == 128 { (2, format!("bit * {element}")) } else { (1, format!("bit * {element}")) };
    let spread = if machine.is_vector() {
        machine.isa().halves("half[0]", "half[1]")
    } else {
        language.cast(machine.register(), &Expr::primary("half[0]")).text
    };
    let both = if element == 128 { "\n            half[1] = half[0];" } else { "" };
    let (half, is_set, mask) = match language {
        Language::C => (
            format!("uint64_t half[{halves}] = {{ 0 }};"),
            format!("uint32_t is_set = {bit};\n            OPAQUE(is_set);"),
            "0 - (uint64_t)is_set",
        ),
        Language::Rust => (
            format!("let mut half = [0u64; {halves}];"),
            format!("let is_set = core::hint::black_box({bit});"),
            "0u64.wrapping_sub(u64::from(is_set))",
        ),
    };
    let mask = language.define(language.integer(64), "ones", mask);
    let ones = match language {
        Language::C => format!("UINT64_C({ones:#x})"),
        Language::Rust => format!("{ones:#x}"),
    };
    format!(
        "{head} {{\n        {half}\n        {bits}\n            {from}\n            {is_set}\n            {mask}\n            \
         half[({at}) / 64] |= (ones & {ones}) << (({at}) % 64);{both}\n        }}\n        \
         registers[atom] = {spread};\n    }}\n"
    )
}
