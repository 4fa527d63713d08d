//! The meaning of a module, over any [`Domain`]: the one interpreter of the intermediate representation.

use std::fmt;
use std::ops::Range;

use culet_meaning::{Concrete, ConcreteFields, Domain, FieldDomain, NoFields};
use smallvec::SmallVec;

use crate::field::{FieldOp, Operand, Results, apply_field};
use crate::func::{Func, FuncId, Index, Inst, LoopData, Module, RegionId, Slot, SlotKind, Value};
use crate::op::{Op, Type};
use crate::print::SlotName;

/// The lanes of one value.
pub type Lanes<W> = SmallVec<[W; 1]>;

/// The elements of one slot, each a list of lanes.
pub type Elements<W> = Vec<Vec<W>>;

/// Contents of a value, or of the element of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held<W, E> {
    Word(Lanes<W>),
    /// An element of a field.
    Element(E),
    /// Elements side by side.
    Elements(Vec<E>),
}

/// The reason that a module that the verifier accepts has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvalError {
    /// The inputs are not as many, or not as long, as the entry's.
    Inputs(String),
    /// An element is loaded that was not stored before.
    Unwritten { func: String, slot: String, element: i64 },
    /// An element of an output was never stored.
    Missing { slot: String, element: usize },
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::Inputs(message) => f.write_str(message),
            EvalError::Unwritten { func, slot, element } => {
                write!(f, "fn {func}: element {element} of {slot} is loaded before it is stored")
            }
            EvalError::Missing { slot, element } => write!(f, "element {element} of the output {slot} is never stored"),
        }
    }
}

impl std::error::Error for EvalError {}

/// The elements of one slot, as the evaluator holds them.
type HeldElements<D, F> = Vec<Held<<D as Domain>::Word, <F as FieldDomain<D>>::Element>>;

/// Runs the entry of a module that [`crate::verify`] accepts and that has no fields, for one instance in each group.
///
/// `inputs` are the elements of the entry's input slots, in the order of the slots; the result has the elements of its
/// output slots, in the order of these. The depth of the Rust stack does not depend on the module.
pub fn eval<D: Domain>(
    domain: &mut D,
    module: &Module,
    inputs: &[Elements<D::Word>],
) -> Result<Vec<Elements<D::Word>>, EvalError> {
    if let Some(field) = module.fields.first() {
        return Err(EvalError::Inputs(format!("the field {} needs a domain of elements", field.name)));
    }
    eval_words(domain, &mut NoFields, module, inputs)
}

/// As [`eval_words`] on machine words, compiled once for all callers.
pub fn compute(module: &Module, inputs: &[Elements<u64>]) -> Result<Vec<Elements<u64>>, EvalError> {
    eval_words(&mut Concrete, &mut ConcreteFields, module, inputs)
}

/// An observer of a run of a function, which may put equal words in the places of words.
pub trait Observer<D: Domain> {
    /// Sees a word that an operation gives, or a lane of it; returns a word that is to take its place, if any.
    fn word(&mut self, domain: &mut D, value: Value, word: &D::Word) -> Option<D::Word>;

    /// Sees the words, all lanes of each, that a loop over a stream takes into the iteration of this number, from 0 on,
    /// or gives after its last.
    fn iteration(&mut self, _domain: &mut D, _inst: Inst, _iteration: u64, _carried: &mut [D::Word]) {}
}

/// As [`eval`], with an observer, for a module without calls and fields.
pub fn eval_observed<D: Domain>(
    domain: &mut D,
    module: &Module,
    inputs: &[Elements<D::Word>],
    observer: &mut dyn Observer<D>,
) -> Result<Vec<Elements<D::Word>>, EvalError> {
    eval_with(domain, &mut NoFields, module, inputs, Some(observer))
}

/// As [`eval`], with fields inside; inputs and outputs are words.
pub fn eval_words<D: Domain, F: FieldDomain<D>>(
    domain: &mut D,
    fields: &mut F,
    module: &Module,
    inputs: &[Elements<D::Word>],
) -> Result<Vec<Elements<D::Word>>, EvalError> {
    eval_with(domain, fields, module, inputs, None)
}

