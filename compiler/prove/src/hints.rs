//! Hints of a compiler to the prover. Nothing here is believed: a circuit is compared with its table on every input.

use culet_types::program::Table;

/// A bit: a constant, an input (0 is the most significant index bit of the table), or the result of an earlier gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Zero,
    One,
    Input(u32),
    Gate(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    And(Signal, Signal),
    Or(Signal, Signal),
    Xor(Signal, Signal),
    /// `a & !b`
    Andn(Signal, Signal),
    Not(Signal),
}

/// Gates in order of evaluation, and the outputs, most significant first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circuit {
    pub gates: Vec<Gate>,
    pub outputs: Vec<Signal>,
}

/// Circuits that have been compared with their tables.
#[derive(Debug, Clone, Default)]
pub struct Circuits {
    checked: Vec<(Table, Circuit)>,
}

/// Reason why a circuit is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrongCircuit {
    /// It names an input or gate that is not there, or has another number of outputs.
    Shape,
    /// It has another value at this index of the table.
    Value(usize),
    /// The table has more inputs than can be tried.
    TooLarge(u32),
}

/// Maximum number of inputs of a table; all their values are tried.
const MAX_INPUTS: u32 = 16;

impl Circuits {
    /// Adds a circuit, if it is right for every input of the table.
    pub fn add(&mut self, table: &Table, circuit: Circuit) -> Result<(), WrongCircuit> {
        if table.inputs > MAX_INPUTS {
            return Err(WrongCircuit::TooLarge(table.inputs));
        }
        if circuit.outputs.len() != table.outputs as usize || !is_ordered(&circuit, table.inputs) {
            return Err(WrongCircuit::Shape);
        }
        for (index, &value) in table.values.iter().enumerate() {
            let input = |i: u32| index >> (table.inputs - 1 - i) & 1 == 1;
            let outputs = run(
                &circuit,
                |signal_value, gate| match gate {
                    Gate::And(a, b) => signal_value(a) & signal_value(b),
                    Gate::Or(a, b) => signal_value(a) | signal_value(b),
                    Gate::Xor(a, b) => signal_value(a) ^ signal_value(b),
                    Gate::Andn(a, b) => signal_value(a) & !signal_value(b),
                    Gate::Not(a) => !signal_value(a),
                },
                input,
            );
            let spelled = outputs.iter().fold(0, |word, &bit| word << 1 | u64::from(bit));
            if spelled != value {
                return Err(WrongCircuit::Value(index));
            }
        }
        self.checked.push((table.clone(), circuit));
        Ok(())
    }

    /// The circuit of a table, if there is one.
    pub fn find(&self, table: &Table) -> Option<&Circuit> {
        self.checked.iter().find(|(other, _)| other == table).map(|(_, circuit)| circuit)
    }

    pub fn len(&self) -> usize {
        self.checked.len()
    }

    pub fn is_empty(&self) -> bool {
        self.checked.is_empty()
    }
}

fn is_ordered(circuit: &Circuit, inputs: u32) -> bool {
    let exists = |signal: &Signal, gates: usize| match *signal {
        Signal::Zero | Signal::One => true,
        Signal::Input(input) => input < inputs,
        Signal::Gate(gate) => (gate as usize) < gates,
    };
    let ordered = circuit.gates.iter().enumerate().all(|(index, gate)| operands(gate).iter().all(|s| exists(s, index)));
    ordered && circuit.outputs.iter().all(|signal| exists(signal, circuit.gates.len()))
}

fn operands(gate: &Gate) -> Vec<Signal> {
    match *gate {
        Gate::And(a, b) | Gate::Or(a, b) | Gate::Xor(a, b) | Gate::Andn(a, b) => vec![a, b],
        Gate::Not(a) => vec![a],
    }
}

fn run(
    circuit: &Circuit,
    apply: impl Fn(&dyn Fn(Signal) -> bool, Gate) -> bool,
    input: impl Fn(u32) -> bool,
) -> Vec<bool> {
    let mut gates: Vec<bool> = Vec::with_capacity(circuit.gates.len());
    for &gate in &circuit.gates {
        let value = apply(&|signal| bit(signal, &gates, &input), gate);
        gates.push(value);
    }
    circuit.outputs.iter().map(|&signal| bit(signal, &gates, &input)).collect()
}

fn bit(signal: Signal, gates: &[bool], input: impl Fn(u32) -> bool) -> bool {
    match signal {
        Signal::Zero => false,
        Signal::One => true,
        Signal::Input(i) => input(i),
        Signal::Gate(gate) => gates[gate as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (a, b) ↦ (a & b, a ^ b)
    fn table() -> Table {
        Table { inputs: 2, outputs: 2, values: vec![0b00, 0b01, 0b01, 0b10] }
    }

    fn adder() -> Circuit {
        let (a, b) = (Signal::Input(0), Signal::Input(1));
        Circuit { gates: vec![Gate::And(a, b), Gate::Xor(a, b)], outputs: vec![Signal::Gate(0), Signal::Gate(1)] }
    }

    #[test]
    fn only_right_circuits_are_kept() {
        let mut circuits = Circuits::default();
        assert_eq!(circuits.add(&table(), adder()), Ok(()));
        assert_eq!(circuits.find(&table()), Some(&adder()));
        let mut wrong = adder();
        wrong.gates[0] = Gate::Or(Signal::Input(0), Signal::Input(1));
        assert_eq!(circuits.add(&table(), wrong), Err(WrongCircuit::Value(1)));
        let mut early = adder();
        early.gates[0] = Gate::Not(Signal::Gate(1));
        assert_eq!(circuits.add(&table(), early), Err(WrongCircuit::Shape));
        let mut short = adder();
        short.outputs.pop();
        assert_eq!(circuits.add(&table(), short), Err(WrongCircuit::Shape));
        assert_eq!(circuits.len(), 1);
    }
}
