//! Dependencies between equations whose textual order is not right: finds an order for every block, or the loops that
//! prevent one.
//!
//! A read depends on the definition or update whose value it sees; an update comes after all reads of the version
//! before it. Each dependency between two executions concerns the innermost block that contains both. It orders two
//! statements of the block, or, if the executions lie in different iterations of one loop, it requires that the loop
//! runs these iterations in that order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use culet_diag::codes::equations;
use culet_diag::{Diagnostic, Span};

use crate::atoms::list;
use crate::flat::{Execution, Flat, Iterations, NodeRef};
use crate::order::Problem;
use crate::program::{Var, VarId};

pub(crate) enum Plan {
    /// For each block, in the order in which blocks begin: the positions of its statements in their new order.
    Sorted(Vec<Vec<u32>>),
    /// Loops to be replaced by their statements.
    Dissolve(HashSet<u32>),
}

/// Finds an order, or the loops to dissolve; `None` if diagnostics say that there is no order.
pub(crate) fn plan(
    flat: &Flat<'_>,
    vars: &[Var],
    problem: &Problem<'_>,
    scopes: &[u16],
    found: &mut Vec<Diagnostic>,
) -> Option<Plan> {
    let mut collector = Collector {
        flat,
        scopes,
        definitions: HashMap::new(),
        edges: vec![HashMap::new(); flat.blocks.len()],
        dissolve: HashSet::new(),
        on_themselves: BTreeMap::new(),
        missing: BTreeMap::new(),
        outside: BTreeMap::new(),
    };
    collector.collect(vars, problem);
    collector.report(vars, problem, found);
    if found.iter().any(Diagnostic::is_error) {
        return None;
    }
    let Collector { edges, mut dissolve, .. } = collector;
    let mut orders = Vec::with_capacity(flat.blocks.len());
    for (block, edges) in edges.iter().enumerate() {
        let count = flat.blocks[block].nodes.len();
        let after = successors(edges, count);
        match sort(&after, count) {
            Ok(order) => orders.push(order),
            Err(stuck) => {
                let circle = circle(&after, &stuck);
                let loops = loops_to_dissolve(flat, block, &circle);
                if loops.is_empty() {
                    found.push(unsortable(flat, vars, block, &circle, edges));
                }
                dissolve.extend(loops);
            }
        }
    }
    if found.iter().any(Diagnostic::is_error) {
        return None;
    }
    Some(if dissolve.is_empty() { Plan::Sorted(orders) } else { Plan::Dissolve(dissolve) })
}

struct Collector<'c, 't> {
    flat: &'c Flat<'t>,
    scopes: &'c [u16],
    /// The defining execution, by atom and scope.
    definitions: HashMap<(u32, u32), Execution>,
    /// For each block, pairs of positions, of which the first has to come before the second, with an atom that says why.
    edges: Vec<HashMap<(u32, u32), u32>>,
    dissolve: HashSet<u32>,
    /// Equations that read the value that they define, with an atom of it.
    on_themselves: BTreeMap<u32, u32>,
    /// Atoms that are read and nowhere assigned, by equation and variable.
    missing: BTreeMap<(u32, VarId), (Span, Vec<u32>)>,
    /// Temporaries that are read or updated outside their iteration.
    outside: BTreeMap<(u32, VarId), (Span, Vec<u32>)>,
}

/// The current version of an atom in the textual order.
#[derive(Default, Clone)]
struct Version {
    scope: Option<u32>,
    update: Option<Execution>,
    readers: Vec<Execution>,
}

impl Collector<'_, '_> {
    fn scope(&self, atom: u32, iteration: u32, iterations: &Iterations) -> Option<u32> {
        match self.scopes[atom as usize] {
            0 => Some(0),
            depth => iterations.at_depth(iteration, depth),
        }
    }

