//! The body of a map for a group of blocks.

use std::collections::HashMap;

use culet_ir::rewrite::{Builder, Copier, Keep};
use culet_ir::{CounterId, Index, Inst, LoopData, Op, RegionId, Type, Value};

use super::map::{Map, is_in_lanes};
use super::reversed::turned;

/// A value that depends on the block.
#[derive(Debug, Clone)]
pub(super) enum Held {
    /// A register with the word of each block in its lane.
    Lanes(Value),
    /// A word for each block.
    Words(Vec<Value>),
    /// A word for each block, and the words that have the bytes of these in the other order.
    Turned(Vec<Value>, Vec<Value>),
    /// The first block's word, and the difference between neighbours.
    Counter(Value, u64),
}

/// Values of a group.
pub(super) struct Group<'m, 'f> {
    pub map: &'m Map<'f>,
    pub lanes: u32,
    /// The counter of the loop over groups.
    pub counter: CounterId,
    /// Values that do not depend on the block.
    copier: Copier<'f>,
    held: HashMap<Value, Held>,
    /// Words of the copy in all lanes, by the regions around.
    copies: Vec<HashMap<Value, Value>>,
    /// Registers of the copy that have the values of results with their bytes in the other order.
    pub turned: HashMap<Value, Value>,
}

impl<'m, 'f> Group<'m, 'f> {
    /// A group in the loop that was begun last.
    pub fn new(map: &'m Map<'f>, lanes: u32, copier: Copier<'f>, to: &Builder) -> Group<'m, 'f> {
        let counter = to.newest_counter();
        let copies = vec![HashMap::new()];
        Group { map, lanes, counter, copier, held: HashMap::new(), copies, turned: HashMap::new() }
    }

    /// Writes the whole body. `params` are the carried values of the group's first block.
    pub fn body(&mut self, to: &mut Builder, params: &[Value]) {
        let region = self.map.func.region(self.map.data.region);
        for ((&param, &first), &step) in region.params.iter().zip(params).zip(&self.map.steps) {
            self.copier.set(param, first);
            self.held.insert(param, Held::Counter(first, step));
        }
        self.region(to, self.map.data.region);
        self.write_rows(to);
    }

    /// The carried values after the group.
    pub fn after(&self, to: &mut Builder, params: &[Value]) -> Vec<Value> {
        let next = params.iter().zip(&self.map.steps).map(|(&first, &step)| match step {
            0 => first,
            _ => plus(to, first, step.wrapping_mul(self.lanes.into())),
        });
        next.collect()
    }

    fn region(&mut self, to: &mut Builder, region: RegionId) {
        for &inst in &self.map.func.region(region).insts {
            self.inst(to, inst);
        }
    }

    fn inst(&mut self, to: &mut Builder, inst: Inst) {
        let map = self.map;
        let data = map.func.inst(inst);
        let is_varying = data.results.iter().any(|&result| map.is_varying(result));
        match &data.op {
            // Results are written as rows.
            Op::Store { .. } => {}
            _ if !is_varying => {
                self.copier.copy(&mut Keep, to, inst);
            }
            Op::Loop(l) => self.loop_(to, l, inst),
            _ => {
                let held = self.operation(to, inst);
                for (&result, held) in data.results.iter().zip(held) {
                    self.held.insert(result, held);
                }
            }
        }
    }

    /// The type of a register with words like this one, if there is one.
    pub fn register(&self, value: Value) -> Option<Type> {
        let bits = self.map.func.ty(value).bits();
        let is_register = matches!(bits, 8 | 16 | 32 | 64) && self.map.is_register(bits * self.lanes);
        is_register.then_some(Type::Vector { lanes: self.lanes as u8, bits: bits as u8 })
    }

    fn operation(&mut self, to: &mut Builder, inst: Inst) -> Vec<Held> {
        let data = self.map.func.inst(inst);
        if let Op::Load { slot, index } = &data.op {
            let stride = i64::from(self.map.block);
            let own = |&&(counter, _): &&(CounterId, i64)| counter != self.map.data.counter;
            let others = Index { constant: index.constant, terms: index.terms.iter().filter(own).copied().collect() };
            let mut at = self.copier.index(&others);
            at.terms.push((self.counter, stride * i64::from(self.lanes)));
            at.terms.sort_unstable_by_key(|&(counter, _)| counter);
            let words = (0..i64::from(self.lanes)).map(|lane| {
                let index = Index { constant: at.constant + stride * lane, terms: at.terms.clone() };
                to.emit1(Op::Load { slot: *slot, index }, [], self.map.func.ty(data.results[0]))
            });
            return vec![Held::Words(words.collect())];
        }
        if let Some(held) = self.of_counter(to, inst) {
            return vec![held];
        }
        let result = data.results[0];
        let bits = self.map.func.ty(result).bits();
        match self.register(result) {
            Some(register) if is_in_lanes(&data.op, bits) && !self.map.has_varying_condition(inst) => {
                let is_choice = data.op == Op::Select;
                let args: Vec<Value> = (0..)
                    .zip(&data.args)
                    .map(|(index, &arg)| match is_choice && index == 0 {
                        true => self.copier.value(arg),
                        false => self.in_lanes(to, arg),
                    })
                    .collect();
                vec![Held::Lanes(to.emit1(data.op.clone(), args, register))]
            }
            _ => match self.turned_part(to, inst) {
                Some(held) => vec![held],
                None => self.turned_apart(to, inst).unwrap_or_else(|| self.apart(to, inst)),
            },
        }
    }

