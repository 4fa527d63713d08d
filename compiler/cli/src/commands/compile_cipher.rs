//! `culet compile` of a description: all kernels of a primitive in one C file.

use std::path::Path;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{
    CipherRequest, Options, Places, check_description, compile_cipher, read_text, slicing_name, unreadable,
};
use culet_ir::Target;
use culet_types::program::Slicing;

use super::generated::{self, Making};
use super::{descriptions, make_directory, named, read, working};
use crate::args::{CompileArgs, Language, Slice};
use crate::output::{Failure, Output};

pub fn run(args: &CompileArgs, output: Output) -> Result<(), Failure> {
    let slicing = slicing(args, output)?;
    let file = &args.source.file;
    let primitive = descriptions::read(file, output)?;
    let (mut source, diagnostics) = read(&file.with_file_name(&primitive.source), &args.source.include, output)?;
    if diagnostics.has_errors() {
        return Err(output.report(&diagnostics, &source.map));
    }
    let text = read_text(file).map_err(|error| output.fail(unreadable(file, &error)))?;
    let places = Places::of(source.map.add(file, text.clone()), &text);
    let mistakes = check_description(&source, &primitive, &places);
    if mistakes.has_errors() {
        return Err(output.report(&mistakes, &source.map));
    }
    let (directory, name) = directory_and_name(args, output)?;
    let is_repeated = |(place, target): &(usize, &Target)| args.target[..*place].contains(target);
    if let Some((_, target)) = args.target.iter().enumerate().find(is_repeated) {
        let message = format!("`--target` names {} twice", target.name());
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note("name each target once")));
    }
    let targets = if args.target.is_empty() { vec![culet_native::best_target()] } else { args.target.clone() };
    let command = command(args, &targets, &name);
    let request = CipherRequest {
        source: &source,
        primitive: &primitive,
        name: &name,
        targets: &targets,
        slicing,
        command: &command,
    };
    let made = working(&format!("compiling {}", primitive.name), output, || compile_cipher(&request));
    let (files, choices) = made.map_err(|errors| output.report(&errors, &source.map))?;
    output.diagnostics(&diagnostics, &source.map);
    make_directory(directory, output)?;
    let (c, h) = (directory.join(format!("{name}.c")), directory.join(format!("{name}.h")));
    let making = Making {
        command: &command,
        common: &command,
        program: Some(file),
        force: args.force,
        remedy: "`-o DIR/NAME` gives the files, and all names in them, another name; `--force` replaces the file",
    };
    generated::write(&making, &[(c.clone(), files.source.as_bytes()), (h.clone(), files.header.as_bytes())], output)?;
    output.progress(&format!("{} and {}: {} for {choices}", c.display(), h.display(), primitive.name));
    Ok(())
}

/// The slicing that is asked for. Options for one kernel are refused.
fn slicing(args: &CompileArgs, output: Output) -> Result<Option<Slicing>, Failure> {
    let mut chosen = Options::new(Target::C64);
    args.choices.apply(&mut chosen);
    let entry = &args.instance.entry;
    let misfit = if chosen != Options::new(Target::C64) {
        Some("a choice of the compiler")
    } else if entry.node.is_some() || entry.word.is_some() {
        Some("`--node` or `--word`")
    } else if !args.measuring.budget.budget().is_open() {
        Some("a budget")
    } else if args.tune || args.instance.slice == Some(Slice::Auto) || !args.measuring.is_default() {
        Some("an option of the tuner")
    } else if args.prove {
        Some("`--prove`")
    } else if args.explain_choices {
        Some("`--explain-choices`")
    } else if args.language == Language::Rust {
        Some("`--language rust`")
    } else {
        None
    };
    if let Some(misfit) = misfit {
        let message = format!("{misfit} is for one kernel, and a description has several");
        let note = "leave it out, or give the program (.ua) instead of its description";
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
    }
    Ok(match args.instance.slice {
        Some(Slice::Is(slicing)) => Some(slicing),
        _ => None,
    })
}

/// The directory of the files, and their name: `--output DIR/NAME`, or `--output DIR --name NAME`.
fn directory_and_name(args: &CompileArgs, output: Output) -> Result<(&Path, String), Failure> {
    if let Some(name) = &args.name {
        return Ok((&args.output, name.clone()));
    }
    let parent = args.output.parent().unwrap_or(Path::new("."));
    let name = args.output.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if args.output.is_dir() || args.output.to_string_lossy().ends_with('/') || crate::args::c_name(name).is_err() {
        let given = args.output.display();
        let message = match args.output.is_dir() || crate::args::c_name(name).is_ok() {
            true => format!("`--output {given}` is a directory, and the files have no name"),
            false => format!("`--output {given}` does not end with a name for C"),
        };
        let note =
            "a description's files have a name of their own: `-o DIR/aes128` makes DIR/aes128.c and DIR/aes128.h";
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
    }
    Ok((if parent.as_os_str().is_empty() { Path::new(".") } else { parent }, name.to_owned()))
}

/// The command that makes the same files.
fn command(args: &CompileArgs, targets: &[Target], name: &str) -> String {
    let file = named::arguments(&args.source.file, &args.source.include);
    let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
    let mut command = format!("culet compile {file} --target {}", names.join(","));
    if let Some(Slice::Is(slicing)) = args.instance.slice {
        command += &format!(" --slice {}", slicing_name(slicing));
    }
    command + &format!(" -o {name}")
}
