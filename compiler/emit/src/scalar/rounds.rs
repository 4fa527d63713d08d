//! Instructions of whole rounds, whose operands are registers of 128 bits, and words that are computed side by side because such an
//! instruction takes or gives them.
//!
//! The words of an instruction's result are pieces of its register. Where words are needed as a register, they are one already, or
//! are brought together: pieces by a shuffle, sums of pieces by a sum of registers, bytes in a row by a load. Words that a loop
//! carries from one such instruction to another are carried in registers.

use std::collections::HashMap;

use culet_ir::{Inst, InstData, LoopData, Op, Origin, RegionId, SlotKind, Type, Value};
use culet_types::program::{Family, Instruction};

use super::Unwritable;
use super::build::Builder;
use super::graph::{Carried, Graph, Kind, NodeId, Place, Statement, Ty, Variable};

/// Bytes of a register.
const BYTES: usize = 16;

/// Number of operations on words that are looked through.
const DEPTH: u32 = 8;

/// A word that is needed in a register; `None` is zero.
type Word = Option<Value>;

/// Words that are in registers, as far as the statements of this block know.
#[derive(Clone, Default)]
pub(super) struct Registers {
    pieces: HashMap<Value, Piece>,
    /// The register of these words, the lowest first.
    known: HashMap<Vec<Word>, NodeId>,
}

/// The place of a word in a register: the word's bits, and its number from the lowest.
#[derive(Clone, Copy)]
struct Piece {
    register: NodeId,
    bits: u32,
    index: usize,
}

/// Bytes that were read or written in a row.
pub(super) struct Row {
    start: Place,
    bytes: Vec<Word>,
}

impl Registers {
    fn insert(&mut self, words: &[Word], register: NodeId) {
        let bits = 128 / words.len() as u32;
        for (index, word) in words.iter().enumerate() {
            if let Some(value) = *word {
                self.pieces.entry(value).or_insert(Piece { register, bits, index });
            }
        }
        self.known.insert(words.to_vec(), register);
    }
}

fn all(values: &[Value]) -> Vec<Word> {
    values.iter().copied().map(Some).collect()
}

