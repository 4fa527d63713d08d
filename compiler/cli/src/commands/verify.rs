//! `culet verify`

mod crew;
mod expected;
mod report;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Kernel, Lengths, Options, Reader, load};
use culet_image::{Image, Record};
use culet_prove::theorem::{Limits, Proved, Rejection};

use self::crew::Work;
use self::report::Style;
use super::made::{self, Claim};
use super::prove;
use crate::args::{MessageFormat, VerifyArgs};
use crate::output::{Failure, Output};

/// The programs of `primitives/`, by their paths.
const PROGRAMS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A kernel in the program, and what was proved of it.
struct Verified {
    /// The program's node and, but for plain words, the target.
    name: String,
    record: Record,
    /// The claim of its record, if there is one.
    claim: Option<Claim>,
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
    let format = if args.json { MessageFormat::Json } else { output.format };
    let output = Output { format, ..output };
    let expected = args.expect.as_deref().map(|file| expected::read(file, output)).transpose()?;
    let bytes = prove::read_bytes(&args.file, output)?;
    let mut image = prove::executable(&args.file, &bytes, output)?;
    let kernels = kernels(args, &image).map_err(|diagnostic| output.fail(*diagnostic))?;
    for (name, record) in &kernels {
        if let Some(function) = record.function {
            image.name_function(name, function);
        }
    }
    let work = Work {
        jobs: args.jobs.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from),
        limit: Duration::from_secs(args.time_limit),
        is_safe_only: args.safe,
    };
    let outcomes = crew::verify(&kernels, &Arc::new(image), work, output);
    let verified: Vec<Verified> = (kernels.into_iter().zip(outcomes))
        .map(|((name, record), (outcome, time))| {
            let claim = said(&record).and_then(|(.., claim)| claim);
            Verified { name, record, claim, outcome, time }
        })
        .collect();
    let style = match output.format {
        MessageFormat::Json => Style::Json,
        MessageFormat::Human if args.verbose => Style::Whole,
        MessageFormat::Human => Style::Lines,
    };
    output.data(report::text(&args.file, &verified, style).as_bytes())?;
    if let Some(less) = expected.and_then(|expected| expected::less(&expected, &verified, args)) {
        return Err(output.fail(less));
    }
    if let Some(less) = expected::claimed(&verified, args) {
        return Err(output.fail(less));
    }
    if verified.iter().all(|verified| verified.outcome.is_safe()) { Ok(()) } else { Err(Failure::Input) }
}

/// The kernels in a program that are asked for, each with its name, in the order of their names.
///
/// # Errors
///
/// If there is none.
fn kernels(args: &VerifyArgs, image: &Image) -> Result<Vec<(String, Record)>, Box<Diagnostic>> {
    let file = args.file.display();
    let mut kernels: Vec<(String, Record)> =
        image.records().into_iter().map(|record| (name(&record), record)).collect();
    if kernels.is_empty() {
        let message = format!("`{file}` has no kernels of the library `culet`");
        let loaded = "if the program loads the library when it starts, verify that file: `culet verify libculet.so`";
        let in_c =
            "kernels in `library/c/culet.c` have no records: link `libculet.a` or the crate in place of that file";
        let diagnostic = Diagnostic::error_without_place(&world::E0864, message).note(world::E0864.remedy);
        return Err(Box::new(diagnostic.note(loaded).note(in_c)));
    }
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(only) = &args.only {
        if !kernels.iter().any(|(name, _)| name.contains(only)) {
            let near = near(only, kernels.iter().map(|(name, _)| &**name));
            let message = format!("no kernel in `{file}` has `{only}` in its name");
            return Err(Box::new(
                Diagnostic::error_without_place(&world::E0865, message).note(format!("it has {near}")),
            ));
        }
        kernels.retain(|(name, _)| name.contains(only));
    }
    number(&mut kernels);
    Ok(kernels)
}

/// The names that share most characters in a row with a text, if at least three, or else all.
fn near<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> String {
    let shared = |name: &str| {
        let parts =
            text.char_indices().flat_map(|(start, _)| (start..=text.len()).filter_map(move |end| text.get(start..end)));
        parts.filter(|part| name.contains(part)).map(str::len).max().unwrap_or(0)
    };
    let mut names: Vec<(usize, &str)> = names.map(|name| (shared(name), name)).collect();
    let most = names.iter().map(|&(shared, _)| shared).max().filter(|&most| most >= 3).unwrap_or(0);
    names.retain(|&(shared, _)| shared >= most);
    names.dedup();
    names.iter().map(|(_, name)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Outcome {
    fn is_safe(&self) -> bool {
        matches!(self, Outcome::Equal(_) | Outcome::Safe { .. })
    }

    /// The outcome of a proof that found nothing within the limit.
    fn out_of_time(limit: Duration) -> Outcome {
        Outcome::Unknown(format!(
            "its proof took more than {} s; `--time-limit` allows more, and `--only` proves it alone",
            limit.as_secs()
        ))
    }
}

/// The name of a kernel: the node that its record names, and the target, if it is not plain words.
fn name(record: &Record) -> String {
    match said(record) {
        Some((path, options, _)) => {
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

/// The program and the options that a record names, and what it claims, without culet's version.
fn said(record: &Record) -> Option<(String, Options, Option<Claim>)> {
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

/// Proves as much of a kernel as is asked for. `tell` is told of what is proved before the rest is tried.
fn outcome(name: &str, record: &Record, image: &Image, work: Work, tell: &dyn Fn(Outcome)) -> Outcome {
    if record.function.is_none() {
        return Outcome::Unknown("its record does not say where in the code it is".to_owned());
    }
    match &record.references[..] {
        [_] => {}
        [] => return Outcome::Unknown("nothing refers to its record, so that copies of it would not show".to_owned()),
        [_, copies @ ..] => {
            let places: Vec<String> = copies.iter().map(|place| format!("{place:#x}")).collect();
            let places = places.join(", ");
            return Outcome::Unknown(format!("a compiler made copies of it, of which nothing is known: at {places}"));
        }
    }
    let kernel = match kernel(record) {
        Ok(kernel) => kernel,
        Err(why) => return Outcome::Unknown(why),
    };
    let limits = Limits { until: Some(Instant::now() + work.limit), ..Limits::default() };
    let (proved, lengths) = match kernel.prove_safe(image, name, &limits) {
        Ok((proved, lengths)) => (Box::new(proved), lengths),
        Err(rejection) if rejection.is_out_of_time() => return Outcome::out_of_time(work.limit),
        Err(rejection) => return Outcome::Refused(rejection),
    };
    if work.is_safe_only {
        return Outcome::Safe { proved, lengths, why: None };
    }
    tell(Outcome::Safe { proved: proved.clone(), lengths: lengths.clone(), why: None });
    match kernel.prove_equal(image, name, &limits) {
        Ok(equal) => Outcome::Equal(Box::new(equal)),
        // A function that computes something else is refused, however safe it is.
        Err(rejection @ (Rejection::Different { .. } | Rejection::False { .. })) => Outcome::Refused(rejection),
        Err(_) if limits.is_over() => {
            Outcome::Safe { proved, lengths, why: Some(Rejection::OutOfTime { seconds: work.limit.as_secs() }) }
        }
        Err(why) => Outcome::Safe { proved, lengths, why: Some(why) },
    }
}

/// Compiles the program that a record names.
fn kernel(record: &Record) -> Result<Kernel, String> {
    let (path, options, _) =
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
