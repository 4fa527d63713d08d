//! Functions kept in programs over fields: with every `--inline`, random programs of several nodes compute what the
//! interpreter does, in words and in C.

use std::fmt::Write;
use std::path::Path;

use culet_diag::Diagnostics;
use culet_driver::{Engine, Kernel, Options, Parameter, Reader, elaborate, load, words};
use culet_ir::{Elements, Func, Module, Op, Target, compute, verify};
use culet_passes::{Amount, Goal};
use culet_testing::{Rng, draw};
use culet_types::program::Slicing;

/// A source with this text.
struct Text<'t>(&'t str);

impl Reader for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

const FIELDS: [&str; 7] = [
    "GF(2^255 - 19)",
    "GF(2^130 - 5)",
    "GF(2^256 - 2^224 + 2^192 + 2^96 - 1)",
    "GF(2^256 - 2^32 - 977)",
    "GF(2^13 - 1)",
    "GF(2^521 - 1)",
    "GF2(x^128 + x^7 + x^2 + x + 1)",
];

const AMOUNTS: [Amount; 3] = [Amount::None, Amount::Auto, Amount::All];

/// A node's parameters and results: elements, an array of them, a bit, bytes, and words that are longer than a machine's may be.
const SIGNATURE: &str = "(a, b : f, t : f[3], s : u1, w : u8[9], q : u64, k : u48[2]) \
                         returns (x : f, y : f[3], c : u1, v : u8[9], z : u64)";

/// A random program. Each node calls nodes before it, in loops and outside, with constants among the operands.
fn program(field: &str, rng: &mut Rng) -> String {
    let mut text = format!("field f = {field}\n");
    for node in 0..3 {
        let attribute = *rng.pick(&["", "", "_inline ", "_no_inline "]);
        let _ = writeln!(text, "{attribute}node n{node} {SIGNATURE}");
        body(&mut text, node, rng);
    }
    let _ = writeln!(text, "node main {SIGNATURE}");
    body(&mut text, 3, rng);
    text
}

fn body(text: &mut String, node: u32, rng: &mut Rng) {
    let mut elements: Vec<String> = ["a", "b", "t[0]", "t[1]", "t[2]", "one", "seven"].map(str::to_owned).into();
    let (mut lines, mut vars) = (String::new(), String::new());
    for number in 0..rng.between(2, 5) {
        let value = if node > 0 && rng.chance(40) {
            let _ =
                write!(vars, ", m{number} : f, o{number} : f[3], c{number} : u1, v{number} : u8[9], z{number} : u64");
            let call = call(node, &elements, "t", rng);
            let _ = writeln!(lines, "  (m{number}, o{number}, c{number}, v{number}, z{number}) = {call};");
            elements.push(format!("o{number}[2]"));
            format!("m{number}")
        } else {
            expression(&elements, rng)
        };
        let _ = write!(vars, ", e{number} : f");
        let _ = writeln!(lines, "  e{number} = {value};");
        elements.push(format!("e{number}"));
    }
    let (start, other) = (rng.pick(&elements).clone(), rng.pick(&elements).clone());
    let turns = rng.between(2, 5);
    let in_loop = match node > 0 && rng.chance(70) {
        true => format!("(u, p, d, g, l) := {}", call(node, &["u".to_owned(), other, "p[1]".to_owned()], "p", rng)),
        false => format!("u := u * u - {other}; p[1] := p[1] + u; d := ~d; g := g + w; l := l >>! 3"),
    };
    let last = expression(&elements, rng);
    let _ = writeln!(
        text,
        "vars one, seven, u : f, p : f[3], d : u1, g : u8[9], l : u64{vars}\nlet\n  one = 1;\n  seven = 7;\n{lines}  u := {start};\n  p := t;\n  d := s;\n  g := w;\n  l := q;\n  \
         fold i in [1, {turns}] {{ {in_loop} }}\n  x = u + ({last});\n  y = (p[2], p[0], u * p[1]);\n  c = ~d;\n  v = g ^ w;\n  z = l ^ (q >>! 7)\ntel"
    );
}

fn expression(elements: &[String], rng: &mut Rng) -> String {
    let [a, b, c] = [0; 3].map(|_| rng.pick(elements).clone());
    match rng.below(10) {
        0 => format!("{a} + {b}"),
        1 => format!("{a} - {b} - {c}"),
        2 => format!("-{a} - 5 * {b}"),
        3 => format!("s ? {a} * {b} : {c}"),
        4 => format!("{a} * {b} - {b} * {c}"),
        5 => format!("t[w[0]] * {a}"),
        6 => format!("f(q) * {a}"),
        7 => format!("f(k) - {a}"),
        _ => format!("{a} * {b} + {c}"),
    }
}

