//! What a polynomial may be.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::interval::{Interval, power_of_two};
use super::polynomial::{Atom, Monomial, Polynomial};
use super::{Algebra, Kind};

/// Floors that are written as quotients, one after the other, in search of a bound.
const MAX_DIGITS: u32 = 24;
/// Candidates among which the best one is looked for.
const MAX_CANDIDATES: usize = 8;
/// Where a bound takes too long: bits of the common denominator, monomials.
const MAX_SCALE: u32 = 4096;
const MAX_MONOMIALS: usize = 2048;

/// Intervals of polynomials without constant part and with a positive first coefficient.
#[derive(Default)]
pub(super) struct Bounds {
    known: FxHashMap<Polynomial, Interval>,
    /// Polynomials of which nothing more can be found out.
    complete: FxHashSet<Polynomial>,
    /// Limbs that are a whole number less the other limbs: where the whole number has a tighter range than its limbs.
    wholes: Vec<(Atom, Polynomial)>,
    /// What the case at hand says.
    facts: Vec<(Polynomial, Interval)>,
}

/// A polynomial as `sign * core + constant`.
struct Parts {
    core: Polynomial,
    constant: BigInt,
    is_negated: bool,
}

impl Parts {
    fn of(polynomial: &Polynomial) -> Parts {
        let constant = polynomial.constant_part();
        let core = polynomial.plus_constant(-&constant);
        let is_negated = core.leads_negative();
        Parts { core: if is_negated { core.negated() } else { core }, constant, is_negated }
    }

    /// The interval of the whole from that of the core.
    fn outward(&self, core: &Interval) -> Interval {
        let sign = BigInt::from(if self.is_negated { -1 } else { 1 });
        core.scaled(&sign).plus(&Interval::point(self.constant.clone()))
    }

    fn inward(&self, whole: &Interval) -> Interval {
        let sign = BigInt::from(if self.is_negated { -1 } else { 1 });
        whole.minus(&Interval::point(self.constant.clone())).scaled(&sign)
    }
}

/// `(numerator + error) / 2^scale`.
struct Quotient {
    numerator: Polynomial,
    error: Interval,
    scale: u32,
}

#[derive(Clone, Copy)]
enum Strategy {
    /// The floor that was made last.
    Latest,
    /// The floor whose quotient gives the narrowest range, as long as it narrows.
    Narrowest,
}

