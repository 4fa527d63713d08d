//! Counts of instructions and memory accesses of each row's default kernel, which no clock measures: `bench/data/counts.tsv`, and how it is made and checked.
//!
//! Valgrind counts instructions, reads and writes of a call on registers. They are the same on every machine that has the same C
//! compilers, so that a test sees there what a clock sees on a quiet machine only.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use culet_driver::{Kernel, Options, Source};
use culet_emit::{Interface, capitals};
use culet_ir::Target;
use culet_native::{CCompiler, CompileError, Job, Runner, Scratch};

use crate::beside::{Facts, first, program, source};

/// Counts of every row by each C compiler.
#[cfg(test)]
const COUNTED: &str = include_str!("../data/counts.tsv");
/// C compilers and flags of the counts.
const COMPILERS: [&str; 2] = ["gcc-12", "clang-19"];
const FLAGS: [&str; 2] = ["-O3", "-march=znver3"];
/// Limit of one C compilation, and of one run.
const LIMIT: Duration = Duration::from_secs(300);
/// Bytes of the output of valgrind, more than it prints.
const MOST_PRINTED: u64 = 1 << 20;
const HEAD: &str = "\
# A call of the default kernel of each row of docs/speed.md on registers, by gcc 12.2 and clang 19.1 with -O3 -march=znver3: bytes of results,
# operations of the intermediate representation, cycles of the longest chain by the model; instructions, reads and writes by valgrind.
# cargo run --release -p culet-bench -- counts
row\tregisters\tcompiler\tbytes\toperations\tchain\tinstructions\treads\twrites
";

/// The counts of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    instructions: u64,
    reads: u64,
    writes: u64,
}

/// A row by one C compiler.
#[derive(Debug, Clone, Copy)]
struct Case {
    row: &'static str,
    target: Target,
    registers: &'static str,
    compiler: &'static str,
}

fn cases() -> impl Iterator<Item = Case> {
    crate::beside::places()
        .flat_map(|(row, registers, target)| COMPILERS.map(|compiler| Case { row, target, registers, compiler }))
}

/// The file with today's counts.
///
/// # Errors
///
/// If a kernel cannot be made, or valgrind does not run it.
pub fn run(primitives: &Path, progress: &mut dyn FnMut(&str)) -> Result<String, String> {
    let mut text = HEAD.to_owned();
    for case in cases() {
        let line = line(primitives, case)?;
        progress(&line);
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}

fn line(primitives: &Path, case: Case) -> Result<String, String> {
    let (source, options) = kernel(primitives, case)?;
    let facts = Facts::of(&source, &options)?;
    let Counts { instructions, reads, writes } = counts(&source, &options, case.compiler)?;
    let Case { row, registers, compiler, .. } = case;
    let (operations, chain) = (facts.instructions, facts.chain * facts.bytes);
    Ok(format!(
        "{row}\t{registers}\t{compiler}\t{}\t{operations}\t{chain:.0}\t{instructions}\t{reads}\t{writes}",
        facts.bytes
    ))
}

/// The program of a row, and its default options.
fn kernel(primitives: &Path, case: Case) -> Result<(Source, Options), String> {
    let (file, node, slicing) = program(case.row).ok_or("there is no such program")?;
    let options = Options { node: Some(node.into()), slicing: Some(slicing), ..Options::new(case.target) };
    Ok((source(primitives, file)?, options))
}

/// Counts what one call on registers takes.
fn counts(source: &Source, options: &Options, compiler: &str) -> Result<Counts, String> {
    let in_words = |error: CompileError| error.to_string();
    let compiler = CCompiler::find(Some(compiler)).map_err(in_words)?;
    let (kernel, diagnostics) = Kernel::of(source, "kernel", options, &culet_diag::Diagnostics::new());
    let kernel = kernel.ok_or_else(|| first(&diagnostics))?;
    let interface = kernel.on_slices().map_err(|errors| first(&errors))?;
    let scratch = Scratch::new("culet-counts-").map_err(|error| error.to_string())?;
    let directory = scratch.path();
    let files = [("kernel.c", kernel.text()), ("kernel.h", kernel.header()), ("main.c", &caller(interface))];
    for (name, text) in files {
        fs::write(directory.join(name), text).map_err(|error| format!("cannot write `{name}`: {error}"))?;
    }
    let flags = FLAGS.map(str::to_owned);
    let object = |name: &str| compiler.object(directory, name, options.target, &flags, LIMIT).map_err(in_words);
    let program = directory.join("program");
    compiler.executable(&[object("main")?, object("kernel")?], &program, true, LIMIT).map_err(in_words)?;
    let valgrind = format!(
        "valgrind --tool=callgrind --cache-sim=yes --log-fd=1 --callgrind-out-file={} --toggle-collect={}",
        directory.join("profile").display(),
        interface.sliced
    );
    let job = Job { program: &program, arguments: &[], input: &[], time_limit: LIMIT, output_limit: MOST_PRINTED };
    let printed = job.run(Some(&Runner::new(&valgrind))).map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&printed);
    read(&printed).ok_or_else(|| format!("valgrind counted nothing: {printed}"))
}

