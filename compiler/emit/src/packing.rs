//! Packing: the bytes of instances to registers and back, as `culet_meaning::layout` defines it.
//!
//! Packing is a transposition. Rows of 16 bytes are loaded, transposed by bytes or words within the 128-bit parts of
//! registers (`network`), and where single bits are apart, bits are swapped between registers under masks. Each shape
//! that ciphers use has a way of its own; `general` does the others one bit at a time.

mod bits;
mod elements;
mod general;
mod network;
mod rows;
mod shared;
mod words;

use std::fmt::Write;

use culet_types::program::Slicing;

use crate::header;
use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};

/// The statements that pack or unpack one group of instances. `registers` and `bytes` are their parameters, and
/// `scratch` if they need it.
pub(crate) struct Group {
    pub body: String,
    /// Registers of scratch memory; the functions on bytes erase theirs.
    pub scratch: u32,
}

impl Group {
    fn of(body: String) -> Group {
        Group { body, scratch: 0 }
    }
}

/// Scratch memory that a packing of this port needs, in registers.
pub(crate) fn scratch(kernel: &Kernel, port: &Port) -> u32 {
    group(kernel, port, &mut Helpers::default()).scratch
}

/// Name of the function that takes scratch memory, if there is one, and the number of scratch registers.
pub(crate) fn with_scratch(kernel: &Kernel, port: &Port) -> Option<(String, u32)> {
    let registers = scratch(kernel, port);
    (registers > 0).then(|| (format!("{}_with", kernel.pack_name(port)), registers))
}

/// The number of bits that a call packs or unpacks one at a time: none where a network moves many at once, or a register
/// holds copies of one bit only.
pub(crate) fn single_bits(kernel: &Kernel, port: &Port) -> u64 {
    let ty = &port.var.ty;
    let instances = u64::from(kernel.layout.instances_per_group * port.groups(kernel.layout));
    let bits = u64::from(ty.atoms()) * u64::from(ty.atom.bits);
    match network(kernel, port, &mut Helpers::default()) {
        Some(_) => 0,
        None if !port.shared() => bits * instances,
        None if ty.atom.slicing == Slicing::Horizontal => bits,
        None => 0,
    }
}

fn group(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> Group {
    network(kernel, port, helpers).unwrap_or_else(|| {
        Group::of(if port.shared() { shared::body(kernel, port) } else { general::body(kernel, port) })
    })
}

/// The way of a shape that ciphers use, if the port has one.
fn network(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> Option<Group> {
    if port.shared() {
        return match port.var.ty.atom.slicing {
            Slicing::Horizontal => elements::group(kernel, port, helpers),
            _ => None,
        };
    }
    match port.var.ty.atom.slicing {
        _ if port.var.ty.atom.bits == 1 && kernel.machine.lane_bits > 1 => None,
        Slicing::Bitslice => bits::group(kernel, port, helpers),
        Slicing::Vertical if kernel.machine.lane_bits == 1 => bits::group(kernel, port, helpers),
        Slicing::Vertical => words::group(kernel, port, helpers),
        Slicing::Horizontal => elements::group(kernel, port, helpers),
        Slicing::Limbs(_) => None,
    }
}

/// The functions that pack a parameter, or unpack a result, of all groups: one that is given scratch memory, and the
/// public one.
pub(crate) fn functions(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let Group { body, scratch } = group(kernel, port, helpers);
    let (t, name, groups) = (kernel.machine.register(), kernel.pack_name(port), port.groups(kernel.layout));
    let prototype = header::packing_prototype(kernel, port);
    let mut out = String::new();
    if groups == 1 && scratch == 0 {
        let _ = writeln!(out, "SEPARATE {prototype}\n{{\n{body}}}\n");
        return out;
    }
    let parameters = header::packing_parameters(kernel, port);
    let arguments =
        if port.is_result { "bytes + BYTES, registers + REGISTERS" } else { "registers + REGISTERS, bytes + BYTES" };
    let scratch_parameter = format!(", {t} *{}RESTRICT scratch", kernel.macro_prefix());
    let (extra, passed) = if scratch == 0 { ("", "") } else { (scratch_parameter.as_str(), ", scratch") };
    let _ = writeln!(out, "static void {name}_group({parameters}{extra})\n{{\n{body}}}\n");
    let bytes = format!("group * {}", u64::from(kernel.layout.instances_per_group) * port.bytes);
    let registers = format!("group * {}", port.registers);
    let arguments = arguments.replace("BYTES", &bytes).replace("REGISTERS", &registers);
    let calls =
        format!("    for (size_t group = 0; group < {groups}; group++)\n        {name}_group({arguments}{passed});\n");
    if scratch == 0 {
        let _ = writeln!(out, "SEPARATE {prototype}\n{{\n{calls}}}\n");
        return out;
    }
    let with_scratch = prototype.replace(&format!("{name}("), &format!("{name}_with("));
    let with_scratch = with_scratch.strip_suffix(')').unwrap_or(&with_scratch);
    let _ = writeln!(out, "SEPARATE static {with_scratch}{scratch_parameter})\n{{\n{calls}}}\n");
    let order = if port.is_result { "bytes, registers" } else { "registers, bytes" };
    let _ = writeln!(
        out,
        "SEPARATE {prototype}\n{{\n    {t} scratch[{scratch}];\n    {name}_with({order}, scratch);\n}}\n"
    );
    out
}

/// The head of a loop over chunks of `width` out of `total`, which sets `start`; where the width does not divide the
/// total, the last chunk overlaps the one before.
fn chunk_loop(total: u32, width: u32) -> String {
    if total.is_multiple_of(width) {
        return format!("    for (size_t start = 0; start < {total}; start += {width}) {{\n");
    }
    format!(
        "    for (size_t chunk = 0; chunk < {total}; chunk += {width}) {{\n        \
         const size_t start = chunk < {0} ? chunk : {0};\n",
        total - width
    )
}
