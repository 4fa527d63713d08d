//! The instructions of a function as statements and expressions.

use std::collections::HashMap;

use culet_ir::{
    Affine, Func, FuncId, Inst, InstData, LoopData, Op, Origin, RegionId, Slot, SlotData, SlotKind, Type, Value,
};

use super::Unwritable;
use super::calls::{Callee, Framed};
use super::copies::rolled;
use super::fours::in_fours;
use super::graph::{Carried, Graph, Kind, Loop, NodeId, Place, Shape, Statement, StoreTail, Tail, Ty, Variable};
use super::homes::Homes;
use super::late::read_late;
use super::pairs::Pairs;
use super::rounds::{Registers, Row};
use super::runs::{Run, Written};
use super::uses::Uses;
use super::words::{Integers, Operand, Words};

/// A function as statements.
pub(crate) struct Built {
    pub graph: Graph,
    pub body: Vec<Statement>,
    /// Number of words of the function's own runs.
    pub memory: u32,
}

/// # Errors
///
/// A value or an operation that is not one of words of one instance.
pub(crate) fn build(framed: &Framed, integers: Integers) -> Result<Built, Unwritable> {
    let func = &framed.func;
    let body = func.region(func.body);
    if framed.border.is_none() && (!body.params.is_empty() || !body.results.is_empty()) {
        return Err(Unwritable(format!("`{}` takes or gives values beside its slots", func.name)));
    }
    for slot in &func.slots {
        word_bits(slot.element)?;
        if integers.has_lanes {
            fits_lanes(slot)?;
        }
    }
    let mut builder = Builder {
        framed,
        func,
        integers,
        uses: Uses::of(func),
        graph: Graph::default(),
        values: vec![None; func.values.len()],
        parts: vec![None; func.values.len()],
        runs: HashMap::new(),
        read_words: HashMap::new(),
        rows: HashMap::new(),
        written: None,
        pairs: Pairs::default(),
        registers: Registers::default(),
        tables: HashMap::new(),
        row: None,
        read: None,
        sums: Vec::new(),
        variables: 0,
        tails: 0,
        homes: Homes::new(framed),
    };
    builder.enter()?;
    builder.region(func.body)?;
    builder.leave()?;
    let body = builder.graph.leave();
    let built = Built { graph: builder.graph, body, memory: builder.homes.length };
    let has_fours = integers.has_fours && !framed.rounds.is_empty() && framed.callees.is_empty();
    let has_copies = integers.has_runs && (framed.border.is_some() || !framed.callees.is_empty());
    let built = match (has_fours, has_copies) {
        (true, _) => in_fours(func, built),
        (_, true) => rolled(framed, built),
        _ => built,
    };
    Ok(read_late(func, built))
}

/// Bits of a word's type.
fn word_bits(ty: Type) -> Result<u32, Unwritable> {
    match ty {
        Type::Word(bits) => Ok(u32::from(bits)),
        Type::Vector { .. } => Err(Unwritable("a vector is no word of one instance".to_owned())),
        Type::Field(_) | Type::Elements { .. } => Err(Unwritable("an element of a field has no words yet".to_owned())),
    }
}

/// Whether a slot's elements can be those of several instances: bytes, words as lanes have them, or bits.
fn fits_lanes(slot: &SlotData) -> Result<(), Unwritable> {
    match slot.kind {
        SlotKind::Stream | SlotKind::OutStream | SlotKind::Part | SlotKind::Joined(_) => {
            Err(Unwritable("streams of several instances have different lengths".to_owned()))
        }
        SlotKind::Input { .. } | SlotKind::Output if !matches!(slot.element, Type::Word(1 | 8 | 64)) => {
            Err(Unwritable(format!("the elements of `{}` are neither bytes nor words of 64 bits", slot.name)))
        }
        _ => Ok(()),
    }
}

/// Whether a slot is a by-value parameter instead of an array: one bit, shared by all instances if there are several.
pub(crate) fn is_by_value(slot: &SlotData, integers: Integers) -> bool {
    let is_for_all = !integers.has_lanes || slot.kind == SlotKind::Input { shared: true };
    matches!(slot.kind, SlotKind::Input { .. }) && is_for_all && slot.element == culet_ir::W1 && slot.length == 1
}

