//! Words that are copied one after another as loops.
//!
//! Functions hand words on in arrays, so that much of what they do is to copy. A loop is shorter as text and as machine code.

use std::collections::HashMap;

use culet_ir::{Func, Slot, SlotKind};

use super::build::Built;
use super::calls::Framed;
use super::graph::{Arrays, Graph, Kind, NodeId, Place, Statement, Ty};
use super::live::Live;

/// The fewest words that become a loop.
const LEAST: usize = 8;

/// Words that are copied, one after another.
#[derive(Debug, Clone)]
pub(crate) struct Copies {
    pub to: Place,
    pub from: Place,
    /// From one word to the next, in elements, at both places.
    pub steps: [i64; 2],
    pub count: u32,
    /// The type of what is stored.
    pub ty: Ty,
}

/// The function with loops for its rows of copies.
pub(crate) fn rolled(framed: &Framed, built: Built) -> Built {
    let Built { graph, body, memory } = built;
    let roller = Roller { framed, func: &framed.func, graph: &graph, live: Live::of(&graph, &body) };
    let body = roller.statements(body);
    Built { graph, body, memory }
}

struct Roller<'f> {
    framed: &'f Framed,
    func: &'f Func,
    graph: &'f Graph,
    live: Live,
}

/// Stores that copy words, as positions of statements, which are in a row but for expressions between them.
struct Row {
    stores: Vec<usize>,
    /// Where the first of the words is read.
    read: usize,
    copy: Copies,
}

impl Roller<'_> {
    fn statements(&self, statements: Vec<Statement>) -> Vec<Statement> {
        let mut rolled: Vec<Option<Statement>> = Vec::with_capacity(statements.len());
        for statement in statements {
            rolled.push(Some(match statement {
                Statement::Loop(mut l) => {
                    l.body = self.statements(l.body);
                    Statement::Loop(l)
                }
                other => other,
            }));
        }
        for row in self.rows(&rolled) {
            if self.is_safe(&row, &rolled) {
                for &at in &row.stores {
                    rolled[at] = None;
                }
                rolled[row.stores[row.stores.len() - 1]] = Some(Statement::Copies(row.copy));
            }
        }
        rolled.into_iter().flatten().collect()
    }

    /// All rows that are long enough.
    fn rows(&self, statements: &[Option<Statement>]) -> Vec<Row> {
        let mut reads: HashMap<NodeId, usize> = HashMap::new();
        let (mut rows, mut row): (Vec<Row>, Option<Row>) = (Vec::new(), None);
        for (at, statement) in statements.iter().enumerate() {
            match statement {
                Some(Statement::Node(id)) => {
                    reads.insert(*id, at);
                }
                Some(Statement::Store(to, id)) => {
                    let next = self.copied(to, *id).and_then(|(copy, load)| Some((copy, *reads.get(&load)?)));
                    let is_longer = row.as_mut().zip(next.as_ref()).is_some_and(|(row, next)| row.extend(at, next));
                    if !is_longer {
                        rows.extend(row.take());
                        row = next.map(|(copy, read)| Row { stores: vec![at], read, copy });
                    }
                }
                _ => rows.extend(row.take()),
            }
        }
        rows.extend(row);
        rows.retain(|row| row.stores.len() >= LEAST);
        rows
    }

    /// The copy that a store is, and the expression that it stores, as it is read from memory.
    fn copied(&self, to: &Place, id: NodeId) -> Option<(Copies, NodeId)> {
        let mut load = id;
        let ty = self.graph.ty(id);
        if self.graph.node(id).kind == Kind::Convert {
            load = self.graph.node(id).args[0];
        }
        let node = self.graph.node(load);
        let Kind::Load(from) = &node.kind else { return None };
        let are_arrays = self.is_array(to.slot) && self.is_array(from.slot);
        let are_elements = node.ty == self.element(from.slot)? && ty == self.element(to.slot)?;
        let copy = Copies { to: to.clone(), from: from.clone(), steps: [0, 0], count: 1, ty };
        (are_arrays && are_elements).then_some((copy, load))
    }

    fn element(&self, slot: Slot) -> Option<Ty> {
        self.func.slots.get(slot.index()).map(|slot| Ty::of(slot.element.bits()))
    }

    fn is_array(&self, slot: Slot) -> bool {
        let kind = self.func.slots.get(slot.index()).map(|slot| &slot.kind);
        kind.is_some_and(|kind| {
            matches!(kind, SlotKind::Input { .. } | SlotKind::Output | SlotKind::Local | SlotKind::Constants(_))
        })
    }

    /// Whether the words are, where they are stored, what they are where they are read, and nothing reads them in between.
    fn is_safe(&self, row: &Row, statements: &[Option<Statement>]) -> bool {
        let Row { stores, read, copy } = row;
        let (first, last) = (stores[0], stores[stores.len() - 1]);
        let [to, from] = [&copy.to, &copy.from].map(|place| place.slot);
        let is_apart = if to == from { copy.is_apart() } else { !self.may_be_one(to, from) || self.is_in_step(copy) };
        let stays = (*read..last).all(|at| {
            let is_own = stores.binary_search(&at).is_ok();
            is_own || statements[at].as_ref().is_none_or(|statement| !self.may_change(statement, copy))
        });
        let is_unread = (first..last).all(|at| {
            let Some(Statement::Node(id)) = &statements[at] else { return true };
            let node = self.graph.node(*id);
            let read = node.kind.read().filter(|_| self.live.uses[id.0 as usize] > 0);
            read.is_none_or(|place| {
                let is_longer = place.slot == copy.to.slot && self.is_longer(place.slot, node.ty);
                !is_longer && !copy.may_write(place)
            })
        });
        is_apart && stays && is_unread
    }

    /// Whether a value of this type is more than an element of a slot: bytes may be written as one word.
    fn is_longer(&self, slot: Slot, ty: Ty) -> bool {
        self.element(slot) != Some(ty)
    }

    /// Whether a statement may change what is copied.
    fn may_change(&self, statement: &Statement, copy: &Copies) -> bool {
        let may_be = |place: &Place| match place.slot == copy.from.slot {
            true => copy.may_read(place),
            false => self.may_be_one(place.slot, copy.from.slot),
        };
        match statement {
            Statement::Node(_) | Statement::Tail(_) => false,
            Statement::StoreTail(end) => self.may_be_one(end.to, copy.from.slot),
            Statement::Store(place, id) => {
                place.slot == copy.from.slot && self.is_longer(place.slot, self.graph.ty(*id)) || may_be(place)
            }
            Statement::Copies(other) => {
                other.to.slot == copy.from.slot || self.may_be_one(other.to.slot, copy.from.slot)
            }
            Statement::Call(_, Arrays { results, .. }) => {
                results.iter().any(|place| place.slot == copy.from.slot || self.may_be_one(place.slot, copy.from.slot))
            }
            Statement::Loop(l) => l.body.iter().any(|statement| self.may_change(statement, copy)),
        }
    }

    /// Whether two slots may be one in memory: callers may give a parameter's array for results. Arrays of single words are not.
    fn may_be_one(&self, a: Slot, b: Slot) -> bool {
        let is_of_words = |slot: Slot| self.framed.border.iter().flatten().any(|border| border.words == Some(slot));
        let kind = |slot: Slot| &self.func.slots[slot.index()].kind;
        let is_input = |slot: Slot| matches!(kind(slot), SlotKind::Input { .. });
        let are_both = is_input(a) && *kind(b) == SlotKind::Output || is_input(b) && *kind(a) == SlotKind::Output;
        are_both && !is_of_words(a) && !is_of_words(b)
    }

    /// Whether the words stay at their places in arrays that are one, or do not overlap.
    fn is_in_step(&self, copy: &Copies) -> bool {
        self.framed.border.is_some() && copy.steps == [1, 1] && copy.to.index == copy.from.index
    }
}

