//! Engines compute a node's results from bytes, by the interpreter or by a compiled kernel. A mode of operation or a
//! known answer uses one interface for both.
#![allow(unsafe_code)] // Kernels are called that have been compiled from programs.

use std::fmt;
use std::path::Path;

use culet_diag::codes::{limits, world};
use culet_diag::{Code, Diagnostic, Diagnostics};
use culet_ir::Target;
use culet_native::{
    BuildError, CCompiler, CallError, Callable, CompileError, Extent, KernelSource, architecture_here, cpu_runs,
};
use culet_types::program::Program;

use crate::kernel::Kernel;
use crate::parameters::{Parameter, extent, has_stream, interpret, lengths, parameters};
use crate::shim;

/// Something that computes an entry node on any number of instances.
pub struct Engine {
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    kind: Kind,
}

/// Maximum number of steps of the interpreter for one instance, which takes a minute or more. No cipher takes a
/// thousandth of that for a block.
const MAX_STEPS: u64 = 1 << 32;

enum Kind {
    Interpreter(Box<Program>),
    Native(Callable),
}

/// The reason why a compiled kernel is not available.
#[derive(Debug)]
pub struct EngineError {
    pub code: &'static Code,
    pub message: String,
    pub notes: Vec<String>,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EngineError {}

impl EngineError {
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error_without_place(self.code, self.message.clone());
        self.notes.iter().fold(diagnostic, |d, note| d.note(note.clone()))
    }
}

impl From<CompileError> for EngineError {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::NotFound { .. } => EngineError {
                code: &world::E0820,
                message: error.to_string(),
                notes: vec!["install one, or name one with `--cc`".into()],
            },
            CompileError::Failed { command, output } => EngineError {
                code: &world::E0821,
                message: "the C compiler refused the generated code".into(),
                notes: {
                    let is_of_option =
                        ["unrecognized", "unknown argument", "option"].iter().any(|word| output.contains(word));
                    let remedy =
                        is_of_option.then(|| "the options that it does not have come from `--cflags`".to_owned());
                    [command, output].into_iter().chain(remedy).collect()
                },
            },
            CompileError::WrongArchitecture { target, .. } => EngineError {
                code: &world::E0826,
                message: error.to_string(),
                notes: vec![format!(
                    "name a compiler for {} with `--cc`{}",
                    target.architecture().unwrap_or("it"),
                    example(target)
                )],
            },
            CompileError::NoRunner { .. } => EngineError {
                code: &world::E0826,
                message: error.to_string(),
                notes: vec!["say with `--runner` what does, for instance `--runner qemu-aarch64`".into()],
            },
            CompileError::Hung { .. } | CompileError::Io { .. } => {
                EngineError { code: &world::E0821, message: error.to_string(), notes: Vec::new() }
            }
        }
    }
}

impl From<BuildError> for EngineError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Compile(error) => error.into(),
            BuildError::Load(error) => {
                EngineError { code: &world::E0822, message: error.to_string(), notes: Vec::new() }
            }
        }
    }
}

impl From<CallError> for EngineError {
    fn from(error: CallError) -> Self {
        EngineError { code: &world::E0825, message: error.to_string(), notes: Vec::new() }
    }
}

/// An example of the options that run kernels for another machine's target.
fn example(target: Target) -> &'static str {
    match target {
        Target::Neon => ", such as `--cc aarch64-linux-gnu-gcc-12 --runner qemu-aarch64`",
        Target::Vsx => ", such as `--cc powerpc64le-linux-gnu-gcc-12 --runner 'qemu-ppc64le -cpu power9'`",
        _ => "",
    }
}

/// The error for a target whose kernels do not run here without a runner.
fn not_here(target: Target) -> EngineError {
    let note = match target.architecture() {
        Some(needed) if needed != architecture_here() => format!(
            "it is for {needed}: name a C compiler for that with `--cc`, and with `--runner` what executes its programs{}",
            example(target)
        ),
        _ => "choose another with `--target`; `c64` runs everywhere".to_owned(),
    };
    let message = format!("this CPU lacks the instructions of the target `{}`", target.name());
    EngineError { code: &world::E0823, message, notes: vec![note] }
}

impl Engine {
    /// The interpreter, for the program's entry.
    pub fn interpreter(program: Program) -> Result<Engine, Diagnostics> {
        let entry = program.entry();
        let steps = culet_meaning::steps(&program, program.entry);
        if steps > MAX_STEPS {
            let message = format!("interpreting `{}` takes more than 2^{} steps", entry.name, MAX_STEPS.ilog2());
            return Err(Diagnostic::error(&limits::E0605, entry.span, message)
                .label(format!("at least 2^{} for each instance", steps.ilog2()))
                .note("compiled kernels have no such limit: leave `--interpret` out")
                .note("key schedules are always interpreted")
                .into());
        }
        let (inputs, outputs) = parameters(entry);
        Ok(Engine { inputs, outputs, kind: Kind::Interpreter(Box::new(program)) })
    }

    /// A compiled kernel, built by a C compiler with `flags` such as `-O3`. One that a runner executes is tried once, so
    /// that what is wrong with the runner is known before there are data.
    pub fn native(kernel: &Kernel, compiler: &CCompiler, flags: &[&str]) -> Result<Engine, EngineError> {
        Engine::build(kernel, compiler, flags, None)
    }

    /// An engine from an object that holds the generated function under its name in C and with the interface of its C,
    /// in whatever language the object was written.
    pub fn linked(kernel: &Kernel, compiler: &CCompiler, object: &Path) -> Result<Engine, EngineError> {
        Engine::build(kernel, compiler, &[], Some(object))
    }

