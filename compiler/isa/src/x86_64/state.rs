//! The registers.

use super::Flags;

/// All registers that instructions of the table read and write, except the instruction pointer.
#[derive(Debug, Clone)]
pub struct State<W> {
    /// 64 bits each, in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8–r15.
    pub general: [W; 16],
    /// 512 bits each; xmm and ymm registers are their low parts.
    pub vectors: [W; 32],
    /// k0–k7, 64 bits each.
    pub masks: [W; 8],
    pub flags: Flags<W>,
}
