//! Elements in memory: where functions meet, the words of an element are a run in an array, and a call passes where the run is.
//!
//! Results of calls stay where the callee has written them, and are read where words are used. A run whose words are of no more use leaves its
//! place to another. A function that calls no other reads all parameters before it writes a result, so that a result may be in the place of a
//! parameter.

use std::collections::HashMap;
use std::ops::Range;

use culet_ir::{Affine, Func, FuncId, Inst, InstData, LoopData, Op, RegionId, Slot, SlotKind, Value};

use super::Unwritable;
use super::build::Builder;
use super::calls::{Border, Framed, Split};
use super::graph::{Arrays, NodeId, Place, Statement, Ty};

/// A position after all others.
const END: u32 = u32::MAX;

/// The positions of a function's instructions, and the last uses of its values.
pub(super) struct Lifetimes {
    position: Vec<u32>,
    /// Of loops, the position of their ends; of other instructions, their own.
    end: Vec<u32>,
    last: Vec<u32>,
    /// The position from which on an array stays as it is, if it is written to: behind the last store, and the loops around that.
    settled: HashMap<Slot, u32>,
    /// Runs that calls take or give, by their first words.
    runs: HashMap<Value, Vec<Value>>,
}

struct Scan<'f> {
    framed: &'f Framed,
    lifetimes: Lifetimes,
    now: u32,
    /// The number of loops around the definition of each value.
    depth: Vec<usize>,
    /// Of each open loop, values from outside that it uses.
    open: Vec<Vec<Value>>,
    /// The arrays that the outermost open loop, or an instruction outside loops, has stored to.
    stored: Vec<Slot>,
}

impl Scan<'_> {
    fn define(&mut self, values: &[Value]) {
        values.iter().for_each(|value| self.depth[value.index()] = self.open.len());
    }

    fn use_(&mut self, values: &[Value]) {
        for &value in values {
            let depth = self.depth[value.index()];
            match self.open.get_mut(depth) {
                Some(outermost) => outermost.push(value),
                None => self.lifetimes.last[value.index()] = self.now,
            }
        }
    }

    fn region(&mut self, id: RegionId) {
        let func = &self.framed.func;
        for &inst in &func.region(id).insts {
            self.now += 1;
            self.lifetimes.position[inst.index()] = self.now;
            let data = func.inst(inst);
            self.use_(&data.args);
            match &data.op {
                Op::Loop(l) => self.loop_(l),
                Op::Call(callee) => self.call(*callee, data),
                Op::Store { slot, .. } => self.stored.push(*slot),
                _ => {}
            }
            if self.open.is_empty() {
                for slot in self.stored.drain(..) {
                    self.lifetimes.settled.insert(slot, self.now);
                }
            }
            self.lifetimes.end[inst.index()] = self.now;
            self.define(&data.results);
        }
    }

    fn loop_(&mut self, l: &LoopData) {
        let region = self.framed.func.region(l.region);
        self.open.push(Vec::new());
        self.define(&region.params);
        self.region(l.region);
        self.now += 1;
        self.use_(&region.results);
        let used = self.open.pop().unwrap_or_default();
        self.use_(&used);
    }

    fn call(&mut self, callee: FuncId, data: &InstData) {
        let Some(callee) = self.framed.callees.get(&callee) else { return };
        let [parameters, results] = &callee.splits;
        for (split, values) in [(parameters, &data.args), (results, &data.results)] {
            for run in &split.runs {
                self.lifetimes.runs.insert(values[run.start], values[run.clone()].to_vec());
            }
        }
    }
}

impl Lifetimes {
    fn of(framed: &Framed) -> Lifetimes {
        let func = &framed.func;
        let (insts, values) = (func.insts.len(), func.values.len());
        let lifetimes = Lifetimes {
            position: vec![0; insts],
            end: vec![0; insts],
            last: vec![0; values],
            settled: HashMap::new(),
            runs: HashMap::new(),
        };
        let mut scan = Scan { framed, lifetimes, now: 0, depth: vec![0; values], open: Vec::new(), stored: Vec::new() };
        scan.region(func.body);
        scan.now = END;
        scan.use_(&func.region(func.body).results);
        scan.lifetimes
    }

