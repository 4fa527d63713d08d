//! Vector operations lane by lane, and bitwise operations, for which a register stays one word.

use super::machine::{Machine, Memory, Outcome};
use crate::Values;

pub(super) type Unary<V> = fn(&mut V, u32, &<V as culet_meaning::Domain>::Word) -> <V as culet_meaning::Domain>::Word;

pub(super) type Binary<V> = fn(
    &mut V,
    u32,
    &<V as culet_meaning::Domain>::Word,
    &<V as culet_meaning::Domain>::Word,
) -> <V as culet_meaning::Domain>::Word;

/// Applies `operation` to each lane of `element` bits.
pub(super) fn map<V: Values>(values: &mut V, element: u32, bits: u32, a: &V::Word, operation: Unary<V>) -> V::Word {
    let lanes = values.split(bits, a, element);
    let lanes: Vec<_> = lanes.iter().map(|lane| operation(values, element, lane)).collect();
    values.join(element, &lanes)
}

/// Applies `operation` to each pair of lanes of `element` bits.
pub(super) fn zip<V: Values>(
    values: &mut V,
    element: u32,
    bits: u32,
    [a, b]: [&V::Word; 2],
    operation: impl Fn(&mut V, u32, &V::Word, &V::Word) -> V::Word,
) -> V::Word {
    if let Some(word) = values.blurred(bits, &[a, b]) {
        return word;
    }
    let (a, b) = (values.split(bits, a, element), values.split(bits, b, element));
    let lanes: Vec<_> = a.iter().zip(&b).map(|(a, b)| operation(values, element, a, b)).collect();
    values.join(element, &lanes)
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// The two sources of a vector operation, at the width of its destination.
    pub fn vector_sources(&mut self) -> Outcome<(u32, [V::Word; 2]), V, M> {
        let (bits, first) = (self.bits(0), self.first_source());
        Ok((bits, [self.read_bits(first, bits)?, self.read_bits(first + 1, bits)?]))
    }

    /// Applies `operation` to pairs of lanes.
    pub fn lanewise(&mut self, element: u32, operation: Binary<V>) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let result = zip(self.values, element, bits, [&a, &b], operation);
        self.finish(element, bits, &result)
    }

    /// Applies `operation` to each lane of operand 1.
    pub fn each_lane(&mut self, element: u32, operation: Unary<V>) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read_bits(1, bits)?;
        let result = map(self.values, element, bits, &a, operation);
        self.finish(element, bits, &result)
    }

    /// Applies `operation` to whole registers. `element` is the width of the mask's lanes.
    pub fn bitwise(&mut self, element: u32, operation: Binary<V>) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let result = operation(self.values, bits, &a, &b);
        self.finish(element, bits, &result)
    }

    /// `vpternlog`: the destination is the first of three operands, and gives the most significant bit of the index.
    pub fn ternary_logic(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b, c) = (self.read(0)?, self.read(1)?, self.read_bits(2, bits)?);
        let table = self.immediate(3)? as u8;
        let result = self.values.tern(bits, table, &a, &b, &c);
        self.finish(element, bits, &result)
    }

    /// `vpmadd52luq` and `vpmadd52huq`: adds half of a product of 52-bit factors to a lane of 64 bits.
    pub fn multiply_add_52(&mut self, high: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (sum, a, b) = (self.read(0)?, self.read(1)?, self.read_bits(2, bits)?);
        let product = zip(self.values, 64, bits, [&a, &b], |values, _, a, b| {
            let (a, b) = (values.extract(64, a, 0, 52), values.extract(64, b, 0, 52));
            let (low, above) = values.mul_wide(52, &a, &b);
            values.zero_extend(64, 52, if high { &above } else { &low })
        });
        let result = zip(self.values, 64, bits, [&sum, &product], V::add);
        self.finish(64, bits, &result)
    }
}

/// `!a & b`, with the operands in the order of `pandn`.
pub(super) fn not_and<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    values.andn(bits, b, a)
}

/// The product of the lower halves of two lanes.
pub(super) fn multiply_halves<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.extract(bits, a, 0, bits / 2), values.extract(bits, b, 0, bits / 2));
    let (low, high) = values.mul_wide(bits / 2, &a, &b);
    values.concat(bits / 2, &high, bits / 2, &low)
}

/// The signed product of the lower halves of two lanes.
pub(super) fn multiply_signed_halves<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.extract(bits, a, 0, bits / 2), values.extract(bits, b, 0, bits / 2));
    let (a, b) = (values.sign_extend(bits, bits / 2, &a), values.sign_extend(bits, bits / 2, &b));
    values.mul(bits, &a, &b)
}

pub(super) fn multiply_high<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    values.mul_wide(bits, a, b).1
}

fn signed_product<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.sign_extend(2 * bits, bits, a), values.sign_extend(2 * bits, bits, b));
    values.mul(2 * bits, &a, &b)
}

pub(super) fn multiply_signed_high<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let product = signed_product(values, bits, a, b);
    values.extract(2 * bits, &product, bits, bits)
}

/// `pmulhrsw`: the product, with `bits - 1` bits after the binary point, rounded.
pub(super) fn multiply_rounded<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let product = signed_product(values, bits, a, b);
    let scaled = values.extract(2 * bits, &product, bits - 2, bits + 1);
    let one = values.constant(bits + 1, 1);
    let rounded = values.add(bits + 1, &scaled, &one);
    values.extract(bits + 1, &rounded, 1, bits)
}

/// `pmaddwd`: the sum of the products of the lower and of the upper halves.
pub(super) fn multiply_add_pairs<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.split(bits, a, bits / 2), values.split(bits, b, bits / 2));
    let low = signed_product(values, bits / 2, &a[0], &b[0]);
    let high = signed_product(values, bits / 2, &a[1], &b[1]);
    values.add(bits, &low, &high)
}

/// `(a + b + 1) / 2`
pub(super) fn average<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let one = values.constant(1, 1);
    let (sum, carry) = values.addc(bits, a, b, &one);
    let wide = values.concat(1, &carry, bits, &sum);
    values.extract(bits + 1, &wide, 1, bits)
}

pub(super) fn absolute<V: Values>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    let zero = values.constant(bits, 0);
    let negation = values.sub(bits, &zero, a);
    let sign = values.extract(bits, a, bits - 1, 1);
    values.select(bits, &sign, &negation, a)
}

/// `psign`: `a`, its negation or zero, if `b` is positive, negative or zero.
pub(super) fn with_sign<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let zero = values.constant(bits, 0);
    let negation = values.sub(bits, &zero, a);
    let sign = values.extract(bits, b, bits - 1, 1);
    let signed = values.select(bits, &sign, &negation, a);
    let vanishes = values.equal(bits, b, &zero);
    values.select(bits, &vanishes, &zero, &signed)
}
