//! Why nothing was proved about a function.

use std::fmt;

use culet_term::InputKind;

use crate::bits::Reason;
use crate::execute::{Violation, ViolationKind};
use crate::image::Image;
use crate::memory::Fault;

/// Why nothing was proved.
#[derive(Debug, Clone)]
pub enum Rejection {
    /// The name, and why it stands for no function.
    NoFunction(String, String),
    Violation {
        violation: Box<Violation>,
        place: Option<String>,
        inputs: Vec<String>,
    },
    /// A result differs from the source for these values of inputs, as hexadecimal numbers.
    Different {
        argument: String,
        byte: u64,
        /// What the byte must be, and what it is.
        expected: u8,
        found: u8,
        /// The first bit that is wrong, and the instruction that wrote it.
        detail: String,
        values: Vec<(String, String)>,
        /// Each argument, by its name.
        given: Vec<(String, Given)>,
    },
    /// What depends on data, but is no result, is left in these places.
    Left {
        places: Vec<String>,
        /// The instruction that left the first.
        writer: Option<String>,
        inputs: Vec<String>,
    },
    /// It is not known whether a result is right.
    Undecided {
        argument: String,
        byte: u64,
        reason: Reason,
    },
    /// Bytes of a result are not what the program means for that block, or it is not known that they are.
    Block {
        argument: String,
        byte: u64,
    },
    /// The loop over blocks could not be followed.
    Loop(String),
    /// No proof of this kind is known.
    Unsupported(String),
    /// It calls this function, about which nothing was proved.
    Callee(String),
    /// A claim of a contract does not hold for these values.
    False {
        claim: String,
        /// The instructions that wrote what it is about.
        writers: Vec<String>,
        values: Vec<(String, String)>,
        call: Call,
    },
    /// It is not known whether a claim of a contract holds: what is left of it.
    Open {
        claim: String,
        rest: String,
    },
    /// The proof took longer than it may.
    OutOfTime {
        seconds: u64,
    },
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A pointer to memory that holds this; zeros where it is written only.
    Memory(Vec<u8>),
    Word(u64),
}

impl Given {
    /// Its bytes in hexadecimal, in the order of memory; a word as a number.
    pub fn digits(&self) -> String {
        match self {
            Given::Memory(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            Given::Word(word) => word.to_string(),
        }
    }
}

/// A call of a function with a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What it is given, in the order of the parameters.
    pub passed: Vec<Passed>,
    /// What the model says that it returns, and how many bits of it count; none if that does not matter.
    pub returned: Option<(u64, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passed {
    Word(u64),
    /// A pointer to memory: what it holds, before the call and, as the model says, afterwards.
    Memory {
        before: Vec<u8>,
        after: Vec<u8>,
    },
    /// The same pointer as this argument.
    Same(usize),
}

/// A violation with its place and the data that it depends on.
pub(crate) fn rejected(image: &Image, violation: Violation) -> Rejection {
    let place = place(image, violation.address);
    let inputs = data(&violation);
    Rejection::Violation { violation: Box::new(violation), place, inputs }
}

/// The names of the data among the inputs on which a violation depends.
pub(crate) fn data(violation: &Violation) -> Vec<String> {
    let unknown = violation.kind.unknown().unwrap_or_default();
    unknown.iter().filter(|input| is_data(input.kind)).map(|input| input.name.clone()).collect()
}

impl Rejection {
    /// There is no function of this name.
    pub(crate) fn no_function(image: &Image, name: &str) -> Rejection {
        Rejection::NoFunction(name.to_owned(), image.why_missing(name))
    }

    /// Whether it was given up for its length.
    pub(crate) fn is_too_long(&self) -> bool {
        let Rejection::Violation { violation, .. } = self else { return false };
        matches!(violation.kind, ViolationKind::Endless(_) | ViolationKind::TooManyGates(_))
    }

    pub(crate) fn is_unknown_address(&self) -> bool {
        let Rejection::Violation { violation, .. } = self else { return false };
        matches!(violation.kind, ViolationKind::Memory(Fault::Unknown { .. }))
    }
}

/// The function, the distance from its start and, if it is known, the line of source of an instruction.
pub(crate) fn place(image: &Image, address: u64) -> Option<String> {
    let line = match image.line(address) {
        Some((file, line)) => format!(" ({file}:{line})"),
        None if image.has_unread_lines() => {
            " (its line of source is not known: the debug sections are damaged, or compressed otherwise than by zlib)"
                .to_owned()
        }
        None => String::new(),
    };
    image.place(address).map(|(name, offset)| format!("{name}+{offset:#x}{line}"))
}

/// Whether an input stands for what memory holds, not for an address or what a register holds at the entry.
pub(crate) fn is_data(kind: InputKind) -> bool {
    match kind {
        InputKind::Data | InputKind::Word => true,
        InputKind::Address | InputKind::Caller | InputKind::Count | InputKind::Undefined => false,
    }
}

fn write_inputs(f: &mut fmt::Formatter<'_>, inputs: &[String]) -> fmt::Result {
    match inputs {
        [] => Ok(()),
        [input] => write!(f, "; it depends on {input}"),
        [first, more @ ..] => write!(f, "; it depends on {first} and {} more", more.len()),
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::NoFunction(name, why) => write!(f, "there is no function `{name}`: {why}"),
            Rejection::Violation { violation, place, inputs } => {
                if let Some(place) = place {
                    write!(f, "at {place}, ")?;
                }
                write!(f, "{violation}")?;
                if inputs.is_empty() && violation.kind.unknown().is_some() {
                    return f.write_str("; it depends on addresses or on what the caller leaves, not on data");
                }
                write_inputs(f, inputs)
            }
            Rejection::Left { places, writer, inputs } => {
                write!(f, "what depends on data is left in ")?;
                match &places[..] {
                    [first, more @ ..] if more.len() > 3 => write!(f, "{first} and {} more places", more.len())?,
                    few => f.write_str(&few.join(", "))?,
                }
                if let Some(place) = writer {
                    write!(f, ", first by {place}")?;
                }
                write_inputs(f, inputs)
            }
            Rejection::Different { argument, byte, detail, .. } => {
                write!(f, "byte {byte} of the {argument} is not what the source computes: {detail}")
            }
            Rejection::Undecided { argument, byte, reason } => {
                write!(f, "whether byte {byte} and those after it of the {argument} are right stays open: {reason:?}")
            }
            Rejection::Block { argument, byte } => {
                write!(f, "byte {byte} of the {argument} is not known to be of what the program means for that block")
            }
            Rejection::Loop(reason) | Rejection::Unsupported(reason) => f.write_str(reason),
            Rejection::Callee(name) => write!(f, "`{name}`, which it calls, is not proved"),
            Rejection::False { claim, .. } => write!(f, "{claim} does not hold"),
            Rejection::OutOfTime { seconds } => {
                write!(
                    f,
                    "given up after {seconds} s: whether it does what it should stays open, as does what was to be proved after it"
                )
            }
            Rejection::Open { claim, rest } => write!(f, "whether {claim} holds stays open: {rest}"),
        }
    }
}
