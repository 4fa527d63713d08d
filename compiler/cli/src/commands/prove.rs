//! `culet prove`

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, SourceMap};
use culet_driver::{FunctionProof, Options, Source, kind, prove_kernel};
use culet_prove::contract;
use culet_prove::image::Image;
use culet_prove::run::LENGTH_BITS;
use culet_prove::theorem::{Argument, Limits, OnBytes, Proved, Rejection};

use super::proofs::{self, Subject};
use super::{made, progress_bar, read, working};
use crate::args::{MessageFormat, ProveArgs};
use crate::output::{Failure, Output};

pub fn run(args: &ProveArgs, output: Output) -> Result<(), Failure> {
    if args.cosim {
        return compared(args, output);
    }
    let bytes = read_bytes(args.file(), output)?;
    match (&args.source, &args.contract) {
        (Some(source), _) => {
            let kernel = kernel(args, source, &bytes, output)?;
            if let Some(count) = args.mutate {
                return mutated(&kernel, count, args, output);
            }
            let limits = Limits { instructions: args.instructions, erasure: args.erasure, ..Limits::default() };
            let proofs = by_source(&kernel, &limits, &|symbol| is_wanted(args, symbol), output)?;
            if let Some(directory) = &args.proofs {
                let subject = Subject {
                    stem: &kernel.stem,
                    image: (args.file(), &bytes),
                    specification: (source, &read_bytes(source, output)?),
                    options: Some(&kernel.options),
                    compiled_by: None,
                };
                proofs::keep(directory, &subject, &proofs, output)?;
            }
            verdict(&proofs, SOURCE, output)
        }
        (_, Some(path)) => {
            let proofs = by_contract(args, path, &bytes, output)?;
            if let Some(directory) = &args.proofs {
                let subject = Subject {
                    stem: proofs.first().map_or("", |proof| &proof.symbol),
                    image: (args.file(), &bytes),
                    specification: (path, &read_bytes(path, output)?),
                    options: None,
                    compiled_by: None,
                };
                proofs::keep(directory, &subject, &proofs, output)?;
            }
            verdict(&proofs, CONTRACT, output)
        }
        // The command line has one of the two.
        _ => Err(Failure::Environment),
    }
}

/// Says what was proved; what was not is a failure.
pub fn verdict(proofs: &[FunctionProof], meaning: &str, output: Output) -> Result<(), Failure> {
    let text = match output.format {
        MessageFormat::Human => human(proofs, meaning),
        MessageFormat::Json => proofs.iter().map(|proof| format!("{}\n", json(proof))).collect(),
    };
    output.data(text.as_bytes())?;
    if proofs.iter().all(|proof| proof.outcome.is_ok()) { Ok(()) } else { Err(Failure::Input) }
}

/// What is computed, where there is a source.
pub const SOURCE: &str = "for all contents of memory it computes what the source means";
/// Likewise, where there is a contract.
const CONTRACT: &str =
    "for all arguments within the contract's bounds its equations hold and its results are within their bounds";

/// What was compiled, and what from.
pub struct Kernel {
    pub source: Source,
    pub stem: String,
    pub options: Options,
    pub image: Image,
}

fn kernel(args: &ProveArgs, source: &Path, bytes: &[u8], output: Output) -> Result<Kernel, Failure> {
    let (source, mut diagnostics) = read(source, &args.include, output)?;
    let image = image(args.file(), bytes, output)?;
    let (stem, options) = made::options(args, &source.stem, bytes, output)?;
    if diagnostics.has_errors() {
        diagnostics.extend(culet_driver::check(&source, &options));
        return Err(output.report(&diagnostics, &source.map));
    }
    Ok(Kernel { source, stem, options, image })
}

/// Whether a function is one of those that were asked for.
fn is_wanted(args: &ProveArgs, symbol: &str) -> bool {
    args.symbol.as_deref().is_none_or(|text| symbol.contains(text))
}

