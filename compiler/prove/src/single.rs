//! The theorem about machine code of a program that computes one instance at a time, or a few side by side: its results
//! are those of the program's function on words, for all parameters of each instance.
//!
//! Some words of this function are limbs of elements, whose ranges were proved before ([`limbs`](crate::limbs)). The
//! function is run first, and each such word becomes an unknown in its range. The machine code is then executed along
//! its one path: a short way on a few inputs, on which most mistakes show ([`results`]), and then on unknown bytes.
//! Wherever the machine code computes a term that agrees with such a word on a few random inputs, the two are compared.
//! If they are proved equal for all values of the unknowns, the unknown takes the place of the computed term. An
//! unknown is a word of the program by definition, so nothing depends on the order in which words are found, and no
//! proof is larger than the code between some limbs and the next. Code that is repeated with other unknowns, as in the
//! iterations of a loop, is proved once.
//!
//! In the end the bytes of the results are compared in the same way. With a message of any length, that is done along
//! the paths of short messages, and of the iterations of one loop ([`induction`]).

mod cuts;
mod domain;
mod equal;
mod gaps;
mod growth;
mod induction;
mod invariant;
mod kept;
pub(crate) mod linear;
mod results;
mod samples;

use std::ops::Range;
use std::rc::Rc;

use culet_decide::field::Interval;
use culet_image::Image;
use culet_ir::{Elements, Func, Index, Module, Op, Slot, SlotData, SlotKind, Type, Value};
use culet_term::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::arguments::Arguments;
use crate::attempt::{Attempt, Attempts};
use crate::call::Library;
use crate::erasure;
use crate::execute::{Execution, Knowledge, passed};
use crate::memory::RegionId;
use crate::rejection::Rejection;
use crate::symbolic::Symbolic;
use crate::theorem::{Argument, Limits, OnBytes, Proved};
use crate::unknown::{Area, Stage, Stretch, Unknown};
use cuts::{CutPoints, Opened, Reading};
use results::Compared;

/// Proves that the function `symbol` of an image computes the same as the entry of `words`, or says why not. `ranges`
/// has the values of `words` that are limbs, each with the range that is proved for all inputs
/// ([`Compared`](crate::limbs::Compared)). A call computes `instances` instances; an argument holds their values one
/// after another, or one value if they share it. With `is_in_place`, results of any length may also stand exactly where
/// the stream does.
///
/// # Errors
///
/// When the function is wrong, or its code cannot be followed.
pub fn prove(
    image: &Image,
    symbol: &str,
    words: &Module,
    ranges: &FxHashMap<Value, Interval>,
    (instances, is_in_place): (u32, bool),
    limits: &Limits,
) -> Result<Proved, Rejection> {
    let mut attempts = Attempts::of(image, symbol, limits)?;
    let mut function = OnWords::new(image, (words, ranges, instances), limits)?;
    function.is_in_place = is_in_place;
    let mut proved = attempts.in_every_phase(|attempt| match function.stream {
        None => function.whole(attempt, 0),
        Some(stream) => induction::prove(&mut function, attempt, stream),
    })?;
    proved.cases = function.cuts.equalities.cases;
    proved.statistics = function.cuts.equalities.statistics;
    let name = |operand: usize| function.operands[operand].name.clone();
    let in_place = function.pairs_in_place().into_iter().map(|(made, text)| (name(made), name(text)));
    proved.on_bytes = function.stream.map(|_| OnBytes { batch: None, in_place: in_place.collect() });
    let arguments = function.operands.into_iter().map(|operand| operand.argument).collect();
    Ok(attempts.finish(proved, arguments))
}

/// Kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A pointer to `count` words of `bytes` bytes each, of all instances together.
    Words { bytes: u32, count: u32 },
    /// A pointer to any number of bytes.
    Stream,
    /// A pointer to a result with as many bytes as the stream has in whole blocks of `block` bytes.
    Made { block: u32 },
    /// The number of bytes of the stream.
    Length,
}

/// An argument of the function; arguments are listed in the order in which they are passed.
struct Operand {
    argument: Argument,
    kind: Kind,
    /// Number of instances whose values the argument holds, or 1 if they share it.
    instances: u32,
    /// The slot's name.
    name: String,
}

/// The part of a stream that is in memory: `bytes` bytes from offset `from` on.
#[derive(Clone, Copy)]
struct Part {
    from: i64,
    bytes: i64,
    /// Set if `from` is the block of an arbitrary iteration of a loop: the number of bytes at the stream's start that
    /// are still known. Bytes from `from` on are then unknowns other than the stream's bytes of the same numbers, and
    /// nothing is known of the bytes between.
    start: Option<i64>,
}

