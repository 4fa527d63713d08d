//! XOR-AND graphs: gates of two inputs and complemented edges, each gate once.
//!
//! A few rules keep equal functions from getting different gates: constants, equal and complementary inputs, gates that
//! share an input one level down, functions of three gates, and sums modulo 2 and their products, however they are
//! written.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

use super::linear::{Linear, Product, summands};
use super::local::{Functions, Known, function_of};
use crate::effort::local::MAX_WIDTH;

/// An edge: a gate or its complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// The constant zero: gate 0 and no other.
    Zero,
    Input,
    And(Literal, Literal),
    Xor(Literal, Literal),
}

impl Literal {
    pub const ZERO: Literal = Literal(0);
    pub const ONE: Literal = Literal(1);

    pub fn new(gate: u32, complement: bool) -> Literal {
        Literal(gate << 1 | u32::from(complement))
    }

    pub fn constant(value: bool) -> Literal {
        Literal(u32::from(value))
    }

    pub fn gate(self) -> u32 {
        self.0 >> 1
    }

    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a short name beside `and` and `xor`")]
    pub fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    /// Returns the complement if `complement` is true, else the literal itself.
    #[must_use]
    pub fn xor(self, complement: bool) -> Literal {
        Literal(self.0 ^ u32::from(complement))
    }

    /// Returns all ones for a complement, else zero.
    pub fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }
}

pub struct Graph {
    /// The operands of each gate: ascending those of an AND, descending those of an XOR.
    gates: Vec<[Literal; 2]>,
    inputs: Vec<u32>,
    /// AND gates by their operands.
    known: HashTable<u32>,
    /// Literals that stand for replaced gates.
    replaced: FxHashMap<Gate, Literal>,
    /// Sums modulo 2 and products of them.
    linear: Linear,
    sealed: Vec<bool>,
    /// Functions of three gates, if these are looked for.
    functions: Option<Functions>,
}

/// Placeholders for the operands of the constant and of inputs.
const NO_OPERANDS: [[Literal; 2]; 2] = [[Literal::ZERO; 2], [Literal::ONE; 2]];

impl Default for Graph {
    fn default() -> Self {
        Graph { functions: Some(Functions::default()), ..Graph::without_functions() }
    }
}

impl Graph {
    pub fn input(&mut self) -> Literal {
        let input = self.push(NO_OPERANDS[1]);
        self.inputs.push(input.gate());
        input
    }

    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Literal::ZERO || a == b.not() {
            return Literal::ZERO;
        }
        if a == Literal::ONE || a == b {
            return b;
        }
        if let Some(simpler) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            return simpler;
        }
        self.product_of(a, b)
    }

    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let complement = a.is_complement() != b.is_complement();
        let (a, b) = (a.xor(a.is_complement()), b.xor(b.is_complement()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Literal::ZERO {
            return b.xor(complement);
        }
        if a == b {
            return Literal::constant(complement);
        }
        self.sum_of(a, b).xor(complement)
    }

    /// Marks a gate as a bit of a sum of integers: functions of three gates are not looked for below it.
    pub fn seal(&mut self, sum: Literal) {
        self.sealed[sum.gate() as usize] = true;
    }

    /// Returns the number of gates so far.
    pub fn count(&self) -> usize {
        self.gates.len()
    }

    /// Returns the factors of an AND gate; `None` for its complement and for other gates.
    pub fn factors(&self, product: Literal) -> Option<[Literal; 2]> {
        match self.gate(product.gate()) {
            Gate::And(a, b) if !product.is_complement() => Some([a, b]),
            _ => None,
        }
    }

    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.and(a.not(), b.not()).not()
    }

    /// `condition ? then : otherwise`
    pub fn mux(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        let differ = self.xor(then, otherwise);
        let chosen = self.and(condition, differ);
        self.xor(chosen, otherwise)
    }

    /// Returns `a + b + carry` as sum and carry.
    pub fn full_adder(&mut self, a: Literal, b: Literal, carry: Literal) -> (Literal, Literal) {
        let (a_differs, b_differs) = (self.xor(a, carry), self.xor(b, carry));
        let changed = self.and(a_differs, b_differs);
        let before = self.count();
        let sum = self.xor(a_differs, b);
        if self.count() > before {
            self.seal(sum);
        }
        (sum, self.xor(changed, carry))
    }
}

