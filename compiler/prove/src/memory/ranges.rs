//! Many bytes at once: memory that a call reads, writes and leaves unknown.

use super::{Fault, Memory, Permission, Place, RegionId, UNKNOWN_ADDRESS, bytes_of};
use crate::symbolic::Symbolic;
use crate::unknown::{After, Unknown};

/// Size in bytes of the longest word that is made of several pieces of memory, or stands for unknown bytes.
pub const CHUNK: i64 = 64;

impl<W: Clone> Memory<'_, W> {
    /// Returns the region that an address lies in, and the offset from its base.
    pub fn locate<V: Symbolic<Word = W>>(&self, values: &V, address: &W) -> Result<(RegionId, i64), Fault> {
        match self.place(values, address)? {
            Place::Region(index, offset) => Ok((RegionId(index), offset)),
            Place::Image(_) => Err(Fault::Unknown { what: UNKNOWN_ADDRESS, inputs: Vec::new() }),
        }
    }

    /// Checks that bytes are there, and may be read or written.
    pub fn check(
        &mut self,
        id: RegionId,
        range: std::ops::Range<i64>,
        alignment: u32,
        permission: Permission,
    ) -> Result<(), Fault> {
        let region = &self.regions[id.0];
        if permission == Permission::Write && region.permission == Permission::Read {
            return Err(Fault::ReadOnly { region: region.name.clone(), offset: range.start });
        }
        let bytes = u32::try_from(range.end - range.start).unwrap_or(u32::MAX);
        self.access(id.0, range.start, bytes, alignment)?;
        if permission == Permission::Read { self.check_read(id, range) } else { Ok(()) }
    }

    /// Puts a word where a store would have put it. The place has been checked.
    pub fn write<V: Symbolic<Word = W>>(&mut self, values: &mut V, id: RegionId, offset: i64, value: W) {
        self.note_written(id, offset..offset + bytes_of(values, &value));
        self.regions[id.0].put(values, offset, value);
    }

    /// Writes words that follow one another, given by their offsets from the first.
    pub fn write_pieces<V: Symbolic<Word = W>>(
        &mut self,
        values: &mut V,
        id: RegionId,
        start: i64,
        pieces: Vec<(i64, W)>,
    ) {
        let Some((distance, last)) = pieces.last() else { return };
        let range = start..start + distance + bytes_of(values, last);
        self.regions[id.0].clear(values, range);
        for (offset, word) in pieces {
            self.write(values, id, start + offset, word);
        }
    }

    /// Returns words that together are the bytes of a range, with their offsets from its start.
    pub fn pieces<V: Symbolic<Word = W>>(
        &mut self,
        values: &mut V,
        id: RegionId,
        range: std::ops::Range<i64>,
    ) -> Vec<(i64, W)> {
        let mut pieces = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let region = &mut self.regions[id.0];
            let before = region.contents.up_to(at).map(|(start, word)| start + bytes_of(values, word));
            let until = match before.filter(|&end| end > at) {
                Some(end) => end,
                None => region.contents.first_in(at + 1..at + CHUNK).map_or(at + CHUNK, |(start, _)| start),
            };
            let until = until.min(range.end);
            let word = region.get(values, at, (until - at) as u32);
            pieces.push((at - range.start, word));
            at = until;
        }
        pieces
    }

    /// Returns the words of a region that are known or were looked at, by their offset.
    pub fn known(&self, id: RegionId) -> impl Iterator<Item = (i64, &W)> {
        self.regions[id.0].contents.iter()
    }

    /// Something else may have been written to a range: what was known of it becomes unknown.
    pub fn forget<V: Symbolic<Word = W>>(
        &mut self,
        values: &mut V,
        id: RegionId,
        range: std::ops::Range<i64>,
        after: After<'_>,
    ) {
        self.note_written(id, range.clone());
        let region = &mut self.regions[id.0];
        region.split(values, range.start);
        region.split(values, range.end);
        for (offset, word) in region.contents.range_mut(range) {
            let bits = values.width(word);
            let name = format!("{bits} bits at {}{offset:+}{after}", region.name);
            let unknown = Unknown::Contents(region.area, after.since(), offset).word(values.terms_mut(), &name, bits);
            *word = values.word(unknown);
        }
    }

    /// Requires that the function stays right if these two regions are the same memory.
    pub fn may_coincide(&mut self, read: RegionId, written: RegionId) {
        self.in_place.push((read.0, written.0));
    }
}

impl<W> Memory<'_, W> {
    /// Checks that the bytes that are read still are those that were there: on the stack after signals, and in a region
    /// that may be the same memory as one that was written.
    pub(super) fn check_read(&self, id: RegionId, range: std::ops::Range<i64>) -> Result<(), Fault> {
        self.check_stack(id, range.clone())?;
        for &(_, written) in self.in_place.iter().filter(|&&(read, _)| read == id.0) {
            if self.regions[written].written().any(|w| w.start < range.end && range.start < w.end) {
                let name = |index: usize| self.regions[index].name.clone();
                return Err(Fault::Overwritten { region: name(id.0), offset: range.start, by: name(written) });
            }
        }
        Ok(())
    }
}
