//! Random modules that the verifier accepts, and random inputs for them; every choice follows from a seed.

use std::collections::HashMap;

use culet_ir::{
    Affine, CounterId, Elements, Func, FuncId, InstData, LoopData, Module, Op, RegionId, Slot, SlotData, SlotKind,
    Type, Value, W1,
};

/// A small generator of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A word, often one that identities are about.
    fn word(&mut self, bits: u32) -> u64 {
        let ones = u64::MAX >> (64 - bits);
        match self.below(6) {
            0 => self.pick(&[0, ones]),
            1 => self.pick(&[0, 1]),
            2 => 1 << self.below(bits as usize),
            _ => self.next() & ones,
        }
    }
}

const W8: Type = Type::Word(8);
const W16: Type = Type::Word(16);
const V4: Type = Type::Vector { lanes: 4, bits: 1 };
const TYPES: [Type; 5] = [W1, W1, W8, W16, V4];

/// A module with a few functions, nested loops, and slots of every kind.
pub fn module(seed: u64) -> Module {
    let mut random = Random::new(seed);
    let mut funcs = Vec::new();
    for i in 0..random.below(4) {
        let func = Generator::new(&mut random, &funcs, format!("f{i}"), false).func();
        funcs.push(func);
    }
    let entry = FuncId(funcs.len() as u32);
    funcs.push(Generator::new(&mut random, &funcs, "main".to_owned(), true).func());
    Module { funcs, entry }
}

/// Random values of the entry's inputs.
pub fn inputs(module: &Module, seed: u64) -> Vec<Elements<u64>> {
    let mut random = Random::new(seed);
    let is_input = |slot: &&SlotData| matches!(slot.kind, SlotKind::Input { .. });
    let mut elements = |slot: &SlotData| {
        let mask = u64::MAX >> (64 - slot.element.bits());
        let mut element = || (0..slot.element.lanes()).map(|_| random.next() & mask).collect();
        (0..slot.length).map(|_| element()).collect()
    };
    module.entry().slots.iter().filter(is_input).map(&mut elements).collect()
}

struct Generator<'a> {
    random: &'a mut Random,
    callees: &'a [Func],
    func: Func,
    is_entry: bool,
    /// Values that are visible.
    pool: Vec<Value>,
    /// The loops around, with the range of their counters.
    counters: Vec<(CounterId, i64, i64)>,
    /// The index that was used last for each slot.
    indices: HashMap<Slot, Affine>,
    /// Slots that may be loaded, and those that may be stored.
    readable: Vec<Slot>,
    writable: Vec<Slot>,
}

impl<'a> Generator<'a> {
    fn new(random: &'a mut Random, callees: &'a [Func], name: String, is_entry: bool) -> Self {
        let params: Vec<Type> =
            if is_entry { vec![] } else { (0..random.below(4)).map(|_| random.pick(&TYPES)).collect() };
        let mut func = Func::new(name, &params);
        func.inline = random.pick(&[None, None, Some(true), Some(false)]);
        func.no_opt = random.chance(10);
        let pool = func.region(func.body).params.clone();
        let (readable, writable) = (Vec::new(), Vec::new());
        Generator {
            random,
            callees,
            func,
            is_entry,
            pool,
            counters: Vec::new(),
            indices: HashMap::new(),
            readable,
            writable,
        }
    }

