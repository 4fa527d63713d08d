//! The languages in which kernels on slices are written: how C and Rust write what both of them have.
//!
//! Statements come from one place for both. Statements that differ in more than their spelling, such as those that read
//! memory through pointers, stand where they are needed, once for each language.

use crate::expr::Expr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    /// Edition 2021, without the standard library and without unsafe code.
    Rust,
}

impl Language {
    pub fn is_rust(self) -> bool {
        self == Language::Rust
    }

    /// The text for the language.
    pub fn choose<T>(self, c: T, rust: T) -> T {
        match self {
            Language::C => c,
            Language::Rust => rust,
        }
    }

    /// The unsigned integer of this width.
    pub fn integer(self, bits: u32) -> &'static str {
        match bits {
            8 => self.choose("uint8_t", "u8"),
            16 => self.choose("uint16_t", "u16"),
            32 => self.choose("uint32_t", "u32"),
            _ => self.choose("uint64_t", "u64"),
        }
    }

    /// The signed integer of this width, as parameters of intrinsics are.
    pub fn signed(self, bits: u32) -> &'static str {
        match bits {
            8 => self.choose("char", "i8"),
            16 => self.choose("short", "i16"),
            32 => self.choose("int", "i32"),
            _ => self.choose("long long", "i64"),
        }
    }

    /// The type of sizes and indices.
    pub fn size(self) -> &'static str {
        self.choose("size_t", "usize")
    }

    /// An unsigned literal that fits `bits` bits.
    pub fn literal(self, bits: u32, value: u64) -> String {
        let digits = if value < 10 { value.to_string() } else { format!("{value:#x}") };
        match (self, bits) {
            (Language::Rust, bits) => format!("{digits}u{bits}"),
            (Language::C, 64) => format!("UINT64_C({digits})"),
            (Language::C, 32) => format!("UINT32_C({digits})"),
            (Language::C, _) => digits,
        }
    }

    pub fn cast(self, ty: &str, operand: &Expr) -> Expr {
        match self {
            Language::C => Expr::cast(ty, operand),
            Language::Rust => Expr::compound(format!("{} as {ty}", operand.operand())),
        }
    }

    /// A result of operators on integers of `bits` bits as such an integer again: C makes `int` of narrow ones.
    pub fn narrowed(self, bits: u32, expr: Expr) -> Expr {
        if self == Language::C && bits < 32 { Expr::cast(self.integer(bits), &expr) } else { expr }
    }

    /// The bits of an integer, inverted.
    pub fn not(self, operand: &Expr) -> Expr {
        Expr::compound(format!("{}{}", self.choose("~", "!"), operand.operand()))
    }

    /// A sum, difference or product of integers, modulo a power of 2.
    pub fn arithmetic(self, a: &Expr, operator: &str, b: &Expr) -> Expr {
        let name = match (self, operator) {
            (Language::C, _) => return Expr::binary(a, operator, b),
            (Language::Rust, "+") => "add",
            (Language::Rust, "-") => "sub",
            (Language::Rust, _) => "mul",
        };
        Expr::primary(format!("{}.wrapping_{name}({})", a.operand(), b.text))
    }

    /// A shift of an integer by less than its width.
    pub fn shift(self, a: &Expr, operator: &str, amount: u32) -> Expr {
        // Rust looks for the type of an amount that does not say it at every operation again.
        Expr::compound(format!("{} {operator} {amount}{}", a.operand(), self.choose("", "u32")))
    }

    /// A variable that keeps its first value.
    pub fn define(self, ty: &str, name: &str, value: &str) -> String {
        match self {
            Language::C => format!("const {ty} {name} = {value};"),
            Language::Rust => format!("let {name}: {ty} = {value};"),
        }
    }

    /// A variable that is assigned to later.
    pub fn variable(self, ty: &str, name: &str, value: &str) -> String {
        match self {
            Language::C => format!("{ty} {name} = {value};"),
            Language::Rust => format!("let mut {name}: {ty} = {value};"),
        }
    }

    /// An array in a function's own memory; in Rust, it begins with zeros.
    pub fn array(self, ty: &str, name: &str, length: u32, zero: &str) -> String {
        match self {
            Language::C => format!("{ty} {name}[{length}];"),
            Language::Rust => format!("let mut {name}: [{ty}; {length}] = [{zero}; {length}];"),
        }
    }

    /// The last statement of a function with a result.
    pub fn result(self, value: &str) -> String {
        self.choose(format!("return {value};"), value.to_owned())
    }

    /// The statement that keeps compilers from saying that a name is not used.
    pub fn unused(self, name: &str) -> String {
        self.choose(format!("(void){name};"), format!("let _ = {name};"))
    }

    /// The head of a loop over all numbers below `end`, without its brace.
    pub fn loop_head(self, counter: &str, end: impl Into<u64>) -> String {
        let end = end.into();
        match self {
            Language::C => format!("for (size_t {counter} = 0; {counter} < {end}; {counter}++)"),
            Language::Rust => format!("for {counter} in 0..{end}"),
        }
    }

    /// The head of a loop over `0, step, 2 · step, …` below `end`, without its brace. The Rust compiler does
    /// not always know the bounds of a range that is stepped through, and code that checks indices can panic.
    pub fn stepped_head(self, counter: &str, end: u32, step: u32) -> String {
        match (self, step) {
            (Language::C, _) => format!("for (size_t {counter} = 0; {counter} < {end}; {counter} += {step})"),
            (Language::Rust, 1) => self.loop_head(counter, end),
            (Language::Rust, _) => format!("for {counter} in (0..{}).map(|n| n * {step})", end.div_ceil(step)),
        }
    }

    /// A loop with one statement. C needs no braces around it.
    pub fn loop_of_one(self, indent: &str, head: &str, statement: &str) -> String {
        match self {
            Language::C => format!("{indent}{head}\n{indent}    {statement}\n"),
            Language::Rust => format!("{indent}{head} {{\n{indent}    {statement}\n{indent}}}\n"),
        }
    }

    /// A text that begins after `offset` bytes: in C an address, in Rust an array and an index in it.
    pub fn address(self, array: &str, offset: &str) -> String {
        self.choose(format!("{array} + {offset}"), format!("{array}, {offset}"))
    }
}
