//! The intermediate representation: structured SSA over words of one instance.

pub mod func;
pub mod op;
pub mod target;

pub use func::{
    Func, FuncId, Index, Inst, InstData, LoopData, Module, Origin, Region, RegionId, Slot, SlotData, SlotKind,
};
pub use func::{Value, ValueData, Values};
pub use op::{Op, Type, W1};
pub use target::Target;
