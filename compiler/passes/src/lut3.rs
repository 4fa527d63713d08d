//! Three-input functions: cuts of bitwise operations become one ternary operation.

use culet_ir::Module;

use crate::Context;

pub fn run(_module: &mut Module, _context: &Context) {}
