//! Proofs from bytes to bytes of the machine code of whole programs over fields, by C compilers at several levels;
//! damaged code is refused.

mod subject;
mod word_proofs;

use std::fs;
use std::path::{Path, PathBuf};

use culet_decide::bits::Budget;
use culet_driver::{Mutation, Options};
use culet_image::Image;
use culet_ir::Target;
use culet_native::CCompiler;
use culet_native::replay::{Code, Passed, call};
use culet_primitives_tests::Bytes;
use culet_primitives_tests::fields::field;
use culet_prove::theorem::Limits;
use culet_testing::{compilers, draw};
use subject::Subject;

fn primitive(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Flags of the two levels. The second one is for the CPU at hand.
const LEVELS: [&[&str]; 2] = [&["-O2"], &["-O3", "-march=native"]];

/// A case with a C compiler and the flags of a level.
struct Build<T> {
    case: T,
    compiler: CCompiler,
    flags: &'static [&'static str],
}

impl<T> Build<T> {
    fn name(&self, features: impl Fn(&T) -> Vec<String>) -> String {
        format!("{} {} {}", features(&self.case).join(" "), self.compiler.name(), self.flags[0])
    }
}

/// So many builds of cases that are claimed to be proved, drawn so that they differ in features of cases, compilers and levels; cheap
/// cases are drawn where they serve as well as dear ones.
///
/// Nothing is executed, so that the compilers of this machine serve for any x86-64 target.
fn builds<T: Clone>(
    test: &str,
    cases: impl IntoIterator<Item = T>,
    features: impl Fn(&T) -> Vec<String> + Copy,
    cost: impl Fn(&T) -> u32,
    is_claimed: impl Fn(&Build<T>) -> bool,
    count: usize,
) -> Vec<Build<T>> {
    let mut all = Vec::new();
    for case in cases {
        for compiler in compilers(Target::C64) {
            for flags in LEVELS {
                all.push(Build { case: case.clone(), compiler: compiler.clone(), flags });
            }
        }
    }
    all.retain(is_claimed);
    let axes = |build: &Build<T>| {
        features(&build.case).into_iter().chain([build.compiler.name(), build.flags[0].to_owned()]).collect()
    };
    draw::few(test, all, axes, |build| 2 * cost(&build.case) + u32::from(build.flags != LEVELS[0]), count)
}

/// Tests whose proofs take half a minute each: one of them is drawn.
const LONG: [&str; 3] = ["messages_of_any_length", "montgomery_form_in_halves", "what_grows_is_given_up"];

fn is_drawn(long: &str) -> bool {
    draw::some("long proofs over fields", LONG.to_vec(), 1, |name| (*name).to_owned()).contains(&long)
}

/// X25519 alone, and in lanes of one instance; with `CULET_ALL` also eight instances.
#[test]
fn x25519() {
    let mut cases = vec![("curves/x25519.ua", Target::C64, None), ("curves/x25519_lanes.ua", Target::Avx512Ifma, None)];
    if draw::wants_all() {
        cases.push(("curves/x25519.ua", Target::Avx512Ifma, Some(8)));
    }
    let features = |(path, _, batch): &(&str, Target, Option<u32>)| vec![format!("{path} {batch:?}")];
    let is_claimed = |build: &Build<(&str, Target, Option<u32>)>| {
        draw::wants_all() || build.case.1 == Target::C64 || build.flags == LEVELS[0]
    };
    for build in builds("X25519", cases, features, |_| 0, is_claimed, 1) {
        let (path, target, batch) = build.case;
        let subject = Subject::of(&primitive(path), &Options { batch, ..Options::new(target) });
        let proved = subject.prove(&subject.image(&build.compiler, build.flags));
        let proved = proved.unwrap_or_else(|why| panic!("{}: {why}", build.name(features)));
        let least = if target == Target::C64 { 400_000 } else { 100_000 };
        assert!(proved.instructions > least && proved.cases > 0, "{}: {proved:?}", build.name(features));
        assert_eq!(proved.arguments[0].bytes, 32 * u64::from(batch.unwrap_or(1)), "{proved:?}");
    }
}

