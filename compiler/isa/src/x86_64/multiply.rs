//! Products of general registers.

use super::flags::Flag;
use super::machine::{Machine, Memory, Outcome};
use crate::Values;
use iced_x86::Register;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `mul`: the product of rax and the operand goes to rdx:rax, or to the corresponding registers of another width.
    pub fn multiply(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (accumulator, _) = accumulators(bits);
        let a = self.read_register(accumulator, bits)?;
        let b = self.read(0)?;
        let (low, high) = self.values.mul_wide(bits, &a, &b);
        self.write_product(bits, &low, &high);
        self.forget_flags();
        self.state.flags.carry = Flag::IsNonzero(bits, high.clone());
        self.state.flags.overflow = Flag::IsNonzero(bits, high);
        Ok(())
    }

    pub fn multiply_signed(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let [a, b] = match self.instruction.decoded().op_count() {
            1 => [self.read_register(accumulators(bits).0, bits)?, self.read(0)?],
            2 => [self.read(0)?, self.read(1)?],
            _ => [self.read(1)?, self.read_bits(2, bits)?],
        };
        if self.instruction.decoded().op_count() == 1 {
            let (wide_a, wide_b) =
                (self.values.sign_extend(2 * bits, bits, &a), self.values.sign_extend(2 * bits, bits, &b));
            let product = self.values.mul(2 * bits, &wide_a, &wide_b);
            let low = self.values.extract(2 * bits, &product, 0, bits);
            let high = self.values.extract(2 * bits, &product, bits, bits);
            self.write_product(bits, &low, &high);
        } else {
            let product = self.values.mul(bits, &a, &b);
            self.write(0, &product)?;
        }
        self.forget_flags();
        self.state.flags.carry = Flag::ProductOverflow(bits, a.clone(), b.clone());
        self.state.flags.overflow = Flag::ProductOverflow(bits, a, b);
        Ok(())
    }

    /// `mulx high, low, source`: the product of rdx and the source, without flags. If both name one register, the high
    /// half remains.
    pub fn multiply_without_flags(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read_register(Register::RDX, bits)?;
        let b = self.read(2)?;
        let (low, high) = self.values.mul_wide(bits, &a, &b);
        self.write(1, &low)?;
        self.write(0, &high)
    }

    fn write_product(&mut self, bits: u32, low: &V::Word, high: &V::Word) {
        let (low_register, high_register) = accumulators(bits);
        self.write_general(low_register, low);
        self.write_general(high_register, high);
    }
}

/// The registers for the halves of a product, low first.
fn accumulators(bits: u32) -> (Register, Register) {
    match bits {
        8 => (Register::AL, Register::AH),
        16 => (Register::AX, Register::DX),
        32 => (Register::EAX, Register::EDX),
        _ => (Register::RAX, Register::RDX),
    }
}
