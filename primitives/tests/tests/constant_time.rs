//! No branch and no address in the library's programs and in whole operations, as C compilers make them, depends on the bytes of any input: valgrind's memcheck
//! takes all of them for undefined. The compilers' levels are drawn.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Kernel, Options, load};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_primitives_tests::shelf;
use culet_testing::{compilers, draw};
use culet_types::program::Slicing;
use serde_json::Value;

/// Number of bytes of each stream.
const STREAM: u64 = 300;

/// Parameters that are no secrets, numbers of blocks and of bytes before these: gcc counts blocks by them at `-Os`.
const PUBLIC: [(&str, &str); 9] = [
    ("aes128_ctr", "counter"),
    ("aes256_ctr", "counter"),
    ("blake2b_update", "count"),
    ("blake2s_update", "count"),
    ("chacha20", "counter"),
    ("chacha20_xor", "counter"),
    ("salsa20", "counter"),
    ("salsa20_xor", "counter"),
    ("xchacha20_xor", "counter"),
];

/// Valgrind does not know AVX-512.
const LEVELS: [&str; 5] = ["-O1", "-O2", "-O3", "-Os", "-O3 -mavx2 -mbmi2"];

/// A program of the library in C.
struct Function {
    /// The name of its files and of its function.
    name: String,
    kernel: Kernel,
}

/// Plain words, and the vectors that valgrind knows: neither those of AVX-512 nor the instructions of SHA.
const TARGETS: [Target; 2] = [Target::C64, Target::Avx2];

/// Every program of the library's recipe for a target; with `CULET_ALL`, those of features of the library, too, which are programs of other
/// curves with the same text.
fn functions(target: Target) -> Vec<Function> {
    let path = shelf::root().join("../library/kernels.toml");
    let text = std::fs::read_to_string(&path).expect("the recipe");
    let recipe: Value = toml::from_str(&text).expect("a recipe is TOML");
    let modules = recipe["module"].as_array().expect("modules");
    let has_target = |module: &&Value| module["targets"].as_array().expect("targets").contains(&target.name().into());
    let is_wanted = |module: &&Value| module["feature"].is_null() || draw::wants_all();
    let wanted = modules.iter().filter(has_target).filter(is_wanted);
    wanted.flat_map(|module| functions_of(module, path.parent().expect("a folder"), target)).collect()
}

/// The function of a module, or one for each of its nodes.
fn functions_of(module: &Value, folder: &Path, target: Target) -> Vec<Function> {
    let name = module["name"].as_str().expect("a name");
    let program = folder.join(module["program"].as_str().expect("a path"));
    match module["nodes"].as_array() {
        Some(nodes) => {
            let nodes = nodes.iter().map(|node| node.as_str().expect("a name"));
            nodes.map(|node| function(node, &program, Some(node), target)).collect()
        }
        None => vec![function(name, &program, module["node"].as_str(), target)],
    }
}

fn function(name: &str, program: &Path, node: Option<&str>, target: Target) -> Function {
    let (source, found) = load(program, &[], &DiskReader);
    assert!(!found.has_errors(), "{name}");
    let node = node.map(str::to_owned);
    let (kernel, found) = Kernel::of(
        &source,
        name,
        &Options { node, slicing: Some(Slicing::Vertical), ..Options::new(target) },
        &Diagnostics::new(),
    );
    let messages: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
    Function { kernel: kernel.unwrap_or_else(|| panic!("{name}: {messages:?}")), name: name.to_owned() }
}

