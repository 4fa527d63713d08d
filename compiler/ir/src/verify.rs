//! The law of the intermediate representation: the conditions for a module to be well formed. Every pass may rely on it
//! and keeps it.
//!
//! **Modules.** Names of functions are distinct. A name is made of letters, digits, `_` and `'` and does not begin with
//! a digit. The entry exists, has neither parameters nor results (its values come and go through slots), and nothing
//! calls it. A call's callee stands above its caller, and operands and results have the callee's types.
//!
//! The lengths of a function's runs of words add up to the number of its parameters, and to that of its results. A function may have no runs.
//!
//! **Types.** Words have 1 to 64 bits; vectors have at least one lane, and lanes of 1 to 64 bits. The fields of
//! elements are the module's.
//!
//! **Fields.** Names of fields are distinct. A modulus is odd and at least 3, a polynomial has a degree of at least 1;
//! whether it is a prime, or irreducible, is a matter of the program. All elements in one operation are of one field. A
//! constant is canonical; a small factor is below the modulus (in binary fields, of lower degree). A sum of products
//! has one product at least and two operands for each sign. A lookup has one entry at least, and no more than its index
//! counts. Words that are packed or unpacked are of one width, and the unpacked words hold every element. Elements side
//! by side are added, subtracted, multiplied and selected, lane by lane, and are in no slot.
//!
//! **Regions.** A region is the body of the function or of one loop at most, and an instruction is listed once at most
//! (an instruction that nothing lists is not part of the program). A value is defined once, before all its uses: above
//! them in the same region, or in a region around it, above the loop. A value of a loop's region is not visible
//! outside. Loops nest at most [`MAX_DEPTH`] deep. `origin` of every value is right.
//!
//! **Loops.** A loop has as many operands, results, region parameters and region results, with the same types. Each
//! loop has a counter of its own. Bounds, and constants and factors of indices, are below [`LIMIT`] in magnitude.
//!
//! **Streams.** Only the entry has streams, of bytes. A loop over a stream has the bounds [`LoopData::UNBOUNDED`] and
//! blocks of 1 to [`MAX_LENGTH`] bytes; groups of two blocks and more are no longer than that. A stream is loaded from
//! in loops over its whole blocks only, and there only from the current block: `block*counter + k` where `k < block`.
//! A joined stream is one stream of the bytes of others. The counter of a loop over a stream has no other use. A tail has as many results as [`Op::Tail`] says. An output
//! stream has bytes, too. One loop stores to it, over all whole blocks of a stream and inside of no other loop, or several
//! such loops do: the first over groups of blocks, and each other over what the groups of the one before leave over, down
//! to single blocks. With g blocks in a group, a loop stores to each `g*length*counter + k` where `k < g*length`. At most one
//! [`Op::StoreTail`] makes an output stream as long as the stream with these blocks: `length` is the length of a block, and the
//! operation stands in a loop over the part of a block that ends the stream, inside of no other loop, and takes a part of one block's
//! bytes. An output stream, alone or joined, is a stream for what comes after all that stores to it.
//!
//! **Slots.** Name and group are unique in the function. A slot has 1 to [`MAX_LENGTH`] elements. Only the entry has
//! inputs and outputs. Constants are words, as many as the length, each of the element's width. An index uses counters
//! of the enclosing loops only, each at most once, sorted, with factors that are not zero, and it is inside the slot
//! for all their values. Nothing is stored to inputs and constants. An element that is loaded from an output or a local
//! may have been stored: no load reaches an element that no store above it, or in a loop around both, can reach. Each
//! element of an output is reached by some store.
//!
//! **Operations.** Numbers of operands and results and their types are as [`Op`] says. Constants have one value per
//! lane, each of the lane's width. Amounts of shifts are less than the width. A pattern has one entry per lane, and its
//! lanes exist. `addc`, `subb`, `concat` and `extract` take words; the extracted bits lie within the operand. `clmul`
//! takes words of 64 bits, `mul32`, `mac52lo` and `mac52hi` such words, or lanes of 64 bits.

mod streams;

use std::collections::HashSet;
use std::fmt;

