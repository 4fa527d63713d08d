//! Calls: the effects of functions that were proved, and the effects that functions of the C library are taken to have.

mod library;
pub mod values;

use std::ops::Range;
use std::rc::Rc;

use culet_image::Image;
use culet_isa::x86_64::Flags;
use culet_term::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::decoded::Reliance;
use crate::execute::{ARGUMENTS, Execution, Knowledge, Registers, STACK_POINTER, unknown_state};
use crate::memory::{Permission, RegionId};
use crate::symbolic::Symbolic;
use crate::theorem::{Proved, Purpose, Theorem};
use crate::unknown::{After, Stage};
use crate::violation::ViolationKind;
use library::Function;
pub use library::Library;
pub(crate) use library::kept_by_abi;
use values::{Application, Array, BlockId, Values};

/// Knowledge about the functions around the one that is executed, and about the number of blocks.
pub struct Calls<'i, 'p> {
    image: &'i Image,
    /// Theorems by the addresses of their functions.
    theorems: FxHashMap<u64, Rc<Theorem<'p>>>,
    pub values: Values<'p>,
    /// Assumptions of the callees' proofs about their instructions.
    pub reliance: Reliance,
    /// Maximum number of bytes with data that a callee leaves on its stack.
    pub residue: u64,
    /// The part of the proof that is executed, and calls in it so far: what they leave unknown is told by that.
    stage: Stage,
    count: u64,
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

impl<'i, 'p> Calls<'i, 'p> {
    pub fn new(image: &'i Image, theorems: &[Theorem<'p>], values: Values<'p>) -> Calls<'i, 'p> {
        Calls {
            image,
            theorems: theorems.iter().map(|theorem| (theorem.address, Rc::new(theorem.clone()))).collect(),
            values,
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
        self.values.begin(stage);
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
        theorem: &Theorem<'p>,
    ) -> Result<Term, ViolationKind> {
        let depth = theorem.proved.stack as i64;
        let entry = enter(terms, execution, depth)?;
        let on_stack = theorem.proved.arguments.len().saturating_sub(ARGUMENTS.len()) as i64;
        // The callee may change its arguments on the stack.
        let mut frame = own_stack(execution, &theorem.proved, &entry);
        frame.range.end += 8 * on_stack;
        execution.memory.check(entry.stack, entry.pointer - depth..frame.range.end, 1, Permission::Write)?;
        let places = places(terms, execution, &theorem.proved, &entry)?;
        check_apart(&places, &frame)?;
        let return_address = execution.memory.get(terms, entry.stack, entry.pointer, 8);
        let written = self.effect(terms, execution, theorem.purpose, &places)?;
        let after = self.next(&theorem.symbol);
        execution.memory.forget(terms, entry.stack, frame.range, after);
        for (index, (place, argument)) in places.iter().zip(&theorem.proved.arguments).enumerate() {
            let known = written.iter().filter(|(place, ..)| *place == index);
            let known_bytes: i64 = known.map(|&(.., word)| i64::from(terms.bits(word) / 8)).sum();
            if argument.is_written && known_bytes < place.range.end - place.range.start {
                execution.memory.forget(terms, place.region, place.range.clone(), after);
            }
        }
        for (place, offset, word) in written {
            execution.memory.write(terms, places[place].region, places[place].range.start + offset, word);
        }
        give_back(terms, execution, &theorem.proved.unchanged, after);
        execution.library.extend(theorem.proved.library.iter().cloned());
        execution.steps += theorem.proved.instructions;
        execution.steps_of_callees += theorem.proved.instructions;
        self.reliance.add(&theorem.proved.reliance);
        self.residue = self.residue.max(theorem.proved.residue);
        Ok(return_address)
    }

    /// Returns the contents of the written arguments afterwards: the argument, the offset from its start, and the word.
    fn effect(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        purpose: Purpose<'p>,
        places: &[Place],
    ) -> Result<Vec<(usize, i64, Term)>, ViolationKind> {
        match purpose {
            Purpose::Sliced => {
                let results = self.values.results.len();
                let mut packed = Vec::new();
                for (index, place) in places[results..].iter().enumerate() {
                    packed.push(self.packed(terms, execution, index, place)?);
                }
                let block = |blocks: &Vec<BlockId>, instance: usize| blocks[instance.min(blocks.len() - 1)];
                let applications: Vec<_> = (0..self.values.instances() as usize)
                    .map(|instance| self.values.apply(packed.iter().map(|blocks| block(blocks, instance)).collect()))
                    .collect();
                let arrays = (0..results).map(|index| (index, Array::Result(index, applications.clone())));
                Ok(arrays.flat_map(|(index, array)| self.registers_of(terms, index, array)).collect())
            }
            Purpose::Pack(var) | Purpose::PackWith(var, _) => {
                let index = self.values.parameter(var).ok_or_else(|| unsupported("a parameter of another program"))?;
                let blocks = self.blocks(terms, execution, index, &places[1])?;
                Ok(self.registers_of(terms, 0, Array::Packed(index, blocks)))
            }
            Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => {
                let index = self.values.result(var).ok_or_else(|| unsupported("a result of another program"))?;
                let words = self.read_registers(terms, execution, &places[1]);
                match self.values.recognise(&words).as_deref() {
                    Some(Array::Result(result, applications)) if *result == index => {
                        Ok(self.blocks_of(terms, index, applications))
                    }
                    _ => {
                        let what = format!("the registers of {} are not what the program computed", var.name);
                        Err(ViolationKind::Unsupported(what))
                    }
                }
            }
        }
    }

