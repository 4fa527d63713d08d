//! Functions in safe Rust, which panic only at their beginning: where a slice is too short for a result of any length.
//!
//! Arrays are parameters of fixed length, sums and differences are wrapping, and products are of words that were
//! widened.

use culet_ir::{Iterations, Which};

use super::bytes;
use super::graph::{Kind, Shape, Ty};
use super::lines::{MOST, MOST_REGISTERS};
use super::syntax::{
    AND, ATOM, CAST, Joined, OR, PRODUCT, Parameter, Role, SHIFT, Spread, Stream, Syntax, Text, UNARY, XOR,
    made_length, sum,
};

pub(super) mod registers;
pub(super) mod rounds;
pub(super) mod shapes;
pub(super) mod vectors;

use registers::Needed;

/// Edition 2021, without the standard library.
pub(crate) struct Rust {
    /// Whether words of several instances are lanes of a register.
    pub has_instances: bool,
    /// The type of words; the function [`PRODUCT_NAME`] gives their products.
    pub word: Ty,
    /// The registers of lanes and pairs, of a function that has any.
    pub registers: Needed,
    /// Public functions that have records, with what their records say.
    pub records: Vec<(String, String)>,
}

/// Name of the function that multiplies two words.
pub(crate) const PRODUCT_NAME: &str = "wide";

impl Rust {
    /// `a.wrapping_add(b)`
    fn wrapping(&self, operator: &str, ty: Ty, a: &Text, b: &Text) -> Text {
        let suffix = if a.is_literal { self.ty(ty) } else { "" };
        Text::new(format!("{}{suffix}.wrapping_{operator}({})", a.at_least(ATOM), b.text), ATOM)
    }

    /// A product, which loses nothing if both operands are converted from words of half the bits, and wraps otherwise.
    fn product(&self, ty: Ty, a: &Text, b: &Text) -> Text {
        match (&a.unconverted, &b.unconverted) {
            (Some((x, from)), Some((y, other))) if (*from, *other) == (self.word, self.word) => {
                Text::new(format!("{PRODUCT_NAME}({}, {})", x.text, y.text), ATOM)
            }
            (Some(_), Some(_)) => Text::new(format!("{} * {}", a.at_least(UNARY), b.at_least(UNARY)), PRODUCT),
            _ => self.wrapping("mul", ty, a, b),
        }
    }

    /// The end of the names of operations on registers of this shape; empty for words of 64 bits in whole registers.
    fn suffix(&self, shape: Shape) -> &'static str {
        if self.registers.lanes.is_none_or(|registers| registers.shape() == shape) { "" } else { shape.name() }
    }

    /// The end of the names of functions that read and write a type.
    fn memory(&self, ty: Ty) -> String {
        if let Ty::Lanes(shape) = ty { shape.name().to_owned() } else { ty.memory_bits().to_string() }
    }

    fn logic(a: &Text, operator: &str, b: &Text, binds: u32) -> Text {
        let operand = |text: &Text| {
            if text.binds >= UNARY || text.binds == binds { text.text.clone() } else { format!("({})", text.text) }
        };
        Text::new(format!("{} {operator} {}", operand(a), operand(b)), binds)
    }

    /// The text of a function's record, if it has one.
    fn record(&self, symbol: &str) -> Option<&str> {
        self.records.iter().find(|(of, _)| of == symbol).map(|(_, record)| record.as_str())
    }

    /// The type of pointers to a function.
    fn pointer(&self, parameters: &[Parameter<'_>]) -> String {
        let types: Vec<String> = parameters.iter().map(|parameter| self.parameter(parameter)).collect();
        let unsafety = if self.registers.attribute().is_some() { "unsafe " } else { "" };
        format!("{unsafety}fn({})", types.join(", "))
    }

    /// The type of a parameter.
    fn parameter(&self, parameter: &Parameter<'_>) -> String {
        match parameter {
            Parameter::Value(_, ty) => self.ty(*ty).to_owned(),
            Parameter::Array(_, ty, length, true) => format!("&mut [{}; {length}]", self.ty(*ty)),
            Parameter::Array(_, ty, length, false) => format!("&[{}; {length}]", self.ty(*ty)),
            Parameter::Stream(..) => "&[u8]".to_owned(),
            Parameter::OutStream(_) => "&mut [u8]".to_owned(),
        }
    }

    /// `first..last + 1`. Downwards, it counts how far behind `first` a round is: of a range in reverse, the Rust compiler does not always know the
    /// bounds, and code that checks indices can panic.
    fn range(first: u64, last: u64) -> String {
        if first <= last {
            format!("{first}..{}", last + 1)
        } else {
            format!("(0..{}).map(|n| {first} - n)", first - last + 1)
        }
    }
}

