//! Arrays of a function's own that only ever hold constants are tables in static memory, which are not filled in each call.

use culet_ir::{Func, Inst, Module, Op, Origin, Slot, SlotKind, Type, Value};

/// The module with its functions' tables as such, and without the stores that filled them.
pub(crate) fn with_tables(module: &Module) -> Module {
    let mut module = module.clone();
    module.funcs.iter_mut().for_each(find_tables);
    module
}

fn find_tables(func: &mut Func) {
    for slot in (0..func.slots.len() as u32).map(Slot) {
        if let Some((values, stores)) = table(func, slot) {
            func.slots[slot.index()].kind = SlotKind::Constants(values);
            let body = func.body;
            func.regions[body.index()].insts.retain(|inst| stores.binary_search(inst).is_err());
        }
    }
}

/// The constants of an array of words, and the instructions that store them, in order: each element is stored once, outside of all loops,
/// and nothing is loaded before.
fn table(func: &Func, slot: Slot) -> Option<(Vec<u64>, Vec<Inst>)> {
    let data = func.slot(slot);
    if data.kind != SlotKind::Local || !matches!(data.element, Type::Word(_)) {
        return None;
    }
    let mut values = vec![None; data.length as usize];
    let mut stores = Vec::new();
    let mut is_table = true;
    let mut is_loaded = false;
    func.walk(&mut |inst, data, around| match &data.op {
        Op::Load { slot: from, .. } if *from == slot => is_loaded = true,
        Op::Store { slot: to, index } if *to == slot => {
            let place = values.get_mut(usize::try_from(index.constant).unwrap_or(usize::MAX));
            let is_first = place.is_some_and(|place| {
                let is_free = place.is_none();
                *place = constant(func, data.args[0]);
                is_free
            });
            is_table &= is_first && !is_loaded && around.is_empty() && index.terms.is_empty();
            stores.push(inst);
        }
        _ => {}
    });
    let values: Option<Vec<u64>> = values.into_iter().collect();
    stores.sort_unstable();
    values.filter(|_| is_table).map(|values| (values, stores))
}

fn constant(func: &Func, value: Value) -> Option<u64> {
    let Origin::Result(inst, _) = func.value(value).origin else { return None };
    match &func.inst(inst).op {
        Op::Const(lanes) => lanes.first().copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use culet_ir::{Module, SlotKind, parse};

    use super::with_tables;

    fn module(stores: &str) -> Module {
        let text = format!(
            "entry fn main {{
  input a: w8[3]
  output r: w8[3]
  local t: w8[3]
  v0 = const.w8 0x5
  v1 = const.w8 0x7
  {stores}
  loop i0 = 0 to 2 {{
    v2 = load.w8 t[i0]
    store r[i0], v2
  }}
}}
"
        );
        parse(&text).unwrap_or_else(|error| panic!("{error:?}"))
    }

    fn constants(stores: &str) -> Option<Vec<u64>> {
        let module = with_tables(&module(stores));
        culet_ir::verify(&module).unwrap_or_else(|errors| panic!("{}\n{module}", errors[0]));
        match &module.entry().slots[2].kind {
            SlotKind::Constants(values) => {
                assert!(!module.to_string().contains("store t"), "{module}");
                Some(values.clone())
            }
            _ => None,
        }
    }

    #[test]
    fn constants_alone_are_a_table() {
        assert_eq!(constants("store t[2], v0 store t[0], v1 store t[1], v0"), Some(vec![7, 5, 5]));
    }

    #[test]
    fn what_may_change_is_none() {
        for stores in [
            "store t[0], v0 store t[1], v1 store t[2], v0 store t[0], v0",
            "v8 = load.w8 a[0] store t[0], v0 store t[1], v1 store t[2], v8",
            "store t[0], v0 v8 = load.w8 t[0] store r[0], v8 store t[1], v1 store t[2], v0",
            "store t[0], v0 store t[1], v1 loop i1 = 0 to 1 { store t[2], v0 }",
        ] {
            assert_eq!(constants(stores), None, "{stores}");
        }
    }
}
