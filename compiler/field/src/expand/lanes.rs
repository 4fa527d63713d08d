//! Elements side by side: putting them into lanes, and taking them out again.

use culet_ir::{FieldOp, Inst, Op, Origin, Value};
use num_bigint::BigInt;

use super::{Expander, Frame, Held};
use crate::carries::Place;
use crate::interval::Interval;
use crate::machine::{Machine, Number};
use crate::representation::{Limbs, Representation};

impl Expander<'_> {
    /// Rearranges lanes, limb by limb.
    pub(super) fn arrange(&mut self, frame: &mut Frame<'_>, inst: Inst, op: &Op) {
        let data = frame.func.inst(inst);
        let packs = if *op == Op::Join { packs(frame, &data.args) } else { None };
        let mut limbs = match (packs, op) {
            (Some(packs), _) => self.packed(frame, &packs),
            (None, Op::Join) => self.side_by_side(data.args.iter().map(|&arg| frame.element(arg)).collect()),
            (None, Op::Lane(lane)) => {
                let limbs = frame.element(data.args[0]).iter().map(|limb| self.machine.lane(limb, *lane)).collect();
                match self.alone().side_by_side() {
                    Some(representation) => {
                        let alone = self.alone();
                        regrouped(&mut self.machine, representation, alone, limbs)
                    }
                    None => limbs,
                }
            }
            _ => {
                let elements: Vec<Limbs> = data.args.iter().map(|&arg| frame.element(arg)).collect();
                self.limb_by_limb(&elements, |machine, limbs| machine.arranged(op, limbs))
            }
        };
        self.carry(Place::Result(frame.id, inst), &mut limbs);
        frame.set(data.results[0], Held::Element(limbs));
        self.keep_stages(inst);
    }

    /// Puts elements side by side, each in its own lane.
    fn side_by_side(&mut self, mut elements: Vec<Limbs>) -> Limbs {
        let lanes = std::mem::replace(&mut self.machine.lanes, 1);
        if let Some(representation) = self.alone().side_by_side() {
            let alone = self.alone();
            elements =
                elements.into_iter().map(|limbs| regrouped(&mut self.machine, alone, representation, limbs)).collect();
        }
        self.machine.lanes = lanes;
        self.limb_by_limb(&elements, |machine, limbs| machine.join(&limbs.iter().copied().cloned().collect::<Limbs>()))
    }

    /// Applies `make` to the limbs of all elements at each place; empty if an element is not known.
    fn limb_by_limb(&mut self, elements: &[Limbs], make: impl Fn(&mut Machine, &[&Number]) -> Number) -> Limbs {
        let count = elements.iter().map(Vec::len).min().unwrap_or(0);
        let of = |index: usize| elements.iter().map(|element| &element[index]).collect::<Vec<&Number>>();
        (0..count).map(|index| make(&mut self.machine, &of(index))).collect()
    }

    /// Elements that are read from words, side by side: the words are put side by side, and limbs are taken from them.
    fn packed(&mut self, frame: &Frame<'_>, packs: &[Inst]) -> Limbs {
        let lanes = std::mem::replace(&mut self.machine.lanes, 1);
        let bits = frame.func.ty(frame.func.inst(packs[0]).args[0]).bits();
        let count = self.parts_of_word(bits);
        let words: Vec<Vec<Number>> = packs
            .iter()
            .map(|&inst| {
                let parts = frame.func.inst(inst).args.chunks(count as usize);
                parts.map(|parts| self.word_of(frame, parts, bits)).collect()
            })
            .collect();
        self.machine.lanes = lanes;
        let words = self.limb_by_limb(&words, |machine, words| {
            machine.join(&words.iter().copied().cloned().collect::<Vec<Number>>())
        });
        self.representation().pack(&mut self.machine, &words, bits * count)
    }

    /// Joins words of `bits` bits to one. More is known of it if some of them are constants or masked.
    pub(super) fn word_of(&mut self, frame: &Frame<'_>, parts: &[Value], bits: u32) -> Number {
        let known: Vec<(u64, u64)> = parts.iter().map(|&part| ends(frame, part, bits)).collect();
        let sum = |end: fn(&(u64, u64)) -> u64| -> BigInt {
            (0..).zip(&known).map(|(index, ends)| BigInt::from(end(ends)) << (bits * index)).sum()
        };
        let range = Interval { low: sum(|ends| ends.0), high: sum(|ends| ends.1) };
        if range.low == range.high {
            return self.machine.constant(&range.low);
        }
        let zeros = low_zeros(frame, parts, bits);
        // Words are masked together, so that C compilers see that parts of one are read.
        let masks: Vec<(Value, u64)> = parts.iter().map(|&part| unmasked(frame, part, bits)).collect();
        let mask = (0..).zip(&masks).map(|(index, (_, mask))| mask << (bits * index)).fold(0, |all, own| all | own);
        let parts: Vec<Option<Value>> = masks.iter().map(|&(part, _)| frame.word(part)).collect();
        let joined = self.machine.join_words(&parts, bits);
        let word = self.machine.masked(&joined, mask);
        self.machine.given(range, word.word()).with_zeros(zeros)
    }
}

