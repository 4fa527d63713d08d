//! Walk over both functions side by side.

use culet_decide::field::Interval;
use culet_ir::{
    CounterId, FieldKind, Func, Inst, InstData, Lanes, LimbMap, LoopData, Op, RegionId, Value, Word, apply,
};
use culet_term::{InputKind, Term, Terms};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::Compared;

/// The instruction on elements at which something is wrong, and a message that says what.
pub(super) type Wrong = (Inst, String);

pub(super) struct Walk<'m> {
    pub field: &'m FieldKind,
    pub from: &'m Func,
    pub to: &'m Func,
    pub limb_map: &'m LimbMap,
    pub terms: Terms,
    /// Ranges of unknowns that are words of elements.
    pub ranges: FxHashMap<Term, Interval>,
    /// Terms of values on words, by the number of the value; `None` before its definition and after its region.
    words: Vec<Option<Lanes<Term>>>,
    /// Values on words in the order of their definition.
    defined: Vec<Value>,
    /// Counter of each loop on elements, with the counter of the corresponding loop on words.
    pub(super) counters: FxHashMap<CounterId, CounterId>,
    unknowns: usize,
    /// Unknowns that took the place of words of elements, by the term that each word was computed as: equal words
    /// become one unknown.
    forgotten: FxHashMap<Term, Term>,
    pub compared: Compared,
}

/// The instructions of a region on words, and the index of the next one.
pub(super) struct Cursor<'m> {
    insts: &'m [Inst],
    next: usize,
}

/// Reason why an instruction is not the same on both sides.
enum Stop {
    Here(String),
    /// The reason is in the body of the loop.
    Inside(Wrong),
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Here(message)
    }
}

