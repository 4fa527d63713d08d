//! Limbs that are multiplied 52 bits by 52: halves of products, low and high apart, are added to columns of one word.
//!
//! The high half of a product in column k counts `2^(52 − bits of limb k)` in column k + 1. The part above the top is
//! folded in an operand: for `c = 2^(position above the top) modulo p`, the limbs of `c · b` are split where they
//! exceed their bits, and their parts multiply the limbs of `a` in the columns below. So all products land in the
//! columns of the result, and only the high half of the top column is multiplied by c afterwards.

use std::collections::BTreeMap;

use culet_ir::Field;
use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::arithmetic::is_closed;
use crate::carries::Order;
use crate::interval::power;
use crate::machine::{Half, Machine, Number};
use crate::primes::Unsaturated;
use crate::representation::{Limbs, Product, Representation, difference_of};
use crate::unsaturated::is_same;

/// Bits of a factor.
pub(crate) const FACTOR: u32 = 52;

/// Limbs of at most 51 bits in words of 64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ifma {
    pub limbs: Unsaturated,
    /// Minimum number of elements side by side whose products are sums of 52 by 52 bits; fewer have products of whole
    /// words.
    pub lanes: u32,
}

/// A product of two numbers, and whether it counts twice.
struct Summand {
    x: Number,
    y: Number,
    is_double: bool,
}

/// The summands of a column.
type Column = Vec<Summand>;

impl Ifma {
    /// Limbs of the fewest bits, in the smallest number of limbs with which the part above the top folds back and the
    /// limbs hold the field's arithmetic, also that of an element alone.
    pub fn suitable(field: &Field, modulus: &BigInt) -> Option<Ifma> {
        let length = modulus.bits() as u32;
        let least = length.div_ceil(FACTOR - 1);
        let radices = (least..=least + 3).flat_map(|limbs| Unsaturated::radices(length, limbs));
        radices
            .filter_map(|radix| Unsaturated::new(modulus, radix, 64).ok().and_then(Ifma::new))
            .find(|ifma| is_closed(field, ifma) && is_closed(field, &ifma.limbs))
    }

    /// Limbs whose products are summed and folded in this way, if they can be.
    pub fn new(limbs: Unsaturated) -> Option<Ifma> {
        let widest = (0..limbs.limbs).map(|index| limbs.limb_bits(index)).max().unwrap_or(64);
        let ifma = Ifma { limbs, lanes: 1 };
        let is_easy = ifma.limbs.taps.iter().all(|tap| tap.factor <= BigInt::from(2));
        // The high half of the top column times the factor is one word.
        let is_small = |factor: &BigInt| factor.bits() <= 8;
        (widest < FACTOR && (is_easy || ifma.factor().is_some_and(is_small))).then_some(ifma)
    }

    /// The factor by which the part above the top counts at the bottom, if it counts nowhere else.
    fn factor(&self) -> Option<&BigInt> {
        match &self.limbs.taps[..] {
            [tap] if tap.limb == 0 => Some(&tap.factor),
            _ => None,
        }
    }

    fn surplus(&self, i: u32, j: u32) -> u32 {
        self.limbs.position(i) + self.limbs.position(j) - self.limbs.position(i + j)
    }

