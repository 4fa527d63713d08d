//! Machine code of whole programs over fields, by C compilers at several levels, proved from bytes to bytes; damaged code is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use culet_decide::bits::Budget;
use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Generated, Mutation, Options, Source, generate, load, mutate_kernel, prove_kernel};
use culet_image::Image;
use culet_ir::Target;
use culet_native::CCompiler;
use culet_native::replay::{Code, Passed, call};
use culet_primitives_tests::fields::field;
use culet_primitives_tests::{Bytes, shelf};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_testing::compilers;

/// A program, and the options for which it is compiled.
struct Subject {
    source: Source,
    options: Options,
}

impl Subject {
    fn new(path: &Path, target: Target) -> Subject {
        let (source, found) = load(path, &[], &DiskReader);
        assert!(!found.has_errors(), "{}: {}", path.display(), shelf::messages(&found));
        Subject { source, options: Options::new(target) }
    }

    /// What a C compiler makes of it.
    fn image(&self, compiler: &CCompiler, flags: &[&str]) -> Image {
        self.image_of(compiler, flags, &str::to_owned)
    }

    /// What a C compiler makes of its C after some change.
    fn image_of(&self, compiler: &CCompiler, flags: &[&str], change: &dyn Fn(&str) -> String) -> Image {
        let (generated, found) = generate(&self.source, "subject", &self.options, &Diagnostics::new());
        let Some(Generated::Single(single)) = generated else { panic!("{}", shelf::messages(&found)) };
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("subject.c", &change(&single.c.source)), ("subject.h", &single.c.header)] {
            fs::write(folder.path().join(name), text).expect("it can be written");
        }
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let limit = Duration::from_secs(300);
        let object = compiler.object(folder.path(), "subject", self.options.target, &flags, limit);
        let object = fs::read(object.expect("it compiles")).expect("an object");
        Image::read(&object).expect("an image")
    }

    fn prove(&self, image: &Image) -> Result<Proved, Rejection> {
        self.prove_within(image, &Limits::default())
    }

    fn prove_within(&self, image: &Image, limits: &Limits) -> Result<Proved, Rejection> {
        let proofs = prove_kernel(&self.source, "subject", &self.options, image, limits, &mut |_| true);
        let mut proofs = proofs.unwrap_or_else(|found| panic!("{}", shelf::messages(&found)));
        assert_eq!(proofs.len(), 1, "one function");
        proofs.remove(0).outcome
    }
}

fn primitive(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn x25519() {
    let subject = Subject::new(&primitive("curves/x25519.ua"), Target::C64);
    for compiler in compilers(Target::C64) {
        for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
            let proved = subject.prove(&subject.image(&compiler, flags));
            let proved = proved.unwrap_or_else(|why| panic!("{} {flags:?}: {why}", compiler.name()));
            assert!(proved.instructions > 400_000 && proved.cases > 0, "{proved:?}");
        }
    }
}

/// Unknowns of the prover have names of their own.
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
        for compiler in compilers(Target::C64) {
            let proved = subject.prove(&subject.image(&compiler, &["-O2"]));
            proved.unwrap_or_else(|why| panic!("{name} {}: {why}", compiler.name()));
        }
    }
}

/// Entries of tables at secret positions, some beyond the table, in limbs and in Montgomery's form.
#[test]
fn lookups() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("looked_up.ua");
    for (field, entries, result) in [
        ("GF(2^255 - 19)", 2, "t[k]"),
        ("GF(2^255 - 19)", 3, "t[k] * a"),
        ("GF(2^255 - 19)", 16, "a + t[k]"),
        ("GF(2^256 - 2^224 + 2^192 + 2^96 - 1)", 4, "t[k]"),
        ("GF(2^256 - 2^224 + 2^192 + 2^96 - 1)", 5, "t[k] - a"),
    ] {
        let text = format!(
            "field fe = {field}\n\nnode looked_up (k : u8, a : fe, t : fe[{entries}]) returns (c : fe)\nlet\n  c = {result}\ntel\n"
        );
        fs::write(&path, text).expect("it can be written");
        let subject = Subject::new(&path, Target::C64);
        for compiler in compilers(Target::C64) {
            for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
                let proved = subject.prove(&subject.image(&compiler, flags));
                let build = (field, entries, result, compiler.name(), flags);
                proved.unwrap_or_else(|why| panic!("{build:?}: {why}"));
            }
        }
    }
}

/// Messages of any length; by code for this CPU with `CULET_ALL` only.
#[test]
fn poly1305() {
    messages("macs/poly1305.ua", &[Target::C64, Target::C32]);
}

