//! SSE, AVX2 and AVX-512: registers of 128, 256 or 512 bits.

use culet_ir::Target;

use super::steps::{Steps, with_immediate};
use super::{Form, Isa, LaneOp};
use crate::expr::Expr;
use crate::language::Language;

#[derive(Debug)]
pub(super) struct X86 {
    target: Target,
    bits: u32,
    language: Language,
}

impl X86 {
    pub fn new(target: Target, bits: u32, language: Language) -> X86 {
        X86 { target, bits, language }
    }

    fn steps(&self) -> Steps {
        Steps::of_x86(self.bits)
    }

    /// A text with functions' names for steps, as [`Steps::fill`] has it, on lanes of 64 bits.
    fn fill(&self, text: &str) -> String {
        self.steps().fill(text, 64)
    }

    /// A function with an immediate operand.
    fn with(&self, step: &str, operands: &str, immediate: u32) -> String {
        self.fill(&with_immediate(self.language, step, operands, &immediate.to_string()))
    }

    /// An expression as a signed word of `n` bits.
    fn signed(&self, n: u32, word: &str) -> String {
        let signed = self.language.signed(n);
        self.language.choose(format!("({signed}){word}"), format!("{word} as {signed}"))
    }

    /// A function that is a step of its own.
    fn named(&self, step: &str, n: u32) -> Option<Form> {
        self.steps().name(step, n).map(Form::call)
    }

    /// A register whose parts are all this `__m128i`.
    fn broadcast_part(&self, part: &str) -> String {
        match self.bits {
            128 => part.to_owned(),
            _ => self.steps().call("all_parts", 64, part),
        }
    }
}

impl Isa for X86 {
    fn language(&self) -> Language {
        self.language
    }

    fn logic(&self, operator: &str) -> String {
        let name = match operator {
            "&" => "and",
            "|" => "or",
            _ => "xor",
        };
        self.fill(&format!("@{name}"))
    }

    fn andn(&self, a: &Expr, b: &Expr) -> Expr {
        Expr::call(&self.fill("@andn"), &[b, a])
    }

    fn part_of(&self, low: &str, high: &str) -> String {
        self.fill(&format!("@part.set({}, {})", self.signed(64, high), self.signed(64, low)))
    }

    fn halves_of(&self, part: &str) -> [String; 2] {
        ["@part.first_word", "@part.word::<1>"].map(|word| self.fill(&format!("{word}({part}) as u64")))
    }

