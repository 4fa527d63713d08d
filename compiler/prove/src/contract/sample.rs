//! Search for values that break a contract, among random ones and those at the edges.

use std::ops::Range;

use culet_decide::field::power_of_two;
use culet_term::{Assignment, Input, Node, Term, Terms};
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::Zero;
use rustc_hash::FxHashMap;

use super::draw::{self, Draw};
use super::prove::{Claim, ClaimKind, Contents, limbs, named};
use super::{Argument, Bound, Contract, Equation, RequirementKind};
use crate::samples::digits_of;

pub struct Counterexample {
    /// The number of the claim that does not hold.
    pub claim: usize,
    /// Inputs and their values in hexadecimal.
    pub values: Vec<(String, String)>,
    /// Words that the function computes of them, and the left side of an equation; what they should be.
    pub computed: Vec<(String, String)>,
    pub expected: Vec<(String, String)>,
    pub assignment: Assignment,
}

/// A claim that does not hold for some values, which the samples' numbers decide; `above` are the inputs above words in
/// registers.
pub fn find(
    terms: &Terms,
    (contract, contents): (&Contract, &Contents),
    above: &[Input],
    claims: &[Claim],
    samples: Range<u64>,
) -> Option<Counterexample> {
    let mut draw = Draw::new(contract, samples.start);
    let roots: Vec<Term> = contents.before.iter().chain(&contents.after).flatten().copied().collect();
    for sample in samples {
        let mut assignment = Assignment::new();
        draw.begin();
        for (argument, words) in contract.arguments.iter().zip(&contents.before) {
            if !draw_argument(terms, argument, words, sample, &mut draw, &mut assignment) {
                return None;
            }
        }
        meet_requirements(terms, (contract, contents), &mut assignment);
        meet_bounds(terms, (contract, contents), &mut draw, &mut assignment);
        // The ABI leaves the bits above a word open.
        for &input in above {
            let bits = if sample % 2 == 0 { 0 } else { draw.bits() };
            assignment.set(input, &[bits & (u64::MAX >> (64 - terms.bits(terms.input_term(input)).min(64)))]);
        }
        // Arguments in one place may have been given different bounds: all must hold.
        if !is_allowed(terms, contract, contents, &assignment) {
            continue;
        }
        let values = terms.evaluate(&roots, &assignment);
        let values = roots.iter().copied().zip(values.iter().map(|limbs| integer(limbs))).collect();
        let concrete = Concrete { contract, contents, values: &values, lane: 0 };
        if let Some(claim) = claims.iter().position(|claim| !concrete.holds(claim)) {
            let [computed, expected] = concrete.shown(&claims[claim]);
            let values = shown(terms, &assignment);
            return Some(Counterexample { claim, values, computed, expected, assignment });
        }
    }
    None
}

fn integer(limbs: &[u64]) -> BigInt {
    let digits: Vec<u32> = limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
    BigInt::from_slice(Sign::Plus, &digits)
}

fn shown(terms: &Terms, assignment: &Assignment) -> Vec<(String, String)> {
    let inputs = assignment.inputs().into_iter();
    let named = inputs.map(|input| {
        let limbs = assignment.get(input).unwrap_or_default();
        (terms.name(input).to_owned(), digits_of(terms, input, limbs))
    });
    named.collect()
}

/// Draws values of an argument within its bounds. Returns false if none are found.
fn draw_argument(
    terms: &Terms,
    argument: &Argument,
    words: &[Term],
    sample: u64,
    draw: &mut Draw,
    assignment: &mut Assignment,
) -> bool {
    for lane in 0..if words.is_empty() { 0 } else { argument.lanes } {
        let Some(values) = draw.number(argument, sample) else { return false };
        for (index, value) in values.iter().enumerate() {
            if let Node::Input(input) = terms.node(words[argument.word(index, lane)]) {
                assignment.set(*input, &[value.iter_u64_digits().next().unwrap_or(0)]);
            }
        }
    }
    true
}