fn eval_with<D: Domain, F: FieldDomain<D>>(
    domain: &mut D,
    fields: &mut F,
    module: &Module,
    inputs: &[Elements<D::Word>],
    observer: Option<&mut dyn Observer<D>>,
) -> Result<Vec<Elements<D::Word>>, EvalError> {
    let held = |element: &Vec<D::Word>| Held::Word(element.iter().cloned().collect());
    let inputs: Vec<HeldElements<D, F>> = inputs.iter().map(|slot| slot.iter().map(held).collect()).collect();
    let outputs = run(domain, fields, module, &inputs, observer)?;
    let words = |held| match held {
        Held::Word(lanes) => Ok(lanes.into_vec()),
        Held::Element(_) | Held::Elements(_) => {
            Err(EvalError::Inputs("an output is an element of a field, not words".to_owned()))
        }
    };
    outputs.into_iter().map(|slot| slot.into_iter().map(words).collect()).collect()
}

/// As [`eval`], where inputs and outputs may be elements of fields.
pub fn eval_held<D: Domain, F: FieldDomain<D>>(
    domain: &mut D,
    fields: &mut F,
    module: &Module,
    inputs: &[HeldElements<D, F>],
) -> Result<Vec<HeldElements<D, F>>, EvalError> {
    run(domain, fields, module, inputs, None)
}

fn run<D: Domain, F: FieldDomain<D>>(
    domain: &mut D,
    fields: &mut F,
    module: &Module,
    inputs: &[HeldElements<D, F>],
    observer: Option<&mut dyn Observer<D>>,
) -> Result<Vec<HeldElements<D, F>>, EvalError> {
    let entry = module.entry();
    let mut machine = Machine { domain, fields, module, frames: Vec::new(), observer };
    machine.enter(module.entry, Vec::new());
    machine.fill_inputs(inputs)?;
    machine.run()?;
    let frame = machine.frames.pop().expect("the entry's frame remains");
    let mut outputs = Vec::new();
    for (slot, elements) in entry.slots.iter().zip(frame.slots) {
        if !slot.kind.is_result() {
            continue;
        }
        let mut output = Vec::with_capacity(elements.len());
        for (element, lanes) in elements.into_iter().enumerate() {
            match lanes {
                Some(held) => output.push(held),
                None => return Err(EvalError::Missing { slot: SlotName(slot).to_string(), element }),
            }
        }
        outputs.push(output);
    }
    Ok(outputs)
}

struct Machine<'a, 'o, D: Domain, F: FieldDomain<D>> {
    domain: &'a mut D,
    fields: &'a mut F,
    module: &'a Module,
    /// One frame for each function that is running, the innermost last.
    frames: Vec<Frame<'a, D::Word, F::Element>>,
    observer: Option<&'o mut dyn Observer<D>>,
}

struct Frame<'a, W, E> {
    module: &'a Module,
    func: &'a Func,
    values: Vec<Held<W, E>>,
    slots: Vec<Vec<Option<Held<W, E>>>>,
    counters: Vec<i64>,
    /// One cursor for each region that is running, the innermost last.
    cursors: Vec<Cursor<'a>>,
}

/// Progress of a region that is running.
struct Cursor<'a> {
    region: RegionId,
    next: usize,
    /// The loop whose body it is, and the number of the iteration.
    around: Option<(Inst, &'a LoopData, u64)>,
}

/// Action after one step.
enum Step<W, E> {
    Go,
    Call(FuncId, Vec<Held<W, E>>),
    Return(Vec<Held<W, E>>),
}

