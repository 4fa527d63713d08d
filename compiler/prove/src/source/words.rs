//! One instance after another: words are terms of their width.

use culet_meaning::{Domain, Interpreter};
use culet_term::{Term, Terms};
use culet_types::program::Table;

use super::{Contents, Form, Specification};
use crate::hints::{Circuits, Gate, Signal};

pub fn run(
    specification: &Specification,
    interpreter: &Interpreter,
    terms: &mut Terms,
    form: Form,
    parameters: &[Contents],
) -> Vec<Contents> {
    let results: Vec<_> = specification.results().collect();
    let mut atoms: Vec<Vec<Vec<Term>>> = vec![Vec::new(); results.len()];
    let layout = specification.layout;
    for instance in 0..layout.instances() {
        let mut inputs = Vec::new();
        for (var, contents) in specification.parameters().zip(parameters) {
            // Groups share the registers of a shared parameter, bytes hold it once.
            let own = instance % specification.instances(var, form, false);
            inputs.push(specification.atoms(terms, var, form, contents, own));
        }
        let mut words = Words { terms, circuits: specification.circuits };
        let outputs = interpreter.run(&mut words, specification.entry(), &inputs);
        for (all, words) in atoms.iter_mut().zip(outputs) {
            all.push(words);
        }
    }
    results.iter().zip(&atoms).map(|(var, atoms)| specification.memory(terms, var, form, true, atoms)).collect()
}

/// Terms, with circuits for tables.
struct Words<'t> {
    terms: &'t mut Terms,
    circuits: &'t Circuits,
}

/// A circuit on words of any kind.
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

impl Domain for Words<'_> {
    type Word = Term;

    fn constant(&mut self, bits: u32, value: u64) -> Term {
        self.terms.constant(bits, value)
    }
    fn not(&mut self, bits: u32, a: &Term) -> Term {
        Domain::not(self.terms, bits, a)
    }
    fn and(&mut self, bits: u32, a: &Term, b: &Term) -> Term {
        Domain::and(self.terms, bits, a, b)
    }
    fn or(&mut self, bits: u32, a: &Term, b: &Term) -> Term {
        Domain::or(self.terms, bits, a, b)
    }
    fn xor(&mut self, bits: u32, a: &Term, b: &Term) -> Term {
        Domain::xor(self.terms, bits, a, b)
    }
    fn add(&mut self, bits: u32, a: &Term, b: &Term) -> Term {
        Domain::add(self.terms, bits, a, b)
    }
    fn sub(&mut self, bits: u32, a: &Term, b: &Term) -> Term {
        Domain::sub(self.terms, bits, a, b)
    }
    fn mul_wide(&mut self, bits: u32, a: &Term, b: &Term) -> (Term, Term) {
        Domain::mul_wide(self.terms, bits, a, b)
    }
    fn shl(&mut self, bits: u32, a: &Term, amount: u32) -> Term {
        Domain::shl(self.terms, bits, a, amount)
    }
    fn shr(&mut self, bits: u32, a: &Term, amount: u32) -> Term {
        Domain::shr(self.terms, bits, a, amount)
    }
    fn sar(&mut self, bits: u32, a: &Term, amount: u32) -> Term {
        Domain::sar(self.terms, bits, a, amount)
    }
    fn extract(&mut self, bits: u32, a: &Term, low: u32, length: u32) -> Term {
        Domain::extract(self.terms, bits, a, low, length)
    }
    fn concat(&mut self, high_bits: u32, high: &Term, low_bits: u32, low: &Term) -> Term {
        Domain::concat(self.terms, high_bits, high, low_bits, low)
    }
    fn shuffle(&mut self, bits: u32, a: &Term, pattern: &[Option<u32>]) -> Term {
        self.terms.shuffle(bits, a, pattern)
    }
    fn select(&mut self, bits: u32, condition: &Term, then: &Term, otherwise: &Term) -> Term {
        Domain::select(self.terms, bits, condition, then, otherwise)
    }
    fn table(&mut self, bits: u32, table: &Table, inputs: &[Term]) -> Vec<Term> {
        match self.circuits.find(table) {
            Some(known) => circuit(self, bits, known, inputs),
            None => self.terms.table(bits, table, inputs),
        }
    }
}
