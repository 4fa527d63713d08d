//! Every operation on every type and target, compiled by all compilers for it, against the evaluator.

mod support;

use culet_ir::Target;
use culet_native::cpu_runs;
use culet_testing::Rng;
use culet_types::program::{ByteOrder, Slicing};
use support::texts::{Text, bits, words};
use support::{Case, Compiler, compare, load, testable};

fn run(cases: Vec<Case>, compilers: &[Compiler], seed: u64) {
    run_with(&cases, compilers, seed, &["-O1"]);
}

fn run_with(cases: &[Case], compilers: &[Compiler], seed: u64, flags: &[&str]) {
    let mut rng = Rng::new(seed);
    let instances = cases.iter().map(|case| case.layout.instances() as usize).max().unwrap_or(1);
    for compiler in compilers {
        let kernel = load(cases, compiler, flags);
        let context = format!("{} {}", cases[0].target.name(), compiler.name());
        for blocks in [1, instances, 2 * instances + 3] {
            compare(cases, &kernel, blocks, &mut rng, &context);
        }
    }
}

#[test]
fn words_in_lanes_of_their_width() {
    for (target, compilers) in testable() {
        let case = |m| Case::new(&format!("w{m}"), &words(m, m), target, Slicing::Vertical, ByteOrder::Big, 0);
        run([8, 16, 32, 64].map(case).into_iter().collect(), &compilers, 1);
    }
}

#[test]
fn words_narrower_than_their_lanes() {
    for (target, compilers) in testable() {
        let case = |(m, lane): (u32, u32)| {
            Case::new(&format!("w{m}in{lane}"), &words(m, lane), target, Slicing::Vertical, ByteOrder::Big, lane)
        };
        run([(2, 8), (5, 16), (13, 32), (24, 64), (31, 64), (8, 64)].map(case).into_iter().collect(), &compilers, 2);
    }
}

