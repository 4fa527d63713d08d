//! From text to syntax tree and back: lexer, recursive-descent parser that keeps going after errors, printer.

pub mod ast;
