//! Elements side by side: a loop that carries several elements of a field, and computes several of a kind in each
//! iteration, carries them as the lanes of one value.
//!
//! Operations of one depth become one operation on lanes: all products, and all sums and differences, which are both
//! computed if there are both. An element in another lane than the lane where it is needed is permuted, and elements
//! that are needed from several values are blended. All other operations are computed in the lanes where they are
//! needed; other lanes hold anything.

use std::collections::{BTreeMap, HashMap};

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{FieldOp, Func, Index, Inst, LoopData, Module, Op, Slot, Type, Value};

use crate::{Context, each_func};

/// Number of lanes of a register, and minimum number of elements that are packed.
const LANES: usize = 8;
const FEWEST: usize = 3;

pub fn run(module: &mut Module, _: &Context) {
    each_func(module, |func| transform(func, &mut Pack));
}

struct Pack;

impl Transform for Pack {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        if let Op::Loop(l) = &data.op
            && let Some(groups) = Groups::of(copier, l)
        {
            groups.write(copier, to, inst, l);
            return;
        }
        copier.copy(self, to, inst);
    }
}

/// The element that is wanted in each lane.
type Wanted = [Option<Value>; LANES];

/// Kinds of operations that stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Sum,
    Product,
}

fn kind(op: &Op) -> Option<Kind> {
    match op {
        Op::Field(FieldOp::Add | FieldOp::Sub) => Some(Kind::Sum),
        Op::Field(FieldOp::Mul | FieldOp::Sqr) => Some(Kind::Product),
        _ => None,
    }
}

/// Number of products on the way to an operation, number of other operations after the last of them, and its kind.
type Level = ((u32, u32), Kind);

/// The operations of a loop that stand side by side.
struct Groups {
    element: Type,
    /// Results of operations that stand side by side.
    groups: Vec<Vec<Value>>,
    /// Elements that the loop carries, by their places among all values that it carries.
    carried: Vec<usize>,
    /// The instruction in the loop's region that makes an element.
    makers: HashMap<Value, Inst>,
}

impl Groups {
    /// The groups of a loop; none if its elements cannot, or are not worth to, stand side by side.
    fn of(copier: &Copier, l: &LoopData) -> Option<Groups> {
        let func = copier.from;
        let region = func.region(l.region);
        let is_element = |value: Value| matches!(func.ty(value), Type::Field(_));
        let carried: Vec<usize> = (0..region.params.len()).filter(|&i| is_element(region.params[i])).collect();
        let element = func.ty(region.params[*carried.first()?]);
        if !(FEWEST..=LANES).contains(&carried.len()) || l.over.is_some() {
            return None;
        }
        // Number of products on the way to a value, and number of other operations after the last of them.
        let mut depths: HashMap<Value, (u32, u32)> = HashMap::new();
        let mut makers = HashMap::new();
        let mut levels: Vec<(Level, Vec<Value>)> = Vec::new();
        for &inst in &region.insts {
            let data = func.inst(inst);
            match &data.op {
                Op::Field(
                    FieldOp::Add
                    | FieldOp::Sub
                    | FieldOp::Neg
                    | FieldOp::Mul
                    | FieldOp::Sqr
                    | FieldOp::MulC(_)
                    | FieldOp::Select,
                ) if func.ty(data.results[0]) == element => {}
                Op::Load { slot, index }
                    if func.ty(data.results[0]) == element && row_of(func, *slot, index).is_some() => {}
                // Words, which do not depend on elements.
                op if !matches!(op, Op::Loop(_) | Op::Call(_))
                    && data.args.iter().chain(&data.results).all(|&value| !is_element(value)) =>
                {
                    continue;
                }
                _ => return None,
            }
            let result = data.results[0];
            let (products, others) =
                data.args.iter().filter_map(|arg| depths.get(arg)).max().copied().unwrap_or((0, 0));
            let depth = match (kind(&data.op), &data.op) {
                (Some(Kind::Product), _) => (products + 1, 0),
                (_, Op::Field(FieldOp::Neg)) => (products, others),
                _ => (products, others + 1),
            };
            depths.insert(result, depth);
            makers.insert(result, inst);
            if let Some(kind) = kind(&data.op) {
                match levels.iter_mut().find(|(key, _)| *key == (depth, kind)) {
                    Some((_, values)) => values.push(result),
                    None => levels.push(((depth, kind), vec![result])),
                }
            }
        }
        let is_worth = |values: &Vec<Value>| (FEWEST..=LANES).contains(&values.len());
        let products = levels.iter().filter(|((_, kind), _)| *kind == Kind::Product);
        let (good, bad): (Vec<_>, Vec<_>) = products.partition(|(_, values)| is_worth(values));
        if good.is_empty() || !bad.is_empty() {
            return None;
        }
        let groups = levels.into_iter().map(|(_, values)| values).filter(is_worth).collect();
        Some(Groups { element, groups, carried, makers })
    }

