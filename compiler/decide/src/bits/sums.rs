//! Sums of integers: the same summands give the same bits, however a compiler has bracketed them.
//!
//! A word that is a sum is known by its form: a linear combination, modulo 2^bits, of words that are no sums. Two words
//! with the same form are one word. Two words that have no common bits, as those of a choice, are one summand, their
//! sum modulo 2: compilers write either.

use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::graph::{Graph, Literal};
use crate::effort::sums::MAX_SUMMANDS;

/// Width in bits of sums whose low half is known as a sum, too: code for 32-bit words adds by computing addresses,
/// which have 64 bits.
const ADDRESS_BITS: usize = 64;

/// Maximum width in bits of a constant; a wider one is a word like others.
const MAX_CONSTANT_BITS: usize = 64;

type Word = Rc<[Literal]>;

/// A sum of words and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Form {
    /// Numbers of words with their coefficients, ascending, none zero.
    words: Vec<(u32, i64)>,
    constant: i128,
}

/// The sums that have gates.
#[derive(Default)]
pub struct Sums {
    numbers: FxHashMap<Word, u32>,
    /// The sum that a word is, if it is one.
    forms: FxHashMap<u32, Rc<Form>>,
    /// The word of a sum of words of one width.
    results: FxHashMap<(usize, Rc<Form>), Word>,
    /// Words of products, by the literals that their lowest product is made of.
    products: FxHashMap<Literal, Vec<u32>>,
    /// Words of products by their numbers.
    words: FxHashMap<u32, Word>,
}

/// Two words, and a bit that is added to them.
#[derive(Clone, Copy)]
struct Operands<'w> {
    a: &'w [Literal],
    b: &'w [Literal],
    carry: Literal,
    /// Whether the sum is `a - b - carry`, computed as `a + !b + !carry`.
    subtract: bool,
}

impl Sums {
    /// Returns `a + b + carry` modulo 2^bits.
    pub fn add(&mut self, gates: &mut Graph, a: &[Literal], b: &[Literal], carry: Literal) -> Vec<Literal> {
        self.sum(gates, Operands { a, b, carry, subtract: false })
    }

    /// Returns `a - b - borrow` modulo 2^bits.
    pub fn sub(&mut self, gates: &mut Graph, a: &[Literal], b: &[Literal], borrow: Literal) -> Vec<Literal> {
        self.sum(gates, Operands { a, b, carry: borrow, subtract: true })
    }

    /// Returns the sum or difference, and the carry or borrow out of its top bit.
    pub fn with_carry(
        &mut self,
        gates: &mut Graph,
        a: &[Literal],
        b: &[Literal],
        carry: Literal,
        subtract: bool,
    ) -> (Vec<Literal>, Literal) {
        let operands = Operands { a, b, carry, subtract };
        let sum = self.sum(gates, operands);
        let carry = operands.carry_out(gates, &sum).xor(subtract);
        (sum, carry)
    }

    fn sum(&mut self, gates: &mut Graph, operands: Operands) -> Vec<Literal> {
        let Some(form) = self.combine(gates, operands) else { return self.make(gates, operands) };
        let key = (operands.a.len(), Rc::new(form));
        if let Some(known) = self.results.get(&key) {
            return known.to_vec();
        }
        let sum = self.make(gates, operands);
        let word: Word = sum[..].into();
        let number = self.number(gates, &word);
        self.forms.entry(number).or_insert_with(|| Rc::clone(&key.1));
        self.results.insert(key, word);
        sum
    }

    fn make(&mut self, gates: &mut Graph, operands: Operands) -> Vec<Literal> {
        if operands.a.len() != ADDRESS_BITS {
            return operands.ripple(gates);
        }
        let (low, high) = operands.split(ADDRESS_BITS / 2);
        let mut sum = self.sum(gates, low);
        let carry = low.carry_out(gates, &sum).xor(operands.subtract);
        sum.extend(Operands { carry, ..high }.ripple(gates));
        sum
    }

    /// Returns the form of a sum, unless it is too long.
    fn combine(&mut self, gates: &mut Graph, operands: Operands) -> Option<Form> {
        let Operands { a, b, carry, subtract } = operands;
        let sign = if subtract { -1 } else { 1 };
        let (ours, theirs) = (self.form(gates, a)?, self.form(gates, b)?);
        let mut form = ours.plus(&theirs, sign)?;
        if carry != Literal::ZERO {
            let mut word = vec![Literal::ZERO; a.len()];
            word[0] = carry;
            form = form.plus(self.form(gates, &word)?.as_ref(), sign)?;
        }
        let fewer = if ours.words.len() < theirs.words.len() { &ours } else { &theirs };
        for &(number, _) in &fewer.words {
            form = self.joined(gates, form, number)?;
        }
        if a.len() <= MAX_CONSTANT_BITS {
            form.constant = form.constant.rem_euclid(1 << a.len());
        }
        (form.words.len() <= MAX_SUMMANDS).then_some(form)
    }

    /// Joins this word and another that has no bits in common with it into one summand of the form, if there is such a
    /// word.
    fn joined(&mut self, gates: &mut Graph, form: Form, number: u32) -> Option<Form> {
        let (Some(word), Some(coefficient)) = (self.words.get(&number).cloned(), form.coefficient(number)) else {
            return Some(form);
        };
        let factors = lowest(&word).and_then(|product| gates.factors(product)).into_iter().flatten();
        let others = factors.filter_map(|factor| self.products.get(&factor.not())).flatten();
        let other = others.copied().find(|&other| {
            form.coefficient(other) == Some(coefficient)
                && self.words.get(&other).is_some_and(|other| have_no_common_bits(gates, &word, other))
        });
        let Some((other_number, other)) = other.and_then(|other| Some((other, self.words.get(&other)?.clone()))) else {
            return Some(form);
        };
        let either: Vec<Literal> = word.iter().zip(other.iter()).map(|(&x, &y)| gates.xor(x, y)).collect();
        let form = form.plus(&Form::of(number), -coefficient)?.plus(&Form::of(other_number), -coefficient)?;
        form.plus(self.form(gates, &either)?.as_ref(), coefficient)
    }

