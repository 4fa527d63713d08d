//! Bitsliced data: a matrix of bits, blocks by positions in the block, is transposed.
//!
//! On vectors, instance `s = 128 p + 8 i + q` lies in part `p`, byte `i`, bit `q` of each register. First bytes are
//! brought together: register `q` of a column `j` gets byte `j` of the instances with that `q`, at byte `i`. Then in
//! each column the bits of eight registers are transposed. Plain words transpose a square matrix of bits.

use std::fmt::Write;

use culet_types::program::ByteOrder;

use super::network::{Network, Node};
use super::rows::{Chunk, chunks};
use super::{Group, chunk_loop, rows};
use crate::helpers::{Helpers, Parameter};
use crate::kernel::{Kernel, Port};
use crate::language::Language;

pub(crate) fn group(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> Option<Group> {
    let place = Place::new(port)?;
    if !kernel.machine.is_vector() {
        return Some(square(kernel, port, helpers, &place));
    }
    if port.bytes < 2 {
        return None;
    }
    Some(if port.is_result { unpack(kernel, port, helpers, &place) } else { pack(kernel, port, helpers, &place) })
}

/// Places of the bits of a byte of the block: bit `u` of byte `j`, counted from the most significant, goes to register
/// `base(j) + offset(u)`.
enum Place {
    Big,
    /// The bytes of an atom are reversed; the field is their number.
    Little(u32),
    /// Planes, a multiple of eight, and bits of an atom.
    Planes(u32, u32),
    /// Planes, a divisor of eight, and bits of an atom.
    FewPlanes(u32, u32),
}

impl Place {
    fn new(port: &Port) -> Option<Place> {
        let ty = &port.var.ty;
        let m = ty.atom.bits;
        if !ty.bits().is_multiple_of(8) {
            return None;
        }
        let planes = ty.dims.last().copied().unwrap_or(1);
        Some(match port.var.bytes {
            ByteOrder::Little if m > 8 && m.is_multiple_of(8) => Place::Little(m / 8),
            ByteOrder::Little | ByteOrder::Big => Place::Big,
            ByteOrder::Planes if m == 1 => Place::Big,
            ByteOrder::Planes if planes.is_multiple_of(8) => Place::Planes(planes, m),
            // Bytes hold whole bits of all planes, and groups of planes whole bytes.
            ByteOrder::Planes if 8 % planes == 0 && (planes * m).is_multiple_of(8) => Place::FewPlanes(planes, m),
            ByteOrder::Planes => return None,
        })
    }

    /// `base(j)` as text.
    fn base(&self, j: &str) -> String {
        match *self {
            Place::Big => format!("8 * ({j})"),
            Place::Little(k) => format!("({j}) / {k} * {} + ({} - ({j}) % {k}) * 8", 8 * k, k - 1),
            Place::Planes(planes, m) => {
                let block = planes / 8 * m;
                format!(
                    "(({j}) / {block} * {planes} + ({j}) % {} * 8) * {m} + ({j}) / {} % {m}",
                    planes / 8,
                    planes / 8
                )
            }
            Place::FewPlanes(planes, m) => {
                let block = planes * m / 8;
                format!("({j}) / {block} * {} + ({j}) % {block} * {}", planes * m, 8 / planes)
            }
        }
    }

    /// `offset(u)`.
    fn offset(&self, u: u32) -> u32 {
        match *self {
            Place::Big | Place::Little(_) => u,
            Place::Planes(_, m) => u * m,
            Place::FewPlanes(planes, m) => u % planes * m + u / planes,
        }
    }

    /// `offset(u)` as text.
    fn offset_of(&self, u: &str) -> String {
        match *self {
            Place::Big | Place::Little(_) => format!("({u})"),
            Place::Planes(_, m) => format!("({u}) * {m}"),
            Place::FewPlanes(planes, m) => format!("({u}) % {planes} * {m} + ({u}) / {planes}"),
        }
    }

    /// The register of bit `t` of byte `j`, counted from the least significant, as text.
    fn register(&self, j: &str, t: u32) -> String {
        format!("{} + {}", self.base(j), self.offset(7 - t))
    }
}

/// Layout of a chunk's columns in rows; a row holds `1 << shared` neighbouring instances.
struct Rows {
    chunk: Chunk,
    shared: u32,
    /// Bytes of a piece of a row; 16 if the pieces of a row are neighbours in memory.
    piece: u32,
}

impl Rows {
    fn new(chunk: Chunk, block: u64) -> Rows {
        let shared = (16 / chunk.width).trailing_zeros();
        Rows { chunk, shared, piece: if u64::from(chunk.width) == block { 16 } else { chunk.width } }
    }

    /// Number of rows that have the same byte number `i`.
    fn count(&self) -> u32 {
        8 >> self.shared
    }

    /// For each column of the row: its column in the block, and the instance of the row that it belongs to.
    fn columns(&self) -> impl Iterator<Item = (u32, u32)> {
        let (start, width) = (self.chunk.start, self.chunk.width);
        (0..16).map(move |c| (start + c % width, c / width))
    }

    /// The address of row `q` among the rows with byte number `i`.
    fn address(&self, language: Language, i: u32, block: u64) -> String {
        let (start, fixed) = (u64::from(self.chunk.start), u64::from(8 * i) * block);
        language.address("bytes", &format!("q * {} + {}", block << self.shared, fixed + start))
    }
}

/// The statement that begins a column of registers, from this one on, and an element of the column: in Rust, the column is
/// its first register's number.
fn column(kernel: &Kernel, is_written: bool, base: &str) -> (String, &'static str) {
    let register = kernel.machine.register();
    match kernel.machine.language {
        Language::C if is_written => (format!("{register} *column = registers + {base};"), "column["),
        Language::C => (format!("const {register} *column = registers + {base};"), "column["),
        Language::Rust => (format!("let column = {base};"), "registers[column + "),
    }
}

fn pack(kernel: &Kernel, port: &Port, helpers: &mut Helpers, place: &Place) -> Group {
    let language = kernel.machine.language;
    let mut out = String::new();
    for chunk in chunks(port.bytes as u32, 16) {
        let rows = Rows::new(chunk, port.bytes);
        let load = rows::load(&kernel.machine, helpers, rows.piece);
        let mut network = Network::new(&kernel.machine);
        let strides = format!("{}, {}", port.bytes, 128 * port.bytes);
        let inputs: Vec<Node> = (0..16)
            .map(|i| network.input(format!("{load}({}, {strides})", rows.address(language, i, port.bytes))))
            .collect();
        let columns = network.interleave(inputs, 8, 4);
        let _ = writeln!(out, "    {} {{", language.loop_head("q", rows.count()));
        out.push_str(&network.lines(helpers, &columns, "        "));
        for ((column, instance), node) in rows.columns().zip(columns) {
            let q = place.offset_of(&format!("q * {} + {instance}", 1 << rows.shared));
            let base = place.base(&column.to_string());
            let _ = writeln!(out, "        registers[{base} + {q}] = {};", Network::name(node));
        }
        out.push_str("    }\n");
    }
    let mut network = Network::new(&kernel.machine);
    let (column, of_column) = column(kernel, true, &place.base("j"));
    let inputs: Vec<Node> = (0..8).map(|q| network.input(format!("{of_column}{}]", place.offset(q)))).collect();
    let outputs = network.transpose_bits(&inputs);
    let _ = writeln!(out, "    {} {{", language.loop_head("j", port.bytes));
    let _ = writeln!(out, "        {column}");
    out.push_str(&network.lines(helpers, &outputs, "        "));
    for (t, node) in outputs.into_iter().enumerate() {
        let _ = writeln!(out, "        {of_column}{}] = {};", place.offset(7 - t as u32), Network::name(node));
    }
    out.push_str("    }\n");
    Group::of(out)
}

fn unpack(kernel: &Kernel, port: &Port, helpers: &mut Helpers, place: &Place) -> Group {
    let language = kernel.machine.language;
    let mut out = String::new();
    for chunk in chunks(port.bytes as u32, 16) {
        let rows = Rows::new(chunk, port.bytes);
        let mut network = Network::new(&kernel.machine);
        let (column, of_column) = column(kernel, false, &place.base(&format!("j + {}", chunk.start)));
        let inputs: Vec<Node> = (0..8).map(|t| network.input(format!("{of_column}{}]", place.offset(7 - t)))).collect();
        let outputs = network.transpose_bits(&inputs);
        let _ = writeln!(out, "    {} {{", language.loop_head("j", chunk.width));
        let _ = writeln!(out, "        {column}");
        out.push_str(&network.lines(helpers, &outputs, "        "));
        for (q, node) in outputs.into_iter().enumerate() {
            let _ = writeln!(out, "        scratch[j * 8 + {q}] = {};", Network::name(node));
        }
        out.push_str("    }\n");

        let store = rows::store(&kernel.machine, helpers, rows.piece);
        let mut network = Network::new(&kernel.machine);
        let inputs: Vec<Node> = rows
            .columns()
            .map(|(column, instance)| {
                let q = format!("q * {} + {}", 1 << rows.shared, (column - chunk.start) * 8 + instance);
                network.input(format!("scratch[{q}]"))
            })
            .collect();
        let outputs = network.interleave(inputs, 8, 4);
        let _ = writeln!(out, "    {} {{", language.loop_head("q", rows.count()));
        out.push_str(&network.lines(helpers, &outputs, "        "));
        for (i, node) in (0..).zip(outputs) {
            let address = rows.address(language, i, port.bytes);
            let strides = format!("{}, {}", port.bytes, 128 * port.bytes);
            let _ = writeln!(out, "        {store}({address}, {strides}, {});", Network::name(node));
        }
        out.push_str("    }\n");
    }
    Group { body: out, scratch: 128 }
}

/// Plain words: as many columns as a word has bytes, for as many instances as it has bits.
fn square(kernel: &Kernel, port: &Port, helpers: &mut Helpers, place: &Place) -> Group {
    let (bits, language) = (kernel.machine.register_bits, kernel.machine.language);
    let transpose = need_transpose(language, bits, helpers);
    let block = port.bytes as u32;
    let width = (bits / 8).min(block);
    let mut out = String::new();
    out.push_str(&chunk_loop(language, block, width));
    let store_columns = |out: &mut String, statement: &dyn Fn(u32) -> String| {
        let _ = writeln!(out, "        {} {{", language.loop_head("j", width));
        for bit in 0..8 {
            let _ = writeln!(out, "            {}", statement(bit));
        }
        out.push_str("        }\n");
    };
    if port.is_result {
        if width * 8 < bits {
            let clear = language
                .choose(format!("memset(scratch, 0, {bits} * sizeof *scratch);"), "scratch.fill(0);".to_owned());
            let _ = writeln!(out, "        {clear}");
        }
        store_columns(&mut out, &|bit| {
            format!("scratch[j * 8 + {bit}] = registers[{}];", place.register("start + j", bit))
        });
        let _ = writeln!(out, "        {transpose}(scratch);");
        let store = words_of_bytes(language, helpers, bits, width, true);
        let statement = format!("{store}({}, scratch[s]);", language.address("bytes", &format!("s * {block} + start")));
        out.push_str(&language.loop_of_one("        ", &language.loop_head("s", bits), &statement));
    } else {
        let load = words_of_bytes(language, helpers, bits, width, false);
        let statement = format!("scratch[s] = {load}({});", language.address("bytes", &format!("s * {block} + start")));
        out.push_str(&language.loop_of_one("        ", &language.loop_head("s", bits), &statement));
        let _ = writeln!(out, "        {transpose}(scratch);");
        store_columns(&mut out, &|bit| {
            format!("registers[{}] = scratch[j * 8 + {bit}];", place.register("start + j", bit))
        });
    }
    out.push_str("    }\n");
    Group { body: out, scratch: bits }
}

/// A function that loads or stores a word of `bits` bits as `width` bytes, the first least significant.
pub(crate) fn words_of_bytes(language: Language, helpers: &mut Helpers, bits: u32, width: u32, store: bool) -> String {
    let t = language.integer(bits);
    let name = format!("{}{width}_le", if store { "store" } else { "load" });
    let (parameters, body): (&[Parameter<'_>], String) = match (language, store) {
        (Language::C, true) => {
            let line = |k| format!("    bytes[{k}] = (uint8_t)(word >> {});\n", 8 * k);
            (&[("uint8_t *", "bytes"), (t, "word")], (0..width).map(line).collect())
        }
        (Language::C, false) => {
            let term = |k| match k {
                0 => format!("({t})bytes[0]"),
                _ => format!("({t})(({t})bytes[{k}] << {})", 8 * k),
            };
            let terms: Vec<String> = (0..width).map(term).collect();
            (&[("const uint8_t *", "bytes")], format!("    return ({t})({});\n", terms.join("\n        | ")))
        }
        (Language::Rust, true) => {
            let body = format!(
                "    if let Some(to) = bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut::<{width}>()) {{\n        \
                 for (to, from) in to.iter_mut().zip(word.to_le_bytes()) {{\n            *to = from;\n        }}\n    }}\n"
            );
            (&[("&mut [u8]", "bytes"), ("usize", "at"), (t, "word")], body)
        }
        (Language::Rust, false) => {
            let body = format!(
                "    let mut word = [0; {}];\n    \
                 if let Some(from) = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<{width}>()) {{\n        \
                 for (to, from) in word.iter_mut().zip(from) {{\n            *to = *from;\n        }}\n    }}\n    \
                 {t}::from_le_bytes(word)\n",
                bits / 8
            );
            (&[("&[u8]", "bytes"), ("usize", "at")], body)
        }
    };
    helpers.need(if store { "void" } else { t }, &name, parameters, &body);
    name
}

/// Bit `k` of word `s` becomes bit `s` of word `k`: masked swaps at every distance, three distances a pass, so that a
/// pass works on eight words at a time.
fn need_transpose(language: Language, bits: u32, helpers: &mut Helpers) -> &'static str {
    let t = language.integer(bits);
    let mut body = String::new();
    let mut span = bits;
    while span > 1 {
        let words = span.min(8);
        let step = span / words;
        // Words `base + k + step · q`: their swaps never leave the set.
        let (outer, inner) = (language.stepped_head("base", bits, span), language.choose("", " {"));
        let _ = writeln!(body, "    {outer}{inner}");
        let _ = match language {
            Language::C => writeln!(body, "        for (size_t k = base; k < base + {step}; k++) {{"),
            Language::Rust => writeln!(body, "        for k in base..base + {step} {{"),
        };
        for q in 0..words {
            let word = format!("words[k + {}]", step * q);
            let _ = writeln!(body, "            {}", language.variable(t, &format!("x{q}"), &word));
        }
        let mut half = words / 2;
        while half > 0 {
            for q in (0..words).filter(|q| q & half == 0) {
                body.push_str(&masked_swap(language, bits, half * step, q, q + half));
            }
            half /= 2;
        }
        for q in 0..words {
            let _ = writeln!(body, "            words[k + {}] = x{q};", step * q);
        }
        body.push_str(language.choose("        }\n", "        }\n    }\n"));
        span = step;
    }
    let words = language.choose(format!("{t} *"), format!("&mut [{t}; {bits}]"));
    helpers.need("void", "transpose_square", &[(&words, "words")], &body);
    "transpose_square"
}

/// Exchanges the upper half of every `2 · distance` bits in word `x<low>` with the lower half in `x<high>`.
fn masked_swap(language: Language, bits: u32, distance: u32, low: u32, high: u32) -> String {
    let mut keep = (1u64 << distance) - 1;
    let mut width = 2 * distance;
    while width < bits {
        keep |= keep << width;
        width *= 2;
    }
    let name = format!("d{low}_{distance}");
    let differ = format!("((x{low} >> {distance}) ^ x{high}) & {}", language.literal(bits, keep));
    format!(
        "            {}\n            x{high} ^= {name};\n            x{low} ^= {name} << {distance};\n",
        language.define(language.integer(bits), &name, &differ)
    )
}
