//! The checker: whether nothing wraps in a function on words, and outputs keep their bounds, for all inputs within
//! their bounds.
//!
//! It knows the words' operations and nothing of fields, plans or limbs, and it decides whether code may be generated.
//! Functions meet at borders: the words that come in are taken to be within the intervals of a function's border, and
//! those of each call, and those that come out, must be.
//!
//! Every value is an integer with an interval; its word is the residue of the integer. `add`, `sub`, `mul` and `shl`
//! must be exact, with or without a sign. Shifts right and wide products must see the sign they are about, and `mul32`,
//! `mac52lo` and `mac52hi` must see all bits of their factors. Two words that belong together (the results of
//! `mulwide`, and sums of such with their carries) have an interval together, because the interval of the high word
//! says too little. A carry or borrow that nothing uses must be 0, and so must the high word of a sum or of a shift of
//! two words, unless only low bits are taken from the low word. Only the high word of a product may be dropped: the low
//! word is then meant modulo a word.

use std::collections::{HashMap, HashSet};
use std::fmt;

use culet_ir::{Func, FuncId, Index, Inst, InstData, LoopData, Module, Op, RegionId, SlotKind, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use crate::interval::{Interval, SlotBounds, power};

/// Number of rounds before a loop's bounds widen, and maximum number of rounds.
const ROUNDS_BEFORE_WIDENING: u32 = 3;
const ROUNDS: u32 = 80;

/// A property that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The instruction, as the text shows it.
    pub place: String,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Violation {}

/// Checks a function without calls, parameters and results. `inputs` bounds the elements of input slots in turn, repeated if there are more
/// elements than bounds; a slot without bounds holds any words. `outputs` has the promised bounds of output slots in
/// the same way.
///
/// # Errors
///
/// The operation that wraps or cuts off, or the output that may be out of its bounds.
pub fn check(func: &Func, inputs: &SlotBounds, outputs: &SlotBounds) -> Result<(), Violation> {
    check_wrapping(func, inputs, outputs, &[])
}

/// As [`check`], where the values in `wrapping` are meant modulo a word: a function on full words may drop carries, and
/// a program may have sums and products of words of its own.
///
/// # Errors
///
/// As [`check`].
pub fn check_wrapping(
    func: &Func,
    inputs: &SlotBounds,
    outputs: &SlotBounds,
    wrapping: &[Value],
) -> Result<(), Violation> {
    let own = Known { wrapping: wrapping.to_vec(), ..Known::default() };
    check_known(func, inputs, outputs, &own, &[])
}

/// Claimed intervals of values.
pub type Claims = HashMap<Value, Interval>;

/// The intervals of the words that go into a function, and of those that come out, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Border {
    pub params: Vec<Interval>,
    pub results: Vec<Interval>,
}

/// The data with which a function on words is checked.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub border: Border,
    /// Values that are meant modulo a word.
    pub wrapping: Vec<Value>,
    /// The search for the intervals of carried values and of arrays begins with the claims about them. It is checked
    /// that an iteration keeps a claim; the claim need not be found by widening, which may go beyond it.
    pub claims: Claims,
}

/// Checks all functions of a module, about each of which something is said, and all calls. Slots hold any words.
///
/// # Errors
///
/// As [`check`], and a word that may be outside of a border.
pub fn check_module(module: &Module, known: &[Known]) -> Result<(), Violation> {
    let none = SlotBounds::new();
    for (func, own) in module.funcs.iter().zip(known) {
        check_known(func, &none, &none, own, known)?;
    }
    let [funcs, borders] = [module.funcs.len(), known.len()];
    let all =
        Violation { place: "module".to_owned(), message: format!("{borders} of {funcs} functions have a border") };
    if funcs == borders { Ok(()) } else { Err(all) }
}

fn check_known(
    func: &Func,
    inputs: &SlotBounds,
    outputs: &SlotBounds,
    own: &Known,
    all: &[Known],
) -> Result<(), Violation> {
    let mut checker = Checker {
        func,
        inputs,
        outputs,
        values: vec![None; func.values.len()],
        pairs: HashMap::new(),
        carries: HashMap::new(),
        uses: uses(func),
        wrapping: own.wrapping.iter().copied().collect(),
        claims: &own.claims,
        all,
        strides: strides(func),
        memory: HashMap::new(),
        is_early: false,
    };
    checker.enter(&own.border)?;
    for round in 0..ROUNDS {
        let before = checker.memory.clone();
        checker.is_early = false;
        checker.region(func.body)?;
        if checker.memory == before && !checker.is_early {
            return checker.leave(&own.border);
        }
        if round >= ROUNDS_BEFORE_WIDENING {
            checker.memory.values_mut().for_each(|range| *range = range.widened());
        }
    }
    Err(Violation { place: format!("fn {}", func.name), message: "the bounds of an array never settle".to_owned() })
}

