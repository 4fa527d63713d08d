//! Known answers and random batches of the primitives of one program: by any engine, and by the IR after all passes.

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::rc::Rc;

use culet_diag::Diagnostics;
use culet_driver::{
    Engine, Interleave, KeySchedule, KnownAnswer, Maker, Options, Parameter, Source, check_answer, check_mode_answer,
    elaborate, lower, parse_hex, to_hex,
};
use culet_ir::{Module, SlotKind};
use culet_meaning::packing::{bytes_to_words, words_to_bytes};
use culet_primitives_tests::Bytes;
use culet_primitives_tests::references::{self, Computes};
use culet_primitives_tests::shelf::{Entry, messages};
use culet_testing::evaluate_module;
use culet_types::program::Program;
use libtest_mimic::Failed;

/// Runs every known answer by the interpreter, those of modes of operation too.
pub fn interpreted(family: &[Entry], options: &Options) -> Result<(), Failed> {
    let mut bench = Bench::new(options, |source, options| Maker::Interpreter.engine(source, options));
    bench.check(family, 3)?;
    for entry in family {
        for answer in &entry.primitive.mode_answer {
            check_mode_answer(&entry.source, &entry.primitive, answer, options, &Maker::Interpreter)
                .map_err(|e| format!("{}: {e}", answer.source))?;
        }
    }
    Ok(())
}

/// A function that makes an engine.
pub trait Make: Fn(&Source, &Options) -> Result<Engine, Diagnostics> {}

impl<M: Fn(&Source, &Options) -> Result<Engine, Diagnostics>> Make for M {}

/// Engines for the nodes of one program, each made once.
pub struct Bench<'a, M: Make> {
    options: &'a Options,
    /// Makes the engine of the node that options name.
    maker: M,
    engines: HashMap<String, Rc<Engine>>,
}

impl<'a, M: Make> Bench<'a, M> {
    pub fn new(options: &'a Options, maker: M) -> Self {
        Bench { options, maker, engines: HashMap::new() }
    }

    /// Checks all known answers and a random batch of each primitive, with so many instances a call.
    pub fn check(&mut self, family: &[Entry], instances: usize) -> Result<(), Failed> {
        for entry in family {
            self.all_answers(entry, instances)?;
            self.random_batch(entry, instances)?;
        }
        Ok(())
    }

    /// The engine of a node, made at its first use.
    pub fn engine(&mut self, entry: &Entry, node: &str) -> Result<Rc<Engine>, Failed> {
        if let Some(engine) = self.engines.get(node) {
            return Ok(Rc::clone(engine));
        }
        let options = Options { node: Some(node.to_owned()), ..self.options.clone() };
        let made = (self.maker)(&entry.source, &options).map_err(|d| format!("{node}: {}", messages(&d)))?;
        let engine = Rc::new(made);
        self.engines.insert(node.to_owned(), Rc::clone(&engine));
        Ok(engine)
    }

    /// Checks all known answers, on `instances` instances at once.
    fn all_answers(&mut self, entry: &Entry, instances: usize) -> Result<(), Failed> {
        let schedule = KeySchedule::of(&entry.source, &entry.primitive).map_err(|d| messages(&d))?;
        for answer in &entry.primitive.known_answer {
            let engine = self.engine(entry, &answer.node)?;
            check_answer(&engine, schedule.as_ref(), answer, instances)
                .map_err(|e| format!("{}: {}: {e}", answer.node, answer.source))?;
        }
        Ok(())
    }

    /// Compares `instances` random instances with every other implementation, and checks that the inverse undoes block
    /// ciphers.
    fn random_batch(&mut self, entry: &Entry, instances: usize) -> Result<(), Failed> {
        let others = references::of(&entry.primitive.name);
        if others.is_empty() {
            return Err(format!("no other implementation of {}", entry.primitive.name).into());
        }
        let mut random = Bytes::new(&entry.stem);
        for other in others {
            match *other {
                Computes::Block(image) => self.random_blocks(entry, image, &mut random, instances)?,
                Computes::Node(node, image) => self.random_calls(entry, node, image, &mut random, instances)?,
            }
        }
        Ok(())
    }

    fn random_blocks(
        &mut self,
        entry: &Entry,
        image: fn(&[u8], &[u8]) -> Vec<u8>,
        random: &mut Bytes,
        instances: usize,
    ) -> Result<(), Failed> {
        let block = entry.primitive.block.as_ref().expect("the primitive is a block cipher");
        let schedule = KeySchedule::of(&entry.source, &entry.primitive).map_err(|d| messages(&d))?;
        let schedule = schedule.expect("every block cipher has one");
        let encrypt = self.engine(entry, &block.encrypt)?;
        let keys = encrypt.inputs().iter().find(|parameter| parameter.shared).expect("round keys");
        let key = random.take(schedule.key_bytes(keys));
        let round_keys = schedule.expand(&key, keys, &block.encrypt).map_err(|d| messages(&d))?;
        let size = encrypt.inputs()[0].bytes;
        let plain = random.take(size * instances);
        let expected: Vec<u8> = plain.chunks(size).flat_map(|block| image(&key, block)).collect();
        same("encrypt", &encrypt.run(&[&plain, &round_keys], instances)[0], &expected, size)?;
        let Some(decrypt) = &block.decrypt else { return Ok(()) };
        let decrypt = self.engine(entry, decrypt)?;
        same("decrypt", &decrypt.run(&[&expected, &round_keys], instances)[0], &plain, size)
    }

