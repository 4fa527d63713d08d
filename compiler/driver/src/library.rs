//! The kernels of a library: a recipe says which nodes become modules in Rust, for which targets.
//!
//! A recipe is a TOML file. `directory` is where the modules go, and every `[[module]]` has a `name`, a `program`, perhaps its `node`, the
//! `targets`, and the choices that programs with code in Rust take: `slice`, `batch`, `share_inverses`, `in_place`, `optimise`, `inline`. Paths are
//! relative to the recipe. The module `name` for a target is the file `directory/target/name.rs`; `directory/target/mod.rs` names them all.
//!
//! A module has one function, of its own name. With `nodes` in place of `node`, it has one for each of them, of the node's name, and
//! what they call is there once. A module with a `feature` is there if that feature of the library's crate is on.
//!
//! The functions in the list `equal`, such as `poly1305_finish` or, for other targets than `c64`, `x25519_lanes@avx512ifma`, claim in their records
//! that they are proved equal to their programs.
//!
//! With a table `[c]`, the recipe also makes the library in C: see `amalgamation`.

mod amalgamation;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use culet_diag::codes::{names, world};
use culet_diag::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use culet_ir::Target;
use culet_passes::{Amount, Goal};
use culet_types::program::{Program, Slicing};
use serde::Deserialize;
use toml::Spanned;

use crate::load::{Reader, Source, load, node_name};
use crate::options::{Options, parse_slicing};
use crate::program::elaborate;
use crate::route::Route;
use crate::single::{self, Recorded, Words};
use crate::trial;
use amalgamation::{Amalgamation, AmalgamationText, Kernels, PREFIX, read_text};

/// A file of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryFile {
    pub path: PathBuf,
    pub text: String,
}

/// Everything that a recipe makes.
#[derive(Debug)]
pub struct Library {
    /// In the order of their paths.
    pub files: Vec<LibraryFile>,
    /// The directories that hold nothing else.
    pub directories: Vec<PathBuf>,
}

/// Errors of a recipe or of one of its programs, and the texts that their places refer to.
#[derive(Debug)]
pub struct Refused {
    pub diagnostics: Diagnostics,
    pub sources: SourceMap,
}

/// Use of the files that a recipe makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// They are written: the words of programs over fields are tried beside their elements first.
    Write,
    /// They are compared with files that were tried when they were written. Texts that are the same have the same words.
    Compare,
}

/// Makes every module of a recipe.
///
/// # Errors
///
/// The errors of the recipe; if it has none, the errors of each of its programs.
pub fn library(recipe: &Path, reader: &(dyn Reader + Sync), purpose: Purpose) -> Result<Library, Vec<Refused>> {
    let recipe = Recipe::read(recipe, reader).map_err(|refused| vec![refused])?;
    let mut texts = Vec::new();
    let mut refused = Vec::new();
    for made in in_parallel(&recipe.modules, |module| module.generate(&recipe, reader, purpose)) {
        match made {
            Ok(made) => texts.push(made),
            Err(why) => refused.push(why),
        }
    }
    if refused.is_empty() { Ok(recipe.library(texts)) } else { Err(refused) }
}

