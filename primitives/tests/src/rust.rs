//! Programs and kernels in Rust with the interface of their C.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use culet_diag::Diagnostics;
use culet_driver::{Engine, Interface, Kernel, Options, Source};
use culet_native::{CCompiler, Scratch};

use crate::shelf::messages;

/// The code that rustc makes of a program, at a level of optimisation. Every warning is an error. The object refers to no other symbols: code that
/// could panic cannot be linked, but for the question at its beginning whether results of any length have room, which is left out.
pub(crate) fn engine(source: &Source, options: &Options, linker: &CCompiler, rustc: &[&str], level: u8) -> Engine {
    let (kernel, found) = Kernel::of(source, &source.stem, options, &Diagnostics::new());
    let kernel = kernel.unwrap_or_else(|| panic!("{}", messages(&found)));
    let text = kernel.rust().unwrap_or_else(|found| panic!("{}", messages(&found)));
    let folder = Scratch::new("culet-rust-").expect("a folder");
    let exported = match kernel.on_slices() {
        Ok(interface) => exported_on_slices(interface),
        Err(_) => exported(&kernel, &text),
    };
    let text = text.replace("    assert!(", "    debug_assert!(");
    for (name, text) in [("kernel.rs", text), ("lib.rs", exported)] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let level = format!("opt-level={level}");
    let flags = [&level, "codegen-units=1", "panic=abort", "relocation-model=pic"];
    let output = Command::new("rustc")
        .env_remove("RUSTC_BOOTSTRAP")
        .args(["--edition", "2021", "-D", "warnings", "--crate-type", "lib", "--emit", "obj=kernel.o", "lib.rs"])
        .args(flags.iter().flat_map(|flag| ["-C", flag]))
        .args(rustc)
        .current_dir(folder.path())
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{}: {}", source.stem, String::from_utf8_lossy(&output.stderr));
    let engine = Engine::linked(&kernel, linker, &folder.path().join("kernel.o"));
    engine.unwrap_or_else(|error| panic!("{}, {flags:?}, {rustc:?}: {error}", source.stem))
}

/// A library that exports a kernel's function for any number of blocks as C calls it.
fn exported_on_slices(interface: &Interface) -> String {
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (number, argument) in interface.arguments.iter().enumerate() {
        let (pointer, borrowed, slice) = match argument.is_result {
            true => ("*mut", "&mut *", "from_raw_parts_mut"),
            false => ("*const", "&*", "from_raw_parts"),
        };
        parameters.push(format!("a{number}: {pointer} [u8; {}]", argument.bytes));
        arguments.push(match argument.shared {
            true => format!("{borrowed}a{number}"),
            false => format!("core::slice::{slice}(a{number}, count)"),
        });
    }
    format!(
        "#![no_std]\nmod kernel;\n\n#[export_name = \"{}\"]\n\
         pub unsafe extern \"C\" fn exported({}, count: usize) {{\n    kernel::run({});\n}}",
        interface.run,
        parameters.join(", "),
        arguments.join(", ")
    )
}

/// A library that exports the function as C calls it.
fn exported(kernel: &Kernel, rust: &str) -> String {
    let (c, entry) = (kernel.on_words().expect("it is in Rust"), kernel.program().entry());
    // Where among the arguments the parameter is that has as many elements as a result.
    let source = |result: usize| {
        let source = entry.source_of(entry.returns[result])?;
        Some(entry.returns.len() + entry.params.iter().position(|&param| param == source)?)
    };
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (number, argument) in c.arguments.iter().enumerate() {
        let bytes = argument.bytes * if argument.is_shared { 1 } else { u64::from(c.instances) };
        let (parameter, value) = match (argument.is_stream, argument.is_result) {
            (false, true) => (format!("a{number}: *mut [u8; {bytes}]"), format!("&mut *a{number}")),
            (false, false) => (format!("a{number}: *const [u8; {bytes}]"), format!("&*a{number}")),
            (true, false) => (
                format!("a{number}: *const u8, n{number}: usize"),
                format!("core::slice::from_raw_parts(a{number}, n{number})"),
            ),
            (true, true) => {
                let from = source(number).expect("a parameter that is as long");
                let length = format!("n{from} / {} * {bytes}", c.arguments[from].bytes);
                (format!("a{number}: *mut u8"), format!("core::slice::from_raw_parts_mut(a{number}, {length})"))
            }
        };
        parameters.push(parameter);
        arguments.push(value);
    }
    let mut text = format!("#![no_std]\nmod kernel;\n\n#[export_name = \"{}\"]\n", c.function);
    // A keyword of Rust has another name there.
    let function = rust.split("\npub ").nth(1).and_then(|rest| rest.split("fn ").nth(1)?.split(['(', '<']).next());
    let _ = writeln!(
        text,
        "pub unsafe extern \"C\" fn exported({}) {{\n    kernel::{}({});\n}}",
        parameters.join(", "),
        function.expect("a public function"),
        arguments.join(", ")
    );
    text
}
