//! Values, and the operations on them.

use culet_ir::{InstData, Op, RegionId, Type, Value, W1};

use super::{Generator, Types};

impl Generator<'_> {
    /// A word, often one to which identities apply.
    pub(super) fn word(&mut self, bits: u32) -> u64 {
        let ones = u64::MAX >> (64 - bits);
        match self.rng.below(6) {
            0 => *self.rng.pick(&[0, ones]),
            1 => *self.rng.pick(&[0, 1]),
            2 => 1 << self.rng.below(bits),
            _ => self.rng.draw() & ones,
        }
    }

    /// A visible value of a type, usually a recent one, or a new constant.
    pub(super) fn value(&mut self, region: RegionId, ty: Type) -> Value {
        let of_type: Vec<Value> = self.pool.iter().copied().filter(|&value| self.func.ty(value) == ty).collect();
        if of_type.is_empty() || self.rng.chance(5) {
            let lanes = (0..ty.lanes()).map(|_| self.word(ty.bits())).collect();
            let value = self.func.append1(region, Op::Const(lanes), [], ty);
            self.pool.push(value);
            return value;
        }
        let recent = if self.rng.chance(60) { of_type.len().min(5) } else { of_type.len() };
        of_type[of_type.len() - 1 - self.rng.below(recent as u32) as usize]
    }

    pub(super) fn emit(&mut self, region: RegionId, op: Op, args: &[Type], results: &[Type]) {
        let args: Vec<Value> = args.iter().map(|&ty| self.operand(region, ty)).collect();
        let inst = self.func.append(region, op, args, results);
        self.pool.extend(self.func.inst(inst).results.iter().copied());
    }

    /// A visible value, or an operation on visible values that has no other use.
    fn operand(&mut self, region: RegionId, ty: Type) -> Value {
        let a = self.value(region, ty);
        match self.rng.below(12) {
            0..3 => self.func.append1(region, Op::Not, [a], ty),
            3 => {
                let op = self.rng.pick(&[Op::And, Op::Or, Op::Xor, Op::Andn]).clone();
                let b = self.value(region, ty);
                self.func.append1(region, op, [a, b], ty)
            }
            _ => a,
        }
    }

    pub(super) fn operation(&mut self, region: RegionId) {
        let ty = self.ty();
        let Types { narrow, wide, vector } = *self.types;
        let amount = self.rng.below(ty.bits()) as u8;
        let word = if ty == vector { narrow } else { ty };
        let choices = if self.shape.words { 33 } else { 19 };
        match self.rng.below(choices) {
            0..3 => self.emit(region, Op::And, &[ty; 2], &[ty]),
            3..5 => self.emit(region, Op::Or, &[ty; 2], &[ty]),
            5..11 => self.emit(region, Op::Xor, &[ty; 2], &[ty]),
            11..15 => self.emit(region, Op::Not, &[ty], &[ty]),
            15 => self.emit(region, Op::Andn, &[ty; 2], &[ty]),
            16 => {
                let table = self.rng.below(256) as u8;
                self.emit(region, Op::Tern(table), &[ty; 3], &[ty]);
            }
            17 | 18 => self.emit(region, Op::Select, &[W1, ty, ty], &[ty]),
            19 => self.emit(region, Op::Add, &[ty; 2], &[ty]),
            20 => self.emit(region, Op::Sub, &[ty; 2], &[ty]),
            21 => self.emit(region, Op::Mul, &[ty; 2], &[ty]),
            22 => self.emit(region, Op::MulHi, &[ty; 2], &[ty]),
            23 => self.emit(region, Op::MulWide, &[ty; 2], &[ty; 2]),
            24 => self.emit(region, Op::AddC, &[word, word, W1], &[word, W1]),
            25 => self.emit(region, Op::SubB, &[word, word, W1], &[word, W1]),
            26 => self.emit(region, Op::Shl(amount), &[ty], &[ty]),
            27 => self.emit(region, Op::Shr(amount), &[ty], &[ty]),
            28 => self.emit(region, Op::Sar(amount), &[ty], &[ty]),
            29 => self.emit(region, Op::Rotl(amount), &[ty], &[ty]),
            30 => self.emit(region, Op::Funnel(amount), &[ty; 2], &[ty]),
            31 if self.rng.chance(50) => self.emit(region, Op::Spread, &[W1], &[ty]),
            31 => self.emit(region, Op::Concat, &[narrow; 2], &[wide]),
            _ if self.shape.vectors => {
                let pattern = (0..4).map(|_| *self.rng.pick(&[None, Some(0), Some(1), Some(2), Some(3)])).collect();
                self.emit(region, Op::Perm(pattern), &[vector], &[vector]);
            }
            _ => self.again(region),
        }
    }

    /// Repeats a recent operation: one with two operands on exchanged operands, one with one operand on its own result.
    pub(super) fn again(&mut self, region: RegionId) {
        let insts = &self.func.region(region).insts;
        let mut recent = insts.iter().rev().take(12).map(|&inst| self.func.inst(inst).clone());
        let wanted = 1 + self.rng.below(2) as usize;
        let is_plain = |data: &InstData| {
            data.op.is_pure() && !matches!(data.op, Op::Call(_)) && data.args.len() == wanted && data.results.len() == 1
        };
        let Some(data) = recent.find(is_plain) else { return };
        let ty = self.func.ty(data.results[0]);
        if data.args.iter().all(|&arg| self.func.ty(arg) == ty) {
            let args: Vec<Value> = match data.args[..] {
                [a, b] => vec![b, a],
                _ => vec![data.results[0]],
            };
            let value = self.func.append1(region, data.op, args, ty);
            self.pool.push(value);
        }
    }
}
