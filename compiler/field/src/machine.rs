//! Arithmetic on numbers of one or two words whose bounds are known: the one place that decides which words an
//! operation takes.
//!
//! A [`Machine`] keeps the range of every [`Number`] and, if it has a builder, writes the word operations that compute
//! it; without one it only keeps ranges, which is how plans are tried. The first operation whose result its words
//! cannot hold is the machine's [`Failure`]: afterwards nothing that it wrote may be used.

use std::fmt;

use culet_ir::rewrite::Builder;
use culet_ir::{FuncId, InstData, Op, Part, Stage, Type, Value, W1, Word};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive, Zero};

use crate::interval::{Interval, power};

mod lanes;

/// An integer in one word or two, and its range.
#[derive(Debug, Clone)]
pub struct Number {
    pub range: Interval,
    /// Number of low bits that are 0: the integer is a multiple of this power of two.
    pub zeros: u32,
    words: Words,
}

/// The words of a number, if they are written.
#[derive(Debug, Clone, Copy)]
enum Words {
    One(Option<Value>),
    /// Low, high.
    Two(Option<(Value, Value)>),
}

/// A result that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Place of the failure, such as `v7 = fmul, column 3`.
    pub place: String,
    /// Message that says what does not fit, and into what.
    pub what: String,
    pub range: Interval,
}

/// Half of a product of 104 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Low,
    High,
}

impl Number {
    fn new(range: Interval, words: Words) -> Number {
        Number { range, zeros: 0, words }
    }

    /// The word of a number of one word, if it is written.
    pub fn word(&self) -> Option<Value> {
        match self.words {
            Words::One(value) => value,
            Words::Two(_) => None,
        }
    }

    /// The number, with `zeros` low bits that are known to be 0.
    pub fn with_zeros(self, zeros: u32) -> Number {
        Number { zeros, ..self }
    }

    /// The word of a number that has one, with the known facts about it.
    pub fn as_word(&self) -> Option<Word> {
        let range = Some((self.range.low.clone(), self.range.high.clone()));
        self.word().map(|value| Word { value, range, zeros: self.zeros })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; it is {}", self.place, self.what, self.range)
    }
}

impl std::error::Error for Failure {}

pub struct Machine {
    /// Bits of a word.
    pub bits: u32,
    /// Lanes of the values at hand, which are words if there is one.
    pub lanes: u8,
    /// Whether products of 52 by 52 bits can be added to words.
    pub has_mac52: bool,
    /// Whether products are of the low 32 bits of words.
    pub has_mul32: bool,
    pub builder: Option<Builder>,
    pub failure: Option<Failure>,
    /// Whether to go on after a failure and write wrong code, only to show that the fault is found.
    pub keeps_going: bool,
    /// Carries that are dropped because a function computes modulo its words.
    pub dropped: Vec<Value>,
    /// Carries that take two words, and products in vectors whose columns are folded instead of a factor.
    pub wide_carries: u32,
    /// Name of the current computation, for failures.
    pub place: String,
    /// Numbers on the way to the result of the operation that is written, for the prover.
    pub stages: Vec<Stage>,
    /// The number whose limbs are carried, if it may be noted.
    pub carried: Option<Part>,
    /// The function that multiplies two elements in Montgomery's form, if there is one: conversions call it.
    pub product: Option<FuncId>,
}

impl Machine {
    pub fn new(bits: u32, builder: Option<Builder>) -> Machine {
        Machine {
            bits,
            lanes: 1,
            has_mac52: false,
            has_mul32: false,
            builder,
            failure: None,
            keeps_going: false,
            dropped: Vec::new(),
            wide_carries: 0,
            place: String::new(),
            stages: Vec::new(),
            carried: None,
            product: None,
        }
    }

