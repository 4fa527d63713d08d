//! The writer of the text form. [`crate::parse`] reads it back.
//!
//! ```text
//! fn maj(v0: w32, v1: w32, v2: w32) inline {
//!   v3 = xor.w32 v0, v1
//!   v4 = xor.w32 v1, v2
//!   v5 = and.w32 v3, v4
//!   v6 = xor.w32 v5, v1
//!   return v6
//! }
//!
//! entry fn demo {
//!   input plain: w32[40]
//!   input key: w32[1] shared
//!   output sum: w32[1]
//!   local t@1: w32[4]
//!   constants rc: w32[2] = [0x1, 0x80000000]
//!   v0 = load.w32 key[0]
//!   v1 = loop i0 = 0 to 9 unroll (v2 = v0) {
//!     v3 = load.w32 plain[4*i0 + 3]
//!     v4 = rotl.w32 v3, 7
//!     v5 = call maj(v2, v3, v4)
//!     next v5
//!   }
//!   store sum[0], v1
//! }
//! ```
//!
//! - A type is `w<bits>` or `v<lanes,bits>`; an operation's type is that of its first result. `addc` and `subb` have a
//!   `w1` besides, `mulwide` and `clmul` a second result of the same type.
//! - Other parts of the operation come after the operands: `shl.w8 v0, 3`, `tern.w1 v0, v1, v2, 0x96`,
//!   `perm.v<4,1> v0, [3, _, 0, 1]`. A constant is `const.w8 0x1b`, of a vector `const.v<4,1> [0x0, 0x1, 0x1, 0x0]`.
//! - `field f0 fe = GF(0x7fed) as "51"`, above the functions, makes `f0` a type; `GF2(…)` gives the coefficients of a
//!   polynomial; the part from `as` is a pinned representation. Operations on elements: `fconst.f0 0x9`,
//!   `fadd.f0 v0, v1`, `fmulc.f0 v0, 9`, `fsop.f0 v0, v1, v2, v3, [+, -]`; `fpack.f0 v0, v1` takes words,
//!   `v1, v2 = funpack.w64 v0` gives words.
//! - `t@1` is the slot `t` of group 1. A function's attributes are `inline` or `no_inline`, `no_opt`, `interleave(n)`, `instruction(aesenc)`,
//!   `runs([8, 1], [8])`: eight parameters are one element, the ninth is a word, and eight results are an element; a loop's `lanes n`, and `unroll` or `no_unroll`. A loop whose first value is above its last counts down.
//! - `next` gives the carried values of the next iteration; a loop that carries none has no `next`, a function without
//!   results no `return`.
//! - A stream is `stream m: w8[1]`. `loop i0 over m by 16 {…}` runs for its whole blocks, which are `m[16*i0]` to
//!   `m[16*i0 + 15]`. `loop i1 rest m by 16 {…}` runs if a part of a block is left, which is
//!   `v0, …, v16 = tail.w8 m by 16, 0x1`. Of the whole blocks, `over m by 16 first` has the first one, `later` all
//!   others, and `beyond 4` the blocks that whole groups of four leave over. `rest m by 16 least 8` asks for eight
//!   bytes that are left. `short m by 256` runs if there is no such block. `length.w64 m` is the number of all bytes.
//! - `joined j: w8[1] = p, m` is a stream, too: the bytes of `p`, which is `part p: w8[32]` or another stream, and then
//!   those of `m`.
//! - `outstream r: w8[4]` is a result to which each iteration of a loop over a stream adds `r[4*i0]` to `r[4*i0 + 3]`.
//! - A comment runs from `//` to the end of the line. Line breaks mean nothing.
//!
//! Numbers of values and counters are the arenas' own. [`crate::Func::compact`] makes them dense in the order of the
//! text; a module in that form is printed and read back exactly.

use std::fmt::{self, Display, Formatter, Write};

use culet_types::field::FieldKind;

use crate::field::FieldOp;
use crate::func::{
    Func, Index, Inst, Iterations, LoopData, Module, Over, RegionId, Runs, Slot, SlotData, SlotKind, Value, Which,
};
use crate::op::{Op, Type};

