//! `culet field`: writes a field's arithmetic as a module in C or Rust, with a contract for each function.

use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use culet_diag::codes::{fields, world};
use culet_diag::{Diagnostic, SourceMap};
use culet_emit::field_module::{self, Kind, Language, Unwritten};
use culet_field::arithmetic::{self, NoPlan, Operation, Planned};
use culet_field::lanes::Lanes;
use culet_field::primes::{Impossible, Montgomery, PrimeRepresentation};
use culet_field::representation::Representation;
use culet_field::{explain, montgomery};
use culet_ir::Field;
use culet_types::field::{FieldKind, Pin};

use super::generated::{self, Making};
use super::make_directory;
use crate::args::{FieldArgs, FieldTarget, Language as Asked};
use crate::output::{Failure, Output};

pub fn run(args: &FieldArgs, output: Output) -> Result<(), Failure> {
    let operations = operations(args, output)?;
    let field = field(args, output)?;
    let (shown, limbs) = limbs(&field, args.target).map_err(|impossible| {
        let wrong = Diagnostic::error_without_place(&fields::E0333, impossible.message).note(impossible.remedy);
        of_radix(output.fail(wrong), args)
    })?;
    let formula = args.field.trim().trim_start_matches("GF(").trim_end_matches(')').to_owned();
    let has_lanes = args.target.has_lanes();
    let command = command(args);
    match limbs {
        Ok(limbs) => {
            let arithmetic = arithmetic::Arithmetic::new(&field, limbs);
            let planned = arithmetic.plan().map_err(|why| of_radix(no_plan(&why, &shown, output), args))?;
            if args.carries {
                output.data(explain::carries(&arithmetic, &planned).as_bytes())?;
            }
            let (kind, bytes) = (Kind::Limbs(&arithmetic, &planned), arithmetic.bytes());
            let module =
                field_module::Arithmetic { prefix: args.name.clone(), formula, command, kind, bytes, has_lanes };
            write(args, &module, &operations, &shown, Some(&planned), output)
        }
        Err(words) => {
            if args.carries {
                return Err(output.fail(
                    Diagnostic::error_without_place(
                        &fields::E0333,
                        format!("{shown} has no limbs whose carries are planned"),
                    )
                    .note("`--carries` explains limbs that are carried"),
                ));
            }
            let bytes = field.kind.bytes() as u32;
            let functions = montgomery::functions(&words, bytes).map_err(|why| no_plan(&why, &shown, output))?;
            let kind = Kind::Montgomery(&words, &functions);
            let module =
                field_module::Arithmetic { prefix: args.name.clone(), formula, command, kind, bytes, has_lanes };
            write(args, &module, &operations, &shown, None, output)
        }
    }
}

/// The command that writes the same files.
fn command(args: &FieldArgs) -> String {
    let target = args.target.to_possible_value().map_or_else(String::new, |target| target.get_name().to_owned());
    let mut command = format!("culet field '{}' --target {target} --name {}", args.field, args.name);
    if let Some(radix) = &args.radix {
        let _ = write!(command, " --radix '{radix}'");
    }
    if !args.ops.is_empty() {
        let _ = write!(command, " --ops {}", args.ops.join(","));
    }
    if args.language == Asked::Rust {
        command.push_str(" --language rust");
    }
    command
}

/// The representation of elements in a target's words, as text, and the limbs if their carries are planned, or else
/// Montgomery's form.
type Limbs = (String, Result<Box<dyn Representation>, Montgomery>);

/// # Errors
///
/// If words of the target cannot hold the limbs, or the modulus does not allow the representation.
fn limbs(field: &Field, target: FieldTarget) -> Result<Limbs, Impossible> {
    if target.has_lanes() {
        let lanes = Lanes::new(field, 1)?;
        return Ok((lanes.to_string(), Ok(lanes.into_representation())));
    }
    let representation = PrimeRepresentation::new(field, target.bits())?;
    Ok((representation.to_string(), representation.into_limbs()))
}

