//! `culet prove`

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{FunctionProof, Options, prove_kernel};
use culet_prove::image::Image;
use culet_prove::theorem::{Argument, Limits, Proved, Rejection};

use super::{progress_bar, read};
use crate::args::{MessageFormat, ProveArgs};
use crate::output::{Failure, Output};

pub fn run(args: &ProveArgs, output: Output) -> Result<(), Failure> {
    let (source, mut diagnostics) = read(&args.source, &args.include, output)?;
    let mut options = Options::new(args.target);
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    if diagnostics.has_errors() {
        diagnostics.extend(culet_driver::check(&source, &options));
        return Err(output.report(&diagnostics, &source.map));
    }
    let image = image(args, output)?;
    let stem = args.stem.clone().unwrap_or_else(|| source.stem.clone());
    let bar = progress_bar(None, output);
    bar.set_style(indicatif::ProgressStyle::default_spinner());
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    let wanted = |symbol: &str| args.symbol.as_deref().is_none_or(|text| symbol.contains(text));
    let proofs = prove_kernel(&source, &stem, &options, &image, &Limits::default(), &mut |symbol| {
        bar.set_message(format!("proving {symbol}"));
        wanted(symbol)
    });
    bar.finish_and_clear();
    let proofs = proofs.map_err(|d| output.report(&d, &source.map))?;
    if proofs.is_empty() {
        let message = "no function of the kernel has such a name".to_owned();
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message)));
    }
    let text = match output.format {
        MessageFormat::Human => human(&proofs),
        MessageFormat::Json => proofs.iter().map(|proof| format!("{}\n", json(proof))).collect(),
    };
    output.data(text.as_bytes())?;
    if proofs.iter().all(|proof| proof.outcome.is_ok()) { Ok(()) } else { Err(Failure::Input) }
}

fn image(args: &ProveArgs, output: Output) -> Result<Image, Failure> {
    let bytes = fs::read(&args.file).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", args.file.display());
        output.fail(Diagnostic::error_without_place(&world::E0810, message))
    })?;
    Image::read(&bytes).map_err(|error| {
        let message = format!("`{}`: {error}", args.file.display());
        output.fail(Diagnostic::error_without_place(&world::E0860, message))
    })
}

/// What the verdicts say, and what they rest on.
fn human(proofs: &[FunctionProof]) -> String {
    let mut text = String::new();
    for FunctionProof { symbol, outcome } in proofs {
        match outcome {
            Ok(proved) => describe(&mut text, symbol, proved),
            Err(rejection) => {
                let _ = writeln!(text, "NOT PROVED  {symbol}: {rejection}");
                if let Rejection::Different { values, .. } = rejection {
                    for (name, value) in values {
                        let _ = writeln!(text, "            {name} = {value}");
                    }
                }
            }
        }
    }
    let proved = || proofs.iter().filter_map(|proof| proof.outcome.as_ref().ok());
    if proved().next().is_some() {
        let unlisted: BTreeSet<&str> = proved().flat_map(|proved| proved.unlisted.iter().map(String::as_str)).collect();
        text.push_str(
            "proved: for all contents of memory it computes what the source means, every access is inside the arguments, the stack and \
             the constants, no branch, address or variable-time instruction depends on data, and the registers that the System V ABI \
             keeps are kept.\n\
             assumed: the arguments, stack, code and constants are apart and do not wrap around the address space; the CPU's \
             data-independent timing mode is on where it has one; and what SOUNDNESS.md lists.\n",
        );
        if !unlisted.is_empty() {
            let list: Vec<&str> = unlisted.into_iter().collect();
            let _ = writeln!(
                text,
                "assumed, too: these take the same time whatever the data, though Intel does not list them: {}.",
                list.join(", ")
            );
        }
    }
    text
}

fn describe(text: &mut String, symbol: &str, proved: &Proved) {
    let _ = writeln!(
        text,
        "proved      {symbol}: {} instructions, {} bytes of stack{}, {:.2} s",
        proved.instructions,
        proved.stack,
        if proved.residue == 0 { String::new() } else { format!(" ({} left with data)", proved.residue) },
        proved.time.as_secs_f64()
    );
    for Argument { name, bytes, alignment, is_written } in &proved.arguments {
        let access = if *is_written { "writes" } else { "reads" };
        let _ = writeln!(text, "            {access} {bytes} bytes, aligned to {alignment}: {name}");
    }
}

fn json(proof: &FunctionProof) -> serde_json::Value {
    let symbol = &proof.symbol;
    match &proof.outcome {
        Ok(proved) => serde_json::json!({
            "symbol": symbol,
            "proved": true,
            "instructions": proved.instructions,
            "stack": proved.stack,
            "residue": proved.residue,
            "phases": proved.phases,
            "unlisted": proved.unlisted,
            "seconds": proved.time.as_secs_f64(),
            "gates": proved.statistics.gates,
            "solver_calls": proved.statistics.solver_calls,
            "arguments": proved.arguments.iter().map(|argument| serde_json::json!({
                "name": argument.name, "bytes": argument.bytes, "alignment": argument.alignment, "written": argument.is_written,
            })).collect::<Vec<_>>(),
        }),
        Err(rejection) => {
            let values = match rejection {
                Rejection::Different { values, .. } => values.iter().cloned().collect(),
                _ => std::collections::BTreeMap::new(),
            };
            serde_json::json!({ "symbol": symbol, "proved": false, "reason": rejection.to_string(), "counterexample": values })
        }
    }
}
