//! Whole programs: a module on elements becomes one on words, function by function, each with a plan of its own.

use std::fmt;

use culet_ir::{Field, FieldKind, FieldOp, Func, FuncId, InstData, LimbMap, Module, Op, Origin, Type, Value, Word};
use num_bigint::BigInt;

use crate::binary::Binary;
use crate::carries::{Order, Plan};
use crate::check::{Border, Known, Violation, check_module};
use crate::constants::fold_constants;
use crate::expand::expand;
use crate::explain::program_carries;
use crate::interval::{Interval, SlotBounds};
use crate::inverse::expand_inverses;
use crate::lanes::Lanes;
use crate::machine::Failure;
use crate::mont52::Montgomery52;
use crate::order::{by_latency, shared_second};
use crate::plan::{Problem, Whole, everywhere, generous, search};
use crate::primes::{Impossible, Montgomery, PrimeRepresentation, Unsaturated};
use crate::representation::Representation;
use crate::several::together;
use crate::side_by_side::{self, SideBySide};

/// A module in words, with the plan and the module on elements that it comes from.
pub struct Limbed {
    /// The functions of `elements`, on words.
    pub module: Module,
    /// Plan of carries, of all functions, for the module whose inverses are powers.
    pub plan: Plan,
    /// The module on elements that the plan is about.
    pub elements: Module,
    /// The words that hold each value of the entry on elements.
    pub limb_map: LimbMap,
    /// The representation of elements in words, if they are limbs that are carried.
    limbs: Option<Box<dyn Representation>>,
}

/// The reason that a program has no representation in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoLimbs {
    /// No representation holds its elements.
    Impossible(String, Impossible),
    /// A bound fails even with carries everywhere.
    Bound(Failure),
    /// The checker does not accept the planned words: a defect here, not in the program.
    Check(Violation),
}

impl fmt::Display for NoLimbs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoLimbs::Impossible(name, reason) => write!(f, "no limbs hold elements of `{name}`: {reason}"),
            NoLimbs::Bound(failure) => failure.fmt(f),
            NoLimbs::Check(violation) => violation.fmt(f),
        }
    }
}

/// The words of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordKind {
    /// 32 or 64.
    pub bits: u32,
    /// Minimum number of lanes for which `mac52lo` and `mac52hi` are instructions, and products of two whole words are
    /// not.
    pub mac52: Option<u32>,
    /// Whether elements side by side have products of 32 bits by 32.
    pub mul32: bool,
    /// Whether `clmul` is an instruction.
    pub clmul: bool,
}

impl WordKind {
    /// Words whose products are two words.
    pub fn plain(bits: u32) -> WordKind {
        WordKind { bits, mac52: None, mul32: false, clmul: false }
    }
}

/// A module with elements of fields, in words. Each field has a representation of its own.
///
/// # Errors
///
/// The reason that this is not possible.
pub fn limbs(module: &Module, words: WordKind) -> Result<Limbed, NoLimbs> {
    let mut elements = module.clone();
    fold_constants(&mut elements);
    expand_inverses(&mut elements);
    by_latency(&mut elements);
    elements.compact();
    // If nothing stands side by side, products are of whole words.
    let values = || elements.funcs.iter().flat_map(|func| &func.values);
    let lanes = words.mac52.filter(|lanes| values().any(|value| value.ty.lanes() >= *lanes));
    if lanes.is_some_and(|lanes| module.fields.iter().any(|field| mac52(field, lanes).is_some())) {
        shared_second(&mut elements);
    }
    let chosen: Result<Vec<Chosen>, NoLimbs> =
        module.fields.iter().map(|field| chosen(field, &elements, words, lanes)).collect();
    let mut chosen = chosen?;
    match of_representations(chosen, &elements) {
        Err(why @ NoLimbs::Bound(_)) => {
            let roomy: Result<Vec<Option<Chosen>>, NoLimbs> =
                module.fields.iter().map(|field| roomy(field, words, lanes)).collect();
            let roomy = roomy?;
            if roomy.iter().all(Option::is_none) {
                return Err(why);
            }
            chosen = Vec::new();
            for (field, roomy) in module.fields.iter().zip(roomy) {
                chosen.push(roomy.map_or_else(|| self::chosen(field, &elements, words, lanes), Ok)?);
            }
            of_representations(chosen, &elements)
        }
        limbed => limbed,
    }
}

/// The representation of a field's elements, and whether its limbs are carried.
struct Chosen {
    representation: Box<dyn Representation>,
    is_carried: bool,
}

