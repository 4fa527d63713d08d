//! Random tests of every rule: the algebra's claims about terms hold for the integers that the terms are.

use culet_term::{Assignment, InputKind, Node, Term, Terms};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};

use super::interval::power_of_two;
use super::{Algebra, Effort, Goal, GoalKind, Interval, Kind, Polynomial, prove};
use crate::bits::simulate::random;

const PROGRAMS: u64 = 150;
const OPERATIONS: usize = 30;
const SAMPLES: usize = 12;
/// Widths for which products of several factors and carries into each other happen often.
const WIDTHS: [u32; 5] = [1, 8, 16, 17, 64];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        (random(&mut self.0) % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Draws an integer below a bound, often at an edge.
    fn integer(&mut self, bound: &BigInt) -> BigInt {
        let digits = [random(&mut self.0) as u32, random(&mut self.0) as u32, random(&mut self.0) as u32];
        match self.below(4) {
            0 => bound - BigInt::one(),
            1 => BigInt::zero(),
            2 => BigInt::zero().max(bound - BigInt::from(1 + self.below(3))),
            _ => BigInt::from_slice(Sign::Plus, &digits) % bound,
        }
    }
}

fn integer(limbs: &[u64]) -> BigInt {
    let digits: Vec<u32> = limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
    BigInt::from_slice(Sign::Plus, &digits)
}

/// A random program: its terms, and its inputs with their bounds.
struct Program {
    terms: Terms,
    all: Vec<Term>,
    inputs: Vec<(Term, BigInt)>,
}

impl Program {
    fn new(source: &mut Random) -> Program {
        let mut terms = Terms::new();
        let mut inputs = Vec::new();
        for (index, bits) in [64, 64, 64, 16, 16, 8, 1, 1].into_iter().enumerate() {
            let bound = match source.below(3) {
                0 => power_of_two(bits),
                1 => power_of_two(source.below(bits as usize) as u32 + 1),
                _ => source.integer(&power_of_two(bits)) + 1,
            };
            inputs.push((terms.fresh(InputKind::Word, &format!("x[{index}]"), bits), bound));
        }
        let mut program = Program { terms, all: inputs.iter().map(|(term, _)| *term).collect(), inputs };
        for _ in 0..OPERATIONS {
            let term = program.operation(source);
            program.all.push(term);
        }
        program
    }

    /// Returns a term of this width: an existing one, cut or extended, or a constant.
    fn operand(&mut self, source: &mut Random, bits: u32) -> Term {
        if source.below(8) == 0 {
            let value = source.pick(&[0, 1, 2, 19, 38, u64::MAX, u64::MAX << 32]);
            return self.terms.constant_wide(bits, &[value]);
        }
        let from = source.below(self.all.len());
        // Later terms are taken more often, for carries of carries.
        let from = from.max(source.below(self.all.len()));
        let term = self.all[from];
        let has = self.terms.bits(term);
        if has >= bits {
            let low = if source.below(3) == 0 { source.below((has - bits + 1) as usize) as u32 } else { 0 };
            self.terms.extract(term, low, bits)
        } else {
            self.terms.zero_extend(term, bits)
        }
    }

    fn operation(&mut self, source: &mut Random) -> Term {
        let bits = source.pick(&WIDTHS);
        let (a, b) = (self.operand(source, bits), self.operand(source, bits));
        let bit = self.operand(source, 1);
        let carry = (source.below(2) == 0).then_some(bit);
        let mask = self.terms.broadcast_bit(bit, bits);
        match source.below(15) {
            0 => self.terms.add_carry(a, b, carry),
            1 => self.terms.sub_borrow(a, b, carry),
            // The carry or borrow is one bit more.
            2 | 3 => {
                let (a, b) = (self.terms.zero_extend(a, bits + 1), self.terms.zero_extend(b, bits + 1));
                if source.below(2) == 0 {
                    self.terms.add_carry(a, b, carry)
                } else {
                    self.terms.sub_borrow(a, b, carry)
                }
            }
            4 => {
                let (a, b) = (self.terms.zero_extend(a, 2 * bits), self.terms.zero_extend(b, 2 * bits));
                self.terms.mul(a, b)
            }
            5 => {
                let b = if source.below(2) == 0 { a } else { b };
                self.terms.mul(a, b)
            }
            6 => self.terms.select(bit, a, b),
            7 => {
                let (kept, other) = (self.terms.and(a, mask), self.terms.andn(mask, b));
                if source.below(2) == 0 { self.terms.or(kept, other) } else { self.terms.xor(kept, other) }
            }
            8 => {
                let both = self.terms.xor(a, b);
                let masked = self.terms.and(both, mask);
                self.terms.xor(a, masked)
            }
            9 => self.terms.concat(&[a, b]),
            10 => self.terms.equal(a, b),
            11 => self.bitwise(source, [a, b], mask),
            12 => self.carried_twice(source, a, b, bit),
            // XOR with ones at the bottom, as many as the word has bits, or some more or less.
            13 => {
                let ones = u64::MAX >> (64 - source.below(bits.min(64) as usize) as u32 - 1);
                let ones = self.terms.constant_wide(bits, &[ones]);
                self.terms.xor(a, ones)
            }
            _ => match source.below(4) {
                0 => self.terms.not(a),
                1 => self.terms.and(a, b),
                2 => self.terms.or(a, b),
                _ => self.terms.xor(a, b),
            },
        }
    }

