//! Random expressions of a given shape.

use culet_types::program::{Atom, BinaryOperator, Expr, ExprKind, NodeId, Place, Shape, ShiftOperator, Slicing, VarId};

use crate::generate::{Maker, nowhere, shape};

fn expression(kind: ExprKind, shape: Shape) -> Expr {
    Expr { kind, shape, span: nowhere() }
}

pub(crate) fn concat(parts: Vec<Expr>) -> Expr {
    let mut shape = Shape::default();
    for part in &parts {
        for &(atom, count) in &part.shape.0 {
            shape.push(atom, count);
        }
    }
    expression(ExprKind::Concat(parts), shape)
}

impl Maker<'_> {
    /// An expression of `count` equal atoms.
    pub(crate) fn expression(&mut self, atom: Atom, count: u32, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(atom, count);
        }
        let value = shape(atom, count);
        match self.rng.below(12) {
            0 => expression(ExprKind::Not(self.boxed(atom, count, depth)), value),
            1..=3 => {
                let left = self.expression(atom, count, depth - 1);
                let right = self.expression(atom, count, depth - 1);
                self.combine(left, right)
            }
            4 if count == 1 && atom.bits > 1 => self.shift(atom, depth),
            5 if atom.bits > 1 => self.shuffle(atom, count),
            6 if atom.bits > 1 => {
                let bit = self.rng.below(atom.bits);
                let operand = self.boxed(atom, count, depth);
                expression(ExprKind::Bitmask { operand, bit }, value)
            }
            7 if self.options.packs => self.pack(atom, count, depth).unwrap_or_else(|| self.leaf(atom, count)),
            8 if self.options.conditions => {
                let bit = Atom { bits: 1, ..atom };
                let condition = self.boxed(bit, 1, depth);
                let then = self.boxed(atom, count, depth);
                let otherwise = self.boxed(atom, count, depth);
                expression(ExprKind::Conditional { condition, then, otherwise }, value)
            }
            9 if self.options.calls => self.call(atom, count, depth).unwrap_or_else(|| self.leaf(atom, count)),
            10 if count > 1 => self.select(atom, count, depth),
            11 if count > 1 => {
                let first = 1 + self.rng.below(count - 1);
                let parts =
                    vec![self.expression(atom, first, depth - 1), self.expression(atom, count - first, depth - 1)];
                concat(parts)
            }
            _ => self.leaf(atom, count),
        }
    }

    fn boxed(&mut self, atom: Atom, count: u32, depth: u32) -> Box<Expr> {
        Box::new(self.expression(atom, count, depth - 1))
    }

    /// An expression that combines two expressions of one shape by some operator.
    pub(crate) fn combine(&mut self, left: Expr, right: Expr) -> Expr {
        let bitwise = [BinaryOperator::And, BinaryOperator::Or, BinaryOperator::Xor];
        let arithmetic = [BinaryOperator::Add, BinaryOperator::Subtract, BinaryOperator::Multiply];
        // The language has arithmetic only on words of 8, 16, 32 and 64 bits.
        let fits = |&(atom, _): &(Atom, u32)| !self.options.source || matches!(atom.bits, 8 | 16 | 32 | 64);
        let may_add = self.options.arithmetic && left.shape.0.iter().all(fits);
        let operator =
            if may_add && self.rng.chance(30) { *self.rng.pick(&arithmetic) } else { *self.rng.pick(&bitwise) };
        let shape = left.shape.clone();
        expression(ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, shape)
    }

    pub(crate) fn constant(&mut self, atom: Atom, count: u32) -> Expr {
        let values = (0..count).map(|_| self.rng.word(atom.bits)).collect();
        expression(ExprKind::Constant(values), shape(atom, count))
    }

    pub(crate) fn read(&mut self, place: Place, atom: Atom, count: u32) -> Expr {
        expression(ExprKind::Read(place), shape(atom, count))
    }

    /// The variables with at least `count` atoms of this kind.
    fn readable(&self, atom: Atom, count: u32) -> Vec<VarId> {
        let ids = (0..self.vars.len() as u32).map(VarId);
        ids.filter(|id| {
            let ty = &self.vars[id.0 as usize].ty;
            self.defined[id.0 as usize] && ty.atom == atom && ty.atoms() >= count
        })
        .collect()
    }

    fn leaf(&mut self, atom: Atom, count: u32) -> Expr {
        let candidates = self.readable(atom, count);
        if candidates.is_empty() || self.rng.chance(5) {
            if count > 1 && !self.readable(atom, 1).is_empty() && self.rng.chance(70) {
                let parts = (0..count).map(|_| self.leaf(atom, 1)).collect();
                return concat(parts);
            }
            return self.constant(atom, count);
        }
        let var = *self.rng.pick(&candidates);
        let place = self.place(var, count);
        self.read(place, atom, count)
    }

    /// A shift. In the language a shift of several atoms moves whole atoms; see `select`.
    fn shift(&mut self, atom: Atom, depth: u32) -> Expr {
        let operators =
            [ShiftOperator::Left, ShiftOperator::Right, ShiftOperator::RightArithmetic, ShiftOperator::RotateLeft];
        let operator = *self.rng.pick(&operators);
        let amount = self.rng.below(atom.bits);
        let operand = self.boxed(atom, 1, depth);
        expression(ExprKind::Shift { operator, operand, amount }, shape(atom, 1))
    }

    fn shuffle(&mut self, atom: Atom, count: u32) -> Expr {
        let mut pattern: Vec<Option<u32>> = (0..atom.bits).map(|_| Some(self.rng.below(atom.bits))).collect();
        match self.rng.below(3) {
            0 => {
                let distance = self.rng.below(atom.bits);
                pattern = (0..atom.bits).map(|k| Some((k + distance) % atom.bits)).collect();
            }
            1 if !self.options.source => {
                for entry in &mut pattern {
                    if self.rng.chance(30) {
                        *entry = None;
                    }
                }
            }
            _ => {}
        }
        // The language applies `Shuffle` to variables only.
        let candidates = self.readable(atom, count);
        if candidates.is_empty() {
            return self.leaf(atom, count);
        }
        let var = *self.rng.pick(&candidates);
        let place = self.place(var, count);
        let operand = Box::new(self.read(place, atom, count));
        expression(ExprKind::Shuffle { operand, pattern }, shape(atom, count))
    }

    fn pack(&mut self, atom: Atom, count: u32, depth: u32) -> Option<Expr> {
        let high_bits = match atom.slicing {
            Slicing::Vertical if atom.bits >= 16 => atom.bits / 2,
            Slicing::Bitslice if atom.bits >= 2 => 1 + self.rng.below(atom.bits - 1),
            _ => return None,
        };
        if self.options.source && count > 1 {
            return None;
        }
        let high = self.boxed(Atom { bits: high_bits, ..atom }, count, depth);
        let low = self.boxed(Atom { bits: atom.bits - high_bits, ..atom }, count, depth);
        Some(expression(ExprKind::Pack { high, low }, shape(atom, count)))
    }

    /// Whole atoms in another order, which in the language is a shift of a sequence.
    fn select(&mut self, atom: Atom, count: u32, depth: u32) -> Expr {
        let source_count = if self.options.source { count } else { 1 + self.rng.below(count + 2) };
        let operand = self.boxed(atom, source_count, depth);
        let distance = self.rng.below(count);
        let pattern = match self.rng.below(if self.options.source { 3 } else { 4 }) {
            0 if source_count == count => (0..count).map(|k| Some((k + distance) % count)).collect(),
            1 => (0..count).map(|k| Some(k + distance).filter(|&k| k < source_count)).collect(),
            2 => (0..count).map(|k| k.checked_sub(distance).filter(|&k| k < source_count)).collect(),
            _ if self.options.source => (0..count).map(Some).collect(),
            _ => (0..count).map(|_| Some(self.rng.below(source_count)).filter(|_| self.rng.chance(90))).collect(),
        };
        expression(ExprKind::Select { operand, pattern }, shape(atom, count))
    }

    fn call(&mut self, atom: Atom, count: u32, depth: u32) -> Option<Expr> {
        let value = shape(atom, count);
        let nodes = self.nodes;
        let candidates: Vec<usize> =
            (0..nodes.len()).filter(|&index| nodes[index].shape_of(&nodes[index].returns) == value).collect();
        if candidates.is_empty() {
            return None;
        }
        let index = *self.rng.pick(&candidates);
        Some(self.call_of(NodeId(index as u32), depth))
    }

    pub(crate) fn call_of(&mut self, id: NodeId, depth: u32) -> Expr {
        let node = &self.nodes[id.0 as usize];
        let mut arguments = Vec::new();
        for &param in &node.params {
            let ty = &node.var(param).ty;
            arguments.push(self.expression(ty.atom, ty.atoms(), (depth - 1).min(1)));
        }
        let argument = if arguments.len() == 1 { arguments.remove(0) } else { concat(arguments) };
        expression(ExprKind::Call { node: id, argument: Box::new(argument) }, node.shape_of(&node.returns))
    }
}
