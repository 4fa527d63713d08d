//! Results of a group of blocks: registers whose lanes are consecutive words of one block.

use culet_ir::rewrite::Builder;
use culet_ir::{Index, Op, Type, Value};

use super::group::Group;
use super::map::Word;

impl Group<'_, '_> {
    /// Writes the results, block by block.
    pub fn write_rows(&mut self, to: &mut Builder) {
        let words = self.map.words.clone();
        for lane in 0..self.lanes {
            let mut left = &words[..];
            while let Some(first) = left.first() {
                let (row, rest) = left.split_at(self.row_length(left));
                let values: Vec<Value> = row.iter().map(|word| word.value).collect();
                match row.len() {
                    1 => {
                        let word = self.word(to, first.value, lane);
                        self.store(to, *first, lane, word);
                    }
                    _ => {
                        let register = self.row(to, &values, lane);
                        for (&word, own) in row.iter().zip(0..) {
                            let taken = to.emit1(Op::Lane(own), [register], self.map.func.ty(word.value));
                            self.store(to, word, lane, taken);
                        }
                    }
                }
                left = rest;
            }
        }
    }

    /// The number of words at the beginning that are one register: as many as there are lanes, or 128 bits.
    fn row_length(&self, words: &[Word]) -> usize {
        let first = words[0];
        let bits = self.map.func.ty(first.value).bits();
        let continues = |(word, number): (&Word, u32)| {
            word.slot == first.slot
                && word.at == first.at + number * bits / 8
                && self.map.func.ty(word.value).bits() == bits
        };
        let count = words.iter().zip(0..).take_while(|&pair| continues(pair)).count();
        let lengths = [self.lanes as usize, 128 / bits as usize];
        let is_row = |length: usize| length <= count && matches!(length as u32 * bits, 128 | 256 | 512);
        lengths.into_iter().find(|&length| is_row(length)).unwrap_or(1)
    }

    /// Words of one block side by side.
    fn row(&mut self, to: &mut Builder, values: &[Value], lane: u32) -> Value {
        let bits = self.map.func.ty(values[0]).bits() as u8;
        let register = Type::Vector { lanes: values.len() as u8, bits };
        if let Some((op, [left, right])) = self.last_operation(values) {
            let (left, right) = (self.row(to, &left, lane), self.row(to, &right, lane));
            return to.emit1(op, [left, right], register);
        }
        let words: Vec<Value> = values.iter().map(|&value| self.word(to, value, lane)).collect();
        to.emit1(Op::Join, words, register)
    }

    /// The operation that makes all these values, and its operands, if one side is not in lanes.
    fn last_operation(&self, values: &[Value]) -> Option<(Op, [Vec<Value>; 2])> {
        let mut sides = [Vec::new(), Vec::new()];
        let mut op: Option<&Op> = None;
        for &value in values.iter().filter(|&&value| self.is_in_lanes(value)) {
            let data = self.map.func.inst(self.map.definition(value)?);
            if !matches!(data.op, Op::Xor | Op::And | Op::Or | Op::Add | Op::Sub)
                || *op.get_or_insert(&data.op) != &data.op
            {
                return None;
            }
            let (a, b) = (data.args[0], data.args[1]);
            let are_exchanged = data.op.is_commutative() && self.is_in_lanes(a) && !self.is_in_lanes(b);
            let (first, second) = if are_exchanged { (b, a) } else { (a, b) };
            sides[0].push(first);
            sides[1].push(second);
        }
        let has_side = sides.iter().any(|side| !side.iter().any(|&value| self.is_in_lanes(value)));
        (sides[0].len() == values.len() && has_side).then_some((op?.clone(), sides))
    }

    /// Stores a word's bytes in the place of a block.
    fn store(&self, to: &mut Builder, word: Word, lane: u32, value: Value) {
        let bits = self.map.func.ty(word.value).bits();
        for byte in 0..bits / 8 {
            let part = match bits {
                8 => value,
                _ => to.emit1(Op::Extract((8 * byte) as u8), [value], Type::Word(8)),
            };
            let constant = i64::from(word.added * lane + word.at + byte);
            let terms = vec![(self.counter, i64::from(word.added * self.lanes))];
            to.emit(Op::Store { slot: word.slot, index: Index { constant, terms } }, [part], &[]);
        }
    }
}
