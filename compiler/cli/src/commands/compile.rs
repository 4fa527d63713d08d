//! `culet compile`

use std::fs;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::Options;

use super::tune::Effort;
use super::{read, tune};
use crate::args::{CompileArgs, Slice};
use crate::output::{Failure, Output};

pub fn run(args: &CompileArgs, output: Output) -> Result<(), Failure> {
    let (source, mut diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let mut options = Options::new(args.target.unwrap_or_else(culet_native::best_target));
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    let any_slicing = args.instance.slice == Some(Slice::Auto);
    let mut c_compiler = None;
    if args.tune {
        let tuned =
            tune::tune(&source, diagnostics.clone(), options, any_slicing, &args.measuring, Effort::Settle, output)?;
        let Some(winner) = tuned.winner() else { return Err(Failure::Input) };
        c_compiler = Some(tuned.c_compiler(winner));
        options = winner.options.clone();
    } else if any_slicing || !args.measuring.is_default() {
        let given = if any_slicing { "`--slice auto`" } else { "an option of the tuner" };
        let message = format!("{given} does nothing without `--tune`");
        let note = "add `--tune`: it measures which choices are fastest";
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
    }
    let (compiled, more) = culet_driver::compile(&source, &source.stem, &options, &diagnostics);
    diagnostics.extend(more);
    let Some(compiled) = compiled else { return Err(output.report(&diagnostics, &source.map)) };
    output.diagnostics(&diagnostics, &source.map);

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
    if let Some(c_compiler) = c_compiler {
        output.progress(&format!("fastest as `{}`, compiled by `{c_compiler}`", options.arguments()));
    }
    Ok(())
}
