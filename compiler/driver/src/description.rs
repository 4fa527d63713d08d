//! Checks of descriptions before any answer is computed: each name in one names something, values fit, and a block
//! cipher's two directions undo one another.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use culet_diag::codes::{answers, world};
use culet_diag::{Diagnostic, Diagnostics, FileId, Span};
use culet_ir::Target;
use culet_sbox::random::Random;
use culet_types::program::Slicing;
use serde::Deserialize;
use toml::Spanned;

use crate::answers::{Entry, Mismatch, Prepared, check_mode_answer};
use crate::cipher::{KeySchedule, KeyedBlock, KeyedStream, Maker, block_and_keys};
use crate::engine::Engine;
use crate::load::{Source, node_name};
use crate::modes::BlockCipher;
use crate::options::{Options, slicing_name};
use crate::primitive::{Block, Primitive, StreamCipher, to_hex};

/// Keys for which encryption is undone, and blocks under each.
const KEYS: usize = 3;
const BLOCKS: usize = 3;

/// The places of a description's values in its text.
#[derive(Debug)]
pub struct Places {
    file: FileId,
    parts: Parts,
}

type Fields = BTreeMap<String, Spanned<toml::Value>>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Parts {
    block: Fields,
    stream: Fields,
    slicing: Fields,
    known_answer: Vec<AnswerFields>,
    mode_answer: Vec<Fields>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AnswerFields {
    node: Option<Spanned<toml::Value>>,
    key: Option<Spanned<toml::Value>>,
    inputs: Option<Spanned<Fields>>,
    outputs: Option<Spanned<Fields>>,
}

impl AnswerFields {
    /// The place of an entry in the text; of one that is absent, that of the node's name.
    fn place(&self, entry: &Entry) -> Option<Range<usize>> {
        let table = match entry.name {
            "inputs" => &self.inputs,
            "outputs" => &self.outputs,
            "key" => return self.key.as_ref().or(self.node.as_ref()).map(Spanned::span),
            _ => return self.node.as_ref().map(Spanned::span),
        };
        let Some(table) = table else { return self.node.as_ref().map(Spanned::span) };
        let part = entry.part.as_ref().and_then(|name| table.get_ref().get(name));
        Some(part.map_or(table.span(), Spanned::span))
    }
}

impl Places {
    pub fn of(file: FileId, text: &str) -> Places {
        Places { file, parts: toml::from_str(text).unwrap_or_default() }
    }

    fn at(&self, fields: Option<&Fields>, name: &str) -> Span {
        let place = fields.and_then(|fields| fields.get(name)).map_or(0..0, Spanned::span);
        Span::new(self.file, place.start, place.end)
    }

    pub fn slicings(&self) -> Span {
        self.at(Some(&self.parts.slicing), "allowed")
    }

    /// An entry of the known answer with this number.
    pub fn known_answer(&self, number: usize, entry: &Entry) -> Span {
        let place = self.parts.known_answer.get(number).and_then(|answer| answer.place(entry)).unwrap_or_default();
        Span::new(self.file, place.start, place.end)
    }

    /// The results that the known answer with this number gives.
    pub fn outputs(&self, number: usize) -> Span {
        self.known_answer(number, &Entry::whole("outputs"))
    }

    /// A field of the mode answer with this number.
    pub fn mode_answer(&self, number: usize, field: &str) -> Span {
        self.at(self.parts.mode_answer.get(number), field)
    }
}

/// Checks a description, whose text is a file of the source's map. Each mistake is reported once, whatever the number of
/// slicings and targets.
pub fn check_description(source: &Source, primitive: &Primitive, places: &Places) -> Diagnostics {
    let mut check = Check {
        source,
        places,
        options: options(primitive),
        engines: BTreeMap::new(),
        found: Diagnostics::new(),
        reported: HashSet::new(),
    };
    if let Some(block) = &primitive.block {
        check.block(block);
    }
    if let Some(stream) = &primitive.stream {
        check.stream(stream);
    }
    check.known_answers(primitive);
    if !check.found.has_errors() {
        check.mode_answers(primitive);
    }
    check.found
}

/// The first slicing that the description allows.
fn options(primitive: &Primitive) -> Options {
    let first = primitive.slicings().first().copied();
    let (slicing, word) = first.map_or((None, None), |(slicing, word)| (Some(slicing), word));
    Options { slicing, word, ..Options::new(Target::C64) }
}

/// The options for a key schedule, which is interpreted whatever the slicing.
fn of_key_schedule() -> Options {
    Options::new(Target::C64)
}

struct Check<'a> {
    source: &'a Source,
    places: &'a Places,
    options: Options,
    /// The interpreters of nodes; none for one that has errors.
    engines: BTreeMap<String, Option<Arc<Engine>>>,
    found: Diagnostics,
    reported: HashSet<(&'static str, Option<Span>, String)>,
}

impl Check<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        let key = (diagnostic.code.id, diagnostic.span, diagnostic.message.clone());
        if self.reported.insert(key) {
            self.found.push(diagnostic);
        }
    }

    fn misfit(&mut self, place: Span, message: impl Into<String>, note: &str) {
        self.report(Diagnostic::error(&answers::E0901, place, message).note(note));
    }

    /// The interpreter of a node that is named at this place.
    fn engine(&mut self, node: &str, place: Span) -> Option<Arc<Engine>> {
        if !self.engines.contains_key(node) {
            let made = self.made(node, place, self.options.clone());
            self.engines.insert(node.to_owned(), made);
        }
        self.engines.get(node).cloned().flatten()
    }

    /// A block cipher's key schedule.
    fn schedule(&mut self, block: &Block) -> Option<KeySchedule> {
        let Some(node) = &block.key_schedule else { return Some(KeySchedule::Same) };
        let place = self.places.at(Some(&self.places.parts.block), "key_schedule");
        let engine = Arc::into_inner(self.made(node, place, of_key_schedule())?)?;
        Some(KeySchedule::Node(node.clone(), engine))
    }

    fn made(&mut self, node: &str, place: Span, options: Options) -> Option<Arc<Engine>> {
        let names: Vec<&str> = self.source.items.iter().filter_map(node_name).collect();
        if !names.contains(&node) {
            let note = format!("its nodes are {}", names.join(", "));
            self.misfit(place, format!("`{node}` is no node of the program"), &note);
            return None;
        }
        let options = Options { node: Some(node.to_owned()), ..options };
        match Maker::Interpreter.engine(self.source, &options) {
            Ok(engine) => Some(Arc::new(engine)),
            Err(errors) => {
                if let Some(wrong) = wrong_slicing(self.source, self.places, &options, &errors) {
                    self.report(wrong);
                    return None;
                }
                for error in errors {
                    // Only a slicing of the description asks for anything.
                    if error.code.id == world::E0830.id {
                        let note = "the slicings of a program whose words have fixed sizes are `v`, `h` and `b`";
                        let message = "`allowed` has a word size, and the program leaves none open";
                        self.misfit(self.places.slicings(), message, note);
                    } else {
                        self.report(error);
                    }
                }
                None
            }
        }
    }

    /// Checks that the directions of a block cipher fit its key schedule and undo one another.
    fn block(&mut self, block: &Block) {
        let places = self.places;
        let place = |field| places.at(Some(&places.parts.block), field);
        let mut directions = Vec::new();
        for (field, node) in [("encrypt", Some(&block.encrypt)), ("decrypt", block.decrypt.as_ref())] {
            let Some(node) = node else { continue };
            directions.push((field, node, self.engine(node, place(field))));
        }
        let Some(schedule) = self.schedule(block) else { return };
        let known = directions.into_iter().map(|(field, node, engine)| Some((field, node, engine?)));
        let Some(directions) = known.collect::<Option<Vec<(&str, &String, Arc<Engine>)>>>() else { return };
        let makes = |direction: usize, what: &str| {
            directions
                .get(direction)
                .is_some_and(|(.., engine)| engine.outputs().iter().any(|result| result.name.starts_with(what)))
        };
        if makes(0, "plain") && makes(1, "cipher") {
            let message = format!("`{}` makes a plain text, and is named as the node that encrypts", block.encrypt);
            let note = "exchange `encrypt` and `decrypt`, or name the results after what they are";
            self.misfit(place("encrypt"), message, note);
            return;
        }
        let note = "`primitives/README.md` says which parameters and results the nodes have";
        let mut key_bytes = 0;
        let mut misfits = Vec::new();
        for (field, node, engine) in &directions {
            match block_and_keys(engine, node) {
                Ok((_, keys)) => {
                    key_bytes = schedule.key_bytes(keys);
                    let expanded = schedule.expand(&vec![0; key_bytes], keys, node);
                    misfits.extend(expanded.err().into_iter().flatten().map(|error| (*field, error.message)));
                }
                Err(errors) => {
                    errors.iter().for_each(|error| self.misfit(place(field), error.message.clone(), note));
                    return;
                }
            }
        }
        // A key schedule that fits one direction is right.
        let fits_none = misfits.len() == directions.len();
        if let Some((field, message)) = misfits.into_iter().next() {
            self.misfit(place(if fits_none { "key_schedule" } else { field }), message, note);
            return;
        }
        let mut random = Random::new(1);
        for _ in 0..KEYS {
            let key: Vec<u8> = (0..key_bytes).map(|_| random.below(256) as u8).collect();
            let mut keyed = Vec::new();
            for (field, node, engine) in &directions {
                match KeyedBlock::with_engine(Arc::clone(engine), node, &schedule, &key) {
                    Ok(cipher) => keyed.push(cipher),
                    Err(errors) => {
                        errors.iter().for_each(|error| self.misfit(place(field), error.message.clone(), note));
                        return;
                    }
                }
            }
            let (Some(decrypt), Some(wrong)) = (&block.decrypt, not_undone(&mut keyed, &mut random)) else { continue };
            let message = format!("`{decrypt}` does not undo `{}`: {wrong}", block.encrypt);
            let note =
                format!("name the node that undoes `{}` for every key; this key is {}", block.encrypt, to_hex(&key));
            self.report(
                Diagnostic::error(&answers::E0902, place("decrypt"), message)
                    .related(place("encrypt"), "the direction that is to be undone")
                    .note(note),
            );
            return;
        }
    }

    /// Checks that a stream's node has the parameters that the description names, and is a stream by them.
    fn stream(&mut self, stream: &StreamCipher) {
        let places = self.places;
        let place = |field| places.at(Some(&places.parts.stream), field);
        let Some(engine) = self.engine(&stream.node, place("node")) else { return };
        let names: Vec<&str> = engine.inputs().iter().map(|parameter| parameter.name.as_str()).collect();
        let mut is_known = true;
        for (field, name) in [("key", &stream.key), ("nonce", &stream.nonce), ("counter", &stream.counter)] {
            if !names.contains(&name.as_str()) {
                let note = format!("its parameters are {}", names.join(", "));
                self.misfit(place(field), format!("`{}` has no parameter `{name}`", stream.node), &note);
                is_known = false;
            }
        }
        if !is_known {
            return;
        }
        let zeros = |name: &str| {
            let own = engine.inputs().iter().find(|parameter| parameter.name == name);
            vec![0; own.map_or(0, |parameter| parameter.bytes)]
        };
        let (key, nonce) = (zeros(&stream.key), zeros(&stream.nonce));
        let made = KeyedStream::with_engine(
            Arc::clone(&engine),
            self.source,
            stream,
            &key,
            &nonce,
            stream.first,
            &self.options,
        );
        if let Err(errors) = made {
            let note = "`primitives/README.md` says which parameters and results the node has";
            errors.iter().for_each(|error| self.misfit(place("node"), error.message.clone(), note));
        }
    }

    /// Checks that each answer names a node and its parameters and results, with values that fit.
    fn known_answers(&mut self, primitive: &Primitive) {
        let places = self.places;
        let schedule = primitive.block.as_ref().and_then(|block| self.schedule(block));
        let lacks_schedule = primitive.block.is_some() && schedule.is_none();
        for (number, answer) in primitive.known_answer.iter().enumerate() {
            let Some(engine) = self.engine(&answer.node, places.known_answer(number, &Entry::whole("node"))) else {
                continue;
            };
            if lacks_schedule && answer.key.is_some() {
                continue;
            }
            if let Err(mismatch) = Prepared::of(&engine, schedule.as_ref(), answer) {
                let node = Entry::whole("node");
                let entry = if let Mismatch::Description(_, entry) = &mismatch { entry } else { &node };
                self.misfit(
                    places.known_answer(number, entry),
                    format!("{}: {mismatch}", answer.node),
                    "`inputs`, `outputs` and `key` name the node's parameters and results, with bytes in hexadecimal",
                );
            }
        }
    }

    /// Checks that the answers of messages have keys, nonces and texts that fit.
    fn mode_answers(&mut self, primitive: &Primitive) {
        for (number, answer) in primitive.mode_answer.iter().enumerate() {
            let checked = check_mode_answer(self.source, primitive, answer, &self.options, &Maker::Interpreter);
            let Err(mismatch) = checked else { continue };
            let field = match &mismatch {
                Mismatch::Description(_, entry) => entry.name,
                Mismatch::Engine(errors) => {
                    let is_length = errors.iter().any(|error| error.code.id == world::E0811.id);
                    if is_length && primitive.block.is_some() { "key" } else { "mode" }
                }
                Mismatch::Output { .. } => continue,
            };
            let note = "`primitives/README.md` documents the fields of `mode_answer`";
            self.misfit(self.places.mode_answer(number, field), mismatch.to_string(), note);
        }
    }
}