/// Operations that are one program each, with the folder and the file.
const OPERATIONS: [(&str, &str); 44] = [
    ("aead/aes128_gcm", "aes128_gcm_seal"),
    ("aead/aes128_gcm", "aes128_gcm_open"),
    ("aead/aes256_gcm", "aes256_gcm_seal"),
    ("aead/aes256_gcm", "aes256_gcm_open"),
    ("aead/ascon_aead128", "ascon_aead128_seal"),
    ("aead/ascon_aead128", "ascon_aead128_open"),
    ("aead/chacha20_poly1305", "chacha20_poly1305_seal"),
    ("aead/chacha20_poly1305", "chacha20_poly1305_open"),
    ("hashes/ascon_hash256", "ascon_hash256_message"),
    ("hashes/ascon_hash256", "ascon_xof128_message"),
    ("hashes/blake2b", "blake2b"),
    ("hashes/blake2b", "blake2b_keyed"),
    ("hashes/blake2s", "blake2s"),
    ("hashes/blake2s", "blake2s_keyed"),
    ("hashes/blake2b", "blake2b_salted"),
    ("hashes/blake2s", "blake2s_salted"),
    ("hashes/sha3", "sha3_256"),
    ("hashes/sha3", "shake256"),
    ("macs/hkdf_sha512", "hkdf"),
    ("macs/hmac_sha224", "hmac_sha224_verify"),
    ("macs/hmac_sha256", "hmac_sha256_verify"),
    ("macs/hmac_sha384", "hmac_sha384_verify"),
    ("macs/hmac_sha512", "hmac_sha512_verify"),
    ("nacl/box", "box_open"),
    ("nacl/kdf", "kdf_derive"),
    ("nacl/onetimeauth", "onetimeauth_verify"),
    ("nacl/sealed", "box_seal_open"),
    ("nacl/secretbox", "secretbox_open"),
    ("nacl/sign", "sign"),
    ("nacl/sign_open", "sign_open"),
    ("nacl/stream", "stream_xor"),
    ("signatures/bip340_message", "bip340_sign_message"),
    ("signatures/bip340_message", "bip340_verify_message"),
    ("signatures/ed25519_sign", "ed25519_sign_message"),
    ("signatures/ed25519_verify_message", "ed25519_verify_message"),
    ("signatures/p224_deterministic", "p224_sign_hedged"),
    ("signatures/p256_deterministic", "p256_sign_hedged"),
    ("signatures/p384_deterministic", "p384_sign_hedged"),
    ("signatures/p521_deterministic", "p521_sign_hedged"),
    ("signatures/p521_ecdsa", "p521_verify_message"),
    ("signatures/secp256k1_deterministic", "secp256k1_sign_hedged_low"),
    ("streams/chacha20_xor", "chacha20_xor"),
    ("streams/salsa20_xor", "salsa20_xor"),
    ("streams/xchacha20_xor", "xchacha20_xor"),
];

/// Number of drawn operations.
const DRAWN_OPERATIONS: usize = 1;

/// Drawn whole operations.
fn operations(target: Target) -> Vec<Function> {
    let name = |(_, node): &(&str, &str)| (*node).to_owned();
    let drawn = draw::some("secrets of whole operations", OPERATIONS.into(), DRAWN_OPERATIONS, name).into_iter();
    let path = |stem: &str| shelf::root().join(stem).with_extension("ua");
    drawn.map(|(stem, node)| function(node, &path(stem), Some(node), target)).collect()
}

