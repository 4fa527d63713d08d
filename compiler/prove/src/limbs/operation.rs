//! What operations on elements mean, as equations between the integers that words spell.

use culet_ir::field::Sign;
use culet_ir::{FieldOp, Inst, InstData, Lanes, Op, Origin, Part, Stage, Value, Word};
use culet_term::{Node, Term, Terms};
use num_bigint::BigInt;
use num_traits::One;

use super::walk::{Cursor, Walk, checked_range};
use crate::field::{Algebra, Effort, Goal, GoalKind, Interval, Polynomial, power_of_two, prove};

/// A number: words, and the power of two that each counts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    words: Vec<(Term, u32)>,
    /// The number is at most this.
    most: Option<BigInt>,
}

/// What the result of an instruction is.
#[derive(Clone, Copy)]
enum Meaning<'s> {
    Operation(&'s FieldOp),
    /// The one operand.
    Same,
}

/// One lane of an instruction, and the numbers that it is about.
struct Slice<'s> {
    meaning: Meaning<'s>,
    /// What stands before the product of two elements: R, or 1.
    factor: BigInt,
    /// By the place among the operands; none where an operand is a word.
    elements: Vec<Option<Number>>,
    /// Operands that are words, and of how many bits they are; of an index its bits.
    words: Vec<Term>,
    width: u32,
    /// A number that is known to be the result, modulo the prime.
    result: Option<Number>,
}

impl<'m> Walk<'m> {
    /// Proves that the words which hold the result of an operation are what it means, and makes them unknowns. What is said of
    /// numbers on the way is proved first, and these are unknowns from there on.
    pub(super) fn operation(&mut self, inst: Inst, op: &'m FieldOp, cursor: &mut Cursor<'m>) -> Result<(), String> {
        let data = self.from.inst(inst);
        let holding = self.holding;
        let lanes = 0..self.from.ty(data.results[0]).lanes() as usize;
        let mut slices = lanes.map(|lane| self.slice(data, op, lane)).collect::<Result<Vec<_>, _>>()?;
        let stages = holding.stages.get(&inst.0).map_or(&[][..], |stages| &stages[..]);
        if !stages.is_empty() && matches!(op, FieldOp::Select | FieldOp::Lookup) {
            return Err("a choice has no numbers on the way".to_owned());
        }
        for stage in stages {
            self.stage(&mut slices, stage, cursor)?;
        }
        if *op == FieldOp::Unpack {
            self.advance_to_results(data, cursor)?;
            self.compared.operations += 1;
            let slice = slices.swap_remove(0);
            let width = self.from.ty(data.results[0]).bits();
            let terms = data.results.iter().map(|&result| self.word_of(result)).collect::<Result<Vec<_>, _>>()?;
            let out = Number {
                words: terms.into_iter().zip((0..).map(|k| k * width)).collect(),
                most: Some(&self.modulus - 1),
            };
            self.prove(&slice, &out, &[], &|algebra| slice.unpacked(algebra, &out))?;
            for &result in &data.results {
                self.forget(self.held(result)?[0].value);
            }
            return Ok(());
        }
        self.element(data, slices, cursor)
    }

