//! Comparing the speed of candidates on a noisy machine.
//!
//! Candidates are sampled in turns, so that the conditions of one round are the same for all of them. A candidate's
//! sample is compared with another candidate's sample of the same round by their ratio, which does not depend on
//! changes of the clock between rounds. The median of such ratios is right as long as less than half of the rounds are
//! disturbed. Each run of the measured program places its code and its memory elsewhere, which alone can make a difference of a
//! third, and of half for some bitsliced kernels; therefore there are several runs. A candidate is surely faster than another only if
//! the runs agree about it.

use std::collections::BTreeMap;
use std::time::Duration;

/// The quantiles of Student's t for 99 %, with 1 to 8 degrees of freedom.
const STUDENT: [f64; 8] = [31.82, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896];

/// Ticks a byte of some candidates, one sample of each in every round.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// The samples of each candidate; all lists have the same length.
    pub of: BTreeMap<usize, Vec<f64>>,
    /// Number of rounds of each run, in their order.
    pub runs: Vec<usize>,
    /// The time that it took to take them.
    pub time: Duration,
}

impl Samples {
    /// Adds the rounds of another run over the same candidates.
    pub fn append(&mut self, other: Samples) {
        for (candidate, samples) in other.of {
            self.of.entry(candidate).or_default().extend(samples);
        }
        self.runs.extend(other.runs);
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

    /// A candidate's time relative to another's in each run.
    fn ratios_of_runs(&self, candidate: usize, to: usize) -> Vec<f64> {
        let (Some(samples), Some(others)) = (self.of.get(&candidate), self.of.get(&to)) else { return Vec::new() };
        let mut ratios = samples.iter().zip(others).map(|(a, b)| a / b);
        self.runs.iter().map(|&rounds| middle(ratios.by_ref().take(rounds).collect())).collect()
    }

    /// Whether a candidate takes less than the share `least` of another's time: if it did not, runs that differ as much as these would
    /// say so once in a hundred times.
    pub fn is_surely_faster(&self, candidate: usize, than: usize, least: f64) -> bool {
        let ratios: Vec<f64> = self.ratios_of_runs(candidate, than).into_iter().map(f64::ln).collect();
        let freedom = ratios.len().saturating_sub(1).min(STUDENT.len());
        let Some(quantile) = freedom.checked_sub(1).map(|place| STUDENT[place]) else { return false };
        let count = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / count;
        let variance = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (count - 1.0);
        mean + quantile * (variance / count).sqrt() < least.ln()
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
