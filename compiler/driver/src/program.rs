//! From a loaded source to a program.

use std::sync::LazyLock;

use culet_diag::codes::limits;
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_types::Compatibility;
use culet_types::program::{Node, Program, Ty};

use crate::intermediate;
use crate::load::{Source, node_name};
use crate::options::{Options, slicing_name};

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
    let Some(mut program) = program else { return (None, in_file(diagnostics, source)) };
    if let Err(node) = culet_meaning::evaluate_constants(&mut program) {
        let node = program.node(node);
        let message = format!("computing the constant `{}` takes too many steps", node.name);
        diagnostics.push(Diagnostic::error(&limits::E0605, node.span, message));
        return (None, diagnostics);
    }
    (Some(program), diagnostics)
}

/// Gives diagnostics about the whole program a place: the beginning of the main file.
fn in_file(diagnostics: Diagnostics, source: &Source) -> Diagnostics {
    let mut placed = Diagnostics::new();
    for mut diagnostic in diagnostics {
        diagnostic.span = diagnostic.span.or(source.main.map(|file| Span::new(file, 0, 0)));
        placed.push(diagnostic);
    }
    placed
}

/// The nodes of the main file that nothing in it uses, in order: those that somebody may want to compile.
fn unused_nodes(source: &Source) -> Vec<String> {
    let all = culet_types::unused_nodes(&source.items);
    all.into_iter().filter(|(_, span)| Some(span.file) == source.main).map(|(name, _)| name).collect()
}

/// A sentence on nodes that may have been meant in place of the entry, if the options name no node and there are others.
pub fn other_nodes(source: &Source, options: &Options) -> Option<String> {
    let unused = unused_nodes(source);
    // Nothing uses the last node, which is the entry.
    let (entry, others) = unused.split_last()?;
    let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
    let is_open = options.node.is_none() && !others.is_empty();
    let list = others.join(", ");
    let is_namesake = |name: &&str| name.eq_ignore_ascii_case(&source.stem) && unused.iter().all(|other| other != name);
    let namesake = source.items.iter().filter_map(node_name).find(is_namesake);
    let namesake = namesake.map_or_else(String::new, |name| format!("; or `{name}`, named like the file"));
    is_open.then(|| {
        format!("`{entry}` is the last node; `--node` chooses another one that nothing calls: {list}{namesake}")
    })
}

/// The published tables that need the other bit order.
fn published_tables() -> &'static Compatibility {
    static PUBLISHED: LazyLock<Compatibility> = LazyLock::new(Compatibility::published);
    &PUBLISHED
}

/// A node's parameters and results as one would declare them: `AES128(plain: u<H>16x8, …) -> (cipher: …)`.
pub fn node_signature(program: &Program, node: &Node) -> String {
    let list = |ids: &[culet_types::program::VarId]| {
        let texts: Vec<String> = ids
            .iter()
            .map(|&id| {
                let var = node.var(id);
                let (shared, stream) = (if var.shared { "const " } else { "" }, if var.stream { "[*]" } else { "" });
                format!("{}: {shared}{}{stream}", var.name, type_name(program, &var.ty))
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
