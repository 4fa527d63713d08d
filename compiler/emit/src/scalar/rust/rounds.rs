//! Registers of words side by side, alone and in fours, and instructions of whole rounds: functions of each target's own, made of `core::arch`.

use culet_ir::Target;
use culet_types::program::{Family, Instruction};

use super::super::graph::{Kind, Ty};
use super::super::syntax::{ATOM, Text};
use super::registers::{Function, OF_ONE, OF_TWO, Registers};

/// The registers for instructions of a target; none if there are no instructions.
pub(crate) fn rounds(target: Target, instructions: &[Instruction]) -> Option<&'static Registers> {
    let has = |family| usize::from(instructions.iter().any(|instruction| instruction.family() == family));
    let number = has(Family::Aes) + 2 * has(Family::Products) + 4 * has(Family::Sha);
    match target {
        _ if number == 0 => None,
        Target::Neon => Some(&OF_AARCH64[number]),
        _ if target.has_rounds_in_lanes() => Some(&IN_FOURS),
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
    Registers {
        architecture: "x86_64",
        features,
        ty: "__m128i",
        names: ["_mm", "si128", "i32"],
        functions: &[ANY, X86],
    }
}

const fn neon(features: &'static [&'static str]) -> Registers {
    Registers { architecture: "aarch64", features, ty: "uint64x2_t", names: ["", "", "i32"], functions: &[ANY, ARM] }
}

static IN_FOURS: Registers = Registers {
    functions: &[ANY, X86, FOURS],
    ..x86(&["avx512f", "avx512bw", "avx512vl", "avx512dq", "aes", "pclmulqdq", "vaes", "vpclmulqdq"])
};

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
    ("aesenc", OF_TWO, "_mm_aesenc_si128(a, b)"),
    ("aesenclast", OF_TWO, "_mm_aesenclast_si128(a, b)"),
    ("aesdec", OF_TWO, "_mm_aesdec_si128(a, b)"),
    ("aesdeclast", OF_TWO, "_mm_aesdeclast_si128(a, b)"),
    ("aesimc", OF_ONE, "_mm_aesimc_si128(a)"),
    ("pclmullqlqdq", OF_TWO, "_mm_clmulepi64_si128::<0>(a, b)"),
    ("pclmullqhqdq", OF_TWO, "_mm_clmulepi64_si128::<0x10>(a, b)"),
    ("pclmulhqhqdq", OF_TWO, "_mm_clmulepi64_si128::<0x11>(a, b)"),
    ("sha256rnds2", OF_THREE, "_mm_sha256rnds2_epu32(a, b, c)"),
    ("sha256msg1", OF_TWO, "_mm_sha256msg1_epu32(a, b)"),
    ("sha256msg2", OF_TWO, "_mm_sha256msg2_epu32(a, b)"),
    ("register", "(low: u64, high: u64) -> REGISTER", "_mm_set_epi64x(high as i64, low as i64)"),
    ("piece_8", "<const PLACE: i32>(a: REGISTER) -> u8", "_mm_extract_epi8::<PLACE>(a) as u8"),
    ("piece_16", "<const PLACE: i32>(a: REGISTER) -> u16", "_mm_extract_epi16::<PLACE>(a) as u16"),
    ("piece_32", "<const PLACE: i32>(a: REGISTER) -> u32", "_mm_extract_epi32::<PLACE>(a) as u32"),
    ("piece_64", "<const PLACE: i32>(a: REGISTER) -> u64", "_mm_extract_epi64::<PLACE>(a) as u64"),
    ("add_lanes_8", OF_TWO, "_mm_add_epi8(a, b)"),
    ("add_lanes_16", OF_TWO, "_mm_add_epi16(a, b)"),
    ("add_lanes_32", OF_TWO, "_mm_add_epi32(a, b)"),
    ("add_lanes_64", OF_TWO, "_mm_add_epi64(a, b)"),
    ("xor_pairs", OF_TWO, "_mm_xor_si128(a, b)"),
    ("and_pairs", OF_TWO, "_mm_and_si128(a, b)"),
    ("or_pairs", OF_TWO, "_mm_or_si128(a, b)"),
    ("shuffle_one", SHUFFLE_ONE, "_mm_shuffle_epi8(a, together_8(order))"),
];

/// The type of four registers side by side.
pub(crate) const QUAD: &str = "__m512i";

const FOUR_OF_TWO: &str = "(a: __m512i, b: __m512i) -> __m512i";

