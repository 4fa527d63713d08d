//! Operations that act on every bit position in the same way.

use crate::concat::Parts;
use crate::{Node, Term, Terms, limbs};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bitwise {
    And,
    Or,
    Xor,
}

impl Terms {
    pub fn not(&mut self, a: Term) -> Term {
        let bits = self.bits(a);
        match self.node(a) {
            &Node::Not(inner) => inner,
            Node::Constant(value) => {
                let value = limbs::not(bits, value);
                self.constant_wide(bits, &value)
            }
            Node::Concat(parts) => {
                let parts: Parts = Parts::from_slice(parts).into_iter().map(|part| self.not(part)).collect();
                self.concat(&parts)
            }
            &Node::Select(condition, then, otherwise) if self.is_constant(then) && self.is_constant(otherwise) => {
                let (then, otherwise) = (self.not(then), self.not(otherwise));
                self.select(condition, then, otherwise)
            }
            _ => self.intern(Node::Not(a), bits),
        }
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Bitwise::And, a, b)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Bitwise::Or, a, b)
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Bitwise::Xor, a, b)
    }

    /// `a & !b`
    pub fn andn(&mut self, a: Term, b: Term) -> Term {
        let not_b = self.not(b);
        self.and(a, not_b)
    }

    pub(crate) fn bitwise(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        self.assert_same_bits(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(simple) = self.simple_operands(operation, a, b) {
            return simple;
        }
        if let Some(chosen) = self.bitwise_of_choices(operation, a, b) {
            return chosen;
        }
        if let Some(whole) = self.by_pieces(operation, a, b) {
            return whole;
        }
        self.bitwise_node(operation, a, b)
    }

    /// Operands of a commutative operation in normal order: constants last.
    pub(crate) fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |term| (self.is_constant(term), term);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// The result for constants, and for operands that are equal or complements.
    fn simple_operands(&mut self, operation: Bitwise, a: Term, b: Term) -> Option<Term> {
        let bits = self.bits(a);
        if let (Some(x), Some(y)) = (self.constant_limbs(a), self.constant_limbs(b)) {
            let value = limbs::zip(x, y, |x, y| match operation {
                Bitwise::And => x & y,
                Bitwise::Or => x | y,
                Bitwise::Xor => x ^ y,
            });
            return Some(self.constant_wide(bits, &value));
        }
        let complements = *self.node(a) == Node::Not(b) || *self.node(b) == Node::Not(a);
        match operation {
            Bitwise::And if a == b || self.is_ones(b) => Some(a),
            Bitwise::And if self.is_zero(b) => Some(b),
            Bitwise::And if complements => Some(self.zero(bits)),
            Bitwise::Or if a == b || self.is_zero(b) => Some(a),
            Bitwise::Or if self.is_ones(b) => Some(b),
            Bitwise::Or | Bitwise::Xor if complements => Some(self.ones(bits)),
            Bitwise::Xor if a == b => Some(self.zero(bits)),
            Bitwise::Xor if self.is_zero(b) => Some(a),
            Bitwise::Xor if self.is_ones(b) => Some(self.not(a)),
            _ => None,
        }
    }

    /// The node of the operation. Complements are moved outwards if that leaves fewer of them.
    fn bitwise_node(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        let bits = self.bits(a);
        match (operation, self.node(a), self.node(b)) {
            (Bitwise::Xor, &Node::Xor(x, y), _) if x == b || y == b => return if x == b { y } else { x },
            (Bitwise::Xor, _, &Node::Xor(x, y)) if x == a || y == a => return if x == a { y } else { x },
            (Bitwise::Xor, &Node::Not(x), _) => {
                let inner = self.xor(x, b);
                return self.not(inner);
            }
            (Bitwise::Xor, _, &Node::Not(y)) => {
                let inner = self.xor(a, y);
                return self.not(inner);
            }
            (Bitwise::And, &Node::Not(x), &Node::Not(y)) => {
                let inner = self.or(x, y);
                return self.not(inner);
            }
            (Bitwise::Or, &Node::Not(x), &Node::Not(y)) => {
                let inner = self.and(x, y);
                return self.not(inner);
            }
            _ => {}
        }
        let node = match operation {
            Bitwise::And => Node::And(a, b),
            Bitwise::Or => Node::Or(a, b),
            Bitwise::Xor => Node::Xor(a, b),
        };
        self.intern(node, bits)
    }
}
