//! Statements as the text of a function.

mod streams;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use culet_ir::{CounterId, Func, FuncId, Index, Over, Slot, SlotData, SlotKind};
use culet_types::program::Family;

use super::build::{Built, is_by_value};
use super::calls::Framed;
use super::copies::Copies;
use super::followed;
use super::graph::{Arrays, Carried, Graph, Kind, Loop, NodeId, Place, Statement, Ty, Variable};
use super::lines::{Line, bounded};
use super::live::{Live, is_transparent, visit};
use super::made::{self, Made};
use super::names::Names;
use super::rounds;
use super::shared::{Shared, Table};
use super::syntax::{ATOM, Parameter, Role, Spread, Syntax, Text};
use super::words::Integers;

/// Maximum width of a line, in columns; longer lines are broken.
const WIDTH: usize = 110;

/// The heading of a function: its parameters are its inputs and outputs in order.
pub(crate) fn heading(func: &Func, symbol: &str, integers: Integers, syntax: &dyn Syntax) -> String {
    let names = Names::of(func, &[], &HashMap::new(), syntax);
    syntax.heading(symbol, &parameters(func, integers, &names), Role::Public)
}

fn parameters<'n>(func: &Func, integers: Integers, names: &'n Names) -> Vec<Parameter<'n>> {
    (0..func.slots.len()).filter_map(|index| parameter(func, index, integers, names)).collect()
}

/// The parameter that a slot is for callers; none if they do not see it.
fn parameter<'n>(func: &Func, index: usize, integers: Integers, names: &'n Names) -> Option<Parameter<'n>> {
    let (slot, name) = (&func.slots[index], &names.slots[index]);
    match slot.kind {
        _ if is_by_value(slot, integers) => Some(Parameter::Value(name, integers.word())),
        SlotKind::Input { .. } => Some(Parameter::Array(name, memory(slot, integers), length(slot, integers), false)),
        SlotKind::Output => Some(Parameter::Array(name, memory(slot, integers), length(slot, integers), true)),
        SlotKind::Stream if names.is_in_place(index) => None,
        SlotKind::Stream => names.streams.get(&index).map(|[length, _]| Parameter::Stream(name, length)),
        SlotKind::OutStream => Some(Parameter::OutStream(name)),
        SlotKind::Local | SlotKind::Constants(_) | SlotKind::Part | SlotKind::Joined(_) => None,
    }
}

/// The type of a slot's elements in memory.
fn memory(slot: &SlotData, integers: Integers) -> Ty {
    if is_in_registers(slot, integers) { Ty::U64 } else { Ty::of(slot.element.bits()) }
}

/// Whether elements of several instances are in memory as registers have them: all that callers see, except bytes.
fn is_in_registers(slot: &SlotData, integers: Integers) -> bool {
    integers.has_lanes && matches!(slot.kind, SlotKind::Input { .. } | SlotKind::Output) && slot.element.bits() != 8
}

/// Number of elements of a parameter, for all instances.
fn length(slot: &SlotData, integers: Integers) -> u32 {
    match slot.kind {
        SlotKind::Input { shared: true } => slot.length,
        _ => slot.length * integers.instances(),
    }
}

/// The tables that a function reads, each once.
pub(crate) fn used_tables(func: &Func, built: &Built, integers: Integers) -> Vec<Table> {
    let is_used = used_slots(func, &built.graph, &Live::of(&built.graph, &built.body), &built.body);
    let mut tables: Vec<Table> = Vec::new();
    for (slot, _) in func.slots.iter().zip(is_used).filter(|(_, is_used)| *is_used) {
        let table = table(slot, integers);
        tables.extend(table.filter(|table| !tables.iter().any(|other| other.is_same(table))));
    }
    tables
}

fn table(slot: &SlotData, integers: Integers) -> Option<Table> {
    let SlotKind::Constants(values) = &slot.kind else { return None };
    Some(Table { name: slot.name.clone(), ty: memory(slot, integers), values: values.clone() })
}

