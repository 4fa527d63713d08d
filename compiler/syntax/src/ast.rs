//! The syntax tree: the source as written, with places; nothing is resolved or checked.

use culet_diag::Span;
use num_bigint::BigUint;

use crate::instruction::Instruction;

/// One source file, in textual order.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Include(Include),
    /// `type N = T`
    TypeAlias(TypeAlias),
    /// `field N = GF(p)`
    Field(FieldDefinition),
    /// `const N : T = e`
    Constant(ConstantDefinition),
    Node(Definition<NodeBody>),
    Perm(Definition<Entries>),
    Table(Definition<Entries>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Include {
    pub path: String,
    pub path_span: Span,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TypeAlias {
    pub name: Ident,
    pub ty: Type,
    pub span: Span,
}

/// `field N = GF(p)` or `field N = GF2(x^n + …)`. In the modulus `^` is a power.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDefinition {
    pub name: Ident,
    pub is_binary: bool,
    pub modulus: Expr,
    pub span: Span,
}

/// `const N : T = e`, a value that is computed once, when the program is compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantDefinition {
    pub name: Ident,
    pub ty: Type,
    pub value: Expr,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// A node, perm or table, or an indexed family of them (`node[] f …` defines `f<0>`, `f<1>`, …).
#[derive(Debug, Clone, PartialEq)]
pub struct Definition<B> {
    pub attributes: Vec<Attribute>,
    pub name: Ident,
    pub params: Vec<Declaration>,
    pub returns: Vec<Declaration>,
    pub body: Family<B>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Family<B> {
    One(B),
    Indexed(Vec<B>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub kind: AttributeKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttributeKind {
    /// `_inline`
    Inline,
    /// `_no_inline`
    NoInline,
    /// `_interleave(n)`
    Interleave(u32),
    /// `_no_opt`
    NoOpt,
    /// `_instruction(aesenc)`, on a node: what the node means is what this instruction does.
    Instruction(Instruction),
    /// `_msb_first`, on a table: in[0] and out[0] are the most significant bits. The default.
    MsbFirst,
    /// `_lsb_first`, on a table: in[0] and out[0] are the least significant bits.
    LsbFirst,
    /// `_unroll`, on a loop
    Unroll,
    /// `_no_unroll`, on a loop
    NoUnroll,
    /// `_pipelined`, on a loop
    Pipelined,
    /// `_lanes(k)`, on a fold over a stream
    Lanes(u32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct NodeBody {
    pub vars: Vec<Declaration>,
    pub statements: Vec<Statement>,
    pub span: Span,
}

/// The values of a table or the 1-based positions of a perm, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries {
    pub values: Vec<Integer>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integer {
    pub value: BigUint,
    pub span: Span,
}

/// `a, b : const be u32x4[2]`
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    pub names: Vec<Ident>,
    pub modifiers: Vec<Modifier>,
    pub ty: Type,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Modifier {
    pub kind: ModifierKind,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModifierKind {
    /// Shared by all instances of a call, such as a key.
    Const,
    /// `lazyLift`
    LazyLift,
    /// Bytes in memory are the atoms in order, each least significant byte first.
    LittleEndian,
    /// Bytes in memory are the atoms in order, each most significant byte first. The default.
    BigEndian,
    /// Bytes in memory are the elements in order; atom j holds bit j (from the most significant) of every element.
    Planes,
    /// `pub`: the value is no secret.
    Public,
}

/// A base type and its array dimensions, leftmost outermost: `u32x4[2][3]` is 2 of 3 of 4 atoms.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    pub base: BaseType,
    pub dims: Vec<Expr>,
    /// `T[*]`: a stream, whose number of elements is known when the program runs.
    pub is_stream: bool,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BaseType {
    Nat,
    /// `uDMxN`, `bN`, `vN`: a vector of `length` atoms. `is_vector` says that the length was written: it is false only
    /// for `uDM`. Both `u16` and `u16x1` mean one atom, and so does `b1`.
    Words {
        direction: Option<Direction>,
        bits: Bits,
        length: u64,
        is_vector: bool,
    },
    /// A name defined by `type N = T` or `field N = …`.
    Named(Ident),
    /// `fe<51>`, `fe<25.5>`, `fe<mont 52>`: a field with its representation.
    Pinned {
        name: Ident,
        pin: Pin,
    },
}

/// The text in the brackets of `fe<mont 52>`, with single spaces.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pin {
    pub text: String,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `<V>`
    Vertical,
    /// `<H>`
    Horizontal,
    /// `<B>`
    Bitslice,
    /// `<'D>` and any other quoted name; the name without its quote
    Parameter(String),
    /// `<3>`: lexed by the published compiler, without meaning anywhere
    Number(u64),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Bits {
    Known(u64),
    /// `'m` and any other quoted name, the name without its quote; `vN` means `'m`
    Parameter(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    Equation(Equation),
    Forall(Box<Forall>),
    Stream(Box<StreamLoop>),
}

/// `targets op?:?= value`
#[derive(Debug, Clone, PartialEq)]
pub struct Equation {
    pub targets: Vec<Variable>,
    /// The operator of `x op= e`, which means `x = x op e`.
    pub operator: Option<BinaryOperator>,
    /// `:=` instead of `=`.
    pub is_update: bool,
    pub value: Expr,
    pub span: Span,
}

/// `forall counter in [first, last] { … }`, both bounds included, descending if `first > last`; or `fold` in the same
/// form, which carries the variables that it updates from one iteration to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Forall {
    pub attributes: Vec<Attribute>,
    pub is_fold: bool,
    pub counter: Ident,
    pub first: Expr,
    pub last: Expr,
    pub statements: Vec<Statement>,
    pub span: Span,
}

/// `forall element in stream { … }`, `fold element in blocks(stream, size, pad) { … }`. Several streams and arrays that
/// are written one after another, `(key, message)`, are one stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamLoop {
    pub attributes: Vec<Attribute>,
    pub is_fold: bool,
    pub element: Ident,
    pub stream: Expr,
    pub blocks: Option<Blocks>,
    pub statements: Vec<Statement>,
    pub span: Span,
}

/// The size of a block and the padding of the last one, as arguments of `blocks`.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    pub size: Expr,
    pub pad: Expr,
}

impl Blocks {
    /// Whether the padding is that of `blocks(m, 64, md)`: the message ends as in the Merkle–Damgård construction.
    pub fn is_merkle_damgard(&self) -> bool {
        matches!(&self.pad.kind, ExprKind::Variable(Variable { name, selectors, .. }) if name.name == "md" && selectors.is_empty())
    }
}

/// `name[…][…]`
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub name: Ident,
    pub selectors: Vec<Selector>,
    pub span: Span,
}

/// One pair of brackets after a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    pub kind: SelectorKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SelectorKind {
    /// `[e]`
    Index(Expr),
    /// `[a..b]`, both included, reversed if a > b
    Range(Expr, Expr),
    /// `[e1, e2, …]`; an element may itself be a range (`[0..3, 8]`)
    Slice(Vec<SelectorKind>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// Word expressions and static expressions. The place of an expression determines which of the two it must be.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `3`, `0xff : u8`
    Literal {
        value: BigUint,
        ty: Option<Type>,
    },
    Variable(Variable),
    /// Two or more expressions; a single one in parentheses is `Parenthesised`.
    Tuple(Vec<Expr>),
    Parenthesised(Box<Expr>),
    Not(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    Binary {
        operator: BinaryOperator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Shift {
        operator: ShiftOperator,
        operand: Box<Expr>,
        amount: Box<Expr>,
    },
    /// `f(args)`, `f<index>(args)`
    Call {
        name: Ident,
        index: Option<Box<Expr>>,
        arguments: Vec<Expr>,
    },
    /// `le<T>(e)`, `be<T>(e)`: bytes as values of a type
    Decode {
        order: Endian,
        ty: Type,
        operand: Box<Expr>,
    },
    /// `Shuffle(v, [p0, …])`, `v{p0, …}`
    Shuffle {
        operand: Box<Expr>,
        pattern: Vec<Integer>,
    },
    /// `Bitmask(e, i)`
    Bitmask {
        operand: Box<Expr>,
        bit: Box<Expr>,
    },
    /// `Pack(a, b) : t`
    Pack {
        high: Box<Expr>,
        low: Box<Expr>,
        ty: Option<Type>,
    },
    /// `a == b`, `a < b`
    Comparison {
        comparison: Comparison,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `e[…]`, where `e` is no variable
    Selected {
        operand: Box<Expr>,
        selectors: Vec<Selector>,
    },
    /// `c ? a : b`
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// The parser found no expression here, and has given a diagnostic.
    Error,
}

/// The byte of a number that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    /// `le`: the least significant
    Little,
    /// `be`: the most significant
    Big,
}

/// A comparison, whose value is one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    Less,
}

impl Comparison {
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Less => "<",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    And,
    Or,
    Xor,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShiftOperator {
    /// `<<`
    Left,
    /// `>>`
    Right,
    /// `>>!`
    RightArithmetic,
    /// `<<<`
    RotateLeft,
    /// `>>>`
    RotateRight,
}

impl Endian {
    pub fn text(self) -> &'static str {
        match self {
            Endian::Little => "le",
            Endian::Big => "be",
        }
    }
}

impl BinaryOperator {
    pub fn text(self) -> &'static str {
        match self {
            BinaryOperator::And => "&",
            BinaryOperator::Or => "|",
            BinaryOperator::Xor => "^",
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Remainder => "%",
        }
    }
}

impl ShiftOperator {
    pub fn text(self) -> &'static str {
        match self {
            ShiftOperator::Left => "<<",
            ShiftOperator::Right => ">>",
            ShiftOperator::RightArithmetic => ">>!",
            ShiftOperator::RotateLeft => "<<<",
            ShiftOperator::RotateRight => ">>>",
        }
    }
}
