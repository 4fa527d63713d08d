//! Copies and fills of memory: `movs` and `stos`, repeated or not.
//!
//! The number of repetitions and the addresses must be known, as for every access. The direction flag is clear, as
//! calling conventions require, and nothing sets it: `std` has no meaning here.

use super::machine::{Machine, Memory, Outcome, Stop};
use super::{Instruction, State};
use crate::Values;
use iced_x86::{OpKind, Register};

/// The number of repetitions of an instruction, as far as it is known; 1 if it does not repeat.
pub fn repetitions<V: Values>(values: &V, state: &State<V::Word>, instruction: &Instruction) -> u64 {
    let decoded = instruction.decoded();
    if !decoded.is_string_instruction() || !decoded.has_rep_prefix() {
        return 1;
    }
    values.known(64, &state.general[Register::RCX.number()]).unwrap_or(1)
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// Whether the mnemonic means a string instruction: `movsd` is also a move of floating point.
    pub fn is_string(&self) -> bool {
        self.instruction.decoded().is_string_instruction()
    }

    /// `movs`: copies from the address in rsi to that in rdi.
    pub fn copy_string(&mut self, bits: u32) -> Outcome<(), V, M> {
        if self.instruction.decoded().op1_kind() != OpKind::MemorySegRSI {
            return Err(self.unsupported("only addresses of 64 bits have a meaning here"));
        }
        for _ in 0..self.repetitions()? {
            let source = self.read_register(Register::RSI, 64)?;
            let word = self.memory.load(self.values, &source, bits / 8, 1).map_err(Stop::Fault)?;
            self.store_string(bits, &word)?;
            self.advance(Register::RSI, bits)?;
        }
        Ok(())
    }

    /// `stos`: stores the accumulator at the address in rdi.
    pub fn fill_string(&mut self, accumulator: Register) -> Outcome<(), V, M> {
        let bits = 8 * accumulator.size() as u32;
        for _ in 0..self.repetitions()? {
            let word = self.read_register(accumulator, bits)?;
            self.store_string(bits, &word)?;
        }
        Ok(())
    }

    fn store_string(&mut self, bits: u32, word: &V::Word) -> Outcome<(), V, M> {
        let target = self.read_register(Register::RDI, 64)?;
        self.memory.store(self.values, &target, bits / 8, 1, word).map_err(Stop::Fault)?;
        self.advance(Register::RDI, bits)
    }

    fn advance(&mut self, register: Register, bits: u32) -> Outcome<(), V, M> {
        let (address, bytes) = (self.read_register(register, 64)?, self.values.constant(64, u64::from(bits / 8)));
        let address = self.values.add(64, &address, &bytes);
        self.write_general(register, &address);
        Ok(())
    }

    /// The number of repetitions of the instruction. A repeated one leaves zero in rcx.
    fn repetitions(&mut self) -> Outcome<u64, V, M> {
        let decoded = *self.instruction.decoded();
        if decoded.op0_kind() != OpKind::MemoryESRDI {
            return Err(self.unsupported("only addresses of 64 bits have a meaning here"));
        }
        if decoded.has_repne_prefix() {
            return Err(self.unsupported("this prefix has no meaning here"));
        }
        if !decoded.has_rep_prefix() {
            return Ok(1);
        }
        let count = self.read_register(Register::RCX, 64)?;
        let count = self.need_known_for_access(64, &count, "how often it repeats is not known")?;
        let zero = self.values.constant(64, 0);
        self.write_general(Register::RCX, &zero);
        Ok(count)
    }
}
