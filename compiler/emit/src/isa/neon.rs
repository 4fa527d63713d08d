//! AArch64's Advanced SIMD: registers of 128 bits, operations on lanes of every width.

use super::{Form, Isa, LaneOp, function_name};

#[derive(Debug)]
pub(super) struct Neon;

const REGISTER: &str = "uint64x2_t";

/// The type of a register with lanes of `n` bits.
fn lanes(n: u32) -> String {
    format!("uint{n}x{}_t", 128 / n)
}

impl Isa for Neon {
    fn register(&self) -> &'static str {
        REGISTER
    }

    fn type_header(&self) -> Option<&'static str> {
        Some("arm_neon.h")
    }

    fn form(&self, op: LaneOp, n: u32) -> Option<Form> {
        let t = lanes(n);
        let operand = |name: &str| if n == 64 { name.to_owned() } else { format!("({t}){name}") };
        let (a, b) = (operand("a"), operand("b"));
        let result = match op {
            LaneOp::Add => format!("vaddq_u{n}({a}, {b})"),
            LaneOp::Sub => format!("vsubq_u{n}({a}, {b})"),
            LaneOp::Mul if n < 64 => format!("vmulq_u{n}({a}, {b})"),
            LaneOp::MulHi if n < 64 => {
                let low = format!("vmull_u{n}(vget_low_u{n}({a}), vget_low_u{n}({b}))");
                format!("vuzp2q_u{n}(({t}){low}, ({t})vmull_high_u{n}({a}, {b}))")
            }
            LaneOp::MulEven => "vmull_u32(vmovn_u64(a), vmovn_u64(b))".to_owned(),
            LaneOp::Shl(k) => format!("vshlq_n_u{n}({a}, {k})"),
            LaneOp::Shr(k) => format!("vshrq_n_u{n}({a}, {k})"),
            LaneOp::Sar(k) => format!("vshrq_n_s{n}((int{n}x{}_t)a, {k})", 128 / n),
            // Halves exchanged.
            LaneOp::Rotl(k) if n > 8 && 2 * k == n => format!("vrev{n}q_u{k}(({})a)", lanes(k)),
            // A rotation by whole bytes is a shuffle.
            LaneOp::Rotl(k) if k.is_multiple_of(8) => return None,
            // A shift, then a shift that inserts.
            LaneOp::Rotl(k) => format!("vsriq_n_u{n}(vshlq_n_u{n}({a}, {k}), {a}, {})", n - k),
            LaneOp::Select => return Some(Form::call("vbslq_u64")),
            LaneOp::InterleaveLow => format!("vzip1q_u{n}({a}, {b})"),
            LaneOp::InterleaveHigh => format!("vzip2q_u{n}({a}, {b})"),
            LaneOp::Shuffle => "vqtbl1q_u8((uint8x16_t)a, (uint8x16_t)b)".to_owned(),
            LaneOp::Mul | LaneOp::MulHi | LaneOp::Ternary(_) | LaneOp::Quarters(_) => return None,
        };
        Some(Form::Function { name: function_name(op, n), value: format!("({REGISTER}){result}") })
    }

    fn broadcast(&self, n: u32, word: &str) -> String {
        match n {
            64 => format!("vdupq_n_u64({word})"),
            _ => format!("({REGISTER})vdupq_n_u{n}({word})"),
        }
    }

    fn bytes(&self, from: &[Option<u8>; 16]) -> String {
        let entries: Vec<String> = from.iter().map(|byte| byte.unwrap_or(255).to_string()).collect();
        format!("({REGISTER})(uint8x16_t){{ {} }}", entries.join(", "))
    }
}
