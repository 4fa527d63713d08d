//! Simulation of gates on many random inputs at once: gates that differ there are different, and gates that agree may
//! be equal.

use rustc_hash::FxHashMap;

use super::graph::{Gate, Literal};
use crate::effort::simulate::{DIFFERENCE_PASSES, SIGNATURE_PASSES};

/// Number of words, of 64 patterns each, that are simulated at once.
const WORDS: usize = 8;
type Values = [u64; WORDS];

/// Keys of gates. Gates that are the same, or complements, on all patterns so far have the same key; other gates mostly
/// have another.
pub struct Signatures {
    keys: Vec<u64>,
    /// The value of the first pattern.
    first: Vec<bool>,
    values: Vec<Values>,
    seed: u64,
}

impl Signatures {
    /// Returns the signatures of gates whose operands come before them.
    pub fn new(gates: &[Gate]) -> Signatures {
        let (keys, first) = (vec![0; gates.len()], Vec::new());
        let mut signatures = Signatures { keys, first, values: vec![[0; WORDS]; gates.len()], seed: 1 };
        for pass in 0..SIGNATURE_PASSES {
            let mut inputs = 0;
            let input = |_| {
                inputs += 1;
                input_values(inputs - 1, pass)
            };
            simulate(gates.iter().copied(), &mut signatures.values, input);
            if pass == 0 {
                signatures.first = signatures.values.iter().map(|values| values[0] & 1 == 1).collect();
            }
            signatures.take_in();
        }
        signatures
    }

    /// Returns a key that is equal for gates that agree on all patterns, or differ on all.
    pub fn key(&self, gate: u32) -> u64 {
        self.keys[gate as usize]
    }

    /// Returns the value of a literal on the first pattern.
    pub fn first(&self, literal: Literal) -> bool {
        self.first[literal.gate() as usize] != literal.is_complement()
    }

    /// Adds patterns around a counterexample: itself, and others that differ in a few inputs. Inputs that are not
    /// mentioned are random.
    pub fn refine(&mut self, gates: &[Gate], inputs: &FxHashMap<u32, bool>) {
        let seed = &mut self.seed;
        let input = |gate| {
            let mut words = std::array::from_fn(|_| match inputs.get(&gate) {
                Some(&value) => u64::from(value).wrapping_neg() ^ random(seed) & random(seed) & random(seed),
                None => random(seed),
            });
            if let Some(&value) = inputs.get(&gate) {
                words[0] = words[0] & !1 | u64::from(value);
            }
            words
        };
        simulate(gates.iter().copied(), &mut self.values, input);
        self.take_in();
    }

    /// Makes the patterns that were simulated part of the keys.
    fn take_in(&mut self) {
        let factors: Values = std::array::from_fn(|_| random(&mut self.seed) | 1);
        for ((key, values), &first) in self.keys.iter_mut().zip(&self.values).zip(&self.first) {
            let mask = u64::from(first).wrapping_neg();
            let products = values.iter().zip(&factors).map(|(value, factor)| (value ^ mask).wrapping_mul(*factor));
            *key = products.fold(*key, u64::wrapping_add);
        }
    }
}

/// A pair that differs, and the values of the inputs at which it does, in their order.
pub struct Difference {
    pub pair: usize,
    pub inputs: Vec<bool>,
}

/// Looks for a difference of any pair on the random patterns. Operands come before their users.
pub fn find_difference(gates: &[Gate], pairs: &[(Literal, Literal)]) -> Option<Difference> {
    let mut values = vec![[0; WORDS]; gates.len()];
    for pass in 0..DIFFERENCE_PASSES {
        let mut inputs = Vec::new();
        let input = |_| {
            inputs.push(input_values(inputs.len(), pass));
            inputs[inputs.len() - 1]
        };
        simulate(gates.iter().copied(), &mut values, input);
        for (pair, &(a, b)) in pairs.iter().enumerate() {
            let (x, y) = (values[a.gate() as usize], values[b.gate() as usize]);
            for word in 0..WORDS {
                let differ = (x[word] ^ a.mask()) ^ (y[word] ^ b.mask());
                if differ != 0 {
                    let bit = differ.trailing_zeros();
                    let inputs = inputs.iter().map(|values| values[word] >> bit & 1 == 1).collect();
                    return Some(Difference { pair, inputs });
                }
            }
        }
    }
    None
}

/// Computes the values of gates from the values of inputs, which are asked for in their order.
fn simulate(gates: impl Iterator<Item = Gate>, values: &mut [Values], mut input: impl FnMut(u32) -> Values) {
    for (number, gate) in gates.enumerate() {
        values[number] = match gate {
            Gate::Zero => [0; WORDS],
            Gate::Input => input(number as u32),
            Gate::And(a, b) => combine(values, a, b, |x, y| x & y),
            Gate::Xor(a, b) => combine(values, a, b, |x, y| x ^ y),
        };
    }
}

/// Applies an operation to the values of two literals.
fn combine(values: &[Values], a: Literal, b: Literal, f: impl Fn(u64, u64) -> u64) -> Values {
    let (x, y) = (&values[a.gate() as usize], &values[b.gate() as usize]);
    let (p, q) = (a.mask(), b.mask());
    std::array::from_fn(|i| f(x[i] ^ p, y[i] ^ q))
}

/// Returns the patterns of an input, which are deterministic. In the first pattern all inputs are zero, in the second
/// all are one.
fn input_values(input: usize, pass: u64) -> Values {
    let mut state = (input as u64).wrapping_mul(0xa076_1d64_78bd_642f) ^ 0x2545_f491_4f6c_dd1d ^ pass << 48;
    let mut values = std::array::from_fn(|_| random(&mut state));
    if pass == 0 {
        values[0] = values[0] & !1 | 2;
    }
    values
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
