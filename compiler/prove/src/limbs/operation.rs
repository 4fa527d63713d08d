//! Operations on elements: the words of operands, of results, and of intermediate numbers.

use culet_decide::field::{Interval, power_of_two};
use culet_ir::{FieldKind, FieldOp, Inst, InstData, Lanes, Op, Origin, Part, Stage, Value, Word};
use culet_term::{Term, Terms};
use num_bigint::BigInt;

use super::polynomials;
use super::walk::{Cursor, Walk, checked_range};

/// A number: its words, each with the exponent of its weight, which is a power of two, or over GF(2) a power of x.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    pub words: Vec<(Term, u32)>,
    /// Upper bound of the number, inclusive.
    pub most: Option<BigInt>,
    /// Whether each word's bits count from its top downwards.
    pub is_mirrored: bool,
}

/// Meaning of the result of an instruction.
#[derive(Clone, Copy)]
pub(super) enum Meaning<'s> {
    Operation(&'s FieldOp),
    /// The result is the one operand.
    Same,
}

/// Value that a number is claimed to have, modulo the prime or the polynomial.
#[derive(Clone, Copy)]
pub(super) enum Claim {
    /// The result of the operation, or its canonical form if the operation gives words.
    Result,
    /// An operand, by its place among all.
    Operand(usize),
}

/// One lane of an instruction, with the numbers that it operates on.
pub(super) struct Slice<'s> {
    pub meaning: Meaning<'s>,
    /// Factor of the words of an element: R in Montgomery's form, or 1.
    pub factor: BigInt,
    /// Numbers of the operands, in order; `None` for an operand that is a word.
    pub elements: Vec<Option<Number>>,
    /// Operands that are words of `width` bits each; for the index of a lookup, its bits.
    pub words: Vec<Term>,
    pub width: u32,
    /// A number that is known to be the result, modulo the prime or the polynomial.
    pub result: Option<Number>,
}

impl<'m> Walk<'m> {
    /// Proves that the words of an operation's result are what the operation means, and makes them unknowns. Claims
    /// about intermediate numbers are proved first, and these numbers are unknowns from there on.
    pub(super) fn operation(&mut self, inst: Inst, op: &'m FieldOp, cursor: &mut Cursor<'m>) -> Result<(), String> {
        let data = self.from.inst(inst);
        let lanes = 0..self.from.ty(data.results[0]).lanes() as usize;
        let mut slices = lanes.map(|lane| self.slice(data, op, lane)).collect::<Result<Vec<_>, _>>()?;
        self.stages(inst, &mut slices, cursor)?;
        if *op == FieldOp::Unpack {
            self.advance_to_results(data, cursor)?;
            self.compared.operations += 1;
            let slice = slices.swap_remove(0);
            let width = self.from.ty(data.results[0]).bits();
            let terms = data.results.iter().map(|&result| self.word_of(result)).collect::<Result<Vec<_>, _>>()?;
            let words = terms.into_iter().zip((0..).map(|k| k * width)).collect();
            let out = Number { words, most: Some(self.largest()), is_mirrored: false };
            self.prove((&slice, Claim::Result), &out, &[])?;
            for &result in &data.results {
                self.forget(self.held(result)?[0].value);
            }
            return Ok(());
        }
        self.element(data, slices, cursor)
    }

    /// Proves that each lane of the words that hold an element is what the instruction means, and makes them unknowns.
    fn element(&mut self, data: &'m InstData, slices: Vec<Slice<'m>>, cursor: &mut Cursor<'m>) -> Result<(), String> {
        self.advance_to_results(data, cursor)?;
        self.compared.operations += 1;
        let (ranges, words) = (self.ranges_of(data.results[0])?, self.held(data.results[0])?);
        for (lane, mut slice) in slices.into_iter().enumerate() {
            let out = self.number(data.results[0], lane)?;
            if data.op == Op::Join {
                slice = self.read_beside(slice, data.args[lane], &out)?;
            }
            if !self.is_choice(&slice, &out, &ranges) {
                self.prove((&slice, Claim::Result), &out, &ranges)?;
            }
        }
        self.settle(words, &ranges);
        Ok(())
    }