/// Proves the functions that were compiled from a program.
pub fn by_source(
    kernel: &Kernel,
    limits: &Limits,
    is_wanted: &dyn Fn(&str) -> bool,
    output: Output,
) -> Result<Vec<FunctionProof>, Failure> {
    let Kernel { source, stem, options, image } = kernel;
    let bar = progress_bar(None, output);
    bar.set_style(indicatif::ProgressStyle::default_spinner());
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    let proofs = prove_kernel(source, stem, options, image, limits, &mut |symbol| {
        bar.set_message(format!("proving {symbol}"));
        is_wanted(symbol)
    });
    bar.finish_and_clear();
    let proofs = proofs.map_err(|d| output.report(&d, &source.map))?;
    if proofs.is_empty() {
        let message = "no function of the kernel has such a name".to_owned();
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message)));
    }
    Ok(proofs)
}

/// Proves a function by its contract: once for each choice of its public lengths.
fn by_contract(args: &ProveArgs, path: &Path, bytes: &[u8], output: Output) -> Result<Vec<FunctionProof>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        output.fail(Diagnostic::error_without_place(&world::E0810, message))
    })?;
    let mut sources = SourceMap::new();
    let file = sources.add(path, text);
    let contracts = contract::read(&sources.get(file).text, file);
    let contracts = contracts.map_err(|diagnostics| output.report(&diagnostics, &sources))?;
    let image = image(args.file(), bytes, output)?;
    let proofs = contracts.into_iter().map(|mut contract| {
        if let Some(symbol) = &args.symbol {
            contract.symbol.clone_from(symbol);
        }
        let outcome = working(&format!("proving {}", contract.symbol), output, || {
            contract::prove(&image, &contract, &Limits::default())
        });
        FunctionProof { symbol: contract.symbol, lengths: contract.lengths, outcome, replay: None }
    });
    Ok(proofs.collect())
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn compared(args: &ProveArgs, output: Output) -> Result<(), Failure> {
    super::cosim::run(args.trials, args.seed, output)
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn compared(_: &ProveArgs, output: Output) -> Result<(), Failure> {
    let message = "this machine has no CPU for x86-64 to compare with".to_owned();
    Err(output.fail(Diagnostic::error_without_place(&world::E0823, message)))
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn mutated(kernel: &Kernel, count: usize, args: &ProveArgs, output: Output) -> Result<(), Failure> {
    let mutation = culet_driver::Mutation { count, seed: args.seed };
    super::mutate::run(kernel, mutation, &mut |symbol| is_wanted(args, symbol), output)
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn mutated(_: &Kernel, _: usize, _: &ProveArgs, output: Output) -> Result<(), Failure> {
    let message = "mutants are run, and this machine does not run code for x86-64".to_owned();
    Err(output.fail(Diagnostic::error_without_place(&world::E0823, message)))
}

/// A file's bytes.
pub fn read_bytes(path: &Path, output: Output) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        output.fail(Diagnostic::error_without_place(&world::E0810, message))
    })
}

/// The image in a file's bytes.
pub fn image(path: &Path, bytes: &[u8], output: Output) -> Result<Image, Failure> {
    Image::read(bytes).map_err(|error| {
        let message = format!("`{}`: {error}", path.display());
        output.fail(Diagnostic::error_without_place(&world::E0860, message))
    })
}