/// A C program that calls every function with undefined inputs, and prints the number of memcheck's reports for each. What it plants
/// must be reported, or nothing is seen.
fn caller(functions: &[Function]) -> String {
    let mut text =
        String::from("#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n#include <valgrind/memcheck.h>\n");
    for Function { name, .. } in functions {
        let _ = writeln!(text, "#include \"{name}.h\"");
    }
    text += "
static uint8_t results[8][1024], parameters[8][1024];
static volatile uint8_t seen;

static unsigned before(void)
{
    memset(parameters, 0x5a, sizeof parameters);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(parameters, sizeof parameters);
    return VALGRIND_COUNT_ERRORS;
}

int main(void)
{
    unsigned start = before();
    if (parameters[0][0] & 1)
        seen = 1;
    printf(\"planted_branch %u\\n\", VALGRIND_COUNT_ERRORS - start);
    start = before();
    seen = results[0][parameters[0][1]];
    printf(\"planted_address %u\\n\", VALGRIND_COUNT_ERRORS - start);
";
    for function in functions {
        let Function { name, .. } = function;
        let _ = writeln!(text, "    start = before();");
        for index in public(function) {
            let _ = writeln!(text, "    memset(parameters[{index}], 1, sizeof parameters[{index}]);");
        }
        let _ = writeln!(text, "    {};", call(function));
        let _ = writeln!(text, "    printf(\"{name} %u\\n\", VALGRIND_COUNT_ERRORS - start);");
    }
    text + "    return 0;\n}\n"
}

/// The numbers of the arguments that are no secrets.
fn public(function: &Function) -> impl Iterator<Item = usize> {
    let single = function.kernel.on_words().expect("programs of the library are on words");
    let is_public = |name: &str| PUBLIC.contains(&(function.name.as_str(), name));
    (0..).zip(&single.arguments).filter(move |(_, argument)| is_public(&argument.name)).map(|(index, _)| index)
}

/// A call with arrays for results and for parameters. A parameter of one bit is a value.
fn call(function: &Function) -> String {
    let single = function.kernel.on_words().expect("programs of the library are on words");
    let arguments: Vec<String> = (0..)
        .zip(&single.arguments)
        .map(|(index, argument)| {
            let length = if argument.is_stream { STREAM } else { argument.bytes };
            assert!(length <= 1024, "{}: {length} bytes", argument.name);
            let array = format!("{}[{index}]", if argument.is_result { "results" } else { "parameters" });
            if argument.is_stream && !argument.is_result { format!("{array}, {STREAM}") } else { array }
        })
        .collect();
    format!("{}({})", single.function, arguments.join(", "))
}

/// The reports for each call of the program that a compiler makes.
fn reports(functions: &[Function], target: Target, compiler: &CCompiler, level: &str) -> Vec<(String, u64)> {
    let mut files = vec![("caller.c".to_owned(), caller(functions))];
    for Function { name, kernel } in functions {
        files.push((format!("{name}.c"), kernel.text().to_owned()));
        files.push((format!("{name}.h"), kernel.header().to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let flags: Vec<&str> = level.split(' ').collect();
    let program = compiler.static_program(&files, target, &flags).unwrap_or_else(|e| panic!("{level}: {e}"));
    let run =
        Command::new("valgrind").args(["-q", "--error-limit=no"]).arg(&program.path).output().expect("valgrind runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let line = |line: &str| {
        let (name, count) = line.split_once(' ').expect("a name and a number");
        (name.to_owned(), count.parse().expect("a number"))
    };
    String::from_utf8_lossy(&run.stdout).lines().map(line).collect()
}

#[test]
fn secrets_decide_no_branch_and_no_address() {
    let is_there = Command::new("valgrind").arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "valgrind is not installed");
    if !is_there {
        return;
    }
    let builds: Vec<Build> = TARGETS.into_iter().filter(|&target| cpu_runs(target)).flat_map(builds).collect();
    let features = |(target, compiler, _): &Build| vec![target.name().to_owned(), compiler.name()];
    let drawn = draw::few("secrets of the library in C", builds, features, |_| 0, DRAWN);
    let wrong: Vec<String> = TARGETS.into_iter().flat_map(|target| leaks(target, &drawn)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A target, the compiler for it, and the level of optimisation.
type Build = (Target, CCompiler, &'static str);

/// Number of drawn builds, so many that each target and each compiler is there.
const DRAWN: usize = 2;

/// All builds for a target.
fn builds(target: Target) -> Vec<Build> {
    let here = compilers(Target::C64).into_iter().filter(CCompiler::is_for_this_machine);
    // Valgrind 3.19 does not know the form of `vmovq` that gcc takes between registers at `-Os`.
    let is_known =
        |(_, compiler, level): &Build| target == Target::C64 || *level != "-Os" || !compiler.name().starts_with("gcc");
    here.flat_map(|compiler| LEVELS.map(|level| (target, compiler.clone(), level))).filter(is_known).collect()
}

/// The functions for a target with reports, and those planted without, in those of the builds that are for it.
fn leaks(target: Target, builds: &[Build]) -> Vec<String> {
    let own: Vec<&Build> = builds.iter().filter(|build| build.0 == target).collect();
    let mut functions = if own.is_empty() { Vec::new() } else { functions(target) };
    if !own.is_empty() && target == Target::C64 {
        functions.extend(operations(target));
    }
    let mut wrong = Vec::new();
    for (_, compiler, level) in own {
        let reports = reports(&functions, target, compiler, level);
        assert_eq!(reports.len(), functions.len() + 2);
        for (name, count) in reports {
            if (count > 0) != name.starts_with("planted") {
                wrong.push(format!("{} {} {level}: {name} has {count} reports", target.name(), compiler.name()));
            }
        }
    }
    wrong
}
