//! Symbolic execution of a function along its one path: control must be known at every step, and so must every address.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use culet_isa::x86_64::{self, Flags, Instruction, Next, State, Stop, Timing};
use culet_term::{Term, Terms};

use crate::image::Image;
use crate::memory::{Fault, Memory, Permission, RegionId};

/// How a function is called, and what it may use.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Bytes below the return address that it may use.
    pub stack: i64,
    /// The entry's stack pointer modulo `stack_alignment`.
    pub phase: i64,
    pub stack_alignment: u64,
    /// Instructions it may execute.
    pub steps: u64,
}

impl Frame {
    /// What the System V ABI promises: 16-byte alignment before the return address is pushed.
    pub fn system_v(stack: i64, steps: u64) -> Frame {
        Frame { stack, phase: 8, stack_alignment: 16, steps }
    }
}

/// An instruction that the theorem forbids, or that cannot be followed.
#[derive(Debug, Clone)]
pub struct Violation {
    pub address: u64,
    /// In Intel syntax; empty where the bytes are no instruction.
    pub instruction: String,
    pub kind: ViolationKind,
}

#[derive(Debug, Clone)]
pub enum ViolationKind {
    /// Bytes that are no instruction, or not executable.
    NoCode(String),
    Memory(Fault),
    /// A branch whose condition depends on these inputs.
    Branch(Term),
    /// A jump, call or return to an address that is not known.
    Target(Term),
    /// An instruction whose time may depend on its operands.
    VariableTime,
    /// An instruction the semantics do not have, or a use of what an instruction leaves undefined.
    Unsupported(String),
    /// Another function, of which there are no bytes.
    External(String),
    /// More instructions than the budget.
    Endless(u64),
    /// A register that the ABI says is kept, or the stack pointer.
    Clobbered(&'static str),
}

impl ViolationKind {
    /// The condition or address that had to be known.
    pub fn unknown(&self) -> Option<Term> {
        match self {
            ViolationKind::Branch(term)
            | ViolationKind::Target(term)
            | ViolationKind::Memory(Fault::Unknown { address: term }) => Some(*term),
            _ => None,
        }
    }
}

/// The state after the return.
pub struct Finished<'i> {
    pub memory: Memory<'i>,
    pub state: State<Term>,
    pub steps: u64,
    pub stack: RegionId,
    /// Mnemonics that were executed and of which no list says that their time does not depend on data.
    pub unlisted: BTreeSet<String>,
}

/// rbx, rsp, rbp, r12 to r15.
const KEPT: [(usize, &str); 7] =
    [(3, "rbx"), (4, "rsp"), (5, "rbp"), (12, "r12"), (13, "r13"), (14, "r14"), (15, "r15")];
const STACK_POINTER: usize = 4;

/// The registers of integer and pointer arguments.
pub const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

/// Instructions decoded once.
pub struct Decoded<'i> {
    image: &'i Image,
    instructions: HashMap<u64, Instruction>,
}