    /// An operation that each block does for itself.
    pub fn apart(&mut self, to: &mut Builder, inst: Inst) -> Vec<Held> {
        let data = self.map.func.inst(inst);
        let args: Vec<Vec<Value>> = data.args.iter().map(|&arg| self.words(to, arg)).collect();
        let types: Vec<Type> = data.results.iter().map(|&result| self.map.func.ty(result)).collect();
        let mut results = vec![Vec::new(); types.len()];
        for lane in 0..self.lanes as usize {
            let new = to.emit(data.op.clone(), args.iter().map(|words| words[lane]), &types);
            for (words, &word) in results.iter_mut().zip(&to.func.inst(new).results) {
                words.push(word);
            }
        }
        results.into_iter().map(Held::Words).collect()
    }

    /// A counter plus what is the same for all blocks, or a part of a counter.
    fn of_counter(&mut self, to: &mut Builder, inst: Inst) -> Option<Held> {
        let data = self.map.func.inst(inst);
        let counter = |value: &Value| match self.held.get(value) {
            Some(Held::Counter(first, step)) => Some((*first, *step)),
            _ => None,
        };
        let ty = self.map.func.ty(data.results[0]);
        match (&data.op, &data.args[..]) {
            (Op::Add, [a, b]) => {
                let ((first, step), other) = match (counter(a), counter(b)) {
                    (Some(counter), None) => (counter, b),
                    (None, Some(counter)) => (counter, a),
                    _ => return None,
                };
                if self.map.is_varying(*other) {
                    return None;
                }
                let other = self.copier.value(*other);
                Some(Held::Counter(to.emit1(Op::Add, [first, other], ty), step))
            }
            (Op::Extract(0), [a]) => {
                let (first, step) = counter(a)?;
                Some(Held::Counter(to.emit1(Op::Extract(0), [first], ty), step))
            }
            (Op::Extract(low), [a]) => {
                let (first, step) = counter(a)?;
                self.upper_part(to, data.results[0], u32::from(*low), (first, step))
            }
            _ => None,
        }
    }

    /// A half of a counter in lanes, of the type that `word` has.
    pub fn part_of_counter(&mut self, to: &mut Builder, counter: Value, low: u32, word: Value) -> Option<Value> {
        let Some(&Held::Counter(first, step)) = self.held.get(&counter) else { return None };
        if low > 0 {
            let Held::Lanes(lanes) = self.upper_part(to, word, low, (first, step))? else { return None };
            return Some(lanes);
        }
        let register = self.register(word)?;
        let first = to.emit1(Op::Extract(0), [first], self.map.func.ty(word));
        Some(self.counted(to, (first, step), register))
    }

    /// The upper half of a counter: there is a carry from the lower half where it begins with a one and the sum does not, if
    /// what is added begins with a zero.
    fn upper_part(&mut self, to: &mut Builder, result: Value, low: u32, counter: (Value, u64)) -> Option<Held> {
        let (first, step) = counter;
        let (register, ty) = (self.register(result)?, self.map.func.ty(result));
        let most = step.checked_mul(u64::from(self.lanes) - 1)?;
        if ty.bits() != low || most >> (low - 1) != 0 {
            return None;
        }
        let lower = to.emit1(Op::Extract(0), [first], ty);
        let upper = to.emit1(Op::Extract(low as u8), [first], ty);
        let [before, upper] = [lower, upper].map(|word| self.copied(to, word, register));
        let sum = self.counted(to, (lower, step), register);
        let lost = to.emit1(Op::Andn, [before, sum], register);
        let carry = to.emit1(Op::Shr((low - 1) as u8), [lost], register);
        Some(Held::Lanes(to.emit1(Op::Add, [upper, carry], register)))
    }

    /// A counter in lanes.
    fn counted(&mut self, to: &mut Builder, (first, step): (Value, u64), register: Type) -> Value {
        let first = self.copied(to, first, register);
        let mask = u64::MAX >> (64 - register.bits());
        let steps = (0..u64::from(self.lanes)).map(|lane| step.wrapping_mul(lane) & mask);
        let steps = to.emit1(Op::Const(steps.collect()), [], register);
        to.emit1(Op::Add, [first, steps], register)
    }