pub(super) struct Builder<'f> {
    pub(super) framed: &'f Framed,
    pub(super) func: &'f Func,
    pub(super) integers: Integers,
    pub(super) uses: Uses,
    pub(super) graph: Graph,
    /// Expressions of values that are no parts of pairs.
    values: Vec<Option<NodeId>>,
    /// For values that are consecutive bits of another value: that value, and the lowest bit.
    pub(super) parts: Vec<Option<(Value, u8)>>,
    /// For values that are consecutive bytes: where and how they are read.
    pub(super) runs: HashMap<Value, Run>,
    /// Words that are read from arrays of words, to which nothing was stored since.
    pub(super) read_words: HashMap<Value, Place>,
    /// Registers that are read from memory.
    pub(super) rows: HashMap<(Place, Shape), NodeId>,
    /// The last write, if a word may begin with it.
    pub(super) written: Option<Written>,
    pub(super) pairs: Pairs,
    pub(super) registers: Registers,
    /// Elements that were read of tables.
    pub(super) tables: HashMap<Value, Place>,
    /// The last bytes that were written, if they may be a register's.
    pub(super) row: Option<Row>,
    /// The last bytes that were read.
    pub(super) read: Option<Row>,
    /// The last sums, if they may be a register's.
    pub(super) sums: Vec<Value>,
    pub(super) homes: Homes,
    variables: u32,
    /// Arrays for the ends of streams: slots that the function does not have.
    tails: u32,
}

