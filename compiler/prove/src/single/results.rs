//! Comparison of an execution's results with those of the program: on samples, and for all inputs.

use std::ops::Range;

use culet_term::Term;

use super::samples::{self, SAMPLES};
use super::{Kind, OnWords, Operand, Part, Reading, contents};
use crate::attempt::Attempt;
use crate::call::Library;
use crate::effort::words::SCREENED;
use crate::execute::Execution;
use crate::memory::RegionId;
use crate::rejection::{At, Given, Rejection};
use crate::symbolic::Symbolic;
use crate::theorem::Argument;
use crate::unknown::Stage;

/// Number of bytes that are compared at once.
const WORD: i64 = 8;

/// A word of a result: the term that is there, and the term that must be.
struct Claim {
    /// The argument, by its index.
    operand: usize,
    offset: i64,
    found: Term,
    expected: Term,
}

/// The results that are compared.
pub(super) struct Compared {
    /// Bytes of results of any length, by their places in the whole result. The region of the result begins with the
    /// first.
    pub bytes: Range<i64>,
    /// Whether the other results are compared, too.
    pub is_end: bool,
}

impl<'i> OnWords<'i, '_> {
    /// Runs short executions on the inputs of samples, without proofs: most errors show there, too. If such an
    /// execution cannot be followed, neither can the one on unknown words, which says why: it is tried with no words
    /// looked up.
    pub(super) fn screen(
        &mut self,
        attempt: &mut Attempt<'_, 'i>,
        length: i64,
        reading: &Reading,
    ) -> Result<(), Rejection> {
        let attempt = &mut attempt.beside(self.cuts.gates());
        attempt.frame.steps = attempt.frame.steps.min(SCREENED);
        let library = &mut Library::new(self.image, Stage::Entry);
        for sample in samples::KINDS {
            let (regions, outcome) = self.run(attempt, (length, Some(sample)), library);
            match outcome {
                Ok(mut finished) => {
                    let all = Compared { bytes: 0..length, is_end: true };
                    let claims = self.claims(&mut finished, &regions, (reading, &all));
                    let samples = (sample..sample + 1, Some(length));
                    self.try_samples(attempt, &mut finished, &regions, &claims, samples)?;
                }
                Err(why) if why.is_too_long() => return Ok(()),
                Err(_) => {
                    self.cuts.is_looking_up = false;
                    let (_, outcome) = self.run(attempt, (length, None), library);
                    self.cuts.is_looking_up = true;
                    return outcome.err().filter(|why| !why.is_too_long()).map_or(Ok(()), Err);
                }
            }
        }
        Ok(())
    }

    /// Checks that results are what the program computes. If the length is known, a sample that shows the contrary is
    /// reported as the inputs of a call.
    pub(super) fn check(
        &mut self,
        attempt: &mut Attempt<'_, 'i>,
        finished: &mut Execution<'i>,
        regions: &[Option<RegionId>],
        (reading, compared): (&Reading, Compared),
        length: Option<i64>,
    ) -> Result<(), Rejection> {
        let claims = self.claims(finished, regions, (reading, &compared));
        self.try_samples(attempt, finished, regions, &claims, (0..SAMPLES, length))?;
        for claim in &claims {
            let is_right = self.cuts.is(claim.found, claim.expected)
                || self.ranges.is_empty() && self.cuts.is_in_gates(claim.found, claim.expected);
            if !is_right {
                return Err(self.open(claim));
            }
        }
        Ok(())
    }

    fn claims(
        &mut self,
        finished: &mut Execution<'i>,
        regions: &[Option<RegionId>],
        (reading, compared): (&Reading, &Compared),
    ) -> Vec<Claim> {
        let mut claims = Vec::new();
        let written = self.operands.iter().enumerate().filter(|(_, operand)| operand.argument.is_written);
        for ((operand, Operand { kind, .. }), expected) in written.zip(&reading.results) {
            let Some(region) = regions[operand] else { continue };
            let expected: Vec<Term> = expected.iter().flatten().copied().collect();
            let (bytes, expected) = match *kind {
                Kind::Words { bytes, .. } if compared.is_end => (bytes, &expected[..]),
                Kind::Made { .. } => {
                    let of_result = |place: i64| (place.max(0) as usize).min(expected.len());
                    (1, &expected[of_result(compared.bytes.start)..of_result(compared.bytes.end)])
                }
                _ => continue,
            };
            let words = expected.chunks((WORD / i64::from(bytes)) as usize);
            for (offset, expected) in (0..).step_by(WORD as usize).zip(words) {
                let expected = self.cuts.terms.concat(expected);
                let bytes = self.cuts.terms.bits(expected) / 8;
                let found = finished.memory.get(&mut self.cuts, region, offset, bytes);
                claims.push(Claim { operand, offset, found, expected });
            }
        }
        claims
    }

    /// Returns an error if a result differs on the inputs of one of these samples.
    fn try_samples(
        &mut self,
        attempt: &mut Attempt<'_, 'i>,
        finished: &mut Execution<'i>,
        regions: &[Option<RegionId>],
        claims: &[Claim],
        (samples, length): (Range<usize>, Option<i64>),
    ) -> Result<(), Rejection> {
        for claim in claims {
            let (found, expected) = (self.cuts.values(claim.found), self.cuts.values(claim.expected));
            let Some(sample) = samples.clone().find(|&sample| found[sample] != expected[sample]) else { continue };
            let Some(length) = length else { return Err(self.open(claim)) };
            let region = regions[claim.operand];
            return Err(self.different(claims, claim, sample, length, |byte| {
                let writer = region.and_then(|region| finished.memory.region(region).writers.last(byte));
                writer.map(|address| attempt.decoded.place(address))
            }));
        }
        Ok(())
    }

    /// Returns the rejection for a word of a result that is not proved.
    fn open(&self, claim: &Claim) -> Rejection {
        let last = claim.offset + i64::from(self.cuts.terms.bits(claim.expected)) / 8 - 1;
        let name = &self.operands[claim.operand].name;
        let rest = format!("{} words of the program were found on the way", self.cuts.found);
        Rejection::Open {
            claim: format!("{} to {last} of the bytes of {name} = those of the program", claim.offset),
            rest,
        }
    }

    /// Returns the rejection for a word of a result that differs on the inputs of a sample.
    fn different(
        &mut self,
        claims: &[Claim],
        claim: &Claim,
        sample: usize,
        length: i64,
        mut writer: impl FnMut(i64) -> Option<At>,
    ) -> Rejection {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for claim in claims.iter().filter(|other| other.operand == claim.operand) {
            let bytes = self.cuts.terms.bits(claim.expected) as usize / 8;
            for (term, contents) in [(claim.found, &mut found), (claim.expected, &mut expected)] {
                contents.extend(&self.cuts.values(term)[sample].to_le_bytes()[..bytes]);
            }
        }
        let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        let byte = wrong.unwrap_or(claim.offset as usize) as u64;
        let writer = writer(byte as i64);
        let detail = match &writer {
            Some(writer) => format!("it was written at {writer}"),
            None => "nothing was written there".to_owned(),
        };
        let (mut given, mut values) = (Vec::new(), Vec::new());
        for index in 0..self.operands.len() {
            let held = self.given(index, sample, length);
            let Argument { name, is_written, .. } = &self.operands[index].argument;
            if !is_written {
                values.push((name.clone(), held.digits()));
            }
            given.push((name.clone(), held));
        }
        Rejection::Different {
            result: claim.operand,
            byte,
            expected: expected.into(),
            found: found.into(),
            detail,
            writer: writer.map(Box::new),
            values: values.into(),
            given: given.into(),
        }
    }

    /// Returns the value of an argument in a sample; memory of zeros if the argument is a result.
    fn given(&mut self, index: usize, sample: usize, length: i64) -> Given {
        let Operand { argument, kind, name, .. } = &self.operands[index];
        let (bytes, count) = match *kind {
            Kind::Words { bytes, count } => (bytes, i64::from(count)),
            Kind::Stream => (1, length),
            Kind::Made { block } => (1, Part::whole(length).in_blocks(block)),
            Kind::Length => return Given::Word(length as u64),
        };
        let mut memory = Vec::new();
        if !argument.is_written {
            let words = contents(&mut self.cuts.terms, (index, name), bytes, 0..count);
            for values in self.cuts.terms.evaluate(&words, self.cuts.sample(sample)) {
                memory.extend(&values[0].to_le_bytes()[..bytes as usize]);
            }
        }
        memory.resize((count * i64::from(bytes)) as usize, 0);
        Given::Memory(memory)
    }
}
