//! Operations on limbs with room for carries. They carry only where their plan says.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::carries::Order;
use crate::interval::{Interval, power};
use crate::machine::{Machine, Number};
use crate::primes::Unsaturated;
use crate::representation::{Limbs, Product, Representation, bits_of};

impl Unsaturated {
    /// Carries the part of limb `index` above its bits to the limb above, or from the top to the bottom.
    pub fn carry(&self, m: &mut Machine, limbs: &mut Limbs, index: u32) {
        let i = index as usize;
        let width = self.limb_bits(index);
        let above = m.shr(&limbs[i], width);
        if above.range.is_zero() {
            return;
        }
        m.wide_carries += u32::from(m.is_wide(&above));
        limbs[i] = m.low_bits(&limbs[i], width);
        if index + 1 < self.limbs {
            limbs[i + 1] = m.add(&limbs[i + 1], &above);
            return;
        }
        for tap in &self.taps {
            let low = tap.limb as usize;
            limbs[low] = match m.plus_times(&limbs[low], &above, &tap.factor) {
                Some(sum) => sum,
                None => {
                    let multiple = self.folded(m, &above, &tap.factor);
                    m.add(&limbs[low], &multiple)
                }
            };
        }
    }

    /// A carry out of the top times a factor, in one word if that holds it.
    fn folded(&self, m: &mut Machine, above: &Number, factor: &BigInt) -> Number {
        let range = above.range.times(&Interval::point(factor.clone()));
        if factor.is_one() || m.fits_word(&range) {
            return m.times(above, factor);
        }
        let factor = m.constant(factor);
        m.mul(above, &factor, true)
    }

    /// `2^d` if the product of the weights of limbs i and j is `2^d` times the weight of column i + j.
    fn surplus(&self, i: u32, j: u32) -> BigInt {
        power(u64::from(self.position(i) + self.position(j) - self.position(i + j)))
    }

    fn product(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        if let Some(factor) = self.single_factor(m, b) {
            return self.product_folded(m, a, b, &factor);
        }
        // This costs several carries, in two words if there are no vectors.
        m.wide_carries += u32::from(self.taps.len() == 1 && (m.has_mul32 || !self.is_easy()));
        self.product_then_fold(m, a, b)
    }

    /// The factor by which everything above the top counts, if one operand's limbs can be multiplied by it beforehand.
    fn single_factor(&self, m: &Machine, b: &Limbs) -> Option<BigInt> {
        let [tap] = &self.taps[..] else { return None };
        if tap.limb != 0 {
            return None;
        }
        let fits = |limb: &Number| m.fits_factor(&limb.range.times(&Interval::point(tap.factor.clone())));
        b.iter().skip(1).all(fits).then(|| tap.factor.clone())
    }

    /// Products of limbs; products above the top are with the folded limb.
    fn product_folded(&self, m: &mut Machine, a: &Limbs, b: &Limbs, factor: &BigInt) -> Limbs {
        let n = self.limbs;
        let is_square = is_same(a, b);
        let in_two = !m.fits_word(&self.largest_column(a, b, Some(factor)));
        let mut multiples = Multiples::default();
        let mut columns = Vec::new();
        for k in 0..n {
            let mut sum = m.constant(&BigInt::zero());
            for (i, j, wraps) in pairs(k, n, is_square) {
                let twice = if is_square && i != j { BigInt::from(2) } else { BigInt::one() };
                let x = multiples.of(m, 0, a, i, &(twice * self.surplus(i, j)));
                let y = multiples.of(m, 1, b, j, if wraps { factor } else { &ONE });
                let product = m.mul(&x, &y, in_two);
                sum = m.add(&sum, &product);
            }
            columns.push(sum);
        }
        columns
    }

    /// The range of the largest column, to choose one word or two for all.
    fn largest_column(&self, a: &Limbs, b: &Limbs, factor: Option<&BigInt>) -> Interval {
        let n = self.limbs;
        let mut largest = Interval::point(0);
        for k in 0..n {
            let mut sum = Interval::point(0);
            for (i, j, wraps) in pairs(k, n, false) {
                let scale = self.surplus(i, j)
                    * if wraps { factor.cloned().unwrap_or_else(BigInt::one) } else { BigInt::one() };
                let product = a[i as usize].range.times(&b[j as usize].range);
                sum = sum.plus(&product.times(&Interval::point(scale)));
            }
            largest = largest.hull(&sum);
        }
        largest
    }

    /// Computes all columns and then folds those above the top: as they are if the factors are 1 or 2, otherwise
    /// carried first.
    fn product_then_fold(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        let mut columns = self.all_columns(m, a, b);
        self.fold_columns(m, &mut columns);
        columns
    }

