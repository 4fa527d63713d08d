//! Identities of bitwise operations, of selections and of permutations.

use culet_ir::rewrite::Builder;
use culet_ir::{Op, Type, Value, W1};

use super::{Fold, Found, constant, negated, ones, operands, word};

impl Fold {
    /// `and`, `or`, `xor`, `andn`. In commutative operations, constants are the second operand.
    pub(super) fn bitwise(
        &mut self,
        to: &mut Builder,
        op: &Op,
        a: Value,
        b: Value,
        ty: Type,
        fuel: u32,
    ) -> Option<Found> {
        with_constant(to, op, a, b, ty)
            .or_else(|| with_itself(to, op, a, b, ty))
            .or_else(|| self.with_negations(to, op, a, b, ty, fuel))
            .or_else(|| constants_together(to, op, a, b, ty))
            .or_else(|| without_constant(to, op, a, b, ty))
            .or_else(|| absorbed(to, op, a, b))
            .or_else(|| absorbed(to, op, b, a))
            .or_else(|| self.cheaper(to, op, a, b))
            .or_else(|| self.cheaper(to, op, b, a))
            .or_else(|| rotation(to, op, a, b, ty))
            .or_else(|| rotation(to, op, b, a, ty))
    }

    /// Negations of operands disappear, become part of an `andn`, or move to the result. None of these makes more
    /// operations than it takes away, if the negated operands have no other use.
    fn with_negations(&mut self, to: &mut Builder, op: &Op, a: Value, b: Value, ty: Type, fuel: u32) -> Option<Found> {
        let (not_a, not_b) = (negated(to, a), negated(to, b));
        let (lone_a, lone_b) = (self.is_lonely(a), self.is_lonely(b));
        let (inner, x, y) = match (op, not_a, not_b) {
            (Op::Xor, Some(x), Some(y)) => return Found::binary(Op::Xor, x, y),
            (Op::Xor, Some(x), None) if lone_a => (Op::Xor, x, b),
            (Op::Xor, None, Some(y)) if lone_b => (Op::Xor, a, y),
            (Op::And, Some(x), Some(y)) if lone_a && lone_b => (Op::Or, x, y),
            (Op::And, Some(x), _) if self.use_andn => return Found::binary(Op::Andn, b, x),
            (Op::And, _, Some(y)) if self.use_andn => return Found::binary(Op::Andn, a, y),
            (Op::Or, Some(x), Some(y)) if lone_a && lone_b => (Op::And, x, y),
            (Op::Or, Some(x), None) if lone_a && self.use_andn => (Op::Andn, x, b),
            (Op::Or, None, Some(y)) if lone_b && self.use_andn => (Op::Andn, y, a),
            (Op::Andn, _, Some(y)) => return Found::binary(Op::And, a, y),
            (Op::Andn, Some(x), None) if lone_a => (Op::Or, x, b),
            _ => return None,
        };
        let value = self.build(to, inner, [x, y].into_iter().collect(), ty, fuel);
        Found::unary(Op::Not, value)
    }

    /// Two operations that can be one.
    fn cheaper(&self, to: &Builder, op: &Op, a: Value, b: Value) -> Option<Found> {
        match op {
            // (x & b) ^ b = b & !x
            Op::Xor if self.use_andn && self.is_lonely(a) => {
                if let Some(x) = other_operand(to, a, &Op::And, b) {
                    return Found::binary(Op::Andn, b, x);
                }
                // (x | b) ^ b = x & !b
                let x = other_operand(to, a, &Op::Or, b)?;
                Found::binary(Op::Andn, x, b)
            }
            _ => None,
        }
    }

    pub(super) fn select(
        &mut self,
        to: &mut Builder,
        c: Value,
        a: Value,
        b: Value,
        ty: Type,
        fuel: u32,
    ) -> Option<Found> {
        if a == b {
            return Some(Found::Value(a));
        }
        match word(to, c) {
            Some(0) => return Some(Found::Value(b)),
            Some(_) => return Some(Found::Value(a)),
            None => {}
        }
        if let Some(x) = negated(to, c) {
            return Some(Found::Op(Op::Select, [x, b, a].into_iter().collect()));
        }
        let (then, otherwise) = (word(to, a), word(to, b));
        if (then, otherwise) == (Some(ones(ty)), Some(0)) {
            return Found::unary(Op::Spread, c);
        }
        if (then, otherwise) == (Some(0), Some(ones(ty))) {
            let spread = self.build(to, Op::Spread, [c].into_iter().collect(), ty, fuel);
            return Found::unary(Op::Not, spread);
        }
        if ty != W1 {
            return None;
        }
        match (then, otherwise) {
            (_, Some(0)) => Found::binary(Op::And, c, a),
            (Some(1), _) => Found::binary(Op::Or, c, b),
            (Some(0), _) if self.use_andn => Found::binary(Op::Andn, b, c),
            _ => None,
        }
    }

