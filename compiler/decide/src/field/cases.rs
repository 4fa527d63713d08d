//! Goals, and the cases of bits that they depend on.

use std::fmt::Write;

use culet_term::{Term, Terms};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::bounds::Bounds;
use super::interval::{Interval, power_of_two};
use super::polynomial::{Atom, Monomial, Polynomial};
use super::{Algebra, Definition, Effort, Inverse, Kind, Product};
use crate::effort::integers::{MAX_CASES, MAX_DEPTH, MAX_FLOORS, MAX_TRIED};

/// Maximum number of monomials that are shown of a polynomial that should have been zero.
const SHOWN_MONOMIALS: usize = 4;

/// Makes a number in the algebra of each case.
pub type Number<'g> = Box<dyn Fn(&mut Algebra) -> Polynomial + 'g>;

/// Something to prove.
pub struct Goal<'g> {
    /// Text of the goal, for messages.
    pub name: String,
    /// The terms that it is about.
    pub roots: Vec<Term>,
    /// The number that it is about.
    pub polynomial: Number<'g>,
    pub kind: GoalKind,
}

#[derive(Debug, Clone)]
pub enum GoalKind {
    Within(Interval),
    /// The number is zero; modulo `modulus`, if that is not zero itself.
    Zero {
        modulus: BigInt,
    },
    /// The number is a multiple of the number with these limbs, which are inputs, each with the exponent of its weight.
    Multiple {
        limbs: Vec<(Term, u32)>,
    },
}

/// A goal that was not reached.
#[derive(Debug, Clone)]
pub struct Open {
    pub goal: String,
    /// Description of what is left of it in the case that was tried last.
    pub rest: String,
    /// Number of steps with monomials that it took.
    pub steps: u64,
}

/// Proves goals about terms with this effort; `setup` makes the inputs of an algebra. Returns the number of cases that
/// were distinguished.
///
/// # Errors
///
/// The first goal that was not reached. It may hold all the same.
pub fn prove(terms: &Terms, setup: &dyn Fn(&mut Algebra), goals: &[Goal], effort: Effort) -> Result<u32, Open> {
    let mut algebra = Algebra::new(terms, effort.whole);
    algebra.keeps_remainders = goals.iter().any(|goal| matches!(goal.kind, GoalKind::Within(_)));
    setup(&mut algebra);
    let mut cases = 1;
    for goal in goals {
        algebra.evaluate(&goal.roots);
        let polynomial = (goal.polynomial)(&mut algebra);
        algebra.most = effort.whole.min(algebra.effort.get().saturating_add(effort.search));
        let mut search = Search { kind: &goal.kind, cases: 0, rest: String::new() };
        let holds = search.holds(&mut algebra, &polynomial, MAX_DEPTH);
        let rest = match (algebra.is_exhausted(), holds) {
            (true, _) => Some(format!("it takes more than {} steps with monomials", algebra.most)),
            (false, false) => Some(search.rest),
            (false, true) => None,
        };
        if let Some(rest) = rest {
            return Err(Open { goal: goal.name.clone(), rest, steps: algebra.effort.get() });
        }
        algebra.most = effort.whole;
        cases += search.cases;
    }
    Ok(cases)
}

/// Search for a proof of one goal.
struct Search<'g> {
    kind: &'g GoalKind,
    cases: u32,
    /// Description of what is left in the case that was tried last.
    rest: String,
}

impl Search<'_> {
    /// Whether the goal holds for a polynomial, in each case of some bits.
    fn holds(&mut self, algebra: &mut Algebra, polynomial: &Polynomial, depth: usize) -> bool {
        if algebra.is_reached_as_is(self.kind, polynomial)
            || algebra.equate_floors(polynomial) && algebra.is_reached_as_is(self.kind, polynomial)
        {
            return true;
        }
        let polynomial = algebra.settled(polynomial);
        let rest = algebra.rest(self.kind, &algebra.expanded(&polynomial));
        self.rest = algebra.describe_open(self.kind, &rest);
        if depth == 0 {
            return false;
        }
        let rest = algebra.rest(self.kind, &polynomial);
        let mut bits = algebra.deciding(&rest);
        if algebra.keeps_remainders && bits.len() < MAX_TRIED {
            bits.extend(algebra.neighbours(&rest, &bits));
        }
        bits.into_iter().take(MAX_TRIED).any(|bit| {
            [false, true].into_iter().all(|value| self.holds_in_case(algebra, &polynomial, (&bit, value), depth))
        })
    }

    fn holds_in_case(
        &mut self,
        algebra: &mut Algebra,
        polynomial: &Polynomial,
        (bit, value): (&Polynomial, bool),
        depth: usize,
    ) -> bool {
        if self.cases == MAX_CASES {
            return false;
        }
        self.cases += 1;
        let before = algebra.known();
        algebra.suppose(bit, value);
        let holds = algebra.is_impossible || self.holds(algebra, polynomial, depth - 1);
        algebra.forget(before);
        holds
    }
}

