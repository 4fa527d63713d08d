//! `culet prove` on kernels of the library: they are proved as two C compilers make them, and rejected after any
//! change.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::io::Write;

use support::proving::{Kernel, ROUNDS_ONE_BY_ONE, Verdicts, assert_counterexample};
use support::{directory, write};

const COMPILERS: [&str; 2] = ["gcc-12", "clang-19"];

/// Asserts that all functions of a kernel are proved, without a cache. On registers there is one function more than the
/// kernel has arguments.
fn proved(kernel: &Kernel, functions: usize) {
    for compiler in COMPILERS {
        let directory = directory();
        let c = kernel.c(directory.path());
        let object = kernel.object(directory.path(), compiler, &c);
        kernel.prove_with(&object, &[]).assert_kernel_proved(functions);
    }
}

#[test]
fn rectangle_on_words() {
    proved(&Kernel::of("rectangle.ua", "Rectangle", "v", "c64"), 4);
    proved(&Kernel::of("rectangle.ua", "Rectangle", "b", "c64"), 4);
}

#[test]
fn rectangle_bitsliced_on_avx2() {
    proved(&Kernel::of("rectangle.ua", "Rectangle", "b", "avx2"), 4);
}

#[test]
fn rectangle_on_avx2() {
    proved(&Kernel::of("rectangle.ua", "Rectangle", "v", "avx2"), 4);
}

#[test]
fn chacha20_on_avx2() {
    proved(&Kernel::of("chacha20.ua", "chacha20_block", "v", "avx2"), 5);
}

#[test]
fn ascon_on_words() {
    proved(&Kernel::of("ascon.ua", "Ascon_p12", "v", "c64"), 3);
}

#[test]
fn aes_bitsliced_on_avx2() {
    proved(&Kernel::of("aes128.ua", "AES128", "b", "avx2"), 4);
}

/// Ten rounds of AES in registers of 512 bits take minutes and a gigabyte: `cargo test -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn aes_horizontal_on_avx512() {
    proved(&Kernel::of("aes128.ua", "AES128", "h", "avx512"), 4);
}

/// Changes a kernel's C in one place. Returns the good C, the changed C, and the verdicts on the changed one.
fn changed(kernel: &Kernel, symbol: &str, from: &str, to: &str) -> (String, String, Verdicts) {
    let directory = directory();
    let good = kernel.c(directory.path());
    let start = good.find(&format!("void {symbol}(")).expect("the function");
    let wrong = good[..start].to_owned() + &good[start..].replacen(from, to, 1);
    assert_ne!(good, wrong, "`{from}` is not in the C");
    let object = kernel.object(directory.path(), "gcc-12", &wrong);
    let found = kernel.prove(&object, symbol);
    (good, wrong, found)
}

/// Asserts that each change is rejected, with a counterexample on which the two versions differ.
fn noticed(kernel: &Kernel, symbol: &str, changes: &[(&str, &str)]) {
    let directory = directory();
    let object = kernel.object(directory.path(), "gcc-12", &kernel.c(directory.path()));
    let proof = kernel.prove(&object, symbol);
    proof.assert_proved(1);
    for (from, to) in changes {
        let (good, wrong, found) = changed(kernel, symbol, from, to);
        let rejection = found.rejected("different");
        assert_counterexample(kernel, [&good, &wrong], symbol, &proof.verdicts[0], rejection);
    }
}

/// Rectangle, whose C has one group of instances and no loops.
fn rounds_one_by_one(target: &'static str) -> Kernel {
    Kernel { more: ROUNDS_ONE_BY_ONE, ..Kernel::of("rectangle.ua", "Rectangle", "v", target) }
}

#[test]
fn changes_of_the_cipher_are_noticed() {
    let changes = [
        // A rotation in the first round, the operands of `a & ~b`, a gate of the S-box, a round key, a result.
        ("rotl16(v16, 1)", "rotl16(v16, 2)"),
        ("v8 ^ (v9 & ~v11)", "v8 ^ (v11 & ~v9)"),
        ("v9 ^ v10", "v9 | v10"),
        ("round_keys_in[4]", "round_keys_in[5]"),
        ("cipher_out[1] =", "cipher_out[1] = 1 ^"),
    ];
    noticed(&rounds_one_by_one("c64"), "rectangle_sliced", &changes);
}

#[test]
fn changes_of_packing_are_noticed() {
    let changes = [
        // One instance in the place of another; exchanged lanes of two registers, and of one register.
        ("bytes + 56", "bytes + 48"),
        ("_mm256_unpacklo_epi16(x16, x20)", "_mm256_unpackhi_epi16(x16, x20)"),
        ("_mm_setr_epi8(1, 0, 3, 2,", "_mm_setr_epi8(1, 0, 2, 3,"),
        ("registers[2] = x34", "registers[2] = x35"),
    ];
    noticed(&rounds_one_by_one("avx2"), "rectangle_pack_plain", &changes);
}