/// Makes numbers odd, and words their inverses.
fn meet_requirements(terms: &Terms, (contract, contents): (&Contract, &Contents), assignment: &mut Assignment) {
    for required in &contract.requires {
        let Node::Input(lowest) = terms.node(contents.before[required.of][0]) else { continue };
        let odd = assignment.get(*lowest).and_then(|limbs| limbs.first().copied()).unwrap_or(0) | 1;
        assignment.set(*lowest, &[odd]);
        let RequirementKind::Inverse { by, bits, unit } = required.kind else { continue };
        let Node::Input(by) = terms.node(contents.before[by][0]) else { continue };
        let inverse = inverse_of(odd);
        let inverse = if unit < 0 { inverse.wrapping_neg() } else { inverse };
        assignment.set(*by, &[inverse & u64::MAX >> (64 - bits)]);
    }
}

/// Returns the inverse of an odd number modulo 2^64.
fn inverse_of(odd: u64) -> u64 {
    // Newton's iteration doubles the bits that are right, of which an odd number has three.
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

/// Makes numbers smaller where other arguments say so: in half of the samples by little.
fn meet_bounds(
    terms: &Terms,
    (contract, contents): (&Contract, &Contents),
    draw: &mut Draw,
    assignment: &mut Assignment,
) {
    for (argument, words) in contract.arguments.iter().zip(&contents.before).filter(|(_, words)| !words.is_empty()) {
        let Some(bound) = argument.value_below.as_ref().filter(|bound| bound.formula.is_some()) else { continue };
        for lane in 0..argument.lanes {
            let below = bound.value(|name| value_before(terms, (contract, contents), name, lane, assignment));
            let number = number_before(terms, argument, words, lane, assignment);
            if number < below || below.is_zero() {
                continue;
            }
            let rest = if draw.bits().is_multiple_of(2) { &below - 1 - number % 3 } else { number % &below };
            for (limb, value) in draw::digits(argument, rest.max(BigInt::zero())).into_iter().flatten().enumerate() {
                if let Node::Input(input) = terms.node(words[argument.word(limb, lane)]) {
                    assignment.set(*input, &[value.iter_u64_digits().next().unwrap_or(0)]);
                }
            }
        }
    }
}

/// Returns what an argument stands for before the call.
fn value_before(
    terms: &Terms,
    (contract, contents): (&Contract, &Contents),
    name: &str,
    lane: usize,
    assignment: &Assignment,
) -> Option<BigInt> {
    let index = contract.arguments.iter().position(|argument| argument.name == name)?;
    let argument = &contract.arguments[index];
    Some(argument.meaning(number_before(terms, argument, &contents.before[index], lane, assignment)))
}

fn number_before(terms: &Terms, argument: &Argument, words: &[Term], lane: usize, assignment: &Assignment) -> BigInt {
    let limbs = argument.of_lane(words, lane).into_iter().map(|word| value_of(terms, word, assignment));
    argument.number(&limbs.collect::<Vec<BigInt>>())
}

/// Whether all arguments are within their bounds, and are what is required.
fn is_allowed(terms: &Terms, contract: &Contract, contents: &Contents, assignment: &Assignment) -> bool {
    let is_met = contract.requires.iter().all(|required| {
        let lowest = value_of(terms, contents.before[required.of][0], assignment);
        match required.kind {
            RequirementKind::Odd => lowest.bit(0),
            RequirementKind::Inverse { by, bits, unit } => {
                let product = lowest * value_of(terms, contents.before[by][0], assignment);
                (product - unit).mod_floor(&power_of_two(bits)).is_zero()
            }
        }
    });
    is_met
        && contract.arguments.iter().zip(&contents.before).all(|(argument, words)| {
            let values: Vec<BigInt> = words.iter().map(|&word| value_of(terms, word, assignment)).collect();
            let lanes = 0..if words.is_empty() { 0 } else { argument.lanes };
            lanes.into_iter().all(|lane| {
                let of_lane = argument.of_lane(&values.iter().collect::<Vec<&BigInt>>(), lane);
                let whole = number_before(terms, argument, words, lane, assignment);
                let of_name = |name: &str| value_before(terms, (contract, contents), name, lane, assignment);
                of_lane.iter().zip(&argument.limbs).all(|(&value, limb)| *value < limb.below)
                    && argument
                        .value_below
                        .as_ref()
                        .is_none_or(|bound| whole < bound.most && whole < bound.value(of_name))
            })
        })
}

fn value_of(terms: &Terms, word: Term, assignment: &Assignment) -> BigInt {
    let Node::Input(input) = terms.node(word) else { return BigInt::zero() };
    assignment.get(*input).map(integer).unwrap_or_default()
}

/// Contents as numbers, with which claims are evaluated in one lane.
#[derive(Clone, Copy)]
struct Concrete<'c> {
    contract: &'c Contract,
    contents: &'c Contents,
    values: &'c FxHashMap<Term, BigInt>,
    lane: usize,
}

