//! Circuits for machines on which `a & !b` takes two operations: the same gates, with as few negations as a search
//! finds.
//!
//! Each gate may provide its value or the negation: `x ^ y` can be negated for free, and by De Morgan's laws `x & y` of
//! negated operands is a negated `x | y`. The choices for all gates determine which values are needed in both forms,
//! and each of those costs one `not`.

use crate::circuit::{Circuit, Gate, Signal};
use crate::random::Random;

/// Number of changes of the choice that are tried.
const STEPS: usize = 6000;

/// The circuit without [`Gate::Andn`], and with few [`Gate::Not`].
#[must_use]
pub fn without_andn(circuit: &Circuit) -> Circuit {
    let plain = expanded(circuit);
    let Some(logic) = Logic::of(circuit) else { return plain };
    let found = logic.circuit(&logic.search());
    if found.cost() < plain.cost() { found } else { plain }
}

/// The circuit with each `andn` as two gates.
fn expanded(circuit: &Circuit) -> Circuit {
    let mut gates = Vec::new();
    let mut moved: Vec<Signal> = Vec::new();
    for gate in &circuit.gates {
        let gate = gate.map(|signal| match signal {
            Signal::Gate(gate) => moved[gate as usize],
            other => other,
        });
        let gate = match gate {
            Gate::Andn(a, b) => Gate::And(a, push(&mut gates, Gate::Not(b))),
            other => other,
        };
        moved.push(push(&mut gates, gate));
    }
    let output = |&signal: &Signal| match signal {
        Signal::Gate(gate) => moved[gate as usize],
        other => other,
    };
    let outputs = circuit.outputs.iter().map(output).collect();
    Circuit { inputs: circuit.inputs, gates, outputs }
}

fn push(gates: &mut Vec<Gate>, gate: Gate) -> Signal {
    gates.push(gate);
    Signal::Gate(gates.len() as u32 - 1)
}

/// A value, perhaps negated. Values are numbered with the inputs first, then the gates that are not negations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    value: usize,
    negated: bool,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Xor,
    And,
}

struct Logic {
    inputs: usize,
    nodes: Vec<(Kind, [Edge; 2])>,
    /// The outputs; constants stay as they are.
    outputs: Vec<Result<Edge, Signal>>,
}

/// For each value, whether it is provided in negated form. Inputs are not.
type Choice = Vec<bool>;

impl Logic {
    /// The logic of a circuit; `None` if a gate has a constant operand.
    fn of(circuit: &Circuit) -> Option<Logic> {
        let inputs = circuit.inputs as usize;
        let mut logic = Logic { inputs, nodes: Vec::new(), outputs: Vec::new() };
        let mut edges: Vec<Edge> = Vec::new();
        let edge = |edges: &[Edge], signal| match signal {
            Signal::Input(input) => Some(Edge { value: input as usize, negated: false }),
            Signal::Gate(gate) => Some(edges[gate as usize]),
            Signal::Zero | Signal::One => None,
        };
        let not = |edge: Edge| Edge { negated: !edge.negated, ..edge };
        for &gate in &circuit.gates {
            let mut operands = gate.operands().map(|signal| edge(&edges, signal));
            let (a, b) = (operands.next()??, operands.next().unwrap_or(Some(Edge { value: 0, negated: false }))?);
            let plain = |edge: Edge| Edge { negated: false, ..edge };
            let (kind, operands, negated) = match gate {
                Gate::Not(_) => {
                    edges.push(not(a));
                    continue;
                }
                Gate::Xor(..) => (Kind::Xor, [plain(a), plain(b)], a.negated != b.negated),
                Gate::And(..) => (Kind::And, [a, b], false),
                Gate::Andn(..) => (Kind::And, [a, not(b)], false),
                Gate::Or(..) => (Kind::And, [not(a), not(b)], true),
            };
            edges.push(Edge { value: inputs + logic.nodes.len(), negated });
            logic.nodes.push((kind, operands));
        }
        logic.outputs = circuit.outputs.iter().map(|&signal| edge(&edges, signal).ok_or(signal)).collect();
        Some(logic)
    }

    /// The best choice that simulated annealing finds.
    fn search(&self) -> Choice {
        let mut random = Random::new(1);
        let mut now: Choice = vec![false; self.inputs + self.nodes.len()];
        if self.nodes.is_empty() {
            return now;
        }
        let mut cost = self.negations(&now).iter().filter(|&&is| is).count();
        let (mut best, mut least) = (now.clone(), cost);
        for step in 0..STEPS {
            let flipped = self.inputs + random.below(self.nodes.len());
            now[flipped] ^= true;
            let new = self.negations(&now).iter().filter(|&&is| is).count();
            // A change that costs one more negation is accepted less and less often.
            let may_rise = new == cost + 1 && random.below(STEPS) > step && random.below(8) == 0;
            if new <= cost || may_rise {
                cost = new;
            } else {
                now[flipped] ^= true;
            }
            if cost < least {
                (best, least) = (now.clone(), cost);
            }
        }
        best
    }

