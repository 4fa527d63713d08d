//! `culet prove` on functions from bytes to bytes, for every number of blocks.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::proving::{Kernel, Verdicts, compile};
use support::{directory, write};

/// Sixteen blocks a call.
fn rectangle() -> Kernel {
    Kernel::of("rectangle.ua", "Rectangle", "v", "avx2")
}

/// The verdict on the function for any number of blocks, after a change in the C.
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
    let one = Kernel::of("chacha20.ua", "chacha20_block", "v", "c64");
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

/// There, calls of the C library go through a table that the loader writes.
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
    changed(&[("    erase(&work, sizeof work);\n", "")]).assert_proved(1);
}

#[test]
fn a_tail_that_lacks_a_block_is_rejected() {
    rejected(
        "copy(plain_in_tail, plain_in, blocks *",
        "copy(plain_in_tail, plain_in, (blocks - 1) *",
        "block",
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
    let (from, to) = ("copy(cipher_out, cipher_out_tail, blocks", "copy(cipher_out, cipher_out_tail, (blocks + 1)");
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
    rejected(from, to, "block", "byte 0 of the bytes of cipher");
}

#[test]
fn a_result_written_too_early_for_use_in_place_is_rejected() {
    let (from, to) = (
        "        batch(&work, cipher_out, plain_in);",
        "        cipher_out[3] = 0;\n        batch(&work, cipher_out, plain_in);",
    );
    rejected(from, to, "memory", "when used in place");
}

/// Out of place it does no harm, and no run on a few blocks shows it.
#[test]
fn a_result_written_before_the_loop_for_some_length_is_rejected() {
    let (from, to) = (
        "    struct work work;\n    rectangle_pack_round_keys",
        "    struct work work;
    __asm__ volatile(\"kmovq %0, %%k1; vmovsd %%xmm0, (%1)%{%%k1%}\"
                     :: \"r\"((uint64_t)(blocks == 1000)), \"r\"(cipher_out) : \"memory\");
    rectangle_pack_round_keys",
    );
    rejected(from, to, "loop", "written before the first turn");
}

#[test]
fn a_part_that_is_wrong_is_of_no_use() {
    let found = changed(&[("rotl16_by_1(v16)", "rotl16_by_12(v16)")]);
    found.rejected("callee");
}
