//! Which of many cases a run tries: all of them with `CULET_ALL` (`./test --all`), else some that the commit draws.
//!
//! The seed of every draw is the hash of the commit, so that a run can be repeated, and the next commit tries other cases.
//! `CULET_SEED` takes the hash's place. Draws of cases are reported in lines that begin with `DRAWN`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::panic::Location;
use std::process::Command;
use std::sync::OnceLock;

use culet_ir::Target;
use culet_native::CCompiler;

use crate::rng::Rng;
use crate::toolchains::{self, report};

/// Whether every case is wanted.
pub fn wants_all() -> bool {
    env::var_os("CULET_ALL").is_some()
}

/// The text that fixes all draws of this run.
fn seed() -> &'static str {
    static SEED: OnceLock<String> = OnceLock::new();
    SEED.get_or_init(|| env::var("CULET_SEED").ok().or_else(commit).unwrap_or_else(|| "no commit".to_owned()))
}

fn commit() -> Option<String> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let output = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|commit| output.status.success() && !commit.is_empty())
}

/// Random numbers for a subject: FNV-1a of its name and the seed begins the generator.
fn generator(subject: &str, seed: &str) -> Rng {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    Rng::new(seed.bytes().chain([0]).chain(subject.bytes()).fold(0xcbf2_9ce4_8422_2325, step))
}

/// Draws cases so that any two features that some case has together, one from each of two axes, are together in a drawn case.
///
/// `features` gives a case's feature on every axis; all cases have the same axes. `cost` is the time of a case, in any unit; the draw
/// prefers cases that bring together many features for their cost. The order of the cases is kept.
pub fn pairs<T>(
    subject: &str,
    cases: Vec<T>,
    features: impl Fn(&T) -> Vec<String>,
    cost: impl Fn(&T) -> u32,
) -> Vec<T> {
    drawn(subject, cases, features, cost, |all, costs, rng| covering(all, costs, pairs_of, rng))
}

/// Draws cases so that each feature on each axis is that of a drawn case, and spends the rest of the budget on pairs of features as in
/// [`pairs`], in a random order: each run tries other pairs.
///
/// `budget` is the time of all drawn cases, in the unit of `cost`. Cases that features need are drawn even if they cost more.
pub fn pairs_within<T>(
    subject: &str,
    cases: Vec<T>,
    features: impl Fn(&T) -> Vec<String>,
    cost: impl Fn(&T) -> u32,
    budget: u32,
) -> Vec<T> {
    drawn(subject, cases, features, cost, |all, costs, rng| covering_within(all, costs, budget, rng))
}

/// Draws cases so that each feature on each axis is that of a drawn case; otherwise like [`pairs`].
pub fn singles<T>(
    subject: &str,
    cases: Vec<T>,
    features: impl Fn(&T) -> Vec<String>,
    cost: impl Fn(&T) -> u32,
) -> Vec<T> {
    drawn(subject, cases, features, cost, |all, costs, rng| covering(all, costs, singles_of, rng))
}

/// Draws at most `count` cases, each of them with as many features for its cost as possible that no case before it has. Over many runs
/// each feature is drawn.
pub fn few<T>(
    subject: &str,
    cases: Vec<T>,
    features: impl Fn(&T) -> Vec<String>,
    cost: impl Fn(&T) -> u32,
    count: usize,
) -> Vec<T> {
    drawn(subject, cases, features, cost, |all, costs, rng| {
        greedily(all, costs, singles_of, rng).into_iter().take(count).collect()
    })
}

/// One drawn compiler for a target, or with `CULET_ALL` all of them; none where there is none.
///
/// The place of the call and the target decide the draw, which is not reported: the caller's failures name the compiler.
#[track_caller]
pub fn compilers(target: Target) -> Vec<CCompiler> {
    let mut all = toolchains::compilers(target);
    if !wants_all() && all.len() > 1 {
        let place = Location::caller();
        let subject = format!("{}:{} {}", place.file(), place.line(), target.name());
        let index = generator(&subject, seed()).below(all.len() as u32) as usize;
        all = vec![all.swap_remove(index)];
    }
    all
}

fn drawn<T>(
    subject: &str,
    cases: Vec<T>,
    features: impl Fn(&T) -> Vec<String>,
    cost: impl Fn(&T) -> u32,
    choose: impl FnOnce(&[Vec<String>], &[u32], &mut Rng) -> BTreeSet<usize>,
) -> Vec<T> {
    if wants_all() {
        return cases;
    }
    let all: Vec<Vec<String>> = cases.iter().map(&features).collect();
    let costs: Vec<u32> = cases.iter().map(|case| cost(case).max(1)).collect();
    let chosen = choose(&all, &costs, &mut generator(subject, seed()));
    taken(subject, cases, &chosen, |case| features(case).join(" "))
}

