//! Computing a node's results from bytes, by the interpreter or by a compiled kernel: one interface, so that a mode of
//! operation or a known answer does not know which.
#![allow(unsafe_code)] // Kernels are called that have been compiled from programs.

use std::fmt;
use std::path::Path;

use culet_diag::codes::{limits, world};
use culet_diag::{Code, Diagnostic, Diagnostics};
use culet_emit::SingleOutput;
use culet_ir::Target;
use culet_meaning::layout::byte_length;
use culet_meaning::packing::{ConcreteValue, bytes_to_values, values_to_bytes};
use culet_meaning::{Concrete, ConcreteFields, Interpreter};
use culet_native::{
    BuildError, CCompiler, CallError, Callable, CompileError, Extent, KernelSource, architecture_here, cpu_runs,
};
use culet_types::program::{Node, Program, Var, VarId};

use crate::options::Options;
use crate::single::Generated;

/// A parameter or result of an engine's node, as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    /// Of one instance, and of one element of a stream.
    pub bytes: usize,
    /// One value for all instances of a call.
    pub shared: bool,
    /// Any number of elements; one instance at a time.
    pub stream: bool,
    /// Of a result that is a stream, the parameter that has as many elements.
    pub source: Option<usize>,
}

impl Parameter {
    /// Whether it can have so many bytes.
    pub fn takes(&self, bytes: usize) -> bool {
        if self.stream { bytes.is_multiple_of(self.bytes.max(1)) } else { bytes == self.bytes }
    }
}

/// Something that computes an entry node on any number of instances.
pub struct Engine {
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    kind: Kind,
}

/// Steps of the interpreter for one instance: a minute or more. No cipher takes a thousandth of it for a block.
const MAX_STEPS: u64 = 1 << 32;

enum Kind {
    Interpreter(Box<Program>),
    Native(Callable),
}

/// Why a compiled kernel is not available.
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
                notes: vec!["install one, name one with `--cc`, or use the interpreter with `--interpret`".into()],
            },
            CompileError::Failed { command, output } => EngineError {
                code: &world::E0821,
                message: "the C compiler refused the generated code".into(),
                notes: vec![command, output],
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

/// What one would write to run the kernels of another machine's target.
fn example(target: Target) -> &'static str {
    match target {
        Target::Neon => ", such as `--cc aarch64-linux-gnu-gcc-12 --runner qemu-aarch64`",
        Target::Vsx => ", such as `--cc powerpc64le-linux-gnu-gcc-12 --runner 'qemu-ppc64le -cpu power9'`",
        _ => "",
    }
}

