//! Comparison of results on a few inputs: most errors show there, before anything is written out in gates.

use culet_decide::bits;
use culet_term::{Assignment, Input, Terms};
use rustc_hash::FxHashMap;

use crate::effort::SAMPLES_OF_REGISTERS;
use crate::symbolic::Symbolic;

/// Inputs with random values, and the values expected for them.
pub struct Samples<W>(Vec<Sample<W>>);

struct Sample<W> {
    inputs: Assignment,
    /// Values of the expected words, kept for other code in the same place.
    expected: FxHashMap<W, Box<[u64]>>,
}

impl<W> Default for Samples<W> {
    fn default() -> Self {
        Samples(Vec::new())
    }
}

impl<W: Clone> Samples<W> {
    /// Returns the index of a pair whose words differ for some sample, and that sample. The second word of each pair is
    /// the expected one.
    pub fn difference<V: Symbolic<Word = W>>(&mut self, values: &V, pairs: &[(W, W)]) -> Option<(usize, Assignment)> {
        if self.0.is_empty() {
            self.0 = (0..SAMPLES_OF_REGISTERS)
                .map(|seed| Sample { inputs: random(values.terms(), seed), expected: FxHashMap::default() })
                .collect();
        }
        let open: Vec<usize> = (0..pairs.len()).filter(|&at| pairs[at].0 != pairs[at].1).collect();
        let found: Vec<W> = open.iter().map(|&at| pairs[at].0.clone()).collect();
        let expected: Vec<W> = open.iter().map(|&at| pairs[at].1.clone()).collect();
        if open.is_empty() {
            return None;
        }
        self.0.iter_mut().find_map(|sample| {
            sample.expect(values, &expected);
            let results = values.evaluate(&found, &sample.inputs);
            let place = results.iter().zip(&expected).position(|(value, word)| *value != sample.expected[word])?;
            Some((open[place], sample.inputs.clone()))
        })
    }
}

impl<W: Clone> Sample<W> {
    fn expect<V: Symbolic<Word = W>>(&mut self, values: &V, wanted: &[W]) {
        let missing: Vec<W> = wanted.iter().filter(|word| !self.expected.contains_key(word)).cloned().collect();
        if !missing.is_empty() {
            let results = values.evaluate(&missing, &self.inputs);
            self.expected.extend(missing.into_iter().zip(results));
        }
    }
}

/// Returns random values of all inputs that exist.
fn random(terms: &Terms, seed: u64) -> Assignment {
    let mut state = seed;
    let mut inputs = Assignment::new();
    for input in terms.inputs() {
        let limbs = terms.bits(terms.input_term(input)).div_ceil(64);
        let values: Vec<u64> = (0..limbs).map(|_| bits::random(&mut state)).collect();
        inputs.set(input, &values);
    }
    inputs
}

/// The value of an input in as many hexadecimal digits as it has.
pub fn digits_of(terms: &Terms, input: Input, value: &[u64]) -> String {
    let digits: String = value.iter().rev().map(|limb| format!("{limb:016x}")).collect();
    let wanted = terms.bits(terms.input_term(input)).div_ceil(4) as usize;
    digits[digits.len().saturating_sub(wanted)..].to_owned()
}
