//! Sums modulo 2 and products of two of them: equal sums of the same gates are one gate, however they are bracketed,
//! and so are equal products.
//!
//! Every gate has a fingerprint. The fingerprint of an XOR gate is the sum of those of its operands, so gates that are
//! the same sum have the same fingerprint. A fingerprint says where to look and is never a reason: sums are compared
//! summand by summand.
//!
//! For two sums p and q, the products `p·q`, `p·(p + q) = p + p·q` and `q·(p + q) = q + p·q` differ only by sums, and
//! so do those of complements. A product is known by the two smallest of the fingerprints of p, q and `p + q`.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::hash::BuildHasher;

use super::graph::{Gate, Literal, decoded};
use crate::effort::sums::MAX_ZERO_STEPS;

/// A sum modulo 2 of random numbers, one for each gate that is no XOR gate.
type Print = u128;

/// Gates of a sum modulo 2, ascending.
pub type Sum = SmallVec<[u32; 16]>;

/// A gate that was removed, as its operands, and the literal that stands for it.
type Replaced = ([Literal; 2], Literal);

#[derive(Default)]
pub struct Linear {
    prints: Vec<Print>,
    /// Gates by their fingerprint, the first gate of each.
    sums: HashTable<u32>,
    /// AND gates by their key.
    products: HashTable<u32>,
    replaced_sums: FxHashMap<Print, Replaced>,
    replaced_products: FxHashMap<[Print; 2], Replaced>,
}

/// A product in terms of one that is known, `first` and `second` being the sums that are multiplied:
/// `known + first if .first + second if .second + 1 if .complement`.
pub struct Product {
    pub known: Literal,
    pub first: bool,
    pub second: bool,
    pub complement: bool,
}

impl Linear {
    /// Adds a gate that was looked for and not found.
    pub fn push(&mut self, gates: &[[Literal; 2]], operands: [Literal; 2]) {
        let number = self.prints.len() as u32;
        let print = match decoded(operands) {
            Gate::Xor(a, b) => self.of(a) ^ self.of(b),
            Gate::Zero => 0,
            Gate::Input | Gate::And(..) => random_print(number),
        };
        self.prints.push(print);
        let prints = &self.prints;
        if self.sums.find(fold(print), |&gate| prints[gate as usize] == print).is_none() {
            self.sums.insert_unique(fold(print), number, |&gate| fold(prints[gate as usize]));
        }
        if let Gate::And(a, b) = decoded(operands) {
            let key = |gate: &u32| FxBuildHasher.hash_one(key(prints, gates[*gate as usize]));
            self.products.insert_unique(FxBuildHasher.hash_one(self.key([a, b])), number, key);
        }
    }

    /// Removes the latest gate, and lets its definition mean `target` from now on.
    pub fn replace_last(&mut self, operands: [Literal; 2], target: Literal) {
        let Some(&print) = self.prints.last() else { return };
        let number = self.prints.len() as u32 - 1;
        if let Ok(entry) = self.sums.find_entry(fold(print), |&gate| gate == number) {
            entry.remove();
        }
        match decoded(operands) {
            Gate::Xor(..) => {
                self.replaced_sums.entry(print).or_insert((operands, target));
            }
            Gate::And(..) => {
                let key = self.key(operands);
                if let Ok(entry) = self.products.find_entry(FxBuildHasher.hash_one(key), |&gate| gate == number) {
                    entry.remove();
                }
                self.replaced_products.entry(key).or_insert((operands, target));
            }
            Gate::Zero | Gate::Input => {}
        }
        self.prints.pop();
    }

    /// Returns the literal that is the sum of two gates already, if there is one.
    pub fn sum(&self, gates: &[[Literal; 2]], a: Literal, b: Literal) -> Option<Literal> {
        let print = self.of(a) ^ self.of(b);
        let (a, b) = (a.gate(), b.gate());
        let found = self.sums.find(fold(print), |&gate| self.prints[gate as usize] == print);
        if let Some(&known) = found.filter(|&&known| is_zero(gates, &[a, b, known])) {
            return Some(Literal::new(known, false));
        }
        let ([x, y], target) = self.replaced_sums.get(&print)?;
        is_zero(gates, &[a, b, x.gate(), y.gate()]).then_some(*target)
    }

