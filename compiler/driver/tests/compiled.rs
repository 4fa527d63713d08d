//! Programs that compute one instance at a time, and lookups by slices of many: the code that C compilers make of them is
//! compared with the interpreter.

use std::path::Path;

use culet_diag::Diagnostics;
use culet_driver::{Engine, Interleave, Kernel, LANES, Options, Reader, dump, elaborate, load};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_testing::{Rng, draw};
use culet_types::program::Slicing;

/// A source with this text.
struct Text<'t>(&'t str);

impl Reader for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// Loops over streams whose bytes they do not use. Data after the first loop's stream must be found all the same:
/// another stream, a key, a result.
const COUNTED: [&str; 9] = [
    "node m (s : u8[*]) returns (h : u8)
let h := 1; fold b in s { h := h + 1 } tel",
    "node m (s : u8[*], t : u32[*], k : u8) returns (r, h : u8)
let h := k; fold b in s { h := -h } fold b in t { h := 3 * h } r = k tel",
    "node m (s : u8[*], t : u8[*]) returns (h : u8[*])
let forall b in s { h = 7 } tel",
    "node m (s, t : u8[*], k : u8) returns (g : u8[*], h : u8)
let h := k; forall b in s { g = k } fold b in blocks(t, 16, 1) { h := h + b[0] } tel",
    "node m (s, t : u8[*]) returns (h : u8)
let h := 1; fold b in blocks(s, 16, 1) { h := h + 1 } fold b in blocks(t, 16, 1) { h := h + b[0] } tel",
    "field f = GF(2^255 - 19)
node m (s : u8[*], k : f) returns (r : f)
let r := k; fold b in blocks(s, 16, 1) { r := 2 * r } tel",
    "field f = GF(2^130 - 5)
node m (s : u8[*], k : f, t : u8[*]) returns (r : f)
let r := k; _lanes(8) fold b in blocks(s, 16, 1) { r := k * r + k } fold b in t { r := -r } tel",
    "field f = GF2(x^128 + x^7 + x^2 + x + 1)
node m (s : u8[*], k : f) returns (r : f)
let r := k; _lanes(8) fold b in blocks(s, 16, 0) { r := k * r } tel",
    "node m (s, unused : u8[*], k : u8) returns (h : u8)
let h := k; fold b in blocks(s, 64, md) { h := h + 1 } tel",
];

/// Loops that begin with constants, and in which the bounds of limbs grow by a bit an iteration.
const GROWING: [&str; 5] = [
    "field f = GF(2^130 - 5)
node m (s : u8[*]) returns (r : f)
let r := 1; fold b in blocks(s, 16, 1) { r := 2 * r } tel",
    "field f = GF(2^255 - 19)
node m (s : u8[*]) returns (r : f)
let r := 1; fold b in s { r := 2 * r } tel",
    "field f = GF(2^521 - 1)
node m (k : u8) returns (r : f)
let r := 1; forall i in [1, 600] { r := -2 * r } tel",
    "field f = GF(2^256 - 2^224 + 2^192 + 2^96 - 1)
node m (k : u8) returns (r, t : f)
let r := 1; t := 0; forall i in [1, 300] { r := r + r; t := t - r } tel",
    "field f = GF(2^255 - 19)
node m (k : u8) returns (r : f[4])
let r := (1, 1, 2, 3); forall i in [1, 300] { forall j in [0, 3] { r[j] := 2 * r[j] } } tel",
];

/// Choices of constants. All of them can have a carry in the same place, so that the carry is a constant.
const CHOSEN: [&str; 2] = [
    "field f = GF(2^256 - 2^224 + 2^192 + 2^96 - 1)
const a : f = 0xffffffff00000001000000000000000000000000fffffffffffffffffffffffe
const c : f = 0x4de940afa557f95e0b3e698cf0c36a313571e13eac1468292cf71a333d9394d6
node m (s : u1) returns (r : f)
vars e : f
let e = s ? 3 * a : c; r = 2 * e tel",
    "field f = GF(2^256 - 2^224 + 2^192 + 2^96 - 1)
const a : f = 0xfffffffd00000002fffffffdffffffff00000001fffffffd00000000
const b : f = 0xffffffff00000001000000000000000000000000fffffffffffffffffffffffe
const c : f = 0x44d124e1318c915ece736ea1765db640bb2edb1f89a249c2318c9160bb2edb1f
node m (s : u1) returns (r : f)
vars e : f
let e = s ? a * b : c; r = 3 * e tel",
];

