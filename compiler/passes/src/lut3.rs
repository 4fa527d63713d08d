//! Three-input functions: cuts of bitwise operations become one ternary operation.
//!
//! On targets with ternary logic every bitwise function of three values is one instruction, so a network of two-input
//! gates is covered again, with as few cells of up to three inputs as can be found in near-linear time. The method is
//! technology mapping for look-up tables as logic synthesis does it (priority cuts, area flow, exact local area):
//!
//! 1. [`network`]: the bitwise operations of one region become a graph of small truth tables.
//! 2. [`cuts`]: every gate keeps a few sets of at most three values that determine it, with the function.
//! 3. [`mapping`]: every gate that something else needs chooses one of its cuts, in rounds: by area flow first, then by
//!    the cells that a choice really adds and frees.
//!
//! A region whose cover does not have fewer operations than it had stays as it was. Complements are absorbed; functions
//! of two inputs stay two-input operations where there is one. Functions marked `no_opt` are skipped, and so is
//! everything on a target without ternary logic.

mod cuts;
mod mapping;
mod network;

use culet_ir::{Func, Inst, Module, Op, RegionId, Value};
use smallvec::smallvec;

use crate::walk::regions;
use crate::{Context, Ternary};
use cuts::Cut;
use network::{Network, NodeKind};

pub fn run(module: &mut Module, context: &Context) {
    if !context.target.has_ternary_logic() || context.ternary == Ternary::None {
        return;
    }
    for func in module.funcs.iter_mut().filter(|func| !func.no_opt) {
        cover(func);
    }
}

/// Covers every region of a function.
fn cover(func: &mut Func) {
    let outside = network::values_needed_outside(func);
    let mut aliases = Vec::new();
    for region in regions(func) {
        let network = Network::new(func, region, &outside);
        let cover = mapping::cover(&network);
        if cover.cells < network.gates() {
            rewrite(func, region, &network, &cover.choices, &mut aliases);
        }
    }
    if !aliases.is_empty() {
        rename(func, &aliases);
    }
}

/// Replaces the gates of a region by the cells of a cover: a chosen gate becomes its cell, another one is dropped.
fn rewrite(
    func: &mut Func,
    region: RegionId,
    network: &Network,
    choices: &[Option<Cut>],
    aliases: &mut Vec<(Value, Value)>,
) {
    let mut dropped: Vec<Inst> = Vec::new();
    for (node, choice) in network.nodes.iter().zip(choices) {
        let NodeKind::Gate { inst, .. } = node.kind else { continue };
        let Some(cut) = choice else {
            dropped.push(inst);
            continue;
        };
        let inputs: Vec<Value> = cut.leaves().iter().map(|&leaf| network.nodes[leaf as usize].value).collect();
        if let (&[input], cuts::FIRST) = (inputs.as_slice(), cut.table) {
            aliases.push((node.value, input));
            dropped.push(inst);
            continue;
        }
        let ty = func.ty(node.value);
        let data = func.inst_mut(inst);
        (data.op, data.args) = cell(cut.table, &inputs, ty);
    }
    dropped.sort_unstable();
    func.region_mut(region).insts.retain(|inst| dropped.binary_search(inst).is_err());
}

/// The operation that computes a truth table of these inputs.
fn cell(table: u8, inputs: &[Value], ty: culet_ir::Type) -> (Op, culet_ir::Values) {
    use cuts::{FIRST as A, SECOND as B};
    match *inputs {
        [] => {
            let ones = u64::MAX >> (64 - ty.bits());
            let word = if table == 0 { 0 } else { ones };
            (Op::Const(vec![word; ty.lanes() as usize].into()), smallvec![])
        }
        [a] => (Op::Not, smallvec![a]),
        [a, b] => match table {
            _ if table == A & B => (Op::And, smallvec![a, b]),
            _ if table == A | B => (Op::Or, smallvec![a, b]),
            _ if table == A ^ B => (Op::Xor, smallvec![a, b]),
            _ if table == A & !B => (Op::Andn, smallvec![a, b]),
            _ if table == B & !A => (Op::Andn, smallvec![b, a]),
            _ => (Op::Tern(table), smallvec![a, b, b]),
        },
        [a, b, c, ..] => (Op::Tern(table), smallvec![a, b, c]),
    }
}

/// Replaces values by the values they were found equal to.
fn rename(func: &mut Func, aliases: &[(Value, Value)]) {
    let mut target: Vec<Value> = (0..func.values.len() as u32).map(Value).collect();
    // In order of definition: the target of an alias is never an alias that comes later.
    for &(from, to) in aliases {
        target[from.index()] = target[to.index()];
    }
    for inst in &mut func.insts {
        for arg in &mut inst.args {
            *arg = target[arg.index()];
        }
    }
    for region in &mut func.regions {
        for result in &mut region.results {
            *result = target[result.index()];
        }
    }
}
