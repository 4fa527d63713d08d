//! Names: binds every variable and every call of every definition, whether or not the entry reaches it.
//!
//! All errors in names are reported here; later stages fail silently on an unbound name.

use std::collections::{HashMap, HashSet};

use culet_diag::codes::{equations, limits, names};
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_syntax::ast::{self, AttributeKind, ExprKind, Ident, SelectorKind, Statement};

use crate::conversions::BUILTIN;
use crate::definitions::{Declared, Definition, Definitions, Kind};
use crate::field::FieldKind;
use crate::field::modulus::below_power;
use crate::idioms::{conversion_meant, idiom_for_call};
use crate::limits::DEPTH;
use crate::similar::most_similar;

/// Checks the names in all definitions. Returns the positions of those that another one uses.
pub(crate) fn resolve(definitions: &Definitions<'_>, diagnostics: &mut Diagnostics) -> HashSet<usize> {
    let mut used = HashSet::new();
    for (position, definition) in definitions.list.iter().enumerate() {
        attributes(definition, diagnostics);
        for (member, locals) in definition.locals.iter().enumerate() {
            let declared = declared_names(definition, locals, diagnostics, member == 0);
            if let Kind::Node(bodies) = &definition.kind {
                let mut scope = Scope::new(definitions, position, declared, &mut used, diagnostics);
                scope.statements(&bodies[member].statements);
            }
        }
    }
    used
}

/// Warns of parameters that no equation of their node names: often another one was meant.
pub(crate) fn unread_parameters(definitions: &Definitions<'_>, diagnostics: &mut Diagnostics) {
    for (position, definition) in definitions.list.iter().enumerate() {
        let Kind::Node(bodies) = &definition.kind else { continue };
        let mut named: HashSet<String> = HashSet::new();
        for body in bodies {
            let (mut used, mut ignored) = (HashSet::new(), Diagnostics::new());
            let mut scope = Scope::new(definitions, position, HashMap::new(), &mut used, &mut ignored);
            scope.statements(&body.statements);
            named.extend(scope.named.iter().map(|&name| name.to_owned()));
        }
        for parameter in definition.params.iter().filter(|parameter| !named.contains(parameter.name.name.as_str())) {
            let name = &parameter.name.name;
            if name.starts_with('_') {
                continue;
            }
            let message = format!("the parameter `{name}` of `{}` is never read", definition.name.name);
            let note = format!("leave it out; if callers pass it for another reason, call it `_{name}`");
            diagnostics.push(Diagnostic::warning(&equations::W0401, parameter.name.span, message).note(note));
        }
    }
}

/// The declared names with their places. A name that is declared twice is reported once for each family.
fn declared_names<'d>(
    definition: &'d Definition<'_>,
    locals: &'d [Declared<'_>],
    diagnostics: &mut Diagnostics,
    is_first: bool,
) -> HashMap<&'d str, Span> {
    let mut declared = HashMap::new();
    let signature = definition.params.len() + definition.returns.len();
    for (i, variable) in definition.params.iter().chain(&definition.returns).chain(locals).enumerate() {
        let name = variable.name;
        if let Some(&first) = declared.get(name.name.as_str()) {
            if is_first || i >= signature {
                let message = format!("`{}` is declared twice", name.name);
                diagnostics
                    .push(Diagnostic::error(&names::E0207, name.span, message).related(first, "first declared here"));
            }
            continue;
        }
        declared.insert(name.name.as_str(), name.span);
    }
    declared
}

/// Maximum number of interleaved groups of instances. There are no registers for more.
const MAX_INTERLEAVE: u32 = 16;

/// Checks attributes. The parser has ensured that they stand before items to which they belong.
fn attributes(definition: &Definition<'_>, diagnostics: &mut Diagnostics) {
    for attribute in definition.attributes {
        let message = match attribute.kind {
            AttributeKind::Interleave(n) if !(1..=MAX_INTERLEAVE).contains(&n) => {
                "an interleaving factor is a number from 1 to 16"
            }
            _ if matches!(definition.kind, Kind::Perm(_)) => {
                "a perm is no code of its own, so this attribute has nothing to act on"
            }
            AttributeKind::NoInline if definition.has_streams() => {
                let message = "`_no_inline` has no effect here: a node with streams is put in place of its calls";
                diagnostics.push(Diagnostic::warning(&names::W0202, attribute.span, message));
                continue;
            }
            _ => continue,
        };
        diagnostics.push(Diagnostic::error(&names::E0211, attribute.span, message));
    }
    contradictions(definition.attributes, diagnostics);
}

