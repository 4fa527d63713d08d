//! Functions in C.

use culet_types::is_c_word;

use culet_ir::{Iterations, Target, Which};

use super::bytes;
use super::graph::{Kind, Shape, Ty};
use super::syntax::{
    AND, ATOM, Joined, OR, PRODUCT, Parameter, Role, SHIFT, SUM, Spread, Stream, Syntax, Text, UNARY, XOR, made_length,
    sum,
};
use crate::names::is_of_c_library;

pub(super) mod kept;
pub(super) mod lanes;
pub(super) mod masks;
pub(super) mod pairs;
pub(super) mod rounds;
pub(super) mod shapes;
pub(super) mod sums;
pub(super) mod vectors;

/// C99 with `<stdint.h>` and `<stddef.h>`; `wide` is an integer of 128 bits.
pub(crate) struct C {
    /// The target whose registers hold vectors of one instance, if there are any.
    pub target: Target,
}

/// The way to write registers.
#[derive(Debug, Clone, Copy)]
enum Registers {
    /// Words of 64 bits in intrinsics of AVX-512.
    Avx512,
    /// Words of 64 bits in vectors of GNU C, for elements of fields.
    Vectors,
    /// Words of any width in vectors of GNU C.
    Shape(Shape),
}

impl C {
    fn registers(&self, shape: Shape) -> Registers {
        match u32::from(shape.bits) {
            64 if u32::from(shape.lanes) != self.target.element_lanes() => Registers::Shape(shape),
            64 if self.target.has_mac52() => Registers::Avx512,
            64 => Registers::Vectors,
            _ => Registers::Shape(shape),
        }
    }

    /// The signed integer type, for shifts.
    fn signed(ty: Ty) -> &'static str {
        if ty == Ty::U64 { "int64_t" } else { "int32_t" }
    }

    /// The end of the names of functions that read and write a type.
    fn memory(ty: Ty) -> String {
        if let Ty::Lanes(shape) = ty { shape.name().to_owned() } else { ty.memory_bits().to_string() }
    }

    fn binary(left: &str, operator: &str, right: &str, binds: u32) -> Text {
        Text::new(format!("{left} {operator} {right}"), binds)
    }
}

