//! Counterexamples on this machine: the function itself is run on them.

use std::fmt;

use culet_native::replay::{Code, call};
use culet_prove::image::Image;
use culet_prove::theorem::Rejection;

/// What came of running a function on the counterexample that the prover found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The byte is wrong, and is what the prover says; or it is wrong in another way.
    Confirmed,
    WrongOtherwise(u8),
    /// The byte is what the source computes: the function depends on what is in registers or on the stack before the call.
    Right,
    /// It did not return.
    Stopped(i32),
    /// It could not be run.
    NotRun(String),
}

/// Runs a function on the counterexample of its rejection; none if there is no such.
pub fn replay(image: &Image, symbol: &str, rejection: &Rejection) -> Option<Replay> {
    let Rejection::Different { argument, byte, expected, found, memory, .. } = rejection else { return None };
    let function = image.function(symbol)?;
    let index = memory.iter().position(|(name, _)| name == argument)?;
    let code = Code::of(image.parts(), function.address);
    let arguments: Vec<Vec<u8>> = memory.iter().map(|(_, bytes)| bytes.clone()).collect();
    Some(match call(&code, &arguments) {
        Err(error) => Replay::NotRun(error.to_string()),
        Ok(Err(signal)) => Replay::Stopped(signal),
        Ok(Ok(left)) => match left[index][*byte as usize] {
            value if value == *expected => Replay::Right,
            value if value == *found => Replay::Confirmed,
            value => Replay::WrongOtherwise(value),
        },
    })
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The number of this signal on Linux.
        const SIGILL: i32 = 4;
        match self {
            Replay::Confirmed => f.write_str("confirmed on this CPU"),
            Replay::WrongOtherwise(value) => {
                write!(f, "confirmed on this CPU, where the byte is {value:#04x}: it depends on what the caller leaves, too")
            }
            Replay::Right => f.write_str(
                "not confirmed on this CPU, where the byte is right: it depends on what the caller leaves in registers or \
                 on the stack",
            ),
            &Replay::Stopped(SIGILL) => f.write_str("not confirmed: this CPU lacks an extension that the function uses"),
            Replay::Stopped(signal) => write!(f, "not confirmed: on this CPU it ends with signal {signal}"),
            Replay::NotRun(why) => write!(f, "not confirmed: it cannot be run here: {why}"),
        }
    }
}