/// Maximum nesting depth of loops: part of the verifier's law, so that everything that walks regions may recurse.
pub const MAX_DEPTH: usize = 64;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, field) in self.fields.iter().enumerate() {
            let (kind, modulus) = match &field.kind {
                FieldKind::Prime(modulus) => ("GF", modulus),
                FieldKind::Binary(polynomial) => ("GF2", polynomial),
            };
            write!(f, "field f{i} {} = {kind}({modulus:#x})", field.name)?;
            match field.pin {
                Some(pin) => writeln!(f, " as \"{pin}\"")?,
                None => f.write_char('\n')?,
            }
        }
        for (i, func) in self.funcs.iter().enumerate() {
            if i > 0 || !self.fields.is_empty() {
                f.write_char('\n')?;
            }
            if i == self.entry.index() {
                f.write_str("entry ")?;
            }
            Printer { module: Some(self), func, out: f }.func()?;
        }
        Ok(())
    }
}

impl Display for Func {
    /// Callees are shown by their numbers: only the module knows their names.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer { module: None, func: self, out: f }.func()
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Word(bits) => write!(f, "w{bits}"),
            Type::Vector { lanes, bits } => write!(f, "v<{lanes},{bits}>"),
            Type::Field(id) => write!(f, "f{}", id.0),
            Type::Elements { field, lanes } => write!(f, "v<{lanes},f{}>", field.0),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

struct Printer<'a, 'f> {
    module: Option<&'a Module>,
    func: &'a Func,
    out: &'a mut Formatter<'f>,
}

impl Printer<'_, '_> {
    fn func(&mut self) -> fmt::Result {
        let func = self.func;
        write!(self.out, "fn {}", func.name)?;
        let params = &func.region(func.body).params;
        if !params.is_empty() {
            self.out.write_char('(')?;
            for (i, &param) in params.iter().enumerate() {
                write!(self.out, "{}{param}: {}", separator(i), func.ty(param))?;
            }
            self.out.write_char(')')?;
        }
        match func.inline {
            Some(true) => self.out.write_str(" inline")?,
            Some(false) => self.out.write_str(" no_inline")?,
            None => {}
        }
        if func.no_opt {
            self.out.write_str(" no_opt")?;
        }
        if let Some(instruction) = func.instruction {
            write!(self.out, " instruction({})", instruction.name())?;
        }
        if let Some(groups) = func.interleave {
            write!(self.out, " interleave({groups})")?;
        }
        if func.runs != Runs::default() {
            self.out.write_str(" runs(")?;
            self.list(&func.runs.params, |out, run| write!(out, "{run}"))?;
            self.out.write_str(", ")?;
            self.list(&func.runs.results, |out, run| write!(out, "{run}"))?;
            self.out.write_char(')')?;
        }
        self.out.write_str(" {\n")?;
        for slot in &func.slots {
            self.slot(slot)?;
        }
        self.region(func.body, "return", 1)?;
        self.out.write_str("}\n")
    }

    fn slot(&mut self, slot: &SlotData) -> fmt::Result {
        let kind = match slot.kind {
            SlotKind::Input { .. } => "input",
            SlotKind::Output => "output",
            SlotKind::Local => "local",
            SlotKind::Constants(_) => "constants",
            SlotKind::Stream => "stream",
            SlotKind::OutStream => "outstream",
            SlotKind::Part => "part",
            SlotKind::Joined(_) => "joined",
        };
        write!(self.out, "  {kind} {}: {}[{}]", SlotName(slot), slot.element, slot.length)?;
        match &slot.kind {
            SlotKind::Input { shared: true } => self.out.write_str(" shared")?,
            SlotKind::Constants(values) => {
                self.out.write_str(" = ")?;
                self.list(values, |out, value| write!(out, "{value:#x}"))?;
            }
            SlotKind::Joined(parts) => {
                self.out.write_str(" = ")?;
                for (i, part) in parts.iter().enumerate() {
                    self.out.write_str(separator(i))?;
                    match self.func.slots.get(part.index()) {
                        Some(part) => write!(self.out, "{}", SlotName(part))?,
                        None => write!(self.out, "slot{}", part.0)?,
                    }
                }
            }
            _ => {}
        }
        self.out.write_char('\n')
    }

