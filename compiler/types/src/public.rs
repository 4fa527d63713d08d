//! Public values: constants, the lengths of streams, parameters that are `pub`, results of `declassify`, and values that are
//! computed of these only. Everything else is secret.
//!
//! A variable is public if all values that it gets in its node are. A call whose arguments are all public has public results; so has every
//! call of a node whose results are public whatever its secret parameters are.

use std::collections::HashSet;

use culet_diag::codes::fields;
use culet_diag::{Diagnostic, Span};

use crate::program::{Assign, Body, Expr, ExprKind, GivenAsPublic, Loop, Node, Place, Program, Step, Var, VarId};

/// A value that a program makes public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declassified<'p> {
    /// The name of the node in the source.
    pub node: &'p str,
    /// The expression in the source.
    pub source: &'p str,
    pub span: Span,
}

/// The values that a program makes public, each once, in the order of the nodes.
pub fn declassified(program: &Program) -> Vec<Declassified<'_>> {
    let mut found: Vec<Declassified<'_>> = Vec::new();
    let mut known = HashSet::new();
    for node in &program.nodes {
        for_each_assignment(steps(node), &mut |assign| {
            for_each_expr(&assign.value, &mut |expr| {
                if let ExprKind::Declassify { source, .. } = &expr.kind
                    && known.insert(expr.span)
                {
                    found.push(Declassified { node: &node.name, source, span: expr.span });
                }
            });
        });
    }
    found
}

/// Reports secrets that go to parameters that are `pub`. Calls name nodes by their places in `nodes`; `order` has callees before
/// callers.
pub(crate) fn check(nodes: &[Option<&Node>], order: &[usize]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let has_public = |node: &&Node| node.vars.iter().any(|var| var.public) || !node.given_as_public.is_empty();
    if !nodes.iter().flatten().any(has_public) {
        return found;
    }
    let mut has_public_results = vec![false; nodes.len()];
    for &place in order {
        let Some(node) = nodes[place] else { continue };
        let secrets = Secrets::of(node, &has_public_results);
        for_each_assignment(steps(node), &mut |assign| {
            for_each_expr(&assign.value, &mut |expr| {
                if let ExprKind::Call { node: callee, argument } = &expr.kind
                    && let Some(callee) = nodes[callee.0 as usize]
                {
                    secrets.check_call(callee, argument, &mut found);
                }
            });
        });
        secrets.check_in_place(node, &mut found);
        let is_public = |id: &VarId| !secrets.is_secret[id.0 as usize];
        has_public_results[place] = matches!(node.body, Body::Steps(_)) && node.returns.iter().all(is_public);
    }
    found
}

struct Secrets<'p> {
    is_secret: Vec<bool>,
    /// Whether a call of each node has public results whatever its secret parameters are; false for nodes that come later.
    has_public_results: &'p [bool],
}

impl<'p> Secrets<'p> {
    fn of(node: &Node, has_public_results: &'p [bool]) -> Self {
        let mut secrets = Secrets { is_secret: vec![false; node.vars.len()], has_public_results };
        for &param in &node.params {
            secrets.is_secret[param.0 as usize] = !node.var(param).public;
        }
        while secrets.spread(steps(node)) {}
        secrets
    }

    /// Marks what secrets reach, and returns whether that is more than before.
    fn spread(&mut self, steps: &[Step]) -> bool {
        let mut has_grown = false;
        for step in steps {
            match step {
                Step::Assign(assign) => {
                    for (target, values) in assign.targets.iter().zip(given(assign)) {
                        if values.iter().any(|value| self.has_secret(value)) {
                            has_grown |= self.mark(target.var);
                        }
                    }
                }
                Step::Loop(Loop { stream, steps, .. }) => {
                    if let Some(stream) = stream
                        && stream.parts.iter().any(|part| self.is_secret[part.0 as usize])
                    {
                        has_grown |= self.mark(stream.element);
                    }
                    has_grown |= self.spread(steps);
                    for output in stream.iter().flat_map(|stream| &stream.outputs) {
                        if self.is_secret[output.made.0 as usize] {
                            has_grown |= self.mark(output.result);
                        }
                    }
                }
            }
        }
        has_grown
    }

