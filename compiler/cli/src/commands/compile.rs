//! `culet compile`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{EngineError, FunctionProof, Kernel, Options, Source, Together, node_signature, other_nodes};
use culet_ir::Target;
use culet_native::{CCompiler, CompileError};
use culet_passes::Goal;
use culet_prove::theorem::{Limits, Rejection};
use culet_tune::described;
use culet_types::program::Program;

use super::generated::{self, Making};
use super::proofs;
use super::prove::{self, Compiled};
use super::tune::Effort;
use super::verdict::{Meanings, verdict};
use super::{compile_cipher, descriptions, make_directory, read, tune, working};
use crate::args::{CompileArgs, Language, Slice, TimeLimits};
use crate::output::{Failure, Output};

/// Time limit for the C compiler, for a kernel that is to be proved.
const COMPILE_LIMIT: Duration = Duration::from_secs(600);

/// The architecture whose machine code can be proved.
const PROVED: &str = "x86_64";

pub fn run(args: &CompileArgs, output: Output) -> Result<(), Failure> {
    if descriptions::is_description(&args.source.file) {
        return compile_cipher::run(args, output);
    }
    expect_directory(&args.output, output)?;
    let (source, mut diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let target = match args.target[..] {
        [] => None,
        [one] => Some(one),
        _ => {
            let message = "several targets are given for one kernel";
            let note = "name one; several are for a description (.toml), whose kernels come in one file";
            return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
        }
    };
    let mut options = Options::new(target.unwrap_or_else(culet_native::best_target));
    args.instance.apply(&mut options);
    args.choices.apply(&mut options);
    let any_slicing = args.instance.slice == Some(Slice::Auto);
    let budget = args.measuring.budget.budget();
    if target.is_none() {
        // Only plain words keep functions, without which nothing is small.
        let goal = if budget.is_open() { options.goal } else { Goal::Size };
        let first = options.node.as_deref().and_then(|nodes| nodes.split(',').next()).map(str::to_owned);
        options.target = culet_driver::with_code(&source, Options { goal, node: first, ..options.clone() }).target;
    }
    let name = args.name.clone().unwrap_or_else(|| options.default_name(&source.stem));
    if args.instance.entry.node.as_ref().is_some_and(|nodes| nodes.contains(',')) {
        output.diagnostics(&diagnostics, &source.map);
        return together(args, &source, &name, &options, output);
    }
    let (mut c_compiler, mut fitting) = (None, None);
    let only_for_objects = (args.prove || !budget.is_open()) && args.measuring.is_default_but_compilers();
    if args.tune {
        let tuned =
            tune::tune(&source, diagnostics.clone(), options, any_slicing, &args.measuring, Effort::Settle, output)?;
        let Some(winner) = tuned.winner() else { return Err(Failure::Input) };
        c_compiler = Some((tuned.compilers[winner.compiler].clone(), winner.flags.clone()));
        options = winner.options.clone();
    } else if any_slicing || !(args.measuring.is_default() || only_for_objects) {
        let (given, note) = if any_slicing {
            ("`--slice auto`", "add `--tune`: it measures which choices are fastest")
        } else if args.measuring.is_default_but_compilers() {
            (
                "`--cc` or `--cflags`",
                "`--tune` measures with a C compiler, `--max-code` what one makes, and `--prove` proves it",
            )
        } else {
            ("an option of the tuner", "add `--tune`: it measures which choices are fastest")
        };
        let message = format!("{given} does nothing without `--tune`");
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
    }
    if args.prove {
        check_provable(options.target, output)?;
    }
    expect_one_compiler(args, output)?;
    if !budget.is_open() && !args.tune && !diagnostics.has_errors() {
        let (compiler, flags) = asked_for(args, output)?;
        if !compiler.fits(options.target) {
            let (compiler, machine) = (compiler.name(), compiler.machine.unwrap_or_default());
            let error = CompileError::WrongArchitecture { compiler, machine, target: options.target };
            return Err(output.fail(EngineError::from(error).diagnostic()));
        }
        let found = working(&format!("compiling with {}", compiler.name()), output, || {
            culet_tune::fit(&source, &name, &options, (&compiler, &flags), budget)
        });
        let fit = found.map_err(|errors| output.report(&errors, &source.map))?;
        for (choice, reason) in &fit.failed {
            output.progress(&format!("`{choice}` is left out: {reason}"));
        }
        let (size, command) = (described(fit.size), format!("{} {}", compiler.name(), flags.join(" ")));
        fitting = Some(format!(
            "{size}, as `{command}` makes it; of {} ways to compile {} fit, and the model finds this one fastest: `{}`",
            fit.tried,
            fit.fitting,
            fit.options.arguments()
        ));
        c_compiler = Some((compiler, flags));
        options = fit.options;
    }
    let (kernel, more) = Kernel::of(&source, &name, &options, &diagnostics);
    diagnostics.extend(more);
    let Some(kernel) = kernel else { return Err(output.report(&diagnostics, &source.map)) };
    output.diagnostics(&diagnostics, &source.map);
    if args.explain_choices {
        let lines = kernel.explained().map_err(|errors| output.report(&errors, &source.map))?;
        output.data((lines.join("\n") + "\n").as_bytes())?;
    }
    if args.language == Language::Rust {
        return rust(args, &source, &kernel, output);
    }

    let path = |extension: &str| args.output.join(format!("{}.{extension}", kernel.stem()));
    let (c, h) = (path("c"), path("h"));
    let files = [(c.clone(), kernel.text().as_bytes()), (h.clone(), kernel.header().as_bytes())];
    write(args, &source, (kernel.stem(), kernel.command()), &files, output)?;
    written(&format!("{} and {}", c.display(), h.display()), args, &source, &kernel, output);
    if let Some(fitting) = fitting {
        output.progress(&fitting);
    } else if let Some((compiler, flags)) = &c_compiler {
        let (choices, name, flags) = (options.arguments(), compiler.name(), flags.join(" "));
        output.progress(&format!("fastest as `{choices}`, compiled by `{name} {flags}`"));
    }
    if args.prove { prove(args, source, kernel, c_compiler, output) } else { Ok(()) }
}

/// Writes several nodes, whose functions share what they call.
fn together(args: &CompileArgs, source: &Source, name: &str, options: &Options, output: Output) -> Result<(), Failure> {
    let budget = args.measuring.budget.budget();
    let refused = [
        (args.tune, "`--tune`"),
        (args.prove, "`--prove`"),
        (args.explain_choices, "`--explain-choices`"),
        (!budget.is_open(), "a budget"),
        (!args.measuring.is_default() && budget.is_open(), "an option of the tuner"),
    ];
    if let Some((_, what)) = refused.iter().find(|(is_given, _)| *is_given) {
        let message = format!("{what} is for one node, and `--node` names several");
        let note = "leave it out, or compile each node by itself";
        return Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)));
    }
    let nodes: Vec<&str> = options.node.iter().flat_map(|nodes| nodes.split(',')).map(str::trim).collect();
    let made = Together::of(source, name, &nodes, options).map_err(|errors| output.report(&errors, &source.map))?;
    output.diagnostics(made.warnings(), &source.map);
    let path = |extension: &str| args.output.join(format!("{name}.{extension}"));
    let files = if args.language == Language::Rust {
        generated::expect_module(name, output)?;
        let text = made.rust().map_err(|errors| output.report(&errors, &source.map))?;
        let file = path("rs");
        write(
            args,
            source,
            (name, &format!("{} --language rust", made.command())),
            &[(file.clone(), text.as_bytes())],
            output,
        )?;
        file.display().to_string()
    } else {
        let (c, h) = (path("c"), path("h"));
        let files = [(c.clone(), made.text().as_bytes()), (h.clone(), made.header().as_bytes())];
        write(args, source, (name, made.command()), &files, output)?;
        format!("{} and {}", c.display(), h.display())
    };
    let signatures: Vec<String> = made.programs().map(|program| node_signature(program, program.entry())).collect();
    output.progress(&format!("{files}: {}; {}", signatures.join(", "), options.target.name()));
    Ok(())
}

