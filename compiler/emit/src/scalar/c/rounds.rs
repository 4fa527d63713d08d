//! Registers of words side by side, and instructions of whole rounds: vectors of GNU C, and the intrinsics of each target.

use culet_ir::Target;
use culet_types::program::Instruction;

use super::super::graph::Kind;
use super::super::syntax::{ATOM, Text, UNARY};
use super::pairs::REGISTER;

/// Types of registers by the bits of their words.
const WORDS: [(u8, &str); 4] = [(8, "words_8"), (16, "words_16"), (32, "words_32"), (64, REGISTER)];

const LOAD: &str = "load_128";
const STORE: &str = "store_128";

/// Whether a name is one that is defined here.
pub(crate) fn defines(name: &str) -> bool {
    let is_type = WORDS.iter().any(|(_, own)| *own == name);
    is_type || [LOAD, STORE].contains(&name) || Instruction::find(name).is_some()
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

/// The types and functions for instructions on a target. They follow the type of pairs.
pub(crate) fn definitions(target: Target, instructions: &[Instruction]) -> String {
    let mut text = String::new();
    let [has_aes, has_sha] =
        [false, true].map(|is_sha| instructions.iter().any(|instruction| instruction.is_sha() == is_sha));
    let is_arm = target == Target::Neon;
    let flags = match is_arm {
        true => [(has_aes || has_sha, "__ARM_FEATURE_CRYPTO", "-march=armv8-a+crypto"), (false, "", "")],
        false => [(has_aes, "__AES__", "-maes"), (has_sha, "__SHA__", "-msha")],
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
    text
}

fn on_x86(instruction: Instruction, operands: &[&str]) -> String {
    let suffix = if instruction.is_sha() { "epu32" } else { "si128" };
    let operands: Vec<String> = operands.iter().map(|name| format!("(__m128i){name}")).collect();
    format!("({REGISTER})_mm_{}_{suffix}({})", instruction.name(), operands.join(", "))
}

/// The instructions of AES add the key first, where x86-64 adds it last.
fn on_arm(instruction: Instruction) -> String {
    match instruction {
        Instruction::AesEnc => "(pair)vaesmcq_u8(vaeseq_u8((uint8x16_t)a, vdupq_n_u8(0))) ^ b",
        Instruction::AesEncLast => "(pair)vaeseq_u8((uint8x16_t)a, vdupq_n_u8(0)) ^ b",
        Instruction::AesDec => "(pair)vaesimcq_u8(vaesdq_u8((uint8x16_t)a, vdupq_n_u8(0))) ^ b",
        Instruction::AesDecLast => "(pair)vaesdq_u8((uint8x16_t)a, vdupq_n_u8(0)) ^ b",
        Instruction::AesImc => "(pair)vaesimcq_u8((uint8x16_t)a)",
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

/// An operation on registers that is no operator of C's; none for others.
pub(crate) fn operation(kind: &Kind, args: &[Text]) -> Option<Text> {
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
