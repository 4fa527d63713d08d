//! Symbolic execution of a function along its one path: control must be known at every step, and so must every address.

use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;
use std::time::Instant;

use culet_isa::x86_64::{self, Flags, Instruction, Next, State, Stop};
use culet_term::{Term, Terms};

use crate::decoded::Decoded;
use crate::memory::{Memory, RegionId};
use crate::symbolic::{Symbolic, named_inputs};
use crate::unknown::{Since, Unknown};
use crate::violation::{Violation, ViolationKind};

/// Conditions under which a function is called, and the resources that it may use.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Bytes of stack below the return address that it may use.
    pub stack: i64,
    /// The entry's stack pointer modulo `stack_alignment`.
    pub phase: i64,
    pub stack_alignment: u64,
    /// Instructions it may execute.
    pub steps: u64,
    /// Gates that may be made of the instructions.
    pub gates: usize,
    /// The time at which the execution is given up.
    pub until: Option<Instant>,
}

/// Number of instructions between looks at the time.
const LOOK: usize = 1 << 10;

/// A function under way: the state before the instruction at `address`, or after the return.
#[derive(Clone)]
pub struct Execution<'i, W = Term> {
    pub memory: Memory<'i, W>,
    pub state: State<W>,
    pub address: u64,
    pub steps: u64,
    /// Steps of functions that were proved before, which do not count against the limit.
    pub steps_of_callees: u64,
    pub stack: RegionId,
    /// Functions of the C library that were called.
    pub library: BTreeSet<String>,
    /// Address to which the function returns.
    return_address: W,
    /// The registers at the entry.
    before: State<W>,
    /// Addresses of the instructions that were executed, in order.
    trace: Trace,
}

/// A list that grows at its end, and of which copies share what was there before.
#[derive(Clone, Default)]
struct Trace {
    /// Parts of [`LOOK`] addresses.
    full: Vec<Rc<[u64]>>,
    last: Vec<u64>,
}

impl Trace {
    /// Adds an address, and says whether it completes a part.
    fn push(&mut self, address: u64) -> bool {
        self.last.push(address);
        let is_full = self.last.len() == LOOK;
        if is_full {
            self.full.push(mem::take(&mut self.last).into());
        }
        is_full
    }

    /// The addresses, the latest first.
    fn backwards(&self) -> impl Iterator<Item = u64> {
        let full = self.full.iter().rev().flat_map(|part| part.iter().rev());
        self.last.iter().rev().chain(full).copied()
    }
}

/// A set of registers: whether each belongs to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registers {
    pub general: [bool; 16],
    pub vectors: [bool; 32],
    pub masks: [bool; 8],
}

impl Registers {
    pub fn intersect(&mut self, other: &Registers) {
        let all = |a: &mut [bool], b: &[bool]| a.iter_mut().zip(b).for_each(|(a, &b)| *a &= b);
        all(&mut self.general, &other.general);
        all(&mut self.vectors, &other.vectors);
        all(&mut self.masks, &other.masks);
    }
}

/// Reason why an execution has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    Returned,
    /// The execution is before the instruction that was asked for.
    Arrived,
}

/// Knowledge beyond the bytes of a function.
pub trait Knowledge<V: Symbolic = Terms> {
    /// Applies the whole effect of the function at the execution's address. `Some` is the address to which it returns;
    /// the stack pointer is then as after the return. `None` if the bytes there are to be executed.
    fn call(&mut self, _: &mut V, _: &mut Execution<V::Word>) -> Result<Option<V::Word>, ViolationKind> {
        Ok(None)
    }

    /// Decides a branch, if it goes the same way for all values of public inputs.
    fn decide(&mut self, _: &mut V, _condition: V::Word) -> Option<bool> {
        None
    }
}

/// Registers that the ABI preserves, by number and name: rbx, rsp, rbp, r12 to r15.
pub(crate) const KEPT: [(usize, &str); 7] =
    [(3, "rbx"), (4, "rsp"), (5, "rbp"), (12, "r12"), (13, "r13"), (14, "r14"), (15, "r15")];
pub(crate) const STACK_POINTER: usize = 4;

/// The registers of integer and pointer arguments; more arguments are on the stack, above the return address, in memory
/// that the function may change.
pub const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

