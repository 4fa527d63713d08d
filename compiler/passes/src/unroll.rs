//! Unrolling: copies of a loop's body in place of the loop.
//!
//! - `none`: a loop is unrolled if it is marked `unroll`.
//! - `auto`: a loop is unrolled if it is marked `unroll`. Unless it is marked `no_unroll`, it is also unrolled if its
//!   copies together, with inner loops as they come out, have at most [`AUTO_SIZE`] instructions, [`PLANES_SIZE`] where
//!   vectors of bits stand in plain words.
//! - `all`: a loop is always unrolled, whatever its mark.
//!
//! No function grows beyond [`MAX_SIZE`] instructions: a loop that would make it larger stays a loop. Other passes
//! exploit the constants in the indices of the copies.

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Func, Inst, InstData, LoopData, Module, Op, RegionId, Target};

use crate::walk::{size, weight};
use crate::{Amount, Context};

/// About the number of instructions that a first-level instruction cache holds.
pub const AUTO_SIZE: u64 = 4_000;

/// The bound in place of [`AUTO_SIZE`] for vectors of bits in plain words whose bits only rotations move. In a loop, C
/// compilers load rotated vectors from another place; in copies they shuffle them. Other permutations cost nothing in copies.
const PLANES_SIZE: u64 = AUTO_SIZE / 2;

pub const MAX_SIZE: u64 = 1 << 20;

pub fn run(module: &mut Module, context: &Context) {
    // The sizes of the functions so far, which are those that a function calls.
    let mut sizes: Vec<u64> = Vec::with_capacity(module.funcs.len());
    for func in &mut module.funcs {
        let mut plan = Plan {
            amount: context.unroll,
            target: context.target,
            sizes: &sizes,
            unrolled: vec![false; func.insts.len()],
            size: size(func, context.target),
        };
        let own = if func.no_opt { plan.size } else { plan.region(func, func.body) };
        if plan.unrolled.contains(&true) {
            *func = transform(func, &mut plan);
        }
        sizes.push(own);
    }
}

struct Plan<'s> {
    amount: Amount,
    target: Target,
    sizes: &'s [u64],
    /// For each instruction, whether it is a loop that is unrolled.
    unrolled: Vec<bool>,
    /// Number of instructions of the function after the decisions so far.
    size: u64,
}

impl Plan<'_> {
    /// Decides for the loops of a region, inner ones first; returns the size of the region afterwards.
    fn region(&mut self, func: &Func, id: RegionId) -> u64 {
        let mut size = 0u64;
        for &inst in &func.region(id).insts {
            let data = func.inst(inst);
            size = size.saturating_add(match &data.op {
                Op::Loop(l) => self.loop_(func, inst, l),
                _ => self.weight(func, data),
            });
        }
        size
    }

    /// The weight of an instruction. C compilers put a function on vectors of bits in plain words in place of a call that is the
    /// only one, so that it weighs as much as its body: copies of the loop would keep them from it.
    fn weight(&self, func: &Func, data: &InstData) -> u64 {
        let own = weight(func, data, self.target);
        match data.op {
            Op::Call(callee) if own > 1 => own.max(self.sizes[callee.index()]),
            _ => own,
        }
    }

    fn loop_(&mut self, func: &Func, inst: Inst, l: &LoopData) -> u64 {
        let body = self.region(func, l.region);
        let copies = body.saturating_mul(l.trip_count());
        let wanted = match self.amount {
            Amount::All => true,
            Amount::Auto => l.unroll == Some(true) || l.unroll.is_none() && copies <= self.auto_size(func, l.region),
            Amount::None => l.unroll == Some(true),
        };
        // A loop of very many iterations that do nothing has no size, but takes time.
        let grown = self.size.saturating_add(copies - body).saturating_add(l.trip_count() / 16);
        if !wanted || grown > MAX_SIZE {
            return body + 1;
        }
        self.size = grown;
        self.unrolled[inst.index()] = true;
        copies
    }

    fn auto_size(&self, func: &Func, region: RegionId) -> u64 {
        let insts = || func.region(region).insts.iter().map(|&inst| func.inst(inst));
        let has_planes = insts().any(|data| weight(func, data, self.target) > 1);
        let keeps_order = |data: &InstData| !matches!(&data.op, Op::Perm(from) if !rotates(from));
        if has_planes && insts().all(keeps_order) { PLANES_SIZE } else { AUTO_SIZE }
    }
}

/// Whether a permutation moves every lane by the same number of places.
fn rotates(from: &[Option<u8>]) -> bool {
    let lanes = from.len();
    let by = |lane: usize| from[lane].map(|source| (usize::from(source) + lanes - lane) % lanes);
    from.first().is_some_and(Option::is_some) && (0..lanes).all(|lane| by(lane) == by(0))
}

impl Transform for Plan<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        match &data.op {
            Op::Loop(l) if self.unrolled[inst.index()] => {
                let mut carried = copier.args(inst).to_vec();
                for value in l.values() {
                    copier.fix_counter(l.counter, value);
                    copier.set_all(&from.region(l.region).params, &carried);
                    carried = copier.region(self, to, l.region);
                }
                copier.set_all(&data.results, &carried);
            }
            _ => drop(copier.copy(self, to, inst)),
        }
    }
}
