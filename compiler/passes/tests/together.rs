//! Dead code of several modules that share functions.

use culet_ir::{Module, Target, parse};
use culet_passes::{Context, dce_together};

/// A module that calls `thrice`, and needs one of its three results.
fn module(needed: u32) -> Module {
    let text = format!(
        "fn thrice(v0: w8) {{
  v1 = not.w8 v0
  v2 = xor.w8 v0, v1
  v3 = and.w8 v0, v1
  return v1, v2, v3
}}

entry fn main {{
  input a: w8[1]
  output r: w8[1]
  v0 = load.w8 a[0]
  v1, v2, v3 = call thrice(v0)
  store r[0], v{needed}
}}
"
    );
    parse(&text).expect("a module")
}

#[test]
fn a_shared_function_keeps_what_one_module_needs() {
    let mut modules = [module(1), module(2)];
    dce_together(&mut modules, &Context::new(Target::C64));
    let [first, second] = &modules;
    assert_eq!(first.funcs[0], second.funcs[0], "the function is shared no longer");
    let text = first.to_string();
    assert!(text.contains("return v1, v2\n"), "{text}");
    assert!(!text.contains("and.w8"), "{text}");
}

#[test]
fn a_module_drops_functions_that_only_others_call() {
    let mut unused = module(1);
    let entry = unused.entry;
    let main = &mut unused.funcs[entry.index()];
    let body = main.body;
    // The store is the last instruction; without it nothing needs the call.
    let store = main.region_mut(body).insts.pop();
    assert!(store.is_some());
    let mut modules = [unused, module(2)];
    dce_together(&mut modules, &Context::new(Target::C64));
    assert_eq!(modules[0].funcs.len(), 1);
    assert_eq!(modules[1].funcs.len(), 2);
}
