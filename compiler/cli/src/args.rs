//! The command line, as clap sees it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};
use culet_driver::{Interleave, Options};
use culet_ir::Target;
use culet_passes::{Amount, Goal, Schedule, Ternary};
use culet_types::program::Slicing;

pub mod elsewhere;
mod examples;
mod field;
mod tuning;
mod values;

pub use field::{FieldArgs, FieldTarget, Language};
pub use tuning::{BenchArgs, MeasuringArgs, SboxArgs, TuneArgs};

use values::{amount, any_slicing, counter, goal, interleave, planes, schedule, slicing, ternary};
pub(crate) use values::{c_name, target};

/// Headings of the help, by what options are for.
const MESSAGES: &str = "Messages";
const PROGRAM: &str = "What is compiled";
const CHOICES: &str = "How it is compiled: speed and size only";
const OUTPUT: &str = "What is written";
const ENGINE: &str = "What computes";
const FILES: &str = "Files";
const PROOF: &str = "What is proved";
const LIMITS: &str = "Limits";
const SELF_TESTS: &str = "Tests of the prover";

/// Compile cryptography, written once in a small dataflow language, to fast constant-time C.
///
/// Data goes to stdout, diagnostics and progress to stderr. Exit codes: 0 good; 1 an input is wrong or cannot be read, or a
/// test or proof failed; 2 wrong usage, an output that cannot be written, or something is missing, such as a C compiler.
#[derive(Debug, Parser)]
#[command(name = "culet", version, propagate_version = true, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours in diagnostics for people; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value = "auto", help_heading = MESSAGES)]
    pub color: Color,

    /// How to write diagnostics; for people, at most 100 errors and 100 warnings are shown
    #[arg(long, global = true, value_enum, default_value = "human", help_heading = MESSAGES)]
    pub message_format: MessageFormat,

    /// Say nothing about progress and about what was written; diagnostics and results stay
    #[arg(short, long, global = true, help_heading = MESSAGES)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    Human,
    /// One JSON object a line, all of them
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a program, or a file of the intermediate representation (.ir), and report everything that is wrong with it
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Compile a program to one .c and one .h file
    #[command(after_help = examples::COMPILE)]
    Compile(CompileArgs),
    /// Run a node on values, or encrypt and decrypt files
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Check primitives against their known answers
    #[command(after_help = examples::TEST)]
    Test(TestArgs),
    /// Show the compiler's intermediate forms; the text of a pass, saved as FILE.ir, is input for the passes again
    #[command(after_help = examples::DUMP)]
    Dump(DumpArgs),
    /// Find the fastest way to compile a program, by measuring it on this machine or another; with streams, at each length of messages
    #[command(after_help = examples::TUNE)]
    Tune(TuneArgs),
    /// Measure programs and primitives: every slicing, target and C compiler, alone and with packing, or messages of several lengths
    #[command(after_help = examples::BENCH)]
    Bench(BenchArgs),
    /// Prove that machine code computes what its source means, in constant time, without touching other memory
    #[command(after_help = examples::PROVE)]
    Prove(ProveArgs),
    /// Prove the cryptography in a program that uses the library `culet`: finds its kernels in the executable, and proves each there
    ///
    /// Exit codes: 0 every kernel is at least safe; 1 one is not, or less is proved than `--expect` says, or nothing was looked at, since the file cannot be read, is no ELF for
    /// x86-64, or has no kernels; 2 wrong usage, such as `--only` with a text that no kernel has in its name. If nothing was looked
    /// at, stdout is empty, and stderr has the reason with its code.
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArgs),
    /// Write contracts for `culet prove` from the comments in a C file that fiat-crypto made
    #[command(after_help = examples::CONTRACT)]
    Contract(ContractArgs),
    /// Prove that two programs compute the same: formulas over a field that are identities, iteration by iteration where both have a loop
    #[command(after_help = examples::EQUAL)]
    Equal(EqualArgs),
    /// Find a small circuit for a table, and show what it costs on each target
    #[command(after_help = examples::SBOX)]
    Sbox(SboxArgs),
    /// Write the arithmetic of a prime field in C or Rust, with documented bounds and a contract for each function
    #[command(after_help = examples::FIELD)]
    Field(FieldArgs),
    /// Write the kernels of a library in Rust, as a recipe says, or check that they are what it makes
    #[command(after_help = examples::LIBRARY)]
    Library(LibraryArgs),
    /// Explain a diagnostic's code
    #[command(after_help = examples::EXPLAIN)]
    Explain {
        /// Such as E0401; without it, all codes are listed
        code: Option<String>,
    },
    /// Compile a cipher in several ways, check it, encrypt a file, compare speeds, write a report
    #[command(after_help = examples::DEMO)]
    Demo(DemoArgs),
    /// Write shell completions to stdout
    #[command(after_help = examples::COMPLETIONS)]
    Completions { shell: clap_complete::Shell },
    /// Write the manual page to stdout
    #[command(after_help = examples::MAN)]
    Man,
}

