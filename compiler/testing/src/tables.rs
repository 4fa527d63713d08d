//! The tables of random programs. They are few, so that a circuit is found once for each, and mostly published ones,
//! whose circuits are known.

use culet_types::program::Table;

/// Inputs, outputs, values.
type Values = (u32, u32, &'static [u64]);

const TABLES: [Values; 6] = [
    (1, 1, &[1, 0]),
    (2, 1, &[0, 1, 1, 0]),
    (3, 2, &[0, 1, 1, 2, 1, 2, 2, 3]),
    // PRESENT (Bogdanov et al. 2007, table 1).
    (4, 4, &[0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2]),
    // Serpent S1 (Anderson, Biham, Knudsen 1998, appendix A.5).
    (4, 4, &[0xf, 0xc, 2, 7, 9, 0, 5, 0xa, 1, 0xb, 0xe, 8, 6, 0xd, 3, 4]),
    // Ascon (NIST SP 800-232, table 6).
    (
        5,
        5,
        &[
            0x04, 0x0b, 0x1f, 0x14, 0x1a, 0x15, 0x09, 0x02, 0x1b, 0x05, 0x08, 0x12, 0x1d, 0x03, 0x06, 0x1c, 0x1e, 0x13,
            0x07, 0x0e, 0x00, 0x0d, 0x11, 0x18, 0x10, 0x0c, 0x01, 0x19, 0x16, 0x0a, 0x0f, 0x17,
        ],
    ),
];

pub(crate) fn table(number: u32) -> Table {
    let (inputs, outputs, values) = TABLES[number as usize % TABLES.len()];
    Table { inputs, outputs, values: values.to_vec() }
}
