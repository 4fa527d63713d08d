//! One function: declarations, statements, expressions.
//!
//! Values stay in the order the passes put them in. A value that is used once is written into its user where the two
//! are neighbours; anything else becomes a `const` variable.

use culet_ir::{Func, FuncId, Index, Inst, LoopData, Module, Op, RegionId, Slot, SlotKind, Type, Value, W1};

use crate::elements;
use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::machine::{Machine, Words, integer, literal};
use crate::planes::{self, Planes};
use crate::signature::Signature;
use crate::tern::{Formula, formulas};
use crate::words::{WordOp, word_op};

/// What the emission of bodies shares.
pub(crate) struct Context<'a> {
    pub module: &'a Module,
    pub machine: &'a Machine,
    pub helpers: &'a mut Helpers,
    /// By function; the entry's is that of the sliced kernel.
    pub signatures: &'a [Option<Signature>],
}

/// Something these registers cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A word wider than a lane, or any word in a bitsliced kernel.
    WordTooWide { bits: u32, lane_bits: u32 },
    /// An operation that plain words with several instances in each do not have.
    NotPacked { op: &'static str },
    /// An operation on vectors other than those of H.
    Vector { op: &'static str, lanes: u32, bits: u32 },
    /// A condition of a word's lane chooses between H atoms.
    MixedCondition,
}

/// How the text of an entry slot's elements begins: the parameter and the group's first element.
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
            writer.line(&format!("(void){};", own.param(i)));
        }
    }
    if own.params_in_array() && func.region(func.body).params.iter().all(|p| writer.uses[p.index()] == 0) {
        writer.line("(void)args;");
    }
    writer.region(func.body)?;
    writer.results(own);
    Ok(writer.out)
}

/// Longer expressions become variables.
const MAX_NESTED_TEXT: usize = 64;
/// So many values wait to be written into their users.
const MAX_PENDING: usize = 3;

struct Writer<'a, 'b> {
    context: &'a mut Context<'b>,
    machine: &'b Machine,
    func: &'a Func,
    slots: &'a [SlotName],
    out: String,
    indent: usize,
    /// By value: its text once it has one.
    names: Vec<Option<Expr>>,
    /// Values whose expression has not been written anywhere yet, oldest first.
    pending: Vec<Value>,
    uses: Vec<u32>,
    temporaries: u32,
    /// By counter: the largest magnitude of its values.
    reach: Vec<i64>,
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
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Words fit their lanes, and vectors are those of H, or planes.
    fn check_types(&mut self) -> Result<(), Refusal> {
        let values = self.func.values.iter().map(|value| value.ty);
        for ty in values.chain(self.func.slots.iter().map(|slot| slot.element)) {
            match ty {
                Type::Vector { bits: 1, lanes } if self.machine.planes => self.planes(u32::from(lanes)).need_type(),
                Type::Word(1) | Type::Vector { bits: 1, .. } => {}
                Type::Word(_) if ty.bits() <= self.machine.lane_bits => {}
                Type::Word(_) => {
                    return Err(Refusal::WordTooWide { bits: ty.bits(), lane_bits: self.machine.lane_bits });
                }
                Type::Vector { .. } => {
                    return Err(Refusal::Vector { op: "vector", lanes: ty.lanes(), bits: ty.bits() });
                }
            }
        }
        Ok(())
    }

    /// Counts the uses of values by instructions that matter, last to first, so that what nothing needs is not written.
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

    /// Local arrays and tables.
    fn declare_slots(&mut self) {
        for (slot, (name, _)) in self.func.slots.iter().zip(self.slots) {
            match &slot.kind {
                SlotKind::Local => {
                    let text = format!("{} {name}[{}];", self.machine.ctype(slot.element), slot.length);
                    self.line(&text);
                }
                SlotKind::Constants(values) => self.declare_table(name, slot.element, values),
                SlotKind::Input { .. } | SlotKind::Output => {}
            }
        }
    }

