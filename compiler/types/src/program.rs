//! The program: resolved, monomorphic, checked, and ordered. It is what `meaning` interprets, what `lower` translates,
//! and the subject of proofs.
//!
//! - Every node is one instance of a source node: direction, word size and `nat` arguments are known.
//! - Every value is a list of *atoms* in row-major order; an atom is a word of `bits` bits, or an element of a field.
//! - Steps run in order. The elaborator has checked single assignment and totality and has ordered the equations, so
//!   running the steps as assignments to memory is what the equations mean.
//! - Loops remain loops if their counter occurs only in the positions of places, as an affine expression; the
//!   elaborator has unrolled all other loops.
//! - Expressions are nested at most some hundreds of levels deep: the elaborator gives deeper parts a variable.
//! - A bitsliced atom is still one word of `bits` bits here: slicing changes the layout, never the meaning.

use culet_diag::Span;
use num_bigint::BigUint;

use crate::field::Field;

pub use culet_syntax::instruction::{Family, Instruction};

#[derive(Debug, Clone)]
pub struct Program {
    /// The nodes; callees precede callers.
    pub nodes: Vec<Node>,
    pub entry: NodeId,
    /// The fields, in the order of their definitions.
    pub fields: Vec<Field>,
}

/// A field of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A variable of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A loop counter of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterId(pub u32);

#[derive(Debug, Clone)]
pub struct Node {
    /// The name in the source.
    pub name: String,
    /// The name, the family index and the instance's parameters as a C identifier that is unique in the program.
    pub symbol: String,
    pub span: Span,
    /// `_inline` is `Some(true)`, `_no_inline` is `Some(false)`.
    pub inline: Option<bool>,
    /// `_interleave(n)`
    pub interleave: Option<u32>,
    /// `_no_opt`: the optimising passes leave this node's operations as they are written.
    pub no_opt: bool,
    /// `_instruction(name)`: what the node says that it means is what this instruction does.
    pub instruction: Option<Instruction>,
    /// Parameters, results and locals.
    pub vars: Vec<Var>,
    pub params: Vec<VarId>,
    pub returns: Vec<VarId>,
    pub body: Body,
    /// The number of loop counters of the body.
    pub counters: u32,
    /// The arguments of `pub` parameters of nodes that were put in place of their calls.
    pub given_as_public: Vec<GivenAsPublic>,
}

/// The argument that a call gives a `pub` parameter.
#[derive(Debug, Clone)]
pub struct GivenAsPublic {
    /// The parameter.
    pub name: String,
    pub declared: Span,
    /// The argument or the call.
    pub place: Span,
    pub vars: Vec<VarId>,
}

#[derive(Debug, Clone)]
pub struct Var {
    pub name: String,
    pub ty: Ty,
    /// `const`: one value for all instances of a call.
    pub shared: bool,
    /// `pub`: the value is not secret. Callers give public values only (`public`).
    pub public: bool,
    /// Whether this is a parameter or result with any number of values of the type `ty`. The number is known when the
    /// program runs.
    pub stream: bool,
    /// The order of its bytes in memory; used for the entry's parameters and results.
    pub bytes: ByteOrder,
    pub span: Span,
}

/// An array of atoms with the dimensions `dims`, outermost first; a single atom has no dimension. Vectors (`x4`) are
/// the innermost dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ty {
    pub atom: Atom,
    pub dims: Vec<u32>,
}

impl Ty {
    /// Number of atoms. The elaborator's limits keep it far below `u32::MAX`.
    pub fn atoms(&self) -> u32 {
        self.dims.iter().product()
    }

