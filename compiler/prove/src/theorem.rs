//! The theorem about one function: what is executed computes what the source means, and breaks no rule on the way.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::time::{Duration, Instant};

use culet_term::{Assignment, Term, Terms};
use culet_types::program::Var;

use crate::bits::{self, Budget, Reason, Verdict};
use crate::erasure;
pub(crate) use crate::erasure::stack_use;
use crate::execute::{ARGUMENTS, Decoded, Execution, Frame, Registers, Violation, ViolationKind, execute};
use crate::image::Image;
use crate::memory::{Fault, Memory, Permission, RegionId};
use crate::samples::Samples;
use crate::source::{Contents, Form, Specification};
use crate::symbolic::Symbolic;
use crate::wires::Wires;

/// What a function is for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'p> {
    /// The entry on registers: pointers to results, then to parameters.
    Sliced,
    /// From the bytes of a parameter to registers: pointers to the registers, then to the bytes.
    Pack(&'p Var),
    /// From the registers of a result to bytes: pointers to the bytes, then to the registers.
    Unpack(&'p Var),
    /// As `Pack`, with scratch memory of as many bytes as a third argument.
    PackWith(&'p Var, u64),
    UnpackWith(&'p Var, u64),
}

/// What a function may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of stack below the return address.
    pub stack: i64,
    pub instructions: u64,
    pub budget: Budget,
    /// Whether nothing that depends on data may be left on the stack and in registers.
    pub erasure: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { stack: 1 << 20, instructions: 20_000_000, budget: Budget::default(), erasure: false }
    }
}

/// What was proved about a function.
#[derive(Debug, Clone, Default)]
pub struct Proved {
    pub instructions: u64,
    /// Bytes of stack that were used.
    pub stack: u64,
    /// Bytes on the stack that depend on data and are left there.
    pub residue: u64,
    /// Whether it was asked for, and proved, that nothing is left that depends on data and is no result.
    pub is_erased: bool,
    /// Instructions that were executed and are on no list of those whose time does not depend on data.
    pub unlisted: BTreeSet<String>,
    /// Registers that are as they were at the entry.
    pub unchanged: Registers,
    /// Where the number of blocks is an argument, or calls were taken for what is known of them: how.
    pub on_bytes: Option<OnBytes>,
    /// Alignments of the stack pointer that had to be told apart.
    pub phases: usize,
    /// Memory of each argument, for the preconditions.
    pub arguments: Vec<Argument>,
    pub statistics: bits::Statistics,
    /// Cases in which the algebra of fields was computed; 0 where a source is the specification.
    pub cases: u32,
    pub time: Duration,
}

/// What is special about a function from bytes to bytes.
#[derive(Debug, Clone, Default)]
pub struct OnBytes {
    /// Blocks of a turn of its loop, if it takes any number of blocks below 2^[`LENGTH_BITS`](crate::run::LENGTH_BITS).
    pub turn: Option<u64>,
    /// Results and parameters that may be the same memory.
    pub in_place: Vec<(String, String)>,
    /// Functions of the C library that are taken to do what the standard says.
    pub library: BTreeSet<String>,
}

#[derive(Debug, Clone)]
pub struct Argument {
    pub name: String,
    pub bytes: u64,
    pub alignment: u64,
    pub is_written: bool,
}

/// Why nothing was proved.
#[derive(Debug, Clone)]
pub enum Rejection {
    NoFunction(String),
    /// More arguments than registers.
    TooManyArguments(usize),
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
        values: Vec<(String, String)>,
        /// The memory of each argument, by its name; zeros where it is written only.
        memory: Vec<(String, Vec<u8>)>,
    },
    /// What depends on data, but is no result, is left in these places.
    Left {
        places: Vec<String>,
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
    /// It calls this function, about which nothing was proved.
    Callee(String),
    /// A claim of a contract does not hold for these values.
    False {
        claim: String,
        values: Vec<(String, String)>,
    },
    /// It is not known whether a claim of a contract holds: what is left of it.
    Open {
        claim: String,
        rest: String,
    },
}

/// Proves one function of an image, or says why not.
pub fn prove(
    image: &Image,
    symbol: &str,
    specification: &Specification,
    purpose: Purpose,
    limits: &Limits,
) -> Result<Proved, Rejection> {
    Trial::new(image, symbol, specification, purpose)?.prove(image, limits)
}

/// Tries a function under what the ABI says of the stack pointer; if that is too little, under each alignment by itself.
pub(crate) fn in_every_phase(
    limits: &Limits,
    mut attempt: impl FnMut(&Frame) -> Result<Proved, Rejection>,
) -> Result<Proved, Rejection> {
    let first = attempt(&Frame::system_v(limits.stack, limits.instructions, limits.budget.gates));
    let proofs = match first {
        // A stack pointer that the function aligns itself is known only if its alignment at the entry is.
        Err(rejection) if rejection.is_unknown_address() => {
            let frames = [8, 24, 40, 56].map(|phase| Frame {
                phase,
                stack_alignment: 64,
                stack: limits.stack,
                steps: limits.instructions,
                gates: limits.budget.gates,
            });
            frames.iter().map(attempt).collect::<Result<Vec<_>, _>>()?
        }
        other => vec![other?],
    };
    let mut proved = proofs[0].clone();
    proved.phases = proofs.len();
    for proof in &proofs[1..] {
        proved.add(proof);
    }
    Ok(proved)
}

/// What is in a result's memory, what must be there, and where.
#[derive(Clone)]
struct Claim<W> {
    pair: (W, W),
    argument: String,
    byte: u64,
}

/// What must be proved of a function, and what was found out on the way. It serves for other code in the function's place, too.
pub enum Trial<'i, 's> {
    /// What is computed bitwise on registers is one circuit for all bits of a register.
    Registers(Box<TrialIn<'i, 's, Terms>>),
    /// The rest is compared bit for bit.
    Bits(Box<TrialIn<'i, 's, Wires>>),
}

/// An argument, its region and, of what is read, the contents.
type Placed<W> = (Argument, RegionId, Option<Contents<W>>);

/// A trial in words of one kind.
pub struct TrialIn<'i, 's, V: Symbolic> {
    image: &'i Image,
    entry: u64,
    specification: &'s Specification<'s>,
    purpose: Purpose<'s>,
    values: V,
    memory: Memory<'i, V::Word>,
    arguments: Vec<Placed<V::Word>>,
    /// What results must hold, in order; empty before the first execution is over.
    expected: Vec<Contents<V::Word>>,
    /// Pairs of words that are equal. Executions that differ in the stack pointer only mostly end in the same words.
    equal: HashSet<(V::Word, V::Word)>,
    samples: Samples<V::Word>,
}

impl<'i, 's> Trial<'i, 's> {
    /// The theorem about the function of this name.
    ///
    /// # Errors
    ///
    /// If there is none, or it has too many arguments.
    pub fn new(
        image: &'i Image,
        symbol: &str,
        specification: &'s Specification<'s>,
        purpose: Purpose<'s>,
    ) -> Result<Self, Rejection> {
        Ok(match purpose {
            Purpose::Sliced if specification.is_bitsliced() => {
                Trial::Registers(Box::new(TrialIn::new(Terms::new(), image, symbol, specification, purpose)?))
            }
            _ => Trial::Bits(Box::new(TrialIn::new(Wires::default(), image, symbol, specification, purpose)?)),
        })
    }

    /// Proves it of the function as `code` has it, which is the image or differs from it in code only.
    ///
    /// # Errors
    ///
    /// Why it is not proved.
    pub fn prove(&mut self, code: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        match self {
            Trial::Registers(trial) => trial.prove(code, limits),
            Trial::Bits(trial) => trial.prove(code, limits),
        }
    }

    /// How many terms and gates it has made so far.
    pub fn size(&self) -> usize {
        match self {
            Trial::Registers(trial) => trial.size(),
            Trial::Bits(trial) => trial.size(),
        }
    }
}

impl<'i, 's, V: Symbolic> TrialIn<'i, 's, V> {
    fn new(
        values: V,
        image: &'i Image,
        symbol: &str,
        specification: &'s Specification<'s>,
        purpose: Purpose<'s>,
    ) -> Result<Self, Rejection> {
        let function = image.function(symbol).ok_or_else(|| Rejection::NoFunction(symbol.into()))?;
        let memory = Memory::new(image);
        let mut trial = TrialIn {
            image,
            entry: function.address,
            specification,
            purpose,
            values,
            memory,
            arguments: Vec::new(),
            expected: Vec::new(),
            equal: HashSet::new(),
            samples: Samples::default(),
        };
        match purpose {
            Purpose::Sliced => {
                for (var, is_result) in specification.variables() {
                    trial.argument(var, Form::Registers, is_result, is_result);
                }
            }
            Purpose::Pack(var) | Purpose::PackWith(var, _) => {
                trial.argument(var, Form::Registers, false, true);
                trial.argument(var, Form::Bytes, false, false);
            }
            Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => {
                trial.argument(var, Form::Bytes, true, true);
                trial.argument(var, Form::Registers, true, false);
            }
        }
        if let Purpose::PackWith(_, bytes) | Purpose::UnpackWith(_, bytes) = purpose {
            trial.scratch(bytes);
        }
        if trial.arguments.len() > ARGUMENTS.len() {
            return Err(Rejection::TooManyArguments(trial.arguments.len()));
        }
        Ok(trial)
    }

    fn prove(&mut self, code: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        let start = Instant::now();
        let mut decoded = Decoded::new(code);
        let mut proved = in_every_phase(limits, |frame| self.run(&mut decoded, frame, limits))?;
        proved.arguments = self.arguments.iter().map(|(argument, ..)| argument.clone()).collect();
        proved.time = start.elapsed();
        Ok(proved)
    }

    fn size(&self) -> usize {
        self.values.terms().len() + self.values.gates()
    }

    /// Memory that an argument points to.
    fn argument(&mut self, var: &Var, form: Form, is_result: bool, is_written: bool) {
        let bytes = self.specification.bytes(var, form, is_result);
        let alignment = self.specification.alignment(form);
        let name = match form {
            Form::Bytes => format!("bytes of {}", var.name),
            Form::Registers => format!("registers of {}", var.name),
        };
        let permission = if is_written { Permission::Write } else { Permission::Read };
        let region = self.memory.add(self.values.terms_mut(), &name, 0..bytes as i64, alignment, permission);
        let contents = (!is_written).then(|| self.specification.unknown(&mut self.values, var, form, is_result));
        if let Some(contents) = &contents {
            let step = i64::from(contents.granule / 8);
            for (index, word) in (0..).zip(&contents.words) {
                self.memory.set(&mut self.values, region, index * step, word.clone());
            }
        }
        self.arguments.push((Argument { name, bytes, alignment, is_written }, region, contents));
    }

    /// Memory that may be written, and of which nothing is expected: the last argument.
    fn scratch(&mut self, bytes: u64) {
        let (name, alignment) = ("scratch memory".to_owned(), self.specification.alignment(Form::Registers));
        let region = self.memory.add(self.values.terms_mut(), &name, 0..bytes as i64, alignment, Permission::Write);
        self.arguments.push((Argument { name, bytes, alignment, is_written: true }, region, None));
    }

    /// One execution, under one assumption about the stack pointer.
    fn run(&mut self, decoded: &mut Decoded, frame: &Frame, limits: &Limits) -> Result<Proved, Rejection> {
        let terms = self.values.terms_mut();
        let addresses: Vec<Term> =
            self.arguments.iter().map(|(_, region, _)| self.memory.address(terms, *region, 0)).collect();
        // What was made for other code does not count.
        let frame = &Frame { gates: frame.gates + self.values.gates(), ..frame.clone() };
        let mut finished = execute(&mut self.values, decoded, self.memory.clone(), self.entry, &addresses, frame)
            .map_err(|violation| rejected(self.image, violation))?;
        if self.expected.is_empty() {
            self.expect();
        }
        let claims = self.claims(&mut finished);
        let pairs: Vec<_> = claims.iter().map(|claim| claim.pair.clone()).collect();
        if let Some((output, inputs)) = self.samples.difference(&self.values, &pairs) {
            return Err(self.different(&claims[output], &inputs));
        }
        let comparison = self.values.compare(&pairs, &limits.budget);
        match comparison.verdict {
            Verdict::Equal(_) => self.equal.extend(pairs),
            Verdict::Different { output, counterexample } => {
                return Err(self.different(&claims[output], &counterexample));
            }
            Verdict::Undecided { output, reason } => {
                let Claim { argument, byte, .. } = claims[output].clone();
                return Err(Rejection::Undecided { argument, byte, reason });
            }
        }
        if limits.erasure {
            let results = self.results(&mut finished);
            erasure::check(&mut self.values, &mut finished, frame, &results)?;
        }
        let (stack, residue) = stack_use(&mut self.values, &mut finished, frame);
        Ok(Proved {
            instructions: finished.steps,
            stack,
            residue,
            is_erased: limits.erasure,
            unchanged: finished.unchanged(),
            unlisted: finished.unlisted,
            phases: 1,
            statistics: comparison.statistics,
            ..Proved::default()
        })
    }

    /// The words that the written arguments must hold.
    fn expect(&mut self) {
        let contents: Vec<_> = self.arguments.iter().filter_map(|(_, _, contents)| contents.clone()).collect();
        let values = &mut self.values;
        self.expected = match self.purpose {
            Purpose::Sliced => self.specification.run(values, Form::Registers, &contents),
            Purpose::Pack(var) | Purpose::PackWith(var, _) => {
                vec![self.specification.convert(values, var, false, &contents[0], Form::Bytes)]
            }
            Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => {
                vec![self.specification.convert(values, var, true, &contents[0], Form::Registers)]
            }
        };
    }

    /// What is in the results' memory.
    fn results(&mut self, finished: &mut Execution<V::Word>) -> Vec<V::Word> {
        let written = self.arguments.iter().filter(|(argument, ..)| argument.is_written);
        let read = |(argument, region, _): &Placed<V::Word>| {
            (0..argument.bytes as i64).map(|at| (*region, at)).collect::<Vec<_>>()
        };
        let places: Vec<(RegionId, i64)> = written.flat_map(read).collect();
        places.into_iter().map(|(region, at)| finished.memory.get(&mut self.values, region, at, 1)).collect()
    }

    /// What is in the results' memory beside what must be, without what is known to be equal.
    fn claims(&mut self, finished: &mut Execution<V::Word>) -> Vec<Claim<V::Word>> {
        let mut claims = Vec::new();
        let written = self.arguments.iter().filter(|(argument, ..)| argument.is_written);
        for ((argument, region, _), expected) in written.zip(&self.expected) {
            let mut offset = 0;
            for word in &expected.words {
                let bytes = self.values.width(word) / 8;
                let actual = finished.memory.get(&mut self.values, *region, offset as i64, bytes);
                let pair = (actual, word.clone());
                if !self.equal.contains(&pair) {
                    claims.push(Claim { pair, argument: argument.name.clone(), byte: offset });
                }
                offset += u64::from(bytes);
            }
        }
        claims
    }

    /// The lowest byte in which two words differ for these inputs, and what these are.
    fn different(&self, claim: &Claim<V::Word>, inputs: &Assignment) -> Rejection {
        let (found, expected) = &claim.pair;
        let values = self.values.evaluate(&[found.clone(), expected.clone()], inputs);
        let byte = |limbs: &[u64], index: usize| (limbs[index / 8] >> (8 * (index % 8))) as u8;
        let bytes = self.values.width(found) as usize / 8;
        let place = (0..bytes).find(|&at| byte(&values[0], at) != byte(&values[1], at)).unwrap_or_default();
        let names: BTreeSet<String> =
            [found, expected].into_iter().flat_map(|word| self.values.inputs_of(word)).collect();
        let terms = self.values.terms();
        let relevant = terms.inputs().filter_map(|input| {
            let name = terms.name(input);
            Some((names.get(name)?.clone(), inputs.get(input)?))
        });
        let digits = |limbs: &[u64]| limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect::<String>();
        Rejection::Different {
            argument: claim.argument.clone(),
            byte: claim.byte + place as u64,
            expected: byte(&values[1], place),
            found: byte(&values[0], place),
            values: relevant.map(|(name, limbs)| (name, digits(limbs))).collect(),
            memory: self.arguments.iter().map(|argument| self.memory_of(argument, inputs)).collect(),
        }
    }

    /// An argument's name, and what its memory holds before the call for these inputs.
    fn memory_of(&self, argument: &Placed<V::Word>, inputs: &Assignment) -> (String, Vec<u8>) {
        let (Argument { name, bytes, .. }, _, contents) = argument;
        let words = contents.as_ref().map_or(&[][..], |contents| &contents.words);
        let mut memory = Vec::new();
        for (word, limbs) in words.iter().zip(self.values.evaluate(words, inputs)) {
            let all = limbs.iter().flat_map(|limb| limb.to_le_bytes());
            memory.extend(all.take(self.values.width(word) as usize / 8));
        }
        memory.resize(*bytes as usize, 0);
        (name.clone(), memory)
    }
}

/// A violation with its place and the data that it depends on.
pub(crate) fn rejected(image: &Image, violation: Violation) -> Rejection {
    let line = image.line(violation.address).map_or_else(String::new, |(file, line)| format!(" ({file}:{line})"));
    let place = image.place(violation.address).map(|(name, offset)| format!("{name}+{offset:#x}{line}"));
    let unknown = violation.kind.unknown().unwrap_or_default();
    let inputs = unknown.iter().filter(|name| is_data(name)).cloned().collect();
    Rejection::Violation { violation: Box::new(violation), place, inputs }
}

impl Proved {
    /// Takes in what was proved under another assumption.
    pub(crate) fn add(&mut self, other: &Proved) {
        self.stack = self.stack.max(other.stack);
        self.residue = self.residue.max(other.residue);
        self.instructions = self.instructions.max(other.instructions);
        self.statistics += other.statistics;
        self.cases += other.cases;
        self.unchanged.intersect(&other.unchanged);
        self.unlisted.extend(other.unlisted.iter().cloned());
    }
}

impl Rejection {
    fn is_unknown_address(&self) -> bool {
        let Rejection::Violation { violation, .. } = self else { return false };
        matches!(violation.kind, ViolationKind::Memory(Fault::Unknown { .. }))
    }
}

/// Whether an input stands for what memory holds, not for an address or a register: [`Specification::unknown`] names them so,
/// and so do contracts.
pub(crate) fn is_data(name: &str) -> bool {
    name.ends_with(']')
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
            Rejection::NoFunction(name) => write!(f, "there is no function `{name}`"),
            Rejection::TooManyArguments(count) => {
                write!(f, "it has {count} arguments; {} are passed in registers", ARGUMENTS.len())
            }
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
            Rejection::Left { places, inputs } => {
                write!(f, "what depends on data is left in ")?;
                match &places[..] {
                    [first, more @ ..] if more.len() > 3 => write!(f, "{first} and {} more places", more.len())?,
                    few => f.write_str(&few.join(", "))?,
                }
                write_inputs(f, inputs)
            }
            Rejection::Different { argument, byte, .. } => {
                write!(f, "byte {byte} of the {argument} is not what the source computes")
            }
            Rejection::Undecided { argument, byte, reason } => {
                write!(f, "whether byte {byte} and those after it of the {argument} are right stays open: {reason:?}")
            }
            Rejection::Block { argument, byte } => {
                write!(f, "byte {byte} of the {argument} is not known to be of what the program means for that block")
            }
            Rejection::Loop(reason) => f.write_str(reason),
            Rejection::Callee(name) => write!(f, "`{name}`, which it calls, is not proved"),
            Rejection::False { claim, .. } => write!(f, "{claim} does not hold"),
            Rejection::Open { claim, rest } => write!(f, "whether {claim} holds stays open: {rest}"),
        }
    }
}
