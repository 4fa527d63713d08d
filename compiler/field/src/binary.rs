//! Polynomials over GF(2) in full words. Sums are exclusive ors, products are carry-less products of words, and a sum
//! of products is reduced once.
//!
//! The product of two words is an instruction, or made of products of integers. An integer product of words in which
//! only every s-th bit may be set is the carry-less product in every s-th bit, as long as fewer than 2^s products meet
//! in one place. So each factor is cut into s such words, and the valid bits of the s² products are put together. It
//! takes the same time for all words wherever multiplication does.
//!
//! Words may be mirrored, with their lowest coefficient at the top. Programs whose bytes have it there then need not
//! turn every bit around. If A and B are polynomials a and b of less than w bits mirrored in w bits, A·B is a·b
//! mirrored in 2w − 1 bits.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::interval::power;
use crate::machine::{Machine, Number};
use crate::primes::Impossible;
use crate::representation::{Limbs, Product, Representation, bits_of};

/// Elements of GF(2)[x] modulo a polynomial, bit i of the words being the coefficient of x^i.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// Bits of a word.
    bits: u32,
    words: u32,
    /// Exponents of the lower powers whose sum is x^degree.
    taps: Vec<u32>,
    /// Whether the carry-less product of two words is an instruction.
    has_clmul: bool,
    /// Whether a word has its lowest coefficient at the top.
    is_mirrored: bool,
}

impl Binary {
    /// # Errors
    ///
    /// If the degree is no multiple of a word's bits, or the polynomial's second term is not in the lower half of one
    /// word.
    pub fn new(polynomial: &BigInt, bits: u32) -> Result<Binary, Impossible> {
        let degree = polynomial.bits() as u32 - 1;
        let taps: Vec<u32> = (0..degree).filter(|&bit| polynomial.bit(u64::from(bit))).collect();
        let highest = taps.last().copied().unwrap_or(0);
        if !degree.is_multiple_of(bits) {
            let message = format!("the degree {degree} of the polynomial is no multiple of {bits}, the bits of a word");
            return Err(Impossible { message, remedy: "degrees such as 64 and 128 are possible".to_owned() });
        }
        if 2 * highest > bits {
            let message = format!("the second term of the polynomial, x^{highest}, is not in the lower half of a word");
            return Err(Impossible {
                message,
                remedy: "polynomials such as x^128 + x^7 + x^2 + x + 1 are possible".into(),
            });
        }
        Ok(Binary { bits, words: degree / bits, taps, has_clmul: false, is_mirrored: false })
    }

    /// This representation, where the carry-less product is an instruction, perhaps with each word's lowest coefficient
    /// at its top.
    pub fn with_clmul(self, is_mirrored: bool) -> Binary {
        Binary { has_clmul: true, is_mirrored, ..self }
    }

    /// Distance between bits that may be set, so that no sum of products overflows it.
    fn spacing(&self) -> u32 {
        (1..self.bits).find(|&s| u64::from(self.bits.div_ceil(s)) < 1 << s.min(63)).unwrap_or(self.bits)
    }

    /// The bits of a word whose position is `residue` modulo the spacing.
    fn every(&self, m: &mut Machine, word: &Number, residue: u32) -> Number {
        let positions = (residue..self.bits).step_by(self.spacing() as usize);
        let mask: u64 = positions.fold(0, |mask, bit| mask | 1 << bit);
        m.masked(word, mask)
    }

    /// The carry-less product of two words: the lower coefficients, and the higher ones.
    fn word_product(&self, m: &mut Machine, a: &Number, b: &Number) -> [Number; 2] {
        let [low, high] = if self.has_clmul { m.clmul(a, b) } else { self.by_integers(m, a, b) };
        if self.is_mirrored { [high, low] } else { [low, high] }
    }