/// Reports attributes of one list that exclude each other.
fn contradictions(attributes: &[ast::Attribute], diagnostics: &mut Diagnostics) {
    use AttributeKind::{Inline, Interleave, LsbFirst, MsbFirst, NoInline, NoUnroll, Unroll};
    let excludes = |a, b| {
        matches!(
            (a, b),
            (Inline, NoInline)
                | (NoInline, Inline)
                | (MsbFirst, LsbFirst)
                | (LsbFirst, MsbFirst)
                | (Unroll, NoUnroll)
                | (NoUnroll, Unroll)
        ) || matches!((a, b), (Interleave(m), Interleave(n)) if m != n)
    };
    for (i, attribute) in attributes.iter().enumerate() {
        if let Some(other) = attributes[..i].iter().find(|other| excludes(other.kind, attribute.kind)) {
            let message = "these attributes contradict each other";
            diagnostics.push(
                Diagnostic::error(&names::E0211, attribute.span, message).related(other.span, "the other is here"),
            );
        }
    }
}

struct Scope<'s, 'a> {
    definitions: &'s Definitions<'a>,
    /// The index of the definition.
    position: usize,
    declared: HashMap<&'s str, Span>,
    counters: Vec<&'s str>,
    depth: u32,
    /// Names that have been reported as unbound in this definition.
    reported: HashSet<&'s str>,
    /// The variables that equations and loops name.
    named: HashSet<&'s str>,
    /// Positions of definitions that are called, or are constants that are named.
    used: &'s mut HashSet<usize>,
    diagnostics: &'s mut Diagnostics,
}

impl<'s, 'a> Scope<'s, 'a> {
    fn new(
        definitions: &'s Definitions<'a>,
        position: usize,
        declared: HashMap<&'s str, Span>,
        used: &'s mut HashSet<usize>,
        diagnostics: &'s mut Diagnostics,
    ) -> Scope<'s, 'a> {
        Scope {
            definitions,
            position,
            declared,
            counters: Vec::new(),
            depth: 0,
            reported: HashSet::new(),
            named: HashSet::new(),
            used,
            diagnostics,
        }
    }

    fn statements(&mut self, statements: &'s [Statement]) {
        for statement in statements {
            match statement {
                Statement::Equation(equation) => {
                    for target in &equation.targets {
                        if self.counters.contains(&target.name.name.as_str()) {
                            let message = format!("`{}` is what a loop counts or goes through", target.name.name);
                            self.diagnostics.push(Diagnostic::error(&equations::E0411, target.name.span, message));
                        }
                        self.variable(target);
                    }
                    self.expr(&equation.value);
                }
                Statement::Forall(forall) => self.forall(forall),
                Statement::Stream(stream) => self.stream(stream),
            }
        }
    }

    fn forall(&mut self, forall: &'s ast::Forall) {
        for attribute in &forall.attributes {
            if attribute.kind == AttributeKind::Pipelined {
                let message = "`_pipelined` has no effect";
                self.diagnostics.push(Diagnostic::warning(&names::W0202, attribute.span, message));
            }
        }
        contradictions(&forall.attributes, self.diagnostics);
        self.expr(&forall.first);
        self.expr(&forall.last);
        let name = forall.counter.name.as_str();
        if let Some(&first) = self.declared.get(name) {
            let message = format!("the counter `{name}` hides a variable of the same name");
            self.diagnostics
                .push(Diagnostic::warning(&names::W0201, forall.counter.span, message).related(first, "declared here"));
        }
        if !self.enter(forall.span) {
            return;
        }
        self.counters.push(name);
        self.statements(&forall.statements);
        self.counters.pop();
        self.depth -= 1;
    }

    fn stream(&mut self, stream: &'s ast::StreamLoop) {
        if let Some(blocks @ ast::Blocks { size, pad }) = &stream.blocks {
            self.expr(size);
            if !blocks.is_merkle_damgard() {
                self.expr(pad);
            }
        }
        self.expr(&stream.stream);
        let name = stream.element.name.as_str();
        if let Some(&first) = self.declared.get(name) {
            let message = format!("the element `{name}` hides a variable of the same name");
            self.diagnostics
                .push(Diagnostic::warning(&names::W0201, stream.element.span, message).related(first, "declared here"));
        }
        if !self.enter(stream.span) {
            return;
        }
        self.counters.push(name);
        self.statements(&stream.statements);
        self.counters.pop();
        self.depth -= 1;
    }

