//! Registers of words side by side, alone and in fours, and instructions of whole rounds: vectors of GNU C, and the intrinsics of each
//! target.

use culet_ir::Target;
use culet_types::program::{Family, Instruction};

use super::super::graph::{Kind, Ty};
use super::super::syntax::{ATOM, Text, UNARY};
use super::pairs::REGISTER;
use crate::isa::rounds::{TURN, TURNED, flags, required, round};
use crate::isa::steps::Steps;
use crate::language::Language;

/// Number of iterations of a loop of rounds that are written out on POWER. AES with the longest keys has 13 in a loop.
pub(super) const MOST: u64 = 16;

/// Types of registers by the bits of their words.
const WORDS: [(u8, &str); 4] = [(8, "words_8"), (16, "words_16"), (32, "words_32"), (64, REGISTER)];

const LOAD: &str = "load_128";
const STORE: &str = "store_128";
const LOAD_FOUR: &str = "load_512";
const STORE_FOUR: &str = "store_512";

/// Types of four registers by the bits of their words.
const FOURS: [(u8, &str); 4] = [(8, "fours_8"), (16, "fours_16"), (32, "fours_32"), (64, QUAD)];

/// The type of four registers side by side.
pub(crate) use crate::isa::rounds::QUAD;

/// The functions on four registers.
const ON_FOUR: Steps = Steps::of_x86(512);

/// The end of the names of functions on four registers.
const X4: &str = "_x4";

/// Whether a name is one that is defined here.
pub(crate) fn defines(name: &str) -> bool {
    let is_type = WORDS.iter().chain(&FOURS).any(|(_, own)| *own == name);
    is_type
        || [LOAD, STORE, LOAD_FOUR, STORE_FOUR, TURNED].contains(&name)
        || name.ends_with(X4)
        || Instruction::find(name).is_some()
}

const ACCESS: &str = "\
static inline pair load_128(const uint8_t *bytes)
{
    pair words;
    __builtin_memcpy(&words, bytes, 16);
    return words;
}

static inline void store_128(uint8_t *bytes, pair words)
{
    __builtin_memcpy(bytes, &words, 16);
}

";

const FOUR_AT_ONCE: &str = "\
typedef uint8_t fours_8 __attribute__((vector_size(64)));
typedef uint16_t fours_16 __attribute__((vector_size(64)));
typedef uint32_t fours_32 __attribute__((vector_size(64)));
typedef uint64_t quad __attribute__((vector_size(64)));

/* Without a CPU's name, gcc makes these of narrower registers, word by word, if they are not intrinsics. */
static inline quad load_512(const uint8_t *bytes)
{
    return (quad)@load((const void *)bytes);
}

static inline void store_512(uint8_t *bytes, quad words)
{
    @store((void *)bytes, (__m512i)words);
}

static inline quad copied_x4(pair a)
{
    return (quad)@all_parts((__m128i)a);
}

static inline quad together_x4(pair a, pair b, pair c, pair d)
{
    const __m512i three = @with_part(@with_part(@of_first_part((__m128i)a), (__m128i)b, 1), (__m128i)c, 2);
    return (quad)@with_part(three, (__m128i)d, 3);
}

static inline quad shuffle_x4(quad a, pair order)
{
    return (quad)@shuffle8((__m512i)a, (__m512i)copied_x4(order));
}

";

/// Whether functions work on four registers at once. Fours may be loaded and stored without an operation on them.
pub(crate) fn has_fours(functions: &str) -> bool {
    [X4, LOAD_FOUR].iter().any(|name| functions.contains(name))
}

/// The types and functions for instructions on a target that `text` uses. They follow the type of pairs.
pub(crate) fn definitions(target: Target, instructions: &[Instruction], text_of_functions: &str) -> String {
    let has_fours = has_fours(text_of_functions);
    let families: Vec<Family> = instructions.iter().map(|instruction| instruction.family()).collect();
    let mut text = required(&flags(target, &families, has_fours));
    for (bits, name) in &WORDS[..3] {
        text.push_str(&format!("typedef uint{bits}_t {name} __attribute__((vector_size(16)));\n"));
    }
    text.push('\n');
    text.push_str(ACCESS);
    if target == Target::Vsx {
        text.push_str(TURN);
    }
    for instruction in instructions {
        let (name, count) = (instruction.name(), instruction.operands());
        let names = &["a", "b", "c"][..count];
        let parameters: Vec<String> = names.iter().map(|name| format!("{REGISTER} {name}")).collect();
        let value = round(*instruction, Steps::of(target, 128), Language::C);
        let parameters = parameters.join(", ");
        text.push_str(&format!("static inline {REGISTER} {name}({parameters})\n{{\n    return {value};\n}}\n\n"));
    }
    if has_fours {
        text.push_str(&ON_FOUR.fill(FOUR_AT_ONCE, 64));
        for instruction in instructions.iter().filter(|it| text_of_functions.contains(&format!("{}{X4}(", it.name()))) {
            let (name, value) = (instruction.name(), round(*instruction, ON_FOUR, Language::C));
            text.push_str(&format!(
                "static inline {QUAD} {name}{X4}({QUAD} a, {QUAD} b)\n{{\n    return {value};\n}}\n\n"
            ));
        }
    }
    text
}

