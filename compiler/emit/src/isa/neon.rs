//! AArch64's Advanced SIMD: registers of 128 bits, operations on lanes of every width.

use super::steps::{Steps, with_immediate};
use super::{Form, Isa, LaneOp, function_name};
use crate::expr::Expr;
use crate::language::Language;

#[derive(Debug)]
pub(super) struct Neon {
    language: Language,
}

const REGISTER: &str = "uint64x2_t";

/// The type of a register with lanes of `n` bits.
fn lanes(n: u32) -> String {
    format!("uint{n}x{}_t", 128 / n)
}

impl Neon {
    pub fn new(language: Language) -> Neon {
        Neon { language }
    }

    /// A register with lanes of `from` bits as one with lanes of `to` bits.
    fn cast(&self, from: u32, to: u32, value: &str) -> String {
        match self.language {
            _ if from == to => value.to_owned(),
            Language::C if to == 64 => format!("({REGISTER}){value}"),
            Language::C => format!("({}){value}", lanes(to)),
            Language::Rust => fill(&format!("@cast_u{to}_u{from}({value})"), 64),
        }
    }

    /// A result with lanes of `n` bits as a register.
    fn as_register(&self, n: u32, value: &str) -> String {
        match self.language {
            Language::C => format!("({REGISTER}){value}"),
            Language::Rust => self.cast(n, 64, value),
        }
    }

    /// A product with lanes of `2 n` bits as a register with lanes of `n` bits.
    fn half_lanes(&self, n: u32, product: &str) -> String {
        self.cast(2 * n, n, product)
    }

    /// A shift of lanes of `n` bits that fills with copies of the top bit, as a register.
    fn shift_signed(&self, n: u32, k: u32) -> String {
        let text = match self.language {
            Language::C => format!("({REGISTER})@sar((int{n}x{}_t)a, {k})", 128 / n),
            Language::Rust => format!("@cast_u64_s{n}(@sar::<{k}>(@cast_s{n}_u64(a)))"),
        };
        fill(&text, n)
    }

    fn function(&self, op: LaneOp, n: u32, value: &str) -> Form {
        Form::Function { name: function_name(op, n), value: value.to_owned() }
    }

    /// A function with an immediate operand.
    fn with(&self, step: &str, operands: &str, immediate: u32) -> String {
        with_immediate(self.language, step, operands, &immediate.to_string())
    }
}

/// A text with functions' names for steps, as [`Steps::fill`] has it.
fn fill(text: &str, n: u32) -> String {
    Steps::of_arm().fill(text, n)
}

/// The name of a function on lanes of `n` bits.
pub(super) fn name(step: &str, n: u32) -> Option<String> {
    if let Some(types) = step.strip_prefix("cast_") {
        return Some(format!("vreinterpretq_{types}"));
    }
    let of = |name: &str| format!("v{name}_u{n}");
    Some(match step {
        "add" | "sub" | "mul" | "and" => of(&format!("{step}q")),
        "or" => of("orrq"),
        "xor" => of("eorq"),
        // The first operand where the second has zeros.
        "andn" => of("bicq"),
        "shl" => of("shlq_n"),
        "shr" => of("shrq_n"),
        "sar" => format!("vshrq_n_s{n}"),
        // A shift to the right into the first operand.
        "insert" => of("sriq_n"),
        "select" => of("bslq"),
        // Lanes of both operands in turn.
        "low" => of("zip1q"),
        "high" => of("zip2q"),
        // Every second lane of both operands, from the second one on.
        "odd" => of("uzp2q"),
        // The halves of lanes.
        "exchanged" => format!("vrev{n}q_u{}", n / 2),
        "shuffle" => of("qtbl1q"),
        "all" => of("dupq_n"),
        "all_of_lane" => of("dupq_laneq"),
        "word" => of("getq_lane"),
        // Halves of registers, products of all their lanes, and the lower halves of lanes.
        "half" => of("create"),
        "of_halves" => of("combine"),
        "first_half" => of("get_low"),
        "mul_long" => of("mull"),
        "mul_long_high" => of("mull_high"),
        "narrow" => of("movn"),
        "narrow_saturated" => of("qmovn"),
        "load" => of("ld1q"),
        // Products without carries, and instructions of rounds.
        "clmul" => "vmull_p64".to_owned(),
        "clmul_high" => "vmull_high_p64".to_owned(),
        "aes_enc" => "vaeseq_u8".to_owned(),
        "aes_dec" => "vaesdq_u8".to_owned(),
        "aes_mc" => "vaesmcq_u8".to_owned(),
        "aes_imc" => "vaesimcq_u8".to_owned(),
        "sha256h" | "sha256h2" | "sha256su0" | "sha256su1" => format!("v{step}q_u32"),
        _ => return None,
    })
}

