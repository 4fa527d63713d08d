//! The intermediate representation: structured SSA over words of one instance.
//!
//! [`print`] describes the text form, [`mod@verify`] is the law, [`fn@eval`] the meaning,
//! [`rewrite`] the way passes change a function.

mod eval;
pub mod field;
pub mod func;
mod lex;
mod limb_map;
pub mod op;
mod parse;
pub mod print;
pub mod rewrite;
pub mod target;
pub mod verify;

pub use culet_types::field::{Field, FieldKind};
pub use culet_types::program::{Affine, CounterId};
pub use eval::{
    Elements, EvalError, Held, Lanes, Observer, apply, compute, eval, eval_held, eval_observed, eval_words,
};
pub use field::FieldOp;
pub use func::{
    FieldId, Func, FuncId, Index, Inst, InstData, Iterations, LoopData, Module, Origin, Over, Region, RegionId, Runs,
    Slot, SlotData, SlotKind, Which,
};
pub use func::{Value, ValueData, Values};
pub use limb_map::{LimbMap, Part, Stage, Word};
pub use op::{Op, Type, W1};
pub use parse::{ParseError, parse};
pub use target::Target;
pub use verify::{VerifyError, verify};
