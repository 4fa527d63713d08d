//! Kernels from IR text, compiled and run, and their results by the evaluator and the reference packing.
#![allow(unsafe_code)] // Kernels are called that have just been compiled.
#![allow(dead_code)] // each test file uses its own part

pub mod built;
pub mod rust;
pub mod scalar;
pub mod texts;

use std::collections::HashMap;
use std::panic::Location;

use built::RustProgram;
pub use built::{Built, Compiler};
use culet_diag::{FileId, Span};
use culet_emit::{Interface, Options, Output, emit_c, emit_rust};
use culet_ir::{Module, SlotKind, Target, Type, W1, parse, verify};
use culet_meaning::layout::Layout;
use culet_meaning::packing;
use culet_native::{BuildError, CCompiler, Callable, Extent, KernelSource};
use culet_testing::{Rng, evaluate_module};
#[allow(unused_imports)] // each test file uses its own part
pub use culet_testing::{draw, report};
use culet_types::program::{Atom, Body, ByteOrder, Node, NodeId, Program, Slicing, Ty, Var, VarId};

pub const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Number of targets that one test draws; other tests draw others. An emulated one takes twice the time of one of this machine.
const TARGETS: usize = 2;

/// Drawn targets of those that can be tested here, each with a drawn compiler for it.
#[track_caller]
pub fn testable() -> Vec<(Target, Vec<Compiler>)> {
    let place = Location::caller();
    let subject = format!("{}:{}", place.file(), place.line());
    let builds = Target::for_slices().flat_map(|target| Compiler::all(target).into_iter().map(move |c| (target, c)));
    let features = |(target, compiler): &(Target, Compiler)| vec![target.name().to_owned(), compiler.name()];
    let cost = |(_, compiler): &(Target, Compiler)| if compiler.is_emulated() { 2 } else { 1 };
    let mut testable: Vec<(Target, Vec<Compiler>)> = Vec::new();
    for (target, compiler) in draw::few(&subject, builds.collect(), features, cost, TARGETS) {
        match testable.last_mut() {
            Some((last, compilers)) if *last == target => compilers.push(compiler),
            _ => testable.push((target, vec![compiler])),
        }
    }
    testable
}

/// A module and the program whose entry has its parameters and results.
pub struct Case {
    pub stem: String,
    pub module: Module,
    pub program: Program,
    pub layout: Layout,
    pub target: Target,
}

impl Case {
    /// `slicing` is the slicing of words. Bits are bitsliced if there are no words, and vectors are horizontal, or with
    /// [`Slicing::Bitslice`] bitsliced atoms held together. `widest` makes lanes as wide as that, whatever the
    /// parameters, and is the number of bits of bitsliced atoms.
    pub fn new(stem: &str, text: &str, target: Target, slicing: Slicing, order: ByteOrder, widest: u32) -> Case {
        let module = parse(text).unwrap_or_else(|e| panic!("{stem}: {e}\n{text}"));
        verify(&module).unwrap_or_else(|e| panic!("{stem}: {}\n{text}", e[0]));
        let program = program(&module, slicing, order, widest);
        let groups = module.entry().slots.iter().map(|slot| slot.group).max().unwrap_or(0) + 1;
        let layout = Layout::new(&program, target.register_bits(), groups).expect("the layout");
        Case { stem: stem.to_owned(), module, program, layout, target }
    }

    /// The case with words of a vertical kernel side by side in plain registers.
    pub fn packed(mut self) -> Case {
        self.layout =
            Layout::packed(&self.program, self.target.register_bits(), self.layout.groups).expect("the layout");
        self
    }

    /// A program, lowered, through all passes, with the choices of `context`.
    pub fn of_program(stem: &str, program: Program, target: Target, context: &culet_passes::Context) -> Case {
        let mut module = culet_lower::lower(&program)
            .unwrap_or_else(|e| panic!("{stem}: {:?}", e.iter().map(|d| &d.message).collect::<Vec<_>>()));
        culet_passes::optimise(&mut module, context, &mut |_, _| {}).expect("the module is small");
        verify(&module).unwrap_or_else(|e| panic!("{stem}: {}", e[0]));
        let make = if context.packed { Layout::packed } else { Layout::new };
        let layout = make(&program, target.register_bits(), context.interleave).expect("the layout");
        Case { stem: stem.to_owned(), module, program, layout, target }
    }

