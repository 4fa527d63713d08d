//! Calls of functions that were proved by contracts of their own. A call is taken to do what the contract says, so that
//! a chain of a few hundred products, such as an inverse, is no larger than its calls.
//!
//! A call writes unknown words within the callee's bounds. The numbers that they make are known to be products of
//! powers ([`powers`](super::powers)). A number that is passed must be such a product, with all of its words in their
//! places, and within the callee's bounds.

use std::collections::BTreeMap;

use culet_image::Image;
use culet_term::{InputKind, Term, Terms};
use culet_types::field::is_prime;
use num_bigint::BigInt;

use super::powers::{Base, Powers, Product};
use super::prove::{Claim, ClaimKind, Contents, limbs, named};
use super::{Argument, Contract, Direction};
use crate::call::{self, Calls, Effects, Place, Written, check_apart, kept_by_abi};
use crate::execute::{ARGUMENTS, Execution};
use crate::rejection::Rejection;
use crate::theorem::Proved;
use crate::unknown::After;
use crate::violation::ViolationKind;

/// A function, with its contract and the result of its proof.
#[derive(Clone)]
pub struct Callee {
    pub contract: Contract,
    pub proved: Proved,
}

/// A number whose words are unknowns.
struct Number {
    product: Product,
    /// Upper bound of each limb, exclusive.
    below: Vec<BigInt>,
    value_below: Option<BigInt>,
    /// Exponents of the limbs' weights, which are powers of two.
    positions: Vec<u32>,
}

/// The numbers that exist during the execution of a function.
pub(super) struct Numbers<'c> {
    modulus: &'c BigInt,
    /// Numbers by their words.
    numbers: BTreeMap<Vec<Term>, Number>,
}

/// Returns the knowledge about the callees of a function with a contract; `before` has the contents of its arguments
/// before the call.
///
/// # Errors
///
/// A callee is missing or takes more than pointers, or the equations are modulo several numbers or none that is prime.
pub(super) fn calls<'i, 'c>(
    image: &'i Image,
    contract: &'c Contract,
    callees: &'c [Callee],
    before: &[Vec<Term>],
) -> Result<Calls<'i, 'c, Numbers<'c>>, Rejection> {
    let Some(modulus) = contract.equations.first().map(|equation| &equation.modulus) else {
        return Err(Rejection::Unsupported("there is no equation".to_owned()));
    };
    if contract.equations.iter().any(|equation| equation.modulus != *modulus)
        || !modulus.to_biguint().is_some_and(|modulus| is_prime(&modulus))
    {
        let message = "what calls give is known modulo a prime, the same in all equations";
        return Err(Rejection::Unsupported(message.to_owned()));
    }
    let contracts = callees.iter().map(|callee| &callee.contract).chain([contract]);
    if contracts.flat_map(|contract| &contract.arguments).any(Argument::has_bound_by_argument) {
        let message = "bounds that depend on arguments go without `calls`";
        return Err(Rejection::Unsupported(message.to_owned()));
    }
    if contract.arguments.iter().any(|argument| argument.table.is_some()) {
        let message = "entries of tables are no numbers that calls give: tables go without `calls`";
        return Err(Rejection::Unsupported(message.to_owned()));
    }
    if contract.arguments.iter().any(|argument| argument.is_truth) {
        let message = "whether a word is 0 is no number that calls give: `truth` goes without `calls`";
        return Err(Rejection::Unsupported(message.to_owned()));
    }
    let mut known = Vec::new();
    for Callee { contract, proved } in callees {
        let Contract { symbol, arguments, .. } = contract;
        let function = image.function(symbol).ok_or_else(|| Rejection::no_function(image, symbol))?;
        let takes_words = |argument: &Argument| {
            !matches!(argument.direction, Direction::In | Direction::Out)
                || argument.follows.is_some()
                || argument.table.is_some()
        };
        if arguments.iter().any(takes_words) || arguments.len() > ARGUMENTS.len() || !contract.requires.is_empty() {
            let message = format!("`{symbol}` takes more than pointers to any numbers that are either read or written");
            return Err(Rejection::Unsupported(message));
        }
        let (address, kept) = (function.address, kept_by_abi());
        known.push(call::Called { address, symbol, proved, kept, says: contract });
    }
    Ok(Calls::new(image, known, Numbers::new(modulus, contract, before)))
}