/// The results of `work` in the order of `items`.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().expect("no thread panics with the results").insert(index, result);
                }
            });
        }
    });
    results.into_inner().expect("all threads have ended").into_values().collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecipeText {
    directory: PathBuf,
    #[serde(default)]
    equal: Vec<Spanned<String>>,
    module: Vec<ModuleText>,
    c: Option<AmalgamationText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleText {
    name: Spanned<String>,
    program: Spanned<String>,
    node: Option<Spanned<String>>,
    nodes: Option<Vec<Spanned<String>>>,
    targets: Vec<Spanned<String>>,
    slice: Option<Spanned<String>>,
    batch: Option<u32>,
    #[serde(default)]
    share_inverses: bool,
    #[serde(default)]
    in_place: bool,
    optimise: Option<Spanned<String>>,
    inline: Option<Spanned<String>>,
    feature: Option<Spanned<String>>,
}

struct Recipe {
    path: PathBuf,
    directory: PathBuf,
    modules: Vec<Module>,
    amalgamation: Option<Amalgamation>,
    sources: SourceMap,
}

/// A module for one target, and what is made of it.
struct Module {
    has_rust: bool,
    has_c: bool,
    name: String,
    functions: Vec<Function>,
    /// As the recipe writes it.
    program: String,
    /// Where the recipe names the program.
    program_span: Span,
    options: Options,
    feature: Option<String>,
}

/// The texts of a module.
struct Made {
    rust: Option<String>,
    c: Option<String>,
}

/// A function of a module.
#[derive(Clone)]
struct Function {
    name: String,
    /// The node that it computes, if the recipe names one.
    node: Option<String>,
    /// Whether its record claims that it is proved equal to its program.
    claims_equal: bool,
}

impl Recipe {
    fn read(path: &Path, reader: &dyn Reader) -> Result<Recipe, Refused> {
        let mut sources = SourceMap::new();
        match Recipe::parse(path, reader, &mut sources) {
            Ok(recipe) => Ok(Recipe { sources, ..recipe }),
            Err(diagnostics) => Err(Refused { diagnostics, sources }),
        }
    }

    /// The recipe without the texts that it was read from, which go to `sources`.
    fn parse(path: &Path, reader: &dyn Reader, sources: &mut SourceMap) -> Result<Recipe, Diagnostics> {
        let text = read_text(path, reader)?;
        let file = sources.add(path, text.clone());
        let recipe: RecipeText = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Diagnostic::error(&world::E0880, Span::new(file, span.start, span.end), error.message().trim_end())
                .note("`culet explain E0880` says what a recipe has")
        })?;
        let mut modules = Modules::read(file, &recipe)?;
        let read = |text: &AmalgamationText| Amalgamation::read(text, path, reader, sources);
        let amalgamation = recipe.c.as_ref().map(read).transpose()?;
        if let Some(amalgamation) = &amalgamation {
            amalgamation.check(|name| modules.iter().any(|module| module.name == name && module.is_portable()))?;
            choose_for_c(&mut modules, amalgamation);
        }
        let directory = beside(path, &recipe.directory);
        Ok(Recipe { path: path.to_path_buf(), directory, modules, amalgamation, sources: SourceMap::new() })
    }

    /// The files of all modules, whose texts are in their order.
    fn library(&self, texts: Vec<Made>) -> Library {
        let path = |module: &Module, name: &str| self.directory.join(module.options.target.name()).join(name);
        let (mut files, mut kernels) = (BTreeMap::new(), Kernels::new());
        for (module, made) in self.modules.iter().zip(texts) {
            if let Some(text) = made.rust {
                files.insert(path(module, &format!("{}.rs", module.name)), text);
                files.entry(path(module, "mod.rs")).or_insert_with(|| self.names(module.options.target));
            }
            kernels.extend(made.c.map(|text| ((module.name.clone(), module.options.target.name()), text)));
        }
        let in_c = self.amalgamation.iter().flat_map(|amalgamation| amalgamation.files(&kernels, &self.command()));
        files.extend(in_c.map(|file| (file.path, file.text)));
        let directories: BTreeSet<PathBuf> = self.modules.iter().map(|module| path(module, "")).collect();
        Library {
            files: files.into_iter().map(|(path, text)| LibraryFile { path, text }).collect(),
            directories: directories.into_iter().collect(),
        }
    }

    /// The module of a target, which has all others.
    fn names(&self, target: Target) -> String {
        let mut text = format!("//! Generated by culet {}; do not edit. Made by:\n//!\n", env!("CARGO_PKG_VERSION"));
        let _ = writeln!(text, "//! ```text\n//! {}\n//! ```\n", self.command());
        let modules = self.modules.iter().filter(|module| module.options.target == target && module.has_rust);
        for (name, feature) in modules.map(|module| (&module.name, &module.feature)).collect::<BTreeMap<_, _>>() {
            if let Some(feature) = feature {
                let _ = writeln!(text, "#[cfg(feature = \"{feature}\")]");
            }
            let _ = writeln!(text, "pub mod {name};");
        }
        text
    }

    fn command(&self) -> String {
        format!("culet library {}", self.path.file_name().unwrap_or_default().to_string_lossy())
    }
}

impl Module {
    /// Whether it is for plain words.
    fn is_portable(&self) -> bool {
        [Target::C64, Target::C32].contains(&self.options.target) && self.options.batch.is_none()
    }

