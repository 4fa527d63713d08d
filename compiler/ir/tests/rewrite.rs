//! The layer that passes share: copying changes nothing by itself.

use culet_ir::rewrite::{Builder, Copier, Keep, Transform, transform};
use culet_ir::{Inst, Op, Slot, parse, verify};

const ALL: &str = include_str!("all.ir");

#[test]
fn a_compact_module_is_itself() {
    let mut module = parse(ALL).unwrap();
    // Its text is in the order of its arenas already, but not because compaction did nothing.
    let copy = transform(&module.funcs[0], &mut Keep);
    assert_eq!(copy, module.funcs[0]);
    module.compact();
    assert_eq!(module, parse(ALL).unwrap());
}

#[test]
fn compaction_closes_holes_and_keeps_the_text_order() {
    let mut module = parse(ALL).unwrap();
    let demo = module.entry.index();
    let text = module.funcs[demo].to_string();
    let body = module.funcs[demo].body;
    let unlisted = module.funcs[demo].region(body).insts.len() as u32 / 2;
    module.funcs[demo].create(Op::constant(1), [], &[culet_ir::W1]);
    assert!(unlisted > 0);
    assert_ne!(module, parse(ALL).unwrap());
    assert_eq!(module.funcs[demo].to_string(), text);
    module.compact();
    assert_eq!(module, parse(ALL).unwrap());
}

#[test]
fn counts_see_loops_and_results() {
    let module = parse(ALL).unwrap();
    let maj = &module.funcs[0];
    assert_eq!(maj.use_counts(), [1, 3, 1, 1, 1, 1, 1]);
}

/// Replaces every `not` by its operand: wrong as a pass, but it shows that uses follow.
struct DropNot;

impl Transform for DropNot {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        match data.op {
            Op::Not => copier.set(data.results[0], copier.value(data.args[0])),
            _ => drop(copier.copy(self, to, inst)),
        }
    }
}

#[test]
fn a_transform_replaces_values_everywhere() {
    let text = "entry fn f {
  output r: w8[3]
  v0 = const.w8 0x3
  v1 = not.w8 v0
  v2 = loop i0 = 0 to 2 (v3 = v1) {
    v4 = not.w8 v3
    v5 = add.w8 v4, v1
    store r[i0], v5
    next v5
  }
}
";
    let module = parse(text).unwrap();
    let expected = "fn f {
  output r: w8[3]
  v0 = const.w8 0x3
  v1 = loop i0 = 0 to 2 (v2 = v0) {
    v3 = add.w8 v2, v0
    store r[i0], v3
    next v3
  }
}
";
    assert_eq!(transform(module.entry(), &mut DropNot).to_string(), expected);
}

/// One loop for two copies of its body, and the body once for each value of the counter: the ways of interleaving and
/// of unrolling.
#[test]
fn copiers_interleave_and_unroll() {
    let text = "entry fn f {
  input a: w8[3]
  output r: w8[3]
  v0 = const.w8 0x3
  v1 = loop i0 = 2 to 1 (v2 = v0) {
    v3 = load.w8 a[-2*i0 + 4]
    store r[i0], v3
    next v3
  }
  store r[0], v1
}
";
    let module = parse(text).unwrap();
    let from = module.entry();
    let body = from.region(from.body).insts.clone();
    let Op::Loop(l) = &from.inst(body[1]).op else { panic!("the second instruction is the loop") };

    let mut to = Builder::like(from);
    to.share_slots(from);
    let mut copier = Copier::new(from);
    copier.keep(&mut to, body[0]);
    let mut carried = copier.args(body[1]).to_vec();
    for i in l.values() {
        copier.fix_counter(l.counter, i);
        copier.set_all(&from.region(l.region).params, &carried);
        carried = copier.region(&mut Keep, &mut to, l.region);
    }
    copier.set_all(&from.inst(body[1]).results, &carried);
    copier.keep(&mut to, body[2]);
    let unrolled = to.finish().to_string();
    assert!(unrolled.contains("a[0]\n  store r[2], v1\n  v2 = load.w8 a[2]\n  store r[1], v2\n  store r[0], v2"));

    let mut to = Builder::like(from);
    to.share_slots(from);
    let mut copiers = [Copier::new(from), Copier::new(from)];
    for i in 0..2u32 {
        let slot = to.func.slot(Slot(i)).clone();
        let new = to.add_slot(&slot);
        assert_eq!(to.func.slot(new).name, format!("{}_1", slot.name));
        copiers[1].set_slot(Slot(i), new);
    }
    for copier in &mut copiers {
        copier.keep(&mut to, body[0]);
    }
    let inits: Vec<_> = copiers.iter().flat_map(|copier| copier.args(body[1])).collect();
    let (new, around) = to.begin_loop(l, &inits);
    let params = to.func.region(to.region).params.clone();
    let mut next = Vec::new();
    for (copier, param) in copiers.iter_mut().zip(params) {
        copier.enter_loop(&to, l, &[param]);
        next.extend(copier.region(&mut Keep, &mut to, l.region));
    }
    to.end_loop(around, next);
    for (k, copier) in copiers.iter_mut().enumerate() {
        copier.set(from.inst(body[1]).results[0], to.func.inst(new).results[k]);
        copier.keep(&mut to, body[2]);
    }
    let mut both = module.clone();
    both.funcs[0] = to.finish();
    verify(&both).unwrap();
    assert!(both.to_string().contains("v2, v3 = loop i0 = 2 to 1 (v4 = v0, v5 = v1)"));
}
