//! The functions on lanes of each target, made of the steps of `isa`: one table per target, of shared functions and its own.
//!
//! Nothing in them is unsafe. Words are read one by one from blocks whose type says their length. LLVM reads them as
//! one where they go through an array or stand in a register as they do in memory.

use culet_ir::Target;

use super::super::graph::Shape;
use crate::isa::steps::Steps;

/// The registers of a target.
pub(crate) struct Registers {
    /// The module of `core::arch`, which is also the architecture's name.
    pub architecture: &'static str,
    /// Feature names, as `#[target_feature]` and `is_x86_feature_detected!` have them.
    pub features: &'static [&'static str],
    pub ty: &'static str,
    pub steps: Steps,
    pub functions: &'static [&'static [Function]],
}

impl Registers {
    /// Words of 64 bits in a whole register.
    pub fn shape(&self) -> Shape {
        Shape::of_64(self.steps.bits() / 64)
    }
}

/// Registers of the lanes of a function, of its pairs, and for its rounds, if it has any; all are of one architecture.
#[derive(Clone, Copy)]
pub(crate) struct Needed {
    pub lanes: Option<&'static Registers>,
    pub pairs: Option<&'static Registers>,
    pub rounds: Option<&'static Registers>,
}

impl Needed {
    pub fn all(self) -> impl Iterator<Item = &'static Registers> {
        self.lanes.into_iter().chain(self.pairs).chain(self.rounds)
    }
}

/// The type of distances of shifts in registers of so many bits.
pub(super) fn count(bits: u32) -> &'static str {
    if bits == 512 { "u32" } else { "i32" }
}

/// A function: its name, the text between the name and the body, and the body, which has `@step` for a function of the target's, as
/// [`Steps::fill`] says. `REGISTER` is the type of registers, and `COUNT` that of distances of shifts.
pub(crate) type Function = (&'static str, &'static str, &'static str);

/// The registers of a target; none if it has none, or none in stable Rust.
pub(crate) fn registers(target: Target) -> Option<&'static Registers> {
    match target {
        Target::Sse | Target::SseSha => Some(&SSE),
        Target::Avx2 => Some(&AVX2),
        Target::Avx512 => Some(&AVX512),
        Target::Avx512Ifma | Target::Avx512Vaes => Some(&AVX512IFMA),
        Target::Neon => Some(&NEON),
        Target::C32 | Target::C64 | Target::Vsx => None,
    }
}

/// The registers of two words, which hold products without carries.
pub(crate) fn pairs(target: Target) -> Option<&'static Registers> {
    match target {
        Target::Neon => Some(&NEON_PAIRS),
        Target::C32 | Target::C64 | Target::Sse | Target::SseSha | Target::Vsx => None,
        _ => Some(&X86_PAIRS),
    }
}

static X86_PAIRS: Registers = Registers {
    architecture: "x86_64",
    features: &["avx2", "pclmulqdq"],
    ty: "__m128i",
    steps: Steps::of_x86(128),
    functions: &[&[
        ("clmul", CLMUL, "@clmul::<0>(@of_first_word(a as i64), @of_first_word(b as i64))"),
        ("xor_pairs", OF_TWO, "@xor(a, b)"),
        ("low_word", WORD, "@first_word(a) as u64"),
        ("high_word", WORD, "@word::<1>(a) as u64"),
    ]],
};

static NEON_PAIRS: Registers = Registers {
    architecture: "aarch64",
    features: &["neon", "aes"],
    ty: "uint64x2_t",
    steps: Steps::of_arm(),
    functions: &[&[
        ("clmul", CLMUL, "@cast_u64_p128(@clmul(a, b))"),
        ("xor_pairs", OF_TWO, "@xor(a, b)"),
        ("low_word", WORD, "@word::<0>(a)"),
        ("high_word", WORD, "@word::<1>(a)"),
    ]],
};

const CLMUL: &str = "(a: u64, b: u64) -> REGISTER";
const WORD: &str = "(a: REGISTER) -> u64";
const OF_WORD: &str = "(word: u64) -> REGISTER";
pub(super) const OF_ONE: &str = "(a: REGISTER) -> REGISTER";
pub(super) const OF_TWO: &str = "(a: REGISTER, b: REGISTER) -> REGISTER";
const SHIFT: &str = "<const N: COUNT>(a: REGISTER) -> REGISTER";
const SELECT: &str = "(mask: REGISTER, then: REGISTER, otherwise: REGISTER) -> REGISTER";
const MAC: &str = "(sum: REGISTER, a: REGISTER, b: REGISTER) -> REGISTER";
const PERMUTE: &str = "(index: REGISTER, a: REGISTER) -> REGISTER";
const LANE: &str = "<const LANE: i32>(a: REGISTER) -> u64";
const HALVES: &str = "<const AT: usize, const N: usize>(block: &[u8; N]) -> REGISTER";
const PART: &str = "<const N: usize>(block: &[u8; N], at: usize) -> REGISTER";

