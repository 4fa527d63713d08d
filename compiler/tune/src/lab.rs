//! Compiling candidates, and measuring them.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use culet_diag::Diagnostics;
use culet_diag::codes::world;
use culet_driver::{Kernel, Maker, Options, Source};
use culet_emit::capitals;
use culet_native::{CCompiler, CompileError, Job, Runner, Scratch, Size};

use crate::budget::{Budget, Smallest};
use crate::callee::{Arguments, Callee};
use crate::cores::on_all_cores;
use crate::harness::{self, Lengths, Report, What};
use crate::pace::Sampling;
use crate::race::Samples;
use crate::space::Choice;

#[cfg(test)]
mod tests;

/// The operations that the search needs. Candidates are identified by numbers.
pub trait Laboratory {
    /// The time by a clock that began to run before the search.
    fn now(&self) -> Duration;

    /// Compiles choices to C, or says why that fails.
    fn prepare(&mut self, choices: &[(usize, Choice)]) -> Vec<Prepared>;

    /// Samples candidates in turns, in several runs; the samples are fewer where the time is over before. The error names
    /// candidates that cannot be compiled to machine code, or not in time, or fail when they run.
    fn measure(&mut self, ids: &[usize], sampling: Sampling) -> Result<Samples, Trouble>;

    /// The bytes that a candidate takes, if they were measured.
    fn size(&self, _id: usize) -> Option<Size> {
        None
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Prepared {
    Ready {
        /// Cycles a byte by the compiler's model.
        predicted: f64,
        /// A hash that is equal for candidates with the same machine code.
        fingerprint: u64,
        /// Number of instructions of the intermediate representation.
        instructions: u64,
        /// Number of groups of instances, also where the compiler's model chose it.
        groups: u32,
    },
    /// The choice has no effect on this program: another choice gives the same code.
    CannotAct,
    Failed(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// Some candidates fail, for these reasons; the others were not measured yet.
    Candidates(Vec<(usize, String)>),
    /// These do not fit into the budget, by so many bytes; the others were not measured yet.
    Large(Vec<(usize, u64)>),
    /// There is no time to compile these; the others were not measured yet.
    Late(Vec<usize>),
    /// Nothing can be measured.
    Runner(String),
}

/// Time limit for one C compilation. A kernel that takes longer would not be useful anyway.
pub(crate) const COMPILE_LIMIT: Duration = Duration::from_secs(60);
/// Time that a sample takes, in microseconds: short enough to fit between two interruptions, long enough for the clock.
const SAMPLE_MICROSECONDS: u64 = 100;

/// Limit on the harness's output in bytes, more than any samples take.
const MOST_PRINTED: u64 = 1 << 26;

/// Bytes by which the code of the candidates is moved from one run to the next: multiples of it begin at each quarter of a line of the
/// cache, and on other places of pages.
const SHIFT: usize = 1040;

/// Number of the candidate that probes the machine.
const PROBE: usize = 1_000_000_000;
const ONCE: Sampling = Sampling { runs: 1, rounds: 1, until: None };

/// This machine's compilers, and a machine that runs their programs.
pub struct Workshop<'a> {
    source: &'a Source,
    compilers: &'a [CCompiler],
    runner: Option<&'a Runner>,
    what: What,
    /// The bytes that a candidate may take.
    pub budget: Budget,
    /// The fewest bytes that candidates take.
    pub(crate) smallest: Smallest,
    directory: Scratch,
    candidates: BTreeMap<usize, Candidate>,
    /// The results for compiler options, which do not depend on the C compiler and its flags.
    prepared: BTreeMap<String, Prepared>,
    /// The hash of the results that every kernel must compute, by the interpreter.
    expected: String,
    /// When its clock began to run.
    start: Instant,
    /// Whether C compilations may take longer than there is time: until something was measured.
    pub may_be_late: bool,
    /// The machine and the clock as the last run described them.
    pub machine: String,
    pub clock: String,
}

/// C files of a kernel that another version of the compiler made, to be measured beside those of this one.
#[derive(Debug, Clone)]
pub struct Given {
    /// The C compiler and its flags, and options with which this version makes the same interface.
    pub choice: Choice,
    /// The files' name without extension, with which all names in them begin.
    pub stem: String,
    pub text: String,
    pub header: String,
}

impl Given {
    /// The C file and the header under another name.
    fn named(&self, stem: &str) -> [String; 2] {
        let (old, new) = (capitals(&self.stem), capitals(stem));
        [&self.text, &self.header].map(|text| text.replace(&self.stem, stem).replace(&old, &new))
    }
}

struct Candidate {
    choice: Choice,
    given: Option<Given>,
    /// The objects, if they were built.
    built: Option<Built>,
}

/// A candidate's objects: its own, the bytes that this takes where there is a budget, and the one of the C that calls it.
#[derive(Clone)]
struct Built {
    callee: Callee,
    size: Option<Size>,
    /// The measurement that the C that calls it makes.
    timed: What,
}

impl<'a> Workshop<'a> {
    /// `options` gives the node whose results all candidates must compute.
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
        let expected = expected(source, options, what)?;
        Ok(Workshop {
            source,
            compilers,
            runner,
            what,
            budget: Budget::default(),
            smallest: Smallest::default(),
            directory,
            candidates: BTreeMap::new(),
            prepared: BTreeMap::new(),
            expected,
            start: Instant::now(),
            may_be_late: true,
            machine: String::new(),
            clock: String::new(),
        })
    }

    /// From here on something else is measured. What is compiled already stays. `options` are those with which the workshop was made.
    pub fn turn_to(&mut self, what: What, options: &Options) -> Result<(), Diagnostics> {
        if what != self.what {
            self.expected = expected(self.source, options, what)?;
            self.what = what;
            self.may_be_late = true;
        }
        Ok(())
    }

    /// Adds a candidate that another compiler made.
    pub fn give(&mut self, id: usize, given: &Given) {
        let candidate = Candidate { choice: given.choice.clone(), given: Some(given.clone()), built: None };
        self.candidates.insert(id, candidate);
    }

    /// The machine on which the runner runs programs, from a short run of the first of these choices that works.
    pub fn probe(&mut self, choices: &[Choice]) -> Result<String, String> {
        let mut reason = String::from("there is nothing to try");
        for choice in choices {
            match self.prepare(&[(PROBE, choice.clone())]).pop() {
                Some(Prepared::Ready { .. }) => match self.measure(&[PROBE], ONCE) {
                    Ok(_) => return Ok(self.machine.clone()),
                    // The runner would not run another program either.
                    Err(Trouble::Runner(why)) => return Err(why),
                    Err(Trouble::Candidates(failed)) => reason = failed.into_iter().map(|(_, why)| why).collect(),
                    Err(Trouble::Late(_) | Trouble::Large(_)) => reason = String::from("there is no time"),
                },
                Some(Prepared::Failed(why)) => reason = why,
                Some(Prepared::CannotAct) | None => {}
            }
        }
        Err(reason)
    }

    /// Compiles the objects of candidates that were not built yet, on all cores, until the time is over.
    fn build(&mut self, ids: &[usize], until: Option<Duration>) -> Result<(), Trouble> {
        let is_missing = |id: &usize| self.candidates[id].built.as_ref().is_none_or(|built| built.timed != self.what);
        let missing: Vec<usize> = ids.iter().copied().filter(is_missing).collect();
        let until = until.filter(|_| !self.may_be_late);
        let (mut late, mut failed) = (Vec::new(), Vec::new());
        for (id, built) in missing.iter().zip(on_all_cores(&missing, |&id| self.build_in_time(id, until))) {
            match built {
                Some(Ok(built)) => {
                    if let Some(size) = built.size {
                        self.smallest.add(size, &self.candidates[id].choice.describe(self.compilers));
                    }
                    if let Some(candidate) = self.candidates.get_mut(id) {
                        candidate.built = Some(built);
                    }
                }
                Some(Err(reason)) => failed.push((*id, reason)),
                None => late.push(*id),
            }
        }
        // Those of an earlier call, too, of which another one failed.
        let excess = |&id: &usize| Some((id, self.budget.excess(self.size(id)?))).filter(|(_, excess)| *excess > 0);
        let large: Vec<(usize, u64)> = ids.iter().filter_map(excess).collect();
        match (failed.is_empty(), large.is_empty(), late.is_empty()) {
            (false, ..) => Err(Trouble::Candidates(failed)),
            (true, false, _) => Err(Trouble::Large(large)),
            (true, true, false) => Err(Trouble::Late(late)),
            (true, true, true) => Ok(()),
        }
    }

    /// Compiles a candidate's objects; `None` if that is not done when the time is over.
    fn build_in_time(&self, id: usize, until: Option<Duration>) -> Option<Result<Built, String>> {
        let limit = until.map_or(COMPILE_LIMIT, |until| until.saturating_sub(self.now()).min(COMPILE_LIMIT));
        if limit.is_zero() {
            return None;
        }
        let built = self.build_one(id, limit);
        let is_late = built.is_err() && until.is_some_and(|until| self.now() >= until);
        (!is_late).then_some(built)
    }

    fn build_one(&self, id: usize, limit: Duration) -> Result<Built, String> {
        let Candidate { choice, built, .. } = &self.candidates[&id];
        let (callee, size) = match built {
            Some(built) => (built.callee.clone(), built.size),
            None => self.build_kernel(id, limit)?,
        };
        let (shim, what) = (format!("shim{id}"), self.what);
        self.write(&format!("{shim}.c"), &harness::shim(id, &stem(id), &callee, what))?;
        self.object(&shim, choice, limit)?;
        Ok(Built { callee, size, timed: what })
    }

    /// Compiles a candidate's own object, and measures it where there is a budget.
    fn build_kernel(&self, id: usize, limit: Duration) -> Result<(Callee, Option<Size>), String> {
        let Candidate { choice, given, .. } = &self.candidates[&id];
        let stem = stem(id);
        let (kernel, callee) =
            crate::kernel(self.source, &stem, &choice.options, self.what).map_err(|_| "it cannot be compiled")?;
        let [text, header] = match given {
            Some(given) => given.named(&stem),
            None => [kernel.text().to_owned(), kernel.header().to_owned()],
        };
        self.write(&format!("{stem}.h"), &header)?;
        self.write(&format!("{stem}.c"), &text)?;
        // The candidate that probes the machine need not fit.
        let is_sized = !self.budget.is_open() && id != PROBE;
        let (compiler, target) = (&self.compilers[choice.compiler], choice.options.target);
        let size = is_sized.then(|| compiler.size(self.directory.path(), &stem, target, &choice.flags, limit));
        let size = size.transpose().map_err(in_words)?;
        self.object(&stem, choice, limit)?;
        Ok((callee, size))
    }

    fn object(&self, name: &str, choice: &Choice, limit: Duration) -> Result<(), String> {
        let (compiler, target) = (&self.compilers[choice.compiler], choice.options.target);
        compiler.object(self.directory.path(), name, target, &choice.flags, limit).map(drop).map_err(in_words)
    }

    /// Candidates that were built, as their callers see them.
    fn callees(&self, ids: &[usize]) -> Vec<(usize, &Callee)> {
        ids.iter().filter_map(|&id| Some((id, &self.candidates[&id].built.as_ref()?.callee))).collect()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        fs::write(self.directory.path().join(name), text).map_err(|error| format!("cannot write `{name}`: {error}"))
    }

    /// Compiles the main program for these candidates.
    fn main_object(&self, ids: &[usize]) -> Result<PathBuf, String> {
        self.write("main.c", &harness::main_program(&self.callees(ids), self.what))?;
        self.plain_object("main", ids)
    }

    /// Compiles a file of the harness as the first of these candidates is compiled.
    fn plain_object(&self, name: &str, ids: &[usize]) -> Result<PathBuf, String> {
        let choice = &self.candidates[&ids[0]].choice;
        let (compiler, target) = (&self.compilers[choice.compiler], choice.options.target);
        let object = compiler.object(self.directory.path(), name, target, &["-O1".into()], COMPILE_LIMIT);
        object.map_err(in_words)
    }

    /// The object between the main program and the candidates in a run.
    fn gap(&self, ids: &[usize], run: usize) -> Result<PathBuf, String> {
        let name = format!("gap{run}");
        let made = self.directory.path().join(&name).with_extension("o");
        if made.exists() {
            return Ok(made);
        }
        self.write(&format!("{name}.c"), &harness::gap(run * SHIFT))?;
        self.plain_object(&name, ids)
    }

    /// Links an executable with these candidates, behind the object of the main program. Each run has its own, in which their code lies in
    /// another order and elsewhere.
    fn link(&self, main: &Path, ids: &[usize], run: usize) -> Result<PathBuf, String> {
        let directory = self.directory.path();
        let mut objects = vec![main.to_owned()];
        if run > 0 {
            objects.push(self.gap(ids, run)?);
        }
        for id in in_turn(ids, run) {
            objects.extend([directory.join(format!("{}.o", stem(id))), directory.join(format!("shim{id}.o"))]);
        }
        let path = directory.join("harness");
        let compiler = &self.compilers[self.candidates[&ids[0]].choice.compiler];
        let linked = compiler.executable(&objects, &path, self.runner.is_some(), COMPILE_LIMIT);
        linked.map(|()| path).map_err(in_words)
    }

    fn run(&self, executable: &Path, ids: &[usize], rounds: usize) -> Result<Report, String> {
        let mut arguments = vec![rounds.to_string(), SAMPLE_MICROSECONDS.to_string()];
        arguments.extend(ids.iter().map(usize::to_string));
        let samples = (rounds + 20) as u64 * ids.len() as u64;
        // A slow emulator may take far longer for a call than the length of a sample.
        let time_limit = Duration::from_secs(20) + Duration::from_micros(50 * samples * SAMPLE_MICROSECONDS);
        let job =
            Job { program: executable, arguments: &arguments, input: &[], time_limit, output_limit: MOST_PRINTED };
        let text = job.run(self.runner).map_err(|error| error.to_string())?;
        let bytes = self.callees(ids).into_iter().map(|(id, callee)| (id, callee.bytes_a_sample(self.what))).collect();
        harness::read(&String::from_utf8_lossy(&text), &bytes)
    }

    /// Candidates whose results differ from the program's.
    fn wrong(&self, report: &Report) -> Vec<(usize, String)> {
        let reason = |result: &Option<String>| match result {
            Some(hash) if *hash == self.expected => None,
            Some(_) => Some("it computes something else than the program"),
            None => Some("equal blocks have different results"),
        };
        let wrong = report.results.iter().filter_map(|(&id, result)| reason(result).map(|why| (id, why.to_owned())));
        wrong.collect()
    }

    fn links_alone(&self, id: usize) -> Result<(), String> {
        self.link(&self.main_object(&[id])?, &[id], 0).map(drop)
    }

    /// Finds the candidates that cannot be linked alone, after objects that could not be linked together.
    fn find_unlinkable(&self, ids: &[usize], reason: String) -> Trouble {
        let culprits: Vec<(usize, String)> =
            ids.iter().filter_map(|&id| Some((id, self.links_alone(id).err()?))).collect();
        if culprits.is_empty() { Trouble::Runner(reason) } else { Trouble::Candidates(culprits) }
    }

    /// Finds the candidates that fail alone, after a run that failed.
    fn find_culprits(&self, executable: &Path, ids: &[usize], reason: String) -> Trouble {
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
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn prepare(&mut self, choices: &[(usize, Choice)]) -> Vec<Prepared> {
        let mut new: BTreeMap<String, &Options> = BTreeMap::new();
        for (_, choice) in choices {
            let arguments = choice.options.arguments();
            if !self.prepared.contains_key(&arguments) {
                new.insert(arguments, &choice.options);
            }
        }
        let options: Vec<&Options> = new.values().copied().collect();
        let prepared = on_all_cores(&options, |options| prepare(self.source, options, self.what));
        self.prepared.extend(new.into_keys().zip(prepared));
        let one = |(id, choice): &(usize, Choice)| {
            let mut prepared = self.prepared[&choice.options.arguments()].clone();
            if let Prepared::Ready { fingerprint, .. } = &mut prepared {
                let mut hasher = DefaultHasher::new();
                (*fingerprint, choice.compiler, &choice.flags).hash(&mut hasher);
                *fingerprint = hasher.finish();
                if self.candidates.get(id).is_none_or(|known| known.choice != *choice) {
                    self.candidates.insert(*id, Candidate { choice: choice.clone(), given: None, built: None });
                }
            }
            prepared
        };
        choices.iter().map(one).collect()
    }

    fn measure(&mut self, ids: &[usize], sampling: Sampling) -> Result<Samples, Trouble> {
        self.build(ids, sampling.until)?;
        let start = self.now();
        let main = self.main_object(ids).map_err(|reason| self.find_unlinkable(ids, reason))?;
        let mut all = Samples::default();
        let (mut runs, mut longest) = (0, Duration::ZERO);
        while sampling.goes_on(runs, longest, self.now()) {
            let run_start = self.now();
            let executable = self.link(&main, ids, runs).map_err(|reason| self.find_unlinkable(ids, reason))?;
            let report = match self.run(&executable, &in_turn(ids, runs), sampling.rounds) {
                Ok(report) => report,
                Err(reason) => return Err(self.find_culprits(&executable, ids, reason)),
            };
            let wrong = self.wrong(&report);
            if !wrong.is_empty() {
                return Err(Trouble::Candidates(wrong));
            }
            (self.machine, self.clock) = (report.machine, report.clock);
            all.append(report.samples);
            (runs, longest) = (runs + 1, longest.max(self.now() - run_start));
        }
        all.time = self.now() - start;
        self.may_be_late &= ids == [PROBE];
        Ok(all)
    }

    fn size(&self, id: usize) -> Option<Size> {
        self.candidates.get(&id)?.built.as_ref()?.size
    }
}

/// Candidates in the order of a run: another one begins than in the run before.
fn in_turn(ids: &[usize], run: usize) -> Vec<usize> {
    let mut ids = ids.to_vec();
    let first = run % ids.len().max(1);
    ids.rotate_left(first);
    ids
}

/// The name of a candidate's files, without extension.
fn stem(id: usize) -> String {
    format!("k{id}")
}

/// Compiles with these compiler options. The fingerprint is that of the C text.
fn prepare(source: &Source, options: &Options, what: What) -> Prepared {
    let (kernel, callee) = match crate::kernel(source, "k", options, what) {
        Ok(made) => made,
        Err(diagnostics) => {
            return match diagnostics.iter().find(|d| d.is_error()) {
                Some(error) if error.code.id == world::E0830.id => Prepared::CannotAct,
                Some(error) => Prepared::Failed(error.message.clone()),
                None => Prepared::Failed("it cannot be compiled".into()),
            };
        }
    };
    let predicted = match &callee {
        Callee::Slices(_) => match callee.bytes_a_sample(What::Registers) {
            0 => return Prepared::Failed("it has no results".into()),
            bytes => kernel.predicted_cycles() / bytes as f64,
        },
        // The model does not know how often the loops over streams go around: to it, all choices are equal.
        Callee::Words { .. } => 1.0,
    };
    let module = kernel.module();
    Prepared::Ready {
        predicted,
        fingerprint: fingerprint(&kernel),
        instructions: module.funcs.iter().map(|func| func.insts.len() as u64).sum(),
        groups: kernel.groups(),
    }
}

/// A hash of a kernel's C text without the comment at its head and the note, which name the options.
pub(crate) fn fingerprint(kernel: &Kernel) -> u64 {
    let mut hasher = DefaultHasher::new();
    let lines = kernel.text().lines().skip_while(|line| line.starts_with(['/', ' ']));
    lines.filter(|line| !line.contains(culet_emit::NOTE_SECTION)).for_each(|line| line.hash(&mut hasher));
    hasher.finish()
}

/// The hash of the first block's results that the harness must print; of all results of the longest message, where a function has streams.
fn expected(source: &Source, options: &Options, what: What) -> Result<String, Diagnostics> {
    let engine = Maker::Interpreter.engine(source, options)?;
    let fill = |bytes: usize, seed: u64| -> Vec<u8> {
        let byte = |i: usize| {
            let mut x = (seed.wrapping_mul(1_000_003).wrapping_add(i as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            x ^= x >> 29;
            (x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as u8
        };
        (0..bytes).map(byte).collect()
    };
    let arguments = Arguments::new((engine.inputs().to_vec(), engine.outputs().to_vec()));
    let message = match what {
        What::Bytes(Lengths { long, .. }) => arguments.whole(long),
        What::Registers => 0,
    };
    let bytes = |place: usize| arguments.bytes(place, message) as usize;
    let inputs: Vec<Vec<u8>> =
        (0..engine.inputs().len()).zip(1..).map(|(place, seed)| fill(bytes(place), seed)).collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let outputs = engine.run(&inputs, 1);
    let hash = outputs
        .concat()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    Ok(format!("{hash:016x}"))
}

fn in_words(error: CompileError) -> String {
    first_line(&error.to_string())
}

pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("error")).or(text.lines().next()).unwrap_or("");
    line.chars().take(160).collect()
}
