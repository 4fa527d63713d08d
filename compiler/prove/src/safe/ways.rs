//! The ways on which a function goes, where branches depend on what everybody may know: on public contents of arguments, on
//! addresses, and on the result if that is public.
//!
//! Each way is executed by itself. A branch that depends on public data may go both ways. One that depends on secrets may, too, if no result
//! comes out on both of its sides: then whoever knows the public data and the result knows the way, so that the way tells nothing else.
//!
//! A loop that tries again until a secret is good has one result on both sides of its branch. Where that is allowed
//! ([`Returned::PublicIn`]), the way tells, too, how those branches go that secrets decide more than once before a way is given up.

use std::collections::BTreeSet;

use culet_image::Image;
use culet_meaning::Domain as _;
use rustc_hash::FxHashMap;

use super::shadows::{Cases, Shadows, Word};
use super::{Interface, Returned};
use crate::attempt::Attempt;
use crate::call::Library;
use crate::effort::words::MOST_WAYS;
use crate::execute::{Execution, Knowledge};
use crate::rejection::{Rejection, rejected};
use crate::symbolic::Symbolic;
use crate::theorem::Proved;
use crate::unknown::Stage;
use crate::violation::{Violation, ViolationKind};

/// A branch that goes both ways.
#[derive(Debug, Clone, Copy)]
struct Decision {
    /// Address of the branch.
    at: u64,
    is_taken: bool,
    is_public: bool,
}

/// A way from the entry to the return, and the number that the function returns there, if that is the same for all data.
struct Way {
    decisions: Vec<Decision>,
    result: Option<u64>,
}

/// All ways of a function.
#[derive(Default)]
struct Ways {
    finished: Vec<Way>,
    /// Addresses of branches that secrets decide more than once in a way that is given up.
    repeated: BTreeSet<u64>,
}

/// A way under way.
#[derive(Clone)]
struct Following<'i> {
    library: Library<'i>,
    made: Vec<Decision>,
    /// Conditions that the way has decided before.
    decided: FxHashMap<Word, bool>,
    result: Returned,
    /// Address of the instruction under way.
    now: u64,
    /// Whether the branch under way is taken, if that was decided.
    next: Option<bool>,
    /// How the way came to stop before a branch.
    stopped: Option<Stopped>,
}

#[derive(Clone, Copy)]
enum Stopped {
    /// The branch may go both ways.
    Asked,
    /// Secrets decide the branch more often than is taken for granted.
    GivenUp,
}

/// The register of results.
const RESULT: usize = 0;

/// Executes the function on all of its ways, under one assumption about the stack pointer.
pub(super) fn run<'i>(
    image: &'i Image,
    interface: &Interface,
    attempt: &mut Attempt<'_, 'i>,
) -> Result<Proved, Rejection> {
    let (mut ways, mut sum) = (Ways::default(), None::<Proved>);
    let mut values = Shadows::default();
    let (placed, words) = interface.placed(image, &mut values);
    let execution = placed.enter(&mut values, attempt, words);
    let mut open = vec![(execution, Following::new(image, interface.result), values.made())];
    while let Some((mut execution, mut following, made)) = open.pop() {
        // States that are older than this one are all that is left.
        values.forget_after(made);
        if ways.finished.len() + open.len() >= MOST_WAYS {
            return Err(Rejection::Unsupported(format!("it goes on more than {MOST_WAYS} ways, by what is public")));
        }
        let outcome = attempt.run(&mut values, &mut execution, &mut following, None);
        match following.stopped.take() {
            // The branch is executed again, with a decision.
            Some(Stopped::Asked) => {
                following.next = Some(true);
                open.push((execution.clone(), following.clone(), values.made()));
                following.next = Some(false);
                open.push((execution, following, values.made()));
            }
            Some(Stopped::GivenUp) => ways.note_repeated(&following.made),
            None => {
                outcome?;
                let result = values.extract(64, &execution.state.general[RESULT], 0, 32);
                let result = following.value(&mut values, &result);
                ways.finished.push(Way { decisions: following.made, result });
                let proved = Proved::of(&values, execution, &attempt.frame, false);
                match &mut sum {
                    None => sum = Some(proved),
                    Some(sum) => sum.add(&proved),
                }
            }
        }
    }
    if ways.finished.is_empty() {
        let times = interface.result.turns();
        let why =
            format!("on every way secrets decide one branch more than {times} times, so that nothing would be proved");
        return Err(Rejection::Unsupported(why));
    }
    if let Some((at, why)) = ways.what_they_tell(interface.result) {
        let branch = attempt.decoded.at(at).ok();
        return Err(rejected(image, Violation::at(branch, at, ViolationKind::Told(why))));
    }
    let variables = interface.variables.iter().map(super::Variable::described).collect();
    Ok(Proved { ways: ways.finished.len(), turns: interface.result.turns(), variables, ..sum.unwrap_or_default() })
}

