//! Randomness, from the operating system or from a source that the program brings.

use zeroize::Zeroize;

use crate::pointers::Out;

/// Fills memory from the operating system; zeros if it has no randomness.
pub fn from_system(out: Out, length: usize) -> Option<()> {
    fill_from_system(out.room(length)?)
}

fn fill_from_system(room: &mut [u8]) -> Option<()> {
    let filled = getrandom::fill(room);
    if filled.is_err() {
        room.zeroize();
    }
    filled.ok()
}

/// 32 bytes from the operating system.
pub fn seed_from_system() -> Option<zeroize::Zeroizing<[u8; 32]>> {
    let mut seed = zeroize::Zeroizing::new([0; 32]);
    fill_from_system(&mut *seed)?;
    Some(seed)
}

#[cfg(feature = "sodium")]
pub use chosen::{below, close, fill, name, number, seed, seed_if_any, stir};

/// The source that the program has chosen, or else the operating system.
#[cfg(feature = "sodium")]
mod chosen {
    use core::ffi::{c_char, c_int};

    use super::{Out, fill_from_system};
    use crate::pointers::chosen_source;

    /// Fills memory; zeros if there is no randomness.
    fn try_to_fill(room: &mut [u8]) -> Option<()> {
        match chosen_source().and_then(|source| source.fill) {
            _ if room.is_empty() => Some(()),
            Some(fill) => {
                fill(room.as_mut_ptr().cast(), room.len());
                Some(())
            }
            None => fill_from_system(room),
        }
    }

    /// Fills memory. A program without randomness ends: functions without a result cannot say so, and nobody looks at the results of those that
    /// make keys, since libsodium's always succeed or end the program.
    fn fill_room(room: &mut [u8]) {
        try_to_fill(room).unwrap_or_else(|| crate::runtime::misuse());
    }

    /// Fills memory of the caller. A program ends that asks for bytes at null, or for more than memory can have: it would take what is there for random.
    pub fn fill(out: Out, length: impl TryInto<usize>) {
        let room = length.try_into().ok().and_then(|length| out.room(length));
        fill_room(room.unwrap_or_else(|| crate::runtime::misuse()));
    }

    /// 32 bytes for a function whose failure callers expect; none without randomness.
    pub fn seed_if_any() -> Option<zeroize::Zeroizing<[u8; 32]>> {
        let mut seed = zeroize::Zeroizing::new([0; 32]);
        try_to_fill(&mut *seed)?;
        Some(seed)
    }

    pub fn seed<const N: usize>() -> zeroize::Zeroizing<[u8; N]> {
        let mut seed = zeroize::Zeroizing::new([0; N]);
        fill_room(&mut *seed);
        seed
    }

    pub fn number() -> u32 {
        match chosen_source().and_then(|source| source.random) {
            Some(random) => random(),
            None => {
                let mut bytes = [0; 4];
                fill_room(&mut bytes);
                u32::from_le_bytes(bytes)
            }
        }
    }

    /// A number below a bound; 0 if there is none. Of 2^32 numbers the first few are not taken, so that as many of the others
    /// leave each remainder.
    pub fn below(bound: u32) -> u32 {
        if let Some(uniform) = chosen_source().and_then(|source| source.uniform) {
            return uniform(bound);
        }
        if bound < 2 {
            return 0;
        }
        let first = bound.wrapping_neg() % bound;
        loop {
            let number = number();
            if number >= first {
                return number % bound;
            }
        }
    }

    pub fn stir() {
        if let Some(stir) = chosen_source().and_then(|source| source.stir) {
            stir();
        }
    }

    pub fn close() -> c_int {
        chosen_source().and_then(|source| source.close).map_or(0, |close| close())
    }

    pub fn name() -> *const c_char {
        chosen_source().and_then(|source| source.name).map_or(c"system".as_ptr(), |name| name())
    }
}
