//! Checks equations atom by atom, with every iteration of every loop carried out.
//!
//! There are two passes. The first finds which atoms are assigned, how often, and by which iterations. The second
//! follows the textual order and checks that every read comes after the assignment of the value that it reads.
//! Iterations are numbered as they begin. The *scope* of a temporary is the iteration that has its value.

use std::collections::{BTreeMap, HashMap, HashSet};

use culet_diag::codes::equations;
use culet_diag::{Diagnostic, Span};

use crate::flat::{Execution, Flat, Iterations};
use crate::order::Problem;
use crate::program::{Expr, ExprKind, Var, VarId};

/// The result of [`check`].
pub(crate) enum Verdict {
    /// The textual order is right.
    InOrder,
    /// Some read comes before the assignment that it reads. The depth of the scope of each atom, 0 outside of loops.
    OutOfOrder(Vec<u16>),
    /// The equations at these places are in loops and assign atoms again that were assigned before: they are updates.
    Updates(HashSet<Span>),
    /// Diagnostics report errors in these variables. The depths are as above, if the order is not right either.
    Wrong(HashSet<VarId>, Option<Vec<u16>>),
}

const NONE: u32 = u32::MAX;

/// Facts about an atom's definitions by `=`.
#[derive(Clone)]
struct Definitions {
    last: Execution,
    /// Depth of the iteration that has its value; 0 if there is one value.
    scope: u16,
    /// The least depth of an equation that defines it.
    shallowest: u16,
}

/// Checks single assignment and totality, and whether the textual order is right.
pub(crate) fn check(flat: &Flat<'_>, vars: &[Var], problem: &Problem<'_>, found: &mut Vec<Diagnostic>) -> Verdict {
    let before = found.len();
    let inputs = input_atoms(flat, vars, problem);
    let mut updates = HashSet::new();
    let mut wrong = HashSet::new();
    let definitions = definitions(flat, vars, problem, &inputs, &mut updates, &mut wrong, found);
    let scopes: Vec<u16> = definitions.iter().map(|d| d.scope).collect();
    let is_wrong = |found: &[Diagnostic]| found[before..].iter().any(Diagnostic::is_error);
    if !is_wrong(found) && !updates.is_empty() {
        return Verdict::Updates(updates);
    }
    let mut always = inputs;
    for &id in problem.assigned_wrongly {
        flat.atoms_of(id, vars).for_each(|atom| always[atom as usize] = true);
    }
    let mut pass = TextualPass { flat, scopes: &scopes, always: &always, state: vec![UNSET; flat.atoms as usize] };
    let mut in_order = true;
    let mut late: BTreeMap<u32, u32> = BTreeMap::new();
    flat.run(&mut |leaf, execution, counters, iterations| {
        flat.for_each_read(leaf, counters, &mut |atom, _| {
            in_order &= pass.is_set(atom, execution.iteration, iterations)
        });
        let is_update = leaf.equation.is_update;
        flat.for_each_write(leaf, counters, &mut |atom| match pass.write(
            atom,
            is_update,
            execution.iteration,
            iterations,
        ) {
            Write::Fine => {}
            Write::OutsideScope => in_order = false,
            Write::AfterUpdate => {
                late.entry(execution.leaf).or_insert(atom);
            }
        });
    });
    for (leaf, atom) in late {
        if !problem.assigned_wrongly.contains(&flat.variable(atom)) && wrong.insert(flat.variable(atom)) {
            let message = format!("`{}` has been updated before this equation defines it", flat.name(atom, vars));
            found.push(Diagnostic::error(&equations::E0408, flat.leaves[leaf as usize].equation.span, message));
        }
    }
    let state = pass.state;
    results(flat, vars, problem, &definitions, &state, &mut wrong, found);
    if is_wrong(found) {
        Verdict::Wrong(wrong, (!in_order).then_some(scopes))
    } else if in_order {
        Verdict::InOrder
    } else {
        Verdict::OutOfOrder(scopes)
    }
}

