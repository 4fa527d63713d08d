//! Functions of the C library. Their effects are not proved: they are taken from the standard (ISO C11, 7.24), and
//! printed with the verdict.

use super::{Place, check_apart, enter, give_back, unsupported};
use culet_image::Image;
use culet_isa::x86_64::Memory as _;

use crate::execute::{ARGUMENTS, Execution, KEPT, Knowledge, Registers};
use crate::memory::{CHUNK, Fault, Permission};
use crate::symbolic::Symbolic;
use crate::unknown::{After, Stage};
use crate::violation::ViolationKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Memcpy,
    Memmove,
    Memset,
}

/// Knowledge of these functions; of other functions only the bytes are known.
#[derive(Clone)]
pub struct Library<'i> {
    image: &'i Image,
    stage: Stage,
    calls: u64,
}

impl<'i> Library<'i> {
    /// For one execution, of this part of a proof.
    pub fn new(image: &'i Image, stage: Stage) -> Library<'i> {
        Library { image, stage, calls: 0 }
    }
}

impl<V: Symbolic> Knowledge<V> for Library<'_> {
    fn call(&mut self, values: &mut V, execution: &mut Execution<V::Word>) -> Result<Option<V::Word>, ViolationKind> {
        let Some(function) = Function::at(self.image, execution.address) else { return Ok(None) };
        self.calls += 1;
        let after = After { stage: self.stage, count: self.calls, function: function.name() };
        function.apply(values, execution, after).map(Some)
    }
}

const RAX: usize = 0;
/// Maximum number of bytes that a call copies or fills; a larger number is taken for a mistake.
const MAX_LENGTH: u64 = 1 << 30;

impl Function {
    /// Returns the function to which calls of an address go.
    pub fn at(image: &Image, address: u64) -> Option<Function> {
        match image.external(address)? {
            "memcpy" => Some(Function::Memcpy),
            "memmove" => Some(Function::Memmove),
            "memset" => Some(Function::Memset),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Function::Memcpy => "memcpy",
            Function::Memmove => "memmove",
            Function::Memset => "memset",
        }
    }

    /// Takes the call for what the standard says; gives the return address. Its own stack is not counted, and each [`CHUNK`] for an
    /// instruction.
    pub fn apply<V: Symbolic>(
        self,
        values: &mut V,
        execution: &mut Execution<V::Word>,
        after: After<'_>,
    ) -> Result<V::Word, ViolationKind> {
        let entry = enter(values, execution, 0)?;
        let return_address = execution.memory.get(values, entry.stack, entry.pointer, 8);
        let [to, from, length] = [0, 1, 2].map(|argument| execution.state.general[ARGUMENTS[argument]].clone());
        let unknown = || Fault::unknown("how many bytes are copied or filled is not known", values, &length);
        let length = values.known(64, &length).ok_or_else(unknown)?;
        if length > MAX_LENGTH {
            return Err(unsupported("more bytes are copied or filled than can be meant"));
        }
        execution.steps = execution.steps.saturating_add(length.div_ceil(CHUNK as u64));
        let below = execution.memory.region(entry.stack).extent.start..entry.pointer + 8;
        let frame = Place { region: entry.stack, range: below.clone() };
        let written = match (length, self) {
            (0, _) => None,
            (_, Function::Memset) => {
                let to = place(values, execution, &to, length, Permission::Write)?;
                check_apart(std::slice::from_ref(&to), &frame)?;
                let words = fill(values, &from, length as i64)?;
                Some((to, words))
            }
            (_, Function::Memcpy | Function::Memmove) => {
                let to = place(values, execution, &to, length, Permission::Write)?;
                let (pieces, from) = source(values, execution, &from, length)?;
                let mut places: Vec<Place> = [Some(to), from].into_iter().flatten().collect();
                match self {
                    Function::Memcpy => check_apart(&places, &frame)?,
                    _ => places.chunks(1).try_for_each(|one| check_apart(one, &frame))?,
                }
                Some((places.swap_remove(0), pieces))
            }
        };
        execution.memory.forget(values, entry.stack, below, after);
        if let Some((Place { region, range }, words)) = written {
            execution.memory.write_pieces(values, region, range.start, words);
        }
        give_back(values, execution, &kept_by_abi(), after);
        execution.state.general[RAX] = to;
        execution.library.insert(self.name().to_owned());
        Ok(return_address)
    }
}

fn place<V: Symbolic>(
    values: &V,
    execution: &mut Execution<V::Word>,
    address: &V::Word,
    length: u64,
    permission: Permission,
) -> Result<Place, ViolationKind> {
    let (region, start) = execution.memory.locate(values, address)?;
    let range = start..start + length as i64;
    execution.memory.check(region, range.clone(), 1, permission)?;
    Ok(Place { region, range })
}

/// Words by their offset from the start.
type Pieces<W> = Vec<(i64, W)>;

/// Returns the words that are copied, and their place if they are no constants of the image.
fn source<V: Symbolic>(
    values: &mut V,
    execution: &mut Execution<V::Word>,
    address: &V::Word,
    length: u64,
) -> Result<(Pieces<V::Word>, Option<Place>), ViolationKind> {
    if execution.memory.in_image(values, address).is_none() {
        let (region, start) = execution.memory.locate(values, address)?;
        let range = start..start + length as i64;
        let pieces = match execution.memory.check(region, range.clone(), 1, Permission::Read) {
            Err(lost @ Fault::Lost { .. }) => anything(values, length as i64).ok_or(lost)?,
            checked => {
                checked?;
                execution.memory.pieces(values, region, range.clone())
            }
        };
        return Ok((pieces, Some(Place { region, range })));
    }
    let mut pieces = Vec::new();
    for offset in (0..length).step_by(CHUNK as usize) {
        let distance = values.constant(64, offset);
        let at = values.add(64, address, &distance);
        let bytes = (length - offset).min(CHUNK as u64) as u32;
        pieces.push((offset as i64, execution.memory.load(values, &at, bytes, 1)?));
    }
    Ok((pieces, None))
}

/// Returns words for memory that may hold anything each time that it is read; `None` where no words are known as little about.
fn anything<V: Symbolic>(values: &mut V, length: i64) -> Option<Pieces<V::Word>> {
    let mut word = |offset: i64| Some((offset, values.anything(8 * (length - offset).min(CHUNK) as u32)?));
    (0..length).step_by(CHUNK as usize).map(&mut word).collect()
}

/// Returns the words of memory filled with the low byte of a register.
fn fill<V: Symbolic>(values: &mut V, value: &V::Word, length: i64) -> Result<Pieces<V::Word>, ViolationKind> {
    let byte = values.extract(64, value, 0, 8);
    let byte = values.known(8, &byte).ok_or_else(|| unsupported("memory is filled with a byte that is not known"))?;
    let limbs = [byte * 0x0101_0101_0101_0101; CHUNK as usize / 8];
    let mut word = |bytes: i64| {
        let word = values.terms_mut().constant_wide(8 * bytes as u32, &limbs);
        values.word(word)
    };
    let (whole, rest) = (word(CHUNK), length % CHUNK);
    let last = length - rest;
    let mut words: Pieces<_> = (0..last).step_by(CHUNK as usize).map(|start| (start, whole.clone())).collect();
    if rest > 0 {
        words.push((last, word(rest)));
    }
    Ok(words)
}

/// Returns the registers that a call keeps by the System V ABI.
pub(crate) fn kept_by_abi() -> Registers {
    let mut kept = Registers::default();
    for (register, _) in KEPT {
        kept.general[register] = true;
    }
    kept
}