    /// The columns of sums of products.
    fn columns(&self, m: &mut Machine, products: &[&Product<'_>]) -> Limbs {
        let n = self.limbs.limbs;
        let factor = self.factor();
        let mut columns: Vec<Column> = Vec::new();
        columns.resize_with(if factor.is_some() { n } else { 2 * n - 1 } as usize, Column::new);
        for product in products {
            let mut sums = Sums { ifma: self, known: BTreeMap::new() };
            sums.multiply(m, product.a, product.b, factor);
            for ((column, i, surplus, is_double, _), y) in sums.known {
                let x = m.times(&product.a[i as usize], &power(u64::from(surplus)));
                columns[column as usize].push(Summand { x, y, is_double });
            }
        }
        self.summed(m, &columns, factor)
    }

    /// Sums columns. With a factor, the high half of the last column is folded to the first; without one it is a column
    /// more.
    fn summed(&self, m: &mut Machine, columns: &[Column], factor: Option<&BigInt>) -> Limbs {
        let count = columns.len();
        let zero = m.constant(&BigInt::zero());
        let mut highs = vec![zero.clone(); count];
        self.accumulate(m, &mut highs, columns, Half::High, true);
        for (high, column) in highs.iter_mut().zip(columns) {
            if column.iter().any(|summand| summand.is_double) {
                *high = m.add(&high.clone(), high);
            }
        }
        self.accumulate(m, &mut highs, columns, Half::High, false);
        // Where products count twice, a value that is carried to them before counts twice, too, and is shifted by one
        // bit less.
        let mut sums = vec![zero; count + usize::from(factor.is_none())];
        for (k, high) in highs.iter().enumerate() {
            let to = (k + 1) % sums.len();
            let has_doubles = columns.get(to).is_some_and(|column| column.iter().any(|summand| summand.is_double));
            let bits = FACTOR - self.limbs.limb_bits(k as u32) - u32::from(has_doubles);
            let fold = if to == 0 { factor.cloned().unwrap_or_else(BigInt::one) } else { BigInt::one() };
            sums[to] = self.multiple(m, high, &(fold << bits));
        }
        self.accumulate(m, &mut sums, columns, Half::Low, true);
        for (sum, column) in sums.iter_mut().zip(columns) {
            if column.iter().any(|summand| summand.is_double) {
                *sum = m.add(&sum.clone(), sum);
            }
        }
        self.accumulate(m, &mut sums, columns, Half::Low, false);
        if factor.is_none() {
            self.limbs.fold_columns(m, &mut sums);
        }
        sums
    }

    /// A multiple of a sum. If little else can be computed meanwhile, it is a sum of powers of two, which takes less
    /// time than a product of 64 bits, though more operations.
    fn multiple(&self, m: &mut Machine, sum: &Number, factor: &BigInt) -> Number {
        let is_small = &sum.range.high * factor < power(u64::from(FACTOR));
        let powers: Vec<u64> = (0..factor.bits()).filter(|&bit| factor.bit(bit)).collect();
        if m.lanes == 1 || is_small || powers.len() > 3 {
            return m.times(sum, factor);
        }
        let zero = m.constant(&BigInt::zero());
        powers.iter().fold(zero, |whole, &bit| {
            let part = m.times(sum, &power(bit));
            m.add(&whole, &part)
        })
    }

    /// Adds halves of products to the columns' sums, one column after another, so that none waits for itself.
    fn accumulate(&self, m: &mut Machine, sums: &mut Limbs, columns: &[Column], half: Half, doubles: bool) {
        let own: Vec<Vec<&Summand>> = columns
            .iter()
            .map(|column| column.iter().filter(|summand| summand.is_double == doubles).collect())
            .collect();
        // Where lanes are elements of one instance, little else can be computed meanwhile: sums on their own wait less.
        let before = (m.lanes > 1).then(|| {
            let zeros = vec![m.constant(&BigInt::zero()); sums.len()];
            std::mem::replace(sums, zeros)
        });
        let longest = own.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..longest {
            for (sum, summands) in sums.iter_mut().zip(&own) {
                if let Some(Summand { x, y, .. }) = summands.get(round) {
                    *sum = m.mac52(half, sum, x, y);
                }
            }
        }
        for (sum, before) in sums.iter_mut().zip(before.iter().flatten()) {
            *sum = m.add(before, sum);
        }
    }
}

/// Multipliers of the limbs of an operand, by the column, the limb's number, the power of two by which the limb is
/// multiplied, whether the product counts twice, and a number that keeps apart multipliers that cannot be added.
struct Sums<'i> {
    ifma: &'i Ifma,
    known: BTreeMap<(u32, u32, u32, bool, u32), Number>,
}

