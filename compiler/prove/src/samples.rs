//! Results on a few inputs: most of what is wrong shows there, before anything is written out in gates.

use culet_term::{Assignment, Term, Terms};
use rustc_hash::FxHashMap;

use crate::bits;

/// Inputs with random values, and what is expected of them.
#[derive(Default)]
pub struct Samples(Vec<Sample>);

struct Sample {
    inputs: Assignment,
    /// Values of what must be there, kept for other code in the same place.
    expected: FxHashMap<Term, Box<[u64]>>,
}

const SAMPLES: u64 = 2;

impl Samples {
    /// The index of a pair whose terms differ for some sample, and that sample. The second of each pair is what is expected.
    pub fn difference(&mut self, terms: &Terms, pairs: &[(Term, Term)]) -> Option<(usize, Assignment)> {
        if self.0.is_empty() {
            self.0 = (0..SAMPLES)
                .map(|seed| Sample { inputs: random(terms, seed), expected: FxHashMap::default() })
                .collect();
        }
        let open: Vec<usize> = (0..pairs.len()).filter(|&at| pairs[at].0 != pairs[at].1).collect();
        let found: Vec<Term> = open.iter().map(|&at| pairs[at].0).collect();
        let expected: Vec<Term> = open.iter().map(|&at| pairs[at].1).collect();
        self.0.iter_mut().find_map(|sample| {
            sample.expect(terms, &expected);
            let values = terms.evaluate(&found, &sample.inputs);
            let place = values.iter().zip(&expected).position(|(value, term)| *value != sample.expected[term])?;
            Some((open[place], sample.inputs.clone()))
        })
    }
}

impl Sample {
    fn expect(&mut self, terms: &Terms, wanted: &[Term]) {
        let missing: Vec<Term> = wanted.iter().copied().filter(|term| !self.expected.contains_key(term)).collect();
        let values = terms.evaluate(&missing, &self.inputs);
        self.expected.extend(missing.into_iter().zip(values));
    }
}

/// Random values of all inputs that there are.
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