/// For each slot, the greatest number by which all its indices move. Elements whose positions are equal modulo this
/// number are one class.
fn strides(func: &Func) -> Vec<u64> {
    let mut strides = vec![0_u64; func.slots.len()];
    for inst in &func.insts {
        if let Op::Load { slot, index } | Op::Store { slot, index } = &inst.op {
            let stride = &mut strides[slot.index()];
            *stride = index.terms.iter().fold(*stride, |stride, (_, factor)| stride.gcd(&factor.unsigned_abs()));
        }
    }
    strides
}

/// Origin of a sum's carry: the operands and the sum.
#[derive(Clone, Copy)]
struct Carry {
    a: Value,
    b: Value,
    sum: Value,
    is_borrow: bool,
}

struct Checker<'f> {
    func: &'f Func,
    inputs: &'f SlotBounds,
    outputs: &'f SlotBounds,
    values: Vec<Option<Interval>>,
    /// Interval of two words together, by the low and the high word.
    pairs: HashMap<(Value, Value), Interval>,
    /// Carries of sums that have no carry in.
    carries: HashMap<Value, Carry>,
    uses: Vec<u32>,
    wrapping: HashSet<Value>,
    claims: &'f Claims,
    /// The data of each function that may be called.
    all: &'f [Known],
    /// See [`strides`]; 0 where no index moves.
    strides: Vec<u64>,
    /// Interval of the values stored to each class of elements of the function's own arrays.
    memory: HashMap<(u32, u64), Interval>,
    /// Whether an element was loaded to which no store is known.
    is_early: bool,
}

type Checked<T> = Result<T, String>;

