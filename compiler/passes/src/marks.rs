//! Marks of the source on loops and functions: which are kept, and which are copied.

use culet_ir::{FuncId, Module, Op};

use crate::walk::live_insts;

/// How many of them the source says it of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marked {
    /// There are none at all.
    Absent,
    None,
    Some,
    All,
}

impl Marked {
    fn of(marks: &[Option<bool>]) -> Marked {
        match marks.iter().flatten().count() {
            _ if marks.is_empty() => Marked::Absent,
            0 => Marked::None,
            marked if marked == marks.len() => Marked::All,
            _ => Marked::Some,
        }
    }

    /// Of the loops of a module.
    pub fn loops(module: &Module) -> Marked {
        let mut marks = Vec::new();
        for func in &module.funcs {
            for (_, inst) in live_insts(func) {
                if let Op::Loop(data) = &func.inst(inst).op {
                    marks.push(data.unroll);
                }
            }
        }
        Marked::of(&marks)
    }

    /// Of the functions of a module that others call.
    pub fn functions(module: &Module) -> Marked {
        let is_entry = |index: usize| FuncId(index as u32) == module.entry;
        let others = module.funcs.iter().enumerate().filter(|&(index, _)| !is_entry(index));
        let marks: Vec<Option<bool>> = others.map(|(_, func)| func.inline).collect();
        Marked::of(&marks)
    }
}
