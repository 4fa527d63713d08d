//! Full words without room for carries, whose part above the top folds back: `2^k − c` with a small c.
//!
//! Products of full words have the fewest word products that there can be, and every sum carries from word to word at
//! once. If the modulus leaves much of the top word, sums grow there, and the top word is folded where the plan says,
//! like the top limb of unsaturated limbs. If it leaves a few bits, an element is any words, and every sum is folded at
//! once, from p's own bits on, so that the top word takes the carry into it. If it leaves none, the carry out of the
//! words is folded until there is none.

use culet_ir::{Op, Part, Value};
use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::carries::Order;
use crate::interval::{Interval, power};
use crate::machine::{Machine, Number};
use crate::primes::{ROOM, Saturated};
use crate::representation::{Limbs, Product, Representation, bits_of, sum_of};
use crate::squares;

impl Saturated {
    /// Bits of words below the top one.
    fn below_top(&self) -> u32 {
        self.bits * (self.words - 1)
    }

    /// The exponent of the power of two that is `factor` modulo p.
    fn end(&self) -> u32 {
        self.below_top() + self.top
    }

    /// Whether sums may grow in the top word.
    fn has_room(&self) -> bool {
        self.top + ROOM <= self.bits
    }

    fn is_full(&self) -> bool {
        self.top == self.bits
    }

    /// A number as words; the top word has all that is left.
    fn digits(&self, value: &BigInt) -> Vec<BigInt> {
        let mask = power(u64::from(self.bits)) - 1;
        let low = (0..self.words - 1).map(|index| (value >> (index * self.bits)) & &mask);
        low.chain([value >> self.below_top()]).collect()
    }

    fn constants(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.digits(value).iter().map(|digit| m.constant(digit)).collect()
    }

    /// The greatest number that words may spell.
    fn most(&self, words: &[Number]) -> BigInt {
        (0..).zip(words).map(|(index, word)| &word.range.high << (index * self.bits)).sum()
    }

    /// Notes the words as a number on the way, which is at most `most`.
    fn note(&self, m: &mut Machine, part: Part, words: &[Number], most: &BigInt) {
        let below = (most.min(&self.most(words)) + BigInt::one()).magnitude().clone();
        let placed: Vec<(&Number, u32)> = words.iter().zip((0..).map(|index| index * self.bits)).collect();
        m.note(part, &placed, Some(below));
    }

    /// All words of the sum of products, the top one with its range, if two words hold each column.
    fn multiplied(&self, m: &mut Machine, products: &[(&[Number], &[Number])]) -> Option<Limbs> {
        let mut columns: Vec<Vec<Summand>> = Vec::new();
        for &(a, b) in products {
            self.add_product(m, &mut columns, (a, b));
        }
        let two_words = Interval::word(2 * self.bits);
        let mut carried = Interval::point(0);
        for column in &columns {
            let whole = column.iter().fold(carried, |sum, summand| sum.plus(&summand.range()));
            if !whole.within(&two_words) {
                return None;
            }
            carried = whole.shr(self.bits);
        }
        let mut sums = Vec::new();
        for column in &columns {
            let mut sum = m.constant(&BigInt::zero());
            for summand in column {
                let product = self.word_product(m, &summand.a, &summand.b);
                for _ in 0..summand.times {
                    sum = m.add_growing(&sum, &product);
                }
            }
            sums.push(sum);
        }
        Some(self.carried_through(m, sums))
    }

