//! Arithmetic in Montgomery's form, word by word: for every odd modulus, and without a branch.
//!
//! `a · b / R` is computed a word of `a` at a time: its product with `b` is added, then the multiple of p that makes
//! the lowest word zero, and this word is dropped. The rest is below 2 p, and p is taken off once unless that borrows
//! (P. L. Montgomery, "Modular multiplication without trial division", 1985; the order is that of Koç, Acar and
//! Kaliski's CIOS, 1996).

use culet_ir::rewrite::Builder;
use culet_ir::{Affine, Func, FuncId, Module, Op, Part, Slot, SlotData, SlotKind, Type, Value, W1};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::arithmetic::{NoPlan, Operation};
use crate::check::check_wrapping;
use crate::interval::{Interval, SlotBounds};
use crate::machine::{Machine, Number};
use crate::primes::Montgomery;
use crate::representation::{Product, Representation, bits_of, pack_digits, sum_of};
use crate::squares;
use crate::unsaturated::is_same;

/// The functions in words, checked: elements that are read are below p, and so are elements that are written.
///
/// # Errors
///
/// A refusal by the checker of bounds, which is a defect here.
pub fn functions(montgomery: &Montgomery, bytes: u32) -> Result<Vec<(Operation, Module)>, NoPlan> {
    let mut functions = Vec::new();
    for operation in Operation::ALL {
        let Some(module) = montgomery.function(operation, bytes)? else { continue };
        let (module, dropped) = module;
        let none = SlotBounds::new();
        check_wrapping(module.entry(), &none, &none, &dropped).map_err(NoPlan::Check)?;
        functions.push((operation, module));
    }
    Ok(functions)
}

type Words = Vec<Number>;

impl Montgomery {
    /// The function of an operation. None for operations that are made of other functions, and for carries, which do
    /// not exist here.
    fn function(&self, operation: Operation, bytes: u32) -> Result<Option<(Module, Vec<Value>)>, NoPlan> {
        if matches!(operation, Operation::Inv | Operation::Carry) {
            return Ok(None);
        }
        let func = Func::new(operation.name(), &[]);
        let mut m = Machine::new(self.bits, Some(Builder::like(&func)));
        m.place = format!("fn {}", operation.name());
        let out = match operation {
            Operation::ToBytes => slot(&mut m, "bytes", SlotKind::Output, Type::Word(8), bytes),
            _ => slot(&mut m, "out", SlotKind::Output, Type::Word(self.bits as u8), self.words),
        };
        let elements: Vec<Words> = operation.elements().iter().map(|name| self.read(&mut m, name)).collect();
        let result = match operation {
            Operation::Mul => self.mul(&mut m, &elements[0], &elements[1]),
            Operation::Square => self.product(&mut m, &elements[0], &elements[0]),
            Operation::Add => self.add(&mut m, &elements[0], &elements[1]),
            Operation::Sub => self.sub(&mut m, &elements[0], &elements[1]),
            Operation::Opp => self.neg(&mut m, &elements[0]),
            Operation::Select => {
                let flag = slot(&mut m, "flag", SlotKind::Input { shared: true }, W1, 1);
                let flag = load(&mut m, flag, 0, W1);
                self.select(&mut m, flag, &elements[0], &elements[1])
            }
            Operation::FromBytes => {
                let plain = self.read_bytes(&mut m, bytes);
                self.times_r(&mut m, &plain)
            }
            Operation::ToBytes | Operation::Inv | Operation::Carry => self.divided_by_r(&mut m, &elements[0]),
        };
        match operation {
            Operation::ToBytes => self.write_bytes(&mut m, out, &result, bytes),
            _ => write(&mut m, out, &result),
        }
        if let Some(failure) = m.failure {
            return Err(NoPlan::Bound(failure));
        }
        let (func, dropped) = (m.builder.map(Builder::finish), m.dropped);
        Ok(func.map(|func| (Module { fields: Vec::new(), funcs: vec![func], entry: FuncId(0) }, dropped)))
    }

    /// A number as words, not in Montgomery's form.
    fn plain(&self, m: &mut Machine, value: &BigInt) -> Words {
        self.digits(value).into_iter().map(|word| m.constant(&BigInt::from(word))).collect()
    }

