//! `culet prove --cosim`

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_isa::x86_64;
use culet_isa::x86_64::cosim::{Options, Report, cosimulate, forms};
use culet_native::Cpu;

use super::progress_bar;
use crate::args::MessageFormat;
use crate::output::{Failure, Output};

/// Compares the modelled meaning of instructions with this CPU, in about `trials` trials over all encoding forms.
pub fn run(trials: u64, seed: u64, output: Output) -> Result<(), Failure> {
    let fail = |message: String| output.fail(Diagnostic::error_without_place(&world::E0823, message));
    let mut cpu = Cpu::new().map_err(|error| fail(format!("nothing is compared: {error}")))?;
    let forms = forms();
    let each = u32::try_from(trials.div_ceil(forms.len() as u64)).unwrap_or(u32::MAX);
    let bar = progress_bar(Some(forms.len() as u64 * u64::from(each)), output);
    let options = Options { trials: each, seed };
    let step = |values: &mut _, state: &mut _, memory: &mut _, instruction: &_| {
        x86_64::step(values, state, memory, instruction)
    };
    let report = cosimulate(&mut cpu, &forms, options, &step, &mut |trials| bar.inc(trials as u64));
    bar.finish_and_clear();
    let report = report.map_err(|error| fail(format!("this CPU cannot be compared with: {error}")))?;
    let text = match output.format {
        MessageFormat::Human => report.to_string(),
        MessageFormat::Json => format!("{}\n", json(&report, seed)),
    };
    output.data(text.as_bytes())?;
    if report.mismatches.is_empty() { Ok(()) } else { Err(Failure::Input) }
}

fn json(report: &Report, seed: u64) -> serde_json::Value {
    serde_json::json!({
        "seed": seed,
        "trials": report.trials,
        "compared": report.compared,
        "mismatches": report.mismatches,
        "disagreements": report.disagreements,
        "lacking": report.lacking,
        "not_made": report.not_made,
        "unsupported": report.unsupported,
    })
}
