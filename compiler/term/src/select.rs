//! Selection and comparison.

use crate::bitwise::Bitwise;
use crate::concat::Parts;
use crate::{Node, Term, Terms, limbs};

impl Terms {
    /// `condition ? then : otherwise`; the condition has one bit.
    pub fn select(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        assert_eq!(self.bits(condition), 1, "a condition has one bit");
        let bits = self.assert_same_bits(then, otherwise);
        if then == otherwise {
            return then;
        }
        if let Some(value) = self.value(condition) {
            return if value == 1 { then } else { otherwise };
        }
        let (condition, then, otherwise) = match *self.node(condition) {
            Node::Not(inner) => (inner, otherwise, then),
            _ => (condition, then, otherwise),
        };
        let then = self.assuming(condition, then, true);
        let otherwise = self.assuming(condition, otherwise, false);
        if then == otherwise {
            return then;
        }
        if bits == 1
            && let Some(gate) = self.select_bit(condition, then, otherwise)
        {
            return gate;
        }
        let used = self.significant_bits(then).max(self.significant_bits(otherwise)).max(1);
        if used < bits && !(self.is_constant(then) && self.is_constant(otherwise)) {
            let (x, y) = (self.extract(then, 0, used), self.extract(otherwise, 0, used));
            let low = self.select(condition, x, y);
            return self.zero_extend(low, bits);
        }
        self.intern(Node::Select(condition, then, otherwise), bits)
    }

    /// All ones if `bit` is 1, else zero.
    pub fn broadcast_bit(&mut self, bit: Term, bits: u32) -> Term {
        let (ones, zero) = (self.ones(bits), self.zero(bits));
        self.select(bit, ones, zero)
    }

