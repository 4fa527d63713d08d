//! Names of a C file's own: whatever it defines outside functions stands behind the kernel's prefix, so that any number
//! of kernels link and stand in one file.
//!
//! The writers use short names, such as `erase`. Here the names that a text defines outside functions are found, and each
//! is replaced by the prefix and the name, wherever it occurs.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::names::capitals;

mod called;

pub(crate) use called::without_uncalled;

/// Returns the text with the prefix before each function, type, constant and macro that it defines. Macros get the prefix of
/// macros. Names that begin with the prefix already, and names in comments and strings, stay.
pub(crate) fn behind_prefix(text: &str, prefix: &str) -> String {
    let tokens = tokens(text);
    let capitals = capitals(prefix);
    let taken: HashSet<&str> = tokens.iter().map(|token| &text[token.at.clone()]).collect();
    let mut new_names: HashMap<&str, String> = HashMap::new();
    for (name, is_macro) in defined(text, &tokens) {
        let prefix = if is_macro { &capitals } else { prefix };
        let is_behind = name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
        if !is_behind {
            new_names.entry(name).or_insert_with(|| free(&taken, &format!("{prefix}_{name}")));
        }
    }
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut done = 0;
    for token in tokens.iter().filter(|token| token.kind == Kind::Word) {
        if let Some(new) = new_names.get(&text[token.at.clone()]) {
            out.push_str(&text[done..token.at.start]);
            out.push_str(new);
            done = token.at.end;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// The name, or one like it that is not taken.
fn free(taken: &HashSet<&str>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name.as_str()))
        .expect("numbers do not end")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Mark(u8),
    /// A string, a character, or a number.
    Literal,
}

#[derive(Debug)]
struct Token {
    kind: Kind,
    at: Range<usize>,
    /// The directive of the preprocessor that the token is part of, as the position of its `#`.
    directive: Option<usize>,
}

/// Tokens of C without comments, and without lines that include files or stop the compiler.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut directive, mut begins_line) = (0, None, true);
    while at < bytes.len() {
        let start = at;
        let rest = &text[at..];
        let kind = match bytes[at] {
            b'\n' => {
                if at == 0 || bytes[at - 1] != b'\\' {
                    directive = None;
                }
                begins_line = true;
                at += 1;
                continue;
            }
            c if c.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' if begins_line => {
                if rest.starts_with("#include") || rest.starts_with("#error") {
                    at += rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                directive = Some(at);
                at += 1;
                begins_line = false;
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at = (at + 1).min(bytes.len());
                Kind::Literal
            }
            first if is_of_word(first) => {
                at += rest.bytes().take_while(|&c| is_of_word(c)).count();
                if first.is_ascii_digit() { Kind::Literal } else { Kind::Word }
            }
            mark => {
                at += rest.chars().next().map_or(1, char::len_utf8);
                Kind::Mark(mark)
            }
        };
        begins_line = false;
        found.push(Token { kind, at: start..at, directive });
    }
    found
}

fn is_of_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// The names that the text defines outside functions, and whether each is a macro.
fn defined<'t>(text: &'t str, tokens: &[Token]) -> Vec<(&'t str, bool)> {
    let word = |token: &Token| &text[token.at.clone()];
    let mut found = Vec::new();
    let mut depth = 0u32;
    for (index, token) in tokens.iter().enumerate() {
        if let Some(directive) = token.directive {
            let before = index.checked_sub(1).map(|before| &tokens[before]);
            let is_first = before.is_some_and(|before| {
                before.directive == Some(directive) && word(before) == "define" && before.at.start <= directive + 4
            });
            if is_first {
                found.push((word(token), true));
            }
            continue;
        }
        match token.kind {
            Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
            Kind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            Kind::Word if depth == 0 => {
                let next = tokens[index + 1..].iter().find(|next| next.directive.is_none());
                let ends_name = next.is_some_and(|next| match next.kind {
                    Kind::Mark(mark) => matches!(mark, b'(' | b'[' | b'=' | b';' | b'{'),
                    Kind::Word => word(next) == "__attribute__",
                    Kind::Literal => false,
                });
                if ends_name && !is_of_language(word(token)) {
                    found.push((word(token), false));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a word that stands outside functions is one of the language, or a type of a header.
fn is_of_language(word: &str) -> bool {
    const WORDS: [&str; 14] = [
        "char", "const", "extern", "inline", "int", "long", "short", "signed", "static", "struct", "typedef", "union",
        "unsigned", "void",
    ];
    WORDS.contains(&word) || word.ends_with("_t") || word.starts_with('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/* erase */
#include \"erase.h\"
#if defined(__GNUC__)
#define SEPARATE \\
    __attribute__((noinline))
#else
#define SEPARATE
#endif
__extension__ typedef unsigned __int128 wide;
typedef uint64_t lanes __attribute__((vector_size(32)));
typedef uint64_t pair __attribute__((vector_size(16)));
static inline __attribute__((always_inline)) uint32_t load(const uint8_t *b)
{
    return b[0] | '\"';
}
static const uint8_t table[2] = { 1, 2 };
struct work { lanes erase; };
SEPARATE static void erase(void *memory) { wide k_erase2 = 0; say(\"erase\"); erase_more(&k_erase2); }
SEPARATE void k_run(struct work *work) { erase(work); (void)load(table); }
static const struct { char name[8]; } note __attribute__((used)) = { 1 };
void k(void);
";

    #[test]
    fn all_that_a_file_defines_is_behind_its_prefix() {
        let names = |text: &str| {
            let tokens = tokens(text);
            defined(text, &tokens).into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<String>>()
        };
        let own = behind_prefix(FILE, "k");
        let expected = [
            "K_SEPARATE",
            "K_SEPARATE",
            "k_wide",
            "k_lanes",
            "k_pair",
            "k_load",
            "k_table",
            "k_work",
            "k_erase",
            "k_run",
            "k_note",
            "k",
        ];
        assert_eq!(names(&own), expected);
        assert!(
            own.contains("K_SEPARATE void k_run(struct k_work *k_work) { k_erase(k_work); (void)k_load(k_table); }")
        );
        assert!(own.contains("/* erase */\n#include \"erase.h\"\n") && own.contains("say(\"erase\"); erase_more("));
        assert_eq!(behind_prefix(&own, "k"), own, "names that are behind the prefix stay");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let text = "static void f(void) { int k_f = 0; }\n";
        assert_eq!(behind_prefix(text, "k"), "static void k_f_2(void) { int k_f = 0; }\n");
    }
}
