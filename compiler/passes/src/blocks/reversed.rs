//! Words that memory has most significant byte first: their bytes change places in registers, where that is one rotation or a
//! few operations for all blocks.

use culet_ir::rewrite::Builder;
use culet_ir::{Inst, Op, Type, Value};

use super::bytes::joined;
use super::group::{Group, Held};

impl Group<'_, '_> {
    /// The words of all blocks in lanes, for one that is joined from bytes of another word in the other order.
    pub fn turned_part(&mut self, to: &mut Builder, inst: Inst) -> Option<Held> {
        let word = self.map.func.inst(inst).results[0];
        let (whole, low) = self.map.reversed_part(word)?;
        let register = self.register(word)?;
        let lanes = match self.map.func.ty(whole) == self.map.func.ty(word) {
            true => self.in_lanes(to, whole),
            false => self.part_of_counter(to, whole, low, word)?,
        };
        Some(Held::Lanes(turned(to, lanes, register)))
    }

    /// The words of all blocks, for one that is read from the stream most significant byte first.
    pub fn turned_apart(&mut self, to: &mut Builder, inst: Inst) -> Option<Vec<Held>> {
        let word = self.map.func.inst(inst).results[0];
        let (bytes, lanes) = (self.map.reversed_bytes(word)?, self.lanes);
        let in_memory = |lane| {
            let bytes: Vec<Value> = bytes.iter().map(|&byte| self.word(to, byte, lane)).collect();
            joined(to, &bytes, true)
        };
        let in_memory: Vec<Value> = (0..lanes).map(in_memory).collect();
        let apart = self.apart(to, inst).into_iter().next();
        let Some(Held::Words(words)) = apart else { return None };
        Some(vec![Held::Turned(words, in_memory)])
    }

    /// A block's word whose bytes are those of a value from the most significant one on.
    pub fn turned_word(&mut self, to: &mut Builder, value: Value, lane: u32) -> Value {
        match (self.held(value), self.register(value)) {
            (Some(Held::Turned(_, words)), _) => words[lane as usize],
            (Some(&Held::Lanes(lanes)), Some(register)) => {
                let known = self.turned.get(&value).copied();
                let lanes = known.unwrap_or_else(|| turned(to, lanes, register));
                self.turned.insert(value, lanes);
                to.emit1(Op::Lane(lane as u8), [lanes], self.map.func.ty(value))
            }
            _ => {
                let word = self.word(to, value, lane);
                let bits = self.map.func.ty(value).bits();
                let byte = |at| to.emit1(Op::Extract((8 * at) as u8), [word], Type::Word(8));
                let bytes: Vec<Value> = (0..bits / 8).map(byte).collect();
                joined(to, &bytes, true)
            }
        }
    }
}

/// The lanes of a register with their bytes in the other order: halves change places, and halves of these, to the bytes.
pub(super) fn turned(to: &mut Builder, value: Value, register: Type) -> Value {
    let bits = register.bits();
    let mut value = to.emit1(Op::Rotl((bits / 2) as u8), [value], register);
    let mut half = bits / 4;
    while half >= 8 {
        let lower = (0..bits).step_by(2 * half as usize).fold(0, |mask, at| mask | ((1 << half) - 1) << at);
        let lower = to.emit1(Op::Const(vec![lower; register.lanes() as usize].into()), [], register);
        let upper = to.emit1(Op::Shr(half as u8), [value], register);
        let upper = to.emit1(Op::And, [upper, lower], register);
        let other = to.emit1(Op::And, [value, lower], register);
        let other = to.emit1(Op::Shl(half as u8), [other], register);
        value = to.emit1(Op::Or, [upper, other], register);
        half /= 2;
    }
    value
}
