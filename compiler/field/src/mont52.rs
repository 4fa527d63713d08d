//! Montgomery's form in limbs of 52 bits, for products that are added 52 bits by 52: for every odd modulus.
//!
//! The limbs have more bits than p, so that the part above p need not be taken off: a product of numbers below
//! `2^k · p` divided by R is below `(2^(2k) · p / R + 1) · p`. Sums are sums of limbs. Limbs are carried from the
//! bottom to the top before they are factors, which have 52 bits at most. Nothing comes out of the top limb, and a plan
//! fails if that limb becomes too large. All columns of a product are added up first and then reduced a column at a
//! time (P. L. Montgomery, "Modular multiplication without trial division", 1985): adding a multiple of p makes the
//! lowest column a multiple of 2^52, and the quotient is carried.

use culet_ir::Part;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::carries::Order;
use crate::interval::Interval;
use crate::machine::{Half, Machine, Number};
use crate::primes::{Impossible, Unsaturated, negative_inverse};
use crate::representation::{Limbs, Product, Representation, difference_of, pack_digits};
use crate::unsaturated::is_same;

/// Bits of a limb.
pub(crate) const BITS: u32 = 52;

/// Minimum number of bits that the limbs have above p.
const ROOM: u32 = 4;

/// `a · R` modulo p in limbs of 52 bits, with R = 2^(52 · limbs).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Montgomery52 {
    limbs: Unsaturated,
    /// −1/p modulo 2^52.
    factor: BigInt,
    /// Minimum number of elements side by side whose products are sums of 52 by 52 bits; fewer have products of whole
    /// words.
    lanes: u32,
}

impl Montgomery52 {
    /// # Errors
    ///
    /// If the modulus is even, or too long.
    pub fn new(modulus: &BigInt, lanes: u32) -> Result<Montgomery52, Impossible> {
        let count = (modulus.bits() as u32 + ROOM).div_ceil(BITS);
        let limbs = Unsaturated::unfolded(modulus, BITS, count)?;
        Ok(Montgomery52 { factor: negative_inverse(modulus, BITS)?, limbs, lanes })
    }

    fn r(&self) -> BigInt {
        BigInt::one() << (BITS * self.limbs.limbs)
    }

    /// A number as limbs, not in Montgomery's form.
    fn plain(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.limbs.constant(m, value)
    }

    /// Limbs from the bottom to the top.
    fn ripple(&self) -> impl Iterator<Item = u32> {
        0..self.limbs.limbs - 1
    }

    fn rippled(&self, m: &mut Machine, mut limbs: Limbs) -> Limbs {
        for index in self.ripple() {
            self.limbs.carry(m, &mut limbs, index);
        }
        limbs
    }

    /// Adds a product to the sum of its column, or its halves to the sums of two columns.
    fn add_product(&self, m: &mut Machine, sums: &mut Limbs, column: usize, x: &Number, y: &Number) {
        if m.has_mac52 {
            for (sum, half) in sums[column..].iter_mut().zip([Half::Low, Half::High]) {
                *sum = m.mac52(half, sum, x, y);
            }
        } else if !x.range.is_zero() && !y.range.is_zero() {
            let product = m.mul(x, y, true);
            sums[column] = m.add(&sums[column], &product);
        }
    }

    /// The sum of products divided by R, not carried.
    fn reduced(&self, m: &mut Machine, products: &[&Product<'_>]) -> Limbs {
        let n = self.limbs.limbs as usize;
        let zeros = vec![m.constant(&BigInt::zero()); 2 * n];
        let (mut once, mut twice) = (zeros.clone(), zeros);
        for product in products {
            let is_square = is_same(product.a, product.b);
            for (i, x) in product.a.iter().enumerate() {
                for (j, y) in product.b.iter().enumerate().skip(if is_square { i } else { 0 }) {
                    let sums = if is_square && i != j { &mut twice } else { &mut once };
                    self.add_product(m, sums, i + j, x, y);
                }
            }
        }
        for (sum, half) in once.iter_mut().zip(&twice) {
            let whole = m.add(half, half);
            *sum = m.add(&whole, sum);
        }
        self.divide(m, once)
    }

    /// Columns divided by R.
    fn divide(&self, m: &mut Machine, mut columns: Limbs) -> Limbs {
        // With −1/p = 1, the factor is the lowest column itself. Adding p + 1 times the factor leaves that column as it
        // is, and the rest of the sum is above it.
        let is_plain = self.factor.is_one();
        let added = &self.limbs.modulus + u32::from(is_plain);
        let added = self.plain(m, &added);
        for index in 0..self.limbs.limbs as usize {
            let low = m.low_bits(&columns[index], BITS);
            let multiple = if is_plain { low } else { self.times_factor(m, &low) };
            for (above, word) in added.iter().enumerate() {
                self.add_product(m, &mut columns, index + above, &multiple, word);
            }
            let carry = m.shr(&columns[index], BITS);
            columns[index + 1] = m.add(&columns[index + 1], &carry);
        }
        columns.split_off(self.limbs.limbs as usize)
    }

    /// The product with −1/p modulo 2^52.
    fn times_factor(&self, m: &mut Machine, low: &Number) -> Number {
        let factor = m.constant(&self.factor);
        if m.has_mac52 {
            let zero = m.constant(&BigInt::zero());
            return m.mac52(Half::Low, &zero, low, &factor);
        }
        let product = m.mul(low, &factor, true);
        m.low_bits(&product, BITS)
    }

    /// The product with a constant, divided by R and carried.
    fn times(&self, m: &mut Machine, a: &Limbs, constant: &BigInt) -> Limbs {
        let constant = self.plain(m, constant);
        let product = self.reduced(m, &[&Product { a, b: &constant, is_negative: false }]);
        self.note(m, Part::Result, &product);
        self.rippled(m, product).iter().map(|limb| m.narrow(limb)).collect()
    }

    fn times_r(&self, m: &mut Machine, a: &Limbs) -> Limbs {
        let r = self.r();
        self.times(m, a, &(&r * &r % &self.limbs.modulus))
    }
}

impl Representation for Montgomery52 {
    fn word_bits(&self) -> u32 {
        self.limbs.bits
    }

