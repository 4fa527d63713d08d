//! Machine words as integers: every term denotes one, as an exact polynomial over what is unknown.
//!
//! A word of w bits that an operation computes modulo 2^w is `P - 2^w * floor(P / 2^w)` for the polynomial P of the exact
//! result; so is an extract. A floor is an *atom*, one for each polynomial and shift, unless it is known otherwise:
//!
//! 1. multiples of 2^k come out of a floor by 2^k;
//! 2. a floor within a floor is one floor, so that chains of carries and borrows telescope, in whatever order they run;
//!    comparisons, whether a word is zero, and complements are floors, too;
//! 3. of two neighbouring integers on both sides of a multiple of 2^k, the floor is linear, and so is
//!    a function of two bits of which one pair of values cannot be;
//! 4. the square of a bit is the bit, for moves on conditions, masks and selections; a bitwise function of words and masks is
//!    a selection, since a mask has two values;
//! 5. a square is 0 or 1 modulo 4;
//! 6. a bit on which an identity hangs may be 0 or 1. In each case a floor becomes a polynomial in earlier atoms, what the case
//!    says of its remainder is a bound, and so are floors whose difference can have one value only.
//!
//! All else is bounds. What a polynomial may be is the intersection of what is known from its making, from the ranges of
//! its atoms, from atoms written as quotients (`floor(P / 2^k) = (P - r) / 2^k` with `0 <= r < 2^k`), and from values that
//! are below a modulus though their limbs are not.
//!
//! Nothing here is guessed: an operation without a meaning in this algebra gives an atom with the range of a word. An
//! [`Algebra`] lists its atoms with their definitions and ranges in the order of their making, each from earlier ones.

mod bitwise;
mod bounds;
mod cases;
mod floors;
mod interval;
mod polynomial;
#[cfg(test)]
mod tests;
mod words;

use std::cell::Cell;

use culet_term::{Term, Terms};
use rustc_hash::FxHashMap;

pub use cases::{Goal, GoalKind, Number, Open, prove};
pub use interval::{Interval, power_of_two};
pub use polynomial::{Atom, Monomial, Polynomial, Square};

use bounds::Bounds;

/// What an atom stands for.
#[derive(Debug, Clone)]
pub enum Kind {
    /// What is given: a limb, a word or, with `value < p`, a whole number.
    Input(String),
    /// `floor(of / 2^shift)`.
    Floor { of: Polynomial, shift: u32 },
    /// A polynomial that is 0 or 1, in products.
    Bit(Polynomial),
    /// Whether a polynomial is 0.
    IsZero(Polynomial),
    /// A word that this algebra does not know more of.
    Word(Term),
}

/// The definition and the range of an atom.
#[derive(Debug, Clone)]
pub struct Definition {
    pub kind: Kind,
    pub range: Interval,
}

/// What is known of terms as integers.
pub struct Algebra<'t> {
    terms: &'t Terms,
    atoms: Vec<Definition>,
    floors: FxHashMap<(Polynomial, u32), Atom>,
    bits: FxHashMap<Polynomial, Atom>,
    zeros: FxHashMap<Polynomial, Atom>,
    values: FxHashMap<Term, Polynomial>,
    bounds: Bounds,
    /// Atoms that equal polynomials in earlier ones, in the case at hand.
    equations: Vec<(Atom, Polynomial)>,
    /// Whether the case at hand cannot be.
    is_impossible: bool,
    /// Whether what floors leave is kept, on which bounds may hang; equalities do not, and have many more floors.
    keeps_remainders: bool,
    /// Monomials that were looked at, and how many may be.
    effort: Cell<u64>,
    most: u64,
}

/// How many monomials are looked at before a proof is given up.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// In all, of which most are those of the terms' own polynomials.
    pub whole: u64,
    /// In the cases of each goal.
    pub search: u64,
}

impl Effort {
    /// That for an operation: some seconds' worth, and four times what the longest product takes.
    pub const OPERATION: Effort = Effort { whole: 20_000_000, search: 20_000_000 };
}

impl<'t> Algebra<'t> {
    /// Looks at `most` monomials, and then at no more.
    pub fn new(terms: &'t Terms, most: u64) -> Algebra<'t> {
        Algebra {
            terms,
            atoms: Vec::new(),
            floors: FxHashMap::default(),
            bits: FxHashMap::default(),
            zeros: FxHashMap::default(),
            values: FxHashMap::default(),
            bounds: Bounds::default(),
            equations: Vec::new(),
            is_impossible: false,
            keeps_remainders: false,
            effort: Cell::new(0),
            most,
        }
    }

    /// A new unknown.
    pub fn input(&mut self, name: &str, range: Interval) -> Atom {
        self.atom(Kind::Input(name.to_owned()), range)
    }

    /// A new unknown that a term is; the same one if it is one already, in both ranges.
    pub fn limb(&mut self, term: Term, name: &str, range: Interval) -> Atom {
        let known = self.values.get(&term).and_then(|value| value.atoms().first().copied());
        let atom = known.unwrap_or_else(|| self.input(name, range.clone()));
        let definition = &mut self.atoms[atom.index()];
        definition.range = definition.range.meet(&range);
        self.is_impossible |= definition.range.is_empty();
        self.values.insert(term, Polynomial::atom(atom));
        atom
    }

    /// All atoms in the order of their making; definitions are in earlier ones.
    pub fn atoms(&self) -> impl Iterator<Item = (Atom, &Definition)> {
        (0..).map(Atom).zip(&self.atoms)
    }

    pub fn definition(&self, atom: Atom) -> &Definition {
        &self.atoms[atom.index()]
    }

    fn atom(&mut self, kind: Kind, range: Interval) -> Atom {
        let atom = Atom(u32::try_from(self.atoms.len()).expect("fewer than 2^32 atoms"));
        self.is_impossible |= range.is_empty();
        self.atoms.push(Definition { kind, range });
        atom
    }

    fn square(&self, atom: Atom) -> Square {
        let range = &self.atoms[atom.index()].range;
        if range.within(&Interval::bit()) {
            Square::Same
        } else if range.within(&Interval::new(-1, 0)) {
            Square::Negated
        } else {
            Square::Free
        }
    }

    /// Whether so many more monomials are not looked at any more. What is found from then on is worth nothing.
    fn is_exhausted_by(&self, monomials: usize) -> bool {
        self.effort.set(self.effort.get().saturating_add(monomials as u64));
        self.is_exhausted()
    }

    fn is_exhausted(&self) -> bool {
        self.effort.get() > self.most
    }

    /// The product of two polynomials.
    pub fn product(&self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        if self.is_exhausted_by(a.len().saturating_mul(b.len())) {
            return Polynomial::zero();
        }
        a.times(b, &|atom| self.square(atom))
    }

    fn replaced(&self, polynomial: &Polynomial, atom: Atom, by: &Polynomial) -> Polynomial {
        let places = polynomial.iter().filter(|(monomial, _)| monomial.contains(&atom)).count();
        if self.is_exhausted_by(polynomial.len() + places.saturating_mul(by.len())) {
            return Polynomial::zero();
        }
        polynomial.substitute(atom, by, &|other| self.square(other))
    }

    /// With what is known of atoms in the case at hand put in their places.
    fn settled(&self, polynomial: &Polynomial) -> Polynomial {
        let mut settled = polynomial.clone();
        for (atom, by) in &self.equations {
            if settled.contains(*atom) {
                settled = self.replaced(&settled, *atom, by);
            }
        }
        settled
    }
}
