//! Descriptions of a layout, for the headers of kernels and the verdicts of proofs. Bits of a register are counted from
//! its least significant, bits of an atom from its most significant, blocks (instances) from the first.

use culet_diag::counted;
use culet_types::program::{ByteOrder, Slicing, Ty};

use super::{Layout, part_bits};

/// Description of the places of a block's atoms in its bytes.
pub fn bytes(ty: &Ty, order: ByteOrder) -> String {
    let m = ty.atom.bits;
    let bits = counted(m, "bit");
    let each = if ty.atoms() == 1 { format!("one word of {bits},") } else { format!("words of {bits} in turn, each") };
    match order {
        ByteOrder::Planes => {
            let planes = ty.dims.last().copied().unwrap_or(1);
            format!("bit b of {planes} atoms in turn for b = 0, 1, …, {}; then the next {planes} atoms", m - 1)
        }
        _ if m == 8 => "in order".to_owned(),
        ByteOrder::Little if m > 8 && m.is_multiple_of(8) => format!("{each} least significant byte first"),
        _ if m > 8 && m.is_multiple_of(8) => format!("{each} most significant byte first"),
        _ if m == 1 => "bit after bit, the first the most significant of its byte".to_owned(),
        _ => format!("words of {bits} in turn, most significant bits first"),
    }
}

/// Description of the places of blocks' atoms in the registers of one group.
pub fn registers(ty: &Ty, layout: &Layout) -> String {
    let m = ty.atom.bits;
    match ty.atom.slicing {
        Slicing::Vertical if layout.instances_per_group == 1 => "register a is atom a".to_owned(),
        Slicing::Vertical => {
            let lane = counted(layout.lane_bits, "bit");
            format!("atom a of block s is lane s (of {lane}, least significant first) of register a")
        }
        Slicing::Bitslice if m == 1 => "atom a of block s is bit s of register a".to_owned(),
        Slicing::Bitslice => format!("bit b of atom a of block s is bit s of register {m} a + b"),
        Slicing::Horizontal => {
            let part = part_bits(layout.register_bits);
            let e = part / m;
            format!("bit b of atom a of block s is bit {part} (s / {e}) + {e} b + s mod {e} of register a")
        }
        Slicing::Limbs(_) => "atom a of block s is in the limbs of its field's representation".to_owned(),
    }
}

/// Description of the places of the groups of a parameter or result, if it has several.
pub fn groups(ty: &Ty, layout: &Layout, shared: bool) -> Option<String> {
    let (registers, blocks) = (layout.registers(ty), layout.instances_per_group);
    (layout.own_groups(shared) > 1)
        .then(|| format!("in group g, registers count from {registers} g and blocks from {blocks} g on"))
}
