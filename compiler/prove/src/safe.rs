//! The theorem without an equation: a function is constant-time, touches only memory that it may touch, keeps what the
//! ABI keeps, and returns. Nothing is said of its results.
//!
//! The contents of the arguments' memory and words that are secret count as data. Lengths are public numbers, and each
//! choice of lengths is executed by itself, or all together by an induction ([`prove_any`]). Where the function's result is
//! public, it may tell which way the function goes ([`ways`]).

mod any;
mod read;
mod shadows;
mod ways;

use std::collections::BTreeSet;

use culet_image::{Access, Image};
use culet_term::{Term, Terms};

use crate::arguments::Arguments;
use crate::attempt::Attempts;
use crate::call::Library;
use crate::execute::passed;
use crate::memory::RegionId;
use crate::rejection::Rejection;
use crate::symbolic::Symbolic;
use crate::theorem::{self, Limits, Proved};
use crate::unknown::{Area, Stage, Stretch, Unknown};
pub use any::{Growing, Grown, prove_any};
pub use read::{Unreadable, read};

/// The arguments of a function, for one choice of its public lengths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    /// In the order in which they are passed.
    pub arguments: Vec<Argument>,
    /// The public lengths by their names, with their values.
    pub lengths: Vec<(String, u64)>,
    /// Who may know the number of 32 bits that the function returns.
    pub result: Returned,
    /// Variables of the image whose contents are taken for granted.
    pub variables: Vec<Variable>,
}

/// Who may know the number that a function returns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Returned {
    #[default]
    Secret,
    /// Everybody.
    Public,
    /// Everybody, and everybody may know how branches go that secrets decide more than once, as a loop's does that tries again until a
    /// secret is good. It is taken for granted that secrets decide no branch more than `turns` times in a call.
    PublicIn { turns: usize },
}

/// A variable of an image, with the number that it holds, which does not change while the function runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    name: String,
    address: u64,
    bytes: Vec<u8>,
}

impl Variable {
    /// Returns the variable at an address with a number in its `size` bytes, the lowest first; `None` if the number does not fit.
    pub fn new(name: &str, address: u64, size: u64, number: u64) -> Option<Variable> {
        let (bytes, rest) = number
            .to_le_bytes()
            .split_at_checked(usize::try_from(size).ok()?)
            .map(|(a, b)| (a.to_vec(), b.to_vec()))?;
        let fits = !bytes.is_empty() && rest.iter().all(|&byte| byte == 0);
        fits.then(|| Variable { name: name.to_owned(), address, bytes })
    }