impl Checker<'_> {
    fn region(&mut self, region: RegionId) -> Result<(), Violation> {
        let func = self.func;
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            if let Op::Loop(l) = &data.op {
                self.loop_(inst, l)?;
                continue;
            }
            self.inst(data).map_err(|message| self.violation(data, message))?;
        }
        Ok(())
    }

    /// Takes parameters to be within the border.
    fn enter(&mut self, border: &Border) -> Result<(), Violation> {
        let params = &self.func.region(self.func.body).params;
        self.is_as_long("parameters", params.len(), border.params.len())?;
        for (&param, range) in params.iter().zip(&border.params) {
            self.set(param, range.clone());
        }
        Ok(())
    }

    /// Checks that results are within the border.
    fn leave(&self, border: &Border) -> Result<(), Violation> {
        let results = &self.func.region(self.func.body).results;
        self.is_as_long("results", results.len(), border.results.len())?;
        for (number, (&result, bound)) in (1..).zip(results.iter().zip(&border.results)) {
            let range = self.range(result);
            if !range.within(bound) {
                let message = format!("result {number} is promised to be {bound}; it is {range}");
                return Err(Violation { place: format!("fn {}", self.func.name), message });
            }
        }
        Ok(())
    }

    fn is_as_long(&self, what: &str, count: usize, border: usize) -> Result<(), Violation> {
        let message = || format!("its border has {border} {what}, not {count}");
        let wrong = || Violation { place: format!("fn {}", self.func.name), message: message() };
        if count == border { Ok(()) } else { Err(wrong()) }
    }

    /// Checks that a call's operands are within the callee's border, within which its results are then.
    fn call(&mut self, data: &InstData, callee: FuncId) -> Checked<()> {
        let Some(Known { border, .. }) = self.all.get(callee.index()) else {
            return Err("the function that is called is not known here".to_owned());
        };
        if (data.args.len(), data.results.len()) != (border.params.len(), border.results.len()) {
            return Err("the function that is called has another border".to_owned());
        }
        for (number, (&arg, bound)) in (1..).zip(data.args.iter().zip(&border.params)) {
            let range = self.range(arg);
            if !range.within(bound) {
                return Err(format!("operand {number} must be {bound}; it is {range}"));
            }
        }
        for (&result, range) in data.results.iter().zip(&border.results) {
            self.set(result, range.clone());
        }
        Ok(())
    }

    fn violation(&self, data: &InstData, message: String) -> Violation {
        let result = data.results.first().map_or_else(String::new, |result| format!("{result} = "));
        Violation { place: format!("fn {}, {result}{}", self.func.name, data.op.name()), message }
    }

    fn range(&self, value: Value) -> Interval {
        let bits = self.func.ty(value).bits();
        self.values[value.index()].clone().unwrap_or_else(|| Interval::word(bits))
    }

    fn set(&mut self, value: Value, range: Interval) {
        self.values[value.index()] = Some(range);
    }

    fn inst(&mut self, data: &InstData) -> Checked<()> {
        let bits = data.results.first().map_or(1, |&result| self.func.ty(result).bits());
        if data.results.iter().chain(&data.args).any(|&value| self.func.ty(value).field().is_some()) {
            return Err("only words are known here".to_owned());
        }
        let arg = |index: usize| self.range(data.args[index]);
        let range = match &data.op {
            Op::Const(values) => hull(values.iter().map(|&value| Interval::point(value))),
            // The interval of lanes is an interval of all of them.
            Op::Lane(_) | Op::Join | Op::Blend(_) => hull((0..data.args.len()).map(arg)),
            Op::Perm(pattern) => match pattern.contains(&None) {
                true => arg(0).hull(&Interval::point(0)),
                false => arg(0),
            },
            Op::Add => self.whole(data, arg(0).plus(&arg(1)), bits)?,
            Op::Sub => self.whole(data, arg(0).minus(&arg(1)), bits)?,
            Op::Mul => self.whole(data, arg(0).times(&arg(1)), bits)?,
            Op::Shl(n) => self.whole(data, arg(0).times(&Interval::point(power(u64::from(*n)))), bits)?,
            Op::Shr(n) => unsigned(arg(0), bits)?.shr(u32::from(*n)),
            // Words of the program's own have a sign where their top bit is set.
            Op::Sar(_) if self.wrapping.contains(&data.results[0]) && arg(0).within(&Interval::word(bits)) => {
                Interval::word(bits)
            }
            Op::Sar(n) => signed(arg(0), bits)?.shr(u32::from(*n)),
            Op::And => conjunction(&arg(0), &arg(1), bits),
            Op::Or => {
                let (a, b) = (unsigned(arg(0), bits)?, unsigned(arg(1), bits)?);
                Interval { low: a.low.clone().max(b.low.clone()), ..either(&a, &b) }
            }
            Op::Xor => either(&unsigned(arg(0), bits)?, &unsigned(arg(1), bits)?),
            Op::Andn => unsigned(arg(0), bits)?.hull(&Interval::point(BigInt::zero())),
            Op::Not | Op::Spread | Op::Rotl(_) | Op::Tern(_) => Interval::word(bits),
            Op::MulHi => unsigned(arg(0), bits)?.times(&unsigned(arg(1), bits)?).shr(bits),
            Op::Mac52Lo | Op::Mac52Hi => self.whole(data, mac52(&data.op, [arg(0), arg(1), arg(2)])?, bits)?,
            Op::Mul32 => {
                let [a, b] = [arg(0), arg(1)];
                if let Some(factor) = [&a, &b].into_iter().find(|factor| !factor.within(&Interval::word(32))) {
                    return Err(format!("a factor has more than 32 bits; it is {factor}"));
                }
                a.times(&b)
            }
            Op::Length { .. } => Interval::word(bits),
            Op::StoreTail { .. } => return Ok(()),
            Op::Tail { .. } => {
                data.results.iter().for_each(|&byte| self.set(byte, Interval::word(bits)));
                return Ok(());
            }
            Op::Concat => {
                let low = self.func.ty(data.args[1]).bits();
                let (high, low_range) = (unsigned(arg(0), bits)?, unsigned(arg(1), low)?);
                high.times(&Interval::point(power(u64::from(low)))).plus(&low_range)
            }
            Op::Extract(low) => {
                let shifted = unsigned(arg(0), self.func.ty(data.args[0]).bits())?.shr(u32::from(*low));
                modulo(&shifted, bits)
            }
            Op::Select => arg(1).hull(&arg(2)),
            Op::Funnel(n) => self.funnel(data, bits - u32::from(*n), bits)?,
            Op::MulWide => return self.mul_wide(data, bits),
            Op::ClMul => {
                let [a, b] = [unsigned(arg(0), bits)?, unsigned(arg(1), bits)?].map(|range| range.high.bits() as u32);
                let product = (a + b).saturating_sub(1);
                self.set(data.results[0], Interval::word(product.min(bits)));
                self.set(data.results[1], Interval::word(product.saturating_sub(bits)));
                return Ok(());
            }
            Op::AddC | Op::SubB => return self.with_carry(data, bits),
            Op::Call(callee) => return self.call(data, *callee),
            Op::Load { slot, .. } => return self.load(data, slot.0, bits),
            Op::Store { slot, index } => {
                let (class, range) = (self.class(slot.0, index), self.range(data.args[0]));
                self.hold(class, &range);
                return self.store(data, slot.0, index.terms.is_empty().then_some(index.constant));
            }
            op => return Err(format!("`{}` is not known here", op.name())),
        };
        self.set(data.results[0], range);
        Ok(())
    }

    /// The result of an operation that must be exact unless it is meant modulo a word.
    fn whole(&self, data: &InstData, range: Interval, bits: u32) -> Checked<Interval> {
        match self.wrapping.contains(&data.results[0]) {
            true => Ok(modulo(&range, bits)),
            false => exact(range, bits),
        }
    }

    fn mul_wide(&mut self, data: &InstData, bits: u32) -> Checked<()> {
        let (a, b) = (unsigned(self.range(data.args[0]), bits)?, unsigned(self.range(data.args[1]), bits)?);
        let product = a.times(&b);
        let (low, high) = (data.results[0], data.results[1]);
        self.set(low, modulo(&product, bits));
        self.set(high, product.shr(bits));
        self.pairs.insert((low, high), product);
        Ok(())
    }

    /// Two words shifted right together: their value together must be known, and the result must be one word.
    fn funnel(&mut self, data: &InstData, amount: u32, bits: u32) -> Checked<Interval> {
        let (high, low) = (data.args[0], data.args[1]);
        let whole = self.pair(low, high).ok_or_else(|| "the words do not belong together".to_owned())?;
        let shifted = whole.shr(amount);
        if shifted.within(&Interval::word(bits)) {
            return Ok(shifted);
        }
        // The part above must be taken from the high word by a shift of its own.
        let rest = Op::Shr(amount as u8);
        let is_rest = |other: &&InstData| other.op == rest && other.args[0] == high;
        match self.func.insts.iter().find(is_rest).map(|other| other.results[0]) {
            Some(rest) => {
                self.is_kept(data.results[0], rest, bits, &shifted)?;
                self.pairs.insert((data.results[0], rest), shifted.clone())
            }
            None => return Err(format!("bits above the word are cut off; it is {shifted}")),
        };
        Ok(modulo(&shifted, bits))
    }

    /// Checks that a high word is used where it can have several values, or that only low bits of the low word are. One
    /// that has a single value is a constant where it is needed.
    fn is_kept(&self, low: Value, high: Value, bits: u32, whole: &Interval) -> Checked<()> {
        let takes_bits = |inst: &InstData| matches!(inst.op, Op::And);
        let users = self.func.insts.iter().filter(|inst| inst.args.contains(&low));
        let above = whole.shr(bits);
        if above.low == above.high || self.uses[high.index()] > 0 || users.into_iter().all(takes_bits) {
            return Ok(());
        }
        Err(format!("the high word of two is dropped; they are {whole}"))
    }

    /// The interval of two words together.
    fn pair(&self, low: Value, high: Value) -> Option<Interval> {
        if let Some(range) = self.pairs.get(&(low, high)) {
            return Some(range.clone());
        }
        let (low_range, high_range) = (self.range(low), self.range(high));
        let bits = self.func.ty(low).bits();
        // High words that are constants, such as 0 above a single word.
        let is_fixed = high_range.low == high_range.high;
        (is_fixed && !low_range.low.is_negative())
            .then(|| high_range.times(&Interval::point(power(u64::from(bits)))).plus(&low_range))
    }

    fn with_carry(&mut self, data: &InstData, bits: u32) -> Checked<()> {
        let is_borrow = data.op == Op::SubB;
        let [a, b, carry] = [0, 1, 2].map(|index| data.args[index]);
        let (sum, out) = (data.results[0], data.results[1]);
        let ranges = [unsigned(self.range(a), bits)?, unsigned(self.range(b), bits)?, self.range(carry)];
        let both = if is_borrow { ranges[0].minus(&ranges[1]) } else { ranges[0].plus(&ranges[1]) };
        let total = if is_borrow { both.minus(&ranges[2]) } else { both.plus(&ranges[2]) };
        let mut out_range = if is_borrow { negated(&total.shr(bits)) } else { total.shr(bits) };
        let mut sum_range = modulo(&total, bits);
        if ranges[2].is_zero() {
            self.carries.insert(out, Carry { a, b, sum, is_borrow });
        }
        if let Some(whole) = self.two_words(carry, a, b, is_borrow)
            && let Some(lower) = self.carries.get(&carry).copied()
        {
            let all = Interval::word(2 * bits);
            if whole.within(&all) {
                out_range = Interval::point(0);
                sum_range = whole.shr(bits);
                self.is_kept(lower.sum, sum, bits, &whole)?;
                self.pairs.insert((lower.sum, sum), whole);
            }
        }
        if self.uses[out.index()] == 0 && !out_range.is_zero() && !self.wrapping.contains(&out) {
            let what = if is_borrow { "a borrow" } else { "a carry" };
            return Err(format!("{what} that nothing uses need not be 0; it is {out_range}"));
        }
        self.set(sum, sum_range);
        self.set(out, out_range);
        Ok(())
    }

    /// The sum or difference of two pairs of words. Their low words gave this carry, and `a` and `b` are their high
    /// words.
    fn two_words(&self, carry: Value, a: Value, b: Value, is_borrow: bool) -> Option<Interval> {
        let lower = self.carries.get(&carry).filter(|lower| lower.is_borrow == is_borrow)?;
        let (x, y) = (self.pair(lower.a, a)?, self.pair(lower.b, b)?);
        Some(if is_borrow { x.minus(&y) } else { x.plus(&y) })
    }

    fn load(&mut self, data: &InstData, slot: u32, bits: u32) -> Checked<()> {
        let Op::Load { index, .. } = &data.op else { return Ok(()) };
        let of_slot = &self.func.slots[slot as usize];
        let range = match &of_slot.kind {
            SlotKind::Input { .. } => match self.inputs.get(&slot) {
                Some(bounds) if index.terms.is_empty() => bounds[index.constant as usize % bounds.len()].clone(),
                Some(bounds) => bounds.iter().skip(1).fold(bounds[0].clone(), |hull, bound| hull.hull(bound)),
                None => Interval::word(bits),
            },
            SlotKind::Constants(values) => {
                let most = values.iter().max().copied().unwrap_or(0);
                Interval::new(0, most)
            }
            SlotKind::Stream | SlotKind::OutStream | SlotKind::Joined(_) => Interval::word(bits),
            SlotKind::Local | SlotKind::Part | SlotKind::Output => {
                let class = self.class(slot, index);
                if let Some(claim) = self.claims.get(&data.results[0]) {
                    self.hold(class, claim);
                }
                // An element without a store so far is stored later in an enclosing loop, and loaded in its next
                // iteration.
                self.is_early |= !self.memory.contains_key(&class);
                self.memory.get(&class).cloned().unwrap_or_else(|| Interval::point(0))
            }
        };
        self.set(data.results[0], range);
        Ok(())
    }

    /// Adds a range to the values that elements of a class may have.
    fn hold(&mut self, class: (u32, u64), range: &Interval) {
        let known = self.memory.entry(class).or_insert_with(|| range.clone());
        *known = known.hull(range);
    }

    /// The class of the element at an index.
    fn class(&self, slot: u32, index: &Index) -> (u32, u64) {
        let position = index.constant as u64;
        match self.strides[slot as usize] {
            0 => (slot, position),
            stride => (slot, index.constant.rem_euclid(stride as i64) as u64),
        }
    }

    fn store(&mut self, data: &InstData, slot: u32, element: Option<i64>) -> Checked<()> {
        let range = self.range(data.args[0]);
        let Some(bounds) = self.outputs.get(&slot) else { return Ok(()) };
        let name = &self.func.slots[slot as usize].name;
        let Some(element) = element else { return Err(format!("which element of {name} is stored is not fixed")) };
        let promised = &bounds[element as usize % bounds.len()];
        if range.within(promised) {
            return Ok(());
        }
        Err(format!("element {element} of {name} is promised to be {promised}; it is {range}"))
    }

    fn loop_(&mut self, inst: Inst, l: &LoopData) -> Result<(), Violation> {
        let func = self.func;
        let (data, region) = (func.inst(inst), func.region(l.region));
        let begin = |(&arg, param): (&Value, &Value)| match self.claims.get(param) {
            Some(claim) => self.range(arg).hull(claim),
            None => self.range(arg),
        };
        let mut carried: Vec<Interval> = data.args.iter().zip(&region.params).map(begin).collect();
        for round in 0..ROUNDS {
            for (&param, range) in region.params.iter().zip(&carried) {
                self.set(param, range.clone());
            }
            self.region(l.region)?;
            let mut is_stable = true;
            for (old, &result) in carried.iter_mut().zip(&region.results) {
                let hull = old.hull(&self.range(result));
                if hull != *old {
                    is_stable = false;
                    *old = if round >= ROUNDS_BEFORE_WIDENING { hull.widened() } else { hull };
                }
            }
            if is_stable {
                for (&result, range) in data.results.iter().zip(&carried) {
                    self.set(result, range.clone());
                }
                return Ok(());
            }
        }
        Err(self.violation(data, "the bounds never settle".to_owned()))
    }
}

