//! Products as calls: each kind of product that stands at several places of a program becomes one function, so that its
//! code is there once; and so do sums, differences and choices of elements in full words, which have carries or many words.
//!
//! Inverses are written as powers before, since these have most products. Elements meet functions in a representation
//! that has no room for carries, so that full words, where the modulus has them, take fewer products at no cost.

use std::collections::{HashMap, HashSet};

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{FieldKind, FieldOp, Func, FuncId, Inst, InstData, Module, Op, Type, Value, W1};
use culet_types::field::Field;
use num_bigint::{BigInt, BigUint};

use crate::constants::fold_constants;
use crate::inverse::expand_inverses;
use crate::primes::{PrimeRepresentation, Saturated};

/// A kind of operation, and the types of its operands and of its result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Kind {
    op: FieldOp,
    operands: Vec<Type>,
    result: Type,
}

impl Kind {
    /// The kind of an operation that may be a call.
    fn of(func: &Func, data: &InstData, fields: &[Keeping]) -> Option<Kind> {
        let (Op::Field(op), &[result]) = (&data.op, &data.results[..]) else { return None };
        let Type::Field(field) = func.ty(result) else { return None };
        let (op, operands) = match op {
            FieldOp::Mul | FieldOp::Sqr if !fields[field.index()].keeps_products => return None,
            FieldOp::Mul if data.args[0] == data.args[1] => (FieldOp::Sqr, &data.args[..1]),
            FieldOp::Mul | FieldOp::Sqr => (op.clone(), &data.args[..]),
            FieldOp::Add | FieldOp::Sub | FieldOp::Neg | FieldOp::Select if fields[field.index()].keeps_sums => {
                (op.clone(), &data.args[..])
            }
            FieldOp::MulC(2) if fields[field.index()].keeps_sums => (FieldOp::Add, &data.args[..]),
            _ => return None,
        };
        let mut operands: Vec<Type> = operands.iter().map(|&arg| func.ty(arg)).collect();
        if op == FieldOp::Add {
            operands = vec![func.ty(result); 2];
        }
        Some(Kind { op, operands, result: func.ty(result) })
    }

    /// The product that a conversion from words or to words is.
    fn of_conversion(func: &Func, data: &InstData, fields: &[Keeping]) -> Option<Kind> {
        let element = match data.op {
            Op::Field(FieldOp::Pack) => data.results[0],
            Op::Field(FieldOp::Unpack) => data.args[0],
            _ => return None,
        };
        let result = func.ty(element);
        match result {
            Type::Field(field) if fields[field.index()].converts => {
                Some(Kind { op: FieldOp::Mul, operands: vec![result; 2], result })
            }
            _ => None,
        }
    }

    /// The name of its function.
    fn name(&self) -> &'static str {
        match self.op {
            FieldOp::Sqr => "square",
            FieldOp::Mul => "product",
            FieldOp::Add => "plus",
            FieldOp::Sub => "minus",
            FieldOp::Neg => "negated",
            _ => "choice",
        }
    }
}

/// How a field's operations are kept.
struct Keeping {
    keeps_products: bool,
    /// Whether sums take as many instructions as calls do: those of full words, which have carries of their own.
    keeps_sums: bool,
    /// Whether elements are in Montgomery's form, so that conversions are products.
    converts: bool,
}

/// Makes functions of products, and pins elements to full words of this number of bits if that is possible and the source pins nothing.
pub fn keep_products(module: &mut Module, bits: u32) {
    fold_constants(module);
    expand_inverses(module);
    let mut pinned = module.fields.clone();
    let fields: Vec<Keeping> = pinned.iter_mut().map(|field| pin(field, bits)).collect();
    let is_product = |kind: &Kind| matches!(kind.op, FieldOp::Mul | FieldOp::Sqr);
    if !repeated(module, &fields).iter().any(is_product) {
        return;
    }
    module.fields = pinned;
    let mut choices = Choices { fields: &fields };
    module.funcs = module.funcs.iter().map(|func| transform(func, &mut choices)).collect();
    call(module, &fields);
}

/// The least number of words of elements in Montgomery's form whose products are calls wherever a program keeps functions: a call takes little of
/// their time then.
const LONG: u32 = 6;

/// Makes functions of long products, in a module that has functions.
pub fn keep_long_products(module: &mut Module, bits: u32) {
    let keeping = |field: &Field| {
        let representation = PrimeRepresentation::of_program(field, bits);
        let is_long = representation.is_ok_and(|representation| {
            matches!(representation, PrimeRepresentation::Montgomery(_)) && representation.words() >= LONG
        });
        Keeping { keeps_products: is_long, keeps_sums: false, converts: is_long }
    };
    let fields: Vec<Keeping> = module.fields.iter().map(keeping).collect();
    if module.funcs.len() > 1 && fields.iter().any(|field| field.keeps_products) {
        call(module, &fields);
    }
}

/// Makes functions of the operations that stand at several places.
fn call(module: &mut Module, fields: &[Keeping]) {
    let kinds = repeated(module, fields);
    let ids: HashMap<Kind, FuncId> = kinds.iter().cloned().zip((0..).map(FuncId)).collect();
    let shift = kinds.len() as u32;
    let mut calls = Calls { ids, shift, fields };
    let callers: Vec<Func> = module.funcs.iter().map(|func| transform(func, &mut calls)).collect();
    // Callees come first.
    let mut taken: HashSet<String> = callers.iter().map(|func| func.name.clone()).collect();
    let kept: Vec<Func> = kinds.iter().map(|kind| function(kind, free_name(kind.name(), &mut taken))).collect();
    module.funcs = kept.into_iter().chain(callers).collect();
    module.entry = FuncId(module.entry.0 + shift);
}