    /// A function of three operands, one of which is constant, negated, or the same as another.
    pub(super) fn ternary(
        &mut self,
        to: &mut Builder,
        table: u8,
        args: [Value; 3],
        ty: Type,
        fuel: u32,
    ) -> Option<Found> {
        for (position, &arg) in args.iter().enumerate() {
            if let Some(x) = negated(to, arg) {
                let mut args = args;
                args[position] = x;
                let table = rearranged(table, |row| row ^ 4 >> position);
                return Some(Found::Op(Op::Tern(table), args.into_iter().collect()));
            }
        }
        let known = |position: usize| word(to, args[position]).filter(|&w| w == 0 || w == ones(ty)).map(|w| w != 0);
        let independent = |position: usize| rearranged(table, |row| row ^ 4 >> position) == table;
        let position = (0..3).find(|&position| known(position).is_some() || independent(position));
        let (position, value) = match position {
            Some(position) => (position, known(position).map(|bit| if bit { 4 >> position } else { 0 }).unwrap_or(0)),
            None => return self.ternary_of_two(to, table, args, ty, fuel),
        };
        let rest: Vec<usize> = (0..3).filter(|&p| p != position).collect();
        // Bit `2x + y` of the smaller table.
        let small = (0..4).fold(0u8, |small, row| {
            let big = value + (row / 2) * (4 >> rest[0]) + (row % 2) * (4 >> rest[1]);
            small | (table >> big & 1) << row
        });
        self.of_two(to, small, args[rest[0]], args[rest[1]], ty, fuel)
    }

    fn ternary_of_two(
        &mut self,
        to: &mut Builder,
        table: u8,
        [a, b, c]: [Value; 3],
        ty: Type,
        fuel: u32,
    ) -> Option<Found> {
        let row = |x: u8, y: u8, z: u8| table >> (4 * x + 2 * y + z) & 1;
        let small = |row: &dyn Fn(u8, u8) -> u8| (0..4).fold(0, |small, i| small | row(i >> 1, i & 1) << i);
        if a == b {
            self.of_two(to, small(&|x, y| row(x, x, y)), a, c, ty, fuel)
        } else if a == c {
            self.of_two(to, small(&|x, y| row(x, y, x)), a, b, ty, fuel)
        } else if b == c {
            self.of_two(to, small(&|x, y| row(x, y, y)), a, b, ty, fuel)
        } else {
            None
        }
    }

    /// The function of two operands whose value at (x, y) is bit `2x + y` of `table`.
    fn of_two(&mut self, to: &mut Builder, table: u8, x: Value, y: Value, ty: Type, fuel: u32) -> Option<Found> {
        let (op, x, y, negate) = match table {
            0b0000 => return Some(Found::Constant(0)),
            0b1111 => return Some(Found::Constant(ones(ty))),
            0b1100 => return Some(Found::Value(x)),
            0b1010 => return Some(Found::Value(y)),
            0b0011 => return Found::unary(Op::Not, x),
            0b0101 => return Found::unary(Op::Not, y),
            0b1000 => (Op::And, x, y, false),
            0b0111 => (Op::And, x, y, true),
            0b1110 => (Op::Or, x, y, false),
            0b0001 => (Op::Or, x, y, true),
            0b0110 => (Op::Xor, x, y, false),
            0b1001 => (Op::Xor, x, y, true),
            0b0100 => (Op::Andn, x, y, false),
            0b1011 => (Op::Andn, x, y, true),
            0b0010 => (Op::Andn, y, x, false),
            _ => (Op::Andn, y, x, true),
        };
        if !negate {
            return Found::binary(op, x, y);
        }
        let value = self.build(to, op, [x, y].into_iter().collect(), ty, fuel);
        Found::unary(Op::Not, value)
    }
}

/// Row `r` of the result is row `of(r)` of the table.
fn rearranged(table: u8, of: impl Fn(u8) -> u8) -> u8 {
    (0..8).fold(0, |result, row| result | (table >> of(row) & 1) << row)
}

fn with_constant(to: &Builder, op: &Op, a: Value, b: Value, ty: Type) -> Option<Found> {
    let (zero, ones) = (Some(0), Some(ones(ty)));
    let known = (word(to, a), word(to, b));
    Some(match (op, known.0, known.1) {
        (Op::And, _, w) if w == zero => Found::Constant(0),
        (Op::And, _, w) if w == ones => Found::Value(a),
        (Op::Or, _, w) if w == ones => Found::Constant(w?),
        (Op::Or, _, w) if w == zero => Found::Value(a),
        (Op::Xor, _, w) if w == zero => Found::Value(a),
        (Op::Xor, _, w) if w == ones => return Found::unary(Op::Not, a),
        (Op::Andn, w, _) if w == zero => Found::Constant(0),
        (Op::Andn, w, _) if w == ones => return Found::unary(Op::Not, b),
        (Op::Andn, _, w) if w == zero => Found::Value(a),
        (Op::Andn, _, w) if w == ones => Found::Constant(0),
        _ => return None,
    })
}

