//! The modulus of a field, from the expression in its definition: big integers, and polynomials in `x`.

use culet_diag::codes::fields;
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_syntax::ast::{BinaryOperator, Expr, ExprKind};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{FieldKind, polynomial, prime};
use crate::powers::misread;

/// Maximum number of bits of a modulus, and maximum degree of a polynomial.
pub(crate) const MOST_BITS: u64 = 4096;

/// The field with this modulus, after checks.
pub(crate) fn kind(is_binary: bool, modulus: &Expr) -> Result<FieldKind, Diagnostics> {
    if is_binary { binary(modulus) } else { prime_field(modulus) }
}

fn prime_field(modulus: &Expr) -> Result<FieldKind, Diagnostics> {
    let value = integer(modulus)?;
    let error = |code, message: String| Err(Diagnostic::error(code, modulus.span, message).into());
    let Some(value) = value.to_biguint().filter(|v| *v >= BigUint::from(2u32)) else {
        return error(&fields::E0331, format!("a modulus is at least 3, and this is {value}"));
    };
    if value.bits() > MOST_BITS {
        return error(&fields::E0331, format!("this modulus has {} bits, and the limit is {MOST_BITS}", value.bits()));
    }
    if !value.bit(0) {
        let what = if value == BigUint::from(2u32) { "the field of two elements is `u1`" } else { "it is even" };
        let found = Diagnostic::error(&fields::E0331, modulus.span, format!("a modulus is an odd prime: {what}"));
        let is_power = value.count_ones() == 1 && value.bits() > 2;
        let polynomial = "a field of 2^n elements has a polynomial: `GF2(x^8 + x^4 + x^3 + x + 1)`";
        return Err(if is_power { found.note(polynomial) } else { found }.into());
    }
    let message = match prime::primality(&value) {
        prime::Primality::Prime => return Ok(FieldKind::Prime(value)),
        prime::Primality::Composite(Some(factor)) => format!("this modulus is not prime: {factor} divides it"),
        prime::Primality::Composite(None) => "this modulus is not prime, though it has no small factor".to_owned(),
    };
    let remedy = prime::nearest(&value).map(|(distance, is_more)| {
        format!("the nearest prime is {distance} {}", if is_more { "more" } else { "less" })
    });
    Err(no_field(modulus.span, message, remedy))
}

fn no_field(span: Span, message: String, remedy: Option<String>) -> Diagnostics {
    let error = Diagnostic::error(&fields::E0330, span, message);
    remedy.into_iter().fold(error, Diagnostic::note).into()
}

/// The number as `2^255 - 19`, if it is a little less than a power of two.
pub(crate) fn below_power(number: &BigUint) -> Option<String> {
    let difference = (BigUint::one() << number.bits()) - number;
    (difference.bits() <= 32).then(|| format!("2^{} - {difference}", number.bits()))
}

/// The value of a sum, product, power or number.
fn integer(expr: &Expr) -> Result<BigInt, Diagnostics> {
    let value = match &expr.kind {
        ExprKind::Literal { value, ty: None } => BigInt::from(value.clone()),
        ExprKind::Parenthesised(inner) => integer(inner)?,
        ExprKind::Negate(inner) => -integer(inner)?,
        ExprKind::Binary { operator: BinaryOperator::Xor, left, right } => {
            if let Some(error) = misread(left) {
                return Err(error.into());
            }
            let (base, exponent) = (integer(left)?, integer(right)?);
            if exponent.is_negative() {
                return Err(no_modulus(expr.span));
            }
            let exponent =
                exponent.to_u64().filter(|&e| base.bits() <= 1 || base.bits().saturating_mul(e) <= 2 * MOST_BITS);
            let Some(exponent) = exponent else { return Err(too_large(expr.span)) };
            match exponent {
                0 => BigInt::one(),
                // Powers of -1, 0 and 1 may have any exponent.
                _ if base.bits() <= 1 => base.pow((exponent % 2) as u32 + 2),
                _ => base.pow(exponent as u32),
            }
        }
        ExprKind::Binary { operator, left, right } => {
            let (left, right) = (integer(left)?, integer(right)?);
            match operator {
                BinaryOperator::Add => left + right,
                BinaryOperator::Subtract => left - right,
                BinaryOperator::Multiply => left * right,
                BinaryOperator::Divide if !right.is_zero() && (&left % &right).is_zero() => left / right,
                _ => return Err(no_modulus(expr.span)),
            }
        }
        ExprKind::Error => return Err(Diagnostics::new()),
        _ => return Err(no_modulus(expr.span)),
    };
    if value.bits() > 2 * MOST_BITS { Err(too_large(expr.span)) } else { Ok(value) }
}

