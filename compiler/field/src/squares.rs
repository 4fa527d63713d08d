//! Squares of numbers in full words.

use culet_ir::Op;
use num_bigint::BigInt;

use crate::interval::Interval;
use crate::machine::{Machine, Number};
use crate::representation::{Limbs, bits_of};

/// Whether a square of its own takes fewer instructions than a product of a number with itself. Words of 32 bits are those of machines without a
/// carry flag, where it takes five instructions to add a product, and three to double a word. Of constants the product is known.
pub fn pays(m: &Machine, a: &[Number]) -> bool {
    m.bits == 32 && a.iter().all(|word| word.range.low != word.range.high)
}

/// All words of the square: the products of different words are added once, and doubled together.
pub fn square(m: &mut Machine, a: &[Number]) -> Limbs {
    let bits = m.bits;
    let zero = m.constant(&BigInt::ZERO);
    let mut once: Limbs = vec![zero.clone(); 2 * a.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = zero.clone();
        for (j, y) in a.iter().enumerate().skip(i + 1) {
            let product = product(m, x, y);
            // A word's product with a word leaves room for two words more.
            let sum = m.add_wide(&product, &once[i + j]);
            let sum = m.add_wide(&sum, &carry);
            once[i + j] = m.low_bits(&sum, bits);
            carry = m.shr(&sum, bits);
        }
        once[i + a.len()] = m.narrow(&carry);
    }
    let (mut words, mut carry, mut below) = (Limbs::new(), zero.clone(), zero.clone());
    for (pair, x) in once.chunks_exact(2).zip(a) {
        let mut sum = product(m, x, x);
        for word in pair {
            let doubled = doubled(m, &below, word);
            below = word.clone();
            if words.len() + 1 == once.len() {
                // The square has no word more.
                let (word, none) = m.with_carry(Op::AddC, &sum, &doubled, None);
                m.dropped.extend(none);
                words.push(word);
                break;
            }
            sum = m.add_wide(&sum, &doubled);
            sum = m.add_wide(&sum, &carry);
            words.push(m.low_bits(&sum, bits));
            sum = m.shr(&sum, bits);
            carry = zero.clone();
        }
        carry = sum;
    }
    words
}

/// A word of twice a number: that of its own, and of the one below it.
pub fn doubled(m: &mut Machine, below: &Number, word: &Number) -> Number {
    let bits = m.bits;
    bits_of(m, &[below.clone(), word.clone()], bits, bits - 1, 2 * bits - 1)
}

/// A product in one word where it fits.
fn product(m: &mut Machine, a: &Number, b: &Number) -> Number {
    if a.range.is_zero() || b.range.is_zero() {
        return m.constant(&BigInt::ZERO);
    }
    let in_two = !a.range.times(&b.range).within(&Interval::word(m.bits));
    m.mul(a, b, in_two)
}