    /// A bitwise function of two words and of masks made of one bit.
    fn bitwise(&mut self, source: &mut Random, words: [Term; 2], mask: Term) -> Term {
        let other = self.terms.not(mask);
        let mut all = vec![words[0], words[1], mask, other];
        for _ in 0..3 {
            let [a, b, c] = [source.pick(&all), source.pick(&all), source.pick(&all)];
            let next = match source.below(4) {
                0 => self.terms.and(a, b),
                1 => self.terms.or(a, b),
                2 => self.terms.xor(a, b),
                _ => self.terms.tern(source.below(256) as u8, a, b, c),
            };
            all.push(next);
        }
        all[all.len() - 1]
    }

    /// Returns the bit that says whether one word is below another.
    fn less(&mut self, a: Term, b: Term) -> Term {
        let bits = self.terms.bits(a);
        let (a, b) = (self.terms.zero_extend(a, bits + 1), self.terms.zero_extend(b, bits + 1));
        let difference = self.terms.sub_borrow(a, b, None);
        self.terms.extract(difference, bits, 1)
    }

    /// A function of the two borrows of `a - b - borrow`, or of the two carries of `a + b + borrow`; only one of them
    /// can be set.
    fn carried_twice(&mut self, source: &mut Random, a: Term, b: Term, borrow: Term) -> Term {
        let borrow = self.terms.zero_extend(borrow, self.terms.bits(a));
        let (first, second) = if source.below(2) == 0 {
            let difference = self.terms.sub_borrow(a, b, None);
            (self.less(a, b), self.less(difference, borrow))
        } else {
            let sum = self.terms.add_carry(a, b, None);
            let all = self.terms.add_carry(sum, borrow, None);
            (self.less(sum, b), self.less(all, borrow))
        };
        match source.below(4) {
            0 => self.terms.and(first, second),
            1 => self.terms.xor(first, second),
            2 => self.terms.andn(first, second),
            _ => self.terms.or(first, second),
        }
    }

    fn algebra(&self) -> (Algebra<'_>, Vec<Polynomial>) {
        let mut algebra = Algebra::new(&self.terms, u64::MAX);
        for (index, (term, bound)) in self.inputs.iter().enumerate() {
            algebra.limb(*term, &format!("x[{index}]"), Interval::new(0, bound - 1));
        }
        let values = algebra.evaluate(&self.all);
        (algebra, values)
    }

    /// Draws values of all terms for random inputs within their bounds.
    fn sample(&self, source: &mut Random) -> Sample {
        let mut assignment = Assignment::new();
        for (term, bound) in &self.inputs {
            if let Node::Input(input) = self.terms.node(*term) {
                assignment.set(*input, &[source.integer(bound).iter_u64_digits().next().unwrap_or(0)]);
            }
        }
        let values = self.terms.evaluate(&self.all, &assignment).iter().map(|limbs| integer(limbs)).collect();
        Sample { assignment, values }
    }
}

struct Sample {
    assignment: Assignment,
    values: Vec<BigInt>,
}

/// Returns the integers that atoms are.
fn atoms(program: &Program, algebra: &Algebra, sample: &Sample) -> Vec<BigInt> {
    let mut values: Vec<BigInt> = Vec::new();
    for (atom, definition) in algebra.atoms() {
        let value = match &definition.kind {
            Kind::Input(name) => {
                let index: usize = name[2..name.len() - 1].parse().expect("inputs are numbered");
                sample.values[index].clone()
            }
            Kind::Floor { of, shift } => value(of, &values) >> *shift as usize,
            Kind::Bit(of) => value(of, &values),
            Kind::IsZero(of) => BigInt::from(u8::from(value(of, &values).is_zero())),
            Kind::Word(term) => integer(&program.terms.evaluate(&[*term], &sample.assignment)[0]),
        };
        let range = &definition.range;
        assert!(range.low <= value && value <= range.high, "{atom:?} = {value} is not in {range:?}: {definition:?}");
        values.push(value);
    }
    values
}

