//! Bits that compilers must not know to be 0 or 1. A mask is 0 less such a bit: a compiler that sees its two values may make a
//! branch of the choices by it.

use super::super::graph::Ty;

/// A function, by the bits of its word.
const NAMES: [(&str, u32); 4] = [("hidden_8", 8), ("hidden_16", 16), ("hidden_32", 32), ("hidden_64", 64)];

/// Whether this is the name of a function that may be defined.
pub(crate) fn defines(name: &str) -> bool {
    NAMES.iter().any(|&(own, _)| own == name)
}

/// The call that hides a bit in a word of a type; none for words that are wider.
pub(super) fn hidden(ty: Ty, bit: &str) -> Option<String> {
    NAMES.iter().find(|&&(_, bits)| bits == ty.bits()).map(|(name, _)| format!("{name}({bit})"))
}

/// The functions that a text calls.
pub(crate) fn definitions(text: &str) -> Vec<String> {
    let called = NAMES.iter().filter(|(name, _)| text.contains(&format!("{name}(")));
    called.map(|&(name, bits)| definition(name, bits)).collect()
}

fn definition(name: &str, bits: u32) -> String {
    format!(
        "/* The same bit, but compilers do not know that it is 0 or 1 and make no branch of choices by it. */
static inline uint{bits}_t {name}(uint{bits}_t bit)
{{
#if defined(__GNUC__)
    __asm__(\"\" : \"+r\"(bit));
    return bit;
#else
    volatile uint{bits}_t hidden = bit;
    return hidden;
#endif
}}
"
    )
}
