//! A fold over a stream, and the function that computes it, in pieces: what is before the fold, turns of it from any state on, and
//! what is after it. Each piece is a program, or a module, of its own, whose state comes in as a parameter.

use culet_ir::rewrite::{Builder, Copier, Keep, Transform};
use culet_ir::{Func, FuncId, Inst, LoopData, Module, Op, Over, Slot, SlotData, SlotKind, Turns, Type, Value, Which};
use culet_types::program::{
    Affine, Assign, Body, Expr, ExprKind, Loop, Place, Program, Run, Shape, Step, Stream, Var, VarId,
};

/// The fold of a program.
pub(super) struct Fold<'p> {
    program: &'p Program,
    steps: &'p [Step],
    /// Which step it is.
    at: usize,
    pub block: u32,
    /// The variable that it carries: one element.
    pub carried: &'p Var,
    id: VarId,
}

/// Which piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// What the fold begins with.
    Before,
    /// What it makes of a state.
    Fold,
    /// The results, for what it ends with.
    After,
}

impl<'p> Fold<'p> {
    pub fn of(program: &'p Program) -> Result<Fold<'p>, String> {
        let entry = program.entry();
        let Body::Steps(steps) = &entry.body else { return Err("a table has no stream".to_owned()) };
        let folds: Vec<(usize, &Loop, &Stream)> = steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match step {
                Step::Loop(l) => l.stream.as_ref().map(|stream| (at, l, stream)),
                Step::Assign(_) => None,
            })
            .collect();
        let [(at, l, stream)] = folds[..] else { return Err("programs with one fold are known here".to_owned()) };
        let ([id], Some(blocks), []) = (&stream.carried[..], stream.blocks, &stream.outputs[..]) else {
            return Err("folds over blocks that carry one variable are known here".to_owned());
        };
        if blocks.length_bytes > 0 {
            return Err("folds of messages that end with their length are not known here".to_owned());
        }
        let carried = entry.var(*id);
        if carried.ty.atoms() != 1 || carried.ty.atom.field().is_none() {
            return Err(format!("`{}` is not one element of a field", carried.name));
        }
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        variables(&l.steps, &mut inside, &mut Vec::new());
        for (other, step) in steps.iter().enumerate().filter(|(other, _)| *other != at) {
            let (mut written, mut read) = (Vec::new(), Vec::new());
            variables(std::slice::from_ref(step), &mut written, &mut read);
            outside.extend(if other < at { written } else { [written, read].concat() });
        }
        if let Some(shared) = inside.iter().find(|var| *var != id && outside.contains(var)) {
            return Err(format!("the fold changes `{}`, too", entry.var(*shared).name));
        }
        Ok(Fold { program, steps, at, block: blocks.bytes, carried, id: *id })
    }

    /// A piece; what takes a state has it as one more parameter, the last.
    pub fn piece(&self, piece: Piece) -> Program {
        let mut program = self.program.clone();
        let entry = program.entry;
        let node = &mut program.nodes[entry.0 as usize];
        let state = VarId(node.vars.len() as u32);
        node.vars.push(Var { name: "state".to_owned(), stream: false, ..self.carried.clone() });
        let whole = |var| Place { var, runs: vec![Run { start: Affine::constant(0), length: 1, stride: 1 }] };
        let value = Expr {
            kind: ExprKind::Read(whole(state)),
            shape: Shape::of(self.carried.ty.atom, 1),
            span: self.carried.span,
        };
        let take = Assign { targets: vec![whole(self.id)], value, span: self.carried.span };
        let mut steps = self.steps[..self.at].to_vec();
        if piece != Piece::Before {
            node.params.push(state);
            steps.push(Step::Assign(take));
        }
        match piece {
            Piece::Before => {}
            Piece::Fold => steps.push(self.steps[self.at].clone()),
            Piece::After => steps.extend_from_slice(&self.steps[self.at + 1..]),
        }
        if piece != Piece::After {
            node.returns = vec![self.id];
        }
        node.body = Body::Steps(steps);
        program
    }
}

/// The variables that steps write and read.
fn variables(steps: &[Step], written: &mut Vec<VarId>, read: &mut Vec<VarId>) {
    for step in steps {
        match step {
            Step::Loop(l) => variables(&l.steps, written, read),
            Step::Assign(assign) => {
                written.extend(assign.targets.iter().map(|place| place.var));
                let mut waiting = vec![&assign.value];
                while let Some(expression) = waiting.pop() {
                    if let ExprKind::Read(place) = &expression.kind {
                        read.push(place.var);
                    }
                    expression.kind.for_each_operand(&mut |operand| waiting.push(operand));
                }
            }
        }
    }
}

