//! The domain of terms, for the meaning of instructions.

use culet_term::{InputKind, Term, Terms};

use crate::Values;

impl Values for Terms {
    fn known(&self, _bits: u32, a: &Term) -> Option<u64> {
        self.value(*a)
    }

    fn undefined(&mut self, bits: u32) -> Term {
        let name = format!("undefined {}", self.inputs().len());
        self.fresh(InputKind::Undefined, &name, bits)
    }

    fn join(&mut self, _bits: u32, parts: &[Term]) -> Term {
        self.concat(parts)
    }

    fn zero(&mut self, bits: u32) -> Term {
        Terms::zero(self, bits)
    }

    fn ones(&mut self, bits: u32) -> Term {
        Terms::ones(self, bits)
    }

    fn equal(&mut self, _bits: u32, a: &Term, b: &Term) -> Term {
        Terms::equal(self, *a, *b)
    }

    fn sign_extend(&mut self, bits: u32, _from_bits: u32, a: &Term) -> Term {
        Terms::sign_extend(self, *a, bits)
    }
}