    fn words(&self) -> u32 {
        self.limbs.limbs
    }

    fn position(&self, index: u32) -> u32 {
        self.limbs.position(index)
    }

    /// Bits of a limb. The top limb has the bits of numbers below 2 p; its room above them is for sums.
    fn limb_bits(&self, index: u32) -> u32 {
        let own = self.limbs.limb_bits(index);
        if index + 1 < self.limbs.limbs {
            own
        } else {
            own.min((self.limbs.length() + 1).saturating_sub(self.limbs.position(index)))
        }
    }

    fn factor(&self) -> BigUint {
        (self.r() % &self.limbs.modulus).magnitude().clone()
    }

    fn is_reduced(&self) -> bool {
        false
    }

    fn has_mac52(&self, lanes: u32) -> bool {
        lanes >= self.lanes
    }

    /// Limbs from the bottom to the top. A chain for sums without end goes on with the top limb, and from the bottom
    /// once more.
    fn full_chain(&self, order: Order, _: u32) -> Vec<u32> {
        match order {
            Order::Interleaved => self.ripple().collect(),
            Order::Sequential => self.ripple().chain([self.limbs.limbs - 1]).chain(self.ripple()).collect(),
        }
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.plain(m, &(value * self.r() % &self.limbs.modulus))
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.limbs.add(m, a, b)
    }

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.limbs.sub(m, a, b)
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        let by = BigInt::from(factor);
        let multiples: Vec<Interval> = a.iter().map(|limb| limb.range.times(&Interval::point(by.clone()))).collect();
        // Nothing is carried out of the top limb, which is a factor of the next product.
        let top = multiples.iter().fold(Interval::point(0), |below, limb| limb.plus(&below.shr(BITS)));
        let is_factor = !m.has_mac52 || top.within(&Interval::word(BITS));
        if is_factor && multiples.iter().all(|multiple| m.fits_word(multiple)) {
            return self.limbs.times_constant(m, a, factor);
        }
        let constant = Representation::constant(self, m, &by);
        self.reduced(m, &[&Product { a, b: &constant, is_negative: false }])
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        difference_of(self, m, products, |m, products| self.reduced(m, products))
    }

    /// Carries limbs; a product with 1 takes off the excess of the top limb.
    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]) {
        for &index in chain {
            if index + 1 < self.limbs.limbs {
                self.limbs.carry(m, limbs, index);
            } else {
                let one = Representation::constant(self, m, &BigInt::one());
                let product = self.reduced(m, &[&Product { a: limbs, b: &one, is_negative: false }]);
                for limbs in [&*limbs, &product] {
                    if let Some(part) = m.carried {
                        self.note(m, part, limbs);
                    }
                }
                *limbs = product;
            }
        }
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        pack_digits(self, m, words, bits, &|m, digit| {
            let carried = self.rippled(m, digit.clone());
            self.times_r(m, &carried)
        })
    }

    /// The element divided by R is p at most; p is taken off once.
    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        let carried = self.rippled(m, a.clone());
        self.note(m, Part::Operand(0), &carried);
        let plain = self.times(m, &carried, &BigInt::one());
        let frozen = self.limbs.below_modulus(m, &plain, Part::Result);
        self.limbs.unpack_frozen(m, &frozen, bits, count)
    }
}
