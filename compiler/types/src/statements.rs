//! Statements: from the syntax tree to trees of equations, loops, and values of `nat` variables.
//!
//! A loop is first elaborated with its counter as a symbol. If the counter is needed as a number — a shift amount, a
//! family index, `%` — elaboration stops there, discards its results for the loop, and elaborates the loop once for
//! each value of the counter. Each loop fails in this way at most once, so that the work stays linear in the result.

use culet_diag::Diagnostic;
use culet_diag::codes::{equations, fields, limits, types};
use culet_syntax::ast::{self, AttributeKind, Statement};

use crate::limits::{DEPTH, EXPRESSION, ITERATIONS};
use crate::literals::Partial;
use crate::node::{ActiveLoop, Meaning, NatValue, NodeElaborator, Result, Stop, Unroll};
use crate::order::{Equation, LoopTree, Tree};
use crate::program::{Affine, CounterId, Expr, Place, Shape};
use crate::shape;
use crate::statics::{self, Role};

impl<'d> NodeElaborator<'_, 'd, '_> {
    /// Elaborates a block in a scope of its own for `nat` variables.
    pub(crate) fn block(&mut self, statements: &'d [Statement]) -> Result<Vec<Tree>> {
        let level = self.loops.len();
        if self.has_nats {
            self.nat_equations(statements)?;
        }
        let mut trees = Vec::new();
        for statement in statements {
            let outcome = match statement {
                Statement::Equation(equation) => self.equation(equation, &mut trees),
                Statement::Forall(forall) => self.forall(forall, &mut trees),
                Statement::Stream(stream) => self.stream(stream, &mut trees),
            };
            match outcome {
                Ok(()) | Err(Stop::Failed) => {}
                Err(unroll) => return Err(unroll),
            }
            if self.shared.budget.is_spent() {
                return Err(Stop::Failed);
            }
        }
        if level > 0 {
            self.nats.retain(|_, nat| nat.level < level);
        }
        Ok(trees)
    }

