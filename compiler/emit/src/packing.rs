//! Packing: the bytes of instances to registers and back, as `culet_meaning::layout` defines it.

mod general;

use std::fmt::Write;

use crate::header;
use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};

/// The public function that packs a parameter, or unpacks a result, of all groups.
pub(crate) fn functions(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let _ = helpers;
    let one_group = general::body(kernel, port);
    let mut out = String::new();
    let groups = port.groups(kernel.layout);
    let prototype = header::packing_prototype(kernel, port);
    if groups == 1 {
        let _ = writeln!(out, "{prototype}\n{{\n{one_group}}}\n");
        return out;
    }
    let t = kernel.machine.register();
    let name = format!("{}_group", kernel.pack_name(port));
    let (parameters, step) = if port.is_result {
        (format!("uint8_t *bytes, const {t} *registers"), "bytes + group * BYTES, registers + group * REGISTERS")
    } else {
        (format!("{t} *registers, const uint8_t *bytes"), "registers + group * REGISTERS, bytes + group * BYTES")
    };
    let bytes = u64::from(kernel.layout.instances_per_group) * port.bytes;
    let step = step.replace("BYTES", &bytes.to_string()).replace("REGISTERS", &port.registers.to_string());
    let _ = writeln!(out, "static void {name}({parameters})\n{{\n{one_group}}}\n");
    let _ = writeln!(out, "{prototype}\n{{\n    for (size_t group = 0; group < {groups}; group++)");
    let _ = writeln!(out, "        {name}({step});\n}}\n");
    out
}
