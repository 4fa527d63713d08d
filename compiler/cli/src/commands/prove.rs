//! `culet prove`

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use culet_driver::{FunctionProof, Kernel, Source, read_file, read_text, replayed, unreadable};
use culet_image::{Image, ImageError};
use culet_prove::contract::{self, Callee, Contract};
use culet_prove::safe::Variable;
use culet_prove::theorem::{Limits, Proved, Rejection};

use super::proofs::{self, Subject};
use super::verdict::{Meanings, verdict};
use super::watch::{self, Progress};
use super::{made, read, working};
use crate::args::{ProveArgs, TimeLimits};
use crate::output::{Failure, Output};

pub fn run(args: &ProveArgs, output: Output) -> Result<(), Failure> {
    if args.cosim {
        return compared(args, output);
    }
    let bytes = read_bytes(args.file(), output)?;
    if let Some(specification) = args.source.as_ref().or(args.contract.as_ref())
        && let Some(diagnostic) = exchanged(args, specification, &bytes)
    {
        return Err(output.fail(diagnostic));
    }
    if args.safe {
        return safe(args, &bytes, output);
    }
    match (&args.source, &args.contract) {
        (Some(source), _) => {
            let compiled = Arc::new(compiled(args, source, &bytes, output)?);
            if let Some(count) = args.mutate {
                return mutated(&compiled, count, args, output);
            }
            let limits = Limits { erasure: args.erasure, ..limits(args) };
            let proofs = by_source(&compiled, limits, args.symbol.clone(), args.limits(), output)?;
            let meanings = Meanings::of_source(source, compiled.kernel.options());
            if let Some(directory) = &args.proofs {
                let subject = compiled.subject((args.file(), &bytes), None);
                proofs::keep(directory, &subject, &proofs, &meanings, output)?;
            }
            verdict(&proofs, &meanings, output).inspect_err(|_| {
                if let Some(remedy) = made::other_program(&bytes, compiled.kernel.stem(), source) {
                    output.progress(&remedy);
                }
            })
        }
        (_, Some(path)) => {
            let ByContract { proofs, meanings, functions, sources } = by_contract(args, path, &bytes, output)?;
            if let Some(directory) = &args.proofs {
                let subject = Subject {
                    stem: functions.last().map_or("", String::as_str),
                    image: (args.file(), &bytes),
                    specification: (&sources, None),
                    functions: functions.clone(),
                    options: None,
                    compiled_by: None,
                };
                proofs::keep(directory, &subject, &proofs, &meanings, output)?;
            }
            verdict(&proofs, &meanings, output)
        }
        _ => {
            let message = "it is not said what the machine code must compute".to_owned();
            let note =
                "give the program with `--source`, a contract with `--contract`, or ask for no more than `--safe`"
                    .to_owned();
            Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)))
        }
    }
}

/// The report that the machine code stands where its meaning belongs, or that a program is given as a contract or the other way
/// round.
fn exchanged(args: &ProveArgs, specification: &Path, bytes: &[u8]) -> Option<Diagnostic> {
    let is_elf = |bytes: &[u8]| bytes.starts_with(b"\x7fELF");
    let ends = |path: &Path, end: &str| path.extension().is_some_and(|extension| extension == end);
    let option = if args.source.is_some() { "--source" } else { "--contract" };
    let (code, given) = (args.file().display(), specification.display());
    let right =
        |option: &str, code: &dyn Display, given: &dyn Display| format!("write `culet prove {code} {option} {given}`");
    let (message, note) = if !is_elf(bytes) && read_file(specification, MAX_CODE_MIB).is_ok_and(|bytes| is_elf(&bytes))
    {
        let right_option = if ends(args.file(), "toml") { "--contract" } else { "--source" };
        (format!("`{option} {given}` is machine code, and `{code}` is none"), right(right_option, &given, &code))
    } else if args.source.is_some()
        && ends(specification, "toml")
        && contract::read(&read_text(specification).ok()?, FileId(0)).is_ok()
    {
        (format!("`--source {given}` is a contract"), right("--contract", &code, &given))
    } else if args.contract.is_some() && ends(specification, "ua") {
        (format!("`--contract {given}` is a program"), right("--source", &code, &given))
    } else {
        return None;
    };
    Some(Diagnostic::error_without_place(&world::E0830, message).note(note))
}

