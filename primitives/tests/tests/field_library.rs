//! The fields of `primitives/fields/`, by the interpreter and as C and Rust. Tested are published answers, and each
//! operation on extreme and random numbers against integers of any size. Words and compiler of each field are drawn;
//! with `CULET_ALL` each field has all of them.

use std::fs;

use culet_driver::{DiskReader, Engine, Maker, Options, Source, check_answer, elaborate, load};
use culet_ir::Target;
use culet_primitives_tests::Bytes;
use culet_primitives_tests::shelf::{self, Compiler, Entry, messages};
use culet_testing::draw;
use culet_types::field::FieldKind;
use num_bigint::BigUint;

/// Number of pairs of random numbers for each operation.
const RANDOM: usize = 20;

const OPERATIONS: [&str; 7] = ["mul", "square", "add", "sub", "opp", "select", "inv"];

/// The result of an operation on two numbers below `p` and a flag.
fn expected(operation: &str, flag: bool, [a, b]: [&BigUint; 2], p: &BigUint) -> BigUint {
    match operation {
        "mul" => a * b % p,
        "square" => a * a % p,
        "add" => (a + b) % p,
        "sub" => (a + p - b) % p,
        "opp" => (p - a) % p,
        "select" => (if flag { a } else { b }).clone(),
        _ => a.modinv(p).unwrap_or_default(),
    }
}

/// Number of drawn builds, each of another field.
const BUILDS: usize = 3;

/// The ways to compute each field: the interpreter, and for drawn fields a drawn way to compile them, or for all fields all ways. Each
/// way is drawn for some field.
fn ways(entries: &[Entry]) -> Vec<Vec<(String, Options, Option<Compiler>)>> {
    let stems = entries.iter().map(|entry| entry.stem.as_str());
    let all = stems.clone().flat_map(|stem| shelf::builds().into_iter().map(move |build| (stem, build)));
    let features = |(stem, build): &(&str, (Options, Compiler))| {
        [(*stem).to_owned()].into_iter().chain(shelf::features(build)).collect()
    };
    let drawn = draw::few("fields of the library", all.collect(), features, |_| 0, BUILDS);
    let of_field = |stem: &str| {
        let own = drawn.iter().filter(|(other, _)| *other == stem).map(|(_, (options, compiler))| {
            let name = format!("{} {}", options.arguments(), compiler.name());
            (name, options.clone(), Some(compiler.clone()))
        });
        [("interpreter".to_owned(), Options::new(Target::C64), None)].into_iter().chain(own).collect()
    };
    stems.map(of_field).collect()
}

fn engine(source: &Source, options: &Options, compiler: Option<&Compiler>) -> Engine {
    match compiler {
        Some(compiler) => compiler.engine(source, options, 1),
        None => {
            let engine = Maker::Interpreter.engine(source, options);
            engine.unwrap_or_else(|d| panic!("{}: {}", source.stem, messages(&d)))
        }
    }
}

fn modulus(entry: &Entry) -> BigUint {
    let (program, found) = elaborate(&entry.source, &Options::new(Target::C64));
    let program = program.unwrap_or_else(|| panic!("{}: {}", entry.stem, messages(&found)));
    match &program.fields[..] {
        [field] => match &field.kind {
            FieldKind::Prime(modulus) => modulus.clone(),
            FieldKind::Binary(_) => panic!("{} is a binary field", entry.stem),
        },
        fields => panic!("{} has {} fields", entry.stem, fields.len()),
    }
}

#[test]
fn published_answers() {
    let entries = shelf::entries_in("fields");
    assert_eq!(entries.len(), 15);
    for (entry, ways) in entries.iter().zip(ways(&entries)) {
        assert!(!entry.primitive.known_answer.is_empty(), "{}", entry.stem);
        for (way, options, compiler) in ways {
            for answer in &entry.primitive.known_answer {
                let options = Options { node: Some(answer.node.clone()), ..options.clone() };
                let engine = engine(&entry.source, &options, compiler.as_ref());
                let found = check_answer(&engine, None, answer, 3);
                found.unwrap_or_else(|why| panic!("{}, {way}, {}: {why:?}", entry.stem, answer.source));
            }
        }
    }
}

#[test]
fn operations_beside_integers() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries = shelf::entries_in("fields");
    for (entry, ways) in entries.iter().zip(ways(&entries)) {
        let p = modulus(entry);
        let bytes = (&p - 1u32).bits().div_ceil(8) as usize;
        let most = (BigUint::from(1u32) << (8 * bytes)) - 1u32;
        let ends = [BigUint::ZERO, 1u32.into(), 2u32.into(), &p - 1u32, p.clone().min(most.clone()), most];
        let mut random = Bytes::new(&entry.stem);
        let mut pairs: Vec<[BigUint; 2]> = Vec::new();
        pairs.extend(ends.iter().flat_map(|a| ends.iter().map(|b| [a.clone(), b.clone()])));
        pairs.extend((0..RANDOM).map(|_| [(); 2].map(|()| BigUint::from_bytes_le(&random.take(bytes)))));
        let bytes_of = |number: &BigUint| {
            let mut found = number.to_bytes_le();
            found.resize(bytes, 0);
            found
        };
        let flags: Vec<u8> = random.take(pairs.len());
        let [a, b] = [0, 1].map(|index| pairs.iter().flat_map(|pair| bytes_of(&pair[index])).collect::<Vec<u8>>());
        let path = folder.path().join(format!("every_{}.ua", entry.stem));
        fs::write(&path, every(&entry.stem)).expect("it can be written");
        let (source, found) = load(&path, &[shelf::root().join("fields")], &DiskReader);
        assert!(found.is_empty(), "{}: {}", entry.stem, messages(&found));
        for (way, options, compiler) in ways {
            let engine = engine(&source, &options, compiler.as_ref());
            let found = engine.run(&[&flags, &a, &b], pairs.len());
            for (operation, found) in OPERATIONS.into_iter().zip(&found) {
                for (index, ([a, b], found)) in pairs.iter().zip(found.chunks(bytes)).enumerate() {
                    let reduced = [&(a % &p), &(b % &p)];
                    let expected = bytes_of(&expected(operation, flags[index] & 1 == 1, reduced, &p));
                    assert_eq!(found, expected, "{}, {way}: {operation} of {a:x} and {b:x}", entry.stem);
                }
            }
        }
    }
}

/// A program that calls each operation of a field.
fn every(stem: &str) -> String {
    format!(
        "include \"{stem}.ua\"
node every (flag : u8, a, b : f) returns (product, square_, sum, difference, opposite, choice, inverse : f)
let
  product = mul(a, b);
  square_ = square(a);
  sum = add(a, b);
  difference = sub(a, b);
  opposite = opp(a);
  choice = select(flag, a, b);
  inverse = inv(a)
tel
"
    )
}
