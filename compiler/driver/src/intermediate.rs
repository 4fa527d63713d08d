//! The intermediate representation as input: the text that `dump` writes, perhaps edited. It is checked and taken
//! through the passes.

use culet_diag::codes::{limits, targets, world};
use culet_diag::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use culet_ir::{Module, ParseError};
use culet_passes::Context;

use crate::options::Options;

/// Extension of files that hold the intermediate representation.
pub(crate) const EXTENSION: &str = "ir";

/// Maximum number of elements of all slots together: the verifier keeps a note of each.
const MAX_ELEMENTS: u64 = 1 << 26;

/// Reads a module and verifies it.
pub(crate) fn parse(file: FileId, sources: &SourceMap) -> (Option<Module>, Diagnostics) {
    let text = &sources.get(file).text;
    let module = match culet_ir::parse(text) {
        Ok(module) => module,
        Err(error) => {
            let place = Span::new(file, offset(text, &error), offset(text, &error));
            return (None, Diagnostic::error(&world::E0840, place, error.message).into());
        }
    };
    let elements: u64 = module.funcs.iter().flat_map(|func| &func.slots).map(|slot| u64::from(slot.length)).sum();
    if elements > MAX_ELEMENTS {
        let message = format!("the slots have {elements} elements together, more than 2^{}", MAX_ELEMENTS.ilog2());
        return (None, Diagnostic::error(&limits::E0603, Span::new(file, 0, 0), message).into());
    }
    match culet_ir::verify(&module) {
        Ok(()) => (Some(module), Diagnostics::new()),
        Err(errors) => {
            let mut diagnostics = Diagnostics::new();
            for error in errors {
                let header = error.func.map(|id| format!("fn {}", module.func(id).name));
                let start = header.as_ref().and_then(|header| text.find(header)).unwrap_or(0);
                let end = start + header.map_or(0, |header| header.len());
                diagnostics.push(Diagnostic::error(&world::E0841, Span::new(file, start, end), error.message));
            }
            (None, diagnostics)
        }
    }
}

fn offset(text: &str, error: &ParseError) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(error.line as usize - 1).map(str::len).sum();
    let before = text[line_start..].chars().take(error.column as usize - 1);
    line_start + before.map(char::len_utf8).sum::<usize>()
}

/// The error for a request that only a program can answer, not a module.
pub(crate) fn lacking(stem: &str, what: &str) -> Diagnostics {
    let message = format!("`{stem}.{EXTENSION}` is the intermediate representation: it cannot give {what}");
    Diagnostic::error_without_place(&world::E0842, message)
        .note("it has lost the types of parameters, their directions and how memory holds them")
        .note("`culet check` and `culet dump` take it; for everything else, give the program")
        .into()
}

/// Reports options whose choices were made before the module was written.
pub(crate) fn check(options: &Options) -> Diagnostics {
    let given = [
        ("node", options.node.is_some()),
        ("slice", options.slicing.is_some()),
        ("word", options.word.is_some()),
        ("packed", options.packed),
        ("batch", options.batch.is_some()),
        ("share-inverses", options.share_inverses),
        ("fold-groups", options.fold_groups.is_some()),
        ("in-place", options.in_place),
        ("width", options.width.is_some()),
        ("planes", !options.planes),
    ];
    let mut wrong = Diagnostics::new();
    for (name, _) in given.iter().filter(|(_, given)| *given) {
        let message = format!("`--{name}` does nothing for the intermediate representation");
        wrong.push(
            Diagnostic::error_without_place(&world::E0830, message)
                .note("entry, directions and layout are settled when it is made: give the option then"),
        );
    }
    wrong
}

/// The text after a stage, from `lower`, which is the module itself.
pub(crate) fn dump(module: &Module, stem: &str, stage: &str, options: &Options) -> (Option<String>, Diagnostics) {
    let mut diagnostics = check(options);
    if matches!(stage, "ast" | "program" | "c") {
        diagnostics.extend(lacking(stem, &format!("the stage `{stage}`")));
    }
    if diagnostics.has_errors() {
        return (None, diagnostics);
    }
    let mut module = module.clone();
    let mut text = (stage == "lower").then(|| module.to_string());
    if text.is_none() {
        let context = options.choose(&module, module.entry().interleave).context;
        let done = optimise(&mut module, &context, &mut |pass, module| {
            if pass == stage {
                text = Some(module.to_string());
            }
        });
        if let Err(errors) = done {
            diagnostics.extend(errors);
            return (None, diagnostics);
        }
        if text.is_none() {
            diagnostics.push(without_stage(stage));
        }
    }
    (text, diagnostics)
}

/// The error where a stage exists, but not for this program.
pub(crate) fn without_stage(stage: &str) -> Diagnostic {
    let message = format!("this program is compiled without the stage `{stage}`");
    let note = "programs that compute one instance at a time have `limbs` and few passes, kernels on slices all passes";
    Diagnostic::error_without_place(&world::E0830, message).note(note)
}

/// All passes; `observe` sees the module after each.
///
/// # Errors
///
/// E0706, if it grows too large.
pub(crate) fn optimise(
    module: &mut Module,
    context: &Context,
    observe: &mut dyn FnMut(&str, &Module),
) -> Result<(), Diagnostics> {
    culet_passes::optimise(module, context, &mut |pass, module| observe(pass.name, module))
        .map_err(|error| too_large(error, context.interleave))
}

fn too_large(error: culet_passes::TooLarge, groups: u32) -> Diagnostics {
    let most = culet_passes::MAX_INSTRUCTIONS;
    let message = format!("the kernel grows too large: {} operations in {groups} groups", error.instructions);
    let note = format!(
        "{most} are possible; interleave fewer groups, or leave loops and calls as they are: `--unroll auto --inline auto`"
    );
    Diagnostic::error_without_place(&targets::E0706, message).note(note).into()
}
