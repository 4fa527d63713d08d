//! Entries of tables at secret positions: every entry is read, and halved by one bit of the position after the other.

use std::sync::Arc;

use culet_ir::{FieldOp, Op, Target, Value};
use culet_sbox::polarity::without_andn;
use culet_sbox::{MAX_INPUTS, MAX_OUTPUTS, TableSpec};
use culet_types::program::{Atom, BinaryOperator, Expr, ExprKind, Shape, ShiftOperator, Slicing};

use crate::bits::Bit;
use crate::builder::Builder;
use crate::pieces::{piece_type, pieces};
use crate::table;
use crate::widths::in_lane;

/// Whether registers of slices can look up entries of this shape: the bits of the position select between all bits of
/// the entries, where they lie.
pub(crate) fn fits_slices(entry: &Shape, index: &Expr) -> bool {
    let is_bits = |atom: Atom| atom.bits == 1 || atom.slicing == Slicing::Bitslice;
    let are_alike = |entry: Atom, index: Atom| in_lane(entry) == in_lane(index) || is_bits(entry) && is_bits(index);
    index.shape.atoms().all(|index| entry.atoms().all(|atom| are_alike(atom, index)))
}

/// The number of low bits of a position that may be set; the others are zero, as far as the expression shows.
fn reach(index: &Expr) -> u32 {
    let bits = index.shape.atoms().map(|atom| atom.bits).sum();
    match &index.kind {
        ExprKind::Constant(values) => values.iter().map(|value| 64 - value.leading_zeros()).sum(),
        ExprKind::Binary { operator: BinaryOperator::And, left, right } => reach(left).min(reach(right)),
        ExprKind::Shift { operator: ShiftOperator::Right, amount, .. } => bits - amount,
        _ => bits,
    }
}

impl Builder {
    /// The entry of a table, of as many pieces as `atoms`, at a secret position; zeros beyond the table's end. The
    /// program computes one instance at a time.
    pub(crate) fn lookup(&mut self, atoms: &[Atom], table: &[Value], position: &Expr, index: Value) -> Vec<Value> {
        let whole = self.func.ty(index).bits();
        let bits = reach(position).min(whole);
        if bits == 0 {
            return table[..atoms.len()].to_vec();
        }
        let low: Vec<Bit> = (0..bits).map(|bit| Some((index, bit))).collect();
        let index = self.gather(&low);
        let reached = table.len().min(1usize.checked_shl(bits).map_or(usize::MAX, |n| n.saturating_mul(atoms.len())));
        let table = &table[..reached];
        let mut chosen = Vec::new();
        for (piece, &atom) in atoms.iter().enumerate() {
            let mut entries: Vec<Value> = table.chunks(atoms.len()).map(|entry| entry[piece]).collect();
            if atom.field().is_some() {
                let ty = piece_type(atom);
                entries.insert(0, index);
                chosen.push(self.op(Op::Field(FieldOp::Lookup), &entries, ty));
                continue;
            }
            let zero = self.zero(piece_type(atom));
            for bit in 0..bits {
                let condition = self.gather(&[Some((index, bit))]);
                let halves = entries.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or(zero)));
                let halves: Vec<(Value, Value)> = halves.collect();
                entries =
                    halves.into_iter().flat_map(|(low, high)| self.select_pieces(condition, &[high], &[low])).collect();
            }
            chosen.extend(entries);
        }
        chosen
    }

    /// As [`Self::lookup`], on slices. A table of constants becomes a circuit, where bits lie apart.
    pub(crate) fn sliced_lookup(
        &mut self,
        entry: &Shape,
        table: &[Value],
        index: &Expr,
        position: &[Value],
        target: Target,
    ) -> Vec<Value> {
        let Some(atom) = index.shape.atoms().next() else { return Vec::new() };
        let size: usize = entry.atoms().map(|atom| pieces(atom) as usize).sum();
        let bits = reach(index).min(atom.bits);
        if let Some(spec) = self.known_table(table, size, bits) {
            let inputs = &position[position.len() - bits as usize..];
            let mut circuit = culet_sbox::circuit(&spec).expect("a table of at most as many bits as there may be");
            if !target.has_andn() {
                circuit = Arc::new(without_andn(&circuit));
            }
            return table::gates(self, piece_type(Atom { bits: 1, ..atom }), inputs, &circuit);
        }
        let masks: Vec<Value> = (0..bits).map(|bit| self.bitmask_atom(atom, bit, position)[0]).collect();
        let column = |piece: usize| table.iter().copied().skip(piece).step_by(size).collect::<Vec<Value>>();
        (0..size).map(|piece| self.halved(column(piece), &masks)).collect()
    }

    /// The entry that the bits of a position choose, the lowest first, each of which is a mask.
    fn halved(&mut self, mut entries: Vec<Value>, masks: &[Value]) -> Value {
        for &mask in masks {
            let halves = entries.chunks(2).map(|pair| (pair[0], pair.get(1).copied())).collect::<Vec<_>>();
            entries.clear();
            for (low, high) in halves {
                entries.push(match high {
                    None => self.same(Op::Andn, &[low, mask]),
                    Some(high) => {
                        let differ = self.same(Op::Xor, &[low, high]);
                        let taken = self.same(Op::And, &[mask, differ]);
                        self.same(Op::Xor, &[low, taken])
                    }
                });
            }
        }
        entries[0]
    }

    /// The function from the low bits of a position to an entry's pieces, if these are bits that are constants.
    fn known_table(&self, table: &[Value], size: usize, bits: u32) -> Option<TableSpec> {
        if !(1..=MAX_INPUTS).contains(&bits) || size == 0 || size > MAX_OUTPUTS as usize {
            return None;
        }
        let known: Vec<bool> = table.iter().map(|&piece| self.known_bit(piece)).collect::<Option<_>>()?;
        let mut values: Vec<u64> =
            known.chunks(size).map(|entry| entry.iter().fold(0, |value, &bit| 2 * value + u64::from(bit))).collect();
        values.resize(1 << bits, 0);
        Some(TableSpec { inputs: bits, outputs: size as u32, values })
    }
}
