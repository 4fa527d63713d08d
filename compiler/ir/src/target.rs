//! Facts about the machines that code is generated for: passes choose by them, and `emit` writes with them.

use culet_types::field::{Field, FieldKind};
use culet_types::program::{Family, Instruction};

/// A family of C targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// Plain 32-bit words.
    C32,
    /// Plain 64-bit words.
    C64,
    /// SSSE3 and SSE4.1, 128-bit registers.
    Sse,
    /// SSE and the SHA extensions, whose instructions have no form of AVX: where a function has both, CPUs take many times as long
    /// as long as the upper halves of registers are in use.
    SseSha,
    /// 256-bit registers.
    Avx2,
    /// AVX-512 F, BW, VL, DQ; 512-bit registers.
    Avx512,
    /// AVX-512 with IFMA, too, which multiplies 52 bits by 52 in lanes of 64.
    Avx512Ifma,
    /// AVX-512 with IFMA, and with rounds of AES and products without carries on four blocks of 128 bits side by side: VAES and
    /// VPCLMULQDQ. Every CPU that has these and AVX-512 has IFMA.
    Avx512Vaes,
    /// AArch64's Advanced SIMD, little-endian; 128-bit registers.
    Neon,
    /// POWER8 and later, little-endian; 128-bit registers.
    Vsx,
}

