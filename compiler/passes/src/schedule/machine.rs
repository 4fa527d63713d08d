//! Costs of operations on a target: the time until the result, and the number of a kind that can start in one cycle.

use culet_ir::{Op, Target, Type};

/// Operations that compete for the same ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Logic,
    Shift,
    Add,
    Multiply,
    Shuffle,
    Load,
    Store,
    /// Calls and loops.
    Control,
}

pub(super) const CLASSES: usize = 8;

/// Instructions that leave the front end in one cycle.
pub(super) const ISSUE: u32 = 6;
/// Instructions in flight at once.
pub(super) const WINDOW: usize = 224;

/// Instructions of each class that can start in one cycle.
pub(super) fn ports(target: Target) -> [u32; CLASSES] {
    //  Logic Shift Add Multiply Shuffle Load Store Control
    match target {
        Target::C32 | Target::C64 => [4, 2, 4, 1, 1, 3, 2, 1],
        Target::Sse | Target::SseSha | Target::Avx2 => [3, 2, 3, 2, 1, 3, 1, 1],
        Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes => [2, 1, 2, 1, 1, 2, 1, 1],
        Target::Neon => [2, 1, 2, 1, 2, 2, 1, 1],
        Target::Vsx => [2, 2, 2, 1, 1, 2, 1, 1],
    }
}

/// Ports by class as [`ports`] has them, for predictions. These are compared with measurements on a Zen, which has four ports for vectors.
pub(super) fn predicted_ports(target: Target) -> [u32; CLASSES] {
    match target {
        Target::Sse | Target::SseSha | Target::Avx2 => [4, 2, 4, 2, 2, 3, 1, 1],
        _ => ports(target),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    pub class: Class,
    /// Cycles from the start to the result.
    pub latency: u32,
    /// Number of machine instructions, all counted as instructions of the class.
    pub count: u32,
}

/// The cost of an operation on operands of this type.
pub(super) fn cost(op: &Op, ty: Type, target: Target) -> Cost {
    use Class::*;
    let vector = target.is_vector();
    // Shifts of lanes of every width, bytes too, and a choice between bits in one instruction.
    let regular = matches!(target, Target::Neon | Target::Vsx);
    let new = |class, latency, count| Cost { class, latency, count };
    match op {
        Op::Const(_) | Op::And | Op::Or | Op::Xor | Op::Andn | Op::Not | Op::Spread => new(Logic, 1, 1),
        Op::Tern(_) if target.has_ternary_logic() => new(Logic, 1, 1),
        Op::Tern(_) => new(Logic, 3, 4),
        Op::Select if regular => new(Logic, 1, 1),
        // Select on masks is and, andn, or.
        Op::Select => new(Logic, 2, 3),
        Op::Add | Op::Sub => new(Add, 1, 1),
        Op::AddC | Op::SubB => new(Add, 2, 3),
        Op::Mul => new(Multiply, if vector { 10 } else { 3 }, if vector { 2 } else { 1 }),
        Op::ClMul | Op::Mul32 | Op::Mac52Lo | Op::Mac52Hi => new(Multiply, 4, 1),
        Op::MulHi | Op::MulWide => new(Multiply, 5, 2),
        // No vector shifts of bytes: a wider one, and a mask.
        Op::Shl(_) | Op::Shr(_) if vector && !regular && ty.bits() == 8 => new(Shift, 2, 2),
        Op::Sar(_) if vector && !regular && ty.bits() == 8 => new(Shift, 4, 4),
        Op::Shl(_) | Op::Shr(_) | Op::Sar(_) => new(Shift, 1, 1),
        Op::Rotl(amount) => match target {
            Target::C32 | Target::C64 | Target::Vsx => new(Shift, 1, 1),
            Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes if ty.bits() >= 32 => new(Shift, 1, 1),
            _ if amount % 8 == 0 => new(Shuffle, 1, 1),
            // A shift, then a shift that inserts.
            Target::Neon => new(Shift, 2, 2),
            _ => new(Shift, 2, 3),
        },
        Op::Extract(_) => new(Shift, 1, 1),
        Op::Tail { .. } | Op::Length { .. } | Op::StoreTail { .. } => new(Shuffle, 10, 20),
        Op::Funnel(_) | Op::Concat => new(Shift, 2, 3),
        Op::Perm(_) | Op::Lane(_) | Op::Blend(_) => new(Shuffle, 1, 1),
        Op::Join => new(Shuffle, 4, 8),
        // About the cost of a product of five limbs; before limbs are chosen, only the order of magnitude matters.
        Op::Field(_) => new(Multiply, 40, 25),
        Op::Load { .. } => new(Load, 5, 1),
        Op::Store { .. } => new(Store, 1, 1),
        Op::Call(_) => new(Control, 20, 4),
        Op::Loop(_) => new(Control, 100, 4),
    }
}
