//! The module in C: a file of functions and a header that documents their bounds.

use std::fmt::Write;

use culet_field::arithmetic::Operation;
use culet_field::chain::{Chain, Step};
use culet_ir::Target;

use super::{Arithmetic, File};
use crate::header::{flags, made_by, required};
use crate::names::capitals;
use crate::own_names::{behind_prefix, without_uncalled};
use crate::scalar::{
    Unwritable, c_function, c_lanes_definitions, c_lanes_function, c_lanes_prototype, c_prototype, c_types,
};
use crate::source::SEPARATE_CALLS;

/// # Errors
///
/// A function without a form in C.
pub(super) fn files(module: &Arithmetic<'_>, operations: &[Operation]) -> Result<Vec<File>, Unwritable> {
    let prefix = &module.prefix;
    Ok(vec![
        File { name: format!("{prefix}.c"), text: source(module, operations)? },
        File { name: format!("{prefix}.h"), text: header(module, operations) },
    ])
}

fn word(module: &Arithmetic<'_>) -> &'static str {
    if module.word_bits() == 64 { "uint64_t" } else { "uint32_t" }
}

fn source(module: &Arithmetic<'_>, operations: &[Operation]) -> Result<String, Unwritable> {
    let (word_bits, prefix) = (module.word_bits(), &module.prefix);
    let mut text = format!("/* {}\n */\n#include \"{prefix}.h\"\n", made_by(&module.command));
    let has_inverse = operations.contains(&Operation::Inv);
    if has_inverse {
        let _ =
            write!(text, "\n/* A call stays a call: what is proved of products serves inverses. */\n{SEPARATE_CALLS}");
    }
    let mut functions = Vec::new();
    for &operation in operations {
        let text = match module.func(operation) {
            Some(func) if module.has_lanes => c_lanes_function(func, &module.symbol(operation))?,
            Some(func) => c_function(func, &module.symbol(operation), word_bits)?,
            None => inverse(module),
        };
        let is_called = has_inverse && super::CALLED.contains(&operation);
        functions.push(if is_called { format!("SEPARATE {text}") } else { text });
    }
    let functions = functions.join("\n");
    let definitions = match module.has_lanes {
        true => format!("{}\n{}", required(Target::Avx512Ifma), c_lanes_definitions()),
        false => c_types(word_bits, &functions),
    };
    let _ = write!(text, "\n{definitions}{functions}");
    Ok(behind_prefix(&without_uncalled(&text), prefix))
}

fn header(module: &Arithmetic<'_>, operations: &[Operation]) -> String {
    let guard = format!("{}_H", capitals(&module.prefix));
    let mut text = format!("/* {}\n */\n\n{}\n", made_by(&module.command), about(module));
    let _ = writeln!(text, "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n");
    text.push_str("#if defined(__cplusplus)\nextern \"C\" {\n#endif\n");
    for &operation in operations {
        let prototype = match module.func(operation) {
            Some(func) if module.has_lanes => c_lanes_prototype(func, &module.symbol(operation)),
            Some(func) => c_prototype(func, &module.symbol(operation), module.word_bits()),
            None => inverse_prototype(module),
        };
        let _ = writeln!(text, "\n/* {} */\n{prototype};", module.says(operation));
    }
    text.push_str("\n#if defined(__cplusplus)\n}\n#endif\n\n#endif\n");
    text
}

/// The comment of the header.
fn about(module: &Arithmetic<'_>) -> String {
    let mut lines = module.about();
    if module.has_lanes {
        lines.push(format!("Compile with: {}.", flags(Target::Avx512Ifma)));
    }
    lines.push("Results may be written over arguments.".to_owned());
    lines.push(String::new());
    lines.push(
        "What is in the .toml files holds of the machine code if `culet prove OBJECT --contract FILE` says so. */"
            .to_owned(),
    );
    let mut text = String::from("/*");
    for (index, line) in lines.iter().enumerate() {
        match (index, line.is_empty()) {
            (0, _) => drop(write!(text, " {line}")),
            (_, true) => text.push('\n'),
            (_, false) => drop(write!(text, "\n   {line}")),
        }
    }
    text
}

fn inverse_prototype(module: &Arithmetic<'_>) -> String {
    let (ty, count) = (word(module), module.words());
    format!("void {}({ty} out[{count}], const {ty} a[{count}])", module.symbol(Operation::Inv))
}

/// The inverse as a power, by the functions of the module.
fn inverse(module: &Arithmetic<'_>) -> String {
    let chain = Chain::of_inverse(module.modulus());
    let (ty, count) = (word(module), module.words());
    let (mul, square) = (module.symbol(Operation::Mul), module.symbol(Operation::Square));
    let mut text = format!("{}\n{{\n    {ty} r[{}][{count}];\n", inverse_prototype(module), chain.registers);
    let _ = writeln!(text, "    for (int i = 0; i < {count}; i++)\n        r[0][i] = a[i];");
    for step in &chain.steps {
        let _ = match *step {
            Step::Square { to, from, times: 0 } => {
                writeln!(text, "    for (int i = 0; i < {count}; i++)\n        r[{to}][i] = r[{from}][i];")
            }
            Step::Square { to, from, times: 1 } => writeln!(text, "    {square}(r[{to}], r[{from}]);"),
            Step::Square { to, from, times } => {
                writeln!(
                    text,
                    "    {square}(r[{to}], r[{from}]);\n    for (int i = 1; i < {times}; i++)\n        {square}(r[{to}], r[{to}]);"
                )
            }
            Step::Multiply { to, a, b } => writeln!(text, "    {mul}(r[{to}], r[{a}], r[{b}]);"),
        };
    }
    let _ = writeln!(text, "    for (int i = 0; i < {count}; i++)\n        out[i] = r[{}][i];", chain.result);
    let _ = writeln!(
        text,
        "    for (int i = 0; i < {}; i++)\n        ((volatile {ty} *)r)[i] = 0;\n}}",
        chain.registers * count
    );
    text
}
