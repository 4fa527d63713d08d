//! The encoding forms of the table, and instructions of these forms.

use super::random::Random;
use crate::x86_64::mnemonics;
use iced_x86::{Code, DecoderOptions, EncodingKind, Instruction, OpCodeOperandKind as Kind, OpKind, Register};
use std::collections::BTreeSet;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masking {
    None,
    Merge,
    Zero,
}

/// An opcode and a choice of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    pub code: Code,
    /// Whether an operand that may be register or memory is memory.
    pub memory: bool,
    pub broadcast: bool,
    pub masking: Masking,
    /// Whether a string instruction is repeated.
    pub repeated: bool,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.code)?;
        let choices = [(self.memory, " memory"), (self.broadcast, " broadcast"), (self.repeated, " repeated")];
        choices.iter().filter(|(chosen, _)| *chosen).try_for_each(|(_, name)| f.write_str(name))?;
        match self.masking {
            Masking::None => Ok(()),
            Masking::Merge => f.write_str(" merge"),
            Masking::Zero => f.write_str(" zero"),
        }
    }
}

/// All forms of the mnemonics of the table in 64-bit mode.
pub fn forms() -> Vec<Form> {
    let known: BTreeSet<_> = mnemonics().collect();
    let mut all = Vec::new();
    for code in Code::values().filter(|code| known.contains(&code.mnemonic())) {
        let info = code.op_code();
        let encoded = matches!(info.encoding(), EncodingKind::Legacy | EncodingKind::VEX | EncodingKind::EVEX);
        // Forms with decoder options belong to other processors.
        let usual = info.decoder_option() == DecoderOptions::NONE;
        if !info.is_instruction() || !info.mode64() || !encoded || !usual {
            continue;
        }
        let kinds = info.op_kinds();
        let may_be_memory = kinds.iter().any(|kind| is_memory(*kind) || register_of(*kind, true).is_some());
        let may_be_register = !kinds.iter().any(|kind| is_memory(*kind));
        let mut maskings = vec![Masking::None];
        if info.can_use_op_mask_register() {
            // Some forms cannot do without a mask; the others take all kinds of masking.
            maskings.push(Masking::Merge);
            maskings.extend(info.can_use_zeroing_masking().then_some(Masking::Zero));
        }
        for masking in maskings {
            let form = Form { code, memory: false, broadcast: false, masking, repeated: false };
            all.extend(may_be_register.then_some(form));
            all.extend(kinds.contains(&Kind::es_rDI).then_some(Form { repeated: true, ..form }));
            // Lanes of memory are never zeroed.
            if masking == Masking::Zero && (is_memory(kinds[0]) || register_of(kinds[0], true).is_some()) {
                continue;
            }
            all.extend(may_be_memory.then_some(Form { memory: true, ..form }));
            all.extend(info.can_broadcast().then_some(Form { memory: true, broadcast: true, ..form }));
        }
    }
    all
}

/// The memory operand's address, as registers and a displacement.
pub(super) struct Addressing {
    pub base: Register,
    pub index: Register,
    pub scale: u32,
    pub displacement: i64,
}

