//! Calls of nodes with streams: the node's statements are put in place of the call.
//!
//! A parameter that is a stream takes what the call has there, one after another: streams of the caller, and values of a
//! known length. A result that is a stream is the result of the caller that the equation gives. All other parameters and
//! results, and the node's own variables, are variables of the caller's.

use std::collections::HashMap;

use culet_diag::codes::{fields as codes, types};
use culet_diag::{Diagnostic, Span};
use culet_syntax::ast::{self, Ident, Statement};

use crate::definitions::{Declared, Definition, Kind, SourceType, WordsType};
use crate::instances::{Binding, variable};
use crate::literals::Partial;
use crate::node::{Joined, Meaning, NodeElaborator, Result, Stop};
use crate::order::{Equation, Tree};
use crate::program::{Atom, Expr, GivenAsPublic, Shape, Ty, Var, VarId};
use crate::shape;

/// A parameter that is a word, an element or a stream, and the values that it gets.
struct Given<'d, 'a> {
    declared: &'d Declared<'a>,
    ty: &'d WordsType,
    values: Vec<Part>,
}

/// Something that stands where a stream is expected.
pub(crate) enum Part {
    Stream(Joined),
    Value(Expr),
}

impl<'d, 'a> NodeElaborator<'_, 'd, 'a> {
    /// `c = f(k, m)`, where `f` has results that are streams: those are the streams of results that the equation gives.
    /// None if the value is no such call.
    pub(crate) fn streaming_equation(
        &mut self,
        equation: &'d ast::Equation,
        trees: &mut Vec<Tree>,
    ) -> Option<Result<()>> {
        let ast::ExprKind::Call { name, index: None, arguments } = &equation.value.kind else { return None };
        let definition = &self.shared.definitions.list[*self.shared.definitions.by_name.get(name.name.as_str())?];
        if !definition.returns.iter().any(|declared| declared.stream) {
            return None;
        }
        Some(self.streaming_call(equation, definition, arguments, trees))
    }

    fn streaming_call(
        &mut self,
        equation: &'d ast::Equation,
        definition: &'d Definition<'a>,
        arguments: &'d [ast::Expr],
        trees: &mut Vec<Tree>,
    ) -> Result<()> {
        let callee = &definition.name.name;
        if equation.targets.len() != definition.returns.len() || equation.is_update || equation.operator.is_some() {
            let message =
                format!("`{callee}` has streams among its results, so that an equation names them one by one");
            return self.fail(Diagnostic::error(&codes::E0340, equation.span, message));
        }
        let (mut outputs, mut targets, mut wanted) = (Vec::new(), Vec::new(), Shape::default());
        for (target, declared) in equation.targets.iter().zip(&definition.returns) {
            if !declared.stream {
                let (place, shape) = self.place(target)?;
                shape::append(&mut wanted, &shape);
                targets.push(place);
                continue;
            }
            match self.meaning(&target.name.name) {
                Some(Meaning::Words(id))
                    if target.selectors.is_empty() && self.vars[id.0 as usize].stream && !self.params.contains(&id) =>
                {
                    outputs.push(id);
                }
                _ => {
                    let message =
                        format!("`{}` of `{callee}` is a stream: a result `c : u8[*]` takes it", declared.name.name);
                    return self.fail(Diagnostic::error(&codes::E0340, target.span, message));
                }
            }
        }
        let value = self.in_place(definition, arguments, &outputs, equation.value.span)?;
        trees.append(&mut self.before);
        if !targets.is_empty() {
            let value = Some(self.resolve(Partial::Known(value), &wanted)?);
            trees.push(Tree::Equation(Equation { targets, value, is_update: false, span: equation.span }));
        }
        Ok(())
    }

    /// Puts a node in place of its call. `outputs` are the streams that its results are. Returns its other results.
    pub(crate) fn in_place(
        &mut self,
        definition: &'d Definition<'a>,
        arguments: &'d [ast::Expr],
        outputs: &[VarId],
        span: Span,
    ) -> Result<Expr> {
        let position = self.shared.definitions.by_name.get(definition.name.name.as_str()).copied();
        let Some(position) = position.filter(|&position| position < self.position && !definition.is_wrong()) else {
            return Err(Stop::Failed);
        };
        let Kind::Node(bodies) = &definition.kind else { return Err(Stop::Failed) };
        let Some(body) = bodies.first().filter(|_| !definition.is_family) else {
            let message = format!("`{}` has streams, so it is no member of a family", definition.name.name);
            return self.fail(Diagnostic::error(&codes::E0340, span, message));
        };
        let mut binding = Binding::default();
        let given = self.given(definition, arguments, &mut binding, span)?;
        if binding.direction.is_none() {
            binding.direction = self.binding.direction;
        }
        self.enter(span)?;
        let mut names = HashMap::new();
        for Given { declared, ty, values } in given {
            let meaning = self.parameter(definition, declared, (ty, &binding), values, span)?;
            names.insert(declared.name.name.as_str(), meaning);
        }
        let before = std::mem::take(&mut self.before);
        let result = self.inside(position, binding, names, outputs, &body.statements, span);
        let trees = std::mem::replace(&mut self.before, before);
        self.before.extend(trees);
        self.leave();
        result
    }

    /// The values of each parameter. `nat`s and word sizes go to the binding.
    fn given(
        &mut self,
        definition: &'d Definition<'a>,
        arguments: &'d [ast::Expr],
        binding: &mut Binding,
        span: Span,
    ) -> Result<Vec<Given<'d, 'a>>> {
        let formals = &definition.params;
        let streams: Vec<usize> = (0..formals.len()).filter(|&index| formals[index].stream).collect();
        // A stream that is the only one takes all arguments that are left for it.
        let own = match streams[..] {
            [at] if arguments.len() + 1 >= formals.len() => at..at + arguments.len() + 1 - formals.len(),
            _ if arguments.len() == formals.len() => 0..0,
            _ => {
                let message = format!(
                    "`{}` has {} parameters, and the call has {} arguments",
                    definition.name.name,
                    formals.len(),
                    arguments.len()
                );
                let diagnostic = Diagnostic::error(&types::E0321, span, message);
                return self.fail(diagnostic.related(definition.name.span, "defined here"));
            }
        };
        let mut given = Vec::new();
        for (index, declared) in formals.iter().enumerate() {
            let range = match streams[..] {
                [at] if at == index => own.clone(),
                [at] if at < index => index + own.len() - 1..index + own.len(),
                _ => index..index + 1,
            };
            let arguments = &arguments[range];
            match &declared.ty {
                SourceType::Nat => {
                    let value = self.constant(&arguments[0], "a nat argument depends on it")?;
                    binding.nats.push(value);
                }
                SourceType::Wrong => return Err(Stop::Failed),
                SourceType::Words(ty) => {
                    let mut values = Vec::new();
                    for argument in arguments {
                        self.parts(argument, (declared.name, ty), binding, declared.stream, &mut values)?;
                    }
                    given.push(Given { declared, ty, values });
                }
            }
        }
        Ok(given)
    }

    /// The values of an argument; those of a tuple one by one if they are parts of a stream.
    fn parts(
        &mut self,
        argument: &'d ast::Expr,
        (name, ty): (&'d Ident, &'d WordsType),
        binding: &mut Binding,
        is_stream: bool,
        values: &mut Vec<Part>,
    ) -> Result<()> {
        match &argument.kind {
            ast::ExprKind::Parenthesised(inner) => return self.parts(inner, (name, ty), binding, is_stream, values),
            ast::ExprKind::Tuple(parts) if is_stream => {
                return parts.iter().try_for_each(|part| self.parts(part, (name, ty), binding, true, values));
            }
            _ => {}
        }
        if let Some(stream) = self.stream_of(argument).filter(|_| is_stream) {
            let shape = Shape::of(stream.ty.atom, stream.ty.atoms());
            self.unify_with(name, ty, &shape, binding, argument.span)?;
            values.push(Part::Stream(stream));
            return Ok(());
        }
        let value = match self.expr(argument)? {
            Partial::Known(value) => {
                self.unify_with(name, ty, &value.shape, binding, argument.span)?;
                value
            }
            Partial::Open(open) => {
                let atom = self.atom_of(name, ty, binding, open.span)?;
                let count = if is_stream { open.least_count() } else { ty.atoms() };
                self.resolve_open(open, &Shape::of(atom, count))?
            }
        };
        values.push(Part::Value(value));
        Ok(())
    }

    /// The stream that an expression is the name of.
    fn stream_of(&self, expr: &ast::Expr) -> Option<Joined> {
        let ast::ExprKind::Variable(ast::Variable { name, selectors, .. }) = &expr.kind else { return None };
        match self.meaning(&name.name).filter(|_| selectors.is_empty())? {
            Meaning::Joined(index) => Some(self.joined[index].clone()),
            Meaning::Words(id) if self.vars[id.0 as usize].stream => {
                Some(Joined { parts: vec![id], ty: self.vars[id.0 as usize].ty.clone() })
            }
            _ => None,
        }
    }

    /// Makes a parameter what it stands for in the node.
    fn parameter(
        &mut self,
        definition: &Definition<'_>,
        declared: &Declared<'_>,
        (ty, binding): (&WordsType, &Binding),
        values: Vec<Part>,
        span: Span,
    ) -> Result<Meaning> {
        let Ok(ty) = binding.ty(ty) else {
            let message = format!("the type of `{}` is not known here", declared.name.name);
            return self.fail(Diagnostic::error(&types::E0305, span, message));
        };
        if declared.stream {
            let parts = self.named_parts(values, &ty)?;
            self.note_given(declared, &parts, span);
            self.joined.push(Joined { parts, ty });
            return Ok(Meaning::Joined(self.joined.len() - 1));
        }
        let Some(Part::Value(value)) = values.into_iter().next() else { return Err(Stop::Failed) };
        let value = self.resolve(Partial::Known(value), &Shape::of(ty.atom, ty.atoms()))?;
        let id = self.own(definition, declared, ty);
        self.note_given(declared, &[id], value.span);
        let (targets, span) = (vec![Self::whole(&self.vars, id)], value.span);
        self.before.push(Tree::Equation(Equation { targets, value: Some(value), is_update: false, span }));
        Ok(Meaning::Words(id))
    }

    /// Notes what a parameter gets if it is `pub`.
    fn note_given(&mut self, declared: &Declared<'_>, vars: &[VarId], place: Span) {
        if declared.public {
            let (name, vars) = (declared.name.name.clone(), vars.to_vec());
            self.given_as_public.push(GivenAsPublic { name, declared: declared.name.span, place, vars });
        }
    }

    /// The variables that are the parts of a stream; values become variables.
    pub(crate) fn named_parts(&mut self, values: Vec<Part>, ty: &Ty) -> Result<Vec<VarId>> {
        let mut parts = Vec::new();
        for value in values {
            match value {
                Part::Stream(stream) => parts.extend(stream.parts),
                Part::Value(value) if value.shape.count() == 0 => {}
                Part::Value(value) => {
                    let count = value.shape.count();
                    let wanted = Shape::of(ty.atom, count);
                    let value = self.resolve(Partial::Known(value), &wanted)?;
                    parts.push(self.temporary(ty.atom, count, value));
                }
            }
        }
        Ok(parts)
    }

    /// A new variable with this value.
    pub(crate) fn temporary(&mut self, atom: Atom, count: u32, value: Expr) -> VarId {
        let (name, span) = (self.temporary_name(), value.span);
        let ty = Ty { atom, dims: vec![count] };
        let bytes = atom.usual_order();
        let id = self.add(Var { name, ty, shared: false, public: false, stream: false, bytes, span });
        let targets = vec![Self::whole(&self.vars, id)];
        self.before.push(Tree::Equation(Equation { targets, value: Some(value), is_update: false, span }));
        id
    }

    /// A variable of the caller's that stands for one of the node's.
    fn own(&mut self, definition: &Definition<'_>, declared: &Declared<'_>, ty: Ty) -> VarId {
        let name = self.free_name(format!("{}_{}", definition.name.name, declared.name.name).replace('\'', "_"));
        let var = Var { name, shared: false, stream: false, ..variable(declared, ty) };
        self.add(var)
    }

    /// Elaborates the node's statements with its names, and gives the results that are no streams.
    fn inside(
        &mut self,
        position: usize,
        binding: Binding,
        mut names: HashMap<&'d str, Meaning>,
        outputs: &[VarId],
        statements: &'d [Statement],
        span: Span,
    ) -> Result<Expr> {
        let definition = &self.shared.definitions.list[position];
        let member = binding.member;
        let mut outputs = outputs.iter();
        let mut results = Vec::new();
        let returns = definition.returns.iter().map(|declared| (declared, true));
        for (declared, is_result) in returns.chain(definition.locals[member].iter().map(|declared| (declared, false))) {
            let meaning = match &declared.ty {
                SourceType::Nat => Meaning::Nat,
                SourceType::Wrong => Meaning::Unknown,
                SourceType::Words(_) if declared.stream => {
                    let Some(&id) = outputs.next() else {
                        let message = format!(
                            "`{}` is a stream that `{}` gives: an equation `c = {1}(…)` names it, where `c : u8[*]` is a result",
                            declared.name.name, definition.name.name
                        );
                        return self.fail(Diagnostic::error(&codes::E0340, span, message));
                    };
                    Meaning::Words(id)
                }
                SourceType::Words(ty) => {
                    let Ok(ty) = binding.ty(ty) else {
                        let message = format!("the type of `{}` is not known here", declared.name.name);
                        return self.fail(Diagnostic::error(&types::E0305, span, message));
                    };
                    let id = self.own(definition, declared, ty);
                    if is_result {
                        results.push(id);
                    }
                    Meaning::Words(id)
                }
            };
            names.entry(declared.name.name.as_str()).or_insert(meaning);
        }
        for declared in definition.params.iter().filter(|declared| declared.ty == SourceType::Nat) {
            names.insert(&declared.name.name, Meaning::Nat);
        }
        let outer = self.go_inside(position, binding, names);
        self.bind_nats(&definition.params);
        let block = self.block(statements);
        self.go_outside(outer);
        let trees = block?;
        self.before.extend(trees);
        let reads = results.iter().map(|&id| self.read(Self::whole(&self.vars, id), span)).collect();
        Ok(self.concat(reads, span))
    }

    fn go_inside(&mut self, position: usize, binding: Binding, names: HashMap<&'d str, Meaning>) -> Outside<'d> {
        let has_nats = names.values().any(|meaning| *meaning == Meaning::Nat);
        let loops: Vec<&'d str> = self.loops.iter_mut().map(|l| std::mem::take(&mut l.name)).collect();
        Outside {
            position: std::mem::replace(&mut self.position, position),
            binding: std::mem::replace(&mut self.binding, binding),
            names: std::mem::replace(&mut self.names, names),
            nats: std::mem::take(&mut self.nats),
            has_nats: std::mem::replace(&mut self.has_nats, has_nats),
            loops,
        }
    }

    fn go_outside(&mut self, outside: Outside<'d>) {
        let Outside { position, binding, names, nats, has_nats, loops } = outside;
        (self.position, self.binding, self.names) = (position, binding, names);
        (self.nats, self.has_nats) = (nats, has_nats);
        self.loops.iter_mut().zip(loops).for_each(|(l, name)| l.name = name);
    }

    /// The parts of the stream that a loop goes through, and the type of its elements.
    pub(crate) fn parts_of_loop(&mut self, expr: &'d ast::Expr) -> Result<(Vec<VarId>, Ty)> {
        if let Some(stream) = self.stream_of(expr) {
            return Ok((stream.parts, stream.ty));
        }
        let (mut values, mut ty, mut waiting) = (Vec::new(), None, vec![expr]);
        while let Some(expr) = waiting.pop() {
            match (&expr.kind, self.stream_of(expr)) {
                (_, Some(stream)) => {
                    ty.get_or_insert(stream.ty.clone());
                    values.push(Part::Stream(stream));
                }
                (ast::ExprKind::Parenthesised(inner), _) => waiting.push(inner),
                (ast::ExprKind::Tuple(parts), _) => waiting.extend(parts.iter().rev()),
                (_, None) => {
                    let byte =
                        Atom { slicing: self.binding.direction.unwrap_or(crate::program::Slicing::Vertical), bits: 8 };
                    let value = match self.expr(expr)? {
                        Partial::Known(value) => value,
                        Partial::Open(open) => {
                            let count = open.least_count();
                            self.resolve_open(open, &Shape::of(byte, count))?
                        }
                    };
                    if let Some(atom) = shape::uniform(&value.shape) {
                        ty.get_or_insert(Ty { atom, dims: Vec::new() });
                    }
                    values.push(Part::Value(value));
                }
            }
        }
        let Some(ty) = ty else {
            let message = "this is no stream that could be gone through";
            let note = "a parameter `m : u8[*]` is a stream; its length is known when the program runs";
            return self.fail(Diagnostic::error(&codes::E0340, expr.span, message).note(note));
        };
        Ok((self.named_parts(values, &ty)?, ty))
    }
}

/// The state outside of a node that is in place of its call.
struct Outside<'d> {
    position: usize,
    binding: Binding,
    names: HashMap<&'d str, Meaning>,
    nats: HashMap<&'d str, crate::node::NatValue>,
    has_nats: bool,
    loops: Vec<&'d str>,
}
