//! Operations on elements become operations on words, with carries where a plan puts them.
//!
//! One walk does two things. Without a builder it keeps the bounds of all limbs; in this way a plan is tried, and loops
//! find the bounds that they keep. With a builder it writes the function on words, too.

use std::collections::BTreeMap;
use std::rc::Rc;

use culet_ir::rewrite::Builder;
use culet_ir::{
    FieldId, FieldOp, Func, FuncId, Index, Inst, LimbMap, Module, Op, Part, RegionId, Runs, Slot, SlotData, SlotKind,
    Stage, Type, Value, Word,
};

use crate::carries::{Place, Plan, Seen};
use crate::interval::{Interval, SlotBounds};
use crate::machine::{Failure, Machine, Number};
use crate::representation::{Limbs, Representation, has_columns};

mod beside;
mod calls;
mod lanes;
mod loops;
mod memory;
mod operations;
mod tables;

use beside::BESIDE;
pub use memory::Memory;
use memory::Tight;
use tables::Tables;

/// Number of rounds after which a loop's bounds widen to powers of two, number of rounds after which they widen at
/// least to all values of a limb without carries, and maximum number of rounds.
const ROUNDS_BEFORE_WIDENING: u32 = 3;
const ROUNDS_BEFORE_LIMBS: u32 = 16;
const ROUNDS: u32 = 80;

/// Bounds that the next round of a search assumes for a limb that grew in this round.
fn widened(representation: &dyn Representation, index: u32, range: Interval, round: u32) -> Interval {
    match round {
        ..ROUNDS_BEFORE_WIDENING => range,
        ROUNDS_BEFORE_WIDENING..ROUNDS_BEFORE_LIMBS => range.widened(),
        _ => range.widened().hull(&Interval::word(representation.limb_bits(index))),
    }
}

/// A function in words, if it was asked for, and the bounds of the limbs of its outputs.
pub struct Expanded {
    pub outputs: SlotBounds,
    pub func: Option<Func>,
    /// Values that are meant modulo a word: sums and products of the program's own words, and carries that are dropped.
    pub wrapping: Vec<Value>,
    /// Carries that take two words.
    pub wide_carries: u32,
    /// Bounds of limbs before and after the carries of each place.
    pub seen: Seen,
    /// The words that hold each value, if a function in words was asked for.
    pub limb_map: Option<LimbMap>,
}

impl Expanded {
    /// The function as a module of its own, if it was asked for. It calls no other function.
    pub fn module(&self) -> Option<Module> {
        self.func.clone().map(alone)
    }
}

/// A module of one function.
fn alone(func: Func) -> Module {
    Module { fields: Vec::new(), funcs: vec![func], entry: FuncId(0) }
}

/// Expands a function of a module. `representation` has one for each of its fields. `inputs` bounds the limbs of
/// elements in input slots.
///
/// # Errors
///
/// The first result that its words cannot hold.
pub fn expand(
    module: &Module,
    entry: FuncId,
    representation: &dyn Representation,
    plan: &Plan,
    inputs: &SlotBounds,
    write: bool,
) -> Result<Expanded, Failure> {
    let builder = write.then(|| in_words(module.func(entry), representation));
    Expander::new(module, representation, plan, inputs, builder).run_whole(entry)
}

/// Whether a plan holds: as [`expand`] without writing, with a memory of the products of earlier plans.
///
/// # Errors
///
/// As [`expand`].
pub fn attempt(
    module: &Module,
    entry: FuncId,
    representation: &dyn Representation,
    plan: &Plan,
    inputs: &SlotBounds,
    memory: &Memory,
) -> Result<Expanded, Failure> {
    let mut expander = Expander::new(module, representation, plan, inputs, None);
    expander.tables = Some((entry, memory.tables(entry, module.func(entry), representation)));
    expander.memory = Some(memory);
    expander.run_whole(entry)
}

/// As [`expand`], also if words cannot hold a result of the plan: then the function is wrong, and [`crate::check`] must
/// say so.
pub fn expand_unchecked(
    module: &Module,
    entry: FuncId,
    representation: &dyn Representation,
    plan: &Plan,
    inputs: &SlotBounds,
) -> Option<Module> {
    let builder = in_words(module.func(entry), representation);
    let mut expander = Expander::new(module, representation, plan, inputs, Some(builder));
    expander.machine.keeps_going = true;
    expander.run(entry).0.func.map(alone)
}