impl Builder<'_> {
    fn has_rounds(&self) -> bool {
        !self.framed.rounds.is_empty()
    }

    /// A word that is a piece of a register.
    pub(super) fn piece(&mut self, value: Value) -> Option<NodeId> {
        let Piece { register, bits, index } = *self.registers.pieces.get(&value)?;
        let piece = self.graph.operation(Kind::Piece(bits as u8, index as u8), &[register], Ty::of(bits));
        Some(self.graph.convert(piece, self.integers.holding(bits)))
    }

    /// Writes a call of an instruction.
    pub(super) fn round(&mut self, instruction: Instruction, data: &InstData) -> Result<(), Unwritable> {
        let mut operands = Vec::new();
        let mut rest = &data.args[..];
        while let Some(&first) = rest.first() {
            let (words, after) = rest.split_at((128 / self.bits(first)) as usize);
            operands.push(self.register(&all(words))?);
            rest = after;
        }
        let register = self.graph.operation(Kind::Round(instruction), &operands, Ty::Pair);
        self.registers.insert(&all(&data.results), register);
        Ok(())
    }

    /// The register of these words, the lowest first.
    fn register(&mut self, words: &[Word]) -> Result<NodeId, Unwritable> {
        if let Some(register) = self.side_by_side(words, DEPTH)? {
            return Ok(register);
        }
        let bits = 128 / words.len() as u32;
        let mut parts = Vec::new();
        for &word in words {
            let part = match word {
                Some(value) => self.clean(value)?,
                None => self.graph.literal(0, Ty::of(bits)),
            };
            parts.push(self.graph.convert(part, Ty::of(bits)));
        }
        let register = self.graph.operation(Kind::Together(bits as u8), &parts, Ty::Pair);
        self.registers.known.insert(words.to_vec(), register);
        Ok(register)
    }

    /// The register of these words, if they are in registers, constants, or bytes in a row, or are computed from such words side by
    /// side.
    fn side_by_side(&mut self, words: &[Word], depth: u32) -> Result<Option<NodeId>, Unwritable> {
        if let Some(&known) = self.registers.known.get(words) {
            return Ok(Some(known));
        }
        let mut found = self.constants(words).or_else(|| self.shuffled(words)).or_else(|| self.row_in_memory(words));
        found = found.or_else(|| self.row_in_table(words));
        if found.is_none() && depth > 0 {
            found = self.computed(words, depth - 1)?;
        }
        if found.is_none() && depth > 0 {
            found = self.bytes_of_words(words, depth - 1)?;
        }
        if let Some(register) = found {
            self.registers.insert(words, register);
        }
        Ok(found)
    }

    fn constants(&mut self, words: &[Word]) -> Option<NodeId> {
        let bits = 128 / words.len() as u32;
        let mut whole = 0;
        for word in words.iter().rev() {
            let constant = word.map_or(Some(0), |value| self.constant(value))?;
            whole = whole << bits | u128::from(constant);
        }
        Some(self.graph.literal(whole, Ty::Pair))
    }

    /// Pieces of one register or two, in any order; zeros are pieces of a register of zeros.
    fn shuffled(&mut self, words: &[Word]) -> Option<NodeId> {
        let size = BYTES / words.len();
        let mut registers: Vec<NodeId> = Vec::new();
        let mut pattern = Vec::new();
        for &word in words {
            let is_zero = word.is_none_or(|value| self.constant(value) == Some(0));
            let piece = match word.and_then(|value| self.registers.pieces.get(&value)) {
                Some(piece) => *piece,
                None if is_zero => Piece { register: self.graph.literal(0, Ty::Pair), bits: 8 * size as u32, index: 0 },
                None => return None,
            };
            if piece.bits as usize != 8 * size {
                return None;
            }
            let number = registers.iter().position(|register| *register == piece.register).unwrap_or(registers.len());
            if number == registers.len() {
                registers.push(piece.register);
            }
            pattern.extend((0..size).map(|byte| (BYTES * number + size * piece.index + byte) as u8));
        }
        (registers.len() <= 2).then(|| self.shuffle(&registers, &pattern))
    }

    /// Byte i of the result is the byte `pattern[i]` of the registers one after the other.
    fn shuffle(&mut self, registers: &[NodeId], pattern: &[u8]) -> NodeId {
        if pattern.iter().enumerate().all(|(place, &from)| place == usize::from(from)) {
            return registers[0];
        }
        self.graph.operation(Kind::Shuffle(pattern.into()), registers, Ty::Pair)
    }

    /// Turns the bytes of each word around.
    fn turned(&mut self, register: NodeId, bytes: usize) -> NodeId {
        let pattern: Vec<u8> = (0..BYTES).map(|byte| (byte ^ (bytes - 1)) as u8).collect();
        self.shuffle(&[register], &pattern)
    }

    /// Words that are bytes in a row in memory.
    fn row_in_memory(&mut self, words: &[Word]) -> Option<NodeId> {
        let size = BYTES / words.len();
        let first = self.runs.get(&(*words.first()?)?)?.clone();
        for (number, &word) in (0..).zip(words) {
            let run = self.runs.get(&word?)?;
            let is_next = run.start.behind(&first.start) == Some(number * size as i64);
            if !is_next || run.bytes as usize != size || (size > 1 && run.is_turned != first.is_turned) {
                return None;
            }
        }
        let register = self.graph.load(first.start, Ty::Pair, 128);
        Some(if size > 1 && first.is_turned { self.turned(register, size) } else { register })
    }

    /// Consecutive elements of a table, which are read one by one: compilers read them together.
    fn row_in_table(&mut self, words: &[Word]) -> Option<NodeId> {
        let first = self.tables.get(&(*words.first()?)?)?.clone();
        let mut parts = Vec::new();
        for (number, &word) in (0..).zip(words) {
            let place = self.tables.get(&word?)?;
            let is_next = place.behind(&first) == Some(number);
            parts.push(self.known(word?).filter(|_| is_next)?);
        }
        let bits = 128 / words.len() as u32;
        let parts: Vec<NodeId> = parts.into_iter().map(|part| self.graph.convert(part, Ty::of(bits))).collect();
        Some(self.graph.operation(Kind::Together(bits as u8), &parts, Ty::Pair))
    }

    fn definition(&self, word: Word) -> Option<&InstData> {
        match self.func.value(word?).origin {
            Origin::Result(inst, _) => Some(self.func.inst(inst)),
            Origin::Param(..) => None,
        }
    }

    /// Words that one operation gives, word by word. A word beside sums, of numbers or modulo 2, is a sum with zero.
    fn computed(&mut self, words: &[Word], depth: u32) -> Result<Option<NodeId>, Unwritable> {
        let of = |op: Op| words.iter().any(|&word| self.definition(word).is_some_and(|data| data.op == op));
        let Some(op) = [Op::Add, Op::Xor, Op::And, Op::Or].into_iter().find(|op| of(op.clone())) else {
            return Ok(None);
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &word in words {
            let [a, b] = match self.definition(word) {
                Some(data) if data.op == op => [Some(data.args[0]), Some(data.args[1])],
                _ if matches!(op, Op::Add | Op::Xor) => [word, None],
                _ => return Ok(None),
            };
            left.push(a);
            right.push(b);
        }
        let Some(b) = self.side_by_side(&right, depth)? else { return Ok(None) };
        let a = match self.graph.constant(b) {
            Some(_) if op == Op::Add => self.register(&left)?,
            _ => match self.side_by_side(&left, depth)? {
                Some(a) => a,
                None => return Ok(None),
            },
        };
        let kind = match op {
            Op::Xor => Kind::Xor,
            Op::And => Kind::And,
            Op::Or => Kind::Or,
            _ => {
                let kind = Kind::AddLanes((128 / words.len()) as u8);
                return Ok(Some(self.graph.operation(kind, &[a, b], Ty::Pair)));
            }
        };
        Ok(Some(self.graph.binary(kind, a, b)))
    }

    /// Bytes that are those of words of 32 bits.
    fn bytes_of_words(&mut self, bytes: &[Word], depth: u32) -> Result<Option<NodeId>, Unwritable> {
        if bytes.len() != BYTES {
            return Ok(None);
        }
        let (mut words, mut turns) = (Vec::new(), Vec::new());
        for group in bytes.chunks(4) {
            let Some(parts) = group.iter().map(|byte| self.parts[(*byte)?.index()]).collect::<Option<Vec<_>>>() else {
                return Ok(None);
            };
            let whole = parts[0].0;
            let is_turned = parts[0].1 != 0;
            let is_word = (0..).zip(&parts).all(|(place, &(from, low))| {
                from == whole && low == if is_turned { 24 - 8 * place } else { 8 * place }
            });
            if !is_word || self.bits(whole) != 32 {
                return Ok(None);
            }
            words.push(Some(whole));
            turns.push(is_turned);
        }
        if turns.iter().any(|turn| *turn != turns[0]) {
            return Ok(None);
        }
        let Some(register) = self.side_by_side(&words, depth)? else { return Ok(None) };
        Ok(Some(if turns[0] { self.turned(register, 4) } else { register }))
    }

    /// Records a sum modulo 2. Sums in a row are a register, if both sides are: later, perhaps only parts of it are needed.
    pub(super) fn summed_in_row(&mut self, data: &InstData) -> Result<(), Unwritable> {
        if !self.has_rounds() || matches!(data.op, Op::Const(_)) {
            return Ok(());
        }
        let result = data.results.first().copied().filter(|&result| {
            data.op == Op::Xor && self.func.ty(result).lanes() == 1 && matches!(self.bits(result), 8 | 16 | 32 | 64)
        });
        let Some(result) = result else {
            self.sums.clear();
            return Ok(());
        };
        if self.sums.first().is_some_and(|&first| self.bits(first) != self.bits(result)) {
            self.sums.clear();
        }
        self.sums.push(result);
        if self.sums.len() as u32 * self.bits(result) == 128 {
            let words = all(&self.sums);
            match self.side_by_side(&words, 1)? {
                Some(_) => self.sums.clear(),
                None => drop(self.sums.remove(0)),
            }
        }
        Ok(())
    }

    /// Records that a byte was read. Bytes in a row are read together, too, if they are needed as a register.
    pub(super) fn read_in_row(&mut self, place: &Place, value: Value) {
        if !self.has_rounds() {
            return;
        }
        let mut row = match self.read.take() {
            Some(row) if row.is_before(place) => row,
            _ => Row { start: place.clone(), bytes: Vec::new() },
        };
        row.bytes.push(Some(value));
        if row.bytes.len() < BYTES {
            self.read = Some(row);
        } else {
            let register = self.graph.load(row.start, Ty::Pair, 128);
            self.registers.insert(&row.bytes, register);
        }
    }

    /// Records that a byte of a result was written. Bytes in a row that are a register are written together.
    pub(super) fn wrote_in_row(&mut self, place: &Place, value: Value) -> Result<(), Unwritable> {
        let slot = self.func.slot(place.slot);
        let is_result = matches!(slot.kind, SlotKind::Output | SlotKind::OutStream);
        let before = self.row.take();
        self.read = None;
        if !self.has_rounds() || !is_result || slot.element != Type::Word(8) {
            return Ok(());
        }
        let mut row = match before {
            Some(row) if row.is_before(place) => row,
            _ => Row { start: place.clone(), bytes: Vec::new() },
        };
        row.bytes.push(Some(value));
        if row.bytes.len() < BYTES {
            self.row = Some(row);
        } else if let Some(register) = self.side_by_side(&row.bytes, DEPTH)? {
            self.replace_stores(BYTES as u32, row.start, register);
        }
        Ok(())
    }

    /// The words that a loop carries in registers, as the numbers of the first words: words that instructions of rounds give, that
    /// are in registers before the loop, that count, or that such words become.
    fn carried_registers(&self, l: &LoopData, first: &[Value]) -> Vec<usize> {
        let region = self.func.region(l.region);
        let count = |at: usize| 128 / self.bits(region.params[at]).max(1) as usize;
        let next = |at: usize| region.results.get(at..at + count(at)).filter(|next| self.has_one_type(next));
        let is_made = |at: usize, next: &[Value]| {
            self.is_from_rounds(next, DEPTH)
                || self.is_in_register(&first[at..at + count(at)])
                || self.counts(l, at, next)
        };
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let (before, mut at) = (chosen.len(), 0);
            while at < region.params.len() {
                let is_free = !chosen.iter().any(|&other| (at + 1..at + count(at)).contains(&other));
                let is_register = |next: &[Value]| {
                    is_made(at, next) || chosen.iter().any(|&other| is_at(&region.params, other, next))
                };
                let is_chosen = chosen.contains(&at);
                if !is_chosen && is_free && next(at).is_some_and(is_register) {
                    chosen.push(at);
                }
                at += if chosen.contains(&at) { count(at) } else { 1 };
            }
            if chosen.len() == before {
                break;
            }
        }
        // Words that are in a register before the loop, and nothing more, must become words that are.
        loop {
            let stays = |at: usize| {
                next(at).is_some_and(|next| {
                    let becomes_other = chosen.iter().any(|&other| is_at(&region.params, other, next));
                    becomes_other || self.is_from_rounds(next, DEPTH) || self.counts(l, at, next)
                })
            };
            let kept: Vec<usize> = chosen.iter().copied().filter(|&at| stays(at)).collect();
            if kept.len() == chosen.len() {
                return chosen;
            }
            chosen = kept;
        }
    }

    /// Whether words are one register's, from the lowest on.
    fn is_in_register(&self, words: &[Value]) -> bool {
        let piece = |word: &Value| self.registers.pieces.get(word);
        let first = piece(&words[0]).map(|piece| piece.register);
        first.is_some()
            && words.iter().enumerate().all(|(index, word)| {
                piece(word).is_some_and(|piece| Some(piece.register) == first && piece.index == index)
            })
    }

    /// Whether the next words are those of this iteration plus constants.
    fn counts(&self, l: &LoopData, at: usize, next: &[Value]) -> bool {
        let params = &self.func.region(l.region).params[at..at + next.len()];
        let is_sum = |(&next, param): (&Value, &Value)| {
            self.definition(Some(next)).is_some_and(|data| {
                data.op == Op::Add && data.args[0] == *param && self.constant(data.args[1]).is_some()
            })
        };
        let mut pairs = next.iter().zip(params);
        pairs.clone().any(is_sum) && pairs.all(|(next, param)| next == param || is_sum((next, param)))
    }

    fn has_one_type(&self, words: &[Value]) -> bool {
        let bits = self.bits(words[0]);
        matches!(bits, 8 | 16 | 32 | 64) && words.iter().all(|&word| self.bits(word) == bits)
    }

    /// Whether words come from instructions of rounds, perhaps by operations word by word.
    fn is_from_rounds(&self, words: &[Value], depth: u32) -> bool {
        let origins = words.iter().map(|&word| match self.func.value(word).origin {
            Origin::Result(inst, number) => Some((inst, number)),
            Origin::Param(..) => None,
        });
        let Some(origins) = origins.collect::<Option<Vec<(Inst, u32)>>>() else { return false };
        let ops = || origins.iter().map(|&(inst, _)| self.func.inst(inst));
        if ops().all(|data| matches!(data.op, Op::Call(callee) if self.framed.rounds.contains_key(&callee))) {
            return true;
        }
        let first = self.func.inst(origins[0].0);
        match &first.op {
            Op::Loop(l) if depth > 0 && origins.iter().all(|origin| origin.0 == origins[0].0) => {
                let results = &self.func.region(l.region).results;
                let inner: Vec<Value> = origins.iter().map(|&(_, number)| results[number as usize]).collect();
                self.is_from_rounds(&inner, depth - 1)
            }
            Op::Add | Op::Xor | Op::And | Op::Or if depth > 0 && ops().all(|data| data.op == first.op) => {
                (0..2).any(|side| {
                    let operands: Vec<Value> = ops().map(|data| data.args[side]).collect();
                    self.is_from_rounds(&operands, depth - 1)
                })
            }
            _ => false,
        }
    }

    /// Before a loop: makes variables of the registers that it carries. Returns them, each with its words' range.
    pub(super) fn enter_registers(
        &mut self,
        l: &LoopData,
        data: &InstData,
    ) -> Result<Vec<(std::ops::Range<usize>, Carried, NodeId)>, Unwritable> {
        if !self.has_rounds() {
            return Ok(Vec::new());
        }
        let mut carried = Vec::new();
        for at in self.carried_registers(l, &data.args) {
            let params = &self.func.region(l.region).params;
            let range = at..at + (128 / self.bits(params[at])) as usize;
            let first = self.register(&all(&data.args[range.clone()]))?;
            let number = self.new_variable();
            let variable = self.graph.variable(Variable::Carried(number), Ty::Pair, 128);
            let one = Carried { number, ty: Ty::Pair, first, next: first };
            carried.push((range, one, variable));
        }
        Ok(carried)
    }

    /// Lets words be those of a register that a loop carries.
    pub(super) fn set_register(&mut self, words: &[Value], register: NodeId) {
        self.registers.insert(&all(words), register);
    }

    /// The register of words for the next iteration.
    pub(super) fn next_register(
        &mut self,
        region: RegionId,
        range: std::ops::Range<usize>,
    ) -> Result<NodeId, Unwritable> {
        let words = all(&self.func.region(region).results[range]);
        self.register(&words)
    }
}

/// Whether statements have instructions of a family, outside of loops of their own.
pub(super) fn has_rounds(statements: &[Statement], graph: &Graph, family: Family) -> bool {
    let is_one = |id: NodeId| matches!(graph.node(id).kind, Kind::Round(instruction) if instruction.family() == family);
    statements.iter().any(|statement| matches!(statement, Statement::Node(id) if is_one(*id)))
}

impl Row {
    fn is_before(&self, place: &Place) -> bool {
        place.behind(&self.start) == Some(self.bytes.len() as i64)
    }
}

/// Whether words are consecutive parameters from one on.
fn is_at(params: &[Value], first: usize, words: &[Value]) -> bool {
    params.get(first..first + words.len()).is_some_and(|params| params == words)
}
