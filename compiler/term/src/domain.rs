//! Terms as the words of the interpreters: the meaning of a program or of machine code becomes a graph.

use culet_meaning::Domain;
use smallvec::SmallVec;

use crate::concat::Parts;
use crate::{Term, Terms};

/// The words have up to 512 bits.
impl Domain for Terms {
    type Word = Term;

    fn constant(&mut self, bits: u32, value: u64) -> Term {
        assert!(bits >= 64 || value >> bits == 0, "a constant fits its width");
        self.constant_u64(bits, value)
    }

    fn not(&mut self, _: u32, a: &Term) -> Term {
        self.not(*a)
    }

    fn and(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.and(*a, *b)
    }

    fn or(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.or(*a, *b)
    }

    fn xor(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.xor(*a, *b)
    }

    fn add(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.add(*a, *b)
    }

    fn sub(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.sub(*a, *b)
    }

    fn mul_wide(&mut self, bits: u32, a: &Term, b: &Term) -> (Term, Term) {
        let (a, b) = (self.zero_extend(*a, 2 * bits), self.zero_extend(*b, 2 * bits));
        let product = self.mul(a, b);
        (self.extract(product, 0, bits), self.extract(product, bits, bits))
    }

    fn clmul(&mut self, bits: u32, a: &Term, b: &Term) -> (Term, Term) {
        let (a, b) = (self.zero_extend(*a, 2 * bits), self.zero_extend(*b, 2 * bits));
        let product = self.clmul(a, b);
        (self.extract(product, 0, bits), self.extract(product, bits, bits))
    }

    fn shl(&mut self, _: u32, a: &Term, amount: u32) -> Term {
        self.shl(*a, amount)
    }

    fn shr(&mut self, _: u32, a: &Term, amount: u32) -> Term {
        self.shr(*a, amount)
    }

    fn sar(&mut self, _: u32, a: &Term, amount: u32) -> Term {
        self.sar(*a, amount)
    }

    fn extract(&mut self, _: u32, a: &Term, low: u32, length: u32) -> Term {
        self.extract(*a, low, length)
    }

    fn concat(&mut self, _: u32, high: &Term, _: u32, low: &Term) -> Term {
        self.concat(&[*low, *high])
    }

    // The following methods equal their definitions in the trait, but make one node or a better normal form.

    fn mul(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.mul(*a, *b)
    }

    fn rotl(&mut self, _: u32, a: &Term, amount: u32) -> Term {
        self.rotl(*a, amount)
    }

    fn funnel(&mut self, _: u32, high: &Term, low: &Term, amount: u32) -> Term {
        self.funnel(*high, *low, amount)
    }

    fn zero_extend(&mut self, bits: u32, _: u32, a: &Term) -> Term {
        self.zero_extend(*a, bits)
    }

    fn broadcast_bit(&mut self, bits: u32, bit: &Term) -> Term {
        self.broadcast_bit(*bit, bits)
    }

    fn shuffle(&mut self, bits: u32, a: &Term, pattern: &[Option<u32>]) -> Term {
        assert_eq!(pattern.len(), bits as usize, "a shuffle names every bit of its result");
        // From the least significant bit on, bits that are neighbours before and after are moved together.
        let ascending: SmallVec<[Option<u32>; 64]> =
            pattern.iter().rev().map(|source| source.map(|from_top| bits - 1 - from_top)).collect();
        let mut parts = Parts::new();
        for run in ascending.chunk_by(|below, above| below.map(|at| at + 1) == *above) {
            let length = run.len() as u32;
            parts.push(match run[0] {
                Some(low) => self.extract(*a, low, length),
                None => self.zero(length),
            });
        }
        self.concat(&parts)
    }

    fn select(&mut self, _: u32, condition: &Term, then: &Term, otherwise: &Term) -> Term {
        self.select(*condition, *then, *otherwise)
    }

    fn tern(&mut self, _: u32, table: u8, a: &Term, b: &Term, c: &Term) -> Term {
        self.tern(table, *a, *b, *c)
    }

    /// Sum and carry are parts of one sum of `bits + 1` bits.
    fn addc(&mut self, bits: u32, a: &Term, b: &Term, carry: &Term) -> (Term, Term) {
        let (a, b) = (self.zero_extend(*a, bits + 1), self.zero_extend(*b, bits + 1));
        let sum = self.add_carry(a, b, Some(*carry));
        (self.extract(sum, 0, bits), self.bit(sum, bits))
    }

    /// Difference and borrow are parts of one difference of `bits + 1` bits.
    fn subb(&mut self, bits: u32, a: &Term, b: &Term, borrow: &Term) -> (Term, Term) {
        let (a, b) = (self.zero_extend(*a, bits + 1), self.zero_extend(*b, bits + 1));
        let difference = self.sub_borrow(a, b, Some(*borrow));
        (self.extract(difference, 0, bits), self.bit(difference, bits))
    }
}
