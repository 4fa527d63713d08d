//! The whole way from a source to C, and one interface to the result: users of a [`Kernel`] need not ask which route its
//! program took.

use std::collections::HashMap;

use culet_diag::{Diagnostics, counted};
use culet_emit::{Interface, SingleOutput};
use culet_image::Image;
use culet_ir::{Module, Op, Over, Target};
use culet_passes::{Chosen, Context, Goal};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_types::program::Program;

use crate::linked::{self, Lengths};
use crate::load::Source;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use crate::mutation::{self, Mutation, MutationError, Trials};
use crate::options::Options;
use crate::parameters::{Parameter, parameters};
use crate::program::elaborate;
use crate::prove::{self, FunctionProof};
use crate::reasons;
use crate::route::Route;
use crate::shim;
use crate::single::{self, Single};
use crate::sliced::{self, Sliced};
use crate::trial;
use crate::words_proof;

/// Whether code can be generated for a program, as far as it is right. Every other program can be interpreted.
pub fn has_code(source: &Source, options: &Options) -> bool {
    elaborate(source, options).0.is_none_or(|program| program_has_code(&program, options))
}

/// The options with the target replaced by `c64`, if the program has code for `c64` and none for the target, or if it is to be small and
/// only plain words keep its functions. For use where the user names no target.
pub fn with_code(source: &Source, options: Options) -> Options {
    // The target plays no part in what a program means.
    let Some(program) = elaborate(source, &options).0 else { return options };
    let plain = Options { target: Target::C64, ..options.clone() };
    let is_small = options.goal == Goal::Size && matches!(Route::of(&program), Route::Words);
    let is_better = is_small || !program_has_code(&program, &options);
    if is_better && program_has_code(&program, &plain) { plain } else { options }
}

/// Whether a program, as far as it is right, computes one instance at a time, not slices of many.
pub fn computes_one_instance(source: &Source, options: &Options) -> bool {
    elaborate(source, options).0.is_some_and(|program| Route::of(&program) == Route::Words)
}

fn program_has_code(program: &Program, options: &Options) -> bool {
    culet_lower::has_code(program)
        && match Route::of(program) {
            Route::Slices => true,
            Route::Words => single::has_words(program, options),
        }
}

/// Lowers and optimises a program. Returns it with its module after all passes. `observe` sees the module after lowering
/// (`"lower"`) and after each pass.
pub fn lower(
    program: Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Module),
) -> Result<(Program, Module), Diagnostics> {
    match Route::of(&program) {
        Route::Slices => sliced::lower(program, options, observe).map(|lowered| (lowered.program, lowered.module)),
        Route::Words => single::words(program, options, observe).map(|words| (words.program, words.module)),
    }
}

/// The code generated for a program with some options.
pub struct Kernel {
    stem: String,
    /// The command that makes it.
    command: String,
    options: Options,
    code: Code,
}

enum Code {
    Slices(Box<Sliced>),
    Words(Box<Single>),
}

impl Kernel {
    /// Generates code for a source without errors. Its files are named `stem`, with which the names of its functions begin. A
    /// source with errors `so_far` is checked, but not compiled.
    pub fn of(source: &Source, stem: &str, options: &Options, so_far: &Diagnostics) -> (Option<Kernel>, Diagnostics) {
        if so_far.has_errors() {
            return (None, culet_types::check_what_was_read(&source.items));
        }
        let (program, mut diagnostics) = elaborate(source, options);
        let Some(program) = program else { return (None, diagnostics) };
        let command = options.command(&source.given, &source.stem, stem);
        match Code::of(program, stem, options, &command) {
            Ok(code) => (Some(Kernel { stem: stem.to_owned(), command, options: options.clone(), code }), diagnostics),
            Err(errors) => {
                diagnostics.extend(errors);
                (None, diagnostics)
            }
        }
    }

