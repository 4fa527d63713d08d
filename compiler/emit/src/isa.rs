//! Single-step operations of vector registers and their names in C and Rust: the data that tells the vector targets apart.
//!
//! Everything else about vectors — words, elements of H, packing, lanes and words side by side — is composed of these operations.
//! `steps` has the functions that the targets' tables name, for all writers; [`Isa`] is what the writer of slices makes of them.

mod neon;
pub(crate) mod rounds;
pub(crate) mod steps;
mod vsx;
mod x86;

use std::fmt::Debug;
use std::rc::Rc;

use culet_ir::Target;

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::language::Language;
use crate::machine::repeated;

/// An operation on the lanes of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneOp {
    Add,
    Sub,
    Mul,
    /// The high half of the unsigned product.
    MulHi,
    /// The whole product of the lower halves of 64-bit lanes.
    MulEven,
    // Shift and rotation amounts are less than the width, and not zero.
    Shl(u32),
    Shr(u32),
    Sar(u32),
    Rotl(u32),
    /// Bit by bit: the second operand where the first has ones, elsewhere the third.
    Select,
    /// Bit by bit: the function with this truth table.
    Ternary(u8),
    /// The lower lanes of both operands' parts in turn, the first operand's first.
    InterleaveLow,
    InterleaveHigh,
    /// Shuffles the bytes of each part of the first operand; [`Isa::bytes`] gives the second operand.
    Shuffle,
    /// Rearranges the 32-bit quarters of each part; two bits of the selector choose each quarter.
    Quarters(u8),
}

/// How an operation is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// A function on registers; in C, an immediate operand comes last, and in Rust it is part of the name.
    Call { name: String, immediate: Option<String> },
    /// A function of this name, to be written into the file, with this value of its operands `a`, `b` and `c`.
    Function { name: String, value: String },
}

impl Form {
    pub fn call(name: impl Into<String>) -> Form {
        Form::Call { name: name.into(), immediate: None }
    }

    pub fn apply(&self, args: &[&Expr]) -> Expr {
        match self {
            Form::Call { name, immediate: Some(immediate) } => {
                Expr::call(name, &[args, &[&Expr::primary(immediate)]].concat())
            }
            Form::Call { name, .. } | Form::Function { name, .. } => Expr::call(name, args),
        }
    }

    /// Makes sure that the function is there.
    pub fn need(&self, helpers: &mut Helpers, language: Language, register: &str, operands: usize) {
        if let Form::Function { name, value } = self {
            let parameters = ["a", "b", "c"].map(|name| (register, name));
            helpers.need(register, name, &parameters[..operands], &format!("    {}\n", language.result(value)));
        }
    }
}

/// The vector registers of a target.
pub(crate) trait Isa: Debug {
    fn language(&self) -> Language;

    /// The type of a register.
    fn register(&self) -> &'static str;

