//! The arguments of the commands that measure and search.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use culet_ir::Target;
use culet_tune::{Budget, Lengths, What};
use culet_types::program::Slicing;

use super::values::{bytes, length, measured, slicing, target};
use super::{EntryArgs, PROGRAM, SourceArgs, TunedInstanceArgs};

#[derive(Debug, Args)]
pub struct TuneArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub instance: TunedInstanceArgs,
    /// c32, c64, sse, ssesha, avx2, avx512, avx512ifma, avx512vaes, neon or vsx [default: the widest this CPU runs; all that it runs but c32 for
    /// a program that computes one instance at a time]
    #[arg(long, value_parser = target, help_heading = PROGRAM)]
    pub target: Option<Target>,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    /// Try everything, however long it takes: what the search can be compared with
    #[arg(long, conflicts_with = "time", help_heading = "Tuning")]
    pub exhaustive: bool,
}

/// How the tuner measures.
#[derive(Debug, Args)]
pub struct MeasuringArgs {
    /// A C compiler to try; may be repeated [default: all of clang-19, clang, gcc-12, gcc, cc that are installed]. A proof or a budget
    /// without the tuner is of one [default: $CC, or the first of these]
    #[arg(long, value_name = "COMMAND", help_heading = "Tuning")]
    pub cc: Vec<String>,
    /// Flags of every C compilation
    #[arg(long, value_name = "FLAGS", default_value = "-O3", allow_hyphen_values = true, help_heading = "Tuning")]
    pub cflags: String,
    /// A command that runs programs where the kernel will run, such as a script around ssh; an emulator (qemu-aarch64) runs them,
    /// too, but its speed is not the machine's
    #[arg(long, value_name = "COMMAND", help_heading = "Tuning")]
    pub runner: Option<String>,
    /// What to measure: bytes (packing included) or registers (the kernel alone)
    #[arg(long, value_name = "bytes|registers", value_parser = measured, default_value = "bytes", help_heading = "Tuning")]
    pub measure: What,
    /// Lengths of messages, as numbers of bytes, where k is 1024. Choices are compared by the mean of two, or by one [default: 1k,16k]; `culet tune`
    /// of a program with streams takes any number, and finds the fastest at each [default: 64,256,1400,16k]
    #[arg(long, value_name = "BYTES", value_parser = length, value_delimiter = ',', help_heading = "Tuning")]
    pub bytes: Vec<u64>,
    /// End after this many seconds: what is being measured then ends, nothing else begins
    #[arg(long, value_name = "SECONDS", default_value_t = TUNING_TIME, value_parser = clap::value_parser!(u64).range(1..=86_400),
        help_heading = "Tuning")]
    pub time: u64,
    /// Measure again, whatever was found before
    #[arg(long, help_heading = "Tuning")]
    pub again: bool,
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// How many bytes a kernel may take.
#[derive(Debug, Args)]
pub struct BudgetArgs {
    /// At most so many bytes of code (20000, or 20k for 20480) in the object that the C compiler makes (`--cc`, `--cflags`), which
    /// may be for any machine. Of the choices that fit, the fastest is taken: as `--tune` measures them, otherwise by the
    /// compiler's model. If none fits, the error says the fewest bytes
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Budget")]
    pub max_code: Option<u64>,
    /// At most so many bytes of stack: of the functions that take the most together when they call one another, as the C compiler
    /// says it of each (`-fstack-usage`)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Budget")]
    pub max_stack: Option<u64>,
    /// At most so many bytes of constants in the object
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Budget")]
    pub max_table: Option<u64>,
}

impl BudgetArgs {
    pub fn budget(&self) -> Budget {
        Budget { code: self.max_code, stack: self.max_stack, table: self.max_table }
    }
}

#[derive(Debug, Args)]
pub struct SboxArgs {
    /// The values for the indices 0, 1, 2, … (separated by commas or spaces), or the name of a known S-box such as aes
    #[arg(required = true, value_name = "TABLE")]
    pub table: Vec<String>,
    /// Bits of a value [default: those of the largest]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub outputs: Option<u32>,
    /// Show the operations on this target only, or a list such as c32,c64
    #[arg(long, value_parser = target, value_delimiter = ',')]
    pub target: Vec<Target>,
    /// Search for this long; what was found is kept, and the next search of the same table goes on there
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub time: u64,
    /// Begin anew, whatever was found before
    #[arg(long)]
    pub again: bool,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Programs, descriptions of primitives (.toml), or directories of descriptions and of other files
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Look for included files here, too; may be repeated
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub include: Vec<PathBuf>,
    #[command(flatten)]
    pub entry: EntryArgs,
    /// Only this slicing
    #[arg(long, value_name = "v|h|b", value_parser = slicing)]
    pub slice: Option<Slicing>,
    /// Only this target, or a list such as c32,c64 [default: all that this CPU runs]
    #[arg(long, value_parser = target, value_delimiter = ',')]
    pub target: Vec<Target>,
    /// Only this C compiler; may be repeated [default: all of clang-19, clang, gcc-12, gcc, cc that are installed]
    #[arg(long, value_name = "COMMAND")]
    pub cc: Vec<String>,
    /// Flags of every C compilation
    #[arg(long, value_name = "FLAGS", default_value = "-O3", allow_hyphen_values = true)]
    pub cflags: String,
    /// Lengths of the messages of a program with streams, as numbers of bytes, where k is 1024 [default: 64,256,1400,16k]. A length is rounded
    /// down to whole elements of the stream
    #[arg(long, value_name = "BYTES", value_parser = length, value_delimiter = ',')]
    pub bytes: Vec<u64>,
    /// A command that runs programs where the kernel will run
    #[arg(long, value_name = "COMMAND")]
    pub runner: Option<String>,
}

/// No new measurements after this many seconds, if the command line does not say.
const TUNING_TIME: u64 = 80;

impl MeasuringArgs {
    /// Whether none of the options was given a value of its own.
    pub fn is_default(&self) -> bool {
        let has_compilers = !self.cc.is_empty() || self.cflags != "-O3";
        !has_compilers && self.budget.budget().is_open() && self.is_default_but_compilers()
    }

    /// Whether none of those was that say how kernels are measured, whatever C compiler, flags and budget are given.
    pub fn is_default_but_compilers(&self) -> bool {
        let MeasuringArgs { cc: _, cflags: _, budget: _, runner, measure, bytes, time, again } = self;
        let is_default = *measure == What::default() && bytes.is_empty() && *time == TUNING_TIME;
        runner.is_none() && is_default && !again
    }

    /// The part of kernels that is measured, on messages of the lengths that are asked for; `None` if these are more than two.
    pub fn what(&self) -> Option<What> {
        let lengths = match self.bytes[..] {
            [] => Lengths::default(),
            [one] => Lengths { short: one, long: one },
            [one, other] => Lengths { short: one.min(other), long: one.max(other) },
            _ => return None,
        };
        Some(match self.measure {
            What::Bytes(_) => What::Bytes(lengths),
            What::Registers => What::Registers,
        })
    }
}