/// Words whose widths are those of no lane.
const WIDTHS: [&str; 3] = [
    "node m (i : u2, t : u8[4], c : u1, j : u5, w : u24, s : u13[3]) returns (r : u8, x : u24, y, z : u13[3], q : u5, v : u13)
let r = t[i]; x = (w <<< 5) ^ (w >> 7) ^ (w >>! 3); y = s ^ (s <<< 1);
z = c ? s : ~s; q = ~j | (j << 1); v = s[i] tel",
    "node m (i : u2[*], t : u8[4], k : u7) returns (r : u8[*], h : u7)
let h := k; forall b in i { r = t[b] } fold b in i { h := (h <<< 1) ^ 5 } tel",
    "field f = GF(2^255 - 19)
node m (i : u2, t : f[4], n : u63) returns (r : f, a : u63)
let r = t[i] * t[0]; a = n >>> 11 tel",
];

/// Maps that go through several blocks side by side, with words of every width.
const MAPS: [&str; 10] = [
    "node m (k : u32x4, t : u32x4[*]) returns (r : u32x4[*])
let forall b in t { r = (b ^ k) + b } tel",
    // Words of 64 bits beside those of 32: as many as there are lanes are no register of the narrower targets.
    "node m (c : u64, t : u8[*]) returns (r : u8[*])
vars n : u64
let n = c; fold b in blocks(t, 8, 0) { n := n - 1; r = le(le<u32>(b[0..3]) + 1, le<u32>(n)[0]) } tel",
    "node m (k : u64[4], t : u8[*]) returns (r : u8[*])
let forall b in blocks(t, 36, 0) { r = (le(k), le(le<u32>(b[0..3]) + 1)) } tel",
    "node turn (n : u64, b : u8[4]) returns (r : u8[4])
vars s : u32, t : u64
let s = le<u32>(b); t = n; _no_unroll forall i in [0, 3] { s := (s + (s <<< 3)) ^ (s >>> 5); t := t * 3 } r = le(s ^ le<u32>(t)[0]) tel
node m (c : u64, t : u8[*]) returns (r : u8[*])
vars n : u64
let n = c; fold b in blocks(t, 4, 0) { r = turn(n, b); n := n + 1 } tel",
    "node turn (x, k : u32) returns (y : u32)
let y = (x + k) ^ (x <<< 7) ^ ((x <<< 16) >> 3) tel
node m (k : le u32x4, n : le u64, t : le u32x4[*]) returns (r : le u32x4[*], e : le u64)
vars c : u64, x : u32x4
let c = n; fold b in t {
x = k ^ (le<u32>(c), le<u32>(c));
forall i in [1, 4] { x := (turn(x[0], k[1]), turn(x[1], x[2]), turn(x[2], k[0]), turn(x[3], k[3])) }
r = b ^ x; c := c + 1 } e = c tel",
    "node turn (b, k, c : u32) returns (y : u32)
let y = ((b ^ k) + c) <<< 8 tel
node m (k : le u32x5, n : le u32, t : le u32x5[*]) returns (r : le u32x5[*])
vars c : u32
let c = n; fold b in t { r = (turn(b[0], k[0], c), turn(b[1], k[1], c), turn(b[2], k[2], c), turn(b[3], k[3], c), turn(b[4], k[4], c)); c := c + 3 } tel",
    "node turn (b, k : u16) returns (y : u16)
let y = ((b + k) <<< 8) ^ (b >> 3) ^ (k <<< 5) tel
node m (k : le u16x8, t : le u16x8[*]) returns (r : le u16x8[*])
let forall b in t { r = (turn(b[0], k[0]), turn(b[1], k[1]), turn(b[2], k[2]), turn(b[3], k[3]), turn(b[4], k[4]), turn(b[5], k[5]), turn(b[6], k[6]), turn(b[7], k[7])) } tel",
    "node turn (k, c : u64) returns (y : u64)
let y = ((k + c) <<< 24) - (c >> 5) tel
node m (k : le u64x4, n : le u64, t : le u64x4[*]) returns (r : le u64x4[*])
vars c : u64
let c = n; fold b in t { r = b ^ (turn(k[0], c), turn(k[1], c), turn(k[2], c), turn(k[3], c)); c := c - 1 } tel",
    "node turn (b, k : u8) returns (y : u8)
let y = (b + k) ^ (b <<< 3) tel
node m (k : u8x16, t : u8x16[*]) returns (r : u8x16[*])
let forall b in t { r = (turn(b[0], k[0]), turn(b[1], k[1]), turn(b[2], k[2]), turn(b[3], k[3]), turn(b[4], k[4]), turn(b[5], k[5]), turn(b[6], k[6]), turn(b[7], k[7]), turn(b[8], k[8]), turn(b[9], k[9]), turn(b[10], k[10]), turn(b[11], k[11]), turn(b[12], k[12]), turn(b[13], k[13]), turn(b[14], k[14]), turn(b[15], k[15])) } tel",
    "node turn (x, k : u32) returns (y : u32)
let y = (x + k) ^ (x <<< 7) ^ ((x <<< 16) >> 3) tel
node m (k : le u32x4, n : le u64, t : le u32x4[*]) returns (r : le u32x4[*], e : le u64)
vars c : u64, x : u32x4
let c = n; fold b in t {
x = k ^ (le<u32>(c), le<u32>(c));
forall i in [1, 4] { forall j in [0, 3] { x[j] := turn(x[j], k[3 - j]) } }
r = b ^ x; c := c + 1 } e = c tel",
];

