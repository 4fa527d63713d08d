//! Programs that compute one instance at a time: elements of fields become limbs, and the whole one function on words.

use culet_diag::codes::{targets, world};
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::{LANES, SingleOutput};
use culet_field::batch::share_inverses;
use culet_field::program::{Limbed, NoLimbs, WordKind, has_lanes, limbs};
use culet_ir::{Module, Op, Target};
use culet_passes::{Amount, Context, Schedule, Ternary};
use culet_types::program::{Program, Var};

use crate::choices;
use crate::load::Source;
use crate::options::Options;

/// A program in words, and what became of its elements.
pub struct Words {
    pub program: Program,
    /// One function on words.
    pub module: Module,
    /// The plan, of a program with elements.
    pub limbed: Option<Limbed>,
}

/// Generated C of a program that computes one instance at a time, and what it was made from.
pub struct Single {
    /// The files' name without extension.
    pub stem: String,
    pub words: Words,
    pub c: SingleOutput,
}

impl Single {
    /// The same in Rust.
    ///
    /// # Errors
    ///
    /// As [`culet_emit::emit_single_rust`].
    pub fn rust(&self, options: &Options) -> Result<String, Diagnostics> {
        self.rust_made_by(options, format!("{} --language rust", command(&self.stem, options)))
    }

    /// The same, where another command than `culet compile` writes the file.
    ///
    /// # Errors
    ///
    /// As [`culet_emit::emit_single_rust`].
    pub fn rust_made_by(&self, options: &Options, provenance: String) -> Result<String, Diagnostics> {
        let emit_options = culet_emit::Options { provenance, ..emit_options(&self.stem, options) };
        culet_emit::emit_single_rust(&self.words.module, &self.words.program, &emit_options)
    }

    /// What is said where slices are needed.
    pub fn not_sliced(&self) -> Diagnostics {
        not_sliced(&self.words.program)
    }
}

/// The passes before elements become limbs: the whole program becomes one function, whose plan is one.
const WHOLE: [&str; 6] = ["inline", "cse", "dce", "lanes", "cse", "dce"];

/// Whether a target has code for such a program.
pub(crate) fn has_words(program: &Program, options: &Options) -> bool {
    let has_batch = options.target.has_mac52() && stream(program).is_none();
    is_word_target(options.target) && (options.batch.is_none() || has_batch)
}

fn is_word_target(target: Target) -> bool {
    target.element_lanes() > 1 || !target.is_vector()
}

/// A parameter or result of any number of elements.
fn stream(program: &Program) -> Option<&Var> {
    let entry = program.entry();
    entry.params.iter().chain(&entry.returns).map(|&id| entry.var(id)).find(|var| var.stream)
}

/// Lowers to words. `observe` sees the module on elements (`"lower"`) and on words (`"limbs"`).
pub fn words(
    program: Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Module),
) -> Result<Words, Diagnostics> {
    choices::check_slicing(&program, options)?;
    check(&program, options)?;
    let mut module = culet_lower::lower_for(&program, options.target, culet_lower::Bits::Apart)?;
    observe("lower", &module);
    let kind = word_kind(options);
    let has_lanes = options.batch.is_none() && module.fields.iter().all(|field| has_lanes(field, kind));
    let side_by_side = if has_lanes { options.target.element_lanes() } else { 1 };
    let context = Context { inline: Amount::All, side_by_side, ..Context::new(options.target) };
    for name in WHOLE.into_iter().chain((has_lanes && options.target.has_mac52()).then_some("pack")) {
        let pass = culet_passes::find(name).expect("the passes are in the registry");
        (pass.run)(&mut module, &context);
        observe(name, &module);
    }
    if module.entry().insts.iter().any(|inst| matches!(inst.op, Op::Call(_))) {
        let message = format!("`{}` grows too large when its calls become copies", program.entry().name);
        return Err(Diagnostic::error(&targets::E0706, program.entry().span, message).into());
    }
    if module.fields.is_empty() {
        return Ok(Words { program, module, limbed: None });
    }
    if options.share_inverses {
        share_inverses(&mut module, kind.bits);
        let dce = culet_passes::find("dce").expect("the pass is in the registry");
        (dce.run)(&mut module, &context);
    }
    let mut limbed = limbs(&module, kind).map_err(|reason| without_limbs(&program, &reason))?;
    observe("limbs", &limbed.module);
    let module = std::mem::replace(&mut limbed.module, module);
    Ok(Words { program, module, limbed: Some(limbed) })
}

/// The words of a target; of a vector target those in its lanes, which are instances or elements of one.
fn word_kind(options: &Options) -> WordKind {
    let lanes = if options.batch.is_some() { 1 } else { LANES };
    let mac52 = options.target.has_mac52().then_some(lanes);
    WordKind {
        mac52,
        mul32: mac52.is_none() && options.target.is_vector(),
        clmul: options.batch.is_none() && options.target.has_clmul(),
        ..WordKind::plain(options.target.word_bits())
    }
}

/// Lowers, and writes C. The files are called after `stem`.
pub(crate) fn compile(program: Program, stem: &str, options: &Options) -> Result<Single, Diagnostics> {
    let words = words(program, options, &mut |_, _| {})?;
    let c = culet_emit::emit_single(&words.module, &words.program, &emit_options(stem, options))?;
    Ok(Single { stem: stem.to_owned(), words, c })
}