/// Draws `count` of the cases, or all if there are fewer. The order of the cases is kept.
pub fn some<T>(subject: &str, cases: Vec<T>, count: usize, name: impl Fn(&T) -> String) -> Vec<T> {
    if wants_all() || cases.len() <= count {
        return cases;
    }
    let order = shuffled(cases.len(), &mut generator(subject, seed()));
    taken(subject, cases, &order.into_iter().take(count).collect(), name)
}

fn taken<T>(subject: &str, cases: Vec<T>, chosen: &BTreeSet<usize>, name: impl Fn(&T) -> String) -> Vec<T> {
    let count = cases.len();
    let drawn: Vec<T> =
        cases.into_iter().enumerate().filter(|(index, _)| chosen.contains(index)).map(|(_, case)| case).collect();
    let names: Vec<String> = drawn.iter().map(name).collect();
    report(&format!("DRAWN {subject}: {} of {count} by {}: {}", drawn.len(), seed(), names.join(", ")));
    drawn
}

fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for index in (1..count).rev() {
        order.swap(index, rng.below(index as u32 + 1) as usize);
    }
    order
}

/// Features that a drawn case must have together, each with its axis; the second one is none where one is enough.
type Item<'f> = ((usize, &'f str), Option<(usize, &'f str)>);

fn singles_of(features: &[String]) -> Vec<Item<'_>> {
    features.iter().enumerate().map(|(axis, feature)| ((axis, feature.as_str()), None)).collect()
}

fn pairs_of(features: &[String]) -> Vec<Item<'_>> {
    let at = |axis: usize| (axis, features[axis].as_str());
    (0..features.len()).flat_map(|second| (0..second).map(move |first| (at(first), Some(at(second))))).collect()
}

/// Items that chosen cases have.
struct Cover {
    /// The numbers of each case's items.
    of_case: Vec<Vec<usize>>,
    /// How many chosen cases have each item.
    times: Vec<u32>,
}

impl Cover {
    fn new(all: &[Vec<String>], items: fn(&[String]) -> Vec<Item<'_>>) -> Cover {
        let of_case = numbered(all, items);
        let times = vec![0; of_case.iter().flatten().max().map_or(0, |most| most + 1)];
        Cover { of_case, times }
    }

    fn add(&mut self, case: usize) {
        self.of_case[case].iter().for_each(|&item| self.times[item] += 1);
    }

    fn remove(&mut self, case: usize) {
        self.of_case[case].iter().for_each(|&item| self.times[item] -= 1);
    }

    /// Whether no other chosen case has some item of this one.
    fn needs(&self, case: usize) -> bool {
        self.of_case[case].iter().any(|&item| self.times[item] == 1)
    }

    /// The case with the most items for its cost that no chosen case has, and of several the first.
    fn best(&self, cases: impl Iterator<Item = usize>, costs: &[u32]) -> Option<usize> {
        let mut best: Option<(usize, u64)> = None;
        for case in cases {
            let gain = self.of_case[case].iter().filter(|&&item| self.times[item] == 0).count() as u64;
            let is_better =
                |(other, most): (usize, u64)| gain * u64::from(costs[other]) > most * u64::from(costs[case]);
            if gain > 0 && best.is_none_or(is_better) {
                best = Some((case, gain));
            }
        }
        best.map(|(case, _)| case)
    }
}

/// Cases that have all items, in the order in which a step takes the best one, and of several the first of a random order.
fn greedily(all: &[Vec<String>], costs: &[u32], items: fn(&[String]) -> Vec<Item<'_>>, rng: &mut Rng) -> Vec<usize> {
    let mut cover = Cover::new(all, items);
    let order = shuffled(all.len(), rng);
    let mut chosen = Vec::new();
    while let Some(case) = cover.best(order.iter().copied(), costs) {
        cover.add(case);
        chosen.push(case);
    }
    chosen
}

/// A cover of all items, without cases whose items others have, the dearest of which go first.
fn covering(
    all: &[Vec<String>],
    costs: &[u32],
    items: fn(&[String]) -> Vec<Item<'_>>,
    rng: &mut Rng,
) -> BTreeSet<usize> {
    let mut chosen = greedily(all, costs, items, rng);
    let mut cover = Cover::new(all, items);
    chosen.iter().for_each(|&case| cover.add(case));
    chosen.sort_by_key(|&case| Reverse(costs[case]));
    chosen.retain(|&case| {
        let is_needed = cover.needs(case);
        if !is_needed {
            cover.remove(case);
        }
        is_needed
    });
    chosen.into_iter().collect()
}

