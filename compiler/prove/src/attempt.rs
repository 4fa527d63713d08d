//! Attempts to prove something about a function, under assumptions about the call.

use crate::execute::Frame;
use crate::rejection::Rejection;
use crate::theorem::{Limits, Proved};

/// Tries a function under the alignment of the stack pointer that the ABI promises; if that is too little, under each
/// finer alignment by itself.
pub(crate) fn in_every_phase(
    limits: &Limits,
    mut attempt: impl FnMut(&Frame) -> Result<Proved, Rejection>,
) -> Result<Proved, Rejection> {
    // The System V ABI promises 16-byte alignment before the return address is pushed.
    let mut attempts = |alignment: u64| {
        let phases = (8..alignment as i64).step_by(16);
        let frame = |phase| Frame {
            phase,
            stack_alignment: alignment,
            stack: limits.stack,
            steps: limits.instructions,
            gates: limits.budget.gates,
        };
        phases.map(|phase| attempt(&frame(phase))).collect::<Result<Vec<_>, _>>()
    };
    let mut proofs = attempts(16);
    for alignment in [32, 64] {
        // A stack pointer that the function aligns itself is known only if its alignment at the entry is.
        if proofs.as_ref().is_err_and(Rejection::is_unknown_address) {
            proofs = attempts(alignment);
        }
    }
    let proofs = proofs?;
    let mut proved = proofs[0].clone();
    proved.phases = proofs.len();
    for proof in &proofs[1..] {
        proved.add(proof);
    }
    Ok(proved)
}
