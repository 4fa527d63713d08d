//! Kernels as C compilers and rustc make them, with one way to call them.

use std::fmt::Write;
use std::panic::Location;

use culet_emit::{Argument, Interface};
use culet_ir::Target;
use culet_native::{CCompiler, Callable, Extent, Runner};
use culet_testing::{draw, rustc};
use tempfile::TempDir;

use super::{Case, Do, rust};

/// A compiler for generated code.
#[derive(Clone)]
pub enum Compiler {
    C(CCompiler),
    /// rustc with these arguments, and a C compiler for the machine, which links.
    Rust(CCompiler, Vec<&'static str>),
}

impl Compiler {
    /// The compilers for a target that can be tested here.
    pub fn all(target: Target) -> Vec<Compiler> {
        let compilers = culet_testing::compilers(target);
        // Stable Rust has no POWER vectors.
        let linker = compilers.first().filter(|_| target != Target::Vsx).cloned();
        let rust = linker.and_then(|linker| Some(Compiler::Rust(linker, rustc(target)?)));
        compilers.into_iter().map(Compiler::C).chain(rust).collect()
    }

    /// One drawn compiler for a target, or with `CULET_ALL` all of them.
    #[track_caller]
    pub fn drawn(target: Target) -> Vec<Compiler> {
        let place = Location::caller();
        let subject = format!("{}:{} {}", place.file(), place.line(), target.name());
        draw::some(&subject, Compiler::all(target), 1, Compiler::name)
    }

    pub fn name(&self) -> String {
        match self {
            Compiler::C(compiler) => compiler.name(),
            Compiler::Rust(..) => "rustc".to_owned(),
        }
    }

    /// Whether its programs need another machine than this one.
    pub fn is_emulated(&self) -> bool {
        let (Compiler::C(compiler) | Compiler::Rust(compiler, _)) = self;
        compiler.runner.is_some()
    }
}

/// Compiled kernels of several cases.
pub enum Built {
    C(Callable),
    Rust(RustProgram),
}

impl Built {
    pub fn outputs(&self) -> &[Extent] {
        match self {
            Built::C(kernel) => kernel.outputs(),
            Built::Rust(program) => &program.outputs,
        }
    }

    pub fn inputs(&self) -> &[Extent] {
        match self {
            Built::C(kernel) => kernel.inputs(),
            Built::Rust(program) => &program.inputs,
        }
    }

    pub fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]], count: usize) -> Result<(), String> {
        match self {
            Built::C(kernel) => kernel.call(outputs, inputs, count).map_err(|error| error.to_string()),
            Built::Rust(program) => {
                program.call(outputs, inputs, count);
                Ok(())
            }
        }
    }
}

/// A program in Rust that reads the bytes of all inputs, calls the kernels, and prints the bytes of all outputs.
pub struct RustProgram {
    directory: TempDir,
    runner: Option<Runner>,
    outputs: Vec<Extent>,
    inputs: Vec<Extent>,
}

impl RustProgram {
    /// Every warning is an error, sums that overflow and indices out of bounds panic.
    pub fn of(what: Do, cases: &[Case], linker: &CCompiler, arguments: &[&str]) -> RustProgram {
        let directory = tempfile::tempdir().expect("a directory");
        let mut text = "mod kernels;\n".to_owned() + rust::HELPERS + rust::MAIN;
        let mut modules = String::new();
        let mut calls = String::new();
        let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
        for case in cases {
            let module = case.emit_rust();
            let is_unsafe = module.contains("#[target_feature(");
            let interface = case.emit().interface;
            calls.push_str(&match what {
                Do::Run => run(case, &interface, is_unsafe),
                Do::Pack => pack(case, &interface, is_unsafe),
            });
            for argument in &interface.arguments {
                let (read, written) = extents(what, case, &interface, argument);
                if argument.is_result {
                    outputs.push(written)
                } else {
                    inputs.push(read)
                }
                // Unpacking reads registers, and packing writes them.
                if what == Do::Pack {
                    if argument.is_result { inputs.push(read) } else { outputs.push(written) }
                }
            }
            let _ = writeln!(modules, "pub mod {};", case.stem);
            std::fs::create_dir_all(directory.path().join("kernels")).expect("a directory");
            let path = directory.path().join("kernels").join(format!("{}.rs", case.stem));
            std::fs::write(path, module).expect("a file");
        }
        std::fs::write(directory.path().join("kernels.rs"), modules).expect("a file");
        let _ = writeln!(
            text,
            "fn answer(count: u64, words: &mut dyn Iterator<Item = u64>) {{\n{calls}    let _ = (count, words);\n}}"
        );
        let linked = format!("linker={}", linker.name());
        let cross =
            if linker.runner.is_some() { &["-C", &*linked, "-C", "target-feature=+crt-static"][..] } else { &[] };
        // Long functions take rustc a minute with optimisation.
        let checked = ["-C", "opt-level=0", "-C", "overflow-checks=on", "-C", "debug-assertions=on"];
        rust::compile(directory.path(), &text, &[arguments, cross, &checked].concat());
        RustProgram { directory, runner: linker.runner.clone(), outputs, inputs }
    }

    fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]], count: usize) {
        let mut question = format!("{count:x}");
        for byte in inputs.iter().copied().flatten() {
            let _ = write!(question, " {byte:x}");
        }
        question.push('\n');
        let answer = rust::ask(self.directory.path(), self.runner.as_ref(), &question).swap_remove(0);
        let mut answer = answer.into_iter();
        for byte in outputs.iter_mut().flat_map(|output| output.iter_mut()) {
            *byte = answer.next().and_then(|word| u8::try_from(word).ok()).expect("a byte of an output");
        }
        assert_eq!(answer.next(), None, "more bytes than the outputs have");
    }
}

/// The bytes that an argument reads, and those that it writes, one of which it does.
fn extents(what: Do, case: &Case, interface: &Interface, argument: &Argument) -> (Extent, Extent) {
    let bytes = argument.bytes as usize;
    let fixed = |fixed: usize| Extent { fixed, per_count: 0 };
    let own = match (what, argument.shared) {
        (Do::Run, false) => Extent { fixed: 0, per_count: bytes },
        (Do::Run, true) => fixed(bytes),
        (Do::Pack, is_shared) => fixed(bytes * if is_shared { 1 } else { interface.instances as usize }),
    };
    let image = fixed(argument.registers as usize * case.layout.register_bits as usize / 8);
    if argument.is_result { (image, own) } else { (own, image) }
}

/// A block that reads the inputs of a case, runs it, and prints its results.
fn run(case: &Case, interface: &Interface, is_unsafe: bool) -> String {
    let (mut before, mut passed, mut after) = (String::new(), Vec::new(), String::new());
    for (number, argument) in interface.arguments.iter().enumerate() {
        let bytes = argument.bytes;
        match (argument.is_result, argument.shared) {
            (true, _) => {
                let _ = writeln!(before, "        let mut a{number} = vec![[0xaau8; {bytes}]; count as usize];");
                let _ = writeln!(after, "        a{number}.iter().for_each(|block| print(block));");
                passed.push(format!("&mut a{number}"));
            }
            (false, true) => {
                let _ = writeln!(before, "        let a{number}: [u8; {bytes}] = read(words);");
                passed.push(format!("&a{number}"));
            }
            (false, false) => {
                let block = format!("read::<u8, {bytes}>(words)");
                let _ = writeln!(before, "        let a{number}: Vec<_> = (0..count).map(|_| {block}).collect();");
                passed.push(format!("&a{number}"));
            }
        }
    }
    let call = format!("kernels::{}::run({});", case.stem, passed.join(", "));
    let call = if is_unsafe { format!("unsafe {{ {call} }}") } else { call };
    format!("    {{\n{before}        {call}\n{after}    }}\n")
}

/// A block that packs the parameters of a case, and unpacks its results.
fn pack(case: &Case, interface: &Interface, is_unsafe: bool) -> String {
    let mut text = String::new();
    for argument in &interface.arguments {
        let blocks = if argument.shared { 1 } else { u64::from(interface.instances) };
        let bytes = argument.bytes * blocks;
        let image = u64::from(argument.registers * case.layout.register_bits / 8);
        let name = argument.packing.strip_prefix(&format!("{}_", case.stem)).expect("the kernel's prefix");
        let name = format!("kernels::{}::{}", case.stem, name.to_ascii_lowercase());
        let call = |arguments: &str| match is_unsafe {
            true => format!("unsafe {{ {name}({arguments}) }};"),
            false => format!("{name}({arguments});"),
        };
        let lines = match argument.is_result {
            true => [
                format!("let registers = unsafe {{ core::mem::transmute(read::<u8, {image}>(words)) }};"),
                format!("let mut bytes = [0xaau8; {bytes}];"),
                call("&mut bytes, &registers"),
            ],
            false => [
                format!("let bytes: [u8; {bytes}] = read(words);"),
                "let mut registers = unsafe { core::mem::zeroed() };".to_owned(),
                call("&mut registers, &bytes"),
            ],
        };
        let printed = match argument.is_result {
            true => "print(&bytes);".to_owned(),
            false => format!("print(&unsafe {{ core::mem::transmute::<_, [u8; {image}]>(registers) }});"),
        };
        let lines = lines.iter().chain([&printed]).map(|line| format!("        {line}\n"));
        let _ = writeln!(text, "    {{\n{}    }}", lines.collect::<String>());
    }
    text
}
