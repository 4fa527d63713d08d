//! One instance of a definition: from its statements to a node of the program.
//!
//! `statements` elaborates the statements in textual order into a tree of equations and loops; `order` then checks the
//! equations atom by atom and puts them in an order in which they can run.

use std::collections::{HashMap, HashSet};

use culet_diag::codes::{equations, limits, types};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, AttributeKind, Statement};

use crate::definitions::{Declared, Definition, Kind, SourceType};
use crate::instances::{Binding, Elaborator, shape_of, variable};
use crate::instructions;
use crate::limits::{DEPTH, EXPRESSION, NODE_ATOMS};
use crate::order::{self, Equation, Tree};
use crate::program::{
    Affine, Body, CounterId, Expr, ExprKind, GivenAsPublic, Node, Output, Place, Run, Shape, Ty, Var, VarId,
};
use crate::shape;
use crate::statics::{self, Role, StaticError};

/// The reason why elaboration of a piece of the source stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A diagnostic has been given, here or by an earlier stage.
    Failed,
    /// The value of a counter is needed as a number, so that its loop has to be unrolled.
    Unroll(Box<Unroll>),
}

#[derive(Debug)]
pub(crate) struct Unroll {
    /// The position of the loop among those around the place, outermost first.
    pub(crate) depth: usize,
    pub(crate) span: Span,
    pub(crate) why: &'static str,
}

pub(crate) type Result<T> = std::result::Result<T, Stop>;

/// A loop around the place that is being elaborated.
pub(crate) struct ActiveLoop<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Affine,
    /// `None` in a loop that is being unrolled.
    pub(crate) counter: Option<CounterId>,
    /// The part of a stream or an array that each iteration has; `None` in a loop that counts.
    pub(crate) element: Option<VarId>,
}

/// A `nat` variable or parameter that has a value.
pub(crate) struct NatValue {
    pub(crate) value: Affine,
    /// The number of loops around its definition.
    pub(crate) level: usize,
}

/// The meaning of a declared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Words(VarId),
    /// Streams and arrays one after another, by their number in the list of these.
    Joined(usize),
    Nat,
    /// The declaration is wrong.
    Unknown,
}

pub(crate) struct NodeElaborator<'e, 'd, 'a> {
    pub(crate) shared: &'e mut Elaborator<'d, 'a>,
    pub(crate) binding: Binding,
    /// The index of the definition of which this is an instance.
    pub(crate) position: usize,
    pub(crate) vars: Vec<Var>,
    pub(crate) names: HashMap<&'d str, Meaning>,
    /// Whether any name is a `nat`.
    pub(crate) has_nats: bool,
    pub(crate) nats: HashMap<&'d str, NatValue>,
    pub(crate) loops: Vec<ActiveLoop<'d>>,
    /// The least and the greatest value of each counter.
    pub(crate) counters: Vec<(i64, i64)>,
    /// Loops that must be unrolled, by their place.
    pub(crate) unrolled: HashSet<Span>,
    /// Equations that must come before the current statement.
    pub(crate) before: Vec<Tree>,
    /// The parameters that are words or elements.
    pub(crate) params: Vec<VarId>,
    /// The variables that hold the elements of loops over streams.
    pub(crate) elements: Vec<VarId>,
    /// The variables that the parameters of nodes in place of their calls join.
    pub(crate) joined: Vec<Joined>,
    pub(crate) given_as_public: Vec<GivenAsPublic>,
    /// The results that the current loop over a stream makes.
    pub(crate) open_outputs: Vec<Output>,
    /// The variables of constants by their definition; the equations in `prologue` give them their values.
    pub(crate) constants: HashMap<usize, VarId>,
    pub(crate) prologue: Vec<Tree>,
    /// Variables whose assignment has failed: their atoms are not checked.
    pub(crate) assigned_wrongly: HashSet<VarId>,
    temporaries: u32,
    pub(crate) depth: u32,
}

/// Variables one after another as one stream, with the type of its elements.
#[derive(Debug, Clone)]
pub(crate) struct Joined {
    pub(crate) parts: Vec<VarId>,
    pub(crate) ty: Ty,
}

