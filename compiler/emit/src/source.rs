//! The `.c` file.

use std::fmt::Write;

use culet_ir::{Func, FuncId, Module, Op, SlotKind};

use crate::body::{self, Context, Refusal, SlotName};
use crate::header::{self, provenance};
use crate::helpers::Helpers;
use crate::in_rust;
use crate::kernel::{Kernel, Port};
use crate::language::Language;
use crate::names::{identifier, snake};
use crate::own_names::behind_prefix;
use crate::packing;
use crate::signature::Signature;
use crate::{NOTE_SECTION, Options};

/// The whole file, or the function that cannot be written and why.
pub(crate) fn source(module: &Module, kernel: &Kernel, options: &Options) -> Result<String, (FuncId, Refusal)> {
    let mut helpers = Helpers::new(Language::C, "");
    let functions = functions(module, kernel, &mut helpers, "")?;
    let packing: String = kernel.ports().map(|port| packing::functions(kernel, port, &mut helpers)).collect();

    let mut out = format!("/* {}\n */\n{}", provenance(options), header::required(options.target));
    if kernel.machine.is_vector() {
        let api = format!("{}SLICED_API", kernel.macro_prefix());
        let _ = writeln!(out, "#if !defined({api})\n#define {api}\n#endif");
    }
    let _ = writeln!(out, "#include \"{}.h\"\n", options.stem);
    let operations = kernel.machine.is_vector().then(|| kernel.machine.isa().operations_header()).flatten();
    for header in operations.into_iter().chain(["string.h"]) {
        let _ = writeln!(out, "#include <{header}>");
    }
    out.push('\n');
    out.push_str(&[SEPARATE, SEPARATE_CALLS, OPAQUE].concat());
    out.push_str(helpers.text());
    out.push_str(MEMORY);
    out.push_str(&functions);
    out.push_str(&packing);
    out.push_str(&on_bytes(kernel));
    out.push_str(&note(options));
    Ok(behind_prefix(&out, &kernel.prefix))
}

/// The functions on registers, the last of which is the kernel's. In Rust, `attribute` stands before each.
pub(crate) fn functions(
    module: &Module,
    kernel: &Kernel,
    helpers: &mut Helpers,
    attribute: &str,
) -> Result<String, (FuncId, Refusal)> {
    let mut functions = String::new();
    let reachable = reachable(module);
    let signatures = signatures(module, kernel, &reachable);
    for (index, func) in module.funcs.iter().enumerate().filter(|&(index, _)| reachable[index]) {
        let id = FuncId(index as u32);
        let mut context = Context { module, machine: &kernel.machine, helpers, signatures: &signatures };
        let text = function(&mut context, kernel, (id, func), attribute).map_err(|refusal| (id, refusal))?;
        functions.push_str(&text);
    }
    Ok(functions)
}

/// An ELF note (System V ABI, "Note Section") that says how the object was made, so that `culet prove` need not be
/// told.
pub(crate) fn note(options: &Options) -> String {
    let made = options.provenance.replace(['"', '\\', '\n', '\r'], "?");
    let size = made.len() + 1;
    let space = size.next_multiple_of(4);
    format!(
        "\n#if defined(__GNUC__) && defined(__ELF__)\n\
         /* How this was made, for `culet prove`. */\n\
         static const struct {{ uint32_t name_size, size, type; char name[8], made[{space}]; }} note \
         __attribute__((used, aligned(4), section(\"{NOTE_SECTION}\"))) = {{ 6, {size}, 1, \"culet\", \"{made}\" }};\n\
         #endif\n"
    )
}

/// The functions that the entry needs.
fn reachable(module: &Module) -> Vec<bool> {
    let mut needed = vec![false; module.funcs.len()];
    needed[module.entry.index()] = true;
    for index in (0..module.funcs.len()).rev().filter(|&index| index <= module.entry.index()) {
        if !needed[index] {
            continue;
        }
        let func = &module.funcs[index];
        for inst in func.regions.iter().flat_map(|region| &region.insts) {
            if let Op::Call(callee) = func.inst(*inst).op {
                needed[callee.index()] = true;
            }
        }
    }
    needed
}