/// A source with its kernel and the image that a C compiler made of it.
pub struct Compiled {
    pub source: Arc<Source>,
    pub kernel: Arc<Kernel>,
    pub image: Image,
}

impl Compiled {
    /// The subject of an entry of the manifest.
    pub fn subject<'s>(&'s self, image: (&'s Path, &'s [u8]), compiled_by: Option<String>) -> Subject<'s> {
        let Compiled { source, kernel, .. } = self;
        Subject {
            stem: kernel.stem(),
            image,
            specification: (&source.map, source.main),
            functions: kernel.functions(),
            options: Some(kernel.options()),
            compiled_by,
        }
    }
}

fn compiled(args: &ProveArgs, source: &Path, bytes: &[u8], output: Output) -> Result<Compiled, Failure> {
    let (source, mut diagnostics) = read(source, &args.include, output)?;
    let image = image(args.file(), bytes, output)?;
    let (stem, options) = made::options(args, &source.stem, bytes, output)?;
    if diagnostics.has_errors() {
        let found = culet_driver::check(&source, &options, &diagnostics);
        diagnostics.extend(found);
        return Err(output.report(&diagnostics, &source.map));
    }
    let generate = || Kernel::of(&source, &stem, &options, &Diagnostics::new());
    let (kernel, diagnostics) = working(&format!("compiling {stem}"), output, generate);
    let kernel = kernel.ok_or_else(|| output.report(&diagnostics, &source.map))?;
    Ok(Compiled { source: Arc::new(source), kernel: Arc::new(kernel), image })
}

/// Limits on a function's execution.
fn limits(args: &ProveArgs) -> Limits {
    Limits { instructions: args.instructions, stack: i64::from(args.stack), ..Limits::default() }
}

/// The report that `--symbol` names no function of a kernel.
pub fn no_such_function(kernel: &Kernel) -> Diagnostic {
    let message = "no function of the kernel has a name that contains this `--symbol`";
    Diagnostic::error_without_place(&world::E0830, message).note(format!("it has {}", kernel.functions().join(", ")))
}

/// Whether a function is one of those that the command line asks for.
fn is_wanted(wanted: Option<&str>, symbol: &str) -> bool {
    wanted.is_none_or(|text| symbol.contains(text))
}

/// Proves the functions that were compiled from a program: those whose names contain `wanted`, or all.
pub fn by_source(
    compiled: &Arc<Compiled>,
    limits: Limits,
    wanted: Option<String>,
    limit: TimeLimits,
    output: Output,
) -> Result<Vec<FunctionProof>, Failure> {
    let work = Arc::clone(compiled);
    // Nobody listens any more where the time is over.
    let tell = |told: &Sender<Progress>, what| drop(told.send(what));
    let proofs = watch::proofs(limit, output, move |told| {
        let Compiled { kernel, image, .. } = &*work;
        let mut begun = |symbol: &str| {
            tell(told, Progress::Begun(symbol.to_owned()));
            is_wanted(wanted.as_deref(), symbol)
        };
        let mut over = |proof| tell(told, Progress::Over(Box::new(proof)));
        if let Err(wrong) = kernel.each_proof(image, &limits, &mut begun, &mut over) {
            tell(told, Progress::Wrong(wrong));
        }
    });
    let proofs = proofs.map_err(|d| output.report(&d, &compiled.source.map))?;
    if proofs.is_empty() {
        return Err(output.fail(no_such_function(&compiled.kernel)));
    }
    Ok(proofs)
}

/// The results for a function with a contract, and for the functions that it calls.
struct ByContract {
    proofs: Vec<FunctionProof>,
    meanings: Meanings,
    /// The names of all functions; the one that was asked for is the last.
    functions: Vec<String>,
    /// The contracts' texts.
    sources: SourceMap,
}

