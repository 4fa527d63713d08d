//! Programs that compute one instance at a time: elements of fields become limbs, and the program becomes one function on
//! words, with the functions that it calls and that are kept.

use culet_diag::codes::{targets, world};
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::{LANES, SingleEntry, SingleOutput, TogetherOutput};
use culet_field::batch::share_inverses;
use culet_field::products::{keep_long_products, keep_products};
use culet_field::program::{Limbed, NoLimbs, WordKind, has_lanes, limbs};
use culet_ir::{Func, Module, Op};
use culet_passes::{
    ALIAS, Amount, CSE, Context, DCE, FILL, GIVEN, Goal, INLINE, Marked, PACK, Pass, Schedule, Ternary, dce_together,
    inline_together,
};
use culet_types::program::{Program, Var};

use crate::choices;
use crate::instructions;
use crate::options::Options;

/// A program in words, and the plan for its elements.
pub struct Words {
    pub program: Program,
    /// Functions on words. The entry takes and returns bytes in slots.
    pub module: Module,
    /// The plan of limbs, if the program has elements.
    pub limbed: Option<Limbed>,
    /// Which calls have become copies, and of how many functions the source says it.
    pub inlined: Amount,
    pub functions: Marked,
}

/// Generated C of a program that computes one instance at a time, and what it was made from.
pub(crate) struct Single {
    pub words: Words,
    pub c: SingleOutput,
}

impl Single {
    /// Whether the program is one function, as proofs are.
    ///
    /// # Errors
    ///
    /// E0830, if functions are kept.
    pub fn check_whole(&self) -> Result<(), Diagnostics> {
        if self.words.module.funcs.len() == 1 {
            return Ok(());
        }
        let entry = self.words.program.entry();
        let message = format!("`{}` calls functions of its own, and what is proved is one function", entry.name);
        let note = "with `--inline all`, the program is one function";
        Err(Diagnostic::error(&world::E0830, entry.span, message).note(note).into())
    }

    /// The program in Rust, in a file that the command `provenance` writes.
    ///
    /// # Errors
    ///
    /// As [`culet_emit::emit_single_rust`].
    pub fn rust_made_by(&self, stem: &str, options: &Options, provenance: String) -> Result<String, Diagnostics> {
        rust(&[Recorded { stem: stem.to_owned(), words: &self.words, record: None }], stem, options, provenance)
    }
}

/// A function of a file with several: what it is named after, its words and, perhaps, a record of what it was made from.
pub(crate) struct Recorded<'n> {
    pub stem: String,
    pub words: &'n Words,
    pub record: Option<String>,
}

