//! The definition of tables, and the errors in them.

use std::fmt;

/// Maximum number of inputs: more would need more than 65 536 values.
pub const MAX_INPUTS: u32 = 16;
/// Maximum number of outputs: a value is a `u64`.
pub const MAX_OUTPUTS: u32 = 64;

/// A function from `inputs` bits to `outputs` bits, given by its values.
///
/// Entry `i` is the value at the index whose bits, most significant first, are the inputs in order; output 0 is the
/// most significant of the value's `outputs` bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableSpec {
    pub inputs: u32,
    pub outputs: u32,
    pub values: Vec<u64>,
}

/// The reason why a table has no circuit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableError {
    TooManyInputs { inputs: u32 },
    TooManyOutputs { outputs: u32 },
    WrongNumberOfValues { inputs: u32, expected: usize, found: usize },
    ValueOutOfRange { index: usize, value: u64, outputs: u32 },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TableError::TooManyInputs { inputs } => {
                write!(f, "a table of {inputs} input bits is too large, at most {MAX_INPUTS} are possible")
            }
            TableError::TooManyOutputs { outputs } => {
                write!(f, "a table of {outputs} output bits is too wide, at most {MAX_OUTPUTS} are possible")
            }
            TableError::WrongNumberOfValues { inputs, expected, found } => {
                write!(f, "a table of {inputs} input bits has {expected} values, not {found}")
            }
            TableError::ValueOutOfRange { index, value, outputs } => {
                write!(f, "value {value} at index {index} does not fit in {outputs} output bits")
            }
        }
    }
}

impl std::error::Error for TableError {}

impl TableSpec {
    /// Makes a table that passes [`TableSpec::check`].
    pub fn new(inputs: u32, outputs: u32, values: Vec<u64>) -> Result<TableSpec, TableError> {
        let table = TableSpec { inputs, outputs, values };
        table.check()?;
        Ok(table)
    }

    /// Checks that the numbers of inputs, outputs and values fit together.
    pub fn check(&self) -> Result<(), TableError> {
        let &TableSpec { inputs, outputs, ref values } = self;
        if inputs > MAX_INPUTS {
            return Err(TableError::TooManyInputs { inputs });
        }
        if outputs > MAX_OUTPUTS {
            return Err(TableError::TooManyOutputs { outputs });
        }
        let expected = 1usize << inputs;
        if values.len() != expected {
            return Err(TableError::WrongNumberOfValues { inputs, expected, found: values.len() });
        }
        match values.iter().position(|&value| outputs < 64 && value >> outputs != 0) {
            Some(index) => Err(TableError::ValueOutOfRange { index, value: values[index], outputs }),
            None => Ok(()),
        }
    }

    /// The table of the inverse permutation, if this is a permutation.
    pub fn inverse(&self) -> Option<TableSpec> {
        if self.inputs != self.outputs || self.check().is_err() {
            return None;
        }
        let mut values = vec![None; self.values.len()];
        for (index, &value) in (0u64..).zip(&self.values) {
            let place = &mut values[usize::try_from(value).ok()?];
            if place.replace(index).is_some() {
                return None;
            }
        }
        Some(TableSpec { values: values.into_iter().collect::<Option<_>>()?, ..*self })
    }

    /// The table with the bits of indices and values in the opposite order, least significant first.
    #[must_use]
    pub fn lsb_first(&self) -> TableSpec {
        let reverse = |x: u64, bits: u32| if bits == 0 { 0 } else { x.reverse_bits() >> (64 - bits) };
        let values = (0..self.values.len() as u64)
            .map(|index| reverse(self.values[reverse(index, self.inputs) as usize], self.outputs))
            .collect();
        TableSpec { values, ..*self }
    }

    /// The function whose input `i` is input `order[i]` of this one.
    #[must_use]
    pub fn with_inputs(&self, order: &[u32]) -> TableSpec {
        let bit = |index: u64, input: u32| index >> (self.inputs - 1 - input) & 1;
        let moved =
            |index: u64| (0..).zip(order).fold(0, |sum, (i, &input)| sum | bit(index, i) << (self.inputs - 1 - input));
        TableSpec { values: (0..self.values.len() as u64).map(|i| self.values[moved(i) as usize]).collect(), ..*self }
    }

    /// Output `output` as a truth table: bit `i % 64` of word `i / 64` is its value at index `i`. Indices past the end
    /// of a table with fewer than six inputs read as zero.
    pub fn truth(&self, output: u32) -> Vec<u64> {
        let shift = self.outputs - 1 - output;
        let word = |chunk: &[u64]| (0..).zip(chunk).fold(0, |word, (bit, value)| word | (value >> shift & 1) << bit);
        self.values.chunks(64).map(word).collect()
    }
}

/// Input `input` of `inputs` on the 64 indices from `64 * block` on, as one word.
pub fn input_word(inputs: u32, input: u32, block: usize) -> u64 {
    const LOW: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let weight = (inputs - 1 - input) as usize;
    match LOW.get(weight) {
        Some(&word) => word,
        None if block >> (weight - 6) & 1 == 1 => !0,
        None => 0,
    }
}
