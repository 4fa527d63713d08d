//! Elaborates texts to programs, for tests.

use culet_diag::{Diagnostics, FileId};
use culet_types::program::{Program, Slicing};
use culet_types::{Compatibility, Request};

/// The program of a text without includes; its entry is the last definition. `slicing` is the direction for which `'D`
/// stands, `word` the size for which `'m` stands in the entry. Errors are those of the parser or of the elaborator;
/// warnings are dropped.
pub fn program_of(text: &str, slicing: Option<Slicing>, word: Option<u32>) -> Result<Program, Diagnostics> {
    program_of_node(text, None, slicing, word)
}

/// Like [`program_of`], with an entry given by name.
pub fn program_of_node(
    text: &str,
    entry: Option<&str>,
    slicing: Option<Slicing>,
    word: Option<u32>,
) -> Result<Program, Diagnostics> {
    let (tree, diagnostics) = culet_syntax::parse(FileId(0), text);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let compatibility = Compatibility::default();
    let request = Request { entry, slicing, word, lsb_first_tables: &compatibility, sources: None };
    let (program, diagnostics) = culet_types::elaborate(&tree.items, &request);
    program.ok_or(diagnostics)
}
