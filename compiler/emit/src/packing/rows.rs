//! Rows of 16 bytes: from memory into the parts of a register, and back.
//!
//! A row is 16 neighbouring bytes of a block, or pieces of 8, 4 or 2 bytes of as many neighbouring blocks as fill it.

use super::in_rust;
use crate::helpers::Helpers;
use crate::language::Language;
use crate::machine::Machine;

/// The function that loads rows `bytes`, `bytes + part`, … into the parts of a register; the pieces of a row are `next`
/// bytes apart.
pub(crate) fn load(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    let body = match machine.language {
        Language::C => machine.isa().load_row(piece),
        Language::Rust => in_rust::load_row(machine, helpers, piece),
    };
    load_named(machine, helpers, &piece.to_string(), &body)
}

/// As [`load`], for rows of `width` bytes; the rest of each part is zero.
pub(crate) fn load_part(machine: &Machine, helpers: &mut Helpers, width: u32) -> String {
    if width == 16 {
        return load(machine, helpers, 16);
    }
    let body = match machine.language {
        Language::C => machine.isa().load_narrow_row(width),
        Language::Rust => in_rust::load_narrow_row(machine, width),
    };
    load_named(machine, helpers, &format!("{width}_only"), &body)
}

/// A function that loads all parts, and the function it needs that loads one part.
fn load_named(machine: &Machine, helpers: &mut Helpers, kind: &str, row: &str) -> String {
    let (isa, language) = (machine.isa(), machine.language);
    let size = language.size();
    let bytes = language.choose(&[("const uint8_t *", "bytes")][..], &[("&[u8; N]", "bytes"), ("usize", "at")]);
    let parameters = [bytes, &[(size, "next")]].concat();
    helpers.need(isa.part(), &format!("load_row{kind}"), &parameters, row);
    let row = |part: u32| format!("load_row{kind}({}, next)", address(language, part));
    let name = format!("load_rows{kind}");
    let parameters = [bytes, &[(size, "next"), (size, "part")]].concat();
    helpers.need(isa.register(), &name, &parameters, &isa.join_rows(&row));
    name
}

/// The beginning of a part's row.
fn address(language: Language, part: u32) -> String {
    let bytes = language.choose("bytes", "bytes, at");
    if part == 0 { bytes.to_owned() } else { format!("{bytes} + {part} * part") }
}

/// The function that stores the parts of a register to rows, the inverse of [`load`].
pub(crate) fn store(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    let body = match machine.language {
        Language::C => machine.isa().store_row(piece),
        Language::Rust => in_rust::store_row(machine, helpers, piece),
    };
    store_named(machine, helpers, &piece.to_string(), &body)
}

/// As [`store`], for the first `width` bytes of each part.
pub(crate) fn store_part(machine: &Machine, helpers: &mut Helpers, width: u32) -> String {
    if width == 16 {
        return store(machine, helpers, 16);
    }
    let body = match machine.language {
        Language::C => machine.isa().store_narrow_row(width),
        Language::Rust => in_rust::store_narrow_row(machine, width),
    };
    store_named(machine, helpers, &format!("{width}_only"), &body)
}

fn store_named(machine: &Machine, helpers: &mut Helpers, kind: &str, row: &str) -> String {
    let (isa, language) = (machine.isa(), machine.language);
    let size = language.size();
    let bytes = language.choose(&[("uint8_t *", "bytes")][..], &[("&mut [u8; N]", "bytes"), ("usize", "at")]);
    let parameters = [bytes, &[(size, "next"), (isa.part(), "row")]].concat();
    helpers.need("void", &format!("store_row{kind}"), &parameters, row);
    let row = |part: u32, text: &str| format!("    store_row{kind}({}, next, {text});\n", address(language, part));
    let name = format!("store_rows{kind}");
    let parameters = [bytes, &[(size, "next"), (size, "part"), (isa.register(), "rows")]].concat();
    helpers.need("void", &name, &parameters, &isa.split_rows(&row));
    name
}

/// Columns `start` to `start + width - 1` of the blocks; widths are powers of two up to `widest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub start: u32,
    pub width: u32,
}

/// Chunks that cover `columns` columns, at least 2; neighbours may overlap.
pub(crate) fn chunks(columns: u32, widest: u32) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < columns {
        let rest = columns - start;
        let enough = rest.next_power_of_two().clamp(2, widest);
        let width = if enough <= columns { enough } else { 1 << rest.ilog2() };
        let width = width.max(2);
        chunks.push(Chunk { start: start.min(columns - width), width });
        start += width;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_columns_and_stay_inside() {
        for columns in 2..100 {
            let chunks = chunks(columns, 16);
            for column in 0..columns {
                assert!(chunks.iter().any(|c| (c.start..c.start + c.width).contains(&column)), "{columns} {column}");
            }
            assert!(chunks.iter().all(|c| c.start + c.width <= columns && c.width.is_power_of_two() && c.width <= 16));
        }
        assert_eq!(chunks(40, 16).len(), 3);
        assert_eq!(chunks(10, 16), [Chunk { start: 0, width: 8 }, Chunk { start: 8, width: 2 }]);
    }
}
