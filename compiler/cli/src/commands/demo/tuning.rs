//! The tuner at work on one of the demo's kernels, for a few seconds.

use std::fmt::Write;
use std::time::{Duration, Instant};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Maker, Options};
use culet_native::CCompiler;
use culet_tune::{Budget, Choice, Limits, Request, Reuse, Tried, What};
use culet_types::program::Slicing;

use super::variant::{Subject, Variant};
use crate::commands::spinner;
use crate::output::Output;

/// Time after which no wave of candidates begins. Together with the work before and after, tuning takes less than ten
/// seconds.
const TIME: Duration = Duration::from_secs(5);

/// The tuner's result for one kernel.
pub struct Tuning {
    /// The program's path in the repository.
    program: String,
    compilers: Vec<CCompiler>,
    default: Choice,
    winner: Choice,
    /// Ticks a byte of the default choice and of the winner, measured side by side.
    ticks: (f64, f64),
    clock: String,
    /// The candidates that were measured, fastest first, with their ticks a byte.
    pub candidates: Vec<(Choice, f64)>,
    time: Duration,
}

/// The variant to tune: the fastest that is not bitsliced, since C compilers take more than a few seconds for bitsliced
/// ones. Variants are sorted, fastest first.
pub fn subject_of_tuning(variants: &[Variant]) -> Option<&Variant> {
    let is_small = |variant: &&Variant| variant.options.slicing != Some(Slicing::Bitslice);
    variants.iter().find(is_small).or_else(|| variants.iter().min_by_key(|variant| variant.cc))
}

/// Tunes a variant's kernel. The winner is compared with the first compiler's default choice.
pub fn tune(
    subject: &Subject,
    variant: &Variant,
    compilers: Vec<CCompiler>,
    output: Output,
) -> Result<Tuning, Diagnostics> {
    let start = Instant::now();
    let flags = vec!["-O3".to_owned()];
    let default = Choice { options: variant.options.clone(), compiler: 0, flags: flags.clone() };
    let mut request = Request {
        source: subject.source,
        options: variant.options.clone(),
        any_slicing: false,
        compilers,
        flags,
        runner: None,
        what: What::default(),
        budget: Budget::default(),
        limits: Limits { time: TIME, exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    let bar = spinner("tuning: compiling the first candidates", output);
    let outcome = culet_tune::tune(&request, &mut |measured, best| {
        let best = best.map_or_else(String::new, |(text, ticks)| format!(": {ticks:.3} ticks a byte, {text}"));
        bar.set_message(format!("tuning: {measured} measured{best}"));
    });
    let outcome = outcome.inspect_err(|_| bar.finish_and_clear())?;
    let winner = outcome.ranking.first().map_or_else(|| default.clone(), |ranked| ranked.choice.clone());
    bar.set_message("tuning: the default choice and the winner side by side");
    // The comparison takes no longer than it needs.
    request.limits.time = Duration::ZERO;
    let figures = culet_tune::measure(&request, &[default.clone(), winner.clone()], &mut |_| {});
    bar.finish_and_clear();
    let ticks: Result<Vec<f64>, String> = figures?.of.into_iter().map(|figure| Ok(figure?.ticks_a_byte)).collect();
    let ticks = ticks.map_err(|reason| Diagnostic::error_without_place(&world::E0850, reason))?;
    let mut candidates: Vec<(Choice, f64)> =
        outcome.tried.into_iter().filter_map(|Tried { choice, score }| Some((choice, score?))).collect();
    candidates.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok(Tuning {
        program: format!("primitives/ciphers/{}", subject.primitive.source),
        compilers: request.compilers,
        ticks: (ticks[0], ticks[1]),
        default,
        winner,
        clock: outcome.clock,
        candidates,
        time: start.elapsed(),
    })
}

impl Tuning {
    /// The winner's options and machine code, or `None` if the winner is the default choice. The kernel is compiled
    /// once more, since the tuner keeps no machine code.
    ///
    /// # Errors
    ///
    /// If the kernel is not compiled.
    pub fn winner(&self, subject: &Subject) -> Result<Option<(&Options, Vec<u8>)>, Diagnostics> {
        if self.winner == self.default {
            return Ok(None);
        }
        let Choice { options, compiler, flags } = &self.winner;
        let maker = Maker::Compiler { compiler: self.compilers[*compiler].clone(), flags: flags.clone() };
        let code = maker.engine(subject.source, options)?.machine_code();
        Ok(code.map(|code| (options, code)))
    }

    /// The text for the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("\n{}\n", self.summary());
        for (name, choice, ticks) in [("default", &self.default, self.ticks.0), ("fastest", &self.winner, self.ticks.1)]
        {
            let _ =
                writeln!(text, "  {name} {ticks:>8.3} {} a byte  {}", self.unit(), choice.describe(&self.compilers));
        }
        let _ = writeln!(text, "{}\nlonger, by the same tuner: {}", self.gain(), self.command());
        text
    }

    pub fn summary(&self) -> String {
        format!(
            "The tuner measured {} ways to compile the kernel `{}` in {:.1} s.",
            self.candidates.len(),
            self.default.options.arguments(),
            self.time.as_secs_f64()
        )
    }

    /// A sentence on how much faster the winner is than the default choice.
    pub fn gain(&self) -> String {
        let (default, winner) = self.ticks;
        if self.winner == self.default {
            "Nothing was faster than the default choice.".into()
        } else {
            format!("The fastest is {:.2} times as fast as the default choice, packing included.", default / winner)
        }
    }

    /// The command that tunes the same kernel for longer.
    pub fn command(&self) -> String {
        format!("culet tune {} {} --time 60", self.program, self.default.options.arguments())
    }

    pub fn unit(&self) -> &'static str {
        if self.clock == "tsc" { "ticks" } else { "ns" }
    }

    /// The part of a candidate's description that the kernel's name lacks: its own choices, the C compiler and its
    /// flags.
    pub fn label(&self, choice: &Choice) -> String {
        let text = choice.describe(&self.compilers);
        let common = self.default.options.arguments();
        text.strip_prefix(&common).map_or(text.clone(), |rest| rest.trim().to_owned())
    }

    pub fn is_default(&self, choice: &Choice) -> bool {
        *choice == self.default
    }
}
