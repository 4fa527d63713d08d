//! Words whose data are literals of a gate graph: moving bits costs nothing, and a function that both sides compute is
//! one gate.
//!
//! Terms are for addresses and constants. An operation with an operand that is made from the contents of memory is
//! written out in gates at once, so that rotations and shuffles rename bits and leave nothing behind.

use std::collections::BTreeSet;
use std::rc::Rc;

use culet_decide::bits::blast::{Blast, Mode, function, multiply};
use culet_decide::bits::graph::{Gate, Literal};
use culet_decide::bits::{Budget, Comparison, compare_literals};
use culet_isa::Values;
use culet_meaning::Domain;
use culet_term::{Assignment, Input, InputKind, Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::effort::MIN_KEPT_BITS;
use crate::symbolic::Symbolic;

/// A term, or the literals of bits, least significant first; at least one of them is no constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Word {
    Term(Term),
    Bits(Rc<[Literal]>),
}

pub struct Wires {
    terms: Terms,
    blast: Blast,
    /// Results of bitwise operations on long words: executions that differ only in the stack pointer repeat them all.
    results: FxHashMap<Operation, Word>,
}

/// An operation on words.
type Operation = (Bitwise, [Rc<[Literal]>; 3]);

/// An operation on each bit of three words; the last word may have no effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Bitwise {
    And,
    Or,
    Xor,
    Table(u8),
}

impl Default for Wires {
    fn default() -> Self {
        // The number of gates is limited where functions are executed.
        Wires { terms: Terms::new(), blast: Blast::new(Mode::Bits, usize::MAX), results: FxHashMap::default() }
    }
}

impl Wires {
    /// The literals of a word.
    fn literals(&mut self, word: &Word) -> Rc<[Literal]> {
        let term = match word {
            Word::Bits(bits) => return Rc::clone(bits),
            Word::Term(term) => *term,
        };
        if let Some(limbs) = self.terms.constant_limbs(term) {
            let bit = |i: usize| Literal::constant(limbs[i / 64] >> (i % 64) & 1 == 1);
            return (0..self.terms.bits(term) as usize).map(bit).collect();
        }
        if self.blast.build(&self.terms, &[term]).is_err() {
            // A term that has no gates becomes an unknown: a proof for the unknown holds for the term.
            self.blast.leaf(&self.terms, term);
        }
        self.blast.get(&self.terms, term).into()
    }

    fn pack(&mut self, literals: &[Literal]) -> Word {
        if literals.iter().any(|literal| literal.gate() != 0) {
            return Word::Bits(literals.into());
        }
        let limb =
            |bits: &[Literal]| bits.iter().rev().fold(0, |limb, &bit| limb << 1 | u64::from(bit == Literal::ONE));
        let limbs: Vec<u64> = literals.chunks(64).map(limb).collect();
        Word::Term(self.terms.constant_wide(literals.len() as u32, &limbs))
    }

    /// Applies an operation to each bit of words, at least one of which is no term.
    fn bitwise(&mut self, operation: Bitwise, words: [&Word; 3]) -> Word {
        let words = words.map(|word| self.literals(word));
        let length = words[0].len();
        let key = (length >= MIN_KEPT_BITS).then(|| (operation, words.clone()));
        if let Some(known) = key.as_ref().and_then(|key| self.results.get(key)) {
            return known.clone();
        }
        let [a, b, c] = words;
        let gates = &mut self.blast.gates;
        let bits: Vec<Literal> = match operation {
            Bitwise::And => (0..length).map(|i| gates.and(a[i], b[i])).collect(),
            Bitwise::Or => (0..length).map(|i| gates.or(a[i], b[i])).collect(),
            Bitwise::Xor => (0..length).map(|i| gates.xor(a[i], b[i])).collect(),
            Bitwise::Table(table) => (0..length).map(|i| function(gates, table, &[a[i], b[i], c[i]])).collect(),
        };
        let result = self.pack(&bits);
        if let Some(key) = key {
            self.results.insert(key, result.clone());
        }
        result
    }

    /// Returns the word whose bit i is bit `from(i)` of another, or zero.
    fn moved(&mut self, bits: u32, a: &[Literal], from: impl Fn(usize) -> Option<usize>) -> Word {
        let bit = |i| from(i).map_or(Literal::ZERO, |from| a[from]);
        let bits: Vec<Literal> = (0..bits as usize).map(bit).collect();
        self.pack(&bits)
    }

    /// Returns `a + b + carry` or `a - b - carry`, and the carry or borrow out of it.
    fn wide_sum(&mut self, a: &Word, b: &Word, carry: &Word, subtract: bool) -> (Word, Word) {
        let (a, b, carry) = (self.literals(a), self.literals(b), self.literals(carry)[0]);
        let Blast { sums, gates, .. } = &mut self.blast;
        let (sum, carry) = sums.with_carry(gates, &a, &b, carry, subtract);
        (self.pack(&sum), self.pack(&[carry]))
    }

