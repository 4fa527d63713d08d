//! Powers of elements: `x ^ n` as products, by windows of bits of the exponent.

use culet_diag::codes::{fields as codes, syntax};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, BinaryOperator as Operator};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use crate::comparisons::binary;
use crate::literals::{Open, OpenKind};
use crate::node::{NodeElaborator, Result};
use crate::program::{BinaryOperator, Expr};

/// Bits of a window: a product for each window with a bit that is set.
const WINDOW: u64 = 4;
/// Maximum number of bits of an exponent.
const MOST_BITS: u64 = 4096;

/// The error for a power whose base is written without parentheses and is negated, or is a power itself: standards that write `-x^2` mean
/// `-(x^2)`, and by `2^2^3` they mean `2^(2^3)`.
pub(crate) fn misread(base: &ast::Expr) -> Option<Diagnostic> {
    let (message, note) = match &base.kind {
        ast::ExprKind::Negate(_) => {
            ("what is raised to a power is negated first", "write `-(x ^ 2)` or `(-x) ^ 2`, whichever is meant")
        }
        ast::ExprKind::Binary { operator: Operator::Xor, .. } => {
            ("a power is raised to a power", "write `x ^ (2 ^ 5)` or `(x ^ 2) ^ 5`, whichever is meant")
        }
        _ => return None,
    };
    Some(Diagnostic::error(&syntax::E0121, base.span, message).note(note))
}

impl NodeElaborator<'_, '_, '_> {
    /// `x ^ n`, for every atom of x.
    pub(crate) fn power(&mut self, base: Expr, exponent: &Open<'_>, span: Span) -> Result<Expr> {
        let Some(exponent) = number(exponent).filter(|n| !n.is_zero() && n.bits() <= MOST_BITS) else {
            let message = format!("an exponent is a positive number of at most {MOST_BITS} bits, such as `2^252 - 3`");
            let error = Diagnostic::error(&codes::E0334, exponent.span, message);
            return self.fail(error.note("`1 / x` is the inverse of x, and 0 for 0"));
        };
        let base = self.name_value(base)?;
        let odd = self.odd_powers(&base, &exponent, span)?;
        let mut power: Option<Expr> = None;
        let mut at = exponent.bits();
        while at > 0 {
            if !exponent.bit(at - 1) {
                at -= 1;
                power = self.squared(power, 1, span)?;
                continue;
            }
            let mut low = at.saturating_sub(WINDOW);
            while !exponent.bit(low) {
                low += 1;
            }
            power = self.squared(power, at - low, span)?;
            let digit = (&exponent >> low) & ((BigUint::one() << (at - low)) - 1u32);
            let factor = odd[digit.to_usize().unwrap_or(1) / 2].clone();
            power = Some(match power {
                Some(power) => self.product(power, factor, span)?,
                None => factor,
            });
            at = low;
        }
        Ok(power.unwrap_or(base))
    }

    /// x, x^3, x^5, …, as far as windows of the exponent need them.
    fn odd_powers(&mut self, base: &Expr, exponent: &BigUint, span: Span) -> Result<Vec<Expr>> {
        let most = exponent.bits().min(WINDOW);
        let mut odd = vec![base.clone()];
        if exponent.bits() > 2 || *exponent == BigUint::from(3u32) {
            let square = self.product(base.clone(), base.clone(), span)?;
            while odd.len() < 1 << (most - 1) {
                let next = self.product(odd[odd.len() - 1].clone(), square.clone(), span)?;
                odd.push(next);
            }
        }
        Ok(odd)
    }

    fn squared(&mut self, power: Option<Expr>, times: u64, span: Span) -> Result<Option<Expr>> {
        let Some(mut power) = power else { return Ok(None) };
        for _ in 0..times {
            power = self.product(power.clone(), power, span)?;
        }
        Ok(Some(power))
    }

    fn product(&mut self, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        self.shared.spend(crate::limits::EXPRESSION, span)?;
        self.name_value(binary(BinaryOperator::Multiply, left, right, span))
    }
}

/// The number that literals spell.
fn number(open: &Open<'_>) -> Option<BigUint> {
    match &open.kind {
        OpenKind::Literal(value) => Some((*value).clone()),
        OpenKind::Binary(operator, left, right) => {
            let (left, right) = (number(left)?, number(right)?);
            match operator {
                Operator::Add => Some(left + right),
                Operator::Subtract => (left >= right).then(|| left - right),
                Operator::Multiply => (left.bits() + right.bits() <= MOST_BITS).then(|| left * right),
                Operator::Divide => (!right.is_zero() && (&left % &right).is_zero()).then(|| left / right),
                Operator::Xor => {
                    let exponent = right.to_u32().filter(|n| left.bits() * u64::from(*n) <= 2 * MOST_BITS)?;
                    Some(left.pow(exponent))
                }
                Operator::And | Operator::Or | Operator::Remainder => None,
            }
        }
        _ => None,
    }
}
