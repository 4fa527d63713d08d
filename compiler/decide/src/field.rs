//! Machine words as integers: every term denotes an integer, as an exact polynomial over unknowns.
//!
//! A word of w bits that an operation computes modulo 2^w is `P - 2^w * floor(P / 2^w)` for the polynomial P of the
//! exact result; so is an extract. A floor is an *atom*, one for each polynomial and shift, unless one of these rules
//! gives it another form:
//!
//! 1. multiples of 2^k come out of a floor by 2^k;
//! 2. a floor within a floor is one floor, so that chains of carries and borrows telescope, in whatever order they run;
//!    comparisons, tests for zero, and complements are floors, too;
//! 3. the floor of one of two neighbouring integers, on both sides of a multiple of 2^k, is linear, and so is a
//!    function of two bits for which one pair of values is impossible;
//! 4. the square of a bit is the bit, for moves on conditions, masks and selections; a bitwise function of words and
//!    masks is a selection, since a mask has two values;
//! 5. a square is 0 or 1 modulo 4;
//! 6. a bit that an identity depends on may be 0 or 1. In each case a floor becomes a polynomial in earlier atoms, and
//!    the case gives a bound of its remainder. Floors whose difference can have one value only become such polynomials,
//!    too.
//!
//! All else is bounds. The range of a polynomial is the intersection of the ranges that follow from its construction,
//! from the ranges of its atoms, from atoms written as quotients (`floor(P / 2^k) = (P - r) / 2^k` with
//! `0 <= r < 2^k`), and from values that are below a modulus though their limbs are not.
//!
//! Nothing here is guessed: an operation without a meaning in this algebra gives an atom with the range of a word. An
//! [`Algebra`] lists its atoms with their definitions and ranges in the order in which they were made, each in terms of
//! earlier ones.

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

use crate::effort::OPERATION;

pub use cases::{Goal, GoalKind, Number, Open, prove};
pub use interval::{Interval, power_of_two};
pub use polynomial::{Atom, Monomial, Polynomial, Square};

use bounds::Bounds;

/// Meaning of an atom.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A given number: a limb, a word or, with `value < p`, a whole number.
    Input(String),
    /// `floor(of / 2^shift)`.
    Floor { of: Polynomial, shift: u32 },
    /// A polynomial that is 0 or 1, in products.
    Bit(Polynomial),
    /// Whether a polynomial is 0.
    IsZero(Polynomial),
    /// A word about which this algebra knows nothing more.
    Word(Term),
}

/// The definition and the range of an atom.
#[derive(Debug, Clone)]
pub struct Definition {
    pub kind: Kind,
    pub range: Interval,
}

/// Knowledge about terms as integers.
pub struct Algebra<'t> {
    terms: &'t Terms,
    atoms: Vec<Definition>,
    floors: FxHashMap<(Polynomial, u32), Atom>,
    bits: FxHashMap<Polynomial, Atom>,
    zeros: FxHashMap<Polynomial, Atom>,
    values: FxHashMap<Term, Polynomial>,
    bounds: Bounds,
    inverses: Vec<Inverse>,
    /// Atoms h of inputs that are odd: these are 2 h + 1.
    halves: Vec<Atom>,
    /// Products that are known, in the order in which they were found.
    products: Vec<Product>,
    /// Atoms that equal polynomials in earlier ones, in the current case.
    equations: Vec<(Atom, Polynomial)>,
    /// Whether the current case is impossible.
    is_impossible: bool,
    /// Whether remainders of floors are kept. Bounds may depend on them; equalities do not, and have many more floors.
    keeps_remainders: bool,
    /// Number of monomials that were looked at; `most` is the limit.
    effort: Cell<u64>,
    most: u64,
}

/// Two inputs whose product is `unit`, 1 or -1, modulo 2^bits.
#[derive(Debug, Clone, Copy)]
struct Inverse {
    of: Atom,
    by: Atom,
    bits: u32,
    unit: i32,
    /// Stands for 2^-bits where that is a number: modulo one whose lowest word is `of`.
    power: Atom,
}

/// A word q, the product of a number and `inverse.by` modulo 2^bits: `inverse.of * q = 2^bits * quotient + unit * number`.
#[derive(Debug, Clone)]
struct Product {
    inverse: Inverse,
    number: Polynomial,
    word: Atom,
    quotient: Atom,
}

/// Numbers of monomials that are looked at before a proof is given up.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// For the whole proof; most of them are in the terms' own polynomials.
    pub whole: u64,
    /// For the cases of each goal.
    pub search: u64,
}

impl Effort {
    /// Effort for an operation: it takes some seconds.
    pub const OPERATION: Effort = OPERATION;
}

