//! Division of a function that goes through a stream without accumulators into pieces. It has a chain of loops over the
//! stream's whole blocks: the first goes through groups of blocks, each other one through the smaller blocks that the
//! one before it leaves over. So the loops take all blocks in order, and less than a block of the last loop is left.
//!
//! A piece is a module of its own: the code before a loop, one iteration of a loop from any state on, or all code from
//! the end of the last loop on, from any state. Its states are the last inputs. The number of the stream's bytes is an
//! input, too, since a piece is run on a few of them.

use culet_ir::rewrite::{Builder, Copier, Transform};
use culet_ir::{
    Func, FuncId, Inst, InstData, Iterations, LoopData, Module, Op, Over, RegionId, Slot, SlotData, SlotKind, Type,
    Value, Which,
};
use culet_types::program::Affine;
use rustc_hash::{FxHashMap, FxHashSet};

use super::pieces::{over, run_loop, verified};

/// The loops over the whole blocks of a module's stream.
pub(super) struct Chain<'m> {
    func: &'m Func,
    module: &'m Module,
    loops: Vec<Link>,
    /// Whether something depends on the number of the stream's bytes.
    pub has_length: bool,
}

/// One loop of the chain.
struct Link {
    inst: Inst,
    stream: Slot,
    /// Bytes of its blocks.
    block: u32,
}

/// A piece of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The code before the loop of this number, from the state after the loop before it, if there is one. The outputs
    /// are the values that the loop begins with.
    Before(usize),
    /// One iteration of the loop of this number, on a stream of its one block. The outputs are the bytes that it adds
    /// to results, and the values that the next iteration begins with.
    Iteration(usize),
    /// All code after the last loop, on a stream that is shorter than one of its blocks. The outputs are those of the
    /// whole function, with the results' bytes after the last block.
    End,
}

impl<'m> Chain<'m> {
    /// Finds the loops, whose blocks are of `block` bytes or groups of such blocks.
    pub fn of(module: &'m Module, block: u32) -> Result<Chain<'m>, String> {
        let func = module.entry();
        let body = &func.region(func.body).insts;
        let mut loops: Vec<Link> = Vec::new();
        for &inst in body {
            let Some(Over::Whole { stream, block: own, which: Which { beyond, iterations } }) = over(func, inst) else {
                continue;
            };
            let follows = match loops.last() {
                None => beyond == 0,
                Some(last) => beyond > 1 && own.checked_mul(beyond) == Some(last.block) && stream == last.stream,
            };
            if !follows || iterations != Iterations::All || own % block != 0 {
                return Err("a loop over the stream is not about what the loop before it leaves over".to_owned());
            }
            loops.push(Link { inst, stream, block: own });
        }
        if loops.is_empty() {
            return Err("the stream has no loop over its blocks".to_owned());
        }
        let mut chain = Chain { func, module, loops, has_length: false };
        chain.check()?;
        Ok(chain)
    }

    pub fn count(&self) -> usize {
        self.loops.len()
    }

    /// The number of bytes in a block of a loop.
    pub fn block(&self, number: usize) -> u32 {
        self.loops[number].block
    }

    /// The types of the values that a loop carries.
    pub fn carried(&self, number: usize) -> impl Iterator<Item = Type> + use<'_> {
        self.func.inst(self.loops[number].inst).args.iter().map(|&value| self.func.ty(value))
    }