/// The representation that is pinned, or the fastest one. `lanes` is the number of elements side by side, if products
/// of such are sums of 52 by 52 bits.
fn chosen(field: &Field, elements: &Module, words: WordKind, lanes: Option<u32>) -> Result<Chosen, NoLimbs> {
    let impossible = |reason| NoLimbs::Impossible(field.name.clone(), reason);
    if let FieldKind::Binary(polynomial) = &field.kind {
        let mut binary = Binary::new(&BigInt::from(polynomial.clone()), words.bits).map_err(impossible)?;
        if words.clmul {
            binary = binary.with_clmul(elements.funcs.iter().all(|func| bits_run_down(func, words.bits)));
        }
        return Ok(Chosen { representation: Box::new(binary), is_carried: false });
    }
    if let Some(representation) = lanes.and_then(|lanes| mac52(field, lanes)) {
        return Ok(Chosen { representation, is_carried: true });
    }
    match PrimeRepresentation::of_program(field, words.bits).map_err(impossible)?.into_limbs() {
        Err(montgomery) => Ok(Chosen { representation: Box::new(montgomery), is_carried: false }),
        Ok(alone) => match narrow(field).filter(|_| words.mul32) {
            Some(beside) => Ok(Chosen {
                representation: Box::new(SideBySide { alone, beside: Box::new(beside) }),
                is_carried: true,
            }),
            None => Ok(Chosen { representation: alone, is_carried: true }),
        },
    }
}

/// Montgomery's form, which holds every program, if that of a field is inferred.
fn roomy(field: &Field, words: WordKind, lanes: Option<u32>) -> Result<Option<Chosen>, NoLimbs> {
    let (FieldKind::Prime(modulus), None) = (&field.kind, field.pin) else { return Ok(None) };
    let impossible = |reason| NoLimbs::Impossible(field.name.clone(), reason);
    let modulus = BigInt::from(modulus.clone());
    if let Some(lanes) = lanes.filter(|lanes| mac52(field, *lanes).is_some()) {
        let representation = Montgomery52::new(&modulus, lanes).map_err(impossible)?;
        return Ok(Some(Chosen { representation: Box::new(representation), is_carried: true }));
    }
    if words.mul32 && narrow(field).is_some() {
        return Ok(None);
    }
    let representation = Montgomery::new(&modulus, words.bits, words.bits).map_err(impossible)?;
    Ok(Some(Chosen { representation: Box::new(representation), is_carried: false }))
}

/// The module in words whose fields have these representations.
fn of_representations(chosen: Vec<Chosen>, elements: &Module) -> Result<Limbed, NoLimbs> {
    let is_carried = chosen.iter().any(|chosen| chosen.is_carried);
    let representation =
        together(chosen.into_iter().map(|chosen| chosen.representation).collect()).ok_or_else(nothing_written)?;
    if is_carried {
        carried(representation, elements)
    } else {
        written(&*representation, elements.clone(), Plan::default())
    }
}

/// Whether elements are made of bits of which each is one above the next in its byte, as where a block's first bit is
/// its most significant one, and all words that elements are made of, or become, are parts of whole ones.
fn bits_run_down(func: &Func, word_bits: u32) -> bool {
    let source = |bit: Value| match func.value(bit).origin {
        Origin::Result(inst, _) => match func.inst(inst) {
            InstData { op: Op::Extract(low), args, .. } => Some((args[0], *low)),
            _ => None,
        },
        _ => None,
    };
    let runs_down = |bits: &[Value]| {
        let pair = bits.first().copied().and_then(source).zip(bits.get(1).copied().and_then(source));
        pair.is_some_and(|((whole, first), (other, second))| whole == other && first == second + 1)
    };
    let packs = || func.insts.iter().filter(|inst| inst.op == Op::Field(FieldOp::Pack));
    let unpacks = || func.insts.iter().filter(|inst| inst.op == Op::Field(FieldOp::Unpack));
    let words = packs().flat_map(|inst| &inst.args).chain(unpacks().flat_map(|inst| &inst.results));
    words.into_iter().all(|&word| word_bits.is_multiple_of(func.ty(word).bits()))
        && packs().any(|inst| runs_down(&inst.args))
}

/// The module in words, with a plan of carries.
fn carried(representation: Box<dyn Representation>, elements: &Module) -> Result<Limbed, NoLimbs> {
    let inputs = SlotBounds::new();
    let mut plan = Plan::default();
    for id in ids(elements) {
        plan.extend(planned(&Whole::of_func(elements, id, &*representation, &inputs))?);
    }
    let mut limbed = written(&*representation, elements.clone(), plan)?;
    limbed.limbs = Some(representation);
    Ok(limbed)
}

