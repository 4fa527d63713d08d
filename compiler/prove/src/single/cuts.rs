//! Cut points: words of a program that an execution is expected to compute, each defined in terms of those before it.

use culet_decide::bits::Budget;
use culet_decide::field::Interval;
use culet_ir::{Elements, EvalError, Func, Inst, Module, Observer, Op, Value, eval_observed};
use culet_term::{Assignment, InputKind, Node, Simulation, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::equal::{self, Answer, Equalities, Ranges};
use super::gaps::{self, Gap};
use super::linear::Forms;
use super::samples::{self, Draw, SAMPLES};
use crate::effort::cut_points::{
    COMMON, CONDITION, LAST_ROUNDS, MAX_AGAIN, MAX_IN_BITS, MAX_MORE, MAX_MORE_OF_MESSAGES, MAX_MULTIPLE, MAX_UNFOLDED,
    ROUNDS, SOON,
};

/// Bits of a word in a vector register.
const LANE: u32 = 64;

/// Width in bits of a word that fills half a register.
const HALF_REGISTER: u32 = 32;

/// The values of a word on the samples.
pub(super) type Signature = [u64; SAMPLES];

/// A cut point: a word that the program computes, as an unknown that stands for the word's definition.
#[derive(Clone, Copy)]
struct CutPoint {
    unknown: Term,
    definition: Term,
}

/// Limits on the comparison of a pair of terms.
#[derive(Clone, Copy)]
struct Effort {
    /// Maximum number of terms, after cut points are unfolded.
    most: usize,
    rounds: usize,
    /// The proof depends on this comparison, so nothing is left untried.
    is_last: bool,
}

/// Terms, and the cut points: terms that are known as words of the program.
pub(super) struct CutPoints {
    pub terms: Terms,
    simulation: Simulation,
    draws: [Draw; SAMPLES],
    cuts: Vec<CutPoint>,
    /// Numbers of cut points, by their unknowns.
    numbers: FxHashMap<Term, u32>,
    /// Numbers of cut points, by their widths and their values on the samples.
    candidates: FxHashMap<(u32, Signature), Vec<u32>>,
    /// Unknowns by their definitions.
    known: FxHashMap<Term, Term>,
    /// Unknowns that have a gap: a bit that is always 0.
    gaps: FxHashMap<Term, Gap>,
    /// Whether words of half a register are looked up in vector registers, too.
    has_halves: bool,
    /// Whether computed terms are looked up.
    pub is_looking_up: bool,
    /// Terms that were looked up, each with its replacement.
    looked_at: FxHashMap<Term, Term>,
    /// Sums of addresses and lengths.
    pub forms: Forms,
    ranges: Ranges,
    pub equalities: Equalities,
    budget: Budget,
    more: usize,
    /// Unknowns for words that a loop carries and of which only the range is known. The key is the parameter of the
    /// loop, the index among all words that it carries, and the term of the word in one reading.
    opened: FxHashMap<(Value, usize, Term), Term>,
    /// Number of terms that were recognised as words of the program.
    pub found: usize,
    /// Number of terms in comparisons with words of the program that failed.
    pub lost: usize,
}

impl CutPoints {
    pub fn new(terms: Terms, budget: Budget, has_message: bool) -> CutPoints {
        CutPoints {
            terms,
            simulation: Simulation::new(SAMPLES),
            draws: samples::draws(),
            cuts: Vec::new(),
            numbers: FxHashMap::default(),
            candidates: FxHashMap::default(),
            known: FxHashMap::default(),
            gaps: FxHashMap::default(),
            has_halves: false,
            is_looking_up: true,
            looked_at: FxHashMap::default(),
            forms: Forms::default(),
            ranges: Ranges::default(),
            equalities: Equalities::default(),
            budget,
            more: if has_message { MAX_MORE_OF_MESSAGES } else { MAX_MORE },
            opened: FxHashMap::default(),
            found: 0,
            lost: 0,
        }
    }

    /// Runs a function on words. Each word whose value is in `ranges` is replaced by an unknown in that range, in which
    /// the word is known to be. Words that a loop carries into the iteration `opened` become unknowns, too, of which
    /// only the range is known.
    pub fn run(
        &mut self,
        module: &Module,
        inputs: &[Elements<Term>],
        ranges: &FxHashMap<Value, Interval>,
        opened: Option<Opened<'_>>,
    ) -> Result<Reading, EvalError> {
        let mut terms = std::mem::take(&mut self.terms);
        let unreduced = unreduced(module.entry());
        self.has_halves = ranges.is_empty();
        let mut reader = Reader { cuts: self, ranges, unreduced: &unreduced, opened, carried: FxHashMap::default() };
        let results = eval_observed(&mut terms, module, inputs, &mut reader);
        let carried = reader.carried;
        self.terms = terms;
        Ok(Reading { results: results?, carried })
    }

    /// Records a word of the program that stands for itself.
    fn expect(&mut self, terms: &Terms, word: Term) {
        let key = (terms.bits(word), self.signature(terms, word));
        let candidates = self.candidates.entry(key).or_default();
        if candidates.iter().all(|&other| self.cuts[other as usize].unknown != word) {
            candidates.push(self.cuts.len() as u32);
            self.cuts.push(CutPoint { unknown: word, definition: word });
        }
    }

    /// Returns an unknown that stands for a word that has none yet.
    fn cut(&mut self, terms: &mut Terms, definition: Term, range: &Interval) -> Term {
        // Words made of short messages have fewer significant bits than the range for all messages says.
        let range = range.meet(&Interval::word(terms.significant_bits(definition).max(1)));
        let unknown = self.new_cut(terms, definition, &range);
        self.known.insert(definition, unknown);
        unknown
    }

    fn new_cut(&mut self, terms: &mut Terms, definition: Term, range: &Interval) -> Term {
        // The unknown gets the values of its definition on the samples, before the simulation meets it.
        let signature = self.signature(terms, definition);
        let key = (terms.bits(definition), signature);
        let before = self.candidates.get(&key).cloned().unwrap_or_default();
        for cut in before {
            let CutPoint { unknown, definition: other } = self.cuts[cut as usize];
            let pair = (definition, unknown);
            if self.equalities.compare(terms, pair, &self.ranges, &self.budget) == Answer::Equal
                || self.has_halves && self.are_equal_unfolded(terms, (definition, other))
            {
                return unknown;
            }
        }
        let name = format!("word of the program[{}]", self.cuts.len());
        let unknown = terms.fresh(InputKind::Data, &name, terms.bits(definition));
        if let &Node::Input(input) = terms.node(unknown) {
            for (sample, value) in signature.iter().enumerate() {
                self.simulation.set(sample, input, &[*value]);
            }
        }
        self.ranges.insert(unknown, range.clone());
        if let Some(gap) = gaps::gap(terms, definition) {
            self.gaps.insert(unknown, gap);
        }
        self.candidates.entry(key).or_default().push(self.cuts.len() as u32);
        self.numbers.insert(unknown, self.cuts.len() as u32);
        self.cuts.push(CutPoint { unknown, definition });
        unknown
    }

    /// Whether two definitions are equal as far as few terms say what they are made of. Two readings may come to a word in two ways, as to the number of
    /// a block: from the one before it, and from the first of a group.
    fn are_equal_unfolded(&mut self, terms: &mut Terms, (a, b): (Term, Term)) -> bool {
        let effort = Effort { most: MAX_AGAIN, rounds: 1, is_last: false };
        if self.is_meant(terms, a, b, effort) {
            return true;
        }
        let nothing = FxHashSet::default();
        let mut whole = |term: Term| self.unfolded_beside(terms, term, &nothing, MAX_AGAIN);
        let (Some(a), Some(b)) = (whole(a), whole(b)) else { return false };
        self.equalities.compare(terms, (a, b), &self.ranges, &self.budget) == Answer::Equal
    }

    /// Returns an unknown in the range of a loop's parameter, for a word of which nothing else is to be known. Each
    /// place has its own unknown, which is the same in all readings where the word is the same. On the samples the
    /// unknown has the word's values.
    fn opened(&mut self, terms: &mut Terms, key: (Value, usize, Term), range: Option<&Interval>) -> Term {
        if let Some(&known) = self.opened.get(&key) {
            return known;
        }
        let (.., word) = key;
        let signature = self.signature(terms, word);
        let name = format!("carried by the loop[{}]", self.opened.len());
        let unknown = terms.fresh(InputKind::Data, &name, terms.bits(word));
        self.opened.insert(key, unknown);
        if let &Node::Input(input) = terms.node(unknown) {
            for (sample, value) in signature.iter().enumerate() {
                self.simulation.set(sample, input, &[*value]);
            }
        }
        self.ranges.extend(range.map(|range| (unknown, range.clone())));
        unknown
    }

    /// The values of a word of at most 64 bits.
    fn signature(&mut self, terms: &Terms, word: Term) -> Signature {
        let draws = &mut self.draws;
        self.simulation.update(terms, &mut |sample| draws[sample].word());
        std::array::from_fn(|sample| self.simulation.value(terms, sample, word)[0])
    }

    /// Returns the replacement for a term that an execution has computed, or the term itself.
    pub fn recognised(&mut self, term: Term) -> Term {
        let term = self.forms.normal(&mut self.terms, term);
        match self.terms.bits(term) {
            32 | 64 if self.forms.of(&self.terms, term).is_some() => term,
            32 | 64 => self.looked_up(term),
            bits if bits > LANE && bits % LANE == 0 => self.recognised_lanes(term),
            _ => term,
        }
    }

    /// Looks up each word of a vector register.
    fn recognised_lanes(&mut self, term: Term) -> Term {
        if !matches!(self.terms.node(term), Node::Concat(_)) {
            return term;
        }
        let mut lanes = Vec::new();
        for lane in 0..self.terms.bits(term) / LANE {
            let word = self.terms.extract(term, lane * LANE, LANE);
            let known = self.looked_up(word);
            // Without limbs, words of the program are as short as it has them.
            let is_whole = known != word || !self.has_halves || !matches!(self.terms.node(word), Node::Concat(_));
            if is_whole {
                lanes.push(known);
                continue;
            }
            for half in [0, HALF_REGISTER] {
                let half = self.terms.extract(word, half, HALF_REGISTER);
                lanes.push(self.looked_up(half));
            }
        }
        self.terms.concat(&lanes)
    }

    fn looked_up(&mut self, term: Term) -> Term {
        if !self.is_looking_up
            || self.candidates.is_empty()
            || matches!(self.terms.node(term), Node::Input(_) | Node::Constant(_))
        {
            return term;
        }
        if let Some(&known) = self.looked_at.get(&term) {
            return known;
        }
        let mut terms = std::mem::take(&mut self.terms);
        let signature = self.signature(&terms, term);
        let is_telling = signature.iter().any(|&value| value >= COMMON);
        let mut candidates = self.candidates.get(&(terms.bits(term), signature)).cloned().unwrap_or_default();
        if is_half_chosen(&terms, term) {
            candidates.retain(|&cut| is_chosen_or_nothing(&terms, self.cuts[cut as usize].definition));
        }
        if !is_telling {
            // Small values can only identify a word whose range is small: few words with a larger range are so small on
            // all samples.
            let is_small = |range: &Interval| range.low != range.high && range.high < (COMMON << 2).into();
            let mut differ = signature.iter().skip(1);
            let may_be = differ.any(|&value| value != signature[0]);
            candidates.retain(|&cut| may_be && self.ranges.get(&self.cuts[cut as usize].unknown).is_some_and(is_small));
        }
        let cone = if candidates.is_empty() { Vec::new() } else { terms.cone(&[term]) };
        let latest = cone.iter().filter_map(|part| self.numbers.get(part)).max().copied();
        if !is_telling {
            // A small word is computed at about the time of the words that it is made of.
            candidates.retain(|&cut| latest.is_none_or(|latest| cut.abs_diff(latest) <= SOON));
        }
        // A term made of a word is not that word or an earlier one, unless bounds make it so: later words come first.
        candidates.sort_by_key(|&cut| latest.is_some_and(|latest| cut <= latest));
        let found = candidates.iter().find(|&&cut| {
            let CutPoint { unknown, definition } = self.cuts[cut as usize];
            let most = match latest.is_some_and(|latest| cut <= latest) {
                true => MAX_AGAIN,
                false => self.more + 2 * (cone.len() + terms.cone(&[definition]).len()),
            };
            let effort = Effort { most, rounds: ROUNDS, is_last: false };
            [unknown, definition].into_iter().any(|known| self.is_meant(&mut terms, term, known, effort))
        });
        let known = found.map_or(term, |&cut| self.cuts[cut as usize].unknown);
        self.found += usize::from(found.is_some());
        if found.is_none() {
            self.lost += candidates.len() * cone.len();
        }
        self.terms = terms;
        self.looked_at.insert(term, known);
        known
    }

    /// Returns the definition of a cut point, unfolded for comparison with a term. Cut points that do not occur in the
    /// term are unfolded: compilers do not compute all cut points, and compute some in two ways. If the definition then
    /// exceeds `most` terms, cut points stay that occur in the definition of a cut point in the term: the carry of a
    /// sum may be derived from the sum and one of its operands. Returns `None` if that exceeds `most` terms, too.
    fn unfolded(&self, terms: &mut Terms, meant: Term, term: Term, most: usize) -> Option<Term> {
        let mut made_of: FxHashSet<Term> = terms.cone(&[term]).into_iter().collect();
        self.unfolded_beside(terms, meant, &made_of, most).or_else(|| {
            let numbers = made_of.iter().filter_map(|part| self.numbers.get(part));
            let definitions: Vec<Term> = numbers.map(|&number| self.cuts[number as usize].definition).collect();
            made_of.extend(terms.cone(&definitions));
            self.unfolded_beside(terms, meant, &made_of, most)
        })
    }

    fn unfolded_beside(&self, terms: &mut Terms, meant: Term, made_of: &FxHashSet<Term>, most: usize) -> Option<Term> {
        let mut definition = meant;
        loop {
            let cone = terms.cone(&[definition]);
            if cone.len() > most {
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

    /// Whether a term that an execution has computed is proved equal to `meant`.
    pub fn is(&mut self, term: Term, meant: Term) -> bool {
        self.is_with(term, meant, Effort { most: MAX_UNFOLDED, rounds: LAST_ROUNDS, is_last: true })
    }

    /// Whether a term is proved equal to `meant` with the effort of a lookup: little is lost if no proof is found.
    pub fn is_plainly(&mut self, term: Term, meant: Term) -> bool {
        self.is_with(term, meant, Effort { most: self.more, rounds: ROUNDS, is_last: false })
    }

    /// Whether a term is proved equal to `meant` bit for bit, both made of inputs again: compilers take carries and comparisons from flags, which are
    /// no words of the program. Nothing is known of the ranges of words.
    pub fn is_in_gates(&mut self, term: Term, meant: Term) -> bool {
        let mut terms = std::mem::take(&mut self.terms);
        let nothing = FxHashSet::default();
        let whole = [term, meant].map(|side| self.unfolded_beside(&mut terms, side, &nothing, MAX_UNFOLDED));
        let is_equal = match whole {
            [Some(term), Some(meant)] => self.equalities.are_equal_bits(&mut terms, (term, meant), &self.budget),
            _ => false,
        };
        self.terms = terms;
        is_equal
    }

    fn is_with(&mut self, term: Term, meant: Term, effort: Effort) -> bool {
        let mut terms = std::mem::take(&mut self.terms);
        let is_equal = self.is_meant(&mut terms, term, meant, effort);
        self.terms = terms;
        is_equal
    }

    fn is_meant(&mut self, terms: &mut Terms, term: Term, meant: Term, effort: Effort) -> bool {
        let has_products = equal::has_product_without_carries(terms, &terms.cone(&[term]));
        let most = if has_products { effort.most.max(MAX_IN_BITS) } else { effort.most };
        let whole = (term, meant);
        let (mut term, mut meant, mut are_gaps_seen, mut are_sums_open) = (term, meant, false, false);
        let mut first = None;
        for _ in 0..effort.rounds {
            let Some(unfolded) = self.unfolded(terms, meant, term, most) else { return false };
            meant = unfolded;
            let answer = self.equalities.compare(terms, (term, meant), &self.ranges, &self.budget);
            if answer == Answer::Equal || self.are_equal_in_bits(terms, (term, meant)) {
                if let Some(first) = first {
                    self.equalities.is_equal_with_more(terms, first, &self.ranges);
                }
                return true;
            }
            first.get_or_insert((term, meant));
            // Another round mostly ends as it did for the earlier pair of this shape.
            if answer == Answer::Known && !effort.is_last {
                return false;
            }
            let mut next = self.also_in_parts(terms, (term, meant));
            let are_parts = !next.is_empty();
            if !are_gaps_seen {
                // Gaps that come from masks are shown at once, other gaps when no parts are left to unfold.
                let gaps = self.with_gaps(terms, (term, meant), |gap| !are_parts || gap.is_of_mask());
                are_gaps_seen = !are_parts || !gaps.is_empty();
                if !gaps.is_empty() {
                    (term, meant) = (terms.substitute(term, &gaps), terms.substitute(meant, &gaps));
                    continue;
                }
            }
            if effort.is_last && !are_parts {
                let found = self.also_in_pieces(terms, (term, meant), most);
                next.extend(found.or_else(|| self.made_of_the_same(terms, (term, meant))));
            }
            if next.is_empty() && !are_sums_open {
                // A sum may have been computed in another order.
                let sums = self.sums(terms, whole.0);
                if sums.is_empty() {
                    return false;
                }
                are_sums_open = true;
                (term, meant) = (terms.substitute(whole.0, &sums), whole.1);
                continue;
            }
            if next.is_empty() {
                return false;
            }
            (term, meant) = (terms.substitute(term, &next), terms.substitute(meant, &next));
            if terms.cone(&[term, meant]).len() > most {
                return false;
            }
        }
        false
    }

    /// Whether a pair in which bits are added is proved equal, with cut points replaced by their sums of bits.
    fn are_equal_in_bits(&mut self, terms: &mut Terms, pair: (Term, Term)) -> bool {
        if !equal::are_bits_added(terms, &terms.cone(&[pair.0, pair.1])) {
            return false;
        }
        let Some(pair) = self.in_bits(terms, pair, MAX_IN_BITS) else { return false };
        self.equalities.compare_in_bits(terms, pair, &self.ranges) == Answer::Equal
    }

    /// Returns the latest cut point in a pair of terms whose definition shares a computed term with the pair. If all
    /// inputs of the definition occur in the pair, returns every such cut point for which this holds.
    fn also_in_parts(&self, terms: &Terms, pair: (Term, Term)) -> FxHashMap<Term, Term> {
        let cone = terms.cone(&[pair.0, pair.1]);
        let made_of: FxHashSet<Term> = cone.iter().copied().collect();
        let is_input = |part: Term| terms.node(part).operands().is_empty() && !terms.is_constant(part);
        let mut all = cone.iter().rev().filter_map(|unknown| {
            let definition = self.cuts[*self.numbers.get(unknown)? as usize].definition;
            let parts = terms.cone(&[definition]);
            let is_in_use = |part: &&Term| made_of.contains(part) && !terms.node(**part).operands().is_empty();
            parts.iter().find(is_in_use)?;
            let is_whole = parts.iter().all(|&part| !is_input(part) || made_of.contains(&part));
            Some((*unknown, definition, is_whole))
        });
        let Some((latest, definition, is_whole)) = all.next() else { return FxHashMap::default() };
        let others = all.filter(|(.., others_too)| is_whole && *others_too);
        others.map(|(unknown, definition, _)| (unknown, definition)).chain([(latest, definition)]).collect()
    }

    /// Returns the cut points in a term that are sums or differences of other unknowns and constants, with their
    /// definitions.
    fn sums(&self, terms: &Terms, term: Term) -> FxHashMap<Term, Term> {
        let cuts = terms.cone(&[term]).into_iter().filter_map(|part| self.numbers.get(&part));
        let cuts = cuts.map(|&number| self.cuts[number as usize]);
        let sums = cuts.filter(|cut| is_sum(terms, cut.definition));
        sums.map(|CutPoint { unknown, definition }| (unknown, definition)).collect()
    }

    /// Replaces each cut point in a pair that is a sum modulo 2 of bits of other unknowns by that sum: compilers group
    /// such sums in their own way, and take from each sum the bits they need. Returns `None` if there is no such cut
    /// point, or if the pair exceeds `most` terms.
    fn in_bits(&self, terms: &mut Terms, pair: (Term, Term), most: usize) -> Option<(Term, Term)> {
        let mut open = pair;
        loop {
            let cone = terms.cone(&[open.0, open.1]);
            if cone.len() > most {
                return None;
            }
            let cuts = cone.into_iter().filter_map(|part| Some(self.cuts[*self.numbers.get(&part)? as usize]));
            let sums: FxHashMap<Term, Term> = cuts
                .filter(|cut| is_sum_modulo_2(terms, cut.definition))
                .map(|CutPoint { unknown, definition }| (unknown, definition))
                .collect();
            if sums.is_empty() {
                return (open != pair).then_some(open);
            }
            open = (terms.substitute(open.0, &sums), terms.substitute(open.1, &sums));
        }
    }

    /// Returns the cut points in a pair that have a wanted gap, each with the word that shows the gap.
    fn with_gaps(&self, terms: &mut Terms, pair: (Term, Term), wanted: impl Fn(Gap) -> bool) -> FxHashMap<Term, Term> {
        let cone = terms.cone(&[pair.0, pair.1]);
        let gaps = cone.into_iter().filter_map(|part| Some((part, *self.gaps.get(&part)?)));
        let gaps = gaps.filter(|&(_, gap)| wanted(gap));
        gaps.map(|(unknown, gap)| (unknown, gap.shown(terms, unknown))).collect()
    }

    /// Returns the earliest cut point in a pair whose definition shares a computed term with the pair, after cut points
    /// outside the pair are unfolded. A compiler that does not mask a sum whose masked bits are a word of the program
    /// uses the parts of that word by way of other cut points.
    fn also_in_pieces(&self, terms: &mut Terms, pair: (Term, Term), most: usize) -> Option<(Term, Term)> {
        let cone = terms.cone(&[pair.0, pair.1]);
        let made_of: FxHashSet<Term> = cone.iter().copied().collect();
        cone.iter().find_map(|&unknown| {
            let definition = self.cuts[*self.numbers.get(&unknown)? as usize].definition;
            let definition = self.unfolded_beside(terms, definition, &made_of, most)?;
            let mut parts = terms.cone(&[definition]).into_iter();
            let is_in_use = |part: Term| made_of.contains(&part) && !terms.node(part).operands().is_empty();
            parts.any(is_in_use).then_some((unknown, definition))
        })
    }

    /// Returns the earliest cut point in a pair whose definition has no inputs but those of the pair: a compiler may
    /// have added in another order.
    fn made_of_the_same(&self, terms: &Terms, pair: (Term, Term)) -> Option<(Term, Term)> {
        let cone = terms.cone(&[pair.0, pair.1]);
        let made_of: FxHashSet<Term> = cone.iter().copied().collect();
        cone.iter().find_map(|unknown| {
            let definition = self.cuts[*self.numbers.get(unknown)? as usize].definition;
            let mut inputs =
                terms.cone(&[definition]).into_iter().filter(|&part| matches!(terms.node(part), Node::Input(_)));
            inputs.all(|input| made_of.contains(&input)).then_some((*unknown, definition))
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

/// An iteration of a loop over a stream, and the parameters of the loop.
#[derive(Clone, Copy)]
pub(super) struct Opened<'m> {
    pub inst: Inst,
    pub iteration: u64,
    pub params: &'m [Value],
    /// For each of these, the number that each iteration adds to it, if that is all it does.
    pub steps: &'m [Option<u64>],
    /// Number of iterations before this one, for which `iteration` stands.
    pub done: Term,
}

/// Values that a function on words computes.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub results: Vec<Elements<Term>>,
    /// Words that each loop over a stream carries into its iterations, in order, and out of the last one.
    pub carried: FxHashMap<Inst, Vec<Vec<Term>>>,
}

/// Records words while a function runs.
struct Reader<'r> {
    cuts: &'r mut CutPoints,
    ranges: &'r FxHashMap<Value, Interval>,
    unreduced: &'r FxHashSet<Value>,
    opened: Option<Opened<'r>>,
    carried: FxHashMap<Inst, Vec<Vec<Term>>>,
}

impl Observer<Terms> for Reader<'_> {
    fn word(&mut self, terms: &mut Terms, value: Value, &word: &Term) -> Option<Term> {
        if matches!(terms.node(word), Node::Input(_) | Node::Constant(_)) {
            return None;
        }
        // A sum of lengths is public, and has one form.
        let normal = self.cuts.forms.normal(terms, word);
        if self.cuts.forms.of(terms, normal).is_some() {
            return Some(normal);
        }
        // A term that is known as a word of the program gets its unknown here, too, as it does in an execution.
        if let Some(&known) = self.cuts.known.get(&word) {
            return Some(known);
        }
        let Some(range) = self.ranges.get(&value) else {
            // Without limbs, each word is an unknown, so that no comparison is larger than the code between two words.
            if self.unreduced.contains(&value) || self.ranges.is_empty() && matches!(terms.bits(word), 32 | 64) {
                return Some(self.cuts.cut(terms, word, &Interval::word(terms.bits(word))));
            }
            if terms.bits(word) >= 32 && is_multiple(terms, word) {
                self.cuts.expect(terms, word);
            }
            return None;
        };
        Some(self.cuts.cut(terms, word, range))
    }

    fn iteration(&mut self, terms: &mut Terms, inst: Inst, iteration: u64, carried: &mut [Term]) {
        if let Some(opened) = self.opened.filter(|opened| (opened.inst, opened.iteration) == (inst, iteration)) {
            let first = self.carried.get(&inst).and_then(|carried| carried.first());
            for (place, (word, &param)) in carried.iter_mut().zip(opened.params).enumerate() {
                *word = match (opened.steps.get(place), first.and_then(|first| first.get(place))) {
                    (Some(&Some(step)), Some(&first)) => counted(terms, first, (step, opened.done)),
                    _ => self.cuts.opened(terms, (param, place, *word), self.ranges.get(&param)),
                };
            }
        }
        self.carried.entry(inst).or_default().push(carried.to_vec());
    }
}

/// Returns a word to which a number was added as many times as a count of 64 bits says.
fn counted(terms: &mut Terms, first: Term, (step, count): (u64, Term)) -> Term {
    let bits = terms.bits(first);
    let (step, count) = (terms.constant_u64(bits, step & u64::MAX >> (64 - bits)), terms.extract(count, 0, bits));
    let added = terms.mul(count, step);
    terms.add(first, added)
}

/// Returns the words from which a constant is subtracted with a borrow: those of a number before its last reduction.
/// Compilers merge the choice between both numbers with the code after it. If there are such words, sums with a carry
/// of half-register words are returned, too: compilers add these in one register, and a number has too many products to
/// be compared as a whole.
fn unreduced(func: &Func) -> FxHashSet<Value> {
    let constants = func.insts.iter().filter(|data| matches!(data.op, Op::Const(_)));
    let constants: FxHashSet<Value> = constants.flat_map(|data| data.results.iter().copied()).collect();
    let differences = func.insts.iter().filter(|data| data.op == Op::SubB && constants.contains(&data.args[1]));
    let unreduced = differences.map(|data| data.args[0]).filter(|value| !constants.contains(value));
    let mut found: FxHashSet<Value> = unreduced.collect();
    if !found.is_empty() {
        let sums = func.insts.iter().filter(|data| data.op == Op::AddC).map(|data| data.results[0]);
        found.extend(sums.filter(|&sum| func.ty(sum).bits() == HALF_REGISTER));
    }
    found
}

/// Whether a term is a word masked by all ones or all zeros: one half of a choice. Bounds may make it equal to a word
/// of the program that is the whole choice.
fn is_half_chosen(terms: &Terms, term: Term) -> bool {
    let is_mask = |term: Term| equal::mask(terms, term, CONDITION).is_some();
    let is_masked = |term: Term| is_mask(term) || matches!(*terms.node(term), Node::Not(of) if is_mask(of));
    matches!(*terms.node(term), Node::And(a, b) if is_masked(a) || is_masked(b))
}

/// Whether a word of the program is a choice between a word and zero, as a lookup beyond a table is.
fn is_chosen_or_nothing(terms: &Terms, word: Term) -> bool {
    matches!(*terms.node(word), Node::Select(_, then, otherwise) if terms.is_zero(then) || terms.is_zero(otherwise))
}

/// Whether a word is nothing but a sum or a difference of unknowns and constants.
fn is_sum(terms: &Terms, word: Term) -> bool {
    let cone = terms.cone(&[word]);
    let is_part =
        |&term: &Term| matches!(terms.node(term), Node::Input(_) | Node::Constant(_) | Node::Add(..) | Node::Sub(..));
    cone.len() > 1 && cone.len() <= MAX_MULTIPLE && cone.iter().all(is_part)
}

/// Whether each bit of a word is a sum modulo 2 of bits of unknowns.
fn is_sum_modulo_2(terms: &Terms, word: Term) -> bool {
    terms.cone(&[word]).into_iter().all(|term| match *terms.node(term) {
        Node::Input(_) | Node::Constant(_) | Node::Not(_) | Node::Xor(..) | Node::Extract(..) | Node::Concat(_) => true,
        Node::And(_, mask) | Node::Or(_, mask) => terms.is_constant(mask),
        _ => false,
    })
}

/// Whether a word is made of one unknown and constants: compilers may compute it from the operands of the unknown.
fn is_multiple(terms: &Terms, word: Term) -> bool {
    let cone = terms.cone(&[word]);
    let inputs = cone.iter().filter(|&&term| matches!(terms.node(term), Node::Input(_))).count();
    let is_product = cone.iter().any(|&term| match *terms.node(term) {
        Node::Mul(a, b) | Node::ClMul(a, b) => !terms.is_constant(a) && !terms.is_constant(b),
        _ => false,
    });
    inputs == 1 && !is_product && cone.len() <= MAX_MULTIPLE
}
