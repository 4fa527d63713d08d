//! Every primitive × slicing, by the interpreter, by its intermediate representation after all passes, and compiled to C
//! for every target this CPU runs with gcc-12 and clang-19: all known answers, and whole batches of random
//! instances against another implementation.

use std::collections::BTreeMap;
use std::sync::Arc;

use culet_driver::{
    Engine, Interleave, KnownAnswer, Lowered, Maker, Options, check_answer, check_mode_answer, elaborate, key_schedule,
    lower, parse_hex, slicing_name, to_hex,
};
use culet_ir::{SlotKind, Target};
use culet_meaning::packing::{bytes_to_words, words_to_bytes};
use culet_native::{CCompiler, cpu_runs};
use culet_primitives_tests::shelf::{Entry, entries, messages};
use culet_primitives_tests::{Bytes, references};
use culet_testing::evaluate_module;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let mut trials = Vec::new();
    let compilers: Vec<CCompiler> =
        ["gcc-12", "clang-19"].iter().filter_map(|name| CCompiler::find(Some(name)).ok()).collect();
    for entry in entries().into_iter().map(Arc::new) {
        for (slicing, word) in entry.primitive.slicings().expect("checked when it was read") {
            let name = format!("{}/{}", entry.stem, slicing_name(slicing));
            let options = |target| Options { slicing: Some(slicing), word, ..Options::new(target) };
            trials.push(trial(format!("{name}/interpreter"), &entry, options(Target::C64), interpreted));
            for target in Target::ALL {
                trials.push(trial(format!("{name}/{}/ir", target.name()), &entry, options(target), evaluated_answers));
                for compiler in compilers.iter().filter(|_| cpu_runs(target)) {
                    let compiler = compiler.clone();
                    trials.push(trial(
                        format!("{name}/{}/{}", target.name(), compiler.name()),
                        &entry,
                        options(target),
                        move |entry, options| compiled(entry, options, &compiler),
                    ));
                }
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trial(
    name: String,
    entry: &Arc<Entry>,
    options: Options,
    test: impl FnOnce(&Entry, &Options) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let entry = Arc::clone(entry);
    Trial::test(name, move || test(&entry, &options))
}

fn interpreted(entry: &Entry, options: &Options) -> Result<(), Failed> {
    all_answers(entry, options, &Maker::Interpreter, 3)?;
    random_batch(entry, options, &Maker::Interpreter, 3)
}

fn compiled(entry: &Entry, options: &Options, compiler: &CCompiler) -> Result<(), Failed> {
    let flags = ["-O1", "-Wall", "-Wextra", "-Werror"].map(String::from).to_vec();
    let maker = Maker::Compiler { compiler: compiler.clone(), flags };
    // One more than two full registers of the widest target, so that a call handles full batches and a partial one.
    all_answers(entry, options, &maker, 1025)?;
    random_batch(entry, options, &maker, 1025)
}

fn engine(entry: &Entry, maker: &Maker, options: &Options, node: &str) -> Result<Engine, Failed> {
    let options = Options { node: Some(node.to_owned()), ..options.clone() };
    maker.engine(&entry.source, &options).map_err(|d| format!("{node}: {}", messages(&d)).into())
}

fn by_node(answers: &[KnownAnswer]) -> BTreeMap<&str, Vec<&KnownAnswer>> {
    let mut nodes: BTreeMap<&str, Vec<&KnownAnswer>> = BTreeMap::new();
    for answer in answers {
        nodes.entry(&answer.node).or_default().push(answer);
    }
    nodes
}

/// All known answers, on `instances` instances at once.
fn all_answers(entry: &Entry, options: &Options, maker: &Maker, instances: usize) -> Result<(), Failed> {
    let schedule = key_schedule(&entry.source, &entry.primitive).map_err(|d| messages(&d))?;
    for (node, answers) in by_node(&entry.primitive.known_answer) {
        let engine = engine(entry, maker, options, node)?;
        for answer in answers {
            check_answer(&engine, schedule.as_ref(), answer, instances)
                .map_err(|e| format!("{node}: {}: {e}", answer.source))?;
        }
    }
    for answer in &entry.primitive.mode_answer {
        check_mode_answer(&entry.source, &entry.primitive, answer, options, maker)
            .map_err(|e| format!("{}: {e}", answer.source))?;
    }
    Ok(())
}

/// `instances` random instances against another implementation, and back by the inverse.
fn random_batch(entry: &Entry, options: &Options, maker: &Maker, instances: usize) -> Result<(), Failed> {
    let mut random = Bytes::new(&entry.stem);
    let engine = |node: &str| engine(entry, maker, options, node);
    if let Some(block) = &entry.primitive.block {
        let schedule = key_schedule(&entry.source, &entry.primitive).map_err(|d| messages(&d))?.expect("they have one");
        let key = random.take(schedule.inputs()[0].bytes);
        let round_keys = schedule.run(&[&key], 1).remove(0);
        let encrypt = engine(&block.encrypt)?;
        let size = encrypt.inputs()[0].bytes;
        let plain = random.take(size * instances);
        let expected: Vec<u8> =
            plain.chunks(size).flat_map(|b| references::encrypt(&entry.primitive.name, &key, b)).collect();
        same("encrypt", &encrypt.run(&[&plain, &round_keys], instances)[0], &expected, size)?;
        let decrypt = engine(&block.decrypt)?;
        return same("decrypt", &decrypt.run(&[&expected, &round_keys], instances)[0], &plain, size);
    }
    if let Some(stream) = &entry.primitive.stream {
        let (key, nonce) = (random.take(32), random.take(12));
        let counters: Vec<u8> = random.take(4 * instances);
        let expected: Vec<u8> = counters
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().expect("chunks of four")))
            .flat_map(|counter| references::chacha20(&key, &nonce, counter))
            .collect();
        let engine = engine(&stream.node)?;
        return same("stream", &engine.run(&[&key, &counters, &nonce], instances)[0], &expected, 64);
    }
    for (node, rounds) in [("Ascon_p12", 12), ("Ascon_p8", 8), ("Ascon_p6", 6)] {
        let states = random.take(40 * instances);
        let expected: Vec<u8> = states.chunks(40).flat_map(|s| references::ascon(rounds, s)).collect();
        same(node, &engine(node)?.run(&[&states], instances)[0], &expected, 40)?;
    }
    Ok(())
}

fn same(what: &str, found: &[u8], expected: &[u8], size: usize) -> Result<(), Failed> {
    match found.chunks(size).zip(expected.chunks(size)).position(|(a, b)| a != b) {
        None if found.len() == expected.len() => Ok(()),
        None => Err(format!("{what}: {} bytes, expected {}", found.len(), expected.len()).into()),
        Some(i) => Err(format!("{what}: instance {i} differs from the other implementation").into()),
    }
}

/// All known answers by the intermediate representation after all passes: as it comes, and two groups interleaved.
fn evaluated_answers(entry: &Entry, options: &Options) -> Result<(), Failed> {
    let schedule = key_schedule(&entry.source, &entry.primitive).map_err(|d| messages(&d))?;
    for (node, answers) in by_node(&entry.primitive.known_answer) {
        for groups in [1, 2] {
            let options = Options {
                node: Some(node.to_owned()),
                interleave: Some(Interleave { factor: groups, grain: 3 }),
                ..options.clone()
            };
            let (program, diagnostics) = elaborate(&entry.source, &options);
            let program = program.ok_or_else(|| Failed::from(messages(&diagnostics)))?;
            let lowered = lower(program, &options, &mut |_, _| {}).map_err(|d| messages(&d))?;
            for answer in &answers {
                evaluate(&lowered, schedule.as_ref(), answer, groups as usize)
                    .map_err(|e| format!("{node}, {groups} groups: {}: {e}", answer.source))?;
            }
        }
    }
    Ok(())
}

/// Group 0 computes other inputs, the last group those of the answer.
fn evaluate(lowered: &Lowered, schedule: Option<&Engine>, answer: &KnownAnswer, groups: usize) -> Result<(), String> {
    let node = lowered.program.entry();
    let bytes = |hex: &str| parse_hex(hex).map_err(|e| e.to_string());
    let (mut published, mut other) = (Vec::new(), Vec::new());
    for var in node.params.iter().map(|&id| node.var(id)) {
        let value = match (answer.inputs.get(&var.name), &answer.key, schedule) {
            (Some(hex), _, _) => bytes(hex)?,
            (None, Some(key), Some(schedule)) => schedule.run(&[&bytes(key)?], 1).remove(0),
            _ => return Err(format!("no value for {}", var.name)),
        };
        let changed: Vec<u8> = if var.shared { value.clone() } else { value.iter().map(|b| b ^ 0x5a).collect() };
        published.push(bytes_to_words(&var.ty, var.bytes, &value));
        other.push(bytes_to_words(&var.ty, var.bytes, &changed));
    }
    let mut inputs = vec![other; groups - 1];
    inputs.push(published);
    let outputs = evaluate_module(&lowered.program, &lowered.module, &inputs)?;
    let slots = lowered.module.entry().slots.iter().filter(|slot| slot.kind == SlotKind::Output);
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