    fn by_integers(&self, m: &mut Machine, a: &Number, b: &Number) -> [Number; 2] {
        let s = self.spacing();
        let [a, b] = [a, b].map(|word| (0..s).map(|residue| self.every(m, word, residue)).collect::<Vec<_>>());
        let zero = m.constant(&BigInt::zero());
        let mut product = [zero.clone(), zero.clone()];
        for residue in 0..s {
            let mut sum = [zero.clone(), zero.clone()];
            for i in 0..s {
                let j = (residue + s - i) % s;
                let whole = m.mul(&a[i as usize], &b[j as usize], true);
                let words = [m.low_bits(&whole, self.bits), m.shr(&whole, self.bits)];
                sum = [0, 1].map(|k| xor(m, &sum[k], &words[k]));
            }
            // In the high word, positions count from the bits of the low one.
            let own = [self.every(m, &sum[0], residue), self.every(m, &sum[1], (residue + s - self.bits % s) % s)];
            product = [0, 1].map(|k| xor(m, &product[k], &own[k]));
        }
        product
    }

    /// The unreduced sum of carry-less products of factors of several words, with twice as many words (A. Karatsuba's
    /// method, for even numbers of words).
    fn sum(&self, m: &mut Machine, factors: &[[&[Number]; 2]]) -> Limbs {
        let Some([first, _]) = factors.first() else { return Limbs::new() };
        let count = first.len();
        if count == 1 {
            let products: Vec<[Number; 2]> = factors.iter().map(|[a, b]| self.word_product(m, &a[0], &b[0])).collect();
            return products[1..].iter().fold(products[0].to_vec(), |sum, product| xor_all(m, &sum, product));
        }
        if !count.is_multiple_of(2) {
            return self.schoolbook(m, factors);
        }
        let half = count / 2;
        let low: Vec<_> = factors.iter().map(|factors| factors.map(|words| &words[..half])).collect();
        let high: Vec<_> = factors.iter().map(|factors| factors.map(|words| &words[half..])).collect();
        let sums: Vec<[Limbs; 2]> =
            low.iter().zip(&high).map(|(low, high)| [0, 1].map(|k| xor_all(m, low[k], high[k]))).collect();
        let sums: Vec<_> = sums.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
        let [low, high, both] = [low, high, sums].map(|factors| self.sum(m, &factors));
        let outer = xor_all(m, &low, &high);
        let middle = xor_all(m, &both, &outer);
        let mut words = [low, high].concat();
        for (word, middle) in words[half..].iter_mut().zip(&middle) {
            *word = xor(m, word, middle);
        }
        words
    }

    fn schoolbook(&self, m: &mut Machine, factors: &[[&[Number]; 2]]) -> Limbs {
        let count = factors[0][0].len();
        let zero = m.constant(&BigInt::zero());
        let mut words = vec![zero; 2 * count];
        for i in 0..count {
            for j in 0..count {
                let of_words: Vec<_> = factors.iter().map(|[a, b]| [&a[i..=i], &b[j..=j]]).collect();
                let product = self.sum(m, &of_words);
                for (k, part) in product.iter().enumerate() {
                    words[i + j + k] = xor(m, &words[i + j + k], part);
                }
            }
        }
        words
    }

    /// The unreduced sum of squares: twice each product of different words is 0.
    fn squares(&self, m: &mut Machine, squares: &[&[Number]]) -> Limbs {
        let word =
            |index: usize| -> Vec<[&[Number]; 2]> { squares.iter().map(|words| [&words[index..=index]; 2]).collect() };
        (0..self.words as usize).flat_map(|index| self.sum(m, &word(index))).collect()
    }

    /// A sum of products of elements, which is reduced once.
    fn sum_of_products(&self, m: &mut Machine, products: &[[&Limbs; 2]]) -> Limbs {
        let is_square = |&[a, b]: &[&Limbs; 2]| std::ptr::eq(a, b);
        let squares: Vec<&[Number]> =
            products.iter().filter(|product| is_square(product)).map(|[a, _]| &a[..]).collect();
        let others: Vec<[&[Number]; 2]> = products
            .iter()
            .filter(|product| !is_square(product))
            .map(|factors| factors.map(|factor| &factor[..]))
            .collect();
        let squares = if squares.is_empty() { Limbs::new() } else { self.squares(m, &squares) };
        let words = match (squares.is_empty(), others.is_empty()) {
            (_, true) => squares,
            (true, false) => self.sum(m, &others),
            (false, false) => {
                let others = self.sum(m, &others);
                xor_all(m, &squares, &others)
            }
        };
        let words = if self.is_mirrored { aligned(m, words) } else { words };
        self.reduced(m, words)
    }

