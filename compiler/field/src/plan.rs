//! The search for a plan, and the reason for each carry that it leaves.
//!
//! The search begins with a carry of every limb at every operand of every product and after every product. It then
//! takes away carries that are not needed: whole chains first, then chains at operands that one chain where the value
//! is made replaces, then single carries, until none can be taken away. Whether a carry is needed is decided by trying
//! the plan without it on all bounds, so every carry that remains has the failure that it prevents.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use culet_ir::{FieldOp, Func, FuncId, Inst, Module, Op, Origin, Type, Value};

use crate::carries::{Order, Place, Plan};
use crate::expand::{Memory, attempt};
use crate::interval::SlotBounds;
use crate::machine::Failure;
use crate::representation::{Representation, has_columns};

/// Something that plans are tried on.
pub trait Problem {
    /// Number of carries that take two words, which cost more than several carries of one word.
    ///
    /// # Errors
    ///
    /// The first bound that fails.
    fn attempt(&self, plan: &Plan) -> Result<u32, Failure>;

    /// Whether a plan holds without more carries of two words.
    fn holds(&self, plan: &Plan, wide_carries: u32) -> bool {
        self.attempt(plan).is_ok_and(|wide| wide <= wide_carries)
    }
}

/// A carry that remains, and what fails without it.
#[derive(Debug, Clone)]
pub struct Needed {
    pub place: Place,
    /// The limb, and its number in the chain.
    pub limb: u32,
    pub index: usize,
    pub without: Without,
}

/// Consequence of taking a carry away.
#[derive(Debug, Clone)]
pub enum Without {
    Fails(Failure),
    /// More carries take two words.
    IsWide,
}

impl fmt::Display for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Without::Fails(failure) => write!(f, "in {failure}"),
            Without::IsWide => write!(f, "more is carried in two words"),
        }
    }
}

/// Carries at every operand of every product, and after every product.
pub fn generous(modules: &[&Module], representation: &dyn Representation, order: Order) -> Plan {
    let mut plan = Plan::default();
    for (place, after, ty) in places(modules) {
        if after != Kind::Other {
            plan.set(place, full_chain(representation, order, ty));
        }
    }
    plan
}

/// Carries at every operand of every product, and after every operation: for sums that grow in loops.
pub fn everywhere(modules: &[&Module], representation: &dyn Representation, order: Order) -> Plan {
    let mut plan = Plan::default();
    for (place, _, ty) in places(modules) {
        plan.set(place, full_chain(representation, order, ty));
    }
    plan
}

/// All limbs of an element, or of elements side by side, of this type in the order in which they are carried.
fn full_chain(representation: &dyn Representation, order: Order, ty: Type) -> Vec<u32> {
    let alone = ty.field().and_then(|field| representation.of_field(field)).unwrap_or(representation);
    alone.full_chain(order, ty.lanes())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Operand,
    Product,
    Other,
}

/// All places of modules whose functions have different numbers, and the types of the values there.
fn places(modules: &[&Module]) -> Vec<(Place, Kind, Type)> {
    let mut places = Vec::new();
    for module in modules {
        for (id, func) in (0..).map(FuncId).zip(&module.funcs) {
            let results = &func.region(func.body).results;
            let returned = elements(func, results);
            places.extend(returned.map(|(index, ty)| (Place::Return(id, index), Kind::Operand, ty)));
            for (inst, data) in (0..).map(Inst).zip(&func.insts) {
                let operand = |(index, ty)| (Place::Operand(id, inst, index), Kind::Operand, ty);
                let Op::Field(op) = &data.op else {
                    if is_blend(func, inst) {
                        places.push((Place::Result(id, inst), Kind::Other, func.ty(data.results[0])));
                    }
                    if matches!(data.op, Op::Call(_)) {
                        places.extend(elements(func, &data.args).map(operand));
                    }
                    continue;
                };
                if matches!(op, FieldOp::Mul | FieldOp::Sqr | FieldOp::Sop(_) | FieldOp::MulC(_)) {
                    places.extend(elements(func, &data.args).map(operand));
                }
                if !matches!(op, FieldOp::Unpack | FieldOp::Const(_)) {
                    // The top limb takes all bits of the words that are read.
                    let is_carried = has_columns(op) || *op == FieldOp::Pack;
                    let kind = if is_carried { Kind::Product } else { Kind::Other };
                    places.push((Place::Result(id, inst), kind, func.ty(data.results[0])));
                }
            }
        }
    }
    places
}