    /// Evaluates the equations of `nat` variables in this block, whatever their order.
    fn nat_equations(&mut self, statements: &'d [Statement]) -> Result<()> {
        let mut waiting: Vec<(&'d str, &'d ast::Equation)> = Vec::new();
        for statement in statements {
            let Statement::Equation(equation) = statement else { continue };
            let [target] = equation.targets.as_slice() else { continue };
            let name = target.name.name.as_str();
            let is_nat = self.names.get(name) == Some(&Meaning::Nat) && self.counter(name).is_none();
            if is_nat && !equation.is_update && equation.operator.is_none() {
                waiting.push((name, equation));
            }
        }
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut still = Vec::new();
            for (name, equation) in waiting {
                self.shared.spend(1, equation.span)?;
                if self.nats.contains_key(name) {
                    let message = format!("`{name}` has a value already");
                    let diagnostic =
                        Diagnostic::error(&equations::E0412, equation.span, message).note("write `:=` to update it");
                    self.shared.report(diagnostic);
                } else if self.reads_unset_nat(&equation.value, 0) {
                    still.push((name, equation));
                } else if let Some(value) = self.nat_value(&equation.value)? {
                    self.nats.insert(name, NatValue { value, level: self.loops.len() });
                }
            }
            waiting = still;
            if waiting.len() == before {
                for (name, equation) in &waiting {
                    let message = format!("the value of `{name}` depends on a nat that has none");
                    self.shared.report(Diagnostic::error(&equations::E0412, equation.span, message));
                }
                break;
            }
        }
        Ok(())
    }

    fn nat_value(&mut self, expr: &'d ast::Expr) -> Result<Option<Affine>> {
        match self.affine(expr, Role::Value) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Failed) => Ok(None),
            Err(unroll) => Err(unroll),
        }
    }

    fn reads_unset_nat(&self, expr: &ast::Expr, depth: u32) -> bool {
        match &expr.kind {
            ast::ExprKind::Variable(v) => {
                let name = v.name.name.as_str();
                self.counter(name).is_none()
                    && self.names.get(name) == Some(&Meaning::Nat)
                    && !self.nats.contains_key(name)
            }
            _ if depth > DEPTH => false,
            ast::ExprKind::Binary { left, right, .. } => {
                self.reads_unset_nat(left, depth + 1) || self.reads_unset_nat(right, depth + 1)
            }
            ast::ExprKind::Parenthesised(inner) => self.reads_unset_nat(inner, depth + 1),
            _ => false,
        }
    }

    fn equation(&mut self, equation: &'d ast::Equation, trees: &mut Vec<Tree>) -> Result<()> {
        let targets = equation.targets.iter().filter(|_| self.has_nats || !self.loops.is_empty());
        let nats = targets.filter(|t| self.meaning(&t.name.name) == Some(Meaning::Nat)).count();
        if nats > 0 {
            return self.nat_statement(equation, nats);
        }
        if let Some(outcome) = self.streaming_equation(equation, trees) {
            if matches!(outcome, Err(Stop::Failed)) {
                for target in &equation.targets {
                    if let Some(Meaning::Words(id)) = self.meaning(&target.name.name) {
                        self.assigned_wrongly.insert(id);
                    }
                }
            }
            return outcome;
        }
        let mut targets = Vec::with_capacity(equation.targets.len());
        let mut wanted = Shape::default();
        let mut failed = false;
        for target in &equation.targets {
            if self.meaning(&target.name.name).is_none()
                && let Some(constant) = self.shared.definitions.constant(&target.name.name, self.position)
            {
                let defined = self.shared.definitions.list[constant].name.span;
                let message = format!("`{}` is a constant", target.name.name);
                let diagnostic = Diagnostic::error(&equations::E0406, target.span, message);
                self.shared.report(diagnostic.related(defined, "defined here"));
                failed = true;
                continue;
            }
            let place = self.no_secret_position(target).and_then(|()| self.place(target));
            match place {
                Ok((place, shape)) => {
                    self.check_target(equation, &place, target);
                    shape::append(&mut wanted, &shape);
                    targets.push(place);
                }
                Err(Stop::Failed) => {
                    failed = true;
                    if let Some(Meaning::Words(id)) = self.meaning(&target.name.name) {
                        self.assigned_wrongly.insert(id);
                    }
                }
                Err(unroll) => return Err(unroll),
            }
        }
        let value = match self.value(equation, &targets, &wanted, failed) {
            Ok(value) => Some(value),
            Err(Stop::Failed) => None,
            Err(unroll) => return Err(unroll),
        };
        trees.append(&mut self.before);
        // `x op= e` has been reported, and gives no further errors.
        let is_update = equation.is_update || equation.operator.is_some();
        trees.push(Tree::Equation(Equation { targets, value, is_update, span: equation.span }));
        Ok(())
    }

    fn value(
        &mut self,
        equation: &'d ast::Equation,
        targets: &[Place],
        wanted: &Shape,
        targets_failed: bool,
    ) -> Result<Expr> {
        let value = self.expr(&equation.value)?;
        if targets_failed {
            return Err(Stop::Failed);
        }
        let Some(operator) = equation.operator else {
            return self.resolve(value, wanted);
        };
        if !equation.is_update {
            return self.fail(
                Diagnostic::error(&equations::E0407, equation.span, "this equation reads what it defines")
                    .note("write `:=` after the operator to use the value from before"),
            );
        }
        let reads = equation.targets.iter().zip(targets).map(|(t, place)| self.read(place.clone(), t.span)).collect();
        let old = self.concat(reads, equation.span);
        let value = self.binary(operator, Partial::Known(old), value, equation.span)?;
        self.resolve(value, wanted)
    }

    /// Reports targets that an equation may not assign.
    fn check_target(&mut self, equation: &ast::Equation, place: &Place, target: &ast::Variable) {
        let var = &self.vars[place.var.0 as usize];
        if equation.is_update && var.shared {
            let message = format!("`{}` is const", var.name);
            let diagnostic =
                Diagnostic::error(&equations::E0406, target.span, message).related(var.span, "declared here");
            self.shared.report(diagnostic);
        }
    }

    fn nat_statement(&mut self, equation: &'d ast::Equation, nats: usize) -> Result<()> {
        let [target] = equation.targets.as_slice() else {
            let message = format!("{nats} of these targets are nats: assign each of them alone");
            return self.fail(Diagnostic::error(&types::E0320, equation.span, message));
        };
        if !target.selectors.is_empty() {
            return self.fail(Diagnostic::error(&types::E0311, target.span, "a nat has no elements"));
        }
        let name = target.name.name.as_str();
        if !equation.is_update {
            if equation.operator.is_some() {
                return self.fail(
                    Diagnostic::error(&equations::E0407, equation.span, "this equation reads what it defines")
                        .note("write `:=` after the operator to use the value from before"),
                );
            }
            // The equation was evaluated before the statements of the block.
            return Ok(());
        }
        let old = self.nats.get(name).map(|nat| (nat.value.clone(), nat.level));
        let level = old.as_ref().map_or(self.loops.len(), |&(_, level)| level);
        if let Some(depth) = self.loops.iter().skip(level).position(|l| l.counter.is_some()) {
            let why = "this nat changes from one iteration to the next";
            return Err(Stop::Unroll(Box::new(Unroll { depth: level + depth, span: equation.span, why })));
        }
        let mut value = self.affine(&equation.value, Role::Value)?;
        if let Some(operator) = equation.operator {
            let Some((old, _)) = &old else {
                let message = format!("`{name}` has no value yet");
                return self.fail(Diagnostic::error(&equations::E0412, equation.span, message));
            };
            value = match (operator, value.terms.is_empty() && old.terms.is_empty()) {
                (ast::BinaryOperator::Add, _) => statics::add(old, &value, 1),
                (ast::BinaryOperator::Subtract, _) => statics::add(old, &value, -1),
                (ast::BinaryOperator::Multiply, true) => statics::scale(old, value.constant),
                _ => None,
            }
            .ok_or(Stop::Failed)
            .or_else(|_| self.fail(statics::not_static(equation.span)))?;
        }
        self.nats.insert(name, NatValue { value, level });
        Ok(())
    }

    // ---- Loops ----

    fn forall(&mut self, forall: &'d ast::Forall, trees: &mut Vec<Tree>) -> Result<()> {
        if forall.is_fold && !carries(&forall.statements) {
            let message = "this fold carries nothing from one iteration to the next";
            let note = "what an iteration leaves to the next is updated by `:=`; without that, write `forall`";
            self.shared.report(Diagnostic::error(&fields::E0338, forall.counter.span, message).note(note));
        }
        self.enter(forall.span)?;
        let outcome = self.bounded_forall(forall);
        self.depth -= 1;
        trees.append(&mut self.before);
        match outcome {
            Ok(tree) => trees.push(Tree::Loop(tree)),
            Err(Stop::Failed) => {
                self.targets_fail(&forall.statements);
                return Err(Stop::Failed);
            }
            Err(unroll) => return Err(unroll),
        }
        Ok(())
    }

    /// Records that the targets of these statements have no definite value.
    pub(crate) fn targets_fail(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Forall(inner) => self.targets_fail(&inner.statements),
                Statement::Stream(inner) => self.targets_fail(&inner.statements),
                Statement::Equation(equation) => {
                    for target in &equation.targets {
                        if let Some(Meaning::Words(id)) = self.meaning(&target.name.name) {
                            self.assigned_wrongly.insert(id);
                        }
                    }
                }
            }
        }
    }

    fn bounded_forall(&mut self, forall: &'d ast::Forall) -> Result<LoopTree> {
        let first = self.constant_for(Role::Bound, &forall.first, "the bounds of an inner loop depend on it");
        let last = self.constant_for(Role::Bound, &forall.last, "the bounds of an inner loop depend on it");
        let (first, last) = (first?, last?);
        let trips = first.abs_diff(last).saturating_add(1);
        if trips > ITERATIONS {
            let message = format!("this loop has {trips} iterations");
            return self.fail(
                Diagnostic::error(&limits::E0602, forall.span, message).note(format!("the limit is {ITERATIONS}")),
            );
        }
        let has = |kind| forall.attributes.iter().any(|a| a.kind == kind);
        let mut tree = LoopTree {
            counter: None,
            first,
            last,
            unroll: if has(AttributeKind::Unroll) { Some(true) } else { has(AttributeKind::NoUnroll).then_some(false) },
            stream: None,
            blocks: Vec::new(),
            span: forall.span,
        };
        if !self.unrolled.contains(&forall.span) {
            let before = self.shared.budget.left();
            match self.symbolic(forall, &mut tree) {
                Err(Stop::Unroll(unroll)) if unroll.depth == self.loops.len() => {
                    self.must_unroll(forall, &unroll);
                    // Each iteration takes at least as much work as the attempt took.
                    let attempt = before - self.shared.budget.left();
                    self.shared.can_spend(attempt.saturating_mul(trips), forall.span)?;
                }
                outcome => return outcome.map(|()| tree),
            }
        }
        let direction = if first <= last { 1 } else { -1 };
        for k in 0..trips as i64 {
            let value = Affine::constant(first + direction * k);
            self.loops.push(ActiveLoop { name: &forall.counter.name, value, counter: None, element: None });
            let block = self.block(&forall.statements);
            self.loops.pop();
            tree.blocks.push(block?);
            self.shared.spend(EXPRESSION, forall.span)?;
        }
        Ok(tree)
    }

    /// Elaborates a loop with its counter as a symbol. The results of a failed attempt are removed.
    fn symbolic(&mut self, forall: &'d ast::Forall, tree: &mut LoopTree) -> Result<()> {
        let (mark, vars, counters) = (self.shared.mark(), self.vars.len(), self.counters.len());
        let counter = CounterId(counters as u32);
        self.counters.push((tree.first.min(tree.last), tree.first.max(tree.last)));
        let value = Affine { constant: 0, terms: vec![(counter, 1)] };
        let depth = self.loops.len();
        self.loops.push(ActiveLoop { name: &forall.counter.name, value, counter: Some(counter), element: None });
        let block = self.block(&forall.statements);
        self.loops.truncate(depth);
        match block {
            Ok(block) => {
                tree.counter = Some(counter);
                tree.blocks.push(block);
                Ok(())
            }
            Err(stop) => {
                if matches!(&stop, Stop::Unroll(_)) {
                    self.shared.forget_since(mark);
                    self.forget_constants(vars);
                    self.vars.truncate(vars);
                    self.given_as_public.retain(|given| given.vars.iter().all(|var| (var.0 as usize) < vars));
                    self.counters.truncate(counters);
                    self.before.clear();
                    self.nats.retain(|_, nat| nat.level <= depth);
                }
                Err(stop)
            }
        }
    }

    /// Notes that a loop is unrolled, though its text may ask for a loop.
    fn must_unroll(&mut self, forall: &'d ast::Forall, unroll: &Unroll) {
        self.unrolled.insert(forall.span);
        if let Some(no_unroll) = forall.attributes.iter().find(|a| a.kind == AttributeKind::NoUnroll) {
            let diagnostic =
                Diagnostic::warning(&equations::W0403, no_unroll.span, "this loop is unrolled all the same")
                    .related(unroll.span, unroll.why);
            self.shared.report(diagnostic);
        }
    }
}

/// Whether some variable is updated.
fn carries(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Equation(equation) => equation.is_update,
        Statement::Forall(inner) => carries(&inner.statements),
        Statement::Stream(inner) => carries(&inner.statements),
    })
}
