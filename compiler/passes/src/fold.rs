//! Constants and identities: operations that can be computed now, and operations that equal something simpler.
//!
//! Constants are computed by the interpreter of the IR over `Concrete`. Operands of commutative operations come out in
//! one order, the value defined first before the other and constants last. Negations move towards the results, where
//! they meet others or become part of an `andn`. Adders of one bit become gates.

mod arithmetic;
mod logic;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Inst, InstData, Module, Op, Type, Value, Values, apply};
use culet_meaning::Concrete;
use smallvec::{SmallVec, smallvec};

use crate::{Context, each_func};

pub fn run(module: &mut Module, context: &Context) {
    each_func(module, |func| {
        let mut fold = Fold { use_andn: context.target.has_andn(), old_uses: func.use_counts(), new_uses: Vec::new() };
        transform(func, &mut fold)
    });
}

struct Fold {
    /// Whether `andn` is one instruction of the target.
    use_andn: bool,
    /// Number of uses of each value of the old function.
    old_uses: Vec<u32>,
    /// Number of those uses that each value of the new function has taken over; none for values that rules make.
    new_uses: Vec<u32>,
}

/// Result of a rule for an operation with one result.
enum Found {
    /// The operation is this value.
    Value(Value),
    Constant(u64),
    /// The operation is this other operation.
    Op(Op, Values),
}

impl Found {
    fn unary(op: Op, a: Value) -> Option<Found> {
        Some(Found::Op(op, smallvec![a]))
    }

    fn binary(op: Op, a: Value, b: Value) -> Option<Found> {
        Some(Found::Op(op, smallvec![a, b]))
    }
}

/// Maximum number of rules that may apply inside one another before the operation stays as it is. Rules shrink the
/// operations that they are applied to, so that this is only a guard.
const FUEL: u32 = 16;

impl Transform for Fold {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        match (&data.op, data.results.len()) {
            (Op::Loop(_), _) => drop(copier.copy(self, to, inst)),
            (Op::Call(_), _) => drop(copier.keep(to, inst)),
            (op, _) if !op.is_pure() => drop(copier.keep(to, inst)),
            (op, 1) => {
                let new = self.build(to, op.clone(), copier.args(inst), from.ty(data.results[0]), FUEL);
                copier.set(data.results[0], new);
            }
            _ => match self.pair(to, data, copier.args(inst), from.ty(data.results[0])) {
                Some([first, second]) => copier.set_all(&data.results, &[first, second]),
                None => drop(copier.keep(to, inst)),
            },
        }
        for &old in &data.results {
            let new = copier.value(old).index();
            if self.new_uses.len() <= new {
                self.new_uses.resize(to.func.values.len(), 0);
            }
            self.new_uses[new] += self.old_uses[old.index()];
        }
    }
}

impl Fold {
    /// The value of an operation with one result: emitted, or found.
    fn build(&mut self, to: &mut Builder, op: Op, mut args: Values, ty: Type, fuel: u32) -> Value {
        if let Some(lanes) = constant_result(to, &op, &args, ty) {
            return to.emit1(Op::Const(lanes), [], ty);
        }
        if op.is_commutative() && args.len() == 2 {
            args.sort_by_key(|&arg| (is_constant(to, arg), arg));
        }
        let found = if fuel == 0 { None } else { self.rule(to, &op, &args, ty, fuel - 1) };
        match found {
            Some(Found::Value(value)) => value,
            Some(Found::Constant(word)) => splat(to, ty, word),
            Some(Found::Op(op, args)) => self.build(to, op, args, ty, fuel - 1),
            None => to.emit1(op, args, ty),
        }
    }

