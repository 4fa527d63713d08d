//! Mergeable sections of objects: the final link keeps one of several equal entries, anywhere, so that each entry moves
//! by itself.

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
    /// The anchors of the entries that are used, by their offset from the section's start.
    pub placed: BTreeMap<u64, usize>,
    /// Alignment of the section.
    alignment: u64,
    /// Size of a constant, or of a character, in bytes.
    entry_bytes: u64,
    /// For strings, the number of the character after the zero of each.
    ends: Option<Vec<u64>>,
}

impl Mergeable {
    /// Reads a mergeable section; `None` if linkers leave it whole, as they do if it has relocations, or no whole
    /// entries.
    pub fn read(section: &Section) -> Result<Option<Mergeable>, ImageError> {
        let SectionFlags::Elf { sh_flags } = section.flags() else { return Ok(None) };
        let has = |flag: u32| sh_flags & u64::from(flag) != 0;
        let entry_bytes = section.elf_section_header().sh_entsize.get(object::Endianness::Little);
        let is_whole = entry_bytes == 0 || !section.size().is_multiple_of(entry_bytes);
        if !has(elf::SHF_MERGE) || is_whole || section.relocations().next().is_some() {
            return Ok(None);
        }
        let bytes = section.uncompressed_data().map_err(unreadable)?.into_owned();
        let ends = has(elf::SHF_STRINGS).then(|| {
            let characters = bytes.chunks(entry_bytes as usize).zip(1..);
            characters.filter(|(character, _)| character.iter().all(|&byte| byte == 0)).map(|(_, end)| end).collect()
        });
        Ok(Some(Mergeable {
            name: printable(section.name().unwrap_or("?")),
            bytes,
            access: access(sh_flags),
            placed: BTreeMap::new(),
            alignment: alignment(section.align())?,
            entry_bytes,
            ends,
        }))
    }

    /// Returns the entry that holds the byte at an offset from the section's start. A string ends with its zero.
    pub fn entry(&self, offset: u64) -> Option<Range<u64>> {
        let size = self.bytes.len() as u64;
        if offset >= size {
            return None;
        }
        let unit = offset / self.entry_bytes;
        let (first, end) = match &self.ends {
            None => (unit, unit + 1),
            Some(ends) => {
                let before = ends.partition_point(|&end| end <= unit);
                let first = before.checked_sub(1).map_or(0, |last| ends[last]);
                (first, ends.get(before).copied().unwrap_or(size / self.entry_bytes))
            }
        };
        Some(first * self.entry_bytes..end * self.entry_bytes)
    }

    /// Returns the alignment of an entry, wherever it is.
    pub fn alignment(&self, start: u64) -> u64 {
        let low = start.trailing_zeros().min(self.alignment.trailing_zeros());
        1 << low
    }
}