fn input_atoms(flat: &Flat<'_>, vars: &[Var], problem: &Problem<'_>) -> Vec<bool> {
    let mut inputs = vec![false; flat.atoms as usize];
    for &param in problem.params {
        flat.atoms_of(param, vars).for_each(|atom| inputs[atom as usize] = true);
    }
    inputs
}

/// The first pass: finds where `=` defines each atom.
fn definitions(
    flat: &Flat<'_>,
    vars: &[Var],
    problem: &Problem<'_>,
    inputs: &[bool],
    updates: &mut HashSet<Span>,
    wrong: &mut HashSet<VarId>,
    found: &mut Vec<Diagnostic>,
) -> Vec<Definitions> {
    let none = Definitions { last: Execution { leaf: NONE, iteration: 0 }, scope: 0, shallowest: u16::MAX };
    let mut all = vec![none; flat.atoms as usize];
    // One diagnostic for each equation and variable.
    let mut reported: HashSet<(u32, VarId)> = HashSet::new();
    let mut again: Vec<(u32, u32, u32, bool)> = Vec::new();
    let mut on_input: Vec<(u32, u32)> = Vec::new();
    flat.run(&mut |leaf, execution, counters, iterations| {
        if leaf.equation.is_update {
            return;
        }
        flat.for_each_write(leaf, counters, &mut |atom| {
            if inputs[atom as usize] {
                if reported.insert((execution.leaf, flat.variable(atom))) {
                    on_input.push((execution.leaf, atom));
                }
                return;
            }
            let depth = iterations.depth(execution.iteration);
            let known = &mut all[atom as usize];
            if known.last.leaf != NONE {
                let common = iterations.common_depth(known.last.iteration, execution.iteration);
                known.scope = known.scope.max(common + 1);
                if known.shallowest.min(depth) < known.scope && reported.insert((execution.leaf, flat.variable(atom))) {
                    again.push((known.last.leaf, execution.leaf, atom, depth > common));
                }
            }
            known.shallowest = known.shallowest.min(depth);
            known.last = execution;
        });
    });
    for (leaf, atom) in on_input {
        wrong.insert(flat.variable(atom));
        let var = &vars[flat.variable(atom).0 as usize];
        let message = format!("`{}` is an input, which an equation cannot define", flat.name(atom, vars));
        found.push(
            Diagnostic::error(&equations::E0405, flat.leaves[leaf as usize].equation.span, message)
                .related(var.span, "declared here")
                .note("write `:=` to update it"),
        );
    }
    for (first, second, atom, is_in_loop) in again {
        if problem.assigned_wrongly.contains(&flat.variable(atom)) {
            continue;
        }
        let (first, second) = (flat.leaves[first as usize].equation.span, flat.leaves[second as usize].equation.span);
        let name = flat.name(atom, vars);
        if is_in_loop {
            // Published programs write rolling state in this way, and the textual order gives the order of updates.
            if updates.insert(second) {
                let message = format!("this loop assigns `{name}` again, so its equation is taken as an update");
                found.push(
                    Diagnostic::warning(&equations::W0402, second, message)
                        .related(first, "first assigned here")
                        .note("write `:=` for what changes from one iteration to the next"),
                );
            }
            continue;
        }
        wrong.insert(flat.variable(atom));
        let mut diagnostic = if first == second {
            let message = format!("this assigns `{name}` more than once");
            Diagnostic::error(&equations::E0401, second, message)
        } else {
            let message = format!("`{name}` is assigned a second time");
            Diagnostic::error(&equations::E0401, second, message).related(first, "first assigned here")
        };
        diagnostic = diagnostic.note("an equation says what an atom is, once; `:=` updates it");
        found.push(diagnostic);
    }
    all
}

/// The state of an atom's value in the second pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    /// The iteration that has its value, or [`NONE`].
    scope: u32,
    updated: bool,
}

