//! The registry of diagnostic codes. One file a range; every constant must appear in its file's `ALL`.
//!
//! | range | file | about |
//! |---|---|---|
//! | E01xx W01xx | `syntax` | characters, tokens, grammar, precedence |
//! | E02xx W02xx | `names` | definitions, includes, bindings |
//! | E03xx W03xx | `types` | atoms, shapes, directions, word sizes, literals, static expressions |
//! | E04xx W04xx | `equations` | single assignment, totality, order, updates |
//! | E05xx W05xx | `tables` | tables, permutations, their values and bit orders |
//! | E06xx | `limits` | resource limits |
//! | E07xx W07xx | `targets` | what a slicing or a target cannot do |
//! | E08xx W08xx | `world` | files, compilers, options, the CPU |
//! | E09xx | `answers` | known answers and descriptions of primitives |

use crate::Code;

pub mod answers;
pub mod equations;
pub mod limits;
pub mod names;
pub mod syntax;
pub mod tables;
pub mod targets;
pub mod types;
pub mod world;

/// Every code there is, in the order of the table above.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [
        syntax::ALL,
        names::ALL,
        types::ALL,
        equations::ALL,
        tables::ALL,
        limits::ALL,
        targets::ALL,
        world::ALL,
        answers::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The code with this id, whatever the case of its letter.
pub fn find(id: &str) -> Option<&'static Code> {
    all().find(|code| code.id.eq_ignore_ascii_case(id))
}
