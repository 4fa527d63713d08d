//! `culet demo`: compiles one cipher in every slicing and width that this CPU runs, checks the kernels, uses them on a
//! real file, and compares them. Then it tunes one of these kernels and proves all of them.

mod proving;
mod report;
mod slicings;
mod tuning;
mod variant;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, io, thread};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Maker, Primitive, Reader, Source, load, slicing_name};
use culet_native::{CCompiler, cpu_runs};

use self::proving::{Made, Proofs};
use self::tuning::Tuning;
use self::variant::{Subject, Variant};
use crate::args::DemoArgs;
use crate::output::{Failure, Output};

macro_rules! builtin {
    ($name:literal, $source:literal) => {
        (
            $name,
            include_str!(concat!("../../../../primitives/ciphers/", $name, ".toml")),
            $source,
            include_str!(concat!("../../../../primitives/ciphers/", $source)),
        )
    };
}

/// The ciphers built into the command, so that the demo needs no files: name, description, program's name, program.
const CIPHERS: [(&str, &str, &str, &str); 7] = [
    builtin!("aes128", "aes128.ua"),
    builtin!("chacha20", "chacha20.ua"),
    builtin!("present80", "present.ua"),
    builtin!("rectangle80", "rectangle.ua"),
    builtin!("rectangle128", "rectangle.ua"),
    builtin!("serpent128", "serpent.ua"),
    builtin!("serpent256", "serpent.ua"),
];

/// Maximum number of bytes of the file that are used, so that the demo ends soon.
const MAX_BYTES: u64 = 1 << 20;

/// Approximate time in which all variants together are measured.
const MEASURING: Duration = Duration::from_secs(8);

pub fn run(args: &DemoArgs, output: Output) -> Result<(), Failure> {
    let start = Instant::now();
    let (primitive, source) = builtin_primitive(&args.cipher, output)?;
    output.can_write(&args.output)?;
    let (file, data) = message(args.file.as_deref(), output)?;
    let subject = Subject::new(&primitive, &source, data).map_err(|d| output.report(&d, &source.map))?;
    output.progress(&format!(
        "{} ({}): {} known answers; the file is {} ({} bytes)",
        primitive.name,
        primitive.specification,
        primitive.known_answer.len(),
        file.display(),
        subject.message.len(),
    ));

    let compiler = compiler(args, output)?;
    let (mut variants, skipped) = make_variants(compiler.as_ref(), &subject, output)?;
    let run = Run { machine: machine(compiler.as_ref()), skipped };
    let deadline = Instant::now() + MEASURING;
    let mut rounds = 0;
    while rounds < 3 || (Instant::now() < deadline && rounds < 101) {
        for variant in &mut variants {
            variant.measure(&subject);
        }
        rounds += 1;
    }
    output.progress(&format!("measured {rounds} times each, in turns"));

    variants.sort_by_key(Variant::median);
    output.data(report::table(&subject, &variants).as_bytes())?;
    let tuning = compiler.and_then(|compiler| tuned(args, compiler, &subject, &variants, output));
    if let Some(tuning) = &tuning {
        output.data(tuning.text().as_bytes())?;
    }
    let (mut proofs, mut summary) = (Vec::new(), String::new());
    let made = made(&subject, &variants, tuning.as_ref()).map_err(|d| output.report(&d, &source.map))?;
    if !made.is_empty() {
        proofs = proving::prove(&subject, &made, output).map_err(|d| output.report(&d, &source.map))?;
        let lines: String = proofs.iter().map(Proofs::text).collect();
        summary = proving::summary(&proofs, made.len());
        output.data(format!("\n{lines}{summary}\n").as_bytes())?;
    }
    let html = report::html(&subject, &run, &variants, tuning.as_ref(), (&proofs, &summary), &file);
    output.write_files(&[(args.output.clone(), html.as_bytes())])?;
    output.progress(&format!("the report is {}; {:.1} s in all", args.output.display(), start.elapsed().as_secs_f64()));
    let is_right = variants.iter().all(Variant::is_right) && proofs.iter().all(Proofs::is_proved);
    if is_right { Ok(()) } else { Err(Failure::Input) }
}