/// Refuses `--output` that is meant as the name of a file.
fn expect_directory(path: &Path, output: Output) -> Result<(), Failure> {
    let is_file_name = path.extension().is_some_and(|end| ["c", "h", "o", "rs"].iter().any(|name| end == *name));
    if !is_file_name || path.is_dir() {
        return Ok(());
    }
    let message = format!("`--output {}` is the name of a file, and a directory is wanted here", path.display());
    let (parent, stem) = (path.parent().unwrap_or(path), path.file_stem().unwrap_or_default().to_string_lossy());
    let directory = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let note = format!(
        "`-o {} --name {stem}` gives the files in this directory, and all names in them, this name",
        directory.display()
    );
    Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)))
}

/// Writes the files of a kernel. Another search of the tuner may replace them, too.
fn write(
    args: &CompileArgs,
    source: &Source,
    (stem, command): (&str, &str),
    files: &[(PathBuf, &[u8])],
    output: Output,
) -> Result<(), Failure> {
    make_directory(&args.output, output)?;
    let of_program = format!("culet compile {} ", source.given);
    let is_search = args.tune || !args.measuring.budget.budget().is_open();
    let common = if is_search { &of_program } else { command };
    let remedy = "`--name NAME` gives the kernel, and all names in it, another name; `--force` replaces the file";
    let making = Making { command, common, program: Some(&args.source.file), force: args.force, remedy };
    if args.prove {
        let (object, entry) = (args.output.join(format!("{stem}.o")), args.output.join(format!("proofs/{stem}.json")));
        generated::keep_foreign(&making, &object, &entry, output)?;
    }
    generated::write(&making, files, output)
}

