//! All instances at once: a bit of a word is a whole register, with the bits of many instances side by side.
//!
//! Every operation of a word is written out in and, or, exclusive or and not of its bits; on registers these act on
//! every instance alike, so that position i of the results is what the program computes from position i of the
//! parameters.

use std::rc::Rc;

use culet_meaning::{Domain, Interpreter};
use culet_types::program::Table;

use super::words::circuit;
use super::{Contents, Specification};
use crate::hints::Circuits;
use crate::symbolic::Symbolic;

pub fn run<V: Symbolic>(
    specification: &Specification,
    interpreter: &Interpreter,
    values: &mut V,
    parameters: &[Contents<V::Word>],
) -> Vec<Contents<V::Word>> {
    let layout = specification.layout;
    let register = layout.register_bits;
    let mut results: Vec<Contents<V::Word>> =
        specification.results().map(|_| Contents { granule: register, words: Vec::new() }).collect();
    for group in 0..layout.groups {
        let inputs: Vec<Vec<Bits<V::Word>>> = specification
            .parameters()
            .zip(parameters)
            .map(|(var, contents)| {
                let registers = layout.registers(&var.ty) as usize;
                let own = if var.shared { 0 } else { group as usize * registers };
                let words = contents.words[own..own + registers].chunks(var.ty.atom.bits as usize);
                words.map(|bits| bits.iter().rev().cloned().collect()).collect()
            })
            .collect();
        let mut lanes = Lanes { values, register, circuits: specification.circuits };
        let outputs = interpreter.run(&mut lanes, specification.entry(), &inputs);
        for (contents, words) in results.iter_mut().zip(outputs) {
            contents.words.extend(words.iter().flat_map(|word| word.iter().rev().cloned()));
        }
    }
    results
}

/// The registers of a word's bits, least significant first.
type Bits<W> = Rc<[W]>;

struct Lanes<'t, V> {
    values: &'t mut V,
    /// Width of a register in bits.
    register: u32,
    circuits: &'t Circuits,
}

type Operation<V> = fn(&mut V, u32, &<V as Domain>::Word, &<V as Domain>::Word) -> <V as Domain>::Word;

impl<V: Symbolic> Lanes<'_, V> {
    fn zero(&mut self) -> V::Word {
        self.values.zero(self.register)
    }

    fn each(&mut self, a: &Bits<V::Word>, b: &Bits<V::Word>, f: Operation<V>) -> Bits<V::Word> {
        a.iter().zip(b.iter()).map(|(x, y)| f(self.values, self.register, x, y)).collect()
    }

    /// `a + b + carry`, a ripple of full adders.
    fn sum(&mut self, a: &Bits<V::Word>, b: &Bits<V::Word>, mut carry: V::Word) -> Bits<V::Word> {
        let mut sum = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b.iter()) {
            let (values, bits) = (&mut *self.values, self.register);
            let (x_differs, y_differs) = (values.xor(bits, x, &carry), values.xor(bits, y, &carry));
            sum.push(values.xor(bits, &x_differs, y));
            let changes = values.and(bits, &x_differs, &y_differs);
            carry = values.xor(bits, &carry, &changes);
        }
        sum.into()
    }
}

