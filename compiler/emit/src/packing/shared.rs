//! A shared parameter: one value, the same in every instance's place of every register. Where blocks have a network, so has it.

use culet_types::program::{ByteOrder, Slicing};

use super::general::byte_position;
use crate::kernel::{Kernel, Port};
use crate::machine::{Words, integer};

/// The statements that pack the parameter; `bytes` are those of one instance.
pub(crate) fn body(kernel: &Kernel, port: &Port) -> String {
    let atom = port.var.ty.atom;
    let (atoms, m) = (port.var.ty.atoms(), atom.bits);
    let from = byte_position(port);
    let bit = "(bytes[from / 8] >> (7 - from % 8)) & 1";
    let head = format!("    for (size_t atom = 0; atom < {atoms}; atom++)");
    let bits = format!("for (size_t bit = 0; bit < {m}; bit++) {{");
    match atom.slicing {
        Slicing::Horizontal => horizontal(kernel, &head, &bits, &from, bit, m),
        Slicing::Vertical if kernel.machine.words() != Words::None => {
            let t = integer(kernel.machine.lane_bits);
            let spread = spread_word(kernel);
            if let Some(byte) = byte_of_word(port) {
                return format!(
                    "{head} {{\n        {t} word = 0;\n        for (size_t byte = 0; byte < {}; byte++)\n            \
                     word = ({t})((word << 8) | bytes[atom * {0} + {byte}]);\n        registers[atom] = {spread};\n    }}\n",
                    m / 8
                );
            }
            format!(
                "{head} {{\n        {t} word = 0;\n        {bits}\n            const size_t from = {from};\n            \
                 word = ({t})((word << 1) | ({bit}));\n        }}\n        registers[atom] = {spread};\n    }}\n"
            )
        }
        _ => {
            let machine = &kernel.machine;
            let spread = if machine.is_vector() {
                machine.isa().broadcast_bit(&format!("({bit})"))
            } else {
                format!("({t})(0 - ({t})({bit}))", t = machine.register())
            };
            format!(
                "{head}\n        {bits}\n            const size_t from = {from};\n            \
                 registers[atom * {m} + bit] = {spread};\n        }}\n"
            )
        }
    }
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
        Words::Packed => format!("word * {}", machine.splat(machine.lane_bits, 1)),
        Words::Scalar | Words::None => "word".to_owned(),
    }
}

/// A C compiler that knows a value to be 0 or 1 may branch on it, and one did, so the bit is opaque.
fn horizontal(kernel: &Kernel, head: &str, bits: &str, from: &str, bit: &str, m: u32) -> String {
    let machine = &kernel.machine;
    let part = machine.part_bits();
    let element = part / m;
    // An element lies within one 64-bit half, or fills both.
    let ones = u64::MAX >> (64 - element.min(64));
    let (halves, at) = if part == 128 { (2, format!("bit * {element}")) } else { (1, format!("bit * {element}")) };
    let spread = if machine.is_vector() {
        machine.isa().halves("half[0]", "half[1]")
    } else {
        format!("({})half[0]", machine.register())
    };
    let both = if element == 128 { "\n            half[1] = half[0];" } else { "" };
    format!(
        "{head} {{\n        uint64_t half[{halves}] = {{ 0 }};\n        {bits}\n            const size_t from = {from};\n            \
         uint32_t is_set = {bit};\n            OPAQUE(is_set);\n            \
         const uint64_t ones = 0 - (uint64_t)is_set;\n            \
         half[({at}) / 64] |= (ones & UINT64_C({ones:#x})) << (({at}) % 64);{both}\n        }}\n        \
         registers[atom] = {spread};\n    }}\n"
    )
}
