//! Cycles a byte of every row, with the tuner's best choice, compared with usubac's.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Options, load, slicing_name};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_tune::{Budget, Limits, Outcome, Request, Reuse, What, tune};
use culet_types::program::Slicing;

use crate::baseline::{self, CORE_CYCLES_PER_TICK, Row};
use crate::clock::core_cycles_per_tick;

/// The program of a row: usubac's name for the cipher, the file, the node, the direction.
pub struct Subject(pub &'static str, pub &'static str, pub &'static str, pub Slicing);

use Slicing::{Bitslice as B, Horizontal as H, Vertical as V};

pub const SUBJECTS: &[Subject] = &[
    Subject("ACE-bs", "ace", "ACE", B),
    Subject("ACE-vs", "ace", "ACE", V),
    Subject("AES-bs", "aes128", "AES128", B),
    Subject("AES-hs", "aes128", "AES128", H),
    Subject("AES-hs", "aes128_fixsliced", "AES128_fixsliced", H),
    Subject("AES192-bs", "aes192", "AES192", B),
    Subject("AES192-hs", "aes192_fixsliced", "AES192_fixsliced", H),
    Subject("AES256-bs", "aes256", "AES256", B),
    Subject("AES256-hs", "aes256_fixsliced", "AES256_fixsliced", H),
    Subject("Ascon-bs", "ascon", "Ascon_p12", B),
    Subject("Ascon-vs", "ascon", "Ascon_p12", V),
    Subject("Chacha20-vs", "chacha20", "chacha20_permutation", V),
    Subject("Clyde-bs", "clyde128", "Clyde128", B),
    Subject("Clyde-vs", "clyde128", "Clyde128", V),
    Subject("DES-bs", "des", "DES", B),
    Subject("Gift-bs", "gift128", "Gift128", B),
    Subject("Gift-fix-vs", "gift128_fixsliced", "Gift128_fixsliced", V),
    Subject("Gift-vs", "gift128", "Gift128", V),
    Subject("Gift64-bs", "gift64", "Gift64", B),
    Subject("Gift64-hs", "gift64", "Gift64", H),
    Subject("Gimli-bs", "gimli", "Gimli", B),
    Subject("Gimli-vs", "gimli", "Gimli", V),
    Subject("Keccak-bs", "keccak", "Keccak_f1600", B),
    Subject("Keccak-vs", "keccak", "Keccak_f1600", V),
    Subject("Photon-bs", "photon256", "PHOTON_256", B),
    Subject("Present-bs", "present", "Present", B),
    Subject("Pyjamask-bs", "pyjamask", "Pyjamask128", B),
    Subject("Pyjamask-vs", "pyjamask", "Pyjamask128", V),
    Subject("Pyjamask96-bs", "pyjamask", "Pyjamask96", B),
    Subject("Pyjamask96-vs", "pyjamask", "Pyjamask96", V),
    Subject("Rectangle-bs", "rectangle", "Rectangle", B),
    Subject("Rectangle-hs", "rectangle", "Rectangle", H),
    Subject("Rectangle-vs", "rectangle", "Rectangle", V),
    Subject("Salsa20-vs", "salsa20", "salsa20_block", V),
    Subject("Serpent-vs", "serpent", "Serpent", V),
    Subject("SHA256-vs", "sha256", "SHA256_compress", V),
    Subject("SHA512-vs", "sha512", "SHA512_compress", V),
    Subject("Skinny-bs", "skinny128", "SKINNY_128_256", B),
    Subject("Spongent-bs", "spongent160", "Spongent_pi_160", B),
    Subject("Subterranean-bs", "subterranean", "Subterranean_blank", B),
    Subject("TDEA-bs", "tdea", "TDEA", B),
    Subject("Trivium-vs", "trivium", "trivium_64_steps", V),
    Subject("Xoodoo-bs", "xoodoo", "Xoodoo", B),
    Subject("Xoodoo-vs", "xoodoo", "Xoodoo", V),
];

pub const TARGETS: [(Target, &str); 4] =
    [(Target::C64, "std"), (Target::Sse, "sse"), (Target::Avx2, "avx"), (Target::Avx512, "avx512")];

/// The measurements to make.
#[derive(Debug, Clone)]
pub struct Plan {
    pub cipher: Option<String>,
    pub target: Option<Target>,
    /// Whether the time from bytes to bytes is measured, packing included.
    pub bytes: bool,
    /// Flags of every C compilation.
    pub cflags: Vec<String>,
    /// Seconds for each program and target.
    pub time: u64,
}

struct Result {
    row: Row,
    outcome: Outcome,
    choice: String,
}

impl Result {
    fn ticks(&self) -> f64 {
        self.outcome.ranking[0].ticks_a_byte
    }
}

/// The table as Markdown, followed by the summary.
pub fn run(primitives: &Path, plan: &Plan, progress: &mut dyn FnMut(&str)) -> String {
    let compilers = CCompiler::installed();
    let ratio = core_cycles_per_tick();
    let mut results: Vec<Result> = Vec::new();
    for subject in SUBJECTS.iter().filter(|s| plan.cipher.as_deref().is_none_or(|cipher| s.0 == cipher)) {
        for &(target, architecture) in TARGETS.iter().filter(|(target, _)| cpu_runs(*target)) {
            if plan.target.is_some_and(|only| only != target) {
                continue;
            }
            match measure(primitives, subject, target, plan, &compilers) {
                Ok(outcome) => {
                    let choice = outcome.ranking[0].choice.describe(&compilers);
                    let row = Row {
                        cipher: subject.0.into(),
                        slicing: slicing_name(subject.3).to_uppercase(),
                        architecture: architecture.into(),
                    };
                    let result = Result { row, outcome, choice };
                    progress(&format!(
                        "{} {architecture}: {:.3} ticks a byte, {}",
                        subject.0,
                        result.ticks(),
                        result.choice
                    ));
                    keep_best(&mut results, result);
                }
                Err(reason) => progress(&format!("{} {architecture}: {reason}", subject.0)),
            }
        }
    }
    table(&results, ratio.max(core_cycles_per_tick()))
}

fn measure(
    primitives: &Path,
    subject: &Subject,
    target: Target,
    plan: &Plan,
    compilers: &[CCompiler],
) -> std::result::Result<Outcome, String> {
    with_request(primitives, subject, target, plan, compilers, |request| tune(request, &mut |_, _| {}))
}

/// Calls a function with the tuner's request for a subject on a target. An error is the first message.
pub fn with_request<T>(
    primitives: &Path,
    Subject(_, file, node, slicing): &Subject,
    target: Target,
    plan: &Plan,
    compilers: &[CCompiler],
    work: impl FnOnce(&Request) -> std::result::Result<T, Diagnostics>,
) -> std::result::Result<T, String> {
    let path = primitives.join("ciphers").join(file).with_extension("ua");
    let (source, diagnostics) = load(&path, &[], &DiskReader);
    let first = |diagnostics: &Diagnostics| {
        diagnostics.iter().find(|d| d.is_error()).map_or_else(String::new, |d| d.message.clone())
    };
    if diagnostics.has_errors() {
        return Err(first(&diagnostics));
    }
    let request = Request {
        source: &source,
        options: Options { node: Some((*node).into()), slicing: Some(*slicing), ..Options::new(target) },
        any_slicing: false,
        compilers: compilers.to_vec(),
        flags: plan.cflags.clone(),
        runner: None,
        what: if plan.bytes { What::default() } else { What::Registers },
        budget: Budget::default(),
        limits: Limits { time: Duration::from_secs(plan.time), exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    work(&request).map_err(|diagnostics| first(&diagnostics))
}

/// Keeps the best result of a row that was measured with several programs.
fn keep_best(results: &mut Vec<Result>, result: Result) {
    match results.iter_mut().find(|other| other.row == result.row) {
        Some(other) if result.ticks() < other.ticks() => *other = result,
        Some(_) => {}
        None => results.push(result),
    }
}

fn table(results: &[Result], ratio: f64) -> String {
    let baseline = baseline::best();
    let mut text = String::from(
        "| cipher | registers | core cycles/byte | usubac | ratio | measured | choice |\n|---|---|---|---|---|---|---|\n",
    );
    let mut quotients = Vec::new();
    for result in results {
        let ours = result.ticks() * ratio;
        let theirs = baseline.get(&result.row).map(|ticks| ticks * CORE_CYCLES_PER_TICK);
        let quotient = theirs.map(|theirs| ours / theirs);
        quotients.extend(quotient);
        let show = |value: Option<f64>| value.map_or_else(|| "-".into(), |v| format!("{v:.3}"));
        let Row { cipher, architecture, .. } = &result.row;
        let _ = writeln!(
            text,
            "| {cipher} | {architecture} | {ours:.3} | {} | {} | {} | `{}` |",
            show(theirs),
            show(quotient),
            result.outcome.measured(),
            result.choice
        );
    }
    if !quotients.is_empty() {
        let mean = (quotients.iter().map(|q| q.ln()).sum::<f64>() / quotients.len() as f64).exp();
        let worst = quotients.iter().fold(0.0, |a: f64, &b| a.max(b));
        let above = quotients.iter().filter(|&&q| q > 1.10).count();
        let _ = writeln!(
            text,
            "\n{} rows with a published figure: geometric mean {mean:.3}, worst {worst:.3}, {above} over 1.10. {ratio:.3} core \
             cycles a tick here, {CORE_CYCLES_PER_TICK} there.",
            quotients.len()
        );
    }
    text
}
