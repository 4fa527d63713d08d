//! Unrolling: copies of a loop's body in place of the loop.

use culet_ir::Module;

use crate::Context;

pub fn run(_module: &mut Module, _context: &Context) {}
