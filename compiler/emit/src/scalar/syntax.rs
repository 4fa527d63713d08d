//! Differences between the languages in which functions are written.

use culet_ir::Which;

use super::graph::{Kind, Ty};

/// An expression as text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub text: String,
    /// Binding strength of its outermost operator.
    pub binds: u32,
    /// The text without its outermost conversion to a wider type, and the type before it.
    pub unconverted: Option<(Box<Text>, Ty)>,
    /// The two words whose sum the text is, if it is nothing else.
    pub addends: Option<Box<[String; 2]>>,
    pub is_literal: bool,
    /// Whether it is known to be 0 or 1.
    pub is_bit: bool,
    /// Whether memory is read in it.
    pub reads: bool,
    /// Whether it is a name, or a literal.
    pub is_atom: bool,
}

impl Text {
    pub fn new(text: String, binds: u32) -> Text {
        Text { text, binds, ..Text::default() }
    }

    /// A name, or another text that binds most tightly.
    pub fn atom(text: impl Into<String>) -> Text {
        Text { text: text.into(), binds: ATOM, is_atom: true, ..Text::default() }
    }

    /// The text for a place where the language converts to a wider type by itself.
    pub fn converted_anyway(&self) -> &Text {
        self.unconverted.as_ref().map_or(self, |(text, _)| text)
    }

    /// The text, in parentheses if it binds less than this.
    pub fn at_least(&self, binds: u32) -> String {
        if self.binds < binds { format!("({})", self.text) } else { self.text.clone() }
    }
}

pub(crate) const ATOM: u32 = 10;
pub(crate) const UNARY: u32 = 9;
pub(crate) const CAST: u32 = 8;
pub(crate) const PRODUCT: u32 = 7;
pub(crate) const SUM: u32 = 6;
pub(crate) const SHIFT: u32 = 5;
pub(crate) const AND: u32 = 4;
pub(crate) const XOR: u32 = 3;
pub(crate) const OR: u32 = 2;

/// A parameter of a function, by its name.
pub(crate) enum Parameter<'p> {
    Value(&'p str, Ty),
    /// An array: the number of its elements, and whether it is written.
    Array(&'p str, Ty, u32, bool),
    /// Any number of bytes; the second name is for that number, where the language has a parameter for it.
    Stream(&'p str, &'p str),
    /// Bytes that are written, as many as a stream decides.
    OutStream(&'p str),
}

impl Parameter<'_> {
    pub fn name(&self) -> &str {
        match self {
            Parameter::Value(name, _)
            | Parameter::Array(name, ..)
            | Parameter::Stream(name, _)
            | Parameter::OutStream(name) => name,
        }
    }
}

/// A stream: its name, its own names, the bytes of a block, and the streams and arrays that it joins.
pub(crate) struct Stream<'s> {
    pub name: &'s str,
    pub names: &'s [String; 2],
    pub block: u32,
    pub parts: Vec<Joined<'s>>,
    /// Whether a result stands in its place.
    pub is_in_place: bool,
}

/// A part of a joined stream: its name, and the number of its bytes or the name of that number.
pub(crate) struct Joined<'s> {
    pub name: &'s str,
    pub length: Result<u32, &'s str>,
}

/// The sum of these terms, without a constant term that is 0.
pub(crate) fn sum(terms: &[String], constant: u64) -> String {
    let constant = (constant > 0 || terms.is_empty()).then(|| constant.to_string());
    constant.into_iter().chain(terms.iter().cloned()).collect::<Vec<_>>().join(" + ")
}

/// The length of a result that is as long as a stream of `length` bytes, or has `added` bytes for each of its whole blocks.
pub(crate) fn made_length(length: &str, block: u32, added: Option<u32>) -> String {
    match added {
        None => length.to_owned(),
        Some(1) if block == 1 => length.to_owned(),
        Some(added) => format!("{length} / {block} * {added}"),
    }
}

