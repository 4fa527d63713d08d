//! Cuts: sets of at most three nodes that determine a node, with the function.

use super::network::{Network, NodeKind};

/// Truth tables of the first, second and third variable: bit `4a + 2b + c` is the value at (a, b, c).
pub(super) const FIRST: u8 = 0xf0;
pub(super) const SECOND: u8 = 0xcc;
pub(super) const THIRD: u8 = 0xaa;

/// Maximum number of cuts that a node keeps.
const KEPT: usize = 8;
/// Maximum number of cuts of each input that are combined for a gate of three inputs.
const KEPT_OF_THREE: usize = 4;

/// A cut. `table` is a function of the leaves, in their order; it does not depend on a variable that has no leaf.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    leaves: [u32; 3],
    len: u8,
    pub table: u8,
}

impl Cut {
    const NONE: Cut = Cut { leaves: [u32::MAX; 3], len: 0, table: 0 };

    pub fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.len)]
    }

    fn constant(value: bool) -> Cut {
        Cut { table: if value { 0xff } else { 0 }, ..Cut::NONE }
    }

    /// A node as a function of itself.
    fn identity(node: u32) -> Cut {
        Cut { leaves: [node, u32::MAX, u32::MAX], len: 1, table: FIRST }
    }

    /// Whether all leaves of this cut are leaves of the other.
    fn within(&self, other: &Cut) -> bool {
        self.leaves().iter().all(|leaf| other.leaves().contains(leaf))
    }

    /// Whether the cut is another single node, unchanged.
    pub fn is_alias(&self) -> bool {
        self.len == 1 && self.table == FIRST
    }

    /// The function of these cuts' values, if they have at most three leaves together.
    fn combine(table: u8, inputs: &[&Cut]) -> Option<Cut> {
        let mut union = Cut::NONE;
        for input in inputs {
            for &leaf in input.leaves() {
                union.insert(leaf)?;
            }
        }
        let mut tables = [0; 3];
        for (place, input) in tables.iter_mut().zip(inputs) {
            *place = union.expand(input);
        }
        union.table = compose(table, tables);
        Some(union.reduced())
    }

    /// Adds a leaf in order, or fails if there are three others.
    fn insert(&mut self, leaf: u32) -> Option<()> {
        let len = usize::from(self.len);
        let place = self.leaves().iter().position(|&l| l >= leaf).unwrap_or(len);
        if place < len && self.leaves[place] == leaf {
            return Some(());
        }
        if len == 3 {
            return None;
        }
        self.leaves.copy_within(place..len, place + 1);
        self.leaves[place] = leaf;
        self.len += 1;
        Some(())
    }

    /// The function of a cut whose leaves are among this one's, in this one's variables.
    fn expand(&self, cut: &Cut) -> u8 {
        if self.len == cut.len {
            return cut.table;
        }
        let mut variables = [0; 3];
        for (variable, leaf) in variables.iter_mut().zip(cut.leaves()) {
            let place = self.leaves.iter().position(|l| l == leaf).unwrap_or(0);
            *variable = [FIRST, SECOND, THIRD][place];
        }
        compose(cut.table, variables)
    }

    /// The cut without the leaves on which the function does not depend.
    fn reduced(mut self) -> Cut {
        let depends = |variable: usize| {
            let (shift, low) = [(4, 0x0f), (2, 0x33), (1, 0x55)][variable];
            (self.table >> shift ^ self.table) & low != 0
        };
        let kept: [bool; 3] = std::array::from_fn(depends);
        let len = usize::from(self.len);
        if kept[..len].iter().all(|&kept| kept) {
            return self;
        }
        let mut reduced = Cut::NONE;
        let mut variables = [0; 3];
        for place in (0..len).filter(|&place| kept[place]) {
            variables[place] = [FIRST, SECOND, THIRD][usize::from(reduced.len)];
            reduced.leaves[usize::from(reduced.len)] = self.leaves[place];
            reduced.len += 1;
        }
        reduced.table = compose(self.table, variables);
        self = reduced;
        self
    }
}