use culet_types::field::FieldKind;
use culet_types::program::CounterId;
use num_bigint::BigUint;

use crate::field::FieldOp;
use crate::func::{
    Func, FuncId, Index, Inst, LoopData, Module, Origin, Over, RegionId, Runs, Slot, SlotKind, Value, Which,
};
use crate::lex::is_name;
use crate::op::{Op, Type, W1};
use crate::print::{DisplayIndex, MAX_DEPTH, SlotName};
use streams::Filling;

/// Maximum number of elements of a slot.
pub const MAX_LENGTH: u32 = 1 << 24;

/// Exclusive bound of the magnitude of loop bounds and of numbers in indices.
pub const LIMIT: i64 = 1 << 28;

/// A breach of the law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// The function, if the breach is about one.
    pub func: Option<FuncId>,
    /// The instruction, if the breach is about one.
    pub inst: Option<Inst>,
    /// Message that says where, by the names of the text form.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Checks a module against the law at the top of this file.
pub fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let mut names = HashSet::new();
    for (i, func) in module.funcs.iter().enumerate() {
        let id = FuncId(i as u32);
        let mut verifier = Verifier::new(module, id, &mut errors);
        if !is_name(&func.name) {
            verifier.error("this is no name");
        }
        if !names.insert(&func.name) {
            verifier.error("another function has this name");
        }
        verifier.func();
    }
    let mut field_names = HashSet::new();
    for (i, field) in module.fields.iter().enumerate() {
        let message = match &field.kind {
            _ if !is_name(&field.name) => "this is no name",
            _ if !field_names.insert(&field.name) => "another field has this name",
            FieldKind::Prime(modulus) if !modulus.bit(0) || modulus.bits() < 2 => "the modulus is even or too small",
            FieldKind::Binary(polynomial) if polynomial.bits() < 2 => "the polynomial has no degree",
            _ => continue,
        };
        errors.push(VerifyError { func: None, inst: None, message: format!("field f{i} {}: {message}", field.name) });
    }
    if module.funcs.get(module.entry.index()).is_none() {
        errors.push(VerifyError { func: None, inst: None, message: "the module has no entry".to_owned() });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The smallest and the largest value of an index when each counter runs over its range; both are attained.
pub fn index_range(index: &Index, range: impl Fn(CounterId) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
    let (mut low, mut high) = (i128::from(index.constant), i128::from(index.constant));
    for &(counter, factor) in &index.terms {
        let (first, last) = range(counter)?;
        let (a, b) = (i128::from(factor) * i128::from(first), i128::from(factor) * i128::from(last));
        low += a.min(b);
        high += a.max(b);
    }
    Some((i64::try_from(low).ok()?, i64::try_from(high).ok()?))
}

struct Verifier<'a> {
    module: &'a Module,
    id: FuncId,
    func: &'a Func,
    errors: &'a mut Vec<VerifyError>,
    /// The instruction at hand.
    inst: Option<Inst>,
    listed: Vec<bool>,
    used_regions: Vec<bool>,
    /// Loops' regions whose stores are in `written` already.
    marked: Vec<bool>,
    used_counters: Vec<bool>,
    /// Values defined above in this region or one around it.
    visible: Vec<bool>,
    /// First and last value of the counters of the loops around that are not over streams.
    counters: Vec<(CounterId, i64, i64)>,
    /// The enclosing loops over streams.
    streams: Vec<(CounterId, Over)>,
    /// For each slot, elements that a store above, or in a loop around, may have reached.
    written: Vec<Vec<bool>>,
    /// For each output stream, the loops that store to it.
    filled: Vec<Vec<Filling>>,
    /// For each output stream, the stream that it is as long as, with its blocks, and the loop that stores the end.
    ends: Vec<Option<(CounterId, Slot, u32)>>,
    /// The output streams that something above reads.
    read: HashSet<Slot>,
}

