//! Registers whose lanes hold words of one instance side by side, on targets whose products are of 32 bits by 32. They
//! are vectors of GNU C, which has operators for them; operations without an operator are functions of the target.

use culet_ir::Target;

use super::super::graph::Kind;
use super::super::syntax::{ATOM, Text, UNARY};
use crate::isa::steps::Steps;

pub(crate) const REGISTER: &str = "lanes";

/// Names that are defined here.
pub(crate) const NAMES: [&str; 7] =
    ["all_lanes", "high_words", "low_words", "mul32", "permuted", "signed_lanes", "lanes"];

const AVX2: &str = "\
#include <immintrin.h>

typedef uint64_t lanes __attribute__((vector_size(32)));
typedef int64_t signed_lanes __attribute__((vector_size(32)));

static inline lanes all_lanes(uint64_t word)
{
    return (lanes){ word, word, word, word };
}

static inline lanes permuted(lanes a, lanes index)
{
    return (lanes){ a[index[0]], a[index[1]], a[index[2]], a[index[3]] };
}

static inline lanes mul32(lanes a, lanes b)
{
#if defined(__clang__)
    /* What clang knows of words in one block it forgets in another one, and multiplies 64 bits there. */
    __asm__(\"\" : \"+x\"(b));
    __asm__(\"\" : \"+x\"(a));
#endif
    return (lanes)@mul_even((__m256i)a, (__m256i)b);
}

/* The first and the third block, or the second and the fourth one. */
static inline __m256i two_blocks(const uint8_t *from)
{
    return @with_part(@of_first_part(@part.load((const __m128i *)(const void *)from)),
        @part.load((const __m128i *)(const void *)(from + 32)), 1);
}

";

/// Definitions for registers of two words.
const OF_TWO: &str = "
typedef uint64_t lanes __attribute__((vector_size(16)));
typedef int64_t signed_lanes __attribute__((vector_size(16)));

static inline lanes all_lanes(uint64_t word)
{
    return (lanes){ word, word };
}

static inline lanes permuted(lanes a, lanes index)
{
    return (lanes){ a[index[0]], a[index[1]] };
}

";

const SSE: &str = "\
static inline lanes mul32(lanes a, lanes b)
{
#if defined(__clang__)
    /* What clang knows of words in one block it forgets in another one, and multiplies 64 bits there. */
    __asm__(\"\" : \"+x\"(b));
    __asm__(\"\" : \"+x\"(a));
#endif
    return (lanes)@mul_even((__m128i)a, (__m128i)b);
}

static inline __m128i a_block(const uint8_t *from)
{
    return @part.load((const __m128i *)(const void *)from);
}

";

const NEON: &str = "\
static inline lanes mul32(lanes a, lanes b)
{
    return (lanes)@mul_long32(@narrow((uint64x2_t)a), @narrow((uint64x2_t)b));
}

static inline uint64x2_t a_block(const uint8_t *from)
{
    return @cast_u64_u8(@load8(from));
}

";

const VSX: &str = "\
/* What is first in memory is the low half of a word, which @mul_even takes. */
static inline lanes mul32(lanes a, lanes b)
{
    return (lanes)@mul_even((__vector unsigned int)a, (__vector unsigned int)b);
}

static inline __vector unsigned long long a_block(const uint8_t *from)
{
    return (__vector unsigned long long)@load(0, (unsigned char *)(uintptr_t)from);
}

";

/// The headers, types and functions of a target.
pub(crate) fn definitions(target: Target) -> String {
    let (read, definitions) = match target {
        Target::Avx2 | Target::Avx512 => ("two_blocks", AVX2.to_owned()),
        Target::Sse | Target::SseSha => ("a_block", format!("#include <smmintrin.h>\n{OF_TWO}{SSE}")),
        Target::Neon => ("a_block", format!("#include <arm_neon.h>\n{OF_TWO}{NEON}")),
        Target::Vsx => {
            ("a_block", format!("#include <altivec.h>\n#undef vector\n#undef bool\n#undef pixel\n{OF_TWO}{VSX}"))
        }
        Target::C32 | Target::C64 | Target::Avx512Ifma | Target::Avx512Vaes => return String::new(),
    };
    let text = definitions + &words_of_blocks(read);
    Steps::of(target, 64 * target.element_lanes()).fill(&text, 64)
}

/// Functions for the low and the high words of blocks side by side. `read` names the function that reads blocks.
fn words_of_blocks(read: &str) -> String {
    let function = |half: &str| {
        format!(
            "static inline lanes {half}_words(const uint8_t *from)\n{{\n    \
             return (lanes)@{half}({read}(from), {read}(from + 16));\n}}\n\n"
        )
    };
    ["low", "high"].map(function).concat()
}

/// A register with this word in all lanes.
pub(crate) fn literal(value: u64) -> Text {
    Text::atom(if value <= 0xffff { format!("all_lanes({value})") } else { format!("all_lanes({value:#x})") })
}

/// An operation on lanes that is no operator of C's.
pub(crate) fn operation(kind: &Kind, args: &[Text]) -> Option<Text> {
    let call = |name: &str| {
        let operands: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Text::new(format!("{name}({})", operands.join(", ")), ATOM)
    };
    let set = |words: Vec<String>| Text::new(format!("({REGISTER}){{ {} }}", words.join(", ")), ATOM);
    Some(match kind {
        Kind::Mul32 => call("mul32"),
        Kind::Convert => call("all_lanes"),
        Kind::Permute => Text::new(format!("permuted({}, {})", args[1].text, args[0].text), ATOM),
        Kind::Lane(lane) => Text::new(format!("{}[{lane}]", args[0].at_least(ATOM)), ATOM),
        Kind::Join => set(args.iter().map(|arg| arg.text.clone()).collect()),
        Kind::Words(words) => set(words.iter().map(|word| format!("{word:#x}")).collect()),
        Kind::Select => {
            let [mask, then, otherwise] = [0, 1, 2].map(|index| args[index].at_least(UNARY));
            Text::new(format!("(({mask} & {then}) | (~{mask} & {otherwise}))"), ATOM)
        }
        Kind::Sar(amount) => {
            Text::new(format!("({REGISTER})((signed_lanes){} >> {amount})", args[0].at_least(UNARY)), UNARY)
        }
        _ => return None,
    })
}
