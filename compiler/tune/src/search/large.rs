//! The search while nothing fits into the budget: it goes towards fewer bytes.

use super::{BEAM, Search, State};

impl Search<'_> {
    /// The candidates whose neighbours are tried: the best few; while none fits into the budget, those that come nearest to it.
    pub(super) fn parents(&self) -> Vec<usize> {
        let best = self.best(BEAM);
        if !best.is_empty() {
            return best;
        }
        let mut large = self.large();
        large.sort_unstable();
        large.into_iter().take(BEAM).map(|(_, id)| id).collect()
    }

    /// The candidates that do not fit into the budget, with the bytes that are too many.
    pub(super) fn large(&self) -> Vec<(u64, usize)> {
        let excess = |id: usize| match self.candidates[id].state {
            State::Large(excess) => Some((excess, id)),
            _ => None,
        };
        (0..self.candidates.len()).filter_map(excess).collect()
    }

    pub(super) fn least_excess(&self) -> u64 {
        self.large().into_iter().map(|(excess, _)| excess).min().unwrap_or(u64::MAX)
    }
}
