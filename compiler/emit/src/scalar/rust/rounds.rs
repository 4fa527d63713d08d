//! Registers of words side by side, alone and in fours, and instructions of whole rounds: functions of each target's own, made of the steps of `isa`.

use culet_ir::Target;
use culet_types::program::{Family, Instruction};

use super::super::graph::{Kind, Ty};
use super::super::syntax::{ATOM, Text};
use super::registers::{Function, OF_ONE, OF_TWO, Registers};
use crate::isa::rounds::round;
use crate::isa::steps::Steps;
use crate::language::Language;

/// The registers for instructions of a target; none if there are no instructions, or none in stable Rust.
pub(crate) fn rounds(target: Target, instructions: &[Instruction]) -> Option<&'static Registers> {
    let has = |family| usize::from(instructions.iter().any(|instruction| instruction.family() == family));
    let number = has(Family::Aes) + 2 * has(Family::Products) + 4 * has(Family::Sha);
    match target {
        _ if instructions.is_empty() => None,
        Target::Vsx => None,
        Target::Neon => Some(&OF_AARCH64[number]),
        _ if target.has_rounds_in_lanes() => Some(&IN_FOURS[has(Family::Bytes)]),
        _ => Some(&OF_X86_64[number]),
    }
}

/// By the families of instructions: 1 for AES, plus 2 for products; 4 for SHA, whose target has no others.
static OF_X86_64: [Registers; 5] = [
    x86(&["avx2"]),
    x86(&["avx2", "aes"]),
    x86(&["avx2", "pclmulqdq"]),
    x86(&["avx2", "aes", "pclmulqdq"]),
    x86(&["sse4.1", "sha"]),
];

/// By the families, with 4 added for SHA. Products are AES's.
static OF_AARCH64: [Registers; 8] = [
    neon(&["neon"]),
    neon(&["neon", "aes"]),
    neon(&["neon", "aes"]),
    neon(&["neon", "aes"]),
    neon(&["neon", "sha2"]),
    neon(&["neon", "aes", "sha2"]),
    neon(&["neon", "aes", "sha2"]),
    neon(&["neon", "aes", "sha2"]),
];

const fn x86(features: &'static [&'static str]) -> Registers {
    Registers { architecture: "x86_64", features, ty: "__m128i", steps: Steps::of_x86(128), functions: &[ANY, X86] }
}

const fn neon(features: &'static [&'static str]) -> Registers {
    Registers { architecture: "aarch64", features, ty: "uint64x2_t", steps: Steps::of_arm(), functions: &[ANY, ARM] }
}

/// Without operations on bytes and with them.
static IN_FOURS: [Registers; 2] = [
    in_fours(&["avx512f", "avx512bw", "avx512vl", "avx512dq", "aes", "pclmulqdq", "vaes", "vpclmulqdq"]),
    in_fours(&["avx512f", "avx512bw", "avx512vl", "avx512dq", "aes", "pclmulqdq", "vaes", "vpclmulqdq", "gfni"]),
];

const fn in_fours(features: &'static [&'static str]) -> Registers {
    Registers { functions: &[ANY, X86, FOURS], ..x86(features) }
}

/// The body of an instruction's function, which [`Registers::round`] gives.
pub(super) const ROUND: &str = "@round";

/// The end of the names of functions on four registers.
const X4: &str = "_x4";

impl Registers {
    /// The body of the function of this name, if it is an instruction's.
    pub(super) fn round(&self, name: &str) -> String {
        let (name, steps) = match name.strip_suffix(X4) {
            Some(name) => (name, Steps::of_x86(512)),
            None => (name, self.steps),
        };
        Instruction::find(name).map_or_else(String::new, |instruction| round(instruction, steps, Language::Rust))
    }
}

const OF_THREE: &str = "(a: REGISTER, b: REGISTER, c: REGISTER) -> REGISTER";
const SHUFFLE_ONE: &str = "(a: REGISTER, order: [u8; 16]) -> REGISTER";

