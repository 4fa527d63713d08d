//! Finite fields: moduli and pinned representations, and their text forms.

pub(crate) mod modulus;
pub mod polynomial;
mod prime;

use std::fmt;
use std::str::FromStr;

use culet_diag::{Diagnostics, FileId};
use num_bigint::BigUint;

/// Whether a number is prime, by the test that [`FieldKind::read`] applies to a modulus. No composite number is known
/// that passes it.
pub fn is_prime(number: &BigUint) -> bool {
    *number >= BigUint::from(2u32) && prime::primality(number) == prime::Primality::Prime
}

/// A field and its name in a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    pub name: String,
    pub kind: FieldKind,
    /// The representation that the source asks for; with `None` the compiler chooses.
    pub pin: Option<Pin>,
}

impl Field {
    /// Whether the source asks for elements in full words of this number of bits, without room for carries.
    pub fn has_full_words(&self, bits: u32) -> bool {
        matches!(self.pin, Some(Pin::Unsaturated(radix)) if Radix::new(bits, 1) == Some(radix))
    }

    /// The pin to full words of this number of bits.
    pub fn full_words(bits: u32) -> Option<Pin> {
        Radix::new(bits, 1).map(Pin::Unsaturated)
    }

    /// Whether a program with words of this number of bits holds elements in full words by default. This is so for 2^k
    /// − c with a small c and few bits in the top word, as measured for words of 64 bits on x86-64: there, limbs of
    /// fewer bits need as many words.
    pub fn suits_full_words(&self, bits: u32) -> bool {
        let FieldKind::Prime(modulus) = &self.kind else { return false };
        let length = modulus.bits();
        let top = length % u64::from(bits);
        let rest = (BigUint::from(1u32) << length) - modulus;
        self.pin.is_none() && bits == 64 && (1..=3).contains(&top) && length > u64::from(bits) && rest.bits() <= top + 1
    }
}

/// The kind of a field, with its modulus.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Integers modulo a prime.
    Prime(BigUint),
    /// Polynomials over GF(2) modulo an irreducible one. Bit i is the coefficient of x^i.
    Binary(BigUint),
}

impl FieldKind {
    /// The field of `GF(p)` or `GF2(f)`, checked as in a program.
    ///
    /// # Errors
    ///
    /// If the text or the modulus is wrong.
    pub fn read(file: FileId, text: &str) -> Result<FieldKind, Diagnostics> {
        let (is_binary, modulus) = culet_syntax::parse_field(file, text)?;
        modulus::kind(is_binary, &modulus)
    }

    /// Number of bits of the largest canonical form: that of p − 1, or the degree of the polynomial.
    pub fn bits(&self) -> u64 {
        match self {
            FieldKind::Prime(modulus) if *modulus == BigUint::ZERO => 0,
            FieldKind::Prime(modulus) => (modulus - 1u32).bits(),
            FieldKind::Binary(polynomial) => polynomial.bits().saturating_sub(1),
        }
    }

    /// The number of elements.
    pub fn elements(&self) -> BigUint {
        match self {
            FieldKind::Prime(modulus) => modulus.clone(),
            FieldKind::Binary(_) => BigUint::from(1u32) << self.bits(),
        }
    }

    /// The least number of bytes that hold every element.
    pub fn bytes(&self) -> u64 {
        self.bits().div_ceil(8)
    }
}

/// A pinned representation, the text in `fe<…>`: `51`, `25.5`, `130/3`, `mont 64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pin {
    /// Limbs with room for carries.
    Unsaturated(Radix),
    /// Montgomery's form, in limbs of this number of bits.
    Montgomery(u32),
}

/// Bits a limb, as a ratio in lowest terms: limb i has the weight 2 to the power of ⌈i · radix⌉.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Radix {
    numerator: u32,
    denominator: u32,
}

/// The largest radix, and the largest denominator of a radix.
const MOST: u32 = 1024;

