//! Arithmetic and shifts on words as wide as the C integer or lane that holds them. Narrower words are the matter of
//! `body/arithmetic`: it computes on the whole lane and clears the upper bits.

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::machine::{Machine, Words, integer, literal};

/// An operation on words of full lane width. Amounts are less than the width and not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordOp {
    Add,
    Sub,
    Mul,
    /// The high half of the unsigned product.
    MulHi,
    Shl(u32),
    Shr(u32),
    Sar(u32),
    Rotl(u32),
}

/// The C for `op` on words of `n` bits, each operand evaluated once; `None` if these registers cannot do it.
pub(crate) fn word_op(machine: &Machine, helpers: &mut Helpers, op: WordOp, n: u32, args: &[&Expr]) -> Option<Expr> {
    match machine.words() {
        Words::None => None,
        Words::Scalar => Some(scalar(helpers, op, n, args)),
        Words::Packed => packed(machine, helpers, op, n, args),
        Words::Vector => Some(Vector { machine, helpers, n }.op(op, args)),
    }
}

/// One word in a C integer of its width. Integers narrower than `int` are promoted, so results are cast back.
fn scalar(helpers: &mut Helpers, op: WordOp, n: u32, args: &[&Expr]) -> Expr {
    let t = integer(n);
    let back = |e: Expr| if n < 32 { Expr::cast(t, &e) } else { e };
    match op {
        WordOp::Add => back(Expr::binary(args[0], "+", args[1])),
        WordOp::Sub => back(Expr::binary(args[0], "-", args[1])),
        // Sixteen bits squared do not fit an int.
        WordOp::Mul if n == 16 => back(Expr::binary(&Expr::cast("uint32_t", args[0]), "*", args[1])),
        WordOp::Mul => back(Expr::binary(args[0], "*", args[1])),
        WordOp::MulHi => {
            if n == 64 {
                helpers.need(t, "mulhi64", "uint64_t a, uint64_t b", MULHI64);
            } else {
                let wide = integer(2 * n);
                let body = format!("    return ({t})((({wide})a * ({wide})b) >> {n});\n");
                // A 16-bit product of 8-bit factors is computed as int, which holds it.
                helpers.need(t, &format!("mulhi{n}"), &format!("{t} a, {t} b"), &body);
            }
            Expr::call(&format!("mulhi{n}"), args)
        }
        WordOp::Shl(k) => back(Expr::binary(args[0], "<<", &Expr::primary(k.to_string()))),
        WordOp::Shr(k) => back(Expr::binary(args[0], ">>", &Expr::primary(k.to_string()))),
        WordOp::Sar(k) => {
            let top = literal(n, 1 << (n - 1));
            let body = format!(
                "    const {t} shifted = ({t})(a >> k);\n    const {t} sign = ({t})({top} >> k);\n    \
                 return ({t})((shifted ^ sign) - sign);\n"
            );
            helpers.need(t, &format!("sar{n}"), &format!("{t} a, int k"), &body);
            Expr::call(&format!("sar{n}"), &[args[0], &Expr::primary(k.to_string())])
        }
        WordOp::Rotl(k) => {
            let body = format!("    return ({t})((a << k) | (a >> ({n} - k)));\n");
            helpers.need(t, &format!("rotl{n}"), &format!("{t} a, int k"), &body);
            Expr::call(&format!("rotl{n}"), &[args[0], &Expr::primary(k.to_string())])
        }
    }
}

const MULHI64: &str = "#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)a * b) >> 64);
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
";

