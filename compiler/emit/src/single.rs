//! Kernels that compute one instance at a time: one function from bytes to bytes, and its header.

use std::fmt::Write;

use culet_diag::codes::targets;
use culet_diag::{Diagnostic, Diagnostics, counted};
use culet_ir::{Module, Target};
use culet_meaning::layout::{byte_length, text};
use culet_types::program::{Body, ByteOrder, Loop, Program, Step, Var, VarId};
use culet_types::public::{self, Declassified};

use crate::header::{flags, provenance, required};
use crate::names::{capitals, comment, prefix};
use crate::own_names::behind_prefix;
use crate::source::note;
use crate::stack;
use crate::tables::with_tables;
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
    /// Number of instances that a call computes; values of an argument stand one after another.
    pub instances: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleArgument {
    /// Name in the program.
    pub name: String,
    pub is_result: bool,
    /// Whether it has any number of elements. A result has as many as its stream has, and the function is not told
    /// again.
    pub is_stream: bool,
    /// One value for all instances.
    pub is_shared: bool,
    /// Whether it is a result in the place of a stream, or that stream. In Rust, the two are one argument.
    pub is_in_place: bool,
    /// Bytes of the argument, or of one element of a stream.
    pub bytes: u64,
}

/// Writes the C of a module on words that was made from `program`. The functions that its entry calls are `static`.
///
/// # Errors
///
/// E0752, if C has no form for an operation; E0754, if the stem is no file name; E0759, if a result cannot stand in the place of its stream.
pub fn emit_single(module: &Module, program: &Program, options: &Options) -> Result<SingleOutput, Diagnostics> {
    crate::check_stem(options)?;
    let module = &with_tables(module);
    check_places(module, program, options)?;
    let bits = options.target.word_bits();
    let symbol = scalar::c_symbol(&options.stem);
    let (body, prototype) = match options.batch {
        Some(_) => {
            (scalar::c_lanes_function(module.entry(), &symbol), scalar::c_lanes_prototype(module.entry(), &symbol))
        }
        None => {
            let function = scalar::c_module(module, &symbol, options.target);
            (function, scalar::c_prototype(module.entry(), &symbol, bits))
        }
    };
    let body = body.map_err(|what| unwritable(program, "C", &what))?;
    let machine = Machine::of(module, options);
    let required = if machine == Machine::Registers { required(options.target) } else { String::new() };
    let mut source = format!("/* {}\n */\n{required}#include \"{}.h\"\n\n", provenance(options), options.stem);
    match options.batch {
        Some(_) => source.push_str(&scalar::c_lanes_definitions(&body)),
        None => source.push_str(&scalar::c_module_definitions(&[module], options.target, &body)),
    }
    source.push_str(&body);
    source.push_str(&note(options));
    let arguments: Vec<SingleArgument> =
        arguments(program).map(|(var, is_result)| argument(program, options, var, is_result)).collect();
    let source = behind_prefix(&source, &symbol);
    let declared = Declared { program, machine, prototype };
    Ok(SingleOutput {
        header: header(&[declared], options, stack::arrays(&source)),
        source,
        function: symbol,
        arguments,
        instances: options.batch.unwrap_or(1),
    })
}

/// The part of a target that a function needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Machine {
    /// Words only, which any machine has.
    Words,
    /// The target's product without carries, or its instructions of whole rounds.
    Pairs,
    /// The target's registers of several words: those of several instances, or of several elements of one.
    Registers,
}

impl Machine {
    fn of(module: &Module, options: &Options) -> Machine {
        match module.entry() {
            entry if options.batch.is_some() || scalar::has_vectors(entry) => Machine::Registers,
            entry if scalar::has_pairs(entry) || !scalar::instructions(module).is_empty() => Machine::Pairs,
            _ => Machine::Words,
        }
    }
}

/// A function of a file with several: the program, the module on words that was made from it, and what the function is named after.
#[derive(Clone, Copy)]
pub struct SingleEntry<'m> {
    pub module: &'m Module,
    pub program: &'m Program,
    pub stem: &'m str,
    /// A short text about what it was made from, which programs have that the function is linked into.
    pub record: Option<&'m str>,
}

