//! Builds circuits gate by gate: folds constants, expands complements, and never computes the same function of the same
//! operands twice.

use std::collections::HashMap;

use crate::circuit::{Circuit, Gate, Signal};

/// A circuit under construction.
pub struct Builder {
    inputs: u32,
    gates: Vec<Gate>,
    known: HashMap<Gate, Signal>,
}

impl Builder {
    pub fn new(inputs: u32) -> Builder {
        Builder { inputs, gates: Vec::new(), known: HashMap::new() }
    }

    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    pub fn input(&self, input: u32) -> Signal {
        assert!(input < self.inputs, "input {input} of {}", self.inputs);
        Signal::Input(input)
    }

    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        match (a, b) {
            (Signal::Zero, _) | (_, Signal::Zero) => Signal::Zero,
            (Signal::One, x) | (x, Signal::One) => x,
            _ if a == b => a,
            _ => match (self.complement_of(a), self.complement_of(b)) {
                (_, Some(b)) => self.andn(a, b),
                (Some(a), None) => self.andn(b, a),
                (None, None) => self.gate(Gate::And(a.min(b), a.max(b))),
            },
        }
    }

    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        match (a, b) {
            (Signal::One, _) | (_, Signal::One) => Signal::One,
            (Signal::Zero, x) | (x, Signal::Zero) => x,
            _ if a == b => a,
            _ if self.complementary(a, b) => Signal::One,
            _ => self.gate(Gate::Or(a.min(b), a.max(b))),
        }
    }

    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        match (a, b) {
            (Signal::Zero, x) | (x, Signal::Zero) => x,
            (Signal::One, x) | (x, Signal::One) => self.not(x),
            _ if a == b => Signal::Zero,
            _ if self.complementary(a, b) => Signal::One,
            _ => self.gate(Gate::Xor(a.min(b), a.max(b))),
        }
    }

    /// `a & !b`
    pub fn andn(&mut self, a: Signal, b: Signal) -> Signal {
        match (a, b) {
            (Signal::Zero, _) | (_, Signal::One) => Signal::Zero,
            (x, Signal::Zero) => x,
            (Signal::One, x) => self.not(x),
            _ if a == b => Signal::Zero,
            _ if self.complementary(a, b) => a,
            _ => match self.complement_of(b) {
                Some(b) => self.and(a, b),
                None => self.gate(Gate::Andn(a, b)),
            },
        }
    }

    pub fn not(&mut self, a: Signal) -> Signal {
        match a {
            Signal::Zero => Signal::One,
            Signal::One => Signal::Zero,
            _ => match self.complement_of(a) {
                Some(b) => b,
                None => self.gate(Gate::Not(a)),
            },
        }
    }

    /// `condition ? yes : no`
    pub fn select(&mut self, condition: Signal, yes: Signal, no: Signal) -> Signal {
        match (yes, no) {
            _ if yes == no => yes,
            (_, Signal::Zero) => self.and(condition, yes),
            (Signal::Zero, _) => self.andn(no, condition),
            (Signal::One, _) => self.or(condition, no),
            _ => {
                let difference = self.xor(yes, no);
                let part = self.and(condition, difference);
                self.xor(no, part)
            }
        }
    }

    /// Adds any gate, with the simplifications of the method of the same name.
    pub fn push(&mut self, gate: Gate) -> Signal {
        match gate {
            Gate::And(a, b) => self.and(a, b),
            Gate::Or(a, b) => self.or(a, b),
            Gate::Xor(a, b) => self.xor(a, b),
            Gate::Andn(a, b) => self.andn(a, b),
            Gate::Not(a) => self.not(a),
        }
    }

    /// Adds a copy of `circuit` with other inputs. Returns its outputs.
    pub fn append(&mut self, circuit: &Circuit, inputs: &[Signal]) -> Vec<Signal> {
        let mut results: Vec<Signal> = Vec::with_capacity(circuit.gates.len());
        let place = |results: &[Signal], signal| match signal {
            Signal::Input(input) => inputs[input as usize],
            Signal::Gate(gate) => results[gate as usize],
            constant => constant,
        };
        for gate in &circuit.gates {
            let result = self.push(gate.map(|signal| place(&results, signal)));
            results.push(result);
        }
        circuit.outputs.iter().map(|&signal| place(&results, signal)).collect()
    }

    /// The circuit with these outputs, without gates that nothing needs.
    pub fn finish(self, outputs: Vec<Signal>) -> Circuit {
        without_dead_gates(&Circuit { inputs: self.inputs, gates: self.gates, outputs })
    }

    fn gate(&mut self, gate: Gate) -> Signal {
        *self.known.entry(gate).or_insert_with(|| {
            self.gates.push(gate);
            Signal::Gate(self.gates.len() as u32 - 1)
        })
    }

    fn complement_of(&self, a: Signal) -> Option<Signal> {
        match a {
            Signal::Gate(gate) => match self.gates[gate as usize] {
                Gate::Not(b) => Some(b),
                _ => None,
            },
            _ => None,
        }
    }

    fn complementary(&self, a: Signal, b: Signal) -> bool {
        self.complement_of(a) == Some(b) || self.complement_of(b) == Some(a)
    }
}

/// The circuit with constants folded, equal gates merged and dead gates removed.
pub fn simplified(circuit: &Circuit) -> Circuit {
    let mut builder = Builder::new(circuit.inputs);
    let inputs: Vec<Signal> = (0..circuit.inputs).map(Signal::Input).collect();
    let outputs = builder.append(circuit, &inputs);
    builder.finish(outputs)
}

/// The circuit with only the gates on which an output depends, in the same order.
pub fn without_dead_gates(circuit: &Circuit) -> Circuit {
    let mut live = vec![false; circuit.gates.len()];
    let mark = |live: &mut [bool], signal| {
        if let Signal::Gate(gate) = signal {
            live[gate as usize] = true;
        }
    };
    circuit.outputs.iter().for_each(|&signal| mark(&mut live, signal));
    for (i, gate) in circuit.gates.iter().enumerate().rev() {
        if live[i] {
            gate.operands().for_each(|signal| mark(&mut live, signal));
        }
    }
    let mut places = vec![Signal::Zero; live.len()];
    let mut gates = Vec::new();
    let place = |places: &[Signal], signal| match signal {
        Signal::Gate(gate) => places[gate as usize],
        other => other,
    };
    for (i, gate) in circuit.gates.iter().enumerate().filter(|&(i, _)| live[i]) {
        places[i] = Signal::Gate(gates.len() as u32);
        gates.push(gate.map(|signal| place(&places, signal)));
    }
    let outputs = circuit.outputs.iter().map(|&signal| place(&places, signal)).collect();
    Circuit { inputs: circuit.inputs, gates, outputs }
}
