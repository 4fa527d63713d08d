//! Atoms of a bitsliced kernel held together: several registers in one value.
//!
//! In Rust, the value is an array of registers. In C, it is an array of *parts*. A C compiler with vectors gets parts of several registers, as wide as its target
//! has them, and splits them no further; any other gets parts of one register. The choice is the preprocessor's, so
//! that one file serves all.

use std::fmt::Write;

use culet_ir::Op;

use crate::expr::Expr;
use crate::helpers::{Helpers, Parameter};
use crate::language::Language;
use crate::machine::Machine;

/// Bytes of a vector, by the preprocessor's choice.
const VECTOR_BYTES: [u32; 3] = [32, 16, 0];

/// The least number of registers whose functions are called in Rust.
const CALLED: u32 = 8;

const PREAMBLE: &str = "\
/* Bytes of the vectors that planes are handled in: 32, 16, or 0 where the compiler has none. */
#if !defined(PLANES_VECTOR) && defined(__GNUC__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#if defined(__AVX2__)
#define PLANES_VECTOR 32
#else
#define PLANES_VECTOR 16
#endif
#endif
#endif
#if !defined(PLANES_VECTOR)
#define PLANES_VECTOR 0
#endif
#if PLANES_VECTOR > 0
#define PLANES_INLINE static inline __attribute__((always_inline))
#define PLANES_EACH(a) _Pragma(\"GCC unroll 32\") for (size_t k = 0; k < sizeof a.part / sizeof a.part[0]; k++)
#else
#define PLANES_INLINE static inline
#define PLANES_EACH(a) for (size_t k = 0; k < sizeof a.part / sizeof a.part[0]; k++)
#endif

";

/// The type of `lanes` registers.
pub(crate) fn ctype(machine: &Machine, lanes: u32) -> String {
    machine.language.choose(stem(lanes), format!("[{}; {lanes}]", machine.register()))
}

/// The beginning of the names of functions on `lanes` registers; in C, the type has this name, too.
fn stem(lanes: u32) -> String {
    format!("planes{lanes}")
}

/// Values of `lanes` registers, and the functions they need.
pub(crate) struct Planes<'a> {
    pub machine: &'a Machine,
    pub helpers: &'a mut Helpers,
    pub lanes: u32,
}

