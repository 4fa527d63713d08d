//! A field's arithmetic as a module in C or in Rust: functions, their bounds for readers, and a contract for each
//! function.

mod c;
mod contract;
mod rust;
mod trial;

use std::fmt;

use contract::{Limits, bound, contract};
use culet_field::arithmetic::{Operation, Planned};
use culet_field::primes::Montgomery;
use culet_ir::{Func, Module};
use num_bigint::{BigInt, BigUint};
pub use trial::Wrong;

use crate::scalar::{LANES, Unwritable};

/// The programming language of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// A C99 file and its header.
    C,
    /// A file in safe Rust that needs no standard library and cannot panic.
    Rust,
}

/// The arithmetic that a module is written for.
pub struct Arithmetic<'a> {
    /// The name that begins all names: `fe` in `fe_mul`.
    pub prefix: String,
    /// The modulus as it was given.
    pub formula: String,
    /// The command that makes the files.
    pub command: String,
    pub kind: Kind<'a>,
    /// Bytes of an element.
    pub bytes: u32,
    /// Whether functions compute eight at once, one in each lane of AVX-512 with IFMA.
    pub has_lanes: bool,
}

pub enum Kind<'a> {
    /// Limbs whose carries are planned.
    Limbs(&'a culet_field::arithmetic::Arithmetic, &'a Planned),
    Montgomery(&'a Montgomery, &'a [(Operation, Module)]),
}

/// Operations that an inverse calls.
const CALLED: [Operation; 2] = [Operation::Mul, Operation::Square];

/// A file: its name and its text.
#[derive(Debug, Clone)]
pub struct File {
    pub name: String,
    pub text: String,
}

/// The reason that a module is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritten {
    /// A function has no form in the language.
    Unwritable(Unwritable),
    /// A function does not compute what it should: a defect of the compiler.
    Wrong(Wrong),
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritten::Unwritable(what) => what.fmt(f),
            Unwritten::Wrong(wrong) => wrong.fmt(f),
        }
    }
}

impl From<Unwritable> for Unwritten {
    fn from(what: Unwritable) -> Unwritten {
        Unwritten::Unwritable(what)
    }
}

