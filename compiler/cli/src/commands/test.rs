//! `culet test`: checks primitives against their known answers, with every engine.

use std::path::Path;

use culet_diag::codes::{answers, world};
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_driver::{
    Engine, EngineError, KeySchedule, Maker, Mismatch, Options, Places, Primitive, Source, check_answer,
    check_description, check_mode_answer, read_text, slicing_name, unreadable, wrong_slicing,
};
use culet_ir::Target;
use culet_native::{CCompiler, Runner};
use culet_types::program::Slicing;

use super::{descriptions, read, working};
use crate::args::TestArgs;
use crate::output::{Failure, Output};

pub fn run(args: &TestArgs, output: Output) -> Result<(), Failure> {
    let paths = descriptions::find(&args.files, output)?;
    // If there is nothing to test, only that is said.
    if !paths.iter().any(|path| read_text(path).is_ok_and(|text| Primitive::parse(&text).is_ok())) {
        // Each of them says what is wrong with it.
        let failures: Vec<Failure> = paths.iter().filter_map(|path| descriptions::read(path, output).err()).collect();
        return Err(failures.into_iter().next_back().unwrap_or(Failure::Input));
    }
    let ways = ways(args, output)?;
    let mut tally = Tally::default();
    // A primitive that fails does not keep the others from being tested.
    let mut failure = None;
    for path in &paths {
        failure = test(path, args.slice, &ways, output, &mut tally).err().or(failure);
    }
    if let (Some(slicing), 0, None) = (args.slice, tally.tried, failure) {
        let message = format!("none of these primitives is meant for `--slice {}`", slicing_name(slicing));
        return Err(output.fail(
            Diagnostic::error_without_place(&world::E0830, message)
                .note("the descriptions' `slicing.allowed` says which ones are"),
        ));
    }
    if tally.passed == 0 && tally.failed == 0 && failure.is_none() {
        let missing = Diagnostic::error_without_place(&answers::E0901, "no description has answers to test");
        failure = Some(output.fail(missing.note("`[[known_answer]]` gives published inputs and outputs of a node")));
    }
    output.data(format!("{} passed, {} failed\n", tally.passed, tally.failed).as_bytes())?;
    match failure {
        Some(failure) => Err(failure),
        None if tally.failed == 0 && tally.passed > 0 => Ok(()),
        None => Err(Failure::Input),
    }
}

/// Tests one primitive.
fn test(path: &Path, only: Option<Slicing>, ways: &[Way], output: Output, tally: &mut Tally) -> Result<(), Failure> {
    let primitive = descriptions::read(path, output)?;
    let (mut source, diagnostics) = read(&path.with_file_name(&primitive.source), &[], output)?;
    if diagnostics.has_errors() {
        return Err(output.report(&diagnostics, &source.map));
    }
    let text = read_text(path).map_err(|error| output.fail(unreadable(path, &error)))?;
    let places = Places::of(source.map.add(path, text.clone()), &text);
    let mistakes = check_description(&source, &primitive, &places);
    let mut failure = None;
    if mistakes.has_errors() {
        tally.failed += mistakes.iter().filter(|mistake| mistake.is_error()).count();
        let found = output.report(&mistakes, &source.map);
        // Known answers say which direction of a cipher is wrong.
        if mistakes.iter().any(|mistake| mistake.is_error() && mistake.code.id != answers::E0902.id) {
            return Err(found);
        }
        failure = Some(found);
    }
    let schedule = KeySchedule::of(&source, &primitive).map_err(|d| output.report(&d, &source.map))?;
    let subject = Subject { primitive: &primitive, source: &source, schedule: schedule.as_ref(), places: &places };
    ways.iter().try_for_each(|way| subject.test(only, way, output, tally))?;
    failure.map_or(Ok(()), Err)
}

#[derive(Default)]
struct Tally {
    /// Slicings of primitives that were tried.
    tried: usize,
    passed: usize,
    failed: usize,
}

/// One way to compute: the name shown, the engine maker, the target.
struct Way {
    name: String,
    maker: Maker,
    target: Target,
    /// Whether the arguments ask for this way. If so, it is not left out, whatever the program.
    is_asked: bool,
}

