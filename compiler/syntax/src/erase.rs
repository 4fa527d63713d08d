//! Trees without places, so that two readings of one program compare equal.

use culet_diag::{FileId, Span};

use crate::ast::*;

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// Sets every place in the tree to the beginning of file 0.
pub fn erase_spans(file: &mut File) {
    for item in &mut file.items {
        match item {
            Item::Include(include) => (include.path_span, include.span) = (NOWHERE, NOWHERE),
            Item::TypeAlias(alias) => {
                alias.span = NOWHERE;
                alias.name.span = NOWHERE;
                erase_type(&mut alias.ty);
            }
            Item::Field(field) => {
                field.span = NOWHERE;
                field.name.span = NOWHERE;
                erase_expr(&mut field.modulus);
            }
            Item::Constant(constant) => {
                constant.span = NOWHERE;
                constant.name.span = NOWHERE;
                erase_type(&mut constant.ty);
                erase_expr(&mut constant.value);
            }
            Item::Node(definition) => erase_definition(definition, |body| {
                body.span = NOWHERE;
                body.vars.iter_mut().for_each(erase_declaration);
                erase_statements(&mut body.statements);
            }),
            Item::Perm(definition) | Item::Table(definition) => erase_definition(definition, |entries| {
                entries.span = NOWHERE;
                erase_integers(&mut entries.values);
            }),
        }
    }
}

fn erase_definition<B>(definition: &mut Definition<B>, erase_body: impl FnMut(&mut B)) {
    definition.span = NOWHERE;
    definition.name.span = NOWHERE;
    definition.attributes.iter_mut().for_each(|attribute| attribute.span = NOWHERE);
    definition.params.iter_mut().for_each(erase_declaration);
    definition.returns.iter_mut().for_each(erase_declaration);
    match &mut definition.body {
        Family::One(body) => std::slice::from_mut(body),
        Family::Indexed(bodies) => bodies.as_mut_slice(),
    }
    .iter_mut()
    .for_each(erase_body);
}

fn erase_declaration(declaration: &mut Declaration) {
    declaration.span = NOWHERE;
    declaration.names.iter_mut().for_each(|name| name.span = NOWHERE);
    declaration.modifiers.iter_mut().for_each(|modifier| modifier.span = NOWHERE);
    erase_type(&mut declaration.ty);
}

fn erase_type(ty: &mut Type) {
    ty.span = NOWHERE;
    match &mut ty.base {
        BaseType::Named(name) => name.span = NOWHERE,
        BaseType::Pinned { name, pin } => (name.span, pin.span) = (NOWHERE, NOWHERE),
        BaseType::Nat | BaseType::Words { .. } => {}
    }
    ty.dims.iter_mut().for_each(erase_expr);
}

fn erase_integers(integers: &mut [Integer]) {
    integers.iter_mut().for_each(|integer| integer.span = NOWHERE);
}

fn erase_statements(statements: &mut [Statement]) {
    for statement in statements {
        match statement {
            Statement::Equation(equation) => {
                equation.span = NOWHERE;
                equation.targets.iter_mut().for_each(erase_variable);
                erase_expr(&mut equation.value);
            }
            Statement::Stream(stream) => erase_stream(stream),
            Statement::Forall(forall) => {
                forall.span = NOWHERE;
                forall.counter.span = NOWHERE;
                forall.attributes.iter_mut().for_each(|attribute| attribute.span = NOWHERE);
                erase_expr(&mut forall.first);
                erase_expr(&mut forall.last);
                erase_statements(&mut forall.statements);
            }
        }
    }
}

fn erase_stream(stream: &mut StreamLoop) {
    stream.span = NOWHERE;
    stream.element.span = NOWHERE;
    erase_expr(&mut stream.stream);
    stream.attributes.iter_mut().for_each(|attribute| attribute.span = NOWHERE);
    if let Some(Blocks { size, pad }) = &mut stream.blocks {
        erase_expr(size);
        erase_expr(pad);
    }
    erase_statements(&mut stream.statements);
}

fn erase_variable(variable: &mut Variable) {
    variable.span = NOWHERE;
    variable.name.span = NOWHERE;
    for selector in &mut variable.selectors {
        selector.span = NOWHERE;
        erase_selector(&mut selector.kind);
    }
}

fn erase_selector(kind: &mut SelectorKind) {
    match kind {
        SelectorKind::Index(index) => erase_expr(index),
        SelectorKind::Range(first, last) => {
            erase_expr(first);
            erase_expr(last);
        }
        SelectorKind::Slice(parts) => parts.iter_mut().for_each(erase_selector),
    }
}

fn erase_expr(expr: &mut Expr) {
    expr.span = NOWHERE;
    match &mut expr.kind {
        ExprKind::Literal { ty, .. } => ty.iter_mut().for_each(erase_type),
        ExprKind::Variable(variable) => erase_variable(variable),
        ExprKind::Tuple(elements) => elements.iter_mut().for_each(erase_expr),
        ExprKind::Parenthesised(inner) | ExprKind::Not(inner) | ExprKind::Negate(inner) => erase_expr(inner),
        ExprKind::Binary { left, right, .. } | ExprKind::Comparison { left, right, .. } => {
            erase_expr(left);
            erase_expr(right);
        }
        ExprKind::Selected { operand, selectors } => {
            erase_expr(operand);
            for selector in selectors {
                selector.span = NOWHERE;
                erase_selector(&mut selector.kind);
            }
        }
        ExprKind::Shift { operand, amount, .. } => {
            erase_expr(operand);
            erase_expr(amount);
        }
        ExprKind::Call { name, index, arguments } => {
            name.span = NOWHERE;
            index.iter_mut().for_each(|index| erase_expr(index));
            arguments.iter_mut().for_each(erase_expr);
        }
        ExprKind::Decode { ty, operand, .. } => {
            erase_type(ty);
            erase_expr(operand);
        }
        ExprKind::Shuffle { operand, pattern } => {
            erase_expr(operand);
            erase_integers(pattern);
        }
        ExprKind::Bitmask { operand, bit } => {
            erase_expr(operand);
            erase_expr(bit);
        }
        ExprKind::Pack { high, low, ty } => {
            erase_expr(high);
            erase_expr(low);
            ty.iter_mut().for_each(erase_type);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            erase_expr(condition);
            erase_expr(then);
            erase_expr(otherwise);
        }
        ExprKind::Error => {}
    }
}
