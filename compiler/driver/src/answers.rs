//! Known answers: published inputs and outputs of nodes, checked with any engine.

use std::collections::BTreeMap;
use std::fmt;

use culet_diag::{Diagnostics, counted};

use crate::cipher::{KeySchedule, KeyedBlock, KeyedStream, Maker};
use crate::engine::{Engine, EngineError};
use crate::load::Source;
use crate::modes::{Direction, Mode, ModeError, apply};
use crate::options::Options;
use crate::parameters::Parameter;
use crate::primitive::{AnswerMode, KnownAnswer, ModeAnswer, Primitive, parse_hex, to_hex};

/// The reason why a known answer did not come out, or cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// A result differs, in all or only some of the instances that are computed together.
    Output { name: String, instance: usize, expected: Vec<u8>, found: Vec<u8>, inputs: Vec<(String, Vec<u8>)> },
    /// An entry of the answer does not fit the node.
    Description(String, Entry),
    /// The program cannot be made to run.
    Engine(Diagnostics),
}

/// An entry of an answer: its name, and where it is a table, perhaps a name in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: &'static str,
    pub part: Option<String>,
}

impl Entry {
    pub(crate) fn whole(name: &'static str) -> Entry {
        Entry { name, part: None }
    }

    fn part(name: &'static str, part: &str) -> Entry {
        Entry { name, part: Some(part.to_owned()) }
    }
}

impl From<Diagnostics> for Mismatch {
    fn from(diagnostics: Diagnostics) -> Self {
        Mismatch::Engine(diagnostics)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Output { name, instance, expected, found, .. } => {
                let wrong = expected.iter().zip(found).position(|(expected, found)| expected != found);
                // Of long values, what begins a little before the first wrong byte.
                let from = wrong.filter(|_| expected.len() > SHOWN).map_or(0, |wrong| wrong - wrong % (SHOWN / 2));
                let part = |bytes: &[u8]| abridged(bytes.get(from..).unwrap_or_default());
                let (found, expected) = (part(found), part(expected));
                let from = if from == 0 { String::new() } else { format!(", from byte {from} on,") };
                write!(f, "{name} of instance {instance}{from} is {found}, expected {expected}")
            }
            Mismatch::Description(text, _) => f.write_str(text),
            Mismatch::Engine(diagnostics) => {
                let messages: Vec<&str> =
                    diagnostics.iter().filter(|d| d.is_error()).map(|d| d.message.as_str()).collect();
                f.write_str(&messages.join("; "))
            }
        }
    }
}

/// Bytes of a value that are shown.
const SHOWN: usize = 64;

/// Bytes in hexadecimal, of long values the first.
fn abridged(bytes: &[u8]) -> String {
    match bytes.get(..SHOWN) {
        Some(first) if bytes.len() > SHOWN => format!("{}… ({} bytes)", to_hex(first), bytes.len()),
        _ => to_hex(bytes),
    }
}

impl Mismatch {
    /// The inputs of which a wrong result is computed; none if nothing was computed.
    pub fn inputs(&self) -> Option<String> {
        let Mismatch::Output { inputs, .. } = self else { return None };
        let inputs: Vec<String> = inputs.iter().map(|(name, bytes)| format!("{name} = {}", abridged(bytes))).collect();
        Some(format!("computed of {}", inputs.join(", ")))
    }
}

/// The bytes of an answer that fits its node.
pub(crate) struct Prepared {
    /// Values in the order of the parameters.
    inputs: Vec<Vec<u8>>,
    expected: BTreeMap<String, Vec<u8>>,
}

