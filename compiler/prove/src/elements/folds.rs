//! Division of a program that goes through a stream into pieces: the steps before the loop over the stream, its
//! iterations from any state on, and the steps after it. Each piece is a program of its own that takes its state as
//! parameters.

use culet_types::program::{
    Affine, Assign, Body, CounterId, Expr, ExprKind, Loop, Place, Program, Run, Shape, Step, Stream, Var, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The loop of a program over its stream.
pub(super) struct Fold<'p> {
    program: &'p Program,
    steps: &'p [Step],
    /// Index of the loop among the steps.
    at: usize,
    pub stream: &'p Stream,
    /// The variables that hand a value from before the loop on from iteration to iteration.
    state: Vec<VarId>,
    /// Number of the stream's bytes in each block, or in each element.
    pub block: u32,
}

/// A piece of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// The steps before the loop, which compute its initial state.
    Before,
    /// The loop, from any state, over blocks that do not end the stream: the state after it, and what it adds to results.
    Fold,
    /// The steps after the loop, which compute the results from any final state.
    After,
    /// The loop, from any state, and the steps after it.
    End,
}

impl<'p> Fold<'p> {
    pub fn of(program: &'p Program) -> Result<Fold<'p>, String> {
        let entry = program.entry();
        let Body::Steps(steps) = &entry.body else { return Err("a table has no stream".to_owned()) };
        let over_streams: Vec<(usize, &Loop, &Stream)> = steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match step {
                Step::Loop(l) => l.stream.as_ref().map(|stream| (at, l, stream)),
                Step::Assign(_) => None,
            })
            .collect();
        let [(at, l, stream)] = over_streams[..] else {
            return Err("programs with one fold are known here".to_owned());
        };
        let streams: Vec<VarId> = entry.params.iter().copied().filter(|&id| entry.var(id).stream).collect();
        let ([part], [only]) = (&stream.parts[..], &streams[..]) else {
            return Err("folds over one parameter, the only one of any length, are known here".to_owned());
        };
        let mut made: Vec<VarId> = stream.outputs.iter().map(|output| output.result).collect();
        let mut results: Vec<VarId> = entry.returns.iter().copied().filter(|&id| entry.var(id).stream).collect();
        made.sort();
        results.sort();
        if part != only || made != results {
            return Err(
                "folds over the one parameter of any length, which make all such results, are known here".to_owned()
            );
        }
        // A variable without a value before the loop is written before it is read in each iteration.
        let (mut inside, mut outside) = (Vec::new(), entry.params.clone());
        variables(&steps[..at], &mut outside, &mut Vec::new());
        let mut state: Vec<VarId> = stream.carried.iter().copied().filter(|id| outside.contains(id)).collect();
        // Functions carry the variables in this order.
        state.sort();
        let mut atoms = FxHashSet::default();
        written_atoms(&steps[..at], &mut FxHashMap::default(), &mut atoms);
        let is_whole = |id: &VarId| {
            entry.params.contains(id)
                || (0..i64::from(entry.var(*id).ty.atoms())).all(|atom| atoms.contains(&(*id, atom)))
        };
        if let Some(&id) = state.iter().find(|id| !is_whole(id)) {
            return Err(format!("not all of `{}` has a value before the fold", entry.var(id).name));
        }
        outside.clear();
        variables(&l.steps, &mut inside, &mut Vec::new());
        for (other, step) in steps.iter().enumerate().filter(|(other, _)| *other != at) {
            let (mut written, mut read) = (Vec::new(), Vec::new());
            variables(std::slice::from_ref(step), &mut written, &mut read);
            outside.extend(if other < at { written } else { [written, read].concat() });
        }
        if let Some(shared) = inside.iter().find(|var| !state.contains(var) && outside.contains(var)) {
            return Err(format!("the fold changes `{}`, too", entry.var(*shared).name));
        }
        if steps.iter().any(|step| has_inner_streams(step, true)) {
            return Err("loops over streams inside of others are not known here".to_owned());
        }
        let mut is_length_known = true;
        lengths(steps, &mut |part| is_length_known &= !entry.var(part).stream || part == *only);
        if !is_length_known {
            return Err("lengths of results are not known here".to_owned());
        }
        let each = u64::from(entry.var(*only).ty.atoms()) * u64::from(entry.var(*only).ty.atom.bits) / 8;
        let block = stream.blocks.map_or(each as u32, |blocks| blocks.bytes);
        if block == 0 {
            return Err("elements of a stream without bytes are not known here".to_owned());
        }
        Ok(Fold { program, steps, at, stream, state, block })
    }

