//! `culet test`: primitives against their known answers, by every engine.

use std::fs;
use std::path::{Path, PathBuf};

use culet_diag::codes::{answers, world};
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{
    Engine, Maker, Options, Primitive, Source, check_answer, check_mode_answer, key_schedule, slicing_name,
};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_types::program::Slicing;

use super::{read, run::read_description, working};
use crate::args::TestArgs;
use crate::output::{Failure, Output};

pub fn run(args: &TestArgs, output: Output) -> Result<(), Failure> {
    let descriptions = find_descriptions(&args.files, output)?;
    let makers = makers(args, output)?;
    let mut tally = Tally::default();
    for path in &descriptions {
        let primitive = read_description(path, output)?;
        let (source, diagnostics) = read(&path.with_file_name(&primitive.source), &[], output)?;
        if diagnostics.has_errors() {
            return Err(output.report(&diagnostics, &source.map));
        }
        let schedule = key_schedule(&source, &primitive).map_err(|d| output.report(&d, &source.map))?;
        let subject = Subject { primitive: &primitive, source: &source, schedule: schedule.as_ref() };
        for maker in &makers {
            subject.test(args.slice, maker, output, &mut tally)?;
        }
    }
    if let (Some(slicing), 0) = (args.slice, tally.passed + tally.failed) {
        let message = format!("none of these primitives is meant for `--slice {}`", slicing_name(slicing));
        return Err(output.fail(
            Diagnostic::error_without_place(&world::E0830, message)
                .note("the descriptions' `slicing.allowed` says which ones are"),
        ));
    }
    output.data(format!("{} passed, {} failed\n", tally.passed, tally.failed).as_bytes())?;
    if tally.failed == 0 && tally.passed > 0 { Ok(()) } else { Err(Failure::Input) }
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

/// One way to compute: the name shown, the engine maker, the target.
struct Way {
    name: String,
    maker: Maker,
    target: Target,
}

/// The interpreter and every target with every compiler, as far as the arguments do not choose.
fn makers(args: &TestArgs, output: Output) -> Result<Vec<Way>, Failure> {
    let interpreter = Way { name: "interpreter".into(), maker: Maker::Interpreter, target: Target::C64 };
    if args.interpret {
        return Ok(vec![interpreter]);
    }
    let find = |name: Option<&str>| {
        CCompiler::find(name).map_err(|e| output.fail(culet_driver::EngineError::from(e).diagnostic()))
    };
    let mut compilers = Vec::new();
    for name in &args.cc {
        compilers.push(find(Some(name))?);
    }
    if args.cc.is_empty() {
        compilers = CCompiler::installed();
    }
    if compilers.is_empty() && !args.target.is_empty() {
        compilers.push(find(None)?);
    }
    if compilers.is_empty() {
        output.progress("no C compiler is installed: only the interpreter is tested");
    }
    let mut targets = args.target.clone();
    if targets.is_empty() {
        targets = Target::ALL.into_iter().filter(|&t| cpu_runs(t)).collect();
        for target in Target::ALL.into_iter().filter(|&t| !cpu_runs(t)) {
            output.progress(&format!("{} is not tested: this CPU lacks its instructions", target.name()));
        }
    }
    let mut ways = if args.target.is_empty() && args.cc.is_empty() { vec![interpreter] } else { Vec::new() };
    for &target in &targets {
        for compiler in &compilers {
            ways.push(Way {
                name: format!("{} {}", target.name(), compiler.name()),
                // Answers do not depend on the optimisation level; the compile time does.
                maker: Maker::Compiler { compiler: compiler.clone(), flags: vec!["-O1".into()] },
                target,
            });
        }
    }
    Ok(ways)
}

struct Subject<'a> {
    primitive: &'a Primitive,
    source: &'a Source,
    schedule: Option<&'a Engine>,
}

impl Subject<'_> {
    /// All answers in all allowed slicings, a line for each slicing.
    fn test(&self, only: Option<Slicing>, way: &Way, output: Output, tally: &mut Tally) -> Result<(), Failure> {
        let slicings = self
            .primitive
            .slicings()
            .map_err(|e| output.fail(Diagnostic::error_without_place(&answers::E0901, e.to_string())))?;
        for (slicing, word) in slicings.into_iter().filter(|&(s, _)| only.is_none_or(|o| o == s)) {
            let options = Options { slicing: Some(slicing), word, ..Options::new(way.target) };
            let word = word.map_or_else(String::new, |w| w.to_string());
            let what = format!("{} {}{word} {}", self.primitive.name, slicing_name(slicing), way.name);
            let wrong = working(&what, output, || self.wrong_answers(&options, &way.maker));
            let count = self.primitive.known_answer.len() + self.primitive.mode_answer.len();
            let line = format!(
                "{:<16} {:<4} {:<18} {} of {count} answers\n",
                self.primitive.name,
                format!("{}{word}", slicing_name(slicing)),
                way.name,
                count - wrong.len().min(count),
            );
            output.data(line.as_bytes())?;
            tally.failed += wrong.iter().filter(|d| d.is_error()).count();
            tally.passed += count - wrong.len().min(count);
            output.diagnostics(&wrong, &self.source.map);
        }
        Ok(())
    }

    /// One diagnostic an answer that does not come out.
    fn wrong_answers(&self, options: &Options, maker: &Maker) -> Diagnostics {
        let mut wrong = Diagnostics::new();
        let mut engine: Option<(String, Engine)> = None;
        for answer in &self.primitive.known_answer {
            // Answers of one node follow one another, so one engine at a time is kept.
            if engine.as_ref().is_none_or(|(node, _)| *node != answer.node) {
                let options = Options { node: Some(answer.node.clone()), ..options.clone() };
                match maker.engine(self.source, &options) {
                    Ok(made) => engine = Some((answer.node.clone(), made)),
                    Err(errors) => {
                        wrong.extend(errors);
                        engine = None;
                        continue;
                    }
                }
            }
            let Some((_, engine)) = &engine else { continue };
            // More than one call's worth on every target, and not a whole number of calls.
            let instances = if matches!(maker, Maker::Interpreter) { 3 } else { 1027 };
            if let Err(mismatch) = check_answer(engine, self.schedule, answer, instances) {
                wrong.push(
                    Diagnostic::error_without_place(&answers::E0902, format!("{}: {mismatch}", answer.node))
                        .note(format!("published in {}", answer.source)),
                );
            }
        }
        for answer in &self.primitive.mode_answer {
            if let Err(mismatch) = check_mode_answer(self.source, self.primitive, answer, options, maker) {
                wrong.push(
                    Diagnostic::error_without_place(&answers::E0902, mismatch.to_string())
                        .note(format!("published in {}", answer.source)),
                );
            }
        }
        wrong
    }
}

/// The descriptions named, and those in the directories named, in the order of their names.
fn find_descriptions(paths: &[PathBuf], output: Output) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        if path.is_dir() {
            collect(path, &mut found).map_err(|error| {
                let message = format!("cannot read `{}`: {error}", path.display());
                output.fail(Diagnostic::error_without_place(&world::E0801, message))
            })?;
            found[before..].sort();
        } else {
            found.push(path.clone());
        }
        if found.len() == before {
            let message = format!("`{}` holds no descriptions of primitives (.toml)", path.display());
            return Err(output.fail(Diagnostic::error_without_place(&world::E0801, message)));
        }
    }
    Ok(found)
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
    Ok(())
}
