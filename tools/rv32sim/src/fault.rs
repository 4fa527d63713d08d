//! Reasons why a program cannot go on, and reports of them.

use std::fmt;

/// Something that the board cannot do, or that this simulator does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The program has no memory at the address, or none that it can write.
    Unmapped { access: Access, address: u32 },
    /// The address is no multiple of the size, in bytes.
    Misaligned { access: Access, address: u32, size: usize },
    /// The bytes encode no instruction of RV32IMC.
    Illegal { word: u32 },
    /// The instruction reads or writes a control register.
    Csr { word: u32 },
    /// `ecall`: there is no operating system.
    Call,
    /// `ebreak` outside the three instructions that ask for semihosting.
    Breakpoint,
    /// Semihosting has no such operation here.
    Semihosting { operation: u32 },
    /// The program runs in a circle of one instruction.
    Circle,
    /// The program has run for the maximum number of instructions.
    Limit { instructions: u64 },
}

/// What is done with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Load,
    Store,
    Execute,
}

/// A fault with the state of the machine where it occurred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub fault: Fault,
    pub pc: u32,
    /// The function's name, if the program has symbols, and the offset into it in bytes.
    pub function: Option<(String, u32)>,
    /// The last function that ran, if the place is in none.
    pub came_from: Option<String>,
    pub registers: [u32; 32],
    /// The bytes that the program had written.
    pub output: Vec<u8>,
}

/// The registers' names in the standard calling convention.
const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Execute => "instruction",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unmapped { access: Access::Store, address } => {
                write!(f, "store to {address:#010x}, where there is no RAM")
            }
            Self::Unmapped { access, address } => {
                write!(f, "{access} from {address:#010x}, where the program has no memory")
            }
            Self::Misaligned { access, address, size } => {
                write!(f, "misaligned {access} of {size} bytes at {address:#010x}")
            }
            Self::Illegal { word } => write!(f, "illegal instruction {word:#010x}: it is not in RV32IMC"),
            Self::Csr { word } => {
                write!(f, "instruction {word:#010x} for control register {:#05x}: the simulator has none", word >> 20)
            }
            Self::Call => f.write_str("ecall: there is no operating system; semihosting writes and exits"),
            Self::Breakpoint => f.write_str("ebreak outside `slli zero, zero, 31; ebreak; srai zero, zero, 7`"),
            Self::Semihosting { operation } => write!(
                f,
                "semihosting operation {operation:#x}: the simulator has 0x3 (character), 0x4 (string), 0x18 and 0x20 (exit)"
            ),
            Self::Circle => f.write_str("endless loop: the instruction jumps to itself"),
            Self::Limit { instructions } => {
                write!(f, "no end after {instructions} instructions; `--limit` raises the maximum")
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nat {:#010x}", self.fault, self.pc)?;
        if let Some((name, offset)) = &self.function {
            write!(f, ", {name} + {offset:#x}")?;
        }
        if let Some(name) = &self.came_from {
            write!(f, ", in no function; {name} ran before")?;
        }
        for (number, (name, value)) in REGISTERS.iter().zip(self.registers).enumerate() {
            let separator = if number % 8 == 0 { "\n  " } else { "  " };
            write!(f, "{separator}{name:>4} {value:08x}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