impl<D: Domain, F: FieldDomain<D>> Machine<'_, '_, D, F> {
    fn enter(&mut self, id: FuncId, args: HeldElements<D, F>) {
        let func = self.module.func(id);
        let mut slots = Vec::with_capacity(func.slots.len());
        for slot in &func.slots {
            let elements = match &slot.kind {
                SlotKind::Constants(values) => {
                    let bits = slot.element.bits();
                    let mut held = |v| Held::Word(SmallVec::from_elem(self.domain.constant(bits, v), 1));
                    values.iter().map(|&v| Some(held(v))).collect()
                }
                SlotKind::OutStream | SlotKind::Joined(_) => Vec::new(),
                _ => vec![None; slot.length as usize],
            };
            slots.push(elements);
        }
        let mut frame = Frame {
            module: self.module,
            func,
            values: vec![Held::Word(SmallVec::new()); func.values.len()],
            slots,
            counters: vec![0; func.counters as usize],
            cursors: vec![Cursor { region: func.body, next: 0, around: None }],
        };
        for (&param, arg) in func.region(func.body).params.iter().zip(args) {
            frame.values[param.index()] = arg;
        }
        self.frames.push(frame);
    }

    fn fill_inputs(&mut self, inputs: &[HeldElements<D, F>]) -> Result<(), EvalError> {
        let frame = &mut self.frames[0];
        let is_input = |slot: &&usize| frame.func.slots[**slot].kind.is_given();
        let slots: Vec<usize> = (0..frame.func.slots.len()).collect();
        let slots: Vec<usize> = slots.iter().filter(is_input).copied().collect();
        if slots.len() != inputs.len() {
            return Err(EvalError::Inputs(format!("there are {} inputs, not {}", slots.len(), inputs.len())));
        }
        for (&slot, elements) in slots.iter().zip(inputs) {
            let data = &frame.func.slots[slot];
            let lanes = data.element.lanes() as usize;
            let fits = |held: &Held<_, _>| match held {
                Held::Word(words) => !matches!(data.element, Type::Field(_)) && words.len() == lanes,
                Held::Element(_) => matches!(data.element, Type::Field(_)),
                Held::Elements(_) => false,
            };
            let is_stream = data.kind == SlotKind::Stream;
            if elements.len() != data.length as usize && !is_stream || !elements.iter().all(fits) {
                let message = format!("{} has {} elements of {lanes} lanes", SlotName(data), data.length);
                return Err(EvalError::Inputs(message));
            }
            frame.slots[slot] = elements.iter().cloned().map(Some).collect();
        }
        Ok(())
    }

    /// Runs until the entry returns; its frame remains.
    fn run(&mut self) -> Result<(), EvalError> {
        loop {
            let frame = self.frames.last_mut().expect("a function is running");
            match frame.step(self.domain, self.fields, &mut self.observer)? {
                Step::Go => {}
                Step::Call(callee, args) => self.enter(callee, args),
                Step::Return(_) if self.frames.len() == 1 => return Ok(()),
                Step::Return(results) => {
                    self.frames.pop();
                    let caller = self.frames.last_mut().expect("a callee has a caller");
                    caller.finish_call(results);
                }
            }
        }
    }
}

impl<'a, W: Clone, E: Clone> Frame<'a, W, E> {
    fn get(&self, value: Value) -> &Held<W, E> {
        &self.values[value.index()]
    }

    /// The lanes of a value that the verifier knows to be of words.
    fn lanes(&self, value: Value) -> &[W] {
        match self.get(value) {
            Held::Word(lanes) => lanes,
            Held::Element(_) | Held::Elements(_) => &[],
        }
    }

    fn all(&self, values: &[Value]) -> Vec<Held<W, E>> {
        values.iter().map(|&value| self.get(value).clone()).collect()
    }

    fn bind(&mut self, names: &[Value], values: Vec<Held<W, E>>) {
        for (name, value) in names.iter().zip(values) {
            self.values[name.index()] = value;
        }
    }

    /// Ends a call, which is the instruction before the cursor, with these results.
    fn finish_call(&mut self, results: Vec<Held<W, E>>) {
        let func = self.func;
        let cursor = self.cursors.last().expect("a region is running");
        let inst = func.region(cursor.region).insts[cursor.next - 1];
        self.bind(&func.inst(inst).results, results);
    }