impl Sums<'_> {
    /// Adds `a · b`; the part above the top is folded if there is a factor.
    fn multiply(&mut self, m: &mut Machine, a: &Limbs, b: &Limbs, factor: Option<&BigInt>) {
        let n = self.ifma.limbs.limbs;
        let is_square = is_same(a, b);
        let digits: Vec<Option<[Number; 2]>> =
            (0..n).map(|j| factor.filter(|_| j > 0).map(|factor| self.folded(m, &b[j as usize], j, factor))).collect();
        for i in 0..n {
            for j in if is_square { i } else { 0 }..n {
                let is_double = is_square && i != j;
                match &digits[j as usize] {
                    Some([low, high]) if i + j >= n => {
                        self.add(m, i + j - n, (i, self.ifma.surplus(i, j)), is_double, low);
                        self.add(m, i + j + 1 - n, (i, self.ifma.surplus(i, j + 1)), is_double, high);
                    }
                    // In a square, the sums of other limbs multiply the higher limb.
                    _ if is_double => {
                        self.add(m, i + j, (j, self.ifma.surplus(i, j)), true, &b[i as usize]);
                    }
                    _ => self.add(m, i + j, (i, self.ifma.surplus(i, j)), false, &b[j as usize]),
                }
            }
        }
    }

    /// The limb times the factor, as a limb and the part that counts in the next one.
    fn folded(&self, m: &mut Machine, limb: &Number, index: u32, factor: &BigInt) -> [Number; 2] {
        let bits = self.ifma.limbs.limb_bits(index);
        let zero = m.constant(&BigInt::zero());
        if &limb.range.high * factor < power(u64::from(FACTOR)) {
            return [m.times(limb, factor), zero];
        }
        let [plain, shifted] = [factor.clone(), factor << (FACTOR - bits)].map(|factor| m.constant(&factor));
        let low = m.mac52(Half::Low, &zero, limb, &plain);
        [m.low_bits(&low, bits), m.mac52(Half::High, &zero, limb, &shifted)]
    }

    /// Adds a limb by which a limb is multiplied in a column.
    fn add(&mut self, m: &mut Machine, column: u32, (limb, surplus): (u32, u32), is_double: bool, by: &Number) {
        if by.range.is_zero() {
            return;
        }
        for turn in 0.. {
            let key = (column, limb, surplus, is_double, turn);
            match self.known.get(&key) {
                Some(sum) if &sum.range.high + &by.range.high < power(u64::from(FACTOR)) => {
                    let sum = m.add(&sum.clone(), by);
                    self.known.insert(key, sum);
                    return;
                }
                Some(_) => {}
                None => {
                    self.known.insert(key, by.clone());
                    return;
                }
            }
        }
    }
}

impl Representation for Ifma {
    fn word_bits(&self) -> u32 {
        self.limbs.bits
    }

    fn words(&self) -> u32 {
        self.limbs.limbs
    }

    fn position(&self, index: u32) -> u32 {
        self.limbs.position(index)
    }

    fn limb_bits(&self, index: u32) -> u32 {
        self.limbs.limb_bits(index)
    }

    fn is_reduced(&self) -> bool {
        false
    }

    fn has_mac52(&self, lanes: u32) -> bool {
        lanes >= self.lanes
    }

    /// Limbs from the top to the bottom, so that no carry but the last waits for another one, and the ends once more.
    fn full_chain(&self, order: Order, lanes: u32) -> Vec<u32> {
        if !self.has_mac52(lanes) {
            return self.limbs.full_chain(order, lanes);
        }
        let n = self.limbs.limbs;
        std::iter::once(0).chain((1..n).rev()).chain([0, n - 1]).collect()
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.limbs.constant(m, value)
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.limbs.add(m, a, b)
    }

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.limbs.sub(m, a, b)
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        if !m.has_mac52 {
            return self.limbs.times_constant(m, a, factor);
        }
        let factor = BigInt::from(factor);
        // A shift needs no room but in the word.
        let most = if factor.bits() == factor.trailing_zeros().unwrap_or(0) + 1 { self.limbs.bits - 1 } else { FACTOR };
        if a.iter().all(|limb| &limb.range.high * &factor < power(u64::from(most))) {
            return a.iter().map(|limb| m.times(limb, &factor)).collect();
        }
        let y = m.constant(&factor);
        let once = |x: &Number| vec![Summand { x: x.clone(), y: y.clone(), is_double: false }];
        let columns: Vec<Column> = a.iter().map(once).collect();
        self.summed(m, &columns, self.factor())
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        if !m.has_mac52 {
            return self.limbs.products(m, products);
        }
        difference_of(self, m, products, |m, products| self.columns(m, products))
    }

    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]) {
        self.limbs.carry_all(m, limbs, chain);
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        self.limbs.pack_by(self, m, words, bits)
    }

    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        self.limbs.unpack(m, a, bits, count)
    }
}
