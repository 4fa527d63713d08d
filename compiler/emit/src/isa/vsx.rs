//! POWER's vectors, little-endian: registers of 128 bits, operations on lanes of every width, rotations too.

use super::steps::Steps;
use super::{Form, Isa, LaneOp, function_name};
use crate::expr::Expr;
use crate::language::Language;
use culet_ir::Target;

#[derive(Debug)]
pub(super) struct Vsx;

const REGISTER: &str = "__vector unsigned long long";

/// The C type of a lane of `n` bits.
fn lane(n: u32) -> &'static str {
    match n {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long long",
    }
}

/// A text with functions' names for steps, as [`Steps::fill`] has it.
fn fill(text: &str) -> String {
    Steps::of(Target::Vsx, 128).fill(text, 64)
}

/// The name of a function on registers of any lanes, of which those with lower numbers come first in memory.
pub(super) fn name(step: &str) -> Option<&'static str> {
    Some(match step {
        "add" => "vec_add",
        "sub" => "vec_sub",
        // Whole products of every second lane: from the first one on, which in memory is a word's lower half, and from the second one on.
        "mul_even" => "vec_mule",
        "mul_odd" => "vec_mulo",
        "rotl" => "vec_rl",
        "all" => "vec_splats",
        "select" => "vec_sel",
        // Lanes of both operands in turn.
        "low" => "vec_mergeh",
        "high" => "vec_mergel",
        "shuffle" => "vec_perm",
        "load" => "vec_xl",
        // The sum of products without carries.
        "clmul" => "vec_pmsum_be",
        "substitute" => "vec_sbox_be",
        "aes_enc" => "vec_cipher_be",
        "aes_enc_last" => "vec_cipherlast_be",
        "aes_dec" => "vec_ncipher_be",
        "aes_dec_last" => "vec_ncipherlast_be",
        _ => return None,
    })
}

/// Stable Rust has none of these registers, so nothing is asked of this table in Rust.
impl Isa for Vsx {
    fn language(&self) -> Language {
        Language::C
    }

    fn logic(&self, operator: &str) -> String {
        operator.to_owned()
    }

    fn andn(&self, a: &Expr, _: &Expr) -> Expr {
        a.clone()
    }

    fn part_of(&self, low: &str, high: &str) -> String {
        self.halves(low, high)
    }

    fn halves_of(&self, part: &str) -> [String; 2] {
        [part.to_owned(), part.to_owned()]
    }

    fn register(&self) -> &'static str {
        REGISTER
    }

    /// The type is part of the language.
    fn type_header(&self) -> Option<&'static str> {
        None
    }

    fn operations_header(&self) -> Option<&'static str> {
        Some("altivec.h")
    }

    fn form(&self, op: LaneOp, n: u32) -> Option<Form> {
        let t = format!("__vector unsigned {}", lane(n));
        let operand = |name: &str| if n == 64 { name.to_owned() } else { format!("({t}){name}") };
        let (a, b) = (operand("a"), operand("b"));
        let result = match op {
            LaneOp::Add => format!("@add({a}, {b})"),
            LaneOp::Sub => format!("@sub({a}, {b})"),
            LaneOp::Mul if n < 64 => format!("({a} * {b})"),
            LaneOp::MulHi if n < 64 => {
                // Products of even lanes, then of odd ones, in lanes of twice the width.
                let upper = self.splat(2 * n, u64::MAX >> (64 - 2 * n) << n & u64::MAX >> (64 - 2 * n));
                format!("(@mul_even({a}, {b}) >> {n}) | (({REGISTER})@mul_odd({a}, {b}) & {upper})")
            }
            LaneOp::MulEven => "@mul_even((__vector unsigned int)a, (__vector unsigned int)b)".to_owned(),
            LaneOp::Shl(k) => format!("({a} << {k})"),
            LaneOp::Shr(k) => format!("({a} >> {k})"),
            LaneOp::Sar(k) => format!("((__vector signed {})a >> {k})", lane(n)),
            LaneOp::Rotl(k) => format!("@rotl({a}, @all((unsigned {}){k}))", lane(n)),
            LaneOp::Select => "@select(c, b, a)".to_owned(),
            LaneOp::InterleaveLow => format!("@low({a}, {b})"),
            LaneOp::InterleaveHigh => format!("@high({a}, {b})"),
            LaneOp::Shuffle => {
                let bytes = "__vector unsigned char";
                format!("@shuffle(({bytes})a, ({bytes}){{ 0 }}, ({bytes})b)")
            }
            LaneOp::Mul | LaneOp::MulHi | LaneOp::Ternary(_) | LaneOp::Quarters(_) => return None,
        };
        Some(Form::Function { name: function_name(op, n), value: fill(&format!("({REGISTER}){result}")) })
    }

    fn broadcast(&self, n: u32, word: &str) -> String {
        fill(&format!("({REGISTER})@all((unsigned {})({word}))", lane(n)))
    }

    /// Indices from 16 on select bytes of a register of zeros.
    fn bytes(&self, from: &[Option<u8>; 16]) -> String {
        let entries: Vec<String> = from.iter().map(|byte| byte.unwrap_or(16).to_string()).collect();
        format!("({REGISTER})(__vector unsigned char){{ {} }}", entries.join(", "))
    }
}
