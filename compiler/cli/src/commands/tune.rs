//! `culet tune`, and the part of it that `culet compile --tune` uses.

mod words;

use std::fmt::Write;
use std::time::{Duration, Instant};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{EngineError, Options, Source, computes_one_instance};
use culet_ir::Target;
use culet_native::{CCompiler, CompileError, Runner};
use culet_tune::{Choice, Lengths, Limits, Outcome, Ranked, Request, Reuse, What, described};
use culet_types::program::Slicing;

use super::{cache_directory, read, spinner};
use crate::args::{MeasuringArgs, MessageFormat, Slice, TuneArgs};
use crate::output::{Failure, Output};

pub fn run(args: &TuneArgs, output: Output) -> Result<(), Failure> {
    let (source, diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let mut options = Options::new(args.target.unwrap_or_else(culet_native::best_target));
    args.instance.apply(&mut options);
    let any_slicing = args.instance.slice == Some(Slice::Auto);
    // Programs that compute one instance at a time are vertical.
    let direction = options.slicing.or(any_slicing.then_some(Slicing::Vertical));
    let on_words = Options { slicing: direction, ..options.clone() };
    let is_on_words = args.measuring.measure != What::Registers && computes_one_instance(&source, &on_words);
    if let Some(others) = culet_driver::other_nodes(&source, &options) {
        output.progress(&others);
    }
    let effort = if args.exhaustive { Effort::Everything } else { Effort::GoOn };
    if is_on_words && !diagnostics.has_errors() {
        return words::run(args, &source, on_words, effort, output);
    }
    let tuned = tune(&source, diagnostics, options, any_slicing, &args.measuring, effort, output)?;
    let text = match output.format {
        MessageFormat::Human => tuned.table(&source.stem),
        MessageFormat::Json => format!("{}\n", tuned.json()),
    };
    output.data(text.as_bytes())
}

/// An outcome, and the compilers to which its choices refer.
pub struct Tuned {
    outcome: Outcome,
    pub compilers: Vec<CCompiler>,
    what: What,
    /// The fastest choice of each slicing, with its figure for each length of messages.
    by_length: Vec<(Choice, Vec<(u64, f64)>)>,
}

/// The work that remains to be done where something was measured before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Nothing is measured if there is a verdict.
    Settle,
    /// The search goes on if it ended for lack of time.
    GoOn,
    /// Every choice is measured.
    Everything,
}

/// Measures the choices, or takes an earlier result.
pub fn tune(
    source: &Source,
    mut diagnostics: Diagnostics,
    options: Options,
    any_slicing: bool,
    args: &MeasuringArgs,
    effort: Effort,
    output: Output,
) -> Result<Tuned, Failure> {
    if diagnostics.has_errors() {
        let found = culet_driver::check(source, &options, &diagnostics);
        diagnostics.extend(found);
        return Err(output.report(&diagnostics, &source.map));
    }
    let Some(what) = args.what() else {
        let message = "choices are compared by one length of messages, or by the mean of two";
        let note = "give `--bytes` one or two numbers; `culet tune` takes more for programs with streams";
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
    };
    let runner = args.runner.as_deref().map(Runner::new);
    let compilers = compilers(&args.cc, runner.as_ref(), &[options.target], output)?;
    let start = Instant::now();
    let time = Duration::from_secs(args.time);
    // The figures of each length take a part of the time.
    let search = time.mul_f64(SEARCH);
    let request = Request { any_slicing, ..request(source, options, args, effort, (compilers.clone(), what, search)) };
    let bar = spinner("compiling the first candidates", output);
    let outcome = culet_tune::tune(&request, &mut |measured, best| {
        let best = best.map_or_else(String::new, |(text, ticks)| format!(": {ticks:.3} ticks a byte, {text}"));
        bar.set_message(format!("{measured} measured{best}"));
    });
    bar.finish_and_clear();
    let outcome = outcome.map_err(|d| output.report(&d, &source.map))?;
    for remark in &outcome.remarks {
        output.progress(&format!("warning: {remark}"));
    }
    let until = (effort != Effort::Everything).then(|| start + time);
    let by_length = if effort == Effort::Settle { Vec::new() } else { by_length(&request, &outcome, until) };
    Ok(Tuned { outcome, compilers, what: request.what, by_length })
}