/// A call of a node before this one.
fn call(node: u32, elements: &[String], array: &str, rng: &mut Rng) -> String {
    let callee = rng.below(node);
    let [a, b] = [0; 2].map(|_| rng.pick(elements).clone());
    let a = if rng.chance(15) { "3" } else { &a };
    format!("n{callee}({a}, {b}, {array}, s, w, q, k)")
}

fn options(target: Target, inline: Amount) -> Options {
    Options { inline, ..Options::new(target) }
}

fn messages(found: &Diagnostics) -> String {
    found.iter().map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>().join("; ")
}

/// Set `CULET_RANDOM` to a number to try that many programs a field, from other seeds.
#[test]
fn random_programs_in_words() {
    let count = std::env::var("CULET_RANDOM").ok().and_then(|text| text.parse().ok());
    let (first, count) = count.map_or((0, 3), |count: u64| (1000, count));
    let mut kept = 0;
    for (field, seed) in FIELDS.iter().flat_map(|field| (first..first + count).map(move |seed| (field, seed))) {
        let text = program(field, &mut Rng::new(seed));
        for target in [Target::C64, Target::C32] {
            let mut answers = Vec::new();
            for inline in AMOUNTS {
                let module = &module(&text, &options(target, inline));
                verify(module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
                kept += usize::from(module.funcs.len() > 1);
                let mut rng = Rng::new(seed);
                let mut bytes = |length: u32| (0..length).map(|_| vec![rng.draw() & 0xff]).collect::<Elements<u64>>();
                let inputs = module.entry().slots.iter().filter(|slot| slot.kind.is_given());
                let inputs: Vec<_> = inputs
                    .map(|slot| {
                        let mut elements = bytes(slot.length);
                        let most = u64::MAX >> (64 - slot.element.bits());
                        elements.iter_mut().flatten().for_each(|word| *word &= most);
                        elements
                    })
                    .collect();
                let answer = compute(module, &inputs);
                answers.push(answer.unwrap_or_else(|error| panic!("{error}\n{text}")));
            }
            assert!(answers.iter().all(|answer| *answer == answers[0]), "seed {seed}, {}\n{text}", target.name());
        }
    }
    assert!(kept > 10, "functions are kept in {kept} programs");
}

/// The words of a program.
fn module(text: &str, options: &Options) -> Module {
    let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
    assert!(!found.has_errors(), "{}\n{text}", messages(&found));
    let (program, found) = elaborate(&source, options);
    assert!(!found.has_errors(), "{}\n{text}", messages(&found));
    match words(program.expect("a program"), options, &mut |_, _| {}) {
        Ok(words) => words.module,
        Err(found) => panic!("{}: {}\n{text}", options.arguments(), messages(&found)),
    }
}

#[test]
fn random_programs_in_c() {
    let both = |(seed, field)| [(seed, field, Target::C64), (seed, field, Target::C32)];
    let cases: Vec<(u64, &str, Target)> = (0..).zip(FIELDS).flat_map(both).collect();
    let count = cases.len() / 2;
    let name = |(_, field, target): &(u64, &str, Target)| format!("{field} {}", target.name());
    for (seed, field, target) in draw::some("random programs with functions", cases, count, name) {
        let text = program(field, &mut Rng::new(seed));
        let compilers = draw::compilers(target);
        for inline in AMOUNTS {
            compare(&text, &options(target, inline), &compilers);
        }
    }
}

/// A program whose node is called twice.
const TWICE: &str = "field f = GF(2^255 - 19)
_no_inline node cube (x : f) returns (r : f)
let r = x * x * x tel
node cubes (x, y : f) returns (r : f)
let r = cube(x) + cube(y) tel
";

fn kernel(text: &str, options: &Options) -> (Option<Kernel>, Diagnostics) {
    let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
    Kernel::of(&source, "m", options, &found)
}

#[test]
fn attributes_and_options_say_what_is_kept() {
    let functions = |text: &str, inline| {
        let options = options(Target::C64, inline);
        let (kernel, found) = kernel(text, &options);
        kernel.unwrap_or_else(|| panic!("{}", messages(&found))).module().funcs.len()
    };
    let [none, auto, all] = AMOUNTS;
    assert_eq!([none, auto, all].map(|amount| functions(TWICE, amount)), [2, 2, 1]);
    let plain = TWICE.replace("_no_inline ", "");
    assert_eq!([none, auto, all].map(|amount| functions(&plain, amount)), [2, 1, 1]);
    let copied = TWICE.replace("_no_inline ", "_inline ");
    // Where all functions are kept, the square and the product, which stand at two places each now, are functions, too.
    assert_eq!([none, auto, all].map(|amount| functions(&copied, amount)), [3, 1, 1]);
}

#[test]
fn products_are_functions_on_full_words_where_all_functions_are_kept() {
    let functions = |modulus: &str, inline| {
        let text = format!("field f = GF({modulus})\nnode m (x, y : f) returns (r : f) let r = x / y tel\n");
        let (kernel, found) = kernel(&text, &options(Target::C32, inline));
        let kernel = kernel.unwrap_or_else(|| panic!("{}", messages(&found)));
        let shape = |func: &Func| (func.name.clone(), func.param_types().len());
        kernel.module().funcs.iter().map(shape).collect::<Vec<_>>()
    };
    let named =
        |square, product| vec![("square".to_owned(), square), ("product".to_owned(), product), ("m".to_owned(), 0)];
    // The inverse is a power. 255 bits are in 8 words, 521 in 17; primes without full words of their own are in Montgomery's form.
    assert_eq!(functions("2^255 - 19", Amount::None), named(8, 16));
    assert_eq!(functions("2^521 - 1", Amount::None), named(17, 34));
    // Conversions are products there, and come first.
    let [square, product, m] = &named(8, 16)[..] else { unreachable!() };
    let converted = [product, square, m].map(Clone::clone);
    assert_eq!(functions("2^256 - 2^224 + 2^192 + 2^96 - 1", Amount::None), converted);
    assert_eq!(functions("2^255 - 19", Amount::Auto), [("m".to_owned(), 0)]);
}

#[test]
fn a_square_takes_fewer_sums_than_a_product() {
    let sums = |modulus: &str, target| {
        let text = format!("field f = GF({modulus})\nnode m (x, y : f) returns (r : f) let r = x / y tel\n");
        let (kernel, found) = kernel(&text, &options(target, Amount::None));
        let kernel = kernel.unwrap_or_else(|| panic!("{}", messages(&found)));
        ["square", "product"].map(|name| {
            let func = kernel.module().funcs.iter().find(|func| func.name == name).expect("a function");
            let count = |op: &Op| func.insts.iter().filter(|inst| inst.op == *op).count();
            (count(&Op::MulWide), count(&Op::AddC))
        })
    };
    // Words are added with a carry two by two: a product by rows has 64 of these sums before it is reduced, and a square that adds each of
    // 28 products twice has as many. Twice their sum and eight squares are 16 more.
    for modulus in ["2^255 - 19", "2^256 - 2^224 + 2^192 + 2^96 - 1"] {
        let [(square, sums_of_square), (product, sums_of_product)] = sums(modulus, Target::C32);
        assert_eq!(product - square, 28, "{modulus}");
        assert!(sums_of_square + 40 < sums_of_product, "{modulus}: {sums_of_square}, {sums_of_product}");
    }
}

/// The names of the functions whose definitions have a text before them.
fn names_after(text: &str, before: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(before));
    lines.map(|line| line.split_once('(').map_or(line, |(name, _)| name).to_owned()).collect()
}