impl<'c> Numbers<'c> {
    /// Records the numbers that exist before the execution.
    fn new(modulus: &'c BigInt, contract: &Contract, before: &[Vec<Term>]) -> Numbers<'c> {
        let mut numbers = BTreeMap::new();
        let read = contract.arguments.iter().zip(before).enumerate().filter(|(_, (_, words))| !words.is_empty());
        for (index, (argument, words)) in read {
            for lane in 0..argument.lanes {
                // Each lane has a number of its own.
                let product = Product::base(Base { calls: 0, argument: index, lane });
                // If arguments are in one place, the bounds of both hold.
                numbers.entry(argument.of_lane(words, lane)).or_insert_with(|| number(argument, product, false));
            }
        }
        Numbers { modulus, numbers }
    }

    /// Returns the numbers that are passed: a product for each lane of each argument that is read.
    fn passed(
        &self,
        terms: &mut Terms,
        execution: &mut Execution,
        contract: &Contract,
        places: &[Place],
    ) -> Result<BTreeMap<(String, usize), Product>, ViolationKind> {
        let mut passed = BTreeMap::new();
        for (argument, place) in contract.arguments.iter().zip(places) {
            if argument.direction != Direction::In {
                continue;
            }
            let bytes = argument.bits / 8;
            let offsets = place.range.clone().step_by(bytes as usize);
            let words: Vec<Term> =
                offsets.map(|offset| execution.memory.get(terms, place.region, offset, bytes)).collect();
            for lane in 0..argument.lanes {
                let wrong = |what: &str| {
                    let (symbol, name) = (&contract.symbol, &argument.name);
                    Err(ViolationKind::Unsupported(format!("what `{symbol}` is given as `{name}` {what}")))
                };
                match self.numbers.get(&argument.of_lane(&words, lane)) {
                    None => return wrong("is neither an argument nor what a call gave"),
                    Some(number) if !number.fits(argument) => return wrong("may be out of its bounds"),
                    Some(number) => drop(passed.insert((argument.name.clone(), lane), number.product.clone())),
                }
            }
        }
        Ok(passed)
    }

    /// Returns unknown words for an argument that is written, and records the products that they make.
    fn unknown(
        &mut self,
        terms: &mut Terms,
        contract: &Contract,
        number: usize,
        passed: &BTreeMap<(String, usize), Product>,
        after: After<'_>,
    ) -> Vec<Term> {
        let argument = &contract.arguments[number];
        let name = |(limb, lane)| format!("{}{after}", argument.limb_name(limb, lane));
        let word = |place| terms.fresh(InputKind::Data, &name(place), argument.bits);
        let words: Vec<Term> = argument.places().map(word).collect();
        for lane in 0..argument.lanes {
            let own = Base { calls: after.count, argument: number, lane };
            let of_name = |name: &str| match name == argument.name {
                true => Some(Product::base(own)),
                false => passed.get(&(name.to_owned(), lane)).cloned(),
            };
            let solved =
                contract.equations.iter().filter(|equation| equation.modulus == *self.modulus).find_map(|equation| {
                    let mut powers = Powers { prime: self.modulus, of_name };
                    powers.solved(&equation.left, &equation.right, own)
                });
            let product = solved.unwrap_or_else(|| Product::base(own));
            self.numbers.insert(argument.of_lane(&words, lane), self::number(argument, product, true));
        }
        words
    }

    /// Checks the contract's claims about contents.
    pub fn check(&self, contract: &Contract, contents: &Contents, claims: &[Claim<'_>]) -> Result<(), Rejection> {
        let find = |index: usize, words: &[Vec<Term>], lane| {
            let number = self.numbers.get(&limbs(contract, words, index, lane))?;
            let positions = contract.arguments[index].limbs.iter().map(|limb| limb.position);
            positions.eq(number.positions.iter().copied()).then_some(number)
        };
        for claim in claims {
            let holds = match claim.kind {
                ClaimKind::Limb(index, limb, bound) => {
                    find(index, &contents.after, claim.lane).is_some_and(|number| number.below[limb] <= *bound)
                }
                ClaimKind::Value(index, bound) => find(index, &contents.after, claim.lane)
                    .is_some_and(|number| number.value_below.as_ref().is_some_and(|known| *known <= bound.most)),
                ClaimKind::Equation(equation) => {
                    let of_name = |name: &str| {
                        let (index, words) = named(contract, contents, name)?;
                        Some(find(index, words, claim.lane)?.product.clone())
                    };
                    Powers { prime: self.modulus, of_name }.are_equal(&equation.left, &equation.right)
                }
            };
            if !holds {
                let rest = "what calls give does not say it".to_owned();
                return Err(Rejection::Open { claim: claim.name.clone(), rest });
            }
        }
        Ok(())
    }
}

impl<'c> Effects for Numbers<'c> {
    type Says = &'c Contract;

    fn check_shared(&self, contract: &'c Contract, places: &[Place], frame: &Place) -> Result<(), ViolationKind> {
        check_shared(places, frame, contract)
    }

    fn written(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        contract: &'c Contract,
        places: &[Place],
        after: After<'_>,
    ) -> Result<Vec<Written>, ViolationKind> {
        let passed = self.passed(terms, execution, contract, places)?;
        let mut written = Vec::new();
        for (number, argument) in contract.arguments.iter().enumerate() {
            if argument.direction == Direction::Out {
                let words = self.unknown(terms, contract, number, &passed, after);
                let bytes = i64::from(argument.bits / 8);
                written.extend((0..).zip(words).map(|(index, word)| (number, index * bytes, word)));
            }
        }
        Ok(written)
    }
}

impl Number {
    /// Whether the number is within an argument's bounds.
    fn fits(&self, argument: &Argument) -> bool {
        let known = self.below.iter().zip(&self.positions);
        let is_whole = argument
            .value_below
            .as_ref()
            .is_none_or(|bound| self.value_below.as_ref().is_some_and(|known| *known <= bound.most));
        is_whole
            && self.below.len() == argument.limbs.len()
            && known
                .zip(&argument.limbs)
                .all(|((below, position), limb)| *below <= limb.below && *position == limb.position)
    }
}

/// Returns a number with the bounds of an argument, before the call or afterwards.
fn number(argument: &Argument, product: Product, is_after: bool) -> Number {
    let below = argument.limbs.iter().map(|limb| if is_after { &limb.below_after } else { &limb.below });
    let bound = if is_after { &argument.value_below_after } else { &argument.value_below };
    Number {
        product,
        below: below.cloned().collect(),
        value_below: bound.as_ref().map(|bound| bound.most.clone()),
        positions: argument.limbs.iter().map(|limb| limb.position).collect(),
    }
}

/// Checks that a result shares memory only with arguments for which the contract allows it, and that no argument has
/// any of the callee's stack. Arguments that are only read may share memory.
fn check_shared(places: &[Place], frame: &Place, contract: &Contract) -> Result<(), ViolationKind> {
    let is_read = |index: usize| contract.arguments[index].direction == Direction::In;
    for (index, place) in places.iter().enumerate() {
        check_apart(std::slice::from_ref(place), frame)?;
        for (other, earlier) in places[..index].iter().enumerate() {
            let may_be_one = contract.arguments[index].may_alias.contains(&other)
                || contract.arguments[other].may_alias.contains(&index);
            let may_share = is_read(index) && is_read(other) || may_be_one && earlier == place;
            if !may_share {
                check_apart(&[earlier.clone(), place.clone()], frame)?;
            }
        }
    }
    Ok(())
}
