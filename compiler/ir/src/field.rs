//! Operations on elements of fields, and their meaning.
//!
//! An element of GF(p) is an integer from 0 to p − 1, one of GF(2)[x] modulo a polynomial is an integer whose bit i is
//! the coefficient of x^i. A module has these operations until `culet-field` chooses how words hold elements.

use std::fmt;

use culet_meaning::{Domain, FieldDomain};
use culet_types::field::Field;
use num_bigint::BigUint;
use num_traits::Zero;

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
    /// The inverse; the inverse of 0 is 0.
    Inv,
    /// `condition: w1, then, otherwise`
    Select,
    /// `index: w<k>`, then at most 2^k elements → the element at the index, or 0 if there is none.
    Lookup,
    /// Words of one width, the lowest first → the integer they make, modulo p (a polynomial, modulo the field's).
    Pack,
    /// → words of one width, the lowest first, that make the canonical form; there are enough of them for every
    /// element.
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

/// A value of the evaluator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand<'v, W, E> {
    Word(&'v W),
    Element(&'v E),
}

/// The results of an operation on elements.
pub(crate) enum Results<W, E> {
    Element(E),
    Words(Vec<W>),
}

/// One operation on operands whose types the verifier accepts. `word_bits` is the width of the words that are packed or
/// unpacked, or of an index; `results` is the number of words that are asked for.
pub(crate) fn apply_field<D: Domain, F: FieldDomain<D>>(
    (domain, fields): (&mut D, &mut F),
    op: &FieldOp,
    field: &Field,
    word_bits: u32,
    results: usize,
    args: &[Operand<'_, D::Word, F::Element>],
) -> Results<D::Word, F::Element> {
    let words: Vec<D::Word> = args.iter().filter_map(|arg| arg.word()).cloned().collect();
    let elements: Vec<&F::Element> = args.iter().filter_map(|arg| arg.element()).collect();
    Results::Element(match op {
        FieldOp::Const(value) => fields.element(field, value),
        FieldOp::Add => fields.add(field, elements[0], elements[1]),
        FieldOp::Sub => fields.sub(field, elements[0], elements[1]),
        FieldOp::Neg => fields.neg(field, elements[0]),
        FieldOp::Mul => fields.mul(field, elements[0], elements[1]),
        FieldOp::Sqr => fields.mul(field, elements[0], elements[0]),
        FieldOp::MulC(constant) => {
            let constant = fields.element(field, &BigUint::from(*constant));
            fields.mul(field, elements[0], &constant)
        }
        FieldOp::Sop(signs) => {
            let mut sum = fields.element(field, &BigUint::zero());
            for (sign, pair) in signs.iter().zip(elements.chunks(2)) {
                let product = fields.mul(field, pair[0], pair[1]);
                sum = match sign {
                    Sign::Plus => fields.add(field, &sum, &product),
                    Sign::Minus => fields.sub(field, &sum, &product),
                };
            }
            sum
        }
        FieldOp::Inv => fields.inverse(field, elements[0]),
        FieldOp::Select => fields.select(domain, field, &words[0], elements[0], elements[1]),
        FieldOp::Lookup => lookup(domain, fields, field, word_bits, &words[0], &elements),
        FieldOp::Pack => {
            let bits = |word: &D::Word| (0..word_bits).map(|bit| domain.extract(word_bits, word, bit, 1)).collect();
            let bits: Vec<Vec<D::Word>> = words.iter().map(bits).collect();
            fields.decode(domain, field, &bits.concat())
        }
        FieldOp::Unpack => {
            let bits = fields.encode(domain, field, elements[0]);
            return Results::Words(words_of(domain, &bits, word_bits, results));
        }
    })
}

/// Bits, the lowest first, as words.
fn words_of<D: Domain>(domain: &mut D, bits: &[D::Word], word_bits: u32, count: usize) -> Vec<D::Word> {
    let zero = domain.constant(1, 0);
    let bit = |index: usize| bits.get(index).unwrap_or(&zero);
    let mut words = Vec::with_capacity(count);
    for word in 0..count {
        let first = word * word_bits as usize;
        let mut whole = bit(first).clone();
        for width in 1..word_bits {
            whole = domain.concat(1, bit(first + width as usize), width, &whole);
        }
        words.push(whole);
    }
    words
}

/// The entry at an index, by a choice for each bit of the index, the lowest first.
fn lookup<D: Domain, F: FieldDomain<D>>(
    domain: &mut D,
    fields: &mut F,
    field: &Field,
    bits: u32,
    index: &D::Word,
    entries: &[&F::Element],
) -> F::Element {
    let zero = fields.element(field, &BigUint::zero());
    let mut entries: Vec<F::Element> = entries.iter().copied().cloned().collect();
    for bit in 0..bits {
        let condition = domain.extract(bits, index, bit, 1);
        let mut halves = Vec::new();
        for pair in entries.chunks(2) {
            halves.push(fields.select(domain, field, &condition, pair.get(1).unwrap_or(&zero), &pair[0]));
        }
        entries = halves;
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