impl Radix {
    /// A radix from 1 to 1024 bits a limb, whose denominator in lowest terms is at most 1024.
    pub fn new(numerator: u32, denominator: u32) -> Option<Radix> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator, denominator);
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        let good = denominator <= MOST && numerator >= denominator && numerator / denominator <= MOST;
        good.then_some(Radix { numerator, denominator })
    }

    pub fn numerator(self) -> u32 {
        self.numerator
    }

    pub fn denominator(self) -> u32 {
        self.denominator
    }

    /// The weight of limb `index`, as the exponent of a power of two.
    pub fn position(self, index: u32) -> u64 {
        (u64::from(index) * u64::from(self.numerator)).div_ceil(u64::from(self.denominator))
    }

    /// The number of bits of limb `index`, from its position to that of the next limb.
    pub fn limb_bits(self, index: u32) -> u64 {
        self.position(index + 1) - self.position(index)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl FromStr for Radix {
    type Err = String;

    /// `51`, `25.5` or `130/3`.
    fn from_str(text: &str) -> Result<Radix, String> {
        let ratio = match (text.split_once('/'), text.split_once('.')) {
            (Some((numerator, denominator)), _) => natural(numerator).zip(natural(denominator)),
            (None, Some((whole, part))) => decimal(whole, part),
            (None, None) => natural(text).map(|whole| (whole, 1)),
        };
        let radix = ratio.and_then(|(numerator, denominator)| Radix::new(numerator, denominator));
        radix.ok_or_else(|| {
            format!(
                "`{text}` is no radix; write bits a limb, from 1 to {MOST}, such as 51, 25.5 or 130/3, or `mont 64`"
            )
        })
    }
}

fn natural(digits: &str) -> Option<u32> {
    let digits = digits.trim();
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn decimal(whole: &str, part: &str) -> Option<(u32, u32)> {
    let scale = 10u32.checked_pow(u32::try_from(part.len()).ok()?)?;
    Some((natural(whole)?.checked_mul(scale)?.checked_add(natural(part)?)?, scale))
}

impl fmt::Display for Radix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Radix { numerator, denominator } = *self;
        // A number with more than four decimal places reads better as a ratio.
        let places = (0..=4).find(|&places| 10u32.pow(places).is_multiple_of(denominator));
        match places {
            Some(0) => write!(f, "{numerator}"),
            Some(places) => {
                let scale = 10u32.pow(places);
                let part = numerator % denominator * (scale / denominator);
                write!(f, "{}.{part:0width$}", numerator / denominator, width = places as usize)
            }
            None => write!(f, "{numerator}/{denominator}"),
        }
    }
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Pin, String> {
        let text = text.trim();
        match text.strip_prefix("mont") {
            Some(rest) if rest.starts_with(char::is_whitespace) => match natural(rest) {
                Some(bits) if (1..=MOST).contains(&bits) => Ok(Pin::Montgomery(bits)),
                _ => Err(format!("`{text}`: after `mont` come the bits of a limb, from 1 to {MOST}, such as mont 64")),
            },
            _ => text.parse().map(Pin::Unsaturated),
        }
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pin::Unsaturated(radix) => radix.fmt(f),
            Pin::Montgomery(bits) => write!(f, "mont {bits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_read_and_printed() {
        for text in ["51", "25.5", "44.8", "130/3", "mont 52", "21.25", "64", "0051", "51.0", " mont  52 "] {
            let pin: Pin = text.parse().unwrap();
            assert_eq!(pin.to_string().parse(), Ok(pin), "{text}");
        }
        for text in ["51", "25.5", "44.8", "130/3", "mont 52", "21.25"] {
            assert_eq!(text.parse::<Pin>().unwrap().to_string(), text);
        }
        assert_eq!("51/2".parse::<Pin>().unwrap().to_string(), "25.5");
    }

    #[test]
    fn what_is_no_pin_is_refused() {
        for text in
            ["", "0", "0.5", "-51", "+51", "51.", ".5x", "1/0", "2000", "mont", "mont 0", "mont52", "mont 5.5", "5 1"]
        {
            assert!(text.parse::<Pin>().is_err(), "{text}");
        }
        assert!("4294967295.99999".parse::<Pin>().is_err());
    }

    #[test]
    fn limbs_of_a_fractional_radix_take_turns() {
        let radix: Radix = "25.5".parse().unwrap();
        let positions: Vec<u64> = (0..=10).map(|limb| radix.position(limb)).collect();
        assert_eq!(positions, [0, 26, 51, 77, 102, 128, 153, 179, 204, 230, 255]);
        assert_eq!((radix.limb_bits(0), radix.limb_bits(1)), (26, 25));
    }

    #[test]
    fn bits_of_fields() {
        let p: BigUint = (BigUint::from(1u32) << 255) - 19u32;
        assert_eq!((FieldKind::Prime(p.clone()).bits(), FieldKind::Prime(p).bytes()), (255, 32));
        assert_eq!(FieldKind::Prime(BigUint::from(2u32)).bits(), 1);
        let ghash: BigUint = (BigUint::from(1u32) << 128) + 0x87u32;
        assert_eq!((FieldKind::Binary(ghash.clone()).bits(), FieldKind::Binary(ghash).bytes()), (128, 16));
    }
}
