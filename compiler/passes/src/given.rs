//! Given constants: where all calls of a function give parameters the same constants, [`MANY`] at least, the function has the constants
//! itself. Nothing needs the parameters then, and `dce` removes them.
//!
//! A table that is handed from function to function becomes constants of the one that looks something up. Functions with few constants
//! stay what they are: several programs may share them.

use culet_ir::rewrite::{Builder, Copier, Keep};
use culet_ir::{FieldOp, Func, Module, Op, Origin, Value};

use crate::Context;

/// Number of constants that are a table.
pub const MANY: usize = 8;

pub fn run(module: &mut Module, _context: &Context) {
    replace(module, MANY);
}

/// Gives functions their constants, where they are `many` at least.
///
/// Callers come after their callees: from last to first, a function has its constants before the calls in it are looked at.
pub fn replace(module: &mut Module, many: usize) {
    let params = |func: &Func| vec![Given::Nothing; func.region(func.body).params.len()];
    let mut given: Vec<Vec<Given>> = module.funcs.iter().map(params).collect();
    for i in (0..module.funcs.len()).rev() {
        let func = &mut module.funcs[i];
        let is_open = i == module.entry.index() || func.no_opt || func.instruction.is_some();
        let constants = given[i].iter().filter(|given| matches!(given, Given::Constant(_))).count();
        if !is_open && constants >= many {
            *func = with_constants(func, &given[i]);
        }
        func.walk(&mut |_, data, _| {
            if let Op::Call(callee) = data.op {
                let known = &mut given[callee.index()];
                known.iter_mut().zip(&data.args).for_each(|(known, &arg)| known.add(constant(func, arg)));
            }
        });
    }
}

/// The constant that calls give a parameter.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    /// There is no call so far.
    Nothing,
    /// The result of an operation without operands.
    Constant(Op),
    Several,
}

impl Given {
    fn add(&mut self, constant: Option<&Op>) {
        *self = match (&*self, constant) {
            (Given::Nothing, Some(op)) => Given::Constant(op.clone()),
            (Given::Constant(known), Some(op)) if known == op => return,
            _ => Given::Several,
        };
    }
}

/// The operation whose result is a constant.
fn constant(func: &Func, value: Value) -> Option<&Op> {
    let Origin::Result(inst, _) = func.value(value).origin else { return None };
    let op = &func.inst(inst).op;
    matches!(op, Op::Const(_) | Op::Field(FieldOp::Const(_))).then_some(op)
}

/// The function with constants in place of those parameters, which stay, and are not used.
fn with_constants(func: &Func, given: &[Given]) -> Func {
    let mut to = Builder::like(func);
    to.share_slots(func);
    let mut copier = Copier::new(func);
    let (old, new) = (&func.region(func.body).params, to.func.region(to.func.body).params.clone());
    for ((&old, new), given) in old.iter().zip(new).zip(given) {
        let value = match given {
            Given::Constant(op) => to.emit1(op.clone(), [], func.ty(old)),
            Given::Nothing | Given::Several => new,
        };
        copier.set(old, value);
    }
    let results = copier.region(&mut Keep, &mut to, func.body);
    let body = to.func.body;
    to.func.region_mut(body).results = results;
    to.finish()
}
