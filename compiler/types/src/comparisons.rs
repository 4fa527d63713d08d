//! Comparisons, and parts of values that are no variables.

use culet_diag::codes::types;
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, Comparison, Ident, Selector};

use crate::literals::Partial;
use crate::node::{NodeElaborator, Result, Stop};
use crate::program::{Atom, BinaryOperator, Endian, Expr, ExprKind, Shape, Slicing};
use crate::shape;

/// Maximum number of characters of a value that messages show.
const SHOWN: usize = 40;

impl<'d> NodeElaborator<'_, 'd, '_> {
    /// `a == b`, `a < b`: one bit.
    pub(crate) fn comparison(
        &mut self,
        comparison: Comparison,
        left: &'d ast::Expr,
        right: &'d ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let left = self.expr(left);
        if let Err(unroll @ Stop::Unroll(_)) = left {
            return Err(unroll);
        }
        let right = self.expr(right)?;
        let (left, right) = match (left?, right) {
            (Partial::Known(left), Partial::Known(right)) => (left, right),
            (Partial::Known(left), Partial::Open(right)) => {
                let right = self.resolve_beside(right, &left.shape)?;
                (left, right)
            }
            (Partial::Open(left), Partial::Known(right)) => (self.resolve_beside(left, &right.shape)?, right),
            (Partial::Open(_), Partial::Open(_)) => {
                let message = "what is compared needs a definite type";
                let note = "write `3 : u16` for a literal of 16 bits";
                return self.fail(Diagnostic::error(&types::E0313, span, message).note(note));
            }
        };
        if comparison == Comparison::Less
            && let Some(side) = [&left, &right].into_iter().find(|side| shape::has_elements(&side.shape))
        {
            let message = format!("`<` compares two words, and this is {}", self.describe(&side.shape));
            let note = "elements have no order; `le<u64>(bytes(x))` are the words of one, least significant first";
            return self.fail(Diagnostic::error(&types::E0314, side.span, message).note(note));
        }
        let (left, right) = self.repeat_single(left, right)?;
        if let Some(diagnostic) = self.mismatch(&right.shape, &left.shape, right.span) {
            return self.fail(diagnostic.related(left.span, "the operand on the left decides what is wanted"));
        }
        match comparison {
            Comparison::Equal => self.equal(left, right, span),
            Comparison::Less => self.less(left, right, span),
        }
    }

    fn equal(&mut self, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        let has_elements = shape::has_elements(&left.shape);
        let operator = if has_elements { BinaryOperator::Subtract } else { BinaryOperator::Xor };
        let mut difference = binary(operator, left, right, span);
        if has_elements {
            let slicing = self.binding.direction.unwrap_or(Slicing::Vertical);
            difference = self.encode(Endian::Little, difference, slicing)?;
        }
        if shape::uniform(&difference.shape).is_none() {
            let slicing = difference.shape.atoms().next().map_or(Slicing::Vertical, |atom| atom.slicing);
            difference = self.bits_of(difference, &Shape::of(Atom { slicing, bits: 1 }, 1), span)?;
        }
        let any = self.union(difference, span)?;
        let Some(atom) = shape::uniform(&any.shape) else { return Err(Stop::Failed) };
        let is_unequal = match atom.bits {
            1 => any,
            8 | 16 | 32 | 64 => {
                let any = self.name_value(any)?;
                let zero = Expr { kind: ExprKind::Constant(vec![0]), shape: any.shape.clone(), span };
                let negative = binary(BinaryOperator::Subtract, zero, any.clone(), span);
                self.top_bit(binary(BinaryOperator::Or, any, negative, span), span)?
            }
            _ => {
                let bits = self.bits_of(any, &Shape::of(Atom { slicing: atom.slicing, bits: 1 }, 1), span)?;
                self.union(bits, span)?
            }
        };
        let shape = is_unequal.shape.clone();
        Ok(Expr { kind: ExprKind::Not(Box::new(is_unequal)), shape, span })
    }

    /// Words without a sign: the borrow of the difference.
    fn less(&mut self, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        if left.shape.count() != 1 {
            let message = format!("`<` compares two words, and this is {}", self.describe(&left.shape));
            let note = "the highest words that differ decide: `(a[1] < b[1]) | ((a[1] == b[1]) & (a[0] < b[0]))`";
            return self.fail(Diagnostic::error(&types::E0314, span, message).note(note));
        }
        self.check_arithmetic(&left.shape, span)?;
        let (left, right) = (self.name_value(left)?, self.name_value(right)?);
        let not_left = Expr { kind: ExprKind::Not(Box::new(left.clone())), shape: left.shape.clone(), span };
        let below = binary(BinaryOperator::And, not_left.clone(), right.clone(), span);
        let not_above = binary(BinaryOperator::Or, not_left, right.clone(), span);
        let difference = binary(BinaryOperator::Subtract, left, right, span);
        let borrow = binary(BinaryOperator::And, not_above, difference, span);
        self.top_bit(binary(BinaryOperator::Or, below, borrow, span), span)
    }

    /// The bits that are set in any of these equal atoms.
    fn union(&mut self, mut all: Expr, span: Span) -> Result<Expr> {
        while all.shape.count() > 1 {
            let (count, whole) = (all.shape.count(), self.name_value(all)?);
            self.shared.spend(u64::from(count), span)?;
            let half = count.div_ceil(2);
            let Some(atom) = shape::uniform(&whole.shape) else { return Err(Stop::Failed) };
            let part = |from: u32| {
                let pattern = (from..from + half).map(|place| (place < count).then_some(place)).collect();
                let kind = ExprKind::Select { operand: Box::new(whole.clone()), pattern };
                Expr { kind, shape: Shape::of(atom, half), span }
            };
            all = binary(BinaryOperator::Or, part(0), part(half), span);
        }
        Ok(all)
    }

    fn top_bit(&mut self, word: Expr, span: Span) -> Result<Expr> {
        let Some(atom) = shape::uniform(&word.shape) else { return Err(Stop::Failed) };
        let bit = Shape::of(Atom { slicing: atom.slicing, bits: 1 }, 1);
        let bits = self.bits_of(word, &bit, span)?;
        let kind = ExprKind::Select { operand: Box::new(bits), pattern: vec![Some(atom.bits - 1)] };
        Ok(Expr { kind, shape: bit, span })
    }

    /// `e[…]`: the parts of a value, which is one list of equal atoms.
    pub(crate) fn parts_of_value(
        &mut self,
        operand: &'d ast::Expr,
        selectors: &[Selector],
        span: Span,
    ) -> Result<Expr> {
        let value = match self.expr(operand)? {
            Partial::Known(value) => value,
            Partial::Open(open) => {
                let message = "a value with parts needs a definite type";
                return self.fail(Diagnostic::error(&types::E0313, open.span, message));
            }
        };
        let Some(atom) = shape::uniform(&value.shape) else {
            let message = format!("{} have no parts by number: name them", self.describe(&value.shape));
            return self.fail(Diagnostic::error(&types::E0311, span, message));
        };
        let id = self.temporary(atom, value.shape.count(), value);
        let text = culet_syntax::print_expr(operand);
        let name = if text.len() <= SHOWN { text } else { "the value".to_owned() };
        let variable = ast::Variable { name: Ident { name, span: operand.span }, selectors: selectors.to_vec(), span };
        let (place, _) = self.place_in(&variable, id)?;
        Ok(self.read(place, span))
    }
}

pub(crate) fn binary(operator: BinaryOperator, left: Expr, right: Expr, span: Span) -> Expr {
    let shape = left.shape.clone();
    Expr { kind: ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, shape, span }
}
