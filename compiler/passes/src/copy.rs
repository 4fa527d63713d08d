//! Forwarding: a value that is only another value under a new name is replaced by it.

use culet_ir::Module;

use crate::Context;

pub fn run(_module: &mut Module, _context: &Context) {}
