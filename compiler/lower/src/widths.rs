//! Vertical words of widths that no lane has: each is held in a lane of the next width, with zeros above it.
//!
//! The words become words of the lane's width, and where an operation may set bits above, a mask follows it. What only
//! combines bits needs none, and only words of the lanes' own widths have arithmetic. The layout of parameters and
//! results is that of the words themselves, which has zeros above them, too.

use crate::usage::operands;
use culet_diag::Span;
use culet_types::program::{
    Atom, BinaryOperator, Body, Expr, ExprKind, NodeId, Program, Shape, ShiftOperator, Slicing, Step,
};

/// The word that a lane holds for an atom.
pub(crate) fn in_lane(atom: Atom) -> Atom {
    match atom {
        Atom { slicing: Slicing::Vertical, bits } if bits > 1 => Atom { bits: bits.next_power_of_two().max(8), ..atom },
        _ => atom,
    }
}

/// The program with words of the lanes' widths, if it has others, in variables or in what is computed.
pub(crate) fn in_lanes(program: &Program, nodes: &[NodeId]) -> Option<Program> {
    let is_odd = |&id: &NodeId| {
        let node = program.node(id);
        node.vars.iter().any(|var| in_lane(var.ty.atom) != var.ty.atom)
            || matches!(&node.body, Body::Steps(steps) if steps.iter().any(has_odd_words))
    };
    if !nodes.iter().any(is_odd) {
        return None;
    }
    let mut program = program.clone();
    for &id in nodes {
        let node = &mut program.nodes[id.0 as usize];
        node.vars.iter_mut().for_each(|var| var.ty.atom = in_lane(var.ty.atom));
        if let Body::Steps(steps) = &mut node.body {
            widen_steps(steps);
        }
    }
    Some(program)
}

/// Whether something that a step computes has words of a width that no lane has.
fn has_odd_words(step: &Step) -> bool {
    let mut waiting = match step {
        Step::Loop(l) => return l.steps.iter().any(has_odd_words),
        Step::Assign(assign) => vec![&assign.value],
    };
    while let Some(expression) = waiting.pop() {
        if expression.shape.0.iter().any(|&(atom, _)| in_lane(atom) != atom) {
            return true;
        }
        waiting.extend(operands(expression));
    }
    false
}

fn widen_steps(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::Loop(l) => widen_steps(&mut l.steps),
            Step::Assign(assign) => widen(&mut assign.value),
        }
    }
}

/// Widens an expression, whose height the parser bounds.
fn widen(expression: &mut Expr) {
    let own = expression.shape.clone();
    let kind = std::mem::replace(&mut expression.kind, ExprKind::Concat(Vec::new()));
    let mut wide = Shape::default();
    own.0.iter().for_each(|&(atom, count)| wide.push(in_lane(atom), count));
    let span = expression.span;
    let expr = |kind: ExprKind| Expr { kind, shape: wide.clone(), span };
    let operand = |mut operand: Box<Expr>| {
        widen(&mut operand);
        operand
    };
    let with_mask = |operator, left: Box<Expr>| {
        let mask = own.atoms().map(|atom| u64::MAX >> (64 - atom.bits)).collect();
        ExprKind::Binary { operator, left, right: Box::new(expr(ExprKind::Constant(mask))) }
    };
    let masked = |kind: ExprKind| with_mask(BinaryOperator::And, Box::new(expr(kind)));
    let is_same = wide == own;
    // Words are rotated and shuffled one by one.
    let width = own.atoms().next().map_or(1, |atom| atom.bits);
    expression.kind = match kind {
        mut kind if is_same && !matches!(kind, ExprKind::Pack { .. } | ExprKind::Lookup { .. }) => {
            kind.for_each_operand_mut(&mut widen);
            kind
        }
        ExprKind::Not(inner) => with_mask(BinaryOperator::Xor, operand(inner)),
        ExprKind::Shift {
            operator: operator @ (ShiftOperator::Left | ShiftOperator::Right),
            operand: inner,
            amount,
        } => {
            let kind = ExprKind::Shift { operator, operand: operand(inner), amount };
            if operator == ShiftOperator::Left { masked(kind) } else { kind }
        }
        ExprKind::Shift { operator, operand: inner, amount } => {
            let pattern: Vec<Option<u32>> = (0..width)
                .map(|bit| match operator {
                    ShiftOperator::RotateLeft => Some((bit + amount) % width),
                    _ => Some(bit.saturating_sub(amount)),
                })
                .collect();
            ExprKind::Shuffle { operand: operand(inner), pattern: above(&pattern) }
        }
        ExprKind::Shuffle { operand: inner, pattern } => {
            ExprKind::Shuffle { operand: operand(inner), pattern: above(&pattern) }
        }
        ExprKind::Bitmask { operand: inner, bit } => masked(ExprKind::Bitmask { operand: operand(inner), bit }),
        ExprKind::Pack { high, low } => packed(*high, *low, span),
        ExprKind::Lookup { table, index } => {
            ExprKind::Lookup { table: operand(table), index: Box::new(position(*index, span)) }
        }
        mut kind => {
            kind.for_each_operand_mut(&mut widen);
            kind
        }
    };
    expression.shape = wide;
}

