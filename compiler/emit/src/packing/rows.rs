//! Rows of 16 bytes: from memory into the parts of a register, and back.
//!
//! A row is 16 neighbouring bytes of a block, or pieces of 8, 4 or 2 bytes of as many neighbouring blocks as fill it.

use crate::helpers::Helpers;
use crate::machine::Machine;

/// The function that loads rows `bytes`, `bytes + part`, … into the parts of a register; the pieces of a row are `next`
/// bytes apart.
pub(crate) fn load(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    need_load_row(helpers, piece);
    load_named(machine, helpers, &piece.to_string())
}

fn load_named(machine: &Machine, helpers: &mut Helpers, kind: &str) -> String {
    let t = machine.register();
    let name = format!("load_rows{kind}");
    let row = |part: u32| {
        let address = if part == 0 { "bytes".to_owned() } else { format!("bytes + {part} * part") };
        format!("load_row{kind}({address}, next)")
    };
    let unused = if machine.register_bits == 128 { "    (void)part;\n" } else { "" };
    let body = match machine.register_bits {
        128 => format!("{unused}    return {};\n", row(0)),
        256 => format!("    return _mm256_inserti128_si256(_mm256_castsi128_si256({}), {}, 1);\n", row(0), row(1)),
        _ => format!(
            "    __m512i rows = _mm512_castsi128_si512({});\n    rows = _mm512_inserti32x4(rows, {}, 1);\n    \
             rows = _mm512_inserti32x4(rows, {}, 2);\n    return _mm512_inserti32x4(rows, {}, 3);\n",
            row(0),
            row(1),
            row(2),
            row(3)
        ),
    };
    helpers.need(t, &name, "const uint8_t *bytes, size_t next, size_t part", &body);
    name
}

fn need_load_row(helpers: &mut Helpers, piece: u32) {
    let body = match piece {
        16 => "    (void)next;\n    return _mm_loadu_si128((const __m128i *)bytes);\n".to_owned(),
        8 => "    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)bytes),
                              _mm_loadl_epi64((const __m128i *)(bytes + next)));\n"
            .to_owned(),
        _ => format!(
            "    uint8_t row[16];\n    for (size_t i = 0; i < {}; i++)\n        \
             memcpy(row + {piece} * i, bytes + i * next, {piece});\n    \
             return _mm_loadu_si128((const __m128i *)row);\n",
            16 / piece
        ),
    };
    helpers.need("__m128i", &format!("load_row{piece}"), "const uint8_t *bytes, size_t next", &body);
}

/// The function that stores the parts of a register to rows, the inverse of [`load`].
pub(crate) fn store(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    need_store_row(helpers, piece);
    store_named(machine, helpers, &piece.to_string())
}

fn store_named(machine: &Machine, helpers: &mut Helpers, kind: &str) -> String {
    let name = format!("store_rows{kind}");
    let row = |part: u32, text: &str| {
        let address = if part == 0 { "bytes".to_owned() } else { format!("bytes + {part} * part") };
        format!("    store_row{kind}({address}, next, {text});\n")
    };
    let body = match machine.register_bits {
        128 => format!("    (void)part;\n{}", row(0, "rows")),
        256 => row(0, "_mm256_castsi256_si128(rows)") + &row(1, "_mm256_extracti128_si256(rows, 1)"),
        _ => {
            let parts = (1..4).map(|part| row(part, &format!("_mm512_extracti32x4_epi32(rows, {part})")));
            row(0, "_mm512_castsi512_si128(rows)") + &parts.collect::<String>()
        }
    };
    let parameters = format!("uint8_t *bytes, size_t next, size_t part, {} rows", machine.register());
    helpers.need("void", &name, &parameters, &body);
    name
}

fn need_store_row(helpers: &mut Helpers, piece: u32) {
    let body = match piece {
        16 => "    (void)next;\n    _mm_storeu_si128((__m128i *)bytes, row);\n".to_owned(),
        8 => "    _mm_storel_epi64((__m128i *)bytes, row);
    _mm_storel_epi64((__m128i *)(bytes + next), _mm_unpackhi_epi64(row, row));\n"
            .to_owned(),
        _ => format!(
            "    uint8_t pieces[16];\n    _mm_storeu_si128((__m128i *)pieces, row);\n    \
             for (size_t i = 0; i < {}; i++)\n        memcpy(bytes + i * next, pieces + {piece} * i, {piece});\n",
            16 / piece
        ),
    };
    helpers.need("void", &format!("store_row{piece}"), "uint8_t *bytes, size_t next, __m128i row", &body);
}

/// As [`load`], for rows of `width` bytes; the rest of each part is zero.
pub(crate) fn load_part(machine: &Machine, helpers: &mut Helpers, width: u32) -> String {
    if width == 16 {
        return load(machine, helpers, 16);
    }
    let body = match width {
        8 => "    (void)next;\n    return _mm_loadl_epi64((const __m128i *)bytes);\n".to_owned(),
        _ => format!(
            "    (void)next;\n    __m128i row = _mm_setzero_si128();\n    memcpy(&row, bytes, {width});\n    return row;\n"
        ),
    };
    helpers.need("__m128i", &format!("load_row{width}_only"), "const uint8_t *bytes, size_t next", &body);
    load_named(machine, helpers, &format!("{width}_only"))
}

/// As [`store`], for the first `width` bytes of each part.
pub(crate) fn store_part(machine: &Machine, helpers: &mut Helpers, width: u32) -> String {
    if width == 16 {
        return store(machine, helpers, 16);
    }
    let body = match width {
        8 => "    (void)next;\n    _mm_storel_epi64((__m128i *)bytes, row);\n".to_owned(),
        _ => format!("    (void)next;\n    memcpy(bytes, &row, {width});\n"),
    };
    helpers.need("void", &format!("store_row{width}_only"), "uint8_t *bytes, size_t next, __m128i row", &body);
    store_named(machine, helpers, &format!("{width}_only"))
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
