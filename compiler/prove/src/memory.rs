//! Memory as a function sees it: regions that its arguments point to, its stack, and the constants of the image.

mod constants;
mod contents;
mod fault;
mod ranges;
mod signals;
mod spans;
mod writers;

use std::collections::BTreeMap;
use std::rc::Rc;

use culet_image::{Access, Image, Target};
use culet_isa::x86_64::{self, Filled, Instruction};
use culet_term::{Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::symbolic::Symbolic;
use crate::unknown::{Area, Since, Unknown};

use constants::Bases;
use contents::Contents;
use fault::UNKNOWN_ADDRESS;
pub use fault::{Fault, Instead};
pub use ranges::CHUNK;
use signals::Signals;
use spans::Spans;
use writers::Writers;

/// Access of a function to a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Read,
    Write,
}

/// A stretch of memory at an unknown address, apart from all others.
#[derive(Debug, Clone)]
pub struct Region<W = Term> {
    pub name: String,
    area: Area,
    /// Since when what it holds is unknown.
    since: Since,
    /// The unknown part of the address: an input, with as many zeros below it as the region's alignment has.
    base: Term,
    /// Offsets from the base that may be accessed.
    pub extent: std::ops::Range<i64>,
    pub alignment: u64,
    pub permission: Permission,
    /// Whether all of the extent is memory for certain. Of a stack, only the part that was used is.
    is_whole: bool,
    /// Whether the region has memory for certain: the pointer is not null.
    is_there: bool,
    contents: Contents<W>,
    /// Offsets that were written.
    written: Spans,
    pub writers: Writers,
    /// The lowest offset that was read or written; the end of the extent if there is none.
    pub lowest: i64,
}

/// Bound of offsets from a region's base, in bytes: no memory is so far from it, and sums with such offsets do not
/// overflow.
const FAR: u64 = 1 << 60;

/// Index of a region, in the order in which regions were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegionId(usize);

/// Place that an address points to.
enum Place {
    Image(u64),
    Region(usize, i64),
}

/// All memory of one execution.
#[derive(Debug, Clone)]
pub struct Memory<'i, W = Term> {
    image: &'i Image,
    bases: Rc<Bases>,
    regions: Vec<Region<W>>,
    /// Pairs of regions, the first read and the second written, that may be the same memory.
    in_place: Vec<(usize, usize)>,
    signals: Signals<W>,
    /// Unknown return addresses of calls that the final link changes, each with the address in the image that it leads
    /// to.
    returns: FxHashMap<Term, u64>,
    /// Bytes of the image's own variables that are taken for granted, by their addresses.
    variables: Rc<BTreeMap<u64, u8>>,
    pub loads: u64,
    pub stores: u64,
    /// The address of the instruction under way.
    pub now: u64,
}

