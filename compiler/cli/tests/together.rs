//! Any number of kernels in one program: they link, stand in one file, in C and in C++, and no compiler warns.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use culet_testing::draw::singles;
use serde_json::Value;

use support::{code, culet, culet_in, directory, primitives, stderr, text, write};

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"];

/// Instructions of all targets, for a file that has kernels for each.
const MACHINE: [&str; 10] = [
    "-mavx512f",
    "-mavx512bw",
    "-mavx512vl",
    "-mavx512dq",
    "-mavx512ifma",
    "-mpclmul",
    "-maes",
    "-msha",
    "-mvaes",
    "-mvpclmulqdq",
];

fn compile(arguments: &[&str], out: &Path) {
    let output = culet(&[&["compile"], arguments, &["-o", text(out)]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
}

fn make(compiler: &str, arguments: &[&str], folder: &Path) {
    let made = Command::new(compiler).args(arguments).current_dir(folder).output();
    let made = made.unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(made.status.success(), "{compiler} {arguments:?}: {}", stderr(&made));
}

/// The arguments of `culet compile` for each module of the library.
fn modules() -> Vec<Vec<String>> {
    let recipe = primitives().join("../library/kernels.toml");
    let recipe: Value = toml::from_str(&std::fs::read_to_string(&recipe).expect("the recipe")).expect("TOML");
    let mut all = Vec::new();
    for module in recipe["module"].as_array().expect("modules") {
        let word = |name: &str| module[name].as_str().expect("a text").to_owned();
        let nodes = match module["nodes"].as_array() {
            Some(nodes) => nodes.iter().map(|node| node.as_str().expect("a text").to_owned()).collect(),
            None => vec![word("node")],
        };
        let targets = module["targets"].as_array().expect("targets");
        for (node, target) in nodes.iter().flat_map(|node| targets.iter().map(move |target| (node, target))) {
            let program = primitives().join("../library").join(word("program"));
            let program = program.to_str().expect("UTF-8").to_owned();
            let target = target.as_str().expect("a target").to_owned();
            // The file is compiled for x86-64.
            if target == "neon" {
                continue;
            }
            let mut arguments = vec![program, "--node".into(), node.clone(), "--target".into(), target];
            if let Some(slice) = module["slice"].as_str() {
                arguments.extend(["--slice".into(), slice.to_owned()]);
            }
            if let Some(batch) = module["batch"].as_u64() {
                arguments.extend(["--batch".into(), batch.to_string()]);
            }
            if module["share_inverses"] == true {
                arguments.push("--share-inverses".into());
            }
            if module["in_place"] == true {
                arguments.push("--in-place".into());
            }
            all.push(arguments);
        }
    }
    all
}

/// The descriptions of ciphers and permutations.
fn descriptions() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(primitives().join("ciphers")).expect("ciphers");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    all.sort();
    all
}

/// The kernels of the library, with ciphers for three targets each, in one file: no two names are the same, whatever the
/// kernels are. Every kernel of a target and of a program is drawn at some commit; each target and program always has one.
#[test]
fn kernels_stand_in_one_file() {
    let folder = directory();
    let program = |arguments: &[String]| arguments[0].rsplit('/').next().unwrap_or_default().to_owned();
    let drawn = singles("kernels in one file", modules(), |module| vec![program(module), module[4].clone()], |_| 1);
    for arguments in &drawn {
        compile(&arguments.iter().map(String::as_str).collect::<Vec<&str>>(), folder.path());
    }
    let letters = |path: &PathBuf| {
        let stem = path.file_stem().expect("a name").to_string_lossy();
        vec![(stem.as_bytes()[0] % 4).to_string()]
    };
    for description in singles("ciphers in one file", descriptions(), letters, |_| 1) {
        let name = description.file_stem().expect("a name");
        compile(&[text(&description), "--target", "sse,avx2,avx512"], &folder.path().join(name));
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let all = |extension: &str| -> String {
        let own = names.iter().filter(|name| name.ends_with(extension));
        own.map(|name| format!("#include \"{name}\"\n")).collect()
    };
    // Headers may be included again, and before the files of their kernels.
    write(folder.path(), "all.c", all(".h") + &all(".c") + &all(".h"));
    write(folder.path(), "all.cc", all(".h") + &all(".c") + &all(".h"));
    let flags = [&WARNINGS[..], &MACHINE, &["-fsyntax-only"]].concat();
    let compilers = [("gcc-12", "g++-12"), ("clang-19", "clang++-19")];
    let compilers = singles("compilers of one file", compilers.to_vec(), |_| vec!["any".into()], |_| 1);
    for (c, cpp) in compilers {
        make(c, &[&flags[..], &["-std=c11", "-Wstrict-prototypes", "all.c"]].concat(), folder.path());
        make(cpp, &[&flags[..], &["-std=c++17", "-x", "c++", "all.cc"]].concat(), folder.path());
    }
}

/// Programs on words: the file, the node and the target.
const PROGRAMS: [(&str, &str, &str); 12] = [
    ("aead/aes128_gcm_rounds.ua", "aes128_gcm_seal", "avx2"),
    ("aead/aes_gcm_products.ua", "aes128_gcm_encrypt", "avx512vaes"),
    ("aead/chacha20_poly1305.ua", "chacha20_poly1305_open", "sse"),
    ("aead/chacha20_poly1305.ua", "chacha20_poly1305_seal", "avx2"),
    ("curves/x25519_lanes.ua", "x25519_lanes", "avx512ifma"),
    ("hashes/sha256.ua", "sha256", "ssesha"),
    ("hashes/sha512.ua", "sha512_update", "avx2"),
    ("macs/ghash.ua", "ghash", "avx2"),
    ("macs/hmac_sha512.ua", "hmac_sha512", "avx2"),
    ("nacl/stream.ua", "stream_xor", "avx512ifma"),
    ("streams/aes_rounds.ua", "aes128_ctr", "avx2"),
    ("streams/aes_rounds.ua", "aes256_ctr", "avx512vaes"),
];

/// A C compiler to which only the flags are given that the header names takes the file, and warns of nothing.
#[test]
fn the_flags_that_a_header_names_are_enough() {
    let folder = directory();
    let all = PROGRAMS.iter().flat_map(|program| ["gcc-12", "clang-19"].map(|compiler| (program, compiler))).collect();
    let features =
        |(program, compiler): &(&(&str, &str, &str), &str)| vec![program.2.to_owned(), (*compiler).to_owned()];
    for ((file, node, target), compiler) in singles("headers with flags", all, features, |_| 1) {
        let program = primitives().join(file);
        let arguments = [text(&program), "--node", node, "--target", target, "--slice", "v", "--name", "k", "--force"];
        compile(&arguments, folder.path());
        let header = std::fs::read_to_string(folder.path().join("k.h")).expect("the header");
        let needed = header.lines().find_map(|line| line.strip_prefix(" * Compile with: gcc or clang, "));
        let needed =
            needed.and_then(|line| line.strip_suffix('.')).unwrap_or_else(|| panic!("{node} {target}: {header}"));
        let flags: Vec<&str> = needed.split(' ').chain(WARNINGS).chain(["-c", "k.c"]).collect();
        make(compiler, &flags, folder.path());
    }
    // On AArch64, the extension is part of an architecture's name.
    let program = primitives().join("streams/aes_rounds.ua");
    compile(&[text(&program), "--node", "aes128_ctr", "--target", "neon", "--name", "arm"], folder.path());
    let header = std::fs::read_to_string(folder.path().join("arm.h")).expect("the header");
    assert!(header.contains("AArch64, little-endian, -std=c11 -march=armv8-a+crypto."), "{header}");
}

/// Two nodes of one program, each for several targets, link in one program from one directory.
#[test]
fn kernels_of_one_program_link() {
    let folder = directory();
    let simple = write(
        folder.path(),
        "pair.ua",
        "node Pair (a, k : u32) returns (b : u32) let b = (a ^ k) + 0x01020304 tel
node Pair_inverse (b, k : u32) returns (a : u32) let a = (b - 0x01020304) ^ k tel
",
    );
    let targets = ["c64", "c32", "sse", "avx2"];
    for target in targets {
        for node in ["Pair", "Pair_inverse"] {
            compile(&[text(&simple), "--node", node, "--slice", "v", "--target", target], folder.path());
        }
    }
    let mut main = String::from("#include <stdio.h>\n#include <string.h>\n");
    let mut tries = String::new();
    let mut files = Vec::new();
    for target in targets {
        let end = if target == "c64" { "v".to_owned() } else { format!("v_{target}") };
        main += &format!("#include \"pair_{end}.h\"\n#include \"pair_inverse_{end}.h\"\n");
        tries += &format!(
            "    pair_{end}_run(b, a, k, 9);\n    pair_inverse_{end}_run(c, b, k, 9);\n    \
             bad += b[0] != 0x6d || memcmp(a, c, 36) != 0;\n"
        );
        files.extend([format!("pair_{end}.c"), format!("pair_inverse_{end}.c")]);
    }
    main += "int main(void)\n{\n    uint8_t a[36], b[36], c[36], k[36];\n    int bad = 0;\n";
    main += "    for (int i = 0; i < 36; i++) {\n        a[i] = (uint8_t)(0x99 + i);\n        k[i] = (uint8_t)(0xf5 ^ i);\n    }\n";
    main += &format!("{tries}    puts(bad ? \"bad\" : \"good\");\n    return bad;\n}}\n");
    write(folder.path(), "main.c", main);
    for compiler in ["gcc-12", "clang-19"] {
        let mut arguments = vec!["-std=c11", "-O1", "-mavx2", "-Wstrict-prototypes", "-o", "program", "main.c"];
        arguments.extend(WARNINGS);
        arguments.extend(files.iter().map(String::as_str));
        make(compiler, &arguments, folder.path());
        make("./program", &[], folder.path());
    }
}

/// FIPS 197 Appendix C.1, with each of a file's targets that this CPU has, from C and from C++.
#[test]
fn one_command_makes_a_cipher() {
    let folder = directory();
    let description = primitives().join("ciphers/aes128.toml");
    compile(&[text(&description), "--target", "sse,avx2,avx512"], &folder.path().join("made/aes128"));
    let main = "#include \"aes128.h\"
#include <stdio.h>
#include <string.h>
int main(void)
{
    static const uint8_t expected[16] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                          0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a };
    uint8_t key[AES128_KEY_BYTES], keys[AES128_ROUND_KEYS_BYTES], plain[16 * 35], cipher[16 * 35], again[16 * 35];
    for (int i = 0; i < 16; i++)
        key[i] = (uint8_t)i;
    for (int i = 0; i < 16 * 35; i++)
        plain[i] = (uint8_t)(i % 16 * 0x11);
    aes128_key_schedule(keys, key);
    aes128_encrypt(cipher, plain, keys, 35);
    aes128_decrypt(again, cipher, keys, 35);
    for (int i = 0; i < 35; i++)
        if (memcmp(cipher + 16 * i, expected, 16) != 0)
            return 1;
    puts(aes128_target());
    return memcmp(plain, again, sizeof plain) != 0;
}
";
    let made = folder.path().join("made");
    write(&made, "main.c", main);
    write(&made, "main.cc", main);
    for (c, cpp) in [("gcc-12", "g++-12"), ("clang-19", "clang++-19")] {
        let strict = [&WARNINGS[..], &["-std=c11", "-Wstrict-prototypes", "-O1"]].concat();
        make(c, &[&strict[..], &["-c", "-o", "aes128.o", "aes128.c"]].concat(), &made);
        // In C++, too: gcc's header of AVX-512 has variables that it warns about there.
        make(cpp, &[&WARNINGS[..], &["-O1", "-x", "c++", "-c", "-o", "as_cpp.o", "aes128.c"]].concat(), &made);
        make(c, &[&strict[..], &["-o", "of_c", "main.c", "aes128.o"]].concat(), &made);
        make(cpp, &[&WARNINGS[..], &["-o", "of_cpp", "main.cc", "aes128.o"]].concat(), &made);
        for program in ["./of_c", "./of_cpp"] {
            make(program, &[], &made);
        }
    }
    // Its kernels are proved by their names.
    let object = made.join("aes128.o");
    let program = primitives().join("ciphers/aes128.ua");
    let proved = [
        "prove",
        text(&object),
        "--source",
        text(&program),
        "--name",
        "aes128_decrypt_avx2",
        "--symbol",
        "pack_cipher",
    ];
    let output = culet(&proved);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_description_is_refused_where_it_makes_no_sense() {
    let folder = directory();
    let (aes, curve) = (primitives().join("ciphers/aes128.toml"), primitives().join("curves/x25519.toml"));
    let out = folder.path().join("x");
    for (file, more, words) in [
        (&aes, &["--node", "AES128"][..], "give the program (.ua) instead of its description"),
        (&aes, &["--packed"], "is for one kernel"),
        (&aes, &["--prove"], "`--prove` is for one kernel"),
        (&aes, &["--language", "rust"], "is for one kernel"),
        (&curve, &[], "one instance at a time"),
    ] {
        let output = culet(&[&["compile", text(file), "--target", "avx2", "-o", text(&out)], more].concat());
        assert!(code(&output) != 0 && stderr(&output).contains(words), "{more:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("= note: "), "{}", stderr(&output));
    }
    let into = culet(&["compile", text(&aes), "--target", "avx2", "-o", text(folder.path())]);
    assert!(code(&into) == 2 && stderr(&into).contains("`-o DIR/aes128` makes"), "{}", stderr(&into));
    let program = primitives().join("ciphers/aes128.ua");
    let two = culet(&["compile", text(&program), "--target", "sse,avx2", "-o", text(folder.path())]);
    assert!(code(&two) == 2 && stderr(&two).contains("several are for a description"), "{}", stderr(&two));
    let twice = folder.path().join("twice");
    let twice = culet(&["compile", text(&aes), "--target", "sse,sse", "-o", text(&twice)]);
    assert!(code(&twice) == 2 && stderr(&twice).contains("names sse twice"), "{}", stderr(&twice));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the directory").count(), 0, "nothing is written");
}

/// A file is replaced by the command that made it, and by no other one unless it is forced.
#[test]
fn files_of_other_commands_stay() {
    let folder = directory();
    write(folder.path(), "double.ua", support::DOUBLE);
    let compile_of =
        |file: &str, more: &[&str]| culet_in(folder.path(), &[&["compile", file, "-o", "."], more].concat());
    let compile = |more: &[&str]| compile_of("double.ua", more);
    let c64 = ["--target", "c64"];
    for _ in 0..2 {
        assert_eq!(code(&compile(&c64)), 0);
    }
    let there = std::fs::read(folder.path().join("double.c")).expect("C");
    let other = compile(&["--target", "c64", "--interleave", "2"]);
    let said = stderr(&other);
    assert!(
        code(&other) == 2 && said.contains("E0813") && said.contains("`culet compile double.ua --target c64`"),
        "{said}"
    );
    assert!(said.contains("`--name NAME`") && said.contains("`--force`"), "{said}");
    assert_eq!(std::fs::read(folder.path().join("double.c")).expect("C"), there);
    assert_eq!(code(&compile(&["--target", "c64", "--interleave", "2", "--name", "twice"])), 0);
    assert!(folder.path().join("twice.h").exists());
    assert_eq!(code(&compile(&["--target", "c64", "--interleave", "2", "--force"])), 0);
    // A command that another one begins with is another one.
    let shorter = compile(&c64);
    assert!(code(&shorter) == 2 && stderr(&shorter).contains("E0813"), "{}", stderr(&shorter));
    // Another program of that name is another one, too, and so is one with other included files.
    write(folder.path(), "other.ua", support::DOUBLE);
    std::fs::create_dir(folder.path().join("below")).expect("a directory");
    std::fs::rename(folder.path().join("other.ua"), folder.path().join("below/double.ua")).expect("a file");
    for other in [compile_of("below/double.ua", &c64), compile_of("double.ua", &["--target", "c64", "-I", "below"])] {
        assert!(code(&other) == 2 && stderr(&other).contains("E0813"), "{}", stderr(&other));
    }
    // A path may be written in several ways.
    let interleaved = ["--target", "c64", "--interleave", "2"];
    assert_eq!(code(&compile_of("./double.ua", &interleaved)), 0);
    assert_eq!(code(&compile_of(text(&folder.path().join("double.ua")), &interleaved)), 0);
    write(folder.path(), "mine.c", "int main(void) { return 0; }\n");
    let mine = compile(&["--target", "c64", "--name", "mine"]);
    assert!(code(&mine) == 2 && stderr(&mine).contains("culet did not make it"), "{}", stderr(&mine));
    // Names are made for C, so that files differ where functions do.
    write(folder.path(), "my-cipher.ua", support::DOUBLE);
    write(folder.path(), "my_cipher.ua", support::DOUBLE);
    assert_eq!(code(&compile_of("my-cipher.ua", &c64)), 0);
    assert_eq!(code(&compile_of("my_cipher.ua", &c64)), 2);
    let header = compile(&["--target", "c64", "--name", "stdint"]);
    assert!(code(&header) == 2 && stderr(&header).contains("`stdint.h` is a header"), "{}", stderr(&header));
    let wrong = compile(&["--target", "c64", "--name", "a-b"]);
    assert!(code(&wrong) == 2 && stderr(&wrong).contains("letters, digits and `_`"), "{}", stderr(&wrong));
    // Modules of fields, too.
    let field = |more: &[&str]| culet(&[&["field", "GF(2^127 - 1)", "-o", text(folder.path())], more].concat());
    assert_eq!((code(&field(&[])), code(&field(&[]))), (0, 0));
    let other = field(&["--ops", "mul"]);
    assert!(code(&other) == 2 && stderr(&other).contains("E0813"), "{}", stderr(&other));
}
