//! Declarations, modifiers and types.

use culet_diag::Diagnostic;
use culet_diag::codes::syntax::{E0103, E0105, E0113, E0120, W0103};

use super::Parser;
use crate::ast::{BaseType, Bits, Declaration, Direction, Ident, Modifier, ModifierKind, Type};
use crate::token::{Keyword, Token, TokenKind};

const FORM_WITH_DIRECTION: &str =
    "with a direction a type is `u<V>32`, `u<V>32x4`, `b<B>8` or `v<H>4`; directions are H, V, B and `'D`";

impl Parser<'_> {
    /// Reads `a, b : u32, c : const v4`, up to the place that `is_end` recognises. The list may be empty.
    pub(super) fn declarations(&mut self, is_end: impl Fn(&Self) -> bool) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        if is_end(self) {
            return declarations;
        }
        loop {
            declarations.extend(self.declaration());
            if self.lost || is_end(self) {
                return declarations;
            }
            let separator = self.here();
            if self.at(TokenKind::Semicolon) {
                self.advance();
                let error = Diagnostic::error(&E0120, separator, "declarations are separated by `,`, not `;`");
                self.report(if is_end(self) {
                    error.fix(separator, "", "remove it; nothing follows the last one")
                } else {
                    error.fix(separator, ",", "write `,`")
                });
            } else if self.at(TokenKind::Ident) && matches!(self.kind_after(1), TokenKind::Colon | TokenKind::Comma) {
                let gap = self.gap();
                let error = Diagnostic::error(&E0105, gap, "`,` is missing between two declarations");
                self.report(error.fix(gap, ",", "insert `,`"));
            } else if !self.eat(TokenKind::Comma) {
                // The caller reports the missing end of the list.
                return declarations;
            } else if is_end(self) {
                self.trailing_comma();
            }
            if is_end(self) {
                return declarations;
            }
        }
    }

    /// Reports that nothing follows the comma that was just read.
    pub(super) fn trailing_comma(&mut self) {
        let comma = self.span_of(self.previous());
        let error = Diagnostic::error(&E0120, comma, "nothing follows this comma");
        self.report(error.fix(comma, "", "remove the comma"));
    }

    fn declaration(&mut self) -> Option<Declaration> {
        let start = self.here();
        if self.at_keyword(Keyword::Const) && self.kind_after(1) == TokenKind::Ident {
            let error = Diagnostic::error(&E0105, start, "a name was expected here, found `const`");
            self.report(error.note("`const` stands after the colon: `k : const u32`"));
            self.advance();
        }
        let mut names = vec![self.name("a name")?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name("another name")?);
        }
        if !self.eat(TokenKind::Colon) {
            let name = names.last().map_or("", |name| name.name.as_str());
            let message = format!("`{name}` has no type: `:` was expected here, found {}", self.found());
            let error = Diagnostic::error(&E0105, self.here(), message);
            self.get_lost(match name {
                "void" => error.note("a node without inputs is `node f () returns (x : u32)`"),
                "pub" | "le" | "be" => error.note(format!("`{name}` stands after the colon: `x : {name} u32`")),
                _ => error.note("a declaration is written `name : type`, for instance `x : u32`"),
            });
            return None;
        }
        let modifiers = self.modifiers();
        let ty = self.ty()?;
        Some(Declaration { names, modifiers, ty, span: self.since(start) })
    }

    fn modifiers(&mut self) -> Vec<Modifier> {
        let mut modifiers = Vec::new();
        loop {
            let token = self.token(0);
            let kind = match token.kind {
                TokenKind::Keyword(Keyword::Const) => ModifierKind::Const,
                TokenKind::Keyword(Keyword::LazyLift) => ModifierKind::LazyLift,
                TokenKind::Ident if self.a_type_follows() => match self.text_of(token) {
                    "le" => ModifierKind::LittleEndian,
                    "be" => ModifierKind::BigEndian,
                    "planes" => ModifierKind::Planes,
                    "pub" => ModifierKind::Public,
                    _ => return modifiers,
                },
                _ => return modifiers,
            };
            self.advance();
            modifiers.push(Modifier { kind, span: self.span_of(token) });
        }
    }

    /// Whether a type or a modifier follows the next token, so that the next token is a modifier and not a type.
    fn a_type_follows(&self) -> bool {
        use TokenKind::{DirectedType, Ident};
        let (next, after) = (self.token(1), self.kind_after(2));
        match next.kind {
            DirectedType | TokenKind::Keyword(Keyword::Const | Keyword::LazyLift) => true,
            // `x: le` on one line and `y: u8` on the next one lack a comma.
            Ident => after != TokenKind::Colon,
            _ => false,
        }
    }

    /// Reads a base type and its dimensions.
    pub(super) fn ty(&mut self) -> Option<Type> {
        let start = self.here();
        let base = self.base_type()?;
        let mut dims = Vec::new();
        let is_stream = self.stream_brackets();
        while self.at(TokenKind::LeftBracket) {
            let open = self.here();
            self.advance();
            dims.push(self.static_expression());
            if !self.expect_closing(TokenKind::RightBracket, open) {
                return None;
            }
        }
        Some(Type { base, dims, is_stream, span: self.since(start) })
    }

    fn base_type(&mut self) -> Option<BaseType> {
        let token = self.token(0);
        if !matches!(token.kind, TokenKind::Ident | TokenKind::DirectedType) {
            let message = format!("a type was expected here, found {}", self.found());
            let error = Diagnostic::error(&E0113, self.here(), message);
            self.get_lost(match (token.kind, self.previous().kind) {
                (TokenKind::Integer, TokenKind::Colon) => {
                    error.note("elements of an array are `x[0..3]`; bits of a word are `(x >> 4) & 0xf`")
                }
                _ => error,
            });
            return None;
        }
        self.advance();
        let (text, span) = (self.text_of(token), self.span_of(token));
        match type_word(text) {
            TypeWord::Type(base) => {
                self.check_size_name(token, &base);
                Some(base)
            }
            TypeWord::TooLarge => {
                let error = Diagnostic::error(&E0103, span, "a size in this type is too large");
                self.report(error.label("sizes are below 2^64"));
                Some(BaseType::Nat)
            }
            TypeWord::NotAType => {
                let error = Diagnostic::error(&E0113, span, "this is not a type");
                self.report(error.note(FORM_WITH_DIRECTION));
                Some(BaseType::Nat)
            }
            TypeWord::Other if self.at(TokenKind::Less) && matches!(text, "u" | "b" | "v") => {
                let error = Diagnostic::error(&E0113, span.to(self.here()), "this is not a type");
                self.get_lost(error.note(FORM_WITH_DIRECTION));
                None
            }
            TypeWord::Other => {
                if let Some(instead) = foreign_type(text) {
                    let error = Diagnostic::error(&E0113, span, format!("there is no type `{text}`"));
                    self.report(error.fix(span, &instead, format!("write `{instead}`")));
                    if let TypeWord::Type(base) = type_word(&instead) {
                        return Some(base);
                    }
                }
                let name = Ident { name: text.to_string(), span };
                if self.at(TokenKind::Less) { self.pinned(name) } else { Some(BaseType::Named(name)) }
            }
        }
    }

    /// Warns about `u'mx4`, which users write for four words of size `'m`.
    fn check_size_name(&mut self, token: Token, base: &BaseType) {
        let BaseType::Words { bits: Bits::Parameter(name), is_vector: false, .. } = base else { return };
        let Some((size, length)) = name.rsplit_once('x') else { return };
        if size.is_empty() || length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let (span, text) = (self.span_of(token), self.text_of(token));
        let direction = text.find('<').zip(text.find('>')).map_or("", |(open, close)| &text[open..=close]);
        let message = format!("this is one word of the size `'{name}`, not {length} words of the size `'{size}`");
        self.warn(Diagnostic::warning(&W0103, span, message).fix(
            span,
            format!("v{direction}{length}"),
            format!("for {length} words of the size that the caller decides write `v{direction}{length}`"),
        ));
    }
}