fn value(polynomial: &Polynomial, atoms: &[BigInt]) -> BigInt {
    let products = polynomial.iter().map(|(monomial, coefficient)| {
        monomial.iter().fold(coefficient.clone(), |product, atom| product * &atoms[atom.index()])
    });
    products.sum()
}

/// Checks that the ranges of polynomials hold for these integers.
fn check_bounds(algebra: &mut Algebra, atoms: &[BigInt], polynomials: &[Polynomial]) {
    for polynomial in polynomials {
        let range = algebra.bound(polynomial);
        let value = value(polynomial, atoms);
        assert!(range.low <= value && value <= range.high, "{value} is not in {range:?}");
    }
    for (polynomial, range) in algebra.known_bounds() {
        let value = value(&polynomial, atoms);
        assert!(range.low <= value && value <= range.high, "{value} of {polynomial:?} is not in {range:?}");
    }
}

#[test]
fn polynomials_are_terms_and_within_their_bounds() {
    for seed in 0..PROGRAMS {
        let mut source = Random(seed);
        let program = Program::new(&mut source);
        let (mut algebra, polynomials) = program.algebra();
        assert!(!algebra.is_impossible);
        for _ in 0..SAMPLES {
            let sample = program.sample(&mut source);
            let atoms = atoms(&program, &algebra, &sample);
            for (polynomial, expected) in polynomials.iter().zip(&sample.values) {
                assert_eq!(value(polynomial, &atoms), *expected, "seed {seed}");
                let expanded = algebra.expanded(polynomial);
                assert_eq!(value(&expanded, &atoms), *expected, "seed {seed}, expanded");
            }
            check_bounds(&mut algebra, &atoms, &polynomials);
        }
    }
}

#[test]
fn a_case_that_holds_keeps_terms_and_bounds() {
    let (mut cases, mut equations) = (0, 0);
    for seed in 0..PROGRAMS {
        let mut source = Random(seed + 1_000_000);
        let program = Program::new(&mut source);
        let sample = program.sample(&mut source);
        let (mut algebra, polynomials) = program.algebra();
        let values = atoms(&program, &algebra, &sample);
        for _ in 0..3 {
            let number = source.pick(&(0..polynomials.len()).collect::<Vec<_>>());
            let mut bits = algebra.deciding(&polynomials[number]);
            bits.extend(algebra.all_bits().into_iter().take(4));
            if bits.is_empty() {
                continue;
            }
            let bit = &bits[source.below(bits.len())];
            algebra.suppose(bit, value(bit, &values).is_one());
            cases += 1;
            equations += polynomials.iter().filter(|polynomial| algebra.equate_floors(polynomial)).count();
            assert!(!algebra.is_impossible, "seed {seed}: the case is there, and is called impossible");
            for (polynomial, expected) in polynomials.iter().zip(&sample.values) {
                assert_eq!(value(&algebra.settled(polynomial), &values), *expected, "seed {seed}");
                assert_eq!(value(&algebra.expanded(polynomial), &values), *expected, "seed {seed}, expanded");
            }
            check_bounds(&mut algebra, &values, &polynomials);
        }
    }
    assert!(cases > 100, "only {cases} bits were supposed");
    assert!(equations > 10, "only {equations} times were floors equal");
}

#[test]
fn what_a_case_adds_is_forgotten() {
    for seed in 0..PROGRAMS {
        let mut source = Random(seed + 2_000_000);
        let program = Program::new(&mut source);
        let (mut algebra, polynomials) = program.algebra();
        for _ in 0..3 {
            let before = algebra.known();
            let bits = algebra.all_bits();
            if bits.is_empty() {
                continue;
            }
            algebra.suppose(&bits[source.below(bits.len())], source.below(2) == 0);
            algebra.equate_floors(&polynomials[source.below(polynomials.len())]);
            algebra.forget(before);
        }
        let sample = program.sample(&mut source);
        let atoms = atoms(&program, &algebra, &sample);
        for (polynomial, expected) in polynomials.iter().zip(&sample.values) {
            assert_eq!(value(&algebra.settled(polynomial), &atoms), *expected, "seed {seed}");
        }
        check_bounds(&mut algebra, &atoms, &polynomials);
    }
}

