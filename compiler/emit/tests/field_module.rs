//! Modules in C and Rust: their code by GCC, Clang and rustc is run against integers modulo p, and proved by contract.

#[path = "../../field/tests/support/mod.rs"]
mod support;

#[path = "support/rust.rs"]
mod rust;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use culet_diag::SourceMap;
use culet_emit::field_module::{self, Kind, Language, Unwritten};
use culet_field::arithmetic::{Arithmetic, Bounds, Operation};
use culet_field::interval::Interval;
use culet_field::lanes::Lanes;
use culet_field::montgomery;
use culet_field::primes::PrimeRepresentation;
use culet_image::Image;
use culet_ir::Target::{self, Avx512Ifma, C32, C64};
use culet_native::cpu_runs;
use culet_prove::contract::{self, Callee};
use culet_prove::theorem::{Limits, Rejection};
use culet_testing::{Rng, Stopwatch, draw, timed};
use libtest_mimic::{Arguments, Failed, Trial};
use num_bigint::BigInt;
use support::{expected, field, limb, modulo, prime, primes, value};

const COMPILERS: [&str; 2] = ["gcc-12", "clang-19"];

/// Number of modules that are drawn, each with a compiler.
const DRAWN: usize = 7;

/// The prime, the radix if it is pinned, and the target.
type Module = (&'static str, Option<&'static str>, Target);

const MODULES: &[Module] = &[
    ("25519", None, C64),
    ("25519", None, C32),
    ("1305", Some("44"), C64),
    ("1305", Some("26"), C32),
    ("448", None, C64),
    ("521", None, C64),
    ("secp256k1", Some("52"), C64),
    ("p224", None, C64),
    ("p256", None, C64),
    ("p256", None, C32),
    ("p384", None, C64),
    ("secp256k1", Some("mont 64"), C64),
    ("25519", Some("mont 64"), C64),
    ("l25519", None, C64),
    ("n256", None, C64),
    ("25519", Some("64"), C64),
    ("25519", Some("32"), C32),
    ("1305", Some("64"), C64),
    ("secp256k1", Some("64"), C64),
    ("25519", None, Avx512Ifma),
    ("25519", Some("43"), Avx512Ifma),
    ("1305", None, Avx512Ifma),
    ("448", None, Avx512Ifma),
    ("521", None, Avx512Ifma),
    ("p224", None, Avx512Ifma),
    ("p256", None, Avx512Ifma),
    ("p384", None, Avx512Ifma),
    ("n256", None, Avx512Ifma),
    ("25519", Some("mont 52"), Avx512Ifma),
];

/// Modules whose products and squares are proved in the code that rustc makes.
const PROVED_IN_RUST: &[Module] = &[
    ("25519", None, C64),
    ("25519", None, C32),
    ("p256", None, C64),
    ("1305", Some("44"), C64),
    ("1305", None, Avx512Ifma),
];

/// Fixed, so that the same functions are proved, and the same are not, wherever the tests run.
const MACHINE: &str = "-march=x86-64-v3";

/// Flags that C compilers need for a target.
fn target_flags(target: Target) -> &'static [&'static str] {
    match target {
        Avx512Ifma => &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512ifma"],
        _ => &[],
    }
}

/// Seconds that one proof may take on this CPU, and seconds that a long one may take.
const MAX_SECONDS: f64 = 10.0;
const MAX_SECONDS_OF_LONG: f64 = 120.0;

/// Modules with a function that takes longer. They are proved with `CULET_ALL` only.
const LONG: &[&str] = &["25519_43_lanes", "p256_any_32", "p256_any_lanes", "n256_any_lanes", "p384_any_lanes"];

/// Functions that are not proved: the module, the operation, the compiler. Tests check that they are not proved.
const OPEN: &[(&str, &str, &str)] =
    &[("p256_any_32", "mul", "gcc-12"), ("p256_any_32", "inv", "gcc-12"), ("448_any_lanes", "to_bytes", "clang-19")];

/// A module in a directory of its own.
struct Written {
    directory: tempfile::TempDir,
    p: BigInt,
    positions: Vec<u32>,
    /// None in Montgomery's form, whose elements are below p.
    bounds: Option<Bounds>,
    /// Bytes of one element.
    bytes: u32,
    bits: u32,
    /// Elements side by side.
    lanes: usize,
    r_exponent: Option<u32>,
}

