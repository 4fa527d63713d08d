//! The interpreter: the one definition of the meaning of a [`Program`], for every [`Domain`].
//!
//! A node is first written out as *code* for a machine with a stack of words: operands before operators. Running code
//! needs no recursion, so neither long chains of calls nor deep expressions can exhaust the host's stack.

use std::borrow::Cow;
use std::ops::Range;

use culet_types::program::{
    Blocks, Body, CounterId, Expr, ExprKind, Loop, Node, NodeId, Place, Program, Step, Stream, VarId,
};

use crate::machine::Machine;
use crate::packing::ConcreteValue;
use crate::{Concrete, ConcreteFields, Domain, FieldDomain, NoFields};

/// The words of the node's results, for words of its parameters: one vector a parameter or result, atoms in order. The
/// program has no fields.
pub fn run<D: Domain>(domain: &mut D, program: &Program, node: NodeId, inputs: &[Vec<D::Word>]) -> Vec<Vec<D::Word>> {
    Interpreter::new(program).run(domain, node, inputs)
}

/// An atom of a program that is interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<W, E> {
    Word(W),
    Element(E),
}

/// The values of a program over a domain of words and one of elements.
pub(crate) type ValueOf<D, F> = Value<<D as Domain>::Word, <F as FieldDomain<D>>::Element>;

/// A program ready to be run many times.
pub struct Interpreter<'p> {
    program: &'p Program,
    nodes: Vec<NodeCode<'p>>,
}

struct NodeCode<'p> {
    node: &'p Node,
    code: Vec<Op<'p>>,
    /// Extent of each variable's atoms in the node's frame.
    extents: Vec<Range<usize>>,
    frame_size: usize,
    /// Number of argument atoms.
    arguments: usize,
}

