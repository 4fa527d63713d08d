//! Rows of 16 bytes: from memory into the parts of a register, and back.
//!
//! A row is 16 neighbouring bytes of a block, or pieces of 8, 4 or 2 bytes of as many neighbouring blocks as fill it.

use crate::helpers::Helpers;
use crate::machine::Machine;

/// The function that loads rows `bytes`, `bytes + part`, … into the parts of a register; the pieces of a row are `next`
/// bytes apart.
pub(crate) fn load(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    load_named(machine, helpers, &piece.to_string(), &machine.isa().load_row(piece))
}

/// As [`load`], for rows of `width` bytes; the rest of each part is zero.
pub(crate) fn load_part(machine: &Machine, helpers: &mut Helpers, width: u32) -> String {
    match width {
        16 => load(machine, helpers, 16),
        _ => load_named(machine, helpers, &format!("{width}_only"), &machine.isa().load_narrow_row(width)),
    }
}

/// A function that loads all parts, and the function it needs that loads one part.
fn load_named(machine: &Machine, helpers: &mut Helpers, kind: &str, row: &str) -> String {
    let isa = machine.isa();
    helpers.need(isa.part(), &format!("load_row{kind}"), "const uint8_t *bytes, size_t next", row);
    let row = |part: u32| {
        let address = if part == 0 { "bytes".to_owned() } else { format!("bytes + {part} * part") };
        format!("load_row{kind}({address}, next)")
    };
    let name = format!("load_rows{kind}");
    let parameters = "const uint8_t *bytes, size_t next, size_t part";
    helpers.need(isa.register(), &name, parameters, &isa.join_rows(&row));
    name
}

/// The function that stores the parts of a register to rows, the inverse of [`load`].
pub(crate) fn store(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    store_named(machine, helpers, &piece.to_string(), &machine.isa().store_row(piece))
}

/// As [`store`], for the first `width` bytes of each part.
pub(crate) fn store_part(machine: &Machine, helpers: &mut Helpers, width: u32) -> String {
    match width {
        16 => store(machine, helpers, 16),
        _ => store_named(machine, helpers, &format!("{width}_only"), &machine.isa().store_narrow_row(width)),
    }
}

fn store_named(machine: &Machine, helpers: &mut Helpers, kind: &str, row: &str) -> String {
    let isa = machine.isa();
    let parameters = format!("uint8_t *bytes, size_t next, {} row", isa.part());
    helpers.need("void", &format!("store_row{kind}"), &parameters, row);
    let row = |part: u32, text: &str| {
        let address = if part == 0 { "bytes".to_owned() } else { format!("bytes + {part} * part") };
        format!("    store_row{kind}({address}, next, {text});\n")
    };
    let name = format!("store_rows{kind}");
    let parameters = format!("uint8_t *bytes, size_t next, size_t part, {} rows", isa.register());
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
