//! The theorem about a function on registers, and about the functions that pack and unpack registers: its code computes
//! what the source means, and breaks no rule on the way.

use std::collections::{BTreeSet, HashSet};

use culet_decide::bits::Verdict;
use culet_image::Image;
use culet_term::{Assignment, Input, Terms};
use culet_types::program::Var;

use crate::arguments::Arguments;
use crate::attempt::{Attempt, Attempts};
use crate::call::Library;
use crate::decoded::Decoded;
use crate::erasure;
use crate::execute::{Execution, passed};
use crate::memory::RegionId;
use crate::rejection::{Given, Rejection};
use crate::samples::{Samples, digits_of};
use crate::source::{Contents, Form, Specification};
use crate::symbolic::Symbolic;
use crate::theorem::{Argument, Limits, Proved, Purpose};
use crate::unknown::{Area, Stage};
use crate::wires::Wires;

/// Proves one function of an image, or says why not.
pub fn prove(
    image: &Image,
    symbol: &str,
    specification: &Specification,
    purpose: Purpose,
    limits: &Limits,
) -> Result<Proved, Rejection> {
    Statement::new(image, symbol, specification, purpose)?.prove(image, limits)
}

/// A word in a result's memory, the word that must be there, and its place.
#[derive(Clone)]
struct Claim<W> {
    pair: (W, W),
    /// The argument, by its index.
    placed: usize,
    byte: u64,
}

/// A statement about a function that is to be proved, with what earlier attempts found out. It serves for other code in the
/// function's place, too.
pub enum Statement<'i, 's> {
    /// A function that computes bitwise on registers: one circuit stands for all bits of a register.
    Registers(Box<StatementIn<'i, 's, Terms>>),
    /// Any other function, which is compared bit for bit.
    Bits(Box<StatementIn<'i, 's, Wires>>),
}

/// An argument, and what its memory holds.
struct Held<'s, W> {
    argument: Argument,
    region: RegionId,
    /// The variable that it holds, the form, and whether the variable is a result; `None` for scratch memory.
    variable: Option<(&'s Var, Form, bool)>,
    /// Contents at the entry, if the argument is read.
    contents: Option<Contents<W>>,
}

/// A statement in words of one kind.
pub struct StatementIn<'i, 's, V: Symbolic> {
    image: &'i Image,
    entry: u64,
    specification: &'s Specification<'s>,
    purpose: Purpose<'s>,
    values: V,
    arguments: Arguments<'i, V::Word>,
    /// The contents of the arguments, in order.
    held: Vec<Held<'s, V::Word>>,
    /// Contents that results must have, in order; empty until the first execution is over.
    expected: Vec<Contents<V::Word>>,
    /// Pairs of words that are equal. Executions that differ only in the stack pointer mostly end in the same words.
    equal: HashSet<(V::Word, V::Word)>,
    samples: Samples<V::Word>,
}

impl<'i, 's> Statement<'i, 's> {
    /// States the theorem about the function of this name.
    ///
    /// # Errors
    ///
    /// If there is no such function.
    pub fn new(
        image: &'i Image,
        symbol: &str,
        specification: &'s Specification<'s>,
        purpose: Purpose<'s>,
    ) -> Result<Self, Rejection> {
        Ok(match purpose {
            Purpose::Sliced if specification.is_bitsliced() => {
                Statement::Registers(Box::new(StatementIn::new(Terms::new(), image, symbol, specification, purpose)?))
            }
            _ => Statement::Bits(Box::new(StatementIn::new(Wires::default(), image, symbol, specification, purpose)?)),
        })
    }

    /// Proves the theorem about the function in `code`, which is the image or differs from it in code only.
    ///
    /// # Errors
    ///
    /// The reason why it is not proved.
    pub fn prove(&mut self, code: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        match self {
            Statement::Registers(statement) => statement.prove(code, limits),
            Statement::Bits(statement) => statement.prove(code, limits),
        }
    }

