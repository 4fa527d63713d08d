//! Identities of sums, products and shifts.

use culet_ir::rewrite::Builder;
use culet_ir::{InstData, Op, Type, Value, Values, W1};
use smallvec::smallvec;

use super::{FUEL, Fold, Found, constant, operands, splat, word};

/// `add`, `sub`, `mul`, `mulhi`. In commutative operations, constants are the second operand.
pub(super) fn binary(to: &mut Builder, op: &Op, a: Value, b: Value, ty: Type) -> Option<Found> {
    if ty.bits() == 1 {
        return match op {
            Op::Add | Op::Sub => Found::binary(Op::Xor, a, b),
            Op::Mul => Found::binary(Op::And, a, b),
            _ => Some(Found::Constant(0)),
        };
    }
    match (op, word(to, b)) {
        (Op::Add | Op::Sub, Some(0)) => Some(Found::Value(a)),
        (Op::Mul, Some(0)) | (Op::MulHi, Some(0 | 1)) => Some(Found::Constant(0)),
        (Op::Mul, Some(1)) => Some(Found::Value(a)),
        (Op::Mul, Some(w)) if w.is_power_of_two() => Found::unary(Op::Shl(w.trailing_zeros() as u8), a),
        (Op::MulHi, Some(w)) if w.is_power_of_two() => Found::unary(Op::Shr((ty.bits() - w.trailing_zeros()) as u8), a),
        (Op::Sub, _) if a == b => Some(Found::Constant(0)),
        (Op::Add, _) => constants_together(to, a, b, ty),
        // (x + b) - b = x
        (Op::Sub, _) => match operands(to, a, &Op::Add)? {
            (x, y) if y == b => Some(Found::Value(x)),
            (x, y) if x == b => Some(Found::Value(y)),
            _ => None,
        },
        _ => None,
    }
}

/// `(x + c) + d = x + (c + d)`
fn constants_together(to: &mut Builder, a: Value, b: Value, ty: Type) -> Option<Found> {
    let (x, c) = operands(to, a, &Op::Add)?;
    let mask = super::ones(ty);
    let sums = constant(to, c)?.iter().zip(constant(to, b)?).map(|(c, d)| c.wrapping_add(*d) & mask);
    let lanes: Vec<u64> = sums.collect();
    let sum = to.emit1(Op::Const(lanes.into()), [], ty);
    Found::binary(Op::Add, x, sum)
}

pub(super) fn shift(to: &Builder, op: &Op, a: Value, ty: Type) -> Option<Found> {
    let (&Op::Shl(n) | &Op::Shr(n) | &Op::Sar(n) | &Op::Rotl(n)) = op else { return None };
    if n == 0 {
        return Some(Found::Value(a));
    }
    let inner = to.definition(a)?;
    let x = *inner.args.first()?;
    let bits = ty.bits();
    match (op, &inner.op) {
        (Op::Shl(_), &Op::Shl(m)) | (Op::Shr(_), &Op::Shr(m)) => {
            let sum = u32::from(n) + u32::from(m);
            if sum >= bits {
                return Some(Found::Constant(0));
            }
            Found::unary(if matches!(op, Op::Shl(_)) { Op::Shl(sum as u8) } else { Op::Shr(sum as u8) }, x)
        }
        (Op::Sar(_), &Op::Sar(m)) => Found::unary(Op::Sar((u32::from(n) + u32::from(m)).min(bits - 1) as u8), x),
        (Op::Rotl(_), &Op::Rotl(m)) => Found::unary(Op::Rotl(((u32::from(n) + u32::from(m)) % bits) as u8), x),
        _ => None,
    }
}

/// The upper half of `(a:b) << n`.
pub(super) fn funnel(to: &Builder, n: u8, a: Value, b: Value, ty: Type) -> Option<Found> {
    if n == 0 {
        Some(Found::Value(a))
    } else if a == b {
        Found::unary(Op::Rotl(n), a)
    } else if word(to, b) == Some(0) {
        Found::unary(Op::Shl(n), a)
    } else if word(to, a) == Some(0) {
        Found::unary(Op::Shr((ty.bits() - u32::from(n)) as u8), b)
    } else {
        None
    }
}

impl Fold {
    fn make(&mut self, to: &mut Builder, op: Op, args: Values, ty: Type) -> Value {
        self.build(to, op, args, ty, FUEL)
    }

    /// (low, high) of a product.
    pub(super) fn mul_wide(
        &mut self,
        to: &mut Builder,
        data: &InstData,
        a: Value,
        b: Value,
        ty: Type,
    ) -> Option<[Value; 2]> {
        let (a, b) = if constant(to, a).is_some() { (b, a) } else { (a, b) };
        if ty.bits() == 1 {
            return Some([self.make(to, Op::And, smallvec![a, b], ty), splat(to, ty, 0)]);
        }
        let unused = |result: usize| self.old_uses[data.results[result].index()] == 0;
        let by_shift = word(to, b).is_some_and(|w| w == 0 || w.is_power_of_two());
        let (no_low, no_high) = (unused(0), unused(1));
        match (no_low, no_high) {
            _ if by_shift => {
                let low = self.make(to, Op::Mul, smallvec![a, b], ty);
                Some([low, self.make(to, Op::MulHi, smallvec![a, b], ty)])
            }
            (_, true) => {
                let low = self.make(to, Op::Mul, smallvec![a, b], ty);
                Some([low, low])
            }
            (true, _) => {
                let high = self.make(to, Op::MulHi, smallvec![a, b], ty);
                Some([high, high])
            }
            _ => None,
        }
    }

    /// `addc` and `subb`: on one bit they are gates, without a carry they are a sum.
    pub(super) fn adder(
        &mut self,
        to: &mut Builder,
        data: &InstData,
        [a, b, carry]: [Value; 3],
        ty: Type,
    ) -> Option<[Value; 2]> {
        let subtracts = data.op == Op::SubB;
        if ty == W1 {
            // The carry out is `carry` if the operands differ, otherwise `b`; for a borrow it is the other way round.
            let differ = self.make(to, Op::Xor, smallvec![a, b], ty);
            let sum = self.make(to, Op::Xor, smallvec![differ, carry], ty);
            let either = self.make(to, Op::Xor, smallvec![b, carry], ty);
            let change = self.make(to, Op::And, smallvec![differ, either], ty);
            let kept = if subtracts { carry } else { b };
            return Some([sum, self.make(to, Op::Xor, smallvec![kept, change], ty)]);
        }
        if word(to, carry) != Some(0) {
            return None;
        }
        let no_carry = self.old_uses[data.results[1].index()] == 0;
        let zero = |value| word(to, value) == Some(0);
        if zero(b) || (!subtracts && zero(a)) {
            return Some([if zero(b) { a } else { b }, splat(to, W1, 0)]);
        }
        if !no_carry {
            return None;
        }
        let sum = self.make(to, if subtracts { Op::Sub } else { Op::Add }, smallvec![a, b], ty);
        Some([sum, splat(to, W1, 0)])
    }
}
