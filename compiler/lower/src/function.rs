//! A node's steps as a function: the homes of its variables, and the steps one by one.

mod streams;

use std::collections::{HashMap, HashSet};

use culet_ir::{
    FieldOp, Func, FuncId, Index, LoopData, Module, Op, Over, Slot, SlotData, SlotKind, Target, Type, Value, Which,
};
use culet_meaning::layout::byte_length;
use culet_types::program::{
    Affine, Blocks, Body, ByteOrder, CounterId, Expr, ExprKind, Loop, Node, NodeId, Place, Program, Shape, Step, Var,
    VarId,
};

use crate::builder::Builder;
use crate::pieces::{by_atom, length, piece_type, pieces, types};
use crate::table;
use crate::usage::{Carried, Usage, carried, fixed_atoms, is_indexed, operands, usages};

/// The home of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    /// In values, one per piece.
    Values,
    /// In a slot that is read and written.
    Memory(Slot),
    /// In a slot of the entry's that is only read.
    Input(Slot),
    /// In a table of constants, never written.
    Constants(Slot),
}

struct Function<'a> {
    program: &'a Program,
    node: &'a Node,
    functions: &'a HashMap<NodeId, FuncId>,
    module: &'a Module,
    builder: Builder,
    /// The target of slices of many instances, unless one instance is computed at a time.
    slices: Option<Target>,
    /// Whether parameters and results are bytes, as those of the entry for one instance are.
    is_bytes: bool,
    homes: Vec<Home>,
    /// The current value of each piece of the variables that live in values.
    current: Vec<Vec<Option<Value>>>,
    /// Elements of inputs that have been loaded, in the function's body.
    loaded: HashMap<(Slot, u32), Value>,
    /// The entry's slots for parameters.
    inputs: HashMap<VarId, Slot>,
    /// The entry's slots of streams, and of bytes that are not the pieces that are computed on.
    bytes: HashMap<VarId, Slot>,
    /// The slot of the rest of a stream while its last blocks are made.
    rest: Option<Slot>,
    /// The function's counters, or values, for the program's counters.
    counters: HashMap<CounterId, Counter>,
}

#[derive(Debug, Clone, Copy)]
enum Counter {
    /// Each loop has a counter of its own.
    Running(CounterId),
    /// A loop of one iteration is no loop.
    Fixed(i64),
}

pub(crate) fn function(
    program: &Program,
    id: NodeId,
    steps: &[Step],
    functions: &HashMap<NodeId, FuncId>,
    module: &Module,
    slices: Option<Target>,
) -> Func {
    let node = program.node(id);
    let is_entry = id == program.entry;
    let params = if is_entry { Vec::new() } else { types(&node.shape_of(&node.params)) };
    let mut func = Func::new(node.symbol.clone(), &params);
    (func.inline, func.no_opt, func.interleave) = (node.inline, node.no_opt, node.interleave);
    func.instruction = node.instruction;
    let mut function = Function {
        program,
        node,
        functions,
        module,
        builder: Builder::new(func),
        slices,
        is_bytes: is_entry && slices.is_none(),
        homes: vec![Home::Values; node.vars.len()],
        current: node.vars.iter().map(|var| vec![None; length(&var.ty) as usize]).collect(),
        loaded: HashMap::new(),
        inputs: HashMap::new(),
        bytes: HashMap::new(),
        rest: None,
        counters: HashMap::new(),
    };
    let outputs = function.find_homes(steps, is_entry);
    function.receive_params(is_entry);
    let homes = function.homes.clone();
    let carried = carried(node, steps, &|var: VarId| homes[var.0 as usize] == Home::Values);
    function.steps(steps, &carried);
    function.return_results(&outputs, is_entry);
    function.builder.func
}

