//! SSE, AVX2 and AVX-512: registers of 128, 256 or 512 bits.

use culet_ir::Target;

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

    /// An intrinsic with an immediate operand.
    fn with(&self, name: &str, operands: &str, immediate: u32) -> String {
        match self.language {
            Language::C => format!("{name}({operands}, {immediate})"),
            Language::Rust => format!("{name}::<{immediate}>({operands})"),
        }
    }

    /// An expression as a signed word of `n` bits.
    fn signed(&self, n: u32, word: &str) -> String {
        let signed = self.language.signed(n);
        self.language.choose(format!("({signed}){word}"), format!("{word} as {signed}"))
    }

    /// The intrinsic of this name for the register's width.
    fn intrinsic(&self, name: &str) -> String {
        let prefix = match self.bits {
            128 => "_mm",
            256 => "_mm256",
            _ => "_mm512",
        };
        format!("{prefix}_{name}")
    }

    /// `set1` for lanes of `n` bits; the 64-bit one has two names.
    fn set1(&self, n: u32) -> String {
        match n {
            64 if self.bits < 512 => self.intrinsic("set1_epi64x"),
            _ => self.intrinsic(&format!("set1_epi{n}")),
        }
    }

    /// A register whose parts are all this `__m128i`.
    fn broadcast_part(&self, part: &str) -> String {
        match self.bits {
            128 => part.to_owned(),
            256 => format!("_mm256_broadcastsi128_si256({part})"),
            _ => format!("_mm512_broadcast_i32x4({part})"),
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
        self.intrinsic(&format!("{name}_si{}", self.bits))
    }

    fn andn(&self, a: &Expr, b: &Expr) -> Expr {
        Expr::call(&self.intrinsic(&format!("andnot_si{}", self.bits)), &[b, a])
    }

    fn part_of(&self, low: &str, high: &str) -> String {
        format!("_mm_set_epi64x({}, {})", self.signed(64, high), self.signed(64, low))
    }

    fn halves_of(&self, part: &str) -> [String; 2] {
        [format!("_mm_cvtsi128_si64({part}) as u64"), format!("_mm_extract_epi64::<1>({part}) as u64")]
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
        let named = |name: &str| Some(Form::call(self.intrinsic(name)));
        let lanes = |name: &str| named(&format!("{name}_epi{n}"));
        let with = |name: String, immediate: String| {
            let name = self.intrinsic(&name);
            Some(match self.language {
                Language::C => Form::Call { name, immediate: Some(immediate) },
                Language::Rust => Form::call(format!("{name}::<{immediate}>")),
            })
        };
        match op {
            LaneOp::Add => lanes("add"),
            LaneOp::Sub => lanes("sub"),
            LaneOp::Mul if matches!(n, 16 | 32) || n == 64 && avx512 => lanes("mullo"),
            LaneOp::MulHi if n == 16 => named("mulhi_epu16"),
            LaneOp::MulEven => named("mul_epu32"),
            LaneOp::Shl(k) if n > 8 => with(format!("slli_epi{n}"), k.to_string()),
            LaneOp::Shr(k) if n > 8 => with(format!("srli_epi{n}"), k.to_string()),
            LaneOp::Sar(k) if matches!(n, 16 | 32) || n == 64 && avx512 => with(format!("srai_epi{n}"), k.to_string()),
            LaneOp::Rotl(k) if n >= 32 && avx512 => with(format!("rol_epi{n}"), k.to_string()),
            LaneOp::Select => self.form(LaneOp::Ternary(0xca), n),
            LaneOp::Ternary(table) if avx512 => with("ternarylogic_epi64".to_owned(), format!("{table:#04x}")),
            LaneOp::InterleaveLow => lanes("unpacklo"),
            LaneOp::InterleaveHigh => lanes("unpackhi"),
            LaneOp::Shuffle => named("shuffle_epi8"),
            LaneOp::Quarters(selector) => {
                let cast = if self.bits == 512 && self.language == Language::C { "(_MM_PERM_ENUM)" } else { "" };
                with("shuffle_epi32".to_owned(), format!("{cast}{selector:#04x}"))
            }
            _ => None,
        }
    }

    fn halves(&self, low: &str, high: &str) -> String {
        self.broadcast_part(&self.part_of(low, high))
    }

    fn splat(&self, n: u32, value: u64) -> String {
        match value {
            0 => format!("{}()", self.intrinsic(&format!("setzero_si{}", self.bits))),
            _ if value == u64::MAX >> (64 - n) => format!("{}(-1)", self.set1(32)),
            _ => self.broadcast(n, &self.language.literal(n, value)),
        }
    }

    fn broadcast(&self, n: u32, word: &str) -> String {
        format!("{}({})", self.set1(n), self.signed(n, word))
    }

    fn broadcast_bit(&self, bit: &str) -> String {
        match self.language {
            Language::C => format!("{}(-(int){bit})", self.set1(32)),
            Language::Rust => format!("{}(-({bit} as i32))", self.set1(32)),
        }
    }

    fn bytes(&self, from: &[Option<u8>; 16]) -> String {
        let entries: Vec<String> = from.iter().map(|byte| byte.map_or("-1".to_owned(), |b| b.to_string())).collect();
        self.broadcast_part(&format!("_mm_setr_epi8({})", entries.join(", ")))
    }

    fn load_row(&self, piece: u32) -> String {
        match piece {
            16 => "    (void)next;\n    return _mm_loadu_si128((const __m128i *)bytes);\n".to_owned(),
            8 => "    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)bytes),
                              _mm_loadl_epi64((const __m128i *)(bytes + next)));\n"
                .to_owned(),
            _ => format!(
                "    uint8_t row[16];\n    for (size_t i = 0; i < {}; i++)\n        \
                 memcpy(row + {piece} * i, bytes + i * next, {piece});\n    \
                 return _mm_loadu_si128((const __m128i *)row);\n",
                16 / piece
            ),
        }
    }

    fn load_narrow_row(&self, width: u32) -> String {
        match width {
            8 => "    (void)next;\n    return _mm_loadl_epi64((const __m128i *)bytes);\n".to_owned(),
            _ => format!(
                "    (void)next;\n    __m128i row = _mm_setzero_si128();\n    memcpy(&row, bytes, {width});\n    return row;\n"
            ),
        }
    }

    fn store_row(&self, piece: u32) -> String {
        match piece {
            16 => "    (void)next;\n    _mm_storeu_si128((__m128i *)bytes, row);\n".to_owned(),
            8 => "    _mm_storel_epi64((__m128i *)bytes, row);
    _mm_storel_epi64((__m128i *)(bytes + next), _mm_unpackhi_epi64(row, row));\n"
                .to_owned(),
            _ => format!(
                "    uint8_t pieces[16];\n    _mm_storeu_si128((__m128i *)pieces, row);\n    \
                 for (size_t i = 0; i < {}; i++)\n        memcpy(bytes + i * next, pieces + {piece} * i, {piece});\n",
                16 / piece
            ),
        }
    }

    fn store_narrow_row(&self, width: u32) -> String {
        match width {
            8 => "    (void)next;\n    _mm_storel_epi64((__m128i *)bytes, row);\n".to_owned(),
            _ => format!("    (void)next;\n    memcpy(bytes, &row, {width});\n"),
        }
    }

    fn join_rows(&self, row: &dyn Fn(u32) -> String) -> String {
        let language = self.language;
        let insert = |name: &str, rows: &str, part: u32| self.with(name, &format!("{rows}, {}", row(part)), part);
        match self.bits {
            128 => format!("    {}\n    {}\n", language.unused("part"), language.result(&row(0))),
            256 => {
                let first = format!("_mm256_castsi128_si256({})", row(0));
                format!("    {}\n", language.result(&insert("_mm256_inserti128_si256", &first, 1)))
            }
            _ => {
                let first = format!("_mm512_castsi128_si512({})", row(0));
                let with = |part| insert("_mm512_inserti32x4", "rows", part);
                let begun = language.variable("__m512i", "rows", &first);
                format!(
                    "    {begun}\n    rows = {};\n    rows = {};\n    {}\n",
                    with(1),
                    with(2),
                    language.result(&with(3))
                )
            }
        }
    }

    fn split_rows(&self, store: &dyn Fn(u32, &str) -> String) -> String {
        match self.bits {
            128 => format!("    {}\n{}", self.language.unused("part"), store(0, "rows")),
            256 => {
                store(0, "_mm256_castsi256_si128(rows)") + &store(1, &self.with("_mm256_extracti128_si256", "rows", 1))
            }
            _ => {
                let parts = (1..4).map(|part| store(part, &self.with("_mm512_extracti32x4_epi32", "rows", part)));
                store(0, "_mm512_castsi512_si128(rows)") + &parts.collect::<String>()
            }
        }
    }
}