/// A program and how to read it.
#[derive(Debug, Args)]
pub struct SourceArgs {
    /// The program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Look for included files here, too; may be repeated
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = PROGRAM)]
    pub include: Vec<PathBuf>,
}

/// What the program's parameters stand for.
#[derive(Debug, Args)]
pub struct InstanceArgs {
    #[command(flatten)]
    pub entry: EntryArgs,

    /// What 'D stands for: v (vertical), h (horizontal), b (bitslice)
    #[arg(long, value_name = "v|h|b", value_parser = slicing, help_heading = PROGRAM)]
    pub slice: Option<Slicing>,
}

/// As [`InstanceArgs`], where the tuner may choose the direction.
#[derive(Debug, Args)]
pub struct TunedInstanceArgs {
    #[command(flatten)]
    pub entry: EntryArgs,

    /// What 'D stands for: v (vertical), h (horizontal), b (bitslice), or auto for the fastest that the tuner finds
    #[arg(long, value_name = "v|h|b|auto", value_parser = any_slicing, help_heading = PROGRAM)]
    pub slice: Option<Slice>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slice {
    Auto,
    Is(Slicing),
}

#[derive(Debug, Args)]
pub struct EntryArgs {
    /// The entry node [default: the last definition]; `compile` takes several, which share a file (--node sign,verify)
    #[arg(long, value_name = "NODE", help_heading = PROGRAM)]
    pub node: Option<String>,

    /// What 'm stands for in the entry: its word size in bits
    #[arg(long, value_name = "M", allow_negative_numbers = true, help_heading = PROGRAM,
        value_parser = clap::value_parser!(u32).range(1..=64))]
    pub word: Option<u32>,
}

/// Choices of the compiler that change speed and size only. One that cannot act is an error.
#[derive(Debug, Args)]
pub struct ChoiceArgs {
    /// Handle as many instances as fit into a plain word (c32, c64; direction V), also where the model does not choose it
    #[arg(long, help_heading = CHOICES)]
    pub packed: bool,

    /// Compute 8 instances at once, in lanes: a program that otherwise computes one at a time (avx512ifma)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = CHOICES)]
    pub batch: Option<u32>,

    /// Let inverses of elements that do not wait for one another share one, by Montgomery's trick: faster, but with most primes a C compiler's code
    /// of it is not proved
    #[arg(long, help_heading = CHOICES)]
    pub share_inverses: bool,

    /// Let a fold over elements of a field (`_lanes`) go on with elements side by side from N groups of blocks on, where the target has vectors
    /// for them: fewer make short messages faster if the powers that it takes are worth it [default: as measured for the target]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), allow_negative_numbers = true, help_heading = CHOICES)]
    pub fold_groups: Option<u32>,

    /// Let a result of any length stand exactly where its text is: in C, the two pointers may be equal; in Rust, one slice is both
    #[arg(long, help_heading = CHOICES)]
    pub in_place: bool,

    /// Use registers of 128 or 256 bits where the target has wider ones (slices; blocks of a stream side by side)
    #[arg(long, value_name = "BITS", allow_negative_numbers = true, help_heading = CHOICES)]
    pub width: Option<u32>,

    /// Whether the bits of a bitsliced atom are handled together on plain words (c32, c64), as vectors of the C compiler
    #[arg(long, value_name = "none|auto", value_parser = planes, default_value = "auto", action = ArgAction::Set, help_heading = CHOICES)]
    pub planes: bool,

    /// Handle K groups of instances a call, GRAIN operations of each in turn (slices)
    #[arg(long, value_name = "K[,GRAIN]", value_parser = interleave, allow_negative_numbers = true, help_heading = CHOICES)]
    pub interleave: Option<Interleave>,

