//! Functions on words of one instance as functions of a programming language.
//!
//! Slots become parameters and arrays, loops become loops, and the rest becomes expressions on unsigned integers: two words
//! that belong together one integer of twice the width. Nothing branches on data and no position depends on it.
//!
//! | file | tells |
//! |---|---|
//! | `graph` | expressions and statements |
//! | `build`, `pairs`, `runs`, `words` | instructions as expressions |
//! | `uses`, `live` | what is used, and where |
//! | `write`, `names` | statements as text |
//! | `syntax`, `c`, `rust` | what a language calls it |
//! | `bytes` | functions that read and write words of bytes |
//! | `c/lanes`, `c/vectors`, `rust/vectors`, `rust/registers` | what it calls operations on lanes of registers |

use std::fmt;

use culet_ir::{Func, Target};

mod build;
mod bytes;
mod c;
mod graph;
mod live;
mod names;
mod pairs;
mod runs;
mod rust;
mod syntax;
mod uses;
mod words;
mod write;

use c::{lanes, sums, vectors};
use rust::registers::{Registers, registers};
use syntax::Syntax;
use words::Integers;

/// Why a function has no form here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable(pub String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// The definition of a function in C99 for words of 32 or 64 bits. Its parameters are its inputs and outputs in the order of
/// the slots: arrays, but one bit is a word by value, 0 or 1, and a stream is a pointer and a number of bytes. The file needs `<stdint.h>`, `<stddef.h>` and [`c_definitions`].
///
/// An output may be an input, too, if the function reads what it needs before it writes.
///
/// # Errors
///
/// Values that are no words of one instance, and calls.
pub fn c_function(func: &Func, symbol: &str, word_bits: u32) -> Result<String, Unwritable> {
    c_function_for(func, symbol, plain(word_bits))
}

/// The target of plain words of so many bits.
fn plain(word_bits: u32) -> Target {
    if word_bits == 32 { Target::C32 } else { Target::C64 }
}

/// As [`c_function`], for words of a target, whose registers values of several lanes are. The file needs [`c_definitions`].
///
/// # Errors
///
/// As [`c_function`].
pub fn c_function_for(func: &Func, symbol: &str, target: Target) -> Result<String, Unwritable> {
    let integers = Integers::of(target, false);
    Ok(write::definition(func, &build::build(func, integers)?, symbol, integers, &c::C { target }))
}

/// Types and functions that [`c_function_for`] uses, which gave this text.
pub fn c_definitions(func: &Func, target: Target, text: &str) -> String {
    let vectors = match target {
        _ if !has_vectors(func) => String::new(),
        Target::Avx512Ifma => lanes::DEFINITIONS_OF_ONE.to_owned(),
        _ => vectors::definitions(target),
    };
    format!("{vectors}{}", c_types(target.word_bits(), text))
}

/// Whether words stand side by side in it.
fn has_vectors(func: &Func) -> bool {
    func.values.iter().any(|value| value.ty.lanes() > 1)
}

/// The declaration of what [`c_function`] defines, without a semicolon: `void mul(uint64_t out[5], const uint64_t a[5])`.
pub fn c_prototype(func: &Func, symbol: &str, word_bits: u32) -> String {
    write::heading(func, symbol, Integers::plain(word_bits), &c::C { target: plain(word_bits) })
}

/// The same for eight instances at once, in lanes of AVX-512: the values of a parameter stand one after another. The file
/// needs [`C_LANES`].
///
/// # Errors
///
/// As [`c_function`]; streams, too, whose lengths differ.
pub(crate) fn c_lanes_function(func: &Func, symbol: &str) -> Result<String, Unwritable> {
    let integers = Integers::of(Target::Avx512Ifma, true);
    Ok(write::definition(func, &build::build(func, integers)?, symbol, integers, &c::C { target: Target::Avx512Ifma }))
}

/// The declaration of what [`c_lanes_function`] defines.
pub(crate) fn c_lanes_prototype(func: &Func, symbol: &str) -> String {
    let integers = Integers::of(Target::Avx512Ifma, true);
    write::heading(func, symbol, integers, &c::C { target: Target::Avx512Ifma })
}

pub use words::LANES;

/// What [`c_lanes_function`] uses.
pub(crate) const C_LANES: &str = lanes::DEFINITIONS;