    fn last_of(&self, values: &[Value]) -> u32 {
        values.iter().map(|value| self.last[value.index()]).max().unwrap_or(0)
    }
}

/// A run whose place is its own until its last use.
#[derive(Debug, Clone)]
struct Held {
    values: Vec<Value>,
    place: Place,
    last: u32,
    /// The number of loops around.
    depth: usize,
}

/// A run in which a loop or the function wants certain values.
struct Wanted {
    values: Vec<Value>,
    place: Place,
    /// The run that is there before, and its last use.
    before: Vec<Value>,
    last: u32,
    depth: usize,
}

/// Where the runs of a function are.
pub(super) struct Homes {
    lifetimes: Lifetimes,
    now: u32,
    depth: usize,
    of: HashMap<Value, Place>,
    /// Words of arrays that change no more.
    settled: HashMap<Value, Place>,
    /// Words that were read since the last call in this block.
    read: HashMap<Value, NodeId>,
    held: Vec<Held>,
    wanted: Vec<Wanted>,
    memory: Option<Slot>,
    /// Parts of the memory that are in use, sorted.
    used: Vec<Range<u32>>,
    pub(super) length: u32,
}

impl Homes {
    pub(super) fn new(framed: &Framed) -> Homes {
        Homes {
            lifetimes: Lifetimes::of(framed),
            now: 0,
            depth: 0,
            of: HashMap::new(),
            settled: HashMap::new(),
            read: HashMap::new(),
            held: Vec::new(),
            wanted: Vec::new(),
            memory: framed.memory,
            used: Vec::new(),
            length: 0,
        }
    }

    /// A part of the memory that is free.
    fn allocate(&mut self, length: u32) -> Result<Place, Unwritable> {
        let slot = self.memory.ok_or_else(|| Unwritable("a run without memory".to_owned()))?;
        let mut start = 0;
        let mut at = 0;
        while let Some(used) = self.used.get(at).filter(|used| used.start < start + length) {
            start = used.end;
            at += 1;
        }
        self.used.insert(at, start..start + length);
        self.length = self.length.max(start + length);
        Ok(Place { slot, index: Affine::constant(i64::from(start)) })
    }

    fn free(&mut self, place: &Place) {
        if Some(place.slot) == self.memory {
            self.used.retain(|used| i64::from(used.start) != place.index.constant);
        }
    }

    fn settle(&mut self, values: &[Value], place: &Place) {
        for (value, word) in values.iter().zip(0..) {
            self.of.insert(*value, place.plus(word));
        }
    }

    /// The place of a run, if its words are one after another in memory.
    fn place_of(&self, values: &[Value]) -> Option<Place> {
        let find = |value: &Value| self.of.get(value).or_else(|| self.settled.get(value));
        let first = find(values.first()?)?;
        let is_next = |(value, word): (&Value, i64)| find(value).is_some_and(|place| place.behind(first) == Some(word));
        values.iter().zip(0..).all(is_next).then(|| first.clone())
    }

    /// The place in which a result is wanted, if that is free by now, and the run that was there.
    fn wanted(&mut self, values: &[Value], is_leaf: bool) -> Option<(Place, Vec<Value>)> {
        let is_free = |wanted: &Wanted| wanted.last < self.now + u32::from(is_leaf);
        let fits = |wanted: &Wanted| wanted.values == values && wanted.depth == self.depth && is_free(wanted);
        let at = self.wanted.iter().position(fits)?;
        let wanted = self.wanted.remove(at);
        Some((wanted.place, wanted.before))
    }

    /// The runs that a loop carries.
    fn carried(&self, func: &Func, l: &LoopData, data: &InstData) -> Vec<Range<usize>> {
        let region = func.region(l.region);
        let lists: [&[Value]; 4] = [&data.args, &region.params, &region.results, &data.results];
        let run_at = |list: &[Value], at: usize| {
            let run = self.lifetimes.runs.get(&list[at])?;
            (list.get(at..at + run.len())? == run.as_slice()).then_some(run.len())
        };
        let mut runs = Vec::new();
        let mut at = 0;
        while at < data.args.len() {
            match lists.iter().find_map(|list| run_at(list, at)) {
                Some(length) => {
                    runs.push(at..at + length);
                    at += length;
                }
                None => at += 1,
            }
        }
        runs
    }
}