    /// Goes one level deeper; returns false and reports an error beyond the limit.
    fn enter(&mut self, span: Span) -> bool {
        if self.depth >= DEPTH {
            let message = format!("this is nested more than {DEPTH} deep");
            self.diagnostics.push(Diagnostic::error(&limits::E0604, span, message));
            return false;
        }
        self.depth += 1;
        true
    }

    fn variable(&mut self, variable: &'s ast::Variable) {
        let name = &variable.name;
        self.named.insert(&name.name);
        if !self.declared.contains_key(name.name.as_str()) && !self.counters.contains(&name.name.as_str()) {
            match self.definitions.constant(&name.name, self.position) {
                Some(constant) => drop(self.used.insert(constant)),
                None => self.unbound(variable),
            }
        }
        for selector in &variable.selectors {
            self.selector(&selector.kind);
        }
    }

    fn unbound(&mut self, variable: &'s ast::Variable) {
        let name = &variable.name;
        if !self.reported.insert(&name.name) {
            return;
        }
        let message = format!("there is no variable `{}` here", name.name);
        let mut diagnostic = Diagnostic::error(&names::E0201, name.span, message);
        let definition = self.definitions.by_name.get(name.name.as_str()).map(|&at| &self.definitions.list[at]);
        let is_table = definition.is_some_and(|definition| matches!(definition.kind, Kind::Table(_)));
        if is_table && !variable.selectors.is_empty() {
            let note = format!("`{0}` is a table, and its value at `x` is written as a call: `{0}(x)`", name.name);
            self.diagnostics.push(diagnostic.note(note));
            return;
        }
        let known = self.declared.keys().chain(&self.counters).copied();
        if let Some(similar) = most_similar(&name.name, known) {
            diagnostic = diagnostic.fix(name.span, similar, format!("write `{similar}`"));
        } else if let Some(bit) = ["false", "true"].iter().position(|word| *word == name.name) {
            diagnostic = diagnostic.note(format!("a bit is a number: `{bit} : u1`"));
        } else if let Some(note) = self.modulus_meant(&name.name) {
            diagnostic = diagnostic.note(note);
        } else if ["i", "j", "k"].contains(&name.name.as_str()) {
            let all = "operators take arrays whole: `c = a ^ b`";
            diagnostic =
                diagnostic.note(format!("a counter has a loop: `forall {} in [0, 3] {{ … }}`; {all}", name.name));
        } else if name.name.len() > 1
            && name.name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        {
            diagnostic = diagnostic
                .note(format!("a constant stands before the nodes: `const {} : u32 = 0x9e3779b9`", name.name));
        } else if name.name == "_" {
            diagnostic = diagnostic
                .note("every part of a value has a name; `x[0..1]` takes two elements and leaves the rest out");
        }
        self.diagnostics.push(diagnostic);
    }

    /// The remedy where a name is probably that of the modulus of the program's field, as in `x ^ (p - 2)`.
    fn modulus_meant(&self, name: &str) -> Option<String> {
        let is_usual =
            ["p", "q", "n", "l", "r", "modulus", "prime", "order"].contains(&name.to_ascii_lowercase().as_str());
        let field = self.definitions.fields.first().filter(|_| is_usual)?;
        let FieldKind::Prime(modulus) = &field.kind else { return None };
        let example = match below_power(modulus) {
            Some(formula) => format!("as in `x ^ ({formula} - 2)`"),
            None => "as where the field is defined".to_owned(),
        };
        Some(format!(
            "if `{name}` is the modulus of `{}`: an exponent is a number that is written out, {example}; `1 / x` is the inverse of an \
             element",
            field.name
        ))
    }

    fn selector(&mut self, selector: &'s SelectorKind) {
        match selector {
            SelectorKind::Index(index) => self.expr(index),
            SelectorKind::Range(first, last) => {
                self.expr(first);
                self.expr(last);
            }
            SelectorKind::Slice(parts) => parts.iter().for_each(|part| self.selector(part)),
        }
    }

