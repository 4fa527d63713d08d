//! Programs for the simulator, made with clang and lld.
#![allow(dead_code, reason = "each test file takes what it needs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use culet_rv32sim::{Machine, Options, Program, Report, Run};
use tempfile::TempDir;

/// Whether clang, lld and QEMU's emulator of processes are there; if they must be, they are.
pub fn has_tools() -> bool {
    let is_there =
        |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    let missing: Vec<_> =
        ["clang-19", "ld.lld-19", "qemu-riscv32"].into_iter().filter(|tool| !is_there(tool)).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "{missing:?} is not installed");
    culet_testing::report(&format!("UNTESTED: {missing:?} is not installed"));
    false
}

/// A program in a directory of its own.
pub struct Built {
    pub path: PathBuf,
    directory: TempDir,
}

const SCRIPT: &str = "
SECTIONS
{
  .text 0x20010000 : { *(.text .text.*) }
  .rodata ALIGN(0x1000) : { *(.rodata .rodata.* .srodata .srodata.*) }
  .data 0x80000000 : { *(.data .data.* .sdata .bss .sbss) }
}
";

/// Links files, each a name and a text, with code in flash and data in RAM.
pub fn link(files: &[(&str, &str)]) -> Built {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("program");
    let mut command = Command::new("clang-19");
    command.args(["--target=riscv32-unknown-elf", "-march=rv32imc", "-mabi=ilp32", "-O1", "-ffreestanding"]);
    command.args(["-nostdlib", "-fuse-ld=lld-19", "-mno-relax", "-Wl,--no-relax", "-Wl,-e,start", "-T"]);
    let script = directory.path().join("script.ld");
    fs::write(&script, SCRIPT).expect("a file");
    command.arg(script).arg("-o").arg(&path);
    for (name, text) in files {
        let file = directory.path().join(name);
        fs::write(&file, text).expect("a file");
        command.arg(file);
    }
    let output = command.output().expect("clang runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Built { path, directory }
}

pub fn load(path: &Path) -> Arc<Program> {
    Arc::new(Program::read(&fs::read(path).expect("a program")).expect("an ELF file"))
}

/// Runs assembly that begins at `start`.
pub fn run(assembly: &str, options: Options) -> Result<Run, Box<Report>> {
    let built = link(&[("program.s", &format!(".text\n.globl start\n.type start, @function\nstart:\n{assembly}\n"))]);
    Machine::new(load(&built.path), options).expect("it fits").run()
}

/// Ends a program with an exit code in t0.
pub const EXIT: &str = "
    la a1, block
    sw t0, 4(a1)
    li a0, 0x20
    .balign 4
    .option push
    .option norvc
    slli zero, zero, 0x1f
    ebreak
    srai zero, zero, 7
    .option pop
    .size start, . - start
    .data
block:
    .word 0x20026, 0
    .text
";