    /// The type of a part of 128 bits.
    fn part(&self) -> &'static str {
        self.register()
    }

    /// In Rust, the function for an operation on all bits, `&`, `|` or `^`.
    fn logic(&self, operator: &str) -> String;

    /// In Rust, the bits of the first operand where the second one has zeros.
    fn andn(&self, a: &Expr, b: &Expr) -> Expr;

    /// In Rust, the part of 128 bits with these halves, each an expression of a word of 64 bits.
    fn part_of(&self, low: &str, high: &str) -> String;

    /// In Rust, the halves of a part of 128 bits as words of 64 bits.
    fn halves_of(&self, part: &str) -> [String; 2];

    /// The C header that has the type, if it needs one.
    fn type_header(&self) -> Option<&'static str>;

    /// The C header that has the operations, if it is a different one.
    fn operations_header(&self) -> Option<&'static str> {
        None
    }

    /// The operation on lanes of `n` bits, if it is a single step.
    fn form(&self, op: LaneOp, n: u32) -> Option<Form>;

    /// A register whose parts all have these halves, each the text of a 64-bit word, the less significant first.
    fn halves(&self, low: &str, high: &str) -> String {
        format!("({}){{ {low}, {high} }}", self.register())
    }

    /// A register whose lanes of `n` bits all have this value.
    fn splat(&self, n: u32, value: u64) -> String {
        let half = self.language().literal(64, repeated(n, value, 64));
        self.halves(&half, &half)
    }

    /// A register whose lanes of `n` bits all hold the value of an expression of the unsigned type of that width.
    fn broadcast(&self, n: u32, word: &str) -> String;

    /// A register of all zeros if the expression is 0, of all ones if it is 1.
    fn broadcast_bit(&self, bit: &str) -> String {
        match self.language() {
            Language::C => self.broadcast(64, &format!("0 - (uint64_t){bit}")),
            Language::Rust => self.broadcast(64, &format!("0u64.wrapping_sub({bit} as u64)")),
        }
    }

    /// The operand that makes [`LaneOp::Shuffle`] put these bytes, or zero, into every part.
    fn bytes(&self, from: &[Option<u8>; 16]) -> String;

    /// Loads and stores of parts in C, as bodies of functions on `bytes`, `next` and, for stores, `row`. The functions with
    /// `piece` handle as many pieces as fill a part, `next` bytes apart. The functions with `width` handle a part that
    /// has no more than `width` bytes.
    fn load_row(&self, piece: u32) -> String {
        let t = self.part();
        match piece {
            16 => format!("    (void)next;\n    {t} row;\n    memcpy(&row, bytes, 16);\n    return row;\n"),
            8 => format!(
                "    uint64_t low, high;\n    memcpy(&low, bytes, 8);\n    memcpy(&high, bytes + next, 8);\n    return {};\n",
                self.halves("low", "high")
            ),
            _ => format!(
                "    uint8_t pieces[16];\n    for (size_t i = 0; i < {}; i++)\n        \
                 memcpy(pieces + {piece} * i, bytes + i * next, {piece});\n    \
                 {t} row;\n    memcpy(&row, pieces, 16);\n    return row;\n",
                16 / piece
            ),
        }
    }

    fn load_narrow_row(&self, width: u32) -> String {
        let zero = self.halves("0", "0");
        format!(
            "    (void)next;\n    {} row = {zero};\n    memcpy(&row, bytes, {width});\n    return row;\n",
            self.part()
        )
    }

    fn store_row(&self, piece: u32) -> String {
        match piece {
            16 => "    (void)next;\n    memcpy(bytes, &row, 16);\n".to_owned(),
            _ => format!(
                "    uint8_t pieces[16];\n    memcpy(pieces, &row, 16);\n    for (size_t i = 0; i < {}; i++)\n        \
                 memcpy(bytes + i * next, pieces + {piece} * i, {piece});\n",
                16 / piece
            ),
        }
    }

    fn store_narrow_row(&self, width: u32) -> String {
        format!("    (void)next;\n    memcpy(bytes, &row, {width});\n")
    }

    /// The body of a function that returns a register whose parts are these rows; it has a parameter `part`.
    fn join_rows(&self, row: &dyn Fn(u32) -> String) -> String {
        let language = self.language();
        format!("    {}\n    {}\n", language.unused("part"), language.result(&row(0)))
    }

    /// The body of a function that stores each part of its parameter `rows`; it has a parameter `part`, too.
    fn split_rows(&self, store: &dyn Fn(u32, &str) -> String) -> String {
        format!("    {}\n{}", self.language().unused("part"), store(0, "rows"))
    }
}

/// The registers of `bits` bits of a vector target.
pub(crate) fn of(target: Target, bits: u32, language: Language) -> Rc<dyn Isa> {
    match target {
        Target::Neon => Rc::new(neon::Neon::new(language)),
        Target::Vsx => Rc::new(vsx::Vsx),
        _ => Rc::new(x86::X86::new(target, bits, language)),
    }
}

/// Name of the function for an operation.
fn function_name(op: LaneOp, n: u32) -> String {
    match op {
        LaneOp::Add => format!("add{n}"),
        LaneOp::Sub => format!("sub{n}"),
        LaneOp::Mul => format!("mul{n}"),
        LaneOp::MulHi => format!("mulhi{n}"),
        LaneOp::MulEven => "mul_even".to_owned(),
        LaneOp::Shl(k) => format!("shl{n}_by_{k}"),
        LaneOp::Shr(k) => format!("shr{n}_by_{k}"),
        LaneOp::Sar(k) => format!("sar{n}_by_{k}"),
        LaneOp::Rotl(k) => format!("rotl{n}_by_{k}"),
        LaneOp::Select => "select".to_owned(),
        LaneOp::Ternary(table) => format!("ternary_{table:02x}"),
        LaneOp::InterleaveLow => format!("interleave_low{n}"),
        LaneOp::InterleaveHigh => format!("interleave_high{n}"),
        LaneOp::Shuffle => "shuffle".to_owned(),
        LaneOp::Quarters(selector) => format!("quarters_{selector:02x}"),
    }
}
