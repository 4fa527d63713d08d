//! The theorem about machine code of a program that computes one instance at a time: its results are those of the program's function
//! on words, for all parameters.
//!
//! Some words of it are limbs of elements, and what these may be was proved before ([`limbs`](crate::limbs)). It is run first, each such word becoming an unknown in its range. The machine code is then executed
//! along its one path. Wherever it computes something that has the value of such a word on a few random inputs, the two are compared: if they
//! are proved equal for all values of the unknowns, the unknown takes the place of what was computed. An
//! unknown is a word of the program by definition, so nothing depends on the order in which they are found, and no proof is larger
//! than the code between some limbs and the next. What is computed twice with other unknowns, as in the turns of a loop, is
//! proved once.
//!
//! In the end the bytes of the results are compared in the same way.

mod cuts;
mod domain;
mod equal;

use std::time::Instant;

use culet_ir::{Elements, Module, SlotKind, Type, Value};
use culet_term::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::decoded::Decoded;
use crate::erasure;
use crate::execute::{Execution, Frame, execute, passed};
use crate::field::Interval;
use crate::image::Image;
use crate::memory::{Memory, Permission, RegionId};
use crate::theorem::{Argument, Limits, Proved, Rejection, in_every_phase, rejected};
use cuts::{Cuts, SAMPLES};

/// Bytes that are compared at once.
const WORD: i64 = 8;

/// Proves the function of an image that computes what the entry of `words` does, or says why not. `ranges` says which of its values
/// are limbs, and what these are proved to be whatever the inputs ([`Compared`](crate::limbs::Compared)).
///
/// # Errors
///
/// When something is wrong with it, or cannot be followed.
pub fn prove(
    image: &Image,
    symbol: &str,
    words: &Module,
    ranges: &FxHashMap<Value, Interval>,
    limits: &Limits,
) -> Result<Proved, Rejection> {
    let start = Instant::now();
    let function = image.function(symbol).ok_or_else(|| Rejection::no_function(image, symbol))?;
    let mut trial = Trial::new(image, words, ranges, limits)?;
    let mut decoded = Decoded::new(image);
    let mut proved = in_every_phase(limits, |frame| trial.run(&mut decoded, function.address, frame, limits))?;
    proved.arguments = trial.arguments.into_iter().map(|placed| placed.argument).collect();
    proved.is_fixed = image.is_fixed();
    proved.reliance = decoded.reliance;
    proved.cases = trial.cuts.equalities.cases;
    proved.statistics = trial.cuts.equalities.statistics;
    proved.time = start.elapsed();
    Ok(proved)
}

/// An argument in memory.
struct Placed {
    argument: Argument,
    region: RegionId,
    /// What it holds before the call, of parameters, or after it, of results: words and their bytes.
    contents: Vec<Term>,
    bytes: u32,
}

/// A word of a result: what is there, and what must be.
struct Claim {
    /// The argument, by its index.
    placed: usize,
    offset: i64,
    found: Term,
    expected: Term,
}

struct Trial<'i> {
    image: &'i Image,
    cuts: Cuts,
    memory: Memory<'i>,
    arguments: Vec<Placed>,
}

