//! Values of inputs on the few assignments on which words are looked up, and results are compared before anything is
//! proved.

use culet_decide::bits;

/// Number of assignments of inputs.
pub const SAMPLES: usize = 8;

/// Number of assignments with random words; those with rows follow, then those with bits.
const RANDOM: usize = 4;
const ROWS: usize = 2;

/// Indices of one assignment of each kind.
pub const KINDS: [usize; 3] = [0, RANDOM, RANDOM + ROWS];

/// Average length of a row of one kind, in inputs.
const ROW: u64 = 16;

/// Draws the values of inputs on one assignment, in the order in which the inputs are made.
pub struct Draw {
    state: u64,
    kind: Kind,
}

enum Kind {
    Random,
    /// Rows of zero words and of words of ones between random words: carries run through rows, so most mistakes with
    /// carries show there. The field is the word of the current row, if it is one of zeros or ones.
    Rows(Option<u64>),
    /// Every other word is a bit: a bit is a valid index, while random words are beyond most tables. The field says
    /// whether the next word is a bit.
    Bits(bool),
}

/// Returns the draws of all samples.
pub fn draws() -> [Draw; SAMPLES] {
    std::array::from_fn(|sample| {
        let state = sample as u64;
        if sample < RANDOM {
            Draw::random(state)
        } else if sample < RANDOM + ROWS {
            Draw::rows(state)
        } else {
            Draw { state, kind: Kind::Bits(sample.is_multiple_of(2)) }
        }
    })
}

impl Draw {
    /// Draws random words only.
    pub fn random(state: u64) -> Draw {
        Draw { state, kind: Kind::Random }
    }

    /// Draws rows of zeros and of ones between random words, a row of ones first.
    pub fn rows(state: u64) -> Draw {
        Draw { state, kind: Kind::Rows(Some(u64::MAX)) }
    }

    pub fn word(&mut self) -> u64 {
        let word = bits::random(&mut self.state);
        match &mut self.kind {
            Kind::Random => bits::random(&mut self.state),
            Kind::Rows(row) => {
                if word.is_multiple_of(ROW) {
                    *row = [None, Some(0), Some(u64::MAX)][(word / ROW % 3) as usize];
                }
                row.unwrap_or_else(|| bits::random(&mut self.state))
            }
            Kind::Bits(is_bit) => {
                *is_bit = !*is_bit;
                if *is_bit { word } else { word & 1 }
            }
        }
    }
}
