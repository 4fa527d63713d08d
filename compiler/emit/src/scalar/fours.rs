//! Registers of 128 bits in fours: where four registers are computed side by side, by an instruction of a round or a product without
//! carries each and by the operations around it, they become one register of 512 bits.
//!
//! First it is found which expressions are lanes of fours (`plan`). Then the statements are written anew: a four where the last of its
//! lanes stood or one is needed, and a lane as a part of its four where something else needs it.

mod plan;

use std::collections::HashMap;

use culet_ir::Func;

use super::build::Built;
use super::graph::{Args, Carried, Graph, Kind, Loop, Node, NodeId, Place, Statement, Ty, Variable};
use plan::{Gathered, Plan};

/// Four registers, the lowest first.
type Lanes = [NodeId; 4];

/// Bytes of a register.
const BYTES: i64 = 16;

/// The function with fours in place of registers.
pub(super) fn in_fours(func: &Func, built: Built) -> Built {
    let Built { graph, body, memory } = built;
    let plan = Plan::of(func, &graph, &body);
    if plan.is_empty() {
        return Built { graph, body, memory };
    }
    let singles = vec![None; graph.nodes.len()];
    let mut rewriter = Rewriter {
        graph,
        plan,
        singles,
        fours: HashMap::new(),
        local: Local::default(),
        stores: Vec::new(),
        changes: 0,
        read: HashMap::new(),
        block: 0,
        out: Vec::new(),
    };
    rewriter.block = body.iter().find_map(|statement| rewriter.block_of(statement)).unwrap_or(0);
    rewriter.statements(body);
    rewriter.flush();
    Built { body: rewriter.out, graph: rewriter.graph, memory }
}

/// Expressions that were made in this block or in one around it.
#[derive(Clone, Default)]
struct Local {
    gathered: HashMap<Lanes, NodeId>,
    parts: HashMap<(NodeId, u8), NodeId>,
}

struct Rewriter {
    graph: Graph,
    plan: Plan,
    /// By the numbers of expressions: what was written for them, in which parts of fours stand for lanes.
    singles: Vec<Option<NodeId>>,
    /// By the numbers in the plan.
    fours: HashMap<usize, NodeId>,
    local: Local,
    /// Lanes that are to be stored, the lowest first.
    stores: Vec<(Place, NodeId)>,
    /// Number of statements written that may change memory, and for each register that was read from memory how many there were before.
    changes: u32,
    read: HashMap<NodeId, u32>,
    block: u32,
    out: Vec<Statement>,
}

impl Rewriter {
    fn block_of(&self, statement: &Statement) -> Option<u32> {
        match statement {
            Statement::Node(id) => Some(self.graph.node(*id).block),
            _ => None,
        }
    }

    fn push(&mut self, kind: Kind, args: &[NodeId], ty: Ty) -> NodeId {
        let id = NodeId(self.graph.nodes.len() as u32);
        let most = if let Kind::Literal(value) = kind { value } else { ty.ones() };
        self.graph.nodes.push(Node { kind, args: Args::from_slice(args), ty, most, block: self.block });
        self.singles.push(Some(id));
        self.out.push(Statement::Node(id));
        id
    }

    fn statements(&mut self, statements: Vec<Statement>) {
        for statement in statements {
            match statement {
                Statement::Node(id) => self.node(id),
                Statement::Store(place, id) => self.store(place, id),
                Statement::Loop(l) => self.loop_(l),
                Statement::Tail(_) | Statement::StoreTail(_) | Statement::Call(..) | Statement::Copies(_) => {
                    self.flush();
                    self.change(statement);
                }
            }
        }
    }

    /// Writes a statement that may change memory.
    fn change(&mut self, statement: Statement) {
        self.out.push(statement);
        self.changes += 1;
    }

    /// Writes an expression where it stood, if its operands are written. A four is written where its last lane stood. Memory is read where it was
    /// read, after what was stored before it; only inputs may be read before stores that wait for other lanes.
    fn node(&mut self, id: NodeId) {
        if let Some((four, lane)) = self.plan.lane(id) {
            if lane == 3 && !matches!(self.graph.node(id).kind, Kind::Variable(_)) {
                self.four(four);
            }
            return;
        }
        let node = self.graph.node(id);
        let read = node.kind.read();
        let (is_read, may_be_stored) = (read.is_some(), read.is_some_and(|place| !self.plan.is_read_only(place.slot)));
        let is_ready = |&arg: &NodeId| match self.plan.lane(arg) {
            Some((four, _)) => self.fours.contains_key(&four),
            None => self.singles[arg.0 as usize].is_some() || self.graph.node(arg).block != self.block,
        };
        if is_read || node.args.iter().all(is_ready) {
            if may_be_stored {
                self.flush();
            }
            self.single(id);
            self.read.insert(id, self.changes);
        }
    }