    /// A word of the copy in all lanes.
    fn copied(&mut self, to: &mut Builder, word: Value, register: Type) -> Value {
        if let Some(&known) = self.copies.iter().find_map(|copies| copies.get(&word)) {
            return known;
        }
        let constant = match to.definition(word).map(|data| &data.op) {
            Some(Op::Const(words)) => Some(words[0]),
            _ => None,
        };
        let lanes = self.lanes as usize;
        let copied = match constant {
            Some(constant) => to.emit1(Op::Const(vec![constant; lanes].into()), [], register),
            None => to.emit1(Op::Join, vec![word; lanes], register),
        };
        if let Some(copies) = self.copies.last_mut() {
            copies.insert(word, copied);
        }
        copied
    }

    /// The register with a value of every block.
    pub fn in_lanes(&mut self, to: &mut Builder, value: Value) -> Value {
        let register = Type::Vector { lanes: self.lanes as u8, bits: self.map.func.ty(value).bits() as u8 };
        match self.held.get(&value).cloned() {
            Some(Held::Lanes(lanes)) => lanes,
            Some(Held::Words(words)) => to.emit1(Op::Join, words, register),
            Some(Held::Turned(_, words)) => {
                let lanes = to.emit1(Op::Join, words, register);
                turned(to, lanes, register)
            }
            Some(Held::Counter(first, step)) if step != 0 => self.counted(to, (first, step), register),
            _ => {
                let word = self.copier.value(value);
                self.copied(to, word, register)
            }
        }
    }

    /// The words of all blocks.
    fn words(&mut self, to: &mut Builder, value: Value) -> Vec<Value> {
        (0..self.lanes).map(|lane| self.word(to, value, lane)).collect()
    }

    /// The word of one block.
    pub fn word(&mut self, to: &mut Builder, value: Value, lane: u32) -> Value {
        match self.held.get(&value) {
            Some(&Held::Lanes(lanes)) => to.emit1(Op::Lane(lane as u8), [lanes], self.map.func.ty(value)),
            Some(Held::Words(words) | Held::Turned(words, _)) => words[lane as usize],
            Some(&Held::Counter(first, step)) if step != 0 && lane > 0 => {
                plus(to, first, step.wrapping_mul(lane.into()))
            }
            Some(&Held::Counter(first, _)) => first,
            None => self.copier.value(value),
        }
    }

    /// The copy's values that stand for a value of the blocks, if it depends on the block.
    pub fn held(&self, value: Value) -> Option<&Held> {
        self.held.get(&value)
    }

    /// Whether a value is in lanes.
    pub fn is_in_lanes(&self, value: Value) -> bool {
        matches!(self.held.get(&value), Some(Held::Lanes(_)))
    }

    fn loop_(&mut self, to: &mut Builder, l: &LoopData, inst: Inst) {
        let map = self.map;
        let data = map.func.inst(inst);
        let inner = map.func.region(l.region);
        let mut inits = Vec::new();
        for (&arg, &param) in data.args.iter().zip(&inner.params) {
            self.carry(to, arg, param, &mut inits);
        }
        let (new, around) = self.copier.begin_loop(to, l, &inits);
        let params = to.func.region(to.region).params.clone();
        self.copier.set_counter(to, l);
        self.receive(&inner.params, &params);
        self.copies.push(HashMap::new());
        self.region(to, l.region);
        let mut next = Vec::new();
        for (&result, &param) in inner.results.iter().zip(&inner.params) {
            self.carry(to, result, param, &mut next);
        }
        self.copies.pop();
        to.end_loop(around, next);
        let results = to.func.inst(new).results.to_vec();
        self.receive(&data.results, &results);
    }

    /// Adds what the copy of a loop carries for a value, where the loop has this parameter.
    fn carry(&mut self, to: &mut Builder, value: Value, param: Value, carried: &mut Vec<Value>) {
        match (self.map.is_varying(param), self.register(param)) {
            (false, _) => carried.push(self.copier.value(value)),
            (true, Some(_)) => carried.push(self.in_lanes(to, value)),
            (true, None) => carried.extend(self.words(to, value)),
        }
    }

    /// Lets values of the copy, as many as [`Group::carry`] adds, stand for these.
    fn receive(&mut self, values: &[Value], new: &[Value]) {
        let mut new = new.iter().copied();
        for &value in values {
            let count = match (self.map.is_varying(value), self.register(value)) {
                (true, None) => self.lanes as usize,
                _ => 1,
            };
            let own: Vec<Value> = new.by_ref().take(count).collect();
            match (self.map.is_varying(value), self.register(value)) {
                (false, _) => self.copier.set(value, own[0]),
                (true, Some(_)) => drop(self.held.insert(value, Held::Lanes(own[0]))),
                (true, None) => drop(self.held.insert(value, Held::Words(own))),
            }
        }
    }
}

/// A word plus a constant.
fn plus(to: &mut Builder, word: Value, number: u64) -> Value {
    let ty = to.func.ty(word);
    let number = to.emit1(Op::constant(number & (u64::MAX >> (64 - ty.bits()))), [], ty);
    to.emit1(Op::Add, [word, number], ty)
}
