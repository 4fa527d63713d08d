//! Horizontal data of 16-bit atoms on vectors: eight instances share the bytes of a part, a bit each.

use std::fmt::Write;

use culet_types::program::ByteOrder;

use super::network::{Network, Node};
use super::{Group, chunk_loop, rows};
use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};
use crate::words::byte_control;

pub(crate) fn group(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> Option<Group> {
    let ty = &port.var.ty;
    if ty.atom.bits != 16 || !kernel.machine.is_vector() {
        return None;
    }
    match port.var.bytes {
        ByteOrder::Planes if ty.dims.last() == Some(&8) => Some(Group::of(planes(kernel, port, helpers))),
        ByteOrder::Planes => None,
        ByteOrder::Big | ByteOrder::Little => Some(Group::of(words(kernel, port, helpers))),
    }
}

/// Number of bytes from those of one instance to those of the next; all instances have the bytes of a shared parameter.
fn between_instances(port: &Port) -> u64 {
    if port.shared() { 0 } else { port.bytes }
}

/// Eight planes: bit `t` of byte `b` of the block is bit `b` of plane `7 - t`, so the bits of eight blocks are
/// transposed and the bytes stay.
fn planes(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let mut out = String::new();
    let mut network = Network::new(&kernel.machine);
    let between = between_instances(port);
    let strides = format!("0, {}", 8 * between);
    let language = kernel.machine.language;
    let address = |i: usize| language.address("bytes", &format!("16 * state + {}", i as u64 * between));
    let _ = writeln!(out, "    {} {{", language.loop_head("state", port.bytes / 16));
    let indent = "        ";
    let register = |plane: usize| format!("registers[8 * state + {plane}]");
    if port.is_result {
        let store = rows::store(&kernel.machine, helpers, 16);
        let inputs: Vec<Node> = (0..8).map(|t| network.input(register(7 - t))).collect();
        let outputs = network.transpose_bits(&inputs);
        out.push_str(&network.lines(helpers, &outputs, indent));
        for (i, node) in outputs.into_iter().enumerate() {
            let _ = writeln!(out, "{indent}{store}({}, {strides}, {});", address(i), Network::name(node));
        }
    } else {
        let load = rows::load(&kernel.machine, helpers, 16);
        let inputs: Vec<Node> = (0..8).map(|i| network.input(format!("{load}({}, {strides})", address(i)))).collect();
        let outputs = network.transpose_bits(&inputs);
        out.push_str(&network.lines(helpers, &outputs, indent));
        for (t, node) in outputs.into_iter().enumerate() {
            let _ = writeln!(out, "{indent}{} = {};", register(7 - t), Network::name(node));
        }
    }
    out.push_str("    }\n");
    out
}

/// Atoms one after another: three rounds of interleaving bring the same byte of eight blocks into a 64-bit lane, whose
/// bits are then transposed.
fn words(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let machine = &kernel.machine;
    let atoms = port.registers;
    let width = atoms.min(8);
    let mut out = String::new();
    out.push_str(&chunk_loop(machine.language, atoms, width));
    let indent = "        ";
    let strides = format!("0, {}", 8 * between_instances(port));
    let address =
        |i: usize| machine.language.address("bytes", &format!("start * 2 + {}", i as u64 * between_instances(port)));
    // Bit 0 of an atom is the most significant of its upper byte.
    let upper_first = port.var.bytes == ByteOrder::Big;
    let reverse = byte_control(machine, |i| Some((if upper_first { i / 8 * 8 + 7 - i % 8 } else { 15 - i }) as u8));
    let mut network = Network::new(machine);
    if port.is_result {
        let store = rows::store_part(machine, helpers, 2 * width);
        let zero = machine.zero();
        let inputs: Vec<Node> = (0..8)
            .map(|a| {
                if a >= width {
                    return network.input(zero.clone());
                }
                let register = network.input(format!("registers[start + {a}]"));
                let ordered = network.shuffle(register, &reverse);
                network.transpose_bits_within(ordered)
            })
            .collect();
        // Of seven rotations of the address, four undo the three that pack.
        let outputs = network.interleave(inputs, 8, 4);
        out.push_str(&network.lines(helpers, &outputs, indent));
        for (i, node) in outputs.into_iter().enumerate() {
            let _ = writeln!(out, "{indent}{store}({}, {strides}, {});", address(i), Network::name(node));
        }
    } else {
        let load = rows::load_part(machine, helpers, 2 * width);
        let inputs: Vec<Node> = (0..8).map(|i| network.input(format!("{load}({}, {strides})", address(i)))).collect();
        let mut columns = network.interleave(inputs, 8, 3);
        columns.truncate(width as usize);
        let outputs: Vec<Node> = columns
            .into_iter()
            .map(|node| {
                let transposed = network.transpose_bits_within(node);
                network.shuffle(transposed, &reverse)
            })
            .collect();
        out.push_str(&network.lines(helpers, &outputs, indent));
        for (a, node) in outputs.into_iter().enumerate() {
            let _ = writeln!(out, "{indent}registers[start + {a}] = {};", Network::name(node));
        }
    }
    out.push_str("    }\n");
    out
}