impl Prepared {
    /// Arranges an answer's values, and expands its key.
    ///
    /// # Errors
    ///
    /// If a name or a value does not fit the node.
    pub fn of(engine: &Engine, keys: Option<&KeySchedule>, answer: &KnownAnswer) -> Result<Prepared, Mismatch> {
        let mut given = bytes_of(&answer.inputs, "inputs")?;
        if let Some(key) = &answer.key {
            let wrong = |text: String| Mismatch::Description(text, Entry::whole("key"));
            let shared = engine
                .inputs()
                .iter()
                .find(|p| p.shared)
                .ok_or_else(|| wrong(format!("`{}` has no const parameter for a key", answer.node)))?;
            let key = parse_hex(key).map_err(|e| wrong(format!("key: {e}")))?;
            let schedule = keys.ok_or_else(|| wrong("there is no key schedule for the key".to_owned()))?;
            let expanded = schedule.expand(&key, shared, &answer.node);
            let expanded = expanded.map_err(|errors| wrong(Mismatch::Engine(errors).to_string()))?;
            if given.insert(shared.name.clone(), expanded).is_some() {
                let text = format!("`{}` is given twice: as it is, and by the key", shared.name);
                return Err(Mismatch::Description(text, Entry::part("inputs", &shared.name)));
            }
        }
        let inputs = arrange(engine.inputs(), &given)?;
        let expected = bytes_of(&answer.outputs, "outputs")?;
        if expected.is_empty() {
            let text = format!("an answer for `{}` names no result", answer.node);
            return Err(Mismatch::Description(text, Entry::whole("outputs")));
        }
        for (name, bytes) in &expected {
            match engine.outputs().iter().find(|parameter| parameter.name == *name) {
                None => {
                    let names: Vec<&str> = engine.outputs().iter().map(|result| result.name.as_str()).collect();
                    let text = format!("`{}` has no result `{name}`; there are {}", answer.node, names.join(", "));
                    return Err(Mismatch::Description(text, Entry::part("outputs", name)));
                }
                Some(parameter) if !parameter.takes(bytes.len()) => {
                    return Err(wrong_length(parameter, bytes.len(), "outputs"));
                }
                Some(_) => {}
            }
        }
        Ok(Prepared { inputs, expected })
    }
}

/// Checks one answer on `instances` instances at once. `keys` is the key schedule, for answers with a
/// key.
///
/// Instance 0 and the last instance compute the published inputs. The instances between have altered values of their
/// unshared inputs, so that an error that mixes up instances is detected.
pub fn check_answer(
    engine: &Engine,
    keys: Option<&KeySchedule>,
    answer: &KnownAnswer,
    instances: usize,
) -> Result<(), Mismatch> {
    let Prepared { inputs, expected } = Prepared::of(engine, keys, answer)?;
    // A stream belongs to one instance.
    let has_streams = engine.inputs().iter().chain(engine.outputs()).any(|parameter| parameter.stream);
    let instances = if has_streams { 1 } else { instances };
    let batches: Vec<Vec<u8>> = engine
        .inputs()
        .iter()
        .zip(&inputs)
        .map(|(parameter, bytes)| if parameter.shared { bytes.clone() } else { altered(bytes, instances) })
        .collect();
    let batches: Vec<&[u8]> = batches.iter().map(Vec::as_slice).collect();
    let results =
        engine.compute(&batches, instances).map_err(|e| Mismatch::Engine(EngineError::from(e).diagnostic().into()))?;
    for (parameter, result) in engine.outputs().iter().zip(results) {
        let Some(expected) = expected.get(&parameter.name) else { continue };
        for instance in [0, instances - 1] {
            let found = if parameter.shared || parameter.stream {
                result.clone()
            } else {
                result[instance * parameter.bytes..][..parameter.bytes].to_vec()
            };
            if found != *expected {
                let names = engine.inputs().iter().map(|parameter| parameter.name.clone());
                return Err(Mismatch::Output {
                    name: parameter.name.clone(),
                    instance,
                    expected: expected.clone(),
                    found,
                    inputs: names.zip(inputs).collect(),
                });
            }
        }
    }
    Ok(())
}

