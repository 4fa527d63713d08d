//! Steps of a loop that fills, several side by side: elements become lanes of vectors.
//!
//! Where a step reads only elements that are as far behind as a register has lanes, or farther, that many steps are one on vectors. Groups
//! carry the vectors of the block before. What steps of the loop that reads compute without carried values, they compute side by side, too.
//! Words go from there to these steps through an array, a group ahead: CPUs store a vector and load its words in less time than they take
//! its lanes apart. As each word takes the place of one that was read, C compilers keep both loops' steps beside each other.

use std::collections::HashSet;

use culet_ir::rewrite::{Builder, Copier};
use culet_ir::{Func, Index, Inst, LoopData, Op, Slot, SlotData, SlotKind, Target, Type, Value};

use super::{Filling, place, reads};
use crate::hash::Map;

/// Bits of the registers.
const REGISTER: u32 = 128;

/// Both loops, with steps side by side.
pub(super) struct Vectors<'f> {
    func: &'f Func,
    filling: Filling<'f>,
    reading: &'f LoopData,
    /// The type of elements.
    word: Type,
    lanes: i64,
    /// Instructions of the loop that reads that need no carried value.
    free: HashSet<Inst>,
    /// Their values that the other instructions need.
    wanted: Vec<Value>,
}

impl<'f> Vectors<'f> {
    /// The loops side by side; none if that is not possible.
    pub fn of(func: &'f Func, filling: Filling<'f>, reading: &'f LoopData, target: Target) -> Option<Vectors<'f>> {
        let word = func.slot(filling.array).element;
        let lanes = i64::from(REGISTER / word.bits().max(1));
        let (places, [own, others]) = (reads(func, filling.data, filling.array)?, [filling.data, reading]);
        let is_at_front = |place: i64| own.first + filling.at - (others.first + place) == filling.back;
        let is_possible = target.block_registers().contains(&REGISTER)
            && matches!(word, Type::Word(8 | 16 | 32 | 64))
            && filling.back % lanes == 0
            && places.iter().all(|place| filling.at - place >= lanes)
            && reads(func, reading, filling.array)?.into_iter().all(is_at_front)
            && is_read_in(func, filling.array, [own, others]);
        let mut vectors = Vectors { func, filling, reading, word, lanes, free: HashSet::new(), wanted: Vec::new() };
        let is_filling =
            |&inst: &Inst| matches!(func.inst(inst).op, Op::Store { .. }) || vectors.is_on_lanes(inst, own);
        if !is_possible || !func.region(own.region).insts.iter().all(is_filling) {
            return None;
        }
        vectors.find_free();
        Some(vectors)
    }

    /// Whether an instruction of a loop can be one on vectors, whose operands may be words.
    fn is_on_lanes(&self, inst: Inst, l: &LoopData) -> bool {
        let data = self.func.inst(inst);
        let are_words = data.args.iter().chain(&data.results).all(|&value| self.func.ty(value) == self.word);
        are_words
            && match &data.op {
                Op::Load { index, .. } => place(index, l).is_some(),
                Op::Const(_) => true,
                op => op.is_on_lanes(self.word.bits()),
            }
    }

    fn find_free(&mut self) {
        let (func, region) = (self.func, self.func.region(self.reading.region));
        let mut values: HashSet<Value> = HashSet::new();
        for &inst in &region.insts {
            let data = func.inst(inst);
            if self.is_on_lanes(inst, self.reading) && data.args.iter().all(|arg| values.contains(arg)) {
                self.free.insert(inst);
                values.extend(&data.results);
            }
        }
        let others = region.insts.iter().filter(|inst| !self.free.contains(inst));
        let used: HashSet<Value> =
            others.flat_map(|&inst| func.inst(inst).args.iter()).chain(&region.results).copied().collect();
        let free = region.insts.iter().filter(|&&inst| self.free.contains(&inst) && !self.is_given(inst));
        self.wanted = free.map(|&inst| func.result(inst)).filter(|value| used.contains(value)).collect();
    }

    /// Whether a value is a word of a table or another array, which a step can as well load itself, or a constant.
    fn is_given(&self, inst: Inst) -> bool {
        match self.func.inst(inst).op {
            Op::Load { slot, .. } => slot != self.filling.array,
            Op::Const(_) => true,
            _ => false,
        }
    }

    /// Goes through both loops, and returns the carried values afterwards.
    pub fn write(&self, copier: &mut Copier, to: &mut Builder, carried: Vec<Value>) -> Vec<Value> {
        let array = self.func.slot(self.filling.array);
        let words = SlotData { kind: SlotKind::Local, length: self.filling.back as u32, ..array.clone() };
        let words: Vec<Slot> = self.wanted.iter().map(|_| to.add_slot(&words)).collect();
        let mut known = Vec::new();
        for at in self.vectors() {
            let start = self.filling.data.first + self.filling.at - self.filling.back;
            known.push(self.joined(to, copier.slot(self.filling.array), &Index::constant(start + at)));
            self.store_wanted(copier, to, &words, known[known.len() - 1], at, &Index::constant(at));
        }
        let (before, mut carried) = (known.len(), carried);
        for part in self.filling.parts(self.reading) {
            let inits: Vec<Value> = carried.iter().chain(&known).copied().collect();
            let Some((new, around)) = part.begin(copier, to, self.reading, &inits) else { continue };
            let counter = to.newest_counter();
            let params = to.func.region(to.region).params.clone();
            let (mut values, mut vectors) = (params[..carried.len()].to_vec(), params[carried.len()..].to_vec());
            let at = |place: i64| Index { constant: place, terms: vec![(counter, self.filling.back)] };
            for first in self.vectors() {
                for step in first..first + self.lanes {
                    values = self.step(copier, to, &words, values, step, &at(step));
                }
                if part.is_filling {
                    let next = self.filled(copier, to, &vectors, &at(first));
                    vectors.push(next);
                    self.store_wanted(copier, to, &words, next, first, &at(first + self.filling.back));
                }
            }
            let next = values.into_iter().chain(vectors.split_off(vectors.len() - before)).collect();
            to.end_loop(around, next);
            let results = &to.func.inst(new).results;
            (carried, known) = (results[..carried.len()].to_vec(), results[carried.len()..].to_vec());
        }
        carried
    }

    /// The first steps of the vectors of a group.
    fn vectors(&self) -> impl Iterator<Item = i64> + use<> {
        (0..self.filling.back).step_by(self.lanes as usize)
    }

    /// The next elements, from step `at` of the loop that fills on; the last ones of the `known` vectors are right before them.
    fn filled(&self, copier: &Copier, to: &mut Builder, known: &[Value], at: &Index) -> Value {
        let own = self.filling.data;
        let end = known.len() as i64 * self.lanes;
        let insts: Vec<Inst> = self.func.region(own.region).insts.clone();
        let elements = |to: &mut Builder, place: i64| self.elements(to, known, end + place - self.filling.at);
        let values = self.side_by_side(copier, to, &insts, &shifted(at, own.first), elements);
        let stored = insts.iter().find(|&&inst| matches!(self.func.inst(inst).op, Op::Store { .. }));
        let stored = stored.map(|&inst| self.func.inst(inst).args[0]).expect("a loop that fills stores");
        values.get(&stored).copied().unwrap_or_else(|| self.in_all_lanes(copier, to, stored))
    }

    /// Stores what the loop that reads wants of elements, which it reads from its step `at` on: step `first` of a group.
    fn store_wanted(&self, copier: &Copier, to: &mut Builder, words: &[Slot], elements: Value, first: i64, at: &Index) {
        let insts = self.func.region(self.reading.region).insts.iter().copied();
        let free: Vec<Inst> = insts.filter(|inst| self.free.contains(inst)).collect();
        let values = self.side_by_side(copier, to, &free, &shifted(at, self.reading.first), |_, _| elements);
        for (value, &slot) in self.wanted.iter().zip(words) {
            for lane in 0..self.lanes {
                let taken = to.emit1(Op::Lane(lane as u8), [values[value]], self.word);
                to.emit(Op::Store { slot, index: Index::constant(first + lane) }, [taken], &[]);
            }
        }
    }

    /// Step `own` of a group of the loop that reads, which finds what was stored for it.
    fn step(
        &self,
        copier: &mut Copier,
        to: &mut Builder,
        words: &[Slot],
        carried: Vec<Value>,
        own: i64,
        at: &Index,
    ) -> Vec<Value> {
        let region = self.func.region(self.reading.region);
        copier.place_counter(self.reading.counter, shifted(at, self.reading.first));
        copier.set_all(&region.params, &carried);
        for (&value, &slot) in self.wanted.iter().zip(words) {
            let word = to.emit1(Op::Load { slot, index: Index::constant(own) }, [], self.word);
            copier.set(value, word);
        }
        for &inst in region.insts.iter().filter(|&inst| !self.free.contains(inst) || self.is_given(*inst)) {
            copier.keep(to, inst);
        }
        copier.all(&region.results).to_vec()
    }

    /// Instructions of a loop for as many steps as there are lanes, of which `at` is the first one's counter.
    fn side_by_side(
        &self,
        copier: &Copier,
        to: &mut Builder,
        insts: &[Inst],
        at: &Index,
        elements: impl Fn(&mut Builder, i64) -> Value,
    ) -> Map<Value, Value> {
        let mut values: Map<Value, Value> = Map::default();
        for &inst in insts {
            let data = self.func.inst(inst);
            let Some(&result) = data.results.first() else { continue };
            let vector = match &data.op {
                Op::Load { slot, index } if *slot == self.filling.array => elements(to, index.constant),
                Op::Load { slot, index } => self.joined(to, copier.slot(*slot), &shifted(at, index.constant)),
                Op::Const(words) => {
                    let all = words.iter().copied().cycle().take(self.lanes as usize).collect();
                    to.emit1(Op::Const(all), [], self.vector())
                }
                op => {
                    let args: Vec<Value> = (data.args.iter())
                        .map(|arg| values.get(arg).copied().unwrap_or_else(|| self.in_all_lanes(copier, to, *arg)))
                        .collect();
                    to.emit1(op.clone(), args, self.vector())
                }
            };
            values.insert(result, vector);
        }
        values
    }

    fn vector(&self) -> Type {
        Type::Vector { lanes: self.lanes as u8, bits: self.word.bits() as u8 }
    }

    /// Elements of a slot from an index on.
    fn joined(&self, to: &mut Builder, slot: Slot, from: &Index) -> Value {
        let load = |lane: i64| Op::Load { slot, index: shifted(from, lane) };
        let words: Vec<Value> = (0..self.lanes).map(|lane| to.emit1(load(lane), [], self.word)).collect();
        to.emit1(Op::Join, words, self.vector())
    }

    /// Elements from a place on among those of vectors.
    fn elements(&self, to: &mut Builder, known: &[Value], from: i64) -> Value {
        let place = |at: i64| (known[(at / self.lanes) as usize], (at % self.lanes) as u8);
        let (vector, 0) = place(from) else {
            let lanes = (from..from + self.lanes).map(place);
            let words: Vec<Value> = lanes.map(|(vector, lane)| to.emit1(Op::Lane(lane), [vector], self.word)).collect();
            return to.emit1(Op::Join, words, self.vector());
        };
        vector
    }

    /// A value of outside the loops.
    fn in_all_lanes(&self, copier: &Copier, to: &mut Builder, value: Value) -> Value {
        let words = vec![copier.value(value); self.lanes as usize];
        to.emit1(Op::Join, words, self.vector())
    }
}

fn shifted(index: &Index, by: i64) -> Index {
    Index { constant: index.constant + by, ..index.clone() }
}

/// Whether nothing but two loops loads from a slot.
fn is_read_in(func: &Func, slot: Slot, loops: [&LoopData; 2]) -> bool {
    let mut is_read_elsewhere = false;
    func.walk(&mut |_, data, around| {
        let is_inside = around.last().is_some_and(|l| loops.iter().any(|own| own.region == l.region));
        is_read_elsewhere |= !is_inside && matches!(&data.op, Op::Load { slot: own, .. } if *own == slot);
    });
    !is_read_elsewhere
}