#[test]
fn functions_of_loops_are_marked() {
    let text = "field f = GF(2^255 - 19)
_no_inline node deep (x : f) returns (r : f) let r = x * x + 1 tel
_no_inline node turn (x : f) returns (r : f) let r = deep(x) tel
_no_inline node once (x, y : f) returns (r : f) let r = x - y tel
_no_inline node turns (x : f) returns (r : f) let r = x; fold i in [1, 9] { r := turn(r) } tel
node m (x, y : f) returns (r : f) let r = once(turns(x), y) tel
";
    let of = |target, inline| {
        let (kernel, found) = kernel(text, &options(target, inline));
        kernel.unwrap_or_else(|| panic!("{}", messages(&found))).text().to_owned()
    };
    let small = of(Target::C32, Amount::None);
    assert_eq!(names_after(&small, "M_LOOPED M_KEPT static void m_"), ["deep", "turn", "turns"], "{small}");
    assert_eq!(names_after(&small, "M_KEPT static void m_"), ["once"]);
    assert_eq!(names_after(&small, "void "), ["m"]);
    assert!(!of(Target::C64, Amount::None).contains("LOOPED"));
    // An entry with such a loop stands with them.
    let text = text.replace("once(turns(x), y)", "turns(x)").replace("_no_inline node turns", "_inline node turns");
    let (entry, found) = kernel(&text, &options(Target::C32, Amount::None));
    let entry = entry.unwrap_or_else(|| panic!("{}", messages(&found)));
    assert_eq!(names_after(entry.text(), "M_LOOPED void "), ["m"], "{}", entry.text());
}

