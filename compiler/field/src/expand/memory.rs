//! Results that trials of several plans share, so that each is computed once.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use culet_ir::{FieldId, Func, FuncId, Inst};

use super::tables::Tables;
use super::{Expander, Frame, Held};
use crate::carries::Place;
use crate::interval::Interval;
use crate::representation::{Limbs, Representation};

/// Of each operation so many different results are remembered: those of the rounds of one trial.
const RESULTS: usize = 16;

/// Results shared by plans that differ in few carries.
#[derive(Default)]
pub struct Memory {
    /// What products of limbs with given bounds come to, by the lanes of the operands.
    pub(super) products: RefCell<HashMap<Sum, (Limbs, u32)>>,
    operations: RefCell<HashMap<(FuncId, Inst), VecDeque<Known>>>,
    tables: RefCell<BTreeMap<FuncId, Rc<Tables>>>,
    /// Bounds of elements that go into functions or come out of them.
    pub(super) tight: Tight,
}

/// By field, the bounds of elements that go into functions or come out of them, once they are asked for.
pub(super) type Tight = RefCell<BTreeMap<FieldId, Vec<Interval>>>;

/// A sum of products, by the field and the lanes of its operands.
pub(super) type Sum = (FieldId, u8, Vec<Factors>);

/// A product: its sign, and what is known of its factors' limbs, of one factor if it is a square.
pub(super) type Factors = (bool, Vec<(Interval, u32)>, Option<Vec<(Interval, u32)>>);

/// An operation's operands, the carries of its places, its result after these, and how many carries took two words.
struct Known {
    operands: Vec<Limbs>,
    chains: Vec<Vec<u32>>,
    result: Limbs,
    wide_carries: u32,
}

impl Memory {
    /// The tables of a function.
    pub(super) fn tables(&self, id: FuncId, func: &Func, representation: &dyn Representation) -> Rc<Tables> {
        let mut tables = self.tables.borrow_mut();
        Rc::clone(tables.entry(id).or_insert_with(|| Rc::new(Tables::of(func, representation))))
    }
}

impl Expander<'_> {
    /// The limbs of an operation's result, which are computed unless a plan was tried that had the same operands and carries there.
    pub(super) fn remembered(
        &mut self,
        frame: &Frame<'_>,
        inst: Inst,
        compute: impl FnOnce(&mut Self) -> Limbs,
    ) -> Limbs {
        let Some(memory) = self.memory.filter(|_| self.machine.failure.is_none()) else { return compute(self) };
        let place = (frame.id, inst);
        if let Some(known) = memory.operations.borrow().get(&place).and_then(|known| self.find(frame, inst, known)) {
            self.machine.wide_carries += known.wide_carries;
            return known.result.clone();
        }
        let before = self.machine.wide_carries;
        let result = compute(self);
        if self.machine.failure.is_none() {
            let args = &frame.func.inst(inst).args;
            let known = Known {
                operands: args.iter().map(|&arg| frame.element(arg)).collect(),
                chains: self.chains(frame, inst).map(<[u32]>::to_vec).collect(),
                result: result.clone(),
                wide_carries: self.machine.wide_carries - before,
            };
            let mut operations = memory.operations.borrow_mut();
            let all = operations.entry(place).or_default();
            all.truncate(RESULTS - 1);
            all.push_front(known);
        }
        result
    }

    fn find<'k>(&self, frame: &Frame<'_>, inst: Inst, known: &'k VecDeque<Known>) -> Option<&'k Known> {
        let args = &frame.func.inst(inst).args;
        let chains: Vec<&[u32]> = self.chains(frame, inst).collect();
        let has_same_operands = |known: &Known| {
            args.iter().zip(&known.operands).all(|(arg, known)| match &frame.values[arg.index()] {
                Held::Element(limbs) => are_same(limbs, known),
                Held::Word(_) => true,
            })
        };
        known.iter().find(|known| known.chains == chains && has_same_operands(known))
    }

    /// The carries of an operation's operands and of its result.
    fn chains(&self, frame: &Frame<'_>, inst: Inst) -> impl Iterator<Item = &[u32]> {
        let operands = 0..frame.func.inst(inst).args.len() as u32;
        let places = operands.map(move |index| Place::Operand(frame.id, inst, index));
        let places = places.chain([Place::Result(frame.id, inst)]);
        places.map(|place| self.plan.chain(place).unwrap_or_default())
    }
}

fn are_same(a: &Limbs, b: &Limbs) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.zeros == b.zeros && a.range == b.range)
}