/// Location of the words of all instances.
pub(crate) enum Spread<'s> {
    /// Bytes of an array at an index; the bytes of the next instance are `step` bytes behind.
    Bytes { name: &'s str, index: String, step: u32 },
    /// Words of an array from an index on, as a register has them.
    Register { name: &'s str, index: String },
    /// One word for all.
    Word(String),
}

/// Who calls a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Users of the file.
    Public,
    /// Functions of the file.
    Private,
    /// Functions of the file, whose calls compilers keep.
    Kept,
}

/// A language.
pub(crate) trait Syntax {
    fn ty(&self, ty: Ty) -> &'static str;

    fn literal(&self, value: u128, ty: Ty) -> Text;

    /// An operation on operands of this type. Its result has it, too, except for conversions, where it is the result's
    /// type.
    fn operation(&self, kind: &Kind, ty: Ty, args: &[Text]) -> Text;

    /// The text before the body's brace.
    fn heading(&self, symbol: &str, parameters: &[Parameter<'_>], role: Role) -> String;

    /// The text before the definition of a function that runs again and again.
    fn looped(&self) -> &'static str {
        ""
    }

    /// Lines at the beginning of a body.
    fn beginning(&self, _symbol: &str, _parameters: &[Parameter<'_>]) -> String {
        String::new()
    }

    /// A call of a private function: arrays of results and of parameters, each with the index from which on it is meant.
    fn call(&self, symbol: &str, results: &[(&str, String)], parameters: &[(&str, String)]) -> String;

    /// Whether a name may hide one of an outer block without a warning.
    fn may_hide(&self) -> bool;

    /// Whether the body's brace has a line of its own.
    fn opens_on_new_line(&self) -> bool;

    /// An index of an array of this length, which shows that it is in the array where a language looks at that.
    fn index_within(&self, index: String, _length: u32) -> String {
        index
    }

    /// `const uint64_t name = value;`
    fn define(&self, name: &str, ty: Ty, value: &Text) -> String;

    /// Whether an operation whose result has this type is the call of a method, which tools follow names for: see `followed`.
    fn is_method(&self, _kind: &Kind, _ty: Ty) -> bool {
        false
    }

    /// As [`Syntax::define`], by a pattern. Only a language with methods writes it.
    fn define_by_pattern(&self, name: &str, ty: Ty, value: &Text) -> String {
        self.define(name, ty, value)
    }

    /// A variable that is assigned to later.
    fn variable(&self, name: &str, ty: Ty, value: &Text) -> String;
    /// Defines a variable of a loop that no iteration changes.
    fn unchanged(&self, name: &str, ty: Ty, value: &Text) -> String {
        self.variable(name, ty, value)
    }

    fn assign(&self, place: &str, value: &Text) -> String;

    /// An array in the function's own memory.
    fn local(&self, name: &str, ty: Ty, length: u32) -> String;

    /// Overwrites an array in the function's own memory when its contents are of no more use, in a way that compilers keep.
    /// `counter` is a name that is free.
    fn erase(&self, name: &str, ty: Ty, length: u32, counter: &str) -> Vec<String>;

    fn constants(&self, name: &str, ty: Ty, values: &[u64]) -> String;

    /// A name as this language writes names of constants, or of anything else.
    fn cased(&self, name: &str, is_constant: bool) -> String;

    /// The line that begins a loop in which the counter runs from `first` to `last`; `is_read` says if the counter is
    /// read.
    fn loop_heading(&self, counter: &str, first: u64, last: u64, is_read: bool) -> String;

    /// The line that begins a loop of so many iterations that has rounds of AES.
    fn with_rounds(&self, heading: String, _iterations: u64) -> String {
        heading
    }

    /// The two endings of names that belong to a stream.
    fn stream_names(&self) -> [&'static str; 2];

    /// The lines that begin a loop over some of a stream's whole blocks, each of which adds to output streams.
    fn whole_heading(
        &self,
        stream: &Stream<'_>,
        which: Which,
        made: &[Stream<'_>],
        counter: &str,
        is_read: bool,
    ) -> Vec<String>;

    /// The lines that end such a loop.
    fn whole_end(&self, stream: &Stream<'_>, which: Which, made: &[Stream<'_>]) -> Vec<String>;

    /// The line that defines the number of bytes of a joined stream, under the first of its own names.
    fn joined_length(&self, stream: &Stream<'_>) -> String;

    /// The line that begins the statements for a remaining part of a block.
    fn rest_heading(&self, stream: &Stream<'_>, least: u32) -> String;

    /// The line that begins the statements for a stream that has not even one block.
    fn short_heading(&self, stream: &Stream<'_>) -> String;

    /// The number of a stream's bytes, as a word of 64 bits.
    fn length(&self, stream: &Stream<'_>) -> Text;

    /// Words of neighbouring blocks of 16 bytes, the first of which begins at `index`: the low words, or the high
    /// words.
    fn halves(&self, stream: &Stream<'_>, index: i64, is_high: bool) -> Text;

    /// Bytes of an array from an index on as a word of this type.
    fn load_word(&self, name: &str, index: &str, ty: Ty) -> Text;

    /// Words of 64 bits of an array from an index on as a register of this type.
    fn load_words(&self, name: &str, index: &str, ty: Ty) -> Text;

    /// A word of this type as bytes of an array from an index on.
    fn store_word(&self, name: &str, index: &str, ty: Ty, value: &Text) -> String;

    /// Loads `bytes` bytes of each instance, or a register.
    fn load_lanes(&self, at: &Spread<'_>, bytes: u32) -> String;

    /// Stores the lowest byte for each instance, or a register.
    fn store_lanes(&self, at: &Spread<'_>, value: &Text) -> String;

    /// Lines that fill an array with the end of a stream.
    fn tail(&self, stream: &Stream<'_>, array: &str, pad: u8, counter: &str) -> Vec<String>;

    /// Lines that copy the beginning of an array to the end of a result, as many bytes as a stream has after its last whole block.
    /// `counter` is a name that is free.
    fn store_tail(&self, to: &str, from: &str, stream: &Stream<'_>, counter: &str) -> Vec<String>;

    /// The line after which a result is a stream, which has the name `name` for what comes after. The result is as long as `source`, or has
    /// `added` bytes for each of its whole blocks.
    fn made(&self, result: &Stream<'_>, name: &str, source: &Stream<'_>, added: Option<u32>) -> String;

    /// The line that ends a call in a build for development, before anything is written, if a result has no room for what is made of a stream. Each of `steps` is a
    /// loop, as in [`made_length`]; the first one goes through `source`. None where a function does not know how long its results are.
    fn room(&self, _result: &Stream<'_>, _source: &Stream<'_>, _steps: &[(u32, Option<u32>)]) -> Option<String> {
        None
    }

    /// Whether the bytes of a result are a stream under another name than the result.
    fn renames_made(&self) -> bool;

    /// A value on its way to another block, or to the next iteration of a loop.
    fn across(&self, _ty: Ty, value: Text) -> Text {
        value
    }

    /// Says that a parameter need not be used.
    fn ignore(&self, parameter: &Parameter<'_>) -> String;

    /// Words that cannot be names.
    fn is_reserved(&self, name: &str) -> bool;

    /// The first line of a block, the line of its value, and its last line, by which these names are those of the block around it, too. None
    /// in a language whose blocks may have any number of names.
    fn block(&self, _handed_on: &[&str]) -> Option<[String; 3]> {
        None
    }

    /// The largest number of new names in such a block.
    fn most_names(&self) -> usize {
        usize::MAX
    }

    /// Texts before which long lines are broken.
    fn breaks(&self) -> &'static [&'static str];
}
