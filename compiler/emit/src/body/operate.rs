//! Operations as expressions: bit by bit, on planes and on the elements of H, and constants.

use culet_ir::{Op, Type, Value};

use super::{Refusal, Writer};
use crate::elements;
use crate::expr::Expr;
use crate::isa::LaneOp;
use crate::machine::Words;
use crate::planes::{self, Planes};
use crate::tern::{Formula, formulas};

impl Writer<'_, '_> {
    pub(super) fn operation(&mut self, op: &Op, args: &[Value], ty: Type) -> Result<Expr, Refusal> {
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
            Op::Extract(_) => Err(Refusal::NotPacked { op: "extract" }),
            _ if ty.bits() == 1 => Ok(self.on_bits(op, args)),
            _ => self.arithmetic(op, args, ty.bits()),
        }
    }

    /// Number of registers of a value that is held in planes.
    pub(super) fn in_planes(&self, ty: Type) -> Option<u32> {
        (matches!(ty, Type::Vector { .. }) && self.machine.planes).then(|| ty.lanes())
    }

    pub(super) fn planes(&mut self, lanes: u32) -> Planes<'_> {
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

    pub(super) fn constant(&self, ty: Type, values: &[u64]) -> String {
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
            Type::Word(_) | Type::Field(_) | Type::Elements { .. } => self.splat(ty.bits(), value),
        }
    }

    /// Whether a constant is written at each use.
    pub(super) fn is_cheap_constant(&self, ty: Type, values: &[u64]) -> bool {
        let same = values.windows(2).all(|pair| pair[0] == pair[1]);
        !self.machine.is_vector() || ty.bits() == 1 && same || values == [0]
    }

    /// A constant word of at most `bits` bits, in every lane.
    pub(super) fn splat(&self, bits: u32, value: u64) -> String {
        match self.machine.words() {
            Words::Scalar => self.machine.language.literal(self.machine.native_bits(bits), value),
            _ => self.machine.splat(self.machine.lane_bits, value),
        }
    }

    /// `text`, which int promotion may have widened, as a value of the type again.
    pub(super) fn wrap(&self, ty: Type, expr: Expr) -> Expr {
        let ctype = self.machine.ctype(ty);
        if matches!(ctype.as_str(), "uint8_t" | "uint16_t") { Expr::cast(&ctype, &expr) } else { expr }
    }

    /// Whether a word has a lane of its own width.
    pub(super) fn is_full(&self, ty: Type) -> bool {
        ty.bits() == 1 || self.machine.native_bits(ty.bits()) == ty.bits()
    }

    fn bitwise(&mut self, op: &Op, args: &[Value], ty: Type) -> Expr {
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        match op {
            Op::And => self.machine.binary(&operands[0], "&", &operands[1]),
            Op::Or => self.machine.binary(&operands[0], "|", &operands[1]),
            Op::Xor => self.machine.binary(&operands[0], "^", &operands[1]),
            Op::Andn => self.machine.andn(&operands[0], &operands[1]),
            _ if self.is_full(ty) => self.wrap(ty, self.machine.not(&operands[0])),
            _ => {
                let mask = self.mask(ty.bits());
                self.machine.binary(&operands[0], "^", &mask)
            }
        }
    }

    fn ternary(&mut self, table: u8, args: &[Value], ty: Type) -> Expr {
        // A constant has the word's type, and formulas that of registers.
        if matches!(table, 0 | 0xff) && ty.bits() > 1 && self.machine.words() == Words::Scalar {
            return if table == 0 { Expr::primary(self.splat(ty.bits(), 0)) } else { self.mask(ty.bits()) };
        }
        let expr = if self.machine.has_ternary_logic() {
            let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
            let operands: Vec<&Expr> = operands.iter().collect();
            let step = self.machine.lanes(self.context.helpers, LaneOp::Ternary(table), 64, &operands);
            step.expect("a machine with ternary logic has every table")
        } else {
            let operands: Vec<Expr> = args.iter().map(|&arg| self.name(arg)).collect();
            let expr = self.formula(formulas()[table as usize], &operands);
            self.wrap(ty, expr)
        };
        // Above a narrow word all operand bits are 0, and the result's bits may be 1.
        if self.is_full(ty) || table & 1 == 0 { expr } else { self.machine.binary(&expr, "&", &self.mask(ty.bits())) }
    }

    pub(super) fn formula(&self, formula: Formula, operands: &[Expr]) -> Expr {
        let of = |table: u8| self.formula(formulas()[table as usize], operands);
        match formula {
            Formula::Operand(i) => operands[i as usize].clone(),
            Formula::Zero => Expr::primary(self.machine.zero()),
            Formula::Not(x) => self.machine.not(&of(x)),
            Formula::And(x, y) => self.machine.binary(&of(x), "&", &of(y)),
            Formula::Or(x, y) => self.machine.binary(&of(x), "|", &of(y)),
            Formula::Xor(x, y) => self.machine.binary(&of(x), "^", &of(y)),
            Formula::Andn(x, y) => self.machine.andn(&of(x), &of(y)),
        }
    }

    fn select(&mut self, args: &[Value], ty: Type) -> Result<Expr, Refusal> {
        let [condition, then, otherwise] = [args[0], args[1], args[2]].map(|arg| self.name(arg));
        let mask = self.condition(&condition, ty)?;
        if self.machine.is_vector()
            && let operands = [&mask, &then, &otherwise]
            && let Some(expr) = self.machine.lanes(self.context.helpers, LaneOp::Select, 64, &operands)
        {
            return Ok(expr);
        }
        let differ = self.machine.binary(&then, "^", &otherwise);
        Ok(self.machine.binary(&otherwise, "^", &self.machine.binary(&mask, "&", &differ)))
    }

    fn spread(&mut self, condition: Value, ty: Type) -> Result<Expr, Refusal> {
        let condition = self.take(condition);
        let mask = self.condition(&condition, ty)?;
        Ok(if self.is_full(ty) { mask } else { self.machine.binary(&mask, "&", &self.mask(ty.bits())) })
    }

    /// A condition as a mask of a value's type.
    pub(super) fn condition(&self, condition: &Expr, ty: Type) -> Result<Expr, Refusal> {
        if matches!(ty, Type::Vector { .. }) && self.machine.lane_bits > 1 {
            return Err(Refusal::MixedCondition);
        }
        let ctype = self.machine.ctype(ty);
        let same = ctype == self.machine.register();
        Ok(if same { condition.clone() } else { self.machine.language.cast(&ctype, condition) })
    }

    fn permute(&mut self, pattern: &[Option<u8>], arg: Value, ty: Type) -> Expr {
        let operand = self.take(arg);
        match ty {
            Type::Vector { .. } => elements::permute(self.machine, self.context.helpers, pattern, &operand),
            Type::Word(_) if pattern.first() == Some(&Some(0)) => operand,
            Type::Word(_) | Type::Field(_) | Type::Elements { .. } => Expr::primary(self.constant(ty, &[0])),
        }
    }

    /// Arithmetic modulo 2: of bits, carries, and the elements of H.
    fn on_bits(&mut self, op: &Op, args: &[Value]) -> Expr {
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        match op {
            Op::Add | Op::Sub => self.machine.binary(&operands[0], "^", &operands[1]),
            Op::Mul => self.machine.binary(&operands[0], "&", &operands[1]),
            Op::MulHi => Expr::primary(self.machine.zero()),
            // Amounts are less than the width, so they are zero.
            _ => operands[0].clone(),
        }
    }
}