    /// Number of bits of one instance, with elements of fields in their canonical form.
    pub fn bits(&self) -> u64 {
        u64::from(self.atoms()) * u64::from(self.atom.bits)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Atom {
    pub slicing: Slicing,
    /// Number of bits: 1 to 64 for a word; the length of the canonical form for an element of a field.
    pub bits: u32,
}

impl Atom {
    /// The byte order in memory if the source gives none.
    pub fn usual_order(self) -> ByteOrder {
        if self.field().is_some() { ByteOrder::Little } else { ByteOrder::Big }
    }

    /// The field of which the atom is an element; `None` for words.
    pub fn field(self) -> Option<FieldId> {
        match self.slicing {
            Slicing::Limbs(field) => Some(field),
            Slicing::Vertical | Slicing::Horizontal | Slicing::Bitslice => None,
        }
    }
}

/// The form in which registers hold an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slicing {
    /// An atom is one lane of a register; instances sit side by side.
    Vertical,
    /// The bits of an atom are spread over the elements of a register.
    Horizontal,
    /// Every bit has a register of its own.
    Bitslice,
    /// An element of a field, in limbs, which the field's representation determines.
    Limbs(FieldId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    Little,
    Big,
    /// The last dimension counts the planes.
    Planes,
}

#[derive(Debug, Clone)]
pub enum Body {
    Steps(Vec<Step>),
    Table(Table),
}

/// A function from input atoms to output atoms, applied at every bit position.
///
/// Entry `i` is the value for the input atoms that spell `i`, first atom most significant; the first output atom is the
/// value's most significant bit. (A table written `_lsb_first` has been rearranged by the elaborator.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Table {
    pub inputs: u32,
    pub outputs: u32,
    pub values: Vec<u64>,
}

#[derive(Debug, Clone)]
pub enum Step {
    Assign(Assign),
    Loop(Loop),
}

/// The atoms of `value`, in order, go to the atoms of `targets`, in order. All reads happen before all writes.
#[derive(Debug, Clone)]
pub struct Assign {
    pub targets: Vec<Place>,
    pub value: Expr,
    pub span: Span,
}

/// `counter` runs from `first` to `last`, both included, downwards if `first > last`.
#[derive(Debug, Clone)]
pub struct Loop {
    pub counter: CounterId,
    pub first: i64,
    pub last: i64,
    /// `_unroll` is `Some(true)`, `_no_unroll` is `Some(false)`.
    pub unroll: Option<bool>,
    /// The stream, if this is a loop over one: the counter counts its elements from 0, and `first` and `last` mean
    /// nothing.
    pub stream: Option<Stream>,
    pub steps: Vec<Step>,
    pub span: Span,
}

/// The stream of a loop, and the variables of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// The bytes or elements of these variables, one after another, are the stream: parameters that are streams, results
    /// that loops above make and, if it is made of bytes, other variables.
    pub parts: Vec<VarId>,
    /// The variable that holds the element, or the block, of the iteration.
    pub element: VarId,
    pub blocks: Option<Blocks>,
    /// `_lanes(k)`: the fold may be divided among k accumulators.
    pub lanes: Option<u32>,
    /// The variables that are carried from one iteration to the next.
    pub carried: Vec<VarId>,
    /// Results that are streams.
    pub outputs: Vec<Output>,
}

/// A result that a loop over a stream makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    pub result: VarId,
    /// The variable of the same name whose values at its end each iteration appends: an element or, in a loop over
    /// blocks, as many bytes as a block has of the stream. Of these, only as many are appended as the stream still has.
    pub made: VarId,
}

/// The division of a stream of bytes into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// Bytes of the stream in each block except the last, which may have fewer.
    pub bytes: u32,
    /// The byte that follows these bytes in every block, before zeros. If it is 0, zeros only fill up the last block if
    /// it is short.
    pub pad: u8,
    /// Length in bytes of the field for the stream's length; 0 if there is none. Otherwise the byte 0x80 follows the
    /// stream, then zeros, then the number of the stream's bits in this many bytes, most significant first, which end a
    /// block. In this case there is always at least one block, and `pad` is 0.
    pub length_bytes: u32,
}

impl Blocks {
    /// Number of bytes of a block.
    pub fn length(self) -> u32 {
        self.bytes + u32::from(self.pad != 0)
    }
}

impl Loop {
    pub fn trip_count(&self) -> u64 {
        self.first.abs_diff(self.last) + 1
    }

    /// The counter's values in order.
    pub fn values(&self) -> impl Iterator<Item = i64> + use<> {
        let (first, step) = (self.first, if self.first <= self.last { 1 } else { -1 });
        (0..self.trip_count() as i64).map(move |k| first + k * step)
    }
}

/// Some atoms of a variable, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    pub var: VarId,
    pub runs: Vec<Run>,
}