/// Names of parameters do not collide with those of the prover's unknowns.
#[test]
fn parameters_have_any_names() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, other) in [("word", "carried"), ("shared", "periods")] {
        let path = folder.path().join(format!("{name}.ua"));
        let text = format!(
            "field fe = GF(2^255 - 19)\n\nnode product ({name}, {other} : fe) returns (c : fe)\nlet\n  c = {name} * {other}\ntel\n"
        );
        fs::write(&path, text).expect("it can be written");
        let subject = Subject::new(&path, Target::C64);
        for compiler in draw::some(&format!("parameter {name}"), compilers(Target::C64), 1, CCompiler::name) {
            let proved = subject.prove(&subject.image(&compiler, &["-O2"]));
            proved.unwrap_or_else(|why| panic!("{name} {}: {why}", compiler.name()));
        }
    }
}

/// Table entries at secret positions, some beyond the table, in limbs and in Montgomery's form.
#[test]
fn lookups() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("looked_up.ua");
    let cases = [
        ("GF(2^255 - 19)", 2, "t[k]"),
        ("GF(2^255 - 19)", 3, "t[k] * a"),
        ("GF(2^255 - 19)", 16, "a + t[k]"),
        ("GF(2^256 - 2^224 + 2^192 + 2^96 - 1)", 4, "t[k]"),
        ("GF(2^256 - 2^224 + 2^192 + 2^96 - 1)", 5, "t[k] - a"),
    ];
    let features = |(field, entries, result): &(&str, u32, &str)| vec![format!("{result} of {entries} over {field}")];
    for build in builds("lookups", cases, features, |_| 0, |_| true, 2) {
        let (field, entries, result) = build.case;
        let text = format!(
            "field fe = {field}\n\nnode looked_up (k : u8, a : fe, t : fe[{entries}]) returns (c : fe)\nlet\n  c = {result}\ntel\n"
        );
        fs::write(&path, text).expect("it can be written");
        let subject = Subject::new(&path, Target::C64);
        let proved = subject.prove(&subject.image(&build.compiler, build.flags));
        proved.unwrap_or_else(|why| panic!("{}: {why}", build.name(features)));
    }
}

/// Code that is not proved at higher levels than `-O2`.
const OPEN_MESSAGES: [(&str, Target, &str); 2] =
    [("macs/ghash.ua", Target::C32, "clang-19"), ("macs/ghash.ua", Target::Avx2, "gcc-12")];

/// Programs that read messages of any length, and the targets for which they are proved: in words, with elements side by
/// side in vectors, and by carry-less multiplication. Poly1305 for `avx512ifma` is open as clang makes it.
const MESSAGES: [(&str, Target); 7] = [
    ("macs/poly1305.ua", Target::C64),
    ("macs/poly1305.ua", Target::C32),
    ("macs/poly1305.ua", Target::Sse),
    ("macs/poly1305.ua", Target::Avx2),
    ("macs/ghash.ua", Target::C64),
    ("macs/ghash.ua", Target::C32),
    ("macs/ghash.ua", Target::Avx2),
];

/// One build is drawn; a case in vectors, whose proof takes half a minute or more, may be among those to draw from.
#[test]
fn messages_of_any_length() {
    if !is_drawn("messages_of_any_length") {
        return;
    }
    let features = |(path, target): &(&str, Target)| vec![(*path).to_owned(), target.name().to_owned()];
    let is_claimed = |build: &Build<_>| !is_open(build) && (draw::wants_all() || !is_seldom(build));
    let (in_vectors, in_words): (Vec<_>, Vec<_>) = MESSAGES.into_iter().partition(|(_, target)| target.is_vector());
    let in_vectors = draw::some("messages in vectors", in_vectors, 1, |case| features(case).join(" "));
    let cases = in_words.into_iter().chain(in_vectors);
    for build in builds("messages of any length", cases, features, |_| 0, is_claimed, 1) {
        let (path, target) = build.case;
        let subject = Subject::new(&primitive(path), target);
        let proved = subject.prove(&subject.image(&build.compiler, build.flags));
        let proved = proved.unwrap_or_else(|why| panic!("{}: {why}", build.name(features)));
        assert!(proved.arguments.iter().any(|argument| argument.is_word), "{proved:?}");
    }
    // The list of open code is tried, too, where the time does not matter: failing takes minutes.
    for &(path, target, name) in OPEN_MESSAGES.iter().filter(|_| draw::wants_all()) {
        let subject = Subject::new(&primitive(path), target);
        let compiler = compilers(Target::C64).into_iter().find(|compiler| compiler.name() == name);
        let proved = subject.prove(&subject.image(&compiler.expect("it is installed"), LEVELS[1]));
        assert!(proved.is_err(), "{path} {} {name} is proved now: take it off the list", target.name());
    }
}

