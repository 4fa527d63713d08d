//! The form of a fold: dependencies within an iteration, and its factors and summand.

use culet_ir::rewrite::{Builder, Copier};
use culet_ir::{Func, Index, Inst, Iterations, LoopData, Op, Origin, Over, Slot, SlotKind, Type, Value, Which};

use super::ring::{Factor, Linear, Ring};

/// A fold over whole blocks, whose iteration is h → (h·a + c)·b.
pub(super) struct Fold<'f> {
    func: &'f Func,
    pub data: &'f LoopData,
    stream: Slot,
    pub block: u32,
    pub ring: Ring,
    /// h.
    carried: Value,
    /// h·a + c.
    inner: Value,
    /// Dependencies by the numbers of values; values of other regions are the same in every iteration.
    kinds: Vec<Kind>,
}

/// Dependency of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The value is the same in every iteration.
    Constant,
    /// The value depends on the block.
    Varying,
    /// The value depends on the carried value, in an affine way.
    Affine,
}

/// The factors of an iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// a
    pub before: Factor,
    /// b
    pub after: Factor,
}

impl<'f> Fold<'f> {
    /// The fold of a loop; none if the loop has another form.
    pub fn of(func: &'f Func, data: &'f LoopData) -> Option<Fold<'f>> {
        let Some(Over::Whole { stream, block, which: Which { beyond: 0, iterations: Iterations::All } }) = data.over
        else {
            return None;
        };
        let region = func.region(data.region);
        let ([carried], [result]) = (&region.params[..], &region.results[..]) else { return None };
        let ty = func.ty(*carried);
        if !matches!(ty, Type::Field(_) | Type::Word(_)) {
            return None;
        }
        let kinds = vec![Kind::Constant; func.values.len()];
        let mut fold = Fold { func, data, stream, block, ring: Ring { ty }, carried: *carried, inner: *result, kinds };
        fold.kinds[carried.index()] = Kind::Affine;
        for &inst in &region.insts {
            let kind = fold.kind_of(inst)?;
            for result in &func.inst(inst).results {
                fold.kinds[result.index()] = kind;
            }
        }
        if fold.kind(*result) != Kind::Affine {
            return None;
        }
        while let Some((operand, _, _)) = fold.last_product(fold.inner) {
            fold.inner = operand;
        }
        Some(fold)
    }

    fn kind(&self, value: Value) -> Kind {
        self.kinds[value.index()]
    }

    /// The dependency of an instruction's results; none if it is not known, or the results are not affine.
    fn kind_of(&self, inst: Inst) -> Option<Kind> {
        let data = self.func.inst(inst);
        match &data.op {
            Op::Load { slot, .. } if *slot == self.stream => return Some(Kind::Varying),
            Op::Load { index, .. } if !index.terms.is_empty() => return None,
            Op::Load { slot, .. } => {
                let is_only_read =
                    matches!(self.func.slot(*slot).kind, SlotKind::Input { .. } | SlotKind::Constants(_));
                return is_only_read.then_some(Kind::Constant);
            }
            op if !op.is_pure() => return None,
            _ => {}
        }
        let kinds: Vec<Kind> = data.args.iter().map(|&arg| self.kind(arg)).collect();
        let most = kinds.iter().copied().max().unwrap_or(Kind::Constant);
        if most != Kind::Affine {
            return Some(most);
        }
        let is_of_ring = self.func.ty(data.results[0]) == self.ring.ty;
        let is_affine = match Linear::of(&data.op)? {
            Linear::Add | Linear::Sub | Linear::Neg | Linear::MulC(_) => true,
            Linear::Mul => kinds.contains(&Kind::Constant),
            Linear::Select => kinds[0] == Kind::Constant,
        };
        (is_of_ring && is_affine).then_some(Kind::Affine)
    }

    /// The loop's stream in blocks of another length.
    pub fn over(&self, block: u32, which: Which) -> Over {
        Over::Whole { stream: self.stream, block, which }
    }

    /// The loop's stream if it has no block of this length.
    pub fn short(&self, block: u32) -> Over {
        Over::Short { stream: self.stream, block }
    }

    /// The affine operand, the operation and the other operand of a product that is in the loop.
    fn last_product(&self, value: Value) -> Option<(Value, Linear, Option<Value>)> {
        let Origin::Result(inst, _) = self.func.value(value).origin else { return None };
        let data = self.func.inst(inst);
        let op = Linear::of(&data.op).filter(|_| self.kind(value) == Kind::Affine)?;
        match (op, &data.args[..]) {
            (Linear::Neg | Linear::MulC(_), &[a]) => Some((a, op, None)),
            (Linear::Mul, &[a, b]) if self.kind(a) == Kind::Affine => Some((a, op, Some(b))),
            (Linear::Mul, &[a, b]) => Some((b, op, Some(a))),
            _ => None,
        }
    }

    fn insts(&self) -> &'f [Inst] {
        &self.func.region(self.data.region).insts
    }

    /// Writes the values that are the same in every iteration, for the copier to know, and returns the factors.
    pub fn form(&self, copier: &mut Copier<'_>, to: &mut Builder) -> Form {
        let mut factors = vec![Factor::Zero; self.func.values.len()];
        factors[self.carried.index()] = Factor::One;
        for &inst in self.insts() {
            let data = self.func.inst(inst);
            let Some(&result) = data.results.first() else { continue };
            match (self.kind(result), Linear::of(&data.op)) {
                (Kind::Constant, _) => {
                    copier.keep(to, inst);
                }
                (Kind::Affine, Some(op)) => factors[result.index()] = self.factor(copier, to, &data.args, op, &factors),
                _ => {}
            }
        }
        let mut after = Factor::One;
        let mut value = self.func.region(self.data.region).results[0];
        while let Some((operand, op, other)) = self.last_product(value) {
            after = match other {
                Some(other) => after.times(&self.ring, to, Factor::Value(copier.value(other))),
                None => after.apply(&self.ring, to, op, Factor::Zero),
            };
            value = operand;
        }
        Form { before: factors[self.inner.index()], after }
    }

    /// The factor of the carried value in a result.
    fn factor(&self, copier: &Copier<'_>, to: &mut Builder, args: &[Value], op: Linear, factors: &[Factor]) -> Factor {
        let of = |value: &Value| factors[value.index()];
        match (op, args) {
            (Linear::Mul, [a, b]) if self.kind(*a) == Kind::Affine => {
                of(a).times(&self.ring, to, Factor::Value(copier.value(*b)))
            }
            (Linear::Mul, [a, b]) => of(b).times(&self.ring, to, Factor::Value(copier.value(*a))),
            (Linear::Select, [condition, then, otherwise]) => {
                let values = [of(then), of(otherwise)].map(|factor| Some(self.ring.materialise(to, factor)));
                Factor::Value(self.ring.choice(to, copier.value(*condition), values[0], values[1]))
            }
            (Linear::Add, [a, b]) if of(a) == Factor::Zero => of(b),
            (Linear::Add | Linear::Sub, [a, b]) if of(b) == Factor::Zero => of(a),
            (_, [a, ..]) => of(a).apply(&self.ring, to, op, args.get(1).map_or(Factor::Zero, of)),
            (_, []) => Factor::Zero,
        }
    }

    /// The summands c of the first `lanes` blocks of a group of `group` blocks; the newest counter is the number of the
    /// group.
    pub fn summands(&self, copier: &Copier<'_>, to: &mut Builder, lanes: u32, group: u32) -> Vec<Value> {
        (0..lanes).map(|lane| self.summand(copier.clone(), to, lane, group)).collect()
    }

    fn summand(&self, mut copier: Copier<'_>, to: &mut Builder, lane: u32, group: u32) -> Value {
        let counter = to.newest_counter();
        let (stride, start) = (i64::from(self.block * group), i64::from(self.block * lane));
        // The summand beside the carried value's multiple; none for zero.
        let mut rest: Vec<Option<Value>> = vec![None; self.func.values.len()];
        for &inst in self.insts() {
            let data = self.func.inst(inst);
            let Some(&result) = data.results.first() else { continue };
            match (self.kind(result), &data.op) {
                (Kind::Varying, Op::Load { slot, index }) if *slot == self.stream => {
                    let index = Index { constant: index.constant + start, terms: vec![(counter, stride)] };
                    let loaded = to.emit1(Op::Load { slot: copier.slot(*slot), index }, [], self.func.ty(result));
                    copier.set(result, loaded);
                }
                (Kind::Varying, _) => {
                    copier.keep(to, inst);
                }
                (Kind::Affine, op) => {
                    let args: Vec<Option<Value>> = data
                        .args
                        .iter()
                        .map(|&arg| match self.kind(arg) {
                            Kind::Affine => rest[arg.index()],
                            _ => Some(copier.value(arg)),
                        })
                        .collect();
                    rest[result.index()] = match (Linear::of(op), &args[..]) {
                        (Some(Linear::Select), &[Some(condition), then, otherwise]) => {
                            Some(self.ring.choice(to, condition, then, otherwise))
                        }
                        (Some(op), args) => {
                            let operand = |index: usize| args.get(index).copied().flatten();
                            self.ring.applied(to, op, operand(0), operand(1))
                        }
                        (None, _) => None,
                    };
                }
                (Kind::Constant, _) => {}
            }
            if result == self.inner {
                break;
            }
        }
        self.ring.sum(to, rest[self.inner.index()], None)
    }
}
