//! Number of uses of each expression, and their places.

use culet_ir::{Over, Slot};

use super::graph::{Carried, Graph, Kind, NodeId, Place, Statement, Variable};

/// Uses of a function's expressions and variables.
pub(crate) struct Live {
    pub uses: Vec<u32>,
    /// Expressions that are needed in another block than their own.
    pub leaves: Vec<bool>,
    /// Variables that are read.
    pub variables: Vec<bool>,
    /// Variables whose next value is read: by the next iteration, or behind the loop.
    advances: Vec<bool>,
}

impl Live {
    pub fn of(graph: &Graph, body: &[Statement]) -> Live {
        let mut marker = Marker {
            graph,
            live: Live {
                uses: vec![0; graph.nodes.len()],
                leaves: vec![false; graph.nodes.len()],
                variables: Vec::new(),
                advances: Vec::new(),
            },
            carried: Vec::new(),
            outer: vec![0],
            work: Vec::new(),
        };
        marker.find_loops(body, 0);
        marker.live.variables = vec![false; marker.carried.len()];
        marker.live.advances = vec![false; marker.carried.len()];
        marker.stores(body, 0);
        while let Some(id) = marker.work.pop() {
            marker.operands(id);
        }
        marker.live
    }

    /// Whether an expression is used more than once, or in another block.
    pub fn is_shared(&self, id: NodeId) -> bool {
        self.uses[id.0 as usize] > 1 || self.leaves[id.0 as usize]
    }

    pub fn is_read(&self, carried: &Carried) -> bool {
        self.variables[carried.number as usize]
    }

    pub fn advances(&self, carried: &Carried) -> bool {
        self.advances[carried.number as usize]
    }
}

/// A carried variable, with the blocks before and in its loop.
#[derive(Clone, Copy)]
struct InLoop {
    carried: Carried,
    before: u32,
    inside: u32,
    /// Whether the loop has one iteration at most, so that nothing in it reads a next value.
    is_once: bool,
}

struct Marker<'g> {
    graph: &'g Graph,
    live: Live,
    /// Carried variables by number.
    carried: Vec<Option<InLoop>>,
    /// The block around each block of a loop.
    outer: Vec<u32>,
    work: Vec<NodeId>,
}

impl Marker<'_> {
    fn find_loops(&mut self, statements: &[Statement], block: u32) {
        for statement in statements {
            let Statement::Loop(l) = statement else { continue };
            let is_once = matches!(l.data.over, Some(Over::Short { .. } | Over::Rest { .. }));
            let blocks = self.outer.len().max(l.block as usize + 1);
            self.outer.resize(blocks, 0);
            self.outer[l.block as usize] = block;
            for carried in &l.carried {
                let number = carried.number as usize;
                if self.carried.len() <= number {
                    self.carried.resize(number + 1, None);
                }
                self.carried[number] = Some(InLoop { carried: *carried, before: block, inside: l.block, is_once });
            }
            self.find_loops(&l.body, l.block);
        }
    }

    fn stores(&mut self, statements: &[Statement], block: u32) {
        for statement in statements {
            match statement {
                Statement::Store(_, value) => self.need(*value, block),
                Statement::Loop(l) => self.stores(&l.body, l.block),
                Statement::Node(_)
                | Statement::Tail(_)
                | Statement::StoreTail(_)
                | Statement::Call(..)
                | Statement::Copies(_) => {}
            }
        }
    }

    /// Records one more use of an expression, in this block.
    fn need(&mut self, id: NodeId, block: u32) {
        let index = id.0 as usize;
        let node = self.graph.node(id);
        // The next value of a variable may be the variable itself, and be needed before this ends.
        let is_first = self.live.uses[index] == 0;
        self.live.uses[index] += 1;
        self.live.leaves[index] |= node.block != block;
        if let Kind::Variable(Variable::Carried(number)) = node.kind {
            self.advance(number as usize, block);
        }
        if is_transparent(self.graph, id) {
            // It is written where it is used, with its operand.
            self.need(node.args[0], block);
        } else if is_first {
            self.work.push(id);
        }
    }

    fn operands(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        for &arg in &node.args {
            self.need(arg, node.block);
            if matches!(node.kind, Kind::Rotl(_)) {
                // A language without this operation writes the operand twice.
                self.need(arg, node.block);
            }
        }
        if let Kind::Variable(Variable::Carried(number)) = node.kind {
            self.live.variables[number as usize] = true;
            if let Some(InLoop { carried, before, .. }) = self.carried[number as usize] {
                self.need(carried.first, before);
            }
        }
    }

    /// Needs the next value of a carried variable that is read in this block.
    fn advance(&mut self, number: usize, block: u32) {
        let Some(InLoop { carried, inside, is_once, .. }) = self.carried[number] else { return };
        if self.live.advances[number] || is_once && self.is_in(block, inside) {
            return;
        }
        self.live.advances[number] = true;
        self.need(carried.next, inside);
    }

    fn is_in(&self, mut block: u32, outer: u32) -> bool {
        while block != outer && block != 0 {
            block = self.outer[block as usize];
        }
        block == outer
    }
}

/// Visits all places that are read or written, streams whose ends are read, and parameters that are values. It skips
/// streams of which only the length is used.
pub(crate) fn visit(graph: &Graph, live: &Live, statements: &[Statement], seen: &mut dyn FnMut(Slot, Option<&Place>)) {
    for statement in statements {
        match statement {
            Statement::Node(id) if live.uses[id.0 as usize] > 0 => match &graph.node(*id).kind {
                Kind::Load(place) | Kind::Halves(place, _) => seen(place.slot, Some(place)),
                Kind::Variable(Variable::Parameter(slot)) => seen(*slot, None),
                _ => {}
            },
            Statement::Node(_) => {}
            Statement::Store(place, _) => seen(place.slot, Some(place)),
            Statement::Tail(tail) => seen(tail.stream, None),
            Statement::StoreTail(end) => [end.to, end.from].into_iter().for_each(|slot| seen(slot, None)),
            Statement::Call(_, arrays) => {
                arrays.results.iter().chain(&arrays.parameters).for_each(|place| seen(place.slot, Some(place)));
            }
            Statement::Copies(copy) => {
                [&copy.to, &copy.from].into_iter().for_each(|place| seen(place.slot, Some(place)))
            }
            Statement::Loop(l) => visit(graph, live, &l.body, seen),
        }
    }
}

/// Whether an expression is a conversion to a wider type, which never gets a name.
pub(crate) fn is_transparent(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    node.kind == Kind::Convert && graph.ty(node.args[0]) < node.ty && !node.ty.is_lanes()
}
