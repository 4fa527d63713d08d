//! Parameters that are read as late as possible: behind the calls and loops that come before their first use.
//!
//! Compilers keep values that a call or a loop outlives on the stack, where those of a secret stay behind.

use culet_ir::{Func, Slot, SlotKind};

use super::build::Built;
use super::graph::{Graph, Kind, NodeId, Statement};
use super::live::{Live, is_transparent};

/// The function with reads of parameters where they are needed.
pub(crate) fn read_late(func: &Func, built: Built) -> Built {
    let Built { graph, body, memory } = built;
    let late = Late { func, graph: &graph, live: Live::of(&graph, &body) };
    let body = late.statements(body);
    Built { graph, body, memory }
}

struct Late<'f> {
    func: &'f Func,
    graph: &'f Graph,
    live: Live,
}

impl Late<'_> {
    fn statements(&self, body: Vec<Statement>) -> Vec<Statement> {
        let positions = self.positions(&body);
        let mut before: Vec<Vec<Statement>> = (0..=body.len()).map(|_| Vec::new()).collect();
        let mut stays: Vec<Option<Statement>> = Vec::with_capacity(body.len());
        for (at, statement) in body.into_iter().enumerate() {
            match positions[at] {
                own if own == at => stays.push(Some(statement)),
                other => {
                    before[other].push(statement);
                    stays.push(None);
                }
            }
        }
        stays.push(None);
        before.into_iter().zip(stays).flat_map(|(moved, stays)| moved.into_iter().chain(stays)).collect()
    }

    /// For each statement, the position of the statement before which it stands: its own, or that of its first use.
    fn positions(&self, body: &[Statement]) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..body.len()).collect();
        let mut first_use = vec![body.len(); self.graph.nodes.len()];
        // The next statements that write results, and that take long.
        let (mut write, mut long) = (body.len(), body.len());
        for at in (0..body.len()).rev() {
            if let Statement::Node(id) = &body[at]
                && self.is_late(*id)
            {
                let target = first_use[id.0 as usize].min(write);
                if long < target {
                    positions[at] = target;
                }
            }
            self.uses(&body[at], &mut |id| first_use[id.0 as usize] = positions[at].min(first_use[id.0 as usize]));
            if matches!(body[at], Statement::Call(..) | Statement::Loop(_)) {
                long = at;
            }
            if self.writes_results(&body[at]) {
                write = at;
            }
        }
        positions
    }

    /// Whether an expression is needed, and reads a parameter or is written where it is used.
    fn is_late(&self, id: NodeId) -> bool {
        let is_needed = self.live.uses[id.0 as usize] > 0;
        let reads_parameter = match &self.graph.node(id).kind {
            Kind::Load(place) => self.is_kind(place.slot, |kind| matches!(kind, SlotKind::Input { .. })),
            _ => is_transparent(self.graph, id),
        };
        is_needed && reads_parameter
    }

    fn is_kind(&self, slot: Slot, is: impl Fn(&SlotKind) -> bool) -> bool {
        self.func.slots.get(slot.index()).is_some_and(|slot| is(&slot.kind))
    }

    /// Visits the expressions that a statement uses.
    fn uses(&self, statement: &Statement, used: &mut dyn FnMut(NodeId)) {
        match statement {
            Statement::Node(id) if self.live.uses[id.0 as usize] == 0 => {}
            Statement::Node(id) => self.graph.node(*id).args.iter().for_each(|arg| used(*arg)),
            Statement::Store(_, id) => used(*id),
            Statement::Loop(l) => {
                l.carried.iter().flat_map(|one| [one.first, one.next]).for_each(&mut *used);
                l.body.iter().for_each(|statement| self.uses(statement, used));
            }
            Statement::Tail(_) | Statement::StoreTail(_) | Statement::Call(..) | Statement::Copies(_) => {}
        }
    }

    /// Whether a statement may write a result: callers may give an array for a parameter and a result.
    fn writes_results(&self, statement: &Statement) -> bool {
        let is_result = |slot| self.is_kind(slot, |kind| matches!(kind, SlotKind::Output | SlotKind::OutStream));
        match statement {
            Statement::Node(_) | Statement::Tail(_) => false,
            Statement::Store(place, _) => is_result(place.slot),
            Statement::StoreTail(end) => is_result(end.to),
            Statement::Copies(copy) => is_result(copy.to.slot),
            Statement::Call(_, arrays) => arrays.results.iter().any(|place| is_result(place.slot)),
            Statement::Loop(l) => l.body.iter().any(|statement| self.writes_results(statement)),
        }
    }
}
