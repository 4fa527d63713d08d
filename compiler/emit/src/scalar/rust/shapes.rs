//! Functions in Rust on registers whose lanes hold words of 8 to 64 bits, named after their shape: `add_u32x8`.
//!
//! A table has each function once for all shapes of an architecture, in words that stand for the shape's own.

use super::super::graph::{Kind, Shape, Ty};
use super::super::syntax::{ATOM, Text};
use super::registers::{Function, Registers, count};

/// The beginnings of the functions' names.
const NAMES: [&str; 22] = [
    "add",
    "all",
    "and",
    "block",
    "even_blocks",
    "halves",
    "lane",
    "load",
    "mul",
    "not",
    "odd_blocks",
    "of_halves",
    "or",
    "rotl",
    "sar",
    "select",
    "set",
    "shl",
    "shr",
    "store",
    "sub",
    "xor",
];

/// Whether a function of this name may be defined for some shape.
pub(crate) fn defines(name: &str) -> bool {
    let of_shape = |shape: &str| name.strip_suffix(shape)?.strip_suffix('_');
    let is_own = |start: &str| NAMES.contains(&start) || start == "words" || start.starts_with("zip_");
    Shape::ALL.iter().filter_map(|(_, shape)| of_shape(shape)).any(is_own)
}

/// An operation that only functions named after their shape have.
pub(crate) fn operation(kind: &Kind, args: &[Text], shape: Shape) -> Option<Text> {
    let name = shape.name();
    let operands: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let operands = operands.join(", ");
    let text = match kind {
        Kind::Rotl(amount) => format!("rotl_{name}::<{amount}, {}>({operands})", u32::from(shape.bits) - amount),
        Kind::Zip { bits, is_high } => {
            format!("zip_{}_{bits}_{name}({operands})", if *is_high { "high" } else { "low" })
        }
        Kind::Blocks(is_odd) => format!("{}_blocks_{name}({operands})", if *is_odd { "odd" } else { "even" }),
        Kind::Block(block) => format!("block_{name}::<{block}>({operands})"),
        _ => return None,
    };
    Some(Text::new(text, ATOM))
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

const LOAD: &str = "(bytes: &[u8], at: usize) -> REGISTER";
const STORE: &str = "(bytes: &mut [u8], at: usize, a: REGISTER)";
const ROTATION: &str = "<const N: COUNT, const M: COUNT>(a: REGISTER) -> REGISTER";
const BLOCK: &str = "<const BLOCK: i32>(a: REGISTER) -> __m128i";

/// Functions of every shape of every architecture.
const ANY: &[Function] = &[
    ("load", LOAD, "of_halves_SHAPE([OFFSETS].map(|byte| load_64(bytes, at + byte)))"),
    (
        "store",
        STORE,
        "for (word, byte) in halves_SHAPE(a).into_iter().zip([OFFSETS]) {\n    store_64(bytes, at + byte, word);\n}",
    ),
    ("add", OF_TWO, "@add(a, b)"),
    ("sub", OF_TWO, "@sub(a, b)"),
    ("and", OF_TWO, "@and(a, b)"),
    ("or", OF_TWO, "@or(a, b)"),
    ("xor", OF_TWO, "@xor(a, b)"),
];

/// Functions of every shape.
const X86: &[Function] = &[
    ("not", OF_ONE, "xor_SHAPE(a, @all8(-1))"),
    ("select", SELECT, "or_SHAPE(and_SHAPE(mask, then), @andn(mask, otherwise))"),
    ("all", OF_WORD, "@all(word as SIGNED)"),
    ("lane", LANE, "words_SHAPE(a)[LANE as usize]"),
    ("rotl", ROTATION, "or_SHAPE(shl_SHAPE::<N>(a), shr_SHAPE::<M>(a))"),
];

/// Functions of shapes with lanes of 16 bits and more.
const X86_FROM_16: &[Function] = &[("shl", SHIFT, "@shl::<N>(a)"), ("shr", SHIFT, "@shr::<N>(a)")];

const X86_OF_8: &[Function] = &[
    ("shl", SHIFT, "@and(@shl16::<N>(a), @all8((0xffu8 << N) as i8))"),
    ("shr", SHIFT, "@and(@shr16::<N>(a), @all8((0xffu8 >> N) as i8))"),
];

const X86_OF_16_AND_32: &[Function] = &[("mul", OF_TWO, "@mul(a, b)"), ("sar", SHIFT, "@sar::<N>(a)")];

/// The words of a register as words of 64 bits, and the register of such words.
const X86_128: &[Function] = &[
    ("halves", "(a: REGISTER) -> [u64; 2]", "[@first_word(a) as u64, @word64::<1>(a) as u64]"),
    ("of_halves", "(words: [u64; 2]) -> REGISTER", "@set(words[1] as i64, words[0] as i64)"),
];

const X86_256: &[Function] = &[
    ("even_blocks", OF_TWO, "@parts::<0x20>(a, b)"),
    ("odd_blocks", OF_TWO, "@parts::<0x31>(a, b)"),
    ("block", BLOCK, "@part::<BLOCK>(a)"),
    (
        "halves",
        "(a: REGISTER) -> [u64; 4]",
        "[\n    @word64::<0>(a) as u64,\n    @word64::<1>(a) as u64,\n    \
         @word64::<2>(a) as u64,\n    @word64::<3>(a) as u64,\n]",
    ),
    (
        "of_halves",
        "(words: [u64; 4]) -> REGISTER",
        "let [a, b, c, d] = words.map(|word| word as i64);\n@set(d, c, b, a)",
    ),
];

const X86_512: &[Function] = &[
    ("even_blocks", OF_TWO, "@parts::<0x88>(a, b)"),
    ("odd_blocks", OF_TWO, "@parts::<0xdd>(a, b)"),
    ("block", BLOCK, "@part32::<BLOCK>(a)"),
    (
        "halves",
        "(a: REGISTER) -> [u64; 8]",
        "let [low, high] = [@first_half(a), @half::<1>(a)];\n[\n    \
         @half.word64::<0>(low) as u64,\n    @half.word64::<1>(low) as u64,\n    \
         @half.word64::<2>(low) as u64,\n    @half.word64::<3>(low) as u64,\n    \
         @half.word64::<0>(high) as u64,\n    @half.word64::<1>(high) as u64,\n    \
         @half.word64::<2>(high) as u64,\n    @half.word64::<3>(high) as u64,\n]",
    ),
    (
        "of_halves",
        "(words: [u64; 8]) -> REGISTER",
        "let [a, b, c, d, e, f, g, h] = words.map(|word| word as i64);\n@set(h, g, f, e, d, c, b, a)",
    ),
];

/// Words put together as words of 64 bits, and taken apart.
const X86_WORDS: &[Function] = &[("words", "(a: REGISTER) -> [HELD; LANES]", WORDS), ("set", OF_WORDS, SET)];

const WORDS: &str = "\
let mut words = [0; LANES];
for (to, half) in words.as_chunks_mut::<{ 64 / BITS }>().0.iter_mut().zip(halves_SHAPE(a)) {
    for (word, shift) in to.iter_mut().zip((0..64).step_by(BITS)) {
        *word = (half >> shift) as HELD & ONES;
    }
}
words";

const SET: &str = "\
let mut halves = [0; LANES * BITS / 64];
for (half, words) in halves.iter_mut().zip(words.as_chunks::<{ 64 / BITS }>().0) {
    for (word, shift) in words.iter().zip((0..64).step_by(BITS)) {
        *half |= u64::from(*word) << shift;
    }
}
of_halves_SHAPE(halves)";

const NEON: &[Function] = &[
    ("not", OF_ONE, "@xor(a, @all(WORD::MAX))"),
    ("select", SELECT, "@select(mask, then, otherwise)"),
    ("all", OF_WORD, "@all(word as WORD)"),
    ("shl", SHIFT, "@shl::<N>(a)"),
    ("shr", SHIFT, "@shr::<N>(a)"),
    ("mul", OF_TWO, "@mul(a, b)"),
    ("sar", SHIFT, "@cast_uBITS_sBITS(@sar::<N>(@cast_sBITS_uBITS(a)))"),
    ("lane", LANE, "@word::<LANE>(a) as HELD"),
    ("rotl", ROTATION, "@insert::<M>(@shl::<N>(a), a)"),
    ("halves", "(a: REGISTER) -> [u64; 2]", "let a = BACK(a);\n[@word64::<0>(a), @word64::<1>(a)]"),
    ("set", OF_WORDS, SET),
    ("of_halves", "(words: [u64; 2]) -> REGISTER", "CAST(@of_halves64(@half64(words[0]), @half64(words[1])))"),
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
            [&[ANY, X86, X86_WORDS, of_register], of_lanes].concat()
        }
        _ => vec![ANY, NEON],
    };
    let written = |name: &str, heading: &str, body: &str| {
        let name = format!("{name}_{}", shape.name());
        let text = format!(
            "#[inline]\n{}\nfn {name}{heading} {{\n    {}\n}}\n",
            registers.attribute(),
            body.replace('\n', "\n    ")
        );
        (name, in_shape(&text, registers, shape))
    };
    let own = tables.into_iter().flatten().map(|(name, heading, body)| written(name, heading, body));
    own.chain(zips(registers, shape).into_iter().map(|(name, body)| written(&name, OF_TWO, &body))).collect()
}

