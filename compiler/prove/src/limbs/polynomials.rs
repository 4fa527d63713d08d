//! Operations on polynomials over GF(2), coefficient by coefficient, as sums of products of bits.
//!
//! The polynomial that words spell is the sum of the words' polynomials, each times the power of x of its place.

use culet_decide::field::{Interval, power_of_two};
use culet_decide::parities::{Bit, Parities, Sum, is_zero};
use culet_ir::FieldOp;
use culet_term::{Term, Terms};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::operation::{Claim, Meaning, Number, Slice};

/// Coefficients; the one of x^i is at index i.
type Polynomial = Vec<Bit>;

/// Proves that words are in their ranges, and that the claim about the polynomial that they spell holds modulo
/// `modulus`.
pub(super) fn prove(
    terms: &Terms,
    modulus: &BigUint,
    (slice, claim): (&Slice<'_>, Claim),
    number: &Number,
    ranges: &[Interval],
) -> Result<(), String> {
    if !slice.factor.is_one() {
        return Err("elements of a binary field are not multiplied by a factor".to_owned());
    }
    let mut all = Coefficients { terms, modulus, parities: Parities::default() };
    for (index, (&(word, _), range)) in number.words.iter().zip(ranges).enumerate() {
        if !interval(&all.parities.bits(terms, word)).within(range) {
            return Err(format!("it is not proved that word {index} is from {:#x} to {:#x}", range.low, range.high));
        }
    }
    let found = all.spelled(number);
    if let Some(most) = number.most.as_ref().filter(|most| interval(&found).high > **most) {
        return Err(format!("it is not proved that the number is at most {most:#x}"));
    }
    let meant = all.claimed(slice, claim)?;
    let (found, meant) = (all.remainder(found), all.remainder(meant));
    match found.iter().zip(&meant).position(|(found, meant)| found.is_none() || found != meant) {
        None => Ok(()),
        Some(power) => Err(format!("it is not proved that {}: the coefficient of x^{power} is open", slice.claim())),
    }
}

/// Returns the range of a number with these bits.
fn interval(bits: &[Bit]) -> Interval {
    let one = Some(Sum::constant(true));
    let (mut low, mut high) = (BigInt::zero(), BigInt::zero());
    for (bit, place) in bits.iter().zip(0..) {
        if *bit == one {
            low += power_of_two(place);
        }
        if !is_zero(bit) {
            high += power_of_two(place);
        }
    }
    Interval { low, high }
}

struct Coefficients<'t> {
    terms: &'t Terms,
    modulus: &'t BigUint,
    parities: Parities,
}

impl Coefficients<'_> {
    fn claimed(&mut self, slice: &Slice<'_>, claim: Claim) -> Result<Polynomial, String> {
        let operands: Vec<Polynomial> = slice.elements.iter().flatten().map(|number| self.spelled(number)).collect();
        let known = match claim {
            Claim::Operand(place) => &slice.elements[place],
            Claim::Result => &slice.result,
        };
        let op = match (known, slice.meaning) {
            (Some(known), _) => return Ok(self.spelled(known)),
            (None, Meaning::Same) => return Ok(operands[0].clone()),
            (None, Meaning::Operation(op)) => op,
        };
        Ok(match op {
            FieldOp::Const(value) => constant(value),
            FieldOp::Add | FieldOp::Sub => self.sum(&operands),
            FieldOp::Neg | FieldOp::Unpack => operands[0].clone(),
            FieldOp::MulC(factor) => self.product(&operands[0], &constant(&BigUint::from(*factor))),
            FieldOp::Sqr => self.product(&operands[0], &operands[0]),
            FieldOp::Mul => self.product(&operands[0], &operands[1]),
            FieldOp::Sop(_) => {
                let products: Vec<Polynomial> =
                    operands.chunks(2).map(|pair| self.product(&pair[0], &pair[1])).collect();
                self.sum(&products)
            }
            FieldOp::Select => {
                let condition = self.parities.bits(self.terms, slice.words[0])[0].clone();
                let pairs = operands[0].iter().zip(&operands[1]);
                pairs.map(|(then, otherwise)| self.parities.choice(&condition, then, otherwise)).collect()
            }
            FieldOp::Pack => {
                let places = (0..).map(|index| index * slice.width);
                self.placed(slice.words.iter().copied().zip(places), false)
            }
            FieldOp::Lookup | FieldOp::Inv => return Err(format!("it is not proved that {}", slice.claim())),
        })
    }

    fn spelled(&mut self, number: &Number) -> Polynomial {
        self.placed(number.words.iter().copied(), number.is_mirrored)
    }

    /// Returns the sum of words, each times a power of x. A word's bits count from the lowest one up, or, if mirrored,
    /// from the highest one down.
    fn placed(&mut self, words: impl Iterator<Item = (Term, u32)>, is_mirrored: bool) -> Polynomial {
        let mut sum = Polynomial::new();
        for (word, place) in words {
            let mut bits = vec![Some(Sum::constant(false)); place as usize];
            let mut own = self.parities.bits(self.terms, word).to_vec();
            if is_mirrored {
                own.reverse();
            }
            bits.extend(own);
            sum = self.sum(&[sum, bits]);
        }
        sum
    }

    fn sum(&mut self, all: &[Polynomial]) -> Polynomial {
        let length = all.iter().map(Vec::len).max().unwrap_or(0);
        (0..length).map(|power| self.parities.sum(all.iter().filter_map(|own| own.get(power)))).collect()
    }

    fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let column = |power: usize| {
            let own = (0..a.len().min(power + 1)).filter_map(move |low| Some((&a[low], b.get(power - low)?)));
            own.filter(|(a, b)| !is_zero(a) && !is_zero(b))
        };
        (0..a.len() + b.len()).map(|power| self.parities.sum_of_products(column(power))).collect()
    }

    /// Reduces a polynomial modulo the modulus, by division from the highest power down.
    fn remainder(&mut self, mut a: Polynomial) -> Polynomial {
        let degree = self.modulus.bits() as usize - 1;
        let lower: Vec<usize> = (0..degree).filter(|&power| self.modulus.bit(power as u64)).collect();
        // Summands that each power has received from higher ones.
        let mut more: Vec<Polynomial> = vec![Polynomial::new(); a.len()];
        for power in (degree..a.len()).rev() {
            let own = self.parities.sum(more[power].iter().chain([&a[power]]));
            for &other in lower.iter().filter(|_| !is_zero(&own)) {
                more[power - degree + other].push(own.clone());
            }
        }
        a.resize(a.len().max(degree), Some(Sum::constant(false)));
        more.resize(degree, Polynomial::new());
        a[..degree].iter().zip(&more).map(|(own, more)| self.parities.sum(more.iter().chain([own]))).collect()
    }
}

fn constant(value: &BigUint) -> Polynomial {
    (0..value.bits()).map(|power| Some(Sum::constant(value.bit(power)))).collect()
}
