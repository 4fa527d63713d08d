//! The data structures: modules, functions, regions, instructions, values, slots.

use std::ops::Range;

use culet_types::field::Field;
use culet_types::program::{Affine, CounterId, Instruction};
use smallvec::SmallVec;

use crate::op::{Op, Type};

/// Functions, callees before callers; the last one is usually the entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// The fields that types name by their numbers.
    pub fields: Vec<Field>,
    pub funcs: Vec<Func>,
    pub entry: FuncId,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A function of a module.
    FuncId
}
id! {
    /// A field of a module.
    FieldId
}
id! {
    /// An SSA value of a function.
    Value
}
id! {
    /// An instruction of a function.
    Inst
}
id! {
    /// A straight list of instructions: a function's body or a loop's.
    RegionId
}
id! {
    /// A local array, parameter array, or table of constants.
    Slot
}

pub type Values = SmallVec<[Value; 4]>;

/// A function: pure from the values of its body region's parameters to that region's results, except for its slots.
///
/// Instructions, values and regions live in arenas and keep their numbers when they are removed from a region; an
/// instruction that no region lists does not exist.
#[derive(Debug, Clone, PartialEq)]
pub struct Func {
    pub name: String,
    /// `_inline` and `_no_inline`.
    pub inline: Option<bool>,
    /// `_no_opt`
    pub no_opt: bool,
    /// The instruction that does what the function means.
    pub instruction: Option<Instruction>,
    /// `_interleave(n)`
    pub interleave: Option<u32>,
    pub runs: Runs,
    pub slots: Vec<SlotData>,
    pub body: RegionId,
    pub values: Vec<ValueData>,
    pub insts: Vec<InstData>,
    pub regions: Vec<Region>,
    /// Number of loop counters.
    pub counters: u32,
}

/// How many parameters, one after another, are the words of one element, and how many results; 1 for a word that is no part of one. Empty if
/// that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Runs {
    pub params: Vec<u32>,
    pub results: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SlotData {
    pub name: String,
    pub kind: SlotKind,
    pub element: Type,
    pub length: u32,
    /// The group of instances that the slot belongs to; `interleave` makes more than group 0.
    pub group: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotKind {
    /// A parameter that is only read. `shared`: one value for all instances and groups.
    Input { shared: bool },
    /// A result: every element is written before the function returns, and may be read after it was written.
    Output,
    /// Memory of the function's own, undefined at entry.
    Local,
    /// Constants, one per element.
    Constants(Vec<u64>),
    /// A parameter that is only read, of bytes whose number is known when the function runs. Its `length` is 1.
    Stream,
    /// A result to which every iteration of one loop over a stream adds as many bytes as its `length`, and an
    /// [`Op::StoreTail`] fewer. From then on it is a stream, too.
    OutStream,
    /// Bytes of the function's own that joined streams have, or that are the end of a result; otherwise as
    /// [`SlotKind::Local`].
    Part,
    /// Streams, results and parts, one after another, as one stream. Its `length` is 1.
    Joined(Vec<Slot>),
}

/// The type and the origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueData {
    pub ty: Type,
    pub origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Result(Inst, u32),
    Param(RegionId, u32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct InstData {
    pub op: Op,
    pub args: Values,
    pub results: Values,
}

/// Instructions in order. For a function's body, `params` are its parameters and `results` the values that it returns.
/// For a loop's body, `params` are the carried values at the start of an iteration and `results` the carried values at
/// its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    pub params: Vec<Value>,
    pub insts: Vec<Inst>,
    pub results: Vec<Value>,
}

/// A loop. `counter` runs from `first` to `last`, both included, downwards if `first > last`; over a stream, from 0
/// until the stream ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LoopData {
    pub counter: CounterId,
    pub first: i64,
    pub last: i64,
    pub unroll: Option<bool>,
    /// Number of accumulators that the loop may be divided among, if its carried value is affine in the one before.
    pub lanes: Option<u32>,
    pub over: Option<Over>,
    pub region: RegionId,
}

