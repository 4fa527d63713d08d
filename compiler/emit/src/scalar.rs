//! Functions on words of one instance as functions of a programming language.
//!
//! Slots become parameters and arrays, loops become loops, and the rest becomes expressions on unsigned integers. Two
//! words that belong together become one integer of twice the width. Nothing branches on data and no position depends
//! on it.
//!
//! | file | contents |
//! |---|---|
//! | `graph` | expressions and statements |
//! | `calls`, `homes` | functions that call one another, and the places of elements between them |
//! | `shared` | large tables that several functions have |
//! | `copies` | words that are copied one after another as loops |
//! | `build`, `pairs`, `rounds`, `runs`, `words` | instructions as expressions |
//! | `in_place` | results in the places of streams |
//! | `made` | results as streams |
//! | `transpose` | words of several blocks as rows and columns |
//! | `uses`, `live` | uses of values and of expressions |
//! | `write`, `names`, `lines`, `followed` | statements as text |
//! | `syntax`, `c`, `rust` | the syntax of a language |
//! | `bytes` | functions that read and write words of bytes |
//! | `c/sums` | sums of words with a carry, by a function that tells gcc of the carry |
//! | `c/masks` | bits that compilers must not know to be 0 or 1 |
//! | `c/lanes`, `c/vectors`, `rust/vectors`, `rust/registers` | names of operations on lanes of registers |
//! | `c/shapes`, `rust/shapes` | operations on registers whose lanes have any width |
//! | `c/pairs` | names of products without carries |
//! | `c/rounds`, `rust/rounds` | instructions of whole rounds, and registers of words side by side |

use std::fmt;

use culet_ir::{Func, Module, Op, Target};
use culet_types::program::{Family, Instruction};

mod build;
mod bytes;
mod c;
mod calls;
mod copies;
mod followed;
mod fours;
mod graph;
mod homes;
mod in_place;
mod late;
mod lines;
mod live;
mod made;
mod names;
mod pairs;
mod rounds;
mod runs;
mod rust;
mod shared;
mod syntax;
mod transpose;
mod uses;
mod words;
mod write;

use c::{kept, lanes, masks, shapes, sums, vectors};
pub(crate) use calls::Named;
use calls::{Definition, Framed};
use rust::registers::{Needed, pairs, registers};
use rust::rounds::rounds;
use rust::vectors::attribute;
use shared::Shared;
use syntax::Syntax;
use words::Integers;

/// The reason that a function cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable(pub String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Returns the definition of a function in C99 for words of 32 or 64 bits. Its parameters are its inputs and outputs in
/// the order of the slots. They are arrays, except that one bit is a word by value, 0 or 1, and a stream is a pointer
/// and a number of bytes. The file needs `<stdint.h>`, `<stddef.h>` and [`c_definitions`].
///
/// An output may also be an input if the function reads what it needs before it writes.
///
/// # Errors
///
/// Values that are no words of one instance, and calls.
pub fn c_function(func: &Func, symbol: &str, word_bits: u32) -> Result<String, Unwritable> {
    c_function_for(func, symbol, plain(word_bits))
}

/// The target of plain words of `word_bits` bits.
fn plain(word_bits: u32) -> Target {
    if word_bits == 32 { Target::C32 } else { Target::C64 }
}

/// As [`c_function`], for words of a target. Values of several lanes are registers of that target. The file needs
/// [`c_definitions`].
///
/// # Errors
///
/// As [`c_function`].
pub fn c_function_for(func: &Func, symbol: &str, target: Target) -> Result<String, Unwritable> {
    alone(func, symbol, Integers::of(target, false), &c::C { target })
}

/// A function that neither calls another nor is called.
fn alone(func: &Func, symbol: &str, integers: Integers, syntax: &dyn Syntax) -> Result<String, Unwritable> {
    let framed = Framed::alone(func);
    let built = build::build(&framed, integers)?;
    Ok(write::definition(&framed, &built, symbol, &Shared::default(), integers, syntax))
}

/// As [`c_function_for`], for the entry of a module and the functions that it calls, which are `static`.
///
/// # Errors
///
/// As [`c_function_for`], but for calls.
pub fn c_module(module: &Module, symbol: &str, target: Target) -> Result<String, Unwritable> {
    calls::definitions(module, symbol, c_integers(target), &c::C { target })
}

/// How modules in C compute.
fn c_integers(target: Target) -> Integers {
    Integers { has_runs: true, ..Integers::of(target, false) }
}

