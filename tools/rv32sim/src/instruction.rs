//! Instructions, and how words of 32 bits encode them: one table of masks and bits, from the unprivileged RISC-V manual, chapter
//! "RV32/64G instruction set listings".

use crate::compressed;

/// An instruction's meaning. Compressed instructions mean what those of 32 bits mean to which they expand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Operation {
    Illegal,
    Lui,
    Auipc,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Jal,
    Jalr,
    Fence,
    Ecall,
    Ebreak,
    Csr,
}

/// A decoded instruction. Registers that it does not have are x0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    pub operation: Operation,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    /// Its size in bytes, 2 or 4; 0 before it is decoded.
    pub length: u8,
    pub immediate: i32,
}

impl Instruction {
    /// An instruction that no memory holds yet.
    pub(crate) const NONE: Self =
        Self { operation: Operation::Illegal, rd: 0, rs1: 0, rs2: 0, length: 0, immediate: 0 };

    /// Decodes the instruction at the start of 4 bytes, of which a compressed one takes the lower 2.
    #[must_use]
    pub fn decode(word: u32) -> Self {
        if word & 3 != 3 {
            return compressed::decode(word & 0xffff);
        }
        let row = TABLE.iter().find(|row| word & row.mask == row.bits);
        row.map_or(Self { length: 4, ..Self::NONE }, |row| row.format.split(word, row.operation))
    }
}

/// The encoding of one operation in 32 bits.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// The bits that are the same in all instructions of this operation, and their values.
    pub mask: u32,
    pub bits: u32,
    pub operation: Operation,
    pub format: Format,
}

/// Where an instruction of 32 bits has its registers and its immediate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    R,
    I,
    /// As I, with a shift's amount of 5 bits.
    Shift,
    S,
    B,
    U,
    J,
    /// Neither registers nor an immediate that matters.
    Bare,
}

impl Format {
    fn split(self, word: u32, operation: Operation) -> Instruction {
        let register = |low: u32| ((word >> low) & 31) as u8;
        let field = |low: u32, width: u32| (word >> low) & ((1 << width) - 1);
        let sign = (word as i32) >> 31;
        let (rd, rs1, rs2) = (register(7), register(15), register(20));
        let all = Instruction { operation, rd: 0, rs1: 0, rs2: 0, length: 4, immediate: 0 };
        match self {
            Self::R => Instruction { rd, rs1, rs2, ..all },
            Self::I => Instruction { rd, rs1, immediate: (word as i32) >> 20, ..all },
            Self::Shift => Instruction { rd, rs1, immediate: field(20, 5) as i32, ..all },
            Self::S => {
                let immediate = (sign << 11) | (field(25, 6) << 5 | field(7, 5)) as i32;
                Instruction { rs1, rs2, immediate, ..all }
            }
            Self::B => {
                let low = field(7, 1) << 11 | field(25, 6) << 5 | field(8, 4) << 1;
                Instruction { rs1, rs2, immediate: (sign << 12) | low as i32, ..all }
            }
            Self::U => Instruction { rd, immediate: (word & 0xffff_f000) as i32, ..all },
            Self::J => {
                let low = field(12, 8) << 12 | field(20, 1) << 11 | field(21, 10) << 1;
                Instruction { rd, immediate: (sign << 20) | low as i32, ..all }
            }
            Self::Bare => all,
        }
    }
}

const fn row(mask: u32, bits: u32, operation: Operation, format: Format) -> Encoding {
    Encoding { mask, bits, operation, format }
}

/// The bits of an opcode and funct3.
const FUNCT3: u32 = 0x0000_707f;
/// Those and funct7.
const FUNCT7: u32 = 0xfe00_707f;

/// RV32I and RV32M. Every instruction that reads or writes a control register is [`Operation::Csr`], which the simulator refuses.
pub const TABLE: [Encoding; 54] = {
    use Format::{B, Bare, I, J, R, S, Shift, U};
    use Operation as O;
    [
        row(0x7f, 0x37, O::Lui, U),
        row(0x7f, 0x17, O::Auipc, U),
        row(0x7f, 0x6f, O::Jal, J),
        row(FUNCT3, 0x0067, O::Jalr, I),
        row(FUNCT3, 0x0063, O::Beq, B),
        row(FUNCT3, 0x1063, O::Bne, B),
        row(FUNCT3, 0x4063, O::Blt, B),
        row(FUNCT3, 0x5063, O::Bge, B),
        row(FUNCT3, 0x6063, O::Bltu, B),
        row(FUNCT3, 0x7063, O::Bgeu, B),
        row(FUNCT3, 0x0003, O::Lb, I),
        row(FUNCT3, 0x1003, O::Lh, I),
        row(FUNCT3, 0x2003, O::Lw, I),
        row(FUNCT3, 0x4003, O::Lbu, I),
        row(FUNCT3, 0x5003, O::Lhu, I),
        row(FUNCT3, 0x0023, O::Sb, S),
        row(FUNCT3, 0x1023, O::Sh, S),
        row(FUNCT3, 0x2023, O::Sw, S),
        row(FUNCT3, 0x0013, O::Addi, I),
        row(FUNCT3, 0x2013, O::Slti, I),
        row(FUNCT3, 0x3013, O::Sltiu, I),
        row(FUNCT3, 0x4013, O::Xori, I),
        row(FUNCT3, 0x6013, O::Ori, I),
        row(FUNCT3, 0x7013, O::Andi, I),
        row(FUNCT7, 0x0000_1013, O::Slli, Shift),
        row(FUNCT7, 0x0000_5013, O::Srli, Shift),
        row(FUNCT7, 0x4000_5013, O::Srai, Shift),
        row(FUNCT7, 0x0000_0033, O::Add, R),
        row(FUNCT7, 0x4000_0033, O::Sub, R),
        row(FUNCT7, 0x0000_1033, O::Sll, R),
        row(FUNCT7, 0x0000_2033, O::Slt, R),
        row(FUNCT7, 0x0000_3033, O::Sltu, R),
        row(FUNCT7, 0x0000_4033, O::Xor, R),
        row(FUNCT7, 0x0000_5033, O::Srl, R),
        row(FUNCT7, 0x4000_5033, O::Sra, R),
        row(FUNCT7, 0x0000_6033, O::Or, R),
        row(FUNCT7, 0x0000_7033, O::And, R),
        row(FUNCT7, 0x0200_0033, O::Mul, R),
        row(FUNCT7, 0x0200_1033, O::Mulh, R),
        row(FUNCT7, 0x0200_2033, O::Mulhsu, R),
        row(FUNCT7, 0x0200_3033, O::Mulhu, R),
        row(FUNCT7, 0x0200_4033, O::Div, R),
        row(FUNCT7, 0x0200_5033, O::Divu, R),
        row(FUNCT7, 0x0200_6033, O::Rem, R),
        row(FUNCT7, 0x0200_7033, O::Remu, R),
        row(FUNCT3, 0x000f, O::Fence, Bare),
        row(u32::MAX, 0x0000_0073, O::Ecall, Bare),
        row(u32::MAX, 0x0010_0073, O::Ebreak, Bare),
        row(FUNCT3, 0x1073, O::Csr, Bare),
        row(FUNCT3, 0x2073, O::Csr, Bare),
        row(FUNCT3, 0x3073, O::Csr, Bare),
        row(FUNCT3, 0x5073, O::Csr, Bare),
        row(FUNCT3, 0x6073, O::Csr, Bare),
        row(FUNCT3, 0x7073, O::Csr, Bare),
    ]
};
