//! The verifier: breaches that the text can express are in filetests, breaches that only the data structures can are
//! here.

use culet_ir::{Affine, Func, LoopData, Module, Op, Origin, RegionId, Slot, SlotData, SlotKind, Type, Value, W1};
use culet_ir::{CounterId, FuncId, Inst, parse, verify};

#[test]
fn filetests() {
    culet_filetest::run("verify", |case| {
        let module = parse(&case.input).unwrap_or_else(|error| panic!("{error}"));
        let answer = match verify(&module) {
            Ok(()) => "good\n".to_owned(),
            Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
        };
        vec![("expected", answer)]
    });
}

const GOOD: &str = "fn f(v0: w1) {
    v1 = not.w1 v0
    return v1
}
entry fn main {
    output r: w1[4]
    v0 = const.w1 0x1
    v1 = loop i0 = 0 to 3 (v2 = v0) {
        v3 = call f(v2)
        store r[i0], v3
        next v3
    }
}";

/// The breaches after a change to a good module, a line each.
fn breach(change: impl FnOnce(&mut Module)) -> String {
    let mut module = parse(GOOD).unwrap();
    verify(&module).unwrap();
    change(&mut module);
    verify(&module).expect_err("a breach").iter().map(|error| format!("{error}\n")).collect()
}

fn main_of(module: &mut Module) -> &mut Func {
    &mut module.funcs[1]
}

#[test]
fn broken_data_structures_are_found() {
    assert!(breach(|m| m.entry = FuncId(7)).contains("the module has no entry"));
    assert!(breach(|m| m.funcs[0].name = "main".to_owned()).contains("fn main: another function has this name"));
    assert!(breach(|m| m.funcs[0].name = "a b".to_owned()).contains("fn a b: this is no name"));
    assert!(breach(|m| main_of(m).body = RegionId(9)).contains("fn main: this region does not exist"));
    let twice = |m: &mut Module| main_of(m).region_mut(RegionId(0)).insts.push(Inst(0));
    assert!(breach(twice).contains("fn main: instruction 0 is listed twice or does not exist"));
    let foreign = |m: &mut Module| main_of(m).inst_mut(Inst(0)).results[0] = Value(3);
    assert!(breach(foreign).contains("v3 is defined elsewhere"));
    let origin = |m: &mut Module| main_of(m).values[0].origin = Origin::Param(RegionId(0), 0);
    assert!(breach(origin).contains("v0 is defined elsewhere"));
    let absent = |m: &mut Module| main_of(m).inst_mut(Inst(1)).args[0] = Value(99);
    assert!(breach(absent).contains("v99 is not defined here"));
    let operands = |m: &mut Module| m.funcs[0].inst_mut(Inst(0)).args.clear();
    assert!(breach(operands).contains("has () → (w1), not (w1) → (w1)"));
    let callee = |m: &mut Module| main_of(m).inst_mut(Inst(2)).op = Op::Call(FuncId(1));
    assert!(breach(callee).contains("the callee does not stand above"));
}

#[test]
fn broken_loops_and_slots_are_found() {
    fn edit(m: &mut Module, change: impl FnOnce(&mut LoopData)) {
        match &mut main_of(m).inst_mut(Inst(1)).op {
            Op::Loop(l) => change(l),
            _ => unreachable!("the second instruction is the loop"),
        }
    }
    assert!(breach(|m| edit(m, |l| l.region = RegionId(0))).contains("this region is the body of something else, too"));
    assert!(breach(|m| edit(m, |l| l.counter = CounterId(1))).contains("belongs to another loop"));
    assert!(breach(|m| edit(m, |l| l.last = 1 << 40)).contains("a bound is too large"));
    let slot = SlotData { name: "r".to_owned(), kind: SlotKind::Local, element: W1, length: 1, group: 0 };
    assert!(breach(|m| main_of(m).slots.push(slot)).contains("fn main: two slots are called r"));
    let index = |terms: Vec<(CounterId, i64)>| {
        move |m: &mut Module| {
            let index = Affine { constant: 0, terms };
            main_of(m).inst_mut(Inst(3)).op = Op::Store { slot: Slot(0), index };
        }
    };
    let zero = breach(index(vec![(CounterId(0), 1), (CounterId(0), 0)]));
    assert!(zero.contains("not in normal form"), "{zero}");
    let other = breach(index(vec![(CounterId(5), 1)]));
    assert!(other.contains("uses a counter of no loop around"), "{other}");
    let nowhere =
        |m: &mut Module| main_of(m).inst_mut(Inst(3)).op = Op::Store { slot: Slot(8), index: Affine::constant(0) };
    assert!(breach(nowhere).contains("slot 8 does not exist"));
}

/// Regions that contain themselves, and loops deeper than the law allows, are answered and do not overflow the stack.
#[test]
fn endless_nesting_is_found() {
    let mut func = Func::new("main", &[]);
    let mut region = func.body;
    for _ in 0..10_000 {
        let counter = func.add_counter();
        let inner = func.add_region(&[]);
        let data = LoopData { counter, first: 0, last: 1, unroll: None, lanes: None, over: None, region: inner };
        func.append(region, Op::Loop(Box::new(data)), [], &[]);
        region = inner;
    }
    let module = Module { fields: Vec::new(), funcs: vec![func.clone()], entry: FuncId(0) };
    let errors = verify(&module).unwrap_err();
    assert!(errors.iter().any(|error| error.message.contains("nested")), "{errors:?}");
    // Printing stops, too.
    assert!(module.to_string().contains("too deep"));
    let types: Vec<Type> = func.param_types();
    assert!(types.is_empty());
}