fn uses(func: &Func) -> Vec<u32> {
    let mut uses = vec![0; func.values.len()];
    let args = func.insts.iter().flat_map(|inst| &inst.args);
    for value in args.chain(func.regions.iter().flat_map(|region| &region.results)) {
        uses[value.index()] += 1;
    }
    uses
}

/// Checks that a word can hold the range, without or with a sign.
fn exact(range: Interval, bits: u32) -> Checked<Interval> {
    if range.within(&Interval::word(bits)) || range.within(&Interval::signed_word(bits)) {
        return Ok(range);
    }
    Err(format!("the result wraps in {bits} bits; it is {range}"))
}

fn unsigned(range: Interval, bits: u32) -> Checked<Interval> {
    if range.within(&Interval::word(bits)) { Ok(range) } else { Err(format!("an operand has a sign; it is {range}")) }
}

fn signed(range: Interval, bits: u32) -> Checked<Interval> {
    if range.within(&Interval::signed_word(bits)) {
        Ok(range)
    } else {
        Err(format!("an operand does not fit a word with a sign; it is {range}"))
    }
}

/// The hull of these intervals.
fn hull(ranges: impl Iterator<Item = Interval>) -> Interval {
    ranges.reduce(|hull, range| hull.hull(&range)).unwrap_or_else(|| Interval::point(0))
}

