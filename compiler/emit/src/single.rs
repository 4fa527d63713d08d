//! Kernels that compute one instance at a time: one function from bytes to bytes, and its header.

use std::fmt::Write;

use culet_diag::codes::targets;
use culet_diag::{Diagnostic, Diagnostics};
use culet_ir::{Module, SlotKind, Target};
use culet_meaning::layout::{byte_length, text};
use culet_types::program::{Program, Var};

use crate::header::provenance;
use crate::names::{comment, prefix};
use crate::source::note;
use crate::{Options, scalar};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleOutput {
    /// `<stem>.h`
    pub header: String,
    /// `<stem>.c`
    pub source: String,
    /// `void f(uint8_t *results…, const uint8_t *parameters…)`; a stream is a pointer and a `size_t`, its length.
    pub function: String,
    /// Results in order, then parameters in order: the order of arguments.
    pub arguments: Vec<SingleArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleArgument {
    /// As in the program.
    pub name: String,
    pub is_result: bool,
    /// Any number of bytes.
    pub is_stream: bool,
    /// Bytes; of one element of a stream.
    pub bytes: u64,
}

/// Writes the C of a module of one function on words, which `program` became.
///
/// # Errors
///
/// E0752, if C has no form for an operation; E0754, if the stem is no file name.
pub fn emit_single(module: &Module, program: &Program, options: &Options) -> Result<SingleOutput, Diagnostics> {
    crate::check_stem(options)?;
    let bits = if options.target == Target::C32 { 32 } else { 64 };
    let symbol = scalar::c_symbol(&options.stem);
    let body = scalar::c_function(module.entry(), &symbol, bits).map_err(|what| {
        let message = format!("`{}` cannot be written as C: {what}", program.entry().name);
        Diagnostics::from(Diagnostic::error(&targets::E0752, program.entry().span, message))
    })?;
    let prototype = scalar::c_prototype(module.entry(), &symbol, bits);
    let mut source = format!("/* {}\n */\n#include \"{}.h\"\n\n", provenance(options), options.stem);
    if module.entry().slots.iter().any(|slot| slot.kind == SlotKind::Stream) {
        source.push_str("#include <string.h>\n\n");
    }
    source.push_str(scalar::c_types(bits));
    source.push_str(&body);
    source.push_str(&note(options));
    let arguments: Vec<SingleArgument> = arguments(program).map(|(var, is_result)| argument(var, is_result)).collect();
    Ok(SingleOutput { header: header(program, options, &prototype), source, function: symbol, arguments })
}

/// The entry's results and parameters.
fn arguments(program: &Program) -> impl Iterator<Item = (&Var, bool)> {
    let node = program.entry();
    let results = node.returns.iter().map(|&id| (node.var(id), true));
    results.chain(node.params.iter().map(|&id| (node.var(id), false)))
}

fn argument(var: &Var, is_result: bool) -> SingleArgument {
    SingleArgument { name: var.name.clone(), is_result, is_stream: var.stream, bytes: byte_length(&var.ty) }
}

fn header(program: &Program, options: &Options, prototype: &str) -> String {
    let guard = format!("{}_H", prefix(&options.stem).to_ascii_uppercase());
    let mut out = format!("/* {}\n *\n", provenance(options));
    let entry = comment(&program.entry().name);
    let _ = writeln!(out, " * Node `{entry}` for the target {}, one instance at a time.\n *", options.target.name());
    for (var, is_result) in arguments(program) {
        let role = if is_result { "result" } else { "parameter" };
        let bytes = match (var.stream, var.ty.atom.field()) {
            (true, _) => "any number of bytes".to_owned(),
            (false, Some(id)) => {
                let field = program.field(id);
                let what = if is_result { "below the modulus" } else { "reduced by the modulus" };
                format!(
                    "{} element(s) of {}, {} bytes each, least significant first, {what}",
                    var.ty.atoms(),
                    comment(&field.name),
                    field.kind.bytes()
                )
            }
            (false, None) => format!("{} bytes: {}", byte_length(&var.ty), text::bytes(&var.ty, var.bytes)),
        };
        let _ = writeln!(out, " * {}: {role}, {bytes}.", comment(&var.name));
    }
    out.push_str(PROMISES);
    let _ = writeln!(out, "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n");
    let _ = writeln!(out, "#if defined(__cplusplus)\nextern \"C\" {{\n#endif\n\n{prototype};\n");
    let _ = writeln!(out, "#if defined(__cplusplus)\n}}\n#endif\n\n#endif");
    out
}

/// The end of the comment at a header's top.
const PROMISES: &str = " *
 * Aliasing: results overlap nothing else. Alignment: none.
 * Constant time: no branch and no address depends on data; a stream's length is no secret. This is by
 * construction of the C text; what C compilers make of it is tested, not proved.
 * Erasure: what a C compiler leaves on the stack is out of reach of C.
 */
";