/// All kernels that were compiled and kept: the tuner's winner, then the variants, fastest first. The interpreter has
/// none.
fn made<'d>(
    subject: &Subject,
    variants: &'d [Variant],
    tuning: Option<&'d Tuning>,
) -> Result<Vec<Made<'d>>, Diagnostics> {
    let mut made = Vec::new();
    if let Some((options, machine_code)) = tuning.map(|tuning| tuning.winner(subject)).transpose()?.flatten() {
        made.push(Made { name: "the tuner's".to_owned(), options, machine_code });
    }
    for variant in variants {
        let name = format!("{} {}", variant.slicing, variant.engine);
        let machine_code = variant.machine_code();
        made.extend(machine_code.map(|machine_code| Made { name, options: &variant.options, machine_code }));
    }
    Ok(made)
}

/// Finds the C compiler. Finding none is an error only if one was named.
fn compiler(args: &DemoArgs, output: Output) -> Result<Option<CCompiler>, Failure> {
    let fail = |error| output.fail(culet_driver::EngineError::from(error).diagnostic());
    let compiler = match CCompiler::find(args.cc.as_deref()) {
        Ok(compiler) => compiler,
        Err(error) if args.cc.is_some() => return Err(fail(error)),
        Err(_) => {
            output.progress("no C compiler is installed: using the interpreter, which is slow; nothing can be tuned");
            return Ok(None);
        }
    };
    compiler.check(culet_ir::Target::C64).map_err(fail)?;
    Ok(Some(compiler))
}

/// Tunes one kernel, with all C compilers unless one was named. If tuning fails, the demo goes on without it.
fn tuned(
    args: &DemoArgs,
    compiler: CCompiler,
    subject: &Subject,
    variants: &[Variant],
    output: Output,
) -> Option<Tuning> {
    let variant = tuning::subject_of_tuning(variants)?;
    let mut compilers = vec![compiler];
    if args.cc.is_none() {
        let others = CCompiler::installed().into_iter().filter(|other| other.version != compilers[0].version);
        compilers.extend(others.collect::<Vec<_>>());
    }
    match tuning::tune(subject, variant, compilers, output) {
        Ok(tuning) => Some(tuning),
        Err(diagnostics) => {
            for diagnostic in diagnostics.iter() {
                output.progress(&format!("nothing was tuned: {}", diagnostic.message));
            }
            None
        }
    }
}

/// Time limit for the C compiler on one kernel. Kernels that take longer are left out, so that the demo ends soon.
const C_LIMIT: Duration = Duration::from_secs(12);

/// Makes a variant for every allowed slicing on every target of this CPU; without a C compiler, the interpreter alone.
/// The second part of the result says what was left out, and why.
fn make_variants(
    compiler: Option<&CCompiler>,
    subject: &Subject,
    output: Output,
) -> Result<(Vec<Variant>, Vec<String>), Failure> {
    let Some(compiler) = compiler else {
        let variant = Variant::new(subject, &Maker::Interpreter, None, (subject.slicings[0], culet_ir::Target::C64));
        let variant = variant.map_err(|d| output.report(&d, &subject.source.map))?;
        return Ok((vec![variant], vec!["all targets: no C compiler is installed".to_owned()]));
    };
    output.progress(&format!("C compiler: {}", compiler.version));
    let mut choices = Vec::new();
    for &slicing in &subject.slicings {
        choices.extend(culet_ir::Target::for_slices().filter(|&t| cpu_runs(t)).map(|target| (slicing, target)));
    }
    let bar = super::progress_bar(Some(choices.len() as u64), output);
    let mut compiler = compiler.clone();
    compiler.time_limit = C_LIMIT;
    let maker = Maker::Compiler { compiler: compiler.clone(), flags: vec!["-O2".into()] };
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Vec::new());
    // The C compiler takes nearly all of the time, so that each core makes one variant at a time.
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&choice) = choices.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let variant = Variant::new(subject, &maker, Some(&compiler), choice);
                    let is_late = start.elapsed() >= C_LIMIT;
                    if let Ok(variant) = &variant {
                        bar.println(variant.summary());
                    }
                    bar.inc(1);
                    made.lock().unwrap_or_else(PoisonError::into_inner).push((choice, is_late, variant));
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut variants = Vec::new();
    let others = culet_ir::Target::for_slices().filter(|&target| !cpu_runs(target));
    let mut skipped: Vec<String> =
        others.map(|target| format!("{}: this CPU lacks its instructions", target.name())).collect();
    for (((slicing, _), target), is_late, variant) in made.into_inner().unwrap_or_else(PoisonError::into_inner) {
        match variant {
            Ok(variant) => variants.push(variant),
            Err(_) if is_late => {
                let (slicing, target, limit) = (slicing_name(slicing), target.name(), C_LIMIT.as_secs());
                let left_out =
                    format!("{slicing} {target}: left out, since the C compiler takes longer than {limit} s");
                output.progress(&left_out);
                skipped.push(left_out);
            }
            Err(diagnostics) => {
                output.report(&diagnostics, &subject.source.map);
            }
        }
    }
    if variants.is_empty() { Err(Failure::Input) } else { Ok((variants, skipped)) }
}

