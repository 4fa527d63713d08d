//! The instructions that wrote a region, for messages about errors in it.

use std::collections::BTreeMap;

/// The last store at each offset where a store began.
#[derive(Debug, Clone, Default)]
pub struct Writers(BTreeMap<i64, Store>);

#[derive(Debug, Clone, Copy)]
struct Store {
    end: i64,
    /// Later stores have higher numbers.
    number: u64,
    /// Address of the instruction.
    address: u64,
}

/// Size of the longest store in bytes.
const LONGEST: i64 = 64;

impl Writers {
    pub(super) fn add(&mut self, range: std::ops::Range<i64>, number: u64, address: u64) {
        self.0.insert(range.start, Store { end: range.end, number, address });
    }

    /// Returns the address of the instruction that wrote a byte last.
    pub fn last(&self, offset: i64) -> Option<u64> {
        let around = self.0.range(offset - LONGEST + 1..=offset).map(|(_, store)| store);
        around.filter(|store| store.end > offset).max_by_key(|store| store.number).map(|store| store.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_store_counts() {
        let mut writers = Writers::default();
        writers.add(0..8, 1, 0x10);
        writers.add(4..68, 2, 0x20);
        writers.add(2..4, 3, 0x30);
        writers.add(-8..4, 4, 0x40);
        writers.add(2..4, 5, 0x50);
        let found = [-9, -8, 1, 2, 3, 4, 67, 68].map(|offset| writers.last(offset));
        let expected = [None, Some(0x40), Some(0x40), Some(0x50), Some(0x50), Some(0x20), Some(0x20), None];
        assert_eq!(found, expected);
    }
}
