//! Choices that are measured without a search, with a real C compiler.

use std::io;
use std::path::Path;
use std::time::Duration;

use culet_driver::{Options, Reader, load};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_tune::{Budget, Choice, Limits, Request, Reuse, What, measure};

struct Program;

impl Reader for Program {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(b"node f (a:u32, b:u32) returns (c:u32)\nlet\n    c = (a ^ b) + a\ntel\n".to_vec())
    }
}

/// There is more than one batch: all choices have a ratio to the first, and those that fail are named without loss of
/// the others.
#[test]
fn all_choices_are_compared_with_the_first() {
    let (source, diagnostics) = load(Path::new("f.ua"), &[], &Program);
    assert!(!diagnostics.has_errors());
    let options = Options { slicing: culet_driver::parse_slicing("v"), ..Options::new(Target::C64) };
    let request = Request {
        source: &source,
        options: options.clone(),
        any_slicing: false,
        compilers: vec![CCompiler::find(Some("gcc-12")).unwrap()],
        flags: Vec::new(),
        runner: None,
        what: What::Registers,
        budget: Budget::default(),
        limits: Limits { time: Duration::ZERO, exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    let choice = |flag: &str| Choice { options: options.clone(), compiler: 0, flags: vec![flag.to_owned()] };
    let mut choices = vec![choice("-O1"); 26];
    choices[3] = choice("-fno-such-flag");
    choices[25] = choice("-O0");
    let mut watched = Vec::new();
    let figures = measure(&request, &choices, &mut |count| watched.push(count)).unwrap();
    assert_eq!(watched, [24, 26]);
    assert_eq!(figures.of.len(), choices.len());
    for (k, figure) in figures.of.iter().enumerate() {
        match figure {
            Ok(figure) => {
                assert!(k != 3 && figure.ticks_a_byte > 0.0 && figure.spread >= 0.0, "{k}: {figure:?}");
                assert!(figure.ratio.is_some_and(|ratio| ratio > 0.0), "{k}: {figure:?}");
            }
            Err(reason) => assert!(k == 3 && reason.contains("no-such-flag"), "{k}: {reason}"),
        }
    }
    assert_eq!(figures.of[0].as_ref().unwrap().ratio, Some(1.0));

    // If the first choice fails, there is nothing to compare with, but the others have their medians.
    choices.swap(0, 3);
    let figures = measure(&request, &choices[..2], &mut |_| {}).unwrap();
    assert!(figures.of[0].is_err());
    assert_eq!(figures.of[1].as_ref().unwrap().ratio, None);
}
