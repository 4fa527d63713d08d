//! The bitwise operations of one region as a graph of truth tables.

use std::collections::HashMap;

use culet_ir::{Func, Inst, InstData, Op, Origin, RegionId, Type, Value, W1};

use super::cuts::{FIRST, SECOND, THIRD};
use crate::walk::{homes, live_insts, regions};

/// Nodes in an order where inputs come first.
pub(super) struct Network {
    pub nodes: Vec<Node>,
}

pub(super) struct Node {
    pub value: Value,
    pub kind: NodeKind,
    /// Whether something other than a gate of this network needs it.
    pub root: bool,
}

pub(super) enum NodeKind {
    /// A value of any other operation, or from outside.
    Leaf,
    /// All bits zero or all bits one.
    Constant(bool),
    /// The function `table` of up to three nodes.
    Gate { inst: Inst, table: u8, inputs: [u32; 3], arity: u8 },
}

impl Network {
    /// The network of a region. `needed` is the result of [`values_needed_outside`] for the function.
    pub fn new(func: &Func, region: RegionId, needed: &[bool]) -> Network {
        let mut network = Network { nodes: Vec::new() };
        let mut node_of: HashMap<Value, u32> = HashMap::new();
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            let Some(table) = table(func, data) else { continue };
            let mut inputs = [0; 3];
            for (input, &value) in inputs.iter_mut().zip(&data.args) {
                *input = *node_of.entry(value).or_insert_with(|| network.add(value, constant(func, value), false));
            }
            let value = data.results[0];
            let kind = NodeKind::Gate { inst, table, inputs, arity: data.args.len() as u8 };
            node_of.insert(value, network.add(value, kind, needed[value.index()]));
        }
        network
    }

    fn add(&mut self, value: Value, kind: NodeKind, root: bool) -> u32 {
        self.nodes.push(Node { value, kind, root });
        self.nodes.len() as u32 - 1
    }

    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Gate { .. })).count()
    }
}

/// The truth table of a bitwise operation in its operands.
fn table(func: &Func, data: &InstData) -> Option<u8> {
    Some(match data.op {
        Op::And => FIRST & SECOND,
        Op::Or => FIRST | SECOND,
        Op::Xor => FIRST ^ SECOND,
        Op::Andn => FIRST & !SECOND,
        Op::Not => !FIRST,
        Op::Tern(table) => table,
        Op::Select if func.ty(data.results[0]) == W1 => (FIRST & SECOND) | (!FIRST & THIRD),
        _ => return None,
    })
}

fn constant(func: &Func, value: Value) -> NodeKind {
    let Origin::Result(inst, _) = func.value(value).origin else { return NodeKind::Leaf };
    let Op::Const(words) = &func.inst(inst).op else { return NodeKind::Leaf };
    let ones = ones(func.ty(value));
    if words.iter().all(|&word| word == 0) {
        NodeKind::Constant(false)
    } else if words.iter().all(|&word| word == ones) {
        NodeKind::Constant(true)
    } else {
        NodeKind::Leaf
    }
}

fn ones(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

/// For every value, whether anything but a bitwise operation of the region that defines it needs it.
pub(super) fn values_needed_outside(func: &Func) -> Vec<bool> {
    let homes = homes(func);
    let mut needed = vec![false; func.values.len()];
    for (region, inst) in live_insts(func) {
        let data = func.inst(inst);
        let gate = table(func, data).is_some();
        for &arg in &data.args {
            let here = match func.value(arg).origin {
                Origin::Result(def, _) => homes[def.index()] == Some(region),
                Origin::Param(..) => true,
            };
            needed[arg.index()] |= !(gate && here);
        }
    }
    for region in regions(func) {
        for &result in &func.region(region).results {
            needed[result.index()] = true;
        }
    }
    needed
}