    fn product(&mut self, bits: u32, a: &Word, b: &Word) -> Vec<Literal> {
        let [a, b] = [a, b].map(|word| {
            let mut literals = self.literals(word).to_vec();
            literals.resize(bits as usize, Literal::ZERO);
            literals
        });
        multiply(&mut self.blast.gates, &a, &b)
    }

    fn values_of_gates(&self, inputs: &Assignment) -> Vec<bool> {
        let graph = &self.blast.gates;
        let mut values = vec![false; graph.count()];
        for leaf in &self.blast.leaves {
            let Node::Input(input) = self.terms.node(leaf.term) else { continue };
            let limbs = inputs.get(*input).unwrap_or_default();
            let bit = leaf.bit.unwrap_or_default() as usize;
            values[leaf.literal.gate() as usize] = limbs.get(bit / 64).is_some_and(|limb| limb >> (bit % 64) & 1 == 1);
        }
        for (number, gate) in graph.gates().enumerate() {
            let of = |literal: Literal| values[literal.gate() as usize] != literal.is_complement();
            match gate {
                Gate::And(a, b) => values[number] = of(a) && of(b),
                Gate::Xor(a, b) => values[number] = of(a) != of(b),
                Gate::Zero | Gate::Input => {}
            }
        }
        values
    }

    /// For each gate whether it is made from inputs whose kinds satisfy `wanted`.
    fn dependent(&self, wanted: fn(InputKind) -> bool) -> Vec<bool> {
        let graph = &self.blast.gates;
        let mut dependent = vec![false; graph.count()];
        let leaves: Vec<Term> = self.blast.leaves.iter().map(|leaf| leaf.term).collect();
        let of_leaves = Symbolic::depend(&self.terms, &leaves, wanted);
        for (leaf, depends) in self.blast.leaves.iter().zip(of_leaves) {
            dependent[leaf.literal.gate() as usize] = depends;
        }
        for gate in 0..graph.count() {
            if let Some((a, b)) = graph.operands(gate as u32) {
                dependent[gate] = dependent[a as usize] || dependent[b as usize];
            }
        }
        dependent
    }
}

/// Operations on terms alone stay terms.
macro_rules! bitwise {
    ($($name:ident $operation:ident),*) => {
        $(fn $name(&mut self, bits: u32, a: &Word, b: &Word) -> Word {
            match (a, b) {
                (Word::Term(a), Word::Term(b)) => Word::Term(Domain::$name(&mut self.terms, bits, a, b)),
                _ => self.bitwise(Bitwise::$operation, [a, b, b]),
            }
        })*
    };
}

impl Domain for Wires {
    type Word = Word;

    bitwise!(and And, or Or, xor Xor);

    fn constant(&mut self, bits: u32, value: u64) -> Word {
        Word::Term(Domain::constant(&mut self.terms, bits, value))
    }