/// Whether a build is tried with `CULET_ALL` only: code for the CPU at hand, which is another one on each machine, and what takes longest.
fn is_seldom(build: &Build<(&str, Target)>) -> bool {
    const SELDOM: [(&str, Target, &str); 2] =
        [("macs/ghash.ua", Target::Avx2, "clang-19"), ("macs/poly1305.ua", Target::Sse, "clang-19")];
    let (path, target) = build.case;
    build.flags != LEVELS[0] || SELDOM.contains(&(path, target, build.compiler.name().as_str()))
}

fn is_open(build: &Build<(&str, Target)>) -> bool {
    let (path, target) = build.case;
    build.flags != LEVELS[0] && OPEN_MESSAGES.contains(&(path, target, build.compiler.name().as_str()))
}

/// Mistakes in Poly1305 that only affect some long messages, so that no short message reveals them.
const MISTAKES: [(&str, &str); 6] = [
    ("i < msg_length / 16;", "i < msg_length / 16 - (msg_length > 4096);"),
    ("i < msg_length / 16;", "i < (msg_length < 100000 ? msg_length / 16 : 6250);"),
    ("v1 = t15;", "v1 = i == 1000 ? t15 ^ 1 : t15;"),
    ("v1 = t15;", "v1 = (i & 63) == 63 ? t14 : t15;"),
    ("msg + 16 * i;", "msg + 16 * (i == 4096 ? 0 : i);"),
    ("if (msg_length % 16 != 0)", "if (msg_length % 16 != 0 && msg_length != 65537)"),
];

/// Such mistakes in GHASH.
const MISTAKES_OF_GHASH: [(&str, &str); 4] = [
    ("i < m_length / 16;", "i < m_length / 16 - (m_length > 4096);"),
    ("v1 = t134;", "v1 = i == 1000 ? t134 ^ 1 : t134;"),
    ("v1 = t134;", "v1 = (i & 63) == 63 ? t133 : t134;"),
    ("m + 16 * i;", "m + 16 * (i == 4096 ? 0 : i);"),
];

/// A third of the mistakes, each by one compiler, is drawn.
#[test]
fn mistakes_on_long_messages_are_refused() {
    for (path, mistakes) in [("macs/poly1305.ua", &MISTAKES[..]), ("macs/ghash.ua", &MISTAKES_OF_GHASH[..])] {
        let subject = Subject::new(&primitive(path), Target::C64);
        for (right, wrong) in
            draw::some(&format!("mistakes in {path}"), mistakes.to_vec(), mistakes.len() / 3, |m| m.1.into())
        {
            for compiler in draw::some(wrong, compilers(Target::C64), 1, CCompiler::name) {
                let change = |text: &str| {
                    assert_eq!(text.matches(right).count(), 1, "{right} in {text}");
                    text.replace(right, wrong)
                };
                let outcome = subject.prove(&subject.image_of(&compiler, &["-O2"], &change));
                assert!(outcome.is_err(), "{}: {wrong}", compiler.name());
            }
        }
    }
}

