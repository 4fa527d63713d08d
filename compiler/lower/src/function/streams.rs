//! Loops over streams: input blocks and elements, output elements, and the ends of messages.

use culet_ir::{Index, Op, Over, Slot, SlotData, SlotKind, Type, Value};
use culet_types::program::{Affine, Blocks, CounterId, Loop, Output, Place, Run, Stream, VarId};

use super::{Counter, Function};
use crate::pieces::length;
use crate::usage::Carried;

impl Function<'_> {
    /// The slot of a stream; values of a known length are stored where loops over it find them.
    pub(super) fn stream(&mut self, parts: &[VarId]) -> Slot {
        if let [only] = parts {
            return self.bytes[only];
        }
        let bytes = |name: &str, kind: SlotKind, length: u32| SlotData {
            name: name.to_owned(),
            kind,
            element: Type::Word(8),
            length,
            group: 0,
        };
        let mut slots = Vec::new();
        for &part in parts {
            if self.node.var(part).stream {
                slots.push(self.bytes[&part]);
                continue;
            }
            let (name, length) = (self.node.var(part).name.clone(), length(&self.node.var(part).ty));
            let slot = self.add_named_slot(bytes(&name, SlotKind::Part, length));
            for byte in 0..length {
                let value = self.piece(part, byte);
                self.builder.store(slot, Index::constant(byte.into()), value);
            }
            slots.push(slot);
        }
        self.add_named_slot(bytes("joined", SlotKind::Joined(slots), 1))
    }

    /// The number of bytes of these variables.
    pub(super) fn length_of(&mut self, parts: &[VarId]) -> Value {
        let word = Type::Word(64);
        let is_fixed = |part: &&VarId| !self.node.var(**part).stream;
        let fixed = parts.iter().filter(is_fixed).map(|part| u64::from(self.node.var(*part).ty.atoms())).sum();
        let mut sum = self.builder.word(word, fixed);
        for &part in parts.iter().filter(|part| self.node.var(**part).stream) {
            let length = self.builder.op(Op::Length { stream: self.bytes[&part] }, &[], word);
            sum = self.builder.same(Op::Add, &[sum, length]);
        }
        sum
    }

    /// Writes the blocks after the last whole one: the bytes that are left and 0x80, in a block of their own if there
    /// is no room for the length after them, and the length at the end of the last block.
    pub(super) fn last_blocks(&mut self, l: &Loop, carried: &Carried, stream: Slot, blocks: Blocks) {
        let Blocks { bytes: block, length_bytes, .. } = blocks;
        let room = block - length_bytes;
        let data = SlotData {
            name: "rest".to_owned(),
            kind: SlotKind::Local,
            element: Type::Word(8),
            length: block,
            group: 0,
        };
        let rest = self.add_named_slot(data);
        let at = |byte: u32| Index::constant(byte.into());
        let tail = self.builder.tail(stream, block, 0x80);
        (0..block).zip(tail).for_each(|(byte, value)| self.builder.store(rest, at(byte), value));
        self.rest = Some(rest);
        self.running_loop(l, carried, Some(Over::Rest { stream, block, least: room }));
        self.rest = None;
        let mut last: Vec<Value> = (0..room).map(|byte| self.builder.load(rest, at(byte))).collect();
        let word = Type::Word(64);
        let length = self.builder.op(Op::Length { stream }, &[], word);
        let [low, high] = [Op::Shl(3), Op::Shr(61)].map(|op| self.builder.same(op, &[length]));
        for place in (0..length_bytes).rev() {
            let half = if place < 8 { low } else { high };
            last.push(self.builder.op(Op::Extract((place % 8 * 8) as u8), &[half], Type::Word(8)));
        }
        self.counters.insert(l.counter, Counter::Fixed(0));
        if let Some(stream) = &l.stream {
            self.receive(stream, &last);
        }
        self.steps(&l.steps, &carried.inner);
    }

    /// Writes the current block, or element, to the variable that stands for it.
    pub(super) fn receive_block(&mut self, stream: &Stream, over: Over, counter: CounterId) {
        let pad = stream.blocks.map_or(0, |blocks| blocks.pad);
        let (order, is_cut) = (self.node.var(stream.parts[0]).bytes, stream.blocks.is_some());
        let element = &self.node.var(stream.element).ty;
        let values = match over {
            Over::Whole { stream, block, .. } => {
                let terms = vec![(counter, i64::from(block))];
                let at = |byte: u32| Index { constant: byte.into(), terms: terms.clone() };
                let mut bytes: Vec<Value> = (0..block).map(|byte| self.builder.load(stream, at(byte))).collect();
                if pad != 0 {
                    bytes.push(self.builder.word(Type::Word(8), pad.into()));
                }
                match is_cut {
                    true => bytes,
                    false => self.builder.pieces_from_bytes(element, order, &bytes),
                }
            }
            Over::Rest { stream, block, .. } | Over::Short { stream, block } => match self.rest {
                None => self.builder.tail(stream, block, pad),
                Some(rest) => (0..block).map(|byte| self.builder.load(rest, Index::constant(byte.into()))).collect(),
            },
        };
        self.receive(stream, &values);
    }

    /// Writes these values to the variable that stands for a stream's element.
    pub(super) fn receive(&mut self, stream: &Stream, values: &[Value]) {
        let runs = vec![Run { start: Affine::constant(0), length: values.len() as u32, stride: 1 }];
        self.write(&[Place { var: stream.element, runs }], values);
    }

    /// Stores what an iteration over a whole block makes of a result that is a stream.
    pub(super) fn add_to_stream(&mut self, output: &Output, counter: CounterId) {
        let slot = self.bytes[&output.result];
        let size = self.builder.func.slot(slot).length;
        for (place, byte) in (0..).zip(self.made_bytes(output.made, size)) {
            let index = Index { constant: place, terms: vec![(counter, size.into())] };
            self.builder.store(slot, index, byte);
        }
    }

    /// Stores the end of a result that is as long as a stream, where the stream's last block is not whole.
    pub(super) fn end_stream(&mut self, output: &Output, stream: Slot, block: u32) {
        let name = format!("{}_end", self.node.var(output.result).name);
        let (kind, element) = (SlotKind::Part, Type::Word(8));
        let from = self.add_named_slot(SlotData { name, kind, element, length: block, group: 0 });
        for (place, byte) in (0..).zip(self.made_bytes(output.made, block)) {
            self.builder.store(from, Index::constant(place), byte);
        }
        let op = Op::StoreTail { slot: self.bytes[&output.result], from, stream, block };
        self.builder.func.append(self.builder.region, op, [], &[]);
    }

    /// The bytes of a variable.
    fn made_bytes(&mut self, made: VarId, size: u32) -> Vec<Value> {
        let var = self.node.var(made);
        let pieces: Vec<Value> = (0..length(&var.ty)).map(|piece| self.piece(made, piece)).collect();
        self.builder.pieces_to_bytes(&var.ty, var.bytes, &pieces, size)
    }
}