impl Builder<'_> {
    pub(super) fn bits(&self, value: Value) -> u32 {
        self.func.ty(value).bits()
    }

    pub(super) fn set(&mut self, value: Value, node: NodeId) {
        self.values[value.index()] = Some(node);
    }

    pub(super) fn known(&self, value: Value) -> Option<NodeId> {
        self.values[value.index()]
    }

    /// The constant word of a value, if the value is a constant.
    pub(super) fn constant(&self, value: Value) -> Option<u64> {
        let Origin::Result(inst, _) = self.func.value(value).origin else { return None };
        match &self.func.inst(inst).op {
            Op::Const(words) => words.first().copied(),
            _ => None,
        }
    }

    /// The expression of a value, perhaps with ones above its bits.
    pub(super) fn word(&mut self, value: Value) -> Result<NodeId, Unwritable> {
        if self.func.ty(value).lanes() > 1 {
            return self.lanes(value);
        }
        let ty = self.integers.holding(word_bits(self.func.ty(value))?);
        if let Some(constant) = self.constant(value) {
            return Ok(self.graph.literal(u128::from(constant), ty));
        }
        if let Some(known) = self.known(value).or_else(|| self.home(value)) {
            return Ok(known);
        }
        let part = self.piece(value).or_else(|| self.part_of_pair(value));
        part.ok_or_else(|| Unwritable(format!("{value} has no expression")))
    }

    /// The expression of words side by side, as many as a register has lanes.
    fn lanes(&mut self, value: Value) -> Result<NodeId, Unwritable> {
        let ty = self.func.ty(value);
        let Some(register) = self.integers.vector(ty) else {
            return Err(Unwritable(format!("{ty} is no register")));
        };
        if let Origin::Result(inst, _) = self.func.value(value).origin
            && let Op::Const(words) = &self.func.inst(inst).op
        {
            return Ok(match words.iter().all(|word| *word == words[0]) {
                true => self.graph.literal(words[0].into(), register),
                false => self.graph.operation(Kind::Words(words.clone()), &[], register),
            });
        }
        self.known(value).ok_or_else(|| Unwritable(format!("{value} has no expression")))
    }

    /// The expression of a value without ones above its bits.
    pub(super) fn clean(&mut self, value: Value) -> Result<NodeId, Unwritable> {
        let (node, bits) = (self.word(value)?, self.bits(value));
        Ok(self.graph.low(node, bits))
    }

    fn region(&mut self, region: RegionId) -> Result<(), Unwritable> {
        let func = self.func;
        for &inst in &func.region(region).insts {
            self.begin(inst);
            self.inst(inst, func.inst(inst))?;
            self.end(inst);
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst, data: &InstData) -> Result<(), Unwritable> {
        match &data.op {
            Op::Const(_) => {}
            Op::Load { slot, index } => {
                let place = Place { slot: *slot, index: index.clone() };
                // The memory that is read may be memory that was written.
                (self.written, self.row) = (None, None);
                if self.is_in_runs(*slot) {
                    self.runs.insert(data.results[0], Run::of_byte(place.clone()));
                    self.read_in_row(&place, data.results[0]);
                }
                if matches!(self.func.slot(*slot).kind, SlotKind::Constants(_)) {
                    self.tables.insert(data.results[0], place.clone());
                }
                if self.element(*slot) == 64 && self.integers.register_bits > 0 {
                    self.read_words.insert(data.results[0], place.clone());
                }
                self.read_settled(&place, data.results[0]);
                let node = self.load(place);
                self.set(data.results[0], node);
            }
            Op::Store { slot, index } => self.store(Place { slot: *slot, index: index.clone() }, data.args[0])?,
            Op::Loop(l) => self.loop_(l, data)?,
            Op::Length { stream } => {
                let node = self.graph.variable(Variable::Length(*stream), self.integers.holding(64), 64);
                self.set(data.results[0], node);
            }
            Op::Tail { stream, block, pad } => self.tail(*stream, *block, *pad, data),
            &Op::StoreTail { slot, from, stream, block } => {
                self.wrote_end();
                self.graph.statements.push(Statement::StoreTail(StoreTail { to: slot, from, stream, block }));
            }
            Op::Call(callee) => match self.framed.rounds.get(callee) {
                Some(&instruction) => self.round(instruction, data)?,
                None => self.call(*callee, data)?,
            },
            Op::Join if self.joined_halves(data) || self.joined_words(data) => {}
            op if self.with_pairs(inst, data)? => debug_assert!(op.is_pure()),
            Op::Concat if self.joined_run(data) => {}
            Op::Concat if self.is_part(data) => {
                let part = self.parts[data.args[1].index()];
                let (whole, low) = part.ok_or_else(|| Unwritable("a part of nothing".to_owned()))?;
                self.parts[data.results[0].index()] = part;
                self.apply(&Op::Extract(low), &[whole], &data.results)?;
            }
            op => self.operation(op, data)?,
        }
        self.summed_in_row(data)
    }

    fn operation(&mut self, op: &Op, data: &InstData) -> Result<(), Unwritable> {
        if let Op::Extract(low) = op {
            self.parts[data.results[0].index()] = Some((data.args[0], *low));
        }
        self.apply(op, &data.args, &data.results)
    }

    /// Whether the parts that are put together are adjacent in one word.
    fn is_part(&self, data: &InstData) -> bool {
        let [high, low] = [0, 1].map(|index| self.parts[data.args[index].index()]);
        high.zip(low)
            .is_some_and(|((a, high), (b, low))| a == b && u32::from(high) == u32::from(low) + self.bits(data.args[1]))
    }

    fn apply(&mut self, op: &Op, args: &[Value], results: &[Value]) -> Result<(), Unwritable> {
        let mut operands = Vec::with_capacity(args.len());
        for &arg in args {
            operands.push(Operand { node: self.word(arg)?, bits: self.bits(arg) });
        }
        let bits = self.bits(results[0]);
        let register = self.integers.vector(self.func.ty(results[0]));
        let mut words = Words { graph: &mut self.graph, integers: self.integers };
        let nodes = match (op, register) {
            (Op::Join, Some(register)) => Some(vec![words.join(&operands, register)]),
            _ => words.operation(op, bits, &operands),
        };
        let nodes = nodes.ok_or_else(|| Unwritable(format!("`{}` has no form on words", op.name())))?;
        for (&result, node) in results.iter().zip(nodes) {
            self.set(result, node);
        }
        Ok(())
    }

    fn element(&self, slot: Slot) -> u32 {
        self.func.slot(slot).element.bits()
    }

    fn load(&mut self, place: Place) -> NodeId {
        let (slot, bits) = (place.slot, self.element(place.slot));
        let ty = self.integers.holding(bits);
        if is_by_value(self.func.slot(slot), self.integers) {
            return self.graph.variable(Variable::Parameter(slot), ty, bits);
        }
        let read = self.graph.load(place, if self.integers.has_lanes { ty } else { Ty::of(bits) }, bits);
        self.graph.convert(read, ty)
    }

    fn store(&mut self, place: Place, value: Value) -> Result<(), Unwritable> {
        let bits = self.element(place.slot);
        self.read_words.retain(|_, read| read.slot != place.slot);
        let memory = if self.integers.has_lanes { self.integers.register() } else { Ty::of(bits) };
        // Memory holds no ones above the bits of its elements; with lanes, a store to bytes writes only bytes.
        let is_bytes = self.integers.has_lanes && bits == 8 && self.func.slot(place.slot).kind == SlotKind::Output;
        let is_whole = memory.bits() == self.bits(value) || is_bytes;
        let node = if is_whole { self.word(value)? } else { self.clean(value)? };
        let node = self.graph.convert(node, memory);
        self.graph.statements.push(Statement::Store(place.clone(), node));
        let stores = self.graph.statements.len();
        self.wrote(&place, value);
        if self.graph.statements.len() < stores {
            return Ok(());
        }
        self.wrote_in_row(&place, value)
    }

    pub(super) fn new_variable(&mut self) -> u32 {
        self.variables += 1;
        self.variables - 1
    }

    fn loop_(&mut self, l: &LoopData, data: &InstData) -> Result<(), Unwritable> {
        let func = self.func;
        let region = func.region(l.region);
        let mut carried = Vec::new();
        let in_registers = self.enter_registers(l, data)?;
        let runs = self.enter_loop(l, data)?;
        let is_word =
            |number: usize| !runs.has(number) && !in_registers.iter().any(|(range, ..)| range.contains(&number));
        let words = || (0..region.params.len()).filter(|&number| is_word(number));
        for (param, arg) in words().map(|number| (region.params[number], data.args[number])) {
            let first = self.clean(arg)?;
            let (ty, bits) = (self.graph.ty(first), self.bits(param));
            let number = self.new_variable();
            let variable = self.graph.variable(Variable::Carried(number), ty, bits);
            self.set(param, variable);
            carried.push((Carried { number, ty, first, next: first }, variable));
        }
        let registers = self.registers.clone();
        for (range, _, variable) in &in_registers {
            self.set_register(&region.params[range.clone()], *variable);
        }
        let block = self.graph.enter();
        self.forget();
        self.region(l.region)?;
        for (number, (carried, _)) in words().zip(&mut carried) {
            carried.next = self.clean(region.results[number])?;
        }
        let mut last = Vec::new();
        for (range, one, _) in &in_registers {
            last.push(Carried { next: self.next_register(l.region, range.clone())?, ..*one });
        }
        self.advance_runs(l, &runs)?;
        let body = self.graph.leave();
        self.leave_loop(l, data, &runs);
        self.forget();
        self.registers = registers;
        for (number, (_, variable)) in words().zip(&carried) {
            self.set(data.results[number], *variable);
        }
        for (range, _, variable) in &in_registers {
            self.set_register(&data.results[range.clone()], *variable);
        }
        let carried = carried.into_iter().map(|(carried, _)| carried).chain(last).collect();
        self.graph.statements.push(Statement::Loop(Loop { data: l.clone(), carried, block, body }));
        Ok(())
    }

    /// Forgets what is read from memory and written to it.
    fn forget(&mut self) {
        self.runs.clear();
        self.read_words.clear();
        self.rows.clear();
        (self.written, self.row, self.read) = (None, None, None);
        self.sums.clear();
    }

    /// Reads the parameters.
    fn enter(&mut self) -> Result<(), Unwritable> {
        let Some([parameters, results]) = &self.framed.border else { return Ok(()) };
        let body = self.func.region(self.func.body);
        self.receive(parameters.words, &parameters.split.single(&body.params))?;
        self.enter_runs(parameters, &body.params, results, &body.results);
        Ok(())
    }

    /// Writes the results.
    fn leave(&mut self) -> Result<(), Unwritable> {
        let Some([_, results]) = &self.framed.border else { return Ok(()) };
        let values = &self.func.region(self.func.body).results;
        self.leave_runs(results, values)?;
        self.pass(results.words, &results.split.single(values))
    }

    fn call(&mut self, callee: FuncId, data: &InstData) -> Result<(), Unwritable> {
        let Some(Callee { splits: [parameters, results], words: [from, to], .. }) = self.framed.callees.get(&callee)
        else {
            return Err(Unwritable("a call is to be inlined before".to_owned()));
        };
        self.pass(*to, &parameters.single(&data.args))?;
        (self.written, self.row) = (None, None);
        self.call_with_runs(callee, data, [*from, *to])?;
        self.receive(*from, &results.single(&data.results))
    }

    /// Writes words to an array that goes to another function.
    fn pass(&mut self, array: Option<Slot>, values: &[Value]) -> Result<(), Unwritable> {
        let Some(slot) = array else { return Ok(()) };
        for (index, &value) in (0..).zip(values) {
            let node = self.clean(value)?;
            let node = self.graph.convert(node, Ty::of(self.element(slot)));
            self.graph.statements.push(Statement::Store(Place { slot, index: Affine::constant(index) }, node));
        }
        Ok(())
    }

    /// Reads words from an array that comes from another function.
    fn receive(&mut self, array: Option<Slot>, values: &[Value]) -> Result<(), Unwritable> {
        let Some(slot) = array else { return Ok(()) };
        for (index, &value) in (0..).zip(values) {
            let bits = word_bits(self.func.ty(value))?;
            let memory = Ty::of(self.element(slot));
            let read = self.graph.load(Place { slot, index: Affine::constant(index) }, memory, bits);
            let node = self.graph.convert(read, self.integers.holding(bits));
            self.set(value, node);
        }
        Ok(())
    }

    fn tail(&mut self, stream: Slot, block: u32, pad: u8, data: &InstData) {
        let array = Slot(self.func.slots.len() as u32 + self.tails);
        self.tails += 1;
        (self.written, self.row) = (None, None);
        self.graph.statements.push(Statement::Tail(Tail { array, stream, block, pad }));
        for (index, &result) in (0..).zip(&data.results) {
            let place = Place { slot: array, index: Affine::constant(index) };
            self.runs.insert(result, Run::of_byte(place.clone()));
            let read = self.graph.load(place, Ty::U8, 8);
            let node = self.graph.convert(read, self.integers.holding(8));
            self.set(result, node);
        }
    }
}
