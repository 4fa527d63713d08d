//! Functions in Rust on registers whose lanes hold words of 8 to 64 bits, named after their shape: `add_u32x8`.
//!
//! A table has each function once for all shapes of an architecture, in words that stand for the shape's own.

use super::super::graph::{Shape, Ty};
use super::registers::{Function, Registers};

/// The beginnings of the functions' names.
const NAMES: [&str; 14] =
    ["add", "all", "and", "lane", "mul", "not", "or", "sar", "select", "set", "shl", "shr", "sub", "xor"];

/// Whether a function of this name may be defined for some shape.
pub(crate) fn defines(name: &str) -> bool {
    let of_shape = |shape: &str| name.strip_suffix(shape)?.strip_suffix('_');
    Shape::ALL.iter().filter_map(|(_, shape)| of_shape(shape)).any(|start| NAMES.contains(&start))
}

impl Registers {
    /// The type that holds words side by side.
    pub fn holding(&self, shape: Shape) -> &'static str {
        match (self.architecture, shape.register_bits(), shape.bits) {
            ("x86_64", 128, _) => "__m128i",
            ("x86_64", 256, _) => "__m256i",
            ("x86_64", ..) => "__m512i",
            (_, _, 8) => "uint8x16_t",
            (_, _, 16) => "uint16x8_t",
            (_, _, 32) => "uint32x4_t",
            _ => "uint64x2_t",
        }
    }
}

/// Functions on the shapes that a text names, with their names.
pub(crate) fn functions(registers: &Registers, text: &str) -> Vec<(String, String)> {
    let shapes = Shape::ALL.into_iter().filter(|(_, name)| text.contains(name));
    shapes.flat_map(|(shape, _)| of_shape(registers, shape)).collect()
}

const OF_WORD: &str = "(word: HELD) -> REGISTER";
const OF_ONE: &str = "(a: REGISTER) -> REGISTER";
const OF_TWO: &str = "(a: REGISTER, b: REGISTER) -> REGISTER";
const SHIFT: &str = "<const N: COUNT>(a: REGISTER) -> REGISTER";
const SELECT: &str = "(mask: REGISTER, then: REGISTER, otherwise: REGISTER) -> REGISTER";
const OF_WORDS: &str = "(words: [HELD; LANES]) -> REGISTER";
const LANE: &str = "<const LANE: i32>(a: REGISTER) -> HELD";

/// Functions of every shape.
const X86: &[Function] = &[
    ("add", OF_TWO, "MM_add_epiBITS(a, b)"),
    ("sub", OF_TWO, "MM_sub_epiBITS(a, b)"),
    ("and", OF_TWO, "MM_and_SI(a, b)"),
    ("or", OF_TWO, "MM_or_SI(a, b)"),
    ("xor", OF_TWO, "MM_xor_SI(a, b)"),
    ("not", OF_ONE, "xor_SHAPE(a, MM_set1_epi8(-1))"),
    ("select", SELECT, "or_SHAPE(and_SHAPE(mask, then), MM_andnot_SI(mask, otherwise))"),
    ("all", OF_WORD, "MM_set1_epiOFWORD(word as SIGNED)"),
    ("lane", LANE, "words_SHAPE(a)[LANE as usize]"),
];

/// Functions of shapes with lanes of 16 bits and more.
const X86_FROM_16: &[Function] =
    &[("shl", SHIFT, "MM_slli_epiBITS::<N>(a)"), ("shr", SHIFT, "MM_srli_epiBITS::<N>(a)")];

const X86_OF_8: &[Function] = &[
    ("shl", SHIFT, "MM_and_SI(MM_slli_epi16::<N>(a), MM_set1_epi8((0xffu8 << N) as i8))"),
    ("shr", SHIFT, "MM_and_SI(MM_srli_epi16::<N>(a), MM_set1_epi8((0xffu8 >> N) as i8))"),
];

const X86_OF_16_AND_32: &[Function] =
    &[("mul", OF_TWO, "MM_mullo_epiBITS(a, b)"), ("sar", SHIFT, "MM_srai_epiBITS::<N>(a)")];

/// The words of a register as words of 64 bits, and the register of such words.
const X86_128: &[Function] = &[
    ("halves", "(a: REGISTER) -> [u64; 2]", "[_mm_cvtsi128_si64(a) as u64, _mm_extract_epi64::<1>(a) as u64]"),
    ("of_halves", "(words: [u64; 2]) -> REGISTER", "_mm_set_epi64x(words[1] as i64, words[0] as i64)"),
];

const X86_256: &[Function] = &[
    (
        "halves",
        "(a: REGISTER) -> [u64; 4]",
        "[\n    _mm256_extract_epi64::<0>(a) as u64,\n    _mm256_extract_epi64::<1>(a) as u64,\n    \
         _mm256_extract_epi64::<2>(a) as u64,\n    _mm256_extract_epi64::<3>(a) as u64,\n]",
    ),
    (
        "of_halves",
        "(words: [u64; 4]) -> REGISTER",
        "let [a, b, c, d] = words.map(|word| word as i64);\n_mm256_set_epi64x(d, c, b, a)",
    ),
];

