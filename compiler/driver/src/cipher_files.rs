//! All kernels of a described primitive as one C file: encryption, decryption and the key schedule, or the stream, for
//! several targets.

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_emit::{CipherFiles, KernelText, Operation, emit_cipher};
use culet_ir::Target;
use culet_types::program::Slicing;

use crate::kernel::Kernel;
use crate::load::Source;
use crate::options::{Options, slicing_name};
use crate::primitive::Primitive;
use crate::program::elaborate;
use crate::route::Route;

/// A primitive, and the targets and names for its kernels.
pub struct CipherRequest<'a> {
    pub source: &'a Source,
    pub primitive: &'a Primitive,
    /// The name of the files, with which all names in them begin.
    pub name: &'a str,
    pub targets: &'a [Target],
    /// The slicing of blocks, if it is not the first that the description allows and a target has.
    pub slicing: Option<Slicing>,
    /// The command that makes the files.
    pub command: &'a str,
}

/// An operation and its kernels.
struct Compiled {
    name: &'static str,
    about: String,
    is_for_one: bool,
    kernels: Vec<Kernel>,
}

/// Compiles every operation of a primitive for each target, and for words of 64 bits, which any CPU has. The text says the targets
/// and their slicings.
///
/// # Errors
///
/// Those of the program, E0830 for a slicing that the description does not allow, E0831 for a program that computes one
/// instance at a time.
pub fn compile_cipher(request: &CipherRequest<'_>) -> Result<(CipherFiles, String), Diagnostics> {
    let mut targets = request.targets.to_vec();
    if targets.iter().all(|target| target.is_vector()) {
        targets.push(Target::C64);
    }
    let mut operations = Vec::new();
    for (name, node, about, is_for_one) in wanted(request.primitive) {
        check_route(request, node)?;
        let mut kernels = Vec::new();
        for &target in if is_for_one { &[Target::C64][..] } else { &targets } {
            let slicings = slicings(request, is_for_one, target)?;
            kernels.push(first_kernel(request, (name, node), target, is_for_one, &slicings)?);
        }
        operations.push(Compiled { name, about, is_for_one, kernels });
    }
    let texts = operations.iter().map(texts).collect::<Result<Vec<Operation<'_>>, Diagnostics>>()?;
    let title = format!("{} ({})", request.primitive.name, request.primitive.specification);
    Ok((emit_cipher(request.name, &title, request.command, &texts), choices(&operations)))
}

/// The targets of a cipher's files with the slicing that each has: `c64 (v), avx2 (h)`.
fn choices(operations: &[Compiled]) -> String {
    let of_blocks = operations.iter().find(|operation| !operation.is_for_one);
    let kernels = of_blocks.into_iter().flat_map(|operation| &operation.kernels).map(Kernel::options);
    let texts = kernels.map(|options| {
        let slicing = options.slicing.map_or("as written", slicing_name);
        format!("{} ({slicing})", options.target.name())
    });
    texts.collect::<Vec<String>>().join(", ")
}

/// Refuses nodes that compute one instance at a time. The program's own errors come later.
fn check_route(request: &CipherRequest<'_>, node: Option<&str>) -> Result<(), Diagnostics> {
    let options = Options { node: node.map(str::to_owned), ..Options::new(Target::C64) }.in_any_direction();
    match elaborate(request.source, &options).0 {
        Some(program) if Route::of(&program) == Route::Words => {
            let Primitive { name, source, .. } = request.primitive;
            let message =
                format!("`{source}` computes one instance at a time: {name} has one kernel, not one for each target");
            let node = node.map_or_else(String::new, |node| format!(" --node {node}"));
            let note = format!(
                "words of one size with tables of bits, `S(x >> 3, x >> 2, x >> 1, x)` of `table S (x : b4)`, have kernels for many \
                 instances; or compile each node by itself: `culet compile \
                 {source}{node} --slice v --target c64 -o DIR`"
            );
            Err(Diagnostic::error_without_place(&world::E0831, message).note(note).into())
        }
        _ => Ok(()),
    }
}

