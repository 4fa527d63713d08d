//! No pass changes the meaning of a module: random modules on random inputs, evaluated before and after.

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Inst, Module, Op, Target, Type, compute, verify};
use culet_passes::{Amount, Context, PASSES, Pass, optimise};
use culet_testing::{Rng, Shape, draw, module_inputs, scrambled_module};

const MODULES: u64 = 1000;

/// The numbers of the modules of which a test tries every third, or all of them.
fn seeds(subject: &str) -> impl Iterator<Item = u64> {
    let thirds = draw::some(&format!("thirds of the modules for {subject}"), vec![0, 1, 2], 1, u64::to_string);
    (0..MODULES).filter(move |seed| thirds.contains(&(seed % 3)))
}

/// Every fifth module has bits only.
fn module(seed: u64) -> Module {
    let shape = if seed % 5 == 4 { Shape::any().bits() } else { Shape::any() };
    scrambled_module(seed, &shape)
}

fn context(seed: u64) -> Context {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let amounts = [Amount::None, Amount::Auto, Amount::All];
    Context { unroll: *rng.pick(&amounts), inline: *rng.pick(&amounts), ..Context::new(*rng.pick(&Target::ALL)) }
}

fn check(before: &Module, after: &Module, seed: u64, what: &str) {
    if let Err(errors) = verify(after) {
        panic!("seed {seed}, {what}: {}\n{before}\n---- after\n{after}", errors[0]);
    }
    for k in 0..4 {
        let inputs = module_inputs(before, &mut Rng::new(seed * 4 + k));
        let expected = compute(before, &inputs).unwrap();
        let actual = compute(after, &inputs);
        assert!(
            actual.as_ref() == Ok(&expected),
            "seed {seed}, {what}: {actual:?}, not {expected:?}\n{before}\n---- after\n{after}"
        );
    }
}

fn alone(pass: &Pass) {
    for seed in seeds(pass.name) {
        let before = module(seed);
        let mut after = before.clone();
        (pass.run)(&mut after, &context(seed));
        check(&before, &after, seed, pass.name);
    }
}

macro_rules! each_pass_alone {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                alone(culet_passes::find(stringify!($name)).unwrap());
            }
        )*

        #[test]
        fn every_pass_is_tested() {
            // `given` has a test below. Interleaving changes the parameters: `properties.rs` tests it. Random modules have neither streams nor
            // elements, so that folds in lanes, blocks and elements side by side have tests of their own, too.
            let tested = [$(stringify!($name)),*, "given", "interleave", "lanes", "blocks", "pack"];
            assert!(PASSES.iter().all(|pass| tested.contains(&pass.name)));
        }
    };
}

each_pass_alone! { fold copy alias fill fuse cse dce unroll inline schedule lut3 tie }

/// Lets all calls of a function give most of its parameters the same constants.
struct EqualConstants;

impl Transform for EqualConstants {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        let Op::Call(callee) = data.op else {
            copier.copy(self, to, inst);
            return;
        };
        let mut args = copier.args(inst);
        for (place, arg) in args.iter_mut().enumerate().filter(|(place, _)| (place + callee.index()) % 3 != 2) {
            let ty = to.func.ty(*arg);
            let lane =
                |lane: u32| (place as u64 + 5 * callee.index() as u64 + u64::from(lane)) & ((1 << ty.bits()) - 1);
            *arg = to.emit1(Op::Const((0..ty.lanes()).map(lane).collect()), [], ty);
        }
        let results: Vec<Type> = data.results.iter().map(|&result| copier.from.ty(result)).collect();
        let call = to.emit(data.op.clone(), args, &results);
        copier.set_all(&data.results, &to.func.inst(call).results);
    }
}

#[test]
fn given() {
    let (mut changed, mut tried) = (0, 0);
    for seed in seeds("given tables") {
        tried += 1;
        let mut before = module(seed);
        before.funcs = before.funcs.iter().map(|func| transform(func, &mut EqualConstants)).collect();
        let mut after = before.clone();
        culet_passes::given::replace(&mut after, 1);
        changed += u32::from(after.to_string() != before.to_string());
        check(&before, &after, seed, "given");
    }
    assert!(10 * changed > tried, "{changed} of {tried} modules are changed");
}

#[test]
fn pipeline() {
    for seed in seeds("all passes") {
        let before = module(seed);
        let mut after = before.clone();
        optimise(&mut after, &context(seed), &mut |_, _| {}).expect("nothing is interleaved");
        check(&before, &after, seed, "all passes");
    }
}
