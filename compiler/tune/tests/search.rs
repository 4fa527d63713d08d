//! The search on simulated machines, with known speeds under noise, drift and failures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use culet_driver::Options;
use culet_ir::Target;
use culet_native::CCompiler;
use culet_passes::{Amount, Goal, Schedule};
use culet_tune::{Choice, Laboratory, Limits, Prepared, Samples, Sampling, Space, Trouble, search};

/// Number of runs in which code is at so many addresses that bad ones do not count.
const MANY_RUNS: usize = 5;

/// A machine with a drifting clock, on which every seventh sample is disturbed.
struct Simulation {
    /// The true ticks a byte of a choice.
    speed: fn(&Choice) -> f64,
    /// Time relative to the true one in measurements of few runs: the code is at bad addresses in all of them.
    in_few_runs: fn(&Choice) -> f64,
    /// Time relative to the true one in one run of a measurement: in some runs, the code and its memory are at bad addresses.
    in_run: fn(&Choice, usize) -> f64,
    fails: fn(&Choice) -> Option<&'static str>,
    /// The bytes that a choice takes beyond a budget.
    excess: fn(&Choice) -> u64,
    choices: BTreeMap<usize, Choice>,
    state: u64,
    round: f64,
    measured: usize,
    dead: bool,
    instructions_a_group: u64,
    /// Number of groups that the model chooses where a choice leaves it open.
    open_groups: u32,
    /// Its clock, and the time that one compilation, the start of a run and a sample take.
    now: Duration,
    costs: [Duration; 3],
    built: BTreeSet<usize>,
}

impl Simulation {
    fn new(speed: fn(&Choice) -> f64) -> Simulation {
        Simulation {
            speed,
            in_few_runs: |_| 1.0,
            in_run: |_, _| 1.0,
            fails: |_| None,
            excess: |_| 0,
            choices: BTreeMap::new(),
            state: 1,
            round: 0.0,
            measured: 0,
            dead: false,
            instructions_a_group: 1000,
            open_groups: 1,
            now: Duration::ZERO,
            costs: [Duration::ZERO; 3],
            built: BTreeSet::new(),
        }
    }