/// The function `table` of three functions.
fn compose(table: u8, [a, b, c]: [u8; 3]) -> u8 {
    let leaf = |two_bits: u8| [0, !c, c, 0xff][usize::from(two_bits & 3)];
    let low = b & leaf(table >> 2) | !b & leaf(table);
    let high = b & leaf(table >> 6) | !b & leaf(table >> 4);
    a & high | !a & low
}

/// The cuts of every node, the most promising first, and the cost of the best.
pub(super) struct CutSets {
    cuts: Vec<Cut>,
    starts: Vec<u32>,
    /// Estimated number of cells that a node takes, with all below it; a shared cell is divided among those that need
    /// it.
    pub flow: Vec<f32>,
}

impl CutSets {
    /// Enumerates cuts. `references` estimates how many cells need each node.
    pub fn new(network: &Network, references: &[f32]) -> CutSets {
        let mut sets = CutSets { cuts: Vec::with_capacity(network.nodes.len() * 6), starts: vec![0], flow: Vec::new() };
        let mut found: Vec<(f32, Cut)> = Vec::new();
        for (id, node) in network.nodes.iter().enumerate() {
            found.clear();
            if let NodeKind::Gate { table, inputs, arity, .. } = node.kind {
                sets.combinations(network, table, &inputs[..usize::from(arity)], &mut found);
            }
            let flow = found.first().map_or(0.0, |&(flow, _)| flow);
            sets.flow.push(flow / references[id].max(1.0));
            sets.cuts.extend(found.iter().map(|&(_, cut)| cut));
            sets.starts.push(sets.cuts.len() as u32);
        }
        sets
    }

    pub fn of(&self, node: u32) -> &[Cut] {
        let node = node as usize;
        &self.cuts[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The kept cuts of a gate.
    fn combinations(&self, network: &Network, table: u8, inputs: &[u32], found: &mut Vec<(f32, Cut)>) {
        let limit = if inputs.len() == 3 { KEPT_OF_THREE } else { KEPT };
        let own = inputs.iter().map(|&input| own_cut(network, input)).collect::<smallvec::SmallVec<[Cut; 3]>>();
        let options = |k: usize| {
            let cuts = self.of(inputs[k]);
            std::iter::once(&own[k]).chain(&cuts[..cuts.len().min(limit)])
        };
        let mut consider = |cuts: &[&Cut]| {
            if let Some(cut) = Cut::combine(table, cuts) {
                let flow = self.cost(&cut);
                insert(found, flow, cut);
            }
        };
        match inputs.len() {
            1 => options(0).for_each(|a| consider(&[a])),
            2 => options(0).for_each(|a| options(1).for_each(|b| consider(&[a, b]))),
            _ => options(0).for_each(|a| {
                options(1).for_each(|b| options(2).for_each(|c| consider(&[a, b, c])));
            }),
        }
    }

    /// The flow through a cell with this cut; an alias takes no cell.
    fn cost(&self, cut: &Cut) -> f32 {
        let below: f32 = cut.leaves().iter().map(|&leaf| self.flow[leaf as usize]).sum();
        if cut.is_alias() { below } else { below + 1.0 }
    }
}

fn own_cut(network: &Network, node: u32) -> Cut {
    match network.nodes[node as usize].kind {
        NodeKind::Constant(value) => Cut::constant(value),
        _ => Cut::identity(node),
    }
}

/// Keeps the cheapest cuts, none of which contains another.
fn insert(found: &mut Vec<(f32, Cut)>, flow: f32, cut: Cut) {
    if found.iter().any(|(_, other)| other.within(&cut)) {
        return;
    }
    found.retain(|(_, other)| !cut.within(other));
    let key = (flow, cut.len);
    let place = found.iter().position(|(flow, other)| (*flow, other.len) > key).unwrap_or(found.len());
    if place < KEPT {
        found.insert(place, (flow, cut));
        found.truncate(KEPT);
    }
}