/// On four registers at once. All bytes that are read and written are there.
const FOURS: &[Function] = &[
    ("aesenc_x4", FOUR_OF_TWO, "_mm512_aesenc_epi128(a, b)"),
    ("aesenclast_x4", FOUR_OF_TWO, "_mm512_aesenclast_epi128(a, b)"),
    ("aesdec_x4", FOUR_OF_TWO, "_mm512_aesdec_epi128(a, b)"),
    ("aesdeclast_x4", FOUR_OF_TWO, "_mm512_aesdeclast_epi128(a, b)"),
    ("pclmullqlqdq_x4", FOUR_OF_TWO, "_mm512_clmulepi64_epi128::<0>(a, b)"),
    ("pclmullqhqdq_x4", FOUR_OF_TWO, "_mm512_clmulepi64_epi128::<0x10>(a, b)"),
    ("pclmulhqhqdq_x4", FOUR_OF_TWO, "_mm512_clmulepi64_epi128::<0x11>(a, b)"),
    ("copied_x4", "(a: REGISTER) -> __m512i", "_mm512_broadcast_i32x4(a)"),
    (
        "together_x4",
        "(a: REGISTER, b: REGISTER, c: REGISTER, d: REGISTER) -> __m512i",
        "let [low, high] = [_mm256_set_m128i(b, a), _mm256_set_m128i(d, c)];\n\
         _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)",
    ),
    ("block_x4", "<const PLACE: i32>(a: __m512i) -> REGISTER", "_mm512_extracti32x4_epi32::<PLACE>(a)"),
    ("xor_x4", FOUR_OF_TWO, "_mm512_xor_si512(a, b)"),
    ("and_x4", FOUR_OF_TWO, "_mm512_and_si512(a, b)"),
    ("or_x4", FOUR_OF_TWO, "_mm512_or_si512(a, b)"),
    ("add_lanes_8_x4", FOUR_OF_TWO, "_mm512_add_epi8(a, b)"),
    ("add_lanes_16_x4", FOUR_OF_TWO, "_mm512_add_epi16(a, b)"),
    ("add_lanes_32_x4", FOUR_OF_TWO, "_mm512_add_epi32(a, b)"),
    ("add_lanes_64_x4", FOUR_OF_TWO, "_mm512_add_epi64(a, b)"),
    ("shuffle_x4", "(a: __m512i, order: [u8; 16]) -> __m512i", "_mm512_shuffle_epi8(a, copied_x4(together_8(order)))"),
    (
        "load_512",
        "(bytes: &[u8], at: usize) -> __m512i",
        "let [a, b, c, d, e, f, g, h] = [0, 8, 16, 24, 32, 40, 48, 56].map(|byte| load_64(bytes, at + byte) as i64);\n\
         _mm512_set_epi64(h, g, f, e, d, c, b, a)",
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
    ("of_bytes", "(a: uint8x16_t) -> REGISTER", "vreinterpretq_u64_u8(a)"),
    ("bytes_of", "(a: REGISTER) -> uint8x16_t", "vreinterpretq_u8_u64(a)"),
    ("aesenc", OF_TWO, "veorq_u64(of_bytes(vaesmcq_u8(vaeseq_u8(bytes_of(a), vdupq_n_u8(0)))), b)"),
    ("aesenclast", OF_TWO, "veorq_u64(of_bytes(vaeseq_u8(bytes_of(a), vdupq_n_u8(0))), b)"),
    ("aesdec", OF_TWO, "veorq_u64(of_bytes(vaesimcq_u8(vaesdq_u8(bytes_of(a), vdupq_n_u8(0)))), b)"),
    ("aesdeclast", OF_TWO, "veorq_u64(of_bytes(vaesdq_u8(bytes_of(a), vdupq_n_u8(0))), b)"),
    ("aesimc", OF_ONE, "of_bytes(vaesimcq_u8(bytes_of(a)))"),
    ("pclmullqlqdq", OF_TWO, "vreinterpretq_u64_p128(vmull_p64(piece_64::<0>(a), piece_64::<0>(b)))"),
    ("pclmullqhqdq", OF_TWO, "vreinterpretq_u64_p128(vmull_p64(piece_64::<0>(a), piece_64::<1>(b)))"),
    (
        "pclmulhqhqdq",
        OF_TWO,
        "vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)))",
    ),
    ("of_words", "(a: uint32x4_t) -> REGISTER", "vreinterpretq_u64_u32(a)"),
    ("words_of", "(a: REGISTER) -> uint32x4_t", "vreinterpretq_u32_u64(a)"),
    ("sha256h", OF_THREE, "of_words(vsha256hq_u32(words_of(a), words_of(b), words_of(c)))"),
    ("sha256h2", OF_THREE, "of_words(vsha256h2q_u32(words_of(a), words_of(b), words_of(c)))"),
    ("sha256msg1", OF_TWO, "of_words(vsha256su0q_u32(words_of(a), words_of(b)))"),
    ("sha256su1", OF_THREE, "of_words(vsha256su1q_u32(words_of(a), words_of(b), words_of(c)))"),
    ("register", "(low: u64, high: u64) -> REGISTER", "vcombine_u64(vcreate_u64(low), vcreate_u64(high))"),
    ("piece_8", "<const PLACE: i32>(a: REGISTER) -> u8", "vgetq_lane_u8::<PLACE>(bytes_of(a))"),
    ("piece_16", "<const PLACE: i32>(a: REGISTER) -> u16", "vgetq_lane_u16::<PLACE>(vreinterpretq_u16_u64(a))"),
    ("piece_32", "<const PLACE: i32>(a: REGISTER) -> u32", "vgetq_lane_u32::<PLACE>(words_of(a))"),
    ("piece_64", "<const PLACE: i32>(a: REGISTER) -> u64", "vgetq_lane_u64::<PLACE>(a)"),
    ("add_lanes_8", OF_TWO, "of_bytes(vaddq_u8(bytes_of(a), bytes_of(b)))"),
    ("add_lanes_16", OF_TWO, "vreinterpretq_u64_u16(vaddq_u16(vreinterpretq_u16_u64(a), vreinterpretq_u16_u64(b)))"),
    ("add_lanes_32", OF_TWO, "of_words(vaddq_u32(words_of(a), words_of(b)))"),
    ("add_lanes_64", OF_TWO, "vaddq_u64(a, b)"),
    ("xor_pairs", OF_TWO, "veorq_u64(a, b)"),
    ("and_pairs", OF_TWO, "vandq_u64(a, b)"),
    ("or_pairs", OF_TWO, "vorrq_u64(a, b)"),
    ("shuffle_one", SHUFFLE_ONE, "of_bytes(vqtbl1q_u8(bytes_of(a), bytes_of(together_8(order))))"),
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