/// A builder of the function whose slots, parameters and results of elements are of words.
fn in_words(entry: &Func, representation: &dyn Representation) -> Builder {
    let params: Vec<Type> = entry.param_types().into_iter().flat_map(|ty| words_of(ty, representation)).collect();
    let mut builder = Builder::with_params(entry, &params);
    let runs = |types: Vec<Type>| types.into_iter().map(|ty| words_of(ty, representation).len() as u32).collect();
    builder.func.runs = Runs { params: runs(entry.param_types()), results: runs(entry.result_types()) };
    for slot in &entry.slots {
        builder.func.add_slot(slot_in_words(slot, representation));
    }
    builder
}

/// The functions that only multiply two elements.
fn functions_of_products(module: &Module) -> BTreeMap<FieldId, FuncId> {
    let product = |(id, func): (FuncId, &Func)| {
        let region = func.region(func.body);
        let &[inst] = &region.insts[..] else { return None };
        let data = func.inst(inst);
        let is_product = data.op == Op::Field(FieldOp::Mul) && data.args[..] == region.params[..];
        match func.ty(*data.results.first()?) {
            Type::Field(field) if is_product && data.results[..] == region.results[..] => Some((field, id)),
            _ => None,
        }
    };
    (0..).map(FuncId).zip(&module.funcs).filter_map(product).collect()
}

/// The words of a value of this type.
pub(crate) fn words_of(ty: Type, representation: &dyn Representation) -> Vec<Type> {
    match ty {
        Type::Field(_) => {
            vec![Type::Word(representation.word_bits() as u8); of_type(representation, ty).words() as usize]
        }
        ty => vec![ty],
    }
}

/// A slot of elements as a slot of words, one word for each limb.
fn slot_in_words(slot: &SlotData, representation: &dyn Representation) -> SlotData {
    match slot.element {
        Type::Field(_) => SlotData {
            element: Type::Word(representation.word_bits() as u8),
            length: slot.length * of_type(representation, slot.element).words(),
            ..slot.clone()
        },
        _ => slot.clone(),
    }
}

/// The words or limbs of a value.
#[derive(Clone)]
enum Held {
    Element(Limbs),
    /// A word, or a bit; none where nothing is written.
    Word(Option<Value>),
}

/// A function that is walked.
struct Frame<'m> {
    id: FuncId,
    func: &'m Func,
    values: Vec<Held>,
}

impl<'m> Frame<'m> {
    fn new(module: &'m Module, id: FuncId) -> Frame<'m> {
        let func = module.func(id);
        Frame { id, func, values: vec![Held::Word(None); func.values.len()] }
    }

    fn element(&self, value: Value) -> Limbs {
        match &self.values[value.index()] {
            Held::Element(limbs) => limbs.clone(),
            Held::Word(_) => Limbs::new(),
        }
    }

    fn word(&self, value: Value) -> Option<Value> {
        match &self.values[value.index()] {
            Held::Word(word) => *word,
            Held::Element(_) => None,
        }
    }

    fn set(&mut self, value: Value, held: Held) {
        self.values[value.index()] = held;
    }
}

struct Expander<'m> {
    module: &'m Module,
    representation: &'m dyn Representation,
    plan: &'m Plan,
    inputs: &'m SlotBounds,
    machine: Machine,
    outputs: SlotBounds,
    /// Bounds of the limbs of elements in the function's own arrays.
    stored: SlotBounds,
    wrapping: Vec<Value>,
    seen: Seen,
    stages: BTreeMap<u32, Vec<Stage>>,
    memory: Option<&'m Memory>,
    /// The field of the elements at hand.
    field: FieldId,
    /// Functions of products, by field.
    products: BTreeMap<FieldId, FuncId>,
    tight: Tight,
    /// Arrays of constants of a function that is not written.
    tables: Option<(FuncId, Rc<Tables>)>,
    /// Of each array of the function at hand, whether eight elements of it stand side by side in memory.
    beside: Vec<bool>,
}