    /// The aim of the choices that are not given: the fewest cycles, or the fewest bytes
    #[arg(long, value_name = "speed|size", value_parser = goal, default_value = "speed", help_heading = CHOICES)]
    pub optimise: Goal,

    /// Which calls to replace by the callee's body
    #[arg(long, value_name = "none|auto|all", value_parser = amount, default_value = "auto", help_heading = CHOICES)]
    pub inline: Amount,

    /// Which loops to replace by their iterations (slices; other programs keep theirs)
    #[arg(long, value_name = "none|auto|all", value_parser = amount, default_value = "auto", help_heading = CHOICES)]
    pub unroll: Amount,

    /// Whether to reorder operations (slices)
    #[arg(long, value_name = "none|auto", value_parser = schedule, default_value = "auto", help_heading = CHOICES)]
    pub schedule: Schedule,

    /// Whether to use ternary logic where the target has it; some CPUs are faster without (slices)
    #[arg(long, value_name = "none|auto", value_parser = ternary, default_value = "auto", help_heading = CHOICES)]
    pub ternary: Ternary,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// List the values that the node, with those that it calls, makes public by `declassify`: place, node and expression
    #[arg(long)]
    pub declassified: bool,
    #[command(flatten)]
    pub instance: InstanceArgs,
}

#[derive(Debug, Args)]
pub struct EqualArgs {
    /// A program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub first: PathBuf,
    /// Another program, or the same one with other nodes: parameters and results are matched by their order
    #[arg(value_name = "OTHER", value_hint = ValueHint::FilePath)]
    pub second: PathBuf,
    /// Look for included files here, too; may be repeated
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = PROGRAM)]
    pub include: Vec<PathBuf>,
    /// The node of the first program [default: the last definition]
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,
    /// The node of the other program [default: the last definition]
    #[arg(long, value_name = "NODE")]
    pub other_node: Option<String>,
    /// A node of the other program: of variables of the first it makes those that the other's loop changes, each by its name
    #[arg(long, value_name = "NODE")]
    pub relation: Option<String>,
    /// What 'D stands for: v (vertical), h (horizontal), b (bitslice)
    #[arg(long, value_name = "v|h|b", value_parser = slicing)]
    pub slice: Option<Slicing>,
    /// What 'm stands for in both entries: their word size in bits
    #[arg(long, value_name = "M")]
    pub word: Option<u32>,
}