/// An instruction of the form, with random registers and immediates; `None` if an operand is of a kind that is not
/// generated here.
pub(super) fn instruction(
    form: &Form,
    random: &mut Random,
    addressing: &Addressing,
    landing: u64,
) -> Option<Instruction> {
    let mut instruction = Instruction::default();
    instruction.set_code(form.code);
    for (place, kind) in form.code.op_code().op_kinds().iter().enumerate() {
        let place = place as u32;
        let as_memory = is_memory(*kind) || form.memory && register_of(*kind, true).is_some();
        if as_memory {
            instruction.set_op_kind(place, OpKind::Memory);
            instruction.set_memory_base(addressing.base);
            instruction.set_memory_index(addressing.index);
            instruction.set_memory_index_scale(addressing.scale);
            instruction.set_memory_displ_size(if addressing.base == Register::RIP { 8 } else { 1 });
            instruction.set_memory_displacement64(addressing.displacement as u64);
            instruction.set_is_broadcast(form.broadcast);
        } else if let Some(registers) = register_of(*kind, false).or_else(|| register_of(*kind, true)) {
            instruction.set_op_kind(place, OpKind::Register);
            instruction.set_op_register(place, random.pick(registers));
        } else if let Some(string) = string_operand(*kind) {
            instruction.set_op_kind(place, string);
        } else if let Some(register) = fixed_register(*kind) {
            instruction.set_op_kind(place, OpKind::Register);
            instruction.set_op_register(place, register);
        } else if let Some((op_kind, bits)) = immediate_of(*kind) {
            instruction.set_op_kind(place, op_kind);
            set_immediate(&mut instruction, op_kind, *kind, bits, random);
            // A second immediate of the same kind, which has another place in the encoding.
            if place > 0 && instruction.op_kind(place - 1) == OpKind::Immediate8 {
                instruction.set_op_kind(place, OpKind::Immediate8_2nd);
                instruction.set_immediate8_2nd(random.word() as u8);
            }
        } else if matches!(kind, Kind::br64_1 | Kind::br64_4) {
            instruction.set_op_kind(place, OpKind::NearBranch64);
            instruction.set_near_branch64(landing);
        } else {
            return None;
        }
    }
    instruction.set_has_rep_prefix(form.repeated);
    if form.masking != Masking::None {
        let mask = random.pick(&[Register::K1, Register::K2, Register::K3, Register::K5, Register::K7]);
        instruction.set_op_mask(mask);
        instruction.set_zeroing_masking(form.masking == Masking::Zero);
    }
    Some(instruction)
}

fn set_immediate(instruction: &mut Instruction, op_kind: OpKind, kind: Kind, bits: u32, random: &mut Random) {
    let value = match kind {
        Kind::imm8_const_1 => 1,
        _ if bits == 64 => random.word(),
        // The value keeps its sign when it is extended.
        _ => (random.word() << (64 - bits)) as i64 as u64 >> (64 - bits),
    };
    let signed = ((value << (64 - bits)) as i64) >> (64 - bits);
    match op_kind {
        OpKind::Immediate8 => instruction.set_immediate8(value as u8),
        OpKind::Immediate16 => instruction.set_immediate16(value as u16),
        OpKind::Immediate32 => instruction.set_immediate32(value as u32),
        OpKind::Immediate64 => instruction.set_immediate64(value),
        OpKind::Immediate8to16 => instruction.set_immediate8to16(signed as i16),
        OpKind::Immediate8to32 => instruction.set_immediate8to32(signed as i32),
        OpKind::Immediate8to64 => instruction.set_immediate8to64(signed),
        _ => instruction.set_immediate32to64(signed),
    }
}

fn immediate_of(kind: Kind) -> Option<(OpKind, u32)> {
    Some(match kind {
        Kind::imm8 | Kind::imm8_const_1 => (OpKind::Immediate8, 8),
        Kind::imm8sex16 => (OpKind::Immediate8to16, 8),
        Kind::imm8sex32 => (OpKind::Immediate8to32, 8),
        Kind::imm8sex64 => (OpKind::Immediate8to64, 8),
        Kind::imm16 => (OpKind::Immediate16, 16),
        Kind::imm32 => (OpKind::Immediate32, 32),
        Kind::imm32sex64 => (OpKind::Immediate32to64, 32),
        Kind::imm64 => (OpKind::Immediate64, 64),
        _ => return None,
    })
}

fn is_memory(kind: Kind) -> bool {
    matches!(kind, Kind::mem) || indices_of(kind).is_some()
}

/// The vector registers that can index the memory operand of a form, and the width of an index in bits.
pub(super) fn vector_indices(form: &Form) -> Option<(&'static [Register], u32)> {
    let (registers, bits) = form.code.op_code().op_kinds().iter().find_map(|kind| indices_of(*kind))?;
    // Only EVEX can encode the upper sixteen registers.
    let of_any = form.code.encoding() == EncodingKind::EVEX;
    let low = registers.iter().take_while(|register| of_any || register.number() < 16).count();
    Some((&registers[..low], bits))
}

