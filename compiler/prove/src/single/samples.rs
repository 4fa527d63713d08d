//! What inputs are on the few assignments on which words are looked up and results compared before anything is proved.

use crate::bits;

/// Assignments of inputs.
pub const SAMPLES: usize = 8;

/// Those with random words. The others have rows of zeros and of ones between them, which carries run through: most mistakes with carries
/// show there.
const RANDOM: usize = 4;

/// One of each kind.
pub const KINDS: [usize; 2] = [0, RANDOM];

/// How many inputs a row of one kind is long, on average.
const ROW: u64 = 16;

/// Draws what inputs are on one assignment, in the order in which these are made.
pub struct Draw {
    state: u64,
    has_rows: bool,
    /// The word of the row, if it is one of zeros or ones.
    row: Option<u64>,
}

/// For each sample.
pub fn draws() -> [Draw; SAMPLES] {
    std::array::from_fn(|sample| Draw::new(sample as u64, sample >= RANDOM))
}

impl Draw {
    /// With rows of zeros and of ones, or random words only.
    pub fn new(state: u64, has_rows: bool) -> Draw {
        Draw { state, has_rows, row: has_rows.then_some(u64::MAX) }
    }

    pub fn word(&mut self) -> u64 {
        let word = bits::random(&mut self.state);
        if self.has_rows && word.is_multiple_of(ROW) {
            self.row = [None, Some(0), Some(u64::MAX)][(word / ROW % 3) as usize];
        }
        self.row.unwrap_or_else(|| bits::random(&mut self.state))
    }
}
