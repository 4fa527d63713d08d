//! All kernels of a primitive in one C file, for several targets, with one function for each of its operations: it
//! calls the kernel for the widest registers that the CPU has.
//!
//! The file needs no flags of its own. The kernels of a target stand between pragmas that enable its instructions.

use std::fmt::Write;

use culet_ir::Target;

use crate::Interface;
use crate::header::{feature_macros, features, included, made_by, required};
use crate::names::{comment, prefix};

/// An operation of a primitive, such as the encryption of blocks.
pub struct Operation<'a> {
    /// The end of its function's name.
    pub name: &'static str,
    /// A sentence about the function.
    pub about: String,
    /// Whether a call computes one instance, instead of any number.
    pub is_for_one: bool,
    /// Its kernels, each for another target.
    pub kernels: Vec<KernelText<'a>>,
}

/// A kernel on slices.
pub struct KernelText<'a> {
    pub target: Target,
    /// The name of its files.
    pub name: String,
    pub source: &'a str,
    pub header: &'a str,
    pub interface: &'a Interface,
    /// The kernel's slicing in words.
    pub slicing: String,
}

/// The two files `NAME.c` and `NAME.h`.
pub struct CipherFiles {
    pub source: String,
    pub header: String,
}

/// Writes the files of a primitive. Every operation has a kernel on plain words. `title` says what the primitive is.
pub fn emit_cipher(name: &str, title: &str, command: &str, operations: &[Operation<'_>]) -> CipherFiles {
    let file = File { name, prefix: prefix(name), operations };
    CipherFiles { source: file.source(command), header: file.header(title, command) }
}

struct File<'a> {
    name: &'a str,
    prefix: String,
    operations: &'a [Operation<'a>],
}

impl File<'_> {
    /// The targets with vectors, the widest first.
    fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for kernel in self.operations.iter().flat_map(|operation| &operation.kernels) {
            if kernel.target.is_vector() && !targets.contains(&kernel.target) {
                targets.push(kernel.target);
            }
        }
        targets.sort_by_key(|target| std::cmp::Reverse((target.register_bits(), target.has_mac52())));
        targets
    }

    fn source(&self, command: &str) -> String {
        let mut out = format!("/* {}\n */\n#include \"{}.h\"\n\n#include <string.h>\n", made_by(command), self.name);
        let targets = self.targets();
        if targets.iter().any(|target| target.architecture() == Some("x86_64")) {
            let _ = write!(out, "#if {X86}\n{}#endif\n", included("immintrin.h"));
        }
        for target in targets.iter().rev() {
            let _ = write!(out, "\n#if {}\n{}", condition(*target), enabled(*target));
            self.kernels(*target, &mut out);
            let _ = writeln!(out, "{}#endif", disabled(*target));
        }
        for target in [Target::C32, Target::C64] {
            self.kernels(target, &mut out);
        }
        for &target in targets.iter().filter(|target| target.architecture() == Some("x86_64")) {
            let features = features(target);
            let asked: Vec<String> =
                features.iter().map(|name| format!("__builtin_cpu_supports(\"{name}\")")).collect();
            let _ = writeln!(
                out,
                "\n#if {X86}\nstatic int {}(void)\n{{\n    __builtin_cpu_init();\n    return {};\n}}\n#endif",
                self.asks(target),
                asked.join(" && ")
            );
        }
        let _ = writeln!(out, "\nconst char *{}_target(void)\n{{", self.prefix);
        let plain = self.operations[0].kernels.iter().find(|kernel| !kernel.target.is_vector());
        self.choices(&targets, &mut out, &|target| vec![format!("return \"{}\";", target.name())]);
        let _ = writeln!(out, "    return \"{}\";\n}}", plain.map_or(Target::C64, |kernel| kernel.target).name());
        for operation in self.operations {
            let _ = writeln!(out, "\n{}\n{{", self.prototype(operation));
            let of_target = |target| operation.kernels.iter().find(|kernel| kernel.target == target);
            let arguments: Vec<String> =
                operation.interface().arguments.iter().map(|argument| argument.parameter.clone()).collect();
            let blocks = if operation.is_for_one { "1" } else { "blocks" };
            let call =
                |kernel: &KernelText<'_>| format!("{}({}, {blocks});", kernel.interface.run, arguments.join(", "));
            let own: Vec<Target> = targets.iter().copied().filter(|target| of_target(*target).is_some()).collect();
            self.choices(&own, &mut out, &|target| {
                of_target(target).map(call).into_iter().chain(["return;".to_owned()]).collect()
            });
            let plain = operation.kernels.iter().find(|kernel| !kernel.target.is_vector());
            let _ = writeln!(out, "    {}\n}}", plain.map_or_else(String::new, call));
        }
        out
    }

    /// The kernels of a target, each with its header.
    fn kernels(&self, target: Target, out: &mut String) {
        for kernel in self.operations.iter().flat_map(|operation| &operation.kernels) {
            if kernel.target == target {
                let include = format!("#include \"{}.h\"\n", kernel.name);
                let text = kernel.source.replacen(&include, kernel.header, 1).replacen(&required(target), "", 1);
                out.push('\n');
                out.push_str(&text);
            }
        }
    }

    /// Writes what `choice` says of the first target that the CPU has, and its end.
    fn choices(&self, targets: &[Target], out: &mut String, choice: &dyn Fn(Target) -> Vec<String>) {
        for &target in targets {
            let _ = writeln!(out, "#if {}", condition(target));
            // Whoever may use another architecture's instructions at compile time has them at run time.
            let is_asked = target.architecture() == Some("x86_64");
            let indent = if is_asked { "        " } else { "    " };
            if is_asked {
                let _ = writeln!(out, "    if ({}()) {{", self.asks(target));
            }
            for line in choice(target) {
                let _ = writeln!(out, "{indent}{line}");
            }
            let _ = writeln!(out, "{}#endif", if is_asked { "    }\n" } else { "" });
        }
    }

    /// The name of the function that says whether the CPU has a target's instructions.
    fn asks(&self, target: Target) -> String {
        format!("{}_cpu_has_{}", self.prefix, target.name())
    }

    fn prototype(&self, operation: &Operation<'_>) -> String {
        let mut parameters: Vec<String> = operation
            .interface()
            .arguments
            .iter()
            .map(|own| format!("{}uint8_t *{}", if own.is_result { "" } else { "const " }, own.parameter))
            .collect();
        if !operation.is_for_one {
            parameters.push("size_t blocks".to_owned());
        }
        format!("void {}_{}({})", self.prefix, operation.name, parameters.join(", "))
    }

    fn header(&self, title: &str, command: &str) -> String {
        let capitals = crate::names::capitals(&self.prefix);
        let mut out = format!("/* {}\n *\n * {}\n *\n", made_by(command), comment(title));
        out.push_str(ABOUT);
        let _ = writeln!(
            out,
            " *\n * The kernels, each of which `culet prove OBJECT --source PROGRAM --name KERNEL` proves:"
        );
        for kernel in self.operations.iter().flat_map(|operation| &operation.kernels) {
            let instances = kernel.interface.instances;
            let _ = writeln!(out, " *   {}: {}, {instances} a call", kernel.name, comment(&kernel.slicing));
        }
        let _ = writeln!(
            out,
            " */\n#ifndef {capitals}_H\n#define {capitals}_H\n\n#include <stddef.h>\n#include <stdint.h>\n"
        );
        let mut sizes: Vec<(String, u64)> = Vec::new();
        for argument in self.operations.iter().flat_map(|operation| &operation.interface().arguments) {
            let size = format!("{capitals}_{}_BYTES", crate::names::identifier(&argument.name).to_ascii_uppercase());
            if !sizes.iter().any(|(name, _)| *name == size) {
                sizes.push((size, argument.bytes));
            }
        }
        for (size, bytes) in sizes {
            let _ = writeln!(out, "#define {size} {bytes}");
        }
        out.push_str("\n#if defined(__cplusplus)\nextern \"C\" {\n#endif\n");
        for operation in self.operations {
            let _ = writeln!(out, "\n/* {} */\n{};", comment(&operation.about), self.prototype(operation));
        }
        let _ = writeln!(
            out,
            "\n/* The target whose kernels are called on this CPU. */\nconst char *{}_target(void);",
            self.prefix
        );
        out.push_str("\n#if defined(__cplusplus)\n}\n#endif\n\n#endif\n");
        out
    }
}

