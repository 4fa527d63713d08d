//! Which registers are lanes of fours.

use std::collections::HashMap;

use culet_ir::{Func, Slot, SlotKind};
use culet_types::program::Family;
use smallvec::SmallVec;

use super::super::graph::{Graph, Kind, Loop, NodeId, Place, Statement, Ty, Variable};
use super::super::live::Live;
use super::{BYTES, Lanes};

/// Number of operations that are looked through.
const DEPTH: u32 = 8;

/// The lanes of fours.
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub fours: Vec<Lanes>,
    lanes: HashMap<NodeId, (usize, u8)>,
    /// Expressions of variables that loops carry, by the numbers of the variables.
    variables: HashMap<u32, NodeId>,
    /// Slots that the function only reads; those behind the last one are the ends of streams.
    is_read_only: Vec<bool>,
}

/// The way to get four registers side by side.
pub(super) enum Gathered {
    /// They are a four of the plan.
    Four(usize),
    /// They are one register.
    Copies,
    Literals,
    /// They are in a row in memory.
    Row(Place),
    /// One operation makes all of them, of registers that are side by side in turn.
    Operation,
    /// Sums of some registers, of this kind, with registers that are side by side.
    Sum(Kind, [Option<NodeId>; 4], Lanes),
    /// There is no better way than to bring them together.
    Apart,
}

impl Plan {
    pub fn of(func: &Func, graph: &Graph, body: &[Statement]) -> Plan {
        let is_read_only = |kind: &SlotKind| {
            matches!(kind, SlotKind::Input { .. } | SlotKind::Stream | SlotKind::Joined(_) | SlotKind::Constants(_))
        };
        let mut plan =
            Plan { is_read_only: func.slots.iter().map(|slot| is_read_only(&slot.kind)).collect(), ..Plan::default() };
        let mut users = vec![SmallVec::new(); graph.nodes.len()];
        let Live { uses, .. } = Live::of(graph, body);
        for (id, node) in (0..).map(NodeId).zip(&graph.nodes).filter(|(id, _)| uses[id.0 as usize] > 0) {
            if let Kind::Variable(Variable::Carried(number)) = node.kind {
                plan.variables.insert(number, id);
            }
            for &arg in &node.args {
                users[arg.0 as usize].push(id);
            }
        }
        let mut planner = Planner { graph, uses, users, stretches: vec![0; graph.nodes.len()], plan };
        planner.stretch(body, &mut 0);
        planner.statements(body);
        planner.plan
    }

    pub fn is_empty(&self) -> bool {
        self.fours.is_empty()
    }

    /// The four that an expression is a lane of, and which one.
    pub fn lane(&self, id: NodeId) -> Option<(usize, u8)> {
        self.lanes.get(&id).copied()
    }

    /// As [`Plan::lane`], for a variable that a loop carries.
    pub fn variable(&self, number: u32) -> Option<(usize, u8)> {
        self.lane(*self.variables.get(&number)?)
    }

    fn insert(&mut self, lanes: Lanes) {
        self.lanes.extend(lanes.into_iter().zip(0..).map(|(id, lane)| (id, (self.fours.len(), lane))));
        self.fours.push(lanes);
    }

    /// The way to get registers side by side.
    pub fn gathered(&self, graph: &Graph, lanes: Lanes) -> Gathered {
        self.way(graph, lanes, DEPTH)
    }

    fn way(&self, graph: &Graph, lanes: Lanes, depth: u32) -> Gathered {
        if let Some((four, 0)) = self.lane(lanes[0])
            && self.fours[four] == lanes
        {
            return Gathered::Four(four);
        }
        if lanes.iter().all(|lane| *lane == lanes[0]) {
            return Gathered::Copies;
        }
        if lanes.iter().all(|lane| graph.constant(*lane).is_some()) {
            return Gathered::Literals;
        }
        if let Some(place) = self.row(graph, lanes) {
            return Gathered::Row(place);
        }
        let kind = &graph.node(lanes[0]).kind;
        if depth == 0 {
            return Gathered::Apart;
        }
        if is_lane_by_lane(graph, lanes[0]) && lanes.iter().all(|lane| graph.node(*lane).kind == *kind) {
            let are_near = (0..graph.node(lanes[0]).args.len())
                .all(|side| self.is_near(graph, operands(graph, lanes, side), depth));
            if are_near {
                return Gathered::Operation;
            }
        }
        self.sum(graph, lanes, depth).unwrap_or(Gathered::Apart)
    }

    /// Whether registers are side by side without being brought together one by one.
    fn is_near(&self, graph: &Graph, lanes: Lanes, depth: u32) -> bool {
        !matches!(self.way(graph, lanes, depth - 1), Gathered::Apart)
    }

