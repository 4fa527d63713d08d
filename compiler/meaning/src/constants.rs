//! Constants: calls of nodes without parameters, replaced by their values.

use culet_types::program::{Body, Expr, ExprKind, NodeId, Program, Shape, Step};

use crate::packing::ConcreteValue;
use crate::{Interpreter, Value, steps};

/// Maximum number of steps that all constants of a program may take together.
pub const MOST_STEPS: u64 = 1 << 30;

/// Replaces the calls of nodes without parameters by their values. A node that would take more than [`MOST_STEPS`] is
/// returned instead, and nothing has changed.
pub fn evaluate_constants(program: &mut Program) -> Result<(), NodeId> {
    let is_constant = |id: &NodeId| program.node(*id).params.is_empty() && *id != program.entry;
    let constants: Vec<NodeId> = (0..program.nodes.len() as u32).map(NodeId).filter(is_constant).collect();
    let mut total = 0u64;
    for &id in &constants {
        total = total.saturating_add(steps(program, id));
        if total > MOST_STEPS {
            return Err(id);
        }
    }
    let mut values = vec![None; program.nodes.len()];
    let interpreter = Interpreter::new(program);
    for id in constants {
        let results = interpreter.compute(id, &[]).concat();
        values[id.0 as usize] = Some(results);
    }
    for node in &mut program.nodes {
        if let Body::Steps(steps) = &mut node.body {
            replace_in_steps(steps, &values);
        }
    }
    Ok(())
}

type Values = [Option<Vec<ConcreteValue>>];

fn replace_in_steps(steps: &mut [Step], values: &Values) {
    for step in steps {
        match step {
            Step::Loop(l) => replace_in_steps(&mut l.steps, values),
            Step::Assign(assign) => replace(&mut assign.value, values),
        }
    }
}

fn replace(expr: &mut Expr, values: &Values) {
    if let ExprKind::Call { node, .. } = &expr.kind
        && let Some(values) = &values[node.0 as usize]
    {
        *expr = literal(values, expr);
        return;
    }
    expr.kind.for_each_operand_mut(&mut |operand| replace(operand, values));
}

/// An expression with these values, in the place of `call`.
fn literal(values: &[ConcreteValue], call: &Expr) -> Expr {
    let mut rest = values;
    let mut parts = Vec::new();
    for &(atom, count) in &call.shape.0 {
        let (now, later) = rest.split_at(count as usize);
        rest = later;
        let mut words = Vec::new();
        let mut elements = Vec::new();
        for value in now {
            match value {
                Value::Word(word) => words.push(*word),
                Value::Element(element) => elements.push(element.clone()),
            }
        }
        let kind = if elements.is_empty() { ExprKind::Constant(words) } else { ExprKind::Elements(elements) };
        parts.push(Expr { kind, shape: Shape::of(atom, count), span: call.span });
    }
    match <[Expr; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => Expr { kind: ExprKind::Concat(parts), shape: call.shape.clone(), span: call.span },
    }
}
