//! Instructions of processors that a node can stand for: `_instruction(aesenc)`. Their operands and results are registers of 128 bits.

/// An instruction, or a few of them that are one operation on every processor that has them. The names are those of x86-64 and,
/// where x86-64 has no such instruction, of AArch64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Instruction {
    /// `state, key`: a round of AES.
    AesEnc,
    /// `state, key`: the last round of AES.
    AesEncLast,
    /// `state, key`: a round of the inverse of AES in its equivalent form.
    AesDec,
    /// `state, key`: the last round of that.
    AesDecLast,
    /// `key`: InvMixColumns.
    AesImc,
    /// `a, b`: the product without carries of the low words of 64 bits.
    ClmulLowLow,
    /// `a, b`: the product without carries of the low word of the first and the high word of the second.
    ClmulLowHigh,
    /// `a, b`: the product without carries of the high words.
    ClmulHighHigh,
    /// `cdgh, abef, words`: two rounds of SHA-256. Of the words, to which the round's constants are added, two count.
    Sha256Rnds2,
    /// `w0, w4`: four words of the message schedule, and σ0 of those one place further.
    Sha256Msg1,
    /// `sums, w12`: four words of the message schedule from sums that lack σ1.
    Sha256Msg2,
    /// `abcd, efgh, words`: a, b, c and d after four rounds of SHA-256. The rounds' constants are added to the words.
    Sha256H,
    /// `efgh, abcd, words`: e, f, g and h after four rounds.
    Sha256H2,
    /// `sums, w8, w12`: four words of the message schedule from sums that lack the words seven places before, and σ1.
    Sha256Su1,
}

/// Instructions that processors have together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Aes,
    /// Products without carries.
    Products,
    Sha,
}

impl Instruction {
    pub const ALL: [Instruction; 14] = [
        Instruction::AesEnc,
        Instruction::AesEncLast,
        Instruction::AesDec,
        Instruction::AesDecLast,
        Instruction::AesImc,
        Instruction::ClmulLowLow,
        Instruction::ClmulLowHigh,
        Instruction::ClmulHighHigh,
        Instruction::Sha256Rnds2,
        Instruction::Sha256Msg1,
        Instruction::Sha256Msg2,
        Instruction::Sha256H,
        Instruction::Sha256H2,
        Instruction::Sha256Su1,
    ];

    /// Bits of each operand and of the result.
    pub const BITS: u32 = 128;

    pub fn name(self) -> &'static str {
        match self {
            Instruction::AesEnc => "aesenc",
            Instruction::AesEncLast => "aesenclast",
            Instruction::AesDec => "aesdec",
            Instruction::AesDecLast => "aesdeclast",
            Instruction::AesImc => "aesimc",
            Instruction::ClmulLowLow => "pclmullqlqdq",
            Instruction::ClmulLowHigh => "pclmullqhqdq",
            Instruction::ClmulHighHigh => "pclmulhqhqdq",
            Instruction::Sha256Rnds2 => "sha256rnds2",
            Instruction::Sha256Msg1 => "sha256msg1",
            Instruction::Sha256Msg2 => "sha256msg2",
            Instruction::Sha256H => "sha256h",
            Instruction::Sha256H2 => "sha256h2",
            Instruction::Sha256Su1 => "sha256su1",
        }
    }

    pub fn find(name: &str) -> Option<Instruction> {
        Self::ALL.into_iter().find(|instruction| instruction.name() == name)
    }

    pub fn operands(self) -> usize {
        match self {
            Instruction::AesImc => 1,
            Instruction::Sha256Rnds2 | Instruction::Sha256H | Instruction::Sha256H2 | Instruction::Sha256Su1 => 3,
            _ => 2,
        }
    }

    /// The kind of algorithm that the instruction is made for.
    pub fn family(self) -> Family {
        match self {
            Instruction::AesEnc
            | Instruction::AesEncLast
            | Instruction::AesDec
            | Instruction::AesDecLast
            | Instruction::AesImc => Family::Aes,
            Instruction::ClmulLowLow | Instruction::ClmulLowHigh | Instruction::ClmulHighHigh => Family::Products,
            _ => Family::Sha,
        }
    }
}
