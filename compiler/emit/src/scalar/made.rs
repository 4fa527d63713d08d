//! Results of any length that are streams for what comes after the loops that make them.

use std::collections::HashMap;

use culet_ir::{Func, Op, Over, RegionId, Slot, SlotKind};

use super::graph::{Graph, Kind, Statement, Variable};
use super::live::Live;

/// The stream that says how long a result is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made {
    pub stream: Slot,
    /// The length of a block, of which each makes as many bytes as the result's slot is long.
    pub block: u32,
    /// Whether the result is as long as the stream.
    pub is_as_long: bool,
}

/// The results of a function that are of any length.
pub(super) fn of(func: &Func) -> HashMap<Slot, Made> {
    let mut made = HashMap::new();
    of_region(func, func.body, None, &mut made);
    made
}

fn of_region(func: &Func, region: RegionId, over: Option<Over>, made: &mut HashMap<Slot, Made>) {
    for &inst in &func.region(region).insts {
        match &func.inst(inst).op {
            Op::Loop(l) => of_region(func, l.region, l.over.or(over), made),
            Op::Store { slot, .. } if func.slot(*slot).kind == SlotKind::OutStream => {
                let Some(over) = over else { continue };
                // Groups of blocks come before single ones.
                made.insert(*slot, Made { stream: over.stream(), block: over.block(), is_as_long: false });
            }
            Op::StoreTail { slot, stream, block, .. } => {
                made.insert(*slot, Made { stream: *stream, block: *block, is_as_long: true });
            }
            _ => {}
        }
    }
}

/// The streams that a statement reads, or the length of which it needs.
pub(super) fn streams_of(statement: &Statement, graph: &Graph, live: &Live, seen: &mut dyn FnMut(Slot)) {
    match statement {
        Statement::Node(id) if live.uses[id.0 as usize] > 0 => {
            if let Kind::Variable(Variable::Length(slot)) = graph.node(*id).kind {
                seen(slot);
            }
        }
        Statement::Tail(tail) => seen(tail.stream),
        Statement::StoreTail(end) => seen(end.stream),
        Statement::Loop(l) => {
            l.data.over.into_iter().for_each(|over| seen(over.stream()));
            l.body.iter().for_each(|statement| streams_of(statement, graph, live, seen));
        }
        Statement::Node(_) | Statement::Store(..) | Statement::Call(..) | Statement::Copies(_) => {}
    }
}