impl<'m> Expander<'m> {
    fn new(
        module: &'m Module,
        representation: &'m dyn Representation,
        plan: &'m Plan,
        inputs: &'m SlotBounds,
        builder: Option<Builder>,
    ) -> Expander<'m> {
        Expander {
            module,
            representation,
            plan,
            inputs,
            machine: Machine::new(representation.word_bits(), builder),
            outputs: SlotBounds::new(),
            stored: SlotBounds::new(),
            wrapping: Vec::new(),
            seen: Seen::new(),
            stages: BTreeMap::new(),
            memory: None,
            field: FieldId(0),
            products: functions_of_products(module),
            tight: Tight::default(),
            tables: None,
            beside: Vec::new(),
        }
    }

    fn run_whole(self, id: FuncId) -> Result<Expanded, Failure> {
        match self.run(id) {
            (expanded, None) => Ok(expanded),
            (_, Some(failure)) => Err(failure),
        }
    }

    /// Expands a function. Returns the result, and the failure if there is one, after which nothing in the result is
    /// right.
    fn run(mut self, id: FuncId) -> (Expanded, Option<Failure>) {
        if let Some((_, tables)) = &self.tables {
            self.stored.clone_from(&tables.bounds);
        }
        let mut frame = Frame::new(self.module, id);
        let is_walked = self.find_stored(id, &mut frame);
        if self.machine.builder.is_some() || !is_walked {
            frame = Frame::new(self.module, id);
            self.walk(&mut frame);
        }
        let limb_map = self.machine.builder.is_some().then(|| self.limb_map(&frame));
        let Expander { machine, outputs, mut wrapping, seen, .. } = self;
        let (wide_carries, failure) = (machine.wide_carries, machine.failure);
        let func = machine.builder.map(Builder::finish);
        wrapping.extend(machine.dropped);
        (Expanded { outputs, func, wrapping, wide_carries, seen, limb_map }, failure)
    }

    /// The words that hold each value in the function that was written.
    fn limb_map(&self, frame: &Frame<'_>) -> LimbMap {
        let ends = |range: &Interval| (range.low.clone(), range.high.clone());
        let words = |held: &Held| match held {
            Held::Element(limbs) => limbs.iter().filter_map(Number::as_word).collect(),
            Held::Word(value) => value.map(|value| Word { value, range: None, zeros: 0 }).into_iter().collect(),
        };
        let own = |slot: &u32| !matches!(frame.func.slots[*slot as usize].kind, SlotKind::Input { .. });
        let slots = self.inputs.iter().chain(self.stored.iter().chain(&self.outputs).filter(|(slot, _)| own(slot)));
        let positions = |representation: &dyn Representation| {
            (0..representation.words()).map(|index| representation.position(index)).collect()
        };
        let alone = self.representation;
        LimbMap {
            positions: positions(alone),
            positions_beside: positions(alone.side_by_side().unwrap_or(alone)),
            is_mirrored: self.representation.is_mirrored(),
            factor: self.representation.factor(),
            is_reduced: self.representation.is_reduced(),
            values: frame.values.iter().map(words).collect(),
            stages: self.stages.clone(),
            slots: slots.map(|(&slot, limbs)| (slot, limbs.iter().map(ends).collect())).collect(),
            beside: self.beside.clone(),
        }
    }

    /// What elements in arrays of the function's own may be: everything that is stored there, which may be what was loaded. Whether the
    /// last walk, whose values `frame` has, was one with these bounds.
    fn find_stored(&mut self, id: FuncId, frame: &mut Frame<'m>) -> bool {
        let func = self.module.func(id);
        let is_own = |slot: &SlotData| holds_elements(slot) && matches!(slot.kind, SlotKind::Local | SlotKind::Output);
        let loads = |inst: &culet_ir::InstData| matches!(inst.op, Op::Load { slot, .. } if is_own(func.slot(slot)));
        if !func.insts.iter().any(loads) {
            return false;
        }
        let builder = self.machine.builder.take();
        for round in 0..ROUNDS {
            *frame = Frame::new(self.module, id);
            self.walk(frame);
            if self.outputs == self.stored || self.machine.failure.is_some() {
                break;
            }
            let widen = |(&slot, limbs): (&u32, &Vec<Interval>)| {
                let representation = self.representation_of(func.slots[slot as usize].element);
                let limbs = (0..).zip(limbs).map(|(index, range)| widened(representation, index, range.clone(), round));
                (slot, limbs.collect())
            };
            self.stored = self.outputs.iter().map(widen).collect();
            if round + 1 == ROUNDS {
                self.machine.fail("the bounds of an array never settle", &Interval::point(0));
            }
        }
        self.machine.builder = builder;
        true
    }

    /// Walks a function from its parameters to its results. Tables are stored before anything else.
    fn walk(&mut self, frame: &mut Frame<'m>) {
        self.machine.wide_carries = 0;
        self.beside = beside::arrays(frame.func);
        let tables = self.tables.iter().flat_map(|(_, tables)| tables.bounds.keys());
        self.outputs = tables.filter_map(|slot| Some((*slot, self.stored.get(slot)?.clone()))).collect();
        self.enter(frame);
        self.region(frame, frame.func.body);
        if !self.machine.is_over() {
            self.leave(frame);
        }
    }

    /// The representation of the elements at hand, which depends on whether they are side by side.
    fn representation(&self) -> &'m dyn Representation {
        let alone = self.alone();
        if self.machine.lanes > 1 { alone.side_by_side().unwrap_or(alone) } else { alone }
    }

    /// The representation of one element of the field at hand.
    fn alone(&self) -> &'m dyn Representation {
        self.representation.of_field(self.field).unwrap_or(self.representation)
    }

    fn representation_of(&self, ty: Type) -> &'m dyn Representation {
        let alone = of_type(self.representation, ty);
        if ty.lanes() > 1 { alone.side_by_side().unwrap_or(alone) } else { alone }
    }

    fn region(&mut self, frame: &mut Frame<'_>, region: RegionId) {
        let func = frame.func;
        for &inst in &func.region(region).insts {
            if self.machine.is_over() {
                return;
            }
            self.inst(frame, inst);
        }
    }

    fn inst(&mut self, frame: &mut Frame<'_>, inst: Inst) {
        if matches!(&self.tables, Some((id, tables)) if *id == frame.id && tables.has(inst)) {
            return;
        }
        let func = frame.func;
        let data = func.inst(inst);
        let is_element = |value: &Value| func.ty(*value).field().is_some();
        let lanes = data.results.first().map(|&result| func.ty(result)).filter(|ty| ty.field().is_some());
        self.machine.lanes = lanes.map_or(1, |ty| ty.lanes() as u8);
        let fields = data.results.iter().chain(&data.args).filter_map(|&value| func.ty(value).field());
        self.field = fields.into_iter().next().unwrap_or(self.field);
        self.machine.has_mac52 = self.alone().has_mac52(self.machine.lanes.into());
        self.machine.has_mul32 = self.alone().has_mul32(self.machine.lanes.into());
        match &data.op {
            Op::Field(FieldOp::Unpack) => {
                self.unpack(frame, inst);
                self.keep_stages(inst);
            }
            Op::Field(op) => {
                self.machine.place = match data.results.first() {
                    Some(result) => format!("fn {}, {result} = {}", func.name, op.name()),
                    None => func.name.clone(),
                };
                let limbs = self.remembered(frame, inst, |this| {
                    let mut limbs = this.operation(frame, inst, op);
                    this.carry(Place::Result(frame.id, inst), &mut limbs);
                    this.settle(&mut limbs, has_columns(op));
                    limbs
                });
                frame.set(data.results[0], Held::Element(limbs));
                self.keep_stages(inst);
            }
            op @ (Op::Perm(_) | Op::Join | Op::Lane(_) | Op::Blend(_)) if is_element(&data.results[0]) => {
                self.arrange(frame, inst, op);
            }
            Op::Load { slot, index } if is_element(&data.results[0]) => self.load(frame, inst, *slot, index),
            Op::Store { slot, index } if is_element(&data.args[0]) => self.store(frame, inst, *slot, index),
            Op::Call(callee) => self.call(frame, inst, *callee),
            Op::Loop(l) => self.loop_(frame, inst, l),
            op => self.word_operation(frame, inst, op),
        }
    }

    /// Keeps the numbers that were noted on the way to an operation's result.
    fn keep_stages(&mut self, inst: Inst) {
        let stages = std::mem::take(&mut self.machine.stages);
        if !stages.is_empty() {
            self.stages.insert(inst.0, stages);
        }
    }

    /// Carries limbs as the plan says for a place.
    fn carry(&mut self, place: Place, limbs: &mut Limbs) {
        let Some(chain) = self.plan.chain(place) else { return };
        let before = ranges(limbs);
        self.machine.carried = match place {
            Place::Operand(_, _, index) => Some(Part::Operand(index)),
            Place::Return(..) => None,
            Place::Result(func, inst) => match &self.module.func(func).inst(inst).op {
                // A choice has no numbers on the way.
                Op::Field(op) if !matches!(op, FieldOp::Select | FieldOp::Lookup) => Some(Part::Result),
                _ => None,
            },
        };
        self.representation().carry_all(&mut self.machine, limbs, chain);
        self.seen.insert(place, (before, ranges(limbs)));
    }

    /// Narrows each limb to one word after an operation.
    fn settle(&mut self, limbs: &mut Limbs, had_columns: bool) {
        for (index, limb) in limbs.iter_mut().enumerate() {
            if had_columns {
                let place = std::mem::take(&mut self.machine.place);
                self.machine.place = format!("{place}, limb {index}");
                *limb = self.machine.narrow(limb);
                self.machine.place = place;
            }
        }
    }

    fn operand(&mut self, frame: &Frame<'_>, inst: Inst, index: u32) -> Limbs {
        let mut limbs = frame.element(frame.func.inst(inst).args[index as usize]);
        let place = Place::Operand(frame.id, inst, index);
        self.carry(place, &mut limbs);
        if self.plan.chain(place).is_some() {
            self.representation().note(&mut self.machine, Part::Operand(index), &limbs);
        }
        limbs
    }

    fn load(&mut self, frame: &mut Frame<'_>, inst: Inst, slot: Slot, index: &Index) {
        let n = self.alone().words();
        let is_input = matches!(frame.func.slot(slot).kind, SlotKind::Input { .. });
        let ranges = match is_input {
            true => self.inputs.get(&slot.0).cloned(),
            // The first time that arrays are walked, nothing is known to be stored.
            false => Some(self.stored.get(&slot.0).cloned().unwrap_or_else(|| vec![Interval::point(0); n as usize])),
        };
        let Some(ranges) = ranges else {
            return self.machine.fail(format!("slot {} has no bounds", slot.0), &Interval::point(0));
        };
        let mut limbs = Limbs::new();
        for (limb, range) in (0..n).zip(ranges) {
            let ty = self.machine.word();
            let index = limb_index(index, n, limb, self.beside[slot.index()]);
            let value = self.machine.builder.as_mut().map(|b| b.emit1(Op::Load { slot, index }, [], ty));
            limbs.push(self.machine.given(range, value));
        }
        frame.set(frame.func.inst(inst).results[0], Held::Element(limbs));
    }

    fn store(&mut self, frame: &mut Frame<'_>, inst: Inst, slot: Slot, index: &Index) {
        let n = self.alone().words();
        let limbs = frame.element(frame.func.inst(inst).args[0]);
        for (limb, number) in (0..n).zip(&limbs) {
            let index = limb_index(index, n, limb, self.beside[slot.index()]);
            let value = self.machine.value(number);
            if let (Some(builder), Some(value)) = (&mut self.machine.builder, value) {
                builder.emit(Op::Store { slot, index }, [value], &[]);
            }
        }
        let new = ranges(&limbs);
        let joined: Vec<Interval> = match self.outputs.get(&slot.0).or(self.stored.get(&slot.0)) {
            Some(old) => old.iter().zip(&new).map(|(a, b)| a.hull(b)).collect(),
            None => new,
        };
        self.outputs.insert(slot.0, joined);
    }

    /// Operations on words stay as they are.
    fn word_operation(&mut self, frame: &mut Frame<'_>, inst: Inst, op: &Op) {
        let data = frame.func.inst(inst);
        let args: Option<Vec<Value>> = data.args.iter().map(|&arg| frame.word(arg)).collect();
        let types: Vec<Type> = data.results.iter().map(|&result| frame.func.ty(result)).collect();
        let results = match (&mut self.machine.builder, args) {
            (Some(builder), Some(args)) => {
                let new = builder.emit(op.clone(), args, &types);
                let results = &builder.func.inst(new).results;
                self.wrapping.extend(results);
                results.iter().copied().map(Some).collect()
            }
            _ => vec![None; types.len()],
        };
        for (&result, value) in data.results.iter().zip(results) {
            frame.set(result, Held::Word(value));
        }
    }
}

/// The representation of one element of a type; any representation of a program, for words.
fn of_type(representation: &dyn Representation, ty: Type) -> &dyn Representation {
    ty.field().and_then(|field| representation.of_field(field)).unwrap_or(representation)
}

fn ranges(limbs: &Limbs) -> Vec<Interval> {
    limbs.iter().map(|limb| limb.range.clone()).collect()
}

/// The index of limb `limb` of an element in a slot of words. Where eight elements stand side by side, their limbs are one after another, each
/// with the words of all eight.
fn limb_index(index: &Index, limbs: u32, limb: u32, is_beside: bool) -> Index {
    let lane = if is_beside { index.constant.rem_euclid(BESIDE) } else { 0 };
    let (limbs, limb, step) = (i64::from(limbs), i64::from(limb), if is_beside { BESIDE } else { 1 });
    let constant = (index.constant - lane) * limbs + step * limb + lane;
    Index { constant, ..index.times(limbs) }
}

/// Whether the slot holds elements.
pub fn holds_elements(slot: &SlotData) -> bool {
    matches!(slot.element, Type::Field(_)) && !matches!(slot.kind, SlotKind::Constants(_))
}