fn name(module: &Module) -> String {
    let target = if module.2 == Avx512Ifma { "lanes".to_owned() } else { module.2.word_bits().to_string() };
    format!("{}_{}_{target}", module.0, module.1.unwrap_or("any"))
}

fn write(module: &Module, language: Language) -> Result<Written, Failed> {
    let field = field(module.0, module.1);
    let bytes = field.kind.bytes() as u32;
    let limbs = match module.2 {
        Avx512Ifma => Ok(Lanes::new(&field, 1)?.into_representation()),
        target => PrimeRepresentation::new(&field, target.word_bits())?.into_limbs(),
    };
    match limbs {
        Ok(limbs) => {
            let arithmetic = Arithmetic::new(&field, limbs);
            let planned = arithmetic.plan().map_err(|error| error.to_string())?;
            let kind = Kind::Limbs(&arithmetic, &planned);
            files(module, kind, bytes, Some(planned.bounds.clone()), language)
        }
        Err(words) => {
            let functions = montgomery::functions(&words, bytes).map_err(|error| error.to_string())?;
            files(module, Kind::Montgomery(&words, &functions), bytes, None, language)
        }
    }
}

fn files(
    module: &Module,
    kind: Kind<'_>,
    bytes: u32,
    bounds: Option<Bounds>,
    language: Language,
) -> Result<Written, Failed> {
    let p = BigInt::from(prime(module.0));
    let has_lanes = module.2 == Avx512Ifma;
    let written = field_module::Arithmetic {
        prefix: "fe".to_owned(),
        formula: p.to_string(),
        command: "culet field".to_owned(),
        kind,
        bytes,
        has_lanes,
    };
    let directory = tempfile::tempdir()?;
    for file in written.files(&Operation::ALL, language)? {
        fs::write(directory.path().join(file.name), file.text)?;
    }
    Ok(Written {
        directory,
        p,
        positions: written.positions(),
        bounds,
        bytes,
        bits: module.2.word_bits(),
        lanes: written.lanes() as usize,
        r_exponent: written.r_exponent(),
    })
}

impl Written {
    fn operations(&self) -> Vec<Operation> {
        let exists = |operation: &Operation| self.bounds.is_some() || *operation != Operation::Carry;
        Operation::ALL.into_iter().filter(exists).collect()
    }

    /// An element that an operation may read.
    fn element(&self, rng: &mut Rng, operation: Operation) -> Vec<u64> {
        if let Some(bounds) = &self.bounds {
            let bounds = if operation.takes_loose() { &bounds.loose } else { &bounds.tight };
            return bounds.iter().map(|range| limb(rng, range)).collect();
        }
        let words: Vec<u64> = self.positions.iter().map(|_| rng.word(self.bits)).collect();
        let number = match rng.below(6) {
            0 => BigInt::ZERO,
            1 => &self.p - 1,
            2 => (BigInt::from(1) << (self.p.bits() - 1)) % &self.p,
            _ => value(&words, &self.positions) % &self.p,
        };
        self.words(&number)
    }

    /// The number that an element stands for.
    fn number(&self, words: &[u64]) -> BigInt {
        let whole = value(words, &self.positions);
        match self.r_exponent {
            Some(r) => whole * (BigInt::from(1) << r).modpow(&(&self.p - 2), &self.p),
            None => whole,
        }
    }

    /// Words of all elements of an argument.
    fn words_of_argument(&self) -> usize {
        self.positions.len() * self.lanes
    }
}

