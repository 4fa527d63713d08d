//! `culet contract`: contracts from comments as fiat-crypto writes them, which prove the functions below them.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::fs;

use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// Arithmetic modulo 2^127 - 1 in two limbs, and helpers.
const FILE: &str = r#"/* machine_wordsize = 64 (from "64") */
/* s-c = 2^127 - [(1, 1)] (from "2^127 - 1") */
/*   eval z = z[0] + (z[1] << 64) */
/*   bytes_eval z = z[0] + (z[1] << 8) */
#include <stdint.h>
typedef unsigned char mine_uint1;
/* The type mine_loose is a field element with loose bounds. */
/* Bounds: [[0x0 ~> 0xffffffffffffffff], [0x0 ~> 0xffffffffffffffff]] */
typedef uint64_t mine_loose[2];
/* The type mine_tight is a field element with tight bounds. */
/* Bounds: [[0x0 ~> 0xffffffffffffffff], [0x0 ~> 0x7fffffffffffffff]] */
typedef uint64_t mine_tight[2];

/*
 * The function mine_addcarryx_u64 is an addition with carry.
 *
 * Postconditions:
 *   out1 = (arg1 + arg2 + arg3) mod 2^64
 *   out2 = ⌊(arg1 + arg2 + arg3) / 2^64⌋
 *
 * Input Bounds:
 *   arg1: [0x0 ~> 0x1]
 *   arg2: [0x0 ~> 0xffffffffffffffff]
 *   arg3: [0x0 ~> 0xffffffffffffffff]
 * Output Bounds:
 *   out1: [0x0 ~> 0xffffffffffffffff]
 *   out2: [0x0 ~> 0x1]
 */
void mine_addcarryx_u64(uint64_t* out1, mine_uint1* out2, mine_uint1 arg1, uint64_t arg2, uint64_t arg3) {
  unsigned __int128 sum = (unsigned __int128)arg2 + arg3 + arg1;
  *out1 = (uint64_t)sum;
  *out2 = (mine_uint1)(sum >> 64);
}

/*
 * The function mine_add adds two field elements.
 *
 * Postconditions:
 *   eval out1 mod m = (eval arg1 + eval arg2) mod m
 *
 */
void mine_add(mine_loose out1, const mine_tight arg1, const mine_tight arg2) {
  mine_uint1 carry;
  uint64_t low, high;
  mine_addcarryx_u64(&low, &carry, 0, arg1[0], arg2[0]);
  mine_addcarryx_u64(&high, &carry, carry, arg1[1], arg2[1]);
  out1[0] = low;
  out1[1] = high;
}

/*
 * The function mine_selectznz is a multi-limb conditional select.
 *
 * Postconditions:
 *   out1 = (if arg1 = 0 then arg2 else arg3)
 *
 * Input Bounds:
 *   arg1: [0x0 ~> 0x1]
 *   arg2: [[0x0 ~> 0xffffffffffffffff], [0x0 ~> 0xffffffffffffffff]]
 *   arg3: [[0x0 ~> 0xffffffffffffffff], [0x0 ~> 0xffffffffffffffff]]
 * Output Bounds:
 *   out1: [[0x0 ~> 0xffffffffffffffff], [0x0 ~> 0xffffffffffffffff]]
 */
void mine_selectznz(uint64_t out1[2], mine_uint1 arg1, const uint64_t arg2[2], const uint64_t arg3[2]) {
  uint64_t mask = 0 - (uint64_t)arg1;
  out1[0] = arg2[0] ^ ((arg2[0] ^ arg3[0]) & mask);
  out1[1] = arg2[1] ^ ((arg2[1] ^ arg3[1]) & mask);
}

/*
 * The function mine_nonzero outputs a single non-zero word if the input is non-zero and zero otherwise.
 *
 * Preconditions:
 *   0 ≤ eval arg1 < m
 * Postconditions:
 *   out1 = 0 ↔ eval arg1 mod m = 0
 *
 * Input Bounds:
 *   arg1: [[0x0 ~> 0xffffffffffffffff], [0x0 ~> 0xffffffffffffffff]]
 * Output Bounds:
 *   out1: [0x0 ~> 0xffffffffffffffff]
 */
