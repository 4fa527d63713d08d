//! Bitwise functions of three operands, as in AVX-512's `vpternlog`.

use crate::{Node, Term, Terms};

/// The bits of a table at which each operand is one.
const OPERANDS: [u8; 3] = [0b1111_0000, 0b1100_1100, 0b1010_1010];
/// The distance between the bits of a table for an operand of zero and of one.
const STRIDES: [u8; 3] = [4, 2, 1];

impl Terms {
    /// The bitwise function whose value at bits (a, b, c) is bit `4a + 2b + c` of `table`.
    pub fn tern(&mut self, table: u8, a: Term, b: Term, c: Term) -> Term {
        self.assert_same_bits(a, b);
        let bits = self.assert_same_bits(a, c);
        let mut operands = [a, b, c];
        let mut table = table;
        for (i, operand) in operands.iter_mut().enumerate() {
            if let Node::Not(inner) = *self.node(*operand) {
                *operand = inner;
                table = exchange(table, i);
            }
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if operands[i] == operands[j] {
                // Operand i equals operand j, so that the table need not depend on it.
                table = (cofactor(table, i, true) & OPERANDS[j]) | (cofactor(table, i, false) & !OPERANDS[j]);
            }
        }
        for (i, &operand) in operands.iter().enumerate() {
            if self.is_zero(operand) || self.is_ones(operand) {
                table = cofactor(table, i, self.is_ones(operand));
            }
        }
        if let Some(free) = (0..3).find(|&i| cofactor(table, i, true) == cofactor(table, i, false)) {
            let (first, second) = [(1, 2), (0, 2), (0, 1)][free];
            return self.two_input(table, first, second, &operands);
        }
        if self.operands_have_structure(&operands) || [0x96, 0x69].contains(&table) {
            return self.expand(table, &operands);
        }
        let (table, [a, b, c]) = sorted(table, operands);
        self.intern(Node::Tern(table, a, b, c), bits)
    }

    /// Whether two-input operations have rules for these operands that this node does not have.
    fn operands_have_structure(&self, operands: &[Term; 3]) -> bool {
        operands.iter().any(|&operand| match self.node(operand) {
            Node::Concat(_) | Node::Constant(_) => true,
            &Node::Select(_, then, otherwise) => self.is_constant(then) && self.is_constant(otherwise),
            _ => false,
        })
    }

    /// A function of two of the operands.
    fn two_input(&mut self, table: u8, first: usize, second: usize, operands: &[Term; 3]) -> Term {
        let bits = self.bits(operands[0]);
        let (x, y) = (operands[first], operands[second]);
        let rows = [0, STRIDES[second], STRIDES[first], STRIDES[first] + STRIDES[second]];
        let function = rows.iter().rev().fold(0, |function, row| function << 1 | (table >> row & 1));
        // Bit 2x + y of the function is its value.
        let positive = match function {
            0b0000 | 0b1111 => self.zero(bits),
            0b1100 | 0b0011 => x,
            0b1010 | 0b0101 => y,
            0b0110 | 0b1001 => self.xor(x, y),
            0b1000 | 0b0111 => self.and(x, y),
            0b1110 | 0b0001 => self.or(x, y),
            0b0100 | 0b1011 => self.andn(x, y),
            _ => self.andn(y, x),
        };
        match function {
            0b1111 | 0b0011 | 0b0101 | 0b1001 | 0b0111 | 0b0001 | 0b1011 | 0b1101 => self.not(positive),
            _ => positive,
        }
    }

    /// The function as a choice, by its first operand, between functions of the other two.
    fn expand(&mut self, table: u8, operands: &[Term; 3]) -> Term {
        let (with, without) = (cofactor(table, 0, true), cofactor(table, 0, false));
        let on = self.two_input(with, 1, 2, operands);
        let a = operands[0];
        if with == !without {
            let off = self.not(on);
            return self.xor(a, off);
        }
        let off = self.two_input(without, 1, 2, operands);
        let chosen = self.and(a, on);
        let left = self.andn(off, a);
        self.or(chosen, left)
    }
}

/// The table with operand `i` fixed. The result does not depend on that operand.
fn cofactor(table: u8, i: usize, value: bool) -> u8 {
    let (mask, stride) = (OPERANDS[i], STRIDES[i]);
    let half = if value { (table & mask) >> stride } else { table & !mask };
    half | half << stride
}

/// The table for the complement of operand `i`.
fn exchange(table: u8, i: usize) -> u8 {
    let (mask, stride) = (OPERANDS[i], STRIDES[i]);
    (table & mask) >> stride | (table & !mask) << stride
}

/// The operands in order, and the table for that order.
fn sorted(table: u8, operands: [Term; 3]) -> (u8, [Term; 3]) {
    let mut order = [0, 1, 2];
    order.sort_by_key(|&i| operands[i]);
    let mut result = 0;
    for row in 0..8u8 {
        // Bit 2 - k of `row` is the value of operand order[k].
        let original = (0..3).fold(0, |index, k| index | (row >> (2 - k) & 1) << (2 - order[k]));
        result |= (table >> original & 1) << row;
    }
    (result, order.map(|i| operands[i]))
}
