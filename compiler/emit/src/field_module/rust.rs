//! The module in Rust: a file that documents itself.

use std::fmt::Write;

use culet_field::arithmetic::Operation;
use culet_field::chain::{Chain, Step};

use super::{Arithmetic, File};
use culet_ir::Target;

use crate::scalar::{Features, Unwritable, rust_definitions, rust_features, rust_function_for};
use crate::single::how_to_call;

/// # Errors
///
/// A function without a form in Rust.
pub(super) fn file(module: &Arithmetic<'_>, operations: &[Operation]) -> Result<File, Unwritable> {
    let target = target(module);
    let mut functions = String::new();
    for &operation in operations {
        let _ = writeln!(functions, "\n/// {}\n#[inline]", module.says(operation));
        match module.func(operation) {
            Some(func) => {
                let function = rust_function_for(func, &module.symbol(operation), target, module.has_lanes)?;
                functions.push_str(&function.text);
            }
            None => functions.push_str(&inverse(module)),
        }
    }
    let mut text = String::new();
    for line in about(module) {
        let _ = writeln!(text, "//!{}{line}", if line.is_empty() { "" } else { " " });
    }
    text.push_str("\n#![forbid(unsafe_code)]\n");
    let definitions = rust_definitions(&functions, target, module.has_lanes);
    if !definitions.is_empty() {
        let _ = write!(text, "\n{definitions}");
    }
    text.push_str(&functions);
    Ok(File { name: format!("{}.rs", module.prefix), text })
}

fn about(module: &Arithmetic<'_>) -> Vec<String> {
    let mut lines = module.about();
    lines.push("Functions need no standard library and cannot panic.".to_owned());
    lines.push(String::new());
    lines.push(
        "What is in the .toml files holds of the machine code of a function that is exported under its name with the"
            .to_owned(),
    );
    lines.push("interface of C if `culet prove OBJECT --contract FILE` says so.".to_owned());
    if let Some(features) = features(module) {
        lines.extend(how_to_call(&module.prefix, &format!("{}_…", module.prefix), &features));
    }
    lines
}

/// The target that the functions are written for.
fn target(module: &Arithmetic<'_>) -> Target {
    match module.word_bits() {
        _ if module.has_lanes => Target::Avx512Ifma,
        32 => Target::C32,
        _ => Target::C64,
    }
}

fn features(module: &Arithmetic<'_>) -> Option<Features> {
    rust_features(target(module), module.has_lanes)
}

/// The inverse as a power, by the functions of the module.
fn inverse(module: &Arithmetic<'_>) -> String {
    let chain = Chain::of_inverse(module.modulus());
    let (element, zero) =
        (format!("[u{}; {}]", module.word_bits(), module.words()), format!("[0; {}]", module.words()));
    let attribute = features(module).map_or_else(String::new, |features| features.attribute() + "\n");
    let inner = if attribute.is_empty() { String::new() } else { format!("    {attribute}") };
    let [inv, mul, square] = [Operation::Inv, Operation::Mul, Operation::Square].map(|op| module.symbol(op));
    let mut text = format!("{attribute}pub fn {inv}(out: &mut {element}, a: &{element}) {{\n");
    let _ = write!(
        text,
        "{inner}    fn product(a: &{element}, b: &{element}) -> {element} {{
        let mut out = {zero};
        {mul}(&mut out, a, b);
        out
    }}
{inner}    fn squared(a: &{element}, times: u32) -> {element} {{
        let (mut from, mut to) = (*a, {zero});
        for _ in 0..times {{
            {square}(&mut to, &from);
            from = to;
        }}
        from
    }}
    let r0 = *a;
"
    );
    for step in &chain.steps {
        let _ = match *step {
            Step::Square { to, from, times } => writeln!(text, "    let r{to} = squared(&r{from}, {times});"),
            Step::Multiply { to, a, b } => writeln!(text, "    let r{to} = product(&r{a}, &r{b});"),
        };
    }
    let _ = writeln!(text, "    *out = r{};\n}}", chain.result);
    text
}
