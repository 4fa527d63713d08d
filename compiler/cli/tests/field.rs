//! `culet field`: the files that it writes, its explanations, and its errors.

mod support;

use std::fs;
use std::process::Command;

use support::{culet, stderr, stdout};

#[test]
fn a_module_is_written_with_its_contracts_and_explained() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("made/here");
    let output = culet(&[
        "field",
        "GF(2^255 - 19)",
        "--ops",
        "mul,to_bytes",
        "--name",
        "f25519",
        "--carries",
        "-o",
        path.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut names: Vec<String> = fs::read_dir(&path)
        .expect("files")
        .map(|file| file.expect("a file").file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["f25519.c", "f25519.h", "f25519_mul.toml", "f25519_to_bytes.toml"]);
    let header = fs::read_to_string(path.join("f25519.h")).expect("a header");
    for part in ["5 words of 64 bits", "tight: limbs are below", "a loose, b loose, out tight", "modulo p = 2^255 - 19"]
    {
        assert!(header.contains(part), "{part}: {header}");
    }
    let carries = stdout(&output);
    assert!(carries.contains("mul, the result: limbs") && carries.contains("without it, in fn mul"), "{carries}");
}

#[test]
fn lanes_hold_eight_elements() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let lanes = |field: &str, more: &[&str]| {
        let mut arguments = vec!["field", field, "--target", "avx512ifma", "--force", "-o", path.to_str().unwrap()];
        arguments.extend(more);
        let output = culet(&arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(lanes("GF(2^255 - 19)", &[]).contains("5 limbs of 51 bits in lanes"));
    let header = fs::read_to_string(path.join("fe.h")).expect("a header");
    for part in [
        "word 8 i + j",
        "AVX-512: F, BW, VL, DQ and IFMA",
        "-mavx512ifma",
        "(uint64_t out[40], const uint64_t a[40]",
        "const uint64_t flag[8]",
        "const uint8_t bytes[256]",
    ] {
        assert!(header.contains(part), "{part}: {header}");
    }
    let contract = fs::read_to_string(path.join("fe_from_bytes.toml")).expect("a contract");
    assert!(contract.contains("lanes = 8\norder = \"numbers\"\n"), "{contract}");
    assert!(
        lanes("GF(2^255 - 19)", &["--radix", "mont 52"]).contains("Montgomery's form in 5 limbs of 52 bits in lanes")
    );
    let contract = fs::read_to_string(path.join("fe_mul.toml")).expect("a contract");
    assert!(contract.contains("R = \"2^260\""), "{contract}");
    let order = "GF(2^252 + 27742317777372353535851937790883648493)";
    assert!(lanes(order, &["--language", "rust"]).contains("Montgomery's form"));
    let text = fs::read_to_string(path.join("fe.rs")).expect("a module");
    for part in ["#[target_feature(enable = \"avx512f,avx512bw,avx512vl,avx512dq,avx512ifma\")]", "forbid(unsafe_code)"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_module_in_rust_compiles_without_the_standard_library() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    for target in ["c64", "c32"] {
        let made = ["field", "GF(2^130 - 5)", "--language", "rust", "--target", target];
        let output = culet(&[&made[..], &["--force", "-o", path.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = fs::read_to_string(path.join("fe.rs")).expect("a module");
        for part in
            ["//! tight: limbs are below", "/// out = a * b mod p; a loose, b loose, out tight", "forbid(unsafe_code)"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!path.join("fe.h").exists() && path.join("fe_mul.toml").exists());
        fs::write(path.join("lib.rs"), "#![no_std]\npub mod fe;\n").expect("a file");
        let output = Command::new("rustc")
            .env_remove("RUSTC_BOOTSTRAP")
            .args(["--edition", "2021", "--crate-type", "lib", "-D", "warnings", "lib.rs"])
            .current_dir(path)
            .output()
            .expect("rustc runs");
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

/// The inverse in the smallest field takes no product by its exponent, p - 2 = 1: it must be carried all the same.
#[test]
fn inverses_in_the_smallest_field_are_carried() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    for (target, word) in [("c64", "uint64_t"), ("c32", "uint32_t")] {
        let output = culet(&["field", "GF(3)", "--target", target, "--force", "-o", path.to_str().unwrap()]);
        assert!(output.status.success(), "{}", stderr(&output));
        let program = format!(
            "#include \"fe.h\"
int main(void)
{{
    for (int n = 0; n < 256; n++) {{
        uint8_t bytes[1] = {{(uint8_t)n}};
        {word} a[1], sum[1], inverse[1], zero[1] = {{0}}, negated[1];
        fe_from_bytes(a, bytes);
        fe_add(sum, a, a);
        fe_inv(inverse, sum);
        fe_sub(negated, zero, inverse);
        fe_to_bytes(bytes, negated);
        /* 1 / x = x, so that - 1 / (n + n) = n. */
        if (bytes[0] != n % 3)
            return 1;
    }}
    return 0;
}}
"
        );
        fs::write(path.join("main.c"), program).expect("a file");
        let made =
            Command::new("cc").args(["-O2", "main.c", "fe.c", "-o", "main"]).current_dir(path).output().expect("cc");
        assert!(made.status.success(), "{}", stderr(&made));
        assert!(Command::new(path.join("main")).status().expect("it runs").success(), "{target}");
    }
}

#[test]
fn what_is_wrong_is_named_and_nothing_is_written() {
    for (arguments, message) in [
        (&["GF(2^255 - 21)"][..], "E0330"),
        (&["GF(2^256)"], "E0331"),
        (&["GF(2^255 - 19"], "E01"),
        (&["GF(2^255 - 19) fe"], "a field ends before `fe`"),
        (&["F(17)"], "`GF(p)` or `GF2(f)` was expected here"),
        (&["GF2(x^128 + x^7 + x^2 + x + 1)"], "is a binary field, which has no limbs"),
        (&["GF(2^255 - 19)", "--radix", "63"], "limbs of 63 bits leave no room for carries in words of 64 bits"),
        (&["GF(2^255 - 19)", "--radix", "60", "--target", "c32"], "limbs of 60 bits leave no room"),
        (&["GF(2^255 - 19)", "--radix", "mont"], "is no radix"),
        (&["GF(2^521 - 1)", "--radix", "30", "--target", "c32"], "a sum does not fit into two words of 32 bits"),
        (&["GF(2^255 - 19)", "--radix", "52", "--target", "avx512ifma"], "a radix of 51 bits at most does"),
        (&["GF(2^255 - 19)", "--radix", "mont 64", "--target", "avx512ifma"], "limbs of 52 bits in lanes, not of 64"),
        (&["GF(2^255 - 19)", "--radix", "mont 52"], "for the target `avx512ifma`"),
        (&["GF(2^255 - 19)", "--ops", "mul,cube"], "there is no operation `cube`"),
        (&["GF(2^255 - 19)", "--name", "1x"], "a name in C"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        let mut all = vec!["field"];
        all.extend(arguments);
        all.extend(["-o", path.to_str().unwrap()]);
        let output = culet(&all);
        let is_usage = arguments.len() > 1;
        assert_eq!(output.status.code(), Some(1 + i32::from(is_usage)), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
        assert!(!path.exists(), "{arguments:?}");
    }
}