/// Programs in Rust, in one file that `provenance` wrote, with a function for each.
///
/// # Errors
///
/// As [`culet_emit::emit_single_rust`].
pub(crate) fn rust(
    functions: &[Recorded<'_>],
    stem: &str,
    options: &Options,
    provenance: String,
) -> Result<String, Diagnostics> {
    culet_emit::emit_single_rust(&entries(functions), &emit_options(stem, options, provenance))
}

/// Programs in C with their header, in one file that the command `provenance` writes, with a function for each.
///
/// # Errors
///
/// As [`culet_emit::emit_together`].
pub(crate) fn together(
    functions: &[Recorded<'_>],
    stem: &str,
    options: &Options,
    provenance: String,
) -> Result<TogetherOutput, Diagnostics> {
    culet_emit::emit_together(&entries(functions), &emit_options(stem, options, provenance))
}

/// Programs in C, as [`culet_emit::emit_single_c`] has it, with a function for each.
///
/// # Errors
///
/// As [`culet_emit::emit_single_c`].
pub(crate) fn c(functions: &[Recorded<'_>], stem: &str, options: &Options) -> Result<String, Diagnostics> {
    culet_emit::emit_single_c(&entries(functions), &emit_options(stem, options, String::new()))
}

fn entries<'r>(functions: &'r [Recorded<'_>]) -> Vec<SingleEntry<'r>> {
    let entry = |Recorded { stem, words, record }: &'r Recorded<'_>| SingleEntry {
        module: &words.module,
        program: &words.program,
        stem,
        record: record.as_deref(),
    };
    functions.iter().map(entry).collect()
}

/// The passes between inlining and limbs, after `GIVEN` with `--inline none`.
const INLINED: [Pass; 8] = [CSE, ALIAS, DCE, FILL, DCE, culet_passes::LANES, CSE, DCE];

/// The passes after these, for programs without elements.
const ON_WORDS: [Pass; 4] = [culet_passes::BLOCKS, culet_passes::FUSE, CSE, DCE];

/// As [`ON_WORDS`], for programs with elements, whose loops that fill arrays stay apart from those that read them: they would get copies of long products.
const ON_ELEMENTS: [Pass; 1] = [culet_passes::BLOCKS];

/// Whether a target has code for a program that computes one instance at a time.
pub(crate) fn has_words(program: &Program, options: &Options) -> bool {
    let has_batch = options.target.has_mac52() && stream(program).is_none();
    options.batch.is_none() || has_batch
}

/// A parameter or result with any number of elements, if there is one.
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
    let mut module = lowered(&program, options)?;
    observe("lower", &module);
    let (context, functions) = (context(&module, options)?, Marked::functions(&module));
    check_fold_groups(&program, &module, options, &context)?;
    for pass in before_limbs(&module, options, &context) {
        (pass.run)(&mut module, &context);
        observe(pass.name, &module);
    }
    limbed(program, module, functions, options, &context, observe)
}

/// Lowers programs whose code will share functions.
pub(crate) fn words_together(programs: Vec<Program>, options: &Options) -> Result<Vec<Words>, Diagnostics> {
    let modules: Result<Vec<Module>, Diagnostics> = programs.iter().map(|program| lowered(program, options)).collect();
    let mut modules = modules?;
    let contexts: Result<Vec<Context>, Diagnostics> = modules.iter().map(|module| context(module, options)).collect();
    let contexts = contexts?;
    for ((program, module), context) in programs.iter().zip(&modules).zip(&contexts) {
        check_fold_groups(program, module, options, context)?;
    }
    let functions: Vec<Marked> = modules.iter().map(Marked::functions).collect();
    let passes: Vec<Vec<Pass>> =
        modules.iter().zip(&contexts).map(|(module, context)| before_limbs(module, options, context)).collect();
    if contexts.iter().zip(&passes).all(|(context, own)| context.inline == contexts[0].inline && *own == passes[0]) {
        for pass in passes.first().into_iter().flatten() {
            if *pass == INLINE {
                inline_together(&mut modules, &contexts[0]);
            } else if *pass == DCE {
                dce_together(&mut modules, &contexts[0]);
            } else {
                modules.iter_mut().zip(&contexts).for_each(|(module, context)| (pass.run)(module, context));
            }
        }
    } else {
        for ((module, context), passes) in modules.iter_mut().zip(&contexts).zip(passes) {
            passes.into_iter().for_each(|pass| (pass.run)(module, context));
        }
    }
    let each = programs.into_iter().zip(modules).zip(&contexts).zip(functions);
    each.map(|(((program, module), context), functions)| {
        limbed(program, module, functions, options, context, &mut |_, _| {})
    })
    .collect()
}

fn lowered(program: &Program, options: &Options) -> Result<Module, Diagnostics> {
    choices::check_slicing(program, options)?;
    check(program, options)?;
    instructions::check(program)?;
    let mut module = culet_lower::lower_for(program, options.target, culet_lower::Bits::Apart)?;
    let has_instructions = options.batch.is_none();
    instructions::choose(&mut module, Some(options.target).filter(|_| has_instructions));
    Ok(module)
}

/// Whether elements of a module's fields can stand side by side.
fn has_elements_in_lanes(module: &Module, options: &Options) -> bool {
    options.batch.is_none() && module.fields.iter().all(|field| has_lanes(field, word_kind(options)))
}

/// The options of the passes over a module on elements.
fn context(module: &Module, options: &Options) -> Result<Context, Diagnostics> {
    let side_by_side = if has_elements_in_lanes(module, options) { options.target.element_lanes() } else { 1 };
    let (inline, keeps_marked) = inlined(module, options)?;
    let lanes = has_one_accumulator(options).then_some(1);
    let registers = options.target.block_registers();
    let narrow = registers.iter().position(|&register| options.width.is_none_or(|width| register <= width));
    let block_registers = &registers[narrow.unwrap_or(registers.len())..];
    Ok(Context {
        inline,
        keeps_marked,
        goal: options.goal,
        side_by_side,
        lanes,
        fold_groups: options.fold_groups.unwrap_or(options.target.fold_vectors().1),
        block_registers,
        ..Context::new(options.target)
    })
}

/// Whether a fold in lanes stays whole, with its functions: code is to be small, or to keep all functions.
fn has_one_accumulator(options: &Options) -> bool {
    let is_small = options.inline == Amount::None || (options.inline == Amount::Auto && options.goal == Goal::Size);
    is_small && options.batch.is_none() && !options.target.is_vector()
}

/// Whether functions on words are kept where that makes code small.
fn is_small(context: &Context) -> bool {
    context.goal == Goal::Size && context.inline == Amount::Auto
}

/// The passes over a module on elements, in order. Each function that is left has a plan of its own then.
fn before_limbs(module: &Module, options: &Options, context: &Context) -> Vec<Pass> {
    let packs = has_elements_in_lanes(module, options) && options.target.has_mac52();
    let given = (context.inline == Amount::None || is_small(context)).then_some(GIVEN);
    [INLINE].into_iter().chain(given).chain(INLINED).chain(packs.then_some(PACK)).collect()
}

/// Words of a program whose module has gone through the passes over elements.
fn limbed(
    program: Program,
    mut module: Module,
    functions: Marked,
    options: &Options,
    context: &Context,
    observe: &mut dyn FnMut(&str, &Module),
) -> Result<Words, Diagnostics> {
    let is_kept = |func: &Func| func.instruction.is_some() || context.keeps_marked && func.inline == Some(false);
    let callees = module.funcs.iter().enumerate().filter(|(index, _)| *index != module.entry.index());
    let whole = module.funcs.iter().enumerate().find(|(index, func)| func.no_opt && *index != module.entry.index());
    if context.inline == Amount::All && callees.into_iter().any(|(_, func)| !is_kept(func)) {
        match whole {
            // It stays a function of its own, with those that it calls.
            Some(_) if context.keeps_marked => {}
            Some((_, func)) => {
                let message =
                    format!("`_no_opt` keeps `{}` a function of its own, and this program is one function", func.name);
                let note = "leave `_no_opt` out, or choose `c64` or `c32` without `--batch` and folds in lanes";
                return Err(Diagnostic::error(&world::E0830, program.entry().span, message).note(note).into());
            }
            None => {
                let message = format!("`{}` grows too large when its calls become copies", program.entry().name);
                return Err(Diagnostic::error(&targets::E0706, program.entry().span, message).into());
            }
        }
    }
    check_width(&module, options, context)?;
    let passes: &[Pass] = if module.fields.is_empty() { &ON_WORDS } else { &ON_ELEMENTS };
    for pass in passes.iter().filter(|_| options.batch.is_none()) {
        (pass.run)(&mut module, context);
        observe(pass.name, &module);
    }
    if module.fields.is_empty() {
        culet_passes::mark_kept(&mut module, context);
        return Ok(Words { program, module, limbed: None, inlined: context.inline, functions });
    }
    let kind = word_kind(options);
    if options.share_inverses {
        share_inverses(&mut module, kind.bits);
        (DCE.run)(&mut module, context);
    }
    match context.inline {
        Amount::None => keep_products(&mut module, kind.bits),
        Amount::Auto => keep_long_products(&mut module, kind.bits),
        Amount::All => {}
    }
    let mut limbed = limbs(&module, kind).map_err(|reason| without_limbs(&program, &reason))?;
    observe("limbs", &limbed.module);
    culet_passes::mark_kept(&mut limbed.module, context);
    let module = std::mem::replace(&mut limbed.module, module);
    Ok(Words { program, module, limbed: Some(limbed), inlined: context.inline, functions })
}

/// Whether `--fold-groups` changes a fold of a program, whose module has gone through no pass.
///
/// # Errors
///
/// E0830, if it changes nothing.
fn check_fold_groups(
    program: &Program,
    module: &Module,
    options: &Options,
    context: &Context,
) -> Result<(), Diagnostics> {
    let Some(groups) = options.fold_groups else { return Ok(()) };
    let folded = |context: &Context| {
        let mut module = module.clone();
        before_limbs(&module, options, context).into_iter().for_each(|pass| (pass.run)(&mut module, context));
        module.to_string()
    };
    let by_itself = Context { fold_groups: options.target.fold_vectors().1, ..context.clone() };
    // Only folds over streams have groups.
    let may_act = stream(program).is_some() && has_elements_in_lanes(module, options) && !module.fields.is_empty();
    if may_act && folded(&by_itself) != folded(context) {
        return Ok(());
    }
    let message = format!("`--fold-groups {groups}` changes no fold over elements of a field side by side");
    let note = format!(
        "leave it out; the target `{}` has {}",
        options.target.name(),
        match context.side_by_side {
            1 => "no vectors for them".to_owned(),
            _ => format!("{} groups by itself", by_itself.fold_groups),
        }
    );
    Err(Diagnostic::error_without_place(&world::E0830, message).note(note).into())
}

/// Whether `--width` takes wider registers from loops over streams.
///
/// # Errors
///
/// E0830, if it changes nothing.
fn check_width(module: &Module, options: &Options, context: &Context) -> Result<(), Diagnostics> {
    let Some(width) = options.width else { return Ok(()) };
    let refuse = |message: String| -> Result<(), Diagnostics> {
        let note = "leave `--width` out: of a program that computes one instance at a time, it narrows the registers in which blocks of a stream stand side by side";
        Err(Diagnostic::error_without_place(&world::E0830, message).note(note).into())
    };
    if !options.target.block_registers().contains(&width) {
        return refuse(format!(
            "the target `{}` has no registers of {width} bits for blocks of a stream",
            options.target.name()
        ));
    }
    let in_blocks = |context: &Context| {
        let mut module = module.clone();
        (culet_passes::BLOCKS.run)(&mut module, context);
        module.to_string()
    };
    let all = Context { block_registers: options.target.block_registers(), ..context.clone() };
    if in_blocks(&all) != in_blocks(context) {
        return Ok(());
    }
    refuse(format!("`--width {width}` does nothing: no blocks of a stream stand side by side in wider registers"))
}

/// Which calls become copies, and whether marked functions are kept even if all others become copies. Functions are kept on plain words
/// and one instance at a time, if no fold is divided among accumulators: in programs over fields, and in others where they are marked or
/// asked for, or where the goal is size.
///
/// # Errors
///
/// E0830, if functions are wanted, or small code, where none can be kept.
fn inlined(module: &Module, options: &Options) -> Result<(Amount, bool), Diagnostics> {
    let mut has_lanes = false;
    for func in &module.funcs {
        func.walk(&mut |_, data, _| has_lanes |= matches!(&data.op, Op::Loop(l) if l.lanes.is_some()));
    }
    has_lanes &= !has_one_accumulator(options);
    let (why, note) = match (options.batch.is_some(), options.target.is_vector(), has_lanes) {
        (true, ..) => ("a batch of instances", "leave it out, or choose `c64` or `c32` without `--batch`"),
        (_, true, _) => ("a program for vectors", "leave it out, or choose `c64` or `c32`"),
        (.., true) => ("a program with a fold in lanes", "leave it out, or remove `_lanes` from the program"),
        _ => {
            return Ok(match (options.inline, options.goal, module.fields.is_empty()) {
                (Amount::Auto, Goal::Size, false) => (Amount::None, false),
                (Amount::Auto, Goal::Speed, true) => (Amount::All, true),
                (given, ..) => (given, false),
            });
        }
    };
    let option = match (options.inline, options.goal) {
        (Amount::None, _) => "--inline none",
        (Amount::Auto, Goal::Size) => "--optimise size",
        _ => return Ok((Amount::All, false)),
    };
    let message = format!("`{option}` cannot act: {why} is one function");
    Err(Diagnostic::error_without_place(&world::E0830, message).note(note).into())
}

/// The kind of words of a target. For a vector target, these are the words in its lanes, which hold several instances
/// or several elements of one instance.
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

/// Lowers a program and writes C that `command` makes. The files are named after `stem`.
pub(crate) fn compile(program: Program, stem: &str, options: &Options, command: &str) -> Result<Single, Diagnostics> {
    let words = words(program, options, &mut |_, _| {})?;
    let c = culet_emit::emit_single(&words.module, &words.program, &emit_options(stem, options, command.to_owned()))?;
    Ok(Single { words, c })
}

fn emit_options(stem: &str, options: &Options, provenance: String) -> culet_emit::Options {
    culet_emit::Options {
        target: options.target,
        stem: stem.to_owned(),
        provenance,
        batch: options.batch,
        in_place: options.in_place,
    }
}

/// Reports choices that cannot act on such programs.
fn check(program: &Program, options: &Options) -> Result<(), Diagnostics> {
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
    let is_single = "a program that computes one instance at a time";
    let given = [
        ("--packed", options.packed, is_single),
        ("--planes none", !options.planes, is_single),
        ("--interleave", options.interleave.is_some(), is_single),
        ("--unroll", options.unroll != Amount::Auto, is_single),
        ("--schedule none", options.schedule == Schedule::None, is_single),
        ("--ternary none", options.ternary == Ternary::None, is_single),
        ("--share-inverses", options.share_inverses && program.fields.is_empty(), "a program without a field"),
        (
            "--in-place",
            options.in_place && !program.entry().has_result_of_any_length(),
            "a program without a result of any length",
        ),
    ];
    let mut wrong = Diagnostics::new();
    for (name, _, program) in given.iter().filter(|(_, is_given, _)| *is_given) {
        let message = format!("`{name}` does nothing for {program}");
        wrong.push(Diagnostic::error_without_place(&world::E0830, message).note(format!("leave `{name}` out")));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn without_limbs(program: &Program, reason: &NoLimbs) -> Diagnostics {
    Diagnostic::error(&targets::E0755, program.entry().span, reason.to_string())
        .note("`culet run --interpret` takes the program")
        .into()
}

/// The diagnostic for a program that computes one instance at a time, where slices are required.
pub(crate) fn not_sliced(program: &Program) -> Diagnostics {
    let entry = program.entry();
    let message = format!("`{}` computes one instance at a time, not slices of many", entry.name);
    Diagnostic::error(&targets::E0757, entry.span, message)
        .note("`culet compile`, `culet run`, `culet bench`, `culet tune` (from bytes to bytes) and `culet prove` take the program")
        .into()
}