/// The field of `GF(…)`, read and checked as in a program.
fn field(args: &FieldArgs, output: Output) -> Result<Field, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add("the field", args.field.clone());
    let kind = FieldKind::read(file, &args.field).map_err(|found| output.report(&found, &sources))?;
    Ok(Field { name: args.name.clone(), kind, pin: pin(args, output)? })
}

fn pin(args: &FieldArgs, output: Output) -> Result<Option<Pin>, Failure> {
    let read = |text: &String| text.parse::<Pin>();
    args.radix
        .as_ref()
        .map(read)
        .transpose()
        .map_err(|message| of_radix(output.fail(Diagnostic::error_without_place(&fields::E0333, message)), args))
}

/// The failure of a representation: where `--radix` asks for one, the option is wrong.
fn of_radix(failure: Failure, args: &FieldArgs) -> Failure {
    if args.radix.is_some() { Failure::Environment } else { failure }
}

fn operations(args: &FieldArgs, output: Output) -> Result<Vec<Operation>, Failure> {
    if args.ops.is_empty() {
        return Ok(Operation::ALL.to_vec());
    }
    let find = |name: &str| Operation::ALL.into_iter().find(|operation| operation.name() == name);
    let read = args.ops.iter().map(|name| find(name).ok_or(name));
    read.collect::<Result<_, _>>().map_err(|name| {
        let names = Operation::ALL.map(Operation::name);
        output.fail(
            Diagnostic::error_without_place(&world::E0830, format!("there is no operation `{name}`"))
                .note(format!("the operations are {}", names.join(", "))),
        )
    })
}

/// Reports why no plan of carries holds, and at which operation.
fn no_plan(why: &NoPlan, shown: &str, output: Output) -> Failure {
    let diagnostic = match why {
        NoPlan::Bound(failure) => Diagnostic::error_without_place(
            &fields::E0333,
            format!("{shown} cannot hold this field's arithmetic: {}", failure.what),
        )
        .note(format!("in {}, with all carries there can be, it is {}", failure.place, failure.range))
        .note("limbs of fewer bits leave more room"),
        NoPlan::Check(violation) => Diagnostic::error_without_place(
            &fields::E0333,
            format!("the checker of bounds refuses what was planned: {violation}"),
        )
        .note("nothing was written; this is a defect of the compiler"),
    };
    output.fail(diagnostic)
}

fn unwritten(why: &Unwritten) -> Diagnostic {
    match why {
        Unwritten::Unwritable(what) => {
            Diagnostic::error_without_place(&fields::E0333, format!("a function cannot be written: {what}"))
                .note("the other targets, `--target`, have other words")
        }
        Unwritten::Wrong(wrong) => Diagnostic::error_without_place(&world::E0863, wrong.to_string())
            .note("nothing was written; this is a defect of the compiler: please report it with the command"),
    }
}

fn write(
    args: &FieldArgs,
    module: &field_module::Arithmetic<'_>,
    operations: &[Operation],
    shown: &str,
    planned: Option<&Planned>,
    output: Output,
) -> Result<(), Failure> {
    let language = match args.language {
        Asked::C => Language::C,
        Asked::Rust => Language::Rust,
    };
    if args.language == Asked::Rust {
        generated::expect_module(&args.name, output)?;
    }
    let files = module.files(operations, language).map_err(|why| output.fail(unwritten(&why)))?;
    make_directory(&args.output, output)?;
    let files: Vec<(PathBuf, String)> =
        files.into_iter().map(|file| (args.output.join(file.name), file.text)).collect();
    let contents: Vec<(PathBuf, &[u8])> = files.iter().map(|(path, text)| (path.clone(), text.as_bytes())).collect();
    let command = &module.command;
    let remedy = "`--name NAME` gives the files and functions another name; `--force` replaces the file";
    let making = Making { command, common: command, program: None, force: args.force, remedy };
    generated::write(&making, &contents, output)?;
    let mut text = format!("{}: {shown}", files[0].0.display());
    if let Some(planned) = planned {
        let _ = write!(text, ", {} single carries", planned.plan.carries());
    }
    output.progress(&text);
    Ok(())
}
