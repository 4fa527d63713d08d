//! Equations and loops.

use culet_diag::codes::syntax::{E0105, E0107, E0109, E0110, E0112, E0114};
use culet_diag::{Diagnostic, Span};

use super::foreign::{CLOSED_BOUNDS, COMPARISON, LOOP, NO_COMMENT, NO_STEP, ONE_STREAM, POSITION};
use super::items::LANES;
use super::{Parser, comments};
use crate::ast::{Attribute, AttributeKind, BinaryOperator, Equation, Forall, Statement, Variable};
use crate::token::{Keyword, TokenKind};

const LEFT_SIDE: &str = "on the left of an equation stand variables: `x`, `x[0..3]` or `(x, y)`";

impl Parser<'_> {
    /// Reads statements up to `tel`, the bracket that closes this block, the next definition or the end.
    pub(super) fn statements(&mut self, closing: Option<TokenKind>) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            while self.eat(TokenKind::Semicolon) {}
            if self.ends_statements() || Some(self.kind()) == closing {
                return statements;
            }
            if matches!(self.kind(), TokenKind::RightBrace | TokenKind::RightBracket | TokenKind::RightParen) {
                let message = format!("{} closes nothing", self.found());
                self.report(Diagnostic::error(&E0110, self.here(), message));
                self.advance();
                continue;
            }
            let start = self.position;
            let statement = self.statement();
            if !self.lost && matches!(statement, Some(Statement::Equation(_))) {
                self.end_of_equation(closing);
            }
            if self.lost {
                self.skip_statement();
            }
            statements.extend(statement);
            if self.position == start {
                // The token can neither start nor end a statement, and is skipped.
                self.advance();
            }
        }
    }

    fn skip_statement(&mut self) {
        self.skip_until(|p| {
            matches!(p.kind(), TokenKind::Semicolon | TokenKind::RightBrace) || p.ends_statements() || p.at_loop()
        });
        self.found_again();
    }

    pub(super) fn ends_statements(&self) -> bool {
        match self.kind() {
            TokenKind::End | TokenKind::Keyword(Keyword::Tel) => true,
            TokenKind::Keyword(Keyword::Let | Keyword::Vars | Keyword::Returns) => {
                !self.is_reserved_target() && !self.is_let_of_rust()
            }
            TokenKind::Keyword(Keyword::Const) => self.at_constant(),
            TokenKind::Keyword(keyword) if keyword.opens_item() => !self.at_loop() && !self.is_reserved_target(),
            TokenKind::Ident => {
                self.at_alias() || self.at_field() || self.at_named_attribute() || self.at_end_in_words()
            }
            _ => false,
        }
    }

    /// Whether a reserved word is used as the target of an equation.
    fn is_reserved_target(&self) -> bool {
        matches!(self.kind(), TokenKind::Keyword(_)) && self.is_assignment(1)
    }

    /// Whether `forall` comes next, perhaps after attributes.
    fn at_loop(&self) -> bool {
        let mut ahead = 0;
        loop {
            match self.kind_after(ahead) {
                TokenKind::Keyword(Keyword::Forall) => return true,
                TokenKind::Ident if self.is_fold(ahead) => return true,
                TokenKind::Ident if self.text_of(self.token(ahead)) == LANES => ahead += 4,
                TokenKind::Keyword(Keyword::Interleave) if self.kind_after(ahead + 1) == TokenKind::LeftParen => {
                    ahead += 4
                }
                TokenKind::Keyword(
                    Keyword::Inline
                    | Keyword::NoInline
                    | Keyword::Unroll
                    | Keyword::NoUnroll
                    | Keyword::NoOpt
                    | Keyword::Pipelined,
                ) => ahead += 1,
                _ => return false,
            }
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        if self.at_loop() {
            let attributes = self.attributes();
            return self.forall(attributes);
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Unroll | Keyword::NoUnroll | Keyword::Pipelined) => {
                let attributes = self.attributes();
                let span = attributes.last().map_or(self.here(), |attribute| attribute.span);
                self.fail(&E0114, span, "this attribute belongs before a `forall`, which does not follow");
                None
            }
            TokenKind::Ident if self.is_misspelled_loop() => {
                if self.misspelled_loop() {
                    self.forall(Vec::new())
                } else {
                    None
                }
            }
            TokenKind::Ident if self.is_control_structure() => {
                self.control_structure();
                None
            }
            TokenKind::Keyword(Keyword::Let) if self.is_let_of_rust() => {
                self.let_of_rust();
                self.equation().map(Statement::Equation)
            }
            TokenKind::Ident | TokenKind::LeftParen => self.equation().map(Statement::Equation),
            TokenKind::Keyword(_) if self.is_reserved_target() => self.equation().map(Statement::Equation),
            kind => {
                let message = format!("an equation, `forall` or `tel` was expected here, found {}", self.found());
                let error = Diagnostic::error(&E0105, self.here(), message);
                let is_comment = kind == TokenKind::Minus && self.kind_after(1) == TokenKind::Minus;
                let error = error.note(if is_comment {
                    NO_COMMENT
                } else {
                    "an equation is written `x = e;` or `(x, y) = e;`"
                });
                match self.partner(0).filter(|_| kind == TokenKind::LeftBrace) {
                    Some(partner) => {
                        self.report(error);
                        self.position = partner + 1;
                    }
                    None => self.get_lost(error),
                }
                None
            }
        }
    }

    /// Expects `;` or the end of the statements after an equation.
    fn end_of_equation(&mut self, closing: Option<TokenKind>) {
        if self.at(TokenKind::Semicolon) {
            return;
        }
        if self.ends_statements() || Some(self.kind()) == closing {
            self.warn_about_comment();
            return;
        }
        let starts_equation = matches!(self.kind(), TokenKind::Ident | TokenKind::LeftParen) && self.is_on_new_line();
        if starts_equation || self.at_loop() {
            let gap = self.gap();
            let error = Diagnostic::error(&E0107, gap, "`;` is missing after this equation");
            self.report(match self.comment_like_expression() {
                Some(comment) => {
                    let mark = self.comment_mark(comment);
                    error.related(comment, format!("`{mark}` begins a comment")).note(comments::REMEDY)
                }
                None => error.fix(gap, ";", "insert `;`"),
            });
            return;
        }
        let message = format!("`;` or an operator was expected here, found {}", self.found());
        if self.at(TokenKind::Equal) || self.at(TokenKind::Colon) {
            let error = Diagnostic::error(&E0112, self.here(), message);
            self.get_lost(if self.at(TokenKind::Equal) && self.kind_after(1) == TokenKind::Equal {
                error.note(COMPARISON)
            } else if self.is_assignment(0) {
                error.note(
                    "an equation has one `=`: write `y = x; z = x`, or the `;` that is missing before its left side",
                )
            } else {
                error.note(self.idiom_for_colon())
            });
            return;
        }
        let error = Diagnostic::error(&E0105, self.here(), message);
        self.get_lost(match self.idiom_after_expression() {
            Some(idiom) => error.note(idiom),
            None => error,
        });
    }

    fn equation(&mut self) -> Option<Equation> {
        let start = self.here();
        let targets = self.targets()?;
        let (operator, is_update) = self.assignment()?;
        let value = self.expression();
        Some(Equation { targets, operator, is_update, value, span: self.since(start) })
    }

    /// `x` or `(x, y[0])`
    fn targets(&mut self) -> Option<Vec<Variable>> {
        let open = self.here();
        if !self.eat(TokenKind::LeftParen) {
            return Some(vec![self.target()?]);
        }
        let mut targets = vec![self.target()?];
        while self.eat(TokenKind::Comma) {
            if self.at(TokenKind::RightParen) {
                self.trailing_comma();
                break;
            }
            targets.push(self.target()?);
        }
        self.expect_closing(TokenKind::RightParen, open).then_some(targets)
    }

    fn target(&mut self) -> Option<Variable> {
        let token = self.token(0);
        if matches!(token.kind, TokenKind::Keyword(_)) && self.is_meant_as_name() {
            let name = self.name("a variable")?;
            return Some(Variable { span: name.span, name, selectors: Vec::new() });
        }
        if token.kind != TokenKind::Ident {
            let message = format!("a variable was expected here, found {}", self.found());
            let error = Diagnostic::error(&E0112, self.here(), message);
            self.get_lost(error.note(LEFT_SIDE));
            return None;
        }
        let variable = self.variable()?;
        if matches!(self.kind(), TokenKind::LeftParen | TokenKind::Less | TokenKind::LeftBrace) && !self.is_arrow() {
            let message = format!("`{}` cannot be called on the left of an equation", variable.name.name);
            match self.partner(0) {
                Some(partner) if self.is_assignment(partner + 1 - self.position) => {
                    self.report(Diagnostic::error(&E0112, self.here(), message).note(LEFT_SIDE));
                    self.position = partner + 1;
                }
                _ => {
                    let is_call = self.at(TokenKind::LeftParen);
                    let effects = "a node has results and no effects: `x = f(a, b)`";
                    let error = Diagnostic::error(&E0112, self.here(), message);
                    self.get_lost(error.note(match is_call {
                        true if variable.name.name == "fold" => ONE_STREAM,
                        true => effects,
                        false => LEFT_SIDE,
                    }));
                    return None;
                }
            }
        }
        Some(variable)
    }

    /// Whether `<-` or `<=` comes next.
    fn is_arrow(&self) -> bool {
        self.at(TokenKind::Less)
            && matches!(self.kind_after(1), TokenKind::Minus | TokenKind::Equal)
            && self.token(0).end == self.token(1).start
    }

    /// Reads `=`, `:=`, `op=` or `op:=`, or a sign that users write instead.
    fn assignment(&mut self) -> Option<(Option<BinaryOperator>, bool)> {
        let start = self.here();
        if self.is_arrow() {
            self.advance();
            self.advance();
            self.wrong_assignment(start, "=");
            return Some((None, false));
        }
        self.type_before_equal();
        if self.shift_operator().is_some() && matches!(self.kind_after(1), TokenKind::Equal | TokenKind::Colon) {
            let operator = self.found();
            let error = Diagnostic::error(&E0112, start, format!("{operator} has no short form with `=`"));
            self.get_lost(error.note("write `x := x << 3`"));
            return None;
        }
        let operator = self.binary_operator();
        if operator.is_some() {
            self.advance();
        }
        let is_update = self.eat(TokenKind::Colon);
        if !self.eat(TokenKind::Equal) {
            let message = format!("`=` or `:=` was expected here, found {}", self.found());
            let error = Diagnostic::error(&E0112, self.here(), message);
            self.get_lost(match self.idiom_for_assignment(operator) {
                Some(idiom) => error.note(idiom),
                None => error,
            });
            return None;
        }
        let doubled = matches!(self.kind(), TokenKind::Equal | TokenKind::Colon);
        if doubled && self.previous().end == self.token(0).start {
            let instead = if self.at(TokenKind::Colon) { ":=" } else { "=" };
            self.advance();
            self.wrong_assignment(start, instead);
            return Some((operator, instead == ":="));
        }
        Some((operator, is_update))
    }

    fn wrong_assignment(&mut self, start: Span, instead: &str) {
        let span = self.since(start);
        let found = &self.text[span.start as usize..span.end as usize];
        let meaning = if instead == "=" { "an equation" } else { "an update" };
        let error = Diagnostic::error(&E0112, span, format!("{meaning} is written with `{instead}`, not `{found}`"));
        self.report(error.fix(span, instead, format!("write `{instead}`")));
    }

    /// Whether `fold` comes here as a keyword: it is a name unless `i in` follows.
    pub(super) fn is_fold(&self, ahead: usize) -> bool {
        self.kind_after(ahead) == TokenKind::Ident
            && self.text_of(self.token(ahead)) == "fold"
            && self.kind_after(ahead + 1) == TokenKind::Ident
            && self.kind_after(ahead + 2) == TokenKind::Keyword(Keyword::In)
    }

    /// `forall i in [a, b] { … }` or `fold …`; the attributes before it have been read.
    fn forall(&mut self, attributes: Vec<Attribute>) -> Option<Statement> {
        let start = attributes.first().map_or(self.here(), |attribute| attribute.span);
        for attribute in &attributes {
            if !is_of_loop(attribute.kind) {
                let error = Diagnostic::error(&E0114, attribute.span, "this attribute belongs before a definition");
                self.report(error.note("a loop may have `_unroll`, `_no_unroll` and `_pipelined`"));
            }
        }
        let is_fold = self.is_fold(0);
        self.advance();
        if self.at(TokenKind::LeftParen) {
            self.header_in_parentheses();
            return None;
        }
        let counter = self.name("the counter of the loop")?;
        if self.at_keyword(Keyword::In) || self.at(TokenKind::Ident) {
            self.expect_keyword(Keyword::In, "after the counter of a loop");
        } else {
            let message = format!("`in` was expected after the counter of a loop, found {}", self.found());
            let is_of_bounds = self.kind_after(3) == TokenKind::LeftBracket;
            let idiom = match self.at(TokenKind::Comma) {
                true if is_of_bounds => {
                    "each counter has a loop of its own: `forall i in [0, 3] { forall j in [0, 3] { … } }`"
                }
                true => POSITION,
                false => LOOP,
            };
            self.get_lost(Diagnostic::error(&E0109, self.here(), message).note(idiom));
        }
        if self.range_call() {
            return None;
        }
        let is_joined = self.at(TokenKind::LeftParen) && self.kind_after(1) == TokenKind::Ident;
        if self.at(TokenKind::Ident) || is_joined {
            return self.stream(start, attributes, is_fold, counter);
        }
        if let Some(lanes) = attributes.iter().find(|a| matches!(a.kind, AttributeKind::Lanes(_))) {
            let error = Diagnostic::error(&E0114, lanes.span, "`_lanes` belongs before a `fold` over a stream");
            self.report(error.note("`_lanes(8) fold b in blocks(m, 16, 0) { … }`"));
        }
        let open = self.here();
        if !self.eat(TokenKind::LeftBracket) {
            let message = format!("`[` was expected before the bounds of a loop, found {}", self.found());
            self.get_lost(Diagnostic::error(&E0105, open, message).note(LOOP));
        }
        let first = self.static_expression();
        self.comma_between_bounds();
        let last = self.static_expression();
        let idiom = match self.kind() {
            TokenKind::Comma => Some(NO_STEP),
            TokenKind::RightParen => Some(CLOSED_BOUNDS),
            _ => None,
        };
        match idiom.filter(|_| !self.lost) {
            Some(idiom) => {
                let message = format!("`]` was expected behind the bounds of a loop, found {}", self.found());
                self.get_lost(
                    Diagnostic::error(&E0110, self.here(), message).related(open, "to close this one").note(idiom),
                );
            }
            None => {
                self.expect_closing(TokenKind::RightBracket, open);
            }
        }
        let statements = self.loop_body(start)?;
        let span = self.since(start);
        Some(Statement::Forall(Box::new(Forall { attributes, is_fold, counter, first, last, statements, span })))
    }

    fn comma_between_bounds(&mut self) {
        let span = self.here();
        if self.eat(TokenKind::DotDot) {
            let error = Diagnostic::error(&E0105, span, "the bounds of a loop are separated by `,`");
            self.report(error.label("ranges occur only after a variable").fix(span, ",", "write `,`"));
        } else {
            self.expect(TokenKind::Comma, "between the bounds of a loop");
        }
    }

    pub(super) fn loop_body(&mut self, start: Span) -> Option<Vec<Statement>> {
        if self.lost {
            // The body is still worth reading, if it can be found.
            self.skip_until(|p| matches!(p.kind(), TokenKind::LeftBrace | TokenKind::Semicolon) || p.ends_statements());
            if self.at(TokenKind::LeftBrace) {
                self.found_again();
            } else {
                return None;
            }
        }
        self.block(start)
    }

    /// Reads `{ … }`, the body of the loop that starts at `start`.
    fn block(&mut self, start: Span) -> Option<Vec<Statement>> {
        let open = self.here();
        let is_open = self.eat(TokenKind::LeftBrace);
        if !is_open {
            let message = format!("`{{` was expected before the body of a loop, found {}", self.found());
            self.report(Diagnostic::error(&E0105, open, message).note(LOOP));
        }
        let statements = self.nested(|parser| parser.statements(Some(TokenKind::RightBrace)));
        if statements.is_none() {
            self.leave_block(open);
        }
        // One without both braces has been reported.
        if !self.eat(TokenKind::RightBrace) && is_open {
            let message = format!("`}}` was expected here, at the end of a loop, found {}", self.found());
            let error = Diagnostic::error(&E0110, self.here(), message);
            self.report(error.related(open, "to close this one").related(start, "of this loop"));
        }
        statements
    }

    /// Skips to the brace that closes the block opened at `open`, if there is one.
    fn leave_block(&mut self, open: Span) {
        let opening = self.tokens.partition_point(|token| token.start < open.start);
        if let Some(partner) = self.partners[opening] {
            self.position = self.position.max(partner as usize);
            self.found_again();
        }
    }
}

fn is_of_loop(kind: AttributeKind) -> bool {
    use AttributeKind::{Lanes, NoUnroll, Pipelined, Unroll};
    matches!(kind, Unroll | NoUnroll | Pipelined | Lanes(_))
}
