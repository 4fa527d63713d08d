//! Checks that the body of a fold in lanes is affine in the carried value.
//!
//! `_lanes(k)` folds the elements j, j + k, j + 2k, … into an accumulator of their own for each j, and combines the
//! accumulators with powers of the factor. That is right if an iteration maps h to h·A + B, with the same A in every
//! iteration. The check classifies every atom of the body: it is the same in all iterations, depends on the element, is
//! affine in the carried value, or is none of these.

use culet_diag::codes::fields as codes;
use culet_diag::{Diagnostic, Diagnostics, Span};

use crate::program::{BinaryOperator, Body, CounterId, Expr, ExprKind, Loop, Node, Place, Step, Stream, VarId};

/// The class of an atom during one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Has one value in all iterations.
    Constant,
    /// Depends on the element.
    Varying,
    /// The carried value times a constant, plus a value that does not depend on the carried one.
    Affine,
    /// Anything else, with the place and the reason.
    Other(Span, &'static str),
}

use Class::{Affine, Constant, Other, Varying};

/// The nodes by their indices; `None` for a node with errors.
type Nodes<'p> = [Option<&'p Node>];

/// Reports the folds in lanes that are not affine.
pub(crate) fn check(nodes: &Nodes<'_>) -> Diagnostics {
    let mut found = Diagnostics::new();
    for node in nodes.iter().flatten() {
        let Body::Steps(steps) = &node.body else { continue };
        for step in steps {
            if let Step::Loop(l @ Loop { stream: Some(stream), .. }) = step
                && stream.lanes.is_some()
            {
                found.extend(fold(nodes, node, l, stream));
            }
        }
    }
    found
}

fn fold(nodes: &Nodes<'_>, node: &Node, l: &Loop, stream: &Stream) -> Diagnostics {
    let atoms: u32 = stream.carried.iter().map(|&id| node.var(id).ty.atoms()).sum();
    let carried = stream.carried.first().map(|&id| node.var(id));
    let Some(carried) = carried.filter(|_| atoms == 1) else {
        let message =
            format!("a fold in lanes carries one element of a field or one word, and this carries {atoms} atoms");
        return Diagnostic::error(&codes::E0342, l.span, message).into();
    };
    let mut frame = Frame::new(nodes, node);
    let memory = &mut frame.memory;
    memory[stream.element.0 as usize].fill(Varying);
    for &id in &stream.carried {
        memory[id.0 as usize].fill(Affine);
    }
    frame.steps(&l.steps);
    let wrong = stream.carried.iter().flat_map(|id| &frame.memory[id.0 as usize]).find_map(|class| match class {
        Other(span, why) => Some((*span, *why)),
        Constant | Varying | Affine => None,
    });
    let Some((span, why)) = wrong else { return Diagnostics::new() };
    let name = &carried.name;
    Diagnostic::error(&codes::E0342, span, format!("this fold in lanes is not affine in `{name}`: {why}"))
        .related(carried.span, "the carried value")
        .note(format!("an iteration has to be `{name} := {name} * A + B`, where A and B do not depend on `{name}` and A is the same in every iteration; without `_lanes` any fold is right"))
        .into()
}

/// The classes of the atoms of a node's variables.
struct Frame<'p> {
    nodes: &'p Nodes<'p>,
    memory: Vec<Vec<Class>>,
    counters: Vec<i64>,
}

