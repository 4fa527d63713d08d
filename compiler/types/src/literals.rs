//! Literals: expressions whose atoms are known only from their context.
//!
//! `3` may be one atom of any size, or several of one bit. An expression without definite atoms stays *open* until an
//! operand beside it, or the target of its equation, determines its atoms:
//!
//! - one literal is one atom, if atoms have more than one bit; beside an operand of several elements of a field, it is
//!   repeated like any element;
//! - a literal is all atoms, most significant first, if they have one bit;
//! - in a tuple with k open parts among one-bit atoms, each of these gets a k-th of the atoms that the other parts
//!   leave; among larger atoms it gets one.

use culet_diag::codes::types;
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{BinaryOperator, Integer, ShiftOperator};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::limits::{DEPTH, EXPRESSION};
use crate::node::{NodeElaborator, Result};
use crate::program::{self as p, Expr, ExprKind, Shape};
use crate::shape::{self, Pieces};

/// An elaborated expression.
#[derive(Debug)]
pub(crate) enum Partial<'a> {
    Known(Expr),
    Open(Open<'a>),
}

/// An expression whose atoms are determined by its context.
#[derive(Debug)]
pub(crate) struct Open<'a> {
    pub(crate) kind: OpenKind<'a>,
    pub(crate) span: Span,
    /// Levels of open expressions, this one included.
    pub(crate) height: u32,
}

