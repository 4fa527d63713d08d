//! Operations on elements of fields, and what they mean.
//!
//! An element of GF(p) is an integer from 0 to p − 1, one of GF(2)[x] modulo a polynomial is an integer whose bit i is the
//! coefficient of x^i. A module has these operations until `culet-field` chooses how words hold elements.

use std::fmt;

use culet_meaning::{Concrete, Domain};
use culet_types::field::{Field, FieldKind};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// An operation on elements, without its operands. Unless said otherwise, operands and result have one type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FieldOp {
    /// An element in its canonical form.
    Const(BigUint),
    Add,
    Sub,
    Neg,
    Mul,
    /// The square.
    Sqr,
    /// The product with a small constant.
    MulC(u64),
    /// The sum of the products of operands 0 and 1, 2 and 3, …, each with its sign.
    Sop(Box<[Sign]>),
    /// The inverse; that of 0 is 0.
    Inv,
    /// `condition: w1, then, otherwise`
    Select,
    /// `index: w<k>`, then at most 2^k elements → the one at the index, or 0 where there is none.
    Lookup,
    /// Words of one width, the lowest first → the integer they make, modulo p (a polynomial, modulo the field's).
    Pack,
    /// → words of one width, the lowest first, that make the canonical form; there are enough of them for every element.
    Unpack,
}

/// The sign of a product in a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    Plus,
    Minus,
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Sign::Plus { "+" } else { "-" })
    }
}

impl FieldOp {
    /// The operation's name in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            FieldOp::Const(_) => "fconst",
            FieldOp::Add => "fadd",
            FieldOp::Sub => "fsub",
            FieldOp::Neg => "fneg",
            FieldOp::Mul => "fmul",
            FieldOp::Sqr => "fsqr",
            FieldOp::MulC(_) => "fmulc",
            FieldOp::Sop(_) => "fsop",
            FieldOp::Inv => "finv",
            FieldOp::Select => "fselect",
            FieldOp::Lookup => "flookup",
            FieldOp::Pack => "fpack",
            FieldOp::Unpack => "funpack",
        }
    }
}

/// A [`Domain`] that has elements of fields, too. Elements are canonical.
pub trait FieldDomain: Domain {
    type Element: Clone;

    /// `value` is canonical.
    fn element(&mut self, field: &Field, value: &BigUint) -> Self::Element;
    fn field_add(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn field_sub(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn field_mul(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// The inverse; that of 0 is 0.
    fn field_inv(&mut self, field: &Field, a: &Self::Element) -> Self::Element;
    /// `condition ? then : otherwise`; the condition is a word of one bit.
    fn field_select(
        &mut self,
        field: &Field,
        condition: &Self::Word,
        then: &Self::Element,
        otherwise: &Self::Element,
    ) -> Self::Element;
    /// What words of `bits` bits make, the lowest first, reduced.
    fn field_pack(&mut self, field: &Field, bits: u32, words: &[Self::Word]) -> Self::Element;
    /// Words of `bits` bits, the lowest first, that make the element.
    fn field_unpack(&mut self, field: &Field, bits: u32, count: usize, a: &Self::Element) -> Vec<Self::Word>;
}

/// Elements are integers in canonical form.
impl FieldDomain for Concrete {
    type Element = BigUint;

    fn element(&mut self, _: &Field, value: &BigUint) -> BigUint {
        value.clone()
    }

    fn field_add(&mut self, field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) => (a + b) % p,
            FieldKind::Binary(_) => a ^ b,
        }
    }

    fn field_sub(&mut self, field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) => (a + p - b) % p,
            FieldKind::Binary(_) => a ^ b,
        }
    }

    fn field_mul(&mut self, field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) => a * b % p,
            FieldKind::Binary(polynomial) => {
                let mut product = BigUint::zero();
                for i in (0..b.bits()).filter(|&i| b.bit(i)) {
                    product ^= a << i;
                }
                remainder(product, polynomial)
            }
        }
    }

    /// a^(q − 2) in a field of q elements.
    fn field_inv(&mut self, field: &Field, a: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) if *p <= BigUint::from(2u32) => a.clone(),
            FieldKind::Prime(p) => a.modpow(&(p - 2u32), p),
            FieldKind::Binary(_) => {
                // q − 2 is 2 + 4 + … + 2^(n − 1).
                let (mut square, mut inverse) = (a.clone(), BigUint::one());
                for _ in 1..field.kind.bits() {
                    square = self.field_mul(field, &square, &square);
                    inverse = self.field_mul(field, &inverse, &square);
                }
                if a.is_zero() { BigUint::zero() } else { inverse }
            }
        }
    }

    fn field_select(&mut self, _: &Field, condition: &u64, then: &BigUint, otherwise: &BigUint) -> BigUint {
        if *condition == 1 { then.clone() } else { otherwise.clone() }
    }

    fn field_pack(&mut self, field: &Field, bits: u32, words: &[u64]) -> BigUint {
        let whole = words.iter().rev().fold(BigUint::zero(), |high, &word| (high << bits) | BigUint::from(word));
        match &field.kind {
            FieldKind::Prime(p) => whole % p,
            FieldKind::Binary(polynomial) => remainder(whole, polynomial),
        }
    }

    fn field_unpack(&mut self, _: &Field, bits: u32, count: usize, a: &BigUint) -> Vec<u64> {
        let mask = BigUint::from(u64::MAX >> (64 - bits));
        let word = |i: usize| (a >> (i * bits as usize)) & &mask;
        (0..count).map(|i| word(i).iter_u64_digits().next().unwrap_or(0)).collect()
    }
}

