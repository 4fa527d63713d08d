//! Making candidates measurable, and measuring them.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use culet_diag::Diagnostics;
use culet_diag::codes::world;
use culet_driver::{Compiled, Maker, Options, Source};
use culet_native::CCompiler;

use crate::harness::{self, Report, What};
use crate::race::Samples;
use crate::run::Runner;
use crate::space::Choice;

/// What the search asks of the world. Candidates have numbers.
pub trait Laboratory {
    /// Compiles a choice to C, or says why it is none.
    fn prepare(&mut self, id: usize, choice: &Choice) -> Prepared;

    /// Samples candidates in turns, in several runs. Those that cannot be compiled to machine code, or fail when they run, are named.
    fn measure(&mut self, ids: &[usize], runs: usize, rounds: usize) -> Result<Samples, Trouble>;
}

pub enum Prepared {
    Ready {
        /// Cycles a byte by the compiler's model.
        predicted: f64,
        /// Equal for candidates that are the same machine code.
        fingerprint: u64,
    },
    /// The choice does nothing for this program: there is another that says the same.
    CannotAct,
    Failed(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// Some candidates fail; the others were not measured yet.
    Candidates(Vec<(usize, String)>),
    /// Nothing can be measured.
    Runner(String),
}

/// A C compilation that takes longer is given up: the kernel would be no good anyway.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);
/// How long a sample takes: short enough to fit between two interruptions, long enough for the clock.
const SAMPLE_MICROSECONDS: u64 = 100;

/// The number of the candidate that finds out about the machine.
const PROBE: usize = 1_000_000_000;

/// This machine's compilers, and a machine that runs what they make.
pub struct Workshop<'a> {
    source: &'a Source,
    compilers: &'a [CCompiler],
    runner: &'a Runner,
    what: What,
    directory: tempfile::TempDir,
    candidates: BTreeMap<usize, Candidate>,
    /// The hash of what every kernel must compute, by the interpreter.
    expected: String,
    /// What the last run said about itself.
    pub machine: String,
    pub clock: String,
}

struct Candidate {
    choice: Choice,
    compiled: Compiled,
    is_built: bool,
}

impl<'a> Workshop<'a> {
    /// `options` say the node whose results all candidates must give.
    pub fn new(
        source: &'a Source,
        options: &Options,
        compilers: &'a [CCompiler],
        runner: &'a Runner,
        what: What,
    ) -> Result<Workshop<'a>, Diagnostics> {
        let directory = tempfile::Builder::new().prefix("culet-tune-").tempdir().map_err(|error| {
            let message = format!("cannot make a temporary directory: {error}");
            Diagnostics::from(culet_diag::Diagnostic::error_without_place(&world::E0810, message))
        })?;
        let expected = expected(source, options)?;
        Ok(Workshop {
            source,
            compilers,
            runner,
            what,
            directory,
            candidates: BTreeMap::new(),
            expected,
            machine: String::new(),
            clock: String::new(),
        })
    }

    /// The machine that the runner runs on, from a short run of the first of these that works.
    pub fn probe(&mut self, choices: &[Choice]) -> Result<String, String> {
        let mut reason = String::from("there is nothing to try");
        for choice in choices {
            match self.prepare(PROBE, choice) {
                Prepared::Ready { .. } => match self.measure(&[PROBE], 1, 1) {
                    Ok(_) => return Ok(self.machine.clone()),
                    Err(Trouble::Runner(why)) => reason = why,
                    Err(Trouble::Candidates(failed)) => reason = failed.into_iter().map(|(_, why)| why).collect(),
                },
                Prepared::Failed(why) => reason = why,
                Prepared::CannotAct => {}
            }
        }
        Err(reason)
    }

    /// Compiles the objects of candidates that have none, on all cores.
    fn build(&mut self, ids: &[usize]) -> Result<(), Trouble> {
        let missing: Vec<usize> = ids.iter().copied().filter(|id| !self.candidates[id].is_built).collect();
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from).min(missing.len()) {
                scope.spawn(|| {
                    while let Some(&id) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(reason) = self.build_one(id) {
                            failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((id, reason));
                        }
                    }
                });
            }
        });
        let failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        for id in missing.iter().filter(|id| failed.iter().all(|(other, _)| other != *id)) {
            if let Some(candidate) = self.candidates.get_mut(id) {
                candidate.is_built = true;
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(Trouble::Candidates(failed)) }
    }

    fn build_one(&self, id: usize) -> Result<(), String> {
        let candidate = &self.candidates[&id];
        let compiler = &self.compilers[candidate.choice.compiler];
        let (stem, output) = (&candidate.compiled.stem, &candidate.compiled.c);
        let shim = format!("shim{id}");
        self.write(&format!("{stem}.h"), &output.header)?;
        self.write(&format!("{stem}.c"), &output.source)?;
        self.write(&format!("{shim}.c"), &harness::shim(id, &candidate.compiled, self.what))?;
        for name in [stem, &shim] {
            let target = candidate.choice.options.target;
            compiler
                .object(self.directory.path(), name, target, &candidate.choice.flags, COMPILE_LIMIT)
                .map_err(|error| first_line(&error.to_string()))?;
        }
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        fs::write(self.directory.path().join(name), text).map_err(|error| format!("cannot write `{name}`: {error}"))
    }

    /// An executable with these candidates.
    fn link(&self, ids: &[usize]) -> Result<std::path::PathBuf, String> {
        let kernels: Vec<(usize, &Compiled)> = ids.iter().map(|&id| (id, &self.candidates[&id].compiled)).collect();
        self.write("main.c", &harness::main_program(&kernels, self.what))?;
        let compiler = &self.compilers[self.candidates[&ids[0]].choice.compiler];
        let target = self.candidates[&ids[0]].choice.options.target;
        let directory = self.directory.path();
        let main = compiler
            .object(directory, "main", target, &["-O1".into()], COMPILE_LIMIT)
            .map_err(|error| first_line(&error.to_string()))?;
        let mut objects = vec![main];
        for &id in ids {
            let stem = &self.candidates[&id].compiled.stem;
            objects.extend([directory.join(format!("{stem}.o")), directory.join(format!("shim{id}.o"))]);
        }
        let path = directory.join("harness");
        compiler
            .executable(&objects, &path, !self.runner.is_here(), COMPILE_LIMIT)
            .map_err(|error| first_line(&error.to_string()))?;
        Ok(path)
    }

    fn run(&self, executable: &std::path::Path, ids: &[usize], rounds: usize) -> Result<Report, String> {
        let mut arguments = vec![rounds.to_string(), SAMPLE_MICROSECONDS.to_string()];
        arguments.extend(ids.iter().map(usize::to_string));
        let samples = (rounds + 20) as u64 * ids.len() as u64;
        // A slow emulator may take a call for far longer than a sample should be.
        let limit = Duration::from_secs(20) + Duration::from_micros(50 * samples * SAMPLE_MICROSECONDS);
        let text = self.runner.run(executable, &arguments, limit)?;
        let bytes =
            ids.iter().map(|&id| (id, harness::bytes_a_call(&self.candidates[&id].compiled, self.what))).collect();
        harness::read(&text, &bytes)
    }

    /// Candidates whose results are not the program's.
    fn wrong(&self, report: &Report) -> Vec<(usize, String)> {
        let reason = |result: &Option<String>| match result {
            Some(hash) if *hash == self.expected => None,
            Some(_) => Some("it computes something else than the program"),
            None => Some("equal blocks have different results"),
        };
        let wrong = report.results.iter().filter_map(|(&id, result)| reason(result).map(|why| (id, why.to_owned())));
        wrong.collect()
    }

    /// After a run that failed: who fails alone?
    fn find_culprits(&self, executable: &std::path::Path, ids: &[usize], reason: String) -> Trouble {
        let mut culprits = Vec::new();
        let mut good = BTreeSet::new();
        for &id in ids {
            match self.run(executable, &[id], 1) {
                Ok(_) => drop(good.insert(id)),
                Err(reason) => culprits.push((id, reason)),
            }
        }
        match culprits.is_empty() || good.is_empty() {
            true => Trouble::Runner(reason),
            false => Trouble::Candidates(culprits),
        }
    }
}