/// A map whose words have the other byte order, and a loop that carries what it makes.
const OTHER_MAPS: [&str; 1] = ["node m (k : le u32x4, t : le u32x4[*]) returns (r : le u32x4[*])
vars c : u32x4
let c = k; fold b in t { c := (c + c) ^ b; r = c } tel"];

/// Results that are as long as a text, results that are gone through, alone, as parts and under a pad, and their lengths.
const MADE: [&str; 8] = [
    // A loop inside writes what is stored at the end of the iteration.
    "node m (k : u8[4], t : u8[*]) returns (r : u8[*])
let fold b in t { r = b; forall i in [0, 3] { r := b ^ k[i] } } tel",
    "node m (k : u32x4, n : le u32, t : u8[*]) returns (r : u8[*])
vars c : u32
let c = n; fold b in blocks(t, 16, 0) { r = b ^ le(k + (c, c ^ 1, c + k[0], c)); c := c + 1 } tel",
    "node m (k : u8, t : u8[*]) returns (r, q : u8[*], h : u8)
let h := k; fold b in blocks(t, 3, 1) { r = b[2, 1, 0] ^ h; q = (h, b[0..1] + b[3]); h := 3 * h + b[2] } tel",
    "node m (t : u8[*]) returns (r : u8[*], h : u8, n : le u64)
let forall b in blocks(t, 5, 0) { r = b + 1 } h := 0; fold x in r { h := 5 * h + x } n = length(r) tel",
    "field f = GF(2^130 - 5)
node hash (k : u8[16], s : u8[*]) returns (h : f)
let h := 0; _lanes(8) fold b in blocks(s, 16, 1) { h := (h + f(b)) * f(k) } tel
node m (k : u8[16], t, a : u8[*]) returns (r : u8[*], h, g : f)
let forall b in blocks(t, 64, 0) { r = ~b } h = hash(k, r); g = hash(k, a, r, k, t, le(length(a, r, k))) tel",
    "node m (k : u8, t : u8[*]) returns (r, q, p : u8[*], h, g : u8)
let forall b in blocks(t, 4, 0) { r = b + k } forall x in r { q = x ^ 5 } forall b in blocks(q, 6, 0) { p = b[5..0] }
h := 0; fold b in blocks((k, p, 3, q), 64, md) { h := h + b[0] + b[5] + b[63] } g := 0; fold b in blocks(p, 7, 0) { g := 3 * g + b[6] + b[0] } tel",
    "node m (t : le u32[*]) returns (r : le u32x2[*], h : le u32)
let forall x in t { r = (x, x <<< 7) } h := 0; fold p in r { h := (h ^ p[0]) + p[1] } tel",
    "node h0 (x : u16x3) returns (y : u8)
vars b : u8[6]
let b = le(x); y = b[0] ^ b[5] tel
node m (t : le u16x3[*]) returns (r : u8[*], h : u8, n : le u64)
let forall x in t { r = h0(x) } h := 1; fold b in blocks(r, 2, 0) { h := 3 * h + b[0] + b[1] } n = length(r) tel",
];

/// Lookups at secret positions, by slices of many instances: tables of constants, of inputs and of what a loop makes, entries of
/// several words, positions that reach beyond the table, loops and calls around them. The slicings are those that can.
const LOOKUPS: [(&str, &[Slicing]); 5] = [
    (
        "table s (x : u4) returns (y : u4) { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 }
node m (x : u4[6]) returns (y : u4[6])
let forall i in [0, 5] { y[i] = s(x[i] ^ s(x[5 - i])) } tel",
        &[Slicing::Horizontal, Slicing::Bitslice],
    ),
    (
        "node m (x : u32[5][2], i : u32[2]) returns (a, b, c : u32[2])
let a = x[i[0]]; b = x[i[0] & 7]; c = x[i[1] >> 30] tel",
        &[Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice],
    ),
    (
        "node pick (t : u16[4], i : u16) returns (x : u16) let x = t[i & 3] + 1 tel
node m (t : u16[4], i : u16) returns (x : u16)
let x := i; forall k in [1, 9] { x := pick(t, x) ^ t[x] } tel",
        &[Slicing::Vertical, Slicing::Bitslice],
    ),
    (
        "table s (x : u6) returns (y : u3) { 7, 0, 1, 6, 3, 2, 5, 4, 1, 2, 7, 0, 5, 6, 3, 4, 7, 0, 1, 6, 3, 2, 5, 4, 1, 2, 7, 0, 5, 6, 3, 4,
  0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0, 1, 3, 5, 7, 0, 2, 4, 6, 6, 4, 2, 0, 7, 5, 3, 1 }
node m (x : u6[4], t : u32[3], j : u2) returns (y : u3[4], z : u32)
let forall k in [0, 3] { y[k] = s(x[k]) } z = t[j] tel",
        &[Slicing::Bitslice],
    ),
    (
        "node m (t : b1[3], i : b1) returns (x : b1)
vars s : b1[2]
let s = (t[1] ^ t[0], t[2]); x = s[i] tel",
        &[Slicing::Vertical, Slicing::Bitslice],
    ),
];

