//! Attempts to prove something about a function: one for each assumption about the stack pointer at its entry.

use std::time::Instant;

use culet_image::Image;

use crate::decoded::Decoded;
use crate::execute::{Execution, Frame, Knowledge, Pause};
use crate::rejection::{Rejection, rejected};
use crate::symbolic::Symbolic;
use crate::theorem::{Argument, Limits, Proved};

/// All attempts at one function of an image.
pub(crate) struct Attempts<'i> {
    entry: u64,
    decoded: Decoded<'i>,
    limits: Limits,
    start: Instant,
}

/// A function under one assumption about the stack pointer.
pub(crate) struct Attempt<'d, 'i> {
    pub entry: u64,
    pub decoded: &'d mut Decoded<'i>,
    pub frame: Frame,
}

impl<'i> Attempts<'i> {
    /// Returns the attempts at the function of this name.
    ///
    /// # Errors
    ///
    /// If there is no such function.
    pub fn of(image: &'i Image, symbol: &str, limits: &Limits) -> Result<Attempts<'i>, Rejection> {
        let function = image.function(symbol).ok_or_else(|| Rejection::no_function(image, symbol))?;
        Ok(Attempts::at(image, function.address, limits))
    }

    /// Returns the attempts at the function at this address.
    pub fn at(image: &'i Image, entry: u64, limits: &Limits) -> Attempts<'i> {
        Attempts { entry, decoded: Decoded::new(image), limits: *limits, start: Instant::now() }
    }

    /// Tries a function under the alignment of the stack pointer that the ABI promises; if that is too little, under
    /// each finer alignment by itself.
    pub fn in_every_phase(
        &mut self,
        mut attempt: impl FnMut(&mut Attempt<'_, 'i>) -> Result<Proved, Rejection>,
    ) -> Result<Proved, Rejection> {
        // The System V ABI promises 16-byte alignment before the return address is pushed.
        let mut attempts = |alignment: u64| {
            let phases = (8..alignment as i64).step_by(16);
            let all = phases.map(|phase| attempt(&mut self.attempt(phase, alignment)));
            all.collect::<Result<Vec<_>, _>>()
        };
        let mut proofs = attempts(16);
        for alignment in [32, 64] {
            // A stack pointer that the function aligns itself is known only if its alignment at the entry is.
            if proofs.as_ref().is_err_and(Rejection::is_unknown_address) {
                proofs = attempts(alignment);
            }
        }
        let proofs = proofs?;
        let mut proved = proofs[0].clone();
        proved.phases = proofs.len();
        for proof in &proofs[1..] {
            proved.add(proof);
        }
        Ok(proved)
    }

    fn attempt(&mut self, phase: i64, stack_alignment: u64) -> Attempt<'_, 'i> {
        let Limits { stack, instructions, budget, until, .. } = self.limits;
        let frame = Frame { phase, stack_alignment, stack, steps: instructions, gates: budget.gates, until };
        Attempt { entry: self.entry, decoded: &mut self.decoded, frame }
    }

    /// Completes the result of a proof.
    pub fn finish(self, proved: Proved, arguments: Vec<Argument>) -> Proved {
        let mut proved = Proved { arguments, is_fixed: self.decoded.image.is_fixed(), ..proved };
        proved.reliance.add(&self.decoded.reliance);
        proved.code = self.decoded.bytes();
        proved.time = self.start.elapsed();
        proved
    }
}

impl<'i> Attempt<'_, 'i> {
    /// Returns the attempt with a limit that does not count the gates that exist already.
    pub fn beside(&mut self, gates: usize) -> Attempt<'_, 'i> {
        let frame = Frame { gates: self.frame.gates + gates, ..self.frame.clone() };
        Attempt { entry: self.entry, decoded: self.decoded, frame }
    }

    /// Continues an execution to the return, or to the address `until`.
    pub fn run<V: Symbolic>(
        &mut self,
        values: &mut V,
        execution: &mut Execution<'_, V::Word>,
        knowledge: &mut dyn Knowledge<V>,
        until: Option<u64>,
    ) -> Result<Pause, Rejection> {
        let paused = execution.run(values, self.decoded, knowledge, until, &self.frame);
        paused.map_err(|violation| rejected(self.decoded.image, violation))
    }
}
