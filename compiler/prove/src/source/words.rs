//! Evaluation of one instance after another, on words of their own width.

use culet_meaning::{Domain, Interpreter};
use culet_types::program::Table;

use super::{Contents, Form, Specification};
use crate::hints::{Circuits, Gate, Signal};
use crate::symbolic::Symbolic;

pub fn run<V: Symbolic>(
    specification: &Specification,
    interpreter: &Interpreter,
    values: &mut V,
    form: Form,
    parameters: &[Contents<V::Word>],
) -> Vec<Contents<V::Word>> {
    let results: Vec<_> = specification.results().collect();
    let mut atoms: Vec<Vec<Vec<V::Word>>> = vec![Vec::new(); results.len()];
    let layout = specification.layout;
    for instance in 0..layout.instances() {
        let mut inputs = Vec::new();
        for (var, contents) in specification.parameters().zip(parameters) {
            // Groups share the registers of a shared parameter, bytes hold it once.
            let own = instance % specification.instances(var, form, false);
            inputs.push(specification.atoms(values, var, form, contents, own));
        }
        let mut words = Words { values, circuits: specification.circuits };
        let outputs = interpreter.run(&mut words, specification.entry(), &inputs);
        for (all, words) in atoms.iter_mut().zip(outputs) {
            all.push(words);
        }
    }
    results.iter().zip(&atoms).map(|(var, atoms)| specification.memory(values, var, form, true, atoms)).collect()
}

/// Words of a domain, with circuits for tables.
struct Words<'t, V> {
    values: &'t mut V,
    circuits: &'t Circuits,
}

/// Evaluates a circuit on words of any domain.
pub fn circuit<D: Domain>(
    domain: &mut D,
    bits: u32,
    circuit: &crate::hints::Circuit,
    inputs: &[D::Word],
) -> Vec<D::Word> {
    let zero = domain.constant(bits, 0);
    let one = domain.not(bits, &zero);
    let mut gates: Vec<D::Word> = Vec::with_capacity(circuit.gates.len());
    let value = |gates: &[D::Word], signal: Signal| match signal {
        Signal::Zero => zero.clone(),
        Signal::One => one.clone(),
        Signal::Input(input) => inputs[input as usize].clone(),
        Signal::Gate(gate) => gates[gate as usize].clone(),
    };
    for &gate in &circuit.gates {
        let result = match gate {
            Gate::And(a, b) => domain.and(bits, &value(&gates, a), &value(&gates, b)),
            Gate::Or(a, b) => domain.or(bits, &value(&gates, a), &value(&gates, b)),
            Gate::Xor(a, b) => domain.xor(bits, &value(&gates, a), &value(&gates, b)),
            Gate::Andn(a, b) => domain.andn(bits, &value(&gates, a), &value(&gates, b)),
            Gate::Not(a) => domain.not(bits, &value(&gates, a)),
        };
        gates.push(result);
    }
    circuit.outputs.iter().map(|&signal| value(&gates, signal)).collect()
}

impl<V: Symbolic> Domain for Words<'_, V> {
    type Word = V::Word;

    fn constant(&mut self, bits: u32, value: u64) -> V::Word {
        self.values.constant(bits, value)
    }
    fn not(&mut self, bits: u32, a: &V::Word) -> V::Word {
        self.values.not(bits, a)
    }
    fn and(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
        self.values.and(bits, a, b)
    }
    fn or(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
        self.values.or(bits, a, b)
    }
    fn xor(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
        self.values.xor(bits, a, b)
    }
    fn add(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
        self.values.add(bits, a, b)
    }
    fn sub(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
        self.values.sub(bits, a, b)
    }
    fn mul_wide(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> (V::Word, V::Word) {
        self.values.mul_wide(bits, a, b)
    }
    fn shl(&mut self, bits: u32, a: &V::Word, amount: u32) -> V::Word {
        self.values.shl(bits, a, amount)
    }
    fn shr(&mut self, bits: u32, a: &V::Word, amount: u32) -> V::Word {
        self.values.shr(bits, a, amount)
    }
    fn sar(&mut self, bits: u32, a: &V::Word, amount: u32) -> V::Word {
        self.values.sar(bits, a, amount)
    }
    fn rotl(&mut self, bits: u32, a: &V::Word, amount: u32) -> V::Word {
        self.values.rotl(bits, a, amount)
    }
    fn extract(&mut self, bits: u32, a: &V::Word, low: u32, length: u32) -> V::Word {
        self.values.extract(bits, a, low, length)
    }
    fn concat(&mut self, high_bits: u32, high: &V::Word, low_bits: u32, low: &V::Word) -> V::Word {
        self.values.concat(high_bits, high, low_bits, low)
    }
    fn shuffle(&mut self, bits: u32, a: &V::Word, pattern: &[Option<u32>]) -> V::Word {
        self.values.shuffle(bits, a, pattern)
    }
    fn select(&mut self, bits: u32, condition: &V::Word, then: &V::Word, otherwise: &V::Word) -> V::Word {
        self.values.select(bits, condition, then, otherwise)
    }
    fn table(&mut self, bits: u32, table: &Table, inputs: &[V::Word]) -> Vec<V::Word> {
        match self.circuits.find(table) {
            Some(known) => circuit(self, bits, known, inputs),
            None => self.values.table(bits, table, inputs),
        }
    }
}
