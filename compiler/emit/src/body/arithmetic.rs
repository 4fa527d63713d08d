//! Arithmetic, shifts and rotations of words, and carries.
//!
//! A word narrower than its lane has zeros above it; operations that would put something there clear it again.

use culet_ir::{Inst, Op, Type, Value};

use super::{Refusal, Writer};
use crate::expr::Expr;
use crate::language::Language;
use crate::tern::formulas;
use crate::words::{WordOp, word_op};

impl Writer<'_, '_> {
    /// A mask of the lowest `bits` bits of every lane.
    pub(super) fn mask(&self, bits: u32) -> Expr {
        Expr::primary(self.splat(bits, u64::MAX >> (64 - bits)))
    }

    /// An operation on whole lanes.
    pub(super) fn lane(&mut self, op: WordOp, bits: u32, args: &[&Expr]) -> Result<Expr, Refusal> {
        if matches!(op, WordOp::Shl(0) | WordOp::Shr(0) | WordOp::Sar(0) | WordOp::Rotl(0)) {
            return Ok(args[0].clone());
        }
        let n = self.machine.native_bits(bits);
        word_op(self.machine, self.context.helpers, op, n, args)
            .ok_or(Refusal::NotPacked { op: if op == WordOp::Mul { "mul" } else { "mulhi" } })
    }

    pub(super) fn arithmetic(&mut self, op: &Op, args: &[Value], m: u32) -> Result<Expr, Refusal> {
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
            return Ok(if stays_narrow { whole } else { self.machine.binary(&whole, "&", &self.mask(m)) });
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
        Ok(if m == n { whole } else { self.machine.binary(&whole, "&", &self.mask(m)) })
    }

    /// `high << k | low >> (m - k)`, with rubbish above bit `m`.
    fn join(&mut self, high: &Expr, low: &Expr, k: u32, m: u32) -> Result<Expr, Refusal> {
        if k == 0 {
            return Ok(high.clone());
        }
        let upper = self.lane(WordOp::Shl(k), m, &[high])?;
        let lower = self.lane(WordOp::Shr(m - k), m, &[low])?;
        Ok(self.machine.binary(&upper, "|", &lower))
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
        let both = from_high.map_or(from_low.clone(), |high| self.machine.binary(&from_low, "|", &high));
        Ok(self.machine.binary(&both, "&", &self.mask(m)))
    }

    pub(super) fn concat(&mut self, args: &[Value]) -> Result<Expr, Refusal> {
        let (high_bits, low_bits) = (self.func.ty(args[0]).bits(), self.func.ty(args[1]).bits());
        let bits = high_bits + low_bits;
        let operands: Vec<Expr> = args.iter().map(|&arg| self.take(arg)).collect();
        let [high, low] =
            [(0, high_bits), (1, low_bits)].map(|(i, own_bits)| self.as_word(&operands[i], own_bits, bits));
        let moved = self.lane(WordOp::Shl(low_bits), bits, &[&high])?;
        Ok(self.machine.binary(&moved, "|", &low))
    }

    /// A word, or a one-bit word's mask, extended with zeros to a word of `bits` bits.
    fn as_word(&self, operand: &Expr, own_bits: u32, bits: u32) -> Expr {
        let ty = Type::Word(bits as u8);
        let own = self.machine.ctype(Type::Word(own_bits as u8));
        let cast = if own == self.machine.ctype(ty) {
            operand.clone()
        } else {
            self.machine.language.cast(&self.machine.ctype(ty), operand)
        };
        match own_bits {
            1 => self.machine.binary(&cast, "&", &Expr::primary(self.splat(bits, 1))),
            _ => cast,
        }
    }

    /// `mulwide`, `addc` and `subb`.
    pub(super) fn two_results(&mut self, inst: Inst) -> Result<(), Refusal> {
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
            Op::MulWide if ty.bits() == 1 => (self.machine.binary(a, "&", b), Expr::primary(self.machine.zero())),
            Op::MulWide => {
                let low = self.arithmetic(&Op::Mul, args, ty.bits())?;
                (low, self.arithmetic(&Op::MulHi, args, ty.bits())?)
            }
            op if ty.bits() == 1 => self.bit_with_carry(op, operands),
            op => self.word_with_carry(op, operands, ty)?,
        })
    }

    fn bit_with_carry(&mut self, op: &Op, operands: &[Expr]) -> (Expr, Expr) {
        let sum = self.machine.binary(&self.machine.binary(&operands[0], "^", &operands[1]), "^", &operands[2]);
        // Majority of (a, b, carry), or of (~a, b, borrow).
        let table = if *op == Op::AddC { 0xe8 } else { 0x8e };
        let carry = self.formula(formulas()[table], operands);
        let carry = self.machine.language.narrowed(self.machine.register_bits, carry);
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
        let sum = if m == n { whole } else { self.machine.binary(&whole, "&", &self.mask(m)) };
        Ok((sum, carry))
    }

    /// 0 less a bit, as a register that is a plain word. Rust's compiler must not see that it has two values only: it makes
    /// branches of choices by such masks.
    pub(super) fn negative(&self, bit: &Expr) -> Expr {
        let register = self.machine.register();
        match self.machine.language {
            Language::C => Expr::cast(register, &Expr::compound(format!("0 - {}", bit.operand()))),
            Language::Rust => Expr::primary(format!("0{register}.wrapping_sub(core::hint::black_box({}))", bit.text)),
        }
    }

    /// A mask of one type as a mask of the register type.
    fn to_mask(&self, mask: &Expr, ctype: &str) -> Expr {
        let register = self.machine.register();
        if ctype == register {
            return mask.clone();
        }
        let bit = self.machine.language.cast(register, &Expr::binary(mask, "&", &Expr::primary("1")));
        self.negative(&bit)
    }
}
