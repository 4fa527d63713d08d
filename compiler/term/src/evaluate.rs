//! Evaluation of terms on given inputs.

use rustc_hash::FxHashMap;

use crate::cone::SPARSE;
use crate::limbs::{self, Limbs};
use crate::{Input, Node, Term, Terms};

/// Values of inputs: limbs, least significant first. An input without a value is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: FxHashMap<Input, Box<[u64]>>,
}

impl Assignment {
    pub fn new() -> Self {
        Assignment::default()
    }

    /// Sets the value of an input. Bits above the input's width are ignored.
    pub fn set(&mut self, input: Input, limbs: &[u64]) {
        self.values.insert(input, limbs.into());
    }

    pub fn get(&self, input: Input) -> Option<&[u64]> {
        self.values.get(&input).map(|limbs| &**limbs)
    }

    /// The inputs that have values, in order.
    pub fn inputs(&self) -> Vec<Input> {
        let mut inputs: Vec<Input> = self.values.keys().copied().collect();
        inputs.sort_unstable();
        inputs
    }
}

/// Values of many terms, stored one after another.
struct Values {
    limbs: Vec<u64>,
    starts: Starts,
}

/// The position of each term's limbs.
enum Starts {
    All(Vec<u32>),
    /// A map, for few among many terms.
    Few(FxHashMap<Term, u32>),
}

impl Starts {
    fn set(&mut self, term: Term, start: usize) {
        let start = u32::try_from(start).expect("fewer than 2^32 limbs");
        match self {
            Starts::All(starts) => starts[term.index()] = start,
            Starts::Few(starts) => drop(starts.insert(term, start)),
        }
    }

    fn of(&self, term: Term) -> usize {
        match self {
            Starts::All(starts) => starts[term.index()] as usize,
            Starts::Few(starts) => starts[&term] as usize,
        }
    }
}

/// The values of all terms on a few assignments, updated as terms are made.
pub struct Simulation {
    samples: Vec<(Assignment, Vec<u64>)>,
    /// The position of each term's limbs, which is the same in every sample.
    starts: Vec<u32>,
}

impl Simulation {
    pub fn new(samples: usize) -> Self {
        Simulation { samples: (0..samples).map(|_| (Assignment::new(), Vec::new())).collect(), starts: Vec::new() }
    }

    /// Sets an input's value in a sample. This must happen before [`Simulation::update`] meets the input.
    pub fn set(&mut self, sample: usize, input: Input, limbs: &[u64]) {
        self.samples[sample].0.set(input, limbs);
    }

    /// Adds the terms that were made since the last update. Inputs without values get them from `draw`, which is called
    /// with the number of the sample.
    pub fn update(&mut self, terms: &Terms, draw: &mut dyn FnMut(usize) -> u64) {
        for index in self.starts.len()..terms.len() {
            let term = Term(index as u32);
            let start = self.samples.first().map_or(0, |(_, limbs)| limbs.len());
            self.starts.push(u32::try_from(start).expect("fewer than 2^32 limbs"));
            for (sample, (inputs, limbs)) in self.samples.iter_mut().enumerate() {
                if let &Node::Input(input) = terms.node(term)
                    && inputs.get(input).is_none()
                {
                    let value: Vec<u64> = (0..limbs::count(terms.bits(term))).map(|_| draw(sample)).collect();
                    inputs.set(input, &value);
                }
                let starts = &self.starts;
                let known = &*limbs;
                let value = terms.evaluate_node(term, inputs, &|term| {
                    let start = starts[term.index()] as usize;
                    &known[start..start + limbs::count(terms.bits(term))]
                });
                limbs.extend(value);
            }
        }
    }

    /// The limbs of a term in a sample.
    pub fn value(&self, terms: &Terms, sample: usize, term: Term) -> &[u64] {
        let start = self.starts[term.index()] as usize;
        &self.samples[sample].1[start..start + limbs::count(terms.bits(term))]
    }

    /// The inputs of a sample.
    pub fn inputs(&self, sample: usize) -> &Assignment {
        &self.samples[sample].0
    }
}

impl Terms {
    /// The values of the roots, as limbs, least significant first. Time and memory are proportional to the size of the
    /// cone.
    pub fn evaluate(&self, roots: &[Term], inputs: &Assignment) -> Vec<Box<[u64]>> {
        let length = roots.iter().max().map_or(0, |root| root.index() + 1);
        let cone = self.cone(roots);
        let is_sparse = cone.len() < length / SPARSE;
        let starts = if is_sparse { Starts::Few(FxHashMap::default()) } else { Starts::All(vec![0; length]) };
        let mut values = Values { limbs: Vec::new(), starts };
        for term in cone {
            let value = self.evaluate_node(term, inputs, &|term| self.value_of(term, &values));
            values.starts.set(term, values.limbs.len());
            values.limbs.extend(value);
        }
        roots.iter().map(|&root| self.value_of(root, &values).into()).collect()
    }

    fn value_of<'v>(&self, term: Term, values: &'v Values) -> &'v [u64] {
        let start = values.starts.of(term);
        &values.limbs[start..start + limbs::count(self.bits(term))]
    }

    /// The value of a term, computed from the values of its operands.
    fn evaluate_node<'v>(&self, term: Term, inputs: &Assignment, of: &dyn Fn(Term) -> &'v [u64]) -> Limbs {
        let bits = self.bits(term);
        let bit = |term: Term| of(term)[0] == 1;
        match self.node(term) {
            Node::Input(input) => limbs::fit(bits, inputs.get(*input).unwrap_or(&[])),
            Node::Constant(value) => value.iter().copied().collect(),
            &Node::Not(a) => limbs::not(bits, of(a)),
            &Node::And(a, b) => limbs::zip(of(a), of(b), |x, y| x & y),
            &Node::Or(a, b) => limbs::zip(of(a), of(b), |x, y| x | y),
            &Node::Xor(a, b) => limbs::zip(of(a), of(b), |x, y| x ^ y),
            &Node::Tern(table, a, b, c) => limbs::tern(bits, table, of(a), of(b), of(c)),
            &Node::Add(a, b, carry) => limbs::add(bits, of(a), of(b), carry.is_some_and(bit)),
            &Node::Sub(a, b, borrow) => limbs::sub(bits, of(a), of(b), borrow.is_some_and(bit)),
            &Node::Mul(a, b) => limbs::mul(bits, of(a), of(b)),
            &Node::ClMul(a, b) => limbs::clmul(bits, of(a), of(b)),
            &Node::Extract(a, low) => limbs::extract(of(a), u32::from(low), bits),
            Node::Concat(parts) => {
                let mut value = limbs::fit(bits, &[]);
                let mut low = 0;
                for &part in parts {
                    limbs::place(&mut value, low, of(part));
                    low += self.bits(part);
                }
                value
            }
            &Node::Select(condition, then, otherwise) => {
                of(if bit(condition) { then } else { otherwise }).iter().copied().collect()
            }
            &Node::Equal(a, b) => limbs::fit(1, &[u64::from(of(a) == of(b))]),
        }
    }
}
