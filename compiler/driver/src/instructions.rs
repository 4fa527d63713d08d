//! Nodes that stand for instructions: the proof that a node means what its instruction does, which precedes every use of it, and the
//! choice of those that a target has.

use culet_decide::bits::{Budget, Verdict, compare};
use culet_diag::codes::targets::E0758;
use culet_diag::{Diagnostic, Diagnostics};
use culet_ir::{Module, Target};
use culet_meaning::run;
use culet_term::{Assignment, InputKind, Term, Terms};
use culet_types::program::{Instruction, Node, NodeId, Program, VarId};

/// Proves of every node that stands for an instruction that it means what the instruction does, for all operands.
///
/// # Errors
///
/// E0758 for a node that means something else, with operands for which it does; or for which this is not proved.
pub(crate) fn check(program: &Program) -> Result<(), Diagnostics> {
    let mut wrong = Diagnostics::new();
    for (id, node) in (0..).map(NodeId).zip(&program.nodes) {
        if let Some(diagnostic) = node.instruction.and_then(|instruction| difference(program, id, instruction)) {
            wrong.push(diagnostic);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Leaves the mark of an instruction on those functions for which the target has it. The others are functions like any other.
pub(crate) fn choose(module: &mut Module, target: Option<Target>) {
    for func in &mut module.funcs {
        func.instruction = func.instruction.filter(|&it| target.is_some_and(|target| target.has(it)));
    }
}

fn difference(program: &Program, id: NodeId, instruction: Instruction) -> Option<Diagnostic> {
    let mut terms = Terms::new();
    let node = program.node(id);
    let (mut operands, mut words) = (Vec::new(), Vec::new());
    for &param in &node.params {
        let (var, bits) = (node.var(param), node.var(param).ty.atom.bits);
        let operand = terms.fresh(InputKind::Word, &var.name, Instruction::BITS);
        operands.push(operand);
        words.push((0..var.ty.atoms()).map(|atom| terms.extract(operand, atom * bits, bits)).collect::<Vec<Term>>());
    }
    let result = run(&mut terms, program, id, &words).concat();
    let node_means = terms.concat(&result);
    let instruction_means = culet_isa::meaning(&mut terms, instruction, &operands);
    let (claim, name) = (format!("`{}` is not `{}`", node.name, instruction.name()), &node.name);
    match compare(&mut terms, &[(node_means, instruction_means)], &Budget::default()).verdict {
        Verdict::Equal(_) => None,
        Verdict::Different { counterexample, .. } => {
            let bit = first_difference(&terms, [node_means, instruction_means], &counterexample);
            let error = Diagnostic::error(&E0758, node.span, claim);
            let error = error.note(format!("they differ where {}", shown(&terms, node, &operands, &counterexample)));
            Some(
                error.note(format!(
                    "bit {bit} of the result, counted from the lowest of 128, is another one in `{name}`"
                )),
            )
        }
        Verdict::Undecided { .. } => {
            let error = Diagnostic::error(&E0758, node.span, format!("{claim}, as far as is known"));
            Some(error.note("neither a proof that they are equal nor operands for which they differ were found"))
        }
    }
}

fn first_difference(terms: &Terms, pair: [Term; 2], inputs: &Assignment) -> u32 {
    let values = terms.evaluate(&pair, inputs);
    let bit = |value: &[u64], at: u32| value.get(at as usize / 64).is_some_and(|limb| limb >> (at % 64) & 1 == 1);
    (0..Instruction::BITS).find(|&at| bit(&values[0], at) != bit(&values[1], at)).unwrap_or(0)
}

/// The values of the operands in hexadecimal, such as `state = 0x00…`.
fn shown(terms: &Terms, node: &Node, operands: &[Term], inputs: &Assignment) -> String {
    let values = terms.evaluate(operands, inputs);
    let of = |(param, value): (VarId, &[u64])| {
        let limb = |at: usize| value.get(at).copied().unwrap_or(0);
        format!("{} = 0x{:016x}{:016x}", node.var(param).name, limb(1), limb(0))
    };
    let operands = node.params.iter().copied().zip(values.iter().map(AsRef::as_ref));
    operands.map(of).collect::<Vec<_>>().join(", ")
}
