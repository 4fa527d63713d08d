//! Proofs that two programs compute the same, by induction over the iterations of the one loop that each has.
//!
//! Both are interpreted over one domain of terms and one of polynomials (`symbols`), from the same unknowns. The state
//! of a program consists of the variables that have a value before its loop and are changed by it. A relation maps the
//! first program's state to the second's. The proof shows
//!
//! - that it relates the states with which the loops begin,
//! - that it relates, for each value of the counter, the states after one iteration from any related states, and
//! - that both give the same results after related states.
//!
//! If an unknown bit chooses between elements, each of its values is a case of its own.

use culet_decide::bits::{self, Budget, Verdict};
use culet_meaning::layout::byte_length;
use culet_meaning::packing::{bytes_to_values, values_to_bytes};
use culet_meaning::{Interpreter, Value};
use culet_term::{InputKind, Term, Terms};
use culet_types::program::{Body, Loop, Node, Program, Step, Ty, Var, VarId};

use super::Values;
use super::folds::variables;
use super::symbols::{Element, Symbols};
use crate::effort::elements::{MAX_CHOICES, TRIALS};

/// Summary of a proof that two programs compute the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equality {
    /// Iterations of the loop; 0 if the programs were compared as wholes.
    pub iterations: u64,
    /// Number of cases of all parts, distinguished by the bits that choose in them.
    pub cases: u64,
}

/// Reason why two programs are not shown to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unequal {
    /// The programs differ: parameters of the first program, the result, and its values in both, as bytes.
    Different {
        inputs: Vec<(String, Vec<u8>)>,
        result: String,
        values: [Vec<u8>; 2],
    },
    Open(String),
}

/// Compares what two programs compute. Parameters and results are matched by their order. The relation is a program
/// whose parameters are named like variables of `first`, and whose results like variables that the loop of `second`
/// changes; those that it does not name are variables of one name in both.
///
/// # Errors
///
/// Inputs on which they differ, if some are found; otherwise a message that says what is not shown or not supported.
pub fn same(first: &Program, second: &Program, relation: Option<&Program>) -> Result<Equality, Unequal> {
    shown(first, second, relation).map_err(|open| difference(first, second).unwrap_or(Unequal::Open(open)))
}

fn shown(first: &Program, second: &Program, relation: Option<&Program>) -> Result<Equality, String> {
    let mut fields = [Some(first), Some(second), relation].into_iter().flatten().flat_map(|program| &program.fields);
    if let Some(field) = fields.next()
        && let Some(other) = fields.find(|other| other.kind != field.kind)
    {
        let names = (&field.name, &other.name);
        return Err(format!("`{}` and `{}` are different fields: programs over one are known here", names.0, names.1));
    }
    let [one, other] = [first, second].map(Whole::of);
    let (one, other) = (one?, other?);
    same_signatures(one.node(), other.node())?;
    let mut proof = Proof { terms: Terms::new(), symbols: Symbols::expanding(), cases: 0, unknowns: 0 };
    let inputs: Vec<Values> = one.node().params.iter().map(|&param| proof.any(one.node().var(param))).collect();
    let (Some(first_loop), Some(second_loop)) = (one.repeated, other.repeated) else {
        if relation.is_some() {
            return Err("a relation is between what loops carry, and each program has one loop then".to_owned());
        }
        proof.in_every_case(&mut |proof| {
            let (meant, found) = (proof.run(first, &inputs), proof.run(second, &inputs));
            proof.equal(one.node(), &one.node().returns, [&meant, &found], "")
        })?;
        return Ok(Equality { iterations: 0, cases: proof.cases });
    };
    if !first_loop.values().eq(second_loop.values()) {
        return Err("the counters of the loops have different values".to_owned());
    }
    let relation = Relation::new(&one, &other, relation)?;

    let [entered, other_entered] = [&one, &other].map(|whole| whole.entered(&mut proof, &inputs));
    let (begun, other_begun) = (proof.run(&one.before(), &entered), proof.run(&other.before(), &other_entered));
    proof.in_every_case(&mut |proof| {
        let [begun, mut found] = [(&one, &entered), (&other, &other_entered)].map(|(w, e)| proof.run(&w.before(), e));
        let related = relation.of(proof, &begun);
        // A variable without a value yet may have any: nothing reads it before it is written.
        for (&id, related) in other.carried.iter().zip(&related) {
            for ((found, entered), related) in
                found[id.0 as usize].iter_mut().zip(&other_entered[id.0 as usize]).zip(related)
            {
                if found == entered && !other.node().params.contains(&id) {
                    found.clone_from(related);
                }
            }
        }
        proof.equal(other.node(), &other.carried, [&related, &other.state(&found)], " when the loop begins")
    })?;
    // Variables that the loops do not change keep their values.
    let any = one.with_any(&mut proof, &begun);
    let related = relation.of(&mut proof, &any);
    let mut other_any = other.with_any(&mut proof, &other_begun);
    for (id, related) in other.carried.iter().zip(related) {
        other_any[id.0 as usize] = related;
    }
    let mut iterations = 0;
    for counter in first_loop.values() {
        proof.in_every_case(&mut |proof| {
            let after = proof.run(&one.iteration(counter), &any);
            let related = relation.of(proof, &after);
            let found = other.state(&proof.run(&other.iteration(counter), &other_any));
            let place = format!(" after the iteration with the counter {counter}");
            proof.equal(other.node(), &other.carried, [&related, &found], &place)
        })?;
        iterations += 1;
    }
    proof.in_every_case(&mut |proof| {
        let results = |whole: &Whole, values: &[Values]| -> Vec<Values> {
            whole.node().returns.iter().map(|id| values[id.0 as usize].clone()).collect()
        };
        let meant = results(&one, &proof.run(&one.after(), &any));
        let found = results(&other, &proof.run(&other.after(), &other_any));
        proof.equal(one.node(), &one.node().returns, [&meant, &found], "")
    })?;
    Ok(Equality { iterations, cases: proof.cases })
}

