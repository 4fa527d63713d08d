//! Loops: the bounds that their carried values keep, and their words.

use culet_ir::{Inst, LoopData, RegionId, Value};

use super::{Expander, Frame, Held, ROUNDS, widened};
use crate::interval::Interval;
use crate::machine::Number;
use crate::representation::Representation;

impl Expander<'_> {
    pub(super) fn loop_(&mut self, frame: &mut Frame<'_>, inst: Inst, l: &LoopData) {
        let data = frame.func.inst(inst);
        let region = frame.func.region(l.region);
        let inits: Vec<Held> = data.args.iter().map(|arg| frame.values[arg.index()].clone()).collect();
        let carried = self.fixpoint(frame, l, &inits);
        if self.machine.is_over() {
            return;
        }
        let around = self.begin_loop(frame, l, &inits, &carried);
        // Where nothing is written, the values are those of the last round.
        if self.machine.builder.is_some() {
            self.region(frame, l.region);
        }
        let next: Vec<Held> = region.results.iter().map(|result| frame.values[result.index()].clone()).collect();
        self.end_loop(frame, inst, around, &next, &carried);
    }

    /// Bounds of the limbs of carried values in any iteration. The last round counts its carries of two words twice,
    /// for the iteration that is written.
    fn fixpoint(&mut self, frame: &mut Frame<'_>, l: &LoopData, inits: &[Held]) -> Vec<Held> {
        let builder = self.machine.builder.take();
        let region = frame.func.region(l.region);
        let mut carried: Vec<Held> = inits.iter().map(|held| self.unwritten(held)).collect();
        for round in 0..ROUNDS {
            for (&param, held) in region.params.iter().zip(&carried) {
                frame.set(param, held.clone());
            }
            let wide_before = self.machine.wide_carries;
            self.region(frame, l.region);
            let next: Vec<Held> = region.results.iter().map(|result| frame.values[result.index()].clone()).collect();
            let pairs = region.params.iter().zip(carried.iter().zip(&next));
            let joined: Vec<Held> = pairs
                .map(|(&param, (old, new))| self.joined(self.representation_of(frame.func.ty(param)), old, new, round))
                .collect();
            let is_stable = carried.iter().zip(&joined).all(|(old, new)| same_bounds(old, new));
            carried = joined;
            if is_stable || self.machine.failure.is_some() {
                if builder.is_none() {
                    self.machine.wide_carries += self.machine.wide_carries - wide_before;
                }
                break;
            }
            if round + 1 == ROUNDS {
                self.machine.fail("the bounds of a loop never settle", &Interval::point(0));
            }
        }
        self.machine.builder = builder;
        carried
    }

    fn unwritten(&self, held: &Held) -> Held {
        match held {
            Held::Element(limbs) => {
                Held::Element(limbs.iter().map(|limb| self.machine.given(limb.range.clone(), None)).collect())
            }
            Held::Word(_) => Held::Word(None),
        }
    }

    fn joined(&self, representation: &dyn Representation, old: &Held, new: &Held, round: u32) -> Held {
        let (Held::Element(old), Held::Element(new)) = (old, new) else { return Held::Word(None) };
        let join = |(index, (old, new)): (u32, (&Number, &Number))| {
            let hull = old.range.hull(&new.range);
            let is_wider = hull != old.range;
            self.machine.given(if is_wider { widened(representation, index, hull, round) } else { hull }, None)
        };
        Held::Element((0..).zip(old.iter().zip(new)).map(join).collect())
    }

    fn begin_loop(
        &mut self,
        frame: &mut Frame<'_>,
        l: &LoopData,
        inits: &[Held],
        carried: &[Held],
    ) -> Option<(Inst, RegionId)> {
        let params = &frame.func.region(l.region).params;
        let words: Option<Vec<Value>> = self.flat(inits).into_iter().collect();
        let begun = match (&mut self.machine.builder, words) {
            (Some(builder), Some(words)) => Some(builder.begin_loop(l, &words)),
            _ => None,
        };
        let mut written = match (&begun, &self.machine.builder) {
            (Some(_), Some(builder)) => builder.func.region(builder.region).params.clone(),
            _ => Vec::new(),
        }
        .into_iter();
        for (&param, held) in params.iter().zip(carried) {
            let held = match held {
                Held::Element(limbs) => Held::Element(
                    limbs.iter().map(|limb| self.machine.given(limb.range.clone(), written.next())).collect(),
                ),
                Held::Word(_) => Held::Word(written.next()),
            };
            frame.set(param, held);
        }
        begun
    }

    fn end_loop(
        &mut self,
        frame: &mut Frame<'_>,
        inst: Inst,
        begun: Option<(Inst, RegionId)>,
        next: &[Held],
        carried: &[Held],
    ) {
        let words: Option<Vec<Value>> = self.flat(next).into_iter().collect();
        let mut written = Vec::new().into_iter();
        if let (Some(builder), Some((new, around)), Some(words)) = (&mut self.machine.builder, begun, words) {
            builder.end_loop(around, words);
            let results: Vec<Value> = builder.func.inst(new).results.iter().copied().collect();
            written = results.into_iter();
        }
        for (&result, held) in frame.func.inst(inst).results.iter().zip(carried) {
            let held = match held {
                Held::Element(limbs) => Held::Element(
                    limbs.iter().map(|limb| self.machine.given(limb.range.clone(), written.next())).collect(),
                ),
                Held::Word(_) => Held::Word(written.next()),
            };
            frame.set(result, held);
        }
    }

    /// The words of several values, one after another.
    fn flat(&mut self, held: &[Held]) -> Vec<Option<Value>> {
        let mut words = Vec::new();
        for held in held {
            match held {
                Held::Element(limbs) => words.extend(limbs.iter().map(|limb| self.machine.value(limb))),
                Held::Word(word) => words.push(*word),
            }
        }
        words
    }
}

fn same_bounds(a: &Held, b: &Held) -> bool {
    match (a, b) {
        (Held::Element(a), Held::Element(b)) => a.iter().zip(b).all(|(a, b)| a.range == b.range),
        _ => true,
    }
}
