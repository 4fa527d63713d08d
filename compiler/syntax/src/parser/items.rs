//! Files: definitions, includes and type aliases.

use culet_diag::codes::syntax::{E0103, E0104, E0105, E0108, E0109, E0111, E0114, E0119, E0120};
use culet_diag::{Diagnostic, Span};
use num_traits::ToPrimitive;

use super::Parser;
use crate::ast::{
    Attribute, AttributeKind, Declaration, Definition, Entries, Family, File, Ident, Include, Item, NodeBody, TypeAlias,
};
use crate::instruction::{Instead, Instruction};
use crate::suggest::closest;
use crate::token::{Keyword, TokenKind};

/// Attributes that are not reserved words, so that old programs may use them as names.
const MSB_FIRST: &str = "_msb_first";
const LSB_FIRST: &str = "_lsb_first";
pub(super) const LANES: &str = "_lanes";
const INSTRUCTION: &str = "_instruction";

pub(super) const INPUTS: &str = "the inputs of a definition";
pub(super) const OUTPUTS: &str = "the outputs of a definition";

/// All attributes of definitions and loops.
const ATTRIBUTES: [&str; 11] = [
    "_inline",
    "_no_inline",
    "_interleave",
    "_no_opt",
    "_unroll",
    "_no_unroll",
    "_pipelined",
    "_lanes",
    INSTRUCTION,
    MSB_FIRST,
    LSB_FIRST,
];