impl Arithmetic<'_> {
    /// Bits of a word.
    pub fn word_bits(&self) -> u32 {
        match &self.kind {
            Kind::Limbs(limbs, _) => limbs.representation.word_bits(),
            Kind::Montgomery(words, _) => words.bits,
        }
    }

    pub fn modulus(&self) -> &BigInt {
        match &self.kind {
            Kind::Limbs(limbs, _) => &limbs.modulus,
            Kind::Montgomery(words, _) => &words.modulus,
        }
    }

    pub fn modulus_text(&self) -> String {
        self.modulus().to_string()
    }

    /// The exponent of R as a power of two in Montgomery's form; none for other forms.
    pub fn r_exponent(&self) -> Option<u32> {
        match &self.kind {
            Kind::Limbs(limbs, _) => {
                let form = &limbs.representation;
                (form.factor() != BigUint::from(1u32)).then(|| form.position(form.words()))
            }
            Kind::Montgomery(words, _) => Some(words.bits * words.words),
        }
    }

    /// Number of elements that a function computes at once.
    pub fn lanes(&self) -> u32 {
        if self.has_lanes { LANES } else { 1 }
    }

    /// Number of words of an element argument, or of all elements side by side.
    pub fn words(&self) -> usize {
        self.positions().len() * self.lanes() as usize
    }

    pub fn symbol(&self, operation: Operation) -> String {
        format!("{}_{}", self.prefix, operation.name())
    }

    /// The weight of each limb, as an exponent of two.
    pub fn positions(&self) -> Vec<u32> {
        match &self.kind {
            Kind::Limbs(limbs, _) => {
                let form = &limbs.representation;
                (0..form.words()).map(|limb| form.position(limb)).collect()
            }
            Kind::Montgomery(words, _) => (0..words.words).map(|word| word * words.bits).collect(),
        }
    }

    pub fn limits(&self, loose: bool) -> Limits {
        match &self.kind {
            Kind::Limbs(_, planned) => {
                Limits::Limbs(if loose { planned.bounds.loose.clone() } else { planned.bounds.tight.clone() })
            }
            Kind::Montgomery(..) => Limits::Value,
        }
    }

    /// Whether bytes that are read must be below p.
    pub fn bytes_are_canonical(&self) -> bool {
        matches!(self.kind, Kind::Montgomery(..))
    }

    /// The equation of an operation, as contracts state it.
    pub fn equation(&self, operation: Operation) -> &'static str {
        let is_montgomery = self.r_exponent().is_some();
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
            // With the second equation of the contract, one such number exists; it is 0 for 0.
            Operation::Inv if is_montgomery => "out * a^2 = a * R^2 mod p",
            Operation::Inv => "out * a^2 = a mod p",
            Operation::FromBytes if is_montgomery => "out = bytes * R mod p",
            Operation::FromBytes => "out = bytes mod p",
            Operation::ToBytes if is_montgomery => "bytes * R = a mod p",
            Operation::ToBytes => "bytes = a mod p",
        }
    }

    fn functions(&self) -> &[(Operation, Module)] {
        match &self.kind {
            Kind::Limbs(_, planned) => &planned.functions,
            Kind::Montgomery(_, functions) => functions,
        }
    }

    fn function(&self, operation: Operation) -> Option<&Module> {
        self.functions().iter().find(|(other, _)| *other == operation).map(|(_, module)| module)
    }

    fn func(&self, operation: Operation) -> Option<&Func> {
        self.function(operation).map(Module::entry)
    }

    /// The module's files: the functions, in C their header, and a contract for each. All functions are compared with
    /// integers before.
    ///
    /// # Errors
    ///
    /// A function without a form in the language, or one that computes something else.
    pub fn files(&self, operations: &[Operation], language: Language) -> Result<Vec<File>, Unwritten> {
        let mut wanted: Vec<Operation> = operations.to_vec();
        if wanted.contains(&Operation::Inv) {
            wanted.extend(CALLED);
        }
        let is_there = |operation: &Operation| *operation == Operation::Inv || self.func(*operation).is_some();
        let operations: Vec<Operation> =
            Operation::ALL.into_iter().filter(|op| wanted.contains(op) && is_there(op)).collect();
        trial::compare(self, &operations).map_err(Unwritten::Wrong)?;
        let mut files = match language {
            Language::C => c::files(self, &operations)?,
            Language::Rust => vec![rust::file(self, &operations)?],
        };
        for &operation in &operations {
            if let Some(text) = contract(self, operation, language) {
                files.push(File { name: format!("{}.toml", self.symbol(operation)), text });
            }
        }
        Ok(files)
    }

    /// Text that says what a function computes and which bounds it has.
    fn says(&self, operation: Operation) -> String {
        let equation = match operation {
            Operation::Inv if self.r_exponent().is_some() => "out = R^2 / a mod p, and 0 for 0, as a power",
            Operation::Inv => "out = 1 / a mod p, and 0 for 0, as a power",
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

    /// Description of elements for readers, as lines, with an empty line between paragraphs.
    fn about(&self) -> Vec<String> {
        let positions: Vec<String> = self.positions().iter().map(|p| format!("2^{p}")).collect();
        let mut lines = vec![
            format!("Arithmetic modulo p = {}, made by culet.", self.formula),
            String::new(),
            format!("An element is {} words of {} bits; they count", positions.len(), self.word_bits()),
            format!("{}.", positions.join(", ")),
            String::new(),
        ];
        if self.has_lanes {
            lines.extend(SIDE_BY_SIDE.map(str::to_owned));
        }
        if let Kind::Limbs(_, planned) = &self.kind {
            for (name, limbs) in [("tight", &planned.bounds.tight), ("loose", &planned.bounds.loose)] {
                let below: Vec<String> = limbs.iter().map(bound).collect();
                lines.push(format!("{name}: limbs are below"));
                lines.push(format!("{}.", below.join(", ")));
                lines.push(String::new());
            }
        }
        let is_below = matches!(self.kind, Kind::Montgomery(..));
        let range = if is_below { ", and is below p: all functions ask for that and give it" } else { "" };
        if let Some(r) = self.r_exponent() {
            lines.push(format!("An element a stands for a / 2^{r} mod p{range}."));
            lines.push(format!("Of contracts R is 2^{r}."));
        }
        if !is_below {
            lines.push("Elements stand for numbers modulo p; only to_bytes gives the one below p.".to_owned());
        }
        lines.push("No branch and no address depends on a limb.".to_owned());
        lines
    }
}

/// Description of elements in lanes for readers.
const SIDE_BY_SIDE: [&str; 5] = [
    "An argument is eight elements side by side, each computed with by itself: word i of element j is",
    "word 8 i + j. The bytes of eight elements stand one after another. A flag is eight words, one an",
    "element.",
    "Needs a CPU with AVX-512: F, BW, VL, DQ and IFMA.",
    "",
];
