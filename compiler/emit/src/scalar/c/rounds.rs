//! Registers of words side by side, alone and in fours, and instructions of whole rounds: vectors of GNU C, and the intrinsics of each
//! target.

use culet_ir::Target;
use culet_types::program::{Family, Instruction};

use super::super::graph::{Kind, Ty};
use super::super::syntax::{ATOM, Text, UNARY};
use super::pairs::REGISTER;

/// Types of registers by the bits of their words.
const WORDS: [(u8, &str); 4] = [(8, "words_8"), (16, "words_16"), (32, "words_32"), (64, REGISTER)];

const LOAD: &str = "load_128";
const STORE: &str = "store_128";
const LOAD_FOUR: &str = "load_512";
const STORE_FOUR: &str = "store_512";

/// Types of four registers by the bits of their words.
const FOURS: [(u8, &str); 4] = [(8, "fours_8"), (16, "fours_16"), (32, "fours_32"), (64, QUAD)];

/// The type of four registers side by side.
pub(crate) const QUAD: &str = "quad";

/// The end of the names of functions on four registers.
const X4: &str = "_x4";

/// Whether a name is one that is defined here.
pub(crate) fn defines(name: &str) -> bool {
    let is_type = WORDS.iter().chain(&FOURS).any(|(_, own)| *own == name);
    is_type
        || [LOAD, STORE, LOAD_FOUR, STORE_FOUR].contains(&name)
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

static inline quad load_512(const uint8_t *bytes)
{
    quad words;
    __builtin_memcpy(&words, bytes, 64);
    return words;
}

static inline void store_512(uint8_t *bytes, quad words)
{
    __builtin_memcpy(bytes, &words, 64);
}

static inline quad copied_x4(pair a)
{
    return (quad){ a[0], a[1], a[0], a[1], a[0], a[1], a[0], a[1] };
}

static inline quad together_x4(pair a, pair b, pair c, pair d)
{
    return (quad){ a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1] };
}

static inline quad shuffle_x4(quad a, pair order)
{
    return (quad)_mm512_shuffle_epi8((__m512i)a, (__m512i)copied_x4(order));
}

";

/// The types and functions for instructions on a target that `text` uses. They follow the type of pairs.
pub(crate) fn definitions(target: Target, instructions: &[Instruction], text_of_functions: &str) -> String {
    let mut text = String::new();
    let has = |family| instructions.iter().any(|instruction| instruction.family() == family);
    let [has_aes, has_products, has_sha] = [Family::Aes, Family::Products, Family::Sha].map(has);
    // Fours may be loaded and stored without an operation on them.
    let has_fours = [X4, LOAD_FOUR].iter().any(|name| text_of_functions.contains(name));
    let is_arm = target == Target::Neon;
    let flags: &[(bool, &str, &str)] = match is_arm {
        true => &[(true, "__ARM_FEATURE_CRYPTO", "-march=armv8-a+crypto")],
        false => &[
            (has_aes, "__AES__", "-maes"),
            (has_products, "__PCLMUL__", "-mpclmul"),
            (has_sha, "__SHA__", "-msha"),
            (has_fours && has_aes, "__VAES__", "-mvaes"),
            (has_fours && has_products, "__VPCLMULQDQ__", "-mvpclmulqdq"),
        ],
    };
    for (_, macro_of, flag) in flags.iter().filter(|(is_needed, ..)| *is_needed) {
        text.push_str(&format!("#if !defined({macro_of})\n#error \"instructions of rounds need {flag}\"\n#endif\n"));
    }
    for (bits, name) in &WORDS[..3] {
        text.push_str(&format!("typedef uint{bits}_t {name} __attribute__((vector_size(16)));\n"));
    }
    text.push('\n');
    text.push_str(ACCESS);
    for instruction in instructions {
        let (name, count) = (instruction.name(), instruction.operands());
        let names = &["a", "b", "c"][..count];
        let parameters: Vec<String> = names.iter().map(|name| format!("{REGISTER} {name}")).collect();
        let value = if is_arm { on_arm(*instruction) } else { on_x86(*instruction, names) };
        let parameters = parameters.join(", ");
        text.push_str(&format!("static inline {REGISTER} {name}({parameters})\n{{\n    return {value};\n}}\n\n"));
    }
    if has_fours {
        text.push_str(FOUR_AT_ONCE);
        for instruction in instructions.iter().filter(|it| text_of_functions.contains(&format!("{}{X4}(", it.name()))) {
            let (name, value) = (instruction.name(), on_four(*instruction));
            text.push_str(&format!(
                "static inline {QUAD} {name}{X4}({QUAD} a, {QUAD} b)\n{{\n    return {value};\n}}\n\n"
            ));
        }
    }
    text
}

