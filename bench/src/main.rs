//! Measurements of culet, side by side with its peers. `cargo run --release -p culet-bench -- --help`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command")]

mod baseline;
mod beside;
mod board;
mod clock;
mod compile_time;
mod counts;
mod exhaustive;
mod experiments;
mod predictions;
mod sizes;
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
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// The default choices beside usubac's best in one run, with instructions, chains of operations and predictions
    Beside {
        /// Only rows whose name begins so, e.g. Rectangle-V
        #[arg(long)]
        row: Option<String>,
        /// Only this target
        #[arg(long)]
        target: Option<String>,
        /// Flags of every C compilation; the table was measured on a Zen 3
        #[arg(long, default_value = "-O3 -march=znver3", allow_hyphen_values = true)]
        cflags: String,
        /// A checkout of the commit with which the table was measured, where `cargo build -p culet-cli` has run
        #[arg(long)]
        then: Option<PathBuf>,
        /// Seconds of the tuner's search for each row, whose choice is measured beside the default; not searched if not given
        #[arg(long)]
        tuned: Option<u64>,
        /// The directory `samples/usuba` of a checkout of usubac: its own programs, compiled with the default choices, in place of
        /// ours beside usubac
        #[arg(long, conflicts_with_all = ["then", "tuned"])]
        published: Option<PathBuf>,
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// Operations, chains, instructions, reads and writes of the default kernels, the same on every machine: the text of
    /// `bench/data/counts.tsv`
    Counts {
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// The measurements with which the model's predictions are compared, anew: the text of `bench/data/kernels-zen4.tsv`
    Predictions {
        /// Flags of every C compilation
        #[arg(long, default_value = "-O3 -march=znver3", allow_hyphen_values = true)]
        cflags: String,
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// Code, constants and stack of whole operations, the same on every machine: the table of `docs/library-speed.md`
    Sizes {
        /// Only operations whose name begins so, e.g. ed25519
        #[arg(long)]
        operation: Option<String>,
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// How close the tuner's search comes to the best of all choices, for four ciphers
    Exhaustive {
        /// Only this row's cipher, e.g. Rectangle-vs
        #[arg(long)]
        cipher: Option<String>,
        #[arg(long, default_value = "avx2")]
        target: String,
        /// Flags of every C compilation
        #[arg(long, default_value = "-O3 -march=native", allow_hyphen_values = true)]
        cflags: String,
        /// Seconds to search
        #[arg(long, default_value_t = 40)]
        time: u64,
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// What interleaving, inlining, scheduling, tuning and slicing do to speed: tables, plots, and a document of both
    Experiments {
        /// Only this one: interleaving, inlining, scheduling, tuned, slicings
        #[arg(long)]
        only: Option<String>,
        /// Only this cipher, e.g. Serpent or AES-bs
        #[arg(long)]
        cipher: Option<String>,
        /// Only this target
        #[arg(long)]
        target: Option<String>,
        /// Only this C compiler
        #[arg(long)]
        cc: Option<String>,
        /// Seconds for each program and target: of sampling (2 if not given), of the tuner's search (40)
        #[arg(long)]
        time: Option<u64>,
        /// Measure only what the tables lack
        #[arg(long)]
        missing: bool,
        /// Measure nothing: plots and document from the tables that are there
        #[arg(long, conflicts_with_all = ["only", "cipher", "target", "cc", "time", "missing"])]
        render: bool,
        /// Where `experiments.md` and `plots/` go
        #[arg(long, default_value = "docs")]
        out: PathBuf,
        #[arg(long, default_value = "primitives")]
        primitives: PathBuf,
    },
    /// NaCl's operations on a small board, as a simulator counts them, and on a Cortex-M4 in QEMU: documents and plots
    Board {
        /// Where `board.md`, `cortex-m4.md` and `plots/` go
        #[arg(long, default_value = "docs")]
        out: PathBuf,
        /// Only the instructions of a Cortex-M4: `cortex-m4.md`
        #[arg(long)]
        cortex_m4: bool,
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
        Command::Exhaustive { cipher, target, cflags, time, primitives } => {
            let cflags = cflags.split_whitespace().map(str::to_owned).collect();
            let plan = speed::Plan { cipher, target: find(Some(target))?, bytes: false, cflags, time };
            print!("{}", exhaustive::run(&primitives, &plan, &mut |line| eprintln!("{line}"))?);
            Ok(())
        }
        Command::Speed { cipher, target, bytes, cflags, time, primitives } => {
            let target = find(target)?;
            let cflags = cflags.split_whitespace().map(str::to_owned).collect();
            let plan = speed::Plan { cipher, target, bytes, cflags, time };
            print!("{}", speed::run(&primitives, &plan, &mut |line| eprintln!("{line}")));
            Ok(())
        }
        Command::Beside { row, target, cflags, then, tuned, published, primitives } => {
            let cflags = cflags.split_whitespace().map(str::to_owned).collect();
            let plan = beside::Plan { row, target: find(target)?, cflags, then, tuned, published };
            print!("{}", beside::run(&primitives, &plan, &mut |line| eprintln!("{line}")));
            Ok(())
        }
        Command::Counts { primitives } => {
            print!("{}", counts::run(&primitives, &mut |line| eprintln!("{line}"))?);
            Ok(())
        }
        Command::Sizes { operation, primitives } => {
            print!("{}", sizes::run(&primitives, operation.as_deref(), &mut |line| eprintln!("{line}"))?);
            Ok(())
        }
        Command::Predictions { cflags, primitives } => {
            let cflags: Vec<String> = cflags.split_whitespace().map(str::to_owned).collect();
            print!("{}", predictions::run(&primitives, &cflags, &mut |line| eprintln!("{line}"))?);
            Ok(())
        }
        Command::Experiments { only, cipher, target, cc, time, missing, render, out, primitives } => {
            let target = find(target)?;
            let plan = experiments::Plan { only, cipher, target, cc, time, missing, render, out, primitives };
            experiments::run(&plan, &mut |line| eprintln!("{line}"))
        }
        Command::Board { out, cortex_m4, primitives } => {
            let plan = board::Plan { primitives, out, is_only_cortex_m4: cortex_m4 };
            board::run(&plan, &mut |line| eprintln!("{line}"))
        }
        Command::CompileTime { primitives } => {
            print!("{}", compile_time::run(&primitives)?);
            Ok(())
        }
    }
}

fn find(target: Option<String>) -> Result<Option<Target>, String> {
    let Some(name) = target else { return Ok(None) };
    Target::find(&name).map(Some).ok_or_else(|| format!("unknown target `{name}`"))
}
