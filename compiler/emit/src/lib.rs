//! From the intermediate representation to one self-contained C11 file and its header, or to a module in safe Rust.
//!
//! The C has four layers, each calling the one before: internal functions, the sliced kernel on registers, packing and
//! unpacking between bytes and registers, and the kernel on bytes. The helper functions that a file needs are written
//! into it; it includes nothing of ours but its own header.
//!
//! In Rust, the layers are the same functions of one module.
//!
//! - `language`: how the two languages write what both have; statements are made in one place for both.
//! - `isa`: operations of each target's vector registers, and their names.
//! - `body`, `words`, `elements`, `tern`: functions and operations.
//! - `planes`: bitsliced atoms held together, several registers in one value.
//! - `packing`: bytes ↔ registers as `culet_meaning::layout` defines it.
//! - `source`, `header`: the two files in C; `in_rust`: the module in Rust.
//! - `own_names`: a C file's own names, and its functions that nothing calls; `counters`: block counters that begin anew, for headers.
//!
//! [`scalar`] writes functions on words of one instance, without packing. [`field_module`] uses it to write a field's
//! arithmetic, and `single` uses it to write whole programs that compute one instance at a time.

mod body;
mod cipher;
mod counters;
mod elements;
mod expr;
pub mod field_module;
mod header;
mod helpers;
mod in_rust;
mod isa;
mod kernel;
mod language;
mod machine;
mod names;
mod own_names;
mod packing;
mod planes;
pub mod scalar;
mod signature;
mod single;
mod source;
mod stack;
mod tables;
mod tern;
mod words;

use culet_diag::codes::targets;
use culet_diag::{Diagnostic, Diagnostics};
use culet_ir::{Func, Module, Target};
use culet_meaning::layout::Layout;
use culet_types::program::Program;

use body::Refusal;
use kernel::Kernel;
use language::Language;
use machine::Machine;

pub use cipher::{CipherFiles, KernelText, Operation, emit_cipher};
pub use names::capitals;
pub use scalar::{LANES, is_rust_keyword};
pub use single::{
    SingleArgument, SingleEntry, SingleOutput, TogetherOutput, emit_single, emit_single_c, emit_single_rust,
    emit_together, name_together, needs_wide, single_c_definitions,
};

/// The section of an object that says how it was made.
pub const NOTE_SECTION: &str = ".note.culet";

/// Options of the output, beside the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub target: Target,
    /// The files' name without its extension; public names begin with it.
    pub stem: String,
    /// How the files were made, for their readers: a command line.
    pub provenance: String,
    /// Number of instances that [`emit_single`] computes at once, if more than one: [`LANES`].
    pub batch: Option<u32>,
    /// Whether results of any length stand in the places of the streams whose length they have.
    pub in_place: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// `<stem>.h`
    pub header: String,
    /// `<stem>.c`
    pub source: String,
    pub interface: Interface,
}

/// The functions a caller of the compiled kernel needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// `void f(T *results…, const T *parameters…)` on registers.
    pub sliced: String,
    /// `void f(uint8_t *results…, const uint8_t *parameters…)`, for `instances` blocks.
    pub blocks: String,
    /// As `blocks`, with a last argument `size_t blocks`, for any number of blocks.
    pub run: String,
    /// Blocks of a call of `sliced` or `blocks`.
    pub instances: u32,
    /// Results in order, then parameters in order: the order of arguments.
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Name in the program.
    pub name: String,
    /// Name of the C parameter.
    pub parameter: String,
    pub is_result: bool,
    /// One value for all blocks.
    pub shared: bool,
    /// Bytes of one block.
    pub bytes: u64,
    /// Registers of all groups.
    pub registers: u32,
    /// The function that packs or unpacks it: `void f(T *registers, const uint8_t *bytes)` or the other way round.
    pub packing: String,
    /// The packing function that takes scratch memory as a third argument, and the registers of that memory.
    pub packing_with: Option<(String, u32)>,
}

/// Writes the C of a module that has been through all passes; `program` is the program it was made from.
///
/// # Errors
///
/// E0750 to E0754, if the target cannot do what the program needs.
pub fn emit_c(module: &Module, program: &Program, layout: &Layout, options: &Options) -> Result<Output, Diagnostics> {
    check_options(layout, options)?;
    let machine = Machine::new(options.target, layout, Language::C);
    let kernel = Kernel::new(program, layout, machine, &options.stem);
    let source = source::source(module, &kernel, options)
        .map_err(|(func, refusal)| Diagnostics::from(refused(program, module.func(func), options.target, &refusal)))?;
    Ok(Output { header: header::header(&kernel, options, &source), source, interface: interface(&kernel) })
}

