//! `culet bench`: measures the speed of programs and primitives with the default choices, in every slicing, on every target, with
//! every C compiler.

mod words;

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{Options, Source, computes_one_instance, elaborate, slicing_name};
use culet_ir::Target;
use culet_native::{CCompiler, Runner};
use culet_tune::{Budget, Choice, Figure, Figures, Limits, Request, Reuse, What, measure_each};
use culet_types::program::Slicing;

use super::messages::Messages;
use super::{descriptions, progress_bar, read, tune};
use crate::args::{BenchArgs, MessageFormat};
use crate::output::{Failure, Output};

pub fn run(args: &BenchArgs, output: Output) -> Result<(), Failure> {
    let paths = descriptions::find(&args.files, output)?;
    let runner = args.runner.as_deref().map(Runner::new);
    let compilers = tune::compilers(&args.cc, runner.as_ref(), &args.target, output)?;
    let flags = args.cflags.split_whitespace().map(str::to_owned).collect();
    let bench = Bench { args, compilers, runner, flags, output };
    let mut failure = None;
    let mut measured = 0;
    for path in &paths {
        match bench.measure(path) {
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

struct Bench<'a> {
    args: &'a BenchArgs,
    compilers: Vec<CCompiler>,
    runner: Option<Runner>,
    flags: Vec<String>,
    output: Output,
}

/// A file's program, and the ways in which it is measured.
struct Subject {
    name: String,
    source: Source,
    /// The node, word and slicing of each row.
    ways: Vec<Options>,
}

impl Bench<'_> {
    /// Prints the rows of a program or of one primitive. Returns their number.
    fn measure(&self, path: &Path) -> Result<usize, Failure> {
        let subject = self.subject(path)?;
        let choices = self.choices(&subject);
        let Some(first) = choices.first() else { return Ok(0) };
        let output = self.output;
        let messages = match computes_one_instance(&subject.source, &first.options) {
            true => Some(Messages::of(&subject.source, &first.options, &self.args.bytes, output)?),
            false if !self.args.bytes.is_empty() => {
                let message =
                    "`--bytes` does nothing for kernels on slices, which are measured on messages of 1 KiB and 16 KiB";
                let note = "leave it out; `culet tune --bytes` compares them on others";
                return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
            }
            false => None,
        };
        let whats = messages.as_ref().map_or_else(|| vec![What::Registers, What::default()], |m| m.whats.clone());
        let bar = progress_bar(Some((whats.len() * choices.len()) as u64), output);
        bar.set_message(subject.name.clone());
        let request = self.request(&subject.source, &first.options, whats[0]);
        let figures = measure_each(&request, &whats, &choices, &mut |now| bar.set_position(now as u64));
        bar.finish_and_clear();
        let figures = figures.map_err(|d| output.report(&d, &subject.source.map))?;
        let text = match &messages {
            Some(messages) => {
                // Programs of operations have several nodes, of which one is measured.
                let node = elaborate(&subject.source, &first.options).0.map(|program| program.entry().name.clone());
                let names = (subject.name.as_str(), node.as_deref().unwrap_or_default());
                words::rows(names, messages, (&choices, &self.compilers), &figures, output.format)
            }
            None => self.rows(&subject.name, &choices, &figures[0], &figures[1]),
        };
        output.data(text.as_bytes())?;
        if figures.iter().all(|figures| figures.of.iter().all(Result::is_err)) {
            let message = format!("nothing of {} could be measured", subject.name);
            return Err(output.fail(Diagnostic::error_without_place(&world::E0850, message).note("the rows say why")));
        }
        Ok(choices.len())
    }

    fn subject(&self, path: &Path) -> Result<Subject, Failure> {
        let Bench { args, output, .. } = *self;
        let description = match descriptions::is_description(path) {
            true => Some(descriptions::read(path, output)?),
            false => None,
        };
        let program = description.as_ref().map_or_else(|| path.to_owned(), |d| path.with_file_name(&d.source));
        let (source, diagnostics) = read(&program, &args.include, output)?;
        if diagnostics.has_errors() {
            return Err(output.report(&diagnostics, &source.map));
        }
        let mut options = Options::new(args.target.first().copied().unwrap_or(Target::C64));
        args.entry.apply(&mut options);
        let Some(primitive) = description else {
            let directions = self.directions(&source, &options)?;
            let ways = directions.into_iter().map(|slicing| Options { slicing, ..options.clone() }).collect();
            return Ok(Subject { name: source.stem.clone(), ways, source });
        };
        options.node = options.node.or_else(|| primitive.main_node().map(str::to_owned));
        let is_wanted = |(slicing, _): &(Slicing, Option<u32>)| args.slice.is_none_or(|only| only == *slicing);
        let way = |(slicing, word): (Slicing, Option<u32>)| Options {
            slicing: Some(slicing),
            word: options.word.or(word),
            ..options.clone()
        };
        let ways = primitive.slicings().into_iter().filter(is_wanted).map(way).collect();
        Ok(Subject { name: primitive.name.clone(), ways, source })
    }

    /// The directions in which a program without a description is measured: the one that is given, or all that are open.
    fn directions(&self, source: &Source, options: &Options) -> Result<Vec<Option<Slicing>>, Failure> {
        let output = self.output;
        if let Some(others) = culet_driver::other_nodes(source, options) {
            output.progress(&others);
        }
        match self.args.slice {
            None if !computes_one_instance(source, options) => {
                let request = self.request(source, options, What::default());
                let open = culet_tune::slicings(&Request { any_slicing: true, ..request });
                open.map_err(|errors| output.report(&errors, &source.map))
            }
            given => Ok(vec![given]),
        }
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

    /// Every way to compile a program, on every target, with every compiler.
    fn choices(&self, subject: &Subject) -> Vec<Choice> {
        let runner = self.runner.as_ref();
        let is_on_words = subject.ways.first().is_some_and(|way| computes_one_instance(&subject.source, way));
        let targets = match (self.args.target.as_slice(), is_on_words) {
            ([], true) => tune::running(Target::ALL.into_iter(), &self.compilers, runner),
            ([], false) => tune::running(Target::for_slices(), &self.compilers, runner),
            (given, _) => given.to_vec(),
        };
        let mut choices = Vec::new();
        for way in &subject.ways {
            for &target in &targets {
                for compiler in 0..self.compilers.len() {
                    let options = Options { target, ..way.clone() };
                    choices.push(Choice { options, compiler, flags: self.flags.clone() });
                }
            }
        }
        choices
    }

    fn rows(&self, name: &str, choices: &[Choice], alone: &Figures, packed: &Figures) -> String {
        let mut text = String::new();
        if self.output.format == MessageFormat::Human {
            let unit = tune::unit(&alone.clock);
            let _ = writeln!(
                text,
                "{} on {}: {unit} a byte, alone and with packing (the mean of messages of 1 KiB and of 16 KiB)",
                name, alone.machine
            );
        }
        for ((choice, alone_of), packed_of) in choices.iter().zip(&alone.of).zip(&packed.of) {
            let slicing = choice.options.slicing.map_or("-", slicing_name);
            let (target, compiler) = (choice.options.target.name(), self.compilers[choice.compiler].name());
            let problem = alone_of.as_ref().err().or(packed_of.as_ref().err());
            if self.output.format == MessageFormat::Json {
                let row = serde_json::json!({
                    "primitive": name,
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
