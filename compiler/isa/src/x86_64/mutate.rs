//! Damaged code to test a prover: single flipped bits, and instructions that are almost right.

use iced_x86::{Encoder, Instruction, OpKind, Register};

/// Bytes that replace the same number of bytes at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// The damage in words: the instruction before and after.
    pub what: String,
}

/// A mutant of the code of a function at `address`. `choose(n)` returns a number below `n`. `None` if the choices lead
/// to no mutant.
pub fn mutant(code: &[u8], address: u64, choose: &mut dyn FnMut(usize) -> usize) -> Option<Mutant> {
    if code.is_empty() {
        return None;
    }
    if choose(3) == 0 {
        return Some(flipped(code, address, choose));
    }
    let instructions = instructions(code, address);
    let old = *instructions.get(choose(instructions.len().max(1)))?;
    let new = match choose(5) {
        0 => None,
        1 => Some(swapped(old)?),
        2 => Some(moved(old, choose)?),
        3 => Some(other_immediate(old, choose)?),
        _ => Some(other_register(old, choose)?),
    };
    let mut bytes = match &new {
        Some(new) => encoded(new)?,
        None => Vec::new(),
    };
    if bytes.len() > old.len() {
        return None;
    }
    const NOP: u8 = 0x90;
    bytes.resize(old.len(), NOP);
    let text = |i: &Instruction| super::Instruction::from(*i).to_string();
    let what = format!("{} became {}", text(&old), new.map_or_else(|| "nothing".into(), |new| text(&new)));
    let start = (old.ip() - address) as usize;
    (bytes != code[start..start + old.len()]).then_some(Mutant { address: old.ip(), bytes, what })
}

fn flipped(code: &[u8], address: u64, choose: &mut dyn FnMut(usize) -> usize) -> Mutant {
    let (at, bit) = (choose(code.len()), choose(8));
    Mutant {
        address: address + at as u64,
        bytes: vec![code[at] ^ 1 << bit],
        what: format!("bit {bit} of byte {at:#x} flipped"),
    }
}

/// The instructions in sequence, up to the first bytes that are none.
fn instructions(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let mut at = 0;
    while let Ok(instruction) = super::decode(&code[at..], address + at as u64) {
        instructions.push(*instruction.decoded());
        at += instruction.length();
    }
    instructions
}

fn encoded(instruction: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(instruction, instruction.ip()).ok()?;
    Some(encoder.take_buffer())
}

fn registers(instruction: &Instruction) -> Vec<u32> {
    (0..instruction.op_count()).filter(|&i| instruction.op_kind(i) == OpKind::Register).collect()
}

/// The instruction with its last two register operands exchanged. With three operands, these are its sources.
fn swapped(mut instruction: Instruction) -> Option<Instruction> {
    let [.., a, b] = registers(&instruction)[..] else { return None };
    let (first, second) = (instruction.op_register(a), instruction.op_register(b));
    instruction.set_op_register(a, second);
    instruction.set_op_register(b, first);
    Some(instruction)
}

/// The instruction with its memory operand one element higher or lower.
fn moved(mut instruction: Instruction, choose: &mut dyn FnMut(usize) -> usize) -> Option<Instruction> {
    if instruction.memory_base() == Register::None {
        return None;
    }
    let element = instruction.memory_size().size().max(1) as u64;
    let displacement = instruction.memory_displacement64();
    let other = if choose(2) == 0 { displacement.wrapping_add(element) } else { displacement.wrapping_sub(element) };
    instruction.set_memory_displacement64(other);
    if instruction.memory_displ_size() == 0 {
        instruction.set_memory_displ_size(1);
    }
    Some(instruction)
}

/// The instruction with an immediate, such as the amount of a shift, increased or decreased by one.
fn other_immediate(mut instruction: Instruction, choose: &mut dyn FnMut(usize) -> usize) -> Option<Instruction> {
    let is_immediate = |i: &u32| instruction.op_kind(*i) == OpKind::Immediate8;
    let operand = (0..instruction.op_count()).find(is_immediate)?;
    let value = instruction.immediate8();
    let other = if choose(2) == 0 { value.wrapping_add(1) } else { value.wrapping_sub(1) };
    instruction.set_immediate_u64(operand, u64::from(other));
    Some(instruction)
}

/// The instruction with a register operand replaced by the next register.
fn other_register(mut instruction: Instruction, choose: &mut dyn FnMut(usize) -> usize) -> Option<Instruction> {
    let operands = registers(&instruction);
    let operand = *operands.get(choose(operands.len().max(1)))?;
    let register = instruction.op_register(operand);
    let next = Register::try_from(register as usize + 1).ok()?;
    if next.size() != register.size() || next.is_gpr() != register.is_gpr() {
        return None;
    }
    instruction.set_op_register(operand, next);
    Some(instruction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `vpsrlw ymm0, ymm1, 4; vpxor ymm0, ymm1, [rsi+32]; vpandn ymm0, ymm1, ymm2; ret`
    const CODE: [u8; 15] = [0xc5, 0xfd, 0x71, 0xd1, 0x04, 0xc5, 0xf5, 0xef, 0x46, 0x20, 0xc5, 0xf5, 0xdf, 0xc2, 0xc3];

    #[test]
    fn every_kind_is_met_and_differs() {
        let mut state = 1u64;
        let mut choose = |limit: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % limit
        };
        let mutants: Vec<Mutant> = (0..400).filter_map(|_| mutant(&CODE, 0x1000, &mut choose)).collect();
        for mutant in &mutants {
            let at = (mutant.address - 0x1000) as usize;
            assert_ne!(CODE[at..at + mutant.bytes.len()], mutant.bytes[..], "{}", mutant.what);
        }
        for what in [
            "vpsrlw ymm0,ymm1,4 became vpsrlw ymm0,ymm1,5",
            "vpxor ymm0,ymm1,[rsi+20h] became vpxor ymm0,ymm1,[rsi+40h]",
            "vpxor ymm0,ymm1,[rsi+20h] became nothing",
            "vpandn ymm0,ymm1,ymm2 became vpandn ymm0,ymm2,ymm1",
            "vpandn ymm0,ymm1,ymm2 became vpandn ymm0,ymm1,ymm3",
        ] {
            assert!(mutants.iter().any(|mutant| mutant.what == what), "{what}");
        }
        assert!(mutants.iter().any(|mutant| mutant.bytes.len() == 1 && mutant.what.contains("flipped")));
    }
}
