//! What inputs are on the few assignments on which words are looked up and results compared before anything is proved.

use culet_decide::bits;

/// Assignments of inputs.
pub const SAMPLES: usize = 8;

/// Those with random words, before those with rows, and before those with bits.
const RANDOM: usize = 4;
const ROWS: usize = 2;

/// One of each kind.
pub const KINDS: [usize; 3] = [0, RANDOM, RANDOM + ROWS];

/// How many inputs a row of one kind is long, on average.
const ROW: u64 = 16;

/// Draws what inputs are on one assignment, in the order in which these are made.
pub struct Draw {
    state: u64,
    kind: Kind,
}

enum Kind {
    Random,
    /// With rows of zeros and of ones between random words, which carries run through: most mistakes with carries show there. The word
    /// of the row, if it is one of zeros or ones.
    Rows(Option<u64>),
    /// Every other word is a bit: so is an index, which random words are beyond most tables. Whether the next one is.
    Bits(bool),
}

/// For each sample.
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
    /// Random words only.
    pub fn random(state: u64) -> Draw {
        Draw { state, kind: Kind::Random }
    }

    /// With rows of zeros and of ones, the first one of ones.
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
