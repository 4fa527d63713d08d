//! Code, constants and stack of whole operations, as C compilers make them: the table of `docs/library-speed.md`, and how it is made and checked.
//!
//! Nothing is run, so that the figures are the same on every machine that has the same C compilers.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use culet_driver::{DiskReader, Kernel, Options, load};
use culet_ir::Target;
use culet_native::{CCompiler, Scratch, Size};
use culet_passes::Goal;
use culet_types::program::Slicing;

use crate::beside::first;

/// Limit of one C compilation.
const LIMIT: Duration = Duration::from_secs(300);

const HEAD: &str = "\
| operation | program | x86-64: code | constants | stack | RV32IMC: code | constants | stack |
|---|---|---:|---:|---:|---:|---:|---:|
";

/// Operations that an application calls, by the file of `primitives/` that has their nodes.
const OPERATIONS: [(&str, &[&str]); 57] = [
    ("signatures/ed25519_sign.ua", &["ed25519_public_key", "ed25519_sign_message"]),
    ("signatures/ed25519_verify_message.ua", &["ed25519_verify_message"]),
    ("signatures/ed25519_verify.ua", &["ed25519_verify", "ed25519_verify_zip215", "ed25519_to_x25519"]),
    ("signatures/ed25519_comb.ua", &["ed25519_comb"]),
    ("signatures/p256_ecdsa.ua", &["p256_sign_hash", "p256_verify_hash", "p256_sign_message", "p256_verify_message"]),
    (
        "signatures/p256_deterministic.ua",
        &["p256_sign_hash_deterministic", "p256_sign_hash_hedged", "p256_sign_deterministic", "p256_sign_hedged"],
    ),
    ("signatures/p224_ecdsa.ua", &["p224_sign_hash", "p224_verify_hash", "p224_sign_message", "p224_verify_message"]),
    (
        "signatures/p224_deterministic.ua",
        &["p224_sign_hash_deterministic", "p224_sign_hash_hedged", "p224_sign_deterministic", "p224_sign_hedged"],
    ),
    ("signatures/p384_ecdsa.ua", &["p384_sign_hash", "p384_verify_hash", "p384_sign_message", "p384_verify_message"]),
    (
        "signatures/p384_deterministic.ua",
        &["p384_sign_hash_deterministic", "p384_sign_hash_hedged", "p384_sign_deterministic", "p384_sign_hedged"],
    ),
    ("signatures/p521_ecdsa.ua", &["p521_sign_hash", "p521_verify_hash", "p521_sign_message", "p521_verify_message"]),
    (
        "signatures/p521_deterministic.ua",
        &["p521_sign_hash_deterministic", "p521_sign_hash_hedged", "p521_sign_deterministic", "p521_sign_hedged"],
    ),
    (
        "signatures/secp256k1_ecdsa.ua",
        &["secp256k1_sign_hash", "secp256k1_verify_hash", "secp256k1_sign_message", "secp256k1_verify_message"],
    ),
    (
        "signatures/secp256k1_deterministic.ua",
        &[
            "secp256k1_sign_hash_deterministic",
            "secp256k1_sign_hash_hedged",
            "secp256k1_sign_deterministic",
            "secp256k1_sign_hedged",
            "secp256k1_sign_deterministic_low",
            "secp256k1_sign_hedged_low",
        ],
    ),
    ("signatures/bip340_message.ua", &["bip340_public_key", "bip340_sign_message", "bip340_verify_message"]),
    ("curves/x25519.ua", &["x25519"]),
    ("curves/x25519_base.ua", &["x25519_base"]),
    ("curves/p224.ua", &["p224_public", "p224_agree", "p224_is_point", "p224_compress", "p224_decompress"]),
    ("curves/p256.ua", &["p256_public", "p256_agree", "p256_is_point", "p256_compress", "p256_decompress"]),
    ("curves/p256_comb.ua", &["p256_comb"]),
    ("curves/p384.ua", &["p384_public", "p384_agree", "p384_is_point", "p384_compress", "p384_decompress"]),
    ("curves/p521.ua", &["p521_public", "p521_agree", "p521_is_point", "p521_compress", "p521_decompress"]),
    (
        "curves/secp256k1.ua",
        &["secp256k1_public", "secp256k1_agree", "secp256k1_is_point", "secp256k1_compress", "secp256k1_decompress"],
    ),
    ("aead/chacha20_poly1305.ua", &["chacha20_poly1305_seal", "chacha20_poly1305_open"]),
    ("aead/xchacha20_poly1305.ua", &["xchacha20_poly1305_seal", "xchacha20_poly1305_open"]),
    ("aead/aes128_gcm.ua", &["aes128_gcm_seal", "aes128_gcm_open"]),
    ("aead/aes256_gcm.ua", &["aes256_gcm_seal", "aes256_gcm_open"]),
    ("aead/ascon_aead128.ua", &["ascon_aead128_seal", "ascon_aead128_open"]),
    ("nacl/secretbox.ua", &["secretbox", "secretbox_open"]),
    ("nacl/box.ua", &["box_beforenm", "box", "box_open"]),
    ("nacl/auth.ua", &["auth", "auth_verify"]),
    ("nacl/onetimeauth.ua", &["onetimeauth", "onetimeauth_verify"]),
    ("nacl/stream.ua", &["stream", "stream_xor"]),
    ("nacl/kdf.ua", &["kdf_derive"]),
    ("nacl/scalarmult.ua", &["scalarmult", "scalarmult_base"]),
    ("nacl/hash.ua", &["hash"]),
    ("nacl/sealed.ua", &["box_seal", "box_seal_open"]),
    ("nacl/sign.ua", &["sign_seed_keypair", "sign"]),
    ("nacl/sign_open.ua", &["sign_open"]),
    ("macs/hkdf_sha256.ua", &["hmac", "hkdf_extract", "hkdf_expand", "hkdf"]),
    ("macs/hkdf_sha384.ua", &["hmac", "hkdf_extract", "hkdf_expand", "hkdf"]),
    ("macs/hkdf_sha512.ua", &["hmac", "hkdf_extract", "hkdf_expand", "hkdf"]),
    ("macs/hmac_sha224.ua", &["hmac_sha224", "hmac_sha224_message", "hmac_sha224_verify"]),
    ("macs/hmac_sha256.ua", &["hmac_sha256", "hmac_sha256_message", "hmac_sha256_verify"]),
    ("macs/hmac_sha384.ua", &["hmac_sha384", "hmac_sha384_message", "hmac_sha384_verify"]),
    ("macs/hmac_sha512.ua", &["hmac_sha512", "hmac_sha512_message", "hmac_sha512_verify"]),
    ("macs/poly1305.ua", &["poly1305"]),
    ("macs/ghash.ua", &["ghash"]),
    ("streams/chacha20_xor.ua", &["chacha20_xor"]),
    ("streams/xchacha20_xor.ua", &["xchacha20_xor"]),
    ("streams/salsa20_xor.ua", &["salsa20_xor"]),
    ("hashes/sha256.ua", &["sha224", "sha256"]),
    ("hashes/sha512.ua", &["sha384", "sha512", "sha512_256"]),
    ("hashes/ascon_hash256.ua", &["ascon_hash256", "ascon_hash256_message", "ascon_xof128_message"]),
    ("hashes/sha3.ua", &["sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake128", "shake256"]),
    ("hashes/blake2b.ua", &["blake2b", "blake2b_keyed", "blake2b_salted"]),
    ("hashes/blake2s.ua", &["blake2s", "blake2s_keyed", "blake2s_salted"]),
];

