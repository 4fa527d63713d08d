//! Batch inversion: inverses that do not wait for one another come from one, by Montgomery's trick (Montgomery 1987,
//! section 10.3.1).
//!
//! The product of the elements d₁, d₂, … that are not 0 is inverted once. From the last element on, the inverse of dₖ
//! is the inverse of d₁ ⋯ dₖ times d₁ ⋯ dₖ₋₁, and the inverse of d₁ ⋯ dₖ₋₁ is the inverse of d₁ ⋯ dₖ times dₖ. An
//! element that is 0 takes part as 1, and its inverse is 0, so that no branch depends on which element it is. An
//! inverse in a loop that does not depend on the loop's other iterations is computed before the loop ([`loops`]).

mod loops;

use std::collections::HashSet;

use culet_ir::{FieldId, FieldKind, FieldOp, Func, Inst, Module, Op, RegionId, Type, Value, W1};

use crate::chain::Power;
use crate::inverse::{constant, power_of_inverse};

/// Multiplications that one more element of a batch costs, including two tests for 0; shorter powers are not shared.
const COST: u32 = 5;

/// Lets all inverses of one field that can be computed at one place share a power, in words of `word_bits` bits.
pub fn share_inverses(module: &mut Module, word_bits: u32) {
    let is_long = |kind: &FieldKind| Power::new(&power_of_inverse(kind)).multiplications() > COST;
    let bits: Vec<Option<u64>> =
        module.fields.iter().map(|field| is_long(&field.kind).then(|| field.kind.bits())).collect();
    for func in &mut module.funcs {
        let body = func.body;
        let mut batches = Batches { func, bits: &bits, word_bits };
        batches.hoist(body);
        for region in 0..batches.func.regions.len() {
            batches.share(RegionId(region as u32));
        }
        func.compact();
    }
}

struct Batches<'f> {
    func: &'f mut Func,
    /// For each field, the bits of its canonical forms, if its inverses are to be shared.
    bits: &'f [Option<u64>],
    word_bits: u32,
}

/// Inverses that share one inversion.
#[derive(Default)]
struct Group {
    field: Option<FieldId>,
    /// The instructions.
    inverses: Vec<Inst>,
    /// Instructions that wait for the inverses, in order.
    waiting: Vec<Inst>,
    /// Results of the inverses, and of the waiting instructions.
    late: HashSet<Value>,
}