    /// Calls a function that takes words and gives `count` words.
    pub fn call(&mut self, callee: FuncId, args: &[&Number], count: usize) -> Vec<Number> {
        let args: Option<Vec<Value>> = args.iter().map(|arg| self.value(arg)).collect();
        let word = self.word();
        let written = self.builder.as_mut().zip(args).map(|(builder, args)| {
            let call = builder.emit(Op::Call(callee), args, &vec![word; count]);
            builder.func.inst(call).results.to_vec()
        });
        let result = |index: usize| written.as_ref().map(|results| results[index]);
        (0..count).map(|index| self.given(Interval::word(self.bits), result(index))).collect()
    }

    /// Notes a number on the way to a result, each word of it with its weight, as an exponent of two.
    pub fn note(&mut self, part: Part, words: &[(&Number, u32)], below: Option<BigUint>) {
        let word = |&(number, position): &(&Number, u32)| number.as_word().map(|word| (word, position));
        if let (Some(_), Some(words)) = (&self.builder, words.iter().map(word).collect()) {
            self.stages.push(Stage { part, words, below });
        }
    }

    /// Drops notes about results, which are about parts of one.
    pub fn forget_results(&mut self) {
        self.stages.retain(|stage| stage.part != Part::Result);
    }

    pub fn word(&self) -> Type {
        match self.lanes {
            1 => Type::Word(self.bits as u8),
            lanes => Type::Vector { lanes, bits: self.bits as u8 },
        }
    }

    pub fn fail(&mut self, what: impl Into<String>, range: &Interval) {
        let (place, what) = (&self.place, what.into());
        self.failure.get_or_insert_with(|| Failure { place: place.clone(), what, range: range.clone() });
    }

    /// A word that is there already; `None` where nothing is written.
    pub fn given(&self, range: Interval, value: Option<Value>) -> Number {
        Number::new(range, Words::One(value))
    }

    /// The word of a number that has one.
    pub fn value(&mut self, a: &Number) -> Option<Value> {
        match self.narrow(a).words {
            Words::One(value) => value,
            Words::Two(pair) => pair.map(|(low, _)| low),
        }
    }

    pub fn is_wide(&self, a: &Number) -> bool {
        matches!(a.words, Words::Two(_))
    }

    fn one(&mut self, op: Op, args: &[Option<Value>]) -> Option<Value> {
        let ty = self.word();
        let args: Option<Vec<Value>> = args.iter().copied().collect();
        Some(self.builder.as_mut()?.emit1(op, args?, ty))
    }

    fn two(&mut self, op: Op, args: &[Option<Value>], second: Type) -> Option<(Value, Value)> {
        let ty = self.word();
        let args: Option<Vec<Value>> = args.iter().copied().collect();
        let builder = self.builder.as_mut()?;
        let inst = builder.emit(op, args?, &[ty, second]);
        let results = &builder.func.inst(inst).results;
        Some((results[0], results[1]))
    }

    fn constant_word(&mut self, value: &BigInt) -> Option<Value> {
        let residue: BigInt = value & (power(u64::from(self.bits)) - 1);
        let word = residue.to_u64()?;
        self.one(Op::Const(vec![word; usize::from(self.lanes)].into()), &[])
    }

    fn bit(&mut self, value: u64) -> Option<Value> {
        Some(self.builder.as_mut()?.emit1(Op::constant(value), [], W1))
    }

    /// A constant, in two words if it does not fit into one.
    pub fn constant(&mut self, value: &BigInt) -> Number {
        let range = Interval::point(value.clone());
        if self.fits_word(&range) {
            let word = self.constant_word(value);
            return Number::new(range, Words::One(word));
        }
        self.wide_constant(value)
    }

    fn wide_constant(&mut self, value: &BigInt) -> Number {
        let range = Interval::point(value.clone());
        if value.is_negative() || value.bits() > 2 * u64::from(self.bits) {
            self.fail("a constant has more than two words", &range);
        }
        let low = self.constant_word(value);
        let high = self.constant_word(&(value >> self.bits));
        Number::new(range, Words::Two(low.zip(high)))
    }

