//! Residue of a function that depends on data: on its stack, and in registers that callers do not expect to be
//! preserved.

use std::collections::HashSet;
use std::fmt;

use culet_isa::x86_64::FlagName;
use culet_term::InputKind;

use crate::decoded::Decoded;
use crate::execute::{Execution, Frame, GENERAL, KEPT};
use crate::rejection::{Rejection, is_data};
use crate::symbolic::{Symbolic, named_inputs};

/// Returns the number of bytes of stack that were used, and of bytes in words that were written there, are left and
/// depend on data.
pub(crate) fn stack_use<V: Symbolic>(values: &V, finished: &Execution<V::Word>, frame: &Frame) -> (u64, u64) {
    let stack = finished.memory.region(finished.stack);
    let lowest = stack.lowest.min(frame.phase);
    let own = finished.memory.known(finished.stack);
    let words: Vec<V::Word> =
        own.filter(|&(offset, _)| stack.is_written(offset)).map(|(_, word)| word.clone()).collect();
    let left = words.iter().zip(values.depend(&words, may_tell)).filter(|(_, depends)| *depends);
    let residue = left.map(|(word, _)| u64::from(values.width(word) / 8)).sum();
    ((frame.phase - lowest).unsigned_abs(), residue)
}

/// Checks that nothing that depends on data is left, except bytes that `results` hold, too: the bytes of arguments that
/// were written.
pub(crate) fn check<V: Symbolic>(
    values: &mut V,
    decoded: &mut Decoded,
    finished: &mut Execution<V::Word>,
    frame: &Frame,
    results: &[V::Word],
) -> Result<(), Rejection> {
    if let Some(function) = finished.library.first() {
        let what = format!("nobody knows what `{function}` of the C library leaves on its stack and in registers");
        return Err(Rejection::Unsupported(what));
    }
    let results: HashSet<&V::Word> = results.iter().collect();
    let remains = remains(values, finished, frame);
    let words: Vec<V::Word> = remains.iter().map(|(_, word)| word.clone()).collect();
    let (mut places, mut first) = (Vec::new(), None);
    for ((place, word), _) in remains.into_iter().zip(values.depend(&words, may_tell)).filter(|(_, depends)| *depends) {
        let mut bytes = bytes_of(values, &word);
        bytes.retain(|byte| !results.contains(byte));
        if values.depend(&bytes, may_tell).contains(&true) {
            first.get_or_insert_with(|| (place.clone(), word));
            places.push(place);
        }
    }
    match first {
        None => Ok(()),
        Some((place, word)) => {
            let telling = named_inputs(values, &word).into_iter().filter(|input| may_tell(input.kind));
            let inputs = telling.map(|input| input.name).collect();
            let writer = match place {
                Place::Stack(offset) => {
                    let writers = &finished.memory.region(finished.stack).writers;
                    writers.last(offset + frame.phase).map(|address| decoded.place(address))
                }
                Place::Register(ref name) => {
                    let writer = finished.last_to_write(decoded, name);
                    writer.map(|instruction| decoded.place(instruction.address()))
                }
                Place::Flag(_) => None,
            };
            let places = places.iter().map(ToString::to_string).collect();
            Err(Rejection::Left { places, writer: writer.map(Box::new), inputs })
        }
    }
}

/// Whether an unknown may reveal data: the contents of arguments, even if they are overwritten, or a value that the
/// manual leaves undefined and that the CPU may make of data.
fn may_tell(kind: InputKind) -> bool {
    is_data(kind) || kind == InputKind::Undefined
}

/// A place where the caller could find residue.
#[derive(Debug, Clone)]
enum Place {
    /// Offset from the return address.
    Stack(i64),
    Register(String),
    Flag(FlagName),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Stack(offset) => write!(f, "stack{offset:+}"),
            Place::Register(name) => f.write_str(name),
            Place::Flag(flag) => write!(f, "the {flag:?} flag"),
        }
    }
}

/// Returns the words that the caller could find: written bytes of the stack, registers, and flags that are defined.
fn remains<V: Symbolic>(values: &mut V, finished: &mut Execution<V::Word>, frame: &Frame) -> Vec<(Place, V::Word)> {
    let bytes = stack_bytes(values, finished, frame);
    let mut remains: Vec<(Place, V::Word)> =
        bytes.into_iter().map(|(offset, byte)| (Place::Stack(offset), byte)).collect();
    let mut add = |name: String, word: &V::Word| remains.push((Place::Register(name), word.clone()));
    let state = &finished.state;
    for (number, register) in state.general.iter().enumerate() {
        if KEPT.iter().all(|&(kept, _)| kept != number) {
            add(GENERAL[number].into(), register);
        }
    }
    state.vectors.iter().enumerate().for_each(|(number, register)| add(format!("zmm{number}"), register));
    state.masks.iter().enumerate().for_each(|(number, register)| add(format!("k{number}"), register));
    for flag in FLAGS {
        let value = state.flags.get(flag).value(values);
        remains.extend(value.map(|value| (Place::Flag(flag), value)));
    }
    remains
}

