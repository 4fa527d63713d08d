//! Rows and columns: words that are consecutive in memory, and words that stand side by side because each belongs to another
//! block.
//!
//! The IR takes words out of registers, and puts them together, one by one. Where that turns columns into rows or rows into
//! columns, it is written as operations on whole registers: words of two registers in turn, then blocks of 128 bits.

use culet_ir::{InstData, Op, Origin, Type, Value};

use super::build::Builder;
use super::graph::{Kind, NodeId, Place, Shape, Statement, Ty};

impl Builder<'_> {
    /// Writes words that are joined as a read of memory, or as a row or a column of registers.
    pub(super) fn joined_words(&mut self, data: &InstData) -> bool {
        let Some(Ty::Lanes(shape)) = self.integers.vector(self.func.ty(data.results[0])) else { return false };
        let node = self.in_memory(&data.args, shape).or_else(|| self.in_words(&data.args, shape));
        let node = node.or_else(|| self.of_lanes(&data.args, shape)).or_else(|| self.of_blocks(&data.args, shape));
        if let Some(node) = node {
            self.set(data.results[0], node);
        }
        node.is_some()
    }

    /// The place of a word that is read from memory, least significant byte first.
    fn place_of(&self, word: Value, shape: Shape) -> Option<&Place> {
        self.runs.get(&word).filter(|run| run.is_word(shape.bits.into())).map(|run| &run.start)
    }

    /// The distance of the second of two words in memory behind the first.
    fn distance(&self, words: [Value; 2], shape: Shape) -> Option<i64> {
        let [first, second] = words.map(|word| self.place_of(word, shape));
        second?.behind(first?)
    }

    /// The distance between neighbours, if it is the same for all.
    fn stride(&self, words: &[Value], shape: Shape) -> Option<i64> {
        let stride = self.distance([words[0], *words.get(1)?], shape)?;
        let is_same = |pair: &[Value]| self.distance([pair[0], pair[1]], shape) == Some(stride);
        words.windows(2).all(is_same).then_some(stride)
    }

    /// Consecutive words of memory.
    fn in_memory(&mut self, words: &[Value], shape: Shape) -> Option<NodeId> {
        let stride = self.stride(words, shape)?;
        let start = self.place_of(words[0], shape).filter(|_| stride == i64::from(shape.bits / 8))?.clone();
        Some(self.read(start, shape))
    }

    /// Consecutive words of an array of words.
    fn in_words(&mut self, words: &[Value], shape: Shape) -> Option<NodeId> {
        let start = self.read_words.get(&words[0])?.clone();
        let is_next = |(lane, word): (i64, &Value)| {
            self.read_words
                .get(word)
                .is_some_and(|place| place.slot == start.slot && place.behind(&start) == Some(lane))
        };
        let is_whole = shape == Shape::of_64(8) && (0..).zip(words).all(is_next);
        is_whole.then(|| self.graph.load(start, Ty::Lanes(shape), 64))
    }

    /// A register that is read from memory, once.
    fn read(&mut self, start: Place, shape: Shape) -> NodeId {
        if let Some(&known) = self.rows.get(&(start.clone(), shape)) {
            return known;
        }
        let node = self.graph.load(start.clone(), Ty::Lanes(shape), shape.bits.into());
        self.rows.insert((start, shape), node);
        node
    }

    /// The words in one lane of several registers, or those in neighbouring lanes, lane by lane.
    fn of_lanes(&mut self, words: &[Value], shape: Shape) -> Option<NodeId> {
        let lane_of = |word: &Value| {
            let Origin::Result(inst, _) = self.func.value(*word).origin else { return None };
            let data = self.func.inst(inst);
            let Op::Lane(lane) = data.op else { return None };
            Some((lane, data.args[0]))
        };
        let lanes: Vec<(u8, Value)> = words.iter().map(lane_of).collect::<Option<_>>()?;
        let (lane, first) = lanes[0];
        let ty = self.func.ty(first);
        let Type::Vector { lanes: count, bits } = ty else { return None };
        // The registers come again, with the next lane, as often as words of them all do not fill a row.
        let each = 1 + lanes[1..].iter().take_while(|&&(_, register)| register != first).count();
        let is_same = |(place, &(own, register)): (usize, &(u8, Value))| {
            usize::from(own) == usize::from(lane) + place / each
                && register == lanes[place % each].1
                && self.func.ty(register) == ty
        };
        if !lanes.iter().enumerate().all(is_same) || bits != shape.bits || !each.is_power_of_two() {
            return None;
        }
        let registers: Vec<NodeId> =
            lanes[..each].iter().map(|&(_, register)| self.word(register).ok()).collect::<Option<_>>()?;
        match self.integers.vector(ty)? {
            whole if count == shape.lanes && each == lanes.len() => Some(self.column(&registers, lane, whole)),
            whole if shape.register_bits() == 128 && usize::from(lane) % (lanes.len() / each) == 0 => {
                let per_block = shape.lanes;
                let node = self.within_blocks(&registers, lane % per_block, shape.bits, whole);
                let is_whole = count == shape.lanes;
                let kind = Kind::Block(lane / per_block);
                Some(if is_whole { node } else { self.graph.operation(kind, &[node], Ty::Lanes(shape)) })
            }
            _ => None,
        }
    }

    /// One word of each of several blocks in memory, as many as there are lanes.
    fn of_blocks(&mut self, words: &[Value], shape: Shape) -> Option<NodeId> {
        let block = self.stride(words, shape)?;
        let (bytes, row) = (i64::from(shape.bits / 8), i64::from(shape.register_bits() / 8));
        let start = self.place_of(words[0], shape)?.clone();
        let at = start.index.constant;
        let fits = block > 0 && (0..block).contains(&at) && at % bytes == 0 && (at / row + 1) * row <= block;
        if !fits {
            return None;
        }
        let rows: Vec<NodeId> = (0..i64::from(shape.lanes))
            .map(|number| {
                let mut place = start.clone();
                place.index.constant = at / row * row + number * block;
                self.read(place, shape)
            })
            .collect();
        Some(self.column(&rows, (at % row / bytes) as u8, Ty::Lanes(shape)))
    }

    /// The words in one lane of as many registers as there are lanes.
    fn column(&mut self, registers: &[NodeId], lane: u8, ty: Ty) -> NodeId {
        let bits = ty.bits() as u8;
        let per_block = 128 / bits;
        let groups = registers.chunks(usize::from(per_block));
        let mut parts: Vec<NodeId> =
            groups.map(|group| self.within_blocks(group, lane % per_block, bits, ty)).collect();
        let mut block = lane / per_block;
        while parts.len() > 1 {
            let kind = Kind::Blocks(block % 2 == 1);
            parts = parts.chunks(2).map(|pair| self.graph.operation(kind.clone(), pair, ty)).collect();
            block /= 2;
        }
        parts[0]
    }

    /// In each block of 128 bits, the words in one lane of that block, of as many registers as a block has lanes; of fewer registers, those in
    /// the next lanes, too.
    fn within_blocks(&mut self, registers: &[NodeId], lane: u8, bits: u8, ty: Ty) -> NodeId {
        if registers.len() == 1 {
            return registers[0];
        }
        let half = 64 / bits;
        let kind = Kind::Zip { bits, is_high: lane >= half };
        let pairs: Vec<NodeId> = registers.chunks(2).map(|pair| self.graph.operation(kind.clone(), pair, ty)).collect();
        self.within_blocks(&pairs, lane % half, 2 * bits, ty)
    }

    /// Replaces the stores of all words of a register, the last of which was just written, by a store of the register.
    pub(super) fn store_register(&mut self) {
        let Some((last, register, Ty::Lanes(shape))) = self.graph.statements.last().and_then(|last| self.stored(last))
        else {
            return;
        };
        let (count, bytes) = (usize::from(shape.lanes), i64::from(shape.bits / 8));
        let stores: Vec<usize> = (0..self.graph.statements.len())
            .rev()
            .filter(|&at| !matches!(self.graph.statements[at], Statement::Node(_)))
            .take(count)
            .collect();
        if usize::from(last.1) + 1 != count || stores.len() != count {
            return;
        }
        let first = |at: usize| {
            let Statement::Store(place, _) = &self.graph.statements[at] else { return None };
            Some(place.clone())
        };
        let Some(start) = stores.last().and_then(|&at| first(at)) else { return };
        let is_in_order = stores.iter().rev().zip(0..).all(|(&at, lane)| {
            self.stored(&self.graph.statements[at]).is_some_and(|((place, own), of, _)| {
                (own, of) == (lane, register) && place.behind(&start) == Some(bytes * i64::from(lane))
            })
        });
        if is_in_order {
            for at in stores {
                self.graph.statements.remove(at);
            }
            self.graph.statements.push(Statement::Store(start, register));
        }
    }

    /// The place and the lane of a word that a statement stores, and the register that the word is taken out of, with its
    /// type.
    fn stored<'s>(&self, statement: &'s Statement) -> Option<((&'s Place, u8), NodeId, Ty)> {
        let Statement::Store(place, id) = statement else { return None };
        let node = self.graph.node(*id);
        let node = if node.kind == Kind::Convert { self.graph.node(node.args[0]) } else { node };
        let Kind::Lane(lane) = node.kind else { return None };
        let register = node.args[0];
        let ty = self.graph.ty(register);
        (ty.bits() == self.graph.ty(*id).bits()).then_some(((place, lane), register, ty))
    }
}
