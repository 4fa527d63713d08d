//! From text to syntax tree and back: lexer, recursive-descent parser that keeps going after errors, printer.

pub mod ast;
mod erase;
mod lexer;
mod parser;
mod precedence;
mod print;
mod suggest;
mod token;

pub use erase::erase_spans;
pub use print::{Printer, print, print_expr, print_type};

use culet_diag::{Diagnostics, FileId};

/// Reads one file. The tree is always complete enough to be looked at; where the diagnostics hold an error, definitions
/// and statements may be missing from it, and [`ast::ExprKind::Error`] may occur in it.
///
/// Takes time and memory proportional to the text, and a bounded amount of stack.
pub fn parse(file: FileId, text: &str) -> (ast::File, Diagnostics) {
    let (tokens, lexical) = lexer::lex(file, text);
    let mut parser = parser::Parser::new(file, text, tokens, lexical);
    let tree = parser.file();
    (tree, parser.into_diagnostics())
}

/// Reads what defines a field, `GF(p)` or `GF2(f)`, by itself: whether it is `GF2`, and the modulus.
///
/// # Errors
///
/// Everything found, where something is an error.
pub fn parse_field(file: FileId, text: &str) -> Result<(bool, ast::Expr), Diagnostics> {
    let (tokens, lexical) = lexer::lex(file, text);
    let mut parser = parser::Parser::new(file, text, tokens, lexical);
    let family = parser.only_family();
    let diagnostics = parser.into_diagnostics();
    family.filter(|_| !diagnostics.has_errors()).ok_or(diagnostics)
}
