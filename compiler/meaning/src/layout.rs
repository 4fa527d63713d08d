//! How memory holds the bits of a kernel's parameters: the one place that knows.
//!
//! There are two forms of every parameter and result of an entry node, and this file defines both as bijections.
//!
//! - **Bytes**: what users see. One instance is a string of bytes ([`byte_position`]); instances follow one another,
//!   each padded with zero bits to whole bytes.
//! - **Registers**: what a sliced kernel computes on ([`Layout::register_position`]).
//!
//! With registers of `R` bits, words of `m` bits and one *group* of instances a register, an atom is held so:
//!
//! | slicing | registers an atom | instances a register | bit `b` (0 is the most significant) of instance `s` |
//! |---|---|---|---|
//! | V | 1 | `R / lane` | bit `s·lane + m - 1 - b` |
//! | B | `m` | `R` | register `b`, bit `s` |
//! | H | 1 | `R / m` | element `b` of 128-bit part `s / e`, its bit `s mod e`, where `e = min(R, 128) / m` |
//!
//! where bits of a register are counted from its least significant and `lane` is the width of the kernel's widest
//! vertical atom. Interleaving by `k` handles `k` groups: group `g` holds instances `g·n` to `g·n + n - 1`, and has
//! registers of its own, except for `const` parameters, whose registers all groups share.

use culet_types::program::{Atom, ByteOrder, Node, Slicing, Ty, VarId};

/// The parameters that fix a kernel's layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Bits of a register: 32, 64, 128, 256 or 512; on plain words, V uses registers as wide as the lane.
    pub register_bits: u32,
    /// Bits between neighbouring instances in a vertical register.
    pub lane_bits: u32,
    /// Instances a register holds.
    pub instances_per_group: u32,
    /// How many groups one call handles.
    pub groups: u32,
}

/// Where one bit of one instance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterPosition {
    pub group: u32,
    /// Index into the registers of the parameter in that group.
    pub register: u32,
    /// From the least significant.
    pub bit: u32,
}

/// Why a node cannot be laid out in these registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// Atoms of the entry's parameters allow different numbers of instances a register.
    MixedInstances { first: (String, u32), second: (String, u32) },
    /// An H atom's bits do not divide the 128-bit (or narrower) part of a register.
    UnevenElements { name: String, bits: u32 },
}

impl Layout {
    /// The layout of `node` in registers of `register_bits` bits.
    pub fn new(node: &Node, register_bits: u32, groups: u32) -> Result<Layout, LayoutError> {
        let vars = || node.params.iter().chain(&node.returns).map(|&id| node.var(id));
        let lane_bits =
            vars().filter(|v| v.ty.atom.slicing == Slicing::Vertical).map(|v| v.ty.atom.bits).max().unwrap_or(1);
        let mut first: Option<(&str, u32)> = None;
        for var in vars() {
            let Atom { slicing, bits } = var.ty.atom;
            let part = register_bits.min(128);
            let instances = match slicing {
                Slicing::Vertical => register_bits / lane_bits,
                Slicing::Bitslice => register_bits,
                Slicing::Horizontal if part.is_multiple_of(bits) => register_bits / bits,
                Slicing::Horizontal => {
                    return Err(LayoutError::UnevenElements { name: var.name.clone(), bits });
                }
            };
            match first {
                Some((name, n)) if n != instances => {
                    return Err(LayoutError::MixedInstances {
                        first: (name.to_owned(), n),
                        second: (var.name.clone(), instances),
                    });
                }
                _ => first = Some((&var.name, instances)),
            }
        }
        let instances_per_group = first.map_or(1, |(_, n)| n);
        Ok(Layout { register_bits, lane_bits, instances_per_group, groups })
    }

    /// Instances a call handles.
    pub fn instances(&self) -> u32 {
        self.instances_per_group * self.groups
    }

    /// Registers that a value of this type takes in one group.
    pub fn registers(&self, ty: &Ty) -> u32 {
        ty.atoms() * registers_per_atom(ty.atom)
    }

    /// Where bit `bit` (0 is the most significant) of atom `atom` of `instance` is.
    pub fn register_position(&self, ty: &Ty, instance: u32, atom: u32, bit: u32) -> RegisterPosition {
        let Atom { slicing, bits } = ty.atom;
        let group = instance / self.instances_per_group;
        let s = instance % self.instances_per_group;
        let (register, position) = match slicing {
            Slicing::Vertical => (atom, s * self.lane_bits + bits - 1 - bit),
            Slicing::Bitslice => (atom * bits + bit, s),
            Slicing::Horizontal => {
                let part = self.register_bits.min(128);
                let element = part / bits;
                (atom, s / element * part + bit * element + s % element)
            }
        };
        RegisterPosition { group, register, bit: position }
    }
}

/// A bitsliced atom has a register for each bit.
pub fn registers_per_atom(atom: Atom) -> u32 {
    if atom.slicing == Slicing::Bitslice { atom.bits } else { 1 }
}

/// Bytes of one instance.
pub fn byte_length(ty: &Ty) -> u64 {
    ty.bits().div_ceil(8)
}

/// Where bit `bit` (0 is the most significant) of atom `atom` is in the bytes of its instance: the byte's index, and the
/// bit counted from the byte's least significant.
pub fn byte_position(ty: &Ty, order: ByteOrder, atom: u32, bit: u32) -> (u32, u32) {
    let m = ty.atom.bits;
    // The position in the string of bits, each byte most significant bit first.
    let position = match order {
        ByteOrder::Little if m.is_multiple_of(8) => atom * m + (m / 8 - 1 - bit / 8) * 8 + bit % 8,
        ByteOrder::Little | ByteOrder::Big => atom * m + bit,
        ByteOrder::Planes => {
            let planes = ty.dims.last().copied().unwrap_or(1);
            (atom / planes) * planes * m + bit * planes + atom % planes
        }
    };
    (position / 8, 7 - position % 8)
}

/// The registers-and-bytes view of one parameter or result, for reports.
pub fn describe(node: &Node, id: VarId, layout: &Layout) -> String {
    let var = node.var(id);
    format!(
        "{}: {} atoms of {} bits, {} bytes an instance, {} registers of {} bits a group",
        var.name,
        var.ty.atoms(),
        var.ty.atom.bits,
        byte_length(&var.ty),
        layout.registers(&var.ty),
        layout.register_bits,
    )
}
