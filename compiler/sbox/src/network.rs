//! A circuit together with the truth table of every signal, on which the optimisers work.
//!
//! A truth table is `W` words of 64 indices, enough for tables of up to eight inputs with `W = 4`.

use crate::build::without_dead_gates;
use crate::circuit::{Circuit, Gate, Signal};
use crate::table::input_word;

pub type Truth<const W: usize> = [u64; W];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    And,
    Or,
    Xor,
    Andn,
    /// Uses only the first operand; the second repeats it.
    Not,
}

/// One gate on signals `a` and `b`. Signals are numbered with the inputs first, then the gates in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub op: Op,
    pub a: u16,
    pub b: u16,
}

impl Node {
    pub fn apply<const W: usize>(self, a: &Truth<W>, b: &Truth<W>) -> Truth<W> {
        match self.op {
            Op::And => std::array::from_fn(|i| a[i] & b[i]),
            Op::Or => std::array::from_fn(|i| a[i] | b[i]),
            Op::Xor => std::array::from_fn(|i| a[i] ^ b[i]),
            Op::Andn => std::array::from_fn(|i| a[i] & !b[i]),
            Op::Not => std::array::from_fn(|i| !a[i]),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Network<const W: usize> {
    pub inputs: usize,
    pub nodes: Vec<Node>,
    /// Truth tables of the inputs, then of the nodes.
    pub truth: Vec<Truth<W>>,
    /// The outputs that are not constants.
    pub outputs: Vec<u16>,
    /// For every output of the circuit, its constant; `None` for other outputs.
    constants: Vec<Option<Signal>>,
}

impl<const W: usize> Network<W> {
    /// The network of a circuit; `None` if the circuit is too large for the form or has constants as operands.
    pub fn new(circuit: &Circuit) -> Option<Network<W>> {
        let inputs = circuit.inputs as usize;
        if inputs > 6 + W.ilog2() as usize || inputs + circuit.gates.len() > usize::from(u16::MAX) {
            return None;
        }
        let truth = (0..circuit.inputs)
            .map(|input| std::array::from_fn(|block| input_word(circuit.inputs, input, block)))
            .collect();
        let mut network = Network::empty(inputs, truth);
        for &gate in &circuit.gates {
            let node = network.node(gate)?;
            network.push(node);
        }
        for &output in &circuit.outputs {
            let signal = network.index(output);
            network.outputs.extend(signal);
            network.constants.push(Some(output).filter(|output| matches!(output, Signal::Zero | Signal::One)));
        }
        Some(network)
    }

    /// A network of inputs with these truth tables, without gates.
    pub fn empty(inputs: usize, truth: Vec<Truth<W>>) -> Network<W> {
        Network { inputs, nodes: Vec::new(), truth, outputs: Vec::new(), constants: Vec::new() }
    }

    /// The circuit with these outputs, each a signal or a constant, without dead gates.
    pub fn finish(mut self, outputs: Vec<Result<u16, bool>>) -> Circuit {
        for output in outputs {
            self.outputs.extend(output);
            self.constants.push(output.err().map(|one| if one { Signal::One } else { Signal::Zero }));
        }
        without_dead_gates(&self.circuit())
    }

    /// Appends a node and returns its signal.
    pub fn push(&mut self, node: Node) -> u16 {
        let truth = node.apply(&self.truth[usize::from(node.a)], &self.truth[usize::from(node.b)]);
        self.nodes.push(node);
        self.truth.push(truth);
        (self.truth.len() - 1) as u16
    }

    /// The length of the longest chain of gates to an output.
    pub fn depth(&self) -> u32 {
        let mut depths = vec![0; self.truth.len()];
        for (i, node) in (self.inputs..).zip(&self.nodes) {
            depths[i] = 1 + depths[usize::from(node.a)].max(depths[usize::from(node.b)]);
        }
        self.outputs.iter().map(|&output| depths[usize::from(output)]).max().unwrap_or(0)
    }

    pub fn circuit(&self) -> Circuit {
        let signal = |index| self.signal(index);
        let gate = |node: &Node| {
            let (a, b) = (signal(node.a), signal(node.b));
            match node.op {
                Op::And => Gate::And(a, b),
                Op::Or => Gate::Or(a, b),
                Op::Xor => Gate::Xor(a, b),
                Op::Andn => Gate::Andn(a, b),
                Op::Not => Gate::Not(a),
            }
        };
        let mut outputs = self.outputs.iter();
        Circuit {
            inputs: self.inputs as u32,
            gates: self.nodes.iter().map(gate).collect(),
            outputs: self
                .constants
                .iter()
                .map(|constant| {
                    constant.unwrap_or_else(|| outputs.next().map_or(Signal::Zero, |&output| signal(output)))
                })
                .collect(),
        }
    }

    pub fn signal(&self, index: u16) -> Signal {
        match usize::from(index).checked_sub(self.inputs) {
            None => Signal::Input(u32::from(index)),
            Some(gate) => Signal::Gate(gate as u32),
        }
    }

    fn node(&self, gate: Gate) -> Option<Node> {
        let (op, a, b) = match gate {
            Gate::And(a, b) => (Op::And, a, b),
            Gate::Or(a, b) => (Op::Or, a, b),
            Gate::Xor(a, b) => (Op::Xor, a, b),
            Gate::Andn(a, b) => (Op::Andn, a, b),
            Gate::Not(a) => (Op::Not, a, a),
        };
        Some(Node { op, a: self.index(a)?, b: self.index(b)? })
    }

    fn index(&self, signal: Signal) -> Option<u16> {
        match signal {
            Signal::Zero | Signal::One => None,
            Signal::Input(input) => Some(input as u16),
            Signal::Gate(gate) => Some((self.inputs + gate as usize) as u16),
        }
    }
}