/// Knowledge of an algebra that a case may add to.
pub(super) struct Known {
    bounds: Bounds,
    atoms: Vec<Definition>,
    equations: usize,
}

impl Algebra<'_> {
    pub(super) fn known(&self) -> Known {
        Known { bounds: self.bounds.clone(), atoms: self.atoms.clone(), equations: self.equations.len() }
    }

    pub(super) fn forget(&mut self, before: Known) {
        self.bounds = before.bounds;
        self.atoms = before.atoms;
        self.equations.truncate(before.equations);
        self.is_impossible = false;
    }

    /// Whether a goal holds for a polynomial, or the current case is impossible.
    fn is_reached_as_is(&mut self, kind: &GoalKind, polynomial: &Polynomial) -> bool {
        let settled = self.settled(polynomial);
        let expanded = self.expanded(&settled);
        self.is_reached(kind, &settled) || self.is_reached(kind, &expanded) || self.is_impossible
    }

    /// Adds equations between floors whose difference can be one integer only. The floors are those in a polynomial and
    /// in the equations of the current case. Returns whether any equation was added.
    pub(super) fn equate_floors(&mut self, polynomial: &Polynomial) -> bool {
        let settled = self.settled(polynomial);
        let mut floors: Vec<Atom> =
            self.equations.iter().flat_map(|(atom, by)| [by.atoms(), vec![*atom]].concat()).collect();
        floors.extend(settled.atoms());
        floors.retain(|&atom| self.floor_of(atom).is_some());
        floors.sort_unstable();
        floors.dedup();
        let before = self.equations.len();
        for &late in floors.iter().rev().filter(|&&atom| settled.contains(atom)).take(MAX_FLOORS) {
            for &early in floors.iter().rev().filter(|&&atom| atom < late).take(MAX_FLOORS) {
                let difference = self.settled(&Polynomial::atom(late).minus(&Polynomial::atom(early)));
                if let Some(value) = self.bound(&difference).single().cloned() {
                    self.equate(&difference.plus_constant(-value));
                }
            }
        }
        self.equations.len() > before
    }

    fn is_reached(&mut self, kind: &GoalKind, polynomial: &Polynomial) -> bool {
        match kind {
            GoalKind::Within(range) => self.bound(polynomial).within(range),
            GoalKind::Zero { .. } | GoalKind::Multiple { .. } => {
                let rest = self.rest(kind, polynomial);
                // The rest may be zero because of bounds, such as that of an impossible carry.
                rest.is_zero() || self.bound(&rest).single().is_some_and(BigInt::is_zero)
            }
        }
    }

    fn rest(&self, kind: &GoalKind, polynomial: &Polynomial) -> Polynomial {
        match kind {
            GoalKind::Within(_) => polynomial.clone(),
            GoalKind::Zero { modulus } => self.remainder(polynomial, modulus),
            GoalKind::Multiple { limbs } => self.modulo_number(polynomial, limbs),
        }
    }

    /// Returns polynomials that are 0 or 1 and may decide about this one: bits in its products, then others with floors
    /// that are in it, then those with floors in the definitions of these; the latest first.
    pub(super) fn deciding(&self, polynomial: &Polynomial) -> Vec<Polynomial> {
        let floors = self.unknown(&polynomial.atoms());
        let within: Vec<Atom> =
            floors.iter().filter_map(|&atom| self.floor_of(atom)).flat_map(|(of, _)| of.atoms()).collect();
        let own = floors.iter().filter_map(|&atom| self.bit_of(atom));
        let all = self.all_bits();
        let sharing = [floors.clone(), self.unknown(&within)];
        let sharing = sharing
            .iter()
            .flat_map(|atoms| all.iter().filter(|bit| bit.atoms().iter().any(|atom| atoms.contains(atom))));
        let mut bits: Vec<Polynomial> = Vec::new();
        for bit in own.chain(sharing.cloned()) {
            let complement = bit.negated().plus_constant(1);
            if bit.as_constant().is_none() && !bits.contains(&bit) && !bits.contains(&complement) {
                bits.push(bit);
            }
        }
        bits
    }

    /// Returns polynomials that are 0 or 1 because two floors are neighbours: one in a polynomial, and one in bits that
    /// may decide about it. If a bound depends on nothing but the difference of such floors, no word need be that
    /// difference.
    fn neighbours(&mut self, polynomial: &Polynomial, bits: &[Polynomial]) -> Vec<Polynomial> {
        let floors = |polynomials: &[Polynomial]| {
            let mut floors: Vec<Atom> = polynomials.iter().flat_map(Polynomial::atoms).collect();
            floors.retain(|&atom| self.floor_of(atom).is_some());
            floors.sort_unstable_by(|a, b| b.cmp(a));
            floors.dedup();
            floors
        };
        let (own, mut others) = (floors(std::slice::from_ref(polynomial)), floors(bits));
        others.retain(|atom| !own.contains(atom));
        let mut found = Vec::new();
        for &late in own.iter().take(MAX_FLOORS) {
            for &early in others.iter().take(MAX_FLOORS) {
                let difference = self.settled(&Polynomial::atom(late).minus(&Polynomial::atom(early)));
                let bit = difference.plus_constant(-self.bound(&difference).low);
                // The difference must be seen to be a bit: if it had other values, the proof would lack their cases.
                if bit.as_constant().is_none() && self.bound(&bit).within(&Interval::bit()) {
                    found.push(bit);
                }
            }
        }
        found
    }

    /// Returns those of the atoms that are no inputs, the latest first.
    fn unknown(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().rev().copied().filter(|&atom| !matches!(self.definition(atom).kind, Kind::Input(_))).collect()
    }

    /// Returns the bits that selections depend on, terms of one bit, and other polynomials that are known to have two
    /// values.
    pub(super) fn all_bits(&self) -> Vec<Polynomial> {
        let of_selections = self.atoms.iter().rev().filter_map(|definition| match &definition.kind {
            Kind::Bit(of) => Some(self.settled(of)),
            _ => None,
        });
        let mut terms: Vec<Term> = self.values.keys().copied().filter(|&term| self.terms.bits(term) == 1).collect();
        terms.sort_unstable_by(|a, b| b.cmp(a));
        let others = self.bounds.bits.iter().rev().map(|bit| self.settled(bit));
        of_selections.chain(terms.into_iter().map(|term| self.value(term))).chain(others).collect()
    }

    /// Returns the polynomial that is 0 or 1 if an atom has two neighbouring values.
    fn bit_of(&self, atom: Atom) -> Option<Polynomial> {
        let definition = self.definition(atom);
        match &definition.kind {
            Kind::Bit(of) => Some(self.settled(of)),
            _ if definition.range.width().is_one() => {
                Some(Polynomial::atom(atom).plus_constant(-&definition.range.low))
            }
            _ => None,
        }
    }

    /// Reduces the coefficients of a polynomial modulo the modulus.
    fn remainder(&self, polynomial: &Polynomial, modulus: &BigInt) -> Polynomial {
        if modulus.is_zero() {
            return polynomial.clone();
        }
        let half: BigInt = modulus >> 1;
        polynomial.map(|coefficient| {
            let rest = coefficient.mod_floor(modulus);
            if rest > half { rest - modulus } else { rest }
        })
    }

    /// Returns a polynomial that is congruent to this one, times a power of two that is invertible, modulo the number with
    /// these limbs: its lowest limb is the others' sum negated. A limb that has an inverse is odd, and so is the number.
    fn modulo_number(&self, polynomial: &Polynomial, limbs: &[(Term, u32)]) -> Polynomial {
        let values: Option<Vec<(&Polynomial, u32)>> =
            limbs.iter().map(|(term, position)| Some((self.values.get(term)?, *position))).collect();
        let Some([(value, 0), above @ ..]) = values.as_deref() else { return polynomial.clone() };
        let [lowest] = value.atoms()[..] else { return polynomial.clone() };
        let others = |down: u32| {
            let mut sum = Polynomial::zero();
            for (value, position) in above {
                sum.add_scaled(value, &power_of_two(position - down));
            }
            sum
        };
        if self.halves.contains(&lowest) {
            let is_odd = above.iter().all(|(_, position)| *position > 0);
            return if is_odd { self.modulo_odd(polynomial, lowest, &others(0)) } else { polynomial.clone() };
        }
        let mut rest = polynomial.clone();
        let mut power = None;
        for Product { inverse, number, word, quotient } in self.products.iter().rev() {
            let Inverse { of, bits, unit, power: own, .. } = *inverse;
            if of != lowest || above.iter().any(|(_, position)| *position < bits) {
                continue;
            }
            // 2^bits * quotient + unit * number = lowest * word, which is -others * word.
            let by_others = self.product(&others(bits), &Polynomial::atom(*word));
            let by_number = self.product(&Polynomial::atom(own), number).scaled(&BigInt::from(-unit));
            rest = self.replaced(&rest, *quotient, &by_number.minus(&by_others));
            power = Some((own, bits));
        }
        let rest = self.replaced(&rest, lowest, &others(0).negated());
        power.map_or(rest.clone(), |(power, bits)| rest.with_inverse_power(power, bits))
    }

    /// Returns a polynomial that is congruent to this one, times a power of two, modulo the odd number
    /// `2 * half + 1 + others`, without the half: twice the half is the rest negated.
    fn modulo_odd(&self, polynomial: &Polynomial, half: Atom, others: &Polynomial) -> Polynomial {
        let twice = others.plus_constant(1).negated();
        let mut of_power: Vec<Polynomial> = Vec::new();
        for (monomial, coefficient) in polynomial.iter() {
            let (halves, rest): (Monomial, Monomial) = monomial.iter().copied().partition(|atom| *atom == half);
            of_power.resize(of_power.len().max(halves.len() + 1), Polynomial::zero());
            of_power[halves.len()].add_term(rest, coefficient.clone());
        }
        let mut sum = Polynomial::zero();
        for (doublings, rest) in (0..).zip(of_power.iter().rev()) {
            sum = self.product(&sum, &twice).plus(&rest.shifted(doublings));
        }
        sum
    }

    /// Describes what stays open of a goal, for messages.
    fn describe_open(&mut self, kind: &GoalKind, rest: &Polynomial) -> String {
        match kind {
            GoalKind::Zero { .. } | GoalKind::Multiple { .. } => self.describe(rest),
            GoalKind::Within(_) => {
                let found = self.bound(rest);
                format!("it is known to be from {:#x} to {:#x}", found.low, found.high)
            }
        }
    }

    /// Describes the last monomials of a polynomial, and the definitions of the floors in them.
    fn describe(&self, polynomial: &Polynomial) -> String {
        let mut text = String::new();
        let mut atoms = Vec::new();
        for (monomial, coefficient) in polynomial.iter().rev().take(SHOWN_MONOMIALS) {
            let _ = write!(text, "{}{coefficient:#x}", if text.is_empty() { "" } else { " + " });
            for &atom in monomial {
                let _ = write!(text, " {}", self.name(atom));
                atoms.push(atom);
            }
        }
        let more = polynomial.len().saturating_sub(SHOWN_MONOMIALS);
        if more > 0 {
            let _ = write!(text, " and {more} more");
        }
        atoms.sort_unstable();
        atoms.dedup();
        for atom in atoms {
            if let Kind::Floor { of, shift } = &self.definition(atom).kind {
                let range = &self.definition(atom).range;
                let (name, count) = (self.name(atom), of.len());
                let _ = write!(
                    text,
                    "; {name} = floor({count} monomials / 2^{shift}), {:#x} to {:#x}",
                    range.low, range.high
                );
            }
        }
        text
    }

    fn name(&self, atom: Atom) -> String {
        match &self.definition(atom).kind {
            Kind::Input(name) => name.clone(),
            Kind::Floor { .. } => format!("f{}", atom.index()),
            Kind::Bit(_) | Kind::IsZero(_) => format!("b{}", atom.index()),
            Kind::Word(term) => format!("t{}", term.index()),
        }
    }
}