#[test]
fn calls_of_constants_are_computed() {
    let text = TWICE.replace("_no_inline ", "").replace("cube(x) + cube(y)", "x * cube(5) + y * cube(2)");
    for inline in AMOUNTS {
        compare(&text, &options(Target::C64, inline), &draw::compilers(Target::C64));
    }
    let auto =
        module(&text.replace("r = x * x * x", &format!("r = {}x", "x * ".repeat(9))), &Options::new(Target::C64));
    assert_eq!(auto.funcs.len(), 1, "{auto}");
}

#[test]
fn runs_change_places_in_loops() {
    for modulus in ["2^255 - 19", "2^256 - 2^224 + 2^192 + 2^96 - 1", "2^130 - 5"] {
        let text = format!(
            "field f = GF({modulus})
_no_inline node step (a, b : f, is_last : u1) returns (c, d : f) let c = is_last ? a * b - a : a * b; d = a - b tel
node m (x, y : f, k : u8[4]) returns (r : f[3], first, last : f)
vars p, before : f[3], n : f, bit : u1[8], entry : f[5]
let
  p := (x, y, x * y + 1);
  before = (y, x, x + y);
  n := 1;
  entry = (x, y, 7, x * y, x - y);
  bit = bits(k[0]);
  fold i in [0, 3] {{
    p := (p[1], p[0], p[2] + p[0] * p[1]);
    fold j in [0, 2] {{
      p := (step(p[2], p[1], bit[i]), p[0]);
      n := n * p[0]
    }}
    p := (p[0] + entry[k[i] & 7], p[1] + before[2], p[0])
  }}
  r = p;
  first = before[0] * n - x;
  last = -before[2] + before[2] + p[2]
tel
"
        );
        for target in [Target::C64, Target::C32] {
            compare(&text, &options(target, Amount::None), &draw::compilers(target));
        }
    }
}

#[test]
fn names_of_functions_are_free() {
    // Names of C, of the entry, of parameters, and of other functions.
    let text = "field f = GF(2^255 - 19)
_no_inline node f' (x : f) returns (r : f) let r = x * x tel
_no_inline node f_ (x : f) returns (r : f) let r = f'(x) * x tel
_no_inline node t (x : f) returns (r : f) let r = f_(x) * f'(x) tel
node m (m_t, m_f_, a : f) returns (r : f, wide : f) let r = t(m_t) + f_(m_f_) * a; wide = t(a) tel
";
    for target in [Target::C64, Target::C32] {
        compare(text, &options(target, Amount::None), &draw::compilers(target));
    }
}

/// A fold that may be divided among accumulators, and a function that is to be kept.
const IN_LANES: &str = "field f = GF(2^130 - 5)
_no_inline node twice (x : f) returns (r : f) let r = x + x tel
node m (s : u8[*], k : f) returns (r : f)
let r := twice(twice(k)); _lanes(8) fold b in blocks(s, 16, 1) { r := (r + f(b)) * k } tel
";

#[test]
fn no_function_is_kept_in_lanes() {
    let batch = Options { batch: Some(culet_driver::LANES), ..Options::new(Target::Avx512Ifma) };
    for (text, given) in [(TWICE, batch), (TWICE, Options::new(Target::Avx2)), (IN_LANES, Options::new(Target::Avx2))] {
        let (made, found) = kernel(text, &given);
        let made = made.unwrap_or_else(|| panic!("{}: {}", given.arguments(), messages(&found)));
        assert_eq!(made.module().funcs.len(), 1, "{}", given.arguments());
        let (made, found) = kernel(text, &Options { inline: Amount::None, ..given.clone() });
        assert!(made.is_none() && found.iter().any(|found| found.code.id == "E0830"), "{}", messages(&found));
        assert!(messages(&found).contains("`--inline none` cannot act"), "{}", messages(&found));
    }
}

