//! A simulator of RV32IMC with the timing of a SiFive E31, as on the HiFive1 rev B: 4 MiB of flash behind an instruction cache, RAM, and a
//! console by semihosting. A program runs the same here and in QEMU; here it has cycles, too.
//!
//! [`Program`] is a linked ELF file; [`Machine`] runs it, and says what it has cost by function.

mod cache;
mod compressed;
mod fault;
mod instruction;
mod machine;
mod memory;
mod predictor;
mod profile;
mod program;
mod timing;
mod trace;

pub use compressed::{Compressed, TABLE as COMPRESSED};
pub use fault::{Access, Fault, Report};
pub use instruction::{Encoding, Format, Instruction, Operation, TABLE as ENCODINGS};
pub use machine::{Machine, Options, Run};
pub use memory::{FLASH, RAM};
pub use profile::{Call, FunctionCounts};
pub use program::{LoadError, Program, Segment, Symbol};
pub use timing::{Costs, Counts};
pub use trace::Trace;
