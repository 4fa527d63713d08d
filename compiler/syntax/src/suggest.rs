//! The known word that was probably meant by a misspelled one.

/// The candidate closest to `word`, if it is close: one edit for short words, two for longer ones.
pub(crate) fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let length = word.chars().count();
    if !(2..=24).contains(&length) {
        return None;
    }
    let allowed = if length <= 4 { 1 } else { 2 };
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other,
/// ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let words = ["node", "table", "perm", "returns"];
        assert_eq!(closest("ndoe", words), Some("node"));
        assert_eq!(closest("retruns", words), Some("returns"));
        assert_eq!(closest("return", words), Some("returns"));
        assert_eq!(closest("Table", words), Some("table"));
        assert_eq!(closest("cipher", words), None);
        assert_eq!(closest("x", words), None);
    }
}