    /// Whether each value is needed in both forms.
    fn negations(&self, choice: &Choice) -> Vec<bool> {
        let mut needed = vec![false; choice.len()];
        for (index, (kind, operands)) in self.nodes.iter().enumerate() {
            if let Kind::And = kind {
                for edge in operands {
                    needed[edge.value] |= (edge.negated != choice[self.inputs + index]) != choice[edge.value];
                }
            }
        }
        for edge in self.outputs.iter().flatten() {
            needed[edge.value] |= edge.negated != choice[edge.value];
        }
        for (index, (kind, [a, b])) in self.nodes.iter().enumerate() {
            let fits = (choice[a.value] != choice[b.value]) == choice[self.inputs + index];
            if matches!(kind, Kind::Xor) && !fits && !needed[a.value] {
                needed[b.value] = true;
            }
        }
        needed
    }

    /// The circuit for a choice.
    fn circuit(&self, choice: &Choice) -> Circuit {
        let needed = self.negations(choice);
        let mut gates = Vec::new();
        // The signals of each value as it is provided, and of its negation.
        let mut made: Vec<(Signal, Option<Signal>)> = Vec::new();
        let add = |gates: &mut Vec<Gate>, made: &mut Vec<(Signal, Option<Signal>)>, signal: Signal| {
            let negation = needed[made.len()].then(|| push(gates, Gate::Not(signal)));
            made.push((signal, negation));
        };
        for input in 0..self.inputs as u32 {
            add(&mut gates, &mut made, Signal::Input(input));
        }
        let get = |made: &[(Signal, Option<Signal>)], value: usize, negated: bool| match made[value] {
            (signal, _) if negated == choice[value] => signal,
            (_, negation) => negation.expect("it is needed"),
        };
        for (index, &(kind, [a, b])) in self.nodes.iter().enumerate() {
            let negated = choice[self.inputs + index];
            let gate = match kind {
                Kind::And => {
                    let operands = [a, b].map(|edge| get(&made, edge.value, edge.negated != negated));
                    if negated { Gate::Or(operands[0], operands[1]) } else { Gate::And(operands[0], operands[1]) }
                }
                Kind::Xor => {
                    let fits = (choice[a.value] != choice[b.value]) == negated;
                    let turn_a = !fits && needed[a.value];
                    let turn_b = !fits && !turn_a;
                    Gate::Xor(
                        get(&made, a.value, choice[a.value] != turn_a),
                        get(&made, b.value, choice[b.value] != turn_b),
                    )
                }
            };
            let signal = push(&mut gates, gate);
            add(&mut gates, &mut made, signal);
        }
        let output = |output: &Result<Edge, Signal>| match *output {
            Ok(edge) => get(&made, edge.value, edge.negated),
            Err(constant) => constant,
        };
        let outputs = self.outputs.iter().map(output).collect();
        Circuit { inputs: self.inputs as u32, gates, outputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableSpec;
    use crate::named::{NAMES, named};

    #[test]
    fn it_computes_the_same_with_no_more_gates() {
        let mut des = 0;
        for name in NAMES {
            let table = named(name).unwrap();
            let circuit = crate::circuit(&table).unwrap();
            let found = without_andn(&circuit);
            assert_eq!(found.check(&table), Ok(()), "{name}");
            assert!(found.gates.iter().all(|gate| !matches!(gate, Gate::Andn(..))), "{name}");
            assert!(found.cost() <= expanded(&circuit).cost(), "{name}");
            des += if name.starts_with("des_") { found.cost() } else { 0 };
        }
        // The circuits in usubac's table take 448 operations for the eight boxes of DES.
        assert!(des <= 435, "{des}");
    }

    #[test]
    fn random_circuits_stay_what_they_are() {
        let mut random = Random::new(7);
        for _ in 0..500 {
            let inputs = 1 + random.below(4) as u32;
            let mut circuit = Circuit { inputs, gates: Vec::new(), outputs: Vec::new() };
            for _ in 0..random.below(20) {
                let (a, b) = (signal(&mut random, &circuit), signal(&mut random, &circuit));
                circuit.gates.push(match random.below(5) {
                    0 => Gate::And(a, b),
                    1 => Gate::Or(a, b),
                    2 => Gate::Xor(a, b),
                    3 => Gate::Andn(a, b),
                    _ => Gate::Not(a),
                });
            }
            circuit.outputs = (0..3).map(|_| signal(&mut random, &circuit)).collect();
            let words: Vec<u64> = (0..inputs).map(|input| crate::table::input_word(inputs, input, 0)).collect();
            let values = circuit.evaluate(&words);
            let table = (0..1 << inputs).map(|i| values.iter().fold(0, |value, word| value << 1 | word >> i & 1));
            let table = TableSpec { inputs, outputs: 3, values: table.collect() };
            assert_eq!(without_andn(&circuit).check(&table), Ok(()));
        }
    }

    /// An input, a gate, or rarely a constant.
    fn signal(random: &mut Random, circuit: &Circuit) -> Signal {
        let gates = circuit.gates.len();
        match random.below(circuit.inputs as usize + gates + 1) {
            0 if random.below(4) == 0 => Signal::One,
            0 => Signal::Input(0),
            i if i <= circuit.inputs as usize => Signal::Input(i as u32 - 1),
            i => Signal::Gate((i - circuit.inputs as usize - 1) as u32),
        }
    }
}