/// A limb that is wrong for only one of its values is not found on samples. Nothing that is computed from it is
/// recognised either.
#[test]
fn what_grows_is_given_up() {
    if !is_drawn("what_grows_is_given_up") {
        return;
    }
    let subject = Subject::new(&primitive("curves/x25519.ua"), Target::C64);
    let change = |text: &str| {
        let (right, wrong) = ("t11 = v0 ^ t10;", "t11 = v0 ^ t10 ^ (((v0 ^ 0x123456789abcd) - 1) >> 63);");
        assert_eq!(text.matches(right).count(), 1, "{right} in {text}");
        text.replace(right, wrong)
    };
    let budget = Budget { gates: 1_000_000, ..Budget::default() };
    let image = subject.image_of(&compilers(Target::C64)[0], &["-O2"], &change);
    let outcome = subject.prove_within(&image, &Limits { budget, ..Limits::default() });
    let why = outcome.expect_err("it is wrong").to_string();
    assert!(why.contains("gates"), "{why}");
}

/// The last whole block is taken out of its loop, and some of its bytes are read from a fixed place, however long the
/// message is.
#[test]
fn bytes_of_another_iteration_are_refused() {
    const LOOP: &str = "    for (size_t i = 0; i < msg_length / 16; i++) {\n";
    const READ: &str = "= subject_load_64(msg_block);";
    let subject = Subject::new(&primitive("macs/poly1305.ua"), Target::C64);
    let change = |text: &str| {
        let (before, rest) = text.split_once(LOOP).expect("a loop over blocks");
        let (body, after) = rest.split_once("\n    }\n").expect("its end");
        assert_eq!(body.matches(READ).count(), 1, "{body}");
        let last = body.replace(READ, "= special ? kept : subject_load_64(msg_block);");
        let barrier = "__asm__ volatile(\"\" : \"+r\"(special), \"+r\"(kept));";
        format!(
            "{before}uint64_t special = 0, kept = 0;\nif (msg_length % 16 >= 8 && msg_length / 16 >= 4) {{\nspecial = 1;\n\
             __builtin_memcpy(&kept, msg + 64, 8);\n}}\n{barrier}\nsize_t i = 0;\nfor (; i + 1 < msg_length / 16; i++) {{\n\
             {barrier}\n{body}\n}}\nif (i < msg_length / 16) {{\n{last}\n}}\n{after}"
        )
    };
    for compiler in draw::some("bytes of another iteration", compilers(Target::C64), 1, CCompiler::name) {
        let outcome = subject.prove(&subject.image_of(&compiler, &["-O2"], &change));
        assert!(outcome.is_err(), "{}", compiler.name());
    }
}

/// Fields whose elements are in limbs: they are proved in words of 64 and 32 bits, and eight side by side in lanes.
const IN_LIMBS: [&str; 4] = ["25519", "1305", "p521", "448"];

/// Fields in Montgomery's form: they are proved in words of 64 bits, and eight side by side in lanes.
const MONTGOMERY: [&str; 6] = ["p256", "p224", "l25519", "n256", "secp256k1", "p384"];

/// The fields in Montgomery's form whose code at the second level is proved in words of 64 bits.
const MONTGOMERY_AT_BOTH_LEVELS: [&str; 1] = ["p256"];

/// A program with a loop of products, sums, differences and choices.
fn program(field: &str, bytes: usize) -> String {
    format!(
        "field f = {field}
node few (k : u8, a, b : u8[{bytes}]) returns (r : u8[{bytes}])
vars x, y, u : f, bit : u1[8]
let
  bit = bits(k);
  x = f(a);
  y = f(b);
  u := x;
  fold t in [0, 7] {{
    u := (bit[t] ? u * y : u - x) + y
  }}
  r = bytes(u * u)
tel
"
    )
}

fn few(folder: &Path, (name, field, bytes): (&str, &str, usize), options: &Options) -> Subject {
    let path = folder.join(format!("f{name}.ua"));
    fs::write(&path, program(field, bytes)).expect("it can be written");
    Subject::of(&path, options)
}

