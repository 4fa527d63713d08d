//! Random modules: functions that call one another, loops, slots, every kind of operation.

use culet_ir::{
    Func, FuncId, Index, LoopData, Module, Op, Region, RegionId, Slot, SlotData, SlotKind, Type, Value, W1,
};
use culet_types::program::CounterId;

/// A reproducible sequence (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.word() % 100 < percent
    }
}

/// What the values of a module are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Single bits and bitwise operations, as bitslicing makes them.
    Bits,
    /// Words, vectors and bits, and every operation.
    Words,
}

const W8: Type = Type::Word(8);
const W32: Type = Type::Word(32);
const V: Type = Type::Vector { lanes: 4, bits: 2 };
const LENGTH: u32 = 6;

/// A module with up to two helpers and an entry of about `size` instructions, which the verifier accepts.
pub fn module(seed: u64, style: Style, size: usize) -> Module {
    let mut random = Random(seed);
    let mut funcs: Vec<Func> = Vec::new();
    for k in 0..random.below(3) {
        let params: Vec<Type> = (0..1 + random.below(3)).map(|_| ty(&mut random, style)).collect();
        let func = Func::new(format!("helper{k}"), &params);
        let mut writer = Writer::new(func, &mut random, style, &funcs);
        writer.visible.extend(params_of(&writer.func));
        writer.locals();
        writer.block(1 + size / 4, 0);
        let types: Vec<Type> = (0..1 + writer.random.below(2)).map(|_| ty(writer.random, style)).collect();
        let results: Vec<Value> = types.into_iter().map(|ty| writer.pick(ty)).collect();
        let mut func = writer.func;
        func.region_mut(func.body).results = results;
        funcs.push(func);
    }
    let mut writer = Writer::new(Func::new("entry", &[]), &mut random, style, &funcs);
    writer.entry(size);
    let func = writer.func;
    funcs.push(func);
    let entry = FuncId(funcs.len() as u32 - 1);
    Module { funcs, entry }
}

/// Random elements for the inputs of a module.
pub fn inputs(module: &Module, random: &mut Random) -> Vec<Vec<Vec<u64>>> {
    let is_input = |slot: &&SlotData| matches!(slot.kind, SlotKind::Input { .. });
    let slots = module.entry().slots.iter().filter(is_input);
    slots
        .map(|slot| {
            let mask = u64::MAX >> (64 - slot.element.bits());
            let element = |random: &mut Random| (0..slot.element.lanes()).map(|_| random.word() & mask).collect();
            (0..slot.length).map(|_| element(random)).collect()
        })
        .collect()
}

fn ty(random: &mut Random, style: Style) -> Type {
    match style {
        Style::Bits => W1,
        Style::Words => [W1, W8, W32, W32, V][random.below(5)],
    }
}

fn params_of(func: &Func) -> Vec<Value> {
    func.region(func.body).params.clone()
}

struct Writer<'a> {
    func: Func,
    region: RegionId,
    random: &'a mut Random,
    style: Style,
    callees: &'a [Func],
    visible: Vec<Value>,
    /// Counters of the loops around, with their ranges.
    counters: Vec<(CounterId, i64, i64)>,
    /// Slots that may be loaded, and stored.
    loadable: Vec<Slot>,
    storable: Vec<Slot>,
}

impl<'a> Writer<'a> {
    fn new(func: Func, random: &'a mut Random, style: Style, callees: &'a [Func]) -> Self {
        let region = func.body;
        Writer {
            func,
            region,
            random,
            style,
            callees,
            visible: Vec::new(),
            counters: Vec::new(),
            loadable: Vec::new(),
            storable: Vec::new(),
        }
    }

