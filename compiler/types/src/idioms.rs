//! Idioms for functions that other languages have.

/// The way to say here what `u32(x)`, `uint32(x)` or `u32_t(x)` says elsewhere.
pub(crate) fn conversion_meant(name: &str) -> Option<String> {
    let digits = name.strip_prefix("uint").or(name.strip_prefix("int")).or(name.strip_prefix(['u', 'i']))?;
    let bits = match digits.trim_end_matches("_t").parse() {
        Ok(8) => {
            return Some(
                "`le<u8>(x)` cuts words into bytes, least significant first: `le<u8>(x)[0]` is one".to_owned(),
            );
        }
        Ok(bits @ (16 | 32 | 64)) => bits,
        _ => return None,
    };
    let zeros: u32 = bits - 8;
    Some(format!(
        "`be<u{bits}>(0 : u{zeros}, x)` makes a word of {bits} bits of a byte, `le<u{bits}>(x)` of {} bytes, and \
         `le<u{bits}>(x)[0]` is the lower part of a longer word",
        bits / 8
    ))
}

/// The way to say here what functions of these names compute elsewhere.
pub(crate) fn idiom_for_call(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    Some(match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_') {
        "rotl" | "rol" | "rotr" | "ror" | "rotate" | "rotate_left" | "rotate_right" | "rotateleft" | "rotateright"
        | "rot" | "lrot" | "rrot" => "rotations are operators: `x <<< 7` to the left, `x >>> 7` to the right",
        "shl" | "shr" | "lsl" | "lsr" | "shift" => "shifts are operators: `x << 7` to the left, `x >> 7` to the right",
        "xor" | "and" | "or" | "not" | "add" | "sub" | "mul" => {
            "`^ & | ~ + - *` are operators: `a ^ b` is the sum of bits without carries"
        }
        "inv" | "inverse" | "invert" | "finv" | "recip" | "modinv" | "mod_inverse" => {
            "`1 / x` is the inverse of an element of a field"
        }
        "sqr" | "square" | "pow" | "power" => {
            "`x ^ 5` is a power of an element of a field; words are multiplied by `*`"
        }
        "u" | "uint" | "int" | "byte" => "`le<u8>(x)` cuts words into bytes, and `be<u16>(0 : u8, x)` widens one",
        "sizeof" | "len" | "length" => "lengths of arrays are known: write the number; `length(m)` is a stream's",
        "be" | "le" => {
            "bytes make a word by `be<u32>(x)` or `le<u32>(x)`, and a word bytes by `be<u8>(x)` or `le<u8>(x)`"
        }
        "load" | "load_le" | "load_be" | "le32toh" | "be32toh" | "u8to32" | "pack_le" => {
            "`le<u32>(x)` and `be<u32>(x)` make words of bytes"
        }
        "store" | "store_le" | "store_be" | "to_bytes" => "`le<u8>(x)` and `be<u8>(x)` make bytes of words",
        "reveal" | "public" => {
            "`declassify(x)` is x, public from there on, for parameters that are `pub`; `c ? a : b` chooses by a secret bit"
        }
        "abs" => "`x >>! 31` is a mask of the sign of 32 bits: `(x ^ (x >>! 31)) - (x >>! 31)` is the magnitude",
        "popcount" | "popcnt" | "count_ones" | "hamming" | "hamming_weight" | "weight" => {
            "bits are counted by a loop: `n := 0; forall i in [0, 31] { n := n + ((x >> i) & 1) }`"
        }
        "clz" | "ctz" | "leading_zeros" | "trailing_zeros" => {
            "zeros are counted by a loop over all bits, `(x >> i) & 1`, that keeps what it knows by `n := c ? a : n`"
        }
        "parity" => "the sum of bits is a loop: `s := 0; forall i in [0, 31] { s := s ^ ((x >> i) & 1) }`",
        "wrapping_add" | "wrapping_sub" | "wrapping_mul" | "addmod" | "add_mod" | "submod" | "mulmod" => {
            "arithmetic of words wraps around, `a + b`; in a field, `field f = GF(2^255 - 19)`, it is modulo a prime"
        }
        "mulhi" | "mul_hi" | "umulh" | "mulh" | "umul" | "widening_mul" => {
            "`be<u64>(0 : u32, a) * be<u64>(0 : u32, b)` has all bits of a product of words of 32 bits"
        }
        "memcpy" | "memmove" | "copy" => "values are assigned whole: `y = x`, `y[0..3] = x[4..7]`",
        "memset" | "bzero" | "zeroed" | "zeros" => "zeros of a type are written `0 : u8[16]`",
        "memcmp" | "strcmp" | "equal" | "eq" => "`a == b` compares words and arrays, in constant time: it is a bit",
        "cswap" | "swap" | "conditional_swap" => "a choice exchanges two values: `(x, y) = b ? (q, p) : (p, q)`",
        "is_zero" | "iszero" | "is_nonzero" => "`x == 0` is a bit, 1 if it is so, and `~(x == 0)` the opposite",
        "map" | "zip" | "apply" => "a loop calls a node for each element: `forall i in [0, 3] { y[i] = f(x[i]) }`",
        "assert" | "require" => {
            "nothing fails when a program runs: what an input must be, the caller checks, or a result says"
        }
        "sum" | "fold" | "reduce" => "a sum over an array is a loop: `s := x[0]; forall i in [1, 3] { s := s + x[i] }`",
        "min" => "`a < b ? a : b` is the smaller of two words, chosen without a branch",
        "max" => "`a < b ? b : a` is the larger of two words, chosen without a branch",
        "reverse" | "rev" | "flip" => {
            "a range may descend: `x[3..0]` are four elements in reverse order; `Shuffle` moves the bits of a word"
        }
        "bswap" | "byteswap" | "swap_bytes" | "htonl" | "ntohl" | "rev_bytes" => {
            "`le<u32>(be<u8>(x))` is a word of 32 bits with its bytes reversed"
        }
        "concat" | "cat" | "append" | "join" => "values one after another are one value: `(a, b)`",
        "sqrt" | "root" => {
            "a root is a power: modulo a prime p that is 3 modulo 4, `x ^ n` where the number n is (p + 1) / 4"
        }
        "select" | "cmov" | "ite" | "mux" => "`c ? a : b` chooses by a bit, without a branch",
        _ => return None,
    })
}
