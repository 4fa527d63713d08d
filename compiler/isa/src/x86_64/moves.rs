//! Moves between general registers, memory and the stack.

use super::flags::condition;
use super::machine::{Filled, Machine, Memory, Outcome, Stop};
use crate::Values;
use iced_x86::Register;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    pub fn mov(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        if bits == 32
            && self.register(0).is_gpr()
            && let Some(address) = self.memory.linked(self.values, self.instruction, Filled::WholeImmediate)
        {
            self.write_general(self.register(0).full_register(), &address);
            return Ok(());
        }
        let word = self.read_bits(1, bits)?;
        self.write(0, &word)
    }

    pub fn move_zero_extended(&mut self) -> Outcome<(), V, M> {
        let word = self.read(1)?;
        let word = self.values.zero_extend(self.bits(0), self.bits(1), &word);
        self.write(0, &word)
    }

    pub fn move_sign_extended(&mut self) -> Outcome<(), V, M> {
        let word = self.read(1)?;
        let word = self.values.sign_extend(self.bits(0), self.bits(1), &word);
        self.write(0, &word)
    }

    /// `cmov`. The destination is written whether the condition holds or not, and its upper half is zeroed at 32 bits.
    pub fn conditional_move(&mut self) -> Outcome<(), V, M> {
        let holds = self.condition()?;
        let (old, new) = (self.read(0)?, self.read(1)?);
        let word = self.values.select(self.bits(0), &holds, &new, &old);
        self.write(0, &word)
    }

    pub fn set_on_condition(&mut self) -> Outcome<(), V, M> {
        let holds = self.condition()?;
        let word = self.values.zero_extend(8, 1, &holds);
        self.write(0, &word)
    }

    /// The instruction's condition, as one bit.
    pub fn condition(&mut self) -> Outcome<V::Word, V, M> {
        let code = self.instruction.decoded().condition_code();
        condition(self.values, &self.state.flags, code).map_err(Stop::UndefinedRead)
    }

    /// `xchg` between registers. The form with memory is a locked access, whatever its prefixes.
    pub fn exchange(&mut self) -> Outcome<(), V, M> {
        if self.is_memory(0) || self.is_memory(1) {
            return Err(self.unsupported("locked accesses have no meaning here"));
        }
        let (first, second) = (self.read(0)?, self.read(1)?);
        self.write(0, &second)?;
        self.write(1, &first)
    }

    pub fn byte_swap(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let word = self.read(0)?;
        let swapped = match bits {
            16 => self.values.undefined(16),
            _ => self.bytes_reversed(bits, &word),
        };
        self.write(0, &swapped)
    }

    /// `movbe`
    pub fn move_byte_swapped(&mut self) -> Outcome<(), V, M> {
        let word = self.read(1)?;
        let swapped = self.bytes_reversed(self.bits(1), &word);
        self.write(0, &swapped)
    }

    fn bytes_reversed(&mut self, bits: u32, word: &V::Word) -> V::Word {
        let mut bytes = self.values.split(bits, word, 8);
        bytes.reverse();
        self.values.join(8, &bytes)
    }

    /// `lea`: the address, truncated to the width of the register.
    pub fn load_address(&mut self) -> Outcome<(), V, M> {
        let address = self.low_address(self.bits(0))?;
        self.write(0, &address)
    }

    pub fn push_operand(&mut self) -> Outcome<(), V, M> {
        if !self.is_immediate(0) && self.bits(0) != 64 {
            return Err(self.unsupported("only words of 64 bits are pushed here"));
        }
        if self.instruction.decoded().stack_pointer_increment() != -8 {
            return Err(self.unsupported("only words of 64 bits are pushed here"));
        }
        let word = self.read_bits(0, 64)?;
        self.push(&word)
    }

    pub fn pop_operand(&mut self) -> Outcome<(), V, M> {
        if self.bits(0) != 64 {
            return Err(self.unsupported("only words of 64 bits are popped here"));
        }
        // An address that uses rsp is formed after the increment, which is the order of the operations here (volume 2,
        // "POP").
        let word = self.pop()?;
        self.write(0, &word)
    }

    pub fn leave(&mut self) -> Outcome<(), V, M> {
        if self.instruction.decoded().code() != iced_x86::Code::Leaveq {
            return Err(self.unsupported("only words of 64 bits are popped here"));
        }
        let frame = self.read_register(Register::RBP, 64)?;
        self.write_general(Register::RSP, &frame);
        let caller_frame = self.pop()?;
        self.write_general(Register::RBP, &caller_frame);
        Ok(())
    }

    pub fn push(&mut self, word: &V::Word) -> Outcome<(), V, M> {
        let stack = self.read_register(Register::RSP, 64)?;
        // Adding 2^64 - 8 keeps the stack pointer in the form of a base plus a constant.
        let below = self.values.constant(64, 8u64.wrapping_neg());
        let stack = self.values.add(64, &stack, &below);
        self.memory.store(self.values, &stack, 8, 1, word).map_err(Stop::Fault)?;
        self.write_general(Register::RSP, &stack);
        Ok(())
    }

    pub fn pop(&mut self) -> Outcome<V::Word, V, M> {
        let stack = self.read_register(Register::RSP, 64)?;
        let word = self.memory.load(self.values, &stack, 8, 1).map_err(Stop::Fault)?;
        let eight = self.values.constant(64, 8);
        let stack = self.values.add(64, &stack, &eight);
        self.write_general(Register::RSP, &stack);
        Ok(word)
    }

    /// `cbw`, `cwde`, `cdqe`: sign-extends the lower half of the accumulator to the whole.
    pub fn extend_accumulator(&mut self, register: Register) -> Outcome<(), V, M> {
        let bits = 8 * register.size() as u32;
        let half = self.read_register(register, bits / 2)?;
        let word = self.values.sign_extend(bits, bits / 2, &half);
        self.write_general(register, &word);
        Ok(())
    }

    /// `cwd`, `cdq`, `cqo`: copies the sign of the accumulator to every bit of `high`.
    pub fn spread_sign(&mut self, accumulator: Register, high: Register) -> Outcome<(), V, M> {
        let bits = 8 * accumulator.size() as u32;
        let word = self.read_register(accumulator, bits)?;
        let sign = self.values.extract(bits, &word, bits - 1, 1);
        let word = self.values.broadcast_bit(bits, &sign);
        self.write_general(high, &word);
        Ok(())
    }
}
