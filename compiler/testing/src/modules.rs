//! Random modules that the verifier accepts: functions that call one another, nested loops, slots of every kind, every
//! operation. Lowered random programs resemble those of users; these modules resemble the output of passes, and go
//! beyond it.

mod operations;

use std::collections::HashMap;

use culet_ir::{
    Affine, CounterId, Elements, Func, FuncId, LoopData, Module, Op, RegionId, Slot, SlotData, SlotKind, Type, Value,
    W1,
};

use crate::Rng;

/// The properties of the random modules.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Whether there are words of more than one bit and all operations; otherwise there are only single bits, as
    /// bitslicing makes them.
    pub words: bool,
    /// Whether there are vectors, too.
    pub vectors: bool,
    /// Widths in bits of narrow and of wide words, which are twice as wide; with `None`, one of two such pairs is
    /// drawn.
    pub widths: Option<(u8, u8)>,
    /// Maximum number of instructions of a function outside its loops; the entry has at least a quarter of them.
    pub size: u32,
    /// Minimum percentage of values on which the module's results depend. The other values are dead, and a wrong result
    /// of their instructions is not detected.
    pub counted: u32,
}

impl Shape {
    /// Every type and operation, with most values contributing to the results.
    pub fn any() -> Shape {
        Shape { words: true, vectors: true, widths: None, size: 30, counted: 70 }
    }

    /// This shape with single bits only.
    #[must_use]
    pub fn bits(self) -> Shape {
        Shape { words: false, vectors: false, ..self }
    }
}

const LONGEST: u32 = 6;

/// A random module of this shape, determined by the seed. The entry's parameters are `plain`, `key`, which is shared,
/// and `other`, which may be shared.
pub fn scrambled_module(seed: u64, shape: &Shape) -> Module {
    let mut rng = Rng::new(seed);
    // A module has words of at most two widths, so that there are enough values of each type.
    let drawn = *rng.pick(&[(8, 16), (16, 32)]);
    let (narrow, wide) = shape.widths.unwrap_or(drawn);
    let vector = Type::Vector { lanes: 4, bits: *rng.pick(&[1, 1, 2]) };
    let types = Types { narrow: Type::Word(narrow), wide: Type::Word(wide), vector };
    let mut funcs = Vec::new();
    for i in 0..rng.below(4) {
        let func = Generator::new(&mut rng, shape, &types, &funcs, format!("f{i}"), false).helper();
        funcs.push(func);
    }
    let entry = FuncId(funcs.len() as u32);
    funcs.push(Generator::new(&mut rng, shape, &types, &funcs, "main".to_owned(), true).entry());
    Module { fields: Vec::new(), funcs, entry }
}

/// Random elements for the inputs of a module.
pub fn module_inputs(module: &Module, rng: &mut Rng) -> Vec<Elements<u64>> {
    let is_input = |slot: &&SlotData| matches!(slot.kind, SlotKind::Input { .. });
    let mut elements = |slot: &SlotData| {
        let mut element = || (0..slot.element.lanes()).map(|_| rng.word(slot.element.bits())).collect();
        (0..slot.length).map(|_| element()).collect()
    };
    module.entry().slots.iter().filter(is_input).map(&mut elements).collect()
}

/// The types of a module in addition to bits.
#[derive(Clone, Copy)]
struct Types {
    narrow: Type,
    /// Words that are twice as wide.
    wide: Type,
    vector: Type,
}

struct Generator<'a> {
    rng: &'a mut Rng,
    shape: &'a Shape,
    types: &'a Types,
    callees: &'a [Func],
    func: Func,
    /// The values that are visible.
    pool: Vec<Value>,
    /// The counters of the loops around, with their ranges.
    counters: Vec<(CounterId, i64, i64)>,
    /// The last index that was used for each slot.
    indices: HashMap<Slot, Affine>,
    /// The slots that may be loaded; `writable` has those that may be stored.
    readable: Vec<Slot>,
    writable: Vec<Slot>,
}

impl<'a> Generator<'a> {
    fn new(
        rng: &'a mut Rng,
        shape: &'a Shape,
        types: &'a Types,
        callees: &'a [Func],
        name: String,
        is_entry: bool,
    ) -> Self {
        let func = Func::new(name, &[]);
        let (readable, writable) = (Vec::new(), Vec::new());
        let (pool, counters, indices) = (Vec::new(), Vec::new(), HashMap::new());
        let mut own = Generator { rng, shape, types, callees, func, pool, counters, indices, readable, writable };
        if !is_entry {
            let params = own.some_types();
            own.func = Func::new(std::mem::take(&mut own.func.name), &params);
            own.pool.clone_from(&own.func.region(own.func.body).params);
        }
        own.func.inline = *own.rng.pick(&[None, None, Some(true), Some(false)]);
        own.func.no_opt = own.rng.chance(10);
        own
    }