    /// The files' name without extension.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// The command that makes its files in C, as they say it themselves.
    pub fn command(&self) -> &str {
        &self.command
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn program(&self) -> &Program {
        match &self.code {
            Code::Slices(sliced) => &sliced.lowered.program,
            Code::Words(single) => &single.words.program,
        }
    }

    /// The module that was written as C.
    pub fn module(&self) -> &Module {
        match &self.code {
            Code::Slices(sliced) => &sliced.lowered.module,
            Code::Words(single) => &single.words.module,
        }
    }

    /// The C file.
    pub fn text(&self) -> &str {
        match &self.code {
            Code::Slices(sliced) => &sliced.c.source,
            Code::Words(single) => &single.c.source,
        }
    }

    /// Its header.
    pub fn header(&self) -> &str {
        match &self.code {
            Code::Slices(sliced) => &sliced.c.header,
            Code::Words(single) => &single.c.header,
        }
    }

    /// The text of the module in Rust.
    ///
    /// # Errors
    ///
    /// As [`culet_emit::emit_rust`] for slices, and as [`culet_emit::emit_single_rust`] otherwise.
    pub fn rust(&self) -> Result<String, Diagnostics> {
        let command = format!("{} --language rust", self.command);
        match &self.code {
            Code::Slices(sliced) => sliced::rust(&sliced.lowered, &self.stem, &self.options, &command),
            Code::Words(single) => single.rust_made_by(&self.stem, &self.options, command),
        }
    }

    /// Number of instances that a call computes.
    pub fn instances(&self) -> u32 {
        match &self.code {
            Code::Slices(sliced) => sliced.lowered.layout.instances(),
            Code::Words(single) => single.c.instances,
        }
    }

    /// The choices that were made, one line each: the choice, its reason, and the cycles by the model.
    ///
    /// # Errors
    ///
    /// E0757 for a function on words, for which the model makes no choices, unless it is to be small.
    pub fn explained(&self) -> Result<Vec<String>, Diagnostics> {
        match &self.code {
            Code::Slices(sliced) => {
                let chosen = &sliced.lowered.chosen;
                Ok(reasons::lines(&self.options, chosen, self.predicted_cycles() / parts(chosen)))
            }
            Code::Words(single) if self.options.goal == Goal::Size => {
                Ok(vec![reasons::of_words(&self.options, single.words.inlined, single.words.functions)])
            }
            Code::Words(single) => Err(single::not_sliced(&single.words.program)),
        }
    }

    /// Cycles of a call by the model: those by which it chose, which count the vectors that C compilers find, else as
    /// [`culet_passes::predicted_cycles`] says.
    pub fn predicted_cycles(&self) -> f64 {
        let best = match &self.code {
            Code::Slices(sliced) => {
                let chosen = &sliced.lowered.chosen;
                chosen.best().map(|best| best.cycles * parts(chosen))
            }
            Code::Words(_) => None,
        };
        best.unwrap_or_else(|| culet_passes::predicted_cycles(self.module(), &self.context()))
    }

    /// Cycles of the longest chain of operations of a call.
    pub fn chain_length(&self) -> f64 {
        culet_passes::chain_length(self.module(), &self.context())
    }

    fn context(&self) -> Context {
        match &self.code {
            Code::Slices(sliced) => sliced.lowered.chosen.context.clone(),
            Code::Words(_) => Context::new(self.options.target),
        }
    }

    /// The number of groups of instances that a call handles.
    pub fn groups(&self) -> u32 {
        match &self.code {
            Code::Slices(sliced) => sliced.lowered.chosen.context.interleave,
            Code::Words(_) => 1,
        }
    }

    /// The number of instances as a phrase for people.
    pub fn described_instances(&self) -> String {
        match (&self.code, self.instances()) {
            (Code::Words(_), 1) => match self.blocks_side_by_side() {
                1 => "one instance at a time".to_owned(),
                blocks => format!("one instance at a time, {blocks} blocks of a stream side by side"),
            },
            (_, instances) => format!("{} a call", counted(instances as usize, "instance")),
        }
    }

    /// The largest number of blocks of a stream that a loop goes through at once, in vectors.
    fn blocks_side_by_side(&self) -> u32 {
        let mut sizes = HashMap::new();
        if self.options.target.is_vector() {
            self.module().entry().walk(&mut |_, data, _| {
                if let Op::Loop(l) = &data.op
                    && let Some(Over::Whole { stream, block, .. }) = l.over
                {
                    let (least, most) = sizes.entry(stream).or_insert((block, block));
                    (*least, *most) = (block.min(*least), block.max(*most));
                }
            });
        }
        sizes.into_values().map(|(least, most)| most / least).max().unwrap_or(1)
    }

    /// The interface of a kernel on slices.
    ///
    /// # Errors
    ///
    /// E0757 for a function on words.
    pub fn on_slices(&self) -> Result<&Interface, Diagnostics> {
        match &self.code {
            Code::Slices(sliced) => Ok(&sliced.c.interface),
            Code::Words(single) => Err(single::not_sliced(&single.words.program)),
        }
    }

    /// The interface of a function on words; `None` for slices.
    pub fn on_words(&self) -> Option<&SingleOutput> {
        match &self.code {
            Code::Slices(_) => None,
            Code::Words(single) => Some(&single.c),
        }
    }

    /// Parameters and results of the entry, as bytes.
    pub fn arguments(&self) -> (Vec<Parameter>, Vec<Parameter>) {
        parameters(self.program().entry())
    }

    /// The C statement of a shim that calls it.
    pub(crate) fn call(&self) -> String {
        match &self.code {
            Code::Slices(sliced) => shim::call_on_slices(&sliced.c.interface),
            Code::Words(single) => shim::call_on_words(&single.c),
        }
    }

    /// The names of the functions that have theorems.
    pub fn functions(&self) -> Vec<String> {
        match &self.code {
            Code::Slices(sliced) => prove::functions(&sliced.c.interface),
            Code::Words(single) => vec![single.c.function.clone()],
        }
    }

    /// Proves the functions in an image that a C compiler made of the C. A program that computes one instance at a time has one
    /// function. A kernel on slices has functions on registers, functions that pack and unpack, and functions from bytes to
    /// bytes, whose proofs use the theorems of the others. `watch` gets each function's name before the proof, and returns
    /// whether the proof is wanted.
    ///
    /// # Errors
    ///
    /// As [`Self::each_proof`].
    pub fn proofs(
        &self,
        image: &Image,
        limits: &Limits,
        watch: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<FunctionProof>, Diagnostics> {
        let mut proofs = Vec::new();
        self.each_proof(image, limits, watch, &mut |proof| proofs.push(proof))?;
        Ok(proofs)
    }

    /// Like [`Self::proofs`]; `over` gets the proof of each function as soon as it has ended.
    ///
    /// # Errors
    ///
    /// When a circuit for a table is wrong. E0830, if functions of a program over a field are kept.
    pub fn each_proof(
        &self,
        image: &Image,
        limits: &Limits,
        watch: &mut dyn FnMut(&str) -> bool,
        over: &mut dyn FnMut(FunctionProof),
    ) -> Result<(), Diagnostics> {
        match &self.code {
            Code::Slices(sliced) => prove::each_proof(sliced, image, limits, watch, over)?,
            Code::Words(single) => {
                single.check_whole()?;
                words_proof::each_proof(single, image, limits, watch, over);
            }
        }
        Ok(())
    }

    /// Proves that the function `symbol` of an image, which a compiler made of the function in Rust, is safe. Returns the
    /// lengths of its streams for which that is proved, too. A function that is not very long is also run on a few inputs.
    ///
    /// # Errors
    ///
    /// The rule that it breaks, the reason why it cannot be followed, or an input for which it does not compute what the
    /// program means.
    pub fn prove_safe(&self, image: &Image, symbol: &str, limits: &Limits) -> Result<(Proved, Lengths), Rejection> {
        let single = self.linked()?;
        let (proved, lengths) = linked::prove_safe(single, image, symbol, limits)?;
        linked::compare(single, image, symbol, (&proved, limits))?;
        Ok((proved, lengths))
    }

    /// Proves that the function `symbol` of an image, which a compiler made of the function in Rust, computes what the
    /// program means.
    ///
    /// # Errors
    ///
    /// The reason why that is not proved.
    pub fn prove_equal(&self, image: &Image, symbol: &str, limits: &Limits) -> Result<Proved, Rejection> {
        linked::prove_equal(self.linked()?, image, symbol, limits)
    }

    fn linked(&self) -> Result<&Single, Rejection> {
        match &self.code {
            Code::Slices(_) => Err(Rejection::Unsupported("kernels on slices are not linked into programs".to_owned())),
            Code::Words(single) => Ok(single),
        }
    }

    /// Proves mutants of the functions for which `wanted` returns true, and runs the mutants that are accepted.
    ///
    /// # Errors
    ///
    /// When the functions themselves are not proved, or cannot be run.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    pub fn mutants(
        &self,
        image: &Image,
        mutation: Mutation,
        wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<Trials>, MutationError> {
        match &self.code {
            Code::Slices(sliced) => mutation::of_slices(sliced, image, mutation, wanted),
            Code::Words(single) => mutation::of_words(single, image, mutation, wanted),
        }
    }
}

impl Code {
    fn of(program: Program, stem: &str, options: &Options, command: &str) -> Result<Code, Diagnostics> {
        Ok(match Route::of(&program) {
            Route::Slices => Code::Slices(Box::new(sliced::compile(program, stem, options, command)?)),
            Route::Words => {
                let single = single::compile(program, stem, options, command)?;
                trial::compare(&single.words)?;
                Code::Words(Box::new(single))
            }
        })
    }
}

/// Number of parts of a call of which the choices' cycles are: groups of instances, or instances where words are packed.
fn parts(chosen: &Chosen) -> f64 {
    f64::from(chosen.context.interleave * chosen.instances(&chosen.context))
}