fn signatures(module: &Module, kernel: &Kernel, reachable: &[bool]) -> Vec<Option<Signature>> {
    let public: Vec<String> = ["sliced", "blocks", "run"]
        .iter()
        .map(|word| format!("{}_{word}", kernel.prefix))
        .chain(kernel.ports().map(|port| kernel.pack_name(port)))
        .collect();
    let name = |index: usize, func: &Func| {
        let name = match kernel.machine.language {
            Language::C => format!("f{index}_{}", identifier(&func.name)),
            Language::Rust => format!("f{index}_{}", snake(&func.name)),
        };
        if public.contains(&name) { format!("f{index}") } else { name }
    };
    let funcs = module.funcs.iter().enumerate();
    funcs
        .map(|(index, func)| reachable[index].then(|| Signature::new(func, &kernel.machine, name(index, func))))
        .collect()
}

fn function(
    context: &mut Context,
    kernel: &Kernel,
    (id, func): (FuncId, &Func),
    attribute: &str,
) -> Result<String, Refusal> {
    let is_entry = id == context.module.entry;
    let own = context.signatures[id.index()].clone().expect("only reachable functions are written");
    let slots = slot_names(kernel, func, is_entry);
    let text = body::body(context, func, &slots, &own)?;
    let language = kernel.machine.language;
    if !is_entry && language.is_rust() {
        let inline = if func.inline == Some(true) { "#[inline]\n" } else { "" };
        return Ok(format!("{inline}{attribute}{} {{\n{text}}}\n\n", own.declaration()));
    }
    if !is_entry {
        // A C compiler may still inline what `_no_inline` keeps apart here.
        let storage = if func.inline == Some(true) { "static inline" } else { "static" };
        return Ok(format!("{storage} {}\n{{\n{text}}}\n\n", own.declaration()));
    }
    let mut unused = String::new();
    for port in kernel.inputs.iter().filter(|port| !text.contains(&format!("{}[", port.argument()))) {
        let _ = writeln!(unused, "    {}", language.unused(&port.argument()));
    }
    if language.is_rust() {
        return Ok(format!("{} {{\n{unused}{text}}}\n\n", in_rust::sliced_heading(kernel, attribute)));
    }
    Ok(format!("SEPARATE {}\n{{\n{unused}{text}}}\n\n", header::sliced_prototype(kernel)))
}

/// Names of the elements of each slot.
fn slot_names(kernel: &Kernel, func: &Func, is_entry: bool) -> Vec<SlotName> {
    let parameters = if is_entry { kernel.slot_parameters(func) } else { vec![None; func.slots.len()] };
    let taken: Vec<String> = kernel.ports().map(Port::argument).collect();
    let slots = func.slots.iter().zip(parameters).enumerate();
    slots
        .map(|(index, (slot, parameter))| {
            parameter.unwrap_or_else(|| {
                let is_constant = matches!(slot.kind, SlotKind::Constants(_));
                let prefix = if is_constant { "c" } else { "s" };
                if kernel.machine.language.is_rust() {
                    let name = format!("{prefix}{index}_{}", snake(&slot.name));
                    return (if is_constant { name.to_ascii_uppercase() } else { name }, 0);
                }
                let name = format!("{prefix}{index}_{}", identifier(&slot.name));
                (if taken.contains(&name) { format!("{prefix}{index}") } else { name }, 0)
            })
        })
        .collect()
}

/// The functions `run` and `blocks`.
fn on_bytes(kernel: &Kernel) -> String {
    let (x, m) = (&kernel.prefix, kernel.macro_prefix());
    let t = kernel.machine.register();
    let scratch = kernel.ports().map(|port| packing::scratch(kernel, port)).max().unwrap_or(0);
    let mut out = String::from("/* The registers of one call. */\nstruct buffers {\n");
    for port in kernel.ports() {
        let _ = writeln!(out, "    {t} {}[{}];", port.argument(), kernel.macro_name(port, "REGISTERS"));
    }
    if scratch > 0 {
        let _ = writeln!(out, "    {t} scratch[{scratch}];");
    }
    out.push_str("};\n\n");

    let arguments: Vec<String> = kernel
        .ports()
        .filter(|port| !port.shared())
        .map(|port| format!("{}uint8_t *{}", if port.is_result { "" } else { "const " }, port.argument()))
        .collect();
    let _ = writeln!(out, "/* {m}INSTANCES blocks; shared parameters are packed already. */");
    let _ = writeln!(out, "static void batch(struct buffers *work, {})\n{{", arguments.join(", "));
    for port in kernel.inputs.iter().filter(|port| !port.shared()) {
        let (name, scratch) = packing_call(kernel, port);
        let _ = writeln!(out, "    {name}(work->{p}, {p}{scratch});", p = port.argument());
    }
    let work: Vec<String> = kernel.ports().map(|port| format!("work->{}", port.argument())).collect();
    let _ = writeln!(out, "    {x}_sliced({});", work.join(", "));
    for port in &kernel.outputs {
        let (name, scratch) = packing_call(kernel, port);
        let _ = writeln!(out, "    {name}({p}, work->{p}{scratch});", p = port.argument());
    }
    out.push_str("}\n\n");
    out.push_str(&run(kernel));

    let all: Vec<String> = kernel.ports().map(Port::argument).collect();
    let _ =
        writeln!(out, "{}\n{{\n    {x}_run({}, {m}INSTANCES);\n}}", header::blocks_prototype(kernel), all.join(", "));
    out
}

