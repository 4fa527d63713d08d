//! `culet demo`: what it prints and writes, with a C compiler and without.

mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use support::{code, directory, primitives, stderr, stdout, text, write};

/// Runs the demo of a cipher on a small file. If `compiler` is `None`, no C compiler can be found.
fn demo(folder: &Path, cipher: &str, compiler: Option<&str>) -> (Output, String) {
    let message = write(folder, "message", [7_u8; 5000]);
    let page = folder.join("demo.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_culet"));
    command.args(["demo", cipher, "--file", text(&message), "-o", text(&page)]).stdin(Stdio::null()).env_remove("CC");
    match compiler {
        Some(compiler) => command.args(["--cc", compiler]),
        None => command.env("PATH", folder),
    };
    let output = command.output().expect("the command runs");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    (output, std::fs::read_to_string(page).expect("the page is written"))
}

#[test]
fn kernels_are_compared_and_one_is_tuned() {
    let folder = directory();
    let (output, page) = demo(folder.path(), "rectangle80", Some("gcc-12"));
    let (said, progress) = (stdout(&output), stderr(&output));
    // On a busy machine the C compiler may exceed its time limit for some of the kernels.
    let left_out: Vec<&str> = progress.lines().filter(|line| line.contains(": left out, ")).collect();
    let rows: Vec<&str> = said.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert!(rows.iter().all(|row| row.contains(" 4/4 ") && row.ends_with(" ok")), "{said}");
    for slicing in ["v ", "h ", "b "] {
        assert!(rows.iter().chain(&left_out).any(|line| line.starts_with(slicing)), "{said}\n{progress}");
    }
    assert!(rows.len() + left_out.len() >= 6, "{said}\n{progress}");

    let measured = said.split("The tuner measured ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a count");
    assert!(measured.parse::<u32>().is_ok_and(|measured| measured > 0), "{said}\n{progress}");
    assert!(said.contains("\n  default ") && said.contains("\n  fastest ") && said.contains("(gcc-12 -O3"), "{said}");
    assert!(said.contains("as fast as the default") || said.contains("Nothing was faster"), "{said}");
    let command = said.lines().find_map(|line| line.split_once("tuner: ")).expect("a command").1;
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[..2], ["culet", "tune"]);
    assert!(primitives().join("..").join(words[2]).is_file(), "{command}");
    assert!(command.contains("--node Rectangle --slice "), "{command}");

    let proved = said.lines().filter(|line| line.starts_with("proved ")).count();
    let made = rows.len() + usize::from(!said.contains("Nothing was faster"));
    assert!(proved >= 2 && said.contains(&format!("The machine code of {proved} of {made} kernels")), "{said}");
    assert_eq!(said.contains("\nproved     the tuner's: "), made > rows.len(), "{said}");
    assert!(page.contains("<h2>Proofs</h2>") && page.contains("is proved equal"), "{page}");

    // Two charts, and a drawing for each slicing.
    assert_eq!(page.matches("<svg").count(), 5);
    for words in
        ["prefers-color-scheme:dark", "name=\"viewport\"", "<b>vertical</b>", "<b>horizontal</b>", "<b>bitslice</b>"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains("culet 0.1.0; 20") && page.contains("What was left out"), "{page}");
    assert!(page.contains("The proofs assume") && page.contains("what SOUNDNESS.md lists"), "{page}");
    assert!(page.contains("The tuner at work") && page.contains(command), "{page}");
}

/// The C compiler never ends when it should make code for AVX2.
#[test]
#[cfg(target_arch = "x86_64")]
fn kernels_that_take_the_c_compiler_long_are_left_out() {
    let folder = directory();
    let stuck = "case \"$*\" in *-mavx2*) sleep 1000;; *) exec gcc-12 \"$@\";; esac\n";
    let compiler = format!("sh {}", text(&write(folder.path(), "cc", stuck)));
    let (output, _) = demo(folder.path(), "rectangle80", Some(&compiler));
    let (said, progress) = (stdout(&output), stderr(&output));
    assert!(!said.lines().any(|line| line.contains(" avx2 ")) && said.starts_with("slicing"), "{said}");
    assert_eq!(progress.contains("v avx2: left out"), culet_native::cpu_runs(culet_ir::Target::Avx2), "{progress}");
}

#[test]
fn without_a_c_compiler_nothing_is_tuned() {
    let folder = directory();
    let (output, page) = demo(folder.path(), "rectangle80", None);
    assert!(stderr(&output).contains("nothing can be tuned"), "{}", stderr(&output));
    assert!(stdout(&output).contains("interpreter") && !stdout(&output).contains("tuner"), "{}", stdout(&output));
    assert!(page.matches("<svg").count() == 2 && !page.contains("tuner"), "{page}");
    assert!(page.contains("no C compiler is installed") && !page.contains("The proofs assume"), "{page}");
}
