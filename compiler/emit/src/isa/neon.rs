//! AArch64's Advanced SIMD: registers of 128 bits, operations on lanes of every width.

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
            Language::Rust => format!("vreinterpretq_u{to}_u{from}({value})"),
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
        match self.language {
            Language::C => format!("({REGISTER})vshrq_n_s{n}((int{n}x{}_t)a, {k})", 128 / n),
            Language::Rust => {
                format!("vreinterpretq_u64_s{n}(vshrq_n_s{n}::<{k}>(vreinterpretq_s{n}_u64(a)))")
            }
        }
    }

    fn function(&self, op: LaneOp, n: u32, value: &str) -> Form {
        Form::Function { name: function_name(op, n), value: value.to_owned() }
    }

    /// A function with an immediate operand after its others.
    fn with(&self, name: &str, operands: &str, immediate: u32) -> String {
        match self.language {
            Language::C => format!("{name}({operands}, {immediate})"),
            Language::Rust => format!("{name}::<{immediate}>({operands})"),
        }
    }
}

impl Isa for Neon {
    fn language(&self) -> Language {
        self.language
    }

    fn logic(&self, operator: &str) -> String {
        let name = match operator {
            "&" => "and",
            "|" => "orr",
            _ => "eor",
        };
        format!("v{name}q_u64")
    }

    fn andn(&self, a: &Expr, b: &Expr) -> Expr {
        Expr::call("vbicq_u64", &[a, b])
    }

    fn part_of(&self, low: &str, high: &str) -> String {
        format!("vcombine_u64(vcreate_u64({low}), vcreate_u64({high}))")
    }

    fn halves_of(&self, part: &str) -> [String; 2] {
        [0, 1].map(|half| format!("vgetq_lane_u64::<{half}>({part})"))
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
            LaneOp::Add => (format!("vaddq_u{n}({a}, {b})"), n),
            LaneOp::Sub => (format!("vsubq_u{n}({a}, {b})"), n),
            LaneOp::Mul if n < 64 => (format!("vmulq_u{n}({a}, {b})"), n),
            LaneOp::MulHi if n < 64 => {
                let low = format!("vmull_u{n}(vget_low_u{n}({a}), vget_low_u{n}({b}))");
                let high = format!("vmull_high_u{n}({a}, {b})");
                let [low, high] = [low, high].map(|product| self.half_lanes(n, &product));
                (format!("vuzp2q_u{n}({low}, {high})"), n)
            }
            LaneOp::MulEven => ("vmull_u32(vmovn_u64(a), vmovn_u64(b))".to_owned(), 64),
            LaneOp::Shl(k) => (self.with(&format!("vshlq_n_u{n}"), &a, k), n),
            LaneOp::Shr(k) => (self.with(&format!("vshrq_n_u{n}"), &a, k), n),
            LaneOp::Sar(k) => return Some(self.function(op, n, &self.shift_signed(n, k))),
            // Halves exchanged.
            LaneOp::Rotl(k) if n > 8 && 2 * k == n => (format!("vrev{n}q_u{k}({})", self.cast(64, k, "a")), k),
            // A rotation by whole bytes is a shuffle.
            LaneOp::Rotl(k) if k.is_multiple_of(8) => return None,
            // A shift, then a shift that inserts.
            LaneOp::Rotl(k) => {
                let shifted = self.with(&format!("vshlq_n_u{n}"), &a, k);
                (self.with(&format!("vsriq_n_u{n}"), &format!("{shifted}, {a}"), n - k), n)
            }
            LaneOp::Select => return Some(Form::call("vbslq_u64")),
            LaneOp::InterleaveLow => (format!("vzip1q_u{n}({a}, {b})"), n),
            LaneOp::InterleaveHigh => (format!("vzip2q_u{n}({a}, {b})"), n),
            LaneOp::Shuffle => (format!("vqtbl1q_u8({}, {})", bytes("a"), bytes("b")), 8),
            LaneOp::Mul | LaneOp::MulHi | LaneOp::Ternary(_) | LaneOp::Quarters(_) => return None,
        };
        Some(self.function(op, n, &self.as_register(width, &result)))
    }

    fn halves(&self, low: &str, high: &str) -> String {
        match self.language {
            Language::C => format!("({REGISTER}){{ {low}, {high} }}"),
            Language::Rust => self.part_of(low, high),
        }
    }

    fn broadcast(&self, n: u32, word: &str) -> String {
        let word = self.language.choose(word.to_owned(), format!("{word} as u{n}"));
        self.cast(n, 64, &format!("vdupq_n_u{n}({word})"))
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