    fn ty(&mut self) -> Type {
        let Types { narrow, wide, vector } = *self.types;
        match (self.shape.words, self.shape.vectors) {
            (false, _) => W1,
            (true, false) => *self.rng.pick(&[W1, W1, narrow, wide]),
            (true, true) => *self.rng.pick(&[W1, W1, narrow, wide, vector]),
        }
    }

    fn some_types(&mut self) -> Vec<Type> {
        (0..self.rng.below(4)).map(|_| self.ty()).collect()
    }

    fn word_ty(&mut self) -> Type {
        if self.shape.words { *self.rng.pick(&[W1, self.types.narrow, self.types.wide]) } else { W1 }
    }

    fn helper(mut self) -> Func {
        self.locals();
        let size = 4 + self.rng.below(self.shape.size / 2);
        let body = self.func.body;
        self.block(body, size);
        let results = self.some_types().into_iter().map(|ty| self.harvest(body, ty)).collect();
        self.func.region_mut(body).results = results;
        self.func
    }

    fn entry(mut self) -> Func {
        let may_share = self.rng.chance(30);
        for (name, shared) in [("plain", false), ("key", true), ("other", may_share)] {
            let slot = self.slot(name.to_owned(), SlotKind::Input { shared });
            self.readable.push(slot);
        }
        let output = self.slot("out".to_owned(), SlotKind::Output);
        let body = self.func.body;
        let size = self.shape.size / 4 + self.rng.below(self.shape.size * 3 / 4);
        // After its initialisation, the output is an array like any other.
        let before = if self.rng.chance(50) { 0 } else { size / 2 };
        self.locals();
        self.block(body, before);
        self.initialise(output);
        self.block(body, size - before);
        if self.shape.counted > 0 {
            let Types { narrow, wide, vector } = *self.types;
            let all = [(W1, true), (narrow, self.shape.words), (wide, self.shape.words), (vector, self.shape.vectors)];
            for ty in all.into_iter().filter(|(_, has)| *has).map(|(ty, _)| ty) {
                let name = format!("all_{ty}").replace(['<', '>', ','], "_");
                let data = SlotData { name, kind: SlotKind::Output, element: ty, length: 1, group: 0 };
                let slot = self.func.add_slot(data);
                let value = self.harvest(body, ty);
                self.func.append(body, Op::Store { slot, index: Affine::constant(0) }, [value], &[]);
            }
        }
        self.func
    }

    /// A value to which most of the visible values of its type contribute, so that a wrong one is detected. It is not
    /// only the sum by `xor`, in which two equal mistakes would cancel.
    fn harvest(&mut self, region: RegionId, ty: Type) -> Value {
        let mut sum = self.value(region, ty);
        for value in self.pool.clone() {
            if self.func.ty(value) == ty && self.rng.chance(self.shape.counted) {
                let op = if self.rng.chance(80) { Op::Xor } else { Op::Add };
                let op = if self.shape.words { op } else { Op::Xor };
                sum = self.func.append1(region, op, [sum, value], ty);
            }
        }
        self.pool.push(sum);
        sum
    }

    // Slots

    fn slot(&mut self, name: String, kind: SlotKind) -> Slot {
        let element = self.ty();
        let length = 1 + self.rng.below(LONGEST);
        self.func.add_slot(SlotData { name, kind, element, length, group: 0 })
    }

    /// Adds some local slots and constants, at random.
    fn locals(&mut self) {
        for i in 0..self.rng.below(3) {
            let slot = self.slot(format!("t{i}"), SlotKind::Local);
            self.initialise(slot);
        }
        if self.rng.chance(50) {
            let (element, length) = (self.word_ty(), 1 + self.rng.below(LONGEST));
            let kind = SlotKind::Constants((0..length).map(|_| self.word(element.bits())).collect());
            let slot = self.func.add_slot(SlotData { name: "c".to_owned(), kind, element, length, group: 0 });
            self.readable.push(slot);
        }
    }

