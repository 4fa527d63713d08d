//! All instances at once: a bit of a word is a whole register, with the bits of many instances side by side.
//!
//! Every operation of a word is written out in and, or, exclusive or and not of its bits; on registers these act on every
//! instance alike, so that position i of the results is what the program computes from position i of the parameters.

use std::rc::Rc;

use culet_meaning::{Domain, Interpreter};
use culet_term::{Term, Terms};
use culet_types::program::Table;

use super::words::circuit;
use super::{Contents, Specification};
use crate::hints::Circuits;

pub fn run(
    specification: &Specification,
    interpreter: &Interpreter,
    terms: &mut Terms,
    parameters: &[Contents],
) -> Vec<Contents> {
    let layout = specification.layout;
    let register = layout.register_bits;
    let mut results: Vec<Contents> =
        specification.results().map(|_| Contents { granule: register, terms: Vec::new() }).collect();
    for group in 0..layout.groups {
        let inputs: Vec<Vec<Bits>> = specification
            .parameters()
            .zip(parameters)
            .map(|(var, contents)| {
                let registers = layout.registers(&var.ty) as usize;
                let own = if var.shared { 0 } else { group as usize * registers };
                let words = contents.terms[own..own + registers].chunks(var.ty.atom.bits as usize);
                words.map(|bits| bits.iter().rev().copied().collect()).collect()
            })
            .collect();
        let mut lanes = Lanes { terms, register, circuits: specification.circuits };
        let outputs = interpreter.run(&mut lanes, specification.entry(), &inputs);
        for (contents, words) in results.iter_mut().zip(outputs) {
            contents.terms.extend(words.iter().flat_map(|word| word.iter().rev().copied()));
        }
    }
    results
}

/// The registers of a word's bits, least significant first.
type Bits = Rc<[Term]>;

struct Lanes<'t> {
    terms: &'t mut Terms,
    /// Bits of a register.
    register: u32,
    circuits: &'t Circuits,
}

impl Lanes<'_> {
    fn zero(&mut self) -> Term {
        self.terms.zero(self.register)
    }

    fn each(&mut self, a: &Bits, b: &Bits, f: fn(&mut Terms, Term, Term) -> Term) -> Bits {
        a.iter().zip(b.iter()).map(|(&x, &y)| f(self.terms, x, y)).collect()
    }

    /// `a + b + carry`, a ripple of full adders.
    fn sum(&mut self, a: &Bits, b: &Bits, mut carry: Term) -> Bits {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b.iter()) {
            let terms = &mut *self.terms;
            let differ = terms.xor(x, y);
            sum.push(terms.xor(differ, carry));
            let both = terms.and(x, y);
            let through = terms.and(differ, carry);
            carry = terms.or(both, through);
        }
        sum.into()
    }
}

impl Domain for Lanes<'_> {
    type Word = Bits;

    fn constant(&mut self, bits: u32, value: u64) -> Bits {
        let (zero, ones) = (self.zero(), self.terms.ones(self.register));
        (0..bits).map(|bit| if value >> bit & 1 == 1 { ones } else { zero }).collect()
    }

    fn not(&mut self, _: u32, a: &Bits) -> Bits {
        a.iter().map(|&x| self.terms.not(x)).collect()
    }

    fn and(&mut self, _: u32, a: &Bits, b: &Bits) -> Bits {
        self.each(a, b, Terms::and)
    }

    fn or(&mut self, _: u32, a: &Bits, b: &Bits) -> Bits {
        self.each(a, b, Terms::or)
    }

    fn xor(&mut self, _: u32, a: &Bits, b: &Bits) -> Bits {
        self.each(a, b, Terms::xor)
    }

    fn add(&mut self, _: u32, a: &Bits, b: &Bits) -> Bits {
        let zero = self.zero();
        self.sum(a, b, zero)
    }

    fn sub(&mut self, bits: u32, a: &Bits, b: &Bits) -> Bits {
        let ones = self.terms.ones(self.register);
        let not_b = self.not(bits, b);
        self.sum(a, &not_b, ones)
    }

    fn mul_wide(&mut self, bits: u32, a: &Bits, b: &Bits) -> (Bits, Bits) {
        let zero = self.zero();
        let mut product: Bits = vec![zero; 2 * bits as usize].into();
        for position in 0..bits as usize {
            let partial: Vec<Term> = (0..2 * bits as usize)
                .map(|bit| match bit.checked_sub(position).and_then(|i| a.get(i)) {
                    Some(&x) => self.terms.and(x, b[position]),
                    None => zero,
                })
                .collect();
            product = self.sum(&product, &partial.into(), zero);
        }
        let (low, high) = product.split_at(bits as usize);
        (low.into(), high.into())
    }

    fn shl(&mut self, _: u32, a: &Bits, amount: u32) -> Bits {
        let zero = self.zero();
        let zeros = std::iter::repeat_n(zero, amount as usize);
        zeros.chain(a.iter().copied()).take(a.len()).collect()
    }

    fn shr(&mut self, _: u32, a: &Bits, amount: u32) -> Bits {
        let zero = self.zero();
        let zeros = std::iter::repeat_n(zero, amount as usize);
        a.iter().copied().skip(amount as usize).chain(zeros).collect()
    }

    fn sar(&mut self, bits: u32, a: &Bits, amount: u32) -> Bits {
        let sign = std::iter::repeat_n(a[bits as usize - 1], amount as usize);
        a.iter().copied().skip(amount as usize).chain(sign).collect()
    }

    fn extract(&mut self, _: u32, a: &Bits, low: u32, length: u32) -> Bits {
        a[low as usize..(low + length) as usize].into()
    }

    fn concat(&mut self, _: u32, high: &Bits, _: u32, low: &Bits) -> Bits {
        low.iter().chain(high.iter()).copied().collect()
    }

    fn table(&mut self, bits: u32, table: &Table, inputs: &[Bits]) -> Vec<Bits> {
        match self.circuits.find(table) {
            Some(known) => circuit(self, bits, known, inputs),
            None => chosen(self, bits, table, inputs),
        }
    }
}

/// A table without a circuit: for each output bit a tree of choices by the inputs, most significant first.
fn chosen(lanes: &mut Lanes, bits: u32, table: &Table, inputs: &[Bits]) -> Vec<Bits> {
    let output = |lanes: &mut Lanes, output: u32| -> Bits {
        let constant = |lanes: &mut Lanes, one: bool| {
            let value = if one { u64::MAX >> (64 - bits) } else { 0 };
            lanes.constant(bits, value)
        };
        let mut words: Vec<Bits> = table.values.iter().map(|value| constant(lanes, value >> output & 1 == 1)).collect();
        for input in inputs.iter().rev() {
            words = words
                .chunks(2)
                .map(|pair| {
                    let [otherwise, then] = pair else { return pair[0].clone() };
                    (0..bits as usize)
                        .map(|bit| {
                            let terms = &mut *lanes.terms;
                            let differ = terms.xor(then[bit], otherwise[bit]);
                            let chosen = terms.and(input[bit], differ);
                            terms.xor(otherwise[bit], chosen)
                        })
                        .collect()
                })
                .collect();
        }
        words.swap_remove(0)
    };
    (0..table.outputs).rev().map(|k| output(lanes, k)).collect()
}