    fn step<D: Domain<Word = W>, F: FieldDomain<D, Element = E>>(
        &mut self,
        domain: &mut D,
        fields: &mut F,
        observer: &mut Option<&mut dyn Observer<D>>,
    ) -> Result<Step<W, E>, EvalError> {
        let func = self.func;
        let cursor = self.cursors.last_mut().expect("a region is running");
        let Some(&inst) = func.region(cursor.region).insts.get(cursor.next) else {
            return Ok(self.end_region(domain, observer));
        };
        cursor.next += 1;
        let data = func.inst(inst);
        match &data.op {
            Op::Call(callee) => return Ok(Step::Call(*callee, self.all(&data.args))),
            Op::Loop(l) if self.begins(l) == 0 => {
                let unchanged = self.all(&data.args);
                self.bind(&data.results, unchanged);
            }
            Op::Loop(l) => self.start_loop(inst, l, domain, observer),
            Op::Length { stream } => {
                self.join(*stream);
                let length = domain.constant(64, self.slots[stream.index()].len() as u64);
                self.values[data.results[0].index()] = Held::Word(SmallVec::from_elem(length, 1));
            }
            Op::Tail { stream, block, pad } => {
                self.join(*stream);
                let elements = &self.slots[stream.index()];
                let rest = elements.len() % *block as usize;
                let mut bytes = elements[elements.len() - rest..].to_vec();
                let mut constant = |value: u8| Held::Word(SmallVec::from_elem(domain.constant(8, value.into()), 1));
                bytes.push(Some(constant(*pad)));
                bytes.resize(data.results.len(), Some(constant(0)));
                self.bind(&data.results, bytes.into_iter().flatten().collect());
            }
            Op::StoreTail { slot, from, stream, block } => {
                let length = self.slots[stream.index()].len();
                let rest = length % *block as usize;
                let end = self.slots[from.index()][..rest].to_vec();
                if let Some(element) = end.iter().position(Option::is_none) {
                    return Err(self.unwritten(*from, element as i64));
                }
                let elements = &mut self.slots[slot.index()];
                elements.resize(length, None);
                elements[length - rest..].clone_from_slice(&end);
            }
            Op::Load { slot, index } => {
                let element = self.element(index);
                let found = self.slots[slot.index()].get(element as usize).cloned().flatten();
                let unwritten = || self.unwritten(*slot, element);
                self.values[data.results[0].index()] = found.ok_or_else(unwritten)?;
            }
            Op::Store { slot, index } => {
                let element = self.element(index);
                let value = self.get(data.args[0]).clone();
                let (elements, place) = (&mut self.slots[slot.index()], element as usize);
                if elements.len() <= place {
                    elements.resize(place + 1, None);
                }
                elements[place] = Some(value);
            }
            Op::Field(op) => self.field((domain, fields), op, &data.args, &data.results),
            Op::Perm(_) | Op::Join | Op::Lane(_) | Op::Blend(_) if func.ty(data.results[0]).field().is_some() => {
                self.values[data.results[0].index()] = self.arranged(&data.op, &data.args);
            }
            op => {
                let args: SmallVec<[&[W]; 4]> = data.args.iter().map(|&arg| self.lanes(arg)).collect();
                let widths = widths(func, &data.args);
                let results = apply(domain, op, func.ty(data.results[0]), &widths, &args);
                drop(args);
                for (&result, mut lanes) in data.results.iter().zip(results) {
                    if let Some(observer) = observer.as_mut() {
                        for word in &mut lanes {
                            if let Some(other) = observer.word(domain, result, word) {
                                *word = other;
                            }
                        }
                    }
                    self.values[result.index()] = Held::Word(lanes);
                }
            }
        }
        Ok(Step::Go)
    }

