//! `culet run` and `culet test`: programs that are run, their inputs, and refusals.

mod support;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use support::{DOUBLE, code, culet, directory, primitives, stderr, stdout, text, write};

/// f60 calls f59 twice, f59 calls f58 twice …
fn doubling_chain() -> String {
    let mut chain = String::from("node f0 (a : u<B>8) returns (x : u<B>8) let x = ~a tel\n");
    for i in 1..=60 {
        chain += &format!("node f{i} (a : u<B>8) returns (x : u<B>8) let x = f{0}(f{0}(a)) tel\n", i - 1);
    }
    chain
}

#[test]
fn the_interpreter_refuses_what_would_never_end() {
    let dir = directory();
    let file = write(dir.path(), "chain.ua", doubling_chain());
    let description = "name = \"chain\"\nsource = \"chain.ua\"\nspecification = \"none\"\nslicing.allowed = [\"b\"]\n\
                       [[known_answer]]\nnode = \"f60\"\nsource = \"none\"\ninputs = { a = \"01\" }\noutputs = { x = \"01\" }\n";
    let description = write(dir.path(), "chain.toml", description);
    for arguments in
        [&["run", text(&file), "--interpret", "--input", "a=01"][..], &["test", text(&description), "--interpret"]]
    {
        let output = culet(arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        assert!(stderr(&output).contains("E0605"), "{}", stderr(&output));
    }
    assert_eq!(code(&culet(&["run", text(&file), "--interpret", "--node", "f9", "--input", "a=01"])), 0);
}

/// The interpreter encrypts a file by AES-128 in counter mode.
fn encrypt(data: &str, output: &str) -> Command {
    let aes = primitives().join("ciphers/aes128.ua");
    let mut command = Command::new(env!("CARGO_BIN_EXE_culet"));
    command.args(["run", text(&aes), "--interpret", "--mode", "ctr", "--key", &"00".repeat(16)]);
    command.args(["--iv", &"00".repeat(16), data, "-o", output]);
    command
}

#[cfg(target_os = "linux")]
#[test]
fn endless_data_are_streamed_to_stdout_and_refused_for_files() {
    let dir = directory();
    let mut child = encrypt("/dev/zero", "-").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut start = [0; 40_000];
    child.stdout.take().expect("a pipe").read_exact(&mut start).expect("more than one piece");
    // The pipe is closed now: the command has to end by itself, and successfully.
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));

    let file = dir.path().join("out");
    let output = encrypt("/dev/zero", text(&file)).output().expect("it runs");
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("E0801") && stderr(&output).contains("head -c"), "{}", stderr(&output));
    assert_eq!(fs::read_dir(dir.path()).expect("the directory").count(), 0, "something is left behind");
    assert_eq!(code(&encrypt("/dev/null", text(&file)).output().expect("it runs")), 0);
    assert!(fs::read(&file).expect("the result").is_empty());

    // Encryption in pieces gives the same result as that of the whole.
    let zeros = write(dir.path(), "zeros", [0; 40_000]);
    assert_eq!(code(&encrypt(text(&zeros), text(&file)).output().expect("it runs")), 0);
    assert!(fs::read(&file).expect("the result") == start);
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_sees_that_the_c_compiler_works() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let arguments = ["run", text(&file), "--target", "c64", "--input", "a=00000001"];
    let output = culet(&arguments);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "not a terminal");
    // The output on a terminal, if there is a program that makes one.
    let command = format!("{} {}", env!("CARGO_BIN_EXE_culet"), arguments.join(" "));
    if let Ok(output) = Command::new("script").args(["-qec", &command, "/dev/null"]).stdin(Stdio::null()).output() {
        let seen = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(seen.contains("compiling double with ") && seen.contains("b = 00000002"), "{seen}");
    }
}

/// A description with a single known answer, which is right.
const DESCRIPTION: &str = "name = \"double\"\nsource = \"double.ua\"\nspecification = \"none\"\n[slicing]\nallowed = [\"v\"]\n\
                           [[known_answer]]\nnode = \"double\"\nsource = \"none\"\ninputs = { a = \"00000001\" }\n\
                           outputs = { b = \"00000002\" }\n";

