//! Ranges of polynomials.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::interval::{Interval, power_of_two};
use super::polynomial::{Atom, Monomial, Polynomial};
use super::{Algebra, Kind};
use crate::effort::integers::{MAX_CANDIDATES, MAX_DIGITS, MAX_MONOMIALS, MAX_SCALE};

/// Intervals of polynomials without constant part and common divisor, with a positive first coefficient.
#[derive(Default, Clone)]
pub(super) struct Bounds {
    known: FxHashMap<Polynomial, Interval>,
    /// Polynomials about which nothing more can be found out.
    complete: FxHashSet<Polynomial>,
    /// Polynomials of known range by the last atom in them, if that is a floor in no product. They are words, mostly.
    words: FxHashMap<Atom, Vec<Polynomial>>,
    /// Polynomials of two values, less the smaller one; recorded where bounds are asked for.
    pub(super) bits: Vec<Polynomial>,
    /// Limbs of whole numbers whose ranges are tighter than those of their limbs.
    wholes: Vec<Whole>,
    /// Limbs of numbers that are below others.
    lesser: Vec<Whole>,
    /// Facts of the current case.
    facts: Vec<(Polynomial, Interval)>,
}

/// A limb, times its weight, as a whole number less the other limbs.
#[derive(Clone)]
struct Whole {
    limb: Atom,
    weight: BigInt,
    rest: Polynomial,
}

/// A polynomial as `factor * core + constant`: multiples of one polynomial have one bound.
struct Parts {
    core: Polynomial,
    constant: BigInt,
    /// The greatest common divisor of the coefficients, negative if the first one is.
    factor: BigInt,
}

impl Parts {
    fn of(polynomial: &Polynomial) -> Parts {
        let constant = polynomial.constant_part();
        let core = polynomial.plus_constant(-&constant);
        let content = core.content();
        let factor = if core.leads_negative() { -content } else { content };
        let core = if factor.is_one() { core } else { core.map(|coefficient| coefficient / &factor) };
        Parts { core, constant, factor }
    }

    /// Returns the interval of the whole from that of the core.
    fn outward(&self, core: &Interval) -> Interval {
        core.scaled(&self.factor).plus(&Interval::point(self.constant.clone()))
    }

    /// Returns the interval of the core from that of the whole: its integers only.
    fn inward(&self, whole: &Interval) -> Interval {
        let whole = whole.minus(&Interval::point(self.constant.clone()));
        if self.factor.is_negative() {
            whole.scaled(&BigInt::from(-1)).divided(&-&self.factor)
        } else {
            whole.divided(&self.factor)
        }
    }
}

/// `(numerator + error) / 2^scale`.
struct Quotient {
    numerator: Polynomial,
    error: Interval,
    scale: u32,
}

impl Quotient {
    /// Substitutes `(of - r) / 2^shift`, r in `remainder`, for the atom that occurs as `c * atom`.
    fn with(&self, atom: Atom, c: &BigInt, of: &Polynomial, remainder: &Interval, shift: u32) -> Quotient {
        let common = shift.min(c.trailing_zeros().and_then(|zeros| u32::try_from(zeros).ok()).unwrap_or(shift));
        let (c, shift) = (c >> common as usize, shift - common);
        let mut numerator = self.numerator.without(atom).shifted(shift);
        numerator.add_scaled(of, &c);
        let error = self.error.scaled(&power_of_two(shift)).plus(&remainder.scaled(&-c));
        Quotient { numerator, error, scale: self.scale + shift }
    }

    fn of(polynomial: &Polynomial) -> Quotient {
        Quotient { numerator: polynomial.clone(), error: Interval::point(BigInt::zero()), scale: 0 }
    }
}

#[derive(Clone, Copy)]
enum Strategy {
    /// The floor that was made last, by its definition.
    Latest,
    /// The floor that was made last, by the narrowest word in which it is the last.
    LatestWord,
    /// The floor whose quotient gives the narrowest range, as long as it narrows.
    Narrowest,
}