fn compile(directory: &Path, compiler: &str, arguments: &[&str]) -> Result<(), Failed> {
    let output = Command::new(compiler)
        .args(["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"])
        .args(arguments)
        .current_dir(directory)
        .output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

/// The functions of `fe.o` give what integers give, and those same functions are proved, unless only the former is wanted.
fn is_right(module: &Module, compiler: &str, is_proved: bool) -> Result<(), Failed> {
    let written = write(module, Language::C)?;
    let directory = written.directory.path();
    let flags = [&[MACHINE, "-fno-pic", "-c", "fe.c", "-o", "fe.o"][..], target_flags(module.2)].concat();
    compile(directory, compiler, &flags)?;
    computes(module, &written, compiler)?;
    let operations: &[Operation] = if is_proved { &Operation::ALL } else { &[] };
    prove_object(module, &written, compiler, operations)
}

/// Proves these functions of `fe.o`.
fn prove_object(module: &Module, written: &Written, compiler: &str, operations: &[Operation]) -> Result<(), Failed> {
    let directory = written.directory.path();
    let image = Image::read(&fs::read(directory.join("fe.o"))?).map_err(|error| error.to_string())?;
    let mut wrong: Vec<String> = Vec::new();
    let mut callees: Vec<Callee> = Vec::new();
    let most = if LONG.contains(&name(module).as_str()) { MAX_SECONDS_OF_LONG } else { MAX_SECONDS };
    for &operation in operations {
        let path = directory.join(format!("fe_{}.toml", operation.name()));
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut sources = SourceMap::new();
        let file = sources.add(&path, text);
        let contracts = contract::read(&sources.get(file).text, file);
        let read =
            |errors: culet_diag::Diagnostics| errors.iter().map(|error| error.message.clone()).collect::<String>();
        let contract = contracts.map_err(read)?.swap_remove(0);
        let watch = Stopwatch::start();
        let result = match &contract.calls[..] {
            [] => contract::prove(&image, &contract, &Limits::default()),
            calls if calls.len() > callees.len() => Err(Rejection::Callee(calls[0].0.clone())),
            _ => contract::prove_with(&image, &contract, &callees, &Limits::default()),
        };
        if let (Operation::Mul | Operation::Square, Ok(proved)) = (operation, &result) {
            callees.push(Callee { contract: contract.clone(), proved: proved.clone() });
        }
        let is_open = OPEN.contains(&(name(module).as_str(), operation.name(), compiler));
        match result {
            Ok(_) if is_open => wrong.push(format!("{} is proved now: take it off the list", operation.name())),
            Err(rejection) if !is_open => wrong.push(format!("{}: {rejection}", operation.name())),
            _ => {}
        }
        if watch.seconds() > most {
            wrong.push(format!("{} takes {:.1} s", operation.name(), watch.seconds()));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Checks that results of calls are followed through a wrong inverse, too, which is then not proved; nor is a right
/// inverse with a wrong contract.
fn refuses_wrong_inverses() -> Result<(), Failed> {
    let alone: Module = ("25519", None, C64);
    let lanes: Module = ("25519", None, Avx512Ifma);
    for (module, file, right, wrong) in [
        (lanes, "fe.c", "r[0][i] = a[i];", "r[0][i] = a[i ^ 1];"),
        (lanes, "fe.c", "r[0][i] = a[i];", "r[0][i] = a[i & ~7];"),
        (alone, "fe.c", "i < 7;", "i < 6;"),
        (alone, "fe.c", "fe_mul(r[3], r[3], r[2]);", "fe_mul(r[3], r[3], r[0]);"),
        (alone, "fe.c", "fe_mul(r[3], r[3], r[2]);", "fe_mul(r[3], r[3], r[3]);"),
        (alone, "fe.c", "r[0][i] = a[i];", "r[0][i] = a[i] + 1;"),
        (alone, "fe_inv.toml", "out * a^2 = a mod p", "out * a = 1 mod p"),
        (alone, "fe_inv.toml", "out^2 * a = out mod p", "out^2 * a = 2 * out mod p"),
        (alone, "fe_mul.toml", "out = a * b mod p", "out = a + b mod p"),
    ] {
        let written = write(&module, Language::C)?;
        let path = written.directory.path().join(file);
        let text = fs::read_to_string(&path)?;
        if !text.contains(right) {
            return Err(format!("{file} has no `{right}`").into());
        }
        fs::write(&path, text.replacen(right, wrong, 1))?;
        let flags = [&[MACHINE, "-fno-pic", "-c", "fe.c", "-o", "fe.o"][..], target_flags(module.2)].concat();
        compile(written.directory.path(), "gcc-12", &flags)?;
        let operations = [Operation::Mul, Operation::Square, Operation::Inv];
        match prove_object(&module, &written, "gcc-12", &operations) {
            Ok(()) => return Err(format!("{file} with `{wrong}` is proved").into()),
            Err(why) if why.message().is_some_and(|why| why.contains("inv: ")) => {}
            Err(why) => return Err(format!("{file} with `{wrong}`: {why:?}").into()),
        }
    }
    Ok(())
}

/// Checks that no file comes of functions that compute something else, or do not keep their bounds.
fn refuses_wrong_functions() -> Result<(), Failed> {
    use Operation::{Add, Carry, FromBytes, Mul, Opp, Select, Square, Sub};
    let field = field("25519", None);
    let representation = PrimeRepresentation::new(&field, 64)?;
    let Ok(limbs) = representation.into_limbs() else { return Err("limbs are wanted".into()) };
    let arithmetic = Arithmetic::new(&field, limbs);
    let plan = || arithmetic.plan().map_err(|error| error.to_string());
    let files = |planned: &culet_field::arithmetic::Planned| {
        let kind = Kind::Limbs(&arithmetic, planned);
        let [prefix, formula, command] = ["fe", "2^255 - 19", "culet field"].map(str::to_owned);
        field_module::Arithmetic { prefix, formula, command, kind, bytes: 32, has_lanes: false }
            .files(&Operation::ALL, Language::C)
    };
    let refused = |planned: &culet_field::arithmetic::Planned, what: &str| match files(planned) {
        Err(Unwritten::Wrong(_)) => Ok(()),
        other => Err(Failed::from(format!("{what}: {other:?}"))),
    };
    files(&plan()?)?;
    for (one, other) in [(Add, Sub), (Add, Mul), (Opp, Carry), (Opp, Square), (Sub, Mul)] {
        let mut planned = plan()?;
        let functions = planned.functions.clone();
        let of =
            |wanted| functions.iter().find(|(operation, _)| *operation == wanted).map(|(_, module)| module.clone());
        for (operation, module) in &mut planned.functions {
            if *operation == one {
                *module = of(other).ok_or("a function")?;
            }
        }
        refused(&planned, &format!("{} for {}", other.name(), one.name()))?;
    }
    for operation in [Add, Sub, Opp, Carry, Select, Mul, Square, FromBytes] {
        let mut planned = plan()?;
        let bounds = if operation.gives_loose() { &mut planned.bounds.loose } else { &mut planned.bounds.tight };
        bounds[1] = Interval::below(2);
        refused(&planned, &format!("{} with limbs below 2", operation.name()))?;
    }
    Ok(())
}

/// Functions in Rust that are exported with C's interface.
fn proves_rust(module: &Module) -> Result<(), Failed> {
    let written = write(module, Language::Rust)?;
    let (directory, n) = (written.directory.path(), written.words_of_argument());
    let element = format!("[u{}; {n}]", written.bits);
    let attribute = match module.2 {
        Avx512Ifma => "#[target_feature(enable = \"avx512f,avx512bw,avx512vl,avx512dq,avx512ifma\")]\n",
        _ => "",
    };
    let text = format!(
        "#![no_std]
#[allow(dead_code)]
mod fe;
{attribute}#[no_mangle]
pub extern \"C\" fn fe_mul(out: &mut {element}, a: &{element}, b: &{element}) {{
    fe::fe_mul(out, a, b)
}}
{attribute}#[no_mangle]
pub extern \"C\" fn fe_square(out: &mut {element}, a: &{element}) {{
    fe::fe_square(out, a)
}}
"
    );
    let flags =
        ["--crate-type", "lib", "--emit", "obj", "-o", "fe.o", "-C", "opt-level=3", "-C", "target-cpu=x86-64-v3"];
    rust::compile(directory, &text, &flags);
    prove_object(module, &written, "rustc", &[Operation::Mul, Operation::Square])
}

