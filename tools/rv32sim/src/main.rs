//! `rv32sim`: runs a program for RV32IMC, and says how many cycles of an E31 it takes.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command")]

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use culet_rv32sim::{Costs, Counts, Machine, Options, Program, Run};

/// Runs a program for RV32IMC without an operating system, as QEMU does with semihosting, and counts the cycles of a SiFive E31.
///
/// The program's output goes to stdout; its exit code is the command's, below 125. The command's own: 125, the program cannot go on; 126, the
/// file is no program for the board; 127, the arguments are wrong.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The program, an ELF file
    program: PathBuf,
    /// Say on stderr what the program and each of its functions have cost, tabulated
    #[arg(long)]
    counts: bool,
    /// Say on stderr what each call of this function has cost, with all that it calls; may be repeated
    #[arg(long, value_name = "FUNCTION")]
    call: Vec<String>,
    /// Say on stderr a hash of all addresses of instructions, loads and stores
    #[arg(long)]
    trace: bool,
    /// Give an object of the program these bytes at the start; may be repeated
    #[arg(long, value_name = "NAME=HEX", value_parser = object)]
    set: Vec<(String, Vec<u8>)>,
    /// Model the instruction cache, with this many cycles for a line of 32 bytes that is missing
    #[arg(long, value_name = "CYCLES", num_args = 0..=1, require_equals = true, default_missing_value = "322",
        value_parser = clap::value_parser!(u64).range(0..=MOST_CYCLES))]
    cache: Option<u64>,
    /// Bytes of RAM, at most 64 MiB
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 10, value_parser = clap::value_parser!(u32).range(0..=MOST_RAM))]
    ram: u32,
    /// Maximum number of instructions
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000_000)]
    limit: u64,
}

/// Maximum number of cycles for a line that is missing, and of bytes of RAM.
const MOST_CYCLES: u64 = 1_000_000;
const MOST_RAM: i64 = 64 << 20;

const CANNOT_GO_ON: u8 = 125;
const NO_PROGRAM: u8 = 126;
const WRONG_ARGUMENTS: u8 = 127;

fn object(text: &str) -> Result<(String, Vec<u8>), String> {
    let (name, digits) = text.split_once('=').ok_or("NAME=HEX is expected")?;
    if !digits.is_ascii() || digits.len() % 2 != 0 {
        return Err("two hexadecimal digits are expected for each byte".to_owned());
    }
    let byte = |place| u8::from_str_radix(&digits[place..place + 2], 16).map_err(|error| error.to_string());
    let bytes: Result<_, _> = (0..digits.len()).step_by(2).map(byte).collect();
    Ok((name.to_owned(), bytes?))
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { WRONG_ARGUMENTS } else { 0 };
            // Without a terminal there is nobody to tell.
            let _ = error.print();
            return code.into();
        }
    };
    match run(&arguments) {
        Ok(code) => code.into(),
        Err((code, message)) => {
            eprintln!("rv32sim: {}: {message}", arguments.program.display());
            code.into()
        }
    }
}

type Failure = (u8, String);

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let file = fs::read(&arguments.program).map_err(|error| (NO_PROGRAM, error.to_string()))?;
    let program = Arc::new(Program::read(&file).map_err(|error| (NO_PROGRAM, error.to_string()))?);
    for name in &arguments.call {
        if program.function(name).is_none() {
            return Err((WRONG_ARGUMENTS, format!("the program has no function `{name}`")));
        }
    }
    let costs = Costs { line_fill: arguments.cache.unwrap_or(0), ..Costs::E31 };
    let options = Options {
        costs,
        ram_bytes: arguments.ram as usize,
        limit: arguments.limit,
        watched: arguments.call.clone(),
        is_traced: arguments.trace,
    };
    let mut machine = Machine::new(Arc::clone(&program), options).map_err(|error| (NO_PROGRAM, error.to_string()))?;
    for (name, bytes) in &arguments.set {
        let object = machine.object_mut(name);
        let object = object.ok_or_else(|| (WRONG_ARGUMENTS, format!("the program has no object `{name}`")))?;
        if object.len() != bytes.len() {
            let message = format!("`{name}` has {} bytes, not {}", object.len(), bytes.len());
            return Err((WRONG_ARGUMENTS, message));
        }
        object.copy_from_slice(bytes);
    }
    let run = machine.run().map_err(|report| {
        let _ = io::stdout().write_all(&report.output);
        (CANNOT_GO_ON, report.to_string())
    })?;
    // A reader that has gone away wants no output.
    let _ = io::stdout().write_all(&run.output);
    let _ = io::stdout().flush();
    report(arguments, &program, &run);
    Ok(u8::try_from(run.exit_code).unwrap_or(CANNOT_GO_ON - 1).min(CANNOT_GO_ON - 1))
}

/// Says what was asked for.
fn report(arguments: &Arguments, program: &Program, run: &Run) {
    if arguments.counts {
        let (code, data) = program.sizes();
        eprintln!("code\t{code}\ndata\t{data}\nstack\t{}", run.stack);
        eprintln!("function\tcycles\tinstructions\tcache misses\tmispredictions\tflash loads\tproducts\tstack");
        row("(all)", &run.counts, run.stack);
        run.functions.iter().for_each(|function| row(&function.name, &function.counts, function.stack));
    }
    if !arguments.call.is_empty() {
        eprintln!("call\tcycles\tinstructions\tcache misses\tmispredictions\tflash loads\tproducts\tstack");
        run.calls.iter().for_each(|call| row(&call.name, &call.counts, call.stack));
    }
    if let Some(trace) = run.trace {
        eprintln!("trace\t{:016x}", trace.value());
    }
}

fn row(name: &str, counts: &Counts, stack: u32) {
    let Counts { cycles, instructions, cache_misses, mispredictions, flash_loads, multiplications } = counts;
    eprintln!(
        "{name}\t{cycles}\t{instructions}\t{cache_misses}\t{mispredictions}\t{flash_loads}\t{multiplications}\t{stack}"
    );
}
