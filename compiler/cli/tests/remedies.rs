//! Mistakes in files and options that stopped people: each is refused, or told, with what to do instead.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::fs;
use std::path::Path;

use support::proving::compile;
use support::{DOUBLE, code, culet, culet_in, directory, primitives, stderr, stdout, text, write};

fn in_directory(directory: &Path, name: &str, file: &str, contents: &str) {
    fs::create_dir_all(directory.join(name)).expect("a directory");
    write(&directory.join(name), file, contents);
}

/// Two programs of one file name, each compiled from its own directory by the same words.
#[test]
fn files_of_another_program_of_the_same_command_stay() {
    let folder = directory();
    let out = folder.path().join("out");
    let in_a_tree = |tree: &Path| {
        in_directory(tree, "a", "x.ua", DOUBLE);
        in_directory(tree, "b", "x.ua", &DOUBLE.replace("a + a", "a ^ 1"));
    };
    in_a_tree(folder.path());
    let compile_in = |name: &str, more: &[&str]| {
        let arguments = ["compile", "x.ua", "--target", "c64", "-o", text(&out)];
        culet_in(&folder.path().join(name), &[&arguments, more].concat())
    };
    assert_eq!(code(&compile_in("a", &[])), 0);
    let there = fs::read_to_string(out.join("x.c")).expect("C");
    let other = compile_in("b", &[]);
    let said = stderr(&other);
    assert!(code(&other) == 2 && said.contains("E0813"), "{said}");
    assert!(said.contains("the same command made it of another program, in another directory"), "{said}");
    assert!(said.contains("`--name NAME`") && said.contains("`--force`"), "{said}");
    assert_eq!(fs::read_to_string(out.join("x.c")).expect("C"), there);
    // A program that was edited replaces its own files.
    in_directory(folder.path(), "a", "x.ua", &DOUBLE.replace("a + a", "~a"));
    assert_eq!(code(&compile_in("a", &[])), 0);
    assert_ne!(fs::read_to_string(out.join("x.c")).expect("C"), there);
    assert_eq!(code(&compile_in("b", &["--force"])), 0);
    assert_eq!(code(&compile_in("a", &[])), 2);
    // Equal trees make equal files, which do not say where the trees are.
    let trees = [directory(), directory()];
    let made = trees.each_ref().map(|tree| {
        in_a_tree(tree.path());
        let made = culet_in(&tree.path().join("a"), &["compile", "x.ua", "--target", "c64", "-o", "../out"]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        fs::read_to_string(tree.path().join("out/x.h")).expect("a header")
    });
    assert!(made[0] == made[1] && made[0].contains("culet compile x.ua --target c64 # program "), "{}", made[0]);
    // A program in Rust, and a description of a cipher, too.
    let field = "field f = GF(2^61 - 1)\nnode square (a : f) returns (r : f) let r = a * a tel\n";
    for name in ["a", "b"] {
        in_directory(folder.path(), name, "square.ua", field);
        let cipher = fs::read_to_string(primitives().join("ciphers/xoodoo.toml")).expect("a description");
        in_directory(folder.path(), name, "xoodoo.toml", &cipher);
        fs::copy(primitives().join("ciphers/xoodoo.ua"), folder.path().join(name).join("xoodoo.ua")).expect("a copy");
    }
    let cipher = text(&out).to_owned() + "/xoodoo";
    for arguments in [
        ["compile", "square.ua", "--target", "c64", "--language", "rust", "-o", text(&out)].as_slice(),
        &["compile", "xoodoo.toml", "--target", "sse", "-o", &cipher],
    ] {
        for (name, expected) in [("a", 0), ("a", 0), ("b", 2)] {
            let made = culet_in(&folder.path().join(name), arguments);
            assert_eq!(code(&made), expected, "{name}: {}", stderr(&made));
        }
    }
}

/// A header called `string.h` would be found in the place of C's.
#[test]
fn programs_named_like_headers_make_files_of_other_names() {
    let folder = directory();
    for name in ["string", "math", "stdint", "time"] {
        let program = write(folder.path(), &format!("{name}.ua"), DOUBLE);
        let made = culet(&["compile", text(&program), "--target", "c64", "-o", text(folder.path())]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        assert!(folder.path().join(format!("{name}_c64.h")).exists(), "{}", stderr(&made));
        assert!(!folder.path().join(format!("{name}.h")).exists());
    }
    compile("gcc-12", &["-Werror"], folder.path(), &["-I.", "-c", "string_c64.c", "-o", "string.o"]);
}

#[test]
fn flags_of_c_compilers() {
    let folder = directory();
    let program = write(folder.path(), "double.ua", DOUBLE);
    for flag in ["-O3", "-march=native", "-Wall", "-funroll-loops"] {
        let refused = culet(&["compile", text(&program), "--target", "c64", "-o", text(folder.path()), flag]);
        let said = stderr(&refused);
        assert!(code(&refused) == 2 && said.contains(&format!("`--cflags={flag}`")), "{said}");
        let refused = culet(&["tune", text(&program), flag]);
        assert!(
            code(&refused) == 2 && stderr(&refused).contains(&format!("`--cflags={flag}`")),
            "{}",
            stderr(&refused)
        );
        let refused = culet(&["check", text(&program), flag]);
        assert!(code(&refused) == 2 && stderr(&refused).contains("a flag of C compilers"), "{}", stderr(&refused));
    }
}

#[test]
fn arguments_of_a_proof_that_are_exchanged() {
    let folder = directory();
    let program = write(folder.path(), "double.ua", DOUBLE);
    let contract = "symbol = \"f\"\nequation = \"out = a\"\nargument = [\n  { name = \"out\", direction = \"out\", limbs = 1, radix = 64 },\n  \
                    { name = \"a\", direction = \"in\", limbs = 1, radix = 64 },\n]\n";
    let contract = write(folder.path(), "f.toml", contract);
    assert_eq!(code(&culet(&["compile", text(&program), "--target", "c64", "-o", text(folder.path())])), 0);
    compile("gcc-12", &[], folder.path(), &["-O2", "-c", "double.c", "-o", "double.o"]);
    let object = folder.path().join("double.o");
    let (object, program, contract) = (text(&object), text(&program), text(&contract));
    for (file, option, given, right) in [
        (program, "--source", object, format!("culet prove {object} --source {program}")),
        (contract, "--contract", object, format!("culet prove {object} --contract {contract}")),
        (contract, "--source", object, format!("culet prove {object} --contract {contract}")),
        (object, "--source", contract, format!("culet prove {object} --contract {contract}")),
        (object, "--contract", program, format!("culet prove {object} --source {program}")),
    ] {
        let refused = culet(&["prove", file, option, given]);
        assert!(code(&refused) == 2 && stderr(&refused).contains(&right), "{right}: {}", stderr(&refused));
    }
    // A program that the object was not made of.
    let other = write(folder.path(), "other.ua", DOUBLE.replace("a + a", "a ^ 1"));
    let open = culet(&["prove", object, "--source", text(&other)]);
    let remedy = "`double` was made of `double.ua`, and is compared with `other.ua`";
    assert!(code(&open) == 1 && stderr(&open).contains(remedy), "{}", stderr(&open));
    let proved = culet(&["prove", object, "--source", program]);
    assert!(code(&proved) == 0 && !stderr(&proved).contains("was made of"), "{}", stderr(&proved));
    let too_few = culet(&["prove", object, "--safe", "--symbol", "double_run"]);
    assert!(code(&too_few) == 2 && stderr(&too_few).contains("--arguments 'r: out 32"), "{}", stderr(&too_few));
}

#[test]
fn contracts_in_the_ways_of_c() {
    let folder = directory();
    write(folder.path(), "f.c", "void f(unsigned long *x) { *x = *x; }\n");
    compile("gcc-12", &[], folder.path(), &["-O1", "-c", "f.c", "-o", "f.o"]);
    let object = folder.path().join("f.o");
    let said = |contract: &str| {
        let contract = write(folder.path(), "f.toml", contract);
        let refused = culet(&["prove", text(&object), "--contract", text(&contract)]);
        assert_eq!(code(&refused), 1);
        stdout(&refused) + &stderr(&refused)
    };
    let arguments = |alias: &str| {
        format!(
            "argument = [\n  {{ name = \"x\", direction = \"inout\", limbs = 1, radix = 64{alias} }},\n  \
             {{ name = \"a\", direction = \"in\", limbs = 1, radix = 64 }},\n]\n"
        )
    };
    let shifted =
        format!("symbol = \"f\"\nconstants = {{ p = \"(1<<255) - 19\" }}\nequation = \"x' = x\"\n{}", arguments(""));
    assert!(said(&shifted).contains("a power of two is `2^255`"), "{}", said(&shifted));
    let alias = format!("symbol = \"f\"\nequation = \"x' = x\"\n{}", arguments(", may_alias = [\"a\"]"));
    assert!(said(&alias).contains("leave it out of `may_alias`"), "{}", said(&alias));
    let equation = "symbol = \"f\"\nequation = \"x' = x\"\n";
    for (contract, remedy) in [
        (format!("{equation}{}", arguments(", below = 18446744073709551616")), "large numbers stand in quotes"),
        (format!("{equation}{}", arguments(", below = \"p\"")), "a constant stands in the table `[constants]`"),
        (format!("{equation}requires = [\"a < x\"]\n{}", arguments("")), "`below` and `value_below` bound an argument"),
    ] {
        let found = said(&contract);
        assert!(found.contains(remedy), "{contract}: {found}");
    }
}

#[test]
fn a_description_without_answers_has_nothing_to_test() {
    let folder = directory();
    let whole = fs::read_to_string(primitives().join("ciphers/aes128.toml")).expect("a description");
    let (description, _) = whole.split_once("[[known_answer]]").expect("answers");
    fs::copy(primitives().join("ciphers/aes128.ua"), folder.path().join("aes128.ua")).expect("a copy");
    let without = write(folder.path(), "aes128.toml", description);
    let refused = culet(&["test", text(&without), "--interpret", "--slice", "h"]);
    let said = stderr(&refused);
    assert!(code(&refused) == 1 && said.contains("E0901") && !said.contains("E0830"), "{said}");
}

/// An included file defines the field that makes `^` a power.
#[test]
fn powers_beside_an_included_field() {
    let folder = directory();
    write(folder.path(), "field.ua", "field fe = GF(2^255 - 19)\n");
    let program = "include \"field.ua\"\nnode f (x : fe) returns (y : fe) let y = x ^ 2 + x tel\n";
    let program = write(folder.path(), "f.ua", program);
    let checked = culet(&["check", text(&program)]);
    assert!(code(&checked) == 0 && stderr(&checked).is_empty(), "{}", stderr(&checked));
    write(folder.path(), "word.ua", "type word = u<V>32\n");
    let program = "include \"word.ua\"\nnode f (x : word) returns (y : word) let y = x ^ 2 + x tel\n";
    let program = write(folder.path(), "g.ua", program);
    let checked = culet(&["check", text(&program)]);
    assert!(stderr(&checked).contains("W0102"), "{}", stderr(&checked));
}

/// A file `.toml` is a description for every command.
#[test]
fn what_is_wrong_in_a_description_is_said_of_a_description() {
    let folder = directory();
    let whole = fs::read_to_string(primitives().join("ciphers/aes128.toml")).expect("a description");
    let wrong = write(folder.path(), "aes128.toml", whole.replacen("[slicing]", "[slices]", 1));
    let out = folder.path().join("out");
    for arguments in [
        &["compile", text(&wrong), "-o", text(&out)] as &[&str],
        &["check", text(&wrong)],
        &["tune", text(&wrong)],
        &["run", text(&wrong), "--input", "key=00"],
        &["test", text(&wrong)],
    ] {
        let refused = culet(arguments);
        let said = stderr(&refused);
        assert!(code(&refused) == 1 && said.contains("E0901") && said.contains("slices"), "{arguments:?}: {said}");
    }
    let elsewhere = write(folder.path(), "aes128.toml", whole);
    let refused = culet(&["test", text(&elsewhere)]);
    let said = stderr(&refused);
    assert!(code(&refused) == 1 && said.contains("aes128.toml:2:10") && said.contains("no program"), "{said}");
}

#[test]
fn a_directory_named_like_a_file_of_c_is_a_mistake() {
    let folder = directory();
    let program = write(folder.path(), "f.ua", DOUBLE);
    let out = folder.path().join("out/double.c");
    let refused = culet(&["compile", text(&program), "--target", "c64", "-o", text(&out)]);
    let said = stderr(&refused);
    assert!(code(&refused) == 2 && said.contains("E0830") && said.contains("out --name double`"), "{said}");
    assert!(!out.exists());
    fs::create_dir_all(&out).expect("a directory");
    assert_eq!(code(&culet(&["compile", text(&program), "--target", "c64", "-o", text(&out)])), 0);
}

/// A compiler whose code calls what the proof does not know, for which another one stands in, unless it was asked for.
#[test]
fn a_proof_takes_another_build_where_the_usual_one_has_none() {
    let folder = directory();
    let program = write(folder.path(), "f.ua", DOUBLE);
    let prove = |more: &[&str]| {
        let arguments = ["compile", text(&program), "--target", "c64", "--prove", "-o", text(folder.path())];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_culet"));
        command.args(arguments).args(more).env("CC", "gcc-12 -pg").output().expect("culet runs")
    };
    let proved = prove(&[]);
    let said = stderr(&proved);
    assert!(code(&proved) == 0 && said.contains("`gcc-12 -pg -O3` is not proved: `clang-19 -O2` is tried"), "{said}");
    assert!(said.contains("made by `clang-19 -O2`") && stdout(&proved).contains("proved"), "{said}{}", stdout(&proved));
    let kept = prove(&["--cflags=-O1"]);
    assert!(code(&kept) == 1 && stdout(&kept).contains("NOT PROVED"), "{}", stdout(&kept));
    let several = prove(&["--cc", "gcc-12", "--cc", "clang-19"]);
    assert!(code(&several) == 2 && stderr(&several).contains("`--cc` names several"), "{}", stderr(&several));
}

/// No other build helps, and none is tried.
#[test]
fn a_program_with_two_fields_is_told_that_it_has_no_proof() {
    let folder = directory();
    let fields = "field order = GF(2^252 + 27742317777372353535851937790883648493)\nfield fe = GF(2^255 - 19)\n";
    let node = "node f (x, y : u8[32]) returns (z : u8[32]) let z = bytes(fe(x) * fe(y)) tel\n";
    let program = write(folder.path(), "f.ua", fields.to_owned() + node);
    let refused = culet(&["compile", text(&program), "--target", "c64", "--prove", "-o", text(folder.path())]);
    let said = stdout(&refused);
    assert!(code(&refused) == 1 && said.contains("E0926") && said.contains("`order` and `fe`"), "{said}");
    assert!(!stderr(&refused).contains("is tried"), "{}", stderr(&refused));
}

/// Names that other tools have for a command, a parameter that is apart from its value, and lists of targets.
#[test]
fn commands_and_options_as_others_write_them() {
    for (arguments, tip) in [
        (&["build", "f.ua"] as &[&str], "`culet compile` does that"),
        (&["exec", "f.ua"], "`culet run` does that"),
        (&["f.ua"], "`culet check f.ua`"),
        (&["compile", "f.ua", "--entry", "f"], "`--node NAME`"),
        (&["run", "f.toml", "--encrypt"], "where `--decrypt` does not say otherwise"),
        (&["run", "f.ua", "--input", "plain", "1100"], "`--input plain=1100`"),
    ] {
        let refused = culet(arguments);
        assert!(code(&refused) == 2 && stderr(&refused).contains(tip), "{arguments:?}: {}", stderr(&refused));
    }
    let folder = directory();
    let program = write(folder.path(), "f.ua", "node f (a, b : u<V>8) returns (c : u<V>8) let c = a + b tel\n");
    let refused = culet(&["run", text(&program), "--interpret", "--input", "a=01,b=02"]);
    assert!(code(&refused) == 1 && stderr(&refused).contains("`--input a=01 --input b=02`"), "{}", stderr(&refused));
    let rectangle = primitives().join("ciphers/rectangle80.toml");
    let tested = culet(&["test", text(&rectangle), "--slice", "v", "--cc", "gcc-12", "--target", "c32,c64"]);
    assert_eq!(code(&tested), 0, "{}", stderr(&tested));
    assert!(stdout(&tested).contains("c32 gcc-12") && stdout(&tested).contains("c64 gcc-12"), "{}", stdout(&tested));
}

/// Comparisons of elements have no proof, which is said at once, whatever the number of their bytes.
#[test]
fn comparisons_of_elements_are_told_to_have_no_proof() {
    let folder = directory();
    for modulus in ["2^61 - 1", "2^89 - 1", "2^221 - 3", "2^255 - 19"] {
        let program = format!(
            "field f = GF({modulus})\nnode equal (x, y : f, v, w : f[2]) returns (b, c : u8)\n\
             let b = x == y ? 1 : 0; c = v == w ? 1 : 0 tel\n"
        );
        let program = write(folder.path(), "equal.ua", program);
        let out = folder.path().join("out");
        let options = ["--cc", "gcc-12", "--cflags=-O2", "--time-limit", "5"];
        let refused = culet(
            &[&["compile", text(&program), "--target", "c64", "--prove", "-o", text(&out)], &options[..]].concat(),
        );
        let said = stdout(&refused) + &stderr(&refused);
        assert!(code(&refused) == 1 && said.contains("E0926"), "{modulus}: {said}");
    }
}

/// The order of a contract's arguments is that of the function's parameters, and all are declared.
#[test]
fn arguments_of_contracts_that_are_missing_or_exchanged() {
    let folder = directory();
    write(
        folder.path(),
        "f.c",
        "void f(unsigned long *r, const unsigned long *a, const unsigned long *b) { *r = *a + *b; }\n\
         static unsigned long inner(unsigned long a) { return a + 1; }\n\
         void g(unsigned long *r, const unsigned long *a) { *r = inner(*a); }\n",
    );
    compile("gcc-12", &[], folder.path(), &["-O2", "-c", "f.c", "-o", "f.o"]);
    let object = folder.path().join("f.o");
    let said = |symbol: &str, result: &str, arguments: &[(&str, &str)]| {
        let arguments = arguments.iter().map(|(name, direction)| {
            format!("[[argument]]\nname = \"{name}\"\ndirection = \"{direction}\"\nlimbs = 1\nradix = 64\n")
        });
        let sum = format!("symbol = \"{symbol}\"\nequation = \"{result} = a + a mod 2^64\"\n");
        let contract = write(folder.path(), "f.toml", sum + &arguments.collect::<String>());
        let refused = culet(&["prove", text(&object), "--contract", text(&contract)]);
        assert_eq!(code(&refused), 1);
        stdout(&refused) + &stderr(&refused)
    };
    let exchanged = said("f", "r", &[("a", "in"), ("b", "in"), ("r", "out")]);
    assert!(
        exchanged.contains("E0914") && exchanged.contains("in the order of the function's parameters"),
        "{exchanged}"
    );
    let missing = said("f", "r", &[("r", "out"), ("a", "in")]);
    assert!(missing.contains("E0913") && missing.contains("declare every parameter"), "{missing}");
    let inlined = said("inner", "r", &[("r", "out"), ("a", "in")]);
    assert!(inlined.contains("E0910") && inlined.contains("`static`"), "{inlined}");
    let modulus = said("f", "mod", &[("mod", "out"), ("a", "in")]);
    assert!(modulus.contains("`mod` stands before a modulus"), "{modulus}");
}
