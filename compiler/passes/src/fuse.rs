//! Loops that fill arrays, together with the loops that read them: a message schedule goes along with the rounds that take its words.
//!
//! A loop fills an array if step p stores element p + s, from elements before it, and does nothing else. A later loop whose step c reads
//! elements at c and carries values takes as many steps beside it, and the rest alone. CPUs then compute elements while they wait for
//! carried values, which they cannot where one loop follows the other.
//!
//! Both loops go on in groups of as many steps as the elements lie behind that a step reads: a group stores a block of elements, and reads
//! that block and the one before. Carried values take the place of the array then (`copy`): steps of a group hand on theirs first, groups
//! afterwards.

mod vectors;

use std::ops::Range;

use culet_ir::rewrite::{Builder, Copier, Keep, Transform, transform};
use culet_ir::{Func, Index, Inst, LoopData, Module, Op, RegionId, Slot, SlotKind, Target, Type, Value};

use crate::copy::forwarded;
use crate::hash::Map;
use crate::unroll::AUTO_SIZE;
use crate::walk::{regions, weight};
use crate::{Context, Goal, each_func};
use vectors::Vectors;

/// Groups are copies, which small machines have no room for.
pub fn run(module: &mut Module, context: &Context) {
    if context.goal == Goal::Size || context.target == Target::C32 {
        return;
    }
    each_func(module, |func| {
        let mut fuse = Fuse::of(func, context.target);
        match fuse.together.is_empty() {
            true => func.clone(),
            false => forwarded(&forwarded(&transform(func, &mut fuse))),
        }
    });
}

/// A loop whose step p stores element p + `at` of an array, from elements that are at most `back` before it.
#[derive(Clone, Copy)]
struct Filling<'f> {
    data: &'f LoopData,
    array: Slot,
    at: i64,
    back: i64,
}

/// How two loops go together: word by word, or with elements side by side.
enum Together<'f> {
    Words(Filling<'f>),
    Vectors(Vectors<'f>),
}

/// The loops that go together, by the loop that reads.
struct Fuse<'f> {
    together: Map<Inst, Together<'f>>,
    /// The loops that fill.
    moved: Vec<Inst>,
}