/// The value that a constant masks, and the mask; the word itself if it is not masked.
fn unmasked(frame: &Frame<'_>, value: Value, bits: u32) -> (Value, u64) {
    let plain = (value, u64::MAX >> (64 - bits));
    let Origin::Result(inst, _) = frame.func.value(value).origin else { return plain };
    let data = frame.func.inst(inst);
    let constant = |value: Value| match frame.func.value(value).origin {
        Origin::Result(inst, _) => match &frame.func.inst(inst).op {
            Op::Const(words) => words.first().copied(),
            _ => None,
        },
        Origin::Param(..) => None,
    };
    match (&data.op, &data.args[..]) {
        (Op::And, &[a, b]) => match (constant(a), constant(b)) {
            (None, Some(mask)) => (a, mask),
            (Some(mask), None) => (b, mask),
            _ => plain,
        },
        _ => plain,
    }
}

/// The least and the greatest value of a word of the function on elements: a constant has one value, and a mask bounds
/// its word.
fn ends(frame: &Frame<'_>, value: Value, bits: u32) -> (u64, u64) {
    let all = (0, u64::MAX >> (64 - bits));
    let Origin::Result(inst, _) = frame.func.value(value).origin else { return all };
    let data = frame.func.inst(inst);
    match &data.op {
        Op::Const(words) => words.first().map_or(all, |&word| (word, word)),
        Op::And => (0, data.args.iter().map(|&arg| ends(frame, arg, bits).1).min().unwrap_or(all.1)),
        _ => all,
    }
}

/// Number of low bits that are 0 in joined words of `bits` bits: bits of constants, and bits that constants mask.
fn low_zeros(frame: &Frame<'_>, parts: &[Value], bits: u32) -> u32 {
    let mut zeros = 0;
    for &part in parts {
        let own = zeros_of(frame, part, bits);
        zeros += own;
        if own < bits {
            break;
        }
    }
    zeros
}

fn zeros_of(frame: &Frame<'_>, value: Value, bits: u32) -> u32 {
    let Origin::Result(inst, _) = frame.func.value(value).origin else { return 0 };
    let data = frame.func.inst(inst);
    match &data.op {
        Op::Const(words) => words.first().map_or(0, |word| word.trailing_zeros().min(bits)),
        Op::And => data.args.iter().map(|&arg| zeros_of(frame, arg, bits)).max().unwrap_or(0),
        _ => 0,
    }
}

/// The instructions that read these elements from words, if all are read so and from as many words.
fn packs(frame: &Frame<'_>, elements: &[Value]) -> Option<Vec<Inst>> {
    let pack = |&value: &Value| match frame.func.value(value).origin {
        Origin::Result(inst, _) if frame.func.inst(inst).op == Op::Field(FieldOp::Pack) => Some(inst),
        _ => None,
    };
    let packs: Vec<Inst> = elements.iter().map(pack).collect::<Option<_>>()?;
    let shape = |inst: &Inst| {
        let args = &frame.func.inst(*inst).args;
        (args.len(), frame.func.ty(args[0]))
    };
    packs.iter().all(|inst| shape(inst) == shape(&packs[0])).then_some(packs)
}

/// The number in limbs of another representation, cut where the limbs of that one begin.
fn regrouped(m: &mut Machine, from: &dyn Representation, to: &dyn Representation, limbs: Limbs) -> Limbs {
    let positions = |representation: &dyn Representation| {
        (0..representation.words()).map(|index| representation.position(index)).collect::<Vec<u32>>()
    };
    let (old, new) = (positions(from), positions(to));
    if old == new {
        return limbs;
    }
    let mut columns = vec![Limbs::new(); new.len()];
    for (limb, &position) in limbs.iter().zip(&old) {
        let (mut rest, mut position) = (limb.clone(), position);
        while !rest.range.is_zero() {
            let index = new.iter().rposition(|&begin| begin <= position).unwrap_or(0);
            let own = match new.get(index + 1) {
                Some(end) => m.low_bits(&rest, end - position),
                None => rest.clone(),
            };
            columns[index].push(m.times(&own, &(BigInt::from(1) << (position - new[index]))));
            let Some(&end) = new.get(index + 1) else { break };
            rest = m.shr(&rest, end - position);
            position = end;
        }
    }
    to.summed(m, &columns)
}
