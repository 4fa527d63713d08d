//! The parts of a shared object or an executable that loaders read: the dynamic section, to which a program header
//! points, and the tables to which that section points, all in memory. Loaders know nothing of section headers; here,
//! too, these do not count.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};

use super::indirect::Choosers;
use super::lookup::{self, SYMBOL_BYTES};
use super::names::{self, Known};
use super::relocations::{self, Filled, Slot};
use super::{File, ImageError, Segment, segments};

/// Result of loading a file.
pub(super) struct Dynamic {
    /// Functions that the loader finds by name, and names of data that it finds.
    pub functions: BTreeMap<String, Known>,
    /// Slots in which it puts addresses of functions.
    pub slots: Vec<Slot>,
    /// Places that hold addresses in the file itself, with these.
    pub own: BTreeMap<u64, u64>,
    /// Memory that nobody writes once the loader is done.
    pub read_only: Option<Range<u64>>,
    /// Bytes that the loader writes or may write.
    pub written: Vec<Range<u64>>,
    /// Slots of a program for calls of functions that are chosen at the start.
    pub choosers: Choosers,
    /// Whether the file is a program, in which other files look up few of the global names.
    pub is_program: bool,
}

/// The tags and values of the dynamic section, and the memory in which the loader reads.
pub(super) struct Tables<'image> {
    segments: &'image [Segment],
    entries: BTreeMap<u64, u64>,
    /// Memory that the loader makes read-only when it is done.
    read_only: Option<Range<u64>>,
    /// Starts and ends of the bytes that the loader relies on, so that nothing may change them.
    read: RefCell<BTreeSet<(u64, u64)>>,
    /// Number of bytes of names, chains and lists that may still be read.
    budget: Cell<u64>,
}

/// Size of a relocation in bytes; the sizes of a tag and of a program header follow.
pub(super) const RELOCATION_BYTES: u64 = 24;
const TAG_BYTES: u64 = 16;
const HEADER_BYTES: u64 = 56;
/// Relocations in forms that some loaders apply and others do not know: those without addends, Android's, packed ones,
/// and those of prelinked files.
const UNREAD: [u32; 8] = [
    elf::DT_REL,
    0x6000_000f,
    0x6000_0011,
    0x6fff_e000,
    0x4000_0026,
    elf::DT_GNU_PRELINKED,
    elf::DT_GNU_CONFLICT,
    elf::DT_GNU_LIBLIST,
];
/// Groups of tags: loaders read none of a group, or fail, if one of its tags is missing.
const GROUPS: [&[u32]; 4] = [
    &[elf::DT_RELA, elf::DT_RELASZ, elf::DT_RELAENT],
    &[elf::DT_JMPREL, elf::DT_PLTRELSZ, elf::DT_PLTREL],
    &[relocations::DT_RELR, relocations::DT_RELRSZ, relocations::DT_RELRENT],
    &[elf::DT_SYMTAB, elf::DT_SYMENT, elf::DT_STRTAB, elf::DT_STRSZ],
];
/// Tags of files that the loader asks where functions are.
const AUDITORS: [u32; 2] = [elf::DT_AUDIT, elf::DT_DEPAUDIT];
/// Tag with the address of the table for calls, which loaders may rewrite.
const DT_X86_64_PLT: u32 = 0x7000_0000;

