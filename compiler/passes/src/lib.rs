//! The passes over the intermediate representation: one file a pass, one ordered registry.
//!
//! A pass is a function IR → IR that keeps the meaning of the module, whatever the options say. Functions marked
//! `no_opt` keep their operations as they are written: the optimising passes skip them.

mod alias;
mod blocks;
mod choose;
mod copy;
mod cse;
mod dce;
mod fill;
mod fold;
mod fuse;
pub mod given;
mod hash;
mod inline;
mod interleave;
mod lanes;
mod lut3;
mod marks;
mod memory;
mod pack;
mod schedule;
mod tie;
mod union;
mod unroll;
mod walk;

use culet_ir::{Func, Module, Target};

pub use choose::{Chosen, LEAST_GAIN, Open, Tried, choose};
pub use dce::run_together as dce_together;
pub use inline::{mark_kept, run_together as inline_together};
pub use marks::Marked;
pub use schedule::{chain_length, max_pressure, predicted_cycles};

/// Options of the passes, and the machine that they optimise for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    pub target: Target,
    /// Whether a plain word holds words of as many instances as fit, so that shifts and sums need masks.
    pub packed: bool,
    pub goal: Goal,
    pub unroll: Amount,
    pub inline: Amount,
    /// Whether functions that the source marks are kept where all others are inlined: unless someone asks for all.
    pub keeps_marked: bool,
    /// Number of groups of instances that one call handles; 1 is no interleaving.
    pub interleave: u32,
    /// Number of instructions of one group that run before the next group's turn.
    pub grain: u32,
    pub schedule: Schedule,
    /// Whether ternary logic is used where the target has it.
    pub ternary: Ternary,
    /// Maximum number of accumulators that a fold in lanes is divided among, if not the best number for the target.
    pub lanes: Option<u32>,
    /// Number of elements of a field that stand side by side in a register; 1 if none do.
    pub side_by_side: u32,
    /// Minimum number of groups of blocks for which a fold over elements side by side is worth its powers.
    pub fold_groups: u32,
    /// Bits of the registers in which words of several blocks of a stream stand side by side, the widest first.
    pub block_registers: &'static [u32],
}

/// Extent of a pass that trades size for speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Amount {
    /// Only the changes that attributes demand.
    None,
    /// Changes that the pass's own heuristic finds worth their size.
    #[default]
    Auto,
    All,
}

/// The aim of the choices that are left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The fewest cycles.
    #[default]
    Speed,
    /// The fewest bytes of code and constants.
    Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// Instructions stay where the program put them.
    None,
    /// The order for few live values in bit-sliced code, for latency and ports elsewhere.
    #[default]
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ternary {
    /// Operations of two operands only: some CPUs run more of these than they save.
    None,
    /// Wherever it saves operations.
    #[default]
    Auto,
}

impl Context {
    /// The defaults for a target.
    pub fn new(target: Target) -> Context {
        Context {
            target,
            packed: false,
            goal: Goal::Speed,
            unroll: Amount::Auto,
            inline: Amount::Auto,
            keeps_marked: false,
            interleave: 1,
            grain: 10,
            schedule: Schedule::Auto,
            ternary: Ternary::Auto,
            lanes: None,
            side_by_side: 1,
            fold_groups: target.fold_vectors().1,
            block_registers: target.block_registers(),
        }
    }
}

/// A pass of the registry.
#[derive(Clone, Copy)]
pub struct Pass {
    pub name: &'static str,
    /// One line for the command's help.
    pub about: &'static str,
    pub run: fn(&mut Module, &Context),
}

impl PartialEq for Pass {
    fn eq(&self, other: &Pass) -> bool {
        self.name == other.name
    }
}

pub const INLINE: Pass =
    Pass { name: "inline", about: "put functions' bodies in place of their calls", run: inline::run };
pub const GIVEN: Pass =
    Pass { name: "given", about: "let functions have the constants that all their calls give", run: given::run };
pub const UNROLL: Pass =
    Pass { name: "unroll", about: "put copies of loops' bodies in place of the loops", run: unroll::run };
pub const FOLD: Pass = Pass { name: "fold", about: "compute constants and apply identities", run: fold::run };
pub const COPY: Pass =
    Pass { name: "copy", about: "forward values through slots, loops and trivial operations", run: copy::run };