    /// Returns the words of an array as the contents of an argument.
    fn registers_of(&mut self, terms: &mut Terms, argument: usize, array: Array) -> Vec<(usize, i64, Term)> {
        let words = self.values.array(terms, array);
        let register = i64::from(self.values.specification.layout.register_bits / 8);
        (0..).zip(&words[..]).map(|(index, &word)| (argument, index * register, word)).collect()
    }

    /// Returns the bytes of a result as the contents of the first argument.
    fn blocks_of(&mut self, terms: &mut Terms, result: usize, applications: &[Application]) -> Vec<(usize, i64, Term)> {
        let mut words = Vec::new();
        for (instance, &application) in (0..).zip(applications) {
            let block = self.values.output(terms, result, application);
            let shape = &self.values.results[result].block;
            let start = instance * shape.length;
            words.extend(shape.words().zip(&block[..]).map(|((offset, _), &word)| (0, start + offset, word)));
        }
        words
    }

    fn read_registers(&self, terms: &mut Terms, execution: &mut Execution, place: &Place) -> Vec<Term> {
        let bytes = self.values.specification.layout.register_bits / 8;
        let offsets = place.range.clone().step_by(bytes as usize);
        offsets.map(|offset| execution.memory.get(terms, place.region, offset, bytes)).collect()
    }

    /// Returns the blocks from which a parameter's registers were packed.
    fn packed(
        &self,
        terms: &mut Terms,
        execution: &mut Execution,
        index: usize,
        place: &Place,
    ) -> Result<Vec<BlockId>, ViolationKind> {
        let words = self.read_registers(terms, execution, place);
        match self.values.recognise(&words).as_deref() {
            Some(Array::Packed(parameter, blocks)) if *parameter == index => Ok(blocks.clone()),
            _ => {
                let name = &self.values.parameters[index].var.name;
                Err(ViolationKind::Unsupported(format!("the registers of {name} are not what its packing gave")))
            }
        }
    }

    /// Returns the blocks of a parameter's bytes.
    fn blocks(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        index: usize,
        place: &Place,
    ) -> Result<Vec<BlockId>, ViolationKind> {
        let mut blocks = Vec::new();
        let (length, offsets): (i64, Vec<_>) = {
            let block = &self.values.parameters[index].block;
            (block.length, block.words().collect())
        };
        for start in place.range.clone().step_by(length as usize) {
            let word = |&(offset, bytes): &(i64, u32)| execution.memory.get(terms, place.region, start + offset, bytes);
            let words: Vec<Term> = offsets.iter().map(word).collect();
            let port = &self.values.parameters[index];
            if !port.block.is_padded(terms, &words) {
                let name = &port.var.name;
                return Err(ViolationKind::Unsupported(format!("bits of {name} that hold nothing may be ones")));
            }
            blocks.push(self.values.block(words));
        }
        Ok(blocks)
    }
}

impl Knowledge for Calls<'_, '_> {
    fn call(&mut self, terms: &mut Terms, execution: &mut Execution) -> Result<Option<Term>, ViolationKind> {
        if let Some(theorem) = self.theorems.get(&execution.address).cloned() {
            return self.apply(terms, execution, &theorem).map(Some);
        }
        let Some(function) = Function::at(self.image, execution.address) else { return Ok(None) };
        let after = self.next(function.name());
        function.apply(terms, execution, after).map(Some)
    }
}

/// Checks the stack on arrival at a function that needs `depth` bytes of it.
pub(crate) fn enter<V: Symbolic>(
    values: &V,
    execution: &mut Execution<V::Word>,
    depth: i64,
) -> Result<Entry, ViolationKind> {
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
pub(crate) fn own_stack<W>(execution: &Execution<W>, proved: &Proved, entry: &Entry) -> Place {
    let start = match proved.library.is_empty() {
        true => entry.pointer - proved.stack as i64,
        false => execution.memory.region(entry.stack).extent.start,
    };
    Place { region: entry.stack, range: start..entry.pointer + 8 }
}

/// Sets the registers after a call: kept registers stay as they are, and others may hold anything.
pub(crate) fn give_back<V: Symbolic>(
    values: &mut V,
    execution: &mut Execution<V::Word>,
    kept: &Registers,
    after: After<'_>,
) {
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
pub(crate) fn places(
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