/// On plain words a fold has one accumulator where functions are to be kept, or code is to be small.
#[test]
fn a_fold_in_lanes_is_whole_where_functions_are_kept() {
    for target in [Target::C64, Target::C32] {
        let of = |inline, goal| Options { goal, ..options(target, inline) };
        for (given, is_one) in [
            (of(Amount::None, Goal::Speed), false),
            (of(Amount::Auto, Goal::Size), false),
            (of(Amount::Auto, Goal::Speed), true),
        ] {
            let (made, found) = kernel(IN_LANES, &given);
            let made = made.unwrap_or_else(|| panic!("{}: {}", given.arguments(), messages(&found)));
            assert_eq!(made.module().funcs.len() == 1, is_one, "{}", given.arguments());
            compare(IN_LANES, &given, &draw::compilers(target));
        }
    }
}

const ON_WORDS: &str = "
node round (x : u32[4], k : u32) returns (y : u32[4])
let
  y = (x[1] ^ k, (x[2] <<< 7) + x[0], x[3] ^ (x[1] >>> 3), x[0] + (x[2] ^ (x[3] << 1)))
tel
node once (x : u32[4]) returns (y : u32[4])
let y = (x[3] + 1, x[2] ^ x[0], x[1] + x[0], (x[0] <<< 5) ^ x[1] ^ x[3]) tel
node short (x, y : u32) returns (z : u32) let z = (x & y) ^ y tel
node m (message : u8[64]) returns (digest : u32[4])
vars s : u32[4], w : u32[16]
let
  w = le<u32[16]>(message);
  s = (1, 2, 3, 4);
  forall i in [0, 3] {
    s := round(s, short(s[0], w[i]));
    s := round(s, short(s[2], w[i + 4]));
    s := round(s, w[i + 8])
  }
  digest = once(s)
tel
";

#[test]
fn words_without_fields_keep_functions_for_size_or_if_they_are_asked_for() {
    for target in [Target::C64, Target::C32] {
        let of = |inline, goal| Options { slicing: Some(Slicing::Vertical), goal, ..options(target, inline) };
        let ways = [
            (of(Amount::Auto, Goal::Speed), 1),
            (of(Amount::Auto, Goal::Size), 2),
            (of(Amount::None, Goal::Speed), 4),
            (of(Amount::All, Goal::Size), 1),
        ];
        for (given, functions) in ways {
            let (made, found) = kernel(ON_WORDS, &given);
            let made = made.unwrap_or_else(|| panic!("{}: {}", given.arguments(), messages(&found)));
            assert_eq!(made.module().funcs.len(), functions, "{}", given.arguments());
            compare(ON_WORDS, &given, &draw::compilers(target));
        }
    }
}

/// `_no_inline` holds unless all calls are to be copied: on words where all others are copied by themselves, and in slices where the
/// model copies them, or packs words.
#[test]
fn marked_functions_are_kept_unless_all_are_to_be_copied() {
    let of = |inline| Options { slicing: Some(Slicing::Vertical), ..options(Target::C64, inline) };
    let on_words = ON_WORDS.replace("node short", "_no_inline node short").replace("node once", "_no_inline node once");
    let slices = "
_no_inline node R (x : u16x4) returns (y : u16x4)
let y = ((x[0] <<< 1) ^ x[3], x[1] & x[2], (x[2] | x[3]) ^ x[0], x[3] <<< 5) tel
node Q (x : u16x4) returns (y : u16x4) let y = (x[3], x[0], x[1] <<< 1, x[2]) tel
node m (x : u16x4) returns (y : u16x4) let y = x; forall i in [0, 20] { y := Q(R(y)) } tel
";
    for (text, kept) in [(&on_words[..], 3), (slices, 2)] {
        for (given, functions) in [(of(Amount::Auto), kept), (of(Amount::All), 1)] {
            let (made, found) = kernel(text, &given);
            let made = made.unwrap_or_else(|| panic!("{}: {}", given.arguments(), messages(&found)));
            assert_eq!(made.module().funcs.len(), functions, "{}\n{text}", given.arguments());
            compare(text, &given, &draw::compilers(Target::C64));
        }
        let chosen = kernel(text, &of(Amount::Auto)).0.expect("it is right");
        // The model has copied the other function because words are side by side.
        if let Ok(lines) = chosen.explained() {
            let line = "inline all: C compilers find vectors where there are no calls, except where the source says so";
            assert!(lines.iter().any(|chosen| chosen.starts_with(line)), "{lines:?}");
        }
    }
}

