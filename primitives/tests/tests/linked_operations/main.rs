//! Whole operations of the linked library are safe: constant-time, within the memory of their arguments, without a panic, by the ABI's rules.
//! `library/capi/operations.txt` has the arguments of each, and the functions of `culet.h` that are tested only, with the reason.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use culet_image::Image;
use culet_prove::safe::{self, Interface, Variable};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_testing::{draw, report};

/// The C compiler that everything is made with.
const COMPILER: &str = "gcc-12";

/// Returns the path of a file of the C interface.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/capi").join(name)
}

/// Runs a command that must succeed, and returns what it prints.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A directory with the library as `cargo build --release` makes it. The tests of the C interface build it, too, in the same place and one after
/// the other, and so do others that have the features of `culet` that nothing in C has.
fn library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    fs::create_dir_all(&target).expect("a directory");
    let alone = File::create(target.join("one-at-a-time")).expect("a file");
    alone.lock().expect("a lock");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--package", "culet-capi", "--features", ""]);
    cargo.args(["--features", "culet/aead,culet/digest,culet/signature", "--target-dir"]).arg(&target);
    run(cargo.current_dir(path("")).env_remove("RUSTC_WORKSPACE_WRAPPER"));
    let directory = target.join("linked");
    fs::create_dir_all(&directory).expect("a directory");
    for file in ["libculet.a", "libculet.so"] {
        fs::copy(target.join("release").join(file), directory.join(file)).expect("the library is built");
    }
    directory
}

/// The functions that the header declares, with the names of their parameters.
fn declared() -> BTreeMap<String, Vec<String>> {
    let mut declared = parameters(&preprocessed(&path("include/culet.h")));
    declared.retain(|name, _| name.starts_with("culet_"));
    declared
}

/// Returns C code after the preprocessor.
fn preprocessed(file: &Path) -> String {
    run(Command::new(COMPILER).args(["-E", "-P", "-x", "c", "-I"]).arg(path("include")).arg(file))
}

/// The functions of several parts.
fn parts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linked_operations/parts.c")
}

/// An operation: a function, and the functions of the header that it is or stands for.
#[derive(Debug, Clone)]
struct Operation {
    symbol: String,
    functions: Vec<String>,
    arguments: String,
}

/// The table: operations that are proved, and functions that are tested only.
fn table() -> (Vec<Operation>, BTreeMap<String, String>) {
    let text = fs::read_to_string(path("operations.txt")).expect("the table");
    let (mut operations, mut tested) = (Vec::new(), BTreeMap::new());
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((function, reason)) = line.split_once(" is tested: ") {
            assert!(tested.insert(function.to_owned(), reason.to_owned()).is_none(), "{function} is there twice");
            continue;
        }
        let (names, arguments) = line.split_once(" | ").unwrap_or_else(|| panic!("a row: {line}"));
        let (symbol, functions) = names.split_once(" for ").unwrap_or((names, names));
        let functions = functions.split(' ').map(str::to_owned).collect();
        operations.push(Operation { symbol: symbol.to_owned(), functions, arguments: arguments.to_owned() });
    }
    (operations, tested)
}

/// Kinds of CPU, with the features that each has; what the library has found out about its CPU is in a variable for each.
const CPUS: [(&str, &[&str]); 3] = [
    ("any CPU", &[]),
    ("CPUs with AVX2, AES and SHA", &["sse", "avx2", "aes", "clmul", "sha"]),
    ("CPUs with AVX-512", &["sse", "avx2", "aes", "clmul", "sha", "ifma", "vaes"]),
];

/// The variables of an image in which the library keeps what it has found out, for a kind of CPU.
fn variables(image: &Image, has: &[&str]) -> Vec<Variable> {
    let variable = |feature: &&str| {
        let text = format!("5culet3low3cpu{}{feature}7STORAGE", feature.len());
        let found: Vec<_> = image.variables(&text).collect();
        let [(name, address, size)] = found[..] else { panic!("{} variables for {feature}", found.len()) };
        Variable::new(name, address, size, has.contains(feature).into()).expect("a byte")
    };
    CPUS[2].1.iter().map(variable).collect()
}

/// The shared library, and one that has the functions of `parts.c`, too.
fn images() -> &'static [Image; 2] {
    static IMAGES: OnceLock<[Image; 2]> = OnceLock::new();
    IMAGES.get_or_init(|| {
        let directory = library();
        [directory.join("libculet.so"), with_parts(&directory)]
            .map(|file| Image::read(&fs::read(file).expect("a library")).expect("an image"))
    })
}

/// A shared library with the static one and with `parts.c`.
fn with_parts(directory: &Path) -> PathBuf {
    let made = directory.join("parts.so");
    let mut command = Command::new(COMPILER);
    command.args([
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O2",
        "-fPIC",
        "-shared",
        "-Wl,-Bsymbolic,-z,relro,-z,now",
        "-I",
    ]);
    command.arg(path("include")).arg(parts()).arg(directory.join("libculet.a"));
    run(command.arg("-o").arg(&made));
    made
}

