//! The kind, the code and the remedy of each reason why a function is not proved.

use culet_diag::codes::proofs;
use culet_diag::{Code, Diagnostic};
use culet_prove::elements::Unequal;
use culet_prove::memory::{Fault, Instead};
use culet_prove::theorem::Rejection;
use culet_prove::violation::ViolationKind;

/// The rejection of a function as an error with code, reason and remedy. Its place is an address in machine code, not in a
/// text: [`Rejection::place`] has it.
pub fn diagnostic(rejection: &Rejection) -> Diagnostic {
    let Refusal { code, remedy, .. } = Refusal::of(rejection);
    Diagnostic::error_without_place(code, rejection.to_string()).note(remedy)
}

/// The error for two programs that are not proved equal.
pub fn unequal_diagnostic(unequal: &Unequal) -> Diagnostic {
    match unequal {
        Unequal::Different { result, .. } => {
            Diagnostic::error_without_place(&proofs::E0922, format!("they differ in `{result}`"))
                .note("the values show which program is wrong, or that they were never meant to compute the same")
        }
        Unequal::Open(why) => Diagnostic::error_without_place(&proofs::E0923, why.clone())
            .note("`--relation` says what the states of two loops have to do with one another"),
    }
}

/// The kind of a rejection's reason, in one word.
pub fn kind(rejection: &Rejection) -> &'static str {
    Refusal::of(rejection).kind
}

struct Refusal {
    kind: &'static str,
    code: &'static Code,
    remedy: &'static str,
}

impl Refusal {
    fn of(rejection: &Rejection) -> Refusal {
        let refusal = |kind, code, remedy| Refusal { kind, code, remedy };
        match rejection {
            Rejection::Violation { violation, inputs, .. } => match &violation.kind {
                ViolationKind::Memory(Fault::Unknown { .. }) if inputs.is_empty() => {
                    refusal("address", &proofs::E0913, UNDECLARED)
                }
                kind => Refusal::of_violation(kind),
            },
            Rejection::NoFunction(..) => refusal(
                "missing",
                &proofs::E0910,
                "`nm` lists the functions of a file, which lacks what is `static` and was put into its callers; `--symbol` gives the name of one, or `--name` that of a kernel compiled under it",
            ),
            Rejection::Left { .. } => refusal(
                "erasure",
                &proofs::E0921,
                "overwrite it before the return; C compilers do not, so that assembly or a function that clears the stack must",
            ),
            Rejection::Different { .. } | Rejection::False { .. } => refusal(
                "different",
                &proofs::E0922,
                "the values show where it goes wrong; if the function is right, the program, its options or the contract are wrong",
            ),
            Rejection::Undecided { .. } | Rejection::Open { .. } => refusal(
                "undecided",
                &proofs::E0923,
                "it may be right: try another level of optimisation or another compiler; long programs have proofs if they run on slices: \
                 keep words of one size, and read tables of bits, `S(x >> 3, x >> 2, x >> 1, x)` of `table S (x : b4)`; `culet prove --safe` \
                 proves constant time and memory safety alone",
            ),
            Rejection::Block { .. } => refusal(
                "block",
                &proofs::E0924,
                "see that each block of results is made of the same block of parameters",
            ),
            Rejection::Loop(_) => refusal(
                "loop",
                &proofs::E0925,
                "compile so that the loop keeps its iterations: `-O2` instead of `-O3`, or `-fno-unroll-loops`",
            ),
            Rejection::Unsupported(_) => {
                refusal("unsupported", &proofs::E0926, "SOUNDNESS.md lists what can be proved; test the rest")
            }
            Rejection::Callee(_) => {
                refusal("callee", &proofs::E0927, "the verdict on the function that is called says what to do first")
            }
            Rejection::OutOfTime { .. } => Refusal::of_time(),
        }
    }

    fn of_time() -> Refusal {
        let remedy =
            "`--time-limit` allows more; `culet prove` has `--cpu-limit`, too, and `--symbol` for one function alone";
        Refusal { kind: "limit", code: &proofs::E0928, remedy }
    }

