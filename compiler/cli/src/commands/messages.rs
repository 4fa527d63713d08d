//! The lengths of messages at which a program that computes one instance at a time is measured.

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{Options, Source};
use culet_tune::{Arguments, Lengths, What};

use crate::output::{Failure, Output};

/// The lengths in bytes, if the command line does not say.
const LENGTHS: [u64; 4] = [64, 256, 1400, 16 << 10];

/// The measurements of a program: calls with messages of several lengths, or one call where there are no streams.
pub(super) struct Messages {
    arguments: Arguments,
    pub whats: Vec<What>,
    /// The lengths, each as it was asked for and as whole elements; none without a stream.
    lengths: Vec<(u64, u64)>,
}

impl Messages {
    /// # Errors
    ///
    /// The program's mistakes; E0830, if lengths are `given` and there is no stream, or one is shorter than an element.
    pub fn of(source: &Source, options: &Options, given: &[u64], output: Output) -> Result<Messages, Failure> {
        let arguments = Arguments::of(source, options).map_err(|errors| output.report(&errors, &source.map))?;
        let what = |bytes: u64| What::Bytes(Lengths { short: bytes, long: bytes });
        let refuse = |message: String, note: String| {
            output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note))
        };
        let Some(element) = arguments.element() else {
            if !given.is_empty() {
                let message = "`--bytes` does nothing for a program without streams".to_owned();
                return Err(refuse(message, "leave it out: the time of a call is measured".to_owned()));
            }
            return Ok(Messages { arguments, whats: vec![what(1)], lengths: Vec::new() });
        };
        if let Some(short) = given.iter().find(|&&bytes| bytes < element) {
            let streams = named(&arguments.message());
            let message = format!("{short} bytes are no whole element of {streams}: an element has {element} bytes");
            return Err(refuse(message, format!("`--bytes` takes lengths from {element}")));
        }
        let asked = if given.is_empty() { &LENGTHS[..] } else { given };
        let mut lengths: Vec<(u64, u64)> = Vec::new();
        for &bytes in asked.iter().filter(|&&bytes| bytes >= element) {
            let whole = arguments.whole(bytes);
            if lengths.iter().all(|(_, other)| *other != whole) {
                lengths.push((bytes, whole));
            }
        }
        if lengths.is_empty() {
            lengths.push((element, element));
        }
        Ok(Messages { arguments, whats: lengths.iter().map(|&(_, bytes)| what(bytes)).collect(), lengths })
    }

    /// The unit of a figure's denominator, in words.
    pub fn unit(&self) -> &'static str {
        if self.lengths.is_empty() { "a call" } else { "a byte" }
    }

    /// The length of what is measured, in bytes; none without a stream.
    pub fn length(&self, place: usize) -> Option<u64> {
        self.lengths.get(place).map(|&(_, bytes)| bytes)
    }

    /// The head of a table: the unit, with the length.
    pub fn headed(&self, described: &str) -> String {
        if self.lengths.is_empty() { described.to_owned() } else { format!("{}, {described}", self.unit()) }
    }

    /// Each length in words.
    pub fn described(&self) -> Vec<String> {
        let described = |&(asked, bytes): &(u64, u64)| match asked == bytes {
            true => format!("{bytes} bytes"),
            false => format!("{bytes} bytes (whole elements of {asked})"),
        };
        match &self.lengths[..] {
            [] => vec!["a call".to_owned()],
            lengths => lengths.iter().map(described).collect(),
        }
    }

    /// The streams in words, if there are any.
    pub fn about(&self) -> Option<String> {
        self.length(0)?;
        let beside: Vec<String> =
            self.arguments.beside().iter().map(|(name, bytes)| format!("; `{name}` has {bytes} bytes")).collect();
        Some(format!("the message is {}{}", named(&self.arguments.message()), beside.concat()))
    }
}

/// Names in words.
fn named(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<String>>().join(" and ")
}
