//! Primality test: trial division, then the test of Baillie, Pomerance, Selfridge and Wagstaff (a strong test to base 2
//! and a strong Lucas test: R. Baillie, S. S. Wagstaff, "Lucas pseudoprimes", Math. Comp. 35 (1980)), then strong tests
//! to more bases.
//!
//! The test is exact below 2^64. No composite number of any size is known that passes it, but its absence is not
//! proved: the primes here are probable primes in that sense.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bound for trial division: smaller factors are found and named.
const TRIAL: u32 = 1 << 12;
/// Bases of the strong tests, in addition to 2.
const BASES: [u32; 12] = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];

/// The result of a primality test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Primality {
    Prime,
    /// A composite number, with its least factor if that is small.
    Composite(Option<u32>),
}

/// Tests whether `n ≥ 2` is prime.
pub(crate) fn primality(n: &BigUint) -> Primality {
    for factor in (2..TRIAL).filter(|k| *k == 2 || k % 2 == 1) {
        if BigUint::from(factor) * factor > *n {
            return Primality::Prime;
        }
        if (n % factor).is_zero() {
            return Primality::Composite(Some(factor));
        }
    }
    let two = BigUint::from(2u32);
    let passes = is_strong_probable_prime(n, &two)
        && is_strong_lucas_probable_prime(n)
        && BASES.iter().all(|&base| is_strong_probable_prime(n, &BigUint::from(base)));
    if passes { Primality::Prime } else { Primality::Composite(None) }
}

/// Maximum number of bits of a number near which a prime is searched.
const MOST_LOOKED_FOR: u64 = 640;

/// The distance from an odd n to the nearest prime, and whether the prime is greater than n; of two equally near primes
/// the lower one counts. `None` if n has too many bits to search.
pub(crate) fn nearest(n: &BigUint) -> Option<(u32, bool)> {
    let is_prime = |n: &BigUint| primality(n) == Primality::Prime;
    let distances = (n.bits() <= MOST_LOOKED_FOR).then(|| (2..).step_by(2));
    distances?.find_map(|distance: u32| {
        let has_less = *n > BigUint::from(distance + 1) && is_prime(&(n - distance));
        (has_less || is_prime(&(n + distance))).then_some((distance, !has_less))
    })
}

/// Strong probable-prime test. For odd `n` with `n - 1 = d · 2^s`, d odd: `base^d` is 1, or some `base^(d · 2^r)` with
/// `r < s` is -1.
fn is_strong_probable_prime(n: &BigUint, base: &BigUint) -> bool {
    let minus_one = n - 1u32;
    let s = minus_one.trailing_zeros().unwrap_or(0);
    let mut power = base.modpow(&(&minus_one >> s), n);
    if power.is_one() || power == minus_one {
        return true;
    }
    for _ in 1..s {
        power = &power * &power % n;
        if power == minus_one {
            return true;
        }
    }
    false
}

/// Strong Lucas test with Selfridge's parameters: the first D of 5, -7, 9, -11, … with (D/n) = -1, P = 1, Q = (1 -
/// D)/4.
fn is_strong_lucas_probable_prime(n: &BigUint) -> bool {
    let root = n.sqrt();
    if &root * &root == *n {
        return false;
    }
    let n = BigInt::from(n.clone());
    let mut d: BigInt = BigInt::from(5);
    loop {
        match jacobi(&d, &n) {
            -1 => break,
            0 if (d.abs() % &n).is_zero() => {}
            0 => return false,
            _ => {}
        }
        d = if d.is_positive() { -d - 2 } else { BigInt::from(2) - d };
    }
    let q: BigInt = (BigInt::one() - &d) / 4;
    let next: BigInt = &n + 1u32;
    let s = next.trailing_zeros().unwrap_or(0);
    let (u, mut v, mut q_power) = lucas(&(&next >> s), &d, &q, &n);
    if u.is_zero() || v.is_zero() {
        return true;
    }
    for _ in 1..s {
        v = reduced(&v * &v - &q_power * 2, &n);
        q_power = reduced(&q_power * &q_power, &n);
        if v.is_zero() {
            return true;
        }
    }
    false
}

/// The residue from 0 to n - 1.
fn reduced(x: BigInt, n: &BigInt) -> BigInt {
    x.mod_floor(n)
}

/// `U_k`, `V_k` and `Q^k` modulo `n`, for P = 1 and k ≥ 1.
fn lucas(k: &BigInt, d: &BigInt, q: &BigInt, n: &BigInt) -> (BigInt, BigInt, BigInt) {
    let half = |x: BigInt| if x.is_odd() { (x + n) / 2 } else { x / 2 };
    let (mut u, mut v, mut q_power) = (BigInt::one(), BigInt::one(), q.mod_floor(n));
    for bit in (0..k.bits() - 1).rev() {
        u = reduced(&u * &v, n);
        v = reduced(&v * &v - &q_power * 2, n);
        q_power = reduced(&q_power * &q_power, n);
        if k.bit(bit) {
            let longer = half(reduced(&u + &v, n));
            v = half(reduced(d * &u + &v, n));
            u = longer;
            q_power = reduced(&q_power * q, n);
        }
    }
    (u, v, q_power)
}

