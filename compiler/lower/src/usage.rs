//! Uses of a node's variables, which decide where the variables live and what loops have to carry.

use std::collections::HashSet;

use culet_types::program::{Expr, ExprKind, Loop, Node, Place, Step, VarId};

/// Uses of one variable in a node.
#[derive(Debug, Clone)]
pub(crate) struct Usage {
    pub is_written: bool,
    /// Whether a position depends on a loop's counter.
    pub is_indexed: bool,
    /// The constants that each atom receives, if the variable receives nothing else and no atom receives two.
    pub constants: Option<Vec<Option<u64>>>,
}

pub(crate) fn usages(node: &Node, steps: &[Step]) -> Vec<Usage> {
    let unused = |var: &culet_types::program::Var| Usage {
        is_written: false,
        is_indexed: false,
        constants: Some(vec![None; var.ty.atoms() as usize]),
    };
    let mut usages: Vec<Usage> = node.vars.iter().map(unused).collect();
    note_steps(steps, &mut usages);
    usages
}

fn note_steps(steps: &[Step], usages: &mut [Usage]) {
    for step in steps {
        match step {
            Step::Loop(l) => {
                if let Some(stream) = &l.stream {
                    let usage = &mut usages[stream.element.0 as usize];
                    (usage.is_written, usage.constants) = (true, None);
                }
                note_steps(&l.steps, usages);
            }
            Step::Assign(assign) => {
                for place in reads(&assign.value) {
                    usages[place.var.0 as usize].is_indexed |= is_indexed(place);
                }
                let constants = constants(&assign.value);
                let mut written = 0;
                for place in &assign.targets {
                    let usage = &mut usages[place.var.0 as usize];
                    usage.is_written = true;
                    usage.is_indexed |= is_indexed(place);
                    let count = place.runs.iter().map(|run| run.length as usize).sum::<usize>();
                    let values = constants.as_ref().map(|values| &values[written..written + count]);
                    note_constants(usage, place, values);
                    written += count;
                }
            }
        }
    }
}

fn note_constants(usage: &mut Usage, place: &Place, values: Option<&[u64]>) {
    let Some(atoms) = &mut usage.constants else { return };
    let known = values.is_some() && place.runs.iter().all(|run| run.start.terms.is_empty());
    let mut values = values.into_iter().flatten();
    let fresh = known
        && fixed_atoms(place).all(|atom| {
            let slot = &mut atoms[atom as usize];
            slot.is_none() && {
                *slot = values.next().copied();
                slot.is_some()
            }
        });
    if !fresh {
        usage.constants = None;
    }
}

/// The values of a constant or of a tuple of constants.
fn constants(value: &Expr) -> Option<Vec<u64>> {
    let mut values = Vec::new();
    let mut waiting = vec![value];
    while let Some(Expr { kind, .. }) = waiting.pop() {
        match kind {
            ExprKind::Constant(constants) => values.extend(constants),
            ExprKind::Concat(parts) => waiting.extend(parts.iter().rev()),
            _ => return None,
        }
    }
    Some(values)
}

pub(crate) fn is_indexed(place: &Place) -> bool {
    place.runs.iter().any(|run| !run.start.terms.is_empty())
}

/// The atoms of a place that no counter moves.
pub(crate) fn fixed_atoms(place: &Place) -> impl Iterator<Item = u32> {
    place
        .runs
        .iter()
        .flat_map(|run| (0..i64::from(run.length)).map(|k| (run.start.constant + k * i64::from(run.stride)) as u32))
}

/// The operands of an expression, in order.
pub(crate) fn operands(expression: &Expr) -> Vec<&Expr> {
    let mut operands = Vec::new();
    expression.kind.for_each_operand(&mut |operand| operands.push(operand));
    operands
}

/// All places that an expression reads.
fn reads(expression: &Expr) -> Vec<&Place> {
    let mut places = Vec::new();
    let mut waiting = vec![expression];
    while let Some(expression) = waiting.pop() {
        match &expression.kind {
            ExprKind::Read(place) => places.push(place),
            _ => waiting.extend(operands(expression)),
        }
    }
    places
}

/// An atom of a variable that lives in values.
pub(crate) type AtomOf = (VarId, u32);

