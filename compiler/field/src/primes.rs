//! Representations of elements of prime fields in words, and which of them are possible.

use std::fmt;

use culet_ir::{Field, FieldKind};
use culet_types::field::{Pin, Radix};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::arithmetic::is_closed;
use crate::interval::power;
use crate::representation::Representation;

/// Maximum number of limbs of a representation.
const MAX_LIMBS: u32 = 64;

/// Minimum number of bits that the top one of full words has above a number below p, if sums may grow there.
pub(crate) const ROOM: u32 = 8;

/// The representation of the elements of a field in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrimeRepresentation {
    Unsaturated(Unsaturated),
    Saturated(Saturated),
    Montgomery(Montgomery),
}

/// Limbs with room for carries, `value = Σ limb[i] · 2^position[i]` modulo p, whose top folds back to the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsaturated {
    pub modulus: BigInt,
    pub radix: Radix,
    /// Bits of a word.
    pub bits: u32,
    pub limbs: u32,
    /// 2^(position of the limb above the top) modulo p, as multiples of limbs.
    pub taps: Vec<Tap>,
    /// Whether limbs have signs, so that differences need no multiple of p.
    pub is_signed: bool,
}

/// A carry out of the top counts `factor` times the weight of limb `limb`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tap {
    pub limb: u32,
    pub factor: BigInt,
}

/// Full words, `value = Σ word[i] · 2^(bits · i)` modulo p; the part above the top folds back to the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saturated {
    pub modulus: BigInt,
    /// Bits of a word.
    pub bits: u32,
    pub words: u32,
    /// Bits of the top word of a number below p.
    pub top: u32,
    /// 2^(bits of p) modulo p.
    pub factor: BigInt,
}

/// `a · R` modulo p in full words, below p, with R = 2^(bits · words).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Montgomery {
    pub modulus: BigInt,
    /// Bits of a word.
    pub bits: u32,
    pub words: u32,
    /// −1/p modulo 2^bits.
    pub factor: BigInt,
}

/// The reason that a representation is impossible, and a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impossible {
    pub message: String,
    pub remedy: String,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.remedy)
    }
}

pub(crate) fn impossible<T>(message: impl Into<String>, remedy: impl Into<String>) -> Result<T, Impossible> {
    Err(Impossible { message: message.into(), remedy: remedy.into() })
}

impl PrimeRepresentation {
    /// The pinned representation of a field in words of `bits` bits, or one that suits its modulus.
    ///
    /// # Errors
    ///
    /// A representation that the words cannot hold, or that the modulus does not allow.
    pub fn new(field: &Field, bits: u32) -> Result<PrimeRepresentation, Impossible> {
        let modulus = prime(field)?;
        if field.has_full_words(bits) {
            return Saturated::new(&modulus, bits).map(PrimeRepresentation::Saturated);
        }
        match field.pin {
            Some(Pin::Unsaturated(radix)) => {
                Unsaturated::new(&modulus, radix, bits).map(PrimeRepresentation::Unsaturated)
            }
            Some(Pin::Montgomery(radix)) => Montgomery::new(&modulus, radix, bits).map(PrimeRepresentation::Montgomery),
            None => PrimeRepresentation::suitable(field, &modulus, bits),
        }
    }

    /// As [`PrimeRepresentation::new`], for a program in plain words.
    ///
    /// # Errors
    ///
    /// As [`PrimeRepresentation::new`].
    pub fn of_program(field: &Field, bits: u32) -> Result<PrimeRepresentation, Impossible> {
        match &field.kind {
            FieldKind::Prime(modulus) if field.suits_full_words(bits) => {
                Saturated::new(&BigInt::from(modulus.clone()), bits).map(PrimeRepresentation::Saturated)
            }
            _ => PrimeRepresentation::new(field, bits),
        }
    }

    /// Limbs that hold the field's arithmetic and whose part above the top folds back by a small factor or two,
    /// otherwise Montgomery's form.
    fn suitable(field: &Field, modulus: &BigInt, bits: u32) -> Result<PrimeRepresentation, Impossible> {
        let widest = bits - 3;
        let length = modulus.bits() as u32;
        let least = length.div_ceil(widest);
        for radix in (least..=least + 3).flat_map(|limbs| Unsaturated::radices(length, limbs)) {
            if let Ok(found) = Unsaturated::new(modulus, radix, bits)
                && found.has_room()
                && is_closed(field, &found)
            {
                return Ok(PrimeRepresentation::Unsaturated(found));
            }
        }
        Montgomery::new(modulus, bits, bits).map(PrimeRepresentation::Montgomery)
    }

