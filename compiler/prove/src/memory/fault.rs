//! Reasons why memory refuses an access.

use std::fmt;

use culet_diag::counted;

use super::signals::RED_ZONE;
use crate::symbolic::{Symbolic, named_inputs};
use crate::unknown::Named;

/// An access that memory safety forbids, or that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The address, or the number of accesses, is not known.
    Unknown {
        what: &'static str,
        /// The inputs from which it is made.
        inputs: Vec<Named>,
    },
    /// The access is outside the region: the offset from the base, and the number of bytes.
    Outside {
        region: String,
        /// Below the stack that the function may use.
        is_below_stack: bool,
        offset: i64,
        bytes: u32,
        extent: std::ops::Range<i64>,
    },
    ReadOnly {
        region: String,
        offset: i64,
    },
    /// The instruction demands more than the region's declared alignment gives.
    Misaligned {
        region: String,
        offset: i64,
        demanded: u32,
    },
    /// A constant address where the image has no constants.
    NoConstants {
        address: u64,
        bytes: u32,
        /// Description of what is there instead.
        instead: Instead,
    },
    /// The bytes that are read are not known before the final link.
    Unlinked(String),
    /// A constant address, though the image may be anywhere.
    Fixed {
        address: u64,
    },
    /// Beyond a part of the image that moves as one: the name of the part, and the offset from its start.
    Beyond {
        name: String,
        offset: i64,
    },
    /// A write to the image.
    WriteToImage {
        address: u64,
    },
    /// The access is this many bytes below the stack pointer, where signal handlers may write.
    BelowStack {
        below: i64,
    },
    /// The stack pointer is `below` bytes below its value at the entry, more than the function may use.
    Overflow {
        below: u64,
        most: u64,
    },
    /// The bytes that are read were for a time so far below the stack pointer that a signal handler may have written
    /// there.
    Lost {
        offset: i64,
    },
    /// The bytes that are read have been overwritten if the region is the same memory as another one, which it may be.
    Overwritten {
        region: String,
        offset: i64,
        by: String,
    },
}

/// The contents of an address that holds no constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// The address of this function or these data, which the loader may take from another file.
    Chosen(String),
    /// This, which the image does not hold.
    External(String),
    /// Memory that the loader or the program may change.
    Changing,
    Nothing,
}

pub(super) const UNKNOWN_ADDRESS: &str =
    "an address is neither a constant nor at a known place of an argument or the stack";

pub(super) const NO_STACK: &str =
    "the stack pointer is not at a known place of the stack, where signal handlers may write";

pub(super) const ABOVE_STACK: &str =
    "the stack pointer is above the function's own stack, where the caller keeps what is its own from signal handlers";

impl Fault {
    /// Returns the fault of a word that had to be known.
    pub fn unknown<V: Symbolic>(what: &'static str, values: &V, word: &V::Word) -> Fault {
        Fault::Unknown { what, inputs: named_inputs(values, word) }
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instead::Chosen(name) => write!(f, "the address of `{name}`, which the loader may take from another file"),
            Instead::External(name) => write!(f, "`{name}`, which this image does not hold"),
            Instead::Changing => {
                f.write_str("what the loader or the program may change, as it does tables for calls of other files")
            }
            Instead::Nothing => f.write_str("nothing, or not as many bytes"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unknown { what, .. } => f.write_str(what),
            Fault::Outside { region, offset, bytes, extent, .. } => {
                write!(
                    f,
                    "{} at {region}{offset:+} {} accessed; {region} has {} to {}",
                    counted(bytes, "byte"),
                    if *bytes == 1 { "is" } else { "are" },
                    extent.start,
                    extent.end
                )
            }
            Fault::ReadOnly { region, offset } => write!(f, "{region}{offset:+} is written, which may only be read"),
            Fault::Misaligned { region, offset, demanded } => {
                write!(
                    f,
                    "the access to {region}{offset:+} needs an alignment of {demanded} bytes that nothing promises"
                )
            }
            Fault::NoConstants { address, bytes, instead } => {
                let (bytes, verb) = (counted(bytes, "byte"), if *bytes == 1 { "is" } else { "are" });
                write!(f, "{bytes} at {address:#x} {verb} read, where there are no constants, but {instead}")
            }
            Fault::Unlinked(why) => write!(f, "what is read is not known: {why}"),
            Fault::Fixed { address } => {
                write!(f, "the constant address {address:#x} is accessed, and the code may be anywhere")
            }
            Fault::Beyond { name, offset } => write!(f, "what is accessed is {offset:+} from {name}, and outside it"),
            Fault::WriteToImage { address } => write!(f, "{address:#x}, in the image itself, is written"),
            Fault::BelowStack { below } => write!(
                f,
                "memory {} below the stack pointer is accessed, of which the ABI keeps {RED_ZONE} from signal handlers",
                counted(below, "byte")
            ),
            Fault::Overflow { below, most } => {
                write!(f, "the stack pointer goes {below} bytes down, and at most {most} bytes of stack are there")
            }
            Fault::Lost { offset } => write!(
                f,
                "stack{offset:+} is read, and was more than {RED_ZONE} bytes below the stack pointer since it was written: \
                 signal handlers may have changed it"
            ),
            Fault::Overwritten { region, offset, by } => {
                write!(
                    f,
                    "{region}{offset:+} is read after {by}{offset:+} was written, which is the same memory when used in place"
                )
            }
        }
    }
}
