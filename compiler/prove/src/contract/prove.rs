//! The theorem about one function and its contract.

use std::collections::BTreeSet;

use culet_decide::field::{self, Algebra, Effort, Goal, GoalKind, Interval, Polynomial, power_of_two};
use culet_image::Image;
use culet_term::{Assignment, Input, InputKind, Node, Term, Terms};
use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashMap;

use super::calls::{Callee, calls};
use super::expression::Ring;
use super::{Argument, Bound, Contract, Direction, Equation, Extension, RequirementKind};
use super::{sample, text};
use crate::arguments::Arguments;
use crate::attempt::{Attempt, Attempts};
use crate::call::Library;
use crate::decoded::Decoded;
use crate::effort::contracts::{FIRST_SAMPLES, SAMPLES};
use crate::erasure::{self, stack_use};
use crate::execute::{Execution, GENERAL, Knowledge, passed};
use crate::memory::RegionId;
use crate::rejection::{At, Call, Passed, Rejection};
use crate::theorem::{self, Limits, Proved};
use crate::unknown::{Area, Stage};

/// Bits of a number of which nothing is known: more than any has.
const UNKNOWN_BITS: u32 = 1 << 14;

/// Index of the register that holds the returned word.
const RETURNED: usize = 0;

/// Proves the function of an image that a contract is about, or says why not: for every aliasing that the contract
/// allows.
///
/// # Errors
///
/// The reason why there is no proof, with values of the arguments if some show that the contract is broken.
pub fn prove(image: &Image, contract: &Contract, limits: &Limits) -> Result<Proved, Rejection> {
    prove_with(image, contract, &[], limits)
}

/// As [`prove`], but calls of `callees`, which were proved in the same image, are taken to do what their contracts say.
///
/// # Errors
///
/// As [`prove`], but without values.
pub fn prove_with(
    image: &Image,
    contract: &Contract,
    callees: &[Callee],
    limits: &Limits,
) -> Result<Proved, Rejection> {
    if limits.erasure && !callees.is_empty() {
        let message = "that nothing is left is not proved of functions whose calls are taken for what contracts say";
        return Err(Rejection::Unsupported(message.to_owned()));
    }
    let mut attempts = Attempts::of(image, &contract.symbol, limits)?;
    let mut proved: Option<Proved> = None;
    for aliases in aliasings(contract) {
        let mut function = OnNumbers::new(image, contract, callees, aliases, limits.erasure);
        let one = attempts.in_every_phase(|attempt| function.run(attempt))?;
        match &mut proved {
            None => proved = Some(one),
            Some(all) => all.add(&one),
        }
    }
    let mut proved = proved.unwrap_or_default();
    callees.iter().for_each(|callee| proved.reliance.add(&callee.proved.reliance));
    Ok(attempts.finish(proved, listed(contract)))
}

/// The arguments as the verdict lists them.
fn listed(contract: &Contract) -> Vec<theorem::Argument> {
    let mut places = (0..).map(passed);
    let is_passed = |argument: &Argument| argument.direction != Direction::Return && argument.follows.is_none();
    let of_argument = |argument| if is_passed(argument) { places.next().unwrap_or_default() } else { String::new() };
    let place_of: Vec<String> = contract.arguments.iter().map(of_argument).collect();
    let is_listed = |(_, argument): &(usize, &Argument)| argument.table.as_ref().is_none_or(|table| table.index == 0);
    let listed = |(index, argument): (usize, &Argument)| theorem::Argument {
        name: argument.table.as_ref().map_or(&argument.name, |table| &table.name).clone(),
        place: match (argument.direction, argument.follows) {
            (Direction::Return, _) => GENERAL[RETURNED].to_owned(),
            (_, Some((owner, offset))) => format!("{} + {offset}", place_of[owner]),
            _ => place_of[index].clone(),
        },
        is_word: !argument.direction.is_pointer(),
        bytes: argument.extent(),
        alignment: argument.alignment,
        is_written: argument.direction.is_written() || argument.direction.is_writable(),
        layout: text::layout(contract, argument),
    };
    contract.arguments.iter().enumerate().filter(is_listed).map(listed).collect()
}