    /// Proves an instruction that moves elements to other lanes.
    pub(super) fn arrangement(&mut self, inst: Inst, cursor: &mut Cursor<'m>) -> Result<(), String> {
        let data = self.from.inst(inst);
        let source = |lane: usize| match &data.op {
            Op::Lane(from) => Ok((data.args[0], usize::from(*from))),
            Op::Perm(pattern) => match pattern[lane] {
                Some(from) => Ok((data.args[0], usize::from(from))),
                None => Err("a lane has no element".to_owned()),
            },
            Op::Blend(set) => Ok((data.args[usize::from(set >> lane & 1 == 1)], lane)),
            _ => Ok((data.args[lane], 0)),
        };
        let mut slices = Vec::new();
        for lane in 0..self.from.ty(data.results[0]).lanes() as usize {
            let (arg, from) = source(lane)?;
            let elements = vec![Some(self.number(arg, from)?)];
            slices.push(Slice { elements, ..self.nothing(Meaning::Same) });
        }
        self.stages(inst, &mut slices, cursor)?;
        self.element(data, slices, cursor)
    }

    /// Returns the slice of an element that is joined with others. If the element was read from packed words, its limbs
    /// may be made of these.
    fn read_beside(&mut self, slice: Slice<'m>, element: Value, out: &Number) -> Result<Slice<'m>, String> {
        let Origin::Result(inst, _) = self.from.value(element).origin else { return Ok(slice) };
        let (data, words): (_, Vec<Term>) = (self.from.inst(inst), out.words.iter().map(|&(word, _)| word).collect());
        let made_of = self.terms.cone(&words);
        let is_made = |number: &Number| number.words.iter().any(|(word, _)| made_of.contains(word));
        match &data.op {
            Op::Field(op @ FieldOp::Pack) if !slice.elements.iter().flatten().any(is_made) => self.slice(data, op, 0),
            _ => Ok(slice),
        }
    }

    /// Records that words were proved to be in these ranges, and makes them unknowns.
    fn settle(&mut self, words: &[Word], ranges: &[Interval]) {
        self.note(words, ranges);
        self.forget_element(words, ranges);
    }

    fn nothing(&self, meaning: Meaning<'m>) -> Slice<'m> {
        let factor = self.limb_map.factor.clone().into();
        Slice { meaning, factor, elements: Vec::new(), words: Vec::new(), width: 0, result: None }
    }

    fn slice(&mut self, data: &InstData, op: &'m FieldOp, lane: usize) -> Result<Slice<'m>, String> {
        if *op == FieldOp::Inv {
            return Err("inverses are to be powers before".to_owned());
        }
        let element = |arg: &Value| self.is_element(*arg).then(|| self.number(*arg, lane)).transpose();
        let elements = data.args.iter().map(element).collect::<Result<Vec<_>, _>>()?;
        let others: Vec<Value> = data.args.iter().copied().filter(|&arg| !self.is_element(arg)).collect();
        let mut words = others.iter().map(|&arg| self.word_of(arg)).collect::<Result<Vec<_>, _>>()?;
        let width = others.first().map_or(0, |&arg| self.from.ty(arg).bits());
        if *op == FieldOp::Lookup {
            words = (0..width).map(|bit| self.terms.extract(words[0], bit, 1)).collect();
        }
        Ok(Slice { elements, words, width, ..self.nothing(Meaning::Operation(op)) })
    }

    /// The number that the words of an element spell in one lane.
    fn number(&self, value: Value, lane: usize) -> Result<Number, String> {
        let terms = self.terms_of(value)?;
        let positions = self.limb_map.positions_of(self.from.ty(value).lanes());
        let term = |lanes: &Lanes<Term>| lanes.get(lane).copied().ok_or_else(|| format!("{value} has no lane {lane}"));
        let words = terms.iter().zip(positions).map(|(lanes, &position)| Ok((term(lanes)?, position)));
        let words = words.collect::<Result<_, String>>()?;
        let most = self.limb_map.is_reduced.then(|| self.largest());
        Ok(Number { words, most, is_mirrored: self.limb_map.is_mirrored })
    }

    /// Proves the claims about intermediate numbers, one after the other.
    fn stages(&mut self, inst: Inst, slices: &mut [Slice<'m>], cursor: &mut Cursor<'m>) -> Result<(), String> {
        let limb_map = self.limb_map;
        let stages = limb_map.stages.get(&inst.0).map_or(&[][..], |stages| &stages[..]);
        let op = &self.from.inst(inst).op;
        if !stages.is_empty() && matches!(op, Op::Field(FieldOp::Select | FieldOp::Lookup)) {
            return Err("a choice has no numbers on the way".to_owned());
        }
        stages.iter().try_for_each(|stage| self.stage(slices, stage, cursor))
    }

    /// Proves the claim about an intermediate number in each lane, and makes the number an unknown.
    fn stage(&mut self, slices: &mut [Slice<'m>], stage: &'m Stage, cursor: &mut Cursor<'m>) -> Result<(), String> {
        let mut ranges = Vec::new();
        for (word, _) in &stage.words {
            self.advance(word.value, cursor)?;
            ranges.push(checked_range(word.range.as_ref())?);
        }
        for (lane, slice) in slices.iter().enumerate() {
            let number = self.stage_number(stage, lane)?;
            let claim = match stage.part {
                Part::Result => Claim::Result,
                Part::Operand(place) => match slice.elements.get(place as usize) {
                    Some(Some(_)) => Claim::Operand(place as usize),
                    _ => return Err(format!("operand {place} is no element")),
                },
            };
            self.prove((slice, claim), &number, &ranges)?;
        }
        let words: Vec<Word> = stage.words.iter().map(|(word, _)| word.clone()).collect();
        self.settle(&words, &ranges);
        for (lane, slice) in slices.iter_mut().enumerate() {
            let number = self.stage_number(stage, lane)?;
            match stage.part {
                Part::Result => slice.result = Some(number),
                Part::Operand(place) => slice.elements[place as usize] = Some(number),
            }
        }
        Ok(())
    }

    fn stage_number(&self, stage: &Stage, lane: usize) -> Result<Number, String> {
        let word = |(word, position): &(Word, u32)| match self.term(word.value)?.get(lane) {
            Some(&term) => Ok((term, *position)),
            None => Err(format!("{} has no lane {lane}", word.value)),
        };
        let words = stage.words.iter().map(word).collect::<Result<Vec<_>, String>>()?;
        let most = stage.below.clone().map(|below| BigInt::from(below) - 1);
        Ok(Number { words, most, is_mirrored: self.limb_map.is_mirrored })
    }

    /// Whether each word of the result is the choice among the operands' words: then the number is the choice among the
    /// operands' numbers, and has their bounds.
    fn is_choice(&mut self, slice: &Slice<'_>, out: &Number, ranges: &[Interval]) -> bool {
        let op = match slice.meaning {
            Meaning::Operation(op @ (FieldOp::Select | FieldOp::Lookup)) => op,
            _ => return false,
        };
        let entries: Vec<&Number> = slice.elements.iter().flatten().collect();
        out.words.iter().zip(ranges).enumerate().all(|(index, (&(word, _), range))| {
            let own: Vec<Term> = entries.iter().map(|entry| entry.words[index].0).collect();
            let zero = self.terms.zero(self.terms.bits(word));
            let fits = own.iter().chain([&zero]).all(|&term| self.range(term).within(range));
            fits && slice.chosen(op, &mut self.terms, own, zero) == word
        })
    }

    /// The largest number that is a canonical form.
    fn largest(&self) -> BigInt {
        match self.field {
            FieldKind::Prime(modulus) => BigInt::from(modulus.clone()) - 1,
            FieldKind::Binary(polynomial) => power_of_two(polynomial.bits() as u32 - 1) - 1,
        }
    }

    /// Proves that the words of a number are in their ranges, that the number is in its own, and that the claim about
    /// it holds.
    fn prove(
        &mut self,
        (slice, claim): (&Slice<'_>, Claim),
        number: &Number,
        ranges: &[Interval],
    ) -> Result<(), String> {
        match self.field {
            FieldKind::Prime(prime) => self.prove_integers(prime, (slice, claim), number, ranges),
            FieldKind::Binary(modulus) => polynomials::prove(&self.terms, modulus, (slice, claim), number, ranges),
        }
    }
}

impl Slice<'_> {
    /// Describes the claim about the words, for messages.
    pub fn claim(&self) -> String {
        match self.meaning {
            Meaning::Operation(op) => format!("the words are `{}` of the operands", op.name()),
            Meaning::Same => "the words are those of the operand".to_owned(),
        }
    }

    /// Returns the entry that the condition, or the bits of the index, choose; zero if there is none.
    fn chosen(&self, op: &FieldOp, terms: &mut Terms, mut entries: Vec<Term>, zero: Term) -> Term {
        if *op == FieldOp::Select {
            return terms.select(self.words[0], entries[0], entries[1]);
        }
        let mut left = self.words.iter();
        while entries.len() > 1
            && let Some(&bit) = left.next()
        {
            let halves = entries.chunks(2);
            let halves = halves.map(|pair| terms.select(bit, pair.get(1).copied().unwrap_or(zero), pair[0]));
            entries = halves.collect();
        }
        let beyond = left.copied().reduce(|a, b| terms.or(a, b));
        beyond.map_or(entries[0], |beyond| terms.select(beyond, zero, entries[0]))
    }
}
