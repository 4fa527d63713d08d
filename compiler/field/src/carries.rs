//! Plans of carries: the places where limbs are carried, and the order in which they are.

use std::collections::BTreeMap;
use std::fmt;

use culet_ir::{FuncId, Inst};

use crate::interval::Interval;

/// A place where carries may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Before an operand is used, for this use only.
    Operand(FuncId, Inst, u32),
    /// After an operation, for all uses of its result.
    Result(FuncId, Inst),
    /// Before a function returns a result to its callers.
    Return(FuncId, u32),
}

impl Place {
    pub fn func(self) -> FuncId {
        match self {
            Place::Operand(func, ..) | Place::Result(func, _) | Place::Return(func, _) => func,
        }
    }

    /// The operation before or after which it is, if it is not the function's end.
    pub fn inst(self) -> Option<(FuncId, Inst)> {
        match self {
            Place::Operand(func, inst, _) | Place::Result(func, inst) => Some((func, inst)),
            Place::Return(..) => None,
        }
    }
}

/// The carries of each place: limbs in the order in which they are carried.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Plan {
    chains: BTreeMap<Place, Vec<u32>>,
}

impl Plan {
    pub fn chain(&self, place: Place) -> Option<&[u32]> {
        self.chains.get(&place).map(Vec::as_slice)
    }

    pub fn chains(&self) -> impl Iterator<Item = (Place, &[u32])> {
        self.chains.iter().map(|(&place, chain)| (place, &chain[..]))
    }

    /// Number of single carries in all.
    pub fn carries(&self) -> usize {
        self.chains.values().map(Vec::len).sum()
    }

    pub fn set(&mut self, place: Place, chain: Vec<u32>) {
        if chain.is_empty() {
            self.chains.remove(&place);
        } else {
            self.chains.insert(place, chain);
        }
    }

    /// The carries in one function.
    pub fn in_func(mut self, id: FuncId) -> Plan {
        self.chains.retain(|place, _| place.func() == id);
        self
    }

    /// Adds the carries of another plan, which has none at the same places.
    pub fn extend(&mut self, other: Plan) {
        self.chains.extend(other.chains);
    }

    /// The plan without one carry of a chain.
    pub fn without(&self, place: Place, index: usize) -> Plan {
        let mut plan = self.clone();
        if let Some(chain) = self.chain(place) {
            let rest = chain.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, &limb)| limb);
            plan.set(place, rest.collect());
        }
        plan
    }

    /// Every single carry: its place and its number in the chain there.
    pub fn singles(&self) -> Vec<(Place, usize)> {
        self.chains.iter().flat_map(|(&place, chain)| (0..chain.len()).map(move |index| (place, index))).collect()
    }
}

/// Order in which a full chain carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// From the bottom to the top, and on from the limb to which the carry out of the top is folded: the fewest
    /// carries.
    Sequential,
    /// Two chains that start half-way around from one another and take turns: one or two carries more, in half the
    /// time.
    Interleaved,
}

/// Bounds of limbs before and after the carries of each place.
pub type Seen = BTreeMap<Place, (Vec<Interval>, Vec<Interval>)>;

/// A chain as text: `0 1 2 3 4 0`.
pub struct Chain<'c>(pub &'c [u32]);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, limb) in self.0.iter().enumerate() {
            write!(f, "{}{limb}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