impl Graph {
    /// Returns a graph in which only structure counts, for gates that are compared in better ways.
    pub fn without_functions() -> Graph {
        let mut graph = Graph {
            gates: Vec::new(),
            inputs: Vec::new(),
            known: HashTable::new(),
            replaced: FxHashMap::default(),
            linear: Linear::default(),
            sealed: Vec::new(),
            functions: None,
        };
        graph.push(NO_OPERANDS[0]);
        graph
    }

    pub fn gate(&self, gate: u32) -> Gate {
        decoded(self.gates[gate as usize])
    }

    /// Returns all gates; operands come before their users.
    pub fn gates(&self) -> impl ExactSizeIterator<Item = Gate> {
        self.gates.iter().copied().map(decoded)
    }

    /// Returns the inputs, in the order in which they were made.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// Returns the two gates below a gate, or `None` if there are none.
    pub fn operands(&self, gate: u32) -> Option<(u32, u32)> {
        match self.gate(gate) {
            Gate::Zero | Gate::Input => None,
            Gate::And(a, b) | Gate::Xor(a, b) => Some((a.gate(), b.gate())),
        }
    }

    /// Returns for each gate whether one of these literals is made from it.
    pub fn below(&self, literals: &[Literal]) -> Vec<bool> {
        let mut below = vec![false; self.gates.len()];
        for literal in literals {
            below[literal.gate() as usize] = true;
        }
        for gate in (0..self.gates.len()).rev() {
            if below[gate]
                && let Some((a, b)) = self.operands(gate as u32)
            {
                below[a as usize] = true;
                below[b as usize] = true;
            }
        }
        below
    }

    pub fn is_sealed(&self, gate: u32) -> bool {
        self.sealed[gate as usize]
    }

    /// Removes the latest gate, and lets its definition mean `target` from now on.
    pub fn replace_last(&mut self, target: Literal) {
        let Some(&operands) = self.gates.last() else { return };
        let number = self.gates.len() as u32 - 1;
        self.linear.replace_last(operands, target);
        self.replaced.insert(decoded(operands), target);
        if let Ok(entry) = self.known.find_entry(FxBuildHasher.hash_one(operands), |&known| known == number) {
            entry.remove();
        }
        self.gates.pop();
        self.sealed.pop();
    }

    fn push(&mut self, operands: [Literal; 2]) -> Literal {
        let number =
            u32::try_from(self.gates.len()).ok().filter(|&number| number < 1 << 31).expect("fewer than 2^31 gates");
        self.gates.push(operands);
        self.sealed.push(false);
        self.linear.push(&self.gates, operands);
        Literal::new(number, false)
    }

    /// Returns the product of two different gates to which no simple rule applies.
    fn product_of(&mut self, a: Literal, b: Literal) -> Literal {
        if let Some(known) = self.find([a, b]) {
            return known;
        }
        if let Some(product) = self.linear.product(&self.gates, [a, b]) {
            return self.shifted(product, a, b);
        }
        let function = self.functions.as_ref().and_then(|_| function_of(self, Gate::And(a, b), &[]));
        self.known_function(function).unwrap_or_else(|| {
            let literal = self.push_known([a, b]);
            self.learn(function, literal);
            literal
        })
    }

    /// Makes the product of the factors a and b from a product that exists.
    fn shifted(&mut self, product: Product, a: Literal, b: Literal) -> Literal {
        let mut literal = product.known.xor(product.complement);
        for (factor, is_added) in [(a, product.first), (b, product.second)] {
            if is_added {
                literal = self.xor(literal, factor.xor(factor.is_complement()));
            }
        }
        literal
    }

    /// Finds a gate by its operands.
    fn find(&self, operands: [Literal; 2]) -> Option<Literal> {
        let gates = &self.gates;
        let hash = FxBuildHasher.hash_one(operands);
        let found = self.known.find(hash, |&gate| gates[gate as usize] == operands);
        found.map(|&gate| Literal::new(gate, false)).or_else(|| self.replacement(operands))
    }