    fn read(&self, m: &mut Machine, name: &str) -> Words {
        let ty = Type::Word(self.bits as u8);
        let from = slot(m, name, SlotKind::Input { shared: false }, ty, self.words);
        let word = |index| {
            let value = load(m, from, index, ty);
            m.given(Interval::word(self.bits), value)
        };
        (0..self.words).map(word).collect()
    }

    fn read_bytes(&self, m: &mut Machine, bytes: u32) -> Words {
        let from = slot(m, "bytes", SlotKind::Input { shared: false }, Type::Word(8), bytes);
        let mut words = Words::new();
        let each = self.bits / 8;
        for word in 0..self.words {
            let indices = word * each..bytes.min((word + 1) * each);
            let parts: Vec<Option<Value>> = indices.map(|index| load(m, from, index, Type::Word(8))).collect();
            words.push(m.join_words(&parts, 8));
        }
        words
    }

    fn write_bytes(&self, m: &mut Machine, to: Slot, words: &Words, bytes: u32) {
        let each = self.bits / 8;
        for index in 0..bytes {
            let word = m.value(&words[(index / each) as usize]);
            let part = m.part(word, 8 * (index % each), 8);
            store(m, to, index, part);
        }
    }

    /// `a · b / R` modulo p, where a and b may be the same element.
    fn product(&self, m: &mut Machine, a: &Words, b: &Words) -> Words {
        if is_same(a, b) && squares::pays(m, a) { self.square(m, a) } else { self.mul(m, a, b) }
    }

    /// `a² / R` modulo p. A word's product with itself is added, and its products with the words above it, doubled: what is added later
    /// does not change the lowest word, which is made zero and dropped.
    fn square(&self, m: &mut Machine, a: &Words) -> Words {
        let (n, bits) = (a.len(), self.bits);
        let p: Vec<BigInt> = self.digits(&self.modulus).into_iter().map(BigInt::from).collect();
        let zero = m.constant(&BigInt::zero());
        let doubled: Words = a.windows(2).map(|pair| squares::doubled(m, &pair[0], &pair[1])).collect();
        let highest = m.value(&a[n - 1]);
        let highest = m.part(highest, bits - 1, 1);
        let mut t: Words = vec![zero.clone(); n];
        let mut top = zero.clone();
        for (index, x) in a.iter().enumerate() {
            let mut factors = vec![x.clone()];
            if index + 1 < n {
                let below = m.low_bits(&a[index + 1], bits - 1);
                factors.push(m.times(&below, &BigInt::from(2)));
                factors.extend_from_slice(&doubled[index + 1..]);
            }
            let carry = self.add_products(m, &mut t[index..], x, &factors, &zero);
            let beyond = if index + 1 < n { m.select(highest, x, &zero) } else { zero.clone() };
            let above = m.add_wide(&carry, &beyond);
            let above = m.add_wide(&above, &top);
            let over = m.shr(&above, bits);
            let above = m.low_bits(&above, bits);
            let more = self.divide(m, &mut t, &above, &p);
            top = m.add(&over, &more);
        }
        self.below_p(m, &t, &top)
    }

    /// Adds the multiple of p that makes the sum divisible by its lowest word's range, and divides by that; `above` is the word above the sum.
    /// Returns the carry out of the sum.
    fn divide(&self, m: &mut Machine, t: &mut Words, above: &Number, p: &[BigInt]) -> Number {
        let factor = self.multiple(m, &t[0]);
        let carry = self.add_multiple(m, t, &factor, p);
        t.remove(0);
        let (last, more) = self.sum(m, above, &carry);
        t.push(last);
        more
    }

    /// `a · b / R` modulo p.
    fn mul(&self, m: &mut Machine, a: &Words, b: &Words) -> Words {
        let n = self.words as usize;
        let p: Vec<BigInt> = self.digits(&self.modulus).into_iter().map(BigInt::from).collect();
        let zero = m.constant(&BigInt::zero());
        // The sum so far, and the part above its words: 0 or 1.
        let mut t: Words = vec![zero.clone(); n];
        let mut top = zero.clone();
        for x in a {
            let carry = self.add_products(m, &mut t, x, b, &zero);
            let (above, over) = self.sum(m, &top, &carry);
            let more = self.divide(m, &mut t, &above, &p);
            top = m.add(&over, &more);
        }
        self.below_p(m, &t, &top)
    }

