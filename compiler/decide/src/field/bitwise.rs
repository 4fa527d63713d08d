//! Bitwise functions of words: of masks whose bits are all one bit, of two words one of which is zero, of a word and as
//! many ones as it has bits, or of one word alone.

use culet_term::{Node, Term};
use smallvec::SmallVec;

use super::Algebra;
use super::interval::{Interval, power_of_two};
use super::polynomial::Polynomial;
use crate::bits::cuts::COLUMNS;
use crate::effort::integers::MAX_LEVELS;

/// Maximum number of operands of one function. Bit i of its table is the result if bit k of i is that of operand k: the
/// table of operand k is `COLUMNS[k]`.
const MAX_LEAVES: usize = COLUMNS.len();
impl Algebra<'_> {
    /// Returns the value of a bitwise operation. If masks are among its operands, it is a selection by their bits.
    pub(super) fn bitwise(&mut self, term: Term) -> Polynomial {
        let known = self.disjoint(term).or_else(|| self.complement_of_low_bits(term));
        let known = known.or_else(|| (1..=MAX_LEVELS).find_map(|levels| self.as_selection(term, levels)));
        known.unwrap_or_else(|| self.unknown_word(term))
    }

    /// Returns the sum of two words, which is their OR and their XOR, if one of them is zero, as their product shows.
    fn disjoint(&mut self, term: Term) -> Option<Polynomial> {
        let (Node::Or(a, b) | Node::Xor(a, b)) = *self.terms.node(term) else { return None };
        let (p, q) = (self.value(a), self.value(b));
        self.sum_of_disjoint(&p, &q)
    }

    fn sum_of_disjoint(&mut self, p: &Polynomial, q: &Polynomial) -> Option<Polynomial> {
        if !self.product(p, q).is_zero() {
            return None;
        }
        let sum = p.plus(q);
        let range = self.bound(p).hull(&self.bound(q));
        self.record(&sum, &range);
        Some(sum)
    }

    /// Returns `2^k − 1 − a` for `a ^ (2^k − 1)` where a has k bits at most: compilers compute the one by the other.
    fn complement_of_low_bits(&mut self, term: Term) -> Option<Polynomial> {
        let Node::Xor(a, b) = *self.terms.node(term) else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(word, ones)| {
            let after = self.value(ones).as_constant()? + 1i32;
            let bits = after.trailing_zeros().filter(|&bits| after == power_of_two(bits as u32))? as u32;
            let word = self.value(word);
            self.bound(&word).within(&Interval::word(bits)).then(|| self.complement(&word, bits))
        })
    }

    /// Returns the value of a node as one function of its operands, or, with more levels, of the operands of bitwise
    /// operations among them.
    fn as_selection(&mut self, term: Term, levels: u32) -> Option<Polynomial> {
        let mut leaves = SmallVec::new();
        let table = self.table(term, levels, &mut leaves)?;
        self.by_cases(table, &leaves, self.terms.bits(term))
    }

    /// Returns the table of a node over leaves, with operations expanded for `levels` levels. The condition of a choice
    /// is a leaf that stands for a mask.
    fn table(&self, term: Term, levels: u32, leaves: &mut SmallVec<[Term; MAX_LEAVES]>) -> Option<u64> {
        let mut of = |operand: Term| self.table(operand, levels - 1, leaves);
        Some(match *self.terms.node(term) {
            Node::Not(a) if levels > 0 => !of(a)?,
            Node::And(a, b) if levels > 0 => of(a)? & of(b)?,
            Node::Or(a, b) if levels > 0 => of(a)? | of(b)?,
            Node::Xor(a, b) if levels > 0 => of(a)? ^ of(b)?,
            Node::Tern(table, a, b, c) if levels > 0 => {
                let operands = [of(a)?, of(b)?, of(c)?];
                let entries = (0..8u8).filter(|entry| table >> entry & 1 == 1);
                entries.fold(0, |sum, entry| sum | cell(operands, entry))
            }
            Node::Select(condition, then, otherwise) if levels > 0 => {
                let (then, otherwise) = (of(then)?, of(otherwise)?);
                let condition = pattern(leaves, condition)?;
                condition & then | !condition & otherwise
            }
            Node::Constant(_) if self.terms.is_zero(term) => 0,
            _ => pattern(leaves, term)?,
        })
    }

    /// Returns the value of a function, with both cases of each mask distinguished.
    fn by_cases(&mut self, table: u64, leaves: &[Term], bits: u32) -> Option<Polynomial> {
        let used: SmallVec<[usize; MAX_LEAVES]> = (0..leaves.len()).filter(|&leaf| depends(table, leaf)).collect();
        let Some(&first) = used.first() else {
            return Some(if table & 1 == 0 {
                Polynomial::zero()
            } else {
                Polynomial::constant(power_of_two(bits) - 1i32)
            });
        };
        if used.len() == 1 {
            let value = self.value_of_leaf(leaves[first], bits);
            return Some(if table == COLUMNS[first] { value } else { self.complement(&value, bits) });
        }
        if let [first, second] = used[..]
            && let (Some(p), Some(q)) = (self.mask_of(leaves[first], bits), self.mask_of(leaves[second], bits))
        {
            let value = |p: u32, q: u32| (table >> (p << first | q << second) & 1) as i32;
            let values = [[value(0, 0), value(0, 1)], [value(1, 0), value(1, 1)]];
            if let Some(bit) = self.linear_in_bits(values, &p, &q) {
                return Some(bit.scaled(&(power_of_two(bits) - 1i32)));
            }
        }
        for &leaf in &used {
            if let Some(bit) = self.mask_of(leaves[leaf], bits) {
                let tables = [false, true].map(|value| self.in_case(table, leaves, bits, (&bit, value)));
                let (clear, set) = (self.by_cases(tables[0], leaves, bits)?, self.by_cases(tables[1], leaves, bits)?);
                return Some(self.selection(&bit, &set, &clear));
            }
        }
        None
    }

    /// Returns a function of two bits for which one of the four pairs of values is impossible: it is linear, through
    /// its other three values. Two carries out of one sum of three words are such bits.
    fn linear_in_bits(&mut self, values: [[i32; 2]; 2], p: &Polynomial, q: &Polynomial) -> Option<Polynomial> {
        let [[neither, only_q], [only_p, both]] = values;
        let sum = self.bound(&p.plus(q));
        let (constant, of_p, of_q) = if sum.within(&Interval::bit()) {
            (neither, only_p - neither, only_q - neither)
        } else if sum.within(&Interval::new(1, 2)) {
            (only_p + only_q - both, both - only_q, both - only_p)
        } else {
            let difference = self.bound(&p.minus(q));
            if difference.within(&Interval::bit()) {
                (neither, only_p - neither, both - only_p)
            } else if difference.within(&Interval::new(-1, 0)) {
                (neither, both - only_q, only_q - neither)
            } else {
                return None;
            }
        };
        let bit = p.scaled(&of_p.into()).plus(&q.scaled(&of_q.into())).plus_constant(constant);
        self.record(&bit, &Interval::bit());
        Some(bit)
    }

    /// Restricts a function to one value of a bit, in all masks that are made of this bit or of its complement.
    fn in_case(&mut self, table: u64, leaves: &[Term], bits: u32, (bit, value): (&Polynomial, bool)) -> u64 {
        let complement = bit.negated().plus_constant(1);
        leaves.iter().enumerate().fold(table, |table, (leaf, &mask)| match self.mask_of(mask, bits) {
            Some(other) if other == *bit => cofactor(table, leaf, value),
            Some(other) if other == complement => cofactor(table, leaf, !value),
            _ => table,
        })
    }

    fn mask_of(&mut self, leaf: Term, bits: u32) -> Option<Polynomial> {
        let word = self.value(leaf);
        self.mask(&word, self.terms.bits(leaf)).filter(|_| [1, bits].contains(&self.terms.bits(leaf)))
    }

    fn value_of_leaf(&self, leaf: Term, bits: u32) -> Polynomial {
        let value = self.value(leaf);
        if self.terms.bits(leaf) == bits { value } else { value.scaled(&(power_of_two(bits) - 1i32)) }
    }
}

/// Returns the column of a leaf, which is added to the leaves if it is new; `None` if there are too many.
fn pattern(leaves: &mut SmallVec<[Term; MAX_LEAVES]>, leaf: Term) -> Option<u64> {
    let index = leaves.iter().position(|&known| known == leaf).unwrap_or(leaves.len());
    if index == leaves.len() {
        leaves.push(leaf);
    }
    COLUMNS.get(index).copied()
}

/// Returns the positions at which three operands have the bits of this entry, the first operand highest.
fn cell(operands: [u64; 3], entry: u8) -> u64 {
    let of = |k: usize| if entry >> (2 - k) & 1 == 1 { operands[k] } else { !operands[k] };
    of(0) & of(1) & of(2)
}

fn depends(table: u64, leaf: usize) -> bool {
    cofactor(table, leaf, false) != cofactor(table, leaf, true)
}

/// Restricts a function to one operand's bits being all clear or all set.
fn cofactor(table: u64, leaf: usize, is_set: bool) -> u64 {
    let (pattern, distance) = (COLUMNS[leaf], 1 << leaf);
    if is_set {
        let half = table & pattern;
        half | half >> distance
    } else {
        let half = table & !pattern;
        half | half << distance
    }
}