    fn row(&self, graph: &Graph, lanes: Lanes) -> Option<Place> {
        let place = |lane: NodeId| match &graph.node(lane).kind {
            Kind::Load(place) if graph.ty(lane) == Ty::Pair => Some(place),
            _ => None,
        };
        let first = place(lanes[0])?;
        let is_next = |(&lane, number): (&NodeId, i64)| {
            place(lane).is_some_and(|place| place.behind(first) == Some(BYTES * number))
        };
        (self.is_read_only(first.slot) && lanes.iter().zip(0..).all(is_next)).then(|| first.clone())
    }

    /// Whether the function stores nothing to a slot. A result may have the place of an input that it only reads.
    pub fn is_read_only(&self, slot: Slot) -> bool {
        self.is_read_only.get(slot.index()).copied().unwrap_or(true)
    }

    fn sum(&self, graph: &Graph, lanes: Lanes, depth: u32) -> Option<Gathered> {
        let mut free = lanes.iter().filter(|lane| self.lane(**lane).is_none()).map(|lane| &graph.node(*lane).kind);
        let kind = free.find(|kind| matches!(kind, Kind::Xor | Kind::AddLanes(_)))?;
        let is_sum = |lane: NodeId| graph.node(lane).kind == *kind && self.lane(lane).is_none();
        [1, 0].into_iter().find_map(|side| {
            let all = lanes.map(|lane| if is_sum(lane) { graph.node(lane).args[side] } else { lane });
            let some = lanes.map(|lane| is_sum(lane).then(|| graph.node(lane).args[1 - side]));
            self.is_near(graph, all, depth).then(|| Gathered::Sum(kind.clone(), some, all))
        })
    }
}

/// The operands of four operations.
fn operands(graph: &Graph, lanes: Lanes, side: usize) -> Lanes {
    lanes.map(|lane| graph.node(lane).args[side])
}

/// Whether an operation on registers is one on four of them, too.
fn is_lane_by_lane(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    node.ty == Ty::Pair
        && match &node.kind {
            Kind::Xor | Kind::And | Kind::Or | Kind::AddLanes(_) => true,
            Kind::Shuffle(_) => node.args.len() == 1,
            Kind::Round(instruction) => {
                // Those of one operand have no form on four registers.
                instruction.family() != Family::Sha && instruction.operands() == 2
            }
            _ => false,
        }
}

struct Planner<'g> {
    graph: &'g Graph,
    /// Numbers of uses.
    uses: Vec<u32>,
    users: Vec<SmallVec<[NodeId; 4]>>,
    /// By the numbers of expressions: which stretch of statements they are in. Loops and the like end stretches, and so do reads of memory that the
    /// function stores to.
    stretches: Vec<u32>,
    plan: Plan,
}

