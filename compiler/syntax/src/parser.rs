//! The parser: from tokens to the syntax tree, by recursive descent.
//!
//! After an error the parser is *lost*: it reports nothing more until it has found the next statement, list or
//! definition, so that one mistake gives one message. Mistakes whose intention is clear (`for` for `forall`, an
//! additional comma) are reported without getting lost. Recursion is bounded by [`MAX_DEPTH`], the height of an
//! expression by [`MAX_HEIGHT`], so that neither the parser nor any traversal of its tree can exhaust the stack.

mod comments;
mod declarations;
mod expressions;
mod fields;
mod foreign;
mod items;
mod statements;

use culet_diag::codes::syntax::{E0105, E0109, E0110, E0118, E0190, E0199};
use culet_diag::{Code, Diagnostic, Diagnostics, FileId, Span};

use crate::ast::Ident;
use crate::suggest::closest;
use crate::token::{Keyword, Token, TokenKind};
use items::{INPUTS, OUTPUTS};

/// Maximum nesting of brackets, loops, unary and conditional operators.
const MAX_DEPTH: u32 = 256;
/// Maximum height of the tree of an expression; a chain of n operators has height n.
const MAX_HEIGHT: u32 = 500;
/// Number of errors after which the parser gives up.
const MAX_ERRORS: usize = 100;

pub(crate) struct Parser<'t> {
    file: FileId,
    text: &'t str,
    /// The last one is [`TokenKind::End`].
    tokens: Vec<Token>,
    /// The index of the closing bracket for each opening one.
    partners: Vec<Option<u32>>,
    position: usize,
    depth: u32,
    lost: bool,
    errors: usize,
    diagnostics: Diagnostics,
    /// Whether no `: type` may follow a literal here, since the colon belongs to `c ? a : b`.
    colon_is_taken: bool,
    /// Whether `^` is a power here, so that its precedence needs no warning.
    in_modulus: bool,
    /// Whether the program defines a field, so that `^` and a number are a power.
    pub has_fields: bool,
    /// The height of the last expression that was read.
    height: u32,
}

impl<'t> Parser<'t> {
    pub fn new(file: FileId, text: &'t str, tokens: Vec<Token>, lexical: Vec<Diagnostic>) -> Self {
        let partners = partners(&tokens);
        let mut parser = Parser {
            file,
            text,
            tokens,
            partners,
            position: 0,
            depth: 0,
            lost: false,
            errors: 0,
            diagnostics: Diagnostics::new(),
            colon_is_taken: false,
            in_modulus: false,
            has_fields: false,
            height: 0,
        };
        parser.has_fields = (0..parser.tokens.len()).any(|ahead| parser.is_field(ahead));
        for diagnostic in lexical {
            if diagnostic.is_error() {
                parser.report(diagnostic);
            } else {
                parser.warn(diagnostic);
            }
        }
        parser
    }