/// Returns the register or the place on the stack of an argument, by its index among those that are not returned.
pub fn passed(index: usize) -> String {
    match ARGUMENTS.get(index) {
        Some(&register) => GENERAL[register].to_owned(),
        None => format!("[rsp+{}]", 8 * (index + 1 - ARGUMENTS.len())),
    }
}

impl<'i, W: Clone + PartialEq> Execution<'i, W> {
    /// Begins an execution at the entry of a function.
    pub fn new<V: Symbolic<Word = W>>(
        values: &mut V,
        mut memory: Memory<'i, W>,
        entry: u64,
        arguments: &[Term],
        frame: &Frame,
    ) -> Execution<'i, W> {
        let mut state = initial_state(values);
        for (&register, &argument) in ARGUMENTS.iter().zip(arguments) {
            state.general[register] = values.word(argument);
        }
        let on_stack = arguments.get(ARGUMENTS.len()..).unwrap_or_default();
        // The entry's stack pointer is at offset `phase` from the region's base, so that the alignment of both is
        // known.
        let extent = frame.phase - frame.stack..frame.phase + 8 + 8 * on_stack.len() as i64;
        let stack = memory.add_stack(values.terms_mut(), extent, frame.phase + 8, frame.stack_alignment);
        let pointer = memory.address(values.terms_mut(), stack, frame.phase);
        state.general[STACK_POINTER] = values.word(pointer);
        let return_address = Unknown::Return.word(values.terms_mut(), "return address", 64);
        let return_address = values.word(return_address);
        memory.set(values, stack, frame.phase, return_address.clone());
        for (slot, &argument) in (1..).zip(on_stack) {
            let word = values.word(argument);
            memory.set(values, stack, frame.phase + 8 * slot, word);
        }
        let before = state.clone();
        let library = BTreeSet::new();
        Execution {
            memory,
            state,
            address: entry,
            steps: 0,
            steps_of_callees: 0,
            stack,
            library,
            return_address,
            before,
            trace: Trace::default(),
        }
    }

    /// Continues to the return, or to the next time that the instruction at `until` is to be executed.
    pub fn run<V: Symbolic<Word = W>>(
        &mut self,
        values: &mut V,
        decoded: &mut Decoded,
        knowledge: &mut dyn Knowledge<V>,
        until: Option<u64>,
        frame: &Frame,
    ) -> Result<Pause, Violation> {
        // The instruction that led to the current address.
        let mut last = None;
        self.point(values).map_err(|kind| Violation::at(last, self.address, kind))?;
        loop {
            let called = knowledge.call(values, self).map_err(|kind| Violation::at(last, self.address, kind))?;
            let (at, next) = match called {
                Some(address) => (last, Next::Return { address }),
                None => {
                    let instruction = decoded.at(self.address).map_err(|violation| violation.after(last))?;
                    self.count(values, &instruction, frame)?;
                    last = Some(instruction);
                    (last, self.step(values, &instruction)?)
                }
            };
            let from = self.address;
            let violation = |kind| Violation::at(at, from, kind);
            let known = |values: &V, target: &W| {
                let unknown = || violation(ViolationKind::Target(named_inputs(values, target)));
                self.memory.in_image(values, target).ok_or_else(unknown)
            };
            let following = at.map_or(from, |instruction| instruction.next_address());
            self.address = match next {
                Next::Fallthrough => following,
                Next::Jump(target) => known(values, &target)?,
                Next::Call { target, .. } => known(values, &target)?,
                Next::Branch { condition, taken } => {
                    let decided = values.known(1, &condition).map(|value| value == 1);
                    match decided.or_else(|| knowledge.decide(values, condition.clone())) {
                        Some(false) => following,
                        Some(true) => taken,
                        None => return Err(violation(ViolationKind::Branch(named_inputs(values, &condition)))),
                    }
                }
                Next::Return { address: target } if target == self.return_address => {
                    self.check_kept(values).map_err(|name| {
                        let writer = self.last_to_write(decoded, name);
                        Violation::at(writer.or(at), from, ViolationKind::Clobbered(name))
                    })?;
                    return Ok(Pause::Returned);
                }
                Next::Return { address: target } => known(values, &target)?,
            };
            self.point(values).map_err(violation)?;
            if until == Some(self.address) {
                return Ok(Pause::Arrived);
            }
        }
    }

    /// Counts one more instruction, and checks the limits.
    fn count<V: Symbolic<Word = W>>(
        &mut self,
        values: &V,
        instruction: &Instruction,
        frame: &Frame,
    ) -> Result<(), Violation> {
        let violation = |kind| Violation::at(Some(*instruction), self.address, kind);
        // Each repetition counts; their number is determined before the first.
        let repetitions = x86_64::repetitions(values, &self.state, instruction);
        self.steps = self.steps.saturating_add(repetitions.max(1));
        let is_time_to_look = self.trace.push(self.address);
        if self.steps - self.steps_of_callees > frame.steps {
            return Err(violation(ViolationKind::Endless(frame.steps)));
        }
        if is_time_to_look && frame.until.is_some_and(|until| Instant::now() >= until) {
            return Err(violation(ViolationKind::OutOfTime));
        }
        if values.gates() > frame.gates {
            return Err(violation(ViolationKind::TooManyGates(frame.gates)));
        }
        Ok(())
    }

    fn step<V: Symbolic<Word = W>>(&mut self, values: &mut V, instruction: &Instruction) -> Result<Next<W>, Violation> {
        self.memory.now = self.address;
        x86_64::step(values, &mut self.state, &mut self.memory, instruction).map_err(|stop| {
            let kind = match stop {
                Stop::Fault(fault) => ViolationKind::Memory(fault),
                stop @ Stop::SegmentBase { .. } => ViolationKind::SegmentBase(stop.to_string()),
                other => ViolationKind::Unsupported(other.to_string()),
            };
            Violation::at(Some(*instruction), self.address, kind)
        })
    }

    /// Tells the memory where the stack pointer is.
    fn point<V: Symbolic<Word = W>>(&mut self, values: &V) -> Result<(), ViolationKind> {
        Ok(self.memory.point(values, self.stack, &self.state.general[STACK_POINTER])?)
    }

    /// Returns the registers that are as they were at the entry, whether or not the ABI preserves them.
    pub fn unchanged(&self) -> Registers {
        let (before, state) = (&self.before, &self.state);
        Registers {
            general: std::array::from_fn(|i| before.general[i] == state.general[i]),
            vectors: std::array::from_fn(|i| before.vectors[i] == state.vectors[i]),
            masks: std::array::from_fn(|i| before.masks[i] == state.masks[i]),
        }
    }

    /// Returns the last instruction that wrote a register, given by the name of the whole register.
    pub fn last_to_write(&self, decoded: &mut Decoded, register: &str) -> Option<Instruction> {
        let mut executed = self.trace.backwards().filter_map(|address| decoded.at(address).ok());
        executed.find(|instruction| instruction.writes(register))
    }

    /// Checks the registers that the ABI preserves, after the return. The error is the first that has changed.
    fn check_kept<V: Symbolic<Word = W>>(&self, values: &mut V) -> Result<(), &'static str> {
        let bytes = values.constant(64, 8);
        for (register, name) in KEPT {
            let before = &self.before.general[register];
            let expected = match register {
                STACK_POINTER => values.add(64, before, &bytes),
                _ => before.clone(),
            };
            if self.state.general[register] != expected {
                return Err(name);
            }
        }
        Ok(())
    }
}

/// Names of the general registers, in the order of their encoding.
pub(crate) const GENERAL: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

/// Returns the state at the entry, in which registers hold anything.
fn initial_state<V: Symbolic>(values: &mut V) -> State<V::Word> {
    unknown_state(values, Since::Entry, "")
}

/// Registers that hold anything from some time on; `label` follows their names.
pub(crate) fn unknown_state<V: Symbolic>(values: &mut V, since: Since, label: &str) -> State<V::Word> {
    let mut register = |register: Unknown, name: &str, bits| {
        let term = register.word(values.terms_mut(), &format!("{name}{label}"), bits);
        values.word(term)
    };
    State {
        general: std::array::from_fn(|i| register(Unknown::General(i, since), GENERAL[i], 64)),
        vectors: std::array::from_fn(|i| register(Unknown::Vector(i, since), &format!("zmm{i}"), 512)),
        masks: std::array::from_fn(|i| register(Unknown::Mask(i, since), &format!("k{i}"), 64)),
        flags: Flags::undefined(),
    }
}
