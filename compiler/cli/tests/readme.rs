//! Every command in README.md works as it stands, from the top of the repository.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use culet_ir::Target;
use support::{directory, stderr, stdout};

/// Arguments that are added to commands that take minutes, by the command, or its beginning up to a space: they test and
/// measure less.
const SHORTER: [(&str, &str); 8] = [
    ("culet compile primitives/ciphers/rectangle.ua --node ", "--time 1 --cc gcc-12"),
    ("culet bench primitives/streams/chacha20_xor.ua", "--target c64 --cc gcc-12 --bytes 64"),
    ("culet bench ", "--slice h --target c64 --cc gcc-12"),
    ("culet sbox ", "--time 1"),
    ("culet tune ", "--time 1 --cc gcc-12"),
    ("culet test primitives/ciphers", "--interpret --slice v"),
    ("culet test primitives/ciphers/aes128.toml ", "--slice h"),
    ("culet prove --cosim ", "--trials 2000"),
];

/// Commands that are tried elsewhere, or build everything: the beginning of each.
const NOT_RUN: [&str; 3] = ["./test", "cargo install ", "culet demo"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands in blocks of code, those in lines that end with `\` joined.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line != "```" {
            if line.starts_with("```") {
                lines.by_ref().take_while(|line| *line != "```").for_each(drop);
            }
            continue;
        }
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if !text[0].starts_with("node ") {
            found.extend(text.join("\n").replace("\\\n", " ").lines().map(str::to_owned));
        }
    }
    found
}

/// The commands in the last column of the tables, between backticks.
fn commands_in_tables(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    quoted.filter(|text| ["culet ", "cargo ", "CULET_"].iter().any(|start| text.starts_with(start))).collect()
}

/// Whether this CPU and the compilers that are installed run a command.
fn can_run(command: &str) -> bool {
    let option = |name: &str| command.split_once(name).map(|(_, rest)| rest.trim_start_matches(['\'', ' ']));
    let word = |name: &str| option(name).and_then(|rest| rest.split([' ', '\'']).next());
    let target = word("--target ").or_else(|| word("-m")).and_then(Target::find);
    let is_there =
        |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    match (word("--cc "), word("--runner ")) {
        (Some(compiler), Some(runner)) => is_there(compiler) && is_there(runner),
        // The comparison of instructions saves registers with AVX-512.
        _ if command.starts_with("culet prove --cosim") => culet_native::cpu_runs(Target::Avx512),
        _ => !command.starts_with("culet tune") || target.is_none_or(culet_native::cpu_runs),
    }
}

#[test]
fn every_command_works() {
    let page = fs::read_to_string(root().join("README.md")).expect("the page is there");
    let dir = directory();
    fs::copy(root().join("README.md"), dir.path().join("README.md")).expect("a file to encrypt");
    let primitives = root().join("primitives").canonicalize().expect("the programs");
    std::os::unix::fs::symlink(primitives, dir.path().join("primitives")).expect("a link");
    let mut run = 0;
    let in_tables = commands_in_tables(&page).into_iter().filter(|command| command.starts_with("culet "));
    for command in commands(&page).into_iter().chain(in_tables) {
        let command = command.replacen("cargo run --release -- ", "culet ", 1);
        // `culet field` alone is a name in a table of what there is.
        if NOT_RUN.iter().any(|start| command.starts_with(start)) || !can_run(&command) || command == "culet field" {
            continue;
        }
        let is_it = |start: &str| command == start || start.ends_with(' ') && command.starts_with(start);
        let more = SHORTER.iter().find(|(start, _)| is_it(start)).map_or("", |(_, more)| more);
        let mut line = command.replacen("culet", env!("CARGO_BIN_EXE_culet"), 1);
        for option in more.split(' ').filter(|option| option.starts_with("--")) {
            // An option that is given already gives way.
            if let Some((before, after)) = line.split_once(&format!("{option} ")) {
                let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
                line = format!("{before}{rest}");
            }
        }
        let output = Command::new("sh")
            .args(["-c", &format!("{line} {more}")])
            .current_dir(dir.path())
            .env("XDG_CACHE_HOME", dir.path())
            .env_remove("CC")
            .output()
            .expect("sh runs");
        assert!(output.status.success(), "{command} {more}\n{}{}", stdout(&output), stderr(&output));
        run += 1;
    }
    assert!(run >= 16, "{run}");
    let back = fs::read(dir.path().join("README.back")).expect("the message is decrypted");
    assert!(back == page.as_bytes());
}

/// Commands that run tests name crates and tests that there are.
#[test]
fn tests_that_are_named_exist() {
    let pages =
        ["README.md", "SECURITY.md"].map(|page| fs::read_to_string(root().join(page)).expect("the page is there"));
    let [_, security] = &pages;
    let in_lists = security.split('`').filter(|text| text.starts_with("cargo test ")).map(str::to_owned);
    let in_tables = pages.iter().flat_map(|page| commands_in_tables(page));
    let mut named = 0;
    for command in in_tables.chain(in_lists).filter(|command| command.contains("cargo test")) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let after = |option: &'static str| {
            words.windows(2).filter(move |pair| pair[0] == option).map(|pair| pair[1]).collect::<Vec<&str>>()
        };
        let package = after("-p")[0];
        let home = match package.strip_prefix("culet-") {
            Some("primitives-tests") => root().join("primitives/tests"),
            Some("capi") => root().join("library/capi"),
            Some(room) => root().join("compiler").join(room),
            None if package == "culet" => root().join("library/culet"),
            None => panic!("`{command}` names no crate"),
        };
        for test in after("--test") {
            let there =
                [format!("tests/{test}.rs"), format!("tests/{test}/main.rs")].map(|file| home.join(file).is_file());
            assert!(there.contains(&true), "`{command}`: there is no test `{test}`");
            named += 1;
        }
    }
    assert!(named >= 14, "{named}");
}