    /// Folds the part above the degree back below it, until nothing is above.
    fn reduced(&self, m: &mut Machine, mut words: Limbs) -> Limbs {
        let n = self.words as usize;
        while words.len() > n {
            let high = words.split_off(n);
            for &tap in &self.taps {
                for (at, word) in self.shifted(m, &high, tap).into_iter().enumerate() {
                    match words.get(at) {
                        Some(other) => words[at] = xor(m, other, &word),
                        None => words.push(word),
                    }
                }
            }
            while words.len() > n && words.last().is_some_and(|word| word.range.is_zero()) {
                words.pop();
            }
        }
        words
    }

    /// Consecutive words times x^amount, where the amount is less than a word; the result has one word more.
    fn shifted(&self, m: &mut Machine, words: &[Number], amount: u32) -> Limbs {
        let (bits, mut below) = (self.bits, m.constant(&BigInt::zero()));
        let mut result = Limbs::new();
        for word in words {
            let (own, above) = match self.is_mirrored {
                true => (m.shr(word, amount), to_top(m, word, amount)),
                false => {
                    let own = m.low_bits(word, bits - amount);
                    (m.times(&own, &power(amount.into())), m.shr(word, bits - amount))
                }
            };
            result.push(xor(m, &own, &below));
            below = above;
        }
        result.push(below);
        result
    }

    /// A word of coefficients in the order in which words hold them.
    fn constant_word(&self, word: u64) -> u64 {
        if self.is_mirrored { word.reverse_bits() >> (64 - self.bits) } else { word }
    }
}

/// The `amount` lowest bits of a word at its top.
fn to_top(m: &mut Machine, word: &Number, amount: u32) -> Number {
    if amount <= word.zeros {
        return m.constant(&BigInt::zero());
    }
    let (low, zeros) = (m.low_bits(word, amount), m.bits - amount);
    m.times(&low, &power(zeros.into())).with_zeros(zeros)
}

/// Aligns a sum of products of mirrored words, in which each coefficient is one bit too low.
fn aligned(m: &mut Machine, words: Limbs) -> Limbs {
    let bits = m.bits;
    let mut below = m.constant(&BigInt::zero());
    let mut result = Limbs::new();
    for word in words.iter().rev() {
        let own = m.low_bits(word, bits - 1);
        let own = m.times(&own, &power(1));
        result.insert(0, xor(m, &own, &below));
        below = m.shr(word, bits - 1);
    }
    result
}

fn xor(m: &mut Machine, a: &Number, b: &Number) -> Number {
    match (a.range.is_zero(), b.range.is_zero()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => m.xor(a, b).with_zeros(a.zeros.min(b.zeros)),
    }
}

fn xor_all(m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
    a.iter().zip(b).map(|(a, b)| xor(m, a, b)).collect()
}

impl Representation for Binary {
    fn word_bits(&self) -> u32 {
        self.bits
    }

    fn words(&self) -> u32 {
        self.words
    }

    fn is_mirrored(&self) -> bool {
        self.is_mirrored
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        let mask = power(self.bits.into()) - BigInt::one();
        let word =
            |i: u32| BigInt::from(self.constant_word(((value >> (i * self.bits)) & &mask).to_u64().unwrap_or(0)));
        (0..self.words).map(|i| m.constant(&word(i))).collect()
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        xor_all(m, a, b)
    }

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        xor_all(m, a, b)
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        let factor = self.constant(m, &BigInt::from(factor));
        self.sum_of_products(m, &[[a, &factor]])
    }

    /// Signs have no meaning.
    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        let products: Vec<[&Limbs; 2]> = products.iter().map(|product| [product.a, product.b]).collect();
        self.sum_of_products(m, &products)
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        let total = bits * words.len() as u32;
        let count = total.div_ceil(self.bits).max(self.words);
        let word = |index: u32| {
            let low = (index * self.bits).min(total);
            bits_of(m, words, bits, low, (low + self.bits).min(total))
        };
        let words = (0..count).map(word).collect();
        self.reduced(m, words)
    }

    /// Nothing is ever left to be carried.
    fn carry_all(&self, _: &mut Machine, _: &mut Limbs, _: &[u32]) {}

    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        let total = self.bits * self.words;
        let word = |index: u32| {
            let low = (index * bits).min(total);
            bits_of(m, a, self.bits, low, (low + bits).min(total))
        };
        (0..count as u32).map(word).collect()
    }
}