    fn entry(&mut self, size: usize) {
        for (name, kind) in [
            ("plain", SlotKind::Input { shared: false }),
            ("key", SlotKind::Input { shared: true }),
            ("other", SlotKind::Input { shared: false }),
        ] {
            let element = ty(self.random, self.style);
            let slot = self.slot(name, kind, element);
            self.loadable.push(slot);
        }
        self.locals();
        self.block(size / 2, 0);
        let element = ty(self.random, self.style);
        let output = self.slot("output", SlotKind::Output, element);
        for k in 0..LENGTH {
            self.store(output, Index::constant(i64::from(k)));
            if self.random.chance(20) {
                self.step(0);
            }
        }
        self.loadable.push(output);
        self.storable.push(output);
        self.block(size / 2, 0);
    }

    /// Perhaps a local slot, perhaps constants.
    fn locals(&mut self) {
        if self.random.chance(60) {
            let element = ty(self.random, self.style);
            let local = self.slot("local", SlotKind::Local, element);
            for k in 0..LENGTH {
                self.store(local, Index::constant(i64::from(k)));
            }
            self.loadable.push(local);
            self.storable.push(local);
        }
        if self.random.chance(40) {
            let element = if self.style == Style::Bits { W1 } else { W32 };
            let mask = u64::MAX >> (64 - element.bits());
            let words = (0..LENGTH).map(|_| self.random.word() & mask).collect();
            let constants = self.slot("table", SlotKind::Constants(words), element);
            self.loadable.push(constants);
        }
    }

    fn slot(&mut self, name: &str, kind: SlotKind, element: Type) -> Slot {
        self.func.add_slot(SlotData { name: name.to_owned(), kind, element, length: LENGTH, group: 0 })
    }

    fn block(&mut self, size: usize, depth: usize) {
        for _ in 0..size {
            self.step(depth);
        }
    }

    fn step(&mut self, depth: usize) {
        match self.random.below(100) {
            0..12 if !self.loadable.is_empty() => {
                let slot = self.loadable[self.random.below(self.loadable.len())];
                self.load(slot);
            }
            12..20 if !self.storable.is_empty() => {
                let slot = self.storable[self.random.below(self.storable.len())];
                let index = self.index();
                self.store(slot, index);
            }
            20..24 if !self.callees.is_empty() => self.call(),
            24..28 if depth < 2 => self.loop_(depth),
            _ => self.operation(),
        }
    }

    fn emit(&mut self, op: Op, args: &[Value], results: &[Type]) {
        let inst = self.func.append(self.region, op, args.iter().copied(), results);
        self.visible.extend(self.func.inst(inst).results.clone());
    }

    /// A visible value of a type, the latest ones more often; a constant if there is none.
    fn pick(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> = self.visible.iter().copied().filter(|&value| self.func.ty(value) == ty).collect();
        if fitting.is_empty() || self.random.chance(4) {
            self.constant(ty);
            return self.visible[self.visible.len() - 1];
        }
        let recent = if self.random.chance(60) { fitting.len().min(6) } else { fitting.len() };
        fitting[fitting.len() - 1 - self.random.below(recent)]
    }

    fn constant(&mut self, ty: Type) {
        let mask = u64::MAX >> (64 - ty.bits());
        let word = [0, mask, self.random.word() & mask][self.random.below(3)];
        self.emit(Op::Const(vec![word; ty.lanes() as usize].into()), &[], &[ty]);
    }

    fn index(&mut self) -> Index {
        let mut index = Index::constant(self.random.below(LENGTH as usize) as i64);
        if let Some(&(counter, low, high)) = self.counters.last()
            && self.random.chance(60)
        {
            // As many constants keep the index inside the slot.
            let room = i64::from(LENGTH) - high + low;
            let (factor, least) = if self.random.chance(50) { (1, -low) } else { (-1, high) };
            index.constant = least + self.random.below(room as usize) as i64;
            index.terms = vec![(counter, factor)];
        }
        index
    }

    fn load(&mut self, slot: Slot) {
        let index = self.index();
        let element = self.func.slot(slot).element;
        self.emit(Op::Load { slot, index }, &[], &[element]);
    }

    fn store(&mut self, slot: Slot, index: Index) {
        let value = self.pick(self.func.slot(slot).element);
        self.emit(Op::Store { slot, index }, &[value], &[]);
    }

