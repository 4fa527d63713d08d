//! Measurements of culet, side by side with its peers. `cargo run --release -p culet-bench -- --help`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command")]

mod baseline;
mod clock;
mod compile_time;
mod kernel;
mod speed;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use culet_ir::Target;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Cycles a byte of the six ciphers, the best over choices and compilers, beside usubac's
    Speed {
        /// Only this row's cipher, e.g. AES-bs
        #[arg(long)]
        cipher: Option<String>,
        /// Only this target
        #[arg(long)]
        target: Option<String>,
        /// The default choices only
        #[arg(long)]
        quick: bool,
        /// Every choice's figure on stderr, too
        #[arg(long)]
        verbose: bool,
        /// Bytes to bytes, packing included
        #[arg(long)]
        bytes: bool,
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// Time and memory from source to C
    CompileTime {
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
}

fn main() -> Result<(), String> {
    match Arguments::parse().command {
        Command::Speed { cipher, target, quick, verbose, bytes, primitives } => {
            let target = match target {
                None => None,
                Some(name) => Some(Target::find(&name).ok_or_else(|| format!("unknown target `{name}`"))?),
            };
            let filter = speed::Filter { cipher, target, quick, what_bytes: bytes, verbose };
            print!("{}", speed::run(&primitives, &filter, &mut |line| eprintln!("{line}")));
            Ok(())
        }
        Command::CompileTime { primitives } => {
            print!("{}", compile_time::run(&primitives)?);
            Ok(())
        }
    }
}
