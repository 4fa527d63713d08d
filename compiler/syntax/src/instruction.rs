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
    /// `key`: of the words 1 and 3, SubWord, and RotWord of that. The round's constant is zero: a program adds its own.
    AesKeyGenAssist,
    /// `a, b`: the product without carries of the low words of 64 bits.
    ClmulLowLow,
    /// `a, b`: the product without carries of the low word of the first and the high word of the second.
    ClmulLowHigh,
    /// `a, b`: the product without carries of the high words.
    ClmulHighHigh,
    /// `bytes, matrices`: each byte of a half times the half's matrix of bits, whose first row is its highest byte. The constant is zero.
    Gf2p8Affine,
    /// `bytes, matrices`: as above, of each byte's inverse in the field of AES.
    Gf2p8AffineInverse,
    /// `a, b`: products of bytes in the field of AES.
    Gf2p8Multiply,
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
    /// Operations on each byte in GF(2^8) and on its bits.
    Bytes,
    Sha,
}

/// The text to write in place of another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// The name of the same operation.
    Name(Instruction),
    /// There is no single one.
    Text(&'static str),
}

/// Names of other processors, and names that leave something open. An operation has one name here, from which the forms of all processors are made.
const OTHERS: [(&str, Instead); 16] = [
    (
        "aese",
        Instead::Text(
            "`aesenclast` of the sum of both operands, with a key of zeros; with `aesmc` behind it, `aesenc` of these",
        ),
    ),
    ("aesmc", Instead::Text("`aesenc`, which is `aese` and `aesmc`")),
    (
        "aesd",
        Instead::Text(
            "`aesdeclast` of the sum of both operands, with a key of zeros; with `aesimc` behind it, `aesdec` of these",
        ),
    ),
    ("pmull", Instead::Name(Instruction::ClmulLowLow)),
    ("pmull2", Instead::Name(Instruction::ClmulHighHigh)),
    ("sha256su0", Instead::Name(Instruction::Sha256Msg1)),
    ("vcipher", Instead::Name(Instruction::AesEnc)),
    ("vcipherlast", Instead::Name(Instruction::AesEncLast)),
    ("vncipher", Instead::Text("`aesdec`, with `aesimc` of the key")),
    ("vncipherlast", Instead::Name(Instruction::AesDecLast)),
    ("vsbox", Instead::Text("`aesenclast`, which moves the bytes, too, or `aeskeygenassist`")),
    ("vpmsumd", Instead::Text("the sum of `pclmullqlqdq` and `pclmulhqhqdq`")),
    ("vshasigmaw", Instead::Text("the rotations and the shift: it is a part of a round of SHA-256")),
    ("pclmulqdq", Instead::Text("`pclmullqlqdq`, `pclmullqhqdq` or `pclmulhqhqdq`, by the halves that are multiplied")),
    ("gf2p8affine", Instead::Name(Instruction::Gf2p8Affine)),
    ("gf2p8mul", Instead::Name(Instruction::Gf2p8Multiply)),
];

impl Instruction {
    pub const ALL: [Instruction; 18] = [
        Instruction::AesEnc,
        Instruction::AesEncLast,
        Instruction::AesDec,
        Instruction::AesDecLast,
        Instruction::AesImc,
        Instruction::AesKeyGenAssist,
        Instruction::ClmulLowLow,
        Instruction::ClmulLowHigh,
        Instruction::ClmulHighHigh,
        Instruction::Gf2p8Affine,
        Instruction::Gf2p8AffineInverse,
        Instruction::Gf2p8Multiply,
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
            Instruction::AesKeyGenAssist => "aeskeygenassist",
            Instruction::ClmulLowLow => "pclmullqlqdq",
            Instruction::ClmulLowHigh => "pclmullqhqdq",
            Instruction::ClmulHighHigh => "pclmulhqhqdq",
            Instruction::Gf2p8Affine => "gf2p8affineqb",
            Instruction::Gf2p8AffineInverse => "gf2p8affineinvqb",
            Instruction::Gf2p8Multiply => "gf2p8mulb",
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

    /// The text to write in place of a name that is none here, if it is known.
    pub fn instead_of(name: &str) -> Option<Instead> {
        OTHERS.iter().find(|(other, _)| *other == name).map(|(_, instead)| *instead)
    }

    pub fn operands(self) -> usize {
        match self {
            Instruction::AesImc | Instruction::AesKeyGenAssist => 1,
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
            | Instruction::AesImc
            | Instruction::AesKeyGenAssist => Family::Aes,
            Instruction::ClmulLowLow | Instruction::ClmulLowHigh | Instruction::ClmulHighHigh => Family::Products,
            Instruction::Gf2p8Affine | Instruction::Gf2p8AffineInverse | Instruction::Gf2p8Multiply => Family::Bytes,
            _ => Family::Sha,
        }
    }
}