/// A request of the command line's, with these compilers, for this part of kernels, with so much time.
fn request<'s>(
    source: &'s Source,
    options: Options,
    args: &MeasuringArgs,
    effort: Effort,
    (compilers, what, time): (Vec<CCompiler>, What, Duration),
) -> Request<'s> {
    Request {
        source,
        options,
        any_slicing: false,
        compilers,
        flags: args.cflags.split_whitespace().map(str::to_owned).collect(),
        runner: args.runner.as_deref().map(Runner::new),
        what,
        budget: args.budget.budget(),
        limits: Limits { time, exhaustive: effort == Effort::Everything },
        cache: cache_directory().map(|cache| cache.join("tune")),
        reuse: match effort {
            _ if args.again => Reuse::Nothing,
            Effort::Settle => Reuse::Verdicts,
            Effort::GoOn | Effort::Everything => Reuse::CompleteVerdicts,
        },
    }
}

/// Share of the time that the search has.
const SEARCH: f64 = 0.7;

/// Measures the fastest choice of each slicing at each length of messages alone; nothing where it cannot be measured
/// again, or the time is over.
fn by_length(request: &Request, outcome: &Outcome, until: Option<Instant>) -> Vec<(Choice, Vec<(u64, f64)>)> {
    let What::Bytes(Lengths { short, long }) = request.what else { return Vec::new() };
    let mut fastest: Vec<(Choice, Vec<(u64, f64)>)> = Vec::new();
    for Ranked { choice, .. } in &outcome.ranking {
        if fastest.iter().all(|(other, _)| other.options.slicing != choice.options.slicing) {
            fastest.push((choice.clone(), Vec::new()));
        }
    }
    let choices: Vec<Choice> = fastest.iter().map(|(choice, _)| choice.clone()).collect();
    for bytes in if short == long { vec![long] } else { vec![short, long] } {
        let what = What::Bytes(Lengths { short: bytes, long: bytes });
        let limits = Limits { time: Duration::ZERO, ..request.limits };
        let request = Request { what, limits, ..request.clone() };
        let figures = match until {
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                culet_tune::measure_within(left, &request, &choices)
            }
            None => culet_tune::measure(&request, &choices, &mut |_| {}),
        };
        let Ok(figures) = figures else { continue };
        for ((_, found), figure) in fastest.iter_mut().zip(&figures.of) {
            found.extend(figure.as_ref().ok().map(|figure| (bytes, figure.ticks_a_byte)));
        }
    }
    fastest.retain(|(_, figures)| !figures.is_empty());
    fastest
}

/// The unit of a clock's ticks.
pub(super) fn unit(clock: &str) -> &'static str {
    if clock == "tsc" { "ticks of the time-stamp counter" } else { "nanoseconds" }
}

/// The compilers with these names, each of which must be able to compile for all of the targets. Without names, the
/// installed ones that can.
pub(super) fn compilers(
    names: &[String],
    runner: Option<&Runner>,
    targets: &[Target],
    output: Output,
) -> Result<Vec<CCompiler>, Failure> {
    if let Some(target) = targets.iter().find(|&&target| runner.is_none() && !culet_native::cpu_runs(target)) {
        return Err(lacking(*target, output));
    }
    let fail = |error: CompileError| output.fail(EngineError::from(error).diagnostic());
    let mut compilers = if names.is_empty() { CCompiler::installed() } else { Vec::new() };
    for name in names {
        compilers.push(CCompiler::find(Some(name)).map_err(fail)?);
    }
    if compilers.is_empty() {
        return CCompiler::find(None).map(|compiler| vec![compiler]).map_err(fail);
    }
    let check = |compiler: &CCompiler, target: Target| compiler.clone().with_runner(runner.cloned()).check(target);
    let fits = |compiler: &CCompiler| targets.iter().all(|&target| check(compiler, target).is_ok());
    let (fitting, others): (Vec<CCompiler>, Vec<CCompiler>) = compilers.into_iter().partition(fits);
    let wrong = targets.iter().find_map(|&target| check(others.first()?, target).err());
    match wrong {
        Some(error) if !names.is_empty() || fitting.is_empty() => Err(fail(error)),
        _ => Ok(fitting),
    }
}

/// Those of `candidates` for which all of these compilers make programs, as far as these run here or under the runner.
pub(super) fn running(
    candidates: impl Iterator<Item = Target>,
    compilers: &[CCompiler],
    runner: Option<&Runner>,
) -> Vec<Target> {
    let of = |compiler: &CCompiler| compiler.clone().with_runner(runner.cloned()).targets();
    let of_each: Vec<Vec<Target>> = compilers.iter().map(of).collect();
    candidates.filter(|target| of_each.iter().all(|targets| targets.contains(target))).collect()
}

fn lacking(target: Target, output: Output) -> Failure {
    let message = format!("this CPU lacks the instructions of the target `{}`", target.name());
    let note =
        "measure another target, or give a `--runner` that has them, with a C compiler for that machine (`--cc`)";
    output.fail(Diagnostic::error_without_place(&world::E0823, message).note(note))
}

