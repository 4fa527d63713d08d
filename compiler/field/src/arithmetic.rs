//! The arithmetic of one field as a set of functions that fit together: their bounds, their plan, their words.
//!
//! There are two bounds for all functions. Results of multiplications, squarings, carries and of reading bytes are
//! *tight*. Sums, differences and opposites of tight elements are *loose*. Multiplications take loose elements. A
//! fixpoint over all functions together finds both bounds, like the bounds of a loop that calls any of the functions.

use culet_ir::{
    Affine, Field, FieldKind, FieldOp, Func, FuncId, Module, Op, Slot, SlotData, SlotKind, Type, Value, W1,
};
use num_bigint::BigInt;

use crate::carries::{Order, Plan};
use crate::check::{Violation, check_wrapping};
use crate::expand::{Expanded, Memory, attempt, expand};
use crate::interval::{Interval, SlotBounds, power};
use crate::machine::Failure;
use crate::plan::{Problem, generous, minimal, search};
use crate::representation::Representation;

/// A function of a field's arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    Mul,
    Square,
    Add,
    Sub,
    Opp,
    Select,
    Carry,
    Inv,
    FromBytes,
    ToBytes,
}

impl Operation {
    /// All operations, in the order in which they are written.
    pub const ALL: [Operation; 10] = [
        Operation::Add,
        Operation::Sub,
        Operation::Opp,
        Operation::Carry,
        Operation::Select,
        Operation::Mul,
        Operation::Square,
        Operation::Inv,
        Operation::FromBytes,
        Operation::ToBytes,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Operation::Mul => "mul",
            Operation::Square => "square",
            Operation::Add => "add",
            Operation::Sub => "sub",
            Operation::Opp => "opp",
            Operation::Select => "select",
            Operation::Carry => "carry",
            Operation::Inv => "inv",
            Operation::FromBytes => "from_bytes",
            Operation::ToBytes => "to_bytes",
        }
    }

    /// Names of elements that it reads.
    pub fn elements(self) -> &'static [&'static str] {
        match self {
            Operation::Mul | Operation::Add | Operation::Sub | Operation::Select => &["a", "b"],
            Operation::Square | Operation::Opp | Operation::Carry | Operation::Inv | Operation::ToBytes => &["a"],
            Operation::FromBytes => &[],
        }
    }

    /// Whether the elements that it reads may be loose.
    pub fn takes_loose(self) -> bool {
        !matches!(self, Operation::Add | Operation::Sub | Operation::Opp)
    }

    /// Whether the element that it writes may be loose.
    pub fn gives_loose(self) -> bool {
        matches!(self, Operation::Add | Operation::Sub | Operation::Opp | Operation::Select)
    }

    /// The operation as a function on elements. The slot `out` (or `bytes`) is the first. There is no function for an
    /// inverse, which calls others.
    fn func(self, bytes: u32) -> Option<Func> {
        let element = Type::Field(culet_ir::FieldId(0));
        let mut func = Func::new(self.name(), &[]);
        let slot = |func: &mut Func, name: &str, kind: SlotKind, element: Type, length: u32| {
            func.add_slot(SlotData { name: name.to_owned(), kind, element, length, group: 0 })
        };
        let out = match self {
            Operation::ToBytes => slot(&mut func, "bytes", SlotKind::Output, Type::Word(8), bytes),
            _ => slot(&mut func, "out", SlotKind::Output, element, 1),
        };
        let mut args: Vec<Value> = Vec::new();
        for name in self.elements() {
            let from = slot(&mut func, name, SlotKind::Input { shared: false }, element, 1);
            args.push(load(&mut func, from, 0, element));
        }
        let op = match self {
            Operation::Mul => FieldOp::Mul,
            Operation::Square => FieldOp::Sqr,
            Operation::Add => FieldOp::Add,
            Operation::Sub => FieldOp::Sub,
            Operation::Opp => FieldOp::Neg,
            Operation::Carry => FieldOp::MulC(1),
            Operation::Select => {
                let flag = slot(&mut func, "flag", SlotKind::Input { shared: false }, W1, 1);
                args.insert(0, load(&mut func, flag, 0, W1));
                FieldOp::Select
            }
            Operation::FromBytes => {
                let from = slot(&mut func, "bytes", SlotKind::Input { shared: false }, Type::Word(8), bytes);
                args = (0..bytes).map(|index| load(&mut func, from, index, Type::Word(8))).collect();
                FieldOp::Pack
            }
            Operation::ToBytes => {
                let body = func.body;
                let types = vec![Type::Word(8); bytes as usize];
                let inst = func.append(body, Op::Field(FieldOp::Unpack), args, &types);
                for (index, value) in func.inst(inst).results.clone().into_iter().enumerate() {
                    store(&mut func, out, index as u32, value);
                }
                return Some(func);
            }
            Operation::Inv => return None,
        };
        let body = func.body;
        let result = func.append1(body, Op::Field(op), args, element);
        store(&mut func, out, 0, result);
        Some(func)
    }
}