/// Published programs mark S-boxes. A loop with the only call of one stays a loop as without the mark: in its copies C compilers would
/// not put the function in place of its calls.
#[test]
fn a_function_on_vectors_of_bits_weighs_in_its_callers_loop() {
    let text = "
_no_inline node S (x : u16x4) returns (y : u16x4)
vars a, b : u16
let a = (x[0] & x[1]) ^ x[2]; b = (x[1] | x[3]) ^ a; y = (x[3] ^ a, b, a ^ (b & x[0]), ~(x[2] ^ b)) tel
node m (x : u16x4, k : u16x4[40]) returns (y : u16x4)
let y = x; forall i in [0, 39] { y := S(y ^ k[i]); y[1] := y[1] <<< 1 } tel
";
    let given = Options { slicing: Some(Slicing::Bitslice), ..options(Target::C64, Amount::Auto) };
    for (text, functions) in [(text, 2), (&text.replace("_no_inline ", ""), 1)] {
        let (made, found) = kernel(text, &given);
        let made = made.unwrap_or_else(|| panic!("{}", messages(&found)));
        assert_eq!((made.module().funcs.len(), made.module().entry().regions.len()), (functions, 2));
        compare(text, &given, &draw::compilers(Target::C64));
    }
}

#[test]
fn slices_for_size_are_one_group_with_loops_and_functions() {
    let text = "
node R (x : u16x4, k : u16x4) returns (y : u16x4)
let y = ((x[0] <<< 1) ^ k[0], (x[1] & x[2]) ^ (k[1] <<< 3), (x[2] | x[3]) ^ k[2], (x[3] <<< 5) ^ x[0] ^ k[3]) tel
node m (x : u16x4, k : u16x4[9]) returns (y : u16x4)
let y = x; forall i in [0, 7] { y := R(R(y, k[i]), k[i + 1]) } tel
";
    for target in [Target::C64, Target::C32] {
        let given = Options { slicing: Some(Slicing::Vertical), goal: Goal::Size, ..Options::new(target) };
        let (made, found) = kernel(text, &given);
        let made = made.unwrap_or_else(|| panic!("{}", messages(&found)));
        assert_eq!((made.groups(), made.module().funcs.len()), (1, 2));
        let lines = made.explained().expect("slices");
        assert!(
            lines.iter().any(|line| line.starts_with("unroll none: loops that are kept have the fewest bytes")),
            "{lines:?}"
        );
        compare(text, &given, &draw::compilers(target));
        let (other, _) = kernel(text, &Options { goal: Goal::Speed, ..given });
        assert!(other.expect("a kernel").text().len() > made.text().len());
    }
}

fn compare(text: &str, options: &Options, compilers: &[culet_native::CCompiler]) {
    let (source, _) = load(Path::new("m.ua"), &[], &Text(text));
    let (kernel, found) = kernel(text, options);
    let kernel = kernel.unwrap_or_else(|| panic!("{}: {}\n{text}", options.target.name(), messages(&found)));
    let (program, _) = elaborate(&source, options);
    let interpreter = Engine::interpreter(program.expect("a program")).expect("it is small");
    let mut rng = Rng::new(1);
    let has_stream = interpreter.inputs().iter().any(|input| input.stream);
    // Of streams, messages of several lengths, one at a time.
    let calls: &[(usize, usize)] = if has_stream { &[(1, 0), (1, 5), (1, 16), (1, 33), (1, 200)] } else { &[(20, 1)] };
    let calls: Vec<(usize, Vec<Vec<u8>>)> = calls
        .iter()
        .map(|&(instances, elements)| {
            let bytes = |input: &Parameter| if input.stream { elements } else { instances } * input.bytes;
            (instances, interpreter.inputs().iter().map(|input| rng.bytes(bytes(input))).collect())
        })
        .collect();
    for compiler in compilers {
        let context = format!("{} {}\n{text}", options.arguments(), compiler.name());
        let native = Engine::native(&kernel, compiler, &["-O1", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror"]);
        let native = native.unwrap_or_else(|why| panic!("{context}: {why} {:?}", why.notes));
        for (instances, inputs) in &calls {
            let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            assert!(native.run(&inputs, *instances) == interpreter.run(&inputs, *instances), "{context}");
        }
    }
}