impl Concrete<'_> {
    fn holds(&self, claim: &Claim) -> bool {
        let concrete = Concrete { lane: claim.lane, ..*self };
        match claim.kind {
            ClaimKind::Limb(index, limb, bound) => {
                concrete.limb(limbs(self.contract, &self.contents.after, index, claim.lane)[limb]) < *bound
            }
            ClaimKind::Value(index, bound) => concrete.number_of(index, &self.contents.after) < concrete.bound(bound),
            ClaimKind::Equation(equation) => {
                let [left, right] = concrete.sides(equation);
                left == right
            }
        }
    }

    fn bound(&self, bound: &Bound) -> BigInt {
        bound.value(|name| self.named(name))
    }

    /// Both sides of an equation, reduced by its modulus if it has one.
    fn sides(&self, equation: &Equation) -> [BigInt; 2] {
        equation.sides(|name| self.named(name))
    }

    /// The words that a claim is about, as they are computed and as the claim wants them, each with a name.
    fn shown(&self, claim: &Claim) -> [Vec<(String, String)>; 2] {
        let concrete = Concrete { lane: claim.lane, ..*self };
        match claim.kind {
            ClaimKind::Limb(index, limb, bound) => {
                let name = self.contract.arguments[index].limb_name(limb, claim.lane);
                [concrete.words(index), vec![(format!("bound of {name}"), format!("{bound:#x}"))]]
            }
            ClaimKind::Value(index, bound) => {
                let name = &self.contract.arguments[index].name;
                let mut computed = concrete.words(index);
                computed.push((name.clone(), format!("{:#x}", concrete.number_of(index, &self.contents.after))));
                [computed, vec![(format!("bound of {name}"), format!("{:#x}", concrete.bound(bound)))]]
            }
            ClaimKind::Equation(equation) => {
                let arguments = self.contract.arguments.iter().enumerate();
                let written = arguments.filter(|(_, argument)| argument.direction.is_written());
                let mut computed: Vec<_> = written.flat_map(|(index, _)| concrete.words(index)).collect();
                let (left, right) = equation.text.split_once('=').unwrap_or((&equation.text, ""));
                let [left, right] = [left, right].map(|side| side.trim().to_owned());
                let [is, must] = concrete.sides(equation).map(|side| format!("{side:#x}"));
                computed.push((left, is));
                [computed, vec![(right, must)]]
            }
        }
    }

    /// The words of an argument after the call, each with its name.
    fn words(&self, index: usize) -> Vec<(String, String)> {
        let argument = &self.contract.arguments[index];
        let lane = if argument.lanes == 1 { 0 } else { self.lane };
        let terms = limbs(self.contract, &self.contents.after, index, lane).into_iter().enumerate();
        let digits = argument.bits as usize / 4;
        let hexadecimal = |value: BigInt| format!("{value:0digits$x}");
        let named = terms.map(|(limb, term)| (argument.limb_name(limb, lane), hexadecimal(self.limb(term))));
        named.collect()
    }

    fn named(&self, name: &str) -> Option<BigInt> {
        named(self.contract, self.contents, name).map(|(index, words)| self.number_of(index, words))
    }

    fn limb(&self, term: Term) -> BigInt {
        self.values.get(&term).cloned().unwrap_or_default()
    }

    fn number_of(&self, index: usize, words: &[Vec<Term>]) -> BigInt {
        let terms = limbs(self.contract, words, index, self.lane);
        let limbs = &self.contract.arguments[index].limbs;
        let number = terms.into_iter().zip(limbs).map(|(term, limb)| self.limb(term) << limb.position as usize).sum();
        self.contract.arguments[index].meaning(number)
    }
}
