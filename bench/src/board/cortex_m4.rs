//! NaCl's operations on a Cortex-M4, and their page, `cortex-m4.md`. QEMU executes the instructions, and its clock takes a step with each of
//! them, so that a program can count them. Code and stack are measured, too.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::build::{Builder, CLANG_FOR_ARM, Constants, Way};
use super::programs::{Call, OPERATIONS, counted};

/// The emulator of the whole machine.
pub const EMULATOR: &str = "qemu-system-arm";

/// The instructions, memory and code of one call of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    pub operation: &'static str,
    pub level: &'static str,
    pub instructions: u32,
    pub stack: u32,
    /// Bytes of the program's code, of which a few hundred start it, count and write.
    pub code: u32,
    /// Bytes of its constants.
    pub constants: u32,
}

/// The levels of optimisation that are counted.
pub const LEVELS: [&str; 2] = ["-O2", "-Os"];

/// Whether the emulator is there.
pub fn is_installed() -> bool {
    Command::new(EMULATOR).arg("--version").output().is_ok_and(|output| output.status.success())
}

pub const fn way(level: &'static str) -> Way {
    Way { compiler: CLANG_FOR_ARM, march: "armv7e-m", level }
}

/// Runs a program on the machine, and returns what it writes.
///
/// # Errors
///
/// The emulator's message, or the program does not end in two minutes.
pub fn run(program: &Path) -> Result<String, String> {
    let mut command = Command::new("timeout");
    // The clock takes 1024 ns for each instruction, as `cortex_m4.c` knows.
    command.args(["120", EMULATOR, "-M", "mps2-an386", "-icount", "shift=10", "-display", "none", "-monitor", "none"]);
    command.args(["-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"]);
    let output = command.arg(program).output().map_err(|error| format!("{EMULATOR}: {error}"))?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(said) } else { Err(format!("{EMULATOR}: {}: {said}", output.status)) }
}

/// Reads the output of a program of `counted`: the instructions, the stack, code and constants in bytes, and the results.
///
/// # Errors
///
/// It writes something else.
pub fn counts(said: &str) -> Result<([u32; 4], &str), String> {
    let mut lines = said.lines();
    let mut number = || {
        let digits = lines.next().filter(|line| line.len() == 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::swap_bytes)
    };
    let numbers = [number(), number(), number(), number()];
    match (numbers, lines.next()) {
        ([Some(instructions), Some(stack), Some(code), Some(constants)], Some(results)) => {
            Ok(([instructions, stack, code, constants], results))
        }
        _ => Err(format!("the program wrote `{said}` in place of its counts")),
    }
}

/// All operations at all levels.
///
/// # Errors
///
/// A program that is not built or does not run, or results that differ between levels.
pub fn figures(builder: &Builder, progress: &mut dyn FnMut(&str)) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    for operation in &OPERATIONS {
        progress(&format!("Cortex-M4 {}", operation.name));
        let mut known: Option<String> = None;
        for level in LEVELS {
            let program = builder.program(&way(level), Constants::Flash, &counted(&Call::measured(operation)))?;
            let said = run(&program)?;
            let ([instructions, stack, code, constants], results) = counts(&said)?;
            if known.get_or_insert_with(|| results.to_owned()) != results {
                return Err(format!("{} computes different things at different levels", operation.name));
            }
            figures.push(Figure { operation: operation.name, level, instructions, stack, code, constants });
        }
    }
    Ok(figures)
}

const BEFORE: &str = "# NaCl on a Cortex-M4, as instructions

`bench/board/run` makes this page beside [board.md](board.md), and `bench/board/run --cortex-m4` makes it alone. The operations are those of
that page after all steps, compiled by clang 19 for a Cortex-M4 (`--target=thumbv7em-none-eabi -mcpu=cortex-m4`), and run in QEMU on the machine
`mps2-an386`. Messages have 256 bytes. `p256_sign` and `p256_verify`, ECDSA with P-256, are given the message's hash; the former is given the number
used once, too.

**These are instructions, not cycles.** QEMU executes instructions and knows nothing of how long a Cortex-M4 takes for each. With `-icount` its
clock takes the same step for each instruction, and the program reads a timer before the call and after it; a test compares the difference with
loops of known length. An instruction that a condition skips counts, too. Stack is painted before the call, and what has changed counts.

`cargo test -p culet-bench cortex_m4` runs the published answers of all operations on this machine.
";

const AFTER: &str = "
Published figures of others, which are cycles of real Cortex-M4 processors, or bytes. Instructions cannot be compared with cycles: a load or a
branch that is taken needs more than one.

| program | operation | cycles | bytes | source |
|---|---|---:|---|---|
| X25519-Cortex-M4, assembly | X25519 | 548,873 | 1892 of code, 368 of stack | README of `Emill/X25519-Cortex-M4` |
| its authors' assembly | Ed25519, sign | 240,000 | | abstract of \"Efficient and Side-Channel Resistant Ed25519 on ARM Cortex-M4\" |
| the same | Ed25519, verify | 720,000 | | as above |
| p256-cm4 0.4.0, assembly | ECDSA P-256, sign | 442,754 | 10 KiB of flash | its page on docs.rs, measured on an STM32WLE5 |
| the same | verify | 1,225,746 | the same | as above |
| RustCrypto `p256`, as measured there | sign | 7,856,436 | 49 KiB of flash | as above |
| the same | verify | 14,303,277 | the same | as above |
| emCrypt 2.34, gcc 8.2.1 | ECDSA P-256, sign | 15.0 M | | SEGGER, \"ECDSA Sign Verify MK66FN2M0\", 2019: 89.32 ms at 168 MHz |
| the same | verify | 13.9 M | | as above: 82.91 ms |
| the same | Ed25519, sign | 13.0 M | | SEGGER, \"EdDSA Sign Verify MK66FN2M0\", 2019: 77.36 ms at 168 MHz |
| the same | Ed25519, verify | 29.5 M | | as above: 175.49 ms |
| p256-m, C | ECDH and ECDSA P-256 | none in its README | 2920 of code | README of `mpg/p256-m`: ARM-GCC 9 `-Os` for Cortex-M4 |
";

/// The page.
pub fn page(figures: &[Figure]) -> String {
    let mut text =
        format!("{BEFORE}\n| operation | level | instructions | code, bytes | constants, bytes | stack, bytes |\n");
    text += "|---|---|---:|---:|---:|---:|\n";
    for Figure { operation, level, instructions, stack, code, constants } in figures {
        let _ = writeln!(text, "| `{operation}` | `{level}` | {instructions} | {code} | {constants} | {stack} |");
    }
    text + AFTER
}