void mine_nonzero(uint64_t* out1, const uint64_t arg1[2]) { *out1 = arg1[0] | arg1[1]; }
"#;

#[test]
fn comments_of_fiat_crypto_are_contracts() {
    let directory = directory();
    let file = write(directory.path(), "mine.c", FILE);
    let out = directory.path().join("contracts");
    let made = culet(&["contract", text(&file), "-o", text(&out)]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let said = stderr(&made);
    assert!(said.contains("`mine_nonzero` has no contract") && said.contains("3 contracts of 4 functions"), "{said}");
    let sum = fs::read_to_string(out.join("mine_add.toml")).expect("a contract");
    assert!(sum.contains("equation = \"out1 = arg1 + arg2 mod m\"") && sum.contains("m = \"2^127 - 1\""), "{sum}");
    let carry = fs::read_to_string(out.join("mine_addcarryx_u64.toml")).expect("a contract");
    assert!(carry.contains("equation = \"out1 + 2^64 * out2 = arg1 + arg2 + arg3\""), "{carry}");
    let prove = |c: &str| {
        write(directory.path(), "mine.c", c);
        compile("gcc-12", &["-O2"], directory.path(), &["-c", "mine.c", "-o", "mine.o"]);
        ["mine_add", "mine_addcarryx_u64", "mine_selectznz"].map(|name| {
            let contract = out.join(format!("{name}.toml"));
            let object = directory.path().join("mine.o");
            let proof = culet(&["prove", text(&object), "--contract", text(&contract)]);
            (code(&proof), stdout(&proof) + &stderr(&proof))
        })
    };
    for (code, said) in prove(FILE) {
        assert_eq!(code, 0, "{said}");
    }
    let [sum, carry, choice] = prove(&FILE.replacen("arg3 + arg1;", "arg3 - arg1;", 1));
    assert!(sum.0 == 1 && carry.0 == 1 && choice.0 == 0, "{} {} {}", sum.1, carry.1, choice.1);
}

#[test]
fn a_file_without_such_comments_is_an_error() {
    let directory = directory();
    let file = write(directory.path(), "other.c", "int f(void) { return 1; }\n");
    let out = directory.path().join("contracts");
    let made = culet(&["contract", text(&file), "-o", text(&out)]);
    assert!(code(&made) == 1 && stderr(&made).contains("E0870") && !out.exists(), "{}", stderr(&made));
}

/// Functions whose arguments are more than numbers, each with its contract, and a change that must be refused.
const ARGUMENTS: [(&str, &str, &str, &str); 8] = [
    (
        "static inline void row(uint64_t *to, const uint64_t *a, uint64_t b) {
  unsigned __int128 sum = (unsigned __int128)a[0] * b + to[0];
  to[0] = (uint64_t)sum;
  sum = (sum >> 64) + (unsigned __int128)a[1] * b + to[1];
  to[1] = (uint64_t)sum;
  to[2] = (uint64_t)(sum >> 64);
}
void product(uint64_t out[4], const uint64_t a[2], const uint64_t b[2], uint64_t *work) {
  work[0] = work[1] = 0;
  row(work, a, b[0]);
  row(work + 1, a, b[1]);
  for (int i = 0; i < 4; i++) out[i] = work[i];
}",
        "symbol = \"product\"
equation = \"out = a * b\"
argument = [
  { name = \"out\", direction = \"out\", limbs = 4, radix = 64 },
  { name = \"a\", direction = \"in\", limbs = 2, radix = 64 },
  { name = \"b\", direction = \"in\", limbs = 2, radix = 64 },
  { name = \"work\", direction = \"scratch\", limbs = 4 },
]",
        "row(work + 1, a, b[1]);",
        "row(work + 1, a, b[1]); work[4] = 0;",
    ),
    (
        "struct point { uint64_t x[2], y[2]; };
static inline void add(uint64_t out[2], const uint64_t a[2], const uint64_t b[2]) {
  unsigned __int128 mask = ((unsigned __int128)1 << 127) - 1;
  unsigned __int128 x = (unsigned __int128)a[1] << 64 | a[0], y = (unsigned __int128)b[1] << 64 | b[0];
  unsigned __int128 sum = x + y;
  sum = (sum & mask) + (sum >> 127);
  out[0] = (uint64_t)sum;
  out[1] = (uint64_t)(sum >> 64);
}
void point_add(struct point *out, const struct point *a, const struct point *b) {
  add(out->x, a->x, b->x);
  add(out->y, a->y, b->y);
}",
        "symbol = \"point_add\"
equation = [\"x = ax + bx mod p\", \"y = ay + by mod p\"]
argument = [
  { name = \"x\", direction = \"out\", limbs = 2, radix = 64, value_below = \"2^127\" },
  { name = \"y\", direction = \"out\", limbs = 2, radix = 64, value_below = \"2^127\", follows = \"x\" },
  { name = \"ax\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^127\" },
  { name = \"ay\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^127\", follows = \"ax\" },
  { name = \"bx\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^127\" },
  { name = \"by\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^127\", follows = \"bx\" },
]
[constants]
p = \"2^127 - 1\"",
        "add(out->y, a->y, b->y);",
        "add(out->y, a->y, b->x);",
    ),
    (
        "void move_if(uint64_t out[2], const uint64_t a[2], uint64_t flag) {
  uint64_t mask = 0 - (uint64_t)(flag != 0);
  __asm__(\"\" : \"+r\"(mask));
  for (int i = 0; i < 2; i++) out[i] ^= mask & (out[i] ^ a[i]);
}",
        "symbol = \"move_if\"
equation = \"out' = flag * a + (1 - flag) * out\"
argument = [
  { name = \"out\", direction = \"inout\", limbs = 2, radix = 64 },
  { name = \"a\", direction = \"in\", limbs = 2, radix = 64 },
  { name = \"flag\", direction = \"value\", truth = \"nonzero\" },
]",
        "(flag != 0)",
        "(flag & 1)",
    ),
    (
        "uint64_t is_set(uint64_t x) { return x != 0; }",
        "symbol = \"is_set\"
equation = \"is_set = x\"
argument = [
  { name = \"x\", direction = \"value\", truth = \"nonzero\" },
  { name = \"is_set\", direction = \"return\", below = 2 },
]",
        "x != 0",
        "x > 1",
    ),
    (
        "void add(uint64_t out[2], const uint64_t a[2], const uint64_t b[2], const uint64_t m[2]) {
  unsigned __int128 x = (unsigned __int128)a[1] << 64 | a[0], y = (unsigned __int128)b[1] << 64 | b[0];
  unsigned __int128 p = (unsigned __int128)m[1] << 64 | m[0], sum = x + y, less = sum - p;
  uint64_t mask = 0 - (uint64_t)(less >> 127);
  __asm__(\"\" : \"+r\"(mask));
  out[0] = (uint64_t)less + (mask & m[0]);
  out[1] = (uint64_t)((less + ((unsigned __int128)(mask & m[1]) << 64 | (mask & m[0]))) >> 64);
}",
        "symbol = \"add\"
equation = \"out = a + b mod m\"
argument = [
  { name = \"out\", direction = \"out\", limbs = 2, radix = 64 },
  { name = \"a\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^126\" },
  { name = \"b\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^126\" },
  { name = \"m\", direction = \"in\", limbs = 2, radix = 64, value_below = \"2^127\" },
]",
        "sum - p;",
        "sum - p - (m[0] == 1);",
    ),
    (MONTGOMERY, MONTGOMERY_CONTRACT, "t[0] * w", "(t[0] * w | 1)"),
    (HALF, HALF_CONTRACT, "high >> 1", "high >> 1 & UINT64_MAX >> 1"),
    (
        "void subtract(uint64_t out[2], const uint64_t a[2], const uint64_t b[2], const uint64_t m[2]) {
  unsigned __int128 low = (unsigned __int128)a[0] - b[0];
  unsigned __int128 high = (unsigned __int128)a[1] - b[1] - ((uint64_t)(low >> 64) & 1);
  uint64_t mask = (uint64_t)(high >> 64);
  low = (unsigned __int128)(uint64_t)low + (mask & m[0]);
  out[0] = (uint64_t)low;
  out[1] = (uint64_t)high + (mask & m[1]) + (uint64_t)(low >> 64);
}",
        "symbol = \"subtract\"
equation = \"out = a - b mod m\"
argument = [
  { name = \"out\", direction = \"out\", limbs = 2, radix = 64, value_below = \"m\", may_alias = [\"a\", \"b\"] },
  { name = \"a\", direction = \"in\", limbs = 2, radix = 64, value_below = \"m\" },
  { name = \"b\", direction = \"in\", limbs = 2, radix = 64, value_below = \"m\" },
  { name = \"m\", direction = \"in\", limbs = 2, radix = 64 },
]",
        "(mask & m[1])",
        "(mask & m[1]) + (a[1] == 7 && b[1] == 7)",
    ),
];

/// Functions that read tables, each with its contract, and a change that must be refused.
const TABLES: [(&str, &str, &str, &str); 4] = [
    (CHOICE, CHOICE_CONTRACT, "j < 16", "j < 15"),
    (
        "struct point { uint64_t x[4], y[4], spare; };
void choose(uint64_t x[4], uint64_t y[4], const struct point table[8], uint8_t index, uint8_t flag) {
  for (int k = 0; k < 4; k++) x[k] = y[k] = 0;
  for (uint64_t j = 0; j < 8; j++) {
    uint64_t mask = 0 - ((((j ^ index) - 1) >> 63) & (uint64_t)flag);
    __asm__(\"\" : \"+r\"(mask));
    for (int k = 0; k < 4; k++) x[k] ^= table[j].x[k] & mask;
    for (int k = 0; k < 4; k++) y[k] ^= table[j].y[k] & mask;
  }
}",
        "symbol = \"choose\"
equation = [\"x = flag * tx[index]\", \"y = flag * ty[index]\"]
argument = [
  { name = \"x\", direction = \"out\", limbs = 4, radix = 64, value_below = \"p\" },
  { name = \"y\", direction = \"out\", limbs = 4, radix = 64, value_below = \"p\" },
  { name = \"tx\", direction = \"in\", entries = 8, stride = 72, limbs = 4, radix = 64, value_below = \"p\" },
  { name = \"ty\", direction = \"in\", entries = 8, stride = 72, limbs = 4, radix = 64, value_below = \"p\", follows = \"tx\" },
  { name = \"index\", direction = \"value\", bits = 8, below = 8, extended = \"zero\" },
  { name = \"flag\", direction = \"value\", bits = 8, below = 2, extended = \"zero\" },
]
[constants]
p = \"2^255 - 19\"",
        "table[j].y[k]",
        "table[j].x[k]",
    ),
    (
        "uint32_t seventh(uint8_t index) {
  static const uint32_t powers[8] = {1, 7, 49, 343, 2401, 16807, 117649, 823543};
  uint32_t out = 0;
  for (uint32_t j = 0; j < 8; j++) {
    uint32_t mask = 0 - (((j ^ index) - 1) >> 31);
    __asm__(\"\" : \"+r\"(mask));
    out |= powers[j] & mask;
  }
  return out;
}",
        "symbol = \"seventh\"
equation = \"out = powers[index]\"
argument = [
  { name = \"index\", direction = \"value\", bits = 8, below = \"n\", extended = \"zero\" },
  { name = \"out\", direction = \"return\", bits = 32, below = \"7^7 + 1\" },
]
[constants]
powers = [1, 7, 49, \"7 * 49\", \"49 * 49\", 16807, 117649, 823543]
n = 8",
        "2401",
        "2041",
    ),
    (
        "uint64_t evaluate(const uint32_t table[4], uint32_t x) {
  uint64_t out = 0;
  for (int j = 3; j >= 0; j--) out = out * x + table[j];
  return out;
}",
        "symbol = \"evaluate\"
equation = \"out = t[0] + x * t[1] + x^2 * t[2] + x^3 * t[n - 1] mod 2^64\"
argument = [
  { name = \"t\", direction = \"in\", bits = 32, entries = \"n\" },
  { name = \"x\", direction = \"value\", bits = 32 },
  { name = \"out\", direction = \"return\" },
]
[constants]
n = 4",
        "j >= 0; j--) out = out * x + table[j]",
        "j >= 0; j--) out = out * x + table[j] - (x == 3)",
    ),
];

/// A lookup in a table of numbers in four limbs, all of which is read.
const CHOICE: &str = "void choose(uint64_t out[4], const uint64_t table[16][4], uint64_t index) {
  for (int k = 0; k < 4; k++) out[k] = 0;
  for (uint64_t j = 0; j < 16; j++) {
    uint64_t mask = 0 - (uint64_t)(j == index);
    __asm__(\"\" : \"+r\"(mask));
    for (int k = 0; k < 4; k++) out[k] |= table[j][k] & mask;
  }
}";

const CHOICE_CONTRACT: &str = "symbol = \"choose\"
equation = \"out = table[index]\"
argument = [
  { name = \"out\", direction = \"out\", limbs = 4, radix = 64 },
  { name = \"table\", direction = \"in\", entries = 16, limbs = 4, radix = 64 },
  { name = \"index\", direction = \"value\", below = 16 },
]";

#[test]
fn tables_are_arguments() {
    proved_and_refused(&TABLES);
    let directory = directory();
    let (c, points, _, _) = TABLES[1];
    write(directory.path(), "f.c", format!("#include <stdint.h>\n{c}\n"));
    compile("gcc-12", &["-O2"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
    let contract = write(directory.path(), "f.toml", points);
    let said = stdout(&culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]));
    for line in [
        "reads 576 bytes at rdx, aligned to 8: tx; 8 entries, each 72",
        "reads 536 bytes at rdx + 32, aligned to 8: ty;",
    ] {
        assert!(said.contains(line), "{said}");
    }
    // An index is secret.
    write(
        directory.path(),
        "f.c",
        "#include <stdint.h>\nvoid choose(uint64_t out[4], const uint64_t table[16][4], uint64_t index) {
  for (int k = 0; k < 4; k++) out[k] = table[index][k];\n}\n",
    );
    compile("gcc-12", &["-O2"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
    let prove = |contract: &str| {
        let contract = write(directory.path(), "f.toml", contract);
        let proof = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
        (code(&proof), stdout(&proof) + &stderr(&proof))
    };
    let (code, said) = prove(CHOICE_CONTRACT);
    assert!(code == 1 && said.contains("it depends on index"), "{said}");
    for (from, to, message) in [
        ("below = 16", "below = 17", "there is no `table[16]`: the table has 16 entries"),
        ("below = 16", "align = 1", "the index `index` has no bound"),
        ("table[index]", "table", "`table` is a table: an equation says which entry"),
        ("table[index]", "table[index - 1]", "there is no `table[-1]`"),
        ("table[index]", "out[index]", "`out` is no table"),
        ("table[index]", "table[index", "expected `]`"),
        ("table[index]", "table[table[0]]", "an index of `table` is an entry of an argument"),
        ("table[index]", "table[out]", "`out` is no index"),
        ("table[index]", "table[((2^4096)^4096)^4096]", "E0872"),
        ("below = 16", "below = 16, positions = [3]", "`index` is no index"),
        ("entries = 16", "entries = 16, stride = 4294967304", "more than 1048576 bytes"),
        ("out = table[index]", "out + table[index] = table[index] + out", "holds whatever is computed"),
        ("entries = 16", "entries = 0", "expected 1 to 256 entries, found 0"),
        ("entries = 16", "entries = 16, stride = 31", "an entry has 32 bytes"),
        ("entries = 16", "stride = 32", "a table has `entries`"),
        ("entries = 16", "entries = 16, lanes = 2", "a table is an `in`, without `lanes`"),
        (
            "\"out\", direction = \"out\"",
            "\"out\", direction = \"out\", entries = 2",
            "a table is an `in`, without `lanes`",
        ),
    ] {
        assert!(CHOICE_CONTRACT.contains(from), "{from}");
        let (code, said) = prove(&CHOICE_CONTRACT.replacen(from, to, 1));
        assert!(code == 1 && said.contains(message), "{from} -> {to}: {said}");
    }
}

/// Half of a number modulo any odd number that is larger.
const HALF: &str = "void halve(uint64_t out[2], const uint64_t a[2], const uint64_t m[2]) {
  uint64_t mask = 0 - (a[0] & 1);
  unsigned __int128 low = (unsigned __int128)a[0] + (mask & m[0]);
  unsigned __int128 high = (unsigned __int128)a[1] + (mask & m[1]) + (uint64_t)(low >> 64);
  out[0] = (uint64_t)low >> 1 | (uint64_t)high << 63;
  out[1] = (uint64_t)(high >> 1);
}";

const HALF_CONTRACT: &str = "symbol = \"halve\"
equation = \"2 * out = a mod m\"
requires = [\"m = 1 mod 2\"]
argument = [
  { name = \"out\", direction = \"out\", limbs = 2, radix = 64, value_below = \"m\", may_alias = [\"a\"] },
  { name = \"a\", direction = \"in\", limbs = 2, radix = 64, value_below = \"m\" },
  { name = \"m\", direction = \"in\", limbs = 2, radix = 64 },
]";

/// Without the requirement, or without the bound of `a`, the contract is broken, and numbers show it.
#[test]
fn odd_numbers_and_bounds_by_arguments_are_needed() {
    let directory = directory();
    write(directory.path(), "f.c", format!("#include <stdint.h>\n{HALF}\n"));
    compile("gcc-12", &["-O2"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
    let prove = |from: &str, to: &str| {
        assert!(HALF_CONTRACT.contains(from), "{from}");
        let contract = write(directory.path(), "f.toml", HALF_CONTRACT.replacen(from, to, 1));
        let proof = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
        (code(&proof), stdout(&proof) + &stderr(&proof))
    };
    let a = "\"a\", direction = \"in\", limbs = 2, radix = 64, value_below = \"m\"";
    let m = "\"m\", direction = \"in\", limbs = 2, radix = 64";
    let bounded_later = format!("{m}, value_below = \"k\" }},\n  {{ name = \"k\", direction = \"in\", below = 2");
    for (from, to, message) in [
        ("requires = [\"m = 1 mod 2\"]", "", "m[0] = "),
        ("m = 1 mod 2", "m = 0 mod 2", "is not what can be required"),
        ("m = 1 mod 2", "out = 1 mod 2", "is not what can be required"),
        ("m = 1 mod 2", "a = 1 mod 2", "the bound of `a` leaves 1 out"),
        (m, &format!("{m}, value_below = 1"), "`m` is always 0"),
        (m, &format!("{m}, value_below = \"a\""), "the bound of `a` depends on an argument itself"),
        (m, &bounded_later, "the bound of `m` depends on an argument itself"),
        (a, &a.replace("= \"m\"", "= \"a\""), "the bound of `a` depends on an argument itself"),
        (a, &a.replace("= \"m\"", "= \"out\""), "`out` is no argument that is read as a number"),
        (a, &a.replace("= \"m\"", "= \"m - 1\""), "it has a difference, a negative number or an entry"),
        (a, &a.replace("= \"m\"", "= \"0 * m\""), "no number is below `0 * m`"),
        (a, &a.replace("= \"m\"", "= \"2 * m + 1\""), "bound of out = "),
    ] {
        let (code, said) = prove(from, to);
        assert!(code == 1 && said.contains(message) && !said.contains("stays open"), "{from} -> {to}: {said}");
    }
    // With both in the place of the result, the two requirements are about one number.
    let both =
        HALF_CONTRACT.replacen("mod 2\"]", "mod 2\", \"a = 1 mod 2\"]", 1).replacen("[\"a\"]", "[\"a\", \"m\"]", 1);
    let contract = write(directory.path(), "both.toml", both);
    let refused = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
    assert!(
        code(&refused) == 1 && stderr(&refused).contains("`out` may make one with another"),
        "{}",
        stderr(&refused)
    );
    let lazy = a.replace("= \"m\"", "= \"2 * m + 0\"");
    let out = "radix = 64, value_below = \"m\", may_alias";
    assert!(HALF_CONTRACT.contains(out));
    let twice = HALF_CONTRACT.replacen(a, &lazy, 1).replacen(out, "radix = 64, value_below = \"2 * m\", may_alias", 1);
    let contract = write(directory.path(), "lazy.toml", twice.replacen(m, &format!("{m}, value_below = \"2^126\""), 1));
    let proof = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
    assert!(code(&proof) == 0 && stdout(&proof).contains("the number below 2 * m,"), "{}", stdout(&proof));
}

/// A Montgomery multiplication modulo any odd number, whose result is not reduced.
const MONTGOMERY: &str =
    "void multiply(uint64_t out[3], const uint64_t a[2], const uint64_t b[2], const uint64_t m[2], uint64_t w) {
  uint64_t t[4] = {0, 0, 0, 0};
  for (int i = 0; i < 2; i++) {
    unsigned __int128 s = (unsigned __int128)a[0] * b[i] + t[0];
    t[0] = (uint64_t)s;
    s = (unsigned __int128)a[1] * b[i] + t[1] + (s >> 64);
    t[1] = (uint64_t)s;
    s = (s >> 64) + t[2];
    t[2] = (uint64_t)s;
    t[3] = (uint64_t)(s >> 64);
    uint64_t q = t[0] * w;
    s = (unsigned __int128)q * m[0] + t[0];
    s = (unsigned __int128)q * m[1] + t[1] + (s >> 64);
    t[0] = (uint64_t)s;
    s = (s >> 64) + t[2];
    t[1] = (uint64_t)s;
    t[2] = t[3] + (uint64_t)(s >> 64);
  }
  for (int i = 0; i < 3; i++) out[i] = t[i];
}";

const MONTGOMERY_CONTRACT: &str = "symbol = \"multiply\"
equation = \"out * 2^128 = a * b mod m\"
requires = [\"m * w = -1 mod 2^64\"]
argument = [
  { name = \"out\", direction = \"out\", limbs = 3, radix = 64 },
  { name = \"a\", direction = \"in\", limbs = 2, radix = 64 },
  { name = \"b\", direction = \"in\", limbs = 2, radix = 64 },
  { name = \"m\", direction = \"in\", limbs = 2, radix = 64 },
  { name = \"w\", direction = \"value\" },
]";

#[test]
fn what_is_not_required_is_not_taken_for_granted() {
    let directory = directory();
    write(directory.path(), "f.c", format!("#include <stdint.h>\n{MONTGOMERY}\n"));
    compile("gcc-12", &["-O2"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
    let prove = |requires: &str| {
        let required = "requires = [\"m * w = -1 mod 2^64\"]";
        let contract = write(directory.path(), "f.toml", MONTGOMERY_CONTRACT.replacen(required, requires, 1));
        let proof = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
        (code(&proof), stdout(&proof) + &stderr(&proof))
    };
    for (requires, message) in [
        ("", "m[0] = "),
        ("requires = [\"m * w = 1 mod 2^64\"]", "m[0] = "),
        ("requires = [\"m * w = -1 mod 2^32\"]", "is not what can be required"),
        ("requires = [\"m * out = -1 mod 2^64\"]", "is not what can be required"),
        ("requires = [\"m = 1 mod 4\"]", "is not what can be required"),
        (
            "requires = [\"m * w = -1 mod 2^64\", \"m = 1 mod 2\"]",
            "is about an argument of which something else is required",
        ),
        ("requires = [\"m * w = -2147483648 mod 2^64\"]", "is not what can be required"),
        (
            "requires = [\"m * w = -1 mod 2^64\", \"m * w = 1 mod 2^64\"]",
            "is about an argument of which something else is required",
        ),
    ] {
        let (code, said) = prove(requires);
        assert!(code == 1 && said.contains(message) && !said.contains("stays open"), "{requires}: {said}");
    }
    let bounded = MONTGOMERY_CONTRACT.replacen("direction = \"value\"", "direction = \"value\", below = 5", 1);
    let contract = write(directory.path(), "bounded.toml", bounded);
    let refused = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
    assert!(code(&refused) == 1 && stderr(&refused).contains("the bound of `w` leaves"), "{}", stderr(&refused));
}

#[test]
fn arguments_are_more_than_numbers() {
    proved_and_refused(&ARGUMENTS);
}

/// Both compilers' code is proved, and the changed function is refused with a counterexample.
fn proved_and_refused(functions: &[(&str, &str, &str, &str)]) {
    let directory = directory();
    let contract = directory.path().join("f.toml");
    for &(c, contract_text, right, wrong) in functions {
        write(directory.path(), "f.toml", contract_text);
        for (compiler, c, is_proved) in [
            ("gcc-12", c.to_owned(), true),
            ("clang-19", c.to_owned(), true),
            ("gcc-12", c.replacen(right, wrong, 1), false),
        ] {
            write(directory.path(), "f.c", format!("#include <stdint.h>\n{c}\n"));
            compile(compiler, &["-O2"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
            let proof = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
            let said = stdout(&proof) + &stderr(&proof);
            assert_eq!(code(&proof) == 0, is_proved, "{compiler}\n{c}\n{said}");
            assert!(is_proved || !said.contains("stays open"), "{c}\n{said}");
        }
    }
}

/// Formulas as other notations write them.
#[test]
fn formulas_of_strangers_get_a_remedy() {
    let directory = directory();
    let object = write(directory.path(), "f.o", []);
    let calls = "calls = [\"nothing.toml\"]";
    for (equation, more, message) in [
        ("out == a", "", "one `=`, not `==`"),
        ("out = a % 2^128", "", "`mod` and the modulus stand at the end"),
        ("out = a ** 2", "", "a power is written `x^2`"),
        ("out < 2^128", "", "by `below` and `value_below`"),
        ("out = a / 2", "", "multiply both sides"),
        ("out = a * 3^-1", "", "multiply both sides"),
        ("out = a * 3^(0-1)", "", "multiply both sides"),
        ("out = a (mod 7)", "", "the modulus stands without parentheses"),
        ("out ≡ a", "", "an equation has `=`"),
        ("out = a & 1", "", "a choice is `flag * a + (1 - flag) * b`"),
        ("out = a, out = a", "", "several equations are a list"),
        ("out = out", "", "an equation says of a result how"),
        ("a = a", "", "an equation says of a result how"),
        ("out = a", "constants = { a = 5 }", "give one another name"),
        ("out[0] = a[0]", "", "`out` is no table"),
        ("out = a", calls, "3:10\n"),
        ("out = a", calls, "cannot read"),
    ] {
        let text_of = format!(
            "symbol = \"f\"\nequation = \"{equation}\"\n{more}\nargument = [\n  {{ name = \"out\", direction = \"out\" }},\n  \
             {{ name = \"a\", direction = \"in\", limbs = 2, radix = 64 }},\n]\n"
        );
        let contract = write(directory.path(), "f.toml", &text_of);
        let output = culet(&["prove", text(&object), "--contract", text(&contract)]);
        assert!(code(&output) == 1 && stderr(&output).contains(message), "{equation}: {}", stderr(&output));
    }
    let twice = "symbol = \"f\"\nequation = \"out = a\"\nargument = [\n  { name = \"out\", direction = \"out\" },\n  \
                 { name = \"a\", direction = \"in\", limbs = 2, radix = 64, below = \"2^65\" },\n]\n";
    let contract = write(directory.path(), "f.toml", twice);
    let said = stderr(&culet(&["prove", text(&object), "--contract", text(&contract)]));
    assert_eq!(said.matches("no limb of 64 bits").count(), 1, "{said}");
}

/// Contracts whose arguments contradict themselves are refused.
#[test]
fn arguments_that_cannot_be() {
    let directory = directory();
    let object = write(directory.path(), "f.o", []);
    for (argument, message) in [
        ("name = \"w\", direction = \"scratch\", limbs = 4, below = 8", "holds no number"),
        ("name = \"w\", direction = \"scratch\", follows = \"a\"", "no earlier argument of this direction"),
        ("name = \"w\", direction = \"out\", follows = \"a\"", "no earlier argument of this direction"),
        ("name = \"w\", direction = \"in\", bits = 32, follows = \"a\"", "words of as many bits"),
        ("name = \"w\", direction = \"in\", follows = \"a\", align = 8", "are said there"),
        ("name = \"w\", direction = \"value\", truth = \"odd\"", "`odd` is no truth"),
        ("name = \"w\", direction = \"in\", truth = \"nonzero\"", "is true or false"),
    ] {
        let text_of = format!(
            "symbol = \"f\"\nequation = \"out = a\"\nargument = [\n  {{ name = \"out\", direction = \"out\", may_alias = [\"a\"] }},\n  \
             {{ name = \"a\", direction = \"in\" }},\n  {{ {argument} }},\n]\n"
        );
        let contract = write(directory.path(), "f.toml", &text_of);
        let output = culet(&["prove", text(&object), "--contract", text(&contract)]);
        assert!(code(&output) == 1 && stderr(&output).contains(message), "{argument}: {}", stderr(&output));
    }
}
