//! The pieces of an atom.

use culet_ir::{Type, Value, W1};
use culet_types::program::{Atom, Shape, Slicing, Ty};

use crate::elements::element;

/// Number of values that hold an atom.
pub(crate) fn pieces(atom: Atom) -> u32 {
    if atom.slicing == Slicing::Bitslice { atom.bits } else { 1 }
}

/// The type of each of an atom's pieces.
pub(crate) fn piece_type(atom: Atom) -> Type {
    match atom {
        Atom { bits: 1, .. } | Atom { slicing: Slicing::Bitslice, .. } => W1,
        Atom { slicing: Slicing::Vertical, bits } => Type::Word(bits as u8),
        Atom { slicing: Slicing::Horizontal, bits } => Type::Vector { lanes: bits as u8, bits: 1 },
        Atom { slicing: Slicing::Limbs(field), .. } => element(field),
    }
}

/// The number of pieces of a variable.
pub(crate) fn length(ty: &Ty) -> u32 {
    pieces(ty.atom) * ty.atoms()
}

/// The types of all pieces of a value.
pub(crate) fn types(shape: &Shape) -> Vec<Type> {
    shape.atoms().flat_map(|atom| std::iter::repeat_n(piece_type(atom), pieces(atom) as usize)).collect()
}

/// The pieces of a value, atom by atom.
pub(crate) fn by_atom<'v>(shape: &'v Shape, mut values: &'v [Value]) -> impl Iterator<Item = &'v [Value]> {
    shape.atoms().map(move |atom| {
        let (piece, rest) = values.split_at(pieces(atom) as usize);
        values = rest;
        piece
    })
}

/// A constant's pieces, each with one value a lane.
pub(crate) fn constant(atom: Atom, value: u64) -> Vec<Box<[u64]>> {
    let bit = |k: u32| value >> (atom.bits - 1 - k) & 1;
    match atom.slicing {
        Slicing::Vertical => vec![Box::new([value])],
        Slicing::Bitslice => (0..atom.bits).map(|k| Box::new([bit(k)]) as Box<[u64]>).collect(),
        Slicing::Horizontal => vec![(0..atom.bits).map(bit).collect()],
        Slicing::Limbs(_) => unreachable!("elements of fields have constants of their own"),
    }
}