    fn not(&mut self, bits: u32, a: &Word) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::not(&mut self.terms, bits, a)),
            Word::Bits(a) => Word::Bits(a.iter().map(|literal| literal.not()).collect()),
        }
    }

    fn add(&mut self, bits: u32, a: &Word, b: &Word) -> Word {
        if let (Word::Term(a), Word::Term(b)) = (a, b) {
            return Word::Term(Domain::add(&mut self.terms, bits, a, b));
        }
        let (a, b) = (self.literals(a), self.literals(b));
        let Blast { sums, gates, .. } = &mut self.blast;
        let sum = sums.add(gates, &a, &b, Literal::ZERO);
        self.pack(&sum)
    }

    fn sub(&mut self, bits: u32, a: &Word, b: &Word) -> Word {
        if let (Word::Term(a), Word::Term(b)) = (a, b) {
            return Word::Term(Domain::sub(&mut self.terms, bits, a, b));
        }
        let (a, b) = (self.literals(a), self.literals(b));
        let Blast { sums, gates, .. } = &mut self.blast;
        let difference = sums.sub(gates, &a, &b, Literal::ZERO);
        self.pack(&difference)
    }

    fn mul(&mut self, bits: u32, a: &Word, b: &Word) -> Word {
        if let (Word::Term(a), Word::Term(b)) = (a, b) {
            return Word::Term(Domain::mul(&mut self.terms, bits, a, b));
        }
        let product = self.product(bits, a, b);
        self.pack(&product)
    }

    fn mul_wide(&mut self, bits: u32, a: &Word, b: &Word) -> (Word, Word) {
        if let (Word::Term(a), Word::Term(b)) = (a, b) {
            let (low, high) = Domain::mul_wide(&mut self.terms, bits, a, b);
            return (Word::Term(low), Word::Term(high));
        }
        let product = self.product(2 * bits, a, b);
        let (low, high) = product.split_at(bits as usize);
        (self.pack(low), self.pack(high))
    }

    fn shl(&mut self, bits: u32, a: &Word, amount: u32) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::shl(&mut self.terms, bits, a, amount)),
            Word::Bits(a) => self.moved(bits, a, |i| i.checked_sub(amount as usize)),
        }
    }

    fn shr(&mut self, bits: u32, a: &Word, amount: u32) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::shr(&mut self.terms, bits, a, amount)),
            Word::Bits(a) => self.moved(bits, a, |i| Some(i + amount as usize).filter(|&i| i < bits as usize)),
        }
    }

    fn sar(&mut self, bits: u32, a: &Word, amount: u32) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::sar(&mut self.terms, bits, a, amount)),
            Word::Bits(a) => self.moved(bits, a, |i| Some((i + amount as usize).min(bits as usize - 1))),
        }
    }

    fn rotl(&mut self, bits: u32, a: &Word, amount: u32) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::rotl(&mut self.terms, bits, a, amount)),
            Word::Bits(a) => self.moved(bits, a, |i| Some((i + (bits - amount) as usize) % bits as usize)),
        }
    }

    fn extract(&mut self, bits: u32, a: &Word, low: u32, length: u32) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::extract(&mut self.terms, bits, a, low, length)),
            Word::Bits(_) if length == bits => a.clone(),
            Word::Bits(a) => self.pack(&a[low as usize..(low + length) as usize]),
        }
    }

    fn concat(&mut self, high_bits: u32, high: &Word, low_bits: u32, low: &Word) -> Word {
        if let (Word::Term(high), Word::Term(low)) = (high, low) {
            return Word::Term(Domain::concat(&mut self.terms, high_bits, high, low_bits, low));
        }
        let (low, high) = (self.literals(low), self.literals(high));
        Word::Bits([&low[..], &high[..]].concat().into())
    }

    // The following functions are equal to their definitions in the trait and faster, or have fewer gates.

    fn broadcast_bit(&mut self, bits: u32, bit: &Word) -> Word {
        match bit {
            Word::Term(bit) => Word::Term(Domain::broadcast_bit(&mut self.terms, bits, bit)),
            Word::Bits(bit) => Word::Bits(vec![bit[0]; bits as usize].into()),
        }
    }

    fn shuffle(&mut self, bits: u32, a: &Word, pattern: &[Option<u32>]) -> Word {
        match a {
            Word::Term(a) => Word::Term(Domain::shuffle(&mut self.terms, bits, a, pattern)),
            Word::Bits(a) => {
                let top = bits as usize - 1;
                self.moved(bits, a, |i| pattern[top - i].map(|from_top| top - from_top as usize))
            }
        }
    }

    fn select(&mut self, bits: u32, condition: &Word, then: &Word, otherwise: &Word) -> Word {
        if let (Word::Term(condition), Word::Term(then), Word::Term(otherwise)) = (condition, then, otherwise) {
            return Word::Term(Domain::select(&mut self.terms, bits, condition, then, otherwise));
        }
        let condition = self.literals(condition)[0];
        let (then, otherwise) = (self.literals(then), self.literals(otherwise));
        let gates = &mut self.blast.gates;
        let chosen: Vec<Literal> = then
            .iter()
            .zip(otherwise.iter())
            .map(|(&then, &otherwise)| gates.mux(condition, then, otherwise))
            .collect();
        self.pack(&chosen)
    }

    fn tern(&mut self, bits: u32, table: u8, a: &Word, b: &Word, c: &Word) -> Word {
        if let (Word::Term(a), Word::Term(b), Word::Term(c)) = (a, b, c) {
            return Word::Term(Domain::tern(&mut self.terms, bits, table, a, b, c));
        }
        self.bitwise(Bitwise::Table(table), [a, b, c])
    }

    fn addc(&mut self, bits: u32, a: &Word, b: &Word, carry: &Word) -> (Word, Word) {
        if let (Word::Term(a), Word::Term(b), Word::Term(carry)) = (a, b, carry) {
            let (sum, carry) = Domain::addc(&mut self.terms, bits, a, b, carry);
            return (Word::Term(sum), Word::Term(carry));
        }
        self.wide_sum(a, b, carry, false)
    }

    fn subb(&mut self, bits: u32, a: &Word, b: &Word, borrow: &Word) -> (Word, Word) {
        if let (Word::Term(a), Word::Term(b), Word::Term(borrow)) = (a, b, borrow) {
            let (difference, borrow) = Domain::subb(&mut self.terms, bits, a, b, borrow);
            return (Word::Term(difference), Word::Term(borrow));
        }
        self.wide_sum(a, b, borrow, true)
    }
}

impl Values for Wires {
    fn known(&self, bits: u32, a: &Word) -> Option<u64> {
        match a {
            Word::Term(a) => self.terms.known(bits, a),
            Word::Bits(_) => None,
        }
    }