/// One step of the machine. Operands are on top of the stack, first operand deepest, and give way to the result.
#[derive(Clone, Copy)]
enum Op<'p> {
    Read(&'p Place),
    /// The number of bytes of these variables.
    Length(&'p [VarId]),
    /// An expression that needs nothing but the stack: everything but reads, tuples and calls.
    Compute(&'p Expr),
    Call(NodeId),
    Write(&'p [Place]),
    /// Sets the counter to its first value.
    Enter(&'p Loop),
    /// Sets the counter to its next value and goes back to this position, unless this was the last.
    Again(&'p Loop, usize),
    /// Loads the first element of the stream, or goes on to this position if there is none.
    Begin(&'p Loop, &'p Stream, usize),
    /// Keeps the results of the iteration, loads the next element and goes back to this position, unless this was the
    /// last.
    Next(&'p Loop, &'p Stream, usize),
}

/// The running instance of a node.
struct Frame<W> {
    node: NodeId,
    next: usize,
    counters: Vec<i64>,
    /// The atoms of all variables. The elaborator has checked that every atom is written before it is read.
    memory: Vec<Option<W>>,
    /// The values of each variable that is a stream.
    streams: Vec<Vec<W>>,
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Interpreter { program, nodes: program.nodes.iter().map(NodeCode::new).collect() }
    }

    /// See [`run`].
    pub fn run<D: Domain>(&self, domain: &mut D, node: NodeId, inputs: &[Vec<D::Word>]) -> Vec<Vec<D::Word>> {
        let inputs: Vec<_> = inputs.iter().map(|words| words.iter().cloned().map(Value::Word).collect()).collect();
        let outputs = self.run_values(domain, &mut NoFields, node, &inputs);
        let word = |value| match value {
            Value::Word(word) => word,
            Value::Element(none) => match none {},
        };
        outputs.into_iter().map(|values| values.into_iter().map(word).collect()).collect()
    }

    /// As [`Interpreter::run_values`] on machine words, compiled once for all callers.
    pub fn compute(&self, node: NodeId, inputs: &[Vec<ConcreteValue>]) -> Vec<Vec<ConcreteValue>> {
        self.run_values(&mut Concrete, &mut ConcreteFields, node, inputs)
    }

    /// The values of the node's results, for values of its parameters: one vector a parameter or result, atoms in
    /// order.
    pub fn run_values<D: Domain, F: FieldDomain<D>>(
        &self,
        domain: &mut D,
        fields: &mut F,
        node: NodeId,
        inputs: &[Vec<ValueOf<D, F>>],
    ) -> Vec<Vec<ValueOf<D, F>>> {
        self.run_part(domain, fields, node, inputs, None)
    }

    /// As [`Interpreter::run_values`], on the last part of a stream whose number of bytes is the word `length`: wherever
    /// the program asks for the length of a parameter that is a stream, it is told that number.
    pub fn run_part<D: Domain, F: FieldDomain<D>>(
        &self,
        domain: &mut D,
        fields: &mut F,
        node: NodeId,
        inputs: &[Vec<ValueOf<D, F>>],
        length: Option<D::Word>,
    ) -> Vec<Vec<ValueOf<D, F>>> {
        let definition = self.program.node(node);
        assert_eq!(inputs.len(), definition.params.len(), "one vector of values a parameter");
        let mut streams = vec![Vec::new(); definition.vars.len()];
        let mut stack = Vec::new();
        for (&param, values) in definition.params.iter().zip(inputs) {
            let var = definition.var(param);
            let atoms = var.ty.atoms() as usize;
            if var.stream {
                assert!(values.len().is_multiple_of(atoms), "whole elements of a stream");
                streams[param.0 as usize].clone_from(values);
            } else {
                assert_eq!(values.len(), atoms, "one value an atom");
                stack.extend_from_slice(values);
            }
        }
        let mut machine = Machine { domain, fields, program: self.program, stack, length };
        let mut streams = self.execute(&mut machine, node, streams);
        let mut values = machine.stack.into_iter();
        let result = |&id: &VarId| {
            let var = definition.var(id);
            match var.stream {
                true => std::mem::take(&mut streams[id.0 as usize]),
                false => values.by_ref().take(var.ty.atoms() as usize).collect(),
            }
        };
        definition.returns.iter().map(result).collect()
    }

    /// Replaces the arguments on the stack by the results, and gives the streams back.
    fn execute<D: Domain, F: FieldDomain<D>>(
        &self,
        machine: &mut Machine<'_, D, F>,
        node: NodeId,
        streams: Vec<Vec<ValueOf<D, F>>>,
    ) -> Vec<Vec<ValueOf<D, F>>> {
        let mut frames = Vec::new();
        self.call(machine, node, &mut frames);
        let mut streams = Some(streams);
        while let Some(frame) = frames.last_mut() {
            if frame.streams.is_empty() {
                frame.streams = streams.take().unwrap_or_default();
            }
            let NodeCode { node, code, extents, .. } = &self.nodes[frame.node.0 as usize];
            let Some(&op) = code.get(frame.next) else {
                for &result in node.returns.iter().filter(|&&id| !node.var(id).stream) {
                    machine.stack.extend(frame.memory[extents[result.0 as usize].clone()].iter().map(defined));
                }
                if let Some(frame) = frames.pop().filter(|_| frames.is_empty()) {
                    return frame.streams;
                }
                continue;
            };
            frame.next += 1;
            match op {
                Op::Read(place) => frame.read(place, extents, &mut machine.stack),
                Op::Length(parts) => {
                    let length = frame.length(machine, parts, node, extents);
                    machine.stack.push(Value::Word(length));
                }
                Op::Write(places) => frame.write(places, extents, &mut machine.stack),
                Op::Enter(l) => frame.counters[l.counter.0 as usize] = l.first,
                Op::Again(l, start) => {
                    let counter = &mut frame.counters[l.counter.0 as usize];
                    if *counter != l.last {
                        *counter += if l.first <= l.last { 1 } else { -1 };
                        frame.next = start;
                    }
                }
                Op::Begin(l, stream, end) => {
                    frame.counters[l.counter.0 as usize] = 0;
                    if !frame.load(machine, stream, l.counter, (node, extents)) {
                        frame.next = end;
                    }
                }
                Op::Next(l, stream, start) => {
                    for output in &stream.outputs {
                        let made = frame.memory[extents[output.made.0 as usize].clone()].iter().map(defined);
                        frame.streams[output.result.0 as usize].extend(made);
                        if stream.blocks.is_some() {
                            // Of the last block, no more bytes count than the stream has.
                            let length = frame.joined(&stream.parts, extents).len();
                            frame.streams[output.result.0 as usize].truncate(length);
                        }
                    }
                    frame.counters[l.counter.0 as usize] += 1;
                    if frame.load(machine, stream, l.counter, (node, extents)) {
                        frame.next = start;
                    }
                }
                Op::Call(callee) => self.call(machine, callee, &mut frames),
                Op::Compute(expression) => machine.compute(expression),
            }
        }
        // A table has answered at once.
        streams.unwrap_or_default()
    }

    /// Calls a node. A table answers at once; any other node gets a frame.
    fn call<D: Domain, F: FieldDomain<D>>(
        &self,
        machine: &mut Machine<'_, D, F>,
        callee: NodeId,
        frames: &mut Vec<Frame<ValueOf<D, F>>>,
    ) {
        let code = &self.nodes[callee.0 as usize];
        if let Body::Table(table) = &code.node.body {
            machine.table(code.node.var(code.node.params[0]).ty.atom.bits, table);
            return;
        }
        let mut memory = vec![None; code.frame_size];
        let start = machine.stack.len() - code.arguments;
        let mut values = machine.stack.drain(start..);
        for &param in code.node.params.iter().filter(|&&id| !code.node.var(id).stream) {
            for atom in &mut memory[code.extents[param.0 as usize].clone()] {
                *atom = values.next();
            }
        }
        let counters = vec![0; code.node.counters as usize];
        frames.push(Frame { node: callee, next: 0, counters, memory, streams: Vec::new() });
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
        let arguments = node.params.iter().filter(|&&id| !node.var(id).stream).map(atoms).sum();
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
            Step::Loop(l @ Loop { stream: Some(stream), .. }) => {
                let begin = code.len();
                code.push(Op::Begin(l, stream, 0));
                write_steps(&l.steps, code);
                code.push(Op::Next(l, stream, begin + 1));
                code[begin] = Op::Begin(l, stream, code.len());
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
        match &expression.kind {
            ExprKind::Read(place) => code.push(Op::Read(place)),
            ExprKind::Length(parts) => code.push(Op::Length(parts)),
            ExprKind::Concat(_) => {}
            ExprKind::Call { node, .. } => code.push(Op::Call(*node)),
            _ => code.push(Op::Compute(expression)),
        }
        expression.kind.for_each_operand(&mut |operand| waiting.push(operand));
    }
    code[start..].reverse();
}

impl<W: Clone> Frame<W> {
    /// The values of these variables, one after another, as a stream.
    fn joined(&self, parts: &[VarId], extents: &[Range<usize>]) -> Cow<'_, [W]> {
        // A stream has no value in memory, and any other variable no elements of a stream. Only the entry has streams.
        let elements = |part: &VarId| self.streams.get(part.0 as usize).map_or(&[][..], Vec::as_slice);
        if let [only] = parts
            && extents[only.0 as usize].is_empty()
        {
            return Cow::Borrowed(elements(only));
        }
        let mut all = Vec::new();
        for part in parts {
            all.extend_from_slice(elements(part));
            all.extend(self.memory[extents[part.0 as usize].clone()].iter().flatten().cloned());
        }
        Cow::Owned(all)
    }

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

impl<W: Clone, E: Clone> Frame<Value<W, E>> {
    /// The number of bytes of these variables, as a word.
    fn length<D: Domain<Word = W>, F: FieldDomain<D, Element = E>>(
        &self,
        machine: &mut Machine<'_, D, F>,
        parts: &[VarId],
        node: &Node,
        extents: &[Range<usize>],
    ) -> W {
        let is_part = |part: &VarId| machine.length.is_some() && node.var(*part).stream && node.params.contains(part);
        let (of_parts, known): (Vec<VarId>, Vec<VarId>) = parts.iter().partition(|part| is_part(part));
        let mut length = machine.domain.constant(64, self.joined(&known, extents).len() as u64);
        for _ in of_parts {
            if let Some(whole) = &machine.length {
                length = machine.domain.add(64, &length, whole);
            }
        }
        length
    }

    /// Puts the element with the counter's number into its variable; returns false if the stream has ended.
    fn load<D: Domain<Word = W>, F: FieldDomain<D, Element = E>>(
        &mut self,
        machine: &mut Machine<'_, D, F>,
        stream: &Stream,
        counter: CounterId,
        (node, extents): (&Node, &[Range<usize>]),
    ) -> bool {
        if let Some(blocks) = stream.blocks.filter(|blocks| blocks.length_bytes > 0) {
            return self.load_ended(machine, stream, counter, (node, extents), blocks);
        }
        let all = self.joined(&stream.parts, extents);
        let target = extents[stream.element.0 as usize].clone();
        let step = stream.blocks.map_or(target.len(), |blocks| blocks.bytes as usize);
        let start = self.counters[counter.0 as usize] as usize * step;
        if start >= all.len() {
            return false;
        }
        let own = &all[start..all.len().min(start + step)];
        let mut values: Vec<_> = own.iter().cloned().map(Some).collect();
        if let Some(pad) = stream.blocks.map(|blocks| blocks.pad).filter(|&pad| pad != 0) {
            values.push(Some(Value::Word(machine.domain.constant(8, u64::from(pad)))));
        }
        values.resize_with(target.len(), || Some(Value::Word(machine.domain.constant(8, 0))));
        self.memory[target].clone_from_slice(&values);
        true
    }
}

impl<W: Clone, E: Clone> Frame<Value<W, E>> {
    /// As [`Frame::load`], for a stream that 0x80, zeros and the number of its bits follow.
    fn load_ended<D: Domain<Word = W>, F: FieldDomain<D, Element = E>>(
        &mut self,
        machine: &mut Machine<'_, D, F>,
        stream: &Stream,
        counter: CounterId,
        (node, extents): (&Node, &[Range<usize>]),
        blocks: Blocks,
    ) -> bool {
        let all = self.joined(&stream.parts, extents);
        let size = blocks.bytes as usize;
        let end = (all.len() + 1 + blocks.length_bytes as usize).next_multiple_of(size);
        let start = self.counters[counter.0 as usize] as usize * size;
        if start >= end {
            return false;
        }
        let length = self.length(machine, &stream.parts, node, extents);
        // The number of bits has 67 bits.
        let bits = [machine.domain.shl(64, &length, 3), machine.domain.shr(64, &length, 61)];
        let mut values = Vec::with_capacity(size);
        for place in start..start + size {
            // The byte of the number of bits that stands there, if it is in the last bytes.
            let of_bits = (end - 1 - place) as u32;
            values.push(Some(match all.get(place) {
                Some(own) => own.clone(),
                None if place != all.len() && of_bits < blocks.length_bytes.min(16) => {
                    Value::Word(machine.domain.extract(64, &bits[of_bits as usize / 8], 8 * (of_bits % 8), 8))
                }
                None => Value::Word(machine.domain.constant(8, if place == all.len() { 0x80 } else { 0 })),
            }));
        }
        self.memory[extents[stream.element.0 as usize].clone()].clone_from_slice(&values);
        true
    }
}

/// Positions of the place's atoms in its variable.
fn positions(place: &Place, counters: &[i64]) -> impl Iterator<Item = usize> {
    place.runs.iter().flat_map(move |run| {
        let start = run.start.evaluate(|CounterId(counter)| counters[counter as usize]);
        (0..i64::from(run.length)).map(move |k| (start + k * i64::from(run.stride)) as usize)
    })
}

fn defined<W: Clone>(atom: &Option<W>) -> W {
    atom.clone().expect("the elaborator has checked that every atom is written before it is read")
}