/// As [`emit_single`], but a file in safe Rust that needs no standard library and panics only where a slice is too short for a result, with a public function for each entry,
/// of which there is one at least. Functions that entries share are there once.
///
/// # Errors
///
/// As [`emit_single`].
pub fn emit_single_rust(entries: &[SingleEntry<'_>], options: &Options) -> Result<String, Diagnostics> {
    crate::check_stem(options)?;
    let (target, batch) = (options.target, options.batch.is_some());
    let modules: Vec<Module> = entries.iter().map(|entry| with_tables(entry.module)).collect();
    check_all_places(entries, &modules, options)?;
    let symbol = |(entry, module): (&SingleEntry<'_>, &Module)| scalar::rust_symbol(entry.stem, module, target, batch);
    let symbols: Vec<String> = entries.iter().zip(&modules).map(symbol).collect();
    let named: Vec<scalar::Named<'_>> = modules
        .iter()
        .zip(&symbols)
        .zip(entries)
        .map(|((module, symbol), entry)| scalar::Named {
            module,
            symbol: symbol.clone(),
            record: entry.record,
            is_in_place: options.in_place,
        })
        .collect();
    let stem = scalar::rust_symbol(&options.stem, &modules[0], target, batch);
    let made = scalar::rust_modules(&named, &stem, target, batch).map_err(|what| {
        let diagnostic = unwritable(entries[0].program, "Rust", &what);
        match target.is_vector() {
            true => diagnostic
                .note("`--target c64` has plain words in Rust, too; leave `--language rust` out for vectors in C"),
            false => diagnostic,
        }
    })?;
    let mut text = format!("//! Generated by culet {}; do not edit. Made by:\n//!\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "//! ```text\n//! {}\n//! ```", one_line(&options.provenance));
    for line in made.features.iter().flat_map(|features| how_to_call(&stem, &symbols[0], features)) {
        let _ = writeln!(text, "//!{}{line}", if line.is_empty() { "" } else { " " });
    }
    text.push_str("\n#![forbid(unsafe_code)]\n\n");
    if !made.definitions.is_empty() {
        let _ = writeln!(text, "{}", made.definitions);
    }
    let functions = made.functions.iter().map(|function| match function.entry {
        Some(number) => {
            let lines = about(entries[number].program, options, Machine::of(&modules[number], options), true);
            documented(&lines, &panics(entries[number].program, options)) + &function.text
        }
        None => function.text.clone(),
    });
    text.push_str(&functions.collect::<Vec<String>>().join("\n"));
    Ok(text)
}

/// The header and the C of [`emit_together`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TogetherOutput {
    /// `<stem>.h`
    pub header: String,
    /// `<stem>.c`
    pub source: String,
}

/// As [`emit_single`], with a function for each entry, of which there is one at least; all names differ, also without regard to case. Functions
/// that entries share are there once.
///
/// # Errors
///
/// As [`emit_single`].
pub fn emit_together(entries: &[SingleEntry<'_>], options: &Options) -> Result<TogetherOutput, Diagnostics> {
    crate::check_stem(options)?;
    let modules: Vec<Module> = entries.iter().map(|entry| with_tables(entry.module)).collect();
    check_all_places(entries, &modules, options)?;
    let prefix = scalar::c_symbol(&options.stem);
    let named: Vec<scalar::Named<'_>> = modules
        .iter()
        .zip(entries)
        .map(|(module, entry)| scalar::Named {
            module,
            symbol: scalar::c_symbol(entry.stem),
            record: None,
            is_in_place: false,
        })
        .collect();
    let body = scalar::c_modules(&named, &prefix, options.target, false);
    let body = body.map_err(|what| unwritable(entries[0].program, "C", &what))?;
    let declared: Vec<Declared<'_>> = named
        .iter()
        .zip(entries)
        .map(|(named, entry)| Declared {
            program: entry.program,
            machine: Machine::of(named.module, options),
            prototype: scalar::c_prototype(named.module.entry(), &named.symbol, options.target.word_bits()),
        })
        .collect();
    let is_for_registers = declared.iter().any(|function| function.machine == Machine::Registers);
    let required = if is_for_registers { required(options.target) } else { String::new() };
    let mut source = format!("/* {}\n */\n{required}#include \"{}.h\"\n\n", provenance(options), options.stem);
    source.push_str(&scalar::c_module_definitions(&modules.iter().collect::<Vec<_>>(), options.target, &body));
    source.push_str(&body);
    let source = behind_prefix(&source, &prefix);
    Ok(TogetherOutput { header: header(&declared, options, stack::arrays(&source)), source })
}

/// The name of the function of a node in a file of several: the node's, behind the file's prefix if it does not begin with it.
pub fn name_together(stem: &str, node: &str) -> String {
    let (prefix, name) = (prefix(stem), node.to_ascii_lowercase());
    let is_behind = name.strip_prefix(&prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    if is_behind { name } else { format!("{prefix}_{name}") }
}

/// As [`emit_single_rust`], but functions in C for plain words, which are all `static`. The file has [`single_c_definitions`] before them.
///
/// # Errors
///
/// As [`emit_single`].
pub fn emit_single_c(entries: &[SingleEntry<'_>], options: &Options) -> Result<String, Diagnostics> {
    crate::check_stem(options)?;
    let modules: Vec<Module> = entries.iter().map(|entry| with_tables(entry.module)).collect();
    check_all_places(entries, &modules, options)?;
    let named: Vec<scalar::Named<'_>> = modules
        .iter()
        .zip(entries)
        .map(|(module, entry)| scalar::Named {
            module,
            symbol: scalar::c_symbol(entry.stem),
            record: None,
            is_in_place: false,
        })
        .collect();
    let made = scalar::c_modules(&named, &scalar::c_symbol(&options.stem), options.target, true);
    Ok(made.map_err(|what| unwritable(entries[0].program, "C", &what))?)
}

/// Types and functions that functions from [`emit_single_c`] use. Those in `double` are for words of 64 bits and need integers of 128 bits; they are
/// there where the preprocessor's `condition` holds.
pub fn single_c_definitions(double: &str, condition: &str, others: &str) -> String {
    let wide = scalar::c_wide(double);
    let wide = format!("#if {condition}\n{wide}#endif\n\n");
    wide + &scalar::c_small(&[double, others].concat(), true)
}

/// Whether functions from [`emit_single_c`] need integers of 128 bits.
pub fn needs_wide(functions: &str) -> bool {
    scalar::has_wide(functions)
}

/// The documentation of a function.
fn documented(about: &[String], panics: &[String]) -> String {
    let lines = about.iter().map(String::as_str).chain(PROMISES_OF_RUST).chain(panics.iter().map(String::as_str));
    lines.map(|line| format!("///{}{}\n", if line.is_empty() { "" } else { " " }, one_line(line))).collect()
}

/// The part of a function's documentation about panics: of results of any length that are slices of their own, Rust does not say how long they are.
fn panics(program: &Program, options: &Options) -> Vec<String> {
    let entry = program.entry();
    let in_place = in_place(program, options);
    let is_apart = |var: &&Var| var.stream && !in_place.iter().any(|(result, _)| std::ptr::eq(*result, *var));
    let apart = entry.returns.iter().map(|id| entry.var(*id)).filter(is_apart);
    let names: Vec<String> = apart.map(|var| format!("`{}`", var.name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let sentence = format!("If {} is too short, before anything is written.", names.join(" or "));
    vec![String::new(), "# Panics".to_owned(), String::new(), sentence]
}

/// Text about the features that a CPU must have, and about how callers of a module's function find out.
pub(crate) fn how_to_call(module: &str, symbol: &str, features: &scalar::Features) -> Vec<String> {
    how_to_call_with(module, symbol, features.architecture, &features.names)
}

/// As [`how_to_call`].
pub(crate) fn how_to_call_with(
    module: &str,
    symbol: &str,
    architecture: &str,
    names: &[impl AsRef<str> + std::fmt::Display],
) -> Vec<String> {
    let short = if architecture == "x86_64" { "x86" } else { architecture };
    let detected = names.iter().map(|name| format!("std::arch::is_{short}_feature_detected!(\"{name}\")"));
    let detected = detected.collect::<Vec<String>>().join("\n    && ");
    let text = format!(
        "
Needs a CPU of {architecture} with {}: `#[cfg(target_arch = \"{architecture}\")] mod {module};`.
Where the features are enabled, by `#[target_feature(enable = \"…\")]` or `-C target-feature=+…`, the function is
called as any other. Elsewhere its caller asks the CPU first, and nothing else is unsafe about the call:

```text
let has_features = {detected};
if has_features {{
    unsafe {{ {module}::{symbol}(…) }};
}}
```",
        names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ")
    );
    text.lines().map(str::to_owned).collect()
}

const PROMISES_OF_RUST: [&str; 5] = [
    "",
    "Constant time: no branch and no address depends on data; a stream's length is no secret. This is by",
    "construction of this text; what the compiler makes of it is tested, not proved.",
    "Erasure: arrays of its own are overwritten before it returns; registers that the compiler spills to the stack are",
    "out of reach of this text.",
];

pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn unwritable(program: &Program, language: &str, what: &scalar::Unwritable) -> Diagnostic {
    let message = format!("`{}` cannot be written as {language}: {what}", program.entry().name);
    Diagnostic::error(&targets::E0752, program.entry().span, message)
}

/// The entry's results and parameters.
fn arguments(program: &Program) -> impl Iterator<Item = (&Var, bool)> {
    let node = program.entry();
    let results = node.returns.iter().map(|&id| (node.var(id), true));
    results.chain(node.params.iter().map(|&id| (node.var(id), false)))
}

/// Results with the streams in whose places they may stand.
fn in_place<'p>(program: &'p Program, options: &Options) -> Vec<(&'p Var, &'p Var)> {
    let entry = program.entry();
    let text = |id: &VarId| entry.maker_of(*id)?.0.parts.first().filter(|text| entry.params.contains(text));
    let results = entry.returns.iter().filter(|_| options.in_place);
    results.filter_map(|id| Some((entry.var(*id), entry.var(*text(id)?)))).collect()
}

/// Checks that results may stand in the places of their streams, if that is wanted.
fn check_places(module: &Module, program: &Program, options: &Options) -> Result<(), Diagnostics> {
    if !options.in_place || in_place(program, options).is_empty() {
        return Ok(());
    }
    scalar::check_in_place(module, options.target, options.batch.is_some()).map_err(|why| {
        let message = format!("no result of `{}` can stand in its text's place: {why}", program.entry().name);
        Diagnostic::error(&targets::E0759, program.entry().span, message).into()
    })
}

fn check_all_places(entries: &[SingleEntry<'_>], modules: &[Module], options: &Options) -> Result<(), Diagnostics> {
    entries.iter().zip(modules).try_for_each(|(entry, module)| check_places(module, entry.program, options))
}

fn argument(program: &Program, options: &Options, var: &Var, is_result: bool) -> SingleArgument {
    let mut in_place = in_place(program, options).into_iter().flat_map(|(result, stream)| [result, stream]);
    SingleArgument {
        name: var.name.clone(),
        is_result,
        is_stream: var.stream,
        is_shared: var.shared,
        is_in_place: in_place.any(|other| std::ptr::eq(other, var)),
        bytes: byte_length(&var.ty),
    }
}

/// Description of the function for readers: what it is, and its arguments. With `has_one_place`, a result and the stream in whose place it stands are
/// one argument.
fn about(program: &Program, options: &Options, machine: Machine, has_one_place: bool) -> Vec<String> {
    let instances = match options.batch {
        Some(batch) => format!("{batch} instances at once, whose values stand one after another"),
        None => "one instance at a time".to_owned(),
    };
    let target = match machine {
        Machine::Words => format!("in words of {} bits, for any machine", options.target.word_bits()),
        Machine::Pairs | Machine::Registers => format!("for the target {}", options.target.name()),
    };
    let mut lines = vec![format!("Node `{}` {target}, {instances}.", program.entry().name), String::new()];
    let in_place = if has_one_place { in_place(program, options) } else { Vec::new() };
    for (var, is_result) in arguments(program) {
        if in_place.iter().any(|(_, stream)| std::ptr::eq(*stream, var)) {
            continue;
        }
        if let Some((_, stream)) = in_place.iter().find(|(result, _)| std::ptr::eq(*result, var)) {
            let what = match byte_length(&stream.ty) {
                1 => "any number of bytes".to_owned(),
                size => format!("any number of elements of {}; what is left over stays", counted(size, "byte")),
            };
            lines.push(format!("{}: result, in the place of `{}`: {what}.", var.name, stream.name));
            continue;
        }
        let role = if is_result { "result" } else { "parameter" };
        let bytes = match (var.stream, var.ty.atom.field()) {
            (true, _) => match (stream_of(program, var), byte_length(&var.ty)) {
                (Some(stream), 1) if byte_length(&stream.ty) == 1 => format!("as many bytes as `{}`", stream.name),
                (Some(stream), size) => {
                    let (size, each) = (counted(size, "byte"), byte_length(&stream.ty));
                    format!("{size} for each {each} of `{}`", stream.name)
                }
                (None, 1) => "any number of bytes".to_owned(),
                (None, size) => {
                    format!("any number of elements of {}; what is left over is not read", counted(size, "byte"))
                }
            },
            (false, Some(id)) => {
                let field = program.field(id);
                let what = if is_result { "below the modulus" } else { "reduced by the modulus" };
                let (count, each, first) = (var.ty.atoms(), field.kind.bytes(), first_byte(var.bytes));
                let (bytes, each, name) = (counted(byte_length(&var.ty), "byte"), counted(each, "byte"), &field.name);
                match count {
                    1 => format!("{bytes}, the number {first} byte first: an element of {name}, {what}"),
                    _ => format!(
                        "{bytes}: {count} elements of {name}, {each} each, each number {first} byte first, {what}"
                    ),
                }
            }
            (false, None) => {
                format!("{}: {}", counted(byte_length(&var.ty), "byte"), text::bytes(&var.ty, var.bytes))
            }
        };
        lines.push(format!("{}: {role}, {bytes}.", var.name));
    }
    if matches!(&program.entry().body, Body::Steps(steps) if joins_streams(steps)) {
        lines.push(
            "Streams that are read as one have, together, fewer bytes than the machine has addresses.".to_owned(),
        );
    }
    lines.extend(revealed(program));
    lines
}

/// Whether a loop goes through several streams or arrays, one after another.
fn joins_streams(steps: &[Step]) -> bool {
    let joins = |l: &Loop| l.stream.as_ref().is_some_and(|stream| stream.parts.len() > 1) || joins_streams(&l.steps);
    steps.iter().any(|step| matches!(step, Step::Loop(l) if joins(l)))
}

/// A sentence for each value that a program makes public, for its users.
pub(crate) fn revealed(program: &Program) -> Vec<String> {
    let sentence = |value: &Declassified<'_>| format!("Made public, by node `{}`: `{}`.", value.node, value.source);
    let listed = public::declassified(program);
    let heading = (!listed.is_empty()).then(String::new);
    heading.into_iter().chain(listed.iter().map(sentence)).collect()
}

/// The byte of a number that comes first.
fn first_byte(order: ByteOrder) -> &'static str {
    if order == ByteOrder::Big { "most significant" } else { "least significant" }
}

/// The stream that decides the number of elements of a result that is a stream.
fn stream_of<'p>(program: &'p Program, result: &Var) -> Option<&'p Var> {
    let entry = program.entry();
    let source = |id: &VarId| entry.source_of(*id).map(|source| entry.var(source));
    entry.returns.iter().find(|id| std::ptr::eq(entry.var(**id), result)).and_then(source)
}

/// A function that a header declares.
struct Declared<'p> {
    program: &'p Program,
    machine: Machine,
    prototype: String,
}

fn header(functions: &[Declared<'_>], options: &Options, stack: u64) -> String {
    let guard = format!("{}_H", capitals(&prefix(&options.stem)));
    let mut out = format!("/* {}\n", provenance(options));
    for Declared { program, machine, .. } in functions {
        out.push_str(" *\n");
        for line in about(program, options, *machine, false) {
            let _ = writeln!(out, " *{}{}", if line.is_empty() { "" } else { " " }, comment(&line));
        }
    }
    let is_one_of = |machine| functions.iter().any(|function| function.machine == machine);
    if is_one_of(Machine::Registers) || is_one_of(Machine::Pairs) && options.target == Target::Vsx {
        let _ = writeln!(out, " *\n * Compile with: {}.", flags(options.target));
    } else if is_one_of(Machine::Pairs) && options.target == Target::SseSha {
        let _ = writeln!(out, " *\n * Compile with: {}.", flags(options.target));
        out.push_str(" * Where a compiler uses AVX beside SHA's instructions, which have no form of AVX, each of them takes many times as long.\n");
    }
    let _ = writeln!(out, " *\n * Aliasing: {} Alignment: none.", aliasing(functions, options));
    out.push_str(PROMISES);
    let _ = writeln!(out, " * {}\n */", stack::sentence(stack));
    let _ = writeln!(out, "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n");
    let _ = writeln!(out, "#if defined(__cplusplus)\nextern \"C\" {{\n#endif\n");
    for function in functions {
        let _ = writeln!(out, "{};\n", function.prototype);
    }
    let _ = writeln!(out, "#if defined(__cplusplus)\n}}\n#endif\n\n#endif");
    out
}

/// The arguments that may be one place.
fn aliasing(functions: &[Declared<'_>], options: &Options) -> String {
    let may = |function: &Declared<'_>| {
        let pairs = in_place(function.program, options).into_iter();
        let places = pairs.map(|(result, text)| format!("{} may be where {} is", result.name, text.name));
        let of_node =
            if functions.len() > 1 { format!(" in `{}`", function.program.entry().name) } else { String::new() };
        places.map(|place| place + &of_node).collect::<Vec<String>>()
    };
    let may: Vec<String> = functions.iter().flat_map(may).collect();
    if may.is_empty() {
        return "results overlap nothing else.".to_owned();
    }
    format!("{}, exactly; otherwise, results overlap nothing else.", may.join(", "))
}

/// The end of the comment at a header's top.
const PROMISES: &str =
    " * Constant time: no branch and no address depends on data; a stream's length is no secret. This is by
 * construction of the C text; what C compilers make of it is tested, not proved.
 * Erasure: arrays of its own are overwritten before it returns; registers that a C compiler spills to the stack are
 * out of reach of C.
";
