//! Counterexamples on this machine: the function itself is run on them.

use std::fmt;

use culet_image::Image;
use culet_native::replay::{Code, Left, Passed, call};
use culet_prove::rejection;
use culet_prove::theorem::Rejection;

/// The result of running a function on a counterexample that the prover found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The byte is wrong. In `Confirmed` it has the value that the prover predicts, in `WrongOtherwise` another one.
    Confirmed,
    WrongOtherwise(u8),
    /// The byte has the source's value: the function depends on the contents of registers or the stack before the call.
    Right,
    /// The function leaves other values than those of the model, by which a contract is broken.
    Otherwise,
    /// The function did not return; it ended with this signal.
    Stopped(i32),
    /// The function could not be run.
    NotRun(String),
}

/// Runs a function on the counterexample of its rejection; `None` if there is no counterexample.
pub fn replay(image: &Image, symbol: &str, rejection: &Rejection) -> Option<Replay> {
    let function = image.function(symbol)?;
    let run = |passed: &[Passed], judge: &dyn Fn(Left) -> Replay| match call(
        &Code::of(image.parts(), function.address),
        passed,
    ) {
        Err(error) => Replay::NotRun(error.to_string()),
        Ok(Err(signal)) => Replay::Stopped(signal),
        Ok(Ok(left)) => judge(left),
    };
    match rejection {
        Rejection::Different { result, byte, expected, found, given, .. } => {
            let passed = |given: &rejection::Given| match given {
                rejection::Given::Word(word) => Passed::Word(*word),
                rejection::Given::Memory(bytes) => Passed::Memory(bytes.clone()),
            };
            let passed: Vec<Passed> = given.iter().map(|(_, given)| passed(given)).collect();
            Some(run(&passed, &|left| match left.memory[*result][*byte as usize] {
                value if value == expected[*byte as usize] => Replay::Right,
                value if value == found[*byte as usize] => Replay::Confirmed,
                value => Replay::WrongOtherwise(value),
            }))
        }
        Rejection::False { call, .. } => {
            let passed = |passed: &rejection::Passed| match passed {
                rejection::Passed::Word(word) => Passed::Word(*word),
                rejection::Passed::Memory { before, .. } => Passed::Memory(before.clone()),
                rejection::Passed::Scratch(bytes) => Passed::Memory(vec![0; *bytes]),
                rejection::Passed::Same(other) => Passed::Same(*other),
            };
            let passed: Vec<Passed> = call.passed.iter().map(passed).collect();
            Some(run(&passed, &|left| if is_as_foreseen(call, &left) { Replay::Confirmed } else { Replay::Otherwise }))
        }
        _ => None,
    }
}

/// Whether a call left the values of the model, for which a claim does not hold.
fn is_as_foreseen(call: &rejection::Call, left: &Left) -> bool {
    let memory = call.passed.iter().zip(&left.memory).all(|(passed, memory)| match passed {
        rejection::Passed::Memory { after, .. } => after == memory,
        _ => true,
    });
    memory && call.returned.is_none_or(|(word, bits)| (left.returned ^ word) << (64 - bits) == 0)
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
            Replay::Otherwise => f.write_str(
                "not confirmed on this CPU, where the function leaves something else: it depends on what the caller leaves \
                 in registers or on the stack",
            ),
            &Replay::Stopped(SIGILL) => f.write_str("not confirmed: this CPU lacks an extension that the function uses"),
            Replay::Stopped(signal) => write!(f, "not confirmed: on this CPU it ends with signal {signal}"),
            Replay::NotRun(why) => write!(f, "not confirmed: it cannot be run here: {why}"),
        }
    }
}