    /// Writes the loop with its elements in lanes.
    fn write(self, copier: &mut Copier, to: &mut Builder, inst: Inst, l: &LoopData) {
        let from = copier.from;
        let Type::Field(field) = self.element else { return };
        let lanes = Type::Elements { field, lanes: LANES as u8 };
        let data = from.inst(inst);
        let region = from.region(l.region);
        let words: Vec<usize> = (0..region.params.len()).filter(|i| !self.carried.contains(i)).collect();
        let firsts: Vec<Value> = self.carried.iter().map(|&i| copier.value(data.args[i])).collect();
        let first = joined(to, lanes, &firsts);
        let mut inits = vec![first];
        inits.extend(words.iter().map(|&i| copier.value(data.args[i])));
        let (new, around) = copier.begin_loop(to, l, &inits);
        copier.set_counter(to, l);
        let params = to.func.region(to.region).params.clone();
        words.iter().zip(&params[1..]).for_each(|(&i, &param)| copier.set(region.params[i], param));
        for &inst in &region.insts {
            if from.inst(inst).results.iter().all(|result| !self.makers.contains_key(result)) {
                copier.copy(&mut Pack, to, inst);
            }
        }
        let mut wanted: Wanted = [None; LANES];
        for (lane, &i) in self.carried.iter().enumerate() {
            wanted[lane] = Some(region.results[i]);
        }
        let mut packer = Packer { groups: &self, lanes, written: HashMap::new(), known: HashMap::new(), copier, to };
        let sources: Vec<(Value, Source)> =
            (0..).zip(&self.carried).map(|(lane, &i)| (region.params[i], (params[0], lane))).collect();
        packer.written.extend(sources);
        let next = packer.pack(wanted);
        let mut results = vec![next];
        results.extend(words.iter().map(|&i| copier.value(region.results[i])));
        to.end_loop(around, results);
        let after = to.func.inst(new).results.clone();
        for (lane, &i) in (0..).zip(&self.carried) {
            let element = to.emit1(Op::Lane(lane), [after[0]], self.element);
            copier.set(data.results[i], element);
        }
        words.iter().zip(&after[1..]).for_each(|(&i, &value)| copier.set(data.results[i], value));
    }
}

/// Elements in lanes; the lanes that are left have the first one again.
fn joined(to: &mut Builder, ty: Type, elements: &[Value]) -> Value {
    // Lanes that are taken out of a value to be put where they were.
    let source = |(lane, &element): (u8, &Value)| match to.definition(element) {
        Some(data) if data.op == Op::Lane(lane) && to.func.ty(data.args[0]) == ty => Some(data.args[0]),
        _ => None,
    };
    let sources: Option<Vec<Value>> = (0..).zip(elements).map(source).collect();
    if let Some(sources) = sources.filter(|sources| sources.iter().all(|source| *source == sources[0])) {
        return sources[0];
    }
    let lanes: Vec<Value> = (0..LANES).map(|lane| *elements.get(lane).unwrap_or(&elements[0])).collect();
    to.emit1(Op::Join, lanes, ty)
}