    fn call(&mut self) {
        let callee = self.random.below(self.callees.len());
        let func = &self.callees[callee];
        let args: Vec<Value> = func.param_types().into_iter().map(|ty| self.pick(ty)).collect();
        let results = self.callees[callee].result_types();
        self.emit(Op::Call(FuncId(callee as u32)), &args, &results);
    }

    fn loop_(&mut self, depth: usize) {
        let types: Vec<Type> = (0..self.random.below(4)).map(|_| ty(self.random, self.style)).collect();
        let inits: Vec<Value> = types.iter().map(|&ty| self.pick(ty)).collect();
        let (low, high) = (self.random.below(2) as i64, 2 + self.random.below(2) as i64);
        let (first, last) = if self.random.chance(70) { (low, high) } else { (high, low) };
        let region = self.func.add_region(&types);
        let counter = self.func.add_counter();
        let around = std::mem::replace(&mut self.region, region);
        let seen = self.visible.len();
        self.visible.extend(self.func.region(region).params.clone());
        self.counters.push((counter, low, high));
        let size = 3 + self.random.below(8);
        self.block(size, depth + 1);
        let next: Vec<Value> = types.iter().map(|&ty| self.pick(ty)).collect();
        self.func.region_mut(region).results = next;
        self.counters.pop();
        self.visible.truncate(seen);
        self.region = around;
        let data = LoopData { counter, first, last, unroll: None, region };
        self.emit(Op::Loop(Box::new(data)), &inits, &types);
    }

    fn operation(&mut self) {
        let ty = ty(self.random, self.style);
        let amount = self.random.below(ty.bits() as usize) as u8;
        let words = self.style == Style::Words;
        let choice = self.random.below(if words { 22 } else { 8 });
        let (op, args): (Op, &[Type]) = match choice {
            0 => (Op::And, &[ty, ty]),
            1 => (Op::Or, &[ty, ty]),
            2 | 3 => (Op::Xor, &[ty, ty]),
            4 => (Op::Andn, &[ty, ty]),
            5 => (Op::Not, &[ty]),
            6 => (Op::Tern(self.random.word() as u8), &[ty, ty, ty]),
            7 => (Op::Select, &[W1, ty, ty]),
            8 => (Op::Add, &[ty, ty]),
            9 => (Op::Sub, &[ty, ty]),
            10 => (Op::Mul, &[ty, ty]),
            11 => (Op::Shl(amount), &[ty]),
            12 => (Op::Shr(amount), &[ty]),
            13 => (Op::Sar(amount), &[ty]),
            14 | 15 => (Op::Rotl(amount), &[ty]),
            16 => (Op::Funnel(amount), &[ty, ty]),
            17 => (Op::Spread, &[W1]),
            18 => return self.pairs(Op::AddC),
            19 => return self.pairs(Op::SubB),
            20 => {
                let pattern = [Some(2), None, Some(0), Some(self.random.below(4) as u8)];
                let operand = self.pick(V);
                return self.emit(Op::Perm(pattern.into()), &[operand], &[V]);
            }
            _ => {
                let operands = [self.pick(W32), self.pick(W32)];
                return self.emit(Op::MulWide, &operands, &[W32, W32]);
            }
        };
        let args: Vec<Value> = args.iter().map(|&ty| self.pick(ty)).collect();
        self.emit(op, &args, &[ty]);
    }

    fn pairs(&mut self, op: Op) {
        let operands = [self.pick(W32), self.pick(W32), self.pick(W1)];
        self.emit(op, &operands, &[W32, W1]);
    }
}

/// The regions of a function with the instructions they list, however deep.
#[allow(dead_code)]
pub fn regions(func: &Func) -> Vec<&Region> {
    let mut found = vec![func.region(func.body)];
    func.walk(&mut |_, data, _| {
        if let Op::Loop(l) = &data.op {
            found.push(func.region(l.region));
        }
    });
    found
}