pub const ALIAS: Pass = Pass { name: "alias", about: "read slots in place of their copies", run: alias::run };
pub const FILL: Pass =
    Pass { name: "fill", about: "fill arrays before the loops that do not change them", run: fill::run };
pub const FUSE: Pass =
    Pass { name: "fuse", about: "let loops that fill arrays go together with loops that read them", run: fuse::run };
pub const CSE: Pass = Pass { name: "cse", about: "compute equal values once", run: cse::run };
pub const DCE: Pass = Pass { name: "dce", about: "remove what no result needs", run: dce::run };
pub const LUT3: Pass =
    Pass { name: "lut3", about: "cover bitwise operations with three-input functions", run: lut3::run };
pub const LANES: Pass = Pass { name: "lanes", about: "divide folds in lanes among accumulators", run: lanes::run };
pub const BLOCKS: Pass =
    Pass { name: "blocks", about: "let blocks of a stream stand side by side in registers", run: blocks::run };
pub const PACK: Pass =
    Pass { name: "pack", about: "let elements that a loop carries stand side by side", run: pack::run };
pub const INTERLEAVE: Pass =
    Pass { name: "interleave", about: "handle several groups of instances in one call", run: interleave::run };
pub const SCHEDULE: Pass =
    Pass { name: "schedule", about: "order instructions for registers or for latency", run: schedule::run };
pub const TIE: Pass =
    Pass { name: "tie", about: "give ternary operations an operand that dies to overwrite", run: tie::run };

/// Every pass, in the order of its first run.
pub const PASSES: &[Pass] = &[
    INLINE, GIVEN, ALIAS, FILL, UNROLL, FOLD, COPY, CSE, DCE, LUT3, LANES, BLOCKS, FUSE, PACK, INTERLEAVE, SCHEDULE,
    TIE,
];

/// The passes in the order in which [`optimise`] runs them: each function is made small before it is copied into
/// others, and the copies are made small together.
pub const PIPELINE: &[Pass] = &[
    FOLD, COPY, CSE, DCE, INLINE, UNROLL, FOLD, COPY, CSE, DCE, FOLD, COPY, CSE, DCE, LUT3, DCE, INTERLEAVE, SCHEDULE,
    TIE,
];

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Maximum number of instructions of a kernel after interleaving; such a kernel takes about 250 megabytes.
pub const MAX_INSTRUCTIONS: u64 = 1 << 20;

/// A module that would have more than [`MAX_INSTRUCTIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    pub instructions: u64,
}

/// Runs the whole pipeline. `observe` sees the module after each pass; a pass that runs twice is seen twice.
///
/// # Errors
///
/// When interleaving would make the module too large: unlike unrolling and inlining, it cannot be done by less.
///
/// # Panics
///
/// In debug builds, if the module breaks the verifier's law before or after a pass.
pub fn optimise(
    module: &mut Module,
    context: &Context,
    observe: &mut dyn FnMut(&'static Pass, &Module),
) -> Result<(), TooLarge> {
    debug_verify(module, "lower");
    for pass in PIPELINE {
        if *pass == INTERLEAVE && context.interleave > 1 {
            let instructions = module.funcs.iter().map(|func| func.insts.len() as u64).sum::<u64>();
            let instructions = instructions.saturating_mul(u64::from(context.interleave));
            if instructions > MAX_INSTRUCTIONS {
                return Err(TooLarge { instructions });
            }
        }
        (pass.run)(module, context);
        // Parts of the arenas that a pass left unused go, so that memory does not grow and the text reads back as it
        // is.
        module.compact();
        debug_verify(module, pass.name);
        observe(pass, module);
    }
    Ok(())
}

fn debug_verify(module: &Module, after: &str) {
    if cfg!(debug_assertions)
        && let Err(errors) = culet_ir::verify(module)
    {
        panic!("after {after}: {}\n{module}", errors[0]);
    }
}

/// Replaces every function that may be optimised by the pass's result.
fn each_func(module: &mut Module, pass: impl Fn(&Func) -> Func) {
    for func in module.funcs.iter_mut().filter(|func| !func.no_opt) {
        *func = pass(func);
    }
}
