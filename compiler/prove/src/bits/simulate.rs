//! Gates on many random inputs at once: what differs there is different, what agrees may be equal.

use super::graph::{Gate, Gates, Graph, Literal};

/// Patterns in one signature: words of 64.
pub const WORDS: usize = 32;
/// Words that are simulated at once over a whole graph.
const CHUNK: usize = 2;

pub type Signature = [u64; WORDS];

/// The patterns of an input, the same every time. The first is all zeros over the inputs, the second all ones.
pub fn input_signature(input: usize) -> Signature {
    let mut state = (input as u64).wrapping_mul(0xa076_1d64_78bd_642f) ^ 0x2545_f491_4f6c_dd1d;
    let mut signature = [0; WORDS];
    for word in &mut signature {
        *word = random(&mut state);
    }
    signature[0] = signature[0] & !1 | 2;
    signature
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A pair that differs, and the values of the graph's inputs at which it does.
pub struct Difference {
    pub pair: usize,
    pub inputs: Vec<bool>,
}

/// Looks for a difference of any pair on the random patterns.
pub fn find_difference(graph: &Graph, pairs: &[(Literal, Literal)]) -> Option<Difference> {
    let signatures: Vec<Signature> = (0..graph.inputs().len()).map(input_signature).collect();
    let mut values = vec![[0u64; CHUNK]; graph.count()];
    for chunk in 0..WORDS / CHUNK {
        let words = chunk * CHUNK..(chunk + 1) * CHUNK;
        for (&input, signature) in graph.inputs().iter().zip(&signatures) {
            values[input as usize].copy_from_slice(&signature[words.clone()]);
        }
        for (number, gate) in graph.gates().enumerate() {
            evaluate(gate, number, &mut values);
        }
        for (pair, &(a, b)) in pairs.iter().enumerate() {
            let (x, y) = (values[a.gate() as usize], values[b.gate() as usize]);
            for i in 0..CHUNK {
                let differ = (x[i] ^ a.mask()) ^ (y[i] ^ b.mask());
                if differ != 0 {
                    let bit = differ.trailing_zeros();
                    let inputs = signatures.iter().map(|s| s[chunk * CHUNK + i] >> bit & 1 == 1).collect();
                    return Some(Difference { pair, inputs });
                }
            }
        }
    }
    None
}

/// The value of a gate from those of its operands.
pub fn evaluate<const N: usize>(gate: Gate, number: usize, values: &mut [[u64; N]]) {
    match gate {
        Gate::Zero | Gate::Input => {}
        Gate::And(a, b) => values[number] = combine(values, a, b, |x, y| x & y),
        Gate::Xor(a, b) => values[number] = combine(values, a, b, |x, y| x ^ y),
    }
}

/// An operation on the values of two literals.
pub fn combine<const N: usize>(values: &[[u64; N]], a: Literal, b: Literal, f: impl Fn(u64, u64) -> u64) -> [u64; N] {
    let (x, y) = (&values[a.gate() as usize], &values[b.gate() as usize]);
    let (p, q) = (a.mask(), b.mask());
    std::array::from_fn(|i| f(x[i] ^ p, y[i] ^ q))
}
