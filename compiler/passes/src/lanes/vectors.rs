//! Accumulators side by side: one vector whose lane l takes block l of every V blocks.
//!
//! With A and c as in an iteration of the fold, V blocks take the vector from t to t·Aⱽ + c, and s times as many to
//! t·Aˢⱽ + c₀·Aⁱ + … + cₛ₋₁: one sum of products, which is reduced once, and in which only the first product waits for
//! the iteration before. In the end lane l counts Aⱽ⁻¹⁻ˡ·b: the vector is multiplied by these weights and its lanes are
//! added. A message shorter than a few groups is not worth its powers.

use culet_ir::rewrite::{Builder, Copier};
use culet_ir::{Field, FieldKind, FieldOp, Iterations, LoopData, Op, Type, Value, Which};
use num_bigint::BigUint;

use super::fold::{Fold, Form};
use super::ring::{Factor, Ring};
use crate::Context;

/// Layout of a fold's accumulators side by side.
pub(super) struct Vectors {
    /// V.
    pub lanes: u32,
    /// s.
    vectors: u32,
    /// Minimum number of groups that are worth their powers.
    groups: u32,
}

impl Vectors {
    /// The layout of a fold; none if elements of the field do not stand side by side, or so many accumulators are not
    /// allowed.
    pub fn of(field: Option<&Field>, asked: u32, context: &Context) -> Option<Vectors> {
        let lanes = context.side_by_side;
        let (vectors, groups) = (context.target.fold_vectors().0, context.fold_groups);
        // If one accumulator is asked for, there are no more.
        let most = if context.lanes == Some(1) { 1 } else { asked };
        let is_prime = field.is_some_and(|field| matches!(field.kind, FieldKind::Prime(_)));
        let fits = (2..=most).contains(&lanes) && is_prime;
        fits.then_some(Vectors { lanes, vectors, groups })
    }

    /// Blocks of a group.
    fn blocks(&self) -> u32 {
        self.lanes * self.vectors
    }

    /// Blocks of the shortest message that is folded in vectors.
    pub fn shortest(&self) -> u32 {
        self.blocks() * self.groups
    }

    /// Folds the whole groups, and the vectors of blocks that are left, inside of a loop over as many blocks as the
    /// shortest message has. Returns the carried value after them.
    pub fn write(&self, fold: &Fold<'_>, copier: &Copier<'_>, to: &mut Builder, carried: Value) -> Value {
        let Type::Field(field) = fold.ring.ty else { return carried };
        let ring = Ring { ty: Type::Elements { field, lanes: self.lanes as u8 } };
        let begin = |to: &mut Builder, blocks: u32, which, init: Value| {
            let over = fold.over(fold.block * blocks, which);
            let (new, around) = copier.begin_loop(to, &LoopData { over: Some(over), ..*fold.data }, &[init]);
            (new, around, to.func.region(to.region).params[0])
        };
        let mut copier_of_group = copier.clone();
        let form = fold.form(&mut copier_of_group, to);
        let factor = form.before.times(&fold.ring, to, form.after);
        let powers = fold.ring.powers(to, factor, self.lanes);
        let (step, weights) = self.weights(fold, &ring, to, &powers, form);
        let steps = ring.powers(to, step, self.vectors);

        let copier = &copier_of_group;
        let mut starts = self.summands(fold, &ring, copier, to, (self.vectors, self.shortest()));
        if let Some(begun) = form.before.times(&fold.ring, to, fold.ring.factor(to, carried)).value() {
            let zero = to.emit1(Op::Field(FieldOp::Const(BigUint::ZERO)), [], fold.ring.ty);
            let lanes: Vec<Value> = (0..self.lanes).map(|lane| if lane == 0 { begun } else { zero }).collect();
            let begun = to.emit1(Op::Join, lanes, ring.ty);
            starts[0] = ring.sum(to, Some(starts[0]), Some(begun));
        }
        let accumulator = ring.grown(to, None, &steps, &starts);

        let later = Which { beyond: 0, iterations: Iterations::Later };
        let (inst, around, accumulator) = begin(to, self.blocks(), later, accumulator);
        let summands = self.summands(fold, &ring, copier, to, (self.vectors, self.blocks()));
        let next = ring.grown(to, Some(accumulator), &steps, &summands);
        to.end_loop(around, vec![next]);
        let mut accumulator = to.func.result(inst);

        if self.vectors > 1 {
            let left = Which { beyond: self.vectors, iterations: Iterations::All };
            let (inst, around, param) = begin(to, self.lanes, left, accumulator);
            let summands = self.summands(fold, &ring, copier, to, (1, self.lanes));
            let next = ring.grown(to, Some(param), &steps, &summands);
            to.end_loop(around, vec![next]);
            accumulator = to.func.result(inst);
        }
        let weighted = Factor::Value(accumulator).times(&ring, to, weights);
        let weighted = ring.materialise(to, weighted);
        let sum = self.sum_of_lanes(&ring, to, weighted);
        to.emit1(Op::Lane(0), [sum], fold.ring.ty)
    }

    /// The factor of a vector of blocks, and the weights of the lanes in the end.
    fn weights(
        &self,
        fold: &Fold<'_>,
        ring: &Ring,
        to: &mut Builder,
        powers: &[Factor],
        form: Form,
    ) -> (Factor, Factor) {
        let lanes = self.lanes as usize;
        // If nothing is before the summand, A is b.
        let is_simple = form.before == Factor::One;
        let weight = |to: &mut Builder, exponent: usize| match is_simple {
            true => powers[exponent + 1],
            false => powers[exponent].times(&fold.ring, to, form.after),
        };
        let weights: Vec<Factor> = (0..lanes).rev().map(|exponent| weight(to, exponent)).collect();
        let weights = joined(fold, ring, to, &weights);
        let step = match weights {
            Factor::Value(weights) if is_simple => {
                Factor::Value(to.emit1(Op::Perm(vec![Some(0); lanes].into()), [weights], ring.ty))
            }
            _ => joined(fold, ring, to, &vec![powers[lanes]; lanes]),
        };
        (step, weights)
    }

    /// The summands of the first `vectors` vectors of a group of `blocks` blocks.
    fn summands(
        &self,
        fold: &Fold<'_>,
        ring: &Ring,
        copier: &Copier<'_>,
        to: &mut Builder,
        (vectors, blocks): (u32, u32),
    ) -> Vec<Value> {
        let all = fold.summands(copier, to, self.lanes * vectors, blocks);
        all.chunks(self.lanes as usize).map(|lanes| to.emit1(Op::Join, lanes.iter().copied(), ring.ty)).collect()
    }

    /// The sum of all lanes, in the first.
    fn sum_of_lanes(&self, ring: &Ring, to: &mut Builder, vector: Value) -> Value {
        let mut sum = vector;
        let mut distance = self.lanes as u8 / 2;
        while distance > 0 {
            let pattern = (0..self.lanes as u8).map(|lane| Some(lane ^ distance)).collect();
            let other = to.emit1(Op::Perm(pattern), [sum], ring.ty);
            sum = ring.sum(to, Some(sum), Some(other));
            distance /= 2;
        }
        sum
    }
}

/// Factors side by side.
fn joined(fold: &Fold<'_>, ring: &Ring, to: &mut Builder, factors: &[Factor]) -> Factor {
    if factors[1..].iter().all(|&factor| factor == factors[0]) && factors[0].value().is_none() {
        return factors[0];
    }
    let lanes: Vec<Value> = factors.iter().map(|&factor| fold.ring.materialise(to, factor)).collect();
    Factor::Value(to.emit1(Op::Join, lanes, ring.ty))
}