/// Several words in one C integer: carries and shifted bits are kept from crossing lanes.
fn packed(machine: &Machine, helpers: &mut Helpers, op: WordOp, n: u32, args: &[&Expr]) -> Option<Expr> {
    let t = machine.register();
    let lanes = |value: u64| machine.splat(n, value);
    let ones = u64::MAX >> (64 - n);
    let count = |k: u32| Expr::primary(k.to_string());
    Some(match op {
        WordOp::Add | WordOp::Sub => {
            let (top, low) = (lanes(1 << (n - 1)), lanes(ones >> 1));
            let (name, body) = match op {
                WordOp::Add => ("add_lanes", format!("    return ((a & {low}) + (b & {low})) ^ ((a ^ b) & {top});\n")),
                _ => ("sub_lanes", format!("    return ((a | {top}) - (b & {low})) ^ ((a ^ ~b) & {top});\n")),
            };
            helpers.need(t, &format!("{name}{n}"), &format!("{t} a, {t} b"), &body);
            Expr::call(&format!("{name}{n}"), args)
        }
        WordOp::Mul | WordOp::MulHi => return None,
        WordOp::Shl(k) => {
            Expr::binary(&Expr::binary(args[0], "<<", &count(k)), "&", &Expr::primary(lanes((ones << k) & ones)))
        }
        WordOp::Shr(k) => Expr::binary(&Expr::binary(args[0], ">>", &count(k)), "&", &Expr::primary(lanes(ones >> k))),
        WordOp::Sar(k) => {
            let (top, keep) = (lanes(1 << (n - 1)), lanes(ones >> k));
            let body = format!(
                "    const {t} sign = a & {top};\n    return ((a >> {k}) & {keep}) | ((sign - (sign >> {k})) << 1);\n"
            );
            let name = format!("sar_lanes{n}_by_{k}");
            helpers.need(t, &name, &format!("{t} a"), &body);
            Expr::call(&name, args)
        }
        WordOp::Rotl(k) => {
            let body = format!(
                "    return ((a << {k}) & {}) | ((a >> {}) & {});\n",
                lanes((ones << k) & ones),
                n - k,
                lanes(ones >> (n - k))
            );
            let name = format!("rotl_lanes{n}_by_{k}");
            helpers.need(t, &name, &format!("{t} a"), &body);
            Expr::call(&name, args)
        }
    })
}

/// Words in the lanes of a vector register.
struct Vector<'a> {
    machine: &'a Machine,
    helpers: &'a mut Helpers,
    n: u32,
}

