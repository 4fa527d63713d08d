//! Folds in lanes: a fold over the blocks of a stream that is affine in its carried value goes through several blocks
//! at once.
//!
//! An iteration is h → (h·a + c)·b, where only c depends on the block. With A = a·b and k accumulators, a whole group
//! of k blocks with the summands c₀, c₁, … is the iteration tⱼ → tⱼ·Aᵏ + cⱼ: k computations that do not wait for one
//! another. In the first group tⱼ = cⱼ, and h·a is added to t₀; after the last group h = Σ tⱼ·Aᵏ⁻¹⁻ʲ·b. Powers are
//! computed once, and only if there is a group. The blocks that whole groups leave over are folded as before; the loop
//! over them still says how many accumulators there may be.
//!
//! If a sum of products of polynomials over GF(2) takes little more than its products, there is one accumulator, and a
//! group of blocks is multiplied by as many powers and reduced once (`lanes/together`).
//!
//! If elements of the field stand side by side, a long message first goes in vectors of accumulators (`lanes/vectors`).
//!
//! A fold of another form stays as it is, also if it is affine: a fold with loops or arrays inside, and a fold that
//! carries more than one value.

mod fold;
mod ring;
mod together;
mod vectors;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Field, Inst, Iterations, LoopData, Module, Op, Over, Value, Which};

use crate::{Context, each_func};
use fold::Fold;
use ring::Factor;
use vectors::Vectors;

pub fn run(module: &mut Module, context: &Context) {
    let fields = module.fields.clone();
    each_func(module, |func| transform(func, &mut Lanes { context, fields: &fields }));
}

struct Lanes<'c> {
    context: &'c Context,
    fields: &'c [Field],
}

impl Lanes<'_> {
    fn field(&self, fold: &Fold<'_>) -> Option<&Field> {
        fold.ring.ty.field().map(|id| &self.fields[id.index()])
    }

    /// Number of blocks in a group that is reduced together, at most `asked`.
    fn blocks(&self, fold: &Fold<'_>, asked: u32) -> u32 {
        let of_target = |field| self.context.target.fold_blocks(field);
        // If the number of accumulators is given, they are wanted apart.
        if self.context.lanes.is_some() { 1 } else { asked.min(self.field(fold).map_or(1, of_target)) }
    }

    /// Number of separate accumulators of a fold that may have `asked`.
    fn count(&self, fold: &Fold<'_>, asked: u32) -> u32 {
        let context = self.context;
        asked.min(context.lanes.unwrap_or_else(|| context.target.fold_lanes(self.field(fold))))
    }
}

impl Transform for Lanes<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        let divided = match &data.op {
            Op::Loop(l) => l.lanes.and_then(|asked| Fold::of(from, l).map(|fold| (asked, fold))),
            _ => None,
        };
        if let Some((asked, fold)) = &divided
            && let blocks @ 2.. = self.blocks(fold, *asked)
        {
            let carried = together::groups(fold, blocks, copier, to, copier.value(data.args[0]));
            let result = self.left_over(fold, blocks, copier.clone(), to, carried);
            copier.set(data.results[0], result);
            return;
        }
        let ways = divided.map(|(asked, fold)| {
            let vectors = Vectors::of(self.field(&fold), asked, self.context);
            (self.count(&fold, asked), vectors, fold)
        });
        let Some((lanes, vectors, fold)) = ways.filter(|(lanes, vectors, _)| *lanes > 1 || vectors.is_some()) else {
            copier.copy(self, to, inst);
            return;
        };
        let carried = copier.value(data.args[0]);
        let result = match vectors {
            None => self.apart(&fold, (lanes, 0), copier, to, carried),
            Some(vectors) => {
                let shortest = fold.block * vectors.shortest();
                let long = fold.over(shortest, Which { beyond: 0, iterations: Iterations::First });
                let begin = |to: &mut Builder, over, carried| {
                    copier.begin_loop(to, &LoopData { lanes: None, over: Some(over), ..*fold.data }, &[carried])
                };
                // Each has one iteration at most, and one of them has none: their initial values are known before.
                let (of_long, around) = begin(to, long, carried);
                let of_vectors = vectors.write(&fold, copier, to, carried);
                let next = self.apart(&fold, (lanes, vectors.lanes), copier, to, of_vectors);
                to.end_loop(around, vec![next]);
                let (of_short, around) = begin(to, fold.short(shortest), to.func.result(of_long));
                let next = self.apart(&fold, (lanes, 0), copier, to, carried);
                to.end_loop(around, vec![next]);
                to.func.result(of_short)
            }
        };
        copier.set(data.results[0], result);
    }
}

