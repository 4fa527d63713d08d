//! Functions of the C library. What they do is not proved: it is taken from the standard (ISO C11, 7.24), and printed with
//! the verdict.

use culet_term::{Term, Terms};

use super::{Calls, Place, check_apart, unsupported};
use crate::execute::{ARGUMENTS, Execution, KEPT, Registers, ViolationKind};
use crate::memory::{CHUNK, Permission};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Memcpy,
    Memmove,
    Memset,
}

impl Function {
    pub fn named(name: &str) -> Option<Function> {
        match name {
            "memcpy" => Some(Function::Memcpy),
            "memmove" => Some(Function::Memmove),
            "memset" => Some(Function::Memset),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Function::Memcpy => "memcpy",
            Function::Memmove => "memmove",
            Function::Memset => "memset",
        }
    }
}

const RAX: usize = 0;
/// Longer ones are taken for a mistake.
const MAX_LENGTH: u64 = 1 << 30;

impl Calls<'_, '_> {
    /// Takes the call for what the standard says; gives the return address. Its own stack is not counted.
    pub(super) fn library(
        &mut self,
        terms: &mut Terms,
        execution: &mut Execution,
        function: Function,
    ) -> Result<Term, ViolationKind> {
        let entry = self.enter(terms, execution, 0)?;
        let return_address = execution.memory.get(terms, entry.stack, entry.pointer, 8);
        let [to, from, length] = [0, 1, 2].map(|argument| execution.state.general[ARGUMENTS[argument]]);
        let known = terms.value(length).filter(|&length| length <= MAX_LENGTH);
        let length =
            known.ok_or_else(|| unsupported("bytes are copied or filled, of which the number is not known"))?;
        let below = execution.memory.region(entry.stack).extent.start..entry.pointer + 8;
        let frame = Place { region: entry.stack, range: below.clone() };
        let label = self.label(function.name());
        let written = match (length, function) {
            (0, _) => Vec::new(),
            (_, Function::Memset) => {
                let to = place(terms, execution, to, length, Permission::Write)?;
                check_apart(std::slice::from_ref(&to), &frame)?;
                fill(terms, from, to)?
            }
            (_, Function::Memcpy | Function::Memmove) => {
                let [to, from] = [(to, Permission::Write), (from, Permission::Read)];
                let to = place(terms, execution, to.0, length, to.1)?;
                let from = place(terms, execution, from.0, length, from.1)?;
                let pieces = execution.memory.pieces(terms, from.region, from.range.clone());
                let (region, start) = (to.region, to.range.start);
                let places = [to, from];
                match function {
                    Function::Memcpy => check_apart(&places, &frame)?,
                    _ => places.chunks(1).try_for_each(|one| check_apart(one, &frame))?,
                }
                pieces.into_iter().map(|(offset, word)| (region, start + offset, word)).collect()
            }
        };
        execution.memory.forget(terms, entry.stack, below, &label);
        for (region, offset, word) in written {
            execution.memory.write(terms, region, offset, word);
        }
        self.give_back(terms, execution, &kept_by_abi(), &label);
        execution.state.general[RAX] = to;
        self.library.insert(function.name().to_owned());
        Ok(return_address)
    }
}

fn place(
    terms: &Terms,
    execution: &mut Execution,
    address: Term,
    length: u64,
    permission: Permission,
) -> Result<Place, ViolationKind> {
    let (region, start) = execution.memory.locate(terms, address)?;
    let range = start..start + length as i64;
    execution.memory.check(region, range.clone(), 1, permission)?;
    Ok(Place { region, range })
}

/// The words of memory filled with the low byte of a register.
fn fill(terms: &mut Terms, value: Term, to: Place) -> Result<Vec<(crate::memory::RegionId, i64, Term)>, ViolationKind> {
    let byte = terms.extract(value, 0, 8);
    let byte = terms.value(byte).ok_or_else(|| unsupported("memory is filled with a byte that is not known"))?;
    let limbs = [byte * 0x0101_0101_0101_0101; CHUNK as usize / 8];
    let mut words = Vec::new();
    for start in to.range.clone().step_by(CHUNK as usize) {
        let bytes = (to.range.end - start).min(CHUNK) as u32;
        words.push((to.region, start, terms.constant_wide(8 * bytes, &limbs)));
    }
    Ok(words)
}

fn kept_by_abi() -> Registers {
    let mut kept = Registers::default();
    for (register, _) in KEPT {
        kept.general[register] = true;
    }
    kept
}
