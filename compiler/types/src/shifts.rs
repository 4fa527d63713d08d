//! Shifts and rotations: of the bits of a word, or of a sequence of atoms.

use culet_diag::codes::types;
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, ShiftOperator};

use crate::literals::{OpenKind, Partial};
use crate::node::{NodeElaborator, Result, Stop};
use crate::program::{self as p, BinaryOperator, Expr, ExprKind};
use crate::shape;
use crate::statics::Role;

impl<'d> NodeElaborator<'_, 'd, '_> {
    pub(crate) fn shift(
        &mut self,
        operator: ShiftOperator,
        operand: &'d ast::Expr,
        amount: &'d ast::Expr,
        span: Span,
    ) -> Result<Partial<'d>> {
        let operand = self.expr(operand);
        if let Err(unroll @ Stop::Unroll(_)) = operand {
            return Err(unroll);
        }
        let value = self.affine(amount, Role::Amount)?;
        let amount = self.number(&value, amount.span, "the amount of a shift depends on it")?;
        match operand? {
            Partial::Known(operand) => self.known_shift(operator, operand, amount, span).map(Partial::Known),
            Partial::Open(open) => {
                let height = open.height;
                self.open(OpenKind::Shift(operator, Box::new(open), amount), span, [height])
            }
        }
    }

    /// A shift of the bits of one atom, or of a sequence of atoms.
    pub(crate) fn known_shift(
        &mut self,
        operator: ShiftOperator,
        operand: Expr,
        amount: i64,
        span: Span,
    ) -> Result<Expr> {
        match operand.shape.0.as_slice() {
            [(atom, 1)] => {
                self.no_elements(&operand.shape, "bits of a word are shifted", span)?;
                let bits = atom.bits;
                self.atom_shift(operator, operand, amount, bits, span)
            }
            _ => self.sequence_shift(operator, operand, amount, span),
        }
    }

    fn atom_shift(
        &mut self,
        operator: ShiftOperator,
        operand: Expr,
        amount: i64,
        bits: u32,
        span: Span,
    ) -> Result<Expr> {
        let Some(amount) = u32::try_from(amount).ok().filter(|&n| n < bits) else {
            let message = format!("a word of {} is shifted by 0 to {}, not by {amount}", shape::bits(bits), bits - 1);
            let error = Diagnostic::error(&types::E0316, span, message);
            return self.fail(match (operator, bits) {
                (ShiftOperator::Left, 8) => error.note("bytes become a word by `be<u32>(x)` or `le<u32>(x)`"),
                (ShiftOperator::Left, 16 | 32) => error.note(format!(
                    "two words become a longer one by `be<u{0}>(high, low)`, and one by `be<u{0}>(0 : u{bits}, x)`",
                    2 * bits
                )),
                (ShiftOperator::Right, 8 | 16 | 32) if is_product(&operand) => error.note(format!(
                    "a product keeps the lower {bits} bits; `be<u{0}>(0 : u{bits}, a) * be<u{0}>(0 : u{bits}, b)` has all",
                    2 * bits
                )),
                (ShiftOperator::Right, 64) if is_product(&operand) => {
                    error.note("a product keeps the lower 64 bits; the upper ones are a sum of products of halves of 32 bits")
                }
                (ShiftOperator::RotateLeft | ShiftOperator::RotateRight, _) => {
                    let same = amount.rem_euclid(i64::from(bits));
                    error.note(format!("a rotation by {same} is the same"))
                }
                _ => error,
            });
        };
        let (operator, amount) = match operator {
            ShiftOperator::Left => (p::ShiftOperator::Left, amount),
            ShiftOperator::Right => (p::ShiftOperator::Right, amount),
            ShiftOperator::RightArithmetic => (p::ShiftOperator::RightArithmetic, amount),
            ShiftOperator::RotateLeft => (p::ShiftOperator::RotateLeft, amount),
            ShiftOperator::RotateRight => (p::ShiftOperator::RotateLeft, (bits - amount) % bits),
        };
        let shape = operand.shape.clone();
        Ok(Expr { kind: ExprKind::Shift { operator, operand: Box::new(operand), amount }, shape, span })
    }

    fn sequence_shift(&mut self, operator: ShiftOperator, operand: Expr, amount: i64, span: Span) -> Result<Expr> {
        let count = operand.shape.count();
        let Some(amount) = u32::try_from(amount).ok().filter(|&n| n <= count) else {
            let message = format!("a sequence of {} is shifted by 0 to {count}, not by {amount}", shape::atoms(count));
            return self.fail(Diagnostic::error(&types::E0316, span, message));
        };
        if shape::uniform(&operand.shape).is_none() && count > 0 {
            let message = "only a sequence of equal atoms can be shifted";
            return self.fail(Diagnostic::error(&types::E0302, span, message));
        }
        self.shared.spend(u64::from(count), span)?;
        let from = |k: u32| match operator {
            ShiftOperator::Left => k.checked_add(amount).filter(|&source| source < count),
            ShiftOperator::Right => k.checked_sub(amount),
            ShiftOperator::RotateLeft => Some((k + amount) % count),
            ShiftOperator::RotateRight | ShiftOperator::RightArithmetic => Some((k + count - amount) % count),
        };
        if operator == ShiftOperator::RightArithmetic {
            let message = "a sequence of atoms has no sign that `>>!` could copy";
            return self.fail(Diagnostic::error(&types::E0317, span, message).note("shift each atom in a loop"));
        }
        let pattern = (0..count).map(from).collect();
        let shape = operand.shape.clone();
        Ok(Expr { kind: ExprKind::Select { operand: Box::new(operand), pattern }, shape, span })
    }
}

fn is_product(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Binary { operator: BinaryOperator::Multiply, .. })
}
