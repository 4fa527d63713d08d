//! Division of a function that folds a stream with accumulators into pieces: the code before the loops, the loops from
//! any state on, and the code after them. Each piece is a module of its own that takes its state as a parameter.

use culet_ir::rewrite::{Builder, Copier, Keep, Transform};
use culet_ir::{
    CounterId, Func, FuncId, Inst, Iterations, LoopData, Module, Op, Over, Slot, SlotData, SlotKind, Type, Value,
    VerifyError, Which, verify,
};
use culet_types::program::Affine;

/// Returns the part of a stream that a loop goes through, if it does.
pub(super) fn over(func: &Func, inst: Inst) -> Option<Over> {
    match &func.inst(inst).op {
        Op::Loop(l) => l.over,
        _ => None,
    }
}

/// The loops over the stream in a module: the first takes the fold's initial state, the last gives the final one.
pub(super) struct Loops<'m> {
    module: &'m Module,
    func: &'m Func,
    /// The loops, in order.
    loops: Vec<Inst>,
    pub groups: Groups,
    /// The field's type.
    element: Type,
}

/// Whole groups of blocks, which the first loop goes through, if there are enough.
pub(super) struct Groups {
    /// Bytes of a group.
    pub bytes: u32,
    /// Minimum number of bytes for which the first loop runs its one iteration: a group, or more.
    pub least: u32,
    /// The inner loop over all groups but the first. No other loop runs more iterations for more groups.
    later: Inst,
    /// Types that the inner loop carries: elements, alone or side by side.
    carried: Vec<Type>,
}

/// A piece of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModulePiece {
    /// The code before the first loop, which computes its initial state.
    Before,
    /// All loops but the last, from any state.
    Blocks,
    /// All loops but the last, where the first loop runs its iteration.
    Group,
    /// Like [`ModulePiece::Group`], with other accumulators after the first group.
    Groups,
    /// The last loop, from any state.
    Rest,
    /// The code after the last loop, which computes the outputs from any final state.
    After,
}

