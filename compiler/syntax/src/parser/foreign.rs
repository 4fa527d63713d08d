//! Habits of other languages: each is recognised and passed over, and the message says what to write instead.

use culet_diag::Diagnostic;
use culet_diag::codes::syntax::{E0105, E0109, E0112, E0119};

use super::Parser;
use super::declarations::{TypeWord, foreign_type, type_word};
use super::expressions::is_operator;
use crate::ast::{BaseType, BinaryOperator, ConstantDefinition, Type};
use crate::token::{Keyword, Token, TokenKind};

const CHOICE: &str = "write `x = c ? a : b`: both sides are computed, so that time does not depend on `c`";
pub(super) const LOOP: &str = "write `forall i in [0, 7] { … }`; both bounds belong to the loop";
/// Where a loop of another language goes on until a condition holds.
const LOOP_WITH_CONDITION: &str = "a loop has a number of iterations that is known at compile time: `fold i in [0, 7] { … }`, both bounds belong to it; \
     an iteration that is not wanted changes nothing by `x := c ? a : x`";
pub(super) const POSITION: &str =
    "a loop over a stream has no position; a word counts: `i := 0; fold block in text { … i …; i := i + 1 }`";
pub(super) const COMPARISON: &str = "`a == b` and `a < b` are bits, 1 if it is so; `~(a == b)` is the opposite, `b < a` the other order, and `~(a < b)` is `a >= b`";
const LOCAL: &str = "a local is declared before `let`: `vars t : u32 let t = a; … tel`";
pub(super) const CAST: &str = "there are no casts: `le<u8>(x)` cuts a word into bytes, `be<u16>(0 : u8, x)` widens one";
const SEVERAL: &str = "several values stand in parentheses: `(x, y) = (a, b)`";
const CONSTANT: &str = "a constant has a type: `const n : u32 = 4`, `const k : u32[2] = (1, 2)`";
const NO_BREAK: &str =
    "there is no `break`, `continue` or `goto`: every round is computed, and `x := c ? a : x` keeps `x` where `c` is 0";
pub(super) const NO_COMMENT: &str = "a comment begins with `#`; there is no `--`";
pub(super) const CLOSED_BOUNDS: &str = "both bounds belong to the loop: `forall i in [0, 3]` has four rounds";
pub(super) const NO_STEP: &str = "a loop counts by one: `x[2 * i]` is every second element";
/// Where a loop of another language has a step.
const LOOP_WITHOUT_STEP: &str = "a loop counts by one, and both bounds belong to it: `forall i in [0, 3] { … x[2 * i] … }` takes every second element";
pub(super) const ARRAY: &str = "an array is `u8[16]`, and a stream is `u8[*]`";
pub(super) const PADDINGS: &str =
    "`blocks(m, 16, 0)` fills the last block up with zeros, `blocks(m, 64, md)` as Merkle and Damgård do";
pub(super) const ONE_STREAM: &str = "a loop goes through one stream, and has its elements alone: two streams are not gone through side by side, and a word counts: \
                          `i := 0; fold block in text { … i …; i := i + 1 }`";
const INSIDE: &str = "equations and loops stand inside a node, between `let` and `tel`";

/// Words that begin a control structure.
const CONTROL: [&str; 7] = ["do", "for", "if", "loop", "match", "switch", "while"];