/// The loops over the stream in a module: the first takes what the fold begins with, the last gives what it ends with.
pub(super) struct Loops<'m> {
    module: &'m Module,
    func: &'m Func,
    /// In order.
    loops: Vec<Inst>,
    pub groups: Option<Groups>,
    /// The field's type.
    element: Type,
}

/// The loop over whole groups of blocks.
pub(super) struct Groups {
    /// Bytes of a group.
    pub bytes: u32,
    /// The loop over all groups but the first, inside.
    later: Inst,
    /// How many elements it carries.
    pub accumulators: usize,
}

/// Which piece of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// What the first loop begins with.
    Before,
    /// What one of the loops, by its place, makes of a state.
    Loop(usize),
    /// What the loop over groups makes of a state, when the accumulators after its first group are something else.
    Groups,
    /// The outputs, for what the last loop ends with.
    After,
}

impl<'m> Loops<'m> {
    /// Loops over blocks of so many bytes, that together go through all of the stream.
    pub fn of(module: &'m Module, block: u32) -> Result<Loops<'m>, String> {
        let func = module.entry();
        let over = |inst: &Inst| match &func.inst(*inst).op {
            Op::Loop(l) => l.over,
            _ => None,
        };
        let body = &func.region(func.body).insts;
        let loops: Vec<Inst> = body.iter().copied().filter(|inst| over(inst).is_some()).collect();
        let overs: Vec<Over> = loops.iter().filter_map(over).collect();
        let whole = |over: &Over, turns| match *over {
            Over::Whole { block, which, .. } if which.turns == turns => Some((block, which.beyond)),
            _ => None,
        };
        let first = overs.first().and_then(|over| whole(over, Turns::First));
        let rest = &overs[usize::from(first.is_some())..];
        let expected = match first {
            Some((group, 0)) if group.is_multiple_of(block) => group / block,
            Some(_) => return Err("groups are not of whole blocks".to_owned()),
            None => 0,
        };
        let is_all = match rest {
            [all, Over::Rest { block: left, least: 1, .. }] => {
                whole(all, Turns::All) == Some((block, expected)) && *left == block
            }
            _ => false,
        };
        let is_one_stream = overs.iter().all(|over| over.stream() == overs[0].stream());
        if !is_all || !is_one_stream {
            return Err("the loops over the stream do not go through all of it, block after block".to_owned());
        }
        let groups = match first {
            Some((bytes, _)) => Some(Groups::of(func, loops[0], bytes)?),
            None => None,
        };
        let element = func.ty(func.inst(loops[0]).args.first().copied().ok_or("a loop carries nothing")?);
        let found = Loops { module, func, loops, groups, element };
        found.check()?;
        Ok(found)
    }

    pub fn count(&self) -> usize {
        self.loops.len()
    }

    /// Whether each loop takes one element from the one before, which nothing else sees; whether they touch no memory, and nothing
    /// else sees where the stream ends.
    fn check(&self) -> Result<(), String> {
        let func = self.func;
        let uses = func.use_counts();
        for (place, &inst) in self.loops.iter().enumerate() {
            let data = func.inst(inst);
            let ([arg], [result]) = (&data.args[..], &data.results[..]) else {
                return Err("a loop over the stream carries more than an element".to_owned());
            };
            let is_next = place == 0 || func.inst(self.loops[place - 1]).results[0] == *arg;
            let is_last = place + 1 == self.loops.len();
            if func.ty(*arg) != self.element || !is_next || (!is_last && uses[result.index()] != 1) {
                return Err("the loops over the stream do not hand on one element".to_owned());
            }
        }
        let mut wrong = None;
        func.walk(&mut |inst, data, around| {
            let is_inside = around.iter().any(|l| l.over.is_some());
            let is_later = self.groups.as_ref().is_some_and(|groups| groups.later == inst);
            let is_in_rest = matches!(around, [LoopData { over: Some(Over::Rest { .. }), .. }]);
            match &data.op {
                Op::Store { .. } if is_inside => wrong = Some("a loop over the stream writes memory"),
                Op::Length { .. } => wrong = Some("the stream's length is read"),
                Op::Tail { .. } if !is_in_rest => wrong = Some("the stream's end is read outside of the last loop"),
                Op::Loop(l) if is_inside && l.over.is_some() && !is_later => {
                    wrong = Some("a loop over the stream is inside of another one");
                }
                Op::Loop(l) if !is_inside && l.over.is_some() && !self.loops.contains(&inst) => {
                    wrong = Some("a loop over the stream is inside of another loop");
                }
                Op::Call(_) => wrong = Some("calls are to be inlined before"),
                _ => {}
            }
        });
        wrong.map_or(Ok(()), |wrong| Err(wrong.to_owned()))
    }

    /// A piece as a module: its states are the last inputs, and one element is its output, or, after the loops, the outputs are those
    /// of the whole.
    pub fn cut(&self, cut: Cut) -> Module {
        let func = self.func;
        let mut to = Builder::like(func);
        to.share_slots(func);
        if cut != Cut::After {
            let outputs = to.func.slots.iter_mut().filter(|slot| slot.kind == SlotKind::Output);
            outputs.for_each(|slot| slot.kind = SlotKind::Local);
        }
        let mut copier = Copier::new(func);
        for &inst in &func.region(func.body).insts {
            let place = self.loops.iter().position(|&l| l == inst);
            let data = func.inst(inst);
            let state = match (place, cut) {
                (None, _) => {
                    copier.copy(&mut Keep, &mut to, inst);
                    continue;
                }
                (Some(_), Cut::Before) => copier.value(data.args[0]),
                (Some(place), Cut::Loop(kept)) if place == kept => {
                    let state = self.state(&mut to);
                    run_loop(&mut copier, &mut to, inst, &[state], &mut Keep)
                }
                (Some(0), Cut::Groups) => {
                    let state = self.state(&mut to);
                    let groups = self.groups.as_ref();
                    let accumulators = (0..groups.map_or(0, |groups| groups.accumulators)).map(|_| self.state(&mut to));
                    let accumulators = accumulators.collect();
                    let mut inside = Inside { later: groups.map(|groups| groups.later), accumulators };
                    run_loop(&mut copier, &mut to, inst, &[state], &mut inside)
                }
                (Some(place), Cut::After) if place + 1 == self.loops.len() => {
                    let state = self.state(&mut to);
                    copier.set(data.results[0], state);
                    continue;
                }
                (Some(_), _) => continue,
            };
            let out = self.slot(&mut to, "out", SlotKind::Output);
            to.emit(Op::Store { slot: out, index: Affine::constant(0) }, [state], &[]);
            break;
        }
        Module { fields: self.module.fields.clone(), funcs: vec![to.finish()], entry: FuncId(0) }
    }

    fn slot(&self, to: &mut Builder, name: &str, kind: SlotKind) -> Slot {
        to.add_slot(&SlotData { name: name.to_owned(), kind, element: self.element, length: 1, group: 0 })
    }

    /// One more state.
    fn state(&self, to: &mut Builder) -> Value {
        let slot = self.slot(to, "state", SlotKind::Input { shared: false });
        to.emit1(Op::Load { slot, index: Affine::constant(0) }, [], self.element)
    }
}

impl Groups {
    fn of(func: &Func, first: Inst, bytes: u32) -> Result<Groups, String> {
        let Op::Loop(l) = &func.inst(first).op else { return Err("there are no groups".to_owned()) };
        let insts = &func.region(l.region).insts;
        let loops: Vec<Inst> = insts
            .iter()
            .copied()
            .filter(|inst| matches!(&func.inst(*inst).op, Op::Loop(l) if l.over.is_some()))
            .collect();
        let expected = l.over.map(|over| Over::Whole {
            stream: over.stream(),
            block: bytes,
            which: Which { beyond: 0, turns: Turns::Later },
        });
        let is_later = |inst: &Inst| matches!(&func.inst(*inst).op, Op::Loop(l) if l.over == expected);
        match loops[..] {
            [later] if is_later(&later) => {
                let carried = &func.inst(later).args;
                if carried.iter().all(|&value| matches!(func.ty(value), Type::Field(_))) {
                    return Ok(Groups { bytes, later, accumulators: carried.len() });
                }
                Err("the loop over groups carries more than elements".to_owned())
            }
            _ => Err("the loop over all groups but the first is missing".to_owned()),
        }
    }
}

/// Writes a loop that begins with other values; the answer is its first result.
fn run_loop(
    copier: &mut Copier<'_>,
    to: &mut Builder,
    inst: Inst,
    states: &[Value],
    transform: &mut impl Transform,
) -> Value {
    let data = copier.from.inst(inst);
    if let Op::Loop(l) = &data.op {
        let (new, around) = copier.begin_loop(to, l, states);
        let params = to.func.region(to.region).params.clone();
        copier.enter_loop(to, l, &params);
        let next = copier.region(transform, to, l.region);
        to.end_loop(around, next);
        let results = to.func.inst(new).results.clone();
        copier.set_all(&data.results, &results);
    }
    copier.value(data.results[0])
}

/// The loop over groups, with other accumulators after the first group.
struct Inside {
    later: Option<Inst>,
    accumulators: Vec<Value>,
}

impl Transform for Inside {
    fn inst(&mut self, copier: &mut Copier<'_>, to: &mut Builder, inst: Inst) {
        if self.later == Some(inst) {
            run_loop(copier, to, inst, &self.accumulators, &mut Keep);
        } else {
            copier.copy(&mut Keep, to, inst);
        }
    }
}
