//! Large tables that several functions of a file have: they stand before the functions, once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::graph::Ty;
use super::syntax::Syntax;
use crate::names::{Distinct, identifier};

/// Bytes of the smallest table that functions share: a shorter one is read more easily where it is used.
const LEAST_BYTES: usize = 128;

/// The constants of an array.
#[derive(Debug)]
pub(crate) struct Table {
    /// The program's name for it.
    pub name: String,
    pub ty: Ty,
    pub values: Vec<u64>,
}

impl Table {
    /// Whether another one holds the same, whatever its name is.
    pub fn is_same(&self, other: &Table) -> bool {
        self.ty == other.ty && self.values == other.values
    }
}

/// The names of the tables that functions share, by what they hold.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    names: HashMap<(Ty, Vec<u64>), String>,
}

impl Shared {
    /// Those of the functions' tables that are there twice. No function gives one of its own twice. Names begin with the prefix.
    pub fn of(
        tables: impl Iterator<Item = Table>,
        prefix: &str,
        distinct: &mut Distinct,
        syntax: &dyn Syntax,
    ) -> Shared {
        let mut first: HashMap<(Ty, Vec<u64>), String> = HashMap::new();
        let mut names = HashMap::new();
        for Table { name, ty, values } in tables {
            if values.len() * ty.memory_bits() as usize / 8 < LEAST_BYTES {
                continue;
            }
            match first.entry((ty, values)) {
                Entry::Vacant(entry) => {
                    entry.insert(name);
                }
                Entry::Occupied(entry) => {
                    names.entry(entry.key().clone()).or_insert_with(|| {
                        distinct.take(&syntax.cased(&format!("{prefix}_{}", identifier(entry.get())), true))
                    });
                }
            }
        }
        Shared { names }
    }

    /// The name of a table that functions share.
    pub fn name(&self, table: &Table) -> Option<&str> {
        self.names.get(&(table.ty, table.values.clone())).map(String::as_str)
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.names.values()
    }
}