    /// Folds the columns above the top, and removes them.
    pub(crate) fn fold_columns(&self, m: &mut Machine, columns: &mut Limbs) {
        let is_easy = self.is_easy();
        if !is_easy {
            self.carry_high(m, columns);
        }
        let n = self.limbs as usize;
        for k in (n..columns.len()).rev() {
            let column = columns[k].clone();
            for tap in &self.taps {
                // If limbs have different numbers of bits, the product of the two weights may exceed that of the column
                // where they meet.
                let factor = &tap.factor * self.surplus((k - n) as u32, tap.limb);
                let multiple =
                    if is_easy { self.small_multiple(m, &column, &factor) } else { self.folded(m, &column, &factor) };
                let to = k - n + tap.limb as usize;
                columns[to] = m.add(&columns[to], &multiple);
            }
        }
        columns.truncate(n);
    }

    /// Whether the part above the top is added at the bottom once or twice.
    fn is_easy(&self) -> bool {
        self.taps.iter().all(|tap| tap.factor <= BigInt::from(2))
    }

    /// A column once, twice or four times.
    fn small_multiple(&self, m: &mut Machine, column: &Number, factor: &BigInt) -> Number {
        (1..factor.bits()).fold(column.clone(), |multiple, _| m.add(&multiple, &multiple))
    }

    fn all_columns(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        let n = self.limbs;
        let is_square = is_same(a, b);
        let in_two = !m.fits_word(&self.largest_column(a, b, None));
        let mut multiples = Multiples::default();
        let mut columns = Vec::new();
        for k in 0..2 * n - 1 {
            let mut sum = m.constant(&BigInt::zero());
            for i in k.saturating_sub(n - 1)..=k.min(n - 1) {
                let j = k - i;
                if is_square && j < i {
                    continue;
                }
                let twice = if is_square && i != j { BigInt::from(2) } else { BigInt::one() };
                let x = multiples.of(m, 0, a, i, &(twice * self.surplus(i, j)));
                let product = m.mul(&x, &b[j as usize], in_two);
                sum = m.add(&sum, &product);
            }
            columns.push(sum);
        }
        columns
    }

    /// Carries from column to column above the top, with one column more at the end.
    fn carry_high(&self, m: &mut Machine, columns: &mut Limbs) {
        let top = self.limbs as usize - 1;
        // The part of the top column above its bits must be one word, too.
        let is_large = !m.fits_word(&columns[top].range.shr(self.limb_bits(top as u32)));
        for k in top + usize::from(!is_large)..columns.len() {
            let width = self.limb_bits(k as u32);
            let above = m.shr(&columns[k], width);
            columns[k] = m.low_bits(&columns[k], width);
            match columns.get(k + 1).cloned() {
                Some(next) => columns[k + 1] = m.add(&next, &above),
                None => columns.push(m.narrow(&above)),
            }
        }
    }
}

impl Unsaturated {
    /// Bits `from..to` of words as limbs, the lowest first. The top limb takes the rest, if a word holds it; otherwise
    /// the part above the top, which is a word at most, is folded.
    fn limbs_of(&self, m: &mut Machine, words: &[Number], bits: u32, from: u32, to: u32) -> Limbs {
        let top = self.limbs - 1;
        let is_folded = to > from + self.position(top) + self.bits;
        let mut limbs = Vec::new();
        for i in 0..self.limbs {
            let low = (from + self.position(i)).min(to);
            let high = if i == top && !is_folded { to } else { (from + self.position(i + 1)).min(to) };
            limbs.push(bits_of(m, words, bits, low, high));
        }
        if is_folded {
            let above = bits_of(m, words, bits, from + self.position(self.limbs), to);
            for tap in &self.taps {
                let multiple = self.folded(m, &above, &tap.factor);
                let low = tap.limb as usize;
                limbs[low] = m.add(&limbs[low], &multiple);
            }
        }
        limbs
    }

    /// Folds the part of the top limb above its bits while it is more than a product of limbs, which plans know how to
    /// carry.
    fn shorten(&self, m: &mut Machine, limbs: &mut Limbs) {
        let top = self.limbs - 1;
        let product = 2 * u64::from(self.limb_bits(top) + 1);
        while limbs[top as usize].range.high.bits() > product && !m.is_over() {
            self.carry(m, limbs, top);
        }
    }

    /// Words as an element whose products `representation` computes. Words too long for the limbs are digits to the
    /// base of the power above the top, the highest first, by Horner's rule.
    pub(crate) fn pack_by(
        &self,
        representation: &dyn Representation,
        m: &mut Machine,
        words: &[Number],
        bits: u32,
    ) -> Limbs {
        let total = bits * words.len() as u32;
        let digit = self.position(self.limbs);
        if total <= digit + self.bits {
            let mut limbs = self.limbs_of(m, words, bits, 0, total);
            self.shorten(m, &mut limbs);
            return limbs;
        }
        let above_top: BigInt = self.taps.iter().map(|tap| &tap.factor << self.position(tap.limb)).sum();
        let base = Representation::constant(self, m, &above_top);
        let chain: Vec<u32> = (0..self.limbs).chain([0, 1 % self.limbs]).collect();
        let mut element: Option<Limbs> = None;
        for from in (0..total).step_by(digit as usize).rev() {
            let own = self.limbs_of(m, words, bits, from, total.min(from + digit));
            element = Some(match element {
                Some(above) => {
                    let mut shifted =
                        representation.products(m, &[Product { a: &above, b: &base, is_negative: false }]);
                    self.carry_all(m, &mut shifted, &chain);
                    let shifted: Limbs = shifted.iter().map(|limb| m.narrow(limb)).collect();
                    Representation::add(self, m, &shifted, &own)
                }
                None => own,
            });
        }
        element.unwrap_or_default()
    }
}