    /// The product that is divided by R, which is below 2 p, as an element.
    fn below_p(&self, m: &mut Machine, t: &Words, top: &Number) -> Words {
        let words: Vec<(&Number, u32)> = t.iter().chain([top]).zip((0..).map(|index| index * self.bits)).collect();
        m.note(Part::Result, &words, Some(self.modulus.magnitude() << 1u32));
        self.subtract_once(m, t, top)
    }

    /// `t += x · b`; returns the word that is carried out.
    fn add_products(&self, m: &mut Machine, t: &mut [Number], x: &Number, b: &[Number], zero: &Number) -> Number {
        let mut carry = zero.clone();
        for (t, y) in t.iter_mut().zip(b) {
            let product = if y.range.is_zero() { zero.clone() } else { m.mul(x, y, true) };
            let sum = m.add(&product, t);
            let sum = m.add_wide(&sum, &carry);
            *t = m.low_bits(&sum, self.bits);
            carry = m.shr(&sum, self.bits);
        }
        carry
    }

    /// The factor by which p makes the lowest word zero.
    fn multiple(&self, m: &mut Machine, lowest: &Number) -> Number {
        if self.factor.is_one() {
            return lowest.clone();
        }
        let factor = m.constant(&self.factor);
        let product = m.mul(lowest, &factor, true);
        m.low_bits(&product, self.bits)
    }

    /// `t += factor · p`, whose lowest word becomes zero; returns the word that is carried out.
    fn add_multiple(&self, m: &mut Machine, t: &mut Words, factor: &Number, p: &[BigInt]) -> Number {
        let zero = m.constant(&BigInt::zero());
        let mut carry = zero.clone();
        // With −1/p = 1, the factor is the lowest word, and p is one less than a number with a word of zeros.
        let is_plain = self.factor.is_one();
        let more: Vec<BigInt> = if is_plain {
            self.digits(&(&self.modulus + 1)).into_iter().map(BigInt::from).collect()
        } else {
            p.to_vec()
        };
        for (index, (t, word)) in t.iter_mut().zip(&more).enumerate() {
            if is_plain && index == 0 {
                continue;
            }
            let product = self.times_word(m, factor, word);
            let sum = m.add_wide(&product, t);
            let sum = m.add_wide(&sum, &carry);
            *t = m.low_bits(&sum, self.bits);
            carry = m.shr(&sum, self.bits);
        }
        carry
    }

    /// A product with a word of the modulus: a shift if the word is a power of two.
    fn times_word(&self, m: &mut Machine, factor: &Number, word: &BigInt) -> Number {
        if word.is_zero() {
            return m.constant(&BigInt::zero());
        }
        let word = m.constant(word);
        m.mul(factor, &word, true)
    }

    /// The sum of two words, and the carry as a number.
    fn sum(&self, m: &mut Machine, a: &Number, b: &Number) -> (Number, Number) {
        let sum = m.add_wide(a, b);
        let low = m.low_bits(&sum, self.bits);
        (low, m.shr(&sum, self.bits))
    }

    /// Subtracts p from a number below 2 p unless the number is below p; `top` is the word above.
    fn subtract_once(&self, m: &mut Machine, t: &Words, top: &Number) -> Words {
        let p = self.plain(m, &self.modulus);
        let (less, borrow) = self.difference(m, t, &p);
        let zero = m.constant(&BigInt::zero());
        let (_, is_below) = m.with_carry(Op::SubB, top, &zero, borrow);
        t.iter().zip(&less).map(|(t, less)| m.select(is_below, t, less)).collect()
    }

    /// The difference, and whether it borrows.
    fn difference(&self, m: &mut Machine, a: &Words, b: &Words) -> (Words, Option<Value>) {
        self.carried(m, Op::SubB, a, b)
    }

    fn carried(&self, m: &mut Machine, op: Op, a: &Words, b: &Words) -> (Words, Option<Value>) {
        let (mut words, mut carry) = (Words::new(), None);
        for (a, b) in a.iter().zip(b) {
            let (word, out) = m.with_carry(op.clone(), a, b, carry);
            words.push(word);
            carry = out;
        }
        (words, carry)
    }

    /// `a · R` modulo p of any words: the element with this canonical form.
    fn times_r(&self, m: &mut Machine, a: &Words) -> Words {
        let r = self.r();
        let square = self.plain(m, &(&r * &r % &self.modulus));
        self.converted(m, a, &square)
    }