/// Returns every aliasing that the contract allows: for each argument, the one whose memory it shares.
fn aliasings(contract: &Contract) -> Vec<Vec<usize>> {
    let apart: Vec<usize> = (0..contract.arguments.len()).collect();
    let mut all = vec![apart];
    for (written, argument) in contract.arguments.iter().enumerate() {
        for &other in &argument.may_alias {
            let more = all.iter().filter(|aliases| aliases[other] == other).map(|aliases| {
                let mut aliases = aliases.clone();
                aliases[other] = written;
                aliases
            });
            let more: Vec<Vec<usize>> = more.collect();
            all.extend(more);
        }
    }
    all
}

/// One function under one aliasing.
struct OnNumbers<'i, 'c> {
    image: &'i Image,
    contract: &'c Contract,
    callees: &'c [Callee],
    /// For each argument, the argument in whose memory it is.
    aliases: Vec<usize>,
    /// Whether nothing that depends on data may be left.
    erasure: bool,
    terms: Terms,
    /// Contents of the arguments before the call.
    before: Vec<Vec<Term>>,
    /// For each argument, the bits of its register above those that the contract describes.
    above: Vec<Option<Term>>,
    /// Contents that were proved to be as the contract says. Executions that differ only in the stack pointer mostly
    /// end in the same terms.
    checked: Option<Contents>,
}

/// Contents of arguments, limb by limb and lane by lane.
#[derive(PartialEq, Eq)]
pub(super) struct Contents {
    /// Terms of the words of each argument before the call; empty for an argument that is not read.
    pub before: Vec<Vec<Term>>,
    /// Terms of the words of each argument after the call; empty for an argument that is not written.
    pub after: Vec<Vec<Term>>,
}

impl<'i, 'c> OnNumbers<'i, 'c> {
    fn new(
        image: &'i Image,
        contract: &'c Contract,
        callees: &'c [Callee],
        aliases: Vec<usize>,
        erasure: bool,
    ) -> OnNumbers<'i, 'c> {
        let mut terms = Terms::new();
        let before = unknown(&mut terms, contract, &aliases);
        let above = contract.arguments.iter().map(|argument| unknown_above(&mut terms, argument)).collect();
        OnNumbers { image, contract, callees, aliases, erasure, terms, before, above, checked: None }
    }

    /// Proves one execution, under one assumption about the stack pointer.
    fn run(&mut self, attempt: &mut Attempt<'_, 'i>) -> Result<Proved, Rejection> {
        let mut terms = std::mem::take(&mut self.terms);
        let outcome = self.run_in(&mut terms, attempt);
        self.terms = terms;
        outcome
    }