    fn expr(&mut self, mut expr: &'s ast::Expr) {
        // Chains of operators associate to the left and may be long, so that the left side is followed in a loop.
        loop {
            match &expr.kind {
                ExprKind::Binary { left, right, .. } => {
                    self.nested(right);
                    expr = left;
                }
                ExprKind::Shift { operand, amount, .. } => {
                    self.nested(amount);
                    expr = operand;
                }
                ExprKind::Parenthesised(inner) | ExprKind::Not(inner) | ExprKind::Negate(inner) => {
                    if self.enter(expr.span) {
                        self.expr(inner);
                        self.depth -= 1;
                    }
                    return;
                }
                _ => break,
            }
        }
        match &expr.kind {
            ExprKind::Variable(variable) => self.variable(variable),
            ExprKind::Tuple(elements) => elements.iter().for_each(|e| self.nested(e)),
            ExprKind::Call { name, index, arguments } => {
                self.call(name, index.as_deref());
                index.iter().for_each(|e| self.nested(e));
                arguments.iter().for_each(|e| self.nested(e));
            }
            ExprKind::Shuffle { operand, .. } | ExprKind::Decode { operand, .. } => self.nested(operand),
            ExprKind::Comparison { left, right, .. } => {
                self.nested(left);
                self.nested(right);
            }
            ExprKind::Selected { operand, selectors } => {
                self.nested(operand);
                selectors.iter().for_each(|selector| self.selector(&selector.kind));
            }
            ExprKind::Bitmask { operand, bit } => {
                self.nested(operand);
                self.nested(bit);
            }
            ExprKind::Pack { high, low, .. } => {
                self.nested(high);
                self.nested(low);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.nested(condition);
                self.nested(then);
                self.nested(otherwise);
            }
            _ => {}
        }
    }

    fn nested(&mut self, expr: &'s ast::Expr) {
        if self.enter(expr.span) {
            self.expr(expr);
            self.depth -= 1;
        }
    }

    fn call(&mut self, name: &'s Ident, index: Option<&ast::Expr>) {
        let Some(&callee) = self.definitions.by_name.get(name.name.as_str()) else {
            self.unknown_callee(name, index);
            return;
        };
        self.used.insert(callee);
        let definition = &self.definitions.list[callee];
        let place = definition.name.span;
        if callee >= self.position {
            let (code, message) = if callee == self.position {
                (&names::E0204, format!("`{}` calls itself", name.name))
            } else {
                (&names::E0203, format!("`{}` is defined below", name.name))
            };
            self.diagnostics.push(Diagnostic::error(code, name.span, message).related(place, "defined here"));
        }
        let message = match (definition.is_family, index) {
            (true, None) => format!("`{0}` is a family: write `{0}<0>(…)`", name.name),
            (false, Some(_)) => format!("`{}` is no family and has no index", name.name),
            _ => return,
        };
        self.diagnostics.push(Diagnostic::error(&names::E0208, name.span, message).related(place, "defined here"));
    }

    fn unknown_callee(&mut self, name: &'s Ident, index: Option<&ast::Expr>) {
        let is_builtin = name.name == "refresh"
            || BUILTIN.contains(&name.name.as_str())
            || self.definitions.field_named(&name.name).is_some();
        if is_builtin && index.is_some() {
            let message = format!("`{}` is no family and has no index", name.name);
            self.diagnostics.push(Diagnostic::error(&names::E0208, name.span, message));
        }
        if is_builtin || !self.reported.insert(&name.name) {
            return;
        }
        let (code, message) = match name.name.as_str() {
            "rand" => {
                (&names::E0212, "`rand()` needs masking, which there is not: make the bit a parameter".to_owned())
            }
            "print" | "ref" => (&names::E0212, format!("`{}` is reserved and does nothing yet", name.name)),
            other => (&names::E0202, format!("there is no node, perm or table `{other}`")),
        };
        let mut diagnostic = Diagnostic::error(code, name.span, message);
        let known = self.definitions.list[..self.position].iter().map(|d| d.name.name.as_str());
        if let Some(conversion) = conversion_meant(&name.name) {
            diagnostic = diagnostic.note(conversion);
        } else if let Some(idiom) = idiom_for_call(&name.name) {
            diagnostic = diagnostic.note(idiom);
        } else if let Some(similar) = most_similar(&name.name, known).filter(|_| *code == names::E0202) {
            diagnostic = diagnostic.fix(name.span, similar, format!("write `{similar}`"));
        }
        self.diagnostics.push(diagnostic);
    }
}