impl<'t> Algebra<'t> {
    /// Returns an algebra that looks at `most` monomials, and then at no more.
    pub fn new(terms: &'t Terms, most: u64) -> Algebra<'t> {
        Algebra {
            terms,
            atoms: Vec::new(),
            floors: FxHashMap::default(),
            bits: FxHashMap::default(),
            zeros: FxHashMap::default(),
            values: FxHashMap::default(),
            bounds: Bounds::default(),
            inverses: Vec::new(),
            halves: Vec::new(),
            products: Vec::new(),
            equations: Vec::new(),
            is_impossible: false,
            keeps_remainders: false,
            effort: Cell::new(0),
            most,
        }
    }

    /// Adds a new unknown.
    pub fn input(&mut self, name: &str, range: Interval) -> Atom {
        self.atom(Kind::Input(name.to_owned()), range)
    }

    /// Makes a term an unknown in a range. If the term is an unknown already, it stays the same one, in both ranges; the
    /// answer is its atom, or that of its half if it is odd.
    pub fn limb(&mut self, term: Term, name: &str, range: Interval) -> Atom {
        let known = self.values.get(&term).and_then(|value| value.atoms().first().copied());
        let atom = known.unwrap_or_else(|| self.input(name, range.clone()));
        let is_half = self.halves.contains(&atom);
        let range = if is_half { range.minus(&Interval::point(1.into())).divided(&2.into()) } else { range };
        let definition = &mut self.atoms[atom.index()];
        definition.range = definition.range.meet(&range);
        self.is_impossible |= definition.range.is_empty();
        if !is_half {
            self.values.insert(term, Polynomial::atom(atom));
        }
        atom
    }

    /// Makes a term of `bits` bits an unknown that is odd.
    pub fn odd(&mut self, term: Term, name: &str, bits: u32) {
        let half = self.input(&format!("half of {name}"), Interval::word(bits - 1));
        self.halves.push(half);
        self.values.insert(term, Polynomial::atom(half).shifted(1).plus_constant(1));
    }

    /// Declares that the product of two inputs, words of `bits` bits that are terms, is 1 or -1 modulo 2^bits.
    pub fn inverse(&mut self, of: Term, by: Term, bits: u32, unit: i32) {
        // A number that is known to be odd is no unknown of its own: nothing is known of it then.
        let atom = |term| {
            let value = self.values.get(&term)?;
            value.atoms().first().copied().filter(|&atom| *value == Polynomial::atom(atom))
        };
        let (Some(of), Some(by)) = (atom(of), atom(by)) else { return };
        let power = self.input("power", Interval::new(0, 2));
        self.inverses.push(Inverse { of, by, bits, unit, power });
    }

    /// Returns a polynomial modulo 2^bits, if it is the product of a number and a word that has an inverse.
    fn word_by_inverse(&mut self, polynomial: &Polynomial, bits: u32) -> Option<Polynomial> {
        let with_number = |inverse: &Inverse| Some((*inverse, polynomial.divided_by(inverse.by)?));
        let (inverse, number) = self.inverses.iter().filter(|inverse| inverse.bits == bits).find_map(with_number)?;
        let is_it = |product: &&Product| product.inverse.by == inverse.by && product.number == number;
        if let Some(known) = self.products.iter().find(is_it) {
            return Some(Polynomial::atom(known.word));
        }
        let word = self.input("word", Interval::word(bits));
        let of_number = self.bound(&number).scaled(&inverse.unit.into());
        let whole = Interval::word(bits).times(&self.definition(inverse.of).range).minus(&of_number);
        let quotient = self.input("quotient", whole.divided(&power_of_two(bits)));
        self.products.push(Product { inverse, number, word, quotient });
        Some(Polynomial::atom(word))
    }

    /// Returns all atoms in the order in which they were made; definitions are in earlier ones.
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

    /// Counts this many more monomials, and returns whether the limit is exceeded. Results that are found from then on
    /// are worthless.
    fn is_exhausted_by(&self, monomials: usize) -> bool {
        self.effort.set(self.effort.get().saturating_add(monomials as u64));
        self.is_exhausted()
    }

    fn is_exhausted(&self) -> bool {
        self.effort.get() > self.most
    }

    /// Returns the product of two polynomials.
    pub fn product(&self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        if self.is_exhausted_by(a.len().saturating_mul(b.len())) {
            return Polynomial::zero();
        }
        self.with_known_products(a.times(b, &|atom| self.square(atom)))
    }

    /// Writes what products are in place of those that are known.
    fn with_known_products(&self, mut polynomial: Polynomial) -> Polynomial {
        for Product { inverse, number, word, quotient } in &self.products {
            let of_number = number.scaled(&inverse.unit.into());
            let known = Polynomial::atom(*quotient).shifted(inverse.bits).plus(&of_number);
            while let Some((whole, rest)) = polynomial.split_product(inverse.of, *word) {
                if self.is_exhausted_by(rest.len().saturating_mul(known.len())) {
                    return Polynomial::zero();
                }
                polynomial = whole.plus(&rest.times(&known, &|atom| self.square(atom)));
            }
        }
        polynomial
    }

    fn replaced(&self, polynomial: &Polynomial, atom: Atom, by: &Polynomial) -> Polynomial {
        let places = polynomial.iter().filter(|(monomial, _)| monomial.contains(&atom)).count();
        if self.is_exhausted_by(polynomial.len() + places.saturating_mul(by.len())) {
            return Polynomial::zero();
        }
        self.with_known_products(polynomial.substitute(atom, by, &|other| self.square(other)))
    }

    /// Substitutes the equations of the current case into a polynomial.
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
