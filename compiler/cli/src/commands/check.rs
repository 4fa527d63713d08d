//! `culet check`

use culet_driver::Options;

use super::read;
use crate::args::CheckArgs;
use crate::output::{Failure, Output};

pub fn run(args: &CheckArgs, output: Output) -> Result<(), Failure> {
    let (source, mut diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let mut options = Options::new(culet_native::best_target());
    args.instance.apply(&mut options);
    let found = culet_driver::check(&source, &options, &diagnostics);
    diagnostics.extend(found);
    if diagnostics.has_errors() {
        return Err(output.report(&diagnostics, &source.map));
    }
    output.diagnostics(&diagnostics, &source.map);
    Ok(())
}