    pub fn emit(&self) -> Output {
        emit_c(&self.module, &self.program, &self.layout, &self.options())
            .unwrap_or_else(|e| panic!("{}: {:?}", self.stem, e.iter().map(|d| &d.message).collect::<Vec<_>>()))
    }

    /// The module in Rust.
    pub fn emit_rust(&self) -> String {
        emit_rust(&self.module, &self.program, &self.layout, &self.options())
            .unwrap_or_else(|e| panic!("{}: {:?}", self.stem, e.iter().map(|d| &d.message).collect::<Vec<_>>()))
    }

    fn options(&self) -> Options {
        Options {
            target: self.target,
            stem: self.stem.clone(),
            provenance: format!("a test, {}", self.stem),
            batch: None,
            in_place: false,
        }
    }

    /// The vars of results, then of parameters: the order of the interface's arguments.
    pub fn vars(&self) -> Vec<&Var> {
        let entry = self.program.entry();
        entry.returns.iter().chain(&entry.params).map(|&id| entry.var(id)).collect()
    }

    /// The evaluator's results for `blocks` blocks: the bytes of each result.
    pub fn expected(&self, inputs: &[Vec<u8>], blocks: usize) -> Vec<Vec<u8>> {
        let entry = self.program.entry();
        let mut outputs = vec![Vec::new(); entry.returns.len()];
        for block in 0..blocks {
            for (output, bytes) in outputs.iter_mut().zip(self.expected_block(inputs, block)) {
                output.extend(bytes);
            }
        }
        outputs
    }

    fn expected_block(&self, inputs: &[Vec<u8>], block: usize) -> Vec<Vec<u8>> {
        let entry = self.program.entry();
        let words = |(&id, bytes): (&VarId, &Vec<u8>)| {
            let var = entry.var(id);
            let length = culet_meaning::layout::byte_length(&var.ty) as usize;
            let start = if var.shared { 0 } else { block * length };
            packing::bytes_to_words(&var.ty, var.bytes, &bytes[start..start + length])
        };
        let own: Vec<Vec<u64>> = entry.params.iter().zip(inputs).map(words).collect();
        // Every group computes the same block; the first group's results count.
        let groups = vec![own; self.layout.groups as usize];
        let results =
            evaluate_module(&self.program, &self.module, &groups).unwrap_or_else(|e| panic!("{}: {e}", self.stem));
        let outputs = self.module.entry().slots.iter().filter(|slot| slot.kind == SlotKind::Output).zip(results);
        let mut results: HashMap<&str, Vec<u64>> =
            outputs.filter(|(slot, _)| slot.group == 0).map(|(slot, words)| (slot.name.as_str(), words)).collect();
        let bytes = |&id: &VarId| {
            let var = entry.var(id);
            packing::words_to_bytes(&var.ty, var.bytes, &results.remove(var.name.as_str()).expect("a result"))
        };
        entry.returns.iter().map(bytes).collect()
    }
}

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn program(module: &Module, slicing: Slicing, order: ByteOrder, widest: u32) -> Program {
    let mut vars = Vec::new();
    let (mut params, mut returns) = (Vec::new(), Vec::new());
    for slot in &module.entry().slots {
        let shared = slot.kind == SlotKind::Input { shared: true };
        if slot.group > 0 || matches!(slot.kind, SlotKind::Local | SlotKind::Constants(_)) {
            continue;
        }
        let atom = match slot.element {
            Type::Word(1) if slicing == Slicing::Bitslice => Atom { slicing, bits: widest.max(1) },
            Type::Word(bits) => Atom { slicing, bits: u32::from(bits) },
            Type::Vector { lanes, .. } if slicing == Slicing::Bitslice => Atom { slicing, bits: u32::from(lanes) },
            Type::Vector { lanes, .. } => Atom { slicing: Slicing::Horizontal, bits: u32::from(lanes) },
            Type::Field(_) | Type::Elements { .. } => panic!("kernels have words only"),
        };
        let list = if slot.kind == SlotKind::Output { &mut returns } else { &mut params };
        list.push(VarId(vars.len() as u32));
        let in_bits = slicing == Slicing::Bitslice && slot.element == W1;
        let length = if in_bits { slot.length / atom.bits } else { slot.length };
        let ty = Ty { atom, dims: vec![length] };
        vars.push(Var {
            name: slot.name.clone(),
            ty,
            shared,
            public: false,
            stream: false,
            bytes: order,
            span: span(),
        });
    }
    if widest > 0 && slicing != Slicing::Bitslice {
        let ty = Ty { atom: Atom { slicing, bits: widest }, dims: vec![] };
        vars.push(Var {
            name: "wide".into(),
            ty,
            shared: false,
            public: false,
            stream: false,
            bytes: order,
            span: span(),
        });
    }
    let node = Node {
        name: "demo".into(),
        symbol: module.entry().name.clone(),
        span: span(),
        inline: None,
        interleave: None,
        no_opt: false,
        instruction: None,
        given_as_public: Vec::new(),
        vars,
        params,
        returns,
        body: Body::Steps(Vec::new()),
        counters: 0,
    };
    Program { nodes: vec![node], entry: NodeId(0), fields: Vec::new() }
}

