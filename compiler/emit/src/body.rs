//! One function: declarations, statements, expressions.
//!
//! Values stay in the order the passes put them in. A value that is used once is written into its user where the two
//! are neighbours; anything else becomes a `const` variable. The emission of instructions is in files of its own:
//! `operate` and `arithmetic` for the operations, `memory` for loads and stores, `control` for calls and loops.

mod arithmetic;
mod control;
mod memory;
mod operate;

use culet_ir::{Func, Inst, Module, Op, RegionId, SlotKind, Type, Value};

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::language::Language;
use crate::machine::Machine;
use crate::signature::Signature;

/// State shared by the emission of all bodies.
pub(crate) struct Context<'a> {
    pub module: &'a Module,
    pub machine: &'a Machine,
    pub helpers: &'a mut Helpers,
    /// Signatures by function; the entry has the signature of the sliced kernel.
    pub signatures: &'a [Option<Signature>],
}

/// A reason that a function cannot be written for these registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A word wider than a lane, or any word in a bitsliced kernel.
    WordTooWide { bits: u32, lane_bits: u32 },
    /// An operation that plain words with several instances in each do not have.
    NotPacked { op: &'static str },
    /// An operation on vectors that are not the elements of H.
    Vector { op: &'static str, lanes: u32, bits: u32 },
    /// A condition of a word's lane chooses between H atoms.
    MixedCondition,
    /// Something that is computed one instance at a time, such as a stream.
    Single(&'static str),
}

/// The parameter that holds an entry slot's elements, and the group's first element in it.
pub(crate) type SlotName = (String, i64);

/// Writes the statements of `func`, indented, from its first declaration to its return.
pub(crate) fn body(context: &mut Context, func: &Func, slots: &[SlotName], own: &Signature) -> Result<String, Refusal> {
    let mut writer = Writer::new(context, func, slots);
    writer.check_types()?;
    writer.count_uses(func.body);
    writer.declare_slots();
    for (i, &param) in func.region(func.body).params.iter().enumerate() {
        writer.names[param.index()] = Some(Expr::primary(own.param(i)));
        if writer.uses[param.index()] == 0 && !own.params_in_array() {
            writer.unused(&own.param(i));
        }
    }
    if own.params_in_array() && func.region(func.body).params.iter().all(|p| writer.uses[p.index()] == 0) {
        writer.unused("args");
    }
    writer.region(func.body)?;
    writer.results(own);
    Ok(writer.out)
}

/// Maximum length of a nested expression, in bytes of text; longer expressions become variables.
const MAX_NESTED_TEXT: usize = 64;
/// Maximum number of values that wait to be written into their users.
const MAX_PENDING: usize = 3;

struct Writer<'a, 'b> {
    context: &'a mut Context<'b>,
    machine: &'b Machine,
    func: &'a Func,
    slots: &'a [SlotName],
    out: String,
    indent: usize,
    /// Text by value, once the value has one.
    names: Vec<Option<Expr>>,
    /// Values whose expression has not been written anywhere yet, oldest first.
    pending: Vec<Value>,
    uses: Vec<u32>,
    temporaries: u32,
    /// Largest magnitude of each counter's values, by counter.
    reach: Vec<i64>,
    /// Whether a counter has negative values, by counter.
    is_signed: Vec<bool>,
}

impl<'a, 'b> Writer<'a, 'b> {
    fn new(context: &'a mut Context<'b>, func: &'a Func, slots: &'a [SlotName]) -> Self {
        let machine = context.machine;
        Writer {
            context,
            machine,
            func,
            slots,
            out: String::new(),
            indent: 1,
            names: vec![None; func.values.len()],
            pending: Vec::new(),
            uses: vec![0; func.values.len()],
            temporaries: 0,
            reach: vec![0; func.counters as usize],
            is_signed: vec![false; func.counters as usize],
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Says that a name need not be used.
    fn unused(&mut self, name: &str) {
        self.line(&self.machine.language.unused(name));
    }

    /// Checks that words fit their lanes, and that vectors are those of H, or planes.
    fn check_types(&mut self) -> Result<(), Refusal> {
        if self.func.slots.iter().any(|slot| slot.kind.is_stream()) {
            return Err(Refusal::Single("a stream"));
        }
        let values = self.func.values.iter().map(|value| value.ty);
        for ty in values.chain(self.func.slots.iter().map(|slot| slot.element)) {
            match ty {
                Type::Vector { bits: 1, lanes } if self.machine.planes => self.planes(u32::from(lanes)).need_type(),
                Type::Word(1) | Type::Vector { bits: 1, .. } => {}
                Type::Word(_) if ty.bits() <= self.machine.lane_bits => {}
                Type::Word(_) => {
                    return Err(Refusal::WordTooWide { bits: ty.bits(), lane_bits: self.machine.lane_bits });
                }
                Type::Field(_) | Type::Elements { .. } => return Err(Refusal::Single("elements of a field")),
                Type::Vector { .. } => {
                    return Err(Refusal::Vector { op: "vector", lanes: ty.lanes(), bits: ty.bits() });
                }
            }
        }
        Ok(())
    }

    /// Counts the uses of values by instructions that matter, last to first, so that unneeded values are not written.
    fn count_uses(&mut self, region: RegionId) {
        let func = self.func;
        for result in &func.region(region).results {
            self.uses[result.index()] += 1;
        }
        for &inst in func.region(region).insts.iter().rev() {
            let data = func.inst(inst);
            match &data.op {
                Op::Loop(l) => self.count_uses(l.region),
                Op::Store { .. } => {}
                _ if !self.is_needed(inst) => continue,
                _ => {}
            }
            for arg in &data.args {
                self.uses[arg.index()] += 1;
            }
        }
    }

    fn is_needed(&self, inst: Inst) -> bool {
        let data = self.func.inst(inst);
        matches!(data.op, Op::Store { .. } | Op::Loop(_)) || data.results.iter().any(|r| self.uses[r.index()] > 0)
    }

    /// Declares local arrays and tables.
    fn declare_slots(&mut self) {
        for (slot, (name, _)) in self.func.slots.iter().zip(self.slots) {
            match &slot.kind {
                SlotKind::Local => {
                    let (ctype, zero) = (self.machine.ctype(slot.element), self.machine.zero_of(slot.element));
                    self.line(&self.machine.language.array(&ctype, name, slot.length, &zero));
                }
                SlotKind::Constants(values) => self.declare_table(name, slot.element, values),
                SlotKind::Input { .. }
                | SlotKind::Output
                | SlotKind::Stream
                | SlotKind::OutStream
                | SlotKind::Part
                | SlotKind::Joined(_) => {}
            }
        }
    }

    fn declare_table(&mut self, name: &str, element: Type, values: &[u64]) {
        let (bits, language) = (element.bits().next_power_of_two().max(8), self.machine.language);
        let (ctype, length) = (language.integer(bits), values.len());
        self.line(&match language {
            Language::C => format!("static const {ctype} {name}[{length}] = {{"),
            Language::Rust => format!("static {name}: [{ctype}; {length}] = ["),
        });
        for row in values.chunks(8) {
            let row: Vec<String> = row.iter().map(|&value| language.literal(bits, value)).collect();
            self.line(&format!("    {},", row.join(", ")));
        }
        self.line(language.choose("};", "];"));
    }

    fn region(&mut self, region: RegionId) -> Result<(), Refusal> {
        let func = self.func;
        for &inst in &func.region(region).insts {
            if self.is_needed(inst) {
                self.inst(inst)?;
            }
        }
        Ok(())
    }

    /// Writes the results of the function, as a return value or as assignments.
    fn results(&mut self, own: &Signature) {
        let results = &self.func.region(self.func.body).results;
        if let ([result], true) = (results.as_slice(), own.returns_value()) {
            let value = self.take(*result);
            self.flush();
            return self.line(&self.machine.language.result(&value.text));
        }
        self.flush();
        for (i, result) in results.iter().enumerate() {
            let value = self.take(*result);
            self.line(&format!("{} = {};", own.result(i), value.text));
        }
    }

    // Values

    /// Makes variables of the pending values.
    fn flush(&mut self) {
        for value in std::mem::take(&mut self.pending) {
            self.declare(value);
        }
    }

    fn declare(&mut self, value: Value) {
        let expr = self.names[value.index()].take().expect("a value that waits has an expression");
        let name = format!("v{}", value.0);
        self.line(&self.machine.language.define(&self.machine.ctype(self.func.ty(value)), &name, &expr.text));
        self.names[value.index()] = Some(Expr::primary(name));
    }

    /// The value's text for a single use.
    fn take(&mut self, value: Value) -> Expr {
        self.pending.retain(|&waiting| waiting != value);
        self.names[value.index()].clone().expect("the verifier saw the definition above the use")
    }

    /// The value's text, short enough to be repeated.
    fn name(&mut self, value: Value) -> Expr {
        if self.pending.contains(&value) {
            self.flush();
        }
        self.take(value)
    }

    /// Gives a value its expression: a variable, or a place in its only user.
    fn define(&mut self, value: Value, expr: Expr) {
        let short = expr.text.len() <= MAX_NESTED_TEXT;
        let is_name = expr.primary && !expr.text.contains(['(', '[']);
        self.names[value.index()] = Some(expr);
        match self.uses[value.index()] {
            0 => {}
            _ if is_name => {}
            1 if short => {
                if self.pending.len() == MAX_PENDING {
                    let oldest = self.pending.remove(0);
                    self.declare(oldest);
                }
                self.pending.push(value);
            }
            _ => {
                self.flush();
                self.declare(value);
            }
        }
    }

    /// A variable that holds an intermediate result.
    fn temporary(&mut self, ctype: &str, expr: &Expr) -> Expr {
        let name = format!("t{}", self.temporaries);
        self.temporaries += 1;
        self.line(&self.machine.language.define(ctype, &name, &expr.text));
        Expr::primary(name)
    }

    // Instructions

    fn inst(&mut self, inst: Inst) -> Result<(), Refusal> {
        let func = self.func;
        let data = func.inst(inst);
        match &data.op {
            Op::Const(values) => {
                let result = data.results[0];
                let ty = func.ty(result);
                let expr = match self.in_planes(ty) {
                    Some(lanes) => self.planes(lanes).constant(values),
                    None => Expr::primary(self.constant(ty, values)),
                };
                if self.is_cheap_constant(ty, values) {
                    self.names[result.index()] = Some(expr);
                } else {
                    self.define(result, expr);
                }
            }
            Op::Load { slot, index } => {
                let expr = self.load(*slot, index);
                self.define(data.results[0], expr);
            }
            Op::Store { slot, index } => self.store(*slot, index, data.args[0]),
            Op::Call(callee) => self.call(inst, *callee),
            Op::Loop(l) => self.loop_(inst, l)?,
            Op::MulWide | Op::AddC | Op::SubB => self.two_results(inst)?,
            op => {
                let result = data.results[0];
                let expr = self.operation(op, &data.args, func.ty(result))?;
                self.define(result, expr);
            }
        }
        Ok(())
    }
}
