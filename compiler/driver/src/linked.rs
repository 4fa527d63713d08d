//! Proofs of the library's kernels in programs that they are linked into, where only an address says what is what.

use culet_emit::SingleArgument;
use culet_image::Image;
use culet_ir::{Elements, SlotData, SlotKind, Type, compute};
use culet_prove::rejection::Given;
use culet_prove::safe::{self, Argument, Growing, Grown, Interface, Kind};
use culet_prove::theorem::{Limits, Proved, Rejection};

use crate::single::Single;
use crate::trial::{self, Fill};
use crate::words_proof::Meant;

/// The lengths of streams for which a function is safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lengths {
    /// It has no streams.
    None,
    Any,
    /// These numbers of bytes.
    These(Vec<u64>),
}

/// Numbers of blocks that an iteration of a loop may take.
const BLOCKS_PER_ITERATION: [u64; 5] = [1, 2, 4, 8, 16];

/// Proves that a function is safe, for streams of any length or for some lengths.
///
/// # Errors
///
/// The first rule that it breaks, or the reason why it cannot be followed.
pub(crate) fn prove_safe(
    single: &Single,
    image: &Image,
    symbol: &str,
    limits: &Limits,
) -> Result<(Proved, Lengths), Rejection> {
    let Some(block) = block(single) else {
        return Ok((safe::prove(image, symbol, &growing(single, (0, 0))?.interface(0), limits)?, Lengths::None));
    };
    // Errors that all lengths have show here, with a reason that is easier to read.
    let lengths = lengths(block);
    let some = for_each(lengths.iter(), |length| {
        safe::prove(image, symbol, &growing(single, (block, length % block))?.interface(length / block), limits)
    })?;
    for blocks in BLOCKS_PER_ITERATION {
        let period = blocks * block;
        let all: Result<Vec<Growing>, Rejection> = (0..period).map(|rest| growing(single, (period, rest))).collect();
        match safe::prove_any(image, symbol, &all?, limits) {
            Ok(any) => return Ok((any, Lengths::Any)),
            Err(_) if limits.is_over() => break,
            Err(_) => {}
        }
    }
    Ok((some, Lengths::These(lengths)))
}

/// The sum of proofs.
fn for_each<T>(
    all: impl Iterator<Item = T>,
    prove: impl Fn(T) -> Result<Proved, Rejection>,
) -> Result<Proved, Rejection> {
    let mut sum: Option<Proved> = None;
    for one in all {
        let proved = prove(one)?;
        match &mut sum {
            None => sum = Some(proved),
            Some(sum) => {
                sum.time += proved.time;
                sum.code = sum.code.max(proved.code);
                sum.add(&proved);
            }
        }
    }
    Ok(sum.unwrap_or_default())
}

/// Proves that a function computes what its program means.
///
/// # Errors
///
/// The reason why this is not proved.
pub(crate) fn prove_equal(single: &Single, image: &Image, symbol: &str, limits: &Limits) -> Result<Proved, Rejection> {
    if single.check_whole().is_err() {
        return Err(Rejection::Unsupported("programs whose functions are kept have no such proof yet".to_owned()));
    }
    Meant::of(single)?.prove(image, symbol, limits)
}

/// Maximum numbers of instructions of functions that are run on one input, on a few, and with each word of the inputs by itself; each
/// instruction takes some microseconds.
const MAX_RUN: [u64; 3] = [4_000_000, 250_000, 2_000];
/// Maximum number of words of the inputs each of which is set by itself.
const MAX_WORDS: usize = 256;

/// The inputs of the calls that are compared, with bytes of the streams: a part of an element behind a whole one, one, and a part behind as
/// many as loops over groups of sixteen and single ones take; zeros, which are equal where two parameters are compared; and for a short function
/// zeros but for one word, for each word.
fn trials(single: &Single, instructions: u64) -> Vec<(Fill, usize)> {
    let [one, few, each] = MAX_RUN;
    let element = block(single).map_or(16, |block| block as usize);
    let mut trials = vec![
        (Fill::Random, 77.max(element + element / 3)),
        (Fill::Random, element),
        (Fill::Random, 17 * element + 2),
        (Fill::Value(0), element),
    ];
    trials.truncate(match instructions {
        count if count > one => 0,
        count if count > few => 1,
        _ => trials.len(),
    });
    if instructions <= each {
        let inputs = trial::inputs_with_streams(&single.words.module, &Fill::Value(0), 0, element);
        let words: usize = inputs.iter().map(Vec::len).sum();
        trials.extend((0..words.min(MAX_WORDS)).map(|word| (Fill::One(word), element)));
    }
    trials
}

