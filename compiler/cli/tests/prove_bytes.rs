//! `culet prove` on functions from bytes to bytes, for every number of blocks.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use culet_testing::draw;
use support::proving::{Kernel, ONE_GROUP, ROUNDS_ONE_BY_ONE, Verdicts, compile};
use support::{directory, write};

/// Rectangle with sixteen blocks a call.
fn rectangle() -> Kernel {
    Kernel { more: ROUNDS_ONE_BY_ONE, ..Kernel::of("rectangle.ua", "Rectangle", "v", "avx2") }
}

/// The verdict on the function for any number of blocks, after changes in the C.
fn changed(changes: &[(&str, &str)]) -> Verdicts {
    let (kernel, directory) = (rectangle(), directory());
    let mut c = kernel.c(directory.path());
    for (from, to) in changes {
        assert!(c.contains(from), "`{from}` is not in the C");
        c = c.replacen(from, to, 1);
    }
    let object = kernel.object(directory.path(), "gcc-12", &c);
    kernel.prove(&object, "rectangle_run")
}

#[track_caller]
fn rejected(from: &str, to: &str, kind: &str, reason: &str) {
    let found = changed(&[(from, to)]);
    let said = found.rejected(kind)["reason"].as_str().expect("a reason");
    assert!(said.contains(reason), "{said}");
}

#[test]
fn one_block_a_call_and_three() {
    let one = Kernel { more: ONE_GROUP, ..Kernel::of("chacha20.ua", "chacha20_block", "v", "c64") };
    let three = Kernel { more: &["--interleave", "3"], ..one.clone() };
    for (kernel, blocks, compiler) in [(&one, 1, "gcc-12"), (&one, 1, "clang-19"), (&three, 3, "gcc-12")] {
        let directory = directory();
        let c = kernel.c(directory.path());
        let object = kernel.object(directory.path(), compiler, &c);
        let found = kernel.prove(&object, "chacha20_run");
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["turn"], blocks, "{found:?}");
    }
}

#[test]
fn what_is_said_of_a_kernel_used_in_place() {
    let found = changed(&[]);
    found.assert_proved(1);
    assert_eq!(found.verdicts[0]["in_place"], serde_json::json!([["cipher", "plain"]]));
    assert_eq!(found.verdicts[0]["library"], serde_json::json!(["memcpy", "memset"]));
}

/// In a shared object, calls of the C library go through a table that the loader writes.
#[test]
fn a_shared_object_that_calls_the_c_library() {
    let (kernel, directory) = (rectangle(), directory());
    write(directory.path(), "kernel.c", kernel.c(directory.path()));
    for binding in ["-Wl,-z,lazy", "-Wl,-z,now"] {
        let link = ["kernel.c", "-shared", "-Wl,-Bsymbolic", binding, "-o", "kernel.so"];
        compile("gcc-12", &["-fPIC", "-mavx2"], directory.path(), &link);
        let found = kernel.prove(&directory.path().join("kernel.so"), "rectangle_run");
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["library"], serde_json::json!(["memcpy", "memset"]));
    }
}

#[test]
fn erasure_is_no_part_of_the_theorem() {
    changed(&[("    rectangle_erase(&work, sizeof work);\n", "")]).assert_proved(1);
}

#[test]
fn a_tail_that_lacks_a_block_is_rejected() {
    rejected(
        "rectangle_copy(plain_in_tail, plain_in, blocks *",
        "rectangle_copy(plain_in_tail, plain_in, (blocks - 1) *",
        "different",
        "byte ",
    );
}

#[test]
fn a_pointer_that_falls_behind_is_rejected() {
    let (from, to) = ("plain_in += (size_t)RECTANGLE_INSTANCES", "plain_in += (size_t)(RECTANGLE_INSTANCES - 1)");
    rejected(from, to, "memory", "bytes of plain+120 is read after bytes of cipher+120 was written");
}

#[test]
fn a_write_behind_the_last_block_is_rejected() {
    let (from, to) = (
        "rectangle_copy(cipher_out, cipher_out_tail, blocks",
        "rectangle_copy(cipher_out, cipher_out_tail, (blocks + 1)",
    );
    rejected(from, to, "memory", "bytes at bytes of cipher");
}

#[test]
fn a_loop_that_stops_early_is_rejected() {
    let (from, to) = ("blocks >= RECTANGLE_INSTANCES", "blocks >= RECTANGLE_INSTANCES && blocks != 1000");
    rejected(from, to, "branch", "a branch depends on what is not known");
}

