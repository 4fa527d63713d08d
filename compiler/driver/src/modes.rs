//! Modes of operation over any block cipher: NIST SP 800-38A §6.1 (ECB) and §6.5 (CTR).

use std::fmt;

use culet_diag::counted;

/// A keyed block cipher in one direction, independent of how it is computed.
pub trait BlockCipher {
    fn block_bytes(&self) -> usize;

    /// Replaces every block by its image. `blocks` is a whole number of blocks.
    fn process(&mut self, blocks: &mut [u8]) -> Result<(), String>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Each block by itself. It is for tests and for building other modes: equal blocks stay visible.
    Ecb,
    /// The data xor the images of a counter, which starts at the initial value and counts big-endian over the whole
    /// block.
    Ctr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Encrypt,
    Decrypt,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeError {
    /// ECB data that is not a whole number of blocks.
    PartialBlock { block_bytes: usize, excess: usize },
    /// An initial value that is not one block.
    InitialValue { expected: usize, found: usize },
    /// A stream's counter has no more values.
    CounterRepeats,
    /// The engine failed, that is, its runner.
    Cipher(String),
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModeError::PartialBlock { block_bytes, excess } => {
                write!(f, "the data ends {} into a block of {block_bytes}", counted(*excess, "byte"))
            }
            ModeError::InitialValue { expected, found } => {
                write!(f, "the initial value has {}, the block has {expected}", counted(*found, "byte"))
            }
            ModeError::CounterRepeats => f.write_str("the counter would repeat: the message is too long for one nonce"),
            ModeError::Cipher(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ModeError {}

/// A message being processed, piece by piece.
pub struct Stream {
    mode: Mode,
    counter: Vec<u8>,
}

impl Stream {
    /// Starts a message. `initial_value` is one block for CTR and is ignored for ECB.
    pub fn new(mode: Mode, initial_value: &[u8], block_bytes: usize) -> Result<Stream, ModeError> {
        if mode == Mode::Ctr && initial_value.len() != block_bytes {
            return Err(ModeError::InitialValue { expected: block_bytes, found: initial_value.len() });
        }
        Ok(Stream { mode, counter: initial_value.to_vec() })
    }

    /// Processes the next piece of the message in place. Every piece but the last is a whole number of blocks.
    ///
    /// `cipher` encrypts, except when ECB is decrypted.
    pub fn process(&mut self, cipher: &mut dyn BlockCipher, data: &mut [u8]) -> Result<(), ModeError> {
        let block_bytes = cipher.block_bytes();
        match self.mode {
            Mode::Ecb => {
                let excess = data.len() % block_bytes;
                if excess != 0 {
                    return Err(ModeError::PartialBlock { block_bytes, excess });
                }
                cipher.process(data).map_err(ModeError::Cipher)
            }
            Mode::Ctr => {
                let mut keystream = Vec::with_capacity(data.len().next_multiple_of(block_bytes));
                while keystream.len() < data.len() {
                    keystream.extend_from_slice(&self.counter);
                    increment(&mut self.counter);
                }
                cipher.process(&mut keystream).map_err(ModeError::Cipher)?;
                data.iter_mut().zip(&keystream).for_each(|(byte, key)| *byte ^= key);
                Ok(())
            }
        }
    }
}

/// Processes a whole message in place.
pub fn apply(mode: Mode, cipher: &mut dyn BlockCipher, initial_value: &[u8], data: &mut [u8]) -> Result<(), ModeError> {
    Stream::new(mode, initial_value, cipher.block_bytes())?.process(cipher, data)
}

/// Adds one, big-endian, modulo 2^(8 · length).
fn increment(counter: &mut [u8]) {
    for byte in counter.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a constant to every byte, which is enough to see which blocks were processed.
    struct Shift(u8);

    impl BlockCipher for Shift {
        fn block_bytes(&self) -> usize {
            4
        }

        fn process(&mut self, blocks: &mut [u8]) -> Result<(), String> {
            assert_eq!(blocks.len() % 4, 0);
            blocks.iter_mut().for_each(|b| *b = b.wrapping_add(self.0));
            Ok(())
        }
    }

    #[test]
    fn counter_carries_over_the_whole_block() {
        let mut data = [0; 9];
        apply(Mode::Ctr, &mut Shift(0), &[0, 0xff, 0xff, 0xff], &mut data).unwrap();
        assert_eq!(data, [0, 0xff, 0xff, 0xff, 1, 0, 0, 0, 1]);
        let mut data = [0; 8];
        apply(Mode::Ctr, &mut Shift(0), &[0xff; 4], &mut data).unwrap();
        assert_eq!(data, [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    }

    #[test]
    fn pieces_equal_the_whole() {
        let message: Vec<u8> = (0..50).collect();
        let mut whole = message.clone();
        apply(Mode::Ctr, &mut Shift(7), &[1, 2, 3, 4], &mut whole).unwrap();
        let mut pieces = message;
        let mut stream = Stream::new(Mode::Ctr, &[1, 2, 3, 4], 4).unwrap();
        for piece in pieces.chunks_mut(12) {
            stream.process(&mut Shift(7), piece).unwrap();
        }
        assert_eq!(pieces, whole);
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let mut data = [0; 6];
        assert_eq!(
            apply(Mode::Ecb, &mut Shift(1), &[], &mut data),
            Err(ModeError::PartialBlock { block_bytes: 4, excess: 2 })
        );
        assert_eq!(
            apply(Mode::Ctr, &mut Shift(1), &[0; 3], &mut data),
            Err(ModeError::InitialValue { expected: 4, found: 3 })
        );
    }
}