/// The kinds of operations that stand at several places, in the order of their first places.
fn repeated(module: &Module, fields: &[Keeping]) -> Vec<Kind> {
    let mut found: Vec<(Kind, u32)> = Vec::new();
    for func in &module.funcs {
        func.walk(&mut |_, data, _| {
            let kind = Kind::of(func, data, fields).or_else(|| Kind::of_conversion(func, data, fields));
            let Some(kind) = kind else { return };
            match found.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => found.push((kind, 1)),
            }
        });
    }
    found.into_iter().filter(|(_, count)| *count > 1).map(|(kind, _)| kind).collect()
}

fn pin(field: &mut Field, bits: u32) -> Keeping {
    if let (FieldKind::Prime(modulus), None) = (&field.kind, field.pin)
        && Saturated::new(&BigInt::from(modulus.clone()), bits).is_ok()
    {
        field.pin = Field::full_words(bits);
    }
    let representation = PrimeRepresentation::of_program(field, bits);
    let has_limbs = matches!(representation, Ok(PrimeRepresentation::Unsaturated(_)));
    Keeping {
        keeps_products: true,
        keeps_sums: matches!(field.kind, FieldKind::Prime(_)) && !has_limbs,
        converts: matches!(representation, Ok(PrimeRepresentation::Montgomery(_))),
    }
}

/// A name for a function that no other has: this one, or one with a number behind it.
fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

/// The function of a kind of operation.
fn function(kind: &Kind, name: String) -> Func {
    let mut builder = Builder::with_params(&Func::new(name, &[]), &kind.operands);
    let params = builder.func.region(builder.func.body).params.clone();
    let result = builder.emit1(Op::Field(kind.op.clone()), params, kind.result);
    let body = builder.func.body;
    builder.func.region_mut(body).results = vec![result];
    builder.func
}

/// Writes elements of tables at secret positions as choices.
struct Choices<'k> {
    fields: &'k [Keeping],
}

impl Transform for Choices<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        let ty = data.results.first().map(|&result| copier.from.ty(result));
        let (Op::Field(FieldOp::Lookup), Some(Type::Field(field))) = (&data.op, ty) else {
            copier.copy(self, to, inst);
            return;
        };
        if !self.fields[field.index()].keeps_sums {
            copier.copy(self, to, inst);
            return;
        }
        let bits = copier.from.ty(data.args[0]).bits();
        let (args, ty) = (copier.args(inst), Type::Field(field));
        let entry = chosen(to, args[0], bits, &args[1..], ty);
        copier.set(data.results[0], entry);
    }
}

/// The entry at an index of `bits` bits: a choice by each bit, the lowest first. It is 0 if there is none.
fn chosen(to: &mut Builder, index: Value, bits: u32, entries: &[Value], ty: Type) -> Value {
    let zero = to.emit1(Op::Field(FieldOp::Const(BigUint::ZERO)), [], ty);
    let bit = |to: &mut Builder, bit: u32| match bits {
        1 => index,
        _ => to.emit1(Op::Extract(bit as u8), [index], W1),
    };
    let mut entries = entries.to_vec();
    let mut left = 0..bits;
    while entries.len() > 1
        && let Some(place) = left.next()
    {
        let condition = bit(to, place);
        let choose = |pair: &[Value]| {
            let then = pair.get(1).copied().unwrap_or(zero);
            to.emit1(Op::Field(FieldOp::Select), [condition, then, pair[0]], ty)
        };
        entries = entries.chunks(2).map(choose).collect();
    }
    let beyond: Vec<Value> = left.map(|place| bit(to, place)).collect();
    match beyond.into_iter().reduce(|a, b| to.emit1(Op::Or, [a, b], W1)) {
        None => entries[0],
        Some(beyond) => to.emit1(Op::Field(FieldOp::Select), [beyond, zero, entries[0]], ty),
    }
}

struct Calls<'k> {
    ids: HashMap<Kind, FuncId>,
    /// Number of functions that come before those that there were.
    shift: u32,
    fields: &'k [Keeping],
}

impl Transform for Calls<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        let kind = Kind::of(copier.from, data, self.fields);
        let kept = match &data.op {
            Op::Call(callee) => Some(FuncId(callee.0 + self.shift)),
            _ => kind.as_ref().and_then(|kind| self.ids.get(kind)).copied(),
        };
        let Some(callee) = kept else {
            copier.copy(self, to, inst);
            return;
        };
        let types: Vec<Type> = data.results.iter().map(|&result| copier.from.ty(result)).collect();
        let mut args = copier.args(inst);
        if let Some(kind) = kind {
            // A square takes one operand of a product, and a sum takes the one operand of a double twice.
            args.truncate(kind.operands.len());
            let first = args[0];
            args.resize(kind.operands.len(), first);
        }
        let call = to.emit(Op::Call(callee), args, &types);
        let results = to.func.inst(call).results.to_vec();
        copier.set_all(&data.results, &results);
    }
}
