//! Terms as polynomials.

use culet_term::{Node, Term};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};

use super::interval::{Interval, power_of_two};
use super::polynomial::{Monomial, Polynomial};
use super::{Algebra, Kind};

impl Algebra<'_> {
    /// The polynomials of terms. Inputs have the range of their words unless [`Algebra::limb`] said otherwise.
    pub fn evaluate(&mut self, roots: &[Term]) -> Vec<Polynomial> {
        for term in self.terms.cone(roots) {
            if !self.values.contains_key(&term) {
                let value = self.value_of_node(term);
                let value = self.settled(&value);
                self.values.insert(term, value);
            }
            if let Some(&bit) = self.assumed.get(&term) {
                self.assume(term, bit);
            }
        }
        roots.iter().map(|&root| self.value(root)).collect()
    }

    fn value(&self, term: Term) -> Polynomial {
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
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                self.selection_by(condition, &then, &otherwise)
            }
            Node::Equal(a, b) => {
                let difference = self.value(a).minus(&self.value(b));
                self.is_zero_bit(&difference)
            }
            Node::And(a, b) => self.and(term, a, b),
            Node::Or(a, b) => self.or(term, a, b),
            Node::Xor(a, b) => self.xor(term, a, b),
            Node::Tern(..) => self.unknown_word(term),
        }
    }

    /// A word that nothing is known of but its width.
    fn unknown_word(&mut self, term: Term) -> Polynomial {
        let range = Interval::word(self.terms.bits(term));
        Polynomial::atom(self.atom(Kind::Word(term), range))
    }

    fn complement(&mut self, a: &Polynomial, bits: u32) -> Polynomial {
        a.negated().plus_constant(power_of_two(bits) - 1i32)
    }

    /// `a + b + carry`, or `a - b - carry`.
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

    /// Bits `low..low + bits` of a word.
    fn part(&mut self, word: Term, low: u32, bits: u32) -> Polynomial {
        let word = self.value(word);
        let above = self.floor(&word, low);
        if self.bound(&above).within(&Interval::word(bits)) {
            return above;
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

    fn selection_by(&mut self, condition: Term, then: &Polynomial, otherwise: &Polynomial) -> Polynomial {
        let bit = self.value(condition);
        let is_product = bit.as_constant().is_none() && then.minus(otherwise).as_constant().is_none();
        if is_product {
            self.conditions.push(condition);
        }
        self.selection(&bit, then, otherwise)
    }

    /// `then` where the bit is 1, else `otherwise`.
    fn selection(&mut self, bit: &Polynomial, then: &Polynomial, otherwise: &Polynomial) -> Polynomial {
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

    /// A polynomial of one atom whose square is known, for one that is 0 or 1.
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

    /// 1 if the polynomial is 0, else 0.
    fn is_zero_bit(&mut self, difference: &Polynomial) -> Polynomial {
        let range = self.bound(difference);
        if !Interval::point(BigInt::zero()).within(&range) {
            return Polynomial::zero();
        }
        if range.single().is_some() {
            return Polynomial::constant(1);
        }
        if range.within(&Interval::bit()) {
            return difference.negated().plus_constant(1);
        }
        if range.within(&Interval::new(-1, 0)) {
            return difference.plus_constant(1);
        }
        let key = if difference.leads_negative() { difference.negated() } else { difference.clone() };
        if let Some(&known) = self.zeros.get(&key) {
            return Polynomial::atom(known);
        }
        let atom = self.atom(Kind::IsZero(key.clone()), Interval::bit());
        self.zeros.insert(key, atom);
        Polynomial::atom(atom)
    }

    /// The bit b with `word = (2^bits - 1) * b`, if there is one.
    fn mask(&mut self, word: &Polynomial, bits: u32) -> Option<Polynomial> {
        let ones = power_of_two(bits) - 1i32;
        if word.iter().any(|(_, c)| !(c % &ones).is_zero()) {
            return None;
        }
        let bit = word.map(|c| c / &ones);
        self.bound(&bit).within(&Interval::bit()).then_some(bit)
    }

    /// Of two words one that is a mask, its bit, and the other one.
    fn masked(&mut self, a: Term, b: Term) -> Option<(Polynomial, Polynomial)> {
        let bits = self.terms.bits(a);
        for (mask, other) in [(a, b), (b, a)] {
            let word = self.value(mask);
            if let Some(bit) = self.mask(&word, bits) {
                self.conditions.push(mask);
                return Some((bit, self.value(other)));
            }
        }
        None
    }

    fn and(&mut self, term: Term, a: Term, b: Term) -> Polynomial {
        let bits = self.terms.bits(term);
        let zero = Polynomial::zero();
        let (p, q) = (self.value(a), self.value(b));
        if bits == 1 {
            return self.selection(&p, &q, &zero);
        }
        match self.masked(a, b) {
            Some((bit, other)) => self.selection(&bit, &other, &zero),
            None => self.unknown_word(term),
        }
    }

    fn or(&mut self, term: Term, a: Term, b: Term) -> Polynomial {
        let bits = self.terms.bits(term);
        let ones = Polynomial::constant(power_of_two(bits) - 1i32);
        let (p, q) = (self.value(a), self.value(b));
        if bits == 1 {
            return self.selection(&p, &ones, &q);
        }
        if let Some(sum) = self.disjoint_sum(&p, &q) {
            return sum;
        }
        match self.masked(a, b) {
            Some((bit, other)) => self.selection(&bit, &ones, &other),
            None => self.unknown_word(term),
        }
    }

    fn xor(&mut self, term: Term, a: Term, b: Term) -> Polynomial {
        let bits = self.terms.bits(term);
        let (p, q) = (self.value(a), self.value(b));
        if bits == 1 {
            let complement = self.complement(&q, 1);
            return self.selection(&p, &complement, &q);
        }
        if let Some(sum) = self.disjoint_sum(&p, &q) {
            return sum;
        }
        if let Some(chosen) = self.exchanged(a, b, bits).or_else(|| self.exchanged(b, a, bits)) {
            return chosen;
        }
        match self.masked(a, b) {
            Some((bit, other)) => {
                let complement = self.complement(&other, bits);
                self.selection(&bit, &complement, &other)
            }
            None => self.unknown_word(term),
        }
    }

    /// Of two words of which one is zero, as their product shows: the sum, which is or and xor, too.
    fn disjoint_sum(&mut self, p: &Polynomial, q: &Polynomial) -> Option<Polynomial> {
        if !self.product(p, q).is_zero() {
            return None;
        }
        let sum = p.plus(q);
        let range = self.bound(p).hull(&self.bound(q));
        self.record(&sum, &range);
        Some(sum)
    }

    /// `x ^ ((x ^ y) & mask)` is y where the mask is set.
    fn exchanged(&mut self, x: Term, masked: Term, bits: u32) -> Option<Polynomial> {
        let Node::And(a, b) = *self.terms.node(masked) else { return None };
        for (both, mask) in [(a, b), (b, a)] {
            let Node::Xor(left, right) = *self.terms.node(both) else { continue };
            let other = if left == x {
                right
            } else if right == x {
                left
            } else {
                continue;
            };
            let mask = self.value(mask);
            if let Some(bit) = self.mask(&mask, bits) {
                let (other, x) = (self.value(other), self.value(x));
                return Some(self.selection(&bit, &other, &x));
            }
        }
        None
    }

    /// The case that a bit, or every bit of a mask, is clear or set.
    fn assume(&mut self, term: Term, bit: bool) {
        let value = BigInt::from(u8::from(bit));
        let bits = self.terms.bits(term);
        let word = self.value(term);
        let Some(polynomial) = self.mask(&word, bits) else { return };
        self.values.insert(term, Polynomial::constant(&value * (power_of_two(bits) - 1i32)));
        let rest = polynomial.plus_constant(-&value);
        if rest.as_constant().is_some() {
            self.is_impossible |= !rest.is_zero();
            return;
        }
        self.add_fact(&polynomial, &Interval::point(value.clone()));
        self.equate(&polynomial, &value);
    }

    /// The case that a bit has a value.
    pub(super) fn suppose(&mut self, bit: super::Atom, value: &BigInt) {
        self.equations.push((bit, Polynomial::constant(value.clone())));
        self.fix(bit, value);
        if let Kind::Bit(of) = self.definition(bit).kind.clone() {
            self.equate(&of, value);
        }
    }

    /// A polynomial that has a value in the case at hand: its last atom becomes one in others.
    fn equate(&mut self, polynomial: &Polynomial, value: &BigInt) {
        let rest = self.settled(polynomial).plus_constant(-value);
        let linear = rest.linear_atoms();
        let Some(&(atom, c)) = linear.iter().rev().find(|(_, c)| c.abs().is_one()) else { return };
        let by = rest.without(atom).scaled(&-c);
        if let Some(known) = by.as_constant() {
            self.fix(atom, &known);
        }
        self.equations.push((atom, by));
    }

    /// What follows from the value of an atom.
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

    /// With the polynomials of bits where they stand by themselves.
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