impl<V: Symbolic> Domain for Lanes<'_, V> {
    type Word = Bits<V::Word>;

    fn constant(&mut self, bits: u32, value: u64) -> Self::Word {
        let (zero, ones) = (self.zero(), self.values.ones(self.register));
        (0..bits).map(|bit| if value >> bit & 1 == 1 { ones.clone() } else { zero.clone() }).collect()
    }

    fn not(&mut self, _: u32, a: &Self::Word) -> Self::Word {
        a.iter().map(|x| self.values.not(self.register, x)).collect()
    }

    fn and(&mut self, _: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        self.each(a, b, V::and)
    }

    fn or(&mut self, _: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        self.each(a, b, V::or)
    }

    fn xor(&mut self, _: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        self.each(a, b, V::xor)
    }

    fn add(&mut self, _: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let zero = self.zero();
        self.sum(a, b, zero)
    }

    fn sub(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let ones = self.values.ones(self.register);
        let not_b = self.not(bits, b);
        self.sum(a, &not_b, ones)
    }

    fn mul_wide(&mut self, bits: u32, a: &Self::Word, b: &Self::Word) -> (Self::Word, Self::Word) {
        let zero = self.zero();
        let mut product: Self::Word = vec![zero.clone(); 2 * bits as usize].into();
        for position in 0..bits as usize {
            let partial: Vec<V::Word> = (0..2 * bits as usize)
                .map(|bit| match bit.checked_sub(position).and_then(|i| a.get(i)) {
                    Some(x) => self.values.and(self.register, x, &b[position]),
                    None => zero.clone(),
                })
                .collect();
            product = self.sum(&product, &partial.into(), zero.clone());
        }
        let (low, high) = product.split_at(bits as usize);
        (low.into(), high.into())
    }

    fn shl(&mut self, _: u32, a: &Self::Word, amount: u32) -> Self::Word {
        let zero = self.zero();
        let zeros = std::iter::repeat_n(zero, amount as usize);
        zeros.chain(a.iter().cloned()).take(a.len()).collect()
    }

    fn shr(&mut self, _: u32, a: &Self::Word, amount: u32) -> Self::Word {
        let zero = self.zero();
        let zeros = std::iter::repeat_n(zero, amount as usize);
        a.iter().skip(amount as usize).cloned().chain(zeros).collect()
    }

    fn sar(&mut self, bits: u32, a: &Self::Word, amount: u32) -> Self::Word {
        let sign = std::iter::repeat_n(a[bits as usize - 1].clone(), amount as usize);
        a.iter().skip(amount as usize).cloned().chain(sign).collect()
    }

    fn extract(&mut self, _: u32, a: &Self::Word, low: u32, length: u32) -> Self::Word {
        a[low as usize..(low + length) as usize].into()
    }

    fn concat(&mut self, _: u32, high: &Self::Word, _: u32, low: &Self::Word) -> Self::Word {
        low.iter().chain(high.iter()).cloned().collect()
    }

    fn table(&mut self, bits: u32, table: &Table, inputs: &[Self::Word]) -> Vec<Self::Word> {
        match self.circuits.find(table) {
            Some(known) => circuit(self, bits, known, inputs),
            None => chosen(self, bits, table, inputs),
        }
    }
}

/// A table without a circuit: for each output bit a tree of choices by the inputs, most significant first.
fn chosen<V: Symbolic>(lanes: &mut Lanes<V>, bits: u32, table: &Table, inputs: &[Bits<V::Word>]) -> Vec<Bits<V::Word>> {
    let output = |lanes: &mut Lanes<V>, output: u32| -> Bits<V::Word> {
        let constant = |lanes: &mut Lanes<V>, one: bool| {
            let value = if one { u64::MAX >> (64 - bits) } else { 0 };
            lanes.constant(bits, value)
        };
        let mut words: Vec<Bits<V::Word>> =
            table.values.iter().map(|value| constant(lanes, value >> output & 1 == 1)).collect();
        for input in inputs.iter().rev() {
            words = words
                .chunks(2)
                .map(|pair| {
                    let [otherwise, then] = pair else { return pair[0].clone() };
                    (0..bits as usize)
                        .map(|bit| {
                            let (values, register) = (&mut *lanes.values, lanes.register);
                            let differ = values.xor(register, &then[bit], &otherwise[bit]);
                            let chosen = values.and(register, &input[bit], &differ);
                            values.xor(register, &otherwise[bit], &chosen)
                        })
                        .collect()
                })
                .collect();
        }
        words.swap_remove(0)
    };
    (0..table.outputs).rev().map(|k| output(lanes, k)).collect()
}
