//! Functions on words of one instance, compiled and run, and their results by the evaluator.
#![allow(unsafe_code)] // Functions are called that have just been compiled.

use std::fmt::Write;

use culet_emit::scalar;
use culet_ir::{Elements, Module, SlotData, SlotKind, Target, W1, compute};
use culet_native::{CCompiler, Callable, Extent, KernelSource};
use culet_testing::{Rng, rustc};

use super::{WARNINGS, rust};

/// Bytes of an element of a slot in memory.
pub fn element_bytes(slot: &SlotData) -> usize {
    (slot.element.bits().next_power_of_two().max(8) / 8) as usize
}

/// Whether a slot is a word by value.
pub fn is_value(slot: &SlotData) -> bool {
    slot.element == W1 && slot.length == 1 && slot.kind != SlotKind::Output
}

/// The inputs and outputs of a function in the order of its slots.
pub fn ports(module: &Module) -> impl Iterator<Item = &SlotData> {
    let is_port = |slot: &&SlotData| matches!(slot.kind, SlotKind::Input { .. } | SlotKind::Output | SlotKind::Stream);
    module.entry().slots.iter().filter(is_port)
}

fn extent(slot: &SlotData) -> Extent {
    match slot.kind {
        SlotKind::Stream => Extent { fixed: 0, per_count: 1 },
        _ => Extent { fixed: slot.length as usize * element_bytes(slot), per_count: 0 },
    }
}

/// Compiles the functions and loads them behind one shim that runs all.
pub fn load(modules: &[Module], target: Target, compiler: &CCompiler, flags: &[&str]) -> Callable {
    let word_bits = target.word_bits();
    let functions: Vec<String> = (0..)
        .zip(modules)
        .map(|(number, module)| {
            let function = scalar::c_module(module, &format!("f{number}"), target);
            function.unwrap_or_else(|why| panic!("{why}\n{module}"))
        })
        .collect();
    let all = functions.concat();
    let definitions = modules.iter().map(|module| scalar::c_definitions(module.entry(), target, &all));
    let mut text = format!(
        "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n{}\n\
         void shim(uint8_t *const *out, const uint8_t *const *in, size_t count);\n",
        definitions.max_by_key(String::len).unwrap_or_default()
    );
    let mut calls = String::new();
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for (number, module) in modules.iter().enumerate() {
        let symbol = format!("f{number}");
        let _ = writeln!(text, "{};", scalar::c_prototype(module.entry(), &symbol, word_bits));
        text.push_str(&functions[number]);
        let (mut before, mut after, mut arguments) = (String::new(), String::new(), Vec::new());
        for (port, slot) in ports(module).enumerate() {
            let is_output = slot.kind == SlotKind::Output;
            let list = if is_output { &mut written } else { &mut read };
            let at = list.len();
            list.push(extent(slot));
            if slot.kind == SlotKind::Stream {
                arguments.push(format!("in[{at}], count"));
                continue;
            }
            if is_value(slot) {
                arguments.push(format!("in[{at}][0]"));
                continue;
            }
            let _ = write!(before, " uint{}_t p{port}[{}];", 8 * element_bytes(slot), slot.length);
            let _ = match is_output {
                true => write!(after, " memcpy(out[{at}], p{port}, sizeof p{port});"),
                false => write!(before, " memcpy(p{port}, in[{at}], sizeof p{port});"),
            };
            arguments.push(format!("p{port}"));
        }
        let _ = writeln!(calls, "    {{{before} {symbol}({});{after} }}", arguments.join(", "));
    }
    let _ = write!(
        text,
        "void shim(uint8_t *const *out, const uint8_t *const *in, size_t count)\n{{\n{calls}    (void)out, (void)in, (void)count;\n}}\n"
    );
    if let Ok(folder) = std::env::var("CULET_KEEP_C") {
        let path = std::path::Path::new(&folder).join(format!("scalar{word_bits}.c"));
        std::fs::write(path, &text).expect("CULET_KEEP_C is a folder");
    }
    let files = [("shim.c", text.as_str())];
    let flags: Vec<&str> = WARNINGS.iter().chain(flags).copied().collect();
    let source = KernelSource { files: &files, symbol: "shim" };
    // SAFETY: the shim has this signature and these extents, and the compiler is one for a target that runs here.
    let kernel = unsafe { compiler.kernel(source, target, &flags, (written, read)) };
    kernel.unwrap_or_else(|error| panic!("{}: {error}", compiler.name()))
}

/// Runs the functions on random words, and on extreme ones, and compares each with the evaluator. Streams have as many
/// bytes as the round's number.
pub fn compare(modules: &[Module], kernel: &Callable, rounds: u32, rng: &mut Rng, context: &str) {
    for round in 0..rounds {
        let questions: Vec<Vec<Elements<u64>>> = modules.iter().map(|module| inputs(module, round, rng)).collect();
        let count = round as usize;
        let mut bytes = Vec::new();
        for (module, elements) in modules.iter().zip(&questions) {
            let slots = ports(module).filter(|slot| slot.kind != SlotKind::Output);
            bytes.extend(slots.zip(elements).map(|(slot, elements)| to_bytes(slot, elements)));
        }
        let inputs: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let mut outputs: Vec<Vec<u8>> = kernel.outputs().iter().map(|extent| vec![0xaa; extent.bytes(count)]).collect();
        let mut slices: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        kernel.call(&mut slices, &inputs, count).unwrap_or_else(|error| panic!("{context}: {error}"));
        let mut outputs = outputs.iter();
        for (number, (module, elements)) in modules.iter().zip(&questions).enumerate() {
            let expected = compute(module, elements).unwrap_or_else(|error| panic!("{error}\n{module}"));
            let slots = ports(module).filter(|slot| slot.kind == SlotKind::Output);
            for (slot, (expected, actual)) in slots.zip(expected.iter().zip(&mut outputs)) {
                let expected = to_bytes(slot, expected);
                assert!(*actual == expected, "{context}, function {number}: `{}` differs\n{module}", slot.name);
            }
        }
    }
}

