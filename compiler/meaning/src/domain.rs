//! The trait of word operations that every interpreter is generic over.

use culet_types::program::Table;

/// Words of 1 to 64 bits (an implementation may offer wider ones) and the operations on them.
///
/// An implementation gives the operations without a body; the others have their definition here, once, in terms of
/// those, and may be overridden only by something equal and faster. `bits` is the width of the operands and, unless
/// said otherwise, of the result. Amounts are less than `bits`.
pub trait Domain {
    type Word: Clone;

    /// A constant; `value < 2^bits`.
    fn constant(&mut self, bits: u32, value: u64) -> Self::Word;
    fn not(&mut self, bits: u32, a: &Self::Word) -> Self::Word;
    fn and(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn or(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn xor(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The sum modulo 2^bits.
    fn add(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The difference modulo 2^bits.
    fn sub(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The product of 2·bits bits, as (low, high).
    fn mul_wide(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> (Self::Word, Self::Word);
    fn shl(&mut self, bits: u32, a: &Self::Word, amount: u32) -> Self::Word;
    fn shr(&mut self, bits: u32, a: &Self::Word, amount: u32) -> Self::Word;
    /// Shift right, copying the top bit.
    fn sar(&mut self, bits: u32, a: &Self::Word, amount: u32) -> Self::Word;
    /// Bits `low..low + length` (from the least significant) of a word of `bits` bits; the result has `length ≥ 1`
    /// bits.
    fn extract(&mut self, bits: u32, a: &Self::Word, low: u32, length: u32) -> Self::Word;
    /// `high` above `low`; the result has `high_bits + low_bits` bits.
    fn concat(&mut self, high_bits: u32, high: &Self::Word, low_bits: u32, low: &Self::Word) -> Self::Word;

    /// The low half of the product.
    fn mul(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        self.mul_wide(bits, a, b).0
    }

    /// The product of polynomials over GF(2), bit i being the coefficient of x^i, of 2·bits bits, as (low, high).
    fn clmul(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> (Self::Word, Self::Word) {
        let zero = self.constant(bits, 0);
        let (mut low, mut high) = (zero.clone(), zero);
        for position in 0..bits {
            let bit = self.extract(bits, b, position, 1);
            let mask = self.broadcast_bit(bits, &bit);
            let shifted = self.shl(bits, a, position);
            let term = self.and(bits, &shifted, &mask);
            low = self.xor(bits, &low, &term);
            if position > 0 {
                let above = self.shr(bits, a, bits - position);
                let term = self.and(bits, &above, &mask);
                high = self.xor(bits, &high, &term);
            }
        }
        (low, high)
    }

    /// `a & !b`
    fn andn(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let not_b = self.not(bits, b);
        self.and(bits, a, &not_b)
    }

    fn rotl(&mut self, bits: u32, a: &Self::Word, amount: u32) -> Self::Word {
        self.funnel(bits, a, a, amount)
    }

    /// The upper `bits` bits of `(high:low) << amount`.
    fn funnel(&mut self, bits: u32, high: &Self::Word, low: &Self::Word, amount: u32) -> Self::Word {
        if amount == 0 {
            return high.clone();
        }
        let upper = self.shl(bits, high, amount);
        let lower = self.shr(bits, low, bits - amount);
        self.or(bits, &upper, &lower)
    }

    fn zero_extend(&mut self, bits: u32, from_bits: u32, a: &Self::Word) -> Self::Word {
        if bits == from_bits {
            return a.clone();
        }
        let zero = self.constant(bits - from_bits, 0);
        self.concat(bits - from_bits, &zero, from_bits, a)
    }

    /// All ones if the one-bit word `bit` is 1, else zero.
    fn broadcast_bit(&mut self, bits: u32, bit: &Self::Word) -> Self::Word {
        let mut word = bit.clone();
        let mut width = 1;
        while width < bits {
            let more = width.min(bits - width);
            let part = self.extract(width, &word, 0, more);
            word = self.concat(more, &part, width, &word);
            width += more;
        }
        word
    }

    /// Bit k of the result (0 is the most significant) is bit `pattern[k]` of the operand, or zero.
    fn shuffle(&mut self, bits: u32, a: &Self::Word, pattern: &[Option<u32>]) -> Self::Word {
        assert_eq!(pattern.len(), bits as usize, "a shuffle names every bit of its result");
        let mut done: Option<(u32, Self::Word)> = None;
        // Neighbours that stay neighbours move together.
        for run in pattern.chunk_by(|&a, &b| a.map(|p| p + 1) == b) {
            let length = run.len() as u32;
            let part = match run[0] {
                Some(first) => self.extract(bits, a, bits - first - length, length),
                None => self.constant(length, 0),
            };
            done = Some(match done {
                None => (length, part),
                Some((above, word)) => (above + length, self.concat(above, &word, length, &part)),
            });
        }
        done.map_or_else(|| self.constant(bits, 0), |(_, word)| word)
    }

    /// `condition ? then : otherwise`; the condition has one bit.
    fn select(&mut self, bits: u32, condition: &Self::Word, then: &Self::Word, otherwise: &Self::Word) -> Self::Word {
        let mask = self.broadcast_bit(bits, condition);
        let differ = self.xor(bits, then, otherwise);
        let chosen = self.and(bits, &mask, &differ);
        self.xor(bits, otherwise, &chosen)
    }

    /// The bitwise function of three operands whose value at bits (a, b, c) is bit `4a + 2b + c` of `table`.
    fn tern(&mut self, bits: u32, table: u8, a: &Self::Word, b: &Self::Word, c: &Self::Word) -> Self::Word {
        let mut result = self.constant(bits, 0);
        for row in (0..8u32).filter(|row| table >> row & 1 == 1) {
            let mut term = if row & 4 != 0 { a.clone() } else { self.not(bits, a) };
            let b_literal = if row & 2 != 0 { b.clone() } else { self.not(bits, b) };
            term = self.and(bits, &term, &b_literal);
            let c_literal = if row & 1 != 0 { c.clone() } else { self.not(bits, c) };
            term = self.and(bits, &term, &c_literal);
            result = self.or(bits, &result, &term);
        }
        result
    }

    /// The table applied at every bit position of its input words, all of `bits` bits, first word most significant.
    fn table(&mut self, bits: u32, table: &Table, inputs: &[Self::Word]) -> Vec<Self::Word> {
        assert_eq!(inputs.len(), table.inputs as usize, "a table takes one word an index bit");
        // matches[i] is one where the inputs seen so far, first one most significant, spell i.
        let mut matches = vec![self.constant(bits, u64::MAX >> (64 - bits))];
        for input in inputs {
            let mut longer = Vec::with_capacity(2 * matches.len());
            for prefix in &matches {
                longer.push(self.andn(bits, prefix, input));
                longer.push(self.and(bits, prefix, input));
            }
            matches = longer;
        }
        let mut outputs = Vec::with_capacity(table.outputs as usize);
        for output in (0..table.outputs).rev() {
            let mut word = self.constant(bits, 0);
            for (entry, &value) in matches.iter().zip(&table.values) {
                if value >> output & 1 == 1 {
                    word = self.or(bits, &word, entry);
                }
            }
            outputs.push(word);
        }
        outputs
    }

    /// `a + b + carry` as (sum, carry); carries have one bit.
    fn addc(&mut self, bits: u32, a: &Self::Word, b: &Self::Word, carry: &Self::Word) -> (Self::Word, Self::Word) {
        let carry_word = self.zero_extend(bits, 1, carry);
        let partial = self.add(bits, a, b);
        let sum = self.add(bits, &partial, &carry_word);
        // Carry out of the top bit: majority(a, b, !sum).
        let not_sum = self.not(bits, &sum);
        let both = self.and(bits, a, b);
        let either = self.or(bits, a, b);
        let through = self.and(bits, &either, &not_sum);
        let out = self.or(bits, &both, &through);
        (sum, self.extract(bits, &out, bits - 1, 1))
    }

    /// `a - b - borrow` as (difference, borrow); borrows have one bit.
    fn subb(&mut self, bits: u32, a: &Self::Word, b: &Self::Word, borrow: &Self::Word) -> (Self::Word, Self::Word) {
        let borrow_word = self.zero_extend(bits, 1, borrow);
        let partial = self.sub(bits, a, b);
        let difference = self.sub(bits, &partial, &borrow_word);
        // Borrow out of the top bit: majority(!a, b, difference).
        let not_a = self.not(bits, a);
        let both = self.and(bits, &not_a, b);
        let either = self.or(bits, &not_a, b);
        let through = self.and(bits, &either, &difference);
        let out = self.or(bits, &both, &through);
        (difference, self.extract(bits, &out, bits - 1, 1))
    }
}