/// A register of this value.
pub(crate) fn literal(value: u128) -> Text {
    Text::atom(format!("({REGISTER}){{ {:#x}, {:#x} }}", value as u64, (value >> 64) as u64))
}

/// Four registers of this value.
pub(crate) fn four_of(value: u128) -> Text {
    Text::new(format!("copied{X4}({})", literal(value).text), ATOM)
}

/// An operation on registers that is no operator of C's; none for others.
pub(crate) fn operation(kind: &Kind, ty: Ty, args: &[Text]) -> Option<Text> {
    if ty == Ty::Quad || matches!(kind, Kind::Together(128) | Kind::Copied) {
        return operation_on_four(kind, args);
    }
    let words = |bits: &u8| WORDS.iter().find(|(own, _)| own == bits).map_or(REGISTER, |(_, name)| name);
    let list = || args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(", ");
    let cast = |ty: &str, arg: &Text| {
        if ty == REGISTER { arg.at_least(UNARY) } else { format!("({ty}){}", arg.at_least(UNARY)) }
    };
    Some(match kind {
        Kind::Round(instruction) => Text::new(format!("{}({})", instruction.name(), list()), ATOM),
        Kind::Piece(bits, index) => {
            let text = match bits {
                64 => args[0].at_least(ATOM),
                _ => format!("({})", cast(words(bits), &args[0])),
            };
            Text::new(format!("{text}[{index}]"), ATOM)
        }
        Kind::Together(bits) if *bits == 64 => Text::new(format!("({REGISTER}){{ {} }}", list()), UNARY),
        Kind::Together(bits) => Text::new(format!("({REGISTER})({}){{ {} }}", words(bits), list()), UNARY),
        Kind::AddLanes(bits) => {
            let ty = words(bits);
            Text::new(format!("({REGISTER})({} + {})", cast(ty, &args[0]), cast(ty, &args[1])), UNARY)
        }
        Kind::Shuffle(pattern) => {
            let pattern: Vec<String> = pattern.iter().map(u8::to_string).collect();
            let (first, second) = (cast("words_8", &args[0]), cast("words_8", args.last()?));
            let call = format!("__builtin_shufflevector({first}, {second}, {})", pattern.join(", "));
            Text::new(format!("({REGISTER}){call}"), UNARY)
        }
        _ => return None,
    })
}

/// An operation on four registers that is no operator of C's; none for others.
fn operation_on_four(kind: &Kind, args: &[Text]) -> Option<Text> {
    let list = || args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(", ");
    let call = |name: &str| Text::new(format!("{name}{X4}({})", list()), ATOM);
    Some(match kind {
        Kind::Round(instruction) => call(instruction.name()),
        Kind::Copied => call("copied"),
        Kind::Together(_) => call("together"),
        Kind::Block(place) => {
            let part = ON_FOUR.call("part", 32, &format!("(__m512i){}, {place}", args[0].at_least(UNARY)));
            Text::new(format!("({REGISTER}){part}"), UNARY)
        }
        Kind::AddLanes(bits) => {
            let ty = FOURS.iter().find(|(own, _)| own == bits).map_or(QUAD, |(_, name)| name);
            let [a, b] = [0, 1].map(|side: usize| format!("({ty}){}", args[side].at_least(UNARY)));
            Text::new(format!("({QUAD})({a} + {b})"), UNARY)
        }
        Kind::Shuffle(pattern) => {
            let order = pattern.iter().rev().fold(0, |order, &from| order << 8 | u128::from(from));
            Text::new(format!("shuffle{X4}({}, {})", args[0].text, literal(order).text), ATOM)
        }
        _ => return None,
    })
}