/// As [`emit_c`], but the text of a module in safe Rust, without the standard library.
///
/// # Errors
///
/// As [`emit_c`]; and E0752 for vectors that stable Rust does not have, and for programs of which no value belongs to a block.
pub fn emit_rust(
    module: &Module,
    program: &Program,
    layout: &Layout,
    options: &Options,
) -> Result<String, Diagnostics> {
    check_options(layout, options)?;
    let entry = program.entry();
    if options.target == Target::Vsx {
        let message =
            format!("`{}` cannot be written as Rust: stable Rust has no vectors for the target `vsx`", entry.name);
        let note = "`--target c64` has plain words in Rust, too; leave `--language rust` out for vectors in C";
        return Err(Diagnostic::error(&targets::E0752, entry.span, message).note(note).into());
    }
    let machine = Machine::new(options.target, layout, Language::Rust);
    let kernel = Kernel::new(program, layout, machine, &options.stem);
    if kernel.ports().all(|port| port.shared()) {
        let message = format!(
            "`{}` cannot be written as Rust: nothing of it belongs to a block, and slices of blocks say their number",
            entry.name
        );
        let note = "give the node a result, or leave `--language rust` out";
        return Err(Diagnostic::error(&targets::E0752, entry.span, message).note(note).into());
    }
    in_rust::module(module, &kernel, options)
        .map_err(|(func, refusal)| refused(program, module.func(func), options.target, &refusal).into())
}

fn interface(kernel: &Kernel) -> Interface {
    let prefix = &kernel.prefix;
    let arguments = kernel.ports().map(|port| Argument {
        name: port.var.name.clone(),
        parameter: port.argument(),
        is_result: port.is_result,
        shared: port.shared(),
        bytes: port.bytes,
        registers: port.registers * port.groups(kernel.layout),
        packing: kernel.pack_name(port),
        packing_with: packing::with_scratch(kernel, port),
    });
    Interface {
        sliced: format!("{prefix}_sliced"),
        blocks: format!("{prefix}_blocks"),
        run: format!("{prefix}_run"),
        instances: kernel.layout.instances(),
        arguments: arguments.collect(),
    }
}

fn check_options(layout: &Layout, options: &Options) -> Result<(), Diagnostics> {
    check_stem(options)?;
    let (bits, target) = (layout.register_bits, options.target);
    let fits = match target {
        Target::C32 | Target::C64 => matches!(bits, 8 | 16 | 32 | 64),
        _ => bits >= 128 && bits <= target.register_bits(),
    };
    let lanes_fit = matches!(layout.lane_bits, 1 | 8 | 16 | 32 | 64) && layout.lane_bits <= bits;
    if fits && lanes_fit {
        return Ok(());
    }
    let message =
        format!("the target {} has no registers of {bits} bits with lanes of {}", target.name(), layout.lane_bits);
    Err(Diagnostic::error_without_place(&targets::E0750, message).into())
}

fn check_stem(options: &Options) -> Result<(), Diagnostics> {
    if options.stem.contains(['"', '\\', '\n', '\r', '/']) {
        let message = format!("`{}` cannot be the name of a C header", options.stem.escape_debug());
        return Err(Diagnostic::error_without_place(&targets::E0754, message).into());
    }
    Ok(())
}

/// The diagnostic for something that the target cannot do.
fn refused(program: &Program, func: &Func, target: Target, refusal: &Refusal) -> Diagnostic {
    let name = &func.name;
    let (code, message, note) = match refusal {
        Refusal::WordTooWide { bits, lane_bits: 1 } => (
            &targets::E0751,
            format!("`{name}` computes on whole words of {bits} bits, but every bit has a register of its own here"),
            "a bitsliced kernel has no words; slice it vertically, or write it on bits".to_owned(),
        ),
        Refusal::WordTooWide { bits, lane_bits } => (
            &targets::E0751,
            format!("`{name}` computes on words of {bits} bits in lanes of {lane_bits} bits"),
            format!("the widest vertical atom of the program has {lane_bits} bits or fewer"),
        ),
        Refusal::NotPacked { op } => (
            &targets::E0752,
            format!("`{name}` needs `{op}`, which several words in one register of {} do not have", target.name()),
            "give every instance a register of its own, or choose a vector target".to_owned(),
        ),
        Refusal::Vector { op, lanes, bits } => (
            &targets::E0752,
            format!("`{name}` needs `{op}` on {lanes} lanes of {bits} bits side by side"),
            "the lanes of one instance have one bit each (direction H)".to_owned(),
        ),
        Refusal::Single(what) => (
            &targets::E0755,
            format!("`{name}` works on {what}, and a kernel on slices does not"),
            "elements have no limbs here, and streams have no slices; `culet run` takes such programs".to_owned(),
        ),
        Refusal::MixedCondition => (
            &targets::E0753,
            format!("`{name}` chooses between horizontal atoms by a vertical condition"),
            "instances lie differently in the two; make the condition part of the horizontal atoms".to_owned(),
        ),
    };
    let diagnostic = match program.nodes.iter().find(|node| node.symbol == *name) {
        Some(node) => Diagnostic::error(code, node.span, message),
        None => Diagnostic::error_without_place(code, message),
    };
    diagnostic.note(note)
}
