//! Forwarding: a value that is only another value under a new name is replaced by it.
//!
//! - A loaded value is the value that was stored or loaded there before, or the constant of a table: in a loop, if all
//!   elements that its iterations load are equal, as most bits of round constants are. Then stores that nothing can
//!   load before they are overwritten are removed.
//! - An element of a local array that an iteration loads and the iteration before stored, as in `state[i + 1] =
//!   round(state[i])`, becomes a carried value.
//! - A carried value that no iteration changes is its initial value; two that are always the same are one. A loop that
//!   runs once is its body.
//!
//! Operations that return an operand, such as a selection of equal values, are left to `fold`.

use std::collections::{BTreeMap, HashMap, HashSet};

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Func, Index, Inst, LoopData, Module, Op, RegionId, Slot, SlotData, SlotKind, Value};

use crate::memory::{Memory, element_range};
use crate::{Context, each_func};

pub fn run(module: &mut Module, _context: &Context) {
    each_func(module, forwarded);
}

/// The function with values forwarded.
pub(crate) fn forwarded(func: &Func) -> Func {
    let forwarded = transform(func, &mut Forward { memory: Memory::new(func), recurring: HashMap::new() });
    without_dead_stores(forwarded)
}

struct Forward {
    memory: Memory,
    /// Loads of what the iteration before stored, with the carried values that stand for them.
    recurring: HashMap<Inst, Value>,
}

impl Transform for Forward {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        match &data.op {
            Op::Load { .. } if self.recurring.contains_key(&inst) => copier.set(data.results[0], self.recurring[&inst]),
            Op::Load { slot, index } => {
                let index = copier.index(index);
                let known = self.memory.load(*slot, &index).or_else(|| {
                    let SlotKind::Constants(values) = &from.slot(*slot).kind else { return None };
                    let value = self.memory.only_constant(values, &index)?;
                    Some(to.emit1(Op::constant(value), [], from.slot(*slot).element))
                });
                match known {
                    Some(value) => copier.set(data.results[0], value),
                    None => {
                        copier.keep(to, inst);
                        self.memory.learn(*slot, &index, copier.value(data.results[0]));
                    }
                }
            }
            Op::Store { slot, index } => {
                let index = copier.index(index);
                let value = copier.value(data.args[0]);
                if self.memory.load(*slot, &index) == Some(value) {
                    return;
                }
                copier.keep(to, inst);
                self.memory.forget(*slot, &index);
                self.memory.learn(*slot, &index, value);
            }
            Op::Loop(l) if l.trip_count() == 1 => {
                copier.fix_counter(l.counter, l.first);
                let inits = copier.args(inst);
                copier.set_all(&from.region(l.region).params, &inits);
                let results = copier.region(self, to, l.region);
                copier.set_all(&data.results, &results);
            }
            Op::Loop(l) => self.loop_(copier, to, inst, l),
            _ => drop(copier.keep(to, inst)),
        }
    }
}

/// Replacement of a carried value of a loop.
enum Carried {
    /// Its initial value, always.
    Initial,
    /// Equal to an earlier carried value.
    Same(usize),
    /// A value of its own, the n-th that stays.
    Own(usize),
}

impl Forward {
    fn loop_(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst, l: &LoopData) {
        let from = copier.from;
        let (data, region) = (from.inst(inst), from.region(l.region));
        let mut first_of = HashMap::new();
        let mut inits = Vec::new();
        let mut carried = Vec::new();
        for (k, (&init, &next)) in data.args.iter().zip(&region.results).enumerate() {
            carried.push(if next == region.params[k] || next == init {
                Carried::Initial
            } else if let Some(&first) = first_of.get(&(copier.value(init), next)) {
                Carried::Same(first)
            } else {
                first_of.insert((copier.value(init), next), k);
                inits.push(copier.value(init));
                Carried::Own(inits.len() - 1)
            });
        }
        let own = inits.len();
        let recurrences = recurrences(from, l);
        inits.extend(recurrences.iter().map(|recurrence| self.element(from, to, recurrence.slot, recurrence.first)));
        let (new, around) = copier.begin_loop(to, l, &inits);
        copier.set_counter(to, l);
        let params = to.func.region(to.region).params.clone();
        self.set(copier, &carried, &region.params, &data.args, &params);
        for (recurrence, &param) in recurrences.iter().zip(&params[own..]) {
            self.recurring.extend(recurrence.loads.iter().map(|&load| (load, param)));
        }
        self.memory.enter_loop(from, l, to.newest_counter());
        let next = copier.region(self, to, l.region);
        self.memory.leave_loop();
        let own_next = carried.iter().zip(next).filter(|(carried, _)| matches!(carried, Carried::Own(_)));
        let stored = recurrences.iter().map(|recurrence| copier.value(recurrence.next));
        to.end_loop(around, own_next.map(|(_, value)| value).chain(stored).collect());
        let results = to.func.inst(new).results.clone();
        self.set(copier, &carried, &data.results, &data.args, &results);
        for (recurrence, &result) in recurrences.iter().zip(&results[own..]) {
            self.memory.learn(recurrence.slot, &Index::constant(recurrence.last), result);
        }
    }

