//! From a text to a program, for tests.

use culet_diag::{Diagnostics, FileId};
use culet_types::program::{Program, Slicing};
use culet_types::{Compatibility, Request};

/// The program of a text without includes; its entry is the last definition. `slicing` is what `'D` stands for, `word`
/// what `'m` stands for in the entry. Errors are those of the parser or of the elaborator; warnings are dropped.
pub fn program_of(text: &str, slicing: Option<Slicing>, word: Option<u32>) -> Result<Program, Diagnostics> {
    program_of_node(text, None, slicing, word)
}

/// As [`program_of`], with an entry by name.
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