    fn field<D: Domain<Word = W>, F: FieldDomain<D, Element = E>>(
        &mut self,
        domains: (&mut D, &mut F),
        op: &FieldOp,
        args: &[Value],
        results: &[Value],
    ) {
        let types = || args.iter().chain(results).map(|&value| self.func.ty(value));
        let Some(field) = types().find_map(Type::field) else { return };
        let bits = types().find_map(|ty| if let Type::Word(bits) = ty { Some(u32::from(bits)) } else { None });
        let operands = |lane: usize| -> Vec<Operand<'_, W, E>> {
            args.iter()
                .map(|&arg| match self.get(arg) {
                    Held::Word(lanes) => Operand::Word(&lanes[0]),
                    Held::Element(element) => Operand::Element(element),
                    Held::Elements(elements) => Operand::Element(&elements[lane]),
                })
                .collect()
        };
        let field = self.module.field(field);
        if let Type::Elements { lanes, .. } = self.func.ty(results[0]) {
            let (domain, fields) = domains;
            let lanes = (0..usize::from(lanes)).map(|lane| {
                match apply_field((&mut *domain, &mut *fields), op, field, 1, 1, &operands(lane)) {
                    Results::Element(element) => element,
                    Results::Words(_) => unreachable!("{} gives no elements", op.name()),
                }
            });
            let lanes = lanes.collect();
            self.values[results[0].index()] = Held::Elements(lanes);
            return;
        }
        let operands = operands(0);
        match apply_field(domains, op, field, bits.unwrap_or(1), results.len(), &operands) {
            Results::Element(element) => self.values[results[0].index()] = Held::Element(element),
            Results::Words(words) => {
                for (result, word) in results.iter().zip(words) {
                    self.values[result.index()] = Held::Word(SmallVec::from_elem(word, 1));
                }
            }
        }
    }

    /// Rearranges the lanes of elements.
    fn arranged(&self, op: &Op, args: &[Value]) -> Held<W, E> {
        let lanes = |value: Value| match self.get(value) {
            Held::Elements(elements) => &elements[..],
            Held::Element(element) => std::slice::from_ref(element),
            Held::Word(_) => &[],
        };
        let a = lanes(args[0]);
        Held::Elements(match op {
            Op::Lane(lane) => return Held::Element(a[usize::from(*lane)].clone()),
            Op::Join => args.iter().map(|&arg| lanes(arg)[0].clone()).collect(),
            Op::Perm(pattern) => pattern.iter().flatten().map(|&lane| a[usize::from(lane)].clone()).collect(),
            Op::Blend(set) => {
                let pairs = a.iter().zip(lanes(args[1])).enumerate();
                pairs.map(|(lane, (a, b))| if set >> lane & 1 == 1 { b } else { a }.clone()).collect()
            }
            op => unreachable!("{} arranges no lanes", op.name()),
        })
    }

    fn start_loop<D: Domain<Word = W>>(
        &mut self,
        inst: Inst,
        l: &'a LoopData,
        domain: &mut D,
        observer: &mut Option<&mut dyn Observer<D>>,
    ) {
        let mut inits = self.all(&self.func.inst(inst).args);
        tell_iteration(domain, observer, (inst, l, 0), &mut inits);
        self.bind(&self.func.region(l.region).params, inits);
        self.counters[l.counter.0 as usize] = self.numbers(l).map_or(l.first, |numbers| numbers.start as i64);
        self.cursors.push(Cursor { region: l.region, next: 0, around: Some((inst, l, 0)) });
    }

    /// Number of iterations of a loop that begins.
    fn begins(&mut self, l: &LoopData) -> u64 {
        if let Some(over) = l.over {
            self.join(over.stream());
        }
        self.iterations(l)
    }

    /// Gives a joined stream the bytes that its parts have now.
    fn join(&mut self, stream: Slot) {
        if let SlotKind::Joined(parts) = &self.func.slot(stream).kind {
            let bytes = parts.iter().flat_map(|part| self.slots[part.index()].clone()).collect();
            self.slots[stream.index()] = bytes;
        }
    }

    /// Number of iterations of a loop.
    fn iterations(&self, l: &LoopData) -> u64 {
        self.numbers(l).map_or(l.trip_count(), |numbers| numbers.len() as u64)
    }

    /// The counter's values, where a stream decides them.
    fn numbers(&self, l: &LoopData) -> Option<Range<usize>> {
        l.over.map(|over| over.numbers(self.slots[over.stream().index()].len()))
    }

    fn end_region<D: Domain<Word = W>>(
        &mut self,
        domain: &mut D,
        observer: &mut Option<&mut dyn Observer<D>>,
    ) -> Step<W, E> {
        let func = self.func;
        let cursor = self.cursors.last_mut().expect("a region is running");
        let region = func.region(cursor.region);
        let Some((inst, l, iteration)) = &mut cursor.around else {
            return Step::Return(self.all(&region.results));
        };
        let inst = *inst;
        *iteration += 1;
        let (l, iteration) = (*l, *iteration);
        let more = iteration < self.iterations(l);
        let cursor = self.cursors.last_mut().expect("a region is running");
        if more {
            cursor.next = 0;
            self.counters[l.counter.0 as usize] += if l.first <= l.last { 1 } else { -1 };
        } else {
            self.cursors.pop();
        }
        let mut next = self.all(&region.results);
        tell_iteration(domain, observer, (inst, l, iteration), &mut next);
        self.bind(if more { &region.params } else { &func.inst(inst).results }, next);
        Step::Go
    }

    fn element(&self, index: &Index) -> i64 {
        index.evaluate(|counter| self.counters[counter.0 as usize])
    }

    fn unwritten(&self, slot: Slot, element: i64) -> EvalError {
        let slot = SlotName(self.func.slot(slot)).to_string();
        EvalError::Unwritten { func: self.func.name.clone(), slot, element }
    }
}

