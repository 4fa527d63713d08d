//! Types and operations. The meaning of operations is in `eval`, in terms of `Domain`; the rules for well-formed ones
//! are in `verify`.

use crate::field::FieldOp;
use crate::func::{FieldId, FuncId, Index, LoopData, Slot};

/// The type of a value of *one instance*: the number of instances side by side is a property of the kernel, not of the
/// type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `w1` … `w64`. `w1` is a bitsliced bit, a carry, or a condition.
    Word(u8),
    /// `v<lanes,bits>`: lanes of one instance (direction H has lanes of one bit).
    Vector { lanes: u8, bits: u8 },
    /// `f0`, `f1`, …: an element of a field of the module. It has no bits until a representation is chosen.
    Field(FieldId),
    /// `v<lanes,f0>`: elements of a field of the module side by side.
    Elements { field: FieldId, lanes: u8 },
}

pub const W1: Type = Type::Word(1);

impl Type {
    /// Bits of a word, or of one lane; none for an element of a field.
    pub fn bits(self) -> u32 {
        match self {
            Type::Word(bits) | Type::Vector { bits, .. } => u32::from(bits),
            Type::Field(_) | Type::Elements { .. } => 0,
        }
    }

    /// Lanes; a word has one, and so has an element of a field.
    pub fn lanes(self) -> u32 {
        match self {
            Type::Word(_) | Type::Field(_) => 1,
            Type::Vector { lanes, .. } | Type::Elements { lanes, .. } => u32::from(lanes),
        }
    }

    /// The field of an element, or of elements side by side.
    pub fn field(self) -> Option<FieldId> {
        match self {
            Type::Field(field) | Type::Elements { field, .. } => Some(field),
            Type::Word(_) | Type::Vector { .. } => None,
        }
    }

    /// The type of one lane.
    pub fn lane(self) -> Type {
        match self {
            Type::Vector { bits, .. } => Type::Word(bits),
            Type::Elements { field, .. } => Type::Field(field),
            Type::Word(_) | Type::Field(_) => self,
        }
    }
}

/// An operation without its operands. Unless said otherwise, operands and result have one type, and a vector operation
/// is the word operation on every lane.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    /// One value per lane.
    Const(Box<[u64]>),
    And,
    Or,
    Xor,
    /// `a & !b`
    Andn,
    Not,
    /// The function of three bits whose value at (a, b, c) is bit `4a + 2b + c`.
    Tern(u8),
    Add,
    Sub,
    /// The low half of the product.
    Mul,
    /// The high half of the unsigned product.
    MulHi,
    /// (low, high) of the unsigned product.
    MulWide,
    /// (low, high) of the product of two words of 64 bits as polynomials over GF(2), bit i being the coefficient of
    /// x^i.
    ClMul,
    /// The product of the low 32 bits of two words of 64 bits.
    Mul32,
    /// `sum, a, b`, of 64 bits: the sum plus the low 52 bits of the product of the low 52 bits of a and b.
    Mac52Lo,
    /// As [`Op::Mac52Lo`], with bits 52 to 103 of the product.
    Mac52Hi,
    /// `a, b, carry: w1` → `sum, carry: w1`
    AddC,
    /// `a, b, borrow: w1` → `difference, borrow: w1`
    SubB,
    /// Amounts are less than the width.
    Shl(u8),
    Shr(u8),
    Sar(u8),
    Rotl(u8),
    /// The upper half of `(a:b) << amount`.
    Funnel(u8),
    /// `condition: w1, then, otherwise`
    Select,
    /// `w1` → all ones or zero of the result type.
    Spread,
    /// `high, low` → a word of both widths together.
    Concat,
    /// Bits of a word from this one up, as many as the result has.
    Extract(u8),
    /// Lane i of the result is lane `pattern[i]` of the operand, or zero, which is not possible for elements of fields.
    /// There are as many entries as lanes.
    Perm(Box<[Option<u8>]>),
    /// A vector of as many words, or elements, as the result has lanes.
    Join,
    /// One lane.
    Lane(u8),
    /// Lane i of the result is lane i of the second operand if bit i is set, otherwise of the first.
    Blend(u64),
    /// An operation on elements of a field.
    Field(FieldOp),
    /// The element of a slot.
    Load {
        slot: Slot,
        index: Index,
    },
    /// Stores the operand to the element of a slot; no result.
    Store {
        slot: Slot,
        index: Index,
    },
    /// The bytes of a stream after its last whole block of `block` bytes, then `pad` if it is not 0, then zeros: one
    /// more than a block has if there is a `pad`.
    Tail {
        stream: Slot,
        block: u32,
        pad: u8,
    },
    /// `w64`: the number of bytes of a stream.
    Length {
        stream: Slot,
    },
    /// Writes the end of a result that has as many bytes as a stream: of the bytes of `from`, those that the stream has
    /// after its last whole block of `block` bytes go behind what loops over the whole blocks store to `slot`.
    StoreTail {
        slot: Slot,
        from: Slot,
        stream: Slot,
        block: u32,
    },
    /// A call. Operands and results are as the callee's.
    Call(FuncId),
    /// Operands are the initial carried values, results the final ones.
    Loop(Box<LoopData>),
}