impl<'m> Walk<'m> {
    pub fn new(field: &'m FieldKind, from: &'m Func, to: &'m Func, limb_map: &'m LimbMap) -> Walk<'m> {
        Walk {
            field,
            from,
            to,
            limb_map,
            terms: Terms::new(),
            ranges: FxHashMap::default(),
            words: vec![None; to.values.len()],
            defined: Vec::new(),
            counters: FxHashMap::default(),
            unknowns: 0,
            forgotten: FxHashMap::default(),
            compared: Compared::default(),
        }
    }

    pub fn run(mut self) -> Result<Compared, Wrong> {
        self.region(self.from.body, self.to.body)?;
        Ok(self.compared)
    }

    fn region(&mut self, from: RegionId, to: RegionId) -> Result<(), Wrong> {
        let mut cursor = Cursor { insts: &self.to.region(to).insts, next: 0 };
        let insts = &self.from.region(from).insts;
        for &inst in insts {
            self.inst(inst, &mut cursor).map_err(|stop| match stop {
                Stop::Here(message) => (inst, message),
                Stop::Inside(wrong) => wrong,
            })?;
        }
        let last = insts.last().copied().unwrap_or(Inst(0));
        match self.effect(&mut cursor).map_err(|message| (last, message))? {
            None => Ok(()),
            Some(more) => Err((last, format!("the words go on with `{}`", more.op.name()))),
        }
    }

    fn inst(&mut self, inst: Inst, cursor: &mut Cursor<'m>) -> Result<(), Stop> {
        let data = self.from.inst(inst);
        match &data.op {
            Op::Load { slot, index } if self.is_element(data.results[0]) => {
                self.load_element(data, *slot, index, cursor)?;
            }
            Op::Store { slot, index } if self.is_element(data.args[0]) => {
                self.store_element(data, *slot, index, cursor)?;
            }
            Op::Load { .. } | Op::Store { .. } | Op::Tail { .. } | Op::Length { .. } | Op::StoreTail { .. } => {
                self.access(data, cursor)?;
            }
            Op::Loop(l) => return self.loop_(data, l, cursor),
            Op::Join | Op::Lane(_) | Op::Perm(_) | Op::Blend(_) if self.is_element(data.results[0]) => {
                self.arrangement(inst, cursor)?;
            }
            Op::Call(_) => return Err("calls are to be inlined before".to_owned().into()),
            Op::Field(op) => self.operation(inst, op, cursor)?,
            _ => {
                self.advance_to_results(data, cursor)?;
                self.word_operation(data)?;
            }
        }
        Ok(())
    }

    pub fn is_element(&self, value: Value) -> bool {
        self.from.ty(value).field().is_some()
    }

    /// Returns the words that are said to hold a value. Checks that their number and their lanes are those of the
    /// value, and so is the type if the value is a word.
    pub fn held(&self, value: Value) -> Result<&'m [Word], String> {
        let words = self.limb_map.values.get(value.index()).map_or(&[][..], |words| &words[..]);
        let ty = self.from.ty(value);
        let count = if self.is_element(value) { self.limb_map.positions_of(ty.lanes()).len() } else { 1 };
        if words.len() != count || words.iter().any(|word| word.value.index() >= self.to.values.len()) {
            return Err(format!("it is not said which words hold {value}"));
        }
        let is_like = |word: &Word| match (self.to.ty(word.value), self.is_element(value)) {
            (own, true) => own.field().is_none() && own.lanes() == ty.lanes(),
            (own, false) => own == ty,
        };
        if words.iter().all(is_like) { Ok(words) } else { Err(format!("{value} is held by words of another type")) }
    }

    /// Returns the terms of the words that hold a value, by their lanes.
    pub fn terms_of(&self, value: Value) -> Result<Vec<Lanes<Term>>, String> {
        self.held(value)?.iter().map(|word| self.term(word.value).cloned()).collect()
    }

    /// Returns the term of the word that holds a word.
    pub fn word_of(&self, value: Value) -> Result<Term, String> {
        match self.term(self.held(value)?[0].value)?[..] {
            [term] => Ok(term),
            _ => Err(format!("{value} is several words")),
        }
    }

    pub(super) fn term(&self, word: Value) -> Result<&Lanes<Term>, String> {
        let term = self.words[word.index()].as_ref();
        term.ok_or_else(|| format!("the word {word} is not computed before it is needed"))
    }

    fn define(&mut self, word: Value, lanes: Lanes<Term>) {
        self.words[word.index()] = Some(lanes);
        self.defined.push(word);
    }

    fn unknown(&mut self, word: Value) -> Term {
        self.unknowns += 1;
        self.terms.fresh(InputKind::Word, &format!("{word}.{}", self.unknowns), self.to.ty(word).bits())
    }

    /// Makes each lane of a word unknown from now on.
    pub(super) fn forget(&mut self, word: Value) {
        let lanes = (0..self.to.ty(word).lanes()).map(|_| self.unknown(word)).collect();
        self.define(word, lanes);
    }

    /// Makes the words that hold an element unknowns in these ranges, in which they are proved to be.
    pub fn forget_element(&mut self, words: &[Word], ranges: &[Interval]) {
        for (word, range) in words.iter().zip(ranges) {
            let lanes: Vec<Option<Term>> = match &self.words[word.value.index()] {
                Some(lanes) => lanes.iter().copied().map(Some).collect(),
                None => vec![None; self.to.ty(word.value).lanes() as usize],
            };
            let lanes = lanes.into_iter().map(|term| self.forgotten(word, term, range)).collect();
            self.define(word.value, lanes);
        }
    }

    /// Returns the unknown that stands from now on for a term of a word. The term is proved to be in this range.
    fn forgotten(&mut self, word: &Word, term: Option<Term>, range: &Interval) -> Term {
        let known = term.filter(|&term| self.terms.is_constant(term) || self.ranges.contains_key(&term));
        let known = known.or_else(|| self.forgotten.get(&term?).copied());
        let unknown = known.unwrap_or_else(|| {
            let ends_in_zeros = term.is_some_and(|term| self.ends_in_zeros(term, word.zeros));
            if ends_in_zeros { self.multiple(word, range) } else { self.unknown(word.value) }
        });
        if !self.terms.is_constant(unknown) {
            let all = self.ranges.entry(unknown).or_insert_with(|| range.clone());
            *all = all.meet(range);
        }
        if known.is_none() {
            self.forgotten.extend(term.map(|term| (term, unknown)));
        }
        unknown
    }

    /// Whether the `zeros` lowest bits of a term are constant 0, and the term has other bits, too.
    fn ends_in_zeros(&mut self, term: Term, zeros: u32) -> bool {
        if zeros == 0 || zeros >= self.terms.bits(term) {
            return false;
        }
        let end = self.terms.extract(term, 0, zeros);
        self.terms.is_zero(end)
    }

    /// Returns an unknown in this range that ends in zeros.
    fn multiple(&mut self, word: &Word, range: &Interval) -> Term {
        self.unknowns += 1;
        let bits = self.to.ty(word.value).bits() - word.zeros;
        let name = format!("{}.{} / 2^{}", word.value, self.unknowns, word.zeros);
        let quotient = self.terms.fresh(InputKind::Word, &name, bits);
        let below = &range.high >> word.zeros;
        self.ranges.insert(quotient, Interval::new(0, below));
        let zeros = self.terms.zero(word.zeros);
        self.terms.concat(&[zeros, quotient])
    }

    /// Records words that are proved to be in these ranges.
    pub fn note(&mut self, words: &[Word], ranges: &[Interval]) {
        for (word, range) in words.iter().zip(ranges) {
            let known = self.compared.ranges.entry(word.value).or_insert_with(|| range.clone());
            *known = known.meet(range);
        }
    }

    /// Returns the stated ranges of the words of an element.
    pub fn ranges_of(&self, value: Value) -> Result<Vec<Interval>, String> {
        self.held(value)?.iter().map(|word| checked_range(word.range.as_ref())).collect()
    }

    /// Returns the range of a word, as far as it is known without a proof.
    pub(super) fn range(&self, term: Term) -> Interval {
        match (self.terms.value(term), self.ranges.get(&term)) {
            (Some(value), _) => Interval::point(value.into()),
            (None, Some(range)) => range.clone(),
            (None, None) => Interval::word(self.terms.bits(term)),
        }
    }

    pub(super) fn are_within(&self, terms: &[Lanes<Term>], ranges: &[Interval]) -> Result<(), String> {
        let mut limbs = terms.iter().zip(ranges);
        let is_within = limbs.all(|(lanes, range)| lanes.iter().all(|&term| self.range(term).within(range)));
        if is_within && terms.len() == ranges.len() { Ok(()) } else { Err("a word is out of its range".to_owned()) }
    }

    /// Computes words until those that hold the results are there.
    pub(super) fn advance_to_results(&mut self, data: &InstData, cursor: &mut Cursor<'m>) -> Result<(), String> {
        for &result in &data.results {
            for word in self.held(result)? {
                self.advance(word.value, cursor)?;
            }
        }
        Ok(())
    }

    /// Computes words until this one is there.
    pub(super) fn advance(&mut self, word: Value, cursor: &mut Cursor<'m>) -> Result<(), String> {
        while self.words.get(word.index()).is_none_or(Option::is_none) {
            if !self.step(cursor)? {
                return Err(format!("{word}, which is to hold it, is not computed there"));
            }
        }
        Ok(())
    }

    /// Computes words up to the next instruction that reads or writes memory, or is a loop.
    fn effect(&mut self, cursor: &mut Cursor<'m>) -> Result<Option<&'m InstData>, String> {
        while self.step(cursor)? {}
        let inst = cursor.insts.get(cursor.next);
        cursor.next += 1;
        Ok(inst.map(|&inst| self.to.inst(inst)))
    }

    /// As [`Walk::effect`], with an error if there is no such instruction.
    pub(super) fn next_effect(&mut self, cursor: &mut Cursor<'m>) -> Result<&'m InstData, String> {
        self.effect(cursor)?.ok_or_else(|| "the words lack it".to_owned())
    }

    /// Computes one word. Returns false if the next instruction reads or writes memory, or is a loop, or if there is
    /// none.
    fn step(&mut self, cursor: &mut Cursor<'m>) -> Result<bool, String> {
        let Some(&inst) = cursor.insts.get(cursor.next) else { return Ok(false) };
        let data = self.to.inst(inst);
        if !data.op.is_pure() || matches!(data.op, Op::Call(_)) {
            return Ok(false);
        }
        let args: Vec<Lanes<Term>> = data.args.iter().map(|&arg| self.term(arg).cloned()).collect::<Result<_, _>>()?;
        let results = self.applied(self.to, data, &args)?;
        for (&result, lanes) in data.results.iter().zip(results) {
            self.define(result, lanes);
        }
        cursor.next += 1;
        Ok(true)
    }

    /// Returns the results of an operation on words.
    fn applied(
        &mut self,
        func: &Func,
        data: &InstData,
        args: &[Lanes<Term>],
    ) -> Result<impl Iterator<Item = Lanes<Term>> + use<>, String> {
        if data.args.iter().chain(&data.results).any(|&value| func.ty(value).field().is_some()) {
            return Err(format!("`{}` is not about words", data.op.name()));
        }
        let widths: Vec<u32> = data.args.iter().map(|&arg| func.ty(arg).bits()).collect();
        let lanes: Vec<&[Term]> = args.iter().map(|lanes| &lanes[..]).collect();
        Ok(apply(&mut self.terms, &data.op, func.ty(data.results[0]), &widths, &lanes).into_iter())
    }

    /// Checks that an operation on words is the same on both sides.
    fn word_operation(&mut self, data: &InstData) -> Result<(), String> {
        let args =
            data.args.iter().map(|&arg| Ok(self.terms_of(arg)?.swap_remove(0))).collect::<Result<Vec<_>, String>>()?;
        let meant = self.applied(self.from, data, &args)?;
        for (&result, meant) in data.results.iter().zip(meant) {
            if self.terms_of(result)? != [meant] {
                return Err(format!("the word that holds {result} is not computed so"));
            }
        }
        Ok(())
    }

    /// Checks that these values are held by these words, in this order.
    pub(super) fn same_values(&self, values: &[Value], words: &[Value]) -> Result<(), String> {
        let mut held = Vec::new();
        for &value in values {
            held.extend(self.held(value)?.iter().map(|word| word.value));
        }
        if held == words { Ok(()) } else { Err("what comes out is held by other words".to_owned()) }
    }

    /// Checks that words hold these values, and that elements are within the stated ranges of `names`, which they
    /// become.
    fn pass(&self, values: &[Value], names: &[Value], words: &[Value]) -> Result<(), String> {
        let mut words = words.iter();
        for (&value, &name) in values.iter().zip(names) {
            let terms = self.terms_of(value)?;
            for lanes in &terms {
                let word = words.next().ok_or("words of the loop are missing")?;
                if self.term(*word)? != lanes {
                    return Err(format!("the loop's words have something else than {value}"));
                }
            }
            if self.is_element(value) {
                self.are_within(&terms, &self.ranges_of(name)?).map_err(|message| format!("{name}: {message}"))?;
            }
        }
        if words.next().is_some() { Err("the loop has more words".to_owned()) } else { Ok(()) }
    }

    /// Makes values unknowns; elements are in the stated ranges of `ranged`.
    fn open(&mut self, values: &[Value], ranged: &[Value]) -> Result<(), String> {
        for (&value, &ranged) in values.iter().zip(ranged) {
            let words = self.held(value)?;
            if self.is_element(value) {
                self.forget_element(words, &self.ranges_of(ranged)?);
            } else {
                self.forget(words[0].value);
            }
        }
        Ok(())
    }

    fn loop_(&mut self, data: &InstData, l: &LoopData, cursor: &mut Cursor<'m>) -> Result<(), Stop> {
        let other = self.next_effect(cursor)?;
        let Op::Loop(o) = &other.op else { return Err(format!("the words have `{}` there", other.op.name()).into()) };
        if (l.first, l.last, l.over) != (o.first, o.last, o.over) {
            return Err("the words have another loop".to_owned().into());
        }
        let (region, words) = (self.from.region(l.region), self.to.region(o.region));
        self.same_values(&region.params, &words.params)?;
        self.pass(&data.args, &region.params, &other.args)?;
        let outside = self.defined.len();
        self.open(&region.params, &region.params)?;
        self.counters.insert(l.counter, o.counter);
        self.region(l.region, o.region).map_err(Stop::Inside)?;
        self.pass(&region.results, &region.params, &words.results)?;
        // The ranges hold at the head in every iteration, and after the last.
        for &param in &region.params {
            if !self.is_element(param) {
                continue;
            }
            let ranges = self.ranges_of(param)?;
            self.note(self.held(param)?, &ranges);
        }
        for value in self.defined.drain(outside..) {
            self.words[value.index()] = None;
        }
        self.same_values(&data.results, &other.results)?;
        self.open(&data.results, &region.params)?;
        self.compared.loops += 1;
        Ok(())
    }
}

/// Returns the stated range of a word, which must have no sign.
pub(super) fn checked_range(range: Option<&(BigInt, BigInt)>) -> Result<Interval, String> {
    let Some((low, high)) = range else { return Err("a word of an element has no range".to_owned()) };
    let range = Interval::new(low.clone(), high.clone());
    if range.is_empty() || !range.within(&Interval::word(64)) {
        return Err("words with a sign are not known here".to_owned());
    }
    Ok(range)
}
