//! Arithmetic and shifts on words as wide as the integer or lane that holds them. Narrower words are the matter of
//! `body/arithmetic`: it computes on the whole lane and clears the upper bits.

use crate::expr::Expr;
use crate::helpers::Helpers;
use crate::isa::LaneOp;
use crate::language::Language;
use crate::machine::{Machine, Words};

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

/// The expression for `op` on words of `n` bits, each operand evaluated once; `None` if these registers cannot do it.
pub(crate) fn word_op(machine: &Machine, helpers: &mut Helpers, op: WordOp, n: u32, args: &[&Expr]) -> Option<Expr> {
    match machine.words() {
        Words::None => None,
        Words::Scalar => Some(scalar(machine.language, helpers, op, n, args)),
        Words::Packed => packed(machine, helpers, op, n, args),
        Words::Vector => Some(Vector { machine, helpers, n }.op(op, args)),
    }
}

/// One word in an integer of its width.
fn scalar(language: Language, helpers: &mut Helpers, op: WordOp, n: u32, args: &[&Expr]) -> Expr {
    let t = language.integer(n);
    let back = |e: Expr| language.narrowed(n, e);
    match op {
        WordOp::Add => back(language.arithmetic(args[0], "+", args[1])),
        WordOp::Sub => back(language.arithmetic(args[0], "-", args[1])),
        // Sixteen bits squared do not fit an int of C.
        WordOp::Mul if n == 16 && language == Language::C => {
            back(Expr::binary(&Expr::cast("uint32_t", args[0]), "*", args[1]))
        }
        WordOp::Mul => back(language.arithmetic(args[0], "*", args[1])),
        WordOp::MulHi => {
            let wide = language.choose(language.integer(2 * n), if n == 64 { "u128" } else { language.integer(2 * n) });
            // A 16-bit product of 8-bit factors is computed as int, which holds it.
            let body = match language {
                Language::C if n == 64 => MULHI64.to_owned(),
                Language::C => format!("    return ({t})((({wide})a * ({wide})b) >> {n});\n"),
                Language::Rust => format!("    ((a as {wide} * b as {wide}) >> {n}) as {t}\n"),
            };
            helpers.need(t, &format!("mulhi{n}"), &[(t, "a"), (t, "b")], &body);
            Expr::call(&format!("mulhi{n}"), args)
        }
        WordOp::Shl(k) => back(language.shift(args[0], "<<", k)),
        WordOp::Shr(k) => back(language.shift(args[0], ">>", k)),
        WordOp::Sar(k) if language.is_rust() => {
            let signed = language.cast(language.signed(n), args[0]);
            language.cast(t, &language.shift(&signed, ">>", k))
        }
        WordOp::Sar(k) => {
            let top = language.literal(n, 1 << (n - 1));
            let body = format!(
                "    const {t} shifted = ({t})(a >> k);\n    const {t} sign = ({t})({top} >> k);\n    \
                 return ({t})((shifted ^ sign) - sign);\n"
            );
            helpers.need(t, &format!("sar{n}"), &[(t, "a"), ("int", "k")], &body);
            Expr::call(&format!("sar{n}"), &[args[0], &Expr::primary(k.to_string())])
        }
        WordOp::Rotl(k) if language.is_rust() => Expr::primary(format!("{}.rotate_left({k})", args[0].operand())),
        WordOp::Rotl(k) => {
            let body = format!("    return ({t})((a << k) | (a >> ({n} - k)));\n");
            helpers.need(t, &format!("rotl{n}"), &[(t, "a"), ("int", "k")], &body);
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

/// Several words in one integer: carries and shifted bits are kept from crossing lanes.
fn packed(machine: &Machine, helpers: &mut Helpers, op: WordOp, n: u32, args: &[&Expr]) -> Option<Expr> {
    let (language, t) = (machine.language, machine.register());
    let lanes = |value: u64| machine.splat(n, value);
    let ones = u64::MAX >> (64 - n);
    let [a, b] = ["a", "b"].map(Expr::primary);
    let and = |a: &Expr, b: String| Expr::binary(a, "&", &Expr::primary(b));
    Some(match op {
        WordOp::Add | WordOp::Sub => {
            let (top, low) = (lanes(1 << (n - 1)), lanes(ones >> 1));
            let (name, inner, outer) = match op {
                WordOp::Add => {
                    let sum = language.arithmetic(&and(&a, low.clone()), "+", &and(&b, low));
                    ("add_lanes", sum, Expr::binary(&a, "^", &b))
                }
                _ => {
                    let with_top = Expr::binary(&a, "|", &Expr::primary(top.clone()));
                    let difference = language.arithmetic(&with_top, "-", &and(&b, low));
                    ("sub_lanes", difference, Expr::compound(format!("a ^ {}", language.not(&b).text)))
                }
            };
            let result = Expr::binary(&inner, "^", &and(&outer, top));
            let name = format!("{name}{n}");
            helpers.need(t, &name, &[(t, "a"), (t, "b")], &format!("    {}\n", language.result(&result.text)));
            Expr::call(&name, args)
        }
        WordOp::Mul | WordOp::MulHi => return None,
        WordOp::Shl(k) => and(&language.shift(args[0], "<<", k), lanes((ones << k) & ones)),
        WordOp::Shr(k) => and(&language.shift(args[0], ">>", k), lanes(ones >> k)),
        WordOp::Sar(k) => {
            let (top, keep) = (lanes(1 << (n - 1)), lanes(ones >> k));
            let sign = Expr::primary("sign");
            let extended = language.arithmetic(&sign, "-", &language.shift(&sign, ">>", k));
            let logical = and(&language.shift(&a, ">>", k), keep);
            let result = Expr::binary(&logical, "|", &language.shift(&extended, "<<", 1));
            let sign = language.define(t, "sign", &and(&a, top).text);
            let body = format!("    {sign}\n    {}\n", language.result(&result.text));
            let name = format!("sar_lanes{n}_by_{k}");
            helpers.need(t, &name, &[(t, "a")], &body);
            Expr::call(&name, args)
        }
        WordOp::Rotl(k) => {
            let left = and(&language.shift(&a, "<<", k), lanes((ones << k) & ones));
            let right = and(&language.shift(&a, ">>", n - k), lanes(ones >> (n - k)));
            let result = Expr::binary(&left, "|", &right);
            let name = format!("rotl_lanes{n}_by_{k}");
            helpers.need(t, &name, &[(t, "a")], &format!("    {}\n", language.result(&result.text)));
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
    /// Writes an operation as a single step, or as several.
    fn op(&mut self, op: WordOp, args: &[&Expr]) -> Expr {
        let step = match op {
            WordOp::Add => LaneOp::Add,
            WordOp::Sub => LaneOp::Sub,
            WordOp::Mul => LaneOp::Mul,
            WordOp::MulHi => LaneOp::MulHi,
            WordOp::Shl(k) => LaneOp::Shl(k),
            WordOp::Shr(k) => LaneOp::Shr(k),
            WordOp::Sar(k) => LaneOp::Sar(k),
            WordOp::Rotl(k) => LaneOp::Rotl(k),
        };
        if let Some(expr) = self.machine.lanes(self.helpers, step, self.n, args) {
            return expr;
        }
        match op {
            WordOp::Shl(k) | WordOp::Shr(k) => self.shift_bytes(step, k, args[0]),
            WordOp::Sar(k) => self.sar(k, args[0]),
            WordOp::Rotl(k) => self.rotl(k, args[0]),
            WordOp::Mul if self.n == 8 => self.mul8(args),
            WordOp::Mul => self.mul64(args),
            WordOp::MulHi => self.mulhi(args),
            WordOp::Add | WordOp::Sub => unreachable!("every machine adds and subtracts"),
        }
    }

    /// A step that every machine has, on lanes of `n` bits.
    fn step(&mut self, op: LaneOp, n: u32, args: &[&Expr]) -> Expr {
        self.machine.lanes(self.helpers, op, n, args).expect("every machine has it")
    }

    /// A helper of one or two registers `a`, `b`.
    fn helper(&mut self, name: &str, args: &[&Expr], body: &str) -> Expr {
        let t = self.machine.register();
        self.helpers.need(t, name, &[(t, "a"), (t, "b")][..args.len()], body);
        Expr::call(name, args)
    }

    /// As [`Self::helper`], with this result and nothing else in the body.
    fn helper_of(&mut self, name: &str, args: &[&Expr], result: &Expr) -> Expr {
        let body = format!("    {}\n", self.machine.language.result(&result.text));
        self.helper(name, args, &body)
    }

    /// A logical shift of bytes: they are shifted as 16-bit lanes, and bits that crossed over are cleared.
    fn shift_bytes(&mut self, step: LaneOp, k: u32, a: &Expr) -> Expr {
        let keep = if matches!(step, LaneOp::Shl(_)) { 0xff << k & 0xff } else { 0xff >> k };
        let shifted = self.step(step, 16, &[a]);
        self.machine.binary(&shifted, "&", &Expr::primary(self.machine.splat(8, keep)))
    }

    fn sar(&mut self, k: u32, a: &Expr) -> Expr {
        let (n, t) = (self.n, self.machine.register());
        let shifted = self.op(WordOp::Shr(k), &[&Expr::primary("a")]);
        let sign = self.machine.splat(n, 1 << (n - 1 - k));
        let extended = self.machine.binary(&shifted, "^", &Expr::primary("sign"));
        let difference = self.op(WordOp::Sub, &[&extended, &Expr::primary("sign")]);
        let language = self.machine.language;
        let sign = language.define(t, "sign", &sign);
        let body = format!("    {sign}\n    {}\n", language.result(&difference.text));
        self.helper(&format!("sar{n}_by_{k}"), &[a], &body)
    }

    fn rotl(&mut self, k: u32, a: &Expr) -> Expr {
        let (n, own) = (self.n, Expr::primary("a"));
        let rotated = if n > 8 && k.is_multiple_of(8) {
            // Byte i of a lane comes from byte i - k/8 of it.
            let (bytes, by) = (n / 8, k / 8);
            let from = |i: u32| i / bytes * bytes + (i % bytes + bytes - by) % bytes;
            let control = byte_control(self.machine, |i| Some(from(i as u32) as u8));
            self.step(LaneOp::Shuffle, 8, &[&own, &Expr::primary(control)])
        } else {
            let left = self.op(WordOp::Shl(k), &[&own]);
            let right = self.op(WordOp::Shr(n - k), &[&own]);
            self.machine.binary(&left, "|", &right)
        };
        self.helper_of(&format!("rotl{n}_by_{k}"), &[a], &rotated)
    }

    /// The operands `a` and `b` of a helper, and their lanes of `n` bits moved down by half.
    fn halves(&mut self, n: u32) -> [Expr; 4] {
        let [a, b] = ["a", "b"].map(Expr::primary);
        let a1 = self.step(LaneOp::Shr(n / 2), n, &[&a]);
        let b1 = self.step(LaneOp::Shr(n / 2), n, &[&b]);
        [a, b, a1, b1]
    }

    /// The product of bytes, by products of 16-bit lanes.
    fn mul8(&mut self, args: &[&Expr]) -> Expr {
        let [a, b, a1, b1] = self.halves(16);
        let even = self.step(LaneOp::Mul, 16, &[&a, &b]);
        let odd = self.step(LaneOp::Mul, 16, &[&a1, &b1]);
        let odd = self.step(LaneOp::Shl(8), 16, &[&odd]);
        let even = self.machine.binary(&even, "&", &Expr::primary(self.machine.splat(16, 0xff)));
        let both = self.machine.binary(&even, "|", &odd);
        self.helper_of("mul8", args, &both)
    }

    fn mul64(&mut self, args: &[&Expr]) -> Expr {
        let [a, b, a1, b1] = self.halves(64);
        let products = [[&a1, &b], [&a, &b1]].map(|factors| self.step(LaneOp::MulEven, 32, &factors));
        let cross = self.step(LaneOp::Add, 64, &[&products[0], &products[1]]);
        let low = self.step(LaneOp::MulEven, 32, &[&a, &b]);
        let upper = self.step(LaneOp::Shl(32), 64, &[&Expr::primary("cross")]);
        let sum = self.step(LaneOp::Add, 64, &[&low, &upper]);
        let language = self.machine.language;
        let cross = language.define(self.machine.register(), "cross", &cross.text);
        let body = format!("    {cross}\n    {}\n", language.result(&sum.text));
        self.helper("mul64", args, &body)
    }

    /// The high half of a product, by products of lanes of twice the width, or, for 64 bits, of the four pairs of
    /// halves.
    fn mulhi(&mut self, args: &[&Expr]) -> Expr {
        let (n, t) = (self.n, self.machine.register());
        if n == 64 {
            return self.mulhi64(args);
        }
        let [a, b, a1, b1] = self.halves(2 * n);
        let splat = |value| Expr::primary(self.machine.splat(2 * n, value));
        let (low, high) = (splat(u64::MAX >> (64 - n)), splat((u64::MAX >> (64 - n)) << n));
        let (even, odd) = if n == 32 {
            (self.step(LaneOp::MulEven, 32, &[&a, &b]), self.step(LaneOp::MulEven, 32, &[&a1, &b1]))
        } else {
            let [a0, b0] = [a, b].map(|operand| self.machine.binary(&operand, "&", &low));
            (self.step(LaneOp::Mul, 2 * n, &[&a0, &b0]), self.step(LaneOp::Mul, 2 * n, &[&a1, &b1]))
        };
        let even = self.step(LaneOp::Shr(n), 2 * n, &[&even]);
        let language = self.machine.language;
        let upper = self.machine.binary(&Expr::primary("odd"), "&", &high);
        let both = self.machine.binary(&Expr::primary("even"), "|", &upper);
        let [even, odd] = [("even", even), ("odd", odd)].map(|(name, value)| language.define(t, name, &value.text));
        let body = format!("    {even}\n    {odd}\n    {}\n", language.result(&both.text));
        self.helper(&format!("mulhi{n}"), args, &body)
    }

    fn mulhi64(&mut self, args: &[&Expr]) -> Expr {
        let t = self.machine.register();
        let [a, b, a_up, b_up] = self.halves(64);
        let [a1, b1, middle, other] = ["a1", "b1", "middle", "other"].map(Expr::primary);
        let low = Expr::primary(self.machine.splat(64, 0xffff_ffff));
        let mut up = |x: &Expr| self.step(LaneOp::Shr(32), 64, &[x]);
        let (middle_up, other_up) = (up(&middle), up(&other));
        let mut product = |x: &Expr, y: &Expr| self.step(LaneOp::MulEven, 32, &[x, y]);
        let (high, left, right, bottom) = (product(&a1, &b1), product(&a1, &b), product(&a, &b1), product(&a, &b));
        let bottom_up = self.step(LaneOp::Shr(32), 64, &[&bottom]);
        let middle_low = self.machine.binary(&middle, "&", &low);
        let mut sum = |x: &Expr, y: &Expr| self.step(LaneOp::Add, 64, &[x, y]);
        let middle_sum = sum(&left, &bottom_up);
        let other_sum = sum(&right, &middle_low);
        let upper = sum(&high, &middle_up);
        let result = sum(&upper, &other_up);
        let language = self.machine.language;
        let halves = match language {
            Language::C => format!("const {t} a1 = {}, b1 = {};", a_up.text, b_up.text),
            Language::Rust => format!("let (a1, b1) = ({}, {});", a_up.text, b_up.text),
        };
        let sums = [("middle", middle_sum), ("other", other_sum)];
        let [middle, other] = sums.map(|(name, sum)| language.define(t, name, &sum.text));
        let body = format!("    {halves}\n    {middle}\n    {other}\n    {}\n", language.result(&result.text));
        self.helper("mulhi64", args, &body)
    }
}

/// The operand that makes a shuffle put byte `from(i)`, or zero, at byte `i` of every 128-bit part.
pub(crate) fn byte_control(machine: &Machine, from: impl Fn(usize) -> Option<u8>) -> String {
    machine.isa().bytes(&std::array::from_fn(from))
}