    /// Whether one word holds it, with or without a sign.
    pub fn fits_word(&self, range: &Interval) -> bool {
        range.within(&Interval::word(self.bits)) || range.within(&Interval::signed_word(self.bits))
    }

    fn checked_word(&mut self, range: Interval, what: &str) -> Interval {
        if !self.fits_word(&range) {
            self.fail(format!("{what} does not fit into a word of {} bits", self.bits), &range);
        }
        range
    }

    fn checked_two_words(&mut self, range: Interval, what: &str) -> Interval {
        if !range.within(&Interval::word(2 * self.bits)) {
            self.fail(format!("{what} does not fit into two words of {} bits", self.bits), &range);
        }
        range
    }

    /// Whether the machine is to do nothing more.
    pub fn is_over(&self) -> bool {
        self.failure.is_some() && !self.keeps_going
    }

    /// The number as two words.
    fn wide(&mut self, a: &Number) -> Number {
        match a.words {
            Words::Two(_) => a.clone(),
            Words::One(value) => {
                let range = self.checked_two_words(a.range.clone(), "a number with a sign");
                let zero = self.constant_word(&BigInt::ZERO);
                Number::new(range, Words::Two(value.zip(zero)))
            }
        }
    }

    /// The number as one word, if its range allows.
    pub fn narrow(&mut self, a: &Number) -> Number {
        match a.words {
            Words::One(_) => a.clone(),
            Words::Two(pair) => {
                let range = a.range.clone();
                if !range.within(&Interval::word(self.bits)) {
                    self.fail(format!("a number of two words does not fit into a word of {} bits", self.bits), &range);
                }
                Number::new(range, Words::One(pair.map(|(low, _)| low)))
            }
        }
    }

    pub fn add(&mut self, a: &Number, b: &Number) -> Number {
        if a.range.is_zero() {
            return b.clone();
        }
        if b.range.is_zero() {
            return a.clone();
        }
        let range = a.range.plus(&b.range);
        if let (Words::One(x), Words::One(y)) = (a.words, b.words) {
            let range = self.checked_word(range, "a sum");
            return Number::new(range, Words::One(self.one(Op::Add, &[x, y])));
        }
        let range = self.checked_two_words(range, "a sum");
        self.in_two_words(Op::AddC, a, b, range)
    }

    /// The sum in two words.
    pub fn add_wide(&mut self, a: &Number, b: &Number) -> Number {
        let a = self.wide(a);
        if b.range.is_zero() { a } else { self.add(&a, b) }
    }

    /// The sum in one word or, where that does not hold it, in two.
    pub fn add_growing(&mut self, a: &Number, b: &Number) -> Number {
        let is_wide = !self.fits_word(&a.range.plus(&b.range));
        if is_wide { self.add_wide(a, b) } else { self.add(a, b) }
    }

    /// A carry as a number.
    pub fn from_bit(&mut self, bit: Option<Value>) -> Number {
        let (above, whole) = (Type::Word(self.bits as u8 - 1), self.word());
        let value = self.builder.as_mut().zip(bit).map(|(builder, bit)| {
            let zero = builder.emit1(Op::constant(0), [], above);
            builder.emit1(Op::Concat, [zero, bit], whole)
        });
        self.given(Interval::new(0, 1), value)
    }

    /// Words of `bits` bits, the lowest first, as one word.
    pub fn join_words(&mut self, parts: &[Option<Value>], bits: u32) -> Number {
        let total = bits * parts.len() as u32;
        let parts: Option<Vec<Value>> = parts.iter().copied().collect();
        let word = self.builder.as_mut().zip(parts).map(|(builder, parts)| {
            let runs = match bits {
                1 => in_rows(builder, &parts),
                _ => parts.into_iter().map(|part| (part, bits)).collect(),
            };
            let (mut word, mut have) = runs[0];
            for &(part, more) in &runs[1..] {
                have += more;
                word = builder.emit1(Op::Concat, [part, word], Type::Word(have as u8));
            }
            if total < self.bits {
                let zero = builder.emit1(Op::constant(0), [], Type::Word((self.bits - total) as u8));
                word = builder.emit1(Op::Concat, [zero, word], Type::Word(self.bits as u8));
            }
            word
        });
        self.given(Interval::word(total), word)
    }