/// Words in lanes of the next width: moved, combined, packed and looked up; loops, calls and constants.
const IN_LANES: [&str; 7] = [
    "node turn (x, k : u6) returns (y : u6)
let y = ((x ^ k) <<< 2) ^ ((x >> 3) & k) ^ ~(k << 1) ^ (x >>! 2) tel
node m (p, k : u6[8]) returns (c : u6[8])
vars t : u6[8]
let t := p; forall i in [0, 15] { forall j in [0, 7] { t[j] := turn(t[j], k[7 - j]) ^ t[(j + 1) % 8] ^ 37 } } c = t tel",
    "node m (a : u5, b : u7[2], c : u1, d : u3, e : u24, f : u8) returns (x : u12, y : u8, z : u4, v : u48, w : u32, s : u24, q : u7[2])
let x = Pack(a, b[0]); y = Pack(a, d); z = Pack(c, d); v = Pack(e, ~e); w = Pack(e, f); s = c ? e >>> 5 : ~e; q = b <<< 1 tel",
    "table s (x : u6) returns (y : u4) { 14, 0, 4, 15, 13, 7, 1, 4, 2, 14, 15, 2, 11, 13, 8, 1, 3, 10, 10, 6, 6, 12, 12, 11, 5, 9, 9, 5,
  0, 3, 7, 8, 4, 15, 1, 12, 14, 8, 8, 2, 13, 4, 6, 9, 2, 1, 11, 7, 15, 5, 12, 11, 9, 3, 7, 14, 3, 10, 10, 0, 5, 6, 0, 13 }
node m (x : u6[4], t : u5[6]) returns (y : u4[4], z : u5[4])
let forall i in [0, 3] { y[i] = ~s(x[i] ^ 9); z[i] = t[x[i]] } tel",
    "node m (x : u63, k : u63) returns (y, z : u63)