/// The atoms `start, start + stride, …`, `length` of them. All lie inside the variable for every value of the counters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    pub start: Affine,
    pub length: u32,
    pub stride: i32,
}

/// `constant + Σ factor · counter`. Terms are sorted by counter and their factors are not zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    pub constant: i64,
    pub terms: Vec<(CounterId, i64)>,
}

impl Affine {
    pub fn constant(constant: i64) -> Self {
        Affine { constant, terms: Vec::new() }
    }

    pub fn times(&self, factor: i64) -> Self {
        let terms = self.terms.iter().map(|&(counter, own)| (counter, own * factor)).collect();
        Affine { constant: self.constant * factor, terms }
    }

    pub fn evaluate(&self, counter: impl Fn(CounterId) -> i64) -> i64 {
        self.terms.iter().fold(self.constant, |sum, &(c, factor)| sum + factor * counter(c))
    }
}

/// An expression, with the atoms of its value.
#[derive(Debug, Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub shape: Shape,
    pub span: Span,
}

/// Runs of equal atoms, in order; neighbouring runs differ. The empty list is the empty tuple.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(pub Vec<(Atom, u32)>);

impl Shape {
    pub fn of(atom: Atom, count: u32) -> Self {
        if count == 0 { Shape::default() } else { Shape(vec![(atom, count)]) }
    }

    pub fn push(&mut self, atom: Atom, count: u32) {
        match self.0.last_mut() {
            _ if count == 0 => {}
            Some((last, n)) if *last == atom => *n += count,
            _ => self.0.push((atom, count)),
        }
    }

    /// Number of atoms.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|&(_, n)| n).sum()
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().flat_map(|&(atom, n)| std::iter::repeat_n(atom, n as usize))
    }
}

#[derive(Debug, Clone)]
pub enum ExprKind {
    /// One value for each word.
    Constant(Vec<u64>),
    /// One canonical value for each element of a field.
    Elements(Vec<BigUint>),
    Read(Place),
    /// A word of 64 bits: the number of bytes of these variables, of which some are streams.
    Length(Vec<VarId>),
    /// Tuples, and arguments of calls.
    Concat(Vec<Expr>),
    /// Atom k of the result is atom `pattern[k]` of the operand, or zero. It stands for shifts of sequences, perms, and
    /// single atoms that are repeated beside operands of several.
    Select {
        operand: Box<Expr>,
        pattern: Vec<Option<u32>>,
    },
    Not(Box<Expr>),
    /// The negation of elements of fields.
    Negate(Box<Expr>),
    /// Atom by atom: words, or elements of fields.
    Binary {
        operator: BinaryOperator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// A shift of each atom by `amount` bits, `amount < bits`.
    Shift {
        operator: ShiftOperator,
        operand: Box<Expr>,
        amount: u32,
    },
    /// In each atom, bit k of the result (0 is the most significant) is bit `pattern[k]` of the operand, or zero.
    Shuffle {
        operand: Box<Expr>,
        pattern: Vec<Option<u32>>,
    },
    /// In each atom, bit `bit` counted from the least significant, copied to all bits.
    Bitmask {
        operand: Box<Expr>,
        bit: u32,
    },
    /// Atom by atom: the bits of `high` above the bits of `low`.
    Pack {
        high: Box<Expr>,
        low: Box<Expr>,
    },
    /// `condition` is one atom of one bit; both branches have the same shape.
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// Words regrouped as words of other sizes. The string of all bits of the operand, beginning with the least or the
    /// most significant bit of the first atom, is that of the result.
    Regroup {
        order: Endian,
        operand: Box<Expr>,
    },
    /// Words as elements. Each element takes an equal share of the operand's bits, from the least significant of the
    /// first atom on, as a number or polynomial that is reduced.
    Decode(Box<Expr>),
    /// Elements as words of 8 bits: the canonical form of each, least significant byte first.
    Encode(Box<Expr>),
    /// The operand, which is public from here on; `source` is its text in the source.
    Declassify {
        operand: Box<Expr>,
        source: String,
    },
    /// The element of the table at a secret position, which is one word. It has as many atoms as the result; it is zero
    /// for a position beyond the end of the table.
    Lookup {
        table: Box<Expr>,
        index: Box<Expr>,
    },
    /// The argument's atoms are the callee's parameters in order; the value is its results in order.
    Call {
        node: NodeId,
        argument: Box<Expr>,
    },
}

/// The end of a number that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    Little,
    Big,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    And,
    Or,
    Xor,
    Add,
    Subtract,
    Multiply,
    /// Division of elements of fields. Division by zero gives zero.
    Divide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShiftOperator {
    Left,
    Right,
    RightArithmetic,
    RotateLeft,
}

impl Program {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.0 as usize]
    }

    pub fn entry(&self) -> &Node {
        self.node(self.entry)
    }
}

