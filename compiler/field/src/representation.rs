//! The operations that expansion needs of every representation of elements in words.

use culet_ir::{FieldId, FieldOp, Part, Value};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::carries::Order;
use crate::interval::{Interval, power};
use crate::machine::{Machine, Number};

/// A tight limb may be above its own bits by a part of 2 to the power of this number, so that few carries are needed
/// where functions meet.
const ROOM_OF_TIGHT: u32 = 3;

/// An element: one number per limb.
pub type Limbs = Vec<Number>;

/// One product of a sum of products, and its sign.
pub struct Product<'p> {
    pub a: &'p Limbs,
    pub b: &'p Limbs,
    pub is_negative: bool,
}

/// A representation of elements in words: its operations, on elements as a number for each word.
pub trait Representation: Send + Sync {
    /// Bits of a word.
    fn word_bits(&self) -> u32;

    /// Words of an element.
    fn words(&self) -> u32;

    /// The weight of word `index` of an element, as an exponent of two.
    fn position(&self, index: u32) -> u32 {
        self.word_bits() * index
    }

    /// Bits of limb `index` when nothing is to be carried.
    fn limb_bits(&self, _index: u32) -> u32 {
        self.word_bits()
    }

    /// The factor by which an element is multiplied in its words.
    fn factor(&self) -> BigUint {
        BigUint::one()
    }

    /// Whether words spell numbers below the modulus.
    fn is_reduced(&self) -> bool {
        true
    }

    /// Whether the words of an element are held with their lowest bit at the top. Words are then packed and unpacked in
    /// this order, whole words only.
    fn is_mirrored(&self) -> bool {
        false
    }

    /// Whether this many elements side by side are written with products that are sums of 52 by 52 bits.
    fn has_mac52(&self, _lanes: u32) -> bool {
        false
    }

    /// Whether products of this many elements side by side are of 32 by 32 bits.
    fn has_mul32(&self, _lanes: u32) -> bool {
        false
    }

    /// The representation of elements that stand side by side, if it is not that of one alone.
    fn side_by_side(&self) -> Option<&dyn Representation> {
        None
    }

    /// The representation of elements of one of a module's fields, if the module has several.
    fn of_field(&self, _: FieldId) -> Option<&dyn Representation> {
        None
    }

    /// All limbs of this many elements side by side in the order in which they are carried; none if nothing is left to
    /// be carried.
    fn full_chain(&self, _: Order, _lanes: u32) -> Vec<u32> {
        Vec::new()
    }

    /// Bounds of the words of an element that goes into a function, or comes out of one: what all carries leave of any
    /// words, and room above a limb's own bits besides. If nothing is carried, these are all words.
    fn tight(&self) -> Vec<Interval> {
        let word = Interval::word(self.word_bits());
        let mut bounds: Option<Vec<Interval>> = None;
        for order in [Order::Interleaved, Order::Sequential] {
            let chain = self.full_chain(order, 1);
            if chain.is_empty() {
                return vec![word; self.words() as usize];
            }
            let mut m = Machine::new(self.word_bits(), None);
            let mut limbs: Limbs = (0..self.words()).map(|_| m.given(word.clone(), None)).collect();
            self.carry_all(&mut m, &mut limbs, &chain);
            let carried = limbs.iter().map(|limb| limb.range.clone());
            bounds = Some(match bounds {
                Some(bounds) => bounds.iter().zip(carried).map(|(a, b)| a.hull(&b)).collect(),
                None => carried.collect(),
            });
        }
        let with_room = |(index, range): (u32, Interval)| {
            let own = u64::from(self.limb_bits(index));
            let room = if own < u64::from(self.word_bits()) { power(own) >> ROOM_OF_TIGHT } else { BigInt::zero() };
            range.hull(&Interval::below(power(own) + room))
        };
        (0..).zip(bounds.unwrap_or_default()).map(with_room).collect()
    }

    /// An element by its canonical form.
    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs;

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs;

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs;

    fn neg(&self, m: &mut Machine, a: &Limbs) -> Limbs {
        let zero = self.constant(m, &BigInt::zero());
        self.sub(m, &zero, a)
    }

    /// The product with a small constant.
    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs;

    /// A sum of products, which may be columns of two words that are not carried yet.
    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs;

    fn select(&self, m: &mut Machine, condition: Option<Value>, then: &Limbs, otherwise: &Limbs) -> Limbs {
        then.iter().zip(otherwise).map(|(then, otherwise)| m.select(condition, then, otherwise)).collect()
    }

