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
    in_browsers(folder.path(), &page);
}

/// The report in a browser without a window, in the light and in the dark, on a phone and on a desk: no text is hard to
/// read, nothing is wider than the page, and the browser complains of nothing.
fn in_browsers(folder: &Path, page: &str) {
    let Some(light) = look(folder, page, false) else { return };
    let dark = look(folder, page, true).expect("the browser is there");
    for (said, scheme) in
        [(light, "light at 360 px on rgb(255, 255, 255)"), (dark, "dark at 360 px on rgb(22, 22, 22)")]
    {
        let is_whole = said.contains(scheme) && said.contains("at 1280 px") && !said.contains("\n0 texts");
        assert!(is_whole && !said.contains("WRONG"), "{said}");
    }
    let wide = page.replacen("<h1>", "<p style=\"width:40rem\">wide</p><h1>", 1);
    let grey = page.replacen("</style>", "h2{color:#999}</style>", 1);
    let script = page.replacen("<h1>", "<script>missing()</script><h1>", 1);
    for (broken, wrong) in
        [(wide, "at 360 px the page is "), (grey, "is hard to read: Proofs"), (script, "missing is not")]
    {
        let said = look(folder, &broken, false).expect("the browser is there");
        assert!(said.contains("WRONG") && said.contains(wrong), "{said}");
    }
}

/// What `demo/look.js` and the browser say of a page; nothing if there is no browser here.
fn look(folder: &Path, page: &str, dark: bool) -> Option<String> {
    let report = serde_json::to_string(page).expect("a text").replace("</", "<\\/");
    let script = include_str!("demo/look.js");
    let html =
        format!("<!DOCTYPE html><meta charset=\"utf-8\"><body><script>const report = {report};\n{script}</script>");
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let output = Command::new("chromium-headless-shell")
        .args(["--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=5000", &scheme])
        .args(["--dump-dom", text(&write(folder, "look.html", html))])
        .output();
    let Ok(output) = output else {
        let is_required = std::env::var_os("CULET_REQUIRE_COMPILERS").is_some();
        assert!(!is_required, "chromium-headless-shell is not installed");
        return None;
    };
    let dom = stdout(&output);
    let found = dom.split_once("SAID\n").and_then(|(_, rest)| rest.split_once("\nEND"));
    let (said, _) = found.unwrap_or_else(|| panic!("{}\n{}", stderr(&output), &dom[..dom.len().min(1000)]));
    let console = stderr(&output)
        .lines()
        .filter(|line| line.contains(":CONSOLE"))
        .fold(String::new(), |all, line| format!("{all}\nWRONG: {line}"));
    Some(format!("{said}{console}"))
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
