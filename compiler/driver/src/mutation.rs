//! Trials of the prover with damaged kernels. A mutant that the prover accepts must behave like the original.

use std::collections::BTreeMap;

use culet_decide::bits::Budget;
use culet_diag::Diagnostics;
use culet_image::Image;
use culet_isa::x86_64::mutate::{Mutant, mutant};
use culet_native::replay::{Buffer, Code, behaviour};
use culet_prove::registers::Statement;
use culet_prove::run::{self, Blocks};
use culet_prove::source::{Form, Specification};
use culet_prove::theorem::{Argument, Limits, Proved, Purpose, Rejection, Theorem};
use culet_sbox::random::Random;
use culet_term::{Assignment, Terms};
use culet_types::program::Var;

use crate::on_bytes::arguments;
use crate::prove::Task;
use crate::refusal::kind;
use crate::single::Single;
use crate::sliced::Sliced;
use crate::words_proof::Meant;

/// The number of mutants of each function, and the seed that selects them.
#[derive(Debug, Clone, Copy)]
pub struct Mutation {
    pub count: usize,
    pub seed: u64,
}

/// Number of bytes in memory for a stream; a call is told of so many or of fewer.
const STREAM: usize = 300;

/// Number of calls on which an accepted mutant must do what the function does.
const REPLAYS: usize = 3000;

/// The results for the mutants of one function.
#[derive(Debug, Clone)]
pub struct Trials {
    pub symbol: String,
    /// Number of calls of each accepted mutant, on random inputs.
    pub calls: usize,
    /// Number of rejected mutants by the kind of reason.
    pub rejected: BTreeMap<&'static str, usize>,
    pub accepted: Vec<Accepted>,
}

/// A mutant that the prover accepts.
#[derive(Debug, Clone)]
pub struct Accepted {
    pub mutant: Mutant,
    /// Whether it behaves like the function.
    pub is_same: bool,
}

/// The reason why there were no trials.
#[derive(Debug)]
pub enum MutationError {
    Program(Diagnostics),
    /// The function itself is not proved, or its size is not known.
    NotProved(String),
    /// The function cannot be run here.
    NotRun(String),
}

/// Proves mutants of the functions of a kernel on slices that `wanted` names, and runs those that are accepted.
pub(crate) fn of_slices(
    sliced: &Sliced,
    image: &Image,
    mutation: Mutation,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Result<Vec<Trials>, MutationError> {
    let mut all = Vec::new();
    let task = Task::of(sliced).map_err(MutationError::Program)?;
    let specification = task.specification();
    for (symbol, purpose) in task.functions() {
        if wanted(&symbol) {
            let statement = Statement::new(image, &symbol, &specification, purpose);
            let statement = statement.map_err(|why| MutationError::NotProved(format!("{symbol}: {why}")))?;
            let mut on_registers =
                OnRegisters { image, symbol: &symbol, specification: &specification, purpose, statement, size: None };
            all.push(trials(image, &symbol, &mut on_registers, mutation)?);
        }
    }
    let on_bytes: Vec<_> = task.functions_on_bytes().into_iter().filter(|(symbol, _)| wanted(symbol)).collect();
    let theorems = match on_bytes.is_empty() {
        true => Vec::new(),
        false => task.theorems(image, &Limits::default()).map_err(MutationError::NotProved)?,
    };
    for (symbol, blocks) in on_bytes {
        let mut on_bytes = OnBytes { symbol, specification: &specification, blocks, theorems: &theorems };
        all.push(trials(image, symbol, &mut on_bytes, mutation)?);
    }
    Ok(all)
}

/// Proves mutants of a function on words, and runs those that are accepted.
pub(crate) fn of_words(
    single: &Single,
    image: &Image,
    mutation: Mutation,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Result<Vec<Trials>, MutationError> {
    let symbol = &single.c.function;
    if !wanted(symbol) {
        return Ok(Vec::new());
    }
    let mut meant = Meant::of(single).map_err(|why| MutationError::NotProved(format!("{symbol}: {why}")))?;
    Ok(vec![trials(image, symbol, &mut meant, mutation)?])
}

/// A prover of one function, and of mutants in its place.
trait Prover {
    fn prove(&mut self, image: &Image, limits: &Limits) -> Result<Proved, Rejection>;

    /// The arguments, with the mask of bits that may be set in each one that is read; `None` if some argument has no
    /// memory of a fixed size.
    fn buffers(&self, proved: &Proved) -> Option<Vec<Buffer>>;

    /// Number of calls on which a mutant must do what the function does.
    fn calls(&self) -> usize {
        REPLAYS
    }
}

/// A function on registers, or one that packs or unpacks them.
struct OnRegisters<'s> {
    image: &'s Image,
    symbol: &'s str,
    specification: &'s Specification<'s>,
    purpose: Purpose<'s>,
    statement: Statement<'s, 's>,
    /// Number of terms after the first proof.
    size: Option<usize>,
}

impl Prover for OnRegisters<'_> {
    fn prove(&mut self, image: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        // Terms that do not depend on the mutant are kept. Once other mutants' terms take too much room, the
        // statement is made anew.
        if self.size.is_some_and(|size| self.statement.size() > ROOM * size) {
            self.statement = Statement::new(self.image, self.symbol, self.specification, self.purpose)?;
        }
        let proved = self.statement.prove(image, limits);
        self.size.get_or_insert(self.statement.size());
        proved
    }

    fn buffers(&self, proved: &Proved) -> Option<Vec<Buffer>> {
        let mut masks = free_bits(self.specification, self.purpose).into_iter();
        let mut buffer = |argument: &Argument| Buffer::Memory {
            bytes: argument.bytes as usize,
            mask: if argument.is_written { None } else { masks.next() },
        };
        Some(proved.arguments.iter().map(&mut buffer).collect())
    }
}

