//! `culet verify`

mod report;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{FunctionProof, Kernel, Lengths, Options, Reader, load};
use culet_image::{Image, Record};
use culet_prove::theorem::{Limits, Proved, Rejection};

use super::watch::{self, Progress};
use super::{made, prove, working};
use crate::args::{MessageFormat, TimeLimits, VerifyArgs};
use crate::output::{Failure, Output};

/// The programs of `primitives/`, by their paths.
const PROGRAMS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A kernel in the program, and what was proved of it.
struct Verified {
    /// The program's node and, but for plain words, the target.
    name: String,
    record: Record,
    outcome: Outcome,
    /// Time of all proofs.
    time: Duration,
}

enum Outcome {
    Equal(Box<Proved>),
    /// Safe for these lengths of its streams, and the reason why not more was proved; `None` if nobody asked.
    Safe {
        proved: Box<Proved>,
        lengths: Lengths,
        why: Option<Rejection>,
    },
    Refused(Rejection),
    /// The fault of the record.
    Unknown(String),
}

pub fn run(args: &VerifyArgs, output: Output) -> Result<(), Failure> {
    let bytes = prove::read_bytes(&args.file, output)?;
    let mut image = prove::image(&args.file, &bytes, output)?;
    let mut kernels: Vec<(String, Record)> =
        image.records().into_iter().map(|record| (name(&record), record)).collect();
    if kernels.is_empty() {
        let message = format!("`{}` has no kernels of the library `culet`", args.file.display());
        return Err(output.fail(Diagnostic::error_without_place(&world::E0864, message).note(world::E0864.remedy)));
    }
    kernels.retain(|(name, _)| args.only.as_ref().is_none_or(|only| name.contains(only)));
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    number(&mut kernels);
    for (name, record) in &kernels {
        if let Some(function) = record.function {
            image.name_function(name, function);
        }
    }
    let image = Arc::new(image);
    let mut verified = Vec::new();
    for (name, record) in kernels {
        verified.push(verify(args, name, record, &image, output)?);
    }
    let json = args.json || output.format == MessageFormat::Json;
    output.data(report::text(&args.file, &verified, json).as_bytes())?;
    if verified.iter().all(|verified| verified.outcome.is_safe()) && !verified.is_empty() {
        Ok(())
    } else {
        Err(Failure::Input)
    }
}

impl Outcome {
    fn is_safe(&self) -> bool {
        matches!(self, Outcome::Equal(_) | Outcome::Safe { .. })
    }
}

/// The name of a kernel: the node that its record names, and the target, if it is not plain words.
fn name(record: &Record) -> String {
    match said(record) {
        Some((path, options)) => {
            let stem = || Path::new(&path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let node = options.node.clone().or_else(stem).unwrap_or_default();
            match options.target.name() {
                "c64" => node,
                target => format!("{node}@{target}"),
            }
        }
        None => "unknown".to_owned(),
    }
}

/// The program and the options that a record names, without culet's version.
fn said(record: &Record) -> Option<(String, Options)> {
    made::program(record.made_by.split_once(' ')?.1)
}

/// Numbers the kernels that have one name, which are next to one another: libraries of several versions.
fn number(kernels: &mut [(String, Record)]) {
    let names: Vec<String> = kernels.iter().map(|(name, _)| name.clone()).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for ((own, _), name) in kernels.iter_mut().zip(&names) {
        let count = seen.entry(name).or_default();
        *count += 1;
        if *count > 1 {
            *own = format!("{name}#{count}");
        }
    }
}

fn verify(
    args: &VerifyArgs,
    name: String,
    record: Record,
    image: &Arc<Image>,
    output: Output,
) -> Result<Verified, Failure> {
    let start = std::time::Instant::now();
    let outcome = outcome(args, &name, &record, image, output)?;
    Ok(Verified { name, record, outcome, time: start.elapsed() })
}

fn outcome(
    args: &VerifyArgs,
    name: &str,
    record: &Record,
    image: &Arc<Image>,
    output: Output,
) -> Result<Outcome, Failure> {
    if record.function.is_none() {
        return Ok(Outcome::Unknown("its record does not say where in the code it is".to_owned()));
    }
    if let [_, copies @ ..] = &record.references[..]
        && !copies.is_empty()
    {
        let places: Vec<String> = copies.iter().map(|place| format!("{place:#x}")).collect();
        return Ok(Outcome::Unknown(format!(
            "a compiler made copies of it, of which nothing is known: at {}",
            places.join(", ")
        )));
    }
    let kernel = match working(&format!("compiling {name}"), output, || kernel(record)) {
        Ok(kernel) => Arc::new(kernel),
        Err(why) => return Ok(Outcome::Unknown(why)),
    };
    let limits = Limits::default();
    let (proved, lengths) = match kernel.prove_safe(image, name, &limits) {
        Ok(safe) => safe,
        Err(rejection) => return Ok(Outcome::Refused(rejection)),
    };
    let proved = Box::new(proved);
    if args.safe {
        return Ok(Outcome::Safe { proved, lengths, why: None });
    }
    let (image, symbol) = (Arc::clone(image), name.to_owned());
    let proofs = watch::proofs(
        TimeLimits { wall: Some(Duration::from_secs(args.time_limit)), cpu: None },
        output,
        move |told| {
            let _ = told.send(Progress::Begun(symbol.clone()));
            let outcome = kernel.prove_equal(&image, &symbol, &limits);
            let proof = FunctionProof { symbol, lengths: Vec::new(), outcome, replay: None };
            let _ = told.send(Progress::Over(Box::new(proof)));
        },
    );
    let mut proofs = proofs.map_err(|diagnostics| output.report(&diagnostics, &culet_diag::SourceMap::new()))?;
    Ok(match proofs.pop().map(|proof| proof.outcome) {
        Some(Ok(equal)) => Outcome::Equal(Box::new(equal)),
        // A function that computes something else is refused, however safe it is.
        Some(Err(rejection @ (Rejection::Different { .. } | Rejection::False { .. }))) => Outcome::Refused(rejection),
        Some(Err(why)) => Outcome::Safe { proved, lengths, why: Some(why) },
        None => Outcome::Safe { proved, lengths, why: None },
    })
}

/// Compiles the program that a record names.
fn kernel(record: &Record) -> Result<Kernel, String> {
    let (path, options) =
        said(record).ok_or_else(|| format!("its record says `{}`, which means nothing here", record.made_by))?;
    let (source, diagnostics) = load(Path::new(&path), &[], &BuiltIn);
    if source.main.is_none() {
        return Err(format!("its record names the program `{path}`, which this command does not have"));
    }
    let stem = options.node.clone().unwrap_or_else(|| source.stem.clone());
    let (kernel, more) = Kernel::of(&source, &stem, &options, &diagnostics);
    let first = |found: &Diagnostics| found.iter().find(|found| found.is_error()).map(|found| found.message.clone());
    kernel.ok_or_else(|| {
        let why = first(&diagnostics).or_else(|| first(&more)).unwrap_or_default();
        format!("`{path}` is not compiled as its record says: {why}")
    })
}

/// Reads the programs that are built into the command.
struct BuiltIn;

impl Reader for BuiltIn {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut plain = PathBuf::new();
        for component in path.components() {
            match component {
                Component::ParentDir => drop(plain.pop()),
                Component::Normal(name) => plain.push(name),
                _ => {}
            }
        }
        let found = PROGRAMS.iter().find(|(path, _)| Path::new(path) == plain);
        let text = found.map(|(_, text)| text.as_bytes().to_vec());
        text.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such program is built in"))
    }
}
