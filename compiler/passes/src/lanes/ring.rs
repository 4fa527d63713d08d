//! Sums and products of elements of a field, or of words.

use culet_ir::field::Sign;
use culet_ir::rewrite::Builder;
use culet_ir::{FieldOp, Op, Type, Value};
use num_bigint::BigUint;

/// The ring of a fold's values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    pub ty: Type,
}

/// A factor of a fold's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    Zero,
    One,
    Value(Value),
}

/// An operation that keeps values affine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Linear {
    Add,
    Sub,
    Neg,
    Mul,
    MulC(u64),
    Select,
}

impl Linear {
    pub fn of(op: &Op) -> Option<Linear> {
        Some(match op {
            Op::Add | Op::Field(FieldOp::Add) => Linear::Add,
            Op::Sub | Op::Field(FieldOp::Sub) => Linear::Sub,
            Op::Field(FieldOp::Neg) => Linear::Neg,
            Op::Mul | Op::Field(FieldOp::Mul) => Linear::Mul,
            Op::Field(FieldOp::MulC(factor)) => Linear::MulC(*factor),
            Op::Select | Op::Field(FieldOp::Select) => Linear::Select,
            _ => return None,
        })
    }
}

impl Factor {
    /// The factor as a value; none for zero and one.
    pub fn value(self) -> Option<Value> {
        match self {
            Factor::Value(value) => Some(value),
            Factor::Zero | Factor::One => None,
        }
    }

    pub fn times(self, ring: &Ring, to: &mut Builder, other: Factor) -> Factor {
        match (self, other) {
            (Factor::Zero, _) | (_, Factor::Zero) => Factor::Zero,
            (Factor::One, other) | (other, Factor::One) => other,
            (Factor::Value(a), Factor::Value(b)) => Factor::Value(ring.product(to, a, b)),
        }
    }

    /// Applies an operation to factors; `other` is the factor of its second operand.
    pub fn apply(self, ring: &Ring, to: &mut Builder, op: Linear, other: Factor) -> Factor {
        let some = |ring: &Ring, to: &mut Builder, factor: Factor| match factor {
            Factor::Zero => None,
            _ => Some(ring.materialise(to, factor)),
        };
        let (a, b) = (some(ring, to, self), some(ring, to, other));
        ring.applied(to, op, a, b).map_or(Factor::Zero, Factor::Value)
    }
}

impl Ring {
    fn is_field(self) -> bool {
        self.ty.field().is_some()
    }

    pub fn product(self, to: &mut Builder, a: Value, b: Value) -> Value {
        match (self.is_field(), a == b) {
            (true, true) => to.emit1(Op::Field(FieldOp::Sqr), [a], self.ty),
            (true, false) => to.emit1(Op::Field(FieldOp::Mul), [a, b], self.ty),
            (false, _) => to.emit1(Op::Mul, [a, b], self.ty),
        }
    }

    /// The sum of the operands that are there; there is one at least.
    pub fn sum(self, to: &mut Builder, a: Option<Value>, b: Option<Value>) -> Value {
        self.applied(to, Linear::Add, a, b).unwrap_or_else(|| self.constant(to, 0))
    }

    /// An operation on values; a value that is none is zero. A product and a negative have no second operand.
    pub fn applied(self, to: &mut Builder, op: Linear, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        let is_field = self.is_field();
        let difference = if is_field { Op::Field(FieldOp::Sub) } else { Op::Sub };
        match (op, a, b) {
            (Linear::Add, Some(a), Some(b)) => {
                let sum = if is_field { Op::Field(FieldOp::Add) } else { Op::Add };
                Some(to.emit1(sum, [a, b], self.ty))
            }
            (Linear::Add, a, b) => a.or(b),
            (Linear::Sub, Some(a), Some(b)) => Some(to.emit1(difference, [a, b], self.ty)),
            (Linear::Sub, a, None) => a,
            (Linear::Sub, None, Some(a)) | (Linear::Neg, Some(a), _) if is_field => {
                Some(to.emit1(Op::Field(FieldOp::Neg), [a], self.ty))
            }
            (Linear::Sub, None, Some(b)) => {
                let zero = self.constant(to, 0);
                Some(to.emit1(difference, [zero, b], self.ty))
            }
            (Linear::Mul, Some(a), Some(b)) => Some(self.product(to, a, b)),
            (Linear::MulC(factor), Some(a), _) => Some(to.emit1(Op::Field(FieldOp::MulC(factor)), [a], self.ty)),
            _ => None,
        }
    }

