//! Bytes that the loader fills in: all of them lie in memory that a program may write anyway, and each is filled in
//! once.

use std::collections::BTreeMap;
use std::ops::Range;

use object::elf;

use super::dynamic::{RELOCATION_BYTES, Tables, damaged, number};
use super::indirect::Choosers;
use super::lookup::Symbol;
use super::names::{CHOSEN_LATER, Known, SEVERAL, printable};
use super::versions::Versions;
use super::{Access, ImageError};

/// Eight bytes in which the loader puts the address of a function.
pub(super) struct Slot {
    pub address: u64,
    pub name: String,
    /// Whether the function is another file's, whatever is loaded, or one of the C library's that is chosen at the start.
    pub is_import: bool,
    pub when: When,
}

/// Time at which a slot comes to hold the address of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Before the program reads it.
    AtOnce,
    /// At the first call; before that it leads to code by which the loader finds the function.
    AtFirstCall,
    /// Not known, or the slot may lead elsewhere before.
    Unknown,
}

/// A relocation as the loader sees it.
struct Relocation {
    place: u64,
    r_type: u32,
    symbol: u64,
    addend: u64,
    /// Whether it is one of those for calls.
    is_called: bool,
    /// Its number among those that loaders may apply at the first call.
    lazy: Option<u64>,
}

/// Instruction with which code may begin in tables that lead to functions; [`BND`] is a prefix of its jumps.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
const BND: [u8; 1] = [0xf2];

pub(super) const DT_RELRSZ: u32 = 35;
pub(super) const DT_RELR: u32 = 36;
pub(super) const DT_RELRENT: u32 = 37;

/// Bytes that the loader fills in.
pub(super) struct Filled {
    /// The slots with addresses of functions.
    pub slots: Vec<Slot>,
    /// Places that hold addresses in the file itself, with these.
    pub own: BTreeMap<u64, u64>,
    /// Slots for calls of functions that are chosen at the start.
    pub choosers: Choosers,
    /// All bytes that the loader writes, in the order of their addresses.
    pub written: Vec<Range<u64>>,
    /// Whether the loader calls functions of the file to know what to fill in: they may write memory that is read-only afterwards.
    pub is_asked: bool,
}

/// Returns what the loader fills in. `functions` has what the loader finds in the file itself.
///
/// # Errors
///
/// If relocations fill in the same bytes, bytes that may not be written, or bytes that the loader relies on.
pub(super) fn filled(tables: &Tables, functions: &BTreeMap<String, Known>) -> Result<Filled, ImageError> {
    let (mut slots, mut choosers) = (Vec::new(), Choosers::new());
    let mut written = packed(tables)?;
    // The loader adds the file's address to what is there.
    let in_place = |range: &Range<u64>| Some((range.start, number(tables.rest(range.start)?.get(..8)?)));
    let mut own: BTreeMap<u64, u64> = written.iter().filter_map(in_place).collect();
    let versions = Versions::read(tables)?;
    let mut is_asked = functions.values().any(|known| matches!(*known, Err(CHOSEN_LATER | SEVERAL)));
    for relocation in all(tables)? {
        let place = relocation.place;
        let length = match relocation.r_type {
            elf::R_X86_64_NONE => continue,
            elf::R_X86_64_COPY => Symbol::read(tables, relocation.symbol)?.size,
            elf::R_X86_64_PC32 | elf::R_X86_64_32 | elf::R_X86_64_SIZE32 => 4,
            elf::R_X86_64_TLSDESC => 16,
            elf::R_X86_64_64
            | elf::R_X86_64_GLOB_DAT
            | elf::R_X86_64_JUMP_SLOT
            | elf::R_X86_64_RELATIVE
            | elf::R_X86_64_DTPMOD64
            | elf::R_X86_64_DTPOFF64
            | elf::R_X86_64_TPOFF64
            | elf::R_X86_64_PC64
            | elf::R_X86_64_SIZE64
            | elf::R_X86_64_IRELATIVE => 8,
            other => return Err(damaged(format!("loaders know no relocation of type {other}, as at {place:#x}"))),
        };
        written.push(place..place.saturating_add(length));
        if relocation.r_type == elf::R_X86_64_RELATIVE {
            own.insert(place, relocation.addend);
        }
        is_asked |= relocation.r_type == elf::R_X86_64_IRELATIVE
            || relocation.symbol != 0
                && !Symbol::read(tables, relocation.symbol).is_ok_and(|symbol| !symbol.is_chooser());
        // Others fill in variables, which programs may change.
        if relocation.r_type == elf::R_X86_64_IRELATIVE && relocation.is_called {
            choosers.insert(place, relocation.addend);
        }
        if [elf::R_X86_64_JUMP_SLOT, elf::R_X86_64_GLOB_DAT].contains(&relocation.r_type) {
            let symbol = Symbol::read(tables, relocation.symbol)?;
            let name = printable(symbol.name);
            let is_import = symbol.is_import(&versions) && !functions.contains_key(&name);
            // Loaders differ in whether they add to such an address.
            if relocation.addend == 0 {
                slots.push(Slot { address: place, name, is_import, when: relocation.when(tables) });
            }
        }
    }
    let written = check(tables, written)?;
    Ok(Filled { slots, own, choosers, written, is_asked })
}