fn emit_options(stem: &str, options: &Options) -> culet_emit::Options {
    culet_emit::Options {
        target: options.target,
        stem: stem.to_owned(),
        provenance: command(stem, options),
        batch: options.batch,
    }
}

/// The command that makes a program's files.
fn command(stem: &str, options: &Options) -> String {
    format!("culet compile {stem}.ua {}", options.arguments())
}

/// Choices that cannot act on such programs.
fn check(program: &Program, options: &Options) -> Result<(), Diagnostics> {
    if !is_word_target(options.target) {
        let message = format!("the target `{}` has no code for one instance at a time", options.target.name());
        let note = "choose `avx512ifma`, `avx2` or `c64`, or `c32` for words of 32 bits";
        return Err(Diagnostic::error_without_place(&targets::E0756, message).note(note).into());
    }
    let name = options.target.name();
    if let Some(stream) = stream(program).filter(|_| options.batch.is_some()) {
        let message = format!("`{}` is as long as each caller says, and a batch has one length", stream.name);
        let note = "leave `--batch` out, and choose `c64`";
        return Err(Diagnostic::error(&targets::E0756, stream.span, message).note(note).into());
    }
    match (options.batch, options.target.has_mac52()) {
        (None, _) | (Some(LANES), true) => {}
        (Some(batch), has_batches) => {
            let message = format!("the target `{name}` has no code for {batch} instances at once");
            let note = match has_batches {
                true => format!("its registers have {} lanes: say `--batch {}`", LANES, LANES),
                false => format!("leave `--batch` out, or choose `avx512ifma` and `--batch {}`", LANES),
            };
            return Err(Diagnostic::error_without_place(&targets::E0756, message).note(note).into());
        }
    }
    let given = [
        ("--packed", options.packed),
        ("--width", options.width.is_some()),
        ("--planes none", !options.planes),
        ("--interleave", options.interleave.is_some()),
        ("--unroll", options.unroll != Amount::Auto),
        ("--inline", options.inline != Amount::Auto),
        ("--schedule none", options.schedule == Schedule::None),
        ("--ternary none", options.ternary == Ternary::None),
        ("--share-inverses", options.share_inverses && program.fields.is_empty()),
    ];
    let mut wrong = Diagnostics::new();
    for (name, _) in given.iter().filter(|(_, is_given)| *is_given) {
        let message = format!("`{name}` does nothing for a program that computes one instance at a time");
        wrong.push(Diagnostic::error_without_place(&world::E0830, message).note(format!("leave `{name}` out")));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn without_limbs(program: &Program, reason: &NoLimbs) -> Diagnostics {
    Diagnostic::error(&targets::E0755, program.entry().span, reason.to_string())
        .note("`culet run --interpret` takes the program")
        .into()
}

/// What there is for batches, for which one instance at a time is no answer.
pub(crate) fn not_sliced(program: &Program) -> Diagnostics {
    let entry = program.entry();
    let message = format!("`{}` computes one instance at a time, not slices of many", entry.name);
    Diagnostic::error(&targets::E0757, entry.span, message)
        .note("`culet compile`, `culet run` and `culet prove` take the program; tuning and mutants are for kernels on slices yet")
        .into()
}

/// Every carry of a program over a field, and why it is there.
pub fn carries(source: &Source, options: &Options) -> (Option<String>, Diagnostics) {
    let (program, mut diagnostics) = crate::pipeline::elaborate(source, options);
    let Some(program) = program else { return (None, diagnostics) };
    let entry = program.entry();
    let (name, span) = (entry.name.clone(), entry.span);
    let limbed = match culet_lower::is_single(&program) {
        true => words(program, options, &mut |_, _| {}).map(|words| words.limbed),
        false => Ok(None),
    };
    match limbed.map(|limbed| limbed.and_then(|limbed| limbed.carries())) {
        Ok(Some(text)) => return (Some(text), diagnostics),
        Ok(None) => diagnostics.push(
            Diagnostic::error(&world::E0830, span, format!("`{name}` has no limbs whose carries are planned"))
                .note("`--carries` explains programs over prime fields in unsaturated limbs"),
        ),
        Err(errors) => diagnostics.extend(errors),
    }
    (None, diagnostics)
}

/// All of a source that is right, in C.
pub enum Generated {
    Sliced(Box<crate::pipeline::Compiled>),
    Single(Box<Single>),
}

/// The whole way to C of any program. A source with errors `so_far` is checked, but not compiled.
pub fn generate(
    source: &Source,
    stem: &str,
    options: &Options,
    so_far: &Diagnostics,
) -> (Option<Generated>, Diagnostics) {
    if so_far.has_errors() {
        return (None, culet_types::check_definitions(&source.items));
    }
    let (program, mut diagnostics) = crate::pipeline::elaborate(source, options);
    let Some(program) = program else { return (None, diagnostics) };
    let generated = if culet_lower::is_single(&program) {
        compile(program, stem, options).map(|single| Generated::Single(Box::new(single)))
    } else {
        crate::pipeline::compile_program(program, stem, options).map(|compiled| Generated::Sliced(Box::new(compiled)))
    };
    match generated {
        Ok(generated) => (Some(generated), diagnostics),
        Err(errors) => {
            diagnostics.extend(errors);
            (None, diagnostics)
        }
    }
}
