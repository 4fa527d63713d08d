//! The stack that a C text asks for: the arrays that its functions declare.

use culet_diag::counted;

/// Types of elements of arrays, with their bytes.
const TYPES: [(&str, u64); 13] = [
    ("uint8_t", 1),
    ("uint16_t", 2),
    ("uint32_t", 4),
    ("uint64_t", 8),
    ("unsigned __int128", 16),
    ("__m128i", 16),
    ("__m256i", 32),
    ("__m512i", 64),
    ("uint8x16_t", 16),
    ("uint16x8_t", 16),
    ("uint32x4_t", 16),
    ("uint64x2_t", 16),
    ("__vector unsigned char", 16),
];

/// Bytes of the arrays with a length in digits that functions of a text declare. No function calls itself, so no more
/// of them is there at a time.
pub(crate) fn arrays(source: &str) -> u64 {
    source.lines().filter(|line| line.starts_with("    ")).map(|line| declared(line.trim_start())).sum()
}

fn declared(line: &str) -> u64 {
    let line = line.strip_prefix("const ").unwrap_or(line);
    let typed = TYPES.iter().find_map(|(name, bytes)| Some((line.strip_prefix(name)?.strip_prefix(' ')?, bytes)));
    let Some((names, bytes)) = typed else { return 0 };
    let (names, _) = names.split_once(" =").or_else(|| names.split_once(';')).unwrap_or((names, ""));
    names.split(", ").map(|name| bytes * elements(name)).sum()
}

/// The number of elements of `name[2][3]`; 0 for what is no array.
fn elements(declarator: &str) -> u64 {
    let mut lengths = declarator.split('[').skip(1).map(|length| length.trim_end_matches(']').parse::<u64>());
    let Some(first) = lengths.next() else { return 0 };
    lengths.fold(first.unwrap_or(0), |product, length| product * length.unwrap_or(0))
}

/// The sentence of a header about the stack.
pub(crate) fn sentence(bytes: u64) -> String {
    match bytes {
        0 => "Stack: no arrays; a C compiler takes what it needs for registers that it spills.".to_owned(),
        _ => format!(
            "Stack: arrays of at most {}; a C compiler adds what it needs for registers that it spills.",
            counted(bytes, "byte")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_functions_are_counted() {
        let text = "static const uint8_t table[9] = {1};\nvoid f(uint8_t r[32])\n{\n    uint8_t bit[256];\n    uint64_t a[5], b[2][3];\n    \
                    const uint64_t c = a[1];\n    const uint32_t d[2] = {1, 2};\n    __m256i v[3];\n    a[4] = 1;\n}\n";
        assert_eq!(arrays(text), 256 + 8 * (5 + 6) + 4 * 2 + 32 * 3);
    }
}
