//! The ACE permutation (the ACE submission §2.3) on words of 64 bits, with constants computed by their shift register
//! (§5.6.2).

use super::{Reference, node, number};

pub(super) const REFERENCES: &[Reference] = &[node("ACE", "ACE", |parameters| permutation(parameters[0]))];

fn permutation(state: &[u8]) -> Vec<u8> {
    let mut words: Vec<u64> = state.chunks(8).map(number).collect();
    // The shift register of x^7 + x + 1, starting with all ones.
    let mut bits = vec![1u64; 7];
    for n in 0..24 * 16 + 8 {
        bits.push(bits[n] ^ bits[n + 1]);
    }
    for step in bits.windows(31).step_by(24) {
        for (n, word) in [0, 2, 4].into_iter().enumerate() {
            for bit in step[n..24].iter().step_by(3) {
                words[word] = simeck(words[word], *bit);
            }
        }
        for (n, (to, from)) in [(1, 2), (3, 4), (4, 0)].into_iter().enumerate() {
            let constant: u64 = (0..8).map(|j| step[21 + n + j] << j).sum();
            words[to] ^= words[from] ^ (!0xff | constant);
        }
        words = [3, 2, 0, 4, 1].iter().map(|&from| words[from]).collect();
    }
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// One round of Simeck.
fn simeck(word: u64, constant: u64) -> u64 {
    let (high, low) = ((word >> 32) as u32, word as u32);
    let sum = high.rotate_left(5) & high ^ high.rotate_left(1) ^ low ^ !1 ^ constant as u32;
    u64::from(sum) << 32 | u64::from(high)
}
