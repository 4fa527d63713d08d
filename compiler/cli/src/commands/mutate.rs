//! `culet prove … --mutate`

use std::fmt::Write;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{Mutation, MutationError, Trials};

use super::prove::{Compiled, no_such_function};
use crate::args::MessageFormat;
use crate::output::{Failure, Output};

/// Tries the prover with damaged functions. A mutant that it accepts and that behaves differently is a failure.
pub fn run(
    compiled: &Compiled,
    mutation: Mutation,
    wanted: &mut dyn FnMut(&str) -> bool,
    output: Output,
) -> Result<(), Failure> {
    let Compiled { source, kernel, image } = compiled;
    let all = kernel.mutants(image, mutation, wanted).map_err(|error| match error {
        MutationError::Program(diagnostics) => output.report(&diagnostics, &source.map),
        MutationError::NotProved(message) => fail(output, &format!("no mutants of what is not proved: {message}")),
        MutationError::NotRun(message) => fail(output, &format!("it cannot be run here: {message}")),
    })?;
    let text: String = match output.format {
        MessageFormat::Human => all.iter().map(|trials| human(trials, mutation.seed)).collect(),
        MessageFormat::Json => all.iter().map(|trials| format!("{}\n", json(trials))).collect(),
    };
    output.data(text.as_bytes())?;
    if all.is_empty() {
        return Err(output.fail(no_such_function(kernel)));
    }
    if all.iter().all(|trials| trials.differences().next().is_none()) { Ok(()) } else { Err(Failure::Input) }
}

fn fail(output: Output, message: &str) -> Failure {
    output.fail(Diagnostic::error_without_place(&world::E0830, message.to_owned()))
}

fn human(trials: &Trials, seed: u64) -> String {
    let mut text = String::new();
    let kinds: Vec<String> = trials.rejected.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let (all, accepted) = (trials.count(), trials.accepted.len());
    let _ = writeln!(
        text,
        "{}: {all} mutants (seed {seed}), {} rejected ({}), {accepted} accepted",
        trials.symbol,
        all - accepted,
        kinds.join(", ")
    );
    for accepted in &trials.accepted {
        let what = if accepted.is_same { "same    " } else { "DIFFERS " };
        let _ = writeln!(text, "    {what} {:#x}: {}", accepted.mutant.address, accepted.mutant.what);
    }
    if accepted > 0 {
        let _ = writeln!(
            text,
            "    each of these was called {} times on random inputs, beside the function itself",
            trials.calls
        );
    }
    text
}

fn json(trials: &Trials) -> serde_json::Value {
    let accepted = trials.accepted.iter().map(|accepted| {
        let mutant = &accepted.mutant;
        serde_json::json!({ "address": mutant.address, "what": mutant.what, "same": accepted.is_same })
    });
    serde_json::json!({
        "symbol": trials.symbol,
        "mutants": trials.count(),
        "rejected": trials.rejected,
        "accepted": accepted.collect::<Vec<_>>(),
        "replays": trials.calls,
    })
}