/// The condition by which a stream decides the number of iterations of a loop. The loop's bounds are then
/// [`LoopData::UNBOUNDED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Over {
    /// One iteration for each whole block of `block` bytes that `which` selects. The counter is the block's number, so
    /// that byte k of the block is the stream's element `block*counter + k`.
    Whole { stream: Slot, block: u32, which: Which },
    /// One iteration if the stream ends with a part of a block that has at least `least` bytes, otherwise none.
    Rest { stream: Slot, block: u32, least: u32 },
    /// One iteration if the stream has not even one block of `block` bytes, otherwise none.
    Short { stream: Slot, block: u32 },
}

/// Some of a stream's whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Which {
    /// Number of blocks in a group. The selected blocks are those that whole groups leave over; all blocks if this is
    /// 0.
    pub beyond: u32,
    pub iterations: Iterations,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Iterations {
    #[default]
    All,
    /// The first selected block, if there is one.
    First,
    /// All but the first.
    Later,
}

impl Over {
    pub fn stream(self) -> Slot {
        match self {
            Over::Whole { stream, .. } | Over::Rest { stream, .. } | Over::Short { stream, .. } => stream,
        }
    }

    /// This condition over another stream.
    pub fn with_stream(mut self, new: Slot) -> Over {
        let (Over::Whole { stream, .. } | Over::Rest { stream, .. } | Over::Short { stream, .. }) = &mut self;
        *stream = new;
        self
    }

    pub fn block(self) -> u32 {
        match self {
            Over::Whole { block, .. } | Over::Rest { block, .. } | Over::Short { block, .. } => block,
        }
    }

    /// The values of the counter over a stream of `length` bytes.
    pub fn numbers(self, length: usize) -> Range<usize> {
        match self {
            Over::Whole { block, which: Which { beyond, iterations }, .. } => {
                let end = length / block as usize;
                let start = end.checked_rem(beyond as usize).map_or(0, |over| end - over);
                let second = end.min(start + 1);
                match iterations {
                    Iterations::All => start..end,
                    Iterations::First => start..second,
                    Iterations::Later => second..end,
                }
            }
            Over::Rest { block, least, .. } => 0..usize::from(length % block as usize >= least as usize),
            Over::Short { block, .. } => 0..usize::from(length < block as usize),
        }
    }
}

impl SlotKind {
    /// Whether the slot is something that the entry gets.
    pub fn is_given(&self) -> bool {
        matches!(self, SlotKind::Input { .. } | SlotKind::Stream)
    }

    /// Whether the slot is something that the entry gives.
    pub fn is_result(&self) -> bool {
        matches!(self, SlotKind::Output | SlotKind::OutStream)
    }

    /// Whether the slot is something that loops go over by blocks.
    pub fn is_stream(&self) -> bool {
        matches!(self, SlotKind::Stream | SlotKind::OutStream | SlotKind::Joined(_))
    }

    /// Whether the slot is memory of the function's own.
    pub fn is_own(&self) -> bool {
        matches!(self, SlotKind::Local | SlotKind::Part)
    }
}

impl LoopData {
    /// First and last value of a counter that a stream bounds.
    pub const UNBOUNDED: (i64, i64) = (0, crate::verify::LIMIT - 1);

    pub fn trip_count(&self) -> u64 {
        self.first.abs_diff(self.last) + 1
    }

    /// The counter's values in order.
    pub fn values(&self) -> impl Iterator<Item = i64> + use<> {
        let (first, step) = (self.first, if self.first <= self.last { 1 } else { -1 });
        (0..self.trip_count() as i64).map(move |k| first + k * step)
    }
}

impl Module {
    pub fn func(&self, id: FuncId) -> &Func {
        &self.funcs[id.index()]
    }

    pub fn func_mut(&mut self, id: FuncId) -> &mut Func {
        &mut self.funcs[id.index()]
    }

    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    pub fn entry(&self) -> &Func {
        self.func(self.entry)
    }
}

impl Func {
    /// A function whose body takes values of these types.
    pub fn new(name: impl Into<String>, params: &[Type]) -> Func {
        let mut func = Func {
            name: name.into(),
            inline: None,
            no_opt: false,
            instruction: None,
            interleave: None,
            runs: Runs::default(),
            slots: Vec::new(),
            body: RegionId(0),
            values: Vec::new(),
            insts: Vec::new(),
            regions: Vec::new(),
            counters: 0,
        };
        func.body = func.add_region(params);
        func
    }