    /// Carries limbs in this order.
    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]);

    /// Notes limbs on the way to a result.
    fn note(&self, m: &mut Machine, part: Part, limbs: &Limbs) {
        let words: Vec<(&Number, u32)> = limbs.iter().zip((0..).map(|index| self.position(index))).collect();
        m.note(part, &words, None);
    }

    /// The element whose words are each the sum of a column of numbers of one word.
    fn summed(&self, m: &mut Machine, columns: &[Limbs]) -> Limbs {
        let zero = m.constant(&BigInt::zero());
        columns.iter().map(|column| column.iter().fold(zero.clone(), |sum, part| m.add(&sum, part))).collect()
    }

    /// The element that words of `bits` bits spell, the lowest first.
    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs;

    /// The canonical form in `count` words of `bits` bits, the lowest first.
    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number>;
}

/// A sum of products; the products of each sign are summed at once.
pub(crate) fn difference_of(
    representation: &dyn Representation,
    m: &mut Machine,
    products: &[Product<'_>],
    sum: impl Fn(&mut Machine, &[&Product<'_>]) -> Limbs,
) -> Limbs {
    let of_sign = |is_negative| products.iter().filter(move |product| product.is_negative == is_negative);
    let (plus, minus): (Vec<_>, Vec<_>) = (of_sign(false).collect(), of_sign(true).collect());
    match (plus.is_empty(), minus.is_empty()) {
        (_, true) => sum(m, &plus),
        (true, false) => {
            let minus = sum(m, &minus);
            representation.neg(m, &minus)
        }
        (false, false) => {
            let (plus, minus) = (sum(m, &plus), sum(m, &minus));
            representation.sub(m, &plus, &minus)
        }
    }
}

/// The element that words of `bits` bits spell, the lowest first, by Horner's rule on digits to the base R, the highest
/// first. `times_r` computes R times the number that the words of a digit, or of an element, spell.
pub(crate) fn pack_digits(
    representation: &dyn Representation,
    m: &mut Machine,
    words: &[Number],
    bits: u32,
    times_r: &dyn Fn(&mut Machine, &Limbs) -> Limbs,
) -> Limbs {
    let ends = (0..).step_by(bits as usize).zip(words).map(|(from, word)| from + word.range.high.bits() as u32);
    let (total, digit) = (ends.max().unwrap_or(0), representation.position(representation.words()));
    let mut element: Option<Limbs> = None;
    for from in (0..total).step_by(digit as usize).rev() {
        let at = |index| (from + representation.position(index)).min(total);
        let plain: Limbs =
            (0..representation.words()).map(|index| bits_of(m, words, bits, at(index), at(index + 1))).collect();
        let own = times_r(m, &plain);
        element = Some(match element {
            Some(above) => {
                let above = times_r(m, &above);
                representation.add(m, &above, &own)
            }
            None => own,
        });
    }
    if total > digit {
        m.forget_results();
    }
    element.unwrap_or_else(|| representation.constant(m, &BigInt::zero()))
}

/// The sum of products that each give an element.
pub(crate) fn sum_of(representation: &dyn Representation, m: &mut Machine, products: &[(Limbs, bool)]) -> Limbs {
    let mut sum: Option<Limbs> = None;
    for (product, is_negative) in products {
        sum = Some(match (sum, is_negative) {
            (Some(sum), true) => representation.sub(m, &sum, product),
            (Some(sum), false) => representation.add(m, &sum, product),
            (None, true) => representation.neg(m, product),
            (None, false) => product.clone(),
        });
    }
    sum.unwrap_or_else(|| representation.constant(m, &BigInt::zero()))
}

/// Bits `from..to` of consecutive words, in one word.
pub fn bits_of(m: &mut Machine, words: &[Number], word_bits: u32, from: u32, to: u32) -> Number {
    let mut limb = m.constant(&BigInt::zero());
    let mut at = from;
    while at < to {
        let (word, low) = ((at / word_bits) as usize, at % word_bits);
        let length = (word_bits - low).min(to - at);
        let shifted = m.shr(&words[word], low);
        let part = m.low_bits(&shifted, length);
        let placed = m.times(&part, &power(u64::from(at - from)));
        limb = m.join_bits(&limb, &placed);
        at += length;
    }
    limb
}

/// Whether the columns of this operation must be carried before they fit into words.
pub fn has_columns(op: &FieldOp) -> bool {
    matches!(op, FieldOp::Mul | FieldOp::Sqr | FieldOp::Sop(_) | FieldOp::MulC(_))
}
