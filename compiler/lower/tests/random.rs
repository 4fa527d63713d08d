//! Random programs: the lowered module computes what the interpreter says the program means.

use culet_testing::{Options, Slicing, check_module, random_program, source};

fn check(options: &Options, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let program = random_program(seed, options);
        let module = culet_lower::lower(&program)
            .unwrap_or_else(|diagnostics| panic!("program {seed}: {:?}", diagnostics.iter().next()));
        if let Err(difference) = check_module(&program, &module, 3) {
            let text = if options.source { source(&program) } else { String::new() };
            panic!("program {seed} ({options:?}): {difference}\n{text}");
        }
    }
}

#[test]
fn vertical_programs() {
    check(&Options::new(Slicing::Vertical), 0..300);
}

#[test]
fn vertical_words_of_any_width() {
    let widths = vec![2, 3, 6, 13, 24, 33, 63];
    check(&Options { widths, arithmetic: false, ..Options::new(Slicing::Vertical) }, 0..300);
}

#[test]
fn bitsliced_programs() {
    check(&Options::new(Slicing::Bitslice), 0..300);
}

#[test]
fn horizontal_programs() {
    for width in [2, 4, 8, 16, 32, 64] {
        check(&Options::new(Slicing::Horizontal).with_width(width), 0..150);
    }
}

#[test]
fn programs_with_large_words_in_bits() {
    for width in [16, 32, 64] {
        check(&Options { nodes: 1, statements: 3, ..Options::new(Slicing::Bitslice).with_width(width) }, 0..20);
    }
}

#[test]
fn programs_that_can_be_written() {
    for slicing in [Slicing::Vertical, Slicing::Bitslice, Slicing::Horizontal] {
        check(&Options::new(slicing).for_source(), 0..200);
    }
}
