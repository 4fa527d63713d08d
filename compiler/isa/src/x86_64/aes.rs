//! Instructions of whole rounds: AES on each block of 128 bits, and SHA-256.

use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;
use crate::rounds::{Round, aes_inverse_mix_columns, aes_key_assist, aes_round, meaning};
use culet_types::program::Instruction;
use iced_x86::Register;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `aesenc` and the like; the second source is the round key.
    pub fn aes_round(&mut self, round: Round) -> Outcome<(), V, M> {
        let (bits, [state, key]) = self.vector_sources()?;
        let word =
            zip(self.values, 128, bits, [&state, &key], |values, _, block, key| aes_round(values, round, block, key));
        self.finish(128, bits, &word)
    }

    /// `aesimc`
    pub fn aes_inverse_mix_columns(&mut self) -> Outcome<(), V, M> {
        let block = self.read_bits(1, 128)?;
        let word = aes_inverse_mix_columns(self.values, &block);
        self.finish(128, 128, &word)
    }

    /// `aeskeygenassist`
    pub fn aes_key_assist(&mut self) -> Outcome<(), V, M> {
        let source = self.read_bits(1, 128)?;
        let constant = self.immediate(2)?;
        let word = aes_key_assist(self.values, &source, constant);
        self.finish(32, 128, &word)
    }

    /// `sha256rnds2` and the like: both operands are read, and for the rounds xmm0 too.
    pub fn sha256(&mut self, instruction: Instruction) -> Outcome<(), V, M> {
        let mut operands = vec![self.read_bits(0, 128)?, self.read_bits(1, 128)?];
        if instruction == Instruction::Sha256Rnds2 {
            operands.push(self.read_register(Register::XMM0, 128)?);
        }
        let word = meaning(self.values, instruction, &operands);
        self.finish(128, 128, &word)
    }
}
