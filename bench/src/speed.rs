//! Cycles a byte of every row, the best over the compiler's choices and C compilers, beside usubac's.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use culet_driver::{DEFAULT_GRAIN, DiskReader, Interleave, Options, Source, load};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_passes::{Amount, Schedule, Ternary};
use culet_types::program::Slicing;

use crate::baseline::{self, CORE_CYCLES_PER_TICK, Row};
use crate::clock::{core_cycles_per_tick, median};
use crate::kernel::{Choice, Timed, What};

/// A row's program: where it is and how it is instantiated.
struct Subject {
    cipher: &'static str,
    file: &'static str,
    node: &'static str,
    slicing: Slicing,
    word: Option<u32>,
}

const SUBJECTS: [Subject; 11] = [
    Subject { cipher: "AES-bs", file: "aes128", node: "AES128", slicing: Slicing::Bitslice, word: None },
    Subject { cipher: "AES-hs", file: "aes128", node: "AES128", slicing: Slicing::Horizontal, word: None },
    Subject {
        cipher: "AES-hs",
        file: "aes128_fixsliced",
        node: "AES128_fixsliced",
        slicing: Slicing::Horizontal,
        word: None,
    },
    Subject { cipher: "Ascon-bs", file: "ascon", node: "Ascon_p12", slicing: Slicing::Bitslice, word: None },
    Subject { cipher: "Ascon-vs", file: "ascon", node: "Ascon_p12", slicing: Slicing::Vertical, word: None },
    Subject {
        cipher: "Chacha20-vs",
        file: "chacha20",
        node: "chacha20_permutation",
        slicing: Slicing::Vertical,
        word: None,
    },
    Subject { cipher: "Present-bs", file: "present", node: "Present", slicing: Slicing::Bitslice, word: None },
    Subject { cipher: "Rectangle-bs", file: "rectangle", node: "Rectangle", slicing: Slicing::Bitslice, word: None },
    Subject { cipher: "Rectangle-hs", file: "rectangle", node: "Rectangle", slicing: Slicing::Horizontal, word: None },
    Subject { cipher: "Rectangle-vs", file: "rectangle", node: "Rectangle", slicing: Slicing::Vertical, word: None },
    Subject { cipher: "Serpent-vs", file: "serpent", node: "Serpent", slicing: Slicing::Vertical, word: None },
];

const TARGETS: [(Target, &str); 4] =
    [(Target::C64, "std"), (Target::Sse, "sse"), (Target::Avx2, "avx"), (Target::Avx512, "avx512")];

/// What to measure; empty means everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub cipher: Option<String>,
    pub target: Option<Target>,
    pub quick: bool,
    pub what_bytes: bool,
    /// Every choice's figure, too.
    pub verbose: bool,
}

struct Result {
    row: Row,
    /// Ticks a byte of the best choice.
    ours: f64,
    choice: String,
    tried: usize,
}

/// The table as TSV, and the summary under it.
pub fn run(primitives: &Path, filter: &Filter, progress: &mut dyn FnMut(&str)) -> String {
    let compilers = CCompiler::installed();
    let ratio = core_cycles_per_tick();
    let mut results = Vec::new();
    for subject in SUBJECTS.iter().filter(|s| filter.cipher.as_deref().is_none_or(|c| s.cipher == c)) {
        let path = primitives.join("ciphers").join(format!("{}.ua", subject.file));
        let (source, diagnostics) = load(&path, &[], &DiskReader);
        if diagnostics.has_errors() {
            progress(&format!("{}: cannot be read", path.display()));
            continue;
        }
        for (target, architecture) in TARGETS.iter().filter(|(t, _)| cpu_runs(*t)) {
            if filter.target.is_some_and(|t| t != *target) {
                continue;
            }
            let row = Row {
                cipher: subject.cipher.into(),
                slicing: culet_driver::slicing_name(subject.slicing).to_uppercase(),
                architecture: (*architecture).into(),
            };
            match measure(&source, subject, *target, &compilers, filter, progress) {
                Some((ours, choice, tried)) => {
                    progress(&format!("{} {architecture}: {ours:.3} ticks a byte, {choice}", subject.cipher));
                    results.push(Result { row, ours, choice, tried });
                }
                None => progress(&format!("{} {architecture}: nothing could be measured", subject.cipher)),
            }
        }
    }
    table(&best_of_each_row(results), ratio.max(core_cycles_per_tick()))
}

