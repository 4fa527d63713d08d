//! Tests of the command as a user meets it: its output, its files, and its exit codes.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{DOUBLE, code, culet, directory, primitives, stderr, stdout, text, unhex, write};

#[test]
fn a_right_program_is_checked_in_silence() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let output = culet(&["check", text(&file)]);
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (0, String::new(), String::new()));
}

#[test]
fn all_errors_of_a_wrong_program_are_reported_with_their_places() {
    let dir = directory();
    let file = write(
        dir.path(),
        "wrong.ua",
        "node f (a : u<V>32) returns (b : u<V>32, c : u<V>32)\nlet\n  b = a + nowhere;\n  c = g(a);\ntel\n",
    );
    let output = culet(&["check", text(&file), "--message-format", "json"]);
    assert_eq!(code(&output), 1);
    let lines: Vec<serde_json::Value> =
        stderr(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let places: Vec<(u64, bool)> = lines
        .iter()
        .filter(|d| d["severity"] == "error")
        .map(|d| (d["line"].as_u64().unwrap_or(0), d["file"].as_str().is_some_and(|f| f.ends_with("wrong.ua"))))
        .collect();
    assert!(places.contains(&(3, true)) && places.contains(&(4, true)), "{places:?}");
}

#[test]
fn long_lists_are_cut_for_people_only() {
    let dir = directory();
    let lines = |n: usize, line: &str| (0..n).map(|i| line.replace('#', &i.to_string())).collect::<String>();
    let text_of = |errors: usize, warnings: usize| {
        let (errors, warnings) = (lines(errors, "b#=x; "), lines(warnings, "t#:const u<V>8, "));
        let warnings = if warnings.is_empty() { warnings } else { format!("vars {warnings}t : u<V>8\n") };
        format!("node f (a : u<V>8) returns (b : u<V>8)\n{warnings}let {errors} b = a tel\n")
    };
    for (errors, warnings) in [(350, 0), (100, 0), (0, 300)] {
        let file = write(dir.path(), "long.ua", text_of(errors, warnings));
        let output = culet(&["check", text(&file)]);
        let all = culet(&["check", text(&file), "--message-format", "json"]);
        let (said, json) = (stderr(&output), stderr(&all));
        assert_eq!((code(&output), code(&all)), (i32::from(errors > 0), i32::from(errors > 0)), "{said}");
        for (what, least) in [("error", errors), ("warning", warnings)] {
            let total = json.matches(&format!("\"severity\":\"{what}\"")).count();
            let shown = said.lines().filter(|line| line.starts_with(what)).count();
            assert!(total >= least && shown == total.min(100), "{shown} of {total}: {said}");
            assert_eq!(said.contains(&format!("{} more {what}", total.max(100) - 100)), total > 100, "{said}");
        }
        assert!(said.ends_with("`--message-format json` shows all\n"), "{said}");
    }
}

#[test]
fn missing_and_unreadable_programs() {
    let dir = directory();
    let missing = culet(&["check", "no/such/file.ua"]);
    assert_eq!(code(&missing), 1);
    assert!(stderr(&missing).contains("E0801") && stderr(&missing).contains("no/such/file.ua"), "{}", stderr(&missing));
    let directory_output = culet(&["check", text(dir.path())]);
    assert_eq!(code(&directory_output), 1);
    let binary = write(dir.path(), "binary.ua", [0xff, 0xfe, 0x00]);
    let output = culet(&["check", text(&binary)]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("E0802"), "{}", stderr(&output));
}

#[test]
fn includes_are_found_and_cycles_are_not_followed() {
    let dir = directory();
    let library = dir.path().join("library");
    fs::create_dir(&library).expect("a directory");
    write(&library, "double.ua", DOUBLE);
    let main = write(
        dir.path(),
        "main.ua",
        "include \"double.ua\"\nnode four (a : u<V>32) returns (b : u<V>32) let b = double(double(a)) tel\n",
    );
    let without = culet(&["check", text(&main)]);
    assert_eq!(code(&without), 1);
    assert!(stderr(&without).contains("E0803") && stderr(&without).contains("-I DIR"), "{}", stderr(&without));
    assert_eq!(code(&culet(&["check", text(&main), "-I", text(&library)])), 0);

    let cycle = write(dir.path(), "cycle.ua", "include \"cycle.ua\"\n");
    let output = culet(&["check", text(&cycle)]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("E0804"), "{}", stderr(&output));
}

#[test]
fn compile_writes_two_files_that_compile() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let out = dir.path().join("made/here");
    let output = culet(&["compile", text(&file), "--target", "c64", "-o", text(&out)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut names: Vec<_> =
        fs::read_dir(&out).expect("the directory").map(|e| e.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["double.c", "double.h"]);
}

/// A file in the order of a tutorial ends with the inverse: the message says which node was compiled, and names the others.
#[test]
fn compile_says_which_node_it_takes() {
    let dir = directory();
    let texts = "node next (a : u32) returns (b : u32) let b = a + 1 tel
node cipher (plain : u32, key : const u32) returns (cipher : u32) let cipher = next(plain) ^ key tel
node inverse (cipher : u32, key : const u32) returns (plain : u32) let plain = (cipher ^ key) - 1 tel
";
    let file = write(dir.path(), "pair.ua", texts);
    let compile = |more: &[&str]| {
        let common = ["compile", text(&file), "--slice", "v", "--target", "c64", "-o", text(dir.path())];
        let output = culet(&[&common, more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    let said = compile(&[]);
    assert!(said.contains("inverse(cipher: u<V>32, key: const u<V>32) -> (plain: u<V>32); c64"), "{said}");
    assert!(said.contains("`--node` chooses another one that nothing calls: `cipher`\n"), "{said}");
    let said = compile(&["--node", "cipher"]);
    assert!(said.contains("cipher(plain: u<V>32, key: const u<V>32) -> (cipher: u<V>32)"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    // The default depends on the machine, which is said.
    let output = culet(&["compile", text(&file), "--slice", "v", "--node", "cipher", "-o", text(dir.path())]);
    let said = stderr(&output);
    assert!(said.contains(" was chosen for this CPU; `--target` chooses another"), "{said}");
    // A single node that no other calls is meant.
    let file = write(dir.path(), "double.ua", DOUBLE);
    let output = culet(&["compile", text(&file), "--target", "c64", "-o", text(dir.path())]);
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}

/// Names that are the C library's, macros of its headers, or keywords, as file names and as parameters.
#[test]
fn generated_names_take_no_place_of_others() {
    let dir = directory();
    let product = "field f = GF(2^127 - 1)
node n (y1, NULL, stdin, Self, class : f) returns (I, errno : f)
let
  I = y1 * NULL + stdin;
  errno = Self - class
tel
";
    let headers =
        ["complex.h", "errno.h", "math.h", "stdio.h", "stdlib.h", "string.h"].map(|name| format!("-include{name}"));
    for stem in ["exp", "abs", "memcpy", "calloc", "rand", "y1", "class", "std"] {
        let file = write(dir.path(), &format!("{stem}.ua"), product);
        for language in ["c", "rust"] {
            let target = ["--target", "c64", "--language", language];
            let output = culet(&[&["compile", text(&file), "-o", text(dir.path())][..], &target].concat());
            assert_eq!(code(&output), 0, "{stem}: {}", stderr(&output));
        }
        let made = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-c", "-o", "kernel.o"])
            .args(&headers)
            .arg(format!("{stem}.c"))
            .current_dir(dir.path())
            .output()
            .expect("cc runs");
        assert!(made.status.success(), "{stem}: {}", stderr(&made));
        let made = Command::new("rustc")
            .args(["--edition", "2021", "--crate-type", "lib", "--emit", "metadata"])
            .arg(format!("{stem}.rs"))
            .current_dir(dir.path())
            .output()
            .expect("rustc runs");
        assert!(made.status.success(), "{stem}: {}", stderr(&made));
    }
}

/// Without the flag that a target needs, the C compiler says which one, and nothing else.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_missing_flag_is_named() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let product = "field f = GF(2^255 - 19)\nnode n (a, b : f) returns (c : f) let c = a * b tel\n";
    let product = write(dir.path(), "product.ua", product);
    for (file, stem, target, flag) in [
        (&file, "double_sse", &["--target", "sse"][..], "-msse4.1"),
        (&file, "double_avx2", &["--target", "avx2"], "-mavx2"),
        (&file, "double_avx512", &["--target", "avx512"], "-mavx512f"),
        (&product, "product_x8_avx512ifma", &["--target", "avx512ifma", "--batch", "8"], "-mavx512ifma"),
    ] {
        let output = culet(&[&["compile", text(file), "-o", text(dir.path())], target].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        for compiler in ["gcc-12", "clang-19"] {
            let made = Command::new(compiler)
                .args(["-std=c11", "-march=x86-64", "-c", &format!("{stem}.c"), "-o", "kernel.o"])
                .current_dir(dir.path())
                .output()
                .expect("the C compiler runs");
            let said = stderr(&made);
            assert!(!made.status.success() && said.contains(flag), "{target:?} {compiler}: {said}");
            assert_eq!(said.matches("error:").count(), 1, "{target:?} {compiler}: {said}");
        }
    }
}

/// Headers say what readers of standards expect: byte orders, the terms, the command; code on plain words is for any machine.
#[test]
fn headers_say_how_bytes_are_read() {
    let dir = directory();
    let product = "field f = GF(2^255 - 19)
node n (a : f, b : be f, k : u8[32], w : le u32, v : u16x4) returns (c : f, d : f[2], x : u32, y : u16x4)
let
  c = a * b + f(k);
  d = (a, b);
  x = w + 1;
  y = v + v
tel
";
    let file = write(dir.path(), "product.ua", product);
    let output = culet(&["compile", text(&file), "--target", "avx2", "-o", text(dir.path())]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let header = fs::read_to_string(dir.path().join("product_avx2.h")).expect("a header");
    for part in [
        "SPDX-License-Identifier: 0BSD",
        "product.ua --target avx2 # program ",
        "Node `n` in words of 64 bits, for any machine, one instance at a time.",
        "a: parameter, 32 bytes, the number least significant byte first: an element of f, reduced by the modulus.",
        "b: parameter, 32 bytes, the number most significant byte first: an element of f",
        "d: result, 64 bytes: 2 elements of f, 32 bytes each, each number least significant byte first, below the modulus.",
        "k: parameter, 32 bytes: in order.",
        "w: parameter, 4 bytes: one word of 32 bits, least significant byte first.",
        "v: parameter, 8 bytes: words of 16 bits in turn, each most significant byte first.",
        "extern \"C\" {",
    ] {
        assert!(header.contains(part), "{part}: {header}");
    }
    let output = culet(&["field", "GF(2^255 - 19)", "--ops", "add,inv", "-o", text(dir.path())]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let header = fs::read_to_string(dir.path().join("fe.h")).expect("a header");
    for part in [
        "extern \"C\" {",
        "culet field 'GF(2^255 - 19)' --target c64 --name fe --ops add,inv",
        "SPDX",
        "Generated by culet 0.",
    ] {
        assert!(header.contains(part), "{part}: {header}");
    }
}

#[test]
fn a_quiet_command_says_what_is_wrong_only() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let quiet = culet(&["compile", text(&file), "--quiet", "-o", text(dir.path())]);
    assert!(code(&quiet) == 0 && stderr(&quiet).is_empty(), "{}", stderr(&quiet));
    let wrong = write(dir.path(), "wrong.ua", DOUBLE.replace("a + a", "a + c"));
    let wrong = culet(&["-q", "compile", text(&wrong), "-o", text(dir.path())]);
    assert!(code(&wrong) == 1 && stderr(&wrong).contains("error[E"), "{}", stderr(&wrong));
}

/// A header says which data are packed bit by bit, and how many bits these are.
#[test]
fn headers_say_what_is_slow() {
    let dir = directory();
    let aes = primitives().join("ciphers/aes128.ua");
    let header = |target: &str| {
        let arguments = ["compile", text(&aes), "--node", "AES128", "--slice", "h", "--target", target];
        let output = culet(&[&arguments[..], &["--name", target, "-o", text(dir.path())]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        fs::read_to_string(dir.path().join(format!("{target}.h"))).expect("a header")
    };
    let slow = header("c64");
    assert!(slow.contains("packed bit by bit, 512 bits a call"), "four blocks: {slow}");
    assert!(slow.contains("packed bit by bit, 1408 bits a call"), "eleven round keys: {slow}");
    assert!(!header("avx2").contains("bit by bit"), "blocks and keys have networks");
}

#[test]
fn nothing_is_written_where_nothing_can_be_written() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let in_the_way = write(dir.path(), "file", "");
    let output = culet(&["compile", text(&file), "-o", text(&in_the_way.join("below"))]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("E0810"), "{}", stderr(&output));

    // A directory has one of the two names: the other file must not appear either.
    let out = dir.path().join("out");
    fs::create_dir_all(out.join("double.h")).expect("a directory");
    let output = culet(&["compile", text(&file), "--target", "c64", "-o", text(&out)]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let names: Vec<_> = fs::read_dir(&out).expect("the directory").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names, ["double.h"]);
}

#[test]
fn a_full_disk_is_reported() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has /dev/full");
    let output =
        Command::new(env!("CARGO_BIN_EXE_culet")).arg("explain").stdout(full).output().expect("the command runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("E0810"), "{}", stderr(&output));
}

#[test]
fn usage_errors_have_code_2() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    for arguments in [
        &["compile", text(&file), "--target", "z80", "-o", "x"][..],
        &["compile", text(&file), "--interleave", "0", "-o", "x"],
        &["compile", text(&file), "--slice", "q", "-o", "x"],
        &["compile", text(&file)],
        &["frobnicate"],
        &["dump", text(&file), "--after", "lunch"],
        &["run", text(&file), "--cc", "/no/such/compiler", "--input", "a=00000001"],
        &["run", text(&file), "--interpret", "--input", "a00000001"],
        &["demo", "rot13"],
    ] {
        let output = culet(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_node_runs_on_values() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    for engine in [&["--interpret"][..], &["--target", "c64"], &["--target", "c32"]] {
        let mut arguments = vec!["run", text(&file), "--input", "a=80000003"];
        arguments.extend(engine);
        let output = culet(&arguments);
        assert_eq!((code(&output), stdout(&output)), (0, "b = 00000006\n".to_owned()), "{}", stderr(&output));
    }
    for (input, wrong) in [("a=0001", "E0811"), ("a=0000000g", "E0812"), ("z=00000001", "E0811")] {
        let output = culet(&["run", text(&file), "--interpret", "--input", input]);
        assert_eq!(code(&output), 1, "{input}");
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
    }
}

#[test]
fn advice_fits_the_command() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let none = ["--cc", "/no/such/compiler"];
    for (command, has_interpreter) in [
        (&["run", text(&file), "--input", "a=00000001"][..], true),
        (&["compile", text(&file), "--target", "c64", "--prove", "-o", text(dir.path())], false),
        (&["tune", text(&file), "--target", "c64"], false),
    ] {
        let output = culet(&[command, &none].concat());
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains("E0820") && said.contains("--interpret") == has_interpreter, "{said}");
    }
    for command in ["check", "compile"] {
        let said = stderr(&culet(&[command, text(&file), "--interpret"]));
        assert!(said.contains("`--interpret` is an option of `culet run`, `culet test`"), "{said}");
        assert!(!said.contains("similar argument") && !said.contains("as a value"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_failing_c_compiler_is_shown() {
    use std::os::unix::fs::PermissionsExt;
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let compiler = write(
        dir.path(),
        "broken-cc",
        "#!/bin/sh\n[ \"$1\" = --version ] && { echo broken 1.0; exit 0; }\necho internal compiler error; exit 4\n",
    );
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it becomes executable");
    let output = culet(&["run", text(&file), "--cc", text(&compiler), "--input", "a=00000001"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("E0821") && stderr(&output).contains("internal compiler error"),
        "{}",
        stderr(&output)
    );
}

/// NIST SP 800-38A F.1.1 and F.5.1, first two blocks.
#[test]
fn files_are_encrypted_and_decrypted() {
    let dir = directory();
    let aes = primitives().join("ciphers/aes128.ua");
    let key = "2b7e151628aed2a6abf7158809cf4f3c";
    let plain = unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    let message = write(dir.path(), "plain", &plain);
    let (encrypted, decrypted) = (dir.path().join("encrypted"), dir.path().join("decrypted"));
    let modes = [
        ("ecb", None, "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"),
        (
            "ctr",
            Some("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
        ),
    ];
    for (mode, iv, expected) in modes {
        for engine in [&["--interpret"][..], &["--target", "c64", "--slice", "b"]] {
            let mut arguments = vec!["run", text(&aes), "--mode", mode, "--key", key, "--slice", "b"];
            if engine[0] != "--interpret" {
                arguments.truncate(6);
            }
            arguments.extend(engine);
            arguments.extend(iv.iter().flat_map(|iv| ["--iv", iv]));
            let mut there = arguments.clone();
            there.extend([text(&message), "-o", text(&encrypted)]);
            let output = culet(&there);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert_eq!(fs::read(&encrypted).expect("the result"), unhex(expected), "{mode} {engine:?}");
            let mut back = arguments;
            back.extend(["--decrypt", text(&encrypted), "-o", text(&decrypted)]);
            let output = culet(&back);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert_eq!(fs::read(&decrypted).expect("the result"), plain, "{mode} {engine:?}");
        }
    }
}

#[test]
fn wrong_lengths_of_keys_and_messages() {
    let dir = directory();
    let aes = primitives().join("ciphers/aes128.ua");
    let message = write(dir.path(), "plain", [0; 17]);
    let out = dir.path().join("out");
    for (mode, key, iv) in [
        ("ecb", "00".repeat(16), None),
        ("ctr", "00".repeat(15), Some("00".repeat(16))),
        ("ctr", "00".repeat(16), Some("00".repeat(12))),
        ("ctr", "00".repeat(16), None),
    ] {
        let mut arguments =
            vec!["run", text(&aes), "--interpret", "--slice", "b", "--mode", mode, "--key", &key, text(&message)];
        arguments.extend(["-o", text(&out)]);
        arguments.extend(iv.iter().flat_map(|iv| ["--iv", iv]));
        let output = culet(&arguments);
        assert_eq!(code(&output), 1, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("E0811"), "{}", stderr(&output));
        assert!(!out.exists());
    }
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_written_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let dir = directory();
    let aes = primitives().join("ciphers/aes128.ua");
    let message = write(dir.path(), "plain", [0; 16]);
    let run = |out: &Path| {
        let key = "00".repeat(16);
        culet(&["run", text(&aes), "--interpret", "--mode", "ecb", "--key", &key, text(&message), "-o", text(out)])
    };
    let output = run(Path::new("/dev/full"));
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(fs::metadata("/dev/full").expect("the device").file_type().is_char_device());

    let target = write(dir.path(), "target", "old");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    assert_eq!(code(&run(&link)), 0);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::read(&target).expect("its target").len(), 16);
}

#[test]
fn programs_that_would_explode_are_answered() {
    let dir = directory();
    let mut chain = String::from("node f0 (a : u<V>8) returns (x : u<V>8) let x = a + 1 tel\n");
    for i in 1..=40 {
        chain += &format!("node f{i} (a : u<V>8) returns (x : u<V>8) let x = f{0}(f{0}(a)) tel\n", i - 1);
    }
    let chain = write(dir.path(), "chain.ua", chain);
    let out = dir.path().join("out");
    for inline in ["auto", "all"] {
        let output =
            culet(&["compile", text(&chain), "--target", "c64", "--inline", inline, "--force", "-o", text(&out)]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let wide = write(dir.path(), "wide.ua", DOUBLE.replace("node", "_interleave(1000000000) node"));
    assert_eq!(code(&culet(&["compile", text(&wide), "--target", "c64", "-o", text(&out)])), 1);
    let nothing = write(dir.path(), "nothing.ua", "node f () returns () let tel\n");
    assert_ne!(code(&culet(&["compile", text(&nothing), "--target", "c64", "-o", text(&out)])), 0);
}

/// The command reports what is wrong with each of the strangers' programs, also where a part of it could not be read.
#[test]
fn wrong_programs_are_reported_by_check() {
    let dir = directory();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/strangers");
    let files = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path());
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "ua")) {
        let case = fs::read_to_string(&path).expect("text");
        let program = case.split("// ---- said").next().unwrap_or_default();
        let file = write(dir.path(), "wrong.ua", program);
        // `check` takes an open direction for bitslice, which is no mistake.
        let Some(slice) = case.lines().find_map(|line| line.strip_prefix("//! slice: ")) else { continue };
        let output = culet(&["check", text(&file), "--slice", slice]);
        assert!(code(&output) == 1 && stderr(&output).contains("error[E"), "{}: {}", path.display(), stderr(&output));
    }
}

#[test]
fn codes_are_explained() {
    let list = stdout(&culet(&["explain"]));
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(ids.len() > 50, "{} codes", ids.len());
    for id in ids {
        let output = culet(&["explain", id]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).starts_with(id) && stdout(&output).lines().count() > 2, "{id}");
    }
    assert_eq!(code(&culet(&["explain", "E9999"])), 1);
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish"] {
        let output = culet(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("interleave"), "{shell}");
    }
    let manual = stdout(&culet(&["man"]));
    for command in ["check", "compile", "run", "test", "dump", "explain", "demo"] {
        assert!(manual.contains(&format!("culet\\-{command}")), "{command}");
    }
}