/// A sum and half of a product of two factors of 52 bits.
fn mac52(op: &Op, [sum, a, b]: [Interval; 3]) -> Checked<Interval> {
    let all = Interval::word(52);
    for factor in [&a, &b] {
        if !factor.within(&all) {
            return Err(format!("a factor has more than 52 bits; it is {factor}"));
        }
    }
    let product = a.times(&b);
    let half = match op {
        Op::Mac52Hi => product.shr(52),
        _ => modulo(&product, 52),
    };
    Ok(sum.plus(&half))
}

/// The range modulo 2^bits: unchanged if it fits.
fn modulo(range: &Interval, bits: u32) -> Interval {
    if range.within(&Interval::word(bits)) { range.clone() } else { Interval::word(bits) }
}

fn negated(range: &Interval) -> Interval {
    Interval { low: -&range.high, high: -&range.low }
}

/// The combined bits of two numbers that are not negative: at most their sum, and no bit above theirs.
fn either(a: &Interval, b: &Interval) -> Interval {
    let bits = a.high.bits().max(b.high.bits());
    Interval { low: BigInt::zero(), high: (&a.high + &b.high).min(power(bits) - 1) }
}

/// `a & b`, where one of them may have a sign if the other has none.
fn conjunction(a: &Interval, b: &Interval, bits: u32) -> Interval {
    let is_mask = |range: &Interval| {
        range.low == range.high && (&range.high + BigInt::from(1)).trailing_zeros() == Some(range.high.bits())
    };
    for (mask, other) in [(a, b), (b, a)] {
        if is_mask(mask) && !other.low.is_negative() && other.high <= mask.high {
            return other.clone();
        }
    }
    let most = |range: &Interval| if range.low.is_negative() { power(u64::from(bits)) - 1 } else { range.high.clone() };
    Interval { low: BigInt::zero(), high: most(a).min(most(b)) }
}