/// The numbers and types of those values that are elements.
fn elements<'f>(func: &'f Func, values: &'f [Value]) -> impl Iterator<Item = (u32, Type)> + 'f {
    (0..).zip(values).map(|(index, &value)| (index, func.ty(value))).filter(|(_, ty)| ty.field().is_some())
}

/// The place where an operand's value is made, if an operation on elements makes it. Lanes that only change their
/// places, or are chosen, count as made before that.
fn producer(module: &Module, place: Place) -> Option<Place> {
    let func = module.func(place.func());
    let value = match place {
        Place::Operand(_, inst, index) => func.inst(inst).args[index as usize],
        Place::Return(_, index) => func.region(func.body).results[index as usize],
        Place::Result(..) => return None,
    };
    Some(Place::Result(place.func(), maker(func, value)?))
}

fn maker(func: &Func, value: Value) -> Option<Inst> {
    let Origin::Result(inst, _) = func.value(value).origin else { return None };
    let data = func.inst(inst);
    match data.op {
        Op::Perm(_) => maker(func, data.args[0]),
        Op::Field(FieldOp::Select) if func.ty(value).lanes() > 1 => {
            let [then, otherwise] = [1, 2].map(|index| maker(func, data.args[index]));
            if then == otherwise { then } else { Some(inst) }
        }
        Op::Field(_) => Some(inst),
        _ => is_blend(func, inst).then_some(inst),
    }
}

/// Whether an instruction brings together elements that two operations made.
fn is_blend(func: &Func, inst: Inst) -> bool {
    let data = func.inst(inst);
    matches!(data.op, Op::Blend(_)) && func.ty(data.results[0]).field().is_some()
}

/// A plan from which no single carry can be taken away, if the plan with all carries holds.
///
/// # Errors
///
/// The failure that there is even with all carries.
pub fn search(problem: &dyn Problem, module: &Module, start: Plan) -> Result<Plan, Failure> {
    let wide = problem.attempt(&start)?;
    let mut plan = start;
    let mut places: Vec<Place> = plan.chains().map(|(place, _)| place).collect();
    // Places that are passed most often come first: the carries that are left must be enough for them.
    let iterations = iterations(module);
    places.sort_by_key(|place| std::cmp::Reverse(place.inst().and_then(|inst| iterations.get(&inst).copied())));
    for &place in &places {
        let mut less = plan.clone();
        less.set(place, Vec::new());
        if problem.holds(&less, wide) {
            plan = less;
        }
    }
    move_to_producers(problem, module, &mut plan);
    Ok(minimal(problem, plan))
}

/// Number of times that each instruction in a loop runs.
fn iterations(module: &Module) -> BTreeMap<(FuncId, Inst), u64> {
    let mut iterations = BTreeMap::new();
    for (id, func) in (0..).map(FuncId).zip(&module.funcs) {
        func.walk(&mut |inst, _, around| {
            if !around.is_empty() {
                let product = around.iter().fold(1_u64, |iterations, l| iterations.saturating_mul(l.trip_count()));
                iterations.insert((id, inst), product);
            }
        });
    }
    iterations
}