    fn run_in(&mut self, terms: &mut Terms, attempt: &mut Attempt<'_, 'i>) -> Result<Proved, Rejection> {
        let arguments = &self.contract.arguments;
        let before = self.before.clone();
        let (placed, words, regions) = self.placed(terms);
        let mut calls = match self.callees {
            [] => None,
            callees => Some(calls(self.image, self.contract, callees, &before)?),
        };
        let mut library = Library::new(self.image, Stage::Entry);
        let knowledge: &mut dyn Knowledge = match &mut calls {
            None => &mut library,
            Some(calls) => calls,
        };
        let mut finished = placed.enter(terms, attempt, words);
        attempt.run(terms, &mut finished, knowledge, None)?;
        let mut after = vec![Vec::new(); arguments.len()];
        for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| argument.direction.is_written()) {
            after[index] = match regions[index] {
                None => vec![terms.extract(finished.state.general[RETURNED], 0, argument.bits)],
                Some(region) => {
                    let bytes = argument.bits / 8;
                    let words = 0..(argument.limbs.len() * argument.lanes) as i64;
                    let at = |word: i64| argument.offset() as i64 + word * i64::from(bytes);
                    words.map(|word| finished.memory.get(terms, region, at(word), bytes)).collect()
                }
            };
        }
        let contents = Contents { before, after };
        let left_by_callees = calls.as_ref().map_or(0, |calls| calls.residue);
        let cases = match calls {
            Some(calls) => calls.effects.check(self.contract, &contents, &claims(self.contract)).map(|()| 0)?,
            None if self.checked.as_ref() == Some(&contents) => 0,
            None => {
                let mut writers = |claim| self.writers(claim, attempt.decoded, &finished, &regions);
                self.check(terms, &contents, &mut writers)?
            }
        };
        if self.erasure {
            let words: Vec<Term> = contents.after.iter().flatten().copied().collect();
            let results: Vec<Term> = words.iter().flat_map(|word| erasure::bytes_of(terms, word)).collect();
            erasure::check(terms, attempt.decoded, &mut finished, &attempt.frame, &results)?;
        }
        let (stack, residue) = stack_use(terms, &finished, &attempt.frame);
        self.checked = Some(contents);
        Ok(Proved {
            instructions: finished.steps,
            stack,
            residue: residue + left_by_callees,
            library: finished.library,
            is_erased: self.erasure,
            phases: 1,
            cases,
            ..Proved::default()
        })
    }

    /// Where the words that a claim, by its number, is about were written last, in the order of the code.
    fn writers(
        &self,
        claim: usize,
        decoded: &mut Decoded,
        finished: &Execution,
        regions: &[Option<RegionId>],
    ) -> Vec<At> {
        let claims = claims(self.contract);
        let claim = &claims[claim];
        let mut addresses = BTreeSet::new();
        for (index, argument) in self.contract.arguments.iter().enumerate() {
            let limbs = match claim.kind {
                ClaimKind::Limb(of, limb, _) if of == index => limb..limb + 1,
                ClaimKind::Value(of, _) if of == index => 0..argument.limbs.len(),
                ClaimKind::Equation(_) if argument.direction.is_written() => 0..argument.limbs.len(),
                _ => continue,
            };
            let lane = if argument.lanes == 1 { 0 } else { claim.lane };
            for limb in limbs {
                let offset = argument.offset() as i64 + argument.word(limb, lane) as i64 * i64::from(argument.bits / 8);
                addresses.extend(match regions[index] {
                    Some(region) => finished.memory.region(region).writers.last(offset),
                    None => finished.last_to_write(decoded, GENERAL[RETURNED]).map(|found| found.address()),
                });
            }
        }
        addresses.into_iter().map(|address| decoded.place(address)).collect()
    }

    /// Returns a word as a register holds it: bits above it about which the contract says nothing are unknown.
    fn register(&self, terms: &mut Terms, word: Term, index: usize) -> Term {
        let argument = &self.contract.arguments[index];
        let (bits, known) = (argument.bits, argument.known_bits());
        let mut parts = vec![word];
        match argument.extended {
            Some(Extension::Zero) => parts.push(terms.constant_u64(known - bits, 0)),
            Some(Extension::Sign) => {
                let sign = terms.extract(word, bits - 1, 1);
                parts.extend((bits..known).map(|_| sign));
            }
            None => {}
        }
        parts.extend(self.above[index]);
        terms.concat(&parts)
    }

    /// Returns the arguments in memory, those that are words, and the region of each pointer whose memory is its own.
    fn placed(&self, terms: &mut Terms) -> (Arguments<'i>, Vec<Term>, Vec<Option<RegionId>>) {
        let arguments = &self.contract.arguments;
        let mut placed = Arguments::new(self.image, terms);
        let mut regions: Vec<Option<RegionId>> = vec![None; arguments.len()];
        for (index, argument) in arguments.iter().enumerate() {
            if let Some((owner, _)) = argument.follows {
                regions[index] = regions[owner];
            } else if self.aliases[index] == index && argument.direction.is_pointer() {
                let area = (Area::Argument(index), &*format!("*{}", argument.name));
                let bytes = self.contract.bytes_behind(index);
                let is_writable = argument.direction.is_writable();
                let region = placed.add_memory(terms, area, bytes as i64, argument.alignment, is_writable);
                // The argument has at least one limb.
                placed.memory.set_there(region);
                regions[index] = Some(region);
            }
        }
        let mut words = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            match (argument.direction, regions[self.aliases[index]]) {
                (Direction::Value, _) => words.push(self.register(terms, self.before[index][0], index)),
                (Direction::Length, _) => {
                    let length = self.contract.length(&argument.name);
                    let word = terms.constant_u64(argument.bits, length);
                    words.push(self.register(terms, word, index));
                }
                (_, Some(region)) => {
                    for (word, &term) in (0..).zip(&self.before[index]) {
                        let offset = argument.offset() as i64 + word * i64::from(argument.bits / 8);
                        placed.memory.set(terms, region, offset, term);
                    }
                }
                (_, None) => continue,
            }
            if argument.follows.is_some() {
                continue;
            }
            placed.regions.push(regions[self.aliases[index]]);
        }
        (placed, words, regions)
    }

    /// Proves what the contract says of contents; the answer is the number of cases. `writers` says where the words
    /// that a claim is about were written.
    fn check(
        &self,
        terms: &mut Terms,
        contents: &Contents,
        writers: &mut dyn FnMut(usize) -> Vec<At>,
    ) -> Result<u32, Rejection> {
        let claims = claims(self.contract);
        let own: Vec<bool> =
            (0..self.contract.lanes()).map(|lane| lane == 0 || !self.is_like_first(terms, contents, lane)).collect();
        let mut refute = |terms: &Terms, samples| {
            let found = sample::find(terms, (self.contract, contents), &self.above_inputs(terms), &claims, samples);
            found.map_or(Ok(()), |sample::Counterexample { claim, values, computed, expected, assignment }| {
                let call = self.call(terms, contents, &assignment);
                let name = claims[claim].name.clone();
                let [values, computed, expected] = [values, computed, expected].map(Vec::into_boxed_slice);
                Err(Rejection::False {
                    claim: name,
                    writers: writers(claim).into(),
                    values,
                    computed,
                    expected,
                    call: Box::new(call),
                })
            })
        };
        refute(terms, 0..FIRST_SAMPLES)?;
        let mut cases = 0;
        for choice in self.contract.choices() {
            let contents = chosen(terms, contents, &choice);
            let own_claims = claims.iter().filter(|claim| own[claim.lane]);
            let goals: Vec<Goal> = own_claims.map(|claim| claim.goal(self.contract, &contents)).collect();
            let terms: &Terms = terms;
            let setup = |algebra: &mut Algebra| self.set_inputs(terms, algebra, &contents);
            match field::prove(terms, &setup, &goals, Effort::OPERATION) {
                Ok(more) => cases += more,
                Err(open) => {
                    refute(terms, FIRST_SAMPLES..SAMPLES)?;
                    return Err(Rejection::Open { claim: open.goal, rest: open.rest });
                }
            }
        }
        Ok(cases)
    }

    /// Whether a lane computes the same as the first lane, with the numbers of both exchanged. The claims about it are
    /// then those about the first lane, as all lanes have the same bounds.
    fn is_like_first(&self, terms: &mut Terms, contents: &Contents, lane: usize) -> bool {
        let both = |argument: &Argument, words: &[Term]| -> Vec<(Term, Term)> {
            argument.of_lane(words, 0).into_iter().zip(argument.of_lane(words, lane)).collect()
        };
        let all = self.contract.arguments.iter().zip(contents.before.iter().zip(&contents.after));
        let (mut exchanged, mut results) = (FxHashMap::default(), Vec::new());
        for (argument, (before, after)) in all {
            for (first, other) in both(argument, before) {
                exchanged.extend([(first, other), (other, first)]);
            }
            results.extend(both(argument, after));
        }
        results.into_iter().all(|(first, other)| terms.substitute(other, &exchanged) == first)
    }

    /// The inputs that are above words in registers.
    fn above_inputs(&self, terms: &Terms) -> Vec<Input> {
        let input = |&term: &Term| match terms.node(term) {
            Node::Input(input) => Some(*input),
            _ => None,
        };
        self.above.iter().flatten().filter_map(input).collect()
    }

    /// Returns the call with these values of inputs.
    fn call(&self, terms: &Terms, contents: &Contents, values: &Assignment) -> Call {
        let words = |words: &[Term]| -> Vec<u64> {
            terms.evaluate(words, values).iter().map(|limbs| limbs.first().copied().unwrap_or(0)).collect()
        };
        let arguments = &self.contract.arguments;
        let is_passed = |other: &&Argument| other.direction != Direction::Return && other.follows.is_none();
        let place = |index: usize| arguments[..index].iter().filter(is_passed).count();
        let in_register = |index: usize, word: u64| {
            let argument = &arguments[index];
            let above = self.above[index].map_or(0, |above| words(&[above])[0] << argument.known_bits());
            Passed::Word(argument.extended(word) | above)
        };
        let (mut passed, mut returned) = (Vec::new(), None);
        let bytes = |index: usize, of: &[Vec<Term>]| -> Vec<u8> {
            let size = arguments[index].bits as usize / 8;
            let words = words(&of[index]);
            words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(size)).collect()
        };
        for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| argument.follows.is_none()) {
            passed.push(match argument.direction {
                Direction::Return => {
                    returned = words(&contents.after[index]).first().map(|&word| (word, argument.bits));
                    continue;
                }
                Direction::Length => in_register(index, self.contract.length(&argument.name)),
                Direction::Value => in_register(index, words(&contents.before[index]).first().copied().unwrap_or(0)),
                Direction::Scratch => Passed::Scratch(argument.bytes() as usize),
                _ if self.aliases[index] != index => Passed::Same(place(self.aliases[index])),
                _ => {
                    let zeros = vec![0; self.contract.bytes_behind(index) as usize];
                    let (mut before, mut after) = (zeros.clone(), zeros);
                    for number in self.contract.behind(index) {
                        let mut sharing = (0..arguments.len())
                            .filter(|&other| self.aliases[other] == number && !contents.before[other].is_empty());
                        let zeros = || vec![0; arguments[number].bytes() as usize];
                        let own = sharing.next().map_or_else(zeros, |other| bytes(other, &contents.before));
                        let is_written = argument.direction.is_written();
                        let at = arguments[number].offset() as usize;
                        let own_after = if is_written { bytes(number, &contents.after) } else { own.clone() };
                        after[at..at + own.len()].copy_from_slice(&own_after);
                        before[at..at + own.len()].copy_from_slice(&own);
                    }
                    Passed::Memory { before, after }
                }
            });
        }
        Call { passed, returned }
    }

    /// Declares the ranges of the limbs, and of the numbers, before the call.
    fn set_inputs(&self, terms: &Terms, algebra: &mut Algebra, contents: &Contents) {
        for required in self.contract.requires.iter().filter(|required| matches!(required.kind, RequirementKind::Odd)) {
            let argument = &self.contract.arguments[required.of];
            let lowest = contents.before[required.of][0];
            if !terms.is_constant(lowest) {
                algebra.odd(lowest, &argument.limb_name(0, 0), argument.bits);
            }
        }
        for (argument, words) in self.contract.arguments.iter().zip(&contents.before) {
            for lane in 0..if words.is_empty() { 0 } else { argument.lanes } {
                for (index, limb) in argument.limbs.iter().enumerate() {
                    // No limb is negative, so none counts more than the whole number.
                    let bound = argument.value_below.as_ref();
                    let whole = bound.map(|bound| (&bound.most - 1i32) >> limb.position as usize);
                    let most = &limb.below - BigInt::one();
                    let range = Interval::new(0, whole.map_or(most.clone(), |whole| whole.min(most)));
                    let term = words[argument.word(index, lane)];
                    if terms.is_constant(term) {
                        continue;
                    }
                    algebra.limb(term, &argument.limb_name(index, lane), range);
                }
            }
        }
        for required in &self.contract.requires {
            if let RequirementKind::Inverse { by, bits, unit } = required.kind {
                algebra.inverse(contents.before[required.of][0], contents.before[by][0], bits, unit);
            }
        }
        self.relate_numbers(algebra, contents);
    }

    /// Declares that numbers before the call are below their bounds.
    fn relate_numbers(&self, algebra: &mut Algebra, contents: &Contents) {
        for (index, argument) in self.contract.arguments.iter().enumerate() {
            let (Some(bound), true) = (&argument.value_below, argument.direction.is_read()) else { continue };
            for lane in 0..argument.lanes {
                let whole = number(algebra, self.contract, (index, &contents.before), lane);
                algebra.relate(&argument.name, &whole, Interval::new(0, &bound.most - BigInt::one()));
                if let Some(formula) = &bound.formula {
                    let mut sides = Sides { algebra, contract: self.contract, contents, lane };
                    let below = formula.evaluate(&mut sides);
                    algebra.relate_to(&argument.name, (&whole, &below), &bound.most);
                }
            }
        }
    }
}

