//! The module in Rust: a file that documents itself.

use std::fmt::Write;

use culet_field::arithmetic::Operation;
use culet_field::chain::{Chain, Step};

use super::{Arithmetic, File};
use crate::scalar::{Unwritable, rust_function, rust_helpers};

/// # Errors
///
/// A function without a form in Rust.
pub(super) fn file(module: &Arithmetic<'_>, operations: &[Operation]) -> Result<File, Unwritable> {
    let word_bits = module.word_bits();
    let mut functions = String::new();
    for &operation in operations {
        let _ = writeln!(functions, "\n/// {}\n#[inline]", module.says(operation));
        match module.func(operation) {
            Some(func) => functions.push_str(&rust_function(func, &module.symbol(operation), word_bits)?),
            None => functions.push_str(&inverse(module)),
        }
    }
    let mut text = String::new();
    for line in about(module) {
        let _ = writeln!(text, "//!{}{line}", if line.is_empty() { "" } else { " " });
    }
    text.push_str("\n#![forbid(unsafe_code)]\n");
    let helpers = rust_helpers(&functions, word_bits);
    if !helpers.is_empty() {
        let _ = write!(text, "\n{helpers}");
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
    lines
}

/// The inverse as a power, by the functions of the module.
fn inverse(module: &Arithmetic<'_>) -> String {
    let chain = Chain::new(&(module.modulus() - 2));
    let element = format!("[u{}; {}]", module.word_bits(), module.positions().len());
    let zero = format!("[0; {}]", module.positions().len());
    let [inv, mul, square] = [Operation::Inv, Operation::Mul, Operation::Square].map(|op| module.symbol(op));
    let mut text = format!("pub fn {inv}(out: &mut {element}, a: &{element}) {{\n");
    let _ = write!(
        text,
        "    fn product(a: &{element}, b: &{element}) -> {element} {{
        let mut out = {zero};
        {mul}(&mut out, a, b);
        out
    }}
    fn squared(a: &{element}, times: u32) -> {element} {{
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
