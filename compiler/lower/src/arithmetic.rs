//! Arithmetic on bitsliced words: ripple-carry adders and subtractors, shift-and-add multipliers, of as few gates as we
//! know. Words are lists of bits, most significant first. Gates with a constant operand are not built.

use culet_ir::{Op, Value};

use crate::builder::Builder;

impl Builder {
    /// `a + b`: 2 gates for the lowest bit, 5 for each other, 2 for the highest.
    pub(crate) fn add_bits(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        let mut sum = Vec::with_capacity(a.len());
        let mut carry = self.bit(false);
        for (k, (&a, &b)) in a.iter().zip(b).enumerate().rev() {
            let a_carry = self.bit_xor(a, carry);
            sum.push(self.bit_xor(a_carry, b));
            // majority(a, b, c) = ((a ^ c) & (b ^ c)) ^ c
            if k > 0 {
                let b_carry = self.bit_xor(b, carry);
                let differ = self.bit_and(a_carry, b_carry);
                carry = self.bit_xor(differ, carry);
            }
        }
        sum.reverse();
        sum
    }

    /// `a - b`, at the cost of a sum.
    pub(crate) fn subtract_bits(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        let mut difference = Vec::with_capacity(a.len());
        let mut borrow = self.bit(false);
        for (k, (&a, &b)) in a.iter().zip(b).enumerate().rev() {
            let a_borrow = self.bit_xor(a, borrow);
            difference.push(self.bit_xor(a_borrow, b));
            // majority(!a, b, w) = ((b ^ w) & !(a ^ w)) ^ w
            if k > 0 {
                let b_borrow = self.bit_xor(b, borrow);
                let differ = self.bit_andn(b_borrow, a_borrow);
                borrow = self.bit_xor(differ, borrow);
            }
        }
        difference.reverse();
        difference
    }

    /// The low half of `a · b`: a row of the multiplicand for each bit of the multiplier, about 3·m² gates.
    pub(crate) fn multiply_bits(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        let zeros = |bits: &[Value]| bits.iter().filter(|&&bit| self.known_bit(bit) == Some(false)).count();
        let (multiplicand, multiplier) = if zeros(a) > zeros(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut product = vec![self.bit(false); width];
        for (weight, &factor) in multiplier.iter().rev().enumerate() {
            if self.known_bit(factor) == Some(false) {
                continue;
            }
            let row: Vec<Value> = multiplicand[weight..].iter().map(|&bit| self.bit_and(bit, factor)).collect();
            let sum = self.add_bits(&product[..width - weight], &row);
            product[..width - weight].copy_from_slice(&sum);
        }
        product
    }

    fn bit_xor(&mut self, a: Value, b: Value) -> Value {
        match (self.known_bit(a), self.known_bit(b)) {
            (Some(x), Some(y)) => self.bit(x ^ y),
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), _) => self.same(Op::Not, &[b]),
            (_, Some(true)) => self.same(Op::Not, &[a]),
            _ => self.same(Op::Xor, &[a, b]),
        }
    }

    fn bit_and(&mut self, a: Value, b: Value) -> Value {
        match (self.known_bit(a), self.known_bit(b)) {
            (Some(false), _) | (_, Some(false)) => self.bit(false),
            (Some(true), _) => b,
            (_, Some(true)) => a,
            _ => self.same(Op::And, &[a, b]),
        }
    }

    fn bit_andn(&mut self, a: Value, b: Value) -> Value {
        match (self.known_bit(a), self.known_bit(b)) {
            (Some(false), _) | (_, Some(true)) => self.bit(false),
            (_, Some(false)) => a,
            (Some(true), _) => self.same(Op::Not, &[b]),
            _ => self.same(Op::Andn, &[a, b]),
        }
    }
}