/// What the verdicts say, and what they rest on.
fn human(proofs: &[FunctionProof], meaning: &str) -> String {
    let mut text = String::new();
    for proof @ FunctionProof { outcome, replay, .. } in proofs {
        let symbol = named(proof);
        match outcome {
            Ok(proved) => describe(&mut text, &symbol, proved),
            Err(rejection) => {
                let replay = replay.as_ref().map_or_else(String::new, |replay| format!(" ({replay})"));
                let _ = writeln!(text, "NOT PROVED  {symbol}: {rejection}{replay}");
                if let Rejection::Different { values, .. } | Rejection::False { values, .. } = rejection {
                    for (name, value) in values {
                        let _ = writeln!(text, "            {name} = {value}");
                    }
                }
            }
        }
    }
    let proved = || proofs.iter().filter_map(|proof| proof.outcome.as_ref().ok());
    if proved().next().is_some() {
        let erased = if proved().all(|proved| proved.is_erased) {
            "; nothing that depends on data is left on the stack or in registers that callers may read, but results"
        } else {
            ""
        };
        let unlisted: BTreeSet<&str> = proved().flat_map(|proved| proved.unlisted.iter().map(String::as_str)).collect();
        let _ = writeln!(
            text,
            "proved: {meaning}, every access is inside the arguments, the stack and the constants, no branch, address or \
             variable-time instruction depends on data, and the registers that the System V ABI keeps are kept{erased}.\n\
             assumed: the arguments, stack, code and constants are apart and do not wrap around the address space; the CPU's \
             data-independent timing mode is on where it has one; and what SOUNDNESS.md lists."
        );
        if !unlisted.is_empty() {
            let list: Vec<&str> = unlisted.into_iter().collect();
            let _ = writeln!(
                text,
                "assumed, too: these take the same time whatever the data, though Intel does not list them: {}.",
                list.join(", ")
            );
        }
        let library: BTreeSet<&str> = proved().flat_map(library).collect();
        if !library.is_empty() {
            let list: Vec<&str> = library.into_iter().collect();
            let _ = writeln!(
                text,
                "assumed, too: {} of the C library do what its standard says, in a time that does not depend on contents, and have \
                 the stack that they need.",
                list.join(" and ")
            );
        }
    }
    text
}

/// The function, with the public lengths for which it is.
fn named(proof: &FunctionProof) -> String {
    let lengths: Vec<String> = proof.lengths.iter().map(|(name, length)| format!("{name} = {length}")).collect();
    if lengths.is_empty() { proof.symbol.clone() } else { format!("{} ({})", proof.symbol, lengths.join(", ")) }
}

fn library(proved: &Proved) -> impl Iterator<Item = &str> {
    proved.on_bytes.iter().flat_map(|on_bytes| on_bytes.library.iter().map(String::as_str))
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
    let Some(OnBytes { turn, in_place, .. }) = &proved.on_bytes else { return };
    if let Some(turn) = turn {
        let _ = writeln!(
            text,
            "            for every number of blocks below 2^{LENGTH_BITS}, by an induction over turns of {turn} blocks"
        );
    }
    for (result, parameter) in in_place {
        let _ = writeln!(text, "            also where the memory of {result} is exactly that of {parameter}");
    }
}

pub fn json(proof: &FunctionProof) -> serde_json::Value {
    let symbol = &proof.symbol;
    let lengths: serde_json::Map<_, _> =
        proof.lengths.iter().map(|(name, length)| (name.clone(), (*length).into())).collect();
    match &proof.outcome {
        Ok(proved) => serde_json::json!({
            "symbol": symbol,
            "lengths": lengths,
            "proved": true,
            "instructions": proved.instructions,
            "stack": proved.stack,
            "residue": proved.residue,
            "erased": proved.is_erased,
            "phases": proved.phases,
            "unlisted": proved.unlisted,
            "seconds": proved.time.as_secs_f64(),
            "gates": proved.statistics.gates,
            "cases": proved.cases,
            "solver_calls": proved.statistics.solver_calls,
            "turn": proved.on_bytes.as_ref().and_then(|on_bytes| on_bytes.turn),
            "in_place": proved.on_bytes.as_ref().map(|on_bytes| &on_bytes.in_place),
            "library": library(proved).collect::<Vec<_>>(),
            "arguments": proved.arguments.iter().map(|argument| serde_json::json!({
                "name": argument.name, "bytes": argument.bytes, "alignment": argument.alignment, "written": argument.is_written,
            })).collect::<Vec<_>>(),
        }),
        Err(rejection) => {
            let values = match rejection {
                Rejection::Different { values, .. } | Rejection::False { values, .. } => {
                    values.iter().cloned().collect()
                }
                _ => std::collections::BTreeMap::new(),
            };
            serde_json::json!({
                "symbol": symbol,
                "lengths": lengths,
                "proved": false,
                "kind": kind(rejection),
                "reason": rejection.to_string(),
                "counterexample": values,
                "replay": proof.replay,
            })
        }
    }
}