impl Batches<'_> {
    /// The field in which an instruction inverts an element that is no constant, if the field's power is long.
    fn inverted(&self, inst: Inst) -> Option<FieldId> {
        let data = self.func.inst(inst);
        let Type::Field(field) = self.func.ty(*data.results.first()?) else { return None };
        let is_inverse = data.op == Op::Field(FieldOp::Inv) && constant(self.func, data.args[0]).is_none();
        (is_inverse && self.bits[field.index()].is_some()).then_some(field)
    }

    /// Groups the inverses of a region.
    fn share(&mut self, region: RegionId) {
        let insts = std::mem::take(&mut self.func.regions[region.index()].insts);
        let mut group = Group::default();
        self.each(region, insts, &mut group);
        while !group.inverses.is_empty() {
            self.end(region, &mut group);
        }
    }

    fn each(&mut self, region: RegionId, insts: Vec<Inst>, group: &mut Group) {
        for inst in insts {
            if self.waits(inst, group) {
                let data = self.func.inst(inst);
                if data.op.is_pure() {
                    group.late.extend(&data.results);
                    group.waiting.push(inst);
                    continue;
                }
                // An instruction with an effect stays after the instructions before it.
                while self.waits(inst, group) {
                    self.end(region, group);
                }
            } else if self.inverted(inst).is_some_and(|field| *group.field.get_or_insert(field) == field) {
                group.late.extend(&self.func.inst(inst).results);
                group.inverses.push(inst);
                continue;
            }
            self.func.region_mut(region).insts.push(inst);
        }
    }

    /// Whether an instruction, or one inside it if it is a loop, needs a value that a group makes.
    fn waits(&self, inst: Inst, group: &Group) -> bool {
        let is_late = |values: &[Value]| values.iter().any(|value| group.late.contains(value));
        let data = self.func.inst(inst);
        let Op::Loop(l) = &data.op else { return is_late(&data.args) };
        let mut waits = is_late(&data.args) || is_late(&self.func.region(l.region).results);
        self.func.walk_region(l.region, &mut Vec::new(), &mut |_, data, _| {
            waits |= is_late(&data.args);
            if let Op::Loop(inner) = &data.op {
                waits |= is_late(&self.func.region(inner.region).results);
            }
        });
        waits
    }

    /// Writes a group, and the instructions that waited, with which a new group may begin.
    fn end(&mut self, region: RegionId, group: &mut Group) {
        let Group { inverses, waiting, .. } = std::mem::take(group);
        if inverses.len() > 1 {
            self.write(region, &inverses);
        } else {
            self.func.region_mut(region).insts.extend(inverses);
        }
        self.each(region, waiting, group);
    }

    fn write(&mut self, region: RegionId, inverses: &[Inst]) {
        let ty = self.func.ty(self.func.result(inverses[0]));
        let constants = self.constants(region, ty);
        let mut members = Vec::new();
        for &inst in inverses {
            let (is_zero, factor) = self.factor(region, self.func.inst(inst).args[0], constants);
            let product = members.last().map_or(factor, |&(_, _, _, product)| self.product(region, product, factor));
            members.push((inst, is_zero, factor, product));
        }
        let whole = members[members.len() - 1].3;
        let mut inverse = self.func.append1(region, Op::Field(FieldOp::Inv), [whole], ty);
        for place in (0..members.len()).rev() {
            let (inst, is_zero, factor, _) = members[place];
            let mut own = inverse;
            if place > 0 {
                own = self.product(region, inverse, members[place - 1].3);
                inverse = self.product(region, inverse, factor);
            }
            let data = self.func.inst_mut(inst);
            data.op = Op::Field(FieldOp::Select);
            data.args = [is_zero, constants[0], own].into_iter().collect();
            self.func.region_mut(region).insts.push(inst);
        }
    }

    /// The constants 0 and 1.
    fn constants(&mut self, region: RegionId, ty: Type) -> [Value; 2] {
        [0u32, 1].map(|value| self.func.append1(region, Op::Field(FieldOp::Const(value.into())), [], ty))
    }

    fn product(&mut self, region: RegionId, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.func.append1(region, Op::Field(FieldOp::Mul), [a, b], ty)
    }

    /// Whether an element is 0, and the element, or 1 if it is.
    fn factor(&mut self, region: RegionId, element: Value, [_, one]: [Value; 2]) -> (Value, Value) {
        let ty = self.func.ty(element);
        let bits = ty.field().and_then(|field| self.bits[field.index()]).unwrap_or_default();
        let word = Type::Word(self.word_bits as u8);
        let types = vec![word; bits.div_ceil(self.word_bits.into()) as usize];
        let words = self.func.append(region, Op::Field(FieldOp::Unpack), [element], &types);
        let words = self.func.inst(words).results.clone();
        let mut any = words[0];
        for &other in &words[1..] {
            any = self.func.append1(region, Op::Or, [any, other], word);
        }
        let mut half = self.word_bits / 2;
        while half > 0 {
            let high = self.func.append1(region, Op::Shr(half as u8), [any], word);
            any = self.func.append1(region, Op::Or, [any, high], word);
            half /= 2;
        }
        let any = self.func.append1(region, Op::Extract(0), [any], W1);
        let is_zero = self.func.append1(region, Op::Not, [any], W1);
        let factor = self.func.append1(region, Op::Field(FieldOp::Select), [is_zero, one, element], ty);
        (is_zero, factor)
    }
}
