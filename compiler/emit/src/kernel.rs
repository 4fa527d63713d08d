//! Names and parameters of a kernel: the facts behind the header, the functions and the packing.

use culet_ir::{Func, SlotKind};
use culet_meaning::layout::{Layout, byte_length};
use culet_types::program::{Node, Program, Var};

use crate::machine::Machine;
use crate::names::{Distinct, capitals, identifier, prefix, snake};

/// A parameter or result of the entry.
#[derive(Debug)]
pub(crate) struct Port<'a> {
    /// Name of the port in functions and macros.
    pub name: String,
    pub var: &'a Var,
    pub is_result: bool,
    /// Bytes of one instance.
    pub bytes: u64,
    /// Registers of one group.
    pub registers: u32,
}

impl Port<'_> {
    pub fn shared(&self) -> bool {
        self.var.shared && !self.is_result
    }

    /// The name of the parameter: no keyword, macro or function of ours ends like this.
    pub fn argument(&self) -> String {
        format!("{}_{}", self.name, if self.is_result { "out" } else { "in" })
    }

    pub fn groups(&self, layout: &Layout) -> u32 {
        layout.own_groups(self.shared())
    }
}

#[derive(Debug)]
pub(crate) struct Kernel<'a> {
    pub prefix: String,
    pub program: &'a Program,
    pub node: &'a Node,
    pub layout: &'a Layout,
    pub machine: Machine,
    /// Parameters in order.
    pub inputs: Vec<Port<'a>>,
    /// Results in order.
    pub outputs: Vec<Port<'a>>,
}

impl<'a> Kernel<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout, machine: Machine, stem: &str) -> Kernel<'a> {
        let node = program.entry();
        let mut names = Distinct::default();
        let own_name = machine.language.choose(identifier as fn(&str) -> String, snake);
        let mut port = |id, is_result| {
            let var = node.var(id);
            Port {
                name: names.take(&own_name(&var.name)),
                var,
                is_result,
                bytes: byte_length(&var.ty),
                registers: layout.registers(&var.ty),
            }
        };
        let inputs = node.params.iter().map(|&id| port(id, false)).collect();
        let outputs = node.returns.iter().map(|&id| port(id, true)).collect();
        Kernel { prefix: prefix(stem), program, node, layout, machine, inputs, outputs }
    }

    /// Results first, then parameters: the order of arguments in the functions on bytes.
    pub fn ports(&self) -> impl Iterator<Item = &Port<'a>> {
        self.outputs.iter().chain(&self.inputs)
    }

    /// `PREFIX_`
    pub fn macro_prefix(&self) -> String {
        format!("{}_", capitals(&self.prefix))
    }

    pub fn macro_name(&self, port: &Port, what: &str) -> String {
        format!("{}{}_{what}", self.macro_prefix(), port.name.to_ascii_uppercase())
    }

    pub fn pack_name(&self, port: &Port) -> String {
        let name = format!("{}_{}", if port.is_result { "unpack" } else { "pack" }, port.name);
        // In Rust, a kernel is a module.
        self.machine.language.choose(format!("{}_{name}", self.prefix), name)
    }

    /// For each slot of the entry: the parameter it is part of, and its first element there.
    pub fn slot_parameters(&self, entry: &Func) -> Vec<Option<(String, i64)>> {
        let mut seen: Vec<(SlotClass, usize)> = Vec::new();
        entry
            .slots
            .iter()
            .map(|slot| {
                let class = match slot.kind {
                    SlotKind::Input { shared: true } => SlotClass::Shared,
                    SlotKind::Input { shared: false } => SlotClass::Input(slot.group),
                    SlotKind::Output => SlotClass::Output(slot.group),
                    _ => return None,
                };
                let position = seen.iter().position(|(other, _)| *other == class).unwrap_or_else(|| {
                    seen.push((class, 0));
                    seen.len() - 1
                });
                let index = seen[position].1;
                seen[position].1 += 1;
                let mut candidates = match class {
                    SlotClass::Output(_) => self.outputs.iter().filter(|_| true).collect::<Vec<_>>(),
                    SlotClass::Shared => self.inputs.iter().filter(|port| port.shared()).collect(),
                    SlotClass::Input(_) => self.inputs.iter().filter(|port| !port.shared()).collect(),
                }
                .into_iter();
                let port = candidates.nth(index).expect("the entry has a slot for each parameter and result");
                let registers = slot.length * self.machine.registers_of(slot.element);
                assert_eq!(port.registers, registers, "the slot of `{}` has its registers", port.name);
                assert!(slot.group < port.groups(self.layout), "the slot of `{}` is in a group", port.name);
                Some((port.argument(), i64::from(slot.group) * i64::from(registers)))
            })
            .collect()
    }
}

/// A class of slots, which stand in the order of their parameters or results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotClass {
    Shared,
    Input(u32),
    Output(u32),
}
