//! Memory as a function sees it: regions that its arguments point to, its stack, and the constants of the image.

use std::collections::BTreeMap;
use std::fmt;

use culet_isa::x86_64;
use culet_term::{Node, Term, Terms};

use crate::image::{Access, Image};

/// What a function may do with a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Read,
    Write,
}

/// A stretch of memory at an unknown address, apart from all others.
#[derive(Debug, Clone)]
pub struct Region {
    pub name: String,
    /// The unknown part of the address: an input, with as many zeros below it as the region's alignment has.
    base: Term,
    /// What may be accessed, as distances from the base.
    pub extent: std::ops::Range<i64>,
    pub alignment: u64,
    pub permission: Permission,
    contents: Contents,
    /// Distances that were written.
    written: Spans,
    /// The lowest distance that was read or written; where none was, the end.
    pub lowest: i64,
}

/// Terms by their distance from the base, none overlapping.
type Contents = BTreeMap<i64, Term>;

/// Sorted disjoint ranges.
#[derive(Debug, Clone, Default)]
struct Spans(BTreeMap<i64, i64>);

/// Which region, in the order they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegionId(usize);

/// An access that memory safety forbids, or that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The address is neither a constant nor a region's base and a constant.
    Unknown {
        address: Term,
    },
    /// Outside the region: the distance from its base, and the bytes.
    Outside {
        region: String,
        offset: i64,
        bytes: u32,
        extent: std::ops::Range<i64>,
    },
    ReadOnly {
        region: String,
        offset: i64,
    },
    /// The instruction demands more than the region's declared alignment gives.
    Misaligned {
        region: String,
        offset: i64,
        demanded: u32,
    },
    /// A constant address where the image has no constants.
    NoConstants {
        address: u64,
        bytes: u32,
    },
    /// A write to the image.
    WriteToImage {
        address: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unknown { .. } => {
                write!(f, "an address is neither a constant nor at a known place of an argument or the stack")
            }
            Fault::Outside { region, offset, bytes, extent } => {
                write!(
                    f,
                    "{bytes} bytes at {region}{offset:+} are accessed; {region} has {} to {}",
                    extent.start, extent.end
                )
            }
            Fault::ReadOnly { region, offset } => write!(f, "{region}{offset:+} is written, which may only be read"),
            Fault::Misaligned { region, offset, demanded } => {
                write!(
                    f,
                    "the access to {region}{offset:+} needs an alignment of {demanded} bytes that nothing promises"
                )
            }
            Fault::NoConstants { address, bytes } => {
                write!(f, "{bytes} bytes at {address:#x} are read, where there are no constants")
            }
            Fault::WriteToImage { address } => write!(f, "{address:#x}, in the image itself, is written"),
        }
    }
}

/// Where an address points.
enum Place {
    Image(u64),
    Region(usize, i64),
}

/// All memory of one execution.
#[derive(Debug, Clone)]
pub struct Memory<'i> {
    image: &'i Image,
    regions: Vec<Region>,
    pub loads: u64,
    pub stores: u64,
}

impl<'i> Memory<'i> {
    pub fn new(image: &'i Image) -> Memory<'i> {
        Memory { image, regions: Vec::new(), loads: 0, stores: 0 }
    }

    /// A new region. `alignment` is a power of two.
    pub fn add(
        &mut self,
        terms: &mut Terms,
        name: &str,
        extent: std::ops::Range<i64>,
        alignment: u64,
        permission: Permission,
    ) -> RegionId {
        let zeros = alignment.trailing_zeros();
        let base = terms.input(&format!("&{name} / {alignment}"), 64 - zeros);
        let contents = Contents::new();
        let lowest = extent.end;
        self.regions.push(Region {
            name: name.into(),
            base,
            extent,
            alignment,
            permission,
            contents,
            written: Spans::default(),
            lowest,
        });
        RegionId(self.regions.len() - 1)
    }

    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }

    pub fn regions(&self) -> impl Iterator<Item = (RegionId, &Region)> {
        self.regions.iter().enumerate().map(|(index, region)| (RegionId(index), region))
    }

    /// The address at a distance from a region's base.
    pub fn address(&self, terms: &mut Terms, id: RegionId, offset: i64) -> Term {
        let Region { base, alignment, .. } = self.regions[id.0];
        let zeros = alignment.trailing_zeros();
        let whole = if zeros == 0 {
            base
        } else {
            let low = terms.constant_wide(zeros, &[0]);
            terms.concat(&[low, base])
        };
        let distance = terms.constant_wide(64, &[offset as u64]);
        terms.add(whole, distance)
    }

    /// Puts a value into a region, whatever its permission.
    pub fn set(&mut self, terms: &mut Terms, id: RegionId, offset: i64, value: Term) {
        self.regions[id.0].put(terms, offset, value);
    }

    /// What a region holds.
    pub fn get(&mut self, terms: &mut Terms, id: RegionId, offset: i64, bytes: u32) -> Term {
        self.regions[id.0].get(terms, offset, bytes)
    }

    fn place(&self, terms: &Terms, address: Term) -> Result<Place, Fault> {
        if let Some(value) = terms.value(address) {
            return Ok(Place::Image(value));
        }
        let unknown = Fault::Unknown { address };
        let (base, offset) = base_and_distance(terms, address).ok_or(unknown.clone())?;
        let index = self.regions.iter().position(|region| region.base == base).ok_or(unknown)?;
        Ok(Place::Region(index, offset))
    }

    fn access(&mut self, index: usize, offset: i64, bytes: u32, alignment: u32) -> Result<(), Fault> {
        let region = &mut self.regions[index];
        let name = || region.name.clone();
        if offset < region.extent.start || offset.saturating_add(i64::from(bytes)) > region.extent.end {
            return Err(Fault::Outside { region: name(), offset, bytes, extent: region.extent.clone() });
        }
        let demanded = u64::from(alignment.max(1));
        if !region.alignment.is_multiple_of(demanded) || !offset.unsigned_abs().is_multiple_of(demanded) {
            return Err(Fault::Misaligned { region: name(), offset, demanded: alignment });
        }
        region.lowest = region.lowest.min(offset);
        Ok(())
    }
}

/// The unknown part of an address and the known distance from it: `base << zeros + distance`.
fn base_and_distance(terms: &Terms, address: Term) -> Option<(Term, i64)> {
    let (low, zeros, high) = match terms.node(address) {
        Node::Concat(pieces) => {
            let [low, high] = pieces[..] else { return None };
            (terms.value(low)?, terms.bits(low), high)
        }
        _ => (0, 0, address),
    };
    let (base, distance) = terms.base_and_offset(high);
    // The distance is a number of 64 - zeros bits, negative if its top bit is set.
    let wide = ((distance << zeros) as i64).checked_add(low as i64)?;
    Some((base, wide))
}

impl x86_64::Memory<Terms> for Memory<'_> {
    type Fault = Fault;

    fn load(&mut self, terms: &mut Terms, address: &Term, bytes: u32, alignment: u32) -> Result<Term, Fault> {
        self.loads += 1;
        match self.place(terms, *address)? {
            Place::Image(address) => {
                let none = Fault::NoConstants { address, bytes };
                let constants = self.image.constants(address, bytes as usize).ok_or(none)?;
                if !address.is_multiple_of(u64::from(alignment.max(1))) {
                    return Err(Fault::Misaligned {
                        region: "a constant".into(),
                        offset: address as i64,
                        demanded: alignment,
                    });
                }
                Ok(constant(terms, constants))
            }
            Place::Region(index, offset) => {
                self.access(index, offset, bytes, alignment)?;
                Ok(self.regions[index].get(terms, offset, bytes))
            }
        }
    }

    fn store(
        &mut self,
        terms: &mut Terms,
        address: &Term,
        bytes: u32,
        alignment: u32,
        value: &Term,
    ) -> Result<(), Fault> {
        self.stores += 1;
        match self.place(terms, *address)? {
            Place::Image(address) => Err(Fault::WriteToImage { address }),
            Place::Region(index, offset) => {
                self.access(index, offset, bytes, alignment)?;
                let region = &mut self.regions[index];
                if region.permission == Permission::Read {
                    return Err(Fault::ReadOnly { region: region.name.clone(), offset });
                }
                region.put(terms, offset, *value);
                region.written.add(offset, offset + i64::from(bytes));
                Ok(())
            }
        }
    }
}