    /// `a / R` modulo p: the canonical form of an element.
    fn divided_by_r(&self, m: &mut Machine, a: &Words) -> Words {
        let one = self.plain(m, &BigInt::one());
        self.converted(m, a, &one)
    }

    /// The product with a constant, by the function of products if there is one.
    fn converted(&self, m: &mut Machine, a: &Words, factor: &Words) -> Words {
        match m.product {
            Some(product) => m.call(product, &a.iter().chain(factor).collect::<Vec<_>>(), a.len()),
            None => self.mul(m, a, factor),
        }
    }
}

impl Representation for Montgomery {
    fn word_bits(&self) -> u32 {
        self.bits
    }

    fn words(&self) -> u32 {
        self.words
    }

    fn factor(&self) -> BigUint {
        (self.r() % &self.modulus).magnitude().clone()
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Words {
        self.plain(m, &(value * self.r() % &self.modulus))
    }

    fn add(&self, m: &mut Machine, a: &Words, b: &Words) -> Words {
        let (sum, carry) = self.carried(m, Op::AddC, a, b);
        let top = m.from_bit(carry);
        self.subtract_once(m, &sum, &top)
    }

    /// The difference, with p added if it borrows.
    fn sub(&self, m: &mut Machine, a: &Words, b: &Words) -> Words {
        let (difference, borrow) = self.difference(m, a, b);
        let p = self.plain(m, &self.modulus);
        let zero = m.constant(&BigInt::zero());
        let masked: Words = p.iter().map(|p| m.select(borrow, p, &zero)).collect();
        // The carry out equals the borrow.
        let last = masked.len() - 1;
        let (mut words, carry) = self.carried(m, Op::AddC, &difference[..last].to_vec(), &masked[..last].to_vec());
        let top = m.with_carry(Op::AddC, &difference[last], &masked[last], carry);
        words.push(top.0);
        m.dropped.extend(top.1);
        words
    }

    fn times_constant(&self, m: &mut Machine, a: &Words, factor: u64) -> Words {
        let factor = self.constant(m, &BigInt::from(factor));
        self.mul(m, a, &factor)
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Words {
        let products: Vec<(Words, bool)> =
            products.iter().map(|product| (self.product(m, product.a, product.b), product.is_negative)).collect();
        let sum = sum_of(self, m, &products);
        // One product of several is not the result.
        if !matches!(products[..], [(_, false)]) {
            m.forget_results();
        }
        sum
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Words {
        pack_digits(self, m, words, bits, &|m, digit| self.times_r(m, digit))
    }

    /// Nothing is ever left to be carried.
    fn carry_all(&self, _: &mut Machine, _: &mut Words, _: &[u32]) {}

    fn unpack(&self, m: &mut Machine, a: &Words, bits: u32, count: usize) -> Vec<Number> {
        let plain = self.divided_by_r(m, a);
        let total = self.bits * self.words;
        let word = |index: u32| {
            let low = (index * bits).min(total);
            bits_of(m, &plain, self.bits, low, (low + bits).min(total))
        };
        (0..count as u32).map(word).collect()
    }
}

fn at(index: u32) -> Affine {
    Affine { constant: i64::from(index), terms: Vec::new() }
}

fn slot(m: &mut Machine, name: &str, kind: SlotKind, element: Type, length: u32) -> Slot {
    let data = SlotData { name: name.to_owned(), kind, element, length, group: 0 };
    m.builder.as_mut().map_or(Slot(0), |builder| builder.func.add_slot(data))
}

fn load(m: &mut Machine, slot: Slot, index: u32, ty: Type) -> Option<Value> {
    m.builder.as_mut().map(|builder| builder.emit1(Op::Load { slot, index: at(index) }, [], ty))
}

fn store(m: &mut Machine, slot: Slot, index: u32, value: Option<Value>) {
    if let (Some(builder), Some(value)) = (&mut m.builder, value) {
        builder.emit(Op::Store { slot, index: at(index) }, [value], &[]);
    }
}

fn write(m: &mut Machine, to: Slot, words: &Words) {
    for (index, word) in (0..).zip(words) {
        let value = m.value(word);
        store(m, to, index, value);
    }
}