impl<'i, W> Memory<'i, W> {
    pub fn new(image: &'i Image, terms: &mut Terms) -> Memory<'i, W> {
        Memory {
            image,
            bases: Rc::new(Bases::new(image, terms)),
            regions: Vec::new(),
            in_place: Vec::new(),
            signals: Signals::default(),
            returns: FxHashMap::default(),
            variables: Rc::default(),
            loads: 0,
            stores: 0,
            now: 0,
        }
    }

    /// Adds a region. `alignment` is a power of two.
    pub fn add(
        &mut self,
        terms: &mut Terms,
        (area, name): (Area, &str),
        extent: std::ops::Range<i64>,
        alignment: u64,
        permission: Permission,
    ) -> RegionId {
        let zeros = alignment.trailing_zeros();
        let base = Unknown::Base(area).word(terms, &format!("&{name} / {alignment}"), 64 - zeros);
        let contents = Contents::default();
        let lowest = extent.end;
        self.regions.push(Region {
            name: name.into(),
            area,
            since: Since::Entry,
            base,
            extent,
            alignment,
            permission,
            is_whole: true,
            is_there: false,
            contents,
            written: Spans::default(),
            writers: Writers::default(),
            lowest,
        });
        RegionId(self.regions.len() - 1)
    }

    /// Adds the stack. The stack pointer is never above `top`.
    pub fn add_stack(&mut self, terms: &mut Terms, extent: std::ops::Range<i64>, top: i64, alignment: u64) -> RegionId {
        let stack = self.add(terms, (Area::Stack, "stack"), extent, alignment, Permission::Write);
        self.regions[stack.0].is_whole = false;
        self.signals.top = top;
        self.set_there(stack);
        stack
    }

    /// Adds the stack of another execution of the same function: at the same addresses, and with unknown contents.
    pub fn add_stack_of(&mut self, terms: &mut Terms, other: &Memory<'_, W>, stack: RegionId) -> RegionId {
        let Region { extent, alignment, .. } = &other.regions[stack.0];
        let stack = self.add_stack(terms, extent.clone(), other.signals.top, *alignment);
        self.forget_all(stack, "stack in the loop");
        stack
    }

    /// Takes for granted that variables of the image hold these bytes.
    pub fn assume(&mut self, variables: BTreeMap<u64, u8>) {
        self.variables = Rc::new(variables);
    }

    /// Declares that the region has memory, and none at address zero.
    pub fn set_there(&mut self, id: RegionId) {
        self.regions[id.0].is_there = true;
    }

    /// A region of which nothing is known holds something else than at the entry; the name is that of what it holds now.
    pub fn forget_all(&mut self, id: RegionId, name: &str) {
        let region = &mut self.regions[id.0];
        region.since = Since::Loop;
        name.clone_into(&mut region.name);
    }

    pub fn region(&self, id: RegionId) -> &Region<W> {
        &self.regions[id.0]
    }

    pub fn regions(&self) -> impl Iterator<Item = (RegionId, &Region<W>)> {
        self.regions.iter().enumerate().map(|(index, region)| (RegionId(index), region))
    }

    /// Returns the address at an offset from a region's base.
    pub fn address(&self, terms: &mut Terms, id: RegionId, offset: i64) -> Term {
        let Region { base, alignment, .. } = self.regions[id.0];
        at_distance(terms, base, alignment, offset)
    }

    /// Puts a value into a region, whatever its permission.
    pub fn set<V: Symbolic<Word = W>>(&mut self, values: &mut V, id: RegionId, offset: i64, value: W) {
        self.regions[id.0].put(values, offset, value);
    }

    /// Returns the contents of a region.
    pub fn get<V: Symbolic<Word = W>>(&mut self, values: &mut V, id: RegionId, offset: i64, bytes: u32) -> W {
        self.regions[id.0].get(values, offset, bytes)
    }

    fn place<V: Symbolic<Word = W>>(&self, values: &V, address: &W) -> Result<Place, Fault> {
        let unknown = || Fault::unknown(UNKNOWN_ADDRESS, values, address);
        let terms = values.terms();
        let term = values.term(address).ok_or_else(unknown)?;
        if let Some(value) = terms.value(term) {
            return match self.image.anchor(value) {
                Some(_) => Err(Fault::Fixed { address: value }),
                None => Ok(Place::Image(value)),
            };
        }
        let parts = base_and_distance(terms, term).filter(|(_, distance)| distance.unsigned_abs() < FAR);
        let (base, offset) = parts.ok_or_else(unknown)?;
        match self.regions.iter().position(|region| region.base == base) {
            Some(index) => Ok(Place::Region(index, offset)),
            None => self.bases.place(self.image, base, offset).ok_or_else(unknown)?.map(Place::Image),
        }
    }

    fn access(&mut self, index: usize, offset: i64, bytes: u32, alignment: u32) -> Result<(), Fault> {
        let region = &mut self.regions[index];
        let name = || region.name.clone();
        if offset < region.extent.start || offset.saturating_add(i64::from(bytes)) > region.extent.end {
            let extent = region.extent.clone();
            let is_below_stack = region.area == Area::Stack && offset < extent.start;
            return Err(Fault::Outside { region: name(), is_below_stack, offset, bytes, extent });
        }
        let demanded = u64::from(alignment.max(1));
        if !region.alignment.is_multiple_of(demanded) || !offset.unsigned_abs().is_multiple_of(demanded) {
            return Err(Fault::Misaligned { region: name(), offset, demanded: alignment });
        }
        region.lowest = region.lowest.min(offset);
        Ok(())
    }
}

/// Returns the address at an offset from the multiple of `alignment` with this unknown part.
fn at_distance(terms: &mut Terms, base: Term, alignment: u64, offset: i64) -> Term {
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

/// Returns the unknown part of an address and the known distance from it: `base << zeros + distance`.
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

impl<V: Symbolic> x86_64::Memory<V> for Memory<'_, V::Word> {
    type Fault = Fault;

    fn displaced(&mut self, values: &mut V, instruction: &Instruction, address: u64) -> V::Word {
        let target = Target { anchor: self.image.displaced_anchor(instruction), address };
        let term = self.bases.address(self.image, values.terms_mut(), target);
        values.word(term)
    }

    fn linked(&mut self, values: &mut V, instruction: &Instruction, filled: Filled) -> Option<V::Word> {
        let target = self.image.linked_address(instruction, filled)?;
        let term = self.bases.address(self.image, values.terms_mut(), target);
        Some(values.word(term))
    }

    /// No region reaches the end of the address space, so that addresses in a region, and the address of its end, are
    /// in the order of their offsets.
    fn is_below(&self, values: &V, a: &V::Word, b: &V::Word) -> Option<bool> {
        let parts = |word: &V::Word| base_and_distance(values.terms(), values.term(word)?);
        let ((base, a), (other, b)) = (parts(a)?, parts(b)?);
        let region = self.regions.iter().find(|region| region.base == base && region.is_whole)?;
        let is_within = |distance: i64| region.extent.start <= distance && distance <= region.extent.end;
        (base == other && is_within(a) && is_within(b)).then_some(a < b)
    }

    /// No memory of an argument is at address zero, nor is the part of the stack that was used.
    fn is_nonzero(&self, values: &V, address: &V::Word) -> bool {
        let parts = values.term(address).and_then(|term| base_and_distance(values.terms(), term));
        let Some((base, distance)) = parts else { return false };
        let holds = |region: &Region<V::Word>| {
            let start = if region.is_whole { region.extent.start } else { region.lowest };
            region.base == base && region.is_there && start <= distance && distance <= region.extent.end
        };
        self.regions.iter().any(holds)
    }

    fn unknown(&self, values: &V, what: &'static str, word: &V::Word) -> Option<Fault> {
        Some(Fault::unknown(what, values, word))
    }

    /// If the final link may replace a call by another call and padding, it may put either first, so that the return
    /// address is unknown.
    fn return_address(&mut self, values: &mut V, call: &Instruction) -> V::Word {
        let address = call.next_address();
        let term = if self.image.is_rewritten(call.address()..address) {
            let name = format!("the address to which the call at {:#x} returns", call.address());
            let term = Unknown::ReturnOfCall(call.address()).word(values.terms_mut(), &name, 64);
            self.returns.insert(term, address);
            term
        } else {
            let target = Target { anchor: self.image.anchor(address), address };
            self.bases.address(self.image, values.terms_mut(), target)
        };
        values.word(term)
    }

    fn load(&mut self, values: &mut V, address: &V::Word, bytes: u32, alignment: u32) -> Result<V::Word, Fault> {
        self.loads += 1;
        match self.place(values, address)? {
            Place::Image(address) => {
                let word = self.constants(values.terms_mut(), address, bytes, alignment)?;
                Ok(values.word(word))
            }
            Place::Region(index, offset) => {
                self.access(index, offset, bytes, alignment)?;
                match self.check_read(RegionId(index), offset..offset + i64::from(bytes)) {
                    Err(lost @ Fault::Lost { .. }) => return values.anything(8 * bytes).ok_or(lost),
                    checked => checked?,
                }
                Ok(self.regions[index].get(values, offset, bytes))
            }
        }
    }

    fn store(
        &mut self,
        values: &mut V,
        address: &V::Word,
        bytes: u32,
        alignment: u32,
        value: &V::Word,
    ) -> Result<(), Fault> {
        self.stores += 1;
        match self.place(values, address)? {
            Place::Image(address) => Err(Fault::WriteToImage { address }),
            Place::Region(index, offset) => {
                self.access(index, offset, bytes, alignment)?;
                self.check_kept(RegionId(index), offset)?;
                let region = &mut self.regions[index];
                if region.permission == Permission::Read {
                    return Err(Fault::ReadOnly { region: region.name.clone(), offset });
                }
                region.put(values, offset, value.clone());
                let range = offset..offset + i64::from(bytes);
                region.writers.add(range.clone(), self.stores, self.now);
                self.note_written(RegionId(index), range);
                Ok(())
            }
        }
    }
}

impl<W> Region<W> {
    /// Returns the ranges of offsets that were written.
    pub fn written(&self) -> impl Iterator<Item = std::ops::Range<i64>> {
        self.written.iter()
    }