    /// The module's texts.
    fn generate(&self, recipe: &Recipe, reader: &dyn Reader, purpose: Purpose) -> Result<Made, Refused> {
        let (source, diagnostics) = load(&beside(&recipe.path, Path::new(&self.program)), &[], reader);
        if source.main.is_none() {
            let why = diagnostics.iter().map(|found| found.message.clone()).collect::<Vec<String>>().join("; ");
            let diagnostic = Diagnostic::error(&world::E0801, self.program_span, why)
                .note("programs are looked for from the directory of the recipe");
            return Err(Refused { diagnostics: diagnostic.into(), sources: recipe.sources.clone() });
        }
        match self.made(recipe, &source, diagnostics, purpose) {
            Ok(made) => Ok(made),
            Err(diagnostics) => Err(Refused { diagnostics: self.located(diagnostics, recipe), sources: source.map }),
        }
    }

    fn made(
        &self,
        recipe: &Recipe,
        source: &Source,
        found: Diagnostics,
        purpose: Purpose,
    ) -> Result<Made, Diagnostics> {
        if found.has_errors() {
            let mut found = found;
            found.extend(culet_types::check_what_was_read(&source.items));
            return Err(found);
        }
        let programs: Result<Vec<Program>, Diagnostics> =
            self.functions.iter().map(|function| self.program(source, function)).collect();
        let words = single::words_together(programs?, &self.options)?;
        if purpose == Purpose::Write {
            words.iter().try_for_each(trial::compare)?;
        }
        let rust = self.has_rust.then(|| self.rust(recipe, &words)).transpose()?;
        let c = self.has_c.then(|| self.c(&words)).transpose()?;
        Ok(Made { rust, c })
    }

    fn rust(&self, recipe: &Recipe, words: &[Words]) -> Result<String, Diagnostics> {
        let named = self.functions.iter().zip(words).map(|(function, words)| Recorded {
            stem: function.name.clone(),
            words,
            record: self.record(function),
        });
        let named: Vec<Recorded<'_>> = named.collect();
        let nodes: Vec<&str> = self.functions.iter().filter_map(|function| function.node.as_deref()).collect();
        let node = (!nodes.is_empty()).then(|| nodes.join(","));
        let arguments = Options { node, ..self.options.clone() }.arguments();
        let made_by = format!("{}: {} {arguments}", recipe.command(), self.program);
        single::rust(&named, &self.name, &self.options, made_by)
    }

    fn c(&self, words: &[Words]) -> Result<String, Diagnostics> {
        let name = |name: &str| format!("{PREFIX}{name}");
        let named = self.functions.iter().zip(words).map(|(function, words)| Recorded {
            stem: name(&function.name),
            words,
            record: None,
        });
        let named: Vec<Recorded<'_>> = named.collect();
        single::c(&named, &name(&self.name), &self.options)
    }

    /// The program of a function.
    fn program(&self, source: &Source, function: &Function) -> Result<Program, Diagnostics> {
        // The recipe is wrong, not an option.
        let known: Vec<&str> = source.items.iter().filter_map(node_name).collect();
        if let Some(node) = function.node.as_deref().filter(|node| !known.contains(node)) {
            let message = format!("the program defines no node `{node}`");
            let note = format!("it has {}", known.join(", "));
            return Err(Diagnostic::error_without_place(&names::E0210, message).note(note).into());
        }
        let (program, found) = elaborate(source, &Options { node: function.node.clone(), ..self.options.clone() });
        let Some(program) = program else { return Err(found) };
        if Route::of(&program) == Route::Words {
            return Ok(program);
        }
        let message = format!("`{}` computes many instances at a time, and has no code in Rust", program.entry().name);
        Err(Diagnostic::error_without_place(&world::E0880, message)
            .note("nodes with streams, elements of fields, lookups at secret positions or words cut anew have")
            .into())
    }

    /// The text of a function's record: culet's version, the program, the choices with which it is compiled, and what it claims. Words of
    /// 32 bits have none: they do not run on x86-64, for which there are proofs.
    fn record(&self, function: &Function) -> Option<String> {
        let program = self.program.trim_start_matches("../");
        let options = Options { node: function.node.clone(), ..self.options.clone() };
        let claim = if function.claims_equal { " --claim equal" } else { "" };
        let record = format!("{} {program} {}{claim}", env!("CARGO_PKG_VERSION"), options.arguments());
        (self.options.target != Target::C32).then_some(record)
    }

