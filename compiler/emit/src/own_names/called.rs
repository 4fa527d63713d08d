//! Functions of a C file's own that nothing in it calls: compilers warn of them, and readers look for their callers.
//!
//! The writers put in front of a program all functions that a target has for its registers. Those that the program does not call
//! are taken out here.

use std::collections::HashSet;
use std::ops::Range;

use super::{Kind, Token, tokens};

/// A function that no other file can call.
#[derive(Debug)]
struct Function<'t> {
    name: &'t str,
    /// The function's bytes in the text.
    at: Range<usize>,
    /// The words in its declaration and its body.
    words: Vec<&'t str>,
}

/// Returns the text without the `static` functions that are called neither outside these functions nor by one of them that stays, and without
/// the comments that stand directly before them.
pub(crate) fn without_uncalled(text: &str) -> String {
    let tokens = tokens(text);
    let functions = functions(text, &tokens);
    let is_outside = |token: &&Token| !functions.iter().any(|function| function.at.contains(&token.at.start));
    let words = tokens.iter().filter(|token| token.kind == Kind::Word);
    let mut called: HashSet<&str> = words.filter(is_outside).map(|token| &text[token.at.clone()]).collect();
    let mut waiting: Vec<&Function<'_>> = functions.iter().collect();
    loop {
        let (found, others): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|function| called.contains(function.name));
        called.extend(found.iter().flat_map(|function| &function.words));
        waiting = others;
        if found.is_empty() {
            break;
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for function in waiting {
        let before = &text[done..function.at.start];
        out.push_str(&before[..before.len() - comment_at_end(before)]);
        let rest = &text[function.at.end..];
        done = function.at.end + rest.len() - rest.trim_start_matches('\n').len();
    }
    out.push_str(&text[done..]);
    out
}

/// Bytes of the comment on lines of its own at the end of a text; 0, if there is none.
fn comment_at_end(text: &str) -> usize {
    let begin = if text.ends_with("*/\n") { text.rfind("/*") } else { None };
    begin.filter(|&at| at == 0 || text.as_bytes()[at - 1] == b'\n').map_or(0, |at| text.len() - at)
}

/// The `static` functions of a text, in order.
fn functions<'t>(text: &'t str, tokens: &[Token]) -> Vec<Function<'t>> {
    let mut found = Vec::new();
    // Where a definition began, the name before its parameters with whether the function is the file's own, and the nesting.
    let (mut first, mut name, mut depth) = (0, None, 0u32);
    for (index, token) in tokens.iter().enumerate() {
        if token.directive.is_some() {
            if depth == 0 {
                (first, name) = (index + 1, None);
            }
            continue;
        }
        let word = |index: usize| &text[tokens[index].at.clone()];
        match token.kind {
            Kind::Mark(b'(') if depth == 0 && index > first && name.is_none() && word(index - 1) != "__attribute__" => {
                let is_own = (first..index).any(|at| word(at) == "static");
                name = Some((word(index - 1), is_own));
                depth = 1;
            }
            Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
            Kind::Mark(mark @ (b')' | b']' | b'}')) => {
                depth = depth.saturating_sub(1);
                if mark == b'}' && depth == 0 {
                    if let Some((name, true)) = name {
                        let words = (first..=index).filter(|&at| tokens[at].kind == Kind::Word).map(word).collect();
                        found.push(Function { name, at: tokens[first].at.start..token.at.end, words });
                    }
                    (first, name) = (index + 1, None);
                }
            }
            Kind::Mark(b';') if depth == 0 => (first, name) = (index + 1, None),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/* terms */
#include <stdint.h>

#if defined(__GNUC__)
#define ONCE \\
    __attribute__((noinline))
#else
#define ONCE inline
#endif
typedef uint64_t lanes __attribute__((vector_size(32)));

/* Only the next one calls it. */
static inline int first(int a)
{
#if defined(__clang__)
    a += 1;
#endif
    return a;
}

static inline int second(int a)
{
    return first(a) + second(a - 1);
}

/* It stays. */
static ONCE uint32_t load(const uint8_t *bytes)
{
    return bytes[0];
}

static const uint8_t table[2] = { 1, 2 };

static inline __attribute__((always_inline)) uint32_t last(void)
{
    return 1;
}

void f(uint8_t *out)
{
    static const uint8_t table_of_f[1] = { 1 };
    out[0] = (uint8_t)load(table);
}
";

    #[test]
    fn functions_that_nothing_calls_are_taken_out_and_all_else_stays() {
        let expected = {
            let [before, rest] = [FILE.find("/* Only"), FILE.find("/* It stays")].map(Option::unwrap);
            let [last, end] = [FILE.find("static inline __attribute__"), FILE.find("void f")].map(Option::unwrap);
            [&FILE[..before], &FILE[rest..last], &FILE[end..]].concat()
        };
        assert_eq!(without_uncalled(FILE), expected);
        assert_eq!(without_uncalled(&expected), expected);
        let called = FILE.replace("load(table)", "second(last())");
        assert!(["first", "second", "last"].iter().all(|name| without_uncalled(&called).contains(name)));
        assert!(!without_uncalled(&called).contains("load"));
    }
}
