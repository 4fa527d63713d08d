//! Polynomials over GF(2) as integers: bit i is the coefficient of x^i.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The product of two polynomials.
pub fn multiply(a: &BigUint, b: &BigUint) -> BigUint {
    let (a, b) = (a.to_u64_digits(), b.to_u64_digits());
    let mut product = vec![0; a.len() + b.len()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let (low, high) = multiply_words(x, y);
            product[i + j] ^= low;
            product[i + j + 1] ^= high;
        }
    }
    from_words(&product)
}

/// The remainder of a division by `modulus`, which must not be zero.
pub fn remainder(a: &BigUint, modulus: &BigUint) -> BigUint {
    let (mut words, divisor, degree) = (a.to_u64_digits(), modulus.to_u64_digits(), modulus.bits() - 1);
    for bit in (degree..a.bits()).rev() {
        if words[(bit / 64) as usize] >> (bit % 64) & 1 == 1 {
            add_shifted(&mut words, &divisor, bit - degree);
        }
    }
    from_words(&words)
}

/// The inverse of `a` modulo `modulus`; `None` if the two have a common divisor.
pub fn inverse(a: &BigUint, modulus: &BigUint) -> Option<BigUint> {
    // Euclid's algorithm. The invariants modulo `modulus` are `x · a = r` and `next_x · a = next`.
    let (mut r, mut next) = (modulus.clone(), remainder(a, modulus));
    let (mut x, mut next_x) = (BigUint::zero(), BigUint::one());
    while !next.is_zero() {
        while r.bits() >= next.bits() {
            let shift = r.bits() - next.bits();
            r ^= &next << shift;
            x ^= &next_x << shift;
        }
        (r, next) = (next, r);
        (x, next_x) = (next_x, x);
    }
    r.is_one().then(|| remainder(&x, modulus))
}

/// Rabin's test (SIAM J. Comput. 9, 1980): `f` of degree n ≥ 1 is irreducible if and only if it divides x^(2^n) - x and
/// has no divisor in common with x^(2^(n/q)) - x for any prime q that divides n.
pub(crate) fn is_irreducible(f: &BigUint) -> bool {
    let degree = f.bits() - 1;
    let x = BigUint::from(2u32);
    let mut power = remainder(&x, f);
    let checks: Vec<u64> = prime_divisors(degree).into_iter().map(|q| degree / q).collect();
    for k in 1..=degree {
        power = remainder(&square(&power), f);
        if checks.contains(&k) && inverse(&(&power ^ &remainder(&x, f)), f).is_none() {
            return false;
        }
    }
    power == remainder(&x, f)
}

/// Maximum degree for which an irreducible polynomial is searched.
const MOST_LOOKED_FOR: u64 = 256;

/// The irreducible polynomial of a degree ≥ 2 that is least as a number; `None` if the degree is above the limit for
/// searching.
pub(crate) fn least_irreducible(degree: u64) -> Option<BigUint> {
    let top = BigUint::one() << degree;
    // Polynomials without a constant term are divisible by x. There are irreducible polynomials of every degree.
    let mut all = (1u32..).step_by(2).map(|low| &top | BigUint::from(low));
    if degree <= MOST_LOOKED_FOR { all.find(is_irreducible) } else { None }
}

/// The text of a polynomial in a program.
pub(crate) fn text(f: &BigUint) -> String {
    let powers = (0..f.bits()).rev().filter(|&i| f.bit(i)).map(|i| match i {
        0 => "1".to_owned(),
        1 => "x".to_owned(),
        _ => format!("x^{i}"),
    });
    powers.collect::<Vec<_>>().join(" + ")
}

fn prime_divisors(mut n: u64) -> Vec<u64> {
    let mut found = Vec::new();
    let mut q = 2;
    while q * q <= n {
        if n.is_multiple_of(q) {
            found.push(q);
            while n.is_multiple_of(q) {
                n /= q;
            }
        }
        q += 1;
    }
    if n > 1 {
        found.push(n);
    }
    found
}

/// The square: a zero is put between neighbouring coefficients.
fn square(a: &BigUint) -> BigUint {
    let words: Vec<u64> =
        a.to_u64_digits().iter().flat_map(|&word| [spread(word as u32), spread((word >> 32) as u32)]).collect();
    from_words(&words)
}

