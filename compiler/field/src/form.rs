//! What every way to hold elements in words can do: all that expansion asks of a representation.

use culet_ir::Value;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::machine::{Machine, Number};
use crate::plan::Order;
use crate::unsaturated::{Limbs, Product};

/// Operations on elements, each a number for each of its words.
pub trait Form {
    /// Bits of a word.
    fn word_bits(&self) -> u32;

    /// Words of an element.
    fn words(&self) -> u32;

    /// The power of two that word `index` of an element counts.
    fn position(&self, index: u32) -> u32 {
        self.word_bits() * index
    }

    /// Bits of limb `index` when nothing is to be carried.
    fn limb_bits(&self, _index: u32) -> u32 {
        self.word_bits()
    }

    /// What an element is multiplied by in its words.
    fn factor(&self) -> BigUint {
        BigUint::one()
    }

    /// Whether words spell numbers below the modulus.
    fn is_reduced(&self) -> bool {
        true
    }

    /// Whether so many elements side by side are written with products that are sums of 52 by 52 bits.
    fn has_mac52(&self, _lanes: u32) -> bool {
        false
    }

    /// How elements are held that stand side by side, if otherwise than one alone: with products of 32 bits by 32.
    fn side_by_side(&self) -> Option<&dyn Form> {
        None
    }

    /// All limbs of so many elements side by side in the order in which they are carried; none where nothing is left to be carried.
    fn full_chain(&self, _: Order, _lanes: u32) -> Vec<u32> {
        Vec::new()
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

    /// The element that words of `bits` bits spell, the lowest first.
    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs;

    /// The canonical form in `count` words of `bits` bits, the lowest first.
    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number>;
}

/// The sum of products that each give an element.
pub(crate) fn sum_of(form: &dyn Form, m: &mut Machine, products: &[(Limbs, bool)]) -> Limbs {
    let mut sum: Option<Limbs> = None;
    for (product, is_negative) in products {
        sum = Some(match (sum, is_negative) {
            (Some(sum), true) => form.sub(m, &sum, product),
            (Some(sum), false) => form.add(m, &sum, product),
            (None, true) => form.neg(m, product),
            (None, false) => product.clone(),
        });
    }
    sum.unwrap_or_else(|| form.constant(m, &BigInt::zero()))
}