    fn collect(&mut self, vars: &[Var], problem: &Problem<'_>) {
        let flat = self.flat;
        let mut definitions = HashMap::new();
        flat.run(&mut |leaf, execution, counters, iterations| {
            if !leaf.equation.is_update {
                flat.for_each_write(leaf, counters, &mut |atom| {
                    if let Some(scope) = self.scope(atom, execution.iteration, iterations) {
                        definitions.insert((atom, scope), execution);
                    }
                });
            }
        });
        self.definitions = definitions;
        let mut inputs = HashSet::new();
        for &param in problem.params {
            inputs.extend(flat.atoms_of(param, vars));
        }
        let mut versions: HashMap<u32, Version> = HashMap::new();
        let mut edges: Vec<(Execution, Execution, u32)> = Vec::new();
        let mut known: HashSet<(Execution, Execution)> = HashSet::new();
        let all = flat.run(&mut |leaf, execution, counters, iterations| {
            let mut edge = |before: Execution, after: Execution, atom: u32| {
                if known.insert((before, after)) {
                    edges.push((before, after, atom));
                }
            };
            let mut reads = Vec::new();
            flat.for_each_read(leaf, counters, &mut |atom, span| reads.push((atom, span)));
            for (atom, span) in reads {
                let scope = self.scope(atom, execution.iteration, iterations);
                let version = versions.entry(atom).or_default();
                if version.scope != scope {
                    *version = Version { scope, ..Version::default() };
                }
                version.readers.push(execution);
                let definition = scope.and_then(|scope| self.definitions.get(&(atom, scope))).copied();
                match (version.update, definition) {
                    (Some(update), _) => edge(update, execution, atom),
                    (None, Some(definition)) if definition == execution => {
                        self.on_themselves.entry(execution.leaf).or_insert(atom);
                    }
                    (None, Some(definition)) => edge(definition, execution, atom),
                    (None, None) if inputs.contains(&atom) => {}
                    (None, None) => {
                        let key = (execution.leaf, flat.variable(atom));
                        let list = if self.scopes[atom as usize] > 0 { &mut self.outside } else { &mut self.missing };
                        list.entry(key).or_insert((span, Vec::new())).1.push(atom);
                    }
                }
            }
            if !leaf.equation.is_update {
                return;
            }
            flat.for_each_write(leaf, counters, &mut |atom| {
                let scope = self.scope(atom, execution.iteration, iterations);
                let version = versions.entry(atom).or_default();
                if version.scope != scope {
                    *version = Version { scope, ..Version::default() };
                }
                let definition = scope.and_then(|scope| self.definitions.get(&(atom, scope))).copied();
                if definition.is_none() && self.scopes[atom as usize] > 0 {
                    let key = (execution.leaf, flat.variable(atom));
                    self.outside.entry(key).or_insert((leaf.equation.span, Vec::new())).1.push(atom);
                }
                for before in version.update.or(definition).into_iter().chain(version.readers.drain(..)) {
                    if before != execution {
                        edge(before, execution, atom);
                    }
                }
                version.update = Some(execution);
            });
        });
        drop(versions);
        for (before, after, atom) in edges {
            self.edge(before, after, atom, &all);
        }
    }

    /// Adds a dependency to the block or loop that it concerns: `before` has to run before `after`.
    fn edge(&mut self, before: Execution, after: Execution, atom: u32, iterations: &Iterations) {
        let (mut b, mut a) = (self.path(before.leaf), self.path(after.leaf));
        let mut depth = 0;
        while let (Some((block, b_position, node)), Some((_, a_position, _))) = (b.pop(), a.pop()) {
            if b_position != a_position {
                self.edges[block as usize].entry((b_position, a_position)).or_insert(atom);
                return;
            }
            // Both lie in the same statement. If it is a loop, they may lie in different iterations.
            let NodeRef::Loop(index) = node else {
                // The results of a loop over a stream are there after its last iteration.
                if before.leaf != after.leaf {
                    self.on_themselves.entry(before.leaf).or_insert(atom);
                }
                return;
            };
            depth += 1;
            let iteration = |execution: Execution| iterations.at_depth(execution.iteration, depth);
            match (iteration(before), iteration(after)) {
                (Some(x), Some(y)) if x == y => {}
                (Some(x), Some(y)) if x < y => return,
                _ => {
                    self.dissolve.insert(index);
                    return;
                }
            }
        }
    }