impl Target {
    pub const ALL: [Target; 10] = [
        Target::C32,
        Target::C64,
        Target::Sse,
        Target::SseSha,
        Target::Avx2,
        Target::Avx512,
        Target::Avx512Ifma,
        Target::Avx512Vaes,
        Target::Neon,
        Target::Vsx,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Target::C32 => "c32",
            Target::C64 => "c64",
            Target::Sse => "sse",
            Target::SseSha => "ssesha",
            Target::Avx2 => "avx2",
            Target::Avx512 => "avx512",
            Target::Avx512Ifma => "avx512ifma",
            Target::Avx512Vaes => "avx512vaes",
            Target::Neon => "neon",
            Target::Vsx => "vsx",
        }
    }

    /// Targets whose kernels on slices differ from those of all others.
    pub fn for_slices() -> impl Iterator<Item = Target> {
        Self::ALL.into_iter().filter(|target| !target.has_mac52() && *target != Target::SseSha)
    }

    /// Targets that have code for a program that computes one instance at a time.
    pub fn for_words() -> impl Iterator<Item = Target> {
        Self::ALL.into_iter().filter(|target| target.element_lanes() > 1 || !target.is_vector())
    }

    pub fn find(name: &str) -> Option<Target> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Bits of a plain word of a program that computes one instance at a time.
    pub fn word_bits(self) -> u32 {
        if self == Target::C32 { 32 } else { 64 }
    }

    pub fn register_bits(self) -> u32 {
        match self {
            Target::C32 => 32,
            Target::C64 => 64,
            Target::Sse | Target::SseSha | Target::Neon | Target::Vsx => 128,
            Target::Avx2 => 256,
            Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes => 512,
        }
    }

    /// The architecture whose instructions it is made of, as the first part of a target triple; plain words fit any.
    pub fn architecture(self) -> Option<&'static str> {
        match self {
            Target::C32 | Target::C64 => None,
            Target::Sse | Target::SseSha | Target::Avx2 | Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes => {
                Some("x86_64")
            }
            Target::Neon => Some("aarch64"),
            Target::Vsx => Some("powerpc64le"),
        }
    }

    /// Registers that can hold values at once.
    pub fn registers(self) -> u32 {
        match self {
            Target::C32 | Target::C64 => 14,
            Target::Sse | Target::SseSha | Target::Avx2 => 16,
            Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes | Target::Neon => 32,
            Target::Vsx => 64,
        }
    }

    /// Whether any bitwise function of three operands is one instruction. NEON and POWER before 10 have some of them,
    /// which C compilers find.
    pub fn has_ternary_logic(self) -> bool {
        self.is_avx512()
    }

    /// Whether kernels on slices are those of AVX-512.
    pub fn is_avx512(self) -> bool {
        matches!(self, Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes)
    }

    /// Whether `mac52lo` and `mac52hi` are instructions.
    pub fn has_mac52(self) -> bool {
        matches!(self, Target::Avx512Ifma | Target::Avx512Vaes)
    }

    /// Whether instructions of rounds and products without carries work on four registers of 128 bits at once.
    pub fn has_rounds_in_lanes(self) -> bool {
        self == Target::Avx512Vaes
    }

    /// Whether `clmul` is an instruction: PCLMULQDQ, which every CPU with AVX2 has, PMULL, one of AArch64's
    /// instructions for cryptography, and VPMSUMD.
    pub fn has_clmul(self) -> bool {
        !matches!(self, Target::C32 | Target::C64 | Target::Sse | Target::SseSha)
    }

    /// Whether it has an instruction of a whole round or a product without carries. Every CPU with AVX2 has AES's and products. The target
    /// `neon` has all but those of x86-64.
    pub fn has(self, instruction: Instruction) -> bool {
        let of_aarch64 = [Instruction::Sha256H, Instruction::Sha256H2, Instruction::Sha256Su1];
        let of_x86_64 = [Instruction::Sha256Rnds2, Instruction::Sha256Msg2];
        match self {
            Target::C32 | Target::C64 | Target::Sse | Target::Vsx => false,
            Target::Avx2 | Target::Avx512 | Target::Avx512Ifma | Target::Avx512Vaes => {
                instruction.family() != Family::Sha
            }
            Target::SseSha => instruction.family() == Family::Sha && !of_aarch64.contains(&instruction),
            Target::Neon => !of_x86_64.contains(&instruction),
        }
    }

    /// Whether `a & !b` is one instruction: with x86-64-v3, on AArch64 and POWER, and on vectors; not on every 32-bit
    /// machine.
    pub fn has_andn(self) -> bool {
        self != Target::C32
    }

    /// Number of accumulators that are worth their powers in a fold over elements of a field, or over words, as
    /// measured on x86-64. A chain of products in limbs leaves half of the multiplier idle. Chains in words of 32 bits
    /// do not, nor do chains in full words, whose carries are most of the work, and chains of polynomials, which are
    /// many products.
    pub fn fold_lanes(self, field: Option<&Field>) -> u32 {
        match (self, field) {
            (Target::C32, _) => 1,
            (_, Some(field)) if matches!(field.kind, FieldKind::Binary(_)) => 1,
            (_, Some(field)) if field.has_full_words(64) || field.suits_full_words(64) => 1,
            _ => 2,
        }
    }

    /// Number of elements of a field side by side in a register, in words of 64 bits, if their products are
    /// instructions.
    pub fn element_lanes(self) -> u32 {
        match self {
            Target::C32 | Target::C64 | Target::Avx512 => 1,
            _ => self.register_bits() / 64,
        }
    }

    /// For a map over the blocks of a stream: the bits of the registers in which words of several blocks stand side by
    /// side, the widest first. Blocks that are too few for one width are left to the next, in the end to plain words.
    pub fn block_registers(self) -> &'static [u32] {
        match self {
            Target::C32 | Target::C64 | Target::Avx512 => &[],
            Target::Sse | Target::SseSha | Target::Neon | Target::Vsx => &[128],
            Target::Avx2 => &[256, 128],
            Target::Avx512Ifma | Target::Avx512Vaes => &[512, 256, 128],
        }
    }

    /// For a fold whose accumulators stand side by side: the number of vectors of blocks in a group, whose products are
    /// reduced together, and the number of groups that are worth their powers; as measured on x86-64.
    pub fn fold_vectors(self) -> (u32, u32) {
        match self {
            Target::Avx512Ifma | Target::Avx512Vaes => (2, 1),
            Target::Avx2 => (2, 2),
            _ => (3, 4),
        }
    }

    /// Number of blocks of a fold over elements of a field that are multiplied by as many powers and reduced together,
    /// if that is worth the powers.
    pub fn fold_blocks(self, field: &Field) -> u32 {
        if self.has_clmul() && matches!(field.kind, FieldKind::Binary(_)) { 8 } else { 1 }
    }

    pub fn is_vector(self) -> bool {
        self.register_bits() >= 128
    }
}