    /// A number from 0 to 1 (SplitMix64).
    fn random(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Laboratory for Simulation {
    fn prepare(&mut self, choices: &[(usize, Choice)]) -> Vec<Prepared> {
        let mut prepared = Vec::new();
        for (id, choice) in choices {
            prepared.push(if choice.options.packed {
                Prepared::CannotAct
            } else {
                self.choices.insert(*id, choice.clone());
                // The model is right within a factor of 0.8 to 1.2.
                let predicted = (self.speed)(choice) * (0.8 + 0.4 * self.random());
                let interleave = choice.options.interleave.map_or(self.open_groups, |interleave| interleave.factor);
                let shortened = if choice.options.goal == Goal::Size { 2 } else { 1 };
                let instructions = self.instructions_a_group * u64::from(interleave) / shortened;
                Prepared::Ready { predicted, fingerprint: *id as u64, instructions, groups: interleave }
            });
        }
        prepared
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn measure(&mut self, ids: &[usize], sampling: Sampling) -> Result<Samples, Trouble> {
        if self.dead {
            return Err(Trouble::Runner("it died".into()));
        }
        let failed: Vec<(usize, String)> =
            ids.iter().filter_map(|id| Some((*id, (self.fails)(&self.choices[id])?.to_owned()))).collect();
        if !failed.is_empty() {
            return Err(Trouble::Candidates(failed));
        }
        let large = ids.iter().map(|&id| (id, (self.excess)(&self.choices[&id]))).filter(|(_, excess)| *excess > 0);
        let large: Vec<(usize, u64)> = large.collect();
        if !large.is_empty() {
            return Err(Trouble::Large(large));
        }
        let [compilation, start, sample] = self.costs;
        let is_first = self.built.is_empty();
        for &id in ids.iter().filter(|id| !self.built.contains(id)).collect::<Vec<_>>() {
            if !is_first && sampling.until.is_some_and(|until| self.now + compilation > until) {
                return Err(Trouble::Late(ids.iter().copied().filter(|id| !self.built.contains(id)).collect()));
            }
            self.now += compilation;
            self.built.insert(id);
        }
        self.measured += ids.len();
        let began = self.now;
        let run = start + sample * (sampling.rounds * ids.len()) as u32;
        let mut runs = 0;
        while sampling.goes_on(runs, run, self.now) {
            self.now += run;
            runs += 1;
        }
        let mut samples = Samples { time: self.now - began, runs: vec![sampling.rounds; runs], ..Samples::default() };
        for round in 0..runs * sampling.rounds {
            // The clock's speed changes by up to a half in both directions.
            self.round += 1.0;
            let weather = 1.0 + 0.5 * (self.round / 40.0).sin();
            for id in ids {
                let disturbed = if self.random() < 1.0 / 7.0 { 1.0 + 3.0 * self.random() } else { 1.0 };
                let choice = &self.choices[id];
                let placed = if runs < MANY_RUNS { (self.in_few_runs)(choice) } else { 1.0 };
                let steady = (self.speed)(choice) * placed * (self.in_run)(choice, round / sampling.rounds);
                let sample = steady * weather * disturbed * (1.0 + 0.01 * self.random());
                samples.of.entry(*id).or_default().push(sample);
            }
        }
        Ok(samples)
    }
}

fn space(target: Target) -> Space {
    let compiler = CCompiler::find(None).expect("a C compiler is there");
    Space {
        base: Options::new(target),
        is_on_words: false,
        targets: vec![target],
        slicings: vec![None],
        compilers: vec![compiler],
        flags: vec!["-O3".into()],
        is_for_size: false,
    }
}

const LONG: Limits = Limits { time: Duration::from_secs(600), exhaustive: false };

/// Speeds with effects of the axes that help or hinder one another, as in real kernels.
fn landscape(choice: &Choice) -> f64 {
    let options = &choice.options;
    let factor = options.interleave.map_or(1, |i| i.factor);
    let mut ticks = 1.0 + [0.0, -0.2, -0.3, -0.1, 0.2][factor as usize - 1];
    if options.unroll == Amount::All {
        ticks += if factor > 2 { 0.15 } else { -0.05 };
    }
    if options.unroll == Amount::None && options.inline == Amount::All {
        ticks -= if factor == 4 { 0.35 } else { 0.02 };
    }
    if options.schedule == Schedule::None {
        ticks += if factor == 1 { 0.1 } else { -0.03 };
    }
    if choice.flags.len() > 1 {
        ticks += 0.04;
    }
    ticks * 2.0
}

fn best_of_all(space: &Space, speed: fn(&Choice) -> f64) -> f64 {
    space.all().iter().map(speed).fold(f64::INFINITY, f64::min)
}

/// The only choices that fit differ from the defaults in three respects, and are ten times as slow.
#[test]
fn a_budget_is_met_by_slow_choices_if_no_others_fit() {
    let excess = |choice: &Choice| {
        let options = &choice.options;
        let steps = [
            options.goal != Goal::Size,
            !choice.flags.contains(&"-Os".to_owned()),
            options.interleave.map(|interleave| interleave.factor) != Some(1),
        ];
        1000 * steps.into_iter().filter(|missing| *missing).count() as u64
    };
    let speed = |choice: &Choice| if choice.options.goal == Goal::Size { 10.0 } else { 1.0 };
    let space = Space { is_for_size: true, ..space(Target::C64) };
    let mut simulation = Simulation { excess, ..Simulation::new(speed) };
    let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("something fits");
    assert!(found.ranking.iter().all(|ranked| excess(&ranked.choice) == 0), "{:?}", found.ranking);
    assert!(found.large > 0);
    // Choices that do not fit are no failures, and a search that goes on measures them again.
    let is_kept = |choice: &Choice| excess(choice) == 0 || choice.options.packed;
    assert!(found.tried.iter().all(|tried| is_kept(&tried.choice)) && found.skipped.is_empty());
    let mut simulation = Simulation { excess: |_| 1, ..Simulation::new(speed) };
    assert!(search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).is_err());
}

#[test]
fn the_winner_is_within_three_percent_of_the_best() {
    for target in [Target::Avx2, Target::Avx512, Target::C64] {
        let space = space(target);
        let mut simulation = Simulation::new(landscape);
        let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure");
        let winner = landscape(&found.ranking[0].choice);
        let best = best_of_all(&space, landscape);
        assert!(winner <= 1.03 * best, "{}: {winner} instead of {best}", target.name());
        assert!(found.is_complete);
        // The search tries far fewer choices than there are.
        assert!(found.tried.len() < space.all().len() * 2 / 3, "{} of {}", found.tried.len(), space.all().len());
    }
}

#[test]
fn an_exhaustive_search_tries_everything() {
    let space = space(Target::Avx2);
    let mut simulation = Simulation::new(landscape);
    let limits = Limits { time: Duration::ZERO, exhaustive: true };
    let found = search(&space, &mut simulation, limits, &[], &mut |_, _| {}).expect("it can measure");
    assert_eq!(found.tried.len(), space.all().len());
    assert_eq!(found.pruned, 0);
    let winner = landscape(&found.ranking[0].choice);
    assert!(winner <= 1.005 * best_of_all(&space, landscape));
}

#[test]
fn candidates_that_fail_are_named_and_the_search_goes_on() {
    let space = space(Target::Avx2);
    let mut simulation = Simulation::new(landscape);
    simulation.fails = |choice| (choice.options.schedule == Schedule::None).then_some("the compiler crashed");
    let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("the others can be measured");
    assert!(found.ranking.iter().all(|ranked| ranked.choice.options.schedule == Schedule::Auto));
    assert!(!found.skipped.is_empty());
    assert!(
        found
            .skipped
            .iter()
            .all(|(choice, why)| { choice.options.schedule == Schedule::None && why == "the compiler crashed" })
    );
}

#[test]
fn a_dead_runner_is_an_error() {
    let mut simulation = Simulation::new(landscape);
    simulation.dead = true;
    let error = search(&space(Target::Avx2), &mut simulation, LONG, &[], &mut |_, _| {}).unwrap_err();
    assert_eq!(error, "it died");
}

#[test]
fn a_search_goes_on_where_another_stopped() {
    let space = space(Target::Avx2);
    let mut simulation = Simulation::new(landscape);
    let short = Limits { time: Duration::ZERO, exhaustive: false };
    let mut kept = Vec::new();
    let first =
        search(&space, &mut simulation, short, &[], &mut |tried, _| kept = tried.to_vec()).expect("it measures");
    assert!(!first.is_complete);
    let whole = {
        let mut simulation = Simulation::new(landscape);
        search(&space, &mut simulation, LONG, &[], &mut |tried, _| kept = tried.to_vec()).expect("it measures");
        simulation.measured
    };
    let mut simulation = Simulation::new(landscape);
    let found = search(&space, &mut simulation, LONG, &kept, &mut |_, _| {}).expect("it measures");
    assert!(simulation.measured < whole, "{} measurements, {whole} from the beginning", simulation.measured);
    assert!(landscape(&found.ranking[0].choice) <= 1.03 * best_of_all(&space, landscape));
}

#[test]
fn a_default_that_is_as_fast_wins_and_one_that_is_not_is_still_measured() {
    fn is_default(choice: &Choice) -> bool {
        choice.options == Options::new(Target::Avx2) && choice.flags == ["-O3"]
    }
    let space = space(Target::Avx2);
    let mut simulation = Simulation::new(|choice| if is_default(choice) { 1.002 } else { 1.0 });
    let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure");
    assert!(is_default(&found.ranking[0].choice));
    assert_eq!(found.ranking[0].ratio, 1.0);
    let mut simulation = Simulation::new(|choice| if is_default(choice) { 1.5 } else { 1.0 });
    let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure");
    let default = found.ranking.iter().position(|ranked| is_default(&ranked.choice));
    assert_eq!(default, Some(found.ranking.len() - 1));
}

/// Some choices are a little faster than the default in most runs and half as slow again in the others, where their code is at bad
/// addresses. A program that is linked once may well be one of those.
#[test]
fn a_choice_about_which_runs_differ_does_not_replace_the_default() {
    fn is_default(choice: &Choice) -> bool {
        choice.options == Options::new(Target::Avx2) && choice.flags == ["-O3"]
    }
    fn speed(choice: &Choice) -> f64 {
        if is_default(choice) { 1.0 } else { 0.96 }
    }
    let space = space(Target::Avx2);
    let unsteady = |choice: &Choice, run: usize| if !is_default(choice) && run % 3 == 2 { 1.5 } else { 1.0 };
    let mut simulation = Simulation { in_run: unsteady, ..Simulation::new(speed) };
    let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure");
    assert!(is_default(&found.ranking[0].choice), "{:?}", found.ranking[0]);
    assert!(found.ranking.len() > 1 && found.ranking[0].ratio == 1.0);
    let found = search(&space, &mut Simulation::new(speed), LONG, &[], &mut |_, _| {}).expect("it can measure");
    assert!(!is_default(&found.ranking[0].choice), "{:?}", found.ranking[0]);
    // A search without time that goes on from that one has one run, by which nothing is sure.
    let short = Limits { time: Duration::ZERO, exhaustive: false };
    let costs = [2, 1, 0].map(Duration::from_millis);
    let mut simulation = Simulation { costs, ..Simulation::new(speed) };
    let found = search(&space, &mut simulation, short, &found.tried, &mut |_, _| {}).expect("it measures");
    assert!(found.is_hurried && is_default(&found.ranking[0].choice), "{:?}", found.ranking[0]);
}

/// The default of each C compiler is measured at the end, unless it is far behind: some measurements before are unlucky.
#[test]
fn the_default_of_every_compiler_is_among_the_finalists() {
    fn is_default(choice: &Choice) -> bool {
        choice.options == Options::new(Target::Avx2) && choice.flags == ["-O3"]
    }
    // The default of compiler 1 is the fastest choice, and appears to be slower than that of compiler 0.
    fn speed(choice: &Choice) -> f64 {
        match (choice.compiler, is_default(choice)) {
            (0, true) => 1.3,
            (1, true) => 0.9,
            (2, true) => 3.0,
            _ => 1.0,
        }
    }
    let compiler = CCompiler::find(None).expect("a C compiler is there");
    let space = Space { compilers: vec![compiler; 3], ..space(Target::Avx2) };
    let mut simulation = Simulation::new(speed);
    simulation.in_few_runs = |choice| if choice.compiler == 1 && is_default(choice) { 1.55 } else { 1.0 };
    let found = search(&space, &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure");
    let defaults: Vec<usize> =
        found.ranking.iter().filter(|ranked| is_default(&ranked.choice)).map(|ranked| ranked.choice.compiler).collect();
    assert_eq!(defaults, [1, 0]);
    assert_eq!(found.ranking[0].choice.compiler, 1);
}

/// The last measurement is within the limit, too, and on a machine that is under load it is shorter.
#[test]
fn the_limit_holds_whatever_a_measurement_takes() {
    let limits = Limits { time: Duration::from_secs(4), exhaustive: false };
    let milliseconds = |costs: [u64; 3]| costs.map(Duration::from_millis);
    // Fast; slow C compilers; a slow start; slow samples, such as those of an emulator.
    for (costs, is_hurried) in
        [([60, 1, 0], false), ([900, 20, 1], false), ([50, 150, 0], true), ([50, 10, 12], true), ([3000, 200, 2], true)]
    {
        let space = space(Target::Avx2);
        let mut simulation = Simulation { costs: milliseconds(costs), ..Simulation::new(landscape) };
        let found = search(&space, &mut simulation, limits, &[], &mut |_, _| {}).expect("it measures");
        let took = simulation.now;
        assert!(took <= limits.time, "{costs:?}: {took:?}");
        // No more time is kept for the last measurement than it may need.
        assert!(took >= limits.time.mul_f64(0.6), "{costs:?}: {took:?}");
        assert_eq!(found.is_hurried, is_hurried, "{costs:?}");
        assert!(!found.is_complete && found.ranking.iter().all(|ranked| ranked.ticks_a_byte > 0.0), "{costs:?}");

        // A search that goes on compiles again what it measures at last. Its first wave, of three choices, is measured in any case.
        let [compilation, start, sample] = costs.map(Duration::from_millis);
        let first = compilation * 3 + start + sample * 3 * 7;
        let mut simulation = Simulation { costs: milliseconds(costs), ..Simulation::new(landscape) };
        let found = search(&space, &mut simulation, limits, &found.tried, &mut |_, _| {}).expect("it measures");
        let last = start + sample * 15 * found.ranking.len() as u32;
        assert!(simulation.now <= limits.time.max(first + last), "{costs:?}: {:?}", simulation.now);
        assert!(!found.ranking.is_empty(), "{costs:?}");
    }
}

#[test]
fn hopeless_choices_are_not_measured() {
    // Interleaved choices are ten times slower. The model predicts that, but its prediction is ignored where calls are
    // left.
    let slow = |choice: &Choice| if choice.options.interleave.is_some() { 10.0 } else { 1.0 };
    let mut simulation = Simulation::new(slow);
    let found = search(&space(Target::Avx2), &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure");
    assert!(found.pruned > 0);
    let is_hopeless = |choice: &Choice| choice.options.interleave.is_some() && choice.options.inline != Amount::None;
    assert!(!found.tried.iter().any(|tried| is_hopeless(&tried.choice)));
}

#[test]
fn a_kernel_is_as_long_as_the_groups_that_the_model_chose_make_it() {
    let factor = |choice: &Choice| choice.options.interleave.map(|interleave| interleave.factor);
    let tried = |instructions_a_group: u64| {
        let mut simulation = Simulation { instructions_a_group, open_groups: 4, ..Simulation::new(landscape) };
        search(&space(Target::Avx2), &mut simulation, LONG, &[], &mut |_, _| {}).expect("it can measure").tried
    };
    // The default has four groups of 3,500 instructions: five are too long, but not two and three.
    let long = tried(3_500);
    assert!(long.iter().any(|tried| factor(&tried.choice) == Some(3)));
    assert!(long.iter().all(|tried| factor(&tried.choice) != Some(5)));
    assert!(tried(3_000).iter().any(|tried| factor(&tried.choice) == Some(5)));
}
