//! Words side by side, and the products that vectors have.

use culet_ir::{Op, Type, Value};
use num_bigint::BigInt;
use num_traits::One;

use super::{Half, Machine, Number, Words};
use crate::interval::Interval;

impl Machine {
    /// The product of two words that have only their low 32 bits set.
    pub(super) fn mul32(&mut self, a: &Number, b: &Number) -> Number {
        for factor in [a, b] {
            if !self.fits_factor(&factor.range) {
                self.fail("a factor has more than 32 bits", &factor.range);
            }
        }
        let range = self.checked_word(a.range.times(&b.range), "a product");
        let args = [a, b].map(|number| self.value(number));
        Number::new(range, Words::One(self.one(Op::Mul32, &args)))
    }

    /// Whether a word can be a factor of a product of one word.
    pub fn fits_factor(&self, range: &Interval) -> bool {
        if self.has_mul32 { range.within(&Interval::word(32)) } else { self.fits_word(range) }
    }

    /// The sum of a word and 52 bits of the product of two factors of 52 bits.
    pub fn mac52(&mut self, half: Half, sum: &Number, a: &Number, b: &Number) -> Number {
        let all = Interval::word(52);
        for factor in [a, b] {
            if !factor.range.within(&all) {
                self.fail("a factor has more than 52 bits", &factor.range);
            }
        }
        let product = a.range.times(&b.range);
        let (op, own) = match half {
            Half::Low if product.within(&all) => (Op::Mac52Lo, product),
            Half::Low => (Op::Mac52Lo, all),
            Half::High => (Op::Mac52Hi, product.shr(52)),
        };
        if own.is_zero() {
            return sum.clone();
        }
        let range = self.checked_word(sum.range.plus(&own), "a sum");
        let args = [sum, a, b].map(|number| self.value(number));
        Number::new(range, Words::One(self.one(op, &args)))
    }

    /// `sum + a · factor`, where that is one operation.
    pub fn plus_times(&mut self, sum: &Number, a: &Number, factor: &BigInt) -> Option<Number> {
        let is_exact = a.range.times(&Interval::point(factor.clone())).within(&Interval::word(52));
        if !self.has_mac52 || factor.is_one() || !is_exact {
            return None;
        }
        let factor = self.constant(factor);
        Some(self.mac52(Half::Low, sum, a, &factor))
    }

    /// Numbers side by side.
    pub fn join(&mut self, numbers: &[Number]) -> Number {
        let range = numbers[1..].iter().fold(numbers[0].range.clone(), |hull, number| hull.hull(&number.range));
        let words: Option<Vec<Value>> = numbers.iter().map(|number| self.value(number)).collect();
        let ty = Type::Vector { lanes: numbers.len() as u8, bits: self.bits as u8 };
        let joined = self.builder.as_mut().zip(words).map(|(builder, words)| {
            let constant = |&word: &Value| match builder.definition(word).map(|data| &data.op) {
                Some(Op::Const(lanes)) => lanes.first().copied(),
                _ => None,
            };
            match words.iter().map(constant).collect::<Option<Vec<u64>>>() {
                Some(lanes) => builder.emit1(Op::Const(lanes.into()), [], ty),
                None => builder.emit1(Op::Join, words, ty),
            }
        });
        self.given(range, joined)
    }

    /// The number in one lane.
    pub fn lane(&mut self, number: &Number, lane: u8) -> Number {
        let (word, ty) = (self.value(number), Type::Word(self.bits as u8));
        let value = self.builder.as_mut().zip(word).map(|(builder, word)| builder.emit1(Op::Lane(lane), [word], ty));
        self.given(number.range.clone(), value)
    }

    /// Rearranges the lanes of a number, or takes lanes of two numbers.
    pub fn arranged(&mut self, op: &Op, numbers: &[&Number]) -> Number {
        let range = numbers[1..].iter().fold(numbers[0].range.clone(), |hull, number| hull.hull(&number.range));
        let words: Vec<Option<Value>> = numbers.iter().map(|number| self.value(number)).collect();
        let value = self.one(op.clone(), &words);
        self.given(range, value)
    }
}