    /// Limbs whose carries are planned.
    ///
    /// # Errors
    ///
    /// If it is Montgomery's form, which has no planned carries.
    pub fn into_limbs(self) -> Result<Box<dyn Representation>, Montgomery> {
        match self {
            PrimeRepresentation::Unsaturated(limbs) => Ok(Box::new(limbs)),
            PrimeRepresentation::Saturated(words) => Ok(Box::new(words)),
            PrimeRepresentation::Montgomery(words) => Err(words),
        }
    }

    pub fn modulus(&self) -> &BigInt {
        match self {
            PrimeRepresentation::Unsaturated(limbs) => &limbs.modulus,
            PrimeRepresentation::Saturated(words) => &words.modulus,
            PrimeRepresentation::Montgomery(words) => &words.modulus,
        }
    }

    /// Number of words of an element.
    pub fn words(&self) -> u32 {
        match self {
            PrimeRepresentation::Unsaturated(limbs) => limbs.limbs,
            PrimeRepresentation::Saturated(words) => words.words,
            PrimeRepresentation::Montgomery(words) => words.words,
        }
    }

    /// Number of bits of a word.
    pub fn word_bits(&self) -> u32 {
        match self {
            PrimeRepresentation::Unsaturated(limbs) => limbs.bits,
            PrimeRepresentation::Saturated(words) => words.bits,
            PrimeRepresentation::Montgomery(words) => words.bits,
        }
    }
}

impl fmt::Display for PrimeRepresentation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrimeRepresentation::Unsaturated(u) => {
                write!(f, "{} limbs of {} bits in words of {}", u.limbs, u.radix, u.bits)
            }
            PrimeRepresentation::Saturated(s) => write!(f, "{} full words of {} bits", s.words, s.bits),
            PrimeRepresentation::Montgomery(m) => {
                write!(f, "Montgomery's form in {} words of {} bits", m.words, m.bits)
            }
        }
    }
}

/// The modulus of a prime field.
///
/// # Errors
///
/// If the field is not a prime field.
pub(crate) fn prime(field: &Field) -> Result<BigInt, Impossible> {
    match &field.kind {
        FieldKind::Prime(modulus) => Ok(BigInt::from(modulus.clone())),
        FieldKind::Binary(_) => impossible(
            format!("`{}` is a binary field, which has no limbs", field.name),
            "fields of integers modulo a prime have; programs over binary fields compile",
        ),
    }
}

fn check_odd(modulus: &BigInt) -> Result<(), Impossible> {
    if modulus.bits() < 2 || !modulus.bit(0) {
        return impossible(format!("the modulus {modulus} is even or below 3"), "give an odd prime");
    }
    Ok(())
}

/// −1/modulus modulo 2^bits.
///
/// # Errors
///
/// If the modulus is even.
pub(crate) fn negative_inverse(modulus: &BigInt, bits: u32) -> Result<BigInt, Impossible> {
    check_odd(modulus)?;
    let word = BigUint::one() << bits;
    match modulus.magnitude().modinv(&word) {
        Some(inverse) => Ok((&word - inverse).into()),
        None => impossible("the modulus has no inverse modulo a word", "give an odd prime"),
    }
}

impl Unsaturated {
    pub fn new(modulus: &BigInt, radix: Radix, bits: u32) -> Result<Unsaturated, Impossible> {
        check_odd(modulus)?;
        if radix.limb_bits(0) + 2 > u64::from(bits) {
            return impossible(
                format!("limbs of {radix} bits leave no room for carries in words of {bits} bits"),
                format!("a radix of {} bits at most does", bits - 3),
            );
        }
        let limbs = (1..=MAX_LIMBS).find(|&limbs| radix.position(limbs) >= modulus.bits());
        let Some(limbs) = limbs else {
            return impossible(
                format!("{} bits do not fit into {MAX_LIMBS} limbs of {radix} bits", modulus.bits()),
                "give a larger radix",
            );
        };
        if !(u64::from(limbs) * u64::from(radix.numerator())).is_multiple_of(u64::from(radix.denominator())) {
            return impossible(
                format!("{limbs} limbs of {radix} bits are no whole number of bits"),
                format!("{}/{limbs} bits a limb are", modulus.bits()),
            );
        }
        let mut representation =
            Unsaturated { modulus: modulus.clone(), radix, bits, limbs, taps: Vec::new(), is_signed: false };
        representation.taps = representation.find_taps(representation.position(limbs))?;
        Ok(representation)
    }

