//! Sums, differences and products.

use crate::{Node, Term, Terms, limbs};

impl Terms {
    /// The sum modulo 2^bits.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        if !self.is_constant(b) {
            return self.add_carry(a, b, None);
        }
        // Addresses are computed again and again, so that their sums are cached.
        if let Some(&sum) = self.distances.get(&(a, b)) {
            return sum;
        }
        let sum = self.add_carry(a, b, None);
        self.distances.insert((a, b), sum);
        sum
    }

    /// The difference modulo 2^bits.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.sub_borrow(a, b, None)
    }

    /// `a + b + carry` modulo 2^bits; the carry has one bit.
    pub fn add_carry(&mut self, a: Term, b: Term, carry: Option<Term>) -> Term {
        let bits = self.assert_same_bits(a, b);
        let (carry_in, carry) = self.constant_carry(carry);
        if !carry_in
            && carry.is_none()
            && let Some(sum) = self.cancelled(a, b).or_else(|| self.cancelled(b, a))
        {
            return sum;
        }
        let ((a, first), (b, second)) = (self.split_offset(a), self.split_offset(b));
        let offset = limbs::add(bits, &first, &second, carry_in);
        let sum = match (a, b, carry) {
            (None, None, None) => return self.constant_wide(bits, &offset),
            (None, None, Some(carry)) => self.zero_extend(carry, bits),
            (Some(one), None, None) | (None, Some(one), None) => one,
            (Some(one), None, carry) | (None, Some(one), carry) => {
                let rest = self.constant_wide(bits, &offset);
                return self.intern(Node::Add(one, rest, carry), bits);
            }
            (Some(a), Some(b), carry) => self.sum(a, b, carry),
        };
        self.with_offset(sum, &offset)
    }

    /// `a - b - borrow` modulo 2^bits; the borrow has one bit.
    pub fn sub_borrow(&mut self, a: Term, b: Term, borrow: Option<Term>) -> Term {
        let bits = self.assert_same_bits(a, b);
        let (borrow_in, borrow) = self.constant_carry(borrow);
        if a == b && !borrow_in {
            return match borrow {
                None => self.zero(bits),
                Some(borrow) => self.broadcast_bit(borrow, bits),
            };
        }
        if let Some(borrow) = borrow {
            return self.intern(Node::Sub(a, b, Some(borrow)), bits);
        }
        if let (Some((low_a, rest_a)), Some((low_b, rest_b))) = (self.constant_below(a), self.constant_below(b))
            && self.bits(low_a) == self.bits(low_b)
        {
            return self.difference_of_parts((low_a, rest_a), (low_b, rest_b), borrow_in);
        }
        let ((a, first), (b, second)) = (self.split_offset(a), self.split_offset(b));
        let offset = limbs::sub(bits, &first, &second, borrow_in);
        let difference = match (a, b) {
            (None, None) => return self.constant_wide(bits, &offset),
            (Some(a), None) => a,
            (Some(a), Some(b)) if a == b => return self.constant_wide(bits, &offset),
            (Some(a), Some(b)) => self.intern(Node::Sub(a, b, None), bits),
            (None, Some(b)) => {
                let constant = self.constant_wide(bits, &offset);
                return self.intern(Node::Sub(constant, b, None), bits);
            }
        };
        self.with_offset(difference, &offset)
    }

    /// The product modulo 2^bits.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let bits = self.assert_same_bits(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(factor) = self.constant_limbs(b) {
            if let Some(value) = self.constant_limbs(a) {
                let product = limbs::mul(bits, value, factor);
                return self.constant_wide(bits, &product);
            }
            let ones: u32 = factor.iter().map(|limb| limb.count_ones()).sum();
            match ones {
                0 => return b,
                1 => return self.shl(a, limbs::significant_bits(factor) - 1),
                _ => {}
            }
        }
        let used = self.significant_bits(a) + self.significant_bits(b);
        if used < bits {
            let (x, y) = (self.extract(a, 0, used), self.extract(b, 0, used));
            let product = self.mul(x, y);
            return self.zero_extend(product, bits);
        }
        self.intern(Node::Mul(a, b), bits)
    }

    /// The product of polynomials over GF(2), where bit i is the coefficient of x^i, modulo x^bits.
    pub fn clmul(&mut self, a: Term, b: Term) -> Term {
        let bits = self.assert_same_bits(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(factor) = self.constant_limbs(b) {
            if let Some(value) = self.constant_limbs(a) {
                let product = limbs::clmul(bits, value, factor);
                return self.constant_wide(bits, &product);
            }
            if limbs::is_zero(factor) {
                return b;
            }
        }
        // A term that is not a constant has at least one significant bit.
        let used = self.significant_bits(a) + self.significant_bits(b) - 1;
        if used < bits {
            let (x, y) = (self.extract(a, 0, used), self.extract(b, 0, used));
            let product = self.clmul(x, y);
            return self.zero_extend(product, bits);
        }
        self.intern(Node::ClMul(a, b), bits)
    }

    /// A word as `base + offset` modulo 2^bits, for addresses. Words of more than 64 bits, and constants, are their own
    /// base.
    pub fn base_and_offset(&self, term: Term) -> (Term, u64) {
        match *self.node(term) {
            Node::Add(base, offset, None) if self.bits(term) <= 64 => match self.value(offset) {
                Some(offset) => (base, offset),
                None => (term, 0),
            },
            _ => (term, 0),
        }
    }

    /// A sum whose operands are not constants.
    fn sum(&mut self, a: Term, b: Term, carry: Option<Term>) -> Term {
        let bits = self.bits(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if carry.is_none() && self.share_no_bit(a, b) {
            return self.or(a, b);
        }
        let used = self.significant_bits(a).max(self.significant_bits(b)) + 1;
        if used < bits {
            let (x, y) = (self.extract(a, 0, used), self.extract(b, 0, used));
            let sum = self.sum(x, y, carry);
            return self.zero_extend(sum, bits);
        }
        self.intern(Node::Add(a, b, carry), bits)
    }

    /// The sum `(constant - x) + b` if `b - x` is a constant. Compilers make such sums of the distance between two
    /// addresses.
    fn cancelled(&mut self, a: Term, b: Term) -> Option<Term> {
        let (difference, offset) = match *self.node(a) {
            Node::Add(base, offset, None) if self.is_constant(offset) => (base, Some(offset)),
            _ => (a, None),
        };
        let Node::Sub(constant, subtrahend, None) = *self.node(difference) else { return None };
        if !self.is_constant(constant) || self.is_constant(b) {
            return None;
        }
        let rest = Some(self.sub(b, subtrahend)).filter(|&rest| self.is_constant(rest))?;
        let sum = self.add(constant, rest);
        Some(offset.map_or(sum, |offset| self.add(sum, offset)))
    }

    /// Splits a carry: a constant one as a bit, any other one as a term.
    fn constant_carry(&self, carry: Option<Term>) -> (bool, Option<Term>) {
        let Some(carry) = carry else { return (false, None) };
        assert_eq!(self.bits(carry), 1, "a carry has one bit");
        match self.value(carry) {
            Some(value) => (value == 1, None),
            None => (false, Some(carry)),
        }
    }

    /// A word as base plus constant, where no base stands for zero.
    fn split_offset(&self, term: Term) -> (Option<Term>, limbs::Limbs) {
        let zero = || limbs::fit(self.bits(term), &[]);
        match self.node(term) {
            Node::Constant(value) => (None, value.iter().copied().collect()),
            &Node::Add(base, offset, None) => match self.constant_limbs(offset) {
                Some(value) => (Some(base), value.iter().copied().collect()),
                None => (Some(term), zero()),
            },
            _ => (Some(term), zero()),
        }
    }

    /// The sum `base + offset`, where the base is no sum with a constant.
    fn with_offset(&mut self, base: Term, offset: &[u64]) -> Term {
        if limbs::is_zero(offset) {
            return base;
        }
        let bits = self.bits(base);
        if let Some((low, rest)) = self.constant_below(base) {
            // Sums with an aligned address keep their low bits separate, whatever is added next.
            let width = self.bits(low);
            let low = limbs::fit(width + 1, self.constant_limbs(low).unwrap_or_default());
            let added = limbs::fit(width + 1, &limbs::extract(offset, 0, width));
            let sum = limbs::add(width + 1, &low, &added, false);
            let carry = limbs::bit(&sum, width);
            let (above, zero) = (limbs::extract(offset, width, bits - width), limbs::fit(bits - width, &[]));
            let above = limbs::add(bits - width, &above, &zero, carry);
            let above = self.constant_wide(bits - width, &above);
            let parts = [self.constant_wide(width, &sum), self.add(rest, above)];
            return self.concat(&parts);
        }
        let offset = self.constant_wide(bits, offset);
        if self.share_no_bit(base, offset) {
            return self.or(base, offset);
        }
        self.intern(Node::Add(base, offset, None), bits)
    }

    /// The difference of two words, each split into a constant low part and the rest; the low parts have one width.
    fn difference_of_parts(&mut self, a: (Term, Term), b: (Term, Term), borrow: bool) -> Term {
        let width = self.bits(a.0) + 1;
        let [x, y] = [a.0, b.0].map(|low| limbs::fit(width, self.constant_limbs(low).unwrap_or_default()));
        let low = limbs::sub(width, &x, &y, borrow);
        let above_borrow = limbs::bit(&low, width - 1);
        let low = self.constant_wide(width - 1, &low);
        let borrow = self.constant_wide(1, &[u64::from(above_borrow)]);
        let above = self.sub_borrow(a.1, b.1, Some(borrow));
        self.concat(&[low, above])
    }

    /// A concatenation with a constant at its low end, as that constant and the rest; `None` for other terms.
    fn constant_below(&mut self, term: Term) -> Option<(Term, Term)> {
        let Node::Concat(parts) = self.node(term) else { return None };
        let (&low, above) = parts.split_first()?;
        let above = above.to_vec();
        self.is_constant(low).then(|| (low, self.concat(&above)))
    }

    /// Whether at every bit one of the two is certainly zero, judged by constant parts of concatenations.
    fn share_no_bit(&self, a: Term, b: Term) -> bool {
        if !matches!(self.node(a), Node::Concat(_)) && !matches!(self.node(b), Node::Concat(_)) {
            return false;
        }
        let maybe_a = self.maybe_one(a);
        let maybe_b = self.maybe_one(b);
        maybe_a.iter().zip(&maybe_b).all(|(x, y)| x & y == 0)
    }

    /// A mask with a one for every bit that may be one.
    fn maybe_one(&self, term: Term) -> limbs::Limbs {
        let bits = self.bits(term);
        match self.node(term) {
            Node::Constant(value) => value.iter().copied().collect(),
            Node::Concat(parts) => {
                let mut all = limbs::fit(bits, &[]);
                let mut low = 0;
                for &part in parts {
                    match self.constant_limbs(part) {
                        Some(value) => limbs::place(&mut all, low, value),
                        None => limbs::place(&mut all, low, &limbs::ones(self.bits(part))),
                    }
                    low += self.bits(part);
                }
                all
            }
            _ => limbs::ones(bits),
        }
    }
}