    /// The value of an element, loaded if it is not known.
    fn element(&mut self, from: &Func, to: &mut Builder, slot: Slot, element: i64) -> Value {
        let index = Index::constant(element);
        if let Some(value) = self.memory.load(slot, &index) {
            return value;
        }
        let value = to.emit1(Op::Load { slot, index: index.clone() }, [], from.slot(slot).element);
        self.memory.learn(slot, &index, value);
        value
    }

    /// Sets the values that stand for a loop's parameters, or for its results.
    fn set(&self, copier: &mut Copier, carried: &[Carried], old: &[Value], inits: &[Value], own: &[Value]) {
        for (k, carried) in carried.iter().enumerate() {
            let value = match *carried {
                Carried::Initial => copier.value(inits[k]),
                Carried::Same(first) => copier.value(old[first]),
                Carried::Own(n) => own[n],
            };
            copier.set(old[k], value);
        }
    }
}

/// An element that an iteration loads and the iteration before stored.
struct Recurrence {
    slot: Slot,
    loads: Vec<Inst>,
    /// The value that is stored for the next iteration.
    next: Value,
    /// The element that the first iteration loads, and the one that the last iteration stores.
    first: i64,
    last: i64,
}

/// An access to a slot, with the value that it stores.
type Access<'a> = (Inst, &'a Index, Option<Value>);

/// The recurrences of a loop: each iteration stores one block of a local array, and loads only from the block before.
fn recurrences(func: &Func, l: &LoopData) -> Vec<Recurrence> {
    let mut slots: BTreeMap<Slot, Vec<Access>> = BTreeMap::new();
    let mut nested: HashSet<Slot> = HashSet::new();
    let own: HashSet<Inst> = func.region(l.region).insts.iter().copied().collect();
    func.walk_region(l.region, &mut Vec::new(), &mut |inst, data, _| {
        let (Op::Load { slot, index } | Op::Store { slot, index }) = &data.op else { return };
        if func.slot(*slot).kind != SlotKind::Local || !own.contains(&inst) {
            nested.insert(*slot);
        }
        slots.entry(*slot).or_default().push((inst, index, data.args.first().copied()));
    });
    if l.over.is_some() || l.first > l.last {
        return Vec::new();
    }
    slots.retain(|slot, _| !nested.contains(slot));
    slots.into_iter().flat_map(|(slot, accesses)| recurrences_of(l, slot, &accesses)).collect()
}

fn recurrences_of(l: &LoopData, slot: Slot, accesses: &[Access]) -> Vec<Recurrence> {
    let step = match accesses[0].1.terms[..] {
        [(counter, step)] if counter == l.counter && step > 0 => step,
        _ => return Vec::new(),
    };
    let terms = &accesses[0].1.terms;
    let stores: BTreeMap<i64, Value> =
        accesses.iter().filter_map(|(_, index, value)| Some((index.constant, (*value)?))).collect();
    let (Some((&lowest, _)), Some((&highest, _))) = (stores.first_key_value(), stores.last_key_value()) else {
        return Vec::new();
    };
    let is_before = |index: &Index| (lowest - step..lowest).contains(&index.constant);
    let are_stores_apart = accesses.iter().filter(|(_, _, value)| value.is_some()).count() == stores.len();
    let is_right = |(_, index, value): &Access| index.terms == *terms && (value.is_some() || is_before(index));
    if highest - lowest >= step || !are_stores_apart || !accesses.iter().all(is_right) {
        return Vec::new();
    }
    let mut found: BTreeMap<i64, Recurrence> = BTreeMap::new();
    for &(load, index, value) in accesses {
        let stored = index.constant + step;
        if let (None, Some(&next)) = (value, stores.get(&stored)) {
            let (first, last) = (step * l.first + index.constant, step * l.last + stored);
            let new = || Recurrence { slot, loads: Vec::new(), next, first, last };
            found.entry(stored).or_insert_with(new).loads.push(load);
        }
    }
    found.into_values().collect()
}