/// Checks that no bytes are filled in twice, or where they should not be; returns them with the loader's own words, sorted.
fn check(tables: &Tables, mut written: Vec<Range<u64>>) -> Result<Vec<Range<u64>>, ImageError> {
    let is_writable = |range: &Range<u64>| {
        let mut segments = tables.segments().iter().filter(|segment| segment.access == Access::Writable);
        segments.any(|segment| range.start >= segment.address && range.end <= segment.end())
    };
    if let Some(range) = written.iter().find(|range| !is_writable(range)) {
        return Err(damaged(format!("the loader fills in bytes at {:#x}, which may not be written", range.start)));
    }
    // The loader stores words of its own here.
    written.extend(tables.value(elf::DT_TLSDESC_GOT).map(|slot| slot..slot.saturating_add(8)));
    if let (Some(start), Some(_)) = (tables.value(elf::DT_PLTGOT), tables.value(elf::DT_JMPREL)) {
        written.push(start.saturating_add(8)..start.saturating_add(24));
    }
    written.sort_by_key(|range| (range.start, range.end));
    if let Some(pair) = written.windows(2).find(|pair| pair[1].start < pair[0].end) {
        return Err(damaged(format!("the loader fills in the bytes at {:#x} twice", pair[1].start)));
    }
    let mut read = tables.has_read();
    read.retain(|range| {
        let after = written.partition_point(|one| one.start < range.end);
        written[..after].last().is_some_and(|one| one.end > range.start)
    });
    match read.first() {
        Some(range) => Err(damaged(format!("the loader fills in the bytes at {:#x} by which it goes", range.start))),
        None => Ok(written),
    }
}

/// Returns the relocations, those that are applied at once before those that may be applied later.
fn all(tables: &Tables) -> Result<Vec<Relocation>, ImageError> {
    let mut all = Vec::new();
    for (start, size, is_called) in [(elf::DT_RELA, elf::DT_RELASZ, false), (elf::DT_JMPREL, elf::DT_PLTRELSZ, true)] {
        let Some(start) = tables.value(start) else { continue };
        let size = tables.value(size).unwrap_or(0);
        if !size.is_multiple_of(RELOCATION_BYTES) {
            return Err(damaged(format!("the relocations at {start:#x} take {size} bytes")));
        }
        let is_lazy = is_called && !is_bound_at_once(tables);
        let entries = tables.bytes("relocations", start, size)?.chunks_exact(RELOCATION_BYTES as usize);
        all.extend(entries.zip(0..).map(|(entry, index)| Relocation {
            place: number(&entry[..8]),
            r_type: number(&entry[8..12]) as u32,
            symbol: number(&entry[12..16]),
            addend: number(&entry[16..]),
            is_called,
            lazy: is_lazy.then_some(index),
        }));
    }
    // Loaders need not look at the type of the first ones.
    let relative = tables.value(elf::DT_RELACOUNT).and_then(|count| all.get(..usize::try_from(count).ok()?));
    let is_relative = |relative: &[Relocation]| relative.iter().all(|one| one.r_type == elf::R_X86_64_RELATIVE);
    if tables.value(elf::DT_RELACOUNT).is_some() && !relative.is_some_and(is_relative) {
        return Err(damaged("the first relocations are others than the dynamic section says".to_owned()));
    }
    Ok(all)
}

