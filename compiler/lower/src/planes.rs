//! Bitsliced atoms held together: one vector an atom, a lane for each of its bits, each lane a whole register.
//!
//! Such a program is lowered as if it were horizontal, because the operations are the same: bitwise ones lane by lane,
//! shifts and shuffles as permutations of lanes. Only the places of the lanes differ, and the layout decides these. C
//! compilers make wide instructions of such vectors even where the registers are plain words.

use culet_types::program::{Atom, BinaryOperator, Body, Expr, ExprKind, NodeId, Program, Slicing, Step};

use crate::usage::operands;

/// Widths must be multiples of this, so that vectors are filled.
const GRANULE: u32 = 4;

/// The program with every bitsliced atom of several bits as a horizontal one, if that can express it and is of use.
pub(crate) fn together(program: &Program, nodes: &[NodeId]) -> Option<Program> {
    let mut any = false;
    for &id in nodes {
        let node = program.node(id);
        if !node.vars.iter().all(|var| fits(var.ty.atom)) {
            return None;
        }
        any |= node.vars.iter().any(|var| var.ty.atom.bits > 1);
        if let Body::Steps(steps) = &node.body
            && !steps_fit(steps)
        {
            return None;
        }
    }
    any.then(|| {
        let mut program = program.clone();
        for &id in nodes {
            let node = &mut program.nodes[id.0 as usize];
            node.vars.iter_mut().for_each(|var| turn(&mut var.ty.atom));
            if let Body::Steps(steps) = &mut node.body {
                turn_steps(steps);
            }
        }
        program
    })
}

fn fits(atom: Atom) -> bool {
    atom.bits == 1 || atom.slicing == Slicing::Bitslice && atom.bits <= 64 && atom.bits.is_multiple_of(GRANULE)
}

fn steps_fit(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Loop(l) => steps_fit(&l.steps),
        Step::Assign(assign) => {
            let mut waiting = vec![&assign.value];
            while let Some(expression) = waiting.pop() {
                if !expression_fits(expression) {
                    return false;
                }
                waiting.extend(operands(expression));
            }
            true
        }
    })
}

/// Whether lanes express an expression well: carries do not pass between lanes, and vectors of different lengths are not
/// joined.
fn expression_fits(expression: &Expr) -> bool {
    let wide = expression.shape.0.iter().any(|(atom, _)| atom.bits > 1);
    expression.shape.0.iter().all(|&(atom, _)| fits(atom))
        && match &expression.kind {
            // Tables of constants become circuits where bits lie apart.
            ExprKind::Pack { .. } | ExprKind::Lookup { .. } => false,
            ExprKind::Binary { operator, .. } => {
                !wide || matches!(operator, BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor)
            }
            _ => true,
        }
}

fn turn(atom: &mut Atom) {
    if atom.bits > 1 {
        atom.slicing = Slicing::Horizontal;
    }
}

fn turn_steps(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::Loop(l) => turn_steps(&mut l.steps),
            Step::Assign(assign) => {
                let mut waiting = vec![&mut assign.value];
                while let Some(Expr { kind, shape, .. }) = waiting.pop() {
                    shape.0.iter_mut().for_each(|(atom, _)| turn(atom));
                    kind.for_each_operand_mut(&mut |operand| waiting.push(operand));
                }
            }
        }
    }
}