/// A function's name from that of its files.
pub(crate) fn c_symbol(stem: &str) -> String {
    let symbol = crate::names::prefix(stem);
    if (c::C { target: Target::C64 }).is_reserved(&symbol) { symbol + "_" } else { symbol }
}

/// The same in Rust, as [`rust_function_for`] has it.
pub(crate) fn rust_symbol(stem: &str, func: &Func, target: Target, has_lanes: bool) -> String {
    let symbol = crate::names::prefix(stem);
    if rust::is_reserved(&symbol, registers_of(func, target, has_lanes)) { symbol + "_" } else { symbol }
}

/// What lanes of a function are in, if it has any.
fn registers_of(func: &Func, target: Target, has_lanes: bool) -> Option<&'static Registers> {
    registers(target).filter(|_| has_lanes || has_vectors(func))
}

/// Types and functions that [`c_function`] uses, which gave these texts.
pub(crate) fn c_types(word_bits: u32, functions: &str) -> String {
    let wide = (word_bits == 64).then(|| "__extension__ typedef unsigned __int128 wide;\n".to_owned());
    let sum = functions.contains(sums::NAME).then(|| sums::DEFINITION.to_owned());
    let definitions = wide.into_iter().chain(sum).chain(bytes::c_definitions(functions));
    definitions.map(|definition| definition + "\n").collect()
}

/// As [`c_function`], a public function in safe Rust that cannot panic: arrays are references to arrays, streams are slices.
/// The file needs what [`RustFunction::definitions`] has.
///
/// # Errors
///
/// As [`c_function`].
pub fn rust_function(func: &Func, symbol: &str, word_bits: u32) -> Result<String, Unwritable> {
    Ok(rust_function_for(func, symbol, plain(word_bits), false)?.text)
}

/// A function in Rust.
pub struct RustFunction {
    pub text: String,
    /// What it needs beside itself; empty if that is nothing.
    pub definitions: String,
    /// Without these it must not be called.
    pub features: Option<Features>,
}

/// What a CPU must have: an architecture, and features as Rust calls them.
pub struct Features {
    pub architecture: &'static str,
    pub names: &'static [&'static str],
}

/// As [`rust_function`], for words of a target, whose registers values of several lanes are, or for eight instances at once, in
/// lanes, whose values stand one after another.
///
/// # Errors
///
/// As [`c_function`]; lanes of a target that stable Rust has none for.
pub fn rust_function_for(
    func: &Func,
    symbol: &str,
    target: Target,
    has_lanes: bool,
) -> Result<RustFunction, Unwritable> {
    let integers = Integers::of(target, has_lanes);
    let built = build::build(func, integers)?;
    let registers = registers_of(func, target, has_lanes);
    let has_registers = registers.is_some_and(|registers| !has_lanes || registers.has_instances());
    if (has_lanes || has_vectors(func)) && !has_registers {
        return Err(Unwritable(format!("stable Rust has no vectors for the target `{}`", target.name())));
    }
    let rust = rust::Rust { word: integers.word(), registers };
    let text = write::definition(func, &built, symbol, integers, &rust);
    let lanes = registers.map(|registers| registers.definitions(&text));
    let callers = lanes.iter().chain([&text]).map(String::as_str).collect::<String>();
    let helpers = rust_helpers(&callers, target.word_bits());
    let definitions: Vec<String> = lanes.into_iter().chain([helpers]).filter(|text| !text.is_empty()).collect();
    let features =
        registers.map(|registers| Features { architecture: registers.architecture, names: registers.features });
    Ok(RustFunction { text, definitions: definitions.join("\n"), features })
}

/// What functions in Rust need beside themselves; empty if this text of them does not.
pub(crate) fn rust_helpers(functions: &str, word_bits: u32) -> String {
    let mut definitions = bytes::rust_definitions(functions);
    let (name, twice) = (rust::PRODUCT_NAME, 2 * word_bits);
    if functions.contains(&format!("{name}(")) {
        definitions.push(format!(
            "/// The product of two words.\n#[inline(always)]\nfn {name}(a: u{word_bits}, b: u{word_bits}) -> u{twice} {{\n    \
             (a as u{twice}) * (b as u{twice})\n}}\n"
        ));
    }
    definitions.join("\n")
}
