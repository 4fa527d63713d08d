//! Checks that a direction can express a program, before anything is built.

use std::collections::HashSet;

use culet_diag::codes::targets;
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_meaning::layout::{Layout, LayoutError, reachable};
use culet_types::program::{Atom, BinaryOperator, Body, Expr, ExprKind, Node, NodeId, Program, Slicing, Step, Var};

use crate::lookups::fits_slices;
use crate::size;
use crate::usage::operands;

/// Bits of the widest registers: a program that fits nowhere else may fit here.
const WIDEST: u32 = 512;

pub(crate) fn check(program: &Program, nodes: &[NodeId]) -> Diagnostics {
    let mut checker = Checker {
        diagnostics: Diagnostics::new(),
        reported: HashSet::new(),
        size: 0,
        one_instance: one_instance(program),
    };
    for &id in nodes {
        checker.node(program.node(id));
    }
    if checker.one_instance.is_none()
        && !checker.diagnostics.has_errors()
        && let Err(error) = Layout::new(program, WIDEST, 1)
    {
        checker.diagnostics.push(layout_error(&error));
    }
    checker.diagnostics
}

/// The first thing in a program for which it computes one instance at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneInstance {
    pub cause: Cause,
    pub span: Span,
}

/// The kinds of things that slices of many instances cannot hold or do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    Element,
    Stream,
    Regrouped,
    /// A lookup at a secret position that has another size than the entries.
    Lookup,
}

impl Cause {
    /// The cause as a sentence about its place, and how the program may do without it, if it may.
    pub fn explained(self) -> (String, Option<&'static str>) {
        match self {
            Cause::Element => ("an element of a field takes words of its own".into(), None),
            Cause::Stream => ("a stream is of any length".into(), None),
            Cause::Regrouped => (
                "words of another size are made, by a conversion or a comparison".into(),
                Some("slices of many instances need parameters and variables of one size"),
            ),
            Cause::Lookup => (
                "the position has another type than the entries, and only bits of words of one size select between them".into(),
                Some("give the position the type of the entries, or choose `--slice b`, where every bit has a register"),
            ),
        }
    }
}

/// Why the program computes one instance at a time, if it does.
pub fn one_instance(program: &Program) -> Option<OneInstance> {
    // A stream of the entry decides it, whatever its nodes do.
    let entry = program.entry();
    let mut ports = entry.params.iter().chain(&entry.returns).map(|&id| entry.var(id));
    if let Some(var) = ports.find(|var| var.stream) {
        return Some(OneInstance { cause: Cause::Stream, span: var.span });
    }
    reachable(program).into_iter().map(|id| program.node(id)).find_map(|node| {
        let of_var = |var: &Var| {
            let cause = match var.ty.atom {
                _ if var.stream => Cause::Stream,
                atom if atom.field().is_some() => Cause::Element,
                _ => return None,
            };
            Some(OneInstance { cause, span: var.span })
        };
        node.vars.iter().find_map(of_var).or_else(|| match &node.body {
            Body::Steps(steps) => steps.iter().find_map(of_step),
            Body::Table(_) => None,
        })
    })
}

/// Whether the program computes one instance at a time.
pub fn is_per_instance(program: &Program) -> bool {
    one_instance(program).is_some()
}

fn of_step(step: &Step) -> Option<OneInstance> {
    let mut waiting = match step {
        Step::Loop(l) => return l.steps.iter().find_map(of_step),
        Step::Assign(assign) => vec![&assign.value],
    };
    while let Some(expression) = waiting.pop() {
        let cause = match &expression.kind {
            ExprKind::Regroup { .. } => Some(Cause::Regrouped),
            ExprKind::Decode(_) | ExprKind::Encode(_) => Some(Cause::Element),
            ExprKind::Lookup { index, .. } if !fits_slices(&expression.shape, index) => Some(Cause::Lookup),
            _ => None,
        };
        if let Some(cause) = cause {
            return Some(OneInstance { cause, span: expression.span });
        }
        waiting.extend(operands(expression));
    }
    None
}

/// Whether there is code for everything in the program: if not, only the interpreter runs it.
pub fn has_code(program: &Program) -> bool {
    check(program, &reachable(program)).iter().all(|diagnostic| diagnostic.code.id != targets::E0707.id)
}

