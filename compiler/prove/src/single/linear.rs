//! Words that are sums of addresses and lengths: words with the same sum become one term, so that lengths cancel.
//!
//! A [`Form`] is an equation modulo 2^w, w being the term's bits: each rule in [`Forms::of`] is an identity of such
//! numbers.

use std::collections::BTreeMap;
use std::rc::Rc;

use culet_term::{Node, Term, Terms};
use rustc_hash::FxHashSet;

use crate::unknown::{Count, Unknown};

/// Width in bits of a number of iterations. A proof for all numbers holds for those below 2^46, as many as memory could
/// hold.
pub(crate) const COUNT_BITS: u32 = 46;

/// Bits of an address.
const WORD: u32 = 64;

/// A constant plus multiples of some inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub constant: u64,
    /// No multiple is 0.
    pub multiples: BTreeMap<Term, u64>,
}

impl Form {
    pub fn constant(constant: u64) -> Form {
        Form { constant, multiples: BTreeMap::new() }
    }

    pub fn input(input: Term) -> Form {
        Form { constant: 0, multiples: BTreeMap::from([(input, 1)]) }
    }

    pub fn plus(mut self, other: &Form, factor: u64) -> Form {
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for (&input, &multiple) in &other.multiples {
            let sum = self.multiples.entry(input).or_default();
            *sum = sum.wrapping_add(multiple.wrapping_mul(factor));
        }
        self.multiples.retain(|_, multiple| *multiple != 0);
        self
    }

    pub fn scaled(&self, factor: u64) -> Form {
        Form::default().plus(self, factor)
    }

    /// Returns the quotient rounded down, if `divisor` divides every multiple.
    fn quotient(&self, divisor: u64) -> Option<Form> {
        let is_whole = self.multiples.values().all(|multiple| multiple.is_multiple_of(divisor));
        let multiples = self.multiples.iter().map(|(&input, multiple)| (input, multiple / divisor));
        is_whole.then(|| Form { constant: self.constant / divisor, multiples: multiples.collect() })
    }

    /// Reduces the constant and the multiples modulo 2^bits.
    fn modulo(mut self, bits: u32) -> Form {
        let mask = u64::MAX >> (WORD - bits.clamp(1, WORD));
        self.constant &= mask;
        self.multiples.values_mut().for_each(|multiple| *multiple &= mask);
        self.multiples.retain(|_, multiple| *multiple != 0);
        self
    }
}

/// The forms of terms, and the inputs of which they are made.
#[derive(Default)]
pub(crate) struct Forms {
    /// Unknown numbers of iterations, below 2^[`COUNT_BITS`].
    counts: FxHashSet<Term>,
    /// Unknown addresses.
    bases: FxHashSet<Term>,
    /// Forms of the first terms, by index; `None` for a term that does not depend on those inputs, or not as a sum.
    known: Vec<Option<Rc<Form>>>,
}

impl Forms {
    /// An unknown number of iterations or periods.
    pub fn count(&mut self, terms: &mut Terms, what: Count) -> Term {
        let name = match what {
            Count::Periods => "periods beyond the least number",
            Count::IterationsDone => "iterations done",
            Count::IterationsToCome => "iterations to come beyond the last",
        };
        let count = Unknown::Count(what).word(terms, name, COUNT_BITS);
        if self.counts.insert(count) {
            self.known.truncate(count.index());
        }
        count
    }

    /// Registers an unknown address.
    pub fn base(&mut self, base: Term) {
        if self.bases.insert(base) {
            self.known.truncate(base.index());
        }
    }

    /// Returns the normal term of a 64-bit word that is a sum, or the constant that a narrower word is; any other word
    /// as it is.
    pub fn normal(&mut self, terms: &mut Terms, word: Term) -> Term {
        let bits = terms.bits(word);
        if self.counts.is_empty() || bits > WORD {
            return word;
        }
        match self.of(terms, word) {
            Some(form) if form.multiples.is_empty() => terms.constant_u64(bits, form.constant),
            Some(form) if bits == WORD => self.term(terms, &form),
            _ => word,
        }
    }

