//! The layout of the bits of a kernel's parameters in memory: no other place knows it.
//!
//! There are two forms of every parameter and result of an entry node, and this file defines both as bijections.
//!
//! - **Bytes**: the form that users see. One instance is a string of bytes ([`byte_position`]); instances follow one
//!   another, each padded with zero bits to whole bytes.
//! - **Registers**: the form that a sliced kernel computes on ([`Layout::register_position`]).
//!
//! With registers of `R` bits, words of `m` bits and one *group* of instances per register, an atom is held as follows:
//!
//! | slicing | registers an atom | instances a register | bit `b` (0 is the most significant) of instance `s` |
//! |---|---|---|---|
//! | V | 1 | `R / lane` | bit `s·lane + m - 1 - b` |
//! | B | `m` | `R` | register `b`, bit `s` |
//! | H | 1 | `R / m` | bit `s mod e` of element `b` of part `s / e`; a part has `min(R, 128)` bits, `e = part / m` |
//!
//! where bits of a register are counted from its least significant, and `lane` is the width of the program's widest
//! vertical atom, rounded up to 8, 16, 32 or 64 unless it is 1. Plain words (`R ≤ 64`) hold one vertical instance:
//! there `R` is the lane, unless the lane is 1 or the layout is [packed](Layout::packed). All bits of a register that
//! hold nothing are zero.
//!
//! Interleaving by `k` handles `k` groups: group `g` holds instances `g·n` to `g·n + n - 1`, and has registers of its
//! own. A `const` parameter is one value for all instances: every instance's bits hold it, and all groups share its
//! registers.

pub mod text;

use culet_diag::Span;
use culet_types::program::{Atom, Body, ByteOrder, Expr, ExprKind, NodeId, Program, Slicing, Step, Ty, Var};

/// The parameters that fix a kernel's layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Bits of a register.
    pub register_bits: u32,
    /// Bits between neighbouring instances in a vertical register.
    pub lane_bits: u32,
    /// Instances a register holds.
    pub instances_per_group: u32,
    /// Number of groups that one call handles.
    pub groups: u32,
}

/// Position of one bit of one instance in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterPosition {
    pub group: u32,
    /// Index into the registers of the parameter in that group.
    pub register: u32,
    /// Number of the bit, from the least significant.
    pub bit: u32,
}

/// The reason that a program cannot be laid out in registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// Instances of these two variables are not spaced alike, so that no number of instances fills the registers of
    /// both.
    Mixed { first: Spacing, second: Spacing },
    /// An H atom's bits do not divide a register.
    UnevenElements { name: String, bits: u32, span: Span },
    /// This variable holds elements of a field, whose limbs are not decided here.
    Elements { name: String, span: Span },
}

/// Number of bits of each register that one instance of a variable takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spacing {
    pub name: String,
    pub bits: u32,
    pub span: Span,
}

impl Layout {
    /// The layout of a program's entry in registers of `register_bits` bits (32, 64, 128, 256 or 512). On plain words
    /// (32 and 64), a vertical kernel has registers as wide as its lane, with one instance each.
    pub fn new(program: &Program, register_bits: u32, groups: u32) -> Result<Layout, LayoutError> {
        let lane_bits = lane_bits(program);
        let register_bits = if register_bits <= 64 && lane_bits > 1 { lane_bits } else { register_bits };
        Layout::packed(program, register_bits, groups)
    }

    /// As [`Layout::new`], but on plain words, too, a register holds as many instances as fit.
    pub fn packed(program: &Program, register_bits: u32, groups: u32) -> Result<Layout, LayoutError> {
        let vars: Vec<&Var> = reachable(program).into_iter().flat_map(|id| &program.node(id).vars).collect();
        let lane_bits = lane_bits(program);
        let register_bits = register_bits.max(lane_bits);
        let spacing = common_spacing(&vars, lane_bits, part_bits(register_bits))?;
        assert!(register_bits.is_multiple_of(spacing), "registers hold a whole number of instances");
        Ok(Layout { register_bits, lane_bits, instances_per_group: register_bits / spacing, groups })
    }

    /// Number of instances that a call handles.
    pub fn instances(&self) -> u32 {
        self.instances_per_group * self.groups
    }

    /// Number of registers that a value of this type takes in one group.
    pub fn registers(&self, ty: &Ty) -> u32 {
        ty.atoms() * registers_per_atom(ty.atom)
    }

    /// Number of groups that have registers of their own for a parameter.
    pub fn own_groups(&self, shared: bool) -> u32 {
        if shared { 1 } else { self.groups }
    }