/// Tells the observer the values that a loop over a stream carries into an iteration, if they are words.
fn tell_iteration<D: Domain, E>(
    domain: &mut D,
    observer: &mut Option<&mut dyn Observer<D>>,
    (inst, l, iteration): (Inst, &LoopData, u64),
    carried: &mut [Held<D::Word, E>],
) {
    let Some(observer) = observer.as_mut().filter(|_| l.over.is_some()) else { return };
    let mut words = Vec::new();
    for held in carried.iter() {
        let Held::Word(lanes) = held else { return };
        words.extend(lanes.iter().cloned());
    }
    observer.iteration(domain, inst, iteration, &mut words);
    let mut words = words.into_iter();
    for held in carried {
        if let Held::Word(lanes) = held {
            lanes.iter_mut().zip(&mut words).for_each(|(lane, word)| *lane = word);
        }
    }
}

fn widths(func: &Func, args: &[Value]) -> SmallVec<[u32; 4]> {
    args.iter().map(|&arg| func.ty(arg).bits()).collect()
}

/// One operation on words; not a load, store, call or loop. `ty` is the type of the first result, `widths` are the
/// operands' bits, and `args` their lanes. Constant folding uses this, too.
pub fn apply<D: Domain>(
    domain: &mut D,
    op: &Op,
    ty: Type,
    widths: &[u32],
    args: &[&[D::Word]],
) -> SmallVec<[Lanes<D::Word>; 2]> {
    let bits = ty.bits();
    let lanes = ty.lanes() as usize;
    let mut results: SmallVec<[Lanes<D::Word>; 2]> = SmallVec::new();
    match op {
        Op::Const(values) => results.push(values.iter().map(|&value| domain.constant(bits, value)).collect()),
        Op::Perm(pattern) => {
            let lane = |lane: &Option<u8>| match lane {
                Some(lane) => args[0][usize::from(*lane)].clone(),
                None => domain.constant(bits, 0),
            };
            results.push(pattern.iter().map(lane).collect());
        }
        Op::Join => results.push(args.iter().map(|arg| arg[0].clone()).collect()),
        Op::Lane(lane) => results.push(SmallVec::from_elem(args[0][usize::from(*lane)].clone(), 1)),
        Op::Blend(set) => {
            let pairs = args[0].iter().zip(args[1]).enumerate();
            results.push(pairs.map(|(lane, (a, b))| if set >> lane & 1 == 1 { b } else { a }.clone()).collect());
        }
        Op::Spread => {
            let word = domain.broadcast_bit(bits, &args[0][0]);
            results.push(SmallVec::from_elem(word, lanes));
        }
        Op::Select => {
            let pairs = args[1].iter().zip(args[2]);
            results.push(pairs.map(|(then, other)| domain.select(bits, &args[0][0], then, other)).collect());
        }
        Op::Concat => {
            results.push(SmallVec::from_elem(domain.concat(widths[0], &args[0][0], widths[1], &args[1][0]), 1))
        }
        Op::Extract(low) => {
            results.push(SmallVec::from_elem(domain.extract(widths[0], &args[0][0], u32::from(*low), bits), 1));
        }
        Op::MulWide => {
            let pairs = args[0].iter().zip(args[1]).map(|(a, b)| domain.mul_wide(bits, a, b));
            let (low, high) = pairs.unzip::<_, _, Lanes<_>, Lanes<_>>();
            results.extend([low, high]);
        }
        Op::ClMul => {
            let (low, high) = domain.clmul(bits, &args[0][0], &args[1][0]);
            results.extend([low, high].map(|word| SmallVec::from_elem(word, 1)));
        }
        Op::AddC | Op::SubB => {
            let (a, b, carry) = (&args[0][0], &args[1][0], &args[2][0]);
            let (word, out) =
                if *op == Op::AddC { domain.addc(bits, a, b, carry) } else { domain.subb(bits, a, b, carry) };
            results.extend([SmallVec::from_elem(word, 1), SmallVec::from_elem(out, 1)]);
        }
        op => results.push((0..lanes).map(|lane| word(domain, op, bits, |i| &args[i][lane])).collect()),
    }
    results
}