impl Algebra<'_> {
    /// Returns an interval that holds the polynomial, whatever the inputs.
    pub fn bound(&mut self, polynomial: &Polynomial) -> Interval {
        let parts = Parts::of(polynomial);
        if parts.core.is_zero() {
            return Interval::point(parts.constant);
        }
        if !self.bounds.complete.contains(&parts.core) {
            let found = self.find_bound(&parts.core);
            self.is_impossible |= found.is_empty();
            self.bounds.known.insert(parts.core.clone(), found);
            self.bounds.complete.insert(parts.core.clone());
        }
        parts.outward(&self.bounds.known[&parts.core])
    }

    /// Records the range of a polynomial that follows from its construction.
    pub(super) fn record(&mut self, polynomial: &Polynomial, range: &Interval) {
        let parts = Parts::of(polynomial);
        if parts.core.is_zero() {
            self.is_impossible |= range.meet(&Interval::point(parts.constant)).is_empty();
            return;
        }
        let range = parts.inward(range);
        let met = match self.bounds.known.get(&parts.core) {
            Some(known) => known.meet(&range),
            None => range,
        };
        self.is_impossible |= met.is_empty();
        if self.keeps_remainders && met.width().is_one() {
            self.bounds.bits.push(parts.core.plus_constant(-&met.low));
        }
        if self.bounds.known.insert(parts.core.clone(), met).is_none() {
            self.index_word(parts.core);
        }
    }

    fn index_word(&mut self, core: Polynomial) {
        let last = core.atoms().last().copied();
        if let Some(&(atom, coefficient)) = core.linear_atoms().last()
            && last == Some(atom)
            && self.floor_of(atom).is_some()
            && coefficient.is_even()
            && coefficient.magnitude().count_ones() == 1
        {
            self.bounds.words.entry(atom).or_default().push(core);
        }
    }

    /// Declares that the number with this polynomial in its limbs is an input of this range.
    pub fn relate(&mut self, name: &str, whole: &Polynomial, range: Interval) {
        self.record(whole, &range);
        let number = Polynomial::atom(self.input(name, range));
        let linear = whole.linear_atoms();
        let lightest = linear.iter().min_by_key(|(_, weight)| weight.magnitude());
        let heaviest =
            linear.iter().max_by_key(|(_, weight)| weight.magnitude()).filter(|last| lightest != Some(*last));
        for &(limb, weight) in lightest.into_iter().chain(heaviest) {
            let (weight, rest) = (weight.clone(), number.minus(&whole.without(limb)));
            self.bounds.wholes.push(Whole { limb, weight, rest });
        }
    }

    /// Declares that a number that is not negative is below another one, which is at most `most`.
    pub fn relate_to(&mut self, name: &str, (whole, bound): (&Polynomial, &Polynomial), most: &BigInt) {
        let range = Interval::new(-most, -1);
        self.record(&whole.minus(bound), &range);
        self.record(bound, &Interval::new(1, most.clone()));
        let less = Polynomial::atom(self.input(&format!("{name} less its bound"), range));
        let linear = whole.linear_atoms();
        if let Some(&(limb, weight)) = linear.iter().min_by_key(|(_, weight)| weight.magnitude()) {
            let (weight, rest) = (weight.clone(), less.plus(bound).minus(&whole.without(limb)));
            self.bounds.lesser.push(Whole { limb, weight, rest });
        }
    }

    /// Adds a fact of the current case, and what follows from it when the floors in it are written as quotients.
    pub(super) fn add_fact(&mut self, polynomial: &Polynomial, range: &Interval) {
        let range = self.bound(polynomial).meet(range);
        self.is_impossible |= range.is_empty();
        for strategy in [Strategy::LatestWord, Strategy::Latest] {
            let mut quotient = Quotient::of(polynomial);
            self.add_consequence(&quotient, &range);
            for _ in 0..MAX_DIGITS {
                let Some(next) = self.next_quotient(&quotient, strategy) else { break };
                quotient = next;
                quotient.numerator = self.settled(&quotient.numerator);
                self.add_consequence(&quotient, &range);
            }
        }
        self.bounds.complete.clear();
    }

    /// Adds the range of `numerator = 2^scale * polynomial - error`, where the polynomial is in `range`.
    fn add_consequence(&mut self, quotient: &Quotient, range: &Interval) {
        let numerator = range.scaled(&power_of_two(quotient.scale)).minus(&quotient.error);
        self.record(&quotient.numerator, &numerator);
        self.bounds.facts.push((quotient.numerator.clone(), numerator));
    }

    /// Returns all ranges that were recorded, for tests.
    #[cfg(test)]
    pub(super) fn known_bounds(&self) -> Vec<(Polynomial, Interval)> {
        self.bounds.known.iter().map(|(polynomial, range)| (polynomial.clone(), range.clone())).collect()
    }

    fn find_bound(&mut self, core: &Polynomial) -> Interval {
        let mut range = self.bound_without_facts(core);
        for index in 0..self.bounds.facts.len() {
            if let Some(found) = self.bound_beside(core, index) {
                range = range.meet(&found);
            }
        }
        range
    }

    fn bound_without_facts(&mut self, core: &Polynomial) -> Interval {
        let mut range = self.direct_bound(core);
        for strategy in [Strategy::Latest, Strategy::LatestWord, Strategy::Narrowest] {
            self.substitute_digits(core, strategy, &mut range);
        }
        range
    }

    /// Returns the bound from the ranges of the atoms, from recorded ranges, and with whole numbers in place of limbs.
    fn direct_bound(&self, polynomial: &Polynomial) -> Interval {
        let mut range = self.box_bound(polynomial);
        let parts = Parts::of(polynomial);
        if let Some(known) = self.bounds.known.get(&parts.core) {
            range = range.meet(&parts.outward(known));
        }
        for wholes in [&self.bounds.wholes, &self.bounds.lesser] {
            // In a product of a whole number with some limbs of another one, or of its own, one of them must be written
            // as a whole.
            let mut all: Option<Polynomial> = None;
            for whole in wholes {
                let alone = self.with_whole(polynomial, whole);
                let beside = all.as_ref().and_then(|all| self.with_whole(all, whole));
                for written in [&alone, &beside].into_iter().flatten() {
                    range = range.meet(&self.box_bound(written));
                }
                all = beside.or(alone).or(all);
            }
        }
        range
    }

    /// Writes a limb as a whole number less the other limbs, if the limb occurs and its weight divides the
    /// coefficients.
    fn with_whole(&self, polynomial: &Polynomial, Whole { limb, weight, rest }: &Whole) -> Option<Polynomial> {
        if !polynomial.contains(*limb) {
            return None;
        }
        let mut whole = Polynomial::zero();
        for (monomial, coefficient) in polynomial.iter() {
            let power = monomial.iter().filter(|atom| *atom == limb).count() as u32;
            let (coefficient, remainder) = coefficient.div_rem(&weight.pow(power));
            if !remainder.is_zero() {
                return None;
            }
            whole.add_term(monomial.clone(), coefficient);
        }
        Some(self.replaced(&whole, *limb, rest))
    }

    /// Returns the bound in which each atom varies by itself.
    fn box_bound(&self, polynomial: &Polynomial) -> Interval {
        let mut sum = Interval::point(BigInt::zero());
        if self.is_exhausted_by(polynomial.len()) {
            return sum;
        }
        for (monomial, coefficient) in polynomial.iter() {
            let one = Interval::point(BigInt::from(1));
            let product = monomial.iter().fold(one, |product, atom| product.times(&self.atoms[atom.index()].range));
            sum = sum.plus(&product.scaled(coefficient));
        }
        sum
    }

    /// Returns the bound from a fact about another polynomial, if this one is nearly a multiple of it, or the other way
    /// round.
    fn bound_beside(&mut self, core: &Polynomial, index: usize) -> Option<Interval> {
        let (fact, range) = &self.bounds.facts[index];
        let (factor, divisor) = common_ratio(core, fact)?;
        let rest = core.scaled(&divisor).minus(&fact.scaled(&factor));
        let range = range.scaled(&factor);
        let rest = if rest.len() < core.len() { self.bound_without_facts(&rest) } else { self.direct_bound(&rest) };
        Some(range.plus(&rest).divided(&divisor))
    }

    /// Writes floors as quotients, and narrows `range` by the bound that follows each time.
    fn substitute_digits(&self, core: &Polynomial, strategy: Strategy, range: &mut Interval) {
        let mut quotient = Quotient::of(core);
        for _ in 0..MAX_DIGITS {
            if quotient.scale > MAX_SCALE || quotient.numerator.len() > MAX_MONOMIALS {
                return;
            }
            let Some(next) = self.next_quotient(&quotient, strategy) else { return };
            quotient = next;
            quotient.numerator = self.settled(&quotient.numerator);
            let numerator = self.direct_bound(&quotient.numerator).plus(&quotient.error);
            *range = range.meet(&numerator.divided(&power_of_two(quotient.scale)));
        }
    }

    fn next_quotient(&self, quotient: &Quotient, strategy: Strategy) -> Option<Quotient> {
        let linear = quotient.numerator.linear_atoms();
        let mut floors = linear.iter().rev().filter(|(atom, _)| self.floor_of(*atom).is_some());
        match strategy {
            Strategy::Latest => floors.next().and_then(|(atom, c)| self.as_quotient(quotient, *atom, c)),
            Strategy::LatestWord => floors.next().and_then(|(atom, c)| {
                self.by_word(quotient, *atom, c).or_else(|| self.as_quotient(quotient, *atom, c))
            }),
            Strategy::Narrowest => {
                let width = |q: &Quotient| self.box_bound(&q.numerator).width() + q.error.width();
                let candidates = floors.take(MAX_CANDIDATES).flat_map(|(atom, c)| {
                    [self.as_quotient(quotient, *atom, c), self.by_word(quotient, *atom, c)].into_iter().flatten()
                });
                let narrowest = candidates
                    .map(|next| (width(&next) >> (next.scale - quotient.scale) as usize, next))
                    .min_by(|(a, _), (b, _)| a.cmp(b))?;
                (narrowest.0 < width(quotient)).then_some(narrowest.1)
            }
        }
    }

    /// Writes the floor f as `(of - r) / 2^shift`, 0 <= r < 2^shift.
    fn as_quotient(&self, quotient: &Quotient, atom: Atom, c: &BigInt) -> Option<Quotient> {
        let (of, shift) = self.floor_of(atom)?;
        Some(quotient.with(atom, c, of, &Interval::word(shift), shift))
    }

    /// Writes the floor f as `(rest - w) / 2^shift`, where the word `w = rest - 2^shift * f` has a known range.
    fn by_word(&self, quotient: &Quotient, atom: Atom, c: &BigInt) -> Option<Quotient> {
        let words = self.bounds.words.get(&atom)?;
        let alone = Monomial::from_slice(&[atom]);
        let with_ranges =
            words.iter().filter_map(|word| Some((word, word.coefficient(&alone)?, &self.bounds.known[word])));
        let (word, e, range) = with_ranges.min_by_key(|(_, e, range)| (range.width() << 64_usize) / e.abs())?;
        let shift = u32::try_from(e.trailing_zeros()?).ok()?;
        let rest = word.without(atom);
        Some(if e.is_negative() {
            quotient.with(atom, c, &rest, range, shift)
        } else {
            let negated = range.scaled(&BigInt::from(-1));
            quotient.with(atom, c, &rest.negated(), &negated, shift)
        })
    }

    pub(super) fn floor_of(&self, atom: Atom) -> Option<(&Polynomial, u32)> {
        match &self.atoms[atom.index()].kind {
            Kind::Floor { of, shift } => Some((of, *shift)),
            _ => None,
        }
    }
}

/// Returns the factor and the positive divisor with `divisor * a = factor * b` for as many monomials as possible, one
/// of the two being 1.
fn common_ratio(a: &Polynomial, b: &Polynomial) -> Option<(BigInt, BigInt)> {
    let mut ratios: FxHashMap<(BigInt, BigInt), usize> = FxHashMap::default();
    for (monomial, theirs) in b.iter().filter(|(monomial, _)| !monomial.is_empty()) {
        let Some(ours) = a.coefficient(monomial) else { continue };
        let ratio = if ours.is_multiple_of(theirs) {
            (ours / theirs, BigInt::one())
        } else if theirs.is_multiple_of(ours) {
            let ratio = theirs / ours;
            (ratio.signum(), ratio.abs())
        } else {
            continue;
        };
        *ratios.entry(ratio).or_default() += 1;
    }
    ratios.into_iter().max_by(|(p, n), (q, m)| (n, p).cmp(&(m, q))).map(|(ratio, _)| ratio)
}