let y = Shuffle(x, [1, 0, 5, 5, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36,
  35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 4, 3]) & k;
z = Bitmask(x, 62) ^ Bitmask(k, 0) ^ (k <<< 62) tel",
    // The circuit of the table has words of ones.
    "table s (x : v2) returns (y : v2) { 3, 2, 1, 0 }
node m (x : u6[2], p : u6, t : u6[64]) returns (z, q : u6, w : u6[2])
vars r : u6[2]
let r = s(x); z = r[0] >> 1; q = t[r[1]] ^ p; w = r tel",
    // No variable has the width of the position.
    "node m (a, b : u1, c, d : u1[3], t : u8[4]) returns (z : u8, y : u2[3])
let z = t[Pack(a, b)]; y = Pack(c, d) tel",
    "node m (a, b, c : u4[6], d : u1[6]) returns (z : u12[6], y : u5[6])
let z = Pack(Pack(a, b), c); y = Pack(d, a) tel",
];

/// Words of one width, of which the model packs several into a plain word: with and without round keys that all share.
const PACKED: [&str; 4] = [
    "node m (p : u16[4], k : const u16[20]) returns (c : u16[4])
let forall i in [0, 19] { p := (p[1] ^ (p[0] & p[2]), p[2] <<< 3, ~p[3] ^ k[i], p[0]) } c = p tel",
    "node m (p : u8[3]) returns (c : u8[3])
let forall i in [1, 24] { p := (p[1] ^ (p[0] & ~p[2]), p[2] <<< 3, p[0] ^ (p[1] | p[2])) } c = p tel",
    "node m (p : u32[4], q : u32) returns (c : u32[4], s : u32)
let forall i in [1, 16] { p := (p[1] ^ (p[0] & p[2]), p[2] <<< 5, (p[3] >> 7) ^ (q & p[1]), p[0] ^ (p[2] << 9)) }
  c = p; s = p[0] + q - (p[1] >>! 3) tel",
    "node turn (x : u16[2], k : u16) returns (y : u16[2])
let y = (x[1] ^ k, x[0] ^ (x[1] & (x[1] <<< 5)) ^ (x[1] <<< 1)) tel
node m (p : u16[2], k : const u16[4]) returns (c : u16[2])
let forall i in [0, 31] { p := turn(p, k[i % 4]) } c = p tel",
];

/// Folds in lanes through what other loops make, and through several streams one after another; the second is divided where
/// sums of binary products are reduced together.
const FOLDS: [&str; 3] = [
    "field f = GF(2^127 - 1)
node mac (m : u8[*], r : f) returns (h : f)
let h = r; _lanes(4) fold b in blocks(m, 15, 1) { h := (h + f(b)) * r } tel
node m (m : u8[*], key : u8[5], r : f) returns (c : u8[*], h, g : f)
let forall b in blocks(m, 8, 0) { c = b ^ 0x5c } h = mac(c, r); g = mac((key, m, c), r) tel",
    "field f = GF2(x^128 + x^7 + x^2 + x + 1)
node m (m, p : u8[*], r : f) returns (c : u8[*], h, g : f)
let forall b in m { c = b + 1 } h = 0; g = r;
_lanes(8) fold b in blocks(c, 16, 0) { h := (h + f(b)) * r } _lanes(8) fold b in blocks((p, c), 16, 0) { g := (g + f(b)) * r } tel",
    "node m (m, p : u8[*], k : u32) returns (h : u32)
let h = 0; _lanes(3) fold b in blocks((p, 7, m), 4, 0) { h := h * k + le<u32>(b) } tel",
];

const LENGTHS: [usize; 11] = [0, 1, 15, 16, 17, 48, 63, 64, 100, 256, 1000];

fn messages(found: &Diagnostics) -> String {
    found.iter().map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>().join("; ")
}

#[test]
fn streams_that_only_count() {
    check(&COUNTED);
}