static SSE: Registers = Registers {
    architecture: "x86_64",
    features: &["sse4.1"],
    ty: "__m128i",
    steps: Steps::of_x86(128),
    functions: &[
        ANY,
        BASIC,
        MUL32,
        PRODUCTS_OF_32_BITS,
        BELOW_AVX512,
        TWO_WORDS,
        &[
            ("all", OF_WORD, "@all(word as i64)"),
            ("set", "(words: [u64; 2]) -> REGISTER", "@set(words[1] as i64, words[0] as i64)"),
            ("lane", LANE, "@word::<LANE>(a) as u64"),
            ("low_twice", OF_ONE, "@low(a, a)"),
            ("high_twice", OF_ONE, "@high(a, a)"),
        ],
    ],
};

static AVX2: Registers = of_four_words(&["avx2"]);

/// Elements have registers of four words, and blocks of streams have wider ones.
static AVX512: Registers = of_four_words(&["avx2", "avx512f", "avx512bw", "avx512vl", "avx512dq"]);

const fn of_four_words(features: &'static [&'static str]) -> Registers {
    Registers { architecture: "x86_64", features, ty: "__m256i", steps: Steps::of_x86(256), functions: FOUR_WORDS }
}

const FOUR_WORDS: &[&[Function]] = &[
    ANY,
    BASIC,
    MUL32,
    PRODUCTS_OF_32_BITS,
    BELOW_AVX512,
    &[
        ("all", OF_WORD, "@all(word as i64)"),
        (
            "set",
            "(words: [u64; 4]) -> REGISTER",
            "@set(words[3] as i64, words[2] as i64, words[1] as i64, words[0] as i64)",
        ),
        ("lane", LANE, "@word::<LANE>(a) as u64"),
        ("permute", PERMUTE, "let low = add(index, index);\n@permute32(a, or(low, shl::<32>(add(low, all(1)))))"),
        (
            "a_block",
            "<const N: usize>(block: &[u8; N], at: usize) -> __m128i",
            "let words = [at, at + 8].map(|at| load_64(block, at));\n@part.set(words[1] as i64, words[0] as i64)",
        ),
        ("two_blocks", PART, "@of_parts(a_block(block, at + 32), a_block(block, at))"),
        ("low_words", HALVES, "@low(two_blocks(block, AT), two_blocks(block, AT + 16))"),
        ("high_words", HALVES, "@high(two_blocks(block, AT), two_blocks(block, AT + 16))"),
    ],
];

static AVX512IFMA: Registers = Registers {
    architecture: "x86_64",
    features: &["avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512ifma"],
    ty: "__m512i",
    steps: Steps::of_x86(512),
    functions: &[
        ANY,
        BASIC,
        MUL32,
        &[
            ("mul", OF_TWO, "@mul(a, b)"),
            ("sar", SHIFT, "@sar::<N>(a)"),
            ("mac52lo", MAC, "@mac_low(sum, a, b)"),
            ("mac52hi", MAC, "@mac_high(sum, a, b)"),
            ("select", SELECT, "@ternary::<0xca>(mask, then, otherwise)"),
            ("blend", "<const LANES: u8>(a: REGISTER, b: REGISTER) -> REGISTER", "@blend(LANES, a, b)"),
            ("permute", PERMUTE, "@permute(index, a)"),
            ("all", OF_WORD, "@all(word as i64)"),
            (
                "set",
                "(words: [u64; 8]) -> REGISTER",
                "let [a, b, c, d, e, f, g, h] = words.map(|word| word as i64);\n@set(h, g, f, e, d, c, b, a)",
            ),
            ("lane", LANE, "@part.first_word(@first_part(@align::<LANE>(a, a))) as u64"),
            ("eight_words", PART, "set([0, 8, 16, 24, 32, 40, 48, 56].map(|byte| load_64(block, at + byte)))"),
            (
                "low_words",
                HALVES,
                "let index = set([0, 2, 4, 6, 8, 10, 12, 14]);\n\
                 @permute_two(eight_words(block, AT), index, eight_words(block, AT + 64))",
            ),
            (
                "high_words",
                HALVES,
                "let index = set([1, 3, 5, 7, 9, 11, 13, 15]);\n\
                 @permute_two(eight_words(block, AT), index, eight_words(block, AT + 64))",
            ),
            ("load_lanes", "(from: &[u8], at: usize, step: usize, bytes: usize) -> REGISTER", LOAD_LANES),
            ("store_lanes", "(to: &mut [u8], at: usize, step: usize, a: REGISTER)", STORE_LANES),
            ("words_of", "(a: REGISTER) -> [u64; 8]", WORDS_OF),
            ("load_words", "(from: &[u64], at: usize) -> REGISTER", LOAD_WORDS),
            ("store_words", "(to: &mut [u64], at: usize, a: REGISTER)", STORE_WORDS),
        ],
    ],
};