impl Syntax for C {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::U8 => "uint8_t",
            Ty::U16 => "uint16_t",
            Ty::U32 => "uint32_t",
            Ty::U64 => "uint64_t",
            Ty::U128 => "wide",
            Ty::Lanes(shape) => match self.registers(shape) {
                Registers::Avx512 => lanes::REGISTER,
                Registers::Vectors => vectors::REGISTER,
                Registers::Shape(shape) => shape.name(),
            },
            Ty::Pair => pairs::REGISTER,
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
        if let Ty::Lanes(shape) = ty {
            return match self.registers(shape) {
                Registers::Avx512 => lanes::literal(value as u64),
                Registers::Vectors => vectors::literal(value as u64),
                Registers::Shape(shape) => shapes::literal(value as u64, shape),
            };
        }
        let word = |value: u128| if value <= 0xffff { value.to_string() } else { format!("{value:#x}") };
        match value >> 64 {
            0 => Text::atom(word(value)),
            high => Text::new(format!("((wide){} << 64 | {})", word(high), word(value & u128::from(u64::MAX))), ATOM),
        }
    }

    fn operation(&self, kind: &Kind, ty: Ty, args: &[Text]) -> Text {
        if let Ty::Lanes(shape) = ty {
            let own = match self.registers(shape) {
                Registers::Avx512 => Some(lanes::operation(kind, args)),
                Registers::Vectors => {
                    vectors::operation(kind, args).or_else(|| shapes::operation(kind, shape, args, self.target))
                }
                Registers::Shape(shape) => shapes::operation(kind, shape, args, self.target),
            };
            if let Some(text) = own {
                return text;
            }
        }
        if let Some(text) = rounds::operation(kind, ty, args) {
            return text;
        }
        let a = &args[0];
        // The right operand is converted as the left one is.
        let right = |binds: u32| {
            let b = &args[1];
            let b = if a.is_literal { b } else { b.converted_anyway() };
            b.at_least(binds)
        };
        // Compilers ask for parentheses where sums and differences meet shifts or logic.
        let logic = |text: &Text, own: u32, is_shift_plain: bool| {
            let is_plain = text.binds >= UNARY || text.binds == own || (is_shift_plain && text.binds == SHIFT);
            if is_plain { text.text.clone() } else { format!("({})", text.text) }
        };
        let joined = |operator: &str, own: u32| {
            let b = &args[1];
            let b = if a.is_literal { b } else { b.converted_anyway() };
            let is_shift_plain = own == OR;
            C::binary(&logic(a, own, is_shift_plain), operator, &logic(b, own, is_shift_plain), own)
        };
        if let Some(sum) = (*kind == Kind::Add && ty == Ty::U128).then(|| sums::of_words(a, &args[1])).flatten() {
            return sum;
        }
        match kind {
            Kind::Add => C::binary(&a.at_least(SUM), "+", &right(PRODUCT), SUM),
            Kind::Sub if a.is_literal && a.text == "0" => {
                let bit = &args[1].converted_anyway().text;
                let hidden = masks::hidden(ty, bit).unwrap_or_else(|| right(PRODUCT));
                C::binary("0", "-", &hidden, SUM)
            }
            Kind::Sub => C::binary(&a.at_least(SUM), "-", &right(PRODUCT), SUM),
            Kind::IsBelow => {
                let relation = format!("({})({} < {})", self.ty(ty), a.at_least(UNARY), args[1].at_least(UNARY));
                Text::new(relation, UNARY)
            }
            Kind::Mul => C::binary(&a.at_least(PRODUCT), "*", &right(UNARY), PRODUCT),
            Kind::And => joined("&", AND),
            Kind::Or => joined("|", OR),
            Kind::Xor => joined("^", XOR),
            Kind::ClMul => Text::new(format!("{}({}, {})", pairs::PRODUCT, a.text, args[1].text), ATOM),
            Kind::Part(is_high) => Text::new(format!("{}[{}]", a.at_least(ATOM), u8::from(*is_high)), ATOM),
            Kind::Swap => Text::new(format!("swap_{}({})", ty.bits(), a.text), ATOM),
            Kind::Not => Text::new(format!("~{}", a.at_least(UNARY)), UNARY),
            Kind::Shl(amount) => C::binary(&a.at_least(UNARY), "<<", &amount.to_string(), SHIFT),
            Kind::Shr(amount) => C::binary(&a.at_least(UNARY), ">>", &amount.to_string(), SHIFT),
            Kind::Sar(amount) => {
                let signed = format!("({}){} >> {amount}", C::signed(ty), a.at_least(UNARY));
                Text::new(format!("({})({signed})", self.ty(ty)), UNARY)
            }
            // Of the other kinds, only conversions come here.
            _ => Text::new(format!("({}){}", self.ty(ty), a.at_least(UNARY)), UNARY),
        }
    }

    fn heading(&self, symbol: &str, parameters: &[Parameter<'_>], role: Role) -> String {
        let parameters: Vec<String> = parameters
            .iter()
            .map(|parameter| match parameter {
                Parameter::Stream(name, length) => format!("const uint8_t *{name}, size_t {length}"),
                Parameter::OutStream(name) => format!("uint8_t *{name}"),
                Parameter::Value(name, ty) => format!("{} {name}", self.ty(*ty)),
                Parameter::Array(name, ty, length, true) => format!("{} {name}[{length}]", self.ty(*ty)),
                Parameter::Array(name, ty, length, false) => format!("const {} {name}[{length}]", self.ty(*ty)),
            })
            .collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let storage = match role {
            Role::Public => "",
            Role::Private => "static ",
            Role::Kept => kept::STORAGE,
        };
        format!("{storage}void {symbol}({parameters})")
    }

    fn looped(&self) -> &'static str {
        if self.target == Target::C32 { kept::LOOPED } else { "" }
    }

    fn call(&self, symbol: &str, results: &[(&str, String)], parameters: &[(&str, String)]) -> String {
        let arguments: Vec<String> = results.iter().chain(parameters).map(|(name, at)| pointer(name, at)).collect();
        format!("{symbol}({});", arguments.join(", "))
    }

    fn may_hide(&self) -> bool {
        false
    }

    fn opens_on_new_line(&self) -> bool {
        true
    }

    fn define(&self, name: &str, ty: Ty, value: &Text) -> String {
        format!("const {}", self.variable(name, ty, value))
    }

    fn variable(&self, name: &str, ty: Ty, value: &Text) -> String {
        let value = value.converted_anyway();
        format!("{} {name} = {};", self.ty(ty), value.text)
    }

    fn assign(&self, place: &str, value: &Text) -> String {
        let value = value.converted_anyway();
        format!("{place} = {};", value.text)
    }

    fn local(&self, name: &str, ty: Ty, length: u32) -> String {
        format!("{} {name}[{length}];", self.ty(ty))
    }

    fn erase(&self, name: &str, ty: Ty, length: u32, counter: &str) -> Vec<String> {
        vec![
            format!("for (size_t {counter} = 0; {counter} < {length}; {counter}++)"),
            format!("    ((volatile {} *){name})[{counter}] = {};", self.ty(ty), self.literal(0, ty).text),
        ]
    }

    fn constants(&self, name: &str, ty: Ty, values: &[u64]) -> String {
        let values: Vec<String> = values.iter().map(|&value| self.literal(u128::from(value), ty).text).collect();
        format!("static const {} {name}[{}] = {{ {} }};", self.ty(ty), values.len(), values.join(", "))
    }

    fn cased(&self, name: &str, _is_constant: bool) -> String {
        name.to_owned()
    }

    fn loop_heading(&self, counter: &str, first: u64, last: u64, _is_read: bool) -> String {
        if first <= last {
            format!("for (size_t {counter} = {first}; {counter} < {}; {counter}++) {{", last + 1)
        } else {
            format!("for (size_t {counter} = {}; {counter}-- > {last};) {{", first + 1)
        }
    }

    /// On POWER, copies of a loop's body let two turns between rounds undo each other.
    fn with_rounds(&self, heading: String, iterations: u64) -> String {
        if self.target == Target::Vsx && iterations <= rounds::MOST {
            return format!("_Pragma(\"GCC unroll {iterations}\") {heading}");
        }
        heading
    }

    fn stream_names(&self) -> [&'static str; 2] {
        ["length", "block"]
    }

    fn whole_heading(
        &self,
        stream: &Stream<'_>,
        which: Which,
        made: &[Stream<'_>],
        counter: &str,
        is_read: bool,
    ) -> Vec<String> {
        let Stream { names: [length, _], block, .. } = stream;
        let Which { beyond, iterations } = which;
        let group = block * beyond.max(1);
        let (first, left) = match beyond {
            0 => (String::new(), length.clone()),
            _ => (format!("{length} / {group} * {beyond}"), format!("{length} % {group}")),
        };
        let first = |more: u32| match (first.as_str(), more) {
            ("", _) => more.to_string(),
            (_, 0) => first.clone(),
            _ => format!("{first} + {more}"),
        };
        let from =
            |first: &str| format!("for (size_t {counter} = {first}; {counter} < {length} / {block}; {counter}++) {{");
        let mut lines = vec![match iterations {
            Iterations::All => from(&first(0)),
            Iterations::Later => from(&first(1)),
            Iterations::First => format!("if ({left} >= {block}) {{"),
        }];
        if iterations == Iterations::First && (is_read || !made.is_empty()) {
            lines.push(format!("    const size_t {counter} = {};", first(0)));
        }
        // gcc finds words in bytes at fixed distances from a pointer only.
        let pointer = |kind: &str, Stream { name, names: [_, own], block, .. }: &Stream<'_>| {
            format!("    {kind} *const {own} = {name} + {block} * {counter};")
        };
        if !stream.parts.is_empty() && is_read {
            let own = &stream.names[1];
            lines.push(format!("    uint8_t {own}[{block}];"));
            let copies = copies(stream, own, *block, &format!("{block} * {counter}"));
            lines.extend(copies.iter().map(|line| format!("    {line}")));
        } else if is_read {
            lines.push(pointer("const uint8_t", stream));
        }
        lines.extend(made.iter().map(|made| pointer("uint8_t", made)));
        lines
    }

    fn whole_end(&self, _stream: &Stream<'_>, _which: Which, _made: &[Stream<'_>]) -> Vec<String> {
        vec!["}".to_owned()]
    }

    fn joined_length(&self, stream: &Stream<'_>) -> String {
        format!("const size_t {} = {};", stream.names[0], lengths(&stream.parts))
    }

    fn rest_heading(&self, stream: &Stream<'_>, least: u32) -> String {
        let enough = if least == 1 { "!= 0".to_owned() } else { format!(">= {least}") };
        format!("if ({} % {} {enough}) {{", stream.names[0], stream.block)
    }

    fn short_heading(&self, stream: &Stream<'_>) -> String {
        format!("if ({} < {}) {{", stream.names[0], stream.block)
    }

    fn length(&self, stream: &Stream<'_>) -> Text {
        Text::new(format!("(uint64_t){}", stream.names[0]), UNARY)
    }

    fn halves(&self, stream: &Stream<'_>, index: i64, is_high: bool) -> Text {
        let name = if is_high { "high_words" } else { "low_words" };
        Text::new(format!("{name}({})", pointer(&stream.names[1], &index.to_string())), ATOM)
    }

    fn load_word(&self, name: &str, index: &str, ty: Ty) -> Text {
        if self.ty(ty) == lanes::REGISTER {
            return Text::new(lanes::load_register(&pointer(name, index)), ATOM);
        }
        Text::new(format!("load_{}({})", C::memory(ty), pointer(name, index)), ATOM)
    }

    fn load_words(&self, name: &str, index: &str, ty: Ty) -> Text {
        self.load_word(name, index, ty)
    }

    fn store_word(&self, name: &str, index: &str, ty: Ty, value: &Text) -> String {
        if self.ty(ty) == lanes::REGISTER {
            return lanes::store_register(&pointer(name, index), value);
        }
        let value = value.converted_anyway();
        format!("store_{}({}, {});", C::memory(ty), pointer(name, index), value.text)
    }

    fn load_lanes(&self, at: &Spread<'_>, bytes: u32) -> String {
        lanes::load(at, bytes)
    }

    fn store_lanes(&self, at: &Spread<'_>, value: &Text) -> String {
        lanes::store(at, value)
    }

    fn tail(&self, stream: &Stream<'_>, array: &str, pad: u8, counter: &str) -> Vec<String> {
        let Stream { name, names: [length, _], block, parts, .. } = stream;
        let size = block + u32::from(pad != 0);
        let mut lines = vec![format!("uint8_t {array}[{size}] = {{ 0 }};")];
        if parts.is_empty() {
            lines.push(format!("for (size_t {counter} = 0; {counter} < {length} % {block}; {counter}++) {{"));
            lines.push(format!("    {array}[{counter}] = {name}[{length} - {length} % {block} + {counter}];"));
            lines.push("}".to_owned());
        } else {
            lines.extend(copies(stream, array, *block, &format!("{length} - {length} % {block}")));
        }
        if pad != 0 {
            lines.push(format!("{array}[{length} % {block}] = {pad};"));
        }
        lines
    }

    fn store_tail(&self, to: &str, from: &str, stream: &Stream<'_>, counter: &str) -> Vec<String> {
        let (length, block) = (&stream.names[0], stream.block);
        vec![
            format!("for (size_t {counter} = 0; {counter} < {length} % {block}; {counter}++)"),
            format!("    {to}[{length} - {length} % {block} + {counter}] = {from}[{counter}];"),
        ]
    }

    fn made(&self, result: &Stream<'_>, _name: &str, source: &Stream<'_>, added: Option<u32>) -> String {
        format!("const size_t {} = {};", result.names[0], made_length(&source.names[0], source.block, added))
    }

    fn renames_made(&self) -> bool {
        false
    }

    fn ignore(&self, parameter: &Parameter<'_>) -> String {
        match parameter {
            Parameter::Value(name, _) | Parameter::Array(name, ..) => format!("(void){name};"),
            Parameter::OutStream(name) => format!("(void){name};"),
            Parameter::Stream(name, length) => format!("(void){name}, (void){length};"),
        }
    }

    fn is_reserved(&self, name: &str) -> bool {
        is_c_word(name)
            || is_of_c_library(name)
            || OWN.contains(&name)
            || bytes::defines(name)
            || masks::defines(name)
            || lanes::NAMES.contains(&name)
            || vectors::NAMES.contains(&name)
            || shapes::defines(name)
            || [pairs::REGISTER, pairs::PRODUCT].contains(&name)
            || rounds::defines(name)
            || name.ends_with("_t")
            // The name of C++'s library.
            || name == "std"
    }

    fn breaks(&self) -> &'static [&'static str] {
        &[" + ", " | ", ", "]
    }
}

