//! From text to syntax tree and back: the lexer, a recursive-descent parser that continues after errors, and the
//! printer.

pub mod ast;
mod erase;
pub mod instruction;
mod lexer;
mod parser;
mod precedence;
mod print;
mod suggest;
mod token;

pub use erase::erase_spans;
pub use print::{Printer, print, print_expr, print_type};

use culet_diag::{Diagnostics, FileId};

/// Reads one file. The tree can always be inspected. If the diagnostics contain an error, definitions and statements
/// may be missing from it, and [`ast::ExprKind::Error`] may occur in it.
///
/// Takes time and memory proportional to the text, and a bounded amount of stack.
pub fn parse(file: FileId, text: &str) -> (ast::File, Diagnostics) {
    parse_part(file, text, false)
}

/// As [`parse`], for a file of a program whose other files may define a field: beside one, `^` and a number are a power.
pub fn parse_part(file: FileId, text: &str, has_fields: bool) -> (ast::File, Diagnostics) {
    let (tokens, lexical) = lexer::lex(file, text);
    let mut parser = parser::Parser::new(file, text, tokens, lexical);
    parser.has_fields |= has_fields;
    let tree = parser.file();
    (tree, parser.into_diagnostics())
}

/// Reads the definition of a field by itself, `GF(p)` or `GF2(f)`. Returns whether it is `GF2`, and the modulus.
///
/// # Errors
///
/// All diagnostics, if one of them is an error.
pub fn parse_field(file: FileId, text: &str) -> Result<(bool, ast::Expr), Diagnostics> {
    let (tokens, lexical) = lexer::lex(file, text);
    let mut parser = parser::Parser::new(file, text, tokens, lexical);
    let family = parser.only_family();
    let diagnostics = parser.into_diagnostics();
    family.filter(|_| !diagnostics.has_errors()).ok_or(diagnostics)
}
