//! Calls: the effects of functions that were proved, and the effects that functions of the C library are taken to have.

mod kernel;
mod library;
pub mod values;

use std::ops::Range;

use culet_image::Image;
use culet_isa::x86_64::Flags;
use culet_term::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::decoded::Reliance;
use crate::execute::{ARGUMENTS, Execution, Knowledge, Registers, STACK_POINTER, unknown_state};
use crate::memory::{Permission, RegionId};
use crate::symbolic::Symbolic;
use crate::theorem::Proved;
use crate::unknown::{After, Stage};
use crate::violation::ViolationKind;
use library::Function;
pub use library::Library;
pub(crate) use library::kept_by_abi;

/// Knowledge about the functions around the one that is executed.
pub(crate) struct Calls<'i, 't, E: Effects> {
    image: &'i Image,
    callees: FxHashMap<u64, Called<'t, E::Says>>,
    pub effects: E,
    /// Assumptions of the callees' proofs about their instructions.
    pub reliance: Reliance,
    /// Maximum number of bytes with data that a callee leaves on its stack.
    pub residue: u64,
    /// The part of the proof that is executed, and calls in it so far: what they leave unknown is told by that.
    stage: Stage,
    count: u64,
}

/// A function with a theorem, which is applied at calls instead of executing the function.
#[derive(Clone)]
pub(crate) struct Called<'t, S> {
    pub address: u64,
    pub symbol: &'t str,
    pub proved: &'t Proved,
    /// Registers that are after a call as they were before.
    pub kept: Registers,
    /// The claim of the theorem about memory.
    pub says: S,
}

/// A word that a callee writes: the argument, by its index, the offset from its start in bytes, and the word.
pub(crate) type Written = (usize, i64, Term);

/// The effects of callees on the memory of their arguments, as the claims of their theorems say.
pub(crate) trait Effects {
    /// A claim about memory.
    type Says: Copy;

    /// Begins an execution of a part of the proof.
    fn begin(&mut self, _: Stage) {}

    /// Checks that only those arguments share memory that may, and that none has any of the callee's stack.
    fn check_shared(&self, _: Self::Says, places: &[Place], frame: &Place) -> Result<(), ViolationKind> {
        check_apart(places, frame)
    }

    /// Returns the words that a callee writes, whose arguments are at these places. Nothing is known of other bytes of
    /// an argument that is written.
    fn written(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        says: Self::Says,
        places: &[Place],
        after: After<'_>,
    ) -> Result<Vec<Written>, ViolationKind>;
}

/// The stack around a call: its region, and the offset of the return address.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub stack: RegionId,
    pub pointer: i64,
}

/// Memory of an argument.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub region: RegionId,
    pub range: Range<i64>,
}

impl<'i, 't, E: Effects> Calls<'i, 't, E> {
    pub fn new(image: &'i Image, callees: Vec<Called<'t, E::Says>>, effects: E) -> Calls<'i, 't, E> {
        Calls {
            image,
            callees: callees.into_iter().map(|callee| (callee.address, callee)).collect(),
            effects,
            reliance: Reliance::default(),
            residue: 0,
            stage: Stage::Entry,
            count: 0,
        }
    }

    /// Begins an execution of a part of the proof.
    pub fn begin(&mut self, stage: Stage) {
        self.stage = stage;
        self.count = 0;
        self.effects.begin(stage);
    }

    /// The next call.
    fn next<'n>(&mut self, function: &'n str) -> After<'n> {
        self.count += 1;
        After { stage: self.stage, count: self.count, function }
    }

    /// Applies what was proved of the callee instead of executing it, and returns the return address.
    fn apply(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        callee: &Called<'t, E::Says>,
    ) -> Result<Term, ViolationKind> {
        let &Called { symbol, proved, says, .. } = callee;
        let depth = proved.stack as i64;
        let entry = enter(terms, execution, depth)?;
        let on_stack = proved.arguments.len().saturating_sub(ARGUMENTS.len()) as i64;
        // The callee may change its arguments on the stack.
        let mut frame = own_stack(execution, proved, &entry);
        frame.range.end += 8 * on_stack;
        execution.memory.check(entry.stack, entry.pointer - depth..frame.range.end, 1, Permission::Write)?;
        let places = places(terms, execution, proved, &entry)?;
        self.effects.check_shared(says, &places, &frame)?;
        let return_address = execution.memory.get(terms, entry.stack, entry.pointer, 8);
        let after = self.next(symbol);
        let written = self.effects.written(terms, execution, says, &places, after)?;
        execution.memory.forget(terms, entry.stack, frame.range, after);
        for (index, (place, argument)) in places.iter().zip(&proved.arguments).enumerate() {
            let known = written.iter().filter(|(place, ..)| *place == index);
            let known_bytes: i64 = known.map(|&(.., word)| i64::from(terms.bits(word) / 8)).sum();
            if argument.is_written && known_bytes < place.range.end - place.range.start {
                execution.memory.forget(terms, place.region, place.range.clone(), after);
            }
        }
        for (place, offset, word) in written {
            execution.memory.write(terms, places[place].region, places[place].range.start + offset, word);
        }
        give_back(terms, execution, &callee.kept, after);
        execution.library.extend(proved.library.iter().cloned());
        execution.steps += proved.instructions;
        execution.steps_of_callees += proved.instructions;
        self.reliance.add(&proved.reliance);
        self.residue = self.residue.max(proved.residue);
        Ok(return_address)
    }
}