impl Tuned {
    /// The fastest choice.
    pub fn winner(&self) -> Option<&Choice> {
        self.outcome.ranking.first().map(|ranked| &ranked.choice)
    }

    /// A choice as it would be typed on the command line.
    pub fn describe(&self, choice: &Choice) -> String {
        choice.describe(&self.compilers)
    }

    /// The C compiler's command for a choice.
    fn c_compiler(&self, choice: &Choice) -> String {
        format!("{} {}", self.compilers[choice.compiler].name(), choice.flags.join(" "))
    }

    fn table(&self, name: &str) -> String {
        let outcome = &self.outcome;
        let what = match self.what {
            What::Bytes(Lengths { short, long }) if short == long => {
                format!("bytes to bytes, messages of {long} bytes")
            }
            What::Bytes(Lengths { short, long }) => {
                format!("bytes to bytes, mean of messages of {short} and {long} bytes")
            }
            What::Registers => "registers to registers".to_owned(),
        };
        self.ranked(&format!("{name} on {}: {} a byte, {what}", outcome.machine, unit(&outcome.clock)))
    }

    /// The ranking below a line that says what the figures are.
    fn ranked(&self, head: &str) -> String {
        let outcome = &self.outcome;
        let mut text = format!("{head}\n");
        for Ranked { choice, ticks_a_byte, ratio, size } in &outcome.ranking {
            let size = size.map_or_else(String::new, |size| format!(": {}", described(size)));
            let _ = writeln!(text, "{ticks_a_byte:>9.3}  {ratio:.3}  {}{size}", self.describe(choice));
        }
        for (choice, figures) in &self.by_length {
            let each: Vec<String> = figures.iter().map(|(bytes, ticks)| format!("{bytes} bytes {ticks:.3}")).collect();
            let _ = writeln!(text, "{}: {}", each.join(", "), self.describe(choice));
        }
        let _ = write!(
            text,
            "{} measured, {} failed, {}{} kept away by the model; half of the winner's samples are within {:.1} %",
            outcome.measured(),
            outcome.skipped.len(),
            if outcome.large > 0 { format!("{} too large, ", outcome.large) } else { String::new() },
            outcome.pruned,
            100.0 * outcome.noise
        );
        text.push_str(match (outcome.from_cache, outcome.is_complete) {
            (true, true) => "; measured before (`--again` measures anew)\n",
            (true, false) => {
                "; measured before, until the time was over (`culet tune` with the same `--time` goes on, `--again` measures anew)\n"
            }
            (false, true) => "\n",
            (false, false) => "; the time was over before everything promising was tried (`--time`)\n",
        });
        if outcome.is_hurried {
            text.push_str("the time was over before the fastest were compared in full (`--time`)\n");
        }
        if outcome.is_disturbed() {
            text.push_str("measured under load: a search with more time measures again\n");
        }
        for (choice, reason) in &outcome.skipped {
            let _ = writeln!(text, "failed: {}: {reason}", self.describe(choice));
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let outcome = &self.outcome;
        let ranked = |ranked: &Ranked| {
            serde_json::json!({
                "ticks_a_byte": ranked.ticks_a_byte,
                "ratio": ranked.ratio,
                "options": ranked.choice.options.arguments(),
                "cc": self.c_compiler(&ranked.choice),
                "size": ranked.size.map(|size| serde_json::json!({ "code": size.code, "stack": size.stack, "table": size.table })),
            })
        };
        let skipped = |(choice, reason): &(Choice, String)| serde_json::json!({ "options": choice.options.arguments(), "cc": self.c_compiler(choice), "reason": reason });
        let by_length = |(choice, figures): &(Choice, Vec<(u64, f64)>)| {
            serde_json::json!({
                "options": choice.options.arguments(),
                "cc": self.c_compiler(choice),
                "figures": figures.iter().map(|(bytes, ticks)| serde_json::json!({ "bytes": bytes, "ticks_a_byte": ticks })).collect::<Vec<_>>(),
            })
        };
        serde_json::json!({
            "machine": outcome.machine,
            "clock": outcome.clock,
            "measure": match self.what { What::Bytes(_) => "bytes", What::Registers => "registers" },
            "by_length": self.by_length.iter().map(by_length).collect::<Vec<_>>(),
            "ranking": outcome.ranking.iter().map(ranked).collect::<Vec<_>>(),
            "measured": outcome.measured(),
            "failed": outcome.skipped.iter().map(skipped).collect::<Vec<_>>(),
            "pruned": outcome.pruned,
            "too_large": outcome.large,
            "complete": outcome.is_complete,
            "hurried": outcome.is_hurried,
            "noise": outcome.noise,
            "disturbed": outcome.is_disturbed(),
            "from_cache": outcome.from_cache,
        })
    }
}
