//! Numbers below 2^bits as limbs of 64 bits, least significant first, with no bit set from `bits` on.

use smallvec::{SmallVec, smallvec};

pub type Limbs = SmallVec<[u64; 2]>;

/// The number of limbs of a word of `bits` bits.
pub fn count(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

pub fn is_zero(limbs: &[u64]) -> bool {
    limbs.iter().all(|&limb| limb == 0)
}

pub fn is_ones(bits: u32, limbs: &[u64]) -> bool {
    limbs == ones(bits).as_slice()
}

pub fn ones(bits: u32) -> Limbs {
    let mut limbs = smallvec![u64::MAX; count(bits)];
    mask(bits, &mut limbs);
    limbs
}

/// Clears the bits from `bits` on.
pub fn mask(bits: u32, limbs: &mut [u64]) {
    if !bits.is_multiple_of(64) {
        limbs[count(bits) - 1] &= u64::MAX >> (64 - bits % 64);
    }
}

/// The low `bits` bits of a number of any length.
pub fn fit(bits: u32, limbs: &[u64]) -> Limbs {
    let mut fitted: Limbs = limbs.iter().copied().chain(std::iter::repeat(0)).take(count(bits)).collect();
    mask(bits, &mut fitted);
    fitted
}

pub fn bit(limbs: &[u64], position: u32) -> bool {
    limbs[position as usize / 64] >> (position % 64) & 1 == 1
}

/// The number of bits up to and including the highest one.
pub fn significant_bits(limbs: &[u64]) -> u32 {
    let top = limbs.iter().rposition(|&limb| limb != 0);
    top.map_or(0, |i| 64 * i as u32 + 64 - limbs[i].leading_zeros())
}

pub fn not(bits: u32, a: &[u64]) -> Limbs {
    let mut result = a.iter().map(|limb| !limb).collect::<Limbs>();
    mask(bits, &mut result);
    result
}

pub fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Limbs {
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

/// `a + b + carry` modulo 2^bits.
pub fn add(bits: u32, a: &[u64], b: &[u64], carry: bool) -> Limbs {
    let mut carry = carry;
    let mut sum: Limbs = a.iter().zip(b).map(|(&x, &y)| step(x, y, &mut carry)).collect();
    mask(bits, &mut sum);
    sum
}

fn step(x: u64, y: u64, carry: &mut bool) -> u64 {
    let (partial, first) = x.overflowing_add(y);
    let (sum, second) = partial.overflowing_add(u64::from(*carry));
    *carry = first | second;
    sum
}

/// `a - b - borrow` modulo 2^bits.
pub fn sub(bits: u32, a: &[u64], b: &[u64], borrow: bool) -> Limbs {
    add(bits, a, &b.iter().map(|limb| !limb).collect::<Limbs>(), !borrow)
}

/// `a · b` modulo 2^bits.
pub fn mul(bits: u32, a: &[u64], b: &[u64]) -> Limbs {
    let length = count(bits);
    let mut product: Limbs = smallvec![0; length];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (place, &y) in product[i..].iter_mut().zip(b) {
            let sum = u128::from(x) * u128::from(y) + u128::from(*place) + u128::from(carry);
            *place = sum as u64;
            carry = (sum >> 64) as u64;
        }
    }
    mask(bits, &mut product);
    product
}

/// The product of polynomials over GF(2), where bit i is the coefficient of x^i, modulo x^bits.
pub fn clmul(bits: u32, a: &[u64], b: &[u64]) -> Limbs {
    let mut product: Limbs = smallvec![0; count(bits)];
    for at in (0..bits).filter(|&at| bit(b, at)) {
        let mut shifted: Limbs = smallvec![0; product.len()];
        place(&mut shifted, at, &a[..product.len() - at as usize / 64]);
        product = zip(&product, &shifted, |x, y| x ^ y);
    }
    mask(bits, &mut product);
    product
}

/// Bits `low..low + bits` of `a`.
pub fn extract(a: &[u64], low: u32, bits: u32) -> Limbs {
    let (skip, shift) = (low as usize / 64, low % 64);
    let limb = |i: usize| a.get(i).copied().unwrap_or(0);
    let mut result: Limbs = (0..count(bits))
        .map(|i| match shift {
            0 => limb(skip + i),
            _ => limb(skip + i) >> shift | limb(skip + i + 1) << (64 - shift),
        })
        .collect();
    mask(bits, &mut result);
    result
}

/// Sets the bits of `target` from `low` on, which must be zero, to `part`.
pub fn place(target: &mut [u64], low: u32, part: &[u64]) {
    let (skip, shift) = (low as usize / 64, low % 64);
    for (i, &limb) in part.iter().enumerate() {
        target[skip + i] |= limb << shift;
        if shift != 0 && skip + i + 1 < target.len() {
            target[skip + i + 1] |= limb >> (64 - shift);
        }
    }
}

/// The bitwise function of three operands: see [`crate::Node::Tern`].
pub fn tern(bits: u32, table: u8, a: &[u64], b: &[u64], c: &[u64]) -> Limbs {
    let mut result: Limbs = smallvec![0; a.len()];
    for row in (0..8u32).filter(|row| table >> row & 1 == 1) {
        let literal = |limb: u64, place: u32| if row >> place & 1 == 1 { limb } else { !limb };
        for (i, place) in result.iter_mut().enumerate() {
            *place |= literal(a[i], 2) & literal(b[i], 1) & literal(c[i], 0);
        }
    }
    mask(bits, &mut result);
    result
}