impl<E: Effects> Knowledge for Calls<'_, '_, E> {
    fn call(&mut self, terms: &mut Terms, execution: &mut Execution) -> Result<Option<Term>, ViolationKind> {
        if let Some(callee) = self.callees.get(&execution.address).cloned() {
            return self.apply(terms, execution, &callee).map(Some);
        }
        let Some(function) = Function::at(self.image, execution.address) else { return Ok(None) };
        let after = self.next(function.name());
        function.apply(terms, execution, after).map(Some)
    }
}

/// Checks the stack on arrival at a function that needs `depth` bytes of it.
fn enter<V: Symbolic>(values: &V, execution: &mut Execution<V::Word>, depth: i64) -> Result<Entry, ViolationKind> {
    let memory = &mut execution.memory;
    let (stack, pointer) = memory.locate(values, &execution.state.general[STACK_POINTER])?;
    if stack != execution.stack {
        return Err(unsupported("a function is called with a stack pointer that is not in the stack"));
    }
    if !memory.region(stack).alignment.is_multiple_of(16) || pointer.rem_euclid(16) != 8 {
        return Err(unsupported("a function is called with a stack pointer that is not aligned to 16 bytes"));
    }
    memory.check(stack, pointer - depth..pointer + 8, 1, Permission::Write)?;
    // The return address.
    memory.check(stack, pointer..pointer + 8, 8, Permission::Read)?;
    Ok(Entry { stack, pointer })
}

/// Returns the stack that a callee may write to, with its return address: the bytes that its proof counted, or all of
/// the stack below if it calls functions of the C library, whose own stack is not counted.
fn own_stack<W>(execution: &Execution<W>, proved: &Proved, entry: &Entry) -> Place {
    let start = match proved.library.is_empty() {
        true => entry.pointer - proved.stack as i64,
        false => execution.memory.region(entry.stack).extent.start,
    };
    Place { region: entry.stack, range: start..entry.pointer + 8 }
}

/// Sets the registers after a call: kept registers stay as they are, and others may hold anything.
fn give_back<V: Symbolic>(values: &mut V, execution: &mut Execution<V::Word>, kept: &Registers, after: After<'_>) {
    let unknown = unknown_state(values, after.since(), &after.to_string());
    let state = &mut execution.state;
    let eight = values.constant(64, 8);
    let pointer = values.add(64, &state.general[STACK_POINTER], &eight);
    let replace = |words: &mut [V::Word], unknown: &[V::Word], kept: &[bool]| {
        for ((word, other), _) in words.iter_mut().zip(unknown).zip(kept).filter(|(_, kept)| !**kept) {
            word.clone_from(other);
        }
    };
    replace(&mut state.general, &unknown.general, &kept.general);
    replace(&mut state.vectors, &unknown.vectors, &kept.vectors);
    replace(&mut state.masks, &unknown.masks, &kept.masks);
    state.general[STACK_POINTER] = pointer;
    state.flags = Flags::undefined();
}

fn unsupported(what: &str) -> ViolationKind {
    ViolationKind::Unsupported(what.to_owned())
}

/// Returns the places that the arguments of a call point to, after checking that the bytes there may be used as the
/// callee needs.
fn places(
    terms: &mut Terms,
    execution: &mut Execution,
    proved: &Proved,
    entry: &Entry,
) -> Result<Vec<Place>, ViolationKind> {
    let mut places = Vec::new();
    for (index, argument) in proved.arguments.iter().enumerate() {
        let pointer = match ARGUMENTS.get(index) {
            Some(&register) => execution.state.general[register],
            None => {
                let at = entry.pointer + 8 * (index + 1 - ARGUMENTS.len()) as i64;
                execution.memory.check(entry.stack, at..at + 8, 8, Permission::Read)?;
                execution.memory.get(terms, entry.stack, at, 8)
            }
        };
        let (region, start) = execution.memory.locate(terms, &pointer)?;
        let range = start..start + argument.bytes as i64;
        let permission = if argument.is_written { Permission::Write } else { Permission::Read };
        execution.memory.check(region, range.clone(), argument.alignment as u32, permission)?;
        execution.memory.check_kept(region, start)?;
        places.push(Place { region, range });
    }
    Ok(places)
}

/// Checks that no two arguments share a byte, and that no argument shares one with the callee's stack.
pub(crate) fn check_apart(places: &[Place], frame: &Place) -> Result<(), ViolationKind> {
    let shared =
        |a: &Place, b: &Place| a.region == b.region && a.range.start < b.range.end && b.range.start < a.range.end;
    let mut pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    if pairs.any(|(i, j)| shared(&places[i], &places[j])) {
        return Err(unsupported("a function is called with arguments that overlap"));
    }
    if places.iter().any(|place| shared(place, frame)) {
        return Err(unsupported("a function is called with an argument where its own stack will be"));
    }
    Ok(())
}