impl<'f> Fuse<'f> {
    fn of(func: &'f Func, target: Target) -> Fuse<'f> {
        let mut fuse = Fuse { together: Map::default(), moved: Vec::new() };
        for region in regions(func) {
            // The last loop that fills, with nothing behind it yet that could not as well stand before it.
            let mut open: Option<(Inst, Filling<'_>)> = None;
            for &inst in &func.region(region).insts {
                match &func.inst(inst).op {
                    Op::Loop(l) => {
                        let together = open.take().filter(|(_, filling)| filling.suits(func, l, target));
                        if let Some((first, filling)) = together {
                            let vectors = Vectors::of(func, filling, l, target);
                            let together = vectors.map_or(Together::Words(filling), Together::Vectors);
                            fuse.together.insert(inst, together);
                            fuse.moved.push(first);
                        } else {
                            open = filling(func, inst, l).map(|filling| (inst, filling));
                        }
                    }
                    Op::Load { slot, .. } if open.is_none_or(|(_, filling)| filling.array != *slot) => {}
                    op if op.is_pure() => {}
                    _ => open = None,
                }
            }
        }
        fuse
    }
}

/// What a loop fills, if it does nothing else.
fn filling<'f>(func: &'f Func, inst: Inst, l: &'f LoopData) -> Option<Filling<'f>> {
    let steps = func.region(l.region);
    if !goes_up(l) || !func.inst(inst).args.is_empty() {
        return None;
    }
    let insts = || steps.insts.iter().map(|&inst| &func.inst(inst).op);
    let mut stores =
        insts().filter_map(|op| if let Op::Store { slot, index } = op { Some((*slot, index)) } else { None });
    let (array, index) = stores.next()?;
    let at = place(index, l)?;
    let are_others_values = insts().all(|op| op.is_pure() || matches!(op, Op::Load { .. } | Op::Store { .. }));
    let slot = func.slot(array);
    let is_own = slot.kind == SlotKind::Local && matches!(slot.element, Type::Word(_));
    if stores.next().is_some() || !are_others_values || !is_own {
        return None;
    }
    let places = reads(func, l, array)?;
    let back = places.iter().map(|place| at - place).max()?;
    places.iter().all(|place| *place < at).then_some(Filling { data: l, array, at, back })
}

/// Whether the counter of a loop runs upwards, no stream bounds it, and copies of its steps are allowed.
fn goes_up(l: &LoopData) -> bool {
    l.over.is_none() && l.first <= l.last && l.unroll != Some(false)
}

/// The number that an index has beyond the counter of a loop, if it is nothing else.
fn place(index: &Index, l: &LoopData) -> Option<i64> {
    (index.terms == [(l.counter, 1)]).then_some(index.constant)
}

/// Where the steps of a loop read an array, beyond the counter; none if they also read it elsewhere.
fn reads(func: &Func, l: &LoopData, array: Slot) -> Option<Vec<i64>> {
    let insts = func.region(l.region).insts.iter();
    let loads = insts.filter_map(|&inst| match &func.inst(inst).op {
        Op::Load { slot, index } if *slot == array => Some(place(index, l)),
        _ => None,
    });
    loads.collect()
}

impl Filling<'_> {
    /// Whether a loop can go together with this one: it stores nothing, each element that it reads is there by then, and both loops have whole
    /// groups of steps.
    fn suits(&self, func: &Func, l: &LoopData, target: Target) -> bool {
        let is_value = |inst: &Inst| {
            let op = &func.inst(*inst).op;
            op.is_pure() || matches!(op, Op::Load { .. })
        };
        if !goes_up(l) || !func.region(l.region).insts.iter().all(is_value) {
            return false;
        }
        let Some(places) = reads(func, l, self.array).filter(|places| !places.is_empty()) else { return false };
        let latest = self.data.first - l.first + self.at;
        let [steps, all, group] = [self.data.trip_count(), l.trip_count(), self.back.unsigned_abs()];
        let size = size(func, self.data.region, target) + size(func, l.region, target);
        places.iter().all(|&place| place <= latest)
            && steps <= all
            && steps.is_multiple_of(group)
            && (all - steps).is_multiple_of(group)
            && size.saturating_mul(group) <= AUTO_SIZE
    }

    /// The groups of steps of both loops, and those of the loop `l` alone that are left.
    fn parts(&self, l: &LoopData) -> [Part; 2] {
        let [both, all] = [self.data, l].map(|l| l.trip_count() as i64 / self.back);
        [Part { groups: 0..both, is_filling: true }, Part { groups: both..all, is_filling: false }]
    }

    /// Goes through the loop `l`, with this one beside it, and returns the carried values afterwards.
    fn write(&self, copier: &mut Copier, to: &mut Builder, l: &LoopData, mut carried: Vec<Value>) -> Vec<Value> {
        let from = copier.from;
        for part in self.parts(l) {
            let Some((new, around)) = part.begin(copier, to, l, &carried) else { continue };
            let counter = to.newest_counter();
            let mut values = to.func.region(to.region).params.clone();
            for step in 0..self.back {
                let at = |first: i64| Index { constant: first + step, terms: vec![(counter, self.back)] };
                if part.is_filling {
                    copier.place_counter(self.data.counter, at(self.data.first));
                    copier.region(&mut Keep, to, self.data.region);
                }
                copier.place_counter(l.counter, at(l.first));
                copier.set_all(&from.region(l.region).params, &values);
                values = copier.region(&mut Keep, to, l.region);
            }
            to.end_loop(around, values);
            carried = to.func.inst(new).results.to_vec();
        }
        carried
    }
}

/// Groups of steps.
struct Part {
    groups: Range<i64>,
    /// Whether the steps of the loop that fills are among them.
    is_filling: bool,
}

impl Part {
    /// Begins a loop over the groups in place of the loop `l`, if there are any.
    fn begin(&self, copier: &Copier, to: &mut Builder, l: &LoopData, inits: &[Value]) -> Option<(Inst, RegionId)> {
        let data = LoopData { first: self.groups.start, last: self.groups.end - 1, ..*l };
        (!self.groups.is_empty()).then(|| copier.begin_loop(to, &data, inits))
    }
}

/// About the number of instructions of a step.
fn size(func: &Func, region: RegionId, target: Target) -> u64 {
    func.region(region).insts.iter().map(|&inst| weight(func, func.inst(inst), target)).sum()
}

impl Transform for Fuse<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        match &data.op {
            _ if self.moved.contains(&inst) => {}
            Op::Loop(l) if self.together.contains_key(&inst) => {
                let inits = copier.args(inst).to_vec();
                let carried = match &self.together[&inst] {
                    Together::Words(filling) => filling.write(copier, to, l, inits),
                    Together::Vectors(vectors) => vectors.write(copier, to, inits),
                };
                copier.set_all(&data.results, &carried);
            }
            _ => drop(copier.copy(self, to, inst)),
        }
    }
}
