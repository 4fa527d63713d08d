//! Published tables that need the other bit order.
//!
//! The published compiler finds circuits for well-known tables in a database that mixes bit orders. Some published
//! programs are therefore right only if the first atom of a table is the least significant bit. This file reads the
//! list of these tables. A table is on the list only if the stem of its file, its name, its index in its family and all
//! its values match; the caller decides whether the list is used at all.

use std::path::Path;

use culet_diag::codes::tables;
use culet_diag::{Diagnostic, SourceMap, Span};
use serde::Deserialize;

/// A list of tables to be read least significant bit first; empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compatibility {
    tables: Vec<ListedTable>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedTable {
    /// Stems of the files that may define it.
    files: Vec<String>,
    name: String,
    /// The index in the family; absent for a table outside a family.
    index: Option<usize>,
    values: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFile {
    #[serde(default)]
    table: Vec<ListedTable>,
}

impl Compatibility {
    /// The list that comes with the compiler: the tables of published Serpent, Rectangle and Clyde.
    pub fn published() -> Self {
        // A test checks that it parses.
        Self::parse(include_str!("../compat/published-tables.toml")).unwrap_or_default()
    }

    /// Reads a list in the format of `compat/published-tables.toml`.
    pub fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        match toml::from_str::<ListFile>(text) {
            Ok(file) => Ok(Compatibility { tables: file.table }),
            Err(error) => {
                let message = format!("the compatibility list cannot be read: {}", error.message());
                Err(Box::new(Diagnostic::error_without_place(&tables::E0506, message)))
            }
        }
    }

    /// Whether the table at `place` is on the list.
    pub(crate) fn lists(
        &self,
        sources: Option<&SourceMap>,
        place: Span,
        name: &str,
        index: Option<usize>,
        values: &[u64],
    ) -> bool {
        let same = |t: &&ListedTable| t.name == name && t.index == index && t.values == values;
        let Some(listed) = self.tables.iter().find(same) else { return false };
        let path = sources.map(|sources| sources.get(place.file).path.as_path());
        let stem = path.and_then(Path::file_stem).and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| listed.files.iter().any(|f| f == stem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use culet_diag::FileId;

    #[test]
    fn the_published_list_is_read() {
        let list = Compatibility::parse(include_str!("../compat/published-tables.toml")).unwrap();
        assert_eq!(list, Compatibility::published());
        assert!(!list.tables.is_empty());
        assert!(list.tables.iter().all(|t| t.values.len() == 16));
    }

    #[test]
    fn file_name_index_and_values_all_count() {
        let text = "[[table]]\nfiles = [\"a\"]\nname = \"s\"\nvalues = [1, 0]\n";
        let list = Compatibility::parse(text).unwrap();
        let mut sources = SourceMap::new();
        sources.add("dir/a.ua", String::new());
        sources.add("dir/b.ua", String::new());
        let place = |file| Span::new(FileId(file), 0, 0);
        let listed = |file, name, index, values: &[u64]| list.lists(Some(&sources), place(file), name, index, values);
        assert!(listed(0, "s", None, &[1, 0]));
        assert!(!listed(1, "s", None, &[1, 0]));
        assert!(!listed(0, "t", None, &[1, 0]));
        assert!(!listed(0, "s", Some(0), &[1, 0]));
        assert!(!listed(0, "s", None, &[0, 1]));
        assert!(!list.lists(None, place(0), "s", None, &[1, 0]));
    }

    #[test]
    fn a_wrong_list_is_a_diagnostic() {
        for text in ["[[table]]\nname = 3", "[[table", "tables = 1"] {
            assert_eq!(Compatibility::parse(text).unwrap_err().code, &tables::E0506);
        }
    }
}