#[derive(Debug, Args)]
pub struct CompileArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub instance: TunedInstanceArgs,
    /// c32, c64, sse, ssesha, avx2, avx512, avx512ifma, avx512vaes, neon or vsx; for a description, a list such as sse,avx2,avx512
    /// [default: the widest this CPU runs that has code for the program; for small code of words and fields c64]
    #[arg(long, value_parser = target, value_delimiter = ',', help_heading = PROGRAM)]
    pub target: Vec<Target>,
    #[command(flatten)]
    pub choices: ChoiceArgs,
    /// Take the choices of `culet tune` for the target, which measures unless it has done so before, and name the best C compiler and flags
    #[arg(long, help_heading = CHOICES)]
    #[arg(conflicts_with_all = ["packed", "batch", "share_inverses", "fold_groups", "in_place", "width", "planes", "optimise", "interleave", "inline", "unroll", "schedule", "ternary"])]
    pub tune: bool,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    /// Also make an object with the C compiler (`--cc`, `--cflags`), prove it, and keep the verdict in DIR/proofs
    #[arg(long, help_heading = OUTPUT)]
    pub prove: bool,
    /// How many seconds the proof may take until it is given up [default: as many as it needs]
    #[arg(long, value_name = "SECONDS", requires = "prove", help_heading = OUTPUT)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub time_limit: Option<u64>,
    /// The language of the output: C, or a module in safe Rust, which has no vectors of vsx
    #[arg(long, value_enum, default_value = "c", conflicts_with_all = ["tune", "prove", "max_code", "max_stack", "max_table"], help_heading = OUTPUT)]
    pub language: Language,
    /// Name of the files, with which all names in them begin [default: the node's or the program's, with slicing and vectors]
    #[arg(long, alias = "stem", value_name = "NAME", value_parser = c_name, help_heading = OUTPUT)]
    pub name: Option<String>,
    /// Say how the kernel was interleaved, unrolled, inlined and ordered, why, and the cycles that the compiler's model
    /// predicts; for slices, and for other programs with --optimise size
    #[arg(long)]
    pub explain_choices: bool,
    /// Replace files that another command made
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,
    /// Where to write NAME.c and NAME.h, or NAME.rs; for a description DIR/NAME, which makes DIR/NAME.c and DIR/NAME.h
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = OUTPUT)]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct ProveArgs {
    /// The machine code: an object, shared object or executable (ELF, x86-64)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "cosim")]
    pub file: Option<PathBuf>,
    /// The program that was compiled by `culet compile`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = PROOF)]
    #[arg(conflicts_with = "contract")]
    pub source: Option<PathBuf>,
    /// What a function that anybody wrote computes on integers in limbs (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = PROOF)]
    #[arg(conflicts_with_all = ["EntryArgs", "slice", "ChoiceArgs", "target", "name", "mutate", "include"])]
    pub contract: Option<PathBuf>,
    /// Prove only that a function is safe, whatever it computes: constant-time, within its memory, by the ABI's rules
    #[arg(long, requires_all = ["symbol", "arguments"], help_heading = PROOF)]
    #[arg(conflicts_with_all = ["source", "contract", "proofs", "mutate", "erasure", "cosim"])]
    pub safe: bool,
    /// With --safe, the function's arguments in order: `r: out 32, k: in 32, w: secret 64, text: public 16*n, n: length 0..4`; at the
    /// end `-> public` if everybody may know the number that it returns
    #[arg(long, value_name = "TEXT", requires = "safe", help_heading = PROOF)]
    pub arguments: Option<String>,
    /// With --safe, take for granted that the variable whose name contains this text holds this number; may be repeated
    #[arg(long = "variable", value_name = "NAME=NUMBER", requires = "safe", help_heading = PROOF)]
    pub variables: Vec<String>,
    /// Look for included files here, too; may be repeated
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = PROGRAM)]
    pub include: Vec<PathBuf>,
    /// The target that it was compiled for: c32, c64, sse, ssesha, avx2, avx512, avx512ifma or avx512vaes [default: this, and all that
    /// says how it was compiled, is what `culet compile` noted in the object]
    #[arg(long, value_parser = target, requires = "source", help_heading = PROGRAM)]
    pub target: Option<Target>,
    #[command(flatten)]
    pub instance: InstanceArgs,
    #[command(flatten)]
    pub choices: ChoiceArgs,
    /// Beginning of the functions' names [default: as in `culet compile`]
    #[arg(long, alias = "stem", value_name = "NAME", requires = "source", help_heading = PROGRAM)]
    pub name: Option<String>,
    /// Only functions whose names contain this; with a contract, the function instead of the one it names; with --safe, the function
    #[arg(long, value_name = "TEXT", help_heading = PROOF)]
    pub symbol: Option<String>,
    /// Keep the verdict as an entry of a manifest, DIR/<kernel or function>.json
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "mutate", help_heading = OUTPUT)]
    pub proofs: Option<PathBuf>,
    /// How many instructions a function may execute
    #[arg(long, value_name = "N", default_value_t = 20_000_000, conflicts_with_all = ["mutate", "cosim"], help_heading = LIMITS)]
    pub instructions: u64,
    /// How many bytes of stack a function may use
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 23, conflicts_with_all = ["mutate", "cosim"], help_heading = LIMITS)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=1 << 30))]
    pub stack: u32,
    /// How many seconds it may take until it is given up [default: as many as it needs]
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["mutate", "cosim"], help_heading = LIMITS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub time_limit: Option<u64>,
    /// How many seconds of CPU time it may take until it is given up: on a machine that others use, too, the same verdict as alone (Linux)
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["mutate", "cosim"], help_heading = LIMITS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub cpu_limit: Option<u64>,
    /// Prove, too, that nothing that depends on data is left on the stack and in registers, but results
    #[arg(long, conflicts_with_all = ["mutate", "cosim"], help_heading = PROOF)]
    pub erasure: bool,
    /// Try the prover with N damaged copies of each function: it must reject them, or they must do what the function does
    #[arg(long, value_name = "N", requires = "source", value_parser = clap::value_parser!(u32).range(1..), help_heading = SELF_TESTS)]
    pub mutate: Option<u32>,
    /// Compare the meaning of instructions with this CPU instead: each encoding form, on random registers and memory
    #[arg(long, conflicts_with_all = ["file", "source", "contract", "mutate"], help_heading = SELF_TESTS)]
    pub cosim: bool,
    /// About how many trials `--cosim` makes, over all forms; `--message-format json` lists the forms that are not compared
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "cosim", help_heading = SELF_TESTS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub trials: u64,
    /// Which damage `--mutate` does, or which values `--cosim` takes
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = SELF_TESTS)]
    pub seed: u64,
}