/// The index of the first of the eight elements of an array that this element is read together with, and its lane; none if no eight elements
/// can be read together there.
fn row_of(func: &Func, slot: Slot, index: &Index) -> Option<(Index, u8)> {
    let eight = LANES as i64;
    let lane = index.constant.rem_euclid(eight);
    let is_whole = i64::from(func.slot(slot).length) % eight == 0;
    let is_in_step = index.terms.iter().all(|(_, factor)| factor % eight == 0);
    (is_whole && is_in_step)
        .then(|| (Index { constant: index.constant - lane, terms: index.terms.clone() }, lane as u8))
}

/// The elements of both operands of products, each in one lane where it is wanted if that is free. None unless they are different operands,
/// and half of the elements are wanted in several lanes: then it is less to make each once, and to permute what was made.
fn all_of(a: &Wanted, b: &Wanted) -> Option<Wanted> {
    let mut uses: BTreeMap<Value, u32> = BTreeMap::new();
    a.iter().chain(b).flatten().for_each(|&value| *uses.entry(value).or_default() += 1);
    let several = uses.values().filter(|uses| **uses > 1).count();
    if a == b || 2 * several < uses.len() {
        return None;
    }
    let mut all: Wanted = [None; LANES];
    for wanted in [a, b] {
        for (lane, value) in wanted.iter().enumerate() {
            if all[lane].is_none() && !all.contains(value) {
                all[lane] = *value;
            }
        }
    }
    for value in a.iter().chain(b).flatten() {
        if !all.contains(&Some(*value)) {
            *all.iter_mut().find(|lane| lane.is_none())? = Some(*value);
        }
    }
    Some(all)
}

/// A written value of several lanes, and one lane of it.
type Source = (Value, u8);

/// Writes the operations of a loop's iteration.
struct Packer<'p, 'f> {
    groups: &'p Groups,
    lanes: Type,
    /// Sources of the elements that are written.
    written: HashMap<Value, Source>,
    /// Values for the wanted lanes that were packed before.
    known: HashMap<Wanted, Value>,
    copier: &'p Copier<'f>,
    to: &'p mut Builder,
}

impl Packer<'_, '_> {
    /// A value with these elements in these lanes.
    fn pack(&mut self, wanted: Wanted) -> Value {
        if let Some(&known) = self.known.get(&wanted) {
            return known;
        }
        let mut missing = wanted;
        let mut packed: Option<(Value, u64)> = None;
        let mut sources = 0;
        while let Some(value) = missing.iter().flatten().next().copied() {
            let (lanes, pattern) = self.some(value, &mut missing);
            let found = self.permuted(lanes, &pattern);
            sources += 1;
            let set = pattern.iter().enumerate().map(|(lane, from)| u64::from(from.is_some()) << lane).sum();
            packed = Some(match packed {
                None => (found, set),
                Some((others, before)) => (self.to.emit1(Op::Blend(set), [others, found], self.lanes), before | set),
            });
        }
        let packed = packed.expect("something is wanted").0;
        // Later users of one of several groups' elements take it from the value where they are together.
        for (lane, value) in (0..).zip(wanted).filter(|_| sources > 1) {
            if let Some(source) = value.and_then(|value| self.written.get_mut(&value)) {
                *source = (packed, lane);
            }
        }
        self.known.insert(wanted, packed);
        packed
    }

    /// A value with lanes that hold this element and, with it, some that are missing, and the lane of each. They are
    /// missing no more.
    fn some(&mut self, value: Value, missing: &mut Wanted) -> (Value, [Option<u8>; LANES]) {
        self.write_group(value, missing);
        let mut pattern = [None; LANES];
        if let Some(&(lanes, _)) = self.written.get(&value) {
            for (lane, from) in pattern.iter_mut().enumerate() {
                let own = missing[lane].and_then(|value| self.written.get(&value)).filter(|source| source.0 == lanes);
                if let Some(&(_, source)) = own {
                    *from = Some(source);
                    missing[lane] = None;
                }
            }
            return (lanes, pattern);
        }
        let mut own: Wanted = [None; LANES];
        for lane in 0..LANES {
            let is_like = missing[lane].is_some_and(|other| self.is_like(value, other));
            if is_like {
                own[lane] = missing[lane].take();
                pattern[lane] = Some(lane as u8);
            }
        }
        let lanes = self.computed(value, own);
        let places = (0..).zip(own).filter_map(|(lane, value)| value.map(|value| (value, (lanes, lane))));
        self.written.extend(places);
        (lanes, pattern)
    }

