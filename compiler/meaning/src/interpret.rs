//! The interpreter: the one definition of what a [`Program`] means, for every [`Domain`].
//!
//! A node is first written out as *code* for a machine with a stack of words: operands before operators. Running code
//! needs no recursion, so neither long chains of calls nor deep expressions can exhaust the host's stack.

use std::ops::Range;

use culet_types::program::{
    BinaryOperator, Body, CounterId, Expr, ExprKind, Loop, Node, NodeId, Place, Program, Shape, ShiftOperator, Step,
    VarId,
};

use crate::Domain;

/// The words of the node's results, for words of its parameters: one vector a parameter or result, atoms in order.
pub fn run<D: Domain>(domain: &mut D, program: &Program, node: NodeId, inputs: &[Vec<D::Word>]) -> Vec<Vec<D::Word>> {
    Interpreter::new(program).run(domain, node, inputs)
}

/// A program ready to be run many times.
pub struct Interpreter<'p> {
    program: &'p Program,
    nodes: Vec<NodeCode<'p>>,
}

struct NodeCode<'p> {
    node: &'p Node,
    code: Vec<Op<'p>>,
    /// Where each variable's atoms are in the node's frame.
    extents: Vec<Range<usize>>,
    frame_size: usize,
    /// Number of argument atoms.
    arguments: usize,
}