/// Runs a function that is safe on a few inputs, beside the program's words: a short function on more, a long one on one, and none of more than 4
/// million instructions.
///
/// # Errors
///
/// The first byte of a result that differs.
pub(crate) fn compare(
    single: &Single,
    image: &Image,
    symbol: &str,
    (proved, limits): (&Proved, &Limits),
) -> Result<(), Rejection> {
    if single.c.instances != 1 {
        return Ok(());
    }
    let module = &single.words.module;
    // Which text the result in a place comes from is not recorded where there are several.
    if single.c.arguments.iter().filter(|argument| argument.is_in_place && argument.is_result).count() > 1 {
        return Ok(());
    }
    for (round, (fill, length)) in trials(single, proved.instructions).iter().enumerate() {
        let inputs = trial::inputs_with_streams(module, fill, round, *length);
        let results = compute(module, &inputs);
        let results = results.map_err(|error| Rejection::Unsupported(error.to_string()))?;
        let (call, expected) = call(single, &inputs, &results)?;
        let contents: Vec<Vec<u8>> = call.iter().map(|(_, contents)| contents.clone()).collect();
        let interface =
            Interface { arguments: call.into_iter().map(|(argument, _)| argument).collect(), ..Interface::default() };
        let found = safe::call(image, symbol, &interface, &contents, limits)?;
        for (index, bytes) in expected {
            let differs = |(expected, found): (&u8, &u8)| expected != found;
            if let Some(byte) = bytes.iter().zip(&found[index]).position(differs) {
                return Err(different(&interface, contents, (index, byte), bytes, found[index].clone()));
            }
        }
    }
    Ok(())
}

/// The rejection for a byte of an argument, by its number, that is another one than expected.
fn different(
    interface: &Interface,
    contents: Vec<Vec<u8>>,
    (result, byte): (usize, usize),
    expected: Vec<u8>,
    found: Vec<u8>,
) -> Rejection {
    let held = |(Argument { name, kind }, contents): (&Argument, Vec<u8>)| match *kind {
        Kind::Public(number) => (name.clone(), Given::Word(number)),
        _ => (name.clone(), Given::Memory(contents)),
    };
    let given: Vec<(String, Given)> = interface.arguments.iter().zip(contents).map(held).collect();
    let is_read = |index: &usize| matches!(interface.arguments[*index].kind, Kind::Memory { is_written: false, .. });
    let read = (0..given.len()).filter(is_read).map(|index| &given[index]);
    Rejection::Different {
        result,
        byte: byte as u64,
        detail: format!("it is {:#04x} and must be {:#04x}", found[byte], expected[byte]),
        expected: expected.into(),
        found: found.into(),
        writer: None,
        values: read.map(|(name, given)| (name.clone(), given.digits())).collect(),
        given: given.into(),
    }
}

/// An argument with its contents before a call.
type Passed = (Argument, Vec<u8>);
/// A result's index among the arguments, with its bytes after the call.
type Expected = (usize, Vec<u8>);

/// The arguments of a call with these inputs, and what it leaves in those that are results.
fn call(
    single: &Single,
    inputs: &[Elements<u64>],
    results: &[Elements<u64>],
) -> Result<(Vec<Passed>, Vec<Expected>), Rejection> {
    let given = single.words.module.entry().slots.iter().filter(|slot| slot.kind.is_given());
    let text = given.zip(inputs).find(|(slot, _)| is_in_place(single, slot)).map(|(_, elements)| elements);
    let (mut inputs, mut results) = (inputs.iter(), results.iter());
    let (mut passed, mut expected) = (Vec::new(), Vec::new());
    for slot in &single.words.module.entry().slots {
        let is_written = match slot.kind {
            SlotKind::Input { .. } | SlotKind::Stream => false,
            SlotKind::Output | SlotKind::OutStream => true,
            SlotKind::Local | SlotKind::Constants(_) | SlotKind::Part | SlotKind::Joined(_) => continue,
        };
        let Type::Word(bits @ (8 | 16 | 32 | 64)) = slot.element else {
            return Err(Rejection::Unsupported(format!("`{}` is not in bytes", slot.name)));
        };
        let width = usize::from(bits) / 8;
        let elements = if is_written { results.next() } else { inputs.next() };
        let bytes = |elements: Option<&Elements<u64>>| -> Vec<u8> {
            let words = elements.into_iter().flatten().flatten();
            words.flat_map(|word| word.to_le_bytes()[..width].to_vec()).collect()
        };
        let is_in_place = is_in_place(single, slot);
        if is_in_place && !is_written {
            continue;
        }
        let (mut bytes, text) = (bytes(elements), bytes(text.filter(|_| is_in_place)));
        // Bytes of a text behind its last whole element stay.
        bytes.extend(text.iter().skip(bytes.len()));
        let length = bytes.len() as u64;
        let kind = Kind::Memory { bytes: length, alignment: width as u64, is_written, is_public: false };
        if is_written {
            expected.push((passed.len(), bytes.clone()));
        }
        let before = match is_written {
            true if is_in_place => text,
            true => vec![0; bytes.len()],
            false => bytes,
        };
        passed.push((Argument { name: slot.name.clone(), kind }, before));
        if matches!(slot.kind, SlotKind::Stream | SlotKind::OutStream) {
            passed.push((Argument { name: slot.name.clone(), kind: Kind::Public(length) }, Vec::new()));
        }
    }
    Ok((passed, expected))
}

