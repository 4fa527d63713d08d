//! Reasons why nothing was proved about a function.

use std::fmt;

use culet_decide::bits::Reason;
use culet_image::Image;
use culet_term::InputKind;

use crate::memory::Fault;
use crate::violation::{Violation, ViolationKind};

/// Reason why nothing was proved.
#[derive(Debug, Clone)]
pub enum Rejection {
    /// The name, and why it stands for no function.
    NoFunction(String, String),
    Violation {
        violation: Box<Violation>,
        place: Option<Box<Place>>,
        inputs: Vec<String>,
    },
    /// A result differs from the source for these values of inputs, as hexadecimal numbers.
    Different {
        /// The result, by its number among the arguments.
        result: usize,
        /// The first byte that is wrong.
        byte: u64,
        /// Contents that the result must have; `found` are those that it has.
        expected: Box<[u8]>,
        found: Box<[u8]>,
        /// The first bit that is wrong, and the instruction that wrote it.
        detail: String,
        writer: Option<Box<At>>,
        values: Box<[(String, String)]>,
        /// Each argument, by its name.
        given: Box<[(String, Given)]>,
    },
    /// Values that depend on data, and are no results, are left in these places.
    Left {
        places: Vec<String>,
        /// The instruction that left the first.
        writer: Option<Box<At>>,
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
        /// The instructions that wrote the words that the claim is about.
        writers: Box<[At]>,
        values: Box<[(String, String)]>,
        /// Words that the function computes, and the left side of an equation, as hexadecimal numbers.
        computed: Box<[(String, String)]>,
        /// The bound, or the right side of the equation.
        expected: Box<[(String, String)]>,
        call: Box<Call>,
    },
    /// It is not known whether a claim of a contract holds; `rest` is what is left of it.
    Open {
        claim: String,
        rest: String,
    },
    /// The proof took longer than it may.
    OutOfTime {
        seconds: u64,
    },
}

/// A place in the code of a function, and in its source if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub function: String,
    /// From the function's start, in bytes.
    pub offset: u64,
    /// The file and the line of source.
    pub line: Option<(String, u64)>,
    /// Whether the image says lines in a way that is not read.
    has_unread_lines: bool,
}

/// An instruction: its place, if it is in a function, its address, and the instruction in Intel syntax, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    pub place: Option<Place>,
    pub address: u64,
    pub instruction: String,
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
    /// Arguments, in the order of the parameters.
    pub passed: Vec<Passed>,
    /// Value that the model says is returned, and the number of its bits that count; `None` if it does not matter.
    pub returned: Option<(u64, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passed {
    Word(u64),
    /// A pointer to memory, with the contents before the call and, as the model says, afterwards.
    Memory {
        before: Vec<u8>,
        after: Vec<u8>,
    },
    /// A pointer to so many bytes whose contents do not count.
    Scratch(usize),
    /// The pointer that is passed as the argument with this index.
    Same(usize),
}

/// Values on which a function is wrong, each with its name: what it is given, what it computes, and what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    pub inputs: Vec<(String, String)>,
    pub computed: Vec<(String, String)>,
    pub expected: Vec<(String, String)>,
}

impl Rejection {
    /// The values that refute the function; of a long result, the bytes around the first that is wrong.
    pub fn counterexample(&self) -> Option<Counterexample> {
        match self {
            Rejection::Different { result, byte, expected, found, values, given, .. } => {
                let name = given.get(*result).map_or("result", |(name, _)| name.as_str());
                let shown = |contents: &[u8]| vec![around(name, contents, *byte as usize)];
                let (computed, expected) = (shown(found), shown(expected));
                Some(Counterexample { inputs: values.to_vec(), computed, expected })
            }
            Rejection::False { values, computed, expected, .. } => Some(Counterexample {
                inputs: values.to_vec(),
                computed: computed.to_vec(),
                expected: expected.to_vec(),
            }),
            _ => None,
        }
    }
}

/// Bytes of a result that are shown.
const SHOWN: usize = 64;

