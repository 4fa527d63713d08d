//! Making candidates measurable, and measuring them.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use culet_diag::Diagnostics;
use culet_diag::codes::world;
use culet_driver::{Maker, Options, Source};
use culet_emit::Interface;
use culet_native::{CCompiler, Job, Runner, Scratch};

use crate::harness::{self, Report, What};
use crate::race::Samples;
use crate::space::Choice;

/// What the search asks of the world. Candidates have numbers.
pub trait Laboratory {
    /// Compiles choices to C, or says why they are none.
    fn prepare(&mut self, choices: &[(usize, Choice)]) -> Vec<Prepared>;

    /// Samples candidates in turns, in several runs. Those that cannot be compiled to machine code, or fail when they run, are named.
    fn measure(&mut self, ids: &[usize], runs: usize, rounds: usize) -> Result<Samples, Trouble>;
}

#[derive(Debug, Clone, PartialEq)]
pub enum Prepared {
    Ready {
        /// Cycles a byte by the compiler's model.
        predicted: f64,
        /// Equal for candidates that are the same machine code.
        fingerprint: u64,
        /// Of the intermediate representation.
        instructions: u64,
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

/// More bytes than the harness prints of any samples.
const MOST_PRINTED: u64 = 1 << 26;

/// The number of the candidate that finds out about the machine.
const PROBE: usize = 1_000_000_000;

/// This machine's compilers, and a machine that runs what they make.
pub struct Workshop<'a> {
    source: &'a Source,
    compilers: &'a [CCompiler],
    runner: Option<&'a Runner>,
    what: What,
    directory: Scratch,
    candidates: BTreeMap<usize, Candidate>,
    /// What came of compiler options, whatever the C compiler and its flags.
    prepared: BTreeMap<String, Prepared>,
    /// The hash of what every kernel must compute, by the interpreter.
    expected: String,
    /// What the last run said about itself.
    pub machine: String,
    pub clock: String,
}

struct Candidate {
    choice: Choice,
    /// What callers need to know of the objects, if there are any.
    built: Option<Interface>,
}

impl<'a> Workshop<'a> {
    /// `options` say the node whose results all candidates must give.
    pub fn new(
        source: &'a Source,
        options: &Options,
        compilers: &'a [CCompiler],
        runner: Option<&'a Runner>,
        what: What,
    ) -> Result<Workshop<'a>, Diagnostics> {
        let directory = Scratch::new("culet-tune-").map_err(|error| {
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
            prepared: BTreeMap::new(),
            expected,
            machine: String::new(),
            clock: String::new(),
        })
    }

    /// The machine that the runner runs on, from a short run of the first of these that works.
    pub fn probe(&mut self, choices: &[Choice]) -> Result<String, String> {
        let mut reason = String::from("there is nothing to try");
        for choice in choices {
            match self.prepare(&[(PROBE, choice.clone())]).pop() {
                Some(Prepared::Ready { .. }) => match self.measure(&[PROBE], 1, 1) {
                    Ok(_) => return Ok(self.machine.clone()),
                    // It would not run another program either.
                    Err(Trouble::Runner(why)) => return Err(why),
                    Err(Trouble::Candidates(failed)) => reason = failed.into_iter().map(|(_, why)| why).collect(),
                },
                Some(Prepared::Failed(why)) => reason = why,
                Some(Prepared::CannotAct) | None => {}
            }
        }
        Err(reason)
    }