    /// Whether another element that is not written is made as this one is.
    fn is_like(&self, value: Value, other: Value) -> bool {
        let func = self.copier.from;
        if self.written.contains_key(&other) || self.groups.groups.iter().any(|group| group.contains(&other)) {
            return false;
        }
        let makers = [value, other].map(|value| self.groups.makers.get(&value).map(|&inst| func.inst(inst)));
        match makers {
            [Some(a), Some(b)] => a.op == b.op || kind(&a.op).is_some_and(|own| kind(&b.op) == Some(own)),
            [None, None] => true,
            _ => false,
        }
    }

    /// Writes the operations that stand beside the operation that makes this element, in the lanes where they are
    /// wanted, if all are.
    fn write_group(&mut self, value: Value, wanted: &Wanted) {
        self.write_row(value);
        let Some(group) = self.groups.groups.iter().find(|group| group.contains(&value)) else { return };
        if self.written.contains_key(&value) {
            return;
        }
        let mut own: Wanted = [None; LANES];
        let lanes_of = |value: &Value| (0..LANES).filter(|&lane| wanted[lane] == Some(*value)).collect::<Vec<usize>>();
        let places: Vec<Vec<usize>> = group.iter().map(lanes_of).collect();
        let are_all_wanted = places.iter().all(|lanes| !lanes.is_empty());
        for (number, (&value, lanes)) in group.iter().zip(&places).enumerate() {
            own[if are_all_wanted { lanes[0] } else { number }] = Some(value);
        }
        let lanes = self.computed(value, own);
        let places = (0..).zip(own).filter_map(|(lane, value)| value.map(|value| (value, (lanes, lane))));
        self.written.extend(places);
    }

    /// Reads an element of an array together with those beside it, if it is one that is read.
    fn write_row(&mut self, value: Value) {
        let func = self.copier.from;
        let read = |inst: &Inst| match &func.inst(*inst).op {
            Op::Load { slot, index } => row_of(func, *slot, index).map(|(first, lane)| (*slot, first, lane)),
            _ => None,
        };
        let Some((slot, first, _)) = self.groups.makers.get(&value).and_then(read) else { return };
        if self.written.contains_key(&value) {
            return;
        }
        let (new_slot, at) = (self.copier.slot(slot), self.copier.index(&first));
        let elements: Vec<Value> = (0..LANES as i64)
            .map(|lane| {
                let index = Index { constant: at.constant + lane, terms: at.terms.clone() };
                self.to.emit1(Op::Load { slot: new_slot, index }, [], self.groups.element)
            })
            .collect();
        let row = self.to.emit1(Op::Join, elements, self.lanes);
        for (&value, inst) in &self.groups.makers {
            if let Some((of, from, lane)) = read(inst)
                && of == slot
                && from == first
            {
                self.written.insert(value, (row, lane));
            }
        }
    }

    /// Writes elements that are made alike, in these lanes.
    fn computed(&mut self, value: Value, own: Wanted) -> Value {
        let func = self.copier.from;
        let Some(&inst) = self.groups.makers.get(&value) else {
            // Made outside of the loop.
            let first = self.copier.value(value);
            let lanes: Vec<Value> =
                own.iter().map(|value| value.map_or(first, |value| self.copier.value(value))).collect();
            return self.to.emit1(Op::Join, lanes, self.lanes);
        };
        let operand = |index: usize| -> Wanted {
            own.map(|value| {
                value.map(|value| {
                    let args = &func.inst(self.groups.makers[&value]).args;
                    args[index.min(args.len() - 1)]
                })
            })
        };
        let op = func.inst(inst).op.clone();
        match op {
            Op::Field(FieldOp::Add | FieldOp::Sub) => self.sums(own),
            Op::Field(FieldOp::Mul | FieldOp::Sqr) => {
                let (a, b) = (operand(0), operand(1));
                if let Some(all) = all_of(&a, &b) {
                    self.pack(all);
                }
                let x = self.pack(a);
                let y = self.pack(b);
                match x == y {
                    true => self.to.emit1(Op::Field(FieldOp::Sqr), [x], self.lanes),
                    false => self.to.emit1(Op::Field(FieldOp::Mul), [x, y], self.lanes),
                }
            }
            Op::Field(FieldOp::Select) => {
                let (conditions, then, otherwise) = (operand(0), operand(1), operand(2));
                // The value that is chosen where nothing changes places must stay in its own lanes.
                let otherwise = self.pack(otherwise);
                let then = self.pack(then);
                self.chosen(conditions, then, otherwise)
            }
            op => {
                let operand = operand(0);
                let operand = self.pack(operand);
                self.to.emit1(op, [operand], self.lanes)
            }
        }
    }