/// The times after which a proof is given up.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeLimits {
    pub wall: Option<Duration>,
    /// The CPU time of this process.
    pub cpu: Option<Duration>,
}

impl ProveArgs {
    pub fn limits(&self) -> TimeLimits {
        TimeLimits { wall: self.time_limit.map(Duration::from_secs), cpu: self.cpu_limit.map(Duration::from_secs) }
    }

    /// The file; the command line has one, but where the CPU is compared.
    pub fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or_else(|| Path::new(""))
    }
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The program: an executable or shared object (ELF, x86-64), stripped or not, that was linked with the library
    #[arg(value_name = "BINARY", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Only kernels whose names contain this
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Fail if less is proved than this document says, which `culet verify --json` wrote: a kernel is missing, or was equal and is only safe
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub expect: Option<PathBuf>,
    /// Prove no more than that each is safe: constant-time, within its memory, by the ABI's rules
    #[arg(long)]
    pub safe: bool,
    /// Write one JSON document instead of a table; diagnostics on stderr are JSON, too, as with `--message-format json`
    #[arg(long)]
    pub json: bool,
    /// Write reasons whole, with remedies, not one line of each; a JSON document always has all
    #[arg(long)]
    pub verbose: bool,
    /// How many kernels are proved side by side; as many as there are CPUs if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// How many seconds all proofs of a kernel may take; after that, no more is known of it than was proved before
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub time_limit: u64,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A program, or a primitive's description
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Look for included files here, too; may be repeated
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = PROGRAM)]
    pub include: Vec<PathBuf>,
    #[command(flatten)]
    pub instance: InstanceArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub choices: ChoiceArgs,

    /// A parameter's bytes in hexadecimal; the results are printed likewise
    #[arg(long = "input", value_name = "NAME=HEX", conflicts_with_all = ["mode", "key"])]
    pub inputs: Vec<String>,

    /// Process a file: ecb or ctr for block ciphers, stream for stream ciphers
    #[arg(long, value_enum, requires = "key", requires = "output", help_heading = FILES)]
    pub mode: Option<RunMode>,
    /// The key in hexadecimal
    #[arg(long, value_name = "HEX", requires = "mode", help_heading = FILES)]
    pub key: Option<String>,
    /// The initial counter block (ctr) or the nonce (stream) in hexadecimal
    #[arg(long, value_name = "HEX", requires = "mode", help_heading = FILES)]
    pub iv: Option<String>,
    /// The counter of the first block (stream), from 0 [default: the description's]
    #[arg(long, value_name = "N", requires = "mode", value_parser = counter, allow_negative_numbers = true, help_heading = FILES)]
    pub counter: Option<u64>,
    /// Decrypt
    #[arg(long, requires = "mode", help_heading = FILES)]
    pub decrypt: bool,
    /// The file to process; - is stdin
    #[arg(value_name = "DATA", value_hint = ValueHint::FilePath, requires = "mode")]
    pub data: Option<PathBuf>,
    /// Where to write the result; - is stdout, written as the data come [default with --input: stdout]
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunMode {
    Ecb,
    Ctr,
    Stream,
}

/// What computes: the interpreter or a compiled kernel.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// Use the interpreter instead of a compiled kernel
    #[arg(long, conflicts_with_all = ["target", "cc", "runner", "packed", "batch", "share_inverses", "fold_groups", "in_place", "width", "optimise", "interleave", "inline", "unroll", "schedule", "ternary", "planes"], help_heading = ENGINE)]
    pub interpret: bool,
    /// c32, c64, sse, ssesha, avx2, avx512, avx512ifma, avx512vaes, neon or vsx [default: the widest that runs]
    #[arg(long, value_parser = target, help_heading = ENGINE)]
    pub target: Option<Target>,
    /// The C compiler [default: $CC, clang-19, clang, gcc-12, gcc, cc]
    #[arg(long, value_name = "COMMAND", help_heading = ENGINE)]
    pub cc: Option<String>,
    /// Executes compiled kernels, for another machine's targets: qemu-aarch64, 'qemu-ppc64le -cpu power9'
    #[arg(long, value_name = "COMMAND", help_heading = ENGINE)]
    pub runner: Option<String>,
}