/// Random words; all zeros and all ones in the first two rounds, words of the ends mixed in the third.
pub fn inputs(module: &Module, round: u32, rng: &mut Rng) -> Vec<Elements<u64>> {
    let mut word = |ones: u64| match round {
        0 => 0,
        1 => ones,
        2 => *rng.pick(&[0, 1, ones, ones - 1, ones / 2, ones / 2 + 1]) & ones,
        _ => rng.draw() & ones,
    };
    let slots = ports(module).filter(|slot| slot.kind != SlotKind::Output);
    let mut elements = |slot: &SlotData| {
        let ones = u64::MAX >> (64 - slot.element.bits());
        let length = if slot.kind == SlotKind::Stream { round } else { slot.length };
        (0..length).map(|_| vec![word(ones)]).collect()
    };
    slots.map(&mut elements).collect()
}

fn to_bytes(slot: &SlotData, elements: &Elements<u64>) -> Vec<u8> {
    let bytes = element_bytes(slot);
    elements.iter().flat_map(|element| element[0].to_ne_bytes()[..bytes].to_vec()).collect()
}

/// The functions in Rust, behind one `answer`.
fn rust_program(modules: &[Module], target: Target) -> String {
    let word_bits = target.word_bits();
    let (mut functions, mut arms) = (String::new(), String::new());
    for (number, module) in modules.iter().enumerate() {
        let function = scalar::rust_module(module, "f", target, false);
        let function = function.unwrap_or_else(|why| panic!("{why}\n{module}"));
        let _ = writeln!(functions, "mod f{number} {{\n{}\n{}}}", function.definitions, function.text);
        let (mut before, mut after, mut arguments) = (String::new(), String::new(), Vec::new());
        for (port, slot) in ports(module).enumerate() {
            let (length, bits) = (slot.length, 8 * element_bytes(slot));
            let _ = match slot.kind {
                SlotKind::Output => {
                    arguments.push(format!("&mut p{port}"));
                    let _ = write!(after, " print(&p{port});");
                    write!(before, " let mut p{port} = [0u{bits}; {length}];")
                }
                SlotKind::Stream => {
                    arguments.push(format!("&p{port}"));
                    let length = "words.next().expect(\"a length\")";
                    write!(
                        before,
                        " let p{port}: Vec<u8> = (0..{length}).flat_map(|_| read::<u8, 1>(words)).collect();"
                    )
                }
                _ if is_value(slot) => {
                    arguments.push(format!("p{port}[0]"));
                    write!(before, " let p{port}: [u{word_bits}; 1] = read(words);")
                }
                _ => {
                    arguments.push(format!("&p{port}"));
                    write!(before, " let p{port}: [u{bits}; {length}] = read(words);")
                }
            };
        }
        let call = format!("f{number}::f({})", arguments.join(", "));
        let call = if function.features.is_some() { format!("unsafe {{ {call} }}") } else { call };
        let _ = writeln!(arms, "        {number} => {{{before} {call};{after} }}");
    }
    format!(
        "{functions}{}\nfn answer(question: u64, words: &mut dyn Iterator<Item = u64>) {{\n    match question {{\n{arms}\
         _ => panic!(\"no question\"),\n    }}\n}}\n{}",
        rust::HELPERS,
        rust::MAIN
    )
}

/// As [`compare`], in Rust, for the target of the C compiler, and built as debug builds are, in which sums that
/// overflow panic.
pub fn compare_rust(
    modules: &[Module],
    target: Target,
    compiler: &CCompiler,
    rounds: u32,
    rng: &mut Rng,
    arguments: &[&str],
) {
    let Some(machine) = rustc(target) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let linker = format!("linker={}", compiler.name());
    let cross = if compiler.runner.is_some() { &["-C", &*linker, "-C", "target-feature=+crt-static"][..] } else { &[] };
    rust::compile(directory.path(), &rust_program(modules, target), &[&machine, cross, arguments].concat());
    let (mut questions, mut expected) = (String::new(), Vec::new());
    for round in 0..rounds {
        for (number, module) in modules.iter().enumerate() {
            let elements = inputs(module, round, rng);
            let _ = write!(questions, "{number:x}");
            for (slot, elements) in ports(module).filter(|slot| slot.kind != SlotKind::Output).zip(&elements) {
                if slot.kind == SlotKind::Stream {
                    let _ = write!(questions, " {:x}", elements.len());
                }
                questions.extend(elements.iter().map(|element| format!(" {:x}", element[0])));
            }
            questions.push('\n');
            let outputs = compute(module, &elements).unwrap_or_else(|error| panic!("{error}\n{module}"));
            expected.push((number, outputs.iter().flatten().map(|element| element[0]).collect::<Vec<u64>>()));
        }
    }
    let answers = rust::ask(directory.path(), compiler.runner.as_ref(), &questions);
    assert_eq!(answers.len(), expected.len());
    for (answer, (number, expected)) in answers.iter().zip(&expected) {
        assert!(answer == expected, "{}, function {number}: not {answer:x?}\n{}", target.name(), modules[*number]);
    }
}
