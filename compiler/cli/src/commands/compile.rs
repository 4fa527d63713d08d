//! `culet compile`

use std::fs;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::Options;

use super::read;
use crate::args::CompileArgs;
use crate::output::{Failure, Output};

pub fn run(args: &CompileArgs, output: Output) -> Result<(), Failure> {
    let (source, mut diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let mut options = Options::new(args.target.unwrap_or_else(culet_native::best_target));
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    let (compiled, more) = culet_driver::compile(&source, &source.stem, &options, &diagnostics);
    diagnostics.extend(more);
    output.diagnostics(&diagnostics, &source.map);
    let Some(compiled) = compiled else { return Err(Failure::Input) };

    fs::create_dir_all(&args.output).map_err(|error| {
        let message = format!("cannot make the directory `{}`: {error}", args.output.display());
        output.fail(Diagnostic::error_without_place(&world::E0810, message))
    })?;
    let path = |extension: &str| args.output.join(format!("{}.{extension}", source.stem));
    let (c, h) = (path("c"), path("h"));
    output.write_files(&[(c.clone(), compiled.c.source.as_bytes()), (h.clone(), compiled.c.header.as_bytes())])?;
    output.progress(&format!(
        "{} and {}: {}, {} instances a call",
        c.display(),
        h.display(),
        options.target.name(),
        compiled.lowered.layout.instances()
    ));
    Ok(())
}
