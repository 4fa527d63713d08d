//! Goals, and the cases of bits on which they hang.

use std::fmt::Write;

use culet_term::{Term, Terms};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;

use super::interval::Interval;
use super::polynomial::{Atom, Polynomial};
use super::{Algebra, Kind};

/// Bits that are told apart, one within the other.
const MAX_DEPTH: usize = 4;
/// Bits of products that are told apart in one algebra, and how many of them are tried in the place of one another.
const MAX_BITS: usize = 3;
const MAX_TRIED: usize = 3;
/// Cases in which one goal is tried.
const MAX_CASES: u32 = 16;
/// What is shown of a polynomial that should have been zero.
const SHOWN_MONOMIALS: usize = 4;

/// How a number is made in the algebra of each case.
pub type Number<'g> = Box<dyn Fn(&mut Algebra) -> Polynomial + 'g>;

/// Something to prove.
pub struct Goal<'g> {
    /// What it says, for people.
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
    /// Zero; modulo this if it is not zero itself.
    Zero {
        modulus: BigInt,
    },
}

/// A goal that was not reached.
#[derive(Debug, Clone)]
pub struct Open {
    pub goal: String,
    /// What is left of it, in the case that was tried last.
    pub rest: String,
}

struct Search<'s> {
    terms: &'s Terms,
    setup: &'s dyn Fn(&mut Algebra),
    cases: u32,
}

/// What one case came to.
enum Outcome {
    Reached,
    Missed { rest: String, candidates: Vec<Term> },
}

/// Proves goals about terms; `setup` makes the inputs of an algebra. The answer is the number of cases that were computed.
///
/// # Errors
///
/// The first goal that was not reached. It may hold all the same.
pub fn prove(terms: &Terms, setup: &dyn Fn(&mut Algebra), goals: &[Goal]) -> Result<u32, Open> {
    let mut algebra = Algebra::new(terms, &[]);
    setup(&mut algebra);
    let mut cases = 1;
    for goal in goals {
        if let Outcome::Missed { rest, candidates } = attempt(&mut algebra, goal) {
            let mut search = Search { terms, setup, cases: 0 };
            search.split(goal, &mut Vec::new(), candidates, rest)?;
            cases += search.cases;
        }
    }
    Ok(cases)
}

impl Search<'_> {
    /// Both values of one of the candidates, the latest first.
    fn split(
        &mut self,
        goal: &Goal,
        assumed: &mut Vec<(Term, bool)>,
        candidates: Vec<Term>,
        rest: String,
    ) -> Result<(), Open> {
        let mut open = Open { goal: goal.name.clone(), rest };
        if assumed.len() >= MAX_DEPTH {
            return Err(open);
        }
        for candidate in candidates {
            match self.both(goal, assumed, candidate) {
                Ok(()) => return Ok(()),
                Err(inner) => open = inner,
            }
            if self.cases > MAX_CASES {
                break;
            }
        }
        Err(open)
    }

    fn both(&mut self, goal: &Goal, assumed: &mut Vec<(Term, bool)>, bit: Term) -> Result<(), Open> {
        for value in [false, true] {
            assumed.push((bit, value));
            let result = self.case(goal, assumed);
            assumed.pop();
            result?;
        }
        Ok(())
    }

    fn case(&mut self, goal: &Goal, assumed: &mut Vec<(Term, bool)>) -> Result<(), Open> {
        self.cases += 1;
        if self.cases > MAX_CASES {
            return Err(Open { goal: goal.name.clone(), rest: format!("more than {MAX_CASES} cases") });
        }
        let mut algebra = Algebra::new(self.terms, assumed);
        (self.setup)(&mut algebra);
        match attempt(&mut algebra, goal) {
            Outcome::Reached => Ok(()),
            Outcome::Missed { rest, mut candidates } => {
                candidates.truncate(2);
                self.split(goal, assumed, candidates, rest)
            }
        }
    }
}