#[test]
fn maps_over_blocks() {
    for (texts, is_divided) in [(&MAPS[..], true), (&OTHER_MAPS, false)] {
        for text in texts {
            let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
            let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(Target::Avx2) };
            let (dump, found) = dump(&source, "blocks", &options, &found);
            let dump = dump.unwrap_or_else(|| panic!("{}\n{text}", messages(&found)));
            assert_eq!(dump.contains(" beyond "), is_divided, "{text}");
            for target in Target::ALL.into_iter().filter(|target| !target.block_registers().is_empty()) {
                let (kernel, found) = Kernel::of(&source, "m", &Options { target, ..options.clone() }, &found);
                assert!(kernel.is_some(), "{}: {}\n{text}", target.name(), messages(&found));
            }
        }
        let drawn = draw::some("maps over blocks", texts.to_vec(), 2, |text| text[..30].replace('\n', " "));
        check(&drawn);
    }
}

#[test]
fn results_as_streams() {
    check(&MADE);
}

#[test]
fn folds_in_lanes() {
    for (text, target) in FOLDS.iter().zip([Target::C64, Target::Avx2, Target::C64]) {
        let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
        let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(target) };
        let (dump, found) = dump(&source, "lanes", &options, &found);
        let dump = dump.unwrap_or_else(|| panic!("{}\n{text}", messages(&found)));
        assert!(dump.contains(" later "), "{dump}");
    }
    check(&FOLDS);
}

/// A program of loops over a text, over what loops before have made, and over both together.
fn chain(rng: &mut Rng) -> String {
    let (mut streams, mut results, mut locals) = (vec!["t".to_owned()], Vec::new(), Vec::new());
    let mut body = String::new();
    for number in 0..6 {
        let [from, other] = [(); 2].map(|()| rng.pick(&streams).clone());
        let (size, pad) = (1 + rng.below(20), rng.below(2));
        let last = size - 1;
        match rng.below(4) {
            0 => {
                body.push_str(&format!("forall x in {from} {{ r{number} = 3 * x + k }}\n"));
                streams.push(format!("r{number}"));
                results.push(format!("r{number} : u8[*]"));
            }
            1 | 2 => {
                body.push_str(&format!(
                    "v{number} = k; fold b in blocks({from}, {size}, {pad}) {{ r{number} = b[{last}..0] ^ v{number}; \
                     v{number} := 3 * v{number} + b[{last}] }}\n"
                ));
                streams.push(format!("r{number}"));
                results.push(format!("r{number} : u8[*]"));
                locals.push(format!("v{number} : u8"));
            }
            _ => {
                body.push_str(&format!(
                    "h{number} := k; fold b in blocks((k, {from}, 7, {other}, le(length({other}))), {size}, {pad}) {{ \
                     h{number} := 5 * h{number} + b[0] + 3 * b[{last}] }}\n"
                ));
                results.push(format!("h{number} : u8"));
            }
        }
    }
    let locals = if locals.is_empty() { String::new() } else { format!("vars {}\n", locals.join(", ")) };
    format!("node m (k : u8, t : u8[*]) returns ({})\n{locals}let\n{body}tel", results.join(", "))
}

#[test]
fn chains_of_streams() {
    let mut rng = Rng::new(7);
    for _ in 0..6 {
        let text = chain(&mut rng);
        for target in [Target::C64, Target::C32] {
            let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(target) };
            check_with(&text, &options, &draw::compilers(target));
        }
    }
}

#[test]
fn elements_that_begin_with_constants() {
    check(&GROWING);
}

#[test]
fn choices_of_constants() {
    check(&CHOSEN);
}

#[test]
fn words_of_any_width() {
    check(&WIDTHS);
}

#[test]
fn lookups_on_slices() {
    let kernels = Target::for_slices().flat_map(|target| {
        let of_text = |&(text, slicings): &(&'static str, &'static [Slicing])| {
            slicings.iter().map(move |&slicing| (text, Options { slicing: Some(slicing), ..Options::new(target) }))
        };
        LOOKUPS.iter().flat_map(of_text).collect::<Vec<_>>()
    });
    let name = |(text, options): &(&str, Options)| format!("{} {}", options.arguments(), &text[..40]);
    for (text, options) in draw::some("lookups on slices", kernels.collect(), 6, name) {
        check_with(text, &options, &draw::compilers(options.target));
    }
}

