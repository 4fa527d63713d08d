//! Constant folding on elements: an operation on constants becomes one constant, however elements are held, and a
//! constant that is unpacked becomes words.

use culet_ir::field::Sign;
use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Field, FieldOp, Inst, Module, Op, Type};
use culet_meaning::{ConcreteFields, FieldDomain};
use num_bigint::BigUint;

use crate::inverse::constant;

/// Computes operations on known elements.
pub fn fold_constants(module: &mut Module) {
    let mut constants = Constants { fields: module.fields.clone() };
    for func in &mut module.funcs {
        *func = transform(func, &mut constants);
    }
}

struct Constants {
    fields: Vec<Field>,
}

impl Transform for Constants {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        if self.find(copier, to, inst).is_none() {
            copier.copy(self, to, inst);
        }
    }
}

impl Constants {
    /// Sets the results of an operation whose operands are all constants; none where they are not.
    fn find(&self, copier: &mut Copier, to: &mut Builder, inst: Inst) -> Option<()> {
        let data = copier.from.inst(inst);
        let Op::Field(op) = &data.op else { return None };
        let Type::Field(field) = copier.from.ty(*data.args.first()?) else { return None };
        let known =
            copier.args(inst).iter().map(|&arg| constant(&to.func, arg).cloned()).collect::<Option<Vec<_>>>()?;
        if *op == FieldOp::Unpack {
            let mut rest = known.into_iter().next()?;
            for &result in &data.results {
                let ty = copier.from.ty(result);
                let word = rest.iter_u64_digits().next().unwrap_or(0) & (u64::MAX >> (64 - ty.bits()));
                rest >>= ty.bits();
                let word = to.emit1(Op::constant(word), [], ty);
                copier.set(result, word);
            }
            return Some(());
        }
        let value = computed(&self.fields[field.index()], op, &known)?;
        let value = to.emit1(Op::Field(FieldOp::Const(value)), [], Type::Field(field));
        copier.set(data.results[0], value);
        Some(())
    }
}

/// The result of an operation on constants, if the operation computes an element.
fn computed(field: &Field, op: &FieldOp, args: &[BigUint]) -> Option<BigUint> {
    let mut meaning = ConcreteFields;
    Some(match (op, args) {
        (FieldOp::Add, [a, b]) => meaning.add(field, a, b),
        (FieldOp::Sub, [a, b]) => meaning.sub(field, a, b),
        (FieldOp::Neg, [a]) => meaning.neg(field, a),
        (FieldOp::Mul, [a, b]) => meaning.mul(field, a, b),
        (FieldOp::Sqr, [a]) => meaning.mul(field, a, a),
        (FieldOp::MulC(factor), [a]) => meaning.mul(field, a, &BigUint::from(*factor)),
        (FieldOp::Inv, [a]) => meaning.inverse(field, a),
        (FieldOp::Sop(signs), factors) => {
            let products = factors.chunks(2).map(|pair| ConcreteFields.mul(field, &pair[0], &pair[1]));
            products.zip(signs.iter()).fold(BigUint::ZERO, |sum, (product, sign)| match sign {
                Sign::Plus => meaning.add(field, &sum, &product),
                Sign::Minus => meaning.sub(field, &sum, &product),
            })
        }
        _ => return None,
    })
}
