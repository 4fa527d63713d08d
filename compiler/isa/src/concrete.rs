//! Machine words of up to 1024 bits: registers have up to 512, and products and shifts pass through the double width.

use crate::Values;
use culet_meaning::Domain;

const LIMBS: usize = 16;

/// A number below 2^1024, least significant limb first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Wide([u64; LIMBS]);

impl Wide {
    /// The number with these limbs, least significant first; at most 16 of them.
    pub fn from_limbs(limbs: &[u64]) -> Wide {
        let mut wide = Wide::default();
        wide.0[..limbs.len()].copy_from_slice(limbs);
        wide
    }

    /// The number with these bytes, least significant first; at most 128 of them.
    pub fn from_bytes(bytes: &[u8]) -> Wide {
        let mut wide = Wide::default();
        for (place, byte) in bytes.iter().enumerate() {
            wide.0[place / 8] |= u64::from(*byte) << (8 * (place % 8));
        }
        wide
    }

    /// The lowest `count` bytes, least significant first.
    pub fn to_bytes(self, count: usize) -> Vec<u8> {
        (0..count).map(|place| (self.0[place / 8] >> (8 * (place % 8))) as u8).collect()
    }

    pub fn low(self) -> u64 {
        self.0[0]
    }

    /// The eight limbs of a 512-bit register.
    pub fn register(self) -> [u64; 8] {
        std::array::from_fn(|limb| self.0[limb])
    }

    fn masked(mut self, bits: u32) -> Wide {
        for (place, limb) in self.0.iter_mut().enumerate() {
            let below = 64 * place as u32;
            if bits <= below {
                *limb = 0;
            } else if bits < below + 64 {
                *limb &= u64::MAX >> (64 - (bits - below));
            }
        }
        self
    }

    fn zip(self, other: Wide, f: impl Fn(u64, u64) -> u64) -> Wide {
        Wide(std::array::from_fn(|limb| f(self.0[limb], other.0[limb])))
    }

    fn shifted_left(self, amount: u32) -> Wide {
        let (limbs, bits) = (amount as usize / 64, amount % 64);
        Wide(std::array::from_fn(|place| {
            let Some(from) = place.checked_sub(limbs) else { return 0 };
            let below = if bits == 0 || from == 0 { 0 } else { self.0[from - 1] >> (64 - bits) };
            self.0[from] << bits | below
        }))
    }

    fn shifted_right(self, amount: u32) -> Wide {
        let (limbs, bits) = (amount as usize / 64, amount % 64);
        let limb = |place: usize| self.0.get(place).copied().unwrap_or(0);
        Wide(std::array::from_fn(|place| {
            let from = place + limbs;
            let above = if bits == 0 { 0 } else { limb(from + 1) << (64 - bits) };
            limb(from) >> bits | above
        }))
    }

    fn plus(self, other: Wide) -> Wide {
        let mut carry = 0;
        Wide(std::array::from_fn(|place| {
            let sum = u128::from(self.0[place]) + u128::from(other.0[place]) + carry;
            carry = sum >> 64;
            sum as u64
        }))
    }

    fn negated(self) -> Wide {
        Wide(self.0.map(|limb| !limb)).plus(Wide::from_limbs(&[1]))
    }

    /// The product modulo 2^1024.
    fn times(self, other: Wide) -> Wide {
        let mut product = [0u64; LIMBS];
        for (i, a) in self.0.iter().enumerate().filter(|(_, a)| **a != 0) {
            let mut carry = 0;
            for j in 0..LIMBS - i {
                let sum = u128::from(*a) * u128::from(other.0[j]) + u128::from(product[i + j]) + carry;
                product[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
        Wide(product)
    }
}

impl std::fmt::Debug for Wide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let top = self.0.iter().rposition(|limb| *limb != 0).unwrap_or(0);
        write!(f, "0x{:x}", self.0[top])?;
        self.0[..top].iter().rev().try_for_each(|limb| write!(f, "_{limb:016x}"))
    }
}

/// The domain of known words, which are numbers below 2^bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Concrete512 {
    /// Whether values are computed but never `known`, so that instructions take the code paths that terms take.
    pub hides_values: bool,
    /// Whether undefined words are ones, not zeros. Results that differ between the two depend on undefined words.
    pub undefined_is_ones: bool,
}

impl Domain for Concrete512 {
    type Word = Wide;

    fn constant(&mut self, bits: u32, value: u64) -> Wide {
        let wide = Wide::from_limbs(&[value]);
        assert_eq!(wide.masked(bits), wide, "a constant fits its width");
        wide
    }

    fn not(&mut self, bits: u32, a: &Wide) -> Wide {
        a.zip(*a, |limb, _| !limb).masked(bits)
    }

    fn and(&mut self, _: u32, a: &Wide, b: &Wide) -> Wide {
        a.zip(*b, |a, b| a & b)
    }

    fn or(&mut self, _: u32, a: &Wide, b: &Wide) -> Wide {
        a.zip(*b, |a, b| a | b)
    }

    fn xor(&mut self, _: u32, a: &Wide, b: &Wide) -> Wide {
        a.zip(*b, |a, b| a ^ b)
    }

    fn add(&mut self, bits: u32, a: &Wide, b: &Wide) -> Wide {
        a.plus(*b).masked(bits)
    }

    fn sub(&mut self, bits: u32, a: &Wide, b: &Wide) -> Wide {
        a.plus(b.negated()).masked(bits)
    }

    fn mul_wide(&mut self, bits: u32, a: &Wide, b: &Wide) -> (Wide, Wide) {
        let product = a.times(*b);
        (product.masked(bits), product.shifted_right(bits).masked(bits))
    }

    fn shl(&mut self, bits: u32, a: &Wide, amount: u32) -> Wide {
        a.shifted_left(amount).masked(bits)
    }

    fn shr(&mut self, _: u32, a: &Wide, amount: u32) -> Wide {
        a.shifted_right(amount)
    }

    fn sar(&mut self, bits: u32, a: &Wide, amount: u32) -> Wide {
        let shifted = a.shifted_right(amount);
        if a.shifted_right(bits - 1).low() & 1 == 0 {
            return shifted;
        }
        let above = Wide::default().zip(Wide::default(), |_, _| u64::MAX).shifted_left(bits - amount);
        shifted.zip(above, |a, b| a | b).masked(bits)
    }

    fn extract(&mut self, _: u32, a: &Wide, low: u32, length: u32) -> Wide {
        a.shifted_right(low).masked(length)
    }

    fn concat(&mut self, _: u32, high: &Wide, low_bits: u32, low: &Wide) -> Wide {
        high.shifted_left(low_bits).zip(*low, |a, b| a | b)
    }
}

impl Values for Concrete512 {
    fn known(&self, bits: u32, a: &Wide) -> Option<u64> {
        (bits <= 64 && !self.hides_values).then_some(a.low())
    }

    fn undefined(&mut self, bits: u32) -> Wide {
        if self.undefined_is_ones { self.not(bits, &Wide::default()) } else { Wide::default() }
    }

    // The following implementations only save time.

    fn zero(&mut self, _: u32) -> Wide {
        Wide::default()
    }

    fn equal(&mut self, _: u32, a: &Wide, b: &Wide) -> Wide {
        Wide::from_limbs(&[u64::from(a == b)])
    }

    fn count_ones(&mut self, _: u32, a: &Wide) -> Wide {
        Wide::from_limbs(&[a.0.iter().map(|limb| u64::from(limb.count_ones())).sum()])
    }
}
