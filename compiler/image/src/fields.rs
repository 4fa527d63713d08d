//! Parts that move when a file is linked or loaded, and the bytes that say where to.

use std::ops::Range;

use culet_isa::x86_64::{Filled, Instruction};

use object::elf;

use super::{Anchor, Image, PAGE, SPACING};

/// Bytes that the final link or the loader fills in.
#[derive(Debug, Clone)]
pub struct Field {
    pub bytes: u64,
    pub meaning: Meaning,
}

#[derive(Debug, Clone)]
pub enum Meaning {
    /// Eight bytes of data: the address.
    Address(Target),
    /// Four bytes of code: the distance from the next instruction.
    Displacement(Target),
    /// Four bytes of a call or jump: the distance from the next instruction, or that of code that jumps there.
    Branch(Target),
    /// Four or eight bytes of code: the address.
    Absolute(Target, Extension),
    /// Not known here: the relocation, its symbol and place, and why.
    Unlinked(String),
}

/// Bytes that the final link may change around those that it fills in.
#[derive(Debug, Clone)]
pub struct Rewritten {
    pub range: Range<u64>,
    pub change: Change,
}

/// Change of such bytes.
#[derive(Debug, Clone)]
pub enum Change {
    /// An instruction that does the same without the slot, if the bytes before the field are as this reader has them.
    Same(Reader),
    /// Not known here: the relocation, its symbol and place, and why.
    Unlinked(String),
}

/// The instruction that linkers take to be around a field which leads to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Any instruction; `mov` is changed.
    Any,
    /// An instruction with an opcode of one byte.
    Plain,
    /// An instruction with an opcode of one byte after a REX prefix.
    Rex,
}

/// Extension of bytes of code to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// Four bytes, extended by zeros.
    Zero,
    /// Four bytes, extended by copies of their top bit.
    Sign,
    /// Eight bytes.
    None,
}

/// An address that moves with an anchor, which it may lie beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// Number of the anchor; `None` if the address does not move.
    pub anchor: Option<usize>,
    pub address: u64,
}

/// Maximum number of bytes that are changed on either side of the first byte of a field.
const REACH: u64 = 32;

impl Reader {
    /// Returns the number of bytes before a field that linkers look at and change.
    pub fn before(self) -> u64 {
        if self == Reader::Rex { 3 } else { 2 }
    }

    /// Whether an instruction in which a field begins at byte `at` stays what it is.
    pub fn is_kept(self, code: &[u8], at: u64) -> bool {
        const MOV: u8 = 0x8b;
        const BRANCH: u8 = 0xff;
        /// `add`, `or`, `adc`, `sbb`, `and`, `sub`, `xor`, `cmp`, `test` and `mov`: no others are written with the
        /// address in them.
        const KNOWN: [u8; 10] = [0x03, 0x0b, 0x13, 0x1b, 0x23, 0x2b, 0x33, 0x3b, 0x85, MOV];
        let before = usize::try_from(at).ok().and_then(|at| code.get(..at)).unwrap_or_default();
        let Some((prefixes, &[opcode, operands])) = before.split_last_chunk() else { return false };
        // The operands are a register and an address that is given by its distance.
        let is_relative = operands & 0xc7 == 0x05;
        let is_known = is_relative && KNOWN.contains(&opcode);
        match self {
            Reader::Any => opcode != MOV || is_relative && matches!(prefixes, [] | [0x40..=0x4f]),
            // Calls and jumps may have a prefix, such as the one that says that they go anywhere.
            Reader::Plain if opcode == BRANCH => {
                matches!(operands, 0x15 | 0x25) && matches!(prefixes, [] | [0xf2] | [0x3e])
            }
            Reader::Plain => is_known && prefixes.is_empty(),
            Reader::Rex => is_known && matches!(prefixes, [0x40..=0x4f]),
        }
    }
}

/// Returns how many bytes the final link may change before the first byte that a relocation fills in, and how many from
/// that byte on. For threads' variables it puts other instructions in place of one, or of one and the call that comes
/// `next`.
pub(super) fn reach(r_type: u32, next: &[u8]) -> Option<(u64, u64)> {
    let is_far_call = next.starts_with(&[0x48, 0xb8]);
    Some(match r_type {
        // `lea`, with a prefix or without, and the call: one instruction, with prefixes or without, or three.
        elf::R_X86_64_TLSGD => (4, if is_far_call { 19 } else { 12 }),
        elf::R_X86_64_TLSLD => (3, if is_far_call { 19 } else { 10 }),
        elf::R_X86_64_GOTTPOFF | elf::R_X86_64_GOTPC32_TLSDESC => (3, 4),
        elf::R_X86_64_TLSDESC_CALL => (0, 3),
        elf::R_X86_64_NONE..=elf::R_X86_64_TLSDESC => return None,
        // Relocations of longer instructions, and unknown ones.
        _ => (REACH / 2, REACH),
    })
}