/// A field, the target, and the number of instances side by side.
type Way = (&'static str, Target, Option<u32>);

#[test]
fn fields() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = |target| move |name| (name, target, None);
    let batches = IN_LIMBS.into_iter().chain(MONTGOMERY).map(|name| (name, Target::Avx512Ifma, Some(8)));
    let cases: Vec<Way> = IN_LIMBS
        .into_iter()
        .flat_map(|name| [alone(Target::C64)(name), alone(Target::C32)(name)])
        .chain(MONTGOMERY.map(alone(Target::C64)))
        .chain(batches)
        .collect();
    let features = |(name, target, batch): &Way| vec![(*name).to_owned(), format!("{} {batch:?}", target.name())];
    // P-384 in words takes a minute and a half, other fields in Montgomery's form up to half a minute.
    let cost = |(name, target, _): &Way| match MONTGOMERY.contains(name) && *target == Target::C64 {
        true => 1 + u32::from(*name == "p384"),
        false => 0,
    };
    let is_claimed = |build: &Build<Way>| {
        let (name, _, batch) = build.case;
        // In Montgomery's form, code for the CPU at hand is tried with all builds only.
        let is_claimed_at_both = IN_LIMBS.contains(&name)
            || draw::wants_all() && (batch.is_some() || MONTGOMERY_AT_BOTH_LEVELS.contains(&name));
        is_claimed_at_both || build.flags == LEVELS[0]
    };
    for build in builds("fields", cases, features, cost, is_claimed, 3) {
        let (name, target, batch) = build.case;
        let subject = few(folder.path(), field(name), &Options { batch, ..Options::new(target) });
        let proved = subject.prove(&subject.image(&build.compiler, build.flags));
        proved.unwrap_or_else(|why| panic!("{}: {why}", build.name(features)));
    }
}

