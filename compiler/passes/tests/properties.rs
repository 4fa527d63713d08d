//! Promises of interleave, lut3 and schedule, on random modules: the verifier accepts the result, and the evaluator
//! finds the same outputs.

use std::collections::BTreeMap;

use culet_ir::{Func, Inst, Module, Op, SlotData, SlotKind, Target, compute, verify};
use culet_passes::{Context, find, max_pressure};
use culet_testing::{Rng, Shape, module_inputs, scrambled_module};

const MODULES: u64 = 250;

/// Random modules of words and of bits, of several sizes, the same in every run; half of them have much dead code.
fn modules() -> impl Iterator<Item = (u64, Module)> {
    (0..MODULES).map(|seed| {
        let shape = if seed % 3 == 0 { Shape::any() } else { Shape::any().bits() };
        let counted = if seed % 4 < 2 { 0 } else { shape.counted };
        let module = scrambled_module(seed, &Shape { size: [10, 30, 80][seed as usize / 3 % 3], counted, ..shape });
        verify(&module).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{module}", errors[0]));
        (seed, module)
    })
}

fn run(pass: &str, module: &Module, context: &Context) -> Module {
    let mut after = module.clone();
    (find(pass).expect("a pass").run)(&mut after, context);
    verify(&after).unwrap_or_else(|errors| panic!("{pass}: {}\n{module}\nbecame\n{after}", errors[0]));
    after
}

fn assert_same_meaning(seed: u64, before: &Module, after: &Module) {
    let mut rng = Rng::new(!seed);
    for _ in 0..4 {
        let inputs = module_inputs(before, &mut rng);
        let expected = compute(before, &inputs).expect("the original runs");
        let actual = compute(after, &inputs).expect("the result runs");
        assert_eq!(expected, actual, "seed {seed}\n{before}\nbecame\n{after}");
    }
}

/// Instructions of all functions, those in loops once.
fn size(module: &Module) -> u64 {
    let mut size = 0;
    module.funcs.iter().for_each(|func| func.walk(&mut |_, _, _| size += 1));
    size
}

#[test]
fn lut3_keeps_the_meaning_and_never_adds() {
    let mut saved = 0;
    for (seed, module) in modules() {
        let after = run("lut3", &module, &Context::new(Target::Avx512));
        assert_same_meaning(seed, &module, &after);
        assert!(size(&after) <= size(&module), "seed {seed}: {} became {}", size(&module), size(&after));
        saved += size(&module) - size(&after);
    }
    assert!(saved > MODULES * 5, "only {saved} operations saved");
}

#[test]
fn lut3_needs_ternary_logic() {
    for (_, module) in modules().take(20) {
        for target in Target::ALL.into_iter().filter(|target| !target.has_ternary_logic()) {
            assert_eq!(run("lut3", &module, &Context::new(target)), module);
        }
    }
}

#[test]
fn schedule_keeps_the_meaning_and_every_instruction() {
    let mut moved = 0;
    for (seed, module) in modules() {
        for target in [Target::Avx2, Target::C32, Target::Avx512] {
            let after = run("schedule", &module, &Context::new(target));
            assert_same_meaning(seed, &module, &after);
            moved += u32::from(after != module);
            for (before, after) in module.funcs.iter().zip(&after.funcs) {
                assert_eq!(before.insts, after.insts, "seed {seed}: instructions themselves stay as they are");
                for (before, after) in before.regions.iter().zip(&after.regions) {
                    assert_eq!(sorted(&before.insts), sorted(&after.insts), "seed {seed}");
                }
            }
        }
    }
    assert!(moved > MODULES as u32, "only {moved} modules were changed");
}

fn sorted(insts: &[Inst]) -> Vec<Inst> {
    let mut insts = insts.to_vec();
    insts.sort_unstable();
    insts
}

/// Slots of the wanted kinds, in the order of the entry.
fn slots(module: &Module, wanted: impl Fn(&SlotKind) -> bool) -> Vec<&SlotData> {
    module.entry().slots.iter().filter(|slot| wanted(&slot.kind)).collect()
}