    /// The blocks and positions around an equation, from the inside out.
    fn path(&self, leaf: u32) -> Vec<(u32, u32, NodeRef)> {
        let mut path = Vec::new();
        let (mut place, mut node) = (self.flat.leaves[leaf as usize].place, NodeRef::Leaf(leaf));
        loop {
            path.push((place.0, place.1, node));
            let Some(owner) = self.flat.blocks[place.0 as usize].owner else { return path };
            place = self.flat.loops[owner as usize].place;
            node = NodeRef::Loop(owner);
        }
    }

    fn report(&self, vars: &[Var], problem: &Problem<'_>, found: &mut Vec<Diagnostic>) {
        let flat = self.flat;
        let is_silent = |id: &VarId| problem.assigned_wrongly.contains(id);
        for ((_, id), (span, atoms)) in self.missing.iter().filter(|((_, id), _)| !is_silent(id)) {
            let message = format!("{} read here and never assigned", list(flat, vars, &distinct(atoms)));
            let var = &vars[id.0 as usize];
            let mut diagnostic =
                Diagnostic::error(&equations::E0402, *span, message).related(var.span, "declared here");
            if atoms.iter().any(|&atom| self.is_updated(atom)) {
                diagnostic = diagnostic.note(
                    "an update with `:=` counts for what comes after it only: give it a first value before, `c := 0`",
                );
            }
            found.push(diagnostic);
        }
        for ((_, id), (span, atoms)) in self.outside.iter().filter(|((_, id), _)| !is_silent(id)) {
            let what = list(flat, vars, &distinct(atoms));
            let message =
                format!("{what} a temporary of a loop's iterations, and used outside the one that assigns it");
            let var = &vars[id.0 as usize];
            found.push(
                Diagnostic::error(&equations::E0410, *span, message)
                    .related(var.span, "declared here")
                    .note("use an array with an element for each iteration, or `:=`"),
            );
        }
        for (&leaf, &atom) in &self.on_themselves {
            if is_silent(&flat.variable(atom)) {
                continue;
            }
            let name = flat.name(atom, vars);
            let (message, note) = match vars[flat.variable(atom).0 as usize].stream {
                true => (
                    format!("this loop needs `{name}` to make it"),
                    "a loop over a stream cannot read what it makes; another loop can",
                ),
                false => (
                    format!("this equation needs `{name}` to compute it"),
                    "write `:=` to compute a new value from the old one",
                ),
            };
            found.push(
                Diagnostic::error(&equations::E0404, flat.leaves[leaf as usize].equation.span, message).note(note),
            );
        }
    }

    fn is_updated(&self, atom: u32) -> bool {
        let var = self.flat.variable(atom);
        self.flat.leaves.iter().any(|l| l.equation.is_update && l.equation.targets.iter().any(|t| t.var == var))
    }
}