/// An operation that is the same on every lane.
fn word<'w, D: Domain>(domain: &mut D, op: &Op, bits: u32, arg: impl Fn(usize) -> &'w D::Word) -> D::Word
where
    D::Word: 'w,
{
    match op {
        Op::And => domain.and(bits, arg(0), arg(1)),
        Op::Or => domain.or(bits, arg(0), arg(1)),
        Op::Xor => domain.xor(bits, arg(0), arg(1)),
        Op::Andn => domain.andn(bits, arg(0), arg(1)),
        Op::Not => domain.not(bits, arg(0)),
        Op::Tern(table) => domain.tern(bits, *table, arg(0), arg(1), arg(2)),
        Op::Add => domain.add(bits, arg(0), arg(1)),
        Op::Sub => domain.sub(bits, arg(0), arg(1)),
        Op::Mul => domain.mul(bits, arg(0), arg(1)),
        Op::MulHi => domain.mul_wide(bits, arg(0), arg(1)).1,
        Op::Mul32 => {
            let [a, b] = [0, 1].map(|index| domain.extract(64, arg(index), 0, 32));
            let (low, high) = domain.mul_wide(32, &a, &b);
            domain.concat(32, &high, 32, &low)
        }
        Op::Mac52Lo => mac52(domain, arg(0), arg(1), arg(2), false),
        Op::Mac52Hi => mac52(domain, arg(0), arg(1), arg(2), true),
        Op::Shl(n) => domain.shl(bits, arg(0), u32::from(*n)),
        Op::Shr(n) => domain.shr(bits, arg(0), u32::from(*n)),
        Op::Sar(n) => domain.sar(bits, arg(0), u32::from(*n)),
        Op::Rotl(n) => domain.rotl(bits, arg(0), u32::from(*n)),
        Op::Funnel(n) => domain.funnel(bits, arg(0), arg(1), u32::from(*n)),
        op => unreachable!("{} is not the same on every lane", op.name()),
    }
}

/// The sum of a word and half of a product of 52 bits by 52.
fn mac52<D: Domain>(domain: &mut D, sum: &D::Word, a: &D::Word, b: &D::Word, is_high: bool) -> D::Word {
    let (a, b) = (domain.extract(64, a, 0, 52), domain.extract(64, b, 0, 52));
    let (low, high) = domain.mul_wide(52, &a, &b);
    let none = domain.constant(12, 0);
    let half = domain.concat(12, &none, 52, if is_high { &high } else { &low });
    domain.add(64, sum, &half)
}
