//! Elements that are carried side by side: the evaluator gives the same results as before, for every input.

use culet_ir::{Held, Module, Target, eval_held, parse, verify};
use culet_meaning::{Concrete, ConcreteFields};
use culet_passes::{Context, find};
use culet_testing::Rng;
use num_bigint::BigUint;

/// The programs of filetests.
const PROGRAMS: [&str; 2] = [
    include_str!("../../../tests/filetests/passes/pack/ladder.ir"),
    include_str!("../../../tests/filetests/passes/pack/rows.ir"),
];

fn results(module: &Module, elements: &[u64], bits: &[u64]) -> Vec<BigUint> {
    let elements = elements.iter().map(|&value| Held::Element(BigUint::from(value))).collect();
    let bits = bits.iter().map(|&bit| Held::Word([bit].into_iter().collect())).collect();
    let outputs = eval_held(&mut Concrete, &mut ConcreteFields, module, &[elements, bits]).expect("it has an answer");
    outputs[0]
        .iter()
        .map(|held| match held {
            Held::Element(value) => value.clone(),
            _ => panic!("an element comes out"),
        })
        .collect()
}

#[test]
fn the_meaning_stays() {
    PROGRAMS.into_iter().for_each(keeps_its_meaning);
}

fn keeps_its_meaning(program: &str) {
    let text = program.split("// ---- expected").next().expect("the input");
    let before = parse(text).expect("it can be read");
    let mut after = before.clone();
    let pass = find("pack").expect("the pass");
    (pass.run)(&mut after, &Context::new(Target::Avx512Ifma));
    verify(&after).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let again = parse(&after.to_string()).expect("the text can be read");
    after.compact();
    assert_eq!(again.to_string(), after.to_string());
    assert!(after.to_string().contains("fmul.v<8,f0>"), "{after}");
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let elements: Vec<u64> = (0..4).map(|_| rng.draw() % 0xfff1).collect();
        let bits: Vec<u64> = (0..8).map(|_| rng.draw() & 1).collect();
        assert_eq!(results(&before, &elements, &bits), results(&after, &elements, &bits));
    }
}