/// Whether a slot is a result in the place of a stream, or that stream, which are one argument.
fn is_in_place(single: &Single, slot: &SlotData) -> bool {
    let is_of = |argument: &&SingleArgument| argument.name == slot.name && argument.is_result == slot.kind.is_result();
    single.c.arguments.iter().find(is_of).is_some_and(|argument| argument.is_in_place)
}

/// Number of bytes of a stream's block; `None` if there is no stream.
fn block(single: &Single) -> Option<u64> {
    let streams = single.c.arguments.iter().filter(|argument| argument.is_stream && !argument.is_result);
    // A program whose stream is of bytes or words has blocks of its own.
    streams.map(|argument| argument.bytes.max(16)).max()
}

/// Lengths in bytes: none, and some blocks with a part of one or without.
fn lengths(block: u64) -> Vec<u64> {
    let blocks = [0, 1, 2, 3, 4, 5, 8, 17, 33].map(|blocks| blocks * block);
    let mut lengths: Vec<u64> = blocks.iter().flat_map(|&length| [length, length + 1]).collect();
    lengths.extend([block - 1, 7 * block - 1]);
    lengths.sort_unstable();
    lengths
}

/// The arguments of a function in Rust: a slice is an address and a number of bytes. A slice that is written is as long as
/// what is written. Streams have `period` bytes for each period, and `rest` more.
fn growing(single: &Single, (period, rest): (u64, u64)) -> Result<Growing, Rejection> {
    let func = single.words.module.entry();
    let instances = u64::from(single.c.instances);
    let element = |is_result: bool| {
        let own = |argument: &&SingleArgument| argument.is_stream && argument.is_result == is_result;
        single.c.arguments.iter().find(own).map_or(1, |argument| argument.bytes.max(1))
    };
    let mut arguments = Vec::new();
    for slot in &func.slots {
        if !slot.kind.is_given() && !slot.kind.is_result() {
            continue;
        }
        let Type::Word(bits @ (8 | 16 | 32 | 64)) = slot.element else {
            return Err(Rejection::Unsupported(format!("`{}` is not in bytes", slot.name)));
        };
        let (width, count) = (u64::from(bits) / 8, u64::from(slot.length));
        let fixed = |count: u64, is_written| Kind::Memory {
            bytes: width * count,
            alignment: width,
            is_written,
            is_public: false,
        };
        let mut add = |grown| arguments.push((slot.name.clone(), grown));
        match slot.kind {
            SlotKind::Input { shared: true } => add(Grown::Fixed(fixed(count, false))),
            SlotKind::Input { shared: false } => add(Grown::Fixed(fixed(count * instances, false))),
            SlotKind::Output => add(Grown::Fixed(fixed(count * instances, true))),
            SlotKind::Stream if is_in_place(single, slot) => {}
            SlotKind::OutStream if is_in_place(single, slot) => {
                add(Grown::Stream { period, rest, is_written: true });
                add(Grown::Length { period, rest });
            }
            SlotKind::Stream => {
                add(Grown::Stream { period, rest, is_written: false });
                add(Grown::Length { period, rest });
            }
            SlotKind::OutStream => {
                let period = period / element(false) * element(true);
                let rest = rest / element(false) * element(true);
                add(Grown::Stream { period, rest, is_written: true });
                add(Grown::Length { period, rest });
            }
            SlotKind::Local | SlotKind::Constants(_) | SlotKind::Part | SlotKind::Joined(_) => {}
        }
    }
    Ok(Growing { arguments })
}