/// Removes stores that no load can see.
fn without_dead_stores(func: Func) -> Func {
    let mut search = DeadStores { func: &func, dead: HashSet::new(), around: Vec::new() };
    let at_end = |slot: &SlotData| Future { is_dead: slot.kind == SlotKind::Local, except: HashSet::new() };
    search.region(func.body, func.slots.iter().map(at_end).collect());
    let dead = search.dead;
    if dead.is_empty() { func } else { transform(&func, &mut Without { dead }) }
}

struct Without {
    dead: HashSet<Inst>,
}

impl Transform for Without {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        if !self.dead.contains(&inst) {
            copier.copy(self, to, inst);
        }
    }
}

/// Liveness of a slot's elements from some point on: an element is dead if it is stored, or the function ends, before a
/// load may reach it.
struct Future {
    /// Whether all elements but the exceptions are dead; the exceptions are the opposite.
    is_dead: bool,
    except: HashSet<i64>,
}

impl Future {
    fn is_dead(&self, element: i64) -> bool {
        self.is_dead != self.except.contains(&element)
    }

    fn set(&mut self, element: i64, dead: bool) {
        if dead == self.is_dead {
            self.except.remove(&element);
        } else {
            self.except.insert(element);
        }
    }

    /// Records that a load may reach any of these elements.
    fn load(&mut self, (low, high): (i64, i64)) {
        match high - low {
            0..64 => (low..=high).for_each(|element| self.set(element, false)),
            _ => *self = Future::needed(),
        }
    }

    /// All elements are live.
    fn needed() -> Future {
        Future { is_dead: false, except: HashSet::new() }
    }
}

struct DeadStores<'a> {
    func: &'a Func,
    dead: HashSet<Inst>,
    around: Vec<&'a LoopData>,
}

impl<'a> DeadStores<'a> {
    /// Goes through a region from its end, where `future` holds.
    fn region(&mut self, id: RegionId, mut future: Vec<Future>) {
        let func = self.func;
        for &inst in func.region(id).insts.iter().rev() {
            match &func.inst(inst).op {
                Op::Store { slot, index } => {
                    let future = &mut future[slot.index()];
                    if !index.terms.is_empty() {
                        if future.is_dead && future.except.is_empty() {
                            self.dead.insert(inst);
                        }
                    } else if future.is_dead(index.constant) {
                        self.dead.insert(inst);
                    } else {
                        future.set(index.constant, true);
                    }
                }
                Op::Load { slot, index } => {
                    future[slot.index()].load(element_range(func, *slot, index, &self.around));
                }
                Op::StoreTail { from, .. } => future[from.index()] = Future::needed(),
                Op::Loop(l) => self.loop_(l, &mut future),
                _ => {}
            }
        }
    }

    /// Inside a loop, an element that the iteration does not store again may be loaded by the next one or afterwards;
    /// unless no iteration loads the slot at all.
    fn loop_(&mut self, l: &'a LoopData, future: &mut [Future]) {
        let func = self.func;
        self.around.push(l);
        func.walk_region(l.region, &mut self.around, &mut |_, data, around| match &data.op {
            Op::Load { slot, index } => future[slot.index()].load(element_range(func, *slot, index, around)),
            Op::StoreTail { from, .. } => future[from.index()] = Future::needed(),
            _ => {}
        });
        let at_end = |future: &Future| {
            let is_dead = future.is_dead && future.except.is_empty();
            Future { is_dead, except: HashSet::new() }
        };
        self.region(l.region, future.iter().map(at_end).collect());
        self.around.pop();
    }
}