const UNSET: State = State { scope: NONE, updated: false };

enum Write {
    Fine,
    /// An update of a temporary outside its iteration.
    OutsideScope,
    /// A definition after an update.
    AfterUpdate,
}

struct TextualPass<'p, 't> {
    flat: &'p Flat<'t>,
    scopes: &'p [u16],
    /// Atoms that have a value from the start, or that are not checked.
    always: &'p [bool],
    state: Vec<State>,
}

impl TextualPass<'_, '_> {
    fn is_set(&self, atom: u32, iteration: u32, iterations: &Iterations) -> bool {
        debug_assert!(atom < self.flat.atoms);
        let state = self.state[atom as usize];
        if self.always[atom as usize] {
            return true;
        }
        match self.scopes[atom as usize] {
            0 => state.scope != NONE,
            scope => iterations.at_depth(iteration, scope) == Some(state.scope),
        }
    }

    fn write(&mut self, atom: u32, is_update: bool, iteration: u32, iterations: &Iterations) -> Write {
        let scope = match self.scopes[atom as usize] {
            0 => 0,
            depth => match iterations.at_depth(iteration, depth) {
                Some(scope) => scope,
                None => return Write::OutsideScope,
            },
        };
        let state = &mut self.state[atom as usize];
        let same = state.scope == scope;
        if is_update {
            let is_temporary = self.scopes[atom as usize] > 0;
            if is_temporary && !same {
                return Write::OutsideScope;
            }
            *state = State { scope, updated: true };
            return Write::Fine;
        }
        let after_update = same && state.updated;
        *state = State { scope, updated: false };
        if after_update { Write::AfterUpdate } else { Write::Fine }
    }
}

/// Checks totality: every atom of every result has one value in the end.
fn results(
    flat: &Flat<'_>,
    vars: &[Var],
    problem: &Problem<'_>,
    definitions: &[Definitions],
    state: &[State],
    wrong: &mut HashSet<VarId>,
    found: &mut Vec<Diagnostic>,
) {
    let is_checked = |id: &&VarId| !problem.assigned_wrongly.contains(id) && !vars[id.0 as usize].stream;
    for &id in problem.returns.iter().filter(is_checked) {
        let var = &vars[id.0 as usize];
        let missing: Vec<u32> = flat.atoms_of(id, vars).filter(|&a| state[a as usize].scope == NONE).collect();
        if wrong.contains(&id) {
            continue;
        }
        if !missing.is_empty() {
            wrong.insert(id);
            let message = format!("{} never assigned", list(flat, vars, &missing));
            found.push(
                Diagnostic::error(&equations::E0403, var.span, message).note("every atom of a result needs a value"),
            );
        }
        if let Some(atom) = flat.atoms_of(id, vars).find(|&a| definitions[a as usize].scope > 0) {
            wrong.insert(id);
            let leaf = definitions[atom as usize].last.leaf;
            let message = format!("`{}` is assigned in more than one iteration", flat.name(atom, vars));
            found.push(
                Diagnostic::error(&equations::E0401, flat.leaves[leaf as usize].equation.span, message)
                    .related(var.span, "it is a result, so it has one value")
                    .note("write `:=` to update it"),
            );
        }
    }
}

/// `x[0], x[3] and 2 more are`
pub(crate) fn list(flat: &Flat<'_>, vars: &[Var], atoms: &[u32]) -> String {
    const SHOWN: usize = 4;
    let names: Vec<String> = atoms.iter().take(SHOWN).map(|&a| format!("`{}`", flat.name(a, vars))).collect();
    match (names.as_slice(), atoms.len()) {
        ([name], _) => format!("{name} is"),
        ([first @ .., last], n) if n <= SHOWN => format!("{} and {last} are", first.join(", ")),
        (names, n) => format!("{} and {} more are", names.join(", "), n - SHOWN),
    }
}