impl<'i> Trial<'i> {
    fn new(
        image: &'i Image,
        words: &Module,
        ranges: &FxHashMap<Value, Interval>,
        limits: &Limits,
    ) -> Result<Trial<'i>, Rejection> {
        let mut terms = Terms::new();
        let memory = Memory::new(image, &mut terms);
        let cuts = Cuts::new(terms, limits.budget);
        let mut trial = Trial { image, cuts, memory, arguments: Vec::new() };
        let mut inputs: Vec<Elements<Term>> = Vec::new();
        for slot in &words.entry().slots {
            let is_written = match slot.kind {
                SlotKind::Input { .. } => false,
                SlotKind::Output => true,
                SlotKind::Local | SlotKind::Constants(_) => continue,
                SlotKind::Stream | SlotKind::OutStream => {
                    return Err(Rejection::Loop("streams are not known here".to_owned()));
                }
            };
            let Type::Word(bits @ (8 | 16 | 32 | 64)) = slot.element else {
                return Err(Rejection::Loop(format!("`{}` is not in bytes", slot.name)));
            };
            let contents = trial.place(&slot.name, u32::from(bits) / 8, slot.length, is_written);
            if !is_written {
                inputs.push(contents.into_iter().map(|word| vec![word]).collect());
            }
        }
        let outputs = trial.cuts.run(words, &inputs, ranges).map_err(|error| Rejection::Loop(error.to_string()))?;
        let results = trial.arguments.iter_mut().filter(|placed| placed.argument.is_written);
        for (placed, output) in results.zip(outputs) {
            placed.contents = output.into_iter().flatten().collect();
        }
        Ok(trial)
    }

    /// Memory of so many words for an argument; of a parameter, with unknown contents.
    fn place(&mut self, name: &str, bytes: u32, length: u32, is_written: bool) -> Vec<Term> {
        let terms = &mut self.cuts.terms;
        let size = u64::from(bytes) * u64::from(length);
        let permission = if is_written { Permission::Write } else { Permission::Read };
        let alignment = u64::from(bytes);
        let region = self.memory.add(terms, &format!("*{name}"), 0..size as i64, alignment, permission);
        let contents: Vec<Term> = match is_written {
            true => Vec::new(),
            false => (0..length).map(|index| terms.input(&format!("{name}[{index}]"), 8 * bytes)).collect(),
        };
        for (index, &word) in (0..).zip(&contents) {
            self.memory.set(terms, region, index * i64::from(bytes), word);
        }
        let argument = Argument {
            name: format!("bytes of {name}"),
            place: passed(self.arguments.len()),
            is_word: false,
            bytes: size,
            alignment,
            is_written,
            layout: String::new(),
        };
        self.arguments.push(Placed { argument, region, contents: contents.clone(), bytes });
        contents
    }

    /// One execution, under one assumption about the stack pointer.
    fn run(
        &mut self,
        decoded: &mut Decoded<'i>,
        entry: u64,
        frame: &Frame,
        limits: &Limits,
    ) -> Result<Proved, Rejection> {
        let terms = &mut self.cuts.terms;
        let addresses: Vec<Term> =
            self.arguments.iter().map(|placed| self.memory.address(terms, placed.region, 0)).collect();
        let mut finished = execute(&mut self.cuts, decoded, self.memory.clone(), entry, &addresses, frame)
            .map_err(|violation| rejected(self.image, violation))?;
        self.check(decoded, &mut finished)?;
        if limits.erasure {
            let words = self.arguments.iter().filter(|placed| placed.argument.is_written);
            let words: Vec<Term> = words.flat_map(|placed| placed.contents.iter().copied()).collect();
            let results: Vec<Term> = words.iter().flat_map(|word| erasure::bytes_of(&mut self.cuts, word)).collect();
            erasure::check(&mut self.cuts, &mut finished, frame, &results)?;
        }
        Ok(Proved::of(&self.cuts, finished, frame, limits))
    }

    /// Whether results are what the program computes.
    fn check(&mut self, decoded: &mut Decoded<'i>, finished: &mut Execution<'i>) -> Result<(), Rejection> {
        let mut claims = Vec::new();
        for (index, placed) in self.arguments.iter().enumerate().filter(|(_, placed)| placed.argument.is_written) {
            let per_word = (WORD / i64::from(placed.bytes)) as usize;
            for (offset, expected) in (0..).step_by(WORD as usize).zip(placed.contents.chunks(per_word)) {
                let expected = self.cuts.terms.concat(expected);
                let bytes = self.cuts.terms.bits(expected) / 8;
                let found = finished.memory.get(&mut self.cuts, placed.region, offset, bytes);
                claims.push(Claim { placed: index, offset, found, expected });
            }
        }
        for claim in &claims {
            let (found, expected) = (self.cuts.values(claim.found), self.cuts.values(claim.expected));
            if let Some(sample) = (0..SAMPLES).find(|&sample| found[sample] != expected[sample]) {
                return Err(self.different(claim, (found[sample], expected[sample]), sample, finished, decoded));
            }
        }
        for Claim { placed, offset, found, expected } in claims {
            let last = offset + i64::from(self.cuts.terms.bits(expected)) / 8 - 1;
            if !self.cuts.is(found, expected) {
                let name = &self.arguments[placed].argument.name;
                let claim = format!("{offset} to {last} of the {name} = those of the program");
                let rest = format!("{} words of the program were found on the way", self.cuts.found);
                return Err(Rejection::Open { claim, rest });
            }
        }
        Ok(())
    }

    /// A word of a result that is another one for the inputs of a sample.
    fn different(
        &self,
        claim: &Claim,
        (found, expected): (u64, u64),
        sample: usize,
        finished: &Execution<'i>,
        decoded: &mut Decoded<'i>,
    ) -> Rejection {
        let Placed { argument, region, .. } = &self.arguments[claim.placed];
        let at = (found ^ expected).trailing_zeros() / 8;
        let byte = claim.offset as u64 + u64::from(at);
        let detail = match finished.memory.region(*region).writers.last(byte as i64) {
            Some(address) => format!("it was written at {}", decoded.place(address)),
            None => "nothing was written there".to_owned(),
        };
        let memory = self.arguments.iter().map(|placed| (placed.argument.name.clone(), self.memory_of(placed, sample)));
        let memory: Vec<(String, Vec<u8>)> = memory.collect();
        let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let parameters = self.arguments.iter().zip(&memory).filter(|(placed, _)| !placed.argument.is_written);
        Rejection::Different {
            argument: argument.name.clone(),
            byte,
            expected: (expected >> (8 * at)) as u8,
            found: (found >> (8 * at)) as u8,
            detail,
            values: parameters.map(|(_, (name, bytes))| (name.clone(), digits(bytes))).collect(),
            memory,
        }
    }

    /// What an argument holds before the call in a sample; zeros if it is a result.
    fn memory_of(&self, placed: &Placed, sample: usize) -> Vec<u8> {
        let mut memory = Vec::new();
        if !placed.argument.is_written {
            for values in self.cuts.terms.evaluate(&placed.contents, self.cuts.sample(sample)) {
                memory.extend(&values[0].to_le_bytes()[..placed.bytes as usize]);
            }
        }
        memory.resize(placed.argument.bytes as usize, 0);
        memory
    }
}