/// The choices worth trying, fewer when `quick`.
fn choices(subject: &Subject, target: Target, compilers: &[CCompiler], quick: bool) -> Vec<Choice> {
    use Amount::{All, Auto, None};
    let mut base = Options::new(target);
    base.node = Some(subject.node.into());
    base.slicing = Some(subject.slicing);
    base.word = subject.word;
    let bitsliced = subject.slicing == Slicing::Bitslice;
    let plain_bitsliced = !target.is_vector() && bitsliced;
    let plain_vertical = !target.is_vector() && subject.slicing == Slicing::Vertical;
    let shapes: &[(Amount, Amount)] = match (quick, bitsliced) {
        (true, _) => &[(Auto, Auto)],
        (false, true) => &[(Auto, Auto), (None, None)],
        (false, false) => &[(Auto, Auto), (None, All), (All, All)],
    };
    let factors: &[u32] = if quick || bitsliced { &[1] } else { &[1, 2, 3, 4] };
    let schedules: &[Schedule] =
        if quick || plain_vertical { &[Schedule::Auto] } else { &[Schedule::Auto, Schedule::None] };
    let mut all = Vec::new();
    // Whether ternary logic pays depends on the CPU, and whether 512 bits do.
    let registers: &[(Option<u32>, Ternary)] = match target {
        Target::Avx512 if !quick => &[(Option::None, Ternary::Auto), (Some(256), Ternary::None)],
        _ => &[(Option::None, Ternary::Auto)],
    };
    for (packed, &(width, ternary)) in
        [false, true].iter().flat_map(|packed| registers.iter().map(move |registers| (*packed, registers)))
    {
        if packed && !plain_vertical {
            continue;
        }
        for &factor in factors {
            for &(unroll, inline) in shapes {
                for &schedule in schedules {
                    let interleave = (factor > 1).then_some(Interleave { factor, grain: DEFAULT_GRAIN });
                    let options =
                        Options { packed, width, ternary, unroll, inline, schedule, interleave, ..base.clone() };
                    if plain_bitsliced && !quick {
                        all.push(Options { planes: false, ..options.clone() });
                    }
                    all.push(options);
                }
            }
        }
    }
    let mut choices = Vec::new();
    for options in all {
        for compiler in compilers {
            for flags in flags(compiler, plain_vertical, quick) {
                choices.push(Choice { options: options.clone(), compiler: compiler.clone(), flags });
            }
        }
    }
    choices
}

/// Flags worth trying: one instance in plain words may be better off without the vectoriser, and clang's scheduler undoes
/// ours.
fn flags(compiler: &CCompiler, plain_vertical: bool, quick: bool) -> Vec<Vec<&'static str>> {
    let base = vec!["-O3", "-march=native"];
    let with = |more: &[&'static str]| base.iter().chain(more).copied().collect();
    let mut all = vec![base.clone()];
    if plain_vertical {
        all.push(with(&["-fno-tree-vectorize"]));
    } else if compiler.is_clang() && !quick {
        all.push(with(&["-mllvm", "-enable-misched=0"]));
    }
    all
}