/// A result's name with its bytes in hexadecimal; of a long one, with those from a multiple of half of [`SHOWN`] on that
/// the byte is among.
fn around(name: &str, contents: &[u8], byte: usize) -> (String, String) {
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if contents.len() <= SHOWN {
        return (name.to_owned(), digits(contents));
    }
    let from = byte - byte % (SHOWN / 2);
    let to = contents.len().min(from + SHOWN);
    (format!("bytes {from} to {} of the {name}", to - 1), digits(contents.get(from..to).unwrap_or_default()))
}

/// A violation with its place and the data that it depends on.
pub(crate) fn rejected(image: &Image, violation: Violation) -> Rejection {
    let place = place(image, violation.address).map(Box::new);
    let inputs = data(&violation);
    Rejection::Violation { violation: Box::new(violation), place, inputs }
}

/// The names of the data among the inputs on which a violation depends.
pub(crate) fn data(violation: &Violation) -> Vec<String> {
    let unknown = violation.kind.unknown().unwrap_or_default();
    unknown.iter().filter(|input| is_data(input.kind)).map(|input| input.name.clone()).collect()
}

impl Rejection {
    /// Returns the rejection of a name that stands for no function.
    pub(crate) fn no_function(image: &Image, name: &str) -> Rejection {
        Rejection::NoFunction(name.to_owned(), image.why_missing(name))
    }

    /// Where in the code it shows, if in one place rather than another.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Rejection::Violation { place, .. } => place.as_deref(),
            Rejection::Different { writer, .. } | Rejection::Left { writer, .. } => writer.as_ref()?.place.as_ref(),
            Rejection::False { writers, .. } => writers.first()?.place.as_ref(),
            _ => None,
        }
    }

    /// Whether the execution was given up because it was too long.
    pub(crate) fn is_too_long(&self) -> bool {
        let Rejection::Violation { violation, .. } = self else { return false };
        matches!(violation.kind, ViolationKind::Endless(_) | ViolationKind::TooManyGates(_) | ViolationKind::OutOfTime)
    }

    /// Whether nothing was found within the time for the proof.
    pub fn is_out_of_time(&self) -> bool {
        match self {
            Rejection::OutOfTime { .. } => true,
            Rejection::Violation { violation, .. } => matches!(violation.kind, ViolationKind::OutOfTime),
            _ => false,
        }
    }

    pub(crate) fn is_unknown_address(&self) -> bool {
        let Rejection::Violation { violation, .. } = self else { return false };
        matches!(violation.kind, ViolationKind::Memory(Fault::Unknown { .. }))
    }
}

/// Where an instruction is, if it is in a function.
pub(crate) fn place(image: &Image, address: u64) -> Option<Place> {
    let (function, offset) = image.place(address)?;
    let line = image.line(address).map(|(file, line)| (file.to_owned(), line));
    let has_unread_lines = line.is_none() && image.has_unread_lines();
    Some(Place { function: function.to_owned(), offset, line, has_unread_lines })
}

/// Whether an input stands for what memory holds, not for an address or what a register holds at the entry.
pub(crate) fn is_data(kind: InputKind) -> bool {
    match kind {
        InputKind::Data | InputKind::Public | InputKind::Word => true,
        InputKind::Address | InputKind::Caller | InputKind::Count | InputKind::Undefined => false,
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { function, offset, line, has_unread_lines } = self;
        write!(f, "{function}+{offset:#x}")?;
        match line {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None if *has_unread_lines => f.write_str(
                " (its line of source is not known: the debug sections are damaged, or compressed otherwise than by zlib)",
            ),
            None => Ok(()),
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}, ")?;
        }
        write!(f, "{:#x}", self.address)?;
        if self.instruction.is_empty() { Ok(()) } else { write!(f, " ({})", self.instruction) }
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
            Rejection::Different { result, byte, detail, given, .. } => {
                let argument = given.get(*result).map_or("result", |(name, _)| name.as_str());
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
