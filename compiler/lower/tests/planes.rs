//! Bitsliced atoms held together: the same meaning, in vectors where the program allows.

use culet_ir::{Module, Target, Type};
use culet_lower::{Bits, lower_for};
use culet_testing::{Options, Slicing, check_module, program_of, random_program};

fn has_planes(module: &Module) -> bool {
    module.entry().slots.iter().any(|slot| matches!(slot.element, Type::Vector { .. }))
}

/// Number of programs that were held together.
fn check(options: &Options, seeds: std::ops::Range<u64>) -> usize {
    let mut together = 0;
    for seed in seeds {
        let program = random_program(seed, options);
        let module = lower_for(&program, Target::C64, Bits::Together)
            .unwrap_or_else(|diagnostics| panic!("program {seed}: {:?}", diagnostics.iter().next()));
        check_module(&program, &module, 3).unwrap_or_else(|difference| panic!("program {seed}: {difference}"));
        together += usize::from(has_planes(&module));
    }
    together
}

#[test]
fn programs_of_bits_and_words() {
    let options =
        Options { arithmetic: false, packs: false, widths: vec![1, 4, 8, 12], ..Options::new(Slicing::Bitslice) };
    assert!(check(&options, 0..300) >= 200);
}

#[test]
fn programs_of_large_words() {
    for width in [16, 32, 64] {
        let options = Options { arithmetic: false, packs: false, ..Options::new(Slicing::Bitslice).with_width(width) };
        assert!(check(&options, 0..60) >= 40);
    }
}

#[test]
fn programs_with_everything() {
    check(&Options::new(Slicing::Bitslice), 0..100);
}

#[test]
fn what_cannot_be_held_together_stays_apart() {
    let is_together = |text: &str| {
        let program = program_of(text, Some(Slicing::Bitslice), None).expect("a program");
        has_planes(&lower_for(&program, Target::C64, Bits::Together).expect("a module"))
    };
    assert!(is_together("node f(a: u8, b: u16) returns (c: u8, d: u16) let c = a <<< 3; d = ~b tel"));
    assert!(!is_together("node f(a, b: u8) returns (c: u8) let c = a + b tel"));
    assert!(!is_together("node f(a, b: u8) returns (c: u16) let c = Pack(a, b) tel"));
    assert!(!is_together("node f(a, b: b8) returns (c: b8) let c = a ^ b tel"));
}