#[test]
fn a_directory_is_tested_for_its_descriptions_only() {
    let dir = directory();
    fs::create_dir(dir.path().join("below")).expect("a directory");
    write(dir.path(), "double.ua", DOUBLE);
    write(dir.path(), "double.toml", DESCRIPTION);
    let other = write(dir.path(), "below/Cargo.toml", "[package]\nname = \"x\"\n");
    let test = |path: &std::path::Path| culet(&["test", text(path), "--interpret"]);

    let output = test(dir.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).ends_with("1 passed, 0 failed\n"), "{}", stdout(&output));
    assert!(stderr(&output).contains("Cargo.toml` is not a description"), "{}", stderr(&output));
    // If it is named, or alone in its directory, it is an error.
    let device = std::path::Path::new("/dev/zero");
    for (path, wrong) in [(other.as_path(), "E0901"), (&dir.path().join("below"), "E0801"), (device, "E0801")] {
        let output = test(path);
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
    }
    // A file that is meant to be a description and is wrong is an error. The others are tested all the same.
    for wrong in ["[slicing\n", "[slicing]\nallowed = [\"v\"]\n", "[[known_answer]]\n"] {
        let wrong = write(dir.path(), "a.toml", wrong);
        let output = test(dir.path());
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).contains("E0901") && stderr(&output).contains("a.toml"), "{}", stderr(&output));
        assert!(stdout(&output).ends_with("1 passed, 0 failed\n"), "{}", stdout(&output));
        fs::remove_file(wrong).expect("the file is removed");
    }
}