    /// Stores every element, so that it may be loaded, one by one or in a loop.
    fn initialise(&mut self, slot: Slot) {
        let body = self.func.body;
        let (ty, length) = (self.func.slot(slot).element, i64::from(self.func.slot(slot).length));
        if self.rng.chance(50) {
            for element in 0..length {
                let value = self.value(body, ty);
                self.func.append(body, Op::Store { slot, index: Affine::constant(element) }, [value], &[]);
                if self.rng.chance(20) {
                    self.block(body, 1);
                }
            }
        } else {
            let value = self.value(body, ty);
            let counter = self.func.add_counter();
            let region = self.func.add_region(&[]);
            let index = Affine { constant: length - 1, terms: vec![(counter, -1)] };
            self.func.append(region, Op::Store { slot, index }, [value], &[]);
            let data = LoopData { counter, first: length - 1, last: 0, unroll: None, lanes: None, over: None, region };
            self.func.append(body, Op::Loop(Box::new(data)), [], &[]);
        }
        self.readable.push(slot);
        self.writable.push(slot);
    }

    /// An index inside a slot: the last one that was used, or a new one.
    fn index(&mut self, slot: Slot) -> Affine {
        let is_counter = |&(counter, _): &(CounterId, i64)| self.counters.iter().any(|c| c.0 == counter);
        match self.indices.get(&slot) {
            Some(last) if last.terms.iter().all(is_counter) && self.rng.chance(40) => last.clone(),
            _ => {
                let index = self.new_index(slot);
                self.indices.insert(slot, index.clone());
                index
            }
        }
    }

    /// A new index: a constant, or an affine one in the counters of the loops around.
    fn new_index(&mut self, slot: Slot) -> Affine {
        let length = i64::from(self.func.slot(slot).length);
        let mut index = Affine::default();
        let (mut low, mut high) = (0, 0);
        for &(counter, first, last) in &self.counters {
            let factor = *self.rng.pick(&[0, 0, 1, 1, -1, 2]);
            let ends = [factor * first, factor * last];
            let (down, up) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if factor != 0 && high + up - low - down < length {
                (low, high) = (low + down, high + up);
                index.terms.push((counter, factor));
            }
        }
        index.constant = -low + self.rng.between(0, length - 1 - (high - low));
        index
    }

    fn load(&mut self, region: RegionId) {
        if !self.readable.is_empty() {
            let slot = *self.rng.pick(&self.readable);
            let (index, ty) = (self.index(slot), self.func.slot(slot).element);
            self.emit(region, Op::Load { slot, index }, &[], &[ty]);
        }
    }

    fn store(&mut self, region: RegionId) {
        if !self.writable.is_empty() {
            let slot = *self.rng.pick(&self.writable);
            let (index, ty) = (self.index(slot), self.func.slot(slot).element);
            if self.rng.chance(30) {
                let value = self.harvest(region, ty);
                self.func.append(region, Op::Store { slot, index }, [value], &[]);
            } else {
                self.emit(region, Op::Store { slot, index }, &[ty], &[]);
            }
        }
    }

    // Control

    fn block(&mut self, region: RegionId, count: u32) {
        for _ in 0..count {
            // Loops are frequent, since memory is interesting in them.
            let choices = if self.counters.is_empty() { 20 } else { 12 };
            match self.rng.below(choices) {
                0 if self.counters.len() < 3 => self.loop_(region),
                1 => self.call(region),
                2..5 => self.load(region),
                5..8 => self.store(region),
                8 => self.again(region),
                _ => self.operation(region),
            }
        }
    }

    fn call(&mut self, region: RegionId) {
        if !self.callees.is_empty() {
            let callee = self.rng.below(self.callees.len() as u32);
            let func = &self.callees[callee as usize];
            self.emit(region, Op::Call(FuncId(callee)), &func.param_types(), &func.result_types());
        }
    }

    fn loop_(&mut self, region: RegionId) {
        let types = self.some_types();
        let inits: Vec<Value> = types.iter().map(|&ty| self.value(region, ty)).collect();
        let counter = self.func.add_counter();
        let body = self.func.add_region(&types);
        let low = self.rng.between(-1, 2);
        let bounds = [low, low + self.rng.between(0, 3)];
        let (first, last) = if self.rng.chance(60) { (bounds[0], bounds[1]) } else { (bounds[1], bounds[0]) };
        let unroll = *self.rng.pick(&[None, None, Some(true), Some(false)]);
        let visible = self.pool.len();
        self.pool.extend(self.func.region(body).params.clone());
        self.counters.push((counter, first, last));
        let count = 2 + self.rng.below(10);
        self.block(body, count);
        let mut next = Vec::new();
        for &ty in &types {
            let value = if self.rng.chance(30) { self.value(body, ty) } else { self.harvest(body, ty) };
            next.push(value);
        }
        self.func.region_mut(body).results = next;
        self.counters.pop();
        self.pool.truncate(visible);
        let data = LoopData { counter, first, last, unroll, lanes: None, over: None, region: body };
        let inst = self.func.append(region, Op::Loop(Box::new(data)), inits, &types);
        self.pool.extend(self.func.inst(inst).results.iter().copied());
    }
}