impl Part {
    fn whole(bytes: i64) -> Part {
        Part { from: 0, bytes, start: None }
    }

    /// The number of these bytes that are in blocks of `block` bytes of the whole stream.
    fn in_blocks(self, block: u32) -> i64 {
        self.bytes - (self.from + self.bytes) % i64::from(block.max(1))
    }

    /// The memory that the argument of this number points to.
    fn area(self, argument: usize) -> Area {
        if self.start.is_some() { Area::FromIteration(argument) } else { Area::Argument(argument) }
    }

    fn label(self) -> &'static str {
        if self.start.is_some() { ", from this iteration on" } else { "" }
    }

    /// The unknown byte of this number, of the stream that is this parameter.
    fn byte(self, terms: &mut Terms, (parameter, name): (usize, &str), number: i64) -> Term {
        let (stretch, known) = match self.start {
            Some(_) if number >= self.from => (Stretch::FromIteration, self.label()),
            Some(start) if number >= start => (Stretch::BeforeIteration, ", before this iteration"),
            _ => (Stretch::Start, ""),
        };
        Unknown::Given(parameter, stretch, number).word(terms, &format!("{name}{known}[{number}]"), 8)
    }
}

struct OnWords<'i, 'm> {
    image: &'i Image,
    words: Module,
    /// Whether the number of the stream's bytes is a word of the program; then it is the last input.
    has_length: bool,
    ranges: &'m FxHashMap<Value, Interval>,
    instances: u32,
    is_erased: bool,
    is_in_place: bool,
    cuts: CutPoints,
    operands: Vec<Operand>,
    /// The one stream.
    stream: Option<Slot>,
    /// Values that the program computes, by the length of its stream in bytes.
    readings: FxHashMap<i64, Rc<Reading>>,
}

impl<'i, 'm> OnWords<'i, 'm> {
    fn new(
        image: &'i Image,
        (words, ranges, instances): (&'m Module, &'m FxHashMap<Value, Interval>, u32),
        limits: &Limits,
    ) -> Result<OnWords<'i, 'm>, Rejection> {
        let (operands, stream) = operands(words.entry(), instances)?;
        let cuts = CutPoints::new(Terms::new(), limits.budget, stream.is_some());
        let (is_erased, is_in_place, readings) = (limits.erasure, false, FxHashMap::default());
        let mut words = words.clone();
        let has_length = give_length(&mut words);
        if is_erased && stream.is_some() {
            return Err(Rejection::Unsupported("what functions with streams leave behind is not looked at".to_owned()));
        }
        Ok(OnWords {
            image,
            words,
            has_length,
            ranges,
            instances,
            is_erased,
            is_in_place,
            cuts,
            operands,
            stream,
            readings,
        })
    }

    /// Returns results of any length with the stream that each may be the same memory as, by their indices.
    fn pairs_in_place(&self) -> Vec<(usize, usize)> {
        let all = || self.operands.iter().enumerate().filter(|_| self.is_in_place);
        let texts = || all().filter(|(_, operand)| operand.kind == Kind::Stream);
        let made = all().filter(|(_, operand)| matches!(operand.kind, Kind::Made { .. }));
        made.flat_map(|(made, _)| texts().map(move |(text, _)| (made, text))).collect()
    }

    /// Returns the values that the program computes on a stream of `length` bytes.
    fn reading(&mut self, length: i64) -> Result<Rc<Reading>, Rejection> {
        if let Some(known) = self.readings.get(&length) {
            return Ok(known.clone());
        }
        let number = self.cuts.terms.constant_u64(64, length as u64);
        let reading = Rc::new(self.read(Part::whole(length), number, None)?);
        self.readings.insert(length, reading.clone());
        Ok(reading)
    }

    /// Runs the program on a stream that ends with `part`, and is told that it has `length` bytes.
    fn read(&mut self, part: Part, length: Term, opened: Option<Opened<'_>>) -> Result<Reading, Rejection> {
        let mut all = Reading::default();
        for instance in 0..self.instances {
            let mut inputs = self.inputs(instance, part);
            inputs.extend(self.has_length.then(|| vec![vec![length]]));
            let reading = self.cuts.run(&self.words, &inputs, self.ranges, opened);
            let own = reading.map_err(|error| Rejection::Loop(error.to_string()))?;
            all.results.resize_with(own.results.len(), Vec::new);
            for (all, own) in all.results.iter_mut().zip(own.results) {
                all.extend(own);
            }
            all.carried.extend(own.carried);
        }
        Ok(all)
    }

