//! Random programs as texts: a text that is parsed and elaborated means the same as the program from which it was
//! written.

use culet_meaning::{Concrete, run};
use culet_testing::{Options, Slicing, program_of, random_inputs, random_program, source};

fn check(options: &Options, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let written = random_program(seed, options);
        let text = source(&written);
        let read = program_of(&text, None, None).unwrap_or_else(|diagnostics| {
            let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
            panic!("program {seed}: {:#?}\n{text}", errors[0]);
        });
        for round in 0..3 {
            let inputs = random_inputs(&written, round);
            let expected = run(&mut Concrete, &written, written.entry, &inputs);
            let found = run(&mut Concrete, &read, read.entry, &inputs);
            assert_eq!(found, expected, "program {seed}, inputs {inputs:x?}\n{text}\n{read}");
        }
    }
}

#[test]
fn vertical_programs() {
    check(&Options::new(Slicing::Vertical).for_source(), 0..300);
}

#[test]
fn bitsliced_programs() {
    check(&Options::new(Slicing::Bitslice).for_source(), 0..300);
}

#[test]
fn horizontal_programs() {
    check(&Options::new(Slicing::Horizontal).for_source(), 0..300);
}