/// A function on bytes, with the theorems on the functions that it calls.
struct OnBytes<'s> {
    symbol: &'s str,
    specification: &'s Specification<'s>,
    blocks: Blocks,
    theorems: &'s [Theorem<'s>],
}

impl OnBytes<'_> {
    /// Number of blocks of a call: two iterations of the loop over batches, and a partial batch.
    fn most(&self) -> usize {
        let instances = self.specification.layout.instances() as usize;
        if self.blocks == Blocks::Fixed { instances } else { (3 * instances - 1).max(3) }
    }
}

impl Prover for OnBytes<'_> {
    fn prove(&mut self, image: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        run::prove(image, self.symbol, self.specification, self.blocks, self.theorems, limits)
    }

    fn buffers(&self, _: &Proved) -> Option<Vec<Buffer>> {
        let memory = arguments(self.specification.program, self.most())
            .into_iter()
            .map(|(_, is_result, bytes)| Buffer::Memory { bytes, mask: (!is_result).then(|| vec![0xff; bytes]) });
        let mut buffers: Vec<Buffer> = memory.collect();
        if self.blocks == Blocks::Any {
            buffers.push(Buffer::Number(self.most() as u64));
        }
        Some(buffers)
    }

    /// Each call processes many blocks.
    fn calls(&self) -> usize {
        (2 * REPLAYS / self.most()).max(50)
    }
}

/// The function of a program that computes one instance.
impl Prover for Meant<'_> {
    fn prove(&mut self, image: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        Meant::prove(self, image, self.symbol(), limits)
    }

    /// A stream, and a result of any length, has at most [`STREAM`] bytes.
    fn buffers(&self, proved: &Proved) -> Option<Vec<Buffer>> {
        let is_stream = self.are_streams();
        let mut pointers = [true, false].map(|is_written| is_stream[usize::from(!is_written)].iter());
        let mut buffers = Vec::new();
        for argument in &proved.arguments {
            if argument.is_word {
                buffers.push(Buffer::Number(STREAM as u64));
                continue;
            }
            let is_stream = *pointers[usize::from(!argument.is_written)].next()?;
            let bytes = if is_stream { STREAM } else { argument.bytes as usize };
            buffers.push(Buffer::Memory { bytes, mask: (!argument.is_written).then(|| vec![0xff; bytes]) });
        }
        Some(buffers)
    }

    /// Streams are long.
    fn calls(&self) -> usize {
        if self.are_streams().concat().contains(&true) { REPLAYS / 10 } else { REPLAYS }
    }
}

/// Limits of the solver. Wrong mutants are usually refuted quickly; long work on one would only decide how it is
/// rejected.
const BUDGET: Budget = Budget { gates: 8_000_000, conflicts: 5_000 };

/// Maximum number of terms, in multiples of the terms after the first proof, before the statement is made anew.
const ROOM: usize = 5;