/// Whether elements of a field may stand side by side in vectors of such words.
pub fn has_lanes(field: &Field, words: WordKind) -> bool {
    match words.mac52 {
        Some(lanes) => mac52(field, lanes).is_some(),
        None => words.mul32 && narrow(field).is_some(),
    }
}

/// Limbs whose products are of 32 bits by 32, if the field has them and an element alone is not in Montgomery's form.
fn narrow(field: &Field) -> Option<Unsaturated> {
    let FieldKind::Prime(modulus) = &field.kind else { return None };
    let is_carried = !matches!(PrimeRepresentation::new(field, 64), Ok(PrimeRepresentation::Montgomery(_)) | Err(_));
    side_by_side::narrow(&BigInt::from(modulus.clone())).filter(|_| is_carried)
}

/// Limbs whose products are sums of 52 by 52 bits, if the field has them. One element alone has the same limbs, or full
/// words.
fn mac52(field: &Field, lanes: u32) -> Option<Box<dyn Representation>> {
    let beside = Lanes::new(field, lanes).ok()?.into_representation();
    match PrimeRepresentation::of_program(field, beside.word_bits()) {
        Ok(PrimeRepresentation::Saturated(alone)) if lanes > 1 => {
            Some(Box::new(SideBySide { alone: Box::new(alone), beside }))
        }
        _ => Some(beside),
    }
}

fn ids(module: &Module) -> impl Iterator<Item = FuncId> + use<> {
    (0..module.funcs.len() as u32).map(FuncId)
}

fn planned(problem: &Whole) -> Result<Plan, NoLimbs> {
    let Whole { module, func, representation: limbs, .. } = *problem;
    let most = |order| everywhere(&[module], limbs, order).in_func(func);
    let mut start = generous(&[module], limbs, Order::Interleaved).in_func(func);
    if problem.attempt(&start).is_err() {
        start = most(Order::Interleaved);
        if problem.attempt(&start).is_err() {
            start = most(Order::Sequential);
        }
    }
    search(problem, module, start).map_err(NoLimbs::Bound)
}

impl Limbed {
    /// Every carry: its place, the limbs' bounds around it, and the failure without it. None if limbs have no carries.
    pub fn carries(&self) -> Option<String> {
        let limbs = self.limbs.as_deref()?;
        let inputs = SlotBounds::new();
        let mut texts = Vec::new();
        for id in ids(&self.elements) {
            let plan = self.plan.clone().in_func(id);
            let expanded = expand(&self.elements, id, limbs, &plan, &inputs, false).ok()?;
            let problem = Whole::of_func(&self.elements, id, limbs, &inputs);
            texts.push(program_carries(&problem, &plan, &expanded.seen));
        }
        Some(texts.join("\n"))
    }
}

/// The module in words, checked.
fn written(representation: &dyn Representation, elements: Module, plan: Plan) -> Result<Limbed, NoLimbs> {
    let none = SlotBounds::new();
    let (mut funcs, mut known, mut of_entry) = (Vec::new(), Vec::new(), None);
    for id in ids(&elements) {
        let expanded = expand(&elements, id, representation, &plan, &none, true).map_err(NoLimbs::Bound)?;
        let (Some(func), Some(limb_map)) = (expanded.func, expanded.limb_map) else { return Err(nothing_written()) };
        let words = limb_map.values.iter().flatten();
        let claim = |word: &Word| word.range.clone().map(|(low, high)| (word.value, Interval { low, high }));
        let claims = words.filter_map(claim).collect();
        known.push(Known { border: border(elements.func(id), representation), wrapping: expanded.wrapping, claims });
        funcs.push(func);
        of_entry = if id == elements.entry { Some(limb_map) } else { of_entry };
    }
    let module = Module { fields: Vec::new(), funcs, entry: elements.entry };
    check_module(&module, &known).map_err(NoLimbs::Check)?;
    let limb_map = of_entry.ok_or_else(nothing_written)?;
    Ok(Limbed { module, plan, elements, limb_map, limbs: None })
}

fn nothing_written() -> NoLimbs {
    NoLimbs::Bound(Failure { place: String::new(), what: "nothing was written".into(), range: Interval::point(0) })
}

/// The intervals of words that go into a function on elements, and that come out of it.
fn border(func: &Func, representation: &dyn Representation) -> Border {
    let all = |types: Vec<Type>| -> Vec<Interval> {
        let words = |ty: Type| match ty {
            Type::Field(field) => representation.of_field(field).unwrap_or(representation).tight(),
            ty => vec![Interval::word(ty.bits())],
        };
        types.into_iter().flat_map(words).collect()
    };
    Border { params: all(func.param_types()), results: all(func.result_types()) }
}