/// A machine, the aim of the code for it, and its C compiler.
#[derive(Debug, Clone, Copy)]
struct Machine {
    target: Target,
    goal: Goal,
    compiler: &'static str,
    flags: &'static [&'static str],
}

/// The machines of the table's columns.
const MACHINES: [Machine; 2] = [
    Machine { target: Target::C64, goal: Goal::Speed, compiler: "gcc-12", flags: &["-O2"] },
    Machine {
        target: Target::C32,
        goal: Goal::Size,
        compiler: "riscv64-unknown-elf-gcc",
        flags: &["-Os", "-march=rv32imc", "-mabi=ilp32", "-ffreestanding"],
    },
];

/// One operation.
#[derive(Debug, Clone, Copy)]
struct Operation {
    file: &'static str,
    node: &'static str,
}

fn operations() -> impl Iterator<Item = Operation> {
    OPERATIONS.iter().flat_map(|(file, nodes)| nodes.iter().map(|node| Operation { file, node }))
}

/// The table with today's sizes, of the operations whose names begin so.
///
/// # Errors
///
/// If a kernel cannot be made, or a C compiler is missing or does not say what the code takes.
pub fn run(primitives: &Path, name: Option<&str>, progress: &mut dyn FnMut(&str)) -> Result<String, String> {
    let mut text = HEAD.to_owned();
    for operation in operations().filter(|operation| name.is_none_or(|name| operation.node.starts_with(name))) {
        let row = row(primitives, operation, &MACHINES)?;
        progress(&row);
        let _ = writeln!(text, "{row}");
    }
    Ok(text)
}

