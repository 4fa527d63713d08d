//! Expressions on unsigned integers of 8 to 128 bits. Each is written once, in the order and the blocks of their
//! statements.
//!
//! An expression whose operands are all constants is a constant. An expression that exists already, in this block or in
//! one around it, is not made again.

use std::collections::HashMap;

use culet_ir::{FuncId, Index, LoopData, Slot};
use culet_types::program::Instruction;
use smallvec::SmallVec;

use super::copies::Copies;

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ty {
    U8,
    U16,
    U32,
    U64,
    U128,
    /// Words side by side in a register.
    Lanes(Shape),
    /// A register of 128 bits: a product without carries, or words side by side.
    Pair,
    /// Four of them side by side, with an operation on each.
    Quad,
}

/// The number of a register's lanes, and the bits of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shape {
    pub lanes: u8,
    pub bits: u8,
}

impl Shape {
    /// Every shape that registers of 128, 256 and 512 bits have, with its name.
    pub const ALL: [(Shape, &'static str); 12] = [
        (Shape { lanes: 16, bits: 8 }, "u8x16"),
        (Shape { lanes: 8, bits: 16 }, "u16x8"),
        (Shape { lanes: 4, bits: 32 }, "u32x4"),
        (Shape { lanes: 2, bits: 64 }, "u64x2"),
        (Shape { lanes: 32, bits: 8 }, "u8x32"),
        (Shape { lanes: 16, bits: 16 }, "u16x16"),
        (Shape { lanes: 8, bits: 32 }, "u32x8"),
        (Shape { lanes: 4, bits: 64 }, "u64x4"),
        (Shape { lanes: 64, bits: 8 }, "u8x64"),
        (Shape { lanes: 32, bits: 16 }, "u16x32"),
        (Shape { lanes: 16, bits: 32 }, "u32x16"),
        (Shape { lanes: 8, bits: 64 }, "u64x8"),
    ];

    /// The shape of a register with words of 64 bits.
    pub fn of_64(lanes: u32) -> Shape {
        Shape { lanes: lanes as u8, bits: 64 }
    }

    /// The bits of the register.
    pub fn register_bits(self) -> u32 {
        u32::from(self.lanes) * u32::from(self.bits)
    }

    /// `u32x8`; empty if no register has this shape.
    pub fn name(self) -> &'static str {
        Shape::ALL.iter().find(|(shape, _)| *shape == self).map_or("", |(_, name)| name)
    }
}

impl Ty {
    /// The smallest type with `bits` bits.
    pub fn of(bits: u32) -> Ty {
        match bits {
            0..=8 => Ty::U8,
            9..=16 => Ty::U16,
            17..=32 => Ty::U32,
            33..=64 => Ty::U64,
            _ => Ty::U128,
        }
    }

    /// Bits of a value in memory.
    pub fn memory_bits(self) -> u32 {
        if self == Ty::Quad { 512 } else { self.bits() }
    }

    /// Bits of a word, or of a word or register in one lane.
    pub fn bits(self) -> u32 {
        match self {
            Ty::U8 => 8,
            Ty::U16 => 16,
            Ty::U32 => 32,
            Ty::U64 => 64,
            Ty::U128 | Ty::Pair | Ty::Quad => 128,
            Ty::Lanes(shape) => u32::from(shape.bits),
        }
    }

    pub fn is_lanes(self) -> bool {
        matches!(self, Ty::Lanes(_))
    }

    /// All ones.
    pub fn ones(self) -> u128 {
        ones(self.bits())
    }
}

/// A word of `bits` ones.
pub(crate) fn ones(bits: u32) -> u128 {
    u128::MAX.checked_shr(128 - bits).unwrap_or(0)
}

/// The number of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub u32);

/// A variable that is assigned to, or a parameter that is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Variable {
    Carried(u32),
    Parameter(Slot),
    /// The number of a stream's bytes.
    Length(Slot),
}

/// An element of a slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub slot: Slot,
    pub index: Index,
}

impl Place {
    /// The number of elements from another place on to this one, if that is the same in all iterations.
    pub fn behind(&self, first: &Place) -> Option<i64> {
        let is_beside = self.slot == first.slot && self.index.terms == first.index.terms;
        is_beside.then(|| self.index.constant - first.index.constant)
    }