impl Planes<'_> {
    /// Loads from the registers at an address; `store` stores to them.
    pub fn load(&mut self, address: &str) -> Expr {
        let (t, r) = (self.ctype(), self.machine.register());
        let name = match self.machine.language {
            Language::C => {
                let body = format!("    {t} a;\n    memcpy(&a, registers, sizeof a);\n    return a;\n");
                self.function("load", &t, &[(&format!("const {r} *"), "registers")], &body)
            }
            Language::Rust => {
                let parameters: [Parameter<'_>; 2] = [(&format!("&[{r}; N]"), "registers"), ("usize", "at")];
                let found = "registers.get(at..).and_then(|registers| registers.first_chunk())";
                self.function("load", &t, &parameters, &format!("    *{found}.unwrap_or(&[0; {}])\n", self.lanes))
            }
        };
        Expr::primary(format!("{name}({address})"))
    }

    pub fn store(&mut self, address: &str, value: &Expr) -> String {
        let (t, r) = (self.ctype(), self.machine.register());
        let name = match self.machine.language {
            Language::C => {
                let parameters: [Parameter<'_>; 2] = [(&format!("{r} *"), "registers"), (&t, "a")];
                self.function("store", "void", &parameters, "    memcpy(registers, &a, sizeof a);\n")
            }
            Language::Rust => {
                let array = format!("&mut [{r}; N]");
                let parameters: [Parameter<'_>; 3] = [(&array, "registers"), ("usize", "at"), (&t, "a")];
                let body =
                    "    if let Some(to) = registers.get_mut(at..).and_then(|registers| registers.first_chunk_mut()) {
        *to = a;
    }
";
                self.function("store", "void", &parameters, body)
            }
        };
        format!("{name}({address}, {});", value.text)
    }

    /// A value whose registers are all ones where `bits` is 1, and zero elsewhere.
    pub fn constant(&mut self, bits: &[u64]) -> Expr {
        let (ones, zero) = (self.machine.ones(), self.machine.zero());
        let word = |bit: u64| if bit == 1 { ones.clone() } else { zero.clone() };
        if bits.iter().all(|bit| *bit == bits[0]) {
            return self.fill(&Expr::primary(word(bits[0])));
        }
        if self.machine.language.is_rust() {
            let words: Vec<String> = bits.iter().map(|&bit| word(bit)).collect();
            return Expr::primary(format!("[{}]", words.join(", ")));
        }
        self.load("0");
        let mut body = format!("    static const {} registers[{}] = {{\n", self.machine.register(), self.lanes);
        for row in bits.chunks(8) {
            let row: Vec<String> = row.iter().map(|&bit| word(bit)).collect();
            let _ = writeln!(body, "        {},", row.join(", "));
        }
        let t = self.ctype();
        let _ = write!(body, "    }};\n    return {t}_load(registers);\n");
        let digits = bits.iter().fold(0u64, |digits, bit| digits << 1 | bit);
        Expr::primary(format!("{}()", self.function(&format!("constant_{digits:x}"), &t, &[], &body)))
    }

    /// A value whose registers all equal `word`.
    pub fn fill(&mut self, word: &Expr) -> Expr {
        let t = self.ctype();
        if self.machine.language.is_rust() {
            return Expr::primary(format!("[{}; {}]", word.text, self.lanes));
        }
        let body =
            format!("    {t} a;\n    PLANES_EACH(a)\n        a.part[k] = ({t}_part){{ 0 }} ^ word;\n    return a;\n");
        let name = self.function("fill", &t, &[(self.machine.register(), "word")], &body);
        Expr::call(&name, &[word])
    }

    /// An operation that is the same on every bit, where words have one bit.
    pub fn operation(&mut self, op: &Op, operands: &[Expr]) -> Expr {
        let inverted = |formula: &str| formula.replace('~', self.machine.language.choose("~", "!"));
        let (name, text) = match op {
            Op::And | Op::Mul => ("and", "A & B".to_owned()),
            Op::Or => ("or", "A | B".to_owned()),
            Op::Xor | Op::Add | Op::Sub => ("xor", "A ^ B".to_owned()),
            Op::Andn => ("andn", inverted("A & ~B")),
            Op::Not => ("not", inverted("~A")),
            Op::MulHi => return self.constant(&vec![0; self.lanes as usize]),
            // Amounts are less than the width, so they are zero.
            _ => return operands[0].clone(),
        };
        self.each(name, &text, operands)
    }

    /// Applies a formula to each part of operands A, B, C, by a function of this name.
    pub fn each(&mut self, name: &str, formula: &str, operands: &[Expr]) -> Expr {
        let (t, language) = (self.ctype(), self.machine.language);
        let names = &["a", "b", "c"][..operands.len()];
        let (mut text, mut unused) = (formula.to_owned(), String::new());
        for name in names {
            let operand = name.to_ascii_uppercase();
            // In C, `a` has the parts that the loop goes through.
            if (*name != "a" || language.is_rust()) && !formula.contains(&operand) {
                let _ = writeln!(unused, "    {}", language.unused(name));
            }
            text = text.replace(&operand, &format!("{name}{}[k]", language.choose(".part", "")));
        }
        let parameters: Vec<Parameter<'_>> = names.iter().map(|name| (t.as_str(), *name)).collect();
        let body = format!("{unused}{}", self.each_part(&text));
        let name = self.function(name, &t, &parameters, &body);
        Expr::call(&name, &operands.iter().collect::<Vec<_>>())
    }

    /// `condition ? then : otherwise`, instance by instance.
    pub fn select(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Expr {
        let t = self.ctype();
        let parameters: [Parameter<'_>; 3] = [(self.machine.register(), "condition"), (&t, "a"), (&t, "b")];
        let chosen = match self.machine.language {
            Language::C => "b.part[k] ^ (condition & (a.part[k] ^ b.part[k]))",
            Language::Rust => "b[k] ^ (condition & (a[k] ^ b[k]))",
        };
        let body = self.each_part(chosen);
        let name = self.function("select", &t, &parameters, &body);
        Expr::call(&name, &[condition, then, otherwise])
    }

    /// Register `i` of the result is register `pattern[i]` of the operand, or zero.
    pub fn permute(&mut self, pattern: &[Option<u8>], operand: &Expr) -> Expr {
        if pattern.iter().enumerate().all(|(i, from)| *from == Some(i as u8)) {
            return operand.clone();
        }
        if pattern.iter().all(Option::is_none) {
            return self.constant(&vec![0; self.lanes as usize]);
        }
        self.need_type();
        let (t, stem) = (self.ctype(), format!("{}_permute", stem(self.lanes)));
        if self.machine.language.is_rust() {
            let part = |from: &Option<u8>| from.map_or_else(|| "0".to_owned(), |from| format!("a[{from}]"));
            let parts: Vec<String> = pattern.iter().map(part).collect();
            let body = format!("    [{}]\n", parts.join(", "));
            return Expr::call(&self.helpers.numbered_as(self.storage(), &t, &stem, &[(&t, "a")], &body), &[operand]);
        }
        let mut body = format!("    {t} r;\n");
        for (i, bytes) in VECTOR_BYTES.into_iter().enumerate() {
            let _ = writeln!(body, "{}", condition(i, bytes));
            let width = self.part(bytes);
            for (k, wanted) in pattern.chunks(width as usize).enumerate() {
                let _ = writeln!(body, "    r.part[{k}] = {};", part_of(wanted, &format!("({t}_part){{ 0 }}")));
            }
        }
        body.push_str("#endif\n    return r;\n");
        let name = self.helpers.numbered_as("PLANES_INLINE", &t, &stem, &[(&t, "a")], &body);
        Expr::call(&name, &[operand])
    }

    /// Number of registers in a part, for vectors of `vector_bytes` bytes.
    fn part(&self, vector_bytes: u32) -> u32 {
        let most = (vector_bytes / (self.machine.register_bits / 8)).max(1);
        (1 << self.lanes.trailing_zeros()).min(most)
    }

    /// The words before a function that computes. In Rust, long ones are called: inside them, LLVM makes vectors of the loop over
    /// registers; outside, it takes registers one by one, and minutes for that.
    fn storage(&self) -> &'static str {
        let is_long = self.machine.language.is_rust() && self.lanes >= CALLED;
        if is_long { "noinline" } else { "PLANES_INLINE" }
    }

    fn ctype(&self) -> String {
        ctype(self.machine, self.lanes)
    }

    /// The statements that return this value for each part `k`.
    fn each_part(&self, value: &str) -> String {
        match self.machine.language {
            Language::C => format!("    PLANES_EACH(a)\n        a.part[k] = {value};\n    return a;\n"),
            Language::Rust => format!(
                "    let mut r = [0; {lanes}];\n    for k in 0..{lanes} {{\n        r[k] = {value};\n    }}\n    r\n",
                lanes = self.lanes
            ),
        }
    }

    /// Makes sure that the type is there.
    pub fn need_type(&mut self) {
        if self.machine.language.is_rust() {
            return;
        }
        self.helpers.text_once("PLANES_VECTOR", PREAMBLE);
        let (t, register) = (self.ctype(), self.machine.register());
        let mut text = String::new();
        for (i, bytes) in VECTOR_BYTES.into_iter().enumerate() {
            let part = self.part(bytes) * self.machine.register_bits / 8;
            let vector =
                if self.part(bytes) > 1 { format!(" __attribute__((vector_size({part})))") } else { String::new() };
            let _ = writeln!(text, "{}\ntypedef {register} {t}_part{vector};", condition(i, bytes));
        }
        let _ = writeln!(
            text,
            "#endif\ntypedef struct {{\n    {t}_part part[{} * sizeof({register}) / sizeof({t}_part)];\n}} {t};\n",
            self.lanes
        );
        self.helpers.text_once(&t, &text);
    }

    /// Writes a function on this type and returns its whole name.
    fn function(&mut self, function: &str, result: &str, parameters: &[Parameter<'_>], body: &str) -> String {
        self.need_type();
        let name = format!("{}_{function}", stem(self.lanes));
        let storage = if ["load", "store"].contains(&function) { "PLANES_INLINE" } else { self.storage() };
        self.helpers.need_as(storage, result, &name, parameters, body);
        name
    }
}

/// The directive before the text for vectors of `bytes` bytes, the `i`-th choice.
fn condition(i: usize, bytes: u32) -> String {
    match (i, bytes) {
        (0, _) => format!("#if PLANES_VECTOR == {bytes}"),
        (_, 0) => "#else".to_owned(),
        _ => format!("#elif PLANES_VECTOR == {bytes}"),
    }
}

/// A part made of the wanted registers of `a`, by shuffles of two parts at a time.
fn part_of(wanted: &[Option<u8>], zero: &str) -> String {
    let width = wanted.len();
    let source = |from: &Option<u8>| from.map(|from| usize::from(from) / width);
    let name = |source: Option<usize>| source.map_or_else(|| zero.to_owned(), |part| format!("a.part[{part}]"));
    if width == 1 {
        return name(source(&wanted[0]));
    }
    let within = |from: &Option<u8>| from.map_or(0, |from| usize::from(from) % width);
    let mut sources: Vec<Option<usize>> = Vec::new();
    for from in wanted {
        if !sources.contains(&source(from)) {
            sources.push(source(from));
        }
    }
    let in_place = wanted.iter().enumerate().all(|(i, from)| from.is_none() || within(from) == i);
    if sources.len() == 1 && in_place {
        return name(sources[0]);
    }
    let shuffle = |first: &str, second: &str, selectors: Vec<usize>| {
        let selectors: Vec<String> = selectors.iter().map(usize::to_string).collect();
        format!("__builtin_shufflevector({first}, {second}, {})", selectors.join(", "))
    };
    let first = name(sources[0]);
    let second = sources.get(1).map_or_else(|| first.clone(), |&source| name(source));
    let pair = wanted.iter().map(|from| within(from) + if sources.get(1) == Some(&source(from)) { width } else { 0 });
    let mut text = shuffle(&first, &second, pair.collect());
    for &next in sources.iter().skip(2) {
        let one_more = wanted.iter().enumerate();
        let selectors = one_more.map(|(i, from)| if source(from) == next { width + within(from) } else { i });
        text = shuffle(&text, &name(next), selectors.collect());
    }
    text
}

/// The name of a three-input operation in functions.
pub(crate) fn ternary_name(table: u8) -> String {
    format!("ternary_{table:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_from_one_or_two_or_more_parts() {
        let rotation: Vec<Option<u8>> = (3..7).map(Some).collect();
        assert_eq!(part_of(&rotation, "zero"), "__builtin_shufflevector(a.part[0], a.part[1], 3, 4, 5, 6)");
        assert_eq!(part_of(&[Some(4), Some(5), Some(6), Some(7)], "zero"), "a.part[1]");
        assert_eq!(part_of(&[Some(1), None], "zero"), "__builtin_shufflevector(a.part[0], zero, 1, 2)");
        let scattered = [Some(0), Some(4), Some(8), Some(12)];
        let inner = "__builtin_shufflevector(a.part[0], a.part[1], 0, 4, 0, 0)";
        let middle = format!("__builtin_shufflevector({inner}, a.part[2], 0, 1, 4, 3)");
        let outer = format!("__builtin_shufflevector({middle}, a.part[3], 0, 1, 2, 4)");
        assert_eq!(part_of(&scattered, "zero"), outer);
    }
}