#[derive(Debug, Args)]
pub struct TestArgs {
    /// Descriptions of primitives (.toml), or directories of them and of other files
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Only this slicing
    #[arg(long, value_name = "v|h|b", value_parser = slicing)]
    pub slice: Option<Slicing>,
    /// Only the interpreter
    #[arg(long, conflicts_with_all = ["target", "cc", "runner"])]
    pub interpret: bool,
    /// Only this target, or a list such as c32,c64 [default: the interpreter and all that run]
    #[arg(long, value_parser = target, value_delimiter = ',')]
    pub target: Vec<Target>,
    /// Only this C compiler; may be repeated [default: all of clang-19, clang, gcc-12, gcc, cc that are installed]
    #[arg(long, value_name = "COMMAND")]
    pub cc: Vec<String>,
    /// Executes compiled kernels, for another machine's targets: qemu-aarch64, 'qemu-ppc64le -cpu power9'
    #[arg(long, value_name = "COMMAND")]
    pub runner: Option<String>,
}

#[derive(Debug, Args)]
pub struct DumpArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub instance: InstanceArgs,
    /// c32, c64, sse, ssesha, avx2, avx512, avx512ifma, avx512vaes, neon or vsx [default: the widest this CPU runs]
    #[arg(long, value_parser = target, help_heading = PROGRAM)]
    pub target: Option<Target>,
    #[command(flatten)]
    pub choices: ChoiceArgs,
    /// ast, program, lower, limbs, c, or the name of a pass; the other options say which compilation is looked at
    #[arg(long, value_name = "STAGE", required_unless_present = "carries", help_heading = OUTPUT)]
    pub after: Option<String>,
    /// Instead of a stage: every carry of a program over a field, the limbs' bounds around it, and what fails without it
    #[arg(long, conflicts_with = "after", help_heading = OUTPUT)]
    pub carries: bool,
}

#[derive(Debug, Args)]
pub struct ContractArgs {
    /// A C file or header that fiat-crypto wrote
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The directory for a file FUNCTION.toml for each function; it is made if need be
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct LibraryArgs {
    /// What to make (TOML); `culet explain E0880` says what it has
    #[arg(value_name = "RECIPE", value_hint = ValueHint::FilePath, default_value = "library/kernels.toml")]
    pub recipe: PathBuf,
    /// Write nothing: compare, and name every file that differs, is missing or is left over
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// aes128, chacha20, present80, rectangle80, rectangle128, serpent128 or serpent256
    #[arg(default_value = "aes128")]
    pub cipher: String,
    /// A file to encrypt and decrypt [default: 1 MiB made for the purpose]
    #[arg(long, value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Where to write the report
    #[arg(short, long, value_name = "FILE.html", default_value = "culet-demo.html", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The C compiler [default: $CC, clang-19, clang, gcc-12, gcc, cc]
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
}

impl EntryArgs {
    pub fn apply(&self, options: &mut Options) {
        options.node.clone_from(&self.node);
        options.word = self.word;
    }
}

impl InstanceArgs {
    pub fn apply(&self, options: &mut Options) {
        self.entry.apply(options);
        options.slicing = self.slice;
    }
}

impl TunedInstanceArgs {
    /// An automatic direction stays open.
    pub fn apply(&self, options: &mut Options) {
        self.entry.apply(options);
        options.slicing = match self.slice {
            Some(Slice::Is(slicing)) => Some(slicing),
            Some(Slice::Auto) | None => None,
        };
    }
}

impl ChoiceArgs {
    pub fn apply(&self, options: &mut Options) {
        options.packed = self.packed;
        options.batch = self.batch;
        options.share_inverses = self.share_inverses;
        options.fold_groups = self.fold_groups;
        options.in_place = self.in_place;
        options.width = self.width;
        options.planes = self.planes;
        options.goal = self.optimise;
        options.interleave = self.interleave;
        options.inline = self.inline;
        options.unroll = self.unroll;
        options.schedule = self.schedule;
        options.ternary = self.ternary;
    }
}