#[derive(Debug)]
pub(crate) enum OpenKind<'a> {
    Literal(&'a BigUint),
    Tuple(Vec<Partial<'a>>),
    Not(Box<Open<'a>>),
    Negate(Box<Open<'a>>),
    Binary(BinaryOperator, Box<Open<'a>>, Box<Open<'a>>),
    Shift(ShiftOperator, Box<Open<'a>>, i64),
    Shuffle(Box<Open<'a>>, &'a [Integer]),
    Bitmask(Box<Open<'a>>, i64),
    Conditional(Box<Expr>, Box<Open<'a>>, Box<Open<'a>>),
}

impl Partial<'_> {
    pub(crate) fn known(&self) -> Option<&Expr> {
        match self {
            Partial::Known(expr) => Some(expr),
            Partial::Open(_) => None,
        }
    }
}

impl<'a> Open<'a> {
    /// An open expression over others with the heights `below`.
    pub(crate) fn over(kind: OpenKind<'a>, span: Span, below: impl IntoIterator<Item = u32>) -> Self {
        Open { kind, span, height: 1 + below.into_iter().max().unwrap_or(0) }
    }

    /// The least possible number of atoms.
    pub(crate) fn least_count(&self) -> u32 {
        match &self.kind {
            OpenKind::Literal(_) => 1,
            OpenKind::Tuple(parts) => parts
                .iter()
                .map(|part| match part {
                    Partial::Known(expr) => expr.shape.count(),
                    Partial::Open(open) => open.least_count(),
                })
                .sum(),
            OpenKind::Not(inner)
            | OpenKind::Negate(inner)
            | OpenKind::Shift(_, inner, _)
            | OpenKind::Shuffle(inner, _)
            | OpenKind::Bitmask(inner, _) => inner.least_count(),
            OpenKind::Binary(_, left, right) | OpenKind::Conditional(_, left, right) => {
                left.least_count().max(right.least_count())
            }
        }
    }
}

/// The way to get the carry of a sum or the upper half of a product, where two words are wanted of it.
fn idiom_for_two_parts(expr: &Expr, wanted: &Shape) -> Option<&'static str> {
    let ExprKind::Binary { operator, .. } = &expr.kind else { return None };
    if expr.shape.count() != 1 || wanted.count() != 2 || shape::has_elements(wanted) {
        return None;
    }
    match operator {
        p::BinaryOperator::Add => Some("a sum is one word: `s = a + b`, and its carry is the bit `s < a`, a `u1`"),
        p::BinaryOperator::Multiply => {
            Some("a product is one word, its lower half: for both halves, declare the factors as words twice as wide")
        }
        _ => None,
    }
}

impl NodeElaborator<'_, '_, '_> {
    /// The expression with these atoms; a diagnostic if it has other atoms.
    pub(crate) fn resolve(&mut self, partial: Partial<'_>, wanted: &Shape) -> Result<Expr> {
        match partial {
            Partial::Known(expr) => match self.mismatch(&expr.shape, wanted, expr.span) {
                None => Ok(expr),
                Some(diagnostic) => self.fail(match idiom_for_two_parts(&expr, wanted) {
                    Some(idiom) => diagnostic.note(idiom),
                    None => diagnostic,
                }),
            },
            Partial::Open(open) => self.resolve_open(open, wanted),
        }
    }

    pub(crate) fn resolve_open(&mut self, open: Open<'_>, wanted: &Shape) -> Result<Expr> {
        let span = open.span;
        self.shared.spend(EXPRESSION, span)?;
        match open.kind {
            OpenKind::Literal(value) => self.literal(value, wanted, span),
            OpenKind::Tuple(parts) => self.resolve_tuple(parts, wanted, span),
            OpenKind::Not(inner) => {
                let inner = self.resolve_open(*inner, wanted)?;
                self.known_not(inner, span)
            }
            OpenKind::Negate(inner) => {
                let inner = self.resolve_open(*inner, wanted)?;
                self.known_negation(inner, span)
            }
            OpenKind::Binary(BinaryOperator::Xor, base, exponent)
                if shape::has_elements(wanted) && matches!(base.kind, OpenKind::Literal(_)) =>
            {
                let base = self.resolve_open(*base, wanted)?;
                self.power(base, &exponent, span)
            }
            OpenKind::Binary(operator, left, right) => {
                let [of_left, of_right] = operands(&left, &right, wanted);
                let left = self.resolve_open(*left, &of_left);
                let right = self.resolve_open(*right, &of_right)?;
                self.known_binary(operator, left?, right, span)
            }
            OpenKind::Shift(operator, operand, amount) => {
                let operand = self.resolve_open(*operand, wanted)?;
                self.known_shift(operator, operand, amount, span)
            }
            OpenKind::Shuffle(operand, pattern) => {
                let operand = self.resolve_open(*operand, wanted)?;
                self.known_shuffle(operand, pattern, span)
            }
            OpenKind::Bitmask(operand, bit) => {
                let operand = self.resolve_open(*operand, wanted)?;
                self.known_bitmask(operand, bit, span)
            }
            OpenKind::Conditional(condition, then, otherwise) => {
                let then = self.resolve_open(*then, wanted);
                let otherwise = self.resolve_open(*otherwise, wanted)?;
                self.known_conditional(*condition, then?, otherwise, span)
            }
        }
    }

    /// `0 : u8[96]` is 0 in every atom.
    pub(crate) fn zeros(&mut self, value: &BigUint, wanted: &Shape, span: Span) -> Result<Option<Expr>> {
        if value.bits() > 0 || wanted.count() < 2 || shape::has_elements(wanted) {
            return Ok(None);
        }
        self.shared.spend(u64::from(wanted.count()), span)?;
        let values = vec![0; wanted.count() as usize];
        Ok(Some(Expr { kind: ExprKind::Constant(values), shape: wanted.clone(), span }))
    }

    /// A literal with these atoms.
    pub(crate) fn literal(&mut self, value: &BigUint, wanted: &Shape, span: Span) -> Result<Expr> {
        let count = wanted.count();
        let width = match wanted.0.as_slice() {
            [(atom, 1)] => match atom.field() {
                Some(field) => return self.element_literal(value, field, wanted, span),
                None => u64::from(atom.bits),
            },
            [] => return self.fail(Diagnostic::error(&types::E0301, span, "no atom is wanted here")),
            runs if runs.iter().all(|(atom, _)| atom.bits == 1) => u64::from(count),
            _ => return self.one_literal_for_many(wanted, span),
        };
        if value.bits() > width {
            let atoms = self.describe(wanted);
            let message = format!("{value} needs {}, and this is {atoms}", shape::bits(value.bits() as u32));
            return self.fail(Diagnostic::error(&types::E0312, span, message));
        }
        self.shared.spend(u64::from(count), span)?;
        let values = if count == 1 {
            vec![value.to_u64().unwrap_or(0)]
        } else {
            (0..count).map(|k| u64::from(value.bit(u64::from(count - 1 - k)))).collect()
        };
        Ok(Expr { kind: ExprKind::Constant(values), shape: wanted.clone(), span })
    }

    fn one_literal_for_many<T>(&mut self, wanted: &Shape, span: Span) -> Result<T> {
        let message = format!("one literal is one atom, but {} are wanted here", self.describe(wanted));
        let mut diagnostic = Diagnostic::error(&types::E0313, span, message);
        if let Some(atom) = shape::uniform(wanted) {
            let each = if wanted.count() <= 8 { "write one for each, as a tuple" } else { "write a tuple" };
            diagnostic = diagnostic.note(match atom.field() {
                Some(_) => format!("{each}; it is repeated as an operand beside several elements only"),
                None => format!(
                    "{each}; `0 : u{0}[{1}]` is {1} zeros, and `… : u{0}` beside several words changes every one",
                    atom.bits,
                    wanted.count()
                ),
            });
        }
        self.fail(diagnostic)
    }

    fn resolve_tuple(&mut self, parts: Vec<Partial<'_>>, wanted: &Shape, span: Span) -> Result<Expr> {
        let mut flat = Vec::with_capacity(parts.len());
        flatten(parts, &mut flat);
        let known: u64 = flat.iter().filter_map(Partial::known).map(|e| u64::from(e.shape.count())).sum();
        let open = flat.iter().filter(|p| p.known().is_none()).count() as u64;
        let count = u64::from(wanted.count());
        let missing = count.checked_sub(known).filter(|&missing| missing >= open);
        let is_bits = wanted.0.iter().all(|(atom, _)| atom.bits == 1);
        let share = match missing {
            Some(missing) if missing == open => 1,
            Some(missing) if is_bits && missing.is_multiple_of(open.max(1)) => missing / open.max(1),
            Some(missing) if is_bits => {
                let message = format!("{missing} bits cannot be divided equally between {open} literals");
                return self.fail(Diagnostic::error(&types::E0313, span, message));
            }
            _ => {
                let found = known + open;
                let message = format!("{} wanted here, but this tuple has {found}", self.describe(wanted));
                return self.fail(Diagnostic::error(&types::E0301, span, message));
            }
        };
        let mut pieces = Pieces::of(wanted);
        let mut all = Vec::with_capacity(flat.len());
        let mut failed = None;
        for part in flat {
            let count = part.known().map_or(share as u32, |e| e.shape.count());
            match self.resolve(part, &pieces.take(count)) {
                Ok(part) => all.push(part),
                Err(stop) => failed = Some(stop),
            }
        }
        match failed {
            None => Ok(self.concat(all, span)),
            Some(stop) => Err(stop),
        }
    }

    /// An open expression over others; an error if it is nested too deeply.
    pub(crate) fn open<'a>(
        &mut self,
        kind: OpenKind<'a>,
        span: Span,
        below: impl IntoIterator<Item = u32>,
    ) -> Result<Partial<'a>> {
        let open = Open::over(kind, span, below);
        if open.height > DEPTH {
            return self.too_deep(span);
        }
        Ok(Partial::Open(open))
    }
}

/// The atoms of both operands of a result with these atoms. They are those of the result, except that one element may
/// stand beside several and is then repeated.
fn operands(left: &Open<'_>, right: &Open<'_>, wanted: &Shape) -> [Shape; 2] {
    let mut shapes = [wanted.clone(), wanted.clone()];
    if let [(atom, 2..)] = wanted.0.as_slice()
        && atom.field().is_some()
    {
        match (left.least_count(), right.least_count()) {
            (1, 2..) => shapes[0] = Shape::of(*atom, 1),
            (2.., 1) => shapes[1] = Shape::of(*atom, 1),
            _ => {}
        }
    }
    shapes
}

/// Replaces tuples by their parts.
fn flatten<'a>(parts: Vec<Partial<'a>>, flat: &mut Vec<Partial<'a>>) {
    for part in parts {
        match part {
            Partial::Open(Open { kind: OpenKind::Tuple(inner), .. }) => flatten(inner, flat),
            part => flat.push(part),
        }
    }
}
