//! Where functions meet: parameters, results and calls. Every element that goes into a function or comes out of one is
//! [tight](crate::representation::Representation::tight), so that each function is planned by itself.

use culet_ir::{FuncId, Inst, Op, Type, Value};

use super::{Expander, Frame, Held, words_of};
use crate::carries::Place;
use crate::interval::Interval;
use crate::representation::Limbs;

impl<'m> Expander<'m> {
    /// Receives the parameters.
    pub(super) fn enter(&mut self, frame: &mut Frame<'m>) {
        let params = &frame.func.region(frame.func.body).params;
        let written = self.machine.builder.as_ref().map(|to| to.func.region(to.func.body).params.clone());
        self.receive(frame, params, written);
    }

    /// Returns the results.
    pub(super) fn leave(&mut self, frame: &mut Frame<'m>) {
        let results = &frame.func.region(frame.func.body).results;
        let mut words = Vec::new();
        for (index, &result) in (0..).zip(results) {
            match frame.func.ty(result) {
                Type::Field(field) => {
                    self.field = field;
                    self.machine.place = format!("fn {}, result {}", frame.func.name, index + 1);
                    let mut limbs = frame.element(result);
                    self.carry(Place::Return(frame.id, index), &mut limbs);
                    words.extend(self.crossing(&limbs));
                }
                _ => words.push(frame.word(result)),
            }
        }
        if let (Some(builder), Some(words)) = (&mut self.machine.builder, words.into_iter().collect()) {
            let body = builder.func.body;
            builder.func.region_mut(body).results = words;
        }
    }

    /// Calls a function, which is written by itself.
    pub(super) fn call(&mut self, frame: &mut Frame<'_>, inst: Inst, callee: FuncId) {
        let data = frame.func.inst(inst);
        let mut words = Vec::new();
        for (index, &arg) in (0..).zip(&data.args) {
            match frame.func.ty(arg) {
                Type::Field(field) => {
                    self.field = field;
                    let name = &self.module.func(callee).name;
                    self.machine.place = format!("fn {}, parameter {} of `{name}`", frame.func.name, index + 1);
                    let limbs = self.operand(frame, inst, index);
                    words.extend(self.crossing(&limbs));
                }
                _ => words.push(frame.word(arg)),
            }
        }
        self.machine.stages.clear();
        let types = data.results.iter().flat_map(|&result| words_of(frame.func.ty(result), self.representation));
        let types: Vec<Type> = types.collect();
        let words: Option<Vec<Value>> = words.into_iter().collect();
        let written = self.machine.builder.as_mut().zip(words).map(|(builder, words)| {
            let call = builder.emit(Op::Call(callee), words, &types);
            builder.func.inst(call).results.to_vec()
        });
        self.receive(frame, &data.results, written);
    }

    /// Gives values the words that hold them, if they are written.
    fn receive(&mut self, frame: &mut Frame<'_>, values: &[Value], written: Option<Vec<Value>>) {
        let mut written = written.unwrap_or_default().into_iter();
        for &value in values {
            let held = match frame.func.ty(value) {
                Type::Field(field) => {
                    self.field = field;
                    let bounds = self.tight();
                    Held::Element(
                        bounds.iter().map(|range| self.machine.given(range.clone(), written.next())).collect(),
                    )
                }
                _ => Held::Word(written.next()),
            };
            frame.set(value, held);
        }
    }

    /// The words of an element that goes into a function or comes out of one.
    fn crossing(&mut self, limbs: &Limbs) -> Vec<Option<Value>> {
        let bounds = self.tight();
        for (limb, bound) in limbs.iter().zip(&bounds) {
            if !limb.range.within(bound) {
                self.machine.fail(format!("elements between functions are {bound}"), &limb.range);
            }
        }
        limbs.iter().map(|limb| self.machine.value(limb)).collect()
    }

    fn tight(&self) -> Vec<Interval> {
        let known = self.memory.map_or(&self.tight, |memory| &memory.tight);
        known.borrow_mut().entry(self.field).or_insert_with(|| self.alone().tight()).clone()
    }
}