    /// Errors, with the module that they are about.
    fn located(&self, diagnostics: Diagnostics, recipe: &Recipe) -> Diagnostics {
        let (line, _) = recipe.sources.line_column(self.program_span);
        let place = format!("{}:{line}", recipe.path.display());
        let note = format!("{place} asks for it: module `{}`, target `{}`", self.name, self.options.target.name());
        let mut noted = Diagnostics::new();
        for diagnostic in diagnostics {
            noted.push(if diagnostic.is_error() { diagnostic.note(&note) } else { diagnostic });
        }
        noted
    }
}

/// Says which modules the library in C has: its own one, where there are two of a name and target.
fn choose_for_c(modules: &mut [Module], amalgamation: &Amalgamation) {
    let is_of = |module: &Module| (module.name.clone(), module.options.target.name());
    let own: BTreeSet<_> = modules.iter().filter(|module| !module.has_rust).map(is_of).collect();
    for module in modules {
        let is_taken = module.is_portable() && amalgamation.has(&module.name);
        module.has_c = is_taken && !(module.has_rust && own.contains(&is_of(module)));
    }
}

/// Modules as they are read.
struct Modules {
    file: FileId,
    read: Vec<Module>,
    /// Where the recipe asks for each file.
    known: BTreeMap<(bool, &'static str, String), Span>,
    diagnostics: Diagnostics,
}

impl Modules {
    fn read(file: FileId, recipe: &RecipeText) -> Result<Vec<Module>, Diagnostics> {
        let (read, known) = (Vec::new(), BTreeMap::new());
        let mut modules = Modules { file, read, known, diagnostics: Diagnostics::new() };
        for text in &recipe.module {
            modules.add(text, true);
        }
        for name in &recipe.equal {
            modules.claim(name);
        }
        for text in recipe.c.iter().flat_map(|c| &c.module) {
            modules.add(text, false);
        }
        if modules.diagnostics.is_empty() { Ok(modules.read) } else { Err(modules.diagnostics) }
    }

    fn add(&mut self, text: &ModuleText, has_rust: bool) {
        if !is_name(text.name.get_ref()) {
            let message = format!("`{}` cannot be the name of a module", text.name.get_ref());
            let remedy =
                "a name is made of lower-case letters, digits and `_`, begins with a letter, and is no word of Rust";
            self.error(&text.name, &message, remedy);
        }
        let functions = self.functions(text);
        if let Some(feature) = text.feature.as_ref().filter(|feature| !is_feature(feature.get_ref())) {
            let message = format!("`{}` cannot be the name of a feature", feature.get_ref());
            self.error(feature, &message, "a name is made of lower-case letters, digits, `_` and `-`");
        }
        let slicing = text.slice.as_ref().and_then(|slice| self.slicing(slice));
        let inline = text.inline.as_ref().map_or(Amount::Auto, |inline| self.inline(inline));
        let goal = text.optimise.as_ref().map_or(Goal::Speed, |goal| self.goal(goal));
        for name in &text.targets {
            let Some(target) = Target::find(name.get_ref()) else {
                let message = format!("there is no target `{}`", name.get_ref());
                self.error(name, &message, &format!("the targets are {}", Target::ALL.map(Target::name).join(", ")));
                continue;
            };
            let span = self.span(name);
            if let Some(first) = self.known.insert((has_rust, target.name(), text.name.get_ref().clone()), span) {
                let message = format!("the module `{}` for `{}` is made twice", text.name.get_ref(), target.name());
                let diagnostic = Diagnostic::error(&world::E0880, span, message).related(first, "here, too");
                self.diagnostics.push(diagnostic.note("give one of the two another name"));
            }
            let (batch, share_inverses, in_place) = (text.batch, text.share_inverses, text.in_place);
            let given = Options { slicing, batch, share_inverses, in_place, goal, ..Options::new(target) };
            let options = Options { inline, ..given };
            self.read.push(Module {
                has_rust,
                has_c: false,
                name: text.name.get_ref().clone(),
                functions: functions.clone(),
                program: text.program.get_ref().clone(),
                program_span: self.span(&text.program),
                options,
                feature: text.feature.as_ref().map(|feature| feature.get_ref().clone()),
            });
        }
        if text.targets.is_empty() {
            let message = format!("the module `{}` has no targets", text.name.get_ref());
            self.error(&text.name, &message, "name one at least, such as `targets = [\"c64\"]`");
        }
    }

