//! Tokens of the text form.

use crate::parse::ParseError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    Name(&'a str),
    Number(u64),
    /// A hexadecimal number of more than 64 bits, without `0x`.
    Large(&'a str),
    /// Text between quotation marks.
    Text(&'a str),
    Mark(char),
    End,
}

/// A token and the byte where it starts.
pub type Located<'a> = (Token<'a>, usize);

/// All tokens of a text, the last one [`Token::End`].
pub fn tokens(text: &str) -> Result<Vec<Located<'_>>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            _ if c.is_whitespace() => c.len_utf8(),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
                tokens.push((Token::Name(&rest[..length]), at));
                length
            }
            '0'..='9' => {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                tokens.push(match (number(&rest[..length]), large(&rest[..length])) {
                    (Some(value), _) => (Token::Number(value), at),
                    (None, Some(digits)) => (Token::Large(digits), at),
                    (None, None) => {
                        return Err(ParseError::at(text, at, format!("`{}` is no 64-bit number", &rest[..length])));
                    }
                });
                length
            }
            '"' => {
                let Some(length) = rest[1..].find(['"', '\n']).filter(|end| rest[1 + end..].starts_with('"')) else {
                    return Err(ParseError::at(text, at, "there is no `\"` at the end of this line"));
                };
                tokens.push((Token::Text(&rest[1..1 + length]), at));
                length + 2
            }
            '.' | ',' | ':' | '=' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '*' | '+' | '-' | '@' => {
                tokens.push((Token::Mark(c), at));
                1
            }
            c => return Err(ParseError::at(text, at, format!("`{}` begins no token", c.escape_default()))),
        };
        at += length;
    }
    tokens.push((Token::End, text.len()));
    Ok(tokens)
}

/// Letters, digits, `_` and `'` make names; the first is a letter or `_`.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_name_char)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\''
}

/// The digits of a hexadecimal number of any size.
fn large(digits: &str) -> Option<&str> {
    let hex = digits.strip_prefix("0x")?;
    (!hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hex)
}

fn number(digits: &str) -> Option<u64> {
    match digits.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None => digits.parse().ok(),
    }
}