    fn declare_table(&mut self, name: &str, element: Type, values: &[u64]) {
        let bits = element.bits().next_power_of_two().max(8);
        self.line(&format!("static const {} {name}[{}] = {{", integer(bits), values.len()));
        for row in values.chunks(8) {
            let row: Vec<String> = row.iter().map(|&value| literal(bits, value)).collect();
            self.line(&format!("    {},", row.join(", ")));
        }
        self.line("};");
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

    /// What the function returns.
    fn results(&mut self, own: &Signature) {
        let results = &self.func.region(self.func.body).results;
        if let ([result], true) = (results.as_slice(), own.returns_value()) {
            let value = self.take(*result);
            self.flush();
            return self.line(&format!("return {};", value.text));
        }
        self.flush();
        for (i, result) in results.iter().enumerate() {
            let value = self.take(*result);
            self.line(&format!("{} = {};", own.result(i), value.text));
        }
    }

    // Values

    /// Makes variables of the values that wait.
    fn flush(&mut self) {
        for value in std::mem::take(&mut self.pending) {
            self.declare(value);
        }
    }

    fn declare(&mut self, value: Value) {
        let expr = self.names[value.index()].take().expect("a value that waits has an expression");
        let name = format!("v{}", value.0);
        self.line(&format!("const {} {name} = {};", self.machine.ctype(self.func.ty(value)), expr.text));
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
        self.line(&format!("const {ctype} {name} = {};", expr.text));
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

    fn operation(&mut self, op: &Op, args: &[Value], ty: Type) -> Result<Expr, Refusal> {
        if let Some(lanes) = self.in_planes(ty) {
            return Ok(self.on_planes(op, args, lanes));
        }
        match op {
            Op::And | Op::Or | Op::Xor | Op::Andn | Op::Not => Ok(self.bitwise(op, args, ty)),
            Op::Tern(table) => Ok(self.ternary(*table, args, ty)),
            Op::Select => self.select(args, ty),
            Op::Spread => self.spread(args[0], ty),
            Op::Perm(pattern) => Ok(self.permute(pattern, args[0], ty)),
            Op::Concat => self.concat(args),
            _ if ty.bits() == 1 => Ok(self.on_bits(op, args)),
            _ => self.arithmetic(op, args, ty.bits()),
        }
    }

    /// The registers of a value that has several.
    fn in_planes(&self, ty: Type) -> Option<u32> {
        (matches!(ty, Type::Vector { .. }) && self.machine.planes).then(|| ty.lanes())
    }

    fn planes(&mut self, lanes: u32) -> Planes<'_> {
        Planes { machine: self.machine, helpers: self.context.helpers, lanes }
    }

    fn on_planes(&mut self, op: &Op, args: &[Value], lanes: u32) -> Expr {
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        match op {
            Op::Select => self.planes(lanes).select(&operands[0], &operands[1], &operands[2]),
            Op::Spread => self.planes(lanes).fill(&operands[0]),
            Op::Perm(pattern) => self.planes(lanes).permute(pattern, &operands[0]),
            Op::Tern(table @ (0 | 0xff)) => self.planes(lanes).constant(&vec![u64::from(table & 1); lanes as usize]),
            Op::Tern(table) => {
                let formula = self.formula(formulas()[*table as usize], &["A", "B", "C"].map(Expr::primary));
                self.planes(lanes).each(&planes::ternary_name(*table), &formula.text, &operands)
            }
            op => self.planes(lanes).operation(op, &operands),
        }
    }

    fn constant(&self, ty: Type, values: &[u64]) -> String {
        let value = values.first().copied().unwrap_or(0);
        let same = values.iter().all(|v| *v == value);
        match ty {
            _ if ty.bits() == 1 && same => {
                if value == 1 {
                    self.machine.ones()
                } else {
                    self.machine.zero()
                }
            }
            Type::Vector { .. } => elements::constant(self.machine, values),
            Type::Word(_) => self.splat(ty.bits(), value),
        }
    }

    /// Whether a constant is written at each use.
    fn is_cheap_constant(&self, ty: Type, values: &[u64]) -> bool {
        let same = values.windows(2).all(|pair| pair[0] == pair[1]);
        !self.machine.is_vector() || ty.bits() == 1 && same || values == [0]
    }

    /// A constant word of at most `bits` bits, in every lane.
    fn splat(&self, bits: u32, value: u64) -> String {
        match self.machine.words() {
            Words::Scalar => literal(self.machine.native_bits(bits), value),
            _ => self.machine.splat(self.machine.lane_bits, value),
        }
    }

    /// `text`, which int promotion may have widened, as a value of the type again.
    fn wrap(&self, ty: Type, expr: Expr) -> Expr {
        let ctype = self.machine.ctype(ty);
        if matches!(ctype.as_str(), "uint8_t" | "uint16_t") { Expr::cast(&ctype, &expr) } else { expr }
    }

    /// Whether a word has a lane of its own width.
    fn is_full(&self, ty: Type) -> bool {
        ty.bits() == 1 || self.machine.native_bits(ty.bits()) == ty.bits()
    }

    fn bitwise(&mut self, op: &Op, args: &[Value], ty: Type) -> Expr {
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        match op {
            Op::And => Expr::binary(&operands[0], "&", &operands[1]),
            Op::Or => Expr::binary(&operands[0], "|", &operands[1]),
            Op::Xor => Expr::binary(&operands[0], "^", &operands[1]),
            Op::Andn => Expr::compound(format!("{} & ~{}", operands[0].operand(), operands[1].operand())),
            _ if self.is_full(ty) => self.wrap(ty, Expr::compound(format!("~{}", operands[0].operand()))),
            _ => {
                let mask = self.mask(ty.bits());
                Expr::binary(&operands[0], "^", &mask)
            }
        }
    }

    fn ternary(&mut self, table: u8, args: &[Value], ty: Type) -> Expr {
        let expr = if self.machine.has_ternary_logic() {
            let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
            let table = Expr::primary(format!("{table:#04x}"));
            let name = self.machine.intrinsic("ternarylogic_epi64");
            Expr::call(&name, &[&operands[0], &operands[1], &operands[2], &table])
        } else {
            let operands: Vec<Expr> = args.iter().map(|&arg| self.name(arg)).collect();
            let expr = self.formula(formulas()[table as usize], &operands);
            self.wrap(ty, expr)
        };
        // Where all operands' bits are 0, above a narrow word, the result's may be 1.
        if self.is_full(ty) || table & 1 == 0 { expr } else { Expr::binary(&expr, "&", &self.mask(ty.bits())) }
    }

    fn formula(&self, formula: Formula, operands: &[Expr]) -> Expr {
        let of = |table: u8| self.formula(formulas()[table as usize], operands);
        match formula {
            Formula::Operand(i) => operands[i as usize].clone(),
            Formula::Zero => Expr::primary(self.machine.zero()),
            Formula::Not(x) => Expr::compound(format!("~{}", of(x).operand())),
            Formula::And(x, y) => Expr::binary(&of(x), "&", &of(y)),
            Formula::Or(x, y) => Expr::binary(&of(x), "|", &of(y)),
            Formula::Xor(x, y) => Expr::binary(&of(x), "^", &of(y)),
            Formula::Andn(x, y) => Expr::compound(format!("{} & ~{}", of(x).operand(), of(y).operand())),
        }
    }

    fn select(&mut self, args: &[Value], ty: Type) -> Result<Expr, Refusal> {
        let [condition, then, otherwise] = [args[0], args[1], args[2]].map(|arg| self.name(arg));
        let mask = self.condition(&condition, ty)?;
        if self.machine.has_ternary_logic() {
            let name = self.machine.intrinsic("ternarylogic_epi64");
            return Ok(Expr::call(&name, &[&mask, &then, &otherwise, &Expr::primary("0xca")]));
        }
        let differ = Expr::binary(&then, "^", &otherwise);
        Ok(Expr::binary(&otherwise, "^", &Expr::binary(&mask, "&", &differ)))
    }

    fn spread(&mut self, condition: Value, ty: Type) -> Result<Expr, Refusal> {
        let condition = self.take(condition);
        let mask = self.condition(&condition, ty)?;
        Ok(if self.is_full(ty) { mask } else { Expr::binary(&mask, "&", &self.mask(ty.bits())) })
    }

    /// A condition as a mask of a value's type.
    fn condition(&self, condition: &Expr, ty: Type) -> Result<Expr, Refusal> {
        if matches!(ty, Type::Vector { .. }) && self.machine.lane_bits > 1 {
            return Err(Refusal::MixedCondition);
        }
        let ctype = self.machine.ctype(ty);
        let same = ctype == self.machine.register();
        Ok(if same { condition.clone() } else { Expr::cast(&ctype, condition) })
    }

    fn permute(&mut self, pattern: &[Option<u8>], arg: Value, ty: Type) -> Expr {
        let operand = self.take(arg);
        match ty {
            Type::Vector { .. } => elements::permute(self.machine, self.context.helpers, pattern, &operand),
            Type::Word(_) if pattern.first() == Some(&Some(0)) => operand,
            Type::Word(_) => Expr::primary(self.constant(ty, &[0])),
        }
    }

    /// Arithmetic modulo 2: of bits, carries, and the elements of H.
    fn on_bits(&mut self, op: &Op, args: &[Value]) -> Expr {
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        match op {
            Op::Add | Op::Sub => Expr::binary(&operands[0], "^", &operands[1]),
            Op::Mul => Expr::binary(&operands[0], "&", &operands[1]),
            Op::MulHi => Expr::primary(self.machine.zero()),
            // Amounts are less than the width, so zero.
            _ => operands[0].clone(),
        }
    }

    // Words

    /// The lowest `bits` bits of every lane.
    fn mask(&self, bits: u32) -> Expr {
        Expr::primary(self.splat(bits, u64::MAX >> (64 - bits)))
    }

    /// An operation of the whole lane.
    fn lane(&mut self, op: WordOp, bits: u32, args: &[&Expr]) -> Result<Expr, Refusal> {
        if matches!(op, WordOp::Shl(0) | WordOp::Shr(0) | WordOp::Sar(0) | WordOp::Rotl(0)) {
            return Ok(args[0].clone());
        }
        let n = self.machine.native_bits(bits);
        word_op(self.machine, self.context.helpers, op, n, args)
            .ok_or(Refusal::NotPacked { op: if op == WordOp::Mul { "mul" } else { "mulhi" } })
    }

    fn arithmetic(&mut self, op: &Op, args: &[Value], m: u32) -> Result<Expr, Refusal> {
        let n = self.machine.native_bits(m);
        let simple = match op {
            Op::Add => Some(WordOp::Add),
            Op::Sub => Some(WordOp::Sub),
            Op::Mul => Some(WordOp::Mul),
            Op::Shl(k) => Some(WordOp::Shl(u32::from(*k))),
            Op::Shr(k) => Some(WordOp::Shr(u32::from(*k))),
            Op::Sar(k) if m == n => Some(WordOp::Sar(u32::from(*k))),
            Op::Rotl(k) if m == n => Some(WordOp::Rotl(u32::from(*k))),
            Op::MulHi if m == n => Some(WordOp::MulHi),
            _ => None,
        };
        if let Some(op) = simple {
            let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
            let whole = self.lane(op, m, &operands.iter().collect::<Vec<_>>())?;
            let stays_narrow = m == n || matches!(op, WordOp::Shr(_));
            return Ok(if stays_narrow { whole } else { Expr::binary(&whole, "&", &self.mask(m)) });
        }
        let operands: Vec<Expr> = args.iter().map(|&arg| self.name(arg)).collect();
        let a = &operands[0];
        let whole = match op {
            Op::Sar(k) => {
                let top = self.lane(WordOp::Shl(n - m), m, &[a])?;
                let shifted = self.lane(WordOp::Sar(u32::from(*k)), m, &[&top])?;
                return self.lane(WordOp::Shr(n - m), m, &[&shifted]);
            }
            Op::Rotl(k) => self.join(a, a, u32::from(*k), m)?,
            Op::Funnel(k) => self.join(a, &operands[1], u32::from(*k), m)?,
            _ => return self.narrow_high_half(a, &operands[1], m),
        };
        Ok(if m == n { whole } else { Expr::binary(&whole, "&", &self.mask(m)) })
    }

    /// `high << k | low >> (m - k)`, with rubbish above bit `m`.
    fn join(&mut self, high: &Expr, low: &Expr, k: u32, m: u32) -> Result<Expr, Refusal> {
        if k == 0 {
            return Ok(high.clone());
        }
        let upper = self.lane(WordOp::Shl(k), m, &[high])?;
        let lower = self.lane(WordOp::Shr(m - k), m, &[low])?;
        Ok(Expr::binary(&upper, "|", &lower))
    }

    /// Bits `m` to `2m - 1` of the product of two words of `m` bits in wider lanes.
    fn narrow_high_half(&mut self, a: &Expr, b: &Expr, m: u32) -> Result<Expr, Refusal> {
        let n = self.machine.native_bits(m);
        let low = self.lane(WordOp::Mul, m, &[a, b])?;
        let from_low = self.lane(WordOp::Shr(m), m, &[&low])?;
        let from_high = if 2 * m <= n {
            None
        } else {
            let high = self.lane(WordOp::MulHi, m, &[a, b])?;
            Some(self.lane(WordOp::Shl(n - m), m, &[&high])?)
        };
        let both = from_high.map_or(from_low.clone(), |high| Expr::binary(&from_low, "|", &high));
        Ok(Expr::binary(&both, "&", &self.mask(m)))
    }

    fn concat(&mut self, args: &[Value]) -> Result<Expr, Refusal> {
        let (high_bits, low_bits) = (self.func.ty(args[0]).bits(), self.func.ty(args[1]).bits());
        let bits = high_bits + low_bits;
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        let [high, low] =
            [(0, high_bits), (1, low_bits)].map(|(i, own_bits)| self.as_word(&operands[i], own_bits, bits));
        let moved = self.lane(WordOp::Shl(low_bits), bits, &[&high])?;
        Ok(Expr::binary(&moved, "|", &low))
    }

    /// A word, or a one-bit word's mask, extended with zeros to a word of `bits` bits.
    fn as_word(&self, operand: &Expr, own_bits: u32, bits: u32) -> Expr {
        let ty = Type::Word(bits as u8);
        let own = self.machine.ctype(Type::Word(own_bits as u8));
        let cast =
            if own == self.machine.ctype(ty) { operand.clone() } else { Expr::cast(&self.machine.ctype(ty), operand) };
        match own_bits {
            1 => Expr::binary(&cast, "&", &Expr::primary(self.splat(bits, 1))),
            _ => cast,
        }
    }

    /// `mulwide`, `addc` and `subb`.
    fn two_results(&mut self, inst: Inst) -> Result<(), Refusal> {
        let data = self.func.inst(inst);
        let (first, second) = (data.results[0], data.results[1]);
        let ty = self.func.ty(first);
        let operands: Vec<Expr> = data.args.iter().map(|&arg| self.name(arg)).collect();
        self.flush();
        let (low, high) = match (&data.op, self.in_planes(ty)) {
            (Op::MulWide, Some(lanes)) => {
                let mut planes = self.planes(lanes);
                (planes.operation(&Op::And, &operands), planes.operation(&Op::MulHi, &operands))
            }
            (op, Some(lanes)) => return Err(Refusal::Vector { op: op.name(), lanes, bits: ty.bits() }),
            (op, None) => self.two_words(op, data.args.as_slice(), &operands, ty)?,
        };
        self.define(first, low);
        self.define(second, high);
        Ok(())
    }

    fn two_words(&mut self, op: &Op, args: &[Value], operands: &[Expr], ty: Type) -> Result<(Expr, Expr), Refusal> {
        let (a, b) = (&operands[0], &operands[1]);
        Ok(match op {
            Op::MulWide if ty.bits() == 1 => (Expr::binary(a, "&", b), Expr::primary(self.machine.zero())),
            Op::MulWide => {
                let low = self.arithmetic(&Op::Mul, args, ty.bits())?;
                (low, self.arithmetic(&Op::MulHi, args, ty.bits())?)
            }
            op if ty.bits() == 1 => self.bit_with_carry(op, operands),
            op => self.word_with_carry(op, operands, ty)?,
        })
    }

    fn bit_with_carry(&mut self, op: &Op, operands: &[Expr]) -> (Expr, Expr) {
        let register = self.machine.register();
        let sum = Expr::binary(&Expr::binary(&operands[0], "^", &operands[1]), "^", &operands[2]);
        // Majority of (a, b, carry), or of (~a, b, borrow).
        let table = if *op == Op::AddC { 0xe8 } else { 0x8e };
        let carry = self.formula(formulas()[table], operands);
        let carry = if self.machine.register_bits < 32 { Expr::cast(register, &carry) } else { carry };
        (sum, carry)
    }

    /// Sum and carry; a carry is a mask, so adding it is subtracting the mask.
    fn word_with_carry(&mut self, op: &Op, operands: &[Expr], ty: Type) -> Result<(Expr, Expr), Refusal> {
        let (m, n) = (ty.bits(), self.machine.native_bits(ty.bits()));
        let ctype = self.machine.ctype(ty);
        let (a, b) = (&operands[0], &operands[1]);
        let mask = self.condition(&operands[2], ty)?;
        let (first, second) = if *op == Op::AddC { (WordOp::Add, WordOp::Sub) } else { (WordOp::Sub, WordOp::Add) };
        let partial = self.lane(first, m, &[a, b])?;
        let whole = self.lane(second, m, &[&partial, &mask])?;
        let whole = self.temporary(&ctype, &whole);
        let top = if m == n {
            // Majority of (a, b, ~sum), or of (~a, b, difference).
            let table = if *op == Op::AddC { 0xd4 } else { 0x8e };
            let [x, y, z] = [a, b, &whole].map(Clone::clone);
            let majority = self.formula(formulas()[table], &[x, y, z]);
            self.wrap(ty, majority)
        } else {
            // The lane has room for the carry itself; a borrow reaches all its upper bits.
            self.lane(WordOp::Shl(n - 1 - m), m, &[&whole])?
        };
        let carry = self.lane(WordOp::Sar(n - 1), m, &[&top])?;
        let carry = self.to_mask(&carry, &ctype);
        let sum = if m == n { whole } else { Expr::binary(&whole, "&", &self.mask(m)) };
        Ok((sum, carry))
    }

    /// A mask of one C type as a mask of the register type.
    fn to_mask(&self, mask: &Expr, ctype: &str) -> Expr {
        let register = self.machine.register();
        if ctype == register {
            return mask.clone();
        }
        let bit = Expr::cast(register, &Expr::binary(mask, "&", &Expr::primary("1")));
        Expr::cast(register, &Expr::compound(format!("0 - {}", bit.operand())))
    }

    // Memory

    fn element(&self, slot: Slot, index: &Index) -> Expr {
        let (name, offset) = &self.slots[slot.index()];
        let data = self.func.slot(slot);
        if let (Some(lanes), SlotKind::Input { .. } | SlotKind::Output) = (self.in_planes(data.element), &data.kind) {
            let scale = |x: i64| x * i64::from(lanes);
            let terms = index.terms.iter().map(|&(counter, factor)| (counter, scale(factor))).collect();
            let first = Index { constant: scale(index.constant), terms };
            return Expr::primary(format!("&{name}[{}]", index_text(&first, *offset, &self.reach)));
        }
        Expr::primary(format!("{name}[{}]", index_text(index, *offset, &self.reach)))
    }

    fn load(&mut self, slot: Slot, index: &Index) -> Expr {
        let data = self.func.slot(slot);
        let element = self.element(slot, index);
        match (&data.kind, data.element) {
            (SlotKind::Constants(values), ty) => {
                let constant = index.terms.is_empty().then(|| values.get(index.constant as usize)).flatten();
                match constant {
                    Some(&value) => Expr::primary(self.constant(ty, &[value])),
                    None => self.broadcast(ty, &element),
                }
            }
            (SlotKind::Input { .. } | SlotKind::Output, Type::Vector { lanes, .. }) if self.machine.planes => {
                self.planes(u32::from(lanes)).load(&element.text)
            }
            (SlotKind::Input { .. } | SlotKind::Output, Type::Word(bits)) => self.loaded(element, u32::from(bits)),
            _ => element,
        }
    }

    /// A register of the kernel's arrays as a value: bits become masks, and only the word's own bits count.
    fn loaded(&mut self, element: Expr, bits: u32) -> Expr {
        let lane = self.machine.lane_bits;
        if bits == lane {
            return element;
        }
        let ty = Type::Word(bits as u8);
        if bits > 1 {
            let (ctype, register) = (self.machine.ctype(ty), self.machine.register());
            let element = if ctype == register { element } else { Expr::cast(&ctype, &element) };
            return if self.is_full(ty) && ctype != register {
                element
            } else {
                Expr::binary(&element, "&", &self.mask(bits))
            };
        }
        let one = Expr::primary(self.splat(lane, 1));
        let bit = Expr::binary(&element, "&", &one);
        let zero = Expr::primary(self.splat(lane, 0));
        self.lane(WordOp::Sub, lane, &[&zero, &bit]).unwrap_or(element)
    }

    /// An element of a table in every lane.
    fn broadcast(&self, ty: Type, element: &Expr) -> Expr {
        let machine = self.machine;
        let lane = machine.lane_bits;
        if ty == W1 {
            return match machine.is_vector() {
                true => Expr::primary(format!("{}(-(int){})", machine.set1(32), element.text)),
                false => Expr::cast(
                    machine.register(),
                    &Expr::compound(format!("0 - ({}){}", machine.register(), element.text)),
                ),
            };
        }
        match machine.words() {
            Words::Vector => {
                let argument = crate::machine::lane_argument(lane, &element.text);
                Expr::primary(format!("{}({argument})", machine.set1(lane)))
            }
            Words::Packed => Expr::binary(element, "*", &Expr::primary(machine.splat(lane, 1))),
            Words::Scalar | Words::None => element.clone(),
        }
    }

    fn store(&mut self, slot: Slot, index: &Index, value: Value) {
        let data = self.func.slot(slot);
        let mut expr = self.take(value);
        self.flush();
        if data.kind == SlotKind::Output && data.element == W1 && self.machine.lane_bits > 1 {
            expr = Expr::binary(&expr, "&", &Expr::primary(self.splat(self.machine.lane_bits, 1)));
        }
        let element = self.element(slot, index);
        let statement = match (self.in_planes(data.element), &data.kind) {
            (Some(lanes), SlotKind::Output) => self.planes(lanes).store(&element.text, &expr),
            _ => format!("{} = {};", element.text, expr.text),
        };
        self.line(&statement);
    }

    // Control

    fn call(&mut self, inst: Inst, callee: FuncId) {
        let context = &*self.context;
        let signature = context.signatures[callee.index()].clone().expect("callees are reachable");
        let data = self.func.inst(inst);
        let args: Vec<Expr> = data.args.iter().map(|&arg| self.take(arg)).collect();
        self.flush();
        let number = inst.0;
        let mut passed: Vec<String> = Vec::new();
        if signature.params_in_array() {
            let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
            let ctype = signature.param_type(0);
            self.line(&format!("const {ctype} a{number}[{}] = {{", args.len()));
            for row in texts.chunks(8) {
                self.line(&format!("    {},", row.join(", ")));
            }
            self.line("};");
            passed.push(format!("a{number}"));
        } else {
            passed.extend(args.into_iter().map(|arg| arg.text));
        }
        if signature.returns_value() {
            let call = Expr::primary(format!("{}({})", signature.name, passed.join(", ")));
            // A call stays where it is: the callee is not worth computing at its user.
            let result = data.results[0];
            self.names[result.index()] = Some(call);
            return self.declare(result);
        }
        if signature.results_in_array() {
            self.line(&format!("{} r{number}[{}];", signature.result_type(0), data.results.len()));
            passed.push(format!("r{number}"));
        }
        for (i, &result) in data.results.iter().enumerate() {
            let name = if signature.results_in_array() {
                format!("r{number}[{i}]")
            } else {
                self.line(&format!("{} v{};", signature.result_type(i), result.0));
                passed.push(format!("&v{}", result.0));
                format!("v{}", result.0)
            };
            self.names[result.index()] = Some(Expr::primary(name));
        }
        self.line(&format!("{}({});", signature.name, passed.join(", ")));
    }

    fn loop_(&mut self, inst: Inst, l: &LoopData) -> Result<(), Refusal> {
        let func = self.func;
        let data = func.inst(inst);
        let region = func.region(l.region);
        let initial: Vec<Expr> = data.args.iter().map(|&arg| self.take(arg)).collect();
        self.flush();
        for ((&param, &result), initial) in region.params.iter().zip(&data.results).zip(initial) {
            let name = Expr::primary(format!("v{}", param.0));
            self.line(&format!("{} {} = {};", self.machine.ctype(func.ty(param)), name.text, initial.text));
            self.names[param.index()] = Some(name.clone());
            self.names[result.index()] = Some(name);
        }
        self.reach[l.counter.0 as usize] = l.first.abs().max(l.last.abs());
        let i = format!("i{}", l.counter.0);
        let (compare, step) = if l.first <= l.last { ("<=", "++") } else { (">=", "--") };
        self.line(&format!("for (int {i} = {}; {i} {compare} {}; {i}{step}) {{", l.first, l.last));
        self.indent += 1;
        self.region(l.region)?;
        self.flush();
        self.next_iteration(l.region);
        self.indent -= 1;
        self.line("}");
        for (param, result) in region.params.iter().zip(&data.results) {
            if self.uses[param.index()] == 0 && self.uses[result.index()] == 0 {
                self.line(&format!("(void)v{};", param.0));
            }
        }
        Ok(())
    }

    /// Assigns the carried values, all at once.
    fn next_iteration(&mut self, region: RegionId) {
        let func = self.func;
        let region = func.region(region);
        let params: Vec<String> = region.params.iter().map(|p| format!("v{}", p.0)).collect();
        let mut assignments = Vec::new();
        for (param, &result) in region.params.iter().zip(&region.results) {
            let target = format!("v{}", param.0);
            let mut value = self.take(result);
            if value.text == target {
                continue;
            }
            if params.contains(&value.text) {
                value = self.temporary(&self.machine.ctype(func.ty(result)), &value);
            }
            assignments.push(format!("{target} = {};", value.text));
        }
        for assignment in assignments {
            self.line(&assignment);
        }
    }
}

/// `offset` more than the index. Sums that might leave `int` are computed in 64 bits.
fn index_text(index: &Index, offset: i64, reach: &[i64]) -> String {
    let mut text = String::new();
    let constant = index.constant + offset;
    let bound = |&(counter, factor): &(culet_types::program::CounterId, i64)| {
        i128::from(factor).abs() * i128::from(reach[counter.0 as usize])
    };
    let wide = index.terms.iter().map(bound).sum::<i128>() + i128::from(constant).abs() > i128::from(i32::MAX);
    for &(counter, factor) in &index.terms {
        let cast = if wide { "(int64_t)" } else { "" };
        text.push_str(match (text.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        match factor.unsigned_abs() {
            1 => text.push_str(&format!("{cast}i{}", counter.0)),
            factor => text.push_str(&format!("{factor} * {cast}i{}", counter.0)),
        }
    }
    match constant {
        _ if text.is_empty() => constant.to_string(),
        0 => text,
        constant if constant < 0 => format!("{text} - {}", -constant),
        constant => format!("{text} + {constant}"),
    }
}
