//! A second decoder, `yaxpeax-x86`, which must read the same instruction: length, mnemonic, operands, masks.
//!
//! It misreads some opcodes, or does not know them. These are listed ([`known`]); it must agree on all others.

mod known;

pub use known::{MISREAD, UNKNOWN};

use std::fmt;

use iced_x86::{Code, Mnemonic, OpKind, Register};
use yaxpeax_arch::{AddressBase, LengthedInstruction};
use yaxpeax_x86::long_mode::{InstDecoder, MergeMode, Operand as Other, RegSpec, Segment};

use super::Instruction;

/// The two readings on which decoders disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    pub first: String,
    pub second: String,
    pub kind: DisagreementKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisagreementKind {
    /// The second decoder knows no such instruction.
    Unknown,
    /// It reads another instruction of the same length.
    SameLength,
    OtherLength,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreement { first, second, .. } = self;
        write!(f, "{first}, or {second}")
    }
}

/// The properties of an instruction on which both decoders must agree.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    length: u64,
    mnemonic: String,
    operands: Vec<Operand>,
    /// A mask register other than k0, and whether masked lanes become zero.
    mask: Option<(u8, bool)>,
    broadcast: bool,
    segment: Option<&'static str>,
    locked: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Operand {
    Register(String),
    /// A value with as many bits as the operand has according to the first decoder.
    Immediate(u64),
    /// The target of a branch.
    Target(u64),
    /// With the instruction pointer as base, the displacement is the address itself.
    Memory {
        base: String,
        index: String,
        scale: u32,
        displacement: u64,
    },
}

/// The decoders that agree on an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    Both,
    /// The second decoder is known to misread the opcode.
    FirstOnly,
}

/// Determines the decoders that read this instruction at the beginning of `bytes`.
///
/// # Errors
///
/// The two readings, if they differ in another way than is known for the opcode. Lengths must never differ.
pub fn agreement(instruction: &Instruction, bytes: &[u8]) -> Result<Agreement, Disagreement> {
    let Err(disagreement) = agree(instruction, bytes) else { return Ok(Agreement::Both) };
    let known: &[Code] = match disagreement.kind {
        DisagreementKind::Unknown => &UNKNOWN,
        DisagreementKind::SameLength => &MISREAD,
        DisagreementKind::OtherLength => &[],
    };
    if known.contains(&instruction.decoded().code()) { Ok(Agreement::FirstOnly) } else { Err(disagreement) }
}

/// Compares an instruction that was decoded from the beginning of `bytes` with the second decoder's reading of them.
///
/// # Errors
///
/// The two readings, if they differ.
pub fn agree(instruction: &Instruction, bytes: &[u8]) -> Result<(), Disagreement> {
    let first = first(instruction.decoded());
    let second = second(bytes, instruction);
    let (second, kind) = match second {
        Ok(second) if second == first => return Ok(()),
        Ok(second) if second.length == first.length => (second.to_string(), DisagreementKind::SameLength),
        Ok(second) => (second.to_string(), DisagreementKind::OtherLength),
        Err(error) => (error, DisagreementKind::Unknown),
    };
    Err(Disagreement { first: first.to_string(), second, kind })
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reading { length, mnemonic, operands, mask, broadcast, segment, locked } = self;
        write!(f, "{}{mnemonic}", if *locked { "lock " } else { "" })?;
        let names = operands.iter().map(Operand::to_string).collect::<Vec<_>>().join(",");
        write!(f, " {}{names}", segment.map_or_else(String::new, |segment| format!("{segment}:")))?;
        if let Some((mask, zeroing)) = mask {
            write!(f, "{{k{mask}}}{}", if *zeroing { "{z}" } else { "" })?;
        }
        write!(f, "{} of {length} bytes", if *broadcast { "{1to}" } else { "" })
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(name) => f.write_str(name),
            Operand::Immediate(value) | Operand::Target(value) => write!(f, "{value:#x}"),
            Operand::Memory { base, index, scale, displacement } => {
                write!(f, "[{base}+{index}*{scale}+{displacement:#x}]")
            }
        }
    }
}

