//! Compiles what `./run` has written, once with each C compiler.

use std::env;
use std::path::{Path, PathBuf};

const FILES: [&str; 4] = ["x25519.c", "c64/poly1305.c", "fe25519/fe25519.c", "fp256/fp256.c"];
const SYMBOLS: [&str; 4] = ["x25519", "poly1305", "fe25519_mul", "fp256_mul"];

/// Targets of Poly1305 with vectors, and what compilers are told of them.
const VECTORS: [(&str, &[&str]); 3] = [
    ("sse", &["-mssse3", "-msse4.1"]),
    ("avx2", &["-mavx2"]),
    ("avx512ifma", &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512ifma"]),
];

fn main() {
    println!("cargo::rerun-if-env-changed=MADE");
    let made = PathBuf::from(env::var("MADE").expect("start ./run"));
    println!("cargo::rerun-if-changed={}", made.display());
    for (compiler, word) in [("gcc-12", "gcc"), ("clang-19", "clang")] {
        let mut build = cc::Build::new();
        build.compiler(compiler).opt_level(3).include(&made);
        // What gcc 12 tunes for this CPU multiplies more slowly than what it makes for any.
        if word == "clang" {
            build.flag("-march=native");
        }
        for symbol in SYMBOLS {
            build.define(symbol, format!("{symbol}_{word}").as_str());
        }
        build.files(FILES.map(|file| made.join(file))).compile(&format!("culet_{word}"));
        for (target, flags) in VECTORS {
            let mut build = cc::Build::new();
            build.compiler(compiler).opt_level(3);
            for flag in flags {
                build.flag(flag);
            }
            build.define("poly1305", format!("poly1305_{target}_{word}").as_str());
            build.file(made.join(target).join("poly1305.c")).compile(&format!("culet_{target}_{word}"));
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
    for name in ["fe25519", "fp256"] {
        let file = made.join(name).join(format!("{name}.rs"));
        let text = std::fs::read_to_string(&file).expect("the module in Rust");
        // What is included in a module has no attributes and comments about the whole file.
        let inner = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
        let text: String = text.lines().filter(inner).map(|line| format!("{line}\n")).collect();
        std::fs::write(Path::new(&out).join(format!("{name}.rs")), text).expect("it can be written");
    }
}