    /// The product of the polynomials over GF(2) that two words are: (low, high).
    pub fn clmul(&mut self, a: &Number, b: &Number) -> [Number; 2] {
        let bits = (a.range.high.bits() + b.range.high.bits()).saturating_sub(1) as u32;
        let (x, y, ty) = (self.value(a), self.value(b), self.word());
        let pair = self.two(Op::ClMul, &[x, y], ty);
        let low = Number::new(Interval::word(bits.min(self.bits)), Words::One(pair.map(|pair| pair.0)));
        let high = Number::new(Interval::word(bits.saturating_sub(self.bits)), Words::One(pair.map(|pair| pair.1)));
        [low, high]
    }

    /// The word with its lowest bit at the top.
    pub fn mirrored(&mut self, a: &Number) -> Number {
        let mut word = a.clone();
        let mut step = self.bits / 2;
        while step > 0 {
            // The lower bits of the pairs that are exchanged; the upper bits are `step` above them.
            let lower = (0..self.bits).filter(|bit| bit & step == 0).fold(0, |mask, bit| mask | 1 << bit);
            let above = self.shr(&word, step);
            let (above, below) = (self.masked(&above, lower), self.masked(&word, lower));
            let below = self.times(&below, &power(step.into()));
            word = self.join_bits(&below, &above);
            step /= 2;
        }
        word
    }

    /// Bits of a word as a narrower word.
    pub fn part(&mut self, word: Option<Value>, low: u32, bits: u32) -> Option<Value> {
        if bits == self.bits {
            return word;
        }
        let (builder, word) = (self.builder.as_mut()?, word?);
        Some(builder.emit1(Op::Extract(low as u8), [word], Type::Word(bits as u8)))
    }

    /// The difference of words.
    pub fn sub(&mut self, a: &Number, b: &Number) -> Number {
        if b.range.is_zero() {
            return a.clone();
        }
        let range = a.range.minus(&b.range);
        if let (Words::One(x), Words::One(y)) = (a.words, b.words) {
            let range = self.checked_word(range, "a difference");
            return Number::new(range, Words::One(self.one(Op::Sub, &[x, y])));
        }
        let range = self.checked_two_words(range, "a difference");
        self.in_two_words(Op::SubB, a, b, range)
    }

    /// A sum or a difference, low words first; nothing is carried out of the high ones.
    fn in_two_words(&mut self, op: Op, a: &Number, b: &Number, range: Interval) -> Number {
        let (a, b) = (self.wide(a), self.wide(b));
        let (Words::Two(x), Words::Two(y)) = (a.words, b.words) else { return a };
        let none = self.bit(0);
        let low = self.two(op.clone(), &[x.map(|x| x.0), y.map(|y| y.0), none], W1);
        let high = self.two(op, &[x.map(|x| x.1), y.map(|y| y.1), low.map(|low| low.1)], W1);
        Number::new(range, Words::Two(low.zip(high).map(|(low, high)| (low.0, high.0))))
    }

    /// The product of two words in one word, or in two if asked for.
    pub fn mul(&mut self, a: &Number, b: &Number, in_two: bool) -> Number {
        let range = a.range.times(&b.range);
        let (a, b) = (self.narrow(a), self.narrow(b));
        let (Words::One(x), Words::One(y)) = (a.words, b.words) else { return a };
        if self.has_mul32 {
            return self.mul32(&a, &b);
        }
        if !in_two {
            let range = self.checked_word(range, "a product");
            return Number::new(range, Words::One(self.one(Op::Mul, &[x, y])));
        }
        for factor in [&a, &b] {
            if !factor.range.within(&Interval::word(self.bits)) {
                self.fail(format!("a factor is no word of {} bits without a sign", self.bits), &factor.range);
            }
        }
        let ty = self.word();
        Number::new(range, Words::Two(self.two(Op::MulWide, &[x, y], ty)))
    }