    fn replacement(&self, operands: [Literal; 2]) -> Option<Literal> {
        if self.replaced.is_empty() { None } else { self.replaced.get(&decoded(operands)).copied() }
    }

    /// Adds a gate that is found by its operands.
    fn push_known(&mut self, operands: [Literal; 2]) -> Literal {
        let literal = self.push(operands);
        let gates = &self.gates;
        let hash = |&gate: &u32| FxBuildHasher.hash_one(gates[gate as usize]);
        self.known.insert_unique(FxBuildHasher.hash_one(operands), literal.gate(), hash);
        literal
    }

    /// Returns the literal that a function has already, or one that takes fewer gates.
    fn known_function(&mut self, function: Option<Known>) -> Option<Literal> {
        let function = function?;
        if let Known::Function(function, complement) = function {
            return Some(self.functions.as_ref()?.get(&function)?.xor(complement));
        }
        // Gates that are made here are not examined for functions, so that this ends.
        let functions = self.functions.take();
        let literal = match function {
            Known::Literal(literal) => Some(literal),
            Known::Gate(Gate::Xor(a, b), complement) => Some(self.xor(a, b).xor(complement)),
            Known::Gate(Gate::And(a, b), complement) => Some(self.and(a, b).xor(complement)),
            Known::Sum(gates, complement) => {
                let [a, b, c] = gates.map(|gate| Literal::new(gate, false));
                let two = self.xor(a, b);
                Some(self.xor(two, c).xor(complement))
            }
            Known::Gate(..) | Known::Function(..) => None,
        };
        self.functions = functions;
        literal
    }

    /// Records that a new gate is a function of others.
    fn learn(&mut self, function: Option<Known>, literal: Literal) {
        if let (Some(Known::Function(function, complement)), Some(functions)) = (function, &mut self.functions) {
            functions.insert(function, literal.xor(complement));
        }
    }

    /// `a & b` where one input of `b`'s gate is `a` or its complement.
    fn absorb(&mut self, a: Literal, b: Literal) -> Option<Literal> {
        match self.gate(b.gate()) {
            Gate::And(x, y) => {
                let (same, other) = if x.gate() == a.gate() { (x, y) } else { (y, x) };
                match (same.gate() == a.gate(), b.is_complement(), same == a) {
                    (false, ..) => None,
                    (true, false, true) => Some(b),
                    (true, false, false) => Some(Literal::ZERO),
                    (true, true, true) => Some(self.and(a, other.not())),
                    (true, true, false) => Some(a),
                }
            }
            Gate::Xor(x, y) => {
                // If `a` holds, its gate is known.
                let other = match a.gate() {
                    gate if gate == x.gate() => y,
                    gate if gate == y.gate() => x,
                    _ => return None,
                };
                let rest = other.xor(b.is_complement() == a.is_complement());
                Some(self.and(a, rest))
            }
            Gate::Zero | Gate::Input => None,
        }
    }

    /// Returns the sum of two different gates to which no simple rule applies; the first of them is the older one.
    fn sum_of(&mut self, a: Literal, b: Literal) -> Literal {
        let operands = [b, a];
        if let Some(known) = self.replacement(operands).or_else(|| self.linear.sum(&self.gates, a, b)) {
            return known;
        }
        let function = self.functions.as_ref().and_then(|_| {
            let sum = summands(&self.gates, &self.sealed, [a.gate(), b.gate()], MAX_WIDTH)?;
            function_of(self, decoded(operands), &sum)
        });
        self.known_function(function).unwrap_or_else(|| {
            let literal = self.push(operands);
            self.learn(function, literal);
            literal
        })
    }
}

pub fn decoded([a, b]: [Literal; 2]) -> Gate {
    match [a, b] {
        operands if operands == NO_OPERANDS[0] => Gate::Zero,
        operands if operands == NO_OPERANDS[1] => Gate::Input,
        _ if a < b => Gate::And(a, b),
        _ => Gate::Xor(b, a),
    }
}
