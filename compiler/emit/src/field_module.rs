//! A field's arithmetic as a C module: one file of functions, one header that documents their bounds, a contract for each
//! function.

mod contract;

use std::fmt::Write;

use contract::{Limits, bound, contract};
use culet_field::arithmetic::{Operation, Planned};
use culet_field::chain::{Chain, Step};
use culet_field::representation::{Montgomery, Unsaturated};
use culet_ir::{Func, Module};
use num_bigint::BigInt;

use crate::scalar::{Unwritable, c_function, c_prototype, c_types};

/// What is written about.
pub struct Arithmetic<'a> {
    /// The name that begins all names: `fe` in `fe_mul`.
    pub prefix: String,
    /// The modulus as it was given.
    pub formula: String,
    pub kind: Kind<'a>,
    /// Bytes of an element.
    pub bytes: u32,
}

pub enum Kind<'a> {
    Unsaturated(&'a Unsaturated, &'a Planned),
    Montgomery(&'a Montgomery, &'a [(Operation, Module)]),
}

/// A file and what is in it.
#[derive(Debug, Clone)]
pub struct File {
    pub name: String,
    pub text: String,
}

impl Arithmetic<'_> {
    /// Bits of a word.
    pub fn word_bits(&self) -> u32 {
        match &self.kind {
            Kind::Unsaturated(limbs, _) => limbs.bits,
            Kind::Montgomery(words, _) => words.bits,
        }
    }

    fn word(&self) -> &'static str {
        if self.word_bits() == 64 { "uint64_t" } else { "uint32_t" }
    }

    pub fn modulus(&self) -> &BigInt {
        match &self.kind {
            Kind::Unsaturated(limbs, _) => &limbs.modulus,
            Kind::Montgomery(words, _) => &words.modulus,
        }
    }

    pub fn modulus_text(&self) -> String {
        self.modulus().to_string()
    }

    /// R of Montgomery's form.
    pub fn r_text(&self) -> Option<String> {
        match &self.kind {
            Kind::Unsaturated(..) => None,
            Kind::Montgomery(words, _) => Some(format!("2^{}", words.bits * words.words)),
        }
    }

    pub fn symbol(&self, operation: Operation) -> String {
        format!("{}_{}", self.prefix, operation.name())
    }

    /// What each limb counts, as powers of two.
    pub fn positions(&self) -> Vec<u32> {
        match &self.kind {
            Kind::Unsaturated(limbs, _) => (0..limbs.limbs).map(|limb| limbs.position(limb)).collect(),
            Kind::Montgomery(words, _) => (0..words.words).map(|word| word * words.bits).collect(),
        }
    }

    pub fn limits(&self, loose: bool) -> Limits {
        match &self.kind {
            Kind::Unsaturated(_, planned) => {
                Limits::Limbs(if loose { planned.bounds.loose.clone() } else { planned.bounds.tight.clone() })
            }
            Kind::Montgomery(..) => Limits::Value,
        }
    }

    /// Whether bytes that are read must be below p.
    pub fn bytes_are_canonical(&self) -> bool {
        matches!(self.kind, Kind::Montgomery(..))
    }

    /// What an operation computes, as contracts say it.
    pub fn equation(&self, operation: Operation) -> &'static str {
        let is_montgomery = matches!(self.kind, Kind::Montgomery(..));
        match operation {
            Operation::Mul if is_montgomery => "out * R = a * b mod p",
            Operation::Mul => "out = a * b mod p",
            Operation::Square if is_montgomery => "out * R = a * a mod p",
            Operation::Square => "out = a * a mod p",
            Operation::Add => "out = a + b mod p",
            Operation::Sub => "out = a - b mod p",
            Operation::Opp => "out = 0 - a mod p",
            Operation::Select => "out = flag * a + (1 - flag) * b",
            Operation::Carry => "out = a mod p",
            Operation::Inv => "out * a = 1 mod p",
            Operation::FromBytes if is_montgomery => "out = bytes * R mod p",
            Operation::FromBytes => "out = bytes mod p",
            Operation::ToBytes if is_montgomery => "bytes * R = a mod p",
            Operation::ToBytes => "bytes = a mod p",
        }
    }

    fn functions(&self) -> &[(Operation, Module)] {
        match &self.kind {
            Kind::Unsaturated(_, planned) => &planned.functions,
            Kind::Montgomery(_, functions) => functions,
        }
    }

    fn func(&self, operation: Operation) -> Option<&Func> {
        self.functions().iter().find(|(other, _)| *other == operation).map(|(_, module)| module.entry())
    }

    /// The module's files: the functions, their header, and a contract for each.
    ///
    /// # Errors
    ///
    /// A function without a form in C.
    pub fn files(&self, operations: &[Operation]) -> Result<Vec<File>, Unwritable> {
        let mut wanted: Vec<Operation> = operations.to_vec();
        if wanted.contains(&Operation::Inv) {
            wanted.extend([Operation::Mul, Operation::Square]);
        }
        let is_there = |operation: &Operation| *operation == Operation::Inv || self.func(*operation).is_some();
        let operations: Vec<Operation> =
            Operation::ALL.into_iter().filter(|op| wanted.contains(op) && is_there(op)).collect();
        let prefix = &self.prefix;
        let mut files = vec![
            File { name: format!("{prefix}.c"), text: self.source(&operations)? },
            File { name: format!("{prefix}.h"), text: self.header(&operations) },
        ];
        for &operation in &operations {
            if let Some(text) = contract(self, operation) {
                files.push(File { name: format!("{}.toml", self.symbol(operation)), text });
            }
        }
        Ok(files)
    }

    fn source(&self, operations: &[Operation]) -> Result<String, Unwritable> {
        let word_bits = self.word_bits();
        let mut text = format!(
            "/* Arithmetic modulo {}, made by culet: see {}.h. Every function is straight-line code. */\n#include \"{}.h\"\n",
            self.formula, self.prefix, self.prefix
        );
        if !c_types(word_bits).is_empty() {
            let _ = write!(text, "\n{}", c_types(word_bits));
        }
        for &operation in operations {
            text.push('\n');
            match self.func(operation) {
                Some(func) => text.push_str(&c_function(func, &self.symbol(operation), word_bits)?),
                None => text.push_str(&self.inverse()),
            }
        }
        Ok(text)
    }

    fn header(&self, operations: &[Operation]) -> String {
        let guard = format!("{}_H", self.prefix.to_uppercase());
        let mut text = format!("{}\n#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n", self.about());
        for &operation in operations {
            let prototype = match self.func(operation) {
                Some(func) => c_prototype(func, &self.symbol(operation), self.word_bits()),
                None => self.inverse_prototype(),
            };
            let _ = writeln!(text, "\n/* {} */\n{prototype};", self.says(operation));
        }
        let _ = writeln!(text, "\n#endif");
        text
    }

    /// What a function computes and which bounds it has.
    fn says(&self, operation: Operation) -> String {
        let equation = match operation {
            Operation::Inv => "out = 1 / a mod p, and 0 for 0, as a power: tested, not proved",
            _ => self.equation(operation),
        };
        if matches!(self.kind, Kind::Montgomery(..)) {
            return equation.to_owned();
        }
        let class = |loose: bool| if loose { "loose" } else { "tight" };
        let mut bounds = Vec::new();
        for name in operation.elements() {
            bounds.push(format!("{name} {}", class(operation.takes_loose())));
        }
        if operation != Operation::ToBytes {
            bounds.push(format!("out {}", class(operation.gives_loose())));
        }
        if operation == Operation::Select {
            bounds.push("flag 0 or 1".to_owned());
        }
        format!("{equation}; {}", bounds.join(", "))
    }

    /// The first comment of the header.
    fn about(&self) -> String {
        let positions: Vec<String> = self.positions().iter().map(|p| format!("2^{p}")).collect();
        let mut text = format!("/* Arithmetic modulo p = {}, made by culet.\n\n", self.formula);
        let count = positions.len();
        let _ = writeln!(text, "   An element is {count} words of {} bits; they count", self.word_bits());
        let _ = writeln!(text, "   {}.", positions.join(", "));
        match &self.kind {
            Kind::Unsaturated(_, planned) => {
                for (name, limbs) in [("tight", &planned.bounds.tight), ("loose", &planned.bounds.loose)] {
                    let below: Vec<String> = limbs.iter().map(bound).collect();
                    let _ = writeln!(text, "\n   {name}: limbs are below\n   {}.", below.join(", "));
                }
                let _ =
                    writeln!(text, "\n   Elements stand for numbers modulo p; only to_bytes gives the one below p.");
            }
            Kind::Montgomery(montgomery, _) => {
                let exponent = montgomery.bits * montgomery.words;
                let _ = writeln!(
                    text,
                    "\n   An element a stands for a / 2^{exponent} mod p, and is below p: all functions ask for that and give it."
                );
                let _ = writeln!(text, "   Of contracts R is 2^{exponent}.");
            }
        }
        let _ = writeln!(text, "   Results may be written over arguments. No branch and no address depends on a limb.");
        text.push_str("\n   What is in the .toml files holds of the machine code if `culet prove OBJECT --contract FILE` says so. */");
        text
    }

    fn inverse_prototype(&self) -> String {
        let (ty, count) = (self.word(), self.positions().len());
        format!("void {}({ty} out[{count}], const {ty} a[{count}])", self.symbol(Operation::Inv))
    }

    /// The inverse as a power, by the functions of the module.
    fn inverse(&self) -> String {
        let chain = Chain::new(&(self.modulus() - 2));
        let (ty, count) = (self.word(), self.positions().len());
        let (mul, square) = (self.symbol(Operation::Mul), self.symbol(Operation::Square));
        let mut text = format!("{}\n{{\n    {ty} r[{}][{count}];\n", self.inverse_prototype(), chain.registers);
        let _ = writeln!(text, "    for (int i = 0; i < {count}; i++)\n        r[0][i] = a[i];");
        for step in &chain.steps {
            let _ = match *step {
                Step::Square { to, from, times: 0 } => {
                    writeln!(text, "    for (int i = 0; i < {count}; i++)\n        r[{to}][i] = r[{from}][i];")
                }
                Step::Square { to, from, times: 1 } => writeln!(text, "    {square}(r[{to}], r[{from}]);"),
                Step::Square { to, from, times } => {
                    writeln!(
                        text,
                        "    {square}(r[{to}], r[{from}]);\n    for (int i = 1; i < {times}; i++)\n        {square}(r[{to}], r[{to}]);"
                    )
                }
                Step::Multiply { to, a, b } => writeln!(text, "    {mul}(r[{to}], r[{a}], r[{b}]);"),
            };
        }
        let _ = writeln!(text, "    for (int i = 0; i < {count}; i++)\n        out[i] = r[{}][i];\n}}", chain.result);
        text
    }
}