    fn mark(&mut self, var: VarId) -> bool {
        !std::mem::replace(&mut self.is_secret[var.0 as usize], true)
    }

    fn has_secret(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Read(place) => self.is_secret[place.var.0 as usize],
            ExprKind::Declassify { .. } => false,
            ExprKind::Call { node, .. } if self.has_public_results[node.0 as usize] => false,
            kind => {
                let mut has_secret = false;
                kind.for_each_operand(&mut |operand| has_secret = has_secret || self.has_secret(operand));
                has_secret
            }
        }
    }

    fn check_call(&self, callee: &Node, argument: &Expr, found: &mut Vec<Diagnostic>) {
        let params: Vec<&Var> = callee.params.iter().map(|&param| callee.var(param)).collect();
        let counts: Vec<u32> = params.iter().map(|var| var.ty.atoms()).collect();
        for (var, values) in params.iter().zip(shared_out(argument, &counts)).filter(|(var, _)| var.public) {
            let secrets = values.iter().filter(|value| self.has_secret(value));
            found.extend(secrets.map(|value| secret_given(value.span, &var.name, var.span)));
        }
    }

    /// Parameters of nodes that were put in place of their calls are variables of the caller's.
    fn check_in_place(&self, node: &Node, found: &mut Vec<Diagnostic>) {
        let is_secret = |given: &&GivenAsPublic| given.vars.iter().any(|var| self.is_secret[var.0 as usize]);
        let secrets = node.given_as_public.iter().filter(is_secret);
        found.extend(secrets.map(|given| secret_given(given.place, &given.name, given.declared)));
    }
}

fn secret_given(place: Span, name: &str, declared: Span) -> Diagnostic {
    let message = format!("`{name}` is public, and this is computed from secrets");
    Diagnostic::error(&fields::E0343, place, message)
        .related(declared, "declared `pub` here")
        .note("public are constants, lengths, parameters that are `pub`, and what is computed of these; `declassify(x)` is x, made public")
}

fn steps(node: &Node) -> &[Step] {
    match &node.body {
        Body::Steps(steps) => steps,
        Body::Table(_) => &[],
    }
}

/// The values of each target.
fn given(assign: &Assign) -> Vec<Vec<&Expr>> {
    let atoms = |target: &Place| target.runs.iter().map(|run| run.length).sum();
    shared_out(&assign.value, &assign.targets.iter().map(atoms).collect::<Vec<u32>>())
}

/// The parts of a value for variables with so many atoms, one after another: for each, those that it has an atom of.
fn shared_out<'e>(value: &'e Expr, counts: &[u32]) -> Vec<Vec<&'e Expr>> {
    let mut parts = Vec::new();
    flattened(value, &mut parts);
    let mut parts = parts.into_iter();
    // A part, and its atoms that no variable has yet.
    let mut left: Option<(&Expr, u32)> = None;
    let mut all = Vec::with_capacity(counts.len());
    for &count in counts {
        let (mut own, mut wanted) = (Vec::new(), count);
        while wanted > 0 {
            let Some((part, atoms)) = left.take().or_else(|| parts.next().map(|part| (part, part.shape.count())))
            else {
                break;
            };
            if atoms > 0 {
                own.push(part);
            }
            left = (atoms > wanted).then(|| (part, atoms - wanted));
            wanted -= wanted.min(atoms);
        }
        all.push(own);
    }
    all
}

/// The parts of a tuple, also of tuples in it.
fn flattened<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Concat(inner) => inner.iter().for_each(|part| flattened(part, parts)),
        _ => parts.push(expr),
    }
}

fn for_each_assignment<'p>(steps: &'p [Step], f: &mut dyn FnMut(&'p Assign)) {
    for step in steps {
        match step {
            Step::Assign(assign) => f(assign),
            Step::Loop(inner) => for_each_assignment(&inner.steps, f),
        }
    }
}

fn for_each_expr<'e>(expr: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    f(expr);
    expr.kind.for_each_operand(&mut |operand| for_each_expr(operand, f));
}
