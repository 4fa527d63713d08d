//! Circuits that longer searches have found, kept as text. They are not trusted: an entry counts only if it agrees with
//! its table on every input.

use std::fmt;
use std::sync::LazyLock;

use crate::circuit::{Circuit, Mismatch, Signal};
use crate::table::{TableError, TableSpec};
use crate::text::{Listing, TextError};

/// Circuits by their tables.
#[derive(Debug, Default)]
pub struct Database {
    entries: Vec<(TableSpec, Circuit)>,
}

/// The reason why a file is not an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryError {
    Text(TextError),
    NoTable,
    Table(TableError),
    /// The circuit does not agree with the table.
    Wrong(Mismatch),
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryError::Text(error) => error.fmt(f),
            EntryError::NoTable => write!(f, "there is no `table` line"),
            EntryError::Table(error) => error.fmt(f),
            EntryError::Wrong(Mismatch::Value { index, output }) => {
                write!(f, "the circuit differs from the table at index {index}, output {output}")
            }
            EntryError::Wrong(_) => write!(f, "the circuit does not have the inputs and outputs of the table"),
        }
    }
}

impl std::error::Error for EntryError {}

/// The database in `compiler/sbox/database`.
pub fn built_in() -> &'static Database {
    static BUILT_IN: LazyLock<Database> = LazyLock::new(|| {
        let mut database = Database::default();
        for (_, text) in FILES {
            // A test shows that no entry is rejected. The table of a rejected entry would be synthesised instead.
            let _ = database.add(text);
        }
        database
    });
    &BUILT_IN
}

impl Database {
    /// Adds an entry from its text, if its circuit computes its table.
    pub fn add(&mut self, text: &str) -> Result<(), EntryError> {
        let Listing { circuit, table } = text.parse().map_err(EntryError::Text)?;
        let values = table.ok_or(EntryError::NoTable)?;
        let outputs = circuit.outputs.len() as u32;
        let table = TableSpec::new(circuit.inputs, outputs, values).map_err(EntryError::Table)?;
        circuit.check(&table).map_err(EntryError::Wrong)?;
        self.entries.push((table, circuit));
        Ok(())
    }

    /// The circuit for `table`, if an entry equals `table` up to the order of inputs and outputs. With more than six
    /// inputs, only the given and the opposite order of inputs are tried.
    pub fn find(&self, table: &TableSpec) -> Option<Circuit> {
        let wanted = outputs(table);
        let weights = weights(&wanted);
        let mut orders = None;
        for (known, circuit) in self.entries.iter().filter(|(known, _)| known.inputs == table.inputs) {
            let candidates = outputs(known);
            if self::weights(&candidates) != weights {
                continue;
            }
            for order in orders.get_or_insert_with(|| input_orders(table.inputs)) {
                if let Some(found) = matching(&outputs(&known.with_inputs(order)), &wanted) {
                    return Some(renamed(circuit, order, &found));
                }
            }
        }
        None
    }
}

fn outputs(table: &TableSpec) -> Vec<Vec<u64>> {
    (0..table.outputs).map(|output| table.truth(output)).collect()
}

/// The number of ones of each output, sorted. No renaming changes it.
fn weights(outputs: &[Vec<u64>]) -> Vec<u32> {
    let mut weights: Vec<u32> = outputs.iter().map(|words| words.iter().map(|word| word.count_ones()).sum()).collect();
    weights.sort_unstable();
    weights
}

fn input_orders(inputs: u32) -> Vec<Vec<u32>> {
    if inputs > 6 {
        return vec![(0..inputs).collect(), (0..inputs).rev().collect()];
    }
    let mut orders = vec![vec![]];
    for input in 0..inputs {
        let insert = |order: Vec<u32>| {
            (0..=order.len()).rev().map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, input);
                longer
            })
        };
        orders = orders.into_iter().flat_map(insert).collect();
    }
    orders
}

/// For every wanted output, the index of the equal candidate.
fn matching(candidates: &[Vec<u64>], wanted: &[Vec<u64>]) -> Option<Vec<usize>> {
    wanted.iter().map(|output| candidates.iter().position(|candidate| candidate == output)).collect()
}

/// The circuit for the renamed table: `known.with_inputs(order)` has the values of `known` with input `order[i]`
/// replaced by input `i`.
fn renamed(circuit: &Circuit, order: &[u32], outputs: &[usize]) -> Circuit {
    let mut places = vec![0; order.len()];
    for (place, &input) in (0..).zip(order) {
        places[input as usize] = place;
    }
    let renamed = circuit.with_inputs(&places);
    let outputs: Vec<Signal> = outputs.iter().map(|&output| renamed.outputs[output]).collect();
    crate::build::without_dead_gates(&Circuit { outputs, ..renamed })
}

macro_rules! files {
    ($($name:literal)*) => {
        /// The names and texts of the files.
        pub const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../database/", $name, ".circuit")))),*];
    };
}

files! {
    "aes"
    "aes_inverse"
    "ascon"
    "ascon_inverse"
    "clyde"
    "clyde_inverse"
    "des_1"
    "des_2"
    "des_3"
    "des_4"
    "des_5"
    "des_6"
    "des_7"
    "des_8"
    "present"
    "present_inverse"
    "pyjamask"
    "pyjamask_inverse"
    "rectangle"
    "rectangle_inverse"
    "serpent_0"
    "serpent_0_inverse"
    "serpent_1"
    "serpent_1_inverse"
    "serpent_2"
    "serpent_2_inverse"
    "serpent_3"
    "serpent_3_inverse"
    "serpent_4"
    "serpent_4_inverse"
    "serpent_5"
    "serpent_5_inverse"
    "serpent_6"
    "serpent_6_inverse"
    "serpent_7"
    "serpent_7_inverse"
    "skinny"
    "skinny_inverse"
    "spongent"
    "spongent_inverse"
}