/// The meaning of a word in the place of a type.
pub(crate) enum TypeWord {
    Type(BaseType),
    /// The word has the form of a type, but a number in it is 2^64 or more.
    TooLarge,
    /// The word has a direction, so that it cannot be a name, but it is no type either.
    NotAType,
    /// The word is another name, which may be defined by `type N = T`.
    Other,
}

/// Reads a type word: `nat`, `u32`, `u<V>32x4`, `b8`, `v<'D>4`, `u'm`.
pub(crate) fn type_word(text: &str) -> TypeWord {
    if text == "nat" {
        return TypeWord::Type(BaseType::Nat);
    }
    let Some(letter) = text.chars().next().filter(|c| matches!(c, 'u' | 'b' | 'v')) else { return TypeWord::Other };
    let mut rest = &text[1..];
    let mut direction = None;
    let mut otherwise = TypeWord::Other;
    if let Some((inside, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        otherwise = TypeWord::NotAType;
        direction = match inside {
            "V" => Some(Direction::Vertical),
            "H" => Some(Direction::Horizontal),
            "B" => Some(Direction::Bitslice),
            _ if is_number(inside) => match inside.parse() {
                Ok(number) => Some(Direction::Number(number)),
                Err(_) => return TypeWord::TooLarge,
            },
            _ => match size_name(inside) {
                Some(name) => Some(Direction::Parameter(name)),
                None => return otherwise,
            },
        };
        rest = after;
    }
    let words = |bits, length, is_vector| BaseType::Words { direction, bits, length, is_vector };
    if letter == 'u'
        && let Some(name) = size_name(rest)
    {
        return TypeWord::Type(words(Bits::Parameter(name), 1, false));
    }
    let (first, second) = match rest.split_once('x') {
        Some((size, length)) if letter == 'u' => (size, Some(length)),
        _ => (rest, None),
    };
    if !is_number(first) || second.is_some_and(|second| !is_number(second)) {
        return otherwise;
    }
    let (Ok(first), Ok(second)) = (first.parse(), second.map(str::parse).transpose()) else {
        return TypeWord::TooLarge;
    };
    TypeWord::Type(match letter {
        'u' => words(Bits::Known(first), second.unwrap_or(1), second.is_some()),
        'b' => words(Bits::Known(1), first, true),
        _ => words(Bits::Parameter("m".to_string()), first, true),
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name after a quote, as in `'m`.
fn size_name(text: &str) -> Option<String> {
    let name = text.strip_prefix('\'')?;
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then(|| name.to_string())
}

/// The type of this language that corresponds to a type of another language. Such words cannot be aliases either.
pub(crate) fn foreign_type(text: &str) -> Option<String> {
    if matches!(text, "bool" | "boolean") {
        return Some("b1".to_string());
    }
    let bits = text.strip_prefix("uint").or(text.strip_prefix("int"))?.strip_suffix("_t")?;
    matches!(bits, "8" | "16" | "32" | "64" | "128").then(|| format!("u{bits}"))
}
