//! Two words that belong together become one integer of twice the width.
//!
//! `lo, hi = mulwide a, b` is `(wide)a * b`; a sum of such pairs, which is two `addc`, is one `+`; two words shifted
//! right together are `x >> n`. C compilers find the flags again; the code that they make of it is proved, not
//! believed.
//!
//! A product without carries stays in the register that holds it, and so do exclusive ors of such products. Words are
//! taken out where they are used otherwise.

use std::collections::HashMap;

use culet_ir::{Inst, InstData, Op, Value};

use super::Unwritable;
use super::build::Builder;
use super::graph::{Kind, NodeId, Ty};

/// Known pairs of words.
#[derive(Default)]
pub(super) struct Pairs {
    /// By the low word: the high word, and the integer of both.
    of_low: HashMap<Value, (Value, NodeId)>,
    /// By the high word: the integer of both.
    of_high: HashMap<Value, NodeId>,
    /// Sums and differences of low words whose high words come later, by their carry.
    waiting: HashMap<Value, Lower>,
    /// Carries of the sums in `waiting`, by sum.
    sums: HashMap<Value, Value>,
    /// For words in registers of two words: the register, and whether the word is the high one.
    in_registers: HashMap<Value, (NodeId, bool)>,
}

#[derive(Clone, Copy)]
struct Lower {
    a: Value,
    b: Value,
    sum: Value,
    is_difference: bool,
}

impl Pairs {
    fn insert(&mut self, low: Value, high: Value, whole: NodeId) {
        self.of_low.insert(low, (high, whole));
        self.of_high.insert(high, whole);
    }
}