/// Refuses targets of other architectures than x86-64, whose machine code cannot be proved. Code on plain words passes:
/// the C compiler may make x86-64 code of it.
fn check_provable(target: Target, output: Output) -> Result<(), Failure> {
    match target.architecture() {
        Some(other) if other != PROVED => {
            let message = format!("`--prove` proves {PROVED} code, and `{}` is for {other}", target.name());
            let note = "leave it out, or choose a target of this architecture";
            Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)))
        }
        _ => Ok(()),
    }
}

/// Refuses several compilers for a proof or a budget: both are of one object.
fn expect_one_compiler(args: &CompileArgs, output: Output) -> Result<(), Failure> {
    if args.tune || args.measuring.cc.len() < 2 {
        return Ok(());
    }
    let what = if args.prove { "`--prove` proves" } else { "a budget is for" };
    let message = format!("{what} what one C compiler makes, and `--cc` names several");
    let note = "name one, or add `--tune`, which measures all and takes what the fastest one makes";
    Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note(note)))
}

/// Writes `DIR/NAME.rs`.
fn rust(args: &CompileArgs, source: &Source, kernel: &Kernel, output: Output) -> Result<(), Failure> {
    generated::expect_module(kernel.stem(), output)?;
    let text = kernel.rust().map_err(|errors| output.report(&errors, &source.map))?;
    let path = args.output.join(format!("{}.rs", kernel.stem()));
    let command = format!("{} --language rust", kernel.command());
    write(args, source, (kernel.stem(), &command), &[(path.clone(), text.as_bytes())], output)?;
    written(&path.display().to_string(), args, source, kernel, output);
    Ok(())
}

/// Says what was written: the node, its parameters and results, the target; and which other nodes might have been meant,
/// if no option names one.
fn written(files: &str, args: &CompileArgs, source: &Source, kernel: &Kernel, output: Output) {
    let (program, target) = (kernel.program(), kernel.options().target.name());
    let node = node_signature(program, program.entry());
    output.progress(&format!("{files}: {node}; {target}, {}", kernel.described_instances()));
    if let Some(why) = why_one_instance(program, source) {
        output.progress(&why);
    }
    if args.target.is_empty() {
        output.progress(&format!("{target} was chosen for this CPU; `--target` chooses another"));
    }
    if let Some(others) = other_nodes(source, kernel.options()) {
        output.progress(&others);
    }
}

