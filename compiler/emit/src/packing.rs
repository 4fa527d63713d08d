//! Packing: the bytes of instances to registers and back, as `culet_meaning::layout` defines it.
//!
//! Packing is a transposition. Rows of 16 bytes are loaded, transposed by bytes or words within the 128-bit parts of
//! registers (`network`), and where single bits are apart, bits are swapped between registers under masks. Each shape
//! that ciphers use has a way of its own; `general` does the others one bit at a time.

mod bits;
mod elements;
mod general;
mod in_rust;
mod network;
mod rows;
mod shared;
mod words;

use std::fmt::Write;

use culet_types::program::Slicing;

use crate::header;
use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};
use crate::language::Language;

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
    group(kernel, port, &mut unwritten(kernel)).scratch
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
    match network(kernel, port, &mut unwritten(kernel)) {
        Some(_) => 0,
        None if !port.shared() => bits * instances,
        None if ty.atom.slicing == Slicing::Horizontal => bits,
        None => 0,
    }
}

/// A place for functions of which nothing is wanted.
fn unwritten(kernel: &Kernel) -> Helpers {
    Helpers::new(kernel.machine.language, "")
}

fn group(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> Group {
    network(kernel, port, helpers).unwrap_or_else(|| {
        let is_shared = port.shared();
        Group::of(if is_shared { shared::body(kernel, port) } else { general::body(kernel, port, helpers) })
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

/// The functions in Rust that pack a parameter, or unpack a result, of all groups, as [`functions`] has them. `attribute`
/// stands before each.
pub(crate) fn functions_in_rust(kernel: &Kernel, port: &Port, helpers: &mut Helpers, attribute: &str) -> String {
    let Group { body, scratch } = group(kernel, port, helpers);
    let (t, zero) = (kernel.machine.register(), in_rust::zero(kernel));
    let (name, groups) = (kernel.pack_name(port), port.groups(kernel.layout));
    let bytes = port.bytes * u64::from(if port.shared() { 1 } else { kernel.layout.instances_per_group });
    let (registers, all, all_bytes) = (port.registers, port.registers * groups, bytes * u64::from(groups));
    let parameters = |registers: u32, bytes: u64| match port.is_result {
        true => format!("bytes: &mut [u8; {bytes}], registers: &[{t}; {registers}]"),
        false => format!("registers: &mut [{t}; {registers}], bytes: &[u8; {bytes}]"),
    };
    let about = in_rust::about(kernel, port);
    let public = format!("{about}#[inline(never)]\n{attribute}pub fn {name}({})", parameters(all, all_bytes));
    if groups == 1 && scratch == 0 {
        return format!("{public} {{\n{body}}}\n\n");
    }
    let (extra, passed) = match scratch {
        0 => (String::new(), ""),
        _ => (format!(", scratch: &mut [{t}; {scratch}]"), ", scratch"),
    };
    let own = format!("{attribute}fn {name}_group({}{extra}) {{\n{body}}}\n\n", parameters(registers, bytes));
    let (mutable, order) = match port.is_result {
        true => (["", "_mut"], "bytes, registers"),
        false => (["_mut", ""], "registers, bytes"),
    };
    let iterator = |is_mutable: &str| if is_mutable.is_empty() { "iter" } else { "iter_mut" };
    let calls = format!(
        "    let registers = registers.as_chunks{0}::<{registers}>().0.{1}();\n    \
         let bytes = bytes.as_chunks{2}::<{bytes}>().0.{3}();\n    \
         for (registers, bytes) in registers.zip(bytes) {{\n        {name}_group({order}{passed});\n    }}\n",
        mutable[0],
        iterator(mutable[0]),
        mutable[1],
        iterator(mutable[1]),
    );
    if scratch == 0 {
        return format!("{own}{public} {{\n{calls}}}\n\n");
    }
    let with_scratch =
        format!("#[inline(never)]\n{attribute}fn {name}_with({}{extra}) {{\n{calls}}}\n\n", parameters(all, all_bytes));
    let erase = in_rust::erase("scratch", &zero);
    format!(
        "{own}{with_scratch}{public} {{\n    let mut scratch = [{zero}; {scratch}];\n    \
         {name}_with({order}, &mut scratch);\n{erase}}}\n\n"
    )
}

/// The functions in C that pack a parameter, or unpack a result, of all groups: one that is given scratch memory, and the
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
fn chunk_loop(language: Language, total: u32, width: u32) -> String {
    if total.is_multiple_of(width) {
        return format!("    {} {{\n", language.stepped_head("start", total, width));
    }
    let last = total - width;
    let start = language
        .choose(format!("chunk < {last} ? chunk : {last}"), format!("if chunk < {last} {{ chunk }} else {{ {last} }}"));
    format!(
        "    {} {{\n        {}\n",
        language.stepped_head("chunk", total, width),
        language.define(language.size(), "start", &start)
    )
}