impl Representation for Unsaturated {
    fn full_chain(&self, order: Order, _: u32) -> Vec<u32> {
        let n = self.limbs;
        if order == Order::Interleaved && n >= 4 && self.taps.len() == 1 {
            let half = n.div_ceil(2);
            return (0..=half).flat_map(|i| [i % n, (i + half) % n]).collect();
        }
        let folded = self.taps.iter().flat_map(|tap| [tap.limb, (tap.limb + 1) % n]);
        (0..n).chain(folded).collect()
    }

    fn word_bits(&self) -> u32 {
        self.bits
    }

    fn words(&self) -> u32 {
        self.limbs
    }

    fn position(&self, index: u32) -> u32 {
        Unsaturated::position(self, index)
    }

    fn limb_bits(&self, index: u32) -> u32 {
        Unsaturated::limb_bits(self, index)
    }

    fn is_reduced(&self) -> bool {
        false
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.digits(value).iter().map(|digit| m.constant(digit)).collect()
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        a.iter().zip(b).map(|(a, b)| m.add(a, b)).collect()
    }

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        let least: Vec<BigInt> = a.iter().zip(b).map(|(a, b)| &b.range.high - &a.range.low).collect();
        // For loops and arrays the checker may know less than is known here, but not for constants.
        let is_known =
            a.iter().all(|limb| limb.range.low == limb.range.high) || b.iter().all(|limb| limb.range.is_zero());
        if self.is_signed || is_known && least.iter().all(|limb| *limb <= BigInt::zero()) {
            return a.iter().zip(b).map(|(a, b)| m.sub(a, b)).collect();
        }
        let bias = self.bias(&least);
        let one = |m: &mut Machine, (a, b): (&Number, &Number), bias: &BigInt| {
            let bias = m.constant(bias);
            let sum = m.add(a, &bias);
            m.sub(&sum, b)
        };
        a.iter().zip(b).zip(&bias).map(|(pair, bias)| one(m, pair, bias)).collect()
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        let factor = BigInt::from(factor);
        let point = Interval::point(factor.clone());
        let is_wide = a.iter().any(|limb| !m.fits_word(&limb.range.times(&point)));
        if !is_wide {
            return a.iter().map(|limb| m.times(limb, &factor)).collect();
        }
        let factor = m.constant(&factor);
        a.iter().map(|limb| m.mul(limb, &factor, true)).collect()
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        let mut sums: [Option<Limbs>; 2] = [None, None];
        for product in products {
            let columns = self.product(m, product.a, product.b);
            let sum = &mut sums[usize::from(product.is_negative)];
            *sum = Some(match sum.take() {
                Some(sum) => self.add(m, &sum, &columns),
                None => columns,
            });
        }
        match sums {
            [Some(plus), Some(minus)] => self.sub(m, &plus, &minus),
            [Some(plus), None] => plus,
            [None, Some(minus)] => self.neg(m, &minus),
            [None, None] => self.constant(m, &BigInt::zero()),
        }
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        self.pack_by(self, m, words, bits)
    }

    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]) {
        for &index in chain {
            self.carry(m, limbs, index);
        }
    }

    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        let frozen = self.freeze(m, a);
        self.unpack_frozen(m, &frozen, bits, count)
    }
}

static ONE: std::sync::LazyLock<BigInt> = std::sync::LazyLock::new(BigInt::one);

/// Whether the operands are one value, so that a product is a square.
pub(crate) fn is_same(a: &Limbs, b: &Limbs) -> bool {
    std::ptr::eq(a, b)
}

/// The pairs of limbs whose product counts in column `k`, and whether it comes from above the top; each pair once for a
/// square.
fn pairs(k: u32, n: u32, is_square: bool) -> Vec<(u32, u32, bool)> {
    let all = (0..n).map(|i| (i, (k + n - i) % n, i > k));
    // Of two orders, the one in which the folded limb is the higher one is taken.
    all.filter(|&(i, j, _)| !is_square || i <= j).map(|(i, j, _)| (i, j, i + j >= n)).collect()
}

/// Multiples of limbs, each computed once.
#[derive(Default)]
struct Multiples {
    known: Vec<(u32, u32, BigInt, Number)>,
}

impl Multiples {
    fn of(&mut self, m: &mut Machine, operand: u32, limbs: &Limbs, index: u32, factor: &BigInt) -> Number {
        let same = |known: &&(u32, u32, BigInt, Number)| (known.0, known.1) == (operand, index) && known.2 == *factor;
        if let Some(known) = self.known.iter().find(same) {
            return known.3.clone();
        }
        let multiple = m.times(&limbs[index as usize], factor);
        self.known.push((operand, index, factor.clone(), multiple.clone()));
        multiple
    }
}
