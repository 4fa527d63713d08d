//! The fastest way to compile a program that fits into a budget, without running anything: speed is what the compiler's model of a CPU
//! predicts, and sizes are those of a C compiler's objects, which may be for any machine.

use std::collections::HashSet;
use std::fs;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{EngineError, Kernel, Options, Source, elaborate};
use culet_ir::Target;
use culet_native::{CCompiler, CompileError, Scratch, Size};
use culet_passes::{Amount, Goal};

use crate::budget::{Budget, Smallest};
use crate::cores::on_all_cores;
use crate::lab::{COMPILE_LIMIT, fingerprint, first_line};

/// A way to compile that fits.
#[derive(Debug, Clone)]
pub struct Fit {
    pub options: Options,
    pub size: Size,
    /// The number of kernels that were compared, and of those that fit.
    pub tried: usize,
    pub fitting: usize,
    /// The options of kernels that the C compiler did not compile, each with the reason.
    pub failed: Vec<(String, String)>,
}

/// The fastest kernel, by the model, whose object fits into the budget. What `options` leave open is tried in all ways: which calls
/// become copies, which loops do, whether groups of instances are interleaved, and whether the aim is speed or size. The files' name is
/// `stem`.
///
/// # Errors
///
/// The program's mistakes; the C compiler's message, if it compiles nothing; E0852, if nothing fits.
pub fn fit(
    source: &Source,
    stem: &str,
    options: &Options,
    (compiler, flags): (&CCompiler, &[String]),
    budget: Budget,
) -> Result<Fit, Diagnostics> {
    let kernels = kernels(source, stem, options)?;
    let directory = Scratch::new("culet-fit-").map_err(|error| {
        let message = format!("cannot make a temporary directory: {error}");
        Diagnostics::from(Diagnostic::error_without_place(&world::E0810, message))
    })?;
    let numbered: Vec<(usize, &Kernel)> = kernels.iter().enumerate().collect();
    let sizes = on_all_cores(&numbered, |(number, kernel)| {
        let directory = directory.path().join(number.to_string());
        let write = |extension: &str, text: &str| fs::write(directory.join(format!("{stem}.{extension}")), text);
        let written = fs::create_dir(&directory)
            .and_then(|()| write("c", kernel.text()))
            .and_then(|()| write("h", kernel.header()));
        written
            .map_err(|error| CompileError::Io { what: "cannot write to a temporary directory".to_owned(), error })?;
        compiler.size(&directory, stem, options.target, flags, COMPILE_LIMIT)
    });
    let mut smallest = Smallest::default();
    let mut best: Option<(f64, &Kernel, Size)> = None;
    let mut failed: Vec<(String, CompileError)> = Vec::new();
    let mut fitting = 0;
    for (kernel, size) in kernels.iter().zip(sizes) {
        let size = match size {
            Ok(size) => size,
            Err(error) => {
                failed.push((kernel.options().arguments(), error));
                continue;
            }
        };
        let (arguments, flags) = (kernel.options().arguments(), flags.join(" "));
        smallest.add(size, &format!("{arguments} ({} {flags})", compiler.name()));
        if budget.excess(size) > 0 {
            continue;
        }
        fitting += 1;
        let time = kernel.predicted_cycles() / f64::from(kernel.instances().max(1));
        if best.is_none_or(|(least, _, least_size)| (time, size.code) < (least, least_size.code)) {
            best = Some((time, kernel, size));
        }
    }
    if let Some((_, kernel, size)) = best {
        let failed = failed.into_iter().map(|(options, error)| (options, first_line(&error.to_string()))).collect();
        return Ok(Fit { options: kernel.options().clone(), size, tried: kernels.len(), fitting, failed });
    }
    let unmet = smallest.unmet(budget, source, options);
    let error = failed.into_iter().next().map(|(_, error)| EngineError::from(error).diagnostic().into());
    Err(unmet.or(error).unwrap_or_default())
}

/// The kernels that differ, of all choices that are open.
fn kernels(source: &Source, stem: &str, options: &Options) -> Result<Vec<Kernel>, Diagnostics> {
    let program = elaborate(source, options).0;
    // On 32-bit boards, full words and functions that are kept are the smaller and the faster code of elements.
    let is_for_board = options.target == Target::C32 && program.is_some_and(|program| !program.fields.is_empty());
    let mut open = open(options);
    open.retain(|options| !is_for_board || options.goal == Goal::Size);
    let made = on_all_cores(&open, |options| Kernel::of(source, stem, options, &Diagnostics::new()));
    let (mut kernels, mut seen, mut wrong) = (Vec::new(), HashSet::new(), Diagnostics::new());
    for (kernel, diagnostics) in made {
        match kernel {
            Some(kernel) if seen.insert(fingerprint(&kernel)) => kernels.push(kernel),
            Some(_) => {}
            // The first choice is what the user gave: its diagnostics are those that matter.
            None if wrong.is_empty() => wrong = diagnostics,
            None => {}
        }
    }
    if kernels.is_empty() { Err(wrong) } else { Ok(kernels) }
}

/// These options and all others that say more.
fn open(options: &Options) -> Vec<Options> {
    const AMOUNTS: [Amount; 3] = [Amount::Auto, Amount::None, Amount::All];
    let amounts = |given: Amount| if given == Amount::Auto { &AMOUNTS[..] } else { &[] };
    let mut all = vec![options.clone()];
    let mut vary = |change: &dyn Fn(&Options) -> Vec<Options>| {
        for options in all.clone() {
            all.extend(change(&options).into_iter().filter(|changed| *changed != options));
        }
    };
    let small = (options.goal == Goal::Speed).then_some(Goal::Size);
    vary(&|options| small.map(|goal| Options { goal, ..options.clone() }).into_iter().collect());
    vary(&|options| amounts(options.inline).iter().map(|&inline| Options { inline, ..options.clone() }).collect());
    vary(&|options| amounts(options.unroll).iter().map(|&unroll| Options { unroll, ..options.clone() }).collect());
    let alone = options.interleave.is_none().then_some(crate::space::ALONE);
    vary(&|options| alone.map(|alone| Options { interleave: Some(alone), ..options.clone() }).into_iter().collect());
    all
}
