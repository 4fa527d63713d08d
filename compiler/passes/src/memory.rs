//! Known values of the elements of slots at one point of a function that is being copied.

use std::collections::hash_map::Entry;

use culet_ir::verify::index_range;
use culet_ir::{CounterId, Func, Index, LoopData, Op, Slot, Value};

use crate::hash::Map;

/// Maximum number of elements with counters in their indices that are known of one slot at a time.
const KNOWN: usize = 32;
/// Maximum number of elements of a table of constants that are compared.
const COMPARED: usize = 4096;

/// Values that some elements hold. Slots, indices and values are those of the function under construction.
///
/// At the beginning of a loop's body, only elements that no iteration changes are known. After the loop, elements that
/// were known before and were not changed are known; values that the body defines are not visible there.
pub struct Memory {
    slots: Vec<Elements>,
    /// One scope for each enclosing loop.
    scopes: Vec<Scope>,
}

#[derive(Default)]
struct Elements {
    /// Elements at a constant index.
    fixed: Map<i64, Value>,
    /// Elements at an index with counters.
    moving: Vec<Moving>,
}

#[derive(Clone)]
struct Moving {
    index: Index,
    range: (i64, i64),
    value: Value,
}

struct Scope {
    /// The loop's counter and its range.
    counter: CounterId,
    range: (i64, i64),
    /// Entries to restore at its end, last change first.
    fixed: Vec<(Slot, i64, Option<Value>)>,
    moving: Map<Slot, Vec<Moving>>,
}

impl Memory {
    /// A memory in which nothing is known.
    pub fn new(func: &Func) -> Memory {
        Memory { slots: func.slots.iter().map(|_| Elements::default()).collect(), scopes: Vec::new() }
    }

    /// The value of an element.
    pub fn load(&self, slot: Slot, index: &Index) -> Option<Value> {
        let elements = &self.slots[slot.index()];
        if index.terms.is_empty() {
            return elements.fixed.get(&index.constant).copied();
        }
        elements.moving.iter().find(|known| known.index == *index).map(|known| known.value)
    }

    /// The constant that a table has wherever an index with counters reaches, if it is everywhere the same.
    pub fn only_constant(&self, table: &[u64], index: &Index) -> Option<u64> {
        let mut reached = vec![index.constant];
        for &(counter, factor) in &index.terms {
            let (low, high) = self.scopes.iter().find(|scope| scope.counter == counter)?.range;
            if usize::try_from(high - low).ok()?.saturating_mul(reached.len()) > COMPARED {
                return None;
            }
            let at = |element: i64| (low..=high).map(move |count| element + factor * count);
            reached = reached.into_iter().flat_map(at).collect();
        }
        let mut values = reached.into_iter().map(|element| table.get(usize::try_from(element).ok()?));
        let first = values.next()??;
        values.all(|value| value == Some(first)).then_some(*first)
    }

    /// Records that an element holds a value.
    pub fn learn(&mut self, slot: Slot, index: &Index, value: Value) {
        if index.terms.is_empty() {
            let old = self.slots[slot.index()].fixed.insert(index.constant, value);
            self.changed(slot, index.constant, old);
            return;
        }
        self.save_moving(slot);
        let range = self.range(index);
        let moving = &mut self.slots[slot.index()].moving;
        if moving.len() >= KNOWN {
            moving.remove(0);
        }
        moving.push(Moving { index: index.clone(), range, value });
    }

    /// Records a store to an element: it, and elements that may be the same, are no longer known.
    pub fn forget(&mut self, slot: Slot, index: &Index) {
        let range = self.range(index);
        self.forget_in(slot, index, range);
    }

    fn forget_in(&mut self, slot: Slot, index: &Index, range: (i64, i64)) {
        let elements = &mut self.slots[slot.index()];
        let mut forgotten = Vec::new();
        if index.terms.is_empty() {
            forgotten.extend(elements.fixed.remove_entry(&index.constant));
        } else {
            let inside = |element: &i64| (range.0..=range.1).contains(element);
            forgotten.extend(elements.fixed.extract_if(|element, _| inside(element)));
        }
        for (element, value) in forgotten {
            self.changed(slot, element, Some(value));
        }
        let stays = |known: &Moving| {
            let apart = known.range.1 < range.0 || range.1 < known.range.0;
            apart || known.index.terms == index.terms && known.index.constant != index.constant
        };
        if !self.slots[slot.index()].moving.iter().all(stays) {
            self.save_moving(slot);
            self.slots[slot.index()].moving.retain(stays);
        }
    }

    /// Begins a loop. `from` is the function that is copied, whose slots have the same numbers; `counter` is the loop's
    /// counter in the new function.
    pub fn enter_loop(&mut self, from: &Func, l: &LoopData, counter: CounterId) {
        let mut stores = Vec::new();
        from.walk_region(l.region, &mut vec![l], &mut |_, data, around| {
            if let Op::Store { slot, index } = &data.op {
                stores.push((*slot, element_range(from, *slot, index, around)));
            }
        });
        stores.sort_unstable();
        stores.dedup();
        for (slot, range) in stores {
            // Counters of the function that is copied mean nothing here: only the range counts.
            let index = if range.0 == range.1 { Index::constant(range.0) } else { anywhere() };
            self.forget_in(slot, &index, range);
        }
        self.scopes.push(Scope { counter, range: l.range(), fixed: Vec::new(), moving: Map::default() });
    }

    /// Ends the innermost loop.
    pub fn leave_loop(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for (slot, element, old) in scope.fixed.into_iter().rev() {
            let fixed = &mut self.slots[slot.index()].fixed;
            match old {
                Some(value) => drop(fixed.insert(element, value)),
                None => drop(fixed.remove(&element)),
            }
        }
        for (slot, moving) in scope.moving {
            self.slots[slot.index()].moving = moving;
        }
    }

    fn changed(&mut self, slot: Slot, element: i64, old: Option<Value>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.fixed.push((slot, element, old));
        }
    }

    fn save_moving(&mut self, slot: Slot) {
        if let Some(scope) = self.scopes.last_mut()
            && let Entry::Vacant(entry) = scope.moving.entry(slot)
        {
            entry.insert(self.slots[slot.index()].moving.clone());
        }
    }

    fn range(&self, index: &Index) -> (i64, i64) {
        let range = |counter| self.scopes.iter().find(|scope| scope.counter == counter).map(|scope| scope.range);
        index_range(index, range).unwrap_or((i64::MIN, i64::MAX))
    }
}

/// An index that may be any element.
fn anywhere() -> Index {
    Index { constant: 0, terms: vec![(CounterId(u32::MAX), 1)] }
}

/// The elements that an index with counters of these loops reaches: the whole slot if a loop is not among them.
pub fn element_range(func: &Func, slot: Slot, index: &Index, around: &[&LoopData]) -> (i64, i64) {
    let range = |counter| around.iter().find(|l| l.counter == counter).map(|l| l.range());
    index_range(index, range).unwrap_or((0, i64::from(func.slot(slot).length) - 1))
}