/// The same over a binary field; without carries by one compiler, or with `CULET_ALL` by both.
#[test]
fn ghash() {
    messages("macs/ghash.ua", &[Target::C64, Target::C32, Target::Avx2]);
}

/// What is not proved with more than `-O2`.
const OPEN_MESSAGES: [(&str, Target, &str); 2] =
    [("macs/ghash.ua", Target::C32, "clang-19"), ("macs/ghash.ua", Target::Avx2, "gcc-12")];

fn messages(path: &str, targets: &[Target]) {
    let is_all = std::env::var_os("CULET_ALL").is_some();
    for &target in targets {
        let subject = Subject::new(&primitive(path), target);
        let compilers = compilers(target);
        let count = if is_all || target != Target::Avx2 { compilers.len() } else { 1 };
        for compiler in &compilers[..count] {
            for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
                let is_more = flags != ["-O2"];
                if is_more && !is_all {
                    continue;
                }
                let proved = subject.prove(&subject.image(compiler, flags));
                let build = (path, target.name(), compiler.name(), flags);
                if is_more && OPEN_MESSAGES.contains(&(path, target, compiler.name().as_str())) {
                    assert!(proved.is_err(), "{build:?} is proved now");
                    continue;
                }
                let proved = proved.unwrap_or_else(|why| panic!("{build:?}: {why}"));
                assert!(proved.arguments.iter().any(|argument| argument.is_word), "{proved:?}");
            }
        }
    }
}

/// What is wrong for some messages alone, long ones, so that no short message shows it: in Poly1305.
const MISTAKES: [(&str, &str); 6] = [
    ("i < msg_length / 16;", "i < msg_length / 16 - (msg_length > 4096);"),
    ("i < msg_length / 16;", "i < (msg_length < 100000 ? msg_length / 16 : 6250);"),
    ("v1 = t15;", "v1 = i == 1000 ? t15 ^ 1 : t15;"),
    ("v1 = t15;", "v1 = (i & 63) == 63 ? t14 : t15;"),
    ("msg + 16 * i;", "msg + 16 * (i == 4096 ? 0 : i);"),
    ("if (msg_length % 16 != 0)", "if (msg_length % 16 != 0 && msg_length != 65537)"),
];

/// In GHASH.
const MISTAKES_OF_GHASH: [(&str, &str); 4] = [
    ("i < m_length / 16;", "i < m_length / 16 - (m_length > 4096);"),
    ("v1 = t134;", "v1 = i == 1000 ? t134 ^ 1 : t134;"),
    ("v1 = t134;", "v1 = (i & 63) == 63 ? t133 : t134;"),
    ("m + 16 * i;", "m + 16 * (i == 4096 ? 0 : i);"),
];

/// Each by code of one compiler, the compilers alternating; by both with `CULET_ALL`.
#[test]
fn mistakes_on_long_messages_are_refused() {
    let is_all = std::env::var_os("CULET_ALL").is_some();
    for (path, mistakes) in [("macs/poly1305.ua", &MISTAKES[..]), ("macs/ghash.ua", &MISTAKES_OF_GHASH[..])] {
        let subject = Subject::new(&primitive(path), Target::C64);
        for (number, compiler) in compilers(Target::C64).iter().enumerate() {
            for (index, (right, wrong)) in mistakes.iter().enumerate() {
                if !is_all && index % 2 != number % 2 {
                    continue;
                }
                let change = |text: &str| {
                    assert_eq!(text.matches(right).count(), 1, "{right} in {text}");
                    text.replace(right, wrong)
                };
                let outcome = subject.prove(&subject.image_of(compiler, &["-O2"], &change));
                assert!(outcome.is_err(), "{}: {wrong}", compiler.name());
            }
        }
    }
}

