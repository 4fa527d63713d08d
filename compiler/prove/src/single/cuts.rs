//! Words of a program that an execution is expected to compute, each with its meaning in those before it.

use culet_ir::{Elements, EvalError, Module, Value, eval_observed};
use culet_term::{Assignment, Node, Simulation, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::equal::{Answer, Equalities, Ranges};
use crate::bits::{self, Budget};
use crate::field::Interval;

/// Assignments of inputs on which words are looked up.
pub(super) const SAMPLES: usize = 2;

/// Terms of a definition in which others are unfolded.
const MAX_UNFOLDED: usize = 2000;

/// Bits of a word in a vector register.
const LANE: u32 = 64;

/// Cuts that give way to their definitions before a pair is given up.
const ROUNDS: usize = 6;

/// Terms of a multiple of an unknown.
const MAX_MULTIPLE: usize = 5;

/// Values so small that many words have them.
const COMMON: u64 = 1 << 16;

/// The values of a word on the samples.
pub(super) type Signature = [u64; SAMPLES];

/// A word that the program computes at some time: an unknown, which stands for its definition.
#[derive(Clone, Copy)]
struct Cut {
    unknown: Term,
    definition: Term,
}

/// Terms, some of which are known as words of the program.
pub(super) struct Cuts {
    pub terms: Terms,
    simulation: Simulation,
    random: u64,
    cuts: Vec<Cut>,
    /// Cuts by their unknowns.
    numbers: FxHashMap<Term, u32>,
    /// Cuts by their values.
    candidates: FxHashMap<(u32, Signature), Vec<u32>>,
    /// Terms that were looked at, and what stands for them.
    looked_at: FxHashMap<Term, Term>,
    ranges: Ranges,
    pub equalities: Equalities,
    budget: Budget,
    /// Terms that are known as words of the program.
    pub found: usize,
}

impl Cuts {
    pub fn new(terms: Terms, budget: Budget) -> Cuts {
        Cuts {
            terms,
            simulation: Simulation::new(SAMPLES),
            random: 1,
            cuts: Vec::new(),
            numbers: FxHashMap::default(),
            candidates: FxHashMap::default(),
            looked_at: FxHashMap::default(),
            ranges: Ranges::default(),
            equalities: Equalities::default(),
            budget,
            found: 0,
        }
    }

    /// Runs a function on words. Where `ranges` have a value, the word is an unknown in this range from then on, in which it is
    /// known to be.
    pub fn run(
        &mut self,
        module: &Module,
        inputs: &[Elements<Term>],
        ranges: &FxHashMap<Value, Interval>,
    ) -> Result<Vec<Elements<Term>>, EvalError> {
        let mut terms = std::mem::take(&mut self.terms);
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        let outputs = eval_observed(&mut terms, module, inputs, &mut |terms, value, &word| {
            if matches!(terms.node(word), Node::Input(_) | Node::Constant(_)) {
                return None;
            }
            let Some(range) = ranges.get(&value) else {
                if terms.bits(word) >= 32 && is_multiple(terms, word) {
                    self.expect(terms, word);
                }
                return None;
            };
            Some(*known.entry(word).or_insert_with(|| self.cut(terms, word, range)))
        });
        self.terms = terms;
        outputs
    }

    /// Takes note of a word that stands for itself.
    fn expect(&mut self, terms: &Terms, word: Term) {
        let key = (terms.bits(word), self.signature(terms, word));
        let candidates = self.candidates.entry(key).or_default();
        if candidates.iter().all(|&other| self.cuts[other as usize].unknown != word) {
            candidates.push(self.cuts.len() as u32);
            self.cuts.push(Cut { unknown: word, definition: word });
        }
    }

    /// A new unknown that stands for a word.
    fn cut(&mut self, terms: &mut Terms, definition: Term, range: &Interval) -> Term {
        // Its values on the samples are those of its definition, before the simulation meets it.
        let signature = self.signature(terms, definition);
        let key = (terms.bits(definition), signature);
        let before = self.candidates.get(&key).cloned().unwrap_or_default();
        for cut in before {
            let unknown = self.cuts[cut as usize].unknown;
            let pair = (definition, unknown);
            if self.equalities.compare(terms, pair, &self.ranges, &self.budget) == Answer::Equal {
                return unknown;
            }
        }
        let unknown = terms.input(&format!("word[{}]", self.cuts.len()), terms.bits(definition));
        if let &Node::Input(input) = terms.node(unknown) {
            for (sample, value) in signature.iter().enumerate() {
                self.simulation.set(sample, input, &[*value]);
            }
        }
        self.ranges.insert(unknown, range.clone());
        self.candidates.entry(key).or_default().push(self.cuts.len() as u32);
        self.numbers.insert(unknown, self.cuts.len() as u32);
        self.cuts.push(Cut { unknown, definition });
        unknown
    }

    /// The values of a word of at most 64 bits.
    fn signature(&mut self, terms: &Terms, word: Term) -> Signature {
        let random = &mut self.random;
        self.simulation.update(terms, &mut || bits::random(random));
        std::array::from_fn(|sample| self.simulation.value(terms, sample, word)[0])
    }

    /// What stands for a term that an execution has computed.
    pub fn recognised(&mut self, term: Term) -> Term {
        match self.terms.bits(term) {
            32 | 64 => self.looked_up(term),
            bits if bits > LANE && bits % LANE == 0 => self.recognised_lanes(term),
            _ => term,
        }
    }

    /// A register of several words, each of which may be known.
    fn recognised_lanes(&mut self, term: Term) -> Term {
        if !matches!(self.terms.node(term), Node::Concat(_)) {
            return term;
        }
        let lanes: Vec<Term> = (0..self.terms.bits(term) / LANE)
            .map(|lane| {
                let word = self.terms.extract(term, lane * LANE, LANE);
                self.looked_up(word)
            })
            .collect();
        self.terms.concat(&lanes)
    }

    fn looked_up(&mut self, term: Term) -> Term {
        if self.candidates.is_empty() || matches!(self.terms.node(term), Node::Input(_) | Node::Constant(_)) {
            return term;
        }
        if let Some(&known) = self.looked_at.get(&term) {
            return known;
        }
        let mut terms = std::mem::take(&mut self.terms);
        let signature = self.signature(&terms, term);
        let is_telling = signature.iter().any(|&value| value >= COMMON);
        let candidates = self.candidates.get(&(terms.bits(term), signature)).filter(|_| is_telling);
        let candidates = candidates.cloned().unwrap_or_default();
        let found = candidates.iter().find(|&&cut| {
            let unknown = self.cuts[cut as usize].unknown;
            [self.cuts[cut as usize].definition, unknown]
                .into_iter()
                .any(|known| self.is_meant(&mut terms, term, known))
        });
        let known = found.map_or(term, |&cut| self.cuts[cut as usize].unknown);
        self.found += usize::from(found.is_some());
        self.terms = terms;
        self.looked_at.insert(term, known);
        known
    }

    /// The definition of a cut for a term to be compared with. Cuts of which the term is not made are unfolded: compilers do not
    /// compute all of them, and some in two ways. None if that grows too large.
    fn unfolded(&self, terms: &mut Terms, meant: Term, term: Term) -> Option<Term> {
        let made_of: FxHashSet<Term> = terms.cone(&[term]).into_iter().collect();
        let mut definition = meant;
        loop {
            let cone = terms.cone(&[definition]);
            if cone.len() > MAX_UNFOLDED {
                return None;
            }
            let open = cone.iter().filter(|term| !made_of.contains(term));
            let open = open.filter_map(|term| Some((*term, self.cuts[*self.numbers.get(term)? as usize].definition)));
            let open: FxHashMap<Term, Term> = open.collect();
            if open.is_empty() {
                return Some(definition);
            }
            definition = terms.substitute(definition, &open);
        }
    }

    /// Whether a term that an execution has computed is proved to be what is meant.
    pub fn is(&mut self, term: Term, meant: Term) -> bool {
        let mut terms = std::mem::take(&mut self.terms);
        let is_equal = self.is_meant(&mut terms, term, meant);
        self.terms = terms;
        is_equal
    }

    fn is_meant(&mut self, terms: &mut Terms, term: Term, meant: Term) -> bool {
        let Some(meant) = self.unfolded(terms, meant, term) else { return false };
        let mut pair = (term, meant);
        for _ in 0..ROUNDS {
            match self.equalities.compare(terms, pair, &self.ranges, &self.budget) {
                Answer::Equal => return true,
                Answer::Known => return false,
                Answer::Open => {}
            }
            let Some((unknown, definition)) = self.also_in_parts(terms, pair) else { return false };
            let others = FxHashMap::from_iter([(unknown, definition)]);
            pair = (terms.substitute(pair.0, &others), terms.substitute(pair.1, &others));
        }
        false
    }

    /// The latest cut that a pair of terms is made of beside something that the cut itself is made of.
    fn also_in_parts(&self, terms: &Terms, pair: (Term, Term)) -> Option<(Term, Term)> {
        let cone = terms.cone(&[pair.0, pair.1]);
        let made_of: FxHashSet<Term> = cone.iter().copied().collect();
        cone.iter().rev().find_map(|unknown| {
            let definition = self.cuts[*self.numbers.get(unknown)? as usize].definition;
            let mut parts = terms.cone(&[definition]).into_iter();
            let is_in_use = |part: Term| made_of.contains(&part) && !terms.node(part).operands().is_empty();
            parts.any(is_in_use).then_some((*unknown, definition))
        })
    }

    /// The values of a word of at most 64 bits on the samples.
    pub fn values(&mut self, word: Term) -> Signature {
        let terms = std::mem::take(&mut self.terms);
        let values = self.signature(&terms, word);
        self.terms = terms;
        values
    }

    /// The inputs of a sample.
    pub fn sample(&self, sample: usize) -> &Assignment {
        self.simulation.inputs(sample)
    }
}

/// Whether a word is made of one unknown and constants: compilers may make it of what they made the unknown of.
fn is_multiple(terms: &Terms, word: Term) -> bool {
    let cone = terms.cone(&[word]);
    let inputs = cone.iter().filter(|&&term| matches!(terms.node(term), Node::Input(_))).count();
    let is_product = cone.iter().any(|&term| match *terms.node(term) {
        Node::Mul(a, b) => !terms.is_constant(a) && !terms.is_constant(b),
        _ => false,
    });
    inputs == 1 && !is_product && cone.len() <= MAX_MULTIPLE
}
