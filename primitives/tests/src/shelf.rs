//! The primitives of the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Engine, Maker, Options, Primitive, Source, has_code, load};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_testing::{big_endian, compilers, draw, rustc};
use culet_types::program::Slicing;

use crate::rust;

/// A description and its program.
pub struct Entry {
    /// The description's file name without extension.
    pub stem: String,
    pub primitive: Primitive,
    pub source: Source,
}

/// The folder `primitives/`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The number of builds of a program that are drawn.
const BUILDS: usize = 1;

/// Engines for a program with fields or streams, with their names: the interpreter, and drawn ones with C and Rust, in
/// words of 64 and 32 bits and in lanes of AVX-512, as far as there is code.
pub fn engines(folder: &str, stem: &str) -> Vec<(String, Engine)> {
    engines_of(folder, stem, ways(), vec![interpreter()])
}

/// As [`engines`], of a node of the program.
pub fn engines_of_node(folder: &str, stem: &str, node: &str) -> Vec<(String, Engine)> {
    let single = |(name, mut engines): (String, Vec<Engine>)| (name, engines.swap_remove(0));
    engines_in_ways(&[(folder, stem, Some(node))], ways(), vec![interpreter()]).into_iter().map(single).collect()
}

/// A node of a program: the folder and the name of the program's file, and the node.
pub type Place<'p> = (&'p str, &'p str, &'p str);

