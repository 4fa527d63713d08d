//! The word domain of an execution that replaces each computed term by the word of the program that it is recognised
//! as.

use culet_decide::bits::{Budget, Comparison};
use culet_isa::Values;
use culet_meaning::Domain;
use culet_term::{Assignment, Input, InputKind, Term, Terms};

use super::cuts::CutPoints;
use crate::effort::words::{STEPS_OF_TERM, TERMS_OF_LOST};
use crate::symbolic::Symbolic;

/// Implements operations with one result by those of terms, and looks each result up.
macro_rules! recognised {
    ($($name:ident($($arg:ident: $ty:ty),*));* $(;)?) => {
        $(fn $name(&mut self, bits: u32, $($arg: $ty),*) -> Term {
            let term = Domain::$name(&mut self.terms, bits, $($arg),*);
            self.recognised(term)
        })*
    };
}

impl Domain for CutPoints {
    type Word = Term;

    recognised! {
        not(a: &Term);
        and(a: &Term, b: &Term);
        or(a: &Term, b: &Term);
        xor(a: &Term, b: &Term);
        andn(a: &Term, b: &Term);
        add(a: &Term, b: &Term);
        sub(a: &Term, b: &Term);
        mul(a: &Term, b: &Term);
        shl(a: &Term, amount: u32);
        shr(a: &Term, amount: u32);
        sar(a: &Term, amount: u32);
        rotl(a: &Term, amount: u32);
        funnel(high: &Term, low: &Term, amount: u32);
        zero_extend(from_bits: u32, a: &Term);
        extract(a: &Term, low: u32, length: u32);
        concat(high: &Term, low_bits: u32, low: &Term);
        select(condition: &Term, then: &Term, otherwise: &Term);
        tern(table: u8, a: &Term, b: &Term, c: &Term);
        shuffle(a: &Term, pattern: &[Option<u32>]);
    }

    fn constant(&mut self, bits: u32, value: u64) -> Term {
        Domain::constant(&mut self.terms, bits, value)
    }

    fn broadcast_bit(&mut self, bits: u32, bit: &Term) -> Term {
        Domain::broadcast_bit(&mut self.terms, bits, bit)
    }

    fn mul_wide(&mut self, bits: u32, a: &Term, b: &Term) -> (Term, Term) {
        let (low, high) = Domain::mul_wide(&mut self.terms, bits, a, b);
        (self.recognised(low), self.recognised(high))
    }

    fn clmul(&mut self, bits: u32, a: &Term, b: &Term) -> (Term, Term) {
        let (low, high) = Domain::clmul(&mut self.terms, bits, a, b);
        (self.recognised(low), self.recognised(high))
    }

    fn addc(&mut self, bits: u32, a: &Term, b: &Term, carry: &Term) -> (Term, Term) {
        let (sum, carry) = Domain::addc(&mut self.terms, bits, a, b, carry);
        (self.recognised(sum), carry)
    }

    fn subb(&mut self, bits: u32, a: &Term, b: &Term, borrow: &Term) -> (Term, Term) {
        // Lengths may cancel.
        let closer =
            if self.terms.is_zero(*borrow) { self.forms.without_common(&mut self.terms, (*a, *b)) } else { None };
        let (difference, mut borrow) = Domain::subb(&mut self.terms, bits, a, b, borrow);
        if let Some((a, b)) = closer {
            let none = self.terms.zero(1);
            borrow = Domain::subb(&mut self.terms, bits, &a, &b, &none).1;
        }
        (self.recognised(difference), borrow)
    }
}

impl Values for CutPoints {
    fn known(&self, bits: u32, a: &Term) -> Option<u64> {
        self.terms.known(bits, a)
    }

    fn undefined(&mut self, bits: u32) -> Term {
        self.terms.undefined(bits)
    }

    fn join(&mut self, bits: u32, parts: &[Term]) -> Term {
        let term = self.terms.join(bits, parts);
        self.recognised(term)
    }

    fn zero(&mut self, bits: u32) -> Term {
        Terms::zero(&mut self.terms, bits)
    }

    fn ones(&mut self, bits: u32) -> Term {
        Terms::ones(&mut self.terms, bits)
    }

    fn equal(&mut self, bits: u32, a: &Term, b: &Term) -> Term {
        // Addresses may cancel.
        let difference = self.terms.sub(*a, *b);
        match self.forms.of(&self.terms, difference).filter(|_| bits == 64) {
            Some(form) => {
                let (difference, zero) = (self.forms.term(&mut self.terms, &form), self.terms.zero(bits));
                self.terms.equal(difference, zero)
            }
            None => self.terms.equal(*a, *b),
        }
    }

    fn sign_extend(&mut self, bits: u32, _from_bits: u32, a: &Term) -> Term {
        Terms::sign_extend(&mut self.terms, *a, bits)
    }
}

impl Symbolic for CutPoints {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn word(&self, term: Term) -> Term {
        term
    }

    fn term(&self, word: &Term) -> Option<Term> {
        Some(*word)
    }

    fn width(&self, word: &Term) -> u32 {
        self.terms.bits(*word)
    }

    fn unknown(&mut self, name: &str, bits: u32) -> Term {
        self.terms.fresh(InputKind::Data, name, bits)
    }

    fn inputs_of(&self, word: &Term) -> Vec<Input> {
        self.terms.inputs_of(word)
    }

    fn depend(&self, words: &[Term], wanted: fn(InputKind) -> bool) -> Vec<bool> {
        self.terms.depend(words, wanted)
    }

    fn evaluate(&self, words: &[Term], inputs: &Assignment) -> Vec<Box<[u64]>> {
        Symbolic::evaluate(&self.terms, words, inputs)
    }

    fn compare(&mut self, pairs: &[(Term, Term)], budget: &Budget) -> Comparison {
        self.terms.compare(pairs, budget)
    }

    /// Terms, which are never forgotten, plus the cost of comparisons that failed.
    fn gates(&self) -> usize {
        let steps = self.equalities.lost / STEPS_OF_TERM;
        self.terms.len() + TERMS_OF_LOST * self.lost + usize::try_from(steps).unwrap_or(usize::MAX)
    }
}