impl<'m> Loops<'m> {
    /// Finds the loops over blocks of `block` bytes that together go through all of the stream.
    pub fn of(module: &'m Module, block: u32) -> Result<Loops<'m>, String> {
        let func = module.entry();
        let body = &func.region(func.body).insts;
        let loops: Vec<Inst> = body.iter().copied().filter(|&inst| over(func, inst).is_some()).collect();
        let overs: Vec<Over> = loops.iter().filter_map(|&inst| over(func, inst)).collect();
        let [first, .., last] = overs[..] else {
            return Err("the stream has no loop over its blocks and what is left of them".to_owned());
        };
        if last != (Over::Rest { stream: first.stream(), block, least: 1 }) {
            return Err("the last loop over the stream is not about what is left of a block".to_owned());
        }
        let groups = match first_group(first) {
            Some(bytes) => Groups::of(func, loops[0], bytes)?,
            None => return Err("the first loop over the stream is not about the first group".to_owned()),
        };
        let element = func.ty(func.inst(loops[0]).args.first().copied().ok_or("a loop carries nothing")?);
        let found = Loops { module, func, loops, groups, element };
        found.hand_on()?;
        found.check(block)?;
        Ok(found)
    }

    fn last(&self) -> usize {
        self.loops.len() - 1
    }

    /// Checks that each loop takes one element from the loop before, and that nothing else uses that element.
    fn hand_on(&self) -> Result<(), String> {
        let func = self.func;
        let uses = func.use_counts();
        for (place, &inst) in self.loops.iter().enumerate() {
            let data = func.inst(inst);
            let ([arg], [result]) = (&data.args[..], &data.results[..]) else {
                return Err("a loop over the stream carries more than an element".to_owned());
            };
            let is_next = place == 0 || func.inst(self.loops[place - 1]).results[0] == *arg;
            if func.ty(*arg) != self.element || !is_next || (place < self.last() && uses[result.index()] != 1) {
                return Err("the loops over the stream do not hand on one element".to_owned());
            }
        }
        Ok(())
    }

    /// Checks that the loops write no memory, that nothing else depends on where the stream ends, and that only one
    /// loop runs more iterations for more groups or blocks.
    fn check(&self, block: u32) -> Result<(), String> {
        let mut wrong = None;
        let stream = over(self.func, self.loops[0]).map(Over::stream);
        self.func.walk(&mut |inst, data, around| {
            let is_inside = around.iter().any(|l| l.over.is_some());
            let is_in_rest = matches!(around, [LoopData { over: Some(Over::Rest { .. }), .. }]);
            match &data.op {
                Op::Store { .. } if is_inside => wrong = Some("a loop over the stream writes memory"),
                Op::Length { .. } => wrong = Some("the stream's length is read"),
                Op::Tail { .. } if !is_in_rest => wrong = Some("the stream's end is read outside of the last loop"),
                Op::Loop(_) => {
                    let Some(own) = over(self.func, inst) else { return };
                    if Some(own.stream()) != stream {
                        wrong = Some("there are two streams");
                    }
                    let is_end = self.loops[0] == inst || self.loops[self.last()] == inst;
                    if !is_end && !self.groups.has(inst, own, around, block) {
                        wrong = Some("there is a loop over the stream of which the number of iterations is not known");
                    }
                }
                Op::Call(_) => wrong = Some("calls are to be inlined before"),
                _ => {}
            }
        });
        wrong.map_or(Ok(()), |wrong| Err(wrong.to_owned()))
    }

    /// Returns a piece as a module. Its states are the last inputs. Its output is one element; after the loops, the
    /// outputs are those of the whole function.
    ///
    /// # Errors
    ///
    /// If the piece breaks the law of the IR. The code that copies is also used by the passes, and is not trusted.
    pub fn cut(&self, cut: ModulePiece) -> Result<Module, String> {
        let func = self.func;
        let mut to = Builder::like(func);
        to.share_slots(func);
        if cut != ModulePiece::After {
            let outputs = to.func.slots.iter_mut().filter(|slot| slot.kind == SlotKind::Output);
            outputs.for_each(|slot| slot.kind = SlotKind::Local);
        }
        let mut copier = Copier::new(func);
        for &inst in &func.region(func.body).insts {
            let place = self.loops.iter().position(|&l| l == inst);
            let data = func.inst(inst);
            let is_first = place == Some(0);
            let out = match (place, cut) {
                (None, _) => {
                    copier.copy(&mut Keep, &mut to, inst);
                    continue;
                }
                (Some(_), ModulePiece::Before) => copier.value(data.args[0]),
                (Some(place), ModulePiece::Rest) if place == self.last() => {
                    let state = self.state(&mut to);
                    run_loop(&mut copier, &mut to, (inst, over(func, inst)), &[state], &mut Keep)[0]
                }
                (Some(place), ModulePiece::After) if place == self.last() => {
                    let state = self.state(&mut to);
                    copier.set(data.results[0], state);
                    continue;
                }
                (Some(place), ModulePiece::Blocks | ModulePiece::Group | ModulePiece::Groups)
                    if place < self.last() =>
                {
                    let begin = if is_first { self.state(&mut to) } else { copier.value(data.args[0]) };
                    let result = match (is_first, cut) {
                        (_, ModulePiece::Blocks) => {
                            run_loop(&mut copier, &mut to, (inst, over(func, inst)), &[begin], &mut Keep)[0]
                        }
                        (true, _) => self.first_iteration(&mut copier, &mut to, begin, cut == ModulePiece::Groups),
                        (false, _) if self.is_short(inst) => {
                            copier.set(data.results[0], begin);
                            begin
                        }
                        (false, _) => run_loop(&mut copier, &mut to, (inst, over(func, inst)), &[begin], &mut Keep)[0],
                    };
                    if place + 1 < self.last() {
                        continue;
                    }
                    result
                }
                (Some(_), _) => continue,
            };
            let slot = self.slot(&mut to, "out", SlotKind::Output);
            to.emit(Op::Store { slot, index: Affine::constant(0) }, [out], &[]);
            break;
        }
        let module = Module { fields: self.module.fields.clone(), funcs: vec![to.finish()], entry: FuncId(0) };
        verified(&module)?;
        Ok(module)
    }

    fn is_short(&self, inst: Inst) -> bool {
        matches!(over(self.func, inst), Some(Over::Short { .. }))
    }

    /// Writes the one iteration of the first loop, and returns its result. The iteration's block is a group, if the
    /// loop needs the whole group.
    fn first_iteration(&self, copier: &mut Copier<'_>, to: &mut Builder, begin: Value, is_replaced: bool) -> Value {
        let first = self.loops[0];
        let (groups, Some(over)) = (&self.groups, over(self.func, first)) else { return begin };
        let mut inside = Inside { later: None, accumulators: Vec::new() };
        if is_replaced {
            inside.later = Some(groups.later);
            inside.accumulators = groups.carried.iter().map(|ty| self.states(to, *ty)).collect();
        }
        let (stream, which) = (over.stream(), Which { beyond: 0, iterations: Iterations::First });
        let of_group = Over::Whole { stream, block: groups.bytes, which };
        let counter = CounterId(to.func.counters);
        let result = run_loop(copier, to, (first, Some(of_group)), &[begin], &mut inside)[0];
        // In that iteration the counter is 0, so that bytes stay where they are; the law refuses those beyond the
        // group.
        for data in &mut to.func.insts {
            if let Op::Load { index, .. } = &mut data.op {
                let own =
                    index.terms.iter_mut().filter(|(of, factor)| (*of, *factor) == (counter, groups.least.into()));
                own.for_each(|(_, factor)| *factor = groups.bytes.into());
            }
        }
        result
    }

    fn slot(&self, to: &mut Builder, name: &str, kind: SlotKind) -> Slot {
        to.add_slot(&SlotData { name: name.to_owned(), kind, element: self.element, length: 1, group: 0 })
    }

    /// Adds one more state as an input, and loads it.
    fn state(&self, to: &mut Builder) -> Value {
        let slot = self.slot(to, "state", SlotKind::Input { shared: false });
        to.emit1(Op::Load { slot, index: Affine::constant(0) }, [], self.element)
    }

    /// Adds as many states as a value of this type holds side by side, and joins them.
    fn states(&self, to: &mut Builder, ty: Type) -> Value {
        if ty.lanes() == 1 {
            return self.state(to);
        }
        let states: Vec<Value> = (0..ty.lanes()).map(|_| self.state(to)).collect();
        to.emit1(Op::Join, states, ty)
    }
}

impl Groups {
    fn of(func: &Func, first: Inst, least: u32) -> Result<Groups, String> {
        let Op::Loop(l) = &func.inst(first).op else { return Err("there are no groups".to_owned()) };
        let later = |inst: &Inst| match &func.inst(*inst).op {
            Op::Loop(l) => later_groups(l).map(|bytes| (*inst, bytes)),
            _ => None,
        };
        let later: Vec<(Inst, u32)> = func.region(l.region).insts.iter().filter_map(later).collect();
        let [(later, bytes)] = later[..] else {
            return Err("the loop over all groups but the first is missing".to_owned());
        };
        let carried: Vec<Type> = func.inst(later).args.iter().map(|&value| func.ty(value)).collect();
        match carried.iter().all(|ty| ty.field().is_some()) && least >= bytes {
            true => Ok(Groups { bytes, least, later, carried }),
            false => Err("the loop over groups carries more than elements, or may have no group".to_owned()),
        }
    }