/// Why a target's kernels do not run here without a runner.
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
    pub fn native(
        generated: &Generated,
        options: &Options,
        compiler: &CCompiler,
        flags: &[&str],
    ) -> Result<Engine, EngineError> {
        Engine::build(generated, options, compiler, flags, None)
    }

    /// The same of an object that has the generated function by its name in C, with the interface of its C, whatever it was made of.
    pub fn linked(
        generated: &Generated,
        options: &Options,
        compiler: &CCompiler,
        object: &Path,
    ) -> Result<Engine, EngineError> {
        Engine::build(generated, options, compiler, &[], Some(object))
    }

    fn build(
        generated: &Generated,
        options: &Options,
        compiler: &CCompiler,
        flags: &[&str],
        object: Option<&Path>,
    ) -> Result<Engine, EngineError> {
        let target = options.target;
        if compiler.runner.is_none() && !cpu_runs(target) {
            return Err(not_here(target));
        }
        let shim = shim(&call(generated));
        let (stem, header, text, program) = match generated {
            Generated::Sliced(compiled) => {
                (&compiled.stem, &compiled.c.header, &compiled.c.source, &compiled.lowered.program)
            }
            Generated::Single(single) => (&single.stem, &single.c.header, &single.c.source, &single.words.program),
        };
        let (inputs, outputs) = parameters(program.entry());
        let header_name = format!("{stem}.h");
        let source_name = format!("{stem}.c");
        let shim = format!(
            "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n#include \"{header_name}\"\n{shim}"
        );
        let object = object.map(|path| path.to_string_lossy().into_owned());
        let mut files = vec![(&*header_name, &**header), ("culet_shim.c", &*shim)];
        let mut flags = flags.to_vec();
        match &object {
            Some(object) => flags.push(object),
            None => files.push((&source_name, text)),
        }
        let source = KernelSource { files: &files, symbol: "culet_shim" };
        let has_stream = has_stream(&inputs);
        let extents = |parameters: &[Parameter]| parameters.iter().map(|p| extent(p, has_stream)).collect();
        let mut read: Vec<Extent> = extents(&inputs);
        read.extend(has_stream.then(|| Extent { fixed: LENGTH * lengths(&inputs).count(), per_count: 0 }));
        // SAFETY: the shim has the fixed signature; the generated function reads and writes `byte_length` bytes an
        // instance, or once for shared parameters and beside a stream, of which it reads as many bytes as it is told, and
        // `cpu_runs` was asked above.
        let kernel = unsafe { compiler.kernel(source, target, &flags, (extents(&outputs), read)) }?;
        let is_executed = matches!(kernel, Callable::Executed(_));
        let engine = Engine { inputs, outputs, kind: Kind::Native(kernel) };
        if is_executed {
            let zeros: Vec<Vec<u8>> = engine.inputs.iter().map(|p| vec![0; p.bytes]).collect();
            engine.compute(&zeros.iter().map(Vec::as_slice).collect::<Vec<_>>(), 1)?;
        }
        Ok(engine)
    }

    /// The shared object that is called, if it is in this process and can still be read.
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

    /// As [`Self::compute`], for engines that no runner executes.
    ///
    /// # Panics
    ///
    /// If an input has another length, or a runner fails.
    pub fn run(&self, inputs: &[&[u8]], instances: usize) -> Vec<Vec<u8>> {
        self.compute(inputs, instances).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A call with streams, which all have room for as many elements as the longest has, and their lengths after all parameters.
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

    /// The results of `instances` instances. Each input has the bytes of all instances one after another, a shared one
    /// those of one instance; results likewise. Only a runner can fail.
    ///
    /// # Panics
    ///
    /// If an input has another length, or there are streams and not one instance.
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

/// Beside streams, for the longest of which the count is the number of elements, parameters and results have the bytes of one
/// instance.
pub(crate) fn extent(parameter: &Parameter, has_stream: bool) -> Extent {
    if parameter.shared || has_stream && !parameter.stream {
        Extent { fixed: parameter.bytes, per_count: 0 }
    } else {
        Extent { fixed: 0, per_count: parameter.bytes }
    }
}

/// Bytes of the length of a stream, as shims take them.
const LENGTH: usize = 8;

/// The parameters that are streams.
fn lengths(inputs: &[Parameter]) -> impl Iterator<Item = usize> {
    inputs.iter().enumerate().filter(|(_, parameter)| parameter.stream).map(|(place, _)| place)
}

fn has_stream(inputs: &[Parameter]) -> bool {
    inputs.iter().any(|parameter| parameter.stream)
}

pub(crate) fn parameters(node: &Node) -> (Vec<Parameter>, Vec<Parameter>) {
    let list = |ids: &[VarId]| {
        ids.iter()
            .map(|&id| {
                let Var { name, ty, shared, stream, .. } = node.var(id);
                let place = |source| node.params.iter().position(|&param| param == source);
                let source = node.source_of(id).and_then(place);
                let bytes = byte_length(ty) as usize;
                Parameter { name: name.clone(), bytes, shared: *shared, stream: *stream, source }
            })
            .collect()
    };
    (list(&node.params), list(&node.returns))
}

/// What the program means for so many instances, whose bytes stand one after another.
pub(crate) fn interpret(
    program: &Program,
    parameters: &[Parameter],
    inputs: &[&[u8]],
    instances: usize,
) -> Vec<Vec<u8>> {
    let node = program.entry();
    let interpreter = Interpreter::new(program);
    let mut results = vec![Vec::new(); node.returns.len()];
    for instance in 0..instances {
        let values: Vec<Vec<ConcreteValue>> = parameters
            .iter()
            .zip(inputs)
            .zip(&node.params)
            .map(|((parameter, bytes), &id)| {
                let var = node.var(id);
                if parameter.stream {
                    return bytes.chunks(parameter.bytes).flat_map(|own| bytes_to_values(program, var, own)).collect();
                }
                let bytes =
                    if parameter.shared { bytes } else { &bytes[instance * parameter.bytes..][..parameter.bytes] };
                bytes_to_values(program, var, bytes)
            })
            .collect();
        let outputs = interpreter.run_values(&mut Concrete, &mut ConcreteFields, program.entry, &values);
        for ((result, values), &id) in results.iter_mut().zip(outputs).zip(&node.returns) {
            let var = node.var(id);
            for own in values.chunks(var.ty.atoms() as usize) {
                result.extend(values_to_bytes(program, var, own));
            }
        }
    }
    results
}

/// The statement that calls a kernel with the pointers of `outputs` and `inputs` and the number `count`.
fn call(generated: &Generated) -> String {
    let (mut results, mut parameters) = (0, 0);
    let mut pointer = |is_result: bool| {
        let (array, index) = if is_result { ("outputs", &mut results) } else { ("inputs", &mut parameters) };
        *index += 1;
        (array, *index - 1)
    };
    match generated {
        Generated::Sliced(compiled) => {
            let interface = &compiled.c.interface;
            let pointers = interface.arguments.iter().map(|argument| pointer(argument.is_result));
            let arguments: Vec<String> = pointers.map(|(array, index)| format!("{array}[{index}]")).collect();
            format!("    {}({}, count);", interface.run, arguments.join(", "))
        }
        Generated::Single(single) => {
            let has_stream = single.c.arguments.iter().any(|argument| argument.is_stream);
            let inputs = single.c.arguments.iter().filter(|argument| !argument.is_result).count();
            let mut streams = 0;
            let mut arguments = Vec::new();
            for argument in &single.c.arguments {
                let (array, index) = pointer(argument.is_result);
                arguments.push(match has_stream || argument.is_shared {
                    true => format!("{array}[{index}]"),
                    false => format!("{array}[{index}] + i * {}", argument.bytes),
                });
                if argument.is_stream && !argument.is_result {
                    arguments.push(format!("culet_length(inputs[{inputs}] + {})", streams * LENGTH));
                    streams += 1;
                }
            }
            let call = format!("{}({});", single.c.function, arguments.join(", "));
            match single.c.instances {
                _ if has_stream => format!("    (void)count;\n    {call}"),
                1 => format!("    for (size_t i = 0; i < count; i++)\n        {call}"),
                instances => in_batches(&single.c, instances, &call),
            }
        }
    }
}

/// Calls for whole batches, and one for the instances that remain, on copies that are long enough.
fn in_batches(c: &SingleOutput, instances: u32, call: &str) -> String {
    let (mut results, mut parameters) = (0, 0);
    let (mut before, mut after, mut arguments) = (String::new(), String::new(), Vec::new());
    for (number, argument) in c.arguments.iter().enumerate() {
        let (name, bytes) = (format!("rest{number}"), argument.bytes);
        let (array, index) = if argument.is_result { ("outputs", &mut results) } else { ("inputs", &mut parameters) };
        let place = format!("{array}[{index}]");
        *index += 1;
        if argument.is_shared {
            arguments.push(place);
            continue;
        }
        let copied = format!("(count - i) * {bytes}");
        before.push_str(&format!("    uint8_t {name}[{}] = {{ 0 }};\n", u64::from(instances) * bytes));
        match argument.is_result {
            true => after.push_str(&format!("    memcpy({place} + i * {bytes}, {name}, {copied});\n")),
            false => before.push_str(&format!("    memcpy({name}, {place} + i * {bytes}, {copied});\n")),
        }
        arguments.push(name);
    }
    let rest = format!("{}({});", c.function, arguments.join(", "));
    format!(
        "    size_t i = 0;\n    for (; i + {instances} <= count; i += {instances})\n        {call}\n    \
         if (i == count)\n        return;\n{before}    {rest}\n{after}"
    )
}

/// The C function that spreads the pointers over the parameters of a kernel.
fn shim(call: &str) -> String {
    let length = match call.contains("culet_length(") {
        true => {
            "static size_t culet_length(const uint8_t *bytes) {\n    size_t length = 0;\n    for (size_t i = sizeof length; i-- > 0;)\n        \
             length = length << 8 | bytes[i];\n    return length;\n}\n"
        }
        false => "",
    };
    format!(
        "{length}void culet_shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count);\n\
         void culet_shim(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count) {{\n{call}\n}}\n"
    )
}
