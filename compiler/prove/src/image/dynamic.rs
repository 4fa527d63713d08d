//! What loaders read of a shared object or an executable: they follow program headers, and know nothing of section headers. Symbols and
//! relocations are read here by the latter, so both are to say the same.

use std::ops::Range;

use object::elf;
use object::read::elf::{Dyn, ProgramHeader, SectionHeader};

use super::{File, ImageError, unreadable};

/// Refuses files that loaders change where they are not expected to, or of which they see something else than is read here.
pub(super) fn check(file: &File) -> Result<(), ImageError> {
    let entries = entries(file).map_err(unreadable)?;
    // Without this mark the loader refuses to write to what is then read-only.
    let is_mark = |&(tag, value): &(u32, u64)| {
        tag == elf::DT_TEXTREL || tag == elf::DT_FLAGS && value & u64::from(elf::DF_TEXTREL) != 0
    };
    if entries.iter().any(is_mark) {
        let what = "the loader changes code or constants; compile position-independent code".to_owned();
        return Err(ImageError::Relocation { section: "DT_TEXTREL".into(), offset: 0, what });
    }
    sections_are_in_segments(file)?;
    if entries.is_empty() {
        return Ok(());
    }
    tables_are_those_of_the_loader(file, &entries)
}

/// The tags and values that the dynamic section has.
fn entries(file: &File) -> object::Result<Vec<(u32, u64)>> {
    let endian = file.endian();
    let mut all = Vec::new();
    for header in file.elf_program_headers() {
        let own = header.dynamic(endian, file.data())?.unwrap_or_default();
        all.extend(own.iter().filter_map(|entry| Some((entry.tag32(endian)?, entry.d_val(endian)))));
    }
    Ok(all)
}

fn another(what: &str, index: usize) -> ImageError {
    ImageError::Unreadable(format!("section {index} has another {what} than the loader goes by"))
}

/// Whether the bytes of sections in memory are those that program headers put at their addresses.
fn sections_are_in_segments(file: &File) -> Result<(), ImageError> {
    let endian = file.endian();
    for (index, section) in file.elf_section_table().iter().enumerate() {
        let (address, size) = (section.sh_addr(endian), section.sh_size(endian));
        let has_bytes = section.sh_type(endian) != elf::SHT_NOBITS && size > 0;
        if section.sh_flags(endian) & u64::from(elf::SHF_ALLOC) == 0 || !has_bytes {
            continue;
        }
        let is_there = file.elf_program_headers().iter().any(|header| {
            let (start, bytes) = (header.p_vaddr(endian), header.p_filesz(endian));
            let is_inside = address >= start && address.checked_add(size).is_some_and(|end| end - start <= bytes);
            header.p_type(endian) == elf::PT_LOAD
                && is_inside
                && section.sh_offset(endian).wrapping_sub(header.p_offset(endian)) == address - start
        });
        if !is_there {
            return Err(another("place", index));
        }
    }
    Ok(())
}

/// Whether the tables of symbols, names and relocations are those of which the loader is told.
fn tables_are_those_of_the_loader(file: &File, entries: &[(u32, u64)]) -> Result<(), ImageError> {
    let endian = file.endian();
    let value = |tag: u32| entries.iter().find(|entry| entry.0 == tag).map(|entry| entry.1);
    let table = |start: u32, size: u32| -> Option<Range<u64>> {
        let start = value(start)?;
        Some(start..start.saturating_add(value(size).unwrap_or(0)))
    };
    let of_loader: Vec<Range<u64>> =
        [table(elf::DT_RELA, elf::DT_RELASZ), table(elf::DT_JMPREL, elf::DT_PLTRELSZ)].into_iter().flatten().collect();
    let mut read = Vec::new();
    let sections = file.elf_section_table();
    for (index, section) in sections.iter().enumerate() {
        let is_loaded = section.sh_flags(endian) & u64::from(elf::SHF_ALLOC) != 0;
        let (address, size) = (section.sh_addr(endian), section.sh_size(endian));
        match section.sh_type(endian) {
            elf::SHT_DYNSYM => {
                let names = sections.section(section.link(endian)).map_err(unreadable)?;
                if value(elf::DT_SYMTAB) != Some(address) || value(elf::DT_STRTAB) != Some(names.sh_addr(endian)) {
                    return Err(another("table of symbols", index));
                }
            }
            elf::SHT_RELA if is_loaded && size > 0 => read.push(address..address.saturating_add(size)),
            _ => {}
        }
    }
    let is_within = |inner: &Range<u64>, all: &[Range<u64>]| {
        let (mut reached, mut is_longer) = (inner.start, true);
        while is_longer && reached < inner.end {
            let next = all.iter().filter(|one| one.contains(&reached)).map(|one| one.end).max();
            is_longer = next.is_some();
            reached = next.unwrap_or(reached);
        }
        reached >= inner.end
    };
    let is_same =
        read.iter().all(|one| is_within(one, &of_loader)) && of_loader.iter().all(|one| is_within(one, &read));
    if is_same || sections.is_empty() {
        return Ok(());
    }
    Err(ImageError::Unreadable("the sections of relocations are others than those that the loader goes by".to_owned()))
}