/// Searches for random inputs on which two programs of one signature differ.
fn difference(first: &Program, second: &Program) -> Option<Unequal> {
    let [one, other] = [first, second].map(Program::entry);
    same_signatures(one, other).ok()?;
    let kinds = [first, second].map(|program| program.fields.iter().map(|field| &field.kind).collect::<Vec<_>>());
    if one.params.iter().any(|&id| one.var(id).stream) || kinds[0] != kinds[1] {
        return None;
    }
    let mut state = 1;
    (0..TRIALS).find_map(|_| {
        let bytes = |id: &VarId| (0..byte_length(&one.var(*id).ty)).map(|_| bits::random(&mut state) as u8).collect();
        let inputs: Vec<Vec<u8>> = one.params.iter().map(bytes).collect();
        let vars = one.params.iter().map(|&id| one.var(id));
        let values: Vec<_> = vars.clone().zip(&inputs).map(|(var, bytes)| bytes_to_values(first, var, bytes)).collect();
        let results = [first, second].map(|program| Interpreter::new(program).compute(program.entry, &values));
        let place = (0..results[0].len()).find(|&place| results[0][place] != results[1][place])?;
        let var = one.var(one.returns[place]);
        let values = results.each_ref().map(|results| values_to_bytes(first, var, &results[place]));
        let inputs = vars.map(|var| var.name.clone()).zip(inputs).collect();
        Some(Unequal::Different { inputs, result: var.name.clone(), values })
    })
}

/// A program, divided at its loop. Each part maps the values of all variables to new values of all variables.
struct Whole<'p> {
    program: &'p Program,
    steps: &'p [Step],
    /// Index of the loop among the steps, or the number of steps if there is no loop.
    at: usize,
    /// The loop.
    repeated: Option<&'p Loop>,
    /// Variables that the loop changes.
    changed: Vec<VarId>,
    /// The state: those of the changed variables that have a value before the loop.
    carried: Vec<VarId>,
}

impl<'p> Whole<'p> {
    fn of(program: &'p Program) -> Result<Whole<'p>, String> {
        let node = program.entry();
        no_streams(node)?;
        let steps = match &node.body {
            Body::Steps(steps) => &steps[..],
            Body::Table(_) => &[],
        };
        let mut loops = steps.iter().enumerate().filter_map(|(at, step)| match step {
            Step::Loop(l) => Some((at, l)),
            Step::Assign(_) => None,
        });
        let (at, repeated) = match (loops.next(), loops.next()) {
            (Some((at, l)), None) => (at, Some(l)),
            _ => (steps.len(), None),
        };
        let (mut defined, mut changed) = (node.params.clone(), Vec::new());
        variables(&steps[..at], &mut defined, &mut Vec::new());
        variables(&steps[at..steps.len().min(at + 1)], &mut changed, &mut Vec::new());
        changed.sort();
        changed.dedup();
        let carried = changed.iter().copied().filter(|id| defined.contains(id)).collect();
        Ok(Whole { program, steps, at, repeated, changed, carried })
    }

    fn node(&self) -> &'p Node {
        self.program.entry()
    }

