//! Expressions: from the syntax tree to operations on atoms.
//!
//! Operators work atom by atom on lists of equal atoms. There is one more form of lifting: if one operand is a single
//! atom and the other one several atoms of the same type, the single atom is repeated.

use culet_diag::codes::{targets, types};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, BinaryOperator, Integer};
use num_traits::ToPrimitive;

use crate::definitions::SourceType;
use crate::instances::{Binding, Unbound};
use crate::limits::EXPRESSION;
use crate::literals::{Open, OpenKind, Partial};
use crate::node::{NodeElaborator, Result, Stop};
use crate::powers::misread;
use crate::program::{self as p, Expr, ExprKind, Shape, Slicing};
use crate::shape;

/// Maximum length of a chain of operators. Longer chains are cut, so that later stages need not recurse deeply.
const CHAIN: usize = 32;
/// Maximum nesting of expressions, for the same reason.
const NEST: u32 = 16;

impl<'d> NodeElaborator<'_, 'd, '_> {
    pub(crate) fn expr(&mut self, mut expr: &'d ast::Expr) -> Result<Partial<'d>> {
        while let ast::ExprKind::Parenthesised(inner) = &expr.kind {
            expr = inner;
        }
        self.enter(expr.span)?;
        let outcome = self.expr_inside(expr);
        self.leave();
        let is_deep = self.depth() % NEST == NEST - 1;
        match outcome {
            Ok(Partial::Known(deep)) if is_deep => self.name_value(deep).map(Partial::Known),
            outcome => outcome,
        }
    }

    fn expr_inside(&mut self, expr: &'d ast::Expr) -> Result<Partial<'d>> {
        let span = expr.span;
        self.shared.spend(EXPRESSION, span)?;
        match &expr.kind {
            ast::ExprKind::Literal { value, ty: None } => self.open(OpenKind::Literal(value), span, []),
            ast::ExprKind::Literal { value, ty: Some(ty) } => {
                let wanted = self.annotation(ty)?;
                match self.zeros(value, &wanted, span)? {
                    Some(zeros) => Ok(Partial::Known(zeros)),
                    None => self.literal(value, &wanted, span).map(Partial::Known),
                }
            }
            ast::ExprKind::Variable(variable) => {
                if let Some(at) = self.secret_selector(variable) {
                    return self.lookup(variable, at).map(Partial::Known);
                }
                let (place, _) = self.place(variable)?;
                Ok(Partial::Known(self.read(place, span)))
            }
            ast::ExprKind::Tuple(elements) => self.tuple(elements, span),
            ast::ExprKind::Parenthesised(inner) => self.expr(inner),
            ast::ExprKind::Not(inner) => match self.expr(inner)? {
                Partial::Known(inner) => self.known_not(inner, span).map(Partial::Known),
                Partial::Open(open) => {
                    let height = open.height;
                    self.open(OpenKind::Not(Box::new(open)), span, [height])
                }
            },
            ast::ExprKind::Negate(inner) => match self.expr(inner)? {
                Partial::Known(inner) => self.known_negation(inner, span).map(Partial::Known),
                Partial::Open(open) => {
                    let height = open.height;
                    self.open(OpenKind::Negate(Box::new(open)), span, [height])
                }
            },
            ast::ExprKind::Decode { order, ty, operand } => self.decode(*order, ty, operand, span).map(Partial::Known),
            ast::ExprKind::Binary { .. } => self.chain(expr),
            ast::ExprKind::Shift { operator, operand, amount } => self.shift(*operator, operand, amount, span),
            ast::ExprKind::Call { name, index, arguments } => {
                self.call(name, index.as_deref(), arguments, span).map(Partial::Known)
            }
            ast::ExprKind::Shuffle { operand, pattern } => match self.expr(operand)? {
                Partial::Known(operand) => self.known_shuffle(operand, pattern, span).map(Partial::Known),
                Partial::Open(open) => {
                    let height = open.height;
                    self.open(OpenKind::Shuffle(Box::new(open), pattern), span, [height])
                }
            },
            ast::ExprKind::Bitmask { operand, bit } => {
                let bit = self.constant(bit, "the bit of a mask depends on it");
                let (operand, bit) = (self.expr(operand)?, bit?);
                match operand {
                    Partial::Known(operand) => self.known_bitmask(operand, bit, span).map(Partial::Known),
                    Partial::Open(open) => {
                        let height = open.height;
                        self.open(OpenKind::Bitmask(Box::new(open), bit), span, [height])
                    }
                }
            }
            ast::ExprKind::Comparison { comparison, left, right } => {
                self.comparison(*comparison, left, right, span).map(Partial::Known)
            }
            ast::ExprKind::Selected { operand, selectors } => {
                self.parts_of_value(operand, selectors, span).map(Partial::Known)
            }
            ast::ExprKind::Pack { high, low, ty } => self.pack(high, low, ty.as_ref(), span).map(Partial::Known),
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            ast::ExprKind::Error => Err(Stop::Failed),
        }
    }

    /// The atoms of a type written in an expression.
    fn annotation(&mut self, ty: &ast::Type) -> Result<Shape> {
        let binding = self.binding.clone();
        self.type_of(ty, &binding)
    }

    /// The atoms of a type written in an expression, with this direction if the type leaves it open.
    pub(crate) fn type_in_direction(&mut self, ty: &ast::Type, direction: Slicing) -> Result<Shape> {
        let binding = Binding { direction: Some(direction), ..self.binding.clone() };
        self.type_of(ty, &binding)
    }

    fn type_of(&mut self, ty: &ast::Type, binding: &Binding) -> Result<Shape> {
        if ty.is_stream {
            let message = "a value has no `[*]`: only parameters and results are streams";
            return self.fail(Diagnostic::error(&culet_diag::codes::fields::E0340, ty.span, message));
        }
        let ty_or_wrong = match self.shared.definitions.annotation(ty) {
            Ok(ty) => ty,
            Err(found) => {
                found.into_iter().for_each(|diagnostic| self.shared.report(diagnostic));
                SourceType::Wrong
            }
        };
        match ty_or_wrong {
            SourceType::Words(words) => match binding.ty(&words) {
                Ok(ty) => Ok(Shape::of(ty.atom, ty.atoms())),
                Err(Unbound::Direction) => self.fail(
                    Diagnostic::error(&types::E0304, ty.span, "the direction of this type is not known")
                        .note("compile with `--slice v`, `--slice h` or `--slice b`"),
                ),
                Err(Unbound::Word(_)) => {
                    let message = "the word size of this type is not known here";
                    self.fail(Diagnostic::error(&types::E0305, ty.span, message))
                }
            },
            SourceType::Nat => self.fail(Diagnostic::error(&types::E0320, ty.span, "a word is wanted here, not a nat")),
            SourceType::Wrong => Err(Stop::Failed),
        }
    }

    fn tuple(&mut self, elements: &'d [ast::Expr], span: Span) -> Result<Partial<'d>> {
        let parts = self.all(elements)?;
        self.tuple_of(parts, span)
    }

    pub(crate) fn tuple_of(&mut self, parts: Vec<Partial<'d>>, span: Span) -> Result<Partial<'d>> {
        if parts.iter().all(|part| part.known().is_some()) {
            let known = parts.into_iter().filter_map(|part| match part {
                Partial::Known(expr) => Some(expr),
                Partial::Open(_) => None,
            });
            let known = known.collect();
            return Ok(Partial::Known(self.concat(known, span)));
        }
        let heights: Vec<u32> = parts
            .iter()
            .map(|part| match part {
                Partial::Known(_) => 0,
                Partial::Open(open) => open.height,
            })
            .collect();
        self.open(OpenKind::Tuple(parts), span, heights)
    }

    /// Elaborates every expression, so that all errors are found.
    pub(crate) fn all(&mut self, exprs: impl IntoIterator<Item = &'d ast::Expr>) -> Result<Vec<Partial<'d>>> {
        let mut parts = Vec::new();
        let mut failed = false;
        for expr in exprs {
            match self.expr(expr) {
                Ok(part) => parts.push(part),
                Err(Stop::Failed) => failed = true,
                Err(unroll) => return Err(unroll),
            }
        }
        if failed { Err(Stop::Failed) } else { Ok(parts) }
    }

    // ---- Operators ----

    /// Elaborates operators that associate to the left, without recursion along the chain.
    fn chain(&mut self, expr: &'d ast::Expr) -> Result<Partial<'d>> {
        let mut links = Vec::new();
        let mut leftmost = expr;
        while let ast::ExprKind::Binary { operator, left, right } = &leftmost.kind {
            links.push((*operator, &**left, &**right, leftmost.span));
            leftmost = left;
        }
        let mut value = self.expr(leftmost);
        let count = links.len();
        for (length, (operator, left, right, span)) in links.into_iter().rev().enumerate() {
            if let Err(Stop::Unroll(_)) = value {
                return value;
            }
            self.shared.spend(EXPRESSION, span)?;
            let right = self.expr(right);
            if let (BinaryOperator::Xor, Ok(Partial::Known(base))) = (operator, &value)
                && shape::has_elements(&base.shape)
                && let Some(error) = misread(left)
            {
                return self.fail(error);
            }
            value = match (value, right) {
                (_, Err(unroll @ Stop::Unroll(_))) => return Err(unroll),
                (Ok(left), Ok(right)) => self.binary(operator, left, right, span),
                _ => Err(Stop::Failed),
            };
            value = match value {
                Ok(Partial::Known(long)) if length % CHAIN == CHAIN - 1 && length + 1 < count => {
                    self.name_value(long).map(Partial::Known)
                }
                value => value,
            };
        }
        value
    }

    pub(crate) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Partial<'d>,
        right: Partial<'d>,
        span: Span,
    ) -> Result<Partial<'d>> {
        match (left, right) {
            (Partial::Known(left), Partial::Known(right)) => {
                self.known_binary(operator, left, right, span).map(Partial::Known)
            }
            (Partial::Known(left), Partial::Open(right))
                if operator == BinaryOperator::Xor && shape::has_elements(&left.shape) =>
            {
                self.power(left, &right, span).map(Partial::Known)
            }
            (Partial::Known(left), Partial::Open(right)) => {
                let right = self.resolve_beside(right, &left.shape)?;
                self.known_binary(operator, left, right, span).map(Partial::Known)
            }
            (Partial::Open(left), Partial::Known(right)) => {
                let left = self.resolve_beside(left, &right.shape)?;
                self.known_binary(operator, left, right, span).map(Partial::Known)
            }
            (Partial::Open(left), Partial::Open(right)) => {
                let heights = [left.height, right.height];
                self.open(OpenKind::Binary(operator, Box::new(left), Box::new(right)), span, heights)
            }
        }
    }

    /// Gives an open operand the atoms of the other one. A tuple of several atoms may stand beside a single atom; one
    /// element, or one word of several bits, may stand beside several, and is then repeated.
    pub(crate) fn resolve_beside(&mut self, open: Open<'d>, other: &Shape) -> Result<Expr> {
        let count = open.least_count();
        match other.0.as_slice() {
            [(atom, 1)] if count > 1 => self.resolve_open(open, &Shape::of(*atom, count)),
            [(atom, _)] if count == 1 && (atom.field().is_some() || atom.bits > 1) => {
                self.resolve_open(open, &Shape::of(*atom, 1))
            }
            _ => self.resolve_open(open, other),
        }
    }

    pub(crate) fn known_binary(
        &mut self,
        operator: BinaryOperator,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Result<Expr> {
        if operator == BinaryOperator::Xor {
            self.check_element_operator(operator, &left.shape, span)?;
        }
        let (left, right) = self.repeat_single(left, right)?;
        if let Some(diagnostic) = self.mismatch(&right.shape, &left.shape, right.span) {
            return self.fail(diagnostic.related(left.span, "the operand on the left decides what is wanted"));
        }
        let of_elements = self.check_element_operator(operator, &left.shape, span)?;
        let operator = match operator {
            BinaryOperator::And => p::BinaryOperator::And,
            BinaryOperator::Or => p::BinaryOperator::Or,
            BinaryOperator::Xor => p::BinaryOperator::Xor,
            BinaryOperator::Add => p::BinaryOperator::Add,
            BinaryOperator::Subtract => p::BinaryOperator::Subtract,
            BinaryOperator::Multiply => p::BinaryOperator::Multiply,
            BinaryOperator::Divide if of_elements => p::BinaryOperator::Divide,
            BinaryOperator::Divide | BinaryOperator::Remainder => return self.divide(operator, left, right, span),
        };
        if matches!(operator, p::BinaryOperator::Add | p::BinaryOperator::Subtract | p::BinaryOperator::Multiply) {
            self.check_arithmetic(&left.shape, span)?;
        }
        let shape = left.shape.clone();
        Ok(Expr { kind: ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, shape, span })
    }

    /// Repeats a single atom if the other operand has several of its type.
    pub(crate) fn repeat_single(&mut self, left: Expr, right: Expr) -> Result<(Expr, Expr)> {
        let (l, r) = (left.shape.count(), right.shape.count());
        if l == r || (l != 1 && r != 1) || shape::uniform(&left.shape) != shape::uniform(&right.shape) {
            return Ok((left, right));
        }
        if l == 1 { Ok((self.repeat(left, r)?, right)) } else { Ok((left, self.repeat(right, l)?)) }
    }

    fn repeat(&mut self, single: Expr, times: u32) -> Result<Expr> {
        self.shared.spend(u64::from(times), single.span)?;
        let shape = shape::repeated(&single.shape, times);
        let span = single.span;
        let kind = match single.kind {
            ExprKind::Constant(values) => ExprKind::Constant(values.repeat(times as usize)),
            ExprKind::Elements(values) => ExprKind::Elements(vec![values; times as usize].concat()),
            kind => {
                ExprKind::Select { operand: Box::new(Expr { kind, ..single }), pattern: vec![Some(0); times as usize] }
            }
        };
        Ok(Expr { kind, shape, span })
    }

    pub(crate) fn check_arithmetic(&mut self, shape: &Shape, span: Span) -> Result<()> {
        for (atom, _) in shape.0.iter().filter(|(atom, _)| atom.field().is_none()) {
            if !matches!(atom.bits, 8 | 16 | 32 | 64) {
                let message = format!("there is no arithmetic on words of {}", shape::bits(atom.bits));
                let note = shape::instead_of_arithmetic(atom.bits);
                return self.fail(Diagnostic::error(&types::E0314, span, message).note(note));
            }
            if atom.slicing == Slicing::Horizontal {
                let message = "horizontal words have no arithmetic: a carry cannot run along a register's elements";
                return self.fail(
                    Diagnostic::error(&targets::E0701, span, message).note("compile with `--slice v` or `--slice b`"),
                );
            }
        }
        Ok(())
    }

    /// Division and remainder by a literal power of two.
    fn divide(&mut self, operator: BinaryOperator, left: Expr, right: Expr, span: Span) -> Result<Expr> {
        for (atom, _) in &left.shape.0 {
            if !matches!(atom.bits, 8 | 16 | 32 | 64) {
                let message = format!("there is no division of words of {}", shape::bits(atom.bits));
                return self.fail(Diagnostic::error(&types::E0314, span, message));
            }
        }
        let divisors = match &right.kind {
            ExprKind::Constant(values) if values.iter().all(|v| v.is_power_of_two()) => values.clone(),
            ExprKind::Constant(values) if values.contains(&0) => {
                return self.fail(Diagnostic::error(&types::E0315, right.span, "this divides by zero"));
            }
            _ => {
                let message = "words are divided by literal powers of two only: others take a varying time";
                let error = Diagnostic::error(&types::E0315, right.span, message);
                let is_modulus = operator == BinaryOperator::Remainder && matches!(right.kind, ExprKind::Constant(_));
                return self.fail(if is_modulus {
                    error.note(
                        "`x & 7` is x % 8; modulo a prime is computed in its field: `field q = GF(3329)`, and `bytes(q(le<u8>(x)))` is x % 3329",
                    )
                } else {
                    error
                });
            }
        };
        let shape = left.shape.clone();
        if operator == BinaryOperator::Remainder {
            let masks = divisors.iter().map(|d| d - 1).collect();
            let mask = Expr { kind: ExprKind::Constant(masks), shape: right.shape, span: right.span };
            let operator = p::BinaryOperator::And;
            let kind = ExprKind::Binary { operator, left: Box::new(left), right: Box::new(mask) };
            return Ok(Expr { kind, shape, span });
        }
        let amount = divisors.first().map_or(0, |d| d.trailing_zeros());
        if divisors.iter().any(|d| d.trailing_zeros() != amount) {
            let message = "all atoms are divided by the same number";
            return self.fail(Diagnostic::error(&types::E0315, right.span, message));
        }
        let operator = p::ShiftOperator::Right;
        Ok(Expr { kind: ExprKind::Shift { operator, operand: Box::new(left), amount }, shape, span })
    }

    // ---- Bits of atoms ----

    /// Permutes the bits of every atom by `pattern`, or groups of bits if the pattern is shorter than the atom.
    pub(crate) fn known_shuffle(&mut self, operand: Expr, pattern: &[Integer], span: Span) -> Result<Expr> {
        self.no_elements(&operand.shape, "`Shuffle` moves the bits of words", span)?;
        let length = pattern.len() as u64;
        let Some(atom) = shape::uniform(&operand.shape) else {
            let message = "all atoms of a shuffle have one type";
            return self.fail(Diagnostic::error(&types::E0302, operand.span, message));
        };
        if length == 0 || !u64::from(atom.bits).is_multiple_of(length) {
            let message = format!(
                "a pattern for {} has {} positions or a divisor of that many, not {length}",
                shape::bits(atom.bits),
                atom.bits
            );
            return self.fail(Diagnostic::error(&types::E0318, span, message));
        }
        let group = atom.bits / length as u32;
        let mut bits = Vec::with_capacity(atom.bits as usize);
        for position in pattern {
            let Some(from) = position.value.to_u32().filter(|&from| u64::from(from) < length) else {
                let message = format!("position {} is not among 0 to {}", position.value, length - 1);
                return self.fail(Diagnostic::error(&types::E0318, position.span, message));
            };
            bits.extend((0..group).map(|k| Some(from * group + k)));
        }
        let shape = operand.shape.clone();
        Ok(Expr { kind: ExprKind::Shuffle { operand: Box::new(operand), pattern: bits }, shape, span })
    }

    pub(crate) fn known_bitmask(&mut self, operand: Expr, bit: i64, span: Span) -> Result<Expr> {
        self.no_elements(&operand.shape, "`Bitmask` copies a bit of a word", span)?;
        let least = operand.shape.0.iter().map(|(atom, _)| atom.bits).min().unwrap_or(0);
        let Some(bit) = u32::try_from(bit).ok().filter(|&bit| bit < least) else {
            let message = format!("there is no bit {bit} in a word of {}", shape::bits(least));
            return self.fail(Diagnostic::error(&types::E0319, span, message));
        };
        let shape = operand.shape.clone();
        Ok(Expr { kind: ExprKind::Bitmask { operand: Box::new(operand), bit }, shape, span })
    }

    fn pack(&mut self, high: &'d ast::Expr, low: &'d ast::Expr, ty: Option<&ast::Type>, span: Span) -> Result<Expr> {
        let high = self.expr(high);
        if let Err(unroll @ Stop::Unroll(_)) = high {
            return Err(unroll);
        }
        let low = self.expr(low)?;
        let (Partial::Known(high), Partial::Known(low)) = (high?, low) else {
            let message = "the operands of Pack need definite sizes";
            return self.fail(
                Diagnostic::error(&types::E0313, span, message).note("write `3 : u16` for a literal of 16 bits"),
            );
        };
        self.no_elements(&high.shape, "`Pack` puts the bits of words side by side", span)?;
        self.no_elements(&low.shape, "`Pack` puts the bits of words side by side", span)?;
        if high.shape.count() != low.shape.count() {
            let message = format!(
                "Pack works atom by atom, but {} stand beside {}",
                shape::atoms(high.shape.count()),
                shape::atoms(low.shape.count())
            );
            return self.fail(Diagnostic::error(&types::E0319, span, message));
        }
        let mut packed = Shape::default();
        for (h, l) in high.shape.atoms().zip(low.shape.atoms()) {
            if h.slicing != l.slicing {
                let message = "Pack cannot mix directions";
                return self.fail(Diagnostic::error(&types::E0303, span, message));
            }
            let bits = h.bits + l.bits;
            if bits > 64 {
                let message = format!("the packed word would have {bits} bits, and words have at most 64");
                return self.fail(Diagnostic::error(&types::E0319, span, message));
            }
            packed.push(p::Atom { slicing: h.slicing, bits }, 1);
        }
        if let Some(ty) = ty {
            let wanted = self.annotation(ty)?;
            if wanted != packed {
                let message =
                    format!("these words pack to {}, not to {}", self.describe(&packed), self.describe(&wanted));
                return self.fail(Diagnostic::error(&types::E0319, ty.span, message));
            }
        }
        Ok(Expr { kind: ExprKind::Pack { high: Box::new(high), low: Box::new(low) }, shape: packed, span })
    }

    // ---- Conditionals ----

    fn conditional(
        &mut self,
        condition: &'d ast::Expr,
        then: &'d ast::Expr,
        otherwise: &'d ast::Expr,
        span: Span,
    ) -> Result<Partial<'d>> {
        let condition = self.expr(condition);
        let then = self.expr(then);
        let otherwise = self.expr(otherwise);
        let mut failed = None;
        for stop in [condition.as_ref().err(), then.as_ref().err(), otherwise.as_ref().err()].into_iter().flatten() {
            if matches!(stop, Stop::Unroll(_)) {
                failed = Some(stop);
                break;
            }
        }
        if failed.is_some() {
            // The first of them that asks for unrolling decides.
            for outcome in [condition, then, otherwise] {
                if let Err(unroll @ Stop::Unroll(_)) = outcome {
                    return Err(unroll);
                }
            }
            return Err(Stop::Failed);
        }
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let Partial::Known(condition) = condition else {
            let message = "the condition needs a definite type";
            return self
                .fail(Diagnostic::error(&types::E0322, span, message).note("`1 : b1` is a literal that is one bit"));
        };
        match (then, otherwise) {
            (Partial::Open(then), Partial::Open(otherwise)) => {
                let heights = [then.height, otherwise.height];
                let kind = OpenKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
                self.open(kind, span, heights)
            }
            (Partial::Known(then), otherwise) => {
                let shape = then.shape.clone();
                let otherwise = self.resolve(otherwise, &shape)?;
                self.known_conditional(condition, then, otherwise, span).map(Partial::Known)
            }
            (then, Partial::Known(otherwise)) => {
                let shape = otherwise.shape.clone();
                let then = self.resolve(then, &shape)?;
                self.known_conditional(condition, then, otherwise, span).map(Partial::Known)
            }
        }
    }

    pub(crate) fn known_conditional(
        &mut self,
        condition: Expr,
        then: Expr,
        otherwise: Expr,
        span: Span,
    ) -> Result<Expr> {
        let [(atom, 1)] = condition.shape.0.as_slice() else {
            return self.not_a_condition(&condition);
        };
        if atom.bits != 1 || atom.field().is_some() {
            return self.not_a_condition(&condition);
        }
        if let Some((other, _)) = then.shape.0.iter().find(|(a, _)| a.slicing != atom.slicing && a.field().is_none()) {
            let message = format!(
                "the condition is {}, and what it selects is {}",
                shape::direction(atom.slicing),
                shape::direction(other.slicing)
            );
            return self.fail(Diagnostic::error(&types::E0303, condition.span, message));
        }
        let shape = then.shape.clone();
        let kind = ExprKind::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Ok(Expr { kind, shape, span })
    }

    fn not_a_condition<T>(&mut self, condition: &Expr) -> Result<T> {
        let found = self.describe(&condition.shape);
        let message = format!("a condition is 1 atom of 1 bit, and this is {found}");
        let note = "`a == b` and `a < b` are bits; `(x & 1) == 1` is the lowest one of a word";
        self.fail(Diagnostic::error(&types::E0322, condition.span, message).note(note))
    }
}