/// The names and the bodies of functions that take words of two registers in turn.
fn zips(registers: &Registers, shape: Shape) -> Vec<(String, String)> {
    let mut zips = Vec::new();
    for bits in [8, 16, 32, 64].into_iter().filter(|bits| *bits >= shape.bits) {
        for half in ["low", "high"] {
            let body = match (registers.architecture, bits == shape.bits) {
                ("aarch64", false) => format!(
                    "let [a, b] = [a, b].map(|words| @cast_u{bits}_uBITS(words));\n\
                     @cast_uBITS_u{bits}(@{half}{bits}(a, b))"
                ),
                _ => format!("@{half}{bits}(a, b)"),
            };
            zips.push((format!("zip_{half}_{bits}"), body));
        }
    }
    zips
}

/// The text with the names of a shape.
fn in_shape(text: &str, registers: &Registers, shape: Shape) -> String {
    let (bits, register_bits) = (shape.bits, shape.register_bits());
    // A register of words of 64 bits is what it is converted from.
    let cast = if bits == 64 { String::new() } else { format!("@cast_u{bits}_u64") };
    let back = if bits == 64 { String::new() } else { format!("@cast_u64_u{bits}") };
    let offsets: Vec<String> = (0..register_bits / 64).map(|word| (8 * word).to_string()).collect();
    let held = if bits == 64 { 64 } else { 32 };
    let ones = Ty::Lanes(shape).ones();
    let converted = "let a = BACK(a);\n";
    let text = text
        .replace(converted, if bits == 64 { "" } else { converted })
        .replace("REGISTER", registers.holding(shape))
        .replace("SHAPE", shape.name())
        .replace("COUNT", count(register_bits))
        .replace("SIGNED", &format!("i{bits}"))
        .replace("HELD", &format!("u{held}"))
        .replace(" & ONES", &if held == bits { String::new() } else { format!(" & {ones:#x}") })
        .replace("WORD", &format!("u{bits}"))
        .replace("LANES", &shape.lanes.to_string())
        .replace("CAST", &cast)
        .replace("BACK", &back)
        .replace("OFFSETS", &offsets.join(", "))
        .replace("BITS", &bits.to_string());
    registers.steps.on(register_bits).fill(&text, bits.into())
}