/// The bytes at `at` of each instance; the bytes of the next instance are `step` bytes behind.
const LOAD_LANES: &str = "\
let mut words = [0; 8];
for (word, start) in words.iter_mut().zip([0, 1, 2, 3, 4, 5, 6, 7].map(|lane| at + lane * step)) {
    let mut own = [0; 8];
    for (to, from) in own.iter_mut().zip(from.iter().skip(start).take(bytes)) {
        *to = *from;
    }
    *word = u64::from_le_bytes(own);
}
set(words)";

const WORDS_OF: &str = "\
[
    lane::<0>(a),
    lane::<1>(a),
    lane::<2>(a),
    lane::<3>(a),
    lane::<4>(a),
    lane::<5>(a),
    lane::<6>(a),
    lane::<7>(a),
]";

/// All bytes that are read are there.
const LOAD_WORDS: &str = "\
let words = from.get(at..).and_then(|words| words.first_chunk());
words.map_or(all(0), |words| set(*words))";

const STORE_WORDS: &str = "\
if let Some(to) = to.get_mut(at..).and_then(|words| words.first_chunk_mut()) {
    *to = words_of(a);
}";

const STORE_LANES: &str = "\
for (lane, word) in words_of(a).into_iter().enumerate() {
    if let Some(byte) = to.get_mut(at + lane * step) {
        *byte = word as u8;
    }
}";

static NEON: Registers = Registers {
    architecture: "aarch64",
    features: &["neon"],
    ty: "uint64x2_t",
    steps: Steps::of_arm(),
    functions: &[
        ANY,
        PRODUCTS_OF_32_BITS,
        TWO_WORDS,
        BASIC,
        &[
            ("sar", SHIFT, "@cast_u64_s64(@sar::<N>(@cast_s64_u64(a)))"),
            ("mul32", OF_TWO, "@mul_long32(low_halves(a), low_halves(b))"),
            (
                "low_halves",
                "(a: REGISTER) -> uint32x2_t",
                "// LLVM sees through vmovn, and multiplies 64 bits one by one.\n@narrow_saturated(and(a, all(0xffffffff)))",
            ),
            ("select", SELECT, "@select(mask, then, otherwise)"),
            ("all", OF_WORD, "@all(word)"),
            ("set", "(words: [u64; 2]) -> REGISTER", "@of_halves(@half(words[0]), @half(words[1]))"),
            ("lane", LANE, "@word::<LANE>(a)"),
            ("low_twice", OF_ONE, "@all_of_lane::<0>(a)"),
            ("high_twice", OF_ONE, "@all_of_lane::<1>(a)"),
        ],
    ],
};

const ANY: &[Function] = &[("not", OF_ONE, "xor(a, all(u64::MAX))")];

const BASIC: &[Function] = &[
    ("add", OF_TWO, "@add(a, b)"),
    ("sub", OF_TWO, "@sub(a, b)"),
    ("and", OF_TWO, "@and(a, b)"),
    ("or", OF_TWO, "@or(a, b)"),
    ("xor", OF_TWO, "@xor(a, b)"),
    ("shl", SHIFT, "@shl::<N>(a)"),
    ("shr", SHIFT, "@shr::<N>(a)"),
];

const MUL32: &[Function] = &[("mul32", OF_TWO, "@mul_even(a, b)")];

const BELOW_AVX512: &[Function] = &[
    ("sar", SHIFT, "let sign = all(1 << (63 - N));\nsub(xor(shr::<N>(a), sign), sign)"),
    ("select", SELECT, "or(and(mask, then), @andn(mask, otherwise))"),
    (
        "opaque",
        OF_ONE,
        "// What LLVM knows of lanes it forgets where a block ends, and multiplies 64 bits; of this it knows nothing.\n\
         @sign32(a, @all32(1))",
    ),
];

const PRODUCTS_OF_32_BITS: &[Function] = &[(
    "mul",
    OF_TWO,
    "let cross = add(mul32(shr::<32>(a), b), mul32(a, shr::<32>(b)));\nadd(mul32(a, b), shl::<32>(cross))",
)];

const TWO_WORDS: &[Function] = &[
    ("permute", PERMUTE, "select(sub(all(0), index), high_twice(a), low_twice(a))"),
    ("low_words", HALVES, "set([load_64(block, AT), load_64(block, AT + 16)])"),
    ("high_words", HALVES, "set([load_64(block, AT + 8), load_64(block, AT + 24)])"),
];