    /// The register or word of an expression in this block.
    fn single(&mut self, id: NodeId) -> NodeId {
        if let Some((four, lane)) = self.plan.lane(id) {
            let four = self.four(four);
            if let Some(&part) = self.local.parts.get(&(four, lane)) {
                return part;
            }
            let part = self.push(Kind::Block(lane), &[four], Ty::Pair);
            self.local.parts.insert((four, lane), part);
            return part;
        }
        if let Some(written) = self.singles[id.0 as usize] {
            return written;
        }
        let Node { kind, args, ty, most, block } = self.graph.node(id).clone();
        if block != self.block {
            return id;
        }
        let own: Args = args.iter().map(|&arg| self.single(arg)).collect();
        let written = if own == args {
            self.out.push(Statement::Node(id));
            id
        } else {
            let new = self.push(kind, &own, ty);
            self.graph.nodes[new.0 as usize].most = most;
            new
        };
        self.singles[id.0 as usize] = Some(written);
        written
    }

    /// A four of the plan.
    fn four(&mut self, number: usize) -> NodeId {
        if let Some(&known) = self.fours.get(&number) {
            return known;
        }
        let lanes = self.plan.fours[number];
        let four = self.lane_by_lane(lanes);
        self.fours.insert(number, four);
        four
    }

    /// The operation that all lanes are.
    fn lane_by_lane(&mut self, lanes: Lanes) -> NodeId {
        let node = self.graph.node(lanes[0]);
        let kind = node.kind.clone();
        let args: Vec<NodeId> = self.operands(lanes).into_iter().map(|lanes| self.gather(lanes)).collect();
        self.push(kind, &args, Ty::Quad)
    }

    /// Registers side by side.
    fn gather(&mut self, lanes: Lanes) -> NodeId {
        if let Some(&known) = self.local.gathered.get(&lanes) {
            return known;
        }
        let gathered = match self.plan.gathered(&self.graph, lanes) {
            Gathered::Four(number) => return self.four(number),
            Gathered::Copies => match self.graph.constant(lanes[0]) {
                Some(value) => self.push(Kind::Literal(value), &[], Ty::Quad),
                None => {
                    let one = self.single(lanes[0]);
                    self.push(Kind::Copied, &[one], Ty::Quad)
                }
            },
            Gathered::Row(place) if self.is_unchanged(lanes) => self.push(Kind::Load(place), &[], Ty::Quad),
            Gathered::Operation => self.lane_by_lane(lanes),
            Gathered::Sum(kind, some, all) => {
                let zero = self.push(Kind::Literal(0), &[], Ty::Pair);
                let some = some.map(|lane| lane.map_or(zero, |lane| self.single(lane)));
                let some = self.push(Kind::Together(128), &some, Ty::Quad);
                let all = self.gather(all);
                self.push(kind, &[some, all], Ty::Quad)
            }
            Gathered::Row(_) | Gathered::Literals | Gathered::Apart => {
                let singles = lanes.map(|lane| self.single(lane));
                self.push(Kind::Together(128), &singles, Ty::Quad)
            }
        };
        self.local.gathered.insert(lanes, gathered);
        gathered
    }

    /// Whether nothing was written to memory since four registers were read, which may be inputs that results take the place of.
    fn is_unchanged(&self, lanes: Lanes) -> bool {
        lanes.iter().all(|lane| self.read.get(lane) == Some(&self.changes))
    }

    /// Four lanes that are stored in a row are stored as one.
    fn store(&mut self, place: Place, id: NodeId) {
        let lane = self.plan.lane(id);
        let is_next = self.stores.first().is_none_or(|(first, lowest)| {
            let (count, four) = (self.stores.len(), self.plan.lane(*lowest).map(|(four, _)| four));
            place.behind(first) == Some(BYTES * count as i64) && lane.map(|(four, _)| four) == four
        });
        if !is_next || lane.is_none_or(|(_, lane)| usize::from(lane) != self.stores.len()) {
            self.flush();
        }
        match lane {
            Some((four, lane)) if usize::from(lane) == self.stores.len() => {
                self.stores.push((place, id));
                if self.stores.len() == 4 {
                    let four = self.four(four);
                    let (place, _) = std::mem::take(&mut self.stores).swap_remove(0);
                    self.change(Statement::Store(place, four));
                }
            }
            _ => self.store_single(place, id),
        }
    }

    fn store_single(&mut self, place: Place, id: NodeId) {
        let value = self.single(id);
        self.change(Statement::Store(place, value));
    }

    /// Stores lanes that are not followed by the others.
    fn flush(&mut self) {
        for (place, id) in std::mem::take(&mut self.stores) {
            self.store_single(place, id);
        }
    }