/// Reads what the loader finds in a file; `None` if the file has no dynamic section.
///
/// # Errors
///
/// If the loader changes the file where it is not expected to, or if the result depends on the loader.
pub(super) fn read(file: &File, segments: &[Segment]) -> Result<Option<Dynamic>, ImageError> {
    let endian = file.endian();
    if file.elf_header().e_phnum(endian) == elf::PN_XNUM {
        return Err(damaged("it has more program headers than loaders read".to_owned()));
    }
    let of_type = |p_type: u32| {
        let headers = file.elf_program_headers().iter();
        headers.filter(move |header| header.p_type(endian) == p_type).map(move |header| header.p_vaddr(endian))
    };
    let mut tables = Tables {
        segments,
        entries: BTreeMap::new(),
        read_only: segments::read_only_in_the_end(file, segments)?,
        read: RefCell::default(),
        budget: Cell::new(names::budget(file)),
    };
    // The kernel tells the loader of a program where the program headers are in memory.
    for address in of_type(elf::PT_PHDR) {
        let start = file.elf_header().e_phoff(endian);
        let length = HEADER_BYTES * file.elf_program_headers().len() as u64;
        let in_file = file.data().get(start as usize..).and_then(|rest| rest.get(..length as usize));
        if in_file != Some(tables.bytes("program headers", address, length)?) {
            return Err(damaged("the program headers in memory are others than in the file".to_owned()));
        }
    }
    let starts: Vec<u64> = of_type(elf::PT_DYNAMIC).collect();
    let [start] = starts[..] else {
        return if starts.is_empty() { Ok(None) } else { Err(damaged("it has two dynamic sections".to_owned())) };
    };
    let end = tables.entries(start)?;
    tables.check()?;
    let functions = if tables.value(elf::DT_SYMTAB).is_some() { lookup::functions(&tables)? } else { BTreeMap::new() };
    let Filled { mut slots, own, mut choosers, mut written, is_asked } = relocations::filled(&tables, &functions)?;
    let is_pie = tables.value(elf::DT_FLAGS_1).is_some_and(|flags| flags & u64::from(elf::DF_1_PIE) != 0);
    // Other files are loaded by whoever asks for them, even if they name a loader.
    let is_program = file.elf_header().e_type(endian) == elf::ET_EXEC || is_pie;
    let mut read_only = segments::surely_read_only_in_the_end(file)?.filter(|_| !is_asked);
    // A program that names no loader has none, so nothing fills in its slots but the program itself.
    if is_program && of_type(elf::PT_INTERP).next().is_none() {
        slots.clear();
        read_only = None;
    }
    // The names of these functions are known in programs only, as other names that no loader finds.
    if !is_program {
        choosers.clear();
    }
    // Debuggers find the loader by a word of the dynamic section.
    written.push(start..end);
    Ok(Some(Dynamic { functions, slots, own, read_only, written, choosers, is_program }))
}

pub(super) fn damaged(what: String) -> ImageError {
    ImageError::Unreadable(what)
}

/// Returns the number that bytes hold, the lowest first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

