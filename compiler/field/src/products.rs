//! Products as calls: each kind of product that stands at several places of a program becomes one function, so that its
//! code is there once.
//!
//! Inverses are written as powers before, since these have most products. Elements meet functions in a representation
//! that has no room for carries, so that full words, where the modulus has them, take fewer products at no cost.

use std::collections::HashMap;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{FieldKind, FieldOp, Func, FuncId, Inst, Module, Op, Type};
use culet_types::field::Field;
use num_bigint::BigInt;

use crate::constants::fold_constants;
use crate::inverse::expand_inverses;
use crate::primes::Saturated;

/// A kind of product, and the type of its operands and its result.
type Kind = (FieldOp, Type);

/// Makes functions of products, and pins elements to full words of this number of bits if that is possible and the source pins nothing.
pub fn keep_products(module: &mut Module, bits: u32) {
    fold_constants(module);
    expand_inverses(module);
    let kinds = repeated(module);
    if kinds.is_empty() {
        return;
    }
    module.fields.iter_mut().for_each(|field| pin(field, bits));
    let ids: HashMap<Kind, FuncId> = kinds.iter().cloned().zip((0..).map(FuncId)).collect();
    let shift = kinds.len() as u32;
    let mut calls = Calls { ids, shift };
    let callers: Vec<Func> = module.funcs.iter().map(|func| transform(func, &mut calls)).collect();
    // Callees come first.
    module.funcs = kinds.iter().map(function).chain(callers).collect();
    module.entry = FuncId(module.entry.0 + shift);
}

/// The kinds of products that stand at several places, in the order of their first places.
fn repeated(module: &Module) -> Vec<Kind> {
    let mut found: Vec<(Kind, u32)> = Vec::new();
    for func in &module.funcs {
        func.walk(&mut |_, data, _| {
            let Op::Field(op @ (FieldOp::Mul | FieldOp::Sqr)) = &data.op else { return };
            let kind = (op.clone(), func.ty(data.results[0]));
            match found.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => found.push((kind, 1)),
            }
        });
    }
    found.into_iter().filter(|(_, count)| *count > 1).map(|(kind, _)| kind).collect()
}

fn pin(field: &mut Field, bits: u32) {
    if let (FieldKind::Prime(modulus), None) = (&field.kind, field.pin)
        && Saturated::new(&BigInt::from(modulus.clone()), bits).is_ok()
    {
        field.pin = Field::full_words(bits);
    }
}

/// The function of a kind of product.
fn function((op, ty): &Kind) -> Func {
    let (name, operands) = match op {
        FieldOp::Sqr => ("square", 1),
        _ => ("product", 2),
    };
    let mut builder = Builder::with_params(&Func::new(name, &[]), &vec![*ty; operands]);
    let params = builder.func.region(builder.func.body).params.clone();
    let result = builder.emit1(Op::Field(op.clone()), params, *ty);
    let body = builder.func.body;
    builder.func.region_mut(body).results = vec![result];
    builder.func
}

struct Calls {
    ids: HashMap<Kind, FuncId>,
    /// Number of functions that come before those that there were.
    shift: u32,
}

impl Transform for Calls {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        let kept = match &data.op {
            Op::Call(callee) => Some(FuncId(callee.0 + self.shift)),
            Op::Field(op) => self.ids.get(&(op.clone(), copier.from.ty(data.results[0]))).copied(),
            _ => None,
        };
        let Some(callee) = kept else {
            copier.copy(self, to, inst);
            return;
        };
        let types: Vec<Type> = data.results.iter().map(|&result| copier.from.ty(result)).collect();
        let args = copier.args(inst);
        let call = to.emit(Op::Call(callee), args, &types);
        let results = to.func.inst(call).results.to_vec();
        copier.set_all(&data.results, &results);
    }
}