/// As [`c_module`], for several modules. A function that several of them have is there once. Names of functions that are no entries begin
/// with `prefix`. With `is_private`, the entries are `static`, too.
///
/// # Errors
///
/// As [`c_module`].
pub(crate) fn c_modules(
    modules: &[Named<'_>],
    prefix: &str,
    target: Target,
    is_private: bool,
) -> Result<String, Unwritable> {
    let mut functions = calls::definitions_together(modules, prefix, c_integers(target), &c::C { target })?;
    for function in functions.iter_mut().filter(|function| is_private && function.entry.is_some()) {
        function.text.insert_str(0, "static ");
    }
    Ok(calls::joined(&functions))
}

/// Checks that the results of a module's entry may stand in the places of the streams whose length they have, in C and in Rust.
///
/// # Errors
///
/// The reason why they may not, and those of [`c_function`].
pub(crate) fn check_in_place(module: &Module, target: Target, has_lanes: bool) -> Result<(), Unwritable> {
    for integers in [c_integers(target), rust_integers(target, has_lanes)] {
        let framed = Framed::of_entry(module, integers);
        in_place::check(&framed.func, &build::build(&framed, integers)?)?;
    }
    Ok(())
}

/// How modules in Rust compute.
fn rust_integers(target: Target, has_lanes: bool) -> Integers {
    Integers { has_borrow_chains: true, ..Integers::of(target, has_lanes) }
}

/// The instructions of rounds that a module's functions call.
pub(crate) fn instructions(module: &Module) -> Vec<Instruction> {
    // The entry, which may be what an instruction means, is written itself.
    let called = module.funcs.iter().enumerate().filter(|(index, _)| *index != module.entry.index());
    let mut all: Vec<Instruction> = called.filter_map(|(_, func)| func.instruction).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Types and functions that `text`, a result of [`c_module`] or [`c_modules`], uses.
pub(crate) fn c_module_definitions(modules: &[&Module], target: Target, text: &str) -> String {
    let entries: Vec<&Func> = modules.iter().map(|module| module.entry()).collect();
    let instructions = instructions_of_all(modules);
    if instructions.is_empty() {
        return definitions_in_c(&entries, target, text);
    }
    let has_pairs = entries.iter().any(|func| has_pairs(func));
    let pairs = if has_pairs { String::new() } else { c::pairs::register(target) };
    let rounds = c::rounds::definitions(target, &instructions, text);
    format!("{pairs}{}{rounds}", definitions_in_c(&entries, target, text))
}

/// The flags of C compilers for instructions of rounds and products without carries in functions that were made from these modules.
pub(crate) fn c_extensions(modules: &[&Module], target: Target, functions: &str) -> Vec<&'static str> {
    let mut families: Vec<Family> = instructions_of_all(modules).into_iter().map(Instruction::family).collect();
    if target.has_clmul() && modules.iter().any(|module| has_pairs(module.entry())) {
        families.push(Family::Products);
    }
    let flags = crate::isa::rounds::flags(target, &families, c::rounds::has_fours(functions));
    flags.into_iter().map(|(_, flag)| flag).collect()
}

/// The instructions that functions made from these modules have.
fn instructions_of_all(modules: &[&Module]) -> Vec<Instruction> {
    let mut all: Vec<Instruction> = modules.iter().flat_map(|module| instructions(module)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Types and functions that `text`, a result of [`c_function_for`], uses.
pub fn c_definitions(func: &Func, target: Target, text: &str) -> String {
    definitions_in_c(&[func], target, text)
}

fn definitions_in_c(funcs: &[&Func], target: Target, text: &str) -> String {
    let mut values = funcs.iter().flat_map(|func| &func.values);
    let has_words_of_64 = values.any(|value| value.ty.lanes() > 1 && value.ty.bits() == 64);
    let vectors = match target {
        _ if !has_words_of_64 => String::new(),
        Target::Avx512Ifma | Target::Avx512Vaes => lanes::definitions_of_one(),
        _ => vectors::definitions(target),
    };
    let has_vectors = funcs.iter().any(|func| has_vectors(func));
    let vectors = vectors + &if has_vectors { shapes::definitions(text, target) } else { String::new() };
    let has_pairs = funcs.iter().any(|func| has_pairs(func));
    let pairs = if has_pairs { c::pairs::definitions(target) } else { String::new() };
    format!("{vectors}{pairs}{}", c_types(target.word_bits(), text))
}

/// Whether the function multiplies words without carries.
pub(crate) fn has_pairs(func: &Func) -> bool {
    func.insts.iter().any(|inst| inst.op == Op::ClMul)
}

/// Whether the function has words side by side.
pub(crate) fn has_vectors(func: &Func) -> bool {
    func.values.iter().any(|value| value.ty.lanes() > 1)
}

/// The declaration of the function that [`c_function`] defines, without a semicolon:
/// `void mul(uint64_t out[5], const uint64_t a[5])`.
pub fn c_prototype(func: &Func, symbol: &str, word_bits: u32) -> String {
    write::heading(func, symbol, Integers::plain(word_bits), &c::C { target: plain(word_bits) })
}

/// As [`c_function`], for eight instances at once, in lanes of AVX-512. The bytes of a parameter's values stand one
/// after another. Words stand as registers have them: word i of instance j at 8 i + j. The file needs
/// [`c_lanes_definitions`].
///
/// # Errors
///
/// As [`c_function`], and streams, because their lengths differ.
pub(crate) fn c_lanes_function(func: &Func, symbol: &str) -> Result<String, Unwritable> {
    let integers = Integers::of(Target::Avx512Ifma, true);
    alone(func, symbol, integers, &c::C { target: Target::Avx512Ifma })
}

/// The declaration of the function that [`c_lanes_function`] defines.
pub(crate) fn c_lanes_prototype(func: &Func, symbol: &str) -> String {
    let integers = Integers::of(Target::Avx512Ifma, true);
    write::heading(func, symbol, integers, &c::C { target: Target::Avx512Ifma })
}

pub use rust::is_keyword as is_rust_keyword;
pub use words::LANES;

/// Definitions that functions from [`c_lanes_function`] need.
pub(crate) fn c_lanes_definitions() -> String {
    lanes::definitions()
}

/// The C name of a function, made from the stem of its files.
pub(crate) fn c_symbol(stem: &str) -> String {
    let symbol = crate::names::prefix(stem);
    crate::names::unreserved(symbol, |name| (c::C { target: Target::C64 }).is_reserved(name))
}

/// The name in Rust of a function from [`rust_function_for`], made from the stem of its files.
pub(crate) fn rust_symbol(stem: &str, module: &Module, target: Target, has_lanes: bool) -> String {
    let symbol = crate::names::prefix(stem);
    let registers = registers_of(&[module.entry()], &instructions(module), target, has_lanes);
    crate::names::unreserved(symbol, |name| rust::is_reserved(name, registers))
}

/// The registers that hold lanes and pairs of functions, and those for their instructions of rounds, if they have any.
fn registers_of(funcs: &[&Func], instructions: &[Instruction], target: Target, has_lanes: bool) -> Needed {
    Needed {
        lanes: registers(target).filter(|_| has_lanes || funcs.iter().any(|func| has_vectors(func))),
        pairs: pairs(target).filter(|_| funcs.iter().any(|func| has_pairs(func))),
        rounds: rounds(target, instructions),
    }
}

/// Types and functions that `functions`, texts from [`c_function`], use.
pub(crate) fn c_types(word_bits: u32, functions: &str) -> String {
    let wide = if word_bits == 64 { c_wide(functions) } else { String::new() };
    wide + &c_small(functions, word_bits == 32)
}

/// Integers of 128 bits, and the function on them that `functions` call.
pub(crate) fn c_wide(functions: &str) -> String {
    let sum = if functions.contains(sums::NAME) { format!("{}\n", sums::DEFINITION) } else { String::new() };
    format!("__extension__ typedef unsigned __int128 wide;\n\n{sum}")
}

/// The macros and the functions on words of at most 64 bits that `functions` use. With `for_small`, small machines are thought of.
pub(crate) fn c_small(functions: &str, for_small: bool) -> String {
    let definitions = kept::definitions(functions).chain(masks::definitions(functions));
    let definitions = definitions.chain(bytes::c_definitions(functions, for_small));
    definitions.map(|definition| definition + "\n").collect()
}

/// Whether functions use integers of 128 bits.
pub(crate) fn has_wide(functions: &str) -> bool {
    ["wide ", "(wide)", sums::NAME].iter().any(|name| functions.contains(name))
}

/// As [`c_function`], but a public function in safe Rust that panics only where a slice is too short for a result. Arrays are references to arrays, and
/// streams are slices. The file needs the definitions that [`RustFunction::definitions`] has.
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
    /// Definitions that the text needs; empty if it needs none.
    pub definitions: String,
    /// CPU features without which the function must not be called.
    pub features: Option<Features>,
}

/// Requirements on a CPU: an architecture, and features as Rust calls them.
pub struct Features {
    pub architecture: &'static str,
    pub names: Vec<&'static str>,
}

impl Features {
    fn of(registers: Needed) -> Option<Features> {
        registers.architecture().map(|architecture| Features { architecture, names: registers.features() })
    }

    /// `#[target_feature(enable = "avx2")]`
    pub(crate) fn attribute(&self) -> String {
        attribute(&self.names)
    }
}

/// As [`rust_function`], for words of a target. Values of several lanes are registers of that target. With `has_lanes`,
/// the function computes eight instances at once, in lanes, whose values stand one after another.
///
/// # Errors
///
/// As [`c_function`], and lanes of a target for which stable Rust has none.
pub fn rust_function_for(
    func: &Func,
    symbol: &str,
    target: Target,
    has_lanes: bool,
) -> Result<RustFunction, Unwritable> {
    let made = written_in_rust(&[func], &[], target, (has_lanes, Vec::new()), |integers, rust| {
        Ok(vec![Definition { text: alone(func, symbol, integers, rust)?, entry: Some(0) }])
    })?;
    Ok(made.joined())
}

/// As [`rust_function_for`], for the entry of a module and the functions that it calls, which are private.
///
/// # Errors
///
/// As [`rust_function_for`], but for calls.
pub fn rust_module(module: &Module, symbol: &str, target: Target, has_lanes: bool) -> Result<RustFunction, Unwritable> {
    let named = [Named { module, symbol: symbol.to_owned(), record: None, is_in_place: false }];
    Ok(rust_modules(&named, symbol, target, has_lanes)?.joined())
}

/// Functions of several modules in Rust.
pub(crate) struct RustFunctions {
    /// Callees first.
    pub functions: Vec<Definition>,
    /// As [`RustFunction::definitions`].
    pub definitions: String,
    /// As [`RustFunction::features`].
    pub features: Option<Features>,
}

impl RustFunctions {
    fn joined(self) -> RustFunction {
        RustFunction { text: calls::joined(&self.functions), definitions: self.definitions, features: self.features }
    }
}

/// As [`rust_module`], for several modules. A function that several of them have is there once. Names of private functions begin with
/// `prefix`.
///
/// # Errors
///
/// As [`rust_module`].
pub(crate) fn rust_modules(
    modules: &[Named<'_>],
    prefix: &str,
    target: Target,
    has_lanes: bool,
) -> Result<RustFunctions, Unwritable> {
    let entries: Vec<&Func> = modules.iter().map(|named| named.module.entry()).collect();
    let write = |integers, rust: &dyn Syntax| calls::definitions_together(modules, prefix, integers, rust);
    let instructions: Vec<Instruction> = modules.iter().flat_map(|named| instructions(named.module)).collect();
    let record = |named: &Named<'_>| Some((named.symbol.clone(), named.record?.to_owned()));
    let records = modules.iter().filter_map(record).collect();
    written_in_rust(&entries, &instructions, target, (has_lanes, records), write)
}

fn written_in_rust(
    entries: &[&Func],
    instructions: &[Instruction],
    target: Target,
    (has_lanes, records): (bool, Vec<(String, String)>),
    write: impl FnOnce(Integers, &dyn Syntax) -> Result<Vec<Definition>, Unwritable>,
) -> Result<RustFunctions, Unwritable> {
    let integers = rust_integers(target, has_lanes);
    let registers = registers_of(entries, instructions, target, has_lanes);
    let rust = rust::Rust { has_instances: has_lanes, word: integers.word(), registers, records };
    let functions = write(integers, &rust)?;
    let has_registers = registers.lanes.is_some_and(|registers| !has_lanes || registers.has_instances());
    let needs_lanes = has_lanes || entries.iter().any(|func| has_vectors(func));
    let lacks_pairs = registers.pairs.is_none() && entries.iter().any(|func| has_pairs(func));
    let lacks_rounds = registers.rounds.is_none() && !instructions.is_empty();
    if (needs_lanes && !has_registers) || lacks_pairs || lacks_rounds {
        return Err(Unwritable(format!("stable Rust has no vectors for the target `{}`", target.name())));
    }
    let definitions = definitions_in_rust(&calls::joined(&functions), target, registers);
    Ok(RustFunctions { functions, definitions, features: Features::of(registers) })
}

/// CPU features for functions of [`rust_function_for`] in lanes; none beside an architecture's own for other functions.
pub(crate) fn rust_features(target: Target, has_lanes: bool) -> Option<Features> {
    Features::of(in_lanes(target, has_lanes))
}

/// Definitions that functions from [`rust_function_for`] need. Each function is for one instance on plain words, or all
/// are in lanes.
pub(crate) fn rust_definitions(functions: &str, target: Target, has_lanes: bool) -> String {
    definitions_in_rust(functions, target, in_lanes(target, has_lanes))
}

fn in_lanes(target: Target, has_lanes: bool) -> Needed {
    Needed { lanes: registers(target).filter(|_| has_lanes), pairs: None, rounds: None }
}

fn definitions_in_rust(functions: &str, target: Target, registers: Needed) -> String {
    let lanes = registers.definitions(functions);
    let callers = lanes.iter().map(String::as_str).chain([functions]).collect::<String>();
    let helpers = rust_helpers(&callers, target.word_bits());
    let definitions: Vec<String> = lanes.into_iter().chain([helpers]).filter(|text| !text.is_empty()).collect();
    definitions.join("\n")
}

/// Definitions that functions in Rust need; empty if the text of the functions needs none.
fn rust_helpers(functions: &str, word_bits: u32) -> String {
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
