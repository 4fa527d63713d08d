//! Instructions of whole rounds and products without carries: what each is on a target, in C and in Rust.

use culet_ir::Target;
use culet_types::program::{Family, Instruction};

use super::steps::{Architecture, Steps, with_immediate};
use crate::language::Language;

/// The types in C of a register, which is a vector of GNU C, and of four of them.
pub(crate) const PAIR: &str = "pair";
pub(crate) const QUAD: &str = "quad";

/// Extensions of a target that have instructions of whole rounds and products without carries: when they are needed, the macro by which C compilers say that
/// they are enabled, and the flag that enables them.
const OF_X86: [(Family, bool, &str, &str); 6] = [
    (Family::Aes, false, "__AES__", "-maes"),
    (Family::Products, false, "__PCLMUL__", "-mpclmul"),
    (Family::Bytes, false, "__GFNI__", "-mgfni"),
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
    let value = match steps.architecture() {
        Architecture::X86 => on_x86(instruction, steps, language),
        Architecture::Arm => on_arm(instruction, language),
        Architecture::Power => on_power(instruction),
    };
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
    let step = match instruction {
        Instruction::ClmulLowLow | Instruction::ClmulLowHigh | Instruction::ClmulHighHigh => "clmul",
        _ => instruction.name(),
    };
    let value = match (immediate(instruction), language) {
        // In Rust, zero is written as other numbers are.
        (Some(0), Language::Rust) => with_immediate(language, &format!("@{step}"), &operands, "0"),
        (Some(value), _) => with_immediate(language, &format!("@{step}"), &operands, &format!("{value:#x}")),
        (None, _) => format!("@{step}({operands})"),
    };
    result + &value
}

/// The constant in the instruction. For products it chooses halves of the operands: bit 0 is set for the high half of the first, bit 4 of the
/// second. For others it is added, and a program does that itself.
fn immediate(instruction: Instruction) -> Option<u8> {
    match instruction {
        Instruction::ClmulLowLow => Some(0),
        Instruction::ClmulLowHigh => Some(0x10),
        Instruction::ClmulHighHigh => Some(0x11),
        Instruction::AesKeyGenAssist | Instruction::Gf2p8Affine | Instruction::Gf2p8AffineInverse => Some(0),
        _ => None,
    }
}

/// The places of the bytes that `aeskeygenassist` substitutes, in their order in its result.
const ASSISTED: [usize; 16] = [4, 5, 6, 7, 5, 6, 7, 4, 12, 13, 14, 15, 13, 14, 15, 12];

/// Places of bytes as a list.
fn places(places: [usize; 16]) -> String {
    places.map(|place| place.to_string()).join(", ")
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
        Instruction::AesKeyGenAssist => {
            // The instruction moves the byte of row r and column c to column c - r.
            let moved = places(ASSISTED.map(|from| from % 4 + 4 * ((from / 4 + 4 - from % 4) % 4)));
            let substituted = of_zero("@aes_enc");
            match language {
                Language::C => of_bytes(&format!("__builtin_shufflevector({substituted}, {substituted}, {moved})")),
                Language::Rust => of_bytes(&format!("@shuffle8({substituted}, bytes_of(together_8([{moved}])))")),
            }
        }
        Instruction::ClmulLowLow => product("@clmul", [half("a", 0), half("b", 0)]),
        Instruction::ClmulLowHigh => product("@clmul", [half("a", 0), half("b", 1)]),
        Instruction::ClmulHighHigh => product("@clmul_high", [halves("a"), halves("b")]),
        Instruction::Sha256Msg1 => of_words("@sha256su0"),
        Instruction::Sha256H => of_words("@sha256h"),
        Instruction::Sha256H2 => of_words("@sha256h2"),
        Instruction::Sha256Su1 => of_words("@sha256su1"),
        // The target has no such instruction.
        Instruction::Gf2p8Affine
        | Instruction::Gf2p8AffineInverse
        | Instruction::Gf2p8Multiply
        | Instruction::Sha256Rnds2
        | Instruction::Sha256Msg2 => "a".to_owned(),
    }
}

/// The name of the function, [`TURN`], that turns the bytes of a register around.
pub(crate) const TURNED: &str = "turned_128";

/// POWER's instructions of AES take the first byte of a block at the top of a register, where a load puts it at the bottom. Compilers see that
/// the turns between two rounds undo each other; of a loop, they are told to make copies.
pub(crate) const TURN: &str = "\
static inline pair turned_128(pair a)
{
    return (pair)__builtin_shufflevector((words_8)a, (words_8)a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

";

/// In C; stable Rust has none of these. The inverse round adds its operand before InvMixColumns, so that it is given zero, and the key is added
/// at the end. Products are sums of two, of which one has a factor of zero.
fn on_power(instruction: Instruction) -> String {
    const BYTES: &str = "__vector unsigned char";
    let turned = |name: &str| format!("({BYTES}){TURNED}({name})");
    let block = |value: &str| format!("{TURNED}(({PAIR}){value})");
    let with_key = |step: &str| block(&format!("@{step}({}, {})", turned("a"), turned("b")));
    let of_zero = |step: &str, value: &str| format!("@{step}({value}, ({BYTES}){{ 0 }})");
    let product = |a: &str, b: &str| {
        let words = "__vector unsigned long long";
        format!("({PAIR})@clmul(({words}){a}, ({words}){b})")
    };
    match instruction {
        Instruction::AesEnc => with_key("aes_enc"),
        Instruction::AesEncLast => with_key("aes_enc_last"),
        Instruction::AesDec => format!("{} ^ b", block(&of_zero("aes_dec", &turned("a")))),
        Instruction::AesDecLast => with_key("aes_dec_last"),
        // The inverse round undoes what the last round does, and is InvMixColumns then.
        Instruction::AesImc => block(&of_zero("aes_dec", &of_zero("aes_enc_last", &turned("a")))),
        Instruction::ClmulLowLow => product("{ a[0], 0 }", "{ b[0], 0 }"),
        Instruction::ClmulLowHigh => product("{ a[0], 0 }", "{ b[1], 0 }"),
        Instruction::ClmulHighHigh => product("{ 0, a[1] }", "{ 0, b[1] }"),
        // The order of the bytes does not matter to the table.
        Instruction::AesKeyGenAssist => {
            let substituted = format!("@substitute(({BYTES})a)");
            format!("({PAIR})__builtin_shufflevector({substituted}, {substituted}, {})", places(ASSISTED))
        }
        // The target has no such instruction.
        Instruction::Gf2p8Affine
        | Instruction::Gf2p8AffineInverse
        | Instruction::Gf2p8Multiply
        | Instruction::Sha256Rnds2
        | Instruction::Sha256Msg1
        | Instruction::Sha256Msg2
        | Instruction::Sha256H
        | Instruction::Sha256H2
        | Instruction::Sha256Su1 => "a".to_owned(),
    }
}