    /// The products of words, each in the column where it counts.
    fn add_product(&self, m: &mut Machine, columns: &mut Vec<Vec<Summand>>, (a, b): (&[Number], &[Number])) {
        let is_square = is_same_slice(a, b);
        let (a, b, folded) = match (self.folded_factor(m, b), is_square) {
            (Some(folded), _) => (a, b, Some(folded)),
            (None, false) => match self.folded_factor(m, a) {
                Some(folded) => (b, a, Some(folded)),
                None => (a, b, None),
            },
            (None, true) => (a, b, None),
        };
        let last = self.words as usize - 1;
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let (column, y, times) = match &folded {
                    Some(folded) if j > 0 && i + j >= last => (i + j - last, &folded[j], 1),
                    None if is_square && i > j => continue,
                    None if is_square && i < j => (i + j, y, 2),
                    _ => (i + j, y, 1),
                };
                columns.resize_with(columns.len().max(column + 1), Vec::new);
                columns[column].push(Summand { a: x.clone(), b: y.clone(), times });
            }
        }
    }

    /// Whether a word holds the part of a top word above the top, folded to the bottom.
    fn is_word_above_top(&self, word: &Number) -> bool {
        word.range.shr(self.top).times(&Interval::point(self.factor.clone())).within(&Interval::word(self.bits))
    }

    /// The part of a top word above the bits that it keeps, folded to the bottom: `factor · (word >> top)`, if a word
    /// holds that.
    fn above_top(&self, m: &mut Machine, word: &Number) -> Number {
        let above = m.shr(word, self.top);
        let mask = power(self.top.into()) - BigInt::one();
        let (whole, rest) = (&self.factor >> self.top, &self.factor & mask);
        if whole.is_zero() {
            return m.times(&above, &self.factor);
        }
        // The largest possible part of it is computed without a shift, as C compilers do it.
        let high = m.high_bits(word, self.top);
        let (high, above) = (m.times(&high, &whole), m.times(&above, &rest));
        m.add(&high, &above)
    }

    /// As [`Saturated::above_top`], in two words if need be.
    fn carried(&self, m: &mut Machine, word: &Number) -> Number {
        if self.is_word_above_top(word) {
            return self.above_top(m, word);
        }
        let (above, factor) = (m.shr(word, self.top), m.constant(&self.factor));
        self.word_product(m, &above, &factor)
    }

    /// The words of a factor, folded so that their products count below the top. The weight of a word is a multiple of
    /// the folded weight, if its lowest bits are 0. None if that is not known of all words but the lowest, or a
    /// multiple is no word.
    fn folded_factor(&self, m: &mut Machine, factor: &[Number]) -> Option<Limbs> {
        let is_folded = |word: &Number| word.range.is_zero() || word.zeros >= self.top && self.is_word_above_top(word);
        let above =
            factor.get(1..).filter(|above| self.has_room() && above.iter().any(|word| !word.range.is_zero()))?;
        if !above.iter().all(is_folded) {
            return None;
        }
        let mut folded = vec![m.constant(&BigInt::zero())];
        folded.extend(above.iter().map(|word| self.above_top(m, word)));
        Some(folded)
    }

    /// A product in one word where it fits.
    fn word_product(&self, m: &mut Machine, a: &Number, b: &Number) -> Number {
        if a.range.is_zero() || b.range.is_zero() {
            return m.constant(&BigInt::zero());
        }
        let in_two = !a.range.times(&b.range).within(&Interval::word(self.bits));
        m.mul(a, b, in_two)
    }

    /// Columns as words: the part above a word goes to the next word, and on above the last.
    fn carried_through(&self, m: &mut Machine, columns: Vec<Number>) -> Limbs {
        let (mut words, mut above) = (Limbs::new(), m.constant(&BigInt::zero()));
        for column in columns {
            let sum = m.add_growing(&column, &above);
            words.push(m.low_bits(&sum, self.bits));
            above = m.shr(&sum, self.bits);
        }
        if !above.range.is_zero() {
            words.push(m.narrow(&above));
        }
        words
    }

    /// A product by rows.
    fn multiplied_by_rows(&self, m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
        let zero = m.constant(&BigInt::zero());
        let mut words: Limbs = vec![zero.clone(); a.len() + b.len()];
        for (i, x) in a.iter().enumerate() {
            let mut carry = zero.clone();
            for (j, y) in b.iter().enumerate() {
                let product = self.word_product(m, x, y);
                // A word's product with a word leaves room for two words more.
                let sum = m.add_wide(&product, &words[i + j]);
                let sum = m.add_wide(&sum, &carry);
                words[i + j] = m.low_bits(&sum, self.bits);
                carry = m.shr(&sum, self.bits);
            }
            words[i + b.len()] = m.narrow(&carry);
        }
        words
    }

    /// A product where columns would take more than two words.
    fn multiplied_in_words(&self, m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
        if is_same_slice(a, b) && squares::pays(m, a) {
            squares::square(m, a)
        } else {
            self.multiplied_by_rows(m, a, b)
        }
    }

    /// Folds the part above the top, until only the words of an element are left.
    fn folded(&self, m: &mut Machine, words: Limbs) -> Limbs {
        let (mut words, n) = (words, self.words as usize);
        while words.len() > n {
            let total = self.bits * words.len() as u32;
            // A long number is cut between words where that is possible.
            let is_cut = words.len() > n + 1 && !self.has_room();
            let (end, top) = if is_cut { (self.bits * self.words, self.bits) } else { (self.end(), self.top) };
            let above: Limbs = (end..total)
                .step_by(self.bits as usize)
                .map(|from| bits_of(m, &words, self.bits, from, (from + self.bits).min(total)))
                .filter(|word| !word.range.is_zero())
                .collect();
            // With room, a carry at an operand may leave one word of the part above.
            m.wide_carries += u32::from(above.len() > 1);
            words.truncate(n);
            words[n - 1] = m.low_bits(&words[n - 1], top);
            let is_last = above.len() <= 1 && above.iter().all(|word| word.range.high <= BigInt::one());
            if is_last && self.is_full() {
                return self.fold_bit(m, &words, &above);
            }
            let factor = &self.factor << (end - self.end());
            let most = self.most(&words) + self.most(&above) * &factor;
            let factor = m.constant(&factor);
            let multiples = above.iter().map(|word| self.word_product(m, word, &factor)).collect();
            words = self.plus_columns(m, words, multiples);
            self.note(m, Part::Result, &words, &most);
        }
        words
    }

    /// The sum of words and of words at the bottom, with one word more if a full word at the top carries out.
    fn plus_columns(&self, m: &mut Machine, words: Limbs, addends: Limbs) -> Limbs {
        let n = words.len();
        let is_full = words[n - 1].range.high == power(self.bits.into()) - 1;
        let mut columns = words;
        for (index, multiple) in addends.into_iter().enumerate() {
            match columns.get_mut(index) {
                Some(column) => *column = m.add_growing(&multiple, column),
                None => columns.push(multiple),
            }
        }
        if is_full || columns.len() > n {
            return self.carried_through(m, columns);
        }
        // The top word has room for the carry into it.
        let top = columns.pop().map(|top| m.narrow(&top));
        let mut words = self.carried_through(m, columns);
        let carry = if words.len() == n { words.pop() } else { None };
        if let Some(top) = top {
            words.push(carry.map_or_else(|| top.clone(), |carry| m.add(&top, &carry)));
        }
        words
    }

    /// Folds the carry out of full words once more after a fold: the rest is then so small that nothing is carried
    /// again.
    fn fold_bit(&self, m: &mut Machine, words: &Limbs, above: &[Number]) -> Limbs {
        let Some(bit) = above.first() else { return words.clone() };
        let multiple = m.times(bit, &self.factor);
        let addend = alone(m, multiple, words.len());
        let (words, carry) = self.chained(m, Op::AddC, words, &addend);
        m.dropped.extend(carry);
        words
    }

    /// Sums or differences of words, and the carry out at the top.
    fn chained(&self, m: &mut Machine, op: Op, a: &[Number], b: &[Number]) -> (Limbs, Option<Value>) {
        let (mut words, mut carry) = (Limbs::new(), None);
        for (a, b) in a.iter().zip(b) {
            let (word, out) = m.with_carry(op.clone(), a, b, carry);
            words.push(word);
            carry = out;
        }
        (words, carry)
    }

    /// The sum if the top word has room for it. The part of a product above the top is known last, and so it is folded
    /// last.
    fn plus_folded(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        let mut multiples = Vec::new();
        let [a, b] = [a, b].map(|words| {
            let mut words = words.clone();
            let top = words.len() - 1;
            if self.is_of_product(&words[top]) {
                multiples.push(self.above_top(m, &words[top]));
                words[top] = m.low_bits(&words[top], self.top);
            }
            words
        });
        let sum = self.plus(m, &a, &b);
        multiples.into_iter().fold(sum, |sum, multiple| self.plus_columns(m, sum, vec![multiple]))
    }

    /// Whether a top word is larger than sums of elements make it.
    fn is_of_product(&self, top: &Number) -> bool {
        top.range.shr(self.top).high.bits() > u64::from(self.bits / 2)
    }

    /// The sum where the top word has room for it.
    fn plus(&self, m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
        let last = a.len() - 1;
        let (mut words, carry) = self.chained(m, Op::AddC, &a[..last], &b[..last]);
        let top = m.add(&a[last], &b[last]);
        let carry = m.from_bit(carry);
        words.push(m.add(&top, &carry));
        words
    }

    /// The difference where the top word has room for it and no sign.
    fn minus(&self, m: &mut Machine, a: &[Number], b: &[Number]) -> Limbs {
        let last = a.len() - 1;
        let (mut words, borrow) = self.chained(m, Op::SubB, &a[..last], &b[..last]);
        let top = m.sub(&a[last], &b[last]);
        let borrow = m.from_bit(borrow);
        words.push(m.sub(&top, &borrow));
        words
    }

    /// A folded sum of any words.
    fn folded_sum(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        let (mut words, carry) = self.chained(m, Op::AddC, a, b);
        words.push(m.from_bit(carry));
        self.folded(m, words)
    }

    /// A folded difference of any words. A multiple of p with one word more is added before, so that nothing is
    /// borrowed there.
    fn folded_difference(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        let whole = power(u64::from(self.bits) * u64::from(self.words));
        let multiple = (whole + &self.modulus - BigInt::one()) / &self.modulus * &self.modulus;
        let bits = self.bits;
        let mask = power(u64::from(bits)) - 1;
        let bias: Limbs = (0..=self.words).map(|index| m.constant(&((&multiple >> (index * bits)) & &mask))).collect();
        let zero = m.constant(&BigInt::zero());
        let longer = |words: &Limbs| words.iter().chain([&zero]).cloned().collect::<Limbs>();
        let sum = self.plus(m, &longer(a), &bias);
        let words = self.minus(m, &sum, &longer(b));
        self.folded(m, words)
    }

    /// A sum or difference of any words; a carry or borrow out of the top is folded as `factor`, twice at most.
    fn wrapped(&self, m: &mut Machine, op: &Op, a: &Limbs, b: &Limbs) -> Limbs {
        let zero = m.constant(&BigInt::zero());
        let factor = m.constant(&self.factor);
        let (mut words, mut carry) = self.chained(m, op.clone(), a, b);
        for _ in 0..2 {
            let multiple = m.select(carry, &factor, &zero);
            let multiple = alone(m, multiple, words.len());
            (words, carry) = self.chained(m, op.clone(), &words, &multiple);
        }
        m.dropped.extend(carry);
        words
    }

    /// The number below p.
    fn frozen(&self, m: &mut Machine, a: &Limbs) -> Limbs {
        let (top_bits, rest) = (self.top, self.factor.clone());
        let n = a.len();
        let mut words = a.clone();
        if self.most(&words) < self.modulus {
            return words;
        }
        if top_bits < self.bits && !words[n - 1].range.shr(top_bits).is_zero() {
            let multiple = self.above_top(m, &words[n - 1]);
            words[n - 1] = m.low_bits(&words[n - 1], top_bits);
            words = self.plus_word(m, &words, &multiple);
        }
        let most = self.most(&words);
        self.note(m, Part::Operand(0), &words, &most);
        if most >= &self.modulus * 2 {
            m.fail("a number is to be below 2 p before p is taken off", &Interval::new(0, most));
        }
        // Below 2 p, it is at least p if and only if adding 2^length − p carries out of the top.
        let rest = m.constant(&rest);
        let (less, is_least) = if top_bits < self.bits {
            let mut sum = self.plus_word(m, &words, &rest);
            let top = m.value(&sum[n - 1]);
            sum[n - 1] = m.low_bits(&sum[n - 1], top_bits);
            (sum, m.part(top, top_bits, 1))
        } else {
            let addend = alone(m, rest, n);
            self.chained(m, Op::AddC, &words, &addend)
        };
        less.iter().zip(&words).map(|(less, word)| m.select(is_least, less, word)).collect()
    }

    /// The sum with a word, where the top word has room.
    fn plus_word(&self, m: &mut Machine, words: &Limbs, word: &Number) -> Limbs {
        let addend = alone(m, word.clone(), words.len());
        self.plus(m, words, &addend)
    }
}

