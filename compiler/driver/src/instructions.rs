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
/// E0758 for a node that means something else, with the first operands for which it does; or for which this is not proved.
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
    let node = program.node(id);
    let (claim, name) = (format!("`{}` is not `{}`", node.name, instruction.name()), &node.name);
    match first_difference(&Claim { program, id, instruction }) {
        Found::Nothing => None,
        Found::Difference { operands, is_first } => {
            let bit = Claim { program, id, instruction }.differing_bit(&operands).unwrap_or(0);
            let error = Diagnostic::error(&E0758, node.span, claim);
            let shown = shown(node, &operands);
            let error = error.note(if is_first {
                format!("they first differ where {shown}")
            } else {
                format!("they differ where {shown}, and perhaps for lower operands")
            });
            Some(
                error.note(format!(
                    "bit {bit} of the result, counted from the lowest of 128, is another one in `{name}`"
                )),
            )
        }
        Found::Unknown => {
            let error = Diagnostic::error(&E0758, node.span, format!("{claim}, as far as is known"));
            Some(error.note("neither a proof that they are equal nor operands for which they differ were found"))
        }
    }
}

/// The claim of a node that it is this instruction.
struct Claim<'p> {
    program: &'p Program,
    id: NodeId,
    instruction: Instruction,
}

/// The outcome of checking a claim.
enum Found {
    /// It is true.
    Nothing,
    /// Values of the operands for which it is not. Whether they are the first ones may not be known.
    Difference {
        operands: Vec<u128>,
        is_first: bool,
    },
    Unknown,
}

impl Claim<'_> {
    fn operands(&self) -> usize {
        self.program.node(self.id).params.len()
    }

    /// The results of the node and of the instruction for these operands.
    fn results(&self, terms: &mut Terms, operands: &[Term]) -> [Term; 2] {
        let node = self.program.node(self.id);
        let words = node.params.iter().zip(operands).map(|(&param, &operand)| {
            let ty = &node.var(param).ty;
            let bits = ty.atom.bits;
            (0..ty.atoms()).map(|atom| terms.extract(operand, atom * bits, bits)).collect::<Vec<Term>>()
        });
        let words: Vec<Vec<Term>> = words.collect();
        let result = run(terms, self.program, self.id, &words).concat();
        [terms.concat(&result), culet_isa::meaning(terms, self.instruction, operands)]
    }

    /// The lowest bit of the results that differs.
    fn differing_bit(&self, operands: &[u128]) -> Option<u32> {
        let mut terms = Terms::new();
        let operands: Vec<Term> =
            operands.iter().map(|&value| constant(&mut terms, Instruction::BITS, value)).collect();
        let results = self.results(&mut terms, &operands);
        let values = terms.evaluate(&results, &Assignment::new());
        let difference = values.iter().fold(0, |difference, limbs| difference ^ number(limbs));
        (difference != 0).then(|| difference.trailing_zeros())
    }

    /// Compares for all operands whose bits from `free` on are those of `fixed`. The bits are counted from the lowest of the last operand.
    fn compare(&self, fixed: &[u128], free: u32) -> Found {
        let mut terms = Terms::new();
        let mut operands = Vec::new();
        for (number, &value) in fixed.iter().enumerate() {
            let below = Instruction::BITS * (fixed.len() - 1 - number) as u32;
            let unknown = free.saturating_sub(below).min(Instruction::BITS);
            let mut parts = Vec::new();
            if unknown > 0 {
                parts.push(terms.fresh(InputKind::Word, "operand", unknown));
            }
            if unknown < Instruction::BITS {
                parts.push(constant(&mut terms, Instruction::BITS - unknown, value >> unknown));
            }
            operands.push(terms.concat(&parts));
        }
        let [node, instruction] = self.results(&mut terms, &operands);
        match compare(&mut terms, &[(node, instruction)], &Budget::default()).verdict {
            Verdict::Equal(_) => Found::Nothing,
            Verdict::Different { counterexample, .. } => {
                let values = terms.evaluate(&operands, &counterexample);
                Found::Difference { operands: values.iter().map(|limbs| number(limbs)).collect(), is_first: false }
            }
            Verdict::Undecided { .. } => Found::Unknown,
        }
    }
}

/// The first operands for which a claim is wrong: those with the lowest first operand, of these those with the lowest second one, and so on.
fn first_difference(claim: &Claim<'_>) -> Found {
    let bits = Instruction::BITS * claim.operands() as u32;
    let (mut least, mut is_first) = match claim.compare(&vec![0; claim.operands()], bits) {
        Found::Difference { operands, .. } => (operands, true),
        found => return found,
    };
    let differs = |operands: &[u128]| claim.differing_bit(operands).is_some();
    let zeros = vec![0; claim.operands()];
    if differs(&zeros) {
        return Found::Difference { operands: zeros, is_first: true };
    }
    // From the highest bit on: one stays only if no operands without it, and with the same bits above it, differ. Once that is not known of one, the
    // others are only tried.
    for bit in (0..bits).rev() {
        let (operand, place) = (claim.operands() - 1 - (bit / Instruction::BITS) as usize, bit % Instruction::BITS);
        if least[operand] >> place & 1 == 0 {
            continue;
        }
        let mut without = least.clone();
        without[operand] &= !(1 << place);
        let mut lowest = without.clone();
        lowest[operand] &= !((1 << place) - 1);
        lowest[operand + 1..].fill(0);
        if let Some(lower) = [lowest, without.clone()].into_iter().find(|operands| differs(operands)) {
            least = lower;
            continue;
        }
        let found = if is_first { claim.compare(&without, bit) } else { Found::Unknown };
        match found {
            Found::Nothing => {}
            Found::Difference { operands, .. } => least = operands,
            Found::Unknown => is_first = false,
        }
    }
    Found::Difference { operands: least, is_first }
}

fn number(limbs: &[u64]) -> u128 {
    limbs.iter().rev().fold(0, |number, &limb| number << 64 | u128::from(limb))
}

fn constant(terms: &mut Terms, bits: u32, value: u128) -> Term {
    terms.constant_wide(bits, &[value as u64, (value >> 64) as u64])
}

/// The values of the operands in hexadecimal, such as `state = 0x00…`.
fn shown(node: &Node, operands: &[u128]) -> String {
    let of = |(&param, value): (&VarId, &u128)| format!("{} = {value:#034x}", node.var(param).name);
    node.params.iter().zip(operands).map(of).collect::<Vec<_>>().join(", ")
}