/// The packing function to call where `work` has scratch memory, and its last argument.
fn packing_call(kernel: &Kernel, port: &Port) -> (String, &'static str) {
    match packing::with_scratch(kernel, port) {
        Some((name, _)) => (name, ", work->scratch"),
        None => (kernel.pack_name(port), ""),
    }
}

fn run(kernel: &Kernel) -> String {
    let m = kernel.macro_prefix();
    let own: Vec<&Port> = kernel.ports().filter(|port| !port.shared()).collect();
    let size = |port: &Port| kernel.macro_name(port, "BYTES");
    let mut out = format!("{}\n{{\n    struct buffers work;\n", header::run_prototype(kernel));
    for port in kernel.inputs.iter().filter(|port| port.shared()) {
        let _ = writeln!(out, "    {}(work.{p}, {p});", kernel.pack_name(port), p = port.argument());
    }
    let _ = writeln!(out, "    while (blocks >= {m}INSTANCES) {{");
    let arguments: Vec<String> = own.iter().map(|port| port.argument()).collect();
    let _ = writeln!(out, "        batch(&work, {});", arguments.join(", "));
    for port in &own {
        let _ = writeln!(out, "        {} += (size_t){m}INSTANCES * {};", port.argument(), size(port));
    }
    let _ = writeln!(out, "        blocks -= {m}INSTANCES;");
    for name in arguments.iter().map(String::as_str).chain(["blocks"]) {
        let _ = writeln!(out, "        OPAQUE({name});");
    }
    out.push_str("    }\n    if (blocks > 0) {\n");
    for port in &own {
        let _ = writeln!(out, "        uint8_t {}_tail[{m}INSTANCES * {}];", port.argument(), size(port));
    }
    for port in own.iter().filter(|port| !port.is_result) {
        let (p, size) = (port.argument(), size(port));
        let _ = writeln!(out, "        copy({p}_tail, {p}, blocks * {size});");
        let _ = writeln!(out, "        erase({p}_tail + blocks * {size}, ({m}INSTANCES - blocks) * {size});");
    }
    let tails: Vec<String> = own.iter().map(|port| format!("{}_tail", port.argument())).collect();
    let _ = writeln!(out, "        batch(&work, {});", tails.join(", "));
    for port in &kernel.outputs {
        let (p, size) = (port.argument(), size(port));
        let _ = writeln!(out, "        copy({p}, {p}_tail, blocks * {size});");
    }
    for port in &own {
        let _ = writeln!(out, "        erase({p}_tail, sizeof {p}_tail);", p = port.argument());
    }
    out.push_str("    }\n    erase(&work, sizeof work);\n}\n\n");
    out
}

/// A theorem about a function is of use in its caller only if a call is a call. An induction follows a loop only if
/// nothing about the loop's end is computed ahead.
const SEPARATE: &str =
    "/* A call stays a call, and a variable of a loop is computed in each turn: so that what is proved about a function
   serves its callers. */
";

/// Definition of `SEPARATE`: functions with it are called.
pub(crate) const SEPARATE_CALLS: &str = "\
#if defined(__clang__)
#define SEPARATE __attribute__((noinline))
#elif defined(__GNUC__) && __GNUC__ >= 8
#define SEPARATE __attribute__((noipa))
#else
#define SEPARATE
#endif
";

const OPAQUE: &str = "\
#if defined(__GNUC__)
#define OPAQUE(variable) __asm__(\"\" : \"+r\"(variable))
#else
#define OPAQUE(variable) (void)(variable)
#endif

";

const MEMORY: &str = "SEPARATE static void copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

/* Overwrites memory in a way that compilers keep. */
SEPARATE static void erase(void *memory, size_t size)
{
#if defined(__GNUC__)
    memset(memory, 0, size);
    __asm__ __volatile__(\"\" : : \"r\"(memory) : \"memory\");
#else
    volatile uint8_t *byte = memory;
    while (size-- > 0)
        *byte++ = 0;
#endif
}

";