impl Algebra<'_> {
    /// An interval that holds the polynomial, whatever the inputs.
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

    /// Adds what is known of a polynomial from its making.
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
        self.bounds.known.insert(parts.core, met);
    }

    /// Says that a number with this polynomial in its limbs, one of which is `limb`, is an input of this range.
    pub fn relate(&mut self, name: &str, limb: Atom, whole: &Polynomial, range: Interval) {
        self.record(whole, &range);
        let number = Polynomial::atom(self.input(name, range));
        let others = whole.without(limb);
        self.bounds.wholes.push((limb, number.minus(&others)));
    }

    /// Adds what holds in the case at hand, from which bounds of similar polynomials follow.
    pub(super) fn add_fact(&mut self, polynomial: &Polynomial, range: &Interval) {
        self.record(polynomial, range);
        let range = self.bound(polynomial).meet(range);
        self.is_impossible |= range.is_empty();
        self.bounds.complete.clear();
        self.bounds.facts.push((polynomial.clone(), range));
    }

    fn find_bound(&mut self, core: &Polynomial) -> Interval {
        let mut range = self.direct_bound(core);
        for index in 0..self.bounds.facts.len() {
            if let Some(found) = self.bound_beside(core, index) {
                range = range.meet(&found);
            }
        }
        for strategy in [Strategy::Latest, Strategy::Narrowest] {
            self.substitute_digits(core, strategy, &mut range);
        }
        range
    }

    /// From the ranges of the atoms, from the making, and with whole numbers for limbs.
    fn direct_bound(&self, polynomial: &Polynomial) -> Interval {
        let mut range = self.box_bound(polynomial);
        let parts = Parts::of(polynomial);
        if let Some(known) = self.bounds.known.get(&parts.core) {
            range = range.meet(&parts.outward(known));
        }
        if self.bounds.wholes.iter().any(|(limb, _)| polynomial.contains(*limb)) {
            let whole = self.with_wholes(polynomial);
            range = range.meet(&self.box_bound(&whole));
        }
        range
    }

    fn with_wholes(&self, polynomial: &Polynomial) -> Polynomial {
        let wholes = self.bounds.wholes.iter();
        wholes.fold(polynomial.clone(), |sum, (limb, whole)| self.replaced(&sum, *limb, whole))
    }

    /// Each atom by itself.
    fn box_bound(&self, polynomial: &Polynomial) -> Interval {
        let mut sum = Interval::point(BigInt::zero());
        for (monomial, coefficient) in polynomial.iter() {
            let one = Interval::point(BigInt::from(1));
            let product = monomial.iter().fold(one, |product, atom| product.times(&self.atoms[atom.index()].range));
            sum = sum.plus(&product.scaled(coefficient));
        }
        sum
    }

    /// From a fact about a polynomial of which this one is nearly a multiple, or the other way round.
    fn bound_beside(&self, core: &Polynomial, index: usize) -> Option<Interval> {
        let (fact, range) = &self.bounds.facts[index];
        let leading = fact.iter().filter(|(monomial, _)| !monomial.is_empty()).max_by_key(|(_, c)| c.magnitude())?;
        let (monomial, theirs): (&Monomial, &BigInt) = leading;
        let ours = core.coefficient(monomial)?;
        let (factor, divisor) = if (ours % theirs).is_zero() {
            (ours / theirs, BigInt::from(1))
        } else if (theirs % ours).is_zero() {
            let ratio = theirs / ours;
            (BigInt::from(if ratio.is_negative() { -1 } else { 1 }), ratio.abs())
        } else {
            return None;
        };
        let rest = core.scaled(&divisor).minus(&fact.scaled(&factor));
        let rest = self.direct_bound(&rest);
        Some(range.scaled(&factor).plus(&rest).divided(&divisor))
    }

    /// Writes floors as quotients, and meets `range` with what follows each time.
    fn substitute_digits(&self, core: &Polynomial, strategy: Strategy, range: &mut Interval) {
        let zero = Interval::point(BigInt::zero());
        let mut quotient = Quotient { numerator: core.clone(), error: zero, scale: 0 };
        for _ in 0..MAX_DIGITS {
            if quotient.scale > MAX_SCALE || quotient.numerator.len() > MAX_MONOMIALS {
                return;
            }
            let Some(next) = self.next_quotient(&quotient, strategy) else { return };
            quotient = next;
            let numerator = self.direct_bound(&quotient.numerator).plus(&quotient.error);
            *range = range.meet(&numerator.divided(&power_of_two(quotient.scale)));
        }
    }

    fn next_quotient(&self, quotient: &Quotient, strategy: Strategy) -> Option<Quotient> {
        let linear = quotient.numerator.linear_atoms();
        let mut floors = linear.iter().rev().filter(|(atom, _)| self.floor_of(*atom).is_some());
        match strategy {
            Strategy::Latest => floors.next().and_then(|(atom, c)| self.as_quotient(quotient, *atom, c)),
            Strategy::Narrowest => {
                let width = |q: &Quotient| self.box_bound(&q.numerator).width() + q.error.width();
                let candidates =
                    floors.take(MAX_CANDIDATES).filter_map(|(atom, c)| self.as_quotient(quotient, *atom, c));
                let narrowest = candidates
                    .map(|next| (width(&next) >> (next.scale - quotient.scale) as usize, next))
                    .min_by(|(a, _), (b, _)| a.cmp(b))?;
                (narrowest.0 < width(quotient)).then_some(narrowest.1)
            }
        }
    }

    /// With the floor `c * f` as `c * (of - r) / 2^shift`, 0 <= r < 2^shift.
    fn as_quotient(&self, quotient: &Quotient, atom: Atom, c: &BigInt) -> Option<Quotient> {
        let (of, shift) = self.floor_of(atom)?;
        let mut numerator = quotient.numerator.without(atom).shifted(shift);
        numerator.add_scaled(of, c);
        let remainder = Interval::word(shift).scaled(&-c);
        let error = quotient.error.scaled(&power_of_two(shift)).plus(&remainder);
        Some(Quotient { numerator, error, scale: quotient.scale + shift })
    }

    pub(super) fn floor_of(&self, atom: Atom) -> Option<(&Polynomial, u32)> {
        match &self.atoms[atom.index()].kind {
            Kind::Floor { of, shift } => Some((of, *shift)),
            _ => None,
        }
    }
}