impl Image {
    /// Returns the parts that move, each apart from the others.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Returns the anchor of the part that holds an address.
    pub fn anchor(&self, address: u64) -> Option<usize> {
        let (_, &anchor) = self.anchors_by_start.range(..=address).next_back()?;
        self.anchors[anchor].range.contains(&address).then_some(anchor)
    }

    /// Returns the anchor with which the address moves that an instruction gives as a distance from itself.
    pub fn displaced_anchor(&self, instruction: &Instruction) -> Option<usize> {
        let range = instruction.address()..instruction.next_address();
        let displaced = self.fields(range).find_map(|(_, field)| match field.meaning {
            Meaning::Displacement(target) | Meaning::Branch(target) => Some(target.anchor),
            _ => None,
        });
        displaced.unwrap_or_else(|| self.anchor(instruction.address()))
    }

    /// Returns the address that the final link puts into a part of an instruction.
    pub fn linked_address(&self, instruction: &Instruction, filled: Filled) -> Option<Target> {
        let range = instruction.address()..instruction.next_address();
        self.fields(range).find_map(|(start, field)| {
            let Meaning::Absolute(target, extension) = field.meaning else { return None };
            // Immediates come last.
            let is_immediate = instruction.has_immediate() && start + field.bytes == instruction.next_address();
            let is_meant = match filled {
                Filled::Displacement => !is_immediate,
                Filled::Immediate => is_immediate,
                Filled::WholeImmediate => is_immediate && extension == Extension::Zero,
            };
            is_meant.then_some(target)
        })
    }

    /// Whether the image is where the file says, as programs are that are not position-independent.
    pub fn is_fixed(&self) -> bool {
        self.segments.iter().all(|segment| self.anchor(segment.address).is_none())
    }

    /// Returns the fields that have bytes in a range of addresses, with their own first addresses.
    pub fn fields(&self, range: Range<u64>) -> impl Iterator<Item = (u64, &Field)> {
        /// Bytes of the longest field.
        const LONGEST: u64 = 8;
        let near = self.fields.range(range.start.saturating_sub(LONGEST)..range.end.max(range.start));
        let near = near.filter(move |&(&start, field)| start.saturating_add(field.bytes) > range.start);
        near.map(|(&start, field)| (start, field))
    }

    /// Returns the changes around fields that the final link may make to bytes in a range of addresses, by the field's
    /// first address.
    pub fn rewritten(&self, range: Range<u64>) -> impl Iterator<Item = (u64, &Rewritten)> {
        let near = range.start.saturating_sub(REACH)..range.end.saturating_add(REACH);
        let near = self.rewritten.range(near).map(|(&place, rewritten)| (place, rewritten));
        near.filter(move |(_, one)| one.range.start < range.end && one.range.end > range.start)
    }

    /// Whether the final link may change some of these bytes around fields.
    pub fn is_rewritten(&self, range: Range<u64>) -> bool {
        self.rewritten(range).next().is_some()
    }

    /// Returns the anchor of all bytes.
    pub(super) fn whole(&self) -> Option<Anchor> {
        let start = self.segments.iter().map(|segment| segment.address).min()? / PAGE * PAGE;
        let end = self.segments.iter().map(|segment| segment.end()).max()?;
        Some(Anchor { name: "the image".to_owned(), range: start..end, alignment: PAGE })
    }

    pub(super) fn anchored(mut self, anchors: Vec<Anchor>) -> Image {
        self.anchors_by_start =
            anchors.iter().enumerate().map(|(number, anchor)| (anchor.range.start, number)).collect();
        self.anchors = anchors;
        self
    }
}

impl Target {
    /// Returns the target that is `bytes` bytes further on.
    pub(super) fn plus(self, bytes: i64) -> Target {
        Target { address: self.address.wrapping_add_signed(bytes), ..self }
    }
}

impl Anchor {
    /// Returns the anchor of something that the file does not hold, at a made-up address.
    pub(super) fn external(name: &str, address: u64) -> Anchor {
        Anchor { name: format!("`{name}`"), range: address..address + SPACING, alignment: 1 }
    }
}