/// All bytes that are read and written are there.
const ANY: &[Function] = &[
    ("together_8", "(bytes: [u8; 16]) -> REGISTER", "register(load_64(&bytes, 0), load_64(&bytes, 8))"),
    (
        "together_16",
        "(words: [u16; 8]) -> REGISTER",
        "let [a, b, c, d, e, f, g, h] = words.map(|word| word as u64);\n\
         register(a | b << 16 | c << 32 | d << 48, e | f << 16 | g << 32 | h << 48)",
    ),
    (
        "together_32",
        "(words: [u32; 4]) -> REGISTER",
        "let [a, b, c, d] = words.map(|word| word as u64);\nregister(a | b << 32, c | d << 32)",
    ),
    ("together_64", "(words: [u64; 2]) -> REGISTER", "register(words[0], words[1])"),
    (
        "shuffle_two",
        "(a: REGISTER, first: [u8; 16], b: REGISTER, second: [u8; 16]) -> REGISTER",
        "or_pairs(shuffle_one(a, first), shuffle_one(b, second))",
    ),
    ("load_128", "(bytes: &[u8], at: usize) -> REGISTER", "register(load_64(bytes, at), load_64(bytes, at + 8))"),
    (
        "store_128",
        "(bytes: &mut [u8], at: usize, a: REGISTER)",
        "store_64(bytes, at, piece_64::<0>(a));\nstore_64(bytes, at + 8, piece_64::<1>(a));",
    ),
];

const X86: &[Function] = &[
    ("aesenc", OF_TWO, ROUND),
    ("aesenclast", OF_TWO, ROUND),
    ("aesdec", OF_TWO, ROUND),
    ("aesdeclast", OF_TWO, ROUND),
    ("aesimc", OF_ONE, ROUND),
    ("aeskeygenassist", OF_ONE, ROUND),
    ("pclmullqlqdq", OF_TWO, ROUND),
    ("pclmullqhqdq", OF_TWO, ROUND),
    ("pclmulhqhqdq", OF_TWO, ROUND),
    ("gf2p8affineqb", OF_TWO, ROUND),
    ("gf2p8affineinvqb", OF_TWO, ROUND),
    ("gf2p8mulb", OF_TWO, ROUND),
    ("sha256rnds2", OF_THREE, ROUND),
    ("sha256msg1", OF_TWO, ROUND),
    ("sha256msg2", OF_TWO, ROUND),
    ("register", "(low: u64, high: u64) -> REGISTER", "@set(high as i64, low as i64)"),
    ("piece_8", "<const PLACE: i32>(a: REGISTER) -> u8", "@word8::<PLACE>(a) as u8"),
    ("piece_16", "<const PLACE: i32>(a: REGISTER) -> u16", "@word16::<PLACE>(a) as u16"),
    ("piece_32", "<const PLACE: i32>(a: REGISTER) -> u32", "@word32::<PLACE>(a) as u32"),
    ("piece_64", "<const PLACE: i32>(a: REGISTER) -> u64", "@word64::<PLACE>(a) as u64"),
    ("add_lanes_8", OF_TWO, "@add8(a, b)"),
    ("add_lanes_16", OF_TWO, "@add16(a, b)"),
    ("add_lanes_32", OF_TWO, "@add32(a, b)"),
    ("add_lanes_64", OF_TWO, "@add64(a, b)"),
    ("xor_pairs", OF_TWO, "@xor(a, b)"),
    ("and_pairs", OF_TWO, "@and(a, b)"),
    ("or_pairs", OF_TWO, "@or(a, b)"),
    ("shuffle_one", SHUFFLE_ONE, "@shuffle8(a, together_8(order))"),
];

/// The type of four registers side by side.
pub(crate) const QUAD: &str = "__m512i";

const FOUR_OF_TWO: &str = "(a: __m512i, b: __m512i) -> __m512i";

