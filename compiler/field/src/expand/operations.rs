//! One operation on elements: its operands, carried as the plan says, and its limbs.

use culet_ir::{FieldOp, Inst, Op, Type, Value};
use num_bigint::BigInt;

use super::memory::Sum;
use super::{Expander, Frame, Held};
use crate::carries::Place;
use crate::interval::{Interval, power};
use crate::machine::Number;
use crate::representation::{Limbs, Product};

impl Expander<'_> {
    pub(super) fn operation(&mut self, frame: &Frame<'_>, inst: Inst, op: &FieldOp) -> Limbs {
        let representation = self.representation();
        let data = frame.func.inst(inst);
        let element = |index: usize| frame.element(data.args[index]);
        match op {
            FieldOp::Const(value) => representation.constant(&mut self.machine, &BigInt::from(value.clone())),
            FieldOp::Add => representation.add(&mut self.machine, &element(0), &element(1)),
            FieldOp::Sub => representation.sub(&mut self.machine, &element(0), &element(1)),
            FieldOp::Neg => representation.neg(&mut self.machine, &element(0)),
            FieldOp::MulC(factor) => {
                let a = self.operand(frame, inst, 0);
                representation.times_constant(&mut self.machine, &a, *factor)
            }
            FieldOp::Sqr => {
                let a = self.operand(frame, inst, 0);
                self.sum_of_products(&[Product { a: &a, b: &a, is_negative: false }])
            }
            FieldOp::Mul => self.products(frame, inst, &[false]),
            FieldOp::Sop(signs) => {
                let signs: Vec<bool> = signs.iter().map(|sign| *sign == culet_ir::field::Sign::Minus).collect();
                self.products(frame, inst, &signs)
            }
            FieldOp::Select => {
                let condition = frame.word(data.args[0]);
                representation.select(&mut self.machine, condition, &element(1), &element(2))
            }
            FieldOp::Lookup => self.lookup(frame, inst),
            FieldOp::Pack => self.pack(frame, inst),
            FieldOp::Inv | FieldOp::Unpack => {
                self.machine.fail(format!("{} is no operation on limbs", op.name()), &Interval::point(0));
                Limbs::new()
            }
        }
    }

    /// A sum of products; a product of a value with itself, carried alike, is a square.
    fn products(&mut self, frame: &Frame<'_>, inst: Inst, signs: &[bool]) -> Limbs {
        let args = &frame.func.inst(inst).args;
        let operands: Vec<Limbs> = (0..args.len() as u32).map(|index| self.operand(frame, inst, index)).collect();
        let chain = |index: usize| self.plan.chain(Place::Operand(frame.id, inst, index as u32));
        let products: Vec<Product<'_>> = signs
            .iter()
            .enumerate()
            .map(|(pair, &is_negative)| {
                let (x, y) = (2 * pair, 2 * pair + 1);
                let is_square = args[x] == args[y] && chain(x) == chain(y);
                Product { a: &operands[x], b: &operands[if is_square { x } else { y }], is_negative }
            })
            .collect();
        self.sum_of_products(&products)
    }

    /// A sum of products. If nothing is written, a known result of the same sum is taken from the memory.
    fn sum_of_products(&mut self, products: &[Product<'_>]) -> Limbs {
        let Some(memory) = self.memory.filter(|_| self.machine.failure.is_none()) else {
            return self.representation().products(&mut self.machine, products);
        };
        let factors = |product: &Product<'_>| {
            let known = |limbs: &Limbs| limbs.iter().map(|limb| (limb.range.clone(), limb.zeros)).collect();
            let b = (!std::ptr::eq(product.a, product.b)).then(|| known(product.b));
            (product.is_negative, known(product.a), b)
        };
        let key: Sum = (self.field, self.machine.lanes, products.iter().map(factors).collect());
        if let Some((columns, wide_carries)) = memory.products.borrow().get(&key) {
            self.machine.wide_carries += wide_carries;
            return columns.clone();
        }
        let before = self.machine.wide_carries;
        let columns = self.representation().products(&mut self.machine, products);
        if self.machine.failure.is_none() {
            let known = (columns.clone(), self.machine.wide_carries - before);
            memory.products.borrow_mut().insert(key, known);
        }
        columns
    }

    /// An entry of a table: a choice by each bit of the index, the lowest first.
    fn lookup(&mut self, frame: &Frame<'_>, inst: Inst) -> Limbs {
        let data = frame.func.inst(inst);
        let bits = frame.func.ty(data.args[0]).bits();
        let index = frame.word(data.args[0]);
        let zero = self.alone().constant(&mut self.machine, &BigInt::ZERO);
        let mut entries: Vec<Limbs> = data.args[1..].iter().map(|&entry| frame.element(entry)).collect();
        let mut left = 0..bits;
        while entries.len() > 1
            && let Some(bit) = left.next()
        {
            let condition = self.bit_of(index, bits, bit);
            let mut halves = Vec::new();
            for pair in entries.chunks(2) {
                let then = pair.get(1).unwrap_or(&zero);
                halves.push(self.alone().select(&mut self.machine, condition, then, &pair[0]));
            }
            entries = halves;
        }
        let entry = entries.swap_remove(0);
        if left.is_empty() {
            return entry;
        }
        // The index is beyond the table if a bit is set that is not needed to tell entries apart.
        let beyond: Vec<Option<Value>> = left.map(|bit| self.bit_of(index, bits, bit)).collect();
        let beyond = beyond.into_iter().reduce(|a, b| self.either(a, b)).flatten();
        self.alone().select(&mut self.machine, beyond, &zero, &entry)
    }

    /// Whether one of two bits is set.
    fn either(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        Some(self.machine.builder.as_mut()?.emit1(Op::Or, [a?, b?], culet_ir::W1))
    }

    /// A bit of a word.
    fn bit_of(&mut self, word: Option<Value>, bits: u32, bit: u32) -> Option<Value> {
        let (builder, word) = (self.machine.builder.as_mut()?, word?);
        if bits == 1 {
            return Some(word);
        }
        Some(builder.emit1(Op::Extract(bit as u8), [word], culet_ir::W1))
    }

    /// Limbs from words, which are joined to full words first.
    fn pack(&mut self, frame: &Frame<'_>, inst: Inst) -> Limbs {
        let data = frame.func.inst(inst);
        let bits = frame.func.ty(data.args[0]).bits();
        let (words, whole) = match bits > self.machine.bits {
            true => (self.words_of_long(frame, &data.args, bits), self.machine.bits),
            false => {
                let count = self.parts_of_word(bits);
                let word = |parts| match self.alone().is_mirrored() {
                    true => self.mirrored_word(frame, parts, bits),
                    false => self.word_of(frame, parts, bits),
                };
                (data.args.chunks(count as usize).map(word).collect(), bits * count)
            }
        };
        self.machine.product = self.products.get(&self.field).copied();
        self.alone().pack(&mut self.machine, &words, whole)
    }

    /// Full words of parts of words that are longer than the machine's, of `bits` bits.
    fn words_of_long(&mut self, frame: &Frame<'_>, long: &[Value], bits: u32) -> Vec<Number> {
        let own = self.machine.bits;
        // The longest parts of which both have a whole number.
        let part = 1 << bits.trailing_zeros().min(own.trailing_zeros());
        let mut parts: Vec<Option<Value>> = Vec::new();
        for (word, low) in long.iter().flat_map(|&word| (0..bits).step_by(part as usize).map(move |low| (word, low))) {
            let known = self.machine.builder.as_mut().zip(frame.word(word));
            parts.push(known.map(|(b, word)| b.emit1(Op::Extract(low as u8), [word], Type::Word(part as u8))));
        }
        let mut words = Vec::new();
        for parts in parts.chunks((own / part) as usize) {
            let word = self.machine.join_words(parts, part);
            words.push(if self.alone().is_mirrored() { self.machine.mirrored(&word) } else { word });
        }
        words
    }

    /// Joins words of `bits` bits to one whose lowest bit is at the top.
    fn mirrored_word(&mut self, frame: &Frame<'_>, parts: &[Value], bits: u32) -> Number {
        if bits > 1 {
            let word = self.word_of(frame, parts, bits);
            return self.machine.mirrored(&word);
        }
        let parts: Vec<Value> = parts.iter().rev().copied().collect();
        let word = self.word_of(frame, &parts, 1);
        let below = self.machine.bits - parts.len() as u32;
        self.machine.times(&word, &power(below.into()))
    }

    /// Number of words of `bits` bits that are joined to a full one.
    pub(super) fn parts_of_word(&self, bits: u32) -> u32 {
        let mut count = 1;
        while bits * count * 2 <= self.machine.bits {
            count *= 2;
        }
        count
    }

    pub(super) fn unpack(&mut self, frame: &mut Frame<'_>, inst: Inst) {
        let data = frame.func.inst(inst);
        self.machine.place = format!("fn {}, {} = funpack", frame.func.name, data.results[0]);
        let limbs = self.operand(frame, inst, 0);
        let bits = frame.func.ty(data.results[0]).bits();
        let whole = self.machine.bits / bits * bits;
        let total = bits * data.results.len() as u32;
        self.machine.product = self.products.get(&self.field).copied();
        let words = self.alone().unpack(&mut self.machine, &limbs, whole, total.div_ceil(whole) as usize);
        for (index, &result) in (0..).zip(&data.results) {
            let from = index * bits;
            let word = &words[(from / whole) as usize];
            let (word, low) = match self.alone().is_mirrored() {
                true if bits == 1 => (word.clone(), whole - 1 - from % whole),
                true => (self.machine.mirrored(word), from % whole),
                false => (word.clone(), from % whole),
            };
            let word = self.machine.value(&word);
            let part = self.machine.part(word, low, bits);
            frame.set(result, Held::Word(part));
        }
    }
}
