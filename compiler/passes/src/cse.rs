//! Common subexpressions: equal values are computed once.
//!
//! First, operations in the same or an enclosing region that are the same function of the same values become one;
//! operands of commutative operations may stand in either order. Loads of one element become one unless a store between
//! them may change it. Calls are pure, so equal calls become one too.
//!
//! Then chains of `and`, `or` and `xor` are rearranged ([`chains`]) where that makes fewer operations.

mod chains;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Func, Inst, Module, Op, Type, Values};

use crate::hash::Map;
use crate::memory::Memory;
use crate::{Context, each_func};

pub fn run(module: &mut Module, context: &Context) {
    // One operation of three operands does the work of a pair and a leaf: only a pair that more chains share pays.
    let least = if context.target.has_ternary_logic() { 3 } else { 2 };
    each_func(module, |func| chains::share(&transform(func, &mut Number::new(func)), least));
}

/// The value numbering: a value's number is the first value found equal to it.
struct Number {
    /// For each operation on numbered values, its results. The type tells constants apart.
    known: Map<Key, Values>,
    memory: Memory,
    /// Keys that were added in the enclosing loops, in order.
    added: Vec<Key>,
}

type Key = (Op, Values, Option<Type>);

impl Number {
    fn new(func: &Func) -> Number {
        Number { known: Map::default(), memory: Memory::new(func), added: Vec::new() }
    }
}

impl Transform for Number {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let from = copier.from;
        let data = from.inst(inst);
        match &data.op {
            Op::Loop(l) => {
                let inits = copier.args(inst);
                let (new, around) = copier.begin_loop(to, l, &inits);
                let params = to.func.region(to.region).params.clone();
                copier.enter_loop(to, l, &params);
                self.memory.enter_loop(from, l, to.newest_counter());
                let before = self.added.len();
                let next = copier.region(self, to, l.region);
                // Values that the body computes are not visible after it.
                for key in self.added.drain(before..) {
                    self.known.remove(&key);
                }
                self.memory.leave_loop();
                to.end_loop(around, next);
                copier.set_all(&data.results, &to.func.inst(new).results);
            }
            Op::Load { slot, index } => {
                let index = copier.index(index);
                match self.memory.load(*slot, &index) {
                    Some(value) => copier.set(data.results[0], value),
                    None => {
                        copier.keep(to, inst);
                        self.memory.learn(*slot, &index, copier.value(data.results[0]));
                    }
                }
            }
            Op::Store { slot, index } => {
                copier.keep(to, inst);
                self.memory.forget(*slot, &copier.index(index));
            }
            op => {
                let mut args = copier.args(inst);
                if op.is_commutative() || matches!(op, Op::AddC) {
                    args[..2].sort_unstable();
                }
                let key = (op.clone(), args, data.results.first().map(|&result| from.ty(result)));
                match self.known.get(&key) {
                    Some(results) => copier.set_all(&data.results, results),
                    None => {
                        let new = copier.keep(to, inst);
                        self.known.insert(key.clone(), to.func.inst(new).results.clone());
                        self.added.push(key);
                    }
                }
            }
        }
    }
}