    /// Says what is taken for granted.
    fn described(&self) -> String {
        let number = self.bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        format!("`{}` is {number}", self.name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A pointer to this many bytes, which are secret at the entry unless they are public. They may be read, and written only if `is_written`.
    Memory { bytes: u64, alignment: u64, is_written: bool, is_public: bool },
    /// A secret word of this many bits; nothing is known of the bits above it.
    Secret { bits: u32 },
    /// A public number.
    Public(u64),
}

/// Maximum size in bytes of an argument's memory.
pub const MAX_BYTES: u64 = 1 << 24;

/// Proves the function `symbol` of an image safe, or says why not.
///
/// # Errors
///
/// The first rule that the function breaks, or the reason why it cannot be followed.
pub fn prove(image: &Image, symbol: &str, interface: &Interface, limits: &Limits) -> Result<Proved, Rejection> {
    if limits.erasure {
        let what = "that nothing is left is proved together with what a function computes, and not by itself";
        return Err(Rejection::Unsupported(what.to_owned()));
    }
    check_variables(image, &interface.variables)?;
    let mut attempts = Attempts::of(image, symbol, limits)?;
    let proved = attempts.in_every_phase(|attempt| ways::run(image, interface, attempt))?;
    Ok(attempts.finish(proved, interface.listed()))
}

/// Checks that variables can hold what is said of them: they are in memory that the program may change, and apart.
fn check_variables(image: &Image, variables: &[Variable]) -> Result<(), Rejection> {
    let mut taken = BTreeSet::new();
    for Variable { name, address, bytes } in variables {
        for byte in (*address..).take(bytes.len()) {
            if image.access(byte) != Some(Access::Writable) || image.constants(byte, 1).is_some() {
                let why = format!(
                    "nothing is taken for granted of `{name}`, which is not in memory that the program changes"
                );
                return Err(Rejection::Unsupported(why));
            }
            if !taken.insert(byte) {
                return Err(Rejection::Unsupported(format!(
                    "two numbers are taken for granted in the bytes of `{name}`"
                )));
            }
        }
    }
    Ok(())
}

/// Returns the contents of each argument's memory after a call of the function `symbol` with these contents; those of an
/// argument that is no pointer are empty. Memory that is written only holds zeros before.
///
/// # Errors
///
/// The first rule of the theorem that the call breaks.
pub fn call(
    image: &Image,
    symbol: &str,
    interface: &Interface,
    contents: &[Vec<u8>],
    limits: &Limits,
) -> Result<Vec<Vec<u8>>, Rejection> {
    let mut after = Vec::new();
    Attempts::of(image, symbol, limits)?.in_every_phase(|attempt| {
        let mut terms = Terms::new();
        let (mut placed, words) = interface.placed(image, &mut terms);
        for (index, region) in placed.regions.iter().enumerate() {
            let Some(region) = *region else { continue };
            let own = contents.get(index).map(Vec::as_slice).unwrap_or_default();
            for (offset, byte) in (0..).zip(own) {
                let byte = terms.constant_u64(8, u64::from(*byte));
                placed.memory.set(&mut terms, region, offset, byte);
            }
        }
        let mut execution = placed.enter(&mut terms, attempt, words);
        attempt.run(&mut terms, &mut execution, &mut Library::new(image, Stage::Entry), None)?;
        let mut contents = |(index, region): (usize, &Option<RegionId>)| {
            let Kind::Memory { bytes, .. } = interface.arguments[index].kind else { return Vec::new() };
            let Some(region) = *region else { return Vec::new() };
            let byte = |offset| execution.memory.get(&mut terms, region, offset, 1);
            let words: Vec<Term> = (0..bytes as i64).map(byte).collect();
            words.into_iter().map(|word| terms.value(word).unwrap_or_default() as u8).collect()
        };
        after = placed.regions.iter().enumerate().map(&mut contents).collect();
        Ok(Proved::of(&terms, execution, &attempt.frame, false))
    })?;
    Ok(after)
}

/// A secret word that is an argument.
fn secret(terms: &mut Terms, index: usize, name: &str) -> Term {
    Unknown::Given(index, Stretch::Start, 0).word(terms, name, 64)
}

impl Interface {
    /// Returns the memory of the arguments, and the arguments that are words.
    fn placed<'i, V: Symbolic>(&self, image: &'i Image, values: &mut V) -> (Arguments<'i, V::Word>, Vec<Term>) {
        let terms = values.terms_mut();
        let (mut placed, mut words) = (Arguments::new(image, terms), Vec::new());
        let bytes = |variable: &Variable| (variable.address..).zip(variable.bytes.clone());
        placed.memory.assume(self.variables.iter().flat_map(bytes).collect());
        for (index, Argument { name, kind }) in self.arguments.iter().enumerate() {
            match *kind {
                Kind::Memory { bytes, alignment, is_written, is_public } => {
                    let area = if is_public { Area::PublicArgument(index) } else { Area::Argument(index) };
                    let area = (area, &*format!("*{name}"));
                    let region = placed.add_pointer(terms, area, bytes as i64, alignment, is_written);
                    if bytes > 0 {
                        placed.memory.set_there(region);
                    }
                }
                Kind::Secret { .. } => {
                    placed.add_word();
                    words.push(secret(terms, index, name));
                }
                Kind::Public(number) => {
                    placed.add_word();
                    words.push(terms.constant_u64(64, number));
                }
            }
        }
        (placed, words)
    }

    /// The arguments as a verdict lists them.
    fn listed(&self) -> Vec<theorem::Argument> {
        let listed = |(index, Argument { name, kind }): (usize, &Argument)| {
            let (bytes, alignment, is_written, layout) = match *kind {
                Kind::Memory { bytes, alignment, is_written, is_public } => {
                    (bytes, alignment, is_written, if is_public { "public".to_owned() } else { String::new() })
                }
                Kind::Secret { bits } => (u64::from(bits / 8), 1, false, format!("a secret word of {bits} bits")),
                Kind::Public(number) => (8, 1, false, format!("public: {number}")),
            };
            theorem::Argument {
                name: name.clone(),
                place: passed(index),
                is_word: !matches!(kind, Kind::Memory { .. }),
                bytes,
                alignment,
                is_written,
                layout,
            }
        };
        self.arguments.iter().enumerate().map(listed).collect()
    }
}