impl Builder<'_> {
    /// A word of a pair, or the low word of a sum whose high word comes later.
    pub(super) fn part_of_pair(&mut self, value: Value) -> Option<NodeId> {
        let word = self.integers.word();
        if let Some(&(_, whole)) = self.pairs.of_low.get(&value) {
            return Some(self.graph.convert(whole, word));
        }
        if let Some(&whole) = self.pairs.of_high.get(&value) {
            let high = self.graph.shr(whole, self.integers.word_bits);
            return Some(self.graph.convert(high, word));
        }
        if let Some(&(register, is_high)) = self.pairs.in_registers.get(&value) {
            return Some(self.graph.operation(Kind::Part(is_high), &[register], word));
        }
        let carry = self.pairs.sums.get(&value)?;
        let lower = *self.pairs.waiting.get(carry)?;
        let (a, b) = (self.word(lower.a).ok()?, self.word(lower.b).ok()?);
        Some(self.graph.binary(if lower.is_difference { Kind::Sub } else { Kind::Add }, a, b))
    }

    /// Two words as one integer.
    fn pair(&mut self, low: Value, high: Value) -> Option<NodeId> {
        if let Some(&(partner, whole)) = self.pairs.of_low.get(&low)
            && partner == high
        {
            return Some(whole);
        }
        let wide = self.integers.wide();
        let upper = self.constant(high)?;
        if upper == 0 {
            let low = self.word(low).ok()?;
            return Some(self.graph.convert(low, wide));
        }
        let lower = self.constant(low)?;
        Some(self.graph.literal(u128::from(upper) << self.integers.word_bits | u128::from(lower), wide))
    }

    /// Writes an instruction on words of the target as an operation on pairs, if it is one.
    pub(super) fn with_pairs(&mut self, inst: Inst, data: &InstData) -> Result<bool, Unwritable> {
        if self.integers.has_lanes || data.args.first().is_none_or(|&arg| self.bits(arg) != self.integers.word_bits) {
            return Ok(false);
        }
        let arg = |index: usize| data.args[index];
        match data.op {
            Op::MulWide => {
                let wide = self.integers.wide();
                let (a, b) = (self.word(arg(0))?, self.word(arg(1))?);
                let (a, b) = (self.graph.convert(a, wide), self.graph.convert(b, wide));
                let whole = self.graph.binary(Kind::Mul, a, b);
                self.pairs.insert(data.results[0], data.results[1], whole);
                Ok(true)
            }
            Op::ClMul if self.integers.has_clmul => {
                let (a, b) = (self.word(arg(0))?, self.word(arg(1))?);
                let register = self.graph.operation(Kind::ClMul, &[a, b], Ty::Pair);
                self.pairs.in_registers.insert(data.results[0], (register, false));
                self.pairs.in_registers.insert(data.results[1], (register, true));
                Ok(true)
            }
            Op::Xor => Ok(self.xor_in_registers(data)),
            // The high word of a shifted pair is there already.
            Op::Shr(_) => Ok(self.pairs.of_high.contains_key(&data.results[0])),
            Op::Funnel(amount) => Ok(self.shifted_pair(inst, data, u32::from(amount))),
            Op::AddC | Op::SubB => Ok(self.sum_of_pairs(inst, data)),
            _ => Ok(false),
        }
    }

    /// Exclusive or of two low words of registers, or of two high words, as a word of the registers' exclusive or.
    fn xor_in_registers(&mut self, data: &InstData) -> bool {
        let [Some(&(a, is_high)), Some(&(b, other))] =
            [0, 1].map(|index| self.pairs.in_registers.get(&data.args[index]))
        else {
            return false;
        };
        if is_high != other {
            return false;
        }
        let register = self.graph.binary(Kind::Xor, a, b);
        self.pairs.in_registers.insert(data.results[0], (register, is_high));
        true
    }

    /// Shifts two words right: as a pair if the high one is shifted, too, otherwise as a word.
    fn shifted_pair(&mut self, inst: Inst, data: &InstData, amount: u32) -> bool {
        let (high, low) = (data.args[0], data.args[1]);
        if amount == 0 || self.constant(high).is_some() {
            return false;
        }
        let Some(whole) = self.pair(low, high) else { return false };
        let right = self.integers.word_bits - amount;
        let rest = self
            .uses
            .of_value(high)
            .iter()
            .find(|&&user| self.func.inst(user).op == Op::Shr(right as u8) && self.uses.are_beside(user, inst));
        let rest = rest.map(|&user| self.func.inst(user).results[0]);
        match rest.filter(|rest| self.known(*rest).is_none() && !self.pairs.of_high.contains_key(rest)) {
            Some(rest) => {
                let shifted = self.graph.shr(whole, right);
                self.pairs.insert(data.results[0], rest, shifted);
            }
            None => {
                // The high word of the pair shifted left, which leaves the low word as it is, to be used once more.
                let shifted = self.graph.shl(whole, amount);
                let high = self.graph.shr(shifted, self.integers.word_bits);
                let word = self.graph.convert(high, self.integers.word());
                self.set(data.results[0], word);
            }
        }
        true
    }

    /// Low words wait for their high words, with which they are one sum.
    fn sum_of_pairs(&mut self, inst: Inst, data: &InstData) -> bool {
        let is_difference = data.op == Op::SubB;
        let [a, b, carry] = [0, 1, 2].map(|index| data.args[index]);
        let (sum, out) = (data.results[0], data.results[1]);
        if let Some(&lower) = self.pairs.waiting.get(&carry)
            && let (Some(x), Some(y)) = (self.pair(lower.a, a), self.pair(lower.b, b))
        {
            let whole = self.graph.binary(if is_difference { Kind::Sub } else { Kind::Add }, x, y);
            self.pairs.insert(lower.sum, sum, whole);
            return true;
        }
        if self.constant(carry) == Some(0) && self.has_high_words(inst, data) {
            self.pairs.waiting.insert(out, Lower { a, b, sum, is_difference });
            self.pairs.sums.insert(sum, out);
            return true;
        }
        false
    }

    /// Whether the carry goes only into the sum of the high words that belong to the low ones, and that sum has no
    /// carry.
    fn has_high_words(&mut self, inst: Inst, data: &InstData) -> bool {
        let Some(user) = self.uses.only(data.results[1], inst) else { return false };
        let user = self.func.inst(user);
        user.op == data.op
            && user.args[2] == data.results[1]
            && !self.uses.is_used(user.results[1])
            && self.pair(data.args[0], user.args[0]).is_some()
            && self.pair(data.args[1], user.args[1]).is_some()
    }
}