/// Compiles all choices, one a core; those that fail are named in the second list.
fn compile_all(source: &Source, choices: Vec<Choice>, what: What) -> (Vec<(Timed, String)>, Vec<String>) {
    let next = AtomicUsize::new(0);
    let made = Mutex::new((Vec::new(), Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(choice) = choices.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = format!(
                        "{} ({} {})",
                        choice.options.arguments(),
                        choice.compiler.name(),
                        choice.flags.join(" ")
                    );
                    let timed = Timed::new(source, choice, what);
                    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                    match timed {
                        Ok(kernel) => made.0.push((kernel, name)),
                        Err(error) => made.1.push(format!("{name}: {}", error.lines().next().unwrap_or(""))),
                    }
                }
            });
        }
    });
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Takes samples on several sets of pages. Bitsliced kernels move tens of kilobytes, and how fast the
/// caches give them back depends on which physical pages the operands and the stack happen to have: the same code differs by
/// up to a third between two runs. Fresh memory and a fresh stack for every few samples make the median the code's.
fn sample_in_places(timed: &mut [(Timed, String)], places: usize, samples: usize) {
    timed.iter_mut().for_each(|(kernel, _)| kernel.samples.clear());
    for place in 1..=places {
        timed.iter_mut().for_each(|(kernel, _)| kernel.move_operands());
        // A stack larger than the last is not the last.
        let thread = thread::Builder::new().stack_size((4 << 20) + (place << 16));
        thread::scope(|scope| {
            let sampling = thread.spawn_scoped(scope, || {
                for _ in 0..samples {
                    timed.iter_mut().for_each(|(kernel, _)| kernel.sample());
                }
            });
            sampling.map(|running| running.join()).ok();
        });
    }
}

/// The best choice's median ticks a byte, its name, and how many were measured. Choices are sampled in turns.
fn measure(
    source: &Source,
    subject: &Subject,
    target: Target,
    compilers: &[CCompiler],
    filter: &Filter,
    progress: &mut dyn FnMut(&str),
) -> Option<(f64, String, usize)> {
    let what = if filter.what_bytes { What::Bytes } else { What::Sliced };
    let (mut timed, failed) = compile_all(source, choices(subject, target, compilers, filter.quick), what);
    failed.iter().for_each(|line| progress(line));
    timed.iter_mut().for_each(|(kernel, _)| kernel.calibrate());
    sample_in_places(&mut timed, 5, 7);
    timed.sort_by(|a, b| median(&mut a.0.samples.clone()).total_cmp(&median(&mut b.0.samples.clone())));
    let tried = timed.len();
    if filter.verbose {
        timed.iter().for_each(|(kernel, name)| progress(&format!("{:.3} {name}", median(&mut kernel.samples.clone()))));
    }
    timed.truncate(4);
    sample_in_places(&mut timed, 15, 15);
    timed
        .iter()
        .map(|(kernel, name)| (median(&mut kernel.samples.clone()), name.clone(), tried))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// A row measured with several programs has the best of them.
fn best_of_each_row(results: Vec<Result>) -> Vec<Result> {
    let mut best: Vec<Result> = Vec::new();
    for result in results {
        match best.iter_mut().find(|other| other.row == result.row) {
            Some(other) if result.ours < other.ours => *other = result,
            Some(_) => {}
            None => best.push(result),
        }
    }
    best
}

fn table(results: &[Result], ratio: f64) -> String {
    let baseline = baseline::best();
    let mut text = String::from(
        "cipher\tslicing\tarch\tticks/byte\tcore cycles/byte\tusubac core cycles/byte\tratio\ttried\tchoice\n",
    );
    let mut logarithms = Vec::new();
    let mut worst: f64 = 0.0;
    for result in results {
        let Row { cipher, slicing, architecture } = &result.row;
        let ours = result.ours * ratio;
        let theirs = baseline.get(&result.row).map(|ticks| ticks * CORE_CYCLES_PER_TICK);
        let quotient = theirs.map(|theirs| ours / theirs);
        if let Some(quotient) = quotient {
            logarithms.push(quotient.ln());
            worst = worst.max(quotient);
        }
        let show = |value: Option<f64>| value.map_or_else(|| "-".into(), |v| format!("{v:.3}"));
        let _ = writeln!(
            text,
            "{cipher}\t{slicing}\t{architecture}\t{:.3}\t{ours:.3}\t{}\t{}\t{}\t{}",
            result.ours,
            show(theirs),
            show(quotient),
            result.tried,
            result.choice
        );
    }
    if !logarithms.is_empty() {
        let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
        let _ = writeln!(
            text,
            "# {} rows: geometric mean {mean:.3}, worst {worst:.3}; {ratio:.3} core cycles a tick here, {CORE_CYCLES_PER_TICK} there",
            logarithms.len()
        );
    }
    text
}