    fn build(
        kernel: &Kernel,
        compiler: &CCompiler,
        flags: &[&str],
        object: Option<&Path>,
    ) -> Result<Engine, EngineError> {
        let target = kernel.options().target;
        if compiler.runner.is_none() && !cpu_runs(target) {
            return Err(not_here(target));
        }
        let (inputs, outputs) = parameters(kernel.program().entry());
        let header_name = format!("{}.h", kernel.stem());
        let source_name = format!("{}.c", kernel.stem());
        let shim = shim::file(&header_name, &kernel.call());
        let object = object.map(|path| path.to_string_lossy().into_owned());
        let mut files = vec![(&*header_name, kernel.header()), ("culet_shim.c", &*shim)];
        let mut flags = flags.to_vec();
        match &object {
            Some(object) => flags.push(object),
            None => files.push((&source_name, kernel.text())),
        }
        let source = KernelSource { files: &files, symbol: shim::SYMBOL };
        let has_stream = has_stream(&inputs);
        let extents = |parameters: &[Parameter]| parameters.iter().map(|p| extent(p, has_stream)).collect();
        let mut read: Vec<Extent> = extents(&inputs);
        read.extend(has_stream.then(|| Extent { fixed: shim::LENGTH * lengths(&inputs).count(), per_count: 0 }));
        // SAFETY: the shim has the fixed signature; the generated function reads and writes `byte_length` bytes an
        // instance, or once for shared parameters and beside a stream, of which it reads as many bytes as it is told, and
        // `cpu_runs` was asked above.
        let callable = unsafe { compiler.kernel(source, target, &flags, (extents(&outputs), read)) }?;
        let is_executed = matches!(callable, Callable::Executed(_));
        let engine = Engine { inputs, outputs, kind: Kind::Native(callable) };
        if is_executed {
            let zeros: Vec<Vec<u8>> = engine.inputs.iter().map(|p| vec![0; p.bytes]).collect();
            engine.compute(&zeros.iter().map(Vec::as_slice).collect::<Vec<_>>(), 1)?;
        }
        Ok(engine)
    }

    /// The bytes of the shared object that is called, if it is in this process and can still be read.
    pub fn machine_code(&self) -> Option<Vec<u8>> {
        match &self.kind {
            Kind::Native(Callable::Loaded(kernel)) => kernel.machine_code().ok(),
            _ => None,
        }
    }

    pub fn inputs(&self) -> &[Parameter] {
        &self.inputs
    }

    pub fn outputs(&self) -> &[Parameter] {
        &self.outputs
    }

    /// Like [`Self::compute`], for engines that no runner executes.
    ///
    /// # Panics
    ///
    /// If an input has a wrong length, or a runner fails.
    pub fn run(&self, inputs: &[&[u8]], instances: usize) -> Vec<Vec<u8>> {
        self.compute(inputs, instances).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Makes a call with streams. Each stream gets room for as many elements as the longest one has; the lengths of all
    /// streams follow the parameters.
    fn stream(&self, kernel: &Callable, inputs: &[&[u8]]) -> Result<Vec<Vec<u8>>, CallError> {
        let elements = |place: usize| inputs[place].len() / self.inputs[place].bytes.max(1);
        let count = lengths(&self.inputs).map(elements).max().unwrap_or(0);
        let sizes = |parameters: &[Parameter]| -> Vec<usize> {
            parameters.iter().map(|parameter| extent(parameter, true).bytes(count)).collect()
        };
        let mut read: Vec<Vec<u8>> = inputs.iter().map(|bytes| bytes.to_vec()).collect();
        read.iter_mut().zip(sizes(&self.inputs)).for_each(|(bytes, size)| bytes.resize(size, 0));
        read.push(lengths(&self.inputs).flat_map(|place| (inputs[place].len() as u64).to_le_bytes()).collect());
        let mut results: Vec<Vec<u8>> = sizes(&self.outputs).into_iter().map(|size| vec![0; size]).collect();
        let mut slices: Vec<&mut [u8]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        kernel.call(&mut slices, &read.iter().map(Vec::as_slice).collect::<Vec<_>>(), count)?;
        for (result, parameter) in results.iter_mut().zip(&self.outputs) {
            if let Some(source) = parameter.source {
                result.truncate(elements(source) * parameter.bytes);
            }
        }
        Ok(results)
    }

    /// The results of `instances` instances. Each input holds the bytes of all instances one after another, or those of
    /// one instance if it is shared. The results have the same form. Only a runner can fail.
    ///
    /// # Panics
    ///
    /// If an input has a wrong length, or there are streams and `instances` is not 1.
    pub fn compute(&self, inputs: &[&[u8]], instances: usize) -> Result<Vec<Vec<u8>>, CallError> {
        assert_eq!(inputs.len(), self.inputs.len(), "one value a parameter");
        for (parameter, bytes) in self.inputs.iter().zip(inputs) {
            let fits = match parameter.stream {
                true => instances == 1 && parameter.takes(bytes.len()),
                false => bytes.len() == extent(parameter, false).bytes(instances),
            };
            assert!(fits, "the bytes of `{}`", parameter.name);
        }
        match &self.kind {
            Kind::Interpreter(program) => Ok(interpret(program, &self.inputs, inputs, instances)),
            Kind::Native(kernel) => {
                if has_stream(&self.inputs) {
                    return self.stream(kernel, inputs);
                }
                let mut results: Vec<Vec<u8>> =
                    self.outputs.iter().map(|p| vec![0; extent(p, false).bytes(instances)]).collect();
                let mut slices: Vec<&mut [u8]> = results.iter_mut().map(Vec::as_mut_slice).collect();
                kernel.call(&mut slices, inputs, instances)?;
                Ok(results)
            }
        }
    }
}
