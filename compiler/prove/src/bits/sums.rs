//! Sums of integers: the same summands give the same bits, however a compiler has bracketed them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::graph::{Gates, Literal};

/// Longer sums count as summands of their own.
const MAX_SUMMANDS: usize = 16;

type Word = Box<[Literal]>;

/// A sum of words and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Form {
    /// Numbers of words with their coefficients, ascending, none zero.
    words: SmallVec<[(u32, i64); 4]>,
    constant: i64,
}

/// The sums that have gates.
#[derive(Default)]
pub struct Sums {
    words: FxHashMap<Word, u32>,
    /// The sum that a word is, if it is one.
    forms: FxHashMap<u32, Form>,
    /// The word of a sum of words of one width.
    results: FxHashMap<(usize, Form), Word>,
}

impl Sums {
    /// `a + b + carry` modulo 2^bits.
    pub fn add<G: Gates>(&mut self, gates: &mut G, a: &[Literal], b: &[Literal], carry: Literal) -> Vec<Literal> {
        let form = self.combine(a, b, carry, 1);
        self.shared(a.len(), form, || ripple(gates, a, b, carry))
    }

    /// `a - b - borrow` modulo 2^bits, computed as `a + !b + !borrow`.
    pub fn sub<G: Gates>(&mut self, gates: &mut G, a: &[Literal], b: &[Literal], borrow: Literal) -> Vec<Literal> {
        let form = self.combine(a, b, borrow, -1);
        let not_b: Vec<Literal> = b.iter().map(|literal| literal.not()).collect();
        self.shared(a.len(), form, || ripple(gates, a, &not_b, borrow.not()))
    }

    /// The word of the form, made by `make` if it is new.
    fn shared(&mut self, bits: usize, form: Option<Form>, make: impl FnOnce() -> Vec<Literal>) -> Vec<Literal> {
        let Some(form) = form else { return make() };
        let key = (bits, form);
        if let Some(known) = self.results.get(&key) {
            return known.to_vec();
        }
        let word = make();
        let number = self.number(&word);
        self.forms.entry(number).or_insert_with(|| key.1.clone());
        self.results.insert(key, word.clone().into());
        word
    }

    /// `a ± (b + carry)` as a form, unless it is long.
    fn combine(&mut self, a: &[Literal], b: &[Literal], carry: Literal, sign: i64) -> Option<Form> {
        let mut form = self.form(a)?;
        form.accumulate(&self.form(b)?, sign)?;
        if carry != Literal::ZERO {
            let mut word = vec![Literal::ZERO; a.len()];
            word[0] = carry;
            form.accumulate(&self.form(&word)?, sign)?;
        }
        (form.words.len() <= MAX_SUMMANDS).then_some(form)
    }

    /// A word as the sum that it is known to be. The complement of a word w is -w - 1.
    fn form(&mut self, word: &[Literal]) -> Option<Form> {
        if let Some(constant) = small_constant(word) {
            return Some(Form { constant, ..Form::default() });
        }
        let number = self.number(word);
        if let Some(form) = self.forms.get(&number) {
            return Some(form.clone());
        }
        let lead = word.iter().find(|literal| literal.gate() != 0);
        if lead.is_none_or(|lead| !lead.is_complement()) {
            return Some(Form { words: SmallVec::from_slice(&[(number, 1)]), constant: 0 });
        }
        let complement: Vec<Literal> = word.iter().map(|literal| literal.not()).collect();
        let mut form = Form { constant: -1, ..Form::default() };
        form.accumulate(&self.form_of_positive(&complement), -1)?;
        Some(form)
    }

    /// The form of a word whose first unknown bit is no complement.
    fn form_of_positive(&mut self, word: &[Literal]) -> Form {
        let number = self.number(word);
        match self.forms.get(&number) {
            Some(form) => form.clone(),
            None => Form { words: SmallVec::from_slice(&[(number, 1)]), constant: 0 },
        }
    }

    fn number(&mut self, word: &[Literal]) -> u32 {
        if let Some(&known) = self.words.get(word) {
            return known;
        }
        let number = self.words.len() as u32;
        self.words.insert(word.into(), number);
        number
    }
}

impl Form {
    /// Adds `factor` times another form; none if a coefficient is out of range.
    fn accumulate(&mut self, other: &Form, factor: i64) -> Option<()> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(number, coefficient) in &other.words {
            let coefficient = coefficient.checked_mul(factor)?;
            match self.words.binary_search_by_key(&number, |entry| entry.0) {
                Ok(place) => {
                    let entry = &mut self.words[place];
                    entry.1 = entry.1.checked_add(coefficient)?;
                    if entry.1 == 0 {
                        self.words.remove(place);
                    }
                }
                Err(place) => self.words.insert(place, (number, coefficient)),
            }
        }
        Some(())
    }
}

/// The value of a constant word, read as signed, if it has at most 32 significant bits.
fn small_constant(word: &[Literal]) -> Option<i64> {
    let top = *word.last()?;
    let fits = word.iter().enumerate().all(|(i, &literal)| literal.gate() == 0 && (i < 32 || literal == top));
    let bit = |(i, literal): (usize, &Literal)| i64::from(*literal == Literal::ONE) << i;
    let value: i64 = word.iter().enumerate().take(33).map(bit).sum();
    let width = word.len().min(33);
    fits.then_some(if top == Literal::ONE { value - (1 << width) } else { value })
}

fn ripple<G: Gates>(gates: &mut G, a: &[Literal], b: &[Literal], carry: Literal) -> Vec<Literal> {
    let mut carry = carry;
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let (bit, next) = gates.full_adder(x, y, carry);
        sum.push(bit);
        carry = next;
    }
    sum
}