/// Elaborates this instance; `None` if a diagnostic says why there is no node.
pub(crate) fn elaborate(shared: &mut Elaborator<'_, '_>, position: usize, binding: &Binding) -> Option<Node> {
    let definitions = shared.definitions;
    let definition = &definitions.list[position];
    let mark = shared.mark();
    // It has been reported, and equations about such a name mean nothing.
    if definition.declares_twice(binding.member) {
        return None;
    }
    let locals = &definition.locals[binding.member];
    let mut node = NodeElaborator {
        shared,
        binding: binding.clone(),
        position,
        vars: Vec::new(),
        names: HashMap::new(),
        has_nats: false,
        nats: HashMap::new(),
        loops: Vec::new(),
        counters: Vec::new(),
        unrolled: HashSet::new(),
        before: Vec::new(),
        params: Vec::new(),
        elements: Vec::new(),
        joined: Vec::new(),
        given_as_public: Vec::new(),
        open_outputs: Vec::new(),
        constants: HashMap::new(),
        prologue: Vec::new(),
        assigned_wrongly: HashSet::new(),
        temporaries: 0,
        depth: 0,
    };
    let params = node.declare(definition, &definition.params);
    node.params = params.clone();
    let returns = node.declare(definition, &definition.returns);
    node.declare(definition, locals);
    node.bind_nats(&definition.params);
    if !node.few_enough_atoms(definition) {
        return None;
    }
    let body = match &definition.kind {
        Kind::Node(bodies) => node.steps(definition, &bodies[binding.member].statements, &params, &returns),
        Kind::Table(members) => crate::tables::table(
            node.shared,
            definition,
            members[binding.member],
            binding.member,
            &node.vars,
            &params,
            &returns,
        )
        .map(Body::Table),
        Kind::Perm(members) => node.perm(definition, members[binding.member], &params, &returns),
    };
    let (vars, counters, given_as_public) = (node.vars, node.counters.len() as u32, node.given_as_public);
    if shared.has_errors_since(mark) {
        return None;
    }
    let instruction = definition.attributes.iter().find_map(|a| match a.kind {
        AttributeKind::Instruction(instruction) => Some(instruction),
        _ => None,
    });
    if let Some(diagnostic) =
        instruction.and_then(|it| instructions::misshapen(definition.name, it, &vars, &params, &returns))
    {
        shared.report(diagnostic);
        return None;
    }
    Some(Node {
        name: definition.name.name.clone(),
        symbol: String::new(),
        span: definition.span,
        inline: if definition.has(AttributeKind::Inline) {
            Some(true)
        } else {
            definition.has(AttributeKind::NoInline).then_some(false)
        },
        interleave: definition.attributes.iter().find_map(|a| match a.kind {
            AttributeKind::Interleave(n) => Some(n),
            _ => None,
        }),
        no_opt: definition.has(AttributeKind::NoOpt),
        instruction,
        vars,
        params,
        returns,
        body: body?,
        counters,
        given_as_public,
    })
}

