//! Comparing the speed of candidates on a noisy machine.
//!
//! Candidates are sampled in turns, so that the conditions of one round are the same for all of them. A candidate's
//! sample is compared with another candidate's sample of the same round by their ratio, which does not depend on
//! changes of the clock between rounds. The median of such ratios is right as long as less than half of the rounds are
//! disturbed. Each run of the measured program places its memory in other pages, which alone can make a difference of a
//! third; therefore there are several runs.

use std::collections::BTreeMap;
use std::time::Duration;

/// Ticks a byte of some candidates, one sample of each in every round.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// The samples of each candidate; all lists have the same length.
    pub of: BTreeMap<usize, Vec<f64>>,
    /// The time that it took to take them.
    pub time: Duration,
}

impl Samples {
    /// Adds the rounds of another run over the same candidates.
    pub fn append(&mut self, other: Samples) {
        for (candidate, samples) in other.of {
            self.of.entry(candidate).or_default().extend(samples);
        }
        self.time += other.time;
    }

    /// Number of rounds that all candidates have.
    pub fn rounds(&self) -> usize {
        self.of.values().map(Vec::len).min().unwrap_or(0)
    }

    /// The median ticks a byte of a candidate.
    pub fn median(&self, candidate: usize) -> Option<f64> {
        self.of.get(&candidate).filter(|samples| !samples.is_empty()).map(|samples| middle(samples.clone()))
    }

    /// A candidate's time relative to another's: the median of the rounds' ratios.
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

    /// The median distance of a candidate's samples from their median, as a share of it. It shows how noisy the machine
    /// is.
    pub fn noise(&self, candidate: usize) -> f64 {
        let Some(median) = self.median(candidate) else { return 0.0 };
        let deviations = self.of[&candidate].iter().map(|sample| (sample - median).abs() / median).collect();
        middle(deviations)
    }
}

/// The median; 0 if there are no numbers.
pub fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
