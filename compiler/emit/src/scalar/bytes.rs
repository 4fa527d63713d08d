//! Reads and writes of words in bytes, least significant byte first, and swaps of their bytes, by functions that
//! compilers make one instruction of. The code that compilers make of single bytes and shifts depends on the code
//! around it.

/// Functions that a text may call: the name, the operation, and the bits of its word.
const FUNCTIONS: [(&str, Function, u32); 8] = [
    ("copy_part", Function::CopyPart, 8),
    ("store_16", Function::Store, 16),
    ("load_32", Function::Load, 32),
    ("load_64", Function::Load, 64),
    ("store_32", Function::Store, 32),
    ("store_64", Function::Store, 64),
    ("swap_32", Function::Swap, 32),
    ("swap_64", Function::Swap, 64),
];

#[derive(Clone, Copy)]
enum Function {
    Load,
    Store,
    /// Turns the bytes of a word around.
    Swap,
    /// Copies the bytes that a part of a joined stream and a block of the stream have in common to the block.
    CopyPart,
}

/// Whether this is the name of a function that may be defined.
pub(crate) fn defines(name: &str) -> bool {
    FUNCTIONS.iter().any(|(own, ..)| *own == name)
}

/// The functions that a text in C calls. With `for_small`, small machines have those that need many instructions once.
pub(crate) fn c_definitions(text: &str, for_small: bool) -> Vec<String> {
    let inline = if for_small { ONCE } else { "inline" };
    let mut functions = definitions(text, |name, function, bits| match function {
        Function::Load => c_load(name, bits, inline),
        Function::Store => c_store(name, bits),
        Function::Swap => c_swap(name, bits, inline),
        Function::CopyPart => C_COPY_PART.to_owned(),
    });
    if functions.iter().any(|function| function.contains(ONCE)) {
        functions.insert(0, ONCE_DEFINITION.to_owned());
    }
    functions
}

pub(super) const ONCE: &str = "ONCE";

/// A word that may stand anywhere takes four loads and three shifts for each 32 bits where loads of words must be aligned.
const ONCE_DEFINITION: &str = "\
/* Machines that put words together of bytes have the instructions for that once: small code is wanted there. */
#if defined(__GNUC__) && __SIZEOF_POINTER__ == 4 && !defined(__i386__) && !defined(__ARM_FEATURE_UNALIGNED) && !defined(__wasm__)
#define ONCE __attribute__((noinline))
#else
#define ONCE inline
#endif
";

/// The functions that a text in Rust calls.
pub(crate) fn rust_definitions(text: &str) -> Vec<String> {
    definitions(text, |name, function, bits| match function {
        Function::Load => rust_load(name, bits),
        Function::Store => rust_store(name, bits),
        Function::Swap => rust_swap(name, bits),
        Function::CopyPart => RUST_COPY_PART.to_owned(),
    })
}

fn definitions(text: &str, written: impl Fn(&str, Function, u32) -> String) -> Vec<String> {
    let is_called = |name: &str| text.contains(&format!("{name}("));
    let called = FUNCTIONS.iter().filter(|(name, ..)| is_called(name));
    called.map(|&(name, function, bits)| written(name, function, bits)).collect()
}

/// Condition under which words lie in memory in this order and the compiler has a function that swaps bytes.
const IS_LITTLE: &str = "#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__";

fn c_load(name: &str, bits: u32, inline: &str) -> String {
    let bytes = bits / 8;
    format!(
        "static {inline} uint{bits}_t {name}(const uint8_t *bytes)
{{
    uint{bits}_t word = 0;
{IS_LITTLE}
    __builtin_memcpy(&word, bytes, {bytes});
#else
    for (int i = 0; i < {bytes}; i++)
        word |= (uint{bits}_t)bytes[i] << 8 * i;
#endif
    return word;
}}
"
    )
}

fn c_store(name: &str, bits: u32) -> String {
    let bytes = bits / 8;
    format!(
        "static inline void {name}(uint8_t *bytes, uint{bits}_t word)
{{
{IS_LITTLE}
    __builtin_memcpy(bytes, &word, {bytes});
#else
    for (int i = 0; i < {bytes}; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
#endif
}}
"
    )
}

fn c_swap(name: &str, bits: u32, inline: &str) -> String {
    format!(
        "static {inline} uint{bits}_t {name}(uint{bits}_t word)
{{
{IS_LITTLE}
    return __builtin_bswap{bits}(word);
#else
    uint{bits}_t swapped = 0;
    for (int i = 0; i < {bits}; i += 8)
        swapped |= (word >> i & 0xff) << ({bits} - 8 - i);
    return swapped;
#endif
}}
"
    )
}

/// The block begins at `at` in the stream, the part at `begin`.
const C_COPY_PART: &str =
    "static inline void copy_part(uint8_t *block, size_t size, size_t at, size_t begin, const uint8_t *part, size_t length)
{
    size_t to = begin > at ? begin - at : 0;
    size_t from = at > begin ? at - begin : 0;
    for (; to < size && from < length; to++, from++)
        block[to] = part[from];
}
";

/// As [`C_COPY_PART`].
const RUST_COPY_PART: &str = "#[inline(always)]
fn copy_part(block: &mut [u8], at: usize, begin: usize, part: &[u8]) {
    let (to, from) = (begin.saturating_sub(at), at.saturating_sub(begin));
    if let (Some(to), Some(from)) = (block.get_mut(to..), part.get(from..)) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
    }
}
";

/// All bytes that are read are there.
fn rust_load(name: &str, bits: u32) -> String {
    format!(
        "#[inline(always)]
fn {name}(bytes: &[u8], at: usize) -> u{bits} {{
    let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    word.map_or(0, |word| u{bits}::from_le_bytes(*word))
}}
"
    )
}

fn rust_store(name: &str, bits: u32) -> String {
    format!(
        "#[inline(always)]
fn {name}(bytes: &mut [u8], at: usize, word: u{bits}) {{
    if let Some(to) = bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) {{
        *to = word.to_le_bytes();
    }}
}}
"
    )
}

fn rust_swap(name: &str, bits: u32) -> String {
    format!("#[inline(always)]\nfn {name}(word: u{bits}) -> u{bits} {{\n    word.swap_bytes()\n}}\n")
}
