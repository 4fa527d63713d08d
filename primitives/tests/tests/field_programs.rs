//! One program with all operations on elements, over every field: as C and Rust in words of 64 and 32 bits, and in
//! lanes, it has the results of the interpreter, which uses integers of any size. Fields, words and compilers are
//! drawn; with `CULET_ALL` each field has all of them.

use std::fs;

use culet_driver::{DiskReader, Maker, Options, Parameter, load};
use culet_ir::Target;
use culet_passes::Amount;
use culet_primitives_tests::fields::{FIELDS, field};
use culet_primitives_tests::shelf::Compiler;
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;

fn program(f: &str, field: &str, bytes: usize) -> String {
    format!(
        "field f = {field}
node turned (p : {f}, q : {f}[3]) returns (r : {f}[3])
vars s : {f}[4]
let
  s[0] = p;
  forall k in [0, 2] {{ s[k + 1] = s[k] * q[k] + p; r[k] = s[k + 1] - q[k] }}
tel
node ladder (p : {f}[4], s : u8) returns (q : {f}[4])
vars w : {f}[4], h : {f}[4], m : {f}[4], sb : u1[8]
let
  sb = bits(s);
  w := p;
  fold k in [0, 7] {{
    h := (w[0] + w[1], w[0] - w[1], w[2] + w[3], w[2] - w[3]);
    m := (sb[k] ? h : (h[2,3,0,1])) * (h[0], h[1], h[1], p[0]);
    w := (m[0] * m[1], (m[0] - m[1]) * (m[0] + 3 * m[2]), m[3] * m[3], m[2] * p[1])
  }}
  q = w
tel
node mixture (a, b, c : {f}, t : {f}[5], s : u8, w : u8[{twice}])
  returns (x, y, z : {f}, e : {f}[2], l : u8[{bytes}], q : {f}[4])
vars u, v : {f}, o : {f}[3], r : {f}[3], sb : u1[8]
let
  sb = bits(s);
  x = a * b - c * (a + 3) - b * b;
  u := a;
  v := 1;
  o := t[0..2];
  fold k in [0, 9] {{
    u := u * u + b;
    v := (v - u) * 3 + c;
    o := turned(v, o)
  }}
  forall k in [0, 2] {{ r[k] = t[k + 1] * u - v }}
  y = (sb[7] ? u : v) + r[2] / (b - c);
  z = t[s] + o[0] - o[1] * o[2];
  e = (f(w[0..{last}]), f(w) * (-a));
  l = bytes(x * y - 1);
  q = ladder(t[0..3], s)
tel
",
        twice = 2 * bytes,
        last = bytes - 1,
    )
}

/// Values of every parameter for some instances. Elements are 0, 1, all ones, and random bytes.
fn inputs(parameters: &[Parameter], random: &mut Bytes, instances: usize) -> Vec<Vec<u8>> {
    let value = |parameter: &Parameter, random: &mut Bytes| -> Vec<u8> {
        let mut value = random.take(parameter.bytes);
        match random.take(1)[0] % 8 {
            0 => value.fill(0),
            1 => value.fill(0xff),
            2 => {
                value.fill(0);
                value[0] = 1;
            }
            _ => {}
        }
        value
    };
    parameters.iter().map(|p| (0..instances).flat_map(|_| value(p, random)).collect()).collect()
}

/// Compares a field's program, compiled in some ways, with the interpreter.
fn compare(of_field: (&str, &str, usize), f: &str, ways: &[&(Options, Compiler)]) {
    compare_text(of_field.0, &program(f, of_field.1, of_field.2), ways);
}

/// Compares the program of a text, compiled in some ways, with the interpreter.
fn compare_text(name: &str, text: &str, ways: &[&(Options, Compiler)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("f{name}.ua"));
    fs::write(&path, text).expect("it can be written");
    let (source, found) = load(&path, &[], &DiskReader);
    assert!(found.is_empty(), "{name}: {}", shelf::messages(&found));
    let interpreter = Maker::Interpreter.engine(&source, &Options::new(Target::C64));
    let interpreter = interpreter.unwrap_or_else(|d| panic!("{name}: {}", shelf::messages(&d)));
    let instances = 40;
    let values = inputs(interpreter.inputs(), &mut Bytes::new(name), instances);
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    let expected = interpreter.run(&values, instances);
    for (options, compiler) in ways {
        let what = format!("{name}, {} {}", options.arguments(), compiler.name());
        let found = compiler.engine(&source, options, level(options, compiler)).run(&values, instances);
        for ((parameter, found), expected) in interpreter.outputs().iter().zip(&found).zip(&expected) {
            for instance in 0..instances {
                let own = instance * parameter.bytes..(instance + 1) * parameter.bytes;
                assert_eq!(found[own.clone()], expected[own], "{what}: {}, instance {instance}", parameter.name);
            }
        }
    }
}

/// The level of optimisation. C on words is not optimised, since clang takes a minute for 50,000 lines. On vectors such
/// code would need more memory than a stack has, and Rust code has no possible panics only if it is optimised.
fn level(options: &Options, compiler: &Compiler) -> u8 {
    let is_of_words = matches!(options.target, Target::C64 | Target::C32);
    u8::from(!is_of_words || matches!(compiler, Compiler::Rust(..)))
}

