//! No pass changes what a module means: random modules on random inputs, evaluated before and after.

mod common;

use culet_ir::{Module, Target, eval, parse, verify};
use culet_meaning::Concrete;
use culet_passes::{Amount, Context, PASSES, Pass, optimise};

const MODULES: u64 = 800;

fn context(seed: u64) -> Context {
    let mut random = common::Random::new(seed ^ 0x5eed);
    let amounts = [Amount::None, Amount::Auto, Amount::All];
    Context { unroll: random.pick(&amounts), inline: random.pick(&amounts), ..Context::new(random.pick(&Target::ALL)) }
}

fn check(before: &Module, after: &Module, seed: u64, what: &str) {
    if let Err(errors) = verify(after) {
        panic!("seed {seed}, {what}: {}\n{before}\n---- after\n{after}", errors[0]);
    }
    for k in 0..4 {
        let inputs = common::inputs(before, seed * 4 + k);
        let expected = eval(&mut Concrete, before, &inputs).unwrap();
        let actual = eval(&mut Concrete, after, &inputs);
        assert!(
            actual.as_ref() == Ok(&expected),
            "seed {seed}, {what}: {actual:?}, not {expected:?}\n{before}\n---- after\n{after}"
        );
    }
}

fn alone(pass: &Pass) {
    for seed in 0..MODULES {
        let before = common::module(seed);
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
            let tested = [$(stringify!($name)),*];
            assert!(PASSES.iter().all(|pass| tested.contains(&pass.name)));
        }
    };
}

each_pass_alone! { fold copy cse dce unroll inline interleave schedule lut3 tie }

#[test]
fn pipeline() {
    for seed in 0..MODULES {
        let before = common::module(seed);
        let mut after = before.clone();
        optimise(&mut after, &context(seed), &mut |_, _| {});
        check(&before, &after, seed, "all passes");
    }
}

/// The generator reaches every operation, and its modules are good and have a text.
#[test]
fn random_modules_are_good_and_diverse() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..MODULES {
        let module = common::module(seed);
        verify(&module).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{module}", errors[0]));
        let mut compact = module.clone();
        compact.compact();
        assert_eq!(parse(&compact.to_string()).unwrap(), compact);
        for func in &module.funcs {
            func.walk(&mut |_, data, around| {
                seen.insert((data.op.name(), around.len().min(2)));
            });
        }
    }
    let names: std::collections::BTreeSet<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), 27, "{names:?}");
    assert!(seen.len() > 75, "{seen:?}");
}