/// A program that reads operations with words, and prints the results of the functions.
fn program(written: &Written) -> String {
    let (n, bytes) = (written.words_of_argument(), written.bytes as usize * written.lanes);
    let word = if written.bits == 64 { "uint64_t" } else { "uint32_t" };
    let flag = if written.lanes == 1 { "flag[0]" } else { "flag" };
    let lanes = written.lanes;
    let mut text = format!(
        "#include <inttypes.h>\n#include <stdio.h>\n#include \"fe.h\"\n\
         static void read({word} *x, int n) {{ for (int i = 0; i < n; i++) {{ uint64_t w; if (scanf(\"%\" SCNx64, &w) != 1) return; x[i] = ({word})w; }} }}\n\
         static void out(const {word} *x) {{ for (int i = 0; i < {n}; i++) printf(\"%\" PRIx64 \" \", (uint64_t)x[i]); }}\n\
         static void in({word} *x) {{ read(x, {n}); }}\n\
         int main(void) {{\n unsigned op; {word} a[{n}], b[{n}], flag[{lanes}]; uint8_t bytes[{bytes}];\n\
         while (scanf(\"%x\", &op) == 1) {{\n switch (op) {{\n"
    );
    for (number, operation) in written.operations().into_iter().enumerate() {
        let call = match operation {
            Operation::FromBytes => format!(
                "for (int i = 0; i < {bytes}; i++) {{ unsigned w; if (scanf(\"%x\", &w) != 1) return 1; bytes[i] = (uint8_t)w; }} fe_from_bytes(a, bytes); out(a);"
            ),
            Operation::ToBytes => {
                format!("in(a); fe_to_bytes(bytes, a); for (int i = 0; i < {bytes}; i++) printf(\"%x \", bytes[i]);")
            }
            // The result is written over an argument, which is allowed.
            Operation::Select => {
                format!("in(a); in(b); read(flag, {lanes}); fe_select(b, a, b, {flag}); out(b);")
            }
            _ if operation.elements().len() == 2 => format!("in(a); in(b); fe_{}(a, a, b); out(a);", operation.name()),
            _ => format!("in(a); fe_{}(a, a); out(a);", operation.name()),
        };
        let _ = writeln!(text, " case {number}: {call} break;");
    }
    text.push_str(" }\n puts(\"\");\n }\n return 0;\n}\n");
    text
}

