//! Streams: blocks that are read, and results that loops make block by block.

use culet_types::program::CounterId;

use super::{MAX_LENGTH, Verifier};
use crate::func::{Index, Iterations, Over, Slot, SlotKind, Which};
use crate::op::Type;
use crate::print::{DisplayIndex, SlotName};

/// A loop that stores to an output stream.
pub(super) struct Filling {
    pub counter: CounterId,
    stream: Slot,
    /// Bytes of a group of blocks, and the number of such groups in a group of the loop before.
    group: u32,
    beyond: u32,
    /// Whether each byte that an iteration adds is stored.
    bytes: Vec<bool>,
}

impl Verifier<'_> {
    /// Checks that each iteration stores to all bytes that it adds to an output stream, and that the loops share all whole
    /// blocks of one stream among them.
    pub(super) fn output_streams(&mut self) {
        for (slot, data) in self.func.slots.iter().enumerate().filter(|(_, data)| data.kind == SlotKind::OutStream) {
            let loops = std::mem::take(&mut self.filled[slot]);
            let Some(last) = loops.last() else {
                self.error(format!("no iteration stores to byte 0 of what it adds to {}", SlotName(data)));
                continue;
            };
            if let Some(byte) = loops.iter().find_map(|one| one.bytes.iter().position(|filled| !filled)) {
                self.error(format!("no iteration stores to byte {byte} of what it adds to {}", SlotName(data)));
            }
            let is_of_length = |one: &Filling| {
                one.bytes.len() as u64 * u64::from(last.group) == u64::from(data.length) * u64::from(one.group)
            };
            let follows = |pair: &[Filling]| {
                let [before, one] = pair else { return true };
                let (stream, groups) = (before.stream == one.stream, u64::from(one.beyond) * u64::from(one.group));
                stream && one.beyond > 1 && groups == u64::from(before.group)
            };
            let is_first = loops[0].beyond == 0;
            let has_end = self.ends[slot].is_none_or(|(_, stream, block)| (last.stream, last.group) == (stream, block));
            let good = is_first && has_end && loops.iter().all(is_of_length) && loops.windows(2).all(follows);
            self.check(good, || format!("the loops that store to {} do not share all blocks", SlotName(data)));
        }
    }

    /// Checks that a slot is a stream with blocks of this length.
    pub(super) fn stream(&mut self, slot: Slot, block: u32) {
        let is_stream = self.func.slots.get(slot.index()).is_some_and(|slot| slot.kind.is_stream());
        self.check(is_stream, || format!("slot {} is no stream", slot.0));
        self.check((1..=MAX_LENGTH).contains(&block), || format!("a block has {block} bytes"));
        match self.func.slots.get(slot.index()).map(|slot| &slot.kind) {
            Some(SlotKind::Joined(parts)) => parts.iter().for_each(|&part| self.made(part)),
            _ => self.made(slot),
        }
    }

    /// Checks that no loop around stores to an output stream that is read. Nothing below stores to it, either.
    pub(super) fn made(&mut self, slot: Slot) {
        let Some(data) = self.func.slots.get(slot.index()).filter(|data| data.kind == SlotKind::OutStream) else {
            return;
        };
        let stores = self.filled[slot.index()].iter().map(|one| one.counter);
        let around: Vec<CounterId> = stores.chain(self.ends[slot.index()].map(|end| end.0)).collect();
        let is_made = !around.is_empty() && !self.streams.iter().any(|(counter, _)| around.contains(counter));
        self.check(is_made, || format!("{} is read before it is made", SlotName(data)));
        self.read.insert(slot);
    }

    /// Whether the index is one of the current block.
    pub(super) fn is_of_block(&self, slot: Slot, index: &Index) -> bool {
        self.streams.iter().any(|&(counter, over)| match over {
            Over::Whole { stream, block, .. } => {
                stream == slot
                    && index.terms == [(counter, i64::from(block))]
                    && (0..i64::from(block)).contains(&index.constant)
            }
            Over::Rest { .. } | Over::Short { .. } => false,
        })
    }

    /// Checks a store to an output stream: every iteration of a loop over whole blocks stores to all that it adds.
    pub(super) fn store_to_stream(&mut self, slot: Slot, index: &Index, args: &[Type], results: &[Type]) {
        self.check(results.is_empty() && args == [Type::Word(8)], || "stores one byte".to_owned());
        let of_loop = match (&self.streams[..], self.counters.is_empty(), &index.terms[..]) {
            (
                &[(counter, Over::Whole { stream, block, which: Which { beyond, iterations: Iterations::All } })],
                true,
                &[(own, added @ 1..)],
            ) if own == counter && added <= i64::from(MAX_LENGTH) => Some((counter, stream, block, beyond, added)),
            _ => None,
        };
        let of_loop = of_loop.filter(|_| self.ends[slot.index()].is_none() && !self.read.contains(&slot));
        let mut is_good = false;
        if let Some((counter, stream, group, beyond, added)) = of_loop {
            let known = &mut self.filled[slot.index()];
            if known.last().is_none_or(|last| last.counter != counter) {
                known.push(Filling { counter, stream, group, beyond, bytes: vec![false; added as usize] });
            }
            let bytes = known.last_mut().map(|last| &mut last.bytes).filter(|bytes| bytes.len() as i64 == added);
            let place = usize::try_from(index.constant).ok();
            if let Some(byte) = bytes.zip(place).and_then(|(bytes, place)| bytes.get_mut(place)) {
                (*byte, is_good) = (true, true);
            }
        }
        self.check(is_good, || {
            format!("{} is no byte that an iteration adds to an output stream", DisplayIndex(index))
        });
    }

    /// Checks a store to the end of an output stream.
    pub(super) fn store_tail(&mut self, slot: Slot, from: Slot, (stream, block): (Slot, u32)) {
        self.stream(stream, block);
        let slots = &self.func.slots;
        let part = slots.get(from.index()).filter(|data| data.kind == SlotKind::Part && data.length == block);
        self.check(part.is_some(), || format!("slot {} is no part of {block} bytes", from.0));
        let is_stored = part.is_some() && self.written[from.index()].iter().all(|written| *written);
        self.check(is_stored, || "nothing above stores to all bytes of the part".to_owned());
        let is_result =
            slots.get(slot.index()).is_some_and(|data| data.kind == SlotKind::OutStream && data.length == block);
        let of_loop = match (&self.streams[..], self.counters.is_empty()) {
            (&[(counter, over)], true) if over == (Over::Rest { stream, block, least: 1 }) => Some(counter),
            _ => None,
        };
        match of_loop.filter(|_| is_result && self.ends[slot.index()].is_none() && !self.read.contains(&slot)) {
            Some(counter) => self.ends[slot.index()] = Some((counter, stream, block)),
            None => self.error(format!("slot {} is no output stream whose end is stored here", slot.0)),
        }
    }
}
