//! Static expressions: integers that are known at compile time, and counters of loops that stay loops.
//!
//! A value is affine in such counters. For other values, [`StaticError::NotAffine`] names the counters, and the caller
//! unrolls their loop.

use std::fmt;

use culet_diag::codes::types;
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast;
use num_traits::ToPrimitive;

use crate::program::{Affine, CounterId};

/// The reason why a static expression has no affine value.
#[derive(Debug)]
pub(crate) enum StaticError<E> {
    /// The expression is wrong.
    Wrong(Box<Diagnostic>),
    /// These counters occur in a form that allows only constants.
    NotAffine { counters: Vec<CounterId>, span: Span, operator: &'static str },
    /// The parser could not read the expression and has reported it.
    Unreadable,
    /// The error from looking up a variable.
    Lookup(E),
}

impl<E> From<Diagnostic> for StaticError<E> {
    fn from(diagnostic: Diagnostic) -> Self {
        StaticError::Wrong(Box::new(diagnostic))
    }
}

/// The value of an expression. `lookup` gives the values of its variables.
pub(crate) fn evaluate<E>(
    expr: &ast::Expr,
    lookup: &mut dyn FnMut(&ast::Variable) -> Result<Affine, E>,
) -> Result<Affine, StaticError<E>> {
    use ast::BinaryOperator::{Add, And, Divide, Multiply, Or, Remainder, Subtract, Xor};
    match &expr.kind {
        ast::ExprKind::Literal { value, ty: None } => {
            let value = value.to_i64().ok_or_else(|| overflow(expr.span))?;
            Ok(Affine::constant(value))
        }
        ast::ExprKind::Variable(variable) if variable.selectors.is_empty() => {
            lookup(variable).map_err(StaticError::Lookup)
        }
        ast::ExprKind::Parenthesised(inner) => evaluate(inner, lookup),
        ast::ExprKind::Negate(inner) => {
            let value = evaluate(inner, lookup)?;
            scale(&value, -1).ok_or_else(|| overflow(expr.span).into())
        }
        ast::ExprKind::Error => Err(StaticError::Unreadable),
        ast::ExprKind::Binary { operator, left, right } => {
            if matches!(operator, And | Or | Xor) {
                return Err(not_static(expr.span).into());
            }
            let left = evaluate(left, lookup)?;
            let right = evaluate(right, lookup)?;
            let value = match operator {
                Add => add(&left, &right, 1),
                Subtract => add(&left, &right, -1),
                Multiply if right.terms.is_empty() => scale(&left, right.constant),
                Multiply if left.terms.is_empty() => scale(&right, left.constant),
                _ => {
                    let operator = match operator {
                        Multiply => "*",
                        Divide => "/",
                        _ => "%",
                    };
                    return quotient(operator, &left, &right, expr.span);
                }
            };
            debug_assert!(*operator != Remainder);
            value.ok_or_else(|| overflow(expr.span).into())
        }
        ast::ExprKind::Variable(_) => Err(element(expr.span).into()),
        _ => Err(not_static(expr.span).into()),
    }
}

/// The error for an element of an array, such as an amount that a table has for each round.
fn element(span: Span) -> Diagnostic {
    Diagnostic::error(&types::E0308, span, "an element of an array has no value at compile time").note(ONE_BY_ONE)
}

/// The role of a static expression in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Value,
    Amount,
    Index,
    Bound,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "this",
            Self::Amount => "the amount of a shift",
            Self::Index => "an index",
            Self::Bound => "the bound of a loop",
        })
    }
}

/// The ways to write a loop whose number of iterations a word says elsewhere.
pub(crate) const ITERATIONS_ARE_KNOWN: &str = "a bound is an integer, a counter, a parameter `n : nat`, to which each call gives a number, or `+ - * / %` of these; \
     a loop over a stream has an iteration for each element, `fold x in m { … }`; up to a word n, all iterations are computed, and a word counts: \
     `k := 0; fold i in [0, 9] { y := k < n ? a : y; k := k + 1 }`";

/// The way to write positions or amounts that a table would have.
pub(crate) const ONE_BY_ONE: &str = "amounts and positions of a table are written one by one: `b = (a[0] <<< 7, a[1] <<< 12)`; the elements in another order are `a[2, 0, 3, 1]`";

/// `left / right` or `left % right`. It is affine only if neither operand has counters.
fn quotient<E>(operator: &'static str, left: &Affine, right: &Affine, span: Span) -> Result<Affine, StaticError<E>> {
    if !left.terms.is_empty() || !right.terms.is_empty() {
        let counters = left.terms.iter().chain(&right.terms).map(|&(counter, _)| counter).collect();
        return Err(StaticError::NotAffine { counters, span, operator });
    }
    if right.constant == 0 {
        return Err(Diagnostic::error(&types::E0309, span, "this divides by zero").into());
    }
    let value = match operator {
        "/" => left.constant.checked_div(right.constant),
        _ => Some(left.constant.wrapping_rem_euclid(right.constant)),
    };
    value.map(Affine::constant).ok_or_else(|| overflow(span).into())
}