    /// The place some elements behind.
    pub fn plus(&self, elements: i64) -> Place {
        let mut place = self.clone();
        place.index.constant += elements;
        place
    }
}

/// An operation. Operands and result have one type, except in conversions. Results are modulo 2 to the power of the
/// type's bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Literal(u128),
    /// A word for each lane.
    Words(Box<[u64]>),
    Variable(Variable),
    Load(Place),
    Add,
    Sub,
    /// 1 where the first operand is below the second one, else 0.
    IsBelow,
    Mul,
    And,
    Or,
    Xor,
    Not,
    Shl(u32),
    Shr(u32),
    /// A shift right that fills with copies of the top bit.
    Sar(u32),
    /// `mask, then, otherwise`, bit by bit.
    Select,
    /// A sum plus the low half of a product of 52 bits by 52, or the high half if true.
    Mac(bool),
    /// The product of the low 32 bits of each lane.
    Mul32,
    /// The product without carries of two words, as a pair.
    ClMul,
    /// The low word of a pair, or the high word if true.
    Part(bool),
    /// A round of a cipher or hash function, on registers.
    Round(Instruction),
    /// A word of this many bits of a register, by its number from the lowest.
    Piece(u8, u8),
    /// Words of this many bits as a register, or four registers of 128 bits side by side, the lowest first.
    Together(u8),
    /// Four copies of a register side by side.
    Copied,
    /// Sums of words of this many bits side by side in registers.
    AddLanes(u8),
    /// Byte i of the result is this byte of one register, or of two, one after the other.
    Shuffle(Box<[u8]>),
    /// The bytes of a word in the other order.
    Swap,
    /// A word turned left, in each lane.
    Rotl(u32),
    /// Words of `bits` bits of the low halves of each block of 128 bits of two registers in turn, or of the high halves.
    Zip {
        bits: u8,
        is_high: bool,
    },
    /// The even blocks of 128 bits of two registers, or the odd ones if true.
    Blocks(bool),
    /// One block of 128 bits as a register, also of four registers side by side.
    Block(u8),
    /// As many words as there are lanes, side by side.
    Join,
    /// The low words of 64 bits of as many blocks of 16 bytes as there are lanes, or the high words if true. The first
    /// block begins at the place.
    Halves(Place, bool),
    /// One lane as a word.
    Lane(u8),
    /// `index, lanes`: lane i of the result is the lane that word i of the index says.
    Permute,
    /// Lanes of the second operand where bits are set, otherwise lanes of the first.
    Blend(u64),
    /// A conversion to a wider type, to the low bits in a narrower type, or to the same word in all lanes.
    Convert,
}

impl Kind {
    /// The place in memory that is read where the expression stands.
    pub fn read(&self) -> Option<&Place> {
        match self {
            Kind::Load(place) | Kind::Halves(place, _) => Some(place),
            _ => None,
        }
    }
}

pub(crate) type Args = SmallVec<[NodeId; 3]>;

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub kind: Kind,
    pub args: Args,
    pub ty: Ty,
    /// Upper bound of its value, inclusive.
    pub most: u128,
    /// The block that it is in.
    pub block: u32,
}

impl Node {
    /// Exponent of a power of 2 that its value is below.
    pub fn width(&self) -> u32 {
        128 - self.most.leading_zeros()
    }
}

/// One step of a function's body.
#[derive(Debug)]
pub(crate) enum Statement {
    /// An expression that is computed here, if it is not written where it is used.
    Node(NodeId),
    Store(Place, NodeId),
    Loop(Loop),
    Tail(Tail),
    StoreTail(StoreTail),
    Call(FuncId, Arrays),
    Copies(Copies),
}

/// Where the words of a call's results and of its parameters are, each array from a place on.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    pub results: Vec<Place>,
    pub parameters: Vec<Place>,
}

#[derive(Debug)]
pub(crate) struct Loop {
    /// Its region is `body`.
    pub data: LoopData,
    pub carried: Vec<Carried>,
    pub block: u32,
    pub body: Vec<Statement>,
}

