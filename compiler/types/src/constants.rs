//! Constants: values that are computed once.
//!
//! `const N : T = e` is a node without parameters, `node N () returns (N : T) let N = e tel`. A name that is no
//! variable but such a node stands for the value of its call. The users of a program replace these calls by their
//! values.

use culet_syntax::ast::{self, Definition, Family, Ident, Item, NodeBody, Statement};
use num_traits::ToPrimitive;

use crate::definitions::{Definitions, Kind, SourceType};
use crate::instances::Binding;
use crate::node::{Meaning, NodeElaborator, Result, Stop};
use crate::order::{Equation, Tree};
use crate::program::{Expr, ExprKind, NodeId, Shape, Var};

/// The items with a node for each constant, and for each table that a word indexes.
pub(crate) fn as_nodes(items: &[Item]) -> Vec<Item> {
    items
        .iter()
        .map(|item| match item {
            Item::Constant(constant) => Item::Node(node(constant)),
            Item::Table(table) => crate::word_tables::as_node(table).map_or_else(|| item.clone(), Item::Node),
            other => other.clone(),
        })
        .collect()
}

fn node(constant: &ast::ConstantDefinition) -> Definition<NodeBody> {
    let ast::ConstantDefinition { name, ty, value, span } = constant.clone();
    let target = ast::Variable { name: name.clone(), selectors: Vec::new(), span: name.span };
    let equation = ast::Equation { targets: vec![target], operator: None, is_update: false, value, span };
    let result = ast::Declaration { names: vec![name.clone()], modifiers: Vec::new(), ty, span };
    let body = NodeBody { vars: Vec::new(), statements: vec![Statement::Equation(equation)], span };
    Definition {
        attributes: Vec::new(),
        name,
        params: Vec::new(),
        returns: vec![result],
        body: Family::One(body),
        span,
    }
}

impl Definitions<'_> {
    /// The node whose only result is the value of this name. It has no parameters and is defined before `position`.
    pub(crate) fn constant(&self, name: &str, position: usize) -> Option<usize> {
        let &found = self.by_name.get(name)?;
        let definition = &self.list[found];
        let is_constant = found < position
            && definition.params.is_empty()
            && definition.returns.len() == 1
            && !definition.is_family
            && !definition.has_streams()
            && matches!(definition.kind, Kind::Node(_));
        is_constant.then_some(found)
    }

    /// The number that a constant is, if it is a word whose value is written as a number.
    pub(crate) fn number(&self, name: &str, position: usize) -> Option<i64> {
        let definition = &self.list[self.constant(name, position)?];
        let is_word = matches!(&definition.returns[0].ty, SourceType::Words(ty) if ty.dims.is_empty());
        let Kind::Node(bodies) = &definition.kind else { return None };
        let [Statement::Equation(equation)] = &bodies.first()?.statements[..] else { return None };
        match &equation.value.kind {
            ast::ExprKind::Literal { value, .. } if is_word => value.to_i64(),
            _ => None,
        }
    }
}

impl NodeElaborator<'_, '_, '_> {
    /// The variable that holds the value of a constant. It is made at the constant's first use.
    pub(crate) fn constant_variable(&mut self, name: &Ident) -> Result<Option<Meaning>> {
        let Some(position) = self.shared.definitions.constant(&name.name, self.position) else { return Ok(None) };
        let definition = &self.shared.definitions.list[position];
        if definition.is_wrong() || definition.is_defined_again {
            return Err(Stop::Failed);
        }
        if let Some(&id) = self.constants.get(&position) {
            return Ok(Some(Meaning::Words(id)));
        }
        let binding = Binding { direction: self.binding.direction, ..Binding::default() };
        let Some(instance) = self.shared.instance(position, binding, name.span) else { return Err(Stop::Failed) };
        let [ty] = self.shared.returns(instance) else { return Err(Stop::Failed) };
        let ty = ty.clone();
        let shape = Shape::of(ty.atom, ty.atoms());
        let span = name.span;
        self.shared.spend(u64::from(shape.count()), span)?;
        let bytes = ty.atom.usual_order();
        let var = Var {
            name: self.free_name(name.name.clone()),
            ty,
            shared: false,
            public: false,
            stream: false,
            bytes,
            span,
        };
        let id = self.add(var);
        let argument = Expr { kind: ExprKind::Concat(Vec::new()), shape: Shape::default(), span };
        let call = ExprKind::Call { node: NodeId(instance as u32), argument: Box::new(argument) };
        let targets = vec![Self::whole(&self.vars, id)];
        let value = Some(Expr { kind: call, shape, span });
        self.prologue.push(Tree::Equation(Equation { targets, value, is_update: false, span }));
        self.constants.insert(position, id);
        Ok(Some(Meaning::Words(id)))
    }

    /// Forgets the constants whose variables are not among the first `vars`.
    pub(crate) fn forget_constants(&mut self, vars: usize) {
        self.constants.retain(|_, id| (id.0 as usize) < vars);
        let is_kept = |tree: &Tree| match tree {
            Tree::Equation(equation) => equation.targets.iter().all(|target| (target.var.0 as usize) < vars),
            Tree::Loop(_) => true,
        };
        self.prologue.retain(is_kept);
    }
}
