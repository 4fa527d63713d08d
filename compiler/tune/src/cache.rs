//! Verdicts and interrupted searches, one file each, named by a hash of everything on which they depend.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use culet_diag::Diagnostics;
use culet_driver::{Interleave, Options, amount_name, parse_slicing, slicing_name};
use culet_ir::Target;
use culet_native::{CCompiler, Runner, Size};
use culet_passes::{Amount, Goal, Schedule, Ternary};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::harness::{Lengths, What};
use crate::search::{Limits, Ranked, Tried};
use crate::space::{Choice, Space};
use crate::{Outcome, Request};

/// Format version. It is raised whenever the file's meaning, the space or the method changes.
const VERSION: u32 = 7;

/// A text of everything on which a verdict depends. It is hashed, and kept in the file for inspection.
pub(crate) fn key(request: &Request, space: &Space, machine: &str) -> Result<String, Diagnostics> {
    let mut program = Sha256::new();
    for &slicing in &space.slicings {
        program.update(crate::tuner::text(request, slicing)?);
    }
    let compilers: Vec<String> = space.compilers.iter().map(identity).collect();
    let what = match request.what {
        What::Bytes(Lengths { short, long }) => format!("messages of {short} and {long} bytes"),
        What::Registers => "registers".to_owned(),
    };
    let runner = request.runner.as_ref().map(Runner::name).unwrap_or_default();
    Ok([
        format!("culet {} tune {VERSION}", env!("CARGO_PKG_VERSION")),
        format!("program {}", hex(&program.finalize())),
        format!("options {}", request.options.arguments()),
        format!("targets {}", space.targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")),
        format!("compilers {} {}", compilers.join(", "), request.flags.join(" ")),
        format!("machine {runner} {machine}"),
        format!("what {what}"),
        format!("budget {}", request.budget.arguments()),
    ]
    .join("\n"))
}

/// A C compiler as its command and its release. The command includes its flags, which matter as much.
fn identity(compiler: &CCompiler) -> String {
    format!("{} ({})", compiler.name(), compiler.version)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    key: String,
    kept: Kept,
    compilers: Vec<CCompiler>,
    /// Node and word of every choice.
    base: Options,
    /// Errors of an existing file.
    pub remarks: Vec<String>,
}

/// The contents of the file: JSON text, and a hash of that text by which damage is noticed.
#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    sha256: String,
    contents: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Kept {
    key: String,
    tried: Vec<KeptTry>,
    /// The time that the search had which tried these.
    asked: Duration,
    verdict: Option<KeptVerdict>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptTry {
    choice: KeptChoice,
    score: Option<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptVerdict {
    ranking: Vec<KeptRanked>,
    pruned: usize,
    large: usize,
    is_complete: bool,
    is_hurried: bool,
    asked: Duration,
    skipped: Vec<(KeptChoice, String)>,
    noise: f64,
    machine: String,
    clock: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptRanked {
    choice: KeptChoice,
    ticks_a_byte: f64,
    ratio: f64,
    /// Bytes of code, stack and constants.
    size: Option<[u64; 3]>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptChoice {
    target: String,
    slicing: Option<String>,
    packed: bool,
    share_inverses: bool,
    fold_groups: Option<u32>,
    width: Option<u32>,
    planes: bool,
    is_small: bool,
    unroll: String,
    inline: String,
    interleave: Option<(u32, u32)>,
    schedule: bool,
    ternary: bool,
    compiler: String,
    flags: Vec<String>,
}

impl Cache {
    /// Opens the file for a key, and reads it if it is there and good. A bad file counts as absent, with a remark.
    pub(crate) fn open(directory: &Path, key: &str, space: &Space) -> Cache {
        let path = directory.join(hex(&Sha256::digest(key))).with_extension("json");
        let mut cache = Cache {
            path,
            key: key.to_owned(),
            kept: Kept::default(),
            compilers: space.compilers.clone(),
            base: space.base.clone(),
            remarks: Vec::new(),
        };
        match cache.read() {
            Ok(kept) => cache.kept = kept,
            Err(reason) => cache.remarks.extend(reason),
        }
        cache
    }

    /// The contents of the file. There is no reason in the error if there is no file.
    fn read(&self) -> Result<Kept, Option<String>> {
        let shown = self.path.display();
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
            Err(error) => return Err(Some(format!("the cache file `{shown}` cannot be read: {error}"))),
        };
        let damaged = || Some(format!("the cache file `{shown}` is damaged; it is made anew"));
        let file: File = serde_json::from_str(&text).map_err(|_| damaged())?;
        if file.version != VERSION {
            return Err(Some(format!("the cache file `{shown}` is of another version; it is made anew")));
        }
        if file.sha256 != hex(&Sha256::digest(&file.contents)) {
            return Err(damaged());
        }
        let kept: Kept = serde_json::from_str(&file.contents).map_err(|_| damaged())?;
        if kept.key == self.key { Ok(kept) } else { Err(damaged()) }
    }

    /// Forgets everything that was kept.
    pub(crate) fn forget(&mut self) {
        self.kept = Kept::default();
        self.remarks.clear();
    }

    /// Writes the whole file under another name first, and then renames it.
    fn write(&self, kept: &Kept) -> Result<(), String> {
        let contents = serde_json::to_string(kept).map_err(|error| error.to_string())?;
        let file = File { version: VERSION, sha256: hex(&Sha256::digest(&contents)), contents };
        let text = serde_json::to_string(&file).map_err(|error| error.to_string())?;
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        let directory = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory)
            .and_then(|()| fs::write(&new, text))
            .and_then(|()| fs::rename(&new, &self.path))
            .map_err(|error| format!("the cache file `{}` cannot be written: {error}", self.path.display()))
    }

    /// The choices that other searches have tried, from which one with these limits goes on. A search with more time measures again: scores
    /// that were taken in haste or under load would keep it from the best choices.
    pub(crate) fn known(&self, limits: Limits) -> Vec<Tried> {
        if self.kept.asked >= limits.asked() { self.tried() } else { Vec::new() }
    }

    fn tried(&self) -> Vec<Tried> {
        let tried = |kept: &KeptTry| Some(Tried { choice: self.choice(&kept.choice)?, score: kept.score });
        self.kept.tried.iter().filter_map(tried).collect()
    }

    /// The verdict of a search that ended.
    pub(crate) fn verdict(&self) -> Option<Outcome> {
        let kept = self.kept.verdict.as_ref()?;
        let ranked = |kept: &KeptRanked| {
            let size = kept.size.map(|[code, stack, table]| Size { code, stack, table });
            let (ticks_a_byte, ratio) = (kept.ticks_a_byte, kept.ratio);
            Some(Ranked { choice: self.choice(&kept.choice)?, ticks_a_byte, ratio, size })
        };
        Some(Outcome {
            ranking: kept.ranking.iter().map(ranked).collect::<Option<_>>()?,
            tried: self.tried(),
            skipped: kept
                .skipped
                .iter()
                .filter_map(|(choice, why)| Some((self.choice(choice)?, why.clone())))
                .collect(),
            pruned: kept.pruned,
            large: kept.large,
            is_complete: kept.is_complete,
            is_hurried: kept.is_hurried,
            asked: kept.asked,
            noise: kept.noise,
            machine: kept.machine.clone(),
            clock: kept.clock.clone(),
            from_cache: true,
            remarks: Vec::new(),
        })
    }

    /// Keeps the progress. An existing verdict stays until there is another.
    pub(crate) fn keep_progress(&self, tried: &[Tried], limits: Limits) -> Result<(), String> {
        let tried = tried.iter().map(|tried| self.kept_try(tried)).collect();
        self.keep(tried, limits.asked(), self.kept.verdict.clone())
    }

    pub(crate) fn keep_verdict(&self, outcome: &Outcome) -> Result<(), String> {
        let verdict = KeptVerdict {
            ranking: outcome.ranking.iter().map(|ranked| self.kept_ranked(ranked)).collect(),
            pruned: outcome.pruned,
            large: outcome.large,
            is_complete: outcome.is_complete,
            is_hurried: outcome.is_hurried,
            asked: outcome.asked,
            skipped: outcome.skipped.iter().map(|(choice, why)| (self.kept(choice), why.clone())).collect(),
            noise: outcome.noise,
            machine: outcome.machine.clone(),
            clock: outcome.clock.clone(),
        };
        let tried = outcome.tried.iter().map(|tried| self.kept_try(tried)).collect();
        self.keep(tried, outcome.asked, Some(verdict))
    }

    /// Writes what a search had so much time for. A shorter one goes on from choices that had more time, and they stay so.
    fn keep(&self, tried: Vec<KeptTry>, asked: Duration, verdict: Option<KeptVerdict>) -> Result<(), String> {
        self.write(&Kept { key: self.key.clone(), tried, asked: asked.max(self.kept.asked), verdict })
    }

    fn kept_try(&self, tried: &Tried) -> KeptTry {
        KeptTry { choice: self.kept(&tried.choice), score: tried.score }
    }

    fn kept_ranked(&self, ranked: &Ranked) -> KeptRanked {
        let size = ranked.size.map(|size| [size.code, size.stack, size.table]);
        KeptRanked { choice: self.kept(&ranked.choice), ticks_a_byte: ranked.ticks_a_byte, ratio: ranked.ratio, size }
    }

    fn kept(&self, choice: &Choice) -> KeptChoice {
        let options = &choice.options;
        KeptChoice {
            target: options.target.name().to_owned(),
            slicing: options.slicing.map(|slicing| slicing_name(slicing).to_owned()),
            packed: options.packed,
            share_inverses: options.share_inverses,
            fold_groups: options.fold_groups,
            width: options.width,
            planes: options.planes,
            is_small: options.goal == Goal::Size,
            unroll: amount_name(options.unroll).to_owned(),
            inline: amount_name(options.inline).to_owned(),
            interleave: options.interleave.map(|i| (i.factor, i.grain)),
            schedule: options.schedule == Schedule::Auto,
            ternary: options.ternary == Ternary::Auto,
            compiler: identity(&self.compilers[choice.compiler]),
            flags: choice.flags.clone(),
        }
    }

    /// The current choice for a kept one; `None` if its compiler is gone. Node and word are fixed by the key.
    fn choice(&self, kept: &KeptChoice) -> Option<Choice> {
        let amount =
            |name: &str| [Amount::None, Amount::Auto, Amount::All].into_iter().find(|&a| amount_name(a) == name);
        let slicing = match &kept.slicing {
            Some(name) => Some(parse_slicing(name)?),
            None => None,
        };
        let options = Options {
            target: Target::find(&kept.target)?,
            slicing,
            packed: kept.packed,
            share_inverses: kept.share_inverses,
            fold_groups: kept.fold_groups,
            width: kept.width,
            planes: kept.planes,
            goal: if kept.is_small { Goal::Size } else { Goal::Speed },
            unroll: amount(&kept.unroll)?,
            inline: amount(&kept.inline)?,
            interleave: kept.interleave.map(|(factor, grain)| Interleave { factor, grain }),
            schedule: if kept.schedule { Schedule::Auto } else { Schedule::None },
            ternary: if kept.ternary { Ternary::Auto } else { Ternary::None },
            ..self.base.clone()
        };
        let compiler = self.compilers.iter().position(|compiler| identity(compiler) == kept.compiler)?;
        Some(Choice { options, compiler, flags: kept.flags.clone() })
    }
}

#[cfg(test)]
mod tests {
    use culet_driver::Interleave;

    use super::*;
    use crate::Reuse;

    fn space() -> Space {
        let compiler = CCompiler::find(None).expect("a C compiler is there");
        let base = Options { node: Some("f".into()), ..Options::new(Target::Avx512) };
        Space {
            base,
            is_on_words: false,
            targets: vec![Target::Avx512],
            slicings: vec![None],
            compilers: vec![compiler],
            flags: vec!["-O3".into()],
            is_for_size: false,
        }
    }

    /// A choice that differs from the default in every kept property.
    fn choice(space: &Space) -> Choice {
        let options = Options {
            slicing: parse_slicing("h"),
            packed: true,
            width: Some(256),
            planes: false,
            goal: Goal::Size,
            unroll: Amount::All,
            inline: Amount::None,
            interleave: Some(Interleave { factor: 3, grain: 4 }),
            schedule: Schedule::None,
            ternary: Ternary::None,
            target: Target::Avx2,
            share_inverses: true,
            fold_groups: Some(3),
            ..space.base.clone()
        };
        Choice { options, compiler: 0, flags: vec!["-O3".into(), "-g".into()] }
    }

    const SIZE: Option<Size> = Some(Size { code: 1000, stack: 100, table: 10 });

    fn outcome(space: &Space) -> Outcome {
        Outcome {
            ranking: vec![Ranked { choice: choice(space), ticks_a_byte: 1.5, ratio: 1.0, size: SIZE }],
            tried: vec![
                Tried { choice: choice(space), score: Some(1.5) },
                Tried { choice: choice(space), score: None },
            ],
            skipped: vec![(choice(space), "it died".into())],
            pruned: 2,
            large: 3,
            is_complete: true,
            is_hurried: false,
            asked: Duration::from_secs(10),
            noise: 0.01,
            machine: "M".into(),
            clock: "tsc".into(),
            from_cache: false,
            remarks: Vec::new(),
        }
    }

    #[test]
    fn a_verdict_comes_back_as_it_was() {
        let (directory, space) = (tempfile::tempdir().unwrap(), space());
        let tried = outcome(&space).tried;
        let cache = Cache::open(directory.path(), "key", &space);
        cache.keep_progress(&tried, limits(10)).unwrap();
        let cache = Cache::open(directory.path(), "key", &space);
        assert!(cache.verdict().is_none());
        assert_eq!(cache.known(limits(10)), tried);
        cache.keep_verdict(&Outcome { is_hurried: true, ..outcome(&space) }).unwrap();
        let back = Cache::open(directory.path(), "key", &space).verdict().expect("it was kept");
        assert!(back.from_cache);
        assert_eq!(back.ranking[0].choice, choice(&space));
        assert_eq!((back.ranking[0].size, back.large), (SIZE, 3));
        assert_eq!(back.skipped, outcome(&space).skipped);
        assert_eq!(back.tried, tried);
        assert_eq!((back.measured(), back.pruned, back.is_complete, back.noise), (1, 2, true, 0.01));
        assert!(back.is_hurried);
        assert_eq!(back.asked, Duration::from_secs(10));
        assert!(Cache::open(directory.path(), "another key", &space).verdict().is_none());
    }

    fn limits(seconds: u64) -> Limits {
        Limits { time: Duration::from_secs(seconds), exhaustive: false }
    }

    /// The scores of a shorter search were taken in haste, or perhaps under load; what it had no time for is not known, either.
    #[test]
    fn a_search_goes_on_from_the_scores_of_searches_with_as_much_time() {
        let space = space();
        let outcome = outcome(&space);
        let keep = |cache: &Cache, is_verdict: bool| match is_verdict {
            true => cache.keep_verdict(&outcome),
            false => cache.keep_progress(&outcome.tried, limits(10)),
        };
        for is_verdict in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            keep(&Cache::open(directory.path(), "key", &space), is_verdict).unwrap();
            let cache = Cache::open(directory.path(), "key", &space);
            assert_eq!(
                (cache.known(limits(10)), cache.known(limits(9))),
                (outcome.tried.clone(), outcome.tried.clone())
            );
            assert_eq!(cache.known(limits(11)), []);
            let everything = Limits { exhaustive: true, ..limits(1) };
            assert_eq!(cache.known(everything), []);
            cache.keep_progress(&outcome.tried, everything).unwrap();
            let cache = Cache::open(directory.path(), "key", &space);
            assert_eq!(
                (cache.known(everything), cache.known(limits(80))),
                (outcome.tried.clone(), outcome.tried.clone())
            );
        }
    }

    #[test]
    fn verdicts_of_less_time_or_under_load_are_not_reused_for_a_longer_search() {
        let space = space();
        let settles = |is_complete, noise, seconds, reuse| {
            Outcome { is_complete, noise, ..outcome(&space) }.settles(limits(seconds), reuse)
        };
        let (quiet, loaded) = (0.01, 0.05);
        assert!(settles(true, quiet, 80, Reuse::CompleteVerdicts) && settles(true, quiet, 80, Reuse::Verdicts));
        assert!(settles(true, loaded, 10, Reuse::CompleteVerdicts) && settles(false, loaded, 10, Reuse::Verdicts));
        assert!(!settles(true, loaded, 11, Reuse::CompleteVerdicts) && !settles(true, loaded, 11, Reuse::Verdicts));
        assert!(!settles(false, quiet, 11, Reuse::Verdicts) && !settles(false, quiet, 10, Reuse::CompleteVerdicts));
        assert!(!settles(true, quiet, 1, Reuse::Nothing));
        let hurried = Outcome { is_hurried: true, ..outcome(&space) };
        assert!(hurried.settles(limits(10), Reuse::Verdicts) && !hurried.settles(limits(10), Reuse::CompleteVerdicts));
    }

    /// A shorter search that goes on from a longer one leaves that one's time to what both tried, and its verdict if its own is hurried.
    #[test]
    fn a_shorter_search_takes_nothing_from_a_longer_one() {
        let (directory, space) = (tempfile::tempdir().unwrap(), space());
        let (long, asked) = (outcome(&space), Duration::from_secs(1));
        Cache::open(directory.path(), "key", &space).keep_verdict(&long).unwrap();
        let cache = Cache::open(directory.path(), "key", &space);
        cache.keep_progress(&long.tried, limits(1)).unwrap();
        assert_eq!(Cache::open(directory.path(), "key", &space).known(limits(10)), long.tried);
        cache.keep_verdict(&Outcome { asked, ..outcome(&space) }).unwrap();
        let cache = Cache::open(directory.path(), "key", &space);
        assert_eq!(cache.known(limits(10)), long.tried);
        assert_eq!(cache.verdict().expect("it was kept").asked, asked);

        let hurried = Outcome { asked, is_hurried: true, ..outcome(&space) };
        assert!(long.outlasts(&hurried, Reuse::CompleteVerdicts) && !long.outlasts(&hurried, Reuse::Nothing));
        assert!(!hurried.outlasts(&long, Reuse::Verdicts) && !hurried.outlasts(&hurried, Reuse::Verdicts));
        let longer = Outcome { asked: Duration::from_secs(11), ..hurried };
        assert!(!long.outlasts(&longer, Reuse::Verdicts));
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let (directory, space) = (tempfile::tempdir().unwrap(), space());
        let cache = Cache::open(directory.path(), "key", &space);
        cache.keep_verdict(&outcome(&space)).unwrap();
        let good = fs::read(&cache.path).unwrap();
        for at in 0..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 1;
            fs::write(&cache.path, &damaged).unwrap();
            let cache = Cache::open(directory.path(), "key", &space);
            assert!(cache.verdict().is_none(), "byte {at}");
            assert!(cache.remarks.iter().all(|remark| remark.contains("made anew") || remark.contains("read")));
            assert_eq!(cache.remarks.len(), 1, "byte {at}");
        }
        let version = format!("\"version\":{VERSION}");
        fs::write(&cache.path, String::from_utf8(good).unwrap().replacen(&version, "\"version\":99", 1)).unwrap();
        let remarks = Cache::open(directory.path(), "key", &space).remarks;
        assert!(remarks[0].contains("of another version"), "{remarks:?}");
    }

    #[test]
    fn an_unwritable_directory_is_an_error_in_words() {
        let space = space();
        let cache = Cache::open(Path::new("/proc/culet"), "key", &space);
        let error = cache.keep_progress(&[], limits(1)).unwrap_err();
        assert!(error.contains("cannot be written"), "{error}");
    }
}
