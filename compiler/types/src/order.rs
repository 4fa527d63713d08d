//! The order of equations.
//!
//! `=` is an equation: its place in the text does not matter. `:=` is an update: the k-th update of an atom, in the
//! order of the text with loops carried out, makes its k-th version, and a read sees the version that the updates
//! before it have made. An atom that several iterations of loops define with `=` has a separate value in each
//! iteration: it is a temporary, which only the same iteration reads.
//!
//! One form is accepted from published programs with a warning: an equation in a loop that assigns an atom again that
//! was assigned before the loop is an update, though it is written `=`.
//!
//! In most programs the equations can run in textual order; `atoms` simulates all iterations to find out. If they
//! cannot, `dependencies` collects the dependencies, and this file sorts each block and keeps loops. A loop whose
//! iterations cannot run in their order, or that is part of a cycle, is dissolved into its statements, and the search
//! begins anew. A cycle among equations alone is an error.

use std::collections::{HashMap, HashSet};

use culet_diag::codes::{equations, fields, limits};
use culet_diag::{Diagnostic, Span};

use crate::atoms::{self, Verdict};
use crate::dependencies::{self, Plan};
use crate::flat::Flat;
use crate::instances::Elaborator;
use crate::limits::{EXPRESSION, NODE_ATOMS};
use crate::program::{Affine, Assign, CounterId, Expr, ExprKind, Loop, Place, Step, Stream, Var, VarId};

/// A statement after elaboration.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Equation(Equation),
    Loop(LoopTree),
}

#[derive(Debug, Clone)]
pub(crate) struct Equation {
    pub(crate) targets: Vec<Place>,
    /// `None` if a diagnostic says why there is no value.
    pub(crate) value: Option<Expr>,
    pub(crate) is_update: bool,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct LoopTree {
    /// `None` in a loop that is unrolled.
    pub(crate) counter: Option<CounterId>,
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) unroll: Option<bool>,
    pub(crate) stream: Option<StreamTree>,
    /// One block if there is a counter; otherwise one for each iteration.
    pub(crate) blocks: Vec<Vec<Tree>>,
    pub(crate) span: Span,
}

/// The stream of a loop.
#[derive(Debug, Clone)]
pub(crate) struct StreamTree {
    pub(crate) header: Stream,
    /// The loop as one equation on whole streams, for the order only: its results that are streams come of those that it goes
    /// through.
    pub(crate) passage: Equation,
}

impl LoopTree {
    pub(crate) fn values(&self) -> impl Iterator<Item = i64> + use<> {
        let (first, step) = (self.first, if self.first <= self.last { 1 } else { -1 });
        (0..=self.first.abs_diff(self.last) as i64).map(move |k| first + k * step)
    }
}

/// The properties of the node whose equations are ordered.
pub(crate) struct Problem<'p> {
    pub(crate) params: &'p [VarId],
    pub(crate) returns: &'p [VarId],
    /// Number of variables that are declared; the others are temporaries.
    pub(crate) declared: usize,
    /// Variables whose atoms are not checked, since an assignment to them has failed.
    pub(crate) assigned_wrongly: &'p HashSet<VarId>,
    pub(crate) span: Span,
}

/// Checks the equations of a node and puts them in an order in which they can run.
pub(crate) fn order(
    shared: &mut Elaborator<'_, '_>,
    vars: &mut Vec<Var>,
    problem: &Problem<'_>,
    mut trees: Vec<Tree>,
) -> Option<Vec<Step>> {
    let mark = shared.mark();
    let mut is_first = true;
    let mut is_sorted = false;
    loop {
        let accesses = trees.iter().map(accesses).fold(0, u64::saturating_add);
        if !shared.budget.access(accesses) {
            shared.report(too_many_accesses(&trees, problem.span));
            return None;
        }
        let flat = Flat::new(&trees, vars);
        let mut found = Vec::new();
        let verdict = atoms::check(&flat, vars, problem, &mut found);
        if is_first {
            atoms::unused(&flat, vars, problem, &mut found);
        }
        is_first = false;
        found.into_iter().for_each(|diagnostic| shared.report(diagnostic));
        match verdict {
            Verdict::Wrong(wrong, private) => {
                // The other variables may have errors of their own.
                if let Some(private) = private {
                    let silent = wrong.union(problem.assigned_wrongly).copied().collect();
                    let problem = Problem { assigned_wrongly: &silent, ..*problem };
                    let mut found = Vec::new();
                    dependencies::plan(&flat, vars, &problem, &private, &mut found);
                    found.into_iter().for_each(|diagnostic| shared.report(diagnostic));
                }
                return None;
            }
            Verdict::InOrder => break,
            Verdict::Updates(updates) if updated_in_stream(&trees, &updates).is_some() => {
                let place = updated_in_stream(&trees, &updates).unwrap_or(problem.span);
                let message = "this changes from one iteration to the next";
                let note = "in a loop over a stream an update is written `:=`";
                shared.report(Diagnostic::error(&fields::E0338, place, message).note(note));
                return None;
            }
            Verdict::Updates(updates) => trees.iter_mut().for_each(|tree| make_updates(tree, &updates)),
            Verdict::OutOfOrder(_) if is_sorted => {
                let message = "no order has been found for these equations";
                let note = "write them in an order in which they can run";
                shared.report(Diagnostic::error(&equations::E0404, problem.span, message).note(note));
                return None;
            }
            Verdict::OutOfOrder(private) => {
                let mut found = Vec::new();
                let plan = dependencies::plan(&flat, vars, problem, &private, &mut found);
                found.into_iter().for_each(|diagnostic| shared.report(diagnostic));
                let plan = plan?;
                is_sorted = matches!(plan, Plan::Sorted(_));
                match plan {
                    Plan::Sorted(orders) => trees = sorted(trees, &mut orders.into_iter()),
                    Plan::Dissolve(loops) => {
                        let local = atoms::local_variables(&flat, vars, problem, &private);
                        let mut dissolving = Dissolving { shared, vars, loops: &loops, local: &local, next: 0 };
                        trees = dissolving.block(trees)?;
                    }
                }
            }
        }
    }
    if shared.has_errors_since(mark) {
        return None;
    }
    check_empty_streams(shared, vars, problem, &trees)?;
    let mut steps = Vec::new();
    flatten(trees, &mut steps)?;
    Some(steps)
}

