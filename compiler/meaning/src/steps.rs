//! The time that the interpreter will take: known before it starts, because nothing in a program branches on a value.

use culet_types::program::{Atom, BinaryOperator, Body, Expr, ExprKind, NodeId, Program, Step};

/// Steps of one run of `node`, counted as the work on single atoms; `u64::MAX` stands for anything larger.
///
/// Chains of calls double with every link, so a short program can ask for more steps than anybody can wait for.
pub fn steps(program: &Program, node: NodeId) -> u64 {
    // Callees precede callers.
    let mut known = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes[..=node.0 as usize] {
        let own: u64 = node.vars.iter().map(|var| u64::from(var.ty.atoms())).sum();
        let body = match &node.body {
            Body::Table(_) => 0,
            Body::Steps(steps) => steps_of(steps, &known),
        };
        known.push(own.saturating_add(body));
    }
    known.last().copied().unwrap_or(0)
}

fn steps_of(steps: &[Step], known: &[u64]) -> u64 {
    let step = |step: &Step| match step {
        Step::Assign(assign) => expression(&assign.value, known),
        Step::Loop(l) => steps_of(&l.steps, known).saturating_add(1).saturating_mul(l.trip_count()),
    };
    steps.iter().map(step).fold(0, u64::saturating_add)
}

/// Operations on elements of fields take as long as some on words.
fn weight(kind: &ExprKind, atom: Atom) -> u64 {
    let words = u64::from(atom.bits.div_ceil(64));
    match kind {
        _ if atom.field().is_none() => 1,
        ExprKind::Binary { operator: BinaryOperator::Multiply, .. } => 4 * words * words,
        ExprKind::Binary { operator: BinaryOperator::Divide, .. } => 1000 * words * words,
        ExprKind::Decode(_) => 64 * words,
        _ => 4 * words,
    }
}

fn expression(value: &Expr, known: &[u64]) -> u64 {
    let mut waiting = vec![value];
    let mut sum = 0u64;
    while let Some(Expr { kind, shape, .. }) = waiting.pop() {
        sum = sum.saturating_add(1 + shape.0.iter().map(|&(atom, n)| weight(kind, atom) * u64::from(n)).sum::<u64>());
        if let ExprKind::Call { node, .. } = kind {
            sum = sum.saturating_add(known[node.0 as usize]);
        }
        kind.for_each_operand(&mut |operand| waiting.push(operand));
    }
    sum
}
