//! Elements at secret positions: `t[i]` where `i` is a word, or is computed from words.

use culet_diag::Diagnostic;
use culet_diag::codes::fields as codes;
use culet_syntax::ast::{self, SelectorKind};
use num_bigint::BigUint;

use crate::literals::Partial;
use crate::node::{Meaning, NodeElaborator, Result, Stop};
use crate::program::{Expr, ExprKind, Shape};
use crate::shape;

impl<'d> NodeElaborator<'_, 'd, '_> {
    /// The index of the first selector of a variable that is an index that is a word.
    pub(crate) fn secret_selector(&self, variable: &ast::Variable) -> Option<usize> {
        variable.selectors.iter().position(|selector| match &selector.kind {
            SelectorKind::Index(index) => self.is_word(index),
            SelectorKind::Range(..) | SelectorKind::Slice(_) => false,
        })
    }

    /// Whether an expression is computed from words, so that it is no static expression.
    fn is_word(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Variable(v) => matches!(self.meaning(&v.name.name), Some(Meaning::Words(_))),
            ast::ExprKind::Parenthesised(inner) | ast::ExprKind::Not(inner) | ast::ExprKind::Negate(inner) => {
                self.is_word(inner)
            }
            ast::ExprKind::Binary { left, right, .. } => self.is_word(left) || self.is_word(right),
            ast::ExprKind::Shift { operand, .. } => self.is_word(operand),
            ast::ExprKind::Call { .. }
            | ast::ExprKind::Decode { .. }
            | ast::ExprKind::Comparison { .. }
            | ast::ExprKind::Selected { .. }
            | ast::ExprKind::Shuffle { .. }
            | ast::ExprKind::Bitmask { .. }
            | ast::ExprKind::Pack { .. }
            | ast::ExprKind::Conditional { .. } => true,
            ast::ExprKind::Literal { .. } | ast::ExprKind::Tuple(_) | ast::ExprKind::Error => false,
        }
    }

    /// The element at the secret position that selector `at` gives.
    pub(crate) fn lookup(&mut self, variable: &'d ast::Variable, at: usize) -> Result<Expr> {
        let selector = &variable.selectors[at];
        let name = &variable.name.name;
        let SelectorKind::Index(index) = &selector.kind else { return Err(Stop::Failed) };
        let place = index.span;
        let Partial::Known(index) = self.expr(without_parentheses(index))? else { return Err(Stop::Failed) };
        let [(atom, 1)] = index.shape.0.as_slice() else {
            let message = format!("a position is one word, and this is {}", self.describe(&index.shape));
            return self.fail(Diagnostic::error(&codes::E0337, place, message));
        };
        self.no_elements(&index.shape, "a position is a word", place)?;
        let around = variable
            .selectors
            .iter()
            .enumerate()
            .find(|&(k, other)| k > at || k < at && !matches!(other.kind, SelectorKind::Index(_)));
        if let Some((_, other)) = around {
            let message = "beside a secret position there are only single indices, and these before it";
            let note = "give the element a name first: `row = t[i]; x = row[0]`";
            return self.fail(
                Diagnostic::error(&codes::E0337, other.span, message).related(place, "the secret position").note(note),
            );
        }
        let meaning = match self.meaning(name) {
            None => self.constant_variable(&variable.name)?,
            meaning => meaning,
        };
        let Some(Meaning::Words(var)) = meaning else {
            return self.place(variable).and(Err(Stop::Failed));
        };
        let Some(&length) = self.vars[var.0 as usize].ty.dims.get(at) else {
            // An index at this selector fails, with a diagnostic that names the value without elements.
            let first = ast::Expr { kind: ast::ExprKind::Literal { value: BigUint::ZERO, ty: None }, span: place };
            let mut variable = variable.clone();
            variable.selectors[at].kind = SelectorKind::Index(first);
            return self.place(&variable).and(Err(Stop::Failed));
        };
        if atom.bits < 32 && length > 1 << atom.bits {
            let message = format!(
                "`{name}` has {length} elements here, and a position of {} reaches {} of them",
                shape::bits(atom.bits),
                1u32 << atom.bits
            );
            return self.fail(Diagnostic::error(&codes::E0337, place, message));
        }
        let mut all = variable.clone();
        all.selectors.truncate(at);
        let (table, shape) = self.place(&all)?;
        self.shared.spend(u64::from(shape.count()), variable.span)?;
        let element =
            shape::uniform(&shape).map_or_else(Shape::default, |atom| Shape::of(atom, shape.count() / length));
        let table = Box::new(self.read(table, variable.span));
        Ok(Expr { kind: ExprKind::Lookup { table, index: Box::new(index) }, shape: element, span: variable.span })
    }

    /// Fails if a target has a secret position.
    pub(crate) fn no_secret_position(&mut self, target: &ast::Variable) -> Result<()> {
        let Some(at) = self.secret_selector(target) else { return Ok(()) };
        let message = "an element at a secret position cannot be assigned";
        let note = "assign every element, with its old value where the position is another: `t[k] := is_k ? x : t[k]`";
        let note = self.element_as_position(target, at).unwrap_or_else(|| note.to_owned());
        self.fail(Diagnostic::error(&codes::E0337, target.selectors[at].span, message).note(note))
    }

    /// The way to count instead, where selector `at` is the element that a loop goes through.
    fn element_as_position(&self, target: &ast::Variable, at: usize) -> Option<String> {
        let SelectorKind::Index(index) = &target.selectors[at].kind else { return None };
        let ast::ExprKind::Variable(ast::Variable { name, .. }) = &without_parentheses(index).kind else { return None };
        let Some(Meaning::Words(var)) = self.meaning(&name.name) else { return None };
        let is_element = self.loops.iter().any(|active| active.element == Some(var));
        is_element.then(|| {
            format!(
                "`{0}` is an element and no position; a loop that counts has bounds: `forall {0} in [0, 3] {{ … }}`",
                name.name
            )
        })
    }
}

fn without_parentheses(mut expr: &ast::Expr) -> &ast::Expr {
    while let ast::ExprKind::Parenthesised(inner) = &expr.kind {
        expr = inner;
    }
    expr
}