impl<'p> Frame<'p> {
    fn new(nodes: &'p Nodes<'p>, node: &Node) -> Self {
        let memory = node.vars.iter().map(|var| vec![Constant; var.ty.atoms() as usize]).collect();
        Frame { nodes, memory, counters: vec![0; node.counters as usize] }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Assign(assign) => {
                    let mut values = self.expr(&assign.value).into_iter();
                    for place in &assign.targets {
                        for position in self.positions(place) {
                            if let Some(class) = values.next() {
                                self.memory[place.var.0 as usize][position] = class;
                            }
                        }
                    }
                }
                Step::Loop(l) => {
                    for value in l.values() {
                        self.counters[l.counter.0 as usize] = value;
                        self.steps(&l.steps);
                    }
                }
            }
        }
    }

    fn positions(&self, place: &Place) -> Vec<usize> {
        let mut all = Vec::new();
        for run in &place.runs {
            let start = run.start.evaluate(|CounterId(counter)| self.counters[counter as usize]);
            all.extend((0..i64::from(run.length)).map(|k| (start + k * i64::from(run.stride)) as usize));
        }
        all
    }

    fn expr(&self, expr: &Expr) -> Vec<Class> {
        let count = expr.shape.count() as usize;
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Elements(_) => vec![Constant; count],
            ExprKind::Read(place) => {
                let atoms = &self.memory[place.var.0 as usize];
                self.positions(place).into_iter().map(|position| atoms[position]).collect()
            }
            ExprKind::Concat(parts) => parts.iter().flat_map(|part| self.expr(part)).collect(),
            ExprKind::Select { operand, pattern } => {
                let values = self.expr(operand);
                pattern.iter().map(|source| source.map_or(Constant, |k| values[k as usize])).collect()
            }
            ExprKind::Negate(operand) => self.expr(operand),
            ExprKind::Binary { operator, left, right } => {
                let pairs = self.expr(left).into_iter().zip(self.expr(right));
                pairs.map(|(a, b)| binary(*operator, a, b, expr.span)).collect()
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.expr(condition).first().copied().unwrap_or(Constant);
                let pairs = self.expr(then).into_iter().zip(self.expr(otherwise));
                pairs.map(|(a, b)| conditional(condition, a, b, expr.span)).collect()
            }
            ExprKind::Call { node, argument } => match self.nodes.get(node.0 as usize) {
                Some(Some(callee)) => self.call(callee, &self.expr(argument), expr),
                // Errors in the callee have been reported.
                _ => vec![Constant; count],
            },
            _ => {
                let mut all = Vec::new();
                expr.kind.for_each_operand(&mut |operand| all.extend(self.expr(operand)));
                let why = "the bits of a value that depends on it are taken apart here";
                vec![all.into_iter().fold(Constant, |a, b| mixed(a, b, expr.span, why)); count]
            }
        }
    }

    fn call(&self, node: &Node, arguments: &[Class], expr: &Expr) -> Vec<Class> {
        let Body::Steps(steps) = &node.body else {
            let why = "a table of a value that depends on it is looked up here";
            let class = arguments.iter().fold(Constant, |a, &b| mixed(a, b, expr.span, why));
            return vec![class; expr.shape.count() as usize];
        };
        let mut frame = Frame::new(self.nodes, node);
        let mut rest = arguments.iter().copied();
        for &VarId(param) in &node.params {
            frame.memory[param as usize].iter_mut().zip(&mut rest).for_each(|(atom, class)| *atom = class);
        }
        frame.steps(steps);
        node.returns.iter().flat_map(|id| frame.memory[id.0 as usize].clone()).collect()
    }
}

fn binary(operator: BinaryOperator, a: Class, b: Class, span: Span) -> Class {
    match (operator, a, b) {
        (_, other @ Other(..), _) | (_, _, other @ Other(..)) => other,
        (BinaryOperator::Add | BinaryOperator::Subtract, Affine, _) => Affine,
        (BinaryOperator::Add | BinaryOperator::Subtract, _, Affine) => Affine,
        (BinaryOperator::Multiply, Affine, Affine) => Other(span, "two values that depend on it are multiplied here"),
        (BinaryOperator::Multiply, Affine, Constant) | (BinaryOperator::Multiply, Constant, Affine) => Affine,
        (BinaryOperator::Divide, Affine, Constant) => Affine,
        (BinaryOperator::Multiply, Affine, Varying)
        | (BinaryOperator::Multiply, Varying, Affine)
        | (BinaryOperator::Divide, Affine, Varying) => {
            Other(span, "the factor is not the same in every iteration here")
        }
        (BinaryOperator::Divide, _, Affine) => Other(span, "it is divided by a value that depends on it here"),
        (_, a, b) => mixed(a, b, span, "the bits of a value that depends on it are combined here"),
    }
}

fn conditional(condition: Class, a: Class, b: Class, span: Span) -> Class {
    match (condition, a, b) {
        (other @ Other(..), _, _) | (_, other @ Other(..), _) | (_, _, other @ Other(..)) => other,
        (Affine, _, _) => Other(span, "a condition that depends on it chooses here"),
        (Varying, Affine, _) | (Varying, _, Affine) => {
            Other(span, "a condition that is not the same in every iteration chooses here")
        }
        (Constant, Affine, _) | (Constant, _, Affine) => Affine,
        (Constant, Constant, Constant) => Constant,
        _ => Varying,
    }
}

/// The class of the result of an operation that is not affine.
fn mixed(a: Class, b: Class, span: Span, why: &'static str) -> Class {
    match (a, b) {
        (other @ Other(..), _) | (_, other @ Other(..)) => other,
        (Affine, _) | (_, Affine) => Other(span, why),
        (Varying, _) | (_, Varying) => Varying,
        (Constant, Constant) => Constant,
    }
}