    /// Returns the form of a term, or `None` if it is not a sum of lengths and addresses.
    pub fn of(&mut self, terms: &Terms, term: Term) -> Option<Rc<Form>> {
        for part in terms.from(self.known.len()).take_while(|part| *part <= term) {
            let form = self.made(terms, part).map(Rc::new);
            self.known.push(form);
        }
        self.known(term)
    }

    fn known(&self, term: Term) -> Option<Rc<Form>> {
        self.known[term.index()].clone()
    }

    /// Computes the form of a term from the forms of its operands.
    fn made(&self, terms: &Terms, term: Term) -> Option<Form> {
        let bits = terms.bits(term);
        if bits > WORD {
            return None;
        }
        match terms.node(term) {
            Node::Input(_) if self.counts.contains(&term) || self.bases.contains(&term) => Some(Form::input(term)),
            Node::Add(a, b, None) | Node::Sub(a, b, None) => {
                let (first, second) = (self.known(*a), self.known(*b));
                if first.is_none() && second.is_none() {
                    return None;
                }
                let factor = if matches!(terms.node(term), Node::Add(..)) { 1 } else { u64::MAX };
                let operand = |form: Option<Rc<Form>>, term: Term| match (form, terms.value(term)) {
                    (Some(form), _) => Some(form),
                    (None, Some(value)) => Some(Rc::new(Form::constant(value))),
                    (None, None) => None,
                };
                let (first, second) = (operand(first, *a)?, operand(second, *b)?);
                Some(Form::clone(&first).plus(&second, factor).modulo(bits))
            }
            Node::Mul(a, b) => {
                let (form, factor) = match (self.known(*a), self.known(*b)) {
                    (Some(form), None) => (form, terms.value(*b)?),
                    (None, Some(form)) => (form, terms.value(*a)?),
                    _ => return None,
                };
                Some(form.scaled(factor).modulo(bits))
            }
            Node::Extract(a, 0) if terms.bits(*a) <= WORD => {
                let form = self.known(*a)?;
                Some(Form::clone(&form).modulo(bits))
            }
            Node::Extract(a, low) => {
                let (dividend, divisor) = self.division(terms, *a, u32::from(*low))?;
                Some(dividend.quotient(divisor)?.modulo(bits))
            }
            Node::Concat(parts) => self.concatenated(terms, parts).map(|form| form.modulo(bits)),
            _ => None,
        }
    }

    /// Returns the form of a concatenation of constants and sums, the least significant first. A sum below another part
    /// must fit in its width.
    fn concatenated(&self, terms: &Terms, parts: &[Term]) -> Option<Form> {
        let mut whole = Form::default();
        let (mut low, mut is_telling) = (0, false);
        for (index, &part) in parts.iter().enumerate() {
            let form = match terms.value(part) {
                Some(value) => Form::constant(value),
                None => {
                    is_telling = true;
                    let form = Form::clone(&*self.known(part)?);
                    let is_last = index + 1 == parts.len();
                    if !is_last && !self.is_below(&form, terms.bits(part)) {
                        return None;
                    }
                    form
                }
            };
            whole = whole.plus(&form, 1 << low);
            low += terms.bits(part);
        }
        is_telling.then_some(whole)
    }

    /// Whether the sum itself, not only its remainder, is below 2^bits.
    fn is_below(&self, form: &Form, bits: u32) -> bool {
        self.most(form).is_some_and(|most| most >> bits == 0)
    }

    /// Returns an upper bound of a sum of lengths, or `None` if it contains an address.
    fn most(&self, form: &Form) -> Option<u128> {
        let mut most = u128::from(form.constant);
        for (input, &multiple) in &form.multiples {
            self.counts.contains(input).then_some(())?;
            most += u128::from(multiple) * ((1 << COUNT_BITS) - 1);
        }
        Some(most)
    }