/// Replaces chains at several uses of a value by one where the value is made.
fn move_to_producers(problem: &dyn Problem, module: &Module, plan: &mut Plan) {
    let wide = problem.attempt(plan).unwrap_or(u32::MAX);
    let operands: Vec<Place> = plan.chains().map(|(place, _)| place).collect();
    for place in operands {
        let Some((chain, producer)) = plan.chain(place).map(<[u32]>::to_vec).zip(producer(module, place)) else {
            continue;
        };
        if plan.chain(producer).is_some() {
            continue;
        }
        let mut moved = plan.clone();
        moved.set(producer, chain);
        let users: Vec<Place> = plan
            .chains()
            .map(|(other, _)| other)
            .filter(|&other| self::producer(module, other) == Some(producer))
            .collect();
        for user in users {
            moved.set(user, Vec::new());
        }
        if moved.carries() <= plan.carries() && problem.holds(&moved, wide) {
            *plan = moved;
        }
    }
}

/// The plan without every carry that can be taken away.
pub fn minimal(problem: &dyn Problem, plan: Plan) -> Plan {
    let mut plan = plan;
    while let Some(less) = take_one_away(problem, &plan) {
        plan = less;
    }
    plan
}

/// Takes away every carry that can be taken away; none if there is none.
fn take_one_away(problem: &dyn Problem, plan: &Plan) -> Option<Plan> {
    let mut current = plan.clone();
    let wide = problem.attempt(plan).ok()?;
    // The last carries of all chains come first, so that no chain stays long because others became short.
    let mut singles = plan.singles();
    singles.sort_by_key(|&(_, index)| std::cmp::Reverse(index));
    for (place, index) in singles {
        let less = current.without(place, index);
        if problem.holds(&less, wide) {
            current = less;
        }
    }
    (current != *plan).then_some(current)
}

/// One function with bounds for its inputs.
pub struct Whole<'a> {
    pub module: &'a Module,
    pub func: FuncId,
    pub representation: &'a dyn Representation,
    pub inputs: &'a SlotBounds,
    memory: Memory,
    /// The carries of two words of plans that were tried; none of those that fail.
    tried: RefCell<HashMap<Plan, Option<u32>>>,
}

impl<'a> Whole<'a> {
    pub fn new(module: &'a Module, representation: &'a dyn Representation, inputs: &'a SlotBounds) -> Whole<'a> {
        Whole::of_func(module, module.entry, representation, inputs)
    }

    /// A function other than the entry.
    pub fn of_func(
        module: &'a Module,
        func: FuncId,
        representation: &'a dyn Representation,
        inputs: &'a SlotBounds,
    ) -> Whole<'a> {
        Whole { module, func, representation, inputs, memory: Memory::default(), tried: RefCell::default() }
    }
}

impl Problem for Whole<'_> {
    fn attempt(&self, plan: &Plan) -> Result<u32, Failure> {
        let Whole { module, func, representation, inputs, memory, .. } = self;
        Ok(attempt(module, *func, *representation, plan, inputs, memory)?.wide_carries)
    }

    /// Each pass over all carries ends with plans that the one before has tried.
    fn holds(&self, plan: &Plan, wide_carries: u32) -> bool {
        let known = self.tried.borrow().get(plan).copied();
        let wide = known.unwrap_or_else(|| self.attempt(plan).ok());
        if known.is_none() {
            self.tried.borrow_mut().insert(plan.clone(), wide);
        }
        wide.is_some_and(|wide| wide <= wide_carries)
    }
}

/// The reason for each carry of a plan.
pub fn reasons(problem: &dyn Problem, plan: &Plan) -> Vec<Needed> {
    let mut needed = Vec::new();
    let wide = problem.attempt(plan).unwrap_or(u32::MAX);
    for (place, index) in plan.singles() {
        let Some(&limb) = plan.chain(place).and_then(|chain| chain.get(index)) else { continue };
        let without = match problem.attempt(&plan.without(place, index)) {
            Err(failure) => Without::Fails(failure),
            Ok(other) if other > wide => Without::IsWide,
            Ok(_) => continue,
        };
        needed.push(Needed { place, limb, index, without });
    }
    needed
}