/// Each mistake in a description is an error, with its line, once for all slicings, targets and compilers.
#[test]
fn names_in_descriptions_are_checked() {
    let dir = directory();
    let ciphers = primitives().join("ciphers");
    fs::copy(ciphers.join("rectangle.ua"), dir.path().join("rectangle.ua")).expect("the program");
    let right = fs::read_to_string(ciphers.join("rectangle80.toml")).expect("its description");
    let stream = "\n[stream]\nnode = \"Rectangle\"\nkey = \"k\"\nnonce = \"n\"\ncounter = \"plain\"\n";
    let (start, answers) = right.split_once("\n[block]").expect("a block cipher");
    let (_, answers) = answers.split_once("\n\n").expect("answers");
    let no_block = format!("{start}{stream}\n{answers}");
    let without_answers = right.split_once("\n[[").expect("answers").0.to_owned();
    let wrong_direction = right.replacen("decrypt = \"Rectangle_inverse\"", "decrypt = \"Rectangle\"", 1);
    let wrong = [
        (right.replacen("\"Rectangle_inverse\"", "\"Rectangle_invers\"", 1), "E0901", 10, "is no node of the program"),
        (right.replacen("encrypt = \"Rectangle\"", "encrypt = \"Rectangle_inverse\"", 1), "E0902", 10, "does not undo"),
        (right.replacen("decrypt = \"Rectangle_inverse\"", "decrypt = \"Rectangle\"", 1), "E0902", 10, "does not undo"),
        (right.replacen("decrypt = \"Rectangle_inverse\"", "decrypt = \"ShiftRow\"", 1), "E0901", 10, "two parameters"),
        (right.replacen("Rectangle80_key", "Rectangle128_key", 1), "E0901", 16, "must have 16 bytes, not 10"),
        (right.replacen("node = \"Rectangle\"", "node = \"rectangle\"", 1), "E0901", 14, "Rectangle80_key_schedule"),
        (right.replacen("{ plain = ", "{ plane = ", 1), "E0901", 17, "there is no parameter `plane`"),
        (right.replacen("{ cipher = ", "{ text = ", 1), "E0901", 18, "has no result `text`; there are cipher"),
        (right.replacen("2d96e354e8b10874", "2d96e354e8b108", 1), "E0901", 18, "has 8 bytes, not 7"),
        (right.replacen("2d96e354e8b10874", "2d96e354e8b1087x", 1), "E0901", 18, "`x` is not a hexadecimal digit"),
        (right.replacen("2d96e354e8b10874", "2d96e354e8b10875", 1), "E0902", 18, "expected 2d96e354e8b10875"),
        (
            right.replacen("2d96e354e8b10874", "2d96e354e8b10873", 1),
            "E0902",
            18,
            "computed of plain = 0000000000000000, round_keys = 0",
        ),
        (
            right.replacen("outputs = { cipher = \"2d96e354e8b10874\" }", "outputs = {}", 1),
            "E0901",
            18,
            "names no result",
        ),
        (
            right.replacen("{ plain = ", "{ round_keys = \"00\", plain = ", 1),
            "E0901",
            17,
            "`round_keys` is given twice",
        ),
        (right.replacen("allowed", "alowed", 1), "E0901", 6, "unknown entry `alowed`"),
        (right.replacen("\"h\"", "\"horizontal\"", 1), "E0901", 6, "is not a slicing"),
        (right.replacen("\"v\"", "\"v16\"", 1), "E0901", 6, "`allowed` has a word size"),
        (no_block, "E0901", 10, "has no parameter `k`"),
    ];
    let file = write(dir.path(), "rectangle80.toml", without_answers);
    let nothing = culet(&["test", text(&file), "--interpret"]);
    assert!(code(&nothing) == 1 && stderr(&nothing).contains("no description has answers"), "{}", stderr(&nothing));
    for (text_of, code_of, line, message) in wrong {
        let file = write(dir.path(), "rectangle80.toml", &text_of);
        let output = culet(&["test", text(&file), "--interpret", "--slice", "v", "--message-format", "json"]);
        assert_eq!(code(&output), 1, "{message}: {}", stderr(&output));
        let said = stderr(&output);
        let found: Vec<serde_json::Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .filter(|d: &serde_json::Value| d["code"] == code_of)
            .collect();
        let places: Vec<Option<u64>> = found.iter().map(|error| error["line"].as_u64()).collect();
        assert!(said.contains(message) && places.contains(&Some(line)), "{message}, {code_of} in line {line}: {said}");
        let mut distinct: Vec<String> = found.iter().map(|error| format!("{error}")).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), found.len(), "{message} is repeated: {said}");
    }
    // A description with a wrong direction is not compiled.
    let file = write(dir.path(), "rectangle80.toml", &wrong_direction);
    let output = culet(&["compile", text(&file), "--target", "c64", "-o", text(&dir.path().join("wrong"))]);
    assert!(code(&output) == 1 && stderr(&output).contains("E0902"), "{}", stderr(&output));
    assert!(!dir.path().join("wrong.c").exists());
    // Known answers say which direction is wrong.
    let both = right.replacen("decrypt = \"Rectangle_inverse\"", "decrypt = \"Rectangle\"", 1);
    let file = write(dir.path(), "rectangle80.toml", both.replacen("2d96e354e8b10874", "2d96e354e8b10875", 1));
    let output = culet(&["test", text(&file), "--interpret", "--slice", "v"]);
    let said = stderr(&output);
    assert!(
        code(&output) == 1 && said.contains("does not undo") && said.contains("expected 2d96e354e8b10875"),
        "{said}"
    );
    assert!(stdout(&output).contains("3 of 4 answers"), "{}", stdout(&output));

    let file = write(dir.path(), "rectangle80.toml", &right);
    let output = culet(&["test", text(&file), "--interpret"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// A cipher that takes its key as it is has no key schedule, and one that is used in CTR only no node that decrypts.
#[test]
fn a_cipher_may_lack_a_key_schedule_and_an_inverse() {
    let dir = directory();
    let program = "node even (plain : u32[2], key : const u32[2]) returns (cipher : u32[2])\n\
                   let cipher = (plain[0] + key[0], plain[1] ^ key[1]) tel\n\
                   node back (cipher : u32[2], key : const u32[2]) returns (plain : u32[2])\n\
                   let plain = (cipher[0] - key[0], cipher[1] ^ key[1]) tel\n";
    write(dir.path(), "even.ua", program);
    let answer = "[[known_answer]]\nnode = \"even\"\nsource = \"none\"\nkey = \"0000000100000002\"\n\
                  inputs = { plain = \"0000000300000004\" }\noutputs = { cipher = \"0000000400000006\" }\n\
                  [[mode_answer]]\nmode = \"ecb\"\nsource = \"none\"\nkey = \"0000000100000002\"\n\
                  plain = \"0000000300000004\"\ncipher = \"0000000400000006\"\n";
    let description = |directions: &str, answer: &str| {
        let start = "name = \"even\"\nsource = \"even.ua\"\nspecification = \"none\"\nslicing.allowed = [\"v\"]\n";
        write(dir.path(), "even.toml", format!("{start}[block]\n{directions}\n{answer}"))
    };
    let test = |path: &std::path::Path| culet(&["test", text(path), "--interpret"]);
    for directions in ["encrypt = \"even\"", "encrypt = \"even\"\ndecrypt = \"back\""] {
        let tested = test(&description(directions, answer));
        assert!(code(&tested) == 0 && stdout(&tested).ends_with("2 passed, 0 failed\n"), "{}", stderr(&tested));
    }
    let wrong =
        test(&description("encrypt = \"even\"", &answer.replace("\"0000000400000006\"\n", "\"0000000400000007\"\n")));
    assert!(code(&wrong) == 1 && stderr(&wrong).contains("E0902"), "{}", stderr(&wrong));
    let short = test(&description("encrypt = \"even\"", &answer.replace("key = \"0000000100000002\"", "key = \"00\"")));
    assert!(code(&short) == 1 && stderr(&short).contains("must have 8 bytes, not 1"), "{}", stderr(&short));
    // Nodes that a description does not name are neither compiled nor run.
    let file = description("encrypt = \"even\"", answer);
    let out = dir.path().join("even");
    let made = culet(&["compile", text(&file), "--target", "c64", "-o", text(&out)]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let header = fs::read_to_string(dir.path().join("even.h")).expect("a header");
    assert!(header.contains("even_encrypt(") && !header.contains("even_decrypt") && !header.contains("key_schedule"));
    let data = write(dir.path(), "data", "12345678");
    let key = ["--key", "0000000100000002", "--interpret", text(&data), "-o", text(&out)];
    let run = |mode: &[&str]| culet(&[&["run", text(&file), "--mode"], mode, &key].concat());
    assert_eq!(code(&run(&["ecb"])), 0, "{}", stderr(&run(&["ecb"])));
    assert_eq!(code(&run(&["ctr", "--iv", "0000000000000000", "--decrypt"])), 0);
    let refused = run(&["ecb", "--decrypt"]);
    assert!(code(&refused) == 1 && stderr(&refused).contains("names no node that decrypts"), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("`--mode ctr` needs none"), "{}", stderr(&refused));
    let partial = write(dir.path(), "data", "12345");
    let refused = run(&["ecb"]);
    assert!(code(&refused) == 1 && stderr(&refused).contains("take `--mode ctr`"), "{}", stderr(&refused));
    fs::remove_file(partial).expect("the file is removed");
}

/// A key schedule that fits neither direction is wrong itself.
#[test]
fn a_wrong_key_schedule_is_shown_at_its_name() {
    let dir = directory();
    let ciphers = primitives().join("ciphers");
    fs::copy(ciphers.join("rectangle.ua"), dir.path().join("rectangle.ua")).expect("the program");
    let right = fs::read_to_string(ciphers.join("rectangle80.toml")).expect("its description");
    for (name, message) in [("ShiftRow", "gives 8 bytes"), ("Rectangle", "must have one parameter, the key")] {
        let wrong = right.replacen("\"Rectangle80_key_schedule\"", &format!("\"{name}\""), 1);
        let file = write(dir.path(), "rectangle80.toml", wrong);
        let output = culet(&["test", text(&file), "--interpret", "--slice", "v"]);
        let said = stderr(&output);
        assert!(code(&output) == 1 && said.contains("rectangle80.toml:11:") && said.contains(message), "{said}");
    }
}

/// A slicing that the program cannot have is an error in its line, with those that it can have, and a mode that is unknown one
/// with those that are known.
#[test]
fn what_a_description_allows_is_possible() {
    let dir = directory();
    write(dir.path(), "sum.ua", "node sum (a, b : u32) returns (c : u32) let c = a + b tel\n");
    let right = "name = \"sum\"\nsource = \"sum.ua\"\nspecification = \"none\"\nslicing.allowed = [\"v\"]\n\
                 [[known_answer]]\nnode = \"sum\"\nsource = \"none\"\n\
                 inputs = { a = \"00000001\", b = \"00000002\" }\noutputs = { c = \"00000003\" }\n";
    let description = write(dir.path(), "sum.toml", right);
    assert_eq!(code(&culet(&["test", text(&description), "--interpret"])), 0);
    // The description says the slicing where the command does not.
    let values = ["--interpret", "--input", "a=00000001", "--input", "b=00000002"];
    let output = culet(&[&["run", text(&description)], &values[..]].concat());
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "c = 00000003\n"), "{}", stderr(&output));
    let answer = "[[mode_answer]]\nmode = \"cbc\"\nsource = \"none\"\nkey = \"00\"\nplain = \"00\"\ncipher = \"00\"\n";
    for (wrong, parts) in [
        (right.replace("[\"v\"]", "[\"h\"]"), ["sum.toml:4:", "`h` is no slicing of `sum`", "possible: `v`, `b`"]),
        (
            right.replace("[\"v\"]", "[\"v\", \"h\"]"),
            ["sum.toml:4:", "`h` is no slicing of `sum`", "possible: `v`, `b`"],
        ),
        (format!("{right}{answer}"), ["sum.toml:11:8", "there is no `cbc`", "`ecb`, `ctr`, `stream`"]),
    ] {
        let description = write(dir.path(), "sum.toml", wrong);
        let output = culet(&["test", text(&description), "--interpret"]);
        let said = stderr(&output);
        assert!(code(&output) == 1 && parts.iter().all(|part| said.contains(part)), "{parts:?}: {said}");
    }
}

/// A node that the program does not have is wrong usage of `--node`.
#[test]
fn a_node_that_is_not_there_is_wrong_usage() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let folder = text(dir.path());
    for command in [&["check"][..], &["run", "--interpret"], &["compile", "--target", "c64", "-o", folder]] {
        let output = culet(&[command, &[text(&file), "--node", "nope"]].concat());
        let said = stderr(&output);
        assert!(code(&output) == 2 && said.contains("E0830") && said.contains("it has "), "{command:?}: {said}");
    }
}