    /// Whether the byte at an offset was written.
    pub fn is_written(&self, offset: i64) -> bool {
        self.written.meets(&(offset..offset + 1))
    }

    fn put<V: Symbolic<Word = W>>(&mut self, values: &mut V, offset: i64, value: W) {
        let end = offset + bytes_of(values, &value);
        if let Some(word) = self.contents.get_mut(offset)
            && values.width(word) == values.width(&value)
        {
            *word = value;
            return;
        }
        if let Some((start, word)) = self.contents.up_to(offset - 1)
            && start + bytes_of(values, word) > offset
        {
            let low = part(values, word, offset - start, 0);
            let high = part_from(values, word, start, end);
            self.contents.insert(start, low);
            self.insert(high);
        }
        while let Some((start, word)) = self.contents.first_in(offset..end) {
            let high = part_from(values, word, start, end);
            self.contents.remove(start);
            self.insert(high);
        }
        self.contents.insert(offset, value);
    }

    fn insert(&mut self, word: Option<(i64, W)>) {
        if let Some((start, word)) = word {
            self.contents.insert(start, word);
        }
    }

    /// Makes a piece begin at an offset, if a piece lies across it.
    fn split<V: Symbolic<Word = W>>(&mut self, values: &mut V, at: i64) {
        let Some((start, word)) = self.contents.up_to(at - 1) else { return };
        let end = start + bytes_of(values, word);
        if end > at {
            let low = part(values, word, at - start, 0);
            let high = part(values, word, end - at, at - start);
            self.contents.insert(start, low);
            self.contents.insert(at, high);
        }
    }