impl<'d, 'a> NodeElaborator<'_, 'd, 'a> {
    /// Makes variables of declarations. Returns those that are words.
    fn declare(&mut self, definition: &Definition<'_>, declared: &'d [Declared<'a>]) -> Vec<VarId> {
        let mut ids = Vec::new();
        for d in declared {
            let meaning = match &d.ty {
                SourceType::Nat => Meaning::Nat,
                SourceType::Wrong => Meaning::Unknown,
                SourceType::Words(ty) => match self.binding.ty(ty) {
                    Ok(ty) => {
                        let id = self.add(variable(d, ty));
                        ids.push(id);
                        Meaning::Words(id)
                    }
                    Err(unbound) => {
                        let name = &definition.name;
                        let diagnostic = self.shared.unbound(unbound, d, &name.name, name.span);
                        self.shared.report(diagnostic);
                        Meaning::Unknown
                    }
                },
            };
            self.has_nats |= meaning == Meaning::Nat;
            self.names.entry(&d.name.name).or_insert(meaning);
        }
        ids
    }

    pub(crate) fn add(&mut self, var: Var) -> VarId {
        self.vars.push(var);
        VarId(self.vars.len() as u32 - 1)
    }

    pub(crate) fn bind_nats(&mut self, params: &'d [Declared<'_>]) {
        let nats = params.iter().filter(|d| d.ty == SourceType::Nat);
        for (d, &value) in nats.zip(&self.binding.nats) {
            self.nats.insert(&d.name.name, NatValue { value: Affine::constant(value), level: 0 });
        }
    }

    fn few_enough_atoms(&mut self, definition: &Definition<'_>) -> bool {
        let atoms: u64 = self.vars.iter().map(|v| u64::from(v.ty.atoms())).sum();
        let few = atoms <= NODE_ATOMS;
        if !few {
            let message = format!("the variables of `{}` have {atoms} atoms", definition.name.name);
            let diagnostic = Diagnostic::error(&limits::E0601, definition.name.span, message)
                .note(format!("the limit is {NODE_ATOMS} in one node"));
            self.shared.report(diagnostic);
        }
        few
    }

    fn steps(
        &mut self,
        definition: &Definition<'_>,
        statements: &'d [Statement],
        params: &[VarId],
        returns: &[VarId],
    ) -> Option<Body> {
        let declared = self.vars.len();
        let body = self.block(statements).ok()?;
        let mut trees = std::mem::take(&mut self.prologue);
        trees.extend(body);
        self.check_outputs(&trees, returns);
        // The element of a loop has its value when an iteration begins.
        let inputs: Vec<VarId> = params.iter().chain(&self.elements).copied().collect();
        let problem = order::Problem {
            params: &inputs,
            returns,
            assigned_wrongly: &self.assigned_wrongly,
            declared,
            span: definition.name.span,
        };
        order::order(self.shared, &mut self.vars, &problem, trees).map(Body::Steps)
    }

    /// The body of a perm that is a node of its own, because it is the entry.
    fn perm(
        &mut self,
        definition: &Definition<'_>,
        entries: &ast::Entries,
        params: &[VarId],
        returns: &[VarId],
    ) -> Option<Body> {
        let read = |id: &VarId| self.read(Self::whole(&self.vars, *id), definition.span);
        let operand = self.concat(params.iter().map(read).collect(), definition.span);
        let wanted = self.shape_of(returns);
        let pattern = crate::tables::perm(self.shared, definition, entries, operand.shape.count(), wanted.count())?;
        let value = crate::tables::select(self.shared, definition, operand, pattern, &wanted)?;
        let targets = returns.iter().map(|&id| Self::whole(&self.vars, id)).collect();
        let assign = crate::program::Assign { targets, value, span: definition.span };
        Some(Body::Steps(vec![crate::program::Step::Assign(assign)]))
    }

    fn shape_of(&self, vars: &[VarId]) -> Shape {
        let types: Vec<Ty> = vars.iter().map(|id| self.vars[id.0 as usize].ty.clone()).collect();
        shape_of(&types)
    }

    // ---- Names and static values ----

    pub(crate) fn counter(&self, name: &str) -> Option<&ActiveLoop<'d>> {
        self.loops.iter().rev().find(|l| l.name == name)
    }

    /// The meaning of a name here; counters are nats.
    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        if self.counter(name).is_some() { Some(Meaning::Nat) } else { self.names.get(name).copied() }
    }

    /// The value of a static expression, affine in counters.
    pub(crate) fn affine(&mut self, expr: &ast::Expr, role: Role) -> Result<Affine> {
        let value = statics::evaluate(expr, &mut |variable| self.nat(variable, role));
        value.or_else(|error| match error {
            StaticError::Wrong(diagnostic) => self.fail(*diagnostic),
            StaticError::Lookup(Some(diagnostic)) => self.fail(*diagnostic),
            StaticError::Lookup(None) | StaticError::Unreadable => Err(Stop::Failed),
            StaticError::NotAffine { counters, span, operator } => Err(self.unroll_for(
                &counters,
                span,
                match operator {
                    "*" => "it is multiplied by a counter here",
                    "/" => "it is divided here",
                    _ => "a remainder is taken of it here",
                },
            )),
        })
    }

    /// The value of a static expression that has to be a number; `why` gives the purpose.
    pub(crate) fn constant(&mut self, expr: &ast::Expr, why: &'static str) -> Result<i64> {
        self.constant_for(Role::Value, expr, why)
    }

    /// The value of a static expression in a role that has to be a number; `why` gives the purpose.
    pub(crate) fn constant_for(&mut self, role: Role, expr: &ast::Expr, why: &'static str) -> Result<i64> {
        let value = self.affine(expr, role)?;
        self.number(&value, expr.span, why)
    }

    pub(crate) fn number(&mut self, value: &Affine, span: Span, why: &'static str) -> Result<i64> {
        if value.terms.is_empty() {
            return Ok(value.constant);
        }
        let counters: Vec<_> = value.terms.iter().map(|&(counter, _)| counter).collect();
        Err(self.unroll_for(&counters, span, why))
    }

    /// Asks for unrolling of the outermost loop among those of these counters.
    fn unroll_for(&self, counters: &[CounterId], span: Span, why: &'static str) -> Stop {
        let depth = self.loops.iter().position(|l| l.counter.is_some_and(|c| counters.contains(&c)));
        debug_assert!(depth.is_some(), "a symbolic counter belongs to a loop around its use");
        depth.map_or(Stop::Failed, |depth| Stop::Unroll(Box::new(Unroll { depth, span, why })))
    }

    fn nat(&self, variable: &ast::Variable, role: Role) -> std::result::Result<Affine, Option<Box<Diagnostic>>> {
        let name = variable.name.name.as_str();
        if let Some(active) = self.counter(name) {
            return Ok(active.value.clone());
        }
        match self.names.get(name) {
            Some(Meaning::Nat) => match self.nats.get(name) {
                Some(nat) => Ok(nat.value.clone()),
                None => {
                    let message = format!("the nat `{name}` has no value here");
                    Err(Some(Box::new(Diagnostic::error(&equations::E0412, variable.span, message))))
                }
            },
            Some(Meaning::Words(_)) => {
                let message = format!("{role} has to be known at compile time, but `{name}` is not a nat");
                let error = Diagnostic::error(&types::E0308, variable.span, message);
                Err(Some(Box::new(match role {
                    Role::Bound => error.note(statics::ITERATIONS_ARE_KNOWN),
                    _ => error,
                })))
            }
            _ => self.number_of_constant(&variable.name, role),
        }
    }

    /// The value of a constant's name where a number has to be known at compile time. A name that is nothing was reported.
    fn number_of_constant(
        &self,
        name: &ast::Ident,
        role: Role,
    ) -> std::result::Result<Affine, Option<Box<Diagnostic>>> {
        let definitions = &self.shared.definitions;
        if let Some(number) = definitions.number(&name.name, self.position) {
            return Ok(Affine::constant(number));
        }
        let is_constant = definitions.constant(&name.name, self.position).is_some();
        Err(is_constant.then(|| {
            let message =
                format!("{role} has to be known at compile time, and the value of `{}` is computed", name.name);
            let note = "a constant that is one word and is written as a number, `const n : u32 = 4`, can stand here";
            Box::new(Diagnostic::error(&types::E0308, name.span, message).note(note).note(statics::ONE_BY_ONE))
        }))
    }

    /// The least and the greatest value of an affine expression.
    pub(crate) fn range(&self, value: &Affine) -> Option<(i64, i64)> {
        statics::range(value, |counter| self.counters[counter.0 as usize])
    }

    // ---- Helpers ----

    pub(crate) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Result<T> {
        self.shared.report(diagnostic);
        Err(Stop::Failed)
    }

    /// Goes one level deeper into the source, if that is allowed.
    pub(crate) fn enter(&mut self, span: Span) -> Result<()> {
        if self.depth >= DEPTH {
            return self.too_deep(span);
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    pub(crate) fn too_deep<T>(&mut self, span: Span) -> Result<T> {
        self.fail(Diagnostic::error(&limits::E0604, span, format!("this is nested more than {DEPTH} deep")))
    }

    pub(crate) fn whole(vars: &[Var], var: VarId) -> Place {
        let length = vars[var.0 as usize].ty.atoms();
        Place { var, runs: vec![Run { start: Affine::constant(0), length, stride: 1 }] }
    }

    pub(crate) fn read(&self, place: Place, span: Span) -> Expr {
        let atom = self.vars[place.var.0 as usize].ty.atom;
        let count = place.runs.iter().map(|run| run.length).sum();
        Expr { kind: ExprKind::Read(place), shape: Shape::of(atom, count), span }
    }

    /// Concatenates the parts; neighbouring constants become one.
    pub(crate) fn concat(&self, parts: Vec<Expr>, span: Span) -> Expr {
        let mut shape = Shape::default();
        let mut all: Vec<Expr> = Vec::with_capacity(parts.len());
        for part in parts {
            shape::append(&mut shape, &part.shape);
            match (part.kind, all.last_mut()) {
                (ExprKind::Concat(inner), _) => all.extend(inner),
                (ExprKind::Constant(more), Some(Expr { kind: ExprKind::Constant(values), shape, .. })) => {
                    values.extend(more);
                    shape::append(shape, &part.shape);
                }
                (ExprKind::Elements(more), Some(Expr { kind: ExprKind::Elements(values), shape, .. })) => {
                    values.extend(more);
                    shape::append(shape, &part.shape);
                }
                (kind, _) => all.push(Expr { kind, shape: part.shape, span: part.span }),
            }
        }
        if all.len() == 1
            && let Some(only) = all.pop()
        {
            return Expr { span, ..only };
        }
        Expr { kind: ExprKind::Concat(all), shape, span }
    }

    /// Computes `value` before the current statement, so that it can be read more than once.
    pub(crate) fn name_value(&mut self, value: Expr) -> Result<Expr> {
        if matches!(value.kind, ExprKind::Read(_) | ExprKind::Constant(_) | ExprKind::Elements(_)) {
            return Ok(value);
        }
        let span = value.span;
        let mut targets = Vec::new();
        for &(atom, count) in &value.shape.0 {
            self.shared.spend(EXPRESSION, span)?;
            let name = self.temporary_name();
            let dims = if count == 1 { vec![] } else { vec![count] };
            let ty = Ty { atom, dims };
            let id = self.add(Var {
                name,
                ty,
                shared: false,
                public: false,
                stream: false,
                bytes: atom.usual_order(),
                span,
            });
            targets.push(Self::whole(&self.vars, id));
        }
        let reads = targets.iter().map(|place| self.read(place.clone(), span)).collect();
        self.before.push(Tree::Equation(Equation { targets, value: Some(value), is_update: false, span }));
        Ok(self.concat(reads, span))
    }

    /// A name that is free: this one, or one with underscores after it.
    pub(crate) fn free_name(&self, mut name: String) -> String {
        while self.names.contains_key(name.as_str()) || self.vars.iter().any(|var| var.name == name) {
            name.push('_');
        }
        name
    }

    pub(crate) fn temporary_name(&mut self) -> String {
        loop {
            self.temporaries += 1;
            let name = format!("t_{}", self.temporaries);
            if !self.names.contains_key(name.as_str()) && !self.vars.iter().any(|var| var.name == name) {
                return name;
            }
        }
    }
}

impl Elaborator<'_, '_> {
    /// Fails if less work is left, and takes nothing.
    pub(crate) fn can_spend(&mut self, amount: u64, span: Span) -> Result<()> {
        if amount <= self.budget.left() { Ok(()) } else { self.spend(amount, span) }
    }

    /// Takes a part of the work that a program may take.
    pub(crate) fn spend(&mut self, amount: u64, span: Span) -> Result<()> {
        self.budget.spend(amount, span).map_err(|diagnostic| {
            self.report(*diagnostic);
            Stop::Failed
        })
    }
}