    /// Compiles the objects of candidates that have none, on all cores.
    fn build(&mut self, ids: &[usize]) -> Result<(), Trouble> {
        let missing: Vec<usize> = ids.iter().copied().filter(|id| self.candidates[id].built.is_none()).collect();
        let mut failed = Vec::new();
        for (id, built) in missing.iter().zip(on_all_cores(&missing, |&id| self.build_one(id))) {
            match built {
                Ok(interface) => drop(self.candidates.get_mut(id).map(|candidate| candidate.built = Some(interface))),
                Err(reason) => failed.push((*id, reason)),
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(Trouble::Candidates(failed)) }
    }

    fn build_one(&self, id: usize) -> Result<Interface, String> {
        let choice = &self.candidates[&id].choice;
        let compiler = &self.compilers[choice.compiler];
        let (stem, shim) = (stem(id), format!("shim{id}"));
        let (kernel, interface) =
            crate::kernel(self.source, &stem, &choice.options).map_err(|_| "it cannot be compiled")?;
        self.write(&format!("{stem}.h"), kernel.header())?;
        self.write(&format!("{stem}.c"), kernel.text())?;
        self.write(&format!("{shim}.c"), &harness::shim(id, &stem, &interface, self.what))?;
        for name in [&stem, &shim] {
            compiler
                .object(self.directory.path(), name, choice.options.target, &choice.flags, COMPILE_LIMIT)
                .map_err(|error| first_line(&error.to_string()))?;
        }
        Ok(interface)
    }

    /// What callers need to know of candidates that were built.
    fn interfaces(&self, ids: &[usize]) -> Vec<(usize, &Interface)> {
        ids.iter().filter_map(|&id| Some((id, self.candidates[&id].built.as_ref()?))).collect()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        fs::write(self.directory.path().join(name), text).map_err(|error| format!("cannot write `{name}`: {error}"))
    }

    /// An executable with these candidates.
    fn link(&self, ids: &[usize]) -> Result<std::path::PathBuf, String> {
        self.write("main.c", &harness::main_program(&self.interfaces(ids), self.what))?;
        let compiler = &self.compilers[self.candidates[&ids[0]].choice.compiler];
        let target = self.candidates[&ids[0]].choice.options.target;
        let directory = self.directory.path();
        let main = compiler
            .object(directory, "main", target, &["-O1".into()], COMPILE_LIMIT)
            .map_err(|error| first_line(&error.to_string()))?;
        let mut objects = vec![main];
        for &id in ids {
            objects.extend([directory.join(format!("{}.o", stem(id))), directory.join(format!("shim{id}.o"))]);
        }
        let path = directory.join("harness");
        compiler
            .executable(&objects, &path, self.runner.is_some(), COMPILE_LIMIT)
            .map_err(|error| first_line(&error.to_string()))?;
        Ok(path)
    }

    fn run(&self, executable: &std::path::Path, ids: &[usize], rounds: usize) -> Result<Report, String> {
        let mut arguments = vec![rounds.to_string(), SAMPLE_MICROSECONDS.to_string()];
        arguments.extend(ids.iter().map(usize::to_string));
        let samples = (rounds + 20) as u64 * ids.len() as u64;
        // A slow emulator may take a call for far longer than a sample should be.
        let time_limit = Duration::from_secs(20) + Duration::from_micros(50 * samples * SAMPLE_MICROSECONDS);
        let job =
            Job { program: executable, arguments: &arguments, input: &[], time_limit, output_limit: MOST_PRINTED };
        let text = job.run(self.runner).map_err(|error| error.to_string())?;
        let bytes = self.interfaces(ids).into_iter().map(|(id, i)| (id, harness::bytes_a_call(i, self.what))).collect();
        harness::read(&String::from_utf8_lossy(&text), &bytes)
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

    /// After objects that could not be linked: whose cannot be linked alone?
    fn find_unlinkable(&self, ids: &[usize], reason: String) -> Trouble {
        let culprits: Vec<(usize, String)> = ids.iter().filter_map(|&id| Some((id, self.link(&[id]).err()?))).collect();
        if culprits.is_empty() { Trouble::Runner(reason) } else { Trouble::Candidates(culprits) }
    }

    /// After a run that failed: who fails alone?
    fn find_culprits(&self, executable: &std::path::Path, ids: &[usize], reason: String) -> Trouble {
        if let [_] = ids {
            return Trouble::Runner(reason);
        }
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
    fn prepare(&mut self, choices: &[(usize, Choice)]) -> Vec<Prepared> {
        let mut new: BTreeMap<String, &Options> = BTreeMap::new();
        for (_, choice) in choices {
            let arguments = choice.options.arguments();
            if !self.prepared.contains_key(&arguments) {
                new.insert(arguments, &choice.options);
            }
        }
        let options: Vec<&Options> = new.values().copied().collect();
        let prepared = on_all_cores(&options, |options| prepare(self.source, options));
        self.prepared.extend(new.into_keys().zip(prepared));
        let one = |(id, choice): &(usize, Choice)| {
            let mut prepared = self.prepared[&choice.options.arguments()].clone();
            if let Prepared::Ready { fingerprint, .. } = &mut prepared {
                let mut hasher = DefaultHasher::new();
                (*fingerprint, choice.compiler, &choice.flags).hash(&mut hasher);
                *fingerprint = hasher.finish();
                self.candidates.insert(*id, Candidate { choice: choice.clone(), built: None });
            }
            prepared
        };
        choices.iter().map(one).collect()
    }

    fn measure(&mut self, ids: &[usize], runs: usize, rounds: usize) -> Result<Samples, Trouble> {
        self.build(ids)?;
        let executable = self.link(ids).map_err(|reason| self.find_unlinkable(ids, reason))?;
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

/// A candidate's files' name without extension.
fn stem(id: usize) -> String {
    format!("k{id}")
}

/// What comes of compiler options; the fingerprint is that of the C text.
fn prepare(source: &Source, options: &Options) -> Prepared {
    let (kernel, interface) = match crate::kernel(source, "k", options) {
        Ok(made) => made,
        Err(diagnostics) => {
            return match diagnostics.iter().find(|d| d.is_error()) {
                Some(error) if error.code.id == world::E0830.id => Prepared::CannotAct,
                Some(error) => Prepared::Failed(error.message.clone()),
                None => Prepared::Failed("it cannot be compiled".into()),
            };
        }
    };
    let bytes = harness::bytes_a_call(&interface, What::Registers);
    if bytes == 0 {
        return Prepared::Failed("it has no results".into());
    }
    let module = kernel.module();
    let mut hasher = DefaultHasher::new();
    // The text without the comment at its head and the note, which name the options.
    let lines = kernel.text().lines().skip_while(|line| line.starts_with(['/', ' ']));
    lines.filter(|line| !line.contains(culet_emit::NOTE_SECTION)).for_each(|line| line.hash(&mut hasher));
    Prepared::Ready {
        predicted: culet_passes::predicted_cycles(module, options.target) / bytes as f64,
        fingerprint: hasher.finish(),
        instructions: module.funcs.iter().map(|func| func.insts.len() as u64).sum(),
    }
}

/// What a function makes of each of these, in their order.
fn on_all_cores<T: Sync, R: Send>(all: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, all.get(i)?)))
        {
            done.push((index, f(item)));
        }
        done
    };
    let cores = thread::available_parallelism().map_or(1, usize::from).min(all.len());
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let joined =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
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
