//! Cycles a byte of every row, the best over the compiler's choices and C compilers, beside usubac's.

use std::fmt::Write;
use std::path::Path;

use culet_driver::{DiskReader, Interleave, Options, Source, load};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_passes::{Amount, Schedule};
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

const SUBJECTS: [Subject; 10] = [
    Subject { cipher: "AES-bs", file: "aes128", node: "AES128", slicing: Slicing::Bitslice, word: None },
    Subject { cipher: "AES-hs", file: "aes128", node: "AES128", slicing: Slicing::Horizontal, word: None },
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
    table(&results, ratio.max(core_cycles_per_tick()))
}

/// The choices worth trying, fewer when `quick`.
fn choices(subject: &Subject, target: Target, compilers: &[CCompiler], quick: bool) -> Vec<Choice> {
    let mut base = Options::new(target);
    base.node = Some(subject.node.into());
    base.slicing = Some(subject.slicing);
    base.word = subject.word;
    let plain_vertical = !target.is_vector() && subject.slicing == Slicing::Vertical;
    let mut all = Vec::new();
    let factors: &[u32] = if quick || subject.slicing == Slicing::Bitslice { &[1] } else { &[1, 2, 3] };
    let shapes: &[(Amount, Amount)] = if quick {
        &[(Amount::Auto, Amount::Auto)]
    } else {
        &[
            (Amount::Auto, Amount::Auto),
            (Amount::None, Amount::Auto),
            (Amount::None, Amount::None),
            (Amount::All, Amount::All),
        ]
    };
    let schedules: &[Schedule] = if quick { &[Schedule::Auto] } else { &[Schedule::Auto, Schedule::None] };
    for packed in if plain_vertical { vec![false, true] } else { vec![false] } {
        for &factor in factors {
            for &(unroll, inline) in shapes {
                for &schedule in schedules {
                    let interleave = (factor > 1).then_some(Interleave { factor, grain: 10 });
                    let options = Options { packed, unroll, inline, schedule, interleave, ..base.clone() };
                    all.push(options);
                }
            }
        }
    }
    let flags: &[&[&str]] = if plain_vertical {
        &[&["-O3", "-march=native"], &["-O3", "-march=native", "-fno-tree-vectorize"]]
    } else {
        &[&["-O3", "-march=native"]]
    };
    let mut choices = Vec::new();
    for options in all {
        for compiler in compilers {
            for flags in flags {
                choices.push(Choice { options: options.clone(), compiler: compiler.clone(), flags: flags.to_vec() });
            }
        }
    }
    choices
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
    let mut timed = Vec::new();
    for choice in choices(subject, target, compilers, filter.quick) {
        let name = format!("{} ({} {})", choice.options.arguments(), choice.compiler.name(), choice.flags.join(" "));
        match Timed::new(source, &choice, what) {
            Ok(kernel) => timed.push((kernel, name)),
            Err(error) => progress(&format!("{name}: {}", error.lines().next().unwrap_or(""))),
        }
    }
    for _ in 0..31 {
        timed.iter_mut().for_each(|(kernel, _)| kernel.sample());
    }
    // The better half once more, so that the best are told apart by many samples.
    timed.sort_by(|a, b| median(&mut a.0.samples.clone()).total_cmp(&median(&mut b.0.samples.clone())));
    let tried = timed.len();
    timed.truncate(4);
    for _ in 0..101 {
        timed.iter_mut().for_each(|(kernel, _)| kernel.sample());
    }
    timed
        .iter()
        .map(|(kernel, name)| (median(&mut kernel.samples.clone()), name.clone(), tried))
        .min_by(|a, b| a.0.total_cmp(&b.0))
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