    /// Checks that nothing but the chain depends on where the stream ends, except for the length as a word and, after
    /// the last loop, for what is left of a block; that memory hands nothing on from iterations; and that only the next
    /// loop takes what a loop gives.
    fn check(&mut self) -> Result<(), String> {
        let func = self.func;
        let (stream, last) = (self.loops[0].stream, self.loops[self.loops.len() - 1].block);
        let mut wrong = None;
        if func.slot(stream).kind != SlotKind::Stream {
            wrong = Some("the stream is joined of several ones");
        }
        let mut results: FxHashMap<Value, usize> = FxHashMap::default();
        let (mut kept, mut stored): (FxHashSet<Slot>, FxHashSet<Slot>) = Default::default();
        // Number of loops of the chain that have begun; whether an instruction is in the last one of them.
        let mut begun = 0;
        let mut has_length = false;
        func.walk(&mut |inst, data, around| {
            let is_link = around.is_empty() && self.loops.get(begun).is_some_and(|link| link.inst == inst);
            let is_last = |by: usize| by + 1 == self.loops.len();
            let is_taken =
                |value: &Value| results.get(value).is_some_and(|&by| !(is_last(by) || is_link && begun == by + 1));
            let next = if let Op::Loop(l) = &data.op { &func.region(l.region).results[..] } else { &[] };
            if data.args.iter().any(is_taken)
                || next.iter().any(|value| results.get(value).is_some_and(|&by| !is_last(by)))
            {
                wrong = Some("what a loop over the stream gives is used by something else than the next loop");
            }
            if is_link {
                results.extend(data.results.iter().map(|&result| (result, begun)));
                begun += 1;
            }
            let is_inside = around.first().is_some_and(|l| self.loops.iter().any(|link| self.is(link, l)));
            let is_after = begun == self.loops.len() && !is_inside;
            let is_rest = |of: Slot, block: u32| of == stream && block > 0 && last.is_multiple_of(block);
            match &data.op {
                Op::Loop(l) => match l.over {
                    Some(_) if is_link => {}
                    Some(Over::Rest { stream, block, .. }) if is_after && is_rest(stream, block) => {}
                    Some(_) => {
                        wrong = Some("there is a loop over the stream of which the number of iterations is not known");
                    }
                    None => {}
                },
                Op::Tail { stream, block, .. } | Op::StoreTail { stream, block, .. }
                    if !is_after || !is_rest(*stream, *block) =>
                {
                    wrong = Some("the stream's end is read before the last of its loops is over");
                }
                Op::StoreTail { slot, block, .. }
                    if self
                        .loops
                        .iter()
                        .any(|link| *block != last || self.added(link).get(slot) != Some(&link.block)) =>
                {
                    wrong = Some("the end of a result is not stored behind its blocks");
                }
                Op::Length { stream: of } => {
                    has_length = true;
                    if *of != stream {
                        wrong = Some("the length of another stream is read");
                    }
                }
                Op::Store { slot, .. } => match func.slot(*slot).kind {
                    SlotKind::OutStream => {}
                    SlotKind::Local | SlotKind::Part if is_inside => {
                        kept.insert(*slot);
                    }
                    _ if is_inside => wrong = Some("a loop over the stream writes to a result"),
                    _ if !is_after => {
                        stored.insert(*slot);
                    }
                    _ => {}
                },
                Op::Call(_) => wrong = Some("calls are to be inlined before"),
                _ => {}
            }
        });
        // Without contents from before the loop, memory that an iteration reads before it writes is found out: the piece has no value then.
        if kept.iter().any(|slot| stored.contains(slot)) {
            wrong = Some("a loop over the stream changes memory from before it");
        }
        self.has_length = has_length;
        wrong.map_or(Ok(()), |wrong| Err(wrong.to_owned()))
    }

    fn is(&self, link: &Link, l: &LoopData) -> bool {
        self.region(link) == Some(l.region)
    }

    fn region(&self, link: &Link) -> Option<RegionId> {
        match &self.func.inst(link.inst).op {
            Op::Loop(l) => Some(l.region),
            _ => None,
        }
    }

    /// Returns the result that a loop's iterations add to, with the number of bytes that each adds.
    fn added(&self, link: &Link) -> FxHashMap<Slot, u32> {
        let mut added = FxHashMap::default();
        let Some(region) = self.region(link) else { return added };
        self.func.walk_region(region, &mut Vec::new(), &mut |_, data: &InstData, _| {
            if let Op::Store { slot, index } = &data.op
                && self.func.slot(*slot).kind == SlotKind::OutStream
                && let [(_, each)] = index.terms[..]
            {
                added.insert(*slot, u32::try_from(each).unwrap_or(0));
            }
        });
        added
    }