    /// Writes a choice in each lane by its own condition: a choice in all lanes by each condition.
    fn chosen(&mut self, mut conditions: Wanted, then: Value, otherwise: Value) -> Value {
        let mut chosen: Option<Value> = None;
        while let Some(condition) = conditions.iter().flatten().next().copied() {
            let set = (0..LANES).filter(|&lane| conditions[lane] == Some(condition)).map(|lane| 1 << lane).sum();
            conditions.iter_mut().filter(|own| **own == Some(condition)).for_each(|own| *own = None);
            let args = [self.copier.value(condition), then, otherwise];
            let by_this = self.to.emit1(Op::Field(FieldOp::Select), args, self.lanes);
            chosen = Some(match chosen {
                None => by_this,
                Some(others) => self.to.emit1(Op::Blend(set), [others, by_this], self.lanes),
            });
        }
        chosen.unwrap_or(otherwise)
    }

    /// Writes sums and differences; if there are both, both are computed in all lanes.
    fn sums(&mut self, own: Wanted) -> Value {
        let func = self.copier.from;
        let negated = |value: Value| {
            let data = self.groups.makers.get(&value).map(|&inst| func.inst(inst));
            data.filter(|data| data.op == Op::Field(FieldOp::Neg)).map(|data| data.args[0])
        };
        let (mut a, mut b): (Wanted, Wanted) = ([None; LANES], [None; LANES]);
        let (mut plus, mut minus) = (0_u64, 0_u64);
        for (lane, value) in own.iter().enumerate().filter_map(|(lane, value)| value.map(|value| (lane, value))) {
            let data = func.inst(self.groups.makers[&value]);
            let (x, y) = (data.args[0], data.args[1]);
            let (x, y, is_minus) = match (&data.op, negated(x), negated(y)) {
                (Op::Field(FieldOp::Add), _, Some(y)) => (x, y, true),
                (Op::Field(FieldOp::Add), Some(x), _) => (y, x, true),
                (Op::Field(FieldOp::Add), ..) => (x, y, false),
                (_, _, Some(y)) => (x, y, false),
                _ => (x, y, true),
            };
            (a[lane], b[lane]) = (Some(x), Some(y));
            if is_minus { minus |= 1 << lane } else { plus |= 1 << lane }
        }
        let (a, b) = (self.pack(a), self.pack(b));
        let mut emit = |op: FieldOp| self.to.emit1(Op::Field(op), [a, b], self.lanes);
        match (plus, minus) {
            (_, 0) => emit(FieldOp::Add),
            (0, _) => emit(FieldOp::Sub),
            _ => {
                let (sum, difference) = (emit(FieldOp::Add), emit(FieldOp::Sub));
                self.to.emit1(Op::Blend(minus), [sum, difference], self.lanes)
            }
        }
    }

    /// Permutes lanes to their places; lanes where nothing is wanted hold anything.
    fn permuted(&mut self, lanes: Value, pattern: &[Option<u8>; LANES]) -> Value {
        if (0..).zip(pattern).all(|(lane, from)| from.is_none_or(|from| from == lane)) {
            return lanes;
        }
        let pattern = (0..).zip(pattern).map(|(lane, from)| Some(from.unwrap_or(lane))).collect();
        self.to.emit1(Op::Perm(pattern), [lanes], self.lanes)
    }
}
