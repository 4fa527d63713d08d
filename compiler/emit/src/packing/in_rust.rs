//! Packing in Rust, where it is more than another spelling of C's: bytes are read and written word by word, and a register
//! is made of words of 64 bits, so that nothing is unsafe. LLVM makes loads and stores of registers of that.

use culet_diag::counted;

use crate::helpers::Helpers;
use crate::kernel::{Kernel, Port};
use crate::machine::Machine;

/// The body of a function on `bytes`, `at` and `next` that loads as many pieces as fill a part, `next` bytes apart.
pub(crate) fn load_row(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    let bits = 8 * piece.min(8);
    need_load(helpers, bits);
    let load = |byte: u32| {
        let word = format!("load_{bits}(bytes, {})", place(byte, piece));
        match (bits, byte % 8) {
            (64, _) => word,
            (_, 0) => format!("u64::from({word})"),
            (_, byte) => format!("u64::from({word}) << {}", 8 * byte),
        }
    };
    let half = |first: u32| {
        let loads = (first..first + 8).step_by(bits as usize / 8).map(load);
        loads.collect::<Vec<String>>().join("\n        | ")
    };
    let unused = if piece == 16 { "    let _ = next;\n" } else { "" };
    let (low, high) = (half(0), half(8));
    format!("{unused}    let low = {low};\n    let high = {high};\n    {}\n", machine.isa().part_of("low", "high"))
}

/// As [`load_row`], for `width` bytes; the rest is zero.
pub(crate) fn load_narrow_row(machine: &Machine, width: u32) -> String {
    format!(
        "    let _ = next;\n    let mut row = [0; 16];\n    \
         if let Some(from) = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<{width}>()) {{\n        \
         for (to, from) in row.iter_mut().zip(from) {{\n            *to = *from;\n        }}\n    }}\n    \
         let row = u128::from_le_bytes(row);\n    let (low, high) = (row as u64, (row >> 64) as u64);\n    {}\n",
        machine.isa().part_of("low", "high")
    )
}

/// The body of a function on `bytes`, `at`, `next` and `row` that stores the pieces of a part, `next` bytes apart.
pub(crate) fn store_row(machine: &Machine, helpers: &mut Helpers, piece: u32) -> String {
    let bits = 8 * piece.min(8);
    need_store(helpers, bits);
    let mut body = halves(machine);
    if piece == 16 {
        body.push_str("    let _ = next;\n");
    }
    for byte in (0..16).step_by(bits as usize / 8) {
        let half = if byte < 8 { "low" } else { "high" };
        let word = match (bits, byte % 8) {
            (64, _) => half.to_owned(),
            (_, 0) => format!("{half} as u{bits}"),
            (_, byte) => format!("({half} >> {}) as u{bits}", 8 * byte),
        };
        body.push_str(&format!("    store_{bits}(bytes, {}, {word});\n", place(byte, piece)));
    }
    body
}

/// As [`store_row`], for the first `width` bytes.
pub(crate) fn store_narrow_row(machine: &Machine, width: u32) -> String {
    format!(
        "    let _ = next;\n{}    let row = u128::from(low) | (u128::from(high) << 64);\n    \
         if let Some(to) = bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut::<{width}>()) {{\n        \
         for (to, from) in to.iter_mut().zip(row.to_le_bytes()) {{\n            *to = from;\n        }}\n    }}\n",
        halves(machine)
    )
}

/// The halves of `row`.
fn halves(machine: &Machine) -> String {
    let [low, high] = machine.isa().halves_of("row");
    format!("    let low = {low};\n    let high = {high};\n")
}

/// The place of a row's byte, of pieces that are `next` bytes apart.
fn place(byte: u32, piece: u32) -> String {
    let (piece_number, within) = (byte / piece, byte % piece);
    let mut text = "at".to_owned();
    match piece_number {
        0 => {}
        1 => text.push_str(" + next"),
        number => text.push_str(&format!(" + {number} * next")),
    }
    if within > 0 {
        text.push_str(&format!(" + {within}"));
    }
    text
}

/// Reads the word of `bits` bits at `at`, which is there: without that, a function could panic.
fn need_load(helpers: &mut Helpers, bits: u32) {
    let body = format!(
        "    let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk());\n    \
         word.map_or(0, |word| u{bits}::from_le_bytes(*word))\n"
    );
    helpers.need(&format!("u{bits}"), &format!("load_{bits}"), &[("&[u8]", "bytes"), ("usize", "at")], &body);
}

fn need_store(helpers: &mut Helpers, bits: u32) {
    let body = "    if let Some(to) = bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) {
        *to = word.to_le_bytes();
    }
";
    let word = format!("u{bits}");
    let parameters = [("&mut [u8]", "bytes"), ("usize", "at"), (word.as_str(), "word")];
    helpers.need("void", &format!("store_{bits}"), &parameters, body);
}

/// The lines after which `words` holds the registers as words of 64 bits.
pub(crate) fn words_of_registers(kernel: &Kernel, port: &Port, helpers: &mut Helpers) -> String {
    let machine = &kernel.machine;
    let isa = machine.isa();
    let body = isa.split_rows(&|part, row| {
        let [low, high] = isa.halves_of("row");
        format!(
            "    let row = {row};\n    words[at + {}] = {low};\n    words[at + {}] = {high};\n",
            2 * part,
            2 * part + 1
        )
    });
    let body = body.replace("    let _ = part;\n", "");
    let parameters = [("&mut [u64; N]", "words"), ("usize", "at"), (isa.register(), "rows")];
    helpers.need("void", "words_of", &parameters, &body);
    let a_register = machine.register_bits / 64;
    format!(
        "    let mut words = [0u64; {}];\n    for (number, register) in registers.iter().enumerate() {{\n        \
         words_of(&mut words, {a_register} * number, *register);\n    }}\n",
        port.registers * a_register
    )
}

/// The lines that make the registers of `words`.
pub(crate) fn registers_of_words(kernel: &Kernel, helpers: &mut Helpers) -> String {
    let machine = &kernel.machine;
    let isa = machine.isa();
    let row = |part: u32| isa.part_of(&format!("words[at + {}]", 2 * part), &format!("words[at + {}]", 2 * part + 1));
    let body = isa.join_rows(&row).replace("    let _ = part;\n", "");
    helpers.need(isa.register(), "of_words", &[("&[u64; N]", "words"), ("usize", "at")], &body);
    format!(
        "    for (number, register) in registers.iter_mut().enumerate() {{\n        \
         *register = of_words(&words, {} * number);\n    }}\n",
        machine.register_bits / 64
    )
}

/// The zero that arrays of registers begin with.
pub(crate) fn zero(kernel: &Kernel) -> String {
    if kernel.machine.is_vector() { kernel.machine.zero() } else { "0".to_owned() }
}

/// The documentation of a public function that packs or unpacks.
pub(crate) fn about(kernel: &Kernel, port: &Port) -> String {
    let blocks = match port.shared() {
        true => "one block".to_owned(),
        false => counted(kernel.layout.instances(), "block"),
    };
    match port.is_result {
        true => format!("/// `{}`: registers to the bytes of {blocks}.\n", port.name),
        false => format!("/// `{}`: the bytes of {blocks} to registers.\n", port.name),
    }
}

/// Lines that overwrite an array of a function's own in a way that compilers keep.
pub(crate) fn erase(name: &str, zero: &str) -> String {
    format!("    {name}.fill({zero});\n    core::hint::black_box(&{name});\n")
}