/// The diagnostic for a program without a layout.
pub fn layout_error(error: &LayoutError) -> Diagnostic {
    match error {
        LayoutError::Mixed { first, second } => Diagnostic::error(
            &targets::E0703,
            second.span,
            format!("`{}` and `{}` cannot lie side by side in the same registers", first.name, second.name),
        )
        .label(spacing(second.bits))
        .related(first.span, spacing(first.bits)),
        LayoutError::UnevenElements { name, bits, span } => Diagnostic::error(
            &targets::E0704,
            *span,
            format!("direction H cannot spread the {bits} bits of `{name}` evenly over a register"),
        )
        .label("in direction H a word has 1, 2, 4, 8, 16, 32 or 64 bits"),
        LayoutError::Elements { name, span } => no_code(*span, &format!("`{name}`, an element of a field,")),
    }
}

/// The diagnostic for something that the interpreter runs and no back end compiles.
fn no_code(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&targets::E0707, span, format!("{what} cannot be compiled yet"))
        .note("`culet check` and `culet run --interpret` take the program")
}

fn spacing(bits: u32) -> String {
    format!("here an instance takes {bits} bit{} of each register", if bits == 1 { "" } else { "s" })
}

struct Checker {
    diagnostics: Diagnostics,
    /// Errors reported so far: loops that the elaborator has unrolled repeat their errors.
    reported: HashSet<(&'static str, Span)>,
    /// Number of values and operations so far.
    size: u64,
    one_instance: Option<OneInstance>,
}

impl Checker {
    fn node(&mut self, node: &Node) {
        for var in &node.vars {
            self.atom(var.ty.atom);
            self.grow(size::of_variable(var), var.span);
        }
        if let Body::Steps(steps) = &node.body {
            self.steps(steps);
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Loop(l) => {
                    self.steps(&l.steps);
                }
                Step::Assign(assign) => {
                    let mut waiting = vec![&assign.value];
                    while let Some(expression) = waiting.pop() {
                        self.expression(expression);
                        waiting.extend(operands(expression).into_iter().rev());
                    }
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expr) {
        for &(atom, _) in &expression.shape.0 {
            self.atom(atom);
        }
        self.grow(size::of_expression(expression), expression.span);
        let wide = expression.shape.0.iter().any(|(atom, _)| is_horizontal(*atom));
        match &expression.kind {
            ExprKind::Binary { operator, .. } if wide => {
                let name = match operator {
                    BinaryOperator::Add => "+",
                    BinaryOperator::Subtract => "-",
                    BinaryOperator::Multiply => "*",
                    BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor | BinaryOperator::Divide => return,
                };
                let message = format!("`{name}` on words is not possible in direction H");
                self.report(
                    Diagnostic::error(&targets::E0701, expression.span, message)
                        .label("the bits of these words are spread over a register, and a carry cannot pass")
                        .note("compile with `--slice v` or `--slice b`, where arithmetic is possible"),
                );
            }
            ExprKind::Pack { high, .. } if wide || high.shape.0.iter().any(|(atom, _)| is_horizontal(*atom)) => {
                let message = "`Pack` is not possible in direction H";
                self.report(
                    Diagnostic::error(&targets::E0705, expression.span, message)
                        .label("all horizontal words of a program have the same number of bits")
                        .note("compile with `--slice v` or `--slice b`"),
                );
            }
            _ => {}
        }
    }

    fn atom(&mut self, atom: Atom) {
        let is_spread = atom.field().is_none() && atom.slicing != Slicing::Vertical && atom.bits > 1;
        let Some(OneInstance { cause, span }) = self.one_instance.filter(|_| is_spread) else { return };
        let message = format!("direction {} has no code for one instance at a time", letter(atom.slicing));
        self.report(
            Diagnostic::error(&targets::E0708, span, message)
                .label(cause.explained().0)
                .note("`--slice v` computes one instance at a time; a description allows it by `allowed = [\"v\"]`"),
        );
    }

    fn grow(&mut self, amount: u64, span: Span) {
        let before = self.size;
        self.size = self.size.saturating_add(amount);
        if before <= size::LIMIT && self.size > size::LIMIT {
            self.diagnostics.push(
                Diagnostic::error(&targets::E0706, span, "the program grows too large here")
                    .label(format!("values and operations together exceed {}", size::LIMIT))
                    .note("in direction V a word is one value and `+` one operation"),
            );
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span.is_none_or(|span| self.reported.insert((diagnostic.code.id, span))) {
            self.diagnostics.push(diagnostic);
        }
    }
}

fn is_horizontal(atom: Atom) -> bool {
    atom.slicing == Slicing::Horizontal && atom.bits > 1
}

fn letter(slicing: Slicing) -> char {
    if slicing == Slicing::Horizontal { 'H' } else { 'B' }
}