    /// A choice between values; a value that is none is zero.
    pub fn choice(self, to: &mut Builder, condition: Value, then: Option<Value>, otherwise: Option<Value>) -> Value {
        let [then, otherwise] = [then, otherwise].map(|value| value.unwrap_or_else(|| self.constant(to, 0)));
        let op = if self.is_field() { Op::Field(FieldOp::Select) } else { Op::Select };
        to.emit1(op, [condition, then, otherwise], self.ty)
    }

    fn constant(self, to: &mut Builder, value: u64) -> Value {
        let op = if self.is_field() { Op::Field(FieldOp::Const(BigUint::from(value))) } else { Op::constant(value) };
        let one = to.emit1(op, [], self.ty.lane());
        match self.ty.lanes() {
            1 => one,
            lanes => to.emit1(Op::Join, vec![one; lanes as usize], self.ty),
        }
    }

    /// The value as a factor: zero if it is known to be zero.
    pub fn factor(self, to: &Builder, value: Value) -> Factor {
        let is_zero = to.definition(value).is_some_and(|data| match &data.op {
            Op::Field(FieldOp::Const(constant)) => *constant == BigUint::ZERO,
            Op::Const(lanes) => lanes.iter().all(|&lane| lane == 0),
            _ => false,
        });
        if is_zero { Factor::Zero } else { Factor::Value(value) }
    }

    /// The factor as a value.
    pub fn materialise(self, to: &mut Builder, factor: Factor) -> Value {
        match factor {
            Factor::Zero => self.constant(to, 0),
            Factor::One => self.constant(to, 1),
            Factor::Value(value) => value,
        }
    }

    /// The powers of a factor from the 0th to the last, none of which waits for more products than it has to.
    pub fn powers(self, to: &mut Builder, factor: Factor, last: u32) -> Vec<Factor> {
        let mut powers = vec![Factor::One, factor];
        for exponent in 2..=last as usize {
            let (low, high) = (powers[exponent / 2], powers[exponent.div_ceil(2)]);
            let power = low.times(&self, to, high);
            powers.push(power);
        }
        powers
    }

    /// The sum of values times factors, with one reduction.
    pub fn sum_of_products(self, to: &mut Builder, weighted: &[(Value, Factor)]) -> Value {
        let mut products = Vec::new();
        let mut sum = None;
        for &(value, factor) in weighted {
            match factor {
                Factor::Zero => {}
                Factor::One => sum = Some(self.sum(to, sum, Some(value))),
                Factor::Value(factor) => products.push([value, factor]),
            }
        }
        if self.is_field() && products.len() > 1 {
            let op = FieldOp::Sop(vec![Sign::Plus; products.len()].into());
            let product = to.emit1(Op::Field(op), products.concat(), self.ty);
            return self.sum(to, sum, Some(product));
        }
        for [value, factor] in products {
            let product = self.product(to, value, factor);
            sum = Some(self.sum(to, sum, Some(product)));
        }
        self.sum(to, sum, None)
    }
    /// The accumulator after blocks, or vectors of them, with these summands; `steps` are powers of the factor of each
    /// block. The old accumulator comes last, because it is known last.
    pub fn grown(self, to: &mut Builder, accumulator: Option<Value>, steps: &[Factor], summands: &[Value]) -> Value {
        let count = summands.len();
        let mut weighted: Vec<(Value, Factor)> =
            (1..count).map(|left| (summands[count - 1 - left], steps[left])).collect();
        weighted.extend(accumulator.map(|accumulator| (accumulator, steps[count])));
        let sum = self.sum_of_products(to, &weighted);
        self.sum(to, Some(sum), Some(summands[count - 1]))
    }
}