#[test]
fn another_node_and_another_program_are_noticed() {
    let directory = directory();
    let kernel = Kernel::of("rectangle.ua", "Rectangle", "v", "c64");
    let object = kernel.object(directory.path(), "gcc-12", &kernel.c(directory.path()));
    let program = std::fs::read_to_string(&kernel.source).expect("the program");
    for (from, to) in [("a[2] <<< 12", "a[2] <<< 11"), ("0x01, 0x02", "0x01, 0x02"), ("6, 5, 12, 10", "5, 6, 12, 10")] {
        let source = write(directory.path(), "rectangle.ua", program.replacen(from, to, 1));
        let found = Kernel { source, ..kernel.clone() }.prove(&object, "sliced");
        if from == to {
            found.assert_proved(1);
        } else {
            found.rejected("different");
        }
    }
    let inverse = Kernel { node: "Rectangle_inverse", ..kernel.clone() };
    inverse.prove(&object, "sliced").rejected("different");
    inverse.prove(&object, "pack_cipher").rejected("missing");
    let other = Kernel { target: "avx2", ..kernel.clone() };
    other.prove(&object, "sliced").rejected("different");
}

/// Functions to damage. All of them are tested only with `CULET_ALL=1`, which takes an hour.
const DAMAGED: [(&str, &str, &str, &str, &str); 20] = [
    ("rectangle.ua", "Rectangle", "v", "c64", "rectangle_sliced"),
    ("rectangle.ua", "Rectangle", "v", "avx2", "rectangle_pack_plain"),
    ("rectangle.ua", "Rectangle", "v", "avx2", "rectangle_unpack_cipher"),
    ("rectangle.ua", "Rectangle_inverse", "v", "c64", "rectangle_sliced"),
    ("rectangle.ua", "Rectangle", "b", "c64", "rectangle_sliced"),
    ("chacha20.ua", "chacha20_permutation", "v", "c64", "chacha20_sliced"),
    ("chacha20.ua", "chacha20_block", "v", "c64", "chacha20_sliced"),
    ("chacha20.ua", "chacha20_block", "v", "avx2", "chacha20_pack_key"),
    ("salsa20.ua", "salsa20_block", "v", "c64", "salsa20_sliced"),
    ("xoodoo.ua", "Xoodoo", "v", "c64", "xoodoo_sliced"),
    ("gimli.ua", "Gimli", "v", "c64", "gimli_sliced"),
    ("clyde128.ua", "Clyde128", "v", "c64", "clyde128_sliced"),
    ("serpent.ua", "Serpent", "v", "c64", "serpent_sliced"),
    ("ascon.ua", "Ascon_p12", "v", "c64", "ascon_sliced"),
    ("ace.ua", "ACE", "v", "c64", "ace_sliced"),
    ("aes128.ua", "ShiftRows", "b", "c64", "aes128_sliced"),
    ("aes128.ua", "InvShiftRows", "b", "c64", "aes128_sliced"),
    ("aes128.ua", "AES128", "b", "avx2", "aes128_sliced"),
    ("gift64.ua", "Gift64", "b", "c64", "gift64_sliced"),
    ("gift128.ua", "Gift128", "b", "c64", "gift128_sliced"),
];

/// Damaged functions are rejected, or equivalent to the original.
#[test]
fn mutants_are_rejected_or_harmless() {
    let (functions, mutants) = if std::env::var_os("CULET_ALL").is_some() { (DAMAGED.len(), 1000) } else { (2, 110) };
    for (file, node, slice, target, symbol) in DAMAGED[..functions].iter().copied() {
        let kernel = Kernel::of(file, node, slice, target);
        let directory = directory();
        let object = kernel.object(directory.path(), "gcc-12", &kernel.c(directory.path()));
        let found = kernel.prove_with(&object, &["--symbol", symbol, "--mutate", &mutants.to_string(), "--seed", "7"]);
        assert_eq!(found.code, 0, "{found:?}");
        let [trials] = &found.verdicts[..] else { panic!("{found:?}") };
        writeln!(std::io::stdout(), "{trials}").expect("stdout");
        assert!(trials["mutants"].as_u64() >= Some(100), "{trials}");
        let rejected: u64 = trials["rejected"].as_object().expect("kinds").values().filter_map(|n| n.as_u64()).sum();
        assert!(rejected >= 80 && trials["rejected"]["different"].as_u64() >= Some(20), "{trials}");
        assert!(trials["replays"].as_u64() >= Some(3000));
    }
}
