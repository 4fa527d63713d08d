//! Published answers of every operation, by a program that needs no operating system and allocates nothing. `tests/machines.rs` builds it for
//! RISC-V, and `tests/miri.rs` runs it under Miri.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board;
mod curves;
mod symmetric;

/// Panics where an answer is another one.
fn check_all() {
    symmetric::hashes();
    symmetric::authentication_codes();
    symmetric::derived_keys();
    symmetric::streams();
    symmetric::ciphers();
    curves::curve25519();
    // Miri takes minutes for a curve, whose kernels have no unsafe code.
    if !cfg!(miri) {
        curves::weierstrass();
    }
}

#[test]
fn published_answers() {
    check_all();
}

/// A program checks the answers as the test does.
#[cfg(not(any(test, target_os = "none")))]
fn main() {
    check_all();
}

/// Bytes from hexadecimal digits.
const fn hex<const N: usize>(digits: &str) -> [u8; N] {
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N);
    let mut bytes = [0; N];
    let mut place = 0;
    while place < N {
        bytes[place] = digit(digits[2 * place]) << 4 | digit(digits[2 * place + 1]);
        place += 1;
    }
    bytes
}

const fn digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("no digit"),
    }
}
