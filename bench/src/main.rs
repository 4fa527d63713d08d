//! Measurements of culet, side by side with its peers. `cargo run --release -p culet-bench -- --help`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command")]

mod baseline;
mod clock;
mod compile_time;
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
    /// Cycles a byte, as fast as the tuner can make it, beside usubac's
    Speed {
        /// Only this row's cipher, e.g. AES-bs
        #[arg(long)]
        cipher: Option<String>,
        /// Only this target
        #[arg(long)]
        target: Option<String>,
        /// Bytes to bytes, packing included
        #[arg(long)]
        bytes: bool,
        /// Flags of every C compilation
        #[arg(long, default_value = "-O3 -march=native", allow_hyphen_values = true)]
        cflags: String,
        /// Seconds to search for the best choices of a program for a target
        #[arg(long, default_value_t = 40)]
        time: u64,
        /// Try all choices
        #[arg(long)]
        exhaustive: bool,
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
        Command::Speed { cipher, target, bytes, cflags, time, exhaustive, primitives } => {
            let target = match target {
                None => None,
                Some(name) => Some(Target::find(&name).ok_or_else(|| format!("unknown target `{name}`"))?),
            };
            let cflags = cflags.split_whitespace().map(str::to_owned).collect();
            let plan = speed::Plan { cipher, target, bytes, cflags, time, exhaustive };
            print!("{}", speed::run(&primitives, &plan, &mut |line| eprintln!("{line}")));
            Ok(())
        }
        Command::CompileTime { primitives } => {
            print!("{}", compile_time::run(&primitives)?);
            Ok(())
        }
    }
}