    fn random_calls(
        &mut self,
        entry: &Entry,
        node: &str,
        image: fn(&[&[u8]]) -> Vec<u8>,
        random: &mut Bytes,
        instances: usize,
    ) -> Result<(), Failed> {
        let engine = self.engine(entry, node)?;
        let all: Vec<Vec<u8>> = engine
            .inputs()
            .iter()
            .map(|parameter| random.take(parameter.bytes * if parameter.shared { 1 } else { instances }))
            .collect();
        let instance = |i: usize| -> Vec<u8> {
            let of_one = |(parameter, bytes): (&Parameter, &Vec<u8>)| {
                let start = if parameter.shared { 0 } else { i * parameter.bytes };
                bytes[start..start + parameter.bytes].to_vec()
            };
            let parameters: Vec<Vec<u8>> = engine.inputs().iter().zip(&all).map(of_one).collect();
            image(&parameters.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let expected: Vec<u8> = (0..instances).flat_map(instance).collect();
        let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        same(node, &engine.run(&all, instances)[0], &expected, engine.outputs()[0].bytes)
    }
}

fn same(what: &str, found: &[u8], expected: &[u8], size: usize) -> Result<(), Failed> {
    match found.chunks(size).zip(expected.chunks(size)).position(|(a, b)| a != b) {
        None if found.len() == expected.len() => Ok(()),
        None => Err(format!("{what}: {} bytes, expected {}", found.len(), expected.len()).into()),
        Some(i) => Err(format!("{what}: instance {i} differs from the other implementation").into()),
    }
}

/// All known answers by the intermediate representation after all passes: as it comes, and two groups interleaved.
pub fn evaluated(family: &[Entry], options: &Options) -> Result<(), Failed> {
    let mut modules: HashMap<(String, u32), (Program, Module)> = HashMap::new();
    for entry in family {
        let schedule = KeySchedule::of(&entry.source, &entry.primitive).map_err(|d| messages(&d))?;
        for answer in &entry.primitive.known_answer {
            for groups in [1, 2] {
                let lowered = match modules.entry((answer.node.clone(), groups)) {
                    Occupied(known) => known.into_mut(),
                    Vacant(place) => place.insert(lowered(entry, options, &answer.node, groups)?),
                };
                evaluate(lowered, schedule.as_ref(), answer, groups as usize)
                    .map_err(|e| format!("{}, {groups} groups: {}: {e}", answer.node, answer.source))?;
            }
        }
    }
    Ok(())
}

fn lowered(entry: &Entry, options: &Options, node: &str, groups: u32) -> Result<(Program, Module), String> {
    let interleave = Some(Interleave { factor: groups, grain: 3 });
    let options = Options { node: Some(node.to_owned()), interleave, ..options.clone() };
    let (program, diagnostics) = elaborate(&entry.source, &options);
    let program = program.ok_or_else(|| messages(&diagnostics))?;
    lower(program, &options, &mut |_, _| {}).map_err(|d| messages(&d))
}

/// Group 0 computes other inputs, the last group those of the answer.
fn evaluate(
    lowered: &(Program, Module),
    schedule: Option<&KeySchedule>,
    answer: &KnownAnswer,
    groups: usize,
) -> Result<(), String> {
    let (program, module) = lowered;
    let node = program.entry();
    let bytes = |hex: &str| parse_hex(hex).map_err(|e| e.to_string());
    let (mut published, mut other) = (Vec::new(), Vec::new());
    for var in node.params.iter().map(|&id| node.var(id)) {
        let value = match (answer.inputs.get(&var.name), &answer.key, schedule) {
            (Some(hex), _, _) => bytes(hex)?,
            (None, Some(key), Some(KeySchedule::Node(_, engine))) => engine.run(&[&bytes(key)?], 1).remove(0),
            (None, Some(key), Some(KeySchedule::Same)) => bytes(key)?,
            _ => return Err(format!("no value for {}", var.name)),
        };
        let changed: Vec<u8> = if var.shared { value.clone() } else { value.iter().map(|b| b ^ 0x5a).collect() };
        published.push(bytes_to_words(&var.ty, var.bytes, &value));
        other.push(bytes_to_words(&var.ty, var.bytes, &changed));
    }
    let mut inputs = vec![other; groups - 1];
    inputs.push(published);
    let outputs = evaluate_module(program, module, &inputs)?;
    let slots = module.entry().slots.iter().filter(|slot| slot.kind == SlotKind::Output);
    for (slot, words) in slots.zip(outputs).filter(|(slot, _)| slot.group as usize == groups - 1) {
        let var = node.returns.iter().map(|&id| node.var(id)).find(|var| var.name == slot.name);
        let var = var.ok_or("a slot that is no result")?;
        let expected = bytes(answer.outputs.get(&var.name).ok_or("a result without an answer")?)?;
        let found = words_to_bytes(&var.ty, var.bytes, &words);
        if found != expected {
            return Err(format!("{} is {}", var.name, to_hex(&found)));
        }
    }
    Ok(())
}
