//! Expressions. Precedence is that of the published compiler, from loosest to tightest: `? :`, comparisons, shifts, `+ -`, `* / %`,
//! `& ^ |`, `~`. The amount of a shift is a static expression, so after it a bitwise operator continues outside:
//! `a << 2 ^ b` is `(a << 2) ^ b`, while `a << 2 + b` is `a << (2 + b)`.

use culet_diag::codes::syntax::{E0105, E0106, E0115, E0116, E0117, E0120, E0191};
use culet_diag::{Diagnostic, Span};
use num_bigint::BigUint;
use num_traits::Num;

use super::{MAX_HEIGHT, Parser};
use crate::ast::{
    BinaryOperator, Comparison, Expr, ExprKind, Integer, Selector, SelectorKind, ShiftOperator, Variable,
};
use crate::lexer::MAX_DIGITS;
use crate::precedence;
use crate::token::{Keyword, TokenKind};

/// Binary operators bind at levels 2 to 4; see [`precedence::level`].
pub(super) const LOOSEST: u8 = 0;

const STATIC: &str = "indices, bounds, sizes and shift amounts are computed at compile time by `+ - * / %`; by a secret amount, each of its bits \
                      chooses: `((n >> 4) & 1) == 1 ? x << 16 : x`";

// The rare forms of operands are read by separate functions, so that the stack frames of the recursion stay small.
impl Parser<'_> {
    /// Reads a word expression.
    pub(super) fn expression(&mut self) -> Expr {
        let start = self.here();
        self.nested(|parser| {
            let first = parser.operators(LOOSEST);
            parser.warn_about_precedence(&first);
            if parser.at(TokenKind::Question) { parser.conditional(first) } else { first }
        })
        .unwrap_or(Expr { kind: ExprKind::Error, span: start })
    }

    /// Reads a word expression inside brackets, where `:` means a literal's type again.
    fn bracketed_expression(&mut self) -> Expr {
        let outside = std::mem::replace(&mut self.colon_is_taken, false);
        let expr = self.expression();
        self.colon_is_taken = outside;
        expr
    }

    fn conditional(&mut self, condition: Expr) -> Expr {
        let start = condition.span;
        let mut height = self.height;
        self.advance();
        let outside = std::mem::replace(&mut self.colon_is_taken, true);
        let then = self.expression();
        height = height.max(self.height);
        self.colon_is_taken = outside;
        self.expect(TokenKind::Colon, "before what a false condition gives");
        let otherwise = self.expression();
        self.height = height.max(self.height);
        let kind = ExprKind::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        self.higher(kind, start)
    }

    /// Reads a chain of operators that bind at least as tightly as `level`.
    pub(super) fn operators(&mut self, level: u8) -> Expr {
        let mut left = self.unary();
        loop {
            if self.lost {
                return left;
            }
            let start = left.span;
            let height = self.height;
            let word = self.operator_in_words();
            let kind = if let Some(operator) = self.binary_operator().or(word) {
                let own = precedence::level(operator);
                if own < level || self.is_assignment(1) {
                    return left;
                }
                if word.is_some() {
                    self.word_for_operator(operator.text());
                }
                self.advance();
                let right = self.operators(own + 1);
                ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }
            } else if let Some(operator) = self.shift_operator() {
                if level > precedence::SHIFT || self.kind_after(1) == TokenKind::Equal {
                    return left;
                }
                self.advance();
                let amount = self.arithmetic(precedence::ADD);
                ExprKind::Shift { operator, operand: Box::new(left), amount: Box::new(amount) }
            } else if let Some(comparison) = self.comparison().filter(|_| level == precedence::COMPARISON) {
                self.position += comparison.text().len();
                let right = self.operators(precedence::SHIFT);
                ExprKind::Comparison { comparison, left: Box::new(left), right: Box::new(right) }
            } else {
                return left;
            };
            self.height = self.height.max(height);
            left = self.higher(kind, start);
        }
    }

    /// The comparison that follows, of as many tokens as its text has letters.
    fn comparison(&self) -> Option<Comparison> {
        match (self.kind(), self.kind_after(1)) {
            (TokenKind::Equal, TokenKind::Equal) => Some(Comparison::Equal),
            (TokenKind::Less, next) if next != TokenKind::Equal => Some(Comparison::Less),
            _ => None,
        }
    }

    /// Whether `<` after a name compares: no `>` closes the index of a call before the expression ends.
    fn at_less(&self) -> bool {
        let mut open = 0_u32;
        for ahead in 2.. {
            match self.kind_after(ahead) {
                TokenKind::Greater if open == 0 => return false,
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen if open > 0 => open -= 1,
                TokenKind::Ident
                | TokenKind::Integer
                | TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Percent => {}
                _ => return true,
            }
        }
        true
    }

    /// Reads a static expression: numbers, `nat` variables, `+ - * / %`, parentheses.
    pub(super) fn static_expression(&mut self) -> Expr {
        let start = self.here();
        let expr = self
            .nested(|parser| parser.arithmetic(precedence::ADD))
            .unwrap_or(Expr { kind: ExprKind::Error, span: start });
        let is_bitwise =
            self.binary_operator().is_some_and(|operator| precedence::level(operator) == precedence::BITWISE);
        if !self.lost && (is_bitwise || self.shift_operator().is_some() || self.at(TokenKind::Question)) {
            let message = format!("{} cannot be used in a static expression", self.found());
            let error = Diagnostic::error(&E0115, self.here(), message);
            self.get_lost(error.note(STATIC));
        }
        expr
    }

    fn arithmetic(&mut self, level: u8) -> Expr {
        let mut left = self.static_operand();
        loop {
            let Some(operator) = self.binary_operator().filter(|_| !self.lost) else { return left };
            let own = precedence::level(operator);
            if own < level || own == precedence::BITWISE || self.is_assignment(1) {
                return left;
            }
            let start = left.span;
            let height = self.height;
            self.advance();
            let right = self.arithmetic(own + 1);
            self.height = self.height.max(height);
            left = self.higher(ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, start);
        }
    }

    fn static_operand(&mut self) -> Expr {
        let start = self.here();
        self.height = 1;
        let kind = match self.kind() {
            TokenKind::Integer => ExprKind::Literal { value: self.integer_value(), ty: None },
            TokenKind::LeftParen => {
                self.advance();
                let inner = self.static_expression();
                self.expect_closing(TokenKind::RightParen, start);
                return self.higher(ExprKind::Parenthesised(Box::new(inner)), start);
            }
            TokenKind::Ident if self.kind_after(1) != TokenKind::LeftParen => match self.variable() {
                Some(variable) => ExprKind::Variable(variable),
                None => ExprKind::Error,
            },
            TokenKind::Ident
            | TokenKind::Not
            | TokenKind::Keyword(Keyword::Shuffle | Keyword::Bitmask | Keyword::Pack) => {
                let message = "this is not a static expression";
                let error = Diagnostic::error(&E0115, start, message);
                let is_call = self.kind_after(1) == TokenKind::LeftParen;
                self.get_lost(error.note(
                    if is_call && matches!(self.text_of(self.token(0)), "length" | "len" | "sizeof") {
                        "the length of an array stands in its type: the last index of `u32[4]` is written `3`; all of a stream m is \
                         `forall b in m { … }`"
                    } else {
                        STATIC
                    },
                ));
                ExprKind::Error
            }
            _ => return self.no_expression("a static expression"),
        };
        Expr { kind, span: self.since(start) }
    }

    fn unary(&mut self) -> Expr {
        let start = self.here();
        let make = match self.kind() {
            TokenKind::Not => ExprKind::Not,
            TokenKind::Minus => ExprKind::Negate,
            TokenKind::Ident if self.is_not_in_words() => {
                self.word_for_operator("~");
                ExprKind::Not
            }
            _ => return self.operand(),
        };
        self.advance();
        let operand = self.nested(Self::unary).unwrap_or(Expr { kind: ExprKind::Error, span: start });
        self.higher(make(Box::new(operand)), start)
    }

    fn operand(&mut self) -> Expr {
        let start = self.here();
        self.height = 1;
        let expr = match self.kind() {
            TokenKind::Integer => {
                let value = self.integer_value();
                let ty = self.annotation();
                Expr { kind: ExprKind::Literal { value, ty }, span: self.since(start) }
            }
            TokenKind::LeftParen => self.parenthesised(),
            TokenKind::Keyword(Keyword::Shuffle) => self.shuffle(),
            TokenKind::Keyword(Keyword::Bitmask) => self.bitmask(),
            TokenKind::Keyword(Keyword::Pack) => self.pack(),
            TokenKind::Ident => self.name_or_call(),
            TokenKind::Keyword(_) if self.is_meant_as_name() => self.name_or_call(),
            _ => return self.no_expression("an expression"),
        };
        if !self.lost && self.at(TokenKind::LeftBracket) { self.selected(expr, start) } else { expr }
    }

    /// Reads the `[…]` after an expression that is not a variable.
    #[inline(never)]
    fn selected(&mut self, operand: Expr, start: Span) -> Expr {
        let (mut selectors, mut height) = (Vec::new(), self.height);
        while self.at(TokenKind::LeftBracket) && !self.lost {
            let Some(selector) = self.nested(Self::selector).flatten() else {
                return Expr { kind: ExprKind::Error, span: start };
            };
            selectors.push(selector);
            height = height.max(self.height + 1);
        }
        self.height = height;
        self.higher(ExprKind::Selected { operand: Box::new(operand), selectors }, start)
    }

    #[inline(never)]
    fn no_expression(&mut self, what: &str) -> Expr {
        let span = self.here();
        let error = Diagnostic::error(&E0106, span, format!("{what} was expected here, found {}", self.found()));
        let error = match self.idiom_for_operand() {
            Some(idiom) => error.note(idiom),
            None => error,
        };
        match self.partner(0) {
            // The brackets of another language's array.
            Some(partner) => {
                self.report(error);
                self.position = partner + 1;
            }
            None => self.get_lost(error),
        }
        self.height = 1;
        Expr { kind: ExprKind::Error, span }
    }

    /// `(e)` or `(e, e, …)`
    fn parenthesised(&mut self) -> Expr {
        let open = self.here();
        self.advance();
        let (mut elements, height) = self.expressions(TokenKind::RightParen);
        self.expect_end_of_list(TokenKind::RightParen, open);
        self.height = height;
        let kind = match elements.len() {
            1 => match elements.pop() {
                Some(only) => ExprKind::Parenthesised(Box::new(only)),
                None => ExprKind::Error,
            },
            _ => ExprKind::Tuple(elements),
        };
        self.higher(kind, open)
    }

    /// Reads `e, e, …`, at least one expression. Returns the greatest height, too.
    pub(super) fn expressions(&mut self, end: TokenKind) -> (Vec<Expr>, u32) {
        let mut elements = vec![self.bracketed_expression()];
        let mut height = self.height;
        while !self.lost && self.eat(TokenKind::Comma) {
            if self.at(end) {
                self.trailing_comma();
                break;
            }
            elements.push(self.bracketed_expression());
            height = height.max(self.height);
        }
        (elements, height)
    }

    fn name_or_call(&mut self) -> Expr {
        let start = self.here();
        if self.is_control_structure() {
            self.control_structure_as_value();
            return Expr { kind: ExprKind::Error, span: start };
        }
        match self.kind_after(1) {
            TokenKind::LeftParen if !self.a_new_equation_follows() => return self.call(),
            TokenKind::Less if self.at_decode() => return self.decode(),
            TokenKind::Less if !self.at_less() => return self.call(),
            _ => {}
        }
        let Some(variable) = self.variable() else { return Expr { kind: ExprKind::Error, span: start } };
        if self.at(TokenKind::LeftParen) && !variable.selectors.is_empty() && !self.is_on_new_line() {
            return self.call_by_brackets(variable);
        }
        if self.at(TokenKind::LeftBrace) {
            let operand = Box::new(Expr { span: variable.span, kind: ExprKind::Variable(variable) });
            let pattern = self.braced_integers().unwrap_or_default();
            return self.higher(ExprKind::Shuffle { operand, pattern }, start);
        }
        Expr { kind: ExprKind::Variable(variable), span: self.since(start) }
    }

    /// Whether a new equation follows: in `x = a` newline `(y, z) = …` the `;` is missing, and `a` is not called.
    fn a_new_equation_follows(&self) -> bool {
        let (name, open) = (self.token(0), self.token(1));
        let partner = self.partner(1);
        self.text[name.end as usize..open.start as usize].contains('\n')
            && partner.is_some_and(|partner| self.is_assignment(partner + 1 - self.position))
    }

    /// Whether `=`, `:=`, `op=` or `op:=` comes `ahead` tokens from here.
    pub(super) fn is_assignment(&self, ahead: usize) -> bool {
        let ahead = ahead + usize::from(binary_operator(self.kind_after(ahead)).is_some());
        match self.kind_after(ahead) {
            TokenKind::Equal => true,
            TokenKind::Colon => self.kind_after(ahead + 1) == TokenKind::Equal,
            _ => false,
        }
    }

    /// `f(args)` or `f<i>(args)`
    fn call(&mut self) -> Expr {
        let start = self.here();
        let Some(name) = self.name("a name") else { return Expr { kind: ExprKind::Error, span: start } };
        let mut index = None;
        if self.at(TokenKind::Less) {
            let open = self.here();
            self.advance();
            index = Some(Box::new(self.static_expression()));
            let is_closed = self.at(TokenKind::Greater) && self.kind_after(1) == TokenKind::LeftParen;
            if !self.lost && !is_closed {
                let message = format!("`<` opens the index of a call, `{}<i>(x)`, which is not closed here", name.name);
                let error = Diagnostic::error(&E0117, self.here(), message).related(open, "opened here");
                self.get_lost(error.note("in front of `<`, a value that is compared stands in parentheses: `(x) < y`"));
            }
            self.eat(TokenKind::Greater);
        }
        let (arguments, height) = self.arguments();
        self.height = height;
        self.higher(ExprKind::Call { name, index, arguments }, start)
    }

    fn arguments(&mut self) -> (Vec<Expr>, u32) {
        let open = self.here();
        if self.lost || !self.expect(TokenKind::LeftParen, "before the arguments") {
            return (Vec::new(), 1);
        }
        if self.eat(TokenKind::RightParen) {
            return (Vec::new(), 1);
        }
        let arguments = self.expressions(TokenKind::RightParen);
        self.expect_end_of_list(TokenKind::RightParen, open);
        arguments
    }

    /// `f[i](args)`, by which `f<i>(args)` is meant.
    #[inline(never)]
    fn call_by_brackets(&mut self, variable: Variable) -> Expr {
        let span = variable.span;
        let name = variable.name.name.clone();
        let message = format!("a member of the family `{name}` is called with `<` and `>`");
        let mut error = Diagnostic::error(&E0117, span, message);
        let mut index = None;
        if let [Selector { kind: SelectorKind::Index(expr), .. }] = &variable.selectors[..] {
            let text = &self.text[expr.span.start as usize..expr.span.end as usize];
            let instead = format!("{name}<{text}>");
            error = error.fix(span, &instead, format!("write `{instead}`"));
            index = Some(Box::new(expr.clone()));
        }
        self.report(error);
        let (arguments, height) = self.arguments();
        self.height = height;
        self.higher(ExprKind::Call { name: variable.name, index, arguments }, span)
    }

    /// `Shuffle(v, [p0, …])`
    #[inline(never)]
    fn shuffle(&mut self) -> Expr {
        let start = self.here();
        self.advance();
        let open = self.here();
        self.expect(TokenKind::LeftParen, "after `Shuffle`");
        let operand = self.bracketed_expression();
        let height = self.height;
        if !matches!(operand.kind, ExprKind::Variable(_) | ExprKind::Error) {
            let error = Diagnostic::error(&E0116, operand.span, "only a variable can be shuffled");
            self.report(error.note("give the value a name first: `t = …; x = Shuffle(t, […]);`"));
        }
        self.expect(TokenKind::Comma, "between the variable and the pattern of a shuffle");
        let list = self.here();
        self.expect(TokenKind::LeftBracket, "before the pattern of a shuffle");
        let pattern = self.integers(TokenKind::RightBracket);
        self.expect_end_of_list(TokenKind::RightBracket, list);
        self.expect_closing(TokenKind::RightParen, open);
        self.height = height;
        self.higher(ExprKind::Shuffle { operand: Box::new(operand), pattern }, start)
    }

    /// `Bitmask(e, i)`
    #[inline(never)]
    fn bitmask(&mut self) -> Expr {
        let start = self.here();
        self.advance();
        let open = self.here();
        self.expect(TokenKind::LeftParen, "after `Bitmask`");
        let operand = self.bracketed_expression();
        let height = self.height;
        self.expect(TokenKind::Comma, "between the word and the bit of `Bitmask`");
        let bit = self.static_expression();
        self.expect_closing(TokenKind::RightParen, open);
        self.height = height.max(self.height);
        self.higher(ExprKind::Bitmask { operand: Box::new(operand), bit: Box::new(bit) }, start)
    }

    /// `Pack(a, b)` or `Pack(a, b) : t`
    #[inline(never)]
    fn pack(&mut self) -> Expr {
        let start = self.here();
        self.advance();
        let open = self.here();
        self.expect(TokenKind::LeftParen, "after `Pack`");
        let high = self.bracketed_expression();
        let height = self.height;
        self.expect(TokenKind::Comma, "between the two halves of `Pack`");
        let low = self.bracketed_expression();
        self.expect_closing(TokenKind::RightParen, open);
        let height = height.max(self.height);
        let ty = self.annotation();
        self.height = height;
        self.higher(ExprKind::Pack { high: Box::new(high), low: Box::new(low), ty }, start)
    }

    /// Reads `: type` after a literal or a `Pack`.
    fn annotation(&mut self) -> Option<crate::ast::Type> {
        let is_update = self.kind_after(1) == TokenKind::Equal;
        if self.lost || self.colon_is_taken || is_update || !self.eat(TokenKind::Colon) {
            return None;
        }
        let ty = self.ty();
        self.height = 1;
        ty
    }

    /// Reads a variable and its selectors.
    pub(super) fn variable(&mut self) -> Option<Variable> {
        let name = self.name("a variable")?;
        let start = name.span;
        let mut selectors = Vec::new();
        let mut height = 1;
        while self.at(TokenKind::LeftBracket) && !self.lost {
            let selector = self.nested(Self::selector)??;
            selectors.push(selector);
            height = height.max(self.height + 1);
        }
        self.height = height;
        Some(Variable { name, selectors, span: self.since(start) })
    }

    /// `[e]`, `[a..b]` or `[e, a..b, …]`
    fn selector(&mut self) -> Option<Selector> {
        let open = self.here();
        self.advance();
        let mut parts = vec![self.selector_part()];
        let mut height = self.height;
        while !self.lost && self.eat(TokenKind::Comma) {
            if self.at(TokenKind::RightBracket) {
                self.trailing_comma();
                break;
            }
            parts.push(self.selector_part());
            height = height.max(self.height);
        }
        if !self.expect_end_of_list(TokenKind::RightBracket, open) {
            return None;
        }
        self.height = height;
        let kind = if parts.len() == 1 { parts.pop()? } else { SelectorKind::Slice(parts) };
        Some(Selector { kind, span: self.since(open) })
    }

    /// A position, which may be any word, or a range, whose ends are static.
    fn selector_part(&mut self) -> SelectorKind {
        let first = self.bracketed_expression();
        if self.lost || !self.eat(TokenKind::DotDot) {
            return SelectorKind::Index(first);
        }
        let height = self.height;
        let last = self.static_expression();
        self.height = self.height.max(height);
        SelectorKind::Range(first, last)
    }

    /// Reads `{ 1, 2, … }`. After an error, returns the list so far, and the parser is lost.
    pub(super) fn braced_integers(&mut self) -> Option<Vec<Integer>> {
        let open = self.here();
        if !self.expect(TokenKind::LeftBrace, "before a list of numbers") {
            return None;
        }
        let integers = self.integers(TokenKind::RightBrace);
        self.expect_end_of_list(TokenKind::RightBrace, open);
        Some(integers)
    }

    /// Reads `1, 2, …`, at least one number.
    pub(super) fn integers(&mut self, end: TokenKind) -> Vec<Integer> {
        let mut integers = Vec::new();
        loop {
            let span = self.here();
            if self.lost {
                return integers;
            }
            if !self.at(TokenKind::Integer) {
                let message = format!("a number was expected here, found {}", self.found());
                let code = if self.at(TokenKind::Comma) { &E0120 } else { &E0105 };
                self.fail(code, span, message);
                return integers;
            }
            integers.push(Integer { value: self.integer_value(), span });
            if self.at(TokenKind::Integer) {
                let gap = self.gap();
                let error = Diagnostic::error(&E0105, gap, "`,` is missing between two numbers");
                self.report(error.fix(gap, ",", "insert `,`"));
                continue;
            }
            if !self.eat(TokenKind::Comma) {
                return integers;
            }
            if self.at(end) {
                self.trailing_comma();
                return integers;
            }
        }
    }

    /// Takes a number. A number that the lexer refused counts as zero.
    fn integer_value(&mut self) -> BigUint {
        let token = self.advance();
        let text = self.text_of(token);
        if text.len() > MAX_DIGITS {
            return BigUint::default();
        }
        match text.strip_prefix("0x") {
            Some(digits) => BigUint::from_str_radix(digits, 16),
            None => text.parse(),
        }
        .unwrap_or_default()
    }

    pub(super) fn binary_operator(&self) -> Option<BinaryOperator> {
        binary_operator(self.kind())
    }

    pub(super) fn shift_operator(&self) -> Option<ShiftOperator> {
        shift_operator(self.kind())
    }

    /// An expression that is one level higher than [`Parser::height`], unless that is too high.
    pub(super) fn higher(&mut self, kind: ExprKind, start: Span) -> Expr {
        let span = self.since(start);
        self.height += 1;
        if self.height <= MAX_HEIGHT || self.lost {
            return Expr { kind, span };
        }
        self.height = 1;
        let message = format!("this expression has more than {MAX_HEIGHT} operators in a row");
        let error = Diagnostic::error(&E0191, self.here(), message).related(start, "it starts here");
        self.get_lost(error.note("split it into several equations"));
        Expr { kind: ExprKind::Error, span }
    }

    #[inline(never)]
    fn warn_about_precedence(&mut self, expr: &Expr) {
        if !self.lost
            && !self.in_modulus
            && let Some(found) = precedence::surprise(self.text, expr, self.has_fields)
        {
            if found.is_error() { self.report(found) } else { self.warn(found) }
        }
    }
}