    fn loop_(&mut self, l: Loop) {
        self.flush();
        let Loop { data, carried, block, body } = l;
        let fours: Vec<Option<(usize, u8)>> = carried.iter().map(|one| self.plan.variable(one.number)).collect();
        for (one, four) in carried.iter().zip(&fours) {
            if let Some((four, 0)) = *four {
                let variable = self.push(Kind::Variable(Variable::Carried(one.number)), &[], Ty::Quad);
                self.fours.insert(four, variable);
            }
        }
        let first = |one: &Carried| one.first;
        let firsts = self.carried(&carried, &fours, first);
        let mut needed = Vec::new();
        used(&self.graph, &body, &mut needed);
        needed.extend(carried.iter().map(|one| one.next));
        needed.retain(|id| self.graph.node(*id).block == self.block);
        for id in needed {
            match self.plan.lane(id) {
                Some((four, _)) => drop(self.four(four)),
                None => drop(self.single(id)),
            }
        }
        for lanes in self.rows_before(&body) {
            self.gather(lanes);
        }
        let around = (self.block, self.local.clone(), std::mem::take(&mut self.out));
        self.block = block;
        // An iteration may read memory that the one before it wrote.
        let has_changes = u32::from(changes_memory(&body));
        self.changes += has_changes;
        self.statements(body);
        self.flush();
        let nexts = self.carried(&carried, &fours, |one| one.next);
        let (before, local, out) = around;
        let body = std::mem::replace(&mut self.out, out);
        (self.block, self.local) = (before, local);
        let kept = carried.iter().zip(&fours).filter(|(_, four)| four.is_none_or(|(_, lane)| lane == 0));
        let carried = kept.zip(firsts).zip(nexts).map(|(((one, four), first), next)| {
            let ty = if four.is_some() { Ty::Quad } else { one.ty };
            Carried { number: one.number, ty, first, next }
        });
        let carried = carried.collect();
        self.out.push(Statement::Loop(Loop { data, carried, block, body }));
        self.changes += has_changes;
    }

    /// Registers of this block, in rows in memory, that the fours of a loop's body are made of.
    fn rows_before(&self, body: &[Statement]) -> Vec<Lanes> {
        let mut found = Vec::new();
        let mut work = Vec::new();
        lowest_lanes(&self.plan, body, &mut work);
        let mut work: Vec<Lanes> = work.into_iter().flat_map(|lanes| self.operands(lanes)).collect();
        while let Some(lanes) = work.pop() {
            match self.plan.gathered(&self.graph, lanes) {
                Gathered::Row(_) if lanes.iter().all(|lane| self.graph.node(*lane).block == self.block) => {
                    found.push(lanes)
                }
                Gathered::Operation => work.extend(self.operands(lanes)),
                Gathered::Sum(_, _, all) => work.push(all),
                _ => {}
            }
        }
        found
    }

    /// The operands of four operations of one kind.
    fn operands(&self, lanes: Lanes) -> Vec<Lanes> {
        let sides = self.graph.node(lanes[0]).args.len();
        (0..sides).map(|side| lanes.map(|lane| self.graph.node(lane).args[side])).collect()
    }

    /// One value of each variable that a loop carries, or of each four of them.
    fn carried(
        &mut self,
        carried: &[Carried],
        fours: &[Option<(usize, u8)>],
        value: impl Fn(&Carried) -> NodeId,
    ) -> Vec<NodeId> {
        let mut values = Vec::new();
        for (at, four) in fours.iter().enumerate() {
            match four {
                None => values.push(self.single(value(&carried[at]))),
                Some((_, 0)) => values.push(self.gather([0, 1, 2, 3].map(|lane| value(&carried[at + lane])))),
                Some(_) => {}
            }
        }
        values
    }
}

/// Whether statements may change memory.
fn changes_memory(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Node(_) => false,
        Statement::Loop(l) => changes_memory(&l.body),
        Statement::Store(..)
        | Statement::Tail(_)
        | Statement::StoreTail(_)
        | Statement::Call(..)
        | Statement::Copies(_) => true,
    })
}

/// The fours of the plan whose lanes are among statements.
fn lowest_lanes(plan: &Plan, statements: &[Statement], found: &mut Vec<Lanes>) {
    for statement in statements {
        match statement {
            Statement::Node(id) => {
                found.extend(plan.lane(*id).filter(|(_, lane)| *lane == 0).map(|(four, _)| plan.fours[four]))
            }
            Statement::Loop(l) => lowest_lanes(plan, &l.body, found),
            Statement::Store(..)
            | Statement::Tail(_)
            | Statement::StoreTail(_)
            | Statement::Call(..)
            | Statement::Copies(_) => {}
        }
    }
}

/// The expressions that statements use.
fn used(graph: &Graph, statements: &[Statement], found: &mut Vec<NodeId>) {
    for statement in statements {
        match statement {
            Statement::Node(id) => found.extend(graph.node(*id).args.iter().copied()),
            Statement::Store(_, id) => found.push(*id),
            Statement::Loop(l) => {
                found.extend(l.carried.iter().flat_map(|one| [one.first, one.next]));
                used(graph, &l.body, found);
            }
            Statement::Tail(_) | Statement::StoreTail(_) | Statement::Call(..) | Statement::Copies(_) => {}
        }
    }
}
