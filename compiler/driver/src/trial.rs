//! A trial of programs over fields before their code is written: their words beside their elements, which are integers,
//! for bytes at the extremes, around the modulus, and at random.

use std::time::{Duration, Instant};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_ir::{Elements, FieldKind, Module, SlotKind, Type, compute};
use culet_sbox::random::Random;

use crate::single::Words;

/// No new case after this time.
const LIMIT: Duration = Duration::from_millis(200);
/// Number of cases with random bytes.
const AT_RANDOM: usize = 8;
/// Lengths of streams in bytes; each case takes the next one.
const LENGTHS: [usize; 6] = [1, 0, 16, 33, 130, 77];

/// Compares words with elements. A program without elements is passed over.
///
/// # Errors
///
/// E0863 for a case in which they differ: a defect of the compiler.
pub(crate) fn compare(words: &Words) -> Result<(), Diagnostics> {
    let Some(limbed) = &words.limbed else { return Ok(()) };
    let begin = Instant::now();
    for (round, fill) in fills(&limbed.elements).into_iter().enumerate() {
        if round > 0 && begin.elapsed() > LIMIT {
            break;
        }
        let inputs = inputs(&words.module, &fill, round);
        let of_words = compute(&words.module, &inputs).map_err(|error| error.to_string());
        let of_elements = compute(&limbed.elements, &inputs);
        if of_words != of_elements.map_err(|error| error.to_string()) {
            let entry = words.program.entry();
            let message = format!("the words of `{}` do not compute what its elements do", entry.name);
            return Err(Diagnostic::error(&world::E0863, entry.span, message)
                .note(format!("its parameters are {inputs:x?}"))
                .note("nothing was written; this is a defect of the compiler: please report it with the program")
                .into());
        }
    }
    Ok(())
}

/// The way to fill a parameter.
pub(crate) enum Fill {
    /// One value, repeated; a value with all bits set stands for the largest.
    Value(u64),
    /// The bytes of a number, repeated.
    Number(Vec<u8>),
    /// Zeros, but for one bit in the word of this number of all parameters.
    One(usize),
    Random,
}

/// The ways to fill parameters of a module over fields, the extremes first.
fn fills(module: &Module) -> Vec<Fill> {
    let mut fills = vec![Fill::Value(u64::MAX), Fill::Value(0), Fill::Value(1)];
    for field in &module.fields {
        if let FieldKind::Prime(p) = &field.kind {
            let around = [p - 1u32, p.clone(), p + 1u32, p >> 1u32];
            fills.extend(around.map(|number| {
                let mut bytes = number.to_bytes_le();
                bytes.resize((field.kind.bytes() as usize).max(bytes.len()), 0);
                Fill::Number(bytes)
            }));
        }
    }
    fills.extend((0..AT_RANDOM).map(|_| Fill::Random));
    fills
}

/// The parameters of a module on words.
pub(crate) fn inputs(module: &Module, fill: &Fill, round: usize) -> Vec<Elements<u64>> {
    inputs_with_streams(module, fill, round, LENGTHS[round % LENGTHS.len()])
}

/// As [`inputs`], with this many elements in each stream.
pub(crate) fn inputs_with_streams(module: &Module, fill: &Fill, round: usize, streams: usize) -> Vec<Elements<u64>> {
    let mut random = Random::new(round as u64);
    let mut inputs: Vec<Elements<u64>> = Vec::new();
    for slot in &module.entry().slots {
        let length = match slot.kind {
            SlotKind::Input { .. } => slot.length as usize,
            SlotKind::Stream => streams * slot.length.max(1) as usize,
            _ => continue,
        };
        let bits = match slot.element {
            Type::Word(bits) => u32::from(bits),
            _ => 64,
        };
        let before: usize = inputs.iter().map(Vec::len).sum();
        let mut word = |index: usize| match fill {
            Fill::Value(value) => *value,
            Fill::One(only) => u64::from(before + index == *only) << (only % bits as usize),
            Fill::Number(bytes) => {
                let each = bits.div_ceil(8) as usize;
                let own = (0..each).map(|byte| u64::from(bytes[(index * each + byte) % bytes.len()]) << (8 * byte));
                own.sum()
            }
            Fill::Random => random.number(),
        };
        inputs.push((0..length).map(|index| vec![word(index) & (u64::MAX >> (64 - bits))]).collect());
    }
    inputs
}