/// The contracts of a file.
fn contracts(path: &Path, sources: &mut SourceMap, output: Output) -> Result<Vec<Contract>, Failure> {
    contracts_named(path, None, sources, output)
}

/// As [`contracts`], of a file that another one names at a place.
fn contracts_named(
    path: &Path,
    place: Option<Span>,
    sources: &mut SourceMap,
    output: Output,
) -> Result<Vec<Contract>, Failure> {
    let text = read_text(path)
        .map_err(|error| output.report(&Diagnostic { span: place, ..unreadable(path, &error) }.into(), sources))?;
    let file = sources.add(path, text);
    let contracts = contract::read(&sources.get(file).text, file);
    contracts.map_err(|diagnostics| output.report(&diagnostics, sources))
}

/// Proves a function by its contract, once for each choice of its public lengths, after the functions that it calls.
fn by_contract(args: &ProveArgs, path: &Path, bytes: &[u8], output: Output) -> Result<ByContract, Failure> {
    let mut sources = SourceMap::new();
    let mut contracts = self::contracts(path, &mut sources, output)?;
    if let Some(symbol) = &args.symbol {
        contracts.iter_mut().for_each(|contract| contract.symbol.clone_from(symbol));
    }
    let mut called = Vec::new();
    for (name, place) in contracts.first().map_or(&[][..], |contract| &contract.calls) {
        let path = path.with_file_name(name);
        match <[Contract; 1]>::try_from(contracts_named(&path, Some(*place), &mut sources, output)?) {
            Ok([contract]) if contract.calls.is_empty() => called.push(contract),
            _ => {
                let message = format!("`{}` is no contract of one function that calls none", path.display());
                let note = "`calls` names files of contracts without public lengths and without `calls` of their own";
                return Err(
                    output.report(&Diagnostic::error(&world::E0870, *place, message).note(note).into(), &sources)
                );
            }
        }
    }
    let image = image(args.file(), bytes, output)?;
    let all = || called.iter().chain(&contracts);
    let meanings = Meanings::of_contracts(all());
    let mut functions: Vec<String> = all().map(|contract| contract.symbol.clone()).collect();
    functions.dedup();
    let limits = Limits { erasure: args.erasure, ..limits(args) };
    let proofs = watch::proofs(args.limits(), output, move |told| {
        let each = |contract: Contract, prove: &dyn Fn(&Contract) -> Result<Proved, Rejection>| {
            let _ = told.send(Progress::Begun(contract.symbol.clone()));
            let outcome = prove(&contract);
            let replay = outcome.as_ref().err().and_then(|rejection| replayed(&image, &contract.symbol, rejection));
            let proof =
                FunctionProof { symbol: contract.symbol, lengths: contract.lengths, outcome: outcome.clone(), replay };
            let _ = told.send(Progress::Over(Box::new(proof)));
            outcome
        };
        let (mut callees, mut open) = (Vec::new(), None);
        for contract in called {
            match each(contract.clone(), &|contract| contract::prove(&image, contract, &limits)) {
                Ok(proved) => callees.push(Callee { contract, proved }),
                Err(_) => open = Some(contract.symbol),
            }
        }
        for contract in contracts {
            let _ = each(contract, &|contract| match &open {
                Some(symbol) => Err(Rejection::Callee(symbol.clone())),
                None => contract::prove_with(&image, contract, &callees, &limits),
            });
        }
    });
    let proofs = proofs.map_err(|d| output.report(&d, &sources))?;
    Ok(ByContract { proofs, meanings, functions, sources })
}

