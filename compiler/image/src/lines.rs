//! Lines of source that instructions come from, if the compiler left them in `.debug_line` (DWARF 2 to 5), compressed
//! by zlib or not.

use std::collections::HashMap;

use gimli::{AttributeValue, DebugLine, DebugLineOffset, LineProgramHeader, LittleEndian};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use object::{
    CompressionFormat, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex, elf,
};

use super::File;
use super::names::printable;

/// Rows of the tables of lines, by address.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    rows: Vec<Row>,
    files: Vec<String>,
    /// Whether there are lines that are compressed in a way that is not read.
    is_unread: bool,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    address: u64,
    /// File and line; `None` where a sequence of instructions ends.
    place: Option<(usize, u64)>,
}

/// Maximum number of rows: a damaged table must not take all memory.
const MAX_ROWS: usize = 10_000_000;
/// Maximum length of a file's name with its directories, in bytes; [`MAX_NAMES`] is that of the names of all files
/// together, which may share their bytes.
const MAX_NAME: usize = 1 << 12;
const MAX_NAMES: usize = 1 << 24;
/// Maximum size of one line-table header, which lists the files, in bytes.
const MAX_HEADER: u64 = 1 << 20;

type Bytes<'b> = gimli::EndianSlice<'b, LittleEndian>;

impl Lines {
    /// Reads the lines of a file; there are none if they are missing or damaged. `starts` has the addresses at which
    /// sections of an object were put.
    pub(super) fn read(file: &File, starts: &HashMap<SectionIndex, u64>) -> Lines {
        let mut lines = Lines::default();
        // Without lines, messages name no lines; nothing else depends on them.
        let sections = [".debug_line", ".debug_line_str"].map(|name| section(file, name, starts));
        lines.is_unread = sections.iter().any(Option::is_none);
        let [table, names] = sections.map(Option::unwrap_or_default);
        let _ = lines.collect(&table, &names);
        lines.rows.sort_by_key(|row| (row.address, row.place.is_some()));
        lines
    }

    /// Returns the file and line of the instruction at an address.
    pub fn at(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.rows.partition_point(|row| row.address <= address);
        let (file, line) = self.rows[..after].last()?.place?;
        Some((&self.files[file], line))
    }

    /// Whether there are lines that are compressed in a way that is not read.
    pub fn is_unread(&self) -> bool {
        self.is_unread
    }

    fn collect(&mut self, bytes: &[u8], names: &[u8]) -> gimli::Result<()> {
        let table = DebugLine::new(bytes, LittleEndian);
        let (mut offset, mut left) = (0, MAX_NAMES);
        while offset < bytes.len() {
            if header_length(&bytes[offset..]).is_none_or(|length| length > MAX_HEADER) {
                return Ok(());
            }
            let program = table.program(DebugLineOffset(offset), 8, None, None)?;
            // A length of 32 bits comes first.
            offset += 4 + program.header().unit_length();
            let mut known = HashMap::new();
            let mut rows = program.rows();
            while let Some((header, row)) = rows.next_row()? {
                let file = *known.entry(row.file_index()).or_insert_with(|| {
                    let path = if left >= MAX_NAME { path(header, row, names) } else { None };
                    left = left.saturating_sub(path.map_or(MAX_NAME, <[u8]>::len));
                    let name = String::from_utf8_lossy(path.unwrap_or_default());
                    self.files.push(printable(name.rsplit('/').next().unwrap_or_default()));
                    self.files.len() - 1
                });
                let line = row.line().map_or(0, std::num::NonZero::get);
                self.rows.push(Row { address: row.address(), place: (!row.end_sequence()).then_some((file, line)) });
                if self.rows.len() > MAX_ROWS {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Returns the length of the rest of a table's header, as the header says it after the table's length in 32 bits, the
/// version and, from version 5 on, two sizes.
fn header_length(table: &[u8]) -> Option<u64> {
    let version = u16::from_le_bytes(table.get(4..6)?.try_into().ok()?);
    let at = if version >= 5 { 8 } else { 6 };
    Some(u32::from_le_bytes(table.get(at..at + 4)?.try_into().ok()?).into())
}

/// Returns the name of a row's file.
fn path<'b>(header: &LineProgramHeader<Bytes<'b>>, row: &gimli::LineRow, names: &'b [u8]) -> Option<&'b [u8]> {
    let path = match row.file(header)?.path_name() {
        AttributeValue::String(name) => name.slice(),
        AttributeValue::DebugLineStrRef(offset) => {
            let rest = names.get(offset.0..)?;
            &rest[..rest.iter().take(MAX_NAME).position(|&byte| byte == 0)?]
        }
        _ => return None,
    };
    Some(path).filter(|path| path.len() <= MAX_NAME)
}

/// Maximum size of a compressed section when it is decompressed, in bytes.
const MAX_BYTES: usize = 1 << 26;

/// Returns the bytes of a section; `None` if they cannot be read.
fn contents<'data>(section: &impl ObjectSection<'data>) -> Option<Vec<u8>> {
    let compressed = section.compressed_data().ok()?;
    match compressed.format {
        CompressionFormat::None => Some(compressed.data.to_vec()),
        CompressionFormat::Zlib => decompress_to_vec_zlib_with_limit(compressed.data, MAX_BYTES).ok(),
        _ => None,
    }
}

/// Returns the bytes of a section, with an object's sections where they were put; empty if there is no such section.
/// Sections that are not loaded begin at zero.
fn section(file: &File, name: &str, starts: &HashMap<SectionIndex, u64>) -> Option<Vec<u8>> {
    let Some(section) = file.section_by_name(name) else { return Some(Vec::new()) };
    let mut bytes = contents(&section)?;
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(index) else { continue };
        let start = symbol.section_index().and_then(|index| starts.get(&index)).copied().unwrap_or(0);
        let value = start.wrapping_add(symbol.address()).wrapping_add_signed(relocation.addend()).to_le_bytes();
        let length = match relocation.flags() {
            RelocationFlags::Elf { r_type: elf::R_X86_64_64 } => 8,
            RelocationFlags::Elf { r_type: elf::R_X86_64_32 } => 4,
            _ => continue,
        };
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        if let Some(place) = start.checked_add(length).and_then(|end| bytes.get_mut(start..end)) {
            place.copy_from_slice(&value[..length]);
        }
    }
    Some(bytes)
}