    /// Returns the number of terms and gates made so far.
    pub fn size(&self) -> usize {
        match self {
            Statement::Registers(statement) => statement.size(),
            Statement::Bits(statement) => statement.size(),
        }
    }
}

impl<'i, 's, V: Symbolic> StatementIn<'i, 's, V> {
    fn new(
        values: V,
        image: &'i Image,
        symbol: &str,
        specification: &'s Specification<'s>,
        purpose: Purpose<'s>,
    ) -> Result<Self, Rejection> {
        let function = image.function(symbol).ok_or_else(|| Rejection::no_function(image, symbol))?;
        let mut values = values;
        let arguments = Arguments::new(image, values.terms_mut());
        let mut statement = StatementIn {
            image,
            entry: function.address,
            specification,
            purpose,
            values,
            arguments,
            held: Vec::new(),
            expected: Vec::new(),
            equal: HashSet::new(),
            samples: Samples::default(),
        };
        match purpose {
            Purpose::Sliced => {
                for (var, is_result) in specification.variables() {
                    statement.argument(var, Form::Registers, is_result, is_result);
                }
            }
            Purpose::Pack(var) | Purpose::PackWith(var, _) => {
                statement.argument(var, Form::Registers, false, true);
                statement.argument(var, Form::Bytes, false, false);
            }
            Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => {
                statement.argument(var, Form::Bytes, true, true);
                statement.argument(var, Form::Registers, true, false);
            }
        }
        if let Purpose::PackWith(_, bytes) | Purpose::UnpackWith(_, bytes) = purpose {
            statement.scratch(bytes);
        }
        Ok(statement)
    }

    fn prove(&mut self, code: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        let mut attempts = Attempts::at(code, self.entry, limits);
        let proved = attempts.in_every_phase(|attempt| self.run(attempt, limits))?;
        let arguments = self.held.iter().map(|held| held.argument.clone()).collect();
        Ok(attempts.finish(proved, arguments))
    }

    fn size(&self) -> usize {
        self.values.terms().len() + self.values.gates()
    }

    /// Adds an argument, with the memory that it points to.
    fn argument(&mut self, var: &'s Var, form: Form, is_result: bool, is_written: bool) {
        let bytes = self.specification.bytes(var, form, is_result);
        let alignment = self.specification.alignment(form);
        let name = match form {
            Form::Bytes => format!("bytes of {}", var.name),
            Form::Registers => format!("registers of {}", var.name),
        };
        let area = Area::Argument(self.held.len());
        let terms = self.values.terms_mut();
        let region = self.arguments.add_pointer(terms, (area, &name), bytes as i64, alignment, is_written);
        let contents = (!is_written).then(|| self.specification.unknown(&mut self.values, var, form, is_result));
        if let Some(contents) = &contents {
            let step = i64::from(contents.granule / 8);
            for (index, word) in (0..).zip(&contents.words) {
                self.arguments.memory.set(&mut self.values, region, index * step, word.clone());
            }
        }
        let layout = self.specification.layout_text(var, form, is_result);
        let place = passed(self.held.len());
        let argument = Argument { name, place, is_word: false, bytes, alignment, is_written, layout };
        self.held.push(Held { argument, region, variable: Some((var, form, is_result)), contents });
    }

    /// Adds scratch memory as the last argument: it may be written, and nothing is expected of it.
    fn scratch(&mut self, bytes: u64) {
        let (name, alignment) = ("scratch memory".to_owned(), self.specification.alignment(Form::Registers));
        let (area, terms) = (Area::Argument(self.held.len()), self.values.terms_mut());
        let region = self.arguments.add_pointer(terms, (area, &name), bytes as i64, alignment, true);
        let (place, layout) = (passed(self.held.len()), String::new());
        let argument = Argument { name, place, is_word: false, bytes, alignment, is_written: true, layout };
        self.held.push(Held { argument, region, variable: None, contents: None });
    }