/// A limb that is wrong for one of its values is not found on samples; nor is anything recognised that is made of it.
#[test]
fn what_grows_is_given_up() {
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

/// The last whole block is taken out of its loop, and some of its bytes are those that stand at one place, however long the message is.
#[test]
fn bytes_of_another_turn_are_refused() {
    const LOOP: &str = "    for (size_t i = 0; i < msg_length / 16; i++) {\n";
    const READ: &str = "= load_64(msg_block);";
    let subject = Subject::new(&primitive("macs/poly1305.ua"), Target::C64);
    let change = |text: &str| {
        let (before, rest) = text.split_once(LOOP).expect("a loop over blocks");
        let (body, after) = rest.split_once("\n    }\n").expect("its end");
        assert_eq!(body.matches(READ).count(), 1, "{body}");
        let last = body.replace(READ, "= special ? kept : load_64(msg_block);");
        let barrier = "__asm__ volatile(\"\" : \"+r\"(special), \"+r\"(kept));";
        format!(
            "{before}uint64_t special = 0, kept = 0;\nif (msg_length % 16 >= 8 && msg_length / 16 >= 4) {{\nspecial = 1;\n\
             __builtin_memcpy(&kept, msg + 64, 8);\n}}\n{barrier}\nsize_t i = 0;\nfor (; i + 1 < msg_length / 16; i++) {{\n\
             {barrier}\n{body}\n}}\nif (i < msg_length / 16) {{\n{last}\n}}\n{after}"
        )
    };
    for compiler in compilers(Target::C64) {
        let outcome = subject.prove(&subject.image_of(&compiler, &["-O2"], &change));
        assert!(outcome.is_err(), "{}", compiler.name());
    }
}

/// Elements in lanes of vector registers, one instance at a time.
#[test]
fn elements_in_lanes() {
    let all = std::env::var_os("CULET_ALL").is_some();
    for (path, target) in [
        ("curves/x25519_lanes.ua", Target::Avx512Ifma),
        ("macs/poly1305.ua", Target::Sse),
        ("macs/poly1305.ua", Target::Avx2),
        ("macs/poly1305.ua", Target::Avx512Ifma),
    ] {
        let subject = Subject::new(&primitive(path), target);
        for compiler in &compilers(target) {
            for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
                // Without all, the first of each but that which takes longest, and both compilers' for AVX2.
                let is_first = flags == ["-O2"] && (compiler.name().contains("gcc-12") || target == Target::Avx2);
                if !all && (!is_first || path.contains("poly1305") && target == Target::Avx512Ifma) {
                    continue;
                }
                let proved = subject.prove(&subject.image(compiler, flags));
                proved.unwrap_or_else(|why| panic!("{path} {} {} {flags:?}: {why}", target.name(), compiler.name()));
            }
        }
    }
}

/// Fields, and words in which they are proved.
const PROVED: [(&str, &[Target]); 4] = [
    ("25519", &[Target::C64, Target::C32]),
    ("1305", &[Target::C64, Target::C32]),
    ("p521", &[Target::C64, Target::C32]),
    ("448", &[Target::C64, Target::C32]),
];

/// Fields in Montgomery's form: the first by the first compiler, or with `CULET_ALL` all by both.
const MONTGOMERY: [&str; 6] = ["p256", "p224", "l25519", "n256", "secp256k1", "p384"];

/// A loop of products, sums, differences and choices.
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

fn few(folder: &Path, (name, field, bytes): (&str, &str, usize), target: Target) -> Subject {
    let path = folder.join(format!("f{name}.ua"));
    fs::write(&path, program(field, bytes)).expect("it can be written");
    Subject::new(&path, target)
}

/// Eight instances side by side, in lanes; in Montgomery's form with `-O2`, or with `CULET_ALL` at both levels.
#[test]
fn batches() {
    let is_all = std::env::var_os("CULET_ALL").is_some();
    let folder = tempfile::tempdir().expect("a folder");
    for name in PROVED.map(|(name, _)| name).into_iter().chain(MONTGOMERY) {
        let mut subject = few(folder.path(), field(name), Target::Avx512Ifma);
        subject.options.batch = Some(8);
        for compiler in compilers(Target::Avx512Ifma) {
            for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
                if !is_all && MONTGOMERY.contains(&name) && flags != ["-O2"] {
                    continue;
                }
                let proved = subject.prove(&subject.image(&compiler, flags));
                proved.unwrap_or_else(|why| panic!("{name} {} {flags:?}: {why}", compiler.name()));
            }
        }
    }
}

/// X25519 of eight instances: by the first compiler, or with `CULET_ALL` by both at two levels.
#[test]
fn batches_of_x25519() {
    let mut subject = Subject::new(&primitive("curves/x25519.ua"), Target::Avx512Ifma);
    subject.options.batch = Some(8);
    let is_all = std::env::var_os("CULET_ALL").is_some();
    let builds = compilers(Target::Avx512Ifma)
        .into_iter()
        .flat_map(|compiler| [&["-O2"][..], &["-O3", "-march=native"]].map(|flags| (compiler.clone(), flags)));
    for (compiler, flags) in builds.take(if is_all { usize::MAX } else { 1 }) {
        let proved = subject.prove(&subject.image(&compiler, flags));
        let proved = proved.unwrap_or_else(|why| panic!("{} {flags:?}: {why}", compiler.name()));
        assert!(proved.instructions > 200_000 && proved.arguments[0].bytes == 8 * 32, "{proved:?}");
    }
}

