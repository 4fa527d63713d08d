//! `culet dump`: the text of any stage, which parses back.

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::Options;

use super::read;
use crate::args::DumpArgs;
use crate::output::{Failure, Output};

pub fn run(args: &DumpArgs, output: Output) -> Result<(), Failure> {
    let stages = culet_driver::stages();
    let after = args.after.as_deref().unwrap_or("limbs");
    if !stages.contains(&after) {
        return Err(output.fail(
            Diagnostic::error_without_place(&world::E0830, format!("there is no stage `{after}`"))
                .note(format!("the stages are {}", stages.join(", "))),
        ));
    }
    let (source, mut diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let mut options = Options::new(args.target.unwrap_or_else(culet_native::best_target));
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    if args.target.is_none() {
        options = culet_driver::with_code(&source, options);
    }
    let (text, more) = match args.carries {
        true if diagnostics.has_errors() => (None, culet_diag::Diagnostics::new()),
        true => culet_driver::carries(&source, &options),
        false => culet_driver::dump(&source, after, &options, &diagnostics),
    };
    diagnostics.extend(more);
    output.diagnostics(&diagnostics, &source.map);
    match text {
        Some(text) => output.data(text.as_bytes()),
        None => Err(Failure::Input),
    }
}