    /// One bit: whether `a = b`.
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        let bits = self.assert_same_bits(a, b);
        if a == b {
            return self.ones(1);
        }
        if bits == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        let (a, b) = self.ordered(a, b);
        if self.is_constant(a) {
            return self.zero(1);
        }
        if let Some(simpler) = self.equal_to_constant(a, b).or_else(|| self.equal_parts(a, b)) {
            return simpler;
        }
        self.intern(Node::Equal(a, b), 1)
    }

    /// The number of low bits outside which the term is certainly zero.
    pub fn significant_bits(&self, term: Term) -> u32 {
        let bits = self.bits(term);
        match self.node(term) {
            Node::Constant(value) => limbs::significant_bits(value),
            Node::Concat(parts) => match parts.last() {
                Some(&top) if self.is_constant(top) => bits - self.bits(top) + self.significant_bits(top),
                _ => bits,
            },
            _ => bits,
        }
    }

    /// The term `term`, if the value of `condition` is known to be `holds`.
    fn assuming(&mut self, condition: Term, term: Term, holds: bool) -> Term {
        match *self.node(term) {
            Node::Select(inner, then, otherwise) if inner == condition => {
                if holds {
                    then
                } else {
                    otherwise
                }
            }
            _ if term == condition => self.constant_u64(1, u64::from(holds)),
            _ => term,
        }
    }

    /// A choice between bits of which one is constant, as a gate.
    fn select_bit(&mut self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        match (self.value(then), self.value(otherwise)) {
            (Some(1), Some(_)) => Some(condition),
            (Some(0), Some(_)) => Some(self.not(condition)),
            (Some(1), None) => Some(self.or(condition, otherwise)),
            (Some(0), None) => Some(self.andn(otherwise, condition)),
            (None, Some(0)) => Some(self.and(condition, then)),
            (None, Some(1)) => {
                let not_condition = self.not(condition);
                Some(self.or(not_condition, then))
            }
            _ => None,
        }
    }

    /// Bitwise operations on choices: masks become choices, and choices by one condition become one choice.
    pub(crate) fn bitwise_of_choices(&mut self, operation: Bitwise, a: Term, b: Term) -> Option<Term> {
        let (choice, other) = match (self.node(a), self.node(b)) {
            (Node::Select(..), _) if self.chooses_simply(operation, a, b) => (a, b),
            (_, Node::Select(..)) if self.chooses_simply(operation, b, a) => (b, a),
            _ => return None,
        };
        let Node::Select(condition, then, otherwise) = *self.node(choice) else { return None };
        let (other_then, other_otherwise) = match *self.node(other) {
            Node::Select(same, then, otherwise) if same == condition => (then, otherwise),
            _ => (other, other),
        };
        let then = self.bitwise(operation, then, other_then);
        let otherwise = self.bitwise(operation, otherwise, other_otherwise);
        Some(self.select(condition, then, otherwise))
    }

    /// Whether the operation on both arms of `choice` needs no more operations than on the choice itself.
    fn chooses_simply(&self, operation: Bitwise, choice: Term, other: Term) -> bool {
        let Node::Select(condition, then, otherwise) = *self.node(choice) else { return false };
        let (other_then, other_otherwise) = match *self.node(other) {
            Node::Select(same, then, otherwise) if same == condition => (then, otherwise),
            _ => (other, other),
        };
        self.vanishes(operation, then, other_then) && self.vanishes(operation, otherwise, other_otherwise)
    }

    /// Whether the operation on these operands gives one of them, a constant, or an operand of one of them.
    fn vanishes(&self, operation: Bitwise, a: Term, b: Term) -> bool {
        if a == b || (self.is_constant(a) && self.is_constant(b)) || self.is_zero(a) || self.is_zero(b) {
            return true;
        }
        let undoes = |whole, part| matches!(*self.node(whole), Node::Xor(x, y) if x == part || y == part);
        match operation {
            Bitwise::And | Bitwise::Or => self.is_ones(a) || self.is_ones(b),
            Bitwise::Xor => undoes(a, b) || undoes(b, a),
        }
    }

    fn equal_to_constant(&mut self, a: Term, b: Term) -> Option<Term> {
        let bits = self.bits(a);
        let value = self.constant_limbs(b)?;
        match *self.node(a) {
            Node::Not(inner) => {
                let value = limbs::not(bits, value);
                let complement = self.constant_wide(bits, &value);
                Some(self.equal(inner, complement))
            }
            Node::Add(x, offset, None) => {
                let value = limbs::sub(bits, value, self.constant_limbs(offset)?, false);
                let rest = self.constant_wide(bits, &value);
                Some(self.equal(x, rest))
            }
            Node::Sub(x, y, None) if limbs::is_zero(value) => Some(self.equal(x, y)),
            Node::Xor(x, y) if limbs::is_zero(value) => Some(self.equal(x, y)),
            Node::Select(condition, then, otherwise) if self.is_constant(then) && self.is_constant(otherwise) => {
                let (then, otherwise) = (self.equal(then, b), self.equal(otherwise, b));
                Some(self.select(condition, then, otherwise))
            }
            _ => None,
        }
    }

    /// The comparison of concatenations: a part that differs decides, and an equal part is ignored.
    fn equal_parts(&mut self, a: Term, b: Term) -> Option<Term> {
        let Node::Concat(parts) = self.node(a) else { return None };
        let parts = Parts::from_slice(parts);
        if !self.is_constant(b) && !matches!(self.node(b), Node::Concat(_)) {
            return None;
        }
        let (mut left, mut right) = (Parts::new(), Parts::new());
        let mut low = 0;
        for &part in &parts {
            let bits = self.bits(part);
            let other = self.extract(b, low, bits);
            low += bits;
            if self.is_constant(part) && self.is_constant(other) && part != other {
                return Some(self.zero(1));
            }
            if part != other {
                left.push(part);
                right.push(other);
            }
        }
        if left.len() == parts.len() {
            return None;
        }
        let (left, right) = (self.concat(&left), self.concat(&right));
        Some(self.equal(left, right))
    }
}
