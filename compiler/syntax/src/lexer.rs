//! The lexer: from text to tokens. It reports characters that form no token, and continues.

use culet_diag::codes::syntax::{E0101, E0102, E0103, E0104, W0104};
use culet_diag::{Diagnostic, FileId, Span};

use crate::token::{Keyword, Token, TokenKind};

/// Maximum number of digits of a literal. Reading more would take quadratic time, and no word is that wide.
pub(crate) const MAX_DIGITS: usize = 4096;
/// Maximum number of errors that are kept; the parser gives up after the same number.
const MAX_ERRORS: usize = 100;

/// The tokens of a text. The last one is always [`TokenKind::End`].
pub(crate) fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, bytes: text.as_bytes(), position: 0, tokens: Vec::new(), errors: Vec::new() };
    if text.starts_with('\u{feff}') {
        lexer.position = '\u{feff}'.len_utf8();
    }
    while lexer.token() {}
    (lexer.tokens, lexer.errors)
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    bytes: &'t [u8],
    position: usize,
    tokens: Vec<Token>,
    errors: Vec<Diagnostic>,
}

impl Lexer<'_> {
    /// Reads one token. Returns false after the last one.
    fn token(&mut self) -> bool {
        self.skip_blanks();
        let start = self.position;
        let Some(&byte) = self.bytes.get(start) else {
            self.push(TokenKind::End, start);
            return false;
        };
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => return self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            _ => match self.symbol() {
                Some((kind, length)) => {
                    self.position += length;
                    self.push(kind, start);
                }
                None => self.unknown(),
            },
        }
        true
    }

    fn report(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, start: start as u32, end: self.position as u32 });
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.position)
    }

    fn skip_while(&mut self, predicate: impl Fn(u8) -> bool) {
        while self.bytes.get(self.position).is_some_and(|&byte| predicate(byte)) {
            self.position += 1;
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c));
            match (self.peek(0), self.peek(1)) {
                (b'#', _) => self.hash(),
                (b'/', b'/') => self.skip_while(|byte| byte != b'\n'),
                (b'/', b'*') => self.comment_of_c(),
                _ => return,
            }
        }
    }

    /// Passes over a comment that starts with `#`, and warns if another language would obey it.
    fn hash(&mut self) {
        const DIRECTIVES: [&str; 6] = ["#define", "#ifdef", "#ifndef", "#include", "#pragma", "#undef"];
        let start = self.position;
        self.skip_while(|byte| !byte.is_ascii_whitespace());
        if DIRECTIVES.contains(&&self.text[start..self.position]) {
            let message = "`#` starts a comment: this line does nothing";
            let remedy = "`const n : u32 = 4` defines a constant, `include \"sbox.ua\"` reads another file";
            self.report(Diagnostic::warning(&W0104, self.span(start), message).note(remedy));
        }
        self.skip_while(|byte| byte != b'\n');
    }

    /// Reports a comment between `/*` and `*/`, and passes over it.
    fn comment_of_c(&mut self) {
        let start = self.position;
        self.position += 2;
        let span = self.span(start);
        let rest = &self.text[self.position..];
        self.position += rest.find("*/").map_or(rest.len(), |length| length + 2);
        let error = Diagnostic::error(&E0101, span, "there are no comments between `/*` and `*/`");
        self.report(error.note("a comment starts with `//` or `#`, and ends with the line"));
    }

    /// Reads a name, keyword, type word or `__END__`. Returns false at `__END__`.
    fn word(&mut self) -> bool {
        let start = self.position;
        self.skip_while(is_word);
        match &self.text[start..self.position] {
            "__END__" => {
                self.position = start;
                self.push(TokenKind::End, start);
                return false;
            }
            "u" | "b" | "v" if self.direction() => self.push(TokenKind::DirectedType, start),
            text => {
                let kind = Keyword::find(text).map_or(TokenKind::Ident, TokenKind::Keyword);
                self.push(kind, start);
            }
        }
        true
    }

    /// After `u`, `b` or `v`: reads `<dir>size` if it follows. `b<i>(x)` is a call instead.
    fn direction(&mut self) -> bool {
        let after_letter = self.position;
        if self.peek(0) == b'<' {
            self.position += 1;
            self.skip_while(is_word);
            if self.peek(0) == b'>' && matches!(self.peek(1), b'0'..=b'9' | b'\'') {
                self.position += 1;
                self.skip_while(is_word);
                return true;
            }
        }
        self.position = after_letter;
        false
    }

    fn number(&mut self) {
        let start = self.position;
        self.skip_while(is_word);
        let text = &self.text[start..self.position];
        let hexadecimal = text.strip_prefix("0x").filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let is_number = match hexadecimal {
            Some(digits) => !digits.is_empty(),
            None => text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0')),
        };
        if !is_number {
            let error = self.malformed_number(start, text);
            self.report(error);
        } else if text.len() > MAX_DIGITS {
            let message = format!("a number of {} digits is too large", text.len());
            self.report(Diagnostic::error(&E0103, self.span(start), message));
        }
        let is_fraction = is_number && self.peek(0) == b'.' && self.peek(1).is_ascii_digit();
        if is_fraction {
            self.position += 1;
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        self.push(if is_fraction { TokenKind::Decimal } else { TokenKind::Integer }, start);
    }

    fn malformed_number(&self, start: usize, text: &str) -> Diagnostic {
        let span = self.span(start);
        let error = |message: &str| Diagnostic::error(&E0102, span, message);
        let shown = |digits: &str| digits.len() <= 64;
        let plain: String = text.chars().filter(|&c| c != '_').collect();
        if plain.bytes().all(|b| b.is_ascii_digit()) && plain.starts_with('0') {
            let trimmed = plain.trim_start_matches('0');
            let trimmed = if trimmed.is_empty() { "0" } else { trimmed };
            return error("a decimal number does not start with `0`").label("these are several numbers in a row").fix(
                span,
                trimmed,
                "remove the leading zeros; octal numbers do not exist",
            );
        }
        let is_number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()),
            None => !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()),
        };
        if plain.len() < text.len() && is_number(&plain) && shown(text) {
            return error("a number has no `_` between its digits").fix(span, plain, "remove the `_`");
        }
        if let Some(digits) = text.strip_prefix("0b").or(text.strip_prefix("0B")).filter(|digits| shown(digits))
            && let Ok(value) = u64::from_str_radix(digits, 2)
        {
            return error("there are no binary numbers").fix(span, format!("{value:#x}"), "write it in hexadecimal");
        }
        if let Some(digits) =
            text.strip_prefix("0X").filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()))
        {
            return error("`0x` is written in lower case").fix(span, format!("0x{digits}"), "write `0x`");
        }
        if text == "0x" {
            return error("hexadecimal digits are missing after `0x`");
        }
        let unsuffixed = text.trim_end_matches(['u', 'U', 'l', 'L']);
        if unsuffixed.len() < text.len() && is_number(unsuffixed) && shown(text) {
            return error("a number has no letters behind it").fix(
                span,
                unsuffixed,
                "remove them; `1 : u64` gives a type",
            );
        }
        if text.contains('\'') {
            return error("this is no number").note("write `0xff`, and `0xff : u8` where the size is not clear");
        }
        if text.starts_with("0x") {
            return error("this is no hexadecimal number").note("its digits are `0` to `9`, `a` to `f` and `A` to `F`");
        }
        let name = text.trim_start_matches(|c: char| c.is_ascii_digit());
        if !name.starts_with(['b', 'i', 'u', '_', 'e']) && shown(text) {
            let product = format!("{} * {name}", &text[..text.len() - name.len()]);
            return error("this is neither a number nor a name").note(format!("a product has its sign: `{product}`"));
        }
        error("this is neither a number nor a name")
            .label("a name starts with a letter or `_`")
            .note("a literal gets a type by `:`, as in `12:u8`")
    }

    fn string(&mut self) {
        let start = self.position;
        self.position += 1;
        self.skip_while(|byte| byte != b'"' && byte != b'\n');
        if self.peek(0) == b'"' {
            self.position += 1;
        } else {
            let error = Diagnostic::error(&E0104, self.span(start), "this string is not closed")
                .label("`\"` is missing at the end of the line");
            self.report(error);
        }
        self.push(TokenKind::String, start);
    }

    /// Reports quotes as text processors write them, and reads what stands between them as a string.
    fn string_in_typographic_quotes(&mut self) -> bool {
        let is_quote = |c: char| matches!(c, '“' | '”' | '„');
        let start = self.position;
        let line = self.text[start..].lines().next().unwrap_or_default();
        let mut inside = line.strip_prefix(is_quote).unwrap_or_default().split([' ', '(', ')', ';', '"']);
        let Some((name, closing)) = inside.next().and_then(|word| Some((word, word.find(is_quote)?))) else {
            return false;
        };
        let name = &name[..closing];
        let quote = |text: &str| text.chars().next().map_or(0, char::len_utf8);
        let opening = quote(line);
        self.position += opening + name.len() + quote(&line[opening + name.len()..]);
        let span = self.span(start);
        let error = Diagnostic::error(&E0101, span, "a string stands in straight quotes");
        let plain = format!("\"{name}\"");
        self.report(error.fix(span, &plain, format!("write `{plain}`")));
        self.push(TokenKind::String, start);
        true
    }

    /// The longest symbol at the position, and its length.
    fn symbol(&self) -> Option<(TokenKind, usize)> {
        let (one, two, three) = (self.peek(0), self.peek(1), self.peek(2));
        Some(match (one, two, three) {
            (b'<', b'<', b'<') => (TokenKind::RotateLeft, 3),
            (b'>', b'>', b'>') => (TokenKind::RotateRight, 3),
            (b'>', b'>', b'!') => (TokenKind::ShiftRightArithmetic, 3),
            (b'<', b'<', _) => (TokenKind::ShiftLeft, 2),
            (b'>', b'>', _) => (TokenKind::ShiftRight, 2),
            (b'.', b'.', _) => (TokenKind::DotDot, 2),
            (b'<', ..) => (TokenKind::Less, 1),
            (b'>', ..) => (TokenKind::Greater, 1),
            (b'(', ..) => (TokenKind::LeftParen, 1),
            (b')', ..) => (TokenKind::RightParen, 1),
            (b'[', ..) => (TokenKind::LeftBracket, 1),
            (b']', ..) => (TokenKind::RightBracket, 1),
            (b'{', ..) => (TokenKind::LeftBrace, 1),
            (b'}', ..) => (TokenKind::RightBrace, 1),
            (b',', ..) => (TokenKind::Comma, 1),
            (b';', ..) => (TokenKind::Semicolon, 1),
            (b':', ..) => (TokenKind::Colon, 1),
            (b'=', ..) => (TokenKind::Equal, 1),
            (b'?', ..) => (TokenKind::Question, 1),
            (b'&', ..) => (TokenKind::And, 1),
            (b'|', ..) => (TokenKind::Or, 1),
            (b'^', ..) => (TokenKind::Xor, 1),
            (b'+', ..) => (TokenKind::Plus, 1),
            (b'-', ..) => (TokenKind::Minus, 1),
            (b'*', ..) => (TokenKind::Star, 1),
            (b'/', ..) => (TokenKind::Slash, 1),
            (b'%', ..) => (TokenKind::Percent, 1),
            (b'~' | b'!', ..) => (TokenKind::Not, 1),
            _ => return None,
        })
    }

    /// Reports one error for a run of unknown characters. A character that only looks different from the intended one
    /// is read as that one.
    fn unknown(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return };
        if self.string_in_typographic_quotes() {
            return;
        }
        let meant = look_alike(first);
        let run = rest.chars().take_while(|&c| is_unknown(c) && look_alike(c).is_none());
        let length = run.map(char::len_utf8).sum::<usize>().max(first.len_utf8());
        self.position += length;
        let span = self.span(start);
        let what = if length == first.len_utf8() {
            format!("the character {first:?} is not part of the language")
        } else {
            format!("these characters, from {first:?} on, are not part of the language")
        };
        let mut error = Diagnostic::error(&E0101, span, what);
        if first == '\'' {
            error = error.note("there are no characters: a byte is a number, `0x61`");
        }
        if first == '@' {
            error = error.note(match rest[1..].trim_start().starts_with('(') {
                true => "an equation says at once what a value is, and has no clock: `b = a ^ c`",
                false => "attributes begin with `_`: `_inline node f …`; `_unroll forall …`",
            });
        }
        if first == '.' {
            error = error.note(idiom_for_method(rest));
        }
        if let Some((ascii, kind)) = meant {
            error = error.fix(span, ascii, format!("write `{ascii}`"));
            self.tokens.extend(kind.map(|kind| Token { kind, start: span.start, end: span.end }));
        } else {
            self.push(TokenKind::Unknown, start);
        }
        self.report(error);
    }
}