    fn func(mut self) -> Func {
        if self.is_entry {
            for i in 0..2 {
                let shared = self.random.chance(30);
                let slot = self.slot(format!("in{i}"), SlotKind::Input { shared });
                self.readable.push(slot);
            }
            let slot = self.slot("out".to_owned(), SlotKind::Output);
            self.initialise(slot);
        }
        for i in 0..self.random.below(3) {
            let slot = self.slot(format!("t{i}"), SlotKind::Local);
            self.initialise(slot);
        }
        if self.random.chance(50) {
            let slot = self.slot("c".to_owned(), SlotKind::Constants(vec![]));
            let length = self.func.slot(slot).length;
            let values = (0..length).map(|_| self.random.word(8)).collect();
            self.func.slots[slot.index()].element = W8;
            self.func.slots[slot.index()].kind = SlotKind::Constants(values);
            self.readable.push(slot);
        }
        let body = self.func.body;
        let count = 4 + self.random.below(30);
        self.block(body, count);
        for ty in if self.is_entry { &[W1, W8, W16, V4][..] } else { &[] }.iter().copied() {
            let name = format!("all_{ty}").replace(['<', '>', ','], "_");
            let slot = self.func.add_slot(SlotData { name, kind: SlotKind::Output, element: ty, length: 1, group: 0 });
            let value = self.harvest(body, ty);
            self.func.append(body, Op::Store { slot, index: Affine::constant(0) }, [value], &[]);
        }
        if !self.is_entry {
            let types: Vec<Type> = (0..self.random.below(4)).map(|_| self.random.pick(&TYPES)).collect();
            let results = types.into_iter().map(|ty| self.harvest(body, ty)).collect();
            self.func.region_mut(body).results = results;
        }
        self.func
    }

    /// A value that most of the visible values of its type have a part in, so that a wrong one shows. Not the sum alone,
    /// in which two equal mistakes would cancel.
    fn harvest(&mut self, region: RegionId, ty: Type) -> Value {
        let mut sum = self.value(region, ty);
        for value in self.pool.clone() {
            if self.func.ty(value) == ty && self.random.chance(70) {
                let op = if self.random.chance(80) { Op::Xor } else { Op::Add };
                sum = self.func.append1(region, op, [sum, value], ty);
            }
        }
        self.pool.push(sum);
        sum
    }

    fn slot(&mut self, name: String, kind: SlotKind) -> Slot {
        let element = self.random.pick(&TYPES);
        let length = 1 + self.random.below(5) as u32;
        self.func.add_slot(SlotData { name, kind, element, length, group: 0 })
    }

    /// Stores every element, so that it may be loaded: one by one or in a loop.
    fn initialise(&mut self, slot: Slot) {
        let body = self.func.body;
        let (ty, length) = (self.func.slot(slot).element, i64::from(self.func.slot(slot).length));
        if self.random.chance(50) {
            for element in 0..length {
                let value = self.value(body, ty);
                self.func.append(body, Op::Store { slot, index: Affine::constant(element) }, [value], &[]);
            }
        } else {
            let value = self.value(body, ty);
            let counter = self.func.add_counter();
            let region = self.func.add_region(&[]);
            let index = Affine { constant: length - 1, terms: vec![(counter, -1)] };
            self.func.append(region, Op::Store { slot, index }, [value], &[]);
            let data = LoopData { counter, first: length - 1, last: 0, unroll: None, region };
            self.func.append(body, Op::Loop(Box::new(data)), [], &[]);
        }
        self.readable.push(slot);
        self.writable.push(slot);
    }

    fn block(&mut self, region: RegionId, count: usize) {
        for _ in 0..count {
            // Loops are where memory is interesting.
            let choices = if self.counters.is_empty() { 20 } else { 12 };
            match self.random.below(choices) {
                0 if self.counters.len() < 3 => self.loop_(region),
                1 => self.call(region),
                2..5 => self.load(region),
                5..8 => self.store(region),
                8 => self.again(region),
                _ => self.operation(region),
            }
        }
    }

    /// A visible value of a type, mostly a recent one, or a new constant.
    fn value(&mut self, region: RegionId, ty: Type) -> Value {
        let of_type: Vec<Value> = self.pool.iter().copied().filter(|&value| self.func.ty(value) == ty).collect();
        if of_type.is_empty() || self.random.chance(5) {
            let lanes = (0..ty.lanes()).map(|_| self.random.word(ty.bits())).collect();
            let value = self.func.append1(region, Op::Const(lanes), [], ty);
            self.pool.push(value);
            return value;
        }
        let recent = if self.random.chance(60) { of_type.len().min(4) } else { of_type.len() };
        of_type[of_type.len() - 1 - self.random.below(recent)]
    }

