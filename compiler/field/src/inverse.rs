//! Inverses become powers: a chain of squarings and multiplications takes the place of `finv`.

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{
    Affine, CounterId, FieldKind, FieldOp, Func, Inst, LoopData, Module, Op, Origin, RegionId, Slot, SlotData,
    SlotKind, Type, Value,
};
use num_bigint::{BigInt, BigUint};

use crate::chain::{Chain, DIGIT, Power, Step, exponent_of_inverse};

/// Squarings in a row that make a loop.
const LOOP: u32 = 3;

/// Replaces all inverses in a field of q elements by the power with exponent q − 2, or an equal one. The inverse of 0 is 0, and so is
/// its power.
pub fn expand_inverses(module: &mut Module) {
    let has_inverse = |func: &Func| func.insts.iter().any(|inst| inst.op == Op::Field(FieldOp::Inv));
    if !module.funcs.iter().any(has_inverse) {
        return;
    }
    let powers = module.fields.iter().map(|field| Power::new(&power_of_inverse(&field.kind))).collect();
    let mut powers = Powers { powers };
    for func in &mut module.funcs {
        if has_inverse(func) {
            *func = transform(func, &mut powers);
        }
    }
}

/// The exponent whose power is the inverse.
pub(crate) fn power_of_inverse(kind: &FieldKind) -> BigInt {
    exponent_of_inverse(&BigInt::from(kind.elements()))
}

struct Powers {
    /// One power per field.
    powers: Vec<Power>,
}

impl Transform for Powers {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        let ty = data.results.first().map(|&result| copier.from.ty(result));
        if let (Op::Field(FieldOp::Inv), Some(Type::Field(field))) = (&data.op, ty) {
            let argument = copier.value(data.args[0]);
            let Power { top, digits } = &self.powers[field.index()];
            let top = chain_power(to, top, argument, Type::Field(field));
            let power =
                if digits.is_empty() { top } else { with_digits(to, top, digits, argument, Type::Field(field)) };
            copier.set(data.results[0], power);
            return;
        }
        copier.copy(self, to, inst);
    }
}

/// The value of an element that is a constant.
pub(crate) fn constant(func: &Func, element: Value) -> Option<&BigUint> {
    match func.value(element).origin {
        Origin::Result(maker, _) => match &func.inst(maker).op {
            Op::Field(FieldOp::Const(value)) => Some(value),
            _ => None,
        },
        Origin::Param(..) => None,
    }
}

fn chain_power(to: &mut Builder, chain: &Chain, argument: Value, ty: Type) -> Value {
    let mut registers = vec![argument; chain.registers];
    for step in &chain.steps {
        match *step {
            Step::Square { to: target, from, times } => registers[target] = squared(to, registers[from], times, ty),
            Step::Multiply { to: target, a, b } => {
                registers[target] = to.emit1(Op::Field(FieldOp::Mul), [registers[a], registers[b]], ty);
            }
        }
    }
    registers[chain.result]
}

/// The power whose exponent has these digits after those of another exponent. For each digit, the power so far is
/// squared and multiplied by the power of the digit. The powers of all digits are made first, and put in the order in
/// which they are needed.
fn with_digits(to: &mut Builder, top: Value, digits: &[u32], argument: Value, ty: Type) -> Value {
    let mut slot = |name: &str, length: u32| {
        let name = format!("{name}{}", to.func.slots.len());
        to.func.add_slot(SlotData { name, kind: SlotKind::Local, element: ty, length, group: 0 })
    };
    let (powers, factors) = (slot("powers", 1 << DIGIT), slot("factors", digits.len() as u32));
    let one = to.emit1(Op::Field(FieldOp::Const(BigUint::from(1u32))), [], ty);
    in_loop(to, 1 << DIGIT, one, |to, counter, power| {
        store(to, powers, counter.clone(), power);
        to.emit1(Op::Field(FieldOp::Mul), [power, argument], ty)
    });
    for (index, &digit) in digits.iter().enumerate() {
        let factor = to.emit1(Op::Load { slot: powers, index: at(digit.into()) }, [], ty);
        store(to, factors, at(index as i64), factor);
    }
    in_loop(to, digits.len() as u32, top, |to, counter, power| {
        let power = squared(to, power, DIGIT, ty);
        let factor = to.emit1(Op::Load { slot: factors, index: counter }, [], ty);
        to.emit1(Op::Field(FieldOp::Mul), [power, factor], ty)
    })
}

fn at(index: i64) -> Affine {
    Affine { constant: index, terms: Vec::new() }
}

fn store(to: &mut Builder, slot: Slot, index: Affine, value: Value) {
    to.emit(Op::Store { slot, index }, [value], &[]);
}

/// A loop that carries a value, with the counter from 0 on.
fn in_loop(
    to: &mut Builder,
    times: u32,
    init: Value,
    body: impl FnOnce(&mut Builder, Affine, Value) -> Value,
) -> Value {
    let data = LoopData {
        counter: CounterId(0),
        first: 0,
        last: i64::from(times) - 1,
        unroll: Some(false),
        lanes: None,
        over: None,
        region: RegionId(0),
    };
    let (inst, around) = to.begin_loop(&data, &[init]);
    let param = to.func.region(to.region).params[0];
    let counter = Affine { constant: 0, terms: vec![(to.newest_counter(), 1)] };
    let next = body(to, counter, param);
    to.end_loop(around, vec![next]);
    to.func.result(inst)
}

fn squared(to: &mut Builder, mut value: Value, times: u32, ty: Type) -> Value {
    if times < LOOP {
        for _ in 0..times {
            value = to.emit1(Op::Field(FieldOp::Sqr), [value], ty);
        }
        return value;
    }
    in_loop(to, times, value, |to, _, value| to.emit1(Op::Field(FieldOp::Sqr), [value], ty))
}
