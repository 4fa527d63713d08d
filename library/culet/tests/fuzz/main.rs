//! Bounded fuzzing of all that reads what others have sent: points, keys, signatures, sealed messages, boxes, streams.
//!
//! Inputs are mutations of good ones. No input may panic; what is accepted must be the one encoding of what was read; and where another
//! implementation reads the same, the verdicts agree. The run is reproducible, and an input that fails is printed in full.
//! `CULET_FUZZ_ITERATIONS=10000000 cargo test -p culet --test fuzz` makes it longer, and so does `CULET_ALL`.

#[allow(dead_code)] // Others read hexadecimal digits.
#[path = "../operations/bytes.rs"]
mod bytes;
mod curves;
mod edwards;
mod mutate;
mod sealed;

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Random;
use mutate::mutate;

/// About as many inputs are read by all readers together.
const ITERATIONS: u64 = 100_000;
/// With `CULET_ALL`: some minutes.
const ALL_ITERATIONS: u64 = 10_000_000;

/// A function that reads bytes, with good bytes to begin with.
struct Reader {
    name: &'static str,
    good: Vec<Vec<u8>>,
    /// Of all inputs, one of so many is for this reader: those that compute with points take longest.
    rarity: u64,
    /// Reads the bytes and encodes the value again; none if the bytes are refused.
    again: fn(&[u8]) -> Option<Vec<u8>>,
    /// Whether another implementation accepts the bytes; none where there is no other one, or it has other rules for them.
    peer: fn(&[u8]) -> Option<bool>,
}

/// There is no other implementation.
fn nobody(_: &[u8]) -> Option<bool> {
    None
}

impl Reader {
    /// Reads mutations of the good bytes. Some must be accepted and some refused, or nothing was tested.
    fn fuzz(&self, seed: u64) {
        let iterations = match std::env::var("CULET_FUZZ_ITERATIONS") {
            Ok(number) => number.parse().expect("CULET_FUZZ_ITERATIONS is a number"),
            Err(_) if std::env::var_os("CULET_ALL").is_some() => ALL_ITERATIONS,
            Err(_) => ITERATIONS,
        };
        let random = &mut Random::new(seed);
        for good in &self.good {
            assert!(self.is_accepted(good), "{}: these bytes are good: {good:02x?}", self.name);
        }
        let (mut accepted, mut refused) = (0_u64, 0_u64);
        for _ in 0..(iterations / self.rarity).max(40) {
            let input = mutate(&self.good, random);
            let counter = if self.is_accepted(&input) { &mut accepted } else { &mut refused };
            *counter += 1;
        }
        assert!(accepted > 0 && refused > 0, "{}: {accepted} accepted, {refused} refused", self.name);
    }

    fn is_accepted(&self, input: &[u8]) -> bool {
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let again = (self.again)(input);
            let is_accepted = again.is_some();
            assert!(again.is_none_or(|again| again == input), "this is not the one encoding");
            assert!((self.peer)(input).is_none_or(|theirs| theirs == is_accepted), "others say {}", !is_accepted);
            is_accepted
        }));
        checked.unwrap_or_else(|_| panic!("{}: this input fails:\n{input:02x?}", self.name))
    }
}

/// Each reader from a seed of its own.
fn fuzz(readers: &[Reader]) {
    for (place, reader) in readers.iter().enumerate() {
        reader.fuzz(1 + place as u64);
    }
}
