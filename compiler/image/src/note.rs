//! Notes of an image about how its kernels were made: those that `culet compile` leaves in its C.

use object::Endianness;
use object::elf::SHT_NOTE;
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};

/// The section with the notes.
pub const SECTION: &str = ".note.culet";

/// Returns the command lines in the notes of an ELF file, in their order. Damaged notes and notes of other programs are
/// skipped.
pub fn notes(bytes: &[u8]) -> Vec<String> {
    let Ok(file) = ElfFile64::<Endianness>::parse(bytes) else { return Vec::new() };
    let header = file.elf_header();
    let endian = file.endian();
    let Ok(sections) = header.sections(endian, bytes) else { return Vec::new() };
    let mut found = Vec::new();
    for section in sections.iter() {
        let is_ours = sections.section_name(endian, section).is_ok_and(|name| name == SECTION.as_bytes());
        if !is_ours || section.sh_type(endian) != SHT_NOTE {
            continue;
        }
        let Ok(Some(mut notes)) = section.notes(endian, bytes) else { continue };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == b"culet" && note.n_type(endian) == 1 {
                let text = note.desc().split(|&byte| byte == 0).next().unwrap_or_default();
                found.extend(std::str::from_utf8(text).ok().map(str::to_owned));
            }
        }
    }
    found
}
