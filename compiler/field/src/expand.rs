//! Operations on elements become operations on words, as a plan says where carries go.
//!
//! One walk does two things. Without a builder it keeps the bounds of all limbs: so a plan is tried, and so loops find the
//! bounds that they keep. With one it writes the function on words, too.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use culet_ir::rewrite::Builder;
use culet_ir::{
    FieldOp, Func, FuncId, Holding, Index, Inst, LoopData, Module, Op, Part, RegionId, Slot, SlotData, SlotKind, Stage,
    Type, Value, Word,
};
use num_bigint::BigInt;

use crate::explain::Seen;
use crate::form::Form;
use crate::interval::Interval;
use crate::machine::{Failure, Machine, Number};
use crate::plan::{Place, Plan};

use crate::unsaturated::{Limbs, Product, has_columns};

mod lanes;

/// Rounds after which a loop's bounds widen to powers of two, and the most that are made.
const ROUNDS_BEFORE_WIDENING: u32 = 3;
const ROUNDS: u32 = 80;

/// What limbs of elements in slots may be, by the slot's number.
pub type SlotBounds = BTreeMap<u32, Vec<Interval>>;

/// A function in words, if it was asked for, and what the limbs of its outputs may be.
pub struct Expanded {
    pub outputs: SlotBounds,
    pub module: Option<Module>,
    /// Sums and products of the program's own words, and carries that are dropped: these are meant modulo a word.
    pub wrapping: Vec<Value>,
    /// Carries that take two words.
    pub wide_carries: u32,
    /// What limbs were before and after the carries of each place.
    pub seen: Seen,
    /// Which words hold what, where a function in words was asked for.
    pub holding: Option<Holding>,
}

/// Expands a function of a module in which all elements are of one field. `inputs` bounds the limbs of elements in input slots.
///
/// # Errors
///
/// The first result that its words cannot hold.
pub fn expand(
    module: &Module,
    entry: FuncId,
    representation: &dyn Form,
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
/// Likewise.
pub fn attempt(
    module: &Module,
    entry: FuncId,
    representation: &dyn Form,
    plan: &Plan,
    inputs: &SlotBounds,
    memory: &Memory,
) -> Result<Expanded, Failure> {
    let mut expander = Expander::new(module, representation, plan, inputs, None);
    expander.memory = Some(memory);
    expander.run_whole(entry)
}

/// What products of limbs with given bounds come to, by the lanes of the operands. Plans that differ in few carries have most of them in common.
#[derive(Default)]
pub struct Memory {
    products: RefCell<HashMap<Sum, (Limbs, u32)>>,
}

/// A sum of products, by the lanes of its operands.
type Sum = (u8, Vec<Factors>);

/// A product: its sign, the bounds of its factors' limbs, of one factor if it is a square.
type Factors = (bool, Vec<Interval>, Option<Vec<Interval>>);

/// As [`expand`], also where words cannot hold what a plan asks for: then the function is wrong, and [`crate::check`] is to say so.
pub fn expand_unchecked(
    module: &Module,
    entry: FuncId,
    representation: &dyn Form,
    plan: &Plan,
    inputs: &SlotBounds,
) -> Option<Module> {
    let builder = in_words(module.func(entry), representation);
    let mut expander = Expander::new(module, representation, plan, inputs, Some(builder));
    expander.machine.keeps_going = true;
    expander.run(entry).0.module
}

/// A builder of the function whose slots of elements are slots of words.
fn in_words(entry: &Func, representation: &dyn Form) -> Builder {
    let mut builder = Builder::like(entry);
    for slot in &entry.slots {
        builder.func.add_slot(slot_in_words(slot, representation));
    }
    builder
}

/// A slot of elements is one of as many words as they have limbs.
fn slot_in_words(slot: &SlotData, representation: &dyn Form) -> SlotData {
    match slot.element {
        Type::Field(_) => SlotData {
            element: Type::Word(representation.word_bits() as u8),
            length: slot.length * representation.words(),
            ..slot.clone()
        },
        _ => slot.clone(),
    }
}

/// What stands for a value.
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
    representation: &'m dyn Form,
    plan: &'m Plan,
    inputs: &'m SlotBounds,
    machine: Machine,
    outputs: SlotBounds,
    /// What limbs of elements in the function's own arrays may be.
    stored: SlotBounds,
    wrapping: Vec<Value>,
    seen: Seen,
    stages: BTreeMap<u32, Vec<Stage>>,
    memory: Option<&'m Memory>,
}