impl Syntax for Rust {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::U8 => "u8",
            Ty::U16 => "u16",
            Ty::U32 => "u32",
            Ty::U64 => "u64",
            Ty::U128 => "u128",
            Ty::Lanes(shape) => self.registers.lanes.map_or("u64", |registers| registers.holding(shape)),
            Ty::Pair => self.registers.pairs.or(self.registers.rounds).map_or("u128", |registers| registers.ty),
            Ty::Quad => rounds::QUAD,
        }
    }

    fn literal(&self, value: u128, ty: Ty) -> Text {
        if ty == Ty::Pair {
            return rounds::literal(value);
        }
        if ty == Ty::Quad {
            return rounds::four_of(value);
        }
        let word = if value <= 0xffff { value.to_string() } else { format!("{value:#x}") };
        if let Ty::Lanes(shape) = ty { vectors::literal(&word, self.suffix(shape)) } else { Text::atom(word) }
    }

    fn operation(&self, kind: &Kind, ty: Ty, args: &[Text]) -> Text {
        if let Ty::Lanes(shape) = ty {
            return vectors::operation(kind, args, shape, self.suffix(shape));
        }
        let is_of_registers = matches!(ty, Ty::Pair | Ty::Quad) || matches!(kind, Kind::Together(_));
        if let Some(text) = is_of_registers.then(|| rounds::operation(kind, ty, args)).flatten() {
            return text;
        }
        let a = &args[0];
        match kind {
            Kind::Add => self.wrapping("add", ty, a, &args[1]),
            // A mask is 0 less a bit. LLVM must not see that a mask has two values only: it makes branches of choices by such masks,
            // where a value that is chosen comes from memory.
            Kind::Sub if a.is_literal && a.text == self.literal(0, ty).text => {
                let hidden = Text::atom(format!("core::hint::black_box({})", args[1].text));
                self.wrapping("sub", ty, a, &hidden)
            }
            Kind::Sub => self.wrapping("sub", ty, a, &args[1]),
            Kind::IsBelow => {
                let relation = format!("({} < {}) as {}", a.at_least(UNARY), args[1].at_least(UNARY), self.ty(ty));
                Text::new(relation, CAST)
            }
            Kind::Mul => self.product(ty, a, &args[1]),
            Kind::And => Rust::logic(a, "&", &args[1], AND),
            Kind::Or => Rust::logic(a, "|", &args[1], OR),
            Kind::ClMul => Text::new(format!("clmul({}, {})", a.text, args[1].text), ATOM),
            Kind::Part(false) => Text::new(format!("low_word({})", a.text), ATOM),
            Kind::Part(true) => Text::new(format!("high_word({})", a.text), ATOM),
            Kind::Swap => Text::new(format!("swap_{}({})", ty.bits(), a.text), ATOM),
            Kind::Xor => Rust::logic(a, "^", &args[1], XOR),
            Kind::Not => Text::new(format!("!{}", a.at_least(UNARY)), UNARY),
            // Amounts say their type. Otherwise rustc leaves it open until the function ends, and looks at all open types again at each
            // operation, in time that is quadratic in the function's length.
            Kind::Shl(amount) => Text::new(format!("{} << {amount}u32", a.at_least(UNARY)), SHIFT),
            Kind::Shr(amount) => Text::new(format!("{} >> {amount}u32", a.at_least(UNARY)), SHIFT),
            Kind::Sar(amount) => {
                let signed = if ty == Ty::U64 { "i64" } else { "i32" };
                Text::new(format!("(({} as {signed}) >> {amount}u32) as {}", a.at_least(UNARY), self.ty(ty)), CAST)
            }
            // Of the other kinds, only conversions come here.
            _ => Text::new(format!("{} as {}", a.at_least(UNARY), self.ty(ty)), CAST),
        }
    }

    fn heading(&self, symbol: &str, parameters: &[Parameter<'_>], role: Role) -> String {
        let parameters: Vec<String> =
            parameters.iter().map(|parameter| format!("{}: {}", parameter.name(), self.parameter(parameter))).collect();
        let attribute = self.registers.attribute().map_or_else(String::new, |attribute| attribute + "\n");
        let is_called = role == Role::Kept || self.record(symbol).is_some();
        let never = if is_called { "#[inline(never)]\n" } else { "" };
        let access = if role == Role::Public { "pub " } else { "" };
        format!("{never}{attribute}{access}fn {symbol}({})", parameters.join(", "))
    }

    /// A record is what finds a function again in a program that it is linked into. The function refers to its record and the
    /// record to the function, so that linkers keep both or none, and the function keeps its arguments where the ABI has them.
    fn beginning(&self, symbol: &str, parameters: &[Parameter<'_>]) -> String {
        let Some(record) = self.record(symbol) else { return String::new() };
        let (pointer, length, record) = (self.pointer(parameters), record.len() + 1, record.as_bytes().escape_ascii());
        format!(
            "    // What `culet verify` looks for in a program that this function is linked into, to prove it there.\n    \
             #[cfg(target_arch = \"x86_64\")]\n    {{\n        #[repr(C)]\n        #[allow(dead_code)]\n        struct Record {{\n            \
             magic: [u8; 16],\n            function: {pointer},\n            made_by: [u8; {length}],\n        }}\n        \
             static RECORD: Record = Record {{\n            magic: *b\"culet kernel v1\\0\",\n            function: {symbol},\n            \
             made_by: *b\"{record}\\0\",\n        }};\n        core::hint::black_box(&RECORD);\n    }}\n"
        )
    }

    fn call(&self, symbol: &str, results: &[(&str, String)], parameters: &[(&str, String)]) -> String {
        let results = results.iter().map(|(array, _)| format!("&mut {array}"));
        let arguments: Vec<String> = results.chain(parameters.iter().map(|(array, _)| format!("&{array}"))).collect();
        format!("{symbol}({});", arguments.join(", "))
    }

    fn may_hide(&self) -> bool {
        true
    }

    fn opens_on_new_line(&self) -> bool {
        false
    }

    fn define(&self, name: &str, _ty: Ty, value: &Text) -> String {
        format!("let {name} = {};", value.text)
    }

    fn is_method(&self, kind: &Kind, ty: Ty) -> bool {
        matches!(kind, Kind::Add | Kind::Sub | Kind::Mul) && ty <= Ty::U128
    }

    fn define_by_pattern(&self, name: &str, _ty: Ty, value: &Text) -> String {
        format!("let [{name}] = [{}];", value.text)
    }

    fn variable(&self, name: &str, ty: Ty, value: &Text) -> String {
        format!("let mut {name}: {} = {};", self.ty(ty), value.text)
    }

    fn unchanged(&self, name: &str, ty: Ty, value: &Text) -> String {
        format!("let {name}: {} = {};", self.ty(ty), value.text)
    }

    fn assign(&self, place: &str, value: &Text) -> String {
        format!("{place} = {};", value.text)
    }

    fn local(&self, name: &str, ty: Ty, length: u32) -> String {
        let zero = if ty.is_lanes() { self.literal(0, ty).text } else { format!("0{}", self.ty(ty)) };
        format!("let mut {name} = [{zero}; {length}];")
    }

    fn erase(&self, name: &str, ty: Ty, _length: u32, _counter: &str) -> Vec<String> {
        let zero = if matches!(ty, Ty::Lanes(_)) { self.literal(0, ty).text } else { "0".to_owned() };
        vec![format!("{name}.fill({zero});"), format!("core::hint::black_box(&{name});")]
    }

    fn constants(&self, name: &str, ty: Ty, values: &[u64]) -> String {
        let values: Vec<String> = values.iter().map(|&value| self.literal(u128::from(value), ty).text).collect();
        format!("static {name}: [{}; {}] = [{}];", self.ty(ty), values.len(), values.join(", "))
    }

    fn cased(&self, name: &str, is_constant: bool) -> String {
        if is_constant { name.to_ascii_uppercase() } else { name.to_ascii_lowercase() }
    }

    fn loop_heading(&self, counter: &str, first: u64, last: u64, is_read: bool) -> String {
        format!("for {} in {} {{", if is_read { counter } else { "_" }, Rust::range(first, last))
    }

    fn stream_names(&self) -> [&'static str; 2] {
        ["rest", "block"]
    }

    fn whole_heading(
        &self,
        stream: &Stream<'_>,
        which: Which,
        made: &[Stream<'_>],
        counter: &str,
        is_read: bool,
    ) -> Vec<String> {
        let Stream { name, names: [rest, own], block, parts, is_in_place } = stream;
        let Which { beyond, iterations } = which;
        if !parts.is_empty() {
            let mut lines = vec![format!("for {counter} in {} {{", joined_blocks(stream, which))];
            if is_read {
                lines.push(format!("    let {own} = &mut [0u8; {block}];"));
                let copies = copies(stream, own, &format!("{block} * {counter}"));
                lines.extend(copies.iter().map(|line| format!("    {line}")));
            }
            return lines;
        }
        if *is_in_place && !made.is_empty() {
            return vec![format!("for {own} in {}.as_chunks_mut::<{block}>().0 {{", blocks_in_place(stream, which))];
        }
        let own = if is_read { own } else { "_" };
        let mut blocks = match beyond {
            0 => (*name).to_owned(),
            _ => format!("{name}.chunks_exact({}).remainder()", block * beyond),
        };
        if iterations == Iterations::First {
            return vec![format!("if let Some(({own}, _)) = {blocks}.split_first_chunk::<{block}>() {{")];
        }
        if iterations == Iterations::Later {
            blocks.push_str(&format!(".get({block}..).unwrap_or_default()"));
        }
        let borrowed = if *is_in_place && blocks == *name { "&*" } else { "" };
        let mut lines = vec![format!("let mut {rest} = {borrowed}{blocks};")];
        let input = name;
        for Stream { name, names: [rest, _], block: added, .. } in made {
            // Room for what the groups before make comes first.
            let room = match beyond {
                0 => (*name).to_owned(),
                _ => {
                    let groups = format!("{input}.len() / {} * {}", block * beyond, added * beyond);
                    format!("{name}.get_mut({groups}..).unwrap_or_default()")
                }
            };
            lines.push(format!("let mut {rest} = {room}.as_chunks_mut::<{added}>().0.iter_mut();"));
        }
        lines.push(format!("while let Some(({own}, after)) = {rest}.split_first_chunk::<{block}>() {{"));
        for Stream { names: [rest, own], .. } in made {
            lines.push(format!("    let Some({own}) = {rest}.next() else {{ break }};"));
        }
        lines
    }

    fn whole_end(&self, stream: &Stream<'_>, which: Which, made: &[Stream<'_>]) -> Vec<String> {
        let end = "}".to_owned();
        if !stream.parts.is_empty() || (stream.is_in_place && !made.is_empty()) {
            return vec![end];
        }
        match which.iterations {
            Iterations::First => vec![end],
            Iterations::All | Iterations::Later => vec![format!("    {} = after;", stream.names[0]), end],
        }
    }

    fn joined_length(&self, stream: &Stream<'_>) -> String {
        format!("let {} = {};", stream.names[0], lengths(&stream.parts))
    }

    fn rest_heading(&self, stream: &Stream<'_>, least: u32) -> String {
        let enough = if least == 1 { "!= 0".to_owned() } else { format!(">= {least}") };
        format!("if {} % {} {enough} {{", bytes_of(stream), stream.block)
    }

    fn short_heading(&self, stream: &Stream<'_>) -> String {
        format!("if {} < {} {{", bytes_of(stream), stream.block)
    }

    fn length(&self, stream: &Stream<'_>) -> Text {
        Text::new(format!("{} as u64", bytes_of(stream)), CAST)
    }

    fn halves(&self, stream: &Stream<'_>, index: i64, is_high: bool) -> Text {
        let name = if is_high { "high_words" } else { "low_words" };
        Text::new(format!("{name}::<{index}, {}>({})", stream.block, stream.names[1]), ATOM)
    }

    fn index_within(&self, index: String, length: u32) -> String {
        format!("({index}).min({})", length.saturating_sub(1))
    }

    fn load_word(&self, name: &str, index: &str, ty: Ty) -> Text {
        Text::new(format!("load_{}({name}, {index})", self.memory(ty)), ATOM)
    }

    fn load_words(&self, name: &str, index: &str, _: Ty) -> Text {
        Text::new(format!("load_words(&{name}[..], {index})"), ATOM)
    }

    fn store_word(&self, name: &str, index: &str, ty: Ty, value: &Text) -> String {
        format!("store_{}({name}, {index}, {});", self.memory(ty), value.text)
    }

    fn load_lanes(&self, at: &Spread<'_>, bytes: u32) -> String {
        vectors::load(at, bytes)
    }

    fn store_lanes(&self, at: &Spread<'_>, value: &Text) -> String {
        vectors::store(at, value)
    }

    fn tail(&self, stream: &Stream<'_>, array: &str, pad: u8, _counter: &str) -> Vec<String> {
        let Stream { name, block, parts, .. } = stream;
        let size = block + u32::from(pad != 0);
        let length = bytes_of(stream);
        let mut lines = vec![format!("let {array} = &mut [0u8; {size}];")];
        if parts.is_empty() {
            lines
                .push(format!("for (to, from) in {array}.iter_mut().zip({name}.chunks_exact({block}).remainder()) {{"));
            lines.push("    *to = *from;".to_owned());
            lines.push("}".to_owned());
        } else {
            lines.extend(copies(stream, array, &format!("{length} / {block} * {block}")));
        }
        if pad != 0 {
            lines.push(format!("if let Some(to) = {array}.get_mut({length} % {block}) {{"));
            lines.push(format!("    *to = {pad};"));
            lines.push("}".to_owned());
        }
        lines
    }

    fn store_tail(&self, to: &str, from: &str, stream: &Stream<'_>, _counter: &str) -> Vec<String> {
        let (length, block) = (bytes_of(stream), stream.block);
        // In the place of the stream, the result ends where the stream does.
        let taken = if stream.is_in_place { String::new() } else { format!(".take({length} % {block})") };
        let end = format!("{to}.get_mut({length} / {block} * {block}..).unwrap_or_default()");
        vec![
            format!("for (to, from) in {end}.iter_mut().zip(&{from}){taken} {{"),
            "    *to = *from;".to_owned(),
            "}".to_owned(),
        ]
    }

    fn made(&self, result: &Stream<'_>, name: &str, source: &Stream<'_>, added: Option<u32>) -> String {
        let length = made_length(&bytes_of(source), source.block, added);
        format!("let {name} = {}.get(..{length}).unwrap_or_default();", result.name)
    }

    fn room(&self, result: &Stream<'_>, source: &Stream<'_>, steps: &[(u32, Option<u32>)]) -> Option<String> {
        let name = result.name;
        let length = steps.iter().fold(bytes_of(source), |length, (block, added)| made_length(&length, *block, *added));
        Some(format!("assert!({name}.len() >= {length}, \"`{name}` is too short\");"))
    }

    fn renames_made(&self) -> bool {
        true
    }

    fn across(&self, ty: Ty, value: Text) -> Text {
        match self.registers.lanes {
            Some(registers) if ty == Ty::Lanes(registers.shape()) => vectors::across(registers, value),
            _ => value,
        }
    }

    fn ignore(&self, parameter: &Parameter<'_>) -> String {
        let (Parameter::Value(name, _)
        | Parameter::Array(name, ..)
        | Parameter::Stream(name, _)
        | Parameter::OutStream(name)) = parameter;
        format!("let _ = {name};")
    }

    fn is_reserved(&self, name: &str) -> bool {
        is_reserved(name, self.registers)
    }

    /// Of several instances, a block is a closure: in a debug build, it has its names on the stack while it runs, and no longer.
    fn block(&self, handed_on: &[&str]) -> Option<[String; 3]> {
        let [first, last] = if self.has_instances { ["(|| {", "})()"] } else { ["{", "}"] };
        let names = match handed_on {
            [] if self.has_instances => return Some([first.to_owned(), String::new(), format!("{last};")]),
            [] => return Some([first.to_owned(), String::new(), last.to_owned()]),
            [one] => (*one).to_owned(),
            _ => format!("({})", handed_on.join(", ")),
        };
        Some([format!("let {names} = {first}"), names, format!("{last};")])
    }

    fn most_names(&self) -> usize {
        if self.has_instances { MOST_REGISTERS } else { MOST }
    }

    fn breaks(&self) -> &'static [&'static str] {
        &[".wrapping_add(", " | ", ", "]
    }
}

