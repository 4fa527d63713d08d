//! The tokens of the language.

/// A token: a kind and a range of bytes. Its text stays in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or a type word such as `u32`; its place determines which of the two.
    Ident,
    /// A type word with a direction, `u<V>32x4`.
    DirectedType,
    Integer,
    /// `25.5`, in a pinned representation
    Decimal,
    String,
    Keyword(Keyword),
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Colon,
    Equal,
    Question,
    And,
    Or,
    Xor,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    /// `~` or `!`, which mean the same.
    Not,
    ShiftLeft,
    ShiftRight,
    ShiftRightArithmetic,
    RotateLeft,
    RotateRight,
    Less,
    Greater,
    DotDot,
    /// A character that is not part of the language; the lexer has reported it.
    Unknown,
    /// The end of the text, or `__END__`.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Node,
    Returns,
    Vars,
    Let,
    Tel,
    Perm,
    Table,
    Forall,
    In,
    Shuffle,
    Bitmask,
    Pack,
    Inline,
    NoInline,
    Unroll,
    NoUnroll,
    Interleave,
    NoOpt,
    Const,
    LazyLift,
    Pipelined,
    Include,
}

impl Keyword {
    pub const ALL: [Keyword; 22] = [
        Keyword::Node,
        Keyword::Returns,
        Keyword::Vars,
        Keyword::Let,
        Keyword::Tel,
        Keyword::Perm,
        Keyword::Table,
        Keyword::Forall,
        Keyword::In,
        Keyword::Shuffle,
        Keyword::Bitmask,
        Keyword::Pack,
        Keyword::Inline,
        Keyword::NoInline,
        Keyword::Unroll,
        Keyword::NoUnroll,
        Keyword::Interleave,
        Keyword::NoOpt,
        Keyword::Const,
        Keyword::LazyLift,
        Keyword::Pipelined,
        Keyword::Include,
    ];

    pub fn text(self) -> &'static str {
        match self {
            Keyword::Node => "node",
            Keyword::Returns => "returns",
            Keyword::Vars => "vars",
            Keyword::Let => "let",
            Keyword::Tel => "tel",
            Keyword::Perm => "perm",
            Keyword::Table => "table",
            Keyword::Forall => "forall",
            Keyword::In => "in",
            Keyword::Shuffle => "Shuffle",
            Keyword::Bitmask => "Bitmask",
            Keyword::Pack => "Pack",
            Keyword::Inline => "_inline",
            Keyword::NoInline => "_no_inline",
            Keyword::Unroll => "_unroll",
            Keyword::NoUnroll => "_no_unroll",
            Keyword::Interleave => "_interleave",
            Keyword::NoOpt => "_no_opt",
            Keyword::Const => "const",
            Keyword::LazyLift => "lazyLift",
            Keyword::Pipelined => "_pipelined",
            Keyword::Include => "include",
        }
    }

    pub fn find(text: &str) -> Option<Keyword> {
        Self::ALL.into_iter().find(|keyword| keyword.text() == text)
    }

    /// Whether this is an attribute or a word that opens a definition or an include. None of them occurs inside a body,
    /// except attributes before a loop.
    pub fn opens_item(self) -> bool {
        use Keyword::*;
        matches!(self, Node | Perm | Table | Include | Inline | NoInline | Interleave | NoOpt)
    }
}

impl TokenKind {
    /// The name of this kind of token in a message, where its text says too little.
    pub fn text(self) -> &'static str {
        match self {
            TokenKind::Ident => "a name",
            TokenKind::DirectedType => "a type",
            TokenKind::Integer => "a number",
            TokenKind::Decimal => "a decimal fraction",
            TokenKind::String => "a string",
            TokenKind::Keyword(keyword) => keyword.text(),
            TokenKind::LeftParen => "(",
            TokenKind::RightParen => ")",
            TokenKind::LeftBracket => "[",
            TokenKind::RightBracket => "]",
            TokenKind::LeftBrace => "{",
            TokenKind::RightBrace => "}",
            TokenKind::Comma => ",",
            TokenKind::Semicolon => ";",
            TokenKind::Colon => ":",
            TokenKind::Equal => "=",
            TokenKind::Question => "?",
            TokenKind::And => "&",
            TokenKind::Or => "|",
            TokenKind::Xor => "^",
            TokenKind::Plus => "+",
            TokenKind::Minus => "-",
            TokenKind::Star => "*",
            TokenKind::Slash => "/",
            TokenKind::Percent => "%",
            TokenKind::Not => "~",
            TokenKind::ShiftLeft => "<<",
            TokenKind::ShiftRight => ">>",
            TokenKind::ShiftRightArithmetic => ">>!",
            TokenKind::RotateLeft => "<<<",
            TokenKind::RotateRight => ">>>",
            TokenKind::Less => "<",
            TokenKind::Greater => ">",
            TokenKind::DotDot => "..",
            TokenKind::Unknown => "a character that is not part of the language",
            TokenKind::End => "the end of the file",
        }
    }
}