    fn piece(&self, steps: &[Step]) -> Program {
        let mut program = self.program.clone();
        let node = &mut program.nodes[self.program.entry.0 as usize];
        let all: Vec<VarId> = (0..node.vars.len() as u32).map(VarId).collect();
        (node.params, node.returns, node.body) = (all.clone(), all, Body::Steps(steps.to_vec()));
        program
    }

    fn before(&self) -> Program {
        self.piece(&self.steps[..self.at])
    }

    fn iteration(&self, counter: i64) -> Program {
        let iteration = self.repeated.map(|l| Step::Loop(Loop { first: counter, last: counter, ..l.clone() }));
        self.piece(iteration.as_slice())
    }

    fn after(&self) -> Program {
        self.piece(&self.steps[self.at + 1..])
    }

    /// Returns the values of all variables at the entry: the inputs for parameters, and unknowns for all others.
    fn entered(&self, proof: &mut Proof, inputs: &[Values]) -> Vec<Values> {
        let mut values: Vec<Values> = self.node().vars.iter().map(|var| proof.any(var)).collect();
        for (param, input) in self.node().params.iter().zip(inputs) {
            values[param.0 as usize].clone_from(input);
        }
        values
    }

    /// Returns the values with unknowns for the variables that the loop changes. A variable without a value before the
    /// loop is not handed on from one iteration to the next, or the programs would not agree for any value of it.
    fn with_any(&self, proof: &mut Proof, values: &[Values]) -> Vec<Values> {
        let mut all = values.to_vec();
        for id in &self.changed {
            all[id.0 as usize] = proof.any(self.node().var(*id));
        }
        all
    }

    fn state(&self, values: &[Values]) -> Vec<Values> {
        self.carried.iter().map(|id| values[id.0 as usize].clone()).collect()
    }

    /// Finds a variable of this name and type that has a value before the loop.
    fn find(&self, var: &Var) -> Option<VarId> {
        let is_temporary = |id: &VarId| self.changed.contains(id) && !self.carried.contains(id);
        let is_it = |id: &VarId| {
            let own = self.node().var(*id);
            own.name == var.name && is_like(&own.ty, &var.ty) && !is_temporary(id)
        };
        (0..self.node().vars.len() as u32).map(VarId).find(is_it)
    }
}

/// Map from the first program's state to the second program's.
struct Relation<'p> {
    program: Option<&'p Program>,
    /// The first program's variables that are the relation's parameters.
    params: Vec<VarId>,
    /// Source of each variable in the second program's state.
    state: Vec<Source>,
}

enum Source {
    /// A result of the relation.
    Result(usize),
    /// A variable of the first program.
    Same(VarId),
}