/// The row of an operation, with the sizes on these machines.
fn row(primitives: &Path, operation: Operation, machines: &[Machine]) -> Result<String, String> {
    let mut text = format!("| `{}` | `{}` |", operation.node, operation.file);
    for &machine in machines {
        let in_words = |reason| format!("{} by {}: {reason}", operation.node, machine.compiler);
        let kernel = kernel(primitives, operation, machine).map_err(in_words)?;
        let Size { code, stack, table } = size(&kernel, machine).map_err(in_words)?;
        let _ = write!(text, " {code} | {table} | {stack} |");
    }
    Ok(text)
}

/// Generates an operation's kernel for a machine.
fn kernel(primitives: &Path, operation: Operation, machine: Machine) -> Result<Kernel, String> {
    let (source, diagnostics) = load(&primitives.join(operation.file), &[], &DiskReader);
    if diagnostics.has_errors() {
        return Err(first(&diagnostics));
    }
    let options = Options {
        node: Some(operation.node.to_owned()),
        slicing: Some(Slicing::Vertical),
        goal: machine.goal,
        ..Options::new(machine.target)
    };
    let (kernel, found) = Kernel::of(&source, "kernel", &options, &diagnostics);
    kernel.ok_or_else(|| first(&found))
}

/// The bytes that a kernel takes on a machine.
fn size(kernel: &Kernel, machine: Machine) -> Result<Size, String> {
    let scratch = Scratch::new("culet-sizes-").map_err(|error| error.to_string())?;
    for (name, text) in [("kernel.c", kernel.text()), ("kernel.h", kernel.header())] {
        fs::write(scratch.path().join(name), text).map_err(|error| format!("cannot write `{name}`: {error}"))?;
    }
    let compiler = CCompiler::find(Some(machine.compiler)).map_err(|error| error.to_string())?;
    let flags: Vec<String> = machine.flags.iter().map(|flag| (*flag).to_owned()).collect();
    let size = compiler.size(scratch.path(), "kernel", machine.target, &flags, LIMIT);
    size.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use culet_testing::draw;

    use super::*;

    /// The page with the table.
    const PAGE: &str = include_str!("../../docs/library-speed.md");
    /// Share by which sizes may grow before the page has to say so.
    const GROWTH: f64 = 1.02;
    /// Number of operations of a run.
    const DRAWN: usize = 3;

    /// The rows of the page's table: operation, program and six sizes.
    fn rows() -> Vec<Vec<&'static str>> {
        let (_, table) = PAGE.split_once(HEAD).expect("the page has the head of the table");
        table.lines().take_while(|line| line.starts_with('|')).map(cells).collect()
    }

    fn cells(row: &str) -> Vec<&str> {
        row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()
    }

    #[test]
    fn every_operation_has_its_row() {
        let named: Vec<_> = operations().map(|operation| vec![operation.node, operation.file]).collect();
        let on_page: Vec<_> = rows().into_iter().map(|row| row[..2].to_vec()).collect();
        assert_eq!(on_page, named);
    }

    /// Operations take no more than the page says. Where they take less, or more for a reason, `culet-bench sizes` makes the table anew.
    #[test]
    fn operations_take_no_more_than_the_page_says() {
        let primitives = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../primitives"));
        let features = |operation: &Operation| vec![operation.file.to_owned(), operation.node.to_owned()];
        let rows = rows();
        // `./test --all` installs the compiler for boards.
        let has_board = CCompiler::find(Some(MACHINES[1].compiler)).is_ok();
        let machines = if has_board { &MACHINES[..] } else { &MACHINES[..1] };
        for operation in draw::few("sizes of operations", operations().collect(), features, |_| 1, DRAWN) {
            let now = row(&primitives, operation, machines).expect(operation.node);
            let is_its = |row: &&Vec<&str>| row[..2] == [operation.node, operation.file];
            let then = rows.iter().find(is_its).expect("a row of the page");
            for (now, then) in cells(&now)[2..].iter().zip(&then[2..]) {
                let [now, then]: [f64; 2] = [now, then].map(|cell| cell.parse().expect("a number"));
                assert!(now <= then * GROWTH, "{}: {then} bytes are {now} now", operation.node);
            }
        }
    }
}
