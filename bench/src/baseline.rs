//! usubac's measured figures: `bench/data/usubac-baseline.tsv`.

use std::collections::BTreeMap;

/// A cipher in a slicing on an architecture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub cipher: String,
    pub slicing: String,
    pub architecture: String,
}

const TABLE: &str = include_str!("../data/usubac-baseline.tsv");

/// Core cycles per tick of the machine that measured the table, when quiet.
pub const CORE_CYCLES_PER_TICK: f64 = 1.53;

/// The best median, in ticks a byte, over variants, compilers and flags, of every row.
pub fn best() -> BTreeMap<Row, f64> {
    let mut best = BTreeMap::new();
    for line in TABLE.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [cipher, slicing, architecture, _, _, _, median, ..] = fields[..] else { continue };
        let Ok(median) = median.parse::<f64>() else { continue };
        let row = Row { cipher: cipher.into(), slicing: slicing.into(), architecture: architecture.into() };
        best.entry(row).and_modify(|b: &mut f64| *b = b.min(median)).or_insert(median);
    }
    best
}
