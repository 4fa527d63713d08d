//! Estimates of the size of a program before it is built: a multiplication of 64-bit words in bits has 12,000 gates.

use culet_types::program::{BinaryOperator, Expr, ExprKind, Slicing, Var};

use crate::pieces::pieces;

/// Maximum number of values and operations of one program. A module of this size fills about half a gigabyte.
pub(crate) const LIMIT: u64 = 1 << 22;

/// Number of values that hold a variable.
pub(crate) fn of_variable(var: &Var) -> u64 {
    u64::from(pieces(var.ty.atom)) * u64::from(var.ty.atoms())
}

/// Rough number of operations of an expression, without its operands.
pub(crate) fn of_expression(expression: &Expr) -> u64 {
    let mut size = 0u64;
    for &(atom, count) in &expression.shape.0 {
        let (bits, pieces) = (u64::from(atom.bits), u64::from(pieces(atom)));
        let each = match &expression.kind {
            ExprKind::Binary { operator, .. } if atom.slicing == Slicing::Bitslice => match operator {
                BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => pieces,
                BinaryOperator::Add | BinaryOperator::Subtract => 5 * pieces,
                BinaryOperator::Multiply | BinaryOperator::Divide => 3 * bits * bits,
            },
            ExprKind::Shuffle { .. } if atom.slicing == Slicing::Vertical => 3 * bits,
            ExprKind::Conditional { .. } => 3 * pieces,
            ExprKind::Lookup { table, .. } => {
                3 * pieces * u64::from(table.shape.count() / expression.shape.count().max(1))
            }
            _ => pieces,
        };
        size = size.saturating_add(each.saturating_mul(u64::from(count)));
    }
    size
}
