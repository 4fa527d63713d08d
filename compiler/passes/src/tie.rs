//! Ternary operations take the operand that dies first.
//!
//! The machine's ternary operation overwrites its first operand, so a first operand that is still needed costs a copy;
//! C compilers do not look for another order. Where a later operand has its last use, it changes places with the first,
//! and the function's table with it. Runs after the order of operations is final, on targets with ternary logic.

use culet_ir::{Func, Module, Op, Origin, RegionId, Value};

use crate::Context;
use crate::walk::regions;

pub fn run(module: &mut Module, context: &Context) {
    if !context.target.has_ternary_logic() {
        return;
    }
    for func in module.funcs.iter_mut().filter(|func| !func.no_opt) {
        for region in regions(func) {
            tie(func, region);
        }
    }
}

/// Walks a region backwards with the set of values that are needed later.
fn tie(func: &mut Func, region: RegionId) {
    let mut needed = vec![false; func.values.len()];
    let own = own_values(func, region);
    for &value in &func.region(region).results {
        needed[value.index()] = true;
    }
    for inst in func.region(region).insts.clone().into_iter().rev() {
        let dies = |value: Value| own[value.index()] && !needed[value.index()];
        let data = func.inst(inst);
        if let Op::Tern(table) = data.op
            && !dies(data.args[0])
            && let Some(other) = (1..3).find(|&i| dies(data.args[i]))
        {
            let data = func.inst_mut(inst);
            data.args.swap(0, other);
            data.op = Op::Tern(exchange(table, other));
        }
        for value in used(func, inst) {
            needed[value.index()] = true;
        }
    }
}

/// Values that live in this region only: its parameters and the results of its instructions. Any other may be needed in
/// the next iteration.
fn own_values(func: &Func, region: RegionId) -> Vec<bool> {
    let mut inside = vec![false; func.insts.len()];
    func.region(region).insts.iter().for_each(|inst| inside[inst.index()] = true);
    func.values
        .iter()
        .map(|value| match value.origin {
            Origin::Result(inst, _) => inside[inst.index()],
            Origin::Param(of, _) => of == region,
        })
        .collect()
}

/// Operands of an instruction, and everything that is used inside it if it is a loop.
fn used(func: &Func, inst: culet_ir::Inst) -> Vec<Value> {
    let data = func.inst(inst);
    let mut values = data.args.to_vec();
    if let Op::Loop(l) = &data.op {
        let region = func.region(l.region);
        values.extend(&region.results);
        values.extend(region.insts.iter().flat_map(|&inner| used(func, inner)));
    }
    values
}

/// The table of a function whose operands 0 and `other` have changed places. Its bit `4a + 2b + c` is the value at (a,
/// b, c).
fn exchange(table: u8, other: usize) -> u8 {
    (0..8)
        .filter(|&row: &usize| {
            let mut bits = [row >> 2 & 1, row >> 1 & 1, row & 1];
            bits.swap(0, other);
            table >> (4 * bits[0] + 2 * bits[1] + bits[2]) & 1 == 1
        })
        .fold(0, |new, row| new | 1 << row)
}
