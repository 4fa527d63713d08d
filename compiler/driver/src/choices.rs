//! Choices that have no effect are errors: an option is given in the expectation that it does something.

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_meaning::layout::reachable;
use culet_passes::Ternary;
use culet_types::program::{Atom, Program, Slicing};

use crate::options::{Options, slicing_name};
use crate::route::Route;

/// Checks that `--slice` has an effect on this program: a direction that the source fixes stays as it is. A program
/// that computes one instance at a time is vertical, whether it has words or elements.
pub(crate) fn check_slicing(program: &Program, options: &Options) -> Result<(), Diagnostics> {
    match options.slicing {
        Some(Slicing::Vertical) if Route::of(program) == Route::Words => Ok(()),
        Some(slicing) if !has(program, |atom| atom.slicing == slicing) => {
            let entry = program.entry();
            let name = slicing_name(slicing);
            let message = format!("`{}` leaves no direction open that `--slice {name}` could set", entry.name);
            Err(Diagnostic::error(&world::E0830, entry.span, message)
                .note("leave `--slice` out, or write words without a direction, such as `u32`")
                .into())
        }
        _ => Ok(()),
    }
}

/// Checks that each choice can take effect on this program and target.
pub(crate) fn check(program: &Program, options: &Options) -> Result<(), Diagnostics> {
    let mut wrong = Diagnostics::new();
    let mut refuse = |message: String, note: &str| {
        wrong.push(Diagnostic::error_without_place(&world::E0830, message).note(note));
    };
    let target = options.target;
    let name = target.name();
    if options.packed && target.is_vector() {
        let note = "registers of vector targets always hold as many instances as fit: leave `--packed` out";
        refuse(format!("`--packed` is for plain words, not for the target `{name}`"), note);
    } else if options.packed && !has(program, |atom| atom.slicing == Slicing::Vertical && atom.bits > 1) {
        let note = "in the directions H and B, and for single bits, words always hold as many instances as fit: leave \
                    `--packed` out";
        refuse("`--packed` does nothing for a program without vertical words".into(), note);
    }
    if options.share_inverses {
        let message = "`--share-inverses` is for programs over fields".into();
        refuse(message, "a program without elements has no inverses: leave it out");
    }
    if options.fold_groups.is_some() {
        refuse("`--fold-groups` is for folds over elements of fields".into(), "leave it out: slices hold no elements");
    }
    if options.in_place {
        let message = "`--in-place` does nothing for a program without a result of any length".into();
        refuse(message, "leave it out: headers say which arguments may overlap");
    }
    if options.batch.is_some() {
        let note = "registers hold as many instances as fit: leave `--batch` out";
        refuse("`--batch` is for programs that compute one instance at a time".into(), note);
    }
    if !options.planes && target.is_vector() {
        let note = "the bits of an atom are together on plain words only: leave `--planes none` out";
        refuse(format!("`--planes none` is for plain words, not for the target `{name}`"), note);
    } else if !options.planes && !has(program, |atom| atom.slicing == Slicing::Bitslice) {
        let note = "compile bitsliced (`--slice b`), or leave `--planes none` out";
        refuse("`--planes none` does nothing for a program without bitsliced words".into(), note);
    }
    if options.ternary == Ternary::None && !target.has_ternary_logic() {
        let note = "only `avx512` and `avx512ifma` have it: leave `--ternary none` out";
        refuse(format!("`--ternary none` does nothing for the target `{name}`, which has no ternary logic"), note);
    }
    let widest = target.register_bits();
    let width = options.width.unwrap_or(widest);
    if width != widest && !(target.is_vector() && matches!(width, 128 | 256) && width < widest) {
        let note = "`--width 128` fits avx2, avx512 and avx512ifma, `--width 256` the latter two";
        refuse(format!("the target `{name}` has no registers of {width} bits"), note);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Whether some variable of the entry, or of a node that it reaches, has atoms for which `is_such` holds.
fn has(program: &Program, is_such: impl Fn(Atom) -> bool) -> bool {
    reachable(program).into_iter().any(|id| program.node(id).vars.iter().any(|var| is_such(var.ty.atom)))
}