/// Returns contents with these values in place of the words that choose entries of tables.
fn chosen(terms: &mut Terms, contents: &Contents, choice: &[(usize, u64)]) -> Contents {
    let words = choice.iter().map(|&(place, value)| (contents.before[place][0], value));
    let exchanged: Vec<(Term, Term)> =
        words.map(|(word, value)| (word, terms.constant_u64(terms.bits(word), value))).collect();
    let exchanged = exchanged.into_iter().collect();
    let mut all = |words: &[Vec<Term>]| -> Vec<Vec<Term>> {
        let substituted =
            words.iter().map(|words| words.iter().map(|&word| terms.substitute(word, &exchanged)).collect());
        substituted.collect()
    };
    Contents { before: all(&contents.before), after: all(&contents.after) }
}

/// The inputs that arguments' limbs are before the call, none where nothing is read; those of an alias are the same.
fn unknown(terms: &mut Terms, contract: &Contract, aliases: &[usize]) -> Vec<Vec<Term>> {
    let mut all: Vec<Vec<Term>> = Vec::new();
    for (index, argument) in contract.arguments.iter().enumerate() {
        let is_same =
            |other: &usize| contract.arguments[*other].direction.is_read() && aliases[*other] == aliases[index];
        all.push(match ((0..index).find(is_same), argument.direction.is_read()) {
            (_, false) => Vec::new(),
            // Arguments in one place hold one number: it has the name of the first.
            (Some(first), true) => all[first].clone(),
            (None, true) => {
                let name = |(limb, lane)| argument.limb_name(limb, lane);
                let mut word = |place| terms.fresh(InputKind::Data, &name(place), argument.bits);
                argument.places().map(&mut word).collect()
            }
        });
    }
    all
}