    /// Returns two words of 64 bits of which one is below the other if it is so for these sums of lengths: what both sums
    /// have in common is taken away. `None` if a sum has an address in it, or may exceed a word.
    pub fn without_common(&mut self, terms: &mut Terms, pair: (Term, Term)) -> Option<(Term, Term)> {
        let mut form = |term: Term| match terms.value(term) {
            _ if terms.bits(term) != WORD => None,
            Some(value) => Some(Form::constant(value)),
            None => self.of(terms, term).map(|form| Form::clone(&form)),
        };
        let (mut a, mut b) = (form(pair.0)?, form(pair.1)?);
        let fits = |form: &Form| self.most(form).is_some_and(|most| most >> WORD == 0);
        if a.multiples.is_empty() || b.multiples.is_empty() || !fits(&a) || !fits(&b) {
            return None;
        }
        let mut common = Form::constant(a.constant.min(b.constant));
        for (input, multiple) in &a.multiples {
            let least = b.multiples.get(input).map_or(0, |other| *multiple.min(other));
            common = common.plus(&Form::input(*input), least);
        }
        (a, b) = (a.plus(&common, u64::MAX), b.plus(&common, u64::MAX));
        Some((self.term(terms, &a), self.term(terms, &b)))
    }

    /// Returns the dividend and the divisor whose quotient, rounded down, is a term's bits from `low` on. C compilers
    /// divide by a number d by multiplying by m = (2^low + e) / d: the product's error, in units of 1/d, is e *
    /// dividend / 2^low, and has no effect below 1.
    fn division(&self, terms: &Terms, term: Term, low: u32) -> Option<(Rc<Form>, u64)> {
        let known = |part: Term, bits: u32| self.known(part).filter(|form| self.is_below(form, bits));
        let bits = terms.bits(term);
        if bits <= WORD {
            return Some((known(term, bits)?, 1 << low));
        }
        let &Node::Mul(a, b) = terms.node(term) else { return None };
        let (wide, factor) = if terms.is_constant(b) { (a, b) } else { (b, a) };
        let factor = terms.value(factor).filter(|&factor| factor != 0)?;
        let Node::Concat(parts) = terms.node(wide) else { return None };
        let (&dividend, zeros) = parts.split_first()?;
        let dividend = known(dividend, terms.bits(dividend))?;
        let most = self.most(&dividend)?;
        // The product must fit in the term, not only its remainder.
        let is_whole = most.checked_mul(factor.into()).is_some_and(|product| bits >= 2 * WORD || product >> bits == 0);
        if !is_whole || !zeros.iter().all(|&part| terms.is_zero(part)) {
            return None;
        }
        let one = 1u128.checked_shl(low)?;
        let divisor = u64::try_from(one.div_ceil(factor.into())).ok()?;
        let error = u128::from(factor).checked_mul(divisor.into())? - one;
        let is_right = error.checked_mul(most).is_some_and(|error| error < one);
        is_right.then_some((dividend, divisor))
    }

