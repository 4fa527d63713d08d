//! Mergeable sections of objects: of equal entries the final link keeps one, anywhere, so that each moves by itself.

use std::collections::BTreeMap;
use std::ops::Range;

use object::{ObjectSection, SectionFlags, elf};

use super::link::{access, alignment};
use super::names::printable;
use super::{Access, ImageError, unreadable};

type Section<'data, 'file> = object::read::elf::ElfSection64<'data, 'file, object::Endianness>;

/// A section of constants of one size, or of strings.
pub(super) struct Mergeable {
    pub name: String,
    pub bytes: Vec<u8>,
    pub access: Access,
    /// The anchors of the entries that are used, by their distance from the section's start.
    pub placed: BTreeMap<u64, usize>,
    /// Of the section.
    alignment: u64,
    /// Of a constant, or of a character.
    entry_bytes: u64,
    is_strings: bool,
}

impl Mergeable {
    /// What is mergeable of a section; nothing if linkers leave it whole, as they do with relocations, or without whole entries.
    pub fn read(section: &Section) -> Result<Option<Mergeable>, ImageError> {
        let SectionFlags::Elf { sh_flags } = section.flags() else { return Ok(None) };
        let has = |flag: u32| sh_flags & u64::from(flag) != 0;
        let entry_bytes = section.elf_section_header().sh_entsize.get(object::Endianness::Little);
        let is_whole = entry_bytes == 0 || !section.size().is_multiple_of(entry_bytes);
        if !has(elf::SHF_MERGE) || is_whole || section.relocations().next().is_some() {
            return Ok(None);
        }
        Ok(Some(Mergeable {
            name: printable(section.name().unwrap_or("?")),
            bytes: section.uncompressed_data().map_err(unreadable)?.into_owned(),
            access: access(sh_flags),
            placed: BTreeMap::new(),
            alignment: alignment(section.align())?,
            entry_bytes,
            is_strings: has(elf::SHF_STRINGS),
        }))
    }

    /// The entry that holds the byte at a distance from the section's start. A string ends with its zero.
    pub fn entry(&self, offset: u64) -> Option<Range<u64>> {
        let size = self.bytes.len() as u64;
        if offset >= size {
            return None;
        }
        let unit = offset / self.entry_bytes;
        let (first, end) = if self.is_strings { self.string(unit as usize) } else { (unit, unit + 1) };
        Some(first * self.entry_bytes..end * self.entry_bytes)
    }

    /// The string that holds a character: the number of its first, and of the one after its last.
    fn string(&self, character: usize) -> (u64, u64) {
        let mut characters = self.bytes.chunks(self.entry_bytes as usize);
        let is_zero = |character: &[u8]| character.iter().all(|&byte| byte == 0);
        let before = characters.clone().take(character);
        let length_before = before.rev().take_while(|character| !is_zero(character)).count();
        let to_end = characters.by_ref().skip(character).position(is_zero);
        let end = to_end.map_or(self.bytes.len() as u64 / self.entry_bytes, |rest| (character + rest + 1) as u64);
        ((character - length_before) as u64, end)
    }

    /// What the place of an entry is a multiple of, wherever it is.
    pub fn alignment(&self, start: u64) -> u64 {
        let low = start.trailing_zeros().min(self.alignment.trailing_zeros());
        1 << low
    }
}