    fn register(&self) -> &'static str {
        match self.bits {
            128 => "__m128i",
            256 => "__m256i",
            _ => "__m512i",
        }
    }

    fn part(&self) -> &'static str {
        "__m128i"
    }

    fn type_header(&self) -> Option<&'static str> {
        // The header of SSE4.1 is a small part of the other one, and is read much faster.
        Some(if self.target == Target::Sse { "smmintrin.h" } else { "immintrin.h" })
    }

    fn form(&self, op: LaneOp, n: u32) -> Option<Form> {
        let avx512 = self.target.is_avx512();
        let step = |name: &str| self.named(name, n);
        let with = |name: &str, immediate: String| {
            let name = self.steps().name(name, n)?;
            Some(match self.language {
                Language::C => Form::Call { name, immediate: Some(immediate) },
                Language::Rust => Form::call(format!("{name}::<{immediate}>")),
            })
        };
        match op {
            LaneOp::Add => step("add"),
            LaneOp::Sub => step("sub"),
            LaneOp::Mul if matches!(n, 16 | 32) || n == 64 && avx512 => step("mul"),
            LaneOp::MulHi if n == 16 => step("mul_high"),
            LaneOp::MulEven => step("mul_even"),
            LaneOp::Shl(k) if n > 8 => with("shl", k.to_string()),
            LaneOp::Shr(k) if n > 8 => with("shr", k.to_string()),
            LaneOp::Sar(k) if matches!(n, 16 | 32) || n == 64 && avx512 => with("sar", k.to_string()),
            LaneOp::Rotl(k) if n >= 32 && avx512 => with("rotl", k.to_string()),
            LaneOp::Select => self.form(LaneOp::Ternary(0xca), n),
            LaneOp::Ternary(table) if avx512 => with("ternary", format!("{table:#04x}")),
            LaneOp::InterleaveLow => step("low"),
            LaneOp::InterleaveHigh => step("high"),
            LaneOp::Shuffle => self.named("shuffle", 8),
            LaneOp::Quarters(selector) => {
                let cast = if self.bits == 512 && self.language == Language::C { "(_MM_PERM_ENUM)" } else { "" };
                with("quarters", format!("{cast}{selector:#04x}"))
            }
            _ => None,
        }
    }

    fn halves(&self, low: &str, high: &str) -> String {
        self.broadcast_part(&self.part_of(low, high))
    }

    fn splat(&self, n: u32, value: u64) -> String {
        match value {
            0 => self.fill("@zero()"),
            _ if value == u64::MAX >> (64 - n) => self.fill("@all32(-1)"),
            _ => self.broadcast(n, &self.language.literal(n, value)),
        }
    }

    fn broadcast(&self, n: u32, word: &str) -> String {
        self.steps().call("all", n, &self.signed(n, word))
    }

    fn broadcast_bit(&self, bit: &str) -> String {
        let word = self.language.choose(format!("-(int){bit}"), format!("-({bit} as i32)"));
        self.steps().call("all", 32, &word)
    }

    fn bytes(&self, from: &[Option<u8>; 16]) -> String {
        let entries: Vec<String> = from.iter().map(|byte| byte.map_or("-1".to_owned(), |b| b.to_string())).collect();
        self.broadcast_part(&self.fill(&format!("@part.set_bytes({})", entries.join(", "))))
    }

    fn load_row(&self, piece: u32) -> String {
        let text = match piece {
            16 => "    (void)next;\n    return @part.load((const __m128i *)bytes);\n".to_owned(),
            8 => "    return @part.low(@part.load_half((const __m128i *)bytes),
                              @part.load_half((const __m128i *)(bytes + next)));\n"
                .to_owned(),
            _ => format!(
                "    uint8_t row[16];\n    for (size_t i = 0; i < {}; i++)\n        \
                 memcpy(row + {piece} * i, bytes + i * next, {piece});\n    \
                 return @part.load((const __m128i *)row);\n",
                16 / piece
            ),
        };
        self.fill(&text)
    }

    fn load_narrow_row(&self, width: u32) -> String {
        let text = match width {
            8 => "    (void)next;\n    return @part.load_half((const __m128i *)bytes);\n".to_owned(),
            _ => format!(
                "    (void)next;\n    __m128i row = @part.zero();\n    memcpy(&row, bytes, {width});\n    return row;\n"
            ),
        };
        self.fill(&text)
    }

    fn store_row(&self, piece: u32) -> String {
        let text = match piece {
            16 => "    (void)next;\n    @part.store((__m128i *)bytes, row);\n".to_owned(),
            8 => "    @part.store_half((__m128i *)bytes, row);
    @part.store_half((__m128i *)(bytes + next), @part.high(row, row));\n"
                .to_owned(),
            _ => format!(
                "    uint8_t pieces[16];\n    @part.store((__m128i *)pieces, row);\n    \
                 for (size_t i = 0; i < {}; i++)\n        memcpy(bytes + i * next, pieces + {piece} * i, {piece});\n",
                16 / piece
            ),
        };
        self.fill(&text)
    }

    fn store_narrow_row(&self, width: u32) -> String {
        let text = match width {
            8 => "    (void)next;\n    @part.store_half((__m128i *)bytes, row);\n".to_owned(),
            _ => format!("    (void)next;\n    memcpy(bytes, &row, {width});\n"),
        };
        self.fill(&text)
    }

    fn join_rows(&self, row: &dyn Fn(u32) -> String) -> String {
        let language = self.language;
        let insert = |rows: &str, part: u32| self.with("@with_part", &format!("{rows}, {}", row(part)), part);
        let first = || self.steps().call("of_first_part", 64, &row(0));
        match self.bits {
            128 => format!("    {}\n    {}\n", language.unused("part"), language.result(&row(0))),
            256 => format!("    {}\n", language.result(&insert(&first(), 1))),
            _ => {
                let begun = language.variable("__m512i", "rows", &first());
                let [second, third, fourth] = [1, 2, 3].map(|part| insert("rows", part));
                let result = language.result(&fourth);
                format!("    {begun}\n    rows = {second};\n    rows = {third};\n    {result}\n")
            }
        }
    }

    fn split_rows(&self, store: &dyn Fn(u32, &str) -> String) -> String {
        if self.bits == 128 {
            return format!("    {}\n{}", self.language.unused("part"), store(0, "rows"));
        }
        let parts = (1..self.bits / 128).map(|part| store(part, &self.with("@part32", "rows", part)));
        store(0, &self.fill("@first_part(rows)")) + &parts.collect::<String>()
    }
}

