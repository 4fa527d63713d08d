//! Values of arguments that are likely to reveal errors: at the edges of limbs and numbers, near multiples of a
//! modulus, and related to one another as carries, borrows and comparisons need it.

use culet_decide::bits::random;
use culet_decide::field::power_of_two;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};

use super::{Argument, Contract};

/// Maximum number of draws for one argument until a value is within its bounds.
const DRAWS: u32 = 64;
/// Number of first samples in which all limbs are at the same edge.
const ALL_ALIKE: u64 = 4;

/// A source of values, which its state determines.
pub struct Draw {
    state: u64,
    /// Moduli of the equations.
    moduli: Vec<BigInt>,
    /// Numbers of the current sample: the limbs, with the exponents of the limbs' weights.
    earlier: Vec<(Vec<BigInt>, Vec<u32>)>,
}

impl Draw {
    pub fn new(contract: &Contract, state: u64) -> Draw {
        let moduli = contract.equations.iter().map(|equation| equation.modulus.clone());
        Draw { state, moduli: moduli.filter(|modulus| !modulus.is_zero()).collect(), earlier: Vec::new() }
    }

    /// Begins another sample.
    pub fn begin(&mut self) {
        self.earlier.clear();
    }

    /// Draws a random word.
    pub fn bits(&mut self) -> u64 {
        random(&mut self.state)
    }

    /// Draws limbs within their bounds that make a number within its bound; `None` if none are found.
    pub fn number(&mut self, argument: &Argument, sample: u64) -> Option<Vec<BigInt>> {
        let limbs =
            (0..DRAWS).find_map(|_| self.candidate(argument, sample).filter(|limbs| is_within(argument, limbs)))?;
        self.earlier.push((limbs.clone(), argument.limbs.iter().map(|limb| limb.position).collect()));
        Some(limbs)
    }

    /// Draws limbs that need not be within the bounds.
    fn candidate(&mut self, argument: &Argument, sample: u64) -> Option<Vec<BigInt>> {
        if sample < ALL_ALIKE {
            return self.by_edges(argument, sample);
        }
        match self.bits() % 12 {
            0 => Some(self.like_another(argument)?.0),
            1 => {
                let (limbs, index) = self.like_another(argument)?;
                let redrawn = self.limb(&argument.limbs[index].below, sample);
                Some(
                    limbs
                        .into_iter()
                        .enumerate()
                        .map(|(i, limb)| if i == index { redrawn.clone() } else { limb })
                        .collect(),
                )
            }
            2 => {
                let other = self.like_another(argument)?.0;
                Some(other.iter().zip(&argument.limbs).map(|(value, limb)| &limb.below - 1 - value).collect())
            }
            3 => {
                let (modulus, other) = (self.modulus()?, self.like_another(argument)?.0);
                let rest = modulus - argument.number(&other) + self.little();
                digits(argument, rest)
            }
            4 => {
                let multiple = self.modulus()? * BigInt::from(self.bits() % 4) + self.little();
                digits(argument, multiple)
            }
            _ => self.by_edges(argument, sample),
        }
    }

    /// Returns an earlier number with limbs of the same weights, and the index of one of its limbs.
    fn like_another(&mut self, argument: &Argument) -> Option<(Vec<BigInt>, usize)> {
        let choice = self.bits() as usize;
        let positions = || argument.limbs.iter().map(|limb| limb.position);
        let alike: Vec<_> = self.earlier.iter().filter(|(_, other)| positions().eq(other.iter().copied())).collect();
        let (limbs, _) = alike.get(choice % alike.len().max(1))?;
        Some((limbs.clone(), (choice >> 16) % limbs.len()))
    }

    fn modulus(&mut self) -> Option<BigInt> {
        let choice = self.bits() as usize;
        self.moduli.get(choice % self.moduli.len().max(1)).cloned()
    }

    /// Draws a number from -2 to 3, most often 0.
    fn little(&mut self) -> BigInt {
        const LITTLE: [i32; 12] = [0, 0, 0, 0, 0, 1, -1, 1, -1, 2, -2, 3];
        BigInt::from(LITTLE[self.bits() as usize % LITTLE.len()])
    }

    /// Draws each limb by itself, or the whole number if the limbs make too large a number.
    fn by_edges(&mut self, argument: &Argument, sample: u64) -> Option<Vec<BigInt>> {
        let limbs: Vec<BigInt> = argument.limbs.iter().map(|limb| self.limb(&limb.below, sample)).collect();
        match &argument.value_below {
            Some(bound) if argument.number(&limbs) >= bound.most => {
                let number = self.limb(&bound.most, sample);
                digits(argument, number)
            }
            _ => Some(limbs),
        }
    }

    /// Draws a number below the bound: at an edge in most samples.
    fn limb(&mut self, below: &BigInt, sample: u64) -> BigInt {
        let choice = self.bits();
        let kind = if sample < ALL_ALIKE { sample } else { choice % 10 };
        let power = power_of_two((choice >> 8) as u32 % below.bits().max(1) as u32);
        let value = match kind {
            0 | 4 => below - BigInt::one(),
            1 => BigInt::zero(),
            2 => below - BigInt::from(1 + (choice >> 32) % 20),
            3 => BigInt::from((choice >> 32) % 20),
            5 => power,
            6 => power - BigInt::one(),
            7 => below - power,
            _ => {
                let digits: Vec<u32> = (0..below.bits().div_ceil(32)).map(|_| self.bits() as u32).collect();
                BigInt::from_slice(Sign::Plus, &digits) % below
            }
        };
        if value.is_negative() || value >= *below { below - BigInt::one() } else { value }
    }
}

/// Divides a number into limbs, each as large as it may be, from the top down; `None` if the number does not fit.
pub fn digits(argument: &Argument, number: BigInt) -> Option<Vec<BigInt>> {
    let mut rest = number;
    let mut digits = vec![BigInt::zero(); argument.limbs.len()];
    for (digit, limb) in digits.iter_mut().zip(&argument.limbs).rev() {
        *digit = (&rest >> limb.position as usize).min(&limb.below - BigInt::one());
        rest -= &*digit << limb.position as usize;
    }
    rest.is_zero().then_some(digits)
}

fn is_within(argument: &Argument, limbs: &[BigInt]) -> bool {
    let each = limbs.iter().zip(&argument.limbs).all(|(value, limb)| !value.is_negative() && *value < limb.below);
    each && argument.value_below.as_ref().is_none_or(|bound| argument.number(limbs) < bound.most)
}