/// A cover of all features, and of pairs in a random order until the budget is spent.
fn covering_within(all: &[Vec<String>], costs: &[u32], budget: u32, rng: &mut Rng) -> BTreeSet<usize> {
    let mut chosen = covering(all, costs, singles_of, rng);
    let mut cover = Cover::new(all, pairs_of);
    chosen.iter().for_each(|&case| cover.add(case));
    let mut spent: u32 = chosen.iter().map(|&case| costs[case]).sum();
    let order = shuffled(all.len(), rng);
    for pair in shuffled(cover.times.len(), rng) {
        let with_pair = order.iter().copied().filter(|&case| cover.of_case[case].contains(&pair));
        let Some(case) = cover.best(with_pair, costs).filter(|_| cover.times[pair] == 0) else { continue };
        if spent + costs[case] > budget {
            break;
        }
        spent += costs[case];
        cover.add(case);
        chosen.insert(case);
    }
    chosen
}

/// The numbers of each case's items; equal items have one number.
fn numbered(all: &[Vec<String>], items: fn(&[String]) -> Vec<Item<'_>>) -> Vec<Vec<usize>> {
    let mut numbers: BTreeMap<Item<'_>, usize> = BTreeMap::new();
    let mut number = |item| {
        let next = numbers.len();
        *numbers.entry(item).or_insert(next)
    };
    all.iter().map(|features| items(features).into_iter().map(&mut number).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Vec<String>> {
        let mut cases = Vec::new();
        for program in 0..20 {
            for target in 0..5 {
                for compiler in 0..2 {
                    for level in 0..3 {
                        // Some programs have one target only.
                        if program % 4 != 0 || target == 2 {
                            cases.push([program, target, compiler, level].map(|n| n.to_string()).to_vec());
                        }
                    }
                }
            }
        }
        cases
    }

    #[test]
    fn every_pair_is_drawn() {
        let all = cases();
        let chosen = covering(&all, &vec![1; all.len()], pairs_of, &mut Rng::new(7));
        let drawn: BTreeSet<Item<'_>> = chosen.iter().flat_map(|&case| pairs_of(&all[case])).collect();
        assert!(all.iter().flat_map(|features| pairs_of(features)).all(|pair| drawn.contains(&pair)));
        // Each program that has all targets is there once with each, so that no cover has fewer than 80 cases.
        assert!(chosen.len() < 120, "{} of {}", chosen.len(), all.len());
    }

    #[test]
    fn the_seed_decides() {
        let all = cases();
        let of = |seed| covering(&all, &vec![1; all.len()], pairs_of, &mut generator("subject", seed));
        assert_eq!(of("a"), of("a"));
        assert_ne!(of("a"), of("b"));
    }

    #[test]
    fn what_is_cheap_is_drawn() {
        let all = cases();
        let costs: Vec<u32> = all.iter().map(|features| if features[3] == "2" { 10 } else { 1 }).collect();
        let chosen = covering(&all, &costs, pairs_of, &mut Rng::new(7));
        // Each program has to be there once with the dear level.
        let dear = chosen.iter().filter(|&&case| costs[case] == 10).count();
        assert!((20..25).contains(&dear), "{dear} of {}", chosen.len());
    }

    #[test]
    fn every_feature_is_drawn() {
        let all = cases();
        let chosen = covering(&all, &vec![1; all.len()], singles_of, &mut Rng::new(7));
        assert_eq!(chosen.len(), 20);
        let drawn: BTreeSet<Item<'_>> = chosen.iter().flat_map(|&case| singles_of(&all[case])).collect();
        assert!(all.iter().flat_map(|features| singles_of(features)).all(|single| drawn.contains(&single)));
    }

    #[test]
    fn budgets_are_kept() {
        let all = cases();
        let costs: Vec<u32> = all.iter().map(|features| if features[3] == "2" { 10 } else { 1 }).collect();
        let within = |seed| covering_within(&all, &costs, 60, &mut Rng::new(seed));
        let features: BTreeSet<Item<'_>> = within(7).iter().flat_map(|&case| singles_of(&all[case])).collect();
        assert!(all.iter().flat_map(|features| singles_of(features)).all(|single| features.contains(&single)));
        let spent: u32 = within(7).iter().map(|&case| costs[case]).sum();
        assert!((50..=60).contains(&spent), "{spent}");
        // Each pair comes in some run.
        let pairs = |chosen: BTreeSet<usize>| chosen.into_iter().flat_map(|case| pairs_of(&all[case])).collect();
        let drawn: BTreeSet<Item<'_>> =
            (0..400).map(within).flat_map(|chosen| -> Vec<Item<'_>> { pairs(chosen) }).collect();
        assert!(all.iter().flat_map(|features| pairs_of(features)).all(|pair| drawn.contains(&pair)));
    }
}