/// The end of a stream as an array: the bytes after the last whole block, `pad` if it is not 0, and zeros.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tail {
    /// A slot that the function does not have.
    pub array: Slot,
    pub stream: Slot,
    pub block: u32,
    pub pad: u8,
}

/// The end of a result that is as long as a stream: as many bytes of an array as the stream has after its last whole block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreTail {
    pub to: Slot,
    pub from: Slot,
    pub stream: Slot,
    pub block: u32,
}

/// A variable that a loop carries from one iteration to the next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carried {
    pub number: u32,
    pub ty: Ty,
    pub first: NodeId,
    pub next: NodeId,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    /// Statements of the block that is being written.
    pub statements: Vec<Statement>,
    /// The enclosing blocks: their numbers, the length of `order` when the inner block began, and their statements.
    around: Vec<(u32, usize, Vec<Statement>)>,
    block: u32,
    blocks: u32,
    known: HashMap<(Kind, Args, Ty), NodeId>,
    /// Keys of `known`, in the order in which they became known.
    order: Vec<(Kind, Args, Ty)>,
}

impl Graph {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn ty(&self, id: NodeId) -> Ty {
        self.node(id).ty
    }

    pub fn width(&self, id: NodeId) -> u32 {
        self.node(id).width()
    }

    /// Begins a block inside the one that is being written.
    pub fn enter(&mut self) -> u32 {
        self.around.push((self.block, self.order.len(), std::mem::take(&mut self.statements)));
        self.blocks += 1;
        self.block = self.blocks;
        self.block
    }

    /// Ends a block and returns its statements. Its expressions are not known outside.
    pub fn leave(&mut self) -> Vec<Statement> {
        let (block, length, statements) = self.around.pop().unwrap_or_default();
        for key in self.order.drain(length..) {
            self.known.remove(&key);
        }
        self.block = block;
        std::mem::replace(&mut self.statements, statements)
    }