    /// The product of a word and a constant in one word.
    pub fn times(&mut self, a: &Number, factor: &BigInt) -> Number {
        if *factor == BigInt::from(1) || a.range.is_zero() {
            return a.clone();
        }
        if factor.is_zero() {
            return self.constant(factor);
        }
        let a = self.narrow(a);
        let Words::One(x) = a.words else { return a };
        let range = self.checked_word(a.range.times(&Interval::point(factor.clone())), "a multiple");
        let bits = factor.bits();
        let ones: u32 = factor.iter_u64_digits().map(u64::count_ones).sum();
        if self.has_mul32 && ones == 2 {
            // This takes less time than a product.
            let low = factor.trailing_zeros().unwrap_or(0);
            let parts = [low, bits - 1].map(|bit| self.times(&a, &power(bit)));
            return self.add(&parts[1], &parts[0]);
        }
        if self.has_mul32 && ones > 2 {
            let factor = self.constant(factor);
            return self.mul32(&a, &factor);
        }
        let value = if self.has_mac52 && bits == 2 && *factor == BigInt::from(2) {
            self.one(Op::Add, &[x, x])
        } else if *factor == power(bits - 1) {
            self.one(Op::Shl((bits - 1) as u8), &[x])
        } else if self.has_mac52 && range.within(&Interval::word(52)) {
            let (zero, factor) = (self.constant_word(&BigInt::ZERO), self.constant_word(factor));
            self.one(Op::Mac52Lo, &[zero, x, factor])
        } else {
            let factor = self.constant_word(factor);
            self.one(Op::Mul, &[x, factor])
        };
        Number::new(range, Words::One(value))
    }

    /// The number divided by 2^amount, rounded down; in one word where it fits.
    pub fn shr(&mut self, a: &Number, amount: u32) -> Number {
        let range = a.range.shr(amount);
        if amount == 0 {
            return a.clone();
        }
        if range.low == range.high {
            return self.constant(&range.low);
        }
        match a.words {
            Words::One(x) if amount < self.bits => {
                let op = if a.range.low.is_negative() { Op::Sar(amount as u8) } else { Op::Shr(amount as u8) };
                Number::new(range, Words::One(self.one(op, &[x])))
            }
            Words::Two(pair) if amount <= self.bits => self.shr_two(range, pair, amount),
            _ => {
                self.fail("a shift by more than a word", &a.range);
                Number::new(range, Words::One(None))
            }
        }
    }

    fn shr_two(&mut self, range: Interval, pair: Option<(Value, Value)>, amount: u32) -> Number {
        let (low, high) = (pair.map(|pair| pair.0), pair.map(|pair| pair.1));
        if amount == self.bits {
            return Number::new(range, Words::One(high));
        }
        let shifted = self.one(Op::Funnel((self.bits - amount) as u8), &[high, low]);
        if range.within(&Interval::word(self.bits)) {
            return Number::new(range, Words::One(shifted));
        }
        let rest = self.one(Op::Shr(amount as u8), &[high]);
        Number::new(range, Words::Two(shifted.zip(rest)))
    }

    /// The number modulo 2^amount, which is at most a word.
    pub fn low_bits(&mut self, a: &Number, amount: u32) -> Number {
        let all = Interval::below(power(u64::from(amount)));
        if a.range.within(&all) {
            return self.narrow(a);
        }
        if a.range.low == a.range.high {
            return self.constant(&(&a.range.low & &all.high));
        }
        let word = match a.words {
            Words::One(value) => value,
            Words::Two(pair) => pair.map(|pair| pair.0),
        };
        if amount >= self.bits {
            return Number::new(all, Words::One(word));
        }
        let mask = self.constant_word(&all.high);
        Number::new(all, Words::One(self.one(Op::And, &[word, mask])))
    }