fn at(index: u32) -> Affine {
    Affine { constant: i64::from(index), terms: Vec::new() }
}

fn load(func: &mut Func, slot: Slot, index: u32, ty: Type) -> Value {
    let body = func.body;
    func.append1(body, Op::Load { slot, index: at(index) }, [], ty)
}

fn store(func: &mut Func, slot: Slot, index: u32, value: Value) {
    let body = func.body;
    func.append(body, Op::Store { slot, index: at(index) }, [value], &[]);
}

/// Bounds of the limbs of tight and of loose elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    pub tight: Vec<Interval>,
    pub loose: Vec<Interval>,
}

/// The functions of a field on elements, and their representation.
pub struct Arithmetic {
    /// All functions; any of them may be the entry.
    pub module: Module,
    pub representation: Box<dyn Representation>,
    pub modulus: BigInt,
    operations: Vec<Operation>,
    bytes: u32,
    memory: Memory,
}

/// Functions on words with their bounds, from which code is written.
pub struct Planned {
    pub plan: Plan,
    pub bounds: Bounds,
    /// One module per function, checked.
    pub functions: Vec<(Operation, Module)>,
}

/// The reason that there is no arithmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPlan {
    /// A bound fails even with carries everywhere.
    Bound(Failure),
    /// The checker does not accept the planned functions: a defect here, not in the request.
    Check(Violation),
}

impl std::fmt::Display for NoPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoPlan::Bound(failure) => failure.fmt(f),
            NoPlan::Check(violation) => violation.fmt(f),
        }
    }
}

