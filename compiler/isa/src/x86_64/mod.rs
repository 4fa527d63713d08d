//! x86-64: decoding, one table of instructions, and the effect of each on registers, flags and memory.
//!
//! ```
//! use culet_isa::{Concrete512, x86_64};
//!
//! let instruction = x86_64::decode(&[0x48, 0x01, 0xd8], 0x1000).expect("add rax,rbx");
//! assert_eq!(instruction.to_string(), "add rax,rbx");
//! assert_eq!(instruction.length(), 3);
//! ```
//!
//! The manual is Intel's "64 and IA-32 Architectures Software Developer's Manual", volume 2. Results that it calls
//! undefined are undefined here, whatever a processor does. Out of scope, and always without a meaning: segments with a
//! base, exceptions (a misaligned address is reported through [`Memory`]), floating-point arithmetic, MMX and x87
//! registers.

mod aes;
mod arithmetic;
mod bits;
mod branches;
mod compare;
pub mod cosim;
mod extensions;
mod flags;
mod galois;
mod gathers;
mod instruction;
mod machine;
mod masks;
mod moves;
mod multiply;
pub mod mutate;
mod narrow;
mod operands;
mod prefixes;
mod saturate;
mod second;
mod shifts;
mod shuffles;
mod shuffles_fixed;
mod state;
mod strings;
mod table;
mod vector_logic;
mod vector_moves;
mod vector_shifts;

pub use extensions::extensions;
pub use flags::{Flag, FlagName, Flags};
pub use instruction::{DecodeError, Instruction, decode};
pub use machine::{Filled, Memory, Next, Stop, step};
pub use second::{Agreement, Disagreement, agreement};
pub use state::State;
pub use strings::repetitions;
pub use table::{Timing, mnemonics, timing, unsupported};