/// Both operands are one value, or one is the other's negation.
fn with_itself(to: &Builder, op: &Op, a: Value, b: Value, ty: Type) -> Option<Found> {
    if a == b {
        return Some(match op {
            Op::And | Op::Or => Found::Value(a),
            _ => Found::Constant(0),
        });
    }
    if negated(to, a) == Some(b) || negated(to, b) == Some(a) {
        return Some(match op {
            Op::And => Found::Constant(0),
            Op::Andn => Found::Value(a),
            _ => Found::Constant(ones(ty)),
        });
    }
    None
}

/// `(x ∘ c) ∘ d = x ∘ (c ∘ d)`
fn constants_together(to: &mut Builder, op: &Op, a: Value, b: Value, ty: Type) -> Option<Found> {
    let combine = match op {
        Op::And => |c, d| c & d,
        Op::Or => |c, d| c | d,
        Op::Xor => |c, d| c ^ d,
        _ => return None,
    };
    let (x, c) = operands(to, a, op)?;
    let lanes: Vec<u64> = constant(to, c)?.iter().zip(constant(to, b)?).map(|(&c, &d)| combine(c, d)).collect();
    let combined = to.emit1(Op::Const(lanes.into()), [], ty);
    Found::binary(op.clone(), x, combined)
}

/// `a & !c` is an `and` with another constant.
fn without_constant(to: &mut Builder, op: &Op, a: Value, b: Value, ty: Type) -> Option<Found> {
    if *op != Op::Andn {
        return None;
    }
    let lanes: Vec<u64> = constant(to, b)?.iter().map(|&lane| !lane & ones(ty)).collect();
    let complement = to.emit1(Op::Const(lanes.into()), [], ty);
    Found::binary(Op::And, a, complement)
}

/// `a` is an operation on `b` that makes the outer operation needless.
fn absorbed(to: &Builder, op: &Op, a: Value, b: Value) -> Option<Found> {
    match op {
        Op::Xor => other_operand(to, a, &Op::Xor, b).map(Found::Value),
        Op::And if other_operand(to, a, &Op::And, b).is_some() => Some(Found::Value(a)),
        Op::And if other_operand(to, a, &Op::Or, b).is_some() => Some(Found::Value(b)),
        Op::Or if other_operand(to, a, &Op::Or, b).is_some() => Some(Found::Value(a)),
        Op::Or if other_operand(to, a, &Op::And, b).is_some() => Some(Found::Value(b)),
        Op::Or if operands(to, a, &Op::Andn).is_some_and(|(x, _)| x == b) => Some(Found::Value(b)),
        _ => None,
    }
}

/// The other operand, if `value` is `op` of `operand` and something.
fn other_operand(to: &Builder, value: Value, op: &Op, operand: Value) -> Option<Value> {
    match operands(to, value, op)? {
        (x, y) if x == operand => Some(y),
        (x, y) if y == operand => Some(x),
        _ => None,
    }
}

/// `(x << n) | (x >> (bits - n))`, also with `^`.
fn rotation(to: &Builder, op: &Op, a: Value, b: Value, ty: Type) -> Option<Found> {
    let (left, right) = (to.definition(a)?, to.definition(b)?);
    match (op, &left.op, &right.op) {
        (Op::Or | Op::Xor, &Op::Shl(n), &Op::Shr(m))
            if left.args == right.args && u32::from(n) + u32::from(m) == ty.bits() =>
        {
            Found::unary(Op::Rotl(n), left.args[0])
        }
        _ => None,
    }
}

pub(super) fn not(to: &Builder, a: Value) -> Option<Found> {
    negated(to, a).map(Found::Value)
}

pub(super) fn perm(to: &Builder, pattern: &[Option<u8>], a: Value) -> Option<Found> {
    if pattern.iter().enumerate().all(|(i, lane)| lane.map(usize::from) == Some(i)) {
        return Some(Found::Value(a));
    }
    if pattern.iter().all(Option::is_none) {
        return Some(Found::Constant(0));
    }
    let inner = to.definition(a)?;
    let Op::Perm(first) = &inner.op else { return None };
    let both = pattern.iter().map(|lane| lane.and_then(|lane| first[usize::from(lane)])).collect();
    Found::unary(Op::Perm(both), inner.args[0])
}
