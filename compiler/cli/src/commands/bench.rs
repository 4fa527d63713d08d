//! `culet bench`: measures the speed of primitives with the default choices, in every slicing, on every target, with
//! every C compiler.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Options, Primitive, Source, slicing_name};
use culet_ir::Target;
use culet_native::{CCompiler, Runner};
use culet_tune::{Budget, Choice, Figure, Figures, Limits, Request, Reuse, What, measure};

use super::{descriptions, progress_bar, read, tune};
use crate::args::{BenchArgs, MessageFormat};
use crate::output::{Failure, Output};

pub fn run(args: &BenchArgs, output: Output) -> Result<(), Failure> {
    let paths = descriptions::find(&args.files, output)?;
    let runner = args.runner.as_deref().map(Runner::new);
    let compilers = tune::compilers(&args.cc, runner.as_ref(), &args.target, output)?;
    let targets = match args.target.as_slice() {
        [] => targets(&compilers, runner.as_ref()),
        given => given.to_vec(),
    };
    let flags = args.cflags.split_whitespace().map(str::to_owned).collect();
    let bench = Bench { args, compilers, runner, targets, flags, output };
    let mut failure = None;
    let mut measured = 0;
    for path in &paths {
        match bench.primitive(path) {
            Ok(rows) => measured += rows,
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None if measured == 0 => {
            let message = "none of these primitives is meant for this slicing";
            let note = "the descriptions' `slicing.allowed` says which ones are";
            Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)))
        }
        None => Ok(()),
    }
}

/// The targets that all of these compilers make programs for, as far as those programs run here or under the runner.
fn targets(compilers: &[CCompiler], runner: Option<&Runner>) -> Vec<Target> {
    let of = |compiler: &CCompiler| compiler.clone().with_runner(runner.cloned()).targets();
    let of_each: Vec<Vec<Target>> = compilers.iter().map(of).collect();
    Target::for_slices().filter(|target| of_each.iter().all(|targets| targets.contains(target))).collect()
}

struct Bench<'a> {
    args: &'a BenchArgs,
    compilers: Vec<CCompiler>,
    runner: Option<Runner>,
    targets: Vec<Target>,
    flags: Vec<String>,
    output: Output,
}

impl Bench<'_> {
    /// Prints the rows of one primitive. Returns their number.
    fn primitive(&self, path: &Path) -> Result<usize, Failure> {
        let output = self.output;
        let primitive = descriptions::read(path, output)?;
        let (source, diagnostics) = read(&path.with_file_name(&primitive.source), &[], output)?;
        if diagnostics.has_errors() {
            return Err(output.report(&diagnostics, &source.map));
        }
        let choices = self.choices(&primitive);
        if choices.is_empty() {
            return Ok(0);
        }
        let bar = progress_bar(Some(2 * choices.len() as u64), output);
        bar.set_message(primitive.name.clone());
        let measure = |what: What, done: usize| -> Result<Figures, Diagnostics> {
            measure(&self.request(&source, &choices[0].options, what), &choices, &mut |now| {
                bar.set_position((done + now) as u64);
            })
        };
        let figures =
            measure(What::Registers, 0).and_then(|alone| Ok((alone, measure(What::default(), choices.len())?)));
        bar.finish_and_clear();
        let (alone, packed) = figures.map_err(|d| output.report(&d, &source.map))?;
        output.data(self.rows(&primitive, &choices, &alone, &packed).as_bytes())?;
        Ok(choices.len())
    }

    fn request<'s>(&self, source: &'s Source, options: &Options, what: What) -> Request<'s> {
        Request {
            source,
            options: options.clone(),
            any_slicing: false,
            compilers: self.compilers.clone(),
            flags: self.flags.clone(),
            runner: self.runner.clone(),
            what,
            budget: Budget::default(),
            limits: Limits { time: Duration::ZERO, exhaustive: false },
            cache: None,
            reuse: Reuse::Nothing,
        }
    }

    /// Every slicing that the primitive is meant for, on every target, with every compiler.
    fn choices(&self, primitive: &Primitive) -> Vec<Choice> {
        let mut choices = Vec::new();
        for (slicing, word) in
            primitive.slicings().into_iter().filter(|(s, _)| self.args.slice.is_none_or(|only| only == *s))
        {
            for &target in &self.targets {
                for compiler in 0..self.compilers.len() {
                    let node = primitive.main_node().map(str::to_owned);
                    let options = Options { node, slicing: Some(slicing), word, ..Options::new(target) };
                    choices.push(Choice { options, compiler, flags: self.flags.clone() });
                }
            }
        }
        choices
    }

    fn rows(&self, primitive: &Primitive, choices: &[Choice], alone: &Figures, packed: &Figures) -> String {
        let mut text = String::new();
        if self.output.format == MessageFormat::Human {
            let unit = if alone.clock == "tsc" { "ticks of the time-stamp counter" } else { "nanoseconds" };
            let _ = writeln!(
                text,
                "{} on {}: {unit} a byte, alone and with packing (the mean of messages of 1 KiB and of 16 KiB)",
                primitive.name, alone.machine
            );
        }
        for ((choice, alone_of), packed_of) in choices.iter().zip(&alone.of).zip(&packed.of) {
            let slicing = choice.options.slicing.map_or("-", slicing_name);
            let (target, compiler) = (choice.options.target.name(), self.compilers[choice.compiler].name());
            let problem = alone_of.as_ref().err().or(packed_of.as_ref().err());
            if self.output.format == MessageFormat::Json {
                let row = serde_json::json!({
                    "primitive": primitive.name,
                    "slicing": slicing,
                    "target": target,
                    "cc": format!("{compiler} {}", choice.flags.join(" ")),
                    "machine": alone.machine,
                    "clock": alone.clock,
                    "ticks_a_byte": alone_of.as_ref().ok().map(|figure| figure.ticks_a_byte),
                    "ticks_a_byte_with_packing": packed_of.as_ref().ok().map(|figure| figure.ticks_a_byte),
                    "failed": problem,
                });
                let _ = writeln!(text, "{row}");
                continue;
            }
            let show = |figure: &Result<Figure, String>| {
                figure.as_ref().map_or_else(|_| "-".into(), |figure| format!("{:.3}", figure.ticks_a_byte))
            };
            let _ = write!(text, "  {slicing}  {target:<7} {compiler:<24}{:>9}{:>9}", show(alone_of), show(packed_of));
            let _ = writeln!(text, "{}", problem.map_or_else(String::new, |reason| format!("  {reason}")));
        }
        text
    }
}