/// Why a program computes one instance at a time, where many would be possible if it were written otherwise.
fn why_one_instance(program: &Program, source: &Source) -> Option<String> {
    let found = culet_driver::one_instance(program)?;
    let (why, remedy) = found.cause.explained();
    let (file, (line, column)) = (source.map.get(found.span.file).path.display(), source.map.line_column(found.span));
    Some(format!("one instance at a time, since at {file}:{line}:{column} {why}: {}", remedy?))
}

/// Makes the object `DIR/NAME.o`, proves it, and keeps the verdict. A build that is not proved, and not refuted, is followed by the next one.
fn prove(
    args: &CompileArgs,
    source: Source,
    kernel: Kernel,
    fastest: Option<(CCompiler, Vec<String>)>,
    output: Output,
) -> Result<(), Failure> {
    let (source, kernel) = (Arc::new(source), Arc::new(kernel));
    let mut builds = builds(args, fastest, output)?.into_iter().peekable();
    while let Some((compiler, flags)) = builds.next() {
        let object = working(&format!("compiling with {}", compiler.name()), output, || {
            compiler.object(&args.output, kernel.stem(), kernel.options().target, &flags, COMPILE_LIMIT)
        });
        let object = object.map_err(|error| output.fail(EngineError::from(error).diagnostic()))?;
        let bytes = prove::read_bytes(&object, output)?;
        let image = prove::image(&object, &bytes, output)?;
        let compiled = Compiled { source: Arc::clone(&source), kernel: Arc::clone(&kernel), image };
        let compiled = Arc::new(compiled);
        let limit = TimeLimits { wall: args.time_limit.map(Duration::from_secs), ..TimeLimits::default() };
        let proofs = prove::by_source(&compiled, Limits::default(), None, limit, output)?;
        let build = format!("{} {}", compiler.name(), flags.join(" "));
        let is_open = |proof: &FunctionProof| proof.outcome.as_ref().is_err_and(may_have_another);
        if let Some((next, flags)) = builds.peek().filter(|_| proofs.iter().any(is_open)) {
            output.progress(&format!("`{build}` is not proved: `{} {}` is tried", next.name(), flags.join(" ")));
            continue;
        }
        let compiled_by = format!("{} ({}) {}", compiler.name(), compiler.version, flags.join(" "));
        let subject = compiled.subject((&object, &bytes), Some(compiled_by));
        let meanings = Meanings::of_source(&args.source.file, compiled.kernel.options());
        let entry = proofs::keep(&args.output.join("proofs"), &subject, &proofs, &meanings, output)?;
        output.progress(&format!("{} and {}, made by `{build}`", object.display(), entry.display()));
        return verdict(&proofs, &meanings, output);
    }
    Err(Failure::Input)
}

/// Whether another build may be proved: this one is not wrong, and there is a theorem for its program.
fn may_have_another(rejection: &Rejection) -> bool {
    rejection.counterexample().is_none() && !matches!(rejection, Rejection::Unsupported(_))
}

/// The builds to prove, in this order: the one that was measured or is asked for; if none is, the usual compiler's with the usual flags, and
/// then all compilers' with `-O2`, whose code is plainer.
fn builds(
    args: &CompileArgs,
    fastest: Option<(CCompiler, Vec<String>)>,
    output: Output,
) -> Result<Vec<(CCompiler, Vec<String>)>, Failure> {
    if let Some(fastest) = fastest {
        return Ok(vec![fastest]);
    }
    let asked_for = asked_for(args, output)?;
    let plainer = CCompiler::installed().into_iter().filter(|_| args.measuring.is_default());
    let plainer = plainer.map(|compiler| (compiler, vec!["-O2".to_owned()]));
    Ok([asked_for].into_iter().chain(plainer).collect())
}

/// The C compiler and the flags that the command line names, or the usual ones.
fn asked_for(args: &CompileArgs, output: Output) -> Result<(CCompiler, Vec<String>), Failure> {
    let compiler = CCompiler::find(args.measuring.cc.first().map(String::as_str));
    let compiler = compiler.map_err(|error| output.fail(EngineError::from(error).diagnostic()))?;
    Ok((compiler, args.measuring.cflags.split_whitespace().map(str::to_owned).collect()))
}