    /// Removes the known contents of a range.
    fn clear<V: Symbolic<Word = W>>(&mut self, values: &mut V, range: std::ops::Range<i64>) {
        self.split(values, range.start);
        self.split(values, range.end);
        self.contents.clear(range);
    }

    /// Returns the bytes at an offset. Bytes that were never written there are unknown, but always the same.
    fn get<V: Symbolic<Word = W>>(&mut self, values: &mut V, offset: i64, bytes: u32) -> W {
        let end = offset + i64::from(bytes);
        let mut joined: Option<W> = None;
        let mut at = offset;
        while at < end {
            let found = self.contents.up_to(at);
            match found.map(|(start, word)| (start, word, start + bytes_of(values, word))) {
                Some((start, word, piece_end)) if piece_end > at => {
                    let until = piece_end.min(end);
                    let piece = part(values, word, until - at, at - start);
                    joined = Some(match joined {
                        None => piece,
                        Some(low) => values.concat(8 * (until - at) as u32, &piece, 8 * (at - offset) as u32, &low),
                    });
                    at = until;
                }
                _ => {
                    let next = self.contents.first_in(at..end).map_or(end, |(start, _)| start);
                    // Another execution may ask for more or fewer bytes there.
                    let bits = 8 * (next - at) as u32;
                    let name = format!("{bits} bits at {}{at:+}", self.name);
                    let unknown = Unknown::Contents(self.area, self.since, at).word(values.terms_mut(), &name, bits);
                    self.contents.insert(at, values.word(unknown));
                }
            }
        }
        joined.expect("an access has bytes")
    }
}

/// `bytes` bytes of a word, the first of them `low`.
fn part<V: Symbolic>(values: &mut V, word: &V::Word, bytes: i64, low: i64) -> V::Word {
    let width = values.width(word);
    if low == 0 && 8 * bytes == i64::from(width) {
        return word.clone();
    }
    values.extract(width, word, 8 * low as u32, 8 * bytes as u32)
}

/// Returns the part of a word from an offset on, if the word reaches beyond that offset.
fn part_from<V: Symbolic>(values: &mut V, word: &V::Word, start: i64, from: i64) -> Option<(i64, V::Word)> {
    let end = start + bytes_of(values, word);
    (end > from).then(|| (from, part(values, word, end - from, from - start)))
}

fn bytes_of<V: Symbolic>(values: &V, word: &V::Word) -> i64 {
    i64::from(values.width(word) / 8)
}

/// Whether the loader lets a program execute the bytes at an address.
pub fn executable(image: &Image, address: u64) -> bool {
    image.access(address) == Some(Access::Code)
}