/// On four registers at once. All bytes that are read and written are there.
const FOURS: &[Function] = &[
    ("aesenc_x4", FOUR_OF_TWO, ROUND),
    ("aesenclast_x4", FOUR_OF_TWO, ROUND),
    ("aesdec_x4", FOUR_OF_TWO, ROUND),
    ("aesdeclast_x4", FOUR_OF_TWO, ROUND),
    ("pclmullqlqdq_x4", FOUR_OF_TWO, ROUND),
    ("pclmullqhqdq_x4", FOUR_OF_TWO, ROUND),
    ("pclmulhqhqdq_x4", FOUR_OF_TWO, ROUND),
    ("gf2p8affineqb_x4", FOUR_OF_TWO, ROUND),
    ("gf2p8affineinvqb_x4", FOUR_OF_TWO, ROUND),
    ("gf2p8mulb_x4", FOUR_OF_TWO, ROUND),
    ("copied_x4", "(a: REGISTER) -> __m512i", "@whole.all_parts(a)"),
    (
        "together_x4",
        "(a: REGISTER, b: REGISTER, c: REGISTER, d: REGISTER) -> __m512i",
        "let [low, high] = [@half.of_parts(b, a), @half.of_parts(d, c)];\n\
         @whole.with_half::<1>(@whole.of_first_half(low), high)",
    ),
    ("block_x4", "<const PLACE: i32>(a: __m512i) -> REGISTER", "@whole.part32::<PLACE>(a)"),
    ("xor_x4", FOUR_OF_TWO, "@whole.xor(a, b)"),
    ("and_x4", FOUR_OF_TWO, "@whole.and(a, b)"),
    ("or_x4", FOUR_OF_TWO, "@whole.or(a, b)"),
    ("add_lanes_8_x4", FOUR_OF_TWO, "@whole.add8(a, b)"),
    ("add_lanes_16_x4", FOUR_OF_TWO, "@whole.add16(a, b)"),
    ("add_lanes_32_x4", FOUR_OF_TWO, "@whole.add32(a, b)"),
    ("add_lanes_64_x4", FOUR_OF_TWO, "@whole.add64(a, b)"),
    ("shuffle_x4", "(a: __m512i, order: [u8; 16]) -> __m512i", "@whole.shuffle8(a, copied_x4(together_8(order)))"),
    (
        "load_512",
        "(bytes: &[u8], at: usize) -> __m512i",
        "let [a, b, c, d, e, f, g, h] = [0, 8, 16, 24, 32, 40, 48, 56].map(|byte| load_64(bytes, at + byte) as i64);\n\
         @whole.set(h, g, f, e, d, c, b, a)",
    ),
    (
        "store_512",
        "(bytes: &mut [u8], at: usize, a: __m512i)",
        "store_128(bytes, at, block_x4::<0>(a));\n\
         store_128(bytes, at + 16, block_x4::<1>(a));\n\
         store_128(bytes, at + 32, block_x4::<2>(a));\n\
         store_128(bytes, at + 48, block_x4::<3>(a));",
    ),
];

/// The instructions of AES add the key first, where x86-64 adds it last.
const ARM: &[Function] = &[
    ("of_bytes", "(a: uint8x16_t) -> REGISTER", "@cast_u64_u8(a)"),
    ("bytes_of", "(a: REGISTER) -> uint8x16_t", "@cast_u8_u64(a)"),
    ("aesenc", OF_TWO, ROUND),
    ("aesenclast", OF_TWO, ROUND),
    ("aesdec", OF_TWO, ROUND),
    ("aesdeclast", OF_TWO, ROUND),
    ("aesimc", OF_ONE, ROUND),
    ("aeskeygenassist", OF_ONE, ROUND),
    ("pclmullqlqdq", OF_TWO, ROUND),
    ("pclmullqhqdq", OF_TWO, ROUND),
    ("pclmulhqhqdq", OF_TWO, ROUND),
    ("of_words", "(a: uint32x4_t) -> REGISTER", "@cast_u64_u32(a)"),
    ("words_of", "(a: REGISTER) -> uint32x4_t", "@cast_u32_u64(a)"),
    ("sha256h", OF_THREE, ROUND),
    ("sha256h2", OF_THREE, ROUND),
    ("sha256msg1", OF_TWO, ROUND),
    ("sha256su1", OF_THREE, ROUND),
    ("register", "(low: u64, high: u64) -> REGISTER", "@of_halves(@half(low), @half(high))"),
    ("piece_8", "<const PLACE: i32>(a: REGISTER) -> u8", "@word8::<PLACE>(bytes_of(a))"),
    ("piece_16", "<const PLACE: i32>(a: REGISTER) -> u16", "@word16::<PLACE>(@cast_u16_u64(a))"),
    ("piece_32", "<const PLACE: i32>(a: REGISTER) -> u32", "@word32::<PLACE>(words_of(a))"),
    ("piece_64", "<const PLACE: i32>(a: REGISTER) -> u64", "@word64::<PLACE>(a)"),
    ("add_lanes_8", OF_TWO, "of_bytes(@add8(bytes_of(a), bytes_of(b)))"),
    ("add_lanes_16", OF_TWO, "@cast_u64_u16(@add16(@cast_u16_u64(a), @cast_u16_u64(b)))"),
    ("add_lanes_32", OF_TWO, "of_words(@add32(words_of(a), words_of(b)))"),
    ("add_lanes_64", OF_TWO, "@add64(a, b)"),
    ("xor_pairs", OF_TWO, "@xor(a, b)"),
    ("and_pairs", OF_TWO, "@and(a, b)"),
    ("or_pairs", OF_TWO, "@or(a, b)"),
    ("shuffle_one", SHUFFLE_ONE, "of_bytes(@shuffle8(bytes_of(a), bytes_of(together_8(order))))"),
];

