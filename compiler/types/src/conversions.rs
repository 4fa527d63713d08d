//! Conversions: bytes as values and values as bytes.
//!
//! All of them are `le<T>(x)` or `be<T>(x)`: the bits of `x` form a string, which is cut into values of the type T.
//! Words contribute their bits in order; an element of a field contributes its canonical form in whole bytes. `F(x)`
//! takes all bits of `x` as one number for an element of `F`, and `bits(x)` leaves out the bits that are zero in all
//! elements.

use culet_diag::codes::{fields as codes, types};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast;

use crate::limits::CONVERTED_BITS;
use crate::literals::Partial;
use crate::node::{NodeElaborator, Result, Stop};
use crate::program::{Atom, Endian, Expr, ExprKind, FieldId, Shape, Slicing};
use crate::shape;

/// Functions of every program, unless it defines others with their names.
pub(crate) const BUILTIN: [&str; 6] = ["bytes", "bits", "declassify", "le", "be", "length"];

const BYTE: u32 = 8;

impl<'d> NodeElaborator<'_, 'd, '_> {
    /// `le<T>(x)`, `be<T>(x)`
    pub(crate) fn decode(
        &mut self,
        order: ast::Endian,
        ty: &ast::Type,
        operand: &'d ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let operand = self.converted(std::slice::from_ref(operand), span)?;
        let direction = self.words_direction(&operand);
        let wanted = self.type_in_direction(ty, direction)?;
        let order = match order {
            ast::Endian::Little => Endian::Little,
            ast::Endian::Big => Endian::Big,
        };
        self.convert(order, operand, &wanted, span)
    }

    /// `bytes(x)`, `bits(x)`, `le(x)`, `be(x)` or `F(x)`; `None` if the name is none of these.
    pub(crate) fn builtin(&mut self, name: &str, arguments: &'d [ast::Expr], span: Span) -> Result<Option<Expr>> {
        let field = self.shared.definitions.field_named(name);
        if field.is_none() && !BUILTIN.contains(&name) {
            return Ok(None);
        }
        let operand = self.converted(arguments, span)?;
        if let Some(field) = field {
            return self.element_of(field, operand, span).map(Some);
        }
        let slicing = self.words_direction(&operand);
        let words = |bits| Shape::of(Atom { slicing, bits }, 1);
        match name {
            "be" => self.convert(Endian::Big, operand, &words(BYTE), span),
            "bits" => self.bits_of(operand, &words(1), span),
            _ => self.convert(Endian::Little, operand, &words(BYTE), span),
        }
        .map(Some)
    }