impl Op {
    pub fn constant(value: u64) -> Op {
        Op::Const(Box::new([value]))
    }

    /// The operation's name in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Const(_) => "const",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Andn => "andn",
            Op::Not => "not",
            Op::Tern(_) => "tern",
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::MulHi => "mulhi",
            Op::MulWide => "mulwide",
            Op::ClMul => "clmul",
            Op::Mul32 => "mul32",
            Op::Mac52Lo => "mac52lo",
            Op::Mac52Hi => "mac52hi",
            Op::AddC => "addc",
            Op::SubB => "subb",
            Op::Shl(_) => "shl",
            Op::Shr(_) => "shr",
            Op::Sar(_) => "sar",
            Op::Rotl(_) => "rotl",
            Op::Funnel(_) => "funnel",
            Op::Select => "select",
            Op::Spread => "spread",
            Op::Concat => "concat",
            Op::Extract(_) => "extract",
            Op::Perm(_) => "perm",
            Op::Join => "join",
            Op::Lane(_) => "lane",
            Op::Blend(_) => "blend",
            Op::Field(op) => op.name(),
            Op::Load { .. } => "load",
            Op::Store { .. } => "store",
            Op::Tail { .. } => "tail",
            Op::Length { .. } => "length",
            Op::StoreTail { .. } => "storetail",
            Op::Call(_) => "call",
            Op::Loop(_) => "loop",
        }
    }

    pub fn is_commutative(&self) -> bool {
        let is_field = matches!(self, Op::Field(FieldOp::Add | FieldOp::Mul));
        let is_product = matches!(self, Op::Mul | Op::MulHi | Op::MulWide | Op::Mul32 | Op::ClMul);
        is_field || is_product || matches!(self, Op::And | Op::Or | Op::Xor | Op::Add)
    }

    /// Whether the operation on every lane of a register, of `bits` bits each, has a form on all targets with vectors.
    pub fn is_on_lanes(&self, bits: u32) -> bool {
        match self {
            Op::And | Op::Or | Op::Xor | Op::Andn | Op::Not | Op::Tern(_) | Op::Add | Op::Sub => true,
            Op::Shl(_) | Op::Shr(_) | Op::Rotl(_) | Op::Funnel(_) | Op::Select => true,
            Op::Mul | Op::Sar(_) => matches!(bits, 16 | 32),
            _ => false,
        }
    }

    /// Whether the results are a function of the operands alone and the operation can be moved, merged or removed.
    pub fn is_pure(&self) -> bool {
        !matches!(
            self,
            Op::Load { .. }
                | Op::Store { .. }
                | Op::Tail { .. }
                | Op::Length { .. }
                | Op::StoreTail { .. }
                | Op::Loop(_)
        )
    }
}
