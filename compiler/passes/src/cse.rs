//! Common subexpressions: equal values are computed once.

use culet_ir::Module;

use crate::Context;

pub fn run(_module: &mut Module, _context: &Context) {}