impl Operation {
    fn image(&self) -> &'static Image {
        &images()[usize::from(!self.symbol.starts_with("culet_"))]
    }

    fn interfaces(&self) -> Vec<Interface> {
        safe::read(&self.arguments).unwrap_or_else(|why| panic!("{}: {}", self.symbol, why.0))
    }

    /// Proves the operation for all of its lengths on a kind of CPU, if it executes so many instructions at most.
    fn prove(&self, has: &[&str], instructions: u64) -> Result<Vec<Proved>, Rejection> {
        let image = self.image();
        let limits = Limits { instructions, ..Limits::default() };
        let prove = |interface: Interface| {
            let interface = Interface { variables: variables(image, has), ..interface };
            safe::prove(image, &self.symbol, &interface, &limits)
        };
        self.interfaces().into_iter().map(prove).collect()
    }

    /// About how long it takes, in seconds, for draws.
    fn cost(&self) -> u32 {
        let costs =
            [("batch", 25), ("p521", 60), ("p384", 25), ("p224", 12), ("p256", 6), ("secp256k1", 6), ("ed25519", 3)];
        costs.iter().find(|(part, _)| self.symbol.contains(part)).map_or(1, |(_, cost)| *cost)
    }
}

/// How many of the operations' cases a run tries.
const DRAWN: usize = 40;

#[test]
fn operations_are_safe() {
    let (operations, tested) = table();
    let cases: Vec<_> = operations.iter().flat_map(|one| CPUS.map(|cpu| (one.clone(), cpu))).collect();
    let features = |(one, (name, _)): &(Operation, (&str, &[&str]))| vec![one.symbol.clone(), (*name).to_owned()];
    let drawn = draw::few("operations of the linked library", cases, features, |(one, _)| one.cost(), DRAWN);
    let mut refused = Vec::new();
    for (operation, (cpu, has)) in &drawn {
        match operation.prove(has, 500_000_000) {
            Ok(proofs) => {
                assert!(proofs.iter().all(|proved| proved.library.iter().all(|name| name.starts_with("mem"))))
            }
            Err(why) => refused.push(format!("{} on {cpu}: {why}", operation.symbol)),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    let functions: usize = operations.iter().map(|operation| operation.functions.len()).sum();
    report(&format!(
        "operations of the linked library: {functions} of {} functions are proved safe, of which {} cases were tried now",
        functions + tested.len(),
        drawn.len()
    ));
}

/// Each function of the header is in the table once.
#[test]
fn the_table_is_complete() {
    let (operations, tested) = table();
    let proved: Vec<&String> = operations.iter().flat_map(|operation| &operation.functions).collect();
    let all: BTreeSet<String> = proved.iter().copied().chain(tested.keys()).cloned().collect();
    assert_eq!(all, declared().into_keys().collect());
    assert_eq!(all.len(), proved.len() + tested.len(), "a function is there twice");
    // Pages say how many are proved.
    let count = format!("{} of the {} functions", proved.len(), all.len());
    for page in ["README.md", "../culet/README.md", "../../SECURITY.md"] {
        let text = fs::read_to_string(path(page)).expect("a page").replace('\n', " ");
        assert!(text.contains(&count), "{page} does not say that {count} are proved");
    }
}

/// The names of the parameters of the functions in C code.
fn parameters(code: &str) -> BTreeMap<String, Vec<String>> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let last = |text: &str| {
        let text = text.split('[').next().unwrap_or_default().trim_end();
        text.rsplit(|c| !is_of_name(c)).next().unwrap_or_default().to_owned()
    };
    let function = |declaration: &str| {
        let (before, after) = declaration.split_once('(')?;
        let (parameters, _) = after.split_once(')')?;
        Some((last(before), parameters.split(',').map(last).filter(|name| name != "void").collect()))
    };
    // An attribute has parentheses of its own.
    code.replace("__attribute__((warn_unused_result))", "").split([';', '{', '}']).filter_map(function).collect()
}

/// The table names the arguments as the header and `parts.c` do, in their order.
#[test]
fn arguments_are_those_of_the_header() {
    let mut known = declared();
    known.append(&mut parameters(&preprocessed(&parts())));
    for operation in table().0 {
        let named: Vec<String> =
            operation.interfaces()[0].arguments.iter().map(|argument| argument.name.clone()).collect();
        assert_eq!(Some(&named), known.get(&operation.symbol), "{}", operation.symbol);
    }
}

/// Rows that claim too much are refused: too little memory, a result or an input that is not said to be public.
#[test]
fn what_is_not_so_is_refused() {
    for (symbol, arguments, why) in [
        ("culet_x25519", "shared: out 31, secret_key: in 32, public_key: in 32 -> public", "are accessed"),
        ("culet_x25519", "shared: out 32, secret_key: in 31, public_key: in 32 -> public", "are accessed"),
        ("culet_x25519", "shared: out 32, secret_key: in 32, public_key: in 32", "a branch depends"),
        ("culet_sha256", "digest: out 32, message: in 199, length: length 200 -> public", "are accessed"),
        (
            "culet_p256_decompress",
            "uncompressed: out 65, public_key: in 33, public_key_length: length 33",
            "a branch depends",
        ),
        ("culet_p256_sign_prehashed", "signature: out 64, digest: in 32, secret_key: in 32 -> public", ""),
        ("culet_random", "out: out length, length: length 32 -> public", ""),
    ] {
        let functions = iter::once(symbol.to_owned()).collect();
        let operation = Operation { symbol: symbol.to_owned(), functions, arguments: arguments.to_owned() };
        let refused = operation.prove(&[], 5_000_000).expect_err(arguments).to_string();
        assert!(refused.contains(why), "{symbol}: {refused}");
    }
}