/// The bytes of a stream, in whose place a result stands, from the first selected block on.
fn blocks_in_place(stream: &Stream<'_>, which: Which) -> String {
    let Stream { name, block, .. } = stream;
    let groups = match which.beyond {
        0 => None,
        beyond => Some(format!("{name}.len() / {group} * {group}", group = block * beyond)),
    };
    match (groups, which.iterations) {
        (None, Iterations::All) => (*name).to_owned(),
        (None, Iterations::Later) => format!("{name}.get_mut({block}..).unwrap_or_default()"),
        (None, Iterations::First) => format!("{name}.get_mut(..{block}).unwrap_or_default()"),
        (Some(groups), Iterations::All) => format!("{name}.get_mut({groups}..).unwrap_or_default()"),
        (Some(groups), Iterations::Later) => {
            format!("{name}.get_mut({groups}..).and_then(|rest| rest.get_mut({block}..)).unwrap_or_default()")
        }
        (Some(groups), Iterations::First) => {
            format!("{name}.get_mut({groups}..).and_then(|rest| rest.get_mut(..{block})).unwrap_or_default()")
        }
    }
}

/// The numbers of the selected blocks of a joined stream.
fn joined_blocks(stream: &Stream<'_>, Which { beyond, iterations }: Which) -> String {
    let (length, block) = (&stream.names[0], stream.block);
    let first = match beyond {
        0 => "0".to_owned(),
        _ => format!("{length} / {} * {beyond}", block * beyond),
    };
    let second = if beyond == 0 { "1".to_owned() } else { format!("{first} + 1") };
    match iterations {
        Iterations::All => format!("{first}..{length} / {block}"),
        Iterations::First => format!("{first}..({length} / {block}).min({second})"),
        Iterations::Later => format!("{second}..{length} / {block}"),
    }
}