impl Returned {
    /// Maximum number of times that secrets decide one branch; 0 if that is not taken for granted.
    fn turns(self) -> usize {
        match self {
            Returned::Secret | Returned::Public => 0,
            Returned::PublicIn { turns } => turns,
        }
    }
}

impl Ways {
    fn note_repeated(&mut self, decisions: &[Decision]) {
        let mut seen = BTreeSet::new();
        let by_secrets = decisions.iter().filter(|decision| !decision.is_public);
        self.repeated.extend(by_secrets.filter(|decision| !seen.insert(decision.at)).map(|decision| decision.at));
    }

    /// Returns the branch by which ways tell more than public data and the result, and says why, if there is one.
    fn what_they_tell(&self, result: Returned) -> Option<(u64, String)> {
        let is_told = |at: u64| result.turns() > 0 && self.repeated.contains(&at);
        // The results on one side of each decision on secrets, by the decisions that lead there.
        let mut sides = FxHashMap::<Vec<bool>, BTreeSet<u64>>::default();
        for way in &self.finished {
            let on_secrets = way.decisions.iter().enumerate().filter(|(_, one)| !one.is_public && !is_told(one.at));
            for (place, decision) in on_secrets {
                let Some(result) = way.result else {
                    return Some((decision.at, "what is returned does not tell which way it goes".to_owned()));
                };
                let to_there = way.decisions[..=place].iter().map(|decision| decision.is_taken).collect();
                sides.entry(to_there).or_default().insert(result);
                let mut other: Vec<bool> = way.decisions[..=place].iter().map(|decision| decision.is_taken).collect();
                other[place] = !other[place];
                if sides.get(&other).is_some_and(|results| results.contains(&result)) {
                    let why = format!("{} is returned whichever way it goes", result as u32 as i32);
                    return Some((decision.at, format!("{why}, so that time tells more than the result")));
                }
            }
        }
        None
    }
}

impl<'i> Following<'i> {
    fn new(image: &'i Image, result: Returned) -> Following<'i> {
        Following {
            library: Library::new(image, Stage::Entry),
            made: Vec::new(),
            decided: FxHashMap::default(),
            result,
            now: 0,
            next: None,
            stopped: None,
        }
    }

    /// The number that a word is on this way, if that is the same for all data: a constant, or one that follows from a condition that is decided.
    fn value(&self, values: &mut Shadows, word: &Word) -> Option<u64> {
        if let Some(&is_one) = self.decided.get(word) {
            return Some(is_one.into());
        }
        let term = match values.cases(word) {
            Some(Cases { bit, terms }) => terms[usize::from(*self.decided.get(&bit)?)],
            None => values.term(word)?,
        };
        values.terms().value(term)
    }

    /// Whether a branch at the present address, on secrets or not, may go both ways.
    fn may_go_both_ways(&self, is_public: bool) -> Option<Stopped> {
        if is_public {
            return Some(Stopped::Asked);
        }
        let before = || self.made.iter().filter(|one| !one.is_public && one.at == self.now).count();
        match self.result {
            Returned::Secret => None,
            Returned::PublicIn { turns } if before() == turns => Some(Stopped::GivenUp),
            Returned::Public | Returned::PublicIn { .. } => Some(Stopped::Asked),
        }
    }
}

/// The bit that a condition is or is the complement of, and whether it is the complement.
fn bit_of(values: &mut Shadows, condition: Word) -> (Word, bool) {
    match values.cases(&condition) {
        Some(Cases { bit, terms }) => match terms.map(|term| values.terms().value(term)) {
            [Some(0), Some(1)] => (bit, false),
            [Some(1), Some(0)] => (bit, true),
            _ => (condition, false),
        },
        None => (condition, false),
    }
}

impl Knowledge<Shadows> for Following<'_> {
    fn call(
        &mut self,
        values: &mut Shadows,
        execution: &mut Execution<'_, Word>,
    ) -> Result<Option<Word>, ViolationKind> {
        self.now = execution.address;
        self.library.call(values, execution)
    }

    fn decide(&mut self, values: &mut Shadows, condition: Word) -> Option<bool> {
        let is_public = values.is_public(&condition);
        if let Some(is_taken) = self.next.take() {
            self.made.push(Decision { at: self.now, is_taken, is_public });
            let (bit, is_inverse) = bit_of(values, condition);
            self.decided.insert(bit, is_taken != is_inverse);
            return Some(is_taken);
        }
        let known = self.value(values, &condition).map(|value| value == 1);
        // A term that is no public one is left in a register or on the stack by others.
        if known.is_none() && (is_public || matches!(condition, Word::Data(_))) {
            self.stopped = self.may_go_both_ways(is_public);
        }
        known
    }
}
