//! Registers whose lanes hold one word of each of several instances: the names of their operations in C.

use super::super::graph::Kind;
use super::super::syntax::{ATOM, Spread, Text, UNARY};
use crate::isa::steps::Steps;

pub(crate) const REGISTER: &str = "__m512i";

const STEPS: Steps = Steps::of_x86(512);

/// The header, and the functions that move the bytes of all instances. The values of instances are `step` bytes apart.
pub(crate) fn definitions() -> String {
    format!("#include <immintrin.h>\n#include <string.h>\n\n{}", STEPS.fill(&[LOAD, STORE].concat(), 64))
}

const LOAD: &str = "\
static inline __m512i load_lanes(const uint8_t *from, size_t step, size_t bytes)
{
    uint64_t lanes[8] = { 0 };
    for (size_t i = 0; i < 8; i++)
        memcpy(&lanes[i], from + i * step, bytes);
    return @load(lanes);
}

";

const STORE: &str = "\
static inline void store_lanes(uint8_t *to, size_t step, size_t bytes, __m512i words)
{
    uint64_t lanes[8];
    @store(lanes, words);
    for (size_t i = 0; i < 8; i++)
        memcpy(to + i * step, &lanes[i], bytes);
}

";

/// Definitions for a function on lanes of one instance.
pub(crate) fn definitions_of_one() -> String {
    STEPS.fill(OF_ONE, 64)
}

const OF_ONE: &str = "\
#include <immintrin.h>

static inline uint64_t lane_of(__m512i words, size_t index)
{
    uint64_t lanes[8];
    @store(lanes, words);
    return lanes[index];
}

static inline __m512i low_words(const uint8_t *from)
{
    return @permute_two(@load(from), @set(14, 12, 10, 8, 6, 4, 2, 0),
        @load(from + 64));
}

static inline __m512i high_words(const uint8_t *from)
{
    return @permute_two(@load(from), @set(15, 13, 11, 9, 7, 5, 3, 1),
        @load(from + 64));
}
";

/// Names of the functions that are defined.
pub(crate) const NAMES: [&str; 5] = ["high_words", "lane_of", "load_lanes", "low_words", "store_lanes"];

/// Loads `bytes` bytes of each instance, or a register.
pub(crate) fn load(at: &Spread<'_>, bytes: u32) -> String {
    match at {
        Spread::Bytes { step, .. } => format!("load_lanes({}, {step}, {bytes})", pointer(at)),
        Spread::Register { .. } => load_register(&pointer(at)),
        Spread::Word(place) => call("all", &format!("(long long){place}")),
    }
}

/// Stores the lowest byte for each instance, or a register.
pub(crate) fn store(at: &Spread<'_>, value: &Text) -> String {
    match at {
        Spread::Bytes { step, .. } => format!("store_lanes({}, {step}, 1, {});", pointer(at), value.text),
        Spread::Register { .. } => store_register(&pointer(at), value),
        Spread::Word(place) => format!("{place} = {};", value.text),
    }
}

/// Loads the register at an address.
pub(crate) fn load_register(pointer: &str) -> String {
    call("load", pointer)
}

/// Stores a register at an address.
pub(crate) fn store_register(pointer: &str, value: &Text) -> String {
    call("store", &format!("{pointer}, {}", value.text)) + ";"
}

fn pointer(at: &Spread<'_>) -> String {
    match at {
        Spread::Bytes { name, index, .. } | Spread::Register { name, index } => super::pointer(name, index),
        Spread::Word(place) => place.clone(),
    }
}

/// A register with this word in all lanes.
pub(crate) fn literal(value: u64) -> Text {
    Text::atom(match value {
        0 => call("zero", ""),
        1..=0xffff => call("all", &value.to_string()),
        _ if value >> 63 == 0 => call("all", &format!("{value:#x}")),
        _ => call("all", &format!("(long long){value:#x}")),
    })
}

/// An operation on all lanes.
pub(crate) fn operation(kind: &Kind, args: &[Text]) -> Text {
    let operands = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<&str>>().join(", ");
    let plain = |step| call(step, &operands);
    let with = |step, immediate: u32| call(step, &format!("{operands}, {immediate}"));
    let called = match kind {
        Kind::Add => plain("add"),
        Kind::Sub => plain("sub"),
        Kind::Mul => plain("mul"),
        Kind::And => plain("and"),
        Kind::Or => plain("or"),
        Kind::Xor => plain("xor"),
        Kind::Shl(amount) => with("shl", *amount),
        Kind::Shr(amount) => with("shr", *amount),
        Kind::Sar(amount) => with("sar", *amount),
        // The second operand where the first has ones, elsewhere the third.
        Kind::Select => with("ternary", 0xca),
        Kind::Mac(false) => plain("mac_low"),
        Kind::Mac(true) => plain("mac_high"),
        Kind::Not => call("xor", &format!("{operands}, {}", call("all", "-1"))),
        Kind::Permute => plain("permute"),
        Kind::Blend(set) => call("blend", &format!("{set}, {operands}")),
        Kind::Lane(lane) => format!("lane_of({operands}, {lane})"),
        Kind::Join => set(args.iter().map(|arg| format!("(long long){}", arg.at_least(UNARY)))),
        Kind::Words(words) => set(words.iter().map(|word| format!("(long long){word:#x}"))),
        Kind::Convert => call("all", &format!("(long long){}", args[0].at_least(UNARY))),
        Kind::Mul32 => plain("mul_even"),
        Kind::Rotl(amount) => with("rotl", *amount),
        Kind::Zip { is_high: false, .. } => plain("low"),
        Kind::Zip { is_high: true, .. } => plain("high"),
        Kind::Blocks(false) => with("parts", 0x88),
        Kind::Blocks(true) => with("parts", 0xdd),
        Kind::Block(block) => return Text::new(format!("(u64x2){}", with("part", u32::from(*block))), UNARY),
        // Pairs are no lanes, and comparisons are not for lanes.
        Kind::IsBelow | Kind::ClMul | Kind::Part(_) | Kind::Swap => return args[0].clone(),
        Kind::Round(_) | Kind::Piece(..) | Kind::Together(_) | Kind::Copied | Kind::AddLanes(_) | Kind::Shuffle(_) => {
            return args[0].clone();
        }
        Kind::Literal(_) | Kind::Variable(_) | Kind::Load(_) | Kind::Halves(..) => return args[0].clone(),
    };
    Text::new(called, ATOM)
}

/// A register of these words, the lowest first.
fn set(words: impl DoubleEndedIterator<Item = String>) -> String {
    call("set", &words.rev().collect::<Vec<String>>().join(", "))
}

fn call(step: &str, operands: &str) -> String {
    STEPS.call(step, 64, operands)
}