/// Links `fe.o` with a program that asks its functions, and compares the answers with integers, where this CPU runs them.
fn computes(module: &Module, written: &Written, compiler: &str) -> Result<(), Failed> {
    let directory = written.directory.path();
    fs::write(directory.join("main.c"), program(written))?;
    compile(directory, compiler, &["-no-pie", "fe.o", "main.c", "-o", "main"])?;
    // The machine of the flags has AVX2.
    if !cpu_runs(module.2) || !cpu_runs(Target::Avx2) {
        return Ok(());
    }
    let mut rng = Rng::new(7);
    let questions: Vec<Question> = (0..3000).map(|round| written.question(&mut rng, round)).collect();
    let text: String = questions.iter().map(|question| format!("{}\n", question.text)).collect();
    let answers = rust::ask(directory, None, &text);
    written.compare(&questions, &answers)
}

/// An operation and its arguments in numbers, and the numbers that the results stand for, one per lane.
struct Question {
    operation: Operation,
    text: String,
    want: Vec<BigInt>,
}

impl Written {
    /// A question; the first rounds of each operation have the ends of the bounds only.
    fn question(&self, rng: &mut Rng, round: usize) -> Question {
        let operations = self.operations();
        let number = round % operations.len();
        let operation = operations[number];
        let mut words: Vec<u64> = Vec::new();
        let mut numbers: Vec<Vec<BigInt>> = vec![Vec::new(); self.lanes];
        for _ in operation.elements() {
            let element = |rng: &mut Rng| match round / operations.len() {
                0 => self.end(operation, false),
                1 => self.end(operation, true),
                _ => self.element(rng, operation),
            };
            let elements: Vec<Vec<u64>> = (0..self.lanes).map(|_| element(rng)).collect();
            words.extend((0..self.positions.len()).flat_map(|limb| elements.iter().map(move |element| element[limb])));
            for (numbers, element) in numbers.iter_mut().zip(&elements) {
                numbers.push(self.number(element));
            }
        }
        let flags: Vec<u64> = numbers.iter().map(|_| rng.draw() & 1).collect();
        match operation {
            Operation::Select => words.extend(&flags),
            Operation::FromBytes => {
                for numbers in &mut numbers {
                    let bytes = self.bytes_of_number(rng, round / operations.len());
                    numbers.push(value(&bytes, &eights(self.bytes)));
                    words.extend(bytes);
                }
            }
            _ => {}
        }
        let text: String = words.iter().map(|word| format!(" {word:x}")).collect();
        let want = numbers.iter().zip(flags).map(|(numbers, flag)| expected(operation, numbers, flag, &self.p));
        Question { operation, text: format!("{number:x}{text}"), want: want.collect() }
    }