/// Words of 32 bits, whose products compilers add in registers of 64 bits: a product, and with `CULET_ALL` also the
/// loop.
#[test]
fn montgomery_form_in_halves() {
    if !is_drawn("montgomery_form_in_halves") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (_, field, bytes) = field("p256");
    let path = folder.path().join("halves.ua");
    fs::write(&path, one(field, bytes, "x * y")).expect("it can be written");
    let gcc = compilers(Target::C32).into_iter().find(|compiler| compiler.name() == "gcc-12").expect("it is installed");
    let mut subjects = vec![Subject::new(&path, Target::C32)];
    if draw::wants_all() {
        subjects.push(few(folder.path(), ("p256", field, bytes), &Options::new(Target::C32)));
    }
    for subject in subjects {
        let proved = subject.prove(&subject.image(&gcc, &["-O2"]));
        proved.unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Operations on two elements over 2^255 - 19 and 2^130 - 5, which make 20 kernels. Only a single difference as
/// compiled by clang is not proved yet.
const OPERATIONS: [&str; 10] = [
    "x * y",
    "x * x",
    "x + y",
    "x * y - x",
    "(x + x) * y",
    "x * y * y",
    "x * y + x * x",
    "x * x * y",
    "(x - y) * (x - y) + x",
    "(x + y) * (x - y)",
];
/// Number of damaged functions of each kernel, and that with `CULET_ALL`.
const MUTANTS: [usize; 2] = [10, 1000];
/// Number of kernels that are drawn.
const KERNELS: usize = 2;

/// Damaged functions that are proved are equivalent to the original ones.
#[test]
fn mutants_are_refused() {
    let count = MUTANTS[usize::from(draw::wants_all())];
    let folder = tempfile::tempdir().expect("a folder");
    let compilers = compilers(Target::C64);
    let all: Vec<(usize, &str, &str)> = (0..2 * OPERATIONS.len())
        .map(|number| (number, ["25519", "1305"][number / OPERATIONS.len()], OPERATIONS[number % OPERATIONS.len()]))
        .collect();
    assert_eq!(all.len(), 20);
    let kernels = draw::some("damaged fields", all, KERNELS, |(_, name, operation)| format!("{operation} over {name}"));
    let mut accepted = 0;
    for &(number, name, operation) in &kernels {
        let (_, field, bytes) = field(name);
        let path = folder.path().join(format!("f{number}.ua"));
        fs::write(&path, one(field, bytes, operation)).expect("it can be written");
        let subject = Subject::new(&path, Target::C64);
        let turn = number / OPERATIONS.len() + number % OPERATIONS.len();
        let image = subject.image(&compilers[turn % compilers.len()], &["-O2"]);
        let mutation = Mutation { count, seed: number as u64 };
        let all = subject.kernel.mutants(&image, mutation, &mut |_| true);
        let all = all.unwrap_or_else(|why| panic!("{name}, {operation}: {why:?}"));
        assert_eq!(all.len(), 1, "one function");
        assert_eq!(all[0].count(), count, "{name}, {operation}");
        assert!(all[0].differences().next().is_none(), "{name}, {operation}: {all:?}");
        accepted += all[0].accepted.len();
    }
    // Those are bits of padding, of prefixes, and bits that an instruction ignores.
    assert!(5 * accepted < kernels.len() * count, "{accepted} of {count} times {}", kernels.len());
}

/// A program with one operation, from bytes to bytes.
fn one(field: &str, bytes: usize, operation: &str) -> String {
    format!(
        "field f = {field}
node one (k : u8, a, b : u8[{bytes}]) returns (r : u8[{bytes}])
vars x, y : f, bit : u1[8]
let
  bit = bits(k);
  x = f(a);
  y = f(b);
  r = bytes({operation})
tel
"
    )
}

/// Number of bits of the code that are flipped, one at a time.
const DAMAGES: usize = 25;
/// Number of inputs on which a damaged function that is proved must agree with the original one.
const RUNS: usize = 60;

#[test]
fn damaged_code_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let ways = vec![(Target::C64, None), (Target::Avx512Ifma, Some(8))];
    for (target, batch) in draw::some("targets of damaged code", ways, 1, |(target, _)| target.name().to_owned()) {
        let options = Options { batch, ..Options::new(target) };
        let subject = few(folder.path(), ("damaged", "GF(2^255 - 19)", 32), &options);
        damaged(&subject, batch.unwrap_or(1) as usize);
    }
}

fn damaged(subject: &Subject, instances: usize) {
    let compilers = compilers(subject.kernel.options().target);
    for compiler in draw::some(&format!("damaged code of {instances}"), compilers, 1, CCompiler::name) {
        let sound = subject.image(&compiler, &["-O2"]);
        subject.prove(&sound).unwrap_or_else(|why| panic!("{}: {why}", compiler.name()));
        let function = sound.function("subject").expect("the function");
        let mut random = Bytes::new(&compiler.name());
        // Damage may make loops endless.
        let limits = Limits { instructions: 10_000, ..Limits::default() };
        let mut refused = 0;
        for _ in 0..DAMAGES {
            let place = random.take(4);
            let at =
                function.address + u64::from(u32::from_le_bytes([place[0], place[1], place[2], 0])) % function.size;
            let mut damaged = sound.clone();
            assert!(damaged.patch(at, byte_at(&sound, at) ^ 1 << (place[3] % 8)), "code at {at:#x}");
            match subject.prove_within(&damaged, &limits) {
                Err(_) => refused += 1,
                Ok(_) => assert_same([&sound, &damaged], instances, &mut random),
            }
        }
        // The other damages are in bits of padding, of prefixes, and in bits that an instruction ignores.
        assert!(refused > DAMAGES * 8 / 10, "{}: {refused} of {DAMAGES}", compiler.name());
    }
}

fn byte_at(image: &Image, address: u64) -> u8 {
    let of_part = |(start, bytes): (u64, &[u8])| bytes.get(usize::try_from(address.checked_sub(start)?).ok()?).copied();
    image.parts().find_map(of_part).expect("a byte")
}

fn assert_same(images: [&Image; 2], instances: usize, random: &mut Bytes) {
    for run in 0..RUNS {
        let mut inputs = [32, 1, 32, 32].map(|bytes| random.take(instances * bytes));
        if run % 3 == 0 {
            inputs[2].fill(0xff);
        }
        let results = images.map(|image| {
            let function = image.function("subject").expect("the function");
            let passed: Vec<Passed> = inputs.iter().map(|bytes| Passed::Memory(bytes.clone())).collect();
            let left = call(&Code::of(image.parts(), function.address), &passed).expect("it runs");
            left.expect("it returns").memory
        });
        assert_eq!(results[0], results[1], "a function was proved that computes something else");
    }
}