impl Laboratory for Workshop<'_> {
    fn prepare(&mut self, id: usize, choice: &Choice) -> Prepared {
        let stem = format!("k{id}");
        let (compiled, diagnostics) = culet_driver::compile(self.source, &stem, &choice.options, &Diagnostics::new());
        let Some(compiled) = compiled else {
            let error = diagnostics.iter().find(|d| d.is_error());
            return match error {
                Some(error) if error.code.id == world::E0830.id => Prepared::CannotAct,
                Some(error) => Prepared::Failed(error.message.clone()),
                None => Prepared::Failed("it cannot be compiled".into()),
            };
        };
        let bytes = harness::bytes_a_call(&compiled, What::Registers);
        if bytes == 0 {
            return Prepared::Failed("it has no results".into());
        }
        let cycles = culet_passes::predicted_cycles(&compiled.lowered.module, choice.options.target);
        let mut hasher = DefaultHasher::new();
        // The text without the names that the stem gives.
        compiled.c.source.lines().skip_while(|line| line.starts_with(['/', ' '])).for_each(|line| {
            line.replace(&stem, "k").replace(&stem.to_ascii_uppercase(), "K").hash(&mut hasher);
        });
        (choice.compiler, &choice.flags).hash(&mut hasher);
        let prepared = Prepared::Ready { predicted: cycles / bytes as f64, fingerprint: hasher.finish() };
        self.candidates.insert(id, Candidate { choice: choice.clone(), compiled, is_built: false });
        prepared
    }

    fn measure(&mut self, ids: &[usize], runs: usize, rounds: usize) -> Result<Samples, Trouble> {
        self.build(ids)?;
        let executable = self.link(ids).map_err(Trouble::Runner)?;
        let mut all = Samples::default();
        for _ in 0..runs {
            let report = match self.run(&executable, ids, rounds) {
                Ok(report) => report,
                Err(reason) => return Err(self.find_culprits(&executable, ids, reason)),
            };
            let wrong = self.wrong(&report);
            if !wrong.is_empty() {
                return Err(Trouble::Candidates(wrong));
            }
            (self.machine, self.clock) = (report.machine, report.clock);
            all.append(report.samples);
        }
        Ok(all)
    }
}

/// The hash of the first block's results that the harness must print.
fn expected(source: &Source, options: &Options) -> Result<String, Diagnostics> {
    let engine = Maker::Interpreter.engine(source, options)?;
    let fill = |bytes: usize, seed: u64| -> Vec<u8> {
        let byte = |i: usize| {
            let mut x = (seed.wrapping_mul(1_000_003).wrapping_add(i as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            x ^= x >> 29;
            (x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as u8
        };
        (0..bytes).map(byte).collect()
    };
    let inputs: Vec<Vec<u8>> = engine.inputs().iter().zip(1..).map(|(input, seed)| fill(input.bytes, seed)).collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let outputs = engine.run(&inputs, 1);
    let hash = outputs
        .concat()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    Ok(format!("{hash:016x}"))
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("error")).or(text.lines().next()).unwrap_or("");
    line.chars().take(160).collect()
}