#[test]
fn keys_from_elsewhere_are_rejected() {
    let (from, to) = ("(work.round_keys_in, round_keys_in)", "(work.round_keys_in, round_keys_in + 1)");
    rejected(from, to, "memory", "bytes at bytes of round_keys+1");
    let (from, to) =
        ("rectangle_pack_plain(work->plain_in, plain_in)", "rectangle_pack_plain(work->plain_in, cipher_out)");
    rejected(from, to, "different", "byte 0 of the bytes of cipher");
}

#[test]
fn a_result_written_too_early_for_use_in_place_is_rejected() {
    let (from, to) = (
        "        rectangle_batch(&work, cipher_out, plain_in);",
        "        cipher_out[3] = 0;\n        rectangle_batch(&work, cipher_out, plain_in);",
    );
    rejected(from, to, "memory", "when used in place");
}

/// The misplaced result does no harm, and no run on a few blocks shows it.
#[test]
fn a_result_written_before_the_loop_for_some_length_is_rejected() {
    let (from, to) = (
        "    struct rectangle_buffers work;\n    rectangle_pack_round_keys",
        "    struct rectangle_buffers work;
    __asm__ volatile(\"kmovq %0, %%k1; vmovsd %%xmm0, (%1)%{%%k1%}\"
                     :: \"r\"((uint64_t)(blocks == 1000)), \"r\"(cipher_out) : \"memory\");
    rectangle_pack_round_keys",
    );
    rejected(from, to, "loop", "written before the first iteration");
}

/// The result bytes are wrong for every input, and a call shows it.
#[test]
fn a_wrong_result_is_shown_by_a_call() {
    let (from, to) = (
        "        RECTANGLE_OPAQUE(blocks);\n    }\n    if (blocks > 0)",
        "        RECTANGLE_OPAQUE(blocks);\n        cipher_out[-3] ^= 1;\n    }\n    if (blocks > 0)",
    );
    let found = changed(&[(from, to)]);
    let verdict = found.rejected("different");
    let said = verdict["reason"].as_str().expect("a reason");
    assert!(said.starts_with("byte 125 of the bytes of cipher") && said.contains("block 15 of 16"), "{said}");
    assert_eq!(verdict["replay"], "found by calls on this CPU", "{verdict}");
    assert!(verdict["counterexample"]["bytes of plain"].is_string(), "{verdict}");
    let shown =
        |what: &str| verdict[what]["bytes 96 to 127 of the bytes of cipher"].as_str().expect("bytes").to_owned();
    let (computed, expected) = (shown("computed"), shown("expected"));
    let wrong = |at: usize| computed[2 * at..2 * at + 2] != expected[2 * at..2 * at + 2];
    assert_eq!((0..32).filter(|&at| wrong(at)).collect::<Vec<_>>(), [125 - 96], "{verdict}");
}

/// Damaged functions are rejected, or equivalent to the original. Two functions are drawn; `CULET_ALL` takes all, and more mutants
/// of each.
#[test]
fn mutants_of_functions_on_any_number_of_blocks() {
    let count = if draw::wants_all() { "1000" } else { "120" };
    let block = Kernel { more: ONE_GROUP, ..Kernel::of("chacha20.ua", "chacha20_block", "v", "c64") };
    let all = vec![
        (rectangle(), "gcc-12", "rectangle_run"),
        (rectangle(), "clang-19", "rectangle_run"),
        (block.clone(), "gcc-12", "chacha20_run"),
        (block, "clang-19", "chacha20_blocks"),
    ];
    let name = |(_, compiler, symbol): &(Kernel, &str, &str)| format!("{symbol} {compiler}");
    for (kernel, compiler, symbol) in draw::some("damaged functions on blocks", all, 2, name) {
        let directory = directory();
        let object = kernel.object(directory.path(), compiler, &kernel.c(directory.path()));
        let found = kernel.prove_with(&object, &["--symbol", symbol, "--mutate", count, "--seed", "7"]);
        assert_eq!(found.code, 0, "{found:?}");
        let [trials] = &found.verdicts[..] else { panic!("{found:?}") };
        let rejected: u64 = trials["rejected"].as_object().expect("kinds").values().filter_map(|n| n.as_u64()).sum();
        assert!(trials["mutants"].as_u64() >= Some(80) && rejected >= 50, "{trials}");
        assert!(trials["rejected"]["address"].as_u64() >= Some(5), "{trials}");
    }
}

#[test]
fn a_part_that_is_wrong_is_of_no_use() {
    let found = changed(&[("rotl16_by_1(v16)", "rotl16_by_12(v16)")]);
    found.rejected("callee");
}
