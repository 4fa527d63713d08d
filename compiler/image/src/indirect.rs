//! Functions of the C library that a program chooses when it starts.
//!
//! A C library that is linked into a program may have several functions of a name, for several kinds of CPU. Its symbol is then that of a function
//! that chooses one of them (`STT_GNU_IFUNC`). When the program starts, this function is called, and the slot by which the program
//! calls the C library's function gets its result.

use std::collections::{BTreeMap, BTreeSet};

use object::read::elf::SectionHeader;
use object::{Object, ObjectSymbol, elf};

use super::dynamic::{RELOCATION_BYTES, number};
use super::names::{is_chosen_later, printable};
use super::segments::Segment;
use super::{Access, File};

/// Slots with the addresses of functions that choose what is there.
pub(super) type Choosers = BTreeMap<u64, u64>;

/// The slots of a program without a dynamic section, whose own code goes through a table of them when it starts. Only section headers say where
/// the table is. If they say what no such code takes, nothing is known of any slot.
pub(super) fn without_loader(file: &File, segments: &[Segment]) -> Choosers {
    let tables = file.elf_section_table().iter().filter(|header| {
        let is_in_memory = header.sh_flags(file.endian()) & u64::from(elf::SHF_ALLOC) != 0;
        header.sh_type(file.endian()) == elf::SHT_RELA && is_in_memory
    });
    let mut slots = Choosers::new();
    for header in tables {
        let (start, size) = (header.sh_addr(file.endian()), header.sh_size(file.endian()));
        let segment = segments.iter().find(|segment| segment.holds(start) && segment.access != Access::Writable);
        let table = segment.and_then(|segment| segment.bytes_from(start)?.get(..usize::try_from(size).ok()?));
        let Some(table) = table else { return Choosers::new() };
        for entry in table.chunks(RELOCATION_BYTES as usize) {
            let Some(&[place, kind, function]) = entry.chunks_exact(8).map(number).collect::<Vec<_>>().first_chunk()
            else {
                return Choosers::new();
            };
            if kind != u64::from(elf::R_X86_64_IRELATIVE) || slots.insert(place, function).is_some() {
                return Choosers::new();
            }
        }
    }
    let places: Vec<u64> = slots.keys().copied().collect();
    let is_writable = |place: u64| {
        let end = place.saturating_add(8);
        segments.iter().any(|one| one.access == Access::Writable && one.holds(place) && end <= one.end())
    };
    let is_apart = places.windows(2).all(|pair| pair[1] - pair[0] >= 8);
    if is_apart && places.iter().all(|&place| is_writable(place)) { slots } else { Choosers::new() }
}

/// The names of functions that choose, by their addresses, from the table for debuggers. A name that any two symbols with different addresses
/// have counts for neither. Names that the C library has for itself begin with an underscore.
pub(super) fn names(file: &File) -> BTreeMap<u64, String> {
    let mut places = BTreeMap::<&[u8], BTreeSet<u64>>::new();
    let mut choosers = BTreeSet::new();
    for symbol in file.symbols().filter(|symbol| !symbol.is_undefined()) {
        let Ok(name) = symbol.name_bytes() else { continue };
        places.entry(name).or_default().insert(symbol.address());
        if is_chosen_later(&symbol) && !name.starts_with(b"_") {
            choosers.insert(name);
        }
    }
    let mut names = BTreeMap::new();
    for name in choosers {
        if let [address] = places[name].iter().copied().collect::<Vec<_>>()[..] {
            names.entry(address).or_insert_with(|| printable(name));
        }
    }
    names
}
