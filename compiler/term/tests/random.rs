//! Every constructor is compared with arithmetic on big integers, on random graphs whose values are computed
//! separately. The integers share nothing with the crate, so that both a wrong normal form and a wrong evaluator are
//! detected.

use culet_meaning::Domain;
use culet_sbox::random::Random;
use culet_term::{Assignment, Identity, InputKind, Term, Terms};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// Number of assignments on which each graph is evaluated.
const RUNS: usize = 6;

/// A term, its width, and its value in each run.
type Word = (Term, u32, Vec<BigUint>);

struct Graph {
    terms: Terms,
    random: Random,
    words: Vec<Word>,
    assignments: Vec<Assignment>,
}

fn power(bits: u32) -> BigUint {
    BigUint::one() << bits
}

fn slice(value: &BigUint, low: u32, bits: u32) -> BigUint {
    (value >> low) % power(bits)
}

fn product_without_carries(a: &BigUint, b: &BigUint) -> BigUint {
    (0..b.bits()).filter(|&at| b.bit(at)).fold(BigUint::zero(), |sum, at| sum ^ (a << at))
}

impl Graph {
    fn new(seed: u64) -> Graph {
        Graph {
            terms: Terms::new(),
            random: Random::new(seed),
            words: vec![],
            assignments: vec![Assignment::new(); RUNS],
        }
    }

    fn width(&mut self) -> u32 {
        match self.random.below(4) {
            0 => [1, 2, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 511, 512][self.random.below(15)],
            1 => 1 + self.random.below(512) as u32,
            _ => 1 + self.random.below(70) as u32,
        }
    }

    /// A random value, often an extreme one that may reveal errors.
    fn value(&mut self, bits: u32) -> BigUint {
        let random =
            |random: &mut Random| (0..16).fold(BigUint::zero(), |x, _| (x << 64u32) + random.number()) % power(bits);
        match self.random.below(10) {
            0 => BigUint::zero(),
            1 => BigUint::one(),
            2 => power(bits) - 1u32,
            3 => power(bits - 1),
            4 => power(bits - 1) - 1u32,
            5 => power(self.random.below(bits as usize) as u32),
            // A run of ones.
            6 => {
                let low = self.random.below(bits as usize) as u32;
                let length = 1 + self.random.below((bits - low) as usize) as u32;
                (power(length) - 1u32) << low
            }
            _ => random(&mut self.random),
        }
    }

    fn input(&mut self, bits: u32) -> Word {
        let name = format!("x{}", self.terms.inputs().len());
        let term = self.terms.fresh(InputKind::Word, &name, bits);
        let input = self.terms.inputs().last().expect("it has just been made");
        let values: Vec<BigUint> = (0..RUNS).map(|_| self.value(bits)).collect();
        for (assignment, value) in self.assignments.iter_mut().zip(&values) {
            assignment.set(input, &value.to_u64_digits());
        }
        (term, bits, values)
    }

    fn constant(&mut self, bits: u32) -> Word {
        let value = self.value(bits);
        let term = self.terms.constant_wide(bits, &value.to_u64_digits());
        (term, bits, vec![value; RUNS])
    }

    /// A word of this width: an existing one, cut or extended to fit, or a constant.
    fn operand(&mut self, bits: u32) -> Word {
        if self.random.below(6) == 0 {
            return self.constant(bits);
        }
        let recent = self.words.len().min(12);
        let from = if self.random.below(2) == 0 { self.words.len() - recent } else { 0 };
        let (term, width, values) = self.words[from + self.random.below(self.words.len() - from)].clone();
        if width == bits {
            return (term, bits, values);
        }
        if width > bits {
            let low = if self.random.below(2) == 0 { 0 } else { self.random.below((width - bits + 1) as usize) as u32 };
            return (self.terms.extract(term, low, bits), bits, values.iter().map(|v| slice(v, low, bits)).collect());
        }
        if self.random.below(3) == 0 {
            let sign =
                |v: &BigUint| if v.bit(u64::from(width - 1)) { power(bits) - power(width) + v } else { v.clone() };
            return (self.terms.sign_extend(term, bits), bits, values.iter().map(sign).collect());
        }
        (self.terms.zero_extend(term, bits), bits, values)
    }

    fn two(&mut self, f: impl Fn(&mut Terms, Term, Term) -> Term, value: impl Fn(u32, &BigUint, &BigUint) -> BigUint) {
        let bits = self.width();
        let ((a, _, x), (b, _, y)) = (self.operand(bits), self.operand(bits));
        let term = f(&mut self.terms, a, b);
        self.words.push((term, bits, x.iter().zip(&y).map(|(x, y)| value(bits, x, y)).collect()));
    }