    /// Proves that each lane of the words that hold an element is what it means, and makes them unknowns.
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
                self.prove(&slice, &out, &ranges, &|algebra| slice.equation(algebra, &out))?;
            }
        }
        self.settle(words, &ranges);
        Ok(())
    }

    /// Elements in other lanes.
    pub(super) fn arrangement(&mut self, data: &'m InstData, cursor: &mut Cursor<'m>) -> Result<(), String> {
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
        self.element(data, slices, cursor)
    }

    /// What an element side by side with others is. If it was read from words, its limbs may be made of these.
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

    /// Words that were just proved to be in these ranges: unknowns from now on.
    fn settle(&mut self, words: &[Word], ranges: &[Interval]) {
        self.note(words, ranges);
        self.forget_element(words, ranges);
    }

    fn nothing(&self, meaning: Meaning<'m>) -> Slice<'m> {
        let factor = self.holding.factor.clone().into();
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
        let positions = self.holding.positions_of(self.from.ty(value).lanes());
        let term = |lanes: &Lanes<Term>| lanes.get(lane).copied().ok_or_else(|| format!("{value} has no lane {lane}"));
        let words = terms.iter().zip(positions).map(|(lanes, &position)| Ok((term(lanes)?, position)));
        let words = words.collect::<Result<_, String>>()?;
        Ok(Number { words, most: self.holding.is_reduced.then(|| &self.modulus - 1) })
    }

    /// A number on the way, in each lane.
    fn stage(&mut self, slices: &mut [Slice<'m>], stage: &'m Stage, cursor: &mut Cursor<'m>) -> Result<(), String> {
        let mut ranges = Vec::new();
        for (word, _) in &stage.words {
            self.advance(word.value, cursor)?;
            ranges.push(checked_range(word.range.as_ref())?);
        }
        for (lane, slice) in slices.iter().enumerate() {
            let number = self.stage_number(stage, lane)?;
            match stage.part {
                Part::Result => self.prove(slice, &number, &ranges, &|algebra| match slice.meaning {
                    Meaning::Operation(FieldOp::Unpack) => slice.unpacked(algebra, &number),
                    _ => slice.equation(algebra, &number),
                })?,
                Part::Operand(place) => {
                    let Some(Some(operand)) = slice.elements.get(place as usize) else {
                        return Err(format!("operand {place} is no element"));
                    };
                    let same = |algebra: &mut Algebra| number.value(algebra).minus(&operand.value(algebra));
                    self.prove(slice, &number, &ranges, &same)?;
                }
            }
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
        Ok(Number { words, most: stage.below.clone().map(|below| BigInt::from(below) - 1) })
    }

    /// Whether each word of the result is the choice among those of the operands: then so is the number, and it has their bounds.
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

    /// The words of a number in their ranges, the number in its own, and that it is zero modulo the prime what the equation gives.
    fn prove(
        &mut self,
        slice: &Slice<'_>,
        number: &Number,
        ranges: &[Interval],
        equation: &dyn Fn(&mut Algebra) -> Polynomial,
    ) -> Result<(), String> {
        let own: Vec<Term> = number.words.iter().map(|&(word, _)| word).collect();
        let given = slice.elements.iter().flatten().chain(&slice.result).flat_map(|number| &number.words);
        let roots: Vec<Term> = own.iter().chain(given.map(|(word, _)| word)).chain(&slice.words).copied().collect();
        let mut goals = Vec::new();
        for (index, (&word, range)) in own.iter().zip(ranges).enumerate() {
            goals.push(Goal {
                name: format!("word {index} is from {:#x} to {:#x}", range.low, range.high),
                roots: vec![word],
                polynomial: Box::new(move |algebra| algebra.evaluate(&[word]).swap_remove(0)),
                kind: GoalKind::Within(range.clone()),
            });
        }
        if let Some(most) = &number.most {
            goals.push(Goal {
                name: format!("the number is at most {most:#x}"),
                roots: own.clone(),
                polynomial: Box::new(|algebra| number.value(algebra)),
                kind: GoalKind::Within(Interval::new(0, most.clone())),
            });
        }
        goals.push(Goal {
            name: match slice.meaning {
                Meaning::Operation(op) => format!("the words are `{}` of the operands", op.name()),
                Meaning::Same => "the words are those of the operand".to_owned(),
            },
            roots: roots.clone(),
            polynomial: Box::new(equation),
            kind: GoalKind::Zero { modulus: self.modulus.clone() },
        });
        let setup = |algebra: &mut Algebra| self.set_up(algebra, slice, &roots);
        let cases = prove(&self.terms, &setup, &goals, Effort::OPERATION)
            .map_err(|open| format!("it is not proved that {}: {}", open.goal, open.rest))?;
        self.compared.cases += cases;
        Ok(())
    }

    /// The words of operands in their ranges, and the numbers in theirs.
    fn set_up(&self, algebra: &mut Algebra, slice: &Slice<'_>, roots: &[Term]) {
        for term in self.terms.cone(roots) {
            let range = self.ranges.get(&term).filter(|_| matches!(self.terms.node(term), Node::Input(_)));
            if let Some(range) = range {
                algebra.limb(term, &format!("t{}", term.index()), range.clone());
            }
        }
        let numbers: Vec<&Number> = slice.elements.iter().flatten().chain(&slice.result).collect();
        for (index, number) in numbers.iter().enumerate() {
            let (Some(most), Some(&(lowest, 0))) = (&number.most, number.words.first()) else { continue };
            // The same words twice are one number.
            if self.ranges.contains_key(&lowest) && !numbers[..index].contains(number) {
                let whole = number.value(algebra);
                algebra.relate(&format!("x{index}"), &whole, Interval::new(0, most.clone()));
            }
        }
    }
}

impl Number {
    fn value(&self, algebra: &mut Algebra) -> Polynomial {
        let terms: Vec<Term> = self.words.iter().map(|&(word, _)| word).collect();
        let mut sum = Polynomial::zero();
        for (value, &(_, position)) in algebra.evaluate(&terms).iter().zip(&self.words) {
            sum.add_scaled(value, &power_of_two(position));
        }
        sum
    }
}

impl Slice<'_> {
    /// What is zero modulo the prime if a number is the canonical form of the operand.
    fn unpacked(&self, algebra: &mut Algebra, out: &Number) -> Polynomial {
        let out = out.value(algebra);
        match (&self.result, &self.elements[0]) {
            (Some(result), _) => out.minus(&result.value(algebra)),
            (None, Some(element)) => out.scaled(&self.factor).minus(&element.value(algebra)),
            (None, None) => Polynomial::constant(1),
        }
    }

    /// What is zero modulo the prime if a number is the result.
    fn equation(&self, algebra: &mut Algebra, out: &Number) -> Polynomial {
        let out = out.value(algebra);
        if let Some(result) = &self.result {
            return out.minus(&result.value(algebra));
        }
        let elements: Vec<Polynomial> = self.elements.iter().flatten().map(|number| number.value(algebra)).collect();
        let op = match self.meaning {
            Meaning::Operation(op) => op,
            Meaning::Same => return out.minus(&elements[0]),
        };
        match op {
            FieldOp::Const(value) => out.plus_constant(-(BigInt::from(value.clone()) * &self.factor)),
            FieldOp::Add => out.minus(&elements[0]).minus(&elements[1]),
            FieldOp::Sub => out.minus(&elements[0]).plus(&elements[1]),
            FieldOp::Neg => out.plus(&elements[0]),
            FieldOp::MulC(factor) => out.minus(&elements[0].scaled(&BigInt::from(*factor))),
            FieldOp::Sqr => out.scaled(&self.factor).minus(&algebra.product(&elements[0], &elements[0])),
            FieldOp::Mul => out.scaled(&self.factor).minus(&algebra.product(&elements[0], &elements[1])),
            FieldOp::Sop(signs) => {
                let mut rest = out.scaled(&self.factor);
                for (sign, pair) in signs.iter().zip(elements.chunks(2)) {
                    let weight = if *sign == Sign::Plus { -BigInt::one() } else { BigInt::one() };
                    rest.add_scaled(&algebra.product(&pair[0], &pair[1]), &weight);
                }
                rest
            }
            FieldOp::Select => {
                let condition = algebra.evaluate(&self.words).swap_remove(0);
                out.minus(&algebra.selection(&condition, &elements[0], &elements[1]))
            }
            FieldOp::Pack => out.minus(&self.spelled(algebra).scaled(&self.factor)),
            // Its words are chosen one by one; see `is_choice`.
            FieldOp::Lookup | FieldOp::Unpack | FieldOp::Inv => Polynomial::constant(1),
        }
    }

    /// What packed words spell.
    fn spelled(&self, algebra: &mut Algebra) -> Polynomial {
        let mut sum = Polynomial::zero();
        for (index, value) in (0..).zip(algebra.evaluate(&self.words)) {
            sum.add_scaled(&value, &power_of_two(index * self.width));
        }
        sum
    }

    /// The entry that the condition, or the bits of the index, choose; zero where there is none.
    fn chosen(&self, op: &FieldOp, terms: &mut Terms, mut entries: Vec<Term>, zero: Term) -> Term {
        if *op == FieldOp::Select {
            return terms.select(self.words[0], entries[0], entries[1]);
        }
        for &bit in &self.words {
            let halves = entries.chunks(2);
            let halves = halves.map(|pair| terms.select(bit, pair.get(1).copied().unwrap_or(zero), pair[0]));
            entries = halves.collect();
        }
        entries[0]
    }
}
