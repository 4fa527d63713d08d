//! What moves when a file is linked or loaded, and the bytes that say where to.

use std::ops::Range;

use culet_isa::x86_64::{Filled, Instruction};

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
    /// Four or eight bytes of code: the address.
    Absolute(Target, Extension),
    /// Not known here: the relocation, its symbol and place, and why.
    Unlinked(String),
}

/// How bytes of code make an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// Four bytes, above which it is zero.
    Zero,
    /// Four bytes, above which are copies of their top bit.
    Sign,
    /// Eight bytes.
    None,
}

/// An address that moves with an anchor, which it may lie beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// By its number; none if the address is what it is here.
    pub anchor: Option<usize>,
    pub address: u64,
}

impl Image {
    /// What moves, each apart from the others.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// The anchor of what lies at an address.
    pub fn anchor(&self, address: u64) -> Option<usize> {
        let (_, &anchor) = self.anchors_by_start.range(..=address).next_back()?;
        self.anchors[anchor].range.contains(&address).then_some(anchor)
    }

    /// The anchor with which the address moves that an instruction gives as a distance from itself.
    pub fn displaced_anchor(&self, instruction: &Instruction) -> Option<usize> {
        let range = instruction.address()..instruction.next_address();
        let displaced = self.fields(range).find_map(|(_, field)| match field.meaning {
            Meaning::Displacement(target) => Some(target.anchor),
            _ => None,
        });
        displaced.unwrap_or_else(|| self.anchor(instruction.address()))
    }

    /// The address that the final link puts into a part of an instruction.
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

    /// Whether it is where the file says, as programs are that are not position-independent.
    pub fn is_fixed(&self) -> bool {
        self.segments.iter().all(|segment| self.anchor(segment.address).is_none())
    }

    /// The fields that have bytes in a range of addresses, with their own first addresses.
    pub fn fields(&self, range: Range<u64>) -> impl Iterator<Item = (u64, &Field)> {
        /// Bytes of the longest field.
        const LONGEST: u64 = 8;
        let near = self.fields.range(range.start.saturating_sub(LONGEST)..range.end.max(range.start));
        let near = near.filter(move |&(&start, field)| start.saturating_add(field.bytes) > range.start);
        near.map(|(&start, field)| (start, field))
    }

    /// Whether bytes are among those that the final link may change beside fields: of instructions that read slots, before the place.
    pub fn is_rewritten(&self, range: Range<u64>) -> bool {
        /// A prefix, an opcode and the operands' byte.
        const BEFORE: u64 = 3;
        let reaches = range.start.saturating_add(1)..range.end.saturating_add(BEFORE);
        !reaches.is_empty() && self.relaxed.range(reaches).next().is_some()
    }

    /// The anchor of all bytes.
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
    /// So many bytes on.
    pub(super) fn plus(self, bytes: i64) -> Target {
        Target { address: self.address.wrapping_add_signed(bytes), ..self }
    }
}

impl Anchor {
    /// Something that the file does not hold, at an address that is made up.
    pub(super) fn external(name: &str, address: u64) -> Anchor {
        Anchor { name: format!("`{name}`"), range: address..address + SPACING, alignment: 1 }
    }
}
