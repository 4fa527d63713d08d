//! Sets of offsets.

use std::collections::BTreeMap;
use std::ops::Range;

/// Sorted disjoint ranges: the start of each, and its end.
#[derive(Debug, Clone, Default)]
pub struct Spans(BTreeMap<i64, i64>);

impl Spans {
    pub fn add(&mut self, range: Range<i64>) {
        let before = self.0.range(..=range.start).next_back().filter(|&(_, &there)| there >= range.start);
        let (start, there) = before.map_or((range.start, range.start), |(&start, &there)| (start, there));
        if there >= range.end {
            return;
        }
        let mut end = range.end;
        while let Some((&touching, &there)) = self.0.range(start + 1..=end).next() {
            self.0.remove(&touching);
            end = end.max(there);
        }
        self.0.insert(start, end);
    }

    pub fn remove(&mut self, range: &Range<i64>) {
        while let Some((start, end)) = self.last_in(range) {
            self.0.remove(&start);
            if start < range.start {
                self.0.insert(start, range.start);
            }
            if range.end < end {
                self.0.insert(range.end, end);
            }
        }
    }

    /// Whether a range has an offset of the set.
    pub fn meets(&self, range: &Range<i64>) -> bool {
        self.last_in(range).is_some()
    }

    pub fn iter(&self) -> impl Iterator<Item = Range<i64>> {
        self.0.iter().map(|(&start, &end)| start..end)
    }

    /// Returns the last range of the set that overlaps this one.
    fn last_in(&self, range: &Range<i64>) -> Option<(i64, i64)> {
        let last = self.0.range(..range.end).next_back().map(|(&start, &end)| (start, end));
        last.filter(|&(_, end)| end > range.start && !range.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use culet_testing::Rng;

    use super::Spans;

    #[test]
    fn spans_are_sets_of_distances() {
        let mut random = Rng::new(1);
        for _ in 0..200 {
            let (mut spans, mut set) = (Spans::default(), BTreeSet::new());
            for _ in 0..40 {
                let start = random.below(40) as i64 - 20;
                let range = start..start + random.below(8) as i64;
                if random.below(2) == 0 {
                    spans.add(range.clone());
                    set.extend(range);
                } else {
                    spans.remove(&range);
                    set.retain(|at| !range.contains(at));
                }
                assert_eq!(spans.iter().flatten().collect::<BTreeSet<i64>>(), set);
                let asked = start..start + random.below(5) as i64;
                assert_eq!(spans.meets(&asked), asked.clone().any(|at| set.contains(&at)), "{asked:?} in {spans:?}");
                let (starts, ends): (Vec<i64>, Vec<i64>) = spans.iter().map(|span| (span.start, span.end)).unzip();
                assert!(ends.iter().zip(&starts[starts.len().min(1)..]).all(|(end, start)| end < start), "{spans:?}");
            }
        }
    }
}
