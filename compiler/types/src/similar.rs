//! Names that are probably meant by others.

/// The known name that differs from `name` by the fewest single-letter changes, if these are few.
pub(crate) fn most_similar<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = (name.len() / 3).clamp(1, 3);
    known
        .filter(|k| !k.is_empty() && k.len() <= 64 && name.len() <= 64)
        .map(|k| (distance(name.as_bytes(), k.as_bytes()), k))
        .filter(|&(d, k)| d <= allowed && d < k.len().max(name.len()))
        .min()
        .map(|(_, k)| k)
}

/// Levenshtein's distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_found() {
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(most_similar("statee", ["state", "key"].into_iter()), Some("state"));
        assert_eq!(most_similar("x", ["key", "state"].into_iter()), None);
        assert_eq!(most_similar("a", ["b"].into_iter()), None);
    }
}