/// Modulo a polynomial over GF(2).
fn remainder(mut a: BigUint, polynomial: &BigUint) -> BigUint {
    while a.bits() >= polynomial.bits() {
        let shift = a.bits() - polynomial.bits();
        a ^= polynomial << shift;
    }
    a
}

/// A value of the evaluator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand<'v, W, E> {
    Word(&'v W),
    Element(&'v E),
}

/// What an operation on elements gives.
pub(crate) enum Results<W, E> {
    Element(E),
    Words(Vec<W>),
}

/// One operation on operands whose types the verifier accepts. `word_bits` is the width of the words that are packed or
/// unpacked, or of an index; `results` says how many words are asked for.
pub(crate) fn apply_field<D: FieldDomain>(
    domain: &mut D,
    op: &FieldOp,
    field: &Field,
    word_bits: u32,
    results: usize,
    args: &[Operand<'_, D::Word, D::Element>],
) -> Results<D::Word, D::Element> {
    let words: Vec<D::Word> = args.iter().filter_map(|arg| arg.word()).cloned().collect();
    let elements: Vec<&D::Element> = args.iter().filter_map(|arg| arg.element()).collect();
    Results::Element(match op {
        FieldOp::Const(value) => domain.element(field, value),
        FieldOp::Add => domain.field_add(field, elements[0], elements[1]),
        FieldOp::Sub => domain.field_sub(field, elements[0], elements[1]),
        FieldOp::Neg => {
            let zero = domain.element(field, &BigUint::zero());
            domain.field_sub(field, &zero, elements[0])
        }
        FieldOp::Mul => domain.field_mul(field, elements[0], elements[1]),
        FieldOp::Sqr => domain.field_mul(field, elements[0], elements[0]),
        FieldOp::MulC(constant) => {
            let constant = domain.element(field, &BigUint::from(*constant));
            domain.field_mul(field, elements[0], &constant)
        }
        FieldOp::Sop(signs) => {
            let mut sum = domain.element(field, &BigUint::zero());
            for (sign, pair) in signs.iter().zip(elements.chunks(2)) {
                let product = domain.field_mul(field, pair[0], pair[1]);
                sum = match sign {
                    Sign::Plus => domain.field_add(field, &sum, &product),
                    Sign::Minus => domain.field_sub(field, &sum, &product),
                };
            }
            sum
        }
        FieldOp::Inv => domain.field_inv(field, elements[0]),
        FieldOp::Select => domain.field_select(field, &words[0], elements[0], elements[1]),
        FieldOp::Lookup => lookup(domain, field, word_bits, &words[0], &elements),
        FieldOp::Pack => domain.field_pack(field, word_bits, &words),
        FieldOp::Unpack => return Results::Words(domain.field_unpack(field, word_bits, results, elements[0])),
    })
}

/// A choice by each bit of the index, the lowest first.
fn lookup<D: FieldDomain>(
    domain: &mut D,
    field: &Field,
    bits: u32,
    index: &D::Word,
    entries: &[&D::Element],
) -> D::Element {
    let zero = domain.element(field, &BigUint::zero());
    let mut entries: Vec<D::Element> = entries.iter().copied().cloned().collect();
    for bit in 0..bits {
        let condition = domain.extract(bits, index, bit, 1);
        let halves = entries.chunks(2);
        entries =
            halves.map(|pair| domain.field_select(field, &condition, pair.get(1).unwrap_or(&zero), &pair[0])).collect();
    }
    entries.swap_remove(0)
}

impl<'v, W, E> Operand<'v, W, E> {
    fn word(&self) -> Option<&'v W> {
        match self {
            Operand::Word(word) => Some(word),
            Operand::Element(_) => None,
        }
    }

    fn element(&self) -> Option<&'v E> {
        match self {
            Operand::Element(element) => Some(element),
            Operand::Word(_) => None,
        }
    }
}
