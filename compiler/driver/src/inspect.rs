//! Looking at a program without compiling it: `culet check` and `culet dump`.

use culet_diag::codes::{targets, world};
use culet_diag::{Diagnostic, Diagnostics};
use culet_ir::Module;

use crate::choices;
use crate::instructions;
use crate::intermediate;
use crate::kernel::{Kernel, lower};
use crate::load::Source;
use crate::options::Options;
use crate::program::elaborate;
use crate::route::Route;
use crate::single::words;

/// All diagnostics of a program: on all of its definitions, and on the entry with the nodes that it calls.
///
/// If the options give no direction, an open direction is bitslice. Everything can be expressed in it, except programs
/// that compute one instance at a time, which are elaborated with the options as they are.
pub fn check(source: &Source, options: &Options, so_far: &Diagnostics) -> Diagnostics {
    if source.is_intermediate {
        return intermediate::check(options);
    }
    if so_far.has_errors() {
        return culet_types::check_what_was_read(&source.items);
    }
    let (mut program, mut diagnostics) = elaborate(source, &options.in_any_direction());
    if program.as_ref().is_some_and(|program| Route::of(program) == Route::Words) {
        (program, diagnostics) = elaborate(source, options);
    }
    if let Some(program) = program {
        if let Err(errors) = choices::check_slicing(&program, options) {
            diagnostics.extend(errors);
        }
        if let Err(errors) = instructions::check(&program) {
            diagnostics.extend(errors);
        }
        if let Err(errors) = culet_lower::lower(&program) {
            // A program that only the interpreter can run is not wrong.
            let wrong = errors.into_iter().filter(|d| d.code.id != targets::E0707.id);
            wrong.for_each(|diagnostic| diagnostics.push(diagnostic));
        }
    }
    diagnostics
}

/// The names of the stages whose text `dump` gives, in order.
pub fn stages() -> Vec<&'static str> {
    let mut stages = vec!["ast", "program", "lower", "limbs"];
    stages.extend(culet_passes::PASSES.iter().map(|pass| pass.name));
    stages.push("c");
    stages
}

/// The text after a stage. For a pass that runs twice, this is the text after its last run. The input may also be the
/// intermediate representation, with which the passes begin.
pub fn dump(source: &Source, stage: &str, options: &Options, so_far: &Diagnostics) -> (Option<String>, Diagnostics) {
    if source.is_intermediate {
        let Some(module) = &source.module else { return (None, Diagnostics::new()) };
        return intermediate::dump(module, &source.stem, stage, options);
    }
    if stage == "ast" {
        let file = culet_syntax::ast::File { items: source.items.clone() };
        return (Some(culet_syntax::print(&file)), Diagnostics::new());
    }
    if stage == "c" {
        let (kernel, diagnostics) = Kernel::of(source, &source.stem, options, so_far);
        return (kernel.map(|kernel| kernel.text().to_owned()), diagnostics);
    }
    if so_far.has_errors() {
        return (None, Diagnostics::new());
    }
    let (program, mut diagnostics) = elaborate(source, options);
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
    if let Err(errors) = lower(program, options, &mut observe) {
        diagnostics.extend(errors);
    } else if text.is_none() {
        diagnostics.push(intermediate::without_stage(stage));
    }
    (text, diagnostics)
}

/// Every carry of a program over a field, and why it is there.
pub fn carries(source: &Source, options: &Options) -> (Option<String>, Diagnostics) {
    let (program, mut diagnostics) = elaborate(source, options);
    let Some(program) = program else { return (None, diagnostics) };
    let entry = program.entry();
    let (name, span) = (entry.name.clone(), entry.span);
    let limbed = match Route::of(&program) {
        Route::Slices => Ok(None),
        Route::Words => words(program, options, &mut |_, _| {}).map(|words| words.limbed),
    };
    match limbed.map(|limbed| limbed.and_then(|limbed| limbed.carries())) {
        Ok(Some(text)) => return (Some(text), diagnostics),
        Ok(None) => diagnostics.push(
            Diagnostic::error(&world::E0830, span, format!("`{name}` has no limbs whose carries are planned"))
                .note("`--carries` explains programs over prime fields in unsaturated limbs"),
        ),
        Err(errors) => diagnostics.extend(errors),
    }
    (None, diagnostics)
}