    /// `limbs` limbs in words of 64 bits, without taps to which a carry out of the top folds.
    ///
    /// # Errors
    ///
    /// If the modulus is even, or there are too many limbs.
    pub(crate) fn unfolded(modulus: &BigInt, limb_bits: u32, limbs: u32) -> Result<Unsaturated, Impossible> {
        check_odd(modulus)?;
        match Radix::new(limb_bits, 1) {
            Some(radix) if limbs <= MAX_LIMBS => {
                Ok(Unsaturated { modulus: modulus.clone(), radix, bits: 64, limbs, taps: Vec::new(), is_signed: false })
            }
            _ => impossible(
                format!("{} bits do not fit into {MAX_LIMBS} limbs of {limb_bits} bits", modulus.bits()),
                "give a smaller modulus",
            ),
        }
    }

    /// Radices with which `limbs` limbs hold `length` bits: a whole one, and one without a bit to spare.
    pub(crate) fn radices(length: u32, limbs: u32) -> impl Iterator<Item = Radix> {
        [Radix::new(length.div_ceil(limbs), 1), Radix::new(length, limbs)].into_iter().flatten()
    }

    /// The weight of limb `index`, as an exponent of two.
    pub fn position(&self, index: u32) -> u32 {
        self.radix.position(index) as u32
    }

    /// Bits of limb `index` when nothing is to be carried.
    pub fn limb_bits(&self, index: u32) -> u32 {
        self.radix.limb_bits(index % self.limbs) as u32
    }

    /// The representation with limbs that have signs, as long as products of limbs fit into words.
    pub fn signed(self) -> Unsaturated {
        Unsaturated { is_signed: true, ..self }
    }

    /// Bits of the modulus.
    pub fn length(&self) -> u32 {
        self.modulus.bits() as u32
    }

    /// Whether two words hold a column of products of sums of two, and one word holds a limb of a sum times the factor.
    fn has_room(&self) -> bool {
        let limb = self.radix.limb_bits(0);
        let count = u64::from(self.limbs.next_power_of_two().ilog2());
        let fits = |tap: &Tap| {
            let factor = tap.factor.bits();
            limb + factor < u64::from(self.bits) && 2 * limb + factor + count + 2 <= 2 * u64::from(self.bits)
        };
        self.taps.iter().all(fits)
    }

    /// 2^exponent modulo p as few multiples of limbs, none negative. The exponent is not below p's length.
    ///
    /// # Errors
    ///
    /// If it takes more than four, or large ones.
    pub fn find_taps(&self, exponent: u32) -> Result<Vec<Tap>, Impossible> {
        // 2^length − p is the residue of 2^length modulo p.
        let rest = (power(self.modulus.bits()) - &self.modulus) << (exponent - self.length());
        let mut taps: Vec<Tap> = Vec::new();
        let mut left = rest;
        while left.is_positive() {
            let lowest = left.trailing_zeros().unwrap_or(0);
            let limb = (0..self.limbs).rev().find(|&limb| u64::from(self.position(limb)) <= lowest).unwrap_or(0);
            let position = self.position(limb);
            let factor = &left >> position;
            let width = u64::from(self.bits) - 6;
            // The part that this limb cannot take is for limbs above it.
            let factor =
                if factor.bits() <= width { factor } else { factor & (power(u64::from(self.limb_bits(limb))) - 1) };
            left -= &factor << position;
            taps.push(Tap { limb, factor });
            if taps.len() > 4 {
                break;
            }
        }
        let small = |tap: &Tap| tap.factor.bits() + 6 <= u64::from(self.bits);
        if left.is_zero() && !taps.is_empty() && taps.iter().all(small) && self.is_low(&taps) {
            return Ok(taps);
        }
        impossible(
            format!("2^{exponent} is no small number modulo the modulus, so that carries do not fold back"),
            "Montgomery's form works for every odd modulus: `mont 64`, on words of 32 bits `mont 32`, in lanes `mont 52`",
        )
    }