/// Checks that every result has a value if no loop over a stream has an iteration.
fn check_empty_streams(
    shared: &mut Elaborator<'_, '_>,
    vars: &[Var],
    problem: &Problem<'_>,
    trees: &[Tree],
) -> Option<()> {
    let mut first = None;
    let others = without_streams(trees, &mut first);
    let Some(place) = first else { return Some(()) };
    let mut found = Vec::new();
    let verdict = atoms::check(&Flat::new(&others, vars), vars, problem, &mut found);
    let missing = found.into_iter().find(Diagnostic::is_error);
    let message = "if the stream is empty, something has no value";
    let diagnostic = Diagnostic::error(&fields::E0341, place, message);
    let diagnostic = match (missing, verdict) {
        (Some(missing), _) => match missing.span {
            Some(span) => diagnostic.related(span, missing.message),
            None => diagnostic.note(missing.message),
        },
        (None, Verdict::InOrder | Verdict::Updates(_)) => return Some(()),
        (None, Verdict::OutOfOrder(_) | Verdict::Wrong(..)) => diagnostic,
    };
    shared.report(diagnostic.note("what a loop over a stream updates has a value before the loop"));
    None
}

/// The trees without the iterations of loops over streams, the first of which is noted. These loops stand outside of loops
/// that stay loops.
fn without_streams(trees: &[Tree], first: &mut Option<Span>) -> Vec<Tree> {
    let mut others = Vec::with_capacity(trees.len());
    for tree in trees {
        match tree {
            Tree::Loop(LoopTree { stream: Some(stream), span, .. }) => {
                first.get_or_insert(*span);
                others.push(Tree::Equation(stream.passage.clone()));
            }
            Tree::Loop(tree @ LoopTree { counter: None, .. }) => {
                let blocks = tree.blocks.iter().map(|block| without_streams(block, first)).collect();
                others.push(Tree::Loop(LoopTree { blocks, ..tree.clone() }));
            }
            other => others.push(other.clone()),
        }
    }
    others
}

fn too_many_accesses(trees: &[Tree], span: Span) -> Diagnostic {
    let largest = trees.iter().max_by_key(|tree| accesses(tree));
    let (place, count) = match largest {
        Some(Tree::Loop(tree)) => (tree.span, accesses(&Tree::Loop(tree.clone()))),
        Some(Tree::Equation(equation)) => (equation.span, accesses(&Tree::Equation(equation.clone()))),
        None => (span, 0),
    };
    Diagnostic::error(&limits::E0602, place, format!("this reads and writes {count} atoms in all its iterations"))
        .note(format!("the limit is {} in one program", crate::limits::ACCESSES))
}

/// Number of atoms that all iterations read and write, which is also the cost of the simulation.
fn accesses(tree: &Tree) -> u64 {
    let of_equation = |equation: &Equation| {
        let written = equation.targets.iter().map(place_atoms).fold(1, u64::saturating_add);
        equation.value.as_ref().map_or(written, |value| written.saturating_add(reads(value)))
    };
    match tree {
        Tree::Equation(equation) => of_equation(equation),
        Tree::Loop(tree) => {
            let block = |trees: &Vec<Tree>| trees.iter().map(accesses).fold(1, u64::saturating_add);
            let once = tree.blocks.iter().map(block).fold(0, u64::saturating_add);
            let times = if tree.counter.is_some() { tree.first.abs_diff(tree.last).saturating_add(1) } else { 1 };
            let passage = tree.stream.as_ref().map_or(0, |stream| of_equation(&stream.passage));
            once.saturating_mul(times).saturating_add(passage)
        }
    }
}