/// A word as `count` words, with zeros above it.
fn alone(m: &mut Machine, word: Number, count: usize) -> Limbs {
    let zero = m.constant(&BigInt::zero());
    std::iter::once(word).chain(std::iter::repeat_n(zero, count - 1)).collect()
}

/// A product of two words that counts `times` times in its column.
struct Summand {
    a: Number,
    b: Number,
    times: u32,
}

impl Summand {
    fn range(&self) -> Interval {
        self.a.range.times(&self.b.range).times(&Interval::point(self.times))
    }
}

fn is_same_slice(a: &[Number], b: &[Number]) -> bool {
    std::ptr::eq(a, b)
}

impl Representation for Saturated {
    fn word_bits(&self) -> u32 {
        self.bits
    }

    fn words(&self) -> u32 {
        self.words
    }

    fn limb_bits(&self, index: u32) -> u32 {
        if index + 1 == self.words && self.has_room() { self.top } else { self.bits }
    }

    fn is_reduced(&self) -> bool {
        false
    }

    /// Only the top word has anything to carry.
    fn full_chain(&self, _: Order, _lanes: u32) -> Vec<u32> {
        if self.has_room() { vec![self.words - 1] } else { Vec::new() }
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.constants(m, value)
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        match (self.has_room(), self.is_full()) {
            (true, _) => self.plus_folded(m, a, b),
            (_, true) => self.wrapped(m, &Op::AddC, a, b),
            _ => self.folded_sum(m, a, b),
        }
    }