    /// Returns the number of elements that the loop carries.
    pub fn accumulators(&self) -> usize {
        self.carried.iter().map(|ty| ty.lanes() as usize).sum()
    }

    /// Whether the number of a loop's iterations, and where they begin after the last whole group, depend only on the
    /// number of blocks after that group; or on the number of blocks, if the first loop does not run.
    fn has(&self, inst: Inst, over: Over, around: &[&LoopData], block: u32) -> bool {
        if around.iter().any(|l| l.over.is_none() || later_groups(l).is_some()) {
            return false;
        }
        let is_short = |over: Over| matches!(over, Over::Short { block, .. } if block <= self.least);
        let is_known = match over {
            Over::Whole { .. } if inst == self.later || around.iter().filter_map(|l| l.over).any(is_short) => true,
            Over::Whole { block: own, which: Which { beyond, .. }, .. } => {
                beyond > 0 && self.bytes.is_multiple_of(own.saturating_mul(beyond))
            }
            Over::Short { .. } => around.is_empty() && is_short(over),
            Over::Rest { .. } => false,
        };
        is_known && over.block().is_multiple_of(block)
    }
}

/// Checks a module against the law of the IR.
pub(super) fn verified(module: &Module) -> Result<(), String> {
    let lines = |errors: Vec<VerifyError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    verify(module).map_err(lines)
}

/// Returns the size of a group in bytes, if a loop goes through the first group alone.
pub(super) fn first_group(over: Over) -> Option<u32> {
    match over {
        Over::Whole { block, which: Which { beyond: 0, iterations: Iterations::First }, .. } => Some(block),
        _ => None,
    }
}

/// Returns the size of a group in bytes, if a loop goes through all groups but the first.
fn later_groups(l: &LoopData) -> Option<u32> {
    match l.over {
        Some(Over::Whole { block, which: Which { beyond: 0, iterations: Iterations::Later }, .. }) => Some(block),
        _ => None,
    }
}

/// Writes a loop that begins with other values, and returns its results.
pub(super) fn run_loop(
    copier: &mut Copier<'_>,
    to: &mut Builder,
    (inst, over): (Inst, Option<Over>),
    states: &[Value],
    transform: &mut impl Transform,
) -> Vec<Value> {
    let data = copier.from.inst(inst);
    if let Op::Loop(l) = &data.op {
        let (new, around) = copier.begin_loop(to, &LoopData { over, ..**l }, states);
        let params = to.func.region(to.region).params.clone();
        copier.enter_loop(to, l, &params);
        let next = copier.region(transform, to, l.region);
        to.end_loop(around, next);
        let results = to.func.inst(new).results.clone();
        copier.set_all(&data.results, &results);
    }
    copier.all(&data.results).to_vec()
}

/// The loop over groups, with other accumulators after the first group.
struct Inside {
    later: Option<Inst>,
    accumulators: Vec<Value>,
}

impl Transform for Inside {
    fn inst(&mut self, copier: &mut Copier<'_>, to: &mut Builder, inst: Inst) {
        if self.later == Some(inst) {
            run_loop(copier, to, (inst, over(copier.from, inst)), &self.accumulators, &mut Keep);
        } else {
            copier.copy(&mut Keep, to, inst);
        }
    }
}

#[cfg(test)]
mod tests {
    use culet_ir::{Value, parse};

    use super::verified;

    #[test]
    fn pieces_that_break_the_law_are_refused() {
        let text = "entry fn main {\n  output r: w8[1]\n  v0 = const.w8 0x1\n  v1 = not.w8 v0\n  store r[0], v1\n}\n";
        let mut module = parse(text).expect("a module");
        assert_eq!(verified(&module), Ok(()));
        module.funcs[0].insts[1].args[0] = Value(1);
        let why = verified(&module).expect_err("it takes its own result");
        assert!(why.contains("v1"), "{why}");
    }
}