    /// Returns the unknown words of the parameters of one instance.
    fn inputs(&mut self, instance: u32, part: Part) -> Vec<Elements<Term>> {
        let mut inputs: Vec<Elements<Term>> = Vec::new();
        for (index, operand) in self.operands.iter().enumerate().filter(|(_, operand)| !operand.argument.is_written) {
            let terms = &mut self.cuts.terms;
            let words: Vec<Term> = match operand.kind {
                Kind::Words { bytes, count } => {
                    let count = i64::from(count / operand.instances);
                    let first = count * i64::from(instance % operand.instances);
                    contents(terms, (index, &operand.name), bytes, first..first + count)
                }
                Kind::Stream => {
                    (0..part.from + part.bytes).map(|number| part.byte(terms, (index, &operand.name), number)).collect()
                }
                Kind::Length | Kind::Made { .. } => continue,
            };
            inputs.push(words.into_iter().map(|word| vec![word]).collect());
        }
        inputs
    }

    /// Builds the memory of the arguments before the call or in an arbitrary iteration, with the values of a sample or
    /// with unknown contents.
    fn memory(&mut self, part: Part, sample: Option<usize>) -> Arguments<'i> {
        let mut arguments = Arguments::new(self.image, &mut self.cuts.terms);
        for (index, Operand { argument, kind, name, .. }) in self.operands.iter().enumerate() {
            let (area, bytes, words) = match *kind {
                Kind::Words { bytes, count } => (Area::Argument(index), bytes, 0..i64::from(count)),
                Kind::Stream => (part.area(index), 1, part.from..part.from + part.bytes),
                Kind::Made { block } => (part.area(index), 1, part.from..part.from + part.in_blocks(block)),
                Kind::Length => {
                    arguments.add_word();
                    continue;
                }
            };
            let size = (words.end - words.start) * i64::from(bytes);
            let label = if area == part.area(index) { part.label() } else { "" };
            let area = (area, &*format!("*{name}{label}"));
            let terms = &mut self.cuts.terms;
            let region = arguments.add_pointer(terms, area, size, u64::from(bytes), argument.is_written);
            if argument.is_written {
                if part.start.is_some() {
                    // The region is at the same place, but its contents are not those from before the call.
                    arguments.memory.forget_all(region, &format!("*{name}{}", part.label()));
                }
            } else {
                let terms = &mut self.cuts.terms;
                let words: Vec<Term> = match kind {
                    Kind::Stream => words.map(|number| part.byte(terms, (index, name), number)).collect(),
                    _ => contents(terms, (index, name), bytes, words),
                };
                for (place, mut word) in (0..).zip(words) {
                    if let Some(sample) = sample {
                        let value = self.cuts.values(word)[sample];
                        word = self.cuts.terms.constant_u64(8 * bytes, value);
                    }
                    arguments.memory.set(&mut self.cuts.terms, region, place * i64::from(bytes), word);
                }
            }
        }
        for (made, text) in self.pairs_in_place() {
            if let (Some(made), Some(text)) = (arguments.regions[made], arguments.regions[text]) {
                arguments.memory.may_coincide(text, made);
            }
        }
        arguments
    }

    /// Proves one execution from the entry to the return on a stream of `length` bytes.
    fn whole(&mut self, attempt: &mut Attempt<'_, 'i>, length: i64) -> Result<Proved, Rejection> {
        self.watched(attempt, length, &mut Library::new(self.image, Stage::Entry))
    }

    fn watched(
        &mut self,
        attempt: &mut Attempt<'_, 'i>,
        length: i64,
        knowledge: &mut dyn Knowledge<CutPoints>,
    ) -> Result<Proved, Rejection> {
        let reading = self.reading(length)?;
        self.screen(attempt, length, &reading)?;
        let attempt = &mut attempt.beside(self.cuts.gates());
        let (regions, outcome) = self.run(attempt, (length, None), knowledge);
        let mut execution = outcome?;
        let all = Compared { bytes: 0..length, is_end: true };
        self.check(attempt, &mut execution, &regions, (&reading, all), Some(length))?;
        if self.is_erased {
            let words = reading.results.iter().flatten().flatten();
            let results: Vec<Term> = words.flat_map(|word| erasure::bytes_of(&mut self.cuts, word)).collect();
            erasure::check(&mut self.cuts, attempt.decoded, &mut execution, &attempt.frame, &results)?;
        }
        Ok(Proved::of(&self.cuts, execution, &attempt.frame, self.is_erased))
    }

    /// Executes the function to its return, on the inputs of a sample or on unknown words.
    fn run(
        &mut self,
        attempt: &mut Attempt<'_, 'i>,
        (length, sample): (i64, Option<usize>),
        knowledge: &mut dyn Knowledge<CutPoints>,
    ) -> (Vec<Option<RegionId>>, Result<Execution<'i>, Rejection>) {
        let arguments = self.memory(Part::whole(length), sample);
        let number = self.cuts.terms.constant_u64(64, length as u64);
        let mut execution = arguments.enter(&mut self.cuts, attempt, [number]);
        let outcome = attempt.run(&mut self.cuts, &mut execution, knowledge, None);
        (arguments.regions, outcome.map(|_| execution))
    }
}