fn place_atoms(place: &Place) -> u64 {
    place.runs.iter().map(|run| u64::from(run.length)).sum()
}

fn reads(expr: &Expr) -> u64 {
    let mut count = match &expr.kind {
        ExprKind::Read(place) => place_atoms(place),
        _ => 0,
    };
    expr.kind.for_each_operand(&mut |operand| count = count.saturating_add(reads(operand)));
    count
}

/// The place of an equation in a loop over a stream that is an update though it is written `=`.
fn updated_in_stream(trees: &[Tree], updates: &HashSet<Span>) -> Option<Span> {
    fn find(tree: &Tree, updates: &HashSet<Span>) -> Option<Span> {
        match tree {
            Tree::Equation(equation) => updates.contains(&equation.span).then_some(equation.span),
            Tree::Loop(tree) => tree.blocks.iter().flatten().find_map(|tree| find(tree, updates)),
        }
    }
    let is_stream = |tree: &&Tree| matches!(tree, Tree::Loop(LoopTree { stream: Some(_), .. }));
    trees.iter().filter(is_stream).find_map(|tree| find(tree, updates))
}

fn make_updates(tree: &mut Tree, updates: &HashSet<Span>) {
    match tree {
        Tree::Equation(equation) => equation.is_update |= updates.contains(&equation.span),
        Tree::Loop(tree) => tree.blocks.iter_mut().flatten().for_each(|tree| make_updates(tree, updates)),
    }
}

/// The trees with every block in its new order. `orders` gives the blocks in the order in which they begin.
fn sorted(trees: Vec<Tree>, orders: &mut std::vec::IntoIter<Vec<u32>>) -> Vec<Tree> {
    let order = orders.next().unwrap_or_default();
    let mut trees: Vec<Option<Tree>> = trees
        .into_iter()
        .map(|tree| match tree {
            Tree::Loop(mut tree) => {
                tree.blocks = tree.blocks.into_iter().map(|block| sorted(block, orders)).collect();
                Some(Tree::Loop(tree))
            }
            equation => Some(equation),
        })
        .collect();
    debug_assert_eq!(order.len(), trees.len());
    order.into_iter().filter_map(|i| trees[i as usize].take()).collect()
}

/// Appends the steps of the program. Unrolled loops become their statements.
fn flatten(trees: Vec<Tree>, steps: &mut Vec<Step>) -> Option<()> {
    for tree in trees {
        match tree {
            Tree::Equation(Equation { targets, value, span, .. }) => {
                steps.push(Step::Assign(Assign { targets, value: value?, span }));
            }
            Tree::Loop(tree) => {
                let Some(counter) = tree.counter else {
                    for block in tree.blocks {
                        flatten(block, steps)?;
                    }
                    continue;
                };
                let mut inner = Vec::new();
                for block in tree.blocks {
                    flatten(block, &mut inner)?;
                }
                let LoopTree { first, last, unroll, stream, span, .. } = tree;
                let unroll = unroll.filter(|_| stream.is_none());
                let stream = stream.map(|stream| stream.header);
                steps.push(Step::Loop(Loop { counter, first, last, unroll, stream, steps: inner, span }));
            }
        }
    }
    Some(())
}

/// Replaces loops by their statements, with separate variables for each iteration's temporaries.
struct Dissolving<'s, 'd, 'a> {
    shared: &'s mut Elaborator<'d, 'a>,
    vars: &'s mut Vec<Var>,
    /// Indices of the loops to dissolve, among all loops in the order in which they begin.
    loops: &'s HashSet<u32>,
    /// The temporaries of each loop.
    local: &'s HashMap<u32, Vec<VarId>>,
    next: u32,
}