const X86_512: &[Function] = &[
    (
        "halves",
        "(a: REGISTER) -> [u64; 8]",
        "let [low, high] = [_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64::<1>(a)];\n[\n    \
         _mm256_extract_epi64::<0>(low) as u64,\n    _mm256_extract_epi64::<1>(low) as u64,\n    \
         _mm256_extract_epi64::<2>(low) as u64,\n    _mm256_extract_epi64::<3>(low) as u64,\n    \
         _mm256_extract_epi64::<0>(high) as u64,\n    _mm256_extract_epi64::<1>(high) as u64,\n    \
         _mm256_extract_epi64::<2>(high) as u64,\n    _mm256_extract_epi64::<3>(high) as u64,\n]",
    ),
    (
        "of_halves",
        "(words: [u64; 8]) -> REGISTER",
        "let [a, b, c, d, e, f, g, h] = words.map(|word| word as i64);\n_mm512_set_epi64(h, g, f, e, d, c, b, a)",
    ),
];

/// Words put together as words of 64 bits, and taken apart.
const X86_WORDS: &[Function] = &[("words", "(a: REGISTER) -> [HELD; LANES]", WORDS), ("set", OF_WORDS, SET)];

const WORDS: &str = "\
let mut words = [0; LANES];
for (to, half) in words.chunks_exact_mut(64 / BITS).zip(halves_SHAPE(a)) {
    for (word, shift) in to.iter_mut().zip((0..64).step_by(BITS)) {
        *word = (half >> shift) as HELD & ONES;
    }
}
words";

const SET: &str = "\
let mut halves = [0; LANES * BITS / 64];
for (half, words) in halves.iter_mut().zip(words.chunks_exact(64 / BITS)) {
    for (word, shift) in words.iter().zip((0..64).step_by(BITS)) {
        *half |= u64::from(*word) << shift;
    }
}
of_halves_SHAPE(halves)";

const NEON: &[Function] = &[
    ("add", OF_TWO, "vaddq_uBITS(a, b)"),
    ("sub", OF_TWO, "vsubq_uBITS(a, b)"),
    ("and", OF_TWO, "vandq_uBITS(a, b)"),
    ("or", OF_TWO, "vorrq_uBITS(a, b)"),
    ("xor", OF_TWO, "veorq_uBITS(a, b)"),
    ("not", OF_ONE, "veorq_uBITS(a, vdupq_n_uBITS(WORD::MAX))"),
    ("select", SELECT, "vbslq_uBITS(mask, then, otherwise)"),
    ("all", OF_WORD, "vdupq_n_uBITS(word as WORD)"),
    ("shl", SHIFT, "vshlq_n_uBITS::<N>(a)"),
    ("shr", SHIFT, "vshrq_n_uBITS::<N>(a)"),
    ("mul", OF_TWO, "vmulq_uBITS(a, b)"),
    ("sar", SHIFT, "vreinterpretq_uBITS_sBITS(vshrq_n_sBITS::<N>(vreinterpretq_sBITS_uBITS(a)))"),
    ("lane", LANE, "vgetq_lane_uBITS::<LANE>(a) as HELD"),
    ("set", OF_WORDS, SET),
    ("of_halves", "(words: [u64; 2]) -> REGISTER", "CAST(vcombine_u64(vcreate_u64(words[0]), vcreate_u64(words[1])))"),
];

fn of_shape(registers: &Registers, shape: Shape) -> Vec<(String, String)> {
    let tables: Vec<&[Function]> = match (registers.architecture, shape.bits) {
        ("x86_64", bits) => {
            let of_lanes: &[&[Function]] = match bits {
                8 => &[X86_OF_8],
                16 | 32 => &[X86_FROM_16, X86_OF_16_AND_32],
                _ => &[X86_FROM_16],
            };
            let of_register = match shape.register_bits() {
                128 => X86_128,
                256 => X86_256,
                _ => X86_512,
            };
            [&[X86, X86_WORDS, of_register], of_lanes].concat()
        }
        _ => vec![NEON],
    };
    let written = |(name, heading, body): &Function| {
        let name = format!("{name}_{}", shape.name());
        let text = format!(
            "#[inline]\n{}\nfn {name}{heading} {{\n    {}\n}}\n",
            registers.attribute(),
            body.replace('\n', "\n    ")
        );
        (name, in_shape(&text, registers, shape))
    };
    tables.into_iter().flatten().map(written).collect()
}

/// The text with the names of a shape.
fn in_shape(text: &str, registers: &Registers, shape: Shape) -> String {
    let (bits, register_bits) = (shape.bits, shape.register_bits());
    let mm = if register_bits == 128 { "_mm".to_owned() } else { format!("_mm{register_bits}") };
    let count = if register_bits == 512 { "u32" } else { "i32" };
    let of_word = if bits == 64 && register_bits < 512 { "64x".to_owned() } else { bits.to_string() };
    // A register of words of 64 bits is what it is converted from.
    let cast = if bits == 64 { String::new() } else { format!("vreinterpretq_u{bits}_u64") };
    let held = if bits == 64 { 64 } else { 32 };
    let ones = Ty::Lanes(shape).ones();
    text.replace("REGISTER", registers.holding(shape))
        .replace("SHAPE", shape.name())
        .replace("MM_", &format!("{mm}_"))
        .replace("_SI", &format!("_si{register_bits}"))
        .replace("COUNT", count)
        .replace("OFWORD", &of_word)
        .replace("SIGNED", &format!("i{bits}"))
        .replace("HELD", &format!("u{held}"))
        .replace(" & ONES", &if held == bits { String::new() } else { format!(" & {ones:#x}") })
        .replace("WORD", &format!("u{bits}"))
        .replace("LANES", &shape.lanes.to_string())
        .replace("CAST", &cast)
        .replace("BITS", &bits.to_string())
}
