//! Words of bytes, the least significant first, by functions that compilers make one instruction of: what they make of single
//! bytes and shifts depends on what is around.

/// What a text may call, whether it reads, and the bits of its word.
const FUNCTIONS: [(&str, bool, u32); 4] =
    [("load_32", true, 32), ("load_64", true, 64), ("store_32", false, 32), ("store_64", false, 64)];

/// Whether a function may be defined that has this name.
pub(crate) fn defines(name: &str) -> bool {
    FUNCTIONS.iter().any(|(own, ..)| *own == name)
}

/// The functions that a text in C calls.
pub(crate) fn c_definitions(text: &str) -> Vec<String> {
    definitions(text, c_load, c_store)
}

/// The functions that a text in Rust calls.
pub(crate) fn rust_definitions(text: &str) -> Vec<String> {
    definitions(text, rust_load, rust_store)
}

fn definitions(text: &str, load: fn(&str, u32) -> String, store: fn(&str, u32) -> String) -> Vec<String> {
    let is_called = |name: &str| text.contains(&format!("{name}("));
    let called = FUNCTIONS.iter().filter(|(name, ..)| is_called(name));
    called.map(|&(name, is_load, bits)| if is_load { load(name, bits) } else { store(name, bits) }).collect()
}

/// Words are in memory as they are here.
const IS_LITTLE: &str = "#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__";

fn c_load(name: &str, bits: u32) -> String {
    let bytes = bits / 8;
    format!(
        "static inline uint{bits}_t {name}(const uint8_t *bytes)
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

/// All that is read is there.
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
