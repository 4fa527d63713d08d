//! Files from which versions of symbols are needed. The loader takes no symbol of another version, though it has the
//! name.

use std::collections::BTreeMap;

use object::elf;

use super::ImageError;
use super::dynamic::{Tables, damaged, number};

/// Name of the file that is the C library.
const LIBRARY: &[u8] = b"libc.so.6";
/// Maximum number of entries in all lists; there are fewer numbers for versions.
const MAX_ENTRIES: usize = 1 << 15;
const WHAT: &str = "versions";

/// Whether each version is needed from the C library, by the version's number.
pub(super) struct Versions(BTreeMap<u64, bool>);

impl Versions {
    pub fn read(tables: &Tables) -> Result<Versions, ImageError> {
        const FILE_BYTES: u64 = 16;
        const NEEDED_BYTES: u64 = 16;
        const DEFINED_BYTES: u64 = 20;
        let (mut all, mut left) = (BTreeMap::new(), MAX_ENTRIES);
        if let Some(start) = tables.value(elf::DT_VERNEED) {
            for (address, file) in list(tables, start, FILE_BYTES, 12, &mut left)? {
                let is_library = tables.name(number(&file[4..8]))? == LIBRARY;
                let first = address.saturating_add(number(&file[8..12]));
                for (_, needed) in list(tables, first, NEEDED_BYTES, 12, &mut left)? {
                    // The loader goes on even if a weak version is missing.
                    let is_certain = is_library && number(&needed[4..6]) & u64::from(elf::VER_FLG_WEAK) == 0;
                    let version = number(&needed[6..8]) & u64::from(elf::VERSYM_VERSION);
                    *all.entry(version).or_insert(true) &= is_certain;
                }
            }
        }
        if let Some(start) = tables.value(elf::DT_VERDEF) {
            for (_, defined) in list(tables, start, DEFINED_BYTES, 16, &mut left)? {
                // The version of the file itself is no symbol's.
                if number(&defined[2..4]) & u64::from(elf::VER_FLG_BASE) == 0 {
                    all.insert(number(&defined[4..6]) & u64::from(elf::VERSYM_VERSION), false);
                }
            }
        }
        Ok(Versions(all))
    }

    /// Whether a symbol with this version is the C library's, if the library has its name; a symbol without a version
    /// is taken to be.
    pub fn is_of_library(&self, version: u64) -> bool {
        self.0.get(&version).copied().unwrap_or(version <= u64::from(elf::VER_NDX_GLOBAL))
    }
}

/// Returns the entries of a list with their addresses; at `next` each entry says how far it is to the one after it.
/// `left` is the number of entries that all lists may still have.
fn list<'image>(
    tables: &Tables<'image>,
    start: u64,
    length: u64,
    next: usize,
    left: &mut usize,
) -> Result<Vec<(u64, &'image [u8])>, ImageError> {
    let (mut all, mut address) = (Vec::new(), start);
    loop {
        *left = left.checked_sub(1).ok_or_else(|| damaged(format!("there are more than {MAX_ENTRIES} {WHAT}")))?;
        let entry = tables.bytes(WHAT, address, length)?;
        all.push((address, entry));
        let distance = number(&entry[next..next + 4]);
        if distance == 0 {
            return Ok(all);
        }
        address = address.saturating_add(distance);
    }
}