/// Proves a function safe for each choice of its public lengths.
fn safe(args: &ProveArgs, bytes: &[u8], output: Output) -> Result<(), Failure> {
    let interfaces = culet_prove::safe::read(args.arguments.as_deref().unwrap_or_default()).map_err(|why| {
        let note = "write `r: out 32, k: in 32, w: secret 64, text: public 16*n, n: length 0..4 -> public`, say; sizes are in bytes";
        output.fail(Diagnostic::error_without_place(&world::E0830, format!("`--arguments`: {}", why.0)).note(note))
    })?;
    let image = image(args.file(), bytes, output)?;
    let variables = args.variables.iter().map(|text| variable(&image, text)).collect::<Result<Vec<_>, _>>().map_err(|why| {
        let note = "write `STORAGE=1`, say, for a variable of up to eight bytes; `nm` lists the variables of a file that is not stripped";
        output.fail(Diagnostic::error_without_place(&world::E0830, format!("`--variable`: {why}")).note(note))
    })?;
    let (limits, symbol) = (limits(args), args.symbol.clone().unwrap_or_default());
    let proofs = watch::proofs(args.limits(), output, move |told| {
        for mut interface in interfaces {
            interface.variables.clone_from(&variables);
            let _ = told.send(Progress::Begun(symbol.clone()));
            let outcome = culet_prove::safe::prove(&image, &symbol, &interface, &limits);
            let proof = FunctionProof { symbol: symbol.clone(), lengths: interface.lengths, outcome, replay: None };
            let _ = told.send(Progress::Over(Box::new(proof)));
        }
    });
    let proofs = proofs.map_err(|diagnostics| output.report(&diagnostics, &SourceMap::new()))?;
    verdict(&proofs, &Meanings::of_safety(), output)
}

/// Reads what a variable of the image holds: `NAME=NUMBER`.
fn variable(image: &Image, text: &str) -> Result<Variable, String> {
    let (name, number) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`"))?;
    let number = number.trim().parse().map_err(|_| format!("`{number}` is no number"))?;
    let found: Vec<_> = image.variables(name.trim()).collect();
    let [(name, address, size)] = found[..] else {
        let several: Vec<&str> = found.iter().map(|&(name, ..)| name).take(4).collect();
        return Err(match several[..] {
            [] => format!("no variable of the file has `{name}` in its name"),
            _ => format!("several variables have `{name}` in their names: {}", several.join(", ")),
        });
    };
    Variable::new(name, address, size, number)
        .ok_or_else(|| format!("`{name}` has {size} bytes, and {number} does not fit into that"))
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
fn mutated(compiled: &Compiled, count: u32, args: &ProveArgs, output: Output) -> Result<(), Failure> {
    let mutation = culet_driver::Mutation { count: count as usize, seed: args.seed };
    super::mutate::run(compiled, mutation, &mut |symbol| is_wanted(args.symbol.as_deref(), symbol), output)
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn mutated(_: &Compiled, _: u32, _: &ProveArgs, output: Output) -> Result<(), Failure> {
    let message = "mutants are run, and this machine does not run code for x86-64".to_owned();
    Err(output.fail(Diagnostic::error_without_place(&world::E0823, message)))
}

/// Maximum size of a file with machine code, in MiB. No code that can be proved is as large, and memory stays bounded.
const MAX_CODE_MIB: u64 = 1024;

/// The bytes of a file with machine code.
pub fn read_bytes(path: &Path, output: Output) -> Result<Vec<u8>, Failure> {
    read_file(path, MAX_CODE_MIB).map_err(|error| output.fail(unreadable(path, &error)))
}

/// The image in a file's bytes.
pub fn image(path: &Path, bytes: &[u8], output: Output) -> Result<Image, Failure> {
    Image::read(bytes).map_err(|error| {
        let diagnostic = no_image(path, &error);
        let is_text = !bytes.is_empty() && std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
        output.fail(match is_text {
            true => {
                diagnostic.note("this is a text: what is proved is the object that a compiler makes of it, `cc -O2 -c`")
            }
            false => diagnostic,
        })
    })
}

/// The image in the bytes of an executable or a shared object.
pub fn executable(path: &Path, bytes: &[u8], output: Output) -> Result<Image, Failure> {
    let linked = "give the executable or the shared object that the linker wrote, for x86-64 and ELF";
    Image::read(bytes).map_err(|error| output.fail(no_image(path, &error).note(linked)))
}

fn no_image(path: &Path, error: &ImageError) -> Diagnostic {
    Diagnostic::error_without_place(&world::E0860, format!("`{}`: {error}", path.display()))
}
