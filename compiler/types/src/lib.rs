//! Names, types, monomorphisation, ordering: from a syntax tree to a [`program::Program`].
//!
//! | file | tells |
//! |---|---|
//! | `definitions` | what a program defines; types resolved |
//! | `resolve` | names bound, in every definition |
//! | `instances` | the nodes that there are once everything open is known |
//! | `node` | one node: its names, its static values |
//! | `statements` | equations, loops, `nat` variables |
//! | `places`, `expressions`, `literals`, `calls` | the parts of statements; lifting |
//! | `fields`, `conversions`, `lookups` | elements of fields, bytes, secret positions |
//! | `comparisons`, `powers` | what becomes several operations: `a == b`, `a < b`, `x ^ n` |
//! | `similar` | names that are probably meant by others |
//! | `in_place` | nodes with streams, which are put in place of their calls |
//! | `streams`, `affine` | loops over streams, and those whose iterations can be divided among lanes |
//! | `constants` | values that are computed once |
//! | `public` | secrets that go where public values are wanted; those that a program makes public |
//! | `tables` | tables and perms |
//! | `word_tables` | tables that a word indexes |
//! | `order`, `flat`, `atoms`, `dependencies` | equations checked atom by atom and put in order |
//! | `dump` | the text form of a program, which is source again |
//! | `field` | finite fields: their moduli, and representations that a program pins |
//! | `compat` | published tables with the other bit order |
//!
//! # Decisions
//!
//! - `u8x1` is an atom, and so are `b1` and `u8`; only brackets and lengths above 1 make dimensions.
//! - `'D` and `'m` of a callee are bound by the arguments of each call. A direction that no argument binds is the
//!   caller's, and the request's for the entry; atoms of one bit without any are bitsliced.
//! - An amount of a shift equal to or above the word size is an error, also of a rotation.
//! - `_pipelined` and `lazyLift` are warnings, as published programs have them; every other attribute acts or is an
//!   error where it stands.

mod affine;
mod atoms;
mod calls;
mod comparisons;
mod compat;
mod constants;
mod conversions;
mod definitions;
mod dependencies;
mod dump;
mod expressions;
pub mod field;
mod fields;
mod flat;
mod idioms;
mod in_place;
mod instances;
mod instructions;
mod limits;
mod literals;
mod lookups;
mod node;
mod order;
mod places;
mod powers;
pub mod program;
pub mod public;
mod resolve;
mod shape;
mod shifts;
mod signature;
mod similar;
mod statements;
mod statics;
mod streams;
mod tables;
mod word_tables;

use culet_diag::{Diagnostics, SourceMap, Span};
use culet_syntax::ast;

pub use compat::Compatibility;
pub use instances::is_c_word;
use program::{Program, Slicing};

/// The parts of a request for a program that its text does not give.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// The entry's name; `None` is the last definition.
    pub entry: Option<&'r str>,
    /// The direction for which `'D` stands.
    pub slicing: Option<Slicing>,
    /// The word size for which `'m` stands in the entry.
    pub word: Option<u32>,
    /// Published tables to be read least significant bit first.
    pub lsb_first_tables: &'r Compatibility,
    /// The source texts of the items, which give the file names for that list.
    pub sources: Option<&'r SourceMap>,
}

/// Checks every definition and elaborates the program of the entry.
///
/// Included files have been spliced into `items`. There is a program if and only if no diagnostic is an error and the
/// parser could read every part of the syntax tree.
pub fn elaborate(items: &[ast::Item], request: &Request<'_>) -> (Option<Program>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let items = constants::as_nodes(items);
    let definitions = check(&items, &mut diagnostics);
    let (program, found) = instances::Elaborator::new(&definitions, request).run();
    diagnostics.extend(found);
    // A program that is wrong has other things to say.
    if !diagnostics.has_errors() {
        resolve::unread_parameters(&definitions, &mut diagnostics);
    }
    (program.filter(|_| !diagnostics.has_errors()), sorted(diagnostics))
}

/// Checks the definitions of a program of which the parser could not read all, as far as they do not depend on a request:
/// names, types, tables and perms. A definition or a value that is missing may be what was not read, and is not reported.
pub fn check_what_was_read(items: &[ast::Item]) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    check(&constants::as_nodes(items), &mut diagnostics);
    let missing = ["E0201", "E0202", "E0209", "E0308", "E0403"];
    let mut found = Diagnostics::new();
    sorted(diagnostics).into_iter().filter(|found| !missing.contains(&found.code.id)).for_each(|kept| found.push(kept));
    found
}

/// The nodes with parameters that no other definition uses, in order, each with its place. The last definition is the entry
/// of a request that names none.
pub fn unused_nodes(items: &[ast::Item]) -> Vec<(String, Span)> {
    let items = constants::as_nodes(items);
    let mut ignored = Diagnostics::new();
    let definitions = definitions::Definitions::new(&items, &mut ignored);
    let used = resolve::resolve(&definitions, &mut ignored);
    let unused = definitions.list.iter().enumerate().filter(|(position, _)| !used.contains(position));
    let nodes = unused.filter(|(_, definition)| definition.is_node() && !definition.params.is_empty());
    nodes.map(|(_, definition)| (definition.name.name.clone(), definition.name.span)).collect()
}

fn check<'a>(items: &'a [ast::Item], diagnostics: &mut Diagnostics) -> definitions::Definitions<'a> {
    let definitions = definitions::Definitions::new(items, diagnostics);
    resolve::resolve(&definitions, diagnostics);
    tables::check(&definitions, diagnostics);
    definitions
}

/// Sorts diagnostics by place, and drops repetitions of one finding at one place.
fn sorted(diagnostics: Diagnostics) -> Diagnostics {
    let mut all: Vec<_> = diagnostics.into_iter().collect();
    all.sort_by_key(|d| d.span.map(|span| (span.file, span.start, span.end)));
    all.dedup_by(|a, b| a.span == b.span && a.code == b.code && a.message == b.message);
    all.into_iter().fold(Diagnostics::new(), |mut sorted, diagnostic| {
        sorted.push(diagnostic);
        sorted
    })
}
