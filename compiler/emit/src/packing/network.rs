//! Straight-line vector code: networks of shuffles and masked swaps. Only the needed nodes are written.

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::isa::{Form, LaneOp};
use crate::machine::Machine;

/// A register in a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node(usize);

pub(crate) struct Network<'a> {
    machine: &'a Machine,
    nodes: Vec<Definition>,
}

/// A node's expression, the nodes it uses, and the operation it is, with its number of operands.
struct Definition {
    text: String,
    uses: Vec<Node>,
    form: Option<(Form, usize)>,
}

impl<'a> Network<'a> {
    pub fn new(machine: &'a Machine) -> Network<'a> {
        Network { machine, nodes: Vec::new() }
    }

    fn node(&mut self, text: String, uses: &[Node]) -> Node {
        self.nodes.push(Definition { text, uses: uses.to_vec(), form: None });
        Node(self.nodes.len() - 1)
    }

    pub fn input(&mut self, text: impl Into<String>) -> Node {
        self.node(text.into(), &[])
    }

    pub fn name(node: Node) -> String {
        format!("x{}", node.0)
    }

    /// An operation on nodes, and perhaps another operand before or after them, if it is a single step.
    fn step(&mut self, op: LaneOp, n: u32, uses: &[Node], operands: &[&Expr]) -> Option<Node> {
        let form = self.machine.isa().form(op, n)?;
        let text = form.apply(operands).text;
        self.nodes.push(Definition { text, uses: uses.to_vec(), form: Some((form, operands.len())) });
        Some(Node(self.nodes.len() - 1))
    }

    /// A step that every machine has.
    fn lanes(&mut self, op: LaneOp, n: u32, uses: &[Node]) -> Node {
        let names: Vec<Expr> = uses.iter().map(|&node| Expr::primary(Self::name(node))).collect();
        self.step(op, n, uses, &names.iter().collect::<Vec<_>>()).expect("every machine has it")
    }

    /// `mask ? a : b`, bit by bit.
    fn select(&mut self, mask: &Expr, a: Node, b: Node) -> Option<Node> {
        let [x, y] = [a, b].map(|node| Expr::primary(Self::name(node)));
        self.step(LaneOp::Select, 64, &[a, b], &[mask, &x, &y])
    }

    /// `log2` rounds of interleaving units of `bits` bits of register `k` with those of register `k + n/2`. The address
    /// of a unit in a part is (register, position); each round rotates the bits of that address to the left, so that
    /// as many rounds as the register number has bits transpose a square.
    pub fn interleave(&mut self, mut rows: Vec<Node>, bits: u32, rounds: u32) -> Vec<Node> {
        for _ in 0..rounds {
            let half = rows.len() / 2;
            rows = (0..half)
                .flat_map(|k| {
                    let pair = [rows[k], rows[k + half]];
                    [LaneOp::InterleaveLow, LaneOp::InterleaveHigh].map(|op| self.lanes(op, bits, &pair))
                })
                .collect();
        }
        rows
    }

    /// Bit `t` of byte `b` of register `q` becomes bit `q` of byte `b` of register `t`.
    pub fn transpose_bits(&mut self, rows: &[Node]) -> Vec<Node> {
        let mut rows = rows.to_vec();
        let rounds = rows.len().trailing_zeros();
        for round in (0..rounds).rev() {
            let distance = 1 << round;
            for k in (0..rows.len()).filter(|k| k & distance == 0) {
                let (a, b) = self.swap_bits(rows[k], rows[k + distance], round);
                (rows[k], rows[k + distance]) = (a, b);
            }
        }
        rows
    }

    /// Exchanges the bits of `a` whose number within the byte has bit `round` set with those of `b` where it is clear.
    fn swap_bits(&mut self, a: Node, b: Node, round: u32) -> (Node, Node) {
        let shift = 1 << round;
        let mask = Expr::primary(self.machine.splat(8, [0x55, 0x33, 0x0f][round as usize]));
        let (x, y) = (Self::name(a), Self::name(b));
        let right = self.lanes(LaneOp::Shr(shift), 64, &[a]);
        if self.machine.isa().form(LaneOp::Select, 64).is_some() {
            let left = self.lanes(LaneOp::Shl(shift), 64, &[b]);
            let selected = [(a, left), (right, b)].map(|(x, y)| self.select(&mask, x, y).expect("asked above"));
            return selected.into();
        }
        let [x, y] = [x, y].map(Expr::primary);
        let named = |node| Expr::primary(Self::name(node));
        let machine = self.machine;
        let masked = machine.binary(&machine.binary(&named(right), "^", &y), "&", &mask);
        let differ = self.node(masked.text, &[right, b]);
        let left = self.lanes(LaneOp::Shl(shift), 64, &[differ]);
        let low = self.node(machine.binary(&x, "^", &named(left)).text, &[a, left]);
        let high = self.node(machine.binary(&y, "^", &named(differ)).text, &[b, differ]);
        (low, high)
    }

    /// Bit `t` of byte `i` of each 64-bit lane becomes bit `i` of byte `t`.
    pub fn transpose_bits_within(&mut self, mut a: Node) -> Node {
        for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
            let mask = self.machine.splat(64, mask);
            let right = self.lanes(LaneOp::Shr(shift), 64, &[a]);
            let [x, y] = [a, right].map(|node| Expr::primary(Self::name(node)));
            // (x ^ y) & mask, then the exclusive or of three.
            let differ = self
                .step(LaneOp::Ternary(0x28), 64, &[a, right], &[&x, &y, &Expr::primary(&mask)])
                .unwrap_or_else(|| {
                    let masked = self.machine.binary(&self.machine.binary(&x, "^", &y), "&", &Expr::primary(&mask));
                    self.node(masked.text, &[a, right])
                });
            let left = self.lanes(LaneOp::Shl(shift), 64, &[differ]);
            let [d, l] = [differ, left].map(|node| Expr::primary(Self::name(node)));
            a = self.step(LaneOp::Ternary(0x96), 64, &[a, differ, left], &[&x, &d, &l]).unwrap_or_else(|| {
                let of_two = Expr::primary(self.machine.binary(&x, "^", &d).text);
                self.node(self.machine.binary(&of_two, "^", &l).text, &[a, differ, left])
            });
        }
        a
    }

    /// Bytes of each part rearranged by a shuffle with this control.
    pub fn shuffle(&mut self, a: Node, control: &str) -> Node {
        let operands = [&Expr::primary(Self::name(a)), &Expr::primary(control)];
        self.step(LaneOp::Shuffle, 8, &[a], &operands).expect("every machine shuffles bytes")
    }

    /// The declarations of the nodes that `outputs` need, each line after `indent`.
    pub fn lines(&self, helpers: &mut Helpers, outputs: &[Node], indent: &str) -> String {
        let mut needed = vec![false; self.nodes.len()];
        for node in outputs {
            needed[node.0] = true;
        }
        for index in (0..self.nodes.len()).rev() {
            if needed[index] {
                for node in &self.nodes[index].uses {
                    needed[node.0] = true;
                }
            }
        }
        let t = self.machine.register();
        let mut lines = String::new();
        for (index, Definition { text, form, .. }) in self.nodes.iter().enumerate().filter(|&(index, _)| needed[index])
        {
            if let Some((form, operands)) = form {
                form.need(helpers, self.machine.language, t, *operands);
            }
            lines.push_str(&format!("{indent}{}\n", self.machine.language.define(t, &format!("x{index}"), text)));
        }
        lines
    }
}
