//! Compiles the files that `./run` has written, once with each C compiler, and the C of two peers in the same way.

use std::env;
use std::path::{Path, PathBuf};

const FILES: [&str; 5] = ["x25519.c", "c64/poly1305.c", "c64/ghash.c", "fe25519/fe25519.c", "fp256/fp256.c"];
const SYMBOLS: [&str; 5] = ["x25519", "poly1305", "ghash", "fe25519_mul", "fp256_mul"];

/// Programs for targets with vectors, and the compiler flags for them.
const VECTORS: [(&str, &str, &[&str]); 4] = [
    ("poly1305", "sse", &["-mssse3", "-msse4.1"]),
    ("poly1305", "avx2", &["-mavx2"]),
    ("poly1305", "avx512ifma", &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512ifma"]),
    ("ghash", "avx2", &["-mavx2", "-mpclmul"]),
];

/// The functions that HACL*'s X25519 defines.
const HACL: [&str; 5] = ["fsquare_times", "finv", "scalarmult", "secret_to_public", "ecdh"];

/// fiat-crypto's functions are meant to be included.
const FIAT: &str = "#include \"curve25519_64.h\"
#include \"p256_64.h\"
void fiat25519_mul(uint64_t *out, const uint64_t *a, const uint64_t *b) { fiat_25519_carry_mul(out, a, b); }
void fiat256_mul(uint64_t *out, const uint64_t *a, const uint64_t *b) { fiat_p256_mul(out, a, b); }
";

/// A folder whose path `./run` passes.
fn folder(name: &str) -> PathBuf {
    println!("cargo::rerun-if-env-changed={name}");
    PathBuf::from(env::var(name).expect("start ./run"))
}

/// A compiler for portable C.
fn portable(compiler: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build.compiler(compiler).opt_level(3);
    // Code that gcc 12 tunes for this CPU multiplies more slowly than its code for any x86-64 CPU.
    if compiler.starts_with("clang") {
        build.flag("-march=native");
    }
    build
}

/// Compiles the peers that are in C.
fn peers(compiler: &str, word: &str) {
    let (fiat, hacl) = (folder("FIAT"), folder("HACL"));
    let text = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("fiat.c");
    std::fs::write(&text, FIAT).expect("it can be written");
    let mut build = portable(compiler);
    for symbol in ["fiat25519_mul", "fiat256_mul"] {
        build.define(symbol, format!("{symbol}_{word}").as_str());
    }
    build.include(fiat).file(text).compile(&format!("fiat_{word}"));
    let mut build = portable(compiler);
    build.warnings(false);
    for name in HACL {
        let symbol = format!("Hacl_Curve25519_51_{name}");
        build.define(&symbol, format!("{symbol}_{word}").as_str());
    }
    for include in ["include", "karamel/include", "karamel/krmllib/dist/minimal"] {
        build.include(hacl.join(include));
    }
    build.file(hacl.join("src/Hacl_Curve25519_51.c")).compile(&format!("hacl_{word}"));
}

fn main() {
    let made = folder("MADE");
    println!("cargo::rerun-if-changed={}", made.display());
    for (compiler, word) in [("gcc-12", "gcc"), ("clang-19", "clang")] {
        peers(compiler, word);
        let mut build = portable(compiler);
        build.include(&made);
        for symbol in SYMBOLS {
            build.define(symbol, format!("{symbol}_{word}").as_str());
        }
        build.files(FILES.map(|file| made.join(file))).compile(&format!("culet_{word}"));
        for (program, target, flags) in VECTORS {
            let mut build = cc::Build::new();
            build.compiler(compiler).opt_level(3);
            for flag in flags {
                build.flag(flag);
            }
            build.define(program, format!("{program}_{target}_{word}").as_str());
            let file = made.join(target).join(program).with_extension("c");
            build.file(file).compile(&format!("culet_{program}_{target}_{word}"));
        }
        let mut ifma = cc::Build::new();
        ifma.compiler(compiler).opt_level(3).include(made.join("ifma"));
        for feature in ["f", "bw", "vl", "dq", "ifma"] {
            ifma.flag(format!("-mavx512{feature}"));
        }
        ifma.define("x25519", format!("x25519_batch_{word}").as_str());
        ifma.define("x25519_lanes", format!("x25519_lanes_{word}").as_str());
        let files = ["x25519", "x25519_lanes"].map(|stem| made.join("ifma").join(stem).with_extension("c"));
        ifma.files(files).compile(&format!("culet_ifma_{word}"));
    }
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let in_rust = ["x25519", "poly1305", "ghash"].map(|name| ("rust", name));
    for (folder, name) in [("fe25519", "fe25519"), ("fp256", "fp256")].into_iter().chain(in_rust) {
        let file = made.join(folder).join(format!("{name}.rs"));
        let text = std::fs::read_to_string(&file).expect("the module in Rust");
        // A text that is included in a module cannot have attributes and comments on the whole file.
        let inner = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
        let text: String = text.lines().filter(inner).map(|line| format!("{line}\n")).collect();
        std::fs::write(Path::new(&out).join(format!("{name}.rs")), text).expect("it can be written");
    }
}