/// A program that calls a kernel once.
fn caller(interface: &Interface) -> String {
    let prefix = capitals(interface.sliced.trim_end_matches("_sliced"));
    let mut text =
        format!("#include <stddef.h>\n#include <stdint.h>\n#define {prefix}_SLICED_API\n#include \"kernel.h\"\n");
    let mut names = Vec::new();
    for (number, argument) in interface.arguments.iter().enumerate() {
        // No register is longer than 64 bytes.
        let _ = writeln!(text, "static _Alignas(64) unsigned char r{number}[{}];", 64 * argument.registers);
        names.push(format!("(void *)r{number}"));
    }
    let _ = writeln!(text, "int main(void)\n{{\n    {}({});\n    return 0;\n}}", interface.sliced, names.join(", "));
    text
}

/// Reads the sums that callgrind prints at its end.
fn read(printed: &str) -> Option<Counts> {
    let line = printed.lines().find_map(|line| line.split_once("Collected : "))?.1;
    let mut numbers = line.split(' ').map_while(|number| number.parse().ok());
    let counts = Counts { instructions: numbers.next()?, reads: numbers.next()?, writes: numbers.next()? };
    (counts.instructions > 0).then_some(counts)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use culet_testing::draw;

    use super::*;

    /// Share by which counts may grow before the file has to say so.
    const GROWTH: f64 = 1.02;
    /// Number of cases of a run.
    const DRAWN: usize = 6;

    /// The case of a line, as the file names it, and its numbers.
    fn lines() -> Vec<(Vec<&'static str>, Vec<u64>)> {
        let lines = COUNTED.lines().filter(|line| !line.starts_with('#')).skip(1);
        let split = |line: &'static str| {
            let fields: Vec<&str> = line.split('\t').collect();
            let numbers = fields[3..].iter().map(|field| field.parse().expect(line)).collect();
            (fields[..3].to_vec(), numbers)
        };
        lines.map(split).collect()
    }

    /// Kernels take no more operations, no longer chains, no more instructions, reads and writes than the file says. Where they take fewer,
    /// or more for a reason, `culet-bench counts` makes the file anew.
    #[test]
    fn kernels_take_no_more_than_was_counted() {
        let primitives = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../primitives"));
        let lines = lines();
        let features = |case: &Case| vec![case.row.to_owned(), case.registers.to_owned(), case.compiler.to_owned()];
        let all: Vec<Case> = cases().collect();
        for case in draw::few("counts of kernels", all, features, |_| 1, DRAWN) {
            let now = line(&primitives, case).expect(case.row);
            let place = [case.row, case.registers, case.compiler];
            let (_, then) = lines.iter().find(|(of, _)| *of == place).expect("a line of the file");
            let now: Vec<u64> = now.split('\t').skip(3).map(|field| field.parse().expect("a number")).collect();
            assert_eq!(now[0], then[0], "{place:?}: another number of bytes");
            for (name, (now, then)) in HEAD.split('\t').skip(4).zip(now.iter().zip(then).skip(1)) {
                assert!(*now as f64 <= *then as f64 * GROWTH, "{place:?}: {name} were {then} and are {now}");
            }
        }
    }

    #[test]
    fn every_case_has_its_line() {
        let named: Vec<Vec<&str>> = cases().map(|case| vec![case.row, case.registers, case.compiler]).collect();
        let lines: Vec<Vec<&str>> = lines().into_iter().map(|(names, _)| names).collect();
        assert_eq!(lines, named);
        assert!(lines.len() > 150, "{}", lines.len());
    }

    #[test]
    fn sums_are_read_and_rubbish_is_not() {
        let printed = "==7== Events    : Ir Dr Dw I1mr\n==7== Collected : 30 12 4 1\n";
        assert_eq!(read(printed), Some(Counts { instructions: 30, reads: 12, writes: 4 }));
        assert_eq!(read("==7== Collected : 0 0 0"), None);
        assert_eq!(read("==7== Collected : 30 12"), None);
        assert_eq!(read("valgrind: no such program"), None);
    }
}