impl Parser<'_> {
    pub fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.at(TokenKind::End) {
            let start = self.position;
            let item = self.item();
            items.extend(item);
            if self.lost {
                self.skip_until(|p| p.position > start && (p.at_item() || p.at_misspelled_item()));
                self.found_again();
            }
        }
        File { items }
    }

    /// Whether a definition, an include or an alias starts here.
    fn at_item(&self) -> bool {
        match self.kind() {
            TokenKind::Keyword(Keyword::Const) => self.at_constant(),
            TokenKind::Keyword(keyword) => keyword.opens_item() && !self.is_assignment(1),
            TokenKind::Ident => self.at_alias() || self.at_field() || self.at_named_attribute(),
            _ => false,
        }
    }

    /// Whether a misspelled item such as `tabel f(` begins a line.
    fn at_misspelled_item(&self) -> bool {
        let kinds = (self.kind(), self.kind_after(1), self.kind_after(2));
        kinds == (TokenKind::Ident, TokenKind::Ident, TokenKind::LeftParen) && self.is_on_new_line()
    }

    /// `type N =`; elsewhere `type` is an ordinary name.
    pub(super) fn at_alias(&self) -> bool {
        self.at(TokenKind::Ident)
            && self.text_of(self.token(0)) == "type"
            && self.kind_after(1) == TokenKind::Ident
            && matches!(self.kind_after(2), TokenKind::Equal | TokenKind::Colon)
    }

    /// Whether an attribute that is not a reserved word stands here, before another one or a definition.
    pub(super) fn at_named_attribute(&self) -> bool {
        let is_instruction =
            || self.text_of(self.token(0)) == INSTRUCTION && self.kind_after(1) == TokenKind::LeftParen;
        self.at(TokenKind::Ident) && (is_instruction() || self.at_bit_order())
    }

    fn at_bit_order(&self) -> bool {
        self.at(TokenKind::Ident)
            && [MSB_FIRST, LSB_FIRST].contains(&self.text_of(self.token(0)))
            && matches!(self.kind_after(1), TokenKind::Ident | TokenKind::Keyword(_))
    }

    fn item(&mut self) -> Option<Item> {
        let start = self.here();
        if self.at_alias() {
            return self.alias().map(Item::TypeAlias);
        }
        if self.at_field() {
            return self.field().map(Item::Field);
        }
        if self.at_constant() {
            return self.constant().map(Item::Constant);
        }
        if let Some(constant) = self.number_of_other_languages() {
            return Some(Item::Constant(constant));
        }
        if self.at_keyword(Keyword::Include) {
            return self.include().map(Item::Include);
        }
        let attributes = self.attributes();
        if self.lost {
            return None;
        }
        let keyword = self.definition_keyword()?;
        let item = match keyword {
            Keyword::Node => self.definition(start, attributes, keyword, Self::node_body).map(Item::Node),
            Keyword::Perm => self.definition(start, attributes, keyword, Self::entries).map(Item::Perm),
            _ => self.definition(start, attributes, keyword, Self::entries).map(Item::Table),
        };
        if !self.lost {
            self.no_semicolon("a definition");
        }
        item
    }

    /// Takes `node`, `perm` or `table`, even if it is misspelled.
    fn definition_keyword(&mut self) -> Option<Keyword> {
        const KEYWORDS: [Keyword; 3] = [Keyword::Node, Keyword::Perm, Keyword::Table];
        let token = self.token(0);
        if let Some(keyword) = KEYWORDS.into_iter().find(|&keyword| self.at_keyword(keyword)) {
            self.advance();
            return Some(keyword);
        }
        let span = self.here();
        let message = format!("a definition was expected here, found {}", self.found());
        let error = Diagnostic::error(&E0119, span, message);
        if self.kind_after(1) == TokenKind::Keyword(Keyword::Node) && self.text_of(token) == "inline" {
            self.report(error.fix(span, "_inline", "write `_inline`"));
            self.advance();
            return self.definition_keyword();
        }
        if token.kind == TokenKind::Ident && self.kind_after(1) == TokenKind::Ident {
            let word = self.text_of(token);
            let meant = match word {
                "fn" | "func" | "function" | "def" | "fun" => Some(Keyword::Node),
                "sbox" | "lut" => Some(Keyword::Table),
                _ => closest(word, KEYWORDS.map(Keyword::text)).and_then(Keyword::find),
            };
            if let Some(keyword) = meant {
                self.report(error.fix(span, keyword.text(), format!("write `{}`", keyword.text())));
                self.advance();
                return Some(keyword);
            }
        }
        self.get_lost(match self.idiom_for_item() {
            Some(idiom) => error.note(idiom),
            None => error,
        });
        None
    }

    fn include(&mut self) -> Option<Include> {
        let start = self.here();
        self.advance();
        let token = self.token(0);
        if token.kind != TokenKind::String {
            let message = format!("the name of a file was expected here, found {}", self.found());
            let error = Diagnostic::error(&E0104, self.here(), message);
            self.get_lost(error.note("it stands in quotes: `include \"sbox.ua\"`"));
            return None;
        }
        self.advance();
        let path = self.text_of(token).trim_matches(['"', '“', '”', '„']).to_string();
        let span = self.since(start);
        self.no_semicolon("an include");
        Some(Include { path, path_span: self.span_of(token), span })
    }

    /// `type N = T`
    fn alias(&mut self) -> Option<TypeAlias> {
        let start = self.here();
        self.advance();
        let name = self.name("the name of a type")?;
        self.check_type_name(&name);
        let equal = self.here();
        if self.eat(TokenKind::Colon) {
            self.eat(TokenKind::Equal);
            let written = self.since(equal);
            let error = Diagnostic::error(&E0105, written, "a type is defined with `=`");
            self.report(error.fix(written, "=", "write `=`"));
        } else {
            self.expect(TokenKind::Equal, "after the name of a type");
        }
        if self.kind_after(1) == TokenKind::LeftParen && matches!(self.text_of(self.token(0)), "GF" | "GF2") {
            let error = Diagnostic::error(&E0119, self.here(), "a field is no type of words");
            self.get_lost(error.note(format!("a field is defined by `field {} = GF(2^255 - 19)`", name.name)));
            return None;
        }
        let ty = self.ty()?;
        let span = self.since(start);
        self.no_semicolon("a type definition");
        Some(TypeAlias { name, ty, span })
    }

    /// Reads attributes of definitions or loops.
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        loop {
            let token = self.token(0);
            let kind = match token.kind {
                TokenKind::Keyword(Keyword::Inline) => AttributeKind::Inline,
                TokenKind::Keyword(Keyword::NoInline) => AttributeKind::NoInline,
                TokenKind::Keyword(Keyword::NoOpt) => AttributeKind::NoOpt,
                TokenKind::Keyword(Keyword::Unroll) => AttributeKind::Unroll,
                TokenKind::Keyword(Keyword::NoUnroll) => AttributeKind::NoUnroll,
                TokenKind::Keyword(Keyword::Pipelined) => AttributeKind::Pipelined,
                TokenKind::Keyword(Keyword::Interleave) => {
                    attributes.extend(self.counted("`_interleave`", AttributeKind::Interleave));
                    continue;
                }
                TokenKind::Ident if self.text_of(token) == LANES => {
                    attributes.extend(self.counted("`_lanes`", AttributeKind::Lanes));
                    continue;
                }
                TokenKind::Ident if self.text_of(token) == INSTRUCTION => {
                    attributes.extend(self.instruction());
                    continue;
                }
                TokenKind::Ident if self.at_bit_order() => match self.text_of(token) {
                    MSB_FIRST => AttributeKind::MsbFirst,
                    _ => AttributeKind::LsbFirst,
                },
                TokenKind::Ident if self.text_of(token).starts_with('_') => {
                    self.unknown_attribute();
                    continue;
                }
                _ => return attributes,
            };
            self.advance();
            attributes.push(Attribute { kind, span: self.span_of(token) });
        }
    }

    fn unknown_attribute(&mut self) {
        let (word, span) = (self.text_of(self.token(0)), self.here());
        let error = Diagnostic::error(&E0114, span, format!("there is no attribute {}", self.found()));
        self.report(match closest(word, ATTRIBUTES) {
            Some(meant) => error.fix(span, meant, format!("write `{meant}`")),
            None => error.note(format!("the attributes are `{}`", ATTRIBUTES.join("`, `"))),
        });
        self.advance();
    }

    /// `_instruction(aesenc)`
    fn instruction(&mut self) -> Option<Attribute> {
        let start = self.here();
        self.advance();
        let open = self.here();
        if !self.expect(TokenKind::LeftParen, "after `_instruction`") {
            return None;
        }
        let name = self.name("the name of an instruction")?;
        if !self.expect_closing(TokenKind::RightParen, open) {
            return None;
        }
        let found = Instruction::find(&name.name);
        if found.is_none() {
            self.report(unknown_instruction(&name));
        }
        found.map(|instruction| Attribute { kind: AttributeKind::Instruction(instruction), span: self.since(start) })
    }

    /// `_interleave(n)`, `_lanes(n)`
    fn counted(&mut self, name: &str, kind: fn(u32) -> AttributeKind) -> Option<Attribute> {
        let start = self.here();
        self.advance();
        let open = self.here();
        if !self.expect(TokenKind::LeftParen, &format!("after {name}")) {
            return None;
        }
        let numbers = self.integers(TokenKind::RightParen);
        if !self.expect_closing(TokenKind::RightParen, open) {
            return None;
        }
        let span = self.since(start);
        let factor = numbers.first().and_then(|number| number.value.to_u32());
        match factor {
            Some(factor) if numbers.len() == 1 => {
                return Some(Attribute { kind: kind(factor), span });
            }
            Some(_) => self.report(Diagnostic::error(&E0105, span, format!("{name} takes one number"))),
            None => self.report(Diagnostic::error(&E0103, span, "this number is too large")),
        }
        None
    }

    /// After `node`, `perm` or `table`: reads `[]`, name, parameters, results and body.
    fn definition<B>(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        keyword: Keyword,
        body: fn(&mut Self, is_member: bool) -> Option<B>,
    ) -> Option<Definition<B>> {
        self.check_attributes(&attributes, keyword);
        let keyword_end = self.gap();
        let mut is_family = false;
        if self.at(TokenKind::LeftBracket) {
            let open = self.here();
            self.advance();
            self.expect_closing(TokenKind::RightBracket, open);
            is_family = true;
        }
        let name = self.name(&format!("the name of a {}", keyword.text()))?;
        let params = self.parameters(INPUTS);
        self.find_header_part(|p| p.at_keyword(Keyword::Returns));
        if !self.lost && self.at(TokenKind::Minus) && self.kind_after(1) == TokenKind::Greater {
            let arrow = self.here().to(self.span_of(self.token(1)));
            let message = "`returns` was expected after the inputs of a definition, found `->`";
            let error = Diagnostic::error(&E0109, arrow, message).note("results have names: `returns (b : u32)`");
            let has_names = self.kind_after(2) == TokenKind::LeftParen;
            self.report(if has_names { error.fix(arrow, "returns", "write `returns`") } else { error });
            self.advance();
            self.advance();
            // Without names, the results cannot be read.
            self.lost |= !self.at(TokenKind::LeftParen);
        } else if !self.lost {
            self.expect_keyword(Keyword::Returns, "after the inputs of a definition");
        }
        let returns = self.parameters(OUTPUTS);
        self.find_header_part(|p| {
            matches!(
                p.kind(),
                TokenKind::LeftBrace | TokenKind::LeftBracket | TokenKind::Keyword(Keyword::Vars | Keyword::Let)
            )
        });
        if self.lost {
            return None;
        }
        if self.at(TokenKind::LeftBracket) && !is_family && self.is_list_of_bodies() {
            let message = format!("`[` opens the members of a family, but `{}` is not one", name.name);
            let error = Diagnostic::error(&E0111, self.here(), message);
            let family = format!("define it with `{}[]`", keyword.text());
            self.report(error.fix(keyword_end, "[]", family));
            is_family = true;
        }
        let body = if is_family { Family::Indexed(self.family(body)?) } else { Family::One(body(self, false)?) };
        Some(Definition { attributes, name, params, returns, body, span: self.since(start) })
    }

    /// Whether the next `[` opens a list of bodies, not of numbers.
    fn is_list_of_bodies(&self) -> bool {
        matches!(self.kind_after(1), TokenKind::LeftBrace | TokenKind::Keyword(Keyword::Vars | Keyword::Let))
    }

    fn check_attributes(&mut self, attributes: &[Attribute], keyword: Keyword) {
        for attribute in attributes {
            let (message, note) = match attribute.kind {
                AttributeKind::Unroll
                | AttributeKind::NoUnroll
                | AttributeKind::Pipelined
                | AttributeKind::Lanes(_) => (
                    "this attribute belongs before a `forall`",
                    "a definition may have `_inline`, `_no_inline`, `_interleave(n)`, `_no_opt` and `_instruction(…)`",
                ),
                AttributeKind::MsbFirst | AttributeKind::LsbFirst if keyword != Keyword::Table => (
                    "this attribute belongs before a `table`",
                    "it says which bit of a table's input and output is the first",
                ),
                AttributeKind::Instruction(_) if keyword != Keyword::Node => {
                    ("this attribute belongs before a `node`", "a node's equations say what the instruction does")
                }
                _ => continue,
            };
            self.report(Diagnostic::error(&E0114, attribute.span, message).note(note));
        }
    }

    /// `(declarations)`
    fn parameters(&mut self, what: &str) -> Vec<Declaration> {
        if self.lost {
            return Vec::new();
        }
        let open = self.here();
        if !self.expect(TokenKind::LeftParen, &format!("before {what}")) {
            return Vec::new();
        }
        let declarations = self.declarations(|p| p.at(TokenKind::RightParen));
        self.expect_end_of_list(TokenKind::RightParen, open);
        declarations
    }

    /// After an error in a definition's header: skips to the next part of the header, if it comes before the next item.
    fn find_header_part(&mut self, is_part: impl Fn(&Self) -> bool) {
        if self.lost {
            let is_wall = |p: &Self| p.at_item() || p.at(TokenKind::Semicolon) || p.at_keyword(Keyword::Tel);
            self.skip_until(|p| is_part(p) || is_wall(p) || p.at_keyword(Keyword::Let));
            if is_part(self) {
                self.found_again();
            }
        }
    }

    /// `[ body; body ]`
    fn family<B>(&mut self, body: fn(&mut Self, bool) -> Option<B>) -> Option<Vec<B>> {
        let open = self.here();
        if !self.eat(TokenKind::LeftBracket) {
            let message = format!("`[` was expected before the members of a family, found {}", self.found());
            let error = Diagnostic::error(&E0111, open, message);
            self.report(error.note("a family is written `table[] f(…) returns (…) [ { … }; { … } ]`"));
            return body(self, false).map(|only| vec![only]);
        }
        let mut members = Vec::new();
        loop {
            members.push(body(self, true)?);
            if self.eat(TokenKind::RightBracket) {
                return Some(members);
            }
            let separator = self.here();
            if self.eat(TokenKind::Comma) {
                let error = Diagnostic::error(&E0120, separator, "the members of a family are separated by `;`");
                self.report(error.fix(separator, ";", "write `;`"));
            } else if self.at_keyword(Keyword::Let) || self.at_keyword(Keyword::Vars) {
                let gap = self.gap();
                let error = Diagnostic::error(&E0120, gap, "`;` is missing between two members of a family");
                self.report(error.fix(gap, ";", "insert `;`"));
            } else if !self.at(TokenKind::Semicolon) {
                self.expect_closing(TokenKind::RightBracket, open);
                return Some(members);
            } else {
                self.advance();
            }
            if self.eat(TokenKind::RightBracket) {
                let error = Diagnostic::error(&E0120, separator, "nothing follows this separator");
                self.report(error.fix(separator, "", "remove it"));
                return Some(members);
            }
        }
    }

    /// `vars … let … tel`
    fn node_body(&mut self, is_member: bool) -> Option<NodeBody> {
        let start = self.here();
        let mut vars = Vec::new();
        if self.at(TokenKind::LeftBrace) {
            let error =
                Diagnostic::error(&E0111, start, "the body of a node stands between `let` and `tel`, not in braces");
            self.get_lost(error);
            return None;
        }
        self.no_semicolon(OUTPUTS);
        if self.at_keyword(Keyword::Vars) || self.at_misspelled_vars() {
            self.expect_keyword(Keyword::Vars, "before the locals of a node");
            vars = self.declarations(|p| p.at_keyword(Keyword::Let));
            if self.lost {
                self.skip_until(|p| p.at_keyword(Keyword::Let) || p.at_keyword(Keyword::Tel) || p.at_item());
                self.found_again();
            }
        }
        let open = self.here();
        if !self.begin_in_words() && !self.expect_keyword(Keyword::Let, "before the equations of a node") {
            return None;
        }
        let statements = self.statements(is_member.then_some(TokenKind::RightBracket));
        if !self.at_keyword(Keyword::Tel) {
            let (gap, place) = (self.gap(), self.here());
            let message = format!("`tel` was expected after the equations of a node, found {}", self.found());
            let error = Diagnostic::error(&E0108, place, message).related(open, "to close this `let`");
            if self.at_end_in_words() {
                self.report(error.fix(place, "tel", "write `tel`"));
                self.advance();
                return Some(NodeBody { vars, statements, span: self.since(start) });
            }
            self.report(match self.kind() {
                TokenKind::Keyword(Keyword::Vars) => {
                    error.note("`vars` stands above `let`, once for all locals of a node")
                }
                TokenKind::Keyword(Keyword::Node) if self.is_indented() => {
                    error.note("a node stands above the one that calls it, not inside")
                }
                _ => error.fix(gap, "\ntel\n", "insert `tel`"),
            });
            return Some(NodeBody { vars, statements, span: self.since(start) });
        }
        self.advance();
        Some(NodeBody { vars, statements, span: self.since(start) })
    }

    /// `var x`
    fn at_misspelled_vars(&self) -> bool {
        let word = self.text_of(self.token(0));
        let is_name = self.at(TokenKind::Ident) && self.kind_after(1) == TokenKind::Ident;
        is_name && closest(word, [Keyword::Vars.text(), Keyword::Let.text()]) == Some(Keyword::Vars.text())
    }

    /// `{ 1, 2, … }`, the values of a table or the positions of a perm.
    fn entries(&mut self, _is_member: bool) -> Option<Entries> {
        let start = self.here();
        let closing = match self.kind() {
            TokenKind::LeftBrace => {
                let values = self.braced_integers()?;
                return Some(Entries { values, span: self.since(start) });
            }
            TokenKind::LeftBracket => Some(TokenKind::RightBracket),
            TokenKind::LeftParen => Some(TokenKind::RightParen),
            TokenKind::Integer => None,
            _ => {
                let message = format!("`{{` and a list of numbers was expected here, found {}", self.found());
                let code = if self.at_keyword(Keyword::Let) { &E0109 } else { &E0111 };
                let error = Diagnostic::error(code, start, message);
                self.get_lost(error.note("tables and perms have no `let`: their body is `{ 2, 0, 3, 1 }`"));
                return None;
            }
        };
        let error = Diagnostic::error(&E0111, start, "the values of a table or perm stand in braces");
        self.report(error.note("write `{ 2, 0, 3, 1 }`"));
        if closing.is_some() {
            self.advance();
        }
        let values = self.integers(closing.unwrap_or(TokenKind::End));
        if let Some(closing) = closing {
            self.expect_end_of_list(closing, start);
        }
        Some(Entries { values, span: self.since(start) })
    }
}

/// The error for a name that is no instruction's.
fn unknown_instruction(name: &Ident) -> Diagnostic {
    let names = Instruction::ALL.map(Instruction::name);
    let error = Diagnostic::error(&E0114, name.span, format!("there is no instruction `{}` here", name.name));
    let error = match (Instruction::instead_of(&name.name), closest(&name.name, names)) {
        (Some(Instead::Name(same)), _) => error.fix(name.span, same.name(), format!("write `{}`", same.name())),
        (Some(Instead::Text(text)), _) => error.note(format!("in place of `{}`, a node is {text}", name.name)),
        (None, Some(meant)) => error.fix(name.span, meant, format!("write `{meant}`")),
        (None, None) => error,
    };
    error.note(format!("the instructions are {}", names.join(", ")))
}
