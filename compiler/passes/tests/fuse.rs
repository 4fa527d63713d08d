//! Loops that go together compute the same as one after the other.

use std::fmt::Write;

use culet_ir::{Elements, Module, Op, Target, compute, parse, verify};
use culet_passes::{Context, find};
use culet_testing::Rng;

/// A loop of `steps` steps that fills an array of words from elements that are as far behind as `behind` says, and a loop that carries values
/// and reads the elements from the first on, each with a word of the input.
struct Shape {
    bits: u32,
    behind: &'static [u32],
    steps: u32,
}

fn program(shape: &Shape, rng: &mut Rng) -> String {
    let &Shape { bits, behind, steps } = shape;
    let back = *behind.iter().max().expect("an element");
    let all = back + steps;
    let mut text = format!("entry fn main {{ input a: w{bits}[{all}] output r: w{bits}[3] local w: w{bits}[{all}]\n");
    let mut values = 0;
    let mut next = |text: &mut String, operation: &str| {
        let _ = writeln!(text, "v{values} = {operation}");
        values += 1;
        format!("v{}", values - 1)
    };
    let firsts: Vec<String> = (0..back).map(|at| next(&mut text, &format!("load.w{bits} a[{at}]"))).collect();
    for (at, first) in firsts.iter().enumerate() {
        let _ = writeln!(text, "store w[{at}], {first}");
    }
    let _ = writeln!(text, "loop i0 = {back} to {} {{", all - 1);
    let constant = rng.below(100);
    let mut sum = next(&mut text, &format!("const.w{bits} {constant}"));
    sum = next(&mut text, &format!("add.w{bits} {sum}, {}", firsts[0]));
    for at in behind {
        let element = next(&mut text, &format!("load.w{bits} w[i0 - {at}]"));
        let turned = next(&mut text, &format!("rotl.w{bits} {element}, {}", 1 + rng.below(bits - 1)));
        let operation = *rng.pick(&["add", "xor", "sub"]);
        sum = next(&mut text, &format!("{operation}.w{bits} {sum}, {turned}"));
    }
    let _ = writeln!(text, "store w[i0], {sum}\n}}");
    let _ = writeln!(
        text,
        "v900, v901, v902 = loop i1 = 0 to {} (v800 = {}, v801 = {}, v802 = {}) {{",
        all - 1,
        firsts[0],
        firsts[back as usize - 1],
        firsts[0]
    );
    let element = next(&mut text, &format!("load.w{bits} w[i1]"));
    let other = next(&mut text, &format!("load.w{bits} a[i1]"));
    let free = next(&mut text, &format!("add.w{bits} {element}, {other}"));
    let turned = next(&mut text, &format!("rotl.w{bits} v802, {}", 1 + rng.below(bits - 1)));
    let first = next(&mut text, &format!("sub.w{bits} v800, {free}"));
    // Besides the sum, the element or the other word may be wanted alone.
    let wanted = *rng.pick(&[&free, &element, &other]);
    let second = next(&mut text, &format!("xor.w{bits} {turned}, {wanted}"));
    let _ =
        writeln!(text, "next v801, {second}, {first}\n}}\nstore r[0], v900\nstore r[1], v901\nstore r[2], v902\n}}");
    text
}

fn fused(module: &Module, target: Target) -> Module {
    let mut fused = module.clone();
    (find("fuse").expect("a pass").run)(&mut fused, &Context::new(target));
    verify(&fused).unwrap_or_else(|errors| panic!("{}\n{fused}", errors[0]));
    fused
}

fn has_vectors(module: &Module) -> bool {
    let mut has = false;
    module.entry().walk(&mut |_, data, _| has |= matches!(data.op, Op::Join));
    has
}

#[test]
fn schedules_of_words_of_every_width() {
    let mut rng = Rng::new(7);
    // With the last ones, a step reads elements too near for vectors of 128 bits.
    let shapes: [(&[u32], u32, u32); 8] = [
        (&[2, 7, 15, 16], 64, 64),
        (&[4, 3], 12, 64),
        (&[2], 2, 64),
        (&[16, 5], 32, 32),
        (&[8, 9, 16], 16, 16),
        (&[16, 17, 32], 64, 8),
        (&[2, 7, 15, 16], 48, 32),
        (&[1, 2], 4, 64),
    ];
    for (number, (behind, steps, bits)) in shapes.into_iter().enumerate() {
        let text = program(&Shape { bits, behind, steps }, &mut rng);
        let module = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
        let length = steps + behind.iter().max().expect("an element");
        for target in [Target::C64, Target::Avx2] {
            let fused = fused(&module, target);
            assert!(fused != module, "the loops go together\n{module}");
            assert_eq!(has_vectors(&fused), target == Target::Avx2 && number < 6, "{fused}");
            for _ in 0..4 {
                let words: Elements<u64> = (0..length).map(|_| vec![rng.word(bits)]).collect();
                let [expected, found] = [&module, &fused].map(|module| {
                    compute(module, std::slice::from_ref(&words)).unwrap_or_else(|e| panic!("{e}\n{module}"))
                });
                assert!(expected == found, "{module}\nbecame\n{fused}");
            }
        }
    }
}

/// Small machines, and kernels that are to be small, keep both loops.
#[test]
fn small_code_keeps_loops() {
    let text = program(&Shape { bits: 64, behind: &[2, 16], steps: 64 }, &mut Rng::new(3));
    let module = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert!(fused(&module, Target::C32) == module);
    let mut small = module.clone();
    let context = Context { goal: culet_passes::Goal::Size, ..Context::new(Target::C64) };
    (find("fuse").expect("a pass").run)(&mut small, &context);
    assert!(small == module);
}
