//! Sums over GF(2) with few additions.

use crate::build::Builder;
use crate::circuit::Signal;
use crate::random::Random;

/// The sums of all rows, each of which is a set of `terms`, by Paar's greedy method: the pair of terms that most rows
/// have in common becomes a new term, with ties broken at random.
pub fn synthesise(builder: &mut Builder, terms: &[Signal], rows: &[u64], random: &mut Random) -> Vec<Signal> {
    let mut signals = terms.to_vec();
    let mut columns: Vec<u64> =
        (0..terms.len()).map(|i| (0..).zip(rows).fold(0, |column, (r, row)| column | (row >> i & 1) << r)).collect();
    while let Some((i, j)) = most_common_pair(&columns, random) {
        let shared = columns[i] & columns[j];
        columns[i] ^= shared;
        columns[j] ^= shared;
        columns.push(shared);
        signals.push(builder.xor(signals[i], signals[j]));
    }
    let of_row = |row: usize| columns.iter().position(|column| column >> row & 1 == 1);
    (0..rows.len()).map(|row| of_row(row).map_or(Signal::Zero, |i| signals[i])).collect()
}

fn most_common_pair(columns: &[u64], random: &mut Random) -> Option<(usize, usize)> {
    let (mut best, mut count, mut pair) = (0, 0, None);
    for (j, column) in columns.iter().enumerate() {
        for (i, other) in columns[..j].iter().enumerate() {
            let common = (column & other).count_ones();
            if common == 0 || common < best {
                continue;
            }
            if common > best {
                (best, count) = (common, 0);
            }
            count += 1;
            if random.below(count) == 0 {
                pair = Some((i, j));
            }
        }
    }
    pair
}
