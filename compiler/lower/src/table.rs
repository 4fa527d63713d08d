//! Tables: a function over one bit position's values, called where the table is applied.

use std::sync::Arc;

use culet_ir::{Func, FuncId, Index, Op, SlotData, SlotKind, Target, Type, Value};
use culet_sbox::polarity::without_andn;
use culet_sbox::{Circuit, Gate, Signal, TableSpec};
use culet_types::program::{Node, Table};

use crate::builder::Builder;
use crate::pieces::{length, piece_type, pieces};

/// The circuit of a table. Its operands are words of any kind, all bits alike. Words of `bits` bits may lie in wider ones, whose other
/// bits are zero in operands and results.
pub(crate) fn function(node: &Node, table: &Table, name: String, target: Target, bits: u32) -> Func {
    let ty = piece_type(node.var(node.params[0]).ty.atom);
    let mut func = Func::new(name, &vec![ty; table.inputs as usize]);
    (func.inline, func.no_opt) = (node.inline, node.no_opt);
    let spec = TableSpec { inputs: table.inputs, outputs: table.outputs, values: table.values.clone() };
    let mut circuit = culet_sbox::circuit(&spec).expect("the elaborator has checked the table");
    if !target.has_andn() {
        circuit = Arc::new(without_andn(&circuit));
    }
    let inputs = func.region(func.body).params.clone();
    let mut builder = Builder::new(func);
    let mut outputs = gates(&mut builder, ty, &inputs, &circuit);
    if bits < ty.bits() {
        let mask = builder.constant(ty, vec![u64::MAX >> (64 - bits); ty.lanes() as usize].into());
        outputs = outputs.into_iter().map(|output| builder.same(Op::And, &[output, mask])).collect();
    }
    let body = builder.func.body;
    builder.func.region_mut(body).results = outputs;
    builder.func
}

/// The outputs of a circuit.
pub(crate) fn gates(builder: &mut Builder, ty: Type, inputs: &[Value], circuit: &Circuit) -> Vec<Value> {
    let mut gates: Vec<Value> = Vec::with_capacity(circuit.gates.len());
    for &gate in &circuit.gates {
        let mut value = |signal| self::signal(builder, ty, inputs, &gates, signal);
        let (op, args) = match gate {
            Gate::And(a, b) => (Op::And, vec![value(a), value(b)]),
            Gate::Or(a, b) => (Op::Or, vec![value(a), value(b)]),
            Gate::Xor(a, b) => (Op::Xor, vec![value(a), value(b)]),
            Gate::Andn(a, b) => (Op::Andn, vec![value(a), value(b)]),
            Gate::Not(a) => (Op::Not, vec![value(a)]),
        };
        gates.push(builder.same(op, &args));
    }
    circuit.outputs.iter().map(|&output| signal(builder, ty, inputs, &gates, output)).collect()
}

fn signal(builder: &mut Builder, ty: Type, inputs: &[Value], gates: &[Value], signal: Signal) -> Value {
    match signal {
        Signal::Zero => builder.zero(ty),
        Signal::One => {
            let ones = u64::MAX >> (64 - ty.bits());
            builder.constant(ty, vec![ones; ty.lanes() as usize].into())
        }
        Signal::Input(input) => inputs[input as usize],
        Signal::Gate(gate) => gates[gate as usize],
    }
}

/// Applies a table's function to atoms of `width` pieces, one call a piece.
pub(crate) fn apply(builder: &mut Builder, callee: FuncId, table: &Table, width: u32, pieces: &[Value]) -> Vec<Value> {
    let (width, outputs) = (width as usize, table.outputs as usize);
    let types = vec![builder.func.ty(pieces[0]); outputs];
    let columns: Vec<Vec<Value>> = (0..width)
        .map(|position| {
            let args = pieces.iter().copied().skip(position).step_by(width).collect();
            builder.call(callee, args, &types)
        })
        .collect();
    (0..outputs * width).map(|piece| columns[piece % width][piece / width]).collect()
}

/// An entry that is nothing but a table.
pub(crate) fn entry(node: &Node, table: &Table, circuit: FuncId) -> Func {
    let mut func = Func::new(node.symbol.clone(), &[]);
    func.interleave = node.interleave;
    let mut builder = Builder::new(func);
    let mut slot = |var, kind| {
        let var = node.var(var);
        let (element, length) = (piece_type(var.ty.atom), length(&var.ty));
        let slot = builder.func.add_slot(SlotData { name: var.name.clone(), kind, element, length, group: 0 });
        (slot, length)
    };
    let inputs: Vec<_> =
        node.params.iter().map(|&id| slot(id, SlotKind::Input { shared: node.var(id).shared })).collect();
    let outputs: Vec<_> = node.returns.iter().map(|&id| slot(id, SlotKind::Output)).collect();
    let places = |slots: &[(culet_ir::Slot, u32)]| -> Vec<_> {
        slots.iter().flat_map(|&(slot, length)| (0..length).map(move |k| (slot, Index::constant(k.into())))).collect()
    };
    let pieces_in: Vec<Value> = places(&inputs).into_iter().map(|(slot, index)| builder.load(slot, index)).collect();
    let width = pieces(node.var(node.params[0]).ty.atom);
    let results = apply(&mut builder, circuit, table, width, &pieces_in);
    for ((slot, index), value) in places(&outputs).into_iter().zip(results) {
        builder.store(slot, index, value);
    }
    builder.func
}
