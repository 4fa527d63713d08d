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