fn trials(image: &Image, symbol: &str, prover: &mut dyn Prover, mutation: Mutation) -> Result<Trials, MutationError> {
    let proved = prover
        .prove(image, &Limits::default())
        .map_err(|rejection| MutationError::NotProved(format!("{symbol}: {rejection}")))?;
    let missing = || MutationError::NotProved(format!("{symbol}: the image does not say how long it is"));
    let function = image.function(symbol).filter(|function| function.size > 0).ok_or_else(missing)?;
    let code = image.code(function.address).and_then(|code| code.get(..function.size as usize)).ok_or_else(missing)?;
    let no_memory = || MutationError::NotRun(format!("{symbol} takes arguments of no known size"));
    let buffers = prover.buffers(&proved).ok_or_else(no_memory)?;
    let calls = prover.calls();
    let run = |image: &Image| {
        let code = Code::with_library(image.parts(), image.externals(), function.address);
        behaviour(&code, &buffers, calls, mutation.seed)
            .map_err(|error| MutationError::NotRun(format!("{symbol}: {error}")))
    };
    let expected = run(image)?;
    if let Some(signal) = expected.signal {
        return Err(MutationError::NotRun(format!("{symbol} ends with signal {signal}")));
    }
    // A mutant may run longer, but not for ever.
    let limits = Limits { instructions: 4 * proved.instructions + 1000, budget: BUDGET, ..Limits::default() };
    let mut random = Random::new(mutation.seed);
    let mut trials = Trials { symbol: symbol.into(), calls, rejected: BTreeMap::new(), accepted: Vec::new() };
    for mutant in mutants(code, function.address, mutation.count, &mut random) {
        let damaged = damaged(image, &mutant);
        match prover.prove(&damaged, &limits) {
            Err(rejection) => *trials.rejected.entry(kind(&rejection)).or_default() += 1,
            Ok(_) => {
                let is_same = run(&damaged)? == expected;
                trials.accepted.push(Accepted { mutant, is_same });
            }
        }
    }
    Ok(trials)
}

/// Distinct mutants. There are fewer than `count` if the function is too short.
fn mutants(code: &[u8], address: u64, count: usize, random: &mut Random) -> Vec<Mutant> {
    let mut mutants: Vec<Mutant> = Vec::new();
    for _ in 0..20 * count {
        if mutants.len() == count {
            break;
        }
        let found = mutant(code, address, &mut |limit| random.below(limit));
        mutants.extend(
            found.filter(|new| mutants.iter().all(|old| (old.address, &old.bytes) != (new.address, &new.bytes))),
        );
    }
    mutants
}

fn damaged(image: &Image, mutant: &Mutant) -> Image {
    let mut damaged = image.clone();
    for (address, &byte) in (mutant.address..).zip(&mutant.bytes) {
        damaged.patch(address, byte);
    }
    damaged
}

/// For each argument that is read, the mask of the bits that hold data; all other bits are zero.
fn free_bits(specification: &Specification, purpose: Purpose) -> Vec<Vec<u8>> {
    let read: Vec<(&Var, Form, bool)> = match purpose {
        Purpose::Sliced => {
            let parameters = specification.variables().filter(|(_, is_result)| !is_result);
            parameters.map(|(var, _)| (var, Form::Registers, false)).collect()
        }
        Purpose::Pack(var) | Purpose::PackWith(var, _) => vec![(var, Form::Bytes, false)],
        Purpose::Unpack(var) | Purpose::UnpackWith(var, _) => vec![(var, Form::Registers, true)],
    };
    read.into_iter().map(|(var, form, is_result)| mask(specification, var, form, is_result)).collect()
}

fn mask(specification: &Specification, var: &Var, form: Form, is_result: bool) -> Vec<u8> {
    let mut terms = Terms::new();
    let contents = specification.unknown(&mut terms, var, form, is_result);
    let mut ones = Assignment::new();
    for input in terms.inputs() {
        let bits = terms.bits(terms.input_term(input));
        ones.set(input, &vec![u64::MAX; bits.div_ceil(64) as usize]);
    }
    let values = terms.evaluate(&contents.words, &ones);
    let mut mask = Vec::new();
    for (&term, limbs) in contents.words.iter().zip(&values) {
        let bytes = limbs.iter().flat_map(|limb| limb.to_le_bytes());
        mask.extend(bytes.take(terms.bits(term) as usize / 8));
    }
    mask
}

impl Trials {
    pub fn differences(&self) -> impl Iterator<Item = &Accepted> {
        self.accepted.iter().filter(|accepted| !accepted.is_same)
    }

    pub fn count(&self) -> usize {
        self.rejected.values().sum::<usize>() + self.accepted.len()
    }
}
