//! Results of a group of blocks: registers whose lanes are consecutive words of one block.

use culet_ir::rewrite::Builder;
use culet_ir::{Index, Op, Type, Value};

use super::group::Group;
use super::map::Word;

/// A value of the loop, and the block of the group that it is meant for.
type OfBlock = (Value, u32);

impl Group<'_, '_> {
    /// Writes the results, block by block.
    pub fn write_rows(&mut self, to: &mut Builder) {
        let words = self.map.words.clone();
        let blocks = self.blocks_of_row(&words);
        for lane in (0..self.lanes).step_by(blocks as usize) {
            let mut left = &words[..];
            while let Some(first) = left.first() {
                let length = if blocks > 1 { left.len() } else { self.row_length(left) };
                let (row, rest) = left.split_at(length);
                match row.len() * blocks as usize {
                    1 => {
                        let word = self.memory_word(to, first, lane);
                        self.store(to, *first, lane, word);
                    }
                    _ => {
                        let row: Vec<(&Word, u32)> =
                            (lane..lane + blocks).flat_map(|lane| row.iter().map(move |word| (word, lane))).collect();
                        let values: Vec<OfBlock> = row.iter().map(|&(word, lane)| (word.value, lane)).collect();
                        let register = self.row(to, &values, first.is_reversed);
                        for (&(word, lane), own) in row.iter().zip(0..) {
                            let taken = to.emit1(Op::Lane(own), [register], self.map.func.ty(word.value));
                            self.store(to, *word, lane, taken);
                        }
                    }
                }
                left = rest;
            }
        }
    }

    /// The number of neighbouring blocks whose words are one register of 128 bits, if a block has fewer.
    fn blocks_of_row(&self, words: &[Word]) -> u32 {
        let Some(first) = words.first() else { return 1 };
        let block = 8 * first.added;
        // Words of blocks that have one each are in order already.
        let is_whole = words.len() > 1
            && self.following(words) == words.len()
            && words.len() as u32 * self.map.func.ty(first.value).bits() == block
            && first.at == 0;
        match 128_u32.checked_div(block) {
            Some(blocks) if is_whole && blocks * block == 128 && blocks <= self.lanes => blocks,
            _ => 1,
        }
    }

    /// The number of words at the beginning that follow one another in memory.
    fn following(&self, words: &[Word]) -> usize {
        let first = words[0];
        let bits = self.map.func.ty(first.value).bits();
        let continues = |(word, number): (&Word, u32)| {
            word.slot == first.slot
                && word.at == first.at + number * bits / 8
                && word.is_reversed == first.is_reversed
                && self.map.func.ty(word.value).bits() == bits
        };
        words.iter().zip(0..).take_while(|&pair| continues(pair)).count()
    }

    /// The number of words at the beginning that are one register: as many as there are lanes, or 128 bits.
    fn row_length(&self, words: &[Word]) -> usize {
        let bits = self.map.func.ty(words[0].value).bits();
        let count = self.following(words);
        let lengths = [self.lanes as usize, 128 / bits as usize];
        let is_row = |length: usize| length <= count && self.map.is_register(length as u32 * bits);
        lengths.into_iter().find(|&length| is_row(length)).unwrap_or(1)
    }

    /// The word of one block whose least significant byte is written first.
    fn memory_word(&mut self, to: &mut Builder, word: &Word, lane: u32) -> Value {
        if word.is_reversed { self.turned_word(to, word.value, lane) } else { self.word(to, word.value, lane) }
    }

    /// Words of neighbouring blocks side by side, each with its block; if they are reversed, with their bytes in the other order.
    fn row(&mut self, to: &mut Builder, values: &[OfBlock], is_reversed: bool) -> Value {
        let bits = self.map.func.ty(values[0].0).bits() as u8;
        let register = Type::Vector { lanes: values.len() as u8, bits };
        if let Some((op, [left, right])) = self.last_operation(values, is_reversed) {
            let (left, right) = (self.row(to, &left, is_reversed), self.row(to, &right, is_reversed));
            return to.emit1(op, [left, right], register);
        }
        let word = |&(value, lane): &OfBlock| match is_reversed {
            true => self.turned_word(to, value, lane),
            false => self.word(to, value, lane),
        };
        let words: Vec<Value> = values.iter().map(word).collect();
        to.emit1(Op::Join, words, register)
    }

    /// The operation that makes all these values, and its operands, if one side is not in lanes.
    fn last_operation(&self, values: &[OfBlock], is_reversed: bool) -> Option<(Op, [Vec<OfBlock>; 2])> {
        let mut sides = [Vec::new(), Vec::new()];
        let mut op: Option<&Op> = None;
        for &(value, lane) in values.iter().filter(|(value, _)| self.is_in_lanes(*value)) {
            let data = self.map.func.inst(self.map.definition(value)?);
            let has_order = match data.op {
                Op::Xor | Op::And | Op::Or => false,
                Op::Add | Op::Sub => true,
                _ => return None,
            };
            if has_order && is_reversed || *op.get_or_insert(&data.op) != &data.op {
                return None;
            }
            let (a, b) = (data.args[0], data.args[1]);
            let are_exchanged = data.op.is_commutative() && self.is_in_lanes(a) && !self.is_in_lanes(b);
            let (first, second) = if are_exchanged { (b, a) } else { (a, b) };
            sides[0].push((first, lane));
            sides[1].push((second, lane));
        }
        let has_side = sides.iter().any(|side| !side.iter().any(|&(value, _)| self.is_in_lanes(value)));
        (sides[0].len() == values.len() && has_side).then_some((op?.clone(), sides))
    }

    /// Stores a word in the place of a block, least significant byte first.
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
