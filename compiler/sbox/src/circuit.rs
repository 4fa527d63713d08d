//! Straight-line programs over bits, the form of all results of this crate.

use crate::table::{TableSpec, input_word};

/// A bit: a constant, an input, or the result of an earlier gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    Zero,
    One,
    Input(u32),
    Gate(u32),
}

/// One instruction. Every gate costs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gate {
    And(Signal, Signal),
    Or(Signal, Signal),
    Xor(Signal, Signal),
    /// `a & !b`
    Andn(Signal, Signal),
    Not(Signal),
}

/// Gates in order of evaluation: operands of gate `i` are constants, inputs and gates before `i`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Circuit {
    pub inputs: u32,
    pub gates: Vec<Gate>,
    pub outputs: Vec<Signal>,
}

/// The difference between a circuit and its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// Numbers of inputs or outputs differ.
    Shape,
    /// A signal names an input that does not exist or a gate that has not been evaluated.
    Order,
    /// An output is wrong at this index of the table.
    Value { index: usize, output: u32 },
}

impl Gate {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = Signal> {
        let (a, b) = match self {
            Gate::And(a, b) | Gate::Or(a, b) | Gate::Xor(a, b) | Gate::Andn(a, b) => (a, Some(b)),
            Gate::Not(a) => (a, None),
        };
        std::iter::once(a).chain(b)
    }

    /// This gate on other operands.
    #[must_use]
    pub fn map(self, mut f: impl FnMut(Signal) -> Signal) -> Gate {
        match self {
            Gate::And(a, b) => Gate::And(f(a), f(b)),
            Gate::Or(a, b) => Gate::Or(f(a), f(b)),
            Gate::Xor(a, b) => Gate::Xor(f(a), f(b)),
            Gate::Andn(a, b) => Gate::Andn(f(a), f(b)),
            Gate::Not(a) => Gate::Not(f(a)),
        }
    }

    /// Evaluates the gate on 64 independent bits at once.
    pub fn apply(self, mut value: impl FnMut(Signal) -> u64) -> u64 {
        match self {
            Gate::And(a, b) => value(a) & value(b),
            Gate::Or(a, b) => value(a) | value(b),
            Gate::Xor(a, b) => value(a) ^ value(b),
            Gate::Andn(a, b) => value(a) & !value(b),
            Gate::Not(a) => !value(a),
        }
    }
}

impl Circuit {
    /// The number of gates.
    pub fn cost(&self) -> usize {
        self.gates.len()
    }

    /// The length of the longest chain of gates from an input to an output.
    pub fn depth(&self) -> u32 {
        let mut depths: Vec<u32> = Vec::with_capacity(self.gates.len());
        let of = |depths: &[u32], signal| match signal {
            Signal::Gate(gate) => depths[gate as usize],
            _ => 0,
        };
        for gate in &self.gates {
            let operands = gate.operands().map(|signal| of(&depths, signal)).max().unwrap_or(0);
            depths.push(operands + 1);
        }
        self.outputs.iter().map(|&signal| of(&depths, signal)).max().unwrap_or(0)
    }

    /// This circuit with input `i` renamed to input `order[i]`.
    #[must_use]
    pub fn with_inputs(&self, order: &[u32]) -> Circuit {
        let rename = |signal| match signal {
            Signal::Input(input) => Signal::Input(order[input as usize]),
            other => other,
        };
        Circuit {
            inputs: self.inputs,
            gates: self.gates.iter().map(|gate| gate.map(rename)).collect(),
            outputs: self.outputs.iter().map(|&signal| rename(signal)).collect(),
        }
    }

    /// Whether every signal exists before it is used.
    pub fn is_ordered(&self) -> bool {
        let exists = |signal, gates: usize| match signal {
            Signal::Zero | Signal::One => true,
            Signal::Input(input) => input < self.inputs,
            Signal::Gate(gate) => (gate as usize) < gates,
        };
        self.gates.iter().enumerate().all(|(i, gate)| gate.operands().all(|signal| exists(signal, i)))
            && self.outputs.iter().all(|&signal| exists(signal, self.gates.len()))
    }

    /// The outputs for 64 independent inputs at once, one at each bit position. Panics unless `inputs` has one word for
    /// each input and the circuit is ordered.
    pub fn evaluate(&self, inputs: &[u64]) -> Vec<u64> {
        assert_eq!(inputs.len(), self.inputs as usize, "one word for each input");
        let mut results: Vec<u64> = Vec::with_capacity(self.gates.len());
        let value = |results: &[u64], signal| match signal {
            Signal::Zero => 0,
            Signal::One => !0,
            Signal::Input(input) => inputs[input as usize],
            Signal::Gate(gate) => results[gate as usize],
        };
        for gate in &self.gates {
            let result = gate.apply(|signal| value(&results, signal));
            results.push(result);
        }
        self.outputs.iter().map(|&signal| value(&results, signal)).collect()
    }

    /// Compares the circuit with `table` on every input.
    pub fn check(&self, table: &TableSpec) -> Result<(), Mismatch> {
        if table.check().is_err() || self.inputs != table.inputs || self.outputs.len() != table.outputs as usize {
            return Err(Mismatch::Shape);
        }
        if !self.is_ordered() {
            return Err(Mismatch::Order);
        }
        for (block, values) in table.values.chunks(64).enumerate() {
            let inputs: Vec<u64> = (0..self.inputs).map(|input| input_word(self.inputs, input, block)).collect();
            let found = self.evaluate(&inputs);
            for (bit, &value) in values.iter().enumerate() {
                let wrong = |&(output, word): &(u32, u64)| word >> bit & 1 != value >> (table.outputs - 1 - output) & 1;
                if let Some((output, _)) = (0..).zip(found.iter().copied()).find(wrong) {
                    return Err(Mismatch::Value { index: 64 * block + bit, output });
                }
            }
        }
        Ok(())
    }
}
