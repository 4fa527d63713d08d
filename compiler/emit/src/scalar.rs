//! Functions on words of one instance as functions of a programming language.
//!
//! Slots become parameters and arrays, loops become loops, and the rest becomes expressions on unsigned integers: two words
//! that belong together one integer of twice the width. Nothing branches on data and no position depends on it.
//!
//! | file | tells |
//! |---|---|
//! | `graph` | expressions and statements |
//! | `build`, `pairs`, `words` | instructions as expressions |
//! | `uses`, `live` | what is used, and where |
//! | `write`, `names` | statements as text |
//! | `syntax`, `c`, `lanes`, `vectors`, `rust` | what a language calls it |

use std::fmt;

use culet_ir::{Func, Target};

mod build;
mod c;
mod graph;
mod lanes;
mod live;
mod names;
mod pairs;
mod rust;
mod syntax;
mod uses;
mod vectors;
mod words;
mod write;

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
/// the slots: arrays, but one bit is a word by value, 0 or 1, and a stream is a pointer and a number of bytes. The file needs `<stdint.h>`, `<stddef.h>` and [`c_types`].
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
    let integers = Integers { lanes: target.element_lanes(), ..Integers::plain(target.word_bits()) };
    Ok(write::definition(func, &build::build(func, integers)?, symbol, integers, &c::C { target }))
}

/// Types and functions that [`c_function_for`] uses.
pub fn c_definitions(func: &Func, target: Target) -> String {
    let has_vectors = func.values.iter().any(|value| value.ty.lanes() > 1);
    let vectors = match target {
        _ if !has_vectors => String::new(),
        Target::Avx512Ifma => lanes::DEFINITIONS_OF_ONE.to_owned(),
        _ => vectors::definitions(target),
    };
    format!("{vectors}{}", c_types(target.word_bits()))
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
    let integers = Integers { has_lanes: true, ..Integers::plain(64) };
    Ok(write::definition(func, &build::build(func, integers)?, symbol, integers, &c::C { target: Target::Avx512Ifma }))
}

/// The declaration of what [`c_lanes_function`] defines.
pub(crate) fn c_lanes_prototype(func: &Func, symbol: &str) -> String {
    let integers = Integers { has_lanes: true, ..Integers::plain(64) };
    write::heading(func, symbol, integers, &c::C { target: Target::Avx512Ifma })
}

pub use lanes::LANES;

/// What [`c_lanes_function`] uses.
pub(crate) const C_LANES: &str = lanes::DEFINITIONS;

/// A function's name from that of its files.
pub(crate) fn c_symbol(stem: &str) -> String {
    let symbol = crate::names::prefix(stem);
    if (c::C { target: Target::C64 }).is_reserved(&symbol) { symbol + "_" } else { symbol }
}

/// The same in Rust.
pub(crate) fn rust_symbol(stem: &str) -> String {
    let symbol = crate::names::prefix(stem);
    if rust::is_reserved(&symbol) { symbol + "_" } else { symbol }
}

/// Types that [`c_function`] uses; empty for words of 32 bits.
pub fn c_types(word_bits: u32) -> &'static str {
    if word_bits == 64 { "__extension__ typedef unsigned __int128 wide;\n" } else { "" }
}

/// As [`c_function`], a public function in safe Rust that cannot panic: arrays are references to arrays, streams are slices.
/// The file needs [`rust_helpers`].
///
/// # Errors
///
/// As [`c_function`].
pub fn rust_function(func: &Func, symbol: &str, word_bits: u32) -> Result<String, Unwritable> {
    let integers = Integers::plain(word_bits);
    let rust = rust::Rust { word: integers.word() };
    Ok(write::definition(func, &build::build(func, integers)?, symbol, integers, &rust))
}

/// What functions in Rust need beside themselves; empty if this text of them does not.
pub fn rust_helpers(functions: &str, word_bits: u32) -> String {
    let name = rust::PRODUCT_NAME;
    if !functions.contains(&format!("{name}(")) {
        return String::new();
    }
    let twice = 2 * word_bits;
    format!(
        "/// The product of two words.\n#[inline(always)]\nfn {name}(a: u{word_bits}, b: u{word_bits}) -> u{twice} {{\n    \
         (a as u{twice}) * (b as u{twice})\n}}\n"
    )
}