    fn undefined(&mut self, bits: u32) -> Word {
        Word::Term(self.terms.undefined(bits))
    }

    fn join(&mut self, bits: u32, parts: &[Word]) -> Word {
        let terms: Option<Vec<Term>> = parts.iter().map(|part| self.term(part)).collect();
        if let Some(terms) = terms {
            return Word::Term(self.terms.join(bits, &terms));
        }
        let mut all = Vec::with_capacity(bits as usize * parts.len());
        for part in parts {
            all.extend_from_slice(&self.literals(part));
        }
        Word::Bits(all.into())
    }

    fn zero(&mut self, bits: u32) -> Word {
        Word::Term(self.terms.zero(bits))
    }

    fn ones(&mut self, bits: u32) -> Word {
        Word::Term(self.terms.ones(bits))
    }

    fn equal(&mut self, bits: u32, a: &Word, b: &Word) -> Word {
        if let (Word::Term(a), Word::Term(b)) = (a, b) {
            return Word::Term(Values::equal(&mut self.terms, bits, a, b));
        }
        let (a, b) = (self.literals(a), self.literals(b));
        let gates = &mut self.blast.gates;
        let mut same = Literal::ONE;
        for (&a, &b) in a.iter().zip(b.iter()) {
            let differ = gates.xor(a, b);
            same = gates.and(same, differ.not());
        }
        self.pack(&[same])
    }

    fn sign_extend(&mut self, bits: u32, from_bits: u32, a: &Word) -> Word {
        match a {
            Word::Term(a) => Word::Term(Values::sign_extend(&mut self.terms, bits, from_bits, a)),
            Word::Bits(a) => self.moved(bits, a, |i| Some(i.min(from_bits as usize - 1))),
        }
    }
}

impl Symbolic for Wires {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn word(&self, term: Term) -> Word {
        Word::Term(term)
    }

    fn term(&self, word: &Word) -> Option<Term> {
        match word {
            Word::Term(term) => Some(*term),
            Word::Bits(_) => None,
        }
    }

    fn width(&self, word: &Word) -> u32 {
        match word {
            Word::Term(term) => self.terms.bits(*term),
            Word::Bits(bits) => bits.len() as u32,
        }
    }

    fn unknown(&mut self, name: &str, bits: u32) -> Word {
        let term = self.terms.fresh(InputKind::Data, name, bits);
        Word::Bits(self.literals(&Word::Term(term)))
    }

    fn inputs_of(&self, word: &Word) -> Vec<Input> {
        let bits = match word {
            Word::Term(term) => return self.terms.inputs_of(term),
            Word::Bits(bits) => bits,
        };
        let graph = &self.blast.gates;
        let below = graph.below(bits);
        let leaves = self.blast.leaves.iter().filter(|leaf| below[leaf.literal.gate() as usize]);
        let terms: BTreeSet<Term> = leaves.map(|leaf| leaf.term).collect();
        let inputs: BTreeSet<Input> = terms.iter().flat_map(|term| self.terms.inputs_of(term)).collect();
        inputs.into_iter().collect()
    }

    fn depend(&self, words: &[Word], wanted: fn(InputKind) -> bool) -> Vec<bool> {
        let dependent = self.dependent(wanted);
        // All terms are searched at once, since each search goes through everything below the latest of them.
        let terms: Vec<Term> = words.iter().filter_map(|word| self.term(word)).collect();
        let mut of_terms = Symbolic::depend(&self.terms, &terms, wanted).into_iter();
        let depends = |word: &Word| match word {
            Word::Term(_) => of_terms.next().unwrap_or(true),
            Word::Bits(bits) => bits.iter().any(|bit| dependent[bit.gate() as usize]),
        };
        words.iter().map(depends).collect()
    }

    fn evaluate(&self, words: &[Word], inputs: &Assignment) -> Vec<Box<[u64]>> {
        let values = self.values_of_gates(inputs);
        let evaluated = words.iter().map(|word| match word {
            Word::Term(term) => Symbolic::evaluate(&self.terms, &[*term], inputs).swap_remove(0),
            Word::Bits(bits) => {
                let bit = |literal: &Literal| u64::from(values[literal.gate() as usize] != literal.is_complement());
                bits.chunks(64)
                    .map(|bits| bits.iter().rev().fold(0, |limb, literal| limb << 1 | bit(literal)))
                    .collect()
            }
        });
        evaluated.collect()
    }

    fn compare(&mut self, pairs: &[(Word, Word)], budget: &Budget) -> Comparison {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (self.literals(a), self.literals(b))).collect();
        compare_literals(&self.terms, &self.blast, &pairs, budget)
    }

    fn gates(&self) -> usize {
        self.blast.gates.count()
    }
}