/// The way to say here what `.word` says elsewhere, behind a value.
fn idiom_for_method(rest: &str) -> &'static str {
    let word = rest[1..].trim_start_matches('_');
    if ["wrapping_", "overflowing_"].iter().any(|start| word.starts_with(start)) {
        return "arithmetic of words always wraps around: `a + b`, `a - b`, `a * b`";
    }
    if word.starts_with("rotate_") {
        return "rotations are operators: `x <<< 7` to the left, `x >>> 7` to the right";
    }
    if ["to_", "from_"].iter().any(|start| word.starts_with(start)) && (word.contains("bytes") || word.contains("bits"))
    {
        return "bytes are joined by `le<u32>(x)` or `be<u32>(x)`, and a word is cut by `le<u8>(x)` or `be<u8>(x)`";
    }
    "a value has no methods and no named parts: `f(x)` calls a node, `x[0]` is an element; a file has its name in quotes"
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

fn is_unknown(c: char) -> bool {
    !c.is_ascii()
        || matches!(c, '.' | '@' | '$' | '\\' | '`' | '\'')
        || (c.is_ascii_control() && !c.is_ascii_whitespace())
}

/// The ASCII character that is meant by a character with which editors and PDF files replace it, and its token, if it
/// has one.
fn look_alike(c: char) -> Option<(&'static str, Option<TokenKind>)> {
    let (ascii, kind) = match c {
        '⊕' => ("^", TokenKind::Xor),
        '∧' => ("&", TokenKind::And),
        '∨' => ("|", TokenKind::Or),
        '¬' => ("~", TokenKind::Not),
        '⊞' => ("+", TokenKind::Plus),
        '×' | '·' => ("*", TokenKind::Star),
        '–' | '—' | '−' => ("-", TokenKind::Minus),
        '⋘' => ("<<<", TokenKind::RotateLeft),
        '⋙' => (">>>", TokenKind::RotateRight),
        '≪' => ("<<", TokenKind::ShiftLeft),
        '≫' => (">>", TokenKind::ShiftRight),
        '…' => ("..", TokenKind::DotDot),
        '←' => ("=", TokenKind::Equal),
        '‘' | '’' | '′' => return Some(("'", None)),
        '“' | '”' => return Some(("\"", None)),
        '\u{a0}' => return Some((" ", None)),
        _ => return None,
    };
    Some((ascii, Some(kind)))
}
