//! Inverses become powers: a chain of squarings and multiplications takes the place of `finv`.

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{FieldKind, FieldOp, Inst, LoopData, Module, Op, RegionId, Type, Value};
use num_bigint::BigInt;

use crate::chain::{Chain, Step};
use crate::interval::power;

/// Squarings in a row that make a loop.
const LOOP: u32 = 3;

/// Replaces all inverses: in a field of q elements by the power with q − 2. The inverse of 0 is 0, and so is its power.
pub fn expand_inverses(module: &mut Module) {
    let chains: Vec<Chain> = module
        .fields
        .iter()
        .map(|field| {
            let elements = match &field.kind {
                FieldKind::Prime(modulus) => BigInt::from(modulus.clone()),
                FieldKind::Binary(polynomial) => power(polynomial.bits() - 1),
            };
            Chain::new(&(elements - 2))
        })
        .collect();
    let mut powers = Powers { chains };
    for func in &mut module.funcs {
        if func.insts.iter().any(|inst| inst.op == Op::Field(FieldOp::Inv)) {
            *func = transform(func, &mut powers);
        }
    }
}

struct Powers {
    /// One a field.
    chains: Vec<Chain>,
}

impl Transform for Powers {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        let ty = data.results.first().map(|&result| copier.from.ty(result));
        if let (Op::Field(FieldOp::Inv), Some(Type::Field(field))) = (&data.op, ty) {
            let argument = copier.value(data.args[0]);
            copier.set(data.results[0], chain_power(to, &self.chains[field.index()], argument, Type::Field(field)));
            return;
        }
        copier.copy(self, to, inst);
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

fn squared(to: &mut Builder, mut value: Value, times: u32, ty: Type) -> Value {
    if times < LOOP {
        for _ in 0..times {
            value = to.emit1(Op::Field(FieldOp::Sqr), [value], ty);
        }
        return value;
    }
    let data = LoopData {
        counter: culet_ir::CounterId(0),
        first: 1,
        last: times.into(),
        unroll: Some(false),
        lanes: None,
        over: None,
        region: RegionId(0),
    };
    let (inst, around) = to.begin_loop(&data, &[value]);
    let param = to.func.region(to.region).params[0];
    let next = to.emit1(Op::Field(FieldOp::Sqr), [param], ty);
    to.end_loop(around, vec![next]);
    to.func.result(inst)
}