    /// The difference. If the top word has room, a multiple of p is added before, so that nothing is borrowed there.
    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        if self.is_full() {
            return self.wrapped(m, &Op::SubB, a, b);
        }
        if b.iter().all(|word| word.range.is_zero()) {
            return a.clone();
        }
        if !self.has_room() {
            return self.folded_difference(m, a, b);
        }
        let most = (&b[b.len() - 1].range.high + BigInt::one()) << self.below_top();
        let multiple = (most + &self.modulus - BigInt::one()) / &self.modulus * &self.modulus;
        let bias = self.constants(m, &multiple);
        let sum = self.plus(m, a, &bias);
        self.minus(m, &sum, b)
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        let factor = [m.constant(&BigInt::from(factor))];
        let words = match self.multiplied(m, &[(a, &factor)]) {
            Some(words) => words,
            None => self.multiplied_by_rows(m, a, &factor),
        };
        self.folded(m, words)
    }

    /// Products of one sign are added before they are folded, where two words hold their columns.
    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        let mut sums = Vec::new();
        for is_negative in [false, true] {
            let own: Vec<&Product<'_>> = products.iter().filter(|product| product.is_negative == is_negative).collect();
            let pairs: Vec<(&[Number], &[Number])> = own.iter().map(|p| (&p.a[..], &p.b[..])).collect();
            if own.is_empty() {
                continue;
            }
            let multiplied = match self.multiplied(m, &pairs) {
                Some(words) => vec![words],
                None => pairs.iter().map(|&(a, b)| self.multiplied_in_words(m, a, b)).collect(),
            };
            for words in multiplied {
                self.note(m, Part::Result, &words, &self.most(&words));
                sums.push((self.folded(m, words), is_negative));
            }
        }
        let sum = sum_of(self, m, &sums);
        // One sum of several is not the result.
        if !matches!(sums[..], [(_, false)]) {
            m.forget_results();
        }
        sum
    }

    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]) {
        let last = limbs.len() - 1;
        for _ in chain {
            if limbs[last].range.shr(self.top).is_zero() {
                return;
            }
            let multiple = self.carried(m, &limbs[last]);
            let mut words = std::mem::take(limbs);
            words[last] = m.low_bits(&words[last], self.top);
            *limbs = self.plus_columns(m, words, vec![multiple]);
        }
    }

    fn summed(&self, m: &mut Machine, columns: &[Limbs]) -> Limbs {
        let zero = m.constant(&BigInt::zero());
        let sums = columns.iter().map(|column| column.iter().fold(zero.clone(), |sum, part| m.add_growing(&sum, part)));
        let sums = sums.collect();
        let words = self.carried_through(m, sums);
        self.folded(m, words)
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        let total = bits * words.len() as u32;
        let count = total.div_ceil(self.bits).max(self.words);
        let word = |index: u32| {
            let from = (index * self.bits).min(total);
            bits_of(m, words, bits, from, (from + self.bits).min(total))
        };
        let whole: Limbs = (0..count).map(word).collect();
        self.folded(m, whole)
    }

    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        let frozen = self.frozen(m, a);
        let total = self.bits * self.words;
        let word = |index: u32| {
            let from = (index * bits).min(total);
            bits_of(m, &frozen, self.bits, from, (from + bits).min(total))
        };
        (0..count as u32).map(word).collect()
    }
}
