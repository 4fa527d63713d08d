//! Comments that hide a part of an expression: `y = x // 2` in the language of Python, `y = x # + k`.

use culet_diag::codes::syntax::W0105;
use culet_diag::{Diagnostic, Span};

use super::Parser;
use crate::token::TokenKind;

pub(super) const REMEDY: &str = "write `/` for a division, or `;` before the comment if the equation ends there";

impl Parser<'_> {
    /// Warns if an equation ends without `;` before a comment that looks like the rest of its expression.
    pub(super) fn warn_about_comment(&mut self) {
        if let Some(comment) = self.comment_like_expression() {
            let mark = self.comment_mark(comment);
            let message = format!("`{mark}` begins a comment, so that the equation ends before it");
            self.warn(Diagnostic::warning(&W0105, comment, message).note(REMEDY));
        }
    }

    pub(super) fn comment_mark(&self, comment: Span) -> &'static str {
        if self.text[comment.start as usize..].starts_with('#') { "#" } else { "//" }
    }

    /// The comment between the last token and the next one, on the line of the last, if it looks like the rest of an
    /// expression: after `//` it begins with an operand, after `#` with an operator.
    pub(super) fn comment_like_expression(&self) -> Option<Span> {
        let end = self.previous().end as usize;
        let line = self.text.get(end..self.token(0).start as usize)?.lines().next()?.trim_end();
        let comment = line.trim_start();
        let rest = comment.strip_prefix("//").or_else(|| comment.strip_prefix('#'))?;
        let begins_with_operator = comment.starts_with('#');
        let start = (end + line.len() - comment.len()) as u32;
        let span = Span { file: self.file, start, end: (end + line.len()) as u32 };
        self.is_rest_of_expression(rest.trim().trim_end_matches(';'), begins_with_operator).then_some(span)
    }

    /// Whether a text consists of operands and operators in turn, of which names have occurred before.
    fn is_rest_of_expression(&self, text: &str, begins_with_operator: bool) -> bool {
        let is_in_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let (mut rest, mut wants_operand, mut operands) = (text.trim_start(), !begins_with_operator, 0);
        while let Some(letter) = rest.chars().next() {
            let length = if is_in_word(letter) { rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()) } else { 1 };
            match letter {
                '(' | '~' if wants_operand => {}
                ')' if !wants_operand => {}
                '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' if !wants_operand => wants_operand = true,
                _ if is_in_word(letter) && wants_operand && self.is_known_operand(&rest[..length]) => {
                    wants_operand = false;
                    operands += 1;
                }
                _ => return false,
            }
            rest = rest[length..].trim_start();
        }
        operands > 0 && !wants_operand
    }

    /// Whether a word is a number, or a name that occurred before.
    fn is_known_operand(&self, word: &str) -> bool {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit()) || word.starts_with("0x");
        let occurs = |token: &crate::token::Token| token.kind == TokenKind::Ident && self.text_of(*token) == word;
        is_number || self.tokens[..self.position].iter().any(occurs)
    }
}