    /// Returns a piece as a module.
    ///
    /// # Errors
    ///
    /// If the piece breaks the law of the IR. The code that copies is also used by the passes, and is not trusted.
    pub fn cut(&self, cut: Cut) -> Result<Module, String> {
        let func = self.func;
        let mut to = Builder::like(func);
        to.share_slots(func);
        let (at, is_end) = match cut {
            Cut::Before(at) | Cut::Iteration(at) => (at, false),
            Cut::End => (self.loops.len() - 1, true),
        };
        let added = if cut == Cut::Iteration(at) { self.added(&self.loops[at]) } else { FxHashMap::default() };
        for (slot, data) in to.func.slots.iter_mut().enumerate().filter(|(_, data)| data.kind.is_result() && !is_end) {
            match added.get(&Slot(slot as u32)) {
                Some(&each) => data.length = each,
                None => data.kind = SlotKind::Local,
            }
        }
        let mut copied = Copied { length: None };
        if self.has_length {
            let kind = SlotKind::Input { shared: false };
            copied.length = Some(add_slot(&mut to, "length", kind, Type::Word(64)));
        }
        let mut copier = Copier::new(func);
        for &inst in &func.region(func.body).insts {
            let data = func.inst(inst);
            let place = self.loops.iter().position(|link| link.inst == inst);
            match place {
                None => copied.inst(&mut copier, &mut to, inst),
                Some(place) if place < at => {
                    if cut == Cut::Before(place + 1) {
                        let state = states(&mut to, func, &data.results);
                        copier.set_all(&data.results, &state);
                    }
                }
                Some(place) if cut == Cut::Before(place) => {
                    let begin = copier.all(&data.args);
                    results(&mut to, &begin);
                    break;
                }
                Some(_) => {
                    let Link { stream, block, .. } = self.loops[at];
                    let whole = Over::Whole { stream, block, which: Which::default() };
                    let state = states(&mut to, func, &data.args);
                    let next = run_loop(&mut copier, &mut to, (inst, Some(whole)), &state, &mut copied);
                    if !is_end {
                        results(&mut to, &next);
                        break;
                    }
                }
            }
        }
        let module = Module { fields: self.module.fields.clone(), funcs: vec![to.finish()], entry: FuncId(0) };
        verified(&module)?;
        Ok(module)
    }
}

/// Adds states of the types of these values as inputs, and loads them.
fn states(to: &mut Builder, func: &Func, like: &[Value]) -> Vec<Value> {
    let mut load = |ty: Type| {
        let slot = add_slot(to, "state", SlotKind::Input { shared: false }, ty);
        to.emit1(Op::Load { slot, index: Affine::constant(0) }, [], ty)
    };
    like.iter().map(|&value| load(func.ty(value))).collect()
}

/// Stores values to outputs of their own.
fn results(to: &mut Builder, values: &[Value]) {
    for &value in values {
        let ty = to.func.ty(value);
        let slot = add_slot(to, "out", SlotKind::Output, ty);
        to.emit(Op::Store { slot, index: Affine::constant(0) }, [value], &[]);
    }
}

fn add_slot(to: &mut Builder, name: &str, kind: SlotKind, element: Type) -> Slot {
    to.add_slot(&SlotData { name: name.to_owned(), kind, element, length: 1, group: 0 })
}

/// Copies code, with the number of the stream's bytes as an input.
struct Copied {
    length: Option<Slot>,
}

impl Transform for Copied {
    fn inst(&mut self, copier: &mut Copier<'_>, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        match (&data.op, self.length) {
            (Op::Length { .. }, Some(slot)) => {
                let length = to.emit1(Op::Load { slot, index: Affine::constant(0) }, [], Type::Word(64));
                copier.set(data.results[0], length);
            }
            _ => {
                copier.copy(self, to, inst);
            }
        }
    }
}