/// One step of the machine. Operands are on top of the stack, first operand deepest, and give way to the result.
#[derive(Clone, Copy)]
enum Op<'p> {
    Constant(&'p [u64], &'p Shape),
    Read(&'p Place),
    Select(&'p Shape, &'p [Option<u32>], &'p Shape),
    Not(&'p Shape),
    Binary(BinaryOperator, &'p Shape),
    Shift(ShiftOperator, u32, &'p Shape),
    Shuffle(&'p [Option<u32>], &'p Shape),
    Bitmask(u32, &'p Shape),
    Pack(&'p Shape, &'p Shape),
    Conditional(&'p Shape),
    Call(NodeId),
    Write(&'p [Place]),
    /// The counter takes its first value.
    Enter(&'p Loop),
    /// On to the counter's next value and back to this position, unless this was the last.
    Again(&'p Loop, usize),
}

/// The running instance of a node.
struct Frame<W> {
    node: NodeId,
    next: usize,
    counters: Vec<i64>,
    /// The atoms of all variables. The elaborator has checked that every atom is written before it is read.
    memory: Vec<Option<W>>,
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Interpreter { program, nodes: program.nodes.iter().map(NodeCode::new).collect() }
    }

    /// See [`run`].
    pub fn run<D: Domain>(&self, domain: &mut D, node: NodeId, inputs: &[Vec<D::Word>]) -> Vec<Vec<D::Word>> {
        let definition = self.program.node(node);
        assert_eq!(inputs.len(), definition.params.len(), "one vector of words a parameter");
        for (&param, words) in definition.params.iter().zip(inputs) {
            assert_eq!(words.len(), definition.var(param).ty.atoms() as usize, "one word an atom");
        }
        let mut stack: Vec<D::Word> = inputs.iter().flatten().cloned().collect();
        self.execute(domain, node, &mut stack);
        let mut words = stack.into_iter();
        let lengths = definition.returns.iter().map(|&result| definition.var(result).ty.atoms() as usize);
        lengths.map(|length| words.by_ref().take(length).collect()).collect()
    }

    /// Replaces the arguments on the stack by the results.
    fn execute<D: Domain>(&self, domain: &mut D, node: NodeId, stack: &mut Vec<D::Word>) {
        let mut frames = Vec::new();
        self.call(domain, node, stack, &mut frames);
        while let Some(frame) = frames.last_mut() {
            let NodeCode { node, code, extents, .. } = &self.nodes[frame.node.0 as usize];
            let Some(&op) = code.get(frame.next) else {
                for &result in &node.returns {
                    stack.extend(frame.memory[extents[result.0 as usize].clone()].iter().map(defined));
                }
                frames.pop();
                continue;
            };
            frame.next += 1;
            match op {
                Op::Read(place) => frame.read(place, extents, stack),
                Op::Write(places) => frame.write(places, extents, stack),
                Op::Enter(l) => frame.counters[l.counter.0 as usize] = l.first,
                Op::Again(l, start) => {
                    let counter = &mut frame.counters[l.counter.0 as usize];
                    if *counter != l.last {
                        *counter += if l.first <= l.last { 1 } else { -1 };
                        frame.next = start;
                    }
                }
                Op::Call(callee) => self.call(domain, callee, stack, &mut frames),
                _ => op.compute(domain, stack),
            }
        }
    }

    /// A table answers at once; any other node gets a frame.
    fn call<D: Domain>(
        &self,
        domain: &mut D,
        callee: NodeId,
        stack: &mut Vec<D::Word>,
        frames: &mut Vec<Frame<D::Word>>,
    ) {
        let code = &self.nodes[callee.0 as usize];
        let start = stack.len() - code.arguments;
        if let Body::Table(table) = &code.node.body {
            let bits = code.node.var(code.node.params[0]).ty.atom.bits;
            let outputs = domain.table(bits, table, &stack[start..]);
            stack.truncate(start);
            stack.extend(outputs);
            return;
        }
        let mut memory = vec![None; code.frame_size];
        let mut words = stack.drain(start..);
        for &param in &code.node.params {
            for atom in &mut memory[code.extents[param.0 as usize].clone()] {
                *atom = words.next();
            }
        }
        frames.push(Frame { node: callee, next: 0, counters: vec![0; code.node.counters as usize], memory });
    }
}

impl<'p> NodeCode<'p> {
    fn new(node: &'p Node) -> Self {
        let mut frame_size = 0;
        let mut extents = Vec::with_capacity(node.vars.len());
        for var in &node.vars {
            let start = frame_size;
            frame_size += var.ty.atoms() as usize;
            extents.push(start..frame_size);
        }
        let atoms = |&param: &VarId| node.var(param).ty.atoms() as usize;
        let arguments = node.params.iter().map(atoms).sum();
        let mut code = Vec::new();
        if let Body::Steps(steps) = &node.body {
            write_steps(steps, &mut code);
        }
        NodeCode { node, code, extents, frame_size, arguments }
    }
}

fn write_steps<'p>(steps: &'p [Step], code: &mut Vec<Op<'p>>) {
    for step in steps {
        match step {
            Step::Assign(assign) => {
                write_expression(&assign.value, code);
                code.push(Op::Write(&assign.targets));
            }
            Step::Loop(l) => {
                code.push(Op::Enter(l));
                let start = code.len();
                write_steps(&l.steps, code);
                code.push(Op::Again(l, start));
            }
        }
    }
}

/// Operands before operators: the operators in reverse, each followed by its operands in reverse, reversed.
fn write_expression<'p>(expression: &'p Expr, code: &mut Vec<Op<'p>>) {
    let start = code.len();
    let mut waiting = vec![expression];
    while let Some(expression) = waiting.pop() {
        let shape = &expression.shape;
        match &expression.kind {
            ExprKind::Constant(values) => code.push(Op::Constant(values, shape)),
            ExprKind::Read(place) => code.push(Op::Read(place)),
            ExprKind::Concat(parts) => waiting.extend(parts),
            ExprKind::Select { operand, pattern } => {
                code.push(Op::Select(&operand.shape, pattern, shape));
                waiting.push(operand);
            }
            ExprKind::Not(operand) => {
                code.push(Op::Not(shape));
                waiting.push(operand);
            }
            ExprKind::Binary { operator, left, right } => {
                code.push(Op::Binary(*operator, shape));
                waiting.extend([&**left, right]);
            }
            ExprKind::Shift { operator, operand, amount } => {
                code.push(Op::Shift(*operator, *amount, shape));
                waiting.push(operand);
            }
            ExprKind::Shuffle { operand, pattern } => {
                code.push(Op::Shuffle(pattern, shape));
                waiting.push(operand);
            }
            ExprKind::Bitmask { operand, bit } => {
                code.push(Op::Bitmask(*bit, shape));
                waiting.push(operand);
            }
            ExprKind::Pack { high, low } => {
                code.push(Op::Pack(&high.shape, &low.shape));
                waiting.extend([&**high, low]);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                code.push(Op::Conditional(shape));
                waiting.extend([&**condition, then, otherwise]);
            }
            ExprKind::Call { node, argument } => {
                code.push(Op::Call(*node));
                waiting.push(argument);
            }
        }
    }
    code[start..].reverse();
}

impl Op<'_> {
    /// What needs nothing but the stack.
    fn compute<D: Domain>(self, domain: &mut D, stack: &mut Vec<D::Word>) {
        match self {
            Op::Constant(values, shape) => {
                stack.extend(values.iter().zip(shape.atoms()).map(|(&value, atom)| domain.constant(atom.bits, value)));
            }
            Op::Select(operand, pattern, shape) => {
                let words = stack.split_off(stack.len() - operand.count() as usize);
                stack.extend(pattern.iter().zip(shape.atoms()).map(|(source, atom)| match source {
                    Some(index) => words[*index as usize].clone(),
                    None => domain.constant(atom.bits, 0),
                }));
            }
            Op::Not(shape) => map(stack, shape, |bits, a| domain.not(bits, a)),
            Op::Binary(operator, shape) => zip(stack, shape, |bits, a, b| binary(domain, operator, bits, a, b)),
            Op::Shift(operator, amount, shape) => map(stack, shape, |bits, a| match operator {
                ShiftOperator::Left => domain.shl(bits, a, amount),
                ShiftOperator::Right => domain.shr(bits, a, amount),
                ShiftOperator::RightArithmetic => domain.sar(bits, a, amount),
                ShiftOperator::RotateLeft => domain.rotl(bits, a, amount),
            }),
            Op::Shuffle(pattern, shape) => map(stack, shape, |bits, a| domain.shuffle(bits, a, pattern)),
            Op::Bitmask(bit, shape) => map(stack, shape, |bits, a| {
                let chosen = domain.extract(bits, a, bit, 1);
                domain.broadcast_bit(bits, &chosen)
            }),
            Op::Pack(high, low) => {
                let mut low_bits = low.atoms().map(|atom| atom.bits);
                zip(stack, high, |high_bits, a, b| domain.concat(high_bits, a, low_bits.next().unwrap_or(1), b));
            }
            Op::Conditional(shape) => {
                let otherwise = stack.split_off(stack.len() - shape.count() as usize);
                let then = stack.split_off(stack.len() - otherwise.len());
                let condition = stack.pop().expect("a condition is below its branches");
                let branches = then.iter().zip(&otherwise).zip(shape.atoms());
                stack.extend(branches.map(|((a, b), atom)| domain.select(atom.bits, &condition, a, b)));
            }
            Op::Read(_) | Op::Call(_) | Op::Write(_) | Op::Enter(_) | Op::Again(..) => {
                unreachable!("needs more than the stack")
            }
        }
    }
}

fn binary<D: Domain>(domain: &mut D, operator: BinaryOperator, bits: u32, a: &D::Word, b: &D::Word) -> D::Word {
    match operator {
        BinaryOperator::And => domain.and(bits, a, b),
        BinaryOperator::Or => domain.or(bits, a, b),
        BinaryOperator::Xor => domain.xor(bits, a, b),
        BinaryOperator::Add => domain.add(bits, a, b),
        BinaryOperator::Subtract => domain.sub(bits, a, b),
        BinaryOperator::Multiply => domain.mul(bits, a, b),
    }
}

/// Replaces each of the `shape`'s atoms on top of the stack.
fn map<W>(stack: &mut [W], shape: &Shape, mut operation: impl FnMut(u32, &W) -> W) {
    let start = stack.len() - shape.count() as usize;
    for (word, atom) in stack[start..].iter_mut().zip(shape.atoms()) {
        *word = operation(atom.bits, word);
    }
}

/// Replaces two lists of atoms on top of the stack by one; `shape` is the first list's.
fn zip<W>(stack: &mut Vec<W>, shape: &Shape, mut operation: impl FnMut(u32, &W, &W) -> W) {
    let middle = stack.len() - shape.count() as usize;
    let start = middle - shape.count() as usize;
    let (left, right) = stack[start..].split_at_mut(middle - start);
    for ((left, right), atom) in left.iter_mut().zip(right).zip(shape.atoms()) {
        *left = operation(atom.bits, left, right);
    }
    stack.truncate(middle);
}

impl<W: Clone> Frame<W> {
    fn read(&self, place: &Place, extents: &[Range<usize>], stack: &mut Vec<W>) {
        let atoms = &self.memory[extents[place.var.0 as usize].clone()];
        stack.extend(positions(place, &self.counters).map(|position| defined(&atoms[position])));
    }

    fn write(&mut self, places: &[Place], extents: &[Range<usize>], stack: &mut Vec<W>) {
        let count: u32 = places.iter().flat_map(|place| &place.runs).map(|run| run.length).sum();
        let mut words = stack.drain(stack.len() - count as usize..);
        for place in places {
            let atoms = &mut self.memory[extents[place.var.0 as usize].clone()];
            for position in positions(place, &self.counters) {
                atoms[position] = words.next();
            }
        }
    }
}

/// The place's atoms in its variable.
fn positions(place: &Place, counters: &[i64]) -> impl Iterator<Item = usize> {
    place.runs.iter().flat_map(move |run| {
        let start = run.start.evaluate(|CounterId(counter)| counters[counter as usize]);
        (0..i64::from(run.length)).map(move |k| (start + k * i64::from(run.stride)) as usize)
    })
}

fn defined<W: Clone>(atom: &Option<W>) -> W {
    atom.clone().expect("the elaborator has checked that every atom is written before it is read")
}
