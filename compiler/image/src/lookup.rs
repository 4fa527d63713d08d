//! Lookup of names as the loader does it: a table of hashes leads to a chain of symbols, and the loader takes the first
//! that counts as a definition. Here that has to be the only one, so that no loader takes another.

use std::collections::BTreeMap;

use object::elf;

use super::dynamic::{Tables, damaged, number};
use super::names::{ABSOLUTE, CHOSEN_LATER, Known, NO_FUNCTION, NOT_FOUND, SEVERAL, printable};
use super::versions::Versions;
use super::{Function, ImageError};

/// A symbol as the loader sees it.
pub(super) struct Symbol<'image> {
    pub name: &'image [u8],
    info: u8,
    visibility: u8,
    section: u16,
    /// Number of its version, and whether it is hidden; `None` in a file without versions.
    version: Option<u64>,
    value: u64,
    pub size: u64,
}

pub(super) const SYMBOL_BYTES: u64 = 24;
const VERSION_BYTES: u64 = 2;
/// The version of symbols that have none.
const FIRST_VERSION: u64 = 1;
const HIDDEN_VERSION: u64 = 0x8000;
const CHAINS: &str = "chains of symbols";

/// A table that leads from the hash of a name to the symbols that may have it.
enum Hashes<'image> {
    /// The table of the System V ABI. A bucket has the number of a symbol, and each symbol has the number of the next
    /// one.
    Plain { buckets: &'image [u8], next: &'image [u8] },
    /// GNU's table. Two bits of a word of the filter say whether there may be a symbol. The symbols of a bucket follow
    /// each other. Each symbol from the `first` on has a hash, which is odd for the last symbol of a bucket.
    Gnu { filter: &'image [u8], shift: u64, buckets: &'image [u8], first: u64, hashes: &'image [u8] },
}

/// Returns what the loader finds by each name.
///
/// # Errors
///
/// If a symbol of another file has a value: depending on who asks, that counts as a definition or not.
pub(super) fn functions(tables: &Tables) -> Result<BTreeMap<String, Known>, ImageError> {
    let all = Hashes::all(tables)?;
    let mut functions = BTreeMap::new();
    let count = all.iter().map(Hashes::count).max().unwrap_or(0);
    let symbols: Vec<Symbol> = (0..count).map(|index| Symbol::read(tables, index)).collect::<Result<_, _>>()?;
    for (index, symbol) in symbols.iter().enumerate() {
        let name = printable(symbol.name);
        if symbol.section == elf::SHN_UNDEF && symbol.value != 0 {
            let what = "is another file's and has an address in this one; link position-independent code";
            return Err(damaged(format!("`{name}` {what}")));
        }
        if !symbol.is_definition() || symbol.binding() == elf::STB_LOCAL {
            continue;
        }
        let mut is_found = symbol.is_offered();
        for hashes in &all {
            is_found &= hashes.definitions(tables, &symbols, symbol.name)? == [index];
        }
        let known = if functions.contains_key(&name) {
            Err(SEVERAL)
        } else if is_found {
            symbol.known()
        } else {
            Err(NOT_FOUND)
        };
        functions.insert(name, known);
    }
    Ok(functions)
}