    fn one(&mut self, f: impl Fn(&mut Terms, Term, u32) -> Term, value: impl Fn(u32, &BigUint, u32) -> BigUint) {
        let bits = self.width();
        let (a, _, x) = self.operand(bits);
        let amount = self.random.below(bits as usize) as u32;
        let term = f(&mut self.terms, a, amount);
        self.words.push((term, bits, x.iter().map(|x| value(bits, x, amount)).collect()));
    }

    fn carries(&mut self) {
        let bits = self.width();
        let ((a, _, x), (b, _, y), (c, _, z)) = (self.operand(bits), self.operand(bits), self.operand(1));
        let add = self.random.below(2) == 0;
        let (low, out) = if add { self.terms.addc(bits, &a, &b, &c) } else { self.terms.subb(bits, &a, &b, &c) };
        let exact: Vec<BigUint> = (0..RUNS)
            .map(|i| if add { &x[i] + &y[i] + &z[i] } else { power(bits + 1) + &x[i] - &y[i] - &z[i] })
            .collect();
        self.words.push((low, bits, exact.iter().map(|v| slice(v, 0, bits)).collect()));
        self.words.push((out, 1, exact.iter().map(|v| slice(v, bits, 1)).collect()));
        let narrow = if add { self.terms.add_carry(a, b, Some(c)) } else { self.terms.sub_borrow(a, b, Some(c)) };
        self.words.push((narrow, bits, exact.iter().map(|v| slice(v, 0, bits)).collect()));
    }

    fn products(&mut self) {
        let bits = self.width();
        let ((a, _, x), (b, _, y)) = (self.operand(bits), self.operand(bits));
        let (low, high) = self.terms.mul_wide(bits, &a, &b);
        let (own_low, own_high) = Domain::clmul(&mut self.terms, bits, &a, &b);
        let exact = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        let without_carries = x.iter().zip(&y).map(|(x, y)| product_without_carries(x, y)).collect();
        for (low, high, exact) in [(low, high, exact), (own_low, own_high, without_carries)] {
            let exact: Vec<BigUint> = exact;
            self.words.push((low, bits, exact.iter().map(|v| slice(v, 0, bits)).collect()));
            self.words.push((high, bits, exact.iter().map(|v| slice(v, bits, bits)).collect()));
        }
    }

    fn ternary(&mut self) {
        let bits = self.width();
        let ((a, _, x), (b, _, y), (c, _, z)) = (self.operand(bits), self.operand(bits), self.operand(bits));
        let table = self.random.number() as u8;
        let term = self.terms.tern(table, a, b, c);
        let at = |v: &BigUint, k: u32| u8::from(v.bit(u64::from(k)));
        let value = |i: usize| {
            (0..bits).fold(BigUint::zero(), |value, k| {
                let row = 4 * at(&x[i], k) + 2 * at(&y[i], k) + at(&z[i], k);
                value + (BigUint::from(table >> row & 1) << k)
            })
        };
        self.words.push((term, bits, (0..RUNS).map(value).collect()));
    }

    fn selection(&mut self) {
        let bits = self.width();
        let ((a, _, x), (b, _, y), (c, _, z)) = (self.operand(bits), self.operand(bits), self.operand(1));
        let term = self.terms.select(c, a, b);
        let chosen = (0..RUNS).map(|i| if z[i].is_one() { x[i].clone() } else { y[i].clone() });
        self.words.push((term, bits, chosen.collect()));
        let (mask, ones) = (self.terms.broadcast_bit(c, bits), power(bits) - 1u32);
        self.words.push((mask, bits, z.iter().map(|bit| bit * &ones).collect()));
    }

    fn equality(&mut self) {
        let bits = self.width();
        let (a, _, x) = self.operand(bits);
        let (b, _, y) = if self.random.below(3) == 0 { self.constant(bits) } else { self.operand(bits) };
        let term = self.terms.equal(a, b);
        self.words.push((term, 1, x.iter().zip(&y).map(|(x, y)| BigUint::from(u32::from(x == y))).collect()));
    }

    fn concatenation(&mut self) {
        let count = 1 + self.random.below(5);
        let mut parts = vec![];
        let (mut low, mut values) = (0, vec![BigUint::zero(); RUNS]);
        for _ in 0..count {
            let bits = self.width().min(100);
            let (term, _, part) = self.operand(bits);
            parts.push(term);
            values.iter_mut().zip(&part).for_each(|(value, part)| *value += part << low);
            low += bits;
        }
        let term = self.terms.concat(&parts);
        self.words.push((term, low, values));
    }