impl Dissolving<'_, '_, '_> {
    fn block(&mut self, trees: Vec<Tree>) -> Option<Vec<Tree>> {
        let mut result = Vec::with_capacity(trees.len());
        for tree in trees {
            match tree {
                Tree::Loop(tree) => self.tree(tree, &mut result)?,
                equation => result.push(equation),
            }
        }
        Some(result)
    }

    fn tree(&mut self, mut tree: LoopTree, result: &mut Vec<Tree>) -> Option<()> {
        let position = self.next;
        self.next += 1;
        let blocks = std::mem::take(&mut tree.blocks);
        let mut inner = Vec::with_capacity(blocks.len());
        for block in blocks {
            inner.push(self.block(block)?);
        }
        if !self.loops.contains(&position) {
            tree.blocks = inner;
            result.push(Tree::Loop(tree));
            return Some(());
        }
        if tree.unroll == Some(false) {
            let message = "the iterations of this loop cannot run in the order written";
            self.shared.report(
                Diagnostic::error(&equations::E0409, tree.span, message)
                    .note("an iteration needs what a later one, or something around the loop, computes from it"),
            );
            return None;
        }
        let local = self.local.get(&position).cloned().unwrap_or_default();
        let is_symbolic = tree.counter.is_some();
        for (k, value) in tree.values().enumerate() {
            let mut block = if is_symbolic { inner[0].clone() } else { std::mem::take(&mut inner[k]) };
            let renamed = if k == 0 { HashMap::new() } else { self.copies(&local, k, tree.span)? };
            let counter = tree.counter.map(|counter| (counter, value));
            for tree in &mut block {
                self.shared.budget.spend(EXPRESSION, span_of(tree)).map_err(|d| self.shared.report(*d)).ok()?;
                substitute(tree, counter, &renamed);
            }
            result.append(&mut block);
        }
        Some(())
    }

    /// New copies of the loop's temporaries for one iteration.
    fn copies(&mut self, local: &[VarId], k: usize, span: Span) -> Option<HashMap<VarId, VarId>> {
        let mut renamed = HashMap::new();
        for &id in local {
            let mut var = self.vars[id.0 as usize].clone();
            var.name = self.free_name(&format!("{}_{k}", var.name));
            self.vars.push(var);
            renamed.insert(id, VarId(self.vars.len() as u32 - 1));
        }
        let atoms: u64 = if local.is_empty() { 0 } else { self.vars.iter().map(|v| u64::from(v.ty.atoms())).sum() };
        if atoms > NODE_ATOMS || self.shared.budget.spend(self.vars.len() as u64, span).is_err() {
            let message = "the temporaries of this loop, which has to be unrolled, are too many";
            self.shared.report(Diagnostic::error(&limits::E0601, span, message));
            return None;
        }
        Some(renamed)
    }

    fn free_name(&self, wanted: &str) -> String {
        let is_taken = |name: &str| self.vars.iter().any(|v| v.name == name);
        let mut name = wanted.to_owned();
        while is_taken(&name) {
            name.push('_');
        }
        name
    }
}

fn span_of(tree: &Tree) -> Span {
    match tree {
        Tree::Equation(equation) => equation.span,
        Tree::Loop(tree) => tree.span,
    }
}

fn substitute(tree: &mut Tree, counter: Option<(CounterId, i64)>, renamed: &HashMap<VarId, VarId>) {
    match tree {
        Tree::Equation(equation) => substitute_equation(equation, counter, renamed),
        Tree::Loop(tree) => {
            if let Some(StreamTree { header, passage }) = &mut tree.stream {
                header.parts.iter_mut().chain(&mut header.carried).for_each(|id| rename(id, renamed));
                substitute_equation(passage, counter, renamed);
            }
            for tree in tree.blocks.iter_mut().flatten() {
                substitute(tree, counter, renamed);
            }
        }
    }
}

fn substitute_equation(equation: &mut Equation, counter: Option<(CounterId, i64)>, renamed: &HashMap<VarId, VarId>) {
    equation.targets.iter_mut().for_each(|place| substitute_place(place, counter, renamed));
    if let Some(value) = &mut equation.value {
        substitute_expr(value, counter, renamed);
    }
}

fn rename(id: &mut VarId, renamed: &HashMap<VarId, VarId>) {
    if let Some(&new) = renamed.get(id) {
        *id = new;
    }
}

fn substitute_expr(expr: &mut Expr, counter: Option<(CounterId, i64)>, renamed: &HashMap<VarId, VarId>) {
    match &mut expr.kind {
        ExprKind::Read(place) => substitute_place(place, counter, renamed),
        ExprKind::Length(parts) => parts.iter_mut().for_each(|part| rename(part, renamed)),
        _ => {}
    }
    expr.kind.for_each_operand_mut(&mut |operand| substitute_expr(operand, counter, renamed));
}

fn substitute_place(place: &mut Place, counter: Option<(CounterId, i64)>, renamed: &HashMap<VarId, VarId>) {
    rename(&mut place.var, renamed);
    let Some((counter, value)) = counter else { return };
    for run in &mut place.runs {
        substitute_counter(&mut run.start, counter, value);
    }
}

fn substitute_counter(affine: &mut Affine, counter: CounterId, value: i64) {
    if let Ok(i) = affine.terms.binary_search_by_key(&counter, |&(c, _)| c) {
        let (_, factor) = affine.terms.remove(i);
        // Every index lies within its variable for all values of the counters, so that nothing overflows.
        affine.constant += factor * value;
    }
}
