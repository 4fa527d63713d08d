//! Inlining: a function's body in place of its calls.
//!
//! - `none`: a function is inlined if it is marked `inline`.
//! - `auto`: a function is inlined if it is marked `inline`. Unless it is marked `no_inline`, it is also inlined if it
//!   has one call, or if it is small and all copies together have at most [`AUTO_SMALL_TOTAL`] instructions, or if the copies beyond the first have at most [`AUTO_GROWTH`] instructions together and those of the whole module at
//!   most [`AUTO_TOTAL`].
//! - `all`: a function is always inlined, whatever its mark; if nobody asked for it, unless it is marked `no_inline`.
//!
//! Where the goal is size, `auto` inlines a function only if it is marked `inline`, has one call, or has at most [`SMALLEST`] instructions; `none` does so with
//! functions without elements of fields.
//!
//! A module with elements of fields, whose operations are many instructions each, goes another way with `auto`: a
//! function is kept, unless it is marked `inline`, if it is called from several places, or often in a loop, and is
//! [large](kept).
//! A call whose operands are all constants is replaced even so, unless the function is marked `no_inline`: operations on
//! constants are computed when the program is compiled.
//!
//! A function is small if it has at most [`SMALL`] instructions, or at most twice as many as it takes and gives values: each of them is stored for a
//! call and loaded again.
//!
//! So an S-box that a round calls some dozens of times goes into the round, and one that an unrolled cipher calls
//! hundreds of times stays a function. Calls are counted with the copies that their callers become. A function marked
//! `no_opt` is never inlined, nor is anything inlined into it. An instruction stays a call: passes see it only where the
//! target has it. The module grows by at most [`MAX_GROWTH`] instructions.
//!
//! All copies of a body in one function share that body's local slots: their contents do not outlive a copy.
//!
//! Modules whose code will share functions are decided together: a call in one of them counts in all.

mod kept;

use std::collections::HashMap;

use culet_ir::rewrite::{Builder, Copier, Keep, Transform, transform};
use culet_ir::{FieldOp, Func, FuncId, Inst, Module, Op, Slot, Target, Type, Value};

use crate::walk::{size, type_weight};
use crate::{Amount, Context, Goal, union};

/// Maximum number of instructions of a function that is small whatever it takes and gives; the call alone costs about as much.
pub const SMALL: u64 = 32;
/// Maximum number of instructions of a function whose copies have fewer bytes than its calls, as measured on RV32.
pub const SMALLEST: u64 = 4;
pub const AUTO_GROWTH: u64 = 8_000;
pub const AUTO_TOTAL: u64 = 30_000;
/// Maximum number of instructions that the copies of small functions may add in all.
pub const AUTO_SMALL_TOTAL: u64 = 100_000;
pub const MAX_GROWTH: u64 = 1 << 19;

pub fn run(module: &mut Module, context: &Context) {
    let inlined = decide(module, &[module.entry], context);
    inline(module, &inlined, context);
}

/// Marks the functions on words whose calls C and Rust compilers must keep: all with `none`, or where the goal is size. Elsewhere these compilers
/// choose, whatever marks the
/// source has: what it wants is done.
pub fn mark_kept(module: &mut Module, context: &Context) {
    let is_kept = context.inline == Amount::None || context.goal == Goal::Size;
    let mark = is_kept.then_some(false);
    module.funcs.iter_mut().for_each(|func| func.inline = mark);
}

/// Inlines in all modules. A function that several of them have is inlined in all or in none.
pub fn run_together(modules: &mut [Module], context: &Context) {
    let Some(union) = union::of(modules) else {
        modules.iter_mut().for_each(|module| run(module, context));
        return;
    };
    let inlined = decide(&union.module, &union.entries, context);
    for (module, places) in modules.iter_mut().zip(&union.places) {
        let own: Vec<bool> = places.iter().map(|place| inlined[place.index()]).collect();
        inline(module, &own, context);
    }
}

/// Replaces the calls of functions that are `inlined`.
fn inline(module: &mut Module, inlined: &[bool], context: &Context) {
    let folds = context.inline == Amount::Auto && !module.fields.is_empty();
    if !folds && !inlined.contains(&true) {
        return;
    }
    let mut done: Vec<Func> = Vec::with_capacity(module.funcs.len());
    for func in &module.funcs {
        let new = if func.no_opt {
            func.clone()
        } else {
            transform(func, &mut Inline { callees: &done, inlined, folds, slots: HashMap::new() })
        };
        done.push(new);
    }
    module.funcs = done;
}