    /// Returns the form of a word. The complement of a word w is -w - 1.
    fn form(&mut self, gates: &Graph, word: &[Literal]) -> Option<Rc<Form>> {
        if let Some(constant) = constant(word) {
            return Some(Rc::new(Form { constant, ..Form::default() }));
        }
        if let Some(form) = self.numbers.get(word).and_then(|number| self.forms.get(number)) {
            return Some(Rc::clone(form));
        }
        if lowest(word).is_none_or(|lowest| !lowest.is_complement()) {
            return Some(Rc::new(Form::of(self.number(gates, word))));
        }
        let complement: Vec<Literal> = word.iter().map(|literal| literal.not()).collect();
        let number = self.number(gates, &complement);
        let positive = self.forms.get(&number).map_or_else(|| Rc::new(Form::of(number)), Rc::clone);
        Form { constant: -1, ..Form::default() }.plus(&positive, -1).map(Rc::new)
    }

    fn number(&mut self, gates: &Graph, word: &[Literal]) -> u32 {
        if let Some(&known) = self.numbers.get(word) {
            return known;
        }
        let number = self.numbers.len() as u32;
        let word: Word = word.into();
        if let Some(factors) = lowest(&word).and_then(|product| gates.factors(product)) {
            for factor in factors {
                self.products.entry(factor).or_default().push(number);
            }
            self.words.insert(number, Rc::clone(&word));
        }
        self.numbers.insert(word, number);
        number
    }
}

impl Form {
    /// Returns the form of a word that is no sum.
    fn of(number: u32) -> Form {
        Form { words: vec![(number, 1)], constant: 0 }
    }

    fn coefficient(&self, number: u32) -> Option<i64> {
        let place = self.words.binary_search_by_key(&number, |word| word.0).ok()?;
        Some(self.words[place].1)
    }

    /// Returns the sum of this and `factor` times another form; `None` if a coefficient is out of range.
    fn plus(&self, other: &Form, factor: i64) -> Option<Form> {
        let constant = self.constant.checked_add(other.constant.checked_mul(i128::from(factor))?)?;
        let mut words = Vec::with_capacity(self.words.len() + other.words.len());
        let (mut ours, mut theirs) = (self.words.iter().peekable(), other.words.iter().peekable());
        loop {
            let number = match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => return Some(Form { words, constant }),
            };
            let mut coefficient = ours.next_if(|word| word.0 == number).map_or(0, |word| word.1);
            if let Some(word) = theirs.next_if(|word| word.0 == number) {
                coefficient = coefficient.checked_add(word.1.checked_mul(factor)?)?;
            }
            if coefficient != 0 {
                words.push((number, coefficient));
            }
        }
    }
}

impl<'w> Operands<'w> {
    /// Splits the operands into those of the lowest bits and those of the rest, whose carry is not known yet.
    fn split(self, bits: usize) -> (Operands<'w>, Operands<'w>) {
        let ((low_a, high_a), (low_b, high_b)) = (self.a.split_at(bits), self.b.split_at(bits));
        (Operands { a: low_a, b: low_b, ..self }, Operands { a: high_a, b: high_b, carry: Literal::ZERO, ..self })
    }

    fn ripple(self, gates: &mut Graph) -> Vec<Literal> {
        let mut carry = self.carry.xor(self.subtract);
        let mut sum = Vec::with_capacity(self.a.len());
        for (&x, &y) in self.a.iter().zip(self.b) {
            let (bit, next) = gates.full_adder(x, y.xor(self.subtract), carry);
            sum.push(bit);
            carry = next;
        }
        sum
    }

    /// Returns the carry out of the top bit of the addition. There the sum is `a + b + c` modulo 2.
    fn carry_out(self, gates: &mut Graph, sum: &[Literal]) -> Literal {
        let (Some(&a), Some(&b), Some(&top)) = (self.a.last(), self.b.last(), sum.last()) else { return self.carry };
        let b = b.xor(self.subtract);
        let differ = gates.xor(a, b);
        let carry_in = gates.xor(differ, top);
        gates.full_adder(a, b, carry_in).1
    }
}

/// Returns the lowest bit that is no constant.
fn lowest(word: &[Literal]) -> Option<Literal> {
    word.iter().copied().find(|literal| literal.gate() != 0)
}

/// Whether at each bit one word is zero, or both are products of which one has a factor that is the complement of a
/// factor of the other.
fn have_no_common_bits(gates: &Graph, a: &[Literal], b: &[Literal]) -> bool {
    let differ = |(&x, &y): (&Literal, &Literal)| {
        let (Some(x), Some(y)) = (gates.factors(x), gates.factors(y)) else { return false };
        x.iter().any(|factor| y.contains(&factor.not()))
    };
    let is_zero = |(&x, &y): (&Literal, &Literal)| x == Literal::ZERO || y == Literal::ZERO;
    a.len() == b.len() && a.iter().zip(b).all(|bits| is_zero(bits) || differ(bits))
}

/// Returns the value of a constant word, unless it is wide.
fn constant(word: &[Literal]) -> Option<i128> {
    let known = word.len() <= MAX_CONSTANT_BITS && word.iter().all(|literal| literal.gate() == 0);
    let value =
        |word: &[Literal]| word.iter().rev().fold(0, |value, &bit| value << 1 | i128::from(bit == Literal::ONE));
    known.then(|| value(word))
}