impl Planner<'_> {
    fn stretch(&mut self, statements: &[Statement], number: &mut u32) {
        *number += 1;
        for statement in statements {
            match statement {
                Statement::Node(id) => {
                    let read = self.graph.node(*id).kind.read();
                    // The memory may hold a lane that was stored.
                    *number += u32::from(read.is_some_and(|place| !self.plan.is_read_only(place.slot)));
                    self.stretches[id.0 as usize] = *number;
                }
                Statement::Store(..) => {}
                Statement::Loop(l) => self.stretch(&l.body, number),
                Statement::Tail(_) | Statement::StoreTail(_) | Statement::Call(..) | Statement::Copies(_) => {}
            }
            if !matches!(statement, Statement::Node(_) | Statement::Store(..)) {
                *number += 1;
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        let mut row: Vec<NodeId> = Vec::new();
        for statement in statements {
            match statement {
                Statement::Node(id) if self.begins(*id) => {
                    if row.first().is_some_and(|&first| !self.is_like(first, *id)) {
                        row.clear();
                    }
                    row.push(*id);
                    if let &[a, b, c, d] = &row[..] {
                        if !self.choose([a, b, c, d]) {
                            row.remove(0);
                        } else {
                            row.clear();
                        }
                    }
                }
                Statement::Loop(l) => {
                    row.clear();
                    self.loop_(l);
                }
                _ => {}
            }
        }
    }

    /// Whether a four may begin with an expression: an instruction.
    fn begins(&self, id: NodeId) -> bool {
        matches!(self.graph.node(id).kind, Kind::Round(_))
            && is_lane_by_lane(self.graph, id)
            && self.plan.lane(id).is_none()
            && self.uses[id.0 as usize] > 0
    }

    fn is_like(&self, a: NodeId, b: NodeId) -> bool {
        let [a, b] = [a, b].map(|id| (&self.graph.node(id).kind, self.stretches[id.0 as usize]));
        a == b
    }

    /// Makes operations lanes of a four, if their operands are side by side, and then the operations on them.
    fn choose(&mut self, lanes: Lanes) -> bool {
        let graph = self.graph;
        let is_free = |lane: &NodeId| self.is_like(lanes[0], *lane) && self.plan.lane(*lane).is_none();
        let are_apart = (1..4).all(|lane| !lanes[..lane].contains(&lanes[lane]));
        let sides = graph.node(lanes[0]).args.len();
        let is_chosen = are_apart
            && lanes.iter().all(is_free)
            && (0..sides).all(|side| self.plan.is_near(graph, operands(graph, lanes, side), DEPTH))
            && !self.needs_itself(lanes);
        if is_chosen {
            self.plan.insert(lanes);
            self.spread(lanes);
        }
        is_chosen
    }

    /// Whether a lane is computed from another one, perhaps since it is in a four with something that is.
    fn needs_itself(&self, lanes: Lanes) -> bool {
        let mut is_seen = vec![false; self.graph.nodes.len()];
        let mut work: Vec<NodeId> = lanes.iter().flat_map(|lane| self.graph.node(*lane).args.iter().copied()).collect();
        while let Some(id) = work.pop() {
            if lanes.contains(&id) {
                return true;
            }
            if std::mem::replace(&mut is_seen[id.0 as usize], true) {
                continue;
            }
            work.extend(&self.graph.node(id).args);
            if let Some((four, _)) = self.plan.lane(id) {
                work.extend(self.plan.fours[four].iter().filter(|mate| !is_seen[mate.0 as usize]));
            }
        }
        false
    }

    /// Makes fours of the operations on the lanes of one.
    fn spread(&mut self, lanes: Lanes) {
        let graph = self.graph;
        let users = lanes.map(|lane| self.users[lane.0 as usize].clone());
        for &first in users[0].iter().filter(|user| is_lane_by_lane(graph, **user)) {
            let Some(side) = graph.node(first).args.iter().position(|arg| *arg == lanes[0]) else { continue };
            let like = |lane: usize| {
                let is_side = |user: NodeId| graph.node(user).args.get(side) == Some(&lanes[lane]);
                let found = users[lane].iter().copied().filter(|&user| self.is_like(first, user) && is_side(user));
                found.collect::<Vec<NodeId>>()
            };
            let all = [0, 1, 2, 3].map(like);
            let Some(number) = all[0].iter().position(|user| *user == first) else { continue };
            if let [Some(&a), Some(&b), Some(&c), Some(&d)] = [0, 1, 2, 3].map(|lane| all[lane].get(number)) {
                self.choose([a, b, c, d]);
            }
        }
    }

    /// Makes fours of variables that a loop carries, if what they become are lanes of one.
    fn loop_(&mut self, l: &Loop) {
        let before = self.plan.clone();
        let mut tried: Vec<usize> = (0..l.carried.len().saturating_sub(3)).collect();
        loop {
            let chosen = self.carried(l, &tried);
            self.statements(&l.body);
            let becomes_four = |at: &usize| {
                let next = [0, 1, 2, 3].map(|lane| l.carried[at + lane].next);
                !matches!(self.plan.gathered(self.graph, next), Gathered::Apart)
            };
            if chosen.iter().all(becomes_four) {
                return;
            }
            tried = chosen.into_iter().filter(becomes_four).collect();
            self.plan = before.clone();
        }
    }

    /// Makes fours of variables, of which each begins at a number that is `tried`. Returns the numbers.
    fn carried(&mut self, l: &Loop, tried: &[usize]) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        for &at in tried {
            let four = [0, 1, 2, 3].map(|lane| &l.carried[at + lane]);
            let is_free = chosen.last().is_none_or(|last| last + 4 <= at);
            let next = four.map(|one| one.next);
            let is_like = |other: &NodeId| self.graph.node(next[0]).kind == self.graph.node(*other).kind;
            let is_operation = is_lane_by_lane(self.graph, next[0]) && next.iter().all(is_like);
            let is_four = four.iter().all(|one| one.ty == Ty::Pair)
                && (is_operation || self.are_variables(next))
                && self.plan.is_near(self.graph, four.map(|one| one.first), DEPTH);
            let variables = four.map(|one| self.plan.variables.get(&one.number).copied());
            if let (true, true, [Some(a), Some(b), Some(c), Some(d)]) = (is_free, is_four, variables) {
                self.plan.insert([a, b, c, d]);
                chosen.push(at);
            }
        }
        chosen
    }

    /// Whether expressions are variables that a loop carries, one after another.
    fn are_variables(&self, lanes: Lanes) -> bool {
        let number = |lane: NodeId| match self.graph.node(lane).kind {
            Kind::Variable(Variable::Carried(number)) => Some(number),
            _ => None,
        };
        let Some(first) = number(lanes[0]) else { return false };
        (first..).zip(lanes).all(|(expected, lane)| number(lane) == Some(expected))
    }
}
