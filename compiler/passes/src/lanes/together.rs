//! One accumulator for groups of blocks.
//!
//! With A, b and c as in an iteration of the fold, a group of s blocks takes the accumulator from t to t·Aˢ + c₀·Aˢ⁻¹ +
//! … + cₛ₋₁: one sum of products, in which only one product waits for the group before. In the end h = t·b.

use culet_ir::rewrite::{Builder, Copier};
use culet_ir::{Iterations, LoopData, Value, Which};

use super::fold::Fold;
use super::ring::Factor;

/// Folds the whole groups of `blocks` blocks, and returns the carried value after them.
pub(super) fn groups(fold: &Fold<'_>, blocks: u32, copier: &Copier<'_>, to: &mut Builder, carried: Value) -> Value {
    let ring = &fold.ring;
    let begin = |to: &mut Builder, iterations, init: Value| {
        let over = fold.over(fold.block * blocks, Which { beyond: 0, iterations });
        let (new, around) = copier.begin_loop(to, &LoopData { lanes: None, over: Some(over), ..*fold.data }, &[init]);
        (new, around, to.func.region(to.region).params[0])
    };
    let (first, around, carried) = begin(to, Iterations::First, carried);
    // Values that are computed here are known in the group only.
    let mut copier_of_group = copier.clone();
    let form = fold.form(&mut copier_of_group, to);
    let factor = form.before.times(ring, to, form.after);
    let powers = ring.powers(to, factor, blocks);
    let mut starts = fold.summands(&copier_of_group, to, blocks, blocks);
    let begun = form.before.times(ring, to, Factor::Value(carried));
    starts[0] = ring.sum(to, begun.value(), Some(starts[0]));
    let accumulator = ring.grown(to, None, &powers, &starts);

    let (later, around_later, accumulator) = begin(to, Iterations::Later, accumulator);
    let summands = fold.summands(&copier_of_group, to, blocks, blocks);
    let next = ring.grown(to, Some(accumulator), &powers, &summands);
    to.end_loop(around_later, vec![next]);

    let result = Factor::Value(to.func.result(later)).times(ring, to, form.after);
    let result = ring.materialise(to, result);
    to.end_loop(around, vec![result]);
    to.func.result(first)
}