#[test]
fn a_description_is_no_program() {
    let rectangle = primitives().join("ciphers/rectangle80.toml");
    for command in [&["check"][..], &["dump", "--after", "program"]] {
        let output = culet(&[command, &[text(&rectangle)]].concat());
        let said = stderr(&output);
        assert_eq!(code(&output), 1, "{said}");
        assert!(said.contains("rectangle.ua --node Rectangle`") && said.contains("culet test "), "{said}");
    }
}

#[test]
fn descriptions_of_another_name_are_found() {
    let present = primitives().join("ciphers/present.ua");
    for arguments in [
        &["run", text(&present), "--interpret", "--mode", "ecb", "--key", "00", "-o", "-"][..],
        &["test", text(&present)],
    ] {
        let output = culet(arguments);
        assert_eq!(code(&output), 1);
        let said = stderr(&output);
        assert!(said.contains("present80.toml") && said.contains("present128.toml"), "{said}");
        assert!(!said.contains("aes128"), "{said}");
    }
    let dir = directory();
    let alone = write(dir.path(), "double.ua", DOUBLE);
    let output = culet(&["run", text(&alone), "--interpret", "--mode", "ecb", "--key", "00", "-o", "-"]);
    assert!(code(&output) == 1 && stderr(&output).contains("primitives/README.md"), "{}", stderr(&output));
}