fn spread(half: u32) -> u64 {
    let mut word = u64::from(half);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        word = (word | word << shift) & mask;
    }
    word
}

/// The product of two words as (low, high).
fn multiply_words(x: u64, y: u64) -> (u64, u64) {
    let mut product = 0u128;
    for bit in 0..64 {
        product ^= (u128::from(x) << bit) & (u128::from(y >> bit & 1)).wrapping_neg();
    }
    (product as u64, (product >> 64) as u64)
}

fn add_shifted(words: &mut [u64], divisor: &[u64], shift: u64) {
    let (first, bits) = ((shift / 64) as usize, shift % 64);
    for (i, &word) in divisor.iter().enumerate() {
        words[first + i] ^= word << bits;
        if bits > 0 && word >> (64 - bits) != 0 {
            words[first + i + 1] ^= word >> (64 - bits);
        }
    }
}

fn from_words(words: &[u64]) -> BigUint {
    BigUint::new(words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of these powers of x.
    fn polynomial(exponents: &[u64]) -> BigUint {
        exponents.iter().fold(BigUint::zero(), |sum, &e| sum ^ (BigUint::one() << e))
    }

    #[test]
    fn products_in_the_field_of_aes() {
        // FIPS 197, section 4.2: {57} · {83} = {c1}, and {57} · {13} = {fe}.
        let f = polynomial(&[8, 4, 3, 1, 0]);
        let times = |a: u32, b: u32| remainder(&multiply(&BigUint::from(a), &BigUint::from(b)), &f);
        assert_eq!(times(0x57, 0x83), BigUint::from(0xc1u32));
        assert_eq!(times(0x57, 0x13), BigUint::from(0xfeu32));
        for a in 1..256u32 {
            let inverse = inverse(&BigUint::from(a), &f).unwrap();
            assert!(remainder(&multiply(&inverse, &BigUint::from(a)), &f).is_one(), "{a}");
        }
    }

    #[test]
    fn irreducible_polynomials_are_counted() {
        // OEIS A001037: the number of irreducible polynomials of degree n over GF(2).
        for (degree, count) in
            [(1, 2), (2, 1), (3, 2), (4, 3), (5, 6), (6, 9), (7, 18), (8, 30), (9, 56), (10, 99), (12, 335)]
        {
            let found = (0u32..1 << degree).filter(|low| is_irreducible(&BigUint::from((1 << degree) | low))).count();
            assert_eq!(found, count, "degree {degree}");
        }
    }

    #[test]
    fn published_polynomials_are_irreducible() {
        // GCM (SP 800-38D), and the fields of FIPS 186-4, D.1.3.
        let f128 = [128, 7, 2, 1, 0];
        for exponents in
            [&f128[..], &[163, 7, 6, 3, 0], &[233, 74, 0], &[283, 12, 7, 5, 0], &[409, 87, 0], &[571, 10, 5, 2, 0]]
        {
            assert!(is_irreducible(&polynomial(exponents)), "{exponents:?}");
        }
        assert!(!is_irreducible(&polynomial(&[128, 7, 2, 1])));
        assert!(!is_irreducible(&polynomial(&[128, 8, 2, 1, 0])));
        let product = multiply(&polynomial(&[163, 7, 6, 3, 0]), &polynomial(&[233, 74, 0]));
        assert!(!is_irreducible(&product));
        assert_eq!(remainder(&(product ^ BigUint::from(5u32)), &polynomial(&[233, 74, 0])), BigUint::from(5u32));
    }

    #[test]
    fn least_polynomials() {
        // The polynomials of AES (FIPS 197) and GCM (SP 800-38D) are the least of their degrees.
        for (degree, least) in [(2, "x^2 + x + 1"), (8, "x^8 + x^4 + x^3 + x + 1"), (128, "x^128 + x^7 + x^2 + x + 1")]
        {
            assert_eq!(least_irreducible(degree).map(|f| text(&f)).as_deref(), Some(least));
        }
        assert!(least_irreducible(MOST_LOOKED_FOR).is_some() && least_irreducible(MOST_LOOKED_FOR + 1).is_none());
    }

    #[test]
    fn squares_are_products() {
        let a = polynomial(&[0, 1, 31, 32, 63, 64, 100, 127, 128, 200]);
        assert_eq!(square(&a), multiply(&a, &a));
    }
}