impl Row {
    /// Adds a store if it goes on as the row does.
    fn extend(&mut self, at: usize, (next, read): &(Copies, usize)) -> bool {
        let copy = &mut self.copy;
        let Some(distances) = next.to.behind(&copy.to).zip(next.from.behind(&copy.from)) else { return false };
        let distances = [distances.0, distances.1];
        if copy.count == 1 {
            copy.steps = distances;
        }
        let count = i64::from(copy.count);
        let goes_on = copy.steps.map(|step| step * count) == distances && copy.steps[0] > 0 && copy.steps[1] != 0;
        if goes_on && copy.ty == next.ty {
            copy.count += 1;
            self.stores.push(at);
            self.read = self.read.min(*read);
            return true;
        }
        false
    }
}

impl Copies {
    /// Whether the words that are read and those that are written are different ones of one array.
    fn is_apart(&self) -> bool {
        let Some(distance) = self.to.behind(&self.from) else { return false };
        let [to, from] = self.steps.map(|step| step * (i64::from(self.count) - 1));
        let (lowest, highest) = (distance.min(distance + to), distance.max(distance + to));
        highest < from.min(0) || lowest > from.max(0)
    }

    /// Whether a place of the array that is read may be one of these.
    fn may_read(&self, place: &Place) -> bool {
        may_be_among(place, &self.from, self.steps[1] * (i64::from(self.count) - 1))
    }

    /// Whether a place may be one of those that are written.
    fn may_write(&self, place: &Place) -> bool {
        place.slot == self.to.slot && may_be_among(place, &self.to, self.steps[0] * (i64::from(self.count) - 1))
    }
}

/// Whether a place of an array may be one of those from `first` on, of which the last one is `last` elements behind.
fn may_be_among(place: &Place, first: &Place, last: i64) -> bool {
    place.behind(first).is_none_or(|distance| (last.min(0)..=last.max(0)).contains(&distance))
}