fn is_bound_at_once(tables: &Tables) -> bool {
    let has = |tag: u32, flag: u32| tables.value(tag).is_some_and(|flags| flags & u64::from(flag) != 0);
    tables.value(elf::DT_BIND_NOW).is_some()
        || has(elf::DT_FLAGS, elf::DF_BIND_NOW)
        || has(elf::DT_FLAGS_1, elf::DF_1_NOW)
}

/// Returns the places of addresses in the file, to which the loader adds the address of the file. An even word is one
/// such place; the bits of an odd word say which of the 63 words after the last hold addresses, too.
fn packed(tables: &Tables) -> Result<Vec<Range<u64>>, ImageError> {
    let Some(start) = tables.value(DT_RELR) else { return Ok(Vec::new()) };
    let size = tables.value(DT_RELRSZ).unwrap_or(0);
    if !size.is_multiple_of(8) {
        return Err(damaged(format!("the relocations at {start:#x} take {size} bytes")));
    }
    let words = tables.bytes("relocations", start, size)?.chunks_exact(8).map(number);
    let (mut places, mut next) = (Vec::new(), 0u64);
    for word in words {
        let (first, bits, count) = if word & 1 == 0 { (word, 1, 1) } else { (next, word >> 1, 63) };
        let filled = (0..count).filter(|bit| bits >> bit & 1 != 0).map(|bit| first.saturating_add(8 * bit));
        // Each place is one of the file's own words.
        tables.spend(8 * bits.count_ones() as usize)?;
        places.extend(filled.map(|place| place..place.saturating_add(8)));
        next = first.saturating_add(8 * count);
    }
    Ok(places)
}

impl Relocation {
    /// Returns when the slot holds the function's address. Until the first call it may hold the address of code that
    /// makes the loader put the function's address there, if the loader may still write then.
    fn when(&self, tables: &Tables) -> When {
        let Some(number) = self.lazy else { return When::AtOnce };
        match self.stub(tables, number) {
            Some(()) if !tables.is_read_only_in_the_end(self.place, 8) => When::AtFirstCall,
            _ => When::Unknown,
        }
    }

    /// Checks that the slot leads to such code as linkers make: it pushes the relocation's number, and jumps to code
    /// that pushes a word of the loader and jumps to the loader's code.
    fn stub(&self, tables: &Tables, index: u64) -> Option<()> {
        let code = |address: u64| {
            let mut segments = tables.segments().iter().filter(|segment| segment.access == Access::Code);
            segments.find(|segment| segment.holds(address))?.bytes_from(address)
        };
        let own = number(tables.rest(self.place)?.get(..8)?);
        let all = code(own)?;
        let (pushed, rest) = without(all, &ENDBR64).strip_prefix(&[0x68])?.split_at_checked(4)?;
        let (distance, rest) = without(rest, &BND).strip_prefix(&[0xe9])?.split_at_checked(4)?;
        let common = displaced(own + (all.len() - rest.len()) as u64, distance);
        let (word, rest) = code(common)?.strip_prefix(&[0xff, 0x35])?.split_at_checked(4)?;
        let word = displaced(common + 6, word);
        let target = jump(common + 6, rest)?;
        let table = tables.value(elf::DT_PLTGOT)?;
        // In prelinked files, the loader relies on the word there.
        let is_empty = number(tables.rest(table.checked_add(8)?)?.get(..8)?) == 0;
        (is_empty && number(pushed) == index && word == table.checked_add(8)? && target == table.checked_add(16)?)
            .then_some(())
    }
}

/// Returns the slot by which the code at an address jumps, if it does nothing else.
pub(super) fn slot_of_jump(address: u64, code: &[u8]) -> Option<u64> {
    let rest = without(code, &ENDBR64);
    jump(address + (code.len() - rest.len()) as u64, rest)
}

/// Returns the slot by which code jumps, if it does nothing else and indirect jumps do not lead to it.
fn jump(address: u64, code: &[u8]) -> Option<u64> {
    let (distance, rest) = without(code, &BND).strip_prefix(&[0xff, 0x25])?.split_at_checked(4)?;
    Some(displaced(address + (code.len() - rest.len()) as u64, distance))
}

fn without<'code>(code: &'code [u8], prefix: &[u8]) -> &'code [u8] {
    code.strip_prefix(prefix).unwrap_or(code)
}

/// Returns the address at a distance, which is given in four bytes, from another.
fn displaced(from: u64, distance: &[u8]) -> u64 {
    from.wrapping_add_signed(i64::from(number(distance) as u32 as i32))
}