/// The kernel of `words` without products; words side by side in a plain register do not have products.
fn words_without_products(m: u32, lane: u32) -> String {
    let with = words(m, lane);
    let mut dropped = Vec::new();
    for line in with.lines().filter(|line| line.contains("mul")) {
        let results = line.split('=').next().unwrap_or("");
        dropped.extend(results.split(',').map(|v| v.trim().to_owned()));
    }
    let mut slots = Vec::new();
    let store = |line: &&str| line.trim().starts_with("store");
    for line in with.lines().filter(store) {
        let (slot, value) = line.trim().trim_start_matches("store ").split_once("[0], ").expect("a store");
        if dropped.iter().any(|v| v == value) {
            slots.push(slot.to_owned());
        }
    }
    let gone = |line: &str| {
        line.contains("mul")
            || slots
                .iter()
                .any(|slot| line.contains(&format!("output {slot}:")) || line.contains(&format!("store {slot}[")))
    };
    with.lines().filter(|line| !gone(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn words_side_by_side_in_plain_registers() {
    for target in [Target::C32, Target::C64] {
        let case = |(m, lane): (u32, u32)| {
            let text = words_without_products(m, lane);
            let stem = format!("w{m}in{lane}");
            Case::new(&stem, &text, target, Slicing::Vertical, ByteOrder::Big, lane).packed()
        };
        let shapes = [(8, 8), (16, 16), (32, 32), (5, 8), (8, 16)];
        let fitting = shapes.into_iter().filter(|(_, lane)| *lane < target.register_bits());
        run(fitting.map(case).collect(), &Compiler::drawn(target), 5);
    }
}

#[test]
fn products_of_words_side_by_side_are_refused() {
    let case = Case::new("w16", &words(16, 16), Target::C64, Slicing::Vertical, ByteOrder::Big, 0).packed();
    let options = culet_emit::Options {
        target: Target::C64,
        stem: "w16".into(),
        provenance: String::new(),
        batch: None,
        in_place: false,
    };
    let errors = culet_emit::emit_c(&case.module, &case.program, &case.layout, &options).expect_err("no products");
    assert_eq!(errors.iter().map(|e| e.code.id).collect::<Vec<_>>(), ["E0752"]);
}

#[test]
fn bits_in_registers_of_their_own() {
    for (target, compilers) in testable() {
        run(vec![Case::new("bits", &bits(), target, Slicing::Bitslice, ByteOrder::Big, 0)], &compilers, 3);
    }
}

fn elements(m: u32, rng: &mut Rng) -> String {
    let ty = format!("v<{m},1>");
    let mut text = Text::new(ty.clone());
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let (a, b) = ("a", "b");
    for op in ["and", "or", "xor", "andn", "add", "sub", "mul", "mulhi"] {
        text.result(&format!("{op}.{ty} {a}, {b}"));
    }
    text.result(&format!("not.{ty} a"));
    text.result(&format!("tern.{ty} a, b, c, 0xca"));
    for k in (0..m).filter(|k| m <= 16 || k % 7 == 1) {
        text.result(&format!("perm.{ty} a, {}", list((0..m).map(|i| ((i + k) % m).to_string()).collect())));
        let shifted = (0..m).map(|i| if i + k < m { (i + k).to_string() } else { "_".to_owned() });
        text.result(&format!("perm.{ty} a, {}", list(shifted.collect())));
    }
    for _ in 0..12 {
        let entry = |r: &mut Rng| if r.below(5) == 0 { "_".to_owned() } else { r.below(m).to_string() };
        let pattern = (0..m).map(|_| entry(rng)).collect();
        text.result(&format!("perm.{ty} a, {}", list(pattern)));
        let bits = (0..m).map(|_| format!("{:#x}", rng.below(2))).collect();
        let constant = text.value(&format!("const.{ty} {}", list(bits)));
        text.result(&format!("xor.{ty} {constant}, b"));
    }
    let quarters: Vec<String> = (0..m).map(|i| ((i + m / 2) % m).to_string()).collect();
    text.result(&format!("perm.{ty} a, {}", list(quarters)));
    text.finish().replace("  input cond: w1[1]\n", "").replace("  v3 = load.w1 cond[0]\n", "")
}

#[test]
fn elements_of_horizontal_atoms() {
    let mut rng = Rng::new(4);
    for (target, compilers) in testable() {
        let widths = [2, 4, 8, 16, 32, 64].into_iter().filter(|&m| m <= target.register_bits());
        let cases = widths.map(|m| {
            let text = elements(m, &mut rng);
            Case::new(&format!("h{m}"), &text, target, Slicing::Horizontal, ByteOrder::Big, 0)
        });
        run(cases.collect(), &compilers, 4);
    }
}

/// Kernels on bitsliced atoms of `m` bits held together: the operations, and slots, loops, calls and conditions.
fn planes(m: u32, rng: &mut Rng) -> [String; 3] {
    let ty = format!("v<{m},1>");
    let mut text = Text::new(ty.clone());
    text.bitwise();
    text.result(&format!("select.{ty} cond, a, b"));
    text.result(&format!("spread.{ty} cond"));
    text.pair(&format!("mulwide.{ty} a, b"), &ty, &ty);
    let conditions = text.finish();
    let loops = format!(
        "fn nine(v0: {ty}, v1: {ty}, v2: {ty}, v3: {ty}, v4: {ty}, v5: {ty}, v6: {ty}, v7: {ty}, v8: {ty}) {{
  v9 = xor.{ty} v0, v8
  v10 = and.{ty} v3, v7
  return v9, v10
}}
entry fn loops {{
  input a: {ty}[5]
  input k: {ty}[1] shared
  output r: {ty}[5]
  output s: {ty}[1]
  local t: {ty}[5]
  v0 = load.{ty} k[0]
  v1 = loop i0 = 0 to 4 (v2 = v0) {{
    v3 = load.{ty} a[i0]
    v4 = xor.{ty} v3, v2
    store t[-i0 + 4], v4
    next v4
  }}
  loop i1 = 4 to 0 {{
    v5 = load.{ty} t[i1]
    v6, v7 = call nine(v5, v1, v5, v1, v5, v1, v5, v1, v0)
    v8 = or.{ty} v6, v7
    store r[i1], v8
  }}
  store s[0], v1
}}
"
    );
    let permutations = elements(m, rng);
    [permutations, conditions, loops]
}

#[test]
fn bitsliced_atoms_held_together() {
    let mut rng = Rng::new(5);
    for (target, widths) in [(Target::C32, [3, 8, 20]), (Target::C64, [2, 4, 12])] {
        let mut cases = Vec::new();
        for m in widths {
            for (i, text) in planes(m, &mut rng).iter().enumerate() {
                cases.push(Case::new(&format!("p{m}_{i}"), text, target, Slicing::Bitslice, ByteOrder::Big, 0));
            }
        }
        // Vectors of 16 bytes, of 32, and none.
        let mut compilers = Compiler::drawn(target);
        run_with(&cases, &compilers, 5, &["-O1"]);
        compilers.retain(|compiler| matches!(compiler, Compiler::C(_)));
        run_with(&cases, &compilers, 6, &["-O1", "-DPLANES_VECTOR=0"]);
        if cpu_runs(Target::Avx2) {
            run_with(&cases, &compilers, 7, &["-O1", "-mavx2"]);
        }
    }
}

#[test]
fn names_of_targets_are_known() {
    assert!(Target::ALL.iter().all(|target| Target::find(target.name()) == Some(*target)));
}