/// An unknown word for the bits of a register above those that the contract describes; none if it describes all 64.
fn unknown_above(terms: &mut Terms, argument: &Argument) -> Option<Term> {
    let is_in_register = matches!(argument.direction, Direction::Value | Direction::Length);
    let bits = 64 - argument.known_bits();
    let mut unknown = || terms.fresh(InputKind::Caller, &format!("bits above {}", argument.name), bits);
    (is_in_register && bits > 0).then(&mut unknown)
}

/// A claim of a contract, in one lane.
pub(super) struct Claim<'c> {
    pub name: String,
    pub lane: usize,
    pub kind: ClaimKind<'c>,
}

pub(super) enum ClaimKind<'c> {
    /// The argument, the limb and the bound.
    Limb(usize, usize, &'c BigInt),
    Value(usize, &'c Bound),
    Equation(&'c Equation),
}

/// Returns all claims of a contract about contents after the call, except bounds that hold for any word.
pub(super) fn claims(contract: &Contract) -> Vec<Claim<'_>> {
    let mut claims = Vec::new();
    let lanes = contract.lanes();
    let of_lane = |lane: usize| if lanes == 1 { String::new() } else { format!(" in lane {lane}") };
    let written = contract.arguments.iter().enumerate().filter(|(_, argument)| argument.direction.is_written());
    for (index, argument) in written {
        for lane in 0..argument.lanes {
            for (limb, bound) in argument.limbs.iter().enumerate() {
                let bound = &bound.below_after;
                if *bound < power_of_two(argument.bits) {
                    let name = format!("{} < {bound:#x}", argument.limb_name(limb, lane));
                    claims.push(Claim { name, lane, kind: ClaimKind::Limb(index, limb, bound) });
                }
            }
            if let Some(bound) = &argument.value_below_after {
                let name = format!("{} < {}{}", argument.name, bound.text, of_lane(lane));
                claims.push(Claim { name, lane, kind: ClaimKind::Value(index, bound) });
            }
        }
    }
    for equation in &contract.equations {
        for lane in 0..lanes {
            let name = format!("{}{}", equation.text, of_lane(lane));
            claims.push(Claim { name, lane, kind: ClaimKind::Equation(equation) });
        }
    }
    claims
}

impl<'c> Claim<'c> {
    fn goal<'g>(&'g self, contract: &'g Contract, contents: &'g Contents) -> Goal<'g>
    where
        'c: 'g,
    {
        let lane = self.lane;
        let (polynomial, kind): (field::Number<'g>, GoalKind) = match self.kind {
            ClaimKind::Limb(index, limb, bound) => {
                let term = limbs(contract, &contents.after, index, self.lane)[limb];
                let value = move |algebra: &mut Algebra| algebra.evaluate(&[term]).swap_remove(0);
                (Box::new(value), GoalKind::Within(Interval::new(0, bound - BigInt::one())))
            }
            ClaimKind::Value(index, Bound { most, formula: None, .. }) => (
                Box::new(move |algebra| number(algebra, contract, (index, &contents.after), lane)),
                GoalKind::Within(Interval::new(0, most - BigInt::one())),
            ),
            ClaimKind::Value(index, Bound { most, formula: Some(formula), .. }) => {
                let less = move |algebra: &mut Algebra| {
                    let whole = number(algebra, contract, (index, &contents.after), lane);
                    whole.minus(&formula.evaluate(&mut Sides { algebra, contract, contents, lane }))
                };
                (Box::new(less), GoalKind::Within(Interval::new(-most, -1)))
            }
            ClaimKind::Equation(equation) => {
                let difference = move |algebra: &mut Algebra| {
                    let mut sides = Sides { algebra, contract, contents, lane };
                    let (left, right) = (equation.left.evaluate(&mut sides), equation.right.evaluate(&mut sides));
                    left.minus(&right)
                };
                let modulus = equation.modulus_of.as_deref().and_then(|name| named(contract, contents, name));
                let kind = match modulus {
                    None => GoalKind::Zero { modulus: equation.modulus.clone() },
                    Some((index, words)) => {
                        let positions = contract.arguments[index].limbs.iter().map(|limb| limb.position);
                        let limbs = limbs(contract, words, index, self.lane).into_iter().zip(positions).collect();
                        GoalKind::Multiple { limbs }
                    }
                };
                (Box::new(difference), kind)
            }
        };
        Goal { name: self.name.clone(), roots: self.roots(contract, contents), polynomial, kind }
    }

    /// Returns the limbs that the claim is about.
    fn roots(&self, contract: &Contract, contents: &Contents) -> Vec<Term> {
        match self.kind {
            ClaimKind::Limb(index, limb, _) => vec![limbs(contract, &contents.after, index, self.lane)[limb]],
            ClaimKind::Value(index, Bound { formula: None, .. }) => limbs(contract, &contents.after, index, self.lane),
            ClaimKind::Value(..) | ClaimKind::Equation(_) => {
                let all = 0..contract.arguments.len();
                all.flat_map(|index| limbs(contract, &contents.after, index, self.lane)).collect()
            }
        }
    }
}