impl Function<'_> {
    /// Gives every variable its home. Returns the entry's slots for results.
    fn find_homes(&mut self, steps: &[Step], is_entry: bool) -> HashMap<VarId, Slot> {
        let usages = usages(self.node, steps);
        let mut outputs = HashMap::new();
        if is_entry {
            // The function for one instance at a time has results first, as C functions have them.
            if self.is_bytes {
                self.add_results(&mut outputs);
            }
            for &id in &self.node.params {
                let var = self.node.var(id);
                let kind = if var.stream { SlotKind::Stream } else { SlotKind::Input { shared: var.shared } };
                let slot = self.add_interface_slot(id, kind);
                let map = if self.is_converted(id) { &mut self.bytes } else { &mut self.inputs };
                map.insert(id, slot);
            }
            if !self.is_bytes {
                self.add_results(&mut outputs);
            }
        }
        let node = self.node;
        for (index, usage) in usages.iter().enumerate() {
            let id = VarId(index as u32);
            self.homes[index] = match (self.inputs.get(&id), outputs.get(&id)) {
                (Some(&input), _) if !usage.is_written => Home::Input(input),
                _ if !usage.is_indexed => Home::Values,
                (_, Some(&output)) => Home::Memory(output),
                _ => match constant_elements(node.var(id), usage) {
                    Some(elements) if !node.params.contains(&id) && !node.returns.contains(&id) => {
                        Home::Constants(self.add_slot(id, SlotKind::Constants(elements)))
                    }
                    _ => Home::Memory(self.add_slot(id, SlotKind::Local)),
                },
            };
        }
        outputs
    }

    fn add_results(&mut self, outputs: &mut HashMap<VarId, Slot>) {
        for &id in &self.node.returns {
            let kind = if self.node.var(id).stream { SlotKind::OutStream } else { SlotKind::Output };
            let slot = self.add_interface_slot(id, kind);
            let map = if self.is_converted(id) { &mut self.bytes } else { &mut *outputs };
            map.insert(id, slot);
        }
    }

    /// Whether the entry's parameter or result comes or goes as bytes that are not the pieces that are computed on.
    fn is_converted(&self, id: VarId) -> bool {
        let var = self.node.var(id);
        let are_pieces = piece_type(var.ty.atom) == Type::Word(8) && var.bytes != ByteOrder::Planes;
        self.is_bytes && (var.stream || !are_pieces)
    }

    /// A slot for a parameter or result of the entry.
    fn add_interface_slot(&mut self, id: VarId, kind: SlotKind) -> Slot {
        let made = self.node.maker_of(id).map_or(id, |(_, made)| made);
        let ty = &self.node.var(made).ty;
        match self.is_converted(id) {
            true => self.add_slot_of(id, kind, Type::Word(8), byte_length(ty) as u32),
            false => self.add_slot(id, kind),
        }
    }

    fn add_slot(&mut self, id: VarId, kind: SlotKind) -> Slot {
        let ty = &self.node.var(id).ty;
        self.add_slot_of(id, kind, piece_type(ty.atom), length(ty))
    }

    fn add_slot_of(&mut self, id: VarId, kind: SlotKind, element: Type, length: u32) -> Slot {
        let name = self.node.var(id).name.clone();
        let length = if kind == SlotKind::Stream { 1 } else { length };
        self.add_named_slot(SlotData { name, kind, element, length, group: 0 })
    }

    /// A slot with this name, or one like it that is free.
    fn add_named_slot(&mut self, mut slot: SlotData) -> Slot {
        let taken: HashSet<&str> = self.builder.func.slots.iter().map(|slot| slot.name.as_str()).collect();
        let base = slot.name.clone();
        for number in 1.. {
            if !taken.contains(slot.name.as_str()) {
                break;
            }
            slot.name = format!("{base}_{number}");
        }
        self.builder.func.add_slot(slot)
    }

    /// Moves parameters that do not stay where they come in.
    fn receive_params(&mut self, is_entry: bool) {
        let mut arrived = self.builder.func.region(self.builder.func.body).params.clone().into_iter();
        for &id in &self.node.params {
            let var = self.node.var(id);
            let converted = self.bytes.get(&id).copied().filter(|_| !var.stream);
            let values: Vec<Value> = match converted {
                Some(bytes) => self.convert(id, bytes),
                None => arrived.by_ref().take(length(&var.ty) as usize).collect(),
            };
            let is_entry = is_entry && converted.is_none();
            match self.homes[id.0 as usize] {
                Home::Memory(slot) if is_entry => self.copy_slot(self.inputs[&id], slot),
                Home::Memory(slot) => {
                    for (index, value) in (0..).zip(values) {
                        self.builder.store(slot, Index::constant(index), value);
                    }
                }
                Home::Values if !is_entry => self.current[id.0 as usize] = values.into_iter().map(Some).collect(),
                _ => {}
            }
        }
    }

    /// The pieces of a parameter that comes as bytes.
    fn convert(&mut self, id: VarId, slot: Slot) -> Vec<Value> {
        let var = self.node.var(id);
        let length = self.builder.func.slot(slot).length;
        let bytes: Vec<Value> = (0..length).map(|byte| self.load_input(slot, byte)).collect();
        self.builder.pieces_from_bytes(&var.ty, var.bytes, &bytes)
    }

    /// Copies all elements of a slot into another of the same length.
    fn copy_slot(&mut self, from: Slot, to: Slot) {
        let last = i64::from(self.builder.func.slot(from).length) - 1;
        let counter = self.builder.func.add_counter();
        let region = self.builder.func.add_region(&[]);
        let outer = std::mem::replace(&mut self.builder.region, region);
        let index = Index { constant: 0, terms: vec![(counter, 1)] };
        let value = self.builder.load(from, index.clone());
        self.builder.store(to, index, value);
        self.builder.region = outer;
        let data = LoopData { counter, first: 0, last, unroll: None, lanes: None, over: None, region };
        self.builder.func.append(outer, Op::Loop(Box::new(data)), [], &[]);
    }

    fn return_results(&mut self, outputs: &HashMap<VarId, Slot>, is_entry: bool) {
        let mut results = Vec::new();
        // Streams have been made element by element.
        for &id in self.node.returns.iter().filter(|&&id| !self.node.var(id).stream) {
            let length = length(&self.node.var(id).ty);
            match self.homes[id.0 as usize] {
                Home::Memory(slot) if outputs.get(&id) == Some(&slot) => {}
                _ => {
                    let mut values: Vec<Value> = (0..length).map(|piece| self.piece(id, piece)).collect();
                    let converted = self.bytes.get(&id).copied();
                    if let Some(slot) = converted {
                        let (var, length) = (self.node.var(id), self.builder.func.slot(slot).length);
                        values = self.builder.pieces_to_bytes(&var.ty, var.bytes, &values, length);
                    }
                    match converted.as_ref().or(outputs.get(&id)) {
                        Some(&slot) => {
                            for (index, value) in (0..).zip(values) {
                                self.builder.store(slot, Index::constant(index), value);
                            }
                        }
                        None => results.extend(values),
                    }
                }
            }
        }
        if !is_entry {
            let body = self.builder.func.body;
            self.builder.func.region_mut(body).results = results;
        }
    }

    fn steps(&mut self, steps: &[Step], carried: &[Carried]) {
        let mut carried = carried.iter();
        for step in steps {
            match step {
                Step::Loop(l) => {
                    let carried = carried.next().expect("an entry for each loop");
                    self.loop_(l, carried);
                }
                Step::Assign(assign) => {
                    let is_constant = |place: &Place| matches!(self.homes[place.var.0 as usize], Home::Constants(_));
                    if !assign.targets.iter().all(is_constant) {
                        let values = self.expression(&assign.value);
                        self.write(&assign.targets, &values);
                    }
                }
            }
        }
    }

    /// A loop carries the pieces of its carried atoms.
    fn loop_(&mut self, l: &Loop, carried: &Carried) {
        if let Some(stream) = &l.stream {
            let (slot, element) = (self.stream(&stream.parts), self.node.var(stream.element));
            let block = stream.blocks.map_or(byte_length(&element.ty) as u32, |blocks| blocks.bytes);
            self.running_loop(l, carried, Some(Over::Whole { stream: slot, block, which: Which::default() }));
            match stream.blocks {
                Some(Blocks { length_bytes: 0, .. }) => {
                    self.running_loop(l, carried, Some(Over::Rest { stream: slot, block, least: 1 }));
                }
                Some(blocks) => self.last_blocks(l, carried, slot, blocks),
                None => {}
            }
        } else if l.first == l.last {
            self.counters.insert(l.counter, Counter::Fixed(l.first));
            self.steps(&l.steps, &carried.inner);
        } else {
            self.running_loop(l, carried, None);
        }
    }

    fn running_loop(&mut self, l: &Loop, carried: &Carried, over: Option<Over>) {
        let atoms = |&(var, atom): &(VarId, u32)| {
            let width = pieces(self.node.var(var).ty.atom);
            (atom * width..(atom + 1) * width).map(move |piece| (var, piece))
        };
        let written: Vec<(VarId, u32)> = carried.written.iter().flat_map(atoms).collect();
        let carried_pieces: Vec<(VarId, u32)> = carried.atoms.iter().flat_map(atoms).collect();
        let types: Vec<Type> = carried_pieces.iter().map(|&(var, _)| piece_type(self.node.var(var).ty.atom)).collect();
        let initial: Vec<Value> =
            carried_pieces.iter().zip(&types).map(|(&(var, piece), &ty)| self.initial(var, piece, ty)).collect();

        let region = self.builder.func.add_region(&types);
        let outer = std::mem::replace(&mut self.builder.region, region);
        let counter = self.builder.func.add_counter();
        self.counters.insert(l.counter, Counter::Running(counter));
        let params = self.builder.func.region(region).params.clone();
        self.set_pieces(&carried_pieces, &params);
        if let (Some(stream), Some(over)) = (&l.stream, over) {
            self.receive_block(stream, over, counter);
        }
        self.steps(&l.steps, &carried.inner);
        if let (Some(rest), Some(Over::Rest { .. })) = (self.rest, over) {
            // Nothing of the rest is in the last block.
            let zero = self.builder.word(Type::Word(8), 0);
            let length = self.builder.func.slot(rest).length;
            (0..length).for_each(|byte| self.builder.store(rest, Index::constant(byte.into()), zero));
        }
        for output in l.stream.iter().flat_map(|stream| &stream.outputs) {
            match over {
                Some(Over::Rest { stream, block, .. }) => self.end_stream(output, stream, block),
                _ => self.add_to_stream(output, counter),
            }
        }
        let results = carried_pieces.iter().map(|&(var, piece)| self.piece(var, piece)).collect();
        self.builder.func.region_mut(region).results = results;
        self.builder.region = outer;

        let (first, last) = if over.is_some() { LoopData::UNBOUNDED } else { (l.first, l.last) };
        let lanes =
            l.stream.as_ref().and_then(|stream| stream.lanes).filter(|_| matches!(over, Some(Over::Whole { .. })));
        let data = LoopData { counter, first, last, unroll: l.unroll, lanes, over, region };
        let inst = self.builder.func.append(outer, Op::Loop(Box::new(data)), initial, &types);
        let finals = self.builder.func.inst(inst).results.to_vec();
        for (var, piece) in written {
            self.current[var.0 as usize][piece as usize] = None;
        }
        self.set_pieces(&carried_pieces, &finals);
    }

    fn set_pieces(&mut self, pieces: &[(VarId, u32)], values: &[Value]) {
        for (&(var, piece), &value) in pieces.iter().zip(values) {
            self.current[var.0 as usize][piece as usize] = Some(value);
        }
    }

    /// The value of a carried piece before the loop; any value if nobody has written the piece yet, because then the
    /// loop does.
    fn initial(&mut self, var: VarId, piece: u32, ty: Type) -> Value {
        match self.current[var.0 as usize][piece as usize] {
            Some(value) => value,
            None if self.inputs.contains_key(&var) => self.piece(var, piece),
            None => self.builder.zero(ty),
        }
    }

    /// The value of a piece now, at a position that no counter moves.
    fn piece(&mut self, var: VarId, piece: u32) -> Value {
        let index = Index::constant(piece.into());
        match self.homes[var.0 as usize] {
            Home::Values => match (self.current[var.0 as usize][piece as usize], self.inputs.get(&var)) {
                (Some(value), _) => value,
                (None, Some(&input)) => self.load_input(input, piece),
                (None, None) => unreachable!("the elaborator has checked that {} is written", self.node.var(var).name),
            },
            Home::Input(slot) | Home::Constants(slot) => self.load_input(slot, piece),
            Home::Memory(slot) => self.builder.load(slot, index),
        }
    }

    /// An element of a slot that nobody writes: loaded once, in the function's body.
    fn load_input(&mut self, slot: Slot, index: u32) -> Value {
        let data = self.builder.func.slot(slot);
        let (ty, body) = (data.element, self.builder.func.body);
        if let SlotKind::Constants(values) = &data.kind {
            let value = values[index as usize];
            return self.builder.word(ty, value);
        }
        if let Some(&known) = self.loaded.get(&(slot, index)) {
            return known;
        }
        let op = Op::Load { slot, index: Index::constant(index.into()) };
        let value = self.builder.func.append1(body, op, [], ty);
        self.loaded.insert((slot, index), value);
        value
    }

    fn read(&mut self, place: &Place) -> Vec<Value> {
        let width = pieces(self.node.var(place.var).ty.atom);
        if !is_indexed(place) {
            let wanted: Vec<u32> = fixed_atoms(place).flat_map(|atom| atom * width..(atom + 1) * width).collect();
            return wanted.into_iter().map(|piece| self.piece(place.var, piece)).collect();
        }
        let slot = match self.homes[place.var.0 as usize] {
            Home::Input(slot) | Home::Constants(slot) | Home::Memory(slot) => slot,
            Home::Values => unreachable!("variables with moving positions live in slots"),
        };
        self.indices(place, width).into_iter().map(|index| self.builder.load(slot, index)).collect()
    }

    fn write(&mut self, targets: &[Place], values: &[Value]) {
        let mut values = values.iter().copied();
        for place in targets {
            let width = pieces(self.node.var(place.var).ty.atom);
            let indices = self.indices(place, width);
            for (index, value) in indices.into_iter().zip(&mut values) {
                match self.homes[place.var.0 as usize] {
                    Home::Values => {
                        self.current[place.var.0 as usize][index.constant as usize] = Some(value);
                    }
                    Home::Memory(slot) => self.builder.store(slot, index, value),
                    Home::Constants(_) => {}
                    Home::Input(_) => unreachable!("inputs that are written live elsewhere"),
                }
            }
        }
    }

    /// Positions of a place's pieces in its slot.
    fn indices(&self, place: &Place, width: u32) -> Vec<Index> {
        let mut indices = Vec::new();
        let scale = i64::from(width);
        for run in &place.runs {
            let Affine { mut constant, mut terms } = Affine::constant(run.start.constant);
            for &(counter, factor) in &run.start.terms {
                match self.counters[&counter] {
                    Counter::Running(counter) => terms.push((counter, factor * scale)),
                    Counter::Fixed(value) => constant += factor * value,
                }
            }
            terms.sort_unstable();
            for k in 0..i64::from(run.length) {
                let first = (constant + k * i64::from(run.stride)) * scale;
                indices.extend((first..first + scale).map(|constant| Affine { constant, terms: terms.clone() }));
            }
        }
        indices
    }

    /// The pieces of an expression's value. Operands wait on a stack of their own, so that no depth is too deep.
    fn expression(&mut self, expression: &Expr) -> Vec<Value> {
        enum Task<'e> {
            Visit(&'e Expr),
            Finish(&'e Expr, usize),
        }
        let mut tasks = vec![Task::Visit(expression)];
        let mut done: Vec<Vec<Value>> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(expression) => {
                    let operands = operands(expression);
                    tasks.push(Task::Finish(expression, operands.len()));
                    tasks.extend(operands.into_iter().rev().map(Task::Visit));
                }
                Task::Finish(expression, count) => {
                    let operands = done.split_off(done.len() - count);
                    done.push(self.operation(expression, operands));
                }
            }
        }
        done.pop().expect("an expression has a value")
    }

    fn operation(&mut self, expression: &Expr, values: Vec<Vec<Value>>) -> Vec<Value> {
        let shape = &expression.shape;
        let b = &mut self.builder;
        match &expression.kind {
            ExprKind::Constant(constants) => {
                let atoms = constants.iter().zip(shape.atoms());
                atoms.flat_map(|(&value, atom)| b.constant_atom(atom, value)).collect()
            }
            ExprKind::Read(place) => self.read(place),
            ExprKind::Length(parts) => vec![self.length_of(parts)],
            ExprKind::Concat(_) => values.concat(),
            ExprKind::Select { operand, pattern } => {
                let atoms: Vec<&[Value]> = by_atom(&operand.shape, &values[0]).collect();
                let sources = pattern.iter().zip(shape.atoms());
                let chosen = sources.flat_map(|(source, atom)| match source {
                    Some(index) => atoms[*index as usize].to_vec(),
                    None => b.constant_atom(atom, 0),
                });
                chosen.collect()
            }
            ExprKind::Not(_) => b.not_atom(&values[0]),
            ExprKind::Binary { operator, .. } => {
                let pairs = by_atom(shape, &values[0]).zip(by_atom(shape, &values[1]));
                shape.atoms().zip(pairs).flat_map(|(atom, (x, y))| b.binary_atom(atom, *operator, x, y)).collect()
            }
            ExprKind::Shift { operator, amount, .. } => {
                each(shape, &values[0], |atom, x| b.shift_atom(atom, *operator, *amount, x))
            }
            ExprKind::Shuffle { pattern, .. } => each(shape, &values[0], |atom, x| b.shuffle_atom(atom, pattern, x)),
            ExprKind::Bitmask { bit, .. } => each(shape, &values[0], |atom, x| b.bitmask_atom(atom, *bit, x)),
            ExprKind::Pack { high, low } => {
                let pairs = by_atom(&high.shape, &values[0]).zip(by_atom(&low.shape, &values[1]));
                shape.atoms().zip(pairs).flat_map(|(atom, (x, y))| b.pack_atoms(atom, x, y)).collect()
            }
            ExprKind::Conditional { .. } => b.select_pieces(values[0][0], &values[1], &values[2]),
            ExprKind::Call { node, .. } => self.call(*node, values.concat()),
            ExprKind::Elements(elements) => {
                let atoms = elements.iter().zip(shape.atoms());
                atoms.map(|(value, atom)| b.element_constant(piece_type(atom), value)).collect()
            }
            ExprKind::Negate(_) => values[0].iter().map(|&x| b.same(Op::Field(FieldOp::Neg), &[x])).collect(),
            ExprKind::Regroup { order, .. } => {
                let width = shape.atoms().next().map_or(1, |atom| atom.bits);
                b.regroup(b.bits_of(&values[0], *order), *order, width)
            }
            ExprKind::Decode(_) => match shape.atoms().next() {
                Some(atom) => b.decode(piece_type(atom), &values[0], shape.count()),
                None => Vec::new(),
            },
            ExprKind::Encode(operand) => {
                let sizes = operand.shape.atoms().map(|atom| atom.bits.div_ceil(8));
                let elements = sizes.zip(&values[0]).map(|(bytes, &x)| b.encode(x, bytes));
                elements.collect::<Vec<_>>().concat()
            }
            ExprKind::Declassify { .. } => values.concat(),
            ExprKind::Lookup { index, .. } => match self.slices {
                None => b.lookup(&shape.atoms().collect::<Vec<_>>(), &values[0], index, values[1][0]),
                Some(target) => b.sliced_lookup(shape, &values[0], index, &values[1], target),
            },
        }
    }

    fn call(&mut self, callee: NodeId, args: Vec<Value>) -> Vec<Value> {
        let (id, node) = (self.functions[&callee], self.program.node(callee));
        match &node.body {
            Body::Table(table) => {
                let width = pieces(node.var(node.params[0]).ty.atom);
                table::apply(&mut self.builder, id, table, width, &args)
            }
            Body::Steps(_) => self.builder.call(id, args, &self.module.func(id).result_types()),
        }
    }
}

/// The elements of a table of constants, where the direction has words for it.
fn constant_elements(var: &Var, usage: &Usage) -> Option<Vec<u64>> {
    if !matches!(piece_type(var.ty.atom), Type::Word(_)) || !usage.is_written {
        return None;
    }
    let atoms = usage.constants.as_ref()?;
    let values = atoms.iter().flat_map(|value| crate::pieces::constant(var.ty.atom, value.unwrap_or(0)));
    Some(values.map(|lanes| lanes[0]).collect())
}

fn each(
    shape: &Shape,
    values: &[Value],
    mut operation: impl FnMut(culet_types::program::Atom, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    shape.atoms().zip(by_atom(shape, values)).flat_map(|(atom, x)| operation(atom, x)).collect()
}