    fn emit(&mut self, region: RegionId, op: Op, args: &[Type], results: &[Type]) {
        let args: Vec<Value> = args.iter().map(|&ty| self.operand(region, ty)).collect();
        let inst = self.func.append(region, op, args, results);
        self.pool.extend(self.func.inst(inst).results.iter().copied());
    }

    /// A visible value, or an operation on some that has no other use.
    fn operand(&mut self, region: RegionId, ty: Type) -> Value {
        let a = self.value(region, ty);
        match self.random.below(12) {
            0..3 => self.func.append1(region, Op::Not, [a], ty),
            3 => {
                let op = self.random.pick(&[&Op::And, &Op::Or, &Op::Xor, &Op::Andn]).clone();
                let b = self.value(region, ty);
                self.func.append1(region, op, [a, b], ty)
            }
            _ => a,
        }
    }

    fn operation(&mut self, region: RegionId) {
        let ty = self.random.pick(&TYPES);
        let amount = self.random.below(ty.bits() as usize) as u8;
        let word = if ty == V4 { W8 } else { ty };
        match self.random.below(32) {
            0..3 => self.emit(region, Op::And, &[ty; 2], &[ty]),
            3..5 => self.emit(region, Op::Or, &[ty; 2], &[ty]),
            5..11 => self.emit(region, Op::Xor, &[ty; 2], &[ty]),
            11..15 => self.emit(region, Op::Not, &[ty], &[ty]),
            15 => self.emit(region, Op::Andn, &[ty; 2], &[ty]),
            16 => {
                let table = self.random.below(256) as u8;
                self.emit(region, Op::Tern(table), &[ty; 3], &[ty]);
            }
            17 => self.emit(region, Op::Add, &[ty; 2], &[ty]),
            18 => self.emit(region, Op::Sub, &[ty; 2], &[ty]),
            19 => self.emit(region, Op::Mul, &[ty; 2], &[ty]),
            20 => self.emit(region, Op::MulHi, &[ty; 2], &[ty]),
            21 => self.emit(region, Op::MulWide, &[ty; 2], &[ty; 2]),
            22 => self.emit(region, Op::AddC, &[word, word, W1], &[word, W1]),
            23 => self.emit(region, Op::SubB, &[word, word, W1], &[word, W1]),
            24 => self.emit(region, Op::Shl(amount), &[ty], &[ty]),
            25 => self.emit(region, Op::Shr(amount), &[ty], &[ty]),
            26 => self.emit(region, Op::Sar(amount), &[ty], &[ty]),
            27 => self.emit(region, Op::Rotl(amount), &[ty], &[ty]),
            28 => self.emit(region, Op::Funnel(amount), &[ty; 2], &[ty]),
            29 => self.emit(region, Op::Select, &[W1, ty, ty], &[ty]),
            30 => {
                let (args, result) = self.random.pick(&[([W1, W1], W1), ([W8, W8], W16)]);
                if result == W1 {
                    self.emit(region, Op::Spread, &[W1], &[ty]);
                } else {
                    self.emit(region, Op::Concat, &args, &[result]);
                }
            }
            _ => {
                let pattern = (0..4).map(|_| self.random.pick(&[None, Some(0), Some(1), Some(2), Some(3)])).collect();
                self.emit(region, Op::Perm(pattern), &[V4], &[V4]);
            }
        }
    }

    /// A recent operation once more: one of two operands with its operands exchanged, one of one on its own result.
    fn again(&mut self, region: RegionId) {
        let insts = &self.func.region(region).insts;
        let mut recent = insts.iter().rev().take(12).map(|&inst| self.func.inst(inst).clone());
        let wanted = 1 + self.random.below(2);
        let is_plain = |data: &InstData| {
            data.op.is_pure() && !matches!(data.op, Op::Call(_)) && data.args.len() == wanted && data.results.len() == 1
        };
        let Some(data) = recent.find(is_plain) else { return };
        let ty = self.func.ty(data.results[0]);
        if data.args.iter().all(|&arg| self.func.ty(arg) == ty) {
            let args: Vec<Value> = match data.args[..] {
                [a, b] => vec![b, a],
                _ => vec![data.results[0]],
            };
            let value = self.func.append1(region, data.op, args, ty);
            self.pool.push(value);
        }
    }

