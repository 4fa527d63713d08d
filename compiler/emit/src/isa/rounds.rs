//! Instructions of whole rounds and products without carries: what each is on a target, in C and in Rust.

use culet_ir::Target;
use culet_types::program::{Family, Instruction};

use super::steps::{Steps, with_immediate};
use crate::language::Language;

/// The types in C of a register, which is a vector of GNU C, and of four of them.
pub(crate) const PAIR: &str = "pair";
pub(crate) const QUAD: &str = "quad";

/// Extensions of a target that have instructions of whole rounds and products without carries: when they are needed, the macro by which C compilers say that
/// they are enabled, and the flag that enables them.
const OF_X86: [(Family, bool, &str, &str); 5] = [
    (Family::Aes, false, "__AES__", "-maes"),
    (Family::Products, false, "__PCLMUL__", "-mpclmul"),
    (Family::Sha, false, "__SHA__", "-msha"),
    (Family::Aes, true, "__VAES__", "-mvaes"),
    (Family::Products, true, "__VPCLMULQDQ__", "-mvpclmulqdq"),
];

/// The macros and flags of C compilers for instructions of these families, and for those on four registers with `has_fours`.
pub(crate) fn flags(target: Target, families: &[Family], has_fours: bool) -> Vec<(&'static str, &'static str)> {
    let is_needed = |(family, is_on_four): (Family, bool)| families.contains(&family) && (has_fours || !is_on_four);
    match target {
        _ if families.is_empty() => Vec::new(),
        Target::C32 | Target::C64 => Vec::new(),
        Target::Neon => vec![("__ARM_FEATURE_CRYPTO", "-march=armv8-a+crypto")],
        Target::Vsx => vec![("__CRYPTO__", "-mcpu=power8")],
        _ => {
            let needed = OF_X86.iter().filter(|extension| is_needed((extension.0, extension.1)));
            needed.map(|(_, _, macro_of, flag)| (*macro_of, *flag)).collect()
        }
    }
}

/// Lines for the preprocessor that stop a C compiler to which an extension is not enabled.
pub(crate) fn required(flags: &[(&str, &str)]) -> String {
    let line = |(name, flag): &(&str, &str)| {
        format!(
            "#if !defined({name})\n#error \"instructions of rounds, or products without carries, need {flag}\"\n#endif\n"
        )
    };
    flags.iter().map(line).collect()
}

/// The value of an instruction on registers `a`, `b` and `c`.
pub(crate) fn round(instruction: Instruction, steps: Steps, language: Language) -> String {
    let value = if steps.is_x86() { on_x86(instruction, steps, language) } else { on_arm(instruction, language) };
    steps.fill(&value, 64)
}

fn on_x86(instruction: Instruction, steps: Steps, language: Language) -> String {
    let bits = steps.bits();
    let (result, cast) = match language {
        Language::C => (format!("({})", if bits == 128 { PAIR } else { QUAD }), format!("(__m{bits}i)")),
        Language::Rust => (String::new(), String::new()),
    };
    let operands = ["a", "b", "c"][..instruction.operands()].iter().map(|name| format!("{cast}{name}"));
    let operands = operands.collect::<Vec<String>>().join(", ");
    let value = match (half_choice(instruction), language) {
        // In Rust, zero is written as other numbers are.
        (Some(0), Language::Rust) => with_immediate(language, "@clmul", &operands, "0"),
        (Some(choice), _) => with_immediate(language, "@clmul", &operands, &format!("{choice:#x}")),
        (None, _) => format!("@{}({operands})", instruction.name()),
    };
    result + &value
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

/// The instructions of AES add the key first, where x86-64 adds it last. Functions in Rust turn a register into one of bytes or words, and back.
fn on_arm(instruction: Instruction, language: Language) -> String {
    let bytes = |name: &str| language.choose(format!("(uint8x16_t){name}"), format!("bytes_of({name})"));
    let words = |name: &str| language.choose(format!("(uint32x4_t){name}"), format!("words_of({name})"));
    let of_bytes = |value: &str| language.choose(format!("({PAIR}){value}"), format!("of_bytes({value})"));
    let and_key = |value: &str| {
        let value = of_bytes(value);
        language.choose(format!("{value} ^ b"), format!("@xor({value}, b)"))
    };
    let of_zero = |step: &str| format!("{step}({}, @all8(0))", bytes("a"));
    let of_words = |step: &str| {
        let operands = ["a", "b", "c"][..instruction.operands()].iter().map(|name| words(name));
        let value = format!("{step}({})", operands.collect::<Vec<String>>().join(", "));
        language.choose(format!("({PAIR}){value}"), format!("of_words({value})"))
    };
    let product = |step: &str, operands: [String; 2]| {
        let value = format!("{step}({})", operands.join(", "));
        language.choose(format!("({PAIR}){value}"), format!("@cast_u64_p128({value})"))
    };
    let half = |name: &str, place: u32| {
        language.choose(format!("(poly64_t){name}[{place}]"), format!("piece_64::<{place}>({name})"))
    };
    let halves = |name: &str| language.choose(format!("(poly64x2_t){name}"), format!("@cast_p64_u64({name})"));
    match instruction {
        Instruction::AesEnc => and_key(&format!("@aes_mc({})", of_zero("@aes_enc"))),
        Instruction::AesEncLast => and_key(&of_zero("@aes_enc")),
        Instruction::AesDec => and_key(&format!("@aes_imc({})", of_zero("@aes_dec"))),
        Instruction::AesDecLast => and_key(&of_zero("@aes_dec")),
        Instruction::AesImc => of_bytes(&format!("@aes_imc({})", bytes("a"))),
        Instruction::ClmulLowLow => product("@clmul", [half("a", 0), half("b", 0)]),
        Instruction::ClmulLowHigh => product("@clmul", [half("a", 0), half("b", 1)]),
        Instruction::ClmulHighHigh => product("@clmul_high", [halves("a"), halves("b")]),
        Instruction::Sha256Msg1 => of_words("@sha256su0"),
        Instruction::Sha256H => of_words("@sha256h"),
        Instruction::Sha256H2 => of_words("@sha256h2"),
        Instruction::Sha256Su1 => of_words("@sha256su1"),
        // The target has no such instruction.
        Instruction::Sha256Rnds2 | Instruction::Sha256Msg2 => "a".to_owned(),
    }
}
