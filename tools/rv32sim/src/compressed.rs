//! Compressed instructions: one table from patterns of 16 bits to the instructions that they expand to, in the order in which they are
//! tried, from the unprivileged RISC-V manual, chapter "C standard extension for compressed instructions".

use crate::instruction::{Instruction, Operation};

/// The encoding of one compressed instruction. Rows of [`Operation::Illegal`] are reserved encodings.
#[derive(Debug, Clone, Copy)]
pub struct Compressed {
    pub mask: u32,
    pub bits: u32,
    operation: Operation,
    rd: Register,
    rs1: Register,
    rs2: Register,
    immediate: Immediate,
}

/// Where a register's number stands.
#[derive(Debug, Clone, Copy)]
enum Register {
    /// No bits: always this one.
    Is(u8),
    /// Five bits, the lowest one at this place.
    At(u32),
    /// Three bits, the lowest one at this place: x8 to x15.
    Short(u32),
}

/// An immediate's bits: `places` says which bit of the immediate each bit of the instruction is, from bit 12 down to bit 2, where `SKIP` is
/// a bit of something else.
#[derive(Debug, Clone, Copy)]
struct Immediate {
    places: [u8; 11],
    is_signed: bool,
}

const SKIP: u8 = 255;
const X: u8 = SKIP;

const fn unsigned(places: [u8; 11]) -> Immediate {
    Immediate { places, is_signed: false }
}

const fn signed(places: [u8; 11]) -> Immediate {
    Immediate { places, is_signed: true }
}

const NOTHING: Immediate = unsigned([X; 11]);
const AMOUNT: Immediate = unsigned([X, X, X, X, X, X, 4, 3, 2, 1, 0]);
const SMALL: Immediate = signed([5, X, X, X, X, X, 4, 3, 2, 1, 0]);
const UPPER: Immediate = signed([17, X, X, X, X, X, 16, 15, 14, 13, 12]);
const STACK_POINTER: Immediate = signed([9, X, X, X, X, X, 4, 6, 8, 7, 5]);
const STACK_PLACE: Immediate = unsigned([5, 4, 9, 8, 7, 6, 2, 3, X, X, X]);
const WORD_OFFSET: Immediate = unsigned([5, 4, 3, X, X, X, 2, 6, X, X, X]);
const STACK_LOAD: Immediate = unsigned([5, X, X, X, X, X, 4, 3, 2, 7, 6]);
const STACK_STORE: Immediate = unsigned([5, 4, 3, 2, 7, 6, X, X, X, X, X]);
const JUMP: Immediate = signed([11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5]);
const BRANCH: Immediate = signed([8, 4, 3, X, X, X, 7, 6, 2, 1, 5]);

impl Register {
    fn number(self, half: u32) -> u8 {
        match self {
            Self::Is(number) => number,
            Self::At(low) => ((half >> low) & 31) as u8,
            Self::Short(low) => ((half >> low) & 7) as u8 + 8,
        }
    }
}

impl Immediate {
    fn value(self, half: u32) -> i32 {
        let used = (2..=12).rev().zip(self.places).filter(|&(_, place)| place != SKIP);
        let value = used.fold(0, |value, (bit, place)| value | ((half >> bit) & 1) << place);
        let top = self.places.iter().filter(|&&place| place != SKIP).max();
        match top {
            Some(&top) if self.is_signed => ((value << (31 - top)) as i32) >> (31 - top),
            _ => value as i32,
        }
    }
}

/// Decodes an instruction of 16 bits.
pub(crate) fn decode(half: u32) -> Instruction {
    let Some(row) = TABLE.iter().find(|row| half & row.mask == row.bits) else {
        return Instruction { length: 2, ..Instruction::NONE };
    };
    Instruction {
        operation: row.operation,
        rd: row.rd.number(half),
        rs1: row.rs1.number(half),
        rs2: row.rs2.number(half),
        length: 2,
        immediate: row.immediate.value(half),
    }
}

const fn row(
    mask: u32,
    bits: u32,
    operation: Operation,
    [rd, rs1, rs2]: [Register; 3],
    immediate: Immediate,
) -> Compressed {
    Compressed { mask, bits, operation, rd, rs1, rs2, immediate }
}

const fn reserved(mask: u32, bits: u32) -> Compressed {
    row(mask, bits, Operation::Illegal, [Register::Is(0); 3], NOTHING)
}

/// The C extension of RV32 without floating-point numbers.
pub const TABLE: [Compressed; 32] = {
    use Operation as O;
    use Register::{At, Is, Short};
    const ZERO: Register = Is(0);
    const RA: Register = Is(1);
    const SP: Register = Is(2);
    const A: Register = Short(7);
    const B: Register = Short(2);
    [
        // Quadrant 0.
        reserved(0xffe3, 0x0000),
        row(0xe003, 0x0000, O::Addi, [B, SP, ZERO], STACK_PLACE),
        row(0xe003, 0x4000, O::Lw, [B, A, ZERO], WORD_OFFSET),
        row(0xe003, 0xc000, O::Sw, [ZERO, A, B], WORD_OFFSET),
        // Quadrant 1.
        row(0xe003, 0x0001, O::Addi, [At(7), At(7), ZERO], SMALL),
        row(0xe003, 0x2001, O::Jal, [RA, ZERO, ZERO], JUMP),
        row(0xe003, 0x4001, O::Addi, [At(7), ZERO, ZERO], SMALL),
        reserved(0xf07f, 0x6001),
        row(0xef83, 0x6101, O::Addi, [SP, SP, ZERO], STACK_POINTER),
        row(0xe003, 0x6001, O::Lui, [At(7), ZERO, ZERO], UPPER),
        reserved(0xf803, 0x9001),
        row(0xfc03, 0x8001, O::Srli, [A, A, ZERO], AMOUNT),
        row(0xfc03, 0x8401, O::Srai, [A, A, ZERO], AMOUNT),
        row(0xec03, 0x8801, O::Andi, [A, A, ZERO], SMALL),
        row(0xfc63, 0x8c01, O::Sub, [A, A, B], NOTHING),
        row(0xfc63, 0x8c21, O::Xor, [A, A, B], NOTHING),
        row(0xfc63, 0x8c41, O::Or, [A, A, B], NOTHING),
        row(0xfc63, 0x8c61, O::And, [A, A, B], NOTHING),
        row(0xe003, 0xa001, O::Jal, [ZERO, ZERO, ZERO], JUMP),
        row(0xe003, 0xc001, O::Beq, [ZERO, A, ZERO], BRANCH),
        row(0xe003, 0xe001, O::Bne, [ZERO, A, ZERO], BRANCH),
        // Quadrant 2.
        reserved(0xf003, 0x1002),
        row(0xf003, 0x0002, O::Slli, [At(7), At(7), ZERO], AMOUNT),
        reserved(0xef83, 0x4002),
        row(0xe003, 0x4002, O::Lw, [At(7), SP, ZERO], STACK_LOAD),
        reserved(0xffff, 0x8002),
        row(0xf07f, 0x8002, O::Jalr, [ZERO, At(7), ZERO], NOTHING),
        row(0xf003, 0x8002, O::Add, [At(7), ZERO, At(2)], NOTHING),
        row(0xffff, 0x9002, O::Ebreak, [ZERO, ZERO, ZERO], NOTHING),
        row(0xf07f, 0x9002, O::Jalr, [RA, At(7), ZERO], NOTHING),
        row(0xf003, 0x9002, O::Add, [At(7), At(7), At(2)], NOTHING),
        row(0xe003, 0xc002, O::Sw, [ZERO, SP, At(2)], STACK_STORE),
    ]
};