impl Lanes<'_> {
    /// Folds the blocks that groups of `beyond` blocks leave over, all if this is 0, among `lanes` accumulators.
    fn apart(
        &mut self,
        fold: &Fold<'_>,
        (lanes, beyond): (u32, u32),
        copier: &Copier<'_>,
        to: &mut Builder,
        carried: Value,
    ) -> Value {
        let is_divided = lanes > 1 && (beyond == 0 || (beyond > lanes && beyond.is_multiple_of(lanes)));
        let carried = if is_divided { groups(fold, lanes, beyond / lanes, copier, to, carried) } else { carried };
        self.left_over(fold, if is_divided { lanes } else { beyond }, copier.clone(), to, carried)
    }

    /// Folds the blocks that groups of `beyond` blocks leave over, one by one.
    fn left_over(
        &mut self,
        fold: &Fold<'_>,
        beyond: u32,
        mut copier: Copier<'_>,
        to: &mut Builder,
        carried: Value,
    ) -> Value {
        let which = Which { beyond, iterations: Iterations::All };
        let plain = LoopData { over: Some(fold.over(fold.block, which)), ..*fold.data };
        let (new, around) = copier.begin_loop(to, &plain, &[carried]);
        let params = to.func.region(to.region).params.clone();
        copier.enter_loop(to, fold.data, &params);
        let next = copier.region(self, to, fold.data.region);
        to.end_loop(around, next);
        to.func.result(new)
    }
}

/// Folds the groups of `lanes` blocks that groups of `beyond` such groups leave over, and returns the carried value
/// after them.
fn groups(fold: &Fold<'_>, lanes: u32, beyond: u32, copier: &Copier<'_>, to: &mut Builder, carried: Value) -> Value {
    let group = fold.block * lanes;
    let begin = |to: &mut Builder, iterations, inits: &[Value]| {
        let over: Over = fold.over(group, Which { beyond, iterations });
        copier.begin_loop(to, &LoopData { lanes: None, over: Some(over), ..*fold.data }, inits)
    };
    let (first, around) = begin(to, Iterations::First, &[carried]);
    // Values that are computed here are known in the group only.
    let mut copier_of_group = copier.clone();
    let form = fold.form(&mut copier_of_group, to);
    let factor = form.before.times(&fold.ring, to, form.after);
    let powers = fold.ring.powers(to, factor, lanes);
    let mut starts = fold.summands(&copier_of_group, to, lanes, lanes);
    // There is one iteration at most, so that it begins with the value carried before.
    let begun = form.before.times(&fold.ring, to, fold.ring.factor(to, carried));
    starts[0] = fold.ring.sum(to, begun.value(), Some(starts[0]));

    let copier = &copier_of_group;
    let (later, around_later) = begin(to, Iterations::Later, &starts);
    let accumulators = to.func.region(to.region).params.clone();
    let next: Vec<Value> = fold
        .summands(copier, to, lanes, lanes)
        .into_iter()
        .zip(accumulators)
        .map(|(summand, accumulator)| {
            let grown = Factor::Value(accumulator).times(&fold.ring, to, powers[lanes as usize]);
            fold.ring.sum(to, grown.value(), Some(summand))
        })
        .collect();
    to.end_loop(around_later, next);

    let accumulators = to.func.inst(later).results.clone();
    let mut weighted = Vec::new();
    for (lane, &accumulator) in (1..).zip(&accumulators) {
        let weight = match form.before {
            // Here A is b.
            Factor::One => powers[(lanes + 1 - lane) as usize],
            _ => powers[(lanes - lane) as usize].times(&fold.ring, to, form.after),
        };
        weighted.push((accumulator, weight));
    }
    let sum = fold.ring.sum_of_products(to, &weighted);
    to.end_loop(around, vec![sum]);
    to.func.result(first)
}