/// Checks a message's answer in both directions, encryption and decryption, as far as the primitive has both.
pub fn check_mode_answer(
    source: &Source,
    primitive: &Primitive,
    answer: &ModeAnswer,
    options: &Options,
    maker: &Maker,
) -> Result<(), Mismatch> {
    let wrong = |text: String, name: &'static str| Mismatch::Description(text, Entry::whole(name));
    let hex = |text: &str, name| parse_hex(text).map_err(|e| wrong(e.to_string(), name));
    let optional = |text: &Option<String>, name| hex(text.as_deref().unwrap_or(""), name);
    let (key, plain) = (hex(&answer.key, "key")?, hex(&answer.plain, "plain")?);
    let cipher = hex(&answer.cipher, "cipher")?;
    let process = |direction: Direction, data: &[u8]| -> Result<Vec<u8>, Mismatch> {
        let mut data = data.to_vec();
        let text_name = if direction == Direction::Encrypt { "plain" } else { "cipher" };
        let described = |e: ModeError| {
            let is_start = matches!(e, ModeError::InitialValue { .. });
            wrong(e.to_string(), if is_start { "initial_counter" } else { text_name })
        };
        if answer.mode == AnswerMode::Stream {
            let (nonce, first) =
                (optional(&answer.nonce, "nonce")?, answer.counter.unwrap_or_else(|| primitive.first_counter()));
            let mut stream = KeyedStream::new(source, primitive, &key, &nonce, first, options, maker)?;
            stream.process(&mut data).map_err(described)?;
            return Ok(data);
        }
        let (mode, direction) = match answer.mode {
            AnswerMode::Ecb => (Mode::Ecb, direction),
            _ => (Mode::Ctr, Direction::Encrypt),
        };
        let mut block = KeyedBlock::new(source, primitive, direction, &key, options, maker)?;
        apply(mode, &mut block, &optional(&answer.initial_counter, "initial_counter")?, &mut data)
            .map_err(described)?;
        Ok(data)
    };
    let is_one_way =
        answer.mode == AnswerMode::Ecb && primitive.block.as_ref().is_some_and(|block| block.decrypt.is_none());
    let directions = [(Direction::Encrypt, &plain, &cipher), (Direction::Decrypt, &cipher, &plain)];
    for (direction, from, to) in directions.into_iter().take(if is_one_way { 1 } else { 2 }) {
        let found = process(direction, from)?;
        if found != *to {
            let name = format!("{} in mode {:?}", primitive.name, answer.mode);
            let mut inputs = vec![("key".to_owned(), key.clone()), ("text".to_owned(), from.clone())];
            for (name, value) in [("nonce", &answer.nonce), ("initial_counter", &answer.initial_counter)] {
                if value.is_some() {
                    inputs.push((name.to_owned(), optional(value, name)?));
                }
            }
            return Err(Mismatch::Output { name, instance: 0, expected: to.clone(), found, inputs });
        }
    }
    Ok(())
}

/// The given values, in the order of the parameters.
pub fn arrange(parameters: &[Parameter], given: &BTreeMap<String, Vec<u8>>) -> Result<Vec<Vec<u8>>, Mismatch> {
    if let Some(name) = given.keys().find(|name| parameters.iter().all(|p| p.name != **name)) {
        let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
        let text = format!("there is no parameter `{name}`; there are {}", names.join(", "));
        return Err(Mismatch::Description(text, Entry::part("inputs", name)));
    }
    parameters
        .iter()
        .map(|parameter| match given.get(&parameter.name) {
            None => {
                let text = format!("no value for the parameter `{}`", parameter.name);
                Err(Mismatch::Description(text, Entry::whole("inputs")))
            }
            Some(bytes) if !parameter.takes(bytes.len()) => Err(wrong_length(parameter, bytes.len(), "inputs")),
            Some(bytes) => Ok(bytes.clone()),
        })
        .collect()
}

fn wrong_length(parameter: &Parameter, found: usize, entry: &'static str) -> Mismatch {
    let Parameter { name, bytes, stream, .. } = parameter;
    let times = if *stream { "a multiple of " } else { "" };
    let wanted = counted(*bytes, "byte");
    Mismatch::Description(format!("`{name}` has {times}{wanted}, not {found}"), Entry::part(entry, name))
}

fn bytes_of(values: &BTreeMap<String, String>, entry: &'static str) -> Result<BTreeMap<String, Vec<u8>>, Mismatch> {
    values
        .iter()
        .map(|(name, hex)| match parse_hex(hex) {
            Ok(bytes) => Ok((name.clone(), bytes)),
            Err(error) => Err(Mismatch::Description(format!("{name}: {error}"), Entry::part(entry, name))),
        })
        .collect()
}

/// `instances` copies of the bytes. In all copies but the first and the last, every byte is changed, differently for
/// each copy.
fn altered(bytes: &[u8], instances: usize) -> Vec<u8> {
    (0..instances)
        .flat_map(|i| {
            let mask = if i == 0 || i == instances - 1 { 0 } else { (i as u8).wrapping_mul(29) | 1 };
            bytes.iter().map(move |b| b ^ mask)
        })
        .collect()
}
