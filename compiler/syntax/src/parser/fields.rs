//! Fields and constants: their definitions, pinned representations, and conversions of bytes to values.

use culet_diag::codes::syntax::{E0105, E0110, E0113, E0120};
use culet_diag::{Diagnostic, Span};

use super::Parser;
use super::declarations::{TypeWord, foreign_type, type_word};
use super::expressions::LOOSEST;
use super::foreign::{ARRAY, PADDINGS};
use crate::ast::{
    Attribute, BaseType, Blocks, ConstantDefinition, Endian, Expr, ExprKind, FieldDefinition, Ident, Pin, Statement,
    StreamLoop, Variable,
};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `field N =`; elsewhere `field` is an ordinary name.
    pub(super) fn at_field(&self) -> bool {
        self.is_field(0)
    }

    /// Whether `field N =` comes `ahead` tokens from here.
    pub(super) fn is_field(&self, ahead: usize) -> bool {
        self.kind_after(ahead) == TokenKind::Ident
            && self.text_of(self.token(ahead)) == "field"
            && self.kind_after(ahead + 1) == TokenKind::Ident
            && self.kind_after(ahead + 2) == TokenKind::Equal
    }

    /// `field N = GF(p)`, `field N = GF2(f)`
    pub(super) fn field(&mut self) -> Option<FieldDefinition> {
        let start = self.here();
        self.advance();
        let name = self.name("the name of a field")?;
        self.check_type_name(&name);
        self.advance();
        let (is_binary, modulus) = self.field_family()?;
        let span = self.since(start);
        self.no_semicolon("a field's definition");
        Some(FieldDefinition { name, is_binary, modulus, span })
    }

    /// Reads `GF(p)` or `GF2(f)` and nothing else. Returns whether it is `GF2`, and the modulus.
    pub fn only_family(&mut self) -> Option<(bool, Expr)> {
        let family = self.field_family()?;
        if self.at(TokenKind::End) {
            return Some(family);
        }
        let message = format!("a field ends before {}", self.found());
        self.fail(&E0105, self.here(), message);
        None
    }

    fn field_family(&mut self) -> Option<(bool, Expr)> {
        let family = self.here();
        let is_binary = match self.text_of(self.token(0)) {
            "GF" => false,
            "GF2" => true,
            _ => {
                let message = format!("`GF(p)` or `GF2(f)` was expected here, found {}", self.found());
                let error = Diagnostic::error(&E0105, family, message);
                self.get_lost(error.note("a field is `GF(p)` with its prime, such as `GF(2^255 - 19)`, or `GF2(f)` with its polynomial, such as `GF2(x^8 + x^4 + x^3 + x + 1)`; a program names it, `field fe = GF(2^255 - 19)`"));
                return None;
            }
        };
        self.advance();
        let open = self.here();
        if !self.expect(TokenKind::LeftParen, "before the modulus of a field") {
            return None;
        }
        self.in_modulus = true;
        let modulus = self.nested(|parser| parser.operators(LOOSEST));
        self.in_modulus = false;
        let modulus = modulus?;
        if self.at(TokenKind::Comma) {
            let error =
                Diagnostic::error(&E0110, self.here(), "a field has one modulus").related(open, "to close this one");
            self.get_lost(
                error.note("a field of polynomials is `GF2(x^8 + x^4 + x^3 + x + 1)`: the degree says its size"),
            );
            return None;
        }
        if !self.expect_closing(TokenKind::RightParen, open) {
            return None;
        }
        Some((is_binary, modulus))
    }

    /// `const N :`
    pub(super) fn at_constant(&self) -> bool {
        self.at_keyword(Keyword::Const)
            && self.kind_after(1) == TokenKind::Ident
            && self.kind_after(2) == TokenKind::Colon
    }

    /// `const N : T = e`
    pub(super) fn constant(&mut self) -> Option<ConstantDefinition> {
        let start = self.here();
        self.advance();
        let name = self.name("the name of a constant")?;
        self.advance();
        let ty = self.ty()?;
        if !self.expect(TokenKind::Equal, "between the type of a constant and its value") {
            return None;
        }
        let value = self.expression();
        let span = self.since(start);
        self.no_semicolon("a constant");
        Some(ConstantDefinition { name, ty, value, span })
    }

    /// Reports a name that is already a type.
    pub(super) fn check_type_name(&mut self, name: &Ident) {
        let taken = !matches!(type_word(&name.name), TypeWord::Other) || foreign_type(&name.name).is_some();
        if taken {
            let message = format!("`{}` cannot be the name of a type of your own", name.name);
            let error = Diagnostic::error(&E0113, name.span, message);
            self.report(error.label("words such as `u32`, `b8`, `v4`, `nat` and `bool` are taken"));
        }
    }

    /// Takes a `;` that does not belong after `what`, and reports it.
    pub(super) fn no_semicolon(&mut self, what: &str) {
        if self.at(TokenKind::Semicolon) {
            let semicolon = self.here();
            self.advance();
            let error = Diagnostic::error(&E0120, semicolon, format!("no `;` follows {what}"));
            self.report(error.fix(semicolon, "", "remove it"));
        }
    }

    /// Reads `<51>`, `<25.5>`, `<130/3>` or `<mont 52>` after the name of a field.
    pub(super) fn pinned(&mut self, name: Ident) -> Option<BaseType> {
        let open = self.here();
        self.advance();
        let start = self.here();
        let mut text = String::new();
        if self.at(TokenKind::Ident) && self.kind_after(1) == TokenKind::Integer {
            let word = self.advance();
            text = format!("{} ", self.text_of(word));
        }
        if !matches!(self.kind(), TokenKind::Integer | TokenKind::Decimal) {
            let message = format!("a representation was expected here, found {}", self.found());
            let error = Diagnostic::error(&E0113, self.here(), message).related(open, "opened here");
            let is_array = self.is_type_of_words(self.token(0));
            self.get_lost(error.note(if is_array { ARRAY } else { "`fe<51>`, `fe<25.5>` and `fe<mont 52>` say how the elements of a field `fe` are represented; directions, as in `u<V>32`, belong to words" }));
            return None;
        }
        let number = self.advance();
        text += self.text_of(number);
        if self.at(TokenKind::Slash) && self.kind_after(1) == TokenKind::Integer {
            self.advance();
            let denominator = self.advance();
            text = format!("{text}/{}", self.text_of(denominator));
        }
        let span = self.since(start);
        self.expect_closing(TokenKind::Greater, open).then_some(BaseType::Pinned { name, pin: Pin { text, span } })
    }

    /// Whether `le<T` or `be<T` follows: the token after `<` is no number, so that this is no member of a family.
    pub(super) fn at_decode(&self) -> bool {
        matches!(self.text_of(self.token(0)), "le" | "be")
            && matches!(self.kind_after(2), TokenKind::Ident | TokenKind::DirectedType)
    }

    /// `le<T>(e)`, `be<T>(e, …)`
    #[inline(never)]
    pub(super) fn decode(&mut self) -> Expr {
        let start = self.here();
        let name = self.advance();
        let order = if self.text_of(name) == "le" { Endian::Little } else { Endian::Big };
        let open = self.here();
        self.advance();
        let error = Expr { kind: ExprKind::Error, span: start };
        let Some(ty) = self.ty() else { return error };
        if !self.expect_closing(TokenKind::Greater, open) {
            return error;
        }
        let open = self.here();
        if !self.expect(TokenKind::LeftParen, "before the bytes") {
            return error;
        }
        let (mut elements, height) = self.expressions(TokenKind::RightParen);
        self.expect_end_of_list(TokenKind::RightParen, open);
        let span = self.since(open);
        let operand = match elements.pop() {
            Some(only) if elements.is_empty() => only,
            last => {
                elements.extend(last);
                Expr { kind: ExprKind::Tuple(elements), span }
            }
        };
        self.height = height + 1;
        self.higher(ExprKind::Decode { order, ty, operand: Box::new(operand) }, start)
    }

    /// Takes the `[*]` of a stream's type.
    pub(super) fn stream_brackets(&mut self) -> bool {
        let kinds = (self.kind(), self.kind_after(1), self.kind_after(2));
        let found = kinds == (TokenKind::LeftBracket, TokenKind::Star, TokenKind::RightBracket);
        if found {
            self.position += 3;
        }
        found
    }

    /// A stream, or streams and arrays in parentheses, one after another.
    fn joined(&mut self) -> Option<Expr> {
        if self.at(TokenKind::LeftParen) {
            let parts = self.expression();
            return (!self.lost).then_some(parts);
        }
        let name = self.name("the name of a stream")?;
        let span = name.span;
        Some(Expr { kind: ExprKind::Variable(Variable { name, selectors: Vec::new(), span }), span })
    }

    /// After `forall x in` or `fold x in`: reads a stream, or `blocks(stream, size, pad)`, and the body.
    pub(super) fn stream(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        is_fold: bool,
        element: Ident,
    ) -> Option<Statement> {
        let mut blocks = None;
        let is_cut = self.text_of(self.token(0)) == "blocks" && self.kind_after(1) == TokenKind::LeftParen;
        let stream = if !is_cut {
            self.joined()?
        } else {
            self.advance();
            let open = self.here();
            self.advance();
            let stream = self.joined()?;
            self.expect(TokenKind::Comma, "between a stream and the size of its blocks");
            let size = self.static_expression();
            if self.at(TokenKind::RightParen) && !self.lost {
                let message =
                    format!("`,` and what fills up the last block were expected here, found {}", self.found());
                self.get_lost(Diagnostic::error(&E0105, self.here(), message).note(PADDINGS));
            }
            self.expect(TokenKind::Comma, "between the size of blocks and what fills up the last one");
            let pad = self.static_expression();
            self.expect_closing(TokenKind::RightParen, open);
            blocks = Some(Blocks { size, pad });
            stream
        };
        if let Some(idiom) = self.idiom_after_stream().filter(|_| !self.lost) {
            let message = format!("`{{` was expected before the body of a loop, found {}", self.found());
            self.get_lost(Diagnostic::error(&E0105, self.here(), message).note(idiom));
        }
        let statements = self.loop_body(start)?;
        let span = self.since(start);
        Some(Statement::Stream(Box::new(StreamLoop { attributes, is_fold, element, stream, blocks, statements, span })))
    }
}