/// Whether a representation's words hold all of a field's arithmetic, with all the carries that there can be: carries
/// settle, and the part above the top folds back until there is a canonical form.
pub(crate) fn is_closed(field: &Field, representation: &(impl Representation + Clone + 'static)) -> bool {
    let arithmetic = Arithmetic::new(field, Box::new(representation.clone()));
    arithmetic.attempt(&arithmetic.start()).is_ok()
}

/// Maximum number of rounds of the fixpoint.
const ROUNDS: u32 = 40;

impl Arithmetic {
    pub fn new(field: &Field, representation: Box<dyn Representation>) -> Arithmetic {
        let bytes = field.kind.bytes() as u32;
        let (mut operations, mut funcs) = (Vec::new(), Vec::new());
        for operation in Operation::ALL {
            if let Some(func) = operation.func(bytes) {
                operations.push(operation);
                funcs.push(func);
            }
        }
        let modulus = match &field.kind {
            FieldKind::Prime(modulus) | FieldKind::Binary(modulus) => BigInt::from(modulus.clone()),
        };
        let module = Module { fields: vec![field.clone()], funcs, entry: FuncId(0) };
        Arithmetic { module, representation, modulus, operations, bytes, memory: Memory::default() }
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The number of an operation's function.
    pub fn id(&self, operation: Operation) -> Option<FuncId> {
        self.operations.iter().position(|&other| other == operation).map(|index| FuncId(index as u32))
    }

    /// The operation of a function.
    pub fn operation(&self, id: FuncId) -> Operation {
        self.operations[id.index()]
    }

    /// Bounds of the slots that an operation reads.
    pub fn inputs(&self, operation: Operation, bounds: &Bounds) -> SlotBounds {
        let of = if operation.takes_loose() { &bounds.loose } else { &bounds.tight };
        let Some(id) = self.id(operation) else { return SlotBounds::new() };
        let slots = (0..).zip(&self.module.func(id).slots);
        let elements =
            slots.filter(|(_, slot)| slot.kind != SlotKind::Output && matches!(slot.element, Type::Field(_)));
        elements.map(|(slot, _)| (slot, of.clone())).collect()
    }

    /// Bounds of the slot that an operation writes.
    pub fn outputs(&self, operation: Operation, bounds: &Bounds) -> SlotBounds {
        match operation {
            Operation::ToBytes => SlotBounds::new(),
            _ if operation.gives_loose() => [(0, bounds.loose.clone())].into(),
            _ => [(0, bounds.tight.clone())].into(),
        }
    }

    fn run(&self, operation: Operation, plan: &Plan, bounds: &Bounds, write: bool) -> Result<Expanded, Failure> {
        let Some(id) = self.id(operation) else {
            return Ok(Expanded {
                outputs: SlotBounds::new(),
                func: None,
                wrapping: Vec::new(),
                wide_carries: 0,
                seen: Default::default(),
                limb_map: None,
            });
        };
        let inputs = self.inputs(operation, bounds);
        if write {
            return expand(&self.module, id, &*self.representation, plan, &inputs, true);
        }
        attempt(&self.module, id, &*self.representation, plan, &inputs, &self.memory)
    }

    fn results(&self, operations: &[Operation], plan: &Plan, bounds: &Bounds) -> Result<Vec<Interval>, Failure> {
        let mut hull: Option<Vec<Interval>> = None;
        for &operation in operations {
            let Some(limbs) = self.run(operation, plan, bounds, false)?.outputs.remove(&0) else { continue };
            hull = Some(match hull {
                Some(hull) => joined(&hull, &limbs),
                None => limbs,
            });
        }
        Ok(hull.unwrap_or_default())
    }

    /// The bounds with which the functions fit together under a plan.
    ///
    /// # Errors
    ///
    /// The first result that its words cannot hold.
    pub fn bounds(&self, plan: &Plan) -> Result<Bounds, Failure> {
        use Operation::{Add, Carry, FromBytes, Mul, Opp, Square, Sub};
        let none = Bounds { tight: Vec::new(), loose: Vec::new() };
        let mut tight = self.rounded(&self.results(&[FromBytes], plan, &none)?);
        for _ in 0..ROUNDS {
            let sums = self.results(&[Add, Sub, Opp], plan, &Bounds { tight: tight.clone(), loose: Vec::new() })?;
            let bounds = Bounds { loose: joined(&tight, &sums), tight };
            let new = joined(&bounds.tight, &self.results(&[Mul, Square, Carry], plan, &bounds)?);
            if new == bounds.tight {
                self.run(Operation::ToBytes, plan, &bounds, false)?;
                self.are_tight(&bounds.tight)?;
                return Ok(bounds);
            }
            tight = self.rounded(&new);
        }
        let place = "all functions together".to_owned();
        Err(Failure { place, what: "the bounds never settle".to_owned(), range: tight[0].clone() })
    }

    /// Sums of several elements need room: a tight limb has at most one bit above its own.
    fn are_tight(&self, tight: &[Interval]) -> Result<(), Failure> {
        for (index, limb) in (0..).zip(tight) {
            if limb.high.bits() > u64::from(self.representation.limb_bits(index)) + 1 {
                let place = format!("all functions together, limb {index} of a tight element");
                let what = format!("it has more than one bit above its own {}", self.representation.limb_bits(index));
                return Err(Failure { place, what, range: limb.clone() });
            }
        }
        Ok(())
    }

    /// Rounds a bound a little above a limb's own bits to a power of two above them, so that loops settle and people
    /// can read it.
    fn rounded(&self, limbs: &[Interval]) -> Vec<Interval> {
        let round = |(index, range): (u32, &Interval)| {
            let own = power(u64::from(self.representation.limb_bits(index)));
            if range.high < own {
                return Interval::below(own);
            }
            let above: BigInt = &range.high - &own;
            Interval::below(own + power(above.bits()))
        };
        (0..).zip(limbs).map(round).collect()
    }

    /// The largest loose bounds that a plan allows. The search starts with the bounds that the plan needs, takes powers
    /// of two, and then doubles them again and again.
    fn loosened(&self, plan: &Plan, bounds: Bounds) -> Bounds {
        let size = |bounds: &Bounds| -> usize {
            let written = [Operation::Mul, Operation::Square].map(|operation| self.run(operation, plan, bounds, true));
            let length = |func: Func| func.insts.len();
            written.into_iter().flatten().filter_map(|expanded| expanded.func.map(length)).sum()
        };
        let least = size(&bounds);
        let mut best = bounds;
        for step in 0..u64::from(self.representation.word_bits()) {
            let grow = |range: &Interval| Interval::below(power(range.high.bits() + u64::from(step > 0)));
            let loose = best.loose.iter().map(grow).collect();
            match self.with_loose(plan, loose, &best.tight) {
                // Carries of two words cost more than the larger bounds are worth.
                Ok(Some(larger)) if size(&larger) <= least => best = larger,
                _ => break,
            }
        }
        best
    }

    /// The bounds with these loose bounds, if there are any and words hold them.
    fn with_loose(&self, plan: &Plan, loose: Vec<Interval>, tight: &[Interval]) -> Result<Option<Bounds>, Failure> {
        use Operation::{Add, Carry, Mul, Opp, Square, Sub, ToBytes};
        let word = Interval::word(self.representation.word_bits());
        if !loose.iter().all(|limb| limb.within(&word)) {
            return Ok(None);
        }
        let candidate = Bounds { tight: tight.to_vec(), loose };
        let results = self.results(&[Mul, Square, Carry], plan, &candidate)?;
        let tight = self.rounded(&joined(tight, &results));
        let candidate = Bounds { tight, ..candidate };
        let sums = self.results(&[Add, Sub, Opp], plan, &candidate)?;
        self.run(ToBytes, plan, &candidate, false)?;
        let hold = sums
            .iter()
            .chain(&candidate.tight)
            .zip(candidate.loose.iter().cycle())
            .all(|(sum, loose)| sum.within(loose));
        Ok(hold.then_some(candidate))
    }

    /// The plan with all carries that may be taken away later, in an order in which they are enough, if there is one.
    fn start(&self) -> Plan {
        let all = |order| generous(&[&self.module], &*self.representation, order);
        let start = all(Order::Interleaved);
        if self.attempt(&start).is_err() { all(Order::Sequential) } else { start }
    }

    /// Plans the functions and writes and checks them in words.
    ///
    /// # Errors
    ///
    /// The bound that fails even with carries everywhere.
    pub fn plan(&self) -> Result<Planned, NoPlan> {
        let plan = search(self, &self.module, self.start()).map_err(NoPlan::Bound)?;
        let bounds = self.loosened(&plan, self.bounds(&plan).map_err(NoPlan::Bound)?);
        // With known bounds, the plan can do without more carries.
        let plan = minimal(&Promised { arithmetic: self, bounds: &bounds }, plan);
        let mut functions = Vec::new();
        for &operation in &self.operations {
            let expanded = self.run(operation, &plan, &bounds, true).map_err(NoPlan::Bound)?;
            let Some(module) = expanded.module() else { continue };
            let (inputs, outputs) = (self.inputs(operation, &bounds), self.outputs(operation, &bounds));
            check_wrapping(module.entry(), &inputs, &outputs, &expanded.wrapping).map_err(NoPlan::Check)?;
            functions.push((operation, module));
        }
        Ok(Planned { plan, bounds, functions })
    }
}

impl Problem for Arithmetic {
    fn attempt(&self, plan: &Plan) -> Result<u32, Failure> {
        let bounds = self.bounds(plan)?;
        self.operations.iter().map(|&operation| Ok(self.run(operation, plan, &bounds, false)?.wide_carries)).sum()
    }
}

/// The functions with promised bounds.
pub struct Promised<'a> {
    pub arithmetic: &'a Arithmetic,
    pub bounds: &'a Bounds,
}

impl Problem for Promised<'_> {
    fn attempt(&self, plan: &Plan) -> Result<u32, Failure> {
        let mut wide_carries = 0;
        for &operation in &self.arithmetic.operations {
            let expanded = self.arithmetic.run(operation, plan, self.bounds, false)?;
            wide_carries += expanded.wide_carries;
            let written = expanded.outputs;
            let promised = self.arithmetic.outputs(operation, self.bounds);
            for (limbs, promised) in written.values().zip(promised.values()) {
                for (index, (limb, promised)) in limbs.iter().zip(promised).enumerate() {
                    if !limb.within(promised) {
                        let place = format!("fn {}, limb {index} of the result", operation.name());
                        return Err(Failure {
                            place,
                            what: format!("the promised bound is {promised}"),
                            range: limb.clone(),
                        });
                    }
                }
            }
        }
        Ok(wide_carries)
    }
}

fn joined(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    a.iter().zip(b).map(|(a, b)| a.hull(b)).collect()
}