    /// Expresses the product of two literals by a product that exists already.
    pub fn product(&self, gates: &[[Literal; 2]], operands: [Literal; 2]) -> Option<Product> {
        let wanted = self.key(operands);
        let hash = FxBuildHasher.hash_one(wanted);
        let found = self.products.find(hash, |&gate| key(&self.prints, gates[gate as usize]) == wanted);
        let (theirs, known) = match found {
            Some(&gate) => (gates[gate as usize], Literal::new(gate, false)),
            None => *self.replaced_products.get(&wanted)?,
        };
        let [p, q] = operands;
        let [first, second] = theirs.map(|their| self.share(gates, their, operands));
        let (first, second) = (first?, second?);
        // Without complements, their product is ours, or ours plus the operand that both of their factors have.
        let mut sum = [first[0] && second[0], first[1] && second[1]];
        for (complement, share) in [(theirs[1].is_complement(), first), (theirs[0].is_complement(), second)] {
            sum = [sum[0] != (complement && share[0]), sum[1] != (complement && share[1])];
        }
        Some(Product {
            known,
            first: sum[0] != q.is_complement(),
            second: sum[1] != p.is_complement(),
            complement: (theirs[0].is_complement() && theirs[1].is_complement())
                != (p.is_complement() && q.is_complement()),
        })
    }

    /// Returns which of two gates a gate is the sum of: one or both of them. Complements do not count.
    fn share(&self, gates: &[[Literal; 2]], gate: Literal, of: [Literal; 2]) -> Option<[bool; 2]> {
        let prints = of.map(|operand| self.of(operand));
        let print = self.of(gate);
        let share = [[true, false], [false, true], [true, true]]
            .into_iter()
            .find(|share| print == if share[0] { prints[0] } else { 0 } ^ if share[1] { prints[1] } else { 0 })?;
        let mut sum: Sum = SmallVec::from_slice(&[gate.gate()]);
        sum.extend(of.iter().zip(share).filter(|(_, is)| *is).map(|(operand, _)| operand.gate()));
        is_zero(gates, &sum).then_some(share)
    }

    fn of(&self, literal: Literal) -> Print {
        self.prints[literal.gate() as usize]
    }

    fn key(&self, operands: [Literal; 2]) -> [Print; 2] {
        key(&self.prints, operands)
    }
}

/// Returns the key of a product: the two smallest fingerprints of the sums that it may be a product of.
fn key(prints: &[Print], [a, b]: [Literal; 2]) -> [Print; 2] {
    let (a, b) = (prints[a.gate() as usize], prints[b.gate() as usize]);
    let mut all = [a, b, a ^ b];
    all.sort_unstable();
    [all[0], all[1]]
}

/// Whether the sum modulo 2 of gates is zero for sure. The latest gate is written as the sum of its operands,
/// repeatedly. Operands are older than their gate, so a latest gate that is no sum can no longer cancel.
fn is_zero(gates: &[[Literal; 2]], sum: &[u32]) -> bool {
    let mut open = Sum::new();
    for &gate in sum {
        toggle(&mut open, gate);
    }
    for _ in 0..MAX_ZERO_STEPS {
        let Some(latest) = open.pop() else { return true };
        match decoded(gates[latest as usize]) {
            Gate::Zero => {}
            Gate::Xor(a, b) => {
                toggle(&mut open, a.gate());
                toggle(&mut open, b.gate());
            }
            Gate::Input | Gate::And(..) => return false,
        }
    }
    false
}

/// Returns the gates that the sum of two gates consists of, if they are at most `most`. None of them is an XOR gate,
/// unless it is sealed.
pub fn summands(gates: &[[Literal; 2]], sealed: &[bool], two: [u32; 2], most: usize) -> Option<Sum> {
    let mut open = Sum::new();
    for gate in two {
        toggle(&mut open, gate);
    }
    // Gates from this index on are no XOR gates, or are sealed.
    let mut end = open.len();
    while end > 0 {
        end -= 1;
        let gate = open[end] as usize;
        if let (false, Gate::Xor(a, b)) = (sealed[gate], decoded(gates[gate])) {
            open.remove(end);
            for operand in [a.gate(), b.gate()] {
                let before = open.len();
                toggle(&mut open, operand);
                end = if open.len() > before { end + 1 } else { end - 1 };
            }
        }
        if open.len() > 2 * most {
            return None;
        }
    }
    Some(open).filter(|open| open.len() <= most)
}

/// Adds a gate to a sum of gates in ascending order.
fn toggle(open: &mut Sum, gate: u32) {
    match open.binary_search(&gate) {
        Ok(place) => {
            open.remove(place);
        }
        Err(place) => open.insert(place, gate),
    }
}

fn fold(print: Print) -> u64 {
    print as u64
}

/// Deterministic, so that graphs are reproducible.
fn random_print(gate: u32) -> Print {
    let mut state = u64::from(gate).wrapping_mul(0x9e6c_63d0_876a_9a47);
    let mut word = || Print::from(super::simulate::random(&mut state));
    word() << 64 | word()
}
