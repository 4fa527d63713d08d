//! Who is fastest, on a machine that is never quiet.
//!
//! Candidates are sampled in turns, so that each round puts all of them into the same weather: what counts is the ratio of
//! a candidate's sample to the same round's sample of another, whatever the clock did from round to round. Medians of such
//! ratios hold as long as less than half of the rounds are disturbed. Each run of the measured program gives its memory
//! other pages, which alone can make a difference of a third; so there are several runs.

use std::collections::BTreeMap;

/// Ticks a byte of some candidates, one sample of each a round.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// For each candidate, its samples; all are equally long.
    pub of: BTreeMap<usize, Vec<f64>>,
}

impl Samples {
    /// Adds the rounds of another run over the same candidates.
    pub fn append(&mut self, other: Samples) {
        for (candidate, samples) in other.of {
            self.of.entry(candidate).or_default().extend(samples);
        }
    }

    /// Rounds that all candidates have.
    pub fn rounds(&self) -> usize {
        self.of.values().map(Vec::len).min().unwrap_or(0)
    }

    /// The median ticks a byte of a candidate.
    pub fn median(&self, candidate: usize) -> Option<f64> {
        self.of.get(&candidate).filter(|samples| !samples.is_empty()).map(|samples| middle(samples.clone()))
    }

    /// How much longer a candidate takes than another: the median of the rounds' ratios.
    pub fn ratio(&self, candidate: usize, to: usize) -> Option<f64> {
        let (samples, others) = (self.of.get(&candidate)?, self.of.get(&to)?);
        let ratios: Vec<f64> = samples.iter().zip(others).map(|(a, b)| a / b).collect();
        (!ratios.is_empty()).then(|| middle(ratios))
    }

    /// The candidates by their ratio to the one with the least median, fastest first.
    pub fn ranking(&self) -> Vec<(usize, f64)> {
        let medians = self.of.keys().filter_map(|&c| self.median(c).map(|median| (c, median)));
        let Some((best, _)) = medians.min_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
        let mut ranking: Vec<(usize, f64)> =
            self.of.keys().filter_map(|&c| self.ratio(c, best).map(|ratio| (c, ratio))).collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranking
    }

    /// How far half of a candidate's samples lie from their median, as a share of it: what the machine's weather does.
    pub fn noise(&self, candidate: usize) -> f64 {
        let Some(median) = self.median(candidate) else { return 0.0 };
        let deviations = self.of[&candidate].iter().map(|sample| (sample - median).abs() / median).collect();
        middle(deviations)
    }
}

/// The median; of no numbers, 0.
pub fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