fn indices_of(kind: Kind) -> Option<(&'static [Register], u32)> {
    Some(match kind {
        Kind::mem_vsib32x => (XMM, 32),
        Kind::mem_vsib32y => (YMM, 32),
        Kind::mem_vsib32z => (ZMM, 32),
        Kind::mem_vsib64x => (XMM, 64),
        Kind::mem_vsib64y => (YMM, 64),
        Kind::mem_vsib64z => (ZMM, 64),
        _ => return None,
    })
}

/// The kind of memory operand of a string instruction.
fn string_operand(kind: Kind) -> Option<OpKind> {
    match kind {
        Kind::es_rDI => Some(OpKind::MemoryESRDI),
        Kind::seg_rSI => Some(OpKind::MemorySegRSI),
        _ => None,
    }
}

fn fixed_register(kind: Kind) -> Option<Register> {
    Some(match kind {
        Kind::al => Register::AL,
        Kind::cl => Register::CL,
        Kind::ax => Register::AX,
        Kind::dx => Register::DX,
        Kind::eax => Register::EAX,
        Kind::rax => Register::RAX,
        _ => return None,
    })
}

/// The registers of an operand that is a register, or with `or_memory` of one that may be a register or memory.
fn register_of(kind: Kind, or_memory: bool) -> Option<&'static [Register]> {
    use Kind as K;
    Some(match kind {
        K::r8_or_mem if or_memory => BYTES,
        K::r16_or_mem if or_memory => WORDS,
        K::r32_or_mem if or_memory => DOUBLES,
        K::r64_or_mem if or_memory => QUADS,
        K::xmm_or_mem if or_memory => XMM,
        K::ymm_or_mem if or_memory => YMM,
        K::zmm_or_mem if or_memory => ZMM,
        K::k_or_mem if or_memory => MASKS,
        _ if or_memory => return None,
        K::r8_reg | K::r8_opcode => BYTES,
        K::r16_reg | K::r16_rm | K::r16_opcode => WORDS,
        K::r32_reg | K::r32_rm | K::r32_opcode | K::r32_vvvv => DOUBLES,
        K::r64_reg | K::r64_rm | K::r64_opcode | K::r64_vvvv => QUADS,
        K::k_reg | K::k_rm | K::k_vvvv => MASKS,
        K::xmm_reg | K::xmm_rm | K::xmm_vvvv | K::xmm_is4 => XMM,
        K::ymm_reg | K::ymm_rm | K::ymm_vvvv | K::ymm_is4 => YMM,
        K::zmm_reg | K::zmm_rm | K::zmm_vvvv => ZMM,
        _ => return None,
    })
}

macro_rules! registers {
    ($name:ident: $($register:ident)*) => {
        const $name: &[Register] = &[$(Register::$register),*];
    };
}

registers! { BYTES: AL CL DL BL AH CH DH BH SIL DIL R8L R13L R15L }
registers! { WORDS: AX CX DX BX BP SI DI R8W R12W R15W }
registers! { DOUBLES: EAX ECX EDX EBX EBP ESI EDI R8D R12D R15D }
registers! { QUADS: RAX RCX RDX RBX RBP RSI RDI R8 R12 R13 R15 }
registers! { MASKS: K0 K1 K2 K3 K4 K5 K6 K7 }
registers! { XMM: XMM0 XMM1 XMM2 XMM5 XMM7 XMM8 XMM13 XMM15 XMM16 XMM21 XMM31 }
registers! { YMM: YMM0 YMM1 YMM2 YMM5 YMM7 YMM8 YMM13 YMM15 YMM16 YMM21 YMM31 }
registers! { ZMM: ZMM0 ZMM1 ZMM2 ZMM5 ZMM7 ZMM8 ZMM13 ZMM15 ZMM16 ZMM21 ZMM31 }