impl<'i> Decoded<'i> {
    pub fn new(image: &'i Image) -> Decoded<'i> {
        Decoded { image, instructions: HashMap::new() }
    }

    fn at(&mut self, address: u64) -> Result<Instruction, Violation> {
        if let Some(instruction) = self.instructions.get(&address) {
            return Ok(*instruction);
        }
        let violation = |kind| Violation { address, instruction: String::new(), kind };
        if let Some(name) = self.image.external(address) {
            return Err(violation(ViolationKind::External(name.to_owned())));
        }
        let no_code = |reason: String| violation(ViolationKind::NoCode(reason));
        let code = self.image.code(address).ok_or_else(|| no_code("there is no code there".into()))?;
        let instruction = x86_64::decode(code, address).map_err(|error| no_code(error.to_string()))?;
        self.instructions.insert(address, instruction);
        Ok(instruction)
    }
}

/// Runs the function at `entry` with the arguments in their registers. `memory` holds what they point to.
pub fn execute<'i>(
    terms: &mut Terms,
    decoded: &mut Decoded<'i>,
    mut memory: Memory<'i>,
    entry: u64,
    arguments: &[Term],
    frame: &Frame,
) -> Result<Finished<'i>, Violation> {
    let mut state = initial_state(terms);
    for (&register, &argument) in ARGUMENTS.iter().zip(arguments) {
        state.general[register] = argument;
    }
    // The entry's stack pointer is at distance `phase` from the region's base, so that the alignment of both is known.
    let stack = memory.add(
        terms,
        "stack",
        frame.phase - frame.stack..frame.phase + 8,
        frame.stack_alignment,
        Permission::Write,
    );
    state.general[STACK_POINTER] = memory.address(terms, stack, frame.phase);
    let return_address = terms.input("return address", 64);
    memory.set(terms, stack, frame.phase, return_address);
    let kept: Vec<(usize, &'static str, Term)> =
        KEPT.iter().map(|&(register, name)| (register, name, state.general[register])).collect();

    let mut address = entry;
    let mut steps = 0;
    let mut unlisted = BTreeSet::new();
    loop {
        let instruction = decoded.at(address)?;
        let violation = |kind| Violation { address, instruction: instruction.to_string(), kind };
        steps += 1;
        if steps > frame.steps {
            return Err(violation(ViolationKind::Endless(frame.steps)));
        }
        match x86_64::timing(&instruction) {
            Timing::Independent => {}
            Timing::Presumed => drop(unlisted.insert(mnemonic(&instruction))),
            Timing::Variable | Timing::Unlisted => return Err(violation(ViolationKind::VariableTime)),
        }
        let next = x86_64::step(terms, &mut state, &mut memory, &instruction).map_err(|stop| {
            violation(match stop {
                Stop::Fault(fault) => ViolationKind::Memory(fault),
                other => ViolationKind::Unsupported(other.to_string()),
            })
        })?;
        let known =
            |terms: &Terms, target: Term| terms.value(target).ok_or_else(|| violation(ViolationKind::Target(target)));
        address = match next {
            Next::Fallthrough => instruction.next_address(),
            Next::Jump(target) => known(terms, target)?,
            Next::Call { target, .. } => known(terms, target)?,
            Next::Branch { condition, taken } => match terms.value(condition) {
                Some(0) => instruction.next_address(),
                Some(_) => taken,
                None => return Err(violation(ViolationKind::Branch(condition))),
            },
            Next::Return { address: target } if target == return_address => {
                let bytes = terms.constant_wide(64, &[8]);
                let clobbered = kept.iter().find(|&&(register, _, before)| {
                    let expected = if register == STACK_POINTER { terms.add(before, bytes) } else { before };
                    state.general[register] != expected
                });
                if let Some(&(_, name, _)) = clobbered {
                    return Err(violation(ViolationKind::Clobbered(name)));
                }
                return Ok(Finished { memory, state, steps, stack, unlisted });
            }
            Next::Return { address: target } => known(terms, target)?,
        };
    }
}

fn mnemonic(instruction: &Instruction) -> String {
    let text = instruction.to_string();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Registers hold anything at the entry.
fn initial_state(terms: &mut Terms) -> State<Term> {
    const GENERAL: [&str; 16] =
        ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    State {
        general: std::array::from_fn(|i| terms.input(GENERAL[i], 64)),
        vectors: std::array::from_fn(|i| terms.input(&format!("zmm{i}"), 512)),
        masks: std::array::from_fn(|i| terms.input(&format!("k{i}"), 64)),
        flags: Flags::undefined(),
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.address)?;
        if !self.instruction.is_empty() {
            write!(f, " ({})", self.instruction)?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViolationKind::NoCode(reason) => write!(f, "this is no code: {reason}"),
            ViolationKind::Memory(fault) => fault.fmt(f),
            ViolationKind::Branch(_) => f.write_str("a branch depends on what is not known"),
            ViolationKind::Target(_) => f.write_str("a jump, call or return goes to an address that is not known"),
            ViolationKind::VariableTime => f.write_str("the time of this instruction may depend on its operands"),
            ViolationKind::Unsupported(what) => f.write_str(what),
            ViolationKind::External(name) => write!(f, "`{name}` is called, which this image does not hold"),
            ViolationKind::Endless(steps) => write!(f, "more than {steps} instructions are executed"),
            ViolationKind::Clobbered(name) => write!(f, "{name} is not as it was before the call"),
        }
    }
}
