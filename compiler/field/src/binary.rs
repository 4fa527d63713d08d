//! Polynomials over GF(2) in full words: sums are exclusive ors, products are made of products of integers.
//!
//! An integer product of words in which only every s-th bit may be set is the carry-less product in every s-th bit, as long as
//! fewer than 2^s products meet in one place. So each factor is cut into s such words, and of the s² products what counts is
//! put together. It takes the same time for all words wherever multiplication does.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::form::{Form, sum_of};
use crate::interval::power;
use crate::machine::{Machine, Number};
use crate::representation::Impossible;
use crate::unsaturated::{Limbs, Product, bits_of};

/// Elements of GF(2)[x] modulo a polynomial, bit i of the words being the coefficient of x^i.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// Bits of a word.
    bits: u32,
    words: u32,
    /// x^degree as lower powers.
    taps: Vec<u32>,
}

impl Binary {
    /// # Errors
    ///
    /// If the degree is no multiple of a word's bits, or the polynomial's second term is not in the lower half of one word.
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
        Ok(Binary { bits, words: degree / bits, taps })
    }

    /// Every how many bits one may be set, so that no sum of products runs over.
    fn spacing(&self) -> u32 {
        (1..self.bits).find(|&s| u64::from(self.bits.div_ceil(s)) < 1 << s.min(63)).unwrap_or(self.bits)
    }

    /// Those bits of a word whose position is `residue` modulo the spacing.
    fn every(&self, m: &mut Machine, word: &Number, residue: u32) -> Number {
        let positions = (residue..self.bits).step_by(self.spacing() as usize);
        let mask: u64 = positions.fold(0, |mask, bit| mask | 1 << bit);
        m.masked(word, mask)
    }

    /// The carry-less product of two words.
    fn word_product(&self, m: &mut Machine, a: &Number, b: &Number) -> [Number; 2] {
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

    /// The carry-less product of words in a row, twice as many (A. Karatsuba's way, for even numbers of words).
    fn product(&self, m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
        if let ([a], [b]) = (a, b) {
            return self.word_product(m, a, b).to_vec();
        }
        if !a.len().is_multiple_of(2) {
            return self.schoolbook(m, a, b);
        }
        let half = a.len() / 2;
        let low = self.product(m, &a[..half], &b[..half]);
        let high = self.product(m, &a[half..], &b[half..]);
        let (a_sum, b_sum) = (xor_all(m, &a[..half], &a[half..]), xor_all(m, &b[..half], &b[half..]));
        let both = self.product(m, &a_sum, &b_sum);
        let outer = xor_all(m, &low, &high);
        let middle = xor_all(m, &both, &outer);
        let mut words = [low, high].concat();
        for (word, middle) in words[half..].iter_mut().zip(&middle) {
            *word = xor(m, word, middle);
        }
        words
    }

    fn schoolbook(&self, m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
        let zero = m.constant(&BigInt::zero());
        let mut words = vec![zero; a.len() + b.len()];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let [low, high] = self.word_product(m, x, y);
                words[i + j] = xor(m, &words[i + j], &low);
                words[i + j + 1] = xor(m, &words[i + j + 1], &high);
            }
        }
        words
    }

    /// What is above the degree comes back below it, until nothing is above.
    fn reduced(&self, m: &mut Machine, mut words: Limbs) -> Limbs {
        let n = self.words as usize;
        while words.len() > n {
            let high = words.split_off(n);
            for &tap in &self.taps {
                for (at, word) in shifted(m, &high, tap, self.bits).into_iter().enumerate() {
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
}

/// Words in a row times x^amount, where that is less than a word; one word more.
fn shifted(m: &mut Machine, words: &[Number], amount: u32, bits: u32) -> Limbs {
    let mut result = Limbs::new();
    let mut below = m.constant(&BigInt::zero());
    for word in words {
        let own = m.low_bits(word, bits - amount);
        let own = m.times(&own, &power(amount.into()));
        result.push(xor(m, &own, &below));
        below = m.shr(word, bits - amount);
    }
    result.push(below);
    result
}

fn xor(m: &mut Machine, a: &Number, b: &Number) -> Number {
    match (a.range.is_zero(), b.range.is_zero()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => m.xor(a, b),
    }
}

fn xor_all(m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
    a.iter().zip(b).map(|(a, b)| xor(m, a, b)).collect()
}

impl Form for Binary {
    fn word_bits(&self) -> u32 {
        self.bits
    }

    fn words(&self) -> u32 {
        self.words
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        let mask = power(self.bits.into()) - BigInt::one();
        let word = |i: u32| BigInt::from(((value >> (i * self.bits)) & &mask).to_u64().unwrap_or(0));
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
        let words = self.product(m, a, &factor);
        self.reduced(m, words)
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        let products: Vec<(Limbs, bool)> = products
            .iter()
            .map(|product| {
                let words = self.product(m, product.a, product.b);
                (self.reduced(m, words), product.is_negative)
            })
            .collect();
        sum_of(self, m, &products)
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