/// A register of this value.
pub(crate) fn literal(value: u128) -> Text {
    Text::atom(format!("register({:#x}, {:#x})", value as u64, (value >> 64) as u64))
}

/// Four registers of this value.
pub(crate) fn four_of(value: u128) -> Text {
    Text::new(format!("copied_x4({})", literal(value).text), ATOM)
}

/// An operation on registers, or on four at once; none for operations that plain words have.
pub(crate) fn operation(kind: &Kind, ty: Ty, args: &[Text]) -> Option<Text> {
    if ty == Ty::Quad || matches!(kind, Kind::Together(128) | Kind::Copied) {
        return operation_on_four(kind, args);
    }
    let list = || args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(", ");
    let call = |name: String| Text::new(format!("{name}({})", list()), ATOM);
    Some(match kind {
        Kind::Round(instruction) => call(instruction.name().to_owned()),
        Kind::Piece(bits, place) => call(format!("piece_{bits}::<{place}>")),
        Kind::Together(bits) => Text::new(format!("together_{bits}([{}])", list()), ATOM),
        Kind::AddLanes(bits) => call(format!("add_lanes_{bits}")),
        Kind::Xor => call("xor_pairs".to_owned()),
        Kind::And => call("and_pairs".to_owned()),
        Kind::Or => call("or_pairs".to_owned()),
        Kind::Shuffle(pattern) => shuffle(pattern, args),
        _ => return None,
    })
}

fn operation_on_four(kind: &Kind, args: &[Text]) -> Option<Text> {
    let list = || args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(", ");
    let call = |name: &str| Text::new(format!("{name}({})", list()), ATOM);
    Some(match kind {
        Kind::Round(instruction) => call(&format!("{}_x4", instruction.name())),
        Kind::Copied => call("copied_x4"),
        Kind::Together(_) => call("together_x4"),
        Kind::Block(place) => call(&format!("block_x4::<{place}>")),
        Kind::AddLanes(bits) => call(&format!("add_lanes_{bits}_x4")),
        Kind::Xor => call("xor_x4"),
        Kind::And => call("and_x4"),
        Kind::Or => call("or_x4"),
        Kind::Shuffle(pattern) => {
            let places = pattern.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
            Text::new(format!("shuffle_x4({}, [{places}])", args[0].text), ATOM)
        }
        _ => return None,
    })
}

/// Places in one register, where 128 stands for a zero.
fn shuffle(pattern: &[u8], args: &[Text]) -> Text {
    let of = |number: u8| {
        let places = pattern.iter().map(|&from| if from / 16 == number { from % 16 } else { 128 }.to_string());
        format!("{}, [{}]", args[usize::from(number)].text, places.collect::<Vec<_>>().join(", "))
    };
    Text::new(
        match args.len() {
            1 => format!("shuffle_one({})", of(0)),
            _ => format!("shuffle_two({}, {})", of(0), of(1)),
        },
        ATOM,
    )
}
