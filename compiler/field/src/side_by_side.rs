//! Elements that have another representation where they stand side by side: vectors multiply 32 bits by 32, or 52 by
//! 52, words 64 by 64.

use num_bigint::BigInt;

use crate::carries::Order;
use crate::interval::power;
use crate::machine::{Machine, Number};
use crate::primes::Unsaturated;
use crate::representation::{Limbs, Product, Representation};

/// Bits of a factor.
const FACTOR: u32 = 32;

/// The representation of an element alone, and that of elements side by side.
pub struct SideBySide {
    pub alone: Box<dyn Representation>,
    pub beside: Box<dyn Representation>,
}

/// The fewest limbs whose products, with room for sums, are words of 64 bits.
pub fn narrow(modulus: &BigInt) -> Option<Unsaturated> {
    let length = modulus.bits() as u32;
    let least = length.div_ceil(FACTOR - 4);
    let radices = (least..=least + 3).flat_map(|limbs| Unsaturated::radices(length, limbs));
    radices.filter_map(|radix| Unsaturated::new(modulus, radix, 64).ok()).find(has_room)
}

/// Whether factors and columns hold products of sums of two, folded.
fn has_room(limbs: &Unsaturated) -> bool {
    let [tap] = &limbs.taps[..] else { return false };
    let widest = (0..limbs.limbs).map(|index| limbs.limb_bits(index)).max().unwrap_or(FACTOR);
    let is_fractional = limbs.limb_bits(limbs.limbs - 1) != widest;
    // A sum of two limbs, twice where limbs have different numbers of bits.
    let factor = power(u64::from(widest + 1 + u32::from(is_fractional)));
    let column = &factor * power(u64::from(widest + 1)) * &tap.factor * limbs.limbs;
    tap.limb == 0 && factor * &tap.factor < power(FACTOR.into()) && column < power(63)
}

impl Representation for SideBySide {
    fn word_bits(&self) -> u32 {
        self.alone.word_bits()
    }

    fn words(&self) -> u32 {
        self.alone.words()
    }

    fn position(&self, index: u32) -> u32 {
        self.alone.position(index)
    }

    fn limb_bits(&self, index: u32) -> u32 {
        self.alone.limb_bits(index)
    }

    fn is_reduced(&self) -> bool {
        false
    }

    fn has_mac52(&self, lanes: u32) -> bool {
        self.beside.has_mac52(lanes)
    }

    fn has_mul32(&self, lanes: u32) -> bool {
        lanes > 1 && !self.has_mac52(lanes)
    }

    fn side_by_side(&self) -> Option<&dyn Representation> {
        Some(&*self.beside)
    }

    fn full_chain(&self, order: Order, lanes: u32) -> Vec<u32> {
        if lanes > 1 { self.beside.full_chain(order, lanes) } else { self.alone.full_chain(order, lanes) }
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.alone.constant(m, value)
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.alone.add(m, a, b)
    }

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.alone.sub(m, a, b)
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        self.alone.times_constant(m, a, factor)
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        self.alone.products(m, products)
    }

    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]) {
        self.alone.carry_all(m, limbs, chain);
    }

    fn summed(&self, m: &mut Machine, columns: &[Limbs]) -> Limbs {
        self.alone.summed(m, columns)
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        self.alone.pack(m, words, bits)
    }

    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        self.alone.unpack(m, a, bits, count)
    }
}