    /// Proves one execution, under one assumption about the stack pointer.
    fn run(&mut self, attempt: &mut Attempt, limits: &Limits) -> Result<Proved, Rejection> {
        // Gates that were made for other code do not count.
        let attempt = &mut attempt.beside(self.values.gates());
        let mut library = Library::new(self.image, Stage::Entry);
        let mut finished = self.arguments.enter(&mut self.values, attempt, []);
        attempt.run(&mut self.values, &mut finished, &mut library, None)?;
        if self.expected.is_empty() {
            self.expect();
        }
        let claims = self.claims(&mut finished);
        let pairs: Vec<_> = claims.iter().map(|claim| claim.pair.clone()).collect();
        if let Some((output, inputs)) = self.samples.difference(&self.values, &pairs) {
            return Err(self.different(&claims, output, &inputs, &finished, attempt.decoded));
        }
        let comparison = self.values.compare(&pairs, &limits.budget);
        match comparison.verdict {
            Verdict::Equal(_) => self.equal.extend(pairs),
            Verdict::Different { output, counterexample } => {
                return Err(self.different(&claims, output, &counterexample, &finished, attempt.decoded));
            }
            Verdict::Undecided { output, reason } => {
                let Claim { placed, byte, .. } = claims[output];
                let argument = self.held[placed].argument.name.clone();
                return Err(Rejection::Undecided { argument, byte, reason });
            }
        }
        if limits.erasure {
            let results = self.results(&mut finished);
            erasure::check(&mut self.values, attempt.decoded, &mut finished, &attempt.frame, &results)?;
        }
        let proved = Proved::of(&self.values, finished, &attempt.frame, limits.erasure);
        Ok(Proved { statistics: comparison.statistics, ..proved })
    }

    /// Computes the words that the written arguments must hold.
    fn expect(&mut self) {
        let contents: Vec<_> = self.held.iter().filter_map(|placed| placed.contents.clone()).collect();
        let values = &mut self.values;
        self.expected = match self.purpose {
            Purpose::Sliced => self.specification.run(values, Form::Registers, &contents),
            Purpose::Pack(var) | Purpose::PackWith(var, _) => {
                vec![self.specification.convert(values, var, false, &contents[0], Form::Bytes)]
            }
            Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => {
                vec![self.specification.convert(values, var, true, &contents[0], Form::Registers)]
            }
        };
    }

    /// Returns the bytes in the results' memory; scratch memory is no result.
    fn results(&mut self, finished: &mut Execution<V::Word>) -> Vec<V::Word> {
        let is_result = |placed: &&Held<V::Word>| placed.argument.is_written && placed.variable.is_some();
        let written = self.held.iter().filter(is_result);
        let read = |placed: &Held<V::Word>| {
            (0..placed.argument.bytes as i64).map(|at| (placed.region, at)).collect::<Vec<_>>()
        };
        let places: Vec<(RegionId, i64)> = written.flat_map(read).collect();
        places.into_iter().map(|(region, at)| finished.memory.get(&mut self.values, region, at, 1)).collect()
    }

    /// Returns each word in the results' memory with the word that must be there, except pairs that are known to be
    /// equal.
    fn claims(&mut self, finished: &mut Execution<V::Word>) -> Vec<Claim<V::Word>> {
        let mut claims = Vec::new();
        let written = self.held.iter().enumerate().filter(|(_, placed)| placed.argument.is_written);
        for ((index, placed), expected) in written.zip(&self.expected) {
            let mut offset = 0;
            for word in &expected.words {
                let bytes = self.values.width(word) / 8;
                let actual = finished.memory.get(&mut self.values, placed.region, offset as i64, bytes);
                let pair = (actual, word.clone());
                if !self.equal.contains(&pair) {
                    claims.push(Claim { pair, placed: index, byte: offset });
                }
                offset += u64::from(bytes);
            }
        }
        claims
    }