impl<'p> Relation<'p> {
    fn new(one: &Whole, other: &Whole, program: Option<&'p Program>) -> Result<Relation<'p>, String> {
        let node = program.map(Program::entry);
        node.map_or(Ok(()), no_streams)?;
        let vars = |ids: &[VarId]| ids.iter().filter_map(|&id| Some(node?.var(id))).cloned().collect::<Vec<Var>>();
        let [params, results] = [node.map_or(&[][..], |node| &node.params), node.map_or(&[], |node| &node.returns)];
        let (params, results) = (vars(params), vars(results));
        let own = |var: &Var| {
            let message = || format!("the first program has no `{}` of this type before its loop", var.name);
            one.find(var).ok_or_else(message)
        };
        let places = params.iter().map(own).collect::<Result<_, _>>()?;
        let changed: Vec<&Var> = other.carried.iter().map(|&id| other.node().var(id)).collect();
        let is_named = |var: &Var, result: &Var| var.name == result.name && is_like(&var.ty, &result.ty);
        if let Some(result) = results.iter().find(|result| !changed.iter().any(|var| is_named(var, result))) {
            return Err(format!("the second program's loop changes no `{}` of this type", result.name));
        }
        let state = changed.iter().map(|var| {
            let result = results.iter().position(|result| is_named(var, result)).map(Source::Result);
            let message =
                || format!("nothing says what `{}` of the second program's loop is; give a relation", var.name);
            result.or_else(|| one.find(var).map(Source::Same)).ok_or_else(message)
        });
        Ok(Relation { program, params: places, state: state.collect::<Result<_, _>>()? })
    }

    /// Computes the second program's state from the values of the first one's variables.
    fn of(&self, proof: &mut Proof, values: &[Values]) -> Vec<Values> {
        let inputs: Vec<Values> = self.params.iter().map(|id| values[id.0 as usize].clone()).collect();
        let results = self.program.map_or_else(Vec::new, |program| proof.run(program, &inputs));
        let source = |source: &Source| match *source {
            Source::Result(place) => results[place].clone(),
            Source::Same(id) => values[id.0 as usize].clone(),
        };
        self.state.iter().map(source).collect()
    }
}

/// Whether two types have the same values; slicing only says where values lie.
fn is_like(one: &Ty, other: &Ty) -> bool {
    (one.atom.bits, one.atom.field().is_some(), &one.dims)
        == (other.atom.bits, other.atom.field().is_some(), &other.dims)
}

fn no_streams(node: &Node) -> Result<(), String> {
    match node.params.iter().chain(&node.returns).map(|&id| node.var(id)).find(|var| var.stream) {
        Some(stream) => Err(format!("`{}` is a stream, and its length is not known here", stream.name)),
        None => Ok(()),
    }
}

/// Checks that parameters and results, matched by their order, have the same types and the same order of bytes.
fn same_signatures(one: &Node, other: &Node) -> Result<(), String> {
    for (what, own, others) in [("parameters", &one.params, &other.params), ("results", &one.returns, &other.returns)] {
        if own.len() != others.len() {
            return Err(format!("the {what} are {} and {}", own.len(), others.len()));
        }
        for (own, other) in own.iter().map(|&id| one.var(id)).zip(others.iter().map(|&id| other.var(id))) {
            if !is_like(&own.ty, &other.ty) {
                return Err(format!("`{}` and `{}`, {what} in one place, have different types", own.name, other.name));
            }
            if own.bytes != other.bytes {
                return Err(format!(
                    "bytes hold `{}` and `{}`, {what} in one place, in different orders",
                    own.name, other.name
                ));
            }
        }
    }
    Ok(())
}

struct Proof {
    terms: Terms,
    symbols: Symbols,
    cases: u64,
    unknowns: usize,
}

impl Proof {
    /// Returns unknowns for the value of a variable.
    fn any(&mut self, var: &Var) -> Values {
        let atoms = 0..var.ty.atoms();
        atoms
            .map(|_| {
                self.unknowns += 1;
                match var.ty.atom.field() {
                    Some(_) => Value::Element(self.symbols.free(self.unknowns)),
                    None => {
                        let name = format!("{} {}", self.unknowns, var.name);
                        Value::Word(self.terms.fresh(InputKind::Word, &name, var.ty.atom.bits))
                    }
                }
            })
            .collect()
    }

    fn run(&mut self, program: &Program, values: &[Values]) -> Vec<Values> {
        Interpreter::new(program).run_values(&mut self.terms, &mut self.symbols, program.entry, values)
    }

    /// Checks that `check` succeeds for all values of bits that choose.
    fn in_every_case(&mut self, check: &mut dyn FnMut(&mut Proof) -> Result<(), String>) -> Result<(), String> {
        let mut cases: Vec<Vec<(Term, bool)>> = vec![Vec::new()];
        while let Some(case) = cases.pop() {
            self.symbols.assume(&case);
            let outcome = check(self);
            match self.symbols.open() {
                Some(_) if case.len() == MAX_CHOICES => return Err(format!("more than {MAX_CHOICES} bits choose")),
                Some(bit) => cases.extend([false, true].map(|value| [&case[..], &[(bit, value)]].concat())),
                None => {
                    outcome?;
                    self.cases += 1;
                }
            }
        }
        self.symbols.assume(&[]);
        Ok(())
    }

    /// Checks that variables have the same values.
    fn equal(&mut self, node: &Node, ids: &[VarId], [meant, found]: [&[Values]; 2], when: &str) -> Result<(), String> {
        for (&id, (meant, found)) in ids.iter().zip(meant.iter().zip(found)) {
            let var = node.var(id);
            for (index, pair) in meant.iter().zip(found).enumerate() {
                if !self.is_equal(pair) {
                    let place = if var.ty.dims.is_empty() { String::new() } else { format!("[{index}]") };
                    return Err(format!("that `{}{place}` is the same{when} is not shown", var.name));
                }
            }
        }
        Ok(())
    }

    fn is_equal(&mut self, pair: (&Value<Term, Element>, &Value<Term, Element>)) -> bool {
        match pair {
            (Value::Element(one), Value::Element(other)) => one == other,
            (&Value::Word(one), &Value::Word(other)) => {
                let compared = |terms: &mut Terms| bits::compare(terms, &[(one, other)], &Budget::default()).verdict;
                one == other || matches!(compared(&mut self.terms), Verdict::Equal(_))
            }
            _ => false,
        }
    }
}
