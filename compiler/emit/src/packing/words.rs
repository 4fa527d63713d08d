//! Vertical data: rows of words, one a block, become registers with a word of each block.

use std::fmt::Write;

use culet_types::program::ByteOrder;

use super::bits::words_of_bytes;
use super::network::{Network, Node};
use super::{Group, chunk_loop, rows};
use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};
use crate::language::Language;
use crate::machine::{Machine, Words};
use crate::words::byte_control;

pub(crate) fn group(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> Option<Group> {
    let m = port.var.ty.atom.bits;
    if m != kernel.machine.lane_bits || port.var.bytes == ByteOrder::Planes {
        return None;
    }
    match kernel.machine.words() {
        Words::Vector => Some(Group::of(vector(kernel, port, helpers))),
        Words::Scalar => Some(Group::of(scalar(kernel, port, helpers))),
        Words::Packed => Some(Group::of(packed(kernel, port, helpers))),
        Words::None => None,
    }
}

/// A few instances in each register, the first least significant.
fn packed(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let (t, lane, language) = (kernel.machine.register(), kernel.machine.lane_bits, kernel.machine.language);
    let (word, size) = (language.integer(lane), lane / 8);
    let access = words_of_bytes(language, helpers, lane, size, port.is_result);
    let swap = swap(kernel, port, helpers, lane);
    let address = language.address("bytes", &format!("s * {} + {size} * a", port.bytes));
    let instances = language.loop_head("s", kernel.layout.instances_per_group);
    let head = language.loop_head("a", port.registers);
    if port.is_result {
        return match language {
            Language::C => format!(
                "    {head}\n        {instances}\n            \
                 {access}({address}, {swap}(({word})(registers[a] >> (s * {lane}))));\n"
            ),
            Language::Rust => {
                let inner = language.loop_of_one(
                    "        ",
                    &instances,
                    &format!(
                        "{access}({address}, {});",
                        swapped(&swap, &format!("(registers[a] >> (s * {lane})) as {word}"))
                    ),
                );
                format!("    {head} {{\n{inner}    }}\n")
            }
        };
    }
    let load = match language {
        Language::C => format!("lanes |= ({t}){swap}({access}({address})) << (s * {lane});"),
        Language::Rust => {
            format!("lanes |= {t}::from({}) << (s * {lane});", swapped(&swap, &format!("{access}({address})")))
        }
    };
    format!(
        "    {head} {{\n        {}\n{}        registers[a] = lanes;\n    }}\n",
        language.variable(t, "lanes", "0"),
        language.loop_of_one("        ", &instances, &load)
    )
}

/// One instance: its words in order.
fn scalar(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let (bits, language) = (kernel.machine.register_bits, kernel.machine.language);
    let size = bits / 8;
    let access = words_of_bytes(language, helpers, bits, size, port.is_result);
    let swap = swap(kernel, port, helpers, bits);
    let swapped = |word: &str| match language {
        Language::C => format!("{swap}({word})"),
        Language::Rust => swapped(&swap, word),
    };
    let address = language.address("bytes", &format!("{size} * a"));
    let statement = if port.is_result {
        format!("{access}({address}, {});", swapped("registers[a]"))
    } else {
        format!("registers[a] = {};", swapped(&format!("{access}({address})")))
    };
    language.loop_of_one("    ", &language.loop_head("a", port.registers), &statement)
}

/// A call of a function that may have no name, which then is nothing.
fn swapped(swap: &str, word: &str) -> String {
    if swap.is_empty() { word.to_owned() } else { format!("{swap}({word})") }
}

/// The name of the function that reverses the bytes of words of `bits` bits; empty where a port's bytes need none.
fn swap(kernel: &Kernel, port: &Port, helpers: &mut Helpers, bits: u32) -> String {
    let (size, language) = (bits / 8, kernel.machine.language);
    if port.var.bytes != ByteOrder::Big || size == 1 {
        return String::new();
    }
    let t = language.integer(bits);
    let body = match language {
        Language::C => {
            let term = |k| format!("({t})((({t})(word >> {}) & 0xff) << {})", 8 * k, 8 * (size - 1 - k));
            let terms: Vec<String> = (0..size).map(term).collect();
            format!("    return ({t})({});\n", terms.join("\n        | "))
        }
        Language::Rust => "    word.swap_bytes()\n".to_owned(),
    };
    let name = format!("byte_swap{size}");
    helpers.need(t, &name, &[(t, "word")], &body);
    name
}

/// The control that reverses the bytes of each word.
pub(crate) fn swap_control(machine: &Machine, size: usize) -> String {
    byte_control(machine, |i| Some((i / size * size + size - 1 - i % size) as u8))
}

fn vector(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let machine = &kernel.machine;
    let size = machine.lane_bits / 8;
    let (atoms, a_row) = (port.registers, 16 / size);
    let swapped = port.var.bytes == ByteOrder::Big && size > 1;
    let control = swap_control(machine, size as usize);
    let swap = |network: &mut Network, node: Node| if swapped { network.shuffle(node, &control) } else { node };
    if atoms == 1 {
        return single(kernel, port, helpers, swap);
    }
    // Full rows, the last one perhaps overlapping the one before, or a single row that is not full.
    let width = atoms.min(a_row);
    let mut out = String::new();
    let (start, indent) = if atoms > a_row {
        out.push_str(&chunk_loop(machine.language, atoms, width));
        ("start + ", "        ")
    } else {
        ("", "    ")
    };
    let (row, strides) = (port.bytes, format!("0, {}", u64::from(a_row) * port.bytes));
    let address = |i: u64| match start {
        "" => machine.language.address("bytes", &(i * row).to_string()),
        _ => machine.language.address("bytes", &format!("start * {size} + {}", i * row)),
    };
    let rounds = a_row.trailing_zeros();
    let mut network = Network::new(machine);
    if port.is_result {
        let store = rows::store_part(machine, helpers, width * size);
        let zero = machine.zero();
        let inputs: Vec<Node> = (0..a_row)
            .map(|a| network.input(if a < width { format!("registers[{start}{a}]") } else { zero.clone() }))
            .collect();
        let outputs: Vec<Node> = network.interleave(inputs, machine.lane_bits, rounds);
        let outputs: Vec<Node> = outputs.into_iter().map(|node| swap(&mut network, node)).collect();
        out.push_str(&network.lines(helpers, &outputs, indent));
        for (i, node) in (0..).zip(outputs) {
            let _ = writeln!(out, "{indent}{store}({}, {strides}, {});", address(i), Network::name(node));
        }
    } else {
        let load = rows::load_part(machine, helpers, width * size);
        let inputs: Vec<Node> = (0..u64::from(a_row))
            .map(|i| {
                let node = network.input(format!("{load}({}, {strides})", address(i)));
                swap(&mut network, node)
            })
            .collect();
        let mut outputs = network.interleave(inputs, machine.lane_bits, rounds);
        outputs.truncate(width as usize);
        out.push_str(&network.lines(helpers, &outputs, indent));
        for (a, node) in outputs.into_iter().enumerate() {
            let _ = writeln!(out, "{indent}registers[{start}{a}] = {};", Network::name(node));
        }
    }
    if !start.is_empty() {
        out.push_str("    }\n");
    }
    out
}

/// One word a block: the bytes are the register.
fn single(kernel: &Kernel, port: &Port, helpers: &mut Helpers, swap: impl Fn(&mut Network, Node) -> Node) -> String {
    let mut network = Network::new(&kernel.machine);
    let bytes = kernel.machine.language.choose("bytes", "bytes, 0");
    if port.is_result {
        let store = rows::store(&kernel.machine, helpers, 16);
        let input = network.input("registers[0]");
        let output = swap(&mut network, input);
        network.lines(helpers, &[output], "    ")
            + &format!("    {store}({bytes}, 0, 16, {});\n", Network::name(output))
    } else {
        let load = rows::load(&kernel.machine, helpers, 16);
        let input = network.input(format!("{load}({bytes}, 0, 16)"));
        let output = swap(&mut network, input);
        network.lines(helpers, &[output], "    ") + &format!("    registers[0] = {};\n", Network::name(output))
    }
}