    fn region(&mut self, id: RegionId, end: &str, depth: usize) -> fmt::Result {
        let region = self.func.region(id);
        for &inst in &region.insts {
            self.indent(depth)?;
            self.inst(inst, depth)?;
            self.out.write_char('\n')?;
        }
        if !region.results.is_empty() {
            self.indent(depth)?;
            self.out.write_str(end)?;
            self.values(" ", &region.results)?;
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst, depth: usize) -> fmt::Result {
        let data = self.func.inst(inst);
        if !data.results.is_empty() {
            self.values("", &data.results)?;
            self.out.write_str(" = ")?;
        }
        self.out.write_str(data.op.name())?;
        let typed = !matches!(data.op, Op::Store { .. } | Op::Call(_) | Op::Loop(_));
        if let (true, Some(&result)) = (typed, data.results.first()) {
            write!(self.out, ".{}", self.func.ty(result))?;
        }
        match &data.op {
            Op::Const(values) if values.len() == 1 => write!(self.out, " {:#x}", values[0]),
            Op::Const(values) => {
                self.out.write_char(' ')?;
                self.list(values, |out, value| write!(out, "{value:#x}"))
            }
            Op::Load { slot, index } => self.place(*slot, index),
            Op::Store { slot, index } => {
                self.place(*slot, index)?;
                self.values(", ", &data.args)
            }
            Op::Call(callee) => {
                match self.module.and_then(|module| module.funcs.get(callee.index())) {
                    Some(func) => write!(self.out, " {}(", func.name)?,
                    None => write!(self.out, " f{}(", callee.0)?,
                }
                self.values("", &data.args)?;
                self.out.write_char(')')
            }
            Op::Loop(l) => self.loop_(l, &data.args, depth),
            Op::Length { stream } => match self.func.slots.get(stream.index()) {
                Some(slot) => write!(self.out, " {}", SlotName(slot)),
                None => write!(self.out, " slot{}", stream.0),
            },
            Op::StoreTail { slot, from, stream, block } => {
                for slot in [slot, from] {
                    match self.func.slots.get(slot.index()) {
                        Some(data) => write!(self.out, " {},", SlotName(data))?,
                        None => write!(self.out, " slot{},", slot.0)?,
                    }
                }
                self.stream(*stream, *block)
            }
            Op::Tail { stream, block, pad } => {
                self.stream(*stream, *block)?;
                write!(self.out, ", {pad:#x}")
            }
            op => {
                self.values(" ", &data.args)?;
                match op {
                    Op::Tern(table) => write!(self.out, ", {table:#04x}"),
                    Op::Shl(n)
                    | Op::Shr(n)
                    | Op::Sar(n)
                    | Op::Rotl(n)
                    | Op::Funnel(n)
                    | Op::Extract(n)
                    | Op::Lane(n) => write!(self.out, ", {n}"),
                    Op::Blend(lanes) => write!(self.out, ", {lanes:#x}"),
                    Op::Field(FieldOp::Const(value)) => write!(self.out, " {value:#x}"),
                    Op::Field(FieldOp::MulC(constant)) => write!(self.out, ", {constant}"),
                    Op::Field(FieldOp::Sop(signs)) => {
                        self.out.write_str(", ")?;
                        self.list(signs, |out, sign| write!(out, "{sign}"))
                    }
                    Op::Perm(pattern) => {
                        self.out.write_str(", ")?;
                        self.list(pattern, |out, lane| match lane {
                            Some(lane) => write!(out, "{lane}"),
                            None => out.write_char('_'),
                        })
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    fn loop_(&mut self, l: &LoopData, inits: &[Value], depth: usize) -> fmt::Result {
        match l.over {
            None => write!(self.out, " i{} = {} to {}", l.counter.0, l.first, l.last)?,
            Some(over) => {
                let kind = match over {
                    Over::Whole { .. } => "over",
                    Over::Rest { .. } => "rest",
                    Over::Short { .. } => "short",
                };
                write!(self.out, " i{} {kind}", l.counter.0)?;
                self.stream(over.stream(), over.block())?;
                match over {
                    Over::Whole { which, .. } => self.which(which)?,
                    Over::Rest { least: 1, .. } | Over::Short { .. } => {}
                    Over::Rest { least, .. } => write!(self.out, " least {least}")?,
                }
            }
        }
        if let Some(lanes) = l.lanes {
            write!(self.out, " lanes {lanes}")?;
        }
        match l.unroll {
            Some(true) => self.out.write_str(" unroll")?,
            Some(false) => self.out.write_str(" no_unroll")?,
            None => {}
        }
        let params = &self.func.region(l.region).params;
        if !params.is_empty() || !inits.is_empty() {
            self.out.write_str(" (")?;
            for (i, (param, init)) in params.iter().zip(inits).enumerate() {
                write!(self.out, "{}{param} = {init}", separator(i))?;
            }
            self.out.write_char(')')?;
        }
        self.out.write_str(" {\n")?;
        if depth > MAX_DEPTH {
            self.out.write_str("… // too deep\n")?;
        } else {
            self.region(l.region, "next", depth + 1)?;
        }
        self.indent(depth)?;
        self.out.write_char('}')
    }

    fn which(&mut self, Which { beyond, iterations }: Which) -> fmt::Result {
        if beyond > 0 {
            write!(self.out, " beyond {beyond}")?;
        }
        self.out.write_str(match iterations {
            Iterations::All => "",
            Iterations::First => " first",
            Iterations::Later => " later",
        })
    }

    fn stream(&mut self, slot: Slot, block: u32) -> fmt::Result {
        match self.func.slots.get(slot.index()) {
            Some(slot) => write!(self.out, " {} by {block}", SlotName(slot)),
            None => write!(self.out, " slot{} by {block}", slot.0),
        }
    }

    fn place(&mut self, slot: Slot, index: &Index) -> fmt::Result {
        match self.func.slots.get(slot.index()) {
            Some(slot) => write!(self.out, " {}[{}]", SlotName(slot), DisplayIndex(index)),
            None => write!(self.out, " slot{}[{}]", slot.0, DisplayIndex(index)),
        }
    }

    fn values(&mut self, before: &str, values: &[Value]) -> fmt::Result {
        for (i, value) in values.iter().enumerate() {
            write!(self.out, "{}{value}", if i == 0 { before } else { ", " })?;
        }
        Ok(())
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Formatter, &T) -> fmt::Result) -> fmt::Result {
        self.out.write_char('[')?;
        for (i, it) in items.iter().enumerate() {
            self.out.write_str(separator(i))?;
            item(self.out, it)?;
        }
        self.out.write_char(']')
    }

    fn indent(&mut self, depth: usize) -> fmt::Result {
        (0..depth).try_for_each(|_| self.out.write_str("  "))
    }
}

fn separator(i: usize) -> &'static str {
    if i == 0 { "" } else { ", " }
}

/// A slot as the text names it: `t`, or `t@1` in group 1.
pub(crate) struct SlotName<'a>(pub &'a SlotData);

impl Display for SlotName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)?;
        if self.0.group > 0 { write!(f, "@{}", self.0.group) } else { Ok(()) }
    }
}

/// An index as the text shows it: `4*i0 - i1 + 3`.
pub struct DisplayIndex<'a>(pub &'a Index);

impl Display for DisplayIndex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Index { constant, terms } = self.0;
        for (i, &(counter, factor)) in terms.iter().enumerate() {
            f.write_str(match (i, factor < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            if factor.unsigned_abs() != 1 {
                write!(f, "{}*", factor.unsigned_abs())?;
            }
            write!(f, "i{}", counter.0)?;
        }
        match (terms.is_empty(), *constant) {
            (true, c) => write!(f, "{c}"),
            (false, 0) => Ok(()),
            (false, c) => write!(f, " {} {}", if c < 0 { '-' } else { '+' }, c.unsigned_abs()),
        }
    }
}