    /// The number without its lowest bits, in one word.
    pub fn high_bits(&mut self, a: &Number, amount: u32) -> Number {
        if a.zeros >= amount {
            return self.narrow(a);
        }
        let high = (&a.range.high >> amount) << amount;
        let (word, mask) = (self.value(a), self.constant_word(&(power(self.bits.into()) - power(amount.into()))));
        Number::new(Interval::new(0, high), Words::One(self.one(Op::And, &[word, mask]))).with_zeros(amount)
    }

    /// The exclusive or of words.
    pub fn xor(&mut self, a: &Number, b: &Number) -> Number {
        let bits = a.range.high.bits().max(b.range.high.bits()) as u32;
        let (x, y) = (self.value(a), self.value(b));
        Number::new(Interval::word(bits), Words::One(self.one(Op::Xor, &[x, y])))
    }

    /// The bits of a word that are set in the mask.
    pub fn masked(&mut self, a: &Number, mask: u64) -> Number {
        let all = power(a.range.high.bits()) - 1;
        if &all & BigInt::from(mask) == all {
            return a.clone();
        }
        let (x, bits) = (self.value(a), self.constant_word(&BigInt::from(mask)));
        Number::new(Interval::new(0, mask), Words::One(self.one(Op::And, &[x, bits])))
    }

    /// `condition ? then : otherwise`; the condition is a bit.
    pub fn select(&mut self, condition: Option<Value>, then: &Number, otherwise: &Number) -> Number {
        let range = then.range.hull(&otherwise.range);
        let (x, y) = (self.value(then), self.value(otherwise));
        Number::new(range, Words::One(self.one(Op::Select, &[condition, x, y])))
    }

    /// Parts that have no bit in common, together in one word.
    pub fn join_bits(&mut self, a: &Number, b: &Number) -> Number {
        if a.range.is_zero() {
            return b.clone();
        }
        let range = self.checked_word(a.range.plus(&b.range), "a word of parts");
        let (x, y) = (self.value(a), self.value(b));
        Number::new(range, Words::One(self.one(Op::Or, &[x, y])))
    }

    /// `a + b + carry` and `a - b - borrow` of words, modulo a word; the carry is a bit.
    pub fn with_carry(&mut self, op: Op, a: &Number, b: &Number, carry: Option<Value>) -> (Number, Option<Value>) {
        let carry = match (carry, &self.builder) {
            (None, Some(_)) => self.bit(0),
            _ => carry,
        };
        let (x, y) = (self.value(a), self.value(b));
        let results = self.two(op, &[x, y, carry], W1);
        let range = Interval::word(self.bits);
        (Number::new(range, Words::One(results.map(|r| r.0))), results.map(|r| r.1))
    }
}

/// Consecutive bits of another word, perhaps only one.
struct Row {
    first: Value,
    /// The word that they are from, and their lowest bit in it.
    source: Option<(Value, u32)>,
    bits: u32,
}

/// Joins bits, the lowest first, to fewer parts: bits that are consecutive in another word are one part.
fn in_rows(builder: &mut Builder, parts: &[Value]) -> Vec<(Value, u32)> {
    let mut rows: Vec<Row> = Vec::new();
    for &part in parts {
        let source = match builder.definition(part) {
            Some(InstData { op: Op::Extract(low), args, .. }) => Some((args[0], u32::from(*low))),
            _ => None,
        };
        let next = rows.last().and_then(|row| row.source.map(|(whole, low)| (whole, low + row.bits)));
        match rows.last_mut() {
            Some(row) if source.is_some() && source == next => row.bits += 1,
            _ => rows.push(Row { first: part, source, bits: 1 }),
        }
    }
    let joined = |row: Row| {
        let word = match row.source {
            Some((whole, 0)) if builder.func.ty(whole).bits() == row.bits => whole,
            Some((whole, low)) if row.bits > 1 => {
                builder.emit1(Op::Extract(low as u8), [whole], Type::Word(row.bits as u8))
            }
            _ => row.first,
        };
        (word, row.bits)
    };
    rows.into_iter().map(joined).collect()
}