    fn of_violation(kind: &ViolationKind) -> Refusal {
        let refusal = |kind, code, remedy| Refusal { kind, code, remedy };
        match kind {
            ViolationKind::Memory(fault) => Refusal::of_fault(fault),
            ViolationKind::NoCode(_) | ViolationKind::Decoders(_) => refusal(
                "code",
                &proofs::E0911,
                "see how control gets there: all that is executed must be instructions which nothing changes",
            ),
            ViolationKind::Unlinked(_) => refusal("relocation", &proofs::E0912, FINAL_LINK),
            ViolationKind::Branch(_) | ViolationKind::Told(_) | ViolationKind::Target(_) => refusal(
                "branch",
                &proofs::E0915,
                "choose by masks; where the source has no branch, another level of optimisation or compiler may make none",
            ),
            ViolationKind::VariableTime(_) => refusal(
                "time",
                &proofs::E0916,
                "compute it with operations whose time is known: sums, products, shifts and masks instead of divisions",
            ),
            ViolationKind::SegmentBase(_) => refusal(
                "unsupported",
                &proofs::E0917,
                "if it is a stack protector that reads there, compile with `-fno-stack-protector`",
            ),
            ViolationKind::Unsupported(_) => refusal(
                "unsupported",
                &proofs::E0917,
                "compile for fewer extensions or at another level of optimisation, so that it is not needed",
            ),
            ViolationKind::External(_) => {
                refusal("external", &proofs::E0918, "link the object that holds it to this one with `ld -r`")
            }
            ViolationKind::Endless(_) => {
                refusal("endless", &proofs::E0919, "if it ends at all, `--instructions` allows more")
            }
            ViolationKind::TooManyGates(_) => refusal(
                "endless",
                &proofs::E0919,
                "prove smaller functions by contracts of their own, and name these in `calls`",
            ),
            ViolationKind::OutOfTime => Refusal::of_time(),
            ViolationKind::Clobbered(_) => refusal(
                "abi",
                &proofs::E0920,
                "push it before it is overwritten and pop it before the return, or use a register that is not kept",
            ),
        }
    }

    fn of_fault(fault: &Fault) -> Refusal {
        let of_memory = |remedy| Refusal { kind: "memory", code: &proofs::E0914, remedy };
        match fault {
            Fault::Unknown { .. } => Refusal {
                kind: "address",
                code: &proofs::E0913,
                remedy: "read all of a table and choose by masks; `-fno-jump-tables` makes no tables of `switch`",
            },
            Fault::Unlinked(_) => Refusal { kind: "relocation", code: &proofs::E0912, remedy: FINAL_LINK },
            Fault::Overflow { .. } | Fault::Outside { is_below_stack: true, .. } => {
                of_memory("`--stack` allows more bytes of stack")
            }
            Fault::Outside { .. } | Fault::Beyond { .. } => {
                of_memory("keep every access within what it points to: only that is known to be memory")
            }
            Fault::ReadOnly { .. } => of_memory(
                "write results only: they have the direction `out` or `inout`; arguments stand in the order of the function's parameters",
            ),
            Fault::Misaligned { .. } => {
                of_memory("use an access that needs no alignment, or promise it: `align` in a contract")
            }
            Fault::NoConstants { instead: Instead::Chosen(_), .. } => {
                of_memory("link with `-Bsymbolic`, or prove the object")
            }
            Fault::NoConstants { .. } => of_memory(
                "functions of other files, and what they define, are followed only in one file: link objects with `ld -r`",
            ),
            Fault::Fixed { .. } => {
                of_memory("compile with `-fPIC`, or prove the program that is linked to its addresses")
            }
            Fault::WriteToImage { .. } => of_memory("keep what changes in arguments or on the stack, not in variables"),
            Fault::BelowStack { .. } | Fault::Lost { .. } => {
                of_memory("move the stack pointer below what is kept on the stack before it is used")
            }
            Fault::Overwritten { .. } => {
                of_memory("read all that is needed of an argument before the result in its place is written")
            }
        }
    }
}

const UNDECLARED: &str = "declare every parameter, in the order of the function's: only these are memory; code that `-fsanitize` or a profiler added to has other accesses";
const FINAL_LINK: &str = "the final link decides: prove the program or shared object that it makes";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_tells_reasons_apart_by_their_types() {
        let misleading =
            "`mov`: segments with a base have no meaning here, which the loader may take from another file";
        let violation = |kind| Refusal::of_violation(&kind).remedy;
        let plain = violation(ViolationKind::Unsupported(String::new()));
        assert_eq!(violation(ViolationKind::Unsupported(misleading.to_owned())), plain);
        assert_ne!(violation(ViolationKind::SegmentBase(String::new())), plain);
        let at = |instead| violation(ViolationKind::Memory(Fault::NoConstants { address: 1, bytes: 8, instead }));
        assert_eq!(at(Instead::External(misleading.to_owned())), at(Instead::Nothing));
        assert_ne!(at(Instead::Chosen("f".to_owned())), at(Instead::Nothing));
        let outside = |region: &str, is_below_stack| {
            let region = region.to_owned();
            violation(ViolationKind::Memory(Fault::Outside {
                region,
                is_below_stack,
                offset: -8,
                bytes: 8,
                extent: 0..8,
            }))
        };
        assert_eq!(outside("stack", false), outside("*a", false));
        assert_ne!(outside("stack", true), outside("stack", false));
    }

    #[test]
    fn every_reason_has_a_code_with_an_explanation_and_a_remedy() {
        let rejection = Rejection::Loop("no instruction is executed once in each iteration".to_owned());
        let diagnostic = diagnostic(&rejection);
        assert_eq!((diagnostic.code.id, diagnostic.message), ("E0925", rejection.to_string()));
        assert_eq!(diagnostic.notes.len(), 1);
        assert_eq!(culet_diag::codes::find("e0925"), Some(&proofs::E0925));
    }
}