/// The interpreter, and every target with every compiler, as far as the arguments do not restrict them.
fn ways(args: &TestArgs, output: Output) -> Result<Vec<Way>, Failure> {
    let interpreter =
        Way { name: "interpreter".into(), maker: Maker::Interpreter, target: Target::C64, is_asked: true };
    if args.interpret {
        return Ok(vec![interpreter]);
    }
    let find = |name: Option<&str>| {
        CCompiler::find(name).map_err(|error| {
            let diagnostic = EngineError::from(error).diagnostic();
            output.fail(diagnostic.note("`--interpret` uses the interpreter, which needs none"))
        })
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
    let runner = args.runner.as_deref().map(Runner::new);
    let compilers: Vec<CCompiler> = compilers.into_iter().map(|c| c.with_runner(runner.clone())).collect();
    let mut targets = args.target.clone();
    if targets.is_empty() {
        let can = |target: &Target| compilers.iter().any(|compiler| compiler.targets().contains(target));
        let (run, others): (Vec<Target>, Vec<Target>) = Target::for_slices().partition(can);
        for target in others.iter().filter(|_| !compilers.is_empty()) {
            output.progress(&format!("{} is not tested: {}", target.name(), why_not(*target)));
        }
        targets = run;
    }
    let mut ways = if args.target.is_empty() && args.cc.is_empty() { vec![interpreter] } else { Vec::new() };
    for &target in &targets {
        for compiler in &compilers {
            if args.target.is_empty() && !compiler.targets().contains(&target) {
                continue;
            }
            compiler.check(target).map_err(|e| output.fail(EngineError::from(e).diagnostic()))?;
            ways.push(Way {
                name: format!("{} {}", target.name(), compiler.name()),
                // Answers do not depend on the optimisation level; the compile time does.
                maker: Maker::Compiler { compiler: compiler.clone(), flags: vec!["-O1".into()] },
                target,
                is_asked: !args.target.is_empty() || !args.cc.is_empty(),
            });
        }
    }
    Ok(ways)
}

/// The reason why a target's kernels do not run here.
fn why_not(target: Target) -> &'static str {
    match target.architecture() {
        Some(needed) if needed != culet_native::architecture_here() => {
            "it needs a C compiler for its machine (`--cc`) and a runner (`--runner`)"
        }
        _ => "this CPU lacks its instructions",
    }
}

struct Subject<'a> {
    primitive: &'a Primitive,
    source: &'a Source,
    schedule: Option<&'a KeySchedule>,
    places: &'a Places,
}

impl Subject<'_> {
    /// Checks all answers in all allowed slicings, and prints a line for each slicing.
    fn test(&self, only: Option<Slicing>, way: &Way, output: Output, tally: &mut Tally) -> Result<(), Failure> {
        for (slicing, word) in self.primitive.slicings().into_iter().filter(|&(s, _)| only.is_none_or(|o| o == s)) {
            tally.tried += 1;
            let options = Options { slicing: Some(slicing), word, ..Options::new(way.target) };
            if !way.is_asked && !self.has_code(&options) {
                continue;
            }
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

    /// Whether there is code for every node that has an answer.
    fn has_code(&self, options: &Options) -> bool {
        self.primitive.known_answer.iter().all(|answer| {
            culet_driver::has_code(self.source, &Options { node: Some(answer.node.clone()), ..options.clone() })
        })
    }

    /// One diagnostic for each answer that does not come out.
    fn wrong_answers(&self, options: &Options, maker: &Maker) -> Diagnostics {
        let mut wrong = Diagnostics::new();
        let mut engine: Option<(String, Engine)> = None;
        for (number, answer) in self.primitive.known_answer.iter().enumerate() {
            // Answers of one node follow one another, so that one engine at a time is kept.
            if engine.as_ref().is_none_or(|(node, _)| *node != answer.node) {
                let options = Options { node: Some(answer.node.clone()), ..options.clone() };
                match maker.engine(self.source, &options) {
                    Ok(made) => engine = Some((answer.node.clone(), made)),
                    Err(errors) => {
                        match wrong_slicing(self.source, self.places, &options, &errors) {
                            Some(report) => wrong.push(report),
                            None => wrong.extend(errors),
                        }
                        engine = None;
                        continue;
                    }
                }
            }
            let Some((_, engine)) = &engine else { continue };
            // More instances than one call computes on any target, and not a whole number of calls.
            let instances = if matches!(maker, Maker::Interpreter) { 3 } else { 1027 };
            if let Err(mismatch) = check_answer(engine, self.schedule, answer, instances) {
                let place = self.places.outputs(number);
                wrong.push(unanswered(place, &format!("{}: ", answer.node), &mismatch, &answer.source));
            }
        }
        for (number, answer) in self.primitive.mode_answer.iter().enumerate() {
            if let Err(mismatch) = check_mode_answer(self.source, self.primitive, answer, options, maker) {
                let place = self.places.mode_answer(number, "cipher");
                wrong.push(unanswered(place, "", &mismatch, &answer.source));
            }
        }
        wrong
    }
}

/// The report of an answer that does not come out: what is computed, what was published, and of which inputs.
fn unanswered(place: Span, whose: &str, mismatch: &Mismatch, published_in: &str) -> Diagnostic {
    let mut wrong = Diagnostic::error(&answers::E0902, place, format!("{whose}{mismatch}"));
    if let Some(inputs) = mismatch.inputs() {
        wrong = wrong.note(inputs);
    }
    wrong.note(format!("published in {published_in}"))
}
