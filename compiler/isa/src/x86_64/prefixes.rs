//! Prefixes that instructions do not need. Most processors ignore them, but it is not documented which ones and before
//! which instructions, and decoders differ. Therefore only those are accepted that assemblers, compilers and linkers
//! write.

use iced_x86::{Code, Encoder, FlowControl, Instruction, Mnemonic};

const OPERAND_SIZE: u8 = 0x66;
const ADDRESS_SIZE: u8 = 0x67;
const LOCK: u8 = 0xf0;
const REPEAT: [u8; 2] = [0xf2, 0xf3];
/// Segment prefixes: of the four segments with base zero, then of the two others.
const SEGMENTS: [u8; 6] = [0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65];

/// The bit of a REX prefix for words of 64 bits, and the bits that extend register numbers.
const WIDE: u8 = 8;
const REGISTERS: u8 = 7;

/// The bytes before an instruction's opcode.
struct Prefixes<'b> {
    legacy: &'b [u8],
    /// The REX prefix; 0 if there is none.
    rex: u8,
    /// Whether further prefixes follow the REX prefix.
    has_more: bool,
}

impl Prefixes<'_> {
    fn of(bytes: &[u8]) -> Prefixes<'_> {
        let is_legacy = |byte: u8| {
            [OPERAND_SIZE, ADDRESS_SIZE, LOCK].contains(&byte) || REPEAT.contains(&byte) || SEGMENTS.contains(&byte)
        };
        let is_rex = |byte: u8| byte & 0xf0 == 0x40;
        let length = bytes.iter().take_while(|&&byte| is_legacy(byte)).count();
        let (legacy, rest) = bytes.split_at(length);
        let (rex, opcode) = match *rest {
            [rex, opcode, ..] if is_rex(rex) => (rex, Some(opcode)),
            _ => (0, None),
        };
        Prefixes { legacy, rex, has_more: opcode.is_some_and(|byte| is_legacy(byte) || is_rex(byte)) }
    }

    fn count(&self, prefix: u8) -> usize {
        self.legacy.iter().filter(|&&other| other == prefix).count()
    }
}

/// Whether an instruction at the beginning of `bytes` has only prefixes that its encoding needs or that processors are
/// known to ignore.
pub fn are_needed(decoded: &Instruction, bytes: &[u8]) -> bool {
    let mut encoder = Encoder::new(64);
    if encoder.encode(decoded, decoded.ip()).is_err() {
        return false;
    }
    let encoded = encoder.take_buffer();
    let (has, needs) = (Prefixes::of(bytes), Prefixes::of(&encoded));
    let is_branch = decoded.flow_control() != FlowControl::Next;
    let is_nop = decoded.mnemonic() == Mnemonic::Nop;
    // Whether the REX prefix extends register numbers differently from the needed encoding. The width bit need not be
    // equal.
    let names_others = (has.rex ^ needs.rex) & REGISTERS != 0;
    let is_repeated = decoded.has_rep_prefix() || decoded.has_repne_prefix();
    let may_repeat = decoded.is_string_instruction() || is_branch;
    let is_passed_over = |prefix: u8| match prefix {
        // Padding, and a prefix that the width bit of REX overrides.
        OPERAND_SIZE => is_nop || has.rex & WIDE != 0,
        // Linkers put it before calls that they made shorter.
        ADDRESS_SIZE => decoded.code() == Code::Call_rel32_64,
        _ => SEGMENTS[..4].contains(&prefix),
    };
    let is_known = |&prefix: &u8| has.count(prefix) <= needs.count(prefix) || is_passed_over(prefix);
    !names_others && !has.has_more && (may_repeat || !is_repeated) && has.legacy.iter().all(is_known)
}