impl<'image> Hashes<'image> {
    /// Reads the tables of both kinds, since loaders use the one or the other.
    fn all(tables: &Tables<'image>) -> Result<Vec<Hashes<'image>>, ImageError> {
        let gnu = tables.value(elf::DT_GNU_HASH).map(|address| Hashes::gnu(tables, address));
        let plain = tables.value(elf::DT_HASH).map(|address| Hashes::plain(tables, address));
        let all: Vec<Hashes> = gnu.into_iter().chain(plain).collect::<Result<_, _>>()?;
        if all.is_empty() {
            return Err(damaged("the dynamic section does not say by what the loader finds symbols".to_owned()));
        }
        Ok(all)
    }

    fn plain(tables: &Tables<'image>, address: u64) -> Result<Hashes<'image>, ImageError> {
        let head = tables.bytes(CHAINS, address, 8)?;
        let (buckets, symbols) = (number(&head[..4]), number(&head[4..]));
        let all = tables.bytes(CHAINS, address.saturating_add(8), 4 * (buckets + symbols))?;
        if words(all).any(|index| index >= symbols) {
            return Err(damaged(format!("the {CHAINS} at {address:#x} lead to none")));
        }
        let (buckets, next) = all.split_at(4 * buckets as usize);
        Ok(Hashes::Plain { buckets, next })
    }

    fn gnu(tables: &Tables<'image>, address: u64) -> Result<Hashes<'image>, ImageError> {
        let head = tables.bytes(CHAINS, address, 16)?;
        let [count, first, filters, shift] = [0, 4, 8, 12].map(|at| number(&head[at..at + 4]));
        if !filters.is_power_of_two() || shift >= 32 {
            return Err(damaged(format!("the {CHAINS} at {address:#x} have a filter that loaders do not read")));
        }
        let after = |address: u64, length: u64| address.saturating_add(length);
        let filter = tables.bytes(CHAINS, after(address, 16), 8 * filters)?;
        let start = after(address, 16 + 8 * filters);
        let buckets = tables.bytes(CHAINS, start, 4 * count)?;
        let starts = || words(buckets).filter(|&start| start != 0);
        if starts().any(|start| start < first) {
            return Err(damaged(format!("the {CHAINS} at {address:#x} lead to none")));
        }
        let start = after(start, 4 * count);
        let length = match starts().max() {
            None => 0,
            Some(last) => {
                let rest = tables.rest(start).unwrap_or_default();
                let more = (last - first..).map_while(|index| word(rest, index)).position(|hash| hash & 1 != 0);
                more.map_or(u64::MAX / 4, |more| last - first + more as u64 + 1)
            }
        };
        Ok(Hashes::Gnu { filter, shift, buckets, first, hashes: tables.bytes(CHAINS, start, 4 * length)? })
    }

    /// Returns the number of symbols; chains lead to some of them.
    fn count(&self) -> u64 {
        match self {
            Hashes::Plain { next, .. } => words(next).len() as u64,
            Hashes::Gnu { first, hashes, .. } if !hashes.is_empty() => first + words(hashes).len() as u64,
            Hashes::Gnu { .. } => 0,
        }
    }

    /// Returns the definitions to which the chain of a name leads, by their numbers.
    fn definitions(&self, tables: &Tables, symbols: &[Symbol], name: &[u8]) -> Result<Vec<usize>, ImageError> {
        let chain = self.chain(tables, name)?;
        tables.spend(chain.len() * name.len())?;
        let is_found =
            |&index: &usize| symbols.get(index).is_some_and(|symbol| symbol.name == name && symbol.is_definition());
        Ok(chain.into_iter().map(|index| index as usize).filter(is_found).collect())
    }

    fn chain(&self, tables: &Tables, name: &[u8]) -> Result<Vec<u64>, ImageError> {
        const WORD: usize = 4;
        match *self {
            Hashes::Plain { buckets, next } => {
                let (mut chain, mut index) = (Vec::new(), bucket(buckets, plain_hash(name)));
                while index != 0 {
                    if chain.len() >= words(next).len() {
                        return Err(damaged(format!("{CHAINS} lead round in circles")));
                    }
                    tables.spend(WORD)?;
                    chain.push(index);
                    index = word(next, index).unwrap_or(0);
                }
                Ok(chain)
            }
            Hashes::Gnu { filter, shift, buckets, first, hashes } => {
                let hash = gnu_hash(name);
                let place = 8 * (hash / 64 % (filter.len() as u64 / 8)) as usize;
                let bits = number(&filter[place..place + 8]);
                let start = bucket(buckets, hash);
                if bits >> (hash % 64) & bits >> ((hash >> shift) % 64) & 1 == 0 || start == 0 {
                    return Ok(Vec::new());
                }
                let mut chain = Vec::new();
                for index in start.. {
                    let Some(other) = word(hashes, index - first) else { break };
                    tables.spend(WORD)?;
                    if other >> 1 == hash >> 1 {
                        chain.push(index);
                    }
                    if other & 1 != 0 {
                        break;
                    }
                }
                Ok(chain)
            }
        }
    }
}

/// Returns the numbers that bytes hold, of four bytes each.
fn words(bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> {
    bytes.chunks_exact(4).map(number)
}

fn word(bytes: &[u8], index: u64) -> Option<u64> {
    let rest = bytes.get(usize::try_from(index.checked_mul(4)?).ok()?..)?;
    rest.get(..4).map(number)
}

/// Returns the number of the first symbol of a bucket; zero for none.
fn bucket(buckets: &[u8], hash: u64) -> u64 {
    let place = hash.checked_rem(words(buckets).len() as u64);
    place.and_then(|place| word(buckets, place)).unwrap_or(0)
}

/// The hash of the System V ABI, in 28 bits.
fn plain_hash(name: &[u8]) -> u64 {
    name.iter().fold(0, |hash, &byte| {
        let sum = (hash << 4) + u64::from(byte);
        (sum ^ (sum >> 28 & 0xf) << 4) & 0xfff_ffff
    })
}

/// The hash of GNU's table, in 32 bits.
fn gnu_hash(name: &[u8]) -> u64 {
    name.iter().fold(5381, |hash, &byte| (33 * hash + u64::from(byte)) & 0xffff_ffff)
}

impl<'image> Symbol<'image> {
    /// Reads a symbol by its number.
    pub fn read(tables: &Tables<'image>, index: u64) -> Result<Symbol<'image>, ImageError> {
        let at = |start: u64, bytes: u64| index.checked_mul(bytes).and_then(|distance| start.checked_add(distance));
        let address = at(tables.needed(elf::DT_SYMTAB, "symbols")?, SYMBOL_BYTES);
        let bytes = tables.bytes("symbols", address.unwrap_or(u64::MAX), SYMBOL_BYTES)?;
        let version = tables.value(elf::DT_VERSYM).map(|start| {
            let address = at(start, VERSION_BYTES).unwrap_or(u64::MAX);
            tables.bytes("versions of symbols", address, VERSION_BYTES).map(number)
        });
        Ok(Symbol {
            name: tables.name(number(&bytes[..4]))?,
            info: bytes[4],
            visibility: bytes[5] & 3,
            section: number(&bytes[6..8]) as u16,
            version: version.transpose()?,
            value: number(&bytes[8..16]),
            size: number(&bytes[16..]),
        })
    }

    fn binding(&self) -> u8 {
        self.info >> 4
    }

    fn kind(&self) -> u8 {
        self.info & 0xf
    }

    /// Whether the symbol is that of a function that chooses another one when the file is loaded.
    pub fn is_chooser(&self) -> bool {
        self.kind() == elf::STT_GNU_IFUNC
    }

    /// Whether the loader may take the symbol for the one that it looks for.
    fn is_definition(&self) -> bool {
        self.value != 0 || self.section == elf::SHN_ABS || self.kind() == elf::STT_TLS
    }

    /// Whether the loader takes the symbol for whoever asks by the name alone.
    fn is_offered(&self) -> bool {
        const KINDS: [u8; 6] =
            [elf::STT_NOTYPE, elf::STT_OBJECT, elf::STT_FUNC, elf::STT_COMMON, elf::STT_TLS, elf::STT_GNU_IFUNC];
        KINDS.contains(&self.kind())
            && [elf::STV_DEFAULT, elf::STV_PROTECTED].contains(&self.visibility)
            && [elf::STB_GLOBAL, elf::STB_WEAK, elf::STB_GNU_UNIQUE].contains(&self.binding())
            && self.version.is_none_or(|version| (FIRST_VERSION..HIDDEN_VERSION).contains(&version))
    }

    fn known(&self) -> Known {
        match self.kind() {
            // The loader takes the first such symbol of all files.
            _ if self.binding() == elf::STB_GNU_UNIQUE => Err(CHOSEN_LATER),
            _ if self.section == elf::SHN_ABS => Err(ABSOLUTE),
            elf::STT_FUNC => Ok(Function { address: self.value, size: self.size }),
            elf::STT_GNU_IFUNC => Err(CHOSEN_LATER),
            _ => Err(NO_FUNCTION),
        }
    }

    /// Whether the symbol is another file's for certain, and the C library's if that has its name: the loader takes
    /// hidden symbols from this file, and weak ones may be absent.
    pub fn is_import(&self, versions: &Versions) -> bool {
        self.section == elf::SHN_UNDEF
            && self.value == 0
            && self.binding() == elf::STB_GLOBAL
            && self.visibility == elf::STV_DEFAULT
            && self.version.is_none_or(|version| versions.is_of_library(version & !HIDDEN_VERSION))
    }
}
