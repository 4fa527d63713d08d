//! The fields over which programs are tested and proved.

/// The name of each field, the field, and the number of bytes of an element.
pub const FIELDS: [(&str, &str, usize); 15] = [
    ("p521", "GF(2^521 - 1)", 66),
    ("1305", "GF(2^130 - 5)", 17),
    ("p224", "GF(2^224 - 2^96 + 1)", 28),
    ("p256", "GF(2^256 - 2^224 + 2^192 + 2^96 - 1)", 32),
    ("p384", "GF(2^384 - 2^128 - 2^96 + 2^32 - 1)", 48),
    ("25519", "GF(2^255 - 19)", 32),
    ("448", "GF(2^448 - 2^224 - 1)", 56),
    ("secp256k1", "GF(2^256 - 2^32 - 977)", 32),
    // RFC 8032, section 5.1; FIPS 186-4, appendix D.1.2.3.
    ("l25519", "GF(2^252 + 27742317777372353535851937790883648493)", 32),
    ("n256", "GF(0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551)", 32),
    ("mersenne61", "GF(2^61 - 1)", 8),
    ("small", "GF(7)", 1),
    ("ghash", "GF2(x^128 + x^7 + x^2 + x + 1)", 16),
    ("gf64", "GF2(x^64 + x^4 + x^3 + x + 1)", 8),
    ("radix29", "GF(2^255 - 19)", 32),
];

/// The field with this name.
///
/// # Panics
///
/// If there is no such field.
pub fn field(name: &str) -> (&'static str, &'static str, usize) {
    FIELDS.into_iter().find(|(other, ..)| *other == name).unwrap_or_else(|| panic!("no field is called {name}"))
}
