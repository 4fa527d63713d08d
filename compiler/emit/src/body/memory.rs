//! Elements of slots: the kernel's arrays, local arrays and tables.

use culet_ir::{Index, Slot, SlotKind, Type, Value, W1};
use culet_types::program::CounterId;

use super::Writer;
use crate::expr::Expr;
use crate::machine::Words;
use crate::words::WordOp;

impl Writer<'_, '_> {
    fn element(&self, slot: Slot, index: &Index) -> Expr {
        let (name, offset) = &self.slots[slot.index()];
        let data = self.func.slot(slot);
        if let (Some(lanes), SlotKind::Input { .. } | SlotKind::Output) = (self.in_planes(data.element), &data.kind) {
            let scale = |x: i64| x * i64::from(lanes);
            let terms = index.terms.iter().map(|&(counter, factor)| (counter, scale(factor))).collect();
            let first = Index { constant: scale(index.constant), terms };
            return Expr::primary(format!("&{name}[{}]", index_text(&first, *offset, &self.reach)));
        }
        Expr::primary(format!("{name}[{}]", index_text(index, *offset, &self.reach)))
    }

    pub(super) fn load(&mut self, slot: Slot, index: &Index) -> Expr {
        let data = self.func.slot(slot);
        let element = self.element(slot, index);
        match (&data.kind, data.element) {
            (SlotKind::Constants(values), ty) => {
                let constant = index.terms.is_empty().then(|| values.get(index.constant as usize)).flatten();
                match constant {
                    Some(&value) => Expr::primary(self.constant(ty, &[value])),
                    None => self.broadcast(ty, &element),
                }
            }
            (SlotKind::Input { .. } | SlotKind::Output, Type::Vector { lanes, .. }) if self.machine.planes => {
                self.planes(u32::from(lanes)).load(&element.text)
            }
            (SlotKind::Input { .. } | SlotKind::Output, Type::Word(bits)) => self.loaded(element, u32::from(bits)),
            _ => element,
        }
    }

    /// A register of the kernel's arrays as a value: bits become masks, and only the word's own bits count.
    fn loaded(&mut self, element: Expr, bits: u32) -> Expr {
        let lane = self.machine.lane_bits;
        if bits == lane {
            return element;
        }
        let ty = Type::Word(bits as u8);
        if bits > 1 {
            let (ctype, register) = (self.machine.ctype(ty), self.machine.register());
            let element = if ctype == register { element } else { Expr::cast(&ctype, &element) };
            return if self.is_full(ty) && ctype != register {
                element
            } else {
                Expr::binary(&element, "&", &self.mask(bits))
            };
        }
        let one = Expr::primary(self.splat(lane, 1));
        let bit = Expr::binary(&element, "&", &one);
        let zero = Expr::primary(self.splat(lane, 0));
        self.lane(WordOp::Sub, lane, &[&zero, &bit]).unwrap_or(element)
    }

    /// An element of a table in every lane.
    fn broadcast(&self, ty: Type, element: &Expr) -> Expr {
        let machine = self.machine;
        let lane = machine.lane_bits;
        if ty == W1 {
            return match machine.is_vector() {
                true => Expr::primary(machine.isa().broadcast_bit(&element.operand())),
                false => Expr::cast(
                    machine.register(),
                    &Expr::compound(format!("0 - ({}){}", machine.register(), element.text)),
                ),
            };
        }
        match machine.words() {
            Words::Vector => Expr::primary(machine.isa().broadcast(lane, &element.operand())),
            Words::Packed => Expr::binary(element, "*", &Expr::primary(machine.splat(lane, 1))),
            Words::Scalar | Words::None => element.clone(),
        }
    }

    pub(super) fn store(&mut self, slot: Slot, index: &Index, value: Value) {
        let data = self.func.slot(slot);
        let mut expr = self.take(value);
        self.flush();
        if data.kind == SlotKind::Output && data.element == W1 && self.machine.lane_bits > 1 {
            expr = Expr::binary(&expr, "&", &Expr::primary(self.splat(self.machine.lane_bits, 1)));
        }
        let element = self.element(slot, index);
        let statement = match (self.in_planes(data.element), &data.kind) {
            (Some(lanes), SlotKind::Output) => self.planes(lanes).store(&element.text, &expr),
            _ => format!("{} = {};", element.text, expr.text),
        };
        self.line(&statement);
    }
}

/// The index plus `offset`, as text. Sums that might leave `int` are computed in 64 bits.
fn index_text(index: &Index, offset: i64, reach: &[i64]) -> String {
    let mut text = String::new();
    let constant = index.constant + offset;
    let bound =
        |&(counter, factor): &(CounterId, i64)| i128::from(factor).abs() * i128::from(reach[counter.0 as usize]);
    let wide = index.terms.iter().map(bound).sum::<i128>() + i128::from(constant).abs() > i128::from(i32::MAX);
    for &(counter, factor) in &index.terms {
        let cast = if wide { "(int64_t)" } else { "" };
        text.push_str(match (text.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        match factor.unsigned_abs() {
            1 => text.push_str(&format!("{cast}i{}", counter.0)),
            factor => text.push_str(&format!("{factor} * {cast}i{}", counter.0)),
        }
    }
    match constant {
        _ if text.is_empty() => constant.to_string(),
        0 => text,
        constant if constant < 0 => format!("{text} - {}", -constant),
        constant => format!("{text} + {constant}"),
    }
}