/// The report that a description allows a slicing in which a node has errors, if there are slicings in which it has none.
pub fn wrong_slicing(source: &Source, places: &Places, options: &Options, errors: &Diagnostics) -> Option<Diagnostic> {
    let (wanted, error) = (options.slicing?, errors.iter().find(|found| found.is_error())?);
    let is_possible = |slicing: &Slicing| {
        let options = Options { slicing: Some(*slicing), ..options.clone() };
        Maker::Interpreter.engine(source, &options).is_ok()
    };
    let all = [Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice];
    let possible: Vec<Slicing> = all.into_iter().filter(is_possible).collect();
    if possible.is_empty() || possible.contains(&wanted) {
        return None;
    }
    let possible: Vec<String> = possible.iter().map(|&slicing| format!("`{}`", slicing_name(slicing))).collect();
    let node = options.node.as_deref().map_or_else(|| "the program".to_owned(), |node| format!("`{node}`"));
    let message = format!("`{}` is no slicing of {node}: {}", slicing_name(wanted), error.message);
    let mut wrong = Diagnostic::error(&answers::E0901, places.slicings(), message);
    if let Some(span) = error.span {
        wrong = wrong.related(span, "this needs another slicing");
    }
    Some(wrong.note(format!("write those that are possible: {}", possible.join(", "))))
}

/// Encrypts and decrypts random blocks; says which of them do not come back.
fn not_undone(directions: &mut [KeyedBlock], random: &mut Random) -> Option<String> {
    let [encrypt, decrypt] = directions else { return None };
    let plain: Vec<u8> = (0..BLOCKS * encrypt.block_bytes()).map(|_| random.below(256) as u8).collect();
    let mut cipher = plain.clone();
    if let Err(reason) = encrypt.process(&mut cipher) {
        return Some(reason);
    }
    let mut back = cipher.clone();
    if let Err(reason) = decrypt.process(&mut back) {
        return Some(reason);
    }
    let size = encrypt.block_bytes();
    let wrong = (0..BLOCKS).find(|block| plain[block * size..][..size] != back[block * size..][..size])?;
    let hex = |bytes: &[u8]| to_hex(&bytes[wrong * size..][..size]);
    Some(format!("{} becomes {}, which becomes {}", hex(&plain), hex(&cipher), hex(&back)))
}
