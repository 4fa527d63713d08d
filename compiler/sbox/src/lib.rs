//! From tables to circuits: every lookup table becomes a straight-line program over `and or xor andn not`, so that a
//! secret index never reaches memory.
//!
//! [`circuit`] is the whole interface for the compiler. It takes a circuit from the built-in database, which our own
//! search has filled, or synthesises one. Neither the database nor any synthesiser is trusted: a circuit is compared
//! with its table on every input before it is returned.
//!
//! The order of bits is fixed: an index consists of its inputs with input 0 most significant, and output 0 is the most
//! significant bit of the value.

pub mod build;
pub mod circuit;
pub mod database;
pub mod linear;
pub mod mux;
pub mod named;
pub mod near;
pub mod network;
pub mod polarity;
pub mod random;
pub mod reuse;
pub mod rewire;
pub mod search;
mod table;
mod text;
pub mod tower;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub use circuit::{Circuit, Gate, Mismatch, Signal};
pub use table::{MAX_INPUTS, MAX_OUTPUTS, TableError, TableSpec};
pub use text::{Listing, TextError};

static MEMO: LazyLock<Mutex<HashMap<TableSpec, Arc<Circuit>>>> = LazyLock::new(Mutex::default);

/// The best circuit known for `table`, checked on every input. Deterministic.
pub fn circuit(table: &TableSpec) -> Result<Arc<Circuit>, TableError> {
    table.check()?;
    if let Some(known) = MEMO.lock().unwrap_or_else(PoisonError::into_inner).get(table) {
        return Ok(Arc::clone(known));
    }
    let known = database::built_in().find(table);
    let found = Arc::new(known.unwrap_or_else(|| search::search(table, search::Effort::compile_time(table), 0)));
    assert_eq!(found.check(table), Ok(()), "a circuit differs from its table");
    MEMO.lock().unwrap_or_else(PoisonError::into_inner).insert(table.clone(), Arc::clone(&found));
    Ok(found)
}
