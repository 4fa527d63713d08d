//! The outcomes of proofs: as a table that a run prints, and as the files that `CULET_RECORD` asks for. These are
//! `proofs.tsv`, with a line for each kernel, to which each run adds new outcomes, and `proofs.md`, which is made from
//! it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::matrix::{Cost, TARGETS};

/// Maximum size of the process during a proof that runs alone, and the time in seconds above which a proof is slow.
pub const MAX_MEBIBYTES: u64 = 1024;
pub const SLOW_SECONDS: f64 = 20.0;

/// The outcomes of kernels, by their names: the cost of the proof, or the reason why there is none.
type Outcomes = BTreeMap<String, Result<Cost, String>>;

/// The outcomes of this run, and those recorded before in the folder, if there is one.
#[derive(Default)]
pub struct Record {
    folder: Option<PathBuf>,
    outcomes: Outcomes,
}

impl Record {
    /// Reads the outcomes that were recorded before in a folder.
    ///
    /// # Errors
    ///
    /// If the file exists and cannot be read.
    pub fn open(folder: &Path) -> io::Result<Record> {
        let text = match fs::read_to_string(folder.join("proofs.tsv")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        let outcomes = text.lines().filter_map(parse).collect();
        Ok(Record { folder: Some(folder.into()), outcomes })
    }

    pub fn is_proved(&self, name: &str) -> bool {
        self.cost(name).is_some()
    }

    /// The cost of a kernel's proof, if it is proved.
    pub fn cost(&self, name: &str) -> Option<Cost> {
        self.outcomes.get(name)?.as_ref().ok().copied()
    }

    /// Adds an outcome, and writes both files.
    ///
    /// # Errors
    ///
    /// If the files cannot be written.
    pub fn add(&mut self, name: &str, outcome: Result<Cost, String>) -> io::Result<()> {
        self.outcomes.insert(name.into(), outcome);
        let Some(folder) = &self.folder else { return Ok(()) };
        whole(&folder.join("proofs.tsv"), &lines(&self.outcomes))?;
        whole(&folder.join("proofs.md"), &page(&self.outcomes))
    }

    /// The slowest proofs, one on each line.
    pub fn slowest(&self, count: usize) -> String {
        let mut costs: Vec<(&String, &Cost)> =
            self.outcomes.iter().filter_map(|(name, outcome)| Some((name, outcome.as_ref().ok()?))).collect();
        costs.sort_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
        let seconds: f64 = costs.iter().map(|(_, cost)| cost.seconds).sum();
        let memory = costs.iter().map(|(_, cost)| cost.mebibytes).max().unwrap_or_default();
        let mut text = format!("{} kernels proved in {seconds:.0} s; at most {memory} MiB. The slowest:", costs.len());
        for (name, Cost { seconds, mebibytes, gates }) in costs.into_iter().take(count) {
            let _ = write!(text, "\n{seconds:8.2} s {mebibytes:6} MiB {gates:9} gates  {name}");
        }
        text
    }
}

fn lines(outcomes: &Outcomes) -> String {
    let mut text = String::new();
    for (name, outcome) in outcomes {
        let _ = match outcome {
            Ok(Cost { seconds, mebibytes, gates }) => writeln!(text, "{name}\t{seconds:.2}\t{mebibytes}\t{gates}"),
            Err(reason) => writeln!(text, "{name}\t{}", reason.replace(['\t', '\n'], " ").trim()),
        };
    }
    text
}

fn whole(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::File::create(&new)?.write_all(text.as_bytes())?;
    fs::rename(new, path)
}

fn parse(line: &str) -> Option<(String, Result<Cost, String>)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let outcome = match fields[..] {
        [_, seconds, mebibytes, gates] => {
            Ok(Cost { seconds: seconds.parse().ok()?, mebibytes: mebibytes.parse().ok()?, gates: gates.parse().ok()? })
        }
        [_, reason] => Err(reason.into()),
        _ => return None,
    };
    Some((fields[0].into(), outcome))
}

/// The parts of a kernel's name: program and slicing, target, and the rest.
fn parts(name: &str) -> Option<(String, &str, &str)> {
    let mut parts = name.splitn(4, '/');
    let (program, slicing, target, how) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some((format!("{program} {}", slicing.to_uppercase()), target, how))
}