impl Vector<'_> {
    fn op(&mut self, op: WordOp, args: &[&Expr]) -> Expr {
        match op {
            WordOp::Add => Expr::call(&self.lanes("add"), args),
            WordOp::Sub => Expr::call(&self.lanes("sub"), args),
            WordOp::Mul => self.mul(args),
            WordOp::MulHi => self.mulhi(args),
            WordOp::Shl(k) => self.shift("sl", k, args[0]),
            WordOp::Shr(k) => self.shift("sr", k, args[0]),
            WordOp::Sar(k) => self.sar(k, args[0]),
            WordOp::Rotl(k) => self.rotl(k, args[0]),
        }
    }

    /// The intrinsic `name` on lanes of the words' width.
    fn lanes(&self, name: &str) -> String {
        self.on(name, self.n)
    }

    fn on(&self, name: &str, lane_bits: u32) -> String {
        self.machine.intrinsic(&format!("{name}_epi{lane_bits}"))
    }

    /// A helper of one or two registers `a`, `b`.
    fn helper(&mut self, name: &str, args: &[&Expr], body: &str) -> Expr {
        let t = self.machine.register();
        let parameters = if args.len() == 1 { format!("{t} a") } else { format!("{t} a, {t} b") };
        self.helpers.need(t, name, &parameters, body);
        Expr::call(name, args)
    }

    /// A logical shift; bytes are shifted as 16-bit lanes and what crossed over is cleared.
    fn shift(&mut self, direction: &str, k: u32, a: &Expr) -> Expr {
        let (left, count) = (direction == "sl", Expr::primary(k.to_string()));
        if self.n > 8 {
            return Expr::call(&self.lanes(&format!("{direction}li")), &[a, &count]);
        }
        let keep = if left { 0xff << k & 0xff } else { 0xff >> k };
        let shifted = Expr::call(&self.on(&format!("{direction}li"), 16), &[a, &count]);
        Expr::binary(&shifted, "&", &Expr::primary(self.machine.splat(8, keep)))
    }

    fn sar(&mut self, k: u32, a: &Expr) -> Expr {
        let count = Expr::primary(k.to_string());
        if matches!(self.n, 16 | 32) || self.n == 64 && self.machine.has_ternary_logic() {
            return Expr::call(&self.lanes("srai"), &[a, &count]);
        }
        let n = self.n;
        let shifted = self.shift("sr", k, &Expr::primary("a"));
        let sign = self.machine.splat(n, 1 << (n - 1 - k));
        let t = self.machine.register();
        let body = format!(
            "    const {t} sign = {sign};\n    return {}({} ^ sign, sign);\n",
            self.lanes("sub"),
            shifted.operand()
        );
        self.helper(&format!("sar{n}_by_{k}"), &[a], &body)
    }

    fn rotl(&mut self, k: u32, a: &Expr) -> Expr {
        let n = self.n;
        if n >= 32 && self.machine.has_ternary_logic() {
            return Expr::call(&self.lanes("rol"), &[a, &Expr::primary(k.to_string())]);
        }
        let body = if n > 8 && k.is_multiple_of(8) {
            // Byte i of a lane comes from byte i - k/8 of it.
            let (bytes, by) = (n / 8, k / 8);
            let from = |i: u32| i / bytes * bytes + (i % bytes + bytes - by) % bytes;
            let control = byte_control(self.machine, |i| Some(from(i as u32) as u8));
            format!("    return {}(a, {control});\n", self.machine.intrinsic("shuffle_epi8"))
        } else {
            let left = self.shift("sl", k, &Expr::primary("a"));
            let right = self.shift("sr", n - k, &Expr::primary("a"));
            format!("    return {} | {};\n", left.operand(), right.operand())
        };
        self.helper(&format!("rotl{n}_by_{k}"), &[a], &body)
    }

    fn mul(&mut self, args: &[&Expr]) -> Expr {
        let m = self.machine;
        match self.n {
            8 => {
                let (mul, left, right) = (self.on("mullo", 16), self.on("slli", 16), self.on("srli", 16));
                let body = format!(
                    "    return ({mul}(a, b) & {low}) | {left}({mul}({right}(a, 8), {right}(b, 8)), 8);\n",
                    low = m.splat(16, 0xff)
                );
                self.helper("mul8", args, &body)
            }
            16 | 32 => Expr::call(&self.lanes("mullo"), args),
            _ if m.has_ternary_logic() => Expr::call(&self.lanes("mullo"), args),
            _ => {
                let (mul, left, right) = (m.intrinsic("mul_epu32"), self.lanes("slli"), self.lanes("srli"));
                let add = self.lanes("add");
                let body = format!(
                    "    const {t} cross = {add}({mul}({right}(a, 32), b), {mul}(a, {right}(b, 32)));\n    \
                     return {add}({mul}(a, b), {left}(cross, 32));\n",
                    t = m.register()
                );
                self.helper("mul64", args, &body)
            }
        }
    }

    fn mulhi(&mut self, args: &[&Expr]) -> Expr {
        let m = self.machine;
        let t = m.register();
        match self.n {
            8 => {
                let (mul, right, low) = (self.on("mullo", 16), self.on("srli", 16), m.splat(16, 0xff));
                let body = format!(
                    "    const {t} even = {right}({mul}(a & {low}, b & {low}), 8);\n    \
                     const {t} odd = {mul}({right}(a, 8), {right}(b, 8));\n    \
                     return even | (odd & {high});\n",
                    high = m.splat(16, 0xff00)
                );
                self.helper("mulhi8", args, &body)
            }
            16 => Expr::call(&m.intrinsic("mulhi_epu16"), args),
            32 => {
                let (mul, right) = (m.intrinsic("mul_epu32"), self.on("srli", 64));
                let body = format!(
                    "    const {t} even = {right}({mul}(a, b), 32);\n    \
                     const {t} odd = {mul}({right}(a, 32), {right}(b, 32));\n    \
                     return even | (odd & {high});\n",
                    high = m.splat(64, 0xffff_ffff_0000_0000)
                );
                self.helper("mulhi32", args, &body)
            }
            _ => {
                let (mul, right, add) = (m.intrinsic("mul_epu32"), self.lanes("srli"), self.lanes("add"));
                let low = m.splat(64, 0xffff_ffff);
                let body = format!(
                    "    const {t} a1 = {right}(a, 32), b1 = {right}(b, 32);\n    \
                     const {t} middle = {add}({mul}(a1, b), {right}({mul}(a, b), 32));\n    \
                     const {t} other = {add}({mul}(a, b1), middle & {low});\n    \
                     return {add}({add}({mul}(a1, b1), {right}(middle, 32)), {right}(other, 32));\n"
                );
                self.helper("mulhi64", args, &body)
            }
        }
    }
}

/// The register that makes `shuffle_epi8` put byte `from(i)`, or zero, at byte `i` of every 128-bit part.
pub(crate) fn byte_control(machine: &Machine, from: impl Fn(usize) -> Option<u8>) -> String {
    let entries: Vec<String> = (0..16).map(|i| from(i).map_or("-1".to_owned(), |b| b.to_string())).collect();
    machine.broadcast_part(&format!("_mm_setr_epi8({})", entries.join(", ")))
}
