//! Expressions over elements of fields, and errors for operations that elements do not have.

use culet_diag::codes::{fields as codes, types};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::BinaryOperator;
use num_bigint::BigUint;
use num_traits::Zero;

use crate::definitions::WordBits;
use crate::field::FieldKind;
use crate::node::{NodeElaborator, Result};
use crate::program::{self as p, Atom, Expr, ExprKind, FieldId, Shape};
use crate::shape;

impl NodeElaborator<'_, '_, '_> {
    pub(crate) fn mismatch(&self, found: &Shape, wanted: &Shape, span: Span) -> Option<Diagnostic> {
        shape::mismatch(&self.shared.definitions.fields, found, wanted, span)
    }

    pub(crate) fn describe(&self, shape: &Shape) -> String {
        shape::describe(&self.shared.definitions.fields, shape)
    }

    /// A literal as an element. It must be less than the order of the field.
    pub(crate) fn element_literal(
        &mut self,
        value: &BigUint,
        field: FieldId,
        wanted: &Shape,
        span: Span,
    ) -> Result<Expr> {
        let Some(field) = self.shared.definitions.fields.get(field.0 as usize) else {
            return Err(crate::node::Stop::Failed);
        };
        let name = &field.name;
        let wrong = match &field.kind {
            FieldKind::Prime(modulus) if value >= modulus => {
                Some(format!("`{name}` has the elements 0 to p - 1, and this literal is not less than p"))
            }
            kind @ FieldKind::Binary(_) if value.bits() > kind.bits() => Some(format!(
                "the elements of `{name}` have {} bits, and this literal has {}",
                kind.bits(),
                value.bits()
            )),
            _ => None,
        };
        if let Some(message) = wrong {
            return self.fail(Diagnostic::error(&types::E0312, span, message));
        }
        Ok(Expr { kind: ExprKind::Elements(vec![value.clone()]), shape: wanted.clone(), span })
    }

    pub(crate) fn known_not(&mut self, inner: Expr, span: Span) -> Result<Expr> {
        self.no_elements(&inner.shape, "`~` turns the bits of words", span)?;
        let shape = inner.shape.clone();
        Ok(Expr { kind: ExprKind::Not(Box::new(inner)), shape, span })
    }

    /// `-x`; for words this is `0 - x`.
    pub(crate) fn known_negation(&mut self, inner: Expr, span: Span) -> Result<Expr> {
        let shape = inner.shape.clone();
        if let ExprKind::Elements(values) = &inner.kind {
            let values = values.iter().zip(shape.atoms()).map(|(value, atom)| self.negated(value, atom)).collect();
            return Ok(Expr { kind: ExprKind::Elements(values), shape, span });
        }
        if shape.0.iter().all(|(atom, _)| atom.field().is_some()) {
            return Ok(Expr { kind: ExprKind::Negate(Box::new(inner)), shape, span });
        }
        if shape::has_elements(&shape) {
            let message = "words and elements of fields are negated separately";
            return self.fail(Diagnostic::error(&codes::E0334, span, message));
        }
        self.check_arithmetic(&shape, span)?;
        self.shared.spend(u64::from(shape.count()), span)?;
        let zero = Expr { kind: ExprKind::Constant(vec![0; shape.count() as usize]), shape: shape.clone(), span };
        let operator = p::BinaryOperator::Subtract;
        Ok(Expr { kind: ExprKind::Binary { operator, left: Box::new(zero), right: Box::new(inner) }, shape, span })
    }

    fn negated(&self, value: &BigUint, atom: Atom) -> BigUint {
        let field = atom.field().and_then(|id| self.shared.definitions.fields.get(id.0 as usize));
        match field.map(|field| &field.kind) {
            Some(FieldKind::Prime(modulus)) if !value.is_zero() => modulus - value,
            _ => value.clone(),
        }
    }

    /// Checks that these are elements of fields that have the operator.
    pub(crate) fn check_element_operator(
        &mut self,
        operator: BinaryOperator,
        shape: &Shape,
        span: Span,
    ) -> Result<bool> {
        use BinaryOperator::{Add, And, Divide, Multiply, Or, Remainder, Subtract, Xor};
        if !shape::has_elements(shape) {
            return Ok(false);
        }
        let text = operator.text();
        match operator {
            Xor => {
                let message = "the exponent of a power is a number, and this is a value";
                let note = "powers of elements are `x ^ 5` or `x ^ (2^255 - 21)`; `^` combines the bits of words, and \
elements of a binary field by `+`";
                return self.fail(Diagnostic::error(&codes::E0334, span, message).note(note));
            }
            And | Or => self.no_elements(shape, &format!("`{text}` combines the bits of words"), span)?,
            Remainder => self.no_elements(shape, "`%` is the remainder of words", span)?,
            Divide if shape.0.iter().any(|(atom, _)| atom.field().is_none()) => {
                let message = "words and elements of fields are divided separately";
                return self.fail(Diagnostic::error(&codes::E0334, span, message));
            }
            Add | Subtract | Multiply | Divide => {}
        }
        Ok(true)
    }

    /// Fails if there are elements among these atoms. `what` names the property that only words have.
    pub(crate) fn no_elements(&mut self, shape: &Shape, what: &str, span: Span) -> Result<()> {
        let Some((_, field)) = shape.0.iter().find_map(|&(atom, n)| atom.field().map(|field| (n, field))) else {
            return Ok(());
        };
        let name = shape::field_name(&self.shared.definitions.fields, field).to_owned();
        let message = format!("{what}, and this is an element of `{name}`");
        let note =
            "elements of fields are added, subtracted, multiplied and divided; `bytes(x)` and `bits(x)` are words";
        self.fail(Diagnostic::error(&codes::E0334, span, message).note(note))
    }

    /// The type that a parameter takes, if it or the atom is an element of a field and they do not agree.
    pub(crate) fn wrong_element(&self, wanted: WordBits, found: Atom) -> Option<String> {
        let fields = &self.shared.definitions.fields;
        match (wanted, found.field()) {
            (WordBits::Field(wanted, _), Some(found)) if wanted == found => None,
            (WordBits::Field(wanted, _), _) => Some(format!("elements of `{}`", shape::field_name(fields, wanted))),
            (WordBits::Known(_) | WordBits::Parameter(_), Some(_)) => Some("words".to_owned()),
            (WordBits::Known(_) | WordBits::Parameter(_), None) => None,
        }
    }
}