#[test]
fn words_of_any_width_are_in_lanes() {
    let kernels = Target::for_slices().flat_map(|target| {
        let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(target) };
        IN_LANES.map(|text| (text, options.clone()))
    });
    let name = |(text, options): &(&str, Options)| format!("{} {}", options.arguments(), &text[..12]);
    for (text, options) in draw::some("words in lanes", kernels.collect(), 6, name) {
        let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
        let (program, found) = {
            let (program, more) = elaborate(&source, &options);
            (program, [found, more])
        };
        let program = program.unwrap_or_else(|| panic!("{}", found.iter().map(messages).collect::<String>()));
        assert!(culet_lower::one_instance(&program).is_none(), "{text}");
        check_with(text, &options, &draw::compilers(options.target));
    }
}

/// The model packs words, and says so; one group, where it is asked for, has one instance in each word.
#[test]
fn words_are_packed_where_that_wins() {
    let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(Target::C64) };
    for text in PACKED {
        let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
        let kernel = |options: &Options| {
            let (kernel, found) = Kernel::of(&source, "m", options, &found);
            kernel.unwrap_or_else(|| panic!("{}\n{text}", messages(&found)))
        };
        let lines = kernel(&options).explained().expect("a kernel on slices");
        assert!(lines.iter().any(|line| line.starts_with("packed: logic on a word computes")), "{lines:?}\n{text}");
        let alone = Options { interleave: Some(Interleave { factor: 1, grain: 1 }), ..options.clone() };
        assert_eq!(kernel(&alone).instances(), 1, "{text}");
        check_with(text, &options, &draw::compilers(options.target));
    }
}

/// Number of targets that are drawn for a list of programs.
const TARGETS: usize = 3;

fn check(programs: &[&str]) {
    // Without nodes that are instructions, `ssesha` is `sse`, and `avx512vaes` is `avx512ifma`.
    let has_twin = |target: Target| matches!(target, Target::SseSha | Target::Avx512Vaes);
    let has_code = |target: &Target| !target.is_vector() || target.element_lanes() > 1;
    let targets = Target::ALL.into_iter().filter(|target| has_code(target) && !has_twin(*target)).collect();
    let subject = format!("targets of {}", programs[0].lines().next().unwrap_or_default());
    for target in draw::some(&subject, targets, TARGETS, |target| target.name().to_owned()) {
        let compilers = draw::compilers(target);
        for text in programs {
            let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(target) };
            check_with(text, &options, &compilers);
            if target.has_mac52() && !text.contains("[*]") {
                check_with(text, &Options { batch: Some(LANES), ..options }, &compilers);
            }
        }
    }
}

fn check_with(text: &str, options: &Options, compilers: &[CCompiler]) {
    let (source, found) = load(Path::new("m.ua"), &[], &Text(text));
    let (kernel, found) = Kernel::of(&source, "m", options, &found);
    let kernel = kernel.unwrap_or_else(|| panic!("{}: {}\n{text}", options.target.name(), messages(&found)));
    for compiler in compilers {
        let context = format!("{} {}\n{text}", options.target.name(), compiler.name());
        let flags = ["-O1", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror"];
        let native = Engine::native(&kernel, compiler, &flags);
        let native = native.unwrap_or_else(|why| panic!("{context}: {why} {:?}", why.notes));
        let (program, _) = elaborate(&source, options);
        let interpreter = Engine::interpreter(program.expect("a program")).expect("it is small");
        compare(&native, &interpreter, &context);
    }
}

fn compare(native: &Engine, interpreter: &Engine, context: &str) {
    let mut rng = Rng::new(1);
    // With streams there is one instance; without streams there are more than a batch has.
    let instances = if native.inputs().iter().any(|parameter| parameter.stream) { 1 } else { 13 };
    for length in LENGTHS {
        // The other streams have different lengths.
        let mut elements = length;
        let inputs: Vec<Vec<u8>> = (native.inputs().iter())
            .map(|parameter| {
                let count = match (parameter.stream, parameter.shared) {
                    (true, _) => elements,
                    (false, true) => 1,
                    (false, false) => instances,
                };
                elements = if parameter.stream { elements / 2 + 3 } else { elements };
                rng.bytes(count * parameter.bytes)
            })
            .collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let found = native.compute(&inputs, instances).unwrap_or_else(|error| panic!("{context}: {error}"));
        assert!(found == interpreter.run(&inputs, instances), "{context}\n{length} elements");
    }
}