    /// An index inside a slot: the last one, or a new one.
    fn index(&mut self, slot: Slot) -> Affine {
        let is_counter = |&(counter, _): &(CounterId, i64)| self.counters.iter().any(|c| c.0 == counter);
        match self.indices.get(&slot) {
            Some(last) if last.terms.iter().all(is_counter) && self.random.chance(40) => last.clone(),
            _ => {
                let index = self.new_index(slot);
                self.indices.insert(slot, index.clone());
                index
            }
        }
    }

    /// A constant, or an index with counters of the loops around.
    fn new_index(&mut self, slot: Slot) -> Affine {
        let length = i64::from(self.func.slot(slot).length);
        let mut index = Affine::default();
        let (mut low, mut high) = (0, 0);
        for i in 0..self.counters.len() {
            let (counter, first, last) = self.counters[i];
            let factor = self.random.pick(&[0, 0, 1, 1, -1, 2]);
            let ends = [factor * first, factor * last];
            let (down, up) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if factor != 0 && high + up - low - down < length {
                (low, high) = (low + down, high + up);
                index.terms.push((counter, factor));
            }
        }
        index.constant = -low + self.random.below((length - (high - low)) as usize) as i64;
        index
    }

    fn load(&mut self, region: RegionId) {
        if !self.readable.is_empty() {
            let slot = self.random.pick(&self.readable.clone());
            let (index, ty) = (self.index(slot), self.func.slot(slot).element);
            self.emit(region, Op::Load { slot, index }, &[], &[ty]);
        }
    }

    fn store(&mut self, region: RegionId) {
        if !self.writable.is_empty() {
            let slot = self.random.pick(&self.writable.clone());
            let (index, ty) = (self.index(slot), self.func.slot(slot).element);
            if self.random.chance(30) {
                let value = self.harvest(region, ty);
                self.func.append(region, Op::Store { slot, index }, [value], &[]);
            } else {
                self.emit(region, Op::Store { slot, index }, &[ty], &[]);
            }
        }
    }

    fn call(&mut self, region: RegionId) {
        if !self.callees.is_empty() {
            let callee = self.random.below(self.callees.len());
            let (args, results) = (self.callees[callee].param_types(), self.callees[callee].result_types());
            self.emit(region, Op::Call(FuncId(callee as u32)), &args, &results);
        }
    }

    fn loop_(&mut self, region: RegionId) {
        let types: Vec<Type> = (0..self.random.below(4)).map(|_| self.random.pick(&TYPES)).collect();
        let inits: Vec<Value> = types.iter().map(|&ty| self.value(region, ty)).collect();
        let counter = self.func.add_counter();
        let body = self.func.add_region(&types);
        let (first, last) = (self.random.below(4) as i64, self.random.below(4) as i64);
        let unroll = self.random.pick(&[None, None, Some(true), Some(false)]);
        let visible = self.pool.len();
        self.pool.extend(self.func.region(body).params.clone());
        self.counters.push((counter, first, last));
        let count = 2 + self.random.below(10);
        self.block(body, count);
        let next = types
            .iter()
            .map(|&ty| if self.random.chance(30) { self.value(body, ty) } else { self.harvest(body, ty) })
            .collect();
        self.func.region_mut(body).results = next;
        self.counters.pop();
        self.pool.truncate(visible);
        let data = LoopData { counter, first, last, unroll, region: body };
        let inst = self.func.append(region, Op::Loop(Box::new(data)), inits, &types);
        self.pool.extend(self.func.inst(inst).results.iter().copied());
    }
}
