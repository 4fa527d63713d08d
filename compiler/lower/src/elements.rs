//! Operations on elements of fields, and between them and words.

use culet_ir::{FieldId, FieldOp, Op, Type, Value};
use culet_types::program::{BinaryOperator, ByteOrder, Endian, Ty};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::builder::Builder;
use crate::pieces::piece_type;

/// Factors below this make products of a limb and a constant.
const SMALL: u64 = 1 << 24;

/// The element's type of a field of the program; modules have a program's fields in their order.
pub(crate) fn element(field: culet_types::program::FieldId) -> Type {
    Type::Field(FieldId(field.0))
}

impl Builder {
    /// A constant. It stands in the function's body, above whatever loop is being built.
    pub(crate) fn element_constant(&mut self, ty: Type, value: &BigUint) -> Value {
        let body = self.func.body;
        let constant = self.func.append1(body, Op::Field(FieldOp::Const(value.clone())), [], ty);
        if let Some(factor) = value.to_u64().filter(|&factor| factor < SMALL) {
            self.factors.insert(constant, factor);
        }
        constant
    }

    pub(crate) fn binary_elements(&mut self, operator: BinaryOperator, a: Value, b: Value) -> Value {
        let op = match operator {
            BinaryOperator::Add => FieldOp::Add,
            BinaryOperator::Subtract => FieldOp::Sub,
            BinaryOperator::Multiply if a == b => return self.same(Op::Field(FieldOp::Sqr), &[a]),
            BinaryOperator::Multiply => match (self.factors.get(&a), self.factors.get(&b)) {
                (Some(&factor), _) => return self.same(Op::Field(FieldOp::MulC(factor)), &[b]),
                (_, Some(&factor)) => return self.same(Op::Field(FieldOp::MulC(factor)), &[a]),
                _ => FieldOp::Mul,
            },
            BinaryOperator::Divide => {
                let inverse = self.same(Op::Field(FieldOp::Inv), &[b]);
                return self.same(Op::Field(FieldOp::Mul), &[a, inverse]);
            }
            BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => {
                unreachable!("elements of fields have no bits")
            }
        };
        self.same(Op::Field(op), &[a, b])
    }

    /// Makes elements of words. Each element has an equal share of the words' bits, from the least significant of the
    /// first word on.
    pub(crate) fn decode(&mut self, ty: Type, words: &[Value], elements: u32) -> Vec<Value> {
        let total: u32 = words.iter().map(|&word| self.func.ty(word).bits()).sum();
        let share = total / elements;
        let width = words.first().map_or(1, |&word| self.func.ty(word).bits());
        let is_uniform = words.iter().all(|&word| self.func.ty(word).bits() == width) && share.is_multiple_of(width);
        let (words, width) = match is_uniform {
            true => (words.to_vec(), width),
            false => (self.regroup(self.bits_of(words, Endian::Little), Endian::Little, 1), 1),
        };
        let shares = words.chunks((share / width) as usize);
        shares.map(|own| self.op(Op::Field(FieldOp::Pack), own, ty)).collect()
    }

    /// The bytes of the canonical form, least significant first.
    pub(crate) fn encode(&mut self, value: Value, bytes: u32) -> Vec<Value> {
        let types = vec![Type::Word(8); bytes as usize];
        let inst = self.func.append(self.region, Op::Field(FieldOp::Unpack), [value], &types);
        self.func.inst(inst).results.to_vec()
    }

    /// The pieces of a parameter whose bytes these are.
    pub(crate) fn pieces_from_bytes(&mut self, ty: &Ty, order: ByteOrder, bytes: &[Value]) -> Vec<Value> {
        if ty.atom.field().is_none() {
            return self.words_from_bytes(ty, order, bytes);
        }
        let mut elements = Vec::new();
        for own in bytes.chunks(ty.atom.bits.div_ceil(8) as usize) {
            let mut own = own.to_vec();
            if order == ByteOrder::Big {
                own.reverse();
            }
            elements.push(self.op(Op::Field(FieldOp::Pack), &own, piece_type(ty.atom)));
        }
        elements
    }

    /// The bytes of a result whose pieces these are.
    pub(crate) fn pieces_to_bytes(&mut self, ty: &Ty, order: ByteOrder, pieces: &[Value], length: u32) -> Vec<Value> {
        if ty.atom.field().is_none() {
            return self.words_to_bytes(ty, order, pieces, length);
        }
        let mut bytes = Vec::new();
        for &element in pieces {
            let mut own = self.encode(element, ty.atom.bits.div_ceil(8));
            if order == ByteOrder::Big {
                own.reverse();
            }
            bytes.extend(own);
        }
        bytes
    }
}