/// Engines for several nodes, all made in the same ways: the name of each way, and an engine for each node in this order.
/// The ways are those for which all nodes have code.
pub fn engines_of_nodes<const N: usize>(places: [Place<'_>; N]) -> Vec<(String, [Engine; N])> {
    let places = places.map(|(folder, stem, node)| (folder, stem, Some(node)));
    let all = engines_in_ways(&places, ways(), vec![interpreter()]).into_iter();
    all.map(|(name, engines)| (name, engines.try_into().ok().expect("an engine for each node"))).collect()
}

/// As [`engines_of_nodes`], for programs that take compilers seconds: the interpreter, and in one run of four one drawn build for plain words, where
/// functions of theirs stay functions.
pub fn few_engines_of_nodes<const N: usize>(places: [Place<'_>; N]) -> Vec<(String, [Engine; N])> {
    let subject = format!("quarters of {}", places.map(|(.., node)| node).join(" + "));
    let drawn = draw::some(&subject, (0..4).collect(), 1, usize::to_string);
    let ways = if drawn.contains(&0) { ways().into_iter().filter(is_plain).collect() } else { Vec::new() };
    let places = places.map(|(folder, stem, node)| (folder, stem, Some(node)));
    let all = some_engines(&places, ways, vec![interpreter()], 1).into_iter();
    all.map(|(name, engines)| (name, engines.try_into().ok().expect("an engine for each node"))).collect()
}

/// The interpreter of a node.
pub fn interpreted(folder: &str, stem: &str, node: &str) -> Engine {
    engines_in_ways(&[(folder, stem, Some(node))], Vec::new(), vec![interpreter()]).swap_remove(0).1.swap_remove(0)
}

/// Drawn engines with C and Rust for targets whose vectors hold elements of a field side by side, under an emulator if
/// this CPU is another one.
pub fn engines_side_by_side(folder: &str, stem: &str) -> Vec<(String, Engine)> {
    let targets = [Target::Sse, Target::Avx2, Target::Neon, Target::Vsx];
    engines_of(folder, stem, targets.map(Options::new).into(), Vec::new())
}

/// Drawn engines with C and Rust of a node for targets with instructions of whole rounds, under an emulator if this CPU is another one.
pub fn engines_by_instructions((folder, stem, node): Place<'_>, targets: &[Target]) -> Vec<(String, Engine)> {
    let ways = targets.iter().map(|&target| Options::new(target)).collect();
    let single = |(name, mut engines): (String, Vec<Engine>)| (name, engines.swap_remove(0));
    engines_in_ways(&[(folder, stem, Some(node))], ways, Vec::new()).into_iter().map(single).collect()
}

fn vertical(options: Options) -> Options {
    Options { slicing: Some(Slicing::Vertical), ..options }
}

fn interpreter() -> (String, Options, Maker) {
    ("interpreter".to_owned(), vertical(Options::new(Target::C64)), Maker::Interpreter)
}

fn engines_of(
    folder: &str,
    stem: &str,
    ways: Vec<Options>,
    makers: Vec<(String, Options, Maker)>,
) -> Vec<(String, Engine)> {
    let single = |(name, mut engines): (String, Vec<Engine>)| (name, engines.swap_remove(0));
    engines_in_ways(&[(folder, stem, None)], ways, makers).into_iter().map(single).collect()
}

/// For each way that is drawn, its name, and an engine for each node; the last node of a program where none is named.
fn engines_in_ways(
    places: &[(&str, &str, Option<&str>)],
    ways: Vec<Options>,
    makers: Vec<(String, Options, Maker)>,
) -> Vec<(String, Vec<Engine>)> {
    some_engines(places, ways, makers, BUILDS)
}

/// As [`engines_in_ways`], with so many builds.
fn some_engines(
    places: &[(&str, &str, Option<&str>)],
    ways: Vec<Options>,
    makers: Vec<(String, Options, Maker)>,
    count: usize,
) -> Vec<(String, Vec<Engine>)> {
    let source = |(folder, stem, _): &(&str, &str, Option<&str>)| {
        let (source, found) = load(&root().join(folder).join(stem).with_extension("ua"), &[], &DiskReader);
        assert!(found.is_empty(), "{}", messages(&found));
        source
    };
    let sources: Vec<Source> = places.iter().map(source).collect();
    let of_nodes = |options: &Options| -> Vec<Options> {
        places.iter().map(|(.., node)| Options { node: node.map(str::to_owned), ..options.clone() }).collect()
    };
    let subject = places.iter().map(|(_, stem, node)| node.unwrap_or(stem)).collect::<Vec<_>>().join(" + ");
    let made = |(name, options, maker): (String, Options, Maker)| {
        let engine = |(source, options): (&Source, Options)| {
            maker.engine(source, &options).unwrap_or_else(|d| panic!("{subject}, {name}: {}", messages(&d)))
        };
        let engines = sources.iter().zip(of_nodes(&options)).map(engine).collect();
        (format!("{subject}, {name}"), engines)
    };
    let mut engines: Vec<(String, Vec<Engine>)> = makers.into_iter().map(made).collect();
    let has_all_code =
        |options: &Options| sources.iter().zip(of_nodes(options)).all(|(source, options)| has_code(source, &options));
    let ways = ways.into_iter().map(vertical).filter(has_all_code);
    let builds = draw::few(&subject, by_each_compiler(ways), features, |_| 0, count);
    for (build, level) in builds.iter().zip(levels(&subject, &builds)) {
        let (options, compiler) = build;
        let made =
            sources.iter().zip(of_nodes(options)).map(|(source, options)| compiler.engine(source, &options, level));
        engines.push((format!("{subject}, {} -O{level}", features(build).join(" ")), made.collect()));
    }
    engines
}

/// The level of optimisation of each build: 3 for one drawn build of several, and for Rust, which has no possible panics only if it is optimised;
/// 1 for the others, since C compilers take longest for long functions with `-O3`. With `CULET_ALL` 3 for all.
fn levels(subject: &str, builds: &[(Options, Compiler)]) -> Vec<u8> {
    let all = (0..builds.len()).collect();
    let count = usize::from(builds.len() > 1 || draw::wants_all());
    let optimised = draw::some(&format!("-O3 of {subject}"), all, count, |index| features(&builds[*index]).join(" "));
    let is_optimised = |index: usize| matches!(builds[index].1, Compiler::Rust(..)) || optimised.contains(&index);
    (0..builds.len()).map(|index| if is_optimised(index) { 3 } else { 1 }).collect()
}

/// The way of a build and its compiler, as the axes of a draw.
pub fn features((options, compiler): &(Options, Compiler)) -> Vec<String> {
    let batch = if options.batch.is_some() { ", a batch" } else { "" };
    vec![format!("{}{batch}", options.target.name()), compiler.name()]
}

/// A compiler for generated code that runs here.
#[derive(Clone)]
pub enum Compiler {
    C(CCompiler),
    /// rustc with these arguments, and a C compiler that links.
    Rust(CCompiler, Vec<&'static str>),
}

impl Compiler {
    /// The compilers for a target.
    pub fn all(target: Target) -> Vec<Compiler> {
        let compilers = compilers(target);
        // Stable Rust has no POWER vectors.
        let linker = compilers.first().filter(|_| target != Target::Vsx).cloned();
        let rust = linker.and_then(|linker| Some(Compiler::Rust(linker, rustc(target)?)));
        compilers.into_iter().map(Compiler::C).chain(rust).collect()
    }

    pub fn name(&self) -> String {
        match self {
            Compiler::C(compiler) => compiler.name(),
            Compiler::Rust(..) => "rustc".to_owned(),
        }
    }

    /// The engine for a program, compiled at this level of optimisation.
    pub fn engine(&self, source: &Source, options: &Options, level: u8) -> Engine {
        let maker = match self {
            Compiler::Rust(linker, arguments) => return rust::engine(source, options, linker, arguments, level),
            Compiler::C(compiler) => Maker::Compiler { compiler: compiler.clone(), flags: vec![format!("-O{level}")] },
        };
        let engine = maker.engine(source, options);
        engine.unwrap_or_else(|d| panic!("{}, {}: {}", source.stem, self.name(), messages(&d)))
    }
}

/// The options for a program that computes one instance at a time: in words, with lanes inside one instance, and with
/// several instances in lanes.
pub fn ways() -> Vec<Options> {
    let plain = [Target::C64, Target::C32, Target::Avx512Ifma].map(Options::new);
    let batch = Options { batch: Some(culet_driver::LANES), ..Options::new(Target::Avx512Ifma) };
    plain.into_iter().chain([batch]).collect()
}

/// Whether code for these options is on plain words.
pub fn is_plain(options: &Options) -> bool {
    matches!(options.target, Target::C64 | Target::C32)
}

/// All combinations of these options with the compilers available for them.
pub fn builds() -> Vec<(Options, Compiler)> {
    by_each_compiler(ways().into_iter())
}

/// Options for plain words with a compiler for a machine whose first byte of a word is the most significant one. `./test --all` installs it.
pub fn big_endian_builds() -> Vec<(Options, Compiler)> {
    let compiler = if draw::wants_all() { big_endian().map(Compiler::C) } else { None };
    let build = |target| Some((Options::new(target), compiler.clone()?));
    [Target::C64, Target::C32].into_iter().filter_map(build).collect()
}

/// All combinations of options with the compilers available for them.
pub fn by_each_compiler(ways: impl Iterator<Item = Options>) -> Vec<(Options, Compiler)> {
    let each =
        |options: Options| Compiler::all(options.target).into_iter().map(move |compiler| (options.clone(), compiler));
    ways.flat_map(each).collect()
}

/// The folder `vectors/`.
pub fn vectors() -> PathBuf {
    root().join("../vectors")
}

/// All descriptions of ciphers, sorted by name.
pub fn entries() -> Vec<Entry> {
    entries_in("ciphers")
}

/// All descriptions of a folder, sorted by name.
pub fn entries_in(folder: &str) -> Vec<Entry> {
    let paths: BTreeSet<PathBuf> = fs::read_dir(root().join(folder))
        .expect("the folder of primitives is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.iter().map(|path| entry(path)).collect()
}

/// The descriptions of each program, sorted by the names of the programs.
pub fn families() -> Vec<Vec<Entry>> {
    let mut families: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for entry in entries() {
        families.entry(entry.primitive.source.clone()).or_default().push(entry);
    }
    families.into_values().collect()
}

/// One description by its stem.
pub fn named(stem: &str) -> Entry {
    entry(&root().join("ciphers").join(stem).with_extension("toml"))
}

fn entry(path: &Path) -> Entry {
    let text = fs::read_to_string(path).expect("the description is readable");
    let primitive = Primitive::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (source, diagnostics) = load(&path.with_file_name(&primitive.source), &[], &DiskReader);
    assert!(!diagnostics.has_errors(), "{}", messages(&diagnostics));
    let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
    Entry { stem, primitive, source }
}

/// Diagnostics in one text, for a failing test.
pub fn messages(diagnostics: &Diagnostics) -> String {
    diagnostics.iter().map(|d| format!("{d:?}")).collect::<Vec<_>>().join("\n")
}

/// A file of Project Wycheproof.
pub fn wycheproof(name: &str) -> serde_json::Value {
    let path = vectors().join("wycheproof").join(format!("{name}_test.json"));
    serde_json::from_str(&fs::read_to_string(path).expect("the vectors are readable")).expect("the vectors are JSON")
}

/// The lines of a file of `vectors/`, split into words, without comments. `-` is the empty string.
pub fn rows(file: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(vectors().join(file)).expect("the vectors are readable");
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split(' ').map(|word| if word == "-" { String::new() } else { word.to_owned() }).collect())
        .collect()
}