impl<'m> Expander<'m> {
    fn new(
        module: &'m Module,
        representation: &'m dyn Form,
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
        }
    }

    fn run_whole(self, id: FuncId) -> Result<Expanded, Failure> {
        match self.run(id) {
            (expanded, None) => Ok(expanded),
            (_, Some(failure)) => Err(failure),
        }
    }

    /// What came of it, and what failed, after which nothing is right.
    fn run(mut self, id: FuncId) -> (Expanded, Option<Failure>) {
        self.find_stored(id);
        let mut frame = Frame::new(self.module, id);
        self.region(&mut frame, self.module.func(id).body);
        let holding = self.machine.builder.is_some().then(|| self.holding(&frame));
        let Expander { machine, outputs, mut wrapping, seen, .. } = self;
        let (wide_carries, failure) = (machine.wide_carries, machine.failure);
        let module = machine.builder.map(|builder| Module {
            fields: Vec::new(),
            funcs: vec![builder.finish()],
            entry: FuncId(0),
        });
        wrapping.extend(machine.dropped);
        (Expanded { outputs, module, wrapping, wide_carries, seen, holding }, failure)
    }

    /// Which words hold what in the function that was written.
    fn holding(&self, frame: &Frame<'_>) -> Holding {
        let ends = |range: &Interval| (range.low.clone(), range.high.clone());
        let word = |value: Option<Value>, range| value.map(|value| Word { value, range });
        let words = |held: &Held| match held {
            Held::Element(limbs) => {
                limbs.iter().filter_map(|limb| word(limb.word(), Some(ends(&limb.range)))).collect()
            }
            Held::Word(value) => word(*value, None).into_iter().collect(),
        };
        let own = |slot: &u32| !matches!(frame.func.slots[*slot as usize].kind, SlotKind::Input { .. });
        let slots = self.inputs.iter().chain(self.stored.iter().chain(&self.outputs).filter(|(slot, _)| own(slot)));
        let positions = |form: &dyn Form| (0..form.words()).map(|index| form.position(index)).collect();
        let alone = self.representation;
        Holding {
            positions: positions(alone),
            positions_beside: positions(alone.side_by_side().unwrap_or(alone)),
            factor: self.representation.factor(),
            is_reduced: self.representation.is_reduced(),
            values: frame.values.iter().map(words).collect(),
            stages: self.stages.clone(),
            slots: slots.map(|(&slot, limbs)| (slot, limbs.iter().map(ends).collect())).collect(),
        }
    }

    /// What elements in arrays of the function's own may be: everything that is stored there, which may be what was loaded.
    fn find_stored(&mut self, id: FuncId) {
        let func = self.module.func(id);
        let is_own = |slot: &SlotData| holds_elements(slot) && matches!(slot.kind, SlotKind::Local | SlotKind::Output);
        let loads = |inst: &culet_ir::InstData| matches!(inst.op, Op::Load { slot, .. } if is_own(func.slot(slot)));
        if !func.insts.iter().any(loads) {
            return;
        }
        let builder = self.machine.builder.take();
        for round in 0..ROUNDS {
            let mut frame = Frame::new(self.module, id);
            self.region(&mut frame, func.body);
            let found = std::mem::take(&mut self.outputs);
            if found == self.stored || self.machine.failure.is_some() {
                break;
            }
            let widen = |range: &Interval| if round < ROUNDS_BEFORE_WIDENING { range.clone() } else { range.widened() };
            self.stored = found.iter().map(|(&slot, limbs)| (slot, limbs.iter().map(widen).collect())).collect();
            if round + 1 == ROUNDS {
                self.machine.fail("the bounds of an array never settle", &Interval::point(0));
            }
        }
        self.machine.wide_carries = 0;
        self.machine.builder = builder;
    }

    /// How the elements at hand are held, which are side by side or not.
    fn form(&self) -> &'m dyn Form {
        let alone = self.representation;
        if self.machine.lanes > 1 { alone.side_by_side().unwrap_or(alone) } else { alone }
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
        let func = frame.func;
        let data = func.inst(inst);
        let is_element = |value: &Value| func.ty(*value).field().is_some();
        let lanes = data.results.first().map(|&result| func.ty(result)).filter(|ty| ty.field().is_some());
        self.machine.lanes = lanes.map_or(1, |ty| ty.lanes() as u8);
        self.machine.has_mac52 = self.representation.has_mac52(self.machine.lanes.into());
        self.machine.has_mul32 = self.machine.lanes > 1 && self.representation.side_by_side().is_some();
        match &data.op {
            Op::Field(FieldOp::Unpack) => {
                self.unpack(frame, inst);
                self.keep_stages(inst, &FieldOp::Unpack);
            }
            Op::Field(op) => {
                self.machine.place = match data.results.first() {
                    Some(result) => format!("fn {}, {result} = {}", func.name, op.name()),
                    None => func.name.clone(),
                };
                let mut limbs = self.operation(frame, inst, op);
                self.carry(Place::Result(frame.id, inst), &mut limbs);
                self.settle(&mut limbs, has_columns(op));
                frame.set(data.results[0], Held::Element(limbs));
                self.keep_stages(inst, op);
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

    /// Keeps what was noted on the way to an operation's result. A result of one product is that of the operation where
    /// there is one product.
    fn keep_stages(&mut self, inst: Inst, op: &FieldOp) {
        let mut stages = std::mem::take(&mut self.machine.stages);
        let results = stages.iter().filter(|stage| stage.part == Part::Result).count();
        if results > 1 || matches!(op, FieldOp::Sop(_)) {
            stages.retain(|stage| stage.part != Part::Result);
        }
        if !stages.is_empty() {
            self.stages.insert(inst.0, stages);
        }
    }

    /// Carries what the plan says of a place.
    fn carry(&mut self, place: Place, limbs: &mut Limbs) {
        let Some(chain) = self.plan.chain(place) else { return };
        let before = ranges(limbs);
        self.form().carry_all(&mut self.machine, limbs, chain);
        self.seen.insert(place, (before, ranges(limbs)));
    }

    /// After an operation, each limb is one word.
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
            let form = self.form();
            let positions = (0..).map(|index| form.position(index));
            let words: Vec<(&Number, u32)> = limbs.iter().zip(positions).collect();
            self.machine.note(Part::Operand(index), &words, None);
        }
        limbs
    }

    fn operation(&mut self, frame: &Frame<'_>, inst: Inst, op: &FieldOp) -> Limbs {
        let representation = self.form();
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

    /// Where nothing is written, what is known of the same product is taken from memory.
    fn sum_of_products(&mut self, products: &[Product<'_>]) -> Limbs {
        let Some(memory) = self.memory.filter(|_| self.machine.failure.is_none()) else {
            return self.form().products(&mut self.machine, products);
        };
        let factors = |product: &Product<'_>| {
            let b = (!std::ptr::eq(product.a, product.b)).then(|| ranges(product.b));
            (product.is_negative, ranges(product.a), b)
        };
        let key: Sum = (self.machine.lanes, products.iter().map(factors).collect());
        if let Some((columns, wide_carries)) = memory.products.borrow().get(&key) {
            self.machine.wide_carries += wide_carries;
            return columns.clone();
        }
        let before = self.machine.wide_carries;
        let columns = self.form().products(&mut self.machine, products);
        if self.machine.failure.is_none() {
            let known = (columns.clone(), self.machine.wide_carries - before);
            memory.products.borrow_mut().insert(key, known);
        }
        columns
    }

    /// A choice by each bit of the index, the lowest first.
    fn lookup(&mut self, frame: &Frame<'_>, inst: Inst) -> Limbs {
        let data = frame.func.inst(inst);
        let bits = frame.func.ty(data.args[0]).bits();
        let index = frame.word(data.args[0]);
        let zero = self.representation.constant(&mut self.machine, &BigInt::ZERO);
        let mut entries: Vec<Limbs> = data.args[1..].iter().map(|&entry| frame.element(entry)).collect();
        for bit in 0..bits {
            let condition = self.bit_of(index, bits, bit);
            let mut halves = Vec::new();
            for pair in entries.chunks(2) {
                let then = pair.get(1).unwrap_or(&zero);
                halves.push(self.representation.select(&mut self.machine, condition, then, &pair[0]));
            }
            entries = halves;
        }
        entries.swap_remove(0)
    }

    /// A bit of a word.
    fn bit_of(&mut self, word: Option<Value>, bits: u32, bit: u32) -> Option<Value> {
        let (builder, word) = (self.machine.builder.as_mut()?, word?);
        if bits == 1 {
            return Some(word);
        }
        Some(builder.emit1(Op::Extract(bit as u8), [word], culet_ir::W1))
    }

    /// Limbs out of words, which are put together to full ones before.
    fn pack(&mut self, frame: &Frame<'_>, inst: Inst) -> Limbs {
        let data = frame.func.inst(inst);
        let bits = frame.func.ty(data.args[0]).bits();
        let parts: Vec<Option<Value>> = data.args.iter().map(|&arg| frame.word(arg)).collect();
        let count = self.parts_of_word(bits);
        let words: Vec<Number> =
            parts.chunks(count as usize).map(|parts| self.machine.join_words(parts, bits)).collect();
        self.representation.pack(&mut self.machine, &words, bits * count)
    }

    /// How many words of so many bits are put together to a full one.
    fn parts_of_word(&self, bits: u32) -> u32 {
        let mut count = 1;
        while bits * count * 2 <= self.machine.bits {
            count *= 2;
        }
        count
    }

    fn unpack(&mut self, frame: &mut Frame<'_>, inst: Inst) {
        let data = frame.func.inst(inst);
        self.machine.place = format!("fn {}, {} = funpack", frame.func.name, data.results[0]);
        let limbs = self.operand(frame, inst, 0);
        let bits = frame.func.ty(data.results[0]).bits();
        let whole = self.machine.bits / bits * bits;
        let total = bits * data.results.len() as u32;
        let words = self.representation.unpack(&mut self.machine, &limbs, whole, total.div_ceil(whole) as usize);
        for (index, &result) in (0..).zip(&data.results) {
            let from = index * bits;
            let word = self.machine.value(&words[(from / whole) as usize]);
            let part = self.machine.part(word, from % whole, bits);
            frame.set(result, Held::Word(part));
        }
    }

    fn load(&mut self, frame: &mut Frame<'_>, inst: Inst, slot: Slot, index: &Index) {
        let n = self.representation.words();
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
            let index = limb_index(index, n, limb);
            let value = self.machine.builder.as_mut().map(|b| b.emit1(Op::Load { slot, index }, [], ty));
            limbs.push(self.machine.given(range, value));
        }
        frame.set(frame.func.inst(inst).results[0], Held::Element(limbs));
    }

    fn store(&mut self, frame: &mut Frame<'_>, inst: Inst, slot: Slot, index: &Index) {
        let n = self.representation.words();
        let limbs = frame.element(frame.func.inst(inst).args[0]);
        for (limb, number) in (0..n).zip(&limbs) {
            let index = limb_index(index, n, limb);
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

    /// Callees become part of their caller.
    fn call(&mut self, frame: &mut Frame<'_>, inst: Inst, callee: FuncId) {
        let data = frame.func.inst(inst);
        let mut inner = Frame::new(self.module, callee);
        if inner.func.counters > 0 || !inner.func.slots.is_empty() {
            self.machine.fail("a call of a function with loops or arrays is to be inlined before", &Interval::point(0));
        }
        let body = inner.func.region(inner.func.body);
        for (&param, &arg) in body.params.iter().zip(&data.args) {
            inner.set(param, frame.values[arg.index()].clone());
        }
        let region = inner.func.body;
        self.region(&mut inner, region);
        for (&result, &value) in data.results.iter().zip(&body.results) {
            frame.set(result, inner.values[value.index()].clone());
        }
    }

    fn loop_(&mut self, frame: &mut Frame<'_>, inst: Inst, l: &LoopData) {
        let data = frame.func.inst(inst);
        let region = frame.func.region(l.region);
        let inits: Vec<Held> = data.args.iter().map(|arg| frame.values[arg.index()].clone()).collect();
        let carried = self.fixpoint(frame, l, &inits);
        if self.machine.is_over() {
            return;
        }
        let around = self.begin_loop(frame, l, &inits, &carried);
        self.region(frame, l.region);
        let next: Vec<Held> = region.results.iter().map(|result| frame.values[result.index()].clone()).collect();
        self.end_loop(frame, inst, around, &next, &carried);
    }

    /// What limbs of carried values may be in any turn.
    fn fixpoint(&mut self, frame: &mut Frame<'_>, l: &LoopData, inits: &[Held]) -> Vec<Held> {
        let builder = self.machine.builder.take();
        let region = frame.func.region(l.region);
        let mut carried: Vec<Held> = inits.iter().map(|held| self.unwritten(held)).collect();
        for round in 0..ROUNDS {
            for (&param, held) in region.params.iter().zip(&carried) {
                frame.set(param, held.clone());
            }
            self.region(frame, l.region);
            let next: Vec<Held> = region.results.iter().map(|result| frame.values[result.index()].clone()).collect();
            let joined: Vec<Held> = carried
                .iter()
                .zip(&next)
                .map(|(old, new)| self.joined(old, new, round >= ROUNDS_BEFORE_WIDENING))
                .collect();
            let is_stable = carried.iter().zip(&joined).all(|(old, new)| same_bounds(old, new));
            carried = joined;
            if is_stable || self.machine.failure.is_some() {
                break;
            }
            if round + 1 == ROUNDS {
                self.machine.fail("the bounds of a loop never settle", &Interval::point(0));
            }
        }
        self.machine.builder = builder;
        carried
    }

    fn unwritten(&self, held: &Held) -> Held {
        match held {
            Held::Element(limbs) => {
                Held::Element(limbs.iter().map(|limb| self.machine.given(limb.range.clone(), None)).collect())
            }
            Held::Word(_) => Held::Word(None),
        }
    }

    fn joined(&self, old: &Held, new: &Held, widen: bool) -> Held {
        let (Held::Element(old), Held::Element(new)) = (old, new) else { return Held::Word(None) };
        let join = |(old, new): (&Number, &Number)| {
            let hull = old.range.hull(&new.range);
            let grows = hull != old.range;
            self.machine.given(if grows && widen { hull.widened() } else { hull }, None)
        };
        Held::Element(old.iter().zip(new).map(join).collect())
    }

    fn begin_loop(
        &mut self,
        frame: &mut Frame<'_>,
        l: &LoopData,
        inits: &[Held],
        carried: &[Held],
    ) -> Option<(Inst, RegionId)> {
        let params = &frame.func.region(l.region).params;
        let words: Option<Vec<Value>> = self.flat(inits).into_iter().collect();
        let begun = match (&mut self.machine.builder, words) {
            (Some(builder), Some(words)) => Some(builder.begin_loop(l, &words)),
            _ => None,
        };
        let mut written = match (&begun, &self.machine.builder) {
            (Some(_), Some(builder)) => builder.func.region(builder.region).params.clone(),
            _ => Vec::new(),
        }
        .into_iter();
        for (&param, held) in params.iter().zip(carried) {
            let held = match held {
                Held::Element(limbs) => Held::Element(
                    limbs.iter().map(|limb| self.machine.given(limb.range.clone(), written.next())).collect(),
                ),
                Held::Word(_) => Held::Word(written.next()),
            };
            frame.set(param, held);
        }
        begun
    }

    fn end_loop(
        &mut self,
        frame: &mut Frame<'_>,
        inst: Inst,
        begun: Option<(Inst, RegionId)>,
        next: &[Held],
        carried: &[Held],
    ) {
        let words: Option<Vec<Value>> = self.flat(next).into_iter().collect();
        let mut written = Vec::new().into_iter();
        if let (Some(builder), Some((new, around)), Some(words)) = (&mut self.machine.builder, begun, words) {
            builder.end_loop(around, words);
            let results: Vec<Value> = builder.func.inst(new).results.iter().copied().collect();
            written = results.into_iter();
        }
        for (&result, held) in frame.func.inst(inst).results.iter().zip(carried) {
            let held = match held {
                Held::Element(limbs) => Held::Element(
                    limbs.iter().map(|limb| self.machine.given(limb.range.clone(), written.next())).collect(),
                ),
                Held::Word(_) => Held::Word(written.next()),
            };
            frame.set(result, held);
        }
    }

    /// The words of values in a row.
    fn flat(&mut self, held: &[Held]) -> Vec<Option<Value>> {
        let mut words = Vec::new();
        for held in held {
            match held {
                Held::Element(limbs) => words.extend(limbs.iter().map(|limb| self.machine.value(limb))),
                Held::Word(word) => words.push(*word),
            }
        }
        words
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

fn ranges(limbs: &Limbs) -> Vec<Interval> {
    limbs.iter().map(|limb| limb.range.clone()).collect()
}

fn same_bounds(a: &Held, b: &Held) -> bool {
    match (a, b) {
        (Held::Element(a), Held::Element(b)) => a.iter().zip(b).all(|(a, b)| a.range == b.range),
        _ => true,
    }
}

/// Where limb `limb` of an element lies in a slot of words.
fn limb_index(index: &Index, limbs: u32, limb: u32) -> Index {
    let scale = i64::from(limbs);
    Index {
        constant: index.constant * scale + i64::from(limb),
        terms: index.terms.iter().map(|&(counter, factor)| (counter, factor * scale)).collect(),
    }
}

/// Whether the slot holds elements.
pub fn holds_elements(slot: &SlotData) -> bool {
    matches!(slot.element, Type::Field(_)) && !matches!(slot.kind, SlotKind::Constants(_))
}