    /// Whether folding ends: a carry out of the top comes back in the lower half.
    fn is_low(&self, taps: &[Tap]) -> bool {
        taps.iter().all(|tap| {
            u64::from(self.position(tap.limb)) + tap.factor.bits() <= u64::from(self.position(self.limbs)) / 2 + 8
        })
    }

    /// A number below p as limbs, each of its own bits.
    pub fn digits(&self, value: &BigInt) -> Vec<BigInt> {
        let digit = |i: u32| (value >> self.position(i)) & (power(u64::from(self.limb_bits(i))) - 1);
        (0..self.limbs).map(digit).collect()
    }

    /// The smallest multiple of p that can be written with limbs which are at least these, in such limbs.
    pub fn bias(&self, least: &[BigInt]) -> Vec<BigInt> {
        let least: Vec<BigInt> = least.iter().map(|limb| limb.clone().max(BigInt::zero())).collect();
        let sum: BigInt = (0..).zip(&least).map(|(i, limb)| limb << self.position(i)).sum();
        let quotient = (&sum + &self.modulus - BigInt::one()) / &self.modulus;
        let rest = quotient * &self.modulus - sum;
        let digits = self.digits(&rest);
        let top = least.len() - 1;
        let mut limbs: Vec<BigInt> = least.iter().zip(&digits).map(|(limb, digit)| limb + digit).collect();
        limbs[top] = &least[top] + (&rest >> self.position(top as u32));
        limbs
    }
}

impl Saturated {
    /// # Errors
    ///
    /// If the modulus is one word, or the part above the top does not fold back by a small factor.
    pub fn new(modulus: &BigInt, bits: u32) -> Result<Saturated, Impossible> {
        check_odd(modulus)?;
        let length = modulus.bits() as u32;
        let words = length.div_ceil(bits);
        if !(2..=MAX_LIMBS).contains(&words) {
            return impossible(
                format!("{length} bits do not fill from 2 to {MAX_LIMBS} words of {bits} bits"),
                "limbs of fewer bits hold elements",
            );
        }
        let top = length - bits * (words - 1);
        let factor = power(length.into()) - modulus;
        // With room, the part above the top after a product's fold is less than a word; without, its square is two
        // words at most.
        let most = if top + ROOM <= bits { bits - top - 2 } else { bits / 2 + 2 - (bits - top) };
        if factor.bits() > u64::from(most) {
            return impossible(
                format!("2^{length} is no small number modulo the modulus, so that carries do not fold back"),
                format!("Montgomery's form works for every odd modulus: `mont {bits}`"),
            );
        }
        Ok(Saturated { modulus: modulus.clone(), bits, words, top, factor })
    }
}

impl Montgomery {
    pub fn new(modulus: &BigInt, radix: u32, bits: u32) -> Result<Montgomery, Impossible> {
        check_odd(modulus)?;
        if radix != bits {
            return impossible(
                format!("Montgomery's form has limbs of {radix} bits here, but words have {bits}"),
                format!(
                    "`mont {bits}` fills the words; `mont 52` is for elements side by side: for the target `avx512ifma`, of programs with `--batch 8`"
                ),
            );
        }
        let words = modulus.bits().div_ceil(u64::from(bits));
        if words > u64::from(MAX_LIMBS) {
            return impossible(
                format!("{} bits do not fit into {MAX_LIMBS} words of {bits} bits", modulus.bits()),
                "give a smaller modulus",
            );
        }
        let factor = negative_inverse(modulus, bits)?;
        Ok(Montgomery { modulus: modulus.clone(), bits, words: words as u32, factor })
    }

    /// R = 2^(bits · words).
    pub fn r(&self) -> BigInt {
        power(u64::from(self.bits) * u64::from(self.words))
    }

    /// A number as words.
    pub fn digits(&self, value: &BigInt) -> Vec<u64> {
        let mask = power(u64::from(self.bits)) - 1;
        (0..self.words).map(|i| ((value >> (i * self.bits)) & &mask).to_u64().unwrap_or(0)).collect()
    }
}