/// Warns of locals that nothing reads.
pub(crate) fn unused(flat: &Flat<'_>, vars: &[Var], problem: &Problem<'_>, found: &mut Vec<Diagnostic>) {
    if flat.leaves.iter().any(|leaf| leaf.equation.value.is_none()) || !problem.assigned_wrongly.is_empty() {
        return;
    }
    let mut read = vec![false; vars.len()];
    for leaf in &flat.leaves {
        if let Some(value) = &leaf.equation.value {
            for_each_read_variable(value, &mut |id| read[id.0 as usize] = true);
        }
    }
    for &id in problem.params.iter().chain(problem.returns) {
        read[id.0 as usize] = true;
    }
    let declared = vars.iter().zip(read).take(problem.declared);
    for (var, _) in declared.filter(|(var, read)| !read && !var.name.starts_with('_')) {
        let message = format!("`{}` is never read", var.name);
        found.push(Diagnostic::warning(&equations::W0401, var.span, message));
    }
}

/// The variables that are, as a whole, temporaries of a loop's iterations, for each loop. Nothing outside the loop
/// touches them, and each of their atoms that `=` defines has its value in one iteration.
pub(crate) fn local_variables(
    flat: &Flat<'_>,
    vars: &[Var],
    problem: &Problem<'_>,
    scopes: &[u16],
) -> HashMap<u32, Vec<VarId>> {
    // For each variable, the innermost loop around all equations that touch it.
    let mut home: Vec<Option<Option<u32>>> = vec![None; vars.len()];
    for leaf in &flat.leaves {
        let owner = flat.blocks[leaf.place.0 as usize].owner;
        let mut touch = |id: VarId| {
            let home = &mut home[id.0 as usize];
            *home = Some(match *home {
                None => owner,
                Some(other) => common_loop(flat, other, owner),
            });
        };
        leaf.equation.targets.iter().for_each(|target| touch(target.var));
        if let Some(value) = &leaf.equation.value {
            for_each_read_variable(value, &mut touch);
        }
    }
    let mut local: HashMap<u32, Vec<VarId>> = HashMap::new();
    for (i, home) in home.into_iter().enumerate() {
        let id = VarId(i as u32);
        if problem.params.contains(&id) || problem.returns.contains(&id) {
            continue;
        }
        let least = flat.atoms_of(id, vars).map(|atom| scopes[atom as usize]).filter(|&s| s > 0).min();
        let (Some(least), Some(mut around)) = (least, home) else { continue };
        while let Some(index) = around {
            if loop_depth(flat, index) < u32::from(least) {
                local.entry(index).or_default().push(id);
            }
            around = flat.blocks[flat.loops[index as usize].place.0 as usize].owner;
        }
    }
    local
}

fn for_each_read_variable(expr: &Expr, f: &mut dyn FnMut(VarId)) {
    match &expr.kind {
        ExprKind::Read(place) => f(place.var),
        ExprKind::Length(parts) => parts.iter().for_each(|&part| f(part)),
        _ => {}
    }
    expr.kind.for_each_operand(&mut |operand| for_each_read_variable(operand, f));
}

/// The number of loops around a loop.
pub(crate) fn loop_depth(flat: &Flat<'_>, index: u32) -> u32 {
    let mut depth = 0;
    let mut around = flat.blocks[flat.loops[index as usize].place.0 as usize].owner;
    while let Some(index) = around {
        depth += 1;
        around = flat.blocks[flat.loops[index as usize].place.0 as usize].owner;
    }
    depth
}

fn common_loop(flat: &Flat<'_>, a: Option<u32>, b: Option<u32>) -> Option<u32> {
    let path = |mut at: Option<u32>| {
        let mut path = Vec::new();
        while let Some(index) = at {
            path.push(index);
            at = flat.blocks[flat.loops[index as usize].place.0 as usize].owner;
        }
        path.reverse();
        path
    };
    path(a).into_iter().zip(path(b)).take_while(|(x, y)| x == y).last().map(|(x, _)| x)
}