/// The Jacobi symbol (a/n) for odd n > 0.
fn jacobi(a: &BigInt, n: &BigInt) -> i32 {
    let (mut a, mut n) = (a.mod_floor(n), n.clone());
    let mut sign = 1;
    let low = |x: &BigInt, modulus: u32| (x % modulus).to_u32().unwrap_or(0);
    while !a.is_zero() {
        let twos = a.trailing_zeros().unwrap_or(0);
        a >>= twos;
        if twos % 2 == 1 && matches!(low(&n, 8), 3 | 5) {
            sign = -sign;
        }
        if low(&a, 4) == 3 && low(&n, 4) == 3 {
            sign = -sign;
        }
        (a, n) = (n.mod_floor(&a), a);
    }
    if n.is_one() { sign } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power_of_two_plus(exponents: &[u32], offset: i64) -> BigUint {
        // The sum of the powers of two with these exponents, plus `offset`.
        let sum = exponents.iter().fold(BigInt::zero(), |sum, &e| sum + (BigInt::one() << e));
        (sum + offset).to_biguint().unwrap()
    }

    #[test]
    fn small_numbers_are_decided_as_a_sieve_does() {
        let limit = 200_000usize;
        let mut is_prime = vec![true; limit];
        for k in 2..limit {
            if is_prime[k] {
                (2 * k..limit).step_by(k).for_each(|m| is_prime[m] = false);
            }
            assert_eq!(primality(&BigUint::from(k)) == Primality::Prime, is_prime[k], "{k}");
        }
    }

    #[test]
    fn nearest_primes() {
        let nearest = |n: u32| nearest(&BigUint::from(n));
        assert_eq!((nearest(9), nearest(15), nearest(25)), (Some((2, false)), Some((2, false)), Some((2, false))));
        assert_eq!((nearest(35), nearest(45)), (Some((2, true)), Some((2, false))));
        assert_eq!(super::nearest(&power_of_two_plus(&[255], -21)), Some((2, true)));
        assert_eq!(super::nearest(&power_of_two_plus(&[256], -191)), Some((2, true)));
        assert_eq!(super::nearest(&power_of_two_plus(&[MOST_LOOKED_FOR as u32], 1)), None);
    }

    #[test]
    fn each_test_alone_calls_primes_prime() {
        let primes = [power_of_two_plus(&[255], -19), power_of_two_plus(&[130], -5), power_of_two_plus(&[521], -1)];
        for p in &primes {
            assert!(is_strong_probable_prime(p, &BigUint::from(2u32)) && is_strong_lucas_probable_prime(p));
            assert_eq!(primality(p), Primality::Prime);
        }
    }

    #[test]
    fn pseudoprimes_of_one_test_fail_the_other() {
        // OEIS A001262, strong pseudoprimes to base 2, and A217255, strong Lucas pseudoprimes.
        for n in [2047u32, 3277, 4033, 4681, 8321, 15841, 29341, 42799, 49141, 52633] {
            let n = BigUint::from(n);
            assert!(is_strong_probable_prime(&n, &BigUint::from(2u32)) && !is_strong_lucas_probable_prime(&n), "{n}");
        }
        for n in [5459u32, 5777, 10877, 16109, 18971, 22499, 24569, 25199, 40309, 58519] {
            let n = BigUint::from(n);
            assert!(is_strong_lucas_probable_prime(&n) && !is_strong_probable_prime(&n, &BigUint::from(2u32)), "{n}");
        }
    }

    #[test]
    fn large_composites_are_found() {
        let p = power_of_two_plus(&[127], -1);
        let q = power_of_two_plus(&[89], -1);
        assert_eq!(primality(&(&p * &q)), Primality::Composite(None));
        assert_eq!(primality(&(&p * &p)), Primality::Composite(None));
        // Arnault's composite (J. Symbolic Comp. 20, 1995) is a strong pseudoprime to all prime bases below 200.
        let arnault: BigUint = "8038374574536394912570796143419421081388376882875581458374889175222974273765333652186502336163960045457915042023603208766569966760987284043965408232928738791850869166857328267761771029389697739470167082304286871099974399765441448453411558724506334092790222752962294149842306881685404326457534018329786111298960644845216191652872597534901".parse().unwrap();
        assert_eq!(primality(&arnault), Primality::Composite(None));
        assert!(BASES.iter().all(|&base| is_strong_probable_prime(&arnault, &BigUint::from(base))));
    }
}
