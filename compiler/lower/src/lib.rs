//! From programs to the intermediate representation: one function a node, loops and calls kept.
//!
//! An atom becomes one or more values of the IR, its *pieces*: a bitsliced atom one `w1` for each of its bits, most
//! significant first; a vertical atom one word of a lane's width (`widths`); a horizontal atom one vector with a lane for
//! each of its bits, most significant in lane 0. An atom of one bit is a `w1` in every direction. On request, bitsliced
//! atoms are vectors, too ([`Bits::Together`]).
//!
//! A program with elements of fields, streams or words cut anew computes *one instance at a time* ([`one_instance`] says
//! why): its words are words, elements are values of their fields' types, and its parameters and
//! results are bytes.
//!
//! The entry has slots for its parameters and results and nothing else comes in or goes out; other functions take and
//! return the pieces of their atoms. Variables that a loop's counter runs over live in slots, all others are values.

mod arithmetic;
mod bits;
mod builder;
mod check;
mod elements;
mod function;
mod lookups;
mod operate;
mod pieces;
mod planes;
mod shuffle;
mod size;
mod table;
mod usage;
mod widths;

pub use check::{Cause, OneInstance, has_code, is_per_instance, layout_error, one_instance};

use std::collections::HashMap;

use culet_diag::Diagnostics;
use culet_ir::{FuncId, Module, Target};
use culet_meaning::layout::reachable;
use culet_types::program::{Body, NodeId, Program};

/// The representation of bitsliced atoms of several bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bits {
    /// Each bit in a value of its own.
    #[default]
    Apart,
    /// An atom in one vector with a lane for each bit, which is a register of its own all the same. Programs with sums,
    /// products or packed atoms, and programs with widths that are not multiples of four, stay [`Bits::Apart`] as a
    /// whole.
    Together,
}

/// The module of a program, entry last, or the reasons that its slicing cannot express it.
pub fn lower(program: &Program) -> Result<Module, Diagnostics> {
    lower_for(program, Target::C64, Bits::Apart)
}

/// As [`lower`], with the operations that a target has in the circuits of tables, and a choice of how bits are held.
pub fn lower_for(program: &Program, target: Target, bits: Bits) -> Result<Module, Diagnostics> {
    let nodes = reachable(program);
    let diagnostics = check::check(program, &nodes);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let together = if bits == Bits::Together { planes::together(program, &nodes) } else { None };
    let program = together.as_ref().unwrap_or(program);
    let widened = if is_per_instance(program) { None } else { widths::in_lanes(program, &nodes) };
    Ok(module(widened.as_ref().unwrap_or(program), program, target, nodes))
}

/// The module of a program, whose words may be wider than those of the original.
fn module(program: &Program, original: &Program, target: Target, nodes: Vec<NodeId>) -> Module {
    let mut module =
        Module { fields: program.fields.clone(), funcs: Vec::with_capacity(nodes.len()), entry: FuncId(0) };
    let mut functions = HashMap::new();
    let slices = (!is_per_instance(program)).then_some(target);
    for id in nodes {
        let node = program.node(id);
        let bits = || original.node(id).var(node.params[0]).ty.atom.bits;
        let func = match &node.body {
            Body::Steps(steps) => function::function(program, id, steps, &functions, &module, slices),
            Body::Table(table) if id == program.entry => {
                module.funcs.push(table::function(node, table, format!("{}_circuit", node.symbol), target, bits()));
                table::entry(node, table, FuncId(module.funcs.len() as u32 - 1))
            }
            Body::Table(table) => table::function(node, table, node.symbol.clone(), target, bits()),
        };
        functions.insert(id, FuncId(module.funcs.len() as u32));
        module.funcs.push(func);
    }
    module.entry = functions[&program.entry];
    module.compact();
    module
}
