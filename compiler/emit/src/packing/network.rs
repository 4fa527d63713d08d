//! Straight-line vector code: networks of shuffles and masked swaps, of which only what is needed is written.

use crate::machine::Machine;

/// A register in a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node(usize);

pub(crate) struct Network<'a> {
    machine: &'a Machine,
    /// The expression of each node, and the nodes it uses.
    nodes: Vec<(String, Vec<Node>)>,
}

impl<'a> Network<'a> {
    pub fn new(machine: &'a Machine) -> Network<'a> {
        Network { machine, nodes: Vec::new() }
    }

    pub fn node(&mut self, text: String, uses: &[Node]) -> Node {
        self.nodes.push((text, uses.to_vec()));
        Node(self.nodes.len() - 1)
    }

    pub fn input(&mut self, text: impl Into<String>) -> Node {
        self.node(text.into(), &[])
    }

    pub fn name(node: Node) -> String {
        format!("x{}", node.0)
    }

    /// An intrinsic of the register's width on nodes, with further arguments.
    fn call(&mut self, intrinsic: &str, uses: &[Node], rest: &str) -> Node {
        let names: Vec<String> = uses.iter().map(|&node| Self::name(node)).collect();
        self.node(format!("{}({}{rest})", self.machine.intrinsic(intrinsic), names.join(", ")), uses)
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
                    let low = self.call(&format!("unpacklo_epi{bits}"), &pair, "");
                    [low, self.call(&format!("unpackhi_epi{bits}"), &pair, "")]
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
        let shift = format!(", {}", 1 << round);
        let keep = [0x55, 0x33, 0x0f][round as usize];
        let mask = self.machine.splat(8, keep);
        let (x, y) = (Self::name(a), Self::name(b));
        let right = self.call("srli_epi64", &[a], &shift);
        if self.machine.has_ternary_logic() {
            let select = self.machine.intrinsic("ternarylogic_epi64");
            let left = self.call("slli_epi64", &[b], &shift);
            let low = self.node(format!("{select}({mask}, {x}, {}, 0xca)", Self::name(left)), &[a, left]);
            let high = self.node(format!("{select}({mask}, {}, {y}, 0xca)", Self::name(right)), &[right, b]);
            return (low, high);
        }
        let differ = self.node(format!("({} ^ {y}) & {mask}", Self::name(right)), &[right, b]);
        let left = self.call("slli_epi64", &[differ], &shift);
        let low = self.node(format!("{x} ^ {}", Self::name(left)), &[a, left]);
        let high = self.node(format!("{y} ^ {}", Self::name(differ)), &[b, differ]);
        (low, high)
    }

    /// Bit `t` of byte `i` of each 64-bit lane becomes bit `i` of byte `t`.
    pub fn transpose_bits_within(&mut self, mut a: Node) -> Node {
        for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
            let mask = self.machine.splat(64, mask);
            let right = self.call("srli_epi64", &[a], &format!(", {shift}"));
            let (x, y) = (Self::name(a), Self::name(right));
            if self.machine.has_ternary_logic() {
                let ternary = self.machine.intrinsic("ternarylogic_epi64");
                // (x ^ y) & mask, then the exclusive or of three.
                let differ = self.node(format!("{ternary}({x}, {y}, {mask}, 0x28)"), &[a, right]);
                let left = self.call("slli_epi64", &[differ], &format!(", {shift}"));
                let (d, l) = (Self::name(differ), Self::name(left));
                a = self.node(format!("{ternary}({x}, {d}, {l}, 0x96)"), &[a, differ, left]);
            } else {
                let differ = self.node(format!("({x} ^ {y}) & {mask}"), &[a, right]);
                let left = self.call("slli_epi64", &[differ], &format!(", {shift}"));
                let (d, l) = (Self::name(differ), Self::name(left));
                a = self.node(format!("{x} ^ {d} ^ {l}"), &[a, differ, left]);
            }
        }
        a
    }

    /// Bytes of each part rearranged by a `shuffle_epi8` with this control.
    pub fn shuffle(&mut self, a: Node, control: &str) -> Node {
        self.call("shuffle_epi8", &[a], &format!(", {control}"))
    }

    /// The declarations of what `outputs` need, each line after `indent`.
    pub fn lines(&self, outputs: &[Node], indent: &str) -> String {
        let mut needed = vec![false; self.nodes.len()];
        for node in outputs {
            needed[node.0] = true;
        }
        for index in (0..self.nodes.len()).rev() {
            if needed[index] {
                for node in &self.nodes[index].1 {
                    needed[node.0] = true;
                }
            }
        }
        let t = self.machine.register();
        let lines = self.nodes.iter().enumerate().filter(|&(index, _)| needed[index]);
        lines.map(|(index, (text, _))| format!("{indent}const {t} x{index} = {text};\n")).collect()
    }
}