    fn shuffled(&mut self) {
        let bits = 1 + self.random.below(64) as u32;
        let (a, _, x) = self.operand(bits);
        let turn = self.random.below(bits as usize) as u32;
        let random = &mut self.random;
        let mut source = |k: u32| match random.below(4) {
            0 => None,
            1 => Some(random.below(bits as usize) as u32),
            _ => Some((k + turn) % bits),
        };
        let pattern: Vec<Option<u32>> = (0..bits).map(&mut source).collect();
        let term = self.terms.shuffle(bits, &a, &pattern);
        let bit = |x: &BigUint, p: u32| slice(x, bits - 1 - p, 1);
        let value = |x: &BigUint| {
            pattern.iter().fold(BigUint::zero(), |value, p| (value << 1u32) + p.map_or(BigUint::zero(), |p| bit(x, p)))
        };
        self.words.push((term, bits, x.iter().map(value).collect()));
    }

    /// Cuts a word and joins it again.
    fn rejoined(&mut self) {
        let bits = self.width().max(2);
        let (a, _, x) = self.operand(bits);
        let cut = 1 + self.random.below(bits as usize - 1) as u32;
        let (low, high) = (self.terms.extract(a, 0, cut), self.terms.extract(a, cut, bits - cut));
        let term = self.terms.concat(&[low, high]);
        self.words.push((term, bits, x));
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0 => {
                let bits = self.width();
                let word = self.input(bits);
                self.words.push(word);
            }
            1 => self.one(|t, a, _| t.not(a), |bits, x, _| power(bits) - 1u32 - x),
            2 | 3 => self.two(Terms::and, |_, x, y| x & y),
            4 | 5 => self.two(Terms::or, |_, x, y| x | y),
            6 => self.two(Terms::xor, |_, x, y| x ^ y),
            7 => self.two(Terms::add, |bits, x, y| (x + y) % power(bits)),
            8 => self.two(Terms::sub, |bits, x, y| (power(bits) + x - y) % power(bits)),
            9 if self.random.below(2) == 0 => self.two(Terms::mul, |bits, x, y| x * y % power(bits)),
            9 => self.two(Terms::clmul, |bits, x, y| product_without_carries(x, y) % power(bits)),
            10 => self.carries(),
            11 => self.products(),
            12 => self.ternary(),
            13 => self.selection(),
            14 => self.equality(),
            15 => self.concatenation(),
            16 => self.shuffled(),
            17 => self.rejoined(),
            18 => match self.random.below(3) {
                0 => self.one(Terms::shl, |bits, x, n| (x << n) % power(bits)),
                1 => self.one(Terms::shr, |_, x, n| x >> n),
                _ => self.one(Terms::sar, |bits, x, n| {
                    let sign = if x.bit(u64::from(bits - 1)) { power(bits) - power(bits - n) } else { BigUint::zero() };
                    (x >> n) + sign
                }),
            },
            _ => self.one(Terms::rotl, |bits, x, n| (x << n) % power(bits) + (x >> (bits - n))),
        }
    }

    fn check(&self, seed: u64) {
        let roots: Vec<Term> = self.words.iter().map(|word| word.0).collect();
        for (run, assignment) in self.assignments.iter().enumerate() {
            let found = self.terms.evaluate(&roots, assignment);
            for ((term, bits, values), found) in self.words.iter().zip(found) {
                assert_eq!(self.terms.bits(*term), *bits, "seed {seed}");
                let found = found.iter().rev().fold(BigUint::zero(), |x, &limb| (x << 64u32) + limb);
                assert_eq!(found, values[run], "seed {seed}, {bits} bits:\n{}", self.terms.print(&[*term]));
            }
        }
        // Reading the text again gives the same text: constructors do not change terms in normal form.
        for &(term, ..) in self.words.iter().rev().take(3) {
            let text = self.terms.print(&[term]);
            let mut again = Terms::new();
            let roots = again.parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            let values = again.evaluate(&roots, &self.renamed(&again, 0));
            assert_eq!(values, self.terms.evaluate(&[term], &self.assignments[0]), "seed {seed}:\n{text}");
        }
    }

    /// The values of a run, for the inputs of another graph with the same names.
    fn renamed(&self, other: &Terms, run: usize) -> Assignment {
        let mut renamed = Assignment::new();
        for input in other.inputs() {
            let own = self.terms.inputs().find(|&own| self.terms.name(own) == other.name(input));
            let limbs = own.and_then(|own| self.assignments[run].get(own)).unwrap_or(&[]);
            renamed.set(input, limbs);
        }
        renamed
    }
}

