//! The generated packing and unpacking against the reference of `culet_meaning`, on every target.

mod support;

use culet_ir::Target;
use culet_testing::Rng;
use culet_types::program::{ByteOrder, Slicing};
use support::{Case, Do, compare_packing, load_for, testable};

/// A kernel that copies parameters to results, each of a type and a number of elements; the last is copied from a
/// shared parameter.
fn copy(ports: &[(String, u32)], groups: u32) -> String {
    let (mut slots, mut loops) = (String::new(), String::new());
    let mut counter = 0;
    for (p, (ty, n)) in ports.iter().enumerate() {
        let shared = p + 1 == ports.len();
        for g in 0..groups {
            let at = if g == 0 { String::new() } else { format!("@{g}") };
            let from = if shared { format!("in{p}") } else { format!("in{p}{at}") };
            if g == 0 || !shared {
                slots.push_str(&format!("  input {from}: {ty}[{n}]{}\n", if shared { " shared" } else { "" }));
            }
            slots.push_str(&format!("  output out{p}{at}: {ty}[{n}]\n"));
            let (i, v, last) = (format!("i{counter}"), format!("v{counter}"), n - 1);
            loops.push_str(&format!(
                "  loop {i} = 0 to {last} {{\n    {v} = load.{ty} {from}[{i}]\n    store out{p}{at}[{i}], {v}\n  }}\n"
            ));
            counter += 1;
        }
    }
    format!("entry fn demo {{\n{slots}{loops}}}\n")
}

struct Shape {
    slicing: Slicing,
    ports: Vec<(String, u32)>,
    order: ByteOrder,
    groups: u32,
    widest: u32,
}

fn shape(slicing: Slicing, ports: &[(&str, u32)], order: ByteOrder) -> Shape {
    let ports = ports.iter().map(|&(ty, n)| (ty.to_owned(), n)).collect();
    Shape { slicing, ports, order, groups: 1, widest: 0 }
}

fn check(shapes: impl Fn(Target) -> Vec<Shape>, flags: &str, seed: u64) {
    let mut rng = Rng::new(seed);
    for (target, compilers) in testable() {
        let cases: Vec<Case> = shapes(target)
            .into_iter()
            .enumerate()
            .map(|(i, s)| {
                let text = copy(&s.ports, s.groups);
                Case::new(&format!("case{i}"), &text, target, s.slicing, s.order, s.widest)
            })
            .collect();
        for compiler in &compilers {
            let kernel = load_for(Do::Pack, &cases, compiler, &[flags]);
            let context = format!("{} {} {flags}", target.name(), compiler.name());
            for _ in 0..2 {
                compare_packing(&cases, &kernel, &mut rng, &context);
            }
        }
    }
}

#[test]
fn bitsliced() {
    let few = [1, 7, 8, 16, 20, 24, 32, 40, 48, 56].map(|n| ("w1", n));
    let many = [64, 72, 80, 88, 96, 104, 120, 128, 200, 320].map(|n| ("w1", n));
    let shapes = |_| {
        let interleaved = Shape { groups: 3, ..shape(Slicing::Bitslice, &few, ByteOrder::Big) };
        let mut shapes = vec![interleaved, shape(Slicing::Bitslice, &many, ByteOrder::Big)];
        for (widest, order) in
            [(16, ByteOrder::Little), (32, ByteOrder::Big), (8, ByteOrder::Planes), (16, ByteOrder::Planes)]
        {
            let ports = [16, 2, 24, 8, 4, 1, 12].map(|n| n * widest).map(|n| ("w1", n));
            shapes.push(Shape { widest, ..shape(Slicing::Bitslice, &ports, order) });
        }
        shapes
    };
    check(shapes, "-O1", 1);
}

#[test]
fn vertical() {
    use ByteOrder::{Big, Little, Planes};
    let shapes = |_| {
        let mut shapes = Vec::new();
        for (ty, counts) in
            [("w8", [1, 3, 16, 21]), ("w16", [1, 4, 8, 11]), ("w32", [1, 2, 4, 19]), ("w64", [1, 2, 3, 5])]
        {
            let ports = counts.map(|n| (ty, n));
            shapes.push(shape(Slicing::Vertical, &ports, Big));
            shapes.push(Shape { groups: 2, ..shape(Slicing::Vertical, &ports, Little) });
        }
        shapes.push(shape(Slicing::Vertical, &[("w16", 8), ("w16", 16), ("w16", 4)], Planes));
        shapes.push(shape(Slicing::Vertical, &[("w32", 2), ("w16", 6), ("w1", 9), ("w8", 2)], Little));
        shapes
    };
    check(shapes, "-O1", 2);
}

#[test]
fn horizontal() {
    use ByteOrder::{Big, Little, Planes};
    let shapes = |target: Target| {
        let mut shapes = Vec::new();
        for order in [Big, Little, Planes] {
            for (ty, m) in [("v<2,1>", 2), ("v<4,1>", 4), ("v<8,1>", 8), ("v<32,1>", 32), ("v<64,1>", 64)] {
                if m <= target.register_bits() {
                    shapes.push(shape(Slicing::Horizontal, &[(ty, 2), (ty, 3), (ty, 8)], order));
                }
            }
            let ports = [1, 2, 3, 4, 5, 8, 11, 24].map(|n| ("v<16,1>", n));
            shapes.push(shape(Slicing::Horizontal, &ports, order));
        }
        shapes
    };
    check(shapes, "-O1", 3);
}

#[test]
fn optimised() {
    let shapes = |_| {
        vec![
            shape(Slicing::Bitslice, &[("w1", 128), ("w1", 64), ("w1", 128)], ByteOrder::Big),
            shape(Slicing::Vertical, &[("w32", 16), ("w32", 4)], ByteOrder::Little),
            shape(Slicing::Horizontal, &[("v<16,1>", 8), ("v<16,1>", 8)], ByteOrder::Planes),
            shape(Slicing::Horizontal, &[("v<16,1>", 4), ("v<16,1>", 4)], ByteOrder::Big),
        ]
    };
    check(shapes, "-O3", 4);
}