fn first(decoded: &iced_x86::Instruction) -> Reading {
    let operand = |index| match decoded.op_kind(index) {
        OpKind::Register => Operand::Register(register(decoded.op_register(index))),
        OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => {
            Operand::Target(decoded.near_branch_target())
        }
        kind if immediate_bits(kind).is_some() => {
            Operand::Immediate(low(decoded.immediate(index), immediate_bits(kind)))
        }
        _ => Operand::Memory {
            base: register(decoded.memory_base()),
            index: register(decoded.memory_index()),
            scale: if decoded.memory_index() == Register::None { 1 } else { decoded.memory_index_scale() },
            displacement: decoded.memory_displacement64(),
        },
    };
    let mask = decoded.op_mask();
    Reading {
        length: decoded.len() as u64,
        mnemonic: format!("{:?}", decoded.mnemonic()).to_lowercase(),
        operands: (0..decoded.op_count()).map(operand).collect(),
        mask: (mask != Register::None).then(|| (mask.number() as u8, decoded.zeroing_masking())),
        broadcast: decoded.is_broadcast(),
        segment: match decoded.segment_prefix() {
            Register::FS => Some("fs"),
            Register::GS => Some("gs"),
            _ => None,
        },
        locked: decoded.has_lock_prefix(),
    }
}

/// The number of bits of an immediate that are compared.
fn immediate_bits(kind: OpKind) -> Option<u32> {
    match kind {
        OpKind::Immediate8 | OpKind::Immediate8_2nd => Some(8),
        OpKind::Immediate16 | OpKind::Immediate8to16 => Some(16),
        OpKind::Immediate32 | OpKind::Immediate8to32 => Some(32),
        OpKind::Immediate64 | OpKind::Immediate8to64 | OpKind::Immediate32to64 => Some(64),
        _ => None,
    }
}

fn low(value: u64, bits: Option<u32>) -> u64 {
    value & u64::MAX >> (64 - bits.unwrap_or(64))
}

/// The name of a register in assembly; empty for no register.
fn register(register: Register) -> String {
    let name = format!("{register:?}").to_lowercase();
    match name.strip_suffix('l').filter(|rest| rest.starts_with('r') && rest.len() > 1) {
        // The low bytes of r8 to r15.
        Some(rest) => format!("{rest}b"),
        None if name == "none" => String::new(),
        None => name,
    }
}

fn second(bytes: &[u8], instruction: &Instruction) -> Result<Reading, String> {
    let bytes = &bytes[..bytes.len().min(15)];
    let other = InstDecoder::default().decode_slice(bytes).map_err(|error| error.to_string())?;
    let length = 0u64.wrapping_offset(other.len());
    let next = instruction.address().wrapping_add(length);
    let decoded = instruction.decoded();
    let mut mask = None;
    let mut operands = Vec::new();
    for index in 0..other.operand_count() {
        let kind = (u32::from(index) < decoded.op_count()).then(|| decoded.op_kind(u32::from(index)));
        let (operand, masked) = reading(other.operand(index), next);
        mask = mask.or(masked.filter(|(number, _)| *number != 0));
        operands.push(match (operand, kind) {
            (Operand::Immediate(value), Some(OpKind::NearBranch64)) => Operand::Target(next.wrapping_add(value)),
            (Operand::Immediate(value), Some(kind)) => Operand::Immediate(low(value, immediate_bits(kind))),
            (operand, _) => operand,
        });
    }
    let prefixes = other.prefixes;
    for operand in &mut operands {
        // Addresses of 32 bits are sums modulo 2^32, so that the extension of the displacement does not matter.
        if let Operand::Memory { displacement, .. } = operand
            && prefixes.address_size()
        {
            *displacement = low(*displacement, Some(32));
        }
    }
    let has_memory = operands.iter().any(|operand| matches!(operand, Operand::Memory { .. }));
    // The operands of an exchange have no order.
    if decoded.mnemonic() == Mnemonic::Xchg && decoded.op_count() == 2 && operands != first(decoded).operands {
        operands.reverse();
    }
    Ok(Reading {
        length,
        mnemonic: mnemonic(&other.opcode().to_string()),
        operands,
        mask,
        broadcast: has_memory && prefixes.evex().is_some_and(|evex| evex.broadcast()),
        segment: match prefixes.segment() {
            Segment::FS => Some("fs"),
            Segment::GS => Some("gs"),
            _ => None,
        },
        locked: prefixes.lock(),
    })
}