/// Atoms that a loop carries from one iteration to the next or out of it, in order, and the atoms that the loops in it
/// carry.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    pub atoms: Vec<AtomOf>,
    /// Atoms written in the loop; an atom that is not carried has no value after it.
    pub written: Vec<AtomOf>,
    pub inner: Vec<Carried>,
}

/// Atoms that every iteration of a list of steps reads before writing them, and atoms that it writes.
#[derive(Default)]
struct Flow {
    exposed: HashSet<AtomOf>,
    written: HashSet<AtomOf>,
    inner: Vec<Flow>,
}

/// The carried atoms of each loop among `steps`, in order. `is_value` says which variables live in values. The node's
/// results are read after the last step.
pub(crate) fn carried(node: &Node, steps: &[Step], is_value: &dyn Fn(VarId) -> bool) -> Vec<Carried> {
    if !steps.iter().any(|step| matches!(step, Step::Loop(_))) {
        return Vec::new();
    }
    let flow = flow(steps, is_value);
    let mut live: HashSet<AtomOf> = HashSet::new();
    for &result in node.returns.iter().filter(|&&result| is_value(result) && !node.var(result).stream) {
        live.extend((0..node.var(result).ty.atoms()).map(|atom| (result, atom)));
    }
    carried_by(steps, &flow.inner, live, is_value)
}

fn flow(steps: &[Step], is_value: &dyn Fn(VarId) -> bool) -> Flow {
    let mut flow = Flow::default();
    for step in steps {
        match step {
            Step::Assign(assign) => {
                for atom in atoms(reads(&assign.value), is_value) {
                    if !flow.written.contains(&atom) {
                        flow.exposed.insert(atom);
                    }
                }
                flow.written.extend(atoms(assign.targets.iter(), is_value));
            }
            Step::Loop(l) => {
                let before = flow.written.clone();
                let mut inner = self::flow(&l.steps, is_value);
                match &l.stream {
                    // A loop runs at least once.
                    None => flow.written.extend(&inner.written),
                    // A loop over a stream may not run: its carried variables may be read before it and after it.
                    Some(stream) => {
                        inner.exposed.retain(|&(var, _)| var != stream.element);
                        inner.exposed.extend(inner.written.iter().filter(|(var, _)| stream.carried.contains(var)));
                    }
                }
                flow.exposed.extend(inner.exposed.iter().filter(|atom| !before.contains(atom)));
                flow.inner.push(inner);
            }
        }
    }
    flow
}

/// The carried atoms of each loop among `steps`. `live` are the atoms that are read after the last step.
fn carried_by(
    steps: &[Step],
    flows: &[Flow],
    mut live: HashSet<AtomOf>,
    is_value: &dyn Fn(VarId) -> bool,
) -> Vec<Carried> {
    let mut flows = flows.iter().rev();
    let mut all = Vec::new();
    for step in steps.iter().rev() {
        match step {
            Step::Assign(assign) => {
                for atom in atoms(assign.targets.iter(), is_value) {
                    live.remove(&atom);
                }
                live.extend(atoms(reads(&assign.value), is_value));
            }
            Step::Loop(Loop { steps, stream, .. }) => {
                let flow = flows.next().expect("a flow for each loop");
                let mut written: Vec<AtomOf> = flow.written.iter().copied().collect();
                written.sort_unstable();
                let needed = |atom: &AtomOf| live.contains(atom) || flow.exposed.contains(atom);
                let atoms = written.iter().copied().filter(needed).collect();
                let mut live_at_end: HashSet<AtomOf> = live.union(&flow.exposed).copied().collect();
                // An iteration's part of a result is stored at its end.
                let is_made = |var| stream.iter().flat_map(|stream| &stream.outputs).any(|output| output.made == var);
                live_at_end.extend(written.iter().filter(|&&(var, _)| is_made(var)));
                let inner = carried_by(steps, &flow.inner, live_at_end, is_value);
                for atom in &written {
                    live.remove(atom);
                }
                live.extend(&flow.exposed);
                all.push(Carried { atoms, written, inner });
            }
        }
    }
    all.reverse();
    all
}

fn atoms<'a>(
    places: impl IntoIterator<Item = &'a Place>,
    is_value: &dyn Fn(VarId) -> bool,
) -> impl Iterator<Item = AtomOf> {
    let places = places.into_iter().filter(|place| is_value(place.var));
    places.flat_map(|place| fixed_atoms(place).map(|atom| (place.var, atom)).collect::<Vec<_>>())
}
