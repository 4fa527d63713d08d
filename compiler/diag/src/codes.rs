//! The registry of diagnostic codes. One file a range; every constant must appear in its file's `ALL`.
//!
//! | range | file | about |
//! |---|---|---|
//! | E01xx W01xx | `syntax` | characters, tokens, grammar, precedence |
//! | E02xx W02xx | `names` | definitions, includes, bindings |
//! | E03xx W03xx | `types` | atoms, shapes, directions, word sizes, literals, static expressions |
//! | E033x E034x | `fields` | fields, conversions, lookups, folds, streams |
//! | E04xx W04xx | `equations` | single assignment, totality, order, updates |
//! | E05xx W05xx | `tables` | tables, permutations, their values and bit orders |
//! | E06xx | `limits` | resource limits |
//! | E07xx W07xx | `targets` | what a slicing or a target cannot do |
//! | E08xx W08xx | `world` | files, compilers, options, the CPU |
//! | E090x | `answers` | known answers and descriptions of primitives |
//! | E091x E092x | `proofs` | machine code that is not proved |

use crate::Code;

pub mod answers;
pub mod equations;
pub mod fields;
pub mod limits;
pub mod names;
pub mod proofs;
pub mod syntax;
pub mod tables;
pub mod targets;
pub mod types;
pub mod world;

/// All codes, in the order of the table above.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [
        syntax::ALL,
        names::ALL,
        types::ALL,
        fields::ALL,
        equations::ALL,
        tables::ALL,
        limits::ALL,
        targets::ALL,
        world::ALL,
        answers::ALL,
        proofs::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The code with this id. The case of its letter does not matter.
///
/// A number alone is that of an error, or of a warning if there is no such error; zeros before it may be missing.
pub fn find(id: &str) -> Option<&'static Code> {
    let number = id.trim_start_matches(['E', 'W', 'e', 'w']);
    let letters = &id[..id.len() - number.len()];
    let of_kind = |kind: &str| all().find(|code| code.id.eq_ignore_ascii_case(&format!("{kind}{number:0>4}")));
    match letters {
        "" => of_kind("E").or_else(|| of_kind("W")),
        _ => of_kind(letters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_by_its_number_too() {
        for (said, found) in
            [("E0320", "E0320"), ("e320", "E0320"), ("320", "E0320"), ("0101", "E0101"), ("w101", "W0101")]
        {
            assert_eq!(find(said).map(|code| code.id), Some(found), "{said}");
        }
        for said in ["", "E", "EE320", "EW0101", "9", "32000", "ä320"] {
            assert!(find(said).is_none(), "{said}");
        }
    }

    /// Each file with its digit and its own text, in the order of the table at the top.
    fn files() -> [(&'static [&'static Code], char, &'static str); 11] {
        [
            (syntax::ALL, '1', include_str!("codes/syntax.rs")),
            (names::ALL, '2', include_str!("codes/names.rs")),
            (types::ALL, '3', include_str!("codes/types.rs")),
            (fields::ALL, '3', include_str!("codes/fields.rs")),
            (equations::ALL, '4', include_str!("codes/equations.rs")),
            (tables::ALL, '5', include_str!("codes/tables.rs")),
            (limits::ALL, '6', include_str!("codes/limits.rs")),
            (targets::ALL, '7', include_str!("codes/targets.rs")),
            (world::ALL, '8', include_str!("codes/world.rs")),
            (answers::ALL, '9', include_str!("codes/answers.rs")),
            (proofs::ALL, '9', include_str!("codes/proofs.rs")),
        ]
    }

    #[test]
    fn every_code_lies_in_the_range_of_its_file() {
        for (codes, digit, _) in files() {
            for code in codes {
                let id: Vec<char> = code.id.chars().collect();
                assert_eq!(id.len(), 5, "{}", code.id);
                assert!(matches!(id[0], 'E' | 'W') && id[1] == '0' && id[2] == digit, "{} in file {digit}", code.id);
                assert!(id[3].is_ascii_digit() && id[4].is_ascii_digit(), "{}", code.id);
            }
        }
    }

    #[test]
    fn every_code_is_listed_once() {
        let mut ids: Vec<_> = all().map(|code| code.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id is used twice");
        for (codes, digit, text) in files() {
            let written = text.matches(" id: \"").count();
            assert_eq!(codes.len(), written, "file {digit}: a code is missing from ALL, or listed twice");
        }
    }

    #[test]
    fn every_code_explains_itself() {
        for code in all() {
            assert!(!code.title.is_empty() && !code.title.ends_with('.') && !code.title.contains('\n'), "{}", code.id);
            let remedy = code.remedy;
            assert!(remedy.len() >= 8 && !remedy.ends_with('.') && !remedy.contains('\n'), "{} has no remedy", code.id);
            assert!(code.explanation.trim().len() >= 40, "{} has no real explanation", code.id);
        }
    }

    #[test]
    fn codes_are_found_whatever_their_case() {
        for code in all() {
            assert_eq!(find(code.id), Some(code));
            assert_eq!(find(&code.id.to_lowercase()), Some(code));
        }
        assert_eq!(find("E9999"), None);
    }
}
