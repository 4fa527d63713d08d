//! The theorem without an equation: a function is constant-time, touches only memory that it may touch, keeps what the
//! ABI keeps, and returns. Nothing is said of its results.
//!
//! The contents of the arguments' memory and words that are secret count as data. Lengths are public numbers, and each
//! choice of lengths is executed by itself.

mod read;
mod shadows;

use culet_image::Image;
use culet_term::Term;

use crate::arguments::Arguments;
use crate::attempt::{Attempt, Attempts};
use crate::call::Library;
use crate::execute::passed;
use crate::rejection::Rejection;
use crate::symbolic::Symbolic;
use crate::theorem::{self, Limits, Proved};
use crate::unknown::{Area, Stage, Stretch, Unknown};
pub use read::{Unreadable, read};
use shadows::Shadows;

/// The arguments of a function, for one choice of its public lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// In the order in which they are passed.
    pub arguments: Vec<Argument>,
    /// The public lengths by their names, with their values.
    pub lengths: Vec<(String, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A pointer to this many bytes, which are secret. They may be read, and written only if `is_written`.
    Memory { bytes: u64, alignment: u64, is_written: bool },
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
    let mut attempts = Attempts::of(image, symbol, limits)?;
    let proved = attempts.in_every_phase(|attempt| run(image, interface, attempt))?;
    Ok(attempts.finish(proved, interface.listed()))
}

/// Executes the function once, under one assumption about the stack pointer.
fn run<'i>(image: &'i Image, interface: &Interface, attempt: &mut Attempt<'_, 'i>) -> Result<Proved, Rejection> {
    let mut values = Shadows::default();
    let (placed, words) = interface.placed(image, &mut values);
    let mut execution = placed.enter(&mut values, attempt, words);
    attempt.run(&mut values, &mut execution, &mut Library::new(image, Stage::Entry), None)?;
    Ok(Proved::of(&values, execution, &attempt.frame, false))
}

impl Interface {
    /// Returns the memory of the arguments, and the arguments that are words.
    fn placed<'i>(
        &self,
        image: &'i Image,
        values: &mut Shadows,
    ) -> (Arguments<'i, <Shadows as culet_meaning::Domain>::Word>, Vec<Term>) {
        let terms = values.terms_mut();
        let (mut placed, mut words) = (Arguments::new(image, terms), Vec::new());
        for (index, Argument { name, kind }) in self.arguments.iter().enumerate() {
            match *kind {
                Kind::Memory { bytes, alignment, is_written } => {
                    let area = (Area::Argument(index), &*format!("*{name}"));
                    let region = placed.add_pointer(terms, area, bytes as i64, alignment, is_written);
                    if bytes > 0 {
                        placed.memory.set_there(region);
                    }
                }
                Kind::Secret { .. } => {
                    placed.add_word();
                    words.push(Unknown::Given(index, Stretch::Start, 0).word(terms, name, 64));
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
                Kind::Memory { bytes, alignment, is_written } => (bytes, alignment, is_written, String::new()),
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