/// Makes the number of the stream's bytes the last input of a function, if it is a word of the program.
fn give_length(words: &mut Module) -> bool {
    let entry = words.entry.index();
    let func = &mut words.funcs[entry];
    let slot = Slot(func.slots.len() as u32);
    let mut has_length = false;
    for data in func.insts.iter_mut().filter(|data| matches!(data.op, Op::Length { .. })) {
        data.op = Op::Load { slot, index: Index::constant(0) };
        has_length = true;
    }
    if has_length {
        let kind = SlotKind::Input { shared: true };
        func.slots.push(SlotData { name: "length".to_owned(), kind, element: Type::Word(64), length: 1, group: 1 });
    }
    has_length
}

/// Returns the unknown words of a parameter that have these indices.
fn contents(terms: &mut Terms, (parameter, name): (usize, &str), bytes: u32, words: Range<i64>) -> Vec<Term> {
    let given = |index| Unknown::Given(parameter, Stretch::Start, index);
    words.map(|index| given(index).word(terms, &format!("{name}[{index}]"), 8 * bytes)).collect()
}

/// Returns the arguments of a function with the slots of `func`, for `instances` instances, and the slot of the stream
/// among them.
fn operands(func: &Func, instances: u32) -> Result<(Vec<Operand>, Option<Slot>), Rejection> {
    let (mut operands, mut stream) = (Vec::new(), None);
    for (index, slot) in func.slots.iter().enumerate() {
        let name = &slot.name;
        let is_written = match slot.kind {
            SlotKind::Input { .. } | SlotKind::Stream => false,
            SlotKind::Output | SlotKind::OutStream => true,
            SlotKind::Local | SlotKind::Part | SlotKind::Joined(_) | SlotKind::Constants(_) => continue,
        };
        let Type::Word(bits @ (8 | 16 | 32 | 64)) = slot.element else {
            return Err(Rejection::Unsupported(format!("`{name}` is not in bytes")));
        };
        let width = u32::from(bits) / 8;
        let instances = if slot.kind == (SlotKind::Input { shared: true }) { 1 } else { instances };
        let mut add = |what: &str, kind, bytes, layout| {
            let (place, alignment) = (passed(operands.len()), width.into());
            let (is_word, what) = (kind == Kind::Length, format!("{what} {name}"));
            let argument = Argument { name: what, place, is_word, bytes, alignment, is_written, layout };
            operands.push(Operand { argument, kind, instances, name: name.clone() });
        };
        if !matches!(slot.kind, SlotKind::Stream | SlotKind::OutStream) {
            let count = slot.length * instances;
            let kind = Kind::Words { bytes: width, count };
            add("bytes of", kind, u64::from(width) * u64::from(count), String::new());
            continue;
        }
        if instances != 1 {
            return Err(Rejection::Unsupported(format!("`{name}`, a stream of each instance, is not known here")));
        }
        if slot.kind == SlotKind::OutStream {
            let is_end = |op: &Op| matches!(op, Op::StoreTail { slot, .. } if slot.index() == index);
            let has_end = func.insts.iter().any(|data| is_end(&data.op));
            let stream = func.slots.iter().find(|slot| slot.kind == SlotKind::Stream);
            let length = stream.map_or_else(String::new, |stream| format!("as long as {}", stream.name));
            let block = if has_end { 1 } else { slot.length };
            let whole = if has_end { String::new() } else { format!(" in whole elements of {block} bytes") };
            add("each byte of", Kind::Made { block }, 1, length + &whole);
            continue;
        }
        if width != 1 || stream.replace(Slot(index as u32)).is_some() {
            return Err(Rejection::Unsupported("one stream of bytes is known here, not more".to_owned()));
        }
        add("each byte of", Kind::Stream, 1, String::new());
        add("the length of", Kind::Length, 8, format!("in bytes, below 2^{}", linear::COUNT_BITS));
    }
    Ok((operands, stream))
}
