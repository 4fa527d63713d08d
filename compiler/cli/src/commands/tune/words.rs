//! `culet tune` of a program that computes one instance at a time: the fastest choice at each length of messages, and the command that compiles it.

use std::fmt::Write;
use std::time::{Duration, Instant};

use culet_driver::{Options, Source};
use culet_ir::Target;
use culet_native::{CCompiler, Runner};
use culet_tune::{Limits, Outcome, Request, Tuner, What};

use super::{Effort, Tuned, compilers, request, running, unit};
use crate::args::{MessageFormat, TuneArgs};
use crate::commands::messages::Messages;
use crate::commands::spinner;
use crate::output::{Failure, Output};

pub fn run(args: &TuneArgs, source: &Source, options: Options, effort: Effort, output: Output) -> Result<(), Failure> {
    let measuring = &args.measuring;
    let messages = Messages::of(source, &options, &measuring.bytes, output)?;
    let runner = measuring.runner.as_deref().map(Runner::new);
    let given: Vec<Target> = args.target.into_iter().collect();
    let compilers = compilers(&measuring.cc, runner.as_ref(), &given, output)?;
    let targets = match &given[..] {
        // Words of 32 bits are for small machines.
        [] => running(Target::ALL.into_iter().filter(|target| *target != Target::C32), &compilers, runner.as_ref()),
        given => given.to_vec(),
    };
    let options = Options { target: targets.first().copied().unwrap_or(options.target), ..options };
    let time = Duration::from_secs(measuring.time);
    let request = request(source, options, measuring, effort, (compilers.clone(), messages.whats[0], time));
    let outcomes = outcomes(&request, &targets, &messages, output)?;
    let mut text = String::new();
    let mut fastest = String::from("the fastest:\n");
    for (place, (outcome, length)) in outcomes.into_iter().zip(messages.described()).enumerate() {
        for remark in &outcome.remarks {
            output.progress(&format!("warning: {remark}"));
        }
        let (machine, clock) = (outcome.machine.clone(), unit(&outcome.clock));
        let tuned = tuned(outcome, &compilers, messages.whats[place]);
        let Some(winner) = tuned.winner() else { continue };
        let compile = format!("culet compile {} {} -o DIR", source.given, winner.options.arguments());
        match output.format {
            MessageFormat::Human => {
                let _ = writeln!(fastest, "  {length}: `{compile}`, compiled by `{}`", tuned.c_compiler(winner));
                let head = format!("{} on {machine}: {clock} {}", source.stem, messages.headed(&length));
                text += &tuned.ranked(&head);
            }
            MessageFormat::Json => {
                let mut object = tuned.json();
                object["bytes"] = messages.length(place).into();
                object["compile"] = compile.into();
                let _ = writeln!(text, "{object}");
            }
        }
    }
    if output.format == MessageFormat::Human {
        text += &fastest;
    }
    output.data(text.as_bytes())
}

fn tuned(outcome: Outcome, compilers: &[CCompiler], what: What) -> Tuned {
    Tuned { outcome, compilers: compilers.to_vec(), what, by_length: Vec::new() }
}

/// The outcome for each length. Each has an equal part of the time. The time that is left then goes to searches for which their part was
/// too short.
fn outcomes(
    request: &Request,
    targets: &[Target],
    messages: &Messages,
    output: Output,
) -> Result<Vec<Outcome>, Failure> {
    let (start, count) = (Instant::now(), messages.whats.len());
    let bar = spinner("compiling the first candidates", output);
    let fail = |diagnostics| {
        bar.finish_and_clear();
        output.report(&diagnostics, &request.source.map)
    };
    let mut tuner = Tuner::new(request, targets).map_err(fail)?;
    let mut tune = |place: usize, length: &str, time: Duration| {
        let limits = Limits { time, ..request.limits };
        let own = Request { what: messages.whats[place], limits, ..request.clone() };
        tuner.tune(&own, &mut |measured, best| {
            let unit = messages.unit();
            let best = best.map_or_else(String::new, |(text, ticks)| format!(": {ticks:.3} ticks {unit}, {text}"));
            bar.set_message(format!("{length}, {measured} measured{best}"));
        })
    };
    let lengths = messages.described();
    let each = request.limits.time / count as u32;
    let mut outcomes = Vec::new();
    for (place, length) in lengths.iter().enumerate() {
        outcomes.push(tune(place, length, each).map_err(fail)?);
    }
    let is_cut = |outcome: &Outcome| !outcome.is_complete || outcome.is_hurried;
    let cut: Vec<usize> = (0..count).filter(|&place| is_cut(&outcomes[place])).collect();
    for (done, &place) in cut.iter().enumerate() {
        let left = request.limits.time.saturating_sub(start.elapsed()) / (cut.len() - done) as u32;
        if left < each / LEAST {
            break;
        }
        let again = tune(place, &lengths[place], left).map_err(fail)?;
        if !again.is_hurried || outcomes[place].is_hurried {
            outcomes[place] = again;
        }
    }
    bar.finish_and_clear();
    Ok(outcomes)
}

/// The part of a search's time that is worth another search.
const LEAST: u32 = 4;
