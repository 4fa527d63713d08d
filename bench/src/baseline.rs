//! usubac's measured figures: `bench/data/usubac-baseline.tsv` and `bench/data/usubac-inlining.tsv`.

use std::collections::BTreeMap;

/// A cipher in a slicing on an architecture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub cipher: String,
    pub slicing: String,
    pub architecture: String,
}

const TABLE: &str = include_str!("../data/usubac-baseline.tsv");
const INLINING: &str = include_str!("../data/usubac-inlining.tsv");

/// Core cycles for each tick on the machine that measured the table, when idle.
pub const CORE_CYCLES_PER_TICK: f64 = 1.53;

/// For every row, the best median in ticks a byte, over variants, compilers and flags.
pub fn best() -> BTreeMap<Row, f64> {
    let mut best = BTreeMap::new();
    for line in TABLE.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [cipher, slicing, architecture, _, _, _, median, ..] = fields[..] else { continue };
        let Ok(median) = median.parse::<f64>() else { continue };
        let row = Row { cipher: cipher.into(), slicing: slicing.into(), architecture: architecture.into() };
        best.entry(row).and_modify(|b: &mut f64| *b = b.min(median)).or_insert(median);
    }
    best
}

/// The speed of one variant of a cipher relative to another: `base`, `inter2`, `nosched`, … with one C compiler
/// (`gcc12`, `clang19`) and `-O3 -march=native`.
pub fn speed(cipher: &str, architecture: &str, compiler: &str, of: &str, to: &str) -> Option<f64> {
    let median = |wanted: &str| {
        TABLE.lines().skip(1).find_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, _, arch, variant, cc, "O3native", median, ..] = fields[..] else { return None };
            let is_it = (name, arch, variant, cc) == (cipher, architecture, wanted, compiler);
            is_it.then(|| median.parse::<f64>().ok()).flatten()
        })
    };
    Some(median(to)? / median(of)?)
}

/// The speed of a bitsliced cipher with everything inlined relative to that with nothing inlined.
pub fn inlining(cipher: &str, architecture: &str, compiler: &str) -> Option<f64> {
    let median = |wanted: &str| {
        INLINING.lines().skip(1).find_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, arch, cc, variant, median, ..] = fields[..] else { return None };
            let is_it = (name, arch, cc, variant) == (cipher, architecture, compiler, wanted);
            is_it.then(|| median.parse::<f64>().ok()).flatten()
        })
    };
    Some(median("noinline")? / median("inlineall")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected ratios are the table's own medians, divided by hand.
    #[test]
    fn ratios_come_from_the_tables() {
        assert_eq!(inlining("Rectangle-bs", "avx", "clang19"), Some(2.144 / 1.002));
        assert_eq!(inlining("Rectangle-bs", "sse", "clang19"), None);
        assert_eq!(speed("AES-hs", "sse", "gcc12", "inter2", "base"), Some(3.259 / 2.697));
        assert_eq!(speed("AES-hs", "sse", "gcc12", "inter9", "base"), None);
    }
}