/// The number of a stream's bytes.
fn bytes_of(stream: &Stream<'_>) -> String {
    if stream.parts.is_empty() { format!("{}.len()", stream.name) } else { stream.names[0].clone() }
}

/// The bytes of these parts of a joined stream. Their sum cannot overflow: all of them are in memory at once, or are few.
fn lengths(parts: &[Joined<'_>]) -> String {
    let fixed = parts.iter().filter_map(|part| part.length.ok()).map(u64::from).sum();
    let named = parts.iter().filter(|part| part.length.is_err()).map(|part| format!("{}.len()", part.name));
    let mut named: Vec<String> = named.collect();
    match (named.len(), fixed) {
        (0, _) => fixed.to_string(),
        (1, 0) => named.remove(0),
        _ => {
            let more = sum(&[], fixed);
            named.iter().fold(more, |sum, length| format!("{length}.wrapping_add({sum})"))
        }
    }
}

/// Lines that copy bytes of a joined stream, from this place on, to an array; bytes beyond its end stay.
fn copies(stream: &Stream<'_>, array: &str, from: &str) -> Vec<String> {
    let copy = |(number, part): (usize, &Joined<'_>)| {
        let borrowed = if part.length.is_ok() { format!("&{}", part.name) } else { part.name.to_owned() };
        format!("copy_part({array}, {from}, {}, {borrowed});", lengths(&stream.parts[..number]))
    };
    stream.parts.iter().enumerate().map(copy).collect()
}

/// Whether no function or variable can have this name.
pub(crate) fn is_reserved(name: &str, registers: Needed) -> bool {
    let is_own = KEYWORDS.contains(&name) || NAMES.contains(&name) || bytes::defines(name);
    is_own || registers.all().any(|registers| registers.defines(name))
}

/// Whether Rust has this word, so that no module can have it as its name.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types that are written here, and names that are used here.
const NAMES: &[&str] = &["after", "i32", "i64", "u128", "u16", "u32", "u64", "u8", "wide"];
