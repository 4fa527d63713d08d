//! The kernels by which the model's predictions are judged: `bench/data/kernels-zen4.tsv`, and its measurements anew.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use culet_driver::{Interleave, Options};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_passes::Amount;
use culet_tune::{Choice, Limits, Request, Reuse, What};

use crate::beside::{first, source};
use crate::speed::{SUBJECTS, Subject};

/// Ticks a byte of kernels with choices of many kinds, each the best of two C compilers.
pub const MEASURED: &str = include_str!("../data/kernels-zen4.tsv");
/// Seconds of sampling for a kernel.
const SAMPLING: u64 = 1;

/// A line of the file.
pub struct Line {
    pub file: &'static str,
    pub options: Options,
    pub ticks: f64,
    /// The fields that name the kernel, as the file has them.
    name: String,
}

pub fn lines() -> impl Iterator<Item = Result<Line, String>> {
    MEASURED.lines().filter(|line| !line.starts_with('#')).map(|line| read(line).ok_or_else(|| format!("`{line}`")))
}

fn read(line: &str) -> Option<Line> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [row, target, interleave, grain, unroll, ticks] = fields[..] else { return None };
    let Subject(_, file, node, slicing) = SUBJECTS.iter().find(|subject| subject.0 == row)?;
    let options = Options {
        node: Some((*node).into()),
        slicing: Some(*slicing),
        interleave: Some(Interleave { factor: interleave.parse().ok()?, grain: grain.parse().ok()? }),
        unroll: if unroll == "none" { Amount::None } else { Amount::Auto },
        ..Options::new(Target::find(target)?)
    };
    Some(Line { file, options, ticks: ticks.parse().ok()?, name: fields[..5].join("\t") })
}

/// The file with today's measurements. Kernels that this CPU does not run keep the old ones.
///
/// # Errors
///
/// If a line is wrong, or nothing can be measured.
pub fn run(primitives: &Path, cflags: &[String], progress: &mut dyn FnMut(&str)) -> Result<String, String> {
    let compilers = CCompiler::installed();
    let mut text: String =
        MEASURED.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    for line in lines() {
        let Line { file, options, ticks, name } = line?;
        let now =
            if cpu_runs(options.target) { measure(primitives, file, &options, &compilers, cflags)? } else { ticks };
        progress(&format!("{name}: {now:.3}, was {ticks:.3}"));
        let _ = writeln!(text, "{name}\t{now:.3}");
    }
    Ok(text)
}

/// Ticks a byte, the better of all C compilers.
fn measure(
    primitives: &Path,
    file: &str,
    options: &Options,
    compilers: &[CCompiler],
    cflags: &[String],
) -> Result<f64, String> {
    let source = source(primitives, file)?;
    let choice = |compiler| Choice { options: options.clone(), compiler, flags: cflags.to_vec() };
    let choices: Vec<Choice> = (0..compilers.len()).map(choice).collect();
    let request = Request {
        source: &source,
        options: options.clone(),
        any_slicing: false,
        compilers: compilers.to_vec(),
        flags: cflags.to_vec(),
        runner: None,
        what: What::Registers,
        limits: Limits { time: Duration::from_secs(SAMPLING), exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    let figures = culet_tune::measure(&request, &choices, &mut |_| {}).map_err(|errors| first(&errors))?;
    let best = figures.of.iter().flatten().map(|figure| figure.ticks_a_byte).reduce(f64::min);
    best.ok_or_else(|| "it could not be measured".to_owned())
}
