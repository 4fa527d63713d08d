//! Registers whose lanes hold one word of each of several instances: the names of their operations in C.

use super::super::graph::Kind;
use super::super::syntax::{ATOM, Spread, Text, UNARY};

pub(crate) const REGISTER: &str = "__m512i";

/// The header, and the called functions that move the bytes of all instances. The values of instances are `step` bytes
/// apart.
pub(crate) fn definitions(text: &str) -> String {
    let is_called = |name: &str| text.contains(&format!("{name}("));
    let called: Vec<&str> = [("load_lanes", LOAD), ("store_lanes", STORE)]
        .into_iter()
        .filter(|(name, _)| is_called(name))
        .map(|(_, definition)| definition)
        .collect();
    let copies = if called.is_empty() { "" } else { "#include <string.h>\n" };
    format!("#include <immintrin.h>\n{copies}\n{}", called.concat())
}

const LOAD: &str = "\
static inline __m512i load_lanes(const uint8_t *from, size_t step, size_t bytes)
{
    uint64_t lanes[8] = { 0 };
    for (size_t i = 0; i < 8; i++)
        memcpy(&lanes[i], from + i * step, bytes);
    return _mm512_loadu_si512(lanes);
}

";

const STORE: &str = "\
static inline void store_lanes(uint8_t *to, size_t step, size_t bytes, __m512i words)
{
    uint64_t lanes[8];
    _mm512_storeu_si512(lanes, words);
    for (size_t i = 0; i < 8; i++)
        memcpy(to + i * step, &lanes[i], bytes);
}

";

/// Definitions for a function on lanes of one instance.
pub(crate) const DEFINITIONS_OF_ONE: &str = "\
#include <immintrin.h>

static inline uint64_t lane_of(__m512i words, size_t index)
{
    uint64_t lanes[8];
    _mm512_storeu_si512(lanes, words);
    return lanes[index];
}

static inline __m512i low_words(const uint8_t *from)
{
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(from), _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0),
        _mm512_loadu_si512(from + 64));
}

static inline __m512i high_words(const uint8_t *from)
{
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(from), _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1),
        _mm512_loadu_si512(from + 64));
}
";

/// Names of the functions that are defined.
pub(crate) const NAMES: [&str; 5] = ["high_words", "lane_of", "load_lanes", "low_words", "store_lanes"];

/// Loads `bytes` bytes of each instance, or a register.
pub(crate) fn load(at: &Spread<'_>, bytes: u32) -> String {
    match at {
        Spread::Bytes { step, .. } => format!("load_lanes({}, {step}, {bytes})", pointer(at)),
        Spread::Register { .. } => format!("_mm512_loadu_si512({})", pointer(at)),
        Spread::Word(place) => format!("_mm512_set1_epi64((long long){place})"),
    }
}

/// Stores the lowest byte for each instance, or a register.
pub(crate) fn store(at: &Spread<'_>, value: &Text) -> String {
    match at {
        Spread::Bytes { step, .. } => format!("store_lanes({}, {step}, 1, {});", pointer(at), value.text),
        Spread::Register { .. } => format!("_mm512_storeu_si512({}, {});", pointer(at), value.text),
        Spread::Word(place) => format!("{place} = {};", value.text),
    }
}

fn pointer(at: &Spread<'_>) -> String {
    match at {
        Spread::Bytes { name, index, .. } | Spread::Register { name, index } => super::pointer(name, index),
        Spread::Word(place) => place.clone(),
    }
}

/// A register with this word in all lanes.
pub(crate) fn literal(value: u64) -> Text {
    match value {
        0 => Text::atom("_mm512_setzero_si512()"),
        1..=0xffff => Text::atom(format!("_mm512_set1_epi64({value})")),
        _ if value >> 63 == 0 => Text::atom(format!("_mm512_set1_epi64({value:#x})")),
        _ => Text::atom(format!("_mm512_set1_epi64((long long){value:#x})")),
    }
}

/// An operation on all lanes.
pub(crate) fn operation(kind: &Kind, args: &[Text]) -> Text {
    let (name, immediate) = match kind {
        Kind::Add => ("add_epi64", None),
        Kind::Sub => ("sub_epi64", None),
        Kind::Mul => ("mullo_epi64", None),
        Kind::And => ("and_si512", None),
        Kind::Or => ("or_si512", None),
        Kind::Xor => ("xor_si512", None),
        Kind::Shl(amount) => ("slli_epi64", Some(*amount)),
        Kind::Shr(amount) => ("srli_epi64", Some(*amount)),
        Kind::Sar(amount) => ("srai_epi64", Some(*amount)),
        // The second operand where the first has ones, elsewhere the third.
        Kind::Select => ("ternarylogic_epi64", Some(0xca)),
        Kind::Mac(false) => ("madd52lo_epu64", None),
        Kind::Mac(true) => ("madd52hi_epu64", None),
        Kind::Not => return call("xor_si512", &[args[0].text.clone(), "_mm512_set1_epi64(-1)".to_owned()]),
        Kind::Permute => ("permutexvar_epi64", None),
        Kind::Blend(set) => {
            return call("mask_blend_epi64", &[set.to_string(), args[0].text.clone(), args[1].text.clone()]);
        }
        Kind::Lane(lane) => return Text::new(format!("lane_of({}, {lane})", args[0].text), ATOM),
        Kind::Join => return set(args.iter().map(|arg| format!("(long long){}", arg.at_least(UNARY)))),
        Kind::Words(words) => return set(words.iter().map(|word| format!("(long long){word:#x}"))),
        Kind::Convert => return call("set1_epi64", &[format!("(long long){}", args[0].at_least(UNARY))]),
        Kind::Mul32 => ("mul_epu32", None),
        Kind::Rotl(amount) => ("rol_epi64", Some(*amount)),
        Kind::Zip { is_high: false, .. } => ("unpacklo_epi64", None),
        Kind::Zip { is_high: true, .. } => ("unpackhi_epi64", None),
        Kind::Blocks(false) => ("shuffle_i64x2", Some(0x88)),
        Kind::Blocks(true) => ("shuffle_i64x2", Some(0xdd)),
        Kind::Block(block) => {
            return Text::new(format!("(u64x2)_mm512_extracti64x2_epi64({}, {block})", args[0].text), UNARY);
        }
        // Pairs are no lanes, and comparisons are not for lanes.
        Kind::IsBelow | Kind::ClMul | Kind::Part(_) | Kind::Swap => return args[0].clone(),
        Kind::Round(_) | Kind::Piece(..) | Kind::Together(_) | Kind::Copied | Kind::AddLanes(_) | Kind::Shuffle(_) => {
            return args[0].clone();
        }
        Kind::Literal(_) | Kind::Variable(_) | Kind::Load(_) | Kind::Halves(..) => return args[0].clone(),
    };
    let mut operands: Vec<String> = args.iter().map(|arg| arg.text.clone()).collect();
    operands.extend(immediate.map(|number| number.to_string()));
    call(name, &operands)
}

/// A register of these words, the lowest first.
fn set(words: impl DoubleEndedIterator<Item = String>) -> Text {
    call("set_epi64", &words.rev().collect::<Vec<String>>())
}

fn call(name: &str, operands: &[String]) -> Text {
    Text::new(format!("_mm512_{name}({})", operands.join(", ")), ATOM)
}