/// Tries a goal in one case.
fn attempt(algebra: &mut Algebra, goal: &Goal) -> Outcome {
    algebra.evaluate(&goal.roots);
    let polynomial = (goal.polynomial)(algebra);
    if algebra.holds(&goal.kind, &polynomial, MAX_BITS) {
        return Outcome::Reached;
    }
    let polynomial = algebra.expanded(&polynomial);
    let rest = match &goal.kind {
        GoalKind::Zero { modulus } => algebra.remainder(&polynomial, modulus),
        GoalKind::Within(range) => {
            let found = algebra.bound(&polynomial);
            if found.within(range) { Polynomial::zero() } else { polynomial }
        }
    };
    if algebra.is_impossible || rest.is_zero() {
        return Outcome::Reached;
    }
    let text = match &goal.kind {
        GoalKind::Zero { .. } => algebra.describe(&rest),
        GoalKind::Within(_) => {
            let found = algebra.bound(&rest);
            format!("it is known to be from {:#x} to {:#x}", found.low, found.high)
        }
    };
    Outcome::Missed { rest: text, candidates: algebra.candidates(&goal.roots, &rest) }
}

impl Algebra<'_> {
    /// Whether a goal holds for a polynomial, in each case of some bits in its products.
    fn holds(&mut self, kind: &GoalKind, polynomial: &Polynomial, depth: usize) -> bool {
        let forms = [polynomial.clone(), self.settled(polynomial), self.expanded(polynomial)];
        if self.is_impossible || forms.iter().any(|form| self.is_reached(kind, form)) {
            return true;
        }
        let bits: Vec<Atom> = polynomial.atoms().into_iter().rev().filter(|&atom| self.is_bit(atom)).collect();
        depth > 0 && bits.into_iter().take(MAX_TRIED).any(|bit| self.holds_in_both(kind, polynomial, bit, depth))
    }

    fn is_bit(&self, atom: Atom) -> bool {
        matches!(self.definition(atom).kind, Kind::Bit(_) | Kind::IsZero(_))
    }

    fn holds_in_both(&mut self, kind: &GoalKind, polynomial: &Polynomial, bit: Atom, depth: usize) -> bool {
        [0, 1].into_iter().all(|value| {
            let (bounds, equations) = (self.bounds.clone(), self.equations.len());
            let definitions = self.atoms.clone();
            let value = BigInt::from(value);
            let polynomial = self.replaced(polynomial, bit, &Polynomial::constant(value.clone()));
            self.suppose(bit, &value);
            let holds = self.holds(kind, &polynomial, depth - 1);
            self.bounds = bounds;
            self.equations.truncate(equations);
            self.atoms = definitions;
            self.is_impossible = false;
            holds
        })
    }

    fn is_reached(&mut self, kind: &GoalKind, polynomial: &Polynomial) -> bool {
        match kind {
            GoalKind::Within(range) => self.bound(polynomial).within(range),
            GoalKind::Zero { modulus } => {
                let rest = self.remainder(polynomial, modulus);
                // What is left may be zero because of bounds: a carry that cannot be.
                rest.is_zero() || self.bound(&rest).single().is_some_and(BigInt::is_zero)
            }
        }
    }

    /// What is left of a polynomial when multiples of the modulus are gone.
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

    /// Bits that may decide about a polynomial: on which selections hang, then those that are in it; the latest first.
    fn candidates(&self, roots: &[Term], rest: &Polynomial) -> Vec<Term> {
        let cone = self.terms.cone(roots);
        let is_open = |term: &Term| {
            let value = self.values.get(term).map(|value| self.settled(value));
            value.is_some_and(|value| value.as_constant().is_none())
        };
        let conditions = cone.iter().rev().filter(|term| self.conditions.contains(term) && is_open(term));
        let mut candidates: Vec<Term> = conditions.copied().collect();
        let atoms = rest.atoms();
        let mentions = |term: &Term| {
            let value = self.values.get(term).map(|value| self.settled(value));
            value.is_some_and(|value| value.atoms().iter().any(|atom| self.reaches(&atoms, *atom)))
        };
        for &term in cone.iter().rev() {
            if self.terms.bits(term) == 1 && !candidates.contains(&term) && is_open(&term) && mentions(&term) {
                candidates.push(term);
            }
        }
        candidates
    }

    fn reaches(&self, atoms: &[Atom], atom: Atom) -> bool {
        atoms.contains(&atom) && !matches!(self.definition(atom).kind, Kind::Input(_))
    }

    /// The first monomials of a polynomial, and what the atoms in them are.
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
