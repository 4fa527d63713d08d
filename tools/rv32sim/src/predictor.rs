//! The E31's prediction of branches, as the SiFive E31 manual and the open Rocket core describe it: a buffer of 28 targets (BTB), a
//! table of 512 directions (BHT) with 8 bits of history, and a stack of 6 return addresses (RAS).

use crate::instruction::{Instruction, Operation};

const TARGETS: usize = 28;
const DIRECTIONS: usize = 512;
const RETURNS: usize = 6;

/// An instruction that has jumped, and its target.
#[derive(Debug, Clone, Copy)]
struct Jump {
    pc: u32,
    target: u32,
}

/// A pc that no instruction has.
const NOWHERE: u32 = 1;

#[derive(Debug)]
pub(crate) struct Predictor {
    targets: [Jump; TARGETS],
    /// The place of `targets` that is overwritten next.
    oldest: usize,
    /// The place of `targets` that was found last.
    last: usize,
    was_taken: [bool; DIRECTIONS],
    /// The directions of the last 8 branches, the last one lowest.
    history: u32,
    returns: Vec<u32>,
}

/// A branch or a jump, and where it has gone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) pc: u32,
    pub(crate) next: u32,
    pub(crate) is_taken: bool,
}

const fn is_link(register: u8) -> bool {
    register == 1 || register == 5
}

impl Predictor {
    pub(crate) fn new() -> Self {
        Self {
            targets: [Jump { pc: NOWHERE, target: 0 }; TARGETS],
            oldest: 0,
            last: 0,
            was_taken: [false; DIRECTIONS],
            history: 0,
            returns: Vec::with_capacity(RETURNS),
        }
    }

    /// Learns from an outcome, and says whether it was predicted.
    #[inline]
    pub(crate) fn predicts(&mut self, instruction: &Instruction, outcome: Outcome) -> bool {
        let is_jump = matches!(instruction.operation, Operation::Jal | Operation::Jalr);
        let is_return = instruction.operation == Operation::Jalr && instruction.rd == 0 && is_link(instruction.rs1);
        let found = self.find(outcome.pc);
        let direction = self.direction(outcome.pc);
        let predicted = found.filter(|_| is_jump || self.was_taken[direction]).map(|place| {
            let top = self.returns.last().filter(|_| is_return);
            *top.unwrap_or(&self.targets[place].target)
        });
        let is_right = predicted == outcome.is_taken.then_some(outcome.next);
        if !is_jump && (found.is_some() || outcome.is_taken) {
            self.was_taken[direction] = outcome.is_taken;
            self.history = (self.history << 1 | u32::from(outcome.is_taken)) & 0xff;
        }
        if is_return {
            self.returns.pop();
        }
        if is_jump && is_link(instruction.rd) {
            self.call(outcome.pc.wrapping_add(u32::from(instruction.length)));
        }
        if outcome.is_taken && !is_right && !(is_return && found.is_some()) {
            self.learn(found, outcome);
        }
        is_right
    }

    fn find(&mut self, pc: u32) -> Option<usize> {
        if self.targets[self.last].pc != pc {
            self.last = self.targets.iter().position(|jump| jump.pc == pc)?;
        }
        Some(self.last)
    }

    fn direction(&self, pc: u32) -> usize {
        let hashed_history = (221 * self.history) >> 5 & 7;
        let word = pc >> 2;
        ((word ^ (word >> 9 & 3) ^ hashed_history << 6) as usize) % DIRECTIONS
    }

    fn call(&mut self, back: u32) {
        if self.returns.len() == RETURNS {
            self.returns.remove(0);
        }
        self.returns.push(back);
    }

    fn learn(&mut self, found: Option<usize>, outcome: Outcome) {
        if let Some(place) = found {
            self.targets[place].target = outcome.next;
        } else {
            self.targets[self.oldest] = Jump { pc: outcome.pc, target: outcome.next };
            self.oldest = (self.oldest + 1) % TARGETS;
        }
    }
}
