//! Operations on words of 1 to 64 bits as expressions on integers of 32, 64 and 128 bits.
//!
//! An expression may have ones above the bits of the word that it stands for. Operations that would see them take the
//! low bits first.

use culet_ir::{Op, Target, Type};

use super::graph::{Graph, Kind, NodeId, Shape, Ty, ones};
use crate::tern::{Formula, formulas};

/// Number of instances side by side in a register.
pub const LANES: u32 = 8;

/// The integers of a target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Integers {
    /// Bits of a word: 32 or 64.
    pub word_bits: u32,
    /// Whether words of several instances are lanes of a register; these have 64 bits.
    pub has_lanes: bool,
    /// Whether two words have a product without carries.
    pub has_clmul: bool,
    /// Lanes of registers in which words of 64 bits of one instance stand side by side; 1 if there are no such registers.
    pub lanes: u32,
    /// Bits of the widest register in which words of one instance stand side by side; 0 if there is none.
    pub register_bits: u32,
    /// Whether borrows come of comparisons and of sums with complements. LLVM makes chains of them, as of no other form; what gcc makes of
    /// them has no proof.
    pub has_borrow_chains: bool,
    /// Whether instructions of rounds work on four registers at once.
    pub has_fours: bool,
    /// Whether words of an element go between functions as a run in memory.
    pub has_runs: bool,
}

impl Integers {
    pub fn plain(word_bits: u32) -> Integers {
        Integers {
            word_bits,
            has_lanes: false,
            has_clmul: false,
            lanes: 1,
            register_bits: 0,
            has_borrow_chains: false,
            has_fours: false,
            has_runs: false,
        }
    }

    /// The integers of a target, for one instance or for several in lanes.
    pub fn of(target: Target, has_lanes: bool) -> Integers {
        let lanes = if has_lanes { 1 } else { target.element_lanes() };
        let has_clmul = !has_lanes && target.has_clmul();
        let of_blocks = target.block_registers().first().copied().unwrap_or(0);
        let register_bits = if lanes > 1 { of_blocks.max(64 * lanes) } else { 0 };
        let has_fours = target.has_rounds_in_lanes();
        Integers { has_lanes, has_clmul, lanes, register_bits, has_fours, ..Integers::plain(target.word_bits()) }
    }

    pub fn word(self) -> Ty {
        self.holding(self.word_bits)
    }

    /// The type of a register of words of 64 bits, of several instances or of one.
    pub fn register(self) -> Ty {
        Ty::Lanes(Shape::of_64(if self.has_lanes { LANES } else { self.lanes }))
    }

    /// The type of words of one instance side by side, if the target has registers for them.
    pub fn vector(self, ty: Type) -> Option<Ty> {
        let Type::Vector { lanes, bits } = ty else { return None };
        let shape = Shape { lanes, bits };
        let is_register = !shape.name().is_empty() && shape.register_bits() <= self.register_bits;
        is_register.then_some(Ty::Lanes(shape))
    }

    /// Number of instances that are computed at once.
    pub fn instances(self) -> u32 {
        if self.has_lanes { LANES } else { 1 }
    }

    /// The type that holds two words.
    pub fn wide(self) -> Ty {
        Ty::of(2 * self.word_bits)
    }

    /// The type that holds a word of `bits` bits in computations; single bits, which are carries, are held in words.
    pub fn holding(self, bits: u32) -> Ty {
        match bits {
            _ if self.has_lanes => self.register(),
            1 => Ty::of(self.word_bits),
            2..=32 => Ty::U32,
            _ => Ty::U64,
        }
    }

    /// The type that holds `bits` bits, if there is one.
    fn with(self, bits: u32) -> Option<Ty> {
        if self.has_lanes {
            return (bits <= 64).then_some(self.register());
        }
        let ty = Ty::of(bits.max(32));
        (ty.bits() >= bits && ty <= self.wide().max(Ty::U64)).then_some(ty)
    }
}

/// An operand: its expression and its bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand {
    pub node: NodeId,
    pub bits: u32,
}

/// Writes operations on words of one target.
pub(crate) struct Words<'g> {
    pub graph: &'g mut Graph,
    pub integers: Integers,
}