fn on_x86(instruction: Instruction, operands: &[&str]) -> String {
    let operands: Vec<String> = operands.iter().map(|name| format!("(__m128i){name}")).collect();
    let operands = operands.join(", ");
    match (half_choice(instruction), instruction.family()) {
        (Some(choice), _) => format!("({REGISTER})_mm_clmulepi64_si128({operands}, {choice:#x})"),
        (None, Family::Sha) => format!("({REGISTER})_mm_{}_epu32({operands})", instruction.name()),
        (None, _) => format!("({REGISTER})_mm_{}_si128({operands})", instruction.name()),
    }
}

/// An instruction of two operands on four registers.
fn on_four(instruction: Instruction) -> String {
    match half_choice(instruction) {
        Some(choice) => format!("({QUAD})_mm512_clmulepi64_epi128((__m512i)a, (__m512i)b, {choice:#x})"),
        None => format!("({QUAD})_mm512_{}_epi128((__m512i)a, (__m512i)b)", instruction.name()),
    }
}

/// The constant that chooses halves of a product's operands: bit 0 is set for the high half of the first, bit 4 of the second.
fn half_choice(instruction: Instruction) -> Option<u8> {
    match instruction {
        Instruction::ClmulLowLow => Some(0),
        Instruction::ClmulLowHigh => Some(0x10),
        Instruction::ClmulHighHigh => Some(0x11),
        _ => None,
    }
}

/// The instructions of AES add the key first, where x86-64 adds it last.
fn on_arm(instruction: Instruction) -> String {
    match instruction {
        Instruction::AesEnc => "(pair)vaesmcq_u8(vaeseq_u8((uint8x16_t)a, vdupq_n_u8(0))) ^ b",
        Instruction::AesEncLast => "(pair)vaeseq_u8((uint8x16_t)a, vdupq_n_u8(0)) ^ b",
        Instruction::AesDec => "(pair)vaesimcq_u8(vaesdq_u8((uint8x16_t)a, vdupq_n_u8(0))) ^ b",
        Instruction::AesDecLast => "(pair)vaesdq_u8((uint8x16_t)a, vdupq_n_u8(0)) ^ b",
        Instruction::AesImc => "(pair)vaesimcq_u8((uint8x16_t)a)",
        Instruction::ClmulLowLow => "(pair)vmull_p64((poly64_t)a[0], (poly64_t)b[0])",
        Instruction::ClmulLowHigh => "(pair)vmull_p64((poly64_t)a[0], (poly64_t)b[1])",
        Instruction::ClmulHighHigh => "(pair)vmull_high_p64((poly64x2_t)a, (poly64x2_t)b)",
        Instruction::Sha256Msg1 => "(pair)vsha256su0q_u32((uint32x4_t)a, (uint32x4_t)b)",
        Instruction::Sha256H => "(pair)vsha256hq_u32((uint32x4_t)a, (uint32x4_t)b, (uint32x4_t)c)",
        Instruction::Sha256H2 => "(pair)vsha256h2q_u32((uint32x4_t)a, (uint32x4_t)b, (uint32x4_t)c)",
        Instruction::Sha256Su1 => "(pair)vsha256su1q_u32((uint32x4_t)a, (uint32x4_t)b, (uint32x4_t)c)",
        // The target has no such instruction.
        Instruction::Sha256Rnds2 | Instruction::Sha256Msg2 => "a",
    }
    .to_owned()
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
        Kind::Block(place) => Text::new(
            format!("({REGISTER})_mm512_extracti32x4_epi32((__m512i){}, {place})", args[0].at_least(UNARY)),
            UNARY,
        ),
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
