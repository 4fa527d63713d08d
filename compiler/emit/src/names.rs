//! C identifiers from file stems and the names of programs.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The prefix of a kernel's public names: the stem as an identifier that the C standard leaves to users. Public names
/// add an underscore and a word to it, so it may be a keyword.
pub(crate) fn prefix(stem: &str) -> String {
    let ident = identifier(stem);
    if ident.starts_with(|c: char| c.is_ascii_alphabetic()) { ident } else { format!("k{ident}") }
}

/// The prefix of a kernel's macros: its public prefix with letters of the other case, so that prefixes that differ in case
/// only have macros and include guards of their own.
pub fn capitals(prefix: &str) -> String {
    let other = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    prefix.chars().map(other).collect()
}

/// The name with one `_` where it has several in a row, which Rust warns about.
pub(crate) fn single_underscores(name: &str) -> String {
    let mut single = String::with_capacity(name.len());
    for c in name.chars() {
        if c != '_' || !single.ends_with('_') {
            single.push(c);
        }
    }
    single
}

/// A part of a name in Rust, as its compiler wants names of functions and variables.
pub(crate) fn snake(name: &str) -> String {
    let name = single_underscores(&identifier(name)).trim_matches('_').to_ascii_lowercase();
    if name.is_empty() { "x".to_owned() } else { name }
}

/// The name with every character that identifiers do not have replaced by `_`.
pub(crate) fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A name that is not reserved: the symbol itself, or one with an underscore more. Different symbols give different names.
pub(crate) fn unreserved(symbol: String, is_reserved: impl Fn(&str) -> bool) -> String {
    let shortest = symbol.trim_end_matches('_').len();
    if (shortest..=symbol.len()).any(|length| is_reserved(&symbol[..length])) { symbol + "_" } else { symbol }
}

/// The names of `c_names.txt` after its comment, sorted.
static OF_C: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("c_names.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// Whether a name belongs to the C library, or is a macro of a standard header: a function of that name would take the
/// library's place when it is linked, and a macro would break a declaration.
pub(crate) fn is_of_c_library(name: &str) -> bool {
    OF_C.binary_search(&name).is_ok()
}

/// Hands out names, each once, whatever their case.
#[derive(Debug, Default)]
pub(crate) struct Distinct(HashSet<String>);

impl Distinct {
    pub fn take(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while !self.0.insert(candidate.to_ascii_uppercase()) {
            candidate = format!("{name}{number}");
            number += 1;
        }
        candidate
    }
}

/// Text that may stand in a C comment: nothing in it ends the comment or looks like the start of another.
pub(crate) fn comment(text: &str) -> String {
    let one_line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line.replace("*/", "*\\/").replace("/*", "/\\*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreserved_names_stay_different() {
        let name = |symbol: &str| unreserved(symbol.to_owned(), |name| ["exp", "x_"].contains(&name));
        let symbols = ["exp", "exp_", "exp__", "x", "x_", "x__", "ex", "_"];
        assert_eq!(symbols.map(name), ["exp_", "exp__", "exp___", "x", "x__", "x___", "ex", "_"]);
    }

    #[test]
    fn prefixes_are_identifiers() {
        assert_eq!(prefix("aes-128"), "aes_128");
        assert_eq!(prefix("3des"), "k3des");
        assert_eq!(prefix("_x"), "k_x");
        assert_eq!(prefix(""), "k");
        assert_eq!(prefix("é"), "k_");
    }

    #[test]
    fn prefixes_that_differ_in_case_have_macros_of_their_own() {
        assert_eq!(capitals("my_cipher2"), "MY_CIPHER2");
        assert_eq!(capitals("My_cipher2"), "mY_CIPHER2");
        assert_eq!(capitals("MY_CIPHER2"), "my_cipher2");
    }

    #[test]
    fn names_of_the_c_library_are_known() {
        assert!(OF_C.is_sorted() && OF_C.len() > 3000);
        for name in ["exp", "abs", "y1", "memcpy", "malloc", "rand", "NULL", "stdin", "bool", "isnan", "I"] {
            assert!(is_of_c_library(name), "{name}");
        }
        for name in ["x25519", "poly1305", "aes128", "fe_mul", "key", "out"] {
            assert!(!is_of_c_library(name), "{name}");
        }
    }

    #[test]
    fn names_that_differ_in_case_only_are_told_apart() {
        let mut names = Distinct::default();
        assert_eq!([names.take("x"), names.take("X"), names.take("x")], ["x", "X2", "x3"]);
    }

    #[test]
    fn comments_cannot_be_ended() {
        assert_eq!(comment("a */ b\n/* c"), "a *\\/ b /\\* c");
    }
}
