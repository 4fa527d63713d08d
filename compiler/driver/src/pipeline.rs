//! From a loaded source to C, stage by stage.

use std::sync::LazyLock;

use culet_diag::codes::{limits, targets, world};
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::Output;
use culet_ir::{Module, Target};
use culet_meaning::layout::{Layout, LayoutError, reachable};
use culet_types::Compatibility;
use culet_types::program::{Node, Program, Ty};

use crate::choices;
use crate::intermediate;
use crate::load::Source;
use crate::options::{Options, slicing_name};
use crate::single::{self, Generated};

/// The IR of a program, and the layout of its entry's parameters.
#[derive(Debug, Clone)]
pub struct Lowered {
    pub program: Program,
    pub module: Module,
    pub layout: Layout,
}

/// Generated C, and what it was made from.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The files' name without extension.
    pub stem: String,
    pub lowered: Lowered,
    pub c: Output,
}

/// Names, types and order: the program with `options.node` as its entry, its constants computed.
pub fn elaborate(source: &Source, options: &Options) -> (Option<Program>, Diagnostics) {
    if source.is_intermediate {
        return (None, intermediate::lacking(&source.stem, "a program"));
    }
    let request = culet_types::Request {
        entry: options.node.as_deref(),
        slicing: options.slicing,
        word: options.word,
        lsb_first_tables: published_tables(),
        sources: Some(&source.map),
    };
    let (program, mut diagnostics) = culet_types::elaborate(&source.items, &request);
    let Some(mut program) = program else { return (None, diagnostics) };
    if let Err(node) = culet_meaning::evaluate_constants(&mut program) {
        let node = program.node(node);
        let message = format!("computing the constant `{}` takes too many steps", node.name);
        diagnostics.push(Diagnostic::error(&limits::E0605, node.span, message));
        return (None, diagnostics);
    }
    (Some(program), diagnostics)
}

/// Whether there is code for a program, as far as it is right; what there is none for can be interpreted.
pub fn has_code(source: &Source, options: &Options) -> bool {
    elaborate(source, options).0.is_none_or(|program| program_has_code(&program, options))
}

/// The options with `c64` in the place of a target for which there is no code, where `c64` has some: for when nobody asks for a
/// target.
pub fn with_code(source: &Source, options: Options) -> Options {
    // The target plays no part in what a program means.
    let Some(program) = elaborate(source, &options).0 else { return options };
    let plain = Options { target: Target::C64, ..options.clone() };
    if !program_has_code(&program, &options) && program_has_code(&program, &plain) { plain } else { options }
}

fn program_has_code(program: &Program, options: &Options) -> bool {
    culet_lower::has_code(program) && (!culet_lower::is_single(program) || single::has_words(program, options))
}

/// The published tables that need the other bit order.
fn published_tables() -> &'static Compatibility {
    static PUBLISHED: LazyLock<Compatibility> = LazyLock::new(Compatibility::published);
    &PUBLISHED
}

/// Lowers and optimises a program that is computed in slices. `observe` sees the module after lowering (`"lower"`) and after each pass.
pub fn lower(
    program: Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Module),
) -> Result<Lowered, Diagnostics> {
    if culet_lower::is_single(&program) {
        return Err(single::not_sliced(&program));
    }
    let entry = program.entry();
    if entry.params.is_empty() && entry.returns.is_empty() {
        let message = format!("`{}` has neither parameters nor results: there is nothing to compute", entry.name);
        return Err(Diagnostic::error(&world::E0830, entry.span, message).into());
    }
    choices::check_slicing(&program, options)?;
    choices::check(&program, options)?;
    let mut module = culet_lower::lower_for(&program, options.target, options.bits())?;
    observe("lower", &module);
    let context = options.context(asked_interleaving(&program));
    let layout = layout(&program, options, context.interleave)?;
    intermediate::optimise(&mut module, &context, observe)?;
    Ok(Lowered { program, module, layout })
}

/// How many groups the source asks for: the entry's `_interleave(n)`, or the largest of a node that the entry reaches, which asks for the
/// kernel that uses it.
fn asked_interleaving(program: &Program) -> Option<u32> {
    let reached = || reachable(program).into_iter().filter_map(|id| program.node(id).interleave).max();
    program.entry().interleave.or_else(reached)
}

/// The layout of a program's entry on a target, handling `groups` groups of instances a call.
fn layout(program: &Program, options: &Options, groups: u32) -> Result<Layout, Diagnostics> {
    let make = if options.packed { Layout::packed } else { Layout::new };
    let width = options.width.unwrap_or(options.target.register_bits());
    make(program, width, groups).map_err(|error| {
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

/// The whole way to C of a program that is computed in slices. The files are called after `stem`. A source with errors `so_far` is
/// checked, but not compiled.
pub fn compile(
    source: &Source,
    stem: &str,
    options: &Options,
    so_far: &Diagnostics,
) -> (Option<Compiled>, Diagnostics) {
    match single::generate(source, stem, options, so_far) {
        (Some(Generated::Sliced(compiled)), diagnostics) => (Some(*compiled), diagnostics),
        (Some(Generated::Single(single)), mut diagnostics) => {
            diagnostics.extend(single::not_sliced(&single.words.program));
            (None, diagnostics)
        }
        (None, diagnostics) => (None, diagnostics),
    }
}

/// Lowers, optimises, and writes C.
pub(crate) fn compile_program(program: Program, stem: &str, options: &Options) -> Result<Compiled, Diagnostics> {
    let lowered = lower(program, options, &mut |_, _| {})?;
    let c = emit(&lowered, stem, options)?;
    Ok(Compiled { stem: stem.to_owned(), lowered, c })
}

fn emit(lowered: &Lowered, stem: &str, options: &Options) -> Result<Output, Diagnostics> {
    let emit_options = culet_emit::Options {
        batch: None,
        target: options.target,
        stem: stem.to_owned(),
        provenance: format!("culet compile {stem}.ua {}", options.arguments()),
    };
    culet_emit::emit_c(&lowered.module, &lowered.program, &lowered.layout, &emit_options)
}

/// A node's parameters and results as one would declare them: `AES128(plain: u<H>16x8, …) -> (cipher: …)`.
pub fn node_signature(program: &Program, node: &Node) -> String {
    let list = |ids: &[culet_types::program::VarId]| {
        let texts: Vec<String> = ids
            .iter()
            .map(|&id| {
                let var = node.var(id);
                format!("{}: {}{}", var.name, if var.shared { "const " } else { "" }, type_name(program, &var.ty))
            })
            .collect();
        texts.join(", ")
    };
    format!("{}({}) -> ({})", node.name, list(&node.params), list(&node.returns))
}

fn type_name(program: &Program, ty: &Ty) -> String {
    let dims: String = ty.dims.iter().map(|d| format!("[{d}]")).collect();
    match ty.atom.field() {
        Some(id) => format!("{}{dims}", program.field(id).name),
        None => format!("u<{}>{}{dims}", slicing_name(ty.atom.slicing).to_uppercase(), ty.atom.bits),
    }
}