/// The pattern of a word's bits in a lane.
fn above(pattern: &[Option<u32>]) -> Vec<Option<u32>> {
    let word = Atom { slicing: Slicing::Vertical, bits: pattern.len() as u32 };
    let zeros = in_lane(word).bits - word.bits;
    let own = pattern.iter().map(|source| source.map(|bit| bit + zeros));
    std::iter::repeat_n(None, zeros as usize).chain(own).collect()
}

/// A position in a table, of which the bits above the word are seen to be zero: they need no lookup.
fn position(mut index: Expr, span: Span) -> Expr {
    let own = index.shape.clone();
    widen(&mut index);
    if index.shape == own {
        return index;
    }
    let mask = own.atoms().map(|atom| u64::MAX >> (64 - atom.bits)).collect();
    let right = Box::new(Expr { kind: ExprKind::Constant(mask), shape: index.shape.clone(), span });
    let shape = index.shape.clone();
    Expr { kind: ExprKind::Binary { operator: BinaryOperator::And, left: Box::new(index), right }, shape, span }
}

/// The bits of `high` above those of `low`, atom by atom: at once where all atoms of each are alike.
fn packed(mut high: Expr, mut low: Expr, span: Span) -> ExprKind {
    let is_vertical = |operand: &Expr| operand.shape.0.iter().all(|(atom, _)| atom.slicing == Slicing::Vertical);
    let fills_lanes = |operand: &Expr| operand.shape.0.iter().all(|&(atom, _)| in_lane(atom) == atom && atom.bits > 1);
    let are_vertical = is_vertical(&high) && is_vertical(&low);
    if !are_vertical || high.shape == low.shape && fills_lanes(&high) {
        widen(&mut high);
        widen(&mut low);
        return ExprKind::Pack { high: Box::new(high), low: Box::new(low) };
    }
    if high.shape.0.len() == 1 && low.shape.0.len() == 1 {
        return joined(high, low, span).kind;
    }
    let count = high.shape.atoms().count() as u32;
    ExprKind::Concat((0..count).map(|place| joined(atom_of(&high, place), atom_of(&low, place), span)).collect())
}

/// One atom of several.
fn atom_of(operand: &Expr, place: u32) -> Expr {
    let atom = operand.shape.atoms().nth(place as usize).expect("a place is that of an atom");
    let kind = ExprKind::Select { operand: Box::new(operand.clone()), pattern: vec![Some(place)] };
    Expr { kind, shape: Shape::of(atom, 1), span: operand.span }
}

/// The bits of `high` above those of `low`; each has as many atoms, all alike.
fn joined(high: Expr, low: Expr, span: Span) -> Expr {
    let ((of_high, count), (of_low, _)) = (high.shape.0[0], low.shape.0[0]);
    let whole = in_lane(Atom { bits: of_high.bits + of_low.bits, ..of_high });
    let shape = Shape::of(whole, count);
    let above = Box::new(extended(high, whole));
    let shifted = ExprKind::Shift { operator: ShiftOperator::Left, operand: above, amount: of_low.bits };
    let left = Box::new(Expr { kind: shifted, shape: shape.clone(), span });
    let right = Box::new(extended(low, whole));
    Expr { kind: ExprKind::Binary { operator: BinaryOperator::Or, left, right }, shape, span }
}

/// Words that are all alike as wider ones, with zeros above.
fn extended(mut words: Expr, to: Atom) -> Expr {
    let (span, (own, count)) = (words.span, words.shape.0[0]);
    let constant = |value: u64, atom: Atom| {
        let kind = ExprKind::Constant(vec![value; count as usize]);
        Box::new(Expr { kind, shape: Shape::of(atom, count), span })
    };
    if own.bits == 1 && count > 1 {
        let bits = (0..count).map(|place| extended(atom_of(&words, place), to));
        return Expr { kind: ExprKind::Concat(bits.collect()), shape: Shape::of(to, count), span };
    }
    widen(&mut words);
    while let Some((atom, _)) = words.shape.0.first().copied().filter(|(atom, _)| atom.bits < to.bits) {
        let (kind, atom) = if atom.bits == 1 {
            let (then, otherwise) = (constant(1, to), constant(0, to));
            (ExprKind::Conditional { condition: Box::new(words), then, otherwise }, to)
        } else {
            let kind = ExprKind::Pack { high: constant(0, atom), low: Box::new(words) };
            (kind, Atom { bits: 2 * atom.bits, ..atom })
        };
        words = Expr { kind, shape: Shape::of(atom, count), span };
    }
    words
}
