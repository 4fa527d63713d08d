//! Filetests: a source text and the module it becomes, in each direction of the setting `slice`.
//!
//! Settings: `slice`, one or more of `v`, `h`, `b`, `planes` (`b` with bits held together), or `none`; `word`, the
//! value of `'m` in the entry. Every module is run against the interpreter, too.

use culet_diag::{Diagnostics, SourceMap, render};
use culet_filetest::Case;
use culet_ir::Target;
use culet_lower::{Bits, is_per_instance, lower_for};
use culet_testing::{Slicing, check_module, program_of};

#[test]
fn filetests() {
    culet_filetest::run("lower", |case| {
        let slices = case.setting("slice").unwrap_or("none");
        slices.split(',').map(|slice| answer(case, slice.trim())).collect()
    });
}

fn answer(case: &Case, slice: &str) -> (&'static str, String) {
    let (section, slicing) = match slice {
        "v" => ("v", Some(Slicing::Vertical)),
        "h" => ("h", Some(Slicing::Horizontal)),
        "b" | "planes" => (if slice == "b" { "b" } else { "planes" }, Some(Slicing::Bitslice)),
        "none" => ("ir", None),
        other => panic!("there is no direction {other}"),
    };
    let word = case.setting("word").map(|word| word.parse().expect("a number of bits"));
    let program = match program_of(&case.input, slicing, word) {
        Ok(program) => program,
        Err(diagnostics) => return (section, text(case, &diagnostics)),
    };
    let bits = if slice == "planes" { Bits::Together } else { Bits::Apart };
    match lower_for(&program, Target::C64, bits) {
        Err(diagnostics) => (section, text(case, &diagnostics)),
        Ok(module) => {
            let text = module.to_string();
            let read = culet_ir::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            assert_eq!(read, module, "the text does not read back");
            // Tests of the primitives run programs that compute one instance at a time, as words.
            if !is_per_instance(&program) {
                check_module(&program, &module, 20).unwrap_or_else(|difference| panic!("{difference}"));
            }
            (section, text)
        }
    }
}

fn text(case: &Case, diagnostics: &Diagnostics) -> String {
    let mut sources = SourceMap::new();
    sources.add(&case.name, case.input.clone());
    render::text(diagnostics, &sources, false)
}