/// A run as its report describes it.
pub struct Run {
    /// The CPU, the C compiler, culet's version and the date.
    pub machine: String,
    /// Kernels and targets that were left out, and why.
    pub skipped: Vec<String>,
}

/// The CPU, the C compiler, culet's version and the date.
fn machine(compiler: Option<&CCompiler>) -> String {
    let models = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = models.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cpu = model.map_or("an unnamed CPU", |(_, name)| name.trim());
    let compiler = compiler.map_or("no C compiler", |compiler| compiler.version.as_str());
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    format!("{cpu}, {} cores; {compiler}; culet {}; {}", cores(), env!("CARGO_PKG_VERSION"), date(days))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The date that is so many days after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, days + 1)
}

/// The texts built into the command.
struct Builtin;

impl Reader for Builtin {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        CIPHERS
            .iter()
            .find(|(_, _, file, _)| path == Path::new(file))
            .map(|(.., text)| text.as_bytes().to_vec())
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn builtin_primitive(cipher: &str, output: Output) -> Result<(Primitive, Source), Failure> {
    let Some((_, description, file, _)) = CIPHERS.iter().find(|(name, ..)| *name == cipher) else {
        let names: Vec<&str> = CIPHERS.iter().map(|(name, ..)| *name).collect();
        return Err(output.fail(
            Diagnostic::error_without_place(&world::E0830, format!("the demo has no cipher `{cipher}`"))
                .note(format!("it has {}", names.join(", "))),
        ));
    };
    let primitive = Primitive::parse(description)
        .map_err(|e| output.fail(Diagnostic::error_without_place(&culet_diag::codes::answers::E0901, e.to_string())))?;
    let (source, diagnostics) = load(Path::new(file), &[], &Builtin);
    if diagnostics.has_errors() {
        return Err(output.report(&diagnostics, &source.map));
    }
    Ok((primitive, source))
}

/// The file to encrypt: the one named, else the command's own executable.
fn message(file: Option<&Path>, output: Output) -> Result<(PathBuf, Vec<u8>), Failure> {
    let path = match file {
        Some(file) => Ok(file.to_path_buf()),
        None => env::current_exe(),
    };
    let read = path.and_then(|path| {
        let mut data = Vec::new();
        fs::File::open(&path)?.take(MAX_BYTES).read_to_end(&mut data)?;
        Ok((path, data))
    });
    let (path, data) = read.map_err(|error| {
        let name = file.map_or_else(|| "the executable".to_owned(), |f| format!("`{}`", f.display()));
        output.fail(Diagnostic::error_without_place(&world::E0801, format!("cannot read {name}: {error}")))
    })?;
    Ok((path, data))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        let dates = [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_818, "2026-12-31"),
            (47_541, "2100-03-01"),
        ];
        for (days, text) in dates {
            assert_eq!(date(days), text);
        }
    }
}