#[test]
fn fields() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, targets) in PROVED {
        for &target in targets {
            let subject = few(folder.path(), field(name), target);
            for compiler in compilers(target) {
                for flags in [&["-O2"][..], &["-O3", "-march=native"]] {
                    let proved = subject.prove(&subject.image(&compiler, flags));
                    let what = || format!("{name} {} {} {flags:?}", target.name(), compiler.name());
                    proved.unwrap_or_else(|why| panic!("{}: {why}", what()));
                }
            }
        }
    }
}

#[test]
fn fields_in_montgomery_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let is_all = std::env::var_os("CULET_ALL").is_some();
    let compilers = compilers(Target::C64);
    let builds = MONTGOMERY.iter().flat_map(|name| compilers.iter().map(move |compiler| (*name, compiler)));
    for (name, compiler) in builds.take(if is_all { usize::MAX } else { 1 }) {
        let subject = few(folder.path(), field(name), Target::C64);
        let proved = subject.prove(&subject.image(compiler, &["-O2"]));
        proved.unwrap_or_else(|why| panic!("{name} {}: {why}", compiler.name()));
    }
}

/// Words of 32 bits, of which compilers add products in registers of 64: a product, and with `CULET_ALL` the loop, too.
#[test]
fn montgomery_form_in_halves() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, field, bytes) = field("p256");
    let path = folder.path().join("halves.ua");
    fs::write(&path, one(field, bytes, "x * y")).expect("it can be written");
    let gcc = compilers(Target::C32).into_iter().find(|compiler| compiler.name() == "gcc-12").expect("it is installed");
    let mut subjects = vec![Subject::new(&path, Target::C32)];
    if std::env::var_os("CULET_ALL").is_some() {
        subjects.push(few(folder.path(), ("p256", field, bytes), Target::C32));
    }
    for subject in subjects {
        let proved = subject.prove(&subject.image(&gcc, &["-O2"]));
        proved.unwrap_or_else(|why| panic!("{why}"));
    }
}

/// What is done with two elements over 2^255 - 19 and 2^130 - 5: 20 kernels. Open is a difference alone as clang makes it.
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
/// Damaged functions of each, or with `CULET_ALL` so many.
const MUTANTS: [usize; 2] = [10, 1000];

/// What is proved of damaged functions does what the sound ones do.
#[test]
fn mutants_are_refused() {
    let count = MUTANTS[usize::from(std::env::var_os("CULET_ALL").is_some())];
    let folder = tempfile::tempdir().expect("a folder");
    let compilers = compilers(Target::C64);
    let (mut kernels, mut accepted) = (0, 0);
    for (name, field, bytes) in ["25519", "1305"].map(field) {
        for (index, operation) in OPERATIONS.iter().enumerate() {
            let path = folder.path().join(format!("f{name}_{index}.ua"));
            fs::write(&path, one(field, bytes, operation)).expect("it can be written");
            let subject = Subject::new(&path, Target::C64);
            let image = subject.image(&compilers[(kernels / OPERATIONS.len() + index) % compilers.len()], &["-O2"]);
            let mutation = Mutation { count, seed: kernels as u64 };
            let all = mutate_kernel(&subject.source, "subject", &subject.options, &image, mutation, &mut |_| true);
            let all = all.unwrap_or_else(|why| panic!("{name}, {operation}: {why:?}"));
            assert_eq!(all.len(), 1, "one function");
            assert_eq!(all[0].count(), count, "{name}, {operation}");
            assert!(all[0].differences().next().is_none(), "{name}, {operation}: {all:?}");
            accepted += all[0].accepted.len();
            kernels += 1;
        }
    }
    // Those are bits of padding, of prefixes, and of what an instruction ignores.
    assert!(kernels == 20 && 5 * accepted < kernels * count, "{accepted} of {count} times {kernels}");
}

/// One operation, from bytes to bytes.
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

/// Bits of the code turned over, one at a time.
const DAMAGES: usize = 25;
/// Inputs on which a damaged function that is proved all the same must do what the sound one does.
const RUNS: usize = 60;

#[test]
fn damaged_code_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (target, instances) in [(Target::C64, 1), (Target::Avx512Ifma, 8)] {
        let mut subject = few(folder.path(), ("damaged", "GF(2^255 - 19)", 32), target);
        subject.options.batch = Some(instances).filter(|&instances| instances > 1);
        damaged(&subject, instances as usize);
    }
}

fn damaged(subject: &Subject, instances: usize) {
    for compiler in compilers(subject.options.target) {
        let sound = subject.image(&compiler, &["-O2"]);
        subject.prove(&sound).unwrap_or_else(|why| panic!("{}: {why}", compiler.name()));
        let function = sound.function("subject").expect("the function");
        let mut random = Bytes::new(&compiler.name());
        // Loops may have become endless.
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
        // What is left are bits of padding, of prefixes, and of what an instruction ignores.
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
