//! Representations of elements side by side in lanes whose products are sums of 52 by 52 bits, and whether there is
//! one.

use std::fmt;

use culet_ir::Field;
use culet_types::field::{Pin, Radix};
use num_bigint::BigInt;

use crate::ifma::{self, Ifma};
use crate::mont52::{self, Montgomery52};
use crate::primes::{Impossible, Unsaturated, impossible, prime};
use crate::representation::Representation;

/// Limbs of elements in lanes of 64 bits.
pub enum Lanes {
    /// The part above the top folds back.
    Folded(Ifma),
    Montgomery(Montgomery52),
}

/// Remedy that suits every modulus.
const REMEDY: &str = "Montgomery's form works for every odd modulus: `mont 52`";

impl Lanes {
    /// The pinned representation of a field, or one that suits its modulus; `lanes` is the minimum number of elements
    /// side by side whose products are sums of 52 by 52 bits.
    ///
    /// # Errors
    ///
    /// A representation that such products cannot have, or that the modulus does not allow.
    pub fn new(field: &Field, lanes: u32) -> Result<Lanes, Impossible> {
        let modulus = prime(field)?;
        let folded = match field.pin {
            Some(Pin::Unsaturated(radix)) => Some(pinned(&modulus, radix)?),
            Some(Pin::Montgomery(mont52::BITS)) => None,
            Some(Pin::Montgomery(bits)) => {
                return impossible(
                    format!("Montgomery's form has limbs of {} bits in lanes, not of {bits}", mont52::BITS),
                    REMEDY,
                );
            }
            None => Ifma::suitable(field, &modulus),
        };
        Ok(match folded {
            Some(folded) => Lanes::Folded(Ifma { lanes, ..folded }),
            None => Lanes::Montgomery(Montgomery52::new(&modulus, lanes)?),
        })
    }

    pub fn into_representation(self) -> Box<dyn Representation> {
        match self {
            Lanes::Folded(limbs) => Box::new(limbs),
            Lanes::Montgomery(limbs) => Box::new(limbs),
        }
    }
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lanes::Folded(Ifma { limbs, .. }) => write!(f, "{} limbs of {} bits in lanes", limbs.limbs, limbs.radix),
            Lanes::Montgomery(limbs) => {
                write!(f, "Montgomery's form in {} limbs of {} bits in lanes", limbs.words(), mont52::BITS)
            }
        }
    }
}

/// Limbs of a pinned radix whose products are folded.
fn pinned(modulus: &BigInt, radix: Radix) -> Result<Ifma, Impossible> {
    let most = ifma::FACTOR - 1;
    if radix.limb_bits(0) > u64::from(most) {
        return impossible(
            format!(
                "products in lanes are of {} bits by as many, and limbs of {radix} bits leave no room for carries there",
                ifma::FACTOR
            ),
            format!("a radix of {most} bits at most does; Montgomery's form needs no room: `mont 52`"),
        );
    }
    let limbs = Unsaturated::new(modulus, radix, 64)?;
    let above = limbs.position(limbs.limbs);
    match Ifma::new(limbs) {
        Some(ifma) => Ok(ifma),
        None => impossible(
            format!(
                "2^{above} is no number of 8 bits modulo the modulus, so that products of 52 bits do not fold back"
            ),
            REMEDY,
        ),
    }
}
