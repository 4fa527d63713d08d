//! The S-boxes of published ciphers, written from their specifications.
//!
//! The search runs for them, and the tests measure them; the compiler itself knows no cipher.

use crate::table::TableSpec;
use crate::tower::InversionBox;

/// Every name that [`named`] knows. In addition, each permutation has an inverse, called `<name>_inverse`.
pub const NAMES: [&str; 24] = [
    "des_1",
    "des_2",
    "des_3",
    "des_4",
    "des_5",
    "des_6",
    "des_7",
    "des_8",
    "aes",
    "serpent_0",
    "serpent_1",
    "serpent_2",
    "serpent_3",
    "serpent_4",
    "serpent_5",
    "serpent_6",
    "serpent_7",
    "rectangle",
    "present",
    "pyjamask",
    "clyde",
    "skinny",
    "ascon",
    "spongent",
];

/// FIPS 46-3, appendix 1: rows 0 to 3 of S₁ to S₈.
const DES: [[&str; 4]; 8] = [
    ["e4d12fb83a6c5907", "0f74e2d1a6cb9538", "41e8d62bfc973a50", "fc8249175b3ea06d"],
    ["f18e6b34972dc05a", "3d47f28ec01a69b5", "0e7ba4d158c6932f", "d8a13f42b67c05e9"],
    ["a09e63f51dc7b428", "d709346a285ecbf1", "d6498f30b12c5ae7", "1ad069874fe3b52c"],
    ["7de3069a1285bc4f", "d8b56f03472c1ae9", "a690cb7df13e5284", "3f06a1d8945bc72e"],
    ["2c417ab6853fd0e9", "eb2c47d150fa3986", "421bad78f9c5630e", "b8c71e2d6f09a453"],
    ["c1af92680d34e75b", "af427c9561de0b38", "9ef528c3704a1db6", "432c95fabe17608d"],
    ["4b2ef08d3c975a61", "d0b7491ae35c2f86", "14bdc37eaf680592", "6bd814a7950fe23c"],
    ["d2846fb1a93e50c7", "1fd8a374c56b0e92", "7b419ce206adf358", "21e74a8dfc90356b"],
];

/// Serpent: A Proposal for the Advanced Encryption Standard, appendix A.5.
const SERPENT: [&str; 8] = [
    "38f1a65bed42709c",
    "fc27905a1be86d34",
    "86793cafd1e40b52",
    "0fb8c963d124a75e",
    "1f83c0b6254a9e7d",
    "f52b4a9c03e8d671",
    "72c5846be91fd3a0",
    "1df0e82b74ca9356",
];

/// The table of a box of [`NAMES`] or of its inverse.
pub fn named(name: &str) -> Option<TableSpec> {
    if let Some(forward) = name.strip_suffix("_inverse") {
        return named(forward)?.inverse();
    }
    let numbered = |prefix| name.strip_prefix(prefix).and_then(|digit| digit.parse::<usize>().ok());
    if let Some(rows) = numbered("des_").and_then(|number| DES.get(number.wrapping_sub(1))) {
        return Some(des(rows));
    }
    if let Some(digits) = numbered("serpent_").and_then(|number| SERPENT.get(number)) {
        return Some(hexadecimal(digits));
    }
    Some(match name {
        "aes" => InversionBox::aes().table(),
        // RECTANGLE: A Bit-slice Lightweight Block Cipher Suitable for Multiple Platforms, table 1.
        "rectangle" => hexadecimal("65ca1e79b03d8f42"),
        // PRESENT: An Ultra-Lightweight Block Cipher, section 3.
        "present" => hexadecimal("c56b90ad3ef84712"),
        // Pyjamask v1.0, section 2.3: S₄.
        "pyjamask" => hexadecimal("2d397ba6e0f4851c"),
        // SPONGENT: The Design Space of Lightweight Cryptographic Hashing, section 2.
        "spongent" => hexadecimal("edb0214f7a859c36"),
        "clyde" => clyde(),
        "skinny" => skinny(),
        "ascon" => ascon(),
        _ => return None,
    })
}

fn table(inputs: u32, outputs: u32, value: impl Fn(u64) -> u64) -> TableSpec {
    TableSpec { inputs, outputs, values: (0..1 << inputs).map(value).collect() }
}

fn hexadecimal(digits: &str) -> TableSpec {
    let values: Vec<u64> = digits.chars().filter_map(|digit| digit.to_digit(16)).map(u64::from).collect();
    TableSpec { inputs: values.len().ilog2(), outputs: 4, values }
}

/// A box of DES: the outer two bits of the index select the row, the inner four the column.
fn des(rows: &[&str; 4]) -> TableSpec {
    let rows: Vec<u64> = rows.iter().flat_map(|row| hexadecimal(row).values).collect();
    table(6, 4, |index| rows[(16 * (index >> 4 & 2 | index & 1) + (index >> 1 & 15)) as usize])
}

/// Spook, section 2.2: the steps of the S-box of Clyde-128, whose word 0 holds the least significant bits.
fn clyde() -> TableSpec {
    table(4, 4, |x| {
        let [x0, x1, x2, x3] = [0, 1, 2, 3].map(|bit| x >> bit & 1);
        let y1 = (x0 & x1) ^ x2;
        let y0 = (x3 & x0) ^ x1;
        let y3 = (y1 & x3) ^ x0;
        let y2 = (y0 & y1) ^ x3;
        y3 << 3 | y2 << 2 | y1 << 1 | y0
    })
}

/// The SKINNY Family of Block Ciphers, section 2.3: four rounds of two `nor`s, with a permutation of the bits after
/// each but the last, which only swaps bits 1 and 2.
fn skinny() -> TableSpec {
    let nors = |x: u64| {
        let nor = |a: u64, b: u64| !(x >> a | x >> b) & 1;
        x ^ nor(7, 6) << 4 ^ nor(3, 2)
    };
    let permute = |x: u64, from: [u64; 8]| from.iter().fold(0, |y, bit| y << 1 | x >> bit & 1);
    table(8, 8, |x| {
        let x = (0..3).fold(x, |x, _| permute(nors(x), [2, 1, 7, 6, 4, 0, 3, 5]));
        permute(nors(x), [7, 6, 5, 4, 3, 1, 2, 0])
    })
}

/// Ascon v1.2, section 2.6.2: χ between two linear maps; x₀ is the most significant bit.
fn ascon() -> TableSpec {
    table(5, 5, |index| {
        let mut x: [u64; 5] = std::array::from_fn(|i| index >> (4 - i) & 1);
        x[0] ^= x[4];
        x[4] ^= x[3];
        x[2] ^= x[1];
        let mut y: [u64; 5] = std::array::from_fn(|i| x[i] ^ (x[(i + 1) % 5] ^ 1) & x[(i + 2) % 5]);
        y[1] ^= y[0];
        y[0] ^= y[4];
        y[3] ^= y[2];
        y[2] ^= 1;
        y.iter().fold(0, |value, bit| value << 1 | bit)
    })
}
