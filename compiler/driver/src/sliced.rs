//! Programs that are computed in slices: many instances side by side in registers.

use culet_diag::codes::{names, targets};
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::Output;
use culet_ir::Module;
use culet_meaning::layout::{Layout, LayoutError, reachable};
use culet_passes::{Chosen, Context};
use culet_types::program::Program;

use crate::choices;
use crate::instructions;
use crate::intermediate;
use crate::options::Options;

/// The IR of a program, and the layout of its entry's parameters.
pub(crate) struct Lowered {
    pub program: Program,
    pub module: Module,
    pub layout: Layout,
    pub chosen: Chosen,
}

/// Generated C, and what it was made from.
pub(crate) struct Sliced {
    pub lowered: Lowered,
    pub c: Output,
}

/// Lowers and optimises. `observe` sees the module after lowering (`"lower"`) and after each pass.
pub(crate) fn lower(
    program: Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Module),
) -> Result<Lowered, Diagnostics> {
    let entry = program.entry();
    if entry.params.is_empty() && entry.returns.is_empty() {
        let message = format!("`{}` has neither parameters nor results: there is nothing to compute", entry.name);
        let error = Diagnostic::error(&names::E0210, entry.span, message);
        return Err(error.note("`--node` names another node").into());
    }
    choices::check_slicing(&program, options)?;
    choices::check(&program, options)?;
    instructions::check(&program)?;
    let mut module = culet_lower::lower_for(&program, options.target, options.bits())?;
    instructions::choose(&mut module, None);
    observe("lower", &module);
    let chosen = options.choose(&module, asked_interleaving(&program));
    let layout = layout(&program, options, &chosen.context)?;
    intermediate::optimise(&mut module, &chosen.context, observe)?;
    Ok(Lowered { program, module, layout, chosen })
}

/// Number of groups that the source asks for: that of the entry's `_interleave(n)`, or the largest one of the nodes that the
/// entry reaches.
fn asked_interleaving(program: &Program) -> Option<u32> {
    let reached = || reachable(program).into_iter().filter_map(|id| program.node(id).interleave).max();
    program.entry().interleave.or_else(reached)
}

/// The layout of a program's entry on a target, with the choices of `context`.
fn layout(program: &Program, options: &Options, context: &Context) -> Result<Layout, Diagnostics> {
    let make = if context.packed { Layout::packed } else { Layout::new };
    let width = options.width.unwrap_or(options.target.register_bits());
    make(program, width, context.interleave).map_err(|error| {
        let diagnostic = match error {
            LayoutError::Mixed { first, second } => Diagnostic::error(
                &targets::E0703,
                first.span,
                format!("`{}` and `{}` cannot share a kernel's registers", first.name, second.name),
            )
            .label(format!("an instance takes {} bits of each register", first.bits))
            .related(second.span, format!("here it takes {}", second.bits))
            .note("give both the same direction and word size, or compile bitsliced (`--slice b`)"),
            LayoutError::UnevenElements { name, bits, span } => Diagnostic::error(
                &targets::E0704,
                span,
                format!("the {bits} bits of an atom of `{name}` cannot be spread evenly over a register"),
            )
            .note("in direction H the word size must divide the register, or its parts of 128 bits"),
            error @ LayoutError::Elements { .. } => culet_lower::layout_error(&error),
        };
        diagnostic.into()
    })
}

/// Lowers, optimises, and writes C that `command` makes. The files are called after `stem`.
pub(crate) fn compile(program: Program, stem: &str, options: &Options, command: &str) -> Result<Sliced, Diagnostics> {
    let lowered = lower(program, options, &mut |_, _| {})?;
    let c = emit(&lowered, stem, options, command)?;
    Ok(Sliced { lowered, c })
}

fn emit(lowered: &Lowered, stem: &str, options: &Options, command: &str) -> Result<Output, Diagnostics> {
    let emit_options = emit_options(stem, options, command);
    culet_emit::emit_c(&lowered.module, &lowered.program, &lowered.layout, &emit_options)
}

/// The text of a module in Rust that `command` makes.
///
/// # Errors
///
/// As [`culet_emit::emit_rust`].
pub(crate) fn rust(lowered: &Lowered, stem: &str, options: &Options, command: &str) -> Result<String, Diagnostics> {
    let emit_options = emit_options(stem, options, command);
    culet_emit::emit_rust(&lowered.module, &lowered.program, &lowered.layout, &emit_options)
}

fn emit_options(stem: &str, options: &Options, command: &str) -> culet_emit::Options {
    culet_emit::Options {
        batch: None,
        in_place: false,
        target: options.target,
        stem: stem.to_owned(),
        provenance: command.to_owned(),
    }
}