/// The definition of a table that several functions have.
pub(crate) fn table_text(name: &str, table: &Table, syntax: &dyn Syntax) -> String {
    let text = syntax.constants(name, table.ty, &table.values);
    let mut out = String::new();
    push_broken(&mut out, &Line { depth: 0, text, is_first: true, is_fixed: true, defines: None }, syntax.breaks());
    out
}

/// Whether a function's statements need a slot, by its number.
fn used_slots(func: &Func, graph: &Graph, live: &Live, body: &[Statement]) -> Vec<bool> {
    let mut is_used = vec![false; func.slots.len()];
    visit(graph, live, body, &mut |slot, _| {
        if let Some(is_used) = is_used.get_mut(slot.index()) {
            *is_used = true;
        }
    });
    for index in 0..func.slots.len() {
        if let SlotKind::Joined(parts) = &func.slots[index].kind
            && is_used[index]
        {
            parts.iter().for_each(|part| is_used[part.index()] = true);
        }
    }
    is_used
}

/// The definition of a function. Tables that are `shared` stand elsewhere.
pub(crate) fn definition(
    framed: &Framed,
    built: &Built,
    symbol: &str,
    shared: &Shared,
    integers: Integers,
    syntax: &dyn Syntax,
) -> String {
    let (Framed { func, border, taken, places, .. }, Built { graph, body, memory }) = (framed, built);
    let names = Names::of(func, taken, places, syntax);
    let role = match border {
        None => Role::Public,
        Some(_) if func.inline == Some(false) => Role::Kept,
        Some(_) => Role::Private,
    };
    let mut text = syntax.heading(symbol, &parameters(func, integers, &names), role);
    text.push_str(if syntax.opens_on_new_line() { "\n{\n" } else { " {\n" });
    text.push_str(&syntax.beginning(symbol, &parameters(func, integers, &names)));
    let live = Live::of(graph, body);
    let mut writer = Writer {
        framed,
        func,
        graph,
        integers,
        syntax,
        stops: followed::stops(graph, &live, body, syntax),
        live,
        texts: vec![None; graph.nodes.len()],
        pending: Vec::new(),
        shifts: vec![0; func.counters as usize],
        counters: vec![None; func.counters as usize],
        open_blocks: Vec::new(),
        erased: Vec::new(),
        names,
        lines: Vec::new(),
        depth: 1,
        made: made::of(func),
        opened: HashSet::new(),
    };
    writer.check_room();
    writer.slots(body, *memory, shared);
    writer.block(|writer| {
        for statement in body {
            writer.open_streams(statement);
            writer.statement(statement);
        }
        writer.erase(0);
    });
    for line in &writer.lines {
        push_broken(&mut text, line, syntax.breaks());
    }
    text.push_str("}\n");
    text
}

/// Adds a line, which is broken if it is too long.
fn push_broken(out: &mut String, line: &Line, breaks: &[&str]) {
    let indent = 4 * line.depth;
    out.push_str(&" ".repeat(indent));
    let mut column = indent;
    for part in pieces(&line.text, breaks) {
        if column > indent + 4 && column + part.len() > WIDTH {
            let _ = write!(out, "\n{}", " ".repeat(indent + 4));
            column = indent + 4;
            let part = part.trim_start();
            out.push_str(part);
            column += part.len();
        } else {
            out.push_str(part);
            column += part.len();
        }
    }
    while out.ends_with(' ') {
        out.pop();
    }
    out.push('\n');
}

struct Writer<'f> {
    framed: &'f Framed,
    func: &'f Func,
    graph: &'f Graph,
    integers: Integers,
    syntax: &'f dyn Syntax,
    live: Live,
    /// Expressions whose names no tool is to follow.
    stops: Vec<bool>,
    names: Names,
    /// Text of each expression where it is used.
    texts: Vec<Option<Text>>,
    /// Expressions that read memory and are not written yet.
    pending: Vec<NodeId>,
    /// Offset that is added to each counter's value, so that it is never negative.
    shifts: Vec<i64>,
    counters: Vec<Option<String>>,
    /// Streams whose blocks the loops around the next statement have.
    open_blocks: Vec<usize>,
    /// Arrays of the function's own that are to be overwritten: name, element, length.
    erased: Vec<(String, Ty, u32)>,
    lines: Vec<Line>,
    depth: usize,
    /// The results of any length.
    made: HashMap<Slot, Made>,
    /// Those, and joined streams with them, that are streams where the writer is.
    opened: HashSet<Slot>,
}

