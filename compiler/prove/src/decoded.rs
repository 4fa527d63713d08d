//! Instructions, each decoded once by two decoders, and the assumptions of a proof that executes them.

use std::collections::BTreeSet;
use std::ops::Range;

use culet_image::{Access, Change, Extension, Field, Image, Meaning, Rewritten};
use culet_isa::x86_64::{self, Agreement, Instruction, Timing};
use rustc_hash::FxHashMap;

use crate::rejection::{self, At};
use crate::violation::{Violation, ViolationKind};

/// Assumptions about the instructions that are executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reliance {
    /// Mnemonics whose time no list says to be independent of data.
    pub unlisted: BTreeSet<String>,
    /// Mnemonics that one decoder alone vouches for.
    pub one_decoder: BTreeSet<String>,
    /// Extensions of x86-64 that the CPU must have.
    pub extensions: BTreeSet<String>,
}

/// Instructions decoded so far.
pub struct Decoded<'i> {
    pub(crate) image: &'i Image,
    instructions: FxHashMap<u64, Instruction>,
    /// Assumptions about all of them.
    pub reliance: Reliance,
}

impl<'i> Decoded<'i> {
    pub fn new(image: &'i Image) -> Decoded<'i> {
        Decoded { image, instructions: FxHashMap::default(), reliance: Reliance::default() }
    }

    /// Returns the instruction at an address, or an error if there is none, or none that may be executed.
    pub(crate) fn at(&mut self, address: u64) -> Result<Instruction, Violation> {
        if let Some(instruction) = self.instructions.get(&address) {
            return Ok(*instruction);
        }
        let violation = |kind| Violation { address, instruction: String::new(), kind };
        if let Some(name) = self.image.external(address) {
            return Err(violation(ViolationKind::External(name.to_owned())));
        }
        let no_code = |reason: String| violation(ViolationKind::NoCode(reason));
        let code = self.image.code(address).ok_or_else(|| {
            no_code(match self.image.access(address) {
                Some(Access::Writable) => format!("the program may change the code at {address:#x}"),
                _ => no_code_at(address),
            })
        })?;
        let instruction = x86_64::decode(code, address).map_err(|error| no_code(error.to_string()))?;
        let of_it = |kind| Violation::at(Some(instruction), address, kind);
        self.check_fields(&instruction, code).map_err(of_it)?;
        let timing = x86_64::timing(&instruction);
        match (timing, x86_64::unsupported(&instruction)) {
            (Timing::Variable, _) => {
                return Err(of_it(ViolationKind::VariableTime(
                    "the time of this instruction may depend on its operands",
                )));
            }
            (_, Some(why)) => return Err(of_it(ViolationKind::Unsupported(why.to_owned()))),
            (Timing::Unlisted, None) => {
                let why = "no list says that the time of this instruction does not depend on its operands";
                return Err(of_it(ViolationKind::VariableTime(why)));
            }
            _ => {}
        }
        let agreement = x86_64::agreement(&instruction, code)
            .map_err(|disagreement| of_it(ViolationKind::Decoders(disagreement.to_string())))?;
        self.reliance.take_in(&instruction, timing, agreement);
        self.instructions.insert(address, instruction);
        Ok(instruction)
    }

    /// Returns the number of bytes of all instructions that were decoded.
    pub(crate) fn bytes(&self) -> u64 {
        self.instructions.values().map(|instruction| instruction.next_address() - instruction.address()).sum()
    }

    /// Checks that the bytes of an instruction and its target are known, wherever the code will be.
    fn check_fields(&self, instruction: &Instruction, code: &[u8]) -> Result<(), ViolationKind> {
        let address = instruction.address();
        let range = address..instruction.next_address();
        let distance = instruction.distance(code);
        for (start, Field { bytes, meaning }) in self.image.fields(range.clone()) {
            // A field that begins before the instruction is at no place in it.
            let at = start.wrapping_sub(address);
            let place = at..at.wrapping_add(*bytes);
            match meaning {
                Meaning::Unlinked(why) => return Err(ViolationKind::Unlinked(why.clone())),
                Meaning::Displacement(_) if distance == Some(place.clone()) => {}
                Meaning::Branch(_) if distance == Some(place.clone()) && instruction.near_target().is_some() => {}
                Meaning::Absolute(_, extension) if holds_address(instruction, code, place, *extension) => {}
                _ => {
                    let what = "the final link fills in another part of the instruction than an address or a distance";
                    return Err(ViolationKind::Unlinked(what.to_owned()));
                }
            }
        }
        for (start, Rewritten { change, .. }) in self.image.rewritten(range.clone()) {
            match change {
                Change::Unlinked(why) => return Err(ViolationKind::Unlinked(why.clone())),
                Change::Same(reader) if range.contains(&start) && reader.is_kept(code, start - address) => {}
                Change::Same(_) => {
                    let what = "the final link may change the bytes around the address of a slot, which are not those of an instruction that it knows";
                    return Err(ViolationKind::Unlinked(what.to_owned()));
                }
            }
        }
        let beyond = |target: u64| {
            let anchor = self.image.displaced_anchor(instruction)?;
            (!self.image.anchors()[anchor].range.contains(&target)).then_some(target)
        };
        match instruction.near_target().and_then(beyond) {
            Some(target) => Err(ViolationKind::NoCode(no_code_at(target))),
            None => Ok(()),
        }
    }

    /// Describes an address for messages: the function, the line of source if it is known, and the instruction.
    pub(crate) fn place(&mut self, address: u64) -> At {
        let instruction = self.at(address).map_or_else(|_| String::new(), |instruction| instruction.to_string());
        At { place: rejection::place(self.image, address), address, instruction }
    }
}

impl Reliance {
    fn take_in(&mut self, instruction: &Instruction, timing: Timing, agreement: Agreement) {
        if timing == Timing::Presumed {
            self.unlisted.insert(mnemonic(instruction));
        }
        if agreement == Agreement::FirstOnly {
            self.one_decoder.insert(mnemonic(instruction));
        }
        self.extensions.extend(x86_64::extensions(instruction));
    }

    /// Adds the assumptions of another proof.
    pub fn add(&mut self, other: &Reliance) {
        self.unlisted.extend(other.unlisted.iter().cloned());
        self.one_decoder.extend(other.one_decoder.iter().cloned());
        self.extensions.extend(other.extensions.iter().cloned());
    }
}

/// Whether bytes of an instruction that hold an address are an operand, and the operand is extended in this way.
fn holds_address(instruction: &Instruction, code: &[u8], bytes: Range<u64>, extension: Extension) -> bool {
    let is_displacement = extension == Extension::Sign && instruction.displacement(code).as_ref() == Some(&bytes);
    let is_immediate = || match instruction.immediate(code) {
        // Only the low bits are used.
        Some((place, 32)) => place == bytes,
        Some((place, _)) => place == bytes && extension != Extension::Zero,
        None => false,
    };
    is_displacement || is_immediate()
}

fn no_code_at(address: u64) -> String {
    format!("control goes to {address:#x}, where there is no code")
}

fn mnemonic(instruction: &Instruction) -> String {
    let text = instruction.to_string();
    text.split(' ').next().unwrap_or_default().to_owned()
}
