//! Jumps, calls and returns.

use super::machine::{Machine, Memory, Next, Outcome};
use crate::Values;
use iced_x86::{Code, OpKind, Register};

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    pub fn jump(&mut self) -> Outcome<Next<V::Word>, V, M> {
        Ok(Next::Jump(self.target()?))
    }

    pub fn jump_on_condition(&mut self) -> Outcome<Next<V::Word>, V, M> {
        let condition = self.condition()?;
        Ok(Next::Branch { condition, taken: self.near_target()? })
    }

    /// `jrcxz` and `jecxz`
    pub fn jump_on_zero_counter(&mut self, counter: Register) -> Outcome<Next<V::Word>, V, M> {
        let bits = 8 * counter.size() as u32;
        let word = self.read_register(counter, bits)?;
        let zero = self.values.constant(bits, 0);
        let condition = self.values.equal(bits, &word, &zero);
        Ok(Next::Branch { condition, taken: self.near_target()? })
    }

    pub fn call(&mut self) -> Outcome<Next<V::Word>, V, M> {
        let target = self.target()?;
        let return_address = self.instruction.next_address();
        let word = self.memory.return_address(self.values, self.instruction);
        self.push(&word)?;
        Ok(Next::Call { target, return_address })
    }

    /// `ret`, with or without a number of bytes to drop from the stack.
    pub fn ret(&mut self) -> Outcome<Next<V::Word>, V, M> {
        if !matches!(self.instruction.decoded().code(), Code::Retnq | Code::Retnq_imm16) {
            return Err(self.unsupported("only jumps to 64-bit addresses have a meaning here"));
        }
        let address = self.pop()?;
        if self.is_immediate(0) {
            let dropped = self.read_bits(0, 16)?;
            let dropped = self.values.zero_extend(64, 16, &dropped);
            let stack = self.read_register(Register::RSP, 64)?;
            let stack = self.values.add(64, &stack, &dropped);
            self.write_general(Register::RSP, &stack);
        }
        Ok(Next::Return { address })
    }

    fn target(&mut self) -> Outcome<V::Word, V, M> {
        if self.instruction.decoded().op_kind(0) == OpKind::NearBranch64 {
            let target = self.near_target()?;
            return Ok(self.memory.displaced(self.values, self.instruction, target));
        }
        if self.bits(0) != 64 {
            return Err(self.unsupported("only jumps to 64-bit addresses have a meaning here"));
        }
        self.read(0)
    }

    fn near_target(&self) -> Outcome<u64, V, M> {
        match self.instruction.decoded().op_kind(0) {
            OpKind::NearBranch64 => Ok(self.instruction.decoded().near_branch64()),
            _ => Err(self.unsupported("only jumps to 64-bit addresses have a meaning here")),
        }
    }
}