impl<'image> Tables<'image> {
    pub fn segments(&self) -> &'image [Segment] {
        self.segments
    }

    pub fn value(&self, tag: u32) -> Option<u64> {
        self.entries.get(&u64::from(tag)).copied()
    }

    /// Returns the bytes that the file has from an address to the end of its segment.
    pub fn rest(&self, address: u64) -> Option<&'image [u8]> {
        self.segments.iter().find(|segment| segment.holds(address))?.bytes_from(address)
    }

    /// Returns bytes that the loader relies on, and records that they are read.
    pub fn bytes(&self, what: &str, address: u64, length: u64) -> Result<&'image [u8], ImageError> {
        let end = address.checked_add(length).zip(usize::try_from(length).ok());
        let bytes = end.and_then(|(end, length)| Some((end, self.rest(address)?.get(..length)?)));
        let (end, bytes) = bytes.ok_or_else(|| damaged(format!("the {what} at {address:#x} are in no segment")))?;
        self.read.borrow_mut().insert((address, end));
        Ok(bytes)
    }

    /// Returns the ranges of all bytes that have been read.
    pub fn has_read(&self) -> Vec<Range<u64>> {
        self.read.borrow().iter().map(|&(start, end)| start..end).collect()
    }

    /// Whether some of these bytes are read-only after the loader is done.
    pub fn is_read_only_in_the_end(&self, address: u64, length: u64) -> bool {
        self.read_only.as_ref().is_some_and(|range| address < range.end && address.saturating_add(length) > range.start)
    }

    /// Counts bytes that may be read repeatedly.
    ///
    /// # Errors
    ///
    /// If there are more of them than in files as linkers make them.
    pub fn spend(&self, bytes: usize) -> Result<(), ImageError> {
        let left = self.budget.get().checked_sub(bytes as u64).ok_or_else(names::too_much)?;
        self.budget.set(left);
        Ok(())
    }

    /// Reads the dynamic section up to its end, and returns that.
    fn entries(&mut self, start: u64) -> Result<u64, ImageError> {
        let what = "entries of the dynamic section";
        let mut address = start;
        loop {
            let entry = self.bytes(what, address, TAG_BYTES)?;
            address = address.saturating_add(TAG_BYTES);
            let (tag, value) = (number(&entry[..8]), number(&entry[8..]));
            if tag == u64::from(elf::DT_NULL) {
                return Ok(address);
            }
            if u32::try_from(tag).is_err() {
                return Err(damaged(format!("the dynamic section has the tag {tag:#x}")));
            }
            // Some loaders take the first of two equal tags, and others the last.
            if self.entries.insert(tag, value).is_some() && tag != u64::from(elf::DT_NEEDED) {
                return Err(damaged(format!("the dynamic section has the tag {tag:#x} twice")));
            }
        }
    }

    /// Refuses files with entries that are not read here, or not by every loader.
    fn check(&self) -> Result<(), ImageError> {
        let has_flag = self.value(elf::DT_FLAGS).is_some_and(|flags| flags & u64::from(elf::DF_TEXTREL) != 0);
        // Without this mark the loader refuses to write to memory that is read-only.
        if self.value(elf::DT_TEXTREL).is_some() || has_flag {
            let what = "the loader changes code or constants; compile position-independent code".to_owned();
            return Err(ImageError::Relocation { section: "DT_TEXTREL".into(), offset: 0, what });
        }
        if self.value(DT_X86_64_PLT).is_some() {
            let what = "the loader may rewrite the code of calls; link with `-z nomark-plt`".to_owned();
            return Err(ImageError::Relocation { section: "DT_X86_64_PLT".into(), offset: 0, what });
        }
        for (tag, expected) in [
            (elf::DT_SYMENT, SYMBOL_BYTES),
            (elf::DT_RELAENT, RELOCATION_BYTES),
            (elf::DT_PLTREL, u64::from(elf::DT_RELA)),
            (relocations::DT_RELRENT, 8),
        ] {
            if let Some(value) = self.value(tag).filter(|&value| value != expected) {
                return Err(damaged(format!("the dynamic section says {value} for tag {tag:#x}, not {expected}")));
            }
        }
        if UNREAD.iter().any(|&tag| self.value(tag).is_some()) {
            return Err(damaged("it has relocations in a form that only some loaders read".to_owned()));
        }
        for group in GROUPS {
            let missing = group.iter().find(|&&tag| self.value(tag).is_none());
            let present = group.iter().find(|&&tag| self.value(tag).is_some());
            if let (Some(missing), Some(present)) = (missing, present) {
                let what = format!("the dynamic section has the tag {present:#x} without the tag {missing:#x}");
                return Err(damaged(what));
            }
        }
        let has_versions = [elf::DT_VERNEED, elf::DT_VERDEF].iter().any(|&tag| self.value(tag).is_some());
        if has_versions && self.value(elf::DT_VERSYM).is_none() {
            return Err(damaged("the dynamic section has versions, and not of which symbols".to_owned()));
        }
        if AUDITORS.iter().any(|&tag| self.value(tag).is_some()) {
            return Err(damaged("another file may change what the loader finds".to_owned()));
        }
        // Loaders look only at the lower bits of these tags.
        let is_filter = |tag: u64| [elf::DT_FILTER, elf::DT_AUXILIARY].contains(&(tag as u32 & 0x7fff_ffff));
        if self.entries.keys().any(|&tag| is_filter(tag)) {
            return Err(damaged("the loader looks for its functions in another file first".to_owned()));
        }
        Ok(())
    }

    pub fn needed(&self, tag: u32, what: &str) -> Result<u64, ImageError> {
        self.value(tag).ok_or_else(|| damaged(format!("the dynamic section does not say where the {what} are")))
    }

    /// Returns a name as the loader compares it, without the zero at its end.
    pub fn name(&self, offset: u64) -> Result<&'image [u8], ImageError> {
        let start = self.needed(elf::DT_STRTAB, "names")?.saturating_add(offset);
        let rest = self.rest(start).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == 0).map_or(u64::MAX, |length| length as u64 + 1);
        let bytes = self.bytes("names", start, end)?;
        self.spend(bytes.len())?;
        Ok(&bytes[..bytes.len() - 1])
    }
}