impl Node {
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    pub fn has_result_of_any_length(&self) -> bool {
        self.returns.iter().any(|&id| self.var(id).stream)
    }

    /// The stream of the loop that makes a result that is a stream, and the variable that it makes it of.
    pub fn maker_of(&self, result: VarId) -> Option<(&Stream, VarId)> {
        let Body::Steps(steps) = &self.body else { return None };
        steps.iter().find_map(|step| match step {
            Step::Loop(Loop { stream: Some(stream), .. }) => {
                let output = stream.outputs.iter().find(|output| output.result == result)?;
                Some((stream, output.made))
            }
            _ => None,
        })
    }

    /// The parameter with the same number of elements as a result that is a stream.
    pub fn source_of(&self, result: VarId) -> Option<VarId> {
        let source = *self.maker_of(result)?.0.parts.first()?;
        if self.returns.contains(&source) { self.source_of(source) } else { Some(source) }
    }

    /// The atoms of these variables, in order.
    pub fn shape_of(&self, vars: &[VarId]) -> Shape {
        let mut shape = Shape::default();
        for &id in vars {
            let ty = &self.var(id).ty;
            shape.push(ty.atom, ty.atoms());
        }
        shape
    }
}

impl ExprKind {
    /// Calls `f` with every direct operand, from left to right.
    pub fn for_each_operand<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match self {
            ExprKind::Constant(_) | ExprKind::Elements(_) | ExprKind::Read(_) | ExprKind::Length(_) => {}
            ExprKind::Concat(parts) => parts.iter().for_each(f),
            ExprKind::Select { operand, .. }
            | ExprKind::Not(operand)
            | ExprKind::Negate(operand)
            | ExprKind::Regroup { operand, .. }
            | ExprKind::Decode(operand)
            | ExprKind::Encode(operand)
            | ExprKind::Declassify { operand, .. }
            | ExprKind::Shift { operand, .. }
            | ExprKind::Shuffle { operand, .. }
            | ExprKind::Bitmask { operand, .. } => f(operand),
            ExprKind::Binary { left, right, .. } => {
                f(left);
                f(right);
            }
            ExprKind::Pack { high, low } => {
                f(high);
                f(low);
            }
            ExprKind::Lookup { table, index } => {
                f(table);
                f(index);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                f(condition);
                f(then);
                f(otherwise);
            }
            ExprKind::Call { argument, .. } => f(argument),
        }
    }

    /// Like [`Self::for_each_operand`], with mutable operands.
    pub fn for_each_operand_mut<'e>(&'e mut self, f: &mut dyn FnMut(&'e mut Expr)) {
        match self {
            ExprKind::Constant(_) | ExprKind::Elements(_) | ExprKind::Read(_) | ExprKind::Length(_) => {}
            ExprKind::Concat(parts) => parts.iter_mut().for_each(f),
            ExprKind::Select { operand, .. }
            | ExprKind::Not(operand)
            | ExprKind::Negate(operand)
            | ExprKind::Regroup { operand, .. }
            | ExprKind::Decode(operand)
            | ExprKind::Encode(operand)
            | ExprKind::Declassify { operand, .. }
            | ExprKind::Shift { operand, .. }
            | ExprKind::Shuffle { operand, .. }
            | ExprKind::Bitmask { operand, .. } => f(operand),
            ExprKind::Binary { left, right, .. } => {
                f(left);
                f(right);
            }
            ExprKind::Pack { high, low } => {
                f(high);
                f(low);
            }
            ExprKind::Lookup { table, index } => {
                f(table);
                f(index);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                f(condition);
                f(then);
                f(otherwise);
            }
            ExprKind::Call { argument, .. } => f(argument),
        }
    }
}