fn distinct(atoms: &[u32]) -> Vec<u32> {
    let mut atoms = atoms.to_vec();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

fn successors(edges: &HashMap<(u32, u32), u32>, count: usize) -> Vec<Vec<u32>> {
    let mut after = vec![Vec::new(); count];
    for &(before, next) in edges.keys() {
        after[before as usize].push(next);
    }
    after.iter_mut().for_each(|list| list.sort_unstable());
    after
}

/// The order closest to the textual one; an error lists the positions that no order reaches.
fn sort(after: &[Vec<u32>], count: usize) -> Result<Vec<u32>, Vec<u32>> {
    let mut waiting = vec![0u32; count];
    after.iter().flatten().for_each(|&next| waiting[next as usize] += 1);
    let mut ready: BinaryHeap<Reverse<u32>> =
        (0..count as u32).filter(|&i| waiting[i as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(position)) = ready.pop() {
        order.push(position);
        for &next in &after[position as usize] {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    if order.len() == count {
        return Ok(order);
    }
    Err((0..count as u32).filter(|&i| waiting[i as usize] > 0).collect())
}

/// Finds a cycle among positions that wait for each other.
fn circle(after: &[Vec<u32>], stuck: &[u32]) -> Vec<u32> {
    let is_stuck: HashSet<u32> = stuck.iter().copied().collect();
    // Each stuck position has a stuck predecessor, so that walking backwards ends in a cycle.
    let mut before: HashMap<u32, u32> = HashMap::new();
    for &position in stuck {
        for &next in after[position as usize].iter().filter(|next| is_stuck.contains(next)) {
            before.entry(next).or_insert(position);
        }
    }
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let mut path = Vec::new();
    let mut at = stuck.first().copied();
    while let Some(position) = at {
        if let Some(&start) = seen.get(&position) {
            let mut circle = path.split_off(start);
            circle.reverse();
            return circle;
        }
        seen.insert(position, path.len());
        path.push(position);
        at = before.get(&position).copied();
    }
    path
}

/// The loops of a cycle that can be dissolved, or the loop around it. Loops over streams cannot.
fn loops_to_dissolve(flat: &Flat<'_>, block: usize, circle: &[u32]) -> Vec<u32> {
    let is_counted = |index: &u32| flat.loops[*index as usize].tree.stream.is_none();
    let nodes = &flat.blocks[block].nodes;
    let loops: Vec<u32> = circle
        .iter()
        .filter_map(|&position| match nodes[position as usize] {
            NodeRef::Loop(index) => Some(index),
            NodeRef::Leaf(_) => None,
        })
        .filter(is_counted)
        .collect();
    if !loops.is_empty() {
        return loops;
    }
    // The statements of a loop have one order for all iterations. After unrolling, each iteration has its own order.
    let mut owner = flat.blocks[block].owner;
    while let Some(index) = owner {
        if flat.loops[index as usize].tree.counter.is_some() && is_counted(&index) {
            return vec![index];
        }
        owner = flat.blocks[flat.loops[index as usize].place.0 as usize].owner;
    }
    Vec::new()
}

/// A cycle without a loop that can be dissolved: nothing in it can be the first.
fn unsortable(
    flat: &Flat<'_>,
    vars: &[Var],
    block: usize,
    circle: &[u32],
    edges: &HashMap<(u32, u32), u32>,
) -> Diagnostic {
    const SHOWN: usize = 8;
    let spans: Vec<Span> = circle
        .iter()
        .map(|&position| match flat.blocks[block].nodes[position as usize] {
            NodeRef::Leaf(leaf) => flat.leaves[leaf as usize].equation.span,
            NodeRef::Loop(index) => flat.loops[index as usize].tree.span,
        })
        .collect();
    let next = circle.iter().cycle().skip(1);
    let mut names: Vec<String> = circle
        .iter()
        .zip(next)
        .filter_map(|(&before, &after)| edges.get(&(before, after)))
        .take(SHOWN)
        .map(|&atom| flat.name(atom, vars))
        .collect();
    names.push(if circle.len() > SHOWN { "…".to_owned() } else { names.first().cloned().unwrap_or_default() });
    let message = format!("these equations depend on each other in a circle: {}", names.join(" → "));
    let first = spans[0];
    let mut diagnostic = Diagnostic::error(&equations::E0404, first, message);
    let mut shown = vec![first];
    for &span in spans.iter().take(SHOWN).filter(|span| **span != first) {
        if !shown.contains(&span) {
            shown.push(span);
            diagnostic = diagnostic.related(span, "part of the circle");
        }
    }
    diagnostic.note(
        "each name needs the one before it; compute one of them from something else, or write `:=` where an earlier value is meant",
    )
}
