//! The instruction cache before the flash: 16 KiB in two ways of lines of 32 bytes; the line that was used longest ago is replaced.

/// Size of a line, in bytes, as a power of two.
const LINE_BITS: u32 = 5;
/// Number of sets.
const SETS: usize = 256;

/// Which lines of memory are in the cache.
#[derive(Debug)]
pub(crate) struct Cache {
    /// Lines in each set, the one last used first.
    sets: Vec<[u32; 2]>,
    /// The line of the last instruction.
    current: u32,
}

/// A line that no memory has.
const NO_LINE: u32 = u32::MAX;

impl Cache {
    pub(crate) fn new() -> Self {
        Self { sets: vec![[NO_LINE; 2]; SETS], current: NO_LINE }
    }

    /// Fetches the line of an address, and says whether it was missing.
    #[inline(always)]
    pub(crate) fn misses(&mut self, address: u32) -> bool {
        let line = address >> LINE_BITS;
        if line == self.current {
            return false;
        }
        self.current = line;
        let set = &mut self.sets[line as usize % SETS];
        if set[0] == line {
            return false;
        }
        let is_missing = set[1] != line;
        *set = [line, set[0]];
        is_missing
    }
}