/// Number of fields that are drawn, each with another way and another compiler.
const DRAWN: usize = 3;

/// A drawn one of the ways, or all of them.
fn one_of<'w>(subject: &str, ways: &[&'w (Options, Compiler)]) -> Vec<&'w (Options, Compiler)> {
    draw::some(subject, ways.to_vec(), 1, |way| shelf::features(way).join(" "))
}

#[test]
fn every_field_and_operation() {
    let all = FIELDS.into_iter().flat_map(|field| shelf::builds().into_iter().map(move |build| (field, build)));
    let features = |((name, ..), build): &((&str, &str, usize), (Options, Compiler))| {
        [(*name).to_owned()].into_iter().chain(shelf::features(build)).collect()
    };
    for (field, build) in draw::few("fields of programs", all.collect(), features, |_| 0, DRAWN) {
        // This field has a pinned representation.
        let f = if field.0 == "radix29" { "f<29>" } else { "f" };
        compare(field, f, &[&build]);
    }
}

/// Nodes as functions: each is called with elements, arrays of them and bytes.
#[test]
fn functions_kept() {
    let is_of_words = |(options, _): &(Options, Compiler)| matches!(options.target, Target::C64 | Target::C32);
    let kept = |(options, compiler)| (Options { inline: Amount::None, ..options }, compiler);
    let builds: Vec<(Options, Compiler)> = shelf::builds().into_iter().filter(is_of_words).map(kept).collect();
    let names = vec!["25519", "p256", "secp256k1", "p521", "1305"];
    for name in draw::some("fields with functions kept", names, 2, |name| (*name).to_owned()) {
        let subject = format!("functions kept over {name}");
        compare(field(name), "f", &one_of(&subject, &builds.iter().collect::<Vec<_>>()));
    }
}

#[test]
fn full_words() {
    let builds = shelf::builds();
    let names = ["p521", "1305", "25519", "secp256k1"];
    let cases = names.into_iter().flat_map(|name| [(name, 64, Target::C64), (name, 32, Target::C32)]);
    // For secp256k1, the part above the top does not fit a word of 32 bits.
    let cases = cases.filter(|&(name, bits, _)| (name, bits) != ("secp256k1", 32)).collect();
    let features = |(name, bits, _): &(&str, u32, Target)| vec![(*name).to_owned(), bits.to_string()];
    for (name, bits, target) in draw::few("fields in full words", cases, features, |_| 0, 2) {
        let ways: Vec<&(Options, Compiler)> = builds.iter().filter(|(options, _)| options.target == target).collect();
        compare(field(name), &format!("f<{bits}>"), &one_of(&format!("{name} in full words of {bits}"), &ways));
    }
}

/// Primes whose limbs cannot hold their arithmetic, and one whose limbs can only in words of 64 bits.
#[test]
fn small_primes() {
    let builds = shelf::builds();
    let ways: Vec<&(Options, Compiler)> = builds.iter().collect();
    for (prime, bytes) in [("17", 1), ("3329", 2), ("12289", 2), ("8380417", 3)] {
        compare((prime, &format!("GF({prime})"), bytes), "f", &one_of(&format!("GF({prime})"), &ways));
    }
}

/// Operations among constants, alone and beside elements.
#[test]
fn constants() {
    let builds = shelf::builds();
    let ways: Vec<&(Options, Compiler)> = builds.iter().collect();
    for name in ["p256", "l25519", "25519", "mersenne61", "small"] {
        let (name, field, _) = field(name);
        let text = format!(
            "field f = {field}
node m (a : f) returns (r : f[8])
let
  r = (1, -(2 * 3), 1 / 2, 1 - 2 / 3, a + 2 * 3, a * (1 / 2), 5 * a, a * (1 - 1) + 1 / (2 - 2))
tel
"
        );
        compare_text(name, &text, &one_of(&format!("constants of {name}"), &ways));
    }
}

/// Carry-less products of words, with the lowest coefficient at the bottom and at the top.
#[test]
fn products_without_carries() {
    let targets = Target::ALL.into_iter().filter(|target| target.has_clmul() && has_code(*target));
    let each = |target| Compiler::all(target).into_iter().map(move |compiler| (Options::new(target), compiler));
    let builds: Vec<(Options, Compiler)> = targets.flat_map(each).collect();
    let ways: Vec<&(Options, Compiler)> = builds.iter().collect();
    for name in ["ghash", "gf64"] {
        let (name, field, bytes) = field(name);
        let plain = program("f", field, bytes);
        let turned = plain.replace("(f(w[0..", "(f(be<u1>(w[0..").replace("]), f(w)", "])), f(w)");
        assert_ne!(plain, turned);
        compare_text(name, &plain, &one_of(&format!("products of {name}"), &ways));
        compare_text(name, &turned, &one_of(&format!("products of {name} from the top"), &ways));
    }
}

/// Whether a target has code for one instance at a time.
fn has_code(target: Target) -> bool {
    target.element_lanes() > 1
}