/// An operand of the second decoder, and its mask.
fn reading(operand: Other, next: u64) -> (Operand, Option<(u8, bool)>) {
    let name = |register: RegSpec| register.name().to_owned();
    let memory = |base: Option<RegSpec>, index: Option<(RegSpec, u8)>, displacement: i64| {
        let is_relative = base.is_some_and(|base| base == RegSpec::rip() || base == RegSpec::eip());
        Operand::Memory {
            base: base.map(name).unwrap_or_default(),
            index: index.map(|(index, _)| name(index)).unwrap_or_default(),
            scale: index.map_or(1, |(_, scale)| u32::from(scale)),
            displacement: if is_relative { next.wrapping_add_signed(displacement) } else { displacement as u64 },
        }
    };
    let number = |value: i64| Operand::Immediate(value as u64);
    let masked = |mask: RegSpec, merge: MergeMode| Some((mask.num(), merge == MergeMode::Zero));
    let keeping = |mask: RegSpec| Some((mask.num(), false));
    match operand {
        Other::ImmediateI8 { imm } => (number(imm.into()), None),
        Other::ImmediateU8 { imm } => (number(imm.into()), None),
        Other::ImmediateI16 { imm } => (number(imm.into()), None),
        Other::ImmediateU16 { imm } => (number(imm.into()), None),
        Other::ImmediateI32 { imm } => (number(imm.into()), None),
        Other::ImmediateU32 { imm } => (number(imm.into()), None),
        Other::ImmediateI64 { imm } => (number(imm), None),
        Other::ImmediateU64 { imm } => (Operand::Immediate(imm), None),
        Other::Register { reg } => (Operand::Register(name(reg)), None),
        Other::RegisterMaskMerge { reg, mask, merge }
        | Other::RegisterMaskMergeSae { reg, mask, merge, .. }
        | Other::RegisterMaskMergeSaeNoround { reg, mask, merge } => {
            (Operand::Register(name(reg)), masked(mask, merge))
        }
        Other::AbsoluteU32 { addr } => (memory(None, None, i64::from(addr as i32)), None),
        Other::AbsoluteU64 { addr } => (memory(None, None, addr as i64), None),
        Other::MemDeref { base } => (memory(Some(base), None, 0), None),
        Other::Disp { base, disp } => (memory(Some(base), None, disp.into()), None),
        Other::MemIndexScale { index, scale } => (memory(None, Some((index, scale)), 0), None),
        Other::MemIndexScaleDisp { index, scale, disp } => (memory(None, Some((index, scale)), disp.into()), None),
        Other::MemBaseIndexScale { base, index, scale } => (memory(Some(base), Some((index, scale)), 0), None),
        Other::MemBaseIndexScaleDisp { base, index, scale, disp } => {
            (memory(Some(base), Some((index, scale)), disp.into()), None)
        }
        Other::MemDerefMasked { base, mask } => (memory(Some(base), None, 0), keeping(mask)),
        Other::DispMasked { base, disp, mask } => (memory(Some(base), None, disp.into()), keeping(mask)),
        Other::MemIndexScaleMasked { index, scale, mask } => (memory(None, Some((index, scale)), 0), keeping(mask)),
        Other::MemIndexScaleDispMasked { index, scale, disp, mask } => {
            (memory(None, Some((index, scale)), disp.into()), keeping(mask))
        }
        Other::MemBaseIndexScaleMasked { base, index, scale, mask } => {
            (memory(Some(base), Some((index, scale)), 0), keeping(mask))
        }
        Other::MemBaseIndexScaleDispMasked { base, index, scale, disp, mask } => {
            (memory(Some(base), Some((index, scale)), disp.into()), keeping(mask))
        }
        _ => (Operand::Register(String::from("unknown")), None),
    }
}

/// A common name for each mnemonic for which the two decoders use different names of the manual.
fn mnemonic(name: &str) -> String {
    const CONDITIONS: [(&str, &str); 4] = [("nb", "ae"), ("z", "e"), ("nz", "ne"), ("na", "be")];
    for family in ["j", "set", "cmov"] {
        let condition = name.strip_prefix(family);
        if let Some((_, usual)) = CONDITIONS.iter().find(|(other, _)| condition == Some(*other)) {
            return format!("{family}{usual}");
        }
    }
    name.to_owned()
}