#[test]
fn a_number_below_its_bound_narrows_what_is_made_of_it() {
    let mut terms = Terms::new();
    let limbs = [terms.fresh(InputKind::Word, "x[0]", 64), terms.fresh(InputKind::Word, "x[1]", 64)];
    let bound: BigInt = (BigInt::one() << 127_usize) - 1;
    let mut algebra = Algebra::new(&terms, u64::MAX);
    let atoms = limbs.map(|limb| algebra.limb(limb, "x[0]", Interval::word(64)));
    let whole = Polynomial::atom(atoms[0]).plus(&Polynomial::atom(atoms[1]).shifted(64));
    assert_eq!(algebra.bound(&whole).high, power_of_two(128) - 1);
    let mut algebra = Algebra::new(&terms, u64::MAX);
    for limb in limbs {
        algebra.limb(limb, "x[0]", Interval::word(64));
    }
    algebra.relate("x", &whole, Interval::new(0, &bound - 1));
    assert_eq!(algebra.bound(&whole).high, &bound - 1);
    let square = algebra.product(&whole, &whole);
    assert_eq!(algebra.bound(&square).high, (&bound - 1i32) * (&bound - 1i32));
    // Products of some limbs of a number with the number itself, and with another number.
    let other = [terms.fresh(InputKind::Word, "y[0]", 64), terms.fresh(InputKind::Word, "y[1]", 64)];
    let mut algebra = Algebra::new(&terms, u64::MAX);
    let low = Polynomial::atom(limbs.map(|limb| algebra.limb(limb, "x", Interval::word(64)))[0]);
    let atoms = other.map(|limb| algebra.limb(limb, "y", Interval::word(64)));
    let another = Polynomial::atom(atoms[0]).plus(&Polynomial::atom(atoms[1]).shifted(64));
    for (name, number) in [("x", &whole), ("y", &another)] {
        algebra.relate(name, number, Interval::new(0, &bound - 1));
    }
    for number in [&whole, &another] {
        let product = algebra.product(&low, number);
        assert_eq!(algebra.bound(&product), Interval::new(0, (power_of_two(64) - 1) * (&bound - 1i32)));
    }
}

/// A choice by two masks, one within the other, as compilers write it.
#[test]
fn choices_within_one_another_are_selections() {
    let mut terms = Terms::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| terms.fresh(InputKind::Word, name, 64));
    let bits = ["first", "second"].map(|name| terms.fresh(InputKind::Word, name, 1));
    let masks = bits.map(|bit| terms.broadcast_bit(bit, 64));
    let both = terms.xor(a, b);
    let first = terms.and(both, masks[0]);
    let rest = terms.xor(a, c);
    let difference = terms.xor(first, rest);
    let second = terms.and(difference, masks[1]);
    let written = terms.xor(c, second);
    let inner = terms.select(bits[0], b, a);
    let [right, wrong] = [inner, a].map(|inner| terms.select(bits[1], inner, c));
    for (chosen, is_right) in [(right, true), (wrong, false)] {
        let difference = |algebra: &mut Algebra| {
            let values = algebra.evaluate(&[written, chosen]);
            values[0].minus(&values[1])
        };
        let kind = GoalKind::Zero { modulus: BigInt::zero() };
        let goal = Goal { name: String::new(), roots: vec![written, chosen], polynomial: Box::new(difference), kind };
        assert_eq!(prove(&terms, &|_| {}, &[goal], Effort::OPERATION).is_ok(), is_right);
    }
}

#[test]
fn what_takes_too_long_is_not_proved() {
    let mut terms = Terms::new();
    let (a, b) = (terms.fresh(InputKind::Word, "a", 64), terms.fresh(InputKind::Word, "b", 64));
    let (left, right) = (terms.mul(a, b), terms.mul(b, a));
    let sums = [terms.add(left, a), terms.add(a, right)];
    let is_proved = |most| {
        let difference = |algebra: &mut Algebra| {
            let values = algebra.evaluate(&sums);
            values[0].minus(&values[1])
        };
        let kind = GoalKind::Zero { modulus: BigInt::zero() };
        let goal = Goal { name: String::new(), roots: sums.to_vec(), polynomial: Box::new(difference), kind };
        prove(&terms, &|_| {}, &[goal], Effort { whole: most, search: most }).is_ok()
    };
    assert!(is_proved(1000) && !is_proved(0));
}