impl Parser<'_> {
    fn is_word(&self, ahead: usize, word: &str) -> bool {
        self.kind_after(ahead) == TokenKind::Ident && self.text_of(self.token(ahead)) == word
    }

    /// A loop that begins with another word. One with other bounds is passed over, and `false` is returned.
    pub(super) fn misspelled_loop(&mut self) -> bool {
        let span = self.here();
        let error = Diagnostic::error(&E0109, span, format!("a loop starts with `forall`, not {}", self.found()));
        if self.kind_after(3) == TokenKind::LeftBracket {
            self.report(error.fix(span, "forall", "write `forall`"));
            return true;
        }
        self.report(error.note(self.loop_of_other_languages()));
        self.skip_loop();
        false
    }

    /// Passes over the rest of a loop's header, and its body.
    fn skip_loop(&mut self) {
        self.skip_until(|p| matches!(p.kind(), TokenKind::LeftBrace | TokenKind::Semicolon) || p.ends_statements());
        if let Some(partner) = self.partner(0).filter(|_| self.at(TokenKind::LeftBrace)) {
            self.position = partner + 1;
        }
    }

    /// The way to write the loop that is read: one that goes on by more than one, `i += 2`, `range(0, 8, 2)` or `step`, has no bounds that
    /// say so.
    fn loop_of_other_languages(&self) -> &'static str {
        let is_over = |kind| matches!(kind, TokenKind::LeftBrace | TokenKind::End);
        let header = (0..40).take_while(|&ahead| !is_over(self.kind_after(ahead)));
        let steps = |ahead: usize| {
            let is_one = |ahead: usize| self.text_of(self.token(ahead)) == "1";
            match self.kind_after(ahead) {
                TokenKind::Plus | TokenKind::Minus => {
                    self.kind_after(ahead + 1) == TokenKind::Equal && !is_one(ahead + 2)
                }
                TokenKind::Ident => match self.text_of(self.token(ahead)) {
                    "step" | "step_by" | "by" => true,
                    "range" if self.kind_after(ahead + 1) == TokenKind::LeftParen => {
                        let end = self.partner(ahead + 1).map_or(ahead, |partner| partner - self.position);
                        (ahead..end).filter(|&at| self.kind_after(at) == TokenKind::Comma).count() > 1
                    }
                    _ => false,
                },
                _ => false,
            }
        };
        if header.into_iter().any(steps) { LOOP_WITHOUT_STEP } else { LOOP }
    }

    /// `forall i in range(0, 8) { … }`, behind `in`: reports the form, and passes over the loop.
    pub(super) fn range_call(&mut self) -> bool {
        let is_range = self.is_word(0, "range") && self.kind_after(1) == TokenKind::LeftParen;
        if is_range {
            let message = "`[` was expected before the bounds of a loop, found `range`";
            self.report(Diagnostic::error(&E0105, self.here(), message).note(self.loop_of_other_languages()));
            self.skip_loop();
        }
        is_range
    }

    /// `forall (i = 0; i < 4; i++) { … }`, behind `forall`: reports the form, and passes over the loop.
    pub(super) fn header_in_parentheses(&mut self) {
        let message = format!("the counter of the loop was expected here, found {}", self.found());
        let are_elements = self.kind_after(1) == TokenKind::Ident && self.kind_after(2) == TokenKind::Comma;
        let idiom = if are_elements { ONE_STREAM } else { self.loop_of_other_languages() };
        self.report(Diagnostic::error(&E0105, self.here(), message).note(idiom));
        self.position = self.partner(0).unwrap_or(self.position) + 1;
        self.skip_loop();
    }

    /// The way to say here what another language says by the next token, behind the stream that a loop goes through.
    pub(super) fn idiom_after_stream(&self) -> Option<&'static str> {
        Some(match self.kind() {
            TokenKind::Comma => ONE_STREAM,
            TokenKind::LeftBracket => {
                "a loop goes through all elements of a stream; a part of an array is gone through by positions: `fold i in [0, 3] { … x[i] … }`"
            }
            TokenKind::LeftParen => {
                "a loop goes through a stream `m`, its blocks, `blocks(m, 16, 0)`, or values one after another, `(k, m)`, from the first element to the last"
            }
            _ => return None,
        })
    }

    /// `for i in` or `foreach i in`
    pub(super) fn is_misspelled_loop(&self) -> bool {
        self.kind_after(1) == TokenKind::Ident && self.kind_after(2) == TokenKind::Keyword(Keyword::In)
    }

    /// `for (…) {`, `if (…) x = a;`, `while (…) {`, `do {`, and without parentheses as in other languages. A variable or a
    /// node may have such a name.
    pub(super) fn is_control_structure(&self) -> bool {
        let begins = match self.kind_after(1) {
            TokenKind::LeftBrace => !self.is_pattern_of_shuffle(1),
            TokenKind::LeftParen => self.partner(1).is_some_and(|partner| self.is_governed(partner + 1)),
            TokenKind::Ident => self.body().is_some(),
            _ => false,
        };
        begins && CONTROL.contains(&self.text_of(self.token(0)))
    }

    /// `{3, 2}`
    fn is_pattern_of_shuffle(&self, ahead: usize) -> bool {
        let ends = matches!(self.kind_after(ahead + 2), TokenKind::Comma | TokenKind::RightBrace);
        self.kind_after(ahead + 1) == TokenKind::Integer && ends
    }

    /// Whether the token at this index begins what a condition before it would govern.
    fn is_governed(&self, index: usize) -> bool {
        let (before, token) = (self.tokens[index - 1], self.tokens[index]);
        let is_beside = !self.text[before.end as usize..token.start as usize].contains('\n');
        match token.kind {
            TokenKind::LeftBrace => true,
            TokenKind::Ident | TokenKind::Integer | TokenKind::LeftParen => is_beside,
            _ => false,
        }
    }

    /// The index of the brace that opens a body behind the next token, before the statement ends.
    fn body(&self) -> Option<usize> {
        let mut ahead = 1;
        loop {
            match self.tokens.get(self.position + ahead)?.kind {
                TokenKind::LeftBrace => return Some(self.position + ahead),
                TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End | TokenKind::Keyword(Keyword::Tel) => {
                    return None;
                }
                TokenKind::LeftParen => ahead = self.partner(ahead)? + 1 - self.position,
                _ => ahead += 1,
            }
        }
    }

    fn report_control_structure(&mut self) {
        let error = Diagnostic::error(&E0109, self.here(), format!("there is no {}", self.found()));
        self.report(match self.text_of(self.token(0)) {
            "if" | "match" | "switch" => error.note(CHOICE),
            "do" | "loop" | "while" => error.note(LOOP_WITH_CONDITION),
            _ => error.note(self.loop_of_other_languages()),
        });
    }

    /// Reports a control structure once, and passes over its bodies.
    pub(super) fn control_structure(&mut self) {
        let is_do = self.is_word(0, "do");
        self.report_control_structure();
        loop {
            // The word and its condition, unless it is `else`; then the body. `while` after `do` has none.
            match self.body() {
                Some(body) => self.position = self.partner(body - self.position).unwrap_or(body) + 1,
                None => {
                    let is_else = self.is_word(0, "else");
                    self.advance();
                    if !is_else {
                        self.position = self.partner(0).map_or(self.position, |partner| partner + 1);
                    }
                    self.skip_until(|p| {
                        matches!(p.kind(), TokenKind::Semicolon | TokenKind::RightBrace) || p.ends_statements()
                    });
                    self.eat(TokenKind::Semicolon);
                }
            }
            let goes_on = self.is_word(0, "else") || is_do && self.is_word(0, "while");
            if self.is_word(0, "else") && self.is_word(1, "if") {
                self.advance();
            } else if !goes_on {
                return;
            }
        }
    }

    /// Reports a control structure that should have a value, and passes over it.
    pub(super) fn control_structure_as_value(&mut self) {
        use TokenKind::{Comma, RightBrace, RightBracket, RightParen, Semicolon};
        self.report_control_structure();
        loop {
            self.position = self.partner(0).unwrap_or(self.position);
            self.advance();
            let is_over = matches!(self.kind(), Comma | RightBrace | RightBracket | RightParen | Semicolon);
            if is_over || self.ends_statements() || self.is_on_new_line() && self.is_assignment(1) {
                return;
            }
        }
    }

    /// The operator that a word such as `xor` stands for, between two operands on one line.
    pub(super) fn operator_in_words(&self) -> Option<BinaryOperator> {
        if !self.at(TokenKind::Ident) || self.is_on_new_line() || self.is_assignment(1) || !self.an_operand_is(1) {
            return None;
        }
        match self.text_of(self.token(0)) {
            "and" | "AND" => Some(BinaryOperator::And),
            "or" | "OR" => Some(BinaryOperator::Or),
            "xor" | "XOR" => Some(BinaryOperator::Xor),
            _ => None,
        }
    }

    /// Whether `not` comes next, in front of an operand.
    pub(super) fn is_not_in_words(&self) -> bool {
        let is_operand = matches!(self.kind_after(1), TokenKind::Ident | TokenKind::Integer);
        is_operand && (self.is_word(0, "not") || self.is_word(0, "NOT")) && !is_operator(self.kind_after(1))
    }

    /// Reports a word in place of an operator, which is not yet taken.
    pub(super) fn word_for_operator(&mut self, operator: &str) {
        let (span, found) = (self.here(), self.found());
        let error = Diagnostic::error(&E0105, span, format!("operators are signs: `{operator}`, not {found}"));
        self.report(error.fix(span, operator, format!("write `{operator}`")));
    }

    fn an_operand_is(&self, ahead: usize) -> bool {
        use TokenKind::{Ident, Integer, LeftParen, Not};
        matches!(self.kind_after(ahead), Ident | Integer | LeftParen | Not)
    }

    /// The way to say here what another language says by the next token, behind a whole expression.
    pub(super) fn idiom_after_expression(&self) -> Option<&'static str> {
        Some(match (self.kind(), self.previous().kind) {
            (TokenKind::Comma, _) => SEVERAL,
            (TokenKind::Ident, _) if self.is_word(0, "mod") || self.is_word(0, "rem") => {
                "arithmetic of words wraps around, and that of a field is modulo its prime: leave it out; the remainder of a word by a \
                 number is `a % 16`"
            }
            (TokenKind::Less | TokenKind::Greater, _) => COMPARISON,
            (TokenKind::Not, _) if self.kind_after(1) == TokenKind::Equal => COMPARISON,
            (TokenKind::Ident | TokenKind::Integer, TokenKind::RightParen) => CAST,
            (TokenKind::LeftParen, TokenKind::RightParen) if self.is_behind_a_type() => CAST,
            (TokenKind::Ident | TokenKind::Integer, _) if self.text_of(self.previous()) == "if" => CHOICE,
            (TokenKind::Ident, _) => match self.text_of(self.token(0)) {
                "where" if self.kind_after(1) == TokenKind::Ident && self.kind_after(2) == TokenKind::Equal => LOCAL,
                "if" | "unless" | "when" | "where" => CHOICE,
                "for" => LOOP,
                "while" => LOOP_WITH_CONDITION,
                "as" => CAST,
                "shl" | "shr" | "lsl" | "lsr" | "asr" | "rol" | "ror" | "rotl" | "rotr" => {
                    "shifts are `a << 3`, `a >> 3` and, of signed numbers, `a >>! 3`; rotations are `a <<< 3` and `a >>> 3`"
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether a token is the name of a type of words, such as `u32`.
    pub(super) fn is_type_of_words(&self, token: Token) -> bool {
        token.kind == TokenKind::Ident
            && matches!(type_word(self.text_of(token)), TypeWord::Type(BaseType::Words { .. }))
    }

    /// The way to write a type of two words, the second of which comes next: `u32 le`, `little u32` or `unsigned int`.
    pub(super) fn type_of_other_languages(&self) -> Option<&'static str> {
        let (before, next) = (self.text_of(self.previous()), self.text_of(self.token(0)));
        let is_order = |word: &str| matches!(word, "le" | "be" | "little" | "big" | "little_endian" | "big_endian");
        if is_order(next) && self.is_type_of_words(self.previous()) || is_order(before) {
            return Some("the order of bytes stands before the type: `x : le u32`, `x : be u32`");
        }
        matches!(before, "unsigned" | "signed" | "long" | "short")
            .then_some("words are `u8`, `u16`, `u32` and `u64`, and no type has a sign")
    }

    /// Whether `(u32)` or `(uint8_t)` has just been read.
    fn is_behind_a_type(&self) -> bool {
        let Some([open, word, _]) =
            self.position.checked_sub(3).and_then(|start| self.tokens.get(start..self.position))
        else {
            return false;
        };
        let is_of_other_languages = word.kind == TokenKind::Ident && foreign_type(self.text_of(*word)).is_some();
        open.kind == TokenKind::LeftParen && (self.is_type_of_words(*word) || is_of_other_languages)
    }

    /// Whether `end` comes next where a node ends: the file ends behind it, or a definition follows.
    pub(super) fn at_end_in_words(&self) -> bool {
        let is_last = match self.kind_after(1) {
            TokenKind::End => true,
            TokenKind::Keyword(keyword) => keyword.opens_item(),
            _ => false,
        };
        is_last && self.is_word(0, "end")
    }

    /// Takes `begin` in place of `let`.
    pub(super) fn begin_in_words(&mut self) -> bool {
        let span = self.here();
        let is_begin = self.is_word(0, "begin");
        if is_begin {
            let error = Diagnostic::error(&E0109, span, "the equations of a node begin with `let`, not with `begin`");
            self.report(error.fix(span, "let", "write `let`"));
            self.advance();
        }
        is_begin
    }

    /// The way to say here what another language says without `=`.
    pub(super) fn idiom_for_assignment(&self, operator: Option<BinaryOperator>) -> Option<&'static str> {
        if operator.is_some() {
            let is_doubled = self.previous().kind == self.kind();
            return is_doubled.then_some("there is no `++` and no `--`: write `x := x + 1`");
        }
        if self.at(TokenKind::Comma) {
            return Some(SEVERAL);
        }
        if matches!(self.text_of(self.previous()), "break" | "continue") {
            return Some(NO_BREAK);
        }
        if !matches!(self.kind(), TokenKind::Ident | TokenKind::Integer | TokenKind::LeftParen) {
            return None;
        }
        Some(match self.text_of(self.previous()) {
            "return" => "a result gets its value by its name: `c = a + b`",
            "assign" => "an equation has no word in front: `x = a ^ b`",
            "if" => CHOICE,
            "for" | "repeat" => LOOP,
            "while" | "loop" => LOOP_WITH_CONDITION,
            "goto" => NO_BREAK,
            _ => LOCAL,
        })
    }

    /// `let t = …` or `let mut t : … = …`, where `let` does not begin a node's equations.
    pub(super) fn is_let_of_rust(&self) -> bool {
        let name = 1 + usize::from(self.is_word(1, "mut"));
        self.at_keyword(Keyword::Let)
            && self.kind_after(name) == TokenKind::Ident
            && matches!(self.kind_after(name + 1), TokenKind::Equal | TokenKind::Colon)
    }

    pub(super) fn let_of_rust(&mut self) {
        self.report(Diagnostic::error(&E0112, self.here(), "`let` comes once, before all equations").note(LOCAL));
        self.advance();
        if self.is_word(0, "mut") {
            self.advance();
        }
    }

    /// Reports the type in `x : u32 = …`, and passes over it.
    pub(super) fn type_before_equal(&mut self) {
        let start = self.here();
        let is_type = matches!(self.kind_after(1), TokenKind::Ident | TokenKind::DirectedType);
        if !self.at(TokenKind::Colon) || !is_type {
            return;
        }
        let mut ahead = 2;
        while let Some(partner) = self.partner(ahead).filter(|_| self.kind_after(ahead) == TokenKind::LeftBracket) {
            ahead = partner + 1 - self.position;
        }
        if self.kind_after(ahead) == TokenKind::Equal {
            self.position += ahead;
            let span = self.since(start);
            self.report(Diagnostic::error(&E0112, span, "the left side of an equation has no type").note(LOCAL));
        }
    }

    /// Whether a word stands inside the brackets that open here.
    fn encloses(&self, word: &str) -> bool {
        self.partner(0).is_some_and(|partner| (1..partner - self.position).any(|ahead| self.is_word(ahead, word)))
    }

    /// The way to say here what another language says by the next token, where an operand should stand.
    pub(super) fn idiom_for_operand(&self) -> Option<&'static str> {
        let before = self.previous().kind;
        Some(match self.kind() {
            TokenKind::And if before == TokenKind::And => {
                "there is no `&&`: `a & b` combines bits, and `c ? a : b` chooses"
            }
            TokenKind::Or if before == TokenKind::Or => {
                "there is no `||`: `a | b` combines bits, and `c ? a : b` chooses"
            }
            TokenKind::Star if before == TokenKind::Star && self.in_modulus => "a power is written `2^255`",
            TokenKind::Star if before == TokenKind::Star => {
                "powers of elements of a field are written `x ^ 5`; of words they are products"
            }
            TokenKind::Star if before == TokenKind::LeftBracket => {
                "`[*]` makes a stream of a type that has no other brackets: `u8[*]` of bytes, also those that a loop over `blocks(m, 64, 0)` makes, or \
                 `u8x64[*]` of elements of 64 bytes each"
            }
            TokenKind::And | TokenKind::Star => "there are no pointers: parameters and results are values",
            TokenKind::Greater if before == TokenKind::Minus => {
                "there are no structures: each part has a name, or is an element of an array"
            }
            TokenKind::Minus if before == TokenKind::Minus => NO_COMMENT,
            TokenKind::Minus => "amounts, bounds and sizes are not negative: `x >> 1` shifts the other way",
            TokenKind::Or => {
                "a function is a node with a name: `node f (a : u32) returns (b : u32) let b = a + 1 tel`; `y[0] = f(x[0])` calls it"
            }
            TokenKind::LeftBracket if self.encloses("for") => {
                "an array is made element by element: `forall i in [0, 3] { y[i] = x[i] + 1 }`"
            }
            TokenKind::LeftBracket => "several values stand in parentheses, an array, too: `t = (a, b)`",
            TokenKind::LeftBrace
                if self.kind_after(1) == TokenKind::Integer && self.kind_after(2) == TokenKind::LeftBrace =>
            {
                "a bit in all places of a word is `b ? 0xffffffff : 0`; a value several times is `(x, x, x)`"
            }
            TokenKind::Plus if before == TokenKind::Plus => "values one after another are one value: `(a, b)`",
            TokenKind::Colon if before == TokenKind::LeftBracket => "a range has both its ends: `k[0..1]`",
            TokenKind::LeftBrace => {
                "several values stand in parentheses: `(1, 2, 3)`; `const t : u8[3] = (1, 2, 3)` names them"
            }
            TokenKind::String => "there are no strings: write the bytes, `(0x61, 0x62)`",
            TokenKind::RightBracket => {
                "the brackets hold a number: `u8[16]` in a type, `x[0]` for an element; a stream is `u8[*]`"
            }
            TokenKind::Keyword(Keyword::Let) => LOCAL,
            _ => return None,
        })
    }

    /// The way to say what another language says here, where a definition should begin.
    pub(super) fn idiom_for_item(&self) -> Option<&'static str> {
        let word = self.text_of(self.token(0));
        Some(match self.kind() {
            TokenKind::Keyword(Keyword::Const) => CONSTANT,
            TokenKind::Keyword(Keyword::Forall) => INSIDE,
            TokenKind::Keyword(Keyword::Vars | Keyword::Let | Keyword::Tel | Keyword::Returns) => {
                "a definition is written `node name(inputs) returns (outputs) vars locals let equations tel`"
            }
            TokenKind::String if word.len() <= 2 => "a comment begins with `#`",
            TokenKind::String => "there are no strings: bytes are `(0x61, 0x62)`, and a comment begins with `#`",
            TokenKind::Ident => match word {
                "import" | "use" | "from" | "require" | "using" => {
                    "another file is named in quotes: `include \"sbox.ua\"`"
                }
                "typedef" => "a type gets another name by `type word = u32`",
                "struct" | "class" | "record" | "union" => {
                    "there are no structures: each part has a name, or is an element of an array"
                }
                "enum" => CONSTANT,
                "pub" | "public" | "export" | "private" if self.kind_after(1) == TokenKind::Keyword(Keyword::Node) => {
                    "a node has no word in front: `--node` compiles any of them"
                }
                "field" => "a field is defined by `field fe = GF(2^255 - 19)`",
                _ if self.is_global_constant() => CONSTANT,
                _ if self.is_function_of_c() => {
                    "a function is a node: `node f (a, b : u32) returns (c : u32) let c = a + b tel`"
                }
                _ => INSIDE,
            },
            _ => return None,
        })
    }

    /// `const N = 4`, `static const uint32_t N = 4;` or `localparam N = 4;`: reports the form, and reads the constant.
    pub(super) fn number_of_other_languages(&mut self) -> Option<ConstantDefinition> {
        let is_word = |kind| matches!(kind, TokenKind::Ident | TokenKind::Keyword(Keyword::Const));
        let words = (0..).take_while(|&ahead| is_word(self.kind_after(ahead))).count();
        let is_number = self.kind_after(words) == TokenKind::Equal
            && self.kind_after(words + 1) == TokenKind::Integer
            && self.kind_after(words - usize::from(words > 0)) == TokenKind::Ident;
        if words < 2 || !is_number {
            return None;
        }
        let start = self.here();
        let number = self.text_of(self.token(words + 1));
        let number = number.strip_prefix("0x").map_or_else(|| number.parse(), |digits| u64::from_str_radix(digits, 16));
        let is_long = number.is_ok_and(|number| number > u64::from(u32::MAX));
        let mut written = if is_long { "u64" } else { "u32" }.to_owned();
        for ahead in 0..words - 1 {
            let word = self.text_of(self.token(ahead));
            if self.is_type_of_words(self.token(ahead)) {
                written = word.to_owned();
            } else if let Some(instead) = foreign_type(word) {
                written = instead;
            }
        }
        let TypeWord::Type(base) = type_word(&written) else { return None };
        self.position += words - 1;
        let ty = Type { base, dims: Vec::new(), is_stream: false, span: self.here() };
        let name = self.name("the name of a constant")?;
        self.advance();
        let value = self.expression();
        let number = &self.text[value.span.start as usize..value.span.end as usize];
        let meant = format!("const {} : {written} = {number}", name.name);
        self.eat(TokenKind::Semicolon);
        let span = self.since(start);
        let error = Diagnostic::error(&E0119, span, "a constant is written otherwise");
        self.report(error.fix(span, &meant, format!("write `{meant}`")));
        Some(ConstantDefinition { name, ty, value, span })
    }

    /// `static const uint32_t k[2] = {`, or `k = [` or `n = 4` at the beginning of a file.
    fn is_global_constant(&self) -> bool {
        let mut ahead = 1;
        loop {
            match self.kind_after(ahead) {
                TokenKind::Ident | TokenKind::Keyword(Keyword::Const) | TokenKind::Star => ahead += 1,
                TokenKind::LeftBracket => match self.partner(ahead) {
                    Some(partner) => ahead = partner + 1 - self.position,
                    None => return false,
                },
                TokenKind::Equal => {
                    let opens = matches!(
                        self.kind_after(ahead + 1),
                        TokenKind::LeftBrace | TokenKind::LeftBracket | TokenKind::Integer
                    );
                    return ahead > 1 || opens;
                }
                _ => return false,
            }
        }
    }

    /// `static inline uint32_t f(`
    fn is_function_of_c(&self) -> bool {
        let words = (1..6).take_while(|&ahead| self.kind_after(ahead) == TokenKind::Ident).count();
        words > 0 && self.kind_after(words + 1) == TokenKind::LeftParen
    }
}
