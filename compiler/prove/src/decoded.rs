//! Instructions, each decoded once by two decoders, and what a proof that executes them takes for granted.

use std::collections::{BTreeSet, HashMap};

use culet_isa::x86_64::{self, Agreement, Instruction, Timing};

use crate::execute::{Violation, ViolationKind};
use crate::image::{Access, Image};
use crate::rejection;

/// What is taken for granted of the instructions that are executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reliance {
    /// Mnemonics of which no list says that their time does not depend on data.
    pub unlisted: BTreeSet<String>,
    /// Mnemonics that one decoder alone vouches for.
    pub one_decoder: BTreeSet<String>,
    /// Extensions of x86-64 that the CPU must have.
    pub extensions: BTreeSet<String>,
}

/// Instructions decoded so far.
pub struct Decoded<'i> {
    pub(crate) image: &'i Image,
    instructions: HashMap<u64, Instruction>,
    /// Of all of them.
    pub reliance: Reliance,
}

impl<'i> Decoded<'i> {
    pub fn new(image: &'i Image) -> Decoded<'i> {
        Decoded { image, instructions: HashMap::new(), reliance: Reliance::default() }
    }

    /// The instruction at an address; an error if there is none, or none that may be executed.
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
                _ => format!("control goes to {address:#x}, where there is no code"),
            })
        })?;
        let instruction = x86_64::decode(code, address).map_err(|error| no_code(error.to_string()))?;
        let of_it = |kind| Violation::at(Some(instruction), address, kind);
        if let Some(why) = self.image.unlinked(address..instruction.next_address()) {
            return Err(of_it(ViolationKind::Unlinked(why.to_owned())));
        }
        let timing = x86_64::timing(&instruction);
        if matches!(timing, Timing::Variable | Timing::Unlisted) {
            return Err(of_it(ViolationKind::VariableTime));
        }
        let agreement = x86_64::agreement(&instruction, code)
            .map_err(|disagreement| of_it(ViolationKind::Decoders(disagreement.to_string())))?;
        self.reliance.take_in(&instruction, timing, agreement);
        self.instructions.insert(address, instruction);
        Ok(instruction)
    }

    /// An address for messages: the function, the line of source if it is known, and the instruction.
    pub(crate) fn place(&mut self, address: u64) -> String {
        let instruction = self.at(address).map_or_else(|_| String::new(), |instruction| format!(" ({instruction})"));
        let place = rejection::place(self.image, address).map_or_else(String::new, |place| format!("{place}, "));
        format!("{place}{address:#x}{instruction}")
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

    /// Takes in what something else rests on.
    pub fn add(&mut self, other: &Reliance) {
        self.unlisted.extend(other.unlisted.iter().cloned());
        self.one_decoder.extend(other.one_decoder.iter().cloned());
        self.extensions.extend(other.extensions.iter().cloned());
    }
}

fn mnemonic(instruction: &Instruction) -> String {
    let text = instruction.to_string();
    text.split(' ').next().unwrap_or_default().to_owned()
}