    /// All diagnostics, in the order of the text.
    pub fn into_diagnostics(self) -> Diagnostics {
        let mut diagnostics: Vec<_> = self.diagnostics.into_iter().collect();
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| span.start));
        let mut sorted = Diagnostics::new();
        for diagnostic in diagnostics {
            sorted.push(diagnostic);
        }
        sorted
    }

    // Looking at tokens.

    fn token(&self, ahead: usize) -> Token {
        // The token list is never empty: it ends with `End`.
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token(0).kind
    }

    fn kind_after(&self, ahead: usize) -> TokenKind {
        self.token(ahead).kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn span_of(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The place of the next token.
    fn here(&self) -> Span {
        self.span_of(self.token(0))
    }

    /// The last token that was read.
    fn previous(&self) -> Token {
        self.tokens[self.position.saturating_sub(1)]
    }

    /// The place from the beginning of `start` to the end of the last token.
    fn since(&self, start: Span) -> Span {
        Span { end: self.previous().end.max(start.start), ..start }
    }

    /// The empty place after the last token, where something is missing.
    fn gap(&self) -> Span {
        let end = self.previous().end;
        Span { file: self.file, start: end, end }
    }

    /// The index of the bracket that closes the one `ahead` tokens from here.
    fn partner(&self, ahead: usize) -> Option<usize> {
        self.partners.get(self.position + ahead).copied().flatten().map(|partner| partner as usize)
    }

    fn is_on_new_line(&self) -> bool {
        let (end, start) = (self.previous().end as usize, self.token(0).start as usize);
        end <= start && self.text[end..start].contains('\n')
    }

    /// Whether the next token is the first one of its line, behind spaces.
    fn is_indented(&self) -> bool {
        let before = &self.text[..self.token(0).start as usize];
        let line = before.rsplit('\n').next().unwrap_or_default();
        !line.is_empty() && line.trim().is_empty()
    }

    /// The name of the next token in messages.
    fn found(&self) -> String {
        let token = self.token(0);
        match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            kind => {
                let text = self.text_of(token);
                if text.len() > 40 { kind.text().to_string() } else { format!("`{text}`") }
            }
        }
    }

    // Taking tokens.

    fn advance(&mut self) -> Token {
        let token = self.token(0);
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of this kind, or gets lost with "`,` was expected `context`".
    fn expect(&mut self, kind: TokenKind, context: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        let message = format!("`{}` was expected {context}, found {}", kind.text(), self.found());
        let error = Diagnostic::error(&E0105, self.here(), message);
        self.get_lost(match (self.kind(), kind) {
            (TokenKind::Less, TokenKind::LeftParen) => {
                error.note("there are no type parameters: `v4` is four words of a size that the caller chooses")
            }
            (_, TokenKind::LeftParen) if context.ends_with(OUTPUTS) => {
                error.note("results have names: `returns (b : u32)`")
            }
            (TokenKind::Minus, TokenKind::LeftParen) => {
                error.note("a name has letters, digits, `_` and `'`, and no `-`: `round_function`")
            }
            (TokenKind::Colon, TokenKind::LeftParen) if context.ends_with(INPUTS) => error.note(
                "a table is `table S (x : v8) returns (y : v8) { 99, 124, … }`, and an array of constants `const t : u8[2] = (1, 2)`",
            ),
            _ => error,
        });
        false
    }

    /// Takes the bracket that closes `open`, or gets lost.
    fn expect_closing(&mut self, kind: TokenKind, open: Span) -> bool {
        self.close(kind, open, "")
    }

    /// Like [`Parser::expect_closing`], after an element of a list.
    fn expect_end_of_list(&mut self, kind: TokenKind, open: Span) -> bool {
        self.close(kind, open, "`,` or ")
    }

    fn close(&mut self, kind: TokenKind, open: Span, or: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        let message = format!("{or}`{}` was expected here, found {}", kind.text(), self.found());
        let error = Diagnostic::error(&E0110, self.here(), message).related(open, "to close this one");
        self.get_lost(match (self.kind(), kind) {
            (TokenKind::Colon, TokenKind::RightBracket) => error
                .note("a range is written `x[0..3]`, for elements of an array; bits of a word are `(x >> 4) & 0xf`"),
            (TokenKind::Colon, TokenKind::RightParen) => error.note(self.idiom_for_colon()),
            (TokenKind::Ident, TokenKind::RightParen) if self.text_of(self.token(0)) == "as" => {
                error.note(foreign::CAST)
            }
            (TokenKind::Comma, TokenKind::RightBracket) => {
                error.note("each dimension has brackets of its own: `x[0][1]`, and `u32[2][2]` in a type")
            }
            (TokenKind::Ident, TokenKind::RightParen) if self.type_of_other_languages().is_some() => {
                error.note(self.type_of_other_languages().unwrap_or_default())
            }
            (TokenKind::LeftParen, TokenKind::RightParen) if self.text_of(self.previous()) == "GF" => {
                error.note("a field has a name: `field q = GF(17)`, and then `x : q`")
            }
            (TokenKind::Less, _) if self.is_type_of_words(self.previous()) => error.note(foreign::ARRAY),
            (TokenKind::Less | TokenKind::Greater, _) => error.note(foreign::COMPARISON),
            (TokenKind::Not, _) if self.kind_after(1) == TokenKind::Equal => error.note(foreign::COMPARISON),
            (TokenKind::Equal, TokenKind::RightParen) if self.is_behind_declaration() => {
                error.note("parameters have no defaults: every call gives all of them")
            }
            (TokenKind::Equal, TokenKind::RightParen) => {
                error.note("arguments have no names: they stand in the order of the parameters")
            }
            _ => error,
        });
        false
    }

    /// The way to say here what another language says by the `:` that comes next.
    fn idiom_for_colon(&self) -> &'static str {
        match self.kind_after(1) {
            TokenKind::Equal => "an update is a statement, without parentheses: `t := a + 1;`",
            TokenKind::Colon => {
                "there are no paths: `be<u32>(x)` and `le<u32>(x)` join bytes, `be<u8>(x)` and `le<u8>(x)` cut words"
            }
            _ => "only literals and `Pack` can be given a type by `:`; `le<u8>(x)` cuts a word into bytes",
        }
    }

    /// Whether the type of a declaration, `x : u32`, has just been read.
    fn is_behind_declaration(&self) -> bool {
        let read = &self.tokens[..self.position];
        let part = read.rsplit(|token| matches!(token.kind, TokenKind::Comma | TokenKind::LeftParen)).next();
        part.is_some_and(|part| part.iter().any(|token| token.kind == TokenKind::Colon))
    }

    /// Takes the keyword, even if it is misspelled, or gets lost.
    fn expect_keyword(&mut self, keyword: Keyword, context: &str) -> bool {
        if self.at_keyword(keyword) {
            self.advance();
            return true;
        }
        let token = self.token(0);
        let message = format!("`{}` was expected {context}, found {}", keyword.text(), self.found());
        let error = Diagnostic::error(&E0109, self.here(), message);
        if token.kind == TokenKind::Ident && closest(self.text_of(token), [keyword.text()]).is_some() {
            self.report(error.fix(self.here(), keyword.text(), format!("write `{}`", keyword.text())));
            self.advance();
            return true;
        }
        self.get_lost(match self.kind() {
            TokenKind::Equal if keyword == Keyword::Let => {
                error.note("a local gets its value by an equation: `vars t : u32 let t = 3; … tel`")
            }
            _ => error,
        });
        false
    }

    /// Takes a name. A reserved word in its place is reported and taken as a name.
    fn name(&mut self, what: &str) -> Option<Ident> {
        let token = self.token(0);
        match token.kind {
            TokenKind::Ident => {}
            TokenKind::Keyword(_) if self.is_meant_as_name() => self.reserved_word(token),
            kind => {
                let error =
                    Diagnostic::error(&E0105, self.here(), format!("{what} was expected here, found {}", self.found()));
                self.get_lost(match kind {
                    TokenKind::Keyword(Keyword::In) => {
                        error.note("inputs stand in the first parentheses, outputs in those after `returns`")
                    }
                    _ => error,
                });
                return None;
            }
        }
        self.advance();
        Some(Ident { name: self.text_of(token).to_string(), span: self.span_of(token) })
    }

    /// Whether the next token, a keyword, is used as a name: the token after it can only follow a name.
    fn is_meant_as_name(&self) -> bool {
        use TokenKind::{Colon, Comma, Equal, RightBracket, RightParen, Semicolon};
        let next = self.kind_after(1);
        !self.at_keyword(Keyword::Tel)
            && (matches!(next, Colon | Equal | Comma | RightParen | RightBracket | Semicolon)
                || expressions::is_operator(next))
    }

    fn reserved_word(&mut self, token: Token) {
        let word = self.text_of(token);
        let message = format!("`{word}` is a reserved word and cannot be a name");
        let error = Diagnostic::error(&E0118, self.span_of(token), message);
        self.report(error.fix(self.span_of(token), format!("{word}_"), "choose another name, everywhere"));
    }

    // Errors.

    /// Reports an error and continues as if it had not happened.
    fn report(&mut self, error: Diagnostic) {
        if self.lost {
            return;
        }
        self.errors += 1;
        let place = error.span;
        self.diagnostics.push(error);
        if self.errors == MAX_ERRORS {
            let end = self.tokens.len() - 1;
            let message = format!("reading stops here, after {MAX_ERRORS} errors");
            self.diagnostics.push(Diagnostic::error(&E0199, place.unwrap_or(self.here()), message));
            self.position = end;
            self.lost = true;
        }
    }

    fn warn(&mut self, warning: Diagnostic) {
        if !self.lost {
            self.diagnostics.push(warning);
        }
    }

    /// Reports an error and stays silent until [`Parser::found_again`]. An unknown character has been reported already.
    fn get_lost(&mut self, error: Diagnostic) {
        if !self.at(TokenKind::Unknown) {
            self.report(error);
        }
        self.lost = true;
    }

    fn fail(&mut self, code: &'static Code, span: Span, message: impl Into<String>) {
        self.get_lost(Diagnostic::error(code, span, message));
    }

    /// Ends the silence: the parser is at a place where reading can start again.
    fn found_again(&mut self) {
        self.lost = self.errors >= MAX_ERRORS;
    }

    fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while !self.at(TokenKind::End) && !stop(self) {
            self.advance();
        }
    }

    /// Runs `parse` one level deeper, or gets lost if that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            self.fail(&E0190, self.here(), message);
            return None;
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        Some(result)
    }
}

/// For each opening bracket the index of its closing one. A closing bracket of the wrong kind has no partner.
fn partners(tokens: &[Token]) -> Vec<Option<u32>> {
    let mut partners = vec![None; tokens.len()];
    let mut open: Vec<(usize, TokenKind)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParen => open.push((index, TokenKind::RightParen)),
            TokenKind::LeftBracket => open.push((index, TokenKind::RightBracket)),
            TokenKind::LeftBrace => open.push((index, TokenKind::RightBrace)),
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                if open.last().is_some_and(|&(_, closing)| closing == token.kind)
                    && let Some((opening, _)) = open.pop()
                {
                    partners[opening] = Some(index as u32);
                }
            }
            _ => {}
        }
    }
    partners
}