/// The operations of a primitive: the name, the node, what it does, and whether a call computes one instance.
fn wanted(primitive: &Primitive) -> Vec<(&'static str, Option<&str>, String, bool)> {
    match (&primitive.block, &primitive.stream) {
        (Some(block), _) => {
            let nodes = [
                ("key_schedule", block.key_schedule.as_deref(), "The round keys of one key.", true),
                ("encrypt", Some(&*block.encrypt), "Encrypts blocks, each by itself.", false),
                ("decrypt", block.decrypt.as_deref(), "Decrypts blocks, each by itself.", false),
            ];
            let named = nodes.into_iter().filter(|(_, node, ..)| node.is_some());
            named.map(|(name, node, about, is_for_one)| (name, node, about.to_owned(), is_for_one)).collect()
        }
        (None, Some(stream)) => {
            let about = format!("Blocks of the stream, one for each value of `{}`.", stream.counter);
            vec![("stream", Some(&stream.node), about, false)]
        }
        (None, None) => vec![("run", None, "Computes the function on blocks, each by itself.".to_owned(), false)],
    }
}

/// The slicings to try, in order. What does not depend on the slicing's speed, and whatever no other slicing takes on a
/// target, may be bitsliced, since everything can be.
fn slicings(
    request: &CipherRequest<'_>,
    is_for_one: bool,
    target: Target,
) -> Result<Vec<(Slicing, Option<u32>)>, Diagnostics> {
    let bitslice = (Slicing::Bitslice, None);
    let error = |message: String, note: String| {
        Diagnostics::from(Diagnostic::error_without_place(&world::E0830, message).note(note))
    };
    let allowed = request.primitive.slicings();
    let mut tried = match request.slicing {
        Some(wanted) if !is_for_one => {
            let (of_it, others): (Vec<(Slicing, Option<u32>)>, Vec<_>) =
                allowed.iter().partition(|(own, _)| *own == wanted);
            if of_it.is_empty() {
                let name = &request.primitive.name;
                let names: Vec<&str> = allowed.iter().map(|(own, _)| slicing_name(*own)).collect();
                let message = format!("{name} is not meant for `--slice {}`", slicing_name(wanted));
                return Err(error(message, format!("its description allows {}", names.join(", "))));
            }
            if target.is_vector() {
                return Ok(of_it);
            }
            // Plain words have no horizontal kernels of many programs.
            [of_it, others].concat()
        }
        _ => allowed,
    };
    if !tried.contains(&bitslice) {
        tried.push(bitslice);
    }
    // One key at a time is expanded: the fewer instances a kernel computes, the better.
    if is_for_one {
        tried.sort_by_key(|(slicing, _)| *slicing == Slicing::Bitslice);
    }
    Ok(tried)
}

/// The kernel of the first slicing that has one.
fn first_kernel(
    request: &CipherRequest<'_>,
    (name, node): (&str, Option<&str>),
    target: Target,
    is_for_one: bool,
    slicings: &[(Slicing, Option<u32>)],
) -> Result<Kernel, Diagnostics> {
    let stem = format!("{}_{name}_{}", request.name, target.name());
    let mut first = None;
    let mut best: Option<Kernel> = None;
    for &(slicing, word) in slicings {
        let options = Options { node: node.map(str::to_owned), slicing: Some(slicing), word, ..Options::new(target) };
        match Kernel::of(request.source, &stem, &options, &Diagnostics::new()) {
            (Some(kernel), _) if !is_for_one => return Ok(kernel),
            (Some(kernel), _) => {
                if best.as_ref().is_none_or(|best| kernel.instances() < best.instances()) {
                    best = Some(kernel);
                }
            }
            (None, errors) => drop(first.get_or_insert(errors)),
        }
    }
    best.ok_or_else(|| first.unwrap_or_default())
}

fn texts(compiled: &Compiled) -> Result<Operation<'_>, Diagnostics> {
    let kernels = compiled.kernels.iter().map(|kernel| {
        Ok(KernelText {
            target: kernel.options().target,
            name: kernel.stem().to_owned(),
            source: kernel.text(),
            header: kernel.header(),
            interface: kernel.on_slices()?,
            slicing: format!("slicing {}", kernel.options().slicing.map_or("as written", slicing_name)),
        })
    });
    Ok(Operation {
        name: compiled.name,
        about: compiled.about.clone(),
        is_for_one: compiled.is_for_one,
        kernels: kernels.collect::<Result<Vec<KernelText<'_>>, Diagnostics>>()?,
    })
}
