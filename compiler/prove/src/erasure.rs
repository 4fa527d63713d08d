//! What a function leaves behind that depends on data: on its stack, and in registers that callers do not expect to be kept.

use std::collections::HashSet;

use culet_isa::x86_64::FlagName;

use crate::execute::{Execution, Frame, GENERAL, KEPT};
use crate::symbolic::Symbolic;
use crate::theorem::{Rejection, is_data};

/// Bytes of stack that were used, and those of words that were written there, are left and depend on data.
pub(crate) fn stack_use<V: Symbolic>(values: &V, finished: &Execution<V::Word>, frame: &Frame) -> (u64, u64) {
    let stack = finished.memory.region(finished.stack);
    let lowest = stack.lowest.min(frame.phase);
    let return_address = frame.phase..frame.phase + 8;
    let own = finished.memory.known(finished.stack).filter(|(offset, _)| !return_address.contains(offset));
    let words: Vec<V::Word> =
        own.filter(|&(offset, _)| stack.is_written(offset)).map(|(_, word)| word.clone()).collect();
    let left = words.iter().zip(values.depend(&words, is_data)).filter(|(_, depends)| *depends);
    let residue = left.map(|(word, _)| u64::from(values.width(word) / 8)).sum();
    ((frame.phase - lowest).unsigned_abs(), residue)
}

/// Whether nothing that depends on data is left but what `results` hold, too: the bytes of arguments that were written.
pub(crate) fn check<V: Symbolic>(
    values: &mut V,
    finished: &mut Execution<V::Word>,
    frame: &Frame,
    results: &[V::Word],
) -> Result<(), Rejection> {
    let results: HashSet<&V::Word> = results.iter().collect();
    let remains = remains(values, finished, frame);
    let words: Vec<V::Word> = remains.iter().map(|(_, word)| word.clone()).collect();
    let (mut places, mut first) = (Vec::new(), None);
    for ((name, word), _) in remains.into_iter().zip(values.depend(&words, is_data)).filter(|(_, depends)| *depends) {
        let mut bytes = bytes_of(values, &word);
        bytes.retain(|byte| !results.contains(byte));
        if values.depend(&bytes, is_data).contains(&true) {
            first.get_or_insert(word);
            places.push(name);
        }
    }
    match first {
        None => Ok(()),
        Some(word) => {
            let inputs = values.inputs_of(&word).into_iter().filter(|name| is_data(name)).collect();
            Err(Rejection::Left { places, inputs })
        }
    }
}

/// What the caller could find: written bytes of the stack, registers, and flags that are defined.
fn remains<V: Symbolic>(values: &mut V, finished: &mut Execution<V::Word>, frame: &Frame) -> Vec<(String, V::Word)> {
    let bytes = stack_bytes(values, finished, frame);
    let mut remains: Vec<(String, V::Word)> =
        bytes.into_iter().map(|(offset, byte)| (format!("stack{offset:+}"), byte)).collect();
    let state = &finished.state;
    for (number, register) in state.general.iter().enumerate() {
        if KEPT.iter().all(|&(kept, _)| kept != number) {
            remains.push((GENERAL[number].into(), register.clone()));
        }
    }
    let wide = state.vectors.iter().enumerate().map(|(number, register)| (format!("zmm{number}"), register.clone()));
    remains.extend(wide);
    let masks = state.masks.iter().enumerate().map(|(number, register)| (format!("k{number}"), register.clone()));
    remains.extend(masks);
    for flag in FLAGS {
        let value = state.flags.get(flag).value(values);
        remains.extend(value.map(|value| (format!("the {flag:?} flag"), value)));
    }
    remains
}

const FLAGS: [FlagName; 6] =
    [FlagName::Carry, FlagName::Parity, FlagName::Adjust, FlagName::Zero, FlagName::Sign, FlagName::Overflow];

/// The bytes of the stack that were written, but for the return address, by their distance from it.
fn stack_bytes<V: Symbolic>(values: &mut V, finished: &mut Execution<V::Word>, frame: &Frame) -> Vec<(i64, V::Word)> {
    let written: Vec<_> = finished.memory.region(finished.stack).written().collect();
    let mut bytes = Vec::new();
    for range in written {
        let return_address = frame.phase..frame.phase + 8;
        for offset in range.filter(|offset| !return_address.contains(offset)) {
            bytes.push((offset - frame.phase, finished.memory.get(values, finished.stack, offset, 1)));
        }
    }
    bytes
}

/// A word in pieces of eight bits; one that has fewer as it is.
pub(crate) fn bytes_of<V: Symbolic>(values: &mut V, word: &V::Word) -> Vec<V::Word> {
    match values.width(word) {
        bits if bits < 8 => vec![word.clone()],
        bits => values.split(bits, word, 8),
    }
}