impl Writer<'_> {
    /// Adds a statement.
    fn line(&mut self, text: &str) {
        self.push(text, true, None);
    }

    fn define(&mut self, name: &str, ty: Ty, value: &Text) {
        self.push(&self.syntax.define(name, ty, value), true, Some(name.to_owned()));
    }

    fn push(&mut self, text: &str, is_first: bool, defines: Option<String>) {
        self.lines.push(Line { depth: self.depth, text: text.to_owned(), is_first, is_fixed: false, defines });
    }

    /// Adds what `write` adds, a block at this depth.
    fn block(&mut self, write: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.lines);
        write(self);
        let block = bounded(std::mem::replace(&mut self.lines, before), self.depth, self.syntax);
        self.lines.extend(block);
    }

    /// Declares the function's own memory, and constants.
    fn slots(&mut self, body: &[Statement], memory_length: u32, shared: &Shared) {
        let func = self.func;
        let is_used = used_slots(func, self.graph, &self.live, body);
        for (index, slot) in func.slots.iter().enumerate() {
            let (name, ty) = (&self.names.slots[index], memory(slot, self.integers));
            let line = match &slot.kind {
                SlotKind::Local | SlotKind::Part if is_used[index] => {
                    let ty = if self.integers.has_lanes { self.integers.register() } else { ty };
                    let is_memory = self.framed.memory == Some(Slot(index as u32));
                    let length = if is_memory { memory_length } else { slot.length };
                    self.erased.push((name.clone(), ty, length));
                    self.syntax.local(name, ty, length)
                }
                SlotKind::Constants(values) if is_used[index] => {
                    if let Some(name) = table(slot, self.integers).and_then(|table| shared.name(&table)) {
                        self.names.slots[index] = name.to_owned();
                        continue;
                    }
                    let equal = |other: &SlotData| other.kind == slot.kind && other.element == slot.element;
                    let same =
                        func.slots[..index].iter().zip(&is_used).position(|(other, is_used)| *is_used && equal(other));
                    if let Some(same) = same {
                        self.names.slots[index] = self.names.slots[same].clone();
                        continue;
                    }
                    self.syntax.constants(name, ty, values)
                }
                SlotKind::Joined(parts) if parts.iter().any(|part| self.made.contains_key(part)) => continue,
                SlotKind::Joined(_) => self.syntax.joined_length(&self.stream(Slot(index as u32), 1)),
                _ if is_used[index] => continue,
                _ => match parameter(func, index, self.integers, &self.names) {
                    Some(parameter) => self.syntax.ignore(&parameter),
                    None => continue,
                },
            };
            self.line(&line);
        }
    }

    /// Overwrites the arrays that were declared since there were only `before`: they may hold secrets.
    fn erase(&mut self, before: usize) {
        if self.erased.len() == before {
            return;
        }
        self.flush();
        for (name, ty, length) in self.erased.split_off(before) {
            let counter = self.names.erasing();
            for line in self.syntax.erase(&name, ty, length, &counter) {
                self.line(&line);
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Node(id) => self.node(*id),
            Statement::Store(place, id) => {
                // In the place of a text, a part of it cannot be read within the call that writes there.
                if self.framed.places.values().any(|result| *result == place.slot) {
                    self.flush();
                }
                let value = self.operand(*id);
                self.flush();
                let line = match self.in_lanes(place) {
                    Some(at) => self.syntax.store_lanes(&at, &value),
                    None => self.store(place, self.graph.ty(*id), &value),
                };
                self.line(&line);
            }
            Statement::Loop(l) => self.loop_(l),
            Statement::Tail(tail) => self.tail(tail),
            Statement::StoreTail(end) => self.store_tail(end),
            Statement::Call(callee, arrays) => self.call(*callee, arrays),
            Statement::Copies(copy) => self.copy(copy),
        }
    }

    /// The text of an expression, for one more use.
    fn take(&mut self, id: NodeId) -> Text {
        self.pending.retain(|&other| other != id);
        self.texts[id.0 as usize].clone().unwrap_or_default()
    }

    /// Gives names to the pending reads from memory, before memory changes.
    fn flush(&mut self) {
        for id in std::mem::take(&mut self.pending) {
            self.name(id);
        }
    }

    /// Writes an expression where it stands, under a name.
    fn name(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let mut text = self.texts[id.0 as usize].clone().unwrap_or_default();
        if self.live.leaves[id.0 as usize] {
            text = self.syntax.across(node.ty, text);
        }
        let name = match &node.kind {
            Kind::Load(place) if place.index.terms.is_empty() => {
                let array = &self.names.slots[place.slot.index()];
                // Runs have numbers for names.
                let has_runs = self.integers.has_runs && self.framed.border.is_some();
                let between = if has_runs && array.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
                let name = format!("{array}{between}{}", place.index.constant);
                let name = self.syntax.cased(&name, false);
                self.names.take(&if self.syntax.is_reserved(&name) { name + "_" } else { name })
            }
            _ => self.names.temporary(),
        };
        let line = match self.stops[id.0 as usize] {
            true => self.syntax.define_by_pattern(&name, node.ty, &text),
            false => self.syntax.define(&name, node.ty, &text),
        };
        self.push(&line, true, Some(name.clone()));
        self.texts[id.0 as usize] = Some(Text::atom(name));
    }

    /// Gives an expression its text. That is a name if it is used more than once, or in another block. It is a name for instructions on four
    /// registers, too: compilers leave these in the order of the text. Otherwise it is the expression itself.
    fn node(&mut self, id: NodeId) {
        let (index, node) = (id.0 as usize, self.graph.node(id));
        if self.live.uses[index] == 0 || is_transparent(self.graph, id) {
            return;
        }
        let text = self.expression(id);
        let (reads, is_atom) = (text.reads, text.is_atom);
        self.texts[index] = Some(text);
        let is_word = matches!(node.kind, Kind::Load(_)) && node.ty >= Ty::U32;
        let is_shared = self.live.is_shared(id);
        let is_instruction = matches!(node.kind, Kind::Round(_)) && node.ty == Ty::Quad;
        if is_word || is_instruction || (is_shared && !is_atom) {
            self.name(id);
        } else if reads {
            self.pending.push(id);
        }
    }

    fn expression(&mut self, id: NodeId) -> Text {
        let graph = self.graph;
        let node = graph.node(id);
        match &node.kind {
            Kind::Literal(value) => {
                let literal = self.syntax.literal(*value, node.ty);
                Text { is_literal: true, is_atom: true, ..literal }
            }
            Kind::Words(_) => self.syntax.operation(&node.kind, node.ty, &[]),
            Kind::Variable(Variable::Parameter(slot)) => Text::atom(self.names.slots[slot.index()].clone()),
            Kind::Variable(Variable::Length(slot)) => self.syntax.length(&self.stream(*slot, 1)),
            Kind::Variable(Variable::Carried(number)) => Text::atom(self.names.variable(*number)),
            Kind::Load(place) => {
                let text = match self.in_lanes(place) {
                    Some(at) => Text::new(self.syntax.load_lanes(&at, node.width() / 8), ATOM),
                    None => self.load(place, node.ty, node.width()),
                };
                Text { reads: true, ..text }
            }
            Kind::Halves(place, is_high) => {
                let text =
                    self.in_stream(place).map(|stream| self.syntax.halves(&stream, place.index.constant, *is_high));
                Text { reads: true, ..text.unwrap_or_default() }
            }
            kind => {
                let args: Vec<Text> = node.args.iter().map(|&arg| self.operand(arg)).collect();
                let ty = node.args.first().map_or(node.ty, |&arg| graph.ty(arg));
                let ty = if matches!(kind, Kind::Convert | Kind::Join) { node.ty } else { ty };
                let mut text = self.syntax.operation(kind, ty, &args);
                text.is_bit = node.most <= 1;
                text.reads = args.iter().any(|arg| arg.reads);
                if is_transparent(graph, id) {
                    text.unconverted = Some((Box::new(args[0].clone()), graph.ty(node.args[0])));
                }
                text
            }
        }
    }

    /// An operand; a conversion to a wider type is written anew where it is used.
    fn operand(&mut self, id: NodeId) -> Text {
        if is_transparent(self.graph, id) { self.expression(id) } else { self.take(id) }
    }

    /// Location of a place in lanes: each instance has a value of its own, or one word stands for all.
    fn in_lanes(&self, place: &Place) -> Option<Spread<'_>> {
        let slot = self.func.slots.get(place.slot.index()).filter(|_| self.integers.has_lanes)?;
        let name = &self.names.slots[place.slot.index()];
        let step = match slot.kind {
            SlotKind::Input { shared: false } | SlotKind::Output if is_in_registers(slot, self.integers) => {
                let index = place.index.times(i64::from(self.integers.instances()));
                return Some(Spread::Register { name, index: self.index(&index) });
            }
            SlotKind::Input { shared: true } => 0,
            SlotKind::Input { .. } | SlotKind::Output => slot.length,
            SlotKind::Constants(_) => return Some(Spread::Word(self.place(place))),
            SlotKind::Local | SlotKind::Stream | SlotKind::OutStream | SlotKind::Part | SlotKind::Joined(_) => {
                return None;
            }
        };
        Some(Spread::Bytes { name, index: self.index(&place.index), step })
    }

    /// Loads an element, or bytes as a word of `bits` bits or as a register.
    fn load(&self, place: &Place, ty: Ty, bits: u32) -> Text {
        let (name, index) = self.array(place);
        let word = self.word_at(place, ty, bits);
        let has_words = self.func.slots.get(place.slot.index()).is_some_and(|slot| slot.element.bits() == 64);
        match word {
            Some(word) if has_words && ty.is_lanes() => self.syntax.load_words(name, &index, word),
            Some(word) => self.syntax.load_word(name, &index, word),
            None => Text::new(format!("{name}[{index}]"), ATOM),
        }
    }

    fn store(&self, place: &Place, ty: Ty, value: &Text) -> String {
        let (name, index) = self.array(place);
        let word = self.word_at(place, ty, ty.bits());
        match word {
            Some(word) => self.syntax.store_word(name, &index, word, value),
            None => self.syntax.assign(&format!("{name}[{index}]"), value),
        }
    }

    /// The type of a word of `bits` bits, or of a register, that stands for several elements.
    fn word_at(&self, place: &Place, ty: Ty, bits: u32) -> Option<Ty> {
        // Of several instances, an element of an array of the function's own is a register.
        if ty.is_lanes() || ty == Ty::Quad {
            return (!self.integers.has_lanes).then_some(ty);
        }
        // The ends of streams are no slots.
        let slot = self.func.slots.get(place.slot.index());
        // Of several instances, each byte of an array of the function's own is a register.
        let is_register = self.integers.has_lanes && slot.is_some_and(|slot| slot.kind == SlotKind::Local);
        let element = slot.map_or(8, |slot| slot.element.bits());
        (element == 8 && bits > 8 && !is_register).then_some(Ty::of(bits))
    }

    fn place(&self, place: &Place) -> String {
        let (name, index) = self.array(place);
        format!("{name}[{index}]")
    }

    /// The array of a place, and the index.
    fn array(&self, place: &Place) -> (&str, String) {
        match self.in_stream(place) {
            Some(stream) => (&stream.names[1], place.index.constant.to_string()),
            None => (&self.names.slots[place.slot.index()], self.index_of(place)),
        }
    }

    /// The text of the index of a place in an array. In a function of several instances, which is long, LLVM does not see that an index is in the
    /// array if a counter is taken off.
    fn index_of(&self, place: &Place) -> String {
        let index = self.index(&place.index);
        let is_less = place.index.terms.iter().any(|(_, factor)| *factor < 0);
        match self.func.slots.get(place.slot.index()) {
            Some(slot) if self.integers.has_lanes && is_less => self.syntax.index_within(index, slot.length),
            _ => index,
        }
    }

    /// The text of an index. Terms that are added come first, so that no partial sum is negative.
    fn index(&self, index: &Index) -> String {
        let mut constant = index.constant;
        let mut plus: Vec<String> = Vec::new();
        let mut minus: Vec<String> = Vec::new();
        for &(counter, factor) in &index.terms {
            constant -= factor * self.shifts[counter.0 as usize];
            let name = self.counters[counter.0 as usize].clone().unwrap_or_default();
            let term = if factor.abs() == 1 { name } else { format!("{} * {name}", factor.abs()) };
            if factor > 0 { plus.push(term) } else { minus.push(term) }
        }
        if constant > 0 || plus.is_empty() {
            plus.push(constant.to_string());
        } else if constant < 0 {
            minus.push((-constant).to_string());
        }
        let mut text = plus.join(" + ");
        for term in minus {
            let _ = write!(text, " - {term}");
        }
        text
    }

    fn loop_(&mut self, l: &Loop) {
        self.flush();
        let mut is_first = true;
        let live: Vec<Carried> = l.carried.iter().filter(|carried| self.live.is_read(carried)).copied().collect();
        for carried in &live {
            let first = self.operand(carried.first);
            let name = self.names.variable(carried.number);
            // Variables and their loop are one statement.
            let stays = !self.live.advances(carried)
                || self.graph.node(carried.next).kind == Kind::Variable(Variable::Carried(carried.number));
            let text = match stays {
                true => self.syntax.unchanged(&name, carried.ty, &first),
                false => self.syntax.variable(&name, carried.ty, &first),
            };
            self.push(&text, is_first, Some(name));
            is_first = false;
        }
        let advancing: Vec<Carried> = live.into_iter().filter(|carried| self.live.advances(carried)).collect();
        let hidden = self.name_blocks(l);
        let is_read = self.is_counter_read(l);
        let (heading, end) = self.around(l, is_read);
        for line in heading {
            self.push(&line, is_first, None);
            is_first = false;
        }
        self.depth += 1;
        let gathered = match l.data.over {
            Some(over @ Over::Whole { stream, .. }) if is_read && !self.parts(stream).is_empty() => {
                self.names.streams.get(&stream.index()).map(|[_, own]| (own.clone(), Ty::U8, over.block()))
            }
            _ => None,
        };
        self.block(|writer| {
            let arrays = writer.erased.len();
            writer.erased.extend(gathered);
            writer.statements(&l.body);
            writer.erase(arrays);
            writer.advance(&advancing);
        });
        self.depth -= 1;
        for (slot, name) in hidden {
            self.open_blocks.retain(|open| *open != slot || name.is_some());
            if let (Some(name), Some([_, block])) = (name, self.names.streams.get_mut(&slot)) {
                *block = name;
            }
        }
        for line in end {
            self.push(&line, false, None);
        }
    }

    /// Whether the body of a loop reads its counter or, in a loop over a stream, its block.
    fn is_counter_read(&self, l: &Loop) -> bool {
        let stream = l.data.over.map(|over| over.stream());
        reads_counter(&l.body, l.data.counter, stream, self.graph, &self.live)
    }

    /// The lines before and after a loop's body.
    fn around(&mut self, l: &Loop, is_read: bool) -> (Vec<String>, Vec<String>) {
        let data = &l.data;
        let name = self.names.counter(self.depth - 1);
        let counter = data.counter.0 as usize;
        self.counters[counter] = Some(name.clone());
        let end = vec!["}".to_owned()];
        let Some(over) = data.over else {
            let shift = -data.first.min(data.last).min(0);
            self.shifts[counter] = shift;
            let (first, last) = ((data.first + shift) as u64, (data.last + shift) as u64);
            let heading = self.syntax.loop_heading(&name, first, last, is_read);
            let has_rounds = rounds::has_rounds(&l.body, self.graph, Family::Aes);
            return (
                vec![if has_rounds { self.syntax.with_rounds(heading, first.abs_diff(last) + 1) } else { heading }],
                end,
            );
        };
        let stream = self.stream(over.stream(), over.block());
        let made = self.made_in(&l.body);
        match over {
            Over::Whole { which, .. } => (
                self.syntax.whole_heading(&stream, which, &made, &name, is_read),
                self.syntax.whole_end(&stream, which, &made),
            ),
            Over::Rest { least, .. } => (vec![self.syntax.rest_heading(&stream, least)], end),
            Over::Short { .. } => (vec![self.syntax.short_heading(&stream)], end),
        }
    }

    fn call(&mut self, callee: FuncId, arrays: &Arrays) {
        self.flush();
        let callee = self.framed.callees.get(&callee).map_or("", |callee| &callee.name);
        let [results, parameters] = [&arrays.results, &arrays.parameters]
            .map(|places| places.iter().map(|place| self.array(place)).collect::<Vec<_>>());
        let line = self.syntax.call(callee, &results, &parameters);
        self.line(&line);
    }

    /// Copies words by a loop.
    fn copy(&mut self, copy: &Copies) {
        self.flush();
        let counter = self.names.counter(self.depth - 1);
        self.line(&self.syntax.loop_heading(&counter, 0, u64::from(copy.count) - 1, true));
        let [to, from] = [(&copy.to, copy.steps[0]), (&copy.from, copy.steps[1])].map(|(place, step)| {
            let (name, index) = self.array(place);
            format!("{name}[{}]", stepped(&index, step, &counter))
        });
        let (value, ty) = (Text::new(from, ATOM), memory(self.func.slot(copy.from.slot), self.integers));
        let value = if copy.ty < ty { self.syntax.operation(&Kind::Convert, copy.ty, &[value]) } else { value };
        self.depth += 1;
        let line = self.syntax.assign(&to, &value);
        self.push(&line, false, None);
        self.depth -= 1;
        self.push("}", false, None);
    }

    /// Assigns the carried variables. All values of the next iteration are known before a variable of this one changes.
    fn advance(&mut self, carried: &[Carried]) {
        let mut assignments = Vec::new();
        for one in carried {
            let name = self.names.variable(one.number);
            let mut next = self.operand(one.next);
            if next.text == name {
                continue;
            }
            let is_variable = matches!(self.graph.node(one.next).kind, Kind::Variable(Variable::Carried(_)));
            if carried.len() > 1 && (!next.is_atom || is_variable) {
                let temporary = self.names.temporary();
                self.define(&temporary, one.ty, &next);
                next = Text::atom(temporary);
            }
            assignments.push((name, self.syntax.across(one.ty, next)));
        }
        for (name, next) in assignments {
            self.line(&self.syntax.assign(&name, &next));
        }
    }
}

