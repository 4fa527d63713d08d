//! Operators on the pieces of one atom.

use culet_ir::{FieldOp, Op, Type, Value, W1};
use culet_types::program::{Atom, BinaryOperator, ShiftOperator, Slicing};

use crate::builder::Builder;
use crate::pieces::{constant, piece_type};

impl Builder {
    pub(crate) fn constant_atom(&mut self, atom: Atom, value: u64) -> Vec<Value> {
        let ty = piece_type(atom);
        if atom.field().is_some() {
            return vec![self.element_constant(ty, &value.into())];
        }
        constant(atom, value).into_iter().map(|lanes| self.constant(ty, lanes)).collect()
    }

    pub(crate) fn not_atom(&mut self, a: &[Value]) -> Vec<Value> {
        a.iter().map(|&piece| self.same(Op::Not, &[piece])).collect()
    }

    pub(crate) fn binary_atom(&mut self, atom: Atom, operator: BinaryOperator, a: &[Value], b: &[Value]) -> Vec<Value> {
        if atom.field().is_some() {
            return vec![self.binary_elements(operator, a[0], b[0])];
        }
        let op = match operator {
            BinaryOperator::And => Op::And,
            BinaryOperator::Or => Op::Or,
            BinaryOperator::Xor => Op::Xor,
            // Bits are added and multiplied modulo 2.
            BinaryOperator::Add | BinaryOperator::Subtract if atom.bits == 1 => Op::Xor,
            BinaryOperator::Multiply if atom.bits == 1 => Op::And,
            BinaryOperator::Add if atom.slicing == Slicing::Bitslice => return self.add_bits(a, b),
            BinaryOperator::Subtract if atom.slicing == Slicing::Bitslice => return self.subtract_bits(a, b),
            BinaryOperator::Multiply if atom.slicing == Slicing::Bitslice => return self.multiply_bits(a, b),
            BinaryOperator::Add => Op::Add,
            BinaryOperator::Subtract => Op::Sub,
            BinaryOperator::Multiply => Op::Mul,
            BinaryOperator::Divide => unreachable!("only elements of fields are divided"),
        };
        a.iter().zip(b).map(|(&a, &b)| self.same(op.clone(), &[a, b])).collect()
    }

    pub(crate) fn shift_atom(&mut self, atom: Atom, operator: ShiftOperator, amount: u32, a: &[Value]) -> Vec<Value> {
        if amount == 0 {
            return a.to_vec();
        }
        if atom.slicing == Slicing::Vertical {
            let amount = amount as u8;
            let op = match operator {
                ShiftOperator::Left => Op::Shl(amount),
                ShiftOperator::Right => Op::Shr(amount),
                ShiftOperator::RightArithmetic => Op::Sar(amount),
                ShiftOperator::RotateLeft => Op::Rotl(amount),
            };
            return vec![self.same(op, a)];
        }
        let source = |k: u32| match operator {
            ShiftOperator::Left => Some(k + amount).filter(|&source| source < atom.bits),
            ShiftOperator::Right => k.checked_sub(amount),
            ShiftOperator::RightArithmetic => Some(k.saturating_sub(amount)),
            ShiftOperator::RotateLeft => Some((k + amount) % atom.bits),
        };
        let pattern: Vec<Option<u32>> = (0..atom.bits).map(source).collect();
        self.shuffle_atom(atom, &pattern, a)
    }

    pub(crate) fn shuffle_atom(&mut self, atom: Atom, pattern: &[Option<u32>], a: &[Value]) -> Vec<Value> {
        match atom.slicing {
            _ if atom.bits == 1 || atom.slicing == Slicing::Bitslice => {
                pattern.iter().map(|source| source.map_or_else(|| self.bit(false), |bit| a[bit as usize])).collect()
            }
            Slicing::Vertical => vec![self.shuffle_word(a[0], pattern)],
            _ => {
                let lanes = pattern.iter().map(|source| source.map(|lane| lane as u8)).collect();
                vec![self.same(Op::Perm(lanes), a)]
            }
        }
    }

    /// Bit `bit`, counted from the least significant, copied to all bits.
    pub(crate) fn bitmask_atom(&mut self, atom: Atom, bit: u32, a: &[Value]) -> Vec<Value> {
        if atom.slicing == Slicing::Vertical && atom.bits > 1 {
            return vec![self.copy_bit(a[0], bit)];
        }
        self.shuffle_atom(atom, &vec![Some(atom.bits - 1 - bit); atom.bits as usize], a)
    }

    pub(crate) fn pack_atoms(&mut self, packed: Atom, high: &[Value], low: &[Value]) -> Vec<Value> {
        match packed.slicing {
            Slicing::Vertical => vec![self.op(Op::Concat, &[high[0], low[0]], piece_type(packed))],
            _ => [high, low].concat(),
        }
    }

    /// `condition ? then : otherwise`, piece by piece, without a branch.
    pub(crate) fn select_pieces(&mut self, condition: Value, then: &[Value], otherwise: &[Value]) -> Vec<Value> {
        let mut chosen = Vec::with_capacity(then.len());
        for (&a, &b) in then.iter().zip(otherwise) {
            let ty = self.func.ty(a);
            chosen.push(if let Type::Field(_) = ty {
                self.op(Op::Field(FieldOp::Select), &[condition, a, b], ty)
            } else if ty == W1 {
                let differ = self.same(Op::Xor, &[a, b]);
                let taken = self.same(Op::And, &[condition, differ]);
                self.same(Op::Xor, &[b, taken])
            } else {
                self.op(Op::Select, &[condition, a, b], ty)
            });
        }
        chosen
    }
}