impl<'a> Verifier<'a> {
    fn new(module: &'a Module, id: FuncId, errors: &'a mut Vec<VerifyError>) -> Self {
        let func = module.func(id);
        let length = |slot: &crate::func::SlotData| match slot.kind == SlotKind::Output || slot.kind.is_own() {
            true if slot.length <= MAX_LENGTH => slot.length as usize,
            _ => 0,
        };
        Verifier {
            module,
            id,
            func,
            errors,
            inst: None,
            listed: vec![false; func.insts.len()],
            used_regions: vec![false; func.regions.len()],
            marked: vec![false; func.regions.len()],
            used_counters: vec![false; func.counters as usize],
            visible: vec![false; func.values.len()],
            counters: Vec::new(),
            streams: Vec::new(),
            written: func.slots.iter().map(|slot| vec![false; length(slot)]).collect(),
            filled: func.slots.iter().map(|_| Vec::new()).collect(),
            ends: vec![None; func.slots.len()],
            read: HashSet::new(),
        }
    }

    fn error(&mut self, message: impl fmt::Display) {
        let mut place = format!("fn {}", self.func.name);
        if let Some(inst) = self.inst {
            let data = self.func.inst(inst);
            match data.results.first() {
                Some(result) => place.push_str(&format!(", {result} = {}", data.op.name())),
                None => place.push_str(&format!(", {} (instruction {})", data.op.name(), inst.0)),
            }
        }
        let message = format!("{place}: {message}");
        self.errors.push(VerifyError { func: Some(self.id), inst: self.inst, message });
    }

    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.error(message());
        }
    }

    fn func(&mut self) {
        let func = self.func;
        if self.id == self.module.entry {
            let body = func.regions.get(func.body.index());
            let silent = body.is_none_or(|body| body.params.is_empty() && body.results.is_empty());
            self.check(silent, || "the entry has neither parameters nor results".to_owned());
        }
        let add_up = |runs: &[u32], count: usize| runs.iter().map(|&run| run as usize).sum::<usize>() == count;
        let Runs { params, results } = &func.runs;
        let is_known = func.runs != Runs::default();
        let good = !is_known || add_up(params, func.param_types().len()) && add_up(results, func.result_types().len());
        self.check(good, || "the runs are not as long as parameters and results together".to_owned());
        self.slots();
        for value in &func.values {
            let bits = value.ty.bits();
            let good = match value.ty {
                Type::Field(id) | Type::Elements { field: id, .. } => {
                    id.index() < self.module.fields.len() && value.ty.lanes() > 0
                }
                _ => (1..=64).contains(&bits) && value.ty.lanes() > 0,
            };
            self.check(good, || format!("there is no type {}", value.ty));
        }
        self.region(func.body);
        for (slot, data) in func.slots.iter().enumerate().filter(|(_, data)| data.kind == SlotKind::Output) {
            if let Some(element) = self.written[slot].iter().position(|written| !written) {
                self.error(format!("nothing is stored to element {element} of the output {}", SlotName(data)));
            }
        }
        self.output_streams();
    }

    fn slots(&mut self) {
        let mut names = HashSet::new();
        for (index, slot) in self.func.slots.iter().enumerate() {
            let shown = SlotName(slot);
            self.check(is_name(&slot.name), || format!("slot {shown}: this is no name"));
            self.check(names.insert((&slot.name, slot.group)), || format!("two slots are called {shown}"));
            let length_good = (1..=MAX_LENGTH).contains(&slot.length);
            self.check(length_good, || format!("slot {shown} has {} elements", slot.length));
            let bits = slot.element.bits();
            let type_good = match slot.element {
                Type::Field(id) => id.index() < self.module.fields.len(),
                _ => (1..=64).contains(&bits) && slot.element.lanes() > 0,
            };
            self.check(type_good, || format!("slot {shown}: there is no type {}", slot.element));
            let is_entry = self.id == self.module.entry;
            match &slot.kind {
                SlotKind::Local => {}
                SlotKind::Input { .. } | SlotKind::Output => {
                    self.check(is_entry, || format!("slot {shown}: only the entry has inputs and outputs"));
                }
                SlotKind::Stream => {
                    self.check(is_entry, || format!("slot {shown}: only the entry has streams"));
                    let are_bytes = slot.element == Type::Word(8) && slot.length == 1;
                    self.check(are_bytes, || format!("slot {shown}: a stream is w8[1]"));
                }
                SlotKind::OutStream => {
                    self.check(is_entry, || format!("slot {shown}: only the entry has output streams"));
                    let are_bytes = slot.element == Type::Word(8);
                    self.check(are_bytes, || format!("slot {shown}: an output stream has elements w8"));
                }
                SlotKind::Part => {
                    self.check(is_entry, || format!("slot {shown}: only the entry has streams"));
                    let are_bytes = slot.element == Type::Word(8);
                    self.check(are_bytes, || format!("slot {shown}: a part of a stream has elements w8"));
                }
                SlotKind::Joined(parts) => {
                    let is_part = |part: &Slot| {
                        let is_above = part.index() < index;
                        let is_bytes = |slot: &crate::func::SlotData| {
                            matches!(slot.kind, SlotKind::Stream | SlotKind::OutStream | SlotKind::Part)
                        };
                        is_above && is_bytes(&self.func.slots[part.index()])
                    };
                    let are_parts = !parts.is_empty() && parts.iter().all(is_part);
                    let are_bytes = slot.element == Type::Word(8) && slot.length == 1;
                    self.check(is_entry, || format!("slot {shown}: only the entry has streams"));
                    self.check(are_parts, || format!("slot {shown} joins streams and parts that stand above it"));
                    self.check(are_bytes, || format!("slot {shown}: a stream is w8[1]"));
                }
                SlotKind::Constants(values) => {
                    let count = values.len() as u64 == u64::from(slot.length);
                    self.check(count, || format!("slot {shown} has {} constants", values.len()));
                    self.check(matches!(slot.element, Type::Word(_)), || format!("slot {shown}: constants are words"));
                    let fit = !type_good || values.iter().all(|&value| fits(value, slot.element));
                    self.check(fit, || format!("slot {shown}: a constant has too many bits"));
                }
            }
        }
    }

    fn region(&mut self, id: RegionId) {
        let func = self.func;
        match self.used_regions.get_mut(id.index()) {
            Some(used) if !*used => *used = true,
            Some(_) => return self.error("this region is the body of something else, too"),
            None => return self.error("this region does not exist"),
        }
        if self.counters.len() + self.streams.len() > MAX_DEPTH {
            return self.error(format!("loops are nested more than {MAX_DEPTH} deep"));
        }
        let region = func.region(id);
        let mut defined = Vec::new();
        for (i, &param) in region.params.iter().enumerate() {
            self.define(param, Origin::Param(id, i as u32), &mut defined);
        }
        if self.counters.len() + self.streams.len() == 1 {
            self.mark_stores(id);
        }
        for &inst in &region.insts {
            match self.listed.get_mut(inst.index()) {
                Some(listed) if !*listed => *listed = true,
                _ => {
                    self.error(format!("instruction {} is listed twice or does not exist", inst.0));
                    continue;
                }
            }
            self.inst = Some(inst);
            self.inst(inst);
            self.inst = Some(inst);
            for (i, &result) in func.inst(inst).results.iter().enumerate() {
                self.define(result, Origin::Result(inst, i as u32), &mut defined);
            }
            self.inst = None;
        }
        for &result in &region.results {
            self.use_(result);
        }
        for value in defined {
            self.visible[value.index()] = false;
        }
    }

    fn define(&mut self, value: Value, origin: Origin, defined: &mut Vec<Value>) {
        match self.func.values.get(value.index()) {
            Some(data) if data.origin == origin => {
                self.visible[value.index()] = true;
                defined.push(value);
            }
            Some(_) => self.error(format!("{value} is defined elsewhere")),
            None => self.error(format!("{value} does not exist")),
        }
    }

    fn use_(&mut self, value: Value) {
        let visible = self.visible.get(value.index()).copied().unwrap_or(false);
        self.check(visible, || format!("{value} is not defined here"));
    }

    fn inst(&mut self, inst: Inst) {
        let func = self.func;
        let data = func.inst(inst);
        for &arg in &data.args {
            self.use_(arg);
        }
        let exists = |value: &Value| value.index() < func.values.len();
        if !data.args.iter().chain(&data.results).all(exists) {
            return self.error("a value does not exist");
        }
        let args: Vec<Type> = data.args.iter().map(|&arg| func.ty(arg)).collect();
        let results: Vec<Type> = data.results.iter().map(|&result| func.ty(result)).collect();
        match &data.op {
            Op::Load { slot, index } => self.load(*slot, index, &args, &results),
            Op::Store { slot, index } => self.store(*slot, index, &args, &results),
            Op::Call(callee) => self.call(*callee, &args, &results),
            Op::Tail { stream, block, pad } => {
                self.stream(*stream, *block);
                // A block may be too long for anything to be made of its length.
                let count = u64::from(*block) + u64::from(*pad != 0);
                let are_bytes = results.iter().all(|&result| result == Type::Word(8));
                self.check(args.is_empty() && are_bytes && results.len() as u64 == count, || {
                    format!("a tail has {count} bytes as results")
                });
            }
            Op::StoreTail { slot, from, stream, block } => self.store_tail(*slot, *from, (*stream, *block)),
            Op::Length { stream } => {
                self.stream(*stream, 1);
                self.check(args.is_empty() && results == [Type::Word(64)], || "a length is one w64".to_owned());
            }
            Op::Loop(l) => self.loop_(l, &args, &results),
            Op::Field(op) => {
                if let Err(message) = field_operation(self.module, op, &args, &results) {
                    self.error(message);
                }
            }
            op => {
                if let Err(message) = operation(op, &args, &results) {
                    self.error(message);
                }
            }
        }
    }

    fn load(&mut self, slot: Slot, index: &Index, args: &[Type], results: &[Type]) {
        if self.func.slots.get(slot.index()).is_some_and(|data| data.kind.is_stream()) {
            let good = self.is_of_block(slot, index) && args.is_empty() && results == [Type::Word(8)];
            return self.check(good, || format!("{} is no byte of a block at hand", DisplayIndex(index)));
        }
        let Some((low, high)) = self.place(slot, index) else { return };
        let data = self.func.slot(slot);
        self.check(args.is_empty() && results == [data.element], || "loads one element".to_owned());
        if data.kind.is_own() || data.kind == SlotKind::Output {
            let written = &self.written[slot.index()];
            if let Some(element) = [low, high].into_iter().find(|&element| !written[element as usize]) {
                self.error(format!("nothing above stores to element {element} of {}", SlotName(data)));
            }
        }
    }

    fn store(&mut self, slot: Slot, index: &Index, args: &[Type], results: &[Type]) {
        if self.func.slots.get(slot.index()).is_some_and(|data| data.kind == SlotKind::OutStream) {
            return self.store_to_stream(slot, index, args, results);
        }
        let Some((low, high)) = self.place(slot, index) else { return };
        let data = self.func.slot(slot);
        self.check(results.is_empty() && args == [data.element], || "stores one element".to_owned());
        match data.kind == SlotKind::Output || data.kind.is_own() {
            true => self.written[slot.index()][low as usize..=high as usize].fill(true),
            false => self.error(format!("{} is only read", SlotName(data))),
        }
    }

    /// Checks an index and returns the range of its values, if the slot is there and the range inside.
    fn place(&mut self, slot: Slot, index: &Index) -> Option<(i64, i64)> {
        let Some(data) = self.func.slots.get(slot.index()) else {
            self.error(format!("slot {} does not exist", slot.0));
            return None;
        };
        let small = |x: i64| x.unsigned_abs() < LIMIT as u64;
        let canonical = index.terms.is_sorted_by(|a, b| a.0 < b.0)
            && index.terms.iter().all(|&(_, factor)| factor != 0 && small(factor))
            && small(index.constant);
        self.check(canonical, || format!("the index {} is not in normal form", DisplayIndex(index)));
        let Some((low, high)) = range_in(&self.counters, index) else {
            self.error(format!("the index {} uses a counter of no loop around", DisplayIndex(index)));
            return None;
        };
        if low < 0 || high >= i64::from(data.length) {
            let shown = DisplayIndex(index);
            self.error(format!("the index {shown} runs from {low} to {high}, outside {}", SlotName(data)));
            return None;
        }
        (data.length <= MAX_LENGTH).then_some((low, high))
    }

    /// Marks the stores of a region. Every load of an outermost loop may see the stores of earlier iterations, so its
    /// stores count from its beginning. Indices are checked when the walk comes to them; wrong ones are passed over
    /// here.
    fn mark_stores(&mut self, id: RegionId) {
        let func = self.func;
        match self.marked.get_mut(id.index()) {
            Some(marked) if !*marked && self.counters.len() <= MAX_DEPTH => *marked = true,
            _ => return,
        }
        for data in func.region(id).insts.iter().filter_map(|inst| func.insts.get(inst.index())) {
            match &data.op {
                Op::Loop(l) => {
                    // A store at an index with the counter of a loop over a stream marks nothing.
                    let bounded = l.over.is_none();
                    if bounded {
                        self.counters.push((l.counter, l.first, l.last));
                    }
                    self.mark_stores(l.region);
                    if bounded {
                        self.counters.pop();
                    }
                }
                Op::Store { slot, index } => {
                    let written = self.written.get_mut(slot.index());
                    if let (Some(written), Some((low, high))) = (written, range_in(&self.counters, index))
                        && 0 <= low
                        && high < written.len() as i64
                    {
                        written[low as usize..=high as usize].fill(true);
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, callee: FuncId, args: &[Type], results: &[Type]) {
        if callee >= self.id {
            return self.error("the callee does not stand above");
        }
        if callee == self.module.entry {
            return self.error("nothing calls the entry");
        }
        let func = self.module.func(callee);
        let same = func.regions.get(func.body.index()).is_some_and(|body| {
            let types = |values: &[Value]| -> Option<Vec<Type>> {
                values.iter().map(|value| func.values.get(value.index()).map(|data| data.ty)).collect()
            };
            types(&body.params).as_deref() == Some(args) && types(&body.results).as_deref() == Some(results)
        });
        self.check(same, || format!("operands and results are not those of {}", func.name));
    }

    fn loop_(&mut self, l: &LoopData, args: &[Type], results: &[Type]) {
        match self.used_counters.get_mut(l.counter.0 as usize) {
            Some(used) if !*used => *used = true,
            _ => self.error(format!("i{} does not exist or belongs to another loop", l.counter.0)),
        }
        let small = |x: i64| x.unsigned_abs() < LIMIT as u64;
        self.check(l.lanes.is_none_or(|lanes| lanes > 0), || "a loop has no accumulators".to_owned());
        if !small(l.first) || !small(l.last) {
            return self.error("a bound is too large");
        }
        let Some(region) = self.func.regions.get(l.region.index()) else {
            return self.error("the loop's region does not exist");
        };
        let carried = |values: &[Value]| -> Option<Vec<Type>> {
            values.iter().map(|value| self.func.values.get(value.index()).map(|data| data.ty)).collect()
        };
        let (params, next) = (carried(&region.params), carried(&region.results));
        let same = params.as_deref() == Some(args) && next.as_deref() == Some(args) && results == args;
        self.check(same, || "initial values, parameters, next values and results differ in type or number".to_owned());
        match l.over {
            None => {
                self.counters.push((l.counter, l.first, l.last));
                self.region(l.region);
                self.counters.pop();
            }
            Some(over) => {
                self.stream(over.stream(), over.block());
                if let Over::Rest { block, least, .. } = over {
                    self.check((1..block.max(2)).contains(&least), || {
                        format!("a part of a block has no {least} bytes")
                    });
                }
                if let Over::Whole { block, which: Which { beyond, .. }, .. } = over {
                    let fits = beyond != 1 && block.checked_mul(beyond).is_some_and(|group| group <= MAX_LENGTH);
                    self.check(fits, || format!("there are no groups of {beyond} blocks"));
                }
                self.check((l.first, l.last) == LoopData::UNBOUNDED, || "a stream bounds the loop".to_owned());
                self.streams.push((l.counter, over));
                self.region(l.region);
                self.streams.pop();
            }
        }
    }
}

fn range_in(counters: &[(CounterId, i64, i64)], index: &Index) -> Option<(i64, i64)> {
    index_range(index, |counter| counters.iter().find(|c| c.0 == counter).map(|&(_, first, last)| (first, last)))
}

fn fits(value: u64, ty: Type) -> bool {
    value <= u64::MAX >> (64 - ty.bits().clamp(1, 64))
}

/// Checks operands, results and other parts of the operation; not for loads, stores, calls and loops.
fn operation(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    let Some(&ty) = results.first() else {
        return Err("the operation has a result".to_owned());
    };
    let (expected_args, expected_results): (Vec<Type>, Vec<Type>) = match op {
        Op::Const(_) => (vec![], vec![ty]),
        Op::Not | Op::Perm(_) | Op::Shl(_) | Op::Shr(_) | Op::Sar(_) | Op::Rotl(_) => (vec![ty], vec![ty]),
        Op::And | Op::Or | Op::Xor | Op::Andn | Op::Add | Op::Sub | Op::Mul | Op::MulHi | Op::Mul32 | Op::Funnel(_) => {
            (vec![ty; 2], vec![ty])
        }
        Op::Tern(_) | Op::Mac52Lo | Op::Mac52Hi => (vec![ty; 3], vec![ty]),
        Op::MulWide | Op::ClMul => (vec![ty; 2], vec![ty; 2]),
        Op::Blend(_) => (vec![ty; 2], vec![ty]),
        Op::Join => (vec![ty.lane(); ty.lanes() as usize], vec![ty]),
        Op::Lane(lane) => {
            let whole = args.first().copied().unwrap_or(ty);
            if u32::from(*lane) >= whole.lanes() {
                return Err(format!("there is no lane {lane}"));
            }
            (vec![whole], vec![whole.lane()])
        }
        Op::AddC | Op::SubB => (vec![ty, ty, W1], vec![ty, W1]),
        Op::Select => (vec![W1, ty, ty], vec![ty]),
        Op::Spread => (vec![W1], vec![ty]),
        Op::Concat => {
            let [Type::Word(high), Type::Word(low)] = *args else {
                return Err("concat has two words as operands".to_owned());
            };
            (args.to_vec(), vec![Type::Word(high.saturating_add(low))])
        }
        Op::Extract(low) => {
            let ([Type::Word(bits)], [Type::Word(own)]) = (args, results) else {
                return Err("extract has a word as operand and as result".to_owned());
            };
            if u32::from(*low) + u32::from(*own) > u32::from(*bits) {
                return Err(format!(
                    "bits {low} to {} are not all in the operand",
                    u32::from(*low) + u32::from(*own) - 1
                ));
            }
            (args.to_vec(), results.to_vec())
        }
        Op::Field(_)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Tail { .. }
        | Op::Length { .. }
        | Op::StoreTail { .. }
        | Op::Call(_)
        | Op::Loop(_) => {
            return Ok(());
        }
    };
    let is_arranged = matches!(op, Op::Perm(_) | Op::Join | Op::Lane(_) | Op::Blend(_));
    if !is_arranged && args.iter().chain(results).any(|ty| ty.field().is_some()) {
        return Err("has words as operands and results, not elements of fields".to_owned());
    }
    if args != expected_args || results != expected_results {
        return Err(format!(
            "has {} → {}, not {} → {}",
            show(args),
            show(results),
            show(&expected_args),
            show(&expected_results)
        ));
    }
    match op {
        Op::Const(values) if values.len() as u64 != u64::from(ty.lanes()) => Err("has one value a lane".to_owned()),
        Op::Const(values) if !values.iter().all(|&value| fits(value, ty)) => {
            Err("a value has too many bits".to_owned())
        }
        Op::Shl(n) | Op::Shr(n) | Op::Sar(n) | Op::Rotl(n) | Op::Funnel(n) if u32::from(*n) >= ty.bits() => {
            Err(format!("the amount {n} is not less than the width"))
        }
        Op::Perm(pattern) if ty.field().is_some() && pattern.contains(&None) => {
            Err("elements of a field are permuted, and none is zero".to_owned())
        }
        Op::Blend(lanes) if ty.lanes() > 64 || lanes >> (ty.lanes() - 1) > 1 => {
            Err(format!("there are no lanes {lanes:#x}"))
        }
        Op::Perm(pattern) if pattern.len() as u64 != u64::from(ty.lanes()) => Err("has one entry a lane".to_owned()),
        Op::Perm(pattern) => match pattern.iter().flatten().find(|&&lane| u32::from(lane) >= ty.lanes()) {
            Some(lane) => Err(format!("there is no lane {lane}")),
            None => Ok(()),
        },
        Op::AddC | Op::SubB if !matches!(ty, Type::Word(_)) => Err("operands are words".to_owned()),
        Op::ClMul if ty != Type::Word(64) => Err("operands are words of 64 bits".to_owned()),
        Op::Mul32 | Op::Mac52Lo | Op::Mac52Hi if ty.bits() != 64 => {
            Err("operands have 64 bits, or lanes of 64".to_owned())
        }
        _ => Ok(()),
    }
}

/// Checks an operation on elements of a field.
fn field_operation(module: &Module, op: &FieldOp, args: &[Type], results: &[Type]) -> Result<(), String> {
    let is_element = |ty: &&Type| ty.field().is_some();
    let field = |ty: Type| module.fields.get(ty.field()?.index());
    let Some((&ty, field)) = args.iter().chain(results).find(is_element).and_then(|ty| Some((ty, field(*ty)?))) else {
        return Err("there is no element of a field".to_owned());
    };
    let is_alone = matches!(op, FieldOp::Const(_) | FieldOp::Inv | FieldOp::Lookup | FieldOp::Pack | FieldOp::Unpack);
    if is_alone && ty.lanes() > 1 {
        return Err("is about one element, not several side by side".to_owned());
    }
    let word_bits = match (op, args.first(), results.first()) {
        (FieldOp::Pack | FieldOp::Lookup, Some(Type::Word(bits)), _) => *bits,
        (FieldOp::Unpack, _, Some(Type::Word(bits))) => *bits,
        (FieldOp::Pack | FieldOp::Lookup | FieldOp::Unpack, ..) => return Err("the words are missing".to_owned()),
        _ => 1,
    };
    let word = Type::Word(word_bits);
    let (expected_args, expected_results) = match op {
        FieldOp::Const(_) => (vec![], vec![ty]),
        FieldOp::Add | FieldOp::Sub | FieldOp::Mul => (vec![ty; 2], vec![ty]),
        FieldOp::Neg | FieldOp::Sqr | FieldOp::MulC(_) | FieldOp::Inv => (vec![ty], vec![ty]),
        FieldOp::Sop(signs) => (vec![ty; 2 * signs.len().max(1)], vec![ty]),
        FieldOp::Select => (vec![W1, ty, ty], vec![ty]),
        FieldOp::Lookup => ([vec![word], vec![ty; args.len().max(2) - 1]].concat(), vec![ty]),
        FieldOp::Pack => (vec![word; args.len()], vec![ty]),
        FieldOp::Unpack => (vec![ty], vec![word; results.len()]),
    };
    if args != expected_args || results != expected_results {
        let (expected_args, expected_results) = (show(&expected_args), show(&expected_results));
        return Err(format!("has {} → {}, not {expected_args} → {expected_results}", show(args), show(results)));
    }
    let canonical = |value: &BigUint| match &field.kind {
        FieldKind::Prime(modulus) => value < modulus,
        FieldKind::Binary(polynomial) => value.bits() < polynomial.bits(),
    };
    match op {
        FieldOp::Const(value) if !canonical(value) => Err("the value is not in canonical form".to_owned()),
        FieldOp::MulC(factor) if !canonical(&BigUint::from(*factor)) => Err("the factor is too large".to_owned()),
        FieldOp::Lookup if word_bits < 32 && args.len() - 1 > 1 << word_bits => {
            Err(format!("an index of {word_bits} bits does not reach {} entries", args.len() - 1))
        }
        FieldOp::Unpack if u64::from(word_bits) * (results.len() as u64) < field.kind.bits() => {
            Err(format!("{} words of {word_bits} bits do not hold every element", results.len()))
        }
        _ => Ok(()),
    }
}

fn show(types: &[Type]) -> String {
    let types: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("({})", types.join(", "))
}