/// For each function, whether its calls are replaced. Callers come after callees, so from last to first it is known
/// how many copies of each call there will be.
fn decide(module: &Module, entries: &[FuncId], context: &Context) -> Vec<bool> {
    let is_entry = |i: usize| entries.iter().any(|entry| entry.index() == i);
    let mut inlined = vec![false; module.funcs.len()];
    let mut calls = vec![0u64; module.funcs.len()];
    let mut total = 0u64;
    let large = (!module.fields.is_empty()).then(|| kept::large(module));
    // How often loops run each call, at most.
    let mut iterations = vec![1u64; module.funcs.len()];
    for (i, func) in module.funcs.iter().enumerate().rev() {
        if !is_entry(i) && calls[i] > 0 && !func.no_opt && func.instruction.is_none() {
            let size = size(func, context.target);
            let growth = size.saturating_mul(calls[i] - 1);
            let grown = total.saturating_add(growth);
            let pays = match &large {
                Some(large) => !(large[i] && (calls[i] > 1 || iterations[i] >= kept::OFTEN)),
                None if context.goal == Goal::Size => calls[i] == 1 || size <= SMALLEST,
                None => {
                    calls[i] == 1
                        || is_small(func, size, context.target) && grown <= AUTO_SMALL_TOTAL
                        || growth <= AUTO_GROWTH && grown <= AUTO_TOTAL
                }
            };
            let wanted = match context.inline {
                Amount::All => !(context.keeps_marked && func.inline == Some(false)),
                Amount::Auto => func.inline.unwrap_or(pays),
                Amount::None if context.goal == Goal::Size && is_on_words(func) => {
                    func.inline.unwrap_or(calls[i] == 1 || size <= SMALLEST)
                }
                Amount::None => func.inline == Some(true),
            };
            if wanted && grown <= MAX_GROWTH {
                inlined[i] = true;
                total = grown;
            }
        }
        let copies = if inlined[i] { calls[i] } else { 1 };
        let is_used = is_entry(i) || calls[i] > 0;
        let own_iterations = if inlined[i] { iterations[i] } else { 1 };
        func.walk(&mut |_, data, around| {
            if let (Op::Call(callee), true) = (&data.op, is_used && !func.no_opt) {
                let run = around.iter().fold(own_iterations, |run, l| run.saturating_mul(l.trip_count()));
                iterations[callee.index()] = iterations[callee.index()].max(run);
                calls[callee.index()] = calls[callee.index()].saturating_add(copies);
            }
        });
    }
    inlined
}

/// Whether a function has no elements of fields.
fn is_on_words(func: &Func) -> bool {
    func.values.iter().all(|value| !matches!(value.ty, Type::Field(_) | Type::Elements { .. }))
}

/// Whether a call costs about as much as a function's body of this size.
fn is_small(func: &Func, size: u64, target: Target) -> bool {
    let types = func.param_types().into_iter().chain(func.result_types());
    let passed: u64 = types.map(|ty| type_weight(ty, target)).sum();
    size <= SMALL.max(2 * passed)
}

struct Inline<'a> {
    /// The functions above, into which their callees are inlined already.
    callees: &'a [Func],
    inlined: &'a [bool],
    /// Whether calls of constants are replaced, too.
    folds: bool,
    /// Slots of this function that stand for the slots of callees.
    slots: HashMap<(FuncId, Slot), Slot>,
}

impl Transform for Inline<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        match data.op {
            Op::Call(callee) if self.inlined[callee.index()] || self.is_folded(to, callee, &copier.args(inst)) => {
                let results = self.body(to, callee, &copier.args(inst));
                copier.set_all(&data.results, &results);
            }
            _ => drop(copier.copy(self, to, inst)),
        }
    }
}

impl Inline<'_> {
    fn is_folded(&self, to: &Builder, callee: FuncId, args: &[Value]) -> bool {
        let is_constant = |&arg: &Value| {
            let op = to.definition(arg).map(|data| &data.op);
            matches!(op, Some(Op::Const(_) | Op::Field(FieldOp::Const(_))))
        };
        let func = &self.callees[callee.index()];
        self.folds
            && !func.no_opt
            && func.instruction.is_none()
            && func.inline != Some(false)
            && args.iter().all(is_constant)
    }

    fn body(&mut self, to: &mut Builder, id: FuncId, args: &[Value]) -> Vec<Value> {
        let callee = &self.callees[id.index()];
        let mut copier = Copier::new(callee);
        for (i, slot) in callee.slots.iter().enumerate() {
            let slot_id = Slot(i as u32);
            let new = *self.slots.entry((id, slot_id)).or_insert_with(|| to.add_slot(slot));
            copier.set_slot(slot_id, new);
        }
        copier.set_all(&callee.region(callee.body).params, args);
        copier.region(&mut Keep, to, callee.body)
    }
}