/// A term of constant bytes, the first one lowest.
fn constant(terms: &mut Terms, bytes: &[u8]) -> Term {
    let limbs: Vec<u64> =
        bytes.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |limb, &byte| limb << 8 | u64::from(byte))).collect();
    terms.constant_wide(8 * bytes.len() as u32, &limbs)
}

impl Region {
    /// Ranges of distances that were written.
    pub fn written(&self) -> impl Iterator<Item = std::ops::Range<i64>> {
        self.written.0.iter().map(|(&start, &end)| start..end)
    }

    fn put(&mut self, terms: &mut Terms, offset: i64, value: Term) {
        let end = offset + bytes_of(terms, value);
        self.split(terms, offset);
        self.split(terms, end);
        let covered: Vec<i64> = self.contents.range(offset..end).map(|(&start, _)| start).collect();
        for start in covered {
            self.contents.remove(&start);
        }
        self.contents.insert(offset, value);
    }

    /// Makes a piece begin at a distance, if one lies across it.
    fn split(&mut self, terms: &mut Terms, at: i64) {
        let Some((&start, &term)) = self.contents.range(..at).next_back() else { return };
        let end = start + bytes_of(terms, term);
        if end > at {
            let low = terms.extract(term, 0, 8 * (at - start) as u32);
            let high = terms.extract(term, 8 * (at - start) as u32, 8 * (end - at) as u32);
            self.contents.insert(start, low);
            self.contents.insert(at, high);
        }
    }

    /// The bytes at a distance; what was never written there is unknown, but always the same.
    fn get(&mut self, terms: &mut Terms, offset: i64, bytes: u32) -> Term {
        let end = offset + i64::from(bytes);
        let mut pieces = Vec::new();
        let mut at = offset;
        while at < end {
            let found = self.contents.range(..=at).next_back().map(|(&start, &term)| (start, term));
            match found.map(|(start, term)| (start, term, start + bytes_of(terms, term))) {
                Some((start, term, piece_end)) if piece_end > at => {
                    let until = piece_end.min(end);
                    pieces.push(terms.extract(term, 8 * (at - start) as u32, 8 * (until - at) as u32));
                    at = until;
                }
                _ => {
                    let next = self.contents.range(at..end).next().map_or(end, |(&start, _)| start);
                    // Another execution may ask for more or fewer bytes there.
                    let bits = 8 * (next - at) as u32;
                    let unknown = terms.input(&format!("{bits} bits at {}{at:+}", self.name), bits);
                    self.contents.insert(at, unknown);
                }
            }
        }
        terms.concat(&pieces)
    }
}

fn bytes_of(terms: &Terms, value: Term) -> i64 {
    i64::from(terms.bits(value) / 8)
}

impl Spans {
    fn add(&mut self, start: i64, end: i64) {
        let (mut start, mut end) = (start, end);
        let touching: Vec<i64> =
            self.0.range(..=end).rev().take_while(|&(_, &e)| e >= start).map(|(&s, _)| s).collect();
        for s in touching {
            let e = self.0.remove(&s).unwrap_or(end);
            start = start.min(s);
            end = end.max(e);
        }
        self.0.insert(start, end);
    }
}

/// Whether the loader lets a program execute what is at an address.
pub fn executable(image: &Image, address: u64) -> bool {
    image.access(address) == Some(Access::Code)
}