    /// The value to convert: all arguments, one after the other.
    fn converted(&mut self, arguments: &'d [ast::Expr], span: Span) -> Result<Expr> {
        let parts = self.all(arguments)?;
        let mut known = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Partial::Known(expr) => known.push(expr),
                Partial::Open(open) => {
                    let message = "what is converted needs a definite size";
                    let note = "`3 : u8` is a literal of 8 bits; elements of a field `fe` are written `3 : fe`";
                    return self.fail(Diagnostic::error(&types::E0313, open.span, message).note(note));
                }
            }
        }
        let operand = self.concat(known, span);
        let mut slicings =
            operand.shape.0.iter().filter(|(atom, _)| atom.field().is_none()).map(|(atom, _)| atom.slicing);
        let first = slicings.next();
        if slicings.any(|slicing| Some(slicing) != first) {
            let message = "words of different directions cannot be converted together";
            return self.fail(Diagnostic::error(&types::E0303, operand.span, message));
        }
        if first.is_some() && shape::has_elements(&operand.shape) {
            let message = "words and elements of fields are converted separately";
            return self.fail(Diagnostic::error(&codes::E0336, operand.span, message));
        }
        if operand.shape.count() == 0 {
            return self.fail(Diagnostic::error(&codes::E0336, span, "there is nothing here to convert"));
        }
        Ok(operand)
    }

    /// The direction of the words that result from these words or elements.
    fn words_direction(&self, operand: &Expr) -> Slicing {
        match operand.shape.0.first() {
            Some(&(Atom { slicing, .. }, _)) if !shape::has_elements(&operand.shape) => slicing,
            _ => self.binding.direction.unwrap_or(Slicing::Vertical),
        }
    }

    /// Converts bits to as many values of the type as they fill.
    fn convert(&mut self, order: Endian, operand: Expr, wanted: &Shape, span: Span) -> Result<Expr> {
        let Some(target) = shape::uniform(wanted) else { return Err(Stop::Failed) };
        let operand = if shape::has_elements(&operand.shape) {
            let slicing = if target.field().is_none() { target.slicing } else { self.words_direction(&operand) };
            self.encode(order, operand, slicing)?
        } else {
            operand
        };
        if target.field().is_none() && operand.shape.0.iter().any(|(atom, _)| atom.slicing != target.slicing) {
            let message = "a conversion does not change the direction of words";
            return self.fail(Diagnostic::error(&types::E0303, span, message));
        }
        let bits = bits(&operand.shape);
        let each = u64::from(string_bits(target));
        let value = each * u64::from(wanted.count());
        if !bits.is_multiple_of(value) {
            let (what, found) = (self.describe(wanted), self.describe(&operand.shape));
            let message = format!("{what} take {value} bits each, and {found} are {bits} bits");
            return self.fail(Diagnostic::error(&codes::E0336, span, message));
        }
        self.shared.spend(bits, span)?;
        let count = u32::try_from(bits / each).unwrap_or(u32::MAX);
        let shape = Shape::of(target, count);
        if target.field().is_none() {
            if operand.shape == shape {
                return Ok(operand);
            }
            let operand = Box::new(operand);
            return Ok(Expr { kind: ExprKind::Regroup { order, operand }, shape, span });
        }
        let operand = match order {
            Endian::Little => operand,
            Endian::Big => self.reversed_bytes(operand, target.bits.div_ceil(BYTE), span)?,
        };
        Ok(Expr { kind: ExprKind::Decode(Box::new(operand)), shape, span })
    }

    /// Converts elements to bytes.
    pub(crate) fn encode(&mut self, order: Endian, operand: Expr, slicing: Slicing) -> Result<Expr> {
        let span = operand.span;
        let mut parts = Vec::new();
        for &(atom, count) in &operand.shape.0 {
            parts.push((atom.bits.div_ceil(BYTE), count));
        }
        let total: u32 = parts.iter().map(|&(bytes, count)| bytes.saturating_mul(count)).sum();
        self.shared.spend(u64::from(total), span)?;
        let shape = Shape::of(Atom { slicing, bits: BYTE }, total);
        let encoded = Expr { kind: ExprKind::Encode(Box::new(operand)), shape: shape.clone(), span };
        if order == Endian::Little {
            return Ok(encoded);
        }
        let mut pattern = Vec::with_capacity(total as usize);
        let mut first = 0;
        for (bytes, count) in parts {
            for _ in 0..count {
                pattern.extend((first..first + bytes).rev().map(Some));
                first += bytes;
            }
        }
        Ok(Expr { kind: ExprKind::Select { operand: Box::new(encoded), pattern }, shape, span })
    }

    /// Converts words to bytes, with the bytes of each group of `length` reversed.
    fn reversed_bytes(&mut self, operand: Expr, length: u32, span: Span) -> Result<Expr> {
        let slicing = self.words_direction(&operand);
        let bytes = self.convert(Endian::Big, operand, &Shape::of(Atom { slicing, bits: BYTE }, 1), span)?;
        let shape = bytes.shape.clone();
        let pattern = (0..shape.count()).map(|k| Some(k / length * length + (length - 1 - k % length))).collect();
        Ok(Expr { kind: ExprKind::Select { operand: Box::new(bytes), pattern }, shape, span })
    }

    /// Converts to one-bit words: all bits of words, or the bits that elements can have.
    pub(crate) fn bits_of(&mut self, operand: Expr, bit: &Shape, span: Span) -> Result<Expr> {
        let elements: Vec<Atom> = operand.shape.atoms().filter(|atom| atom.field().is_some()).collect();
        let all = self.convert(Endian::Little, operand, bit, span)?;
        let mut pattern = Vec::new();
        let mut first = 0;
        for atom in elements {
            pattern.extend((first..first + atom.bits).map(Some));
            first += string_bits(atom);
        }
        let Some(atom) = shape::uniform(bit).filter(|_| !pattern.is_empty() && pattern.len() < first as usize) else {
            return Ok(all);
        };
        let shape = Shape::of(atom, pattern.len() as u32);
        Ok(Expr { kind: ExprKind::Select { operand: Box::new(all), pattern }, shape, span })
    }

    /// `F(x)`
    fn element_of(&mut self, field: FieldId, operand: Expr, span: Span) -> Result<Expr> {
        let Some(kind) = self.shared.definitions.fields.get(field.0 as usize).map(|field| &field.kind) else {
            return Err(Stop::Failed);
        };
        let atom = Atom { slicing: Slicing::Limbs(field), bits: kind.bits() as u32 };
        let operand = if shape::has_elements(&operand.shape) {
            let slicing = self.words_direction(&operand);
            self.encode(Endian::Little, operand, slicing)?
        } else {
            operand
        };
        let bits = bits(&operand.shape);
        if bits > CONVERTED_BITS {
            let message = format!("these are {bits} bits, and at most {CONVERTED_BITS} become one element");
            return self.fail(Diagnostic::error(&codes::E0336, span, message));
        }
        self.shared.spend(bits, span)?;
        Ok(Expr { kind: ExprKind::Decode(Box::new(operand)), shape: Shape::of(atom, 1), span })
    }
}

fn bits(shape: &Shape) -> u64 {
    shape.0.iter().map(|&(atom, count)| u64::from(string_bits(atom)) * u64::from(count)).sum()
}

/// The number of bits of an atom in a string of bytes.
fn string_bits(atom: Atom) -> u32 {
    if atom.field().is_some() { atom.bits.div_ceil(BYTE) * BYTE } else { atom.bits }
}
