//! Terms as polynomials.

use culet_term::{Node, Term};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};

use super::interval::{Interval, power_of_two};
use super::polynomial::{Monomial, Polynomial};
use super::{Algebra, Kind};

impl Algebra<'_> {
    /// Returns the polynomials of terms. Inputs have the range of their words unless [`Algebra::limb`] said otherwise.
    pub fn evaluate(&mut self, roots: &[Term]) -> Vec<Polynomial> {
        for term in self.terms.cone(roots) {
            if !self.values.contains_key(&term) {
                let value = self.value_of_node(term);
                let value = self.settled(&value);
                self.values.insert(term, value);
            }
        }
        roots.iter().map(|&root| self.value(root)).collect()
    }

    pub(super) fn value(&self, term: Term) -> Polynomial {
        self.settled(&self.values[&term])
    }

    fn value_of_node(&mut self, term: Term) -> Polynomial {
        let bits = self.terms.bits(term);
        match *self.terms.node(term) {
            Node::Input(input) => {
                let name = self.terms.name(input).to_owned();
                Polynomial::atom(self.input(&name, Interval::word(bits)))
            }
            Node::Constant(ref limbs) => {
                let digits: Vec<u32> = limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
                Polynomial::constant(BigInt::from_slice(Sign::Plus, &digits))
            }
            Node::Not(a) => {
                let a = self.value(a);
                self.complement(&a, bits)
            }
            Node::Add(a, b, carry) => self.sum(a, b, carry, false),
            Node::Sub(a, b, borrow) => self.sum(a, b, borrow, true),
            Node::Mul(a, b) => self.word_product(a, b),
            Node::Extract(a, low) => self.part(a, u32::from(low), bits),
            Node::Concat(ref parts) => self.joined(parts),
            Node::Select(condition, then, otherwise) => {
                let (bit, then, otherwise) = (self.value(condition), self.value(then), self.value(otherwise));
                self.selection(&bit, &then, &otherwise)
            }
            Node::Equal(a, b) => {
                let difference = self.value(a).minus(&self.value(b));
                self.is_zero(&difference)
            }
            Node::And(..) | Node::Or(..) | Node::Xor(..) | Node::Tern(..) => self.bitwise(term),
            Node::ClMul(..) => self.unknown_word(term),
        }
    }

    /// Returns an atom for a word of which nothing is known but its width.
    pub(super) fn unknown_word(&mut self, term: Term) -> Polynomial {
        let range = Interval::word(self.terms.bits(term));
        Polynomial::atom(self.atom(Kind::Word(term), range))
    }

    pub(super) fn complement(&mut self, a: &Polynomial, bits: u32) -> Polynomial {
        a.negated().plus_constant(power_of_two(bits) - 1i32)
    }

    /// Returns `a + b + carry`, or `a - b - carry`, as a word.
    fn sum(&mut self, a: Term, b: Term, carry: Option<Term>, is_difference: bool) -> Polynomial {
        let bits = self.terms.bits(a);
        let mut sum = self.value(a);
        let mut range = self.bound(&sum);
        for operand in [Some(b), carry].into_iter().flatten() {
            let operand = self.value(operand);
            let of_operand = self.bound(&operand);
            (sum, range) = match is_difference {
                false => (sum.plus(&operand), range.plus(&of_operand)),
                true => (sum.minus(&operand), range.minus(&of_operand)),
            };
        }
        self.record(&sum, &range);
        self.wrapped(&sum, bits)
    }

    fn word_product(&mut self, a: Term, b: Term) -> Polynomial {
        let bits = self.terms.bits(a);
        let (a, b) = (self.value(a), self.value(b));
        let range = self.bound(&a).times(&self.bound(&b));
        let product = self.product(&a, &b);
        self.record(&product, &range);
        self.wrapped(&product, bits)
    }

    /// Returns bits `low..low + bits` of a word.
    fn part(&mut self, word: Term, low: u32, bits: u32) -> Polynomial {
        let word = self.value(word);
        let above = self.floor(&word, low);
        if self.bound(&above).within(&Interval::word(bits)) {
            return above;
        }
        if let Some(known) = (low == 0).then(|| self.word_by_inverse(&word, bits)).flatten() {
            return known;
        }
        let top = self.floor(&word, low + bits);
        let part = above.minus(&top.shifted(bits));
        self.record(&part, &Interval::word(bits));
        part
    }

    fn joined(&mut self, parts: &[Term]) -> Polynomial {
        let mut sum = Polynomial::zero();
        let mut range = Interval::point(BigInt::zero());
        let mut low = 0;
        for &part in parts {
            let value = self.value(part);
            let weight = power_of_two(low);
            range = range.plus(&self.bound(&value).scaled(&weight));
            sum.add_scaled(&value, &weight);
            low += self.terms.bits(part);
        }
        self.record(&sum, &range);
        sum
    }

    /// Returns `then` where the bit is 1, else `otherwise`.
    pub fn selection(&mut self, bit: &Polynomial, then: &Polynomial, otherwise: &Polynomial) -> Polynomial {
        if let Some(value) = bit.as_constant() {
            return if value.is_zero() { otherwise.clone() } else { then.clone() };
        }
        let range = self.bound(then).hull(&self.bound(otherwise));
        let difference = then.minus(otherwise);
        let chosen = match difference.as_constant() {
            Some(constant) => bit.scaled(&constant),
            None => {
                let bit = self.bit_in_products(bit);
                self.product(&bit, &difference)
            }
        };
        let chosen = chosen.plus(otherwise);
        self.record(&chosen, &range);
        chosen
    }

    /// Returns a polynomial of one atom whose square is known, for a polynomial that is 0 or 1.
    fn bit_in_products(&mut self, bit: &Polynomial) -> Polynomial {
        let linear = bit.linear_atoms();
        if let &[(atom, c)] = &linear[..]
            && c.abs().is_one()
            && bit.len() <= 2
            && self.square(atom) != super::Square::Free
        {
            return bit.clone();
        }
        let complement = bit.negated().plus_constant(1);
        if let Some(&known) = self.bits.get(bit) {
            return Polynomial::atom(known);
        }
        if let Some(&known) = self.bits.get(&complement) {
            return Polynomial::atom(known).negated().plus_constant(1);
        }
        let atom = self.atom(Kind::Bit(bit.clone()), Interval::bit());
        self.bits.insert(bit.clone(), atom);
        Polynomial::atom(atom)
    }

    /// Returns 1 if the polynomial is 0, else 0.
    pub fn is_zero(&mut self, difference: &Polynomial) -> Polynomial {
        let range = self.bound(difference);
        if !Interval::point(BigInt::zero()).within(&range) {
            return Polynomial::zero();
        }
        if range.single().is_some() {
            return Polynomial::constant(1);
        }
        // If 0 is an end of the range, a floor decides: of the numbers from -2^k + 1 to 0, only 0 divided by 2^k is
        // rounded down to 0.
        if range.low.is_zero() || range.high.is_zero() {
            let negative = if range.low.is_zero() { difference.negated() } else { difference.clone() };
            let bits = u32::try_from(range.width().bits()).unwrap_or(u32::MAX);
            return self.floor(&negative, bits).plus_constant(1);
        }
        let key = if difference.leads_negative() { difference.negated() } else { difference.clone() };
        if let Some(&known) = self.zeros.get(&key) {
            return Polynomial::atom(known);
        }
        let atom = self.atom(Kind::IsZero(key.clone()), Interval::bit());
        self.zeros.insert(key, atom);
        Polynomial::atom(atom)
    }

    /// Returns the bit b with `word = (2^bits - 1) * b`, if there is one.
    pub(super) fn mask(&mut self, word: &Polynomial, bits: u32) -> Option<Polynomial> {
        let ones = power_of_two(bits) - 1i32;
        if let Some(value) = self.bound(word).single() {
            let bit = BigInt::from(u8::from(!value.is_zero()));
            return (&bit * &ones == *value).then(|| Polynomial::constant(bit));
        }
        if word.iter().any(|(_, c)| !(c % &ones).is_zero()) {
            return None;
        }
        let bit = word.map(|c| c / &ones);
        self.bound(&bit).within(&Interval::bit()).then_some(bit)
    }

    /// Begins the case in which a polynomial of two values, 0 and 1, has one of them.
    pub(super) fn suppose(&mut self, bit: &Polynomial, is_set: bool) {
        let value = BigInt::from(u8::from(is_set));
        let rest = self.settled(bit).plus_constant(-&value);
        if let Some(constant) = rest.as_constant() {
            self.is_impossible |= !constant.is_zero();
            return;
        }
        self.add_fact(&rest, &Interval::point(BigInt::zero()));
        self.equate(&rest);
        self.settle_bits();
    }

    /// Fixes bits in products that have a value in the current case.
    fn settle_bits(&mut self) {
        for index in 0..self.atoms.len() {
            let Kind::Bit(of) = &self.atoms[index].kind else { continue };
            if let Some(value) = self.settled(of).as_constant()
                && self.atoms[index].range.single().is_none()
            {
                let atom = super::Atom(index as u32);
                self.equations.push((atom, Polynomial::constant(value.clone())));
                self.fix(atom, &value);
            }
        }
    }

    /// Uses that a polynomial is zero in the current case: its last atom becomes a polynomial in others.
    pub(super) fn equate(&mut self, rest: &Polynomial) {
        let linear = rest.linear_atoms();
        let Some(&(atom, c)) = linear.iter().rev().find(|(_, c)| c.abs().is_one()) else { return };
        let by = rest.without(atom).scaled(&-c);
        let constant = by.as_constant();
        self.equations.push((atom, by));
        if let Some(value) = constant {
            self.fix(atom, &value);
        }
    }

    /// Adds what follows from the value of an atom.
    fn fix(&mut self, atom: super::Atom, value: &BigInt) {
        let point = Interval::point(value.clone());
        let definition = &mut self.atoms[atom.index()];
        self.is_impossible |= !point.within(&definition.range);
        definition.range = point;
        match definition.kind.clone() {
            Kind::Floor { of, shift } => {
                let low: BigInt = value << shift as usize;
                let high = &low + power_of_two(shift) - 1i32;
                self.add_fact(&of, &Interval::new(low, high));
            }
            Kind::Bit(of) => self.add_fact(&of, &Interval::point(value.clone())),
            Kind::IsZero(of) if value.is_one() => self.add_fact(&of, &Interval::point(BigInt::zero())),
            _ => {}
        }
    }

    /// Replaces bits that stand by themselves by their polynomials.
    pub(super) fn expanded(&self, polynomial: &Polynomial) -> Polynomial {
        let mut expanded = self.settled(polynomial);
        for (index, definition) in self.atoms.iter().enumerate().rev() {
            let Kind::Bit(of) = &definition.kind else { continue };
            let atom = super::Atom(index as u32);
            let alone = Monomial::from_slice(&[atom]);
            if let Some(c) = expanded.coefficient(&alone).cloned() {
                expanded.add_term(alone, -&c);
                expanded.add_scaled(&self.settled(of), &c);
            }
        }
        expanded
    }
}