    /// The variables that hand a value from before the loop on from iteration to iteration.
    pub fn carried(&self) -> impl Iterator<Item = &'p Var> + use<'_, 'p> {
        self.state.iter().map(|&id| self.program.entry().var(id))
    }

    /// Returns the inputs without the bytes of the stream that make no whole element, which a program does not read.
    /// Blocks of bytes are not such elements.
    pub fn whole<T: Clone>(&self, inputs: &[Vec<T>]) -> Vec<Vec<T>> {
        let entry = self.program.entry();
        let mut inputs = inputs.to_vec();
        for (&param, bytes) in entry.params.iter().zip(&mut inputs) {
            if entry.var(param).stream && self.stream.blocks.is_none() {
                bytes.truncate(bytes.len() - bytes.len() % self.block as usize);
            }
        }
        inputs
    }

    /// Returns a piece as a program. The state that the piece takes is more parameters, the last.
    pub fn piece(&self, piece: Piece) -> Program {
        let mut program = self.program.clone();
        let entry = program.entry;
        let node = &mut program.nodes[entry.0 as usize];
        let mut steps = self.steps[..self.at].to_vec();
        for (var, &id) in self.carried().zip(&self.state).filter(|_| piece != Piece::Before) {
            let state = VarId(node.vars.len() as u32);
            node.vars.push(Var { name: "state".to_owned(), stream: false, ..var.clone() });
            node.params.push(state);
            let count = var.ty.atoms();
            let whole = |var| Place { var, runs: vec![Run { start: Affine::constant(0), length: count, stride: 1 }] };
            let shape = Shape::of(var.ty.atom, count);
            let value = Expr { kind: ExprKind::Read(whole(state)), shape, span: var.span };
            steps.push(Step::Assign(Assign { targets: vec![whole(id)], value, span: var.span }));
        }
        if matches!(piece, Piece::Fold | Piece::End) {
            let mut step = self.steps[self.at].clone();
            // The blocks of a piece do not end the stream, and 0x80 and the length follow its end only.
            if let Step::Loop(Loop { stream: Some(Stream { blocks: Some(blocks), .. }), .. }) = &mut step
                && piece == Piece::Fold
            {
                blocks.length_bytes = 0;
            }
            steps.push(step);
        }
        match piece {
            Piece::Before => node.returns.clone_from(&self.state),
            Piece::Fold => {
                let made =
                    self.program.entry().returns.iter().copied().filter(|&id| self.program.entry().var(id).stream);
                node.returns = self.state.iter().copied().chain(made).collect();
            }
            Piece::After | Piece::End => steps.extend_from_slice(&self.steps[self.at + 1..]),
        }
        node.body = Body::Steps(steps);
        program
    }
}

/// Whether a step, which may be a loop over a stream itself, has such a loop inside of it.
fn has_inner_streams(step: &Step, is_outermost: bool) -> bool {
    match step {
        Step::Assign(_) => false,
        Step::Loop(l) => {
            !is_outermost && l.stream.is_some() || l.steps.iter().any(|step| has_inner_streams(step, false))
        }
    }
}

/// Visits the variables whose lengths are read.
fn lengths(steps: &[Step], visit: &mut impl FnMut(VarId)) {
    for step in steps {
        match step {
            Step::Loop(l) => lengths(&l.steps, visit),
            Step::Assign(assign) => {
                let mut waiting = vec![&assign.value];
                while let Some(expression) = waiting.pop() {
                    if let ExprKind::Length(parts) = &expression.kind {
                        parts.iter().for_each(|&part| visit(part));
                    }
                    expression.kind.for_each_operand(&mut |operand| waiting.push(operand));
                }
            }
        }
    }
}

/// The atoms that steps write, by the variable and the number.
fn written_atoms(steps: &[Step], counters: &mut FxHashMap<CounterId, i64>, atoms: &mut FxHashSet<(VarId, i64)>) {
    for step in steps {
        match step {
            Step::Assign(assign) => {
                for Place { var, runs } in &assign.targets {
                    for Run { start, length, stride } in runs {
                        let start = start.evaluate(|counter| counters.get(&counter).copied().unwrap_or(0));
                        atoms.extend((0..i64::from(*length)).map(|k| (*var, start + k * i64::from(*stride))));
                    }
                }
            }
            Step::Loop(l) if l.stream.is_none() => {
                for value in l.values() {
                    counters.insert(l.counter, value);
                    written_atoms(&l.steps, counters, atoms);
                }
            }
            Step::Loop(_) => {}
        }
    }
}

/// The variables that steps write and read.
pub(super) fn variables(steps: &[Step], written: &mut Vec<VarId>, read: &mut Vec<VarId>) {
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