    /// The position of bit `bit` (0 is the most significant) of atom `atom` of `instance`.
    pub fn register_position(&self, ty: &Ty, instance: u32, atom: u32, bit: u32) -> RegisterPosition {
        let Atom { slicing, bits } = ty.atom;
        let group = instance / self.instances_per_group;
        let s = instance % self.instances_per_group;
        let (register, position) = match slicing {
            Slicing::Vertical => (atom, s * self.lane_bits + bits - 1 - bit),
            Slicing::Bitslice => (atom * bits + bit, s),
            Slicing::Horizontal => {
                let part = part_bits(self.register_bits);
                let element = part / bits;
                (atom, s / element * part + bit * element + s % element)
            }
            Slicing::Limbs(_) => unreachable!("there is no layout of a program with elements of fields"),
        };
        RegisterPosition { group, register, bit: position }
    }
}

/// Bits of a part of a register; shuffles of bytes work within parts.
fn part_bits(register_bits: u32) -> u32 {
    register_bits.min(128)
}

/// Bits of a register that each instance takes: the same for all variables.
fn common_spacing(vars: &[&Var], lane_bits: u32, part_bits: u32) -> Result<u32, LayoutError> {
    let mut first: Option<Spacing> = None;
    for var in vars {
        let Atom { slicing, bits } = var.ty.atom;
        let bits = match slicing {
            Slicing::Vertical => lane_bits,
            Slicing::Bitslice => 1,
            Slicing::Horizontal if part_bits.is_multiple_of(bits) => bits,
            Slicing::Horizontal => {
                return Err(LayoutError::UnevenElements { name: var.name.clone(), bits, span: var.span });
            }
            Slicing::Limbs(_) => return Err(LayoutError::Elements { name: var.name.clone(), span: var.span }),
        };
        let spacing = Spacing { name: var.name.clone(), bits, span: var.span };
        match &first {
            None => first = Some(spacing),
            Some(first) if first.bits == bits => {}
            Some(first) => return Err(LayoutError::Mixed { first: first.clone(), second: spacing }),
        }
    }
    Ok(first.map_or(1, |spacing| spacing.bits))
}

/// The nodes that the entry needs, callees before callers.
pub fn reachable(program: &Program) -> Vec<NodeId> {
    let mut needed = vec![false; program.nodes.len()];
    needed[program.entry.0 as usize] = true;
    for (index, node) in program.nodes.iter().enumerate().rev() {
        if let (true, Body::Steps(steps)) = (needed[index], &node.body) {
            mark_callees(steps, &mut needed);
        }
    }
    (0..program.nodes.len()).filter(|&index| needed[index]).map(|index| NodeId(index as u32)).collect()
}

fn mark_callees(steps: &[Step], needed: &mut [bool]) {
    for step in steps {
        let mut waiting = match step {
            Step::Loop(l) => {
                mark_callees(&l.steps, needed);
                continue;
            }
            Step::Assign(assign) => vec![&assign.value],
        };
        while let Some(Expr { kind, .. }) = waiting.pop() {
            if let ExprKind::Call { node, .. } = kind {
                needed[node.0 as usize] = true;
            }
            kind.for_each_operand(&mut |operand| waiting.push(operand));
        }
    }
}

/// Bits of a vertical lane: the widest vertical atom of the program, rounded up to a machine word; 1 if all have one
/// bit.
fn lane_bits(program: &Program) -> u32 {
    let vars = reachable(program).into_iter().flat_map(|id| &program.node(id).vars);
    let vertical = vars.map(|var| var.ty.atom).filter(|atom| atom.slicing == Slicing::Vertical);
    match vertical.map(|atom| atom.bits).max() {
        None | Some(1) => 1,
        Some(bits) => bits.next_power_of_two().max(8),
    }
}

/// Number of registers of an atom: a bitsliced atom has a register for each bit.
pub fn registers_per_atom(atom: Atom) -> u32 {
    if atom.slicing == Slicing::Bitslice { atom.bits } else { 1 }
}

/// Bytes of one instance. Each element of a field has whole bytes of its own.
pub fn byte_length(ty: &Ty) -> u64 {
    match ty.atom.field() {
        Some(_) => u64::from(ty.atoms()) * u64::from(ty.atom.bits.div_ceil(8)),
        None => ty.bits().div_ceil(8),
    }
}

/// The position of bit `bit` (0 is the most significant) of atom `atom` in the bytes of its instance: the byte's index,
/// and the bit counted from the byte's least significant.
pub fn byte_position(ty: &Ty, order: ByteOrder, atom: u32, bit: u32) -> (u32, u32) {
    let m = ty.atom.bits;
    if ty.atom.field().is_some() {
        let (bytes, place) = (m.div_ceil(8), m - 1 - bit);
        let byte = if order == ByteOrder::Big { bytes - 1 - place / 8 } else { place / 8 };
        return (atom * bytes + byte, place % 8);
    }
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
