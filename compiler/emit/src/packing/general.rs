//! One bit at a time, from the layout's formulas: slow, and right for every shape.

use culet_types::program::{ByteOrder, Slicing};

use super::in_rust;
use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};

/// The statements that pack or unpack one group; `registers` and `bytes` are the parameters.
pub(crate) fn body(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    if kernel.machine.language.is_rust() {
        return in_rust(kernel, port, helpers);
    }
    let (t, bits) = (kernel.machine.register(), kernel.machine.register_bits);
    let (atoms, width) = (port.var.ty.atoms(), port.var.ty.atom.bits);
    let instances = kernel.layout.instances_per_group;
    let (array, length, zero) = if port.is_result {
        ("bytes", u64::from(instances) * port.bytes, "0".to_owned())
    } else {
        ("registers", u64::from(port.registers), kernel.machine.zero())
    };
    // The code that C compilers make of `memset` may depend on the address, which says nothing secret and cannot be
    // proved.
    let clear =
        format!("for (size_t i = 0; i < {length}; i++) {{\n        {array}[i] = {zero};\n        OPAQUE(i);\n    }}");
    let start = if port.shared() { String::new() } else { format!("instance * {} + ", port.bytes) };
    let byte = format!("bytes[{start}from / 8]");
    let at_byte = "(7 - from % 8)";
    let body = match (kernel.machine.is_vector(), port.is_result) {
        (true, false) => {
            format!("((uint8_t *)registers)[to / 8] |= (uint8_t)((({byte} >> {at_byte}) & 1) << (to % 8));")
        }
        (true, true) => {
            format!("{byte} |= (uint8_t)(((((const uint8_t *)registers)[to / 8] >> (to % 8)) & 1) << {at_byte});")
        }
        (false, false) => {
            format!("registers[to / {bits}] |= ({t})(({t})(({byte} >> {at_byte}) & 1) << (to % {bits}));")
        }
        (false, true) => {
            format!("{byte} |= (uint8_t)(((registers[to / {bits}] >> (to % {bits})) & 1) << {at_byte});")
        }
    };
    format!(
        "    {clear}
    for (size_t instance = 0; instance < {instances}; instance++)
        for (size_t atom = 0; atom < {atoms}; atom++)
            for (size_t bit = 0; bit < {width}; bit++) {{
                const size_t from = {};
                const size_t to = {};
                {body}
            }}
",
        byte_position(port),
        register_position(kernel, port),
    )
}

/// As [`body`], in Rust. Vectors go through words of 64 bits, which are erased.
fn in_rust(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let machine = &kernel.machine;
    let (atoms, width) = (port.var.ty.atoms(), port.var.ty.atom.bits);
    let (words, bits) = if machine.is_vector() { ("words", 64) } else { ("registers", machine.register_bits) };
    let t = machine.language.integer(bits);
    let start = format!("instance * {} + ", port.bytes);
    let byte = format!("bytes[{start}from / 8]");
    let (before, after) = match (machine.is_vector(), port.is_result) {
        (true, true) => (in_rust::words_of_registers(kernel, port, helpers), in_rust::erase("words", "0")),
        (false, true) => (String::new(), String::new()),
        (true, false) => {
            let length = port.registers * machine.register_bits / 64;
            let after = in_rust::registers_of_words(kernel, helpers) + &in_rust::erase("words", "0");
            (format!("    let mut words = [0u64; {length}];\n"), after)
        }
        (false, false) => ("    registers.fill(0);\n".to_owned(), String::new()),
    };
    let clear = if port.is_result { "    bytes.fill(0);\n" } else { "" };
    let moved = if port.is_result {
        format!("{byte} |= ((({words}[to / {bits}] >> (to % {bits})) & 1) as u8) << (7 - from % 8);")
    } else {
        format!("{words}[to / {bits}] |= {t}::from(({byte} >> (7 - from % 8)) & 1) << (to % {bits});")
    };
    format!(
        "{clear}{before}    for instance in 0..{} {{
        for atom in 0..{atoms} {{
            for bit in 0..{width} {{
                let from = {};
                let to = {};
                {moved}
            }}
        }}
    }}
{after}",
        kernel.layout.instances_per_group,
        byte_position(port),
        register_position(kernel, port),
    )
}

/// The position of a bit in its block, each byte most significant bit first.
pub(crate) fn byte_position(port: &Port) -> String {
    let m = port.var.ty.atom.bits;
    match port.var.bytes {
        ByteOrder::Little if m.is_multiple_of(8) => format!("atom * {m} + ({} - bit / 8) * 8 + bit % 8", m / 8 - 1),
        ByteOrder::Little | ByteOrder::Big => format!("atom * {m} + bit"),
        ByteOrder::Planes => {
            let planes = port.var.ty.dims.last().copied().unwrap_or(1);
            format!("atom / {planes} * {} + bit * {planes} + atom % {planes}", planes * m)
        }
    }
}

/// The position of a bit in the registers of its group, each register least significant bit first.
fn register_position(kernel: &Kernel, port: &Port) -> String {
    let m = port.var.ty.atom.bits;
    let r = kernel.machine.register_bits;
    match port.var.ty.atom.slicing {
        Slicing::Vertical => format!("atom * {r} + instance * {} + {} - bit", kernel.machine.lane_bits, m - 1),
        Slicing::Bitslice => format!("(atom * {m} + bit) * {r} + instance"),
        Slicing::Horizontal => {
            let part = kernel.machine.part_bits();
            let e = part / m;
            format!("atom * {r} + instance / {e} * {part} + bit * {e} + instance % {e}")
        }
        Slicing::Limbs(_) => unreachable!("elements of fields have no layout in bits"),
    }
}