/// Operation of the shim on each case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Do {
    /// Runs from the bytes of any number of blocks to the bytes of the results.
    Run,
    /// Packs each parameter's bytes to its registers, and unpacks each result's registers to its bytes, for one call's
    /// blocks.
    Pack,
}

/// Emits and compiles the cases in one program or shared object that runs them all. C compilers get these flags.
pub fn load(cases: &[Case], compiler: &Compiler, flags: &[&str]) -> Built {
    load_for(Do::Run, cases, compiler, flags)
}

pub fn load_for(what: Do, cases: &[Case], compiler: &Compiler, flags: &[&str]) -> Built {
    match compiler {
        Compiler::C(compiler) => Built::C(load_c(what, cases, compiler, flags)),
        Compiler::Rust(linker, arguments) => Built::Rust(RustProgram::of(what, cases, linker, arguments)),
    }
}

fn load_c(what: Do, cases: &[Case], compiler: &CCompiler, flags: &[&str]) -> Callable {
    let target = cases[0].target;
    let outputs: Vec<Output> = cases.iter().map(Case::emit).collect();
    let mut files = Vec::new();
    let mut shim = String::new();
    let mut calls = String::new();
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for (case, output) in cases.iter().zip(&outputs) {
        files.push((format!("{}.h", case.stem), output.header.clone()));
        files.push((format!("{}.c", case.stem), output.source.clone()));
        let macros = case.stem.to_ascii_uppercase();
        shim.push_str(&format!("#define {macros}_SLICED_API\n#include \"{}.h\"\n", case.stem));
        calls.push_str(&match what {
            Do::Run => call(&output.interface, &mut written, &mut read),
            Do::Pack => pack_call(case, &output.interface, &mut written, &mut read),
        });
    }
    shim.push_str("#include <string.h>\nvoid shim(uint8_t *const *, const uint8_t *const *, size_t);\n");
    shim.push_str("void shim(uint8_t *const *out, const uint8_t *const *in, size_t count)\n{\n");
    shim.push_str(&calls);
    shim.push_str("    (void)out, (void)in, (void)count;\n}\n");
    files.push(("shim.c".to_owned(), shim));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let flags: Vec<&str> = WARNINGS.iter().chain(flags).copied().collect();
    let source = KernelSource { files: &files, symbol: "shim" };
    // SAFETY: the shim has this signature and extents, and the caller has asked for a target that the CPU or the
    // compiler's runner runs.
    let kernel = unsafe { compiler.kernel(source, target, &flags, (written, read)) };
    kernel.unwrap_or_else(|error| {
        let keep = std::env::var("CULET_KEEP_C");
        if let (Ok(folder), BuildError::Compile(_)) = (keep, &error) {
            for (name, text) in &files {
                std::fs::write(std::path::Path::new(&folder).join(name), text).expect("CULET_KEEP_C is a folder");
            }
        }
        panic!("{} with {}: {error}", target.name(), compiler.name())
    })
}

fn call(interface: &Interface, written: &mut Vec<Extent>, read: &mut Vec<Extent>) -> String {
    let arguments: Vec<String> = interface
        .arguments
        .iter()
        .map(|argument| {
            let bytes = argument.bytes as usize;
            let extent = if argument.shared { (bytes, 0) } else { (0, bytes) };
            let extent = Extent { fixed: extent.0, per_count: extent.1 };
            let list = if argument.is_result { &mut *written } else { &mut *read };
            list.push(extent);
            format!("{}[{}]", if argument.is_result { "out" } else { "in" }, list.len() - 1)
        })
        .collect();
    format!("    {}({}, count);\n", interface.run, arguments.join(", "))
}

