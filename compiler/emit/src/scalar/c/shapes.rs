//! Registers whose lanes hold words of one instance, of 8 to 64 bits: vectors of GNU C, which has operators for them, and
//! functions named after their shape for the rest.

use std::fmt::Write;

use culet_ir::Target;

use super::super::graph::{Kind, Shape};
use super::super::syntax::{ATOM, OR, Text, UNARY};
use crate::isa::steps::Steps;

/// Functions of every shape: the beginning of the name, and the definition. `SHAPE` stands for the shape's name, `WORD`
/// for the type of a lane, and `WORDS` for a list with `word` for every lane.
const FUNCTIONS: [(&str, &str); 3] = [
    ("all", "static inline SHAPE all_SHAPE(WORD word)\n{\n    return (SHAPE){ WORDS };\n}\n\n"),
    (
        "load",
        "static inline SHAPE load_SHAPE(const uint8_t *bytes)\n{\n    SHAPE words;\n    \
         __builtin_memcpy(&words, bytes, sizeof words);\n    return words;\n}\n\n",
    ),
    (
        "store",
        "static inline void store_SHAPE(uint8_t *bytes, SHAPE words)\n{\n    \
         __builtin_memcpy(bytes, &words, sizeof words);\n}\n\n",
    ),
];

/// Whether this is the name of a type or a function that may be defined.
pub(crate) fn defines(name: &str) -> bool {
    Shape::ALL.iter().any(|&(_, shape)| {
        name.strip_suffix(shape).is_some_and(|start| {
            matches!(start, "" | "s")
                || start.strip_suffix('_').is_some_and(|own| FUNCTIONS.iter().any(|(name, _)| *name == own))
        })
    })
}

/// The header, the types and the functions of a target that a text uses.
pub(crate) fn definitions(text: &str, target: Target) -> String {
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
    if out.is_empty() { out } else { format!("{}{out}", header(target)) }
}

/// The header with the target's instructions.
pub(super) fn header(target: Target) -> &'static str {
    match target {
        Target::Neon => "#include <arm_neon.h>\n\n",
        Target::Vsx => "#include <altivec.h>\n#undef vector\n#undef bool\n#undef pixel\n\n",
        _ => "#include <immintrin.h>\n\n",
    }
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
pub(crate) fn operation(kind: &Kind, shape: Shape, args: &[Text], target: Target) -> Option<Text> {
    let name = shape.name();
    let set = |words: Vec<String>| Text::new(format!("({name}){{ {} }}", words.join(", ")), ATOM);
    let function =
        |step: &str, bits: u8| Steps::of(target, shape.register_bits()).fill(&format!("@{step}"), u32::from(bits));
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
        Kind::Rotl(amount) => rotated(shape, *amount, &args[0], target),
        Kind::Zip { bits, is_high } => {
            let step = if *is_high { "high" } else { "low" };
            cast_call(name, &function(step, *bits), args, &operand(shape, *bits, target), "")
        }
        Kind::Blocks(is_odd) => {
            let number = match (shape.register_bits(), is_odd) {
                (256, false) => "0x20",
                (256, true) => "0x31",
                (_, false) => "0x88",
                (_, true) => "0xdd",
            };
            cast_call(name, &function("parts", 64), args, &register(shape), &format!(", {number}"))
        }
        Kind::Block(block) => {
            let name = Shape { lanes: 128 / shape.bits, ..shape }.name();
            cast_call(name, &function("part", 32), args, &register(shape), &format!(", {block}"))
        }
        _ => return None,
    })
}

/// A call of a function on registers of another type, `(u32x8)function((__m256i)a, (__m256i)b, more)`.
fn cast_call(name: &str, function: &str, args: &[Text], of: &str, more: &str) -> Text {
    let operands: Vec<String> = args.iter().map(|arg| format!("({of}){}", arg.at_least(UNARY))).collect();
    Text::new(format!("({name}){function}({}{more})", operands.join(", ")), UNARY)
}

/// The type that x86's functions take.
fn register(shape: Shape) -> String {
    format!("__m{}i", shape.register_bits())
}

/// The type that a target's functions on words of `bits` bits take.
fn operand(shape: Shape, bits: u8, target: Target) -> String {
    match (target, bits) {
        (Target::Neon, _) => format!("uint{bits}x{}_t", 128 / u32::from(bits)),
        (Target::Vsx, 8) => "__vector unsigned char".to_owned(),
        (Target::Vsx, 16) => "__vector unsigned short".to_owned(),
        (Target::Vsx, 32) => "__vector unsigned int".to_owned(),
        (Target::Vsx, _) => "__vector unsigned long long".to_owned(),
        _ => register(shape),
    }
}

/// Words turned left: by the instruction for it, or as bytes in another order, if the target has it and compilers do not
/// find it.
fn rotated(shape: Shape, amount: u32, a: &Text, target: Target) -> Text {
    let (name, bits) = (shape.name(), u32::from(shape.bits));
    let steps = Steps::of(target, shape.register_bits());
    if target.is_avx512() && bits >= 32 {
        return cast_call(
            name,
            &steps.fill("@rotl", bits),
            std::slice::from_ref(a),
            &register(shape),
            &format!(", {amount}"),
        );
    }
    if steps.is_x86() && amount.is_multiple_of(8) {
        let bytes = bits / 8;
        // Byte b of a word comes from byte b - amount / 8 of it.
        let order: Vec<u32> = (0..16).map(|byte| byte / bytes * bytes + (byte + bytes - amount / 8) % bytes).collect();
        let words = order.chunks(8).map(|bytes| {
            let word = bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            format!("{word:#x}")
        });
        let words = words.collect::<Vec<String>>().join(", ");
        let words = vec![words.as_str(); shape.register_bits() as usize / 128].join(", ");
        let whole = Shape { lanes: (shape.register_bits() / 64) as u8, bits: 64 }.name();
        let index = format!(", ({})({whole}){{ {words} }}", register(shape));
        return cast_call(name, &steps.fill("@shuffle8", bits), std::slice::from_ref(a), &register(shape), &index);
    }
    let a = a.at_least(UNARY);
    Text::new(format!("{a} << {amount} | {a} >> {}", bits - amount), OR)
}
