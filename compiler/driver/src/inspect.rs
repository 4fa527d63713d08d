//! Looking at a program without compiling it: `culet check` and `culet dump`.

use culet_diag::codes::{targets, world};
use culet_diag::{Diagnostic, Diagnostics};
use culet_ir::Module;

use crate::choices;
use crate::intermediate;
use crate::load::Source;
use crate::options::Options;
use crate::pipeline;
use crate::single::{self, Generated};

/// Everything that can be said about a program: all of its definitions, and the entry with what it calls.
///
/// Without a direction in the options, an open one is bitslice, in which everything can be expressed but what computes one
/// instance at a time.
pub fn check(source: &Source, options: &Options) -> Diagnostics {
    if source.is_intermediate {
        return intermediate::check(options);
    }
    let (mut program, mut diagnostics) = pipeline::elaborate(source, &options.in_any_direction());
    if program.as_ref().is_some_and(culet_lower::is_single) {
        (program, diagnostics) = pipeline::elaborate(source, options);
    }
    if let Some(program) = program {
        if let Err(errors) = choices::check_slicing(&program, options) {
            diagnostics.extend(errors);
        }
        if let Err(errors) = culet_lower::lower(&program) {
            // A program that the interpreter alone can run is no wrong program.
            let wrong = errors.into_iter().filter(|d| d.code.id != targets::E0707.id);
            wrong.for_each(|diagnostic| diagnostics.push(diagnostic));
        }
    }
    diagnostics
}

/// The stage exists, but not for this program.
pub(crate) fn without_stage(stage: &str) -> Diagnostic {
    let message = format!("this program is compiled without the stage `{stage}`");
    let note = "programs that compute one instance at a time have `limbs` and few passes, kernels on slices all passes";
    Diagnostic::error_without_place(&world::E0830, message).note(note)
}

/// The stages whose text `dump` gives, in order.
pub fn stages() -> Vec<&'static str> {
    let mut stages = vec!["ast", "program", "lower", "limbs"];
    stages.extend(culet_passes::PASSES.iter().map(|pass| pass.name));
    stages.push("c");
    stages
}

/// The text after a stage; of a pass that runs twice, after its last run. The passes can begin with the intermediate
/// representation, too.
pub fn dump(source: &Source, stage: &str, options: &Options, so_far: &Diagnostics) -> (Option<String>, Diagnostics) {
    if source.is_intermediate {
        return intermediate::dump(source, stage, options);
    }
    if stage == "ast" {
        let file = culet_syntax::ast::File { items: source.items.clone() };
        return (Some(culet_syntax::print(&file)), Diagnostics::new());
    }
    if stage == "c" {
        let (generated, diagnostics) = single::generate(source, &source.stem, options, so_far);
        let text = generated.map(|generated| match generated {
            Generated::Sliced(compiled) => compiled.c.source,
            Generated::Single(single) => single.c.source,
        });
        return (text, diagnostics);
    }
    if so_far.has_errors() {
        return (None, Diagnostics::new());
    }
    let (program, mut diagnostics) = pipeline::elaborate(source, options);
    let Some(program) = program else { return (None, diagnostics) };
    if stage == "program" {
        return (Some(program.to_string()), diagnostics);
    }
    let mut text = None;
    let mut observe = |name: &str, module: &Module| {
        if name == stage {
            text = Some(module.to_string());
        }
    };
    let lowered = match culet_lower::is_single(&program) {
        true => single::words(program, options, &mut observe).map(|_| ()),
        false => pipeline::lower(program, options, &mut observe).map(|_| ()),
    };
    if let Err(errors) = lowered {
        diagnostics.extend(errors);
    } else if text.is_none() {
        diagnostics.push(without_stage(stage));
    }
    (text, diagnostics)
}
