//! Functions on elements of fields that are worth a call: they are large, and much larger than the words that a call
//! passes.

use culet_ir::{FieldOp, Func, Module, Op, Type, Value};

/// Minimum number of instructions of a large function: eight products of 256 bits, as the smallest formula for points has.
pub const LARGE: u64 = 500;

/// Minimum number of instructions of a large function for each word that a call passes. It is between what pays and what
/// does not, in time of x86-64 code by gcc 12 and clang 19. Doublings and sums of points on P-256 have more than 30: gcc's
/// code for a multiple of a point takes half the time if they are kept, clang's as much. Formulas of Ed25519 have 20 and
/// fewer: if all are kept, a multiple of the base point takes a sixth more.
pub const LARGE_PER_WORD: u64 = 26;

/// Minimum number of iterations of the loops around a call that is often run. Loops over the digits of a scalar have
/// more. In Ed25519's verification, the loop that decodes two points has fewer: if it calls a function, nothing is
/// gained.
pub const OFTEN: u64 = 16;

/// Words are counted as those of 64 bits, so that the same functions are kept for all targets.
const WORD_BITS: u64 = 64;

/// Whether each function of a module is large. A call of a large function counts as the words that it passes, any other
/// call as the callee's instructions.
pub(super) fn large(module: &Module) -> Vec<bool> {
    let cost = Cost { module };
    let mut of_calls: Vec<u64> = Vec::new();
    let mut large = Vec::new();
    for func in &module.funcs {
        let mut size = 0u64;
        func.walk(&mut |_, data, _| {
            size = size.saturating_add(match &data.op {
                Op::Call(callee) => of_calls[callee.index()],
                op => cost.operation(func, op, &data.args, &data.results),
            });
        });
        let passed: u64 = func.param_types().into_iter().chain(func.result_types()).map(|ty| cost.words(ty)).sum();
        let is_large = size >= LARGE && size >= LARGE_PER_WORD.saturating_mul(passed);
        of_calls.push(if is_large { 2 * passed } else { size });
        large.push(is_large);
    }
    large
}

struct Cost<'m> {
    module: &'m Module,
}

impl Cost<'_> {
    /// Words of a value.
    fn words(&self, ty: Type) -> u64 {
        match ty.field() {
            Some(id) => self.module.field(id).kind.bits().div_ceil(WORD_BITS),
            None => 1,
        }
    }

    /// About the number of instructions on words that an operation becomes.
    fn operation(&self, func: &Func, op: &Op, args: &[Value], results: &[Value]) -> u64 {
        let words = |values: &[Value]| -> u64 { values.iter().map(|&value| self.words(func.ty(value))).sum() };
        let Op::Field(op) = op else { return words(results).max(1) };
        let element = words(results).max(1);
        let product = 4 * element * element;
        match op {
            FieldOp::Mul | FieldOp::Sqr => product,
            FieldOp::Sop(signs) => product * (signs.len() as u64).max(1),
            // About as many products as an addition chain has outside of its loops, and one in each loop.
            FieldOp::Inv => 16 * product,
            FieldOp::Const(_) => element,
            FieldOp::Lookup => 2 * words(args),
            FieldOp::Add | FieldOp::Sub | FieldOp::Neg | FieldOp::MulC(_) | FieldOp::Select => 4 * element,
            FieldOp::Pack | FieldOp::Unpack => 4 * (words(args) + element),
        }
    }
}
