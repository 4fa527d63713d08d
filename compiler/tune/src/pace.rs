//! The time that measurements take, and how many fit into what is left.

use std::time::Duration;

use crate::race::Samples;

/// Maximum number of new candidates of a wave, and of those that are measured first, or with little time left: one for
/// each core of a small machine.
pub(crate) const WAVE: usize = 10;
const FEWEST: usize = 2;
/// Share of the time that the samples of the last measurement may take, and the same for what has to be compiled for them.
const LAST: u32 = 4;
/// Numbers of runs and rounds of a wave, and of the last measurement. With little time left, a run of the latter has fewer
/// rounds, so that there are as many runs as possible: only runs that agree show that a choice is faster than the default.
const OF_A_WAVE: (usize, usize) = (3, 7);
const AT_LAST: (usize, usize) = (9, 15);
const FEWEST_ROUNDS_AT_LAST: usize = 3;

/// How much is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Number of runs of the measured program, and of samples of each candidate in a run.
    pub runs: usize,
    pub rounds: usize,
    /// The time, by the laboratory's clock, at which there are no more runs; the first run is made in any case.
    pub until: Option<Duration>,
}

impl Sampling {
    pub(crate) fn of_a_wave(until: Option<Duration>) -> Sampling {
        let (runs, rounds) = OF_A_WAVE;
        Sampling { runs, rounds, until }
    }

    /// Whether there is another run after so many, of which the longest took so long.
    pub fn goes_on(&self, runs: usize, longest: Duration, now: Duration) -> bool {
        runs < self.runs && (runs == 0 || self.until.is_none_or(|until| now + longest <= until))
    }
}

/// The time that candidates take to compile and measure, and samples to be taken.
#[derive(Default)]
pub(crate) struct Pace {
    candidates: u32,
    time: Duration,
    samples: u32,
    sampling: Duration,
}

impl Pace {
    pub fn add(&mut self, candidates: usize, time: Duration) {
        self.candidates += candidates as u32;
        self.time += time;
    }

    pub fn add_samples(&mut self, samples: &Samples) {
        self.samples += (samples.rounds() * samples.of.len()) as u32;
        self.sampling += samples.time;
    }

    /// Whether no candidate was measured yet.
    pub fn is_new(&self) -> bool {
        self.candidates == 0
    }

    /// The time of one candidate.
    pub fn each(&self) -> Duration {
        (self.time / self.candidates.max(1)).max(Duration::from_millis(1))
    }

    /// The number of candidates that fit into the remaining time.
    pub fn at_most(&self, left: Duration) -> usize {
        if self.is_new() {
            return FEWEST;
        }
        ((left.as_secs_f64() / self.each().as_secs_f64()) as usize).clamp(FEWEST, WAVE)
    }

    /// The part of the time that the last measurement needs: for the samples of `finalists`, and to compile those that this search
    /// has not compiled yet.
    pub fn reserve(&self, time: Duration, finalists: usize, to_compile: usize) -> Duration {
        let most = time / LAST;
        let (runs, rounds) = AT_LAST;
        let sampling = match self.samples {
            0 => most,
            samples => self.sampling / samples * (runs * rounds * finalists) as u32,
        };
        most.min(sampling) + most.min(self.each() * to_compile as u32)
    }

    /// How much is sampled of so many candidates at last, with so much time left.
    pub fn at_last(&self, candidates: usize, now: Duration, end: Option<Duration>) -> Sampling {
        let (runs, most) = AT_LAST;
        let rounds = end.map_or(most, |end| {
            let round = (self.sampling / self.samples.max(1) * candidates as u32).max(Duration::from_micros(1));
            let rounds = end.saturating_sub(now).as_secs_f64() / round.as_secs_f64();
            (rounds as usize / runs).clamp(FEWEST_ROUNDS_AT_LAST, most)
        });
        Sampling { runs, rounds, until: end }
    }

    /// The samples of the last measurement where there is time enough.
    pub fn all_at_last() -> usize {
        AT_LAST.0 * AT_LAST.1
    }
}