const FLAGS: [FlagName; 6] =
    [FlagName::Carry, FlagName::Parity, FlagName::Adjust, FlagName::Zero, FlagName::Sign, FlagName::Overflow];

/// Returns the bytes of the stack that were written, by their offset from the return address.
fn stack_bytes<V: Symbolic>(values: &mut V, finished: &mut Execution<V::Word>, frame: &Frame) -> Vec<(i64, V::Word)> {
    let written: Vec<_> = finished.memory.region(finished.stack).written().collect();
    let mut bytes = Vec::new();
    for range in written {
        for offset in range {
            bytes.push((offset - frame.phase, finished.memory.get(values, finished.stack, offset, 1)));
        }
    }
    bytes
}

/// Splits a word into bytes; a word of fewer than eight bits stays as it is.
pub(crate) fn bytes_of<V: Symbolic>(values: &mut V, word: &V::Word) -> Vec<V::Word> {
    match values.width(word) {
        bits if bits < 8 => vec![word.clone()],
        bits => values.split(bits, word, 8),
    }
}

#[cfg(test)]
mod tests {
    use culet_term::{InputKind, Term, Terms};

    use super::may_tell;
    use crate::symbolic::{Symbolic, named_inputs};
    use crate::unknown::{Area, Since, Stage, Unknown};
    use crate::violation::{Violation, ViolationKind};
    use crate::wires::Wires;

    /// Unknown words under names of other kinds, and whether they tell something of data.
    fn planted(terms: &mut Terms) -> Vec<(Term, bool)> {
        let after_call = Since::Call(Stage::Entry, 1);
        [
            (terms.fresh(InputKind::Data, "&key / 16", 64), true),
            (terms.fresh(InputKind::Data, "rax", 64), true),
            (terms.fresh(InputKind::Undefined, "rbx", 64), true),
            (terms.fresh(InputKind::Address, "key[0]", 64), false),
            (terms.fresh(InputKind::Caller, "undefined 7", 64), false),
            (Unknown::Base(Area::Argument(0)).word(terms, "key[1]", 60), false),
            (Unknown::General(0, Since::Entry).word(terms, "key[2]", 64), false),
            (Unknown::General(0, after_call).word(terms, "rax", 64), true),
            (Unknown::Contents(Area::Argument(0), Since::Entry, 8).word(terms, "8 bits at *key+8", 8), true),
            (Unknown::Contents(Area::Stack, Since::Entry, 8).word(terms, "8 bits at *key+8[]", 8), false),
        ]
        .to_vec()
    }

    fn check<V: Symbolic>(mut values: V) {
        let planted = planted(values.terms_mut());
        let distinct: std::collections::BTreeSet<Term> = planted.iter().map(|(term, _)| *term).collect();
        assert_eq!(distinct.len(), planted.len());
        let words: Vec<V::Word> = planted.iter().map(|(term, _)| values.word(*term)).collect();
        let expected: Vec<bool> = planted.iter().map(|(_, tells)| *tells).collect();
        assert_eq!(values.depend(&words, may_tell), expected);
        // Data in gates, too.
        let data = ["&key / 16", "&key / 16"].map(|name| values.unknown(name, 64));
        assert_eq!(values.depend(&data, may_tell), [true, true]);
        let difference = values.xor(64, &data[0], &data[1]);
        assert_eq!(values.known(64, &difference), None, "inputs of one name are two");
        assert_eq!(values.inputs_of(&difference).len(), 2);
        // A reason names what is data, and nothing else.
        let named = named_inputs(&values, &difference);
        let branch = Violation { address: 0, instruction: String::new(), kind: ViolationKind::Branch(named) };
        assert_eq!(crate::rejection::data(&branch), ["&key / 16", "&key / 16"]);
        let address = named_inputs(&values, &words[3]);
        let branch = Violation { address: 0, instruction: String::new(), kind: ViolationKind::Branch(address) };
        assert!(crate::rejection::data(&branch).is_empty());
    }

    #[test]
    fn names_do_not_decide_what_is_secret() {
        check(Terms::new());
        check(Wires::default());
    }
}
