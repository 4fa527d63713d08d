//! Registers whose lanes hold words of one instance, of 8 to 64 bits: vectors of GNU C, which has operators for them, and
//! functions named after their shape for the rest.

use std::fmt::Write;

use super::super::graph::{Kind, Shape};
use super::super::syntax::{ATOM, Text, UNARY};

/// Functions of every shape: the beginning of the name, and the definition. `SHAPE` stands for the shape's name, `WORD`
/// for the type of a lane, and `WORDS` for a list with `word` for every lane.
const FUNCTIONS: [(&str, &str); 1] =
    [("all", "static inline SHAPE all_SHAPE(WORD word)\n{\n    return (SHAPE){ WORDS };\n}\n\n")];

/// Whether this is the name of a type or a function that may be defined.
pub(crate) fn defines(name: &str) -> bool {
    Shape::ALL.iter().any(|&(_, shape)| {
        name.strip_suffix(shape).is_some_and(|start| {
            matches!(start, "" | "s")
                || start.strip_suffix('_').is_some_and(|own| FUNCTIONS.iter().any(|(name, _)| *name == own))
        })
    })
}

/// The types and the functions that a text uses.
pub(crate) fn definitions(text: &str) -> String {
    let mut out = String::new();
    for (shape, name) in Shape::ALL.into_iter().filter(|(_, name)| text.contains(name)) {
        let bytes = shape.register_bits() / 8;
        let mut typedef = |word: &str, name: &str| {
            let _ = writeln!(out, "typedef {word}int{}_t {name} __attribute__((vector_size({bytes})));\n", shape.bits);
        };
        typedef("u", name);
        if text.contains(&signed(name)) {
            typedef("", &signed(name));
        }
        for (start, definition) in FUNCTIONS {
            if text.contains(&format!("{start}_{name}(")) {
                out.push_str(&of_shape(definition, shape));
            }
        }
    }
    out
}

/// The name of a shape with signed words.
fn signed(name: &str) -> String {
    format!("s{name}")
}

fn of_shape(definition: &str, shape: Shape) -> String {
    let words = vec!["word"; usize::from(shape.lanes)].join(", ");
    definition.replace("WORDS", &words).replace("WORD", &format!("uint{}_t", shape.bits)).replace("SHAPE", shape.name())
}

/// A register with this word in all lanes.
pub(crate) fn literal(value: u64, shape: Shape) -> Text {
    let word = if value <= 0xffff { value.to_string() } else { format!("{value:#x}") };
    Text::atom(format!("all_{}({word})", shape.name()))
}

/// An operation on lanes that is no operator of C's.
pub(crate) fn operation(kind: &Kind, shape: Shape, args: &[Text]) -> Option<Text> {
    let name = shape.name();
    let set = |words: Vec<String>| Text::new(format!("({name}){{ {} }}", words.join(", ")), ATOM);
    Some(match kind {
        Kind::Convert => Text::new(format!("all_{name}({})", args[0].text), ATOM),
        Kind::Lane(lane) => Text::new(format!("{}[{lane}]", args[0].at_least(ATOM)), ATOM),
        Kind::Join => set(args.iter().map(|arg| arg.text.clone()).collect()),
        Kind::Words(words) => set(words.iter().map(|word| format!("{word:#x}")).collect()),
        Kind::Sar(distance) => {
            Text::new(format!("({name})(({}){} >> {distance})", signed(name), args[0].at_least(UNARY)), UNARY)
        }
        Kind::Select => {
            let [mask, then, otherwise] = [0, 1, 2].map(|index| args[index].at_least(UNARY));
            Text::new(format!("(({mask} & {then}) | (~{mask} & {otherwise}))"), ATOM)
        }
        _ => return None,
    })
}
