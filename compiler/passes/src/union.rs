//! One module of several: functions that they have in common are there once.

use culet_ir::{Func, FuncId, Module, Op};

pub struct Union {
    pub module: Module,
    /// The entries of the modules.
    pub entries: Vec<FuncId>,
    /// For each module, the places of its functions.
    pub places: Vec<Vec<FuncId>>,
}

/// The union of modules over the same fields; `None` if their fields differ, or if there is no module.
pub fn of(modules: &[Module]) -> Option<Union> {
    let first = modules.first()?;
    if modules.iter().any(|module| module.fields != first.fields) {
        return None;
    }
    let (mut funcs, mut entries, mut all_places) = (Vec::new(), Vec::new(), Vec::new());
    for module in modules {
        let mut places: Vec<FuncId> = Vec::with_capacity(module.funcs.len());
        for func in &module.funcs {
            // Callees come before callers, so that their places are known.
            let func = with_callees(func, &places);
            let place = funcs.iter().position(|other| *other == func).unwrap_or(funcs.len());
            if place == funcs.len() {
                funcs.push(func);
            }
            places.push(FuncId(place as u32));
        }
        entries.push(places[module.entry.index()]);
        all_places.push(places);
    }
    let module = Module { fields: first.fields.clone(), funcs, entry: entries[0] };
    Some(Union { module, entries, places: all_places })
}

/// The function with other numbers for those that it calls.
fn with_callees(func: &Func, places: &[FuncId]) -> Func {
    let mut func = func.clone();
    for inst in &mut func.insts {
        if let Op::Call(callee) = &mut inst.op {
            *callee = places[callee.index()];
        }
    }
    func
}