/// The bytes of these parts of a joined stream.
fn lengths(parts: &[Joined<'_>]) -> String {
    let fixed = parts.iter().filter_map(|part| part.length.ok()).map(u64::from).sum();
    let named = parts.iter().filter_map(|part| part.length.err()).map(str::to_owned);
    sum(&named.collect::<Vec<_>>(), fixed)
}

/// Lines that copy `size` bytes of a joined stream, from this place on, to an array; bytes beyond its end stay.
fn copies(stream: &Stream<'_>, array: &str, size: u32, from: &str) -> Vec<String> {
    let copy = |(number, part): (usize, &Joined<'_>)| {
        let length = part.length.map_or_else(str::to_owned, |length| length.to_string());
        let before = lengths(&stream.parts[..number]);
        format!("copy_part({array}, {size}, {from}, {before}, {}, {length});", part.name)
    };
    stream.parts.iter().enumerate().map(copy).collect()
}

/// The address of an element of an array.
fn pointer(name: &str, index: &str) -> String {
    if index == "0" { name.to_owned() } else { format!("{name} + {index}") }
}

/// Names that are used here, and names that compilers define.
const OWN: &[&str] =
    &[bytes::ONCE, kept::MACRO, kept::LOOPED_MACRO, "linux", "typeid", "typeof", "unix", "wide", sums::NAME];