/// `left + factor · right`, or `None` on overflow.
pub(crate) fn add(left: &Affine, right: &Affine, factor: i64) -> Option<Affine> {
    let constant = left.constant.checked_add(right.constant.checked_mul(factor)?)?;
    let mut terms = left.terms.clone();
    for &(counter, f) in &right.terms {
        let f = f.checked_mul(factor)?;
        match terms.binary_search_by_key(&counter, |&(c, _)| c) {
            Ok(i) => terms[i].1 = terms[i].1.checked_add(f)?,
            Err(i) => terms.insert(i, (counter, f)),
        }
    }
    terms.retain(|&(_, f)| f != 0);
    Some(Affine { constant, terms })
}

/// `factor · value`, or `None` on overflow.
pub(crate) fn scale(value: &Affine, factor: i64) -> Option<Affine> {
    add(&Affine::default(), value, factor)
}

/// The least and the greatest value, for counters in their ranges; `None` on overflow.
pub(crate) fn range(value: &Affine, counter: impl Fn(CounterId) -> (i64, i64)) -> Option<(i64, i64)> {
    let (mut least, mut greatest) = (value.constant, value.constant);
    for &(c, factor) in &value.terms {
        let (a, b) = counter(c);
        let (a, b) = (a.checked_mul(factor)?, b.checked_mul(factor)?);
        least = least.checked_add(a.min(b))?;
        greatest = greatest.checked_add(a.max(b))?;
    }
    Some((least, greatest))
}

fn overflow(span: Span) -> Diagnostic {
    Diagnostic::error(&types::E0309, span, "this does not fit in a signed integer of 64 bits")
}

pub(crate) fn not_static(span: Span) -> Diagnostic {
    Diagnostic::error(&types::E0308, span, "this has to be known at compile time, and is not").note(
        "static expressions are integers, counters, `nat` variables, `+ - * / %` and parentheses; for `i & 3`, write `i % 4`, for `i >> 1` `i / 2`, and for `i ^ 1` `i + 1 - 2 * (i % 2)`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use culet_diag::FileId;
    use culet_syntax::ast::{BinaryOperator, Expr, ExprKind};
    use num_bigint::BigUint;

    fn span() -> Span {
        Span::new(FileId(0), 0, 0)
    }

    fn int(value: i64) -> Expr {
        let magnitude = ExprKind::Literal { value: BigUint::from(value.unsigned_abs()), ty: None };
        let literal = Expr { kind: magnitude, span: span() };
        if value >= 0 { literal } else { binary(BinaryOperator::Subtract, int(0), literal) }
    }

    fn binary(operator: BinaryOperator, left: Expr, right: Expr) -> Expr {
        Expr { kind: ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, span: span() }
    }

    fn value(expr: &Expr) -> Option<i64> {
        evaluate::<()>(expr, &mut |_| Err(())).ok().map(|v| v.constant)
    }

    #[test]
    fn division_truncates_and_the_remainder_is_never_negative() {
        let cases = [(-8, 8, -1, 0), (-1, 8, 0, 7), (7, -2, -3, 1), (-7, 2, -3, 1), (-7, -2, 3, 1), (8, 3, 2, 2)];
        for (x, y, quotient, remainder) in cases {
            assert_eq!(value(&binary(BinaryOperator::Divide, int(x), int(y))), Some(quotient), "{x} / {y}");
            assert_eq!(value(&binary(BinaryOperator::Remainder, int(x), int(y))), Some(remainder), "{x} % {y}");
        }
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        for operator in [BinaryOperator::Divide, BinaryOperator::Remainder] {
            assert_eq!(value(&binary(operator, int(1), int(0))), None);
        }
        assert_eq!(value(&binary(BinaryOperator::Multiply, int(i64::MAX), int(2))), None);
        assert_eq!(value(&binary(BinaryOperator::Add, int(i64::MAX), int(1))), None);
        assert_eq!(value(&binary(BinaryOperator::And, int(1), int(1))), None);
    }

    #[test]
    fn terms_stay_sorted_and_vanish_when_zero() {
        let (i, j) = (CounterId(0), CounterId(1));
        let a = Affine { constant: 1, terms: vec![(j, 2)] };
        let b = Affine { constant: 5, terms: vec![(i, 1), (j, 2)] };
        assert_eq!(add(&a, &b, 1), Some(Affine { constant: 6, terms: vec![(i, 1), (j, 4)] }));
        assert_eq!(add(&a, &b, -1), Some(Affine { constant: -4, terms: vec![(i, -1)] }));
        assert_eq!(range(&b, |c| if c == i { (0, 3) } else { (-1, 1) }), Some((3, 10)));
    }
}