    /// Returns the 64-bit term of a sum.
    pub fn term(&self, terms: &mut Terms, form: &Form) -> Term {
        let mut sum = terms.zero(WORD);
        for (&input, &multiple) in &form.multiples {
            let wide = terms.zero_extend(input, WORD);
            let is_negative = multiple >> (WORD - 1) == 1;
            let size = if is_negative { multiple.wrapping_neg() } else { multiple };
            let size = terms.constant_u64(WORD, size);
            let product = terms.mul(wide, size);
            sum = if is_negative { terms.sub(sum, product) } else { terms.add(sum, product) };
        }
        let constant = terms.constant_u64(WORD, form.constant);
        terms.add(sum, constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use culet_term::{Assignment, InputKind};

    /// Sums of all kinds, and words that are no sums: the normal term of each has the value of the word on all inputs
    /// tried.
    #[test]
    fn normal_terms_are_equal() {
        let mut terms = Terms::new();
        let mut forms = Forms::default();
        let counts = [forms.count(&mut terms, Count::IterationsDone), forms.count(&mut terms, Count::IterationsToCome)];
        let base = terms.fresh(InputKind::Word, "base", 64);
        forms.base(base);
        let data = terms.fresh(InputKind::Word, "data", 64);
        let mut words: Vec<Term> = counts.iter().map(|&count| terms.zero_extend(count, 64)).collect();
        words.extend([base, data]);
        let mut state = 1;
        let mut draw = move |limit: u64| culet_decide::bits::random(&mut state) % limit;
        let mut changed = 0;
        for _ in 0..3000 {
            let (a, b) = (words[draw(words.len() as u64) as usize], words[draw(words.len() as u64) as usize]);
            let amount = draw(64) as u32;
            let word = match draw(9) {
                0 => terms.add(a, b),
                1 => terms.sub(a, b),
                2 => terms.shl(a, amount),
                3 => terms.shr(a, amount),
                4 => {
                    let constant = terms.constant_u64(64, draw(1 << 20).wrapping_sub(1 << 19));
                    terms.add(a, constant)
                }
                5 => {
                    let low = terms.extract(a, 0, 1 + amount.min(62));
                    terms.zero_extend(low, 64)
                }
                6 => {
                    let factor = terms.constant_u64(64, draw(100));
                    terms.mul(a, factor)
                }
                // A division by multiplication, as it must be, or a little wrong.
                _ => {
                    let divisor = 3 + draw(200);
                    let shift = 64 + divisor.ilog2();
                    let factor = (1u128 << shift).div_ceil(divisor.into()) as u64;
                    let factor = terms.constant_u64(64, factor.wrapping_add(draw(3)).wrapping_sub(draw(2)));
                    let (a, factor) = (terms.zero_extend(a, 128), terms.zero_extend(factor, 128));
                    let product = terms.mul(a, factor);
                    let quotient = terms.extract(product, shift, 128 - shift);
                    terms.zero_extend(quotient, 64)
                }
            };
            let normal = forms.normal(&mut terms, word);
            changed += u32::from(normal != word);
            for _ in 0..3 {
                let mut inputs = Assignment::new();
                for input in terms.inputs() {
                    let bits = terms.bits(terms.input_term(input));
                    inputs.set(input, &[[draw(u64::MAX), u64::MAX, 0][draw(3) as usize] >> (64 - bits)]);
                }
                let values = terms.evaluate(&[word, normal], &inputs);
                assert_eq!(values[0], values[1], "{}", terms.print(&[word, normal]));
            }
            if words.len() < 60 {
                words.push(normal);
            } else {
                words.truncate(4);
            }
        }
        assert!(changed > 100, "{changed}");
    }

    /// Numbers of groups of 96 bytes and of 32 bytes in 96 * iterations + 37, as C compilers compute them, and the
    /// bytes beyond groups of 16.
    #[test]
    fn quotients_of_lengths() {
        let mut terms = Terms::new();
        let mut forms = Forms::default();
        let iterations = forms.count(&mut terms, Count::IterationsDone);
        let wide = terms.zero_extend(iterations, 64);
        let [group, more, factor] = [96, 37, 0xaaaa_aaaa_aaaa_aaab].map(|value| terms.constant_u64(64, value));
        let whole = terms.mul(wide, group);
        let length = terms.add(whole, more);
        let (long, factor) = (terms.zero_extend(length, 128), terms.zero_extend(factor, 128));
        let product = terms.mul(long, factor);
        let quotient = terms.extract(product, 70, 58);
        let quotient = terms.zero_extend(quotient, 64);
        assert_eq!(forms.normal(&mut terms, quotient), wide);
        // Division by 3, with a product of fewer bits.
        let third = terms.constant_u64(122, 0x5555_5555_5555_5556);
        let groups = terms.extract(length, 5, 59);
        let groups = terms.zero_extend(groups, 122);
        let product = terms.mul(groups, third);
        let quotient = terms.extract(product, 64, 58);
        let quotient = terms.zero_extend(quotient, 64);
        assert_eq!(forms.normal(&mut terms, quotient), wide);
        // This factor is too large for the greatest length.
        let larger = terms.constant_u64(128, 0xaaaa_aaaa_aaaa_aaab + (1 << 20));
        let product = terms.mul(long, larger);
        let quotient = terms.extract(product, 70, 58);
        assert_eq!(forms.of(&terms, quotient), None);
        let halves = terms.shr(length, 5);
        let (three, one) = (terms.constant_u64(64, 3), terms.constant_u64(64, 1));
        let times = terms.mul(wide, three);
        let expected = terms.add(times, one);
        assert_eq!(forms.normal(&mut terms, halves), forms.normal(&mut terms, expected));
        let low = terms.extract(length, 0, 4);
        assert_eq!(forms.normal(&mut terms, low), terms.constant_u64(4, 5));
    }

    /// The comparison of two sums of lengths is that of what they do not have in common, whatever the lengths are.
    #[test]
    fn common_parts_of_a_comparison_cancel() {
        let mut terms = Terms::new();
        let mut forms = Forms::default();
        let counts = [Count::IterationsDone, Count::IterationsToCome].map(|count| forms.count(&mut terms, count));
        let base = terms.fresh(InputKind::Word, "base", WORD);
        forms.base(base);
        let mut state = 7;
        let mut draw = move |limit: u64| culet_decide::bits::random(&mut state) % limit;
        let (mut closer, mut apart) = (0, 0);
        for _ in 0..300 {
            let mut sum = || {
                let mut form = Form::constant(draw(4));
                for count in counts {
                    form = form.plus(&Form::input(count), [0, 1, 2, u64::MAX, 1 << 40][draw(5) as usize]);
                }
                form.plus(&Form::input(base), u64::from(draw(8) == 0))
            };
            let pair = (sum(), sum());
            let pair = (forms.term(&mut terms, &pair.0), forms.term(&mut terms, &pair.1));
            let Some(found) = forms.without_common(&mut terms, pair) else {
                apart += 1;
                continue;
            };
            closer += 1;
            for _ in 0..8 {
                let mut inputs = Assignment::new();
                for input in terms.inputs() {
                    let bits = terms.bits(terms.input_term(input));
                    inputs.set(input, &[[draw(u64::MAX), draw(3), u64::MAX, 0][draw(4) as usize] >> (64 - bits)]);
                }
                let values = terms.evaluate(&[pair.0, pair.1, found.0, found.1], &inputs);
                assert_eq!(
                    values[0][0] < values[1][0],
                    values[2][0] < values[3][0],
                    "{}",
                    terms.print(&[pair.0, pair.1])
                );
            }
        }
        assert!(closer > 15 && apart > 50, "{closer} {apart}");
    }

    #[test]
    fn lengths_cancel() {
        let mut terms = Terms::new();
        let mut forms = Forms::default();
        let iterations = forms.count(&mut terms, Count::IterationsDone);
        let base = terms.fresh(InputKind::Word, "base", 64);
        forms.base(base);
        let wide = terms.zero_extend(iterations, 64);
        let bytes = terms.shl(wide, 5);
        let seven = terms.constant_u64(64, 7);
        let end = terms.add(base, bytes);
        let further = terms.add(end, seven);
        let back = terms.sub(further, bytes);
        let expected = terms.add(base, seven);
        assert_eq!(forms.normal(&mut terms, back), expected);
        let length = terms.sub(further, base);
        let expected = terms.add(bytes, seven);
        let (found, expected) = (forms.normal(&mut terms, length), forms.normal(&mut terms, expected));
        assert_eq!(found, expected);
    }
}