    /// Returns a rejection with the lowest byte in which two words differ for these inputs, the place that wrote it,
    /// and the inputs.
    fn different(
        &self,
        claims: &[Claim<V::Word>],
        wrong: usize,
        inputs: &Assignment,
        finished: &Execution<V::Word>,
        decoded: &mut Decoded,
    ) -> Rejection {
        let claim = &claims[wrong];
        let (found, expected) = &claim.pair;
        let values = self.values.evaluate(&[found.clone(), expected.clone()], inputs);
        let value = |limbs: &[u64], index: usize| (limbs[index / 8] >> (8 * (index % 8))) as u8;
        let bytes = self.values.width(found) as usize / 8;
        let at = (0..bytes).find(|&at| value(&values[0], at) != value(&values[1], at)).unwrap_or_default();
        let (found_byte, expected_byte) = (value(&values[0], at), value(&values[1], at));
        let byte = claim.byte + at as u64;
        let Held { region, variable, .. } = &self.held[claim.placed];
        let first = 8 * byte + u64::from((found_byte ^ expected_byte).trailing_zeros());
        let bit = variable.and_then(|(var, form, is_result)| self.specification.bit_at(var, form, is_result, first));
        let bit = bit.unwrap_or_else(|| "a bit that holds nothing".to_owned());
        let writer = finished.memory.region(*region).writers.last(byte as i64).map(|address| decoded.place(address));
        let detail = match &writer {
            Some(writer) => format!("{bit} is wrong; it was written at {writer}"),
            None => format!("{bit} is wrong; nothing was written there"),
        };
        let made_of: BTreeSet<Input> =
            [found, expected].into_iter().flat_map(|word| self.values.inputs_of(word)).collect();
        let terms = self.values.terms();
        let shown = |&input| Some((terms.name(input).to_owned(), digits_of(terms, input, inputs.get(input)?)));
        let (found, expected) = self.contents_of(claim.placed, claims, inputs);
        Rejection::Different {
            result: claim.placed,
            byte,
            expected: expected.into(),
            found: found.into(),
            detail,
            writer: writer.map(Box::new),
            values: made_of.iter().filter_map(shown).collect(),
            given: self.held.iter().map(|placed| self.memory_of(placed, inputs)).collect(),
        }
    }

    /// Returns the contents that a result has for these inputs, and those that it must have. They are equal where there
    /// is no claim.
    fn contents_of(&self, placed: usize, claims: &[Claim<V::Word>], inputs: &Assignment) -> (Vec<u8>, Vec<u8>) {
        let bytes = |words: &[V::Word]| -> Vec<u8> {
            let values = words.iter().zip(self.values.evaluate(words, inputs));
            let bytes_of = |(word, limbs): (&V::Word, Box<[u64]>)| {
                let all = limbs.iter().flat_map(|limb| limb.to_le_bytes());
                all.take(self.values.width(word) as usize / 8).collect::<Vec<u8>>()
            };
            values.flat_map(bytes_of).collect()
        };
        let place = self.held[..placed].iter().filter(|held| held.argument.is_written).count();
        let expected = self.expected.get(place).map_or_else(Vec::new, |contents| bytes(&contents.words));
        let mut found = expected.clone();
        for claim in claims.iter().filter(|claim| claim.placed == placed) {
            let word = bytes(std::slice::from_ref(&claim.pair.0));
            if let Some(place) = found.get_mut(claim.byte as usize..claim.byte as usize + word.len()) {
                place.copy_from_slice(&word);
            }
        }
        (found, expected)
    }

    /// Returns an argument's name, and the contents of its memory before the call for these inputs.
    fn memory_of(&self, placed: &Held<V::Word>, inputs: &Assignment) -> (String, Given) {
        let Argument { name, bytes, .. } = &placed.argument;
        let words = placed.contents.as_ref().map_or(&[][..], |contents| &contents.words);
        let mut memory = Vec::new();
        for (word, limbs) in words.iter().zip(self.values.evaluate(words, inputs)) {
            let all = limbs.iter().flat_map(|limb| limb.to_le_bytes());
            memory.extend(all.take(self.values.width(word) as usize / 8));
        }
        memory.resize(*bytes as usize, 0);
        (name.clone(), Given::Memory(memory))
    }
}
