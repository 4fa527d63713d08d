//! The operations that instructions need of a domain beyond those that programs need.

use culet_meaning::Domain;

/// A domain whose words have 1 to 512 bits, and up to 1024 for intermediate results of products and shifts.
pub trait Values: Domain {
    /// The value, if the word is a constant of at most 64 bits.
    fn known(&self, bits: u32, a: &Self::Word) -> Option<u64>;

    /// A fresh unknown, which stands for a result that the processor's manual calls undefined.
    fn undefined(&mut self, bits: u32) -> Self::Word;

    /// A word in place of the one of `bits` bits that an operation makes of these, in a domain that does not follow what is computed with
    /// data; `None` if the operation must be computed.
    fn blurred(&mut self, _bits: u32, _from: &[&Self::Word]) -> Option<Self::Word> {
        None
    }

    /// The concatenation of `parts` of `bits` bits each, the least significant first.
    fn join(&mut self, bits: u32, parts: &[Self::Word]) -> Self::Word {
        if let [part] = parts {
            return part.clone();
        }
        let half = parts.len().next_power_of_two() / 2;
        let (low, high) = parts.split_at(half);
        let (low_word, high_word) = (self.join(bits, low), self.join(bits, high));
        self.concat(bits * high.len() as u32, &high_word, bits * low.len() as u32, &low_word)
    }

    /// The parts of `length` bits that make up a word of `bits` bits, the least significant first.
    fn split(&mut self, bits: u32, a: &Self::Word, length: u32) -> Vec<Self::Word> {
        (0..bits / length).map(|part| self.extract(bits, a, part * length, length)).collect()
    }

    /// Zero at any width; `constant` takes at most 64 bits.
    fn zero(&mut self, bits: u32) -> Self::Word {
        let narrow = bits.min(64);
        let zero = self.constant(narrow, 0);
        self.zero_extend(bits, narrow, &zero)
    }

    fn ones(&mut self, bits: u32) -> Self::Word {
        let zero = self.zero(bits);
        self.not(bits, &zero)
    }

    /// One bit: whether `a = b`.
    fn equal(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let mut differ = self.xor(bits, a, b);
        let mut width = bits;
        while width > 1 {
            let half = width.div_ceil(2);
            let low = self.extract(width, &differ, 0, half);
            let high = self.extract(width, &differ, half, width - half);
            let high = self.zero_extend(half, width - half, &high);
            differ = self.or(half, &low, &high);
            width = half;
        }
        self.not(1, &differ)
    }

    /// One bit: whether `a < b` as natural numbers.
    fn below(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let zero = self.constant(1, 0);
        self.subb(bits, a, b, &zero).1
    }

    /// One bit: whether `a < b` in two's complement.
    fn less(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let (a, b) = (flip_top(self, bits, a), flip_top(self, bits, b));
        self.below(bits, &a, &b)
    }

    fn sign_extend(&mut self, bits: u32, from_bits: u32, a: &Self::Word) -> Self::Word {
        if bits == from_bits {
            return a.clone();
        }
        let sign = self.extract(from_bits, a, from_bits - 1, 1);
        let above = self.broadcast_bit(bits - from_bits, &sign);
        self.concat(bits - from_bits, &above, from_bits, a)
    }

    /// One bit: whether the number of ones is odd.
    fn parity(&mut self, bits: u32, a: &Self::Word) -> Self::Word {
        let mut odd = self.extract(bits, a, 0, 1);
        for position in 1..bits {
            let bit = self.extract(bits, a, position, 1);
            odd = self.xor(1, &odd, &bit);
        }
        odd
    }

    /// The number of ones, as a word of `bits` bits.
    fn count_ones(&mut self, bits: u32, a: &Self::Word) -> Self::Word {
        let mut count = self.zero(bits);
        for position in 0..bits {
            let bit = self.extract(bits, a, position, 1);
            let bit = self.zero_extend(bits, 1, &bit);
            count = self.add(bits, &count, &bit);
        }
        count
    }
}

fn flip_top<V: Values + ?Sized>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    let top = values.extract(bits, a, bits - 1, 1);
    let flipped = values.not(1, &top);
    if bits == 1 {
        return flipped;
    }
    let rest = values.extract(bits, a, 0, bits - 1);
    values.concat(1, &flipped, bits - 1, &rest)
}