    fn rule(&mut self, to: &mut Builder, op: &Op, args: &Values, ty: Type, fuel: u32) -> Option<Found> {
        match (op, &args[..]) {
            (Op::And | Op::Or | Op::Xor | Op::Andn, &[a, b]) => self.bitwise(to, op, a, b, ty, fuel),
            (Op::Not, &[a]) => logic::not(to, a),
            (Op::Tern(table), &[a, b, c]) => self.ternary(to, *table, [a, b, c], ty, fuel),
            (Op::Select, &[c, a, b]) => self.select(to, c, a, b, ty, fuel),
            (Op::Spread, &[a]) => (to.func.ty(a) == ty).then_some(Found::Value(a)),
            (Op::Perm(pattern), &[a]) => logic::perm(to, pattern, a),
            (Op::Add | Op::Sub | Op::Mul | Op::MulHi, &[a, b]) => arithmetic::binary(to, op, a, b, ty),
            (Op::Shl(_) | Op::Shr(_) | Op::Sar(_) | Op::Rotl(_), &[a]) => arithmetic::shift(to, op, a, ty),
            (Op::Funnel(n), &[a, b]) => arithmetic::funnel(to, *n, a, b, ty),
            _ => None,
        }
    }

    /// Operations with two results.
    fn pair(&mut self, to: &mut Builder, data: &InstData, args: Values, ty: Type) -> Option<[Value; 2]> {
        let all: Option<SmallVec<[Vec<u64>; 4]>> =
            args.iter().map(|&arg| constant(to, arg).map(<[u64]>::to_vec)).collect();
        if let Some(lanes) = all {
            let lanes: SmallVec<[&[u64]; 4]> = lanes.iter().map(|lanes| &lanes[..]).collect();
            let widths = widths(to, &args);
            let results = apply(&mut Concrete, &data.op, ty, &widths, &lanes);
            let [first, second] = results.into_inner().ok()?;
            let second_type = if matches!(data.op, Op::MulWide | Op::ClMul) { ty } else { culet_ir::W1 };
            let first = to.emit1(Op::Const(first.into_vec().into()), [], ty);
            return Some([first, to.emit1(Op::Const(second.into_vec().into()), [], second_type)]);
        }
        match (&data.op, &args[..]) {
            (Op::MulWide, &[a, b]) => self.mul_wide(to, data, a, b, ty),
            (Op::AddC | Op::SubB, &[a, b, c]) => self.adder(to, data, [a, b, c], ty),
            _ => None,
        }
    }

    /// Whether at most one operation uses the value, so that it goes away if that operation no longer does.
    fn is_lonely(&self, value: Value) -> bool {
        self.new_uses.get(value.index()).is_none_or(|&uses| uses <= 1)
    }
}

/// The lanes of a constant.
fn constant(to: &Builder, value: Value) -> Option<&[u64]> {
    match to.definition(value)?.op {
        Op::Const(ref lanes) => Some(lanes),
        _ => None,
    }
}

fn is_constant(to: &Builder, value: Value) -> bool {
    constant(to, value).is_some()
}

/// The word in every lane of a constant, if all lanes are equal.
fn word(to: &Builder, value: Value) -> Option<u64> {
    let lanes = constant(to, value)?;
    lanes.iter().all(|lane| *lane == lanes[0]).then_some(lanes[0])
}

fn ones(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

fn splat(to: &mut Builder, ty: Type, word: u64) -> Value {
    to.emit1(Op::Const(vec![word; ty.lanes() as usize].into()), [], ty)
}

fn widths(to: &Builder, args: &[Value]) -> SmallVec<[u32; 4]> {
    args.iter().map(|&arg| to.func.ty(arg).bits()).collect()
}

/// The result of an operation whose operands are all constants.
fn constant_result(to: &Builder, op: &Op, args: &[Value], ty: Type) -> Option<Box<[u64]>> {
    if matches!(op, Op::Const(_) | Op::Field(_)) {
        return None;
    }
    let lanes: Option<SmallVec<[&[u64]; 4]>> = args.iter().map(|&arg| constant(to, arg)).collect();
    let results = apply(&mut Concrete, op, ty, &widths(to, args), &lanes?);
    results.into_iter().next().map(|lanes| lanes.into_vec().into())
}

/// The operand of a negation.
fn negated(to: &Builder, value: Value) -> Option<Value> {
    let data = to.definition(value)?;
    (data.op == Op::Not).then(|| data.args[0])
}

/// The operands of a value's operation, if it is `op`, which has two.
fn operands(to: &Builder, value: Value, op: &Op) -> Option<(Value, Value)> {
    let data = to.definition(value)?;
    (data.op == *op).then(|| (data.args[0], data.args[1]))
}