/// An index that changes by a step from one turn of a loop to the next.
fn stepped(index: &str, step: i64, counter: &str) -> String {
    let term = if step.abs() == 1 { counter.to_owned() } else { format!("{} * {counter}", step.abs()) };
    match (index, step > 0) {
        ("0", true) => term,
        (_, true) => format!("{index} + {term}"),
        (_, false) => format!("{index} - {term}"),
    }
}

/// Whether a position in these statements depends on a counter.
fn reads_counter(
    statements: &[Statement],
    counter: CounterId,
    stream: Option<Slot>,
    graph: &Graph,
    live: &Live,
) -> bool {
    let mut is_read = false;
    visit(graph, live, statements, &mut |slot, place| {
        let has_counter = place.is_some_and(|place| place.index.terms.iter().any(|term| term.0 == counter));
        is_read |= has_counter && stream.is_none_or(|stream| stream == slot);
    });
    is_read
}

/// Splits a line into the parts between which it may be broken.
fn pieces<'t>(text: &'t str, breaks: &[&str]) -> Vec<&'t str> {
    let mut places: Vec<usize> =
        breaks.iter().flat_map(|text_of| text.match_indices(text_of)).map(|(at, _)| at).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in places {
        pieces.push(&text[from..at]);
        from = at;
    }
    pieces.push(&text[from..]);
    pieces
}