    fn push(&mut self, kind: Kind, args: Args, ty: Ty, most: u128) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { kind, args, ty, most, block: self.block });
        self.statements.push(Statement::Node(id));
        id
    }

    /// An element that is read now.
    pub fn load(&mut self, place: Place, ty: Ty, width: u32) -> NodeId {
        self.push(Kind::Load(place), Args::new(), ty, ones(width))
    }

    /// Halves of blocks that are read now.
    pub fn halves(&mut self, place: Place, is_high: bool, ty: Ty) -> NodeId {
        self.push(Kind::Halves(place, is_high), Args::new(), ty, ty.ones())
    }

    pub fn variable(&mut self, variable: Variable, ty: Ty, width: u32) -> NodeId {
        self.push(Kind::Variable(variable), Args::new(), ty, ones(width))
    }

    fn make(&mut self, kind: Kind, args: &[NodeId], ty: Ty) -> NodeId {
        let key = (kind, Args::from_slice(args), ty);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        if matches!(key.0, Kind::Add | Kind::Mul | Kind::And | Kind::Or | Kind::Xor) {
            let exchanged = (key.0.clone(), key.1.iter().rev().copied().collect(), ty);
            if let Some(&known) = self.known.get(&exchanged) {
                return known;
            }
        }
        let most = self.most(&key.0, args, ty);
        if most == 0 && !matches!(key.0, Kind::Literal(_)) {
            return self.literal(0, ty);
        }
        let id = self.push(key.0.clone(), key.1.clone(), ty, most);
        self.known.insert(key.clone(), id);
        self.order.push(key);
        id
    }

    /// The greatest value that a result can have, as far as its operands tell.
    fn most(&self, kind: &Kind, args: &[NodeId], ty: Ty) -> u128 {
        let most = |index: usize| self.node(args[index]).most;
        let all = |value: u128| ones(128 - value.leading_zeros());
        let most = match kind {
            Kind::Literal(value) => Some(*value),
            Kind::Add => most(0).checked_add(most(1)),
            Kind::Mul | Kind::Mul32 => most(0).checked_mul(most(1)),
            Kind::And => Some(most(0).min(most(1))),
            Kind::Or | Kind::Xor => Some(all(most(0).max(most(1)))),
            Kind::Shl(n) => (most(0).leading_zeros() >= *n).then(|| most(0) << n),
            Kind::Shr(n) => Some(most(0) >> n),
            Kind::Convert => Some(most(0)),
            Kind::Select => Some(all(most(1).max(most(2)))),
            Kind::Lane(_) => Some(most(0)),
            Kind::IsBelow => Some(1),
            Kind::Join
            | Kind::Permute
            | Kind::Blend(_)
            | Kind::Words(_)
            | Kind::Sub
            | Kind::Not
            | Kind::Sar(_)
            | Kind::Mac(_)
            | Kind::ClMul
            | Kind::Part(_)
            | Kind::Round(_)
            | Kind::Piece(..)
            | Kind::Together(_)
            | Kind::Copied
            | Kind::AddLanes(_)
            | Kind::Shuffle(_)
            | Kind::Swap
            | Kind::Rotl(_)
            | Kind::Zip { .. }
            | Kind::Blocks(_)
            | Kind::Block(_)
            | Kind::Variable(_)
            | Kind::Load(_)
            | Kind::Halves(..) => None,
        };
        most.filter(|most| *most <= ty.ones()).unwrap_or_else(|| ty.ones())
    }

    pub fn literal(&mut self, value: u128, ty: Ty) -> NodeId {
        self.make(Kind::Literal(value & ty.ones()), &[], ty)
    }

    /// The value of an expression that is a constant.
    pub fn constant(&self, id: NodeId) -> Option<u128> {
        match self.node(id).kind {
            Kind::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// An operation on two operands of one type.
    pub fn binary(&mut self, kind: Kind, a: NodeId, b: NodeId) -> NodeId {
        let ty = self.ty(a);
        let is_commutative = !matches!(kind, Kind::Sub | Kind::IsBelow);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.literal(folded(&kind, x, y), ty),
            (Some(x), None) if kind == Kind::IsBelow && x == ty.ones() => self.literal(0, ty),
            // Constants stand on the right.
            (Some(_), None) if is_commutative => self.binary(kind, b, a),
            (None, Some(y)) => match (&kind, y) {
                (Kind::Add | Kind::Sub | Kind::Or | Kind::Xor, 0) | (Kind::Mul, 1) => a,
                (Kind::And | Kind::Mul | Kind::IsBelow, 0) => b,
                (Kind::And, y) if y == ones(self.width(a).max(1)) => a,
                (Kind::Xor, y) => match self.node(a) {
                    Node { kind: Kind::Xor, args, .. } if self.constant(args[1]) == Some(y) => args[0],
                    _ => self.make(kind, &[a, b], ty),
                },
                _ => self.make(kind, &[a, b], ty),
            },
            _ => self.make(kind, &[a, b], ty),
        }
    }

    /// An operation on any operands, with a result of this type.
    pub fn operation(&mut self, kind: Kind, args: &[NodeId], ty: Ty) -> NodeId {
        self.make(kind, args, ty)
    }

    /// Lanes of the second operand where bits are set, otherwise lanes of the first. The blend of a sum x + y and a
    /// difference x + k - y is x + (y or k - y): an instruction with a mask makes the difference while x may not be
    /// there yet. The blend of two choices between the same operands is one choice, by the blend of their masks.
    pub fn blend(&mut self, set: u64, a: NodeId, b: NodeId) -> NodeId {
        let ty = self.ty(a);
        if let Some((x, y, k)) = self.sum_and_difference(a, b) {
            let negative = self.binary(Kind::Sub, k, y);
            let term = self.make(Kind::Blend(set), &[y, negative], ty);
            return self.binary(Kind::Add, x, term);
        }
        if let Some((mask, other, then, otherwise)) = self.choices(a, b) {
            let mask = self.make(Kind::Blend(set), &[mask, other], ty);
            return self.ternary(Kind::Select, [mask, then, otherwise]);
        }
        self.make(Kind::Blend(set), &[a, b], ty)
    }

    /// The masks of two choices between the same two operands, and these operands.
    fn choices(&self, a: NodeId, b: NodeId) -> Option<(NodeId, NodeId, NodeId, NodeId)> {
        let [a, b] = [a, b].map(|id| self.node(id));
        let are_choices = a.kind == Kind::Select && b.kind == Kind::Select && a.args[1..] == b.args[1..];
        are_choices.then(|| (a.args[0], b.args[0], a.args[1], a.args[2]))
    }

    /// The x, y and constant k of a sum x + y and a difference x + k - y.
    fn sum_and_difference(&self, sum: NodeId, difference: NodeId) -> Option<(NodeId, NodeId, NodeId)> {
        let operands = |id: NodeId, kind: &Kind| {
            let node = self.node(id);
            (node.kind == *kind).then(|| (node.args[0], node.args[1]))
        };
        let ((x, y), (biased, subtrahend)) = (operands(sum, &Kind::Add)?, operands(difference, &Kind::Sub)?);
        let (minuend, k) = operands(biased, &Kind::Add)?;
        (minuend == x && subtrahend == y && self.constant(k).is_some()).then_some((x, y, k))
    }

    /// An operation on three operands of one type.
    pub fn ternary(&mut self, kind: Kind, args: [NodeId; 3]) -> NodeId {
        let ty = self.ty(args[0]);
        self.make(kind, &args, ty)
    }

    pub fn not(&mut self, a: NodeId) -> NodeId {
        let ty = self.ty(a);
        match self.constant(a) {
            Some(value) => self.literal(!value, ty),
            None => self.make(Kind::Not, &[a], ty),
        }
    }

    /// Shifts by less than the type's bits.
    pub fn shl(&mut self, a: NodeId, amount: u32) -> NodeId {
        let ty = self.ty(a);
        match self.constant(a) {
            _ if amount == 0 => a,
            Some(value) => self.literal(value << amount, ty),
            None => {
                let a = self.without_mask(a, ones(ty.bits() - amount));
                self.make(Kind::Shl(amount), &[a], ty)
            }
        }
    }

    /// Drops a mask that keeps all of `bits`, the only bits of the expression that matter.
    fn without_mask(&self, a: NodeId, bits: u128) -> NodeId {
        let node = self.node(a);
        match node.args.get(1).and_then(|&mask| self.constant(mask)) {
            Some(mask) if node.kind == Kind::And && mask & bits == bits => node.args[0],
            _ => a,
        }
    }

    pub fn shr(&mut self, a: NodeId, amount: u32) -> NodeId {
        let ty = self.ty(a);
        match self.constant(a) {
            _ if amount == 0 => a,
            Some(value) => self.literal(value >> amount, ty),
            None => self.make(Kind::Shr(amount), &[a], ty),
        }
    }

    pub fn sar(&mut self, a: NodeId, amount: u32) -> NodeId {
        let ty = self.ty(a);
        match self.constant(a) {
            _ if amount == 0 => a,
            Some(value) => {
                let sign = if value >> (ty.bits() - 1) == 1 { !ty.ones() } else { 0 };
                self.literal(((value | sign) as i128 >> amount) as u128, ty)
            }
            None => self.make(Kind::Sar(amount), &[a], ty),
        }
    }

    pub fn convert(&mut self, a: NodeId, ty: Ty) -> NodeId {
        let from = self.ty(a);
        if from == ty {
            return a;
        }
        if let Some(value) = self.constant(a) {
            return self.literal(value, ty);
        }
        if ty.is_lanes() {
            return self.make(Kind::Convert, &[a], ty);
        }
        let node = self.node(a);
        if node.kind == Kind::Convert {
            // A widening followed by any conversion, or two narrowings, is one conversion.
            let inner = node.args[0];
            if self.ty(inner) < from || ty < from {
                return self.convert(inner, ty);
            }
        }
        self.make(Kind::Convert, &[a], ty)
    }

    /// The low `bits` bits, with zeros above.
    pub fn low(&mut self, a: NodeId, bits: u32) -> NodeId {
        if self.width(a) <= bits {
            return a;
        }
        let mask = self.literal(ones(bits), self.ty(a));
        self.binary(Kind::And, a, mask)
    }
}

fn folded(kind: &Kind, x: u128, y: u128) -> u128 {
    match kind {
        Kind::Add => x.wrapping_add(y),
        Kind::Sub => x.wrapping_sub(y),
        Kind::IsBelow => u128::from(x < y),
        Kind::Mul => x.wrapping_mul(y),
        Kind::And => x & y,
        Kind::Or => x | y,
        _ => x ^ y,
    }
}
