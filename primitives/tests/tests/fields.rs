//! Programs on elements of fields as intermediate representation. The modules on elements, and those on words of 64 and
//! 32 bits, have the results of the interpreter and of other implementations.

use culet_driver::{DiskReader, Options, Primitive, Source, elaborate, load, parse_hex, words};
use culet_ir::{Module, SlotKind, Target, compute};
use culet_primitives_tests::{Bytes, shelf};
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit;

const PROGRAMS: [&str; 3] = ["curves/x25519", "curves/x25519_lanes", "macs/poly1305"];

fn read(stem: &str) -> (Primitive, Source) {
    let path = shelf::root().join(stem).with_extension("toml");
    let primitive = Primitive::parse(&std::fs::read_to_string(&path).expect("a description")).expect("well formed");
    let (source, found) = load(&path.with_file_name(&primitive.source), &[], &DiskReader);
    assert!(found.is_empty(), "{found:?}");
    (primitive, source)
}

/// The module of a node on elements, and the one on words.
fn modules(source: &Source, node: &str, target: Target) -> [Module; 2] {
    let options = Options { node: Some(node.to_owned()), ..Options::new(target) };
    let (program, found) = elaborate(source, &options);
    let program = program.unwrap_or_else(|| panic!("{found:?}"));
    let mut elements = None;
    let lowered = words(program, &options, &mut |stage, module| {
        if stage == "lower" {
            elements = Some(module.clone());
        }
    });
    let words = lowered.unwrap_or_else(|errors| panic!("{errors:?}")).module;
    [elements.expect("it was observed"), words].map(|module| {
        culet_ir::verify(&module).unwrap_or_else(|errors| panic!("{errors:?}"));
        module
    })
}

/// The single result of a module. `input` gives the inputs by the names of slots.
fn run(module: &Module, input: &dyn Fn(&str) -> Vec<u8>) -> Vec<u8> {
    let slots = module.entry().slots.iter();
    let inputs: Vec<Vec<Vec<u64>>> = slots
        .filter(|slot| matches!(slot.kind, SlotKind::Input { .. } | SlotKind::Stream))
        .map(|slot| input(&slot.name).into_iter().map(|byte| vec![byte.into()]).collect())
        .collect();
    let outputs = compute(module, &inputs).expect("it runs");
    outputs.concat().concat().into_iter().map(|byte| u8::try_from(byte).expect("bytes")).collect()
}

#[test]
fn known_answers() {
    for (stem, target) in PROGRAMS.into_iter().flat_map(|stem| [(stem, Target::C64), (stem, Target::C32)]) {
        let (primitive, source) = read(stem);
        for answer in &primitive.known_answer {
            for module in modules(&source, &answer.node, target) {
                let input = |name: &str| parse_hex(&answer.inputs[name]).expect("hex");
                let output = answer.outputs.values().next().map(|text| parse_hex(text).expect("hex"));
                assert_eq!(Some(run(&module, &input)), output, "{stem}: {}", answer.source);
            }
        }
    }
}

/// A message of ones makes the accumulator exceed the prime; all lengths up to some blocks are tested.
#[test]
fn poly1305_of_many_lengths() {
    let (_, source) = read("macs/poly1305");
    let mut random = Bytes::new("poly1305 in words");
    for module in [Target::C64, Target::C32].map(|target| modules(&source, "poly1305", target)[1].clone()) {
        for length in 0..70 {
            for (key, message) in [(random.take(32), random.take(length)), (vec![0xff; 32], vec![0xff; length])] {
                let expected = Poly1305::new(key.as_slice().into()).compute_unpadded(&message);
                let input = |name: &str| if name == "key" { key.clone() } else { message.clone() };
                assert_eq!(run(&module, &input), expected.as_slice(), "{length} bytes");
            }
        }
    }
}