/// The registers of an argument go through memory that is aligned.
fn pack_call(case: &Case, interface: &Interface, written: &mut Vec<Extent>, read: &mut Vec<Extent>) -> String {
    let ctype = match (case.target, case.layout.register_bits) {
        (Target::Neon, _) => "uint64x2_t".to_owned(),
        (Target::Vsx, _) => "__vector unsigned long long".to_owned(),
        (_, 128) => "__m128i".to_owned(),
        (_, 256) => "__m256i".to_owned(),
        (_, 512) => "__m512i".to_owned(),
        (_, bits) => format!("uint{bits}_t"),
    };
    let fixed = |bytes: usize| Extent { fixed: bytes, per_count: 0 };
    let mut text = String::new();
    for argument in &interface.arguments {
        let blocks = if argument.shared { 1 } else { interface.instances as usize };
        let bytes = argument.bytes as usize * blocks;
        let image = argument.registers as usize * case.layout.register_bits as usize / 8;
        let (from, to) = if argument.is_result { (image, bytes) } else { (bytes, image) };
        let (i, o) = (read.len(), written.len());
        read.push(fixed(from));
        written.push(fixed(to));
        let name = &argument.packing;
        let work = if argument.is_result {
            format!("memcpy(registers, in[{i}], sizeof registers); {name}(out[{o}], registers);")
        } else {
            format!("{name}(registers, in[{i}]); memcpy(out[{o}], registers, sizeof registers);")
        };
        text.push_str(&format!("    {{ {ctype} registers[{}]; {work} }}\n", argument.registers));
    }
    text
}

/// Packs random bytes and unpacks random registers, and compares with the reference.
pub fn compare_packing(cases: &[Case], kernel: &Built, rng: &mut Rng, context: &str) {
    let mut next = 0;
    let mut inputs = Vec::new();
    let mut expected = Vec::new();
    for case in cases {
        let entry = case.program.entry();
        for var in case.vars() {
            let bytes = rng.bytes(kernel.inputs()[next].fixed);
            next += 1;
            let is_result = entry.returns.iter().any(|&id| std::ptr::eq(entry.var(id), var));
            expected.push(if is_result {
                packing::unpack(&case.layout, &var.ty, var.bytes, &bytes)
            } else {
                packing::pack(&case.layout, &var.ty, var.bytes, var.shared, &bytes)
            });
            inputs.push(bytes);
        }
    }
    let mut outputs: Vec<Vec<u8>> = kernel.outputs().iter().map(|extent| vec![0xaa; extent.fixed]).collect();
    let input_slices: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let mut output_slices: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    kernel.call(&mut output_slices, &input_slices, 0).unwrap_or_else(|error| panic!("{context}: {error}"));
    let names = cases.iter().flat_map(|case| case.vars().into_iter().map(|var| (&case.stem, &var.name)));
    for (((stem, name), actual), expected) in names.zip(&outputs).zip(&expected) {
        if actual != expected {
            let at = actual.iter().zip(expected).position(|(a, b)| a != b);
            panic!("{context}, {stem}: packing of `{name}` differs at byte {at:?}");
        }
    }
}

/// Runs the loaded cases on random blocks and compares each with the evaluator.
pub fn compare(cases: &[Case], kernel: &Built, blocks: usize, rng: &mut Rng, context: &str) {
    let inputs: Vec<Vec<u8>> = kernel.inputs().iter().map(|extent| rng.bytes(extent.bytes(blocks))).collect();
    let mut outputs: Vec<Vec<u8>> = kernel.outputs().iter().map(|extent| vec![0xaa; extent.bytes(blocks)]).collect();
    let input_slices: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let mut output_slices: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    kernel.call(&mut output_slices, &input_slices, blocks).unwrap_or_else(|error| panic!("{context}: {error}"));
    let (mut next_input, mut next_output) = (0, 0);
    for case in cases {
        let entry = case.program.entry();
        let own = &inputs[next_input..next_input + entry.params.len()];
        next_input += entry.params.len();
        for (&id, expected) in entry.returns.iter().zip(case.expected(own, blocks)) {
            let name = &entry.var(id).name;
            let actual = &outputs[next_output];
            next_output += 1;
            assert!(
                *actual == expected,
                "{context}, {}: `{name}` differs at byte {}",
                case.stem,
                actual.iter().zip(&expected).position(|(a, b)| a != b).expect("they differ")
            );
        }
    }
}