#[test]
fn every_group_computes_what_the_original_does() {
    for (seed, module) in modules() {
        let mut context = Context::new(Target::Avx2);
        context.interleave = 2 + (seed % 2) as u32;
        context.grain = [0, 1, 3, 10][seed as usize % 4];
        let after = run("interleave", &module, &context);
        let mut rng = Rng::new(!seed);
        let is_input = |kind: &SlotKind| matches!(kind, SlotKind::Input { .. });
        let is_output = |kind: &SlotKind| *kind == SlotKind::Output;
        // Each group has inputs of its own, but for the shared ones.
        let groups: Vec<_> = (0..context.interleave).map(|_| module_inputs(&module, &mut rng)).collect();
        let names: Vec<String> = slots(&module, is_input).iter().map(|slot| slot.name.clone()).collect();
        let place = |name: &str| names.iter().position(|n| n == name).expect("an input of the original");
        let results: Vec<String> = slots(&module, is_output).iter().map(|slot| slot.name.clone()).collect();
        let result = |name: &str| results.iter().position(|n| n == name).expect("an output of the original");
        let shared = |slot: &SlotData| slot.kind == SlotKind::Input { shared: true };
        let group_of = |slot: &SlotData| if shared(slot) { 0 } else { slot.group as usize };
        let merged: Vec<_> =
            slots(&after, is_input).iter().map(|slot| groups[group_of(slot)][place(&slot.name)].clone()).collect();
        let actual = compute(&after, &merged).expect("the result runs");
        let outputs = slots(&after, is_output);
        assert_eq!(outputs.len(), results.len() * context.interleave as usize);
        for (slot, actual) in outputs.iter().zip(actual) {
            let mut inputs = groups[slot.group as usize].clone();
            for slot in slots(&module, |kind| *kind == SlotKind::Input { shared: true }) {
                inputs[place(&slot.name)].clone_from(&groups[0][place(&slot.name)]);
            }
            let expected = compute(&module, &inputs).expect("the original runs");
            assert_eq!(
                expected[result(&slot.name)],
                actual,
                "seed {seed}, group {}\n{module}\nbecame\n{after}",
                slot.group
            );
        }
    }
}

/// Number of occurrences of each operation, by name.
fn histogram(module: &Module) -> BTreeMap<&'static str, u64> {
    let mut histogram = BTreeMap::new();
    for func in &module.funcs {
        func.walk(&mut |_, data, _| *histogram.entry(data.op.name()).or_default() += 1);
    }
    histogram
}

#[test]
fn what_is_shared_is_computed_once() {
    for (seed, module) in modules() {
        let mut context = Context::new(Target::Avx2);
        context.interleave = 3;
        let (before, after) = (histogram(&module), histogram(&run("interleave", &module, &context)));
        for (name, &count) in &after {
            let once = ["const", "loop", "call"].contains(name);
            assert!(count <= before[name] * if once { 1 } else { 3 }, "seed {seed}: {name}");
            assert!(count >= before[name], "seed {seed}: {name}");
        }
        let shared = |data: &culet_ir::InstData, func: &Func| match data.op {
            Op::Load { slot, .. } => func.slot(slot).kind == SlotKind::Input { shared: true },
            _ => false,
        };
        let count = |module: &Module| {
            let mut count = 0;
            module.entry().walk(&mut |_, data, _| count += u32::from(shared(data, module.entry())));
            count
        };
        assert_eq!(
            count(&module),
            count(&run("interleave", &module, &context)),
            "seed {seed}: loads of the shared key"
        );
    }
}

#[test]
fn passes_do_the_same_every_time() {
    for (_, module) in modules().take(40) {
        for pass in ["lut3", "schedule"] {
            let context = Context::new(Target::Avx512);
            assert_eq!(run(pass, &module, &context), run(pass, &module, &context));
        }
    }
}

#[test]
fn pressure_counts_what_is_alive_at_once() {
    let text = "entry fn f {
        input a: w1[3]
        output b: w1[1]
        v0 = load.w1 a[0]
        v1 = load.w1 a[1]
        v2 = load.w1 a[2]
        v3 = const.w1 0x1
        v4 = loop i0 = 0 to 3 (v5 = v0) {
            v6 = xor.w1 v5, v1
            v7 = and.w1 v6, v3
            next v7
        }
        v8 = xor.w1 v4, v2
        store b[0], v8
    }";
    let module = culet_ir::parse(text).expect("the text is right");
    // In the loop: v5, v1 for the next iteration, v2 for later.
    assert_eq!(max_pressure(module.entry()), 3);
}

/// A module whose entry calls a function of `size` sums 300 times. The function takes and gives this number of words.
fn calls_of(passed: usize, size: usize) -> Module {
    let params: Vec<String> = (0..passed).map(|i| format!("v{i}: w8")).collect();
    let list = |first: usize| (first..first + passed).map(|i| format!("v{i}")).collect::<Vec<_>>().join(", ");
    let mut text = format!("fn mixed({}) {{\n", params.join(", "));
    for new in passed..passed + size {
        text += &format!("  v{new} = add.w8 v{}, v{}\n", new - passed, new - 1);
    }
    text += &format!(
        "  return {}\n}}\n\nentry fn main {{\n  input a: w8[{passed}]\n  output r: w8[{passed}]\n",
        list(size)
    );
    (0..passed).for_each(|i| text += &format!("  v{i} = load.w8 a[{i}]\n"));
    for call in 0..300 {
        text += &format!("  {} = call mixed({})\n", list((call + 1) * passed), list(call * passed));
    }
    (0..passed).for_each(|i| text += &format!("  store r[{i}], v{}\n", 300 * passed + i));
    text += "}\n";
    culet_ir::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn a_function_that_computes_no_more_than_it_passes_is_inlined() {
    let calls = |passed: usize, size: usize| {
        let module = calls_of(passed, size);
        let after = run("inline", &module, &Context::new(Target::Avx2));
        histogram(&after).get("call").copied().unwrap_or(0)
    };
    assert_eq!(calls(20, 80), 0, "twice what it takes and gives");
    assert_eq!(calls(20, 81), 300, "more than that");
    assert_eq!(calls(2, 80), 300, "few words are passed");
}