/// Where options name no node, the command says which one it computes and which others there are.
#[test]
fn the_node_that_runs_is_named() {
    let folder = directory();
    let two =
        "node f (a : u<V>8) returns (x : u<V>8) let x = a tel\nnode g (a : u<V>8) returns (x : u<V>8) let x = ~a tel\n";
    let file = write(folder.path(), "two.ua", two);
    let run = |more: &[&str]| culet(&[&["run", text(&file), "--interpret", "--input", "a=01"], more].concat());
    let last = run(&[]);
    assert_eq!((code(&last), stdout(&last).as_str()), (0, "x = fe\n"));
    assert!(stderr(&last).contains("`g` is the last node") && stderr(&last).contains("`f`"), "{}", stderr(&last));
    let named = run(&["--node", "f"]);
    assert_eq!((code(&named), stdout(&named).as_str(), stderr(&named).as_str()), (0, "x = 01\n", ""));
    let nothing = write(folder.path(), "nothing.ua", "node f () returns () let tel\n");
    let nothing = culet(&["compile", text(&nothing), "--target", "c64", "-o", text(folder.path())]);
    assert!(code(&nothing) == 1 && stderr(&nothing).contains("E0210"), "{}", stderr(&nothing));
}

/// An output that would replace what is read is refused, and nothing is written.
#[test]
fn inputs_are_not_replaced() {
    let folder = directory();
    let ciphers = primitives().join("ciphers");
    let names = ["rectangle.ua", "rectangle80.toml"];
    let [program, description] = names.map(|name| folder.path().join(name));
    for (name, to) in names.into_iter().zip([&program, &description]) {
        fs::copy(ciphers.join(name), to).expect("a copy");
    }
    let data = write(folder.path(), "data", [7; 16]);
    let before = [&program, &description, &data].map(|path| fs::read(path).expect("a file"));
    let key = ["--key", "00000000000000000000", "--mode", "ecb", "--interpret", "--slice", "v"];
    for to in [&program, &description, &data] {
        let run = ["run", text(&description), text(&data), "-o", text(to)];
        let output = culet(&[&run[..], &key].concat());
        assert!(code(&output) == 2 && stderr(&output).contains("is read here"), "{}", stderr(&output));
    }
    assert_eq!([&program, &description, &data].map(|path| fs::read(path).expect("a file")), before);
}