/// Returns the words of an argument's lane; an argument with one lane has the same words for all.
pub(super) fn limbs(contract: &Contract, words: &[Vec<Term>], index: usize, lane: usize) -> Vec<Term> {
    contract.arguments[index].of_lane(&words[index], lane)
}

/// Returns the argument that a name in an equation means, by its index, and the contents before or after the call.
pub(super) fn named<'w>(contract: &Contract, contents: &'w Contents, name: &str) -> Option<(usize, &'w [Vec<Term>])> {
    let plain = name.strip_suffix('\'').unwrap_or(name);
    let index = contract.arguments.iter().position(|argument| argument.name == plain)?;
    let is_before = plain.len() == name.len() && contract.arguments[index].direction.is_read();
    Some((index, if is_before { &contents.before } else { &contents.after }))
}

/// Returns the number that an argument's limbs make, in words before the call or after it.
fn number(
    algebra: &mut Algebra,
    contract: &Contract,
    (index, words): (usize, &[Vec<Term>]),
    lane: usize,
) -> Polynomial {
    let limbs = limbs(contract, words, index, lane);
    let values = algebra.evaluate(&limbs);
    let mut sum = Polynomial::zero();
    for (limb, value) in contract.arguments[index].limbs.iter().zip(values) {
        sum.add_scaled(&value, &power_of_two(limb.position));
    }
    match contract.arguments[index].is_truth {
        true => algebra.is_zero(&sum).negated().plus_constant(1),
        false => sum,
    }
}

/// The sides of an equation as polynomials.
struct Sides<'s, 't> {
    algebra: &'s mut Algebra<'t>,
    contract: &'s Contract,
    contents: &'s Contents,
    lane: usize,
}

impl Ring for Sides<'_, '_> {
    type Value = Polynomial;
    fn number(&mut self, number: &BigInt) -> Polynomial {
        Polynomial::constant(number.clone())
    }
    fn name(&mut self, name: &str) -> Polynomial {
        match named(self.contract, self.contents, name) {
            Some(place) => number(self.algebra, self.contract, place, self.lane),
            // Names of nothing were refused when the contract was read.
            None => Polynomial::atom(
                self.algebra.input(name, Interval::new(-power_of_two(UNKNOWN_BITS), power_of_two(UNKNOWN_BITS))),
            ),
        }
    }
    fn known(&self, value: &Polynomial) -> Option<BigInt> {
        value.as_constant()
    }
    fn add(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        a.plus(b)
    }
    fn sub(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        a.minus(b)
    }
    fn mul(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.algebra.product(a, b)
    }
}