fn page(outcomes: &Outcomes) -> String {
    let mut text = String::from(
        "# Proofs of the library's kernels\n\n\
         Each kernel as C compilers make it, proved equal to its source from bytes to bytes, with its packing ([SOUNDNESS.md]\
         (../SOUNDNESS.md)).\nThe same machine code has given all known answers.\n\
         Seconds are those that the proof had a CPU; memory is the largest size of the whole process during the proof. From an empty \
         record, then going on where it stopped:\n\n\
         ```\nrm docs/proofs.tsv\n\
         CULET_ALL=1 CULET_RECORD=docs cargo test --release -p culet-primitives-tests --test kernels -- --test-threads 1\n```\n\n\
         An empty cell was not tried, or the program has no loops to keep, so that its C with real loops is the C without.\n",
    );
    let mut hows: Vec<&str> = outcomes.keys().filter_map(|name| Some(parts(name)?.2)).collect();
    hows.sort_by_key(|how| (how.matches('/').count(), *how));
    hows.dedup();
    text.push_str(
        "\n## By compiler, level and variant\n\n| made by | tried | proved | median s | longest s | most MiB |\n",
    );
    text.push_str("|---|---|---|---|---|---|\n");
    for how in &hows {
        let tried: Vec<_> =
            outcomes.iter().filter(|(name, _)| parts(name).is_some_and(|parts| parts.2 == *how)).collect();
        let mut costs: Vec<&Cost> = tried.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).collect();
        costs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let seconds = |cost: Option<&&Cost>| cost.map_or(String::new(), |cost| format!("{:.2}", cost.seconds));
        let memory = costs.iter().map(|cost| cost.mebibytes).max().unwrap_or_default();
        let (median, longest) = (seconds(costs.get(costs.len() / 2)), seconds(costs.last()));
        let _ = writeln!(text, "| {how} | {} | {} | {median} | {longest} | {memory} |", tried.len(), costs.len());
    }
    exceptions(&mut text, outcomes);
    for how in &hows {
        let _ = write!(text, "\n## {how}\n\n| seconds |");
        TARGETS.iter().for_each(|target| text.push_str(&format!(" {} |", target.name())));
        text.push_str(&format!("\n|---|{}\n", "---|".repeat(TARGETS.len())));
        let mut rows: BTreeMap<String, BTreeMap<&str, String>> = BTreeMap::new();
        for (name, outcome) in outcomes {
            if let Some((program, target, _)) = parts(name).filter(|parts| parts.2 == *how) {
                let cell = outcome.as_ref().map_or("not proved".into(), |cost| format!("{:.2}", cost.seconds));
                rows.entry(program).or_default().insert(target, cell);
            }
        }
        for (program, cells) in rows {
            let cell = |target: &culet_ir::Target| cells.get(target.name()).map_or("", String::as_str);
            let _ = writeln!(text, "| {program} | {} |", TARGETS.iter().map(cell).collect::<Vec<_>>().join(" | "));
        }
    }
    text
}

/// Appends the kernels that are not proved, and those whose proofs exceed the limits.
fn exceptions(text: &mut String, outcomes: &Outcomes) {
    text.push_str("\n## Not proved\n\n");
    let failed: Vec<_> = outcomes.iter().filter_map(|(name, outcome)| Some((name, outcome.as_ref().err()?))).collect();
    if failed.is_empty() {
        text.push_str("None of those tried.\n");
    }
    for (name, reason) in failed {
        let _ = writeln!(text, "- `{name}`: {reason}");
    }
    let slow = |cost: &Cost| cost.seconds > SLOW_SECONDS || cost.mebibytes > MAX_MEBIBYTES;
    let slow: Vec<_> = outcomes
        .iter()
        .filter_map(|(name, outcome)| Some((name, outcome.as_ref().ok().filter(|cost| slow(cost))?)))
        .collect();
    if !slow.is_empty() {
        let _ = writeln!(text, "\nProved, in more than {SLOW_SECONDS} s or {MAX_MEBIBYTES} MiB:\n");
    }
    for (name, cost) in slow {
        let _ = writeln!(text, "- `{name}`: {:.1} s, {} MiB", cost.seconds, cost.mebibytes);
    }
}
