//! `culet prove`

use std::fs;
use std::path::Path;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, SourceMap};
use culet_driver::{FunctionProof, Options, Source, prove_kernel, replayed};
use culet_prove::contract;
use culet_prove::image::Image;
use culet_prove::theorem::Limits;

use super::proofs::{self, Subject};
use super::verdict::{meaning_of_contracts, meaning_of_source, verdict};
use super::{made, progress_bar, read, working};
use crate::args::ProveArgs;
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
            let limits = Limits { erasure: args.erasure, ..limits(args) };
            let proofs = by_source(&kernel, &limits, &|symbol| is_wanted(args, symbol), output)?;
            let meaning = meaning_of_source(source, &kernel.options);
            if let Some(directory) = &args.proofs {
                let subject = Subject {
                    stem: &kernel.stem,
                    image: (args.file(), &bytes),
                    specification: (source, &read_bytes(source, output)?),
                    options: Some(&kernel.options),
                    compiled_by: None,
                };
                proofs::keep(directory, &subject, &proofs, &meaning, output)?;
            }
            verdict(&proofs, &meaning, output)
        }
        (_, Some(path)) => {
            let (proofs, meaning) = by_contract(args, path, &bytes, output)?;
            if let Some(directory) = &args.proofs {
                let subject = Subject {
                    stem: proofs.first().map_or("", |proof| &proof.symbol),
                    image: (args.file(), &bytes),
                    specification: (path, &read_bytes(path, output)?),
                    options: None,
                    compiled_by: None,
                };
                proofs::keep(directory, &subject, &proofs, &meaning, output)?;
            }
            verdict(&proofs, &meaning, output)
        }
        _ => {
            let message = "it is not said what the machine code must compute".to_owned();
            let note = "give the program with `--source`, or a contract with `--contract`".to_owned();
            Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)))
        }
    }
}

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

/// What a function may take.
fn limits(args: &ProveArgs) -> Limits {
    Limits { instructions: args.instructions, stack: i64::from(args.stack), ..Limits::default() }
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

/// Proves a function by its contract, once for each choice of its public lengths; and what it then computes.
fn by_contract(
    args: &ProveArgs,
    path: &Path,
    bytes: &[u8],
    output: Output,
) -> Result<(Vec<FunctionProof>, String), Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        output.fail(Diagnostic::error_without_place(&world::E0810, message))
    })?;
    let mut sources = SourceMap::new();
    let file = sources.add(path, text);
    let contracts = contract::read(&sources.get(file).text, file);
    let contracts = contracts.map_err(|diagnostics| output.report(&diagnostics, &sources))?;
    let image = image(args.file(), bytes, output)?;
    let meaning = meaning_of_contracts(&contracts);
    let limits = Limits { erasure: args.erasure, ..limits(args) };
    let proofs = contracts.into_iter().map(|mut contract| {
        if let Some(symbol) = &args.symbol {
            contract.symbol.clone_from(symbol);
        }
        let outcome =
            working(&format!("proving {}", contract.symbol), output, || contract::prove(&image, &contract, &limits));
        let replay = outcome.as_ref().err().and_then(|rejection| replayed(&image, &contract.symbol, rejection));
        FunctionProof { symbol: contract.symbol, lengths: contract.lengths, outcome, replay }
    });
    Ok((proofs.collect(), meaning))
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