impl Isa for Neon {
    fn language(&self) -> Language {
        self.language
    }

    fn logic(&self, operator: &str) -> String {
        let name = match operator {
            "&" => "@and",
            "|" => "@or",
            _ => "@xor",
        };
        fill(name, 64)
    }

    fn andn(&self, a: &Expr, b: &Expr) -> Expr {
        Expr::call(&fill("@andn", 64), &[a, b])
    }

    fn part_of(&self, low: &str, high: &str) -> String {
        fill(&format!("@of_halves(@half({low}), @half({high}))"), 64)
    }

    fn halves_of(&self, part: &str) -> [String; 2] {
        [0, 1].map(|half| fill(&format!("@word::<{half}>({part})"), 64))
    }

    fn register(&self) -> &'static str {
        REGISTER
    }

    fn type_header(&self) -> Option<&'static str> {
        Some("arm_neon.h")
    }

    fn form(&self, op: LaneOp, n: u32) -> Option<Form> {
        let operand = |name: &str| self.cast(64, n, name);
        let (a, b) = (operand("a"), operand("b"));
        let bytes = |name: &str| self.cast(64, 8, name);
        // The value, and the width of its lanes.
        let (result, width) = match op {
            LaneOp::Add => (format!("@add({a}, {b})"), n),
            LaneOp::Sub => (format!("@sub({a}, {b})"), n),
            LaneOp::Mul if n < 64 => (format!("@mul({a}, {b})"), n),
            LaneOp::MulHi if n < 64 => {
                let low = format!("@mul_long(@first_half({a}), @first_half({b}))");
                let high = format!("@mul_long_high({a}, {b})");
                let [low, high] = [low, high].map(|product| self.half_lanes(n, &product));
                (format!("@odd({low}, {high})"), n)
            }
            LaneOp::MulEven => ("@mul_long32(@narrow64(a), @narrow64(b))".to_owned(), 64),
            LaneOp::Shl(k) => (self.with("@shl", &a, k), n),
            LaneOp::Shr(k) => (self.with("@shr", &a, k), n),
            LaneOp::Sar(k) => return Some(self.function(op, n, &self.shift_signed(n, k))),
            // Halves exchanged.
            LaneOp::Rotl(k) if n > 8 && 2 * k == n => (format!("@exchanged({})", self.cast(64, k, "a")), k),
            // A rotation by whole bytes is a shuffle.
            LaneOp::Rotl(k) if k.is_multiple_of(8) => return None,
            // A shift, then a shift that inserts.
            LaneOp::Rotl(k) => {
                let shifted = self.with("@shl", &a, k);
                (self.with("@insert", &format!("{shifted}, {a}"), n - k), n)
            }
            LaneOp::Select => return Some(Form::call(fill("@select", 64))),
            LaneOp::InterleaveLow => (format!("@low({a}, {b})"), n),
            LaneOp::InterleaveHigh => (format!("@high({a}, {b})"), n),
            LaneOp::Shuffle => (format!("@shuffle8({}, {})", bytes("a"), bytes("b")), 8),
            LaneOp::Mul | LaneOp::MulHi | LaneOp::Ternary(_) | LaneOp::Quarters(_) => return None,
        };
        Some(self.function(op, n, &self.as_register(width, &fill(&result, n))))
    }

    fn halves(&self, low: &str, high: &str) -> String {
        match self.language {
            Language::C => format!("({REGISTER}){{ {low}, {high} }}"),
            Language::Rust => self.part_of(low, high),
        }
    }

    fn broadcast(&self, n: u32, word: &str) -> String {
        let word = self.language.choose(word.to_owned(), format!("{word} as u{n}"));
        self.cast(n, 64, &Steps::of_arm().call("all", n, &word))
    }

    fn bytes(&self, from: &[Option<u8>; 16]) -> String {
        let entries = from.map(|byte| byte.unwrap_or(255));
        if self.language.is_rust() {
            let word = u128::from_le_bytes(entries);
            let [low, high] = [word as u64, (word >> 64) as u64].map(|half| self.language.literal(64, half));
            return self.part_of(&low, &high);
        }
        format!("({REGISTER})(uint8x16_t){{ {} }}", entries.map(|entry| entry.to_string()).join(", "))
    }
}
