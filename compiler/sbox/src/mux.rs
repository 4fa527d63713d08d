//! The general method for any table: expands by one input after another, and shares every function that occurs twice.
//!
//! A function is `f = f₀ ⊕ x·(f₀ ⊕ f₁)` (positive Davio). All outputs expand over the same inputs in the same order, so
//! that equal functions of the remaining inputs are built once. A function and its complement differ by one `not`.

use std::collections::HashMap;

use crate::build::Builder;
use crate::circuit::{Circuit, Signal};
use crate::table::TableSpec;

/// A circuit for a table that has passed [`TableSpec::check`]; linear in the size of the table.
pub fn synthesise(table: &TableSpec) -> Circuit {
    let mut expansion = Expansion { builder: Builder::new(table.inputs), known: HashMap::new() };
    let outputs = (0..table.outputs)
        .map(|output| {
            let shift = table.outputs - 1 - output;
            let bits: Vec<bool> = table.values.iter().map(|value| value >> shift & 1 == 1).collect();
            expansion.function(&bits)
        })
        .collect();
    expansion.builder.finish(outputs)
}

struct Expansion {
    builder: Builder,
    /// Functions of the last inputs, by their values.
    known: HashMap<Vec<bool>, Signal>,
}

impl Expansion {
    fn function(&mut self, bits: &[bool]) -> Signal {
        if bits.iter().all(|&bit| bit == bits[0]) {
            return if bits[0] { Signal::One } else { Signal::Zero };
        }
        if let Some(&signal) = self.known.get(bits) {
            return signal;
        }
        let complement: Vec<bool> = bits.iter().map(|bit| !bit).collect();
        let signal = match self.known.get(&complement) {
            Some(&signal) => self.builder.not(signal),
            None => self.expand(bits),
        };
        self.known.insert(bits.to_vec(), signal);
        signal
    }

    fn expand(&mut self, bits: &[bool]) -> Signal {
        let (low, high) = bits.split_at(bits.len() / 2);
        if low == high {
            return self.function(low);
        }
        let remaining = bits.len().trailing_zeros();
        let input = Signal::Input(self.builder.inputs() - remaining);
        let difference: Vec<bool> = low.iter().zip(high).map(|(low, high)| low ^ high).collect();
        let base = self.function(low);
        let slope = self.function(&difference);
        let product = self.builder.and(input, slope);
        self.builder.xor(base, product)
    }
}