/// A loop's runs, and their places.
#[derive(Default)]
pub(super) struct CarriedRuns {
    runs: Vec<CarriedRun>,
}

struct CarriedRun {
    /// The numbers of its words among the carried values.
    numbers: Range<usize>,
    place: Place,
    /// Whether the place is one that a loop around, or the function, wants the result in.
    is_lent: bool,
}

impl CarriedRuns {
    pub(super) fn has(&self, number: usize) -> bool {
        self.runs.iter().any(|run| run.numbers.contains(&number))
    }
}

impl Builder<'_> {
    /// The expression of a word that is in memory.
    pub(super) fn home(&mut self, value: Value) -> Option<NodeId> {
        if let Some(&node) = self.homes.read.get(&value) {
            return Some(node);
        }
        let place = self.homes.of.get(&value)?.clone();
        let node = self.read_word(place, value);
        self.homes.read.insert(value, node);
        Some(node)
    }

    fn read_word(&mut self, place: Place, value: Value) -> NodeId {
        let bits = self.bits(value);
        let read = self.graph.load(place, Ty::of(bits), bits);
        self.graph.convert(read, self.integers.holding(bits))
    }

    /// Notes that an instruction begins.
    pub(super) fn begin(&mut self, inst: Inst) {
        self.homes.now = self.homes.lifetimes.position[inst.index()];
    }

    /// Frees the runs that were used for the last time.
    pub(super) fn end(&mut self, inst: Inst) {
        self.homes.now = self.homes.lifetimes.end[inst.index()];
        self.release();
    }

    fn release(&mut self) {
        let (now, depth) = (self.homes.now, self.homes.depth);
        while let Some(at) = self.homes.held.iter().position(|held| held.last <= now && held.depth == depth) {
            let held = self.homes.held.swap_remove(at);
            self.forget_run(&held.values);
            self.homes.free(&held.place);
        }
    }

    /// Takes a run's words out of memory. Expressions that are made later may have them still.
    fn forget_run(&mut self, values: &[Value]) {
        for &value in values {
            if let Some(node) = self.home(value) {
                self.set(value, node);
            }
            self.homes.of.remove(&value);
            self.homes.read.remove(&value);
        }
    }

    /// Notes a word of an array that changes no more.
    pub(super) fn read_settled(&mut self, place: &Place, value: Value) {
        let slot = self.func.slot(place.slot);
        let is_settled = match slot.kind {
            SlotKind::Constants(_) => true,
            SlotKind::Local => self.homes.lifetimes.settled.get(&place.slot).is_some_and(|&at| at < self.homes.now),
            _ => false,
        };
        if is_settled && slot.element.bits() == self.integers.word_bits {
            self.homes.settled.insert(value, place.clone());
        }
    }

    /// Receives the parameters that are runs.
    pub(super) fn enter_runs(&mut self, border: &Border, values: &[Value], results: &Border, given: &[Value]) {
        for (run, &slot) in border.split.runs.iter().zip(&border.runs) {
            let place = Place { slot, index: Affine::constant(0) };
            for (&value, word) in values[run.clone()].iter().zip(0..) {
                if self.framed.is_leaf() {
                    let node = self.read_word(place.plus(word), value);
                    self.set(value, node);
                } else {
                    self.homes.of.insert(value, place.plus(word));
                }
            }
        }
        for (run, &slot) in results.split.runs.iter().zip(&results.runs) {
            let place = Place { slot, index: Affine::constant(0) };
            let values = given[run.clone()].to_vec();
            self.homes.wanted.push(Wanted { values, place, before: Vec::new(), last: 0, depth: 0 });
        }
    }

    /// Writes the results that are runs.
    pub(super) fn leave_runs(&mut self, border: &Border, values: &[Value]) -> Result<(), Unwritable> {
        for (run, &slot) in border.split.runs.iter().zip(&border.runs) {
            self.put(&values[run.clone()], &Place { slot, index: Affine::constant(0) })?;
        }
        Ok(())
    }

    /// Writes words to a place, unless they are there.
    fn put(&mut self, values: &[Value], place: &Place) -> Result<(), Unwritable> {
        if self.homes.place_of(values).as_ref() == Some(place) {
            return Ok(());
        }
        for (&value, word) in values.iter().zip(0..) {
            let node = self.clean(value)?;
            let node = self.graph.convert(node, Ty::of(self.bits(value)));
            self.graph.statements.push(Statement::Store(place.plus(word), node));
        }
        Ok(())
    }

    /// A call whose parameters and results that are single words are in arrays already.
    pub(super) fn call_with_runs(
        &mut self,
        callee: FuncId,
        data: &InstData,
        words: [Option<Slot>; 2],
    ) -> Result<(), Unwritable> {
        let framed = self.framed;
        let Some(known) = framed.callees.get(&callee) else {
            return Err(Unwritable("a call is to be inlined before".to_owned()));
        };
        let [parameters, results] = &known.splits;
        let mut arrays = Arrays::default();
        let [from, to] = words.map(|slot| slot.map(|slot| Place { slot, index: Affine::constant(0) }));
        arrays.parameters.extend(to);
        arrays.results.extend(from);
        let mut lent = Vec::new();
        for run in &parameters.runs {
            let values = &data.args[run.clone()];
            let place = match self.homes.place_of(values).or_else(|| self.literal(values)) {
                Some(place) => place,
                None => {
                    let place = self.homes.allocate(run.len() as u32)?;
                    self.put(values, &place)?;
                    lent.push(place.clone());
                    place
                }
            };
            arrays.parameters.push(place);
        }
        if known.is_leaf {
            self.release();
            lent.drain(..).for_each(|place| self.homes.free(&place));
        }
        let mut held = Vec::new();
        for run in &results.runs {
            held.push(self.place_for_result(&data.results[run.clone()], known.is_leaf)?);
        }
        arrays.results.extend(held.iter().map(|held: &Held| held.place.clone()));
        lent.iter().for_each(|place| self.homes.free(place));
        self.graph.statements.push(Statement::Call(callee, arrays));
        self.homes.read.clear();
        for held in held {
            self.homes.settle(&held.values, &held.place);
            self.homes.held.push(held);
        }
        Ok(())
    }

    /// The array of a run of constants.
    fn literal(&self, values: &[Value]) -> Option<Place> {
        let words: Vec<u64> = values.iter().map(|&value| self.constant(value)).collect::<Option<_>>()?;
        let slot = *self.framed.literals.get(&words)?;
        Some(Place { slot, index: Affine::constant(0) })
    }

    fn place_for_result(&mut self, values: &[Value], is_leaf: bool) -> Result<Held, Unwritable> {
        let (depth, last) = (self.homes.depth, self.homes.lifetimes.last_of(values));
        let (place, last) = match self.homes.wanted(values, is_leaf) {
            Some((place, before)) => {
                self.forget_run(&before);
                // The loop has this place.
                (place, END)
            }
            None => (self.homes.allocate(values.len() as u32)?, last),
        };
        Ok(Held { values: values.to_vec(), place, last, depth })
    }

    /// Puts the runs that a loop carries in their places.
    pub(super) fn enter_loop(&mut self, l: &LoopData, data: &InstData) -> Result<CarriedRuns, Unwritable> {
        let func = self.func;
        let region = func.region(l.region);
        let mut runs = Vec::new();
        for run in self.homes.carried(func, l, data) {
            let (init, result) = (&data.args[run.clone()], &data.results[run.clone()]);
            let is_single = data.args.iter().filter(|&arg| *arg == init[0]).count() == 1;
            let is_same = self.homes.wanted.iter().any(|wanted| wanted.values == result && wanted.before == init);
            let (place, is_lent) = match self.homes.wanted(result, is_same) {
                Some((place, before)) => {
                    let is_there = self.homes.place_of(init).as_ref() == Some(&place);
                    self.forget_run(&before);
                    if !is_there {
                        self.put(init, &place)?;
                    }
                    (place, true)
                }
                None => (self.own_place(init, is_single)?, false),
            };
            runs.push(CarriedRun { numbers: run, place, is_lent });
        }
        self.homes.depth += 1;
        self.homes.read.clear();
        for CarriedRun { numbers, place, .. } in &runs {
            let params = region.params[numbers.clone()].to_vec();
            let results = region.results[numbers.clone()].to_vec();
            let last = self.homes.lifetimes.last_of(&params);
            self.homes.settle(&params, place);
            let depth = self.homes.depth;
            self.homes.wanted.push(Wanted { values: results, place: place.clone(), before: params, last, depth });
        }
        Ok(CarriedRuns { runs })
    }

    /// A place for a run that a loop changes: the run's own, if that may be, or another one.
    fn own_place(&mut self, values: &[Value], may_take_over: bool) -> Result<Place, Unwritable> {
        if let Some(place) = may_take_over.then(|| self.taken_over(values)).flatten() {
            return Ok(place);
        }
        let place = self.homes.allocate(values.len() as u32)?;
        self.put(values, &place)?;
        Ok(place)
    }

    /// The place of a run in the function's own memory that is not used after this instruction.
    fn taken_over(&mut self, values: &[Value]) -> Option<Place> {
        let Homes { held, now, depth, memory, .. } = &self.homes;
        let is_run = |held: &Held| held.values == values && held.last <= *now && held.depth == *depth;
        let at = held.iter().position(|held| is_run(held) && Some(held.place.slot) == *memory)?;
        let held = self.homes.held.swap_remove(at);
        self.forget_run(&held.values);
        Some(held.place)
    }

    /// Puts the runs of the next iteration in their places.
    pub(super) fn advance_runs(&mut self, l: &LoopData, carried: &CarriedRuns) -> Result<(), Unwritable> {
        let func = self.func;
        let results = &func.region(l.region).results;
        let place_of = |homes: &Homes, run: &CarriedRun| homes.place_of(&results[run.numbers.clone()]);
        let is_moved = |run: &&CarriedRun| place_of(&self.homes, run).as_ref() != Some(&run.place);
        let moved: Vec<&CarriedRun> = carried.runs.iter().filter(is_moved).collect();
        // Words that stand where a run goes are read before.
        let is_overwritten = |homes: &Homes, value: &Value| {
            let place = homes.of.get(value);
            let word_of = |run: &CarriedRun| place.and_then(|place| place.behind(&run.place));
            moved.iter().any(|run| word_of(run).is_some_and(|word| (0..run.numbers.len() as i64).contains(&word)))
        };
        for &value in moved.iter().flat_map(|run| &results[run.numbers.clone()]) {
            if is_overwritten(&self.homes, &value) {
                self.clean(value)?;
            }
        }
        for run in moved {
            self.put(&results[run.numbers.clone()], &run.place)?;
        }
        Ok(())
    }

    /// Ends a loop: the values of its last iteration are in the places of the runs.
    pub(super) fn leave_loop(&mut self, l: &LoopData, data: &InstData, carried: &CarriedRuns) {
        let depth = self.homes.depth;
        self.homes.wanted.retain(|wanted| wanted.depth < depth);
        let is_carried = |place: &Place| carried.runs.iter().any(|run| run.place == *place);
        while let Some(at) = self.homes.held.iter().position(|held| held.depth == depth) {
            let held = self.homes.held.swap_remove(at);
            held.values.iter().for_each(|value| drop(self.homes.of.remove(value)));
            if !is_carried(&held.place) {
                self.homes.free(&held.place);
            }
        }
        self.homes.read.clear();
        self.homes.depth -= 1;
        let params = &self.func.region(l.region).params;
        for CarriedRun { numbers, place, is_lent } in &carried.runs {
            params[numbers.clone()].iter().for_each(|value| drop(self.homes.of.remove(value)));
            let values = data.results[numbers.clone()].to_vec();
            self.homes.settle(&values, place);
            let last = if *is_lent { END } else { self.homes.lifetimes.last_of(&values) };
            self.homes.held.push(Held { values, place: place.clone(), last, depth: depth - 1 });
        }
    }
}

/// Which of some words are in runs, and which are single.
pub(super) fn split(runs: &[u32], count: usize) -> Split {
    if runs.iter().sum::<u32>() as usize != count {
        return Split { words: (0..count).collect(), runs: Vec::new() };
    }
    let mut split = Split::default();
    let mut at = 0;
    for length in runs.iter().map(|&length| length as usize) {
        match length {
            1 => split.words.push(at),
            _ => split.runs.push(at..at + length),
        }
        at += length;
    }
    split
}