fn no_modulus(span: Span) -> Diagnostics {
    Diagnostic::error(&fields::E0332, span, "this is no constant that a modulus could be made of")
        .note("a prime is computed from numbers by `+ - * / ^` and parentheses, where `^` is a power: `2^255 - 19`; it names no constants")
        .into()
}

fn too_large(span: Span) -> Diagnostics {
    Diagnostic::error(&fields::E0331, span, format!("a modulus has at most {MOST_BITS} bits")).into()
}

fn binary(modulus: &Expr) -> Result<FieldKind, Diagnostics> {
    let value = polynomial_of(modulus)?;
    let error = |code, message: &str| Err(Diagnostic::error(code, modulus.span, message.to_owned()).into());
    if value.bits() > MOST_BITS + 1 {
        return Err(degree_too_large(modulus.span));
    }
    if value.bits() < 3 {
        return error(&fields::E0331, "the polynomial of a field has degree 2 at least");
    }
    let divisor = if !value.bit(0) {
        ": x divides it"
    } else if value.count_ones() % 2 == 0 {
        ": x + 1 divides it"
    } else if !polynomial::is_irreducible(&value) {
        ""
    } else {
        return Ok(FieldKind::Binary(value));
    };
    let least = polynomial::least_irreducible(value.bits() - 1);
    let remedy = least.map(|least| format!("an irreducible one of this degree is {}", polynomial::text(&least)));
    Err(no_field(modulus.span, format!("this polynomial is not irreducible{divisor}"), remedy))
}

/// The value of a polynomial over GF(2), made of 1 and x by powers, sums and products.
fn polynomial_of(expr: &Expr) -> Result<BigUint, Diagnostics> {
    let value = match &expr.kind {
        ExprKind::Literal { value, ty: None } if value.is_one() || value.is_zero() => value.clone(),
        ExprKind::Variable(variable) if variable.name.name == "x" && variable.selectors.is_empty() => {
            BigUint::from(2u32)
        }
        ExprKind::Parenthesised(inner) => polynomial_of(inner)?,
        ExprKind::Binary { operator: BinaryOperator::Xor, left, right } => {
            if let Some(error) = misread(left) {
                return Err(error.into());
            }
            let base = polynomial_of(left)?;
            let exponent = integer(right)?.to_u64().filter(|&e| base.bits().saturating_mul(e) <= 4 * MOST_BITS);
            let Some(exponent) = exponent else { return Err(degree_too_large(expr.span)) };
            (0..exponent).fold(BigUint::one(), |power, _| polynomial::multiply(&power, &base))
        }
        ExprKind::Binary { operator: BinaryOperator::Add, left, right } => polynomial_of(left)? ^ polynomial_of(right)?,
        ExprKind::Binary { operator: BinaryOperator::Multiply, left, right } => {
            polynomial::multiply(&polynomial_of(left)?, &polynomial_of(right)?)
        }
        ExprKind::Error => return Err(Diagnostics::new()),
        _ => {
            let diagnostic = Diagnostic::error(&fields::E0332, expr.span, "this is no polynomial over GF(2)");
            let note =
                "a polynomial is computed from `x` and 1 by `+ * ^` and parentheses: `x^128 + x^7 + x^2 + x + 1`";
            return Err(diagnostic.note(note).into());
        }
    };
    if value.bits() > 4 * MOST_BITS { Err(degree_too_large(expr.span)) } else { Ok(value) }
}

fn degree_too_large(span: Span) -> Diagnostics {
    Diagnostic::error(&fields::E0331, span, format!("the polynomial of a field has degree {MOST_BITS} at most")).into()
}
