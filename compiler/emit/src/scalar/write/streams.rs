//! Streams as text: their names, their ends, and results that are streams for what comes after.

use culet_ir::{Over, Slot, SlotKind};

use super::Writer;
use crate::scalar::graph::{Loop, Place, Statement, StoreTail, Tail, Ty};
use crate::scalar::lines::Line;
use crate::scalar::made::{self, Made};
use crate::scalar::syntax::{Joined, Stream};

impl Writer<'_> {
    /// The stream of a place in the block at hand.
    pub(super) fn in_stream(&self, place: &Place) -> Option<Stream<'_>> {
        let slot = place.slot.index();
        let (names, &[(_, block)]) = (self.names.streams.get(&slot)?, &place.index.terms[..]) else {
            return None;
        };
        let (name, is_in_place) = (&self.names.slots[slot], self.names.is_in_place(slot));
        Some(Stream { name, names, block: block as u32, parts: self.parts(place.slot), is_in_place })
    }

    /// Gives the blocks of a loop over a stream names of their own, if a loop around it has blocks of the same stream. Returns
    /// the streams, with the names that come back after the loop.
    pub(super) fn name_blocks(&mut self, l: &Loop) -> Vec<(usize, Option<String>)> {
        let Some(over @ Over::Whole { .. }) = l.data.over else { return Vec::new() };
        if self.syntax.may_hide() {
            return Vec::new();
        }
        let mut slots: Vec<Slot> = self.made_slots(&l.body).into_iter().map(|(slot, _)| slot).collect();
        slots.insert(0, over.stream());
        let mut hidden = Vec::new();
        for slot in slots.into_iter().map(Slot::index) {
            let Some([_, block]) = self.names.streams.get(&slot).cloned() else { continue };
            if self.open_blocks.contains(&slot) {
                let name = self.names.take(&block);
                if let Some([_, own]) = self.names.streams.get_mut(&slot) {
                    *own = name;
                }
                hidden.push((slot, Some(block)));
            } else {
                self.open_blocks.push(slot);
                hidden.push((slot, None));
            }
        }
        hidden
    }

    /// The output streams that statements store to.
    pub(super) fn made_in(&self, statements: &[Statement]) -> Vec<Stream<'_>> {
        let slots = self.made_slots(statements);
        slots.into_iter().map(|(slot, added)| self.stream(slot, added)).collect()
    }

    /// The output streams that statements store to, with the elements that an iteration adds.
    pub(super) fn made_slots(&self, statements: &[Statement]) -> Vec<(Slot, u32)> {
        let mut slots: Vec<(Slot, u32)> = Vec::new();
        for statement in statements {
            if let Statement::Store(place, _) = statement
                && self.func.slot(place.slot).kind == SlotKind::OutStream
                && let &[(_, added)] = &place.index.terms[..]
                && !slots.iter().any(|(slot, _)| *slot == place.slot)
            {
                slots.push((place.slot, added as u32));
            }
        }
        slots
    }

    pub(super) fn stream(&self, slot: Slot, block: u32) -> Stream<'_> {
        let (name, names) = (&self.names.slots[slot.index()], &self.names.streams[&slot.index()]);
        Stream { name, names, block, parts: self.parts(slot), is_in_place: self.names.is_in_place(slot.index()) }
    }

    /// The streams and arrays that a joined stream has.
    pub(super) fn parts(&self, slot: Slot) -> Vec<Joined<'_>> {
        let SlotKind::Joined(parts) = &self.func.slot(slot).kind else { return Vec::new() };
        let length = |part: &Slot| match self.names.streams.get(&part.index()) {
            Some([length, _]) => Err(length.as_str()),
            None => Ok(self.func.slot(*part).length),
        };
        let part = |part: &Slot| Joined { name: &self.names.slots[part.index()], length: length(part) };
        parts.iter().map(part).collect()
    }

    /// Ends the call where a result of any length has no room, if the language can tell.
    pub(super) fn check_room(&mut self) {
        let slots = (0..self.func.slots.len() as u32).map(Slot);
        let results = slots.filter(|slot| self.func.slot(*slot).kind == SlotKind::OutStream);
        for result in results.filter(|slot| !self.framed.places.values().any(|place| place == slot)) {
            let (mut source, mut steps) = (result, Vec::new());
            while let Some(made) = self.made.get(&source) {
                steps.push((made.block, (!made.is_as_long).then(|| self.func.slot(source).length)));
                source = made.stream;
            }
            steps.reverse();
            if let Some(line) = self.syntax.room(&self.stream(result, 1), &self.stream(source, 1), &steps) {
                self.line(&line);
            }
        }
    }

    /// Writes the end of a stream as an array, which is like a slot from now on.
    pub(super) fn tail(&mut self, tail: &Tail) {
        let name = self.names.take("tail");
        let counter = self.names.erasing();
        let stream = self.stream(tail.stream, tail.block);
        let lines = self.syntax.tail(&stream, &name, tail.pad, &counter);
        self.erased.push((name.clone(), Ty::U8, tail.block + u32::from(tail.pad != 0)));
        self.names.slots.resize(self.names.slots.len().max(tail.array.index() + 1), String::new());
        self.names.slots[tail.array.index()] = name;
        // The array stays in the block at hand, where what borrows it can use it.
        let depth = self.depth;
        self.lines.extend(lines.into_iter().map(|text| Line {
            depth,
            text,
            is_first: true,
            is_fixed: true,
            defines: None,
        }));
    }

    pub(super) fn store_tail(&mut self, end: &StoreTail) {
        self.flush();
        let counter = self.names.erasing();
        let [to, from] = [end.to, end.from].map(|slot| &self.names.slots[slot.index()]);
        let lines = self.syntax.store_tail(to, from, &self.stream(end.stream, end.block), &counter);
        for (number, line) in lines.iter().enumerate() {
            self.push(line, number == 0, None);
        }
    }

    /// Makes streams of the results that a statement reads.
    pub(super) fn open_streams(&mut self, statement: &Statement) {
        let mut streams = Vec::new();
        made::streams_of(statement, self.graph, &self.live, &mut |slot| streams.push(slot));
        for slot in streams {
            let Some(SlotKind::Joined(parts)) = self.func.slots.get(slot.index()).map(|data| &data.kind) else {
                self.open(slot);
                continue;
            };
            let results: Vec<Slot> = parts.iter().copied().filter(|part| self.made.contains_key(part)).collect();
            results.iter().for_each(|&part| self.open(part));
            if !results.is_empty() && self.opened.insert(slot) {
                let line = self.syntax.joined_length(&self.stream(slot, 1));
                self.push(&line, true, Some(self.names.streams[&slot.index()][0].clone()));
            }
        }
    }

    /// Makes a stream of a result, which nothing changes any more.
    pub(super) fn open(&mut self, slot: Slot) {
        let Some(Made { stream, block, is_as_long }) = self.made.get(&slot).copied() else { return };
        if !self.opened.insert(slot) {
            return;
        }
        self.flush();
        let data = self.func.slot(slot);
        let added = (!is_as_long).then_some(data.length);
        let name = match self.syntax.renames_made() {
            true => self.names.take(&format!("{}_made", self.names.slots[slot.index()].clone())),
            false => self.names.streams[&slot.index()][0].clone(),
        };
        let line = self.syntax.made(&self.stream(slot, data.length), &name, &self.stream(stream, block), added);
        self.push(&line, true, Some(name.clone()));
        if self.syntax.renames_made() {
            self.names.slots[slot.index()] = name;
        }
    }
}
