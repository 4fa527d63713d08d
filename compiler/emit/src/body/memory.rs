//! Elements of slots: the kernel's arrays, local arrays and tables.

use culet_ir::{Index, Slot, SlotKind, Type, Value, W1};
use culet_types::program::CounterId;

use super::Writer;
use crate::expr::Expr;
use crate::language::Language;
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
            let index = self.index_text(&first, *offset);
            return Expr::primary(match self.machine.language {
                Language::C => format!("&{name}[{index}]"),
                Language::Rust => format!("{name}, {index}"),
            });
        }
        Expr::primary(format!("{name}[{}]", self.index_text(index, *offset)))
    }

    fn index_text(&self, index: &Index, offset: i64) -> String {
        match self.machine.language {
            Language::C => index_in_c(index, offset, &self.reach),
            Language::Rust => index_in_rust(index, offset, &self.is_signed),
        }
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
            let element = if ctype == register { element } else { self.machine.language.cast(&ctype, &element) };
            return if self.is_full(ty) && ctype != register {
                element
            } else {
                self.machine.binary(&element, "&", &self.mask(bits))
            };
        }
        let one = Expr::primary(self.splat(lane, 1));
        let bit = self.machine.binary(&element, "&", &one);
        if self.machine.language.is_rust() && self.machine.words() == Words::Scalar {
            return self.negative(&bit);
        }
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
                false => self.negative(&Expr::primary(machine.language.cast(machine.register(), element).text)),
            };
        }
        match machine.words() {
            Words::Vector => Expr::primary(machine.isa().broadcast(lane, &element.operand())),
            Words::Packed => {
                let word = machine.language.choose(element.clone(), machine.language.cast(machine.register(), element));
                machine.language.arithmetic(&word, "*", &Expr::primary(machine.splat(lane, 1)))
            }
            Words::Scalar | Words::None => element.clone(),
        }
    }

    pub(super) fn store(&mut self, slot: Slot, index: &Index, value: Value) {
        let data = self.func.slot(slot);
        let mut expr = self.take(value);
        self.flush();
        if data.kind == SlotKind::Output && data.element == W1 && self.machine.lane_bits > 1 {
            expr = self.machine.binary(&expr, "&", &Expr::primary(self.splat(self.machine.lane_bits, 1)));
        }
        let (ctype, register) = (self.machine.ctype(data.element), self.machine.register());
        let is_register = self.in_planes(data.element).is_some() || ctype == register;
        if self.machine.language.is_rust() && data.kind == SlotKind::Output && !is_register {
            expr = self.machine.language.cast(register, &expr);
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
fn index_in_c(index: &Index, offset: i64, reach: &[i64]) -> String {
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

/// The index plus `offset` in Rust: what is added comes first, so that nothing on the way is below zero. Where a counter is,
/// the sum is of signed words.
fn index_in_rust(index: &Index, offset: i64, is_signed: &[bool]) -> String {
    let constant = index.constant + offset;
    let signed = index.terms.iter().any(|(counter, _)| is_signed[counter.0 as usize]);
    let term = |&(counter, factor): &(CounterId, i64)| {
        let cast = if signed && !is_signed[counter.0 as usize] { " as i64" } else { "" };
        let name = format!("i{}{cast}", counter.0);
        match factor.unsigned_abs() {
            1 => name,
            factor if cast.is_empty() => format!("{factor} * {name}"),
            factor => format!("{factor} * ({name})"),
        }
    };
    let (added, taken): (Vec<_>, Vec<_>) = index.terms.iter().partition(|(_, factor)| *factor >= 0);
    let mut text = added.into_iter().map(term).collect::<Vec<String>>().join(" + ");
    if constant > 0 || text.is_empty() {
        let separator = if text.is_empty() { "" } else { " + " };
        text.push_str(&format!("{separator}{}", constant.max(0)));
    }
    for term in taken.into_iter().map(term).chain((constant < 0).then(|| (-constant).to_string())) {
        text.push_str(&format!(" - {term}"));
    }
    if signed { format!("({text}) as usize") } else { text }
}