#[test]
fn random_graphs() {
    let graphs: u64 = std::env::var("CULET_FUZZ_ITERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    for seed in 0..graphs {
        let mut graph = Graph::new(seed);
        for _ in 0..3 {
            let bits = graph.width();
            let word = graph.input(bits);
            graph.words.push(word);
        }
        for _ in 0..60 {
            graph.step();
            // The widths of concatenations must not grow without bound.
            graph.words.retain(|word| word.1 <= 512);
        }
        graph.check(seed);
    }
}

/// All tables, on operands that are inputs, equal, complements and constants.
#[test]
fn all_functions_of_three_bits() {
    for table in 0..=255u8 {
        let mut terms = Terms::new();
        let words: Vec<Term> = ["x", "y", "z"].iter().map(|name| terms.fresh(InputKind::Word, name, 8)).collect();
        let not_x = terms.not(words[0]);
        let (zero, ones) = (terms.zero(8), terms.ones(8));
        let values = [0b1111_0000u8, 0b1100_1100, 0b1010_1010, 0b0000_1111, 0, 255];
        let operands = [words[0], words[1], words[2], not_x, zero, ones];
        let mut assignment = Assignment::new();
        for (input, value) in terms.inputs().zip(values) {
            assignment.set(input, &[u64::from(value)]);
        }
        for choice in 0..216 {
            let [i, j, k] = [choice / 36, choice / 6 % 6, choice % 6];
            let term = terms.tern(table, operands[i], operands[j], operands[k]);
            let expected = (0..8).fold(0, |word, bit| {
                let row = [i, j, k].iter().fold(0, |row, &o| 2 * row + (values[o] >> bit & 1));
                word | (table >> row & 1) << bit
            });
            assert_eq!(terms.evaluate(&[term], &assignment)[0][0], u64::from(expected), "{table:#x} of {i} {j} {k}");
        }
    }
}

/// Shared nodes of a graph a million deep are visited once, without recursion.
#[test]
fn deep_graphs() {
    let mut terms = Terms::new();
    let (mut a, b) = (terms.fresh(InputKind::Word, "a", 64), terms.fresh(InputKind::Word, "b", 64));
    for round in 0..300_000 {
        let sum = terms.add(a, b);
        let mixed = terms.xor(sum, a);
        a = if round % 3 == 0 { terms.and(mixed, sum) } else { terms.or(mixed, b) };
    }
    let low = terms.extract(a, 0, 32);
    let high = terms.extract(a, 32, 32);
    assert_eq!(terms.concat(&[low, high]), a);
    let mut assignment = Assignment::new();
    assignment.set(terms.inputs().next().unwrap(), &[0x0123_4567_89ab_cdef]);
    assignment.set(terms.inputs().nth(1).unwrap(), &[0xfedc_ba98_7654_3211]);
    let values = terms.evaluate(&[a, low], &assignment);
    assert_eq!(values[0][0] & 0xffff_ffff, values[1][0]);
}

/// Inputs are told apart by what they are: a name tells nothing, nor does it where terms become text and are read again.
#[test]
fn names_of_inputs_decide_nothing() {
    let mut terms = Terms::new();
    let (a, b) = (terms.fresh(InputKind::Word, "x", 64), terms.fresh(InputKind::Address, "x", 64));
    assert_ne!(a, b);
    let difference = terms.sub(a, b);
    assert!(!terms.is_zero(difference));
    let identity = Identity { kind: InputKind::Data, key: [1, 2, 3, 4] };
    let found = terms.input(identity, "first", 64);
    assert_eq!(terms.input(identity, "second", 64), found);
    assert_ne!(terms.input(identity, "first", 32), found);
    assert_ne!(terms.input(Identity { kind: InputKind::Address, ..identity }, "first", 64), found);
    let inputs: Vec<_> = terms.inputs().map(|input| (terms.name(input), terms.kind(input))).collect();
    let kinds = [InputKind::Word, InputKind::Address, InputKind::Data, InputKind::Data, InputKind::Address];
    let names = ["x", "x", "first", "first", "first"];
    assert_eq!(inputs, names.into_iter().zip(kinds).collect::<Vec<_>>());

    let text = terms.print(&[difference]);
    let mut again = Terms::new();
    let roots = again.parse(&text).expect("what was printed");
    assert_eq!(again.inputs().len(), 2, "{text}");
    assert!(!again.is_zero(roots[0]), "{text}");
}
