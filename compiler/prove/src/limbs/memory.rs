//! Slots: loads and stores in both functions.

use culet_decide::field::Interval;
use culet_ir::{Index, InstData, Op, Slot};

use super::walk::{Cursor, Walk, checked_range};

/// Number of elements that may stand side by side in a slot.
const LANES: i64 = 8;

impl<'m> Walk<'m> {
    /// Checks that a load or a store of words is the same on both sides.
    pub(super) fn access(&mut self, data: &InstData, cursor: &mut Cursor<'m>) -> Result<(), String> {
        let other = self.next_effect(cursor)?;
        let is_same = match (&data.op, &other.op) {
            (Op::Load { slot, index }, Op::Load { slot: other, index: at })
            | (Op::Store { slot, index }, Op::Store { slot: other, index: at }) => {
                slot == other && self.index(index, 1, 0).as_ref() == Some(at)
            }
            (Op::Tail { .. } | Op::Length { .. } | Op::StoreTail { .. }, _) => data.op == other.op,
            _ => false,
        };
        if !is_same {
            return Err(format!("the words have another `{}` there", other.op.name()));
        }
        for (&arg, &word) in data.args.iter().zip(&other.args) {
            if self.terms_of(arg)? != [self.term(word)?.clone()] {
                return Err(format!("the words store something else than {arg}"));
            }
        }
        self.same_values(&data.results, &other.results)?;
        other.results.iter().for_each(|&word| self.forget(word));
        Ok(())
    }

    pub(super) fn load_element(
        &mut self,
        data: &InstData,
        slot: Slot,
        index: &Index,
        cursor: &mut Cursor<'m>,
    ) -> Result<(), String> {
        let words = self.held(data.results[0])?;
        for (limb, word) in words.iter().enumerate() {
            let other = self.next_effect(cursor)?;
            let index = self.index_in(slot, index, words.len(), limb);
            let is_same =
                matches!(&other.op, Op::Load { slot: s, index: at } if *s == slot && Some(at) == index.as_ref());
            if !is_same || other.results[0] != word.value {
                return Err(format!("the words do not load limb {limb} there"));
            }
        }
        let ranges = self.slot_ranges(slot)?;
        self.forget_element(words, &ranges);
        Ok(())
    }

    pub(super) fn store_element(
        &mut self,
        data: &InstData,
        slot: Slot,
        index: &Index,
        cursor: &mut Cursor<'m>,
    ) -> Result<(), String> {
        let terms = self.terms_of(data.args[0])?;
        self.are_within(&terms, &self.slot_ranges(slot)?)?;
        for (limb, lanes) in terms.iter().enumerate() {
            let other = self.next_effect(cursor)?;
            let index = self.index_in(slot, index, terms.len(), limb);
            let is_same =
                matches!(&other.op, Op::Store { slot: s, index: at } if *s == slot && Some(at) == index.as_ref());
            if !is_same || self.term(other.args[0])? != lanes {
                return Err(format!("the words do not store limb {limb} there"));
            }
        }
        Ok(())
    }

    /// Returns the stated ranges of the words of elements in a slot.
    fn slot_ranges(&self, slot: Slot) -> Result<Vec<Interval>, String> {
        let ranges = self.limb_map.slots.get(&slot.0).map_or(&[][..], |ranges| &ranges[..]);
        if ranges.len() != self.limb_map.positions.len() {
            return Err("it is not said what words of the slot may be".to_owned());
        }
        ranges.iter().map(|range| checked_range(Some(range))).collect()
    }

    /// Returns the position of a limb in a slot of elements, eight of which may stand side by side there.
    fn index_in(&self, slot: Slot, index: &Index, limbs: usize, limb: usize) -> Option<Index> {
        if !self.limb_map.beside.get(slot.index()).is_some_and(|is| *is) {
            return self.index(index, limbs, limb);
        }
        // Each lane has words of its own, and an element the same lane whatever the counters are.
        let lane = index.constant.rem_euclid(LANES);
        let is_in_step = index.terms.iter().all(|(_, factor)| factor % LANES == 0);
        let first = Index { constant: index.constant - lane, terms: index.terms.clone() };
        let mut index = self.index(&first, limbs, 0).filter(|_| is_in_step)?;
        index.constant += LANES * limb as i64 + lane;
        Some(index)
    }

    /// Returns the position of a limb in the slot on words; `None` if a counter has no counterpart.
    fn index(&self, index: &Index, limbs: usize, limb: usize) -> Option<Index> {
        let scale = limbs as i64;
        let mut terms = Vec::new();
        for (counter, factor) in &index.terms {
            terms.push((*self.counters.get(counter)?, factor.checked_mul(scale)?));
        }
        terms.sort_unstable_by_key(|&(counter, _)| counter);
        let constant = index.constant.checked_mul(scale)?.checked_add(limb as i64)?;
        Some(Index { constant, terms })
    }
}