impl Operation<'_> {
    /// Kernels of one operation have the same arguments.
    fn interface(&self) -> &Interface {
        self.kernels[0].interface
    }
}

/// The end of the comment at the header's top.
const ABOUT: &str =
    " * Compile with gcc or clang; no flags are needed. Each call takes the widest registers that the CPU has.
 *
 * Aliasing: a result may be exactly the memory of a block that is encrypted or decrypted; apart from that, results
 * overlap nothing. Alignment: none.
 * Constant time: no branch and no address depends on data. This is by construction of the C text; what C compilers
 * make of it is tested, and proved where `culet prove` says so.
 * Erasure: all functions erase their buffers before they return; what a C compiler spills to the stack is out of
 * reach of C.
";

const X86: &str = "defined(__x86_64__) && defined(__GNUC__)";

/// The condition of the preprocessor under which a compiler can make a target's code.
fn condition(target: Target) -> String {
    match target.architecture() {
        Some("x86_64") => X86.to_owned(),
        _ => feature_macros(target).iter().map(|name| format!("defined({name})")).collect::<Vec<String>>().join(" && "),
    }
}

/// The pragmas that enable a target's instructions. Other architectures than x86-64 have theirs by flags.
fn enabled(target: Target) -> String {
    if target.architecture() != Some("x86_64") {
        return String::new();
    }
    let features = features(target).join(",");
    format!(
        "#if defined(__clang__)\n\
         #pragma clang attribute push(__attribute__((target(\"{features}\"))), apply_to = function)\n\
         #else\n#pragma GCC push_options\n#pragma GCC target(\"{features}\")\n#endif\n"
    )
}

fn disabled(target: Target) -> &'static str {
    if target.architecture() != Some("x86_64") {
        return "";
    }
    "\n#if defined(__clang__)\n#pragma clang attribute pop\n#else\n#pragma GCC pop_options\n#endif\n"
}