    fn functions(&mut self, text: &ModuleText) -> Vec<Function> {
        let Some(nodes) = &text.nodes else {
            let node = text.node.as_ref().map(|node| node.get_ref().clone());
            return vec![Function { name: text.name.get_ref().clone(), node, claims_equal: false }];
        };
        if let Some(node) = &text.node {
            self.error(node, "a module has one `node`, or `nodes`", "leave one of the two out");
        }
        if nodes.is_empty() {
            let message = format!("the module `{}` has no nodes", text.name.get_ref());
            self.error(&text.name, &message, "name one at least, or leave `nodes` out");
        }
        let mut known = BTreeSet::new();
        for node in nodes {
            // Names of functions differ in more than their case.
            if !known.insert(node.get_ref().to_ascii_lowercase()) {
                let message = format!("the module `{}` has two functions `{}`", text.name.get_ref(), node.get_ref());
                self.error(node, &message, "name each node once");
            }
        }
        let function = |node: &Spanned<String>| {
            let name = node.get_ref().clone();
            Function { node: Some(name.clone()), name, claims_equal: false }
        };
        nodes.iter().map(function).collect()
    }

    /// Finds the function in Rust that claims to be equal to its program.
    fn claim(&mut self, claim: &Spanned<String>) {
        let (name, target) = claim.get_ref().split_once('@').unwrap_or((claim.get_ref(), Target::C64.name()));
        let of_target = self.read.iter_mut().filter(|module| module.options.target.name() == target);
        match of_target.flat_map(|module| &mut module.functions).find(|function| function.name == name) {
            Some(function) if target != Target::C32.name() => function.claims_equal = true,
            _ => {
                let message = format!("no function `{name}` for `{target}` has a record");
                self.error(
                    claim,
                    &message,
                    "name a function of a module, with `@` and its target if that is not c64; c32 has no records",
                );
            }
        }
    }

    fn slicing(&mut self, slice: &Spanned<String>) -> Option<Slicing> {
        let slicing = parse_slicing(slice.get_ref());
        if slicing.is_none() {
            let message = format!("there is no slicing `{}`", slice.get_ref());
            self.error(slice, &message, "write v (vertical), h (horizontal) or b (bitslice)");
        }
        slicing
    }

    fn goal(&mut self, goal: &Spanned<String>) -> Goal {
        match goal.get_ref().as_str() {
            "speed" => return Goal::Speed,
            "size" => {}
            other => self.error(goal, &format!("there is no goal `{other}`"), "write speed or size"),
        }
        Goal::Size
    }

    fn inline(&mut self, inline: &Spanned<String>) -> Amount {
        match inline.get_ref().as_str() {
            "none" => return Amount::None,
            "all" => return Amount::All,
            other => self.error(inline, &format!("there is no amount `{other}`"), "write none or all"),
        }
        Amount::Auto
    }

    fn span<T>(&self, at: &Spanned<T>) -> Span {
        Span::new(self.file, at.span().start, at.span().end)
    }

    fn error<T>(&mut self, at: &Spanned<T>, message: &str, remedy: &str) {
        self.diagnostics.push(Diagnostic::error(&world::E0880, self.span(at), message).note(remedy));
    }
}

/// A path that is relative to the directory of another one.
fn beside(path: &Path, relative: &Path) -> PathBuf {
    path.parent().map_or_else(|| relative.to_path_buf(), |parent| parent.join(relative))
}

fn is_feature(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c))
}

/// Whether a text can name a module, a file and a function in Rust. `mod.rs` has the names of the others.
fn is_name(text: &str) -> bool {
    const WORDS: &str = "abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if \
        impl in let loop macro match mod move mut override priv pub raw ref return safe self static struct super trait true try \
        type typeof union unsafe unsized use virtual where while yield";
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && WORDS.split_whitespace().all(|word| word != text)
}
