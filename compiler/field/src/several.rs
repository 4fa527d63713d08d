//! Programs with elements of several fields: each field has a representation of its own.

use culet_ir::FieldId;
use num_bigint::BigInt;

use crate::machine::{Machine, Number};
use crate::representation::{Limbs, Product, Representation};

/// The representations of a module's fields, in the order of their numbers. Taken as one representation, it is that of
/// the first field.
pub(crate) struct Several(Vec<Box<dyn Representation>>);

/// The representation that has one for each field; none without fields.
pub(crate) fn together(mut representations: Vec<Box<dyn Representation>>) -> Option<Box<dyn Representation>> {
    match representations.len() {
        0 | 1 => representations.pop(),
        _ => Some(Box::new(Several(representations))),
    }
}

impl Representation for Several {
    fn word_bits(&self) -> u32 {
        self.0[0].word_bits()
    }

    fn words(&self) -> u32 {
        self.0[0].words()
    }

    fn position(&self, index: u32) -> u32 {
        self.0[0].position(index)
    }

    fn of_field(&self, field: FieldId) -> Option<&dyn Representation> {
        self.0.get(field.index()).map(|representation| &**representation)
    }

    fn constant(&self, m: &mut Machine, value: &BigInt) -> Limbs {
        self.0[0].constant(m, value)
    }

    fn add(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.0[0].add(m, a, b)
    }

    fn sub(&self, m: &mut Machine, a: &Limbs, b: &Limbs) -> Limbs {
        self.0[0].sub(m, a, b)
    }

    fn times_constant(&self, m: &mut Machine, a: &Limbs, factor: u64) -> Limbs {
        self.0[0].times_constant(m, a, factor)
    }

    fn products(&self, m: &mut Machine, products: &[Product<'_>]) -> Limbs {
        self.0[0].products(m, products)
    }

    fn carry_all(&self, m: &mut Machine, limbs: &mut Limbs, chain: &[u32]) {
        self.0[0].carry_all(m, limbs, chain);
    }

    fn pack(&self, m: &mut Machine, words: &[Number], bits: u32) -> Limbs {
        self.0[0].pack(m, words, bits)
    }

    fn unpack(&self, m: &mut Machine, a: &Limbs, bits: u32, count: usize) -> Vec<Number> {
        self.0[0].unpack(m, a, bits, count)
    }
}