/// The name of a function on registers of `bits` bits with lanes of `n` bits.
pub(super) fn name(step: &str, bits: u32, n: u32) -> Option<String> {
    let lanes = |name: &str| format!("{name}_epi{n}");
    let whole = |name: &str| format!("{name}_si{bits}");
    let is_widest = bits == 512;
    let rest = match step {
        "add" | "sub" => lanes(step),
        "mul" => lanes("mullo"),
        "mul_high" => format!("mulhi_epu{n}"),
        // The whole product of the lower halves of lanes of 64 bits.
        "mul_even" => "mul_epu32".to_owned(),
        // The halves of products of 52 bits are added to the first operand.
        "mac_low" => "madd52lo_epu64".to_owned(),
        "mac_high" => "madd52hi_epu64".to_owned(),
        "shl" => lanes("slli"),
        "shr" => lanes("srli"),
        "sar" => lanes("srai"),
        "rotl" => lanes("rol"),
        "and" | "or" | "xor" => whole(step),
        // The second operand where the first has zeros.
        "andn" => whole("andnot"),
        "ternary" => "ternarylogic_epi64".to_owned(),
        // The second operand with the signs of the first.
        "sign" => lanes("sign"),
        "zero" => whole("setzero"),
        "all" if n == 64 && !is_widest => "set1_epi64x".to_owned(),
        "all" => lanes("set1"),
        // Words of 64 bits, the lowest last.
        "set" => if is_widest { "set_epi64" } else { "set_epi64x" }.to_owned(),
        "set_bytes" => "setr_epi8".to_owned(),
        "word" => lanes("extract"),
        "first_word" => "cvtsi128_si64".to_owned(),
        "of_first_word" => "cvtsi64_si128".to_owned(),
        // Lanes of both operands in turn, of each part.
        "low" => lanes("unpacklo"),
        "high" => lanes("unpackhi"),
        "shuffle" => lanes("shuffle"),
        "quarters" => "shuffle_epi32".to_owned(),
        "permute" if is_widest => lanes("permutexvar"),
        "permute" => "permutevar8x32_epi32".to_owned(),
        "permute_two" => lanes("permutex2var"),
        "blend" => lanes("mask_blend"),
        // Lanes of two registers behind one another, from a lane on.
        "align" => lanes("alignr"),
        "load" => whole("loadu"),
        "store" => whole("storeu"),
        "load_half" => "loadl_epi64".to_owned(),
        "store_half" => "storel_epi64".to_owned(),
        // Parts of 128 bits.
        "parts" => if is_widest { "shuffle_i64x2" } else { "permute2x128_si256" }.to_owned(),
        "part" if is_widest => format!("extracti{n}x{}_epi{n}", 128 / n),
        "part" => "extracti128_si256".to_owned(),
        "with_part" => if is_widest { "inserti32x4" } else { "inserti128_si256" }.to_owned(),
        "first_part" => format!("castsi{bits}_si128"),
        "of_first_part" => whole("castsi128"),
        "of_parts" => "set_m128i".to_owned(),
        "all_parts" => if is_widest { "broadcast_i32x4" } else { "broadcastsi128_si256" }.to_owned(),
        // Halves of 256 bits.
        "half" => "extracti64x4_epi64".to_owned(),
        "with_half" => "inserti64x4".to_owned(),
        "first_half" => "castsi512_si256".to_owned(),
        "of_first_half" => whole("castsi256"),
        // Instructions of rounds, and products without carries.
        "aesenc" | "aesenclast" | "aesdec" | "aesdeclast" | "aesimc" | "aeskeygenassist" => rounds(step, bits),
        "clmul" => rounds("clmulepi64", bits),
        "gf2p8affineqb" => "gf2p8affine_epi64_epi8".to_owned(),
        "gf2p8affineinvqb" => "gf2p8affineinv_epi64_epi8".to_owned(),
        "gf2p8mulb" => "gf2p8mul_epi8".to_owned(),
        "sha256rnds2" | "sha256msg1" | "sha256msg2" => format!("{step}_epu32"),
        _ => return None,
    };
    Some(format!("_mm{}_{rest}", if bits == 128 { String::new() } else { bits.to_string() }))
}

/// The rest of the name of a function on all parts of a register.
fn rounds(name: &str, bits: u32) -> String {
    let of = if bits == 128 { "si128" } else { "epi128" };
    format!("{name}_{of}")
}