impl Words<'_> {
    /// The operand without ones above its bits.
    pub fn clean(&mut self, a: Operand) -> NodeId {
        self.graph.low(a.node, a.bits)
    }

    /// The operand in another type, without ones above its bits.
    fn clean_in(&mut self, a: Operand, ty: Ty) -> NodeId {
        let a = self.clean(a);
        self.graph.convert(a, ty)
    }

    /// The results of an operation whose first result has `bits` bits; none if it has no form here.
    pub fn operation(&mut self, op: &Op, bits: u32, args: &[Operand]) -> Option<Vec<NodeId>> {
        let a = args.first().map(|a| a.node);
        let (a, b) = (a?, args.get(1).map_or(a?, |b| b.node));
        // Whether lanes are registers of AVX-512.
        let has_all = self.integers.has_lanes || self.integers.lanes == LANES;
        let register = self.integers.register();
        let graph = &mut *self.graph;
        let is_register = graph.ty(a) == register;
        if graph.ty(a).is_lanes() && !is_register && !op.is_on_lanes(graph.ty(a).bits()) && !matches!(op, Op::Lane(_)) {
            return None;
        }
        let node = match op {
            Op::Add => graph.binary(Kind::Add, a, b),
            Op::Sub => graph.binary(Kind::Sub, a, b),
            Op::Mul => graph.binary(Kind::Mul, a, b),
            Op::And => graph.binary(Kind::And, a, b),
            Op::Or => graph.binary(Kind::Or, a, b),
            Op::Xor => graph.binary(Kind::Xor, a, b),
            Op::Andn => {
                let not = graph.not(b);
                graph.binary(Kind::And, a, not)
            }
            Op::Not => self.not(args[0]),
            Op::Tern(table) => self.tern(*table, args, bits),
            Op::MulHi => self.product(args[0], args[1]).1,
            Op::MulWide => {
                let (low, high) = self.product(args[0], args[1]);
                return Some(vec![low, high]);
            }
            Op::Mac52Lo | Op::Mac52Hi if is_register && has_all => {
                graph.ternary(Kind::Mac(*op == Op::Mac52Hi), [a, b, args[2].node])
            }
            Op::Mul32 if is_register => graph.operation(Kind::Mul32, &[a, b], register),
            Op::AddC => return Some(self.add_carry(args)),
            Op::SubB => return Some(self.subtract_borrow(args)),
            Op::Shl(n) => graph.shl(a, u32::from(*n)),
            Op::Shr(n) => {
                let a = self.clean(args[0]);
                self.graph.shr(a, u32::from(*n))
            }
            Op::Sar(n) => self.shift_signed(args[0], u32::from(*n)),
            Op::Rotl(n) => self.funnel(args[0], args[0], u32::from(*n)),
            Op::Funnel(n) => self.funnel(args[0], args[1], u32::from(*n)),
            Op::Select => self.select(args),
            Op::Lane(lane) => graph.operation(Kind::Lane(*lane), &[a], self.integers.holding(bits)),
            Op::Blend(set) if is_register && has_all => graph.blend(*set, a, b),
            Op::Perm(pattern) if is_register => {
                let lanes: Option<Box<[u64]>> = pattern.iter().map(|from| from.map(u64::from)).collect();
                let index = graph.operation(Kind::Words(lanes?), &[], register);
                graph.operation(Kind::Permute, &[index, a], register)
            }
            Op::Spread => self.spread(args[0], bits),
            Op::Concat => self.concat(args[0], args[1], bits),
            Op::Extract(low) => {
                let shifted = graph.shr(a, u32::from(*low));
                graph.convert(shifted, self.integers.holding(bits))
            }
            _ => return None,
        };
        Some(vec![node])
    }

    /// Words side by side.
    pub fn join(&mut self, args: &[Operand], register: Ty) -> NodeId {
        let first = args[0];
        if args.iter().all(|arg| arg.node == first.node) {
            let word = self.clean(first);
            return self.graph.convert(word, register);
        }
        let args: Vec<NodeId> = args.iter().map(|arg| self.clean(*arg)).collect();
        self.graph.operation(Kind::Join, &args, register)
    }

    fn not(&mut self, a: Operand) -> NodeId {
        let ty = self.graph.ty(a.node);
        if a.bits == ty.bits() {
            return self.graph.not(a.node);
        }
        let mask = self.graph.literal(ones(a.bits), ty);
        self.graph.binary(Kind::Xor, a.node, mask)
    }

    fn tern(&mut self, table: u8, args: &[Operand], bits: u32) -> NodeId {
        let of = |this: &mut Self, table| this.tern(table, args, bits);
        let kind = match formulas()[usize::from(table)] {
            Formula::Operand(index) => return args[usize::from(index)].node,
            Formula::Zero => return self.graph.literal(0, self.integers.holding(bits)),
            Formula::Not(x) => {
                let node = of(self, x);
                return self.not(Operand { node, bits });
            }
            Formula::Andn(x, y) => {
                let (x, y) = (of(self, x), of(self, y));
                let not = self.graph.not(y);
                return self.graph.binary(Kind::And, x, not);
            }
            Formula::And(x, y) => (Kind::And, x, y),
            Formula::Or(x, y) => (Kind::Or, x, y),
            Formula::Xor(x, y) => (Kind::Xor, x, y),
        };
        let (x, y) = (of(self, kind.1), of(self, kind.2));
        self.graph.binary(kind.0, x, y)
    }

    /// (low, high) of a product.
    fn product(&mut self, a: Operand, b: Operand) -> (NodeId, NodeId) {
        let ty = self.graph.ty(a.node);
        let Some(wide) = self.integers.with(2 * a.bits) else { return self.product_of_halves(a, b) };
        let (x, y) = (self.clean_in(a, wide), self.clean_in(b, wide));
        let product = self.graph.binary(Kind::Mul, x, y);
        let high = self.graph.shr(product, a.bits);
        (self.graph.convert(product, ty), self.graph.convert(high, ty))
    }

    /// (low, high) of a product where no integer holds it, by products of halves of 32 bits.
    fn product_of_halves(&mut self, a: Operand, b: Operand) -> (NodeId, NodeId) {
        let [a0, a1, b0, b1] = {
            let (x, y) = (self.clean(a), self.clean(b));
            let graph = &mut *self.graph;
            [graph.low(x, 32), graph.shr(x, 32), graph.low(y, 32), graph.shr(y, 32)]
        };
        let graph = &mut *self.graph;
        let [low, middle, other, high] =
            [(a0, b0), (a1, b0), (a0, b1), (a1, b1)].map(|(x, y)| graph.binary(Kind::Mul, x, y));
        // No sum exceeds 64 bits: (2^32 − 1)^2 + 2 (2^32 − 1) is 2^64 − 1.
        let carried = graph.shr(low, 32);
        let sum = graph.binary(Kind::Add, middle, carried);
        let rest = graph.low(sum, 32);
        let cross = graph.binary(Kind::Add, other, rest);
        let (above, more) = (graph.shr(sum, 32), graph.shr(cross, 32));
        let high = graph.binary(Kind::Add, high, above);
        let high = graph.binary(Kind::Add, high, more);
        let (bottom, top) = (graph.low(low, 32), graph.shl(cross, 32));
        let whole = graph.binary(Kind::Or, top, bottom);
        if a.bits == 64 {
            return (whole, high);
        }
        let (upper, lower) = (graph.shl(high, 64 - a.bits), graph.shr(whole, a.bits));
        (whole, graph.binary(Kind::Or, upper, lower))
    }

    /// Sum and carry.
    fn add_carry(&mut self, args: &[Operand]) -> Vec<NodeId> {
        let (bits, ty) = (args[0].bits, self.graph.ty(args[0].node));
        let word = self.integers.word();
        if let Some(wide) = self.integers.with(bits + 1) {
            let [a, b, carry] = [0, 1, 2].map(|index| self.clean_in(args[index], wide));
            let sum = self.graph.binary(Kind::Add, a, b);
            let sum = self.graph.binary(Kind::Add, sum, carry);
            let over = self.graph.shr(sum, bits);
            return vec![self.graph.convert(sum, ty), self.graph.convert(over, word)];
        }
        let carry = self.clean_in(args[2], ty);
        let (a, b, graph) = (args[0].node, args[1].node, &mut *self.graph);
        let sum = graph.binary(Kind::Add, a, b);
        let sum = graph.binary(Kind::Add, sum, carry);
        // It carries where both have a one, or either has and the sum has none.
        let (both, either, none) = (graph.binary(Kind::And, a, b), graph.binary(Kind::Or, a, b), graph.not(sum));
        let lost = graph.binary(Kind::And, either, none);
        let over = graph.binary(Kind::Or, both, lost);
        let over = graph.shr(over, bits - 1);
        vec![sum, graph.convert(over, word)]
    }

    /// Difference and borrow.
    fn subtract_borrow(&mut self, args: &[Operand]) -> Vec<NodeId> {
        let (bits, ty) = (args[0].bits, self.graph.ty(args[0].node));
        let (is_constant, is_lanes) = (self.graph.constant(args[1].node).is_some(), ty.is_lanes());
        match self.integers.with(bits + 1) {
            Some(wide) if is_lanes || !self.integers.has_borrow_chains => self.subtract_in(args, wide),
            Some(wide) if is_constant => self.add_complement(args, wide),
            Some(wide) if ty.bits() != bits || bits < 32 => self.subtract_in(args, wide),
            _ => self.subtract_and_compare(args),
        }
    }

    /// Difference and borrow of a constant, as the sum with its complement: compilers make a chain of additions with carries of such sums.
    fn add_complement(&mut self, args: &[Operand], wide: Ty) -> Vec<NodeId> {
        let (bits, ty, word) = (args[0].bits, self.graph.ty(args[0].node), self.integers.word());
        let [a, b] = [0, 1].map(|index| self.clean_in(args[index], wide));
        let borrow = self.clean(args[2]);
        let graph = &mut *self.graph;
        let complement = graph.not(b);
        let complement = graph.low(complement, bits);
        let one = graph.literal(1, graph.ty(borrow));
        let carry = graph.binary(Kind::Xor, borrow, one);
        let carry = graph.convert(carry, wide);
        let sum = match graph.constant(carry) {
            Some(_) => {
                let term = graph.binary(Kind::Add, complement, carry);
                graph.binary(Kind::Add, a, term)
            }
            None => {
                let sum = graph.binary(Kind::Add, a, complement);
                graph.binary(Kind::Add, sum, carry)
            }
        };
        let carry = graph.shr(sum, bits);
        let carry = graph.convert(carry, word);
        let one = graph.literal(1, word);
        vec![graph.convert(sum, ty), graph.binary(Kind::Xor, carry, one)]
    }

    /// Difference and borrow in a type with room for the borrow above the words.
    fn subtract_in(&mut self, args: &[Operand], wide: Ty) -> Vec<NodeId> {
        let (bits, ty, word) = (args[0].bits, self.graph.ty(args[0].node), self.integers.word());
        let [a, b, borrow] = [0, 1, 2].map(|index| self.clean_in(args[index], wide));
        let difference = self.graph.binary(Kind::Sub, a, b);
        let difference = self.graph.binary(Kind::Sub, difference, borrow);
        let over = self.graph.shr(difference, bits);
        let over = self.graph.convert(over, word);
        vec![self.graph.convert(difference, ty), self.graph.low(over, 1)]
    }

    /// Difference and borrow of words that fill their integers. Each of the two differences borrows where its first operand is below the
    /// other one; compilers make a chain of subtractions with borrows of it.
    fn subtract_and_compare(&mut self, args: &[Operand]) -> Vec<NodeId> {
        let (ty, word) = (self.graph.ty(args[0].node), self.integers.word());
        let borrow = self.clean_in(args[2], ty);
        let (a, b, graph) = (args[0].node, args[1].node, &mut *self.graph);
        let first = graph.binary(Kind::Sub, a, b);
        let second = graph.binary(Kind::Sub, first, borrow);
        let (above, below) = (graph.binary(Kind::IsBelow, a, b), graph.binary(Kind::IsBelow, first, borrow));
        let over = graph.binary(Kind::Or, above, below);
        vec![second, graph.convert(over, word)]
    }

    /// Shifts with the word at the top of its integer, so that the integer's sign is the word's.
    fn shift_signed(&mut self, a: Operand, amount: u32) -> NodeId {
        let above = self.graph.ty(a.node).bits() - a.bits;
        let top = self.graph.shl(a.node, above);
        let shifted = self.graph.sar(top, amount);
        self.graph.shr(shifted, above)
    }

    /// The upper half of `high:low` shifted left.
    fn funnel(&mut self, high: Operand, low: Operand, amount: u32) -> NodeId {
        let ty = self.graph.ty(high.node);
        if amount == 0 {
            return high.node;
        }
        if ty.is_lanes()
            && !self.integers.has_lanes
            && high.node == low.node
            && self.graph.constant(high.node).is_none()
        {
            return self.graph.operation(Kind::Rotl(amount), &[high.node], ty);
        }
        let lower = self.clean(low);
        let lower = self.graph.shr(lower, low.bits - amount);
        let upper = self.graph.shl(high.node, amount);
        self.graph.binary(Kind::Or, upper, lower)
    }

    fn spread(&mut self, bit: Operand, bits: u32) -> NodeId {
        let ty = self.integers.holding(bits);
        if bits == 1 {
            return bit.node;
        }
        let bit = self.clean_in(bit, ty);
        let zero = self.graph.literal(0, ty);
        self.graph.binary(Kind::Sub, zero, bit)
    }

    /// `otherwise ^ (mask & (then ^ otherwise))`
    fn select(&mut self, args: &[Operand]) -> NodeId {
        let mask = self.spread(args[0], args[1].bits);
        let (then, otherwise) = (args[1].node, args[2].node);
        if self.graph.ty(then).is_lanes() && !self.integers.has_lanes {
            let mask = self.graph.convert(mask, self.graph.ty(then));
            return self.chosen(mask, then, otherwise);
        }
        if self.integers.has_lanes {
            return self.graph.ternary(Kind::Select, [mask, then, otherwise]);
        }
        let differ = self.graph.binary(Kind::Xor, then, otherwise);
        let chosen = self.graph.binary(Kind::And, differ, mask);
        self.graph.binary(Kind::Xor, otherwise, chosen)
    }

    /// Writes a choice between two orders of the same lanes as a choice between their indices.
    fn chosen(&mut self, mask: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        let [(x, index), (y, other)] = [then, otherwise].map(|node| {
            let node_of = self.graph.node(node);
            match node_of.kind {
                Kind::Permute => (node_of.args[1], Some(node_of.args[0])),
                _ => (node, None),
            }
        });
        if x != y || index.or(other).is_none() {
            return self.graph.ternary(Kind::Select, [mask, then, otherwise]);
        }
        let (lanes, register) = (u64::from(self.integers.lanes), self.integers.register());
        let [index, other] = [index, other].map(|index| {
            index.unwrap_or_else(|| self.graph.operation(Kind::Words((0..lanes).collect()), &[], register))
        });
        let index = self.graph.ternary(Kind::Select, [mask, index, other]);
        self.graph.operation(Kind::Permute, &[index, x], register)
    }

    fn concat(&mut self, high: Operand, low: Operand, bits: u32) -> NodeId {
        let ty = self.integers.holding(bits);
        let lower = self.clean(low);
        let lower = self.widened(lower, ty);
        let upper = self.widened(high.node, ty);
        let upper = self.graph.shl(upper, low.bits);
        self.graph.binary(Kind::Or, upper, lower)
    }

    /// Converts to a wider type; parts that are put together are converted each by itself.
    fn widened(&mut self, a: NodeId, ty: Ty) -> NodeId {
        let node = self.graph.node(a).clone();
        if ty <= node.ty {
            return self.graph.convert(a, ty);
        }
        match node.kind {
            Kind::Or => {
                let (x, y) = (self.widened(node.args[0], ty), self.widened(node.args[1], ty));
                self.graph.binary(Kind::Or, x, y)
            }
            Kind::Shl(amount) if self.graph.width(node.args[0]) + amount <= node.ty.bits() => {
                let x = self.widened(node.args[0], ty);
                self.graph.shl(x, amount)
            }
            _ => self.graph.convert(a, ty),
        }
    }
}
