//! The compilers with which generated code is tested, and the emulators for their programs.
//!
//! If a compiler is missing, the tests that need it are skipped; in the whole suite, which sets
//! `CULET_REQUIRE_COMPILERS`, that is a failure.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use culet_ir::Target;
use culet_native::{CCompiler, Runner, cpu_runs};

/// A target of another machine, with a compiler and an emulator for it.
const CROSS: [(Target, &str, &str); 2] = [
    (Target::Neon, "aarch64-linux-gnu-gcc-12", "qemu-aarch64"),
    (Target::Vsx, "powerpc64le-linux-gnu-gcc-12", "qemu-ppc64le -cpu power9"),
];

/// rustc's names for those machines.
const CROSS_RUST: [(Target, &str); 1] = [(Target::Neon, "aarch64-unknown-linux-gnu")];

/// The arguments with which rustc compiles for a target. `None` if the target cannot be run here, or rustc has no
/// library for it.
///
/// # Panics
///
/// If rustc's library is missing and `CULET_REQUIRE_COMPILERS` is set.
pub fn rustc(target: Target) -> Option<Vec<&'static str>> {
    if cpu_runs(target) {
        return Some(Vec::new());
    }
    let (_, machine) = CROSS_RUST.into_iter().find(|(cross, _)| *cross == target)?;
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", machine]).output().ok()?;
    if output.status.success() && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() {
        return Some(vec!["--target", machine]);
    }
    let missing = format!("rustc's library for {machine}");
    assert!(std::env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "{missing} is not installed");
    report(&format!("UNTESTED: {missing} is not installed"));
    None
}

/// The compilers for a target: both that the project supports, or the one for the target's machine. There are none if
/// the target cannot be run here.
///
/// # Panics
///
/// If one is missing and `CULET_REQUIRE_COMPILERS` is set.
pub fn compilers(target: Target) -> Vec<CCompiler> {
    if cpu_runs(target) {
        return ["gcc-12", "clang-19"].into_iter().filter_map(|name| compiler(name, None)).collect();
    }
    match CROSS.into_iter().find(|(cross, ..)| *cross == target) {
        Some((_, name, runner)) => compiler(name, Some(runner)).into_iter().collect(),
        None => {
            report(&format!("UNTESTED: this CPU does not run {}", target.name()));
            Vec::new()
        }
    }
}

/// The compiler for a machine whose first byte of a word is the most significant one, with an emulator.
///
/// # Panics
///
/// As for [`compilers`].
pub fn big_endian() -> Option<CCompiler> {
    compiler("s390x-linux-gnu-gcc-12", Some("qemu-s390x"))
}

fn compiler(name: &str, runner: Option<&str>) -> Option<CCompiler> {
    let found = CCompiler::find(Some(name)).ok().filter(|_| runner.is_none_or(is_installed));
    if found.is_none() {
        let missing = format!("{name}{}", runner.map_or_else(String::new, |runner| format!(" or {runner}")));
        assert!(std::env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "{missing} is not installed");
        report(&format!("UNTESTED: {missing} is not installed"));
    }
    found.map(|compiler| compiler.with_runner(runner.map(Runner::new)))
}

fn is_installed(runner: &str) -> bool {
    let mut words = runner.split(' ');
    let program = words.next().unwrap_or_default();
    Command::new(program).arg("--version").stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

/// Writes a line to stderr, which is a test's only way to report.
///
/// It is written past the harness, which keeps what tests that pass print.
pub fn report(text: &str) {
    // Without stderr there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}