    /// Bytes that may be read; in the first rounds all bytes are equal.
    fn bytes_of_number(&self, rng: &mut Rng, round: usize) -> Vec<u64> {
        let mut bytes: Vec<u64> = (0..self.bytes).map(|_| rng.draw() & 255).collect();
        if round < 2 {
            bytes.fill(if round == 0 { 0 } else { 255 });
        }
        if self.bounds.is_none() {
            // The number is below p, whose top byte is not zero.
            bytes[self.bytes as usize - 1] = 0;
        }
        bytes
    }

    /// The least or the largest element that an operation may read.
    fn end(&self, operation: Operation, is_high: bool) -> Vec<u64> {
        if let Some(bounds) = &self.bounds {
            let bounds = if operation.takes_loose() { &bounds.loose } else { &bounds.tight };
            let high = |range: &Interval| range.high.iter_u64_digits().next().unwrap_or(0);
            return bounds.iter().map(|range| if is_high { high(range) } else { 0 }).collect();
        }
        self.words(&if is_high { &self.p - 1 } else { BigInt::ZERO })
    }

    fn words(&self, number: &BigInt) -> Vec<u64> {
        let mask = BigInt::from(u64::MAX >> (64 - self.bits));
        let word = |&position: &u32| ((number >> position) & &mask).iter_u64_digits().next().unwrap_or(0);
        self.positions.iter().map(word).collect()
    }

    fn compare(&self, questions: &[Question], answers: &[Vec<u64>]) -> Result<(), Failed> {
        if answers.len() != questions.len() {
            return Err(format!("{} of {} lines came back", answers.len(), questions.len()).into());
        }
        for (question, words) in questions.iter().zip(answers) {
            for (lane, want) in question.want.iter().enumerate() {
                let got = self.answer(question.operation, words, lane);
                if got != *want {
                    let Question { operation, text, .. } = question;
                    return Err(format!("{} of {text} is {got:#x}, not {want:#x}", operation.name()).into());
                }
            }
        }
        Ok(())
    }

    /// The number that the words of a result stand for in a lane.
    fn answer(&self, operation: Operation, words: &[u64], lane: usize) -> BigInt {
        let size = self.bytes as usize;
        match operation {
            Operation::ToBytes => value(&words[lane * size..(lane + 1) * size], &eights(self.bytes)),
            _ => {
                let own: Vec<u64> = words.iter().copied().skip(lane).step_by(self.lanes).collect();
                modulo(&self.number(&own), &self.p)
            }
        }
    }

    /// `fn answer0(question, words)` for the module `m0` in Rust.
    fn answers_in_rust(&self, number: usize) -> String {
        let (n, bytes, bits) = (self.words_of_argument(), self.bytes as usize * self.lanes, self.bits);
        let flag = if self.lanes == 1 {
            "read::<u64, 1>(words)[0] as _".to_owned()
        } else {
            format!("&read::<u64, {}>(words)", self.lanes)
        };
        let mut text = format!(
            "#[path = \"{}/fe.rs\"]\nmod m{number};\n\
             fn answer{number}(question: u64, words: &mut dyn Iterator<Item = u64>) {{\n    let mut out = [0u{bits}; {n}];\n    match question {{\n",
            self.directory.path().display()
        );
        for (index, operation) in self.operations().into_iter().enumerate() {
            let name = format!("m{number}::fe_{}", operation.name());
            let call = match operation {
                Operation::FromBytes => format!("{name}(&mut out, &read::<u8, {bytes}>(words))"),
                Operation::ToBytes => {
                    format!("let mut bytes = [0; {bytes}]; {name}(&mut bytes, &read(words)); return print(&bytes)")
                }
                Operation::Select => {
                    format!("let (a, b) = (read(words), read(words)); {name}(&mut out, &a, &b, {flag})")
                }
                _ if operation.elements().len() == 2 => format!("{name}(&mut out, &read(words), &read(words))"),
                _ => format!("{name}(&mut out, &read(words))"),
            };
            // Functions on lanes are safe to call where the caller's attributes enable their features; this caller has
            // none.
            let call = if self.lanes == 1 { format!("{call};") } else { format!("unsafe {{ {call}; }}") };
            let _ = writeln!(text, "        {index} => {{ {call} }}");
        }
        text.push_str("        _ => panic!(\"no question\"),\n    }\n    print(&out);\n}\n");
        text
    }
}