    pub fn add_slot(&mut self, slot: SlotData) -> Slot {
        self.slots.push(slot);
        Slot(self.slots.len() as u32 - 1)
    }

    pub fn add_counter(&mut self) -> CounterId {
        self.counters += 1;
        CounterId(self.counters - 1)
    }

    /// An empty region with parameters of these types.
    pub fn add_region(&mut self, params: &[Type]) -> RegionId {
        let id = RegionId(self.regions.len() as u32);
        let params =
            params.iter().enumerate().map(|(i, &ty)| self.add_value(ty, Origin::Param(id, i as u32))).collect();
        self.regions.push(Region { params, ..Region::default() });
        id
    }

    /// Adds a parameter to a region.
    pub fn add_param(&mut self, region: RegionId, ty: Type) -> Value {
        let index = self.region(region).params.len() as u32;
        let value = self.add_value(ty, Origin::Param(region, index));
        self.region_mut(region).params.push(value);
        value
    }

    fn add_value(&mut self, ty: Type, origin: Origin) -> Value {
        self.values.push(ValueData { ty, origin });
        Value(self.values.len() as u32 - 1)
    }

    /// An instruction that is in no region yet, with results of these types.
    pub fn create(&mut self, op: Op, args: impl IntoIterator<Item = Value>, results: &[Type]) -> Inst {
        let inst = Inst(self.insts.len() as u32);
        let results =
            results.iter().enumerate().map(|(i, &ty)| self.add_value(ty, Origin::Result(inst, i as u32))).collect();
        self.insts.push(InstData { op, args: args.into_iter().collect(), results });
        inst
    }

    /// Adds an instruction at the end of a region.
    pub fn append(
        &mut self,
        region: RegionId,
        op: Op,
        args: impl IntoIterator<Item = Value>,
        results: &[Type],
    ) -> Inst {
        let inst = self.create(op, args, results);
        self.region_mut(region).insts.push(inst);
        inst
    }

    /// Adds an instruction with one result at the end of a region.
    pub fn append1(&mut self, region: RegionId, op: Op, args: impl IntoIterator<Item = Value>, result: Type) -> Value {
        let inst = self.append(region, op, args, &[result]);
        self.result(inst)
    }

    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.index()]
    }

    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst.index()]
    }

    pub fn region(&self, region: RegionId) -> &Region {
        &self.regions[region.index()]
    }

    pub fn region_mut(&mut self, region: RegionId) -> &mut Region {
        &mut self.regions[region.index()]
    }

    pub fn slot(&self, slot: Slot) -> &SlotData {
        &self.slots[slot.index()]
    }

    pub fn value(&self, value: Value) -> &ValueData {
        &self.values[value.index()]
    }

    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// The constant that an iteration of a loop adds to a carried value, from what the loop hands on; none if it does something else.
    pub fn step(&self, param: Value, next: Value) -> Option<u64> {
        if next == param {
            return Some(0);
        }
        let Origin::Result(inst, _) = self.value(next).origin else { return None };
        let data = self.inst(inst);
        let constant = |value: Value| {
            let Origin::Result(inst, _) = self.value(value).origin else { return None };
            match &self.inst(inst).op {
                Op::Const(words) => words.first().copied(),
                _ => None,
            }
        };
        match (&data.op, &data.args[..]) {
            (Op::Add, &[a, b]) if a == param => constant(b),
            (Op::Add, &[a, b]) if b == param => constant(a),
            (Op::Sub, &[a, b]) if a == param => {
                let bits = self.ty(param).bits();
                constant(b).map(|words| words.wrapping_neg() & (u64::MAX >> (64 - bits)))
            }
            _ => None,
        }
    }

    /// The single result of an instruction that has one.
    pub fn result(&self, inst: Inst) -> Value {
        self.inst(inst).results[0]
    }

    pub fn param_types(&self) -> Vec<Type> {
        self.region(self.body).params.iter().map(|&v| self.ty(v)).collect()
    }

    pub fn result_types(&self) -> Vec<Type> {
        self.region(self.body).results.iter().map(|&v| self.ty(v)).collect()
    }
}

/// A position in a slot: affine in the counters of the enclosing loops.
pub type Index = Affine;