fn binary_operator(kind: TokenKind) -> Option<BinaryOperator> {
    Some(match kind {
        TokenKind::And => BinaryOperator::And,
        TokenKind::Or => BinaryOperator::Or,
        TokenKind::Xor => BinaryOperator::Xor,
        TokenKind::Plus => BinaryOperator::Add,
        TokenKind::Minus => BinaryOperator::Subtract,
        TokenKind::Star => BinaryOperator::Multiply,
        TokenKind::Slash => BinaryOperator::Divide,
        TokenKind::Percent => BinaryOperator::Remainder,
        _ => return None,
    })
}

fn shift_operator(kind: TokenKind) -> Option<ShiftOperator> {
    Some(match kind {
        TokenKind::ShiftLeft => ShiftOperator::Left,
        TokenKind::ShiftRight => ShiftOperator::Right,
        TokenKind::ShiftRightArithmetic => ShiftOperator::RightArithmetic,
        TokenKind::RotateLeft => ShiftOperator::RotateLeft,
        TokenKind::RotateRight => ShiftOperator::RotateRight,
        _ => return None,
    })
}

/// Whether a token is an operator between two operands.
pub(super) fn is_operator(kind: TokenKind) -> bool {
    binary_operator(kind).is_some() || shift_operator(kind).is_some()
}