/// Computes all primes, each for one of these targets, in one program, which panics where a sum overflows; runs it where
/// the CPU can.
fn computes_rust(subject: &str, targets: &[Target], features: &[&str]) -> Result<(), Failed> {
    let (mut modules, mut text, mut arms) = (Vec::new(), String::from(rust::HELPERS), String::new());
    let all = primes().into_iter().flat_map(|(name, _)| targets.iter().map(move |target| (name, *target))).collect();
    let axes = |(name, target): &(&str, Target)| vec![(*name).to_owned(), target.name().to_owned()];
    for (number, (name, target)) in draw::singles(subject, all, axes, |_| 0).into_iter().enumerate() {
        let written = write(&(name, None, target), Language::Rust)?;
        text.push_str(&written.answers_in_rust(number));
        let _ = writeln!(arms, "        {number} => answer{number}(operation, words),");
        modules.push(written);
    }
    let _ = writeln!(
        text,
        "fn answer(question: u64, words: &mut dyn Iterator<Item = u64>) {{\n    let operation = words.next().expect(\"an operation\");\n    match question {{\n{arms}        _ => panic!(\"no module\"),\n    }}\n}}\n{}",
        rust::MAIN
    );
    let directory = tempfile::tempdir()?;
    rust::compile(directory.path(), &text, features);
    if !targets.iter().all(|target| cpu_runs(*target)) {
        return Ok(());
    }
    let mut rng = Rng::new(8);
    for (number, written) in modules.iter().enumerate() {
        let questions: Vec<Question> = (0..400).map(|round| written.question(&mut rng, round)).collect();
        let text: String = questions.iter().map(|question| format!("{number:x} {}\n", question.text)).collect();
        written.compare(&questions, &rust::ask(directory.path(), None, &text))?;
    }
    Ok(())
}

fn eights(count: u32) -> Vec<u32> {
    (0..count).map(|i| 8 * i).collect()
}

/// A module and a compiler.
type Build = (&'static Module, &'static str);

fn features((module, compiler): &Build) -> Vec<String> {
    vec![name(module), (*compiler).to_owned()]
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut add = |name: String, test: Box<dyn FnOnce() -> Result<(), Failed> + Send>| {
        let shown = name.clone();
        trials.push(Trial::test(name, move || timed(&shown, test)));
    };
    let all: Vec<Build> = MODULES.iter().flat_map(|module| COMPILERS.map(|compiler| (module, compiler))).collect();
    for (module, compiler) in draw::few("modules", all, features, |_| 0, DRAWN) {
        let is_proved = draw::wants_all() || !LONG.contains(&name(module).as_str());
        let title = if is_proved { "computes and proves" } else { "computes" };
        let name = format!("{title} {} {compiler}", name(module));
        add(name, Box::new(move || is_right(module, compiler, is_proved)));
    }
    add("refuses wrong inverses".to_owned(), Box::new(refuses_wrong_inverses));
    add("refuses wrong functions".to_owned(), Box::new(refuses_wrong_functions));
    add("computes in rust".to_owned(), Box::new(|| computes_rust("words in Rust", &[C64, C32], &[])));
    let enabled = ["-C", "target-feature=+avx512f,+avx512bw,+avx512vl,+avx512dq,+avx512ifma"];
    add(
        "computes in rust in lanes".to_owned(),
        Box::new(move || computes_rust("lanes in Rust", &[Avx512Ifma], &enabled)),
    );
    for module in draw::some("proofs in Rust", PROVED_IN_RUST.iter().collect(), 1, |module| name(module)) {
        add(format!("proves {} rustc", name(module)), Box::new(move || proves_rust(module)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
